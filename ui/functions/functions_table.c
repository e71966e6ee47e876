/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions_table - the rows of the Functions view: their order, callers and callees, and keys. */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/rows/slow.h"
#include "ui/functions/view_functions.h"

#define HOT_PATH_STEPS	64

/* --- order ----------------------------------------------------------------------------- */

void functions_sort(struct view *view)
{
	functions_compare_match(view);
	functions_groups_match(view);
	functions_open_find(view);
	table_update(&view->lines);
}

void functions_leave_gone(struct view *view)
{
	if (view->list == 't' && trace_grows(view->shared->trace))
		table_leave_gone(&view->lines);
}

void functions_measure(struct view *view)
{
	bool by_net = view->table && view->table->has_away && slow_by_net(view->shared, view->file);

	view->lines.lacks = view->table && view->table->nr && !view->table->has_away &&
					    !view->table->inferred ?
				    FUNCTION_NEEDS_AWAY :
				    0;
	view->calls.lacks = view->lines.lacks;

	if (!view->table || view->table->inferred || (view->measured && view->by_net == by_net))
		return;
	/* at first, an order that was chosen before stays */
	if (view->measured || (by_net && view->order[0].column == FUNCTION_TOTAL)) {
		view->order[0].column = by_net ? FUNCTION_NET : FUNCTION_TOTAL;
		view->order[0].inverted = false;
	}
	if (view->measured || by_net) {
		view->flame.measure = by_net ? FLAME_NET : FLAME_TOTAL;
		view->instances_order.column = by_net ? INSTANCE_NET : INSTANCE_DURATION;
		functions_flame_drop(view);
	}
	view->measured = true;
	view->by_net = by_net;
	functions_drop_relatives(view);
	functions_sort(view);
}

/* --- callers and callees --------------------------------------------------------------- */

void functions_drop_relatives(struct view *view)
{
	view->callers.nr = view->callees.nr = 0;
	view->relatives_of = 0;
}

static void add_relative(struct relatives *relatives, uint64_t address,
			 const struct call_path *path)
{
	unsigned int i = 0;

	if (!path->calls)
		return;
	while (i < relatives->nr && relatives->list[i].address != address)
		i++;
	if (i == relatives->nr) {
		mem_grow(&relatives->list, relatives->nr, &relatives->cap);
		relatives->list[relatives->nr++] = (struct relative){ .address = address };
	}
	relatives->list[i].calls += path->calls;
	relatives->list[i].total += path->total;
	relatives->list[i].net += path->net;
}

/* The one with most of what "slow" compares comes first. */
static int most_first(const void *a, const void *b, void *by_net)
{
	const struct relative *x = a, *y = b;

	if (by_net && x->net != y->net)
		return x->net < y->net ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->calls != y->calls && !x->total)
		return x->calls < y->calls ? 1 : -1;
	return x->address < y->address ? -1 : x->address > y->address;
}

void functions_relatives_of(struct view *view, uint64_t function, struct relatives *callers,
			    struct relatives *callees)
{
	const struct call_paths *paths = view->table ? view->table->paths : NULL;

	callers->nr = callees->nr = 0;
	for (uint32_t i = 1; function && paths && i < call_paths_nr(paths); i++) {
		const struct call_path *path = call_paths_at(paths, i),
				       *above = call_paths_at(paths, path->parent);
		uint64_t caller = path->parent == CALL_PATH_ROOT ? 0 : above->address;

		if (path->address == function)
			add_relative(callers, caller, path);
		if (caller == function)
			add_relative(callees, path->address, path);
	}
	if (callers->nr)
		qsort_r(callers->list, callers->nr, sizeof(callers->list[0]), most_first,
			view->by_net ? view : NULL);
	if (callees->nr)
		qsort_r(callees->list, callees->nr, sizeof(callees->list[0]), most_first,
			view->by_net ? view : NULL);
}

void functions_relatives(struct view *view)
{
	const struct function_row *row = functions_here(view);

	if (!row || !view->table->paths || view->relatives_of == row->total->address)
		return;
	view->relatives_of = row->total->address;
	functions_relatives_of(view, view->relatives_of, &view->callers, &view->callees);
}

/* --- the cursor ------------------------------------------------------------------------ */

static const struct function_row *row_of(const struct view *view, uint64_t address)
{
	for (unsigned int i = 0; address && i < view->table->nr; i++)
		if (view->table->rows[i].total->address == address)
			return &view->table->rows[i];
	return NULL;
}

const struct function_row *functions_here(const struct view *view)
{
	const struct function_row *row;
	struct functions_line line;

	if (!view->table || view->lines.window.at >= table_nr_lines(&view->lines))
		return NULL;
	line = functions_line(view, view->lines.window.at);
	if (line.kind == LINE_FUNCTION)
		return functions_row(view, view->lines.rows[line.index]);
	row = row_of(view, functions_line_function(view, &line));
	return row ? row : row_of(view, view->open);
}

const struct function_row *functions_function_here(const struct view *view)
{
	const struct function_row *row = functions_here(view);

	return row ? row_of(view, row->total->address) : NULL;
}

/* --- keys ------------------------------------------------------------------------------ */

/* Go to the row of a caller or callee; false if it has none. */
static bool go_to_function(struct view *view, uint64_t address)
{
	return address && table_select_key(&view->lines, address);
}

/* Enter goes there, and q returns. */
static void go_to_relative(struct view *view, uint64_t address)
{
	if (!go_to_function(view, address)) {
		host_message(view->host, "it has no row here");
		return;
	}
	if (view->nr_came == FUNCTIONS_CAME)
		memmove(view->came, view->came + 1, --view->nr_came * sizeof(view->came[0]));
	view->came[view->nr_came++] = view->open;
}

/* Return to where Enter was pressed; false if that is not in this table. */
static bool back(struct view *view)
{
	while (view->nr_came)
		if (go_to_function(view, view->came[--view->nr_came]))
			return true;
	return false;
}

/* Go to the next row with a larger or smaller value in the sort column. */
static void to_slower(struct view *view, bool slower)
{
	unsigned int column = view->order[0].column == FUNCTION_NAME ? FUNCTION_TOTAL :
								       view->order[0].column;
	const struct table_column *by = &function_columns.list[column];
	uint64_t here = (uint64_t)table_out_number(by, functions_here(view)), best = 0, found = 0;

	for (uint32_t i = 0; i < view->lines.nr; i++) {
		const struct function_row *row = functions_row(view, view->lines.rows[i]);
		uint64_t value = (uint64_t)table_out_number(by, row);

		if ((slower ? value <= here : value >= here) ||
		    (found && (slower ? value >= best : value <= best)))
			continue;
		found = functions_key(view, view->lines.rows[i]);
		best = value;
	}
	if (!found)
		host_message(view->host, slower ? "no function has more" : "no function has less");
	else
		table_select_key(&view->lines, found);
}

bool functions_shows_net(const struct view *view)
{
	unsigned int column = view->lines.comparing ? FUNCTION_TOTAL :
						      table_sorted_by(&view->lines);

	return column == FUNCTION_NET || (view->by_net && column != FUNCTION_SELF &&
					  function_columns.list[column].own != FUNCTION_MARKED);
}

/*
 * Show the call that the sorted column means: the most net or self time, the longest; by other
 * figures, the one with the most of what "slow" compares.
 */
static void show_call(struct view *view, const struct call_total *total)
{
	unsigned int column = view->lines.comparing ? FUNCTION_TOTAL :
						      table_sorted_by(&view->lines);
	bool by_self = column == FUNCTION_SELF, by_net = functions_shows_net(view);
	const struct call_most *most = by_self ? &total->most_self : &total->most_net;

	if ((by_self || by_net) && most->ns) {
		functions_show_call(view, most->exit, most->duration);
		return;
	}
	functions_show_call(view, total->worst, total->max);
	if ((by_self && total->doubtful) || (by_net && total->no_net))
		host_message(view->host, "the %s of its calls is not known: this is the longest",
			     by_self ? "self" : "net");
}

/* Show a call of the function in Graph; on a line below an open row, what that line describes. */
void functions_enter(void *owner)
{
	struct view *view = owner;
	const struct function_row *row = functions_here(view);
	struct functions_line line = functions_line(view, view->lines.window.at);
	uint32_t nr;

	if (line.kind == LINE_INSTANCE) {
		functions_show_instance(view, &functions_instances(view, &nr)[line.index]);
		return;
	}
	if (line.kind == LINE_CALLER || line.kind == LINE_CALLEE) {
		go_to_relative(view, functions_line_function(view, &line));
		return;
	}
	if (!row->total->calls && !row->total->entries) {
		host_message(view->host,
			     "none of its calls has an end here, so there is no longest one");
		return;
	}
	show_call(view, row->total);
}

static void to_relative(struct view *view, bool caller)
{
	const struct relatives *relatives = caller ? &view->callers : &view->callees;

	if (!view->table->paths) {
		host_message(view->host, "callers and callees are known when all is counted");
		return;
	}
	functions_relatives(view);
	for (unsigned int i = 0; i < relatives->nr; i++)
		if (relatives->list[i].address != view->relatives_of &&
		    go_to_function(view, relatives->list[i].address))
			return;
	host_message(view->host, caller ? "no other function called it here" :
					  "it called no other function here");
}

/* Is the function's own time (by net: without sleep) longer than its heaviest callee's? */
static bool has_more_own(const struct view *view, const struct function_row *row)
{
	const struct relatives *callees = &view->callees;
	uint64_t rest = row->total->total;

	if (view->by_net)
		return callees->list[0].net < row->total->self;
	for (unsigned int i = 0; i < callees->nr; i++)
		rest -= callees->list[i].total < rest ? callees->list[i].total : rest;
	return callees->list[0].total < rest;
}

/* Go down the heaviest callees, until one has more of its own or the calls recurse. */
static void hot_path(struct view *view)
{
	unsigned int from = view->lines.window.at;

	if (!view->table->paths)
		to_relative(view, false);
	for (int i = 0; i < HOT_PATH_STEPS && view->table->paths; i++) {
		const struct function_row *row = functions_here(view);

		functions_relatives(view);
		if (!view->callees.nr || view->callees.list[0].address == view->relatives_of ||
		    has_more_own(view, row) || !go_to_function(view, view->callees.list[0].address))
			break;
	}
	if (view->table->paths && view->lines.window.at == from)
		host_message(view->host,
			     "the time went here: no function called took more than its own");
}

bool functions_table_request(struct view *view, enum request request, char letter)
{
	const struct function_row *row = functions_here(view);

	if (!row)
		return false;
	view->lines.figure = view->order[0].column;
	switch ((int)request) {
	case REQ_BACK:
		return back(view);
	case REQ_MORE:
	case REQ_LESS:
		return functions_unfold(view, request == REQ_MORE), true;
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:
		return to_slower(view, request == REQ_SLOW_NEXT), true;
	case REQ_PARENT:
	case REQ_HEAVIEST:
		return to_relative(view, request == REQ_PARENT), true;
	case REQ_HOT_PATH:
		return hot_path(view), true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return functions_filter(view, functions_function_here(view)->name, letter,
					request == REQ_WITHOUT),
		       true;
	case REQ_FOLD_OPEN:
	case REQ_FOLD_CLOSE:
		return functions_fold(view, request == REQ_FOLD_OPEN), true;
	case REQ_OPEN_ALL:
	case REQ_CLOSE_ALL:
		return functions_fold_all(view, request == REQ_OPEN_ALL), true;
	case REQ_COMPARE:
		return functions_compare(view), true;
	}
	return table_request(&view->lines, request, letter);
}
