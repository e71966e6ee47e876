/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_SCOPE_H
#define FTOP_SRC_COMMANDS_SCOPE_H
/*
 * scope - selects calls for a text command by --from, --to, --cpu, --task and -F, and rows by
 * --grep and --count.
 */
#include <stdbool.h>
#include "src/match/filter_option.h"
#include "src/calls/graph_records.h"
#include "src/base/options.h"
#include "src/base/text.h"

/* Id of an option below, distinct from the command's own. */
enum { SCOPE_TASK = 100 };

/* @rows: what a line of the command is about, "functions" */
#define SCOPE_OPTIONS(rows) \
	{ "from", 0, "TIME", FILTER_OPTION_FROM, "only calls that end at this time or later" }, \
	{ "to", 0, "TIME", FILTER_OPTION_TO, "only calls that end at this time or earlier" }, \
	{ "cpu", 0, "LIST", FILTER_OPTION_CPU, "only calls that end on these CPUs: 0,2-4" }, \
	{ "task", 0, "PID|NAME", SCOPE_TASK, \
	  "only calls of this task (repeatable); a NAME may contain * and ?" }, \
	FILTER_OPTIONS("only calls whose exit event matches (the entry, if there is no exit);\n" \
		       "see ftop-trace-filter(7); with several -F, any may match", rows)

struct scope_words {			/* what was given */
	const char	**tasks;	/* owned array */
	unsigned int	 nr_tasks, cap_tasks;
	struct filter_given given;
};

/* Handle one of the options above.  Return: 1 if it was one, 0 if not, -1 with FT_E_USAGE. */
int scope_option(struct scope_words *words, const struct option_value *value, struct ft_error *err);
void scope_words_fini(struct scope_words *words);

/* Do the words contain names of tasks? If so, open the trace with its directory, which has them. */
bool scope_needs_names(const struct scope_words *words);

/* Appends the tasks as an expression; nothing if none were given. */
void scope_tasks_text(const struct scope_words *words, struct text *out);

/**
 * scope_init() - bind the options to a trace
 *
 * @all: set to true if nothing was restricted
 *
 * Return: 0, and the caller calls scope_fini(); or -1 with FT_E_USAGE.
 */
int scope_init(struct graph_scope *scope, bool *all, struct trace *trace,
	       const struct scope_words *words, struct ft_error *err);
void scope_fini(struct graph_scope *scope);

/* -1 with FT_E_LIMIT: a regular expression of its filters was given up. */
int scope_check(const struct graph_scope *scope, struct ft_error *err);

struct scope_result {
	bool		any;		/* calls were found */
	bool		inferred;	/* they are of the tracer `function` */
	bool		has_away;	/* times off the CPU are known */
};

/*
 * Report on stderr what the figures do not show: why they contain no call (the window, a filter
 * that cannot match), or what is not known of the calls. @scope: NULL: all calls.
 */
void scope_tell(const struct graph_scope *scope, struct trace *trace, struct scope_result result);
#endif
