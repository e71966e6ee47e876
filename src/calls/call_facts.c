/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_facts.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/calls/call_job.h"
#include "src/calls/call_under.h"
#include "src/filter/filter_program.h"
#include "src/calls/graph_records.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"
#include "src/filter/value_sets.h"

/* --- the pass -------------------------------------------------------------------------- */

struct call_facts {
	struct trace	*trace;
	unsigned int	 file;
	struct graph_types *types;	/* owned; NULL: no calls */
	struct value_sets sets;
	atomic_bool	 ready;
	struct call_job	*job;		/* owned; NULL: none was started, or it was stopped */
	/* Owned by the worker while it runs */
	struct call_job	*again;		/* owned: second pass, if a clock goes back; or NULL */
	struct call_tree *tree;		/* borrowed: of the buffer being read */
	struct call_visitor visitor;
	const struct call_task *task;	/* the task whose calls are being visited */
	struct call_under *under;	/* owned: for the buffer's calls; or NULL */
	bool		 goes_back;	/* the clock of a stream goes backwards */
};

static void see_task(void *arg, const struct call_task *task)
{
	struct call_facts *facts = arg;

	facts->task = task;
}

static void add_figures(struct call_facts *facts, const struct call *call,
			const struct call_figures *figures)
{
	struct filter_told told = { .known = 0 };

	if ((int64_t)figures->duration < 0 || figures->doubtful)
		return;
	if (facts->sets.computes && call->start <= call->end) {
		filter_told_set(&told, CALL_SELF, (int64_t)figures->self);
		filter_told_set(&told, CALL_NET, (int64_t)figures->net);
		value_sets_tell_all(&facts->sets, call->exit, &told);
	}
	value_sets_tell(&facts->sets, CALL_SELF, call->exit, (int64_t)figures->self);
	value_sets_tell(&facts->sets, CALL_NET, call->exit, (int64_t)figures->net);
}

static void see_call(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct call_facts *facts = arg;

	/* The end of a call of the tracer `function` is not recorded. */
	if (!call_is_call(call) || call->inferred)
		return;
	if (call_is_timed(call))
		add_figures(facts, call, figures);
	if (facts->under)
		call_under_add(facts->under, facts->tree, facts->task, call);
}

static struct call_tree *begin_buffer(void *arg, unsigned int buffer)
{
	struct call_facts *facts = arg;
	struct call_tree_options options = { .visitor = &facts->visitor };

	if (!value_sets_ready(&facts->sets))
		return NULL;
	options.local_clock = graph_knows_away(facts->trace, facts->file, buffer);
	facts->tree = call_tree_new(&options);
	facts->under = call_under_new(facts->trace, facts->file, &facts->sets, CALL_UNDER,
				      facts->again ?: facts->job, facts->goes_back);
	return facts->tree;
}

static bool find_rest(void *arg)
{
	struct call_facts *facts = arg;

	return facts->under && call_under_end(facts->under);
}

static void end_buffer(void *arg, const struct graph_reader *reader)
{
	struct call_facts *facts = arg;

	(void)reader;
	facts->goes_back |= facts->under && call_under_failed(facts->under);
	call_under_free(facts->under);
	facts->under = NULL;
}

static void begin_pass(struct call_facts *facts, struct call_job **job);

static void finish(void *arg)
{
	struct call_facts *facts = arg;

	if (facts->goes_back && !facts->again) {
		value_sets_restart(&facts->sets);
		begin_pass(facts, &facts->again);
		return;
	}
	value_sets_end(&facts->sets);
	mem_trim();
	atomic_store_explicit(&facts->ready, true, memory_order_release);
	trace_news(facts->trace);
}

static const struct call_job_ops ops = {
	.begin = begin_buffer, .rest = find_rest, .end = end_buffer, .finish = finish,
};

static void begin_pass(struct call_facts *facts, struct call_job **job)
{
	unsigned int buffer;

	*job = call_job_new(trace_workers(facts->trace), &ops, facts);
	if (!trace_status(facts->trace).complete ||
	    graph_has_calls(facts->trace, facts->file, &buffer))
		call_job_add_file(*job, facts->trace, facts->types, facts->file, NULL);
	call_job_start(*job);
}

/* --- the main thread ---------------------------------------------------------------------- */

struct call_facts *call_facts_new(struct trace *trace, unsigned int file)
{
	struct call_facts *facts = mem_alloc(sizeof(*facts));

	facts->trace = trace;
	facts->file = file;
	facts->types = graph_types_new(trace, file);
	facts->visitor = (struct call_visitor){ .task = see_task, .leave = see_call, .arg = facts };
	facts->sets.trace = trace;
	facts->sets.file = file;
	facts->sets.nr_streams = trace_nr_streams(trace);
	atomic_store(&facts->ready, true);
	return facts;
}

/* Discard what the worker has not finished. */
static void stop(void *arg)
{
	struct call_facts *facts = arg;

	call_job_free(facts->job);
	call_job_free(facts->again);
	facts->job = facts->again = NULL;
	call_under_free(facts->under);
	facts->under = NULL;
	value_sets_stop(&facts->sets);
	atomic_store(&facts->ready, true);
}

void call_facts_free(struct call_facts *facts)
{
	if (!facts)
		return;
	stop(facts);
	value_sets_fini(&facts->sets);
	graph_types_free(facts->types);
	free(facts);
}

struct value_set *call_facts_want(struct call_facts *facts, const struct filter_question *question)
{
	return value_sets_want(&facts->sets, question);
}

void call_facts_start(struct call_facts *facts)
{
	if (!value_sets_missing(&facts->sets))
		return;
	stop(facts);
	if (!value_sets_begin(&facts->sets))
		return;
	facts->goes_back = false;
	atomic_store(&facts->ready, false);
	begin_pass(facts, &facts->job);
}

void call_facts_wait(struct call_facts *facts)
{
	call_job_wait(facts->job);
	call_job_wait(facts->again);
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
