/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_ROWS_H
#define FTOP_SRC_REPORT_ROWS_H
/*
 * report_rows - records as JSON objects, one a line, and as CSV.
 *
 * Every record is a row.  Values come from our own field table; times are integers,
 * addresses and numbers above 2^53 are strings, bytes that are not UTF-8 become
 * U+FFFD.
 */
#include <stdbool.h>
#include "src/base/text.h"
#include "src/trace/trace.h"

struct report_row {
	const struct trace_event *event;
	bool		lost, lost_known;	/* events were lost before it: how many */
	uint64_t	lost_count;
	const char	*clock;		/* of stamps without a unit; NULL = ts is in ns */
	const char	*comm;
	const char	*file;		/* of several inputs, or NULL */
	const char	*instance;	/* "" or NULL = the top buffer */
};

/* {"ts_ns":…,"cpu":…,"pid":…,"comm":"…","system":"…","event":"…","fields":{…}} and a newline; a loss before it is a row. */
void report_row_json(const struct report_row *row, struct text *out);

/* The row of a loss alone. */
void report_row_loss_json(const struct report_row *row, struct text *out);

/* What rows of CSV end with where a trace has more than one source. */
struct report_csv_sources {
	bool		buffer, file;
};

void report_row_csv_header(bool counts, struct report_csv_sources sources, struct text *out);

void report_row_loss_csv(const struct report_row *row, struct report_csv_sources sources, struct text *out);

/* @printed: the text behind the event's name. */
void report_row_csv(const struct report_row *row, const char *printed, size_t len, struct report_csv_sources sources,
		    struct text *out);
#endif
