/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/probe_misses.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME	63	/* of a group, and of an event: the kernel's MAX_EVENT_NAME_LEN */

void probe_misses_read(struct probe_misses *misses, const struct tracefs_dir *root)
{
	text_clear(&misses->events);
	text_clear(&misses->profile);
	tracefs_dir_read(root, "kprobe_events", &misses->events, NULL);
	tracefs_dir_read(root, "kprobe_profile", &misses->profile, NULL);
}

void probe_misses_fini(struct probe_misses *misses)
{
	text_fini(&misses->events);
	text_fini(&misses->profile);
}

/* Is it a line "p:GROUP/NAME …" or "r16:GROUP/NAME …" of this event? */
static bool defines(const char *line, const char *system, const char *name)
{
	char group[MAX_NAME + 1], event[MAX_NAME + 1];

	return sscanf(line, "%*[^:\n]:%63[^/\n]/%63[^ \n]", group, event) == 2 &&
	       !strcmp(group, system) && !strcmp(event, name);
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

uint64_t probe_misses_of(const struct probe_misses *misses, const char *system, const char *name)
{
	const char *event = text_str(&misses->events), *row = text_str(&misses->profile);
	char probe[MAX_NAME + 1];
	uint64_t missed, sum = 0;

	/* a name may be in several groups: the group is in the same line of kprobe_events */
	for (; *event && *row; event = next_line(event), row = next_line(row))
		if (defines(event, system, name) &&
		    sscanf(row, " %63s %*u %" SCNu64, probe, &missed) == 2 && !strcmp(probe, name))
			sum += missed;
	return sum;
}
