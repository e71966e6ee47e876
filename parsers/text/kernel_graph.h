/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_KERNEL_GRAPH_H
#define FTOP_PARSERS_KERNEL_GRAPH_H
/*
 * kernel_graph - the lines of a function_graph trace as the kernel's trace file shows
 * them: columns, marks, indentation, switches between tasks, the events between as
 * comments.
 *
 * The kernel prints CPU by CPU from what it remembers of each: the last task, the
 * depth, the functions entered.  So records of a CPU must come in their order.
 * Source: linux kernel/trace/trace_functions_graph.c, of 6.1 and of later kernels
 * where they differ.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/text/kernel_text.h"

struct kernel_graph_options {		/* by the kernel's names, without their "funcgraph-" */
	bool		cpu, overhead, duration, irqs;	/* on at first */
	bool		proc, abstime, tail, overrun, retval, retval_hex, retaddr, args;
	bool		latency;	/* latency-format: a column of flags */
	bool		context;	/* context-info (on at first): the columns at all */
};

#define KERNEL_GRAPH_OPTIONS_INIT { .cpu = true, .overhead = true, .duration = true, .irqs = true, .context = true }

struct kernel_graph;			/* opaque; of one buffer */

/**
 * kernel_graph_new() - for the records of one buffer
 * @kt:      the other texts of the file; borrowed
 * @nr_cpus: of the machine: the width of their numbers follows from it
 */
struct kernel_graph *kernel_graph_new(struct kernel_text *kt, struct event_types *types, const struct kallsyms *syms,
				      unsigned int nr_cpus, const struct kernel_graph_options *options);
void kernel_graph_free(struct kernel_graph *graph);	/* NULL is allowed */

struct kernel_graph_record {
	struct print_record rec;	/* its ts: as shown; its cpu */
	int		pid;
	const char	*flags;		/* latency flags, with options.latency */
};

enum kernel_graph_way {
	KERNEL_GRAPH_DONE,		/* the lines were appended; or nothing, where the options hide it */
	KERNEL_GRAPH_MERGED,		/* and `next` is part of them: it is not to come again */
	KERNEL_GRAPH_COMMENT,		/* an event: append its text, then kernel_graph_end_comment() */
	KERNEL_GRAPH_PLAIN,		/* a stack, a function: it has a line of its own */
};

/* @next: the record behind it on the same CPU, with its pid in @next_pid; or NULL. */
enum kernel_graph_way kernel_graph_add(struct kernel_graph *graph, const struct kernel_graph_record *record,
				       const struct print_record *next, int next_pid, struct text *out);

/* @begin: length of @out before the comment's text.  Its last newline goes. */
void kernel_graph_end_comment(struct text *out, size_t begin);

/* The two lines of column names. */
void kernel_graph_header(const struct kernel_graph_options *options, struct text *out);
#endif
