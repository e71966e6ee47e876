/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/row_cursor.h"

#include <stdlib.h>

#include "src/base/memory.h"

struct row_cursor {
	struct shared		*shared;
	struct trace_cursor	*match;		/* rows that filters keep; all if none hides rows */
	/* To list rows around the kept ones: */
	unsigned int		 around;	/* how many, on either side; 0: the
						   cursors below are not used */
	struct trace_cursor	*plain;		/* where we stand, among all rows of the streams */
	struct trace_cursor	*near;		/* looks at rows around plain */
	bool			 looking;	/* match is on its way to the next
						   row kept, in this direction, */
	bool			 forward;
	trace_ref		 from;		/* away from this row, which plain has passed */
	bool			 later;
};

struct row_cursor *row_cursor_new(struct shared *shared)
{
	struct row_cursor *c = mem_alloc(sizeof(*c));

	c->shared = shared;
	c->match = trace_cursor_new(shared->trace);
	return c;
}

static void drop_plain(struct row_cursor *c)
{
	trace_cursor_free(c->plain);
	trace_cursor_free(c->near);
	c->plain = c->near = NULL;
}

void row_cursor_free(struct row_cursor *c)
{
	if (!c)
		return;
	trace_cursor_free(c->match);
	drop_plain(c);
	free(c);
}

void row_cursor_take(struct row_cursor *c)
{
	const struct shared *shared = c->shared;
	unsigned int nr = trace_nr_streams(shared->trace);

	trace_cursor_only_streams(c->match, shared->chosen.streams, nr);
	trace_cursor_only_matches(c->match, filters_sieve(&shared->chosen.filters));
	drop_plain(c);
	c->looking = c->later = false;
	c->around = filters_hiding(&shared->chosen.filters) ? shared->chosen.filters.around : 0;
	if (!c->around)
		return;
	c->plain = trace_cursor_new(shared->trace);
	c->near = trace_cursor_new(shared->trace);
	trace_cursor_only_streams(c->plain, shared->chosen.streams, nr);
	trace_cursor_only_streams(c->near, shared->chosen.streams, nr);
}

void row_cursor_seek(struct row_cursor *c, trace_ref ref)
{
	c->looking = c->later = false;
	trace_cursor_seek(c->around ? c->plain : c->match, ref);
}

static bool step(struct trace_cursor *cursor, bool forward, struct trace_event *event)
{
	return forward ? trace_cursor_next(cursor, event) : trace_cursor_prev(cursor, event);
}

/* Is the row kept, or within the rows around a kept row that was passed already? */
static bool follows_kept(struct row_cursor *c, const struct trace_event *event, bool forward)
{
	struct trace_event other;

	if (filters_keep(&c->shared->chosen.filters, event))
		return true;
	trace_cursor_seek(c->near, event->ref);
	if (!forward)
		trace_cursor_next(c->near, &other);
	for (unsigned int i = 0; i < c->around && step(c->near, !forward, &other); i++)
		if (filters_keep(&c->shared->chosen.filters, &other))
			return true;
	return false;
}

/* Moves to the first row around @kept, or to the current row if it is already one of these. */
static bool arrive(struct row_cursor *c, trace_ref kept, bool forward, struct trace_event *event)
{
	struct trace *trace = c->shared->trace;
	struct trace_event other;
	trace_ref from = c->from;
	int order;

	c->looking = false;
	trace_cursor_seek(c->plain, kept);
	if (!forward)
		trace_cursor_next(c->plain, &other);
	for (unsigned int i = 0; i < c->around && step(c->plain, !forward, &other); i++)
		;
	if (!step(c->plain, forward, event))
		return false;
	order = trace_compare(trace, event->ref, from);
	if (forward ? order >= 0 : order <= 0)
		return true;
	trace_cursor_seek(c->plain, from);
	if (!forward)
		trace_cursor_next(c->plain, &other);
	return step(c->plain, forward, event);
}

static bool move(struct row_cursor *c, bool forward, struct trace_event *event)
{
	struct trace_event kept;

	c->later = false;
	if (c->looking && c->forward != forward) {	/* turned round: step back over c->from */
		c->looking = false;
		step(c->plain, forward, &kept);
	}
	if (!c->looking) {
		if (!step(c->plain, forward, event))
			return false;
		if (follows_kept(c, event, forward))
			return true;
		c->looking = true;
		c->forward = forward;
		c->from = event->ref;
		trace_cursor_seek(c->match, event->ref);
	}
	if (step(c->match, forward, &kept))
		return arrive(c, kept.ref, forward, event);
	c->later = trace_cursor_is_later(c->match);
	c->looking = c->later;
	return false;
}

trace_ref row_cursor_leaf(const struct shared *shared, const struct trace_event *event)
{
	const struct filters *filters = &shared->chosen.filters;
	struct trace_event entry;

	if (!leaf_calls_entry(shared->leaves, event, &entry))
		return TRACE_REF_NONE;
	if (filters_hiding(filters) && !filters_keep(filters, &entry) &&
	    filters_keep(filters, event))
		return TRACE_REF_NONE;
	return entry.ref;
}

static bool visit(struct row_cursor *c, bool forward, struct trace_event *event)
{
	do {
		if (!(c->around ? move(c, forward, event) : step(c->match, forward, event)))
			return false;
	} while (row_cursor_leaf(c->shared, event) != TRACE_REF_NONE);
	return true;
}

bool row_cursor_next(struct row_cursor *c, struct trace_event *event)
{
	return visit(c, true, event);
}

bool row_cursor_prev(struct row_cursor *c, struct trace_event *event)
{
	return visit(c, false, event);
}

bool row_cursor_is_later(const struct row_cursor *c)
{
	return c->around ? c->later : trace_cursor_is_later(c->match);
}
