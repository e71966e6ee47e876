/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_DERIVED_VALUES_H
#define FTOP_SRC_FILTER_DERIVED_VALUES_H
/*
 * derived_values - what a model's pass makes for filters: for a name such as `wait`, a column with
 * a number for each record that has one (value_column.h); for `under` with its functions, the time
 * that tasks spent in them (time_spans.h).
 *
 * They are made when a filter first asks for them, shared by all filters that ask the same, and
 * freed when no filter uses them and another one is requested.  Of a trace that grows, records that
 * come later have none: a filter that asks then gets others.  In recordings of Linux 6.1 and 7.2, a
 * record that has the number takes this many bytes, two more where such records are rare:
 *
 *     state 1.1    self, net 2.4 to 2.6    wakelat, wait 3.1 to 3.3    ran 3.3
 *
 * That is 1 to 4 percent of the size of a trace of such records: of 10^9 events, a quarter of them
 * switches, `ran` takes 0.8 GB.  All values of a model may take an eighth of this machine's memory
 * (of several files: together); then later records have none, and filters say so.
 *
 * Only for the main thread, unless noted.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter_program.h"
#include "src/trace/time_spans.h"
#include "src/trace/value_column.h"

#define DERIVED_MAX	8u		/* numbers of a model's names are below this */
#define DERIVED_FULL	"too many values to keep in memory: those of later records are unknown"

struct derived_value {
	struct derived_value *next;
	atomic_uint	 refs;
	unsigned int	 number;	/* the name's number in its model */
	struct filter_set functions;	/* owned: functions behind a WORD; else empty */
	int64_t		 end;		/* trace_end() when it was requested */
	bool		 building;	/* the current pass makes it */
	struct value_column *column;	/* owned; NULL: a WORD, or not made yet */
	struct time_spans **spans;	/* owned, [nr_spans]: spans of a WORD by buffer */
	unsigned int	 nr_spans, cap_spans;
	bool		 full;		/* the limit was reached */
	atomic_bool	 done;
};

struct derived_values {			/* zero it before use, except: */
	struct trace	*trace;		/* borrowed */
	uint64_t	 limit;		/* bytes */
	struct derived_value *first;	/* owned, chain */
	struct derived_value *fresh;	/* owned, chain: requested since the pass began */
	struct value_column *columns[DERIVED_MAX];	/* columns of the pass, or NULL */
	uint64_t	 share;		/* bytes that each one of the pass may take */
};

void derived_values_init(struct derived_values *values, struct trace *trace);
void derived_values_fini(struct derived_values *values);	/* no pass may be running */

/*
 * Request a value, with its functions for a WORD, which are copied; NULL for other names.  Return:
 * a reference, for derived_value_drop().
 */
struct derived_value *derived_values_want(struct derived_values *values, unsigned int number,
					  const struct filter_set *functions);
void derived_value_drop(struct derived_value *value);	/* any thread */

/* Is one requested that is neither done nor part of the current pass? */
bool derived_values_missing(const struct derived_values *values);

/* --- a pass --- */
/* for those that are not done; no pass may be running.  False: all are done */
bool derived_values_begin(struct derived_values *values);
void derived_values_stop(struct derived_values *values);	/* discards the pass */
/* discards what was added; call it in the thread of the pass */
void derived_values_restart(struct derived_values *values);
/* they are done; call it in the thread of the pass */
void derived_values_end(struct derived_values *values);

/* In the thread of the pass: a record's number, once for each name; ignored if nobody asks. */
static inline void derived_values_add(struct derived_values *values, unsigned int number,
				      trace_ref ref, int64_t value)
{
	if (values->columns[number])
		value_column_add(values->columns[number], ref, value);
}
/* In the thread of the pass: the records of a buffer have no numbers after all. */
void derived_values_drop(struct derived_values *values, unsigned int number, unsigned int file,
			 unsigned int buffer);
/* In the thread of the pass: new spans of a WORD. */
struct time_spans *derived_value_add_spans(struct derived_value *value);
/* Compare its memory with the limit: after that, add nothing to a WORD that is full. */
void derived_value_look(struct derived_value *value, const struct derived_values *values);

/* --- any thread --- */
static inline bool derived_value_done(const struct derived_value *value)
{
	return atomic_load_explicit(&value->done, memory_order_acquire);
}

/* A user's share of the memory of a value that is done. */
uint64_t derived_value_bytes(const struct derived_value *value);

/* Where a thread looked last: zero it before use, and do not drop the values meanwhile. */
#define DERIVED_SEEN	64u
struct derived_seen {
	const void	*of;		/* a column or spans; NULL = unused */
	union {
		struct value_column_at	column;
		struct time_spans_at	spans;
	};
};

/* A record's number; false: it has none, or the value is not done.  @seen: [DERIVED_SEEN] */
bool derived_value_find(const struct derived_value *value, struct derived_seen *seen, trace_ref ref,
			int64_t *number);
/* Is a task (trace_task_key()) in one of the functions at the time of a record? */
bool derived_value_covers(const struct derived_value *value, struct derived_seen *seen,
			  trace_ref ref, uint64_t task, int64_t ts);
#endif
