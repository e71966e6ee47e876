/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_GROUPS_H
#define FTOP_SRC_LATENCY_LATENCY_GROUPS_H
/*
 * latency_groups - the instances of a kind by what they have in common: a task, a CPU, a mark.  For
 * `ftop-trace latency --by` and the screen.  A new way to group is a line in latency_groups.c.
 */
#include "src/base/index_map.h"
#include "src/latency/latency.h"
#include "src/latency/latency_list.h"
#include "src/trace/groupings.h"

/* What is listed of a kind: instances, or sums of those that have something in common. */
enum latency_by { LATENCY_INSTANCES, LATENCY_BY_WHAT, LATENCY_BY_TASK,
		  LATENCY_BY_CPU, LATENCY_BY_PRIO, LATENCY_BY_MOVED, LATENCY_BY_MARK,
		  LATENCY_BY_NET, LATENCY_BY_LEAF,
		  LATENCY_BY_HOLDER, LATENCY_BY_ADDRESS, LATENCY_BY_WAITER,
		  LATENCY_BY_PROCESS, LATENCY_BY_CGROUP, LATENCY_BY_NAME, LATENCY_BY_USER,
		  LATENCY_BY_CULPRIT, LATENCY_OPENS, LATENCY_NR_BY };

#define LATENCY_BY_OPTION                                                                          \
	"what|task|cpu|prio|moved|mark|net|leaf|holder|address|waiter|process|cgroup|name|user"

struct latency_group {
	uint64_t	 key;		/* what the group has in common, or the kind's number */
	struct latency_instance first;	/* one of them, for its name */
	struct latency_sums sums;
};

extern const struct latency_by_words {
	const char	*option;	/* argument of --by */
	const char	*title, *heading;	/* on the screen */
	int		 of;		/* only instances of this kind; -1: of all kinds; or: */
#define LATENCY_OF_LOCK	(-2)		/* of all kinds of waits for locks */
	enum grouping	 grouping;	/* of the task; or NONE */
	const char *const *names;	/* [key]; NULL: names are made */
} latency_groups_by[LATENCY_NR_BY];     /* only ways to group are set */

/* Can instances of the kind be grouped so? */
bool latency_groups_has(const struct latency_kinds *kinds, unsigned int kind, enum latency_by by);
/* The way to group that is called so; -1 with FT_E_USAGE. */
int latency_groups_find(const char *option, const struct latency_kinds *kinds, unsigned int kind,
			struct ft_error *err);
uint64_t latency_groups_key(const struct latency *latency, const struct latency_instance *instance,
			    enum latency_by by);
/* Append the name of the group that has the instance, raw. */
void latency_groups_name(struct latency *latency, unsigned int kind, enum latency_by by,
			 const struct latency_instance *instance, struct text *out);

/* What the task of such a group was called then; NULL: as now, or it is not of one task. */
const char *latency_groups_was(const struct latency *latency, unsigned int kind, enum latency_by by,
			       const struct latency_instance *instance);

/* --- all groups of a pass --------------------------------------------------------------------- */

struct latency_member {			/* a task, as long as it stays in its group */
	bool		known;
	uint32_t	pid;
	int64_t		from, to;
	uint64_t	key;
};

#define LATENCY_MEMBERS	256u

struct latency_groups {			/* zero it, except for: */
	enum latency_by	 by;
	const bool	*replaced;	/* latency_result.replaced of an earlier pass */
	struct latency_group *list;	/* owned, [nr]; the largest total first after the end */
	struct latency_list *sums;	/* owned, [nr], until the end */
	uint32_t	 nr, cap, cap_sums;
	struct index_map keys;
	struct latency_member members[LATENCY_MEMBERS];	/* seen last, by pid; of groups in which
							 * tasks move */
};

/* latency_options.each, with the groups as each_arg. */
bool latency_groups_see(void *groups, struct latency *latency, unsigned int kind,
			const struct latency_instance *instance);
/* @all: sums of the kind. */
void latency_groups_end(struct latency_groups *groups, const struct latency_sums *all);
void latency_groups_fini(struct latency_groups *groups);
#endif
