/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of calls: by hand, and of a recorded trace, where they add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "src/calls/call_compare.h"
#include "src/calls/call_window.h"
#include "tests/lib/open_recorded.h"

#define FUNC(letter) (0x1000u + 16u * (unsigned int)((letter) - 'a'))

struct maker {
	struct call_tree *tree;
	uint64_t	 now;
	int		 depth;
	trace_ref	 ref;
	struct { char func; uint64_t call; } open[8];
};

static void add(struct maker *m, enum graph_kind kind, char func, uint64_t call)
{
	struct graph_record record = { .kind = (uint8_t)kind, .func = FUNC(func), .depth = m->depth,
				       .pid = 7, .ts = m->now,
				       .key = (int64_t)m->now, .call = call, .ret = m->now,
				       .ref = ++m->ref };

	call_tree_add(m->tree, &record);
}

/*
 * "a(b c)": calls; '@' off the CPU for 100; '?' in place of ')': its end is lost.  Every sign takes
 * 10 ns.
 */
static struct call_tree *make(const char *s)
{
	struct call_tree_options options = { .local_clock = true };
	struct maker m = { .tree = call_tree_new(&options), .now = 1000 };

	for (; *s; s++) {
		m.now += 10;
		if (*s == '@') {
			add(&m, GRAPH_AWAY, 'a', 0);
			m.now += 100;
			add(&m, GRAPH_BACK, 'a', 0);
		} else if (*s == '?') {
			m.depth--;
		} else if (*s == ')') {
			m.depth--;
			add(&m, GRAPH_EXIT, m.open[m.depth].func, m.open[m.depth].call);
		} else if (*s >= 'a' && *s <= 'z') {
			add(&m, GRAPH_ENTRY, *s, 0);
			m.open[m.depth].func = *s;
			m.open[m.depth].call = m.now;
			if (s[1] == '(') {
				m.depth++;
				s++;
				continue;
			}
			m.now += 10;
			add(&m, GRAPH_EXIT, *s, m.open[m.depth].call);
		}
	}
	call_tree_end(m.tree);
	call_tree_figures(m.tree);
	return m.tree;
}

static const struct call_part *find(const struct call_part *parts, unsigned int nr,
				    enum call_part_kind kind, char func)
{
	for (unsigned int i = 0; i < nr; i++)
		if (parts[i].kind == kind &&
		    (kind != CALL_PART_CALLS || parts[i].func == FUNC(func)))
			return &parts[i];
	fail();
	return NULL;
}

static void check(const struct call_part *parts, unsigned int nr, enum call_part_kind kind,
		  char func, uint64_t ns0, uint64_t ns1, uint32_t nr0, uint32_t nr1)
{
	const struct call_part *part = find(parts, nr, kind, func);

	assert_int_equal(part->ns[0], ns0);
	assert_int_equal(part->ns[1], ns1);
	assert_int_equal(part->nr[0], nr0);
	assert_int_equal(part->nr[1], nr1);
}

static void children_stand_beside_each_other(void **state)
{
	struct call_tree *trees[2] = { make("a(b b @ c(d))"), make("a(b e(b) @ @)") };
	struct call_of_tree calls[2] = { { trees[0], 1 }, { trees[1], 1 } };
	struct call_part *parts;
	unsigned int nr = call_compare(calls, &parts);

	(void)state;
	assert_int_equal(nr, 5);
	check(parts, nr, CALL_PART_CALLS, 'b', 20, 10, 2, 1);
	check(parts, nr, CALL_PART_CALLS, 'c', 30, 0, 1, 0);
	check(parts, nr, CALL_PART_CALLS, 'e', 0, 30, 0, 1);
	check(parts, nr, CALL_PART_AWAY, 0, 100, 200, 1, 2);
	/* What differs most comes first. */
	assert_int_equal(parts[0].kind, CALL_PART_AWAY);
	assert_int_equal(find(parts, nr, CALL_PART_CALLS, 'c')->longest[1], CALL_NONE);
	assert_int_equal(call_tree_function(trees[0],
					    call_tree_call(trees[0],
							   find(parts, nr, CALL_PART_CALLS, 'c')
								   ->longest[0])
						    ->func),
			 FUNC('c'));
	free(parts);
	call_tree_free(trees[0]);
	call_tree_free(trees[1]);
}

static void lost_ends_are_looked_through(void **state)
{
	struct call_tree *tree = make("a(b c(b b?)");
	struct call_of_tree calls[2] = { { tree, 1 }, { tree, 1 } };
	struct call_part *parts;
	unsigned int nr = call_compare(calls, &parts);

	(void)state;
	check(parts, nr, CALL_PART_CALLS, 'b', 30, 30, 3, 3);
	check(parts, nr, CALL_PART_CALLS, 'c', 0, 0, 1, 1);
	assert_int_equal(find(parts, nr, CALL_PART_CALLS, 'c')->longest[0], CALL_NONE);
	free(parts);
	call_tree_free(tree);
}

/* Each call beside the one before it. */
static void parts_add_up(void **state)
{
	struct call_window_options how = { .trace = open_data("cpu4", 1) };
	struct call_window *window;
	const struct call_tree *tree;
	uint32_t former = CALL_NONE;
	unsigned int nr_pairs = 0;

	(void)state;
	how.types = graph_types_new(how.trace, 0);
	window = call_window_new(&how);
	call_window_seek(window, 0);
	while (call_window_work(window, 1000000000))
		;
	tree = call_window_tree(window);
	for (uint32_t n = 1; n < call_tree_limit(tree); n++) {
		struct call_of_tree calls[2] = { { tree, former }, { tree, n } };
		uint64_t sums[2] = { 0 };
		struct call_part *parts;
		unsigned int nr;

		if (!call_is_timed(call_tree_call(tree, n)))
			continue;
		former = n;
		if (!calls[0].number)
			continue;
		nr = call_compare(calls, &parts);
		for (unsigned int i = 0; i < nr; i++)
			for (unsigned int side = 0; side < 2; side++)
				sums[side] += parts[i].ns[side];
		for (unsigned int side = 0; side < 2; side++) {
			const struct call *call = call_tree_call(tree, calls[side].number);

			/* But for where self is not known. */
			assert_true(call->doubtful || sums[side] == call_duration(call));
		}
		free(parts);
		nr_pairs++;
	}
	assert_true(nr_pairs > 5000);
	call_window_free(window);
	graph_types_free((struct graph_types *)how.types);
	trace_close(how.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_stand_beside_each_other),
		cmocka_unit_test(lost_ends_are_looked_through),
		cmocka_unit_test(parts_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
