/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_SCHED_FACTS_H
#define FTOP_RECORDER_RUN_SCHED_FACTS_H
/*
 * sched_facts - on which CPUs tasks may run, and by which policy and priority: when they were first
 * seen, when that had changed at a later look, and at the end.
 *
 * A look is two system calls.  Between two looks at a pid it may have become another task's:
 * readers take what was seen for that of the task that then had it (parsers/types/who_table.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/run/census_clock.h"
#include "recorder/run/census_strings.h"
#include "src/base/index_map.h"
#include "src/base/text.h"

struct sched_facts {			/* zeroed: empty */
	struct sched_fact *facts;	/* owned, [nr] in the order of looks */
	uint32_t	nr, cap;
	uint32_t	*last;		/* owned, [nr_tasks]: the last of each task */
	uint32_t	nr_tasks, cap_tasks;
	struct index_map map;		/* of `last`, by pid */
	uint64_t	*mask;		/* owned: the CPUs that were seen last */
	long		mask_bytes;
	uint32_t	mask_string;	/* as a list */
};

/* Look at a task, if there is one.  @is_new: its pid was given out since the last look. */
void sched_facts_see(struct sched_facts *facts, struct census_strings *strings, int pid,
		     bool is_new, const struct census_clock *clock);
/* Look again at all. */
void sched_facts_end(struct sched_facts *facts, struct census_strings *strings,
		     const struct census_clock *clock);
/* Append "sched" lines (parsers/file/trace_extra.c), behind those of the first @told looks. */
void sched_facts_text(const struct sched_facts *facts, uint32_t told,
		      const struct census_clock *clock, struct text *out);
void sched_facts_fini(struct sched_facts *facts);
#endif
