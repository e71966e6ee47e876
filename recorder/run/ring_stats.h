/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_RING_STATS_H
#define FTOP_RECORDER_RUN_RING_STATS_H
/*
 * ring_stats - times in the kernel's file per_cpu/cpuN/stats.
 */
#include <stdint.h>

struct ring_stats {			/* stamps of the trace's clock; 0 = not told */
	uint64_t	entries;	/* events that were not read yet */
	uint64_t	now;
};

/* @text: the file's, NUL-ended. */
struct ring_stats ring_stats_parse(const char *text);
/* The same of an open file; zeroed where it cannot be read. */
struct ring_stats ring_stats_read(int fd);
#endif
