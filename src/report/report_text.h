/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_TEXT_H
#define FTOP_SRC_REPORT_TEXT_H
/*
 * report_text - the text of a latency tracer's trace, as the file holds it: whole,
 * or the events of a window with the comments at its top.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/report/report.h"
#include "src/base/output.h"
#include "src/report/report_filter.h"
#include "src/report/report_window.h"

/*
 * Write the text (and not the line "cpus=N" before it).  @filter: NULL, or which lines are wanted; what is no event goes
 * with the event before it.  *counted: events of the window that match.  -1 with FT_E_IO.
 */
int report_text(const char *text, uint64_t size, const struct report_options *options,
		const struct report_window *window, struct report_filter *filter, struct output *out, int64_t *counted,
		struct ft_error *err);

/* Append a line so that a terminal shows it and obeys none of it: tabs become blanks.  @newlines: keep them. */
void report_terminal_line(struct text *out, const char *s, size_t len, bool newlines);

/* The same for what a text holds from a byte on: lines of CSV, which keep control characters for other programs. */
void report_terminal_tail(struct text *out, size_t start);
#endif
