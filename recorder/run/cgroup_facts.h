/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_CGROUP_FACTS_H
#define FTOP_RECORDER_RUN_CGROUP_FACTS_H
/*
 * cgroup_facts - limits and counters of the cgroups that tasks are in, and of those above them,
 * when they were first seen and at the end; of those with a limit each second, too.  They are those
 * of the CPU controller, wherever that is mounted: in cgroup v2 or v1.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "recorder/run/census_clock.h"
#include "recorder/run/census_strings.h"
#include "src/base/text.h"

struct cgroup_facts {			/* zeroed: empty */
	struct cgroup_fact *facts;	/* owned, [nr] */
	uint32_t	nr, cap;
	struct cgroup_state *states;	/* owned, [nr_states] in the order of time */
	uint32_t	nr_states, cap_states;
	char		*mount;		/* owned: where the CPU controller is; "" = nowhere */
	bool		is_v1;
};

/*
 * A task's path in /proc/PID/cgroup, of @len bytes: the one in the hierarchy with the CPU
 * controller, whose groups have the limits.  Where there are others, of v1, these may sort tasks
 * further: then the longest path that begins with that one.  NULL, if the task is in the root of
 * each, since nothing tells which of them sorts tasks.
 */
const char *cgroup_facts_path(const char *text, size_t *len);
/* The number of the hierarchy with the CPU controller: 0, cgroup v2, unless one of v1 has it. */
int cgroup_facts_hierarchy(const char *text);
/*
 * A task is in this cgroup, by number: read its files, and those of the groups above it, if they
 * are new.  Return: is it threaded, so that threads of a process may be in others?
 */
bool cgroup_facts_see(struct cgroup_facts *facts, struct census_strings *strings, uint32_t cgroup,
		      const struct census_clock *clock);
/* Read again those with a limit, or that have got one. */
void cgroup_facts_look(struct cgroup_facts *facts, const struct census_clock *clock);
/* Read all again. */
void cgroup_facts_end(struct cgroup_facts *facts, const struct census_clock *clock);
/* Append "cgroup" and "cgroup_id" lines, behind those of the first @told states. */
void cgroup_facts_text(const struct cgroup_facts *facts, uint32_t told,
		       const struct census_clock *clock, struct text *out);
void cgroup_facts_fini(struct cgroup_facts *facts);
#endif
