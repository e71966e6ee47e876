/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_events - events that programs register while the recording runs (user_events).
 *
 * The kernel makes a folder for such an event in each instance, and leaves it disabled.  So look
 * for new folders, enable what the plan wants, and keep the formats.
 */
#include "recorder/run/record_state.h"

#include <stdio.h>
#include <string.h>

#include "recorder/plan/plan_user_events.h"

/* Is it in the catalog, or was it found before? */
static bool is_known(const struct recording *r, const char *system, const char *name)
{
	const struct plan_catalog *c = &r->plan->catalog;

	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->events[i].system, system) && !strcmp(c->events[i].name, name))
			return true;
	return name_list_has(&r->late_events, TRACEFS_TEXT("%s:%s", system, name));
}

/* Is it enabled in any of the buffers? */
static bool enable(struct recording *r, const struct plan_catalog_event *event)
{
	struct ft_error err = { 0 };
	bool enabled = false;

	for (size_t b = 0; b < r->plan->nr_buffers; b++) {
		const struct plan_buffer *buffer = &r->plan->buffers[b];

		if (!r->instances[b].name || !plan_user_events_take(buffer, event))
			continue;
		if (instance_add_event(&r->instances[b], buffer, event, &r->result->notes, &err))
			text_printf(&r->result->notes, "%s:%s is not recorded: %s\n", event->system,
				    event->name, err.message);
		else
			enabled = true;
	}
	return enabled;
}

static void take_event(struct recording *r, const char *system, char *name)
{
	const struct plan_catalog_event event = { .system = (char *)system, .name = name };

	if (is_known(r, system, name))
		return;
	name_list_add(&r->late_events, TRACEFS_TEXT("%s:%s", system, name));
	if (!enable(r, &event))
		return;
	record_meta_format(r, system, name);
	text_printf(&r->late_notes,
		    "%s:%s was registered while the recording ran: what was written in its first "
		    "%u ms may be missing\n",
		    system, name, RECORD_EVENTS_MS);
}

void record_events_look(struct recording *r)
{
	bool wanted = false;

	for (size_t b = 0; b < r->plan->nr_buffers; b++)
		wanted |= plan_user_events_may_come(&r->plan->buffers[b]);
	for (size_t s = 0; wanted && s < PLAN_USER_EVENTS_SYSTEMS; s++) {
		const char *system = plan_user_events_systems[s];
		struct name_list names = { 0 };

		tracefs_dir_folders(r->root, TRACEFS_TEXT("events/%s", system), &names, NULL);
		for (size_t i = 0; i < names.nr; i++)
			take_event(r, system, names.names[i]);
		name_list_fini(&names);
	}
}
