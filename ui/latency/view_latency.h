/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_LATENCY_VIEW_LATENCY_H
#define FTOP_UI_LATENCY_VIEW_LATENCY_H
/* view_latency - what the files of the Latency view share; README.md says what each does. */
#include "src/calls/graph_records.h"
#include "src/latency/latency_columns.h"
#include "src/why/culprits.h"
#include "ui/table/table.h"
#include "ui/view/view.h"

/* What is listed of a kind: instances, or sums of those that have something in common. */
enum latency_by { LATENCY_INSTANCES, LATENCY_OPENS, LATENCY_BY_WHAT, LATENCY_BY_TASK,
		  LATENCY_BY_CPU, LATENCY_BY_PRIO, LATENCY_BY_MOVED, LATENCY_BY_MARK,
		  LATENCY_BY_NET, LATENCY_BY_LEAF, LATENCY_BY_CULPRIT, LATENCY_NR_BY };

struct latency_group {
	uint64_t	 key;
	struct latency_instance first;	/* one of them, for its name */
	struct latency_sums sums;
};

enum { LATENCY_TABLE_KINDS, LATENCY_TABLE_GROUPS, LATENCY_TABLE_INSTANCES,
       LATENCY_TABLE_CULPRITS, LATENCY_TABLES };

struct latency_groups {
	struct latency_group *list;	/* owned, [nr] in the order of keys */
	uint32_t	nr;
};

struct latency_side {			/* what is measured of a trace */
	struct latency	*latency;	/* owned; NULL: filters are not ready yet, or not wanted */
	struct latency_result result;	/* so far */
	struct latency_groups groups;
};

/*
 * What CPUs did while tasks waited, summed over all instances; then, if one of these sums was
 * chosen, the instances that it is of.
 */
struct latency_culprits {
	bool		came;		/* H led here from this list: */
	enum latency_by	from;
	bool		within;		/* a group of it, */
	uint64_t	group;		/* and the sums are of its instances alone */
	bool		running;	/* a pass over the kind's instances is asked for */
	struct latency	*latency;	/* owned: the pass; NULL: not begun, or done */
	struct culprits	sums;		/* the worker's while it runs, as instances */
	uint32_t	instances;	/* the sums are of so many */
	bool		choosing;	/* the pass chooses instances which have the part */
	struct cpu_part	of;
	struct latency_result chosen;	/* so far */
};

#define LATENCY_MOST_LISTS	64u

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	unsigned int	 file;		/* that is measured */
	unsigned int	 cursor_file;	/* the one that the shared cursor was in last */
	struct latency_kinds kinds;	/* owned; of the file; none: it is not measured yet */
	struct text	 key;		/* owned: the range and filters that are measured */
	struct graph_scope scope;	/* its filters are owned */
	struct latency_side now;
	struct latency_side rest;	/* of the trace, while it is compared with the range */

	int		 kind;		/* whose instances are shown; -1: the list of kinds */
	enum latency_by	 by;
	bool		 entered;	/* Enter led from the kinds to this one */
	bool		 in_group;	/* only instances of a group of v->by: */
	uint64_t	 group;
	struct latency_culprits culprits;
	struct sched	*sched;		/* taken; NULL: not needed yet, see latency_culprits.c */
	struct table	 tables[LATENCY_TABLES];
	struct table_order orders[LATENCY_TABLES][2];
	struct view_list lists[LATENCY_MOST_LISTS];	/* those with rows */
};

static inline unsigned int latency_shown(const struct view *v)
{
	return v->kind < 0                            ? LATENCY_TABLE_KINDS :
	       v->by < LATENCY_BY_WHAT || v->in_group ? LATENCY_TABLE_INSTANCES :
	       v->by == LATENCY_BY_CULPRIT            ? LATENCY_TABLE_CULPRITS :
							LATENCY_TABLE_GROUPS;
}

static inline struct table *latency_table(struct view *v)
{
	return &v->tables[latency_shown(v)];
}

/* The kind that is shown, as measured so far; NULL: not measured yet. */
static inline const struct latency_kind *latency_kind_shown(const struct view *v)
{
	const struct latency_result *result = v->in_group && v->by == LATENCY_BY_CULPRIT ?
						      &v->culprits.chosen :
						      &v->now.result;

	return v->kind >= 0 && (unsigned int)v->kind < result->nr ? &result->kinds[v->kind] : NULL;
}

/* latency_measured.c */
void latency_measure(struct view *v);	/* takes new figures; begins again for another scope */
void latency_forget(struct view *v);	/* the trace is closed */
/* Begins a measurement of the view, one of the three, if it is NULL. */
void latency_begin(struct view *v, struct latency **latency);
/* Begins or ends the comparison of the range with the rest of the trace. */
void latency_compare(struct view *v);
/* latency_tables.c: while sums are compared, does a row differ from the rest by chance only? */
bool latency_is_noise(const void *view, uint32_t row);
/* For view_moments. */
int latency_pair(struct view *v, const char *pair, struct ft_error *err);
void latency_show_file(struct view *v, unsigned int file);
void latency_update(struct view *v);	/* rows of the table that is shown */

/* latency_groups.c */
struct latency_by_words {		/* of a way to group */
	const char	*title, *heading;
	int		 of;		/* only of this kind; -1: of all */
	const char *const *names;	/* [key]; NULL: names are made */
};
extern const struct latency_by_words latency_by_words[LATENCY_NR_BY];
void latency_groups_make(struct latency_groups *groups, const struct latency_kind *kind,
			 enum latency_by by);
/* NULL: there is none with this key */
const struct latency_group *latency_groups_find(const struct latency_groups *groups, uint64_t key);
uint64_t latency_group_key(const struct latency_instance *i, enum latency_by by);
void latency_group_name(const struct view *v, const struct latency_instance *i, enum latency_by by,
			struct text *out);
bool latency_offers(const struct view *v, enum latency_by by);	/* the kind has such groups */

/* latency_tables.c */
void latency_tables_init(struct view *v);
/* the instance under the cursor; NULL: it is on no instance */
const struct latency_instance *latency_here(struct view *v);
const struct latency_instance *latency_instance_at(const struct view *v, uint32_t row);
/* printable */
void latency_add_what(const struct view *v, const struct latency_instance *i, bool more,
		      struct text *out);
void latency_add_task(const struct view *v, const struct latency_instance *i, struct text *out);

/* latency_draw.c */
void latency_draw(struct view *v, const struct view_area *area);
int latency_tabs_cells(struct view *v, int cols);

/* latency_culprits.c */
struct sched_progress latency_sched(struct view *v);	/* the model, which it begins to make */
extern const struct table_ops latency_culprit_ops;
/* Begins the pass: for the sums, or for the instances of the chosen one. */
void latency_culprits_begin(struct view *v);
void latency_culprits_forget(struct view *v);	/* all of it */
void latency_culprits_end(struct view *v);	/* the pass */
bool latency_culprits_measure(struct view *v);	/* true: there are new figures */
bool latency_culprits_see(void *view, struct latency *latency, unsigned int kind,
			  const struct latency_instance *i); /* latency_options.each */
void latency_culprits_title(struct view *v, struct text *out);
void latency_culprit_name(const struct view *v, const struct cpu_part *part, struct text *out);

/* latency_anatomy.c */
#define LATENCY_ANATOMY_LINES	2
bool latency_has_anatomy(const struct view *v);
void latency_draw_anatomy(struct view *v, struct canvas *canvas, int row);

/* latency_words.c */
void latency_say(struct view *v, struct text *heading, struct text *words);

/* view_latency.c */
void latency_enter(void *view);
#endif
