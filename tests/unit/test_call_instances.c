/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The longest calls of a function are those that a window of the whole trace has, sorted as one
 * would by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/functions/call_instances.h"
#include "src/calls/call_window.h"
#include "src/functions/function_table.h"
#include "tests/lib/open_recorded.h"

static const struct call_instance *wait_for(struct call_instances *instances, uint32_t *nr)
{
	while (call_instances_permille(instances) < 1000)
		;
	return call_instances_list(instances, nr);
}

/* Those of a function in a window of everything, the longest picked one after the other. */
static int64_t of(const struct call *call, enum call_order order)
{
	return order == CALLS_LONGEST   ? (int64_t)call_duration(call) :
	       order == CALLS_MOST_SELF ? (int64_t)call->self :
	       order == CALLS_MOST_NET  ? (int64_t)call->net :
					  -(int64_t)call->start;
}

static void compare(const struct call_tree *tree, uint64_t function, enum call_order order,
		    const struct call_instance *list, uint32_t nr, uint64_t calls)
{
	uint32_t limit = call_tree_limit(tree);
	bool *taken = calloc(limit, sizeof(*taken));
	uint64_t found = 0;

	for (uint32_t i = 1; i < limit; i++)
		found += call_is_timed(call_tree_call(tree, i)) &&
			 call_tree_function(tree, call_tree_call(tree, i)->func) == function;
	assert_int_equal(calls, found);
	for (uint32_t place = 0; place < nr; place++) {
		uint32_t best = 0;

		for (uint32_t i = 1; i < limit; i++) {
			const struct call *call = call_tree_call(tree, i),
					  *than = call_tree_call(tree, best);

			if (taken[i] || !call_is_timed(call) ||
			    call_tree_function(tree, call->func) != function)
				continue;
			if (!best || of(call, order) > of(than, order) ||
			    (of(call, order) == of(than, order) && call->exit < than->exit))
				best = i;
		}
		assert_int_not_equal(best, 0);
		taken[best] = true;
		assert_int_equal(list[place].exit, call_tree_call(tree, best)->exit);
		assert_int_equal(list[place].duration, call_duration(call_tree_call(tree, best)));
		assert_int_equal(list[place].self, call_tree_call(tree, best)->self);
		assert_int_equal(list[place].net, call_tree_call(tree, best)->net);
	}
	free(taken);
}

static void check(const char *name, enum call_order order, uint32_t max)
{
	struct trace *trace = open_data(name, 2);
	struct graph_types *types = graph_types_new(trace, 0);
	struct call_window_options options = { .trace = trace, .types = types };
	struct call_window *window = call_window_new(&options);
	struct function_table *table = function_table_new(trace, 0, NULL, false, NULL);

	call_window_seek(window, 0);
	while (call_window_work(window, 1000000000))
		;
	for (unsigned int i = 0; i < table->nr; i++) {
		uint64_t function = table->rows[i].total->address;
		struct call_instances *instances = call_instances_new(trace, 0, NULL, function,
								      order, max,
								      trace_workers(trace));
		uint32_t nr;
		const struct call_instance *list = wait_for(instances, &nr);

		assert_int_equal(call_instances_calls(instances), table->rows[i].total->calls);
		assert_int_equal(nr, table->rows[i].total->calls < max ?
					     table->rows[i].total->calls :
					     max);
		if (nr && order == CALLS_LONGEST)
			assert_int_equal(list[0].duration, table->rows[i].total->max);
		if (nr && order == CALLS_MOST_NET)
			assert_int_equal(list[0].net, table->rows[i].total->most_net.ns);
		if (nr && order == CALLS_MOST_SELF)
			assert_int_equal(list[0].self, table->rows[i].total->most_self.ns);
		compare(call_window_tree(window), function, order, list, nr,
			call_instances_calls(instances));
		call_instances_free(instances);
		i += i / 4;	/* a sample of those further down */
	}
	function_table_free(table);
	call_window_free(window);
	graph_types_free(types);
	trace_close(trace);
}

static void longest(void **state)
{
	(void)state;
	check("cpu4", CALLS_LONGEST, 10);
	check("cpu4", CALLS_MOST_NET, 10);
	check("cpu4", CALLS_MOST_SELF, 1000);
	check("cpu4", CALLS_FIRST, 5);
	check("fgraph-7.2", CALLS_LONGEST, 3);
}

static void scope(void **state)
{
	struct trace *trace = open_data("cpu4", 2);
	struct graph_scope scope = { .has_from = true, .has_to = true };
	struct function_table *table;
	struct call_instances *instances;
	const struct call_instance *list;
	uint32_t nr;

	(void)state;
	assert_true(trace_span(trace, &scope.from, &scope.to));
	scope.from += (scope.to - scope.from) / 2;
	table = function_table_new(trace, 0, &scope, false, NULL);
	instances = call_instances_new(trace, 0, &scope, table->rows[0].total->address,
				       CALLS_LONGEST, 5, trace_workers(trace));
	list = wait_for(instances, &nr);
	assert_int_equal(list[0].duration, table->rows[0].total->max);
	assert_int_equal(call_instances_calls(instances), table->rows[0].total->calls);
	call_instances_free(instances);
	function_table_free(table);
	/* Given up at once. */
	call_instances_free(
		call_instances_new(trace, 0, NULL, 1, CALLS_FIRST, 5, trace_workers(trace)));
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(longest), cmocka_unit_test(scope) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
