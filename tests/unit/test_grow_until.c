/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `record --until` judges while a trace grows (tests/lib/growing.h) is what the whole trace
 * has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/base/memory.h"
#include "src/latency/latency.h"
#include "src/latency/latency_kinds.h"
#include "src/until/until.h"
#include "tests/lib/growing.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/open_recorded.h"

#define HITS_OF_KIND	12u
#define SWITCHES	"sched_switch && prev_pid != 0"
#define DRAWN		5u		/* filters of a trace */

static struct {
	uint64_t	hits, open_hits, doubtful;
	unsigned int	drawn, refused, came_true; /* filters */
} compared;

struct reader {				/* who has the recording open */
	struct until	*until;		/* of some kinds a condition; NULL: none can be judged */
	unsigned int	 nr_conditions;
	unsigned int	 rows, drawn;	/* the condition SWITCHES, and the first drawn one */
	unsigned int	 looks;
	struct latency_result latencies;	/* of the whole trace */
};

static struct until_recorded recorded_in(struct trace *trace)
{
	const char *path = trace_path(trace, 0);

	return (struct until_recorded){
		.calls = true,
		.functions = true,
		.blk = true,
		.stacks = true,
		/* trace-cmd record -P, and -F */
		.partly = strstr(path, "/pid/") || strstr(path, "/filter-cmd/"),
	};
}

/* --- drawn filters ---------------------------------------------------------------------------- */

/* An event of the trace: filters that are drawn from what it is come true. */
static bool draw_event(struct growing *g, struct trace_event *event)
{
	const struct growing_row *row = &g->all[gen_random_u64(&g->random) % g->nr_all];

	return trace_event_at(g->whole, row->ref, event) && trace_is_event(event);
}

static void draw_term(struct growing *g, const struct trace_event *event, struct text *out)
{
	static const char *const states[] = { "preempted", "sleeping", "blocked", "running" };
	static const char *const compares[] = { ">", "<", ">=", "<=" };
	static const char *const times[] = { "wait", "ran", "wakelat", "duration", "self" };
	static const char *const plain[] = { "irq", "softirq", "irqs_off", "preempt_count > 0",
					     "not irq", "prio < 120", "stack contains sched",
					     "under vfs_read", "throttled > 1us" };
	const char *comm = trace_comm(g->whole, event->file, event->pid, event->ts);

	switch (gen_random_below(&g->random, 8)) {
	case 0:
	case 1:
	case 2:
		text_printf(out, "%s %s %uus", times[gen_random_below(&g->random, 5)],
			    compares[gen_random_below(&g->random, 4)],
			    1u << gen_random_below(&g->random, 14));
		break;
	case 3:
		text_printf(out, "state == %s", states[gen_random_below(&g->random, 4)]);
		break;
	case 4:
		text_add(out, plain[gen_random_below(&g->random, 9)]);
		break;
	case 5:
		text_printf(out, "pid %s %d",
			    gen_random_one_in(&g->random, 2) ? "==" : "!=", event->pid);
		break;
	case 6:
		text_printf(out, "cpu == %u", event->cpu);
		break;
	default:
		text_printf(out, "comm == \"%s\"",
			    strcspn(comm, "\"\\") == strlen(comm) ? comm : "sh");
	}
}

static bool draw_filter(struct growing *g, struct text *out)
{
	unsigned int terms = 1 + gen_random_below(&g->random, 3);
	struct trace_event event;

	text_clear(out);
	if (!g->nr_all || !draw_event(g, &event))
		return false;
	if (gen_random_one_in(&g->random, 2))
		text_printf(out, "%s && (", trace_event_name(&event));
	else
		text_add(out, "(");
	for (unsigned int i = 0; i < terms; i++) {
		if (i)
			text_add(out, gen_random_one_in(&g->random, 3) ? " || " : " && ");
		text_add(out, gen_random_one_in(&g->random, 6) ? "!" : "");
		draw_term(g, &event, out);
	}
	text_add(out, ")");
	return true;
}

/* Alone, so that one that is refused does not take the others with it. */
static bool is_refused(struct trace *trace, const struct until_recorded *recorded, const char *text)
{
	struct until *until = until_new();
	struct ft_error err = { 0 };
	bool refused = until_add(until, text, &err) ||
		       until_bind(until, trace, NULL, recorded, &err);

	assert_true(!refused || err.message[0]);
	until_free(until);
	return refused;
}

static void add_drawn(struct growing *g, struct trace *trace, struct reader *reader)
{
	const struct until_recorded recorded = recorded_in(g->whole);
	struct ft_error err = { 0 };
	struct text text = { 0 };

	for (unsigned int i = 0; i < DRAWN; i++) {
		if (!draw_filter(g, &text))
			continue;
		compared.drawn++;
		if (is_refused(trace, &recorded, text_str(&text))) {
			compared.refused++;
			continue;
		}
		assert_int_equal(until_add(reader->until, text_str(&text), &err), 0);
		reader->nr_conditions++;
	}
	text_fini(&text);
}

/* --- judging ---------------------------------------------------------------------------------- */

/* A limit that the longest instances of each kind exceed, and filters. */
static void *begin_until(struct growing *g, struct trace *trace)
{
	const struct until_recorded recorded = recorded_in(g->whole);
	struct latency_options options = { .only = -1, .keep = LATENCY_KEEP };
	struct reader *reader = mem_alloc(sizeof(*reader));
	struct latency_kinds kinds;
	struct ft_error err = { 0 };
	char condition[128];

	latency_kinds_init(&kinds);
	options.kinds = &kinds;
	latency_free(latency_run(g->whole, &options, &reader->latencies, &err));
	reader->until = until_new();
	for (unsigned int i = 0; i < kinds.nr; i++) {
		const struct latency_kept *worst = &reader->latencies.kinds[i].worst;
		uint32_t nr = worst->nr < HITS_OF_KIND ? worst->nr : HITS_OF_KIND;
		uint64_t limit = nr ? latency_duration(&worst->list[nr - 1]) : 0;

		if (limit < 2)
			continue;
		snprintf(condition, sizeof(condition), "%s > %luns", kinds.names[i],
			 (unsigned long)limit - 1);
		assert_int_equal(until_add(reader->until, condition, &err), 0);
		reader->nr_conditions++;
	}
	reader->rows = reader->nr_conditions;
	if (event_types_by_name(trace_event_types(g->whole, 0), "sched", "sched_switch")) {
		assert_int_equal(until_add(reader->until, SWITCHES, &err), 0);
		reader->nr_conditions++;
	}
	reader->drawn = reader->nr_conditions;
	add_drawn(g, trace, reader);
	if (trace_unit(g->whole) != TRACE_UNIT_NS ||
	    until_bind(reader->until, trace, NULL, &recorded, &err)) {
		if (trace_unit(g->whole) == TRACE_UNIT_NS)
			fail_msg("%s: %s", trace_path(g->whole, 0), err.message);
		until_free(reader->until);
		reader->until = NULL;
	}
	latency_kinds_fini(&kinds);
	return reader;
}

static void look(const struct reader *reader, struct trace *trace, bool all)
{
	struct ft_error err = { 0 };

	if (reader->until && until_judge(reader->until, trace, UINT32_MAX, all, &err))
		fail_msg("%s", err.message);
}

static void judge(void *arg, struct growing *g, struct trace *trace)
{
	struct reader *reader = arg;

	(void)g;
	look(reader, trace, ++reader->looks % 4 == 0);
}

static bool is_hit(const struct latency_instance *i, const struct until_hit *hit)
{
	/* a call by nosleep-time begins at its entry, unless what comes later makes it doubtful */
	bool begins = i->start == hit->from || (i->flags & LATENCY_DOUBTFUL &&
						i->flags & LATENCY_EXACT && hit->from < i->start);

	return i->from == hit->ref && i->pid == hit->pid &&
	       (hit->open || (begins && i->end == hit->to));
}

/* How many hits of the condition are this instance? */
static unsigned int times_hit(const struct until *until, unsigned int condition,
			      const struct latency_instance *i)
{
	unsigned int nr, found = 0;
	const struct until_hit *hits = until_hits(until, &nr);

	for (unsigned int k = 0; k < nr; k++)
		found += hits[k].condition == condition && is_hit(i, &hits[k]);
	return found;
}

/*
 * The hit is one that the whole trace has: also one that missing records made doubtful later, or
 * one that is open there, too.
 */
static bool is_in(const struct latency_kind *kind, const struct until_hit *hit)
{
	bool found = false;

	for (uint32_t i = 0; i < kind->worst.nr; i++)
		found |= is_hit(&kind->worst.list[i], hit);
	for (uint32_t i = 0; i < kind->opens.nr && hit->open; i++)
		found |= is_hit(&kind->opens.list[i], hit);
	return found;
}

static void same_hits_of_kind(struct growing *g, const struct reader *reader,
			      unsigned int condition, const struct latency_kind *kind,
			      uint64_t limit)
{
	struct trace_status whole = trace_status(g->whole);
	bool has_gaps = whole.lost_events || whole.lost_unknown;
	unsigned int nr;
	const struct until_hit *hits = until_hits(reader->until, &nr);

	for (uint32_t i = 0; i < kind->worst.nr; i++) {
		const struct latency_instance *one = &kind->worst.list[i];

		if (latency_duration(one) > limit && latency_counts(one))
			if (times_hit(reader->until, condition, one) != 1)
				fail_msg("%s: %s: from %ld is %u hits", trace_path(g->whole, 0),
					 until_text(reader->until, condition), (long)one->start,
					 times_hit(reader->until, condition, one));
	}
	for (unsigned int i = 0; i < nr; i++) {
		if (hits[i].condition != condition)
			continue;
		assert_true(latency_between(hits[i].from, hits[i].to) > limit);
		/* missing records that come to light later may have held its end */
		if (!is_in(kind, &hits[i]) && !(hits[i].open && has_gaps))
			fail_msg("%s: %s: %s, from %ld, is no hit of the whole",
				 trace_path(g->whole, 0), until_text(reader->until, condition),
				 hits[i].words, (long)hits[i].from);
		compared.hits++;
		compared.open_hits += hits[i].open;
	}
}

/* What of the whole is over the limit, and doubtful, is told: so many, and the longest. */
static void same_doubts(const struct reader *reader, unsigned int condition,
			const struct latency_kind *kind, uint64_t limit)
{
	const struct latency_kept *const lists[] = { &kind->worst, &kind->opens };
	struct text told = { 0 }, expected = { 0 }, cell = { 0 };
	uint64_t nr = 0, most = 0;

	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < lists[k]->nr; i++) {
			const struct latency_instance *one = &lists[k]->list[i];

			if (!(one->flags & LATENCY_DOUBTFUL) || one->flags & LATENCY_EXACT ||
			    latency_duration(one) <= limit)
				continue;
			nr++;
			most = latency_duration(one) > most ? latency_duration(one) : most;
		}
	until_doubts(reader->until, &told);
	text_printf(&expected, "%s: ", until_text(reader->until, condition));
	if (nr) {
		text_printf(&expected, "%lu in doubt, the longest: ", (unsigned long)nr);
		text_printf(&expected, "%.*s of ", (int)strcspn(text_str(&expected), " "),
			    text_str(&expected));
		text_duration(&cell, most);
		text_trimmed(&expected, &cell);
	}
	if (!strstr(text_str(&told), text_str(&expected)) != !nr)
		fail_msg("'%s' is not in '%s'", text_str(&expected), text_str(&told));
	compared.doubtful += nr;
	text_fini(&told);
	text_fini(&expected);
	text_fini(&cell);
}

/* Each row of the whole that the filter keeps is a hit, and the others were not in doubt then. */
static void same_hits_of_filter(struct growing *g, const struct reader *reader,
				unsigned int condition)
{
	const char *text = until_text(reader->until, condition);
	struct trace_status whole = trace_status(g->whole);
	struct trace_cursor *cursor = trace_cursor_new(g->whole);
	struct filter *filter = new_ready_filter(g->whole, text);
	struct filter_run *run = filter_run_new(filter);
	struct trace_event event;
	unsigned int nr, matches = 0, of_it = 0;
	const struct until_hit *hits = until_hits(reader->until, &nr);

	for (unsigned int i = 0; i < nr; i++)
		of_it += hits[i].condition == condition;
	trace_cursor_seek_time(cursor, INT64_MIN);
	while (trace_cursor_next(cursor, &event)) {
		unsigned int found = 0;

		if (!filter_run_event(run, &event))
			continue;
		for (unsigned int i = 0; i < nr; i++)
			found += hits[i].condition == condition && hits[i].ref == event.ref;
		if (found != 1)
			fail_msg("%s: %s: the row at %ld is %u hits", trace_path(g->whole, 0), text,
				 (long)event.ts, found);
		matches++;
	}
	if (!whole.lost_events && !whole.lost_unknown && of_it != matches)
		fail_msg("%s: %s: %u hits of %u rows", trace_path(g->whole, 0), text, of_it,
			 matches);
	compared.came_true += matches > 0;
	filter_run_free(run);
	filter_free(filter);
	trace_cursor_free(cursor);
}

/* Each row of the whole that the filter keeps is a hit, in their order. */
static void same_hits_of_rows(struct growing *g, const struct reader *reader,
			      unsigned int condition)
{
	struct trace_cursor *cursor = trace_cursor_new(g->whole);
	struct filter *filter = new_ready_filter(g->whole, SWITCHES);
	struct filter_run *run = filter_run_new(filter);
	struct trace_event event;
	unsigned int nr, at = 0;
	const struct until_hit *hits = until_hits(reader->until, &nr);

	trace_cursor_seek_time(cursor, INT64_MIN);
	while (trace_cursor_next(cursor, &event)) {
		if (!filter_run_event(run, &event))
			continue;
		while (at < nr && hits[at].condition != condition)
			at++;
		assert_true(at < nr && hits[at].ref == event.ref);
		at++;
		compared.hits++;
	}
	for (; at < nr; at++)
		assert_true(hits[at].condition != condition);
	filter_run_free(run);
	filter_free(filter);
	trace_cursor_free(cursor);
}

static void same_hits(struct growing *g, struct reader *reader)
{
	unsigned int nr = reader->until ? reader->nr_conditions : 0;
	struct latency_kinds kinds;
	struct ft_error err;

	latency_kinds_init(&kinds);
	for (unsigned int i = 0; i < nr; i++) {
		const char *text = until_text(reader->until, i), *at = strstr(text, " > ");
		const struct latency_kind *kind;
		char *name;

		if (i >= reader->drawn) {
			same_hits_of_filter(g, reader, i);
			continue;
		}
		if (i >= reader->rows) {
			same_hits_of_rows(g, reader, i);
			continue;
		}
		name = mem_strndup(text, (size_t)(at - text));
		kind = &reader->latencies.kinds[latency_kinds_find(&kinds, name, &err)];
		same_hits_of_kind(g, reader, i, kind, strtoul(at + 3, NULL, 10));
		same_doubts(reader, i, kind, strtoul(at + 3, NULL, 10));
		free(name);
	}
	latency_kinds_fini(&kinds);
}

static void judge_whole(void *arg, struct growing *g, struct trace *trace)
{
	(void)g;
	look(arg, trace, true);
	same_hits(g, arg);
}

static void end_until(void *arg, struct growing *g)
{
	struct reader *reader = arg;

	(void)g;
	until_free(reader->until);
	latency_result_fini(&reader->latencies);
	free(reader);
}

static void check(const struct growing_case *c)
{
	static const struct growing_checks checks = { begin_until, judge, judge_whole, end_until };

	if (c->is_sane)
		growing_check(c, false, &checks);
}

static void test_recorded_traces(void **state)
{
	(void)state;
	growing_each_recorded(check);
	print_message("# %u drawn filters, %u refused, %u came true\n", compared.drawn,
		      compared.refused, compared.came_true);
	assert_true(compared.hits > 1000 && compared.open_hits > 10 && compared.doubtful > 100);
	assert_true(compared.drawn >= 300 && compared.came_true > 100);
}

static void test_made_up_traces(void **state)
{
	(void)state;
	growing_each_made_up(check);
}

/* Where it is true is told some seconds later: what is dropped before that is never a hit. */
static void test_keeps_long_enough(void **state)
{
	static const struct {
		const char *text;
		uint64_t   keep_ns;
		bool	   refused;
	} cases[] = {
		{ "wait > 1ms", 4999999999, true },
		{ "wakeup > 1ms && wait > 1ms", 2000000000, true },
		{ "wait > 1ms", 5000000000, false },
		{ "wait > 1ms", 0, false },
		{ "sched_switch && prev_prio == 120", 2000000000, false },
	};
	struct trace *trace = open_data("sched", 2);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct until_recorded recorded = { .keep_ns = cases[i].keep_ns };
		struct until *until = until_new();
		struct ft_error err = { 0 };

		assert_int_equal(until_add(until, cases[i].text, &err), 0);
		assert_int_equal(until_bind(until, trace, NULL, &recorded, &err),
				 cases[i].refused ? -1 : 0);
		assert_true(!cases[i].refused || strstr(err.message, "must be at least 5 s"));
		until_free(until);
	}
	trace_close(trace);
}

/* What a filter asks of events that are not recorded never comes. */
static void test_needs_are_recorded(void **state)
{
	static const struct {
		const char *text, *lacks;
		struct until_recorded recorded;
	} cases[] = {
		{ "under vfs_read", "calls (function_graph)", { .functions = true } },
		{ "sched_switch && under vfs_read", "calls", { .stacks = true } },
		{ "self > 1ms", "calls", { 0 } },
		{ "stack contains vfs_read", "stacks: record -T", { .calls = true } },
		{ "wakeup > 1ms && stack contains vfs_read", "stacks", { 0 } },
		{ "under vfs_read", NULL, { .calls = true } },
		{ "stack contains vfs_read", NULL, { .stacks = true } },
		{ "under vfs_read || prev_pid == 7", NULL, { 0 } },
		{ "wait > 1ms", NULL, { 0 } },
	};
	struct trace *trace = open_data("sched", 2);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct until *until = until_new();
		struct ft_error err = { 0 };

		assert_int_equal(until_add(until, cases[i].text, &err), 0);
		assert_int_equal(until_bind(until, trace, NULL, &cases[i].recorded, &err),
				 cases[i].lacks ? -1 : 0);
		if (cases[i].lacks)
			assert_non_null(strstr(err.message, cases[i].lacks));
		until_free(until);
	}
	trace_close(trace);
}

/* With --split: one that is within the time of another one's file gets none of its own. */
static void test_hits_of_one_file(void **state)
{
	const int64_t cover = 10000000;
	struct trace *trace = open_data("sched", 2);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	const struct until_recorded recorded = { 0 };
	struct until *until = until_new();
	const struct until_hit *hits;
	struct ft_error err = { 0 };
	struct trace_event event;
	unsigned int nr, at = 0, more = 0;

	(void)state;
	assert_int_equal(until_add(until, "sched_switch", &err), 0);
	until_cover(until, cover);
	assert_int_equal(until_bind(until, trace, NULL, &recorded, &err), 0);
	assert_int_equal(until_judge(until, trace, UINT32_MAX, true, &err), 0);
	hits = until_hits(until, &nr);
	assert_true(nr > 3);
	trace_cursor_seek_time(cursor, INT64_MIN);
	while (trace_cursor_next(cursor, &event)) {
		if (!trace_is_event(&event) || strcmp(trace_event_name(&event), "sched_switch"))
			continue;
		if (at && event.ts - hits[at - 1].to <= cover) {
			more++;
			continue;
		}
		assert_true(!at || hits[at - 1].more == more);
		assert_true(at < nr && hits[at++].from == event.ts);
		more = 0;
	}
	assert_int_equal(at, nr);
	assert_int_equal(hits[nr - 1].more, more);
	trace_cursor_free(cursor);
	until_free(until);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps_long_enough),
		cmocka_unit_test(test_needs_are_recorded),
		cmocka_unit_test(test_hits_of_one_file),
		cmocka_unit_test(test_made_up_traces),
		cmocka_unit_test(test_recorded_traces),
	};

	return cmocka_run_group_tests(tests, growing_set_up, growing_tear_down);
}
