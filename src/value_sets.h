/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_VALUE_SETS_H
#define FTOP_SRC_VALUE_SETS_H
/*
 * value_sets - where filters ask whether a value that a model derives for a record is one of some numbers: the records for
 * which it is (row_set.h).  The model makes a pass, tells the values, and keeps none.
 *
 * All by the main thread but where it says otherwise.  A set lives until who asked for it has let it go, and the next one
 * is asked for.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/filter_program.h"
#include "src/row_set.h"

struct value_set {
	struct value_set *next;
	atomic_uint	 refs;
	unsigned int	 what;		/* the model's number of the value */
	struct filter_set numbers;	/* owned */
	bool		 negate;	/* of records that have a value, the others */
	bool		 building;	/* in the pass that was begun last */
	struct row_set	*rows;		/* owned; of one that is done, or building */
	struct row_set	*others;	/* owned: rows where the value beside gives another answer; NULL: none was told, or rows took less */
	atomic_bool	 done;
};

struct value_sets {			/* zero it before use */
	unsigned int	 nr_streams;
	struct value_set *first;	/* owned, chain */
	struct value_set *fresh;	/* owned, chain: asked for since the pass began */
};

void value_sets_fini(struct value_sets *sets);		/* no pass is under way */

/* Ask for one; the numbers are copied.  The reference is for value_set_drop(). */
struct value_set *value_sets_want(struct value_sets *sets, unsigned int what, const struct filter_set *numbers, bool negate);
void value_set_drop(struct value_set *set);		/* any thread */

/* Is one asked for that is neither done nor in the pass under way? */
bool value_sets_missing(const struct value_sets *sets);

/* --- a pass --- */
bool value_sets_begin(struct value_sets *sets);		/* none is under way: of those that are not done; false: all are */
void value_sets_end(struct value_sets *sets);		/* they are; the thread of the pass */
void value_sets_stop(struct value_sets *sets);		/* it comes to nothing */
void value_sets_restart(struct value_sets *sets);	/* what was told counts no more; the thread of the pass */

/* By the thread of the pass: a record's value. */
void value_sets_tell(struct value_sets *sets, unsigned int what, trace_ref ref, int64_t value);
/* The same where value_set_has_beside() is to be asked, with a value that is known without the model and is often the same. */
void value_sets_tell_beside(struct value_sets *sets, unsigned int what, trace_ref ref, int64_t value, int64_t other);

/* --- any thread --- */
bool value_set_done(const struct value_set *set);
uint64_t value_set_bytes(const struct value_set *set);	/* of memory; of one that is done */
bool value_set_has(const struct value_set *set, trace_ref ref);
bool value_set_has_beside(const struct value_set *set, trace_ref ref, int64_t other);
#endif
