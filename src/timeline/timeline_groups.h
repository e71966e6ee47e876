/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_TIMELINE_GROUPS_H
#define FTOP_SRC_TIMELINE_TIMELINE_GROUPS_H
/*
 * timeline_groups - rows of a timeline for groups of tasks (src/trace/groupings.h): how many of
 * them run, as a height that is full when all CPUs run them; the colour of waiting where more of
 * them wait than run; ! where the longest wait of one of them begins.
 */
#include "src/timeline/timeline.h"
#include "src/trace/groupings.h"

struct timeline_group {
	char		*name;		/* owned, raw bytes */
	uint32_t	*tasks;		/* owned, [nr]: those of the window, in their order */
	uint32_t	 nr, cap;
	uint64_t	 ran;		/* how long they ran in the window, together */
	bool		 open;		/* its tasks have rows */
};

struct timeline_groups {		/* zero it */
	enum grouping	 by;
	uint32_t	 least;		/* a group of fewer tasks has no row */
	/* owned, [nr]; a group keeps its number, which is .index of its row, until .by changes */
	struct timeline_group *list;
	uint32_t	 nr, cap;
	struct index_map map;		/* by name */
};

void timeline_groups_fini(struct timeline_groups *groups);

/* Put the tasks of the window into groups.  The groups are from now on those of the timeline. */
void timeline_groups_make(struct timeline_groups *groups, struct timeline *timeline,
			  enum grouping by, uint32_t least, const uint32_t *tasks, uint32_t nr);
/* The numbers of groups that have rows, what ran longest first: [*nr].  To be freed. */
uint32_t *timeline_groups_order(const struct timeline_groups *groups, uint32_t *nr);
/* The group's number of each of these tasks: [nr], UINT32_MAX: it has no row.  To be freed. */
uint32_t *timeline_groups_of(const struct timeline_groups *groups, const uint32_t *tasks,
			     uint32_t nr);

void timeline_groups_draw(struct timeline *timeline, const struct timeline_group *group,
			  struct timeline_cell *cells);
/* Appends how many of them ran and waited at a moment: printable text. */
void timeline_groups_story(const struct timeline *timeline, const struct timeline_group *group,
			   int64_t ts, struct text *out);
#endif
