/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/call_facts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parsers/trace_file.h"
#include "src/call_tree.h"
#include "src/filter_program.h"
#include "src/function_table_private.h"
#include "src/memory.h"
#include "src/trace_private.h"

#define BATCH		1024u
#define SLICE_NS	10000000
#define FIRST_SLOTS	4096u
#define MAX_SIDES	64u		/* numbers; beyond that all figures are held */

/* --- figures by the record of an exit --------------------------------------------- */

struct figure {
	uint64_t	key;		/* 0: unused */
	uint64_t	self, net;
};

struct figures {
	struct figure	*slots;		/* owned, [size], a power of two */
	uint32_t	 nr, size;
};

/* Two ends in one stream with the same times and depth are calls that took no time, or the same record. */
static uint64_t key_of(unsigned int stream, uint64_t call, uint64_t ret, int32_t depth)
{
	uint64_t h = (call ^ (uint64_t)stream << 48) * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 29 ^ ret) * 0xbf58476d1ce4e5b9ull;
	h = (h ^ h >> 32 ^ (uint32_t)depth) * 0x94d049bb133111ebull;
	h ^= h >> 31;
	return h ? h : 1;
}

static struct figure *slot_of(const struct figures *f, uint64_t key)
{
	uint32_t at = (uint32_t)key & (f->size - 1);

	while (f->slots[at].key && f->slots[at].key != key)
		at = (at + 1) & (f->size - 1);
	return &f->slots[at];
}

static void grow_figures(struct figures *f)
{
	struct figures old = *f;

	f->size = old.size ? old.size * 2 : FIRST_SLOTS;
	f->slots = mem_array(f->size, sizeof(*f->slots));
	for (uint32_t i = 0; i < old.size; i++)
		if (old.slots[i].key)
			*slot_of(f, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

static bool add_figure(struct figures *f, uint64_t key, uint64_t self, uint64_t net)
{
	struct figure *slot;

	if (f->nr >= CALL_FACTS_MAX)
		return false;
	if (f->nr * 4ull >= f->size * 3ull)
		grow_figures(f);
	slot = slot_of(f, key);
	f->nr += !slot->key;
	if (!slot->key)
		*slot = (struct figure){ key, self, net };
	return true;
}

/* --- times within calls ------------------------------------------------------------- */

struct within {
	uint64_t	task;
	int64_t		from, to;	/* both included */
};

struct call_under {
	struct call_under *next;
	struct filter_set functions;	/* a copy */
	uint8_t		*is_one;	/* owned, [cap_numbers] by the tree's number of a function: 0 not looked up yet, 1 no, 2 yes */
	uint32_t	 cap_numbers;
	struct within	*times;		/* owned, [nr]; once done, ascending and apart from each other */
	unsigned int	 nr, cap;
	bool		 building;
	atomic_bool	 done;
};

static uint64_t task_key(int32_t pid, int cpu)
{
	return pid ? (uint32_t)pid : 1ull << 32 | (uint32_t)cpu;
}

static int compare_within(const void *a, const void *b)
{
	const struct within *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void join_times(struct call_under *u)
{
	unsigned int nr = 0;

	if (u->nr)
		qsort(u->times, u->nr, sizeof(*u->times), compare_within);
	for (unsigned int i = 0; i < u->nr; i++) {
		struct within *last = nr ? &u->times[nr - 1] : NULL;

		if (last && last->task == u->times[i].task && u->times[i].from <= last->to)
			last->to = u->times[i].to > last->to ? u->times[i].to : last->to;
		else
			u->times[nr++] = u->times[i];
	}
	u->nr = nr;
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

bool call_under_has(const struct call_under *u, int32_t pid, int cpu, int64_t ts)
{
	uint64_t task = task_key(pid, cpu);
	unsigned int low = 0, high;

	if (!atomic_load_explicit(&u->done, memory_order_acquire))
		return false;
	high = u->nr;
	while (low < high) {
		unsigned int mid = low + (high - low) / 2;
		const struct within *w = &u->times[mid];

		if (w->task < task || (w->task == task && w->to < ts))
			low = mid + 1;
		else
			high = mid;
	}
	return low < u->nr && u->times[low].task == task && u->times[low].from <= ts;
}

/* --- the pass -------------------------------------------------------------------------- */

struct call_facts {
	struct trace	*trace;
	unsigned int	 file;
	struct graph_types *types;	/* owned; NULL: no calls */
	struct worker_group group;
	unsigned int	 generation;	/* of the group */
	bool		 wants_figures, wants_all;
	uint64_t	 sides[MAX_SIDES];	/* if not all are wanted: these are told from each other, [nr_sides] */
	unsigned int	 nr_sides;
	struct figures	 figures;
	struct call_under *unders;	/* owned, chain */
	atomic_bool	 ready, figures_done, full;
	/* the worker's, while it runs */
	bool		 makes_figures;
	struct graph_reader **readers;	/* owned, [nr_buffers] */
	unsigned int	 nr_buffers, buffer;
	struct call_tree *tree;		/* owned; NULL: of the next buffer there is none yet */
	struct call_visitor visitor;
	uint64_t	 task;		/* whose calls come */
	struct graph_record *records;	/* owned, [BATCH] */
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
	struct within w = { .task = facts->task, .to = INT64_MAX };

	if (u->nr >= CALL_FACTS_MAX) {
		join_times(u);
		if (u->nr >= CALL_FACTS_MAX / 2) {
			atomic_store(&facts->full, true);
			return;
		}
	}
	if (call->kind == CALL_ORPHAN)
		w.from = time_of(facts, call->stream_out, call->exit_ts) - (int64_t)call_duration(call);
	else
		w.from = time_of(facts, call->stream_in, call->entry_ts);
	if (call->exit_ts != UINT64_MAX)
		w.to = time_of(facts, call->stream_out, call->exit_ts);
	mem_grow(&u->times, u->nr, &u->cap);
	u->times[u->nr++] = w;
}

/* Would the duration do in place of a figure? */
static bool is_other_side(const struct call_facts *facts, uint64_t figure, uint64_t duration)
{
	if (facts->wants_all || figure > INT64_MAX || duration > INT64_MAX)
		return figure != duration;
	for (unsigned int i = 0; i < facts->nr_sides; i++)
		if ((figure < facts->sides[i]) != (duration < facts->sides[i]))
			return true;
	return false;
}

static void see_call(void *arg, const struct call *call, const struct call_figures *figures)
{
	struct call_facts *facts = arg;

	/* When a call of the tracer `function` ended nobody knows. */
	if (!call_is_call(call) || call->inferred)
		return;
	if (facts->makes_figures && call_is_timed(call) &&
	    (is_other_side(facts, figures->self, figures->duration) || is_other_side(facts, figures->net, figures->duration)) &&
	    !add_figure(&facts->figures, key_of(call->stream_out, call->start, call->end, call->depth), figures->self, figures->net))
		atomic_store(&facts->full, true);
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

static void finish(struct call_facts *facts)
{
	for (struct call_under *u = facts->unders; u; u = u->next)
		if (u->building) {
			join_times(u);
			u->building = false;
			atomic_store_explicit(&u->done, true, memory_order_release);
		}
	if (facts->makes_figures)
		atomic_store_explicit(&facts->figures_done, true, memory_order_release);
	atomic_store_explicit(&facts->ready, true, memory_order_release);
	trace_news(facts->trace);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* A slice, then behind the jobs of others. */
static void run(void *arg, unsigned int worker, bool cancelled)
{
	struct call_facts *facts = arg;
	int64_t until = now_ns() + SLICE_NS;
	unsigned int nr;

	(void)worker;
	if (cancelled)
		return;
	if (facts->buffer == facts->nr_buffers) {
		finish(facts);
		return;
	}
	if (!facts->tree)
		begin_buffer(facts);
	do {
		nr = graph_reader_read(facts->readers[facts->buffer], facts->records, BATCH);
		for (unsigned int i = 0; i < nr; i++)
			call_tree_add(facts->tree, &facts->records[i]);
		if (workers_cancelled(&facts->group, facts->generation))
			return;
	} while (nr && now_ns() < until);
	if (!nr)
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
	atomic_store(&facts->ready, true);
	return facts;
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
			u->nr = 0;
			free(u->is_one);
			u->is_one = NULL;
			u->cap_numbers = 0;
		}
	if (facts->makes_figures && !atomic_load(&facts->figures_done)) {
		free(facts->figures.slots);
		facts->figures = (struct figures){ 0 };
	}
	facts->makes_figures = false;
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
		filter_set_fini(&u->functions);
		free(u->is_one);
		free(u->times);
		free(u);
	}
	free(facts->figures.slots);
	graph_types_free(facts->types);
	free(facts);
}

/* What is held is not enough. */
static void want_more_figures(struct call_facts *facts)
{
	stop(facts);
	facts->wants_figures = true;
	free(facts->figures.slots);
	facts->figures = (struct figures){ 0 };
	atomic_store(&facts->figures_done, false);
}

void call_facts_want_figures(struct call_facts *facts)
{
	if (facts->wants_all)
		return;
	want_more_figures(facts);
	facts->wants_all = true;
}

void call_facts_want_side(struct call_facts *facts, uint64_t number)
{
	if (facts->wants_all)
		return;
	for (unsigned int i = 0; i < facts->nr_sides; i++)
		if (facts->sides[i] == number)
			return;
	want_more_figures(facts);
	if (facts->nr_sides == MAX_SIDES)
		facts->wants_all = true;
	else
		facts->sides[facts->nr_sides++] = number;
}

static bool same_set(const struct filter_set *a, const struct filter_set *b)
{
	return a->nr == b->nr && !memcmp(a->lo, b->lo, a->nr * sizeof(*a->lo)) && !memcmp(a->hi, b->hi, a->nr * sizeof(*a->hi));
}

const struct call_under *call_facts_want_under(struct call_facts *facts, const struct filter_set *functions)
{
	struct call_under *u;

	for (u = facts->unders; u; u = u->next)
		if (same_set(&u->functions, functions))
			return u;
	/* The worker goes along the chain.  It begins anew with call_facts_start(). */
	stop(facts);
	u = mem_alloc(sizeof(*u));
	for (unsigned int i = 0; i < functions->nr; i++)
		filter_set_add(&u->functions, functions->lo[i], functions->hi[i]);
	filter_set_sort(&u->functions);
	u->next = facts->unders;
	facts->unders = u;
	return u;
}

void call_facts_start(struct call_facts *facts)
{
	unsigned int buffer;
	bool any = false;

	if (!call_facts_ready(facts))
		return;
	facts->makes_figures = facts->wants_figures && !atomic_load(&facts->figures_done);
	for (struct call_under *u = facts->unders; u; u = u->next) {
		u->building = !atomic_load(&u->done);
		any |= u->building;
	}
	if (!any && !facts->makes_figures)
		return;
	free_readers(facts);
	facts->buffer = 0;
	if (facts->types && !(trace_status(facts->trace).complete && !graph_has_calls(facts->trace, facts->file, &buffer)))
		facts->nr_buffers = trace_file_nr_buffers(trace_file_of(facts->trace, facts->file));
	facts->readers = mem_array(facts->nr_buffers + 1, sizeof(*facts->readers));
	facts->records = mem_array(BATCH, sizeof(*facts->records));
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

bool call_facts_full(const struct call_facts *facts)
{
	return atomic_load(&facts->full);
}

bool call_facts_figures(const struct call_facts *facts, unsigned int stream, uint64_t call, uint64_t ret, int32_t depth,
			uint64_t *self, uint64_t *net)
{
	const struct figure *f = NULL;

	if (!atomic_load_explicit(&facts->figures_done, memory_order_acquire) || ret < call)
		return false;
	*self = *net = ret - call;
	if (facts->figures.size)
		f = slot_of(&facts->figures, key_of(stream, call, ret, depth));
	if (f && f->key) {
		*self = f->self;
		*net = f->net;
	} else if (call_facts_full(facts)) {
		return false;
	}
	return true;
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
