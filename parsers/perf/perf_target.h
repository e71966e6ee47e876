/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_TARGET_H
#define FTOP_PARSERS_PERF_PERF_TARGET_H
/*
 * perf_target - whose events perf recorded: those of all tasks (perf record -a, -C), or only those
 * of some (perf record PROG, -p, -t, -G).  An event of some tasks happens only while one of them
 * runs: no sched_switch tells that such a task comes to a CPU.
 */
#include "parsers/perf/perf_file.h"

/* A record that says which tasks an event is of: ID_INDEX, THREAD_MAP. */
void perf_target_take(struct perf_file *file, const struct perf_record *record);

/* Are its tracepoints of some tasks?  Without any: its events.  Ask when all records are taken. */
bool perf_target_is_tasks(const struct perf_file *file);
/* Append what source_info.cuts says of that, or of CPUs that perf was told (-C); nothing: all. */
void perf_target_cut(const struct perf_file *file, struct text *out);
#endif
