/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

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

bool table_has_column(const struct table *t, unsigned int i)
{
	const struct table_column *column = &t->columns->list[i];

	return column->cells && (!t->ops->has_column || t->ops->has_column(t->owner, column));
}

/* Rows can be sorted by name and by columns with numbers. */
static bool can_sort_by(const struct table *t, unsigned int i)
{
	return table_has_column(t, i) && (!i || t->columns->list[i].kind != TABLE_STRING);
}

unsigned int table_sorted_by(const struct table *t)
{
	if (can_sort_by(t, t->order->column))
		return t->order->column;
	for (unsigned int i = 1; i < t->columns->nr; i++)
		if (can_sort_by(t, i))
			return i;
	return 0;
}

static void sort_by(struct table *t, int step)
{
	unsigned int nr = t->columns->nr, i = table_sorted_by(t);

	do
		i = (i + nr + (unsigned int)step) % nr;
	while (!can_sort_by(t, i));
	*t->order = (struct table_order){ .column = i };
	table_update(t);
}

static void scroll_columns(struct table *t, int step)
{
	do
		if (step > 0 && t->side + 2 < t->columns->nr)
			t->side++;
		else if (step < 0 && t->side)
			t->side--;
		else
			break;
	while (!table_has_column(t, t->side));
}

/* --- order ------------------------------------------------------------------------------- */

struct sorted {
	double		 number;
	char		*name;		/* owned; only when sorting by name */
	uint32_t	 row;
};

/*
 * Largest number first, rows without a number last; names from a to z.  Ties keep the owner's
 * order.
 */
static int in_order(const void *a, const void *b, void *table)
{
	const struct table *t = table;
	const struct sorted *x = a, *y = b;
	int order = x->name ? strcmp(x->name, y->name) : isnan(x->number) - isnan(y->number);

	if (!order && !x->name)
		order = (x->number < y->number) - (x->number > y->number);
	if (!order) {
		order = x->row < y->row ? -1 : 1;
		if (t->ties_stay)
			return order;
	}
	return t->order->inverted ? -order : order;
}

static struct sorted take_row(const struct table *t, uint32_t row, unsigned int by)
{
	const struct table_column *column = &t->columns->list[by];
	struct sorted s = { .row = row };

	if (column->kind == TABLE_STRING) {
		struct text name = { 0 };

		t->ops->name(t->owner, row, &name);
		s.name = mem_strdup(text_str(&name));
		text_fini(&name);
	} else {
		s.number = t->ops->number(t->owner, row, column);
		s.number = by ? s.number : -s.number;	/* a name that is a number: ascending */
	}
	return s;
}

static void sort_rows(struct table *t, uint32_t all)
{
	struct sorted *list = mem_array((size_t)all + 1, sizeof(*list));

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
}

static void find_largest(struct table *t)
{
	for (unsigned int k = 1; k < t->columns->nr; k++) {
		const struct table_column *column = &t->columns->list[k];
		double most = NAN;

		t->largest[k] = t->nr ? t->rows[0] : 0;
		for (uint32_t i = 0; i < t->nr && column->cells && column->kind != TABLE_STRING;
		     i++) {
			double number = t->ops->number(t->owner, t->rows[i], column);

			if (isnan(number) || number <= most)
				continue;
			most = number;
			t->largest[k] = t->rows[i];
		}
	}
}

void table_update(struct table *t)
{
	uint32_t all = t->ops->nr_rows(t->owner);

	free(t->rows);
	t->rows = mem_array((size_t)all + 1, sizeof(*t->rows));
	t->nr = 0;
	if (t->columns) {
		sort_rows(t, all);
		find_largest(t);
	} else {
		while (t->nr < all) {
			t->rows[t->nr] = t->nr;
			t->nr++;
		}
	}
	list_window_select(&t->window, t->window.at, table_nr_lines(t));
	if (t->has_here)
		table_select_key(t, t->here);
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

/* --- the cursor --------------------------------------------------------------------------- */

void table_select(struct table *t, int64_t line)
{
	uint32_t nr = table_nr_lines(t);

	list_window_select(&t->window, line, nr);
	t->has_here = nr;
	if (nr)
		t->here = t->ops->key(t->owner, table_row(t, t->window.at));
}

bool table_select_key(struct table *t, uint64_t key)
{
	for (uint32_t i = 0; i < t->nr; i++)
		if (t->ops->key(t->owner, t->rows[i]) == key) {
			table_select(t, table_line(t, i));
			return true;
		}
	return false;
}

static bool copy(const struct table *t, char letter)
{
	uint32_t row = table_row(t, t->window.at);
	struct text text = { 0 };

	if (letter != 'y' && letter != 'v')
		return false;
	if (letter == 'y')
		table_row_text(t, row, &text);
	else
		t->ops->figure(t->owner, row, &text);
	host_copy(t->host, letter == 'y' ? t->ops->row_word : t->ops->figure_word, text_str(&text),
		  text.len);
	text_fini(&text);
	return true;
}

static bool column_request(struct table *t, enum request request)
{
	switch ((int)request) {
	case REQ_SORT:
	case REQ_SIDE_RIGHT:
		return sort_by(t, 1), true;
	case REQ_SIDE_LEFT:
		return sort_by(t, -1), true;
	case REQ_SORT_INVERT:
		t->order->inverted = !t->order->inverted;
		return table_update(t), true;
	case REQ_RIGHT:
	case REQ_LEFT:
		return scroll_columns(t, request == REQ_RIGHT ? 1 : -1), true;
	case REQ_RESET:
		t->side = 0;
		return true;
	}
	return false;
}

bool table_request(struct table *t, enum request request, char letter)
{
	if (!t->nr)
		return false;
	if (list_window_request(&t->window, request, table_nr_lines(t)))
		return table_select(t, t->window.at), true;
	if (t->columns && column_request(t, request))
		return true;
	if (request == REQ_ENTER)
		return t->ops->enter(t->owner), true;
	return request == REQ_COPY && copy(t, letter);
}

void table_mouse(struct table *t, const struct ui_mouse *mouse)
{
	int line = list_window_pressed(&t->window, mouse, table_nr_lines(t));

	table_request(t, list_window_wheel(mouse), 0);
	if (line < 0)
		return;
	table_select(t, line);
	if (mouse->kind == UI_MOUSE_DOUBLE)
		t->ops->enter(t->owner);
}

bool table_find(struct table *t, struct search_pattern *pattern, bool forward)
{
	uint32_t here = t->nr ? table_place(t, t->window.at) : 0;
	struct text name = { 0 };
	bool found = false;

	for (uint32_t i = 1; i <= t->nr && !found; i++) {	/* its own row last */
		uint32_t place = (forward ? here + i : here + t->nr - i) % t->nr;
		size_t start, end;

		text_clear(&name);
		t->ops->name(t->owner, t->rows[place], &name);
		found = search_pattern_find(pattern, text_str(&name), name.len, 0, &start, &end);
		if (found)
			table_select(t, table_line(t, place));
	}
	text_fini(&name);
	return found;
}
