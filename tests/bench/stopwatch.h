/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_BENCH_STOPWATCH_H
#define FTOP_TESTS_BENCH_STOPWATCH_H
/* stopwatch - seconds of this process: of its CPUs, and of the clock on the wall. */
#include <sys/resource.h>
#include <time.h>

struct stopwatch {
	double	cpu, wall;
};

static inline struct stopwatch now(void)
{
	struct rusage used;
	struct timespec t;

	getrusage(RUSAGE_SELF, &used);
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct stopwatch){ (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
				   (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
				   (double)t.tv_sec + (double)t.tv_nsec / 1e9 };
}
#endif
