/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_MODEL_CHECKS_H
#define FTOP_TESTS_MODEL_CHECKS_H
/*
 * model_checks - opens made-up traces and compares every answer of the model with
 * that of a list of all rows.  For cmocka tests; include its headers before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "parsers/source/source.h"
#include "src/commands/derived_names.h"
#include "tests/lib/row_oracle.h"

static char dir[64];

static inline const char *trace_path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

struct subject {			/* a trace on disk, open, and what must be in it */
	struct gen_trace *gen;
	struct oracle	 oracle;
	struct trace	*trace;
	struct gen_random random;
	bool		 approximate;	/* the clock goes back: without the
					   directory the order may differ */
};

static inline void write_trace(const char *path, const struct gen_trace *gen, int version,
			       enum trace_compression compression)
{
	struct gen_file file = { .version = version, .compression = compression };
	struct ft_error err = { 0 };

	if (gen_write(path, &file, &gen, NULL, 1, &err))
		fail_msg("cannot write %s: %s", path, err.message);
}

static inline struct trace *open_path(const char *path, unsigned int workers, int hold)
{
	struct trace_options options = { .nr_workers = workers,
					 .filter_names = derived_names,
					 .hold_permille = hold };
	struct ft_error err = { 0 };
	struct trace *trace = trace_open(&path, 1, true, &options, &err);

	if (!trace)
		fail_msg("%s", err.message);
	return trace;
}

static inline void subject_open(struct subject *s, const struct gen_options *options, int version,
				enum trace_compression compression, unsigned int workers, int hold)
{
	const char *path = trace_path_of("t.dat");
	const struct gen_trace *gen;

	s->gen = gen_trace_new(options);
	gen = s->gen;
	write_trace(path, s->gen, version, compression);
	s->trace = open_path(path, workers, hold);
	oracle_init(&s->oracle, &gen, 1, s->trace);
	s->approximate = options->features & (GEN_BACKWARD_PAGES | GEN_BACKWARD_RECORDS) &&
			 hold >= 0;
	gen_random_init(&s->random, options->seed);
	trace_wait(s->trace);
}

static inline void subject_close(struct subject *s)
{
	trace_close(s->trace);
	free(s->oracle.rows);
	gen_trace_free(s->gen);
}

/* A row is the one it should be, in all that is told of it. */
static inline void assert_row(const struct subject *s, const struct trace_event *event, size_t nr)
{
	const struct oracle_row *row = &s->oracle.rows[nr];

	if (event->ref != oracle_ref(row))
		fail_msg("row %zu of %zu: stream %u page %lu item %u instead of %u %lu %u", nr,
			 s->oracle.nr, trace_ref_stream(event->ref),
			 (unsigned long)trace_ref_page(event->ref), trace_ref_item(event->ref),
			 row->stream, (unsigned long)row->page, row->item);
	assert_int_equal(event->kind, row->kind);
	assert_int_equal(event->raw_ts, row->ts);
	assert_int_equal(event->ts, row->ts);
	assert_int_equal(event->key, row->key);
	assert_int_equal(event->stream, row->stream);
	if (row->kind == TRACE_ROW_LOST) {
		assert_int_equal(event->lost_known, row->info->lost == GEN_LOST_COUNTED);
		assert_int_equal(event->lost_count,
				 row->info->lost == GEN_LOST_COUNTED ? row->info->lost_count : 0);
		return;
	}
	assert_int_equal(event->size, row->event->size);
	assert_memory_equal(event->data, row->event->payload, event->size);
	assert_int_equal(event->type_id, row->event->type);
	assert_int_equal(event->pid, row->event->pid);
	assert_int_equal(event->type != NULL, row->event->type <= GEN_TYPE_BARE);
}

static inline void check_forward(struct subject *s)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;
	size_t nr = 0;

	trace_cursor_seek(cursor, trace_first(s->trace));
	for (; trace_cursor_next(cursor, &event); nr++) {
		assert_true(nr < s->oracle.nr);
		assert_row(s, &event, nr);
	}
	assert_int_equal(nr, s->oracle.nr);
	assert_false(trace_cursor_next(cursor, &event));
	/* At the end there is a way back. */
	if (nr && !s->approximate) {
		assert_true(trace_cursor_prev(cursor, &event));
		assert_row(s, &event, nr - 1);
	}
	trace_cursor_free(cursor);
}

static inline void check_backward(struct subject *s)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;
	size_t nr = s->oracle.nr;

	trace_cursor_seek(cursor, TRACE_REF_NONE);
	while (trace_cursor_prev(cursor, &event)) {
		assert_true(nr > 0);
		nr--;
		if (!s->approximate)
			assert_row(s, &event, nr);
	}
	assert_int_equal(nr, 0);
	trace_cursor_free(cursor);
}

/* Jump somewhere, then some steps to and fro, at every one the right row. */
static inline void check_walks(struct subject *s, unsigned int rounds)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;

	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		size_t at = gen_random_below(&s->random, s->oracle.nr);

		trace_cursor_seek(cursor, oracle_ref(&s->oracle.rows[at]));
		for (unsigned int k = 0; k < 40; k++) {
			bool forward = gen_random_one_in(&s->random, k < 20 ? 2 : 8);

			if (forward) {
				assert_int_equal(trace_cursor_next(cursor, &event),
						 at < s->oracle.nr);
				if (at < s->oracle.nr)
					assert_row(s, &event, at++);
			} else {
				assert_int_equal(trace_cursor_prev(cursor, &event), at > 0);
				if (at > 0)
					assert_row(s, &event, --at);
			}
		}
		assert_true(trace_event_at(s->trace, oracle_ref(&s->oracle.rows[at ? at - 1 : 0]),
					   &event));
		assert_row(s, &event, at ? at - 1 : 0);
	}
	trace_cursor_free(cursor);
}

static inline void check_rank_and_select(struct subject *s, unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		size_t at = i == 0 ? 0 :
			    i == 1 ? s->oracle.nr - 1 :
				     gen_random_below(&s->random, s->oracle.nr);
		size_t other = gen_random_below(&s->random, s->oracle.nr);
		trace_ref ref = oracle_ref(&s->oracle.rows[at]);
		bool exact = false;

		assert_int_equal(trace_rank(s->trace, ref, &exact), at);
		assert_true(exact);
		assert_int_equal(trace_select(s->trace, at), ref);
		assert_int_equal(trace_compare(s->trace, ref, oracle_ref(&s->oracle.rows[other])),
				 at < other ? -1 : at > other);
	}
	assert_int_equal(trace_select(s->trace, s->oracle.nr), trace_last(s->trace));
	assert_int_equal(trace_select(s->trace, UINT64_MAX), trace_last(s->trace));
}

static inline void check_events_by_number(struct subject *s, unsigned int rounds)
{
	uint32_t *rows = mem_array(s->oracle.nr_events + 1, sizeof(*rows));
	size_t nr = 0;

	for (size_t i = 0; i < s->oracle.nr; i++)
		if (s->oracle.rows[i].kind == TRACE_ROW_EVENT)
			rows[nr++] = i;
	for (unsigned int i = 0; i < rounds && nr; i++) {
		size_t at = i == 0 ? 0 : i == 1 ? nr - 1 : gen_random_below(&s->random, nr);
		bool exact;

		assert_int_equal(trace_select_event(s->trace, at),
				 oracle_ref(&s->oracle.rows[rows[at]]));
		assert_int_equal(trace_rank_events(s->trace, oracle_ref(&s->oracle.rows[rows[at]]),
						   &exact),
				 at);
		assert_true(exact);
	}
	free(rows);
}

/* First row with a key >= ts, of a CPU or of all; by looking at all of them. */
static inline trace_ref naive_seek(const struct subject *s, uint64_t ts, int cpu,
				   const struct trace *trace)
{
	for (size_t i = 0; i < s->oracle.nr; i++) {
		const struct oracle_row *row = &s->oracle.rows[i];

		if (row->key >= ts && (cpu < 0 || trace_stream_info(trace, row->stream).cpu == cpu))
			return oracle_ref(row);
	}
	return TRACE_REF_NONE;
}

static inline void check_seek_time(struct subject *s, unsigned int rounds)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;

	for (unsigned int i = 0; i < rounds && s->oracle.nr; i++) {
		const struct oracle_row *row =
			&s->oracle.rows[gen_random_below(&s->random, s->oracle.nr)];
		uint64_t ts = row->key + gen_random_below(&s->random, 3) - 1;
		trace_ref all = naive_seek(s, ts, -1, s->trace);
		int cpu = trace_stream_info(s->trace, row->stream).cpu;

		assert_int_equal(trace_seek_time(s->trace, (int64_t)ts, -1), all);
		assert_int_equal(trace_seek_time(s->trace, (int64_t)ts, cpu),
				 naive_seek(s, ts, cpu, s->trace));
		trace_cursor_seek_time(cursor, (int64_t)ts);
		assert_int_equal(trace_cursor_next(cursor, &event), all != TRACE_REF_NONE);
		if (all != TRACE_REF_NONE)
			assert_int_equal(event.ref, all);
	}
	assert_int_equal(trace_seek_time(s->trace, INT64_MIN, -1), trace_first(s->trace));
	assert_int_equal(trace_seek_time(s->trace, INT64_MAX, -1), TRACE_REF_NONE);
	trace_cursor_free(cursor);
}

static inline void check_totals(struct subject *s)
{
	struct trace_status status = trace_status(s->trace);
	struct trace_type_count *counts;
	uint64_t lost = 0, unknown = 0, by_type[65536] = { 0 };
	unsigned int nr = trace_type_counts(s->trace, &counts);

	for (size_t i = 0; i < s->oracle.nr; i++) {
		const struct oracle_row *row = &s->oracle.rows[i];

		if (row->kind == TRACE_ROW_EVENT)
			by_type[row->event->type]++;
		else if (row->info->lost == GEN_LOST_COUNTED)
			lost += row->info->lost_count;
		else
			unknown++;
	}
	assert_true(status.complete);
	assert_int_equal(status.permille, 1000);
	assert_int_equal(status.events, s->oracle.nr_events);
	assert_int_equal(status.rows, s->oracle.nr);
	assert_int_equal(status.lost_events, lost);
	assert_int_equal(status.lost_unknown, unknown);
	assert_int_equal(status.damaged_pages, 0);
	for (unsigned int i = 0; i < nr; i++) {
		assert_int_equal(counts[i].events, by_type[counts[i].id]);
		by_type[counts[i].id] = 0;
	}
	for (int i = 0; i < 65536; i++)
		assert_int_equal(by_type[i], 0);
	free(counts);
}

static inline void check_all(struct subject *s, unsigned int rounds)
{
	check_forward(s);
	check_backward(s);
	check_walks(s, rounds);
	check_rank_and_select(s, rounds);
	check_events_by_number(s, rounds);
	check_seek_time(s, rounds);
	check_totals(s);
}

static inline int make_dir(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/ftop-trace-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static inline int remove_dir(void **state)
{
	(void)state;
	unlink(trace_path_of("t.dat"));
	unlink(trace_path_of("u.dat"));
	return rmdir(dir);
}

#endif
