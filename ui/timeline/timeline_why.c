/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_why - Y: what a task's time was spent on, as a tree in a list. */
#include <stdlib.h>
#include <string.h>

#include "src/base/time_math.h"
#include "src/why/why.h"
#include "ui/timeline/view_timeline.h"

#define MOST_INDENT	24u		/* cells */

/*
 * The interval to explain: A–B; else the run under the cursor; else from where the task left a CPU
 * to its next run.
 */
static bool find_interval(struct view *v, uint32_t task, int64_t *from, int64_t *to)
{
	static const struct pyramid_find runs = { .kinds = 1u << SCHED_RUNS };
	const struct place *a = places_get(&v->shared->places, 'a'),
			   *b = places_get(&v->shared->places, 'b');
	const struct pyramid *p = sched_task(v->sched, task);
	int64_t end = sched_end(v->sched);
	struct pyramid_state state, run;

	if (a && b) {
		*from = a->ts < b->ts ? a->ts : b->ts;
		*to = a->ts < b->ts ? b->ts : a->ts;
		return true;
	}
	if (!pyramid_at(p, end, v->cursor, &state))
		return false;
	/* where a run begins the question is why not before */
	if (state.kind == SCHED_RUNS && state.from == v->cursor)
		pyramid_before(p, end, state.from, &state);
	*from = state.from;
	*to = state.to;
	if (state.kind == SCHED_RUNS)
		return true;
	if (pyramid_find_before(p, end, state.from, &runs, &run))
		*from = run.to;
	*to = pyramid_find_next(p, end, state.from, &runs, &run) ? run.from : end;
	return true;
}

/* "  9.687 ms   99.5 %    behind on-cpu-0-79" */
static void add_line(struct view *v, const struct why *why, const struct why_node *node,
		     int64_t all, struct view_why *out)
{
	struct text line = { 0 }, time = { 0 }, words = { 0 };
	bool is_task = node->kind == WHY_TASK;
	struct place place = { .set = true, .ref = TRACE_REF_NONE, .ts = node->max_from,
			       .file = v->file, .cpu = -1,
			       .pid = timeline_pid(v, is_task ? node->arg : node->task) };
	unsigned int indent = 2 * node->depth;

	timeline_span(&v->timeline, node->total, &time);
	text_pad(&line, (size_t)(time.len && text_cells(text_str(&time), time.len) < 10 ?
					 10 - text_cells(text_str(&time), time.len) :
					 0));
	text_printf(&line, "%s %6.1f %%  ", text_str(&time),
		    all > 0 ? 100.0 * (double)node->total / (double)all : 0.0);
	text_pad(&line, indent < MOST_INDENT ? indent : MOST_INDENT);
	why_node_text(why, node, node->max_from, &words);
	text_printable(&line, text_str(&words), words.len);
	if (node->depth && node->count > 1)
		text_printf(&line, "  ×%llu", (unsigned long long)node->count);
	out->line(out->arg, text_str(&line), &place);
	text_fini(&line);
	text_fini(&time);
	text_fini(&words);
}

static void list(struct view *v, uint32_t task, int64_t from, int64_t to, struct view_why *out)
{
	struct why *why = why_new(v->sched, task, from, to);
	struct why_node *nodes;
	uint32_t nr;

	nodes = why_tree(why, &nr);
	text_add(out->title, "Why ");
	sched_story_task(v->sched, task, from, out->title);
	text_add(out->title, " took ");
	timeline_span(&v->timeline, time_between(from, to), out->title);
	text_add(out->title, " from ");
	timeline_time(&v->timeline, from, 9, out->title);
	for (uint32_t i = 0; i < nr; i++)
		add_line(v, why, &nodes[i], nodes[0].total, out);
	free(nodes);
	why_free(why);
}

enum view_why_result timeline_why(struct view *v, struct view_why *out)
{
	int64_t from, to;
	uint32_t task;
	bool found;

	if (!v->sched)
		return VIEW_WHY_NONE;
	if (!sched_progress(v->sched).done || v->wanted.set)
		return VIEW_WHY_LATER;
	sched_lock(v->sched);
	task = timeline_task_here(v);
	found = task < SCHED_IDLE_TASK && find_interval(v, task, &from, &to);
	if (found)
		list(v, task, from, to, out);
	sched_unlock(v->sched);
	if (!found)
		host_message(v->host, task < SCHED_IDLE_TASK ?
					      "nothing is known of this task here" :
					      "no task is here: choose the row of one");
	return found ? VIEW_WHY_LISTED : VIEW_WHY_NONE;
}
