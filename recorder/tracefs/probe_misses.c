/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/probe_misses.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MOST_RECURSED	8	/* functions that are named */
#define MAX_NAME	63	/* of a group, and of an event: the kernel's MAX_EVENT_NAME_LEN */

void probe_misses_read(struct probe_misses *misses, const struct tracefs_dir *root)
{
	tracefs_dir_read_lines(root, "kprobe_events", &misses->events, NULL);
	tracefs_dir_read_lines(root, "kprobe_profile", &misses->profile, NULL);
	tracefs_dir_read_lines(root, "recursed_functions", &misses->recursed, NULL);
}

void probe_misses_fini(struct probe_misses *misses)
{
	name_list_fini(&misses->events);
	name_list_fini(&misses->profile);
	name_list_fini(&misses->recursed);
}

/* The event that the line defines, "p:GROUP/NAME …" or "r16:GROUP/NAME …": "GROUP:NAME". */
static bool event_of(const char *line, char event[2 * MAX_NAME + 2])
{
	char group[MAX_NAME + 1], name[MAX_NAME + 1];

	if (sscanf(line, "%*[^:]:%63[^/]/%63[^ ]", group, name) != 2)
		return false;
	snprintf(event, 2 * MAX_NAME + 2, "%s:%s", group, name);
	return true;
}

void probe_misses_events(const struct probe_misses *misses, struct name_list *events)
{
	char event[2 * MAX_NAME + 2];

	for (size_t i = 0; i < misses->events.nr; i++)
		if (event_of(misses->events.names[i], event) && !name_list_has(events, event))
			name_list_add(events, event);
}

uint64_t probe_misses_of(const struct probe_misses *misses, const char *system, const char *name)
{
	char probe[MAX_NAME + 1], wanted[2 * MAX_NAME + 2], event[2 * MAX_NAME + 2];
	uint64_t missed, sum = 0;

	snprintf(wanted, sizeof(wanted), "%s:%s", system, name);
	/* kprobe_profile has names only; kprobe_events tells the group */
	for (size_t i = 0; i < misses->events.nr && i < misses->profile.nr; i++)
		if (event_of(misses->events.names[i], event) && !strcmp(event, wanted) &&
		    sscanf(misses->profile.names[i], " %63s %*u %" SCNu64, probe, &missed) == 2 &&
		    !strcmp(probe, name))
			sum += missed;
	return sum;
}

void probe_misses_recursed(const struct probe_misses *before, const struct probe_misses *after,
			   struct text *out)
{
	struct text names = { 0 };
	size_t nr = 0;

	for (size_t i = 0; i < after->recursed.nr; i++) {
		const char *line = after->recursed.names[i], *tab = strchr(line, '\t');

		if (!tab || name_list_has(&before->recursed, line))
			continue;
		if (nr++ < MOST_RECURSED)
			text_printf(&names, "%s%.*s", nr > 1 ? ", " : "",
				    (int)strcspn(tab + 1, "+"), tab + 1);
	}
	if (nr > MOST_RECURSED)
		text_printf(&names, " and %zu more", nr - MOST_RECURSED);
	if (nr)
		text_printf(
			out,
			"calls of %s that were made while the kernel traced another function are "
			"not recorded (recursed_functions)\n",
			text_str(&names));
	text_fini(&names);
}
