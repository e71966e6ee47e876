/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_open - the lines below an open row of the table: its callers, callees and longest
 * calls.
 */

#include "ui/functions/view_functions.h"

#define MOST_RELATIVES	8u		/* most callers listed, and most callees */
#define MOST_LONGEST	10u

static unsigned int shown(unsigned int nr, unsigned int most)
{
	return nr < most ? nr : most;
}

uint32_t functions_nr_below(const void *owner, uint32_t *row)
{
	const struct view *view = owner;
	uint32_t nr = shown(view->open_callers.nr, MOST_RELATIVES) +
		      shown(view->open_callees.nr, MOST_RELATIVES),
		 instances;

	if (!view->open || !view->open_known)
		return 0;
	*row = view->open_row;
	functions_instances(view, &instances);
	return nr + (instances ? shown(instances, MOST_LONGEST) : 1);
}

struct functions_line functions_below(const struct view *view, uint32_t i)
{
	unsigned int callers = shown(view->open_callers.nr, MOST_RELATIVES),
		     callees = shown(view->open_callees.nr, MOST_RELATIVES);
	uint32_t instances;

	if (i < callers)
		return (struct functions_line){ LINE_CALLER, i };
	i -= callers;
	if (i < callees)
		return (struct functions_line){ LINE_CALLEE, i };
	functions_instances(view, &instances);
	return (struct functions_line){ instances ? LINE_INSTANCE : LINE_LOOKING, i - callees };
}

/* Its function, or the end of its call. */
uint64_t functions_below_key(const void *owner, uint32_t i)
{
	const struct view *view = owner;
	struct functions_line line = functions_below(view, i);
	uint64_t of = functions_line_function(view, &line);
	uint32_t nr;

	if (line.kind == LINE_INSTANCE)
		of = functions_instances(view, &nr)[line.index].exit;
	return index_map_mix(line.kind, of);
}

struct functions_line functions_line(const struct view *view, unsigned int line)
{
	uint32_t i;

	if (table_is_below(&view->lines, line, &i))
		return functions_below(view, i);
	return (struct functions_line){ LINE_FUNCTION, table_place(&view->lines, line) };
}

/* Finds the row that is open now. */
void functions_open_find(struct view *view)
{
	view->open_known = false;
	for (unsigned int i = 0; view->open && view->table && i < view->table->nr; i++) {
		if (view->table->rows[i].total->address != view->open)
			continue;
		view->open_known = true;
		view->open_row = i;
	}
	functions_relatives_of(view, view->open_known ? view->open : 0, &view->open_callers,
			       &view->open_callees);
}

void functions_unfold(struct view *view, bool open)
{
	const struct function_row *row = functions_here(view);

	if (open) {
		view->open = functions_line(view, view->lines.window.at).kind == LINE_FUNCTION ?
				     row->total->address :
				     view->open;
		functions_instances_want(view, view->open);
	} else if (!view->open) {
		host_message(
			view->host,
			"nothing is open: + shows callers, callees and the longest calls of a function");
		return;
	} else {
		view->open = 0;
	}
	functions_sort(view);
}

/* --- lines ---------------------------------------------------------------------------------- */

void functions_relative_name(const struct view *view, const struct relative *relative,
			     struct text *out)
{
	struct text name = { 0 };

	if (relative->address)
		trace_function_name(view->shared->trace, view->file, relative->address, &name);
	else
		text_add(&name, "(outermost)");
	text_printable(out, text_str(&name), name.len);
	text_fini(&name);
}

static void add_relative(const struct view *view, const char *what, const struct relative *relative,
			 struct text *out)
{
	text_printf(out, "    %-10s ", what);
	text_counted(out, relative->calls, "call");
	text_char(out, ' ');
	if (!view->table->inferred)
		text_duration(out, relative->total);
	text_add(out, "  ");
	functions_relative_name(view, relative, out);
}

void functions_line_text(const struct view *view, const struct functions_line *line,
			 struct text *out)
{
	uint32_t nr;
	const struct call_instance *list = functions_instances(view, &nr);

	switch (line->kind) {
	case LINE_FUNCTION:
		break;
	case LINE_CALLER:
		add_relative(view, "called by", &view->open_callers.list[line->index], out);
		break;
	case LINE_CALLEE:
		add_relative(view, "calls", &view->open_callees.list[line->index], out);
		break;
	case LINE_INSTANCE:
		text_printf(out, "    %-10s", line->index ? "" : functions_instances_word(view));
		functions_instance_text(view, &list[line->index], out);
		break;
	case LINE_LOOKING:
		if (view->instances && call_instances_permille(view->instances) < 1000)
			text_printf(out, "    longest    looked for: %u %%",
				    call_instances_permille(view->instances) / 10);
		else
			text_add(out, "    longest    none of its calls has a time here");
		break;
	}
}

uint64_t functions_line_function(const struct view *view, const struct functions_line *line)
{
	switch (line->kind) {
	case LINE_FUNCTION:
		return functions_row(view, view->lines.rows[line->index])->total->address;
	case LINE_CALLER:
		return view->open_callers.list[line->index].address;
	case LINE_CALLEE:
		return view->open_callees.list[line->index].address;
	case LINE_INSTANCE:
	case LINE_LOOKING:
		break;
	}
	return view->open;
}
