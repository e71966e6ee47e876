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

#define PERIOD_TIMER	"sched_cfs_period_timer"
#define BANDWIDTH	"proc/sys/kernel/sched_cfs_bandwidth_slice_us"	/* CONFIG_CFS_BANDWIDTH */

/* The address of a function; 0: it is not known. */
static uint64_t kernel_address(const char *root, const char *name)
{
	FILE *file = fopen(TRACEFS_TEXT("%s/proc/kallsyms", root), "re");
	char *line = NULL;
	uint64_t address = 0;
	size_t room = 0, len = strlen(name);

	while (file && !address && getline(&line, &room, file) > 0) {
		const char *at = strchr(line, ' ');

		if (at && strlen(at) > 3 && !strncmp(at + 3, name, len) && at[3 + len] == '\n')
			address = strtoull(line, NULL, 16);
	}
	if (file)
		fclose(file);
	free(line);
	return address;
}

const char *plan_limits_filter(struct record_plan *plan)
{
	struct utsname uts;
	unsigned int major = 0, minor = 0;
	uint64_t address;

	if (plan->limit_filter || access(TRACEFS_TEXT("%s/" BANDWIDTH, plan->root), F_OK))
		return plan->limit_filter;
	if (!uname(&uts))
		sscanf(uts.release, "%u.%u", &major, &minor);
	if (major > 6 || (major == 6 && minor >= 3)) {
		plan->limit_filter = mem_strdup("function.function == " PERIOD_TIMER);
	} else {
		address = kernel_address(plan->root, PERIOD_TIMER);
		if (address && asprintf(&plan->limit_filter, "function == 0x%" PRIx64, address) < 0)
			plan->limit_filter = NULL;
	}
	return plan->limit_filter;
}
