/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_KERNEL_KERNEL_WINDOW_H
#define FTOP_SRC_KERNEL_KERNEL_WINDOW_H
/*
 * kernel_window - the kernel's own text (kernel_lines.h) around a given time, line by line, without
 * that of the whole trace.
 *
 * Some earlier records of each CPU are processed but not shown, so that the lines are those of the
 * kernel (kernel_lines.h names the exceptions).  At the start of the trace the window includes the
 * header.  Main thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct kernel_window;			/* opaque */

struct kernel_line {
	const char	*text;		/* without its newline; valid until the window changes */
	size_t		 len;
	trace_ref	 ref;		/* its record; NONE for the header */
	trace_ref	 merged;	/* the exit that is part of a leaf's line, or NONE */
	int64_t		 ts;		/* model time; for the header, that of the first record */
	int		 pid, cpu;	/* -1 for the header */
};

struct kernel_window_options {
	struct trace	*trace;		/* borrowed */
	unsigned int	 file, buffer;
	/* 0 = default: */
	unsigned int	 lead;		/* records of each CPU to process before the window */
	unsigned int	 before, step;	/* records before the time, and after it or in
					 * kernel_window_more() */
	unsigned int	 max_lines;
};

/* empty until kernel_window_seek() */
struct kernel_window *kernel_window_new(const struct kernel_window_options *options);
void kernel_window_free(struct kernel_window *window);	/* NULL is allowed */

/* Rebuild the window around a time.  Costs the window's records, not the trace. */
void kernel_window_seek(struct kernel_window *window, int64_t ts);

/* Add lines at the end.  False if there are none, or too many are held. */
bool kernel_window_more(struct kernel_window *window);

/* is the first line the trace's first? */
bool kernel_window_at_start(const struct kernel_window *window);
/* is the last line the trace's last? */
bool kernel_window_at_end(const struct kernel_window *window);
/* number of lines, including the header's */
unsigned int kernel_window_nr(const struct kernel_window *window);
/* @i: 0 … kernel_window_nr() - 1 */
struct kernel_line kernel_window_line(const struct kernel_window *window, unsigned int i);

/*
 * The line of a record.  If it has none, or ref is NONE: the first line at or after @ts, of this
 * CPU if @cpu >= 0.  -1: none.
 */
int kernel_window_find(const struct kernel_window *window, trace_ref ref, int64_t ts, int cpu);
#endif
