/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_trace - writes one of the small made-up traces of tests/lib/samples, and with a third argument the list of its
 * events beside it ("STREAM STAMP").  For tests.
 *
 * sched-256 is none of the samples, that are small: sched events of 256 CPUs, most of which idle.
 */
#include <stdio.h>
#include <string.h>

#include "tests/lib/gen_sched.h"
#include "tests/lib/samples.h"

static int make_many_cpus(const char *path, struct ft_error *err)
{
	const struct gen_sched_options options = {
		.seed = 5, .layout = { 4096, 8, false }, .era = GEN_SCHED_7, .nr_cpus = 256, .cpu_step = 1, .steps = 20000,
		.nr_tasks = 24, .interrupts = true,
	};
	struct gen_sched *sched = gen_sched_new(&options);
	int ret = gen_sched_write(sched, path, err);

	gen_sched_free(sched);
	return ret;
}

int main(int argc, char **argv)
{
	const struct sample *sample = argc == 3 || argc == 4 ? sample_find(argv[1]) : NULL;
	struct ft_error err = { 0 };
	FILE *list;
	char text[512];

	if (argc == 3 && !strcmp(argv[1], "sched-256")) {
		if (!make_many_cpus(argv[2], &err))
			return 0;
		fprintf(stderr, "make_trace: %s\n", ft_error_text(&err, argv[2], text, sizeof(text)));
		return 1;
	}
	if (!sample) {
		fprintf(stderr, "usage: make_trace NAME OUT [LIST]\n");
		for (unsigned int i = 0; i < samples_nr(); i++)
			fprintf(stderr, "  %-16s %s\n", sample_at(i)->name, sample_at(i)->help);
		return 2;
	}
	if (sample_write(sample, argv[2], &err)) {
		fprintf(stderr, "make_trace: %s\n", ft_error_text(&err, argv[2], text, sizeof(text)));
		return 1;
	}
	if (argc == 3)
		return 0;
	list = fopen(argv[3], "w");
	if (!list || !sample_list(sample, list) || fclose(list)) {
		fprintf(stderr, "make_trace: %s: no list of this one, or it cannot be written\n", argv[3]);
		return 1;
	}
	return 0;
}
