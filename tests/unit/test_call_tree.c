/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of pairing, one by one: records written out, the tree as a line of text.
 *
 *   a100/60/50(b40/40/40 c>)   a: 100 ns, self 60, net 50, with b and c, which is unclosed
 *   a100/60/?                  its net is unknown
 *   ~<b40  an orphan      @15  off the CPU    *  another event    ~  doubtful: no self, no net
 *   #a100/60/50  a slice
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/functions/call_paths.h"
#include "src/functions/call_totals.h"
#include "src/calls/call_tree.h"
#include "src/base/text.h"
#include "tests/lib/gen_trace.h"

#define TEXT 0xffffffff81000000u
#define FUNC(letter) (TEXT + 16 * (uint64_t)((letter) - 'a'))

/* Records of task 7 on stream 0 unless said otherwise. */
#define ENTRY(f, d, t) \
	{ .kind = GRAPH_ENTRY, .func = FUNC(f), .depth = d, .ts = t, .key = t, .pid = 7, \
	  .wanted = true }
#define EXIT(f, d, c, r, t) \
	{ .kind = GRAPH_EXIT, .func = FUNC(f), .depth = d, .call = c, .ret = r, .ts = t, .key = t, \
	  .pid = 7, .wanted = true }
#define ENTRY_OF(l, f, d, t) \
	{ .kind = GRAPH_ENTRY, .level = l, .func = FUNC(f), .depth = d, .ts = t, .key = t, \
	  .pid = 7, .wanted = true }
#define EXIT_OF(l, f, d, c, r, t) \
	{ .kind = GRAPH_EXIT, .level = l, .func = FUNC(f), .depth = d, .call = c, .ret = r, \
	  .ts = t, .key = t, .pid = 7, .wanted = true }
#define AWAY(t) { .kind = GRAPH_AWAY, .ts = t, .key = t, .pid = 7 }
#define BACK(t) { .kind = GRAPH_BACK, .ts = t, .key = t, .pid = 7 }
#define LOST(t) { .kind = GRAPH_LOST, .ts = t, .key = t, .ret = t, .pid = -1 }
#define GAP(from, to) \
	{ .kind = GRAPH_GAP, .call = from, .ret = to, .ts = from, .key = from, .pid = -1 }
#define BEGIN(l, t) { .kind = GRAPH_IRQ_BEGIN, .level = l, .ts = t, .key = t, .pid = 7 }
#define END(l, t) { .kind = GRAPH_IRQ_END, .level = l, .ts = t, .key = t, .pid = 7 }
#define IN_IRQ(l, t) { .kind = GRAPH_IRQ, .level = l, .ts = t, .key = t, .pid = 7 }
#define EVENT(t) { .kind = GRAPH_EVENT, .ts = t, .key = t, .pid = 7 }
#define ON(s, ...) { .stream = s, __VA_ARGS__ }

static void show(const struct call_tree *tree, const struct call_task *task, uint32_t number,
		 struct text *out)
{
	unsigned int cap = 0, nr;
	uint32_t *children = NULL;

	nr = call_tree_children(tree, task, number, &children, &cap);
	for (unsigned int i = 0; i < nr; i++) {
		const struct call *call = call_tree_call(tree, children[i]);

		assert_int_equal(call->parent, number);
		if (i)
			text_char(out, ' ');
		if (call->doubtful)
			text_char(out, '~');
		if (call->kind == CALL_AWAY) {
			text_printf(out, "@%u", (unsigned int)call_duration(call));
			continue;
		}
		if (call->kind == CALL_EVENT) {
			text_char(out, '*');
			continue;
		}
		text_printf(out, "%s%c",
			    call->kind == CALL_ORPHAN ? "<" :
			    call->slice               ? "#" :
							"",
			    (char)('a' + (call_tree_function(tree, call->func) - TEXT) / 16));
		if (call_is_timed(call) && call->doubtful)
			text_printf(out, "%u", (unsigned int)call_duration(call));
		else if (call_is_timed(call) && !call_has_net(call))
			text_printf(out, "%u/%u/?", (unsigned int)call_duration(call),
				    (unsigned int)call->self);
		else if (call_is_timed(call))
			text_printf(out, "%u/%u/%u", (unsigned int)call_duration(call),
				    (unsigned int)call->self, (unsigned int)call->net);
		else
			text_char(out, call->kind == CALL_UNCLOSED ? '>' : '?');
		if (call->last) {
			text_char(out, '(');
			show(tree, task, children[i], out);
			text_char(out, ')');
		}
	}
	free(children);
}

static void check_clock(const struct graph_record *records, size_t nr, bool local,
			const char *expected)
{
	struct call_tree_options options = { .local_clock = local };
	struct call_tree *tree = call_tree_new(&options);
	struct text shown = { 0 };

	for (size_t i = 0; i < nr; i++)
		call_tree_add(tree, &records[i]);
	call_tree_end(tree);
	call_tree_figures(tree);
	for (unsigned int i = 0; i < call_tree_nr_tasks(tree); i++) {
		if (shown.len)
			text_add(&shown, " | ");
		show(tree, call_tree_task(tree, i), CALL_NONE, &shown);
	}
	assert_string_equal(text_str(&shown), expected);
	text_fini(&shown);
	call_tree_free(tree);
}

#define CHECK(expected, ...) do { \
		static const struct graph_record records[] = { __VA_ARGS__ }; \
		check_clock(records, sizeof(records) / sizeof(records[0]), true, expected); \
	} while (0)

static void calls_in_calls(void **state)
{
	(void)state;
	CHECK("a100/50/100(b20/20/20 c30/10/30(d20/20/20)) e5/5/5", ENTRY('a', 0, 101),
	      ENTRY('b', 1, 111), EXIT('b', 1, 110, 130, 131), ENTRY('c', 1, 141),
	      ENTRY('d', 2, 146), EXIT('d', 2, 145, 165, 166), EXIT('c', 1, 140, 170, 171),
	      EXIT('a', 0, 100, 200, 201), ENTRY('e', 0, 211), EXIT('e', 0, 210, 215, 216));
	/* The same depths on another task, in turn, and gaps in the depths. */
	CHECK("a100/60/100(b40/40/40) | c50/20/50(d30/30/30)", ENTRY('a', 0, 101),
	      ON(1, .kind = GRAPH_ENTRY, .func = FUNC('c'), .depth = 2, .pid = 8, .ts = 102,
		 .key = 102),
	      ENTRY('b', 4, 111),
	      ON(1, .kind = GRAPH_ENTRY, .func = FUNC('d'), .depth = 5, .pid = 8, .ts = 112,
		 .key = 112),
	      EXIT('b', 4, 110, 150, 151),
	      ON(1, .kind = GRAPH_EXIT, .func = FUNC('d'), .depth = 5, .pid = 8, .call = 111,
		 .ret = 141, .ts = 152, .key = 152),
	      ON(0, .kind = GRAPH_EXIT, .func = FUNC('c'), .depth = 2, .pid = 8, .call = 101,
		 .ret = 151, .ts = 153, .key = 153),
	      EXIT('a', 0, 100, 200, 201));
}

static void what_is_lost(void **state)
{
	(void)state;
	/* An entry at the same depth or above ends what is open. */
	CHECK("a>(b>(c>)) d10/10/10", ENTRY('a', 0, 1), ENTRY('b', 1, 2), ENTRY('c', 2, 3),
	      ENTRY('d', 0, 11), EXIT('d', 0, 10, 20, 21));
	CHECK("a100/90/100(b> c10/10/10)", ENTRY('a', 0, 101), ENTRY('b', 1, 111),
	      ENTRY('c', 1, 121), EXIT('c', 1, 120, 130, 131), EXIT('a', 0, 100, 200, 201));
	/* An exit ends what is deeper. */
	CHECK("a100/100/100(b>(c>))", ENTRY('a', 0, 101), ENTRY('b', 1, 111), ENTRY('c', 2, 121),
	      EXIT('a', 0, 100, 200, 201));
	/* An exit of another function at the depth: neither is the other's. */
	CHECK("a> ~<b50", ENTRY('a', 0, 101), EXIT('b', 0, 120, 170, 171));
	/* An exit where nothing is so deep: the last child of what is open. */
	CHECK("a100/80/100(~<b20)", ENTRY('a', 0, 101), EXIT('b', 1, 110, 130, 131),
	      EXIT('a', 0, 100, 200, 201));
	/* Unclosed calls are no time: what is in them belongs to who is above. */
	CHECK("a100/90/100(b>(c10/10/10))", ENTRY('a', 0, 101), ENTRY('b', 1, 111),
	      ENTRY('c', 2, 121), EXIT('c', 2, 120, 130, 131), EXIT('a', 0, 100, 200, 201));
	CHECK("a>(b>)", ENTRY('a', 0, 101), ENTRY('b', 1, 111));
}

#define INFERRED(f, d, t) \
	{ .kind = GRAPH_ENTRY, .func = FUNC(f), .depth = d, .ts = t, .key = t, .pid = 7, \
	  .wanted = true, \
			    .inferred = true, .calls = 1 }

/*
 * Entries of the tracer function: no call ever ends; among calls of function_graph their depths
 * mean nothing.
 */
static void inferred(void **state)
{
	(void)state;
	CHECK("a>(b>(c>) d>) e>", INFERRED('a', 0, 101), INFERRED('b', 1, 102),
	      INFERRED('c', 2, 103), INFERRED('d', 1, 104), INFERRED('e', 0, 105));
	CHECK("a100/60/100(b40/40/40) c>(d>)", ENTRY('a', 0, 101), INFERRED('h', 0, 105),
	      ENTRY('b', 1, 111), INFERRED('h', 2, 112), EXIT('b', 1, 110, 150, 151),
	      EXIT('a', 0, 100, 200, 201), INFERRED('c', 0, 202), INFERRED('d', 1, 203));
	/*
	 * And what comes of function_graph ends them: an entry, or an exit whose own entry is lost.
	 */
	CHECK("a>(b>) c10/10/10 d> ~<e20", INFERRED('a', 0, 101), INFERRED('b', 1, 102),
	      ENTRY('c', 3, 111), EXIT('c', 3, 110, 120, 121), INFERRED('d', 0, 130),
	      EXIT('e', 1, 131, 151, 152));
}

#define SLICE_OF(p, f, t) \
	.kind = GRAPH_SLICE, .func = FUNC(f), .ts = t, .key = t, .call = t, .pid = p, .wanted = true
#define SLICE(f, t) SLICE_OF(7, f, t)
#define SLICE_END_OF(p, t) \
	.kind = GRAPH_SLICE_END, .ts = t, .key = t, .call = t, .pid = p, .wanted = true
#define SLICE_END(t) SLICE_END_OF(7, t)

static void slices(void **state)
{
	(void)state;
	CHECK("#a100/60/100(#b30/30/30 #c10/10/10)", { SLICE('a', 100) }, { SLICE('b', 110) },
	      { SLICE_END(140) }, { SLICE('c', 150) }, { SLICE_END(160) }, { SLICE_END(200) });
	/* An end without its begin is nothing, or an event; a begin without an end is unclosed. */
	CHECK("* #a>(#b10/10/10 *)", { SLICE_END(90) }, { SLICE_END(95), .event = true },
	      { SLICE('a', 100) }, { SLICE('b', 110) }, { SLICE_END(120) }, EVENT(130));
	/* Two tasks in turn, of which one changes its CPU. */
	CHECK("#a100/70/100(#c30/30/30) | #b40/40/40", { SLICE('a', 100) },
	      ON(1, SLICE_OF(8, 'b', 110)), ON(2, SLICE('c', 120)),
	      ON(1, SLICE_END_OF(8, 150)), ON(2, SLICE_END(150)), { SLICE_END(200) });
	/* Time off the CPU. */
	CHECK("#a100/60/60(@40)", { SLICE('a', 100) }, AWAY(120), BACK(160), { SLICE_END(200) });
}

static void slices_where_events_were_lost(void **state)
{
	(void)state;
	CHECK("~#a>(~#b>) #c10/10/10", { SLICE('a', 100) }, { SLICE('b', 110) }, GAP(115, 140),
	      LOST(140), { SLICE_END(150) }, { SLICE('c', 160) }, { SLICE_END(170) });
	/* Not on a CPU where the task was not, as switches say. */
	CHECK("~#a>(~#b>)", { SLICE('a', 100) }, { SLICE('b', 110) },
	      ON(1, .kind = GRAPH_GAP, .call = 115, .ret = 140, .ts = 115, .key = 115, .pid = -1),
	      ON(1, .kind = GRAPH_LOST, .ret = 140, .ts = 140, .key = 140, .pid = -1),
	      { SLICE_END(150) }, { SLICE_END(200) });
	CHECK("#a100/60/100(#b40/40/40)", BACK(90), { SLICE('a', 100) }, { SLICE('b', 110) },
	      ON(1, .kind = GRAPH_GAP, .call = 115, .ret = 140, .ts = 115, .key = 115, .pid = -1),
	      ON(1, .kind = GRAPH_LOST, .ret = 140, .ts = 140, .key = 140, .pid = -1),
	      { SLICE_END(150) }, { SLICE_END(200) });
	/* One that waits for the end of a call. */
	CHECK("~w99(#a>)", ENTRY('w', 0, 101), { SLICE('a', 105) }, GAP(115, 140), LOST(140),
	      EXIT('w', 0, 100, 199, 200), { SLICE_END(210) });
}

static void slices_and_calls(void **state)
{
	(void)state;
	/* A call is in it if all of it is: not those of write() by which it begins and ends. */
	CHECK("w10/8/10(x2/2/2) #a50/30/50(k20/20/20) w10/8/10(x2/2/2) k5/5/5", ENTRY('w', 0, 101),
	      ENTRY('x', 1, 104), { SLICE('a', 105) }, EXIT('x', 1, 104, 106, 107),
	      EXIT('w', 0, 100, 110, 111), ENTRY('k', 0, 121), EXIT('k', 0, 120, 140, 141),
	      ENTRY('w', 0, 151), ENTRY('x', 1, 154), { SLICE_END(155) },
	      EXIT('x', 1, 154, 156, 157), EXIT('w', 0, 150, 160, 161), ENTRY('k', 0, 171),
	      EXIT('k', 0, 170, 175, 176));
	/* Each in the other; the inner ones end and begin in one call. */
	CHECK("w10/10/10 #a95/56/95(#b15/12/15(k3/3/3) w10/10/10 #c20/20/20) w10/10/10",
	      ENTRY('w', 0, 101), { SLICE('a', 105) }, EXIT('w', 0, 100, 110, 111),
	      { SLICE('b', 115) }, ENTRY('k', 0, 121), EXIT('k', 0, 120, 123, 124),
	      ENTRY('w', 0, 126), { SLICE_END(130) }, { SLICE('c', 134) },
	      EXIT('w', 0, 125, 135, 136), { SLICE_END(154) }, ENTRY('w', 0, 191),
	      { SLICE_END(200) }, EXIT('w', 0, 190, 200, 201));
	/* A call that was open where events were lost is not in the slice. */
	CHECK("w10/10/10 ~#a> ~k40", ENTRY('w', 0, 101), { SLICE('a', 105) },
	      EXIT('w', 0, 100, 110, 111), ENTRY('k', 0, 112), GAP(115, 140), LOST(140),
	      EXIT('k', 0, 111, 151, 152), { SLICE_END(160) });
	/* An interrupt between the return and the record of the exit. */
	CHECK("w10/10/10 #a50/43/43(i7/7/7)", ENTRY('w', 0, 101), { SLICE('a', 105) },
	      ENTRY_OF(GRAPH_HARDIRQ, 'i', 1, 112), EXIT_OF(GRAPH_HARDIRQ, 'i', 1, 111, 118, 119),
	      EXIT('w', 0, 100, 110, 121), { SLICE_END(155) });
	/* Written by the kernel, in one call. */
	CHECK("a100/70/100(k5/5/5 #b25/9/25(#d6/6/6 c10/10/10))", ENTRY('a', 0, 101),
	      ENTRY('k', 1, 104), EXIT('k', 1, 103, 108, 109), { SLICE('b', 110) },
	      { SLICE('d', 112) }, { SLICE_END(118) }, ENTRY('c', 1, 121),
	      EXIT('c', 1, 120, 130, 131), { SLICE_END(135) }, EXIT('a', 0, 100, 200, 201));
	/* Calls without an exit, or without an entry. */
	CHECK("w> #a50/30/50(k20/20/20)", ENTRY('w', 0, 101), { SLICE('a', 105) },
	      ENTRY('k', 0, 121), EXIT('k', 0, 120, 140, 141), { SLICE_END(155) });
	CHECK("~<w10(~<x6) #a>(#b50/50/50)", { SLICE('a', 105) }, { SLICE('b', 107) },
	      EXIT('x', 1, 102, 108, 109), EXIT('w', 0, 100, 110, 111), { SLICE_END(157) });
	CHECK("w>(#a>)", ENTRY('w', 0, 101), { SLICE('a', 105) });
	CHECK("~<w10(@2) #a>", AWAY(101), BACK(103), { SLICE('a', 105) },
	      EXIT('w', 0, 100, 110, 111));
	/* A depth that no kernel writes. */
	CHECK("w>(#a5/5/5)", ENTRY('w', INT32_MAX, 101), { SLICE('a', 105) }, { SLICE_END(110) });
	/* Time off the CPU in the call by which it ends is that call's. */
	CHECK("#a55/35/35(@20) w10/8/8(@2)", { SLICE('a', 100) }, AWAY(110), BACK(130),
	      ENTRY('w', 0, 151), AWAY(152), BACK(154), { SLICE_END(155) },
	      EXIT('w', 0, 150, 160, 161));
	/* Calls of the tracer function. */
	CHECK("a> #b10/10/10(c>(d>)) e>", INFERRED('a', 0, 101), { SLICE('b', 105) },
	      INFERRED('c', 0, 106), INFERRED('d', 1, 107), { SLICE_END(115) },
	      INFERRED('e', 0, 120));
}

/* A program that never ends its slices. */
static void slices_without_end(void **state)
{
	struct call_tree *tree = call_tree_new(&(struct call_tree_options){ 0 });

	(void)state;
	for (unsigned int i = 0; i < 5000; i++)
		call_tree_add(tree, &(struct graph_record){ SLICE('a', i) });
	assert_in_range(call_tree_task(tree, 0)->nr_open, 1, 1024);
	assert_int_equal(call_tree_nr(tree), 5000);
	call_tree_end(tree);
	call_tree_free(tree);
}

static void adopted(void **state)
{
	(void)state;
	/* Exits alone: a tree all the same. */
	CHECK("~<a100(~<b30(~<c20) ~<d10)", EXIT('c', 2, 115, 135, 136),
	      EXIT('b', 1, 110, 140, 141), EXIT('d', 1, 150, 160, 161),
	      EXIT('a', 0, 100, 200, 201));
	/* Not what began before it, and nothing before that. */
	CHECK("~<c20 ~<d15 ~<a80(~<b20)", EXIT('c', 2, 101, 121, 122), EXIT('d', 1, 108, 123, 124),
	      EXIT('b', 1, 130, 150, 151), EXIT('a', 0, 125, 205, 206));
	/* Not what is as deep. */
	CHECK("~<b20 ~<a100", EXIT('b', 1, 110, 130, 131), EXIT('a', 1, 105, 205, 206));
	/* Not past what is unclosed. */
	CHECK("a> ~<b100", ENTRY('a', 1, 111), EXIT('b', 0, 100, 200, 201));
	/* An interrupt between a call and the record of its entry: before its own children. */
	CHECK("a100/70/70(d10/10/10 e5/5/5 b15/15/15)", ENTRY_OF(GRAPH_HARDIRQ, 'd', 1, 103),
	      EXIT_OF(GRAPH_HARDIRQ, 'd', 1, 102, 112, 113), ENTRY_OF(GRAPH_HARDIRQ, 'e', 1, 115),
	      EXIT_OF(GRAPH_HARDIRQ, 'e', 1, 114, 119, 120), ENTRY('a', 0, 121),
	      ENTRY_OF(GRAPH_HARDIRQ, 'b', 1, 131), EXIT_OF(GRAPH_HARDIRQ, 'b', 1, 130, 145, 146),
	      EXIT('a', 0, 100, 200, 201));
}

static void moved(void **state)
{
	(void)state;
	/* An interrupt between the return and the record of the exit. */
	CHECK("a200/160/180(b20/20/20 d12/12/12 e8/8/8)", ENTRY('a', 0, 101), ENTRY('b', 1, 111),
	      ENTRY_OF(GRAPH_SOFTIRQ, 'd', 2, 132), EXIT_OF(GRAPH_SOFTIRQ, 'd', 2, 131, 143, 144),
	      ENTRY_OF(GRAPH_SOFTIRQ, 'e', 2, 146), EXIT_OF(GRAPH_SOFTIRQ, 'e', 2, 145, 153, 154),
	      EXIT('b', 1, 110, 130, 155), EXIT('a', 0, 100, 300, 301));
	/* At the very return, too; what began before stays.  From there it may move on. */
	CHECK("a20/10/20(b10/0/10(c10/10/10)) d10/10/10", ENTRY('a', 0, 101), ENTRY('b', 1, 106),
	      ENTRY('c', 2, 107), EXIT('c', 2, 105, 115, 116), ENTRY('d', 2, 121),
	      EXIT('d', 2, 120, 130, 131), EXIT('b', 1, 105, 115, 132),
	      EXIT('a', 0, 100, 120, 133));
}

static void levels(void **state)
{
	(void)state;
	/*
	 * net loses the outermost of a higher level; the interrupt's own self and net are as ever.
	 */
	CHECK("a100/40/60(b60/20/20(d40/10/10(e30/30/30)))", ENTRY('a', 0, 101), ENTRY('b', 1, 111),
	      ENTRY_OF(GRAPH_SOFTIRQ, 'd', 2, 121), ENTRY_OF(GRAPH_HARDIRQ, 'e', 3, 126),
	      EXIT_OF(GRAPH_HARDIRQ, 'e', 3, 125, 155, 156),
	      EXIT_OF(GRAPH_SOFTIRQ, 'd', 2, 120, 160, 161), EXIT('b', 1, 110, 170, 171),
	      EXIT('a', 0, 100, 200, 201));
	CHECK("a100/70/100(b30/30/30)", ENTRY_OF(GRAPH_NMI, 'a', 0, 101),
	      ENTRY_OF(GRAPH_HARDIRQ, 'b', 1, 111), EXIT_OF(GRAPH_HARDIRQ, 'b', 1, 110, 140, 141),
	      EXIT_OF(GRAPH_NMI, 'a', 0, 100, 200, 201));
}

static void times_away(void **state)
{
	/* Without the clock of the calls nothing is known. */
	static const struct graph_record other_clock[] = { ENTRY('a', 0, 101), AWAY(120), BACK(160),
							   EXIT('a', 0, 100, 200, 201) };
	/* Two idle tasks, one on each CPU. */
	static const struct graph_record idle[] = {
		ON(0, .kind = GRAPH_ENTRY, .func = FUNC('a'), .ts = 101, .key = 101),
		ON(1, .kind = GRAPH_ENTRY, .func = FUNC('b'), .ts = 102, .key = 102),
		ON(0, .kind = GRAPH_AWAY, .ts = 110, .key = 110),
		ON(1, .kind = GRAPH_AWAY, .ts = 120, .key = 120),
		ON(1, .kind = GRAPH_BACK, .ts = 130, .key = 130),
		ON(0, .kind = GRAPH_BACK, .ts = 170, .key = 170),
		ON(1, .kind = GRAPH_EXIT, .func = FUNC('b'), .call = 101, .ret = 201, .ts = 202,
		   .key = 202),
		ON(0, .kind = GRAPH_EXIT, .func = FUNC('a'), .call = 100, .ret = 200, .ts = 203,
		   .key = 203),
	};

	(void)state;
	/* Of the innermost that contains it; what was running at the switch alone does not. */
	CHECK("a100/10/50(b90/30/40(c10/10/10 @50))", ENTRY('a', 0, 101), ENTRY('b', 1, 106),
	      ENTRY('c', 2, 111), AWAY(115), EXIT('c', 2, 110, 120, 166), BACK(165),
	      EXIT('b', 1, 105, 195, 196), EXIT('a', 0, 100, 200, 201));
	/*
	 * Of an orphan, too; nobody's without a call; and an interrupt that sleeps in no one's net.
	 */
	CHECK("~<a100(@50)", AWAY(20), BACK(40), AWAY(120), BACK(170), EXIT('a', 0, 100, 200, 201));
	CHECK("a100/50/50(b50/10/10(@40))", ENTRY('a', 0, 101),
	      ENTRY_OF(GRAPH_HARDIRQ, 'b', 1, 111), AWAY(115), BACK(155),
	      EXIT_OF(GRAPH_HARDIRQ, 'b', 1, 110, 160, 161), EXIT('a', 0, 100, 200, 201));
	/*
	 * nosleep-time: the kernel has taken it off by a later calltime, so it goes to the one
	 * above.
	 */
	CHECK("a200/90/120(b30/30/30 @80)", ENTRY('a', 0, 101), ENTRY('b', 1, 106), AWAY(110),
	      BACK(190), EXIT('b', 1, 185, 215, 216), EXIT('a', 0, 100, 300, 301));
	/* A later calltime without a time off the CPU is another call's. */
	CHECK("~a50", BACK(50), ENTRY('a', 0, 101), EXIT('a', 0, 150, 200, 201));
	CHECK("a50/50/50", ENTRY('a', 0, 101), EXIT('a', 0, 150, 200, 201));
	/* A time that began before the trace, or has no end. */
	CHECK("a100/100/100", BACK(105), ENTRY('a', 0, 106), EXIT('a', 0, 100, 200, 201),
	      AWAY(210));
	check_clock(other_clock, 4, false, "a100/100/100");
	check_clock(idle, 8, true, "a100/40/40(@60) | b100/90/90(@10)");
}

static void other_rows(void **state)
{
	(void)state;
	CHECK("* a100/90/100(* b10/10/10(*)) *", EVENT(90), ENTRY('a', 0, 101), EVENT(105),
	      ENTRY('b', 1, 111), EVENT(115), EXIT('b', 1, 110, 120, 121),
	      EXIT('a', 0, 100, 200, 201), EVENT(210));
	/* They go with the calls that are adopted and that move. */
	CHECK("* ~<a100(* ~<b20 *)", EVENT(90), EVENT(105), EXIT('b', 1, 110, 130, 131), EVENT(140),
	      EXIT('a', 0, 100, 200, 201));
	CHECK("a100/80/100(b10/10/10 c10/10/10 *)", ENTRY('a', 0, 101), ENTRY('b', 1, 111),
	      ENTRY('c', 2, 131), EXIT('c', 2, 130, 140, 141), EVENT(145),
	      EXIT('b', 1, 110, 120, 146), EXIT('a', 0, 100, 200, 201));
}

static void gaps(void **state)
{
	(void)state;
	CHECK("~a100(b10/10/10) c10/10/10", ENTRY('a', 0, 101), ENTRY('b', 1, 111),
	      EXIT('b', 1, 110, 120, 121), LOST(150), EXIT('a', 0, 100, 200, 201),
	      ENTRY('c', 0, 211), EXIT('c', 0, 210, 220, 221));
	/* The task may have been on another CPU meanwhile, ... */
	CHECK("~a100", ENTRY('a', 0, 101),
	      ON(1, .kind = GRAPH_LOST, .ts = 150, .key = 150, .ret = 150),
	      EXIT('a', 0, 100, 200, 201));
	CHECK("~a100(@60)", ENTRY('a', 0, 101), AWAY(110),
	      ON(1, .kind = GRAPH_LOST, .ts = 150, .key = 150, .ret = 150), BACK(170),
	      EXIT('a', 0, 100, 200, 201));
	CHECK("~a100(b5/5/5 @60)", ENTRY('a', 0, 101), AWAY(110), ENTRY('b', 1, 113),
	      EXIT('b', 1, 112, 117, 118),
	      ON(1, .kind = GRAPH_LOST, .call = 120, .ts = 150, .key = 150, .ret = 150), BACK(170),
	      EXIT('a', 0, 100, 200, 201));
	/* ... but not where its switches are recorded, and there is none; nor may the idle task. */
	CHECK("a100/100/100", BACK(90), ENTRY('a', 0, 101),
	      ON(1, .kind = GRAPH_LOST, .ts = 150, .key = 150, .ret = 150),
	      EXIT('a', 0, 100, 200, 201));
	CHECK("a100/100/100", { .kind = GRAPH_ENTRY, .func = FUNC('a'), .ts = 101, .key = 101 },
	      ON(1, .kind = GRAPH_LOST, .ts = 150, .key = 150, .ret = 150),
	      { .kind = GRAPH_EXIT, .func = FUNC('a'), .call = 100, .ret = 200, .ts = 201,
		.key = 201 });
	/* Between its call and the record of its entry; before that. */
	CHECK("~a100", GAP(95, 101), LOST(101), ENTRY('a', 0, 101), EXIT('a', 0, 100, 200, 201));
	CHECK("a100/100/100", GAP(90, 99), LOST(99), ENTRY('a', 0, 101),
	      EXIT('a', 0, 100, 200, 201));
	/* The CPU that it went to has a gap. */
	CHECK("~a100", ENTRY('a', 0, 101),
	      ON(1, .kind = GRAPH_LOST, .ts = 150, .key = 150, .ret = 150),
	      ON(1, .kind = GRAPH_EXIT, .func = FUNC('a'), .call = 100, .ret = 200, .ts = 201,
		 .key = 201, .pid = 7));
	/* The CPU it left has a gap that began before, and ends after the next record. */
	CHECK("~a100", ENTRY('a', 0, 101), GAP(150, 300),
	      ON(1, .kind = GRAPH_EXIT, .func = FUNC('a'), .call = 100, .ret = 200, .ts = 201,
		 .key = 201, .pid = 7),
	      LOST(300));
	/* Gaps that end before the one record, or begin after the other, do not matter. */
	CHECK("a100/70/100(b30/30/30)", GAP(50, 90), LOST(90), ENTRY('a', 0, 101),
	      ENTRY('b', 1, 121), EXIT('b', 1, 120, 150, 151), EXIT('a', 0, 100, 200, 201),
	      GAP(201, 250), LOST(250));
	/* Only what was open meanwhile. */
	CHECK("~a200(~b80(c10/10/10) d10/10/10)", ENTRY('a', 0, 101), ENTRY('b', 1, 111),
	      ENTRY('c', 2, 121), EXIT('c', 2, 120, 130, 131), GAP(131, 160),
	      { .kind = GRAPH_LOST, .call = 131, .ret = 160, .ts = 160, .key = 160, .pid = -1 },
	      EXIT('b', 1, 110, 190, 191), ENTRY('d', 1, 211), EXIT('d', 1, 210, 220, 221),
	      EXIT('a', 0, 100, 300, 301));
	/* Less than nothing is left of it. */
	CHECK("~a100(b60/60/60 c50/50/50)", ENTRY('a', 0, 101), ENTRY('b', 1, 111),
	      EXIT('b', 1, 110, 170, 171), ENTRY('c', 1, 172), EXIT('c', 1, 150, 200, 201),
	      EXIT('a', 0, 100, 200, 202));
	/* An exit without entry is doubtful anyway. */
	CHECK("b> ~<a100", LOST(150), ENTRY('b', 4, 160), EXIT('a', 0, 100, 200, 201));
}

/* --- sums ------------------------------------------------------------------------------ */

static const struct call_total *total_of(struct call_totals *totals, char letter)
{
	unsigned int nr;
	const struct call_total *rows = call_totals_rows(totals, &nr);

	for (unsigned int i = 0; i < nr; i++)
		if (rows[i].address == FUNC(letter))
			return &rows[i];
	fail_msg("no row of %c", letter);
	return NULL;
}

static struct call_totals *count(const struct graph_record *records, size_t nr, uint32_t max_calls)
{
	struct call_totals *totals = call_totals_new(1 << 20, NULL);
	struct call_tree_options options = { .local_clock = true, .max_calls = max_calls,
					     .visitor = call_totals_visitor(totals) };
	struct call_tree *tree = call_tree_new(&options);

	for (size_t i = 0; i < nr; i++)
		call_tree_add(tree, &records[i]);
	call_tree_end(tree);
	assert_int_equal(call_tree_nr(tree), 0);
	call_tree_set_away(tree);
	call_totals_end(totals, tree);
	call_tree_free(tree);
	return totals;
}

static void recursion_counts_once(void **state)
{
	static const struct graph_record records[] = {
		/* a > b > a > a: the first of them */
		ENTRY('a', 0, 101), ENTRY('b', 1, 111), ENTRY('a', 2, 121), ENTRY('a', 3, 131),
		EXIT('a', 3, 130, 140, 141),
		EXIT('a', 2, 120, 160, 161), EXIT('b', 1, 110, 180, 181),
		EXIT('a', 0, 100, 200, 201),
		/* an unclosed one hides nothing */
		ENTRY('a', 0, 301), ENTRY('a', 1, 311), EXIT('a', 1, 310, 320, 321),
		ENTRY('c', 0, 400),
	};
	struct call_totals *totals = count(records, sizeof(records) / sizeof(records[0]), 0);
	const struct call_total *a = total_of(totals, 'a');

	(void)state;
	assert_int_equal(a->calls, 4);
	assert_int_equal(a->total, 110);
	assert_int_equal(a->self, 30 + 30 + 10 + 10);
	assert_int_equal(a->net, 110);
	assert_int_equal(a->min, 10);
	assert_int_equal(a->max, 100);
	assert_int_equal(a->sum, 160);
	assert_int_equal(a->leaf_calls, 2);
	assert_int_equal(a->unclosed, 1);
	assert_int_equal(total_of(totals, 'c')->unclosed, 1);
	assert_int_equal(total_of(totals, 'c')->calls, 0);
	call_totals_free(totals);
}

/*
 * A task that stays in a() for ever and calls there; another that does so in what began before the
 * trace.
 */
static size_t make_long(struct graph_record *records, size_t max, uint64_t seed)
{
	static const char letters[] = "abcdefgh";
	struct {
		uint64_t func, call;
	} stacks[2][24];
	unsigned int depths[2] = { 0, 0 };
	uint64_t now = 1000;
	struct gen_random r;
	size_t nr = 0;

	gen_random_init(&r, seed);
	while (nr + 64 < max) {
		unsigned int task = gen_random_below(&r, 2), *depth = &depths[task],
			     level = task * 3;
		struct graph_record *out = &records[nr];

		now += 2 + gen_random_below(&r, 50);
		*out = (struct graph_record){ .pid = 7 + (int)task, .stream = (uint16_t)task,
					      .ts = now, .key = (int64_t)now,
					      .wanted = true };
		if (gen_random_one_in(&r, 60)) {
			out->kind = GRAPH_AWAY;
			out[1] = *out;
			now += gen_random_below(&r, 500);
			out[1].kind = GRAPH_BACK;
			out[1].ts = now;
			out[1].key = (int64_t)now;
			nr += 2;
		} else if (*depth == !task || (*depth < 20 && gen_random_one_in(&r, 2))) {
			/* The first stays: exits go down to depth 1 only. */
			out->kind = GRAPH_ENTRY;
			out->func = FUNC(letters[gen_random_below(&r, 8)]);
			out->depth = (int)(*depth + level);
			stacks[task][*depth].func = out->func;
			stacks[task][(*depth)++].call = now - 1;
			nr++;
		} else if (*depth > !task) {
			(*depth)--;
			out->kind = GRAPH_EXIT;
			out->func = stacks[task][*depth].func;
			out->call = stacks[task][*depth].call;
			out->ret = now - 1;
			out->depth = (int)(*depth + level);
			nr++;
		}
	}
	/* What the second one was in all the time returns at last. */
	records[nr++] = (struct graph_record)EXIT('c', 1, 500, now + 10, now + 11);
	records[nr - 1].pid = 8;
	records[nr - 1].stream = 1;
	return nr;
}

static void check_same(struct call_totals *x, struct call_totals *y)
{
	unsigned int nr_x, nr_y;
	struct call_total *a = call_totals_rows(x, &nr_x), *b = call_totals_rows(y, &nr_y);

	assert_int_equal(nr_x, nr_y);
	for (unsigned int i = 0; i < nr_x; i++) {
		assert_int_equal(a[i].address, b[i].address);
		assert_int_equal(a[i].calls, b[i].calls);
		assert_int_equal(a[i].total, b[i].total);
		assert_int_equal(a[i].self, b[i].self);
		assert_int_equal(a[i].net, b[i].net);
		assert_int_equal(a[i].min, b[i].min);
		assert_int_equal(a[i].max, b[i].max);
		assert_int_equal(a[i].leaf_calls, b[i].leaf_calls);
		assert_int_equal(a[i].unclosed, b[i].unclosed);
		assert_int_equal(a[i].orphans, b[i].orphans);
	}
}

static void folding_changes_nothing(void **state)
{
	enum { MAX = 40000 };
	struct graph_record *records = calloc(MAX, sizeof(*records));

	(void)state;
	for (uint64_t seed = 1; seed < 6; seed++) {
		size_t nr = make_long(records, MAX, seed);
		struct call_totals *all = count(records, nr, MAX * 2),
				   *folded = count(records, nr, 300);

		check_same(all, folded);
		call_totals_free(all);
		call_totals_free(folded);
	}
	free(records);
}

/* Whatever the records say, what is held stays below a limit. */
static void memory_is_limited(void **state)
{
	struct call_totals *totals = call_totals_new(1 << 20, NULL);
	struct call_tree_options options = { .local_clock = true,
					     .max_calls = 5000,
					     .visitor = call_totals_visitor(totals) };
	struct call_tree *tree = call_tree_new(&options);
	struct gen_random r;

	(void)state;
	gen_random_init(&r, 3);
	for (unsigned int i = 0; i < 600000; i++) {
		uint64_t now = 1000 + i;
		struct graph_record record = { .kind = (uint8_t)gen_random_below(&r,
										 GRAPH_EVENT + 1),
					       .ts = now,
					       .key = (int64_t)now,
					       .wanted = true };

		record.pid = gen_random_one_in(&r, 2) ? (int32_t)gen_random_u64(&r) :
							(int32_t)gen_random_below(&r, 4);
		record.depth = gen_random_one_in(&r, 2) ? (int32_t)gen_random_u64(&r) : (int32_t)i;
		record.func = gen_random_one_in(&r, 3) ? gen_random_u64(&r) :
							 FUNC('a') + gen_random_below(&r, 50);
		record.call = gen_random_one_in(&r, 3) ? gen_random_u64(&r) :
							 now - gen_random_below(&r, 1000);
		record.ret = gen_random_one_in(&r, 3) ? gen_random_u64(&r) : now;
		record.stream = (uint16_t)gen_random_below(&r, 3);
		call_tree_add(tree, &record);
		assert_true(call_tree_nr(tree) <= 5000);
	}
	call_tree_end(tree);
	assert_int_equal(call_tree_nr(tree), 0);
	call_tree_set_away(tree);
	call_totals_end(totals, tree);
	call_tree_free(tree);
	call_totals_free(totals);
}

static void keeping_ends_at_a_limit(void **state)
{
	struct call_tree_options options = { .max_calls = 100 };
	struct call_tree *tree = call_tree_new(&options);

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		struct graph_record record = ENTRY('a', 0, i);

		call_tree_add(tree, &record);
	}
	assert_true(call_tree_is_full(tree));
	assert_true(call_tree_nr(tree) <= 100);
	call_tree_free(tree);
}

/* --- paths ------------------------------------------------------------------------------ */

static void list_paths(const struct call_paths *paths, uint32_t number, struct text *out)
{
	for (uint32_t n = call_paths_at(paths, number)->last; n;
	     n = call_paths_at(paths, n)->before) {
		const struct call_path *path = call_paths_at(paths, n);

		text_printf(out, "%c%u:%u/%u", (char)('a' + (path->address - TEXT) / 16),
			    (unsigned int)path->calls, (unsigned int)path->total,
			    (unsigned int)path->self);
		if (path->last) {
			text_char(out, '(');
			list_paths(paths, n, out);
			text_char(out, ')');
		}
	}
}

static void check_paths(uint32_t max_paths, uint32_t max_calls, bool whole, const char *expected)
{
	static const struct graph_record records[] = {
		ENTRY('a', 0, 101), ENTRY('b', 1, 111), EXIT('b', 1, 110, 120, 121),
		ENTRY('b', 1, 131), EXIT('b', 1, 130, 150, 151),
		ENTRY('c', 1, 161), ENTRY('d', 2, 163), EXIT('d', 2, 162, 166, 167),
		EXIT('c', 1, 160, 170, 171),
		EXIT('a', 0, 100, 200, 201),
	};
	struct call_paths *paths = call_paths_new(max_paths), *sum = call_paths_new(max_paths);
	struct call_tree_options options = { .max_calls = max_calls,
					     .visitor = call_paths_visitor(paths) };
	struct call_tree *tree = call_tree_new(&options);
	struct text shown = { 0 };

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		call_tree_add(tree, &records[i]);
	call_tree_end(tree);
	call_tree_set_away(tree);
	call_paths_end(paths, tree);
	call_paths_merge(sum, paths);
	call_paths_merge(sum, paths);
	list_paths(sum, CALL_PATH_ROOT, &shown);
	assert_string_equal(text_str(&shown), expected);
	assert_int_equal(call_paths_are_whole(sum), whole);
	text_fini(&shown);
	call_tree_free(tree);
	call_paths_free(paths);
	call_paths_free(sum);
}

static void paths_add_up(void **state)
{
	(void)state;
	/* Twice the trace; children come last first, and stand in the order they were met. */
	check_paths(100, 0, true, "a2:200/120(b4:60/60c2:20/12(d2:8/8))");
	/* While a is open, the rest has to go. */
	check_paths(100, 19, true, "a2:200/120(b4:60/60c2:20/12(d2:8/8))");
	/* No room for b, which is met last: its time counts for a. */
	check_paths(4, 0, false, "a2:200/180(c2:20/12(d2:8/8))");
}

/* Deeper calls count for the last level that has paths. */
static void paths_have_levels(void **state)
{
	enum { DEPTH = CALL_PATH_LEVELS + 100 };
	struct call_paths *paths = call_paths_new(10000);
	struct call_tree_options options = { .visitor = call_paths_visitor(paths) };
	struct call_tree *tree = call_tree_new(&options);
	uint64_t self = 0;

	(void)state;
	for (uint32_t i = 0; i < DEPTH; i++)
		call_tree_add(tree, &(struct graph_record)ENTRY('a', (int32_t)i, 101 + 10 * i));
	for (uint32_t i = DEPTH; i-- > 0;)
		call_tree_add(tree, &(struct graph_record)EXIT('a', (int32_t)i, 100 + 10 * i,
							       100000 - 10 * i, 100001 - 10 * i));
	call_tree_end(tree);
	call_tree_set_away(tree);
	call_paths_end(paths, tree);
	assert_int_equal(call_paths_nr(paths), 1 + CALL_PATH_LEVELS);
	assert_true(call_paths_are_whole(paths) && call_paths_too_deep(paths));
	for (uint32_t i = 0; i < call_paths_nr(paths); i++)
		self += call_paths_at(paths, i)->self;
	assert_int_equal(self, 100000 - 100);
	assert_int_equal(call_paths_at(paths, CALL_PATH_LEVELS)->calls, 1);
	assert_true(call_paths_at(paths, CALL_PATH_LEVELS)->self > 1000);
	call_tree_free(tree);
	call_paths_free(paths);
}

/* Interrupts recorded as events; functions in them, or around them, are recorded, too. */
static void interrupts(void **state)
{
	(void)state;
	CHECK("a100/100/60", ENTRY('a', 0, 101), BEGIN(2, 120), END(2, 160),
	      EXIT('a', 0, 100, 200, 201));
	CHECK("a100/75/60(b25/25/25)", ENTRY('a', 0, 101), BEGIN(2, 120), ENTRY_OF(2, 'b', 1, 126),
	      EXIT_OF(2, 'b', 1, 125, 150, 151), END(2, 160), EXIT('a', 0, 100, 200, 201));
	CHECK("a100/50/50(b50/50/50)", ENTRY('a', 0, 101), ENTRY_OF(2, 'b', 1, 116), BEGIN(2, 120),
	      END(2, 160), EXIT_OF(2, 'b', 1, 115, 165, 166), EXIT('a', 0, 100, 200, 201));
	/* of a text, which does not tell levels */
	CHECK("a100/75/60(b25/25/25)", ENTRY('a', 0, 101), BEGIN(2, 120), ENTRY('b', 1, 126),
	      EXIT('b', 1, 125, 150, 151), END(2, 160), EXIT('a', 0, 100, 200, 201));
	/* a softirq, and a hard interrupt in it */
	CHECK("a100/100/60", ENTRY('a', 0, 101), BEGIN(1, 120), BEGIN(2, 130), END(2, 140),
	      END(1, 160), EXIT('a', 0, 100, 200, 201));
	CHECK("a100/50/49(b50/50/40)", ENTRY('a', 0, 101), BEGIN(1, 120), ENTRY_OF(1, 'b', 1, 121),
	      BEGIN(2, 130), END(2, 140), EXIT_OF(1, 'b', 1, 120, 170, 171), END(1, 171),
	      EXIT('a', 0, 100, 200, 201));
	/* a softirq on the way out of a hard interrupt */
	CHECK("a100/100/50", ENTRY('a', 0, 101), BEGIN(2, 120), END(2, 140), BEGIN(1, 142),
	      END(1, 172), EXIT('a', 0, 100, 200, 201));
	/* between a return and its record; between a call and its record */
	CHECK("a100/70/90(b30/30/30)", ENTRY('a', 0, 101), ENTRY('b', 1, 111), BEGIN(2, 145),
	      END(2, 155), EXIT('b', 1, 110, 140, 160), EXIT('a', 0, 100, 200, 201));
	CHECK("a100/70/90(b30/30/20)", ENTRY('a', 0, 101), BEGIN(2, 115), END(2, 125),
	      ENTRY('b', 1, 130), EXIT('b', 1, 110, 140, 160), EXIT('a', 0, 100, 200, 201));
	/* PREEMPT_RT: a softirq is preempted */
	CHECK("a100/60/40(@40)", ENTRY('a', 0, 101), BEGIN(1, 120), AWAY(130), BACK(170),
	      END(1, 180), EXIT('a', 0, 100, 200, 201));
}

/* Net is unknown where an interrupt is known, and its time is not. */
static void unrecorded_interrupts(void **state)
{
	(void)state;
	CHECK("a100/60/?(b40/40/?) c10/10/10", ENTRY('a', 0, 101), ENTRY('b', 1, 121),
	      IN_IRQ(2, 140), EXIT('b', 1, 120, 160, 161), EXIT('a', 0, 100, 200, 201),
	      ENTRY('c', 0, 211), EXIT('c', 0, 210, 220, 221));
	/* its functions are recorded, or its softirq is */
	CHECK("a100/60/60(b40/40/40)", ENTRY('a', 0, 101), ENTRY_OF(2, 'b', 1, 121), IN_IRQ(2, 140),
	      EXIT_OF(2, 'b', 1, 120, 160, 161), EXIT('a', 0, 100, 200, 201));
	CHECK("a100/100/60", ENTRY('a', 0, 101), BEGIN(1, 120), IN_IRQ(2, 140), END(1, 160),
	      EXIT('a', 0, 100, 200, 201));
	/* but not what interrupts a function of it */
	CHECK("a100/60/60(b40/40/?)", ENTRY('a', 0, 101), ENTRY_OF(1, 'b', 1, 121), IN_IRQ(2, 140),
	      EXIT_OF(1, 'b', 1, 120, 160, 161), EXIT('a', 0, 100, 200, 201));
	/* no end; no begin; another one's end */
	CHECK("a100/100/? c10/10/5", ENTRY('a', 0, 101), BEGIN(2, 120), EXIT('a', 0, 100, 200, 201),
	      ENTRY('c', 0, 211), BEGIN(2, 213), END(2, 218), EXIT('c', 0, 210, 220, 221));
	CHECK("a100/100/?", ENTRY('a', 0, 101), END(2, 120), EXIT('a', 0, 100, 200, 201));
	CHECK("a100/60/?(b40/40/?)", ENTRY('a', 0, 101), BEGIN(2, 110), ENTRY('b', 1, 121),
	      END(2, 130), EXIT('b', 1, 120, 160, 161), EXIT('a', 0, 100, 200, 201));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_in_calls),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(unrecorded_interrupts),
		cmocka_unit_test(what_is_lost),
		cmocka_unit_test(inferred),
		cmocka_unit_test(slices),
		cmocka_unit_test(slices_where_events_were_lost),
		cmocka_unit_test(slices_and_calls),
		cmocka_unit_test(slices_without_end),
		cmocka_unit_test(adopted),
		cmocka_unit_test(moved),
		cmocka_unit_test(levels),
		cmocka_unit_test(times_away),
		cmocka_unit_test(other_rows),
		cmocka_unit_test(gaps),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(folding_changes_nothing),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(keeping_ends_at_a_limit),
		cmocka_unit_test(paths_add_up),
		cmocka_unit_test(paths_have_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
