/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_trace - writes one of the small made-up traces of tests/lib/samples, and with a third
 * argument the list of its events beside it ("STREAM STAMP").  For tests.
 *
 * Not among the samples: sched-256, sched events of 256 CPUs, most of which idle, sched-mute, those
 * of two, the first of which does not record switches from idle, sched-busy, those of two tasks
 * that switch some thousand times, nodes, those of 1,024 CPUs of eight nodes, the sixth of which
 * idles, while CPU 300 is busy alone, cpus-8 to cpus-4096, as many events of more and more CPUs,
 * and quota, those of three tasks in cgroups, one of which has a quota.
 */
#include <stdio.h>
#include <string.h>

#include "tests/lib/gen_sched.h"
#include "tests/lib/samples.h"

/* As many events on so many CPUs; each has a node for eight. */
#define MANY(cpus) \
	{ .seed = 13, .layout = { 4096, 8, false }, .era = GEN_SCHED_7, .nr_cpus = (cpus), \
	  .cpu_step = 1, .steps = 200000, .nr_tasks = 600, .node_cpus = (cpus) / 8 }

/*
 * Of tasks: since, until, pid, parent, start, user, program, command line, cgroup, of the kernel.
 * Of cgroups: time, name, quota, period, weight, usage; how often it had its period and was
 * throttled, for how many us; threaded.  Of the second one nothing is known at the end.
 */
#define QUOTA \
	"string 4\n/web\nstring 6\n/web/a\nstring 6\n/batch\n" \
	"task 5000000000 5000000000 100 1 -1 0 0 0 1 0\n" \
	"task 5000000000 5000000000 107 1 -1 0 0 0 2 0\n" \
	"task 5000000000 5000000000 114 1 -1 0 0 0 3 0\n" \
	"cgroup 5000000000 1 50000 100000 100 0 0 5 100 0\n" \
	"cgroup 5000000000 2 -1 -1 100 0 0 0 7 0\n" \
	"cgroup 5000000000 3 0 100000 100 0 0 0 0 0\n" \
	"cgroup 5009000000 1 50000 100000 100 0 0 9 350 0\n" \
	"cgroup 5009000000 3 0 100000 100 0 0 0 0 0\n"

/*
 * Of tasks: since, until, pid, policy, priority, nice, CPUs, runtime, period.  The first one may
 * run on CPU 2 alone, the second one at first, the third one on all.  They are in one cgroup.
 */
#define BOUND \
	"string 1\n2\nstring 3\n0-2\nstring 4\n/web\nstring 6\n/batch\n" \
	"task 1 1 100 1 -1 0 0 0 3 0\n" \
	"task 1 1 107 1 -1 0 0 0 3 0\n" \
	"task 1 1 114 1 -1 0 0 0 3 0\n" \
	"task 1 1 121 1 -1 0 0 0 4 0\n" \
	"sched 1 2 100 0 0 0 1 0 0\n" \
	"sched 1 2 107 0 0 0 1 0 0\nsched 9000000000 9000000000 107 0 0 0 2 0 0\n" \
	"sched 1 2 114 0 0 0 2 0 0\n"

static const struct {
	const char		*name;
	struct gen_sched_options options;
} scheds[] = {
	{ "bound", { .seed = 4, .layout = { 4096, 8, false }, .era = GEN_SCHED_7, .nr_cpus = 3,
		     .cpu_step = 1, .steps = 400, .nr_tasks = 4, .node_cpus = 3,
		     .tasks = BOUND } },
	{ "sched-256", { .seed = 5, .layout = { 4096, 8, false }, .era = GEN_SCHED_7,
			 .nr_cpus = 256, .cpu_step = 1, .steps = 20000,
			 .nr_tasks = 24, .interrupts = true } },
	{ "sched-mute", { .seed = 7, .layout = { 4096, 8, false }, .era = GEN_SCHED_7, .nr_cpus = 2,
			  .cpu_step = 1, .steps = 60,
			  .nr_tasks = 3, .mute_cpu = 1 } },
	{ "cpus-8", MANY(8) },
	{ "cpus-256", MANY(256) },
	{ "cpus-1024", MANY(1024) },
	{ "cpus-4096", MANY(4096) },
	{ "nodes", { .seed = 11, .layout = { 1024, 8, false }, .era = GEN_SCHED_7, .nr_cpus = 1024,
		     .cpu_step = 1, .steps = 40000, .nr_tasks = 90, .max_delta = 6000,
		     .node_cpus = 128, .idle_node = 6, .hot_cpu = 301 } },
	{ "quota", { .seed = 3, .layout = { 4096, 8, false }, .era = GEN_SCHED_7, .nr_cpus = 2,
		     .cpu_step = 1, .steps = 60, .nr_tasks = 3, .tasks = QUOTA } },
	{ "sched-busy", { .seed = 9, .layout = { 4096, 8, false }, .era = GEN_SCHED_7, .nr_cpus = 1,
			  .cpu_step = 1, .steps = 20000,
			  .nr_tasks = 2, .interrupts = true } },
};

/* False: it is none of these.  *ret: 0, or -1 with an error. */
static bool make_sched(const char *name, const char *path, int *ret, struct ft_error *err)
{
	for (size_t i = 0; i < sizeof(scheds) / sizeof(scheds[0]); i++) {
		struct gen_sched *sched;

		if (strcmp(scheds[i].name, name) != 0)
			continue;
		sched = gen_sched_new(&scheds[i].options);
		*ret = gen_sched_write(sched, path, err);
		gen_sched_free(sched);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	const struct sample *sample = argc == 3 || argc == 4 ? sample_find(argv[1]) : NULL;
	struct ft_error err = { 0 };
	FILE *list;
	char text[512];
	int ret;

	if (argc == 3 && make_sched(argv[1], argv[2], &ret, &err)) {
		if (!ret)
			return 0;
		fprintf(stderr, "make_trace: %s\n",
			ft_error_text(&err, argv[2], text, sizeof(text)));
		return 1;
	}
	if (!sample) {
		fprintf(stderr, "usage: make_trace NAME OUT [LIST]\n");
		for (unsigned int i = 0; i < samples_nr(); i++)
			fprintf(stderr, "  %-16s %s\n", sample_at(i)->name, sample_at(i)->help);
		return 2;
	}
	if (sample_write(sample, argv[2], &err)) {
		fprintf(stderr, "make_trace: %s\n",
			ft_error_text(&err, argv[2], text, sizeof(text)));
		return 1;
	}
	if (argc == 3)
		return 0;
	list = fopen(argv[3], "w");
	if (!list || !sample_list(sample, list) || fclose(list)) {
		fprintf(stderr, "make_trace: %s: no list of this one, or it cannot be written\n",
			argv[3]);
		return 1;
	}
	return 0;
}
