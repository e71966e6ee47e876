/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_VALUE_SETS_H
#define FTOP_SRC_VALUE_SETS_H
/*
 * value_sets - where filters ask whether a value that a model derives for a record is one of some numbers: the records for
 * which it is (row_set.h).  Where the directory knows the rows of sub-buffers they become items of matches (match_items.h): a
 * filter that asks nothing else has these as its own.  The model makes a pass, tells the values, and keeps none.  What computes with values is asked
 * during the pass as well, by a filter that sees the record again (filter_computed.h, told_rows.h), and so are whole filters.
 *
 * All by the main thread but where it says otherwise.  A set lives until who asked for it has let it go, and the next one
 * is asked for.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter_names.h"
#include "src/filter/filter_program.h"
#include "src/trace/match_items.h"
#include "src/trace/row_set.h"

struct value_set {
	struct value_set *next;
	struct trace	*trace;		/* borrowed */
	atomic_uint	 refs;
	unsigned int	 what;		/* the model's number of the value */
	struct filter_set numbers;	/* owned */
	bool		 negate;	/* of records that have a value, the others */
	struct filter	*asks;		/* owned: is asked of all values, instead of that, or of these rows besides; or NULL */
	struct filter_run *run;		/* owned, while it is building */
	bool		 cut_off;	/* a regular expression took too many steps */
	bool		 building;	/* in the pass that was begun last */
	struct row_set	*rows;		/* owned; of one that is done, or building; NULL: others, or items */
	struct row_set	*others;	/* owned: rows where the value beside gives another answer; NULL: none was told, or rows took less */
	struct match_item ***items;	/* owned, and references, [nr_streams][nr_items]: instead of rows; or NULL */
	uint64_t	*nr_items;	/* owned, [nr_streams] */
	atomic_bool	 done;
};

/* Where a thread looked last, in sets that have items: zero it before use. */
#define VALUE_SEEN	16u
struct value_seen {
	const struct value_set	*set;
	trace_ref		 page;		/* its first row */
	const struct match_item	*item;		/* or NULL: it has none */
	struct match_page	 of;
};

struct told_rows;

struct value_sets {			/* zero it before use, but for these: */
	struct trace	*trace;		/* borrowed */
	unsigned int	 nr_streams;
	unsigned int	 file;
	bool		 computes;	/* the pass begun last has filters to ask */
	struct told_rows *told;		/* owned, while it lasts; or NULL */
	struct value_set *first;	/* owned, chain */
	struct value_set *fresh;	/* owned, chain: asked for since the pass began */
};

void value_sets_fini(struct value_sets *sets);		/* no pass is under way */

/* Ask for one; the numbers are copied.  The reference is for value_set_drop(). */
struct value_set *value_sets_want(struct value_sets *sets, unsigned int what, const struct filter_set *numbers, bool negate);
/* The same of all values that are told of a record; @asks is taken. */
struct value_set *value_sets_want_computed(struct value_sets *sets, struct filter *asks);
/* Rows that value_sets_tell_row() tells for these numbers, where a filter says yes that asks the record alone; @asks is taken. */
struct value_set *value_sets_want_beside(struct value_sets *sets, unsigned int what, const struct filter_set *numbers,
					 struct filter *asks);
void value_set_drop(struct value_set *set);		/* any thread */

/* Is one asked for that is neither done nor in the pass under way? */
bool value_sets_missing(const struct value_sets *sets);

/* --- a pass --- */
bool value_sets_begin(struct value_sets *sets);		/* none is under way: of those that are not done; false: all are */
bool value_sets_ready(const struct value_sets *sets);	/* may it go on?  Its filters may need to know what others make; the thread of the pass */
void value_sets_end(struct value_sets *sets);		/* they are; the thread of the pass */
void value_sets_stop(struct value_sets *sets);		/* it comes to nothing */
void value_sets_restart(struct value_sets *sets);	/* what was told counts no more; the thread of the pass */

/* By the thread of the pass: a record's value. */
void value_sets_tell(struct value_sets *sets, unsigned int what, trace_ref ref, int64_t value);
/* The same where value_set_has_beside() is to be asked, with a value that is known without the model and is often the same. */
void value_sets_tell_beside(struct value_sets *sets, unsigned int what, trace_ref ref, int64_t value, int64_t other);
/* A record that is of a set, by numbers that the model looked at itself. */
void value_sets_tell_row(struct value_sets *sets, struct value_set *set, trace_ref ref);
/* All that is told of a record, where the pass computes: once for a record. */
void value_sets_tell_all(struct value_sets *sets, trace_ref ref, const struct filter_told *told);

/* --- any thread --- */
bool value_set_done(const struct value_set *set);
uint64_t value_set_bytes(const struct value_set *set);	/* of memory; of one that is done */
/* @seen: [VALUE_SEEN] of this thread, of sets that are not let go meanwhile. */
bool value_set_has(const struct value_set *set, trace_ref ref, struct value_seen *seen);
/* Of the sub-buffers from one on: a reference, or NULL: they are not known as one. */
struct match_item *value_set_item(const struct value_set *set, unsigned int stream, uint64_t page, uint32_t nr_pages);
const struct filter *value_set_asks(const struct value_set *set);	/* as it was taken; NULL: of others */
bool value_set_cut_off(const struct value_set *set);
bool value_set_has_beside(const struct value_set *set, trace_ref ref, int64_t other, struct value_seen *seen);
#endif
