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

static void read_names(struct name_list *names, const char *root, const char *path)
{
	char full[512], *line = NULL;
	size_t size = 0;
	FILE *in;

	snprintf(full, sizeof(full), "%s%s", root, path);
	in = fopen(full, "re");
	while (in && getline(&line, &size, in) > 0)
		add_name(names, line);
	if (in)
		fclose(in);
	free(line);
}

enum kernel_module_state kernel_module_find(const char *root, const char *release, const char *name, struct name_list *known)
{
	enum kernel_module_state state = KERNEL_MODULE_UNKNOWN;
	struct name_list loaded = { 0 }, installed = { 0 }, built_in = { 0 };
	char path[256];

	read_names(&loaded, root, "/proc/modules");
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	read_names(&installed, root, path);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.builtin", release);
	read_names(&built_in, root, path);
	if (name_list_has(&loaded, name))
		state = KERNEL_MODULE_LOADED;
	else if (name_list_has(&installed, name))
		state = KERNEL_MODULE_INSTALLED;
	else if (name_list_has(&built_in, name))
		state = KERNEL_MODULE_BUILT_IN;
	for (size_t i = 0; i < loaded.nr; i++)
		name_list_add(known, loaded.names[i]);
	for (size_t i = 0; i < installed.nr; i++)
		name_list_add(known, installed.names[i]);
	name_list_fini(&loaded);
	name_list_fini(&installed);
	name_list_fini(&built_in);
	return state;
}
