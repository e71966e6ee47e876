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
#include "src/calls/function_table_private.h"
#include "src/base/memory.h"
#include "src/trace/trace_private.h"
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
	/* the worker's, while it runs */
	struct graph_reader **readers;	/* owned, [nr_buffers] */
	unsigned int	 nr_buffers, buffer;
	struct call_tree *tree;		/* owned; NULL: of the next buffer there is none yet */
	struct call_visitor visitor;
	const struct call_task *task;	/* whose calls come */
	struct call_under *under;	/* owned: of the buffer's calls; or NULL */
	bool		 ends;		/* the buffer has no more calls */
	bool		 goes_back;	/* a stream's clock does */
	struct graph_record *records;	/* owned, [CALL_SLICE_RECORDS] */
};

static void see_task(void *arg, const struct call_task *task)
{
	struct call_facts *facts = arg;

	facts->task = task;
}

static void add_figures(struct call_facts *facts, const struct call *call, const struct call_figures *figures)
{
	int64_t duration = (int64_t)figures->duration;
	struct filter_told told = { .known = 0 };

	if (duration < 0)
		return;
	if (facts->sets.computes && call->start <= call->end) {
		filter_told_set(&told, CALL_SELF, (int64_t)figures->self);
		filter_told_set(&told, CALL_NET, (int64_t)figures->net);
		value_sets_tell_all(&facts->sets, call->exit, &told);
	}
	value_sets_tell_beside(&facts->sets, CALL_SELF, call->exit, (int64_t)figures->self, duration);
	value_sets_tell_beside(&facts->sets, CALL_NET, call->exit, (int64_t)figures->net, duration);
}

static void see_call(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct call_facts *facts = arg;

	/* When a call of the tracer `function` ended nobody knows. */
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
	struct call_tree_options options = { .local_clock = function_knows_away(facts->trace, facts->file, facts->buffer),
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
		struct graph_reader_options options = { .switches = function_knows_away(facts->trace, facts->file, i) };

		facts->readers[i] = graph_reader_new(facts->trace, facts->types, facts->file, i, &options);
	}
	facts->buffer = 0;
}

static bool has_failed(const struct call_facts *facts)
{
	return facts->under && call_under_failed(facts->under);
}

/* A stream's clock goes back. */
static void begin_again(struct call_facts *facts)
{
	facts->goes_back = true;
	free_buffer(facts);
	for (unsigned int i = 0; i < facts->nr_buffers; i++)
		graph_reader_free(facts->readers[i]);
	value_sets_restart(&facts->sets);
	open_readers(facts);
}

/* A slice, then behind the jobs of others. */
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
		workers_add(facts->trace->workers, &facts->group, WORKER_BACKGROUND, run, facts);
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
		workers_add(facts->trace->workers, &facts->group, WORKER_REQUESTED, run, facts);
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
	facts->sets.nr_streams = trace->nr_streams;
	atomic_store(&facts->ready, true);
	return facts;
}

/* What the worker has not finished is not kept. */
static void stop(struct call_facts *facts)
{
	workers_cancel(&facts->group);
	workers_wait(facts->trace->workers, &facts->group);
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

struct value_set *call_facts_want_among(struct call_facts *facts, enum call_figure figure, const struct filter_set *numbers,
					bool negate)
{
	return value_sets_want(&facts->sets, figure, numbers, negate);
}

struct value_set *call_facts_want_computed(struct call_facts *facts, struct filter *asks)
{
	return value_sets_want_computed(&facts->sets, asks);
}

struct value_set *call_facts_want_under_beside(struct call_facts *facts, const struct filter_set *functions, struct filter *asks)
{
	return value_sets_want_beside(&facts->sets, CALL_UNDER, functions, asks);
}

struct value_set *call_facts_want_under(struct call_facts *facts, const struct filter_set *functions)
{
	return value_sets_want(&facts->sets, CALL_UNDER, functions, false);
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
	workers_add(facts->trace->workers, &facts->group, WORKER_REQUESTED, run, facts);
}

void call_facts_wait(struct call_facts *facts)
{
	workers_wait(facts->trace->workers, &facts->group);
}

bool call_facts_ready(const struct call_facts *facts)
{
	return atomic_load_explicit(&facts->ready, memory_order_acquire);
}

/* --- with a trace ----------------------------------------------------------------------------- */

static void free_kept(void *facts)
{
	call_facts_free(facts);
}

struct call_facts *call_facts_of(struct trace *trace, unsigned int file)
{
	return trace->sources[file].kept[TRACE_KEPT_CALL_FACTS].data;
}

struct call_facts *call_facts_keep(struct trace *trace, unsigned int file)
{
	if (!call_facts_of(trace, file))
		trace->sources[file].kept[TRACE_KEPT_CALL_FACTS] =
			(struct trace_kept){ call_facts_new(trace, file), free_kept };
	return call_facts_of(trace, file);
}
