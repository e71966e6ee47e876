/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_JUDGE_LINK_H
#define FTOP_RECORDER_RUN_JUDGE_LINK_H
/*
 * judge_link - the words between the recorder and the process that judges --until
 * (src/commands/judge.h), a line each, on a socket.
 *
 *	recorder			judge
 *	without SYSTEM:EVENT				a format, but not recorded
 *	tracer NAME
 *	stacks						are recorded, too
 *	partly						not all tasks, CPUs or events of a type
 *	ready				no LINE… refuse		the .part can be opened
 *					tid N… go		not to be recorded
 *					hit LINE		to keep in the file
 *					judged NS | nothing	so long ago was recorded what it has
 *								judged; it has no more to judge
 *					doubt WORDS		no hit; what may have been one
 *					stop
 *	drained				done			all that was recorded is in the file
 *	written							it has its name
 *
 * The judge reads the trace, which is not trusted: the recorder bounds what it takes from it, and
 * only keeps it as text.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "src/base/text.h"

#define JUDGE_MOST_TIDS	64u

enum judge_word {
	JUDGE_NOTHING,		/* there is no word for now */
	JUDGE_GO, JUDGE_REFUSE, JUDGE_STOP, JUDGE_DONE,
	JUDGE_GONE,		/* it has ended */
	JUDGE_LATE,		/* it does not answer; never of judge_link_word() */
};

struct judge_link {
	int		fd;		/* -1: there is no judge */
	pid_t		pid;
	struct text	line;		/* a part of one */
	struct text	hits;		/* "hit LINE\n"… */
	struct text	refusal;	/* "LINE\n"… */
	struct text	doubt;		/* see above; empty: there are hits, or it does not say */
	int		tids[JUDGE_MOST_TIDS];
	unsigned int	nr_tids, nr_hits;
	int64_t		judged;		/* CLOCK_MONOTONIC in ns: what was recorded until then is
					 * judged; 0: not known */
};

/* @fd: not taken over; -1: there is no judge; @pid: the judge's */
void judge_link_init(struct judge_link *link, int fd, pid_t pid);
void judge_link_fini(struct judge_link *link);

void judge_link_tell(struct judge_link *link, const char *word, const char *rest);
/* The next of these words, if one has come; what comes before it is taken.  Never waits. */
enum judge_word judge_link_word(struct judge_link *link);
#endif
