/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_TEXT_H
#define FTOP_SRC_REPORT_REPORT_TEXT_H
/*
 * report_text - the text of a latency tracer's trace, as the file holds it: complete, or the events
 * of a window after the comments at its top.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/report/report.h"
#include "src/base/output.h"
#include "src/report/report_filter.h"
#include "src/report/report_window.h"

/*
 * Write the text (without the line "cpus=N" before it).  @in_trace_dat: an empty line follows it,
 * like in trace-cmd.  @filter: selects lines, or NULL; a line that is not an event goes with the
 * event before it.  *counted: matching events of the window.  -1 with FT_E_IO.
 */
int report_text(const char *text, uint64_t size, bool in_trace_dat,
		const struct report_options *options, const struct report_window *window,
		struct report_filter *filter, struct output *out, int64_t *counted,
		struct ft_error *err);
#endif
