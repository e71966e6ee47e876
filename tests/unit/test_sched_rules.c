/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules one by one, on records made by hand.  All of them together: tests/compare/sched.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "src/sched/sched_rules.h"
#include "src/base/text.h"

static const int cpus[] = { 0, 4 };

static struct sched_rec stretch(int64_t ts, int64_t end, int pid)
{
	return (struct sched_rec){ .op = SCHED_STRETCH, .ts = ts, .end = end, .pid = (uint32_t)pid,
				   .detail = pid < 0 ? SCHED_FIRST_NOBODY : SCHED_FIRST_TASK };
}

/* Events are lost from here to the next stretch; SCHED_NO_END: there were none before. */
static struct sched_rec cut(int64_t ts)
{
	return (struct sched_rec){ .op = SCHED_CUT, .ts = ts };
}

static struct sched_rec to_switch(int64_t ts, uint32_t prev, enum sched_class how, uint32_t next)
{
	return (struct sched_rec){ .op = SCHED_SWITCH, .ts = ts, .pid = prev, .pid2 = next,
				   .detail = (uint8_t)how, .comm = prev,
				   .comm2 = next };
}

static struct sched_rec wake(enum sched_op op, int64_t ts, uint32_t pid, uint16_t target,
			     uint32_t by)
{
	return (struct sched_rec){
		.op = (uint8_t)op, .ts = ts, .pid = pid, .pid2 = by, .cpu = target, .comm = pid
	};
}

struct told {
	struct text	text;
};

static void tell_task(void *arg, uint32_t task, const struct sched_change *c)
{
	static const char states[] = "?RWPSDX";

	text_printf(&((struct told *)arg)->text, "t%u@%d%s%c%s ", task, (int)c->ts,
		    c->dropped  ? "!" :
		    c->doubtful ? "?" :
				  "",
		    states[c->state], c->cut ? "~" : "");
}

static void tell_cpu(void *arg, unsigned int cpu, const struct sched_change *c)
{
	struct text *t = &((struct told *)arg)->text;

	text_printf(t, "c%u@%d%s", cpu, (int)c->ts, c->dropped ? "!" : "");
	if (c->task == SCHED_IDLE_TASK)
		text_add(t, "idle ");
	else if (c->task == SCHED_NO_TASK)
		text_add(t, c->lost ? "lost " : "? ");
	else
		text_printf(t, "t%u ", c->task);
}

static void tell_wake(void *arg, uint32_t waker, uint32_t task, int64_t ts)
{
	text_printf(&((struct told *)arg)->text, "w%d>%u@%d ",
		    waker == SCHED_IDLE_TASK ? -1 : (int)waker, task, (int)ts);
}

static void tell_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	text_printf(&((struct told *)arg)->text, "o%u@%d ", cpu, (int)rec->ts);
}

struct subject {
	struct sched_rules	*rules;
	struct told		 told;
	struct sched_listener	 listener;
};

static void begin(struct subject *s, bool window, int64_t from, int64_t to)
{
	*s = (struct subject){ 0 };
	s->listener = (struct sched_listener){ tell_task, tell_cpu, tell_wake, tell_other,
					       .arg = &s->told };
	s->rules = sched_rules_new(&(struct sched_rules_options){ .nr_cpus = 2,
								  .cpus = cpus,
								  .range = { window, from, to },
								  .listener = &s->listener });
}

static void take(struct subject *s, unsigned int cpu, struct sched_rec rec)
{
	assert_true(sched_rules_take(s->rules, &(struct sched_item){ &rec, cpu }, 1));
}

static const struct sched_task *task(const struct subject *s, uint32_t pid)
{
	uint32_t i = sched_rules_find(s->rules, pid, INT64_MAX);

	assert_int_not_equal(i, SCHED_NO_TASK);
	return sched_rules_task(s->rules, i);
}

static int64_t doubtful(const struct subject *s, uint32_t pid)
{
	const struct sched_task *t = task(s, pid);

	return t->doubtful_wait + t->doubtful_sleep + t->doubtful_blocked;
}

static void assert_sums(const struct subject *s, uint32_t pid, int64_t run, int64_t cut,
			int64_t wait, int64_t sleep, int64_t blocked)
{
	const struct sched_task *t = task(s, pid);

	assert_int_equal(t->run, run);
	assert_int_equal(t->run_cut, cut);
	assert_int_equal(t->wait, wait);
	assert_int_equal(t->sleep, sleep);
	assert_int_equal(t->blocked, blocked);
}

static void finish(struct subject *s)
{
	sched_rules_free(s->rules);
	text_fini(&s->told.text);
}

/* Sleeps, is woken, waits, runs, is preempted, runs until the end. */
static void a_life_is_added_up(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(100, SCHED_NO_END, 7));
	take(&s, 0, to_switch(110, 7, SCHED_CLASS_SLEEP, 0));
	take(&s, 0, wake(SCHED_WAKING, 150, 7, 4, 9));
	take(&s, 0, wake(SCHED_WAKEUP, 155, 7, 4, 9));
	take(&s, 1, stretch(160, SCHED_NO_END, 0));
	take(&s, 1, to_switch(160, 0, SCHED_CLASS_RUNNABLE, 7));
	take(&s, 1, to_switch(190, 7, SCHED_CLASS_RUNNABLE, 8));
	take(&s, 1, to_switch(200, 8, SCHED_CLASS_BLOCKED, 7));
	sched_rules_end(s.rules, 250, 0);
	assert_sums(&s, 7, 30, 10 + 50, 10 + 10, 40, 0);
	assert_sums(&s, 8, 10, 0, 0, 0, 50);
	assert_int_equal(task(&s, 7)->switches, 2);
	assert_int_equal(task(&s, 7)->preemptions, 1);
	assert_int_equal(task(&s, 7)->wakeups, 1);
	assert_int_equal(task(&s, 7)->migrations, 1);
	assert_int_equal(task(&s, 7)->max_wakeup, 10);
	assert_int_equal(task(&s, 9)->woke, 1);
	assert_false(task(&s, 9)->listed);
	assert_string_equal(
		text_str(&s.told.text),
		"t0@100R~ c0@100t0 t0@110S c0@110idle t0@150W w1>0@150 c1@160idle t0@160R c1@160t0 "
		"t0@190P t2@190R c1@190t2 t2@200D t0@200R c1@200t0 ");
	finish(&s);
}

/* The life of above, with its sums split. */
static void live(struct subject *s, const struct sched_split *splits, uint32_t nr)
{
	*s = (struct subject){ 0 };
	s->rules = sched_rules_new(&(struct sched_rules_options){
		.nr_cpus = 2, .cpus = cpus, .splits = splits, .nr_splits = nr });
	take(s, 0, stretch(100, SCHED_NO_END, 7));
	take(s, 0, to_switch(110, 7, SCHED_CLASS_SLEEP, 0));
	take(s, 0, wake(SCHED_WAKING, 150, 7, 4, 9));
	take(s, 0, wake(SCHED_WAKEUP, 155, 7, 4, 9));
	take(s, 1, stretch(160, SCHED_NO_END, 0));
	take(s, 1, to_switch(160, 0, SCHED_CLASS_RUNNABLE, 7));
	take(s, 1, to_switch(190, 7, SCHED_CLASS_RUNNABLE, 8));
	take(s, 1, to_switch(200, 8, SCHED_CLASS_BLOCKED, 7));
	sched_rules_end(s->rules, 250, 0);
}

static void assert_part(const struct subject *s, uint32_t part, int64_t to, int64_t run,
			int64_t cut, int64_t wait, int64_t sleep)
{
	const struct sched_task *t = sched_rules_task(s->rules, part);

	assert_int_equal(t->pid, 7);
	assert_true(t->to < INT64_MAX);
	assert_int_equal(t->to, to);
	assert_int_equal(t->run, run);
	assert_int_equal(t->run_cut, cut);
	assert_int_equal(t->wait, wait);
	assert_int_equal(t->sleep, sleep);
}

/* An interval that lasts over a split counts on both sides; events count where they are. */
static void sums_are_split(void **state)
{
	const struct sched_split splits[] = { { 120, 7 }, { 170, 7 }, { 170, 77 }, { 195, 7 } };
	struct subject s;
	uint32_t nr;

	(void)state;
	live(&s, NULL, 0);
	nr = sched_rules_nr_tasks(s.rules);
	finish(&s);
	live(&s, splits, 4);
	assert_int_equal(sched_rules_nr_tasks(s.rules), nr + 3);
	/* the parts stand behind the tasks that were known when they were made */
	for (uint32_t i = 0, part = 0; i < nr + 3; i++) {
		if (sched_rules_task(s.rules, i)->to == INT64_MAX)
			continue;
		if (part == 0)
			assert_part(&s, i, 120, 0, 10, 0, 10);
		else if (part == 1)
			assert_part(&s, i, 170, 10, 0, 10, 30);
		else
			assert_part(&s, i, 195, 20, 0, 5, 0);
		part++;
	}
	assert_sums(&s, 7, 0, 50, 5, 0, 0);
	assert_int_equal(task(&s, 7)->switches, 0);	/* at 110 and 190 */
	assert_int_equal(task(&s, 7)->max_wakeup, 0);	/* answered at 160 */
	finish(&s);
}

static void no_time_is_lost_by_a_split(void **state)
{
	(void)state;
	for (int64_t ts = 90; ts < 260; ts++) {
		const struct sched_split split = { ts, 7 };
		struct subject s;
		int64_t sums[3] = { 0 };

		live(&s, &split, 1);
		for (uint32_t i = 0; i < sched_rules_nr_tasks(s.rules); i++) {
			const struct sched_task *t = sched_rules_task(s.rules, i);

			sums[0] += t->pid == 7 ? t->run + t->run_cut : 0;
			sums[1] += t->pid == 7 ? t->wait : 0;
			sums[2] += t->pid == 7 ? t->sleep : 0;
		}
		assert_int_equal(sums[0], 90);
		assert_int_equal(sums[1], 20);
		assert_int_equal(sums[2], 40);
		finish(&s);
	}
}

/* What was known of tasks whose last CPU lost events ends with its last record. */
static void a_loss_ends_what_was_known(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(0, SCHED_NO_END, 1));
	/* 1 sleeps, last seen on CPU 0 */
	take(&s, 0, to_switch(10, 1, SCHED_CLASS_SLEEP, 2));
	take(&s, 0, wake(SCHED_WAKEUP, 20, 3, 4, 2));			/* 3 waits, on CPU 4 */
	take(&s, 0, wake(SCHED_WAKEUP, 22, 5, 0, 2));			/* 5 waits, on CPU 0 */
	/* 6 waits, nobody knows where */
	take(&s, 0, wake(SCHED_WAKING, 24, 6, 0, 2));
	take(&s, 1, stretch(30, SCHED_NO_END, 4));
	take(&s, 0, cut(40));
	/* what was between 40 and 100 is lost */
	take(&s, 0, stretch(100, 40, 2));
	take(&s, 0, to_switch(130, 2, SCHED_CLASS_SLEEP, 5));
	sched_rules_end(s.rules, 200, 0);
	assert_sums(&s, 1, 0, 10, 0, 30, 0);
	assert_sums(&s, 2, 0, 30 + 30, 0, 70, 0);
	assert_sums(&s, 3, 0, 0, 180, 0, 0);
	assert_sums(&s, 4, 0, 170, 0, 0, 0);
	assert_sums(&s, 5, 0, 70, 18, 0, 0);
	assert_sums(&s, 6, 0, 0, 176, 0, 0);
	assert_int_equal(doubtful(&s, 2), 0);
	assert_int_equal(doubtful(&s, 5), 0);
	assert_int_equal(task(&s, 5)->answered, 0);
	finish(&s);
}

/* A state that began behind the end of the stretch is dropped. */
static void what_began_later_is_dropped(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(0, SCHED_NO_END, -1));
	take(&s, 1, stretch(5, SCHED_NO_END, -1));
	take(&s, 0, cut(40));
	take(&s, 1, wake(SCHED_WAKEUP, 50, 3, 0, 0));
	take(&s, 0, stretch(100, 40, -1));
	sched_rules_end(s.rules, 200, 0);
	assert_sums(&s, 3, 0, 0, 0, 0, 0);
	assert_int_equal(task(&s, 3)->wakeups, 1);
	finish(&s);
}

/* Records that cannot all be true: the interval in doubt counts nowhere. */
static void contradictions_count_nowhere(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(0, SCHED_NO_END, 0));
	take(&s, 1, stretch(0, SCHED_NO_END, 0));
	take(&s, 0, to_switch(10, 0, SCHED_CLASS_RUNNABLE, 7));
	/* 7 did not leave; 8 did not come */
	take(&s, 0, to_switch(20, 8, SCHED_CLASS_SLEEP, 9));
	take(&s, 1, to_switch(30, 0, SCHED_CLASS_RUNNABLE, 9));		/* 9 runs elsewhere */
	take(&s, 1, to_switch(35, 9, SCHED_CLASS_SLEEP, 0));
	take(&s, 0, wake(SCHED_WAKEUP, 40, 8, 0, 0));
	/* its switch to it is missing: the wake-up stays open */
	take(&s, 1, to_switch(50, 8, SCHED_CLASS_SLEEP, 0));
	sched_rules_end(s.rules, 60, 1);
	assert_sums(&s, 7, 0, 0, 0, 0, 0);
	assert_sums(&s, 8, 0, 0, 0, 20 + 10, 0);
	assert_sums(&s, 9, 5, 0, 0, 25, 0);
	assert_int_equal(task(&s, 8)->answered, 0);
	assert_string_equal(
		text_str(&s.told.text),
		"c0@0idle c1@0idle t0@10R c0@10t0 t1@20S t0@20!? t2@20R c0@20!t2 t2@30!R c1@30t2 "
		"t2@35S c1@35idle t1@40W w-1>1@40 t1@50!S c1@50!idle ");
	finish(&s);
}

static uint64_t misses(bool range, int64_t from, int64_t to, const bool *only)
{
	struct sched_rules *fork, *rules = sched_rules_new(&(struct sched_rules_options){
		.nr_cpus = 2, .cpus = cpus, .only = only, .range = { range, from, to } });
	const struct sched_item items[] = {
		/* nobody is known to run on the second CPU: its first switch contradicts nothing */
		{ &(struct sched_rec){ .op = SCHED_STRETCH, .detail = SCHED_FIRST_NOBODY }, 1 },
		{ &(struct sched_rec){ .op = SCHED_STRETCH, .pid = 7,
				       .detail = SCHED_FIRST_TASK }, 0 },
		{ &(struct sched_rec){ .op = SCHED_SWITCH, .ts = 5, .pid = 3, .pid2 = 4 }, 1 },
		{ &(struct sched_rec){ .op = SCHED_SWITCH, .ts = 10, .pid = 7, .pid2 = 0 }, 0 },
		/* the idle task ran, then 7 did */
		{ &(struct sched_rec){ .op = SCHED_SWITCH, .ts = 20, .pid = 8, .pid2 = 7 }, 0 },
		{ &(struct sched_rec){ .op = SCHED_SWITCH, .ts = 30, .pid = 0, .pid2 = 9 }, 0 },
		{ &(struct sched_rec){ .op = SCHED_SWITCH, .ts = 40, .pid = 9, .pid2 = 0 }, 0 },
		/* 4 ran; after the loss, 8 contradicts nothing */
		{ &(struct sched_rec){ .op = SCHED_SWITCH, .ts = 45, .pid = 5, .pid2 = 6 }, 1 },
		{ &(struct sched_rec){ .op = SCHED_CUT, .ts = 45 }, 1 },
		{ &(struct sched_rec){ .op = SCHED_STRETCH, .ts = 50, .pid = 8,
				       .detail = SCHED_FIRST_TASK }, 1 },
		{ &(struct sched_rec){ .op = SCHED_SWITCH, .ts = 55, .pid = 8, .pid2 = 0 }, 1 },
	};
	uint64_t nr;

	assert_true(sched_rules_take(rules, items, sizeof(items) / sizeof(*items)));
	fork = sched_rules_fork(rules, &(struct sched_rules_options){
		.nr_cpus = 2, .cpus = cpus, .only = only, .range = { range, from, to } });
	nr = sched_rules_missing(rules);
	assert_int_equal(sched_rules_missing(fork), nr);
	sched_rules_free(fork);
	sched_rules_free(rules);
	return nr;
}

/* A switch from a task that did not run here: at least one switch before it is missing. */
static void contradicting_switches_are_counted(void **state)
{
	(void)state;
	assert_int_equal(misses(false, 0, 0, NULL), 3);
	assert_int_equal(misses(false, 0, 0, (const bool[]){ true, false }), 2);
	assert_int_equal(misses(false, 0, 0, (const bool[]){ false, true }), 1);
	assert_int_equal(misses(true, 20, 30, NULL), 2);
	assert_int_equal(misses(true, 21, 29, NULL), 0);
	assert_int_equal(misses(true, 30, 45, NULL), 2);
}

/*
 * A wake-up of a task that runs or waits is none; of one on its way to sleep, the later record is.
 */
static void only_sleepers_are_woken(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(0, SCHED_NO_END, 7));
	take(&s, 1, stretch(0, SCHED_NO_END, 0));
	take(&s, 1, wake(SCHED_WAKING, 10, 7, 0, 0));			/* it still runs */
	take(&s, 0, to_switch(12, 7, SCHED_CLASS_SLEEP, 0));
	take(&s, 1, wake(SCHED_TOLD, 13, 7, 0, 0));
	take(&s, 1, wake(SCHED_WAKEUP, 14, 7, 0, 0));
	take(&s, 0, to_switch(20, 0, SCHED_CLASS_RUNNABLE, 7));
	sched_rules_end(s.rules, 30, 0);
	assert_int_equal(task(&s, 7)->wakeups, 1);
	assert_int_equal(task(&s, 7)->max_wake_ts, 14);
	assert_int_equal(task(&s, 7)->max_wakeup, 6);
	assert_sums(&s, 7, 0, 12 + 10, 6, 2, 0);
	finish(&s);
}

/* Who can run is not woken again: it ran and slept in between, and no record tells of it. */
static void a_second_wakeup_shows_that_records_are_missing(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(0, SCHED_NO_END, 7));
	take(&s, 0, to_switch(10, 7, SCHED_CLASS_SLEEP, 0));
	take(&s, 0, wake(SCHED_WAKING, 20, 7, 0, 0));
	take(&s, 0, wake(SCHED_WAKEUP, 21, 7, 0, 0));
	take(&s, 0, wake(SCHED_WAKEUP, 30, 7, 0, 0));	/* this wake-up has had one */
	take(&s, 0, wake(SCHED_WAKING, 40, 7, 0, 0));
	take(&s, 0, wake(SCHED_WAKEUP, 41, 7, 0, 0));
	take(&s, 0, to_switch(50, 0, SCHED_CLASS_RUNNABLE, 7));
	take(&s, 0, to_switch(60, 7, SCHED_CLASS_RUNNABLE, 8));
	take(&s, 0, wake(SCHED_WAKING, 61, 7, 0, 8));	/* preempted: no wake-up is open */
	sched_rules_end(s.rules, 70, 0);
	assert_sums(&s, 7, 10, 10, 10 + 10, 10, 0);
	assert_int_equal(task(&s, 7)->wakeups, 3);
	assert_int_equal(task(&s, 7)->answered, 1);
	assert_int_equal(task(&s, 7)->max_wakeup, 10);
	assert_string_equal(text_str(&s.told.text),
			    "t0@0R~ c0@0t0 t0@10S c0@10idle t0@20W w-1>0@20 t0@30!W w-1>0@30 "
			    "t0@40!W w-1>0@40 t0@50R c0@50t0 t0@60P t1@60R c0@60t1 ");
	finish(&s);
}

/* Of sleep and waits it does not matter which CPU has the gap. */
static void what_overlaps_a_gap_is_doubtful(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 1, cut(SCHED_NO_END));		/* CPU 4: from the first record on, up to 100 */
	take(&s, 0, stretch(0, SCHED_NO_END, 7));
	take(&s, 0, to_switch(10, 7, SCHED_CLASS_SLEEP, 8));	/* as long as CPU 4 is lost */
	take(&s, 0, wake(SCHED_WAKEUP, 20, 7, 0, 8));		/* waits for CPU 0 */
	take(&s, 0, to_switch(30, 8, SCHED_CLASS_BLOCKED, 7));
	take(&s, 0, to_switch(35, 7, SCHED_CLASS_RUNNABLE, 9));
	take(&s, 0, wake(SCHED_MIGRATE, 36, 7, 4, 9));		/* it may have run there */
	take(&s, 0, wake(SCHED_MIGRATE, 37, 7, 0, 9));
	take(&s, 1, stretch(100, SCHED_NO_END, 0));
	take(&s, 0, to_switch(110, 9, SCHED_CLASS_SLEEP, 7));
	take(&s, 0, wake(SCHED_WAKEUP, 120, 9, 0, 7));
	take(&s, 1, to_switch(140, 0, SCHED_CLASS_RUNNABLE, 9));
	sched_rules_end(s.rules, 200, 1);
	assert_sums(&s, 7, 5, 10 + 90, 10 + 75, 10, 0);
	assert_int_equal(doubtful(&s, 7), 10 + 10 + 75);
	assert_int_equal(task(&s, 7)->max_wakeup, 0);
	assert_int_equal(task(&s, 7)->unsure, 1);
	assert_int_equal(doubtful(&s, 8), 170);
	assert_int_equal(doubtful(&s, 9), 0);
	assert_int_equal(task(&s, 9)->max_wakeup, 20);
	assert_string_equal(text_str(&s.told.text),
			    "t0@0R~ c0@0t0 t0@10S t1@10R c0@10t1 t0@20?W w1>0@20 t1@30D t0@30?R "
			    "c0@30t0 t0@35P t2@35R c0@35t2 o0@36 o0@37 c1@0lost c1@100idle t2@110S "
			    "t0@110?R c0@110t0 t2@120W w0>2@120 t2@140R c1@140t2 ");
	finish(&s);
}

/*
 * Where only a switch is missing, a wake-up would be recorded: sleep lasted up to the next one.  A
 * wait may have been shorter.
 */
static void sleep_is_sure_where_a_switch_is_missing(void **state)
{
	for (int missing = 0; missing < 2; missing++) {
		struct sched_rec lost = cut(20);
		struct subject s;

		(void)state;
		lost.missing = missing ? SCHED_SWITCH_MISSING : 0;
		begin(&s, false, 0, 0);
		take(&s, 0, stretch(0, SCHED_NO_END, 7));
		take(&s, 1, stretch(0, SCHED_NO_END, 0));
		take(&s, 0, to_switch(10, 7, SCHED_CLASS_SLEEP, 8));
		take(&s, 0, to_switch(15, 8, SCHED_CLASS_RUNNABLE, 9));
		take(&s, 1, lost);
		take(&s, 1, stretch(40, 20, 6));
		take(&s, 0, wake(SCHED_WAKEUP, 50, 7, 0, 9));
		take(&s, 0, to_switch(60, 9, SCHED_CLASS_SLEEP, 7));
		take(&s, 0, to_switch(70, 7, SCHED_CLASS_BLOCKED, 8));
		sched_rules_end(s.rules, 100, 0);
		assert_int_equal(task(&s, 7)->sleep, 40);
		assert_int_equal(doubtful(&s, 7), missing ? 0 : 40);
		assert_int_equal(doubtful(&s, 8), 55);	/* it waited from 15 to 70 */
		finish(&s);
	}
}

/*
 * A task that runs in the moment in which it is woken waits for no time: nothing can be lost in
 * its wait, unless that moment is inside a gap.
 */
static void a_wait_of_no_time_overlaps_what_is_around_it(void **state)
{
	struct sched_rec lost = cut(20);
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	lost.end = 40;
	take(&s, 0, stretch(0, SCHED_NO_END, 9));
	take(&s, 1, stretch(0, SCHED_NO_END, 0));
	take(&s, 1, lost);
	take(&s, 0, wake(SCHED_WAKEUP, 20, 6, 0, 9));
	take(&s, 0, to_switch(20, 9, SCHED_CLASS_SLEEP, 6));
	take(&s, 0, wake(SCHED_WAKEUP, 30, 7, 0, 6));
	take(&s, 0, to_switch(30, 6, SCHED_CLASS_SLEEP, 7));
	take(&s, 0, wake(SCHED_WAKEUP, 40, 8, 0, 7));
	take(&s, 0, to_switch(40, 7, SCHED_CLASS_SLEEP, 8));
	take(&s, 1, stretch(40, 20, 0));
	sched_rules_end(s.rules, 50, 0);
	for (uint32_t pid = 6; pid <= 8; pid++) {
		assert_int_equal(task(&s, pid)->answered, 1);
		assert_int_equal(task(&s, pid)->unsure, pid == 7);
	}
	finish(&s);
}

/* CPU 4 has a gap from 20 to 30; does it overlap the range that counts? */
static bool loses(bool range, int64_t from, int64_t to, const bool *only)
{
	struct sched_rules *rules = sched_rules_new(&(struct sched_rules_options){
		.nr_cpus = 2, .cpus = cpus, .only = only, .range = { range, from, to } });
	struct sched_rec recs[] = { stretch(0, 50, 7), stretch(10, 20, 8), cut(20),
				    stretch(30, 60, 8) };
	bool lost;

	for (unsigned int i = 0; i < 4; i++)
		assert_true(sched_rules_take(rules, &(struct sched_item){ &recs[i], i > 0 }, 1));
	sched_rules_end(rules, 60, 0);
	lost = sched_rules_has_lost(rules, false);
	assert_int_equal(sched_rules_has_lost(rules, true), lost);
	sched_rules_free(rules);
	return lost;
}

static void a_gap_in_the_range_makes_sums_lower_bounds(void **state)
{
	(void)state;
	assert_true(loses(false, 0, 0, NULL));
	assert_true(loses(true, 0, 21, NULL));
	assert_true(loses(true, 29, 60, NULL));
	assert_true(loses(true, 24, 25, NULL));
	assert_false(loses(true, 0, 20, NULL));
	assert_false(loses(true, 30, 60, NULL));
	assert_true(loses(true, 0, 60, (const bool[]){ false, true }));
	assert_false(loses(true, 0, 60, (const bool[]){ true, false }));
}

/* Events are lost before the first record of a CPU: from the first record of all on. */
static void a_gap_before_the_first_record(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, cut(SCHED_NO_END));
	take(&s, 0, stretch(0, 50, 7));
	take(&s, 1, stretch(10, 60, 8));
	assert_false(sched_rules_has_lost(s.rules, false));
	finish(&s);
	begin(&s, false, 0, 0);
	take(&s, 1, cut(SCHED_NO_END));
	take(&s, 0, stretch(0, 50, 7));
	take(&s, 1, stretch(10, 60, 8));
	assert_true(sched_rules_has_lost(s.rules, false));
	assert_false(sched_rules_has_lost(s.rules, true));
	finish(&s);
}

/* Events were lost between two records with one stamp: who ran before does not go on. */
static void an_empty_gap_is_told(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(50, SCHED_NO_END, 7));
	take(&s, 0, cut(60));
	take(&s, 0, stretch(60, 60, 8));
	assert_non_null(strstr(text_str(&s.told.text), "c0@50t0 c0@60lost "));
	finish(&s);
	begin(&s, false, 0, 0);
	take(&s, 0, cut(SCHED_NO_END));
	take(&s, 0, stretch(60, 60, 8));	/* it is the first record of all */
	assert_null(strstr(text_str(&s.told.text), "lost"));
	finish(&s);
}

/* Without any wake-up record, a sleep that is open at the end may have become a wait. */
static void an_open_sleep_is_doubtful_without_wakeups(void **state)
{
	struct subject s;

	(void)state;
	for (int has = 0; has < 2; has++) {
		begin(&s, false, 0, 0);
		take(&s, 0, stretch(0, SCHED_NO_END, 7));
		take(&s, 0, to_switch(10, 7, SCHED_CLASS_SLEEP, 8));
		take(&s, 0, to_switch(30, 8, SCHED_CLASS_BLOCKED, 9));
		if (has)
			take(&s, 0, wake(SCHED_WAKEUP, 35, 10, 0, 9));
		take(&s, 0, to_switch(40, 9, SCHED_CLASS_RUNNABLE, 11));
		sched_rules_end(s.rules, 200, 1);
		assert_int_equal(doubtful(&s, 7), has ? 0 : 190);
		assert_int_equal(doubtful(&s, 8), has ? 0 : 170);
		assert_int_equal(doubtful(&s, 9), 0);	/* preempted */
		finish(&s);
	}
}

static bool yes(void *arg)
{
	++*(unsigned int *)arg;
	return true;
}

/* A wait that begins with a sched_wakeup may have begun with a sched_waking that is lost. */
static void a_wait_whose_waking_may_be_lost_is_doubtful(void **state)
{
	unsigned int asked = 0;
	struct sched_rules_options options = { .nr_cpus = 2, .cpus = cpus,
					       .has_waking = yes, .waking_arg = &asked };

	(void)state;
	for (int has = 0; has < 2; has++, options.has_waking = NULL) {
		struct subject s = { .rules = sched_rules_new(&options) };

		take(&s, 0, stretch(0, SCHED_NO_END, 0));
		take(&s, 1, stretch(0, SCHED_NO_END, 0));
		take(&s, 0, wake(SCHED_WAKEUP, 5, 6, 4, 0));	/* before the gap */
		take(&s, 0, to_switch(10, 0, SCHED_CLASS_RUNNABLE, 7));
		take(&s, 0, to_switch(12, 7, SCHED_CLASS_SLEEP, 6));
		take(&s, 1, cut(20));
		take(&s, 1, stretch(30, 20, 0));
		take(&s, 1, wake(SCHED_WAKEUP, 40, 7, 4, 0));	/* its sleep is doubtful */
		take(&s, 1, wake(SCHED_WAKEUP, 40, 8, 4, 0));	/* what it did is not known */
		take(&s, 1, wake(SCHED_WAKING, 40, 9, 4, 0));
		take(&s, 1, wake(SCHED_WAKEUP, 41, 9, 4, 0));
		take(&s, 1, wake(SCHED_WAKEUP_NEW, 42, 10, 4, 0));
		sched_rules_end(s.rules, 50, 0);
		assert_int_equal(doubtful(&s, 6), 0);
		assert_int_equal(doubtful(&s, 7), 28 + (has ? 0 : 10));
		assert_int_equal(doubtful(&s, 8), has ? 0 : 10);
		assert_int_equal(doubtful(&s, 9), 0);
		assert_int_equal(doubtful(&s, 10), 0);
		sched_rules_free(s.rules);
	}
	assert_int_equal(asked, 1);
}

/* Its records from the first wake-up to the second are missing: the second sched_waking is, too. */
static void a_second_wakeup_without_its_waking_is_doubtful(void **state)
{
	unsigned int asked = 0;
	struct sched_rules_options options = { .nr_cpus = 2, .cpus = cpus,
					       .has_waking = yes, .waking_arg = &asked };

	(void)state;
	for (int has = 0; has < 2; has++, options.has_waking = NULL) {
		struct subject s = { .rules = sched_rules_new(&options) };

		take(&s, 0, stretch(0, SCHED_NO_END, 0));
		take(&s, 0, wake(SCHED_WAKEUP_NEW, 10, 7, 0, 0));
		take(&s, 0, wake(SCHED_WAKEUP, 40, 7, 0, 0));
		take(&s, 0, to_switch(43, 0, SCHED_CLASS_RUNNABLE, 7));
		sched_rules_end(s.rules, 50, 0);
		assert_int_equal(task(&s, 7)->answered, 1);
		assert_int_equal(task(&s, 7)->unsure, has ? 0 : 1);
		assert_int_equal(task(&s, 7)->max_wakeup, has ? 3 : 0);
		assert_int_equal(doubtful(&s, 7), has ? 0 : 3);
		sched_rules_free(s.rules);
	}
	assert_int_equal(asked, 1);
}

/* CPU 2 has no records: a task that was put there may have run. */
static void a_wait_on_a_cpu_without_records_is_doubtful(void **state)
{
	struct sched_rules_options options = { .nr_cpus = 2, .cpus = cpus };

	(void)state;
	for (int lacks = 0; lacks < 2; lacks++) {
		struct subject s = {};

		options.lacks_cpus = lacks;
		s.rules = sched_rules_new(&options);
		take(&s, 0, stretch(0, SCHED_NO_END, 0));
		take(&s, 0, wake(SCHED_WAKING, 10, 6, 2, 0));	/* it ran there last */
		take(&s, 0, wake(SCHED_WAKING, 10, 7, 2, 0));
		take(&s, 0, wake(SCHED_WAKEUP, 11, 7, 4, 0));	/* but waits here */
		take(&s, 0, wake(SCHED_WAKING, 10, 8, 0, 0));
		take(&s, 0, wake(SCHED_WAKEUP, 11, 8, 2, 0));
		take(&s, 0, wake(SCHED_WAKEUP_NEW, 20, 9, 0, 0));
		sched_rules_end(s.rules, 50, 0);
		assert_int_equal(doubtful(&s, 6), 40);
		assert_int_equal(doubtful(&s, 7), 40);
		assert_int_equal(doubtful(&s, 8), 40);
		assert_int_equal(doubtful(&s, 9), 30);
		finish(&s);
	}
}

/* Another CPU has lost events while it waited: it may have run there. */
static void a_latency_is_as_doubtful_as_its_wait(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(0, SCHED_NO_END, 0));
	take(&s, 1, stretch(0, SCHED_NO_END, 8));
	take(&s, 1, cut(5));
	take(&s, 0, wake(SCHED_WAKEUP, 10, 7, 0, 0));
	take(&s, 1, stretch(20, 5, 8));
	take(&s, 1, to_switch(30, 8, SCHED_CLASS_SLEEP, 7));
	take(&s, 1, cut(30));
	take(&s, 1, stretch(40, 30, 7));
	sched_rules_end(s.rules, 50, 0);
	assert_sums(&s, 7, 0, 10, 20, 0, 0);
	assert_int_equal(doubtful(&s, 7), 20);
	assert_int_equal(task(&s, 7)->answered, 1);
	assert_int_equal(task(&s, 7)->unsure, 1);
	assert_int_equal(task(&s, 7)->max_wakeup, 0);
	finish(&s);
}

/*
 * Tasks that run on two CPUs by what is recorded: the one whose last CPU is another outlives the
 * loss.
 */
static void a_runner_that_migrated_is_dropped_by_the_next_switch(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(0, SCHED_NO_END, 7));
	take(&s, 0, wake(SCHED_MIGRATE, 5, 7, 4, 7));
	take(&s, 0, cut(10));
	take(&s, 0, stretch(100, 10, 8));
	take(&s, 0, to_switch(110, 8, SCHED_CLASS_SLEEP, 0));
	sched_rules_end(s.rules, 200, 1);
	assert_sums(&s, 7, 0, 0, 0, 0, 0);
	assert_sums(&s, 8, 0, 10, 0, 90, 0);
	assert_int_equal(task(&s, 7)->migrations, 1);
	finish(&s);
}

static void a_window_cuts_times_and_counts(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, true, 15, 25);
	take(&s, 0, stretch(0, SCHED_NO_END, 7));
	take(&s, 0, to_switch(10, 7, SCHED_CLASS_SLEEP, 8));
	take(&s, 0, wake(SCHED_WAKEUP, 12, 7, 0, 8));
	take(&s, 0, to_switch(20, 8, SCHED_CLASS_RUNNABLE, 7));
	take(&s, 0, to_switch(40, 7, SCHED_CLASS_SLEEP, 8));
	sched_rules_end(s.rules, 50, 0);
	assert_sums(&s, 7, 5, 0, 5, 0, 0);
	assert_sums(&s, 8, 5, 0, 5, 0, 0);
	assert_int_equal(task(&s, 7)->switches, 0);
	assert_int_equal(task(&s, 8)->switches, 1);
	assert_int_equal(task(&s, 7)->wakeups, 0);
	assert_int_equal(task(&s, 7)->max_wakeup, 0);
	finish(&s);
}

/* Many more tasks than the table begins with. */
static void tasks_are_found_by_pid(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	for (uint32_t pid = 1; pid < 3000; pid++)
		take(&s, 0, wake(SCHED_WAKEUP_NEW, pid, pid * 7, 0, 0));
	for (uint32_t pid = 1; pid < 3000; pid++)
		assert_int_equal(task(&s, pid * 7)->since, pid);
	assert_int_equal(sched_rules_find(s.rules, 5, INT64_MAX), SCHED_NO_TASK);
	assert_int_equal(sched_rules_find(s.rules, 0, INT64_MAX), SCHED_NO_TASK);
	/* no pids */
	take(&s, 0, to_switch(1, 0x80000000u, SCHED_CLASS_SLEEP, 0xffffffffu));
	assert_int_equal(sched_rules_nr_tasks(s.rules), 2999);
	finish(&s);
}

/* Who is born with the pid of a task that has exited is another task: its own row and sums. */
/* The switch from the task that exited to the next one is not recorded. */
static void a_switch_is_of_the_last_task_with_the_pid(void **state)
{
	const struct sched_task *first;
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(100, SCHED_NO_END, 7));
	take(&s, 0, (struct sched_rec){ .op = SCHED_EXIT, .ts = 110, .pid = 7 });
	take(&s, 0, wake(SCHED_WAKEUP_NEW, 120, 7, 0, 8));
	take(&s, 0, to_switch(200, 7, SCHED_CLASS_SLEEP, 0));
	sched_rules_end(s.rules, 300, 0);
	first = sched_rules_task(s.rules, sched_rules_find(s.rules, 7, 119));
	assert_int_equal(first->to, 120);
	assert_int_equal(first->switches, 0);
	assert_int_equal(first->sleep, 0);
	assert_int_equal(task(&s, 7)->switches, 1);
	assert_sums(&s, 7, 0, 0, 0, 100, 0);
	finish(&s);
}

static void a_pid_has_several_tasks(void **state)
{
	struct sched_rules *later;
	uint32_t first, second, third;
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(100, SCHED_NO_END, 7));
	take(&s, 0, to_switch(110, 7, SCHED_CLASS_GONE, 0));
	take(&s, 0, wake(SCHED_WAKING, 120, 8, 0, 0));	/* not of this pid */
	take(&s, 0, wake(SCHED_WAKEUP_NEW, 200, 7, 0, 8));
	take(&s, 0, to_switch(210, 0, SCHED_CLASS_RUNNABLE, 7));
	/* a record of an exit is enough, until it runs again */
	take(&s, 0, (struct sched_rec){ .op = SCHED_EXIT, .ts = 220, .pid = 7 });
	take(&s, 0, to_switch(230, 7, SCHED_CLASS_RUNNABLE, 0));
	take(&s, 0, to_switch(240, 0, SCHED_CLASS_RUNNABLE, 7));
	take(&s, 0, wake(SCHED_WAKEUP_NEW, 245, 7, 0, 8));
	take(&s, 0, to_switch(250, 7, SCHED_CLASS_GONE, 0));
	/* a fork and its wake-up are one birth */
	take(&s, 0, (struct sched_rec){ .op = SCHED_FORK, .ts = 300, .pid = 7, .pid2 = 8 });
	take(&s, 0, wake(SCHED_WAKEUP_NEW, 310, 7, 0, 8));
	sched_rules_end(s.rules, 400, 0);
	first = sched_rules_find(s.rules, 7, 0);
	second = sched_rules_find(s.rules, 7, 299);
	third = sched_rules_find(s.rules, 7, INT64_MAX);
	assert_int_equal(sched_rules_find(s.rules, 7, 199), first);
	assert_int_equal(sched_rules_find(s.rules, 7, 200), second);
	assert_int_equal(sched_rules_find(s.rules, 7, 300), third);
	assert_int_equal(sched_rules_nr_tasks(s.rules), 4);
	assert_int_equal(sched_rules_task(s.rules, first)->run_cut, 10);
	assert_int_equal(sched_rules_task(s.rules, first)->to, 200);
	assert_int_equal(sched_rules_task(s.rules, second)->run, 20 + 10);
	assert_int_equal(sched_rules_task(s.rules, second)->wait, 10 + 10);
	assert_int_equal(sched_rules_task(s.rules, second)->state, SCHED_GONE);
	assert_int_equal(sched_rules_task(s.rules, third)->wait, 90);
	assert_int_equal(sched_rules_task(s.rules, third)->to, INT64_MAX);

	/* a later state of the trace, of which the beginning is dropped */
	later = sched_rules_new(
		&(struct sched_rules_options){ .nr_cpus = 1, .cpus = (int[]){ 0 } });
	sched_rules_take(later, (struct sched_item[]){ { (struct sched_rec[]){ wake(
						       SCHED_WAKEUP_NEW, 310, 7, 0, 8) } } }, 1);
	assert_int_equal(sched_rules_same(later, sched_rules_task(s.rules, first)), SCHED_NO_TASK);
	assert_int_equal(sched_rules_same(later, sched_rules_task(s.rules, second)), SCHED_NO_TASK);
	sched_rules_free(later);
	assert_int_equal(sched_rules_same(s.rules, sched_rules_task(s.rules, second)), second);
	finish(&s);
}

/* A deadline task leaves its CPU to a nice one: since Linux 6.8 also for the fair server. */
static void the_fair_server_may_go_first(void **state)
{
	(void)state;
	for (unsigned int has_server = 0; has_server < 2; has_server++) {
		struct sched_rec out = to_switch(10, 7, SCHED_CLASS_RUNNABLE, 8),
				 in = to_switch(30, 8, SCHED_CLASS_RUNNABLE, 7);
		struct subject s = { 0 };

		s.rules = sched_rules_new(&(struct sched_rules_options){
			.nr_cpus = 2, .cpus = cpus, .has_prios = true, .has_server = has_server });
		out.prio = in.prio2 = -1;
		out.prio2 = in.prio = 120;
		take(&s, 0, stretch(0, SCHED_NO_END, 7));
		take(&s, 0, out);
		take(&s, 0, in);
		sched_rules_end(s.rules, 40, 0);
		assert_int_equal(task(&s, 7)->wait, 20);
		assert_int_equal(task(&s, 7)->throttled, has_server ? 0 : 20);
		assert_int_equal(task(&s, 7)->preemptions, 0);
		assert_true(sched_rules_has_unsure_waits(s.rules));
		finish(&s);
	}
}

/* Its process has the pid of the first thread, which has ended. */
static void a_thread_takes_a_pid_by_exec(void **state)
{
	struct sched_rec exec = { .op = SCHED_EXEC, .ts = 20, .pid = 7, .pid2 = 7, .comm2 = 8 };
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(0, SCHED_NO_END, 7));
	take(&s, 0, to_switch(10, 7, SCHED_CLASS_GONE, 8));
	take(&s, 0, exec);
	take(&s, 0, to_switch(25, 7, SCHED_CLASS_SLEEP, 0));
	sched_rules_end(s.rules, 30, 0);
	assert_int_equal(task(&s, 8)->run, 10);
	assert_int_equal(task(&s, 8)->state, SCHED_GONE);
	assert_int_equal(task(&s, 7)->born, 20);
	assert_sums(&s, 7, 5, 0, 0, 5, 0);
	assert_int_equal(sched_rules_missing(s.rules), 0);
	finish(&s);
}

/* Stamps of a damaged trace, as far from each other as can be. */
static void sums_end_at_the_longest_time(void **state)
{
	struct subject s;

	(void)state;
	begin(&s, false, 0, 0);
	take(&s, 0, stretch(INT64_MIN + 1, SCHED_NO_END, 7));
	take(&s, 0, to_switch(INT64_MIN + 2, 7, SCHED_CLASS_SLEEP, 0));
	take(&s, 0, wake(SCHED_WAKING, -10, 7, 0, 9));
	take(&s, 0, to_switch(-5, 0, SCHED_CLASS_RUNNABLE, 7));
	take(&s, 0, to_switch(0, 7, SCHED_CLASS_SLEEP, 0));
	sched_rules_end(s.rules, INT64_MAX, 0);
	assert_sums(&s, 7, 5, 1, 5, INT64_MAX, 0);
	finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_life_is_added_up),
		cmocka_unit_test(sums_are_split),
		cmocka_unit_test(no_time_is_lost_by_a_split),
		cmocka_unit_test(a_loss_ends_what_was_known),
		cmocka_unit_test(what_began_later_is_dropped),
		cmocka_unit_test(contradictions_count_nowhere),
		cmocka_unit_test(contradicting_switches_are_counted),
		cmocka_unit_test(only_sleepers_are_woken),
		cmocka_unit_test(sleep_is_sure_where_a_switch_is_missing),
		cmocka_unit_test(a_second_wakeup_shows_that_records_are_missing),
		cmocka_unit_test(what_overlaps_a_gap_is_doubtful),
		cmocka_unit_test(a_wait_of_no_time_overlaps_what_is_around_it),
		cmocka_unit_test(a_gap_in_the_range_makes_sums_lower_bounds),
		cmocka_unit_test(a_gap_before_the_first_record),
		cmocka_unit_test(an_empty_gap_is_told),
		cmocka_unit_test(an_open_sleep_is_doubtful_without_wakeups),
		cmocka_unit_test(a_wait_whose_waking_may_be_lost_is_doubtful),
		cmocka_unit_test(a_second_wakeup_without_its_waking_is_doubtful),
		cmocka_unit_test(a_wait_on_a_cpu_without_records_is_doubtful),
		cmocka_unit_test(a_latency_is_as_doubtful_as_its_wait),
		cmocka_unit_test(a_runner_that_migrated_is_dropped_by_the_next_switch),
		cmocka_unit_test(a_window_cuts_times_and_counts),
		cmocka_unit_test(tasks_are_found_by_pid),
		cmocka_unit_test(a_switch_is_of_the_last_task_with_the_pid),
		cmocka_unit_test(a_pid_has_several_tasks),
		cmocka_unit_test(the_fair_server_may_go_first),
		cmocka_unit_test(a_thread_takes_a_pid_by_exec),
		cmocka_unit_test(sums_end_at_the_longest_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
