/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIME_SPANS_H
#define FTOP_SRC_TIME_SPANS_H
/*
 * time_spans - spans of time of tasks, joined where they touch: some five bytes each.
 *
 * They are added in any order, those of a task that are near each other at about the same time: 8 Ki of them wait to be
 * put in order.  One thread adds; once it is done, any may ask.
 */
#include <stdbool.h>
#include <stdint.h>

struct time_spans;			/* opaque */

struct time_spans *time_spans_new(void);
void time_spans_free(struct time_spans *spans);		/* NULL is allowed */

/* @from, @to: both included; @from <= @to. */
void time_spans_add(struct time_spans *spans, uint64_t task, int64_t from, int64_t to);
void time_spans_end(struct time_spans *spans);		/* no more are added */

/* Does a moment of a task lie in one?  After time_spans_end(). */
bool time_spans_has(const struct time_spans *spans, uint64_t task, int64_t ts);

/*
 * The same for moments that mostly come in order: with where the last one was found.  Zero it first; it is of these spans.
 */
struct time_spans_at {
	bool			 known;
	uint64_t		 key;		/* task */
	int64_t			 ts;		/* of the last moment */
	const struct time_spans_task *task;	/* or NULL: it has none, or none that is later */
	uint32_t		 block;		/* number of that of the span below */
	const uint8_t		*next;		/* bytes behind it */
	int64_t			 from, to;	/* a span: none of the task between the last moment and this one */
};
bool time_spans_near(const struct time_spans *spans, struct time_spans_at *at, uint64_t task, int64_t ts);

uint64_t time_spans_bytes(const struct time_spans *spans);	/* of memory */
#endif
