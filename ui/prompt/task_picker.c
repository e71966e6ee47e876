/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/task_picker.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/sched/event_counts.h"
#include "ui/desk/desk.h"
#include "ui/prompt/filter_line.h"
#include "ui/prompt/prompts.h"

struct task_picker {
	struct event_counts	*counts;	/* owned */
	struct event_count	*tasks;		/* owned, [nr]: as last fetched */
	unsigned int		 nr;
	unsigned int		 permille;
	bool			 stale;		/* workers have counted more since */
	int64_t			 looked;	/* monotonic ns */
};

static void task_name(const struct app *app, const struct event_count *task, struct text *out)
{
	const char *comm = trace_comm(app->shared.trace, task->file, task->key,
				      app->shared.at.last);

	text_printable(out, comm, strlen(comm));
	text_printf(out, "-%d", task->key);
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

	text_count(&count, task->events);
	text_pad(&line, count.len < 13 ? 13 - count.len : 0);
	text_printf(&line, "%s  %3u%%  %s", text_str(&count), percent, name);
	popup_add(&app->popup, (int)i, false, text_str(&line));
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

	app->typed = NULL;
	if (app->ops->search && app->ops->search->pick_task &&
	    app->ops->search->pick_task(app->view, task.file, task.key)) {
		app->behind = true;
		return;
	}
	text_printf(&pid, "%d", task.key);
	filter_line_by(app, "pid", text_str(&pid), false);
	text_fini(&pid);
}

static const struct picker task_picker = { .keys = "", .take = take };

/* Lists the tasks that match the text; the cursor stays on its task. */
static void fill(struct app *app)
{
	struct task_picker *picker = app->prompts->picker;
	const char *typed = text_str(&app->prompt.text);
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
		if (!strcasestr(text_str(&name), typed))
			continue;
		add_line(app, i, all, text_str(&name));
		if (is_chosen(&picker->tasks[i], &chosen))
			app->popup.window.at = app->popup.nr - 1;
	}
	app->popup.foot = 1;
	text_add(&app->popup.found, typed);
	text_fini(&name);
	text_fini(&title);
}

/* Shows the keys, or why the list is empty, above the prompt. */
static void hint(struct app *app)
{
	text_clear(&app->prompt.hint);
	if (app->popup.nr)
		text_add(&app->prompt.hint, "↑ ↓ choose  Enter take  Esc back");
	else
		text_add(&app->prompt.hint, app->prompts->picker->permille < 1000 ?
						    "none so far" :
						    "no name or pid of a task contains this");
}

/* The list follows what is typed, so Esc and Enter close both. */
static bool press(struct app *app, ui_key key, enum request request)
{
	switch (key) {
	case UI_KEY_UP:
	case UI_KEY_DOWN:
	case UI_KEY_PAGE_UP:
	case UI_KEY_PAGE_DOWN:
		popup_key(&app->popup, key, request);
		return true;
	case UI_KEY_ENTER:
		if (app->popup.nr)
			popup_choose(&app->popup, app, false);
		return true;
	}
	return false;
}

static void changed(struct app *app)
{
	popup_close(&app->popup);	/* takes the first task left */
	fill(app);
	hint(app);
}

static void cancelled(struct app *app)
{
	popup_close(&app->popup);
}

static const struct typed typed_task = {
	.press = press,
	.changed = changed,
	.cancelled = cancelled,
};

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
	app_open_prompt(app, &typed_task, "task: ", "", NULL);
	fill(app);
	hint(app);
}

void picker_progressed(struct app *app)
{
	if (app->prompts->picker)
		app->prompts->picker->stale = true;
}

bool picker_is_stale(const struct app *app)
{
	return app->typed == &typed_task && app->prompts->picker->stale &&
	       app->prompts->picker->permille < 1000;
}

bool picker_waits(const struct app *app)
{
	return app->typed == &typed_task && !app->popup.nr && app->prompts->picker->permille < 1000;
}

void picker_follow(struct app *app)
{
	int64_t now = workers_now_ns();

	if (!picker_is_stale(app) || now - app->prompts->picker->looked < PROGRESS_NS / 2)
		return;
	app->prompts->picker->looked = now;
	fill(app);
	hint(app);
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
