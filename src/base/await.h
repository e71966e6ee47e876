/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_AWAIT_H
#define FTOP_SRC_BASE_AWAIT_H
/*
 * await - waits for a thread, a child process or an answer as long as that works, which its
 * processor time shows, but not for ever: who waits says then who did not answer, and goes on.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define AWAIT_IDLE_MS		20000u	/* with less than 0.5 % of a CPU: it is late */
#define AWAIT_HURRY_MS		1500u	/* the same when the user does not want to wait ... */
#define AWAIT_HURRY_MOST_MS	10000u	/* ... but no longer than this, whatever it does */
#define AWAIT_NO_CLOCK		((clockid_t)-1)	/* nothing shows whether it works */

struct await {
	/* Has a signal come, so that the user does not want to wait?  Called again and again. */
	bool	(*hurries)(void *arg);
	void	*arg;
	/* How long may it do nothing while nobody hurries?  NULL: AWAIT_IDLE_MS. */
	unsigned int (*idle_ms)(void *arg);
};

/* For what ends soon: as if a signal had come, and work does not count. */
extern const struct await await_briefly;

/*
 * Wait until @done says so.  @await: NULL: nobody hurries; @works: the clock of its processor time.
 * All these return false if it is late: it may go on, so what it uses is not freed.
 */
bool await_done(const struct await *await, bool (*done)(void *arg), void *arg, clockid_t works);

/* Wait for the end of a thread, which is joined then. */
bool await_thread(const struct await *await, pthread_t thread);

/* Wait for the end of a child, which is reaped then.  @status: as from waitpid(), or NULL */
bool await_child(const struct await *await, pid_t pid, int *status);

/* Wait until a child has written to @fd, or closed its end. */
bool await_answer(const struct await *await, pid_t pid, int fd);

/* The clock of a process' or a thread's processor time; AWAIT_NO_CLOCK: it has ended. */
clockid_t await_clock_of(pid_t pid);
clockid_t await_clock_of_thread(pthread_t thread);
/* What such a clock shows; 0: nothing. */
uint64_t await_clock_ns(clockid_t clock);
#endif
