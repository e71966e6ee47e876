/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Graph view of traces that grow, and whose oldest records a ring drops: its calls are read
 * again.  The cursor stays on its call, on the end of it, or on the closed group that it is in, as
 * long as the call's first record is there.  A call whose entry was dropped is told to be one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "tests/lib/fake_host.h"
#include "tests/lib/growing.h"
#include "tests/lib/recorded.h"
#include "ui/graph/view_graph.h"

#define ROWS	40
#define COLS	100
#define SLICE	1000000000	/* ns */

struct screen {
	struct app	 app;
	struct shared	 shared;
	struct canvas	 canvas;
	struct view	*view;
	trace_ref	 here;		/* what the cursor was put on; TRACE_REF_NONE: nothing */
	uint8_t		 kind;
	int32_t		 pid;
	trace_ref	 entry, exit;	/* of that call */
};

static unsigned int kept;

static void draw(struct screen *s)
{
	struct view_area area = { .canvas = &s->canvas, .top = 1, .rows = ROWS - 1 };

	while (view_graph_ops.work->slice(s->view, SLICE))
		;
	canvas_clear(&s->canvas);
	view_graph_ops.draw(s->view, &area);
	view_graph_ops.publish(s->view);
}

/* A group of which one call is left is a row of that call; so is a call of which its exit is. */
static void compare(struct screen *s, struct trace *trace)
{
	const struct graph_row *row = graph_here(s->view);

	if (s->here == TRACE_REF_NONE || trace_is_dropped(trace, s->here))
		return;
	assert_non_null(row);
	assert_int_equal(s->view->pid, s->pid);
	if (getenv("GROW_DEBUG") && s->view->here != s->here)
		abort();
	assert_int_equal(s->view->here, s->here);
	if (s->kind != GRAPH_ROW_END || row->full)
		assert_int_equal(row->kind == GRAPH_ROW_END, s->kind == GRAPH_ROW_END);
	if (s->kind == GRAPH_ROW_GROUP && row->kind == GRAPH_ROW_GROUP)
		assert_false(row->open);
	kept++;
}

/* Is the start that a call's exit tells later than its entry, by the time that it slept? */
static bool is_later(const struct screen *s, const struct growing *g, const struct call *call)
{
	size_t i = 0;

	while (g->all[i].ref != s->entry)
		i++;
	return call_text_start(s->view->text, call) > g->all[i].key;
}

static void compare_entry(struct screen *s, const struct growing *g, struct trace *trace)
{
	const struct call *call;
	enum graph_no_entry why;
	uint32_t n;

	if (s->here == TRACE_REF_NONE || s->entry == TRACE_REF_NONE || s->exit == TRACE_REF_NONE ||
	    trace_ref_stream(s->entry) != trace_ref_stream(s->exit) ||
	    !trace_is_dropped(trace, s->entry) || trace_is_dropped(trace, s->exit))
		return;
	n = graph_find_record(s->view, s->exit);
	if (!n)
		return;
	call = call_tree_call(call_window_tree(s->view->window), n);
	if (call->kind != CALL_ORPHAN)	/* it was time off the CPU, say */
		return;
	why = graph_no_entry(s->view, call);
	assert_true(why < GRAPH_ENTRY_EITHER ||
		    (why == GRAPH_ENTRY_EITHER && is_later(s, g, call)));
}

static void move(struct screen *s, struct growing *g)
{
	struct view *v = s->view;

	graph_select(v, gen_random_below(&g->random, v->rows.nr));
	if (gen_random_one_in(&g->random, 2))
		graph_request(v, REQ_RIGHT, 0);
	if (gen_random_one_in(&g->random, 2))
		graph_select(v, gen_random_below(&g->random, v->rows.nr));
	draw(s);
	s->here = v->here;
	s->kind = v->here_kind;
	s->pid = v->pid;
	s->entry = graph_call(v, graph_here(v))->entry;
	s->exit = graph_call(v, graph_here(v))->exit;
	if (s->kind == GRAPH_ROW_GROUP && graph_here(v)->open)
		s->here = TRACE_REF_NONE;
}

static void grew(void *arg, struct growing *g, struct trace *trace)
{
	struct screen *s = arg;

	s->shared.at.has_span = trace_span(trace, &s->shared.at.first, &s->shared.at.last);
	s->shared.growth.as_of = trace_end(trace);
	view_graph_ops.changed(s->view);
	draw(s);
	compare(s, trace);
	compare_entry(s, g, trace);
	if (s->view->rows.nr)
		move(s, g);
}

static void *begin(struct growing *g, struct trace *trace)
{
	struct screen *s = mem_alloc(sizeof(*s));

	(void)g;
	fake_host_init(&s->app);
	canvas_init(&s->canvas, ROWS, COLS);
	places_init(&s->shared.at.places);
	s->shared.look.cols = COLS;
	shared_use(&s->shared, trace, false);
	filters_init(&s->shared.chosen.filters, trace);
	s->view = view_graph_ops.open(&view_graph_ops, &s->app.host, &s->shared);
	s->shared.growth.as_of = trace_end(trace);
	s->here = TRACE_REF_NONE;
	return s;
}

static void end(void *arg, struct growing *g)
{
	struct screen *s = arg;

	(void)g;
	view_graph_ops.close(s->view);
	shared_use(&s->shared, NULL, false);
	filters_fini(&s->shared.chosen.filters);
	fake_host_fini(&s->app);
	canvas_fini(&s->canvas);
	free(s);
}

static const struct growing_checks checks = { begin, grew, NULL, end };

static void check(const struct growing_case *c)
{
	growing_check(c, true, &checks);
}

static void calls_keep_the_cursor(void **state)
{
	(void)state;
	growing_each_made_up(check);
	growing_each_recorded(check);
	assert_true(kept > 10);
}

/* What has no calls when it is opened may get some. */
static void calls_come_later(void **state)
{
	struct trace *trace;
	struct growing g;
	struct screen *s;

	(void)state;
	trace = growing_open_empty(&g, 1);
	s = begin(&g, trace);
	draw(s);
	assert_int_equal(s->view->rows.nr, 0);
	growing_come(&g, trace);
	s->shared.growth.as_of = trace_end(trace);
	view_graph_ops.changed(s->view);
	draw(s);
	assert_true(s->view->rows.nr > 0);
	end(s, &g);
	growing_end_with(&g, trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_keep_the_cursor),
		cmocka_unit_test(calls_come_later),
	};

	return cmocka_run_group_tests(tests, growing_set_up, growing_tear_down);
}
