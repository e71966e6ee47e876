/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <cmocka.h>

#include "src/base/workers.h"
#include "tests/lib/limits.h"

struct counter {
	struct workers		*pool;
	struct worker_group	 group;
	atomic_uint		 ran, cancelled, started;
	atomic_bool		 go;
	unsigned int		 generation;
	unsigned int		 order[8];
	atomic_uint		 nr_order;
};

static void count(void *arg, unsigned int worker, bool cancelled)
{
	struct counter *c = arg;

	assert_true(worker < workers_nr(c->pool));
	atomic_fetch_add(cancelled ? &c->cancelled : &c->ran, 1);
}

static void test_every_job_runs_once(void **state)
{
	(void)state;
	for (unsigned int nr = 1; nr <= 4; nr++) {
		struct counter c = { .pool = workers_new(nr) };

		assert_int_equal(workers_nr(c.pool), nr);
		for (int i = 0; i < 1000; i++)
			workers_add(c.pool, &c.group, i % 3, count, &c);
		workers_wait(c.pool, &c.group);
		assert_int_equal(atomic_load(&c.ran), 1000);
		assert_int_equal(atomic_load(&c.group.pending), 0);
		workers_free(c.pool);
	}
}

/* Holds the one worker until told to go on. */
static void hold(void *arg, unsigned int worker, bool cancelled)
{
	struct counter *c = arg;

	(void)worker;
	(void)cancelled;
	atomic_store(&c->started, 1);
	while (!atomic_load(&c->go))
		sched_yield();
}

static void test_cancelled_jobs_are_told(void **state)
{
	struct counter c = { .pool = workers_new(1) };
	struct worker_group first = { 0 };

	(void)state;
	workers_add(c.pool, &first, WORKER_VISIBLE, hold, &c);
	for (int i = 0; i < 10; i++)
		workers_add(c.pool, &c.group, WORKER_VISIBLE, count, &c);
	workers_cancel(&c.group);
	workers_add(c.pool, &c.group, WORKER_VISIBLE, count, &c);
	atomic_store(&c.go, true);
	workers_wait(c.pool, &c.group);
	workers_wait(c.pool, &first);
	assert_int_equal(atomic_load(&c.cancelled), 10);
	assert_int_equal(atomic_load(&c.ran), 1);
	workers_free(c.pool);
}

/* The one worker is busy with a job of others, and what was cancelled is not held up by it. */
static void test_cancelled_jobs_do_not_wait_their_turn(void **state)
{
	struct counter c = { .pool = workers_new(1) };
	struct worker_group first = { 0 };

	(void)state;
	workers_add(c.pool, &first, WORKER_VISIBLE, hold, &c);
	while (!atomic_load(&c.started))
		sched_yield();
	workers_add(c.pool, &first, WORKER_VISIBLE, count, &c);
	for (int i = 0; i < 10; i++)
		workers_add(c.pool, &c.group, i % 3, count, &c);
	workers_cancel(&c.group);
	workers_wait(c.pool, &c.group);
	assert_int_equal(atomic_load(&c.cancelled), 10);
	assert_int_equal(atomic_load(&c.ran), 0);
	for (int i = 0; i < 3; i++)	/* the queues are sound */
		workers_add(c.pool, &c.group, i, count, &c);
	atomic_store(&c.go, true);
	workers_wait(c.pool, &c.group);
	workers_wait(c.pool, &first);
	assert_int_equal(atomic_load(&c.ran), 4);
	workers_free(c.pool);
}

struct tagged {
	struct counter	*c;
	unsigned int	 tag;
};

static void note_order(void *arg, unsigned int worker, bool cancelled)
{
	struct tagged *t = arg;

	(void)worker;
	(void)cancelled;
	t->c->order[atomic_fetch_add(&t->c->nr_order, 1)] = t->tag;
}

static void test_priorities_and_order(void **state)
{
	struct counter c = { .pool = workers_new(1) };
	static const enum worker_priority priority[4] = { WORKER_BACKGROUND, WORKER_REQUESTED,
							  WORKER_VISIBLE, WORKER_REQUESTED };
	struct tagged jobs[4];

	(void)state;
	workers_add(c.pool, &c.group, WORKER_VISIBLE, hold, &c);
	while (!atomic_load(&c.started))
		sched_yield();
	for (unsigned int i = 0; i < 4; i++) {
		jobs[i] = (struct tagged){ &c, i };
		workers_add(c.pool, &c.group, priority[i], note_order, &jobs[i]);
	}
	atomic_store(&c.go, true);
	workers_wait(c.pool, &c.group);
	assert_int_equal(c.order[0], 2);
	assert_int_equal(c.order[1], 1);
	assert_int_equal(c.order[2], 3);
	assert_int_equal(c.order[3], 0);
	workers_free(c.pool);
}

static void test_fd_tells_that_jobs_ended(void **state)
{
	struct counter c = { .pool = workers_new(2) };
	struct pollfd fd = { .fd = workers_fd(c.pool), .events = POLLIN };

	(void)state;
	assert_int_equal(poll(&fd, 1, 0), 0);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 20; i++)
			workers_add(c.pool, &c.group, WORKER_VISIBLE, count, &c);
		assert_int_equal(poll(&fd, 1, LIMIT_MS), 1);
		workers_wait(c.pool, &c.group);
		/* A job counts as ended before its byte is written: drain until quiet. */
		while (poll(&fd, 1, 20) == 1)
			workers_acknowledge(c.pool);
	}
	assert_int_equal(atomic_load(&c.ran), 60);
	workers_free(c.pool);
}

static void test_free_cancels_what_waits(void **state)
{
	struct counter c = { .pool = workers_new(1) };
	struct worker_group first = { 0 };

	(void)state;
	workers_add(c.pool, &first, WORKER_VISIBLE, hold, &c);
	while (!atomic_load(&c.started))
		sched_yield();
	for (int i = 0; i < 5; i++)
		workers_add(c.pool, &c.group, WORKER_BACKGROUND, count, &c);
	atomic_store(&c.go, true);
	workers_free(c.pool);
	assert_int_equal(atomic_load(&c.ran) + atomic_load(&c.cancelled), 5);
	assert_int_equal(atomic_load(&c.group.pending), 0);
	workers_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_job_runs_once),
		cmocka_unit_test(test_cancelled_jobs_are_told),
		cmocka_unit_test(test_cancelled_jobs_do_not_wait_their_turn),
		cmocka_unit_test(test_priorities_and_order),
		cmocka_unit_test(test_fd_tells_that_jobs_ended),
		cmocka_unit_test(test_free_cancels_what_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
