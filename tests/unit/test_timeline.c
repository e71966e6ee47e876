/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of random windows beside a rendering from all states of a row, one by one; labels, rulers,
 * stories.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/commands/derived_names.h"
#include "src/sched/sched_cause.h"
#include "src/timeline/sched_story.h"
#include "src/timeline/timeline.h"
#include "tests/lib/gen_sched.h"
#include "tests/lib/recorded.h"

#define COLUMNS	40u

struct subject {
	struct trace	*trace;
	struct sched	*sched;
	struct timeline	 timeline;
	struct gen_random random;
	char		 path[64];	/* "" = not ours */
};

static void open_model(struct subject *s, const char *path, unsigned int workers)
{
	struct trace_options options = { .nr_workers = workers,
					 .filter_names = derived_names,
					 .hold_permille = -1 };
	struct ft_error err = { 0 };

	s->trace = trace_open(&path, 1, true, &options, &err);
	if (!s->trace)
		fail_msg("%s", err.message);
	trace_wait(s->trace);
	s->sched = sched_new(s->trace, 0, 0);
	sched_wait(s->sched);
	assert_true(sched_progress(s->sched).done);
	sched_lock(s->sched);
}

static void open_made(struct subject *s, uint64_t seed, uint32_t steps)
{
	struct gen_sched_options options = gen_sched_sample(seed, steps);
	struct gen_sched *gen = gen_sched_new(&options);
	struct ft_error err = { 0 };

	*s = (struct subject){ 0 };
	gen_random_init(&s->random, seed);
	snprintf(s->path, sizeof(s->path), "/tmp/test_timeline.XXXXXX");
	close(mkstemp(s->path));
	if (gen_sched_write(gen, s->path, &err))
		fail_msg("%s", err.message);
	gen_sched_free(gen);
	open_model(s, s->path, 1 + (unsigned int)(seed % 3));
}

static void close_model(struct subject *s)
{
	timeline_fini(&s->timeline);
	sched_unlock(s->sched);
	sched_free(s->sched);
	trace_close(s->trace);
	if (*s->path)
		unlink(s->path);
}

/* --- the slow way ------------------------------------------------------------------------ */

/* What a column holds of one row, by looking at all of its states. */
struct held {
	unsigned int	begun[8], again[8];
	uint64_t	ns[8];
	bool		touched[8];
	int		first_kind, last_kind;	/* of what was there before it; of
						   the last state in it; -1: none */
	bool		goes_on;
	uint64_t	*by_arg;		/* time of kind 1 */
	uint32_t	nr_args, last_arg, first_arg;
};

static void hold(struct held *h, const struct pyramid *p, int64_t end, int64_t from, int64_t to,
		 uint32_t nr_args)
{
	struct pyramid_state s;
	struct pyramid_iter it;

	*h = (struct held){ .first_kind = -1,
			    .last_kind = -1,
			    .nr_args = nr_args,
			    .by_arg = calloc(nr_args + 1, sizeof(uint64_t)) };
	pyramid_iter_init(&it, p, end, INT64_MIN);
	while (pyramid_iter_next(&it, &s)) {
		bool begins = s.from >= from && s.from < to, spans = s.from < from && s.to > from;

		if (s.doubtful)
			s.kind = SCHED_TASK_LOST;
		if (!begins && !spans)
			continue;
		h->touched[s.kind] = true;
		*(begins ? s.again ? &h->again[s.kind] : &h->begun[s.kind] :
			   &(unsigned int){ 0 }) += 1;
		if (spans) {
			h->first_kind = s.kind;
			h->first_arg = s.arg;
		}
		h->last_kind = s.kind;
		h->last_arg = s.arg;
		h->goes_on = s.to > to;
		h->ns[s.kind] += (uint64_t)((s.to < to ? s.to : to) - (begins ? s.from : from));
		if (s.kind == 1 && s.arg < nr_args)
			h->by_arg[s.arg] += (uint64_t)((s.to < to ? s.to : to) -
						       (begins ? s.from : from));
	}
}

static const char *const heights[] = { "", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

/* The share of a column in eighths, or in sixteenths if rows are tall; at least one. */
static unsigned int level_of(const struct subject *s, uint64_t ns, uint64_t width)
{
	unsigned int most = s->timeline.tall ? 16 : 8, nr = most;

	/* the nearest: 7 up to 7.5 eighths */
	while (nr > 1 && (double)ns * 2 * most < (double)width * (2 * nr - 1))
		nr--;
	return nr;
}

/*
 * A column that runs: its height; filled, it may be part of a name or the line between two.
 * Without switches, it has a tick.
 */
static void check_height(const struct subject *s, const struct timeline_cell *cell, unsigned int nr)
{
	if (sched_pass_is_seen(sched_pass_of(s->sched))) {
		assert_string_equal(cell->glyph, "╷");
		return;
	}
	assert_int_equal(cell->filled, nr == (s->timeline.tall ? 16 : 8));
	if (nr > 8)
		assert_string_equal(cell->above, strcmp(cell->glyph, "│") ? heights[nr - 8] : "│");
	else
		assert_null(cell->above);
	if (!cell->filled || (uint8_t)cell->glyph[0] >= 0x80) {
		if (cell->filled && !strcmp(cell->glyph, "│"))
			return;
		assert_string_equal(cell->glyph, heights[nr > 8 ? 8 : nr]);
	}
	assert_int_equal(cell->role, TIMELINE_TASK);
}

static const char *task_glyph(const struct held *h, const struct held *marks, uint64_t width)
{
	unsigned int best = SCHED_RUNS, waits = h->begun[SCHED_WAITS];
	uint64_t known = 0;
	const char *glyph = NULL;

	for (unsigned int k = SCHED_RUNS; k <= SCHED_BLOCKED; k++) {
		known += h->ns[k];
		best = h->ns[k] > h->ns[best] ? k : best;
	}
	if (!known || (known < width && width - known > h->ns[best]))
		best = h->touched[SCHED_TASK_LOST] || h->touched[SCHED_UNKNOWN] ? SCHED_UNKNOWN :
										  SCHED_GONE;
	if (h->last_kind < 0)
		glyph = " ";
	else if (waits == 1 && h->last_kind == SCHED_WAITS && h->goes_on && best != SCHED_RUNS)
		glyph = "↑";
	else if (best == SCHED_WAITS || best == SCHED_PREEMPTED)
		glyph = best == SCHED_WAITS ? "═" : "▒";
	else if (h->touched[SCHED_RUNS])
		return NULL;
	else if (waits || h->begun[SCHED_PREEMPTED])
		glyph = waits ? "═" : "▒";
	else
		glyph = best == SCHED_UNKNOWN ? "░" :
			best == SCHED_GONE    ? " " :
			best == SCHED_BLOCKED ? "D" :
						"┈";
	if (marks->begun[SCHED_MARK_MIGRATED] && !waits)
		return "⇄";
	return glyph;
}

static unsigned int nr_interrupts;	/* columns that they take most of */
static unsigned int nr_renamed;

/* --- both ------------------------------------------------------------------------------- */

static void check_cpu(struct subject *s, unsigned int cpu)
{
	struct timeline_cell cells[COLUMNS];

	timeline_draw(&s->timeline, &(struct timeline_row){ TIMELINE_CPU, cpu }, cells);
	for (unsigned int i = 0; i < COLUMNS; i++) {
		uint64_t width = (uint64_t)s->timeline.step;
		uint32_t nr = sched_nr_tasks(s->sched);
		struct held h, interrupts;

		hold(&h, sched_cpu(s->sched, cpu), sched_end(s->sched), s->timeline.edges[i],
		     s->timeline.edges[i + 1], nr);
		hold(&interrupts, sched_contexts(s->sched, cpu), sched_end(s->sched),
		     s->timeline.edges[i], s->timeline.edges[i + 1], 0);
		if ((interrupts.ns[SCHED_CONTEXT_SOFTIRQ] + interrupts.ns[SCHED_CONTEXT_IRQ] +
		     interrupts.ns[SCHED_CONTEXT_NMI]) *
			    2 >
		    width) {
			assert_string_equal(cells[i].glyph, "▀");
			assert_int_equal(cells[i].role, TIMELINE_IRQ);
			nr_interrupts++;
		} else if (h.touched[SCHED_CPU_LOST]) {
			assert_string_equal(cells[i].glyph, "░");
		} else if (h.touched[SCHED_CPU_RUNS]) {
			check_height(s, &cells[i], level_of(s, h.ns[SCHED_CPU_RUNS], width));
			for (uint32_t task = 0; task < nr; task++)
				if (h.by_arg[task] * 2 > width)
					assert_int_equal(cells[i].task, task);
		} else {
			assert_string_equal(cells[i].glyph, h.touched[SCHED_CPU_IDLE] ? "·" : " ");
		}
		free(h.by_arg);
		free(interrupts.by_arg);
	}
}

static void check_task(struct subject *s, uint32_t task)
{
	struct timeline_cell cells[COLUMNS];

	timeline_draw(&s->timeline, &(struct timeline_row){ TIMELINE_OF_TASK, task }, cells);
	for (unsigned int i = 0; i < COLUMNS; i++) {
		int64_t from = s->timeline.edges[i], to = s->timeline.edges[i + 1];
		const char *glyph;
		struct held h, marks, limits;

		hold(&h, sched_task(s->sched, task), sched_end(s->sched), from, to, 0);
		hold(&marks, sched_marks(s->sched, task), sched_end(s->sched), from, to, 0);
		hold(&limits, sched_limits(s->sched, task), sched_end(s->sched), from, to, 0);
		glyph = task_glyph(&h, &marks, (uint64_t)s->timeline.step);
		if (glyph && (!strcmp(glyph, "═") || !strcmp(glyph, "▒")) &&
		    limits.ns[SCHED_THROTTLED] * 2 > (uint64_t)(to - from))
			glyph = "T";
		if (sched_pass_is_seen(sched_pass_of(s->sched)) && h.begun[SCHED_UNKNOWN])
			glyph = "↑";
		else if (glyph && sched_pass_is_seen(sched_pass_of(s->sched)) &&
			 ((!strcmp(glyph, "═") && !h.begun[SCHED_WAITS]) ||
			  (!strcmp(glyph, "░") && !h.touched[SCHED_TASK_LOST])))
			glyph = " ";
		/* Another name than in the column before. */
		if (!strcmp(cells[i].glyph, "»")) {
			assert_string_not_equal(sched_comm(s->sched, task, i ? from - 1 : from),
						sched_comm(s->sched, task, to - 1));
			nr_renamed++;
		} else if (glyph) {
			assert_string_equal(cells[i].glyph, glyph);
		} else {
			check_height(s, &cells[i],
				     level_of(s, h.ns[SCHED_RUNS], (uint64_t)s->timeline.step));
		}
		free(h.by_arg);
		free(marks.by_arg);
		free(limits.by_arg);
	}
}

static void check_softirqs(struct subject *s)
{
	struct timeline_cell cells[COLUMNS];
	unsigned int nr[COLUMNS] = { 0 }, most = 0;

	timeline_draw(&s->timeline, &(struct timeline_row){ TIMELINE_SOFTIRQS, TIMELINE_ALL_CPUS },
		      cells);
	for (unsigned int cpu = 0; cpu < sched_nr_cpus(s->sched); cpu++)
		for (unsigned int i = 0; i < COLUMNS; i++) {
			struct held h;

			hold(&h, sched_contexts(s->sched, cpu), sched_end(s->sched),
			     s->timeline.edges[i], s->timeline.edges[i + 1], 0);
			nr[i] += h.begun[SCHED_CONTEXT_SOFTIRQ];
			free(h.by_arg);
		}
	for (unsigned int i = 0; i < COLUMNS; i++)
		most = nr[i] > most ? nr[i] : most;
	for (unsigned int i = 0; i < COLUMNS; i++) {
		/* Eight bars, ▁ to █, or sixteen, of which eight have a part above. */
		unsigned int bars = s->timeline.tall ? 16 : 8, bar = 0;
		const char digit[] = { (char)('0' + nr[i] % 10), '\0' };

		if (most > 9)
			bar = 1 + (unsigned int)((double)nr[i] / most * (bars - 1) + 0.5);
		if (nr[i])
			assert_string_equal(cells[i].glyph,
					    bar ? heights[bar > 8 ? 8 : bar] : digit);
		if (nr[i] && bar > 8)
			assert_string_equal(cells[i].above, heights[bar - 8]);
	}
}

/* Those that ran or waited in the window, by looking at all states of each. */
static void check_tasks(struct subject *s)
{
	uint32_t *tasks, nr = timeline_tasks(&s->timeline, false, false, &tasks), expected = 0;
	uint64_t run = UINT64_MAX;

	for (uint32_t i = 0; i < sched_nr_tasks(s->sched); i++) {
		struct held h;
		bool listed = false;

		hold(&h, sched_task(s->sched, i), sched_end(s->sched), s->timeline.edges[0],
		     s->timeline.edges[COLUMNS], 0);
		for (uint32_t k = 0; k < nr; k++)
			listed |= tasks[k] == i;
		assert_int_equal(listed, h.touched[SCHED_RUNS] || h.touched[SCHED_WAITS] ||
						 h.touched[SCHED_PREEMPTED]);
		expected += listed;
		free(h.by_arg);
	}
	assert_int_equal(nr, expected);
	for (uint32_t k = 0; k < nr; k++) {
		struct held h;

		hold(&h, sched_task(s->sched, tasks[k]), sched_end(s->sched), s->timeline.edges[0],
		     s->timeline.edges[COLUMNS], 0);
		assert_true(h.ns[SCHED_RUNS] <= run);
		run = h.ns[SCHED_RUNS];
		free(h.by_arg);
	}
	free(tasks);
}

static void rows_equal_a_rendering_from_all_states(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < (getenv("FTOP_TEST_LONG") ? 40 : 20); seed++) {
		struct subject s;
		int64_t first, last;

		open_made(&s, seed, 700);
		if (!sched_span(s.sched, &first, &last) || last <= first) {
			close_model(&s);
			continue;
		}
		for (unsigned int i = 0; i < 14; i++) {
			/* From a column for the whole to a nanosecond a column, anywhere. */
			int64_t step = (last - first) >> gen_random_below(&s.random, 30), from;

			step = step < 1 ? 1 : step;
			from = first - step * 3 +
			       (int64_t)(gen_random_u64(&s.random) %
					 (uint64_t)(last - first + step * 3));
			timeline_set(&s.timeline, s.sched, from, step, COLUMNS);
			s.timeline.tall = i % 2;
			for (unsigned int cpu = 0; cpu < sched_nr_cpus(s.sched); cpu++)
				check_cpu(&s, cpu);
			for (uint32_t task = 0; task < sched_nr_tasks(s.sched);
			     task += 1 + (uint32_t)(seed % 3))
				check_task(&s, task);
			check_softirqs(&s);
			check_tasks(&s);
		}
		close_model(&s);
	}
	assert_true(nr_interrupts > 0);
	assert_true(nr_renamed > 0);
}

/* --- words --------------------------------------------------------------------------------- */

static void assert_ruler(struct subject *s, int64_t from, int64_t step, unsigned int columns,
			 bool minor, const char *expected)
{
	struct text t = { 0 };

	timeline_set(&s->timeline, s->sched, from, step, columns);
	timeline_ruler(&s->timeline, minor, &t);
	assert_int_equal(text_cells(text_str(&t), t.len), columns);
	while (t.len && t.data[t.len - 1] == ' ')
		t.data[--t.len] = '\0';
	assert_string_equal(text_str(&t), expected);
	text_fini(&t);
}

static void assert_scale(struct subject *s, int64_t step, const char *expected)
{
	struct text t = { 0 };

	timeline_set(&s->timeline, s->sched, 0, step, 10);
	timeline_scale(&s->timeline, &t);
	assert_string_equal(text_str(&t), expected);
	text_fini(&t);
}

static void rulers_have_round_times(void **state)
{
	struct subject s;

	(void)state;
	open_made(&s, 1, 200);
	assert_ruler(&s, 7550000000, 500000, 62, false,
		     "7.550     7.555     7.560     7.565     7.570     7.575");
	assert_ruler(&s, 7550000001, 500000, 30, false, "         7.555     7.560");
	assert_ruler(&s, 0, 1000000000, 40, false, "0         10        20        30");
	assert_ruler(&s, 7574227913, 1, 60, false,
		     "       7.57422792          7.57422794          7.57422796");
	assert_ruler(&s, -1500000000, 100000000, 31, false, "     -1        0         1");
	assert_ruler(&s, 7550000000, 500000, 32, true, "7.550 ╵ ╵ 7.555 ╵ ╵ 7.560 ╵ ╵ ╵");
	assert_ruler(&s, 0, 1000000000, 40, true, "0 ╵ ╵ ╵ ╵ 10  ╵ ╵ ╵ 20  ╵ ╵ ╵ 30  ╵ ╵ ╵");
	/* At the end of all times, where damaged stamps may lead. */
	assert_ruler(&s, INT64_MAX - 1000, 100, 40, false, "");
	assert_ruler(&s, INT64_MAX - 100, INT64_MAX / 3, 40, true, "");
	assert_scale(&s, 500000, "500 µs");
	assert_scale(&s, 1250000, "1.25 ms");
	assert_scale(&s, 1, "1 ns");
	close_model(&s);
}

static void assert_story(struct subject *s, enum timeline_row_kind kind, uint32_t index, int64_t ts,
			 const char *expected)
{
	struct text t = { 0 };

	sched_story_row(s->sched, &(struct timeline_row){ kind, index }, ts, &t);
	assert_string_equal(text_str(&t), expected);
	text_fini(&t);
}

/* The sample trace, by what trace-cmd report -t says of it. */
static void stories_are_exact(void **state)
{
	struct subject s = { 0 };
	struct sched_wake_record record;
	struct sched_link links[8];
	char path[2100];
	uint32_t task, woken;

	(void)state;
	assert_true(recorded_path("cpu4", "trace.dat", path, sizeof(path)));
	open_model(&s, path, 2);
	task = sched_rules_find(sched_pass_rules(sched_pass_of(s.sched)), 80, INT64_MAX);
	assert_story(
		&s, TIMELINE_OF_TASK, task, 7574266781,
		"Waiting since 7.574227913: woken by an interrupt on CPU 1 (interrupting <idle>), after 20.02 ms asleep (S) in "
		"do_nanosleep. It runs 93.43 µs later, at 7.574321342, on CPU 1; exits after 51.87 ms, at 7.626190119.");
	assert_story(
		&s, TIMELINE_OF_TASK, task, 7560000000,
		"Asleep (S) in do_nanosleep since 7.554207852, for 20.02 ms: woken by an interrupt on CPU 1 (interrupting <idle>) "
		"at 7.574227913.");
	assert_story(
		&s, TIMELINE_OF_TASK, task, 7600000000,
		"Running on CPU 1 since 7.574321342; exits after 51.87 ms, at 7.626190119. It was woken by an "
		"interrupt on CPU 1 (interrupting <idle>) 93.43 µs before, at 7.574227913.");
	assert_story(&s, TIMELINE_OF_TASK, task, 7630000000, "It exited at 7.626190119.");
	assert_story(&s, TIMELINE_OF_TASK, task, 7400000000, "It was created at 7.478816359.");
	assert_story(
		&s, TIMELINE_OF_TASK, task, 7520519261,
		"Waiting since 7.520519261: preempted on CPU 2 by wl-81 (now on-cpu-2). It runs 15.85 ms later, at 7.536372086, on CPU 0; "
		"preempted by migration/0-16 after 4.492 ms, at 7.540864048.");
	woken = sched_rules_find(sched_pass_rules(sched_pass_of(s.sched)), 76, INT64_MAX);
	/* state R without "+" */
	assert_story(
		&s, TIMELINE_OF_TASK, woken, 7431036407,
		"Waiting since 7.431036407: preempted on CPU 0 by wl-ping-74. It runs 164.7 µs "
		"later, at 7.431201140, on CPU 0; preempted by wl-ping-74 after 142.0 µs, at "
		"7.431343096.");
	assert_story(
		&s, TIMELINE_CPU, 1, 7560000000,
		"CPU 1 idle since 7.554207852; on-cpu-1-80 runs after 20.11 ms, at 7.574321342.");
	assert_int_equal(sched_cause_chain(s.sched, task, 7600000000, links, 8), 1);
	assert_int_equal(links[0].wake_ts, 7574227913);
	assert_int_equal(links[0].waited, 7574321342 - 7574227913);
	assert_int_equal(links[0].preempted, 0);
	assert_int_equal(links[0].waker, SCHED_IDLE_TASK);
	assert_int_equal(links[0].source->context, SCHED_CONTEXT_IRQ);	/* by its flags */
	/* asleep until then: the wake-up that ends the sleep, not the one before; then it exited */
	assert_int_equal(sched_cause_chain(s.sched, task, 7560000000, links, 8), 1);
	assert_int_equal(links[0].wake_ts, 7574227913);
	assert_int_equal(links[0].waited, 7574321342 - 7574227913);
	assert_int_equal(sched_cause_chain(s.sched, task, 7630000000, links, 8), 0);
	assert_true(sched_cause_next_wake(s.sched, 1, 7574200000, &record, &woken));
	assert_int_equal(woken, task);
	assert_int_equal(record.ts, 7574227913);
	assert_int_equal(record.cpu, 1);
	close_model(&s);
}

/*
 * Births, other programs and losses, by the lines of trace-cmd report -t, which tells how many
 * events were dropped.
 */
static void stories_tell_forks_and_losses(void **state)
{
	struct subject s = { 0 };
	char path[2100];

	(void)state;
	assert_true(recorded_path("sched", "trace.dat", path, sizeof(path)));
	open_model(&s, path, 2);
	assert_story(
		&s, TIMELINE_OF_TASK,
		sched_rules_find(sched_pass_rules(sched_pass_of(s.sched)), 235, INT64_MAX),
		61718000000,
		"Waiting since 61.716476287: woken by sh-233 (now ls) on CPU 0, which forked it at 61.716413714. It runs 4.970 ms "
		"later, at 61.721446533, on CPU 1; asleep (S) after 4.671 ms, at 61.726117192.");
	assert_story(
		&s, TIMELINE_OF_TASK,
		sched_rules_find(sched_pass_rules(sched_pass_of(s.sched)), 233, INT64_MAX),
		61711000000,
		"Running on CPU 0 since 61.710319223; asleep (S) after 7.419 ms, at 61.717738198. It had waited 1.705 "
		"ms since it was preempted. It becomes sh-233 (now ls) by exec at 61.712777156.");
	close_model(&s);

	assert_true(recorded_path("cpu4", "trace.dat", path, sizeof(path)));
	s = (struct subject){ 0 };
	open_model(&s, path, 2);
	assert_story(&s, TIMELINE_CPU, 0, 7400000000,
		     "949 events of CPU 0 were lost from 7.328262112 to 7.430860435.");
	assert_story(
		&s, TIMELINE_CPU, 0, 7430860435,
		"CPU 0 running wl-ping-74 since 7.430860435 (or earlier); asleep (S) after 36.08 µs, at 7.430896519. "
		"949 events of CPU 0 were lost just before.");
	close_model(&s);
}

/* In the midst of a trace. */
static void stories_tell_losses_between(void **state)
{
	struct subject s = { 0 };
	char path[2100];

	(void)state;
	if (!recorded_path("lost", "trace.dat", path, sizeof(path))) {
		print_message("skipped: no recorded trace lost\n");
		skip();
	}
	open_model(&s, path, 2);
	assert_story(&s, TIMELINE_CPU, 0, 26249600000,
		     "180 events of CPU 0 were lost from 26.249461615 to 26.249782613.");
	assert_story(&s, TIMELINE_CPU, 1, 26248452388,
		     "Unknown task on CPU 1: 1 264 events of CPU 1 were lost just before.");
	close_model(&s);
}

/* Wake-ups alone: nothing is said of when who was woken ran. */
static void stories_of_wake_ups_alone(void **state)
{
	struct gen_sched_options options = gen_sched_sample(22, 300);
	struct timeline_cell cells[4];
	struct subject s;
	uint32_t task;

	(void)state;
	assert_true(options.no_switch);
	open_made(&s, 22, 300);
	task = sched_rules_find(sched_pass_rules(sched_pass_of(s.sched)), 149, 5000011000);
	timeline_set(&s.timeline, s.sched, 5000010000, 5000, 4);
	timeline_draw(&s.timeline, &(struct timeline_row){ TIMELINE_OF_TASK, task }, cells);
	assert_string_equal(cells[0].glyph, "↑");
	assert_string_equal(cells[3].glyph, " ");
	assert_story(
		&s, TIMELINE_OF_TASK, task, 5000011000,
		"Its state from 5.000011000 to 5.000571000 is not known: it was woken by t142.0-142 on CPU 1, then woken again: no "
		"sched_switch was recorded.");
	close_model(&s);
}

/* Seconds end with their unit, as other spans do. */
static void spans_have_no_blanks_around(void **state)
{
	static const struct {
		int64_t	    ns;
		const char *text;
	} spans[] = { { 7, "7 ns" }, { 93429, "93.43 µs" }, { 1605000000, "1.605 s" },
		      { -5, "-5" } };
	struct subject s;

	(void)state;
	open_made(&s, 1, 50);
	timeline_set(&s.timeline, s.sched, 0, 1, 1);
	for (unsigned int i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		struct text t = { 0 };

		timeline_span(&s.timeline, spans[i].ns, &t);
		assert_string_equal(text_str(&t), spans[i].text);
		text_fini(&t);
	}
	close_model(&s);
}

/*
 * The demo's story, by trace-cmd report -t: pid 80 is woken at 7.574227913 and 7.574266781, and
 * switched to at 7.574321342.
 */
static void records_tell_whom_they_wake(void **state)
{
	struct trace_options options = { .nr_workers = 1,
					 .filter_names = derived_names,
					 .hold_permille = -1 };
	static const int64_t woken[] = { 7574227913, 7574266781 };
	unsigned int nr_woken = 0, nr_runs = 0;
	struct ft_error err = { 0 };
	struct trace_cursor *cursor;
	struct trace_event event;
	char path[2100];
	const char *paths = path;
	struct trace *trace;

	(void)state;
	assert_true(recorded_path("cpu4", "trace.dat", path, sizeof(path)));
	trace = trace_open(&paths, 1, true, &options, &err);
	trace_wait(trace);
	cursor = trace_cursor_new(trace);
	trace_cursor_seek_time(cursor, 7574000000);
	while (trace_cursor_next(cursor, &event) && event.ts < 7574400000) {
		if (sched_cause_woken(&event) != -1) {
			assert_int_equal(sched_cause_woken(&event), 80);
			assert_int_equal(event.ts, woken[nr_woken++]);
		}
		if (sched_cause_runs(&event) == 80) {
			assert_int_equal(event.ts, 7574321342);
			nr_runs++;
		}
	}
	assert_int_equal(nr_woken, 2);
	assert_int_equal(nr_runs, 1);
	trace_cursor_free(cursor);
	trace_close(trace);
}

/* No story may be asked that is not told, wherever the moment lies. */
static void every_moment_has_a_story(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < (getenv("FTOP_TEST_LONG") ? 24 : 12); seed++) {
		struct subject s;
		int64_t first, last;

		open_made(&s, seed, 300);
		if (!sched_span(s.sched, &first, &last))
			last = first = 0;
		for (unsigned int i = 0; i < 30; i++) {
			int64_t ts = first - 1000 +
				     (int64_t)(gen_random_u64(&s.random) %
					       (uint64_t)(last - first + 2000));
			struct text t = { 0 };

			for (unsigned int cpu = 0; cpu < sched_nr_cpus(s.sched); cpu++)
				sched_story_row(s.sched,
						&(struct timeline_row){ TIMELINE_CPU, cpu }, ts,
						&t);
			for (uint32_t task = 0; task < sched_nr_tasks(s.sched); task++)
				sched_story_row(s.sched,
						&(struct timeline_row){ TIMELINE_OF_TASK, task },
						ts, &t);
			assert_true(!sched_nr_cpus(s.sched) || t.len > 0);
			text_fini(&t);
		}
		close_model(&s);
	}
}

/* The state of a row at a moment, by going through all of them. */
static bool state_at(const struct pyramid *p, int64_t end, int64_t ts, struct pyramid_state *state)
{
	struct pyramid_iter it;

	pyramid_iter_init(&it, p, end, INT64_MIN);
	while (pyramid_iter_next(&it, state))
		if (state->from <= ts && ts < state->to)
			return true;
	return false;
}

/* Does a CPU's state end where a switch is missing?  The task may have run elsewhere before. */
static bool ends_missing(struct subject *s, const struct timeline_row *row, int64_t ts)
{
	struct pyramid_state state;

	return row->kind == TIMELINE_CPU &&
	       state_at(sched_cpu(s->sched, row->index), sched_end(s->sched), ts, &state) &&
	       state.kind == SCHED_CPU_LOST && state.arg == SCHED_CPU_MISSING;
}

/* @c: the CPU, @t: since when, @n: who. */
static void check_story(struct subject *s, const struct timeline_row *row, int64_t ts)
{
	static const char *const cpus[] = { "", "CPU @c running @n since @t",
					    "CPU @c idle since @t", " from @t" };
	static const char *const seen[] = { "", "CPU @c has events of @n from @t to ",
					    "CPU @c has events of <idle> from @t to ", "" };
	static const char *const tasks[] = { "Its state from @t", "Running on CPU @c since @t",
					     "Waiting since @t: woken by",
					     "Waiting since @t: ", " since @t, for ",
					     " since @t, for ", "It exited at @t.",
					     "Its state from @t" };
	bool cpu_row = row->kind == TIMELINE_CPU,
	     is_seen = sched_pass_is_seen(sched_pass_of(s->sched));
	struct text story = { 0 }, time = { 0 }, name = { 0 }, expected = { 0 }, span = { 0 };
	struct pyramid_state state;
	int cpu;

	if (!state_at(cpu_row ? sched_cpu(s->sched, row->index) : sched_task(s->sched, row->index),
		      sched_end(s->sched), ts, &state))
		return;
	cpu = sched_pass_cpu(sched_pass_of(s->sched), cpu_row                  ? row->index :
						      state.kind == SCHED_RUNS ? state.arg :
										 0);
	timeline_time(&s->timeline, state.from, 9, &time);
	if (cpu_row && state.kind == SCHED_CPU_RUNS)
		sched_story_task(s->sched, state.arg,
				 state.to > state.from && !is_seen ? state.to - 1 : state.from,
				 &name);
	sched_story_row(s->sched, row, ts, &story);
	for (const char *form = !cpu_row ? tasks[state.kind] :
				is_seen  ? seen[state.kind] :
				state.kind == SCHED_CPU_LOST && state.arg == SCHED_CPU_MISSING ?
					  " on CPU @c was not recorded: it was between @t and " :
					  cpus[state.kind];
	     *form; form++) {
		if (*form != '@')
			text_char(&expected, *form);
		else if (*++form == 'c')
			text_printf(&expected, "%d", cpu);
		else
			text_add(&expected, text_str(*form == 't' ? &time : &name));
	}
	if (!strstr(text_str(&story), text_str(&expected)))
		fail_msg("'%s' is not in '%s'", text_str(&expected), text_str(&story));
	/* How long it lasts is told as well, but of what has no end. */
	timeline_span(&s->timeline, state.to - state.from, &span);
	if (state.kind == 1 && !is_seen && !ends_missing(s, row, state.to) &&
	    !strstr(text_str(&story), text_str(&span)))
		fail_msg("'%s' is not in '%s'", text_str(&span), text_str(&story));
	text_fini(&story);
	text_fini(&time);
	text_fini(&name);
	text_fini(&expected);
	text_fini(&span);
}

static void stories_tell_the_state(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < (getenv("FTOP_TEST_LONG") ? 24 : 12); seed++) {
		struct subject s;
		int64_t first, last;

		open_made(&s, seed, 400);
		if (!sched_span(s.sched, &first, &last))
			last = first = 0;
		timeline_set(&s.timeline, s.sched, first, 1, 1);
		for (unsigned int i = 0; i < 60; i++) {
			int64_t ts = first + (int64_t)(gen_random_u64(&s.random) %
						       (uint64_t)(last - first + 1));

			for (unsigned int cpu = 0; cpu < sched_nr_cpus(s.sched); cpu++)
				check_story(&s, &(struct timeline_row){ TIMELINE_CPU, cpu }, ts);
			for (uint32_t task = 0; task < sched_nr_tasks(s.sched); task++)
				check_story(&s, &(struct timeline_row){ TIMELINE_OF_TASK, task },
					    ts);
		}
		close_model(&s);
	}
}

/* Memory for some of the changes: the rest is left out, and said so. */
static void memory_is_limited(void **state)
{
	struct gen_sched_options options = gen_sched_sample(2, 20000);
	struct trace_options open = { .nr_workers = 2,
				      .filter_names = derived_names,
				      .hold_permille = -1,
				      .no_index = true };
	struct gen_sched *gen = gen_sched_new(&options);
	char path[] = "/tmp/test_timeline.XXXXXX";
	const char *paths = path;
	struct sched_progress progress;
	struct ft_error err = { 0 };
	struct sched *sched;
	struct trace *trace;
	int64_t first, last;

	(void)state;
	close(mkstemp(path));
	if (gen_sched_write(gen, path, &err))
		fail_msg("%s", err.message);
	gen_sched_free(gen);
	trace = trace_open(&paths, 1, true, &open, &err);
	sched = sched_new(trace, 0, 40000);
	sched_wait(sched);
	progress = sched_progress(sched);
	assert_true(progress.done && progress.full);
	assert_true(progress.memory < 100000);	/* it is asked between batches of records */
	sched_lock(sched);
	assert_true(sched_span(sched, &first, &last));
	assert_in_range(progress.known, first, last - 1);
	sched_unlock(sched);
	sched_free(sched);
	trace_close(trace);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_equal_a_rendering_from_all_states),
		cmocka_unit_test(rulers_have_round_times),
		cmocka_unit_test(stories_are_exact),
		cmocka_unit_test(stories_tell_forks_and_losses),
		cmocka_unit_test(stories_tell_losses_between),
		cmocka_unit_test(stories_of_wake_ups_alone),
		cmocka_unit_test(spans_have_no_blanks_around),
		cmocka_unit_test(records_tell_whom_they_wake),
		cmocka_unit_test(every_moment_has_a_story),
		cmocka_unit_test(stories_tell_the_state),
		cmocka_unit_test(memory_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
