/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * limits - when a test gives up
 *
 * A machine may be as slow as it likes, and other work may take most of it: tests wait for what has
 * to happen.  These limits end a test that hangs, and nothing else.
 */
#ifndef FTOP_TESTS_LIMITS_H
#define FTOP_TESTS_LIMITS_H

#include <sys/time.h>

#define LIMIT_S		600
#define LIMIT_MS	(LIMIT_S * 1000)

/*
 * SIGPROF comes whenever the process has used @seconds of CPU more, which other work on the machine
 * does not make longer.  It ends a process that has no handler for it.
 */
static inline void limit_cpu(unsigned int seconds)
{
	struct itimerval timer = { { seconds, 0 }, { seconds, 0 } };

	setitimer(ITIMER_PROF, &timer, NULL);
}

#endif
