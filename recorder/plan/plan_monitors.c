/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_monitors.h"

#include <string.h>

#include "recorder/tracefs/monitors.h"

void plan_monitors_list(struct record_plan *plan, const char *value)
{
	for (const char *p = value;; p++) {
		size_t len = strcspn(p, ",");

		if (len)
			name_list_add_bytes(&plan->monitors, p, len);
		else
			record_plan_mistake(plan, "--monitor '%s': a name is missing", value);
		p += len;
		if (!*p)
			return;
	}
}

static void no_such_monitor(struct record_plan *plan, const struct name_list *available,
			    const char *name)
{
	struct name_list names = { 0 };

	for (size_t i = 0; i < available->nr; i++) {
		name_list_add(&names, available->names[i]);
		name_list_add(&names, monitors_own_name(available->names[i]));
	}
	record_plan_unknown(plan, name_list_nearest(&names, name),
			    "; 'ftop-trace list --monitors' shows all",
			    "--monitor %s: no such monitor", name);
	name_list_fini(&names);
}

/* The kernel begins with monitoring on: somebody has switched it off, for all monitors. */
static void check_switch(struct record_plan *plan, const struct tracefs_dir *root)
{
	long long on = 1;

	if (!plan->force && !tracefs_dir_read_number(root, MONITORS_ON, &on, NULL) && !on)
		record_plan_mistake(plan,
				    "--monitor: monitoring is switched off (%s/" MONITORS_ON
				    " is 0); --force switches it on, and off again at the end",
				    root->path);
}

void plan_monitors_check(struct record_plan *plan, const struct tracefs_dir *root)
{
	struct name_list available;
	struct ft_error err = { 0 };

	name_list_fini(&plan->enabled_monitors);
	if (!plan->monitors.nr)
		return;
	if (!monitors_read(root, &available, &err))
		check_switch(plan, root);
	else if (tracefs_dir_has(root, MONITORS_AVAILABLE))
		record_plan_mistake(plan, "--monitor: %s", err.message);
	else
		record_plan_missing(plan, MONITORS_CONFIG, "--monitor: there is no %s/%s",
				    root->path, MONITORS_AVAILABLE);
	for (size_t i = 0; i < plan->monitors.nr && available.nr; i++)
		if (!monitors_find(&available, plan->monitors.names[i], &plan->enabled_monitors))
			no_such_monitor(plan, &available, plan->monitors.names[i]);
	name_list_fini(&available);
}

bool plan_monitors_have(const struct record_plan *plan, const struct plan_catalog_event *event)
{
	bool have = false;

	if (strcmp(event->system, "rv") != 0)
		return false;
	for (size_t i = 0; i < plan->enabled_monitors.nr && !have; i++)
		have = monitors_has_event(plan->enabled_monitors.names[i], event->name);
	/* a monitor of automata has been reset */
	return have || (plan->enabled_monitors.nr && !strcmp(event->name, "rv_retries_error"));
}
