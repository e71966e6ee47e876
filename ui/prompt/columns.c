/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/columns.h"

#include <string.h>

#include "ui/desk/desk.h"
#include "ui/desk/narrow.h"
#include "ui/table/table.h"

#define NAME_CELLS	30	/* cells of the widest name used for alignment */
#define TITLE_CELLS	12	/* width of the titles in a table */

/* The table that the view shows now, or NULL. */
static struct table *table_of(const struct app *app)
{
	struct table *table = app_table(app);

	return table && table->columns ? table : NULL;
}

/* --- v ------------------------------------------------------------------------------------ */

static void add_name(struct text *out, const char *name, int cells)
{
	int width = canvas_width(name, strlen(name));

	text_add(out, name);
	text_pad(out, width < cells ? (size_t)(cells - width) : 0);
}

static void add_choice(struct app *app, int value, bool shown, const char *name, int width,
		       const char *help)
{
	struct text line = { 0 };

	text_printf(&line, "[%c] ", shown ? 'x' : ' ');
	add_name(&line, name, width);
	text_printf(&line, " %s", help ? help : "");
	popup_add(&app->popup, value, false, text_str(&line));
	text_fini(&line);
}

/* The name of a row is always shown. */
static void add_of_table(struct app *app, const struct table *table)
{
	struct text title = { 0 };

	for (unsigned int i = 1; i < table->columns->nr; i++) {
		if (!table_offers(table, i))
			continue;
		text_clear(&title);
		table_column_title(table->columns, &table->columns->list[i], &title);
		add_choice(app, (int)i, table_has_column(table, i), text_str(&title), TITLE_CELLS,
			   table->columns->list[i].help);
	}
	text_fini(&title);
}

static void add_of_view(struct app *app, const struct view_columns *columns)
{
	unsigned int nr = columns->count(app->view);
	const char *help, *name;
	int width = 10;
	bool shown;

	for (unsigned int i = 0; i < nr; i++) {
		name = columns->name(app->view, i, &shown, &help);
		width = strlen(name) <= NAME_CELLS && (int)strlen(name) > width ?
				(int)strlen(name) :
				width;
	}
	for (unsigned int i = 0; i < nr; i++) {
		name = columns->name(app->view, i, &shown, &help);
		add_choice(app, (int)i, shown, name, width, help);
	}
}

static void toggle(struct app *app, int column)
{
	struct table *table = table_of(app);

	if (table)
		table_toggle_column(table, (unsigned int)column);
	else
		app->ops->columns->toggle(app->view, (unsigned int)column);
	columns_open(app);
}

static const struct picker column_picker = {
	.keys = "↑ ↓ Choose  Enter Show or hide  Esc Back",
	.label = "column: ",
	.change = toggle,
};

void columns_open(struct app *app)
{
	const struct table *table = table_of(app);

	if (!table && !app->ops->columns) {
		app_message(app, "there are no columns to choose from here");
		return;
	}
	popup_open(&app->popup, &column_picker, view_bar(app->ops, REQ_COLUMNS));
	if (table)
		add_of_table(app, table);
	else
		add_of_view(app, app->ops->columns);
	narrow_open(app);
}

/* --- s ------------------------------------------------------------------------------------ */

static void sort_by(struct app *app, int column)
{
	struct table *table = table_of(app);

	if (table)
		table_sort(table, (unsigned int)column);
	app->behind = true;
}

static const struct picker sort_picker = {
	.keys = "↑ ↓ Choose  Enter Sort  Esc Back",
	.label = "sort by: ",
	.take = sort_by,
};

void columns_open_sort(struct app *app)
{
	const struct table *table = table_of(app);
	unsigned int sorted;

	if (!table) {
		app_message(app, "these rows cannot be sorted");
		return;
	}
	sorted = table_sorted_by(table);
	popup_open(&app->popup, &sort_picker, "Sort by");
	for (unsigned int i = 0; i < table->columns->nr; i++) {
		const struct table_column *column = &table->columns->list[i];
		struct text line = { 0 };

		if (!table_can_sort(table, i))
			continue;
		table_column_title(table->columns, column, &line);
		text_pad(&line, line.len < TITLE_CELLS ? TITLE_CELLS - line.len : 0);
		text_printf(&line, " %s", column->help ? column->help : "");
		if (i == sorted)
			app->popup.window.at = app->popup.nr;
		popup_add(&app->popup, (int)i, false, text_str(&line));
		text_fini(&line);
	}
	narrow_open(app);
}
