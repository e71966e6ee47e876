/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_KERNEL_WINDOW_H
#define FTOP_SRC_KERNEL_WINDOW_H
/*
 * kernel_window - the kernel's own text (kernel_lines.h) around a moment, line by line,
 * without that of the whole trace.
 *
 * Some records of each CPU before the first line went by unseen, so that it is what the
 * kernel would print there (kernel_lines.h says how far).  At the start of the trace the header stands above.  Main thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct kernel_window;			/* opaque */

struct kernel_line {
	const char	*text;		/* without its newline; until the window is made anew or grows */
	size_t		 len;
	trace_ref	 ref;		/* of its record; NONE: of the header */
	trace_ref	 merged;	/* the exit that stands in a leaf's line, or NONE */
	int64_t		 ts;		/* model time; of the header: of the first record */
	int		 pid, cpu;	/* -1: of the header */
};

struct kernel_window_options {
	struct trace	*trace;		/* borrowed */
	unsigned int	 file, buffer;
	/* 0 = defaults: */
	unsigned int	 lead;		/* records of each CPU that go by unseen */
	unsigned int	 before, step;	/* records before the moment, and behind it or in kernel_window_more() */
	unsigned int	 max_lines;
};

struct kernel_window *kernel_window_new(const struct kernel_window_options *options);	/* empty until kernel_window_seek() */
void kernel_window_free(struct kernel_window *window);	/* NULL is allowed */

/* Make it anew around a moment.  Costs the records, not the trace. */
void kernel_window_seek(struct kernel_window *window, int64_t ts);

/* Further lines at its end.  False: there are none, or too many are held. */
bool kernel_window_more(struct kernel_window *window);

bool kernel_window_at_start(const struct kernel_window *window);	/* the first line is the trace's */
bool kernel_window_at_end(const struct kernel_window *window);		/* the last one is */
unsigned int kernel_window_nr(const struct kernel_window *window);	/* lines, those of the header included */
/* @i: 0 … kernel_window_nr() - 1 */
struct kernel_line kernel_window_line(const struct kernel_window *window, unsigned int i);

/* The line of a record; if it has none, or ref is NONE: the first at @ts or behind it, of this CPU if @cpu >= 0.  -1: none. */
int kernel_window_find(const struct kernel_window *window, trace_ref ref, int64_t ts, int cpu);
#endif
