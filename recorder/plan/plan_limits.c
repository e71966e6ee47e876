/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "parsers/types/btf.h"
#include "recorder/tracefs/kernel_facts.h"
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

static void add_probe(struct record_plan *plan, const char *name, const char *function,
		      const char *fields)
{
	struct plan_probe *p = &plan->limit_probes[plan->nr_limit_probes++];

	p->system = mem_strdup(PLAN_LIMITS_SYSTEM);
	p->name = mem_strdup(name);
	p->definition = mem_strdup(
		TRACEFS_TEXT("p:" PLAN_LIMITS_SYSTEM "/%s %s%s", name, function, fields));
}

/* int tg_throttle_down(struct task_group *, struct rq *) is called for each group in a group. */
static void add_probes(struct record_plan *plan, const struct btf *btf)
{
	int css = btf_member_offset(btf, "task_group", "css"),
	    cgroup = btf_member_offset(btf, "cgroup_subsys_state", "cgroup"),
	    node = btf_member_offset(btf, "cgroup", "kn"),
	    id = btf_member_offset(btf, "kernfs_node", "id"),
	    cpu = btf_member_offset(btf, "rq", "cpu");
	struct text fields = { 0 };

	if (css < 0 || cgroup < 0 || node < 0 || id < 0 || cpu < 0)
		return;
	text_printf(&fields, " cgroup=+%d(+%d(+%d($arg1))):u64 cpu=+%d($arg2):s32", id, node,
		    css + cgroup, cpu);
	add_probe(plan, "throttle_group", "tg_throttle_down", text_str(&fields));
	add_probe(plan, "unthrottle_group", "tg_unthrottle_up", text_str(&fields));
	if (btf_member_offset(btf, "task_struct", "sched_throttle_work") >= 0)
		add_probe(plan, "throttle_task", "throttle_cfs_rq_work", "");
	text_fini(&fields);
}

void plan_limits_find_probes(struct record_plan *plan, const struct tracefs_dir *root)
{
	struct text data = { 0 };
	struct btf *btf;

	if (plan->nr_limit_probes || /* the plan is checked again */
	    access(TRACEFS_TEXT("%s/" BANDWIDTH, plan->root), F_OK) ||
	    !tracefs_dir_has(root, "kprobe_events") || !tracefs_dir_explains(root, "$arg<N>") ||
	    tracefs_dir_has(root, "events/" PLAN_LIMITS_SYSTEM))
		return;
	btf = kernel_facts_btf(plan->root, &data);
	if (btf)
		add_probes(plan, btf);
	btf_free(btf);
	text_fini(&data);
}
