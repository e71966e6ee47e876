/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/task_picker.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/sched/event_counts.h"
#include "ui/desk/desk.h"
#include "ui/desk/narrow.h"
#include "ui/prompt/filter_line.h"
#include "ui/prompt/prompts.h"

#define MOST_NAMES	4u	/* of a task, in its line */

struct task_picker {
	struct event_counts	*counts;	/* owned */
	struct event_count	*tasks;		/* owned, [nr]: as last fetched */
	unsigned int		 nr;
	unsigned int		 permille;
	bool			 stale;		/* workers have counted more since */
	int64_t			 looked;	/* monotonic ns */
};

/* "gamma-7 (was alpha, beta)": its last name and pid, and what it was called before. */
static void add_names(const struct app *app, const struct event_count *task, struct text *out)
{
	const char *last = NULL;
	int64_t from, to;
	unsigned int nr = 0;

	for (int64_t at = app->shared.at.last; nr < MOST_NAMES; at = from - 1) {
		const char *comm = trace_comm_span(app->shared.trace, task->file, task->key, at,
						   &from, &to);

		if (comm != last) {
			text_add(out, nr == 0 ? "" : nr == 1 ? " (was " : ", ");
			text_printable(out, comm, strlen(comm));
			if (!nr++)
				text_printf(out, "-%d", task->key);
			last = comm;
		}
		if (from == INT64_MIN)
			break;
	}
	text_add(out, nr == 1 ? "" : from > INT64_MIN ? ", …)" : ")");
}

static void task_name(const struct app *app, const struct event_count *task, struct text *out)
{
	add_names(app, task, out);
	if (trace_nr_files(app->shared.trace) > 1) {
		text_add(out, "  ");
		shared_file_name(&app->shared, task->file, out);
	}
}

static void add_line(struct app *app, unsigned int i, uint64_t all, const char *name)
{
	const struct event_count *task = &app->prompts->picker->tasks[i];
	unsigned int percent = all ? (unsigned int)((double)task->events * 100 / (double)all) : 0;
	struct text line = { 0 }, count = { 0 };
	size_t counted;

	text_count(&count, task->events);
	text_pad(&line, count.len < 13 ? 13 - count.len : 0);
	text_printf(&line, "%s  %3u%%  ", text_str(&count), percent);
	counted = line.len;
	text_add(&line, name);
	popup_add(&app->popup, (int)i, false, text_str(&line));
	app->popup.lines[app->popup.nr - 1].name = counted;
	text_fini(&count);
	text_fini(&line);
}

static bool is_chosen(const struct event_count *task, const struct event_count *chosen)
{
	return task->key == chosen->key && task->file == chosen->file;
}

static void take(struct app *app, int i)
{
	struct event_count task = app->prompts->picker->tasks[i];
	struct text pid = { 0 };

	if (app->ops->search && app->ops->search->pick_task &&
	    app->ops->search->pick_task(app->view, task.file, task.key)) {
		app->behind = true;
		return;
	}
	text_printf(&pid, "%d", task.key);
	filter_line_by(app, "pid", text_str(&pid), false);
	text_fini(&pid);
}

static const struct picker task_picker = {
	.keys = "↑ ↓ Choose  Enter Take  Esc Back",
	.label = "task: ",
	.take = take,
};

/* Lists the tasks; the cursor stays on its task. */
static void fill(struct app *app)
{
	struct task_picker *picker = app->prompts->picker;
	struct event_count chosen = { .key = -1 };
	struct text name = { 0 }, title = { 0 };
	uint64_t all = 0;

	if (app->popup.picker == &task_picker && app->popup.nr && app->popup.window.at)
		chosen = picker->tasks[app->popup.lines[app->popup.window.at].value];
	free(picker->tasks);
	picker->stale = false;
	picker->nr = event_counts_get(picker->counts, EVENT_COUNTS_TASK, &picker->tasks,
				      &picker->permille);
	text_add(&title, "Tasks: ");
	text_count(&title, picker->nr);
	text_add(&title, ", sorted by events in the whole trace");
	if (picker->permille < 1000)
		text_printf(&title, "; %u %% counted", picker->permille / 10);
	popup_open(&app->popup, &task_picker, text_str(&title));
	for (unsigned int i = 0; i < picker->nr; i++)
		all += picker->tasks[i].events;
	for (unsigned int i = 0; i < picker->nr; i++) {
		text_clear(&name);
		task_name(app, &picker->tasks[i], &name);
		add_line(app, i, all, text_str(&name));
		if (is_chosen(&picker->tasks[i], &chosen))
			app->popup.window.at = app->popup.nr - 1;
	}
	text_fini(&name);
	text_fini(&title);
	narrow_open(app);
	if (!app->popup.nr && picker->permille < 1000) {
		text_clear(&app->prompt.hint);
		text_add(&app->prompt.hint, "none so far");
	}
}

void picker_open(struct app *app)
{
	if (trace_first(app->shared.trace) == TRACE_REF_NONE) {
		app_message(app, "the trace has no events and no tasks");
		return;
	}
	if (!app->prompts->picker) {
		app->prompts->picker = mem_alloc(sizeof(*app->prompts->picker));
		app->prompts->picker->counts = event_counts_new(app->shared.trace,
						       &(struct event_counts_options){
							       .tasks_only = true });
	}
	fill(app);
}

void picker_progressed(struct app *app)
{
	if (app->prompts->picker)
		app->prompts->picker->stale = true;
}

bool picker_is_stale(const struct app *app)
{
	return app->popup.picker == &task_picker && app->prompts->picker->stale &&
	       app->prompts->picker->permille < 1000;
}

bool picker_waits(const struct app *app)
{
	return app->popup.picker == &task_picker && !app->popup.nr &&
	       app->prompts->picker->permille < 1000;
}

void picker_follow(struct app *app)
{
	int64_t now = workers_now_ns();

	if (!picker_is_stale(app) || now - app->prompts->picker->looked < PROGRESS_NS / 2)
		return;
	app->prompts->picker->looked = now;
	fill(app);
	app->dirty = true;
}

void picker_drop(struct app *app)
{
	struct task_picker *picker = app->prompts->picker;

	if (!picker)
		return;
	event_counts_free(picker->counts);
	free(picker->tasks);
	free(picker);
	app->prompts->picker = NULL;
}
