/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/await.h"

#include <errno.h>
#include <poll.h>
#include <sys/wait.h>

#define FIRST_PAUSE_NS	50000		/* most answers come at once; then twice as long ... */
#define LAST_PAUSE_NS	20000000	/* ... up to this */
#define LEAST_WORK_NS	5000		/* in a ms: less has who only looks again and again */

uint64_t await_clock_ns(clockid_t clock)
{
	struct timespec t;

	return clock == AWAIT_NO_CLOCK || clock_gettime(clock, &t) ?
		       0 :
		       (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t now_ms(void)
{
	return await_clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

const struct await await_briefly = { .hurries = always };

static unsigned int most_idle_ms(const struct await *await, bool hurried)
{
	if (hurried)
		return AWAIT_HURRY_MS;
	return await && await->idle_ms ? await->idle_ms(await->arg) : AWAIT_IDLE_MS;
}

bool await_done(const struct await *await, bool (*done)(void *arg), void *arg, clockid_t works)
{
	struct timespec pause = { .tv_nsec = FIRST_PAUSE_NS };
	uint64_t worked, seen = now_ms(), hurried = 0, now;

	if (await == &await_briefly)
		works = AWAIT_NO_CLOCK;
	worked = await_clock_ns(works);
	while (!done(arg)) {
		now = now_ms();
		if (!hurried && await && await->hurries(await->arg))
			hurried = now;
		if (await_clock_ns(works) - worked > (now - seen) * LEAST_WORK_NS) {
			worked = await_clock_ns(works);
			seen = now;
		}
		if (now - seen >= most_idle_ms(await, hurried) ||
		    (hurried && now - hurried >= AWAIT_HURRY_MOST_MS))
			return false;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LAST_PAUSE_NS / 2)
			pause.tv_nsec *= 2;
		else
			pause.tv_nsec = LAST_PAUSE_NS;
	}
	return true;
}

clockid_t await_clock_of(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) ? AWAIT_NO_CLOCK : clock;
}

clockid_t await_clock_of_thread(pthread_t thread)
{
	clockid_t clock;

	return pthread_getcpuclockid(thread, &clock) ? AWAIT_NO_CLOCK : clock;
}

static bool is_joined(void *thread)
{
	return pthread_tryjoin_np(*(pthread_t *)thread, NULL) != EBUSY;
}

bool await_thread(const struct await *await, pthread_t thread)
{
	return await_done(await, is_joined, &thread, await_clock_of_thread(thread));
}

struct awaited_child {
	pid_t	pid;
	int	*status;
};

static bool is_reaped(void *arg)
{
	const struct awaited_child *child = arg;
	pid_t got = waitpid(child->pid, child->status, WNOHANG);

	return got == child->pid || (got < 0 && errno != EINTR);
}

bool await_child(const struct await *await, pid_t pid, int *status)
{
	return await_done(await, is_reaped, &(struct awaited_child){ pid, status },
			  await_clock_of(pid));
}

static bool is_readable(void *fd)
{
	struct pollfd ready = { .fd = *(int *)fd, .events = POLLIN };

	return poll(&ready, 1, 0) > 0;
}

bool await_answer(const struct await *await, pid_t pid, int fd)
{
	return await_done(await, is_readable, &fd, await_clock_of(pid));
}
