/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/frame.h"

#include <stdio.h>
#include <string.h>

#include "src/base/shorten.h"
#include "src/base/workers.h"
#include "src/trace/trace_latency.h"
#include "ui/app/actions.h"
#include "ui/app/loop.h"
#include "ui/app/press.h"
#include "ui/app/start.h"
#include "ui/desk/desk.h"
#include "ui/desk/hits.h"
#include "ui/desk/split.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"
#include "ui/prompt/filter_line.h"
#include "ui/prompt/lists.h"
#include "ui/prompt/save_line.h"
#include "ui/prompt/search_line.h"
#include "ui/session/remember.h"
#include "ui/session/session.h"
#include "ui/table/table.h"
#include "ui/view/header.h"
#include "ui/view/list_tabs.h"

#define APP_MIN_ROWS	15
#define APP_MIN_COLS	60
#define HELP_CELLS	8		/* "  ? Help" */
#define DRAW_NS		10000000	/* ns that a drawing may spend on finding matches */

static void draw_too_small(struct app *app)
{
	char line[96];

	snprintf(line, sizeof(line), "Terminal too small: %dx%d needed", APP_MIN_COLS,
		 APP_MIN_ROWS);
	if (canvas_width(line, strlen(line)) > app->canvas.cols)	/* only if it fits whole */
		snprintf(line, sizeof(line), "%dx%d needed", APP_MIN_COLS, APP_MIN_ROWS);
	canvas_fit(&app->canvas, app->canvas.rows / 2, 0, app->canvas.cols, ROLE_TEXT, line);
}

static void add_spot(struct app *app, int from, ui_key key)
{
	if (app->loop->nr_bar < APP_BAR_SPOTS)
		app->loop->bar[app->loop->nr_bar++] = (struct bar_spot){ from, key };
}

ui_key frame_bar_key(const struct app *app)
{
	const struct ui_mouse *mouse = &app->mouse;
	ui_key key = UI_KEY_NONE;

	if (mouse->row != app->canvas.rows - 1 || mouse->col >= app->loop->bar_end ||
	    (mouse->kind != UI_MOUSE_PRESS && mouse->kind != UI_MOUSE_DOUBLE))
		return UI_KEY_NONE;
	for (unsigned int i = 0; i < app->loop->nr_bar && app->loop->bar[i].from <= mouse->col; i++)
		key = app->loop->bar[i].key;
	return key;
}

/* "j k Choose": an entry, its keys first.  Return: the column after it. */
static int draw_hint(struct app *app, struct canvas *canvas, int row, int col, const char *s,
		     size_t len)
{
	bool keys = true;

	for (size_t at = 0, n; at < len; at += n + 1) {
		ui_key key;

		n = strcspn(s + at, " ");
		n = n < len - at ? n : len - at;
		key = key_parse(s + at, n);
		keys = keys && key != UI_KEY_NONE;
		if (keys)
			add_spot(app, col, key);
		col += canvas_bytes(canvas, row, col, canvas->cols - col,
				    keys ? ROLE_KEYBAR_KEY : ROLE_KEYBAR_TEXT, s + at, n) +
		       1;
	}
	return col;
}

/* "j k Choose  Enter Go there": two blanks between entries.  The last one is always shown. */
static void draw_hint_bar(struct app *app, struct canvas *canvas, int row, const char *s)
{
	const char *last = s;
	int col = 1, reserve;

	for (const char *p = s; (p = strstr(p, "  ")) != NULL; p += 2)
		last = p + 2;
	reserve = canvas_width(last, strlen(last));
	while (*s) {
		const char *end = strstr(s, "  ") ?: s + strlen(s);
		size_t len = (size_t)(end - s);

		if (s == last || col + canvas_width(s, len) + 2 + reserve < canvas->cols)
			col = draw_hint(app, canvas, row, col, s, len) + 1;
		s = s == last ? end : end + 2;
	}
	app->loop->bar_end = col;
}

/* What the request does now, in a word. */
static const char *bar_word(const struct app *app, enum request request)
{
	const struct view_keys *keys = app->ops->keys;
	const char *word;

	request = actions_meant(app, request);
	word = keys->word ? keys->word(app->view, request) : NULL;

	if (request == REQ_BACK && app->nr_returns)
		return "Back";
	return word ? word : view_bar(app->ops, request);
}

/* Can the request act now? */
static bool can(const struct app *app, enum request request)
{
	const struct view_keys *keys = app->ops->keys;

	if (request == REQ_HELP || request == REQ_OPTIONS || request == REQ_BACK ||
	    request == REQ_RECORD)
		return true;
	return keys->can ? keys->can(app->view, request) : !app->ops->table || app_table(app);
}

static ui_key bar_key(const struct app *app, enum request request)
{
	return request == REQ_VIEW ? (ui_key)view_key(app->ops->keys->view) :
				     keymap_first_key(request);
}

/* Draws the key and word of each request that has a word and can act here. */
static void draw_key_bar(struct app *app, struct canvas *canvas, int row)
{
	const enum request *bar = app->ops->keys->bar;
	int col = 1, reserve = HELP_CELLS;	/* the key of the help is always shown */

	for (; *bar != REQ_NONE; bar++) {
		const char *word = bar_word(app, *bar);
		struct text key = { 0 };
		enum request first = *bar;
		int second = 0;		/* where its key begins */

		if (!can(app, *bar))
			continue;
		key_name(bar_key(app, *bar), &key);
		if (!word && bar[1] != REQ_NONE) { /* "a" of "a b Mark": the next
							   one has the word for both */
			text_char(&key, ' ');
			second = (int)key.len;
			key_name(bar_key(app, *++bar), &key);
			word = bar_word(app, *bar);
		}
		if (*bar == REQ_HELP)
			reserve = 0;
		if (word && col + (int)key.len + 1 + (int)strlen(word) + reserve < canvas->cols) {
			add_spot(app, col, bar_key(app, first));
			if (second)
				add_spot(app, col + second, bar_key(app, *bar));
			col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_KEYBAR_KEY,
					   text_str(&key)) +
			       1;
			col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_KEYBAR_TEXT,
					   word) +
			       2;
		}
		text_fini(&key);
	}
	app->loop->bar_end = col;
}

/* Describes the view's work, if it takes long enough to mention. */
static bool view_is_at_work(const struct app *app, struct text *out)
{
	const struct view_work *work = app->view ? app->ops->work : NULL;

	if (work && work->text && app->works && workers_now_ns() - app->works_since > PROGRESS_NS)
		work->text(app->view, out);
	return out->len > 0;
}

/* A message that does not fit ends after a word, unless little would be left of it. */
static void cut_message(const char *message, int cells, struct text *out)
{
	size_t len = canvas_line(message, cells - 1);

	if (canvas_width(message, strlen(message)) <= cells || len < (size_t)cells / 2) {
		text_add(out, message);
		return;
	}
	while (len && message[len - 1] == ' ')
		len--;
	text_bytes(out, message, len);
	text_add(out, "…");
}

static void draw_message(const struct app *app, struct canvas *canvas, int row)
{
	const char *message = text_str(&app->message);
	bool fits = canvas_width(message, app->message.len) < canvas->cols;
	bool has_list = app->view && !record_shown(app->loop->record);	/* and : to type it */
	const char *rest = fits || app->message_from_end || !has_list ? "" : "  :messages";
	int cells = canvas->cols - 1 - (int)strlen(rest);
	struct text cut = { 0 };

	if (app->message_from_end)
		shorten_behind(message, (int)strcspn(message, " ") + 1, cells, &cut);
	else
		cut_message(message, cells, &cut);
	canvas_fit(canvas, row, 1, cells, app->message_is_error ? ROLE_ERROR : ROLE_MESSAGE,
		   text_str(&cut));
	canvas_text(canvas, row, 1 + cells, (int)strlen(rest), ROLE_PROMPT_HINT, rest);
	text_fini(&cut);
}

/* The view's text in place of the key bar, or NULL. */
static const char *pending_hint(const struct app *app)
{
	return app->view && app->ops->keys->pending_hint ? app->ops->keys->pending_hint(app->view) :
							   NULL;
}

/* Bytes of the entries that fit on a line; two blanks are between entries. */
static size_t whole_entries(const char *s, int cells)
{
	size_t fits = canvas_prefix(s, strlen(s), cells, NULL), len = fits;

	if (!s[fits])
		return fits;
	while (len && strncmp(s + len, "  ", 2))
		len--;
	return len ? len : fits;
}

/* "list:  a kinds  c call …", on as many rows as it needs, above the bottom one. */
static void draw_letters(struct canvas *canvas, const char *s)
{
	int cells = canvas->cols - 2, rows = 0, row;

	for (const char *p = s; *p; p += strspn(p, " "), rows++)
		p += whole_entries(p, cells);
	rows = rows < canvas->rows ? rows : canvas->rows;
	for (row = canvas->rows - rows; row < canvas->rows && *s; row++) {
		size_t len = whole_entries(s, cells);

		canvas_fill(canvas, row, 0, canvas->cols, ROLE_TEXT, " ");
		canvas_bytes(canvas, row, 1, cells, ROLE_PROMPT, s, len);
		s += len;
		s += strspn(s, " ");
	}
}

static void draw_bottom(struct app *app)
{
	struct canvas *canvas = &app->canvas;
	int row = canvas->rows - 1;
	struct text t = { 0 };
	const char *hint = record_key_bar(app->loop->record);

	if (!hint)
		hint = pending_hint(app);

	app->loop->nr_bar = 0;
	if (app->typed) {
		prompt_draw(&app->prompt, canvas);
		return;
	}
	canvas_fill(canvas, row, 0, canvas->cols, ROLE_TEXT, " ");
	if (app->loop->keymap.pending != REQ_NONE) {
		press_letters(app, &t);
		draw_letters(canvas, text_str(&t));
	} else if (app->job && workers_now_ns() - app->job_started > PROGRESS_NS) {
		app->job->progress(app, &t);
		canvas_fit(canvas, row, 1, canvas->cols - 1, ROLE_PROMPT_HINT, text_str(&t));
	} else if (view_is_at_work(app, &t)) {
		canvas_fit(canvas, row, 1, canvas->cols - 1, ROLE_PROMPT_HINT, text_str(&t));
	} else if (record_question(app->loop->record)) {
		draw_hint_bar(app, canvas, row, record_question(app->loop->record));
	} else if (app->message.len) {
		draw_message(app, canvas, row);
	} else if (app->popup.picker) {
		draw_hint_bar(app, canvas, row, app->popup.picker->keys);
	} else if (hint) {
		draw_hint_bar(app, canvas, row, hint);
	} else if (app->shared.look.keybar && app->view) {
		draw_key_bar(app, canvas, row);
	}
	text_fini(&t);
}

static int normal_detail_rows(const struct app *app)
{
	int rows = app->canvas.rows;

	if (app->shared.look.detail_rows >= 0)
		return app->shared.look.detail_rows < rows / 2 ? app->shared.look.detail_rows :
								 rows / 2;
	return rows >= 40 ? 8 : rows >= 30 ? 4 : 2;
}

static int overview_rows(const struct app *app)
{
	if (!app->shared.look.overview || trace_text_header(app->shared.trace))
		return 0;
	return app->canvas.rows >= 30 && overview_has_more(&app->shared) ? 2 : 1;
}

static int tabs_rows(const struct app *app)
{
	return header_tabs_rows(&app->shared, app->canvas.cols, view_table, app->view_id);
}

bool frame_list_tab(struct app *app)
{
	const struct view_lists *lists = app->ops->lists;
	const struct ui_mouse *mouse = &app->mouse;
	int first = split_shown(app) && app->split.below ? app->split.row + 1 :
							   1 + overview_rows(app) + tabs_rows(app);
	char letter = 0;

	if (lists && lists->tabs && mouse->row == first &&
	    (mouse->kind == UI_MOUSE_PRESS || mouse->kind == UI_MOUSE_DOUBLE))
		letter = list_tabs_at(view_lists_now(app->ops, app->view), lists->shown(app->view),
				      list_tabs_cells(app->view, lists, app->canvas.cols),
				      mouse->col);
	if (letter)
		lists_open(app, letter);
	return letter;
}

bool frame_mouse(struct app *app)
{
	const struct ui_mouse *mouse = &app->mouse;
	int overview = overview_rows(app);
	enum view_id tab;

	if (mouse->row > overview + tabs_rows(app) ||
	    (mouse->kind != UI_MOUSE_PRESS && mouse->kind != UI_MOUSE_DOUBLE))
		return false;
	if (mouse->row == 1 && overview && app->shared.at.has_span)
		views_jump_time(app, overview_time(&app->shared, app->canvas.cols, mouse->col), -1);
	if (mouse->row == 1 + overview) {
		tab = header_tab_at(&app->shared, app->canvas.cols, view_table, app->view_id,
				    mouse->col);
		if (tab != NR_VIEWS)
			views_show(app, tab);
	}
	return true;
}

/* With two views, names the one whose details are shown, where the line above them is free. */
static void draw_owner(struct app *app, int row)
{
	struct canvas *canvas = &app->canvas;
	struct text t = { 0 };
	int cells, col = 0, room = 0;

	text_add(&t, "[");
	view_label(app->view_id, view_title(app->view_id), &t);
	text_add(&t, "]");
	cells = canvas_width(text_str(&t), t.len);
	for (; col < canvas->cols && room < cells + 4; col++)
		room = canvas_at(canvas, row, col)->role == ROLE_DIVIDER ? room + 1 : 0;
	if (room == cells + 4)
		canvas_text(canvas, row, col - cells - 2, cells, ROLE_TAB_CURRENT, text_str(&t));
	text_fini(&t);
}

int frame_detail_rows(struct app *app)
{
	return view_detail_rows(app->ops, app->view, &app->shared, normal_detail_rows(app),
				app->canvas.rows / 2 - app->tour.on);
}

/* Draws the view on the rows before @end_row; a list may cover the rest. */
static void draw_view(struct app *app, int end_row)
{
	struct canvas *canvas = &app->canvas, part = *canvas;
	bool whole = end_row == canvas->rows;
	int overview = overview_rows(app);
	int tabs = tabs_rows(app), top = 1 + overview + tabs;
	int bottom = whole ? canvas->rows - (app->tour.on ? 2 : 1) : end_row;
	int detail;
	struct view_area area = { .canvas = &part };
	struct text end = { 0 };

	part.rows = end_row;
	text_clear(&app->shared.recording);
	text_clear(&app->shared.recorder);
	record_status_text(app->loop->record, &app->shared.recording);
	record_load_text(app->loop->record, &app->shared.recorder);
	view_take(app->ops, app->view);
	detail = whole ? frame_detail_rows(app) : 0;
	area.top = top;
	area.rows = bottom - detail - top;
	if (split_shown(app)) {
		split_draw(app, &area);
	} else {
		app->ops->draw(app->view, &area);
		app->behind = true;
		views_publish(app);
	}
	if (app->ops->header)
		app->ops->header(app->view, &end);
	else if (app_table(app))
		table_header(app_table(app), &end);
	header_draw(canvas, 0, &app->shared,
		    app->ops->header || app->ops->table ? text_str(&end) : NULL);
	text_fini(&end);
	if (overview)
		overview_draw(canvas, 1, overview, &app->shared);
	header_draw_tabs(canvas, top - tabs, tabs, &app->shared, view_table, app->view_id);
	if (whole)
		tour_draw(&app->tour, canvas, canvas->rows - 2, app->view_id);
	if (detail) {
		area.top = bottom - detail;
		area.rows = detail;
		view_draw_detail(app->ops, app->view, &area);
		if (split_shown(app))
			draw_owner(app, area.top);
	}
}

/* Drawing publishes the view's cursor, so the tour's progress is known only after it. */
static bool follow_tour(struct app *app)
{
	bool reached = tour_follow(&app->tour, &app->shared, app->view_id);

	if (reached && !app->tour.on && !app->message.len)
		app_message(app, "%s", tour_end);
	return reached;
}

static void draw_screen(struct app *app)
{
	struct canvas *canvas = &app->canvas;

	canvas_clear(canvas);
	if (canvas->rows < APP_MIN_ROWS || canvas->cols < APP_MIN_COLS) {
		draw_too_small(app);
	} else if (record_shown(app->loop->record)) {
		record_draw(app->loop->record);
		draw_bottom(app);
	} else if (!app->view) {
		start_draw(app);
		draw_bottom(app);
	} else {
		int end = app->popup.picker ? popup_top(&app->popup, canvas->rows) : canvas->rows;

		if (end)
			draw_view(app, end);
		if (app->popup.picker)
			popup_draw(&app->popup, canvas);
		draw_bottom(app);
	}
}

void frame_draw(struct app *app)
{
	app->shared.look.cols = app->canvas.cols;
	app->canvas.plain = app->term && !theme_has_colours(&app->theme, term_depth(app->term));
	filters_budget(&app->shared.chosen.filters, DRAW_NS);
	filter_line_apply(app);
	filter_line_count(app);
	save_line_count(app);
	search_line_apply(app);
	search_line_count(app);
	hits_refresh(app);
	app->shared.later = false;
	draw_screen(app);
	if (app->view && remember_window(app))
		draw_screen(app);
	while (follow_tour(app))
		draw_screen(app);
	if (app->term)
		term_draw(app->term, &app->canvas);
	app->dirty = false;
}
