/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_facts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parsers/file/trace_file.h"
#include "src/calls/call_slice.h"
#include "src/calls/call_under.h"
#include "src/filter/filter_program.h"
#include "src/calls/graph_records.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"
#include "src/filter/value_sets.h"

#define NAP_NS		1000000

/* --- the pass -------------------------------------------------------------------------- */

struct call_facts {
	struct trace	*trace;
	unsigned int	 file;
	struct graph_types *types;	/* owned; NULL: no calls */
	struct worker_group group;
	unsigned int	 generation;	/* of the group */
	struct value_sets sets;
	atomic_bool	 ready;
	/* Owned by the worker while it runs */
	struct graph_reader **readers;	/* owned, [nr_buffers] */
	unsigned int	 nr_buffers, buffer;
	struct call_tree *tree;		/* owned; NULL: the next buffer has not begun */
	struct call_visitor visitor;
	const struct call_task *task;	/* the task whose calls are being visited */
	struct call_under *under;	/* owned: for the buffer's calls; or NULL */
	bool		 ends;		/* the buffer has no more calls */
	bool		 goes_back;	/* the clock of a stream goes backwards */
	struct graph_record *records;	/* owned, [CALL_SLICE_RECORDS] */
};

static void see_task(void *arg, const struct call_task *task)
{
	struct call_facts *facts = arg;

	facts->task = task;
}

static void add_figures(struct call_facts *facts, const struct call *call, const struct call_figures *figures)
{
	struct filter_told told = { .known = 0 };

	if ((int64_t)figures->duration < 0)
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

static void free_buffer(struct call_facts *facts)
{
	call_tree_free(facts->tree);
	call_under_free(facts->under);
	facts->tree = NULL;
	facts->under = NULL;
	facts->ends = false;
}

static void begin_buffer(struct call_facts *facts)
{
	struct call_tree_options options = { .local_clock = graph_knows_away(facts->trace, facts->file, facts->buffer),
					     .visitor = &facts->visitor };

	facts->visitor = (struct call_visitor){ .task = see_task, .leave = see_call, .arg = facts };
	facts->tree = call_tree_new(&options);
	facts->under = call_under_new(facts->trace, facts->file, &facts->sets, CALL_UNDER, &facts->group, facts->generation,
				      facts->goes_back);
}

static void end_buffer(struct call_facts *facts)
{
	graph_reader_free(facts->readers[facts->buffer]);
	facts->readers[facts->buffer++] = NULL;
	free_buffer(facts);
}

static void free_readers(struct call_facts *facts)
{
	for (unsigned int i = 0; i < facts->nr_buffers; i++)
		graph_reader_free(facts->readers[i]);
	free(facts->readers);
	free(facts->records);
	facts->readers = NULL;
	facts->records = NULL;
	facts->nr_buffers = 0;
}

static void finish(struct call_facts *facts)
{
	free_readers(facts);
	value_sets_end(&facts->sets);
	mem_trim();
	atomic_store_explicit(&facts->ready, true, memory_order_release);
	trace_news(facts->trace);
}

static void open_readers(struct call_facts *facts)
{
	for (unsigned int i = 0; i < facts->nr_buffers; i++) {
		struct graph_reader_options options = { .switches = graph_knows_away(facts->trace, facts->file, i) };

		facts->readers[i] = graph_reader_new(facts->trace, facts->types, facts->file, i, &options);
	}
	facts->buffer = 0;
}

static bool has_failed(const struct call_facts *facts)
{
	return facts->under && call_under_failed(facts->under);
}

/* A stream's clock goes backwards: start over. */
static void begin_again(struct call_facts *facts)
{
	facts->goes_back = true;
	free_buffer(facts);
	for (unsigned int i = 0; i < facts->nr_buffers; i++)
		graph_reader_free(facts->readers[i]);
	value_sets_restart(&facts->sets);
	open_readers(facts);
}

/* Run for a slice, then queue again behind other jobs. */
static void run(void *arg, unsigned int worker, bool cancelled)
{
	struct call_facts *facts = arg;
	enum call_slice_end end;
	bool more;

	(void)worker;
	if (cancelled)
		return;
	if (!facts->tree && !value_sets_ready(&facts->sets)) {
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
		workers_add(trace_workers(facts->trace), &facts->group, WORKER_BACKGROUND, run, facts);
		return;
	}
	if (facts->buffer == facts->nr_buffers) {
		finish(facts);
		return;
	}
	if (!facts->tree)
		begin_buffer(facts);
	if (!facts->ends) {
		end = call_slice_run(facts->readers[facts->buffer], facts->tree, facts->records, &facts->group, facts->generation);
		if (end == CALL_SLICE_CANCELLED)
			return;
		facts->ends = end == CALL_SLICE_DONE;
		if (facts->ends)
			call_tree_end(facts->tree);
	}
	more = !facts->ends || (facts->under && call_under_end(facts->under));
	if (has_failed(facts))
		begin_again(facts);
	else if (!more)
		end_buffer(facts);
	if (!workers_cancelled(&facts->group, facts->generation))
		workers_add(trace_workers(facts->trace), &facts->group, WORKER_REQUESTED, run, facts);
}

/* --- the main thread ---------------------------------------------------------------------- */

struct call_facts *call_facts_new(struct trace *trace, unsigned int file)
{
	struct call_facts *facts = mem_alloc(sizeof(*facts));

	facts->trace = trace;
	facts->file = file;
	facts->types = graph_types_new(trace, file);
	facts->sets.trace = trace;
	facts->sets.file = file;
	facts->sets.nr_streams = trace_nr_streams(trace);
	atomic_store(&facts->ready, true);
	return facts;
}

/* Discard what the worker has not finished. */
static void stop(struct call_facts *facts)
{
	workers_cancel(&facts->group);
	workers_wait(trace_workers(facts->trace), &facts->group);
	facts->generation = atomic_load(&facts->group.generation);
	free_buffer(facts);
	free_readers(facts);
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
	unsigned int buffer;

	if (!value_sets_missing(&facts->sets))
		return;
	stop(facts);
	if (!value_sets_begin(&facts->sets))
		return;
	facts->goes_back = false;
	free_readers(facts);
	if (facts->types && !(trace_status(facts->trace).complete && !graph_has_calls(facts->trace, facts->file, &buffer)))
		facts->nr_buffers = trace_file_nr_buffers(trace_file_of(facts->trace, facts->file));
	facts->readers = mem_array(facts->nr_buffers + 1, sizeof(*facts->readers));
	facts->records = mem_array(CALL_SLICE_RECORDS, sizeof(*facts->records));
	open_readers(facts);
	atomic_store(&facts->ready, false);
	workers_add(trace_workers(facts->trace), &facts->group, WORKER_REQUESTED, run, facts);
}

void call_facts_wait(struct call_facts *facts)
{
	workers_wait(trace_workers(facts->trace), &facts->group);
}

bool call_facts_ready(const struct call_facts *facts)
{
	return atomic_load_explicit(&facts->ready, memory_order_acquire);
}

/* --- with a trace ----------------------------------------------------------------------------- */

static const char kept_key;

static void stop_kept(void *facts)
{
	stop(facts);
}

static void free_kept(void *facts)
{
	call_facts_free(facts);
}

static const struct trace_keeper keeper = { stop_kept, free_kept };

/* The facts stored with a trace; NULL if nothing was requested.  Any thread. */
static struct call_facts *kept_facts(struct trace *trace, unsigned int file)
{
	return trace_kept(trace, file, &kept_key);
}

struct call_facts *call_facts_keep(struct trace *trace, unsigned int file)
{
	struct call_facts *facts = kept_facts(trace, file);

	if (!facts) {
		facts = call_facts_new(trace, file);
		trace_keep(trace, file, &kept_key, facts, &keeper);
	}
	return facts;
}
