/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each view by itself: opened on a trace with a host that writes down what it is asked for. */
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

#include "src/base/workers.h"
#include "tests/lib/fake_host.h"
#include "tests/lib/limits.h"
#include "tests/lib/open_recorded.h"
#include "ui/timeline/view_timeline.h"
#include "ui/view/view.h"

#define ROWS		24
#define COLS		100
#define TURN_MS		50
#define SLICE_NS	4000000
#define MOST_NS		(LIMIT_S * 1000000000ll)	/* until what workers do must be seen */

struct screen {
	struct app	 app;
	struct shared	 shared;
	struct canvas	 canvas;
	const struct view_ops *ops;
	struct view	*view;
};

/* --- what the loop does ---------------------------------------------------------- */

static void draw(struct screen *screen)
{
	struct view_area area = { .canvas = &screen->canvas, .top = 1 };
	int detail;

	view_take(screen->ops, screen->view);
	detail = view_detail_rows(screen->ops, screen->view, &screen->shared, 4, ROWS / 2);
	canvas_clear(&screen->canvas);
	area.rows = ROWS - 1 - detail;
	screen->ops->draw(screen->view, &area);
	if (screen->ops->publish)
		screen->ops->publish(screen->view);
	area.top += area.rows;
	area.rows = detail;
	if (detail)
		view_draw_detail(screen->ops, screen->view, &area);
}

static bool shows(struct screen *screen, const char *s)
{
	struct text t = { 0 };
	bool found;

	draw(screen);
	canvas_print(&screen->canvas, &t);
	found = strstr(text_str(&t), s);
	text_fini(&t);
	return found;
}

/* Turns of a loop until the view shows @s. */
static void wait_until_shown(struct screen *screen, const char *s)
{
	struct workers *workers = trace_workers(screen->shared.trace);
	const struct view_work *job = screen->ops->work;
	struct pollfd fd = { .fd = workers_fd(workers), .events = POLLIN };
	int64_t until = workers_now_ns() + MOST_NS;

	while (!shows(screen, s) && workers_now_ns() < until) {
		poll(&fd, 1, screen->app.works ? 0 : TURN_MS);
		if (screen->app.works) {
			screen->app.works = false;	/* the view may ask anew while it works */
			screen->app.works |= job->slice(screen->view, SLICE_NS);
		}
		workers_acknowledge(workers);
		if (job && job->progressed)
			job->progressed(screen->view);
	}
	if (!shows(screen, s)) {
		struct text t = { 0 };

		canvas_print(&screen->canvas, &t);
		fail_msg("'%s' is not shown:\n%s", s, text_str(&t));
	}
}

static void begin_with(struct screen *screen, struct trace *trace, const struct view_ops *ops)
{
	struct shared *shared = &screen->shared;

	memset(screen, 0, sizeof(*screen));
	fake_host_init(&screen->app);
	canvas_init(&screen->canvas, ROWS, COLS);
	places_init(&shared->at.places);
	shared->look.detail_rows = -1;
	shared->look.cols = COLS;
	shared_use(shared, trace, false);
	filters_init(&shared->chosen.filters, shared->trace);
	shared->at.has_span = trace_span(shared->trace, &shared->at.first, &shared->at.last);
	shared->at.here = shared_place(shared, trace_first(shared->trace));
	screen->ops = ops;
	screen->view = ops->open(ops, &screen->app.host, shared);
	ops->retrace(screen->view);
	if (ops->work && ops->work->slice)
		screen->app.works = true;
	if (ops->go)
		ops->go(screen->view, &shared->at.here);
}

static void begin(struct screen *screen, const char *trace, const struct view_ops *ops)
{
	begin_with(screen, open_data(trace, 1), ops);
}

static void end(struct screen *screen)
{
	struct trace *trace = screen->shared.trace;

	screen->ops->close(screen->view);
	shared_use(&screen->shared, NULL, false);
	filters_fini(&screen->shared.chosen.filters);
	trace_close(trace);
	fake_host_fini(&screen->app);
	canvas_fini(&screen->canvas);
}

static void expect(struct screen *screen, enum request request, char letter, const char *asked)
{
	text_clear(&screen->app.asked);
	assert_true(screen->ops->request(screen->view, request, letter));
	assert_string_equal(text_str(&screen->app.asked), asked);
}

/* --- views -------------------------------------------------------------------------- */

static void test_events(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen, "cpu4", &view_events_ops);
	wait_until_shown(&screen, ">7.328262112");
	expect(&screen, REQ_DOWN, 0, "");
	expect(&screen, REQ_MORE, 0, "more rows around\n");
	expect(&screen, REQ_ONLY, 'c', "only cpu 2\n");
	expect(&screen, REQ_TRACK_NEXT, 0, "find next event of this task\n");
	expect(&screen, REQ_COPY, 'y', "copy row\n");
	end(&screen);
}

static void test_graph(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen, "cpu4", &view_graph_ops);
	wait_until_shown(&screen, "()");
	expect(&screen, REQ_ONLY, 'z',
	       "message: here: f the function, t the task, p its process, c the CPU, h interrupts\n");
	expect(&screen, REQ_WITHOUT, 'h', "without term (irq || softirq)\n");
	expect(&screen, REQ_COPY, 'y', "copy row\n");
	end(&screen);
}

/* In cpu4, where on-cpu-1 goes to sleep: it is neither the first task nor the busiest. */
static const struct place slept = {
	.set = true, .ref = TRACE_REF_NONE, .ts = 7554110000, .pid = 80, .cpu = 1,
};

/* It goes to a place before the page directory tells of calls; the cursor is there meanwhile. */
static void test_graph_before_directory(void **state)
{
	struct screen screen;
	struct place place;

	(void)state;
	for (int of_row = 0; of_row < 2; of_row++) {
		begin_with(&screen, open_data_held("cpu4", 1, 0), &view_graph_ops);
		place = of_row ? shared_place(&screen.shared,
					      trace_seek_time(screen.shared.trace, slept.ts, 1)) :
				 slept;
		assert_int_equal(place.pid, 80);
		screen.ops->go(screen.view, &place);
		wait_until_shown(&screen, "Nothing has been read yet");
		assert_true(place_same(&screen.shared.at.here, &place));
		assert_true(screen.ops->search->pick_task(screen.view, 0, 80));
		assert_string_equal(text_str(&screen.app.asked), "jump to CPU 1\n");
		trace_hold(screen.shared.trace, -1);
		wait_until_shown(&screen, "on-cpu-1-80, by task");
		wait_until_shown(&screen, ">       7.554110   1  * 20238.315");
		end(&screen);
	}
}

/* Where the trace begins it shows the busiest task, but not again if another one was chosen. */
static void test_graph_first_row(void **state)
{
	struct place few = { .set = true, .ref = TRACE_REF_NONE, .ts = 1000000000, .pid = 7 };
	char path[] = "/tmp/ftop-view-host-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct screen screen;
	struct place here;

	(void)state;
	assert_non_null(file);
	fputs("# tracer: function\n#\n   few-7  [000] .....  1.000000: one <-main\n", file);
	for (int i = 1; i < 40; i++)
		fprintf(file, "  many-8  [000] .....  1.%06d: two <-main\n", i);
	assert_int_equal(fclose(file), 0);
	begin_with(&screen, open_path(path, 1), &view_graph_ops);
	wait_until_shown(&screen, "many-8, by task");
	screen.ops->go(screen.view, &few);
	wait_until_shown(&screen, "few-7, by task");
	here = screen.shared.at.here;
	assert_int_equal(here.ref, trace_first(screen.shared.trace));
	screen.ops->retrace(screen.view);
	screen.ops->go(screen.view, &here);
	wait_until_shown(&screen, "()");
	assert_true(shows(&screen, "few-7, by task"));
	end(&screen);
	assert_int_equal(unlink(path), 0);
}

static void test_timeline(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen, "cpu4", &view_timeline_ops);
	wait_until_shown(&screen, "CPU 0");
	expect(&screen, REQ_MORE, 0, "leave zoom\n");
	expect(&screen, REQ_ONLY, 'h', "only term (irq || softirq)\n");
	expect(&screen, REQ_ONLY, 'f',
	       "message: functions and values are in Events: Enter goes there\n");
	end(&screen);
}

/* The model may become known after the view went to its place, and before it was drawn. */
static void test_timeline_header_before_rows(void **state)
{
	int64_t until = workers_now_ns() + MOST_NS;
	struct text header = { 0 };
	struct screen screen;

	(void)state;
	begin(&screen, "cpu4", &view_timeline_ops);
	while (!timeline_is_known(screen.view) && workers_now_ns() < until)
		poll(NULL, 0, 1);
	assert_true(timeline_is_known(screen.view));
	/* a window is there if go() knew the model */
	screen.ops->header(screen.view, &header);
	assert_true(!*text_str(&header) || strstr(text_str(&header), " window"));
	draw(&screen);
	text_clear(&header);
	screen.ops->header(screen.view, &header);
	assert_non_null(strstr(text_str(&header), " window"));
	text_fini(&header);
	end(&screen);
}

static void hold_worker(void *arg, unsigned int worker, bool cancelled)
{
	(void)worker;
	(void)cancelled;
	poll(arg, 1, LIMIT_MS);
}

/* The task of a place is that of the cursor, also while the model does not know it. */
static void test_timeline_before_model(void **state)
{
	struct trace *trace = open_data("cpu4", 1);
	struct worker_group group = { 0 };
	struct screen screen;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	workers_add(trace_workers(trace), &group, WORKER_VISIBLE, hold_worker,
		    &(struct pollfd){ .fd = ends[0], .events = POLLIN });
	begin_with(&screen, trace, &view_timeline_ops);
	screen.ops->go(screen.view, &slept);
	draw(&screen);
	assert_true(place_same(&screen.shared.at.here, &slept));
	assert_int_equal(write(ends[1], "", 1), 1);
	wait_until_shown(&screen, ">on-cpu-1-80");
	assert_int_equal(screen.shared.at.here.pid, 80);
	workers_wait(trace_workers(trace), &group);
	end(&screen);
	close(ends[0]);
	close(ends[1]);
}

static void test_functions(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen, "cpu4", &view_functions_ops);
	wait_until_shown(&screen, ">schedule                                 166");
	expect(&screen, REQ_ENTER, 0, "entering\nshow Graph\n");
	expect(&screen, REQ_COPY, 'y', "copy row\n");
	expect(&screen, REQ_COMPARE, 0,
	       "message: no range to compare with the rest (a, b and r make one), "
	       "and no other file\n");
	end(&screen);
}

static void test_tasks(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen, "cpu4", &view_tasks_ops);
	assert_true(screen.ops->lists->choose(screen.view, 'e'));
	wait_until_shown(&screen, ">ftrace/funcgraph_entry");
	expect(&screen, REQ_ENTER, 0, "entering\nshow Events\nfind next event of this type\n");
	expect(&screen, REQ_WITHOUT, 'e', "without term ftrace/funcgraph_entry\n");
	expect(&screen, REQ_ONLY, 't', "message: here: e the event\n");
	expect(&screen, REQ_COPY, 'y', "copy row\n");
	expect(&screen, REQ_COMPARE, 0,
	       "message: no range to compare with the rest (a, b and r make one), "
	       "and no other file\n");
	end(&screen);
}

static void test_kernel(void **state)
{
	struct screen screen;

	(void)state;
	begin(&screen, "cpu4", &view_kernel_ops);
	wait_until_shown(&screen, "# tracer:");
	expect(&screen, REQ_COPY, 'y', "copy line\n");
	expect(&screen, REQ_SLOW_NEXT, 0, "find next slow place\n");
	end(&screen);
}

/* Another trace has fewer files than the one that was left in its last file. */
static void test_kernel_of_fewer_files(void **state)
{
	const char *data = getenv("FTOP_TEST_DATA");
	char path[2][4096];
	const char *paths[] = { path[0], path[1] };
	struct trace *two, *one = open_data("cpu4", 1);
	struct ft_error err = { 0 };
	struct screen screen;
	struct place place;

	(void)state;
	snprintf(path[0], sizeof(path[0]), "%s/good/cpu4/trace.dat", data ? data : "tests/data");
	snprintf(path[1], sizeof(path[1]), "%s/good/sched/trace.dat", data ? data : "tests/data");
	two = trace_open(paths, 2, true, NULL, &err);
	assert_non_null(two);
	begin_with(&screen, two, &view_kernel_ops);
	place = shared_place(&screen.shared, trace_last(two));
	assert_int_equal(place.file, 1);
	assert_true(screen.ops->go(screen.view, &place));
	shared_use(&screen.shared, one, false);
	screen.ops->retrace(screen.view);
	filters_fini(&screen.shared.chosen.filters);
	filters_init(&screen.shared.chosen.filters, one);
	trace_close(two);
	assert_true(screen.ops->go(screen.view, &(struct place){ .set = true, .ref = TRACE_REF_NONE,
								 .ts = slept.ts, .pid = -1,
								 .cpu = -1 }));
	wait_until_shown(&screen, "> 1)               |    schedule() {");
	end(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events), cmocka_unit_test(test_graph),
		cmocka_unit_test(test_graph_before_directory),
		cmocka_unit_test(test_graph_first_row),
		cmocka_unit_test(test_timeline),
		cmocka_unit_test(test_timeline_header_before_rows),
		cmocka_unit_test(test_timeline_before_model),
		cmocka_unit_test(test_functions), cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_kernel), cmocka_unit_test(test_kernel_of_fewer_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
