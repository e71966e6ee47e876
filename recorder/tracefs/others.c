/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/others.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

char *others_top_event(const struct tracefs_dir *root)
{
	struct name_list lines;
	char *found;

	tracefs_dir_read_lines(root, "set_event", &lines, NULL);
	found = lines.nr ? mem_strdup(lines.names[0]) : NULL;
	name_list_fini(&lines);
	return found;
}

bool others_trace(const struct tracefs_dir *root, size_t ours)
{
	char *tracer = tracefs_dir_line(root, "current_tracer");
	char *event = others_top_event(root);
	struct name_list instances = { 0 };
	bool others;

	tracefs_dir_folders(root, "instances", &instances, NULL);
	others = instances.nr > ours || event || (tracer && strcmp(tracer, "nop"));
	name_list_fini(&instances);
	free(tracer);
	free(event);
	return others;
}
