/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_STEAL_WATCH_H
#define FTOP_RECORDER_RUN_STEAL_WATCH_H
/*
 * steal_watch - how much of each CPU's time the hypervisor gave to others, as /proc/stat counts it:
 * `steal`, the eighth number of a CPU's line, in ticks of USER_HZ.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/text.h"

struct steal_watch {			/* zero it */
	uint64_t	from, to;	/* the first look, the last */
	bool		begun;
	struct steal_cpu {
		unsigned int	cpu;
		uint64_t	ticks;	/* since boot, at the last look that had this CPU */
		uint64_t	at;	/* that look */
	}		*cpus;		/* owned, [nr_cpus] */
	unsigned int	nr_cpus, cap_cpus;
	struct steal_growth {
		uint64_t	since, at;
		unsigned int	cpu;
		uint64_t	ticks;
	}		*grown;		/* owned, [nr_grown] */
	unsigned int	nr_grown, cap_grown;
};

/* Take a look: @stat is the text of /proc/stat, read at @now. */
void steal_watch_look(struct steal_watch *watch, const char *stat, uint64_t now);
/*
 * Append the lines of the block "machine" (parsers/file/trace_extra.c); none where no CPU has ever
 * counted any.  @stamp: a time of a look
 * as a stamp; NULL: they are not known.
 */
void steal_watch_lines(const struct steal_watch *watch, long hz,
		       uint64_t (*stamp)(const void *arg, uint64_t at), const void *arg,
		       struct text *out);
void steal_watch_fini(struct steal_watch *watch);
#endif
