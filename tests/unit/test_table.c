/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of all lists, with rows and a host of the test's own: order, cursor, columns, lines
 * below a row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "ui/table/table.h"

#define NONE	-1

struct row {
	const char	*name;
	int64_t		 big, small;	/* NONE: there is none */
};

struct owner {
	struct row	 rows[8];
	uint32_t	 nr, below, open;	/* below: lines below row @open */
	const char	*hidden;
	uint32_t	 entered;
	char		 copied[64], said[64];
	struct shared	 shared;
	struct view_host host;
	struct table_order order;	/* no comparison */
	struct table	 table;
};

static uint32_t nr_rows(const void *owner)
{
	return ((const struct owner *)owner)->nr;
}
static const struct row *row_of(const void *owner, uint32_t row)
{
	return &((const struct owner *)owner)->rows[row];
}
static uint64_t key(const void *owner, uint32_t row)
{
	return (uint64_t)(uintptr_t)row_of(owner, row)->name;
}

static bool is_shown(const void *owner, uint32_t row)
{
	return row_of(owner, row)->name != ((const struct owner *)owner)->hidden;
}

static void add_name(const void *owner, uint32_t row, struct text *out)
{
	text_add(out, row_of(owner, row)->name);
}

static const void *row(const void *owner, uint32_t i, struct table_made *made)
{
	(void)made;
	return row_of(owner, i);
}

static bool has_big(const void *of)
{
	return ((const struct row *)of)->big != NONE;
}

static bool has_small(const void *of)
{
	return ((const struct row *)of)->small != NONE;
}

static uint32_t nr_below(const void *owner, uint32_t *row)
{
	*row = ((const struct owner *)owner)->open;
	return ((const struct owner *)owner)->below;
}

static void add_below(const void *owner, uint32_t i, struct text *out, enum role *line_role)
{
	(void)owner;
	text_printf(out, "  below %u", i);
	*line_role = ROLE_DIM;
}

static void enter(void *owner)
{
	((struct owner *)owner)->entered++;
}

static const struct table_ops ops = {
	.nr_rows = nr_rows, .is_shown = is_shown, .key = key, .name = add_name, .row = row,
	.nr_below = nr_below, .below = add_below, .enter = enter,
	.row_word = "row", .figure_word = "name", .found_word = "row",
};

#define BIG	.kind = TABLE_COUNT, .known = has_big, TABLE_MEMBER(struct row, big)

static void add_big(const void *of, struct text *out)
{
	if (has_big(of))
		text_printf(out, "%d", (int)((const struct row *)of)->big);
	else
		text_add(out, TABLE_NONE);
}

static const struct table_column columns[] = {
	{ .title = "name", .cells = 4 },
	{ .title = "big", .cells = 6, BIG },
	{ .title = "hidden", .kind = TABLE_COUNT },
	{ .title = "glyphs", .cells = 6, .kind = TABLE_STRING, .text = add_big },
	{ .title = "small", .cells = 8, .kind = TABLE_COUNT, .known = has_small,
	  TABLE_MEMBER(struct row, small), .goes_first = true },
	{ .title = "rest", .group = "big", .cells = 6, BIG, .side = TABLE_A },
};
static const struct table_columns list = { TABLE_COLUMNS(columns) };

static const struct table_column grouped_columns[] = {
	{ .title = "name", .cells = 4 },
	{ .title = "avg", .group = "wait", .cells = 10, BIG },
	{ .title = "max", .group = "wait", .cells = 9, BIG },
	{ .title = "max", .group = "run", .cells = 10, BIG },
};
static const struct table_columns grouped = { TABLE_COLUMNS(grouped_columns) };

static void keep_copy(struct app *app, const char *what, const char *s, size_t len)
{
	struct owner *o = (struct owner *)(void *)app;

	snprintf(o->copied, sizeof(o->copied), "%s: %.*s", what, (int)len, s);
}

static void keep_message(struct app *app, bool is_error, const char *text)
{
	struct owner *o = (struct owner *)(void *)app;

	assert_false(is_error);
	snprintf(o->said, sizeof(o->said), "%s", text);
}

static void init(struct owner *o)
{
	*o = (struct owner){ .rows = { { "ant", 5, 1 },
				       { "bee", 70, NONE },
				       { "cow", 5, 3 },
				       { "dog", NONE, 2 } },
			     .nr = 4 };
	o->host = (struct view_host){ .app = (struct app *)(void *)o, .copy = keep_copy,
				      .say = keep_message };
	o->order.column = 1;
	o->table = (struct table){ .ops = &ops, .owner = o, .host = &o->host, .shared = &o->shared,
				   .lists = { &list }, .orders = &o->order,
				   .name_least = 4, .name_most = 8 };
	table_update(&o->table);
}

static void check_order(struct owner *o, const char *expected)
{
	struct text names = { 0 };

	for (uint32_t i = 0; i < o->table.nr; i++)
		text_printf(&names, "%s%s", i ? " " : "", o->rows[o->table.rows[i]].name);
	assert_string_equal(text_str(&names), expected);
	text_fini(&names);
}

static void rows_stand_by_a_column(void **state)
{
	struct owner o;

	(void)state;
	init(&o);
	check_order(&o, "bee ant cow dog");
	assert_true(table_request(&o.table, REQ_SORT_INVERT, 0));
	check_order(&o, "cow ant bee dog");	/* what has no number is last */
	o.table.ties_stay = true;
	table_update(&o.table);
	check_order(&o, "ant cow bee dog");
	/* What has no cells, or no number, is passed over; the next order is not inverted. */
	assert_true(table_request(&o.table, REQ_SIDE_RIGHT, 0));
	assert_int_equal(table_sorted_by(&o.table), 4);
	check_order(&o, "cow dog ant bee");
	assert_true(table_request(&o.table, REQ_SIDE_LEFT, 0));
	assert_true(table_request(&o.table, REQ_SIDE_LEFT, 0));
	assert_int_equal(table_sorted_by(&o.table), 0);
	check_order(&o, "ant bee cow dog");
	o.order.column = 2;
	assert_int_equal(table_sorted_by(&o.table), 1);
	table_fini(&o.table);
}

static void the_cursor_stays_on_what_it_was_moved_to(void **state)
{
	struct owner o;

	(void)state;
	init(&o);
	o.hidden = "bee";
	table_update(&o.table);
	/* not moved: the first row, whichever that is */
	assert_int_equal(table_row(&o.table, o.table.window.at), 0);
	o.hidden = NULL;
	table_update(&o.table);
	assert_int_equal(table_row(&o.table, o.table.window.at), 1);
	assert_true(table_request(&o.table, REQ_LAST, 0));
	assert_int_equal(table_row(&o.table, o.table.window.at), 3);
	assert_true(table_request(&o.table, REQ_SORT_INVERT, 0));
	assert_int_equal(o.table.window.at, 0);
	assert_int_equal(table_row(&o.table, o.table.window.at), 2);	/* a new order: the top */
	o.hidden = o.rows[3].name;
	table_update(&o.table);
	assert_int_equal(o.table.nr, 3);
	assert_false(table_select_key(&o.table, key(&o, 3)));
	assert_true(table_select_key(&o.table, key(&o, 1)));
	table_home(&o.table);
	o.nr = 0;
	table_update(&o.table);
	assert_int_equal(o.table.window.at, 0);
	assert_false(table_request(&o.table, REQ_DOWN, 0));
	table_fini(&o.table);
}

static void lines_stand_below_an_open_row(void **state)
{
	struct ui_mouse click = { .kind = UI_MOUSE_PRESS };
	struct canvas canvas;
	struct text shown = { 0 };
	struct owner o;
	uint32_t i;

	(void)state;
	init(&o);
	o.below = 2;
	o.open = 0;
	table_update(&o.table);
	assert_int_equal(table_nr_lines(&o.table), 6);
	table_select(&o.table, 3);
	assert_true(table_is_below(&o.table, 3, &i));
	assert_int_equal(i, 1);
	assert_int_equal(table_row(&o.table, 3), 0);
	assert_false(table_is_below(&o.table, 4, &i));
	assert_int_equal(table_place(&o.table, 4), 2);
	assert_int_equal(table_line(&o.table, 2), 4);
	canvas_init(&canvas, 9, 40);
	table_draw(&o.table, &canvas, 1, 8);
	canvas_print(&canvas, &shown);
	assert_string_equal(text_str(&shown), "\n"
					      " name     big ▾glyphs   small big: rest\n"
					      " bee         70    70       –        70\n"
					      " ant          5     5       1         5\n"
					      "   below 0\n"
					      ">  below 1\n"
					      " cow          5     5       3         5\n"
					      " dog          –     –       2         –\n\n");
	click.row = 6;
	table_mouse(&o.table, &click);
	assert_int_equal(table_row(&o.table, o.table.window.at), 2);
	assert_int_equal(o.entered, 0);
	click.kind = UI_MOUSE_DOUBLE;
	click.row = 2;
	table_mouse(&o.table, &click);
	assert_int_equal(o.entered, 1);
	assert_int_equal(o.table.window.at, 0);
	click.kind = UI_MOUSE_WHEEL_DOWN;
	table_mouse(&o.table, &click);
	assert_int_equal(o.table.window.at, 1);
	canvas_fini(&canvas);
	text_fini(&shown);
	table_fini(&o.table);
}

/* The heading at a width. */
static void check_heading(struct owner *o, int cols, const char *expected)
{
	struct canvas canvas;
	struct text shown = { 0 };

	canvas_init(&canvas, 1, cols);
	table_draw(&o->table, &canvas, 0, 1);
	canvas_print(&canvas, &shown);
	assert_string_equal(text_str(&shown), expected);
	canvas_fini(&canvas);
	text_fini(&shown);
}

static void columns_without_room_are_left_out(void **state)
{
	struct owner o;

	(void)state;
	init(&o);
	check_heading(&o, 35, " name big ▾glyphs   small big: rest\n");
	check_heading(&o, 34, " name     big ▾glyphs big: rest\n");
	check_heading(&o, 12, " name  big ▾\n");
	o.order.column = 4; /* it stays, and the range's
						   without the rest does then */
	check_heading(&o, 24, " name       big small ▾\n");
	o.order.column = 1;
	/* The first press passes over the column sorted by, which stays. */
	assert_true(table_request(&o.table, REQ_RIGHT, 0));
	check_heading(&o, 31, " name   big ▾   small big: rest\n");
	table_fini(&o.table);
}

static void neighbours_name_their_group_once(void **state)
{
	struct text kept = { 0 };
	struct owner o;

	(void)state;
	init(&o);
	o.table.lists[0] = &grouped;
	o.order.column = 2;
	table_update(&o.table);
	check_heading(&o, 35, " name  wait: avg    max ▾  run: max\n");
	table_toggle_column(&o.table, 1);
	o.order.column = 3;
	check_heading(&o, 32, " name     wait max run: max▾\n");
	table_save(&o.table, &kept);
	assert_string_equal(text_str(&kept), "sort run max\nhide wait avg\n");
	o.order = (struct table_order){ 0 };
	table_restore(&o.table, "sort", "run max");
	assert_int_equal(o.order.column, 3);
	text_fini(&kept);
	table_fini(&o.table);
}

static void press(struct owner *o, int row, int col)
{
	table_mouse(&o->table,
		    &(struct ui_mouse){ .kind = UI_MOUSE_PRESS, .row = row, .col = col });
}

static void headings_are_pressed(void **state)
{
	struct canvas canvas;
	struct owner o;

	(void)state;
	init(&o);
	canvas_init(&canvas, 6, 40);
	table_draw(&o.table, &canvas, 0, 6);
	table_select(&o.table, 2);
	press(&o, 0, 28);
	assert_int_equal(o.order.column, 4);
	assert_int_equal(o.table.window.at, 0);
	check_order(&o, "cow dog ant bee");
	press(&o, 0, 28);
	assert_true(o.order.inverted);
	check_order(&o, "ant dog cow bee");
	press(&o, 0, 18);	/* glyphs have no order */
	press(&o, 0, 39);	/* beside all headings */
	assert_int_equal(o.order.column, 4);
	press(&o, 0, 2);
	assert_int_equal(o.order.column, 0);
	assert_false(o.order.inverted);
	/* A hidden column is neither shown nor sorted by, until rows are sorted by it again. */
	table_toggle_column(&o.table, 1);
	check_heading(&o, 35, " name ▴  glyphs   small big: rest\n");
	assert_true(table_request(&o.table, REQ_SIDE_RIGHT, 0));
	assert_int_equal(o.order.column, 4);
	table_sort(&o.table, 1);
	assert_true(table_has_column(&o.table, 1));
	canvas_fini(&canvas);
	table_fini(&o.table);
}

static void names_are_found_and_rows_copied(void **state)
{
	struct ft_error err = { 0 };
	struct find on = { .kind = FIND_PATTERN, .forward = true }, back = { .kind = FIND_PATTERN };
	struct owner o;

	(void)state;
	init(&o);
	o.below = 3;
	o.open = 1;
	assert_false(table_find(&o.table, &on));	/* nothing is searched for */
	o.shared.chosen.pattern = search_pattern_new("/^[bc]/", &err);
	assert_true(table_find(&o.table, &on));
	assert_int_equal(o.table.window.at, 5);		/* cow, behind the lines below bee */
	assert_string_equal(o.said, "2 of 2 rows that match");
	assert_true(table_find(&o.table, &on));
	assert_int_equal(o.table.window.at, 0);
	assert_true(table_find(&o.table, &back));
	assert_int_equal(table_row(&o.table, o.table.window.at), 2);
	search_pattern_free(o.shared.chosen.pattern);
	o.shared.chosen.pattern = search_pattern_new("elk", &err);
	assert_true(table_find(&o.table, &on));
	assert_string_equal(o.said, "no row here matches; 1 Events searches all events");
	search_pattern_free(o.shared.chosen.pattern);
	o.shared.chosen.pattern = NULL;
	table_select(&o.table, 0);
	assert_true(table_request(&o.table, REQ_COPY, 'y'));
	assert_string_equal(o.copied, "row: bee  big 70  small –  big rest 70");
	assert_true(table_request(&o.table, REQ_COPY, 'v'));
	assert_string_equal(o.copied, "name: bee");
	assert_false(table_request(&o.table, REQ_COPY, 'x'));
	assert_true(table_request(&o.table, REQ_ENTER, 0));
	assert_int_equal(o.entered, 1);
	table_fini(&o.table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_stand_by_a_column),
		cmocka_unit_test(the_cursor_stays_on_what_it_was_moved_to),
		cmocka_unit_test(lines_stand_below_an_open_row),
		cmocka_unit_test(columns_without_room_are_left_out),
		cmocka_unit_test(neighbours_name_their_group_once),
		cmocka_unit_test(headings_are_pressed),
		cmocka_unit_test(names_are_found_and_rows_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
