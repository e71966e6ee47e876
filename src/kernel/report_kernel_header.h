/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_KERNEL_REPORT_KERNEL_HEADER_H
#define FTOP_SRC_KERNEL_REPORT_KERNEL_HEADER_H
/*
 * report_kernel_header - the comment lines at the top of the kernel's trace file, by
 * tracer, kernel and options.  Source: linux kernel/trace/trace.c, trace_osnoise.c,
 * trace_branch.c.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/text/kernel_graph.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

enum report_kernel_columns {		/* columns of flags */
	REPORT_KERNEL_FOUR,		/* before migrate-disable was shown (5.15) */
	REPORT_KERNEL_FIVE,
	REPORT_KERNEL_SEVEN,		/* PREEMPT_RT with its own lazy preemption, up to 6.6 */
};

struct report_kernel_header {
	bool		latency, verbose;	/* options of the text */
	bool		no_flags, bare;		/* without flags; without anything before an
						 * event */
	bool		classic;		/* columns of the blk tracer */
	bool		tgid;			/* with a column of thread group ids */
	/* Set by report_kernel_header_init() */
	const char	*tracer;		/* "nop", "function" … */
	enum report_kernel_columns columns;
	char		release[64];		/* "6.1.192" */
	unsigned int	nr_cpus;
	bool		bottom_half;		/* the first flag also shows disabled bottom
						 * halves */
	uint64_t	entries, written;
};

/*
 * Collect what the header says about the streams of one buffer; the page directory must be
 * complete.
 */
void report_kernel_header_init(struct report_kernel_header *h, struct trace *trace,
			       unsigned int file, const bool *streams, uint64_t events,
			       uint64_t overruns);

/* @graph: columns of a function_graph trace. */
void report_kernel_header_add(const struct report_kernel_header *h,
			      const struct kernel_graph_options *graph, struct text *out);
#endif
