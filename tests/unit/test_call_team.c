/* SPDX-License-Identifier: GPL-2.0-or-later */
/* However many trees and threads share a trace, they see the calls that one tree sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/functions/call_team.h"
#include "tests/lib/open_recorded.h"

struct seen {
	uint64_t	 calls, duration, self, net, outer, leaves, others;
};

static struct trace *trace;
static struct graph_types *types;

static void leave(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct seen *seen = arg;

	if (!call_is_timed(call)) {
		seen->others++;
		return;
	}
	seen->calls++;
	seen->duration += figures->duration;
	seen->self += figures->self;
	seen->net += figures->net;
	seen->outer += figures->outer;
	seen->leaves += figures->leaf;
}

static void open_trace(const char *name)
{
	trace = open_data(name, 1);
	types = graph_types_new(trace, 0);
}

static void close_trace(void)
{
	graph_types_free(types);
	trace_close(trace);
}

static bool run(unsigned int nr, const struct call_team_watch *watch, struct seen *sum)
{
	struct graph_reader_options how = { .switches = true };
	struct graph_reader *reader = graph_reader_new(trace, types, 0, 0, &how);
	struct call_visitor visitors[CALL_TEAM_MAX];
	struct call_tree *trees[CALL_TEAM_MAX];
	struct seen seen[CALL_TEAM_MAX] = { { 0 } };
	bool whole;

	for (unsigned int i = 0; i < nr; i++) {
		struct call_tree_options options = { .local_clock = true, .visitor = &visitors[i] };

		visitors[i] = (struct call_visitor){ .leave = leave, .arg = &seen[i] };
		trees[i] = call_tree_new(&options);
	}
	whole = call_team_run(reader, trees, nr, watch);
	*sum = (struct seen){ 0 };
	for (unsigned int i = 0; i < nr; i++) {
		sum->calls += seen[i].calls;
		sum->duration += seen[i].duration;
		sum->self += seen[i].self;
		sum->net += seen[i].net;
		sum->outer += seen[i].outer;
		sum->leaves += seen[i].leaves;
		sum->others += seen[i].others;
		call_tree_free(trees[i]);
	}
	graph_reader_free(reader);
	return whole;
}

/* One tree, without a team. */
static struct seen alone(void)
{
	struct graph_reader_options how = { .switches = true };
	struct graph_reader *reader = graph_reader_new(trace, types, 0, 0, &how);
	struct seen seen = { 0 };
	struct call_visitor visitor = { .leave = leave, .arg = &seen };
	struct call_tree_options options = { .local_clock = true, .visitor = &visitor };
	struct call_tree *tree = call_tree_new(&options);
	struct graph_record record;

	while (graph_reader_read(reader, &record, 1))
		call_tree_add(tree, &record);
	call_tree_end(tree);
	call_tree_free(tree);
	graph_reader_free(reader);
	return seen;
}

static void all_sizes_see_the_same(void **state)
{
	static const char *const traces[] = { "cpu4", "fgraph-depth", "fgraph-7.2" };

	(void)state;
	for (size_t t = 0; t < sizeof(traces) / sizeof(traces[0]); t++) {
		struct seen expected, sum;

		open_trace(traces[t]);
		expected = alone();
		assert_true(expected.calls > 4000);
		for (unsigned int nr = 1; nr <= CALL_TEAM_MAX; nr = nr * 2 + (nr == 2)) {
			assert_true(run(nr, NULL, &sum));
			assert_memory_equal(&sum, &expected, sizeof(sum));
		}
		close_trace();
	}
}

struct patience {
	unsigned int	 asked, until;
	uint64_t	 bytes;
};

static bool go_on(void *arg, uint64_t bytes)
{
	struct patience *p = arg;

	assert_true(bytes >= p->bytes);
	p->bytes = bytes;
	return p->asked++ < p->until;
}

static void it_can_be_stopped(void **state)
{
	struct seen whole, part;
	struct patience p = { .until = 1000000 };
	struct call_team_watch watch = { .go_on = go_on, .arg = &p };

	(void)state;
	open_trace("cpu4");
	assert_true(run(3, &watch, &whole));
	assert_true(p.asked > 3 && p.bytes > 0);
	for (unsigned int until = 0; until < 4; until++) {
		p = (struct patience){ .until = until };
		assert_false(run(3, &watch, &part));
		assert_int_equal(p.asked, until + 1);
		assert_true(part.calls < whole.calls);
		assert_int_equal(part.calls > 0, until > 0);
	}
	close_trace();
}

static void teams_leave_a_cpu_for_who_reads(void **state)
{
	(void)state;
	assert_int_equal(call_team_size(1), 1);
	assert_int_equal(call_team_size(2), 1);
	assert_int_equal(call_team_size(5), 4);
	assert_int_equal(call_team_size(1000), CALL_TEAM_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sizes_see_the_same),
		cmocka_unit_test(it_can_be_stopped),
		cmocka_unit_test(teams_leave_a_cpu_for_who_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
