/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/shorten.h"

static void find_here(struct table *t);

void table_fini(struct table *t)
{
	free(t->rows);
	t->rows = NULL;
	t->nr = 0;
}

void table_home(struct table *t)
{
	t->window.at = t->window.top = t->side = 0;
	t->has_here = false;
}

/* --- columns ---------------------------------------------------------------------------- */

bool table_offers(const struct table *t, unsigned int i)
{
	const struct table_column *column = &t->columns->list[i];

	return column->cells && !table_column_is_out(column, t->lacks) &&
	       (!t->ops->has_column || t->ops->has_column(t->owner, column));
}

static bool is_hidden(const struct table *t, unsigned int i)
{
	return t->order->hidden >> i & 1;
}

bool table_has_column(const struct table *t, unsigned int i)
{
	return table_offers(t, i) && !is_hidden(t, i);
}

bool table_can_sort(const struct table *t, unsigned int i)
{
	const struct table_column *column = &t->columns->list[i];

	return table_offers(t, i) &&
	       (!i || column->kind != TABLE_STRING || table_has_words(column));
}

unsigned int table_sorted_by(const struct table *t)
{
	if (table_can_sort(t, t->order->column) && !is_hidden(t, t->order->column))
		return t->order->column;
	for (unsigned int i = 1; i < t->columns->nr; i++)
		if (table_can_sort(t, i) && !is_hidden(t, i))
			return i;
	return 0;
}

/* A new order is read from its first row. */
static void to_top(struct table *t)
{
	t->window.at = t->window.top = 0;
	t->has_here = false;
	table_update(t);
}

void table_sort(struct table *t, unsigned int i)
{
	t->order->column = i;
	t->order->inverted = false;
	t->order->hidden &= ~(1ULL << i);
	to_top(t);
}

void table_toggle_column(struct table *t, unsigned int i)
{
	t->order->hidden ^= 1ULL << i;
	t->side = 0;
	table_update(t);
}

static void invert(struct table *t)
{
	t->order->inverted = !t->order->inverted;
	to_top(t);
}

static void sort_by_next(struct table *t, int step)
{
	unsigned int nr = t->columns->nr, i = table_sorted_by(t);

	do
		i = (i + nr + (unsigned int)step) % nr;
	while (!table_can_sort(t, i) || is_hidden(t, i));
	table_sort(t, i);
}

/* The column that rows are sorted by stays on the screen: scrolling passes over it. */
static void scroll_columns(struct table *t, int step)
{
	unsigned int side = t->side, sort = table_sorted_by(t);

	if (step > 0 ? !t->is_cut : !side) {
		host_message(t->host, step > 0 ? "the last column is on the screen" :
						 "the first column is on the screen");
		return;
	}
	do
		side += step > 0 ? 1u : -1u;
	while (side && side + 2 < t->columns->nr && (!table_has_column(t, side) || side == sort));
	t->side = side;
}

/* --- order ------------------------------------------------------------------------------- */

struct sorted_row {
	double		 number;
	char		*name;		/* owned; only when sorting by name */
	uint32_t	 row;
	bool		 is_last;
};

/*
 * Largest number and earliest moment first, names from a to z; inverted the other way, but rows
 * without a number are always last.  Ties keep the owner's order.
 */
static int in_order(const void *a, const void *b, void *table)
{
	const struct table *t = table;
	const struct sorted_row *x = a, *y = b;
	int order = x->name ? strcmp(x->name, y->name) :
			      (x->number < y->number) - (x->number > y->number);

	if (x->is_last != y->is_last)
		return x->is_last ? 1 : -1;
	if (!x->name && isnan(x->number) != isnan(y->number))
		return isnan(x->number) ? 1 : -1;
	if (!order) {
		order = x->row < y->row ? -1 : 1;
		if (t->ties_stay)
			return order;
	}
	return t->order->inverted ? -order : order;
}

static struct sorted_row take_row(const struct table *t, uint32_t row, unsigned int by)
{
	const struct table_column *column = &t->columns->list[by];
	struct sorted_row s = {
		.row = row, .is_last = by && t->ops->is_last && t->ops->is_last(t->owner, row)
	};

	if (column->kind == TABLE_STRING) {
		struct text name = { 0 };

		if (by)
			table_cell(t, row, column, &name);
		else
			table_name(t, row, &name);
		s.name = mem_strdup(text_str(&name));
		text_fini(&name);
	} else {
		s.number = table_number(t, row, column);
		s.number = by ? s.number : -s.number;	/* a name that is a number: ascending */
	}
	return s;
}

/*
 * Moves sorted rows behind the one that they are in, so that those of each keep their order.
 * @all: rows of the owner
 */
static void sort_tree(struct table *t, uint32_t all)
{
	uint32_t *first = mem_array((size_t)all + 1, sizeof(*first)), nr = 0;
	uint32_t *next = mem_array((size_t)all + 1, sizeof(*next));

	memset(first, 0xff, ((size_t)all + 1) * sizeof(*first));
	for (uint32_t i = t->nr; i;) {		/* [all]: those in none */
		uint32_t row = t->rows[--i], in = t->ops->parent(t->owner, row);

		in = in == UINT32_MAX ? all : in;
		next[row] = first[in];
		first[in] = row;
	}
	for (uint32_t in = all;;) {
		uint32_t row = first[in];

		if (row == UINT32_MAX && in == all)
			break;
		if (row == UINT32_MAX) {
			in = t->ops->parent(t->owner, in);
			in = in == UINT32_MAX ? all : in;
			continue;
		}
		first[in] = next[row];
		t->rows[nr++] = in = row;
	}
	free(first);
	free(next);
	t->nr = nr;
}

static void sort_rows(struct table *t, uint32_t all)
{
	struct sorted_row *list = mem_array((size_t)all + 1, sizeof(*list));

	for (uint32_t i = 0; i < all; i++)
		if (!t->ops->is_shown || t->ops->is_shown(t->owner, i))
			list[t->nr++] = take_row(t, i, table_sorted_by(t));
	if (t->nr)
		qsort_r(list, t->nr, sizeof(*list), in_order, t);
	for (uint32_t i = 0; i < t->nr; i++) {
		t->rows[i] = list[i].row;
		free(list[i].name);
	}
	free(list);
	if (t->ops->parent)
		sort_tree(t, all);
}

static void find_largest(struct table *t)
{
	for (unsigned int k = 1; k < t->columns->nr; k++) {
		const struct table_column *column = &t->columns->list[k];
		double most = NAN;

		t->largest[k] = t->nr ? t->rows[0] : 0;
		for (uint32_t i = 0; i < t->nr && column->cells && column->kind != TABLE_STRING;
		     i++) {
			double number = table_number(t, t->rows[i], column);

			if (isnan(number) || number <= most)
				continue;
			most = number;
			t->largest[k] = t->rows[i];
		}
	}
}

#define SIDE_CELLS	8		/* of the name of a file in titles */
#define MOST_MEASURED	5000u		/* names; of more the longest is not looked for */

static void measure_names(struct table *t)
{
	struct text name = { 0 };

	t->longest = t->nr > MOST_MEASURED ? t->name_most : t->name_least;
	for (uint32_t i = 0; i < t->nr && t->longest < t->name_most; i++) {
		int cells;

		text_clear(&name);
		if (t->ops->lead)
			t->ops->lead(t->owner, t->rows[i], &name);
		table_name(t, t->rows[i], &name);
		cells = text_cells(text_str(&name), name.len);
		if (cells > t->longest)
			t->longest = cells < t->name_most ? cells : t->name_most;
	}
	text_fini(&name);
}

/* A name of a file for the titles of columns. */
static void name_file(struct table *t, unsigned int file, char *name)
{
	struct text whole = { 0 }, cut = { 0 };

	shared_file_name(t->shared, file, &whole);
	shorten_middle(text_str(&whole), SIDE_CELLS, &cut);
	snprintf(name, sizeof(t->side_names[0]), "%s", text_str(&cut));
	text_fini(&whole);
	text_fini(&cut);
}

/* A and B are the files in their order, or the rest and the range. */
static void name_sides(struct table *t)
{
	int other = shared_other(t->shared, t->file);
	unsigned int files[2] = { t->file, (unsigned int)other };

	t->own = other < 0 || files[1] < files[0] ? TABLE_B : TABLE_A;
	t->compared = *t->lists[1];
	if (other < 0) {
		t->compared.sides[TABLE_A] = "rest";
		t->compared.sides[TABLE_B] = "range";
		t->compared.sides[TABLE_B_BY_A] = "/rest";
		return;
	}
	for (unsigned int i = 0; i < 2; i++)
		name_file(t, files[t->own == TABLE_A ? i : !i], t->side_names[i]);
	if (!strcmp(t->side_names[0], t->side_names[1]))
		return;
	t->compared.sides[TABLE_A] = t->side_names[0];
	t->compared.sides[TABLE_B] = t->side_names[1];
}

void table_update(struct table *t)
{
	uint32_t all = t->ops->nr_rows ? t->ops->nr_rows(t->owner) : t->array_nr;

	if (t->comparing)
		name_sides(t);
	t->columns = t->comparing ? &t->compared : t->lists[0];
	t->order = &t->orders[t->comparing];
	free(t->rows);
	t->rows = mem_array((size_t)all + 1, sizeof(*t->rows));
	t->nr = 0;
	sort_rows(t, all);
	find_largest(t);
	measure_names(t);
	t->nr_lines = table_nr_lines(t);
	list_window_select(&t->window, t->window.at, t->nr_lines);
	if (t->has_here)
		find_here(t);
}

uint32_t table_count_lines(struct table *t)
{
	uint32_t nr = table_nr_lines(t);

	if (nr != t->nr_lines && t->has_here)
		find_here(t);
	t->nr_lines = nr;
	return nr;
}

bool table_compare(struct table *t)
{
	if (!t->comparing && !shared_can_compare(t->shared)) {
		host_message(t->host, "no range to compare with the rest (a, b and r make one), "
				      "and no other file");
		return false;
	}
	t->comparing = !t->comparing;
	t->side = 0;
	return true;
}

/* --- lines ------------------------------------------------------------------------------- */

/* Lines below the row at *place; 0: there are none. */
static uint32_t nr_below(const struct table *t, uint32_t *place)
{
	uint32_t row, nr = t->ops->nr_below ? t->ops->nr_below(t->owner, &row) : 0;

	for (*place = 0; nr && *place < t->nr; ++*place)
		if (t->rows[*place] == row)
			return nr;
	return 0;
}

uint32_t table_nr_lines(const struct table *t)
{
	uint32_t place;

	return t->nr + nr_below(t, &place);
}

bool table_is_below(const struct table *t, uint32_t line, uint32_t *i)
{
	uint32_t place, nr = nr_below(t, &place);

	if (!nr || line <= place || line > place + nr)
		return false;
	*i = line - place - 1;
	return true;
}

uint32_t table_place(const struct table *t, uint32_t line)
{
	uint32_t place, nr = nr_below(t, &place);

	return !nr || line <= place ? line : line <= place + nr ? place : line - nr;
}

uint32_t table_line(const struct table *t, uint32_t place)
{
	uint32_t open, nr = nr_below(t, &open);

	return nr && place > open ? place + nr : place;
}

uint32_t table_row(const struct table *t, uint32_t line)
{
	return t->rows[table_place(t, line)];
}

void table_header(const struct table *t, struct text *out)
{
	if (!t->nr)
		return;
	text_printf(out, "%s ", t->row_name);
	text_count(out, table_place(t, t->window.at) + 1);
	text_add(out, " of ");
	text_count(out, t->nr);
}

/* --- the cursor --------------------------------------------------------------------------- */

static uint64_t below_key(const struct table *t, uint32_t i)
{
	return t->ops->below_key ? t->ops->below_key(t->owner, i) : i;
}

void table_select(struct table *t, int64_t line)
{
	uint32_t nr = table_nr_lines(t), i;

	list_window_select(&t->window, line, nr);
	t->has_here = nr;
	t->is_below = false;
	if (!nr)
		return;
	t->here = table_key(t, table_row(t, t->window.at));
	t->is_below = table_is_below(t, t->window.at, &i);
	if (t->is_below)
		t->below_here = below_key(t, i);
}

/*
 * The cursor goes to its row, or to the line below it where it was.  If that is missing, it is
 * sought again when rows have changed the next time.
 */
static void find_here(struct table *t)
{
	bool is_below = t->is_below;
	uint64_t key = t->below_here;
	uint32_t place, nr, i = 0;

	if (!table_select_key(t, t->here) || !is_below)
		return;
	t->is_below = true;
	t->below_here = key;
	nr = nr_below(t, &place);
	if (!nr || place != table_place(t, t->window.at))
		return;
	while (i < nr && below_key(t, i) != key)
		i++;
	if (i < nr)
		table_select(t, (int64_t)t->window.at + 1 + i);
}

bool table_select_key(struct table *t, uint64_t key)
{
	for (uint32_t i = 0; i < t->nr; i++)
		if (table_key(t, t->rows[i]) == key) {
			table_select(t, table_line(t, i));
			return true;
		}
	return false;
}

void table_leave_gone(struct table *t)
{
	bool is_there = t->nr && table_key(t, table_row(t, t->window.at)) == t->here;
	uint32_t i;

	if (!t->has_here)
		return;
	if (is_there && t->is_below && !table_is_below(t, t->window.at, &i)) {
		host_message(t->host, "the cursor's line is not listed any more: it is on the row "
				      "above it now");
		t->is_below = false;
	}
	if (is_there)
		return;
	host_message(t->host,
		     "the cursor's row is not listed any more: it is on the first row now");
	t->window.at = t->window.top = 0;
	t->has_here = false;
}

static bool copy(const struct table *t, char letter)
{
	const char *row_word = t->ops->row_word ? t->ops->row_word : "row";
	uint32_t row = table_row(t, t->window.at);
	struct text text = { 0 };

	if (letter != 'y' && letter != 'v')
		return false;
	if (letter == 'y')
		table_row_text(t, row, &text);
	else
		table_figure(t, row, &text);
	host_copy(t->host, letter == 'y' ? row_word : t->ops->figure_word, text_str(&text),
		  text.len);
	text_fini(&text);
	return true;
}

static bool column_request(struct table *t, enum request request)
{
	switch ((int)request) {
	case REQ_SIDE_RIGHT:
		return sort_by_next(t, 1), true;
	case REQ_SIDE_LEFT:
		return sort_by_next(t, -1), true;
	case REQ_SORT_INVERT:
		return invert(t), true;
	case REQ_RIGHT:
	case REQ_LEFT:
		return scroll_columns(t, request == REQ_RIGHT ? 1 : -1), true;
	case REQ_RESET:
		t->side = 0;
		return true;
	}
	return false;
}

static void to_slower(struct table *t, bool slower)
{
	table_select(t, (int64_t)t->window.at + (slower == t->order->inverted ? 1 : -1));
}

bool table_request(struct table *t, enum request request, char letter)
{
	if (!t->nr)
		return false;
	if (list_window_request(&t->window, request, table_nr_lines(t)))
		return table_select(t, t->window.at), true;
	if (column_request(t, request))
		return true;
	if (request == REQ_SLOW_NEXT || request == REQ_SLOW_PREV)
		return to_slower(t, request == REQ_SLOW_NEXT), true;
	if (request == REQ_ENTER)
		return t->ops->enter(t->owner), true;
	return request == REQ_COPY && copy(t, letter);
}

/* A press on a heading: sorts by the column; again: the other way. */
static bool press_heading(struct table *t, const struct ui_mouse *mouse)
{
	unsigned int i = 0;

	if (mouse->kind != UI_MOUSE_PRESS && mouse->kind != UI_MOUSE_DOUBLE)
		return false;
	if (!t->nr || mouse->row != t->window.row - 1)
		return false;
	while (i < t->nr_headings && mouse->col >= t->headings[i].end)
		i++;
	if (i == t->nr_headings || !table_can_sort(t, t->headings[i].column))
		return true;
	if (t->headings[i].column == table_sorted_by(t))
		invert(t);
	else
		table_sort(t, t->headings[i].column);
	return true;
}

void table_mouse(struct table *t, const struct ui_mouse *mouse)
{
	int line = list_window_pressed(&t->window, mouse, table_nr_lines(t));

	if (press_heading(t, mouse))
		return;
	table_request(t, list_window_wheel(mouse), 0);
	if (line < 0)
		return;
	table_select(t, line);
	if (mouse->kind == UI_MOUSE_DOUBLE)
		t->ops->enter(t->owner);
}

static bool has_pattern(void *arg, uint32_t place)
{
	struct table *t = arg;
	struct text name = { 0 };
	size_t start, end;
	bool found;

	table_name(t, t->rows[place], &name);
	for (unsigned int i = 1; i < t->columns->nr; i++)
		if (table_has_column(t, i) && table_has_words(&t->columns->list[i])) {
			text_add(&name, "  ");
			table_cell(t, t->rows[place], &t->columns->list[i], &name);
		}
	found = search_pattern_find(t->shared->chosen.pattern, text_str(&name), name.len, 0, &start,
				    &end);
	text_fini(&name);
	return found;
}

bool table_find(struct table *t, const struct find *find)
{
	const char *word = t->ops->found_word ? t->ops->found_word : "row";
	struct search_rows rows = { .nr = t->nr, .forward = find->forward, .matches = has_pattern,
				    .arg = t };
	uint32_t found = 0, nth, nr;

	if (find->kind != FIND_PATTERN || !t->shared->chosen.pattern || !t->nr)
		return false;
	rows.here = table_place(t, t->window.at);
	nr = search_in_rows(&rows, &found, &nth);
	if (!nr) {
		host_message(t->host, "no %s here matches; 1 Events searches all events", word);
		return true;
	}
	table_select(t, table_line(t, found));
	host_message(t->host, "%u of %u %ss that match", nth, nr, word);
	return true;
}

/* --- what is kept --------------------------------------------------------------------------- */

static void add_word(const struct table_column *column, struct text *out)
{
	if (column->name)
		text_add(out, column->name);
	else
		text_printf(out, "%s%s%s", column->group ?: "", column->group ? " " : "",
			    column->title);
}

static bool has_word(const struct table_column *column, const char *word)
{
	struct text own = { 0 };
	bool same;

	add_word(column, &own);
	same = !strcmp(text_str(&own), word);
	text_fini(&own);
	return same;
}

void table_save(const struct table *t, struct text *out)
{
	const struct table_column *columns = t->lists[0]->list;
	const struct table_order *order = &t->orders[0];

	text_add(out, order->inverted ? "sort-inverted " : "sort ");
	add_word(&columns[order->column], out);
	text_char(out, '\n');
	for (unsigned int i = 0; i < t->lists[0]->nr; i++) {
		if (!(order->hidden >> i & 1))
			continue;
		text_add(out, "hide ");
		add_word(&columns[i], out);
		text_char(out, '\n');
	}
}

void table_restore(struct table *t, const char *key, const char *value)
{
	struct table_order *order = &t->orders[0];

	for (unsigned int i = 0; i < t->lists[0]->nr; i++) {
		if (!has_word(&t->lists[0]->list[i], value))
			continue;
		if (!strcmp(key, "hide")) {
			order->hidden |= 1ull << i;
		} else if (!strncmp(key, "sort", 4)) {
			order->column = i;
			order->inverted = !strcmp(key, "sort-inverted");
		}
		return;
	}
}
