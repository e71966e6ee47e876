/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_GUARD_H
#define FTOP_UI_APP_GUARD_H
/*
 * guard - a thread: ends the program by ^C, SIGTERM, SIGHUP and SIGQUIT where the loop does not.
 *
 * The loop works in pieces of some ms.  Where a piece takes longer, whatever it is, ^C becomes a
 * signal instead of a key; the guard takes it, restores the terminal and ends the program.
 */
struct guard;				/* opaque */

/* @signals: what the loop reads; the guard only looks at it.  NULL: no thread can be had. */
struct guard *guard_start(int signals);
void guard_stop(struct guard *guard);	/* NULL is allowed */

/* The loop comes round; the guard then waits for the next key or signal.  NULL is allowed. */
void guard_see(struct guard *guard);
#endif
