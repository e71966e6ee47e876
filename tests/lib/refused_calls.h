/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refused_calls - for tests that make calls which the sandbox refuses
 *
 * A build with a sanitizer ends at such a call (confine.c).  With this handler the call fails with
 * EPERM, as it does in a release.
 */
#ifndef FTOP_TESTS_REFUSED_CALLS_H
#define FTOP_TESTS_REFUSED_CALLS_H

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

static inline void refused_calls_fail(int number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;

	(void)number;
	(void)info;
#if defined(__x86_64__)
	at->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
	at->uc_mcontext.regs[0] = (unsigned long long)-EPERM;
#else
	(void)at;
#endif
}

/* In the process that makes them: cmocka has a handler of its own. */
static inline void refused_calls_expect(void)
{
	const struct sigaction action = { .sa_sigaction = refused_calls_fail,
					  .sa_flags = SA_SIGINFO };

	sigaction(SIGSYS, &action, NULL);
}

#endif
