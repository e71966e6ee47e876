/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SUMMARY_LACKS_H
#define FTOP_SRC_SUMMARY_LACKS_H
/* lacks - events that a trace does not have, what they would tell, and how to record them. */
#include "src/trace/trace.h"

struct lack {
	const char	*events;	/* "sched_switch" */
	const char	*tells;		/* "who ran, waited and slept" */
	const char	*record;	/* arguments of ftop-trace record: "-e sched_switch" */
	const char	*has[4];	/* any of these events will do; NULL: no more */
	const char	*only_with;	/* says nothing without this event; NULL: it always does */
};

/* The next line that is missing in the file, from *@at on, which is moved behind it; NULL: none. */
const struct lack *lacks_next(struct trace *trace, unsigned int file, unsigned int *at);
#endif
