/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCHES_H
#define FTOP_SRC_MATCHES_H
/*
 * matches - which rows of a trace a stack of filters keeps.
 *
 *   filter  --matches_add()-->  struct match_filter: what it keeps, as far as is known; may come and go in the stack
 *   some of them  --matches_use()-->  the stack: rows that all of them keep are the matches
 *
 * Workers look at the whole trace, from a place outward, and note for each sub-buffer how many rows match, and which,
 * with a bit for each row where it is neither none nor all.  Everything here works before they are done: counts are then
 * "at least", and rows near by are matched on the spot, as long as the budget lasts.
 *
 *   which rows       trace_cursor_only_matches(), matches_next(), matches_seek_time(), matches_test() for one
 *   how many         matches_status()
 *   is it done       matches_status(); workers_fd() tells of progress
 *
 * Rows of lost events and of damage are kept only by a filter that asks for them (`lost`): a rare match should not
 * drown in them.  The overview, the header and the search for trouble show them all the same.
 *
 * One thread (the main one) calls all of this.  Nothing here waits for workers but matches_wait(), matches_stop(),
 * matches_free(), and cursors under MATCHES_WAIT.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter.h"
#include "src/trace/trace.h"

struct matches;				/* opaque */
struct match_filter;			/* opaque: a filter, and what is known of the rows it keeps */

enum matches_mode {
	MATCHES_BROWSE,			/* follows the page directory, skips what it tells to hold no match, as it grows */
	MATCHES_WAIT,			/* text commands: one pass over the whole file, of its own, with no directory; cursors wait for it */
};

/* @trace is borrowed and must live longer.  A trace has room for a few of them at a time. */
struct matches *matches_new(struct trace *trace, enum matches_mode mode);
void matches_free(struct matches *matches);	/* NULL is allowed; cursors of it must be gone */

/* --- filters and the stack ------------------------------------------------ */

/**
 * matches_add() - take a filter
 * @filter: taken; of this trace
 *
 * Nothing is looked at until it is used.  What was found for a filter that implies the same or less, also one dropped
 * lately, is not looked at again.  Return: a handle for matches_drop().
 */
struct match_filter *matches_add(struct matches *matches, struct filter *filter);
void matches_drop(struct matches *matches, struct match_filter *filter);	/* NULL is allowed; if it is in the stack, it works on there */
const struct filter *match_filter_of(const struct match_filter *filter);

/* The stack from now on; none: everything matches.  What the former one was at is cancelled.  Cursors must seek again. */
void matches_use(struct matches *matches, struct match_filter *const *filters, unsigned int nr);
bool matches_active(const struct matches *matches);	/* is there any filter in the stack? */

/* Look near this time first: the window. */
void matches_focus(struct matches *matches, int64_t ts);

/* Forget what was found and stop looking, until the next matches_use(): around trace_set_offset(). */
void matches_stop(struct matches *matches);

/* --- how far it is -------------------------------------------------------- */
struct matches_status {
	uint64_t	rows;		/* kept, so far */
	uint64_t	events;		/* the same without rows of lost events and damage: what is shown as their number */
	unsigned int	permille;	/* of the trace looked at */
	bool		exact;		/* all of it: no "at least" */
};
/* Of the stack.  Without filters: all rows. */
struct matches_status matches_status(struct matches *matches);
uint64_t matches_stream_events(struct matches *matches, unsigned int stream);	/* of the stack, so far: counts by CPU */

/*
 * How many another stack would keep (one filter left out, a filter with a term left out): counted in the background from
 * the first call on, at the lowest urgency; ask again when workers tell of progress.  matches_use() ends it.
 */
struct matches_status matches_count_of(struct matches *matches, struct match_filter *const *filters, unsigned int nr);

/* Matches of the stack by event type, as trace_type_counts(); counted from the first call on.  The caller frees. */
unsigned int matches_type_counts(struct matches *matches, struct trace_type_count **counts, bool *exact);

/* Sub-buffers that could not be read to their ends, of those looked at (or of the directory's). */
uint64_t matches_damaged(struct matches *matches);

/* MATCHES_WAIT, of one filter: note if a record of this type occurs that may match.  Before matches_use(). */
void matches_watch(struct matches *matches, unsigned int file, int type_id);
bool matches_saw_watched(struct matches *matches);

/* A number that differs whenever answers may: for what is drawn from them. */
uint64_t matches_version(struct matches *matches);

/* A hostile regex of the stack ran into its limit: words of a filter; NULL: none did. */
const char *matches_trouble(struct matches *matches);

void matches_wait(struct matches *matches);	/* until the stack is looked at, as far as the directory goes */
uint64_t matches_memory(struct matches *matches);	/* bytes of all that is known, with what models hold for the filters */

/* --- rows ----------------------------------------------------------------- */

/*
 * From now on, rows matched on the spot may take this long, all together, until it is called again: at the start of a
 * key or a frame.  Negative: no limit, as it is at first.
 */
void matches_budget(struct matches *matches, int64_t ns);

/* Does the stack keep this row?  For dimming, and rows at hand. */
bool matches_test(struct matches *matches, const struct trace_event *event);

enum matches_found { MATCHES_FOUND, MATCHES_LATER, MATCHES_NONE };

/*
 * The next match behind (before) a row, which need not be one; TRACE_REF_NONE: from the first row on (from the last one
 * back).  LATER: the budget is used up; ask the same again, and it goes on from there.
 */
enum matches_found matches_next(struct matches *matches, trace_ref from, bool forward, trace_ref *found);

/* The first match with key >= ts. */
enum matches_found matches_seek_time(struct matches *matches, int64_t ts, trace_ref *found);

/* Matches before a row; the nr-th match (clamps to the last one known).  Not exact: what is not looked at yet lacks. */
uint64_t matches_rank(struct matches *matches, trace_ref ref, bool *exact);
trace_ref matches_select(struct matches *matches, uint64_t nr, bool *exact);	/* TRACE_REF_NONE: none is known */

/* Matches of [from, to) in nr bins, as far as known: hits in the overview.  Cost grows with nr and the size, slowly. */
void matches_density(struct matches *matches, int64_t from, int64_t to, unsigned int nr, uint64_t *bins);

/*
 * Only matches of the stack are returned (with all the cursor's other choices); NULL = all rows.  Seek again, also after
 * matches_use().  Where false is returned trace_cursor_is_later() tells whether the budget or the rows came to their end.
 */
void trace_cursor_only_matches(struct trace_cursor *cursor, struct matches *matches);

/* The same, and stacks that follow a row returned at once in its stream, as report has them.  To be gone through forward. */
void trace_cursor_matches_and_stacks(struct trace_cursor *cursor, struct matches *matches);
#endif
