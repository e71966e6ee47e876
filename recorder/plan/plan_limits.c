/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define BANDWIDTH	"proc/sys/kernel/sched_cfs_bandwidth_slice_us"	/* CONFIG_CFS_BANDWIDTH */

/* They renew the limit of a group, and the budget of a deadline task. */
static const char *const timers[] = { "sched_cfs_period_timer", "dl_task_timer" };
#define NR_TIMERS	(sizeof(timers) / sizeof(timers[0]))

/* The addresses of their functions; 0: it is not known. */
static void find_addresses(const char *root, uint64_t addresses[NR_TIMERS])
{
	FILE *file = fopen(TRACEFS_TEXT("%s/proc/kallsyms", root), "re");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		const char *at = strchr(line, ' ');

		for (unsigned int i = 0; at && strlen(at) > 3 && i < NR_TIMERS; i++) {
			size_t len = strlen(timers[i]);

			if (!strncmp(at + 3, timers[i], len) && at[3 + len] == '\n')
				addresses[i] = strtoull(line, NULL, 16);
		}
	}
	if (file)
		fclose(file);
	free(line);
}

const char *plan_limits_filter(struct record_plan *plan)
{
	uint64_t addresses[NR_TIMERS] = { 0 };
	unsigned int major = 0, minor = 0;
	struct text filter = { 0 };
	struct utsname uts;
	bool by_name;

	if (plan->limit_filter || access(TRACEFS_TEXT("%s/" BANDWIDTH, plan->root), F_OK))
		return plan->limit_filter;
	if (!uname(&uts))
		sscanf(uts.release, "%u.%u", &major, &minor);
	by_name = major > 6 || (major == 6 && minor >= 3);
	if (!by_name)
		find_addresses(plan->root, addresses);
	for (unsigned int i = 0; i < NR_TIMERS; i++) {
		if (!by_name && !addresses[i])
			continue;
		text_add(&filter, filter.len ? " || " : "");
		if (by_name)
			text_printf(&filter, "function.function == %s", timers[i]);
		else
			text_printf(&filter, "function == 0x%" PRIx64, addresses[i]);
	}
	if (filter.len)
		plan->limit_filter = mem_strdup(text_str(&filter));
	text_fini(&filter);
	return plan->limit_filter;
}
