/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/plan/plan_user_events.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

const char *const plan_user_events_systems[PLAN_USER_EVENTS_SYSTEMS] = {
	"user_events", "user_events_multi",
};

/* Does it name one of the systems: "user_events", "user_events:done*", "all"? */
static bool names_system(const char *pattern)
{
	size_t len = strcspn(pattern, ":/");
	char system[64];

	if (!strcmp(pattern, "all"))
		return true;
	if (!len ||
	    snprintf(system, sizeof(system), "%.*s", (int)len, pattern) >= (int)sizeof(system))
		return false;
	for (size_t s = 0; s < PLAN_USER_EVENTS_SYSTEMS; s++)
		if (!fnmatch(system, plan_user_events_systems[s], 0))
			return true;
	return false;
}

bool plan_user_events_expects(const char *pattern, const struct tracefs_dir *root)
{
	return names_system(pattern) && tracefs_dir_has(root, "user_events_data");
}

bool plan_user_events_may_come(const struct plan_buffer *b)
{
	for (size_t k = 0; k < b->nr_events; k++)
		if (!b->events[k].negated && names_system(b->events[k].pattern))
			return true;
	return false;
}

bool plan_user_events_take(const struct plan_buffer *b, const struct plan_catalog_event *event)
{
	bool takes = false;

	for (size_t k = 0; k < b->nr_events; k++)
		if (record_plan_event_matches(b->events[k].pattern, event))
			takes = !b->events[k].negated;
	return takes;
}
