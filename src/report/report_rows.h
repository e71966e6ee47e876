/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_ROWS_H
#define FTOP_SRC_REPORT_REPORT_ROWS_H
/*
 * report_rows - records as JSON objects, one per line, and as CSV.
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
	bool		lost, lost_known;	/* events were lost before it; their number is
						 * known */
	uint64_t	lost_count;
	const char	*clock;		/* unit of stamps that are not in ns; NULL = ts is in ns */
	const char	*comm;
	const char	*file;		/* with several inputs; or NULL */
	const char	*instance;	/* "" or NULL = the top buffer */
};

/*
 * Append {"ts_ns":…,"cpu":…,"pid":…,"comm":"…","system":"…","event":"…","fields":{…}} and a
 * newline; a loss before it is another row.
 */
void report_row_json(const struct report_row *row, struct text *out);

/* Append only the row of a loss. */
void report_row_loss_json(const struct report_row *row, struct text *out);

/* The last columns of CSV, if a trace has several sources. */
struct report_csv_sources {
	bool		buffer, file;
};

void report_row_csv_header(bool counts, struct report_csv_sources sources, struct text *out);

void report_row_loss_csv(const struct report_row *row, struct report_csv_sources sources,
			 struct text *out);

/* @printed: the text after the event's name. */
void report_row_csv(const struct report_row *row, const char *printed, size_t len,
		    struct report_csv_sources sources, struct text *out);
#endif
