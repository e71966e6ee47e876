/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_why - Y: what a task's time was spent on, as a tree in a list. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/time_math.h"
#include "src/base/workers.h"
#include "src/why/why.h"
#include "src/why/why_rule.h"
#include "ui/timeline/view_timeline.h"

#define MOST_INDENT	24u		/* cells */

/* The task asked about: by its pid, else the one that runs on the CPU at that moment. */
static uint32_t find_task(struct view *v, const struct place *of)
{
	int cpu = sched_cpu_index(v->sched, of->cpu);
	struct pyramid_state state;

	if (of->pid > 0)
		return sched_rules_find(sched_pass_rules(sched_pass_of(v->sched)),
					(uint32_t)of->pid, of->ts);
	if (of->pid < 0 && cpu >= 0 &&
	    pyramid_at(sched_cpu(v->sched, (unsigned int)cpu), sched_end(v->sched), of->ts,
		       &state) &&
	    state.kind == SCHED_CPU_RUNS)
		return state.arg;
	return SCHED_NO_TASK;
}

/* Set the interval asked about; false: nothing is known there. */
static bool find_interval(struct view *v, const struct view_why *asked)
{
	const struct pyramid *p = sched_task(v->sched, v->why.task);
	int64_t end = sched_end(v->sched);
	struct pyramid_state state;

	v->why.from = asked->from;
	v->why.to = asked->to;
	if (asked->from != asked->to)
		return true;
	if (!pyramid_at(p, end, asked->from, &state))
		return false;
	/* where a run begins the question is why not before */
	if (state.kind == SCHED_RUNS && state.from == asked->from)
		pyramid_before(p, end, state.from, &state);
	v->why.from = state.from;
	v->why.to = state.to;
	return true;
}

#define BAR_CELLS	10		/* of a bar for all of the time */
#define BAR_COLS	100		/* from this width of the screen on there are bars */

#define LEAST_SHARE	100		/* of the time: of shorter parts no reason is told */
#define MANY_TASKS	3		/* of one name: one line */
#define MOST_SIBLINGS	1000		/* that are looked at for each */

static const char *name_of(const struct view *v, const struct why_node *node)
{
	return trace_comm(v->shared->trace, v->file, timeline_pid(v, node->arg), node->max_from);
}

/* The next part behind a task of the same name as that of part @i; @nr: there is none. */
static uint32_t next_of_name(const struct view *v, const struct why_node *nodes, uint32_t nr,
			     uint32_t i, uint32_t from)
{
	uint32_t end = nr - i > MOST_SIBLINGS ? i + MOST_SIBLINGS : nr;

	for (; from < end && nodes[from].depth >= nodes[i].depth; from++)
		if (nodes[from].kind == WHY_BEHIND && nodes[from].parent == nodes[i].parent &&
		    !strcmp(name_of(v, &nodes[from]), name_of(v, &nodes[i])))
			return from;
	return nr;
}

/* The line of part @i goes before its siblings with less time. */
static void raise(struct why_node *nodes, uint32_t *tasks, uint32_t i)
{
	struct why_node node = nodes[i];
	uint32_t nr = tasks[i], to = i;

	for (uint32_t at = i; at-- > 0 && nodes[at].depth >= node.depth;)
		if (nodes[at].parent == node.parent && nodes[at].total < node.total)
			to = at;
	memmove(&nodes[to + 1], &nodes[to], (i - to) * sizeof(*nodes));
	memmove(&tasks[to + 1], &tasks[to], (i - to) * sizeof(*tasks));
	nodes[to] = node;
	tasks[to] = nr;
}

/*
 * Where many tasks of a name had the CPU in turn, their name says more than each of them.  How many
 * tasks each line stands for; 0: it is part of another one.  For free().
 */
static uint32_t *merge_names(const struct view *v, struct why_node *nodes, uint32_t nr)
{
	uint32_t *tasks = mem_array(nr + 1ul, sizeof(*tasks)), found, at;

	for (uint32_t i = 0; i < nr; i++)
		tasks[i] = 1;
	for (uint32_t i = 0; i < nr; i++) {
		if (nodes[i].kind != WHY_BEHIND || tasks[i] != 1)
			continue;
		found = 1;
		for (at = i; (at = next_of_name(v, nodes, nr, i, at + 1)) < nr;)
			found++;
		if (found < MANY_TASKS)
			continue;
		tasks[i] = found;
		for (at = i; (at = next_of_name(v, nodes, nr, i, at + 1)) < nr;) {
			tasks[at] = 0;
			nodes[i].count += nodes[at].count;
			nodes[i].total += nodes[at].total;
			if (nodes[at].max <= nodes[i].max)
				continue;
			nodes[i].max = nodes[at].max;
			nodes[i].max_from = nodes[at].max_from;
			nodes[i].arg = nodes[at].arg;
		}
		raise(nodes, tasks, i);
	}
	return tasks;
}

/* "  9.687 ms   99.5 %  █████████▉    behind on-cpu-0-79" */
static void add_line(struct view *v, const struct why *why, const struct why_node *node,
		     int64_t all, uint32_t tasks, struct view_why_list *out)
{
	struct text head = { 0 }, time = { 0 }, bar = { 0 }, name = { 0 }, words = { 0 };
	double part = why_is_lived(node) && all > 0 ? (double)node->total / (double)all : 0;
	bool is_task = node->kind == WHY_TASK;
	struct place place = { .set = true, .ref = TRACE_REF_NONE, .ts = node->max_from,
			       .to = time_after(node->max_from, node->max), .file = v->file,
			       .cpu = -1,
			       .pid = timeline_pid(v, is_task ? node->arg :
						 node->kind == WHY_HOLDER ?
							   why_holder(why, node->arg) :
							   node->task) };
	unsigned int indent = 2 * node->depth;
	int cells;

	shared_span(v->shared, node->total, &time);
	cells = text_cells(text_str(&time), time.len);
	text_pad(&head, cells < 10 ? 10u - (unsigned int)cells : 0);
	if (why_is_lived(node))
		text_printf(&head, "%s %6.1f %%  ", text_str(&time), 100 * part);
	else
		text_printf(&head, "%s        –  ", text_str(&time));
	if (v->shared->look.cols >= BAR_COLS) {
		text_bar(&bar, part, BAR_CELLS);
		text_add(&head, text_str(&bar));
		text_pad(&head, BAR_CELLS + 2u - (unsigned int)text_cells(text_str(&bar), bar.len));
	}
	text_pad(&head, indent < MOST_INDENT ? indent : MOST_INDENT);
	if (tasks > 1)
		text_printf(&name, "CPU taken by %" PRIu32 " tasks called %s", tasks,
			    name_of(v, node));
	else
		why_node_text(why, node, node->max_from, &name);
	text_printable(&words, text_str(&name), name.len);
	if (node->depth && node->count > 1)
		text_printf(&words, "  ×%llu", (unsigned long long)node->count);
	if (tasks == 1 && node->kind == WHY_BEHIND && node->max >= all / LEAST_SHARE)
		why_rule_text(v->sched, node->task, node->arg, node->max_from, place.to,
			      node->count, &words);
	out->line(out->arg, text_str(&head), text_str(&words), &place);
	text_fini(&head);
	text_fini(&name);
	text_fini(&bar);
	text_fini(&time);
	text_fini(&words);
}

/* Is most of it not known, in a trace whose first records were dropped? */
static bool has_left_ring(const struct view *v, const struct why_node *nodes, uint32_t nr)
{
	int64_t unknown = 0;

	for (uint32_t i = 1; i < nr; i++)
		if (nodes[i].depth == 1 && nodes[i].kind == WHY_UNKNOWN)
			unknown += nodes[i].total;
	return trace_has_dropped(v->shared->trace) && unknown > nodes[0].total / 2;
}

static void list(struct view *v, struct view_why_list *out)
{
	const struct why *why = v->why.why;
	const struct place none = { 0 };
	struct why_node *nodes;
	uint32_t nr, *tasks;

	nodes = why_tree(why, &nr);
	tasks = merge_names(v, nodes, nr);
	text_add(out->title, "Why ");
	sched_story_task(v->sched, v->why.task, v->why.from, out->title);
	text_add(out->title, " took ");
	shared_span(v->shared, time_between(v->why.from, v->why.to), out->title);
	text_add(out->title, " from ");
	trace_time_text(v->shared->trace, v->why.from, 9, out->title);
	for (uint32_t i = 0; i < nr; i++)
		if (tasks[i])
			add_line(v, why, &nodes[i], nodes[0].total, tasks[i], out);
	if (has_left_ring(v, nodes, nr))
		out->line(
			out->arg, "",
			"The ring has dropped records of this time: ask sooner, or keep more (-m).",
			&none);
	free(tasks);
	free(nodes);
}

/* The row of parts below the task's. */
static void make_row(struct view *v)
{
	static const enum timeline_part part_of[] = {
		[WHY_UNKNOWN] = TIMELINE_PART_LOST, [WHY_RUNS] = TIMELINE_PART_RUNS,
		[WHY_INTERRUPTED] = TIMELINE_PART_INTERRUPT, [WHY_BEHIND] = TIMELINE_PART_WAITS,
		[WHY_INTERRUPT] = TIMELINE_PART_INTERRUPT, [WHY_IDLE] = TIMELINE_PART_IDLE,
		[WHY_WAITS] = TIMELINE_PART_WAITS, [WHY_UNTIL] = TIMELINE_PART_SLEEPS,
		[WHY_ASLEEP] = TIMELINE_PART_SLEEPS, [WHY_WITH] = TIMELINE_PART_SLEEPS,
		[WHY_HOLDER] = TIMELINE_PART_SLEEPS, [WHY_DEADLOCK] = TIMELINE_PART_SLEEPS,
		[WHY_THROTTLED] = TIMELINE_PART_WAITS, [WHY_UNEXPLAINED] = TIMELINE_PART_IDLE,
		[WHY_GONE] = TIMELINE_PART_NONE, [WHY_UNCREATED] = TIMELINE_PART_NONE,
	};
	const struct why_part *parts;
	uint32_t nr;

	parts = why_parts(v->why.why, &nr);
	for (uint32_t i = 0; i < nr; i++)
		pyramid_add(&v->why.row, parts[i].from, part_of[parts[i].kind], i, false,
			    PYRAMID_SURE);
	pyramid_add(&v->why.row, v->why.to, TIMELINE_PART_NONE, nr, false, PYRAMID_SURE);
	v->timeline.parts = &v->why.row;
}

const struct why_part *timeline_why_part(struct view *v)
{
	const struct why_part *parts;
	struct pyramid_state state;
	uint32_t nr;

	parts = why_parts(v->why.why, &nr);
	return timeline_state(v, &state) && state.arg < nr ? &parts[state.arg] : NULL;
}

/* Of a wait, who had the CPU; as in the tree. */
static void add_part(const struct why *why, const struct why_part *part, struct text *out)
{
	const struct why_node node = { .kind = part->kind, .arg = part->arg };

	if (part->kind == WHY_BEHIND || part->kind == WHY_INTERRUPT)
		why_node_text(why, &node, part->from, out);
	else
		why_text(why, (enum why_kind)part->kind, part->arg, part->from, out);
}

void timeline_why_story(struct view *v, struct text *out)
{
	const struct why_part *part = timeline_why_part(v);
	struct text words = { 0 };

	if (part) {
		sched_story_task(v->sched, part->task, part->from, out);
		if (part->depth > 1)
			text_printf(out, ", %u wake-ups before ", part->depth);
		else if (part->depth)
			text_add(out, ", which then woke ");
		if (part->depth)
			sched_story_task(v->sched, v->why.task, part->from, out);
		text_add(out, ": ");
		add_part(v->why.why, part, &words);
		text_printable(out, text_str(&words), words.len);
		text_add(out, " for ");
		shared_span(v->shared, time_between(part->from, part->to), out);
		if (part->kind == WHY_BEHIND)
			why_rule_text(v->sched, part->task, part->arg, part->from, part->to, 1,
				      out);
		text_add(out, ". ");
	}
	text_add(out, "These are the parts of the time that Y asked about, ");
	shared_span(v->shared, time_between(v->why.from, v->why.to), out);
	text_add(out, " from ");
	trace_time_text(v->shared->trace, v->why.from, 9, out);
	text_add(out, "; Esc takes them away.");
	text_fini(&words);
}

void timeline_why_end(struct view *v)
{
	why_free(v->why.why);
	pyramid_fini(&v->why.row);
	v->timeline.parts = NULL;
	v->why = (struct timeline_why){ 0 };
}

/* Call it with the model locked. */
static bool begin(struct view *v, const struct view_why *asked)
{
	timeline_why_end(v);
	v->why.task = find_task(v, &asked->of);
	if (v->why.task >= sched_nr_tasks(v->sched)) {
		if (trace_is_untimed(v->shared->trace, -1))
			host_message(v->host,
				     "this text has no times: what a task waited for is unknown");
		else if (sched_pass_is_seen(sched_pass_of(v->sched)))
			host_message(v->host, "what a task waited for is unknown: %s",
				     trace_lacks_switches(v->shared->trace, -1));
		else if (asked->of.cpu >= 0 || !timeline_refuse_group(v))
			host_message(v->host, "no task on this row; select a task row");
		return false;
	}
	if (!find_interval(v, asked)) {
		host_message(v->host, "no record of this task here");
		return false;
	}
	v->why.why = why_new(v->sched, v->why.task, v->why.from, v->why.to);
	return true;
}

/* Did a worker add to the model, which was not locked since the last slice? */
static bool has_moved(const struct view *v)
{
	return v->why.why && !v->why.done &&
	       (v->why.memory != sched_progress(v->sched).memory ||
		v->why.nr_tasks != sched_nr_tasks(v->sched));
}

/* Call it with the model locked. */
static enum view_why_result work(struct view *v, int64_t ns, struct view_why_list *out)
{
	if (why_work(v->why.why, workers_now_ns() + ns)) {
		v->why.memory = sched_progress(v->sched).memory;
		v->why.nr_tasks = sched_nr_tasks(v->sched);
		out->permille = why_permille(v->why.why);
		return VIEW_WHY_MORE;
	}
	v->why.done = true;
	make_row(v);
	list(v, out);
	return VIEW_WHY_LISTED;
}

enum view_why_result timeline_why(struct view *v, const struct view_why *asked, int64_t ns,
				  struct view_why_list *out)
{
	enum view_why_result result = VIEW_WHY_NONE;

	if (!out) {
		result = v->why.done ? VIEW_WHY_LISTED : VIEW_WHY_NONE;
		if (!asked || !v->why.done)
			timeline_why_end(v);
		return result;
	}
	timeline_use_file(v, &asked->of);
	out->permille = sched_progress(v->sched).permille;
	if (!sched_progress(v->sched).done)
		return VIEW_WHY_LATER;
	sched_lock(v->sched);
	if (has_moved(v))
		timeline_why_end(v);
	if ((v->why.why && !v->why.done) || begin(v, asked))
		result = work(v, ns, out);
	sched_unlock(v->sched);
	return result;
}
