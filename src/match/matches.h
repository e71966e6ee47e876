/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_MATCHES_H
#define FTOP_SRC_MATCH_MATCHES_H
/*
 * matches - which rows of a trace a stack of filters keeps.
 *
 *   filter  --matches_add()-->  struct match_filter: its matches, as far as known
 *   some of them  --matches_use()-->  the stack: rows that all of them keep are the matches
 *
 * Workers scan the whole trace, from a place outward. For each sub-buffer they store the number of
 * matching rows, and a bit for each row if only some match. All functions work before the scan is
 * complete: counts are then lower bounds, and rows near by are matched at once, within a time
 * budget.
 *
 *   which rows       trace_cursor_only_matches(), matches_seek_time(), matches_test() for one
 *   how many         matches_status()
 *   is it done       matches_status(); workers_fd() reports progress
 *
 * Rows of lost events and of damage are kept only by a filter with `lost`, so that they do not hide
 * rare matches. The overview, the header and the search for trouble still show them.
 *
 * Main thread only. Only matches_wait(), matches_free() and cursors under MATCHES_WAIT wait for
 * workers.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter.h"
#include "src/trace/trace.h"

struct matches;				/* opaque */
struct match_filter;			/* opaque: a filter and its known matches */

enum matches_mode {
	MATCHES_BROWSE,			/* follows the page directory as it grows, and skips
					 * pages that it excludes */
	MATCHES_WAIT,			/* text commands: one pass over the whole file without a
					 * directory; cursors wait for it */
};

/* @trace is borrowed and must outlive the result.  A trace can have only a few at a time. */
struct matches *matches_new(struct trace *trace, enum matches_mode mode);
void matches_free(struct matches *matches);	/* NULL is allowed; free its cursors first */

/* --- filters and the stack ------------------------------------------------ */

/**
 * matches_add() - add a filter
 * @filter: taken over; must be bound to this trace
 *
 * Nothing is scanned until it is used.  Results of an equivalent or wider filter, even one dropped
 * recently, are reused.  Return: a handle for matches_drop().
 */
struct match_filter *matches_add(struct matches *matches, struct filter *filter);
/* NULL is allowed; if it is in the stack, it stays effective there */
void matches_drop(struct matches *matches, struct match_filter *filter);
const struct filter *match_filter_of(const struct match_filter *filter);

/*
 * Set the stack; empty: everything matches.  Cancels work for the previous one.  Cursors must seek
 * again.
 */
void matches_use(struct matches *matches, struct match_filter *const *filters, unsigned int nr);

/* Scan near this time first: the window's. */
void matches_focus(struct matches *matches, int64_t ts);

/* --- how far it is -------------------------------------------------------- */
struct matches_status {
	uint64_t	rows;		/* kept rows found so far */
	uint64_t	events;		/* kept events: rows but lost events and damage; shown */
	unsigned int	permille;	/* part of the trace that was scanned */
	bool		exact;		/* complete: not "at least" */
};
/* Status of the stack.  Without filters: all rows. */
struct matches_status matches_status(struct matches *matches);
/* events of the stack found so far: counts by CPU */
uint64_t matches_stream_events(struct matches *matches, unsigned int stream);

/*
 * Number of rows that another stack would keep (without one filter, or without one term): counted
 * in the background after the first call, with the lowest priority; call again when the workers
 * report progress.  matches_use() cancels it.
 */
struct matches_status matches_count_of(struct matches *matches, struct match_filter *const *filters,
				       unsigned int nr);

/*
 * Number of sub-buffers that could not be read completely, among those scanned (or in the
 * directory).
 */
uint64_t matches_damaged(struct matches *matches);

/*
 * MATCHES_WAIT with one filter: note whether a record of this type occurs that may match.  Call it
 * before matches_use().
 */
void matches_watch(struct matches *matches, unsigned int file, int type_id);
bool matches_saw_watched(struct matches *matches);

/*
 * MATCHES_WAIT with one filter: has the pass read every record and found no match?  Then the types
 * that occur are known, as filter_empty_reason() needs them.
 */
bool matches_saw_none(struct matches *matches);

/* A number that changes whenever results may change: to decide whether to redraw. */
uint64_t matches_version(struct matches *matches);

/* The term of a filter in the stack whose regex exceeded its limit; NULL if none did. */
const char *matches_trouble(struct matches *matches);

/* until the stack is scanned as far as the directory goes */
void matches_wait(struct matches *matches);
/* bytes of all results, including those of models */
uint64_t matches_memory(struct matches *matches);

/* --- rows ----------------------------------------------------------------- */

/*
 * Limit the time for matching rows on the spot, in total until the next call: call it at the start
 * of a key or a frame.  Negative: no limit, the default.
 */
void matches_budget(struct matches *matches, int64_t ns);

/* Does the stack keep this row?  For dimming, and for single rows. */
bool matches_test(struct matches *matches, const struct trace_event *event);

enum matches_found { MATCHES_FOUND, MATCHES_LATER, MATCHES_NONE };

/* The first match with key >= ts. LATER: the budget is used up; call again to continue. */
enum matches_found matches_seek_time(struct matches *matches, int64_t ts, trace_ref *found);

/* Matches before a row. A lower bound until the scan is complete. */
uint64_t matches_rank(struct matches *matches, trace_ref ref, bool *exact);

/*
 * Known matches in [from, to), in @nr bins: for hits in the overview.  Cost grows slowly with nr
 * and the size of the trace.
 */
void matches_density(struct matches *matches, int64_t from, int64_t to, unsigned int nr,
		     uint64_t *bins);

/*
 * Restrict the cursor to matches of the stack (in addition to its other restrictions); NULL = all
 * rows. Seek again, also after matches_use(). If the cursor returns false, trace_cursor_is_later()
 * is true if the budget ended before the rows did.
 */
void trace_cursor_only_matches(struct trace_cursor *cursor, struct matches *matches);

/*
 * As trace_cursor_only_matches(), but the cursor also returns stacks that directly follow a
 * returned row in its stream, as report does.  Only forward.
 */
void trace_cursor_matches_and_stacks(struct trace_cursor *cursor, struct matches *matches);
#endif
