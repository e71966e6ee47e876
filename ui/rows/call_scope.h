/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_CALL_SCOPE_H
#define FTOP_UI_ROWS_CALL_SCOPE_H
/*
 * call_scope - what a view counts: filters and range, in the form that models and sweeps take.
 *
 * The filters are parsed again: the stack may drop its own while a worker still uses these.  A view
 * asks before it draws whether they changed; then it ends what uses the former ones, takes these,
 * and begins again.
 */
#include "src/calls/graph_records.h"
#include "src/match/event_sweep.h"
#include "ui/rows/shared.h"

struct call_scope {			/* zero it: all */
	struct graph_scope of;		/* its filters are owned */
	struct text	 key;		/* owned: equal keys mean equal scopes */
	int64_t		 as_of;		/* shared->growth.as_of */
};

enum call_scope_change {
	CALL_SCOPE_SAME,
	CALL_SCOPE_GREW,		/* the trace has more; a range that follows its end moved */
	CALL_SCOPE_CHANGED,
};

/* Have the filters changed since call_scope_take(), or, with @range, the range? */
enum call_scope_change call_scope_changed(const struct call_scope *scope,
					  const struct shared *shared, bool range);
/* Takes the current filters; frees the former ones: nothing may use those now. */
void call_scope_take(struct call_scope *scope, const struct shared *shared, bool range);
void call_scope_drop(struct call_scope *scope);		/* frees the filters; zeroes it */
/* Are all models that the filters need complete?  Until then, counting would miss events. */
bool call_scope_is_ready(const struct call_scope *scope, const struct trace *trace);
/* What a sweep over a file's events then reads.  It borrows the filters. */
struct event_sweep_options call_scope_sweep(const struct call_scope *scope, unsigned int file);

static inline bool call_scope_is_limited(const struct call_scope *scope)
{
	return scope->of.nr_filters || scope->of.has_from;
}

/*
 * For headings, three blanks after what is there: "range 3.2 ms", @compared "range 3.2 ms and the
 * rest"; and "filter on".  @all: if there is none, too: "range whole", "filter none".
 */
void call_scope_add_range(const struct call_scope *scope, const struct shared *shared,
			  bool compared, bool all, struct text *out);
void call_scope_add_filter(const struct call_scope *scope, bool all, struct text *out);

/* The scope for models of calls; NULL: all. */
static inline const struct graph_scope *call_scope_of_calls(const struct call_scope *scope)
{
	return call_scope_is_limited(scope) ? &scope->of : NULL;
}
#endif
