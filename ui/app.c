/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app_state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "src/memory.h"
#include "src/workers.h"
#include "ui/goto.h"
#include "ui/header.h"
#include "ui/help.h"

#define INDEX_TICK_MS	100		/* how often the screen follows the page directory */

int64_t app_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* --- messages ------------------------------------------------------------ */

static void set_message(struct app *app, bool is_error, const char *fmt, va_list ap)
{
	char buf[512];

	vsnprintf(buf, sizeof(buf), fmt, ap);
	text_clear(&app->message);
	text_printable(&app->message, buf, strlen(buf));
	app->message_is_error = is_error;
	app->dirty = true;
	if (app->nr_log == APP_MESSAGES) {
		free(app->log[0]);
		memmove(app->log, app->log + 1, sizeof(app->log[0]) * --app->nr_log);
	}
	app->log[app->nr_log++] = mem_strdup(text_str(&app->message));
}

void app_message(struct app *app, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_message(app, false, fmt, ap);
	va_end(ap);
}

void app_error(struct app *app, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_message(app, true, fmt, ap);
	va_end(ap);
}

/* --- what views ask for -------------------------------------------------- */

void app_entering(struct app *app)
{
	app->entering = true;
}

static void remember_return(struct app *app)
{
	if (app->nr_returns == APP_RETURNS)
		memmove(app->returns, app->returns + 1, sizeof(app->returns[0]) * --app->nr_returns);
	app->returns[app->nr_returns++] = app->shared.here.ref;
}

/* q: closes what is on top, then leads back to where Enter came from, then quits. */
static void back(struct app *app)
{
	if (app->nr_returns)
		app_jump(app, app->returns[--app->nr_returns]);
	else
		app->quit = true;
}

void app_jump(struct app *app, trace_ref ref)
{
	if (ref == TRACE_REF_NONE || ref == app->shared.here.ref)
		return;
	if (app->entering)
		remember_return(app);
	app->entering = false;
	places_leave(&app->shared.places, app->shared.here);
	app->ops->go(app->view, ref);
}

void app_jump_time(struct app *app, int64_t ts, int cpu)
{
	trace_ref ref = trace_seek_time(app->shared.trace, ts, cpu);

	if (ref == TRACE_REF_NONE && cpu < 0)
		ref = trace_last(app->shared.trace);
	if (ref == TRACE_REF_NONE)
		app_message(app, "CPU %d has no event from there on", cpu);
	else
		app_jump(app, ref);
}

void app_copy(struct app *app, const char *what, const char *s, size_t len)
{
	struct text size = { 0 };

	if (!app->term)
		app_message(app, "%s: %.*s", what, (int)(len < 200 ? len : 200), s);
	else if (term_copy(app->term, s, len)) {
		text_count(&size, len);
		app_message(app, "%s copied, %s bytes, where the terminal takes OSC 52", what, text_str(&size));
	} else {
		app_error(app, "too long for the clipboard of terminals: S t saves it into a file");
	}
	text_fini(&size);
}

void app_changed(struct app *app)
{
	if (app->view)
		app->ops->changed(app->view);
	app->dirty = true;
}

/* --- the trace ----------------------------------------------------------- */

static void update_span(struct app *app)
{
	app->shared.has_span = trace_span(app->shared.trace, &app->shared.first, &app->shared.last);
}

void app_use_trace(struct app *app, struct trace *trace)
{
	struct shared *shared = &app->shared;

	shared->trace = trace;
	places_init(&shared->places);
	shared->here.ref = TRACE_REF_NONE;
	app->surveyed = false;
	app->nr_returns = 0;
	app->index_seen = false;
	app->index_looked = app_now_ns();
	update_span(app);
	app->ops = view_ops(0);
	app->view = app->ops->open(app, shared);
	app->dirty = true;
}

void app_drop_trace(struct app *app)
{
	finder_cancel(app);
	save_cancel(app);
	if (app->view)
		app->ops->close(app->view);
	app->view = NULL;
	app->ops = NULL;
	places_fini(&app->shared.places);
	search_pattern_free(app->shared.pattern);
	app->shared.pattern = NULL;
	free(app->shared.streams);
	app->shared.streams = NULL;
	app->shared.trace = NULL;
	trace_close(app->own_trace);
	app->own_trace = NULL;
}

/* --- prompts ------------------------------------------------------------- */

void app_open_prompt(struct app *app, enum prompt_kind kind, const char *label, const char *text,
		     struct prompt_history *history)
{
	app->prompt_kind = kind;
	prompt_open(&app->prompt, label, text, history);
	if (kind == PROMPT_GO)
		commands_go_hint(app);
}

static void accept_search(struct app *app, const char *text)
{
	if (*text)
		app_search_for(app, text, true);
	else if (app->shared.pattern)
		app_find(app, &(struct find){ .kind = FIND_PATTERN, .forward = true, .what = "match" });
}

static void accept_threshold(struct app *app, const char *text)
{
	struct ft_error err = { 0 };
	int64_t ns;

	if (goto_parse_duration(text, &ns, &err))
		app_error(app, "'%s': %s", text, err.message);
	else
		app->shared.threshold = ns > 0 ? ns : 1;
}

static void accept_note(struct app *app, const char *text)
{
	places_note(&app->shared.places, app->shared.here, text);
	app_changed(app);
}

static void prompt_accepted(struct app *app)
{
	struct text text = { 0 };
	enum prompt_kind kind = app->prompt_kind;

	text_add(&text, text_str(&app->prompt.text));
	app->prompt_kind = PROMPT_NONE;
	switch (kind) {
	case PROMPT_NONE:
		break;
	case PROMPT_GO:
		commands_go(app, text_str(&text));
		break;
	case PROMPT_SEARCH:
		accept_search(app, text_str(&text));
		break;
	case PROMPT_NOTE:
		accept_note(app, text_str(&text));
		break;
	case PROMPT_SAVE:
		if (text.len)
			save_start(app, text_str(&text));
		break;
	case PROMPT_POPUP_SEARCH:
		if (text.len && !popup_find(&app->popup, text_str(&text), true))
			app_message(app, "not found: %s", text_str(&text));
		break;
	case PROMPT_THRESHOLD:
		accept_threshold(app, text_str(&text));
		break;
	case PROMPT_OPEN:
		if (text.len)
			start_open(app, text_str(&text));
		break;
	}
	text_fini(&text);
}

/* A regex that is wrong is said while it is typed. */
static void search_hint(struct app *app)
{
	struct search_pattern *pattern;
	struct ft_error err = { 0 };

	text_clear(&app->prompt.hint);
	app->prompt.wrong = false;
	if (!app->prompt.text.len)
		return;
	pattern = search_pattern_new(text_str(&app->prompt.text), &err);
	if (!pattern) {
		app->prompt.wrong = true;
		app->prompt.wrong_at = (int)err.offset;
		text_add(&app->prompt.hint, err.message);
	}
	search_pattern_free(pattern);
}

static void prompt_press(struct app *app, ui_key key)
{
	switch (prompt_key(&app->prompt, key)) {
	case PROMPT_SAME:
		break;
	case PROMPT_CHANGED:
		if (app->prompt_kind == PROMPT_GO)
			commands_go_hint(app);
		else if (app->prompt_kind == PROMPT_SEARCH)
			search_hint(app);
		break;
	case PROMPT_ACCEPTED:
		prompt_accepted(app);
		break;
	case PROMPT_CANCELLED:
		app->prompt_kind = PROMPT_NONE;
		break;
	}
}

/* --- requests ------------------------------------------------------------ */

static void go_mark(struct app *app, char letter)
{
	const struct place *place = places_get(&app->shared.places, letter);

	if (place)
		app_jump(app, place->ref);
	else if (letter == '\'')
		app_message(app, "no jump so far: there is no previous place");
	else
		app_message(app, "mark %c is not set", letter);
}

static void set_mark(struct app *app, char letter)
{
	struct shared *shared = &app->shared;

	if (shared->here.ref == TRACE_REF_NONE)
		return;
	places_mark(&shared->places, letter, shared->here);
	if (letter == 'a' && shared->time_format == TIME_SINCE_A && !places_get(&shared->places, 'a'))
		shared->time_format = TIME_ABSOLUTE;
	app_changed(app);
}

static void step_place(struct app *app, bool back)
{
	struct shared *shared = &app->shared;
	struct place to = back ? places_back(&shared->places, shared->here)
			       : places_forward(&shared->places, shared->here);

	if (to.ref == TRACE_REF_NONE)
		app_message(app, back ? "this is the first place" : "this is the last place");
	else
		app->ops->go(app->view, to.ref);
}

static void next_trouble(struct app *app)
{
	bool wrapped = false;
	trace_ref ref = trace_next_trouble(app->shared.trace, app->shared.here.ref, &wrapped);
	struct trace_status status = trace_status(app->shared.trace);

	if (ref == TRACE_REF_NONE)
		app_message(app, status.complete ? "no trouble: nothing lost, damaged or unknown"
						 : "no trouble so far; the index is not finished");
	else if (ref == app->shared.here.ref)
		app_message(app, "this is the only trouble");
	else {
		app_jump(app, ref);
		if (wrapped)
			app_message(app, "round again: from the beginning");
	}
}

static void next_time_format(struct app *app)
{
	static const char *const names[NR_TIME_FORMATS] = {
		[TIME_ABSOLUTE] = "times as the trace has them", [TIME_RELATIVE] = "times since the first event",
		[TIME_DELTA] = "times since the row above", [TIME_SINCE_A] = "times since A",
		[TIME_WALL] = "wall clock",
	};
	struct shared *shared = &app->shared;
	bool known;

	trace_wall_offset_ns(shared->trace, &known);
	do {
		shared->time_format = (shared->time_format + 1) % NR_TIME_FORMATS;
	} while ((shared->time_format == TIME_SINCE_A && !places_get(&shared->places, 'a')) ||
		 (shared->time_format == TIME_WALL && !known));
	app_message(app, "%s%s", names[shared->time_format],
		    shared->time_format == TIME_ABSOLUTE && !known ? " (the file tells no wall clock)" : "");
}

static void set_threshold(struct app *app, char letter)
{
	static const struct { char letter; int64_t ns; } marks[] = {
		{ '+', 10000 }, { '!', 100000 }, { '#', 1000000 }, { '*', 10000000 }, { '@', 100000000 },
		{ '$', 1000000000 },
	};
	struct text t = { 0 };

	if (letter == '=') {
		app_open_prompt(app, PROMPT_THRESHOLD, "slow is from: ", "", &app->other_history);
		return;
	}
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (marks[i].letter == letter)
			app->shared.threshold = marks[i].ns;
	shared_span(&app->shared, app->shared.threshold, &t);
	app_message(app, "slow is from %s on: ] [ go there", text_str(&t));
	text_fini(&t);
}

/* One layer a press. */
static void cancel(struct app *app, bool may_quit)
{
	if (app->job != JOB_NONE) {
		bool saving = app->job == JOB_SAVE;

		finder_cancel(app);
		save_cancel(app);
		app_message(app, saving ? "saving stopped: the file is not whole" : "search stopped");
	} else if (app->shared.pattern) {
		search_pattern_free(app->shared.pattern);
		app->shared.pattern = NULL;
	} else if (may_quit) {
		app->quit = true;
	}
}

static void find_match(struct app *app, bool forward)
{
	if (!app->shared.pattern) {
		app_message(app, "nothing to search for yet: / asks for it");
		return;
	}
	app_find(app, &(struct find){ .kind = FIND_PATTERN, .forward = forward, .what = "match" });
}

static void open_save(struct app *app)
{
	struct text name = { 0 };

	save_propose(app, &name);
	app_open_prompt(app, PROMPT_SAVE, app->shared.places.has_range ? "save the range as text: "
								       : "save these rows as text: ",
			text_str(&name), &app->other_history);
	text_fini(&name);
}

static void open_note(struct app *app)
{
	const char *note = places_note_at(&app->shared.places, app->shared.here.ref);

	if (app->shared.here.ref != TRACE_REF_NONE)
		app_open_prompt(app, PROMPT_NOTE, "note: ", note ? note : "", &app->other_history);
}

/* What is the same in every view. */
static bool common_request(struct app *app, enum request request, char letter)
{
	switch ((int)request) {
	case REQ_QUIT:
		app->quit = true;
		return true;
	case REQ_BACK:
		back(app);
		return true;
	case REQ_CANCEL:
		cancel(app, false);
		return true;
	case REQ_INTERRUPT:
		cancel(app, true);
		return true;
	case REQ_HELP:
		help_open(&app->popup, app->canvas.cols, app->ops->title, app->ops->row_requests);
		return true;
	case REQ_VIEW_EVENTS:
		return true;
	case REQ_NEXT_LIST:
	case REQ_PREV_LIST:
		commands_step_list(app, request == REQ_NEXT_LIST ? 1 : -1);
		return true;
	case REQ_CHOOSE_LIST:
		commands_open_lists(app, letter);
		return true;
	case REQ_GO:
		app_open_prompt(app, PROMPT_GO, ":", "", &app->go_history);
		return true;
	case REQ_PLACE_BACK:
	case REQ_PLACE_FORWARD:
		step_place(app, request == REQ_PLACE_BACK);
		return true;
	case REQ_FIRST:
		app_jump(app, trace_first(app->shared.trace));
		return true;
	case REQ_LAST:
		app_jump(app, trace_last(app->shared.trace));
		return true;
	case REQ_SEARCH:
		app_open_prompt(app, PROMPT_SEARCH, "/", "", &app->search_history);
		return true;
	case REQ_MATCH_NEXT:
	case REQ_MATCH_PREV:
		find_match(app, request == REQ_MATCH_NEXT);
		return true;
	case REQ_THRESHOLD:
		set_threshold(app, letter);
		return true;
	case REQ_TROUBLE_NEXT:
		next_trouble(app);
		return true;
	case REQ_RANGE:
		commands_range(app);
		return true;
	case REQ_MARK_A:
	case REQ_MARK_B:
		set_mark(app, request == REQ_MARK_A ? 'a' : 'b');
		return true;
	case REQ_MARK:
		set_mark(app, letter);
		return true;
	case REQ_MARK_GO:
		go_mark(app, letter);
		return true;
	case REQ_NOTE:
		open_note(app);
		return true;
	case REQ_MARK_LIST:
		commands_open_marks(app);
		return true;
	case REQ_DETAIL:
		commands_detail(app);
		return true;
	case REQ_COLUMNS:
		commands_open_columns(app);
		return true;
	case REQ_TIME_FORMAT:
		next_time_format(app);
		return true;
	case REQ_OPTIONS:
		commands_open_options(app);
		return true;
	case REQ_SAVE:
		open_save(app);
		return true;
	case REQ_COPY:
		commands_copy_command(app);
		return true;
	case REQ_REDRAW:
		if (app->term)
			term_redraw(app->term);
		return true;
	case REQ_SUSPEND:
		app->suspend = true;
		return true;
	default:
		return false;
	}
}

static void request(struct app *app, enum request request, char letter)
{
	const struct request_info *info = request_info(request);

	if (info->group == GROUP_LATER) {
		app_message(app, "%s", info->help);
		return;
	}
	if (app->ops->request(app->view, request, letter) || common_request(app, request, letter))
		return;
	app_message(app, "%s does nothing here", info->name);
}

/* --- keys ---------------------------------------------------------------- */

static void mouse(struct app *app)
{
	bool header = app->mouse.row <= 1 && app->shared.overview;

	if (app->popup.kind != POPUP_NONE) {
		if (app->mouse.kind == UI_MOUSE_WHEEL_UP || app->mouse.kind == UI_MOUSE_WHEEL_DOWN)
			for (int i = 0; i < 3; i++)
				popup_key(&app->popup, app->mouse.kind == UI_MOUSE_WHEEL_UP ? UI_KEY_UP : UI_KEY_DOWN);
		return;
	}
	if (header && app->mouse.row == 1 && app->mouse.kind == UI_MOUSE_PRESS && app->shared.has_span) {
		app_jump_time(app, overview_time(&app->shared, app->canvas.cols, app->mouse.col), -1);
		return;
	}
	app->ops->mouse(app->view, &app->mouse);
}

static void popup_press(struct app *app, ui_key key)
{
	switch (popup_key(&app->popup, key)) {
	case POPUP_STAYS:
		return;
	case POPUP_CLOSED:
		popup_close(&app->popup);
		return;
	case POPUP_CHOSEN:
		commands_popup_chosen(app, false);
		return;
	case POPUP_TOGGLED:
		commands_popup_chosen(app, true);
		return;
	case POPUP_SEARCH:
		app_open_prompt(app, PROMPT_POPUP_SEARCH, "find: ", "", NULL);
		return;
	case POPUP_UNKNOWN:
		break;
	}
	switch ((int)keymap_find(key)) {
	case REQ_QUIT:
		app->quit = true;
		return;
	case REQ_REDRAW:
	case REQ_SUSPEND:
		common_request(app, keymap_find(key), 0);
		return;
	case REQ_OPTIONS:		/* the key that opened it closes it */
	case REQ_COLUMNS:
	case REQ_MARK_LIST:
		popup_close(&app->popup);
		return;
	}
	app_message(app, "not a key of this list: q closes it");
}

static void view_press(struct app *app, ui_key key)
{
	struct keymap_result result;
	enum request pending = app->keymap.pending;
	struct text name = { 0 };

	result = keymap_press(&app->keymap, key);
	if (result.request != REQ_NONE) {
		request(app, result.request, result.letter);
	} else if (result.unknown) {
		key_name(key, &name);
		if (pending != REQ_NONE)
			app_message(app, "%s is none of: %s", text_str(&name), request_info(pending)->letters);
		else
			app_message(app, "%s is not bound to anything: ? lists the keys", text_str(&name));
	}
	text_fini(&name);
}

void app_press(struct app *app, ui_key key)
{
	app->dirty = true;
	app->entering = false;
	text_clear(&app->message);
	if (key == UI_KEY_RESIZE || key == UI_KEY_NONE)
		return;
	if (app->prompt_kind != PROMPT_NONE) {
		if (key != UI_KEY_MOUSE)
			prompt_press(app, key);
	} else if (!app->view) {
		start_press(app, key);
	} else if (key == UI_KEY_MOUSE) {
		mouse(app);
	} else if (app->popup.kind != POPUP_NONE) {
		popup_press(app, key);
	} else {
		view_press(app, key);
	}
}

/* --- drawing ------------------------------------------------------------- */

static void draw_too_small(struct app *app)
{
	char line[96];

	snprintf(line, sizeof(line), "%dx%d is too small: ftop-trace needs %dx%d", app->canvas.cols, app->canvas.rows,
		 APP_MIN_COLS, APP_MIN_ROWS);
	canvas_fit(&app->canvas, app->canvas.rows / 2, 0, app->canvas.cols, ROLE_TEXT, line);
}

static bool is_key_name(const char *s, size_t len)
{
	return key_parse(s, len) != UI_KEY_NONE;
}

/* "j k Choose  Enter Go there": two blanks between entries, keys first in each. */
static void draw_hint_bar(struct canvas *canvas, int row, const char *s)
{
	int col = 1;
	bool keys = true;

	while (*s) {
		size_t len = strcspn(s, " "), gap = strspn(s + len, " ");

		keys = keys && is_key_name(s, len);
		col += canvas_bytes(canvas, row, col, canvas->cols - col, keys ? ROLE_KEYBAR_KEY : ROLE_KEYBAR_TEXT,
				    s, len) + (int)gap;
		if (gap > 1)
			keys = true;
		s += len + gap;
	}
}

/* From the table: the key and the word of each request that has one. */
static void draw_key_bar(struct canvas *canvas, int row, const enum request *bar)
{
	int col = 1;

	for (; *bar != REQ_NONE; bar++) {
		const struct request_info *info = request_info(*bar);
		const char *word = info->bar;
		struct text key = { 0 };

		key_name(keymap_first_key(*bar), &key);
		if (!word && bar[1] != REQ_NONE) {	/* "a" of "a b Mark": the next one has the word for both */
			text_char(&key, ' ');
			key_name(keymap_first_key(*++bar), &key);
			word = request_info(*bar)->bar;
		}
		if (word && col + (int)key.len + 1 + (int)strlen(word) < canvas->cols) {
			col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_KEYBAR_KEY, text_str(&key)) + 1;
			col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_KEYBAR_TEXT, word) + 2;
		}
		text_fini(&key);
	}
}

static void draw_bottom(struct app *app)
{
	struct canvas *canvas = &app->canvas;
	int row = canvas->rows - 1;
	struct text t = { 0 };
	const char *hint = app->view ? app->ops->pending_hint(app->view) : NULL;

	if (app->prompt_kind != PROMPT_NONE) {
		prompt_draw(&app->prompt, canvas);
		return;
	}
	canvas_fill(canvas, row, 0, canvas->cols, ROLE_TEXT, " ");
	if (app->keymap.pending != REQ_NONE) {
		canvas_fit(canvas, row, 1, canvas->cols - 1, ROLE_PROMPT,
			   request_info(app->keymap.pending)->letters);
	} else if (app->job != JOB_NONE && app_now_ns() - app->job_started > PROGRESS_NS) {
		finder_progress(app, &t);
		canvas_fit(canvas, row, 1, canvas->cols - 1, ROLE_PROMPT_HINT, text_str(&t));
	} else if (app->message.len) {
		canvas_fit(canvas, row, 1, canvas->cols - 1, app->message_is_error ? ROLE_ERROR : ROLE_MESSAGE,
			   text_str(&app->message));
	} else if (app->popup.kind != POPUP_NONE) {
		draw_hint_bar(canvas, row, app->popup.keys);
	} else if (hint) {
		draw_hint_bar(canvas, row, hint);
	} else if (app->shared.keybar && app->view) {
		draw_key_bar(canvas, row, app->ops->bar);
	}
	text_fini(&t);
}

static int normal_detail_rows(const struct app *app)
{
	int rows = app->canvas.rows;

	if (app->shared.detail_rows >= 0)
		return app->shared.detail_rows < rows / 2 ? app->shared.detail_rows : rows / 2;
	return rows >= 40 ? 8 : rows >= 30 ? 4 : 2;
}

static void draw_view(struct app *app)
{
	struct canvas *canvas = &app->canvas;
	int overview = !app->shared.overview || trace_is_text(app->shared.trace) ? 0 : canvas->rows >= 30 ? 2 : 1;
	int top = 1 + overview, bottom = canvas->rows - 1, detail;
	struct view_area area = { .canvas = canvas };

	detail = app->ops->detail_rows(app->view, normal_detail_rows(app), canvas->rows / 2);
	area.top = top + 1;
	area.rows = bottom - detail - area.top;
	app->ops->draw(app->view, &area);
	header_draw(canvas, 0, &app->shared);
	if (overview)
		overview_draw(canvas, 1, overview, &app->shared);
	header_draw_tabs(canvas, top, &app->shared, app->ops);
	if (detail) {
		area.top = bottom - detail;
		area.rows = detail;
		app->ops->draw_detail(app->view, &area, canvas->rows / 2);
	}
}

void app_draw(struct app *app)
{
	struct canvas *canvas = &app->canvas;

	canvas_clear(canvas);
	if (canvas->rows < APP_MIN_ROWS || canvas->cols < APP_MIN_COLS) {
		draw_too_small(app);
	} else if (!app->view) {
		start_draw(app);
		draw_bottom(app);
	} else {
		if (app->popup.kind != POPUP_NONE)
			popup_draw(&app->popup, canvas);
		else
			draw_view(app);
		draw_bottom(app);
	}
	if (app->term)
		term_draw(app->term, canvas);
	app->dirty = false;
}

/* --- the loop ------------------------------------------------------------ */

int app_load_theme(struct app *app, const char *name)
{
	struct ft_error err = { 0 };
	struct theme theme;

	if (theme_load(&theme, name, &err)) {
		app_error(app, "%s", err.message);
		return -1;
	}
	app->theme = theme;
	if (app->term)
		term_set_theme(app->term, &app->theme);
	app->dirty = true;
	return 0;
}

static void fit_canvas(struct app *app)
{
	int rows, cols;

	term_size(app->term, &rows, &cols);
	if (rows != app->canvas.rows || cols != app->canvas.cols)
		canvas_resize(&app->canvas, rows, cols);
	app->dirty = true;
}

static void take_keys(struct app *app)
{
	ui_key key;

	while (!app->quit && !app->suspend && (key = term_key(app->term, &app->mouse)) != UI_KEY_NONE) {
		app_press(app, key);
		if (key == UI_KEY_RESIZE)
			fit_canvas(app);
	}
}

static void suspend(struct app *app)
{
	app->suspend = false;
	term_suspend(app->term);
	fit_canvas(app);
}

static void take_signals(struct app *app, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			if (term_resized(app->term))
				fit_canvas(app);
			break;
		case SIGTSTP:
			app->suspend = true;
			break;
		case SIGINT:
			app_press(app, UI_KEY_CTRL('C'));
			break;
		default:
			app->signal = (int)info.ssi_signo;
			app->quit = true;
		}
	}
}

static void work(struct app *app)
{
	if (app->job == JOB_SAVE)
		save_step(app);
	else
		finder_step(app);
	if (app_now_ns() - app->job_started > PROGRESS_NS)
		app->dirty = true;
}

/* Counts, names of tasks and the overview follow the page directory, but not at every page of it. */
static void follow_index(struct app *app)
{
	int64_t now = app_now_ns();

	if (!app->shared.trace || app->index_seen || now - app->index_looked < INDEX_TICK_MS * 1000000LL)
		return;
	app->index_looked = now;
	app_index_moved(app);
}

void app_index_moved(struct app *app)
{
	app->index_seen = trace_status(app->shared.trace).complete;
	update_span(app);
	app_changed(app);
}

static int loop_timeout(const struct app *app)
{
	if (app->job != JOB_NONE || app->dirty)
		return 0;
	return app->shared.trace && !app->index_seen ? INDEX_TICK_MS : -1;
}

static void loop(struct app *app, int signals)
{
	while (!app->quit) {
		struct pollfd fds[3] = {
			{ .fd = term_fd(app->term), .events = POLLIN },
			{ .fd = signals, .events = POLLIN },
			{ .fd = -1, .events = POLLIN },
		};
		int nr;

		if (app->suspend)
			suspend(app);
		if (app->dirty)
			app_draw(app);
		if (app->shared.trace)
			fds[2].fd = workers_fd(trace_workers(app->shared.trace));
		nr = poll(fds, 3, loop_timeout(app));
		if (nr < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			take_signals(app, signals);
		if (fds[2].revents)
			workers_acknowledge(trace_workers(app->shared.trace));
		follow_index(app);
		if (fds[0].revents & POLLIN)
			take_keys(app);
		else if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			return;			/* the terminal went away */
		if (app->job != JOB_NONE && !app->quit)
			work(app);
	}
}

static int open_signals(sigset_t *before)
{
	static const int signals[] = { SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, before);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void init_app(struct app *app, const struct app_options *options)
{
	memset(app, 0, sizeof(*app));
	app->options = options;
	app->mouse_off = options->no_mouse;
	app->shared.overview = app->shared.keybar = true;
	app->shared.detail_rows = -1;
	app->shared.here.ref = TRACE_REF_NONE;
	places_init(&app->shared.places);
}

static void fini_app(struct app *app)
{
	app_drop_trace(app);
	popup_close(&app->popup);
	free(app->choices);
	prompt_fini(&app->prompt);
	prompt_history_fini(&app->go_history);
	prompt_history_fini(&app->search_history);
	prompt_history_fini(&app->other_history);
	text_fini(&app->message);
	for (unsigned int i = 0; i < app->nr_log; i++)
		free(app->log[i]);
	canvas_fini(&app->canvas);
}

static int open_terminal(struct app *app, struct ft_error *err)
{
	const char *no_color = getenv("NO_COLOR");
	struct term_options term = {
		.depth = no_color && *no_color ? (int)THEME_MONO : app->options->depth,
		.ascii = app->options->ascii,
		.no_mouse = app->options->no_mouse,
	};
	const char *name = app->options->theme;
	struct ft_error theme_err = { 0 };

	/* A theme that is wrong is told before the screen is taken. */
	if (theme_load(&app->theme, name ? name : "dark", err))
		return -1;
	app->term = term_open(&term, err);
	if (!app->term)
		return -1;
	if (!name && term_depth(app->term) == THEME_MONO)
		theme_load(&app->theme, "mono", &theme_err);
	term_set_theme(app->term, &app->theme);
	fit_canvas(app);
	app->canvas.ascii = term_ascii(app->term);
	return 0;
}

static int run_on_terminal(struct app *app, struct trace *trace, struct ft_error *err)
{
	sigset_t before;
	int signals = open_signals(&before), result = 0;

	if (signals < 0)
		result = ft_error_errno(err, errno, -1, "signalfd");
	else
		result = open_terminal(app, err);
	if (!result) {
		if (trace)
			app_use_trace(app, trace);
		loop(app, signals);
	}
	term_close(app->term);
	app->term = NULL;
	if (signals >= 0)
		close(signals);
	if (app->signal) {		/* as if nobody had caught it, but with the terminal restored */
		signal(app->signal, SIG_DFL);
		raise(app->signal);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return result;
}

int app_run(struct trace *trace, const struct app_options *options, struct ft_error *err)
{
	struct app app;
	int result;

	init_app(&app, options);
	if (options->script) {
		canvas_init(&app.canvas, 24, 80);
		app.canvas.ascii = options->ascii;
		if (trace)
			app_use_trace(&app, trace);
		result = script_run(&app, options->script, err);
	} else {
		result = run_on_terminal(&app, trace, err);
	}
	fini_app(&app);
	return result;
}
