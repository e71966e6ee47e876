/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_SCOPE_H
#define FTOP_SRC_COMMANDS_SCOPE_H
/* scope - selects calls for a text command by --from, --to, --cpu, --task and -F. */
#include <stdbool.h>
#include "src/match/event_sweep.h"
#include "src/match/filter_option.h"
#include "src/calls/graph_records.h"
#include "src/base/options.h"
#include "src/base/text.h"

/**
 * scope_init() - bind the options to a trace
 *
 * @all: set to true if nothing was restricted
 *
 * Return: 0, and the caller calls scope_fini(); or -1 with FT_E_USAGE.
 */
int scope_init(struct graph_scope *scope, bool *all, struct trace *trace,
	       const struct filter_given *given, struct ft_error *err);
void scope_fini(struct graph_scope *scope);

/*
 * The same for a sweep, or a model of states; borrows the scope.  @tasks: with the filter that
 * --task makes.  Models of states have scope_wants() for that.
 */
struct event_sweep_options scope_sweep(const struct graph_scope *scope,
				       const struct filter_given *given, bool tasks);
/* Is it a task of --task?  @given: struct filter_given */
bool scope_wants(const void *given, uint32_t pid, const char *comm);

/*
 * -1 with FT_E_LIMIT: a regular expression of its filters was given up; with FT_E_USAGE: nothing
 * was found (@any), and the trace has no task that --task names.
 */
int scope_check(const struct graph_scope *scope, struct trace *trace,
		const struct filter_given *given, bool any, struct ft_error *err);
#endif
