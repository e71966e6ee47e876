/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCOPE_H
#define FTOP_SRC_SCOPE_H
/*
 * scope - which calls a text command is about: --from --to --cpu --task -F; which rows of them: --grep --count.
 */
#include <stdbool.h>
#include "src/match/filter_option.h"
#include "src/calls/graph_records.h"
#include "src/base/options.h"
#include "src/base/text.h"

/* Ids of the options below: the command's own are beyond. */
enum { SCOPE_FROM = 100, SCOPE_TO, SCOPE_CPU, SCOPE_TASK };

/* @rows: what a line of the command is about, "functions" */
#define SCOPE_OPTIONS(rows) \
	{ "from", 0, "TIME", SCOPE_FROM, "calls that end at this time or later" }, \
	{ "to", 0, "TIME", SCOPE_TO, "calls that end at this time at the latest" }, \
	{ "cpu", 0, "LIST", SCOPE_CPU, "calls that end on these CPUs: 0,2-4" }, \
	{ "task", 0, "PID|NAME", SCOPE_TASK, "calls of this task, of several of any of them; a NAME may have * and ?" }, \
	FILTER_OPTIONS("calls whose end (entry, where there is none) matches, see report; of several any may", rows)

struct scope_words {			/* what was given */
	const char	*from, *to;	/* NULL = not given */
	bool		*cpus;		/* owned, [SCOPE_MAX_CPUS], or NULL */
	const char	**tasks;	/* owned array */
	unsigned int	 nr_tasks, cap_tasks;
	struct filter_given given;
};
#define SCOPE_MAX_CPUS	65536u

/* One of the options above: 1 if it was one, 0 if not, -1 with FT_E_USAGE. */
int scope_option(struct scope_words *words, const struct option_value *value, struct ft_error *err);
void scope_words_fini(struct scope_words *words);

/* Does it ask for names of tasks?  Then the trace is to be opened with its directory, which tells them. */
bool scope_needs_names(const struct scope_words *words);

/* The tasks as an expression; nothing is appended where none were given. */
void scope_tasks_text(const struct scope_words *words, struct text *out);

/**
 * scope_init() - the words, bound to a trace
 *
 * Return: 0, with @scope to be ended by scope_fini(), and *all telling that it holds everything; or -1 with FT_E_USAGE.
 */
int scope_init(struct graph_scope *scope, bool *all, struct trace *trace, const struct scope_words *words, struct ft_error *err);
void scope_fini(struct graph_scope *scope);

/* -1 with FT_E_LIMIT: a regular expression of its filters was given up. */
int scope_check(const struct graph_scope *scope, struct ft_error *err);

/* Say on stderr that no call is in it, and why: the window, or a filter that can match nothing. */
void scope_tell_empty(const struct graph_scope *scope, struct trace *trace);
#endif
