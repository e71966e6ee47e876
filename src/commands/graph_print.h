/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_GRAPH_PRINT_H
#define FTOP_SRC_COMMANDS_GRAPH_PRINT_H
/*
 * graph_print - the calls of a trace as a tree: as text, rows of CSV, or objects.
 *
 * What can be held stands task by task (or CPU by CPU).  Larger traces are printed as
 * their outermost calls end, so that memory does not grow with the trace; of a call too
 * large to be held the line with its figures stands at its end.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/match/filter_option.h"
#include "src/calls/graph_records.h"
#include "src/base/output.h"
#include "src/trace/trace.h"

struct graph_print_options {
	const struct graph_scope *scope;	/* calls to print, with their
						   callers; NULL: all calls */
	int64_t		 depth;			/* levels of the tree that are shown; -1 = all */
	uint64_t	 min_ns;		/* ns: shows calls at least this long, and the calls
						 * around them */
	bool		 by_cpu;		/* outermost calls by the CPU
						   they began on, not by task */
	bool		 events;		/* with other events */
	enum table_format format;
	const char	*name;			/* the file's name, for the column of CSV and JSON;
						   NULL: no such column */
	uint32_t	 max_calls;		/* held at a time; 0 = a default.
						   Tests have it small */
	int32_t		 pid;			/* only this task is needed; -1: all */
	struct row_picker *picker;		/* shows the rows it wants, and the calls around
						 * them; or counts them: filter_option.h */
};

struct graph_print_result {
	uint64_t	 calls;			/* calls and other wanted rows, before the picker */
	bool		 has_away;		/* times off the CPU are known, */
	bool		 has_irqs;		/* and interrupts */
	bool		 gap_cut;		/* durations leave out time off the CPU */
	bool		 inferred;		/* there were calls of the tracer
						   `function`: see call_guess.h */
	uint64_t	 damaged;		/* damaged sub-buffers */
};

/* The first line of CSV. */
void graph_print_titles(const struct graph_print_options *options, const struct trace *trace,
			struct text *out);

/* Print a file's buffers.  -1 with FT_E_IO. */
int graph_print(struct trace *trace, unsigned int file, const struct graph_print_options *options,
		struct output *out, struct graph_print_result *result, struct ft_error *err);
#endif
