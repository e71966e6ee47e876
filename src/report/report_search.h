/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_SEARCH_H
#define FTOP_SRC_REPORT_REPORT_SEARCH_H
/*
 * report_search - `report --grep` of a long text: finds words that the expression requires in the
 * bytes of the file, and looks at the lines around them only (parsers/lines/line_search.h).
 */
#include "src/base/output.h"
#include "src/report/report.h"
#include "src/report/report_filter.h"
#include "src/trace/trace.h"

/*
 * Bytes of a long text to open, so that report_search() can look through the whole; 0: these
 * options need its index.
 */
uint64_t report_search_head(const struct report_options *options);

/*
 * Write the lines that match.  @trace: only its head is open; @counted: receives how many there
 * are.  Return: 1; 0: nothing was written, because the index is needed: rows have no time or a
 * clock goes back, so that their order is unknown, or many rows match; -1 with FT_E_IO.
 */
int report_search(struct trace *trace, const struct report_options *options,
		  const struct report_filter *filter, struct output *out, int64_t *counted,
		  struct ft_error *err);
#endif
