/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_PERF_H
#define FTOP_SRC_REPORT_REPORT_PERF_H
/*
 * report_perf - `report --style=perf`: lines as perf script has them.
 *
 *   comm pid [cpu] time: system:event: text                      of a tracepoint
 *   comm pid [cpu] time: period event: address function (file)   of a sample
 *   (tab) address function (file)                                of a stack; then an empty line
 *
 * perf script breaks the line of a sample with a call chain before its address, and pads no name of
 * a task there.  Here it is the line of perf script -G, and the stack is below.
 *
 * Names of events are as wide as the longest one: of all events that the recorder was told, if that
 * is known, or of those in the trace.
 *
 * What differs from perf script: the name of a function that has several (perf prints the last one
 * in /proc/kallsyms, the kernel's own texts the first one); the file of code that was made at run
 * time, which perf calls /tmp/perf-PID.map; the task -1 (parsers/perf/README.md).
 *
 * Source: linux tools/perf/builtin-script.c, tools/perf/util/evsel_fprintf.c.
 */
#include "src/report/report_form.h"

extern const struct report_line_style report_perf;
#endif
