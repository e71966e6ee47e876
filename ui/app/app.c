/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/app_state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "ui/rows/goto.h"
#include "ui/view/header.h"
#include "src/base/shorten.h"

#define WATCH_TICK_MS	1000		/* how often it is looked whether the file changed */
#define KEY_NS		10000000	/* a key may look for matches of a filter that long */
#define INDEX_TICK_MS	100		/* how often the screen follows the page directory */

int64_t app_now_ns(void)
{
	return workers_now_ns();
}

/* --- messages ------------------------------------------------------------ */

__attribute__((format(printf, 3, 0)))
static void set_message(struct app *app, bool is_error, const char *fmt, va_list ap)
{
	char buf[512];

	vsnprintf(buf, sizeof(buf), fmt, ap);
	text_clear(&app->message);
	text_printable(&app->message, buf, strlen(buf));
	app->message_is_error = is_error;
	app->message_from_end = false;
	app->message_at = app_now_ns();
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

void app_copy(struct app *app, const char *what, const char *s, size_t len)
{
	struct text size = { 0 };

	if (!app->term)
		app_message(app, "%s: %.*s", what, (int)(len < 200 ? len : 200), s);
	else if (term_copy(app->term, s, len)) {
		text_count(&size, len);
		app_message(app, "%s copied, %s byte%s, where the terminal takes OSC 52", what, text_str(&size),
			    len == 1 ? "" : "s");
	} else {
		app_error(app, "too long for the clipboard of terminals: S t saves it into a file");
	}
	text_fini(&size);
}

/* --- the trace ----------------------------------------------------------- */

static void update_span(struct app *app)
{
	app->shared.has_span = trace_span(app->shared.trace, &app->shared.first, &app->shared.last);
}

void app_say_notes(struct app *app)
{
	unsigned int nr = shared_nr_notes(&app->shared);
	struct text note = { 0 }, cut = { 0 };
	char tail[80];
	int room;

	if (!nr)
		return;
	snprintf(tail, sizeof(tail), ": %u thing%s wrong with the file%s, :messages", nr, nr == 1 ? "" : "s",
		 trace_nr_files(app->shared.trace) == 1 ? "" : "s");
	room = app->canvas.cols - 2 - (int)strlen(tail);
	shared_note(&app->shared, 0, &note);
	shorten_end(text_str(&note), room > 20 ? room : 20, &cut);
	app_error(app, "%s%s", text_str(&cut), tail);
	free(app->log[--app->nr_log]);		/* the list shows the notes themselves, and whole */
	text_fini(&note);
	text_fini(&cut);
}

void app_quit(struct app *app)
{
	if (!record_ask_quit(app))
		app->quit = true;
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

	if (!*text)
		app_message(app, "no time was given: T = 50us, say; slow is what it was");
	else if (goto_parse_duration(text, &ns, &err))
		app_error(app, "'%s': %s", text, err.message);
	else if (ns <= 0)
		app_error(app, "'%s': slow is from more than 0 on", text);
	else
		app_set_threshold(app, ns);
}

static void accept_note(struct app *app, const char *text)
{
	views_publish(app);
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
	case PROMPT_FILTER:
	case PROMPT_PICK:
		break;			/* they have their own end */
	case PROMPT_OPEN:
		if (text.len)
			reopen_file(app, text_str(&text));
		break;
	case PROMPT_RECORD:
		record_prompt_accepted(app, text_str(&text));
		break;
	case PROMPT_RECORD_FILTER:
		record_filter_accepted(app, text_str(&text));
		break;
	case PROMPT_RECORD_NAME:
		record_save_accepted(app, text_str(&text));
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
	if (app->prompt_kind == PROMPT_PICK) {
		picker_press(app, key);
		return;
	}
	if (app->prompt_kind == PROMPT_FILTER && key == UI_KEY_ENTER) {
		filter_line_accept(app);
		return;
	}
	if (app->prompt_kind == PROMPT_FILTER && (key == UI_KEY_TAB || key == UI_KEY_SHIFT_TAB)) {
		filter_line_complete(app, key == UI_KEY_TAB ? 1 : -1);
		return;
	}
	switch (prompt_key(&app->prompt, key)) {
	case PROMPT_SAME:
		break;
	case PROMPT_CHANGED:
		if (app->prompt_kind == PROMPT_GO)
			commands_go_hint(app);
		else if (app->prompt_kind == PROMPT_SEARCH)
			search_hint(app);
		else if (app->prompt_kind == PROMPT_FILTER)
			filter_line_changed(app);
		break;
	case PROMPT_ACCEPTED:
		prompt_accepted(app);
		break;
	case PROMPT_CANCELLED:
		if (app->prompt_kind == PROMPT_FILTER)
			filter_line_cancel(app);
		app->prompt_kind = PROMPT_NONE;
		break;
	}
}

/* --- keys ---------------------------------------------------------------- */

static void mouse(struct app *app)
{
	if (app->popup.kind != POPUP_NONE) {
		if (app->mouse.kind == UI_MOUSE_WHEEL_UP || app->mouse.kind == UI_MOUSE_WHEEL_DOWN)
			for (int i = 0; i < 3; i++)
				popup_key(&app->popup, app->mouse.kind == UI_MOUSE_WHEEL_UP ? UI_KEY_UP : UI_KEY_DOWN);
		return;
	}
	if (app_mouse_above(app))
		return;
	if (app->ops->mouse)
		app->ops->mouse(app->view, &app->mouse);
	app->behind = true;
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
		app_quit(app);
		return;
	case REQ_REDRAW:
	case REQ_SUSPEND:
		actions_request(app, keymap_find(key), 0);
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
		actions_request(app, result.request, result.letter);
	} else if (result.unknown) {
		key_name(key, &name);
		if (pending != REQ_NONE) {
			struct text letters = { 0 };

			app->keymap.pending = pending;
			app_letters(app, &letters);
			app->keymap.pending = REQ_NONE;
			app_message(app, "%s is not one of these:%s", text_str(&name), strchr(text_str(&letters), ':') + 1);
			text_fini(&letters);
		}
		else {
			app_message(app, "%s is not bound to anything: ? lists the keys", text_str(&name));
		}
	}
	text_fini(&name);
}

void app_press(struct app *app, ui_key key)
{
	app->dirty = true;
	app->entering = false;
	filters_budget(&app->shared.filters, KEY_NS);
	text_clear(&app->message);
	if (key == UI_KEY_RESIZE || key == UI_KEY_NONE)
		return;
	if (app->prompt_kind != PROMPT_NONE) {
		if (key != UI_KEY_MOUSE)
			prompt_press(app, key);
	} else if (app->popup.kind != POPUP_NONE && record_shown(app) && !record_question(app) &&
		   key != UI_KEY_MOUSE) {
		popup_press(app, key);
	} else if (record_press(app, key)) {
		return;
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
	if (app_now_ns() - app->job_told > PROGRESS_NS / 2) {
		app->job_told = app_now_ns();
		app->dirty = true;
	}
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

/* Once, and not while they are typed: the line says so then. */
static void tell_trouble(struct app *app)
{
	const char *trouble = filters_trouble(&app->shared.filters);

	if (app->prompt_kind == PROMPT_FILTER)
		return;
	if (trouble && !app->filters_told)
		app_error(app, "%s", trouble);
	app->filters_told = trouble;
}

/* What filters keep becomes known piece by piece: not every piece is worth a drawing. */
static void follow_filters(struct app *app)
{
	struct filters *filters = &app->shared.filters;
	int64_t now = app_now_ns();
	bool awaited = app->filters_awaited;

	app->filters_awaited = filters_await(filters);
	if (awaited && !app->filters_awaited)
		app_changed(app);
	if (!app->shared.trace || now - app->filters_looked < FILTER_TICK_MS * 1000000LL)
		return;
	tell_trouble(app);
	if (!app->shared.later && (!filters->matches || matches_version(filters->matches) == app->filters_seen))
		return;
	app->filters_looked = now;
	app->filters_seen = filters->matches ? matches_version(filters->matches) : 0;
	app->dirty = true;
}

static bool awaits_workers(const struct app *app)
{
	const struct filters *filters = &app->shared.filters;

	return views_await(app) || hits_await(app) || picker_is_stale(app) || app->shared.later || app->filters_awaited ||
	       (filters->matches && matches_version(filters->matches) != app->filters_seen);
}

static int loop_timeout(const struct app *app)
{
	int most = record_timeout_ms(app), ms;

	if ((app->job != JOB_NONE && !finder_waits(app)) || app->dirty || app->works)
		return 0;
	if (!app->shared.trace)
		return most;
	ms = awaits_workers(app) || finder_waits(app) ? FILTER_TICK_MS : app->index_seen ? WATCH_TICK_MS : INDEX_TICK_MS;
	return most >= 0 && most < ms ? most : ms;
}

static void loop(struct app *app, int signals)
{
	while (!app->quit) {
		struct pollfd fds[3 + RECORD_MAX_FDS] = {
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
		nr = poll(fds, 3 + record_fds(app, fds + 3), loop_timeout(app));
		if (nr < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			take_signals(app, signals);
		if (fds[2].revents) {
			workers_acknowledge(trace_workers(app->shared.trace));
			app->progressed = true;
			picker_progressed(app);
		}
		record_step(app);
		follow_index(app);
		follow_filters(app);
		picker_follow(app);
		hits_follow(app);
		views_follow(app);
		reopen_watch(app);
		if (fds[0].revents & POLLIN)
			take_keys(app);
		else if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			return;			/* the terminal went away */
		if (app->job != JOB_NONE && !app->quit)
			work(app);
		if (!app->quit)
			views_step(app);
	}
}

static int open_signals(sigset_t *before)
{
	static const int signals[] = { SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, before);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void app_init(struct app *app, const struct app_options *options)
{
	memset(app, 0, sizeof(*app));
	app->options = options;
	app->mouse_off = options->no_mouse;
	app->shared.overview = app->shared.keybar = true;
	app->shared.detail_rows = -1;
	app->trouble = app->trouble_shown = TRACE_REF_NONE;
	places_init(&app->shared.places);
}

void app_fini(struct app *app)
{
	record_fini(app);
	app_drop_trace(app);
	text_fini(&app->farewell);
	text_fini(&app->shared.recording);
	popup_close(&app->popup);
	free(app->choices);
	prompt_fini(&app->prompt);
	prompt_history_fini(&app->go_history);
	prompt_history_fini(&app->search_history);
	prompt_history_fini(&app->filter_history);
	filter_line_fini(&app->filter_line);
	filter_named_fini(&app->named);
	views_forget_stacks(app);
	prompt_history_fini(&app->other_history);
	text_fini(&app->message);
	text_fini(&app->identity);
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

static void use_first_trace(struct app *app, struct trace *trace)
{
	app_use_trace(app, trace);
	if (app->options->tour)
		tour_begin(&app->tour);
}

static int run_on_terminal(struct app *app, struct trace *trace, struct ft_error *err)
{
	sigset_t before;
	int signals = open_signals(&before), result = 0;

	if (signals < 0)
		result = ft_error_errno(err, errno, -1, "signalfd");
	else
		result = open_terminal(app, err);
	if (result) {
		trace_close(trace);
	} else {
		filter_history_read(app);
		if (trace)
			use_first_trace(app, trace);
		else
			record_look(app);
		loop(app, signals);
	}
	reopen_keep(app);
	filter_history_keep(app);
	term_close(app->term);
	app->term = NULL;
	if (signals >= 0)
		close(signals);
	if (app->farewell.len)
		fprintf(stderr, "ftop-trace: %s\n", text_str(&app->farewell));
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

	app_init(&app, options);
	if (options->script) {
		canvas_init(&app.canvas, 24, 80);
		app.canvas.ascii = options->ascii;
		if (trace)
			use_first_trace(&app, trace);
		result = script_run(&app, options->script, err);
	} else {
		result = run_on_terminal(&app, trace, err);
	}
	app_fini(&app);
	return result;
}
