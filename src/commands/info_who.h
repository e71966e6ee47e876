/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_INFO_WHO_H
#define FTOP_SRC_COMMANDS_INFO_WHO_H
/*
 * info_who - what `info` says of the machine that was recorded, and of who its tasks are.
 */
#include <stdbool.h>
#include "src/base/text.h"
#include "src/trace/trace.h"

struct info_who {
	uint64_t	processes;	/* by pid: their program, user or cgroup is known */
	uint64_t	cgroups;	/* that tasks are known to be in */
};

/* Count them in the first file.  The trace must be complete. */
struct info_who info_who_count(struct trace *trace);

/* Append "8 CPUs, 4 cores, 1 socket, …"; nothing if nothing is known. */
void info_who_machine(const struct machine *machine, struct text *out);

/* Append "/a: 12 times, 340.000 ms of 3.000 s"; nothing if none is known of. */
void info_who_throttled(const struct who_cgroup *cgroup, struct text *out);

/*
 * Append the members "machine", an object with a list of CPUs, or null, and "cgroup_stats", a list
 * of what the cgroups of the first file used meanwhile, and of their limits.
 */
void info_who_json(struct trace *trace, struct text *out);
#endif
