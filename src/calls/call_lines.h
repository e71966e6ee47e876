/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_LINES_H
#define FTOP_SRC_CALLS_CALL_LINES_H
/*
 * call_lines - the calls in a latency tracer's text with display-graph, as records.
 *
 * A call's depth is its indentation.  The text has whole µs, but durations in ns: a call ends where
 * its last line stands, at least 1 ns after the beginning of all calls before, and begins its
 * duration earlier.  Functions are names, and become addresses by the file's symbols.
 */
#include "parsers/types/kallsyms.h"
#include "src/calls/graph_records.h"

#define CALL_LINES_MOST		2u	/* records from one row */
#define CALL_LINES_DEPTHS	64	/* the kernel has 50 (FTRACE_RETFUNC_DEPTH) */

/* opaque: functions of a file's texts, with addresses */
struct call_lines_names;

/* NULL: the file has no text with calls. */
struct call_lines_names *call_lines_names_new(struct trace *trace, unsigned int file);
void call_lines_names_find(struct call_lines_names *names, const struct kallsyms *symbols);
void call_lines_names_free(struct call_lines_names *names);	/* NULL is allowed */

/* Begins with @names (borrowed), all else 0. */
struct call_lines {
	const struct call_lines_names *names;
	struct {
		int	 pid;
		uint64_t func;
	}		 open[CALL_LINES_DEPTHS];	/* the last call of each depth */
	uint64_t	 latest;	/* beginning of a call, raw */
};

/* The records of the next row, without key, stream and scope.  Return: their number. */
unsigned int call_lines_add(struct call_lines *text, const struct trace_event *event,
			    struct graph_record out[CALL_LINES_MOST]);
#endif
