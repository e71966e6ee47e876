/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TRACE_LATENCY_H
#define FTOP_SRC_TRACE_TRACE_LATENCY_H
/*
 * trace_latency - the section that a latency tracer measured, of a trace that is its text.
 *
 * The tracer's times begin where it began to count, and the header has the latency.  The first and
 * the last event can lie inside: a wakeup tracer counts from before its first record.
 */
#include "parsers/lines/text_trace.h"
#include "src/trace/trace.h"

struct trace_latency {
	const struct text_trace_header *header;	/* borrowed until the trace is closed */
	trace_ref	first, last;	/* events of the section; TRACE_REF_NONE: there are none */
	int64_t		before_ns;	/* from the beginning of the latency to the first */
	int64_t		after_ns;	/* from the last to its end */
};

/* What stands above the lines of a latency tracer's text; NULL: the trace is none. */
const struct text_trace_header *trace_text_header(const struct trace *trace);

/* False: the trace is not the text of a latency tracer. */
bool trace_latency(struct trace *trace, struct trace_latency *latency);

/* The two add up to the latency: not more is missing than rounding explains. */
bool trace_latency_is_whole(const struct trace_latency *latency);

/* "fifo" of SCHED_FIFO; "?" for a number that no kernel has. */
const char *trace_latency_policy(int64_t policy);
#endif
