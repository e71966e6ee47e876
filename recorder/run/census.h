/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_CENSUS_H
#define FTOP_RECORDER_RUN_CENSUS_H
/*
 * census - who the tasks of this machine are, as /proc has it while we record: process, parent,
 * user, program, command line, cgroup.  A thread beside the recording looks at all processes when
 * tracing has begun, some times a second at new ones, and once more at all at the end.  The events
 * of a recording say what happened in between (parsers/types/who_table.h joins both).
 *
 *   at once           every process: what it is; its threads
 *   every LOOK_MS     pids given out since: the new tasks that still live; young ones again, since
 *                     most run another program soon
 *   at the end        every process again: only what has changed
 *
 * What is read of a process is read through one descriptor of its folder, so it is never of two
 * tasks with one pid.
 */
#include "recorder/tracefs/clock_reading.h"
#include "src/base/await.h"
#include "src/base/text.h"

struct census;				/* opaque */

enum census_outcome {
	CENSUS_WHOLE,
	CENSUS_FULL,	/* there were more tasks than it has room for */
	CENSUS_LATE,	/* the thread does not answer: nothing is told, and nothing freed */
};

/**
 * census_new() - make the thread, which waits for census_begin()
 * @await: how long the calls below wait for it; borrowed
 *
 * Return: NULL if nothing can be said of tasks: /proc has other pids than records, as in a
 * container.
 */
struct census *census_new(const struct await *await);
int census_tid(struct census *census);	/* waits until the thread runs; 0: it is late */

/*
 * The tasks of the recorder, and the processes of this program that started it, such as a screen.
 * Before census_begin().
 */
void census_recorder(struct census *census, const int *tids, unsigned int nr);

/*
 * Tracing has begun.  @clock: the trace clock; if it cannot be read, there will be no lines.
 * @reading: the clocks at about that time.
 */
void census_begin(struct census *census, const char *clock, const struct clock_reading *reading);

/* Tracing is about to end: read what cgroups have used up to now.  It is not needed for an end. */
void census_stop(struct census *census);

/*
 * What the thread has found since the last call, as lines of the block "tasks", to read behind
 * those of the calls before.  @lines: receives them, for the caller to free.
 */
void census_take(struct census *census, struct text *lines);

/**
 * census_end() - look at all processes again, and end the thread
 * @reading: the clocks, now
 * @tasks: receives all lines of the block "tasks" (parsers/file/trace_extra.c)
 */
enum census_outcome census_end(struct census *census, const struct clock_reading *reading,
			       struct text *tasks);

/* Also without an end.  NULL is allowed. */
void census_free(struct census *census);
#endif
