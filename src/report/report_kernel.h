/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_KERNEL_H
#define FTOP_SRC_REPORT_REPORT_KERNEL_H
/*
 * report_kernel - `report --style=kernel`: shows a trace like the kernel's own `trace` file,
 * including its header.
 *
 * A trace.dat does not contain the kernel's trace_options, so the options that change the text are
 * given by their kernel names.
 */
#include "src/base/output.h"
#include "src/report/report.h"
#include "src/report/report_filter.h"
#include "src/report/report_window.h"
#include "src/trace/trace.h"

/**
 * report_kernel() - write the text of each buffer of each file
 *
 * @filter:  selects records; NULL = all
 * @counted: receives the number of records selected
 *
 * Return: 0; -1 with FT_E_USAGE for an unknown option, FT_E_IO.
 */
int report_kernel(struct trace *trace, const struct report_options *options,
		  const struct report_window *window, struct report_filter *filter,
		  struct output *out, int64_t *counted, struct ft_error *err);

/*
 * The lines of a text trace, as they are in the file.  Return: 1; 0: only the head of the file is
 * open, and all of it is needed: see report_search(); -1 with FT_E_IO.
 */
int report_lines(struct trace *trace, const struct report_options *options,
		 const struct report_window *window, struct report_filter *filter,
		 struct output *out, int64_t *counted, struct ft_error *err);
#endif
