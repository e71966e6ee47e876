/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph_detail - describes the selected row: where its time went, who ran meanwhile, how exact the
 * figures are.
 */
#include <string.h>

#include "src/calls/call_cost.h"
#include "src/calls/call_silence.h"
#include "ui/graph/view_graph.h"

#define COST_RECORDS	20000u		/* around a call, to estimate the tracer's cost */
#define COST_NS		500000000	/* at most; some ms, unless the machine is busy */
#define SILENT_NS	1000000u	/* shorter silence says nothing */

/* What is below a call, without interrupts. */
struct below {
	unsigned int	 calls;		/* all of them */
	uint64_t	 away, irq, softirq;
	unsigned int	 nr_away;
	uint32_t	 longest_away;	/* number of the row; CALL_NONE */
};

static void add_row(const struct call_tree *tree, uint32_t number, struct below *below)
{
	const struct call *call = call_tree_call(tree, number);

	if (call->kind != CALL_AWAY)
		return;
	below->away += call_duration(call);
	below->nr_away++;
	if (!below->longest_away ||
	    call_duration(call) > call_duration(call_tree_call(tree, below->longest_away)))
		below->longest_away = number;
}

static struct below look_below(const struct call_tree *tree, uint32_t number)
{
	uint32_t n = number, foreign = CALL_NONE;	/* in an interrupt: its outermost call */
	unsigned int level = call_tree_call(tree, number)->level;
	struct below below = { 0 };

	for (;;) {
		const struct call *call = call_tree_call(tree, n);

		if (call_is_call(call) && call->last) {
			n = call->last;
		} else {
			while (n != number && !call_tree_call(tree, n)->before) {
				foreign = n == foreign ? CALL_NONE : foreign;
				n = call_tree_call(tree, n)->parent;
			}
			if (n == number)
				return below;
			foreign = n == foreign ? CALL_NONE : foreign;
			n = call_tree_call(tree, n)->before;
		}
		call = call_tree_call(tree, n);
		below.calls += call_is_call(call);
		if (foreign)
			continue;
		if (call->inside > level) {	/* counted with the interrupt */
			foreign = n;
			continue;
		}
		add_row(tree, n, &below);
		if (!call_is_timed(call) || call->level <= level)
			continue;
		foreign = n;
		*(call->level == GRAPH_SOFTIRQ ? &below.softirq :
						 &below.irq) += call_duration(call);
	}
}

/* --- off the CPU -------------------------------------------------------------------- */

/* Find out who ran meanwhile, once for each row. */
static const struct away_story *story_of(struct view *view, const struct call *away)
{
	const struct away_options options = { .trace = view->shared->trace, .types = view->types,
					      .file = view->file,
					      .buffer = view->buffer };

	if (view->story_of != away->entry || view->story_start != away->start)
		away_story_tell(&options, away, call_text_start(view->text, away), &view->story);
	view->story_of = away->entry;
	view->story_start = away->start;
	return &view->story;
}

static void add_task(struct view *view, int32_t pid, int cpu, struct text *out)
{
	if (pid)
		graph_task_name(view, pid, cpu, out);
	else
		text_add(out, "idle");
}

/* "CPU 1 idled", "CPU 1 ran wl-75 112.345, idle 20.100" */
static void add_who(struct view *view, const struct away_story *story, struct text *out)
{
	text_printf(out, "CPU %d ", story->cpu);
	if (!story->nr) {
		text_add(out, "is not known");
	} else if (story->nr == 1 && !story->who[0].pid) {
		text_add(out, "idled");
	} else {
		text_add(out, "ran ");
		for (unsigned int i = 0; i < story->nr; i++) {
			text_add(out, i ? ", " : "");
			add_task(view, story->who[i].pid, story->cpu, out);
			if (story->nr > 1) {
				text_char(out, ' ');
				graph_add_us(out, story->who[i].ns);
			}
		}
	}
	text_add(out, story->cut ? " at first" : "");
}

static void add_waker(struct view *view, const struct away_story *story, struct text *out)
{
	if (story->waker_level != GRAPH_TASK)
		text_printf(out, "an interrupt on CPU %d (%s, %s ", story->waker_cpu,
			    call_level_name(story->waker_level),
			    story->waker_level == GRAPH_SOFTIRQ ? "in" : "interrupting");
	add_task(view, story->waker, story->waker_cpu, out);
	if (story->waker_level != GRAPH_TASK)
		text_char(out, ')');
	else
		text_printf(out, " on CPU %d%s", story->waker_cpu,
			    story->waker_unsure ? " (context not known)" : "");
}

/* "preempted, ", "blocked (D), ", "asleep, "; nothing if the switch has no state. */
static void add_state(struct view *view, const struct call *away, bool letter, struct text *out)
{
	struct text state = { 0 };
	bool known = call_text_state(view->text, away, &state) && state.len;

	if (known) {
		text_add(out, state.data[0] == 'R' ? "preempted" :
			      state.data[0] == 'D' ? "blocked" :
						     "asleep");
		if (letter && state.data[0] != 'R')
			text_printf(out, " (%s)", text_str(&state));
		text_add(out, ", ");
	}
	text_fini(&state);
}

static void say_away(struct view *view, const struct call *away, struct text *out)
{
	const struct away_story *story = story_of(view, away);
	bool waited = away->away_woken > away->start && away->away_woken < away->end;

	text_add(out, "Not work of the call: ");
	add_state(view, away, true, out);
	add_who(view, story, out);
	text_add(out, ". ");
	if (story->woken) {
		text_add(out, "Woken by ");
		add_waker(view, story, out);
		if (waited) {
			text_add(out, ", waited ");
			graph_add_us(out, away->end - away->away_woken);
			text_printf(out, " for CPU %d", call_text_cpu(view->text, away, true));
		}
		text_add(out, ". ");
	}
	text_add(out, "3 Timeline shows it.");
}

/* --- calls --------------------------------------------------------------------------- */

static void say_net(struct view *view, const struct call *call, const struct below *below,
		    struct text *out)
{
	const struct call_tree *tree = call_window_tree(view->window);
	uint64_t events;

	uint64_t cut = call_text_gap_cut(view->text, call);

	if (cut) {
		graph_add_us(out, cut);
		text_add(out, " µs off the CPU are left out of its duration (nosleep-time). ");
	}
	if (call->doubtful)
		return;
	if (!graph_has_net(view)) {
		if (cut)
			return;
		text_printf(out, "It may contain time off the CPU: %s. ",
			    graph_net_needs(view->shared->trace, view->file));
		return;
	}
	if (!call_has_net(call)) {
		text_add(out, "An interrupt in it was not recorded, so its net time is unknown. ");
		return;
	}
	if (call->net >= call_duration(call))
		return;
	text_add(out, "net ");
	graph_add_us(out, call->net);
	text_add(out, " µs = ");
	graph_add_us(out, call_duration(call));
	if (below->away) {
		const struct call *longest = call_tree_call(tree, below->longest_away);

		text_add(out, " − ");
		graph_add_us(out, below->away);
		text_add(out, " off the CPU (");
		if (below->nr_away > 1)
			text_printf(out, "%u times; the longest ", below->nr_away);
		add_state(view, longest, false, out);
		add_who(view, story_of(view, longest), out);
		text_char(out, ')');
	}
	if (below->irq) {
		text_add(out, " − ");
		graph_add_us(out, below->irq);
		text_add(out, " functions of hard interrupts");
	}
	if (below->softirq) {
		text_add(out, " − ");
		graph_add_us(out, below->softirq);
		text_add(out, " functions of softirqs");
	}
	events = call_duration(call) - call->net - below->away - below->irq - below->softirq;
	if (events) {
		text_add(out, " − ");
		graph_add_us(out, events);
		text_add(out, " interrupts recorded as events");
	}
	text_add(out, ". ");
}

/* Most of its own time is silence: the machine may have stood still. */
static void say_silence(const struct view *view, const struct call *call, struct text *out)
{
	struct call since = { .kind = CALL_EVENT };
	struct call_silence s;

	if (call->doubtful || !graph_has_net(view))
		return;
	s = call_silence_find(call_window_tree(view->window), call);
	if (s.to - s.from <= SILENT_NS || s.to - s.from <= call->self / 2)
		return;
	since.start = s.from;
	since.stream_in = s.stream;
	text_printf(out, "CPU %d recorded nothing for ", call_text_cpu(view->text, &since, false));
	graph_add_us(out, s.to - s.from);
	text_add(out, " µs of it, from ");
	shared_time(view->shared, call_text_start(view->text, &since), 6, out);
	text_add(out, ": the function itself, or the machine stood still (stolen, SMI). ");
}

/* The tracer's cost of a call, estimated once, around the first call shown. */
static uint64_t cost_of_a_call(struct view *view, const struct call *call)
{
	const struct call_window_options options = {
		.trace = view->shared->trace, .types = view->types, .file = view->file,
		.buffer = view->buffer,
		.small_events = 1, .events_before = COST_RECORDS, .records_before = 1,
		.records_behind = COST_RECORDS,
	};
	struct call_window *window;

	if (view->has_cost)
		return view->cost;
	window = call_window_new(&options);
	call_window_seek(window, call_text_start(view->text, call));
	call_window_work(window, COST_NS);
	view->has_cost = call_window_is_ready(window);
	view->cost = view->has_cost ? call_cost_estimate(call_window_tree(window)) : 0;
	call_window_free(window);
	return view->cost;
}

static void say_exactness(struct view *view, const struct call *call, unsigned int calls,
			  struct text *out)
{
	uint64_t cost = calls ? cost_of_a_call(view, call) : 0;

	if (!calls) {
		text_printf(out, "%s duration is exact.", call->lone ? "Its" : "A leaf: its");
		return;
	}
	if (cost) {
		text_add(out, "About ");
		shared_measured(view->shared, cost * calls, out);
		text_printf(out, " of its duration went into tracing the %u call%s in it", calls,
			    PLURAL(calls));
	} else {
		text_printf(out, "Some of its duration went into tracing the %u call%s in it",
			    calls, PLURAL(calls));
	}
	text_add(out, "; durations of leaves are exact.");
}

/* All arguments; rows have no room for them. */
static void say_arguments(const struct view *view, const struct call *call, struct text *out)
{
	struct text told = { 0 };

	if (call_text_arguments(view->text, call,
				call_tree_function(call_window_tree(view->window), call->func),
				&told) &&
	    told.len) {
		text_add(out, " Called with (");
		text_printable(out, text_str(&told), told.len);
		text_add(out, ").");
	}
	text_fini(&told);
}

/* The entry of a call is missing: why? */
static void say_orphan(const struct view *view, const struct call *call, struct text *out)
{
	static const char *const why[] = {
		[GRAPH_ENTRY_BEFORE] = "It began before the trace, so its entry is missing",
		[GRAPH_ENTRY_DROPPED] = "Its entry was overwritten",
		[GRAPH_ENTRY_EITHER] = "Its entry was overwritten, or is lost",
		[GRAPH_ENTRY_LOST] = "Its entry is lost",
	};
	struct trace_status status = trace_status(view->shared->trace);
	enum graph_no_entry no_entry = graph_no_entry(view, call);

	text_add(out, no_entry == GRAPH_ENTRY_LOST && !status.lost_events && !status.lost_unknown ?
			      "Its entry is missing, though nothing is marked as lost" :
			      why[no_entry]);
	text_add(out, ": duration exact, self and net unknown.");
}

static void say_call(struct view *view, const struct graph_row *row, const struct call *call,
		     struct text *out)
{
	struct below below = look_below(call_window_tree(view->window), row->call);

	say_net(view, call, &below, out);
	say_silence(view, call, out);
	if (call_lost_entry(call) && !graph_began_before(view, call))
		say_orphan(view, call, out);
	else if (call->doubtful)
		text_add(out, "~ Records of it are missing: duration exact, self and net unknown.");
	else if (call->slice)
		text_add(out, "A slice that the task wrote to trace_marker.");
	else
		say_exactness(view, call, below.calls, out);
	if (below.longest_away &&
	    story_of(view, call_tree_call(call_window_tree(view->window), below.longest_away))
		    ->woken) {
		text_add(out, " Woken by ");
		add_waker(view, &view->story, out);
		text_char(out, '.');
	}
}

static void say_group(struct view *view, const struct graph_row *row, struct text *out)
{
	int64_t first, last;
	bool window = call_window_span(view->window, &first, &last) &&
		      !(call_window_at_start(view->window) && call_window_at_end(view->window));

	text_printf(out, "%u %s in a row%s", row->nr,
		    graph_call(view, row)->slice ? "slices of one name" : "calls of one function",
		    window && !row->level ? ", of those read so far" : "");
	if (graph_call(view, row)->inferred)
		text_add(out, row->open ? "; Enter closes them." : "; Enter shows them.");
	else
		text_add(out,
			 !row->open ?
				 "; Enter shows them, the longest first." :
			 row->by_time ?
				 ", in the order of time; Enter twice shows the longest first." :
				 ", the longest first; Enter closes them.");
}

/* What is known of a call of the tracer `function`, and what is not. */
static void say_inferred(const struct view *view, const struct call *call, struct text *out)
{
	struct text caller = { 0 };

	if (call_text_caller(view->text, call, &caller)) {
		text_add(out, "Called by ");
		text_printable(out, caller.data + strlen("<-"), caller.len - strlen("<-"));
		text_add(out, ". ");
	}
	text_fini(&caller);
	text_add(
		out,
		"Its place here is inferred: the tracer function records no returns, so there are no times either.");
}

static void say(struct view *view, const struct graph_row *row, struct text *out)
{
	const struct call *call = graph_call(view, row);

	switch ((enum graph_row_kind)row->kind) {
	case GRAPH_ROW_CALL:
	case GRAPH_ROW_END:
		if (call_is_timed(call))
			say_call(view, row, call, out);
		else if (call->inferred)
			say_inferred(view, call, out);
		else
			text_add(
				out,
				call->kind == CALL_OPEN ?
					"It continues beyond what was read so far." :
				call->slice ?
					"Its end is lost, or the trace ends in it." :
					"Its exit is lost, the trace ends in it, or it never returns (do_exit).");
		say_arguments(view, call, out);
		break;
	case GRAPH_ROW_GROUP:
		say_group(view, row, out);
		break;
	case GRAPH_ROW_AWAY:
		say_away(view, call, out);
		break;
	case GRAPH_ROW_EVENT:
		graph_row_text(view, row, out);
		break;
	}
}

void graph_say(struct view *view, struct text *heading, struct text *words)
{
	const struct graph_row *row;
	const struct call *call;

	graph_refresh(view);
	row = view->compare ? NULL : graph_here(view);
	if (!row)
		return;
	call = graph_call(view, row);
	if (call_is_call(call)) {
		text_add(heading,
			 call_text_function(view->text,
					    call_tree_function(call_window_tree(view->window),
							       call->func)));
		if (row->kind != GRAPH_ROW_GROUP && !call->inferred)
			graph_add_told(view, call, heading);
	} else {
		text_add(heading, call->kind == CALL_AWAY ? "off the CPU" : "event");
	}
	say(view, row, words);
}
