/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reopen_ring - moves the range and the cursor off rows that a recorder drops, leaves marks and
 * notes there their time, and forgets the tasks of these rows.
 */
#include <unistd.h>

#include "src/base/memory.h"
#include "ui/desk/desk.h"
#include "ui/desk/views.h"
#include "ui/session/reopen_private.h"
#include "ui/session/session.h"

/* What fell behind the first row at this step; what has been there before is not told again. */
struct fallen {
	const struct app *app;
	struct place	 first;		/* the first row that is left */
	unsigned int	 marks, notes;
	bool		 cursor, range, window;
};

static bool is_behind(const struct fallen *f, const struct place *place)
{
	if (!place->set)
		return false;
	return place->ref == TRACE_REF_NONE ? place->ts < f->first.ts :
					      trace_is_dropped(f->app->shared.trace, place->ref);
}

/* A mark or note whose row was dropped is a moment from now on: what is measured from it stays. */
static bool lose_row(const struct fallen *f, struct place *place)
{
	if (place->ref == TRACE_REF_NONE || !is_behind(f, place))
		return false;
	place->ref = TRACE_REF_NONE;
	return true;
}

/*
 * True: it moved, and not from where the former first row was.  What is no row, but a moment of a
 * task or a CPU, stays one of the same.
 */
static bool move_place(const struct fallen *f, struct place *place)
{
	const struct app_session *session = f->app->session;
	bool told = place->ref == TRACE_REF_NONE ? place->ts == session->ring_ts :
						   place->ref == session->ring_first;

	if (!is_behind(f, place))
		return false;
	if (place->ref == TRACE_REF_NONE)
		place->ts = f->first.ts;
	else
		*place = f->first;
	return !told;
}

/* The view's row stays, if it is of a task or a CPU.  Graph stays with whose calls it shows. */
static void follow_moment(struct app *app)
{
	struct place to = app->moment;

	if (app->view_id == VIEW_GRAPH)
		to.ref = TRACE_REF_NONE;
	if (to.ref == TRACE_REF_NONE)
		to.pid = to.cpu = -1;
	if (app->view)
		views_go(app, app->view_id, &to);
	if (!app->view || app->view_id != VIEW_GRAPH)
		return;
	app->behind = true;
	views_publish(app);
	app->session->ring_put = app->moment.ref;
}

static void move_range(struct app *app, struct fallen *f)
{
	struct range *range = &app->shared.at.places.range;

	if (app->shared.growth.tail || !range->set || range->from >= f->first.ts)
		return;
	f->range = range->from != app->session->ring_ts;
	range->from = f->first.ts;
	if (range->to < range->from)
		range->to = range->from;
	views_changed(app);
}

static void add(struct text *out, const char *what)
{
	text_printf(out, "%s%s", out->len ? ", " : "", what);
}

static void add_count(struct text *out, unsigned int nr, const char *what)
{
	if (nr)
		text_printf(out, "%s%u %s%s", out->len ? ", " : "", nr, what, PLURAL(nr));
}

static void tell(struct app *app, const struct fallen *f)
{
	struct text what = { 0 }, times = { 0 }, when = { 0 };

	if (f->cursor)
		add(&what, "the cursor");
	if (f->range)
		add(&what, "the range");
	if (f->window)
		add(&what, "the window");
	add_count(&times, f->marks, "mark");
	add_count(&times, f->notes, "note");
	shared_time(&app->shared, f->first.ts, 3, &when);
	if (what.len || times.len)
		app_message(app, "records before %s were overwritten%s%s%s%s", text_str(&when),
			    what.len ? "; moved to the oldest one: " : "", text_str(&what),
			    times.len ? "; only the time is left of " : "", text_str(&times));
	text_fini(&what);
	text_fini(&times);
	text_fini(&when);
}

void reopen_follow_ring(struct app *app)
{
	struct places *places = &app->shared.at.places;
	struct fallen f = { app, shared_place(&app->shared, trace_first(app->shared.trace)), 0, 0,
			    false, false, false };
	bool goes, told = app->moment.ref == app->session->ring_put;

	if (!trace_has_dropped(app->shared.trace) || !f.first.set)
		return;
	for (int i = 0; i < 26; i++)
		f.marks += lose_row(&f, &places->marks[i]);
	for (unsigned int i = 0; i < places->nr_notes; i++)
		f.notes += lose_row(&f, &places->notes[i].place);
	move_range(app, &f);
	goes = is_behind(&f, &app->moment);
	/* the cursor of a table or a flame graph is not at a moment */
	f.window = goes && app->view_id == VIEW_NOW;
	f.cursor = move_place(&f, &app->moment) && !told && app->view && app->ops->publish &&
		   !app_table(app);
	if (goes)
		follow_moment(app);
	tell(app, &f);
	app->session->ring_first = f.first.ref;
	app->session->ring_ts = f.first.ts;
}

void reopen_renew_ring(struct app *app)
{
	struct app_session *session = app->session;
	struct trace *next = session->ring_next;
	const trace_ref first = session->ring_first, put = session->ring_put;
	int64_t ts = session->ring_ts;

	if (!next && trace_is_stale(app->shared.trace) &&
	    !access(trace_path(app->shared.trace, 0), R_OK))
		session->ring_next = reopen_same_files(app);
	if (!next || !trace_status(next).complete || reopen_is_busy(app))
		return;
	session->ring_next = NULL;
	reopen_show_more(app, next);
	mem_trim();
	session->ring_first = first;	/* what stands there has been told */
	session->ring_put = put;
	session->ring_ts = ts;
}

void reopen_drop_ring(struct app *app)
{
	trace_close(app->session->ring_next);
	app->session->ring_next = NULL;
}
