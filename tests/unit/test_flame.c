/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The widths of a flame graph beside those that an obvious computation gives: stacks as words
 * ("abc": c called by b, called by a), sums over all words with the same beginning.  Columns: from
 * the rules of the header.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/functions/flame.h"

#define TEXT		0xffffffff81000000u
#define MAX_CALLS	400
#define DEEPEST		7

/* A call of the made-up trace. */
struct made {
	char		stack[DEEPEST + 2];
	uint64_t	duration, below;	/* below: of the nearest timed calls in it */
	bool		timed, wanted;
	int		parent;
};

static struct made made[MAX_CALLS];
static int nr_made;
static uint64_t now_ns;

static int chance(int of)
{
	static unsigned int seed = 1;

	seed = seed * 1103515245u + 12345u;
	return (int)(seed >> 16) % of;
}

static void feed(struct call_tree *tree, enum graph_kind kind, char letter, int depth,
		 uint64_t call, uint64_t ret, bool wanted)
{
	struct graph_record record = { .kind = (uint8_t)kind,
				       .func = TEXT + 16u * (unsigned int)(letter - 'a'),
				       .depth = depth,
				       .call = call, .ret = ret, .ts = now_ns,
				       .key = (int64_t)now_ns, .pid = 7,
				       .wanted = wanted };

	call_tree_add(tree, &record);
}

/* A call with what is in it, as records and as an entry of the list. */
static void make_call(struct call_tree *tree, int parent, int depth, bool whole)
{
	int me = nr_made++, nr = depth < DEEPEST ? chance(5) : 0;
	struct made *m = &made[me];
	char letter = (char)('a' + chance(6));
	uint64_t start = now_ns + 1;

	snprintf(m->stack, sizeof(m->stack), "%.*s%c", DEEPEST,
		 parent < 0 ? "" : made[parent].stack, letter);
	m->parent = parent;
	m->timed = !whole || chance(8);
	m->wanted = whole || chance(4);
	m->duration = m->below = 0;
	now_ns += 2;
	feed(tree, GRAPH_ENTRY, letter, depth, 0, 0, m->wanted);
	for (int i = 0; i < nr && nr_made < MAX_CALLS; i++)
		make_call(tree, me, depth + 1, whole);
	now_ns += (uint64_t)chance(chance(20) ? 50 : 5000);
	if (!m->timed)
		return;
	m->duration = now_ns - start;
	feed(tree, GRAPH_EXIT, letter, depth, start, now_ns, m->wanted);
	while (parent >= 0 && !made[parent].timed)
		parent = made[parent].parent;
	if (parent >= 0)
		made[parent].below += m->duration;
}

/* What a copy has while the tree has not ended, the same as afterwards. */
static void check_copy(const struct call_paths *paths, const struct call_paths *copy)
{
	assert_int_equal(call_paths_nr(paths), call_paths_nr(copy));
	for (uint32_t i = 1; i < call_paths_nr(paths); i++) {
		const struct call_path *x = call_paths_at(paths, i), *y = call_paths_at(copy, i);

		assert_int_equal(x->address, y->address);
		assert_int_equal(x->parent, y->parent);
		assert_int_equal(x->calls, y->calls);
		assert_int_equal(x->total, y->total);
		assert_int_equal(x->self, y->self);
		assert_int_equal(x->net, y->net);
	}
}

static struct call_paths *make_paths(bool whole)
{
	struct call_paths *paths = call_paths_new(100000), *copy = call_paths_new(100000);
	struct call_tree_options options = { .visitor = call_paths_visitor(paths) };
	struct call_tree *tree = call_tree_new(&options);

	nr_made = 0;
	now_ns = 1000;
	while (nr_made < MAX_CALLS - 20)
		make_call(tree, -1, 0, whole);
	call_tree_end(tree);
	call_tree_set_away(tree);
	call_paths_copy(paths, tree, copy);
	call_paths_end(paths, tree);
	check_copy(paths, copy);
	call_paths_free(copy);
	call_tree_free(tree);
	return paths;
}

/* --- the obvious computation ------------------------------------------------------------- */

static uint64_t figure(const struct made *m, enum flame_measure measure)
{
	if (!m->timed || !m->wanted)
		return 0;
	return measure == FLAME_CALLS ? 1 :
	       measure == FLAME_SELF  ? m->duration - m->below :
					m->duration;
}

static uint64_t width_of(const char *stack, enum flame_measure measure)
{
	size_t len = strlen(stack);
	uint64_t own = 0, below = 0;
	bool had[26] = { false };

	for (int i = 0; i < nr_made; i++)
		if (!strcmp(made[i].stack, stack))
			own += figure(&made[i], measure);
	for (int i = 0; i < nr_made; i++) {
		const char *s = made[i].stack;

		if (strncmp(s, stack, len) || strlen(s) != len + 1 || had[s[len] - 'a'])
			continue;
		had[s[len] - 'a'] = true;
		below += width_of(s, measure);
	}
	if (measure == FLAME_SELF || measure == FLAME_CALLS)
		return own + below;
	return own > below ? own : below;
}

static void stack_of(const struct call_paths *paths, uint32_t path, char *stack)
{
	char turned[DEEPEST + 2];
	int nr = 0;

	for (; path != CALL_PATH_ROOT; path = call_paths_at(paths, path)->parent)
		turned[nr++] = (char)('a' + (call_paths_at(paths, path)->address - TEXT) / 16);
	for (int i = 0; i < nr; i++)
		stack[i] = turned[nr - 1 - i];
	stack[nr] = '\0';
}

static uint32_t distinct_stacks(void)
{
	uint32_t nr = 0;

	for (int i = 0; i < nr_made; i++) {
		int j = 0;

		while (strcmp(made[j].stack, made[i].stack))
			j++;
		nr += i == j;
	}
	return nr;
}

static void check_widths(bool whole)
{
	struct call_paths *paths = make_paths(whole);

	assert_int_equal(call_paths_nr(paths), 1 + distinct_stacks());
	for (int measure = 0; measure < NR_FLAME_MEASURES; measure++) {
		struct flame *flame = flame_new(paths, (enum flame_measure)measure);

		for (uint32_t i = 0; i < call_paths_nr(paths); i++) {
			char stack[DEEPEST + 2];
			uint64_t below = 0;
			uint32_t nr;
			const uint32_t *callees = flame_callees(flame, i, &nr);

			stack_of(paths, i, stack);
			assert_int_equal(flame_value(flame, i),
					 width_of(stack, (enum flame_measure)measure));
			for (uint32_t c = 0; c < nr; c++) {
				assert_int_equal(call_paths_at(paths, callees[c])->parent, i);
				assert_true(!c || flame_value(flame, callees[c - 1]) >=
							  flame_value(flame, callees[c]));
				below += flame_value(flame, callees[c]);
			}
			assert_int_equal(flame_own(flame, i), flame_value(flame, i) - below);
		}
		flame_free(flame);
	}
	call_paths_free(paths);
}

static void widths(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		check_widths(true);
		check_widths(false);
	}
}

/* --- columns ------------------------------------------------------------------------------- */

/* Where the frame's share begins, to the column, by the shares of those before it. */
static double exact_left(const struct flame *flame, const struct flame_layout *layout,
			 const struct flame_box *box)
{
	const struct flame_box *above = &layout->boxes[box->parent];
	double before = 0;
	uint32_t nr;
	const uint32_t *callees = flame_callees(flame, above->path, &nr);

	for (uint32_t i = 0; callees[i] != box->path; i++)
		before += (double)flame_value(flame, callees[i]);
	return above->left + above->width * before / (double)flame_value(flame, above->path);
}

static void check_box(const struct flame *flame, const struct flame_layout *layout, uint32_t number)
{
	const struct flame_box *box = &layout->boxes[number], *above = &layout->boxes[box->parent];
	double value = 0, part = (double)above->width / (double)flame_value(flame, above->path),
	       left;
	uint32_t nr;
	const uint32_t *callees = flame_callees(flame, above->path, &nr);

	assert_int_equal(box->row, above->row + 1);
	assert_in_range(number, above->first, above->first + above->nr_boxes - 1);
	assert_true(box->width > 0 && box->left >= above->left &&
		    box->left + box->width <= above->left + above->width);
	if (number > above->first)
		assert_true(box->left >= box[-1].left + box[-1].width);
	for (uint32_t i = 0, in = 0; i < nr; i++) {
		in += in || callees[i] == box->path;
		if (in && in <= box->nr)
			value += (double)flame_value(flame, callees[i]);
	}
	left = exact_left(flame, layout, box);
	assert_true(left - box->left > -1e-6 && left - box->left < 1 + 1e-6);
	assert_true(value * part - box->width > -1 - 1e-6 && value * part - box->width < 1 + 1e-6);
	if (box->nr > 1)
		assert_true((double)flame_value(flame, box->path) * part < 1);
}

/* Who has a column or more has a box; all are found, in a box of their own or a shared one. */
static void check_frames(const struct flame *flame, const struct call_paths *paths,
			 const struct flame_layout *layout, uint32_t rows)
{
	for (uint32_t i = 1; i < call_paths_nr(paths); i++) {
		const struct flame_box *box = &layout->boxes[flame_box_of(flame, layout, i)];
		uint32_t n = i;

		while (n != box->path &&
		       call_paths_at(paths, n)->parent != layout->boxes[box->parent].path)
			n = call_paths_at(paths, n)->parent;
		if (n == i)
			continue;
		/* It is in a box above: too narrow, or below something shared or the last row. */
		assert_true(box->nr > 1 || box->row + 1 == rows || box->path == n);
	}
	for (uint32_t b = 0; b < layout->nr; b++) {
		const struct flame_box *box = &layout->boxes[b];
		uint32_t nr, shown = 0;
		const uint32_t *callees = flame_callees(flame, box->path, &nr);

		if (box->nr > 1 || box->row + 1 == rows)
			continue;
		for (uint32_t i = box->first; i < box->first + box->nr_boxes; i++)
			shown += layout->boxes[i].nr;
		for (uint32_t i = shown; i < nr; i++)
			assert_true(flame_value(flame, callees[i]) * (unsigned __int128)box->width <
				    flame_value(flame, box->path));
	}
}

static void columns(void **state)
{
	static const uint32_t widths[] = { 1, 2, 40, 78, 198, 3000 };
	struct call_paths *paths = make_paths(true);

	(void)state;
	for (int measure = 0; measure < NR_FLAME_MEASURES; measure++) {
		struct flame *flame = flame_new(paths, (enum flame_measure)measure);

		for (uint32_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
			struct flame_layout layout = { 0 };
			uint32_t rows = w % 2 ? 4 : 20;

			flame_lay_out(flame, CALL_PATH_ROOT, widths[w], rows, &layout);
			assert_int_equal(layout.boxes[0].width, widths[w]);
			assert_true(!layout.cut || rows == 4);
			for (uint32_t i = 1; i < layout.nr; i++)
				check_box(flame, &layout, i);
			check_frames(flame, paths, &layout, rows);
			flame_layout_fini(&layout);
		}
		flame_free(flame);
	}
	call_paths_free(paths);
}

/* By hand: a 100 with b 60 (c 60) and narrow d e f; 20 columns. */
static void by_hand(void **state)
{
	static const uint64_t ends[] = { 60, 62, 64, 66 };
	struct call_paths *paths = call_paths_new(100);
	struct call_tree_options options = { .visitor = call_paths_visitor(paths) };
	struct call_tree *tree = call_tree_new(&options);
	struct flame_layout layout = { 0 };
	struct flame *flame;

	(void)state;
	now_ns = 1000;
	feed(tree, GRAPH_ENTRY, 'a', 0, 0, 0, true);
	feed(tree, GRAPH_ENTRY, 'b', 1, 0, 0, true);
	feed(tree, GRAPH_ENTRY, 'c', 2, 0, 0, true);
	feed(tree, GRAPH_EXIT, 'c', 2, 1000, 1060, true);
	feed(tree, GRAPH_EXIT, 'b', 1, 1000, 1060, true);
	for (int i = 1; i < 4; i++) {
		feed(tree, GRAPH_ENTRY, (char)('c' + i), 1, 0, 0, true);
		feed(tree, GRAPH_EXIT, (char)('c' + i), 1, 1000 + ends[i - 1], 1000 + ends[i],
		     true);
	}
	feed(tree, GRAPH_EXIT, 'a', 0, 1000, 1100, true);
	call_tree_end(tree);
	call_tree_set_away(tree);
	call_paths_end(paths, tree);
	flame = flame_new(paths, FLAME_TOTAL);
	flame_lay_out(flame, CALL_PATH_ROOT, 20, 10, &layout);
	/* all, a, b and three in a box, c */
	assert_int_equal(layout.nr, 5);
	assert_int_equal(layout.boxes[1].width, 20);
	assert_int_equal(layout.boxes[2].left, 0);
	assert_int_equal(layout.boxes[2].width, 12);
	assert_int_equal(layout.boxes[3].left, 12);
	assert_int_equal(layout.boxes[3].width, 1);
	assert_int_equal(layout.boxes[3].nr, 3);
	assert_int_equal(layout.boxes[4].width, 12);
	assert_int_equal(flame_own(flame, layout.boxes[1].path), 34);
	flame_layout_fini(&layout);
	flame_free(flame);
	call_paths_free(paths);
	call_tree_free(tree);
}

/* Calls of the tracer function are counted where there are no others, and then alone. */
static void inferred(void **state)
{
	struct call_paths *paths = call_paths_new(100);
	struct call_tree_options options = { .visitor = call_paths_visitor(paths) };
	struct call_tree *tree = call_tree_new(&options);
	struct graph_record record = {
		.kind = GRAPH_ENTRY, .func = TEXT, .pid = 7, .wanted = true, .inferred = true
	};
	struct flame *flame;

	(void)state;
	for (unsigned int i = 1; i < 4; i++) {
		record.depth = i > 1;
		record.func = TEXT + 16 * i;
		record.calls = i;
		call_tree_add(tree, &record);
	}
	call_tree_end(tree);
	call_tree_set_away(tree);
	call_paths_end(paths, tree);
	flame = flame_new(paths, FLAME_CALLS);
	assert_int_equal(flame_value(flame, CALL_PATH_ROOT), 0);
	flame_free(flame);
	call_paths_count_entries(paths);
	flame = flame_new(paths, FLAME_CALLS);
	assert_int_equal(flame_value(flame, CALL_PATH_ROOT), 1 + 2 + 3);
	assert_int_equal(flame_value(flame, flame_next(flame, CALL_PATH_ROOT, CALL_PATH_ROOT)),
			 1 + 2 + 3);
	flame_free(flame);
	call_paths_free(paths);
	call_tree_free(tree);
}

/* Forward and back again: every frame once, callees before what stands beside. */
static void reading_order(void **state)
{
	struct call_paths *paths = make_paths(true);
	struct flame *flame = flame_new(paths, FLAME_SELF);
	uint32_t nr = call_paths_nr(paths), *order = calloc(nr, sizeof(*order)), seen = 1;

	(void)state;
	for (uint32_t n = CALL_PATH_ROOT;
	     (n = flame_next(flame, CALL_PATH_ROOT, n)) != CALL_PATH_ROOT;) {
		const struct call_path *path = call_paths_at(paths, n);

		assert_true(seen < nr);
		/* Its caller is the frame before, or one that the frame before is in. */
		for (uint32_t above = order[seen - 1]; above != path->parent;
		     above = call_paths_at(paths, above)->parent)
			assert_int_not_equal(above, CALL_PATH_ROOT);
		order[seen++] = n;
	}
	assert_int_equal(seen, nr);
	assert_int_equal(flame_last(flame, CALL_PATH_ROOT), order[nr - 1]);
	for (uint32_t i = nr - 1; i > 0; i--)
		assert_int_equal(flame_before(flame, CALL_PATH_ROOT, order[i]), order[i - 1]);
	free(order);
	flame_free(flame);
	call_paths_free(paths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(widths),
		cmocka_unit_test(columns),
		cmocka_unit_test(by_hand),
		cmocka_unit_test(inferred),
		cmocka_unit_test(reading_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
