/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks_draw - the tables of the Tasks view on the canvas, and the row under the cursor in words.
 */
#include <string.h>

#include "ui/view/nothing_left.h"
#include "ui/tasks/view_tasks.h"

/* --- headings ----------------------------------------------------------------------------- */

/* "5 of 24 tasks" */
static void add_rows(const struct view *v, struct text *out)
{
	static const char *const rows[TASKS_LISTS][2] = { { "tasks", "task" },
							  { "CPUs", "CPU" },
							  { "event types", "event type" } };

	text_count(out, v->table.nr);
	if (v->table.nr < v->all) {
		text_add(out, " of ");
		text_count(out, v->all);
	}
	text_printf(out, " %s", rows[v->list][v->all == 1]);
}

static void add_scope(const struct view *v, struct text *out)
{
	text_add(out, "range ");
	if (v->range.set)
		shared_span(v->shared, time_between(v->range.from, v->range.to), out);
	else
		text_add(out, "whole");
	if (v->comparing)
		text_add(out, " and the rest");
	text_add(out, "   filter ");
	if (!v->scope.nr_filters)
		text_add(out, "none");
	else if (v->list == TASKS_OF_TYPES)
		text_add(out, "on");
	else
		text_printf(out,
			    "on: counts what a match "
			    "ends%s",
			    filters_hiding(&v->shared->filters) ? "" : ", others are dim");
}

static void draw_scope(const struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	struct text t = { 0 };
	unsigned int permille;
	int used;

	add_rows(v, &t);
	if (!tasks_is_done(v, &permille))
		text_printf(&t, "   ~ %u %% counted so far", permille / 10);
	else if (v->now.figures.failed)
		text_add(&t, "   ~ more tasks than a kernel can have: not all are counted");
	if (trace_nr_files(v->shared->trace) > 1) {
		text_add(&t, "   of ");
		shared_file_name(v->shared, 0, &t);
	}
	used = canvas_text(c, area->top, 1, c->cols - 2, ROLE_HEADING, text_str(&t));
	text_clear(&t);
	add_scope(v, &t);
	canvas_right(c, area->top, used + 3, c->cols - used - 4, ROLE_HEADING, text_str(&t));
	text_fini(&t);
}

/* Without sched events there can still be system calls and interrupts. */
static bool can_tell(const struct view *v)
{
	const struct task_figures *f = &v->now.figures;

	return f->sched_records || f->has_calls ||
	       (v->list == TASKS_OF_CPUS ? f->has_irqs : f->nr_tasks > 0);
}

/* Says what is missing, and which views or lists still work. */
static void draw_nothing(const struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	int line = area->top + 1;
	unsigned int permille;

	if (trace_is_text(v->shared->trace)) {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT,
			    "Latency text has no task switches; 1 Events shows its lines.");
	} else if (!tasks_is_done(v, &permille)) {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT,
			    v->list == TASKS_OF_TYPES ? "Counting events …" :
							"Adding up what tasks did …");
	} else if (v->list == TASKS_OF_TYPES && !v->scope.nr_filters && !v->range.set) {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT, "There are no events here.");
	} else if ((v->list == TASKS_OF_TYPES || can_tell(v)) &&
		   (v->scope.nr_filters || v->range.set)) {
		nothing_left_draw(v->shared, c, line, c->rows,
				  v->scope.nr_filters ? "No event here matches the "
							"filters." :
							"No events in this range.",
				  v->scope.nr_filters ?
					  "F all filters off   f edit   r the whole trace" :
					  "r the whole trace");
	} else {
		canvas_text(
			c, line, 2, c->cols - 3, ROLE_TEXT,
			v->now.figures.sched_records ?
				"The sched events here do not show who ran, waited and slept." :
				"There are no sched events here that show who ran, waited and slept.");
		canvas_text(c, line + 2, 2, c->cols - 3, ROLE_DIM,
			    "To record them, press R or run");
		canvas_text(
			c, line + 3, 2, c->cols - 3, ROLE_DIM,
			"ftop-trace record -e sched_switch -e sched_waking -e sched_wakeup CMD");
		canvas_text(c, line + 4, 2, c->cols - 3, ROLE_DIM,
			    "o e counts the events of each type, p those of each task.");
	}
}

bool tasks_has_nothing(const struct view *v)
{
	return !v->table.nr || (v->list != TASKS_OF_TYPES && v->now.figures.done && !can_tell(v));
}

void tasks_draw(struct view *v, const struct view_area *area)
{
	if (tasks_has_nothing(v)) {
		draw_nothing(v, area);
		return;
	}
	draw_scope(v, area);
	table_draw(&v->table, area->canvas, area->top + 1, area->rows - 1, NULL);
}

/* --- the selected row ------------------------------------------------------------------------- */

static void say_time(const struct view *v, const char *before, int64_t time, const char *behind,
		     struct text *out)
{
	if (!time)
		return;
	text_add(out, before);
	shared_span(v->shared, time, out);
	text_add(out, behind);
}

/* "1 415 times" */
static void say_count(uint64_t nr, const char *what, struct text *out)
{
	text_count(out, nr);
	text_printf(out, " %s%s", what, nr == 1 ? "" : "s");
}

/* "longest 9.739 ms, at 7.546782" */
static void say_longest(const struct view *v, int64_t length, int64_t ts, struct text *out)
{
	say_time(v, "longest ", length, ", at ", out);
	shared_time(v->shared, ts, 6, out);
}

static void say_run(const struct view *v, const struct sched_task *t, const struct task_sums *s,
		    struct text *out)
{
	int64_t ran = (int64_t)((uint64_t)t->run + (uint64_t)t->run_cut);

	if (!v->now.figures.switches) {
		text_add(out,
			 "No sched_switch was recorded: its run and wait times are not known. ");
		return;
	}
	if (!ran) {
		text_add(out,
			 v->scope.nr_filters ? "None of its runs match. " : "It did not run. ");
		return;
	}
	say_time(v, "Ran ", ran, ", ", out);
	tasks_share_text(ran, v->now.span, out);
	text_add(out, v->scope.nr_filters ? " % of the time, in runs that a match ends" :
					    " % of the time");
	if (s->longest[TASK_RAN].length) {
		text_add(out, "; ");
		say_longest(v, s->longest[TASK_RAN].length, s->longest[TASK_RAN].ts, out);
	}
	say_time(v, "; including ", t->run_cut, " in runs whose beginning or end is not recorded",
		 out);
	text_add(out, ". ");
}

static void say_wait(const struct view *v, const struct sched_task *t, const struct task_sums *s,
		     struct text *out)
{
	if (!v->now.figures.switches)
		return;
	if (s->waits) {
		say_time(v, "Waited to run for ", t->wait, "", out);
		text_add(out, ", ");
		say_count(s->waits, "time", out);
		text_add(out, "; ");
		say_longest(v, s->longest[TASK_WAITED].length, s->longest[TASK_WAITED].ts, out);
		text_add(out, ". ");
	} else {
		say_time(v, "Waited to run for ", t->wait, s->unsure ? ". " : ", to the end. ",
			 out);
	}
	if (t->max_wakeup && t->max_wakeup != s->longest[TASK_WAITED].length) {
		text_add(out, "From wake-up to run: ");
		say_longest(v, t->max_wakeup, t->max_wake_ts, out);
		text_add(out, ". ");
	}
}

/* "Slept S 313.8 ms, D 1.2 ms" */
static void say_sleep(const struct view *v, const struct task_sums *s, struct text *out)
{
	bool any = false;

	for (unsigned int i = 0; i < TASK_NR_LETTERS; i++) {
		if (!s->asleep[i])
			continue;
		text_printf(out, "%s%c ", any ? ", " : "Slept ", TASK_LETTERS[i]);
		shared_span(v->shared, s->asleep[i], out);
		any = true;
	}
	text_add(out, any ? ". " : "");
}

/* "Doubtful since events were lost meanwhile: 2 waits, 91.66 ms of its sleep. " */
static void say_doubt(const struct view *v, const struct sched_task *t, const struct task_sums *s,
		      struct text *out)
{
	int64_t asleep = t->doubtful_sleep + t->doubtful_blocked;

	if (!s->unsure && !asleep)
		return;
	text_add(out, "Doubtful, since events were lost meanwhile: ");
	if (s->unsure)
		say_count(s->unsure, "wait", out);
	say_time(v, s->unsure ? ", " : "", asleep, " of its sleep", out);
	text_add(out, ". ");
}

/* "Made 12 system calls, 3.2 ms in those that returned. Interrupted 4 times, for 12 µs. " */
static void say_calls(const struct view *v, const struct task_sums *s, struct text *out)
{
	if (s->calls) {
		text_add(out, "Made ");
		say_count(s->calls, "system call", out);
		say_time(v, ", ", s->call_time, " in those that returned", out);
		text_add(out, ". ");
	}
	if (s->irqs) {
		text_add(out, "Was interrupted ");
		say_count(s->irqs, "time", out);
		say_time(v, ", for ", s->irq_time, "", out);
		text_add(out, ". ");
	}
}

static void say_task(const struct view *v, uint32_t row, struct text *out)
{
	const struct sched_task *t = &v->now.figures.tasks[row];
	const struct task_sums *s = &v->now.figures.sums[row];

	say_run(v, t, s, out);
	say_wait(v, t, s, out);
	if (t->switches) {
		text_add(out, "Left the CPU ");
		say_count(t->switches, "time", out);
		text_add(out, ", ");
		text_count(out, t->preemptions);
		text_add(out, " of them preempted. ");
	}
	say_sleep(v, s, out);
	say_doubt(v, t, s, out);
	if (t->wakeups || t->woke) {
		text_add(out, "Was woken ");
		say_count(t->wakeups, "time", out);
		text_add(out, ", woke others ");
		say_count(t->woke, "time", out);
		text_add(out, ". ");
	}
	say_calls(v, s, out);
	if (t->last_switch_cpu >= 0)
		text_printf(out, "Last on CPU %d, priority %d.",
			    v->now.figures.cpus[t->last_switch_cpu].cpu, t->prio);
}

static void say_cpu(const struct view *v, const struct cpu_sums *c, struct text *out)
{
	int64_t rest = v->now.span - c->busy - c->idle;

	if (v->now.figures.switches) {
		text_add(out, "Tasks ran for ");
		shared_span(v->shared, c->busy, out);
		text_add(out, ", none ran for ");
		shared_span(v->shared, c->idle, out);
		text_add(out, ". ");
		if (rest > 0 && v->scope.nr_filters)
			say_time(v, "The other ", rest,
				 " do not count, because no match ends them. ", out);
		else if (rest > 0)
			say_time(v,
				 "Another "
				 "",
				 rest,
				 " are not known: before its first event, after its last, "
				 "or where events are lost or disagree. ",
				 out);
	} else {
		text_add(out, "No sched_switch was recorded: run times are not known here. ");
	}
	if (!v->now.figures.has_irqs)
		text_add(out, "No interrupts were recorded. ");
	text_add(out, "Enter shows its row in the Timeline.");
}

static void say_type(const struct view *v, uint32_t row, struct text *out)
{
	uint64_t events = v->now.types[row].events;

	text_count(out, events);
	text_add(out, events == 1 ? " event, " : " events, ");
	tasks_share_text((int64_t)events, (int64_t)v->now.all, out);
	text_add(out, " % of ");
	text_count(out, v->now.all);
	text_add(out, v->scope.nr_filters ? " that match the filters" : "");
	text_add(out, v->range.set ? " in the range. " : ". ");
	text_add(out, "Enter goes to the next one in Events; i e shows only these.");
}

static void say_row(const struct view *v, uint32_t row, struct text *out)
{
	if (v->list == TASKS_OF_TYPES)
		say_type(v, row, out);
	else if (v->list == TASKS_OF_CPUS)
		say_cpu(v, &v->now.figures.cpus[row], out);
	else
		say_task(v, row, out);
}

int tasks_words_rows(const struct view *v, int cols)
{
	struct text t = { 0 };
	int rows = 0;

	if (v->table.window.at >= v->table.nr || tasks_has_nothing(v))
		return 0;
	say_row(v, tasks_row(v), &t);
	for (const char *s = text_str(&t); *s; rows++) {
		s += canvas_line(s, cols - 1);
		s += strspn(s, " ");
	}
	text_fini(&t);
	return rows;
}

void tasks_draw_detail(struct view *v, const struct view_area *area, int max_rows)
{
	struct canvas *c = area->canvas;
	struct text t = { 0 };
	uint32_t row;

	(void)max_rows;
	if (v->table.window.at >= v->table.nr || area->rows < 1 || tasks_has_nothing(v))
		return;
	row = tasks_row(v);
	canvas_fill(c, area->top, 0, c->cols, ROLE_DIVIDER, "─");
	tasks_name(v, row, &t);
	canvas_fit(c, area->top, 2, c->cols - 4, ROLE_HEADING, text_str(&t));
	text_clear(&t);
	say_row(v, row, &t);
	canvas_words(c, area->top + 1, area->top + area->rows, text_str(&t));
	text_fini(&t);
}
