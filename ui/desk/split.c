/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/desk/split.h"

#include "ui/desk/desk.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"

#define SPLIT_COLS	160		/* either of them is enough */
#define SPLIT_ROWS	40

static bool fits(const struct app *app)
{
	return app->canvas.cols >= SPLIT_COLS || app->canvas.rows >= SPLIT_ROWS;
}

static bool is_wanted(const struct app *app)
{
	bool large = app->canvas.cols >= SPLIT_COLS && app->canvas.rows >= SPLIT_ROWS;

	return app->split.wish == SPLIT_ON ? fits(app) : app->split.wish == SPLIT_AUTO && large;
}

bool split_shown(const struct app *app)
{
	return is_wanted(app) && app->view && app->split.view != app->view_id &&
	       app->views[app->split.view];
}

/* Timeline and Events belong together; any other view comes with Events. */
static enum view_id partner(enum view_id id)
{
	return id == VIEW_EVENTS ? VIEW_TIMELINE : VIEW_EVENTS;
}

void split_wish(struct app *app, enum split_wish wish)
{
	app->split.wish = wish;
	app->split.view = app->view_id;
	split_open(app);
	if (wish == SPLIT_ON && !fits(app))
		app_message(app, "two views need %d columns or %d rows; this screen has %dx%d",
			    SPLIT_COLS, SPLIT_ROWS, app->canvas.cols, app->canvas.rows);
	views_changed(app);
}

/* Where it is not shown for want of room, it stays on, and says so again. */
void split_toggle(struct app *app)
{
	split_wish(app, split_shown(app) ? SPLIT_OFF : SPLIT_ON);
}

void split_restore(struct app *app, enum view_id other, bool below)
{
	app->split.wish = SPLIT_ON;
	app->split.view = other;
	app->split.below = below;
	split_open(app);
}

void split_open(struct app *app)
{
	if (!is_wanted(app) || !app->view)
		return;
	if (app->split.view == app->view_id) {
		app->split.view = partner(app->view_id);
		app->split.below = app->split.view == VIEW_TIMELINE;
	}
	app->split.upper = 0;
	app->split.at = (struct place){ 0 };
	views_open(app, app->split.view);
}

void split_focus(struct app *app)
{
	if (split_shown(app))
		views_show(app, app->split.view);
	else
		app_message(app, "there is one view; | shows two");
}

void split_mouse(struct app *app)
{
	const struct ui_mouse *mouse = &app->mouse;

	if (split_shown(app) && mouse->kind != UI_MOUSE_DRAG && mouse->kind != UI_MOUSE_RELEASE &&
	    mouse->row != app->split.row && mouse->row < app->split.bottom &&
	    (mouse->row > app->split.row) != app->split.below)
		split_focus(app);
}

static void draw_divider(struct app *app, int row)
{
	struct canvas *canvas = &app->canvas;
	enum view_id lower = app->split.below ? app->view_id : app->split.view;
	struct text t = { 0 };

	text_add(&t, app->split.below ? "[" : " ");
	view_label(lower, view_title(lower), &t);
	text_add(&t, app->split.below ? "]" : " ");
	canvas_fill(canvas, row, 0, canvas->cols, ROLE_DIVIDER, "─");
	canvas_text(canvas, row, 0, canvas->cols, app->split.below ? ROLE_TAB_CURRENT : ROLE_TAB,
		    text_str(&t));
	canvas_right(canvas, row, canvas->cols - 40, 39, ROLE_DIM, " ` other view  | one view ");
	text_fini(&t);
}

/* A view sees no more rows than its part of the screen has. */
static void draw_part(const struct view_ops *ops, struct view *view, const struct view_area *area)
{
	struct canvas part = *area->canvas;
	struct view_area rows = { &part, area->top, area->rows };

	part.rows = area->top + area->rows;
	view_take(ops, view);
	ops->draw(view, &rows);
}

/* The row under the cursor of the view that the keys do not go to is less conspicuous. */
static void without_keys(const struct view_area *area)
{
	struct canvas *canvas = area->canvas;
	struct canvas_cell *cell = &canvas->cells[(size_t)area->top * canvas->cols],
			   *end = cell + (size_t)area->rows * canvas->cols;

	for (; cell < end; cell++)
		if (cell->over == ROLE_SELECTED)
			cell->over = ROLE_SELECTED_INACTIVE;
}

/* Where the other view goes: to the cursor; of a table, to where the time of its row begins. */
static struct place place_here(struct app *app)
{
	const struct view_moments *moments = app->ops->moments;
	struct place place;

	if (!app->ops->publish && moments && moments->span &&
	    moments->span(app->view, false, &place))
		return place;
	return app->shared.at.here;
}

/*
 * Half of the rows, or less if the upper view needs less: the most that it needed since the views
 * or filters were chosen, so that the divider stays where it is.
 */
static int upper_rows(struct app *app, int rows)
{
	const struct view_ops *ops = app->split.below ? view_table[app->split.view] : app->ops;
	struct view *view = app->split.below ? app->views[app->split.view] : app->view;
	int needed = ops->rows ? ops->rows(view) : 0;

	if (needed > app->split.upper)
		app->split.upper = needed;
	return needed && app->split.upper < rows / 2 ? app->split.upper : rows / 2;
}

void split_draw(struct app *app, const struct view_area *area)
{
	struct place here;
	const struct view_ops *other = view_table[app->split.view];
	struct view *view = app->views[app->split.view];
	struct view_area upper = { area->canvas, area->top, upper_rows(app, area->rows) },
			 lower = { area->canvas, area->top + upper.rows + 1,
				   area->rows - upper.rows - 1 };

	app->split.row = lower.top - 1;
	app->split.bottom = lower.top + lower.rows;
	draw_part(app->ops, app->view, app->split.below ? &lower : &upper);
	app->behind = true;
	views_publish(app);
	here = place_here(app);
	if (here.set && !place_same(&here, &app->split.at))
		views_go(app, app->split.view, &here);
	app->split.at = here;
	draw_part(other, view, app->split.below ? &upper : &lower);
	without_keys(app->split.below ? &upper : &lower);
	draw_divider(app, app->split.row);
}
