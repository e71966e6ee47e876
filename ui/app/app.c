/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/app.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "ui/app/frame.h"
#include "ui/app/guard.h"
#include "ui/app/loop.h"
#include "ui/app/press.h"
#include "ui/app/record_screen.h"
#include "ui/app/script.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/finder.h"
#include "ui/desk/hits.h"
#include "ui/desk/split.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"
#include "ui/prompt/filter_line.h"
#include "ui/prompt/filter_list.h"
#include "ui/prompt/pairs.h"
#include "ui/prompt/place_line.h"
#include "ui/prompt/prompts.h"
#include "ui/prompt/task_picker.h"
#include "ui/prompt/why_list.h"
#include "ui/session/config.h"
#include "ui/session/recent.h"
#include "ui/session/remember.h"
#include "ui/session/reopen.h"
#include "ui/session/session.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/trace/trace_user.h"

#define WATCH_TICK_MS	1000		/* how often to check whether the file changed */
#define HOLD_NS		500000000	/* for so long a key waits for the rows of a view */
#define GROWTH_NS	1000000000	/* no frame waits longer for models */
#define INDEX_TICK_MS	100		/* how often the screen follows the page directory */

/* --- the loop ------------------------------------------------------------ */

static void fit_canvas(struct app *app)
{
	int rows, cols;

	term_size(app->term, &rows, &cols);
	if (rows != app->canvas.rows || cols != app->canvas.cols)
		canvas_resize(&app->canvas, rows, cols);
	app->shared.look.cols = cols;	/* a window is made for it before the first frame */
	split_open(app);
	app->dirty = true;
}

/* Until a theme is chosen, it is that of the background, which the terminal may tell late. */
static void follow_background(struct app *app)
{
	const char *name = term_background(app->term) == BACKGROUND_LIGHT ? "light" : "dark";

	if (!app->theme_follows || !strcmp(app->theme.name, name))
		return;
	app_load_theme(app, name);
	app->theme_follows = true;
}

static bool view_waits(const struct app *app)
{
	return app->view && app->ops->work && app->ops->work->waits && !app->popup.picker &&
	       !app->typed && app->ops->work->waits(app->view);
}

/*
 * Keys typed in advance wait until the view or the list of tasks has rows, but not for long: one
 * may leave it.
 */
static bool holds_keys(const struct app *app)
{
	return workers_now_ns() - app->loop->pressed_at < HOLD_NS &&
	       (view_waits(app) || picker_waits(app));
}

static void take_keys(struct app *app)
{
	ui_key key;

	while (!app->quit && !app->suspend && !holds_keys(app) &&
	       (key = term_key(app->term, &app->mouse)) != UI_KEY_NONE) {
		app->grew_at = 0;
		press_key(app, key);
		if (key == UI_KEY_RESIZE)
			fit_canvas(app);
	}
	follow_background(app);
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
			press_key(app, UI_KEY_CTRL('C'));
			break;
		default:
			app->loop->signal = (int)info.ssi_signo;
			app->quit = true;
		}
	}
}

static void work(struct app *app)
{
	app->job->step(app);
	if (workers_now_ns() - app->loop->job_told > PROGRESS_NS / 2) {
		app->loop->job_told = workers_now_ns();
		app->dirty = true;
	}
}

/* Counts, task names and the overview follow the page directory, but not page by page. */
static void follow_index(struct app *app)
{
	int64_t now = workers_now_ns();

	if (!app->shared.trace || app->index_seen ||
	    now - app->index_looked < INDEX_TICK_MS * 1000000LL)
		return;
	app->index_looked = now;
	views_index_moved(app);
}

/* Reported once, and not while a filter is typed: the filter line shows it then. */
static void tell_trouble(struct app *app)
{
	const char *trouble = filters_trouble(&app->shared.chosen.filters);

	if (app->typed && app->typed->filters)
		return;
	if (trouble && !app->loop->filters_told)
		app_error(app, "%s", trouble);
	app->loop->filters_told = trouble;
}

/* Filter results arrive piece by piece: not every piece is worth a drawing. */
static void follow_filters(struct app *app)
{
	struct filters *filters = &app->shared.chosen.filters;
	int64_t now = workers_now_ns();
	bool awaited = app->loop->filters_awaited;

	app->loop->filters_awaited = filters_await(filters);
	if (awaited && !app->loop->filters_awaited)
		views_changed(app);
	if (!app->shared.trace || now - app->loop->filters_looked < FILTER_TICK_MS * 1000000LL)
		return;
	tell_trouble(app);
	if (!app->shared.later &&
	    (!filters->matches || matches_version(filters->matches) == app->loop->filters_seen))
		return;
	app->loop->filters_looked = now;
	app->loop->filters_seen = filters->matches ? matches_version(filters->matches) : 0;
	app->dirty = true;
}

/* Names of functions have come that were asked for. */
static void follow_names(struct app *app)
{
	unsigned int came = app->shared.trace ? trace_user_came(app->shared.trace) : 0;

	if (came != app->loop->names_seen)
		views_changed(app);
	app->loop->names_seen = came;
}

static bool awaits_workers(const struct app *app)
{
	const struct filters *filters = &app->shared.chosen.filters;

	return views_await(app) || hits_await(app) || picker_is_stale(app) || app->shared.later ||
	       app->loop->filters_awaited ||
	       (filters->matches && matches_version(filters->matches) != app->loop->filters_seen);
}

/* What is shown stays until the models have counted what was added. */
static bool holds_frame(const struct app *app)
{
	return app->grew_at && app->shared.trace && workers_now_ns() - app->grew_at < GROWTH_NS &&
	       !workers_idle(trace_workers(app->shared.trace));
}

static int loop_timeout(const struct app *app, bool held)
{
	int most = record_timeout_ms(app->loop->record), ms;
	bool waits = app->job && app->job->waits && app->job->waits(app);

	if ((app->job && !waits) || (app->dirty && !holds_frame(app)) || app->works)
		return 0;
	if (!app->shared.trace)
		return most;
	ms = awaits_workers(app) || waits || held || app->dirty ? FILTER_TICK_MS :
	     trace_grows(app->shared.trace) || !app->index_seen ||
			     trace_pipe(app->shared.trace) != TRACE_PIPE_NONE ?
								  INDEX_TICK_MS :
								  WATCH_TICK_MS;
	return most >= 0 && most < ms ? most : ms;
}

static void loop(struct app *app, int signals, struct guard *guard)
{
	frame_draw(app);
	app->loop->pressed_at = workers_now_ns();
	take_keys(app);		/* what was typed before */
	while (!app->quit) {
		bool held = holds_keys(app);
		struct pollfd fds[3 + RECORD_MAX_FDS] = {
			{ .fd = term_fd(app->term), .events = held ? 0 : POLLIN },
			{ .fd = signals, .events = POLLIN },
			{ .fd = -1, .events = POLLIN },
		};
		int nr;

		guard_see(guard);
		if (app->suspend)
			suspend(app);
		if (app->dirty && !holds_frame(app)) {
			app->grew_at = 0;
			frame_draw(app);
		}
		if (app->shared.trace)
			fds[2].fd = workers_fd(trace_workers(app->shared.trace));
		nr = poll(fds, 3 + record_fds(app->loop->record, fds + 3), loop_timeout(app, held));
		if (nr < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			take_signals(app, signals);
		if (fds[2].revents) {
			workers_acknowledge(trace_workers(app->shared.trace));
			app->progressed = true;
			picker_progressed(app);
		}
		record_step(app->loop->record);
		follow_index(app);
		follow_filters(app);
		follow_names(app);
		picker_follow(app);
		hits_follow(app);
		views_follow(app);
		reopen_rest(app);
		reopen_watch(app);
		reopen_grow(app);
		if (held || fds[0].revents & POLLIN)
			take_keys(app);
		if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			return;			/* the terminal went away */
		if (app->job && !app->quit)
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

static void quit(struct app *app)
{
	if (!record_ask_quit(app->loop->record))
		app->quit = true;
}

static void trace_goes(struct app *app)
{
	picker_drop(app);
	why_list_drop(app);
	app->loop->trouble = app->loop->trouble_shown = TRACE_REF_NONE;
}

static const struct desk_above above = {
	.draw = frame_draw,
	.quit = quit,
	.opened = remember_view_opened,
	.trace_goes = trace_goes,
};

void app_init(struct app *app, const struct app_options *options)
{
	memset(app, 0, sizeof(*app));
	app->session = mem_alloc(sizeof(*app->session));
	clock_gettime(CLOCK_REALTIME, &app->session->began);
	app->prompts = mem_alloc(sizeof(*app->prompts));
	app->loop = mem_alloc(sizeof(*app->loop));
	app->above = &above;
	app->host = (struct view_host){
		.app = app,
		.say = app_say,
		.jump_to = views_jump_to,
		.jump_time = views_jump_time,
		.show = views_show_at,
		.entering = views_entering,
		.leave_zoom = views_leave_zoom,
		.work = views_work,
		.find = finder_find,
		.search_for = finder_search_for,
		.filter_by = filter_line_by,
		.filter_by_process = filter_line_by_process,
		.rows_around = filter_line_rows_around,
		.window = views_window,
		.copy = app_copy,
	};
	app->options = options;
	record_screen_init(app);
	app->mouse_off = options->no_mouse;
	app->shared.look.overview = app->shared.look.keybar = true;
	app->shared.look.detail_rows = -1;
	app->loop->trouble = app->loop->trouble_shown = TRACE_REF_NONE;
	places_init(&app->shared.at.places);
}

void app_fini(struct app *app)
{
	record_free(app->loop->record);
	reopen_close(app);
	text_fini(&app->loop->farewell);
	text_fini(&app->shared.recording);
	text_fini(&app->shared.recorder);
	text_fini(&app->shared.pairs);
	text_fini(&app->shared.counting);
	popup_close(&app->popup);
	prompt_fini(&app->prompt);
	prompts_free(app);
	session_free(app);
	views_forget_stacks(app);
	text_fini(&app->message);
	for (unsigned int i = 0; i < app->nr_log; i++)
		free(app->log[i]);
	canvas_fini(&app->canvas);
	free(app->loop);
}

static int open_terminal(struct app *app, struct ft_error *err)
{
	const char *no_color = getenv("NO_COLOR");
	struct term_options term = {
		.depth = no_color && *no_color ? (int)THEME_MONO : app->options->depth,
		.ascii = app->options->ascii,
		.no_mouse = app->options->no_mouse,
		.instead = app->options->live ? "ftop-trace live --text" : "ftop-trace report",
	};
	const char *name = app->options->theme;
	struct ft_error theme_err = { 0 };
	char own[256];

	config_read(app);
	if (!name && config_value(app, "theme", own, sizeof(own)) &&
	    !theme_load(&app->theme, own, &theme_err))
		name = own;

	/* Report a bad theme before taking over the screen. */
	if (theme_load(&app->theme, name ? name : "dark", err))
		return -1;
	term.ask_background = !name;
	app->term = term_open(&term, err);
	if (!app->term)
		return -1;
	app->theme_follows = !name && term_depth(app->term) != THEME_MONO;
	if (!name && !app->theme_follows)
		theme_load(&app->theme, "mono", &theme_err);
	term_set_theme(app->term, &app->theme);
	follow_background(app);
	fit_canvas(app);
	app->canvas.ascii = term_ascii(app->term);
	app->canvas.console = term_is_console(app->term);
	config_apply(app);
	return 0;
}

static void use_first_trace(struct app *app, struct trace *trace)
{
	const struct app_options *options = app->options;
	enum view_id id = options->view ? views_titled(options->view, strlen(options->view)) :
					  NR_VIEWS;

	reopen_with(app, trace);
	if (options->tour)
		views_tour(app);
	if (options->filter)
		filter_line_set(app, options->filter);
	app->shared.growth.plays = options->plays;
	if (options->plays)
		views_show(app, VIEW_NOW);
	if (id != NR_VIEWS)
		views_show(app, id);
	if (options->at)
		place_line_go(app, options->at);
	if (id != NR_VIEWS && app->view_id != id)	/* a table cannot go to a moment */
		views_show(app, id);
}

/* Is there a view of the name that --view gives? */
static int check_view(const struct app_options *options, struct ft_error *err)
{
	struct text titles = { 0 };

	if (!options->view || views_titled(options->view, strlen(options->view)) != NR_VIEWS)
		return 0;
	for (unsigned int id = 0; id < NR_VIEWS; id++)
		if (view_table[id])
			text_printf(&titles, "%s%s", titles.len ? ", " : "", view_title(id));
	ft_error_set(err, FT_E_USAGE, -1, "--view: there is no view %s; there are: %s",
		     options->view, text_str(&titles));
	text_fini(&titles);
	return -1;
}

static int run_on_terminal(struct app *app, struct trace *trace, struct ft_error *err)
{
	sigset_t before;
	int signals = open_signals(&before), result = 0;
	struct guard *guard;

	if (signals < 0)
		result = ft_error_errno(err, errno, -1, "signalfd");
	else
		result = check_view(app->options, err) ? -1 : open_terminal(app, err);
	if (result) {
		trace_close(trace);
	} else {
		guard = guard_start(signals);
		filter_history_read(app);
		pairs_read(app);
		if (app->options->mistake)
			app_error(app, "%s", app->options->mistake);
		if (trace)
			use_first_trace(app, trace);
		else if (app->options->live)
			record_live(record_screen(app), app->options->live);
		else if (app->options->record)
			record_look(record_screen(app));
		if (!trace)
			recent_find(app);
		config_tell(app);
		loop(app, signals, guard);
		guard_stop(guard);
	}
	reopen_keep(app);
	filter_history_keep(app);
	term_close(app->term);
	app->term = NULL;
	if (signals >= 0)
		close(signals);
	if (app->loop->farewell.len)
		fprintf(stderr, "ftop-trace: %s\n", text_str(&app->loop->farewell));
	if (app->loop->signal) {		/* end as if the signal were not caught */
		signal(app->loop->signal, SIG_DFL);
		raise(app->loop->signal);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return result;
}

int app_run(struct trace *trace, const struct app_options *options, struct ft_error *err)
{
	struct app app;
	int result;

	app_init(&app, options);
	app.first_view = VIEW_SUMMARY;
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
