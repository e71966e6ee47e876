/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_FILTER_H
#define FTOP_SRC_REPORT_FILTER_H
/*
 * report_filter - which records a report shows: -F, -v, --grep.
 *
 * A stack that belongs to a record goes where the record goes, as trace-cmd has it.
 */
#include <stdbool.h>
#include "parsers/pages/text_trace.h"
#include "src/base/error.h"
#include "src/filter/filter.h"
#include "src/filter/filter_match.h"
#include "src/match/matches.h"
#include "src/trace/trace.h"

struct report_filter;			/* opaque */

/*
 * Expressions of -F as a filter: with the filters that have names, and all that it asks of the whole trace known.
 * Return: NULL with FT_E_USAGE; the message shows where the expression is wrong.
 */
struct filter *report_filter_bind(struct trace *trace, const struct filter_source *sources, unsigned int nr, bool compat,
				  struct ft_error *err);

/* Nothing was kept: say on stderr why, where it is one term, or the trace lacks something.  Waits for the directory. */
bool report_filter_tell_empty(struct trace *trace, const struct filter *filter);

struct report_filter_options {
	const struct filter_source *sources;
	unsigned int	 nr_sources;
	bool		 compat;	/* --compat-filter */
	const char	*grep;		/* NULL = not given */
};

/**
 * report_filter_new() - bind what was asked for
 *
 * Where names of tasks are asked for, waits for the directory of the trace, which tells them.
 * Return: NULL with FT_E_USAGE; the message shows where the expression is wrong.
 */
struct report_filter *report_filter_new(struct trace *trace, const struct report_filter_options *options, struct ft_error *err);
bool report_filter_is_of_other(const struct report_filter *filter);	/* filter_is_of_other() */
void report_filter_free(struct report_filter *filter);	/* NULL is allowed */

/* Is a record wanted?  To be asked in the order of its CPU.  *counted: not if it is only shown for the record before it. */
bool report_filter_wants(struct report_filter *filter, const struct trace_event *event, bool *counted);

/* The same without the memory of what was shown: for looking ahead and back. */
bool report_filter_matches(struct report_filter *filter, const struct trace_event *event);

/* Does it ask for the events that were lost before the record? */
bool report_filter_wants_loss(struct report_filter *filter, const struct trace_event *event);

/*
 * Look at the whole trace at once, with all CPUs, before records come one by one.  Not with --compat-filter, which goes
 * by what came before, nor where lost events are asked for, or @graph: a function's entry may be wanted, whose exit is
 * looked for among all records.  @retaddr: so are those of fgraph_retaddr_entry.
 *
 * Return: what takes cursors to the records wanted, borrowed; NULL: each is to be asked for.
 */
struct matches *report_filter_look_ahead(struct report_filter *filter, bool graph, bool retaddr);

/* A line of latency text. */
bool report_filter_wants_line(struct report_filter *filter, const struct text_line *line);

/*
 * Does the text of a record match --grep?  True without one.  Any thread, with a scratch of its own (filter_match.h); NULL:
 * the main thread.
 */
bool report_filter_greps(const struct report_filter *filter, struct filter_scratch *scratch, const char *s, size_t len);

/* Was a regular expression given up, so that all else is in vain?  report_filter_check() will say so. */
bool report_filter_is_given_up(const struct report_filter *filter);
int report_filter_check(const struct report_filter *filter, struct ft_error *err);	/* -1 with FT_E_LIMIT: one was */

/* A scratch was used by it: what report_filter_tell() is to know of it. */
void report_filter_note(struct report_filter *filter, const struct filter_scratch *scratch);

/* To be told at the end on stderr: why nothing matches, what --count leaves out, that a regular expression was cut off. */
void report_filter_tell(struct report_filter *filter, bool any, bool counted);
#endif
