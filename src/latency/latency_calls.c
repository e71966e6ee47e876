/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_calls - calls of function_graph: instances from the tree of calls, after the pass over
 * other records.
 */
#include <stdlib.h>

#include "src/calls/call_text.h"
#include "src/latency/latency_private.h"
#include "src/trace/trace_streams.h"

#define MAX_CALLS	200000u		/* in the tree */

/* --- calls ------------------------------------------------------------------------------------ */

static int64_t ts_of(const struct latency *l, uint16_t stream, uint64_t raw)
{
	return trace_clock_ts(&trace_stream_at(l->trace, stream)->clock, raw);
}

static void see_task(void *arg, const struct call_task *task)
{
	struct latency *l = arg;

	l->call_pid = task->pid;
	if (l->others)
		l->others->task(l->others->arg, task);
}

/* The call is in progress at the end of the trace. */
static bool is_open(const struct call *call)
{
	return call->kind == CALL_UNCLOSED && call->exit_ts == UINT64_MAX && !call->inferred;
}

static void see_call(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct latency *l = arg;
	uint16_t stream = call_is_timed(call) ? call->stream_out : call->stream_in;
	struct latency_instance i = {
		.from = call->entry, .to = call->exit, .pid = (uint32_t)l->call_pid,
		.label = call_tree_function(l->tree, call->func),
		.cpu = (uint16_t)trace_stream_at(l->trace, stream)->cpu,
	};

	if (l->others)
		l->others->leave(l->others->arg, call, figures);
	if (!call->wanted || !(call_is_timed(call) || is_open(call)))
		return;
	if (!call_is_timed(call)) {
		i.start = ts_of(l, stream, call->entry_ts);
		if (latency_has_exited(l->calls_of, i.pid, i.start))
			return;
		i.end = l->last_ts;
		i.to = TRACE_REF_NONE;
		i.flags = LATENCY_OPEN;
	} else {
		i.start = call_text_start_in(l->trace, l->local, call);
		i.end = ts_of(l, stream, l->local ? call->end : call->exit_ts);
		i.gap_cut = call_text_gap_cut_in(l->local, call, i.start, i.end);
	}
	if (call->level != GRAPH_TASK && call_tree_interrupts(l->tree, call))
		i.flags |= LATENCY_IN_INTERRUPT;
	if (!l->call_pid && call->level == GRAPH_TASK)
		i.flags |= LATENCY_CHOSEN;
	if (figures->doubtful) {
		i.flags |= LATENCY_DOUBTFUL | LATENCY_EXACT |
			   (i.start < l->first_ts ? LATENCY_EARLY : 0);
	} else if (call_is_timed(call)) {
		bool has_net = l->has_net && !figures->no_net;

		i.flags |= (figures->leaf ? LATENCY_LEAF :
			    call->lone    ? 0 :
					    LATENCY_NO_LEAF) |
			   (has_net ? LATENCY_HAS_VALUE : 0);
		i.value = has_net ? (int64_t)figures->net : 0;
	}
	latency_count(l, &l->lists[LATENCY_CALL], &i);
}

static void see_late(void *arg, uint32_t func, uint64_t duration, uint64_t net)
{
	const struct latency *l = arg;

	if (l->others)
		l->others->late_outer(l->others->arg, func, duration, net);
}

/* --- the job ---------------------------------------------------------------------------------- */

static struct call_tree *begin_buffer(void *arg, unsigned int buffer)
{
	struct latency *l = arg;
	struct call_tree_options options = {
		.local_clock = graph_knows_away(l->trace, l->options.what.file, buffer),
		.either = true, .max_calls = MAX_CALLS, .visitor = &l->visitor,
	};
	struct call_tree *tree = call_tree_new(&options);

	l->local = graph_clock_is_local(l->trace, l->options.what.file, buffer);
	l->calls_of = l->passes[buffer];
	l->first_ts = sched_rules_first(sched_pass_rules(l->calls_of));
	l->has_net = l->local && sched_pass_totals(l->calls_of).switches;
	l->tree = tree;
	if (l->options.calls)
		l->others = l->options.calls->begin(l->options.calls->arg);
	return tree;
}

static void end_buffer(void *arg, const struct graph_reader *reader)
{
	struct latency *l = arg;

	l->lacks_irqs = l->has_net && !call_tree_has_irqs(l->tree);
	if (l->options.calls)
		l->options.calls->end(l->options.calls->arg, l->tree, reader);
}

static void pause_calls(void *arg)
{
	struct latency *l = arg;

	if (atomic_load(&l->job.wanted))
		latency_publish(l, false);
}

static void finish(void *arg)
{
	latency_publish(arg, true);
}

bool latency_has_calls(const struct latency *l)
{
	return (l->options.only < 0 || l->options.only == LATENCY_CALL) &&
	       atomic_load(&l->ends->has_calls);
}

bool latency_calls_start(struct latency *l)
{
	static const struct call_job_ops ops = {
		.begin = begin_buffer, .end = end_buffer, .pause = pause_calls, .finish = finish,
	};

	l->types = graph_types_new(l->trace, l->options.what.file);
	if (!l->types)
		return false;
	for (unsigned int i = 0; i < l->options.what.nr_filters && i < GRAPH_FILTERS; i++)
		l->scope.filters[l->scope.nr_filters++] = l->options.what.filters[i];
	l->visitor = (struct call_visitor){ .task = see_task, .leave = see_call,
					    .late_outer = see_late, .arg = l };
	l->calls = call_job_new(trace_workers(l->trace), &ops, l);
	call_job_add_file(l->calls, l->trace, l->types, l->options.what.file,
			  l->scope.nr_filters ? &l->scope : NULL);
	if (!l->before) {
		comm_table_settle(l->comms);
	} else { /* more is added to that */
		if (!l->before->past)
			l->before->past = call_past_new(l->trace, l->options.what.file, MAX_CALLS);
		call_job_follow(l->calls, l->before->past, l->options.what.range.from);
	}
	call_job_start(l->calls);
	return true;
}

void latency_calls_finish(struct latency *l)
{
	call_job_free(l->calls);
	graph_types_free(l->types);
	call_past_free(l->past);
}
