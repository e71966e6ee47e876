/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_text - the text of a row of the tree. */
#include <inttypes.h>
#include <string.h>

#include "src/trace/trace_streams.h"
#include "ui/graph/view_graph.h"

/* --- what a row says --------------------------------------------------------------------- */

/* The contents of a closed call: "{ 5 calls }", "{ 1 event }". */
static void add_contents(const struct view *view, const struct call *call, struct text *out)
{
	const struct call_tree *tree = call_window_tree(view->window);
	unsigned int calls = 0, others = 0;

	for (uint32_t n = call->last; n; n = call_tree_call(tree, n)->before) {
		calls += call_is_call(call_tree_call(tree, n));
		others += call_tree_call(tree, n)->kind == CALL_EVENT;
	}
	if (calls)
		text_printf(out, " { %u call%s }", calls, PLURAL(calls));
	else if (others)
		text_printf(out, " { %u event%s }", others, PLURAL(others));
	else
		text_add(out, " { }");
}

static void add_away(struct view *view, const struct call *away, struct text *out)
{
	struct text state = { 0 };
	char letter;

	text_add(out, "⟫ off the CPU");
	if (!call_text_state(view->text, away, &state))
		state.len = 0;
	letter = state.len ? state.data[0] : '\0';
	if (letter == 'R') {
		text_add(out, ": preempted");
	} else if (letter) {
		text_printf(out, letter == 'D' ? ": blocked (%s)" : ": asleep (%s)",
			    text_str(&state));
		if (away->away_woken > away->start && away->away_woken < away->end) {
			text_char(out, ' ');
			graph_add_us(out, away->away_woken - away->start);
			text_add(out, ", waited ");
			graph_add_us(out, away->end - away->away_woken);
		}
	}
	text_fini(&state);
}

bool graph_began_before(const struct view *view, const struct call *call)
{
	int64_t first, last;

	return !call_window_at_start(view->window) &&
	       call_window_span(view->window, &first, &last) &&
	       call_text_start(view->text, call) < first;
}

enum graph_no_entry graph_no_entry(const struct view *view, const struct call *call)
{
	const struct trace_stream *stream = trace_stream_at(view->shared->trace, call->stream_out);
	int64_t start = call_text_start(view->text, call);

	if (start < view->shared->at.first)
		return GRAPH_ENTRY_BEFORE;
	if (page_index_start(&stream->index) && start <= stream->first_ts)
		return GRAPH_ENTRY_DROPPED;
	return trace_has_dropped(view->shared->trace) ? GRAPH_ENTRY_EITHER : GRAPH_ENTRY_LOST;
}

/* Append what was recorded with a call. */
static void add_behind(const struct view *view, const struct call *call,
		       bool (*tell)(struct call_text *text, const struct call *call,
				    struct text *out),
		       struct text *out)
{
	struct text told = { 0 };

	if (tell(view->text, call, &told)) {
		text_add(out, "  ");
		text_printable(out, text_str(&told), told.len);
	}
	text_fini(&told);
}

static void add_return(const struct view *view, const struct call *call, struct text *out)
{
	int64_t value;

	add_behind(view, call, call_text_return, out);
	if (call_text_return_value(view->text, call, &value) && text_error_name(value))
		text_printf(out, " %s", text_error_name(value));
}

void graph_add_told(const struct view *view, const struct call *call, struct text *out)
{
	add_return(view, call, out);
	add_behind(view, call, call_text_caller, out);
}

/* Append how many calls an inferred call stands for, and its caller if that is not its parent. */
static void add_caller(const struct view *view, const struct call *call, struct text *out)
{
	const struct call_tree *tree = call_window_tree(view->window);
	uint32_t above = call->parent ? call_tree_call(tree, call->parent)->func :
					CALL_FUNCTION_OTHERS;
	struct text caller = { 0 };

	if (call->calls != 1)
		text_printf(out, " ×%" PRIu64, call->calls);
	if (call_text_caller(view->text, call, &caller) &&
	    (!call->parent ||
	     strcmp(caller.data + strlen("<-"),
		    call_text_function(view->text, call_tree_function(tree, above))))) {
		text_add(out, "  ");
		text_printable(out, text_str(&caller), caller.len);
	}
	text_fini(&caller);
}

static const char *const no_entry[] = {
	[GRAPH_ENTRY_BEFORE] = "began before the trace",
	[GRAPH_ENTRY_DROPPED] = "entry dropped",
	[GRAPH_ENTRY_EITHER] = "entry dropped or lost",
	[GRAPH_ENTRY_LOST] = "entry lost",
};

static void add_call(struct view *view, const struct graph_row *row, const struct call *call,
		     struct text *out)
{
	const char *name = call_text_function(view->text,
					      call_tree_function(call_window_tree(view->window),
								 call->func));
	bool orphan = call_lost_entry(call) && !graph_began_before(view, call);

	if (orphan && !row->full) {
		text_add(out, "◂} /* ");
		text_printable(out, name, strlen(name));
		text_add(out, " */");
		if (view->shared->look.cols >= GRAPH_WIDE)
			text_printf(out, "  %s: time is exact",
				    no_entry[graph_no_entry(view, call)]);
		return;
	}
	text_add(out, !row->full ? "" : row->open ? "▾ " : "▸ ");
	if (orphan)
		text_add(out, "◂");
	text_printable(out, name, strlen(name));
	text_add(out, call->slice ? "" : "(");
	if (graph_column_shown(view, GRAPH_COLUMN_ARGS))
		call_text_arguments(view->text, call,
				    call_tree_function(call_window_tree(view->window), call->func),
				    out);
	text_add(out, call->slice ? "" : ")");
	if (row->full ? !row->open : view->rows.bare && call->last)
		add_contents(view, call, out);
	else
		text_add(out, !row->full && (call_is_timed(call) || call->inferred) ? ";" : " {");
	if (call->inferred)
		add_caller(view, call, out);
	if (graph_column_shown(view, GRAPH_COLUMN_RETURN))
		add_return(view, call, out);
	if (graph_column_shown(view, GRAPH_COLUMN_CALLER) && !call->inferred)
		add_behind(view, call, call_text_caller, out);
}

void graph_row_text(struct view *view, const struct graph_row *row, struct text *out)
{
	const struct call *call = graph_call(view, row);
	const struct call_tree *tree = call_window_tree(view->window);
	const char *name;

	switch ((enum graph_row_kind)row->kind) {
	case GRAPH_ROW_CALL:
		add_call(view, row, call, out);
		break;
	case GRAPH_ROW_GROUP:
		name = call_text_function(view->text, call_tree_function(tree, call->func));
		text_add(out, row->open ? "▾ " : "▸ ");
		text_printable(out, name, strlen(name));
		text_printf(out, "%s ×%u", call->slice ? "" : "()", row->nr);
		if (call->inferred)
			break;
		text_add(out, "  max ");
		graph_add_us(out,
			     call_duration(call_tree_call(tree, view->rows.members[row->members])));
		text_add(out, row->by_time ? ", in time order" : "");
		break;
	case GRAPH_ROW_END:
		text_char(out, '}');
		break;
	case GRAPH_ROW_AWAY:
		add_away(view, call, out);
		break;
	case GRAPH_ROW_EVENT:
		text_add(out, "/* ");
		{
			struct text t = { 0 };

			call_text_event(view->text, call, &t);
			text_printable(out, text_str(&t), t.len);
			text_fini(&t);
		}
		text_add(out, " */");
		break;
	}
}
