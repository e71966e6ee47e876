/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "ui/screen/term.h"

#define TICK_MS		50
#define BUSY_NS		300000000	/* of processor time of the loop, without a look at keys */
#define SILENT_NS	2000000000	/* the same, while it waits for something */

struct guard {
	pthread_t	 thread;
	clockid_t	 loop;		/* processor time of its thread */
	int		 signals;	/* borrowed */
	int		 stop[2];	/* a pipe; closed to end the thread */
	atomic_uint	 rounds;	/* of the loop */
	atomic_bool	 interrupts;	/* ^C is a signal */
};

static int64_t now_ns(clockid_t clock)
{
	struct timespec t = { 0, 0 };

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Waits for a key or a signal; then for a while.  False: the guard is to end. */
static bool wait_for(const struct guard *g, bool input)
{
	struct pollfd fds[] = { { .fd = g->stop[0] },
				{ .fd = input ? STDIN_FILENO : -1, .events = POLLIN },
				{ .fd = input ? g->signals : -1, .events = POLLIN } };

	poll(fds, 3, input ? -1 : TICK_MS);
	return !fds[0].revents;
}

static void leave_if_told(void)
{
	const struct timespec none = { 0, 0 };
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	number = sigtimedwait(&set, NULL, &none);
	if (number > 0)
		term_abandon(number);
}

static void *watch(void *arg)
{
	struct guard *g = arg;

	while (wait_for(g, true)) {
		unsigned int rounds = atomic_load(&g->rounds);
		int64_t spent = now_ns(g->loop), began = now_ns(CLOCK_MONOTONIC);

		while (wait_for(g, false) && atomic_load(&g->rounds) == rounds) {
			if (now_ns(g->loop) - spent < BUSY_NS &&
			    now_ns(CLOCK_MONOTONIC) - began < SILENT_NS)
				continue;
			if (!term_set_interrupts(true))
				continue;
			atomic_store(&g->interrupts, true);
			leave_if_told();
		}
	}
	return NULL;
}

struct guard *guard_start(int signals)
{
	struct guard *g = mem_alloc(sizeof(*g));
	sigset_t all, old;
	int failed;

	g->signals = signals;
	if (pthread_getcpuclockid(pthread_self(), &g->loop) || pipe2(g->stop, O_CLOEXEC)) {
		free(g);
		return NULL;
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(&g->thread, NULL, watch, g);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!failed)
		return g;
	close(g->stop[0]);
	close(g->stop[1]);
	free(g);
	return NULL;
}

void guard_stop(struct guard *g)
{
	if (!g)
		return;
	close(g->stop[1]);
	pthread_join(g->thread, NULL);
	close(g->stop[0]);
	if (atomic_load(&g->interrupts))
		term_set_interrupts(false);
	free(g);
}

void guard_see(struct guard *g)
{
	if (!g)
		return;
	atomic_fetch_add(&g->rounds, 1);
	if (atomic_exchange(&g->interrupts, false))
		term_set_interrupts(false);
}
