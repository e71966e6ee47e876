/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_facts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/calls/call_job.h"
#include "src/calls/graph_records.h"
#include "src/filter/derived_values.h"
#include "src/trace/trace_streams.h"

#define SPANS_PER_LOOK	8192u		/* between two looks at their memory */

/* The functions of an `under` that the pass makes. */
struct under {
	struct derived_value *value;	/* borrowed */
	uint8_t		*is_one;	/* owned, [cap] by function: 0 = unknown, 1 = no, 2 = yes */
	uint32_t	 cap;
	struct time_spans *spans;	/* the value's spans for the buffer being read */
	unsigned int	 nr;		/* spans added */
};

struct call_facts {
	struct trace	*trace;
	unsigned int	 file;
	struct graph_types *types;	/* owned; NULL: no calls */
	struct derived_values values;	/* by enum call_figure */
	atomic_bool	 ready;
	struct call_job	*job;		/* owned; NULL: none was started, or it was stopped */
	/* Owned by the worker while it runs */
	unsigned int	 buffer;	/* being read */
	struct call_tree *tree;		/* borrowed: of that buffer */
	struct call_visitor visitor;
	const struct call_task *task;	/* the task whose calls are being visited */
	struct under	*unders;	/* owned, [nr_unders] */
	unsigned int	 nr_unders, cap_unders;
};

/* --- calls of functions ---------------------------------------------------------------------- */

static bool is_one(struct under *u, const struct call_tree *tree, uint32_t func)
{
	mem_reach(&u->is_one, &u->cap, func);
	if (!u->is_one[func])
		u->is_one[func] = 1 + filter_set_has(&u->value->functions,
						     call_tree_function(tree, func));
	return u->is_one[func] == 2;
}

static void add_span(struct call_facts *facts, const struct call *call)
{
	const struct call_task *task = facts->task;
	int cpu = trace_stream_at(facts->trace, task->stream)->cpu;
	uint64_t key = trace_task_key(task->pid, (unsigned int)cpu);
	int64_t from, to = INT64_MAX;

	if (call->kind == CALL_ORPHAN)
		from = trace_stream_ts(facts->trace, call->stream_out, call->exit_ts) -
		       (int64_t)call_duration(call);
	else
		from = trace_stream_ts(facts->trace, call->stream_in, call->entry_ts);
	if (call->exit_ts != UINT64_MAX)
		to = trace_stream_ts(facts->trace, call->stream_out, call->exit_ts);
	for (unsigned int i = 0; i < facts->nr_unders && from <= to; i++) {
		struct under *u = &facts->unders[i];

		if (u->value->full || !is_one(u, facts->tree, call->func))
			continue;
		time_spans_add(u->spans, key, from, to);
		if (++u->nr % SPANS_PER_LOOK == 0)
			derived_value_look(u->value, &facts->values);
	}
}

static void begin_unders(struct call_facts *facts)
{
	for (struct derived_value *v = facts->values.first; v; v = v->next) {
		if (!v->building || v->number != CALL_UNDER)
			continue;
		mem_grow(&facts->unders, facts->nr_unders, &facts->cap_unders);
		facts->unders[facts->nr_unders++] =
			(struct under){ .value = v, .spans = derived_value_add_spans(v) };
	}
}

static void end_unders(struct call_facts *facts)
{
	for (unsigned int i = 0; i < facts->nr_unders; i++)
		free(facts->unders[i].is_one);
	free(facts->unders);
	facts->unders = NULL;
	facts->nr_unders = facts->cap_unders = 0;
}

/* --- the pass -------------------------------------------------------------------------------- */

static void see_task(void *arg, const struct call_task *task)
{
	struct call_facts *facts = arg;

	facts->task = task;
}

static void see_call(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct call_facts *facts = arg;

	/* The end of a call of the tracer `function` is not recorded. */
	if (!call_is_call(call) || call->inferred)
		return;
	if (call_is_timed(call) && (int64_t)figures->duration >= 0 && !figures->doubtful) {
		derived_values_add(&facts->values, CALL_SELF, call->exit, (int64_t)figures->self);
		if (!figures->no_net)
			derived_values_add(&facts->values, CALL_NET, call->exit,
					   (int64_t)figures->net);
	}
	add_span(facts, call);
}

static struct call_tree *begin_buffer(void *arg, unsigned int buffer)
{
	struct call_facts *facts = arg;
	struct call_tree_options options = { .visitor = &facts->visitor };

	options.local_clock = graph_knows_away(facts->trace, facts->file, buffer);
	facts->buffer = buffer;
	facts->tree = call_tree_new(&options);
	begin_unders(facts);
	return facts->tree;
}

/* Net exists where time off the CPU is known, which only a later switch may have told. */
static void end_buffer(void *arg, const struct graph_reader *reader)
{
	struct call_facts *facts = arg;

	(void)reader;
	if (!call_tree_has_away(facts->tree))
		derived_values_drop(&facts->values, CALL_NET, facts->file, facts->buffer);
	end_unders(facts);
}

static void finish(void *arg)
{
	struct call_facts *facts = arg;

	derived_values_end(&facts->values);
	mem_trim();
	atomic_store_explicit(&facts->ready, true, memory_order_release);
	trace_news(facts->trace);
}

static const struct call_job_ops ops = {
	.begin = begin_buffer, .end = end_buffer, .finish = finish,
};

/* --- the main thread ---------------------------------------------------------------------- */

struct call_facts *call_facts_new(struct trace *trace, unsigned int file)
{
	struct call_facts *facts = mem_alloc(sizeof(*facts));

	facts->trace = trace;
	facts->file = file;
	facts->types = graph_types_new(trace, file);
	facts->visitor = (struct call_visitor){ .task = see_task, .leave = see_call, .arg = facts };
	derived_values_init(&facts->values, trace);
	atomic_store(&facts->ready, true);
	return facts;
}

/* Discard what the worker has not finished. */
static void stop(void *arg)
{
	struct call_facts *facts = arg;

	call_job_free(facts->job);
	facts->job = NULL;
	end_unders(facts);
	derived_values_stop(&facts->values);
	atomic_store(&facts->ready, true);
}

void call_facts_free(struct call_facts *facts)
{
	if (!facts)
		return;
	stop(facts);
	derived_values_fini(&facts->values);
	graph_types_free(facts->types);
	free(facts);
}

struct derived_value *call_facts_want(struct call_facts *facts, unsigned int figure,
				      const struct filter_set *functions)
{
	return derived_values_want(&facts->values, figure, functions);
}

void call_facts_start(struct call_facts *facts)
{
	unsigned int buffer;

	if (!derived_values_missing(&facts->values))
		return;
	stop(facts);
	if (!derived_values_begin(&facts->values))
		return;
	atomic_store(&facts->ready, false);
	facts->job = call_job_new(trace_workers(facts->trace), &ops, facts);
	if (!trace_status(facts->trace).complete ||
	    graph_has_calls(facts->trace, facts->file, &buffer))
		call_job_add_file(facts->job, facts->trace, facts->types, facts->file, NULL);
	call_job_start(facts->job);
}

void call_facts_wait(struct call_facts *facts)
{
	call_job_wait(facts->job);
}

bool call_facts_ready(const struct call_facts *facts)
{
	return atomic_load_explicit(&facts->ready, memory_order_acquire);
}

/* --- with a trace ----------------------------------------------------------------------------- */

static const char kept_key;

static void free_kept(void *facts)
{
	call_facts_free(facts);
}

static const struct trace_keeper keeper = { stop, free_kept };

struct call_facts *call_facts_keep(struct trace *trace, unsigned int file)
{
	struct call_facts *facts = trace_kept(trace, file, &kept_key);

	if (!facts) {
		facts = call_facts_new(trace, file);
		trace_keep(trace, file, &kept_key, facts, &keeper);
	}
	return facts;
}
