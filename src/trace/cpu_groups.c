/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/cpu_groups.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/trace/groupings.h"

/* --- levels ---------------------------------------------------------------------------------- */

static const char *const words[CPU_LEVELS] = {
	[CPU_PACKAGE] = "package", [CPU_NODE] = "node",	[CPU_CACHE] = "cache",
	[CPU_CLUSTER] = "cluster", [CPU_CORE] = "core",
};

enum cpu_level cpu_level_find(const char *option, struct ft_error *err)
{
	for (unsigned int i = 0; i < CPU_LEVELS; i++)
		if (!strcmp(words[i], option))
			return (enum cpu_level)i;
	ft_error_set(err, FT_E_USAGE, -1, "CPUs cannot be grouped by '%s': one of %s", option,
		     CPU_LEVELS_OPTION);
	return CPU_LEVELS;
}

const char *cpu_level_word(enum cpu_level level)
{
	return words[level];
}

/* The number of what a CPU shares; -1: not known. */
static int level_of(const struct machine_cpu *cpu, enum cpu_level level)
{
	switch (level) {
	case CPU_PACKAGE:
		return cpu->package;
	case CPU_NODE:
		return cpu->node;
	case CPU_CACHE:
		return cpu->l3 >= 0 ? cpu->l3 : cpu->l2;
	case CPU_CLUSTER:
		return cpu->cluster;
	case CPU_CORE:
		return cpu->core;
	case CPU_LEVELS:
		break;
	}
	return -1;
}

/* --- groups ---------------------------------------------------------------------------------- */

struct placed_cpu {				/* a CPU */
	int		of[CPU_LEVELS];	/* unsigned order: what is not known comes last */
	uint32_t	index;
};

static int by_place(const void *a, const void *b)
{
	const struct placed_cpu *x = a, *y = b;

	for (unsigned int i = 0; i < CPU_LEVELS; i++)
		if (x->of[i] != y->of[i])
			return (unsigned int)x->of[i] < (unsigned int)y->of[i] ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* @only: of this level alone. */
static struct placed_cpu *place(struct cpu_groups *g, const struct machine *machine,
				const int *cpus, uint32_t nr, enum cpu_level only)
{
	struct placed_cpu *placed = mem_array(nr + 1, sizeof(*placed));

	for (uint32_t i = 0; i < nr; i++) {
		const struct machine_cpu *cpu = machine_cpu(machine, cpus[i]);

		placed[i].index = i;
		for (unsigned int k = 0; k < CPU_LEVELS; k++)
			placed[i].of[k] = only != CPU_LEVELS && only != k ? 0 :
					  cpu ? level_of(cpu, (enum cpu_level)k) :
						-1;
	}
	if (nr)
		qsort(placed, nr, sizeof(*placed), by_place);
	g->nr_cpus = nr;
	g->order = mem_array(nr + 1, sizeof(*g->order));
	g->of = mem_array(nr + 1, sizeof(*g->of));
	for (uint32_t i = 0; i < nr; i++) {
		g->order[i] = placed[i].index;
		g->of[i] = CPU_NO_GROUP;
	}
	return placed;
}

static uint32_t add(struct cpu_groups *g, struct cpu_group group)
{
	uint32_t nr = g->nr++;

	group.depth = group.parent == CPU_NO_GROUP ? 0 : g->list[group.parent].depth + 1;
	mem_grow(&g->list, nr, &g->cap);
	g->list[nr] = group;
	for (uint32_t i = group.first; i < group.first + group.nr; i++)
		g->of[g->order[i]] = nr;
	return nr;
}

/* How many CPUs from @first on share this level. */
static uint32_t nr_alike(const struct placed_cpu *placed, uint32_t first, uint32_t end,
			 enum cpu_level level)
{
	uint32_t i = first;

	while (i < end && placed[i].of[level] == placed[first].of[level])
		i++;
	return i - first;
}

/* Are there groups of a level where there are groups of the next one, and nowhere else? */
static bool is_same(const struct placed_cpu *placed, uint32_t first, uint32_t end,
		    enum cpu_level level)
{
	for (uint32_t i = first; i < end; i++)
		if (placed[i].of[level + 1] < 0 ||
		    (i > first && (placed[i].of[level] != placed[i - 1].of[level]) !=
					  (placed[i].of[level + 1] != placed[i - 1].of[level + 1])))
			return false;
	return true;
}

static void split(struct cpu_groups *g, const struct placed_cpu *placed, uint32_t first,
		  uint32_t end, enum cpu_level level, uint32_t parent)
{
	while (level < CPU_LEVELS && nr_alike(placed, first, end, level) == end - first)
		level++;
	if (level == CPU_LEVELS)
		return;
	/* The better known names. */
	if ((level == CPU_PACKAGE || level == CPU_CLUSTER) && is_same(placed, first, end, level))
		level++;
	for (uint32_t i = first, nr; i < end; i += nr) {
		uint32_t group;

		nr = nr_alike(placed, i, end, level);
		if (nr == 1 || placed[i].of[level] < 0)
			continue;
		group = add(g, (struct cpu_group){ .level = level, .number = placed[i].of[level],
						   .parent = parent, .first = i, .nr = nr });
		split(g, placed, i, i + nr, level + 1, group);
	}
}

void cpu_groups_tree(struct cpu_groups *g, const struct machine *machine, const int *cpus,
		     uint32_t nr)
{
	struct placed_cpu *placed = place(g, machine, cpus, nr, CPU_LEVELS);

	split(g, placed, 0, nr, CPU_PACKAGE, CPU_NO_GROUP);
	free(placed);
}

void cpu_groups_level(struct cpu_groups *g, const struct machine *machine, const int *cpus,
		      uint32_t nr, enum cpu_level level)
{
	struct placed_cpu *placed = place(g, machine, cpus, nr, level);

	for (uint32_t i = 0, alike; i < nr; i += alike) {
		alike = nr_alike(placed, i, nr, level);
		add(g, (struct cpu_group){ .level = level, .number = placed[i].of[level],
					   .parent = CPU_NO_GROUP, .first = i, .nr = alike });
	}
	free(placed);
}

#define NEIGHBOURS	32u
#define MOST_OUTERMOST	12u

static void split_neighbours(struct cpu_groups *g, const int *cpus, uint32_t first, uint32_t end,
			     uint32_t each, uint32_t parent)
{
	for (uint32_t i = first, nr; i < end; i += nr) {
		uint32_t group;

		nr = end - i < each ? end - i : each;
		group = add(g, (struct cpu_group){ .level = CPU_LEVELS, .number = cpus[i],
						   .last = cpus[i + nr - 1], .parent = parent,
						   .first = i, .nr = nr });
		if (each > NEIGHBOURS)
			split_neighbours(g, cpus, i, i + nr, each / 4, group);
	}
}

void cpu_groups_neighbours(struct cpu_groups *g, const int *cpus, uint32_t nr)
{
	static const struct machine unknown;
	uint32_t each = NEIGHBOURS;

	free(place(g, &unknown, cpus, nr, CPU_LEVELS));
	while (nr / each > MOST_OUTERMOST)
		each *= 4;
	if (nr > NEIGHBOURS)
		split_neighbours(g, cpus, 0, nr, each, CPU_NO_GROUP);
}

void cpu_groups_find(struct cpu_groups *g, const struct machine *machine, const int *cpus,
		     uint32_t nr)
{
	cpu_groups_tree(g, machine, cpus, nr);
	if (g->nr)
		return;
	cpu_groups_fini(g);
	cpu_groups_neighbours(g, cpus, nr);
}

#define MANY_BUSY	32u		/* CPUs: of more, groups are closed */
#define MOST_GROUPS	12u		/* rows of groups, if the outermost are not more */

uint32_t cpu_groups_fold_depth(const struct cpu_groups *g, uint32_t busy)
{
	uint32_t depth = 0;

	if (busy <= MANY_BUSY)
		return CPU_LEVELS;
	for (uint32_t rows = 0, next = 0; depth < CPU_LEVELS; depth++) {
		next = 0;
		for (uint32_t i = 0; i < g->nr; i++)
			next += g->list[i].depth == depth;
		rows += next;
		if (!next || rows > MOST_GROUPS)
			break;
	}
	return depth ? depth - 1 : 0;
}

void cpu_groups_fini(struct cpu_groups *g)
{
	free(g->list);
	free(g->order);
	free(g->of);
	*g = (struct cpu_groups){ 0 };
}

bool cpu_group_has(const struct cpu_groups *g, uint32_t group, uint32_t cpu)
{
	uint32_t of = g->of[cpu];

	while (of != CPU_NO_GROUP && of != group)
		of = g->list[of].parent;
	return of != CPU_NO_GROUP;
}

void cpu_group_name(const struct cpu_group *group, struct text *out)
{
	if (group->number < 0)
		text_add(out, GROUPING_NOT_KNOWN);
	else if (group->level == CPU_LEVELS)
		text_printf(out, "CPUs %d-%d", group->number, group->last);
	else
		text_printf(out, "%s %d", words[group->level], group->number);
}

/* --- distances ------------------------------------------------------------------------------- */

bool cpu_distance(const struct machine_cpu *a, const struct machine_cpu *b,
		  enum cpu_distance *distance)
{
	static const enum cpu_level levels[] = { CPU_CORE, CPU_CACHE, CPU_NODE };

	for (unsigned int i = 0; a && b && i < CPU_OTHER_NODE; i++) {
		int x = level_of(a, levels[i]), y = level_of(b, levels[i]);

		*distance = (enum cpu_distance)i;
		if (x >= 0 && x == y)
			return true;
		/* Without numbers of nodes, all may be one. */
		if (levels[i] == CPU_NODE && (x < 0 || y < 0))
			return false;
	}
	*distance = CPU_OTHER_NODE;
	return a && b;
}
