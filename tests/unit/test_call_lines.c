/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of latency text with display-graph, beside a plain reading of its lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/base/text.h"
#include "src/calls/call_tree.h"
#include "src/trace/trace_streams.h"
#include "tests/lib/recorded.h"

#define MOST	1000u

struct plain {				/* a call, by its lines */
	char	name[80];
	int	depth;
	double	us;			/* its duration; -1: it does not end */
};

/* The calls in the order of their ends; returns their number. */
static unsigned int read_plainly(const char *text, struct plain *calls, unsigned int *unclosed)
{
	static char open[64][80];
	unsigned int nr = 0;
	int last = -1;

	*unclosed = 0;
	for (const char *s = text; s; s = strchr(s, '\n')) {
		const char *bar = s + (*s == '\n'), *what, *figure = NULL;
		bool is_graph = *bar == ' ' && bar[strspn(bar, " 0123456789")] == 'u';
		double us = -1;
		int depth;

		s = bar;
		if (!is_graph)
			continue;
		for (int i = 0; i < 4; i++) {
			figure = bar;
			bar = strchr(bar, '|') + 1;
		}
		sscanf(figure + strspn(figure, " +!#*@$"), "%lf us", &us);
		what = bar + strspn(bar, " ");
		depth = (int)(what - bar) / 2 - 1;
		if (*what == '/')
			continue;
		for (; last >= depth && *what != '}'; last--)
			*unclosed += open[last][0] != '\0';
		if (*what == '}') {
			strcpy(calls[nr].name, open[depth]);
			open[depth][0] = '\0';
			last = depth - 1;
		} else {
			snprintf(calls[nr].name, sizeof(calls[nr].name), "%.*s",
				 (int)strcspn(what, "("), what);
		}
		if (what[strcspn(what, "{\n")] == '{') {
			strcpy(open[depth], calls[nr].name);
			last = depth;
			continue;
		}
		calls[nr].depth = depth;
		calls[nr++].us = us;
		assert_true(nr < MOST);
	}
	return nr;
}

static struct trace *open_fixture(const char *name)
{
	struct trace_options options = { .hold_permille = -1 };
	char path[4096];
	const char *paths[] = { path };

	if (!recorded_path(name, "trace.dat", path, sizeof(path)))
		return NULL;
	return trace_open(paths, 1, false, &options, NULL);
}

static unsigned int read_records(struct trace *trace, int64_t from, struct graph_record *records)
{
	struct graph_types *types = graph_types_new(trace, 0);
	struct graph_reader_options options = { .events = false };
	struct graph_reader *reader;
	unsigned int nr = 0, got;

	assert_non_null(types);
	reader = graph_reader_new(trace, types, 0, 0, &options);
	graph_reader_seek(reader, from);
	while ((got = graph_reader_read(reader, records + nr, MOST - nr)))
		nr += got;
	graph_reader_free(reader);
	graph_types_free(types);
	return nr;
}

/* False: the trace is not there. */
static bool check(const char *name)
{
	static struct plain calls[MOST];
	static struct graph_record records[MOST], later[MOST];
	struct trace *trace = open_fixture(name);
	unsigned int nr, nr_records, unclosed, n = 0, half, buffer, tree_open = 0;
	struct call_tree_options options = { .local_clock = true };
	struct call_tree *tree = call_tree_new(&options);

	if (!trace) {
		call_tree_free(tree);
		print_message("skipped: there is no trace %s\n", name);
		return false;
	}
	assert_true(graph_has_calls(trace, 0, &buffer));
	nr = read_plainly(trace_stream_at(trace, 0)->text.text, calls, &unclosed);
	nr_records = read_records(trace, INT64_MIN, records);
	for (unsigned int i = 0; i < nr_records; i++) {
		const struct graph_record *r = &records[i];
		struct text function = { 0 };

		call_tree_add(tree, r);
		if (r->kind != GRAPH_EXIT)
			continue;
		trace_function_name(trace, 0, r->func, &function);
		assert_true(n < nr);
		assert_string_equal(text_str(&function), calls[n].name);
		assert_int_equal(r->depth, calls[n].depth);
		assert_int_equal(r->ret - r->call, (int64_t)(calls[n].us * 1000 + 0.5));
		n++;
		text_fini(&function);
	}
	assert_int_equal(n, nr);
	assert_true(nr > 20);
	/* The tree has the same calls; those without an end are open at the text's end. */
	call_tree_end(tree);
	for (uint32_t i = 1; i < call_tree_limit(tree); i++) {
		assert_int_not_equal(call_tree_call(tree, i)->kind, CALL_ORPHAN);
		tree_open += call_tree_call(tree, i)->kind == CALL_UNCLOSED;
	}
	assert_int_equal(tree_open, unclosed);
	assert_int_equal(call_tree_nr(tree), nr + unclosed);
	/* From the middle on the same records follow. */
	half = nr_records / 2;
	while (half && records[half].key == records[half - 1].key)
		half--;
	assert_int_equal(read_records(trace, records[half].key, later), nr_records - half);
	for (unsigned int i = half; i < nr_records; i++) {
		assert_int_equal(later[i - half].ref, records[i].ref);
		assert_int_equal(later[i - half].func, records[i].func);
		assert_int_equal(later[i - half].ts, records[i].ts);
	}
	call_tree_free(tree);
	trace_close(trace);
	return true;
}

static void test_calls_of_text(void **state)
{
	(void)state;
	assert_true(check("irqsoff-graph"));
	if (!check("wakeup-rt-graph"))
		skip();
}

/* Without display-graph the lines are no calls. */
static void test_other_text_has_no_calls(void **state)
{
	struct trace *trace = open_fixture("irqsoff");
	unsigned int buffer;

	(void)state;
	assert_non_null(trace);
	assert_false(graph_has_calls(trace, 0, &buffer));
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_of_text),
		cmocka_unit_test(test_other_text_has_no_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
