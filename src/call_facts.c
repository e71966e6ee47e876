/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/call_facts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parsers/trace_file.h"
#include "src/call_slice.h"
#include "src/filter_program.h"
#include "src/function_table_private.h"
#include "src/memory.h"
#include "src/time_spans.h"
#include "src/trace_private.h"
#include "src/value_sets.h"

#define NAP_NS		1000000

/* --- times within calls ------------------------------------------------------------- */

struct call_under {
	struct call_under *next;
	atomic_uint	 refs;
	struct filter_set functions;	/* a copy */
	uint8_t		*is_one;	/* owned, [cap_numbers] by the tree's number of a function: 0 not looked up yet, 1 no, 2 yes */
	uint32_t	 cap_numbers;
	struct time_spans *times;	/* owned; of one that is done, or building */
	bool		 building;
	atomic_bool	 done;
};

static uint64_t task_key(int32_t pid, int cpu)
{
	return pid ? (uint32_t)pid : 1ull << 32 | (uint32_t)cpu;
}

static void free_under(struct call_under *u)
{
	filter_set_fini(&u->functions);
	time_spans_free(u->times);
	free(u->is_one);
	free(u);
}

static bool is_one(struct call_under *u, const struct call_tree *tree, uint32_t func)
{
	uint32_t cap = u->cap_numbers ? u->cap_numbers : 256;

	while (cap <= func)
		cap *= 2;
	if (cap != u->cap_numbers) {
		u->is_one = mem_resize(u->is_one, cap, sizeof(*u->is_one));
		memset(u->is_one + u->cap_numbers, 0, cap - u->cap_numbers);
		u->cap_numbers = cap;
	}
	if (!u->is_one[func])
		u->is_one[func] = 1 + filter_set_has(&u->functions, call_tree_function(tree, func));
	return u->is_one[func] == 2;
}

bool call_under_done(const struct call_under *u)
{
	return atomic_load_explicit(&u->done, memory_order_acquire);
}

uint64_t call_under_bytes(const struct call_under *u)
{
	return sizeof(*u) + time_spans_bytes(u->times);
}

bool call_under_has(const struct call_under *u, int32_t pid, int cpu, int64_t ts)
{
	return call_under_done(u) && time_spans_has(u->times, task_key(pid, cpu), ts);
}

/* --- the pass -------------------------------------------------------------------------- */

struct call_facts {
	struct trace	*trace;
	unsigned int	 file;
	struct graph_types *types;	/* owned; NULL: no calls */
	struct worker_group group;
	unsigned int	 generation;	/* of the group */
	struct value_sets sets;
	struct call_under *unders, *new_unders;	/* owned, chains: the worker goes along the first one */
	atomic_bool	 ready;
	/* the worker's, while it runs */
	struct graph_reader **readers;	/* owned, [nr_buffers] */
	unsigned int	 nr_buffers, buffer;
	struct call_tree *tree;		/* owned; NULL: of the next buffer there is none yet */
	struct call_visitor visitor;
	uint64_t	 task;		/* whose calls come */
	struct graph_record *records;	/* owned, [CALL_SLICE_RECORDS] */
};

static void see_task(void *arg, const struct call_task *task)
{
	struct call_facts *facts = arg;

	facts->task = task_key(task->pid, facts->trace->streams[task->stream].cpu);
}

static int64_t time_of(const struct call_facts *facts, unsigned int stream, uint64_t raw)
{
	return trace_clock_file_ts(&facts->trace->streams[stream].clock, raw);
}

static void add_time(struct call_facts *facts, struct call_under *u, const struct call *call)
{
	int64_t from, to = INT64_MAX;

	if (call->kind == CALL_ORPHAN)
		from = time_of(facts, call->stream_out, call->exit_ts) - (int64_t)call_duration(call);
	else
		from = time_of(facts, call->stream_in, call->entry_ts);
	if (call->exit_ts != UINT64_MAX)
		to = time_of(facts, call->stream_out, call->exit_ts);
	if (from <= to)
		time_spans_add(u->times, facts->task, from, to);
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
	for (struct call_under *u = facts->unders; u; u = u->next)
		if (u->building && is_one(u, facts->tree, call->func))
			add_time(facts, u, call);
}

static void begin_buffer(struct call_facts *facts)
{
	struct call_tree_options options = { .local_clock = function_knows_away(facts->trace, facts->file, facts->buffer),
					     .visitor = &facts->visitor };

	facts->visitor = (struct call_visitor){ .task = see_task, .leave = see_call, .arg = facts };
	facts->tree = call_tree_new(&options);
}

static void end_buffer(struct call_facts *facts)
{
	call_tree_end(facts->tree);
	call_tree_free(facts->tree);
	facts->tree = NULL;
	graph_reader_free(facts->readers[facts->buffer]);
	facts->readers[facts->buffer++] = NULL;
	/* The next tree numbers functions anew. */
	for (struct call_under *u = facts->unders; u; u = u->next)
		if (u->building && u->cap_numbers)
			memset(u->is_one, 0, u->cap_numbers);
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
	for (struct call_under *u = facts->unders; u; u = u->next)
		if (u->building) {
			time_spans_end(u->times);
			u->building = false;
			free(u->is_one);
			u->is_one = NULL;
			u->cap_numbers = 0;
			atomic_store_explicit(&u->done, true, memory_order_release);
		}
	value_sets_end(&facts->sets);
	mem_trim();
	atomic_store_explicit(&facts->ready, true, memory_order_release);
	trace_news(facts->trace);
}

/* A slice, then behind the jobs of others. */
static void run(void *arg, unsigned int worker, bool cancelled)
{
	struct call_facts *facts = arg;
	enum call_slice_end end;

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
	end = call_slice_run(facts->readers[facts->buffer], facts->tree, facts->records, &facts->group, facts->generation);
	if (end == CALL_SLICE_CANCELLED)
		return;
	if (end == CALL_SLICE_DONE)
		end_buffer(facts);
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
	call_tree_free(facts->tree);
	facts->tree = NULL;
	free_readers(facts);
	for (struct call_under *u = facts->unders; u; u = u->next)
		if (u->building) {
			u->building = false;
			time_spans_free(u->times);
			u->times = NULL;
			free(u->is_one);
			u->is_one = NULL;
			u->cap_numbers = 0;
		}
	value_sets_stop(&facts->sets);
	atomic_store(&facts->ready, true);
}

void call_facts_free(struct call_facts *facts)
{
	struct call_under *next;

	if (!facts)
		return;
	stop(facts);
	for (struct call_under *u = facts->unders; u; u = next) {
		next = u->next;
		free_under(u);
	}
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

struct call_under *call_facts_want_under(struct call_facts *facts, const struct filter_set *functions)
{
	struct call_under *u;

	for (u = facts->unders; u; u = u->next)
		if (filter_set_same(&u->functions, functions))
			break;
	for (u = u ? u : facts->new_unders; u; u = u->next)
		if (filter_set_same(&u->functions, functions)) {
			atomic_fetch_add(&u->refs, 1);
			return u;
		}
	u = mem_alloc(sizeof(*u));
	atomic_store(&u->refs, 1);
	filter_set_copy(&u->functions, functions);
	u->next = facts->new_unders;
	facts->new_unders = u;
	return u;
}

void call_under_drop(struct call_under *u)
{
	atomic_fetch_sub(&u->refs, 1);
}

/* What was asked for since goes with the others; what nobody asks for any more goes away.  No worker is at it. */
static void sort_unders(struct call_facts *facts)
{
	struct call_under **at, *u;

	for (at = &facts->unders; *at;)
		at = &(*at)->next;
	*at = facts->new_unders;
	facts->new_unders = NULL;
	for (at = &facts->unders; (u = *at);) {
		if (atomic_load(&u->refs)) {
			at = &u->next;
			continue;
		}
		*at = u->next;
		free_under(u);
	}
}

/* Is anything asked for that is neither known nor made? */
static bool is_missing(const struct call_facts *facts)
{
	for (const struct call_under *u = facts->new_unders; u; u = u->next)
		if (atomic_load(&u->refs))
			return true;
	return value_sets_missing(&facts->sets);
}

void call_facts_start(struct call_facts *facts)
{
	unsigned int buffer;
	bool any = false;

	if (!is_missing(facts))
		return;
	stop(facts);
	sort_unders(facts);
	for (struct call_under *u = facts->unders; u; u = u->next) {
		u->building = !atomic_load(&u->done);
		if (u->building)
			u->times = time_spans_new();
		any |= u->building;
	}
	any |= value_sets_begin(&facts->sets);
	if (!any)
		return;
	free_readers(facts);
	facts->buffer = 0;
	if (facts->types && !(trace_status(facts->trace).complete && !graph_has_calls(facts->trace, facts->file, &buffer)))
		facts->nr_buffers = trace_file_nr_buffers(trace_file_of(facts->trace, facts->file));
	facts->readers = mem_array(facts->nr_buffers + 1, sizeof(*facts->readers));
	facts->records = mem_array(CALL_SLICE_RECORDS, sizeof(*facts->records));
	for (unsigned int i = 0; i < facts->nr_buffers; i++) {
		struct graph_reader_options options = { .switches = function_knows_away(facts->trace, facts->file, i) };

		facts->readers[i] = graph_reader_new(facts->trace, facts->types, facts->file, i, &options);
	}
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
