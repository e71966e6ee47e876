/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_tell.h"

#include "src/events/verdicts.h"
#include "src/match/given_filter.h"
#include "src/trace/time_option.h"
#include "src/trace/warnings.h"

static void tell_empty(const struct graph_scope *scope, struct trace *trace)
{
	if (time_option_tell_outside(trace, scope->has_from, scope->from, scope->has_to, scope->to))
		return;
	for (unsigned int i = 0; i < scope->nr_filters; i++)
		if (given_filter_tell_empty(trace, scope->filters[i], false))
			return;
	warnings_tell("no call is selected");
}

void call_tell(struct trace *trace, const struct graph_scope *scope, struct call_told told)
{
	if (told.any && graph_slow_alone(trace, 0))
		warnings_tell("%s", graph_slow_alone(trace, 0));
	if (!told.any && scope)
		tell_empty(scope, trace);
	else if (!told.any)
		warnings_tell(
			"the trace has no function calls (ftop-trace record -p function_graph); "
			"samples: ftop-trace stacks, slices of programs: ftop-trace graph");
	else if (told.inferred)
		warnings_tell(
			"calls of the tracer function: the tree is inferred from callers and stack traces; times were not recorded");
	else if (told.gap_cut)
		warnings_tell("%s", verdict_words(VERDICT_NOSLEEP, false));
	else if (!told.has_away)
		warnings_tell("%s; self contains time off the CPU", graph_net_needs(trace, 0));
	else if (!told.has_irqs && !scope)
		warnings_tell(GRAPH_NET_HAS_IRQS);
}
