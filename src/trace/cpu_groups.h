/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_CPU_GROUPS_H
#define FTOP_SRC_TRACE_CPU_GROUPS_H
/*
 * cpu_groups - the CPUs of a trace as a tree of packages, nodes, caches, clusters and cores, as the
 * recorder kept them (parsers/types/machine.h).  A new level is a line in cpu_groups.c.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/machine.h"
#include "src/base/text.h"

/* From the outermost one in.  CACHE: the last-level cache, L3 or else L2. */
enum cpu_level { CPU_PACKAGE, CPU_NODE, CPU_CACHE, CPU_CLUSTER, CPU_CORE, CPU_LEVELS };

#define CPU_LEVELS_OPTION	"node|package|cache|core|cluster"
#define CPU_NO_GROUP		UINT32_MAX

/* The level with that word of CPU_LEVELS_OPTION; CPU_LEVELS with FT_E_USAGE. */
enum cpu_level cpu_level_find(const char *option, struct ft_error *err);
const char *cpu_level_word(enum cpu_level level);

struct cpu_group {
	enum cpu_level	level;		/* CPU_LEVELS: neighbours by number */
	int		number;		/* of the node, cache, …; -1: not known; of the first CPU */
	int		last;		/* the last neighbour */
	uint32_t	parent;		/* the group around it, or CPU_NO_GROUP */
	uint32_t	depth;		/* groups around it */
	uint32_t	first, nr;	/* its CPUs: .order[first] to .order[first + nr - 1] */
};

struct cpu_groups {			/* all zero: empty */
	struct cpu_group *list;		/* owned, [nr]; a group comes before those in it */
	uint32_t	nr, cap;
	uint32_t	*order;		/* owned, [nr_cpus]: indexes by package, node, cache,
					 * cluster, core, number */
	uint32_t	*of;		/* owned, [nr_cpus] by index: the innermost group, or
					 * CPU_NO_GROUP */
	uint32_t	nr_cpus;
};

/*
 * Make the tree of an empty *groups.  Groups of one CPU, and those that are all of the group around
 * them, are left out, as are CPUs of which a level is not known from there in.
 * @cpus: [nr] their numbers, ascending.
 */
void cpu_groups_tree(struct cpu_groups *groups, const struct machine *machine, const int *cpus,
		     uint32_t nr);
/* Of one level, without a tree: all its groups; of the last one it is not known. */
void cpu_groups_level(struct cpu_groups *groups, const struct machine *machine, const int *cpus,
		      uint32_t nr, enum cpu_level level);
/* Where nothing is known of the machine: groups of 32 neighbours, in larger ones if many. */
void cpu_groups_neighbours(struct cpu_groups *groups, const int *cpus, uint32_t nr);
/* The tree; where nothing is known, neighbours. */
void cpu_groups_find(struct cpu_groups *groups, const struct machine *machine, const int *cpus,
		     uint32_t nr);
void cpu_groups_fini(struct cpu_groups *groups);

/*
 * How deep groups of a picture are closed where @busy CPUs do not idle: not at all (CPU_LEVELS),
 * or, of many, as deep as there is room for the rows of groups.
 */
uint32_t cpu_groups_fold_depth(const struct cpu_groups *groups, uint32_t busy);

/* Is the CPU with this index in the group? */
bool cpu_group_has(const struct cpu_groups *groups, uint32_t group, uint32_t cpu);
/* Append "node 3", "CPUs 32-63", "not known". */
void cpu_group_name(const struct cpu_group *group, struct text *out);

/* How far apart two CPUs are. */
enum cpu_distance { CPU_SAME_CORE, CPU_SAME_CACHE, CPU_SAME_NODE, CPU_OTHER_NODE, CPU_DISTANCES };

/* False: it is not known. */
bool cpu_distance(const struct machine_cpu *a, const struct machine_cpu *b,
		  enum cpu_distance *distance);
#endif
