/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_KERNEL_H
#define FTOP_SRC_REPORT_KERNEL_H
/*
 * report_kernel - `report --style=kernel`: a trace as the kernel's own `trace` file
 * shows it, header and all.
 *
 * What was set in the kernel's trace_options is not kept in a trace.dat: the options
 * that change the text are given by their kernel names.
 */
#include "src/base/output.h"
#include "src/report/report.h"
#include "src/report/report_text.h"
#include "src/trace/trace.h"

/**
 * report_kernel() - write the text of each buffer of each file
 *
 * @filter:  NULL, or which records are wanted
 * @counted: receives how many records were
 *
 * Return: 0; -1 with FT_E_USAGE for an option that is none, FT_E_IO.
 */
int report_kernel(struct trace *trace, const struct report_options *options, const struct report_window *window,
		  struct report_filter *filter, struct output *out, int64_t *counted, struct ft_error *err);
#endif
