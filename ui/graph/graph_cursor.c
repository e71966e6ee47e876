/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_cursor - finds the row of a record or a moment, and the place of a row. */
#include "ui/graph/view_graph.h"

const struct call *graph_call(const struct view *view, const struct graph_row *row)
{
	return call_tree_call(call_window_tree(view->window), row->call);
}

/* The sibling in a folded row that was under the cursor before they were folded, or NULL. */
static const struct call *member_here(const struct view *view, const struct graph_row *row)
{
	for (uint32_t i = 0; i < row->nr; i++) {
		const struct call *member = call_tree_call(call_window_tree(view->window),
							   view->rows.members[row->members + i]);

		if (call_key(member) == view->here)
			return member;
	}
	return NULL;
}

uint32_t graph_find_record(const struct view *view, trace_ref ref)
{
	const struct call_tree *tree = call_window_tree(view->window);

	for (uint32_t n = 1; n < call_tree_limit(tree); n++) {
		const struct call *call = call_tree_call(tree, n);

		if (call->kind != CALL_AWAY &&
		    (call->entry == ref || (call_is_call(call) && call->exit == ref)))
			return n;
	}
	for (uint32_t n = 1; n < call_tree_limit(tree); n++)
		if (call_tree_call(tree, n)->kind == CALL_AWAY &&
		    call_tree_call(tree, n)->entry == ref)
			return n;
	return CALL_NONE;
}

/* The key that identifies a row; for siblings, the key of the one under the cursor. */
static trace_ref key_of_row(const struct view *view, const struct graph_row *row)
{
	const struct call_tree *tree = call_window_tree(view->window);

	if (row->kind == GRAPH_ROW_GROUP && view->here != TRACE_REF_NONE)
		for (uint32_t n = graph_find_record(view, view->here); n;
		     n = call_tree_call(tree, n)->parent)
			for (uint32_t i = 0; i < row->nr; i++)
				if (view->rows.members[row->members + i] == n)
					return call_key(call_tree_call(tree, n));
	return call_key(graph_call(view, row));
}

void graph_select(struct view *view, unsigned int row)
{
	if (!view->rows.nr)
		return;
	view->lines.at = row < view->rows.nr ? row : view->rows.nr - 1;
	view->here = key_of_row(view, &view->rows.rows[view->lines.at]);
	view->here_kind = view->rows.rows[view->lines.at].kind;
}

uint32_t graph_find_moment(const struct view *view, int64_t ts)
{
	const struct call_tree *tree = call_window_tree(view->window);
	uint32_t best = CALL_NONE, behind = CALL_NONE, last = CALL_NONE;
	int64_t best_start = 0, behind_start = 0, last_start = 0;

	for (uint32_t n = 1; n < call_tree_limit(tree); n++) {
		const struct call *call = call_tree_call(tree, n);
		int64_t start = call_text_start(view->text, call), end;

		if ((!call_is_call(call) && call->kind != CALL_AWAY) ||
		    (view->by_cpu && call_text_cpu(view->text, call, false) != view->cpu))
			continue;
		end = call_is_timed(call) || call->kind == CALL_AWAY ?
			      call_text_end(view->text, call) :
		      call->kind == CALL_OPEN ? INT64_MAX :
						start;
		if (start <= ts && ts <= end && (best == CALL_NONE || start >= best_start))
			best = n, best_start = start;
		if (call->kind == CALL_AWAY)
			continue;
		if (start > ts && (behind == CALL_NONE || start < behind_start))
			behind = n, behind_start = start;
		if (last == CALL_NONE || start > last_start)
			last = n, last_start = start;
	}
	return best ? best : behind ? behind : last;
}

void graph_find_here(struct view *view)
{
	uint32_t call = view->here != TRACE_REF_NONE ? graph_find_record(view, view->here) :
						       CALL_NONE;
	int row = call ? graph_rows_find(&view->rows, call_window_tree(view->window), call) : -1;

	if (row < 0)
		row = view->lines.at < view->rows.nr ? (int)view->lines.at : (int)view->rows.nr - 1;
	/* a call, its end, and the group that it begins are different rows */
	if (view->here_kind == GRAPH_ROW_END || view->here_kind == GRAPH_ROW_GROUP)
		for (unsigned int i = 0; i < view->rows.nr; i++)
			if (view->rows.rows[i].kind == view->here_kind &&
			    (view->rows.rows[i].call == call ||
			     member_here(view, &view->rows.rows[i])))
				row = (int)i;
	view->lines.at = row < 0 ? 0 : (unsigned int)row;
}

bool graph_is_here(const struct view *view, uint32_t call)
{
	const struct graph_row *row = view->lines.at < view->rows.nr ?
					      &view->rows.rows[view->lines.at] :
					      NULL;

	return row && row->kind == view->here_kind && view->here != TRACE_REF_NONE &&
	       graph_find_record(view, view->here) == call &&
	       (row->call == call || member_here(view, row));
}

struct place graph_place(const struct view *view, const struct graph_row *row, bool end)
{
	const struct call *call = graph_call(view, row);
	const struct call_task *task = call_tree_task(call_window_tree(view->window), row->task);
	const struct call *here = row == &view->rows.rows[view->lines.at] && !end ?
					  member_here(view, row) :
					  NULL;
	struct place place = { .set = true, .file = view->file, .pid = task->pid };
	bool at_exit;

	call = here ? here : call;
	/* siblings end at the end of the last one */
	for (uint32_t i = 0; end && i < row->nr; i++) {
		const struct call *member = call_tree_call(call_window_tree(view->window),
							   view->rows.members[row->members + i]);

		call = member->end > call->end ? member : call;
	}
	at_exit = end && call->exit != TRACE_REF_NONE;
	place.ref = at_exit ? call->exit : call_key(call);
	place.ts = end ? call_text_end(view->text, call) : call_text_start(view->text, call);
	place.cpu = call_text_cpu(view->text, call, end);
	return place;
}
