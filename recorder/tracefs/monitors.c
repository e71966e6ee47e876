/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/monitors.h"

#include <string.h>

int monitors_read(const struct tracefs_dir *root, struct name_list *available, struct ft_error *err)
{
	return tracefs_dir_read_words(root, MONITORS_AVAILABLE, available, err);
}

const char *monitors_own_name(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

static bool is_in(const char *name, const char *container)
{
	size_t len = strlen(container);

	return !strncmp(name, container, len) && name[len] == ':';
}

/* Does it only stand for others? */
static bool is_container(const struct name_list *available, const char *name)
{
	for (size_t i = 0; i < available->nr; i++)
		if (is_in(available->names[i], name))
			return true;
	return false;
}

bool monitors_find(const struct name_list *available, const char *name, struct name_list *found)
{
	bool stands = is_container(available, name), any = false;

	for (size_t i = 0; i < available->nr; i++) {
		const char *one = available->names[i];

		if (stands ? !is_in(one, name) :
			     strcmp(one, name) && strcmp(monitors_own_name(one), name))
			continue;
		any = true;
		if (!name_list_has(found, one))
			name_list_add(found, one);
	}
	return any;
}

bool monitors_has_event(const char *name, const char *event)
{
	static const char *const kinds[] = { "event_", "error_", "error_env_" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(event, kinds[i], strlen(kinds[i])) &&
		    !strcmp(event + strlen(kinds[i]), monitors_own_name(name)))
			return true;
	return false;
}

const char *monitors_file(char path[static TRACEFS_TEXT_BYTES], const char *name, const char *file)
{
	const char *own = monitors_own_name(name);

	return tracefs_dir_text(path, "rv/monitors/%.*s%s%s/%s",
				own == name ? 0 : (int)(own - name - 1), name,
				own == name ? "" : "/", own, file);
}

bool monitors_is_enabled(const struct tracefs_dir *root, const char *name)
{
	long long on = 0;

	return !tracefs_dir_read_number(root, MONITORS_FILE(name, "enable"), &on, NULL) && on;
}
