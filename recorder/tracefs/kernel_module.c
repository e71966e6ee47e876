/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/kernel_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Add the module's name from "kernel/drivers/block/virtio-blk.ko.xz: kernel/…" or "virtio_blk 28672
 * 2 - Live 0x0".
 */
static void add_name(struct name_list *names, const char *line)
{
	size_t len = strcspn(line, ": \t\n");
	const char *end = line + len, *name = end;
	char *added;

	while (name > line && name[-1] != '/')
		name--;
	len = strcspn(name, ".");
	name_list_add_bytes(names, name, len < (size_t)(end - name) ? len : (size_t)(end - name));
	added = names->names[names->nr - 1];
	for (char *dash = added; (dash = strchr(dash, '-')); dash++)
		*dash = '_';
}

static void read_names(struct name_list *names, const char *path)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	while (in && getline(&line, &size, in) > 0)
		add_name(names, line);
	if (in)
		fclose(in);
	free(line);
}

enum kernel_module_state kernel_module_find(const char *root, const char *release, const char *name,
					    struct name_list *known)
{
	struct name_list built_in = { 0 };
	bool loaded, installed;

	read_names(known, TRACEFS_TEXT("%s/proc/modules", root));
	loaded = name_list_has(known, name);
	read_names(known, TRACEFS_TEXT("%s/lib/modules/%s/modules.dep", root, release));
	installed = name_list_has(known, name);
	read_names(&built_in, TRACEFS_TEXT("%s/lib/modules/%s/modules.builtin", root, release));
	if (!installed && name_list_has(&built_in, name)) {
		name_list_fini(&built_in);
		return KERNEL_MODULE_BUILT_IN;
	}
	name_list_fini(&built_in);
	if (loaded)
		return KERNEL_MODULE_LOADED;
	return installed ? KERNEL_MODULE_INSTALLED : KERNEL_MODULE_UNKNOWN;
}

bool kernel_module_selects_events(const struct tracefs_dir *root)
{
	return tracefs_dir_explains(root, "via: :mod:<module>");
}
