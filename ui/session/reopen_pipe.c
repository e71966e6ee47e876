/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reopen_pipe - a text that comes from a pipe: all that has come is opened again now and then, as
 * the rest of a long text is.  What another trace would end goes on.
 */
#include "ui/session/reopen_private.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "ui/desk/desk.h"
#include "ui/desk/view_table.h"
#include "ui/desk/views.h"
#include "ui/session/remember.h"
#include "ui/session/session.h"
#include "ui/table/table.h"

/* --- what stays ------------------------------------------------------------- */

static void move_ref(struct place *place, const unsigned int *streams)
{
	if (place->set && place->ref != TRACE_REF_NONE)
		place->ref = trace_ref_make(streams[trace_ref_stream(place->ref)],
					    trace_ref_page(place->ref), trace_ref_item(place->ref));
}

/* The first line of a CPU moves the streams of the CPUs behind it, and all refs to these. */
static void move_refs(struct app *app, const struct trace *more)
{
	const struct trace *trace = app->shared.trace;
	struct places *places = &app->shared.at.places;
	unsigned int nr = trace_nr_streams(trace), nr_more = trace_nr_streams(more);
	unsigned int *streams = mem_array(nr, sizeof(*streams));

	for (unsigned int i = 0, to = 0; i < nr; i++) {
		while (to + 1 < nr_more &&
		       trace_stream_info(more, to).cpu < trace_stream_info(trace, i).cpu)
			to++;
		streams[i] = to;
	}
	for (int i = 0; i < 26; i++)
		move_ref(&places->marks[i], streams);
	for (unsigned int i = 0; i < places->nr_notes; i++)
		move_ref(&places->notes[i].place, streams);
	for (unsigned int i = 0; i < places->nr_history; i++)
		move_ref(&places->history[i].place, streams);
	for (unsigned int i = 0; i < app->nr_returns; i++)
		move_ref(&app->returns[i].place, streams);
	move_ref(&places->previous, streams);
	move_ref(&app->shared.at.here, streams);
	move_ref(&app->moment, streams);
	free(streams);
}

/* What a view's table shows; it begins anew with each trace. */
struct table_place {
	struct table	*table;		/* borrowed from the view; NULL: it has none */
	struct list_window window;
	unsigned int	side;
	bool		has_here, comparing;
	uint64_t	here;
};

static void save_tables(const struct app *app, struct table_place places[NR_VIEWS])
{
	for (int id = 0; id < NR_VIEWS; id++) {
		struct table *t = app->views[id] && view_table[id]->table ?
					  view_table[id]->table(app->views[id]) :
					  NULL;

		if (t)
			places[id] = (struct table_place){ t, t->window, t->side, t->has_here,
							   t->comparing, t->here };
	}
}

static void load_tables(const struct table_place places[NR_VIEWS])
{
	for (int id = 0; id < NR_VIEWS; id++) {
		struct table *t = places[id].table;

		if (!t)
			continue;
		t->window = places[id].window;
		t->side = places[id].side;
		t->has_here = places[id].has_here;
		t->comparing = places[id].comparing;
		t->here = places[id].here;
	}
}

/* The history, and the places to which q returns: another trace would end them. */
struct steps {
	struct places	places;
	char		**stacks;
	unsigned int	nr_stacks, cap_stacks, nr_returns;
};

static struct steps take_steps(struct app *app)
{
	struct steps steps = { app->shared.at.places, app->stacks, app->nr_stacks, app->cap_stacks,
			       app->nr_returns };

	app->stacks = NULL;
	app->nr_stacks = app->cap_stacks = 0;
	return steps;
}

static void give_steps(struct app *app, const struct steps *steps)
{
	struct places *places = &app->shared.at.places;

	views_forget_stacks(app);
	app->stacks = steps->stacks;
	app->nr_stacks = steps->nr_stacks;
	app->cap_stacks = steps->cap_stacks;
	app->nr_returns = steps->nr_returns;
	memcpy(places->history, steps->places.history, sizeof(places->history));
	places->nr_history = steps->places.nr_history;
	places->at = steps->places.at;
	places->zooming = steps->places.zooming;
	places->previous = steps->places.previous;
}

void reopen_show_more(struct app *app, struct trace *trace)
{
	struct app_session *session = app->session;
	struct shared *shared = &app->shared;
	struct table_place tables[NR_VIEWS] = { 0 };
	struct text views = { 0 };
	int64_t tail = shared->growth.tail, took = session->more_ns;
	bool follows = reopen_follows_end(app);
	struct steps steps;

	views_publish(app);
	move_refs(app, trace);
	save_tables(app, tables);
	remember_save_views(app, &views);
	steps = take_steps(app);
	shared->growth.has_more = true;
	reopen_show_again(app, trace);
	remember_load_views(app, &views);
	shared->growth.has_more = false;
	text_fini(&views);
	load_tables(tables);
	give_steps(app, &steps);
	shared->growth.tail = tail;
	shared_move_tail(shared);
	views_changed(app);
	if (follows)
		reopen_go_to_end(app);
	app->grew_at = workers_now_ns();
	shared->growth.grew_at = app->grew_at - took;
	session->grow_next = GROW_COUNTS;
}

/* --- what has come ---------------------------------------------------------- */

static void tell_pipe_end(struct app *app)
{
	const char *trouble = trace_pipe_trouble(app->shared.trace);

	app->session->pipes = false;
	if (trouble)
		app_error(app, "%s", trouble);
	else
		app_message(app, "the pipe has ended: this is all that came");
	app->dirty = true;
}

void reopen_read_more(struct app *app, int64_t now)
{
	struct trace *trace = app->shared.trace;
	struct app_session *session = app->session;
	bool waits;

	if (!session->pipes || trace_is_head(trace) || session->more_since)
		return;
	waits = !reopen_is_counted(app, now) || now - app->shared.growth.grew_at < LOOK_NS;
	switch (trace_pipe(trace)) {
	case TRACE_PIPE_NONE:
		tell_pipe_end(app);
		break;
	case TRACE_PIPE_WAITS:
		break;
	case TRACE_PIPE_MORE:
		if (waits)
			break;
		/* fall through */
	case TRACE_PIPE_LAST:
		session->more_since = now;
		session->grow_cpu = workers_cpu_ns();
		trace_read_more(trace);
		break;
	}
}
