/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LISTS_COMPARISON_H
#define FTOP_SRC_LISTS_COMPARISON_H
/*
 * comparison - what two traces can be compared by, and the rows of one trace for src/diff.  Each
 * list_source that compares is one; the others have a line in comparison.c.
 */
#include "src/diff/diff.h"
#include "src/lists/sources.h"
#include "src/trace/trace.h"

/* Numbers below comparison_nr: */
enum { COMPARE_FUNCTIONS, COMPARE_TASKS, COMPARE_LATENCY, COMPARE_EVENTS, COMPARE_SCHEDULER,
       COMPARE_PROCESSES, COMPARE_CGROUPS, COMPARE_USERS,
       COMPARISON_NR_OWN, COMPARISON_NR = COMPARISON_NR_OWN + LIST_NR_WITH_COMMAND };

/* The words of --by, with | between them, in that order. */
#define COMPARISON_BY(name, word, ...) "|" word
#define COMPARISON_WORDS \
	"functions|tasks|latency|events|scheduler|process|cgroup|user" \
	LIST_SOURCES_WITH_COMMAND(COMPARISON_BY)

const char *comparison_word(unsigned int by);		/* "functions" */
const char *comparison_what(unsigned int by);		/* what a row is; NULL: as in another */
unsigned int comparison_figures(unsigned int by);	/* bits, for diff_columns() */

/* What a trace is best compared by. */
unsigned int comparison_default(struct trace *trace);

struct comparison_scope {		/* which part of a trace; zeroed: all of it */
	struct event_sweep_options what;
	unsigned int	nr_for_states;	/* filters: the first ones, which are not about tasks */
	const struct filter_given *given;	/* has the tasks */
};

/* Add what a trace has, A (0) or B (1).  The trace is indexed.  -1: FT_E_USAGE, FT_E_LIMIT. */
int comparison_collect(struct diff *diff, unsigned int by, unsigned int side, struct trace *trace,
		       const struct comparison_scope *scope, struct ft_error *err);

/* diff_end(), with what is not known of the files. */
void comparison_end(struct diff *diff, struct trace *const traces[2], const unsigned int files[2]);
#endif
