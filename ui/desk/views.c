/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/desk/views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/split.h"
#include "ui/desk/view_table.h"
#include "ui/rows/row.h"

#define COUNT_NS	1000000000	/* how often models begin again while the trace grows */

/* Publishes the view's cursor, whatever the view did since the last time. */
void views_publish(struct app *app)
{
	if (!app->view || !app->behind)
		return;
	app->behind = false;
	app->shared.at.has_window = false;
	if (app->ops->publish)
		app->ops->publish(app->view);
	/* a table of a trace that was opened over another one */
	else if (!app->shared.at.here.set)
		app->shared.at.here = shared_place(&app->shared, trace_first(app->shared.trace));
	if (app->shared.at.here.set)
		app->moment = app->shared.at.here;
}

/* --- stacks of filters that steps lead back to ----------------------------- */

/* "+sched_switch\ncpu == 1\n"; a leading '-': the filters are off. */
static void add_stack(const struct filters *filters, struct text *out)
{
	text_char(out, filters->off ? '-' : '+');
	filters_lines(filters, out);
}

static unsigned int number_of_stack(struct app *app)
{
	struct text t = { 0 };
	unsigned int i;

	if (!app->shared.chosen.filters.nr)
		return 0;
	add_stack(&app->shared.chosen.filters, &t);
	for (i = app->nr_stacks; i && strcmp(app->stacks[i - 1], text_str(&t)); i--)
		;
	if (!i) {
		mem_grow(&app->stacks, app->nr_stacks, &app->cap_stacks);
		app->stacks[app->nr_stacks++] = mem_strdup(text_str(&t));
		i = app->nr_stacks;
	}
	text_fini(&t);
	return i;
}

static void restore_stack(struct app *app, unsigned int number)
{
	struct filters *filters = &app->shared.chosen.filters;
	const char *s = number ? app->stacks[number - 1] : "+";
	struct filter_error err = { 0 };

	if (number == number_of_stack(app))
		return;
	while (filters->nr)
		filters_set(filters, filters->nr - 1, "", &app->shared.at.places, &err);
	filters_switch(filters, true);
	filters_add_lines(filters, s + 1, &app->shared.at.places);
	if (*s == '-')
		filters_switch(filters, false);
	text_fini(&err.message);
	views_changed(app);
}

void views_forget_stacks(struct app *app)
{
	for (unsigned int i = 0; i < app->nr_stacks; i++)
		free(app->stacks[i]);
	free(app->stacks);
	app->stacks = NULL;
	app->nr_stacks = app->cap_stacks = 0;
}

/*
 * The window of Now is the range of Now alone: other tables have the former one again.  Those of a
 * recording that goes on show the same last seconds.
 */
static bool is_of_now(const struct app *app)
{
	return app->view_id == VIEW_NOW && app->shared.growth.tail &&
	       !trace_grows(app->shared.trace);
}

static void leave_window(struct app *app)
{
	if (!is_of_now(app))
		return;
	app->shared.growth.tail = 0;
	app->shared.at.places.range = app->before_window;
	views_changed(app);
}

struct step views_now(struct app *app)
{
	const struct shared *shared = &app->shared;

	views_publish(app);
	return (struct step){ shared->at.here.set ? shared->at.here : app->moment, app->view_id,
			      shared->at.window_from,
			      shared->at.window_to,
			      is_of_now(app) ? app->before_window : shared->at.places.range,
			      number_of_stack(app) };
}

void views_leave(struct app *app)
{
	struct step now = views_now(app);

	places_leave(&app->shared.at.places, &now);
}

void views_leave_zoom(struct app *app)
{
	struct step now = views_now(app);

	places_leave_zoom(&app->shared.at.places, &now);
}

void views_entering(struct app *app)
{
	app->entering = true;
}

static void add_return(struct app *app, const struct step *step)
{
	if (app->nr_returns == APP_RETURNS)
		memmove(app->returns, app->returns + 1,
			sizeof(app->returns[0]) * --app->nr_returns);
	app->returns[app->nr_returns++] = *step;
}

static void leave(struct app *app)
{
	struct step now = views_now(app);

	if (app->entering)
		add_return(app, &now);
	app->entering = false;
	places_leave(&app->shared.at.places, &now);
}

/* --- which is shown ------------------------------------------------------ */

static bool has_slices(const struct view_ops *ops)
{
	return ops->work && ops->work->slice;
}

void views_open(struct app *app, enum view_id id)
{
	if (app->views[id])
		return;
	app->views[id] = view_table[id]->open(view_table[id], &app->host, &app->shared);
	app->files[id] = 0;
	app->above->opened(app, id);
}

bool views_go(struct app *app, enum view_id id, const struct place *place)
{
	const struct view_ops *ops = view_table[id];

	if (ops->go)
		return ops->go(app->views[id], place);
	if (shared_file_moved(&app->shared, place, &app->files[id]))
		ops->show_file(app->views[id], app->files[id]);
	return false;
}

static void take_view(struct app *app, enum view_id id)
{
	const struct view_ops *ops = view_table[id];
	bool both = split_shown(app) && id == app->split.view;

	if (app->view)
		views_publish(app);
	app_end_search(app);
	if (app->view && app->ops->left && !both)
		app->ops->left(app->view);
	if (app->view && !both && id != VIEW_NOW)
		leave_window(app);
	views_open(app, id);
	if (app->view && ops->follow && view_whole(id) == view_whole(app->view_id))
		ops->follow(app->views[id], app->view);
	if (both) {			/* the two change places, and stay where they are */
		app->split.view = app->view_id;
		app->split.below = !app->split.below;
	}
	app->view_id = id;
	app->ops = ops;
	app->view = app->views[id];
	app->behind = true;
	app->works = app->opened_all = false;
	if (has_slices(ops) || split_shown(app))
		views_work(app);
	app->progressed = true;
	app->dirty = true;
}

/* A table has no times: go to Events instead. */
static void go_to(struct app *app, const struct place *place)
{
	bool shown = views_go(app, app->view_id, place);

	app->behind = true;
	if (!shown && app->view_id != VIEW_EVENTS && view_table[VIEW_EVENTS]) {
		take_view(app, VIEW_EVENTS);
		views_go(app, app->view_id, place);
	}
	views_publish(app);
}

static void say_missing(struct app *app, enum view_id id)
{
	app_message(app, "%s is not in this version yet", view_title(id));
}

void views_show(struct app *app, enum view_id id)
{
	struct place to, end;

	if (!view_table[id]) {
		say_missing(app, id);
		return;
	}
	if (id == app->view_id)
		return;
	views_leave(app);
	to = app->moment;
	/* The Timeline shows the whole of a call. */
	if (id == VIEW_TIMELINE && app->view_id == VIEW_GRAPH && app->shared.at.here.set &&
	    app->ops->moments->span(app->view, true, &end))
		to.to = end.ts;
	take_view(app, id);
	if (to.set && views_go(app, app->view_id, &to))
		app->behind = true;
}

void views_show_at(struct app *app, enum view_id id, const struct place *place)
{
	if (!view_table[id]) {
		say_missing(app, id);
		return;
	}
	leave(app);
	if (id != app->view_id)
		take_view(app, id);
	go_to(app, place);
}

/* What a trace opens with: of a recording that goes on, what happens now. */
static enum view_id first_view(const struct app *app)
{
	bool goes_on = trace_grows(app->shared.trace) ||
		       trace_pipe(app->shared.trace) != TRACE_PIPE_NONE;

	if (app->options->live &&
	    (app->first_view == VIEW_SUMMARY || app->first_view == VIEW_EVENTS))
		return VIEW_NOW;
	return app->first_view == VIEW_SUMMARY && goes_on ? VIEW_EVENTS : app->first_view;
}

void views_retrace(struct app *app)
{
	app->moment = (struct place){ 0 };
	app->behind = false;
	for (int id = 0; id < NR_VIEWS; id++)
		if (app->views[id])
			view_table[id]->retrace(app->views[id]);
	memset(app->files, 0, sizeof(app->files));
	if (shared_has_no_events(&app->shared))
		take_view(app, VIEW_COUNTS);
	else if (!app->view)
		take_view(app, first_view(app));
	app->behind = true;
	split_open(app);
	if (has_slices(app->ops))
		views_work(app);
}

void views_close(struct app *app)
{
	for (int id = 0; id < NR_VIEWS; id++) {
		if (app->views[id])
			view_table[id]->close(app->views[id]);
		app->views[id] = NULL;
	}
	app->view = NULL;
	app->ops = NULL;
	app->works = app->behind = false;
}

void views_changed(struct app *app)
{
	filters_follow_marks(&app->shared.chosen.filters, &app->shared.at.places);
	for (int id = 0; id < NR_VIEWS; id++)
		if (app->views[id] && view_table[id]->changed)
			view_table[id]->changed(app->views[id]);
	app->split.upper = 0;
	app->behind = true;
	app->dirty = true;
	if (app->view && (has_slices(app->ops) || split_shown(app)))
		views_work(app);
}

void views_index_moved(struct app *app)
{
	app->index_seen = trace_status(app->shared.trace).complete;
	app->shared.at.has_span = trace_span(app->shared.trace, &app->shared.at.first,
					     &app->shared.at.last);
	views_changed(app);
}

static bool moves(const struct view_ops *ops, struct view *view)
{
	return ops->work && ops->work->moves && ops->work->moves(view);
}

/* Begins to count for it.  What is drawn stays until that is done. */
static void take_shown(struct app *app)
{
	if (!app->view)
		return;
	view_take(app->ops, app->view);
	if (split_shown(app))
		view_take(view_table[app->split.view], app->views[app->split.view]);
	app->grew_at = workers_now_ns();
}

void views_window(struct app *app, int64_t length, int64_t to, bool follows)
{
	struct shared *shared = &app->shared;

	if (!shared->growth.tail)
		app->before_window = shared->at.places.range;
	shared->growth.tail = length;
	shared->growth.tail_to = to;
	shared->growth.tail_stays = !follows;
	shared->at.places.range.set = false;
	shared_move_tail(shared);
	views_changed(app);
	take_shown(app);
	if (app->view && !moves(app->ops, app->view))
		app->grew_at = 0;	/* a key moved it: what is counted is shown as it comes */
}

/* Does the view show rows as they are appended, or only the figures of a window? */
static bool shows_rows(const struct view_ops *ops)
{
	return !ops->work || !ops->work->progressed;
}

/* Is it time that models begin again? */
static bool is_next(struct shared *shared)
{
	int64_t now = workers_now_ns(), slice = shared_slice(shared),
		end = trace_end(shared->trace);

	if (shared->growth.as_of && trace_grows(shared->trace)) {
		end -= slice ? end % slice : 0;
		if (slice ? end <= shared->growth.as_of :
			    now - shared->growth.counted_at < COUNT_NS)
			return false;
	}
	if (!trace_grows(shared->trace))	/* its recorder has died */
		end = time_after(shared->at.last, 1);
	shared->growth.as_of = end;
	shared->growth.counted_at = now;
	return true;
}

bool views_grew(struct app *app)
{
	struct shared *shared = &app->shared;
	bool is_new;

	shared->at.has_span = trace_span(shared->trace, &shared->at.first, &shared->at.last);
	is_new = is_next(shared);
	if (is_new)
		shared_move_tail(shared);
	views_index_moved(app);
	take_shown(app);
	return is_new || (app->view && shows_rows(app->ops)) ||
	       (split_shown(app) && shows_rows(view_table[app->split.view]));
}

/* --- jumps --------------------------------------------------------------- */

void views_jump_to(struct app *app, const struct place *place)
{
	struct place to = *place;	/* a copy: @place may point at what leaving changes */
	bool is_entered = app->entering;
	struct step from;

	if (!to.set)
		return;
	from = views_now(app);
	if (!place_same(&to, &app->shared.at.here))
		leave(app);
	go_to(app, &to);
	if (app->view_id != from.view && !is_entered)
		add_return(app, &from);
}

void views_jump(struct app *app, trace_ref ref)
{
	struct place place = shared_place(&app->shared, ref);

	if (ref != app->shared.at.here.ref || !app->shared.at.here.set)
		views_jump_to(app, &place);
}

void views_jump_to_place(struct app *app, const struct place *place)
{
	const struct filters *filters = &app->shared.chosen.filters;
	struct trace_event event;
	trace_ref ref = place->ref;

	views_jump_to(app, place);
	if (filters_hiding(filters) && trace_event_at(app->shared.trace, ref, &event) &&
	    !filters_keep(filters, &event))
		app_message(app, "the filter hides that row; F shows all rows, z dims rows instead "
				 "of hiding them");
}

void views_jump_time(struct app *app, int64_t ts, int cpu)
{
	trace_ref ref = trace_seek_time(app->shared.trace, ts, cpu);

	if (!app->ops->lines) {		/* a view without rows can still show a time */
		views_jump_to(app, &(struct place){ .set = true,
						    .ref = TRACE_REF_NONE,
						    .ts = ts,
						    .pid = -1,
						    .cpu = cpu });
		return;
	}
	if (ref == TRACE_REF_NONE && cpu < 0)
		ref = trace_last(app->shared.trace);
	if (ref == TRACE_REF_NONE && cpu < 0)
		app_message(app, "there is no row here");
	else if (ref == TRACE_REF_NONE)
		app_message(app, "CPU %d has no event at or after that time", cpu);
	else
		views_jump(app, ref);
}

/* Marks and searches describe events even in views whose rows are something else. */
void views_event_line(struct app *app, const struct trace_event *event, struct text *out)
{
	const struct shared *shared = &app->shared;
	struct row row = { 0 };

	if (app->ops->lines) {
		app->ops->lines->line(app->view, event, out);
		return;
	}
	row_render(&row, shared, event, NULL, &row_any_room);
	row_plain_line(&row, shared, out);
	row_fini(&row);
}

/* Restores all of a step's state. */
static void restore(struct app *app, const struct step *step)
{
	bool other_range = !range_same(&app->shared.at.places.range, &step->range);

	if (step->view != app->view_id)
		take_view(app, step->view);
	app->shared.at.places.range = step->range;
	if (other_range) {
		app->shared.growth.tail = 0;
		views_changed(app);
	}
	restore_stack(app, step->filters);
	if (app->ops->moments && app->ops->moments->window)
		app->ops->moments->window(app->view, step->window_from, step->window_to);
	if (views_go(app, app->view_id, &step->place))
		app->behind = true;
	views_publish(app);
}

void views_back(struct app *app, bool back)
{
	struct step now = views_now(app), to;

	if (back ? places_back(&app->shared.at.places, &now, &to) :
		   places_forward(&app->shared.at.places, &now, &to))
		restore(app, &to);
	else
		app_message(app, back ? "there is no earlier place" : "there is no later place");
}

bool views_return(struct app *app)
{
	struct step to;

	if (!app->nr_returns)
		return false;
	to = app->returns[--app->nr_returns];
	views_leave(app);
	restore(app, &to);
	return true;
}

enum view_id views_titled(const char *title, size_t len)
{
	for (int id = 0; id < NR_VIEWS; id++)
		if (view_table[id] && strlen(view_title(id)) == len &&
		    !strncasecmp(view_title(id), title, len))
			return id;
	return NR_VIEWS;
}

void views_tour(struct app *app)
{
	struct place first = shared_place(&app->shared, trace_first(app->shared.trace));

	views_leave(app);
	app->shared.at.places.range.set = false;
	if (filters_active(&app->shared.chosen.filters))
		filters_switch(&app->shared.chosen.filters, false);
	shared_choose_list(&app->shared, (struct list_choice){ .kind = LIST_ALL });
	views_changed(app);
	if (app->view_id != VIEW_EVENTS)
		take_view(app, VIEW_EVENTS);
	go_to(app, &first);
	tour_begin(&app->tour);
}

/* --- the kernel's text ---------------------------------------------------- */

void views_kernel_text(struct app *app)
{
	struct place here = app->shared.at.here;
	struct step *from = app->nr_returns ? &app->returns[app->nr_returns - 1] : NULL;

	if (app->view_id != VIEW_KERNEL) {
		app->kernel_from = app->view_id;
		views_entering(app);
		views_show_at(app, VIEW_KERNEL, &here);
		views_publish(app);
		app->kernel_place = app->shared.at.here;
	} else if (from && from->view == app->kernel_from &&
		   place_same(&here, &app->kernel_place)) {
		views_return(app);
	} else {
		app->nr_returns -= from && from->view == app->kernel_from;
		views_show_at(app, app->kernel_from, &here);
	}
}

/* --- work of the view shown ---------------------------------------------- */

void views_work(struct app *app)
{
	if (!app->works)
		app->works_since = app->works_told = workers_now_ns();
	app->works = true;
}

void views_step(struct app *app)
{
	if (!app->works || !app->view)
		return;
	app->works = false;		/* the view may set it again while it works */
	/* a view that is not shown may have set it: that one is called once it is shown */
	if (has_slices(app->ops) && app->ops->work->slice(app->view, SLICE_NS))
		app->works = true;
	if (split_shown(app) && has_slices(view_table[app->split.view]) &&
	    view_table[app->split.view]->work->slice(app->views[app->split.view], SLICE_NS))
		app->works = true;
	if (!app->works || workers_now_ns() - app->works_told > PROGRESS_NS / 2) {
		app->works_told = workers_now_ns();
		app->dirty = true;
	}
}

/* True: it is to be drawn again. */
static bool follow(const struct view_ops *ops, struct view *view)
{
	view_take(ops, view);
	return ops->work && (!ops->work->progressed || ops->work->progressed(view));
}

bool views_await(const struct app *app)
{
	if (app->view &&
	    (moves(app->ops, app->view) ||
	     (split_shown(app) && moves(view_table[app->split.view], app->views[app->split.view]))))
		return true;
	return app->progressed && app->view &&
	       (app->ops->work || (split_shown(app) && view_table[app->split.view]->work));
}

void views_follow(struct app *app)
{
	int64_t now = workers_now_ns();

	if (!views_await(app) || now - app->progress_looked < FILTER_TICK_MS * 1000000LL)
		return;
	app->progress_looked = now;
	app->progressed = false;
	app->dirty |= follow(app->ops, app->view);
	if (split_shown(app))
		app->dirty |= follow(view_table[app->split.view], app->views[app->split.view]);
}
