/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_TEXT_H
#define FTOP_SRC_CALLS_CALL_TEXT_H
/*
 * call_text - a node of a call tree as text: its function, times, arguments and return value, names
 * of levels.  Main thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/base/text.h"
#include "src/trace/trace_streams.h"

struct call_text;			/* opaque; for one buffer */

struct call_text *call_text_new(struct trace *trace, unsigned int file, unsigned int buffer);
void call_text_free(struct call_text *text);	/* NULL is allowed */

/* Name of a function as the kernel prints it; valid until @text is freed. */
const char *call_text_function(struct call_text *text, uint64_t address);

/*
 * Start and end of a node, in model time.  A call with an exit: its own times if they are of the
 * trace's local clock, otherwise relative to the stamp of the exit.  Other nodes: the stamp of
 * their record.
 */
int64_t call_text_start(const struct call_text *text, const struct call *call);
/* As of a buffer whose clock is not graph_clock_is_local(). */
int64_t call_text_start_elsewhere(const struct trace *trace, const struct call *call);
int64_t call_text_end(const struct call_text *text, const struct call *call);
/* Time off the CPU from start to end that its duration leaves out: see call_gap_cut(). */
uint64_t call_text_gap_cut(const struct call_text *text, const struct call *call);
uint64_t call_text_gap_cut_elsewhere(const struct call *call, int64_t start, int64_t end);

/* @local: graph_clock_is_local() of its buffer. */
static inline int64_t call_text_start_in(const struct trace *trace, bool local,
					 const struct call *call)
{
	return local && call_is_timed(call) ?
		       trace_stream_ts(trace, call->stream_out, call->start - call_gap_cut(call)) :
		       call_text_start_elsewhere(trace, call);
}

static inline uint64_t call_text_gap_cut_in(bool local, const struct call *call, int64_t start,
					    int64_t end)
{
	return local || !call_is_timed(call) ? call_gap_cut(call) :
					       call_text_gap_cut_elsewhere(call, start, end);
}

int call_text_cpu(const struct call_text *text, const struct call *call, bool end);

/* Append "fd=3, buf=0x7ffd…", "ret=-2", "<-caller" from the call's records; false: not there. */
bool call_text_arguments(struct call_text *text, const struct call *call, uint64_t function,
			 struct text *out);
bool call_text_return(struct call_text *text, const struct call *call, struct text *out);
bool call_text_caller(struct call_text *text, const struct call *call, struct text *out);
/* The state in which a task left the CPU: "S", "R+". */
bool call_text_state(struct call_text *text, const struct call *away, struct text *out);
/* The text of another event: "sched_switch: …", in the style of the screen. */
void call_text_event(struct call_text *text, const struct call *event, struct text *out);

/* The return value; false if it was not recorded. */
bool call_text_return_value(struct call_text *text, const struct call *call, int64_t *value);

const char *call_level_name(unsigned int level);	/* "task", "softirq", "irq", "nmi" */
const char *call_context_name(const struct call *call);	/* a call's level, or "slice" */
#endif
