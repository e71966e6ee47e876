/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_views - each view restores what the bytes say was kept of it, a line "KEY VALUE" each, and
 * is drawn.  Session files come from others, too.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/commands/derived_names.h"
#include "src/trace/trace.h"
#include "tests/lib/fake_host.h"
#include "ui/rows/kept.h"
#include "ui/view/view.h"

#define ROWS		24
#define COLS		100
#define TURNS		20
#define TURN_MS		1
#define SLICE_NS	1000000

const char fuzz_name[] = "fuzz_views";

static const struct view_ops *const views[] = {
	&view_events_ops, &view_graph_ops, &view_timeline_ops, &view_functions_ops,
	&view_tasks_ops,
};

static struct trace *trace;
static struct app app;
static struct shared shared;
static struct canvas canvas;

static void begin(void)
{
	const struct trace_options options = { .nr_workers = 1, .hold_permille = -1,
					       .filter_names = derived_names };
	char path[4200];
	const char *paths = path;

	snprintf(path, sizeof(path), "%s/graph-two-cpus/trace.dat", fuzz_recorded());
	trace = trace_open(&paths, 1, true, &options, NULL);
	assert(trace);
	trace_wait(trace);
	fake_host_init(&app);
	canvas_init(&canvas, ROWS, COLS);
	places_init(&shared.at.places);
	shared.look.cols = COLS;
	shared_use(&shared, trace, false);
	filters_init(&shared.chosen.filters, trace);
	shared.at.has_span = trace_span(trace, &shared.at.first, &shared.at.last);
}

/* As ui/session/remember.c takes the lines apart. */
static void restore_line(const struct view_ops *ops, struct view *view, const char *key,
			 const char *value)
{
	const struct list_tab *list = ops->lists ? ops->lists->all : NULL;

	if (strcmp(key, "list")) {
		ops->kept->restore(view, key, value);
		return;
	}
	for (; list && list->letter; list++)
		if (list->letter == *value && !value[1] && ops->lists->shown(view) != *value)
			ops->lists->choose(view, *value);
}

static void restore(const struct view_ops *ops, struct view *view, const uint8_t *data, size_t size)
{
	char *s = mem_strndup((const char *)data, size), *next = s;

	for (char *line; (line = strsep(&next, "\n"));) {
		char *value = strchr(line, ' ');

		if (!value || strlen(line) > KEPT_FILTER_BYTES)
			continue;
		*value++ = '\0';
		restore_line(ops, view, line, value);
	}
	free(s);
}

/* Some turns of the loop. */
static void show(const struct view_ops *ops, struct view *view)
{
	struct workers *workers = trace_workers(trace);
	const struct view_area area = { .canvas = &canvas, .top = 1, .rows = ROWS - 1 };
	struct pollfd fd = { .fd = workers_fd(workers), .events = POLLIN };
	bool more = true;

	for (int turn = 0; more && turn < TURNS; turn++) {
		canvas_clear(&canvas);
		view_take(ops, view);
		ops->draw(view, &area);
		if (ops->publish)
			ops->publish(view);
		more = poll(&fd, 1, app.works ? 0 : TURN_MS) > 0 || app.works;
		if (app.works && ops->work && ops->work->slice)
			app.works = ops->work->slice(view, SLICE_NS);
		workers_acknowledge(workers);
		if (ops->work && ops->work->progressed)
			ops->work->progressed(view);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct view_ops *ops;
	struct text kept = { 0 };
	struct view *view;

	if (!trace)
		begin();
	if (!size)
		return 0;
	ops = views[data[0] % (sizeof(views) / sizeof(views[0]))];
	shared.at.here = shared_place(&shared, trace_first(trace));
	view = ops->open(ops, &app.host, &shared);
	ops->retrace(view);
	app.works = ops->work && ops->work->slice;
	if (ops->go)
		ops->go(view, &shared.at.here);
	restore(ops, view, data + 1, size - 1);
	show(ops, view);
	ops->kept->save(view, &kept);
	restore(ops, view, (const uint8_t *)text_str(&kept), kept.len);
	show(ops, view);
	ops->close(view);
	text_fini(&kept);
	text_clear(&app.asked);
	return 0;
}

static const char *const seeds[] = {
	"0show flags\nhide cpu\nstacks open\ntoggled 1 2 ffff\n",
	"1show self\nhide cpu\nlevels 3\nfolds 0 1 2 0 3 4\nopen 1 2\n",
	"2turned 0 1 2 ffffff\nidle shown\nplot sched_switch.prev_prio\nplot *\nfile 1\n",
	"3list t\nopen 0 3\nsort self_ns\nhide calls\n",
	"4list w\nopen 0 50\nsort-inverted run_ns\nhide run_ns\n",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
