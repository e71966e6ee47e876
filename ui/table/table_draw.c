/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table_draw - draws a table: columns that fit, headings, lines. */
#include <string.h>

#include "src/base/shorten.h"
#include "src/timeline/timeline.h"
#include "src/timeline/timeline_labels.h"
#include "ui/table/table.h"

/* --- columns that fit ------------------------------------------------------------ */

struct layout {
	int		name;		/* cells of the name */
	unsigned int	columns[TABLE_MOST_COLUMNS];
	int		cells[TABLE_MOST_COLUMNS];	/* width, with leading blanks */
	unsigned int	nr;
	unsigned int	barred;		/* the i whose cells hold a bar, too */
	int		bar;		/* its cells, with the blanks around it; 0: there is none */
	int		used;		/* cells used, with the minimum of the name */
	bool		is_cut;		/* columns had no room */
};

/* What the heading of a comparison needs: it has names of files.  The first one names the group. */
static int heading_cells(const struct table *t, unsigned int i)
{
	const struct table_column *column = &t->columns->list[i];
	struct text title = { 0 };
	int cells;

	if (!column->side)
		return 0;
	if (column->side == TABLE_A)
		text_printf(&title, "%s: ", column->group);
	text_add(&title, table_column_heading(t->columns, column, t->lacks));
	cells = text_cells(text_str(&title), title.len) + 1;
	text_fini(&title);
	return i == table_sorted_by(t) ? cells + 2 : cells;
}

/* The width set for the column, or what its largest number or its heading needs. */
static int column_cells(const struct table *t, unsigned int i)
{
	const struct table_column *column = &t->columns->list[i];
	struct text cell = { 0 };
	int cells = heading_cells(t, i), number;

	cells = cells > column->cells ? cells : column->cells;
	if (!t->nr || column->kind == TABLE_STRING)
		return cells;
	table_cell(t, t->largest[i], column, &cell);
	number = text_cells(text_str(&cell), cell.len) + 1;
	text_fini(&cell);
	return number > cells ? number : cells;
}

static void leave_out(struct layout *l, unsigned int i)
{
	l->used -= l->cells[i];
	l->is_cut = true;
	l->nr--;
	memmove(l->columns + i, l->columns + i + 1, (l->nr - i) * sizeof(l->columns[0]));
	memmove(l->cells + i, l->cells + i + 1, (l->nr - i) * sizeof(l->cells[0]));
}

/* The first columns to go say so; the last one fills the line: it says what a row is. */
enum round { ROUND_FIRST, ROUND_FIGURES, ROUND_ALL };

static bool goes(const struct table_column *column, enum round round)
{
	return round == ROUND_FIRST ? column->goes_first : round == ROUND_ALL || !column->fills;
}

/* Leaves out columns that do not fit, from the right, but not the one that rows are sorted by. */
static void make_room(const struct table *t, unsigned int sort, int cols, struct layout *l)
{
	for (enum round round = ROUND_FIRST; round <= ROUND_ALL; round++)
		for (unsigned int i = l->nr; i-- && l->used > cols;)
			if (l->columns[i] != sort && goes(&t->columns->list[l->columns[i]], round))
				leave_out(l, i);
}

/* Is the last column that fits one of A, without room for the one of B? */
static bool is_alone(const struct table *t, unsigned int sort, const struct layout *l)
{
	unsigned int last = l->nr ? l->columns[l->nr - 1] : t->columns->nr;

	return last + 1 < t->columns->nr && last != sort &&
	       t->columns->list[last].side == TABLE_A && t->columns->list[last + 1].side == TABLE_B;
}

#define BAR_LEAST	8		/* cells of the longest bar */
#define BAR_MOST	20
#define BAR_BLANKS	2

static bool can_have_bar(const struct table_column *column)
{
	if (column->bar != TABLE_BAR)
		return column->bar == TABLE_BAR_TOO;
	return column->kind == TABLE_COUNT || column->kind == TABLE_TIME ||
	       column->kind == TABLE_DURATION || column->kind == TABLE_SHARE ||
	       column->kind == TABLE_PART || column->kind == TABLE_RATE ||
	       column->kind == TABLE_PERCENT;
}

/* The i of the column that has the bar; -1: none. */
static int find_barred(const struct table *t, unsigned int sort, const struct layout *l)
{
	int barred = -1;

	for (unsigned int i = l->nr; i--;) {
		const struct table_column *column = &t->columns->list[l->columns[i]];

		if (l->columns[i] == sort && can_have_bar(column))
			return (int)i;
		if (column->bar == TABLE_BAR_TOO && barred < 0)
			barred = (int)i;
	}
	return barred;
}

/* The bar has cells that neither names nor other columns need. */
static void add_bar(const struct table *t, unsigned int sort, int cols, struct layout *l)
{
	int barred = find_barred(t, sort, l);
	int spare = cols - l->used - (t->longest > l->name ? t->longest - l->name : 0);

	for (unsigned int i = 0; i < l->nr && cols < TABLE_WIDE; i++)
		if (t->columns->list[l->columns[i]].fills)	/* words have the room */
			return;
	if (barred < 0 || t->nr < 2 || spare < BAR_LEAST + BAR_BLANKS)
		return;
	l->bar = spare < BAR_MOST + BAR_BLANKS ? spare : BAR_MOST + BAR_BLANKS;
	l->barred = (unsigned int)barred;
	l->cells[barred] += l->bar;
	l->used += l->bar;
}

static void lay_out(const struct table *t, int cols, struct layout *l)
{
	unsigned int sort = table_sorted_by(t);
	int least = cols >= TABLE_WIDE ? t->longest : t->name_least, bar = 0;

	*l = (struct layout){ .used = 1 + t->margin + least };
	for (unsigned int i = 1; i < t->columns->nr; i++) {
		if (!table_has_column(t, i) || (i <= t->side && i != sort))
			continue;
		l->cells[l->nr] = column_cells(t, i);
		l->used += l->cells[l->nr];
		l->columns[l->nr++] = i;
	}
	/* on a wide screen, if not all have room anyway, a bar has it first */
	if (l->used > cols && cols >= TABLE_WIDE && t->nr > 1 && find_barred(t, sort, l) >= 0)
		bar = BAR_LEAST + BAR_BLANKS;
	make_room(t, sort, cols - bar, l);
	while (is_alone(t, sort, l))
		leave_out(l, l->nr - 1);
	l->name = least;
	add_bar(t, sort, cols, l);
	for (unsigned int i = 0; i < l->nr && l->used < cols; i++)
		if (t->columns->list[l->columns[i]].fills) {
			l->cells[i] += cols - l->used;
			l->used = cols;
		}
	l->name += cols - l->used;
	if (l->name > t->name_most)
		l->name = t->name_most;
}

/* --- headings -------------------------------------------------------------------------------- */

/* Without those of the bar. */
static int number_cells(const struct layout *l, unsigned int i)
{
	return l->cells[i] - (l->bar && i == l->barred ? l->bar : 0);
}

/* Remembers where the headings are, for the mouse. */
static void keep_headings(struct table *t, const struct layout *l)
{
	int col = 1 + l->name;

	t->is_cut = l->is_cut;
	t->nr_headings = 0;
	t->headings[t->nr_headings++] = (struct table_heading){ 0, col };
	for (unsigned int i = 0; i < l->nr; i++) {
		col += l->cells[i];
		t->headings[t->nr_headings++] = (struct table_heading){ l->columns[i], col };
	}
}

/* Words are on the left, after two blanks; a bar is behind the cell. */
static void draw_cell(struct canvas *canvas, int y, int col, const struct layout *l, unsigned int i,
		      const struct table_column *column, enum role role, const char *s)
{
	int cells = number_cells(l, i);

	if (column->align == TABLE_LEFT && column->kind != TABLE_MOMENT)
		canvas_fit(canvas, y, col + 2, cells - 2, role, s);
	else
		canvas_right(canvas, y, col, cells, role, s);
}

static const char *title_of(const struct table *t, const struct table_column *column)
{
	const char *title = t->ops->title ? t->ops->title(t->owner, column) : NULL;

	return title ? title : table_column_heading(t->columns, column, t->lacks);
}

/*
 * The first of neighbours that have one group names it: "wait: avg", "p99", "max"; without a colon
 * where the mark (@sorted) needs its cell.
 */
static void add_title(const struct table *t, const struct layout *l, unsigned int i, bool sorted,
		      struct text *out)
{
	const struct table_column *column = &t->columns->list[l->columns[i]];
	const char *group = column->group, *title = title_of(t, column),
		   *before = i ? t->columns->list[l->columns[i - 1]].group : NULL;

	if (group && (!before || strcmp(before, group) != 0)) {
		bool fits = (int)(strlen(group) + strlen(title)) + 2 + sorted < number_cells(l, i);

		text_printf(out, "%s%s ", group, fits ? ":" : "");
	}
	text_add(out, title);
}

static void draw_headings(const struct table *t, struct canvas *canvas, int y,
			  const struct layout *l)
{
	unsigned int sort = table_sorted_by(t);
	enum table_kind kind = t->columns->list[sort].kind;
	/* names are sorted from a to z, moments from the first to the last */
	bool down = (sort && kind != TABLE_STRING && kind != TABLE_MOMENT) != t->order->inverted;
	const char *mark = canvas->ascii ? down ? "v" : "^" : down ? "▾" : "▴";
	int col = 1 + l->name;
	struct text title = { 0 };

	text_printf(&title, "%s%s%s", title_of(t, &t->columns->list[0]), sort ? "" : " ",
		    sort ? "" : mark);
	canvas_text(canvas, y, 1, l->name, ROLE_HEADING, text_str(&title));
	for (unsigned int i = 0; i < l->nr; i++) {
		text_clear(&title);
		add_title(t, l, i, l->columns[i] == sort, &title);
		if (l->columns[i] == sort) {
			bool has_room = text_cells(text_str(&title), title.len) + 3 <=
					number_cells(l, i);

			text_printf(&title, "%s%s", has_room ? " " : "", mark);
		}
		draw_cell(canvas, y, col, l, i, &t->columns->list[l->columns[i]], ROLE_HEADING,
			  text_str(&title));
		col += l->cells[i];
	}
	text_fini(&title);
}

/* --- lines ----------------------------------------------------------------------------------- */

/* The part that a search found, or all of the name if that part has no room. */
static void draw_match(const struct table *t, struct canvas *canvas, int y, int col, int cells,
		       const struct text *name, const struct text *fitted)
{
	struct search_pattern *pattern = t->shared->chosen.pattern;
	const char *s = text_str(fitted);
	size_t start, end;

	if (!pattern)
		return;
	if (search_pattern_find(pattern, s, fitted->len, 0, &start, &end))
		canvas_over(canvas, y, col + canvas_width(s, start),
			    canvas_width(s + start, end - start), ROLE_MATCH);
	else if (search_pattern_find(pattern, text_str(name), name->len, 0, &start, &end))
		canvas_over(canvas, y, col, cells, ROLE_MATCH);
}

static void draw_name(const struct table *t, struct canvas *canvas, int y, uint32_t row, int cells)
{
	bool is_task = false;
	enum role role = t->ops->name_role ? t->ops->name_role(t->owner, row, &is_task) : ROLE_TEXT;
	struct text lead = { 0 }, name = { 0 }, fitted = { 0 };
	int before;

	if (t->ops->lead)
		t->ops->lead(t->owner, row, &lead);
	before = text_cells(text_str(&lead), lead.len);
	before = before < cells ? before : 0;
	cells -= before;
	table_name(t, row, &name);
	if (is_task)
		timeline_fit_name(text_str(&name), true, cells, &fitted);
	else
		shorten_function(text_str(&name), cells, &fitted);
	canvas_text(canvas, y, 1, before, role, text_str(&lead));
	canvas_text(canvas, y, 1 + before, cells, role, text_str(&fitted));
	draw_match(t, canvas, y, 1 + before, cells, &name, &fitted);
	text_fini(&lead);
	text_fini(&name);
	text_fini(&fitted);
}

static void draw_bar(const struct table *t, struct canvas *canvas, int y, int col, uint32_t row,
		     const struct layout *l)
{
	unsigned int i = l->columns[l->barred];
	const struct table_column *column = &t->columns->list[i];
	double number = table_number(t, row, column);
	struct text bar = { 0 };

	if (number > 0)
		text_bar(&bar, number / table_number(t, t->largest[i], column),
			 (unsigned int)(l->bar - BAR_BLANKS));
	canvas_text(canvas, y, col, l->bar, ROLE_OVERVIEW, text_str(&bar));
	text_fini(&bar);
}

static void draw_columns(const struct table *t, struct canvas *canvas, int y, uint32_t row,
			 const struct layout *l)
{
	int col = 1 + l->name;
	struct text cell = { 0 };

	draw_name(t, canvas, y, row, l->name);
	for (unsigned int i = 0; i < l->nr; i++) {
		const struct table_column *column = &t->columns->list[l->columns[i]];

		text_clear(&cell);
		table_cell(t, row, column, &cell);
		if (t->ops->add_to_cell)
			t->ops->add_to_cell(t->owner, row, column, number_cells(l, i) - 2, &cell);
		draw_cell(canvas, y, col, l, i, column, table_role(t, row, column),
			  text_str(&cell));
		col += l->cells[i];
		if (l->bar && i == l->barred)
			draw_bar(t, canvas, y, col - l->bar + 1, row, l);
	}
	text_fini(&cell);
	if (t->ops->is_dim && t->ops->is_dim(t->owner, row))
		canvas_over(canvas, y, 0, canvas->cols, ROLE_FILTERED);
}

static void draw_line(const struct table *t, struct canvas *canvas, int y, uint32_t line,
		      const struct layout *l)
{
	uint32_t row = table_row(t, line), below;
	struct text text = { 0 };
	enum role role;

	if (table_is_below(t, line, &below)) {
		t->ops->below(t->owner, below, &text, &role);
		canvas_fit(canvas, y, 1, canvas->cols - 2, role, text_str(&text));
	} else {
		draw_columns(t, canvas, y, row, l);
	}
	text_fini(&text);
	if (line == t->window.at)
		canvas_cursor(canvas, y, 0, canvas->cols, ROLE_SELECTED);
}

void table_draw(struct table *t, struct canvas *canvas, int top, int rows)
{
	const struct list_window *w = &t->window;
	uint32_t nr = table_count_lines(t);
	struct layout l = { 0 };

	list_window_show(&t->window, top + 1, rows - 1, nr);
	lay_out(t, canvas->cols, &l);
	keep_headings(t, &l);
	draw_headings(t, canvas, top, &l);
	for (uint32_t i = 0; i < w->height && w->top + i < nr; i++)
		draw_line(t, canvas, w->row + (int)i, w->top + i, &l);
}
