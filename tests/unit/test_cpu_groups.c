/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of CPUs, of machines whose lines are written here, expected by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "src/base/memory.h"
#include "src/trace/cpu_groups.h"

#define LIMITS " 1024 -1 -1\n"		/* capacity, frequencies */

/* "cpu CPU CORE CLUSTER DIE PACKAGE NODE L2 L3": two sockets of two cores with two threads each. */
static const char two_sockets[] = "cpu 0 0 -1 -1 0 0 0 0" LIMITS "cpu 1 1 -1 -1 0 0 1 0" LIMITS
				  "cpu 2 2 -1 -1 2 1 2 2" LIMITS "cpu 3 3 -1 -1 2 1 3 2" LIMITS
				  "cpu 4 0 -1 -1 0 0 0 0" LIMITS "cpu 5 1 -1 -1 0 0 1 0" LIMITS
				  "cpu 6 2 -1 -1 2 1 2 2" LIMITS "cpu 7 3 -1 -1 2 1 3 2" LIMITS;

/* Two clusters of two cores; each has an L2, and there is no L3. */
static const char clusters[] = "cpu 0 0 0 -1 0 0 0 -1" LIMITS "cpu 1 1 0 -1 0 0 0 -1" LIMITS
			       "cpu 2 2 2 -1 0 0 2 -1" LIMITS "cpu 3 3 2 -1 0 0 2 -1" LIMITS;

/* The same below one L3. */
static const char clusters_l3[] = "cpu 0 0 0 -1 0 0 0 0" LIMITS "cpu 1 1 0 -1 0 0 0 0" LIMITS
				  "cpu 2 2 2 -1 0 0 2 0" LIMITS "cpu 3 3 2 -1 0 0 2 0" LIMITS;

/* A package of two nodes; CPU 1 is offline in the traces, and of CPU 5 there is no line. */
static const char gaps[] = "cpu 0 0 -1 -1 0 0 0 -1" LIMITS "cpu 1 1 -1 -1 0 0 1 -1" LIMITS
			   "cpu 2 2 -1 -1 0 0 2 -1" LIMITS "cpu 3 3 -1 -1 0 1 3 -1" LIMITS
			   "cpu 4 4 -1 -1 0 1 4 -1" LIMITS;

static void load(struct machine *m, const char *text)
{
	struct ft_error err = { 0 };

	assert_int_equal(machine_load(m, text, strlen(text), &err), 0);
}

/* Each group as "NAME:CPU,CPU", after a dot for each group around it; then the CPUs in none. */
static void expect(const struct cpu_groups *g, const int *cpus, const char *expected)
{
	struct text out = { 0 };

	for (uint32_t i = 0; i < g->nr; i++) {
		const struct cpu_group *group = &g->list[i];

		assert_int_equal(group->depth, group->parent == CPU_NO_GROUP ?
						       0 :
						       g->list[group->parent].depth + 1);
		text_add(&out, out.len ? " " : "");
		for (uint32_t k = 0; k < group->depth; k++)
			text_char(&out, '.');
		cpu_group_name(group, &out);
		for (uint32_t k = 0; k < group->nr; k++)
			text_printf(&out, "%s%d", k ? "," : ":", cpus[g->order[group->first + k]]);
	}
	text_add(&out, " |");
	for (uint32_t i = 0; i < g->nr_cpus; i++)
		if (g->of[i] == CPU_NO_GROUP)
			text_printf(&out, " %d", cpus[i]);
	assert_string_equal(text_str(&out), expected);
	text_fini(&out);
}

static void expect_tree(const char *text, const int *cpus, uint32_t nr, const char *expected)
{
	struct cpu_groups g = { 0 };
	struct machine m;

	load(&m, text);
	cpu_groups_tree(&g, &m, cpus, nr);
	expect(&g, cpus, expected);
	cpu_groups_fini(&g);
	machine_fini(&m);
}

static void expect_level(const char *text, const int *cpus, uint32_t nr, enum cpu_level level,
			 const char *expected)
{
	struct cpu_groups g = { 0 };
	struct machine m;

	load(&m, text);
	cpu_groups_level(&g, &m, cpus, nr, level);
	expect(&g, cpus, expected);
	cpu_groups_fini(&g);
	machine_fini(&m);
}

static const int eight[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
static const int with_gaps[] = { 0, 2, 3, 4, 5 };

/* Packages are nodes here, which is the better known name; a cache is all of a node. */
static void test_sockets_of_threads(void **state)
{
	(void)state;
	expect_tree(
		two_sockets, eight, 8,
		"node 0:0,4,1,5 .core 0:0,4 .core 1:1,5 node 1:2,6,3,7 .core 2:2,6 .core 3:3,7 |");
	expect_level(two_sockets, eight, 8, CPU_PACKAGE, "package 0:0,1,4,5 package 1:2,3,6,7 |");
	expect_level(two_sockets, eight, 8, CPU_CORE,
		     "core 0:0,4 core 1:1,5 core 2:2,6 core 3:3,7 |");
}

static void test_clusters(void **state)
{
	(void)state;
	expect_tree(clusters, eight, 4, "cache 0:0,1 cache 1:2,3 |");
	expect_tree(clusters_l3, eight, 4, "cluster 0:0,1 cluster 1:2,3 |");
	expect_level(clusters, eight, 4, CPU_CLUSTER, "cluster 0:0,1 cluster 1:2,3 |");
	expect_level(clusters_l3, eight, 4, CPU_CACHE, "cache 0:0,1,2,3 |");
}

/* What is not known comes last, and in no group of the tree; a level has a group of it. */
static void test_offline_and_unknown(void **state)
{
	(void)state;
	expect_tree(gaps, with_gaps, 5, "package 0:0,2,3,4 .node 0:0,2 .node 1:3,4 | 5");
	expect_level(gaps, with_gaps, 5, CPU_NODE, "node 0:0,2 node 1:3,4 not known:5 |");
	expect_level(gaps, with_gaps, 5, CPU_CLUSTER, "not known:0,2,3,4,5 |");
	/* one CPU of a node is no group */
	expect_tree(gaps, with_gaps + 1, 2, " | 2 3");
	expect_tree("", eight, 2, " | 0 1");
	expect_tree(gaps, eight, 0, " |");
}

static void test_in_a_group(void **state)
{
	struct cpu_groups g = { 0 };
	struct machine m;

	(void)state;
	load(&m, gaps);
	cpu_groups_tree(&g, &m, with_gaps, 5);
	assert_true(cpu_group_has(&g, 0, 3));	/* CPU 4 in the package */
	assert_false(cpu_group_has(&g, 1, 3));	/* not in node 0 */
	assert_true(cpu_group_has(&g, 2, 3));
	assert_false(cpu_group_has(&g, 0, 4));	/* CPU 5 in nothing */
	cpu_groups_fini(&g);
	machine_fini(&m);
}

static void test_neighbours(void **state)
{
	struct cpu_groups g = { 0 };
	int cpus[1024];

	(void)state;
	for (int i = 0; i < 1024; i++)
		cpus[i] = 2 * i;
	cpu_groups_neighbours(&g, cpus, 32);
	assert_int_equal(g.nr, 0);
	assert_int_equal(g.nr_cpus, 32);
	cpu_groups_fini(&g);
	cpu_groups_neighbours(&g, cpus, 40);	/* 32 and 8 */
	assert_int_equal(g.nr, 2);
	assert_int_equal(g.list[0].nr, 32);
	assert_int_equal(g.list[0].last, 62);
	assert_int_equal(g.list[1].number, 64);
	assert_int_equal(g.list[1].last, 78);
	cpu_groups_fini(&g);
	/* 32 groups of 32 are too many for the outermost: 8 of 128, with 4 in each */
	cpu_groups_neighbours(&g, cpus, 1024);
	assert_int_equal(g.nr, 8 * 5);
	assert_int_equal(g.list[0].nr, 128);
	assert_int_equal(g.list[4].parent, 0);
	assert_int_equal(g.list[4].first, 96);
	assert_int_equal(g.list[5].parent, CPU_NO_GROUP);
	assert_int_equal(g.list[5].number, 256);
	assert_int_equal(g.of[1023], 39);
	cpu_groups_fini(&g);
}

static void expect_distance(const struct machine *m, int a, int b, int expected)
{
	enum cpu_distance distance;

	if (cpu_distance(machine_cpu(m, a), machine_cpu(m, b), &distance))
		assert_int_equal(distance, expected);
	else
		assert_int_equal(expected, CPU_DISTANCES);	/* not known */
}

static void test_distances(void **state)
{
	struct machine m;

	(void)state;
	load(&m, two_sockets);
	expect_distance(&m, 0, 4, CPU_SAME_CORE);
	expect_distance(&m, 0, 5, CPU_SAME_CACHE);
	expect_distance(&m, 0, 2, CPU_OTHER_NODE);
	expect_distance(&m, 0, 8, CPU_DISTANCES);
	machine_fini(&m);
	load(&m, gaps);
	expect_distance(&m, 0, 2, CPU_SAME_NODE);
	expect_distance(&m, 2, 3, CPU_OTHER_NODE);
	machine_fini(&m);
	load(&m, "cpu 0 0 -1 -1 0 -1 0 -1" LIMITS "cpu 1 1 -1 -1 0 -1 1 -1" LIMITS);
	expect_distance(&m, 0, 1, CPU_DISTANCES);	/* without nodes, they may share one */
	machine_fini(&m);
}

static void test_words(void **state)
{
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(cpu_level_find("cache", &err), CPU_CACHE);
	assert_string_equal(cpu_level_word(CPU_CLUSTER), "cluster");
	assert_int_equal(cpu_level_find("socket", &err), CPU_LEVELS);
	assert_int_equal(err.code, FT_E_USAGE);
	assert_non_null(strstr(err.message, CPU_LEVELS_OPTION));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sockets_of_threads), cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_offline_and_unknown), cmocka_unit_test(test_in_a_group),
		cmocka_unit_test(test_neighbours), cmocka_unit_test(test_distances),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
