/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_sched_trace - writes a made-up trace of sched events (tests/lib/gen_sched), the list of its
 * events and the letters of its states beside it.  For tests.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/gen_sched.h"

int main(int argc, char **argv)
{
	struct gen_sched_options options;
	struct ft_error err = { 0 };
	struct gen_sched *sched;
	char text[512];
	FILE *list;

	if (argc != 5) {
		fprintf(stderr, "usage: make_sched_trace SEED STEPS OUT LIST\n");
		return 2;
	}
	options = gen_sched_sample(strtoull(argv[1], NULL, 10),
				   (uint32_t)strtoul(argv[2], NULL, 10));
	sched = gen_sched_new(&options);
	if (gen_sched_write(sched, argv[3], &err)) {
		fprintf(stderr, "make_sched_trace: %s\n",
			ft_error_text(&err, argv[3], text, sizeof(text)));
		return 1;
	}
	list = fopen(argv[4], "w");
	if (!list)
		return 1;
	gen_sched_states(sched, list);
	fputs("events\n", list);
	gen_sched_list(sched, list);
	gen_sched_free(sched);
	return fclose(list) ? 1 : 0;
}
