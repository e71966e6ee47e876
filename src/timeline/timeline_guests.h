/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_TIMELINE_GUESTS_H
#define FTOP_SRC_TIMELINE_TIMELINE_GUESTS_H
/*
 * timeline_guests - rows of a guest's CPUs in the timeline of its host: each is below the task that
 * ran it, and is drawn as a row of a CPU, by the model of the guest's file.
 *
 * The host's model is locked; these lock the guest's.
 */
#include "src/timeline/timeline.h"
#include "src/trace/trace_guests.h"

struct timeline_guests {
	struct timeline_guest {
		const struct source_guest *guest;	/* borrowed: of the host's file */
		unsigned int	file;		/* of the guest */
		struct sched	*sched;		/* borrowed: its model */
	}		*list;			/* owned, [nr] */
	unsigned int	nr, cap;
};

/* Which guest's CPU did a task of the host run, and its index there?  NULL: none. */
const struct timeline_guest *timeline_guests_find(const struct timeline *timeline, uint32_t task,
						  unsigned int *cpu);

/* As timeline_draw(), timeline_name(), timeline_load() and sched_story_row(), of a row VCPU. */
void timeline_guests_draw(struct timeline *timeline, const struct timeline_row *row,
			  struct timeline_cell *cells);
void timeline_guests_name(const struct timeline *timeline, const struct timeline_row *row,
			  struct text *out);
void timeline_guests_load(const struct timeline *timeline, const struct timeline_row *row,
			  struct text *out);
void timeline_guests_story(const struct timeline *timeline, const struct timeline_row *row,
			   int64_t ts, struct text *out);
#endif
