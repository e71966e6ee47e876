/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks_draw - the tables of the Tasks view on the canvas, and the row under the cursor in words. */
#include <inttypes.h>
#include <string.h>

#include "src/timeline.h"
#include "ui/row.h"
#include "ui/view_tasks.h"

#define LEAST_NAME_CELLS	16
#define MOST_NAME_CELLS		28

/* --- cells -------------------------------------------------------------------------- */

static void add_share(const struct view *v, int64_t time, struct text *out)
{
	int64_t span = tasks_span(v);

	if (span > 0)
		text_printf(out, "%.1f", (double)time * 100 / (double)span);
	else
		text_add(out, "–");
}

static void add_value(const struct view *v, uint32_t row, unsigned int column, enum tasks_kind kind, struct text *out)
{
	int64_t value = kind == TASKS_IS_NAME ? 0 : tasks_value(v, row, column);

	switch (kind) {
	case TASKS_IS_NAME:
		tasks_name(v, row, out);
		break;
	case TASKS_IS_TIME:
		if (value)
			shared_duration(v->shared, value, out);
		else
			text_add(out, "–");
		break;
	case TASKS_IS_SHARE:
		add_share(v, value, out);
		break;
	case TASKS_IS_COUNT:
		text_count(out, (uint64_t)value);
		break;
	}
}

void tasks_row_text(const struct view *v, uint32_t row, struct text *out)
{
	const struct tasks_column_info *columns;
	unsigned int nr;

	columns = tasks_columns(v, &nr);
	for (unsigned int i = 0; i < nr; i++) {
		struct text cell = { 0 };
		int cells;

		add_value(v, row, i, columns[i].kind, &cell);
		cells = text_cells(text_str(&cell), cell.len);
		if (!i) {
			text_add(out, text_str(&cell));
			text_pad(out, cells < MOST_NAME_CELLS ? (size_t)(MOST_NAME_CELLS - cells) : 0);
		} else {
			text_printf(out, "  %s ", columns[i].name);
			text_add(out, text_str(&cell) + strspn(text_str(&cell), " "));
		}
		text_fini(&cell);
	}
}

/* --- columns that have room ------------------------------------------------------------ */

struct layout {
	int		name;		/* cells of it */
	unsigned int	columns[NR_TASKS_COLUMNS];
	unsigned int	nr;
};

/* From the right, columns that have no room are left out, but for the one that is sorted by. */
static void lay_out(const struct view *v, int cols, struct layout *l)
{
	const struct tasks_column_info *columns;
	unsigned int all, sort = v->sort[v->by_cpu];
	int used = 2 + LEAST_NAME_CELLS;

	columns = tasks_columns(v, &all);
	l->nr = 0;
	for (unsigned int i = 1; i < all; i++) {
		if (i <= v->side && i != sort)
			continue;
		used += columns[i].cells;
		l->columns[l->nr++] = i;
	}
	while (used > cols && l->nr) {
		unsigned int last = l->nr - 1;

		if (l->columns[last] == sort && last)
			last--;
		used -= columns[l->columns[last]].cells;
		memmove(l->columns + last, l->columns + last + 1, (l->nr - last - 1) * sizeof(l->columns[0]));
		l->nr--;
	}
	l->name = LEAST_NAME_CELLS + cols - used;
	if (l->name > MOST_NAME_CELLS)
		l->name = MOST_NAME_CELLS;
}

/* --- headings ----------------------------------------------------------------------------- */

static void draw_scope(const struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	struct text t = { 0 };
	int used;

	text_count(&t, v->nr);
	text_add(&t, v->by_cpu ? v->nr == 1 ? " CPU" : " CPUs" : v->nr == 1 ? " task" : " tasks");
	if (!v->figures.done)
		text_printf(&t, "   ~ %u %% counted so far", v->figures.permille / 10);
	else if (v->figures.failed)
		text_add(&t, "   ~ more tasks than a kernel can have: not all is counted");
	if (trace_nr_files(v->shared->trace) > 1) {
		text_add(&t, "   of ");
		shared_file_name(v->shared, 0, &t);
	}
	used = canvas_text(c, area->top, 1, c->cols - 2, ROLE_HEADING, text_str(&t));
	text_clear(&t);
	text_add(&t, "range ");
	if (v->range.set)
		shared_span(v->shared, time_between(v->range.from, v->range.to), &t);
	else
		text_add(&t, "whole");
	text_add(&t, filters_active(&v->shared->filters) ? "   filter not applied here" : "   filter none");
	canvas_right(c, area->top, used + 3, c->cols - used - 4, ROLE_HEADING, text_str(&t));
	text_fini(&t);
}

static void draw_column_names(const struct view *v, const struct view_area *area, const struct layout *l)
{
	const struct tasks_column_info *columns;
	unsigned int nr, sort = v->sort[v->by_cpu];
	bool down = (sort != TASKS_NAME) != v->inverted[v->by_cpu];
	const char *mark = area->canvas->ascii ? down ? " v" : " ^" : down ? " ▾" : " ▴";
	int col = 1 + l->name;
	struct text t = { 0 };

	columns = tasks_columns(v, &nr);
	text_printf(&t, "%s%s", columns[0].name, sort ? "" : mark);
	canvas_text(area->canvas, area->top + 1, 1, l->name, ROLE_HEADING, text_str(&t));
	for (unsigned int i = 0; i < l->nr; i++) {
		const struct tasks_column_info *info = &columns[l->columns[i]];

		text_clear(&t);
		text_printf(&t, "%s%s", info->name, l->columns[i] == sort ? mark : "");
		canvas_right(area->canvas, area->top + 1, col, info->cells, ROLE_HEADING, text_str(&t));
		col += info->cells;
	}
	text_fini(&t);
}

/* --- rows ----------------------------------------------------------------------------------- */

static void draw_name(const struct view *v, struct canvas *c, int line, uint32_t row, int cells)
{
	struct text name = { 0 }, fitted = { 0 };
	enum role role = v->by_cpu ? ROLE_TEXT : row_hash_role(task_figures_name(&v->figures, row));
	size_t start, end;

	tasks_name(v, row, &name);
	timeline_fit_name(text_str(&name), !v->by_cpu, cells, &fitted);
	canvas_text(c, line, 1, cells, role, text_str(&fitted));
	if (v->shared->pattern && search_pattern_find(v->shared->pattern, text_str(&name), name.len, 0, &start, &end))
		canvas_over(c, line, 1, cells, ROLE_MATCH);
	text_fini(&name);
	text_fini(&fitted);
}

static void draw_row(const struct view *v, struct canvas *c, int line, uint32_t at, const struct layout *l)
{
	const struct tasks_column_info *columns;
	uint32_t row = v->order[at];
	struct text t = { 0 };
	int col = 1 + l->name;
	unsigned int nr;

	columns = tasks_columns(v, &nr);
	draw_name(v, c, line, row, l->name);
	for (unsigned int i = 0; i < l->nr; i++) {
		const struct tasks_column_info *info = &columns[l->columns[i]];

		text_clear(&t);
		add_value(v, row, l->columns[i], info->kind, &t);
		canvas_right(c, line, col, info->cells, ROLE_NUMBER, text_str(&t));
		col += info->cells;
	}
	if (at == v->at) {
		canvas_text(c, line, 0, 1, ROLE_TEXT, ">");
		canvas_over(c, line, 0, c->cols, ROLE_SELECTED);
	}
	text_fini(&t);
}

/* What is missing, and what does answer. */
static void draw_nothing(const struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	int line = area->top + 1;

	if (!v->table) {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT, "Latency text tells no switches of tasks: 1 Events shows its lines.");
	} else if (!v->has_figures || !v->figures.done) {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT, "Adding up what tasks did …");
	} else {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT, "No sched events here: who ran, waited and slept cannot be told.");
		canvas_text(c, line + 2, 2, c->cols - 3, ROLE_DIM, "To record them: R, or");
		canvas_text(c, line + 3, 2, c->cols - 3, ROLE_DIM,
			    "ftop-trace record -e sched_switch -e sched_waking -e sched_wakeup CMD");
		canvas_text(c, line + 4, 2, c->cols - 3, ROLE_DIM,
			    "1 Events shows what there is; p there counts the events of each task.");
	}
}

void tasks_draw(struct view *v, const struct view_area *area)
{
	struct layout l;

	v->body_top = area->top + TASKS_HEADINGS;
	v->height = area->rows > TASKS_HEADINGS ? (uint32_t)(area->rows - TASKS_HEADINGS) : 1;
	if (!v->nr || (v->figures.done && !v->figures.sched_records)) {
		draw_nothing(v, area);
		return;
	}
	if (v->at < v->top)
		v->top = v->at;
	if (v->at >= v->top + v->height)
		v->top = v->at - v->height + 1;
	if (v->top && v->top + v->height > v->nr)
		v->top = v->nr > v->height ? v->nr - v->height : 0;
	lay_out(v, area->canvas->cols, &l);
	draw_scope(v, area);
	draw_column_names(v, area, &l);
	for (uint32_t i = 0; i < v->height && v->top + i < v->nr; i++)
		draw_row(v, area->canvas, v->body_top + (int)i, v->top + i, &l);
}

/* --- the selected row ------------------------------------------------------------------------- */

static void say_time(const struct view *v, const char *before, int64_t time, const char *behind, struct text *out)
{
	if (!time)
		return;
	text_add(out, before);
	shared_span(v->shared, time, out);
	text_add(out, behind);
}

static void say_task(const struct view *v, const struct sched_task *t, struct text *out)
{
	int64_t ran = tasks_value(v, v->order[v->at], TASKS_SHARE);

	if (!v->figures.switches) {
		text_add(out, "No sched_switch was recorded: how long it ran and waited cannot be told. ");
	} else if (ran) {
		text_add(out, "Ran ");
		shared_span(v->shared, ran, out);
		text_add(out, ", ");
		add_share(v, ran, out);
		text_add(out, " % of the time");
		say_time(v, ", of it ", t->run_cut, " in runs whose beginning or end is not recorded", out);
		text_add(out, ". ");
	} else {
		text_add(out, "It did not run. ");
	}
	if (t->max_wakeup) {
		say_time(v, "Its worst wake-up waited ", t->max_wakeup, ", since ", out);
		shared_time(v->shared, task_table_moment(v->table, t->max_wake_ts), 6, out);
		text_add(out, ": Enter shows it. ");
	}
	say_time(v, "Could have run but did not for ", t->wait, ". ", out);
	if (t->switches)
		text_printf(out, "Left the CPU %" PRIu64 " time%s, %" PRIu64 " of them preempted. ", t->switches,
			    t->switches == 1 ? "" : "s", t->preemptions);
}

static void say_cpu(const struct view *v, const struct cpu_sums *c, struct text *out)
{
	int64_t rest = tasks_span(v) - c->busy - c->idle;

	text_add(out, "Tasks ran for ");
	shared_span(v->shared, c->busy, out);
	text_add(out, ", none did for ");
	shared_span(v->shared, c->idle, out);
	text_add(out, ". ");
	if (rest > 0)
		say_time(v, "Of ", rest,
			 " it is not known: before the first event of this CPU, behind the last, or where events are lost. ", out);
	text_add(out, "Enter shows its row in the Timeline.");
}

void tasks_draw_detail(struct view *v, const struct view_area *area, int max_rows)
{
	struct canvas *c = area->canvas;
	struct text t = { 0 };
	uint32_t row;

	(void)max_rows;
	if (v->at >= v->nr || area->rows < 1)
		return;
	row = v->order[v->at];
	canvas_fill(c, area->top, 0, c->cols, ROLE_DIVIDER, "─");
	tasks_name(v, row, &t);
	canvas_fit(c, area->top, 2, c->cols - 4, ROLE_HEADING, text_str(&t));
	text_clear(&t);
	if (v->by_cpu)
		say_cpu(v, &v->figures.cpus[row], &t);
	else
		say_task(v, &v->figures.tasks[row], &t);
	canvas_words(c, area->top + 1, area->top + area->rows, text_str(&t));
	text_fini(&t);
}
