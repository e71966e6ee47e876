/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions_draw - draws the columns and rows of the Functions view, with callers and callees. */
#include <string.h>

#include "src/base/shorten.h"
#include "ui/view/list_tabs.h"
#include "ui/view/no_calls.h"
#include "ui/view/nothing_left.h"
#include "ui/functions/view_functions.h"
#include "ui/rows/row.h"
#include "ui/rows/slow.h"

#define NAME_LEAST	23
#define NAME_MOST	40
#define HEADINGS	2		/* lines for the scope and the titles */

/* --- the table ---------------------------------------------------------------------------- */

static const void *row(const void *owner, uint32_t row, struct table_made *made)
{
	const struct view *view = owner;

	if (made->rest)
		return functions_row_of_rest(view, row);
	return functions_row(view, row);
}

static enum role name_role(const void *owner, uint32_t row, bool *is_task)
{
	*is_task = functions_is_group(owner, row) &&
		   ((const struct view *)owner)->groups.counted == GROUPING_PROCESS;
	return functions_is_group(owner, row) ? ROLE_TEXT : ROLE_EVENT_FUNCTION;
}

static void add_below(const void *owner, uint32_t i, struct text *out, enum role *line_role)
{
	struct functions_line line = functions_below(owner, i);

	functions_line_text(owner, &line, out);
	*line_role = line.kind == LINE_LOOKING ? ROLE_DIM : ROLE_TEXT;
}

static bool is_dim(const void *owner, uint32_t row)
{
	const struct view *view = owner;

	return view->lines.comparing && view->compare.by_chance && !functions_is_group(view, row) &&
	       view->compare.by_chance[row];
}

static const struct table_ops ops = {
	.nr_rows = functions_nr_rows,
	.is_shown = functions_is_row_shown,
	.key = functions_key,
	.parent = functions_parent,
	.lead = functions_lead,
	.row = row,
	.name_role = name_role,
	.is_dim = is_dim,
	.nr_below = functions_nr_below,
	.below = add_below,
	.below_key = functions_below_key,
	.enter = functions_enter,
	.figure_word = "figure of the sorted column",
	.found_word = "function",
};

void functions_lines_init(struct view *view)
{
	view->lines = (struct table){ .ops = &ops, .owner = view, .host = view->host,
				      .shared = view->shared,
				      .lists = { &function_columns, &functions_compare_columns },
				      .orders = view->order,
				      .name_least = NAME_LEAST, .name_most = NAME_MOST,
				      .ties_stay = true };
	view->order[0].column = FUNCTION_TOTAL;
}

/* --- headings ----------------------------------------------------------------------------- */

void functions_scope_text(struct view *view, struct text *out)
{
	const struct shared *shared = view->shared;
	bool comparing = view->lines.comparing;
	int64_t from, to;

	if (shared_range(shared, &from, &to)) {
		text_add(out, "range ");
		shared_time(shared, from, 6, out);
		text_add(out, "–");
		shared_time(shared, to, 6, out);
	} else if (!comparing) {
		text_add(out, "range whole");
	}
	if (comparing)
		functions_compare_scope(view, out);
	text_add(out, out->len && out->data[out->len - 1] == ' ' ? "filter " : "  filter ");
	if (filters_active(&shared->chosen.filters))
		filters_text(&shared->chosen.filters, out);
	else
		text_add(out, "none");
}

static void draw_scope(struct view *view, struct canvas *canvas, int y)
{
	bool wide = canvas->cols >= 100, comparing = view->lines.comparing;
	bool limited = call_scope_is_limited(&view->scope);
	int used = list_tabs_draw(canvas, y, functions_lists(view), functions_letter(view),
				  canvas->cols);
	struct text t = { 0 };

	if (view->job)
		text_printf(&t, "%u %% counted  ", function_job_permille(view->job) / 10);
	else if (view->groups.now.job)
		text_printf(&t, "groups: %u %% counted  ",
			    function_job_permille(view->groups.now.job) / 10);
	shared_of_file(view->shared, view->file, comparing, &t);
	if (view->measured && (wide || (!comparing && trace_nr_files(view->shared->trace) == 1))) {
		slow_by_net(view->shared, view->file);
		slow_text(view->shared, &t);
		text_add(&t, "  ");
	}
	functions_scope_text(view, &t);
	if (comparing && view->compare.alone && canvas->cols >= 118)
		text_printf(&t, "  %u only there", view->compare.alone);
	if (view->table && view->table->inferred)
		text_add(&t, wide ? "  inferred: counts, no times" : "  inferred: no times");
	else if (view->table && view->table->nr && !view->table->has_away)
		text_printf(&t, "  %s", graph_net_needs(view->shared->trace, view->file));
	if (view->table && view->table->nr && graph_slow_alone(view->shared->trace, view->file))
		text_add(&t, "  slow calls alone");
	if (view->table && !view->table->exact)
		text_add(&t, "  percentiles to 3 digits");
	if (view->list == 'f' && view->table && view->table->paths &&
	    !call_paths_are_whole(view->table->paths))
		text_add(&t, "  too many stacks: the rarest are cut short");
	if (view->list == 'f' && view->table && view->table->paths &&
	    call_paths_too_deep(view->table->paths))
		text_printf(&t, "  stacks are cut at %u calls", CALL_PATH_LEVELS);
	canvas_fit(canvas, y, used + 1, canvas->cols - used - 2, limited ? ROLE_RANGE : ROLE_DIM,
		   text_str(&t));
	text_fini(&t);
}

static void draw_empty(struct view *view, struct canvas *canvas, int top)
{
	struct text t = { 0 };

	if (functions_waits(view)) {
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_DIM,
			    "Nothing counted so far …");
		return;
	}
	if (!view->has_calls) {
		no_calls_draw(view->shared, canvas, top + 1);
		return;
	}
	text_add(&t, "No call is in  ");
	functions_scope_text(view, &t);
	nothing_left_draw(view->shared, canvas, top + 1, canvas->rows, text_str(&t), NULL);
	text_fini(&t);
}

static void draw_flame(struct view *view, const struct view_area *area)
{
	struct text t = { 0 };

	if (functions_flame_refresh(view)) {
		functions_flame_draw(view, area);
		return;
	}
	text_printf(&t, "No %s here to make frames of: > has widths by another figure.",
		    functions_flame_measure(view));
	if (!functions_is_stacks(view) && view->flame.measure == FLAME_NET &&
	    !view->table->has_away)
		text_printf(&t, " %s.", graph_net_needs(view->shared->trace, view->file));
	canvas_fit(area->canvas, area->top + 2, 2, area->canvas->cols - 3, ROLE_DIM, text_str(&t));
	text_fini(&t);
}

void functions_draw(struct view *view, const struct view_area *area)
{
	unsigned int nr = view->table ? view->table->nr : 0;

	functions_measure(view);
	view->body_top = area->top + HEADINGS;
	view->height = area->rows > HEADINGS ? (unsigned int)(area->rows - HEADINGS) : 1;
	functions_flame_size(view, view->height,
			     (uint32_t)(area->canvas->cols > 2 ? area->canvas->cols - 2 : 1));
	if (functions_is_stacks(view)) {
		functions_stacks_draw(view, area);
		return;
	}
	if (!nr) {
		draw_empty(view, area->canvas, area->top);
		return;
	}
	draw_scope(view, area->canvas, area->top);
	if (view->list == 'f') {
		draw_flame(view, area);
		return;
	}
	if (view->list == 'i') {
		functions_instances_draw(view, area);
		return;
	}
	table_draw(&view->lines, area->canvas, area->top + 1, area->rows - 1);
}

/* --- the function under the cursor ---------------------------------------------------------- */

#define MOST_RELATIVES	20u		/* listed; more do not fit */

static void add_relatives(const struct view *view, const char *title,
			  const struct relatives *relatives, struct text *out)
{
	text_add(out, title);
	if (!relatives->nr)
		text_add(out, " none");
	for (unsigned int i = 0; i < relatives->nr && i < MOST_RELATIVES; i++) {
		const struct relative *relative = &relatives->list[i];

		text_add(out, i ? " · " : " ");
		functions_relative_name(view, relative, out);
		text_char(out, ' ');
		text_count(out, relative->calls);
	}
}

/* Describe how exact the function's time is. */
static void add_exactness(const struct call_total *total, struct text *out)
{
	if (total->calls && !total->leaf_calls)
		return;
	text_add(out, "  ");
	if (total->calls && total->leaf_calls == total->calls) {
		text_add(out, "all leaves: exact");
	} else if (total->calls) {
		text_count(out, total->leaf_calls);
		text_add(out, total->leaf_calls == 1 ? " leaf avg " : " leaves avg ");
		text_duration(out, total->leaf_sum / total->leaf_calls);
		text_add(out, ", exact; ");
		text_counted(out, total->calls - total->leaf_calls, "tree");
		text_add(out, " avg ");
		text_duration(out,
			      (total->sum - total->leaf_sum) / (total->calls - total->leaf_calls));
		text_add(out, ", with tracing overhead");
	} else {
		text_add(out, total->entries ? "counted from the tracer function, which records no "
					       "times" :
					       "no call has an end here");
	}
}

void functions_draw_detail(struct view *view, const struct view_area *area, int max_rows)
{
	const struct function_row *row = functions_function_here(view);
	struct text t = { 0 };

	(void)max_rows;
	if (area->rows < 1 || (!row && !functions_is_stacks(view)))
		return;
	if (view->list == 'f' || functions_is_stacks(view)) {
		if (functions_flame_refresh(view))
			functions_flame_draw_detail(view, area);
		return;
	}
	functions_relatives(view);
	text_printable(&t, row->name, strlen(row->name));
	if (is_dim(view, (uint32_t)(row - view->table->rows)))
		text_add(&t, "  the difference is within noise");
	add_exactness(row->total, &t);
	functions_detail_line(area, 0, &t);
	if (!view->table->paths)
		text_add(&t, "callers and callees are shown when all is counted");
	else
		add_relatives(view, "callers:", &view->callers, &t);
	functions_detail_line(area, 1, &t);
	if (view->table->paths)
		add_relatives(view, "callees:", &view->callees, &t);
	functions_detail_line(area, 2, &t);
	text_fini(&t);
}
