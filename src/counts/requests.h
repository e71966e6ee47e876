/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COUNTS_REQUESTS_H
#define FTOP_SRC_COUNTS_REQUESTS_H
/*
 * requests - requests to block devices: how long they took, and how many were in flight, as figures
 * of the rows that count their events.  src/latency pairs the events (its kinds block, D2C, and
 * block_queue, Q2C), so these figures are those of ftop-trace latency.  Main thread, but for
 * requests_see().
 */
#include "src/counts/counts.h"

#define REQUESTS_NO_ROW	UINT32_MAX

struct requests;			/* opaque */

struct requests *requests_new(struct trace *trace, unsigned int file);
void requests_free(struct requests *requests);	/* stops the workers; NULL is allowed */

/* Do events of this type begin or end a request? */
bool requests_are_told(const struct requests *requests, const struct event_type *type);
/*
 * One worker tells all such events.  @row: index of the one that counts it, or REQUESTS_NO_ROW;
 * @device: dev_t
 */
void requests_see(struct requests *requests, trace_ref ref, uint32_t device, uint32_t row);

/* Are all requests found?  @wait: until they are. */
bool requests_are_found(struct requests *requests, bool wait);
/*
 * Once they are found, and all events told: set .in_flight of the rows of issues, .d2c and .q2c of
 * those of completions.  Nothing is set if there are too many requests.
 */
void requests_sum(struct requests *requests, struct counts_row *rows, uint32_t nr);
#endif
