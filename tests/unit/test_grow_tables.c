/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of traces that grow, and whose oldest records a ring drops: tasks are born and forgotten,
 * values, stacks and calls are counted anew.  The cursor stays on its row, or on the line below an
 * open row, or it is told that this is gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/lists/sources.h"
#include "tests/lib/fake_host.h"
#include "tests/lib/growing.h"
#include "tests/lib/recorded.h"
#include "ui/lists/view_list.h"
#include "ui/table/table.h"
#include "ui/tasks/view_tasks.h"
#include "ui/view/view.h"

#define ROWS	40
#define COLS	100
#define GONE	"not listed any more"

struct screen {
	struct app	 app;
	struct shared	 shared;
	struct canvas	 canvas;
	const struct view_ops *ops;
	struct view	*view;
	bool		 any;		/* the cursor was put on a row: */
	struct sched_task task;		/* of Tasks */
	struct text	 name;		/* of other tables */
};

static const struct view_ops *tried;
static unsigned int kept, gone;

static void draw(struct screen *s)
{
	struct view_area area = { .canvas = &s->canvas, .top = 1, .rows = ROWS - 1 };
	const struct view_work *work = s->ops->work;

	view_take(s->ops, s->view);
	if (s->ops == &view_functions_ops) {
		work->slice(s->view, 0);
		work->progressed(s->view);
	}
	canvas_clear(&s->canvas);
	s->ops->draw(s->view, &area);
}

/* Turns of a loop until all that there is is counted. */
static void settle(struct screen *s)
{
	struct workers *workers = trace_workers(s->shared.trace);
	struct pollfd fd = { .fd = workers_fd(workers), .events = POLLIN };

	for (draw(s); s->ops->work->waits(s->view) || !workers_idle(workers); draw(s)) {
		poll(&fd, 1, 20);
		workers_acknowledge(workers);
	}
	draw(s);
	if (s->ops == &view_functions_ops && !workers_idle(workers))
		settle(s);		/* the calls below an open row come after the rows */
}

static const struct sched_task *task_of(const struct view *v, const struct table *t)
{
	return &v->now.figures.tasks[table_row(t, t->window.at)];
}

/* What a line below an open row says changes, but not what it is about. */
static void name_below(const struct table *t, uint32_t i, struct text *out)
{
	text_printf(out, " %lx", (unsigned long)t->ops->below_key(t->owner, i));
}

static void name_of(const struct table *t, struct text *out)
{
	uint32_t i;

	text_clear(out);
	table_name(t, table_row(t, t->window.at), out);
	if (table_is_below(t, t->window.at, &i))
		name_below(t, i, out);
}

/* A ring may have dropped a task's birth, but not made it younger. */
static bool is_same(struct screen *s, const struct table *t)
{
	struct text name = { 0 };
	bool same;

	if (s->ops == &view_tasks_ops) {
		const struct sched_task *task = task_of(s->view, t);

		return task->pid == s->task.pid && (!task->is_born || task->born <= s->task.born);
	}
	name_of(t, &name);
	same = !strcmp(text_str(&name), text_str(&s->name));
	text_fini(&name);
	return same;
}

static void compare(struct screen *s, const struct table *t)
{
	bool told = strstr(text_str(&s->app.asked), GONE);

	if (s->any && !told && !is_same(s, t))
		fail_msg("the cursor was on %s-%u", text_str(&s->name), s->task.pid);
	kept += s->any && !told;
	gone += told;
}

static void grew(void *arg, struct growing *g, struct trace *trace)
{
	struct screen *s = arg;
	struct table *t;

	s->shared.at.has_span = trace_span(trace, &s->shared.at.first, &s->shared.at.last);
	s->shared.growth.as_of = trace_end(trace);
	settle(s);
	t = s->ops->table(s->view);
	if (!t || !t->nr)
		return;
	compare(s, t);
	if (!s->any || gen_random_one_in(&g->random, 2))
		table_select(t, gen_random_below(&g->random, table_nr_lines(t)));
	draw(s);
	if (s->ops == &view_functions_ops && gen_random_one_in(&g->random, 4))
		s->ops->request(s->view, REQ_MORE, 0);
	s->any = t->has_here;
	if (s->ops == &view_tasks_ops)
		s->task = *task_of(s->view, t);
	name_of(t, &s->name);
	text_clear(&s->app.asked);
}

static void *begin(struct growing *g, struct trace *trace)
{
	struct screen *s = mem_alloc(sizeof(*s));

	(void)g;
	s->ops = tried;
	fake_host_init(&s->app);
	canvas_init(&s->canvas, ROWS, COLS);
	places_init(&s->shared.at.places);
	s->shared.look.detail_rows = -1;
	s->shared.look.cols = COLS;
	shared_use(&s->shared, trace, false);
	filters_init(&s->shared.chosen.filters, trace);
	s->view = s->ops->open(s->ops, &s->app.host, &s->shared);
	s->shared.growth.as_of = trace_end(trace);
	s->ops->retrace(s->view);
	return s;
}

static void end(void *arg, struct growing *g)
{
	struct screen *s = arg;

	(void)g;
	s->ops->close(s->view);
	shared_use(&s->shared, NULL, false);
	filters_fini(&s->shared.chosen.filters);
	fake_host_fini(&s->app);
	canvas_fini(&s->canvas);
	text_fini(&s->name);
	free(s);
}

/* How long the tasks that are in no group, and the groups, ran; and how many tasks there are. */
static int64_t sum_up(const struct view *v, uint32_t *nr)
{
	const struct task_figures *f = &v->now.figures;
	int64_t ran = 0;

	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		uint32_t up = f->parents ? f->parents[i] : TASK_NO_GROUP;

		assert_true(up == TASK_NO_GROUP || up < f->nr_groups);
		if (up == TASK_NO_GROUP)
			ran = (int64_t)((uint64_t)ran + (uint64_t)f->tasks[i].run);
	}
	*nr = f->nr_tasks - f->nr_groups;
	return ran;
}

/* The rows of other groups are there before they are counted, with all that the tasks did. */
static void group(void *arg, struct growing *g, struct trace *trace)
{
	struct screen *s = arg;
	uint32_t nr, then;
	int64_t ran;

	s->shared.at.has_span = trace_span(trace, &s->shared.at.first, &s->shared.at.last);
	s->shared.growth.as_of = trace_end(trace);
	settle(s);
	ran = sum_up(s->view, &nr);
	s->ops->lists->choose(s->view, "trgbuy"[gen_random_below(&g->random, 6)]);
	if (!s->view->now.is_former)	/* they may be counted by now */
		return;
	assert_true(!nr || s->ops->table(s->view)->nr);
	assert_true(sum_up(s->view, &then) == ran);
	assert_int_equal(then, nr);
	kept++;
}

static const struct growing_checks grouping_checks = { begin, group, NULL, end };

static void check_groups(const struct growing_case *c)
{
	growing_check(c, true, &grouping_checks);
}

static void groups_have_rows_at_once(void **state)
{
	(void)state;
	tried = &view_tasks_ops;
	kept = 0;
	growing_each_made_up(check_groups);
	growing_each_recorded(check_groups);
	assert_true(kept > 10);
}

static const struct growing_checks checks = { begin, grew, NULL, end };

static void check(const struct growing_case *c)
{
	growing_check(c, true, &checks);
}

static void check_rows(const struct view_ops *ops)
{
	tried = ops;
	kept = 0;
	growing_each_made_up(check);
	growing_each_recorded(check);
	assert_true(kept > 10);
}

static void tasks_keep_the_cursor(void **state)
{
	(void)state;
	check_rows(&view_tasks_ops);
}

static void counts_keep_the_cursor(void **state)
{
	(void)state;
	check_rows(&view_list_ops[LIST_SOURCE_count]);
}

static void stacks_keep_the_cursor(void **state)
{
	(void)state;
	check_rows(&view_list_ops[LIST_SOURCE_stacks]);
}

static void functions_keep_the_cursor(void **state)
{
	(void)state;
	check_rows(&view_functions_ops);
}

static void latency_keeps_the_cursor(void **state)
{
	(void)state;
	check_rows(&view_latency_ops);
	assert_true(gone);	/* of all tables: which of them is luck */
}

static unsigned int rows_of(struct screen *s)
{
	const struct table *t = s->ops->table(s->view);

	return t ? t->nr : 0;
}

/* What has no rows when it is opened may get some. */
static void rows_come_later(void **state)
{
	static const struct view_ops *const views[] = {
		&view_tasks_ops, &view_list_ops[LIST_SOURCE_count], &view_functions_ops,
		&view_latency_ops,
	};
	struct trace *trace;
	struct growing g;
	struct screen *s;

	(void)state;
	for (size_t v = 0; v < sizeof(views) / sizeof(views[0]); v++) {
		tried = views[v];
		trace = growing_open_empty(&g, v);
		s = begin(&g, trace);
		settle(s);
		assert_int_equal(rows_of(s), 0);
		growing_come(&g, trace);
		grew(s, &g, trace);
		assert_true(rows_of(s) > 0);
		end(s, &g);
		growing_end_with(&g, trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_keep_the_cursor),
		cmocka_unit_test(groups_have_rows_at_once),
		cmocka_unit_test(counts_keep_the_cursor),
		cmocka_unit_test(stacks_keep_the_cursor),
		cmocka_unit_test(functions_keep_the_cursor),
		cmocka_unit_test(latency_keeps_the_cursor),
		cmocka_unit_test(rows_come_later),
	};

	return cmocka_run_group_tests(tests, growing_set_up, growing_tear_down);
}
