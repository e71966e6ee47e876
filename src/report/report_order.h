/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_ORDER_H
#define FTOP_SRC_REPORT_ORDER_H
/*
 * report_order - the records of several CPUs in the order trace-cmd 3.1 prints them.
 *
 * That is by time, except behind a function_graph leaf whose exit trace-cmd took
 * from another CPU than its entry's: there its merge goes on with a stale record of
 * that CPU, and what follows depends on what lies in freed memory.  The text of
 * real traces shows this, so it is reproduced: the records' memory is simulated as
 * far as it decides the order.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/match/matches.h"
#include "src/trace/trace_private.h"

struct report_order;			/* opaque */

struct report_event {			/* a record */
	struct cursor_row	row;		/* bytes stay where they are as long as the keeper wants */
	int64_t			ts;		/* model time */
	unsigned int		stream;
	unsigned int		handle;		/* as given for its stream */
	unsigned int		lane;		/* number of its stream in the order given */
	bool			skipped;	/* it is only time to look around: ask for the next one */
	bool			lost;		/* events were lost before it */
	bool			lost_known;
	uint64_t		lost_count;
};

/* One stream; those of a handle (a buffer of a file) stand together, as trace-cmd counts its CPUs. */
struct report_lane {
	unsigned int	stream;
	unsigned int	handle;
	trace_ref	start;			/* first row to read; TRACE_REF_NONE: read nothing */
	struct matches	*matches;		/* only these, and the stacks behind them; NULL: all */
	bool		by_time;		/* begin at the first row with key >= time instead */
	int64_t		time;
};

/* Who knows records that are not wanted; asked until the first report_order_peek(). */
struct report_skipper {
	/* NULL: nobody.  Called for records in their order; true: it is not given out. */
	bool		(*skips)(void *arg, const struct cursor_row *row, int64_t ts);
	/*
	 * Called for each batch of records of a CPU, out of order: leave out those that need not even be put in order.
	 * One has to stay.  Return: how many are left.
	 */
	unsigned int	(*sift)(void *arg, const uint8_t *page, uint32_t len, struct cursor_record *records, unsigned int nr);
	void		*const *args;	/* borrowed, by lane */
};

/* @keeper: of the bytes of records; must live as long as the order. */
struct report_order *report_order_new(struct trace *trace, const struct report_lane *lanes, unsigned int nr,
				      const struct cursor_keeper *keeper, const struct report_skipper *skipper);
void report_order_free(struct report_order *order);	/* NULL is allowed */

/* The next record; valid until the next call, its bytes longer.  NULL at the end. */
const struct report_event *report_order_next(struct report_order *order);

/* Records of one CPU that come one behind the other, as far as they are decoded. */
struct report_run {
	unsigned int		lane;
	const struct trace_clock *clock;
	const uint8_t		*page;
	uint32_t		len;		/* bytes of it */
	const struct cursor_record *records;
	unsigned int		nr;
};

/*
 * What report_order_next() would give next, at a time.  False: ask that one.  To be followed by report_order_take(), of no
 * more than were in it.
 */
bool report_order_run(struct report_order *order, struct report_run *run);
void report_order_take(struct report_order *order, unsigned int nr);

/*
 * The record that follows in the same handle, as trace-cmd looks for the exit of a leaf; NULL: none.
 * @current: the record that report_order_next() gave; may be found elsewhere after this
 */
const struct report_event *report_order_peek(struct report_order *order, const struct report_event **current);

/* What was peeked is part of the line printed: it will not come again. */
void report_order_consume(struct report_order *order);

/* Sub-buffers read so far that could not be read to their ends. */
uint64_t report_order_damaged(const struct report_order *order);

/* Nobody is asked any more what is not wanted. */
void report_order_skip_no_more(struct report_order *order);

/* Nothing behind the record that was given last is wanted of its stream. */
void report_order_end_lane(struct report_order *order);

/* All that can be said of a record. */
void report_order_event(const struct report_order *order, const struct report_event *record, struct trace_event *event);
#endif
