/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_tree.h"

#include <stdlib.h>

#include "src/calls/call_tree_private.h"
#include "src/base/memory.h"

#define DEFAULT_CALLS	400000u		/* nodes held */
#define MAX_FUNCTIONS	(1u << 18)	/* more than any kernel has; a hostile file may have more */
#define MAX_TASKS	(1u << 15)	/* with a visitor, at a time; a bad file may have more */
#define SPARE_CALLS	16u		/* nodes that one record may need */

struct call_tree *call_tree_new(const struct call_tree_options *options)
{
	struct call_tree *tree = mem_alloc(sizeof(*tree));

	tree->options = *options;
	tree->max_calls = options->max_calls > SPARE_CALLS ? options->max_calls : DEFAULT_CALLS;
	tree->nr_calls = 1;
	call_tree_function_number(tree, UINT64_MAX);	/* CALL_FUNCTION_OTHERS */
	return tree;
}

static void free_task(struct call_task_state *task)
{
	free(task->frames);
	for (unsigned int i = 0; i <= GRAPH_NMI; i++)
		free(task->gaps[i].list);
	free(task->waiting);
	free(task);
}

void call_tree_free(struct call_tree *tree)
{
	if (!tree)
		return;
	for (unsigned int i = 0; i < tree->nr_tasks; i++)
		free_task(tree->tasks[i]);
	free(tree->tasks);
	index_map_fini(&tree->task_map);
	free(tree->calls);
	free(tree->irqs);
	free(tree->streams);
	free(tree->functions);
	free(tree->active);
	index_map_fini(&tree->function_map);
	free(tree->steps);
	free(tree->above);
	free(tree);
}

static struct call_task_state *copy_task(const struct call_task_state *from)
{
	struct call_task_state *task = mem_copy(from, 1, sizeof(*from));

	task->cap_frames = task->task.nr_open;
	task->cap_waiting = task->nr_waiting;
	task->frames = mem_copy(from->frames, task->cap_frames, sizeof(*task->frames));
	for (unsigned int i = 0; i <= GRAPH_NMI; i++) {
		struct call_gaps *gaps = &task->gaps[i];

		gaps->cap = gaps->nr;
		gaps->list = mem_copy(gaps->list, gaps->cap, sizeof(*gaps->list));
	}
	task->waiting = mem_copy(from->waiting, task->cap_waiting, sizeof(*task->waiting));
	return task;
}

void call_tree_follow(struct call_tree *tree, const struct call_tree *from)
{
	const struct call_tree former = *tree;

	*tree = *from;
	tree->options = former.options;
	tree->max_calls = former.max_calls;
	free(former.functions);
	free(former.active);
	free(former.function_map.slots);
	tree->cap_calls = from->calls ? from->nr_calls : 0;
	tree->calls = mem_copy(from->calls, tree->cap_calls, sizeof(*tree->calls));
	tree->irqs = mem_copy(from->irqs, tree->nr_irqs, sizeof(*tree->irqs));
	tree->cap_tasks = tree->nr_tasks;
	tree->tasks = mem_copy(from->tasks, tree->nr_tasks, sizeof(*tree->tasks));
	for (unsigned int i = 0; i < tree->nr_tasks; i++)
		tree->tasks[i] = copy_task(from->tasks[i]);
	tree->streams = mem_copy(from->streams, tree->nr_streams, sizeof(*tree->streams));
	for (unsigned int i = 0; i < tree->nr_streams; i++)
		tree->streams[i].task = NULL;
	tree->cap_functions = tree->nr_functions;
	tree->functions = mem_copy(from->functions, tree->nr_functions, sizeof(*tree->functions));
	tree->active = mem_copy(from->active, tree->nr_functions, sizeof(*tree->active));
	index_map_copy(&tree->task_map, &from->task_map);
	index_map_copy(&tree->function_map, &from->function_map);
	tree->steps = NULL;
	tree->above = NULL;
	tree->cap_steps = tree->cap_above = 0;
}

/* --- nodes --------------------------------------------------------------------- */

uint32_t call_tree_alloc(struct call_tree *tree)
{
	uint32_t number = tree->free_call;

	if (number) {
		tree->free_call = tree->calls[number].before;
	} else {
		mem_grow(&tree->calls, tree->nr_calls, &tree->cap_calls);
		number = tree->nr_calls++;
	}
	tree->nr_live++;
	tree->calls[number] = (struct call){ .entry = TRACE_REF_NONE, .exit = TRACE_REF_NONE };
	return number;
}

void call_tree_release(struct call_tree *tree, uint32_t number)
{
	tree->calls[number].before = tree->free_call;
	tree->free_call = number;
	tree->nr_live--;
}

bool call_tree_is_full(const struct call_tree *tree)
{
	return tree->full;
}

bool call_tree_has_away(const struct call_tree *tree)
{
	return tree->has_away;
}

bool call_tree_has_irqs(const struct call_tree *tree)
{
	return tree->has_irqs || tree->levels;
}

void call_tree_set_away(struct call_tree *tree)
{
	tree->has_away = true;
}

uint32_t call_tree_nr(const struct call_tree *tree)
{
	return tree->nr_live;
}

uint32_t call_tree_limit(const struct call_tree *tree)
{
	return tree->nr_calls;
}

bool call_tree_interrupts(const struct call_tree *tree, const struct call *call)
{
	while (call->level == GRAPH_SOFTIRQ && call->parent)
		call = call_at(tree, call->parent);
	return call->level != GRAPH_TASK;
}

/* --- functions ------------------------------------------------------------------- */

static uint32_t new_function(struct call_tree *tree, uint64_t address)
{
	uint32_t number = tree->nr_functions, cap = tree->cap_functions;

	if (number == MAX_FUNCTIONS)
		return CALL_FUNCTION_OTHERS;
	mem_grow(&tree->functions, number, &cap);
	if (cap != tree->cap_functions) {
		tree->active = mem_resize(tree->active, cap, sizeof(*tree->active));
		tree->cap_functions = cap;
	}
	tree->functions[number] = address;
	tree->active[number] = 0;
	index_map_add(&tree->function_map, index_map_hash(address), number);
	return tree->nr_functions++;
}

uint32_t call_tree_function_number(struct call_tree *tree, uint64_t address)
{
	index_map_each (&tree->function_map, index_map_hash(address), i)
		if (tree->functions[i] == address)
			return i;
	return new_function(tree, address);
}

uint64_t call_tree_function(const struct call_tree *tree, uint32_t number)
{
	return tree->functions[number];
}

/* --- tasks ------------------------------------------------------------------------ */

static inline uint32_t hash_task(const struct call_task *task)
{
	return index_map_hash(trace_task_key(task->pid, task->stream));
}

/* Free tasks without open calls; if these are few, free all tasks. */
static void forget_tasks(struct call_tree *tree)
{
	unsigned int open = 0, kept = 0;

	for (unsigned int i = 0; i < tree->nr_tasks; i++)
		open += tree->tasks[i]->task.nr_open != 0;
	for (unsigned int i = 0; i < tree->nr_tasks; i++) {
		struct call_task_state *task = tree->tasks[i];

		if (task->task.nr_open && open <= tree->nr_tasks / 2) {
			tree->tasks[kept++] = task;
			continue;
		}
		call_pair_end(tree, task);
		call_finish_roots(tree, task);
		tree->nr_gaps -= task->nr_gaps;
		free_task(task);
	}
	tree->nr_tasks = kept;
	index_map_clear(&tree->task_map);
	for (unsigned int i = 0; i < kept; i++)
		index_map_add(&tree->task_map, hash_task(&tree->tasks[i]->task), i);
	for (unsigned int i = 0; i < tree->nr_streams; i++)
		tree->streams[i].task = NULL;
}

static struct call_task_state *new_task(struct call_tree *tree, int32_t pid, uint16_t stream)
{
	struct call_task_state *task;

	if (tree->options.visitor && tree->nr_tasks >= MAX_TASKS)
		forget_tasks(tree);
	task = mem_alloc(sizeof(*task));
	task->task.pid = pid;
	task->task.stream = stream;
	task->losses = tree->losses;
	mem_grow(&tree->tasks, tree->nr_tasks, &tree->cap_tasks);
	index_map_add(&tree->task_map, hash_task(&task->task), tree->nr_tasks);
	tree->tasks[tree->nr_tasks++] = task;
	return task;
}

static struct call_task_state *find_task(struct call_tree *tree, int32_t pid, uint16_t stream)
{
	uint64_t key = trace_task_key(pid, stream);

	index_map_each (&tree->task_map, index_map_hash(key), i) {
		const struct call_task *task = &tree->tasks[i]->task;

		if (trace_task_key(task->pid, task->stream) == key)
			return tree->tasks[i];
	}
	return new_task(tree, pid, stream);
}

unsigned int call_tree_nr_tasks(const struct call_tree *tree)
{
	return tree->nr_tasks;
}

const struct call_task *call_tree_task(const struct call_tree *tree, unsigned int i)
{
	return &tree->tasks[i]->task;
}

const struct call *call_tree_call(const struct call_tree *tree, uint32_t number)
{
	return call_at(tree, number);
}

unsigned int call_tree_above(const struct call_tree *tree, const struct call *call)
{
	unsigned int nr = 0;

	for (; call->parent; call = call_tree_call(tree, call->parent))
		nr++;
	return nr;
}

unsigned int call_tree_children(const struct call_tree *tree, const struct call_task *task,
				uint32_t number, uint32_t **numbers, unsigned int *cap)
{
	uint32_t child = number ? call_at(tree, number)->last : task->last_root;
	unsigned int nr = 0;

	for (; child; child = call_at(tree, child)->before) {
		mem_grow(numbers, nr, cap);
		(*numbers)[nr++] = child;
	}
	for (unsigned int i = 0; i < nr / 2; i++) {
		uint32_t other = (*numbers)[i];

		(*numbers)[i] = (*numbers)[nr - 1 - i];
		(*numbers)[nr - 1 - i] = other;
	}
	return nr;
}

/* --- records ------------------------------------------------------------------------- */

static void add_gap(struct call_tree *tree, const struct graph_record *record)
{
	struct call_stream *stream = &tree->streams[record->stream];

	tree->losses++;
	if (record->call > stream->gap_start) {
		stream->former_end = stream->gap_end;
		stream->gap_start = record->call;
	}
	stream->gap_end = record->ret;
	if (record->ret > tree->gaps_end)
		tree->gaps_end = record->ret;
}

/* Does a gap begin before @to, and end after @from? */
static bool has_gap(const struct call_stream *stream, uint64_t from, uint64_t to)
{
	return (stream->gap_start < to ? stream->gap_end : stream->former_end) > from;
}

bool call_tree_has_gap(const struct call_tree *tree, const struct graph_record *exit)
{
	for (unsigned int i = 0; tree->losses && i < tree->nr_streams; i++)
		if (has_gap(&tree->streams[i], tree->options.local_clock ? exit->call : 0,
			    exit->ts))
			return true;
	return false;
}

/*
 * Events were lost since the task's last entry or exit: its records may be missing on any CPU,
 * unless its switches are recorded, the CPU of both records has no gap, and none is from the task.
 * An inferred call has no times, so only gaps of the CPUs of the two records count.
 */
static bool may_miss(const struct call_tree *tree, const struct call_task_state *task,
		     const struct graph_record *record)
{
	bool stayed = task->graph_stream == record->stream &&
		      (!task->task.pid || (task->switched && !task->left)),
	     anywhere = !stayed && !task->inferred;

	for (unsigned int i = 0; i < tree->nr_streams; i++)
		if ((i == record->stream || i == task->graph_stream || anywhere) &&
		    has_gap(&tree->streams[i], task->graph_ts, record->ts))
			return true;
	return false;
}

static __attribute__((noinline, cold)) void
check_gaps(struct call_tree *tree, struct call_task_state *task, const struct graph_record *record)
{
	task->losses = tree->losses;
	if (!task->task.records || !may_miss(tree, task, record))
		return;
	for (uint32_t f = 0; f < task->task.nr_open; f++)
		call_at(tree, task->frames[f].call)->doubtful = true;
	call_pair_lost(tree, task, record->ts);
}

static inline struct call_task_state *task_of(struct call_tree *tree,
					      const struct graph_record *record)
{
	struct call_stream *stream = &tree->streams[record->stream];

	if (record->kind == GRAPH_WOKEN && !record->pid)
		return NULL;		/* the idle task is never woken */
	if (__builtin_expect(stream->pid != record->pid || !stream->task, 0)) {
		stream->task = find_task(tree, record->pid, record->stream);
		stream->pid = record->pid;
	}
	return stream->task;
}

/* False: there is no room, and no visitor to let calls go to. */
static bool make_room(struct call_tree *tree)
{
	if (__builtin_expect(tree->nr_live + SPARE_CALLS < tree->max_calls, 1))
		return true;
	if (tree->options.visitor)
		call_fold(tree);
	else
		tree->full = true;
	return !tree->full;
}

void call_tree_add(struct call_tree *tree, const struct graph_record *record)
{
	struct call_task_state *task;

	if (__builtin_expect(record->stream >= tree->nr_streams, 0))
		mem_reach(&tree->streams, &tree->nr_streams, record->stream);
	if (__builtin_expect(graph_is_loss(record), 0)) {
		add_gap(tree, record);
		return;
	}
	if (!make_room(tree))
		return;
	task = task_of(tree, record);
	if (!task)
		return;
	/* a task that is woken, or switched to, was not running here before */
	if (record->kind != GRAPH_WOKEN)
		task->task.stream = record->stream;
	if (__builtin_expect(task->losses != tree->losses || task->graph_ts < tree->gaps_end, 0) &&
	    record->kind <= GRAPH_SLICE_END)
		check_gaps(tree, task, record);
	switch ((enum graph_kind)record->kind) {
	case GRAPH_ENTRY:
		call_pair_entry(tree, task, record);
		break;
	case GRAPH_EXIT:
		call_pair_exit(tree, task, record);
		break;
	case GRAPH_SLICE:
		call_pair_slice(tree, task, record);
		break;
	case GRAPH_SLICE_END:
		call_pair_slice_end(tree, task, record);
		break;
	case GRAPH_AWAY:
		call_away_leave(tree, task, record);
		break;
	case GRAPH_BACK:
		call_away_return(tree, task, record);
		break;
	case GRAPH_WOKEN:
		call_away_woken(task, record);
		break;
	case GRAPH_IRQ_BEGIN:
	case GRAPH_IRQ_END:
	case GRAPH_IRQ:
		call_away_irq(tree, task, record);
		break;
	case GRAPH_EVENT:
		call_pair_event(tree, task, record);
		break;
	case GRAPH_GAP:
	case GRAPH_LOST:
		break;
	}
}

void call_tree_end(struct call_tree *tree)
{
	for (unsigned int i = 0; i < tree->nr_tasks; i++) {
		call_pair_end(tree, tree->tasks[i]);
		if (tree->options.visitor)
			call_finish_roots(tree, tree->tasks[i]);
	}
}
