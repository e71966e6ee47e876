/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Timeline view of traces that grow, and whose oldest records a ring drops: tasks are born and
 * forgotten, and the model numbers them anew.  The cursor and pinned rows stay on their tasks.
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
#include "tests/lib/fake_host.h"
#include "tests/lib/growing.h"
#include "tests/lib/limits.h"
#include "ui/timeline/view_timeline.h"
#include "ui/view/view.h"

#define ROWS		40
#define COLS		100
#define MOST_PINNED	4u
#define GONE		"the ring has dropped all that was recorded of "

/* What a row is of, whatever number the model has for it: a task's pid, a CPU's number. */
struct subject {
	enum timeline_row_kind kind;
	int64_t		 of;
};

struct screen {
	struct app	 app;
	struct shared	 shared;
	struct canvas	 canvas;
	struct view	*view;
	struct subject	 here, pinned[MOST_PINNED];
	unsigned int	 nr_pinned;
};

static struct {
	unsigned int replaced, kept, gone, pins;
} compared;

static struct subject subject_of(const struct view *v, const struct timeline_row *row)
{
	struct subject s = { row->kind, row->index };

	if (row->kind == TIMELINE_OF_TASK)
		s.of = timeline_pid(v, row->index);
	else if (timeline_row_cpu(row))
		s.of = sched_pass_cpu(sched_pass_of(v->sched), row->index);
	else if (row->kind == TIMELINE_IDLE_CPUS)
		s.of = 0;
	return s;
}

static bool is_same(const struct subject *a, const struct subject *b)
{
	return a->kind == b->kind && a->of == b->of;
}

static void draw(struct screen *s)
{
	struct view_area area = { .canvas = &s->canvas, .top = 1, .rows = ROWS - 1 };

	view_take(&view_timeline_ops, s->view);
	canvas_clear(&s->canvas);
	view_timeline_ops.draw(s->view, &area);
}

/* Turns of a loop until the model has all that there is. */
static void settle(struct screen *s)
{
	struct workers *workers = trace_workers(s->shared.trace);
	struct pollfd fd = { .fd = workers_fd(workers), .events = POLLIN };

	for (draw(s); s->view->next || !sched_progress(s->view->sched).done; draw(s)) {
		poll(&fd, 1, 20);
		workers_acknowledge(workers);
	}
	draw(s);
}

/* --- what the user does ---------------------------------------------------------- */

static void choose_rows(struct screen *s, struct growing *g)
{
	struct view *v = s->view;

	sched_lock(v->sched);
	if (v->nr_rows && gen_random_one_in(&g->random, 3))
		timeline_move_row(v, (int)gen_random_below(&g->random, v->nr_rows) - (int)v->at);
	if (v->nr_pinned < MOST_PINNED && timeline_here(v) &&
	    timeline_here(v)->kind == TIMELINE_OF_TASK &&
	    !timeline_is_pinned(v, timeline_here(v)) && gen_random_one_in(&g->random, 3))
		timeline_pin(v, timeline_here(v));
	sched_unlock(v->sched);
}

static void note_rows(struct screen *s)
{
	struct view *v = s->view;

	s->nr_pinned = v->nr_pinned;
	for (unsigned int i = 0; i < v->nr_pinned; i++)
		s->pinned[i] = subject_of(v, &v->pinned[i]);
	s->here.kind = TIMELINE_PLOT;
	if (timeline_here(v))
		s->here = subject_of(v, timeline_here(v));
}

/* --- what must be --------------------------------------------------------------------------- */

static void compare(struct screen *s)
{
	const struct timeline_row *row = timeline_here(s->view);
	struct subject here = row ? subject_of(s->view, row) : (struct subject){ 0 };
	bool told = strstr(text_str(&s->app.asked), GONE);
	unsigned int nr = 0;

	if (s->here.kind == TIMELINE_OF_TASK || s->here.kind == TIMELINE_CPU) {
		if (!told && !(row && is_same(&here, &s->here)))
			fail_msg("the cursor was on %d:%d, and is on %d:%d", s->here.kind,
				 (int)s->here.of, here.kind, (int)here.of);
		compared.kept += !told;
		compared.gone += told;
	}
	/* some may be gone; the others are the same, in their order */
	for (unsigned int i = 0; i < s->view->nr_pinned; i++) {
		struct subject pin = subject_of(s->view, &s->view->pinned[i]);

		while (nr < s->nr_pinned && !is_same(&pin, &s->pinned[nr]))
			nr++;
		assert_true(nr++ < s->nr_pinned);
		compared.pins++;
	}
}

/* --- a trace --------------------------------------------------------------------------------- */

static void grew(void *arg, struct growing *g, struct trace *trace)
{
	struct screen *s = arg;
	struct sched *former = s->view->sched;

	(void)trace;
	s->shared.has_span = trace_span(s->shared.trace, &s->shared.first, &s->shared.last);
	s->shared.as_of = trace_end(s->shared.trace);
	settle(s);
	compared.replaced += s->view->sched != former;
	if (!s->view->nr_rows)		/* nothing is known now, and nothing shown */
		return;
	compare(s);
	choose_rows(s, g);
	draw(s);
	note_rows(s);
	text_clear(&s->app.asked);
}

static void *begin(struct growing *g, struct trace *trace)
{
	struct screen *s = mem_alloc(sizeof(*s));

	(void)g;
	fake_host_init(&s->app);
	canvas_init(&s->canvas, ROWS, COLS);
	places_init(&s->shared.places);
	s->shared.detail_rows = -1;
	s->shared.cols = COLS;
	shared_use(&s->shared, trace);
	filters_init(&s->shared.filters, trace);
	s->shared.as_of = trace_end(trace);
	s->here.kind = TIMELINE_PLOT;	/* none yet */
	s->view = view_timeline_ops.open(&view_timeline_ops, &s->app.host, &s->shared);
	view_timeline_ops.retrace(s->view);
	return s;
}

static void end(void *arg, struct growing *g)
{
	struct screen *s = arg;

	(void)g;
	view_timeline_ops.close(s->view);
	shared_use(&s->shared, NULL);
	filters_fini(&s->shared.filters);
	fake_host_fini(&s->app);
	canvas_fini(&s->canvas);
	free(s);
}

static const struct growing_checks checks = { begin, grew, NULL, end };

static void check(const struct growing_case *c)
{
	growing_check(c, true, &checks);
}

static void rows_stay_on_their_tasks(void **state)
{
	(void)state;
	growing_each_made_up(check);
	growing_each_recorded(check);

	assert_true(compared.replaced > 20 && compared.kept > 100 && compared.pins > 10);
	assert_true(compared.gone);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows_stay_on_their_tasks) };

	return cmocka_run_group_tests(tests, growing_set_up, growing_tear_down);
}
