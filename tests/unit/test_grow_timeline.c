/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Timeline view of traces that grow, and whose oldest records a ring drops: tasks are born and
 * forgotten, and the model numbers them anew.  So it does with a text that comes from a pipe, which
 * has the first line of a CPU at any time.  The cursor, pinned and unfolded rows stay on their
 * tasks and CPUs.
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
#include "tests/lib/open_recorded.h"
#include "ui/timeline/view_timeline.h"
#include "ui/view/view.h"

#define ROWS		40
#define COLS		100
#define MOST_PINNED	4u
#define GONE		"all records of "

/* What a row is of, whatever number the model has for it: a task's pid, a CPU's number. */
struct subject {
	enum timeline_row_kind kind;
	int64_t		 of;
	int64_t		 born;		/* of a task */
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
	const struct sched_pass *pass = sched_pass_of(v->sched);
	struct subject s = { row->kind, row->index, 0 };

	if (row->kind == TIMELINE_OF_TASK) {
		s.of = timeline_pid(v, row->index);
		s.born = sched_rules_task(sched_pass_rules(pass), row->index)->born;
	} else if (timeline_row_cpu(row)) {
		s.of = sched_pass_cpu(pass, row->index);
	} else if (row->kind == TIMELINE_IDLE_CPUS) {
		s.of = 0;
	}
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
	    (timeline_here(v)->kind == TIMELINE_OF_TASK || timeline_row_cpu(timeline_here(v))) &&
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

/* A ring may have dropped a task's birth, but not made it younger. */
static bool knows(const struct view *v, const struct subject *s)
{
	const struct sched_pass *pass = sched_pass_of(v->sched);
	bool known = false;

	for (uint32_t i = 0; s->kind == TIMELINE_OF_TASK && i < sched_nr_tasks(v->sched); i++) {
		const struct sched_task *t = sched_rules_task(sched_pass_rules(pass), i);

		known |= t->pid == s->of && (!t->is_born || t->born <= s->born);
	}
	for (unsigned int i = 0; s->kind == TIMELINE_CPU && i < sched_nr_cpus(v->sched); i++)
		known |= sched_pass_cpu(pass, i) == s->of;
	return known;
}

/* Pins that the model knows nothing of are gone; the others are the same, in their order. */
static void compare_pins(const struct screen *s)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < s->nr_pinned; i++) {
		struct subject pin = { 0 };

		if (nr < s->view->nr_pinned)
			pin = subject_of(s->view, &s->view->pinned[nr]);
		if (nr < s->view->nr_pinned && is_same(&pin, &s->pinned[i]))
			nr++;
		else if (knows(s->view, &s->pinned[i]))
			fail_msg("the pin of %d:%d is gone", s->pinned[i].kind,
				 (int)s->pinned[i].of);
		compared.pins++;
	}
	assert_int_equal(nr, s->view->nr_pinned);
}

static void compare(struct screen *s)
{
	const struct timeline_row *row = timeline_here(s->view);
	struct subject here = row ? subject_of(s->view, row) : (struct subject){ 0 };
	bool told = strstr(text_str(&s->app.asked), GONE);

	if (s->here.kind == TIMELINE_OF_TASK || s->here.kind == TIMELINE_CPU) {
		if (!told && !(row && is_same(&here, &s->here)))
			fail_msg("the cursor was on %d:%d, and is on %d:%d", s->here.kind,
				 (int)s->here.of, here.kind, (int)here.of);
		compared.kept += !told;
		compared.gone += told;
	}
	compare_pins(s);
}

/* --- a trace --------------------------------------------------------------------------------- */

static void grew(void *arg, struct growing *g, struct trace *trace)
{
	struct screen *s = arg;
	struct sched *former = s->view->sched;

	(void)trace;
	s->shared.at.has_span = trace_span(s->shared.trace, &s->shared.at.first,
					   &s->shared.at.last);
	s->shared.growth.as_of = trace_end(s->shared.trace);
	settle(s);
	compared.replaced += s->view->sched != former;
	if (s->view->nr_rows)
		compare(s);
	else			/* nothing is known now, and nothing shown */
		compare_pins(s);
	choose_rows(s, g);
	draw(s);
	note_rows(s);
	text_clear(&s->app.asked);
}

static struct screen *open_screen(struct trace *trace)
{
	struct screen *s = mem_alloc(sizeof(*s));

	fake_host_init(&s->app);
	canvas_init(&s->canvas, ROWS, COLS);
	places_init(&s->shared.at.places);
	s->shared.look.detail_rows = -1;
	s->shared.look.cols = COLS;
	shared_use(&s->shared, trace, false);
	filters_init(&s->shared.chosen.filters, trace);
	s->here.kind = TIMELINE_PLOT; /* none yet */
	s->view = view_timeline_ops.open(&view_timeline_ops, &s->app.host, &s->shared);
	return s;
}

static void close_screen(struct screen *s)
{
	view_timeline_ops.close(s->view);
	shared_use(&s->shared, NULL, false);
	filters_fini(&s->shared.chosen.filters);
	fake_host_fini(&s->app);
	canvas_fini(&s->canvas);
	free(s);
}

static void *begin(struct growing *g, struct trace *trace)
{
	struct screen *s = open_screen(trace);

	(void)g;
	s->shared.growth.as_of = trace_end(trace);
	view_timeline_ops.retrace(s->view);
	return s;
}

static void end(void *arg, struct growing *g)
{
	(void)g;
	close_screen(arg);
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

/* --- a pipe ---------------------------------------------------------------------------------- */

#define LINES		600u
#define PIDS		40u
#define PIPE_CPUS	8u

/* A switch, between random tasks; later ones on more CPUs. */
static void write_line(FILE *file, struct gen_random *random, uint32_t *runs, unsigned int nr)
{
	static const unsigned int order[PIPE_CPUS] = { 5, 2, 7, 0, 6, 1, 4, 3 };
	unsigned int cpu = order[gen_random_below(random, 1 + nr * PIPE_CPUS / LINES)];
	uint32_t next = gen_random_below(random, PIDS);

	next = next ? 100 + next : 0;
	for (unsigned int i = 0; i < PIPE_CPUS; i++)
		if (runs[i] == next) /* no task runs on two */
			next = 0;
	fprintf(file,
		"t%u-%u [%03u] d..2. 7.%06u: sched_switch: prev_comm=t%u prev_pid=%u prev_prio=120 "
		"prev_state=S ==> next_comm=t%u next_pid=%u next_prio=120\n",
		runs[cpu], runs[cpu], cpu, nr, runs[cpu], runs[cpu], next, next);
	runs[cpu] = next;
}

/* The first lines of a text. */
static struct trace *open_text(unsigned int seed, unsigned int nr)
{
	uint32_t runs[PIPE_CPUS] = { 0 };
	struct gen_random random;
	struct trace *trace;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/pipe.txt", growing_dir);
	file = fopen(path, "w");
	assert_non_null(file);
	gen_random_init(&random, growing_seed() + seed);
	for (unsigned int i = 0; i < nr; i++)
		write_line(file, &random, runs, i);
	fclose(file);
	trace = open_path(path, 2);
	trace_wait(trace);
	return trace;
}

/* As ui/session/reopen_pipe.c does. */
static void show_more(struct screen *s, struct trace *trace)
{
	struct trace *former = s->shared.trace;

	shared_use(&s->shared, trace, false);
	filters_fini(&s->shared.chosen.filters);
	filters_init(&s->shared.chosen.filters, trace);
	s->shared.at.has_span = trace_span(trace, &s->shared.at.first, &s->shared.at.last);
	s->shared.growth.has_more = true;
	view_timeline_ops.retrace(s->view);
	s->shared.growth.has_more = false;
	trace_close(former);
}

static unsigned int unfolded(const struct view *v)
{
	unsigned int cpus = 0;

	for (uint32_t i = 0; i < sched_nr_cpus(v->sched); i++)
		if (timeline_is_unfolded(v, i))
			cpus |= 1u << sched_pass_cpu(sched_pass_of(v->sched), i);
	return cpus;
}

static void unfold_any(struct view *v, struct gen_random *random)
{
	uint32_t cpu = gen_random_below(random, sched_nr_cpus(v->sched));

	timeline_unfold(v, cpu, !timeline_is_unfolded(v, cpu));
}

static void check_pipe(unsigned int seed)
{
	struct screen *s = open_screen(open_text(seed, 10));
	struct trace *last;
	struct growing g;
	unsigned int cpus;

	gen_random_init(&g.random, growing_seed() + seed);
	s->shared.at.has_span = trace_span(s->shared.trace, &s->shared.at.first,
					   &s->shared.at.last);
	view_timeline_ops.retrace(s->view);
	settle(s);
	for (unsigned int nr = 10; nr < LINES; nr += 1 + gen_random_below(&g.random, 60)) {
		choose_rows(s, &g);
		unfold_any(s->view, &g.random);
		draw(s);
		note_rows(s);
		cpus = unfolded(s->view);
		show_more(s, open_text(seed, nr));
		if (gen_random_one_in(&g.random, 4)) /* it comes before the model is made */
			show_more(s, open_text(seed, nr + 1));
		settle(s);
		compare(s);
		assert_int_equal(unfolded(s->view), cpus);
	}
	last = s->shared.trace;
	close_screen(s);
	trace_close(last);
}

static void rows_stay_while_a_pipe_goes_on(void **state)
{
	(void)state;
	memset(&compared, 0, sizeof(compared));
	for (unsigned int seed = 1; seed <= 8; seed++)
		check_pipe(seed);
	assert_true(compared.kept > 100 && compared.pins > 100);
	assert_int_equal(compared.gone, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_stay_on_their_tasks),
		cmocka_unit_test(rows_stay_while_a_pipe_goes_on),
	};

	return cmocka_run_group_tests(tests, growing_set_up, growing_tear_down);
}
