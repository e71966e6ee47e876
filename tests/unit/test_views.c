/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen with several views.  They are made here, in place of those of ui/desk/view_table.c:
 * one of rows that are events, one of moments between them, one of rows that are neither.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "tests/lib/open_recorded.h"
#include "ui/app/app.h"
#include "ui/app/frame.h"
#include "ui/app/press.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"
#include "ui/prompt/filter_line.h"
#include "ui/session/remember.h"
#include "ui/session/reopen_private.h"
#include "ui/session/save.h"
#include "ui/screen/keymap.h"
#include "ui/session/session.h"

#define WAKING	7574227913		/* of the demo: on-cpu-1 is being woken, on CPU 1 */
#define RUNS	7574321342		/* and it runs */

struct view {				/* all three */
	const struct view_host *host;
	struct shared	*shared;
	struct place	 at;
	int64_t		 width;		/* of moments: ns in the window */
	char		 list;
	unsigned int	 nr_changed, nr_retraced, slices, nr_progressed;
	bool		 wants_more;
	int		 row;		/* of the table */
	unsigned int	 file, nr_files;	/* it was told to show one */
	bool		 waits;		/* moments: has no window yet */
	enum request	 last;
};

static struct view *opened[NR_VIEWS];
static unsigned int nr_open, nr_closed;

static struct view *open_as(const struct view_host *host, struct shared *shared, enum view_id id)
{
	struct view *view = mem_alloc(sizeof(*view));

	view->host = host;
	view->shared = shared;
	view->width = 1000000;
	view->list = 'a';
	opened[id] = view;
	nr_open++;
	return view;
}

static struct view *open_rows(const struct view_ops *ops, const struct view_host *host,
			      struct shared *shared)
{
	struct view *view = open_as(host, shared, VIEW_EVENTS);

	(void)ops;
	view->at = shared_place(shared, trace_first(shared->trace));
	return view;
}

static struct view *open_moments(const struct view_ops *ops, const struct view_host *host,
				 struct shared *shared)
{
	(void)ops;
	return open_as(host, shared, VIEW_TIMELINE);
}

static struct view *open_table(const struct view_ops *ops, const struct view_host *host,
			       struct shared *shared)
{
	(void)ops;
	return open_as(host, shared, VIEW_FUNCTIONS);
}

static void fake_close(struct view *view)
{
	nr_closed++;
	free(view);
}

static void fake_draw(struct view *view, const struct view_area *area)
{
	(void)view;
	canvas_text(area->canvas, area->top, 1, 40, ROLE_TEXT, "a view");
}

static void publish_place(struct view *view)
{
	view->shared->at.here = view->at;
	view->shared->at.window_from = view->at.ts - view->width / 2;
	view->shared->at.window_to = view->at.ts + view->width / 2;
}

static void publish_nothing(struct view *view)
{
	(void)view;
}

static bool rows_request(struct view *view, enum request request, char letter)
{
	trace_ref ref;

	(void)letter;
	view->last = request;
	if (request != REQ_DOWN)
		return false;
	ref = trace_select(view->shared->trace,
			   trace_rank(view->shared->trace, view->at.ref, &(bool){ false }) + 1);
	view->at = shared_place(view->shared, ref);
	return true;
}

static bool rows_go(struct view *view, const struct place *place)
{
	view->at = shared_place(view->shared, shared_row_of(view->shared, place));
	return true;
}

static void rows_line(struct view *view, const struct trace_event *event, struct text *out)
{
	trace_event_text(view->shared->trace, event, NULL, 0, out);
}

/* A step right is 10 µs, whatever stands there; + and - zoom. */
static bool moments_request(struct view *view, enum request request, char letter)
{
	(void)letter;
	view->last = request;
	switch ((int)request) {
	case REQ_RIGHT:
		view->at = (struct place){ .set = true, .ref = TRACE_REF_NONE,
					   .ts = view->at.ts + 10000, .pid = 80,
					   .cpu = view->at.cpu };
		return true;
	case REQ_MORE:
	case REQ_LESS:
		host_leave_zoom(view->host);
		view->width = request == REQ_MORE ? view->width / 2 : view->width * 2;
		return true;
	case REQ_ENTER:
		host_entering(view->host);
		host_show(view->host, VIEW_EVENTS, &view->at);
		return true;
	}
	return false;
}

static bool moments_go(struct view *view, const struct place *place)
{
	view->at = *place;
	view->at.ref = TRACE_REF_NONE;
	return true;
}

static bool moments_window(struct view *view, int64_t from, int64_t to)
{
	if (!view->waits)
		view->width = to - from;
	return !view->waits;
}

/* What is under the cursor lasts 5 µs. */
static bool moments_span(struct view *view, bool end, struct place *place)
{
	*place = view->at;
	place->ts += end ? 5000 : 0;
	return true;
}

static bool fake_work(struct view *view, int64_t ns)
{
	(void)ns;
	view->slices++;
	return view->wants_more && view->slices < 5;
}

static bool fake_progressed(struct view *view)
{
	view->nr_progressed++;
	return true;
}

static bool table_request(struct view *view, enum request request, char letter)
{
	(void)letter;
	view->last = request;
	view->row += request == REQ_DOWN;
	return request == REQ_DOWN || request == REQ_PARENT;
}

static void table_show_file(struct view *view, unsigned int file)
{
	view->file = file;
	view->nr_files++;
}

static uint64_t rows_to_save;

static bool table_save_row(struct view *view, uint64_t i, struct text *out)
{
	(void)view;
	text_printf(out, "function %d", (int)i);
	return i < rows_to_save;
}

static void table_header(struct view *view, struct text *out)
{
	text_printf(out, "row %d of the table", view->row);
}

static char fake_list(struct view *view)
{
	return view->list;
}

/* There is nothing in b. */
static bool fake_choose_list(struct view *view, char letter)
{
	if (letter != 'b')
		view->list = letter;
	return letter != 'b';
}

static void fake_changed(struct view *view)
{
	view->nr_changed++;
}

static void fake_retrace(struct view *view)
{
	view->nr_retraced++;
	view->at = (struct place){ 0 };
}

static bool fake_can(struct view *view, enum request request)
{
	(void)view;
	(void)request;
	return true;
}

static const enum request none[] = { REQ_NONE };
static const enum request bar[] = { REQ_ENTER, REQ_HELP, REQ_NONE };
static const struct view_word moment_words[] = {
	{ REQ_ENTER, "Begin", "the event that began this" }, { REQ_NONE, NULL, NULL }
};
static const struct list_tab table_lists[] = {
	{ 'a', "all" }, { 'b', "best" }, { 'c', "callers" }, { 0, NULL }
};

static const struct view_keys fake_keys = {
	.bar = bar, .row = none, .can = fake_can
};
static const struct view_keys moment_keys = {
	.bar = bar, .row = none, .can = fake_can, .words = moment_words
};
static const struct view_lines row_lines = { .line = rows_line };
static const struct view_moments view_moments = { .window = moments_window, .span = moments_span };
static const struct view_work moment_work = { .slice = fake_work, .progressed = fake_progressed };
static const struct view_lists fake_lists = { .all = table_lists,
					      .shown = fake_list,
					      .choose = fake_choose_list };
static const struct view_commands table_commands = { .save_row = table_save_row };

#define COMMON \
	.close = fake_close, .draw = fake_draw, .retrace = fake_retrace, .changed = fake_changed

static const struct view_ops rows_ops = {
	COMMON, .open = open_rows, .publish = publish_place, .request = rows_request, .go = rows_go,
	.keys = &fake_keys,
	.lines = &row_lines,
};
static const struct view_ops moments_ops = {
	COMMON, .open = open_moments, .publish = publish_place, .request = moments_request,
	.go = moments_go,
	.keys = &moment_keys, .moments = &view_moments, .work = &moment_work,
};
static const struct view_ops table_ops = {
	COMMON, .open = open_table, .publish = publish_nothing, .request = table_request,
	.show_file = table_show_file,
	.header = table_header, .keys = &fake_keys, .lists = &fake_lists,
	.commands = &table_commands,
};

const struct view_ops *const view_table[NR_VIEWS] = {
	[VIEW_EVENTS] = &rows_ops,
	[VIEW_TIMELINE] = &moments_ops,
	[VIEW_FUNCTIONS] = &table_ops,
};

/* --- what is driven ------------------------------------------------------ */

static const struct app_options no_options;

static void begin(struct app *app)
{
	memset(opened, 0, sizeof(opened));
	nr_open = nr_closed = 0;
	app_init(app, &no_options);
	canvas_init(&app->canvas, 24, 80);
	reopen_with(app, open_data("cpu4", 1));
	frame_draw(app);
}

static void end(struct app *app)
{
	app_fini(app);
	assert_int_equal(nr_closed, nr_open);
}

/* Keys by their names, all before the screen is drawn again. */
static void press(struct app *app, const char *keys)
{
	while (*keys) {
		size_t len = strcspn(keys, " ");

		press_key(app, key_parse(keys, (unsigned int)len));
		keys += len + (keys[len] == ' ');
	}
}

static void expect_row(struct app *app, int row, const char *s)
{
	struct text t = { 0 };
	char *line;

	frame_draw(app);
	canvas_print(&app->canvas, &t);
	line = t.data;
	for (int i = 0; i < row; i++)
		line += strcspn(line, "\n") + 1;
	line[strcspn(line, "\n")] = '\0';
	if (!strstr(line, s))
		fail_msg("row %d is '%s', which has no '%s'", row, line, s);
	text_fini(&t);
}

/* The Events view, with the cursor at that moment. */
static void begin_at_waking(struct app *app)
{
	struct place place = {
		.set = true, .ref = TRACE_REF_NONE, .ts = WAKING, .pid = 0, .cpu = 1
	};

	begin(app);
	views_jump_to(app, &place);
}

/* --- what must be -------------------------------------------------------- */

/* Only views that exist have a tab and open, each once; another digit says so. */
static void test_tabs(void **state)
{
	struct app app;

	(void)state;
	begin(&app);
	assert_int_equal(nr_open, 1);
	expect_row(&app, 2, "[1 Events] 3 Timeline  5 Functions");
	press(&app, "3");
	expect_row(&app, 2, " 1 Events [3 Timeline] 5 Functions");
	press(&app, "5");
	expect_row(&app, 2, " 1 Events  3 Timeline [5 Functions]");
	press(&app, "1 3 5 1");
	assert_int_equal(nr_open, 3);
	press(&app, "2");
	expect_row(&app, 23, "Graph is not in this version yet");
	expect_row(&app, 2, "[1 Events]");
	end(&app);
}

/* A filter that has no room behind the tabs is below them; a click on a tab shows its view. */
static void test_filter_below_tabs(void **state)
{
	struct filter_error err = { 0 };
	struct app app;

	(void)state;
	begin(&app);
	assert_int_equal(filters_set(&app.shared.chosen.filters, 0,
				     "sched_switch && prev_pid == 80 && next_pid == 0",
				     &app.shared.at.places, &err),
			 0);
	canvas_resize(&app.canvas, 24, 60);
	expect_row(&app, 2, "[1 Events] 3 Timeline  5 Functions");
	expect_row(&app, 3, " filter sched_switch");
	app.mouse = (struct ui_mouse){ .kind = UI_MOUSE_PRESS, .row = 2, .col = 26 };
	press_key(&app, UI_KEY_MOUSE);
	assert_int_equal(app.view_id, VIEW_FUNCTIONS);
	end(&app);
}

/*
 * Another view opens at the same moment, task and CPU, also where keys come faster than the screen
 * is drawn.
 */
static void test_same_moment(void **state)
{
	struct app app;
	trace_ref ref;

	(void)state;
	begin_at_waking(&app);
	assert_int_equal(app.shared.at.here.ts, WAKING);
	ref = app.shared.at.here.ref;
	press(&app, "3");
	assert_int_equal(opened[VIEW_TIMELINE]->at.ts, WAKING);
	assert_int_equal(opened[VIEW_TIMELINE]->at.cpu, 1);
	press(&app, "1");
	assert_int_equal(opened[VIEW_EVENTS]->at.ref, ref);
	press(&app, "j j 3");		/* wakeup, switch */
	assert_int_equal(opened[VIEW_TIMELINE]->at.ts, RUNS);
	/* A moment between rows: the row behind it, of the same CPU. */
	press(&app, "l l 1");
	assert_true(opened[VIEW_EVENTS]->at.ts >= RUNS + 20000);
	assert_int_equal(opened[VIEW_EVENTS]->at.cpu, 1);
	/* A table has no moment; it keeps the one there was. */
	ref = opened[VIEW_EVENTS]->at.ref;
	press(&app, "5 j j 1");
	assert_int_equal(opened[VIEW_EVENTS]->at.ref, ref);
	assert_int_equal(opened[VIEW_FUNCTIONS]->row, 2);
	end(&app);
}

/* ( and ) lead through views and windows as well; a row of zooms is one step. */
static void test_back(void **state)
{
	struct app app;

	(void)state;
	begin_at_waking(&app);
	press(&app, "3 l + + +");
	assert_int_equal(opened[VIEW_TIMELINE]->width, 125000);
	press(&app, "5");
	assert_int_equal(app.view_id, VIEW_FUNCTIONS);
	press(&app, "(");
	assert_int_equal(app.view_id, VIEW_TIMELINE);
	assert_int_equal(opened[VIEW_TIMELINE]->at.ts, WAKING + 10000);
	assert_int_equal(opened[VIEW_TIMELINE]->width, 125000);
	press(&app, "(");
	assert_int_equal(opened[VIEW_TIMELINE]->width, 1000000);
	press(&app, "(");
	assert_int_equal(app.view_id, VIEW_EVENTS);
	assert_int_equal(opened[VIEW_EVENTS]->at.ts, WAKING);
	press(&app, ") ) )");
	assert_int_equal(app.view_id, VIEW_FUNCTIONS);
	end(&app);
}

/* Enter leads to another view, q back to the place in the former one, and from there out. */
static void test_enter_and_return(void **state)
{
	struct app app;

	(void)state;
	begin_at_waking(&app);
	press(&app, "3 l Enter");
	assert_int_equal(app.view_id, VIEW_EVENTS);
	assert_true(opened[VIEW_EVENTS]->at.ts >= WAKING + 10000);
	press(&app, "j j j q");
	assert_int_equal(app.view_id, VIEW_TIMELINE);
	assert_int_equal(opened[VIEW_TIMELINE]->at.ts, WAKING + 10000);
	/* a q too many on the way back does not quit, the next one does */
	press(&app, "q");
	assert_false(app.quit);
	expect_row(&app, 23, "this is where you began; q quits");
	press(&app, "q");
	assert_true(app.quit);
	end(&app);
}

/*
 * A and B are the ends of what is under the cursor, and marks of moments lead back to them, from
 * tables into Events.
 */
static void test_marks(void **state)
{
	struct app app;
	int64_t delta;

	(void)state;
	begin_at_waking(&app);
	press(&app, "3 l a b");
	assert_true(places_delta(&app.shared.at.places, 0, &delta));
	assert_int_equal(delta, 5000);
	press(&app, "l l m c l ' c");
	assert_int_equal(opened[VIEW_TIMELINE]->at.ts, WAKING + 30000);
	press(&app, "5 ' a");
	assert_int_equal(app.view_id, VIEW_EVENTS);
	assert_true(opened[VIEW_EVENTS]->at.ts >= WAKING + 10000);
	end(&app);
}

/* The range is A to B, told to all views and in the header; again: the whole; ( undoes it. */
static void test_range(void **state)
{
	int64_t from, to;
	struct app app;

	(void)state;
	begin_at_waking(&app);
	press(&app, "a j j b 3");
	opened[VIEW_TIMELINE]->nr_changed = opened[VIEW_EVENTS]->nr_changed = 0;
	assert_false(shared_range(&app.shared, &from, &to));
	press(&app, "r");
	assert_true(shared_range(&app.shared, &from, &to));
	assert_int_equal(from, WAKING);
	assert_int_equal(to, RUNS);
	assert_int_equal(opened[VIEW_TIMELINE]->nr_changed, 1);
	assert_int_equal(opened[VIEW_EVENTS]->nr_changed, 1);
	expect_row(&app, 0, "range");
	press(&app, "r");
	assert_false(shared_range(&app.shared, &from, &to));
	assert_int_equal(from, app.shared.at.first);
	press(&app, "(");
	assert_true(shared_range(&app.shared, &from, &to));
	press(&app, "(");
	assert_false(shared_range(&app.shared, &from, &to));
	/* Without marks, what the window shows. */
	press(&app, "a 1 a b ' b b 3 r");
	assert_true(shared_range(&app.shared, &from, &to));
	end(&app);
}

/* Filters are undone and done again as jumps are, with the place that was left for them. */
static void test_filters(void **state)
{
	const struct filters *filters;
	struct app app;

	(void)state;
	begin_at_waking(&app);
	filters = &app.shared.chosen.filters;
	filter_line_by(&app, NULL, "sched_switch", false);
	press(&app, "j j & c p u Space = = Space 1 Enter");
	assert_int_equal(filters->nr, 2);
	press(&app, "F");
	assert_true(filters->off);
	press(&app, "(");
	assert_int_equal(filters->nr, 2);
	assert_false(filters->off);
	press(&app, "(");
	assert_int_equal(filters->nr, 1);
	assert_string_equal(filters->stack[0].text, "sched_switch");
	press(&app, "(");
	assert_int_equal(filters->nr, 0);
	assert_int_equal(opened[VIEW_EVENTS]->at.ts, WAKING);
	press(&app, ") )");
	assert_int_equal(filters->nr, 2);
	assert_string_equal(filters->stack[1].text, "cpu == 1");
	press(&app, ")");
	assert_true(filters->off);
	/* A line that is left as it was is no step. */
	press(&app, "f Enter (");
	assert_int_equal(filters->nr, 2);
	end(&app);
}

/* Tab and o go to lists of the view, and past one that is empty. */
static void test_lists(void **state)
{
	struct app app;

	(void)state;
	begin(&app);
	press(&app, "5 o");
	expect_row(&app, 23, "list:  a all  b best  c callers");
	press(&app, "c");
	assert_int_equal(opened[VIEW_FUNCTIONS]->list, 'c');
	press(&app, "Tab");
	assert_int_equal(opened[VIEW_FUNCTIONS]->list, 'a');
	press(&app, "Tab");
	assert_int_equal(opened[VIEW_FUNCTIONS]->list, 'c');
	press(&app, "S-Tab");
	assert_int_equal(opened[VIEW_FUNCTIONS]->list, 'a');
	press(&app, "o b");
	expect_row(&app, 23, "best: the list is empty");
	press(&app, "o f");
	expect_row(&app, 23, "f is not one of these:  a all");
	expect_row(&app, 0, "row 0 of the table");
	press(&app, "1 o");
	expect_row(&app, 23, "c CPUs");
	end(&app);
}

static void load(struct app *app, const char *s)
{
	struct text lines = { 0 };

	text_add(&lines, s);
	remember_load(app, &lines);
	text_fini(&lines);
}

/* What is remembered names views by their titles; older versions wrote their keys. */
static void test_remembered(void **state)
{
	struct text lines = { 0 };
	struct app app;

	(void)state;
	begin(&app);
	press(&app, "5 o c");
	remember_save(&app, &lines);
	assert_non_null(strstr(text_str(&lines), "view Functions\n"));
	assert_non_null(strstr(text_str(&lines), "Functions.list c\n"));
	load(&app, "view 3\n5 list a\n");	/* not where it was, unless asked */
	assert_int_equal(app.view_id, VIEW_FUNCTIONS);
	assert_int_equal(opened[VIEW_FUNCTIONS]->list, 'c');
	app.session->goes_back = true;
	load(&app, "view 3\n5 list a\n");
	assert_int_equal(app.view_id, VIEW_TIMELINE);
	assert_int_equal(opened[VIEW_FUNCTIONS]->list, 'a');
	load(&app, text_str(&lines));
	assert_int_equal(app.view_id, VIEW_FUNCTIONS);
	assert_int_equal(opened[VIEW_FUNCTIONS]->list, 'c');
	text_fini(&lines);
	end(&app);
}

/* Keys act in views they are for, and say where that is. */
static void test_keys_of_views(void **state)
{
	struct app app;

	(void)state;
	begin(&app);
	opened[VIEW_EVENTS]->last = REQ_NONE;
	press(&app, "u");
	expect_row(&app, 23, "u works in 5 Functions: go to the caller");
	assert_int_equal(opened[VIEW_EVENTS]->last, REQ_NONE);
	press(&app, "K");
	expect_row(&app, 23, "not in this version yet");
	press(&app, "5 u");
	assert_int_equal(opened[VIEW_FUNCTIONS]->last, REQ_PARENT);
	press(&app, "3");
	expect_row(&app, 23, "Enter Begin");
	press(&app, "?");
	expect_row(&app, 0, "Help: ten keys");
	press(&app, "?");
	expect_row(&app, 0, "Help: Timeline");
	end(&app);
}

/* A view that has nothing to show yet: its keys say so, but a search begins where one was. */
static void test_nothing_yet(void **state)
{
	struct app app;

	(void)state;
	begin_at_waking(&app);
	press(&app, "3");
	opened[VIEW_TIMELINE]->at = (struct place){ 0 };
	frame_draw(&app);
	press(&app, "a");
	expect_row(&app, 23, "there is no row here");
	press(&app, "/");
	assert_true(app.typed && app.typed->tries);
	press(&app, "z z Enter 1");
	assert_int_equal(opened[VIEW_EVENTS]->at.ts, WAKING);
	end(&app);
}

/* Slices while it wants them, and word of the workers. */
static void test_work(void **state)
{
	struct app app;

	(void)state;
	begin(&app);
	press(&app, "3");
	assert_true(app.works);
	views_step(&app);
	assert_false(app.works);
	assert_int_equal(opened[VIEW_TIMELINE]->slices, 1);
	opened[VIEW_TIMELINE]->wants_more = true;
	views_work(&app);
	for (int i = 0; i < 20; i++)
		views_step(&app);
	assert_int_equal(opened[VIEW_TIMELINE]->slices, 5);
	app.dirty = false;
	app.progressed = true;
	app.progress_looked = 0;
	views_follow(&app);
	assert_int_equal(opened[VIEW_TIMELINE]->nr_progressed, 1);
	assert_true(app.dirty);
	views_follow(&app);
	assert_int_equal(opened[VIEW_TIMELINE]->nr_progressed, 1);
	/* One that is not shown gets no time. */
	views_work(&app);
	press(&app, "1");
	views_step(&app);
	assert_int_equal(opened[VIEW_TIMELINE]->slices, 5);
	/* What it asks for then does not keep the loop awake where the view shown has no work. */
	views_work(&app);
	views_step(&app);
	assert_false(app.works);
	end(&app);
}

/* A table shows another file only where the cursor moves to that. */
static void test_files(void **state)
{
	struct place place = { .set = true, .ref = TRACE_REF_NONE, .pid = 1, .cpu = -1 };
	struct app app;

	(void)state;
	begin(&app);
	press(&app, "5");
	assert_false(views_go(&app, VIEW_FUNCTIONS, &place));
	assert_int_equal(opened[VIEW_FUNCTIONS]->nr_files, 0);
	for (place.file = 1; place.file <= 2; place.file++)
		for (int i = 0; i < 2; i++) {
			assert_false(views_go(&app, VIEW_FUNCTIONS, &place));
			assert_int_equal(opened[VIEW_FUNCTIONS]->file, place.file);
			assert_int_equal(opened[VIEW_FUNCTIONS]->nr_files, place.file);
		}
	place.pid = -1;			/* a moment is of no file */
	place.file = 0;
	views_go(&app, VIEW_FUNCTIONS, &place);
	assert_int_equal(opened[VIEW_FUNCTIONS]->nr_files, 2);
	/* The next trace begins with its first file. */
	views_retrace(&app);
	place.pid = 1;
	views_go(&app, VIEW_FUNCTIONS, &place);
	assert_int_equal(opened[VIEW_FUNCTIONS]->nr_files, 2);
	end(&app);
}

/* Another trace in place of it: all views are told, the one shown stays. */
static void test_retrace(void **state)
{
	struct app app;

	(void)state;
	begin_at_waking(&app);
	press(&app, "3");
	reopen_same(&app);
	assert_int_equal(app.view_id, VIEW_TIMELINE);
	assert_int_equal(opened[VIEW_TIMELINE]->nr_retraced, 1);
	assert_int_equal(opened[VIEW_EVENTS]->nr_retraced, 1);
	assert_int_equal(opened[VIEW_TIMELINE]->at.ts, WAKING);
	press(&app, "1");
	assert_int_equal(opened[VIEW_EVENTS]->at.ts, WAKING);
	assert_int_equal(nr_open, 2);
	end(&app);
}

/* A screen that was stopped while models counted does not take that for the time that they need. */
static void test_stopped(void **state)
{
	const int64_t s = 1000000000;
	struct app app;
	int64_t now;

	(void)state;
	begin(&app);
	while (!workers_idle(trace_workers(app.shared.trace)))
		poll(NULL, 0, 1);
	now = workers_now_ns();
	app.shared.growth.grew_at = now - 20 * s;
	app.session->grow_cpu = workers_cpu_ns();
	app.session->grow_next = GROW_COUNTS;
	reopen_is_counted(&app, now);
	assert_true(reopen_is_counted(&app, now + 10 * s));
	end(&app);
}

/* Rows that are no events go into a file as the view hands them out. */
static void test_save(void **state)
{
	char path[] = "/tmp/ftop-views-XXXXXX", line[64];
	struct app app;
	FILE *file;
	int fd = mkstemp(path), lines = 0;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	begin(&app);
	press(&app, "5");
	frame_draw(&app);
	rows_to_save = UINT64_MAX;
	save_start(&app, path, FORMAT_TEXT);
	assert_true(app.job && app.job->saves);
	app_end_job(&app);		/* as Y or a search does */
	assert_non_null(strstr(text_str(&app.message), "is incomplete"));
	unlink(path);
	rows_to_save = 3;
	save_start(&app, path, FORMAT_TEXT);
	while (app.job)
		app.job->step(&app);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char expected[64];

		snprintf(expected, sizeof(expected), "function %d\n", lines++);
		assert_string_equal(line, expected);
	}
	fclose(file);
	unlink(path);
	assert_int_equal(lines, 3);
	end(&app);
}

/* The window of the last time is shown once the view has one, however long that takes. */
static void test_window(void **state)
{
	struct app app;

	(void)state;
	begin(&app);
	press(&app, "3");
	opened[VIEW_TIMELINE]->waits = true;
	app.session->window = (struct range){ .set = true, .from = RUNS, .to = RUNS + 4000 };
	frame_draw(&app);
	frame_draw(&app);
	assert_int_equal(opened[VIEW_TIMELINE]->width, 1000000);
	opened[VIEW_TIMELINE]->waits = false;
	frame_draw(&app);
	assert_int_equal(opened[VIEW_TIMELINE]->width, 4000);
	opened[VIEW_TIMELINE]->width = 8000;
	frame_draw(&app);
	assert_int_equal(opened[VIEW_TIMELINE]->width, 8000);
	end(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tabs),
		cmocka_unit_test(test_filter_below_tabs),
		cmocka_unit_test(test_same_moment),
		cmocka_unit_test(test_back),
		cmocka_unit_test(test_enter_and_return),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_lists), cmocka_unit_test(test_remembered),
		cmocka_unit_test(test_keys_of_views),
		cmocka_unit_test(test_nothing_yet),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_retrace),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_save),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
