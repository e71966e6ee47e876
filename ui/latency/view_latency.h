/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_LATENCY_VIEW_LATENCY_H
#define FTOP_UI_LATENCY_VIEW_LATENCY_H
/* view_latency - what the files of the Latency view share; README.md says what each does. */
#include "src/latency/latency_columns.h"
#include "src/latency/latency_groups.h"
#include "src/latency/latency_parts.h"
#include "ui/rows/call_scope.h"
#include "ui/table/table.h"
#include "ui/view/view.h"

/* What the rows of the table are: kinds and groups are sums. */
enum latency_rows { LATENCY_OF_KINDS, LATENCY_OF_GROUPS, LATENCY_OF_INSTANCES, LATENCY_OF_CULPRITS,
		    LATENCY_NR_ROWS };

struct latency_side {			/* what is measured of a trace */
	struct latency	*latency;	/* owned; NULL: filters are not ready yet, or not wanted */
	struct latency_result result;	/* so far */
	struct latency_group *groups;	/* owned, [nr_groups] in the order of keys */
	uint32_t	nr_groups;
	struct latency_side *next;	/* owned: of a trace that grew, until it is complete; NULL:
					 * there is none */
};

/* A list that Enter or H led out of. */
struct latency_level {
	int		 kind;
	enum latency_by	 by;
	uint64_t	 key;		/* key of the row under the cursor */
	bool		 chosen;	/* a group was chosen: only its instances are listed */
	struct text	 name;		/* owned: that group's name */
};

#define LATENCY_MOST_LEVELS	4u	/* kinds, groups, a group's instances, their culprits */
#define LATENCY_MOST_LISTS	64u

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	unsigned int	 file;		/* the file that is measured */
	struct latency_kinds kinds;	/* owned: the file's kinds; none until it is measured */
	struct call_scope scope;	/* owned: what is measured */
	struct latency_side now;
	bool		 comparing;
	struct latency_side rest;	/* the rest, while the range is compared with it */

	int		 kind;		/* whose instances are shown; -1: the list of kinds */
	enum latency_by	 by;
	struct latency_level levels[LATENCY_MOST_LEVELS];	/* [nr_levels], where q leads */
	unsigned int	 nr_levels;
	struct sched	*sched;		/* taken; NULL: not needed yet, see latency_sched() */
	struct latency_side whole;	/* the kind once more, to sum up culprits: all instances */
	struct culprits	 culprits;	/* what CPUs did while tasks waited; the worker's until
					 * that is done, as nr_summed */
	uint32_t	 nr_summed;	/* instances in it */
	int		 most_kind;	/* the kind that .most is about; -1: it is not made */
	struct text	 most;		/* owned: the processes that have most of the kind's time */
	uint32_t	*inside;	/* owned: of each of the worst calls, how many are folded
					 * into it; NULL: none is folded.  latency_nested.c */
	struct table	 table;
	struct table_order orders[LATENCY_NR_ROWS][2];
	struct list_tab lists[LATENCY_MOST_LISTS];	/* lists that have rows */
};

/* Append which processes have most of the time of a kind's instances; nothing if there is one. */
void latency_say_most(struct view *view, unsigned int kind, struct text *out);

/* Are only one group's instances listed? */
static inline bool latency_in_group(const struct view *v)
{
	return v->nr_levels && v->levels[v->nr_levels - 1].chosen;
}

static inline enum latency_rows latency_shown(const struct view *v)
{
	return v->kind < 0                                          ? LATENCY_OF_KINDS :
	       v->by == LATENCY_INSTANCES || v->by == LATENCY_OPENS ? LATENCY_OF_INSTANCES :
	       v->by == LATENCY_BY_CULPRIT                          ? LATENCY_OF_CULPRITS :
								      LATENCY_OF_GROUPS;
}

/* The kind that is shown, as measured so far; NULL: not measured yet. */
static inline const struct latency_kind *latency_kind_shown(const struct view *v)
{
	return v->kind >= 0 && (unsigned int)v->kind < v->now.result.nr ?
		       &v->now.result.kinds[v->kind] :
		       NULL;
}

static inline uint32_t latency_row_here(const struct view *v)
{
	return table_row(&v->table, v->table.window.at);
}

/* latency_rows.c */
void latency_rows_init(struct view *v);
void latency_update(struct view *v);	/* rows of the list that is shown */
void latency_set_rows(struct view *v, enum latency_rows rows);	/* columns and order of these */
bool latency_offers(const struct view *v, enum latency_by by);	/* the kind has such groups */
const char *latency_by_heading(const struct view *v);
/* While sums are compared, does a row differ from the rest by chance only? */
bool latency_is_by_chance(const void *view, uint32_t row);
/* The instance under the cursor; NULL: it is on no instance. */
const struct latency_instance *latency_here(const struct view *v);
/* latency_options.each: sums up culprits. */
bool latency_add_culprits(void *view, struct latency *latency, unsigned int kind,
			  const struct latency_instance *i);
/* printable */
void latency_add_what(const struct view *v, const struct latency_instance *i, bool more,
		      struct text *out);
/* @now: its last name, too, if that is another one */
void latency_add_task(const struct view *v, const struct latency_instance *i, bool now,
		      struct text *out);
void latency_add_part(const struct view *v, const struct cpu_part *part, struct text *out);
/* The colour that the task has in all views. */
enum role latency_part_role(const struct view *v, const struct cpu_part *part);

/* latency_nested.c */
void latency_find_nested(struct view *v);	/* for the list that is shown */
bool latency_is_folded(const struct view *v, uint32_t row);
uint32_t latency_nr_inside(const struct view *v, uint32_t row);

/* latency_draw.c */
void latency_draw(struct view *v, const struct view_area *area);
void latency_add_scope(const struct view *v, unsigned int less, struct text *out);
void latency_say(struct view *v, struct text *heading, struct text *words);	/* the row here */

/* view_latency.c */
struct sched_progress latency_sched(struct view *v);	/* the model, which it begins to make */
void latency_enter(void *view);
#endif
