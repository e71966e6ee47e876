/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_FTRACE_EVENT_H
#define FTOP_SRC_EXPORT_FTRACE_EVENT_H
/*
 * ftrace_event - records as messages of Perfetto's FtraceEventBundle.  Events that Perfetto knows
 * have numbers of their own (ftrace_known.c); all others are described in the file.
 */
#include <stdbool.h>
#include "parsers/types/event_types.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

/* What becomes of the events of a type. */
enum ftrace_use {
	FTRACE_EVENT,			/* an event */
	FTRACE_CALL,			/* nothing: they are parts of calls */
	FTRACE_FUNCTION,		/* of the tracer function: an instant */
	FTRACE_PRINT,			/* written to trace_marker: an event if it is in atrace's
					 * form, else an instant */
	FTRACE_TEXT,			/* trace_printk(): an instant with its text */
};

struct ftrace_step;			/* opaque: how a field is written */

struct ftrace_plan {			/* for the events of a type */
	const struct event_type *type;
	enum ftrace_use	 use;
	unsigned int	 number;	/* of its message in FtraceEvent */
	bool		 is_known;	/* to Perfetto: needs no description */
	bool		 is_described;	/* for its user: it was in the file */
	struct ftrace_step *steps;	/* owned, [nr] */
	unsigned int	 nr;
};

/*
 * The number that stands for a function's address: trace_processor looks for the lower 32 bits of a
 * sched_blocked_reason's, so it is not the address.
 */
typedef uint64_t (*ftrace_function_number)(void *arg, uint64_t address);

/*
 * @number: in FtraceEvent, if Perfetto does not know the type; @raw_syscalls: the events of
 * raw_syscalls are there, so those of single system calls are not needed as such.
 */
void ftrace_plan_init(struct ftrace_plan *plan, const struct event_type *type, unsigned int number,
		      bool raw_syscalls);
void ftrace_plan_fini(struct ftrace_plan *plan);	/* of a zeroed one, too */

/* Append the description of a type that is not known: a field of FtraceEventBundle. */
void ftrace_plan_describe(const struct ftrace_plan *plan, struct text *out);

/* Append an event: a field of FtraceEventBundle. */
void ftrace_plan_event(const struct ftrace_plan *plan, const struct trace_event *event,
		       ftrace_function_number number, void *arg, struct text *out);

/* --- what Perfetto knows (ftrace_known.c) ----------------------------------------------------- */

struct ftrace_known {
	const char	*name;
	unsigned int	 number;	/* in FtraceEvent */
	const char	*fields;	/* names separated by blanks, numbered from 1; -: not ours;
					 * marked with $: text; with &: address of a function, as
					 * in kKernelFunctionFields of trace_processor's
					 * ftrace_parser.cc; all others are numbers */
};

/* NULL: it does not. */
const struct ftrace_known *ftrace_known_find(const char *name);

/* The number of a field, and its mark, or NUL; 0: it has none. */
unsigned int ftrace_known_field(const struct ftrace_known *known, const char *name, char *mark);
#endif
