/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/scope.h"

#include <string.h>

#include "src/filter/filter.h"
#include "src/match/given_filter.h"
#include "src/trace/time_option.h"

/* --- filters ----------------------------------------------------------------------- */

static int set_filters(struct graph_scope *scope, struct trace *trace, const struct filter_given *g,
		       struct ft_error *err)
{
	if (g->nr) {
		scope->filters[0] = given_filter_bind(trace, g->sources, g->nr, g->compat, err);
		if (!scope->filters[0])
			return -1;
		scope->nr_filters++;
	}
	if (given_filter_bind_tasks(trace, g, &scope->filters[scope->nr_filters], err))
		return -1;
	scope->nr_filters += g->nr_tasks != 0;
	return 0;
}

int scope_init(struct graph_scope *scope, bool *all, struct trace *trace,
	       const struct filter_given *g, struct ft_error *err)
{
	*scope = (struct graph_scope){
		.has_from = g->from, .has_to = g->to, .cpus = g->cpus, .nr_cpus = FILTER_OPTION_CPUS
	};
	if (time_option_range(trace, g->from, g->to, &scope->from, &scope->to, err))
		return -1;
	if (!g->several &&
	    (filter_option_check_cpus(g->cpus, trace, err) ||
	     time_option_check(trace, scope->has_from, scope->from, scope->has_to, scope->to, err)))
		return -1;
	*all = !g->from && !g->to && !g->cpus && !g->nr_tasks && !g->nr;
	if (set_filters(scope, trace, g, err)) {
		scope_fini(scope);
		return -1;
	}
	return 0;
}

void scope_fini(struct graph_scope *scope)
{
	for (unsigned int i = 0; i < scope->nr_filters; i++)
		filter_free((struct filter *)scope->filters[i]);
	scope->nr_filters = 0;
}

struct event_sweep_options scope_sweep(const struct graph_scope *scope,
				       const struct filter_given *given, bool tasks)
{
	return (struct event_sweep_options){
		.range = { scope->has_from || scope->has_to,
			   scope->has_from ? scope->from : INT64_MIN,
			   scope->has_to ? scope->to : INT64_MAX },
		.only = scope->cpus,
		.nr_only = scope->nr_cpus,
		.filters = scope->filters,
		.nr_filters = tasks ? scope->nr_filters : given->nr != 0,
	};
}

bool scope_wants(const void *given, uint32_t pid, const char *comm)
{
	return filter_given_wants(given, pid, comm);
}

int scope_check(const struct graph_scope *scope, struct trace *trace,
		const struct filter_given *given, bool any, struct ft_error *err)
{
	for (unsigned int i = 0; i < scope->nr_filters; i++)
		if (filter_check(scope->filters[i], err))
			return -1;
	return any || given->several ? 0 : given_filter_check_tasks(trace, given, err);
}
