/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/probe_misses.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME	63	/* of a group, and of an event: the kernel's MAX_EVENT_NAME_LEN */

void probe_misses_read(struct probe_misses *misses, const struct tracefs_dir *root)
{
	tracefs_dir_read_lines(root, "kprobe_events", &misses->events, NULL);
	tracefs_dir_read_lines(root, "kprobe_profile", &misses->profile, NULL);
}

void probe_misses_fini(struct probe_misses *misses)
{
	name_list_fini(&misses->events);
	name_list_fini(&misses->profile);
}

/* Does the line, "p:GROUP/NAME …" or "r16:GROUP/NAME …", define this event? */
static bool defines(const char *line, const char *system, const char *name)
{
	char group[MAX_NAME + 1], event[MAX_NAME + 1];

	return sscanf(line, "%*[^:]:%63[^/]/%63[^ ]", group, event) == 2 &&
	       !strcmp(group, system) && !strcmp(event, name);
}

uint64_t probe_misses_of(const struct probe_misses *misses, const char *system, const char *name)
{
	char probe[MAX_NAME + 1];
	uint64_t missed, sum = 0;

	/* kprobe_profile has names only; kprobe_events tells the group */
	for (size_t i = 0; i < misses->events.nr && i < misses->profile.nr; i++)
		if (defines(misses->events.names[i], system, name) &&
		    sscanf(misses->profile.names[i], " %63s %*u %" SCNu64, probe, &missed) == 2 &&
		    !strcmp(probe, name))
			sum += missed;
	return sum;
}
