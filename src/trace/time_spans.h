/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TIME_SPANS_H
#define FTOP_SRC_TRACE_TIME_SPANS_H
/*
 * time_spans - spans of time of tasks, joined if they touch: some five bytes per span.
 *
 * Spans may be added in any order, but those of a task close in time should be added at about the
 * same time: 8 Ki spans are buffered and sorted together.  One thread adds; afterwards any thread
 * may read.
 */
#include <stdbool.h>
#include <stdint.h>

struct time_spans;			/* opaque */

struct time_spans *time_spans_new(void);
void time_spans_free(struct time_spans *spans);		/* NULL is allowed */

/* @from, @to: both included; @from <= @to. */
void time_spans_add(struct time_spans *spans, uint64_t task, int64_t from, int64_t to);
void time_spans_end(struct time_spans *spans);		/* after the last time_spans_add() */
uint64_t time_spans_bytes(const struct time_spans *spans);	/* memory used */

/*
 * State of a lookup: is a moment of a task in a span? Fast if moments come mostly in order. Zero it
 * before first use; use it with one set of spans, after time_spans_end().
 */
struct time_spans_at {
	bool			 known;
	uint64_t		 key;		/* task */
	int64_t			 ts;		/* last time looked up */
	const struct time_spans_task *task;	/* NULL: the task has no spans, or no later */
	uint32_t		 block;		/* index of the block of the span below */
	const uint8_t		*next;		/* the bytes after that span */
	int64_t			 from, to;	/* a span; the task has none between ts and it */
};
bool time_spans_near(const struct time_spans *spans, struct time_spans_at *at, uint64_t task,
		     int64_t ts);
#endif
