/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/timeline/timeline_labels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/shorten.h"
#include "src/timeline/series.h"
#include "src/timeline/timeline_groups.h"
#include "src/timeline/timeline_guests.h"
#include "src/timeline/timeline_plot.h"
#include "src/timeline/timeline_private.h"
#include "src/trace/cpu_groups.h"

/* On average of its CPUs; *busiest: the one that was busy longest, at least one state is known. */
static uint64_t group_load(const struct timeline *t, uint32_t number, bool *lost, uint32_t *busiest,
			   uint64_t *most)
{
	const struct cpu_group *group = &t->cpu_groups->list[number];
	uint64_t ran = 0;

	*most = 0;
	*busiest = SCHED_NO_TASK;
	for (uint32_t i = group->first; i < group->first + group->nr; i++) {
		uint32_t cpu = t->cpu_groups->order[i];
		struct pyramid_sum sum = timeline_window_sum(t, sched_cpu(t->sched, cpu));

		ran += sum.ns[SCHED_CPU_RUNS];
		*lost |= sum.touched >> SCHED_CPU_LOST & 1;
		if (sum.ns[SCHED_CPU_RUNS] <= *most)
			continue;
		*most = sum.ns[SCHED_CPU_RUNS];
		*busiest = cpu;
	}
	return ran / group->nr;
}

/* What a CPU did is not known for a part of the window: its share may be more. */
static bool is_partly_known(const struct timeline *t, const struct pyramid_sum *sum)
{
	int64_t from = t->from, to = timeline_to(t), first, last, known, all;

	if (sum->touched >> SCHED_CPU_LOST & 1)
		return true;
	if (!trace_span(sched_trace(t->host ? t->host : t->sched), &first, &last))
		return false;
	all = time_between(from > first ? from : first, to < last ? to : last);
	known = (int64_t)(sum->ns[SCHED_CPU_RUNS] + sum->ns[SCHED_CPU_IDLE]);
	return all - known > all / 1000;
}

static void add_share(uint64_t ns, const int64_t *edges, bool at_least, struct text *out)
{
	uint64_t permille = (uint64_t)((double)ns * 1000 / ((double)edges[1] - (double)edges[0]) +
				       0.5);

	if (!ns)
		return;
	if (at_least)
		text_printf(out, ">%" PRIu64 "%%", permille / 10);
	else if (permille < 100)
		text_printf(out, "%" PRIu64 ".%" PRIu64 "%%", permille / 10, permille % 10);
	else
		text_printf(out, "%" PRIu64 "%%", (permille + 5) / 10);
}

void timeline_load(struct timeline *t, const struct timeline_row *row, struct text *out)
{
	const int64_t edges[] = { t->from, timeline_to(t) };
	bool is_cpu = row->kind == TIMELINE_CPU;
	struct pyramid_sum sum;
	uint64_t ns;

	if (row->kind == TIMELINE_IDLE_CPUS || row->kind == TIMELINE_PARTS ||
	    row->kind == TIMELINE_SLICES)
		return;
	if (row->kind == TIMELINE_VCPU) {
		timeline_guests_load(t, row, out);
		return;
	}
	if (row->kind == TIMELINE_PLOT) {
		timeline_plot_load(t, row, out);
		return;
	}
	if (row->kind == TIMELINE_IRQS || row->kind == TIMELINE_SOFTIRQS) {
		timeline_sum_contexts(t, row, edges, 1, &sum);
		if (sum.begun[timeline_context(row)])
			timeline_plot_short(sum.begun[timeline_context(row)], out);
		return;
	}
	if (sched_pass_is_seen(sched_pass_of(t->sched)))
		return;
	if (row->kind == TIMELINE_GROUP) {
		add_share(t->groups->list[row->index].ran, edges, false, out);
		return;
	}
	if (row->kind == TIMELINE_CPUS) {
		bool lost = false;
		uint32_t busiest;
		uint64_t most;

		ns = group_load(t, row->index, &lost, &busiest, &most);
		add_share(ns, edges, lost, out);
		return;
	}
	sum = timeline_window_sum(t, is_cpu ? sched_cpu(t->sched, row->index) :
					      sched_task(t->sched, row->index));
	ns = sum.ns[is_cpu ? (unsigned int)SCHED_CPU_RUNS : SCHED_RUNS];
	add_share(ns, edges, is_cpu ? is_partly_known(t, &sum) : sum.touched & TIMELINE_MISSING,
		  out);
}

void timeline_cpus_story(const struct timeline *t, uint32_t number, int64_t ts, struct text *out)
{
	const struct cpu_group *group = &t->cpu_groups->list[number];
	const int64_t edges[] = { t->from, timeline_to(t) };
	uint32_t ran = 0, idle = 0, busiest;
	bool lost = false;
	uint64_t most;

	for (uint32_t i = group->first; i < group->first + group->nr; i++) {
		struct pyramid_state state;

		if (!pyramid_at(sched_cpu(t->sched, t->cpu_groups->order[i]), sched_end(t->sched),
				ts, &state))
			continue;
		ran += state.kind == SCHED_CPU_RUNS;
		idle += state.kind == SCHED_CPU_IDLE;
	}
	text_counted(out, group->nr, "CPU");
	text_printf(out, ". Then %" PRIu32 " ran a task, %" PRIu32 " idled", ran, idle);
	if (ran + idle < group->nr)
		text_printf(out, ", of %" PRIu32 " it is not known", group->nr - ran - idle);
	text_add(out, ". ");
	group_load(t, number, &lost, &busiest, &most);
	if (busiest != SCHED_NO_TASK) {
		text_printf(out, "CPU %d was the busiest of the window, ",
			    sched_pass_cpu(sched_pass_of(t->sched), busiest));
		add_share(most, edges, lost, out);
		text_add(out, " of it. ");
	}
	text_add(out, "e opens the group, c closes it.");
}

void timeline_name(const struct timeline *t, const struct timeline_row *row, int64_t ts,
		   struct text *out)
{
	switch (row->kind) {
	case TIMELINE_CPU:
		text_printf(out, "CPU %d", sched_pass_cpu(sched_pass_of(t->sched), row->index));
		break;
	case TIMELINE_GROUP:
		text_add(out, t->groups->list[row->index].name);
		break;
	case TIMELINE_CPUS:
		cpu_group_name(&t->cpu_groups->list[row->index], out);
		break;
	case TIMELINE_IRQS:
		text_add(out, "interrupts");
		break;
	case TIMELINE_SOFTIRQS:
		text_add(out, "softirqs");
		break;
	case TIMELINE_OF_TASK:
		text_printf(out, "%s-%" PRIu32, timeline_task_comm(t, row->index, ts),
			    timeline_task_pid(t, row->index));
		break;
	case TIMELINE_PLOT:
		text_add(out, timeline_plot_series(t, row) ?
				      series_name(timeline_plot_series(t, row)) :
			      t->matches ? "matches" :
					   "all events");
		break;
	case TIMELINE_IDLE_CPUS:
		text_printf(out, "%" PRIu32 " idle CPU%s", row->index, PLURAL(row->index));
		break;
	case TIMELINE_PARTS:
		text_add(out, "why");
		break;
	case TIMELINE_SLICES:
		text_add(out, "slices");
		break;
	case TIMELINE_VCPU:
		timeline_guests_name(t, row, out);
		break;
	}
}

void timeline_fit_name(const char *name, bool is_task, int cells, struct text *out)
{
	const char *dash = is_task ? strrchr(name, '-') : NULL,
		   *dot = is_task ? NULL : strchr(name, '.');
	size_t start = out->len;

	if (text_cells(name, strlen(name)) <= cells) {
		text_add(out, name);
	} else if (dash) {
		char *comm = mem_strndup(name, (size_t)(dash - name));

		shorten_task(comm, atoi(dash + 1), cells, out);
		free(comm);
	} else if (dot && text_cells(dot, strlen(dot)) < cells) {
		text_printf(out, "…%s", dot);
	} else {
		shorten_end(name, cells, out);
	}
	for (int used = text_cells(text_str(out) + start, out->len - start); used < cells; used++)
		text_char(out, ' ');
}
