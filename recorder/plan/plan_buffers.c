/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "recorder/tracefs/owner.h"
#include "recorder/plan/plan_buffers.h"

/* Control characters are not allowed: in the journal, a newline ends the name. */
static bool has_control(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return true;
	return false;
}

static void check_name(struct record_plan *plan, const char *name, const struct tracefs_dir *root)
{
	unsigned long long start;
	size_t len = strlen(name);
	int pid;

	if (!len || strchr(name, '/') || name[0] == '.' || has_control(name)) {
		record_plan_mistake(
			plan,
			"-B '%s': not a name for an instance; '/', control characters and a "
			"leading '.' are not allowed",
			name);
	} else if (len > NAME_MAX) {
		record_plan_mistake(plan, "-B %.20s...: the name has %zu bytes; the limit is %d",
				    name, len, NAME_MAX);
	} else if (owner_parse(name, &pid, &start)) {
		record_plan_mistake(
			plan,
			"-B %s: names like this are reserved for instances of recorders; choose another name",
			name);
	} else if (tracefs_dir_has(root, TRACEFS_TEXT("instances/%s", name))) {
		record_plan_mistake(
			plan, "-B %s: an instance with this name already exists and is not ours",
			name);
	}
}

void plan_buffers_check(struct record_plan *plan, const struct tracefs_dir *root)
{
	/* the first one has no name */
	for (size_t i = 1; i < plan->nr_buffers; i++) {
		const char *name = plan->buffers[i].name;
		bool twice = false;

		for (size_t k = 1; k < i; k++)
			twice |= !strcmp(name, plan->buffers[k].name);
		if (twice)
			record_plan_mistake(plan, "-B %s: given twice", name);
		else
			check_name(plan, name, root);
	}
}
