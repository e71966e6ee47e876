/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_FILTER_H
#define FTOP_SRC_REPORT_REPORT_FILTER_H
/*
 * report_filter - which records a report shows: -F, -v, --grep.
 *
 * As in trace-cmd, a stack is shown if its record is.
 */
#include <stdbool.h>
#include "parsers/lines/text_trace.h"
#include "src/base/error.h"
#include "src/filter/filter.h"
#include "src/filter/filter_pattern.h"
#include "src/match/matches.h"
#include "src/trace/trace.h"

struct report_filter;			/* opaque */

struct report_filter_options {
	const struct filter_source *sources;
	unsigned int	 nr_sources;
	bool		 compat;	/* --compat-filter */
	const char	*grep;		/* NULL = not given */
};

/**
 * report_filter_new() - bind the filters of a report
 *
 * Filters by task name wait for the directory of the trace, which has the names.
 * Return: NULL with FT_E_USAGE; the message shows the position of the error.
 */
struct report_filter *report_filter_new(struct trace *trace,
					const struct report_filter_options *options,
					struct ft_error *err);
void report_filter_free(struct report_filter *filter);	/* NULL is allowed */

/*
 * Is a record selected? Call it in the order of the record's CPU. *counted: false if it is shown
 * only because of the previous record.
 */
bool report_filter_wants(struct report_filter *filter, const struct trace_event *event,
			 bool *counted);

/* Is a record selected by itself, whatever the previous one was?  For looking ahead and back. */
bool report_filter_matches(struct report_filter *filter, const struct trace_event *event);

/* Does the filter select lost events before this record? */
bool report_filter_wants_loss(struct report_filter *filter, const struct trace_event *event);

/*
 * Filter the whole trace at once, on all CPUs, before the records are read one by one.  Not
 * possible with --compat-filter, which depends on earlier records, with a filter for lost events,
 * or, with @graph, if a function's entry may match, because its exit is searched among all records.
 * @retaddr: the same for fgraph_retaddr_entry.
 *
 * Return: borrowed matches that move cursors to the selected records; NULL: call
 * report_filter_wants() for each record.
 */
struct matches *report_filter_look_ahead(struct report_filter *filter, bool graph, bool retaddr);

/*
 * Does the text of a record match --grep?  True without --grep.  Any thread, with its own scratch
 * (filter_pattern.h); NULL: the main thread's.
 */
bool report_filter_greps(const struct report_filter *filter, struct filter_scratch *scratch,
			 const char *s, size_t len);

/*
 * Was a regular expression abandoned, so that the report is incomplete? report_filter_check()
 * returns the error.
 */
bool report_filter_is_given_up(const struct report_filter *filter);
/* -1 with FT_E_LIMIT if a regular expression was given up */
int report_filter_check(const struct report_filter *filter, struct ft_error *err);

/*
 * Report at the end on stderr why nothing matches, what --count omits, and whether a regular
 * expression was cut off.
 */
void report_filter_tell(struct report_filter *filter, bool any, bool counted);
#endif
