/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_ORDER_H
#define FTOP_SRC_REPORT_REPORT_ORDER_H
/*
 * report_order - merges the records of several CPUs in the order of time; records with equal times
 * are in the order of the lanes.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/match/matches.h"
#include "src/trace/trace_streams.h"

struct report_order;			/* opaque */

struct report_event {			/* a record */
	struct cursor_row	row;		/* its bytes are valid until
						   the keeper releases them */
	int64_t			ts;		/* model time */
	unsigned int		stream;
	unsigned int		handle;		/* the handle given for its stream */
	unsigned int		lane;		/* index of its stream in the lanes */
	bool			skipped;	/* not a record, only a pause to look around:
						 * call again */
	bool			lost;		/* events were lost before it */
	bool			lost_known;
	uint64_t		lost_count;
};

/*
 * One stream; the streams of a handle (a buffer of a file) are adjacent, as trace-cmd numbers its
 * CPUs.
 */
struct report_lane {
	unsigned int	stream;
	unsigned int	handle;
	trace_ref	start;			/* first row to read; TRACE_REF_NONE: none */
	struct matches	*matches;		/* read only these, and the stacks after them;
						 * NULL: all */
	bool		by_time;		/* instead, begin at the first row with key >=
						 * time */
	int64_t		time;
};

/* Recognises records that are not wanted. */
struct report_skipper {
	/* May be NULL.  Called for records in order; true: skip it. */
	bool		(*skips)(void *arg, unsigned int lane, const struct cursor_row *row,
				 int64_t ts);
	/*
	 * Called for each batch of records of a CPU, before they are ordered: remove those that are
	 * not needed at all.  The first one must stay, and so must any that report_order_peek()
	 * will need.  Return: the number left.
	 */
	unsigned int	(*sift)(void *arg, unsigned int lane, const uint8_t *page, uint32_t len,
				struct cursor_record *records, unsigned int nr);
	void		*arg;
};

/* @keeper: keeps the bytes of records; must outlive the order. */
struct report_order *report_order_new(struct trace *trace, const struct report_lane *lanes,
				      unsigned int nr, const struct cursor_keeper *keeper,
				      const struct report_skipper *skipper);
void report_order_free(struct report_order *order);	/* NULL is allowed */

/* The next record; valid until the next call (its bytes: longer).  NULL at the end. */
const struct report_event *report_order_next(struct report_order *order);

/* Consecutive decoded records of one CPU. */
struct report_run {
	unsigned int		lane;
	const struct trace_clock *clock;
	const uint8_t		*page;
	uint32_t		len;		/* bytes of the page */
	const struct cursor_record *records;
	unsigned int		nr;
};

/*
 * Get several records that report_order_next() would return.  False: call report_order_next().
 * Afterwards call report_order_take() with the number used.
 */
bool report_order_run(struct report_order *order, struct report_run *run);
void report_order_take(struct report_order *order, unsigned int nr);

/*
 * The next record of the same CPU; NULL if there is none.
 * @current: the record that report_order_next() returned; its address changes
 */
const struct report_event *report_order_peek(struct report_order *order,
					     const struct report_event **current);

/* The peeked record is part of a printed line: do not return it. */
void report_order_consume(struct report_order *order);

/* Number of sub-buffers so far that could not be read completely. */
uint64_t report_order_damaged(const struct report_order *order);

/* Stop calling the skipper. */
void report_order_skip_no_more(struct report_order *order);

/* No later records of the last record's stream are wanted. */
void report_order_end_lane(struct report_order *order);

/* Fill in all members of an event. */
void report_order_event(const struct report_order *order, const struct report_event *record,
			struct trace_event *event);
#endif
