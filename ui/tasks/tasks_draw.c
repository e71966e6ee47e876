/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks_draw - the tables of the Tasks view on the canvas, and what there is no table of. */
#include <inttypes.h>

#include "ui/view/list_tabs.h"
#include "ui/view/nothing_left.h"
#include "ui/tasks/view_tasks.h"

/* --- headings ----------------------------------------------------------------------------- */

/* "2 only in old": the other file's that no row is compared with */
static void add_others(const struct view *v, struct text *out)
{
	bool grouped = v->list == TASKS_OF_TASKS;
	uint32_t others = grouped ? v->whole.figures.nr_groups : tasks_nr_rows(&v->whole, v->list),
		 nr = grouped ? v->now.figures.nr_groups : tasks_nr_rows(&v->now, v->list);

	if (tasks_other(v) < 0 || !v->of_whole)
		return;
	for (uint32_t i = 0; i < nr; i++)
		others -= v->of_whole[i] != UINT32_MAX;
	if (!others)
		return;
	text_printf(out, "%" PRIu32 " only in ", others);
	shared_file_name(v->shared, (unsigned int)tasks_other(v), out);
	text_add(out, "   ");
}

/* "5 of 24 tasks" */
static void add_rows(const struct view *v, struct text *out)
{
	static const char *const rows[TASKS_LISTS][2] = { { "tasks", "task" },
							  { "CPUs", "CPU" },
							  { "event types", "event type" },
							  { "pairs", "pair" },
							  { "pairs", "pair" } };
	const struct task_figures *f = &v->now.figures;
	uint32_t nr;

	if (v->list == TASKS_OF_TASKS && f->nr_groups) {
		nr = v->how.least > 1 ? f->nr_tasks - f->nr_groups : f->nr_groups;
		text_count(out, nr);
		text_printf(out, " %s",
			    nr == 1          ? groupings[v->how.by].option :
			    v->how.least > 1 ? rows[v->list][0] :
					       groupings[v->how.by].rows);
		return;
	}
	if (v->list == TASKS_OF_CPUS && f->nr_cpu_groups) {
		text_counted(out, f->nr_cpus - f->nr_cpu_groups, "CPU");
		return;
	}
	text_count(out, v->table.nr);
	if (v->table.nr < v->all) {
		text_add(out, " of ");
		text_count(out, v->all);
	}
	text_printf(out, " %s", rows[v->list][v->all == 1]);
}

static void add_progress(const struct view *v, struct text *out)
{
	unsigned int permille;

	if (!tasks_is_done(v, &permille))
		text_printf(out, "~ %u %% counted so far   ", permille / 10);
	else if (v->now.figures.failed)
		text_add(out, "~ more tasks than a kernel can have: not all are counted   ");
}

/*
 * What is counted: all of that, or, where there is less room, less of it (@less from 0).  The
 * header has the number of rows, too, but not how many filters hide.
 */
void tasks_add_scope(const struct view *v, unsigned int less, struct text *out)
{
	bool compared = v->table.comparing && !tasks_is_of_pairs(v);

	add_progress(v, out);
	shared_of_file(v->shared, v->file, compared, out);
	if (less < 3)
		add_others(v, out);
	if (less < 1 || (less < 3 && v->table.nr < v->all))
		add_rows(v, out);
	if (!v->is_now) /* which says it below */
		call_scope_add_range(&v->scope, v->shared, compared, less < 2, out);
	call_scope_add_filter(&v->scope, less < 4, out);
	if (less < 1 && v->scope.of.nr_filters && v->list != TASKS_OF_TYPES)
		text_printf(out, ": counts what a match ends%s",
			    filters_hiding(&v->shared->chosen.filters) ? "" : ", others are dim");
}

/* Without sched events there can still be system calls and interrupts. */
static bool can_tell(const struct view *v)
{
	const struct task_figures *f = &v->now.figures;

	return f->sched_records || f->has_calls ||
	       (v->list == TASKS_OF_CPUS ? f->has_irqs : f->nr_tasks > 0);
}

#define OTHER_LISTS "\no e counts the events of each type; p lists tasks by their events."
#define TO_RECORD \
	"\nTo record them, press R or run" \
	"\nftop-trace record -e sched_switch -e sched_waking -e sched_wakeup CMD" OTHER_LISTS

static const char
	untimed[] = "This text has no times: run and wait times are unknown." OTHER_LISTS,
	other_sched[] =
		"Without sched_switch events, run, wait and sleep times are unknown." TO_RECORD,
	of_tasks[] = "perf recorded some tasks only: run, wait and sleep times are unknown."
		     "\nTo record all tasks, run"
		     "\nperf record -a -e sched:sched_switch,sched:sched_waking CMD" OTHER_LISTS,
	no_sched[] = "Without scheduler events, run, wait and sleep times are unknown." TO_RECORD;

/* Says what is missing, and which views or lists still work. */
static void draw_nothing(const struct view *v, const struct view_area *area, int line)
{
	bool is_limited = call_scope_is_limited(&v->scope);
	struct canvas *c = area->canvas;
	unsigned int permille;

	if (trace_is_untimed(v->shared->trace, (int)v->file) && v->list != TASKS_OF_TYPES)
		nothing_draw(c, line, untimed);
	else if (!tasks_is_done(v, &permille))
		nothing_draw(c, line,
			     v->list == TASKS_OF_TYPES ? "Counting events …" :
							 "Adding up what tasks did …");
	else if (v->is_now && !v->scope.of.nr_filters && (v->list == TASKS_OF_TYPES || can_tell(v)))
		nothing_draw(
			c, line,
			"Nothing was recorded in this window; h l move it, + makes it longer.");
	else if (is_limited && (v->list == TASKS_OF_TYPES || can_tell(v)))
		nothing_left_draw(v->shared, c, line, c->rows,
				  v->scope.of.nr_filters ? "No event here matches the filters." :
							   "No events in this range.",
				  NULL);
	else if (!is_limited && v->list == TASKS_OF_TYPES)
		nothing_draw(c, line, "There are no events here.");
	else if (!is_limited && tasks_is_of_pairs(v) && v->now.figures.switches)
		nothing_draw(c, line,
			     v->list == TASKS_OF_WOKEN ? "No wake-up here is followed by a run." :
							 "No task was preempted here.");
	else
		nothing_draw(c, line,
			     trace_is_of_tasks(v->shared->trace, (int)v->file) ? of_tasks :
			     v->now.figures.sched_records                      ? other_sched :
										 no_sched);
}

bool tasks_has_nothing(const struct view *v)
{
	return !v->table.nr || (v->list != TASKS_OF_TYPES && v->now.figures.done && !can_tell(v));
}

void tasks_draw_rows(struct view *v, const struct view_area *area, int top)
{
	if (tasks_has_nothing(v))
		draw_nothing(v, area, top);
	else
		table_draw(&v->table, area->canvas, top, area->top + area->rows - top);
}

void tasks_draw(struct view *v, const struct view_area *area)
{
	list_tabs_line(v, view_tasks_ops.lists, call_scope_is_limited(&v->scope), area);
	tasks_draw_rows(v, area, area->top + 1);
}
