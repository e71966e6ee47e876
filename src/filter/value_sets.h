/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_VALUE_SETS_H
#define FTOP_SRC_FILTER_VALUE_SETS_H
/*
 * value_sets - sets of records whose value, derived by a model, is one of the numbers in a filter
 * (row_set.h).  If the directory knows the rows of the sub-buffers, the sets become items of
 * matches (match_items.h), and a filter without other tests uses them as its matches.  The model
 * makes a pass and reports the values, which are not stored.  Expressions with values, and whole
 * filters, are also evaluated during the pass, by a filter that sees the record again
 * (filter_computed.h, told_rows.h).
 *
 * Why no value is kept: with varints of the values, each of these would be an ordinary test, but
 * they take too much memory. Bytes for a record that has a value, in recordings of Linux 6.1 and
 * 7.2:
 *
 *     self 2.0 to 2.1    net 2.1 to 2.3    wait 2.4 to 3.1
 *     wakelat 2.3 to 3.0    ran 3.0 to 3.3    state 1.0
 *
 * The limit was 2.  A `ran` has 17 to 19 significant bits, so no other code of it fits either.  A
 * set takes one bit per row.
 *
 * Only for the main thread, unless noted. A set is freed when it has no references and another set
 * is requested.
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
	unsigned int	 what;		/* the model's number for the value */
	struct filter_set numbers;	/* owned */
	bool		 negate;	/* the complement, among records with a value */
	struct filter	*asks;		/* owned: evaluated for all values instead of .numbers,
					 * or for the rows of .numbers; or NULL */
	struct filter_run *run;		/* owned, during the pass */
	bool		 cut_off;	/* a regular expression exceeded its limit */
	bool		 building;	/* it is being built by the current pass */
	struct row_set	*rows;		/* owned; while building, and when done; NULL: items */
	struct match_item ***items;	/* owned, with references, [nr_streams][nr_items]: used
					 * instead of rows; or NULL */
	uint64_t	*nr_items;	/* owned, [nr_streams] */
	atomic_bool	 done;
};

/* Where a thread looked last, in sets with items: zero it before use. */
#define VALUE_SEEN	16u
struct value_seen {
	const struct value_set	*set;
	trace_ref		 page;		/* its first row */
	const struct match_item	*item;		/* or NULL: the page has none */
	struct match_page	 of;
};

struct told_rows;

struct value_sets {			/* zero it before use, except: */
	struct trace	*trace;		/* borrowed */
	unsigned int	 nr_streams;
	unsigned int	 file;
	bool		 computes;	/* the current pass has filters to evaluate */
	struct told_rows *told;		/* owned, during the pass; or NULL */
	struct value_set *first;	/* owned, chain */
	struct value_set *fresh;	/* owned, chain: requested since the pass began */
};

void value_sets_fini(struct value_sets *sets);		/* no pass may be running */

/*
 * Request a set; the numbers are copied.  Equal questions share a set.  With .numbers and .asks: of
 * the rows that value_sets_tell_row() reports for these numbers.  Return: a reference, for
 * value_set_drop().
 */
struct value_set *value_sets_want(struct value_sets *sets, const struct filter_question *question);
void value_set_drop(struct value_set *set);		/* any thread */

/* Is a set requested that is neither done nor part of the current pass? */
bool value_sets_missing(const struct value_sets *sets);

/* --- a pass --- */
/* for the sets that are not done; no pass may be running.  False: all are done */
bool value_sets_begin(struct value_sets *sets);
bool value_sets_ready(const struct value_sets *sets); /* may the pass go on?  Its filters may
							 * need other models; call it in the
							 * thread of the pass */
/* the sets are done; call it in the thread of the pass */
void value_sets_end(struct value_sets *sets);
void value_sets_stop(struct value_sets *sets);		/* discards the pass */
void value_sets_restart(struct value_sets *sets);       /* discards what was reported; call it in
							 * the thread of the pass */

/* In the thread of the pass: report a record's value. */
void value_sets_tell(struct value_sets *sets, unsigned int what, trace_ref ref, int64_t value);
/* Report a record that is in a set, by numbers that the model tested itself. */
void value_sets_tell_row(struct value_sets *sets, struct value_set *set, trace_ref ref);
/* Report all values of a record if the pass evaluates filters; once per record. */
void value_sets_tell_all(struct value_sets *sets, trace_ref ref, const struct filter_told *told);

/* --- any thread --- */
bool value_set_done(const struct value_set *set);
uint64_t value_set_bytes(const struct value_set *set);	/* memory of a set that is done */
/* @seen: [VALUE_SEEN], this thread's; do not drop the sets meanwhile. */
bool value_set_has(const struct value_set *set, trace_ref ref, struct value_seen *seen);
/* The set's item for the sub-buffers from @page on: a reference; NULL if there is no such item. */
struct match_item *value_set_item(const struct value_set *set, unsigned int stream, uint64_t page,
				  uint32_t nr_pages);
/* its filter; NULL if it has none */
const struct filter *value_set_asks(const struct value_set *set);
bool value_set_cut_off(const struct value_set *set);
#endif
