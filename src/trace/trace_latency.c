/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/trace_latency.h"

#include "parsers/source/source.h"
#include "src/trace/trace_private.h"

/* The row that the cursor passes next, if it is an event; else those after it. */
static bool next_event(struct trace_cursor *cursor, bool forward, struct trace_event *event)
{
	do {
		if (!(forward ? trace_cursor_next(cursor, event) :
				trace_cursor_prev(cursor, event)))
			return false;
	} while (!trace_is_event(event));
	return true;
}

const struct text_trace_header *trace_text_header(const struct trace *trace)
{
	return trace->nr_sources == 1 ? source_info(trace->sources[0].file)->latency : NULL;
}

bool trace_latency(struct trace *trace, struct trace_latency *latency)
{
	const struct text_trace_header *h = trace_text_header(trace);
	struct trace_event first, last;
	struct trace_cursor *cursor;

	if (!h)
		return false;
	*latency = (struct trace_latency){ h, TRACE_REF_NONE, TRACE_REF_NONE, 0, 0 };
	if (trace_is_untimed(trace, 0))
		return true;
	cursor = trace_cursor_new(trace);
	trace_cursor_seek_time(cursor, 0);
	if (next_event(cursor, true, &first)) {
		trace_cursor_seek_time(cursor, h->latency_ns + 1);
		/* later ones are of the tracer's own work */
		if (next_event(cursor, false, &last) && last.ts >= first.ts) {
			latency->first = first.ref;
			latency->last = last.ref;
			latency->before_ns = first.ts;
			latency->after_ns = h->latency_ns - last.ts;
		}
	}
	trace_cursor_free(cursor);
	return true;
}

bool trace_latency_is_whole(const struct trace_latency *latency)
{
	return latency->before_ns + latency->after_ns <= TRACE_TEXT_RESOLUTION;
}

const char *trace_latency_policy(int64_t policy)
{
	/* sched(7), and SCHED_EXT of linux 6.12 */
	static const char *const names[] = { "other", "fifo", "rr", "batch",
					     "?", "idle", "deadline", "ext" };

	return policy >= 0 && policy < 8 ? names[policy] : "?";
}
