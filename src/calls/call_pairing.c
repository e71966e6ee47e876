/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_pairing - pairs exits with entries, and places calls in the tree.
 *
 * Each open call of a task is deeper than the one that contains it; depths may have gaps.  A call
 * is added as the last child of the innermost open call.  In two cases this puts an interrupt in
 * the wrong place:
 *
 *   call ... irq ... record of the entry      the call adopts it: it came before as a sibling
 *   return ... irq ... record of the exit     it moves to the parent: it came as a child
 *
 * Open slices are the task's outermost open calls.  The program is in a call when it writes that a
 * slice begins or ends:
 *
 *   write() { begin }     the slice waits until no call is open, and has the time of the record
 *   write() { end }       the call moves to the slice's parent
 */
#include <string.h>

#include "src/calls/call_tree_private.h"
#include "src/base/memory.h"

/* More than the kernel's shadow stack can hold; deeper ones are invalid. */
#define MAX_OPEN	4096u
#define SURE_APART	10000u		/* ns: stamps of texts are less exact; */
#define LIKELY_APART	100000u		/* a return and its record are rarely so far apart */
#define MAX_SLICES	1024u		/* a bad program may not end them */
#define MAX_WAITING	8u		/* nested slices that the kernel wrote */

static inline struct call_frame *top_frame(struct call_task_state *task)
{
	return task->task.nr_open ? &task->frames[task->task.nr_open - 1] : NULL;
}

static inline uint32_t top_call(const struct call_task_state *task)
{
	return task->task.nr_open ? task->frames[task->task.nr_open - 1].call : CALL_NONE;
}

/* Append a node as the last child of a parent. */
static inline void append(struct call_tree *tree, struct call_task_state *task, uint32_t parent,
			  uint32_t number)
{
	uint32_t *last = call_last(tree, task, parent);
	struct call *call = call_at(tree, number);

	call->parent = parent;
	call->before = *last;
	*last = number;
}

/* Neither this call nor those before it can become a child of a later call. */
static inline bool ends_adoption(const struct call *call)
{
	return !call_is_timed(call) || call->depth <= 0;
}

static void begin_slices(struct call_tree *tree, struct call_task_state *task);

/* No call may be open any more: slices begin; with a visitor, roots are finished if final. */
static inline void let_roots_go(struct call_tree *tree, struct call_task_state *task)
{
	if (__builtin_expect(task->nr_waiting != 0, 0) && task->task.nr_open == task->nr_slices)
		begin_slices(tree, task);
	if (tree->options.visitor && !task->task.nr_open && task->task.last_root &&
	    ends_adoption(call_at(tree, task->task.last_root)))
		call_finish_roots(tree, task);
}

/* A call that is no longer open has no exit, as a record at @ts (raw) shows. */
static void unclose(struct call_tree *tree, struct call_task_state *task, struct call_frame frame,
		    uint64_t ts)
{
	call_at(tree, frame.call)->kind = CALL_UNCLOSED;
	call_at(tree, frame.call)->exit_ts = ts;
	if (__builtin_expect(frame.late_duration || frame.late_net, 0))
		call_pass_late(tree, task, &frame);
}

/* The innermost open call has none. */
static void leave_unclosed(struct call_tree *tree, struct call_task_state *task, uint64_t ts)
{
	unclose(tree, task, task->frames[--task->task.nr_open], ts);
}

/* All but slices. */
static void leave_calls(struct call_tree *tree, struct call_task_state *task, uint64_t ts)
{
	while (task->task.nr_open > task->nr_slices)
		leave_unclosed(tree, task, ts);
}

void call_pair_end(struct call_tree *tree, struct call_task_state *task)
{
	call_pair_lost(tree, task, UINT64_MAX);
	leave_calls(tree, task, UINT64_MAX);
}

static inline void push(struct call_task_state *task, uint32_t number, const struct call *call)
{
	mem_grow(&task->frames, task->task.nr_open, &task->cap_frames);
	task->frames[task->task.nr_open++] = (struct call_frame){ .call = number,
								  .func = call->func,
								  .depth = call->depth };
}

static inline void count_record(struct call_task_state *task, const struct graph_record *record)
{
	if (!task->task.records++)
		task->task.first_key = record->key;
	task->graph_ts = record->ts;
	task->graph_stream = record->stream;
	task->left = task->is_away;	/* functions go on after sched_switch */
}

/* Depths of function_graph and inferred ones do not mix.  False: the record has no place. */
static bool make_way(struct call_tree *tree, struct call_task_state *task, bool inferred)
{
	if (inferred && task->task.nr_open > task->nr_slices && !task->inferred)
		return false;
	if (!inferred)
		leave_calls(tree, task, UINT64_MAX);
	task->inferred = inferred;
	return true;
}

/* An open call that begins at @start. */
static uint32_t add_open(struct call_tree *tree, struct call_task_state *task,
			 const struct graph_record *record, int32_t depth, uint64_t start)
{
	uint32_t number = call_tree_alloc(tree);
	struct call *call = call_at(tree, number);

	call->kind = CALL_OPEN;
	call->func = call_tree_function_number(tree, record->func);
	call->depth = depth;
	call->level = record->level;
	call->wanted = record->wanted;
	call->start = call->end = start;
	call->entry_ts = record->ts;
	call->entry = record->ref;
	call->stream_in = call->stream_out = record->stream;
	call->inferred = record->inferred;
	if (__builtin_expect(record->inferred, 0))
		call->calls = record->calls;
	append(tree, task, top_call(task), number);
	push(task, number, call);
	return number;
}

void call_pair_entry(struct call_tree *tree, struct call_task_state *task,
		     const struct graph_record *record)
{
	if (__builtin_expect(record->inferred != task->inferred, 0) &&
	    !make_way(tree, task, record->inferred))
		return;
	count_record(task, record);
	while (task->task.nr_open > task->nr_slices &&
	       (top_frame(task)->depth >= record->depth || task->task.nr_open == MAX_OPEN))
		leave_unclosed(tree, task, record->ts);
	let_roots_go(tree, task);
	add_open(tree, task, record, record->depth, record->ts);
	top_frame(task)->gap_end = tree->streams[record->stream].gap_end;
}

/* --- a call got its times --------------------------------------------------------- */

/* May it become a child of a call at this depth and time? */
static bool is_adopted(const struct call_tree *tree, const struct call *sibling,
		       const struct call *call)
{
	if (sibling->kind == CALL_EVENT)
		return tree->options.local_clock && sibling->start >= call->start;
	return (call_is_timed(sibling) || sibling->kind == CALL_GROUP) &&
	       sibling->depth > call->depth && sibling->start >= call->start;
}

/*
 * The siblings before a call that become its first children, from the call backwards; other events
 * between two of them go with them.
 * Return: the first of them, or CALL_NONE.
 */
static uint32_t first_adopted(const struct call_tree *tree, const struct call *call)
{
	uint32_t first = CALL_NONE;

	for (uint32_t n = call->before; n; n = call_at(tree, n)->before) {
		const struct call *sibling = call_at(tree, n);

		if (is_adopted(tree, sibling, call))
			first = n;
		else if (sibling->kind != CALL_EVENT)
			break;
	}
	return first;
}

/* Return: the latest start of the timed ones. */
static uint64_t adopt(struct call_tree *tree, uint32_t number)
{
	struct call *call = call_at(tree, number);
	uint32_t first = first_adopted(tree, call), own = call->last;
	uint64_t max_start = 0;

	if (!first)
		return 0;
	for (uint32_t n = call->before;; n = call_at(tree, n)->before) {
		struct call *child = call_at(tree, n);

		child->parent = number;
		if (call_is_timed(child) && child->start > max_start)
			max_start = child->start;
		if (n == first)
			break;
	}
	while (own && call_at(tree, own)->before)
		own = call_at(tree, own)->before;
	if (own)
		call_at(tree, own)->before = call->before;
	else
		call->last = call->before;
	call->before = call_at(tree, first)->before;
	call_at(tree, first)->before = CALL_NONE;
	return max_start;
}

static bool moves_out(const struct call_tree *tree, const struct call *child, uint64_t ret)
{
	return (call_is_timed(child) || (child->kind == CALL_EVENT && tree->options.local_clock)) &&
	       child->start >= ret;
}

/*
 * Children that began after the call had returned become its next siblings.  Return: the latest
 * start of them.
 */
static uint64_t move_out(struct call_tree *tree, struct call_task_state *task, uint32_t number)
{
	struct call *call = call_at(tree, number);
	uint32_t n = call->last, before, kept = CALL_NONE, moved = CALL_NONE,
		 *last = call_last(tree, task, call->parent);
	uint64_t max_start = 0;

	/* from the last one on: children found earlier come later */
	call->last = CALL_NONE;
	for (; n; n = before) {
		struct call *child = call_at(tree, n);
		bool moves = moves_out(tree, child, call->end);
		uint32_t *behind = moves ? &moved : &kept;

		before = child->before;
		child->before = CALL_NONE;
		if (*behind)
			call_at(tree, *behind)->before = n;
		else if (moves)
			*last = n;
		else
			call->last = n;
		*behind = n;
		if (!moves)
			continue;
		child->parent = call->parent;
		if (call_is_timed(child) && child->start > max_start)
			max_start = child->start;
	}
	if (moved)
		call_at(tree, moved)->before = number;
	return max_start;
}

static bool has_late_event(const struct call_tree *tree, const struct call *call)
{
	return call->last && call_at(tree, call->last)->kind == CALL_EVENT &&
	       moves_out(tree, call_at(tree, call->last), call->end);
}

/* The call by which a slice begins, or ends, is beside it, and has some of its time. */
static void note_overlap(const struct call_tree *tree, struct call *slice, uint64_t from,
			 uint64_t to)
{
	uint64_t sum = to > from && tree->options.local_clock ? slice->overlap + (to - from) :
								slice->overlap;

	slice->overlap = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* Close a call whose times are known: make it its parent's last child. */
static inline void complete(struct call_tree *tree, struct call_task_state *task, uint32_t number,
			    uint64_t max_start)
{
	const struct call *call = call_at(tree, number);
	struct call_frame *above = top_frame(task);
	uint64_t latest = call->start;

	if (__builtin_expect(call->before && call_at(tree, call->before)->slice, 0))
		note_overlap(tree, call_at(tree, call->before), call->start,
			     call_at(tree, call->before)->end);
	if (__builtin_expect(call->before && call_at(tree, call->before)->depth > call->depth, 0) ||
	    (call->before && call_at(tree, call->before)->kind == CALL_EVENT)) {
		uint64_t adopted = adopt(tree, number);

		max_start = adopted > max_start ? adopted : max_start;
	}
	if (__builtin_expect((call->last && max_start >= call->end) || has_late_event(tree, call),
			     0)) {
		uint64_t moved = move_out(tree, task, number);

		latest = moved > latest ? moved : latest;
	}
	if (above && latest > above->max_start)
		above->max_start = latest;
	call_away_take(tree, task, number);
}

static void set_exit(const struct call_tree *tree, struct call *call,
		     const struct graph_record *record)
{
	call->start = record->call;
	call->end = record->ret;
	call->exit = record->ref;
	call->exit_ts = record->ts;
	call->stream_out = record->stream;
	call->wanted = record->wanted || (tree->options.either && call->wanted);
}

/* The outermost slice that is open and began after a time, in ns; no call is open in it. */
static uint32_t slice_after(const struct call_tree *tree, const struct call_task_state *task,
			    uint64_t time)
{
	uint32_t i = 0;

	if (task->task.nr_open > task->nr_slices || !tree->options.local_clock)
		return CALL_NONE;
	while (i < task->nr_slices && call_at(tree, task->frames[i].call)->start <= time)
		i++;
	return i < task->nr_slices ? task->frames[i].call : CALL_NONE;
}

static void add_orphan(struct call_tree *tree, struct call_task_state *task,
		       const struct graph_record *record)
{
	uint32_t number = call_tree_alloc(tree), around = slice_after(tree, task, record->call);
	struct call *call = call_at(tree, number);

	call->kind = CALL_ORPHAN;
	call->func = call_tree_function_number(tree, record->func);
	call->depth = record->depth;
	call->level = record->level;
	call->stream_in = record->stream;
	set_exit(tree, call, record);
	call->lone = record->lone;
	call->doubtful = !record->lone || call_tree_has_gap(tree, record);
	if (around) {
		call->parent = call_at(tree, around)->parent;
		call->before = call_at(tree, around)->before;
		call_at(tree, around)->before = number;
		adopt(tree, number);
		call_away_take(tree, task, number);
		return;
	}
	append(tree, task, top_call(task), number);
	complete(tree, task, number, 0);
}

/* A call that starts after its entry was off the CPU in between; or the exit is another call's. */
static __attribute__((noinline)) void see_cut(const struct call_tree *tree,
					      const struct call_task_state *task, struct call *call)
{
	call->gap_cut = call_away_since(task, call->entry_ts);
	call->sure_cut = call->gap_cut && call->level == GRAPH_TASK &&
			 call->start <= call->exit_ts &&
			 call->start - call->entry_ts >=
				 (task->switched ? SURE_APART : LIKELY_APART);
	call->doubtful |= tree->options.local_clock && !call->gap_cut;
}

void call_pair_exit(struct call_tree *tree, struct call_task_state *task,
		    const struct graph_record *record)
{
	bool has_times = record->ret != 0;	/* the text of a trace may have none */
	struct call_frame *top;

	if (__builtin_expect(task->inferred, 0))
		make_way(tree, task, false);
	count_record(task, record);
	tree->levels |= record->level;
	while (task->task.nr_open > task->nr_slices && top_frame(task)->depth > record->depth)
		leave_unclosed(tree, task, record->ts);
	top = task->task.nr_open > task->nr_slices ? top_frame(task) : NULL;
	if (top && top->depth == record->depth) {
		if (has_times && (tree->functions[top->func] == record->func ||
				  (top->func == CALL_FUNCTION_OTHERS &&
				   !call_tree_function_number(tree, record->func)))) {
			struct call *call = call_at(tree, top->call);
			uint64_t max_start = top->max_start, gap_end = top->gap_end;

			call->kind = CALL_CLOSED;
			set_exit(tree, call, record);
			/* events were lost between its call and the record of its entry */
			call->doubtful |= tree->options.local_clock && gap_end > call->start;
			if (__builtin_expect(call->start > call->entry_ts, 0))
				see_cut(tree, task, call);
			task->task.nr_open--;
			complete(tree, task, top->call, max_start);
			let_roots_go(tree, task);
			return;
		}
		leave_unclosed(tree, task, record->ts);
	}
	if (has_times)
		add_orphan(tree, task, record);
	let_roots_go(tree, task);
}

/* --- slices --------------------------------------------------------------------- */

static uint32_t add_slice(struct call_tree *tree, struct call_task_state *task,
			  const struct graph_record *record)
{
	uint32_t number = add_open(tree, task, record, -1, record->call);

	call_at(tree, number)->slice = true;
	return number;
}

/* Those that waited for the end of the calls in which they were written. */
static void begin_slices(struct call_tree *tree, struct call_task_state *task)
{
	for (uint32_t i = 0; i < task->nr_waiting; i++, task->nr_slices++) {
		uint32_t number = add_slice(tree, task, &task->waiting[i]);
		struct call *slice = call_at(tree, number);
		const struct call *before;

		if (tree->options.local_clock)	/* interrupts before the record of the exit */
			adopt(tree, number);
		before = call_at(tree, slice->before);
		if (slice->before && call_is_timed(before) && !before->slice)
			note_overlap(tree, slice, slice->start, before->end);
	}
	task->nr_waiting = 0;
}

/*
 * The innermost slice is no longer open.  A call that is still open in it is not wholly in it.
 * Return: that call, or CALL_NONE.
 */
static uint32_t leave_slice(struct call_tree *tree, struct call_task_state *task)
{
	struct call_frame *frame = &task->frames[--task->nr_slices];
	struct call *call = call_at(tree, frame->call);
	uint32_t nr = --task->task.nr_open - task->nr_slices, open = nr ? frame[1].call : CALL_NONE;

	memmove(frame, frame + 1, nr * sizeof(*frame));
	if (open) {
		call->last = call_at(tree, open)->before;
		append(tree, task, call->parent, open);
	}
	return open;
}

void call_pair_lost(struct call_tree *tree, struct call_task_state *task, uint64_t ts)
{
	for (uint32_t i = 0; i < task->nr_waiting; i++) {
		add_slice(tree, task, &task->waiting[i]);
		leave_unclosed(tree, task, ts);
	}
	task->nr_waiting = 0;
	while (task->nr_slices) {
		struct call_frame frame = task->frames[task->nr_slices - 1];

		leave_slice(tree, task);
		unclose(tree, task, frame, ts);
	}
}

void call_pair_slice(struct call_tree *tree, struct call_task_state *task,
		     const struct graph_record *record)
{
	count_record(task, record);
	if (task->inferred)
		leave_calls(tree, task, record->ts);
	if (task->nr_slices >= MAX_SLICES || task->nr_waiting == MAX_WAITING)
		call_pair_lost(tree, task, record->ts);
	mem_grow(&task->waiting, task->nr_waiting, &task->cap_waiting);
	task->waiting[task->nr_waiting++] = *record;
	if (task->task.nr_open == task->nr_slices)
		begin_slices(tree, task);
}

static struct call *close_slice(struct call_tree *tree, uint32_t number,
				const struct graph_record *record)
{
	struct call *call = call_at(tree, number);
	struct graph_record exit = *record;

	exit.ret = record->call;
	exit.call = call->start;
	exit.wanted |= call->wanted;
	call->kind = CALL_CLOSED;
	set_exit(tree, call, &exit);
	return call;
}

/* A slice that the kernel wrote: its begin still waits for the end of the same call. */
static void end_inside(struct call_tree *tree, struct call_task_state *task,
		       const struct graph_record *record)
{
	uint32_t number = add_slice(tree, task, &task->waiting[--task->nr_waiting]);
	struct call *call = close_slice(tree, number, record);

	task->task.nr_open--;
	call->depth = top_frame(task)->depth < INT32_MAX ? top_frame(task)->depth : INT32_MAX - 1;
	if (tree->options.local_clock)
		complete(tree, task, number, 0);
	call_at(tree, number)->depth++;		/* as of any child */
}

static void end_slice(struct call_tree *tree, struct call_task_state *task,
		      const struct graph_record *record)
{
	uint32_t number = task->frames[task->nr_slices - 1].call, open;
	uint64_t end = close_slice(tree, number, record)->end;

	open = leave_slice(tree, task);
	if (open && call_at(tree, open)->start < end)
		call_at(tree, number)->end = call_at(tree, open)->start;
	call_away_take(tree, task, number);	/* times off the CPU in that call are its own */
	call_at(tree, number)->end = end;
}

void call_pair_slice_end(struct call_tree *tree, struct call_task_state *task,
			 const struct graph_record *record)
{
	count_record(task, record);
	if (task->inferred)
		leave_calls(tree, task, record->ts);
	if (task->nr_waiting)
		end_inside(tree, task, record);
	else if (task->nr_slices)
		end_slice(tree, task, record);
	else if (record->event)
		call_pair_event(tree, task, record);
	let_roots_go(tree, task);
}

void call_pair_event(struct call_tree *tree, struct call_task_state *task,
		     const struct graph_record *record)
{
	uint32_t number = call_tree_alloc(tree);
	struct call *call = call_at(tree, number);

	call->kind = CALL_EVENT;
	call->start = call->end = call->entry_ts = call->exit_ts = record->ts;
	call->entry = record->ref;
	call->level = record->level;
	call->wanted = record->wanted;
	call->stream_in = call->stream_out = record->stream;
	append(tree, task, top_call(task), number);
}
