/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that is opened by its head first has the same directory as one opened at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/pages/page_index.h"
#include "src/trace/trace_streams.h"
#include "tests/lib/perfetto_bytes.h"
#include "tests/lib/temp_path.h"

#define LINES	20000u
#define HEAD	(128u << 10)

/* CPU 2 and an event are not in the head; lost events cut pages; times go back now and then. */
static void write_text(void)
{
	FILE *out = fopen(temp_path, "w");

	assert_non_null(out);
	for (unsigned int i = 0; i < LINES; i++) {
		unsigned int us = i * 3 - (i % 5000 == 4000 ? 100 : 0);

		if (i % 700 == 350)
			fprintf(out, "CPU:%u [LOST %u EVENTS]\n", i % 2, i);
		fprintf(out, "         task-%u-%-5u [%03u] d..2. %5u.%06u: ", i % 10, 100 + i % 10,
			i > LINES / 2 && i % 3 == 0 ? 2 : i % 2, us / 1000000, us % 1000000);
		if (i > LINES / 2 && i % 7 == 0)
			fprintf(out, "late_event: value=%u name=x%u\n", i, i);
		else if (i % 4)
			fprintf(out, "sched_waking: comm=task-%u pid=%u prio=120 target_cpu=000\n",
				i % 10, 100 + i % 10);
		else
			fprintf(out, "workqueue_execute_start: work struct 0x12: function f%u\n",
				i);
	}
	fclose(out);
}

#define BLOCK	80u		/* events of all CPUs, of which a bundle has those of one */

/* A trace of Perfetto, one CPU after the other; some bundles are late. */
static void write_perfetto(void)
{
	struct perfetto_bytes b = { 0 };
	FILE *out = fopen(temp_path, "w");

	assert_non_null(out);
	for (unsigned int cpu = 0; cpu < 3; cpu++)
		for (unsigned int from = 0; from < LINES; from += BLOCK) {
			xb_bundle(&b, cpu, from % 7000 == 0);
			for (unsigned int i = from; i < from + BLOCK; i++) {
				if ((i > LINES / 2 && i % 3 == 0 ? 2 : i % 2) != cpu)
					continue;
				xb_event(&b, 3000 * (i - (from % 5000 == 4000 ? 300 : 0)),
					 100 + (int)(i % 10), 3); /* print */
				proto_string(&b.t, 2, "B|7|a slice whose name makes the file long");
				xb_end_event(&b);
			}
			xb_end_all(&b);
		}
	assert_int_equal(fwrite(text_str(&b.t), 1, b.t.len, out), b.t.len);
	assert_true(b.t.len > 1 << 20);
	text_fini(&b.t);
	fclose(out);
}

static void (*const writes[])(void) = { write_text, write_perfetto };

static struct trace *open_it(uint64_t head)
{
	const struct trace_options options = { .hold_permille = -1, .head_bytes = head };
	const char *const paths[] = { temp_path };
	struct ft_error err;
	struct trace *trace = trace_open(paths, 1, false, &options, &err);

	assert_non_null(trace);
	trace_wait(trace);
	return trace;
}

static uint32_t compare_streams(const struct trace_stream *a, const struct trace_stream *b)
{
	uint64_t pages = page_index_pages(&a->index);
	uint32_t events = 0;

	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(pages, page_index_pages(&b->index));
	assert_int_equal(a->first_ts, b->first_ts);
	assert_int_equal(a->last_ts, b->last_ts);
	for (uint64_t p = 0; p < pages; p++) {
		struct page_sets x = page_index_sets(&a->index, p),
				 y = page_index_sets(&b->index, p);

		assert_int_equal(page_index_first(&a->index, p), page_index_first(&b->index, p));
		assert_int_equal(page_index_last(&a->index, p), page_index_last(&b->index, p));
		assert_int_equal(page_index_count(&a->index, p), page_index_count(&b->index, p));
		assert_int_equal(x.types, y.types);
		assert_int_equal(x.pids, y.pids);
		assert_int_equal(x.nr_rare, y.nr_rare);
		events += page_index_count(&a->index, p) & PAGE_EVENTS_MASK;
	}
	return events;
}

static void check_same_directory(unsigned int nr_in_head)
{
	struct trace *whole, *head, *rest;
	struct ft_error err;
	int64_t first, last, first_of_all, last_of_all;
	uint32_t events = 0;

	whole = open_it(0);
	head = open_it(HEAD);
	assert_false(trace_is_head(whole));
	assert_true(trace_is_head(head) && trace_has_rest(head));
	assert_false(trace_status(head).complete);
	assert_int_equal(trace_nr_streams(head), nr_in_head);
	assert_int_equal(trace_nr_streams(whole), 3);
	assert_true(trace_span(head, &first, &last));
	assert_true(trace_span(whole, &first_of_all, &last_of_all));
	assert_true(first == first_of_all && last == last_of_all);

	rest = trace_open_rest(head, &err);
	assert_non_null(rest);
	trace_close(head);
	trace_wait(rest);
	assert_false(trace_is_head(rest));
	assert_true(trace_status(rest).complete);
	assert_int_equal(trace_nr_streams(rest), 3);
	for (unsigned int i = 0; i < 3; i++)
		events += compare_streams(trace_stream_at(whole, i), trace_stream_at(rest, i));
	assert_int_equal(events, LINES);
	trace_close(rest);
	trace_close(whole);
}

static void test_same_directory(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		writes[i]();
		check_same_directory(i ? 3 : 2);
	}
}

/* It has a worker of its own to stop. */
static void test_closed_early(void **state)
{
	const struct trace_options options = { .hold_permille = -1, .head_bytes = HEAD };
	const char *const paths[] = { temp_path };
	struct ft_error err;

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		writes[i]();
		trace_close(trace_open(paths, 1, false, &options, &err));
	}
}

/* With a latency tracer's trace.dat beside it, whose text has no descriptor of its own. */
static void test_beside_latency_text(void **state)
{
	const struct trace_options options = { .hold_permille = -1, .head_bytes = HEAD };
	const char *data = getenv("FTOP_TEST_DATA");
	char latency[4096];
	const char *const paths[] = { temp_path, latency };
	struct trace *head, *rest;
	struct ft_error err;

	(void)state;
	snprintf(latency, sizeof(latency), "%s/good/irqsoff/trace.dat", data ? data : "tests/data");
	write_text();
	head = trace_open(paths, 2, true, &options, &err);
	assert_non_null(head);
	assert_true(trace_is_head(head));
	trace_wait(head);
	rest = trace_open_rest(head, &err);
	trace_close(head);
	assert_non_null(rest);
	trace_wait(rest);
	assert_false(trace_is_head(rest));
	assert_int_equal(trace_nr_streams(rest), 4);	/* three of the text, one of irqsoff */
	assert_int_equal(trace_stream_info(rest, 3).events, 26);	/* as its header says */
	trace_close(rest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_directory),
		cmocka_unit_test(test_closed_early),
		cmocka_unit_test(test_beside_latency_text),
	};

	return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
