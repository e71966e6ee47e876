/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TRACE_ABSENCE_H
#define FTOP_SRC_TRACE_TRACE_ABSENCE_H
/*
 * trace_absence - times in which nothing could be recorded on any CPU of a buffer: tracing was off,
 * or the machine was suspended.  No event is lost there, but nothing is known either: models take
 * them as gaps.  (A CPU that is offline alone is found by src/sched/sched_scan.h.)
 *
 * An absence lies between two records, of any CPUs, that no record lies between.  It is found by
 * the times of sub-buffers, so that few of them are read.  Its name is told by these records:
 * a suspend_resume that begins before it is exact.  Silence alone is none, but of a buffer that
 * records the switches of all tasks, where no kernel is silent for two seconds: that is inferred.
 * 20 ticks at 100 Hz are enough where two CPUs that ran tasks had recorded theirs.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/text.h"
#include "src/trace/trace.h"

enum trace_absent {
	TRACE_PRESENT,			/* no absence: events were lost, or nothing was */
	TRACE_TRACING_OFF,
	TRACE_SUSPENDED,
	TRACE_OFFLINE,			/* of one CPU */
};

#define TRACE_LEAST_ABSENCE	200000000	/* ns: a shorter one is not looked for */

struct trace_absence {
	int64_t		from, to;	/* ts of the record before, and of the one after */
	enum trace_absent why;
	bool		inferred;	/* only the silence tells it */
};

/**
 * trace_absences() - those of a buffer, ascending
 * @nr: set to their number
 *
 * The first call looks for them, at some sub-buffers of each second; while the trace grows, so
 * does the first one behind each settled time, in what came since.  A pass calls it where a CPU was
 * silent for TRACE_LEAST_ABSENCE: without such a silence there is none.  Any thread.
 *
 * Return: a list that stays as it is until the trace is closed; NULL if there are none.
 */
const struct trace_absence *trace_absences(struct trace *trace, unsigned int file,
					   unsigned int buffer, uint32_t *nr);

/* How many of a list end up to a time. */
uint32_t trace_absences_until(const struct trace_absence *list, uint32_t nr, int64_t ts);

/* How much of the time between two stamps of a buffer they are. */
int64_t trace_absent(struct trace *trace, unsigned int file, unsigned int buffer, int64_t from,
		     int64_t to);

/* "~tracing off"; of TRACE_PRESENT: "not recorded" */
const char *trace_absent_name(enum trace_absent why, bool inferred);
#endif
