/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/why_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/sched/sched_cause.h"
#include "ui/desk/desk.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"
#include "ui/prompt/prompts.h"

/* --- the question ------------------------------------------------------------------------- */

/* The task under the cursor: in a switch the one that comes, in a wake-up the one woken. */
static struct place task_here(struct app *app)
{
	struct place of = app->shared.at.here;
	struct trace_event event;
	int pid;

	if (!trace_event_at(app->shared.trace, of.ref, &event))
		return of;
	pid = sched_cause_runs(&event);
	pid = pid > 0 ? pid : sched_cause_woken(&event);
	of.pid = pid > 0 ? pid : of.pid;
	return of;
}

/* The interval under the cursor: a call, a run, a wait; false: there is none. */
static bool interval_here(struct app *app, struct view_why *asked)
{
	struct place begin, end;

	if (!app->ops->moments || !app->ops->moments->span ||
	    !app->ops->moments->span(app->view, false, &begin) ||
	    !app->ops->moments->span(app->view, true, &end) || begin.ts >= end.ts)
		return false;
	*asked = (struct view_why){ begin, begin.ts, end.ts };
	return true;
}

/* Is the cursor on the mark?  A table has no place: `here` is that of the view before it. */
static bool is_here(const struct app *app, const struct place *mark)
{
	return mark && app->ops->publish && app->shared.at.here.set &&
	       mark->ts == app->shared.at.here.ts;
}

/* Whose interval A–B is, wherever the cursor is now; else the task under the cursor. */
static struct place subject_of(struct app *app, const struct place *a, const struct place *b)
{
	struct place of = *a;

	if (!a->subject || a->subject != b->subject || a->file != b->file)
		return task_here(app);
	of.ref = TRACE_REF_NONE;
	of.pid = a->subject;
	of.cpu = -1;
	return of;
}

/* @marks: A–B, and nothing else.  On one of them, that is what Y asks about. */
static bool find_question(struct app *app, bool marks, struct view_why *asked)
{
	const struct place *a = places_get(&app->shared.at.places, 'a'),
			   *b = places_get(&app->shared.at.places, 'b');

	*asked = (struct view_why){ 0 };
	if (a && b && a->ts != b->ts && (marks || is_here(app, a) || is_here(app, b))) {
		*asked = (struct view_why){ subject_of(app, a, b), a->ts < b->ts ? a->ts : b->ts,
					    a->ts < b->ts ? b->ts : a->ts };
	} else if (marks) {
		app_message(app, "A and B are not set: a and b set them; Y asks about the cursor");
		return false;
	} else if (!interval_here(app, asked) && !app->shared.at.has_window) {
		app_message(app, "this row is not one wait, run or call");
		return false;
	} else if (!asked->of.set) {
		*asked = (struct view_why){ task_here(app), app->shared.at.here.ts,
					    app->shared.at.here.ts };
	}
	if (!asked->of.set || !asked->of.pid) {
		app_message(app, "Y tells what held a task up: there is no task here");
		return false;
	}
	return true;
}

/* --- the answer --------------------------------------------------------------------------- */

static void add_line(void *arg, const char *head, const char *words, const struct place *place)
{
	struct app *app = arg;

	mem_grow(&app->prompts->why.places, app->prompts->why.nr, &app->prompts->why.cap);
	app->prompts->why.places[app->prompts->why.nr] = *place;
	popup_add_entry(&app->popup, app->canvas.cols, (int)app->prompts->why.nr++,
			canvas_width(head, strlen(head)), head, words);
}

static enum view_why_result ask(struct app *app, struct view_why_list *list)
{
	return view_table[VIEW_TIMELINE]->moments->why(app->views[VIEW_TIMELINE],
						       &app->prompts->why.asked, SLICE_NS, list);
}

static void end(struct app *app)
{
	app->prompts->why.waits = false;
	ask(app, NULL);
}

bool why_list_forget(struct app *app)
{
	return app->view_id == VIEW_TIMELINE &&
	       app->ops->moments->why(app->view, NULL, 0, NULL) == VIEW_WHY_LISTED;
}

static void show(struct app *app, int i)
{
	if (!app->prompts->why.places[i].set)	/* a remark */
		return;
	views_entering(app);
	views_show_at(app, VIEW_TIMELINE, &app->prompts->why.places[i]);
}

static const struct picker why_picker = {
	.keys = "j k Move  Enter Show the longest  / Find  q Back",
	.lower = true,
	.take = show,
};

static void step(struct app *app)
{
	struct text title = { 0 };
	struct view_why_list list = { .title = &title, .line = add_line, .arg = app };
	enum view_why_result result;

	if (app->typed || app->popup.picker)
		return;
	app->prompts->why.nr = 0;
	popup_open(&app->popup, &why_picker, "");
	result = ask(app, &list);
	app->prompts->why.waits = result == VIEW_WHY_LATER;
	app->prompts->why.permille = list.permille;
	if (result == VIEW_WHY_LISTED)
		snprintf(app->popup.title, sizeof(app->popup.title), "%s", text_str(&title));
	else
		popup_close(&app->popup);
	text_fini(&title);
	if (result != VIEW_WHY_NONE && result != VIEW_WHY_LISTED)
		return;
	app_end_job(app);
	app->dirty = true;
}

/* Does the list have to wait: for the model, or until nothing covers the view? */
static bool waits(const struct app *app)
{
	return app->prompts->why.waits || app->typed || app->popup.picker;
}

static void progress(const struct app *app, struct text *out)
{
	text_printf(out, "Esc stops; %u %% %s: what the time was spent on",
		    app->prompts->why.permille / 10, app->prompts->why.waits ? "read" : "known");
}

static const struct job why_job = {
	.step = step,
	.end = end,
	.waits = waits,
	.progress = progress,
	.stopped = "stopped",
};

void why_list_ask(struct app *app, bool marks)
{
	struct view_why asked;

	if (!find_question(app, marks, &asked))
		return;
	app_end_job(app);
	views_open(app, VIEW_TIMELINE);
	app->prompts->why.asked = asked;
	app_begin_job(app, &why_job);
	step(app);		/* most answers are short */
}

void why_list_open(struct app *app)
{
	why_list_ask(app, false);
}

void why_list_drop(struct app *app)
{
	free(app->prompts->why.places);
	app->prompts->why.places = NULL;
	app->prompts->why.nr = app->prompts->why.cap = 0;
}
