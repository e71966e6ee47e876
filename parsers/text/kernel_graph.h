/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_KERNEL_GRAPH_H
#define FTOP_PARSERS_TEXT_KERNEL_GRAPH_H
/*
 * kernel_graph - the lines of a function_graph trace as in the kernel's trace file: columns, marks,
 * indentation, switches between tasks, other events as comments.
 *
 * The kernel prints each CPU from its state: the last task, the depth, the functions entered.  So
 * the records of a CPU must come in order. Source: linux kernel/trace/trace_functions_graph.c of
 * 6.1, and of later kernels where they differ.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/text/kernel_text.h"

struct kernel_graph_options {		/* named as in the kernel, without "funcgraph-" */
	bool		cpu, overhead, duration, irqs;	/* on by default */
	bool		proc, abstime, tail, overrun, retval, retval_hex, retaddr, args;
	bool		latency;	/* latency-format: a column of flags */
	bool		context;	/* context-info (on by default): show the columns */
};

#define KERNEL_GRAPH_OPTIONS_INIT \
	{ .cpu = true, .overhead = true, .duration = true, .irqs = true, .context = true }

struct kernel_graph;			/* opaque; for one buffer */

/**
 * kernel_graph_new() - for the records of one buffer
 * @kt:      texts of the file's other records; borrowed
 * @nr_cpus: CPUs of the machine; determines the width of the CPU column
 */
struct kernel_graph *kernel_graph_new(struct kernel_text *kt, struct event_types *types,
				      const struct kallsyms *syms, unsigned int nr_cpus,
				      const struct kernel_graph_options *options);
void kernel_graph_free(struct kernel_graph *graph);	/* NULL is allowed */

struct kernel_graph_record {
	struct print_record rec;	/* ts as shown, and its cpu */
	int		pid;
	const char	*flags;		/* latency flags, for options.latency */
};

enum kernel_graph_way {
	KERNEL_GRAPH_DONE,		/* the lines were appended, or nothing if the options
					 * hide the record */
	KERNEL_GRAPH_MERGED,		/* as DONE, with `next` in the lines: do not pass it
					 * again */
	KERNEL_GRAPH_COMMENT,		/* an event: append its text, then
					   kernel_graph_end_comment() */
	KERNEL_GRAPH_PLAIN,		/* a stack or a function: print it on a separate line */
};

/* @next: the next record of the same CPU, with its pid in @next_pid; or NULL. */
enum kernel_graph_way kernel_graph_add(struct kernel_graph *graph,
				       const struct kernel_graph_record *record,
				       const struct print_record *next, int next_pid,
				       struct text *out);

/* @begin: length of @out before the comment's text.  Removes its last newline. */
void kernel_graph_end_comment(struct text *out, size_t begin);

/* Append the two lines of column names. */
void kernel_graph_header(const struct kernel_graph_options *options, struct text *out);
#endif
