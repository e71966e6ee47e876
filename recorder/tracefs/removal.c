/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/removal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/tracefs/refusal.h"

#define REMOVE_TRIES	20
#define REMOVE_PAUSE_NS	50000000
#define CLEAR_TRIES	3		/* triggers that use each other's variables can only be
					 * removed one after the other */

/*
 * Remove all triggers of an event.  A histogram that another trigger uses can only be removed after
 * that one.
 */
static void clear_triggers(const struct tracefs_dir *instance, const char *system, const char *event)
{
	struct name_list lines = { 0 };
	struct text t = { 0 };
	char file[512];

	snprintf(file, sizeof(file), "events/%s/%s/trigger", system, event);
	if (!tracefs_dir_read(instance, file, &t, NULL))
		name_list_lines(&lines, text_str(&t));
	for (size_t i = lines.nr; i-- > 0;) {
		char *active = strstr(lines.names[i], " [active]");

		if (active)
			*active = '\0';
		text_clear(&t);
		text_printf(&t, "!%s", lines.names[i]);
		tracefs_dir_write(instance, file, text_str(&t), TRACEFS_DIR_APPEND, NULL);
	}
	name_list_fini(&lines);
	text_fini(&t);
}

static void clear_all_triggers(const struct tracefs_dir *instance)
{
	struct name_list systems = { 0 };

	tracefs_dir_folders(instance, "events", &systems, NULL);
	for (size_t i = 0; i < systems.nr; i++) {
		struct name_list events = { 0 };
		char folder[256];

		snprintf(folder, sizeof(folder), "events/%s", systems.names[i]);
		tracefs_dir_folders(instance, folder, &events, NULL);
		for (size_t k = 0; k < events.nr; k++)
			clear_triggers(instance, systems.names[i], events.names[k]);
		name_list_fini(&events);
	}
	name_list_fini(&systems);
}

static void set_busy_error(const struct tracefs_dir *root, const char *path, struct ft_error *err)
{
	struct text holders = { 0 };
	struct tracefs_dir instance;

	if (!tracefs_dir_open_below(&instance, root, path, NULL))
		refusal_holders(&instance, "/proc", &holders);
	tracefs_dir_close(&instance);
	ft_error_set(err, FT_E_IO, -1, "%s/%s: removing: EBUSY: in use by %s", root->path, path,
		     holders.len ? text_str(&holders) : "an unknown process");
	text_fini(&holders);
	errno = EBUSY;
}

int removal_of_instance(const struct tracefs_dir *root, const char *name, enum removal_proof proof, struct ft_error *err)
{
	char path[NAME_MAX + 16];
	int errnum;

	snprintf(path, sizeof(path), "instances/%s", name);
	for (int i = 0; i < REMOVE_TRIES; i++) {
		struct tracefs_dir instance;

		if (!tracefs_dir_remove_instance(root, name))
			return 0;
		if (errno != EBUSY)
			break;
		if (proof == REMOVAL_OURS && i < CLEAR_TRIES && !tracefs_dir_open_below(&instance, root, path, NULL)) {
			clear_all_triggers(&instance);
			tracefs_dir_close(&instance);
		}
		nanosleep(&(struct timespec){ .tv_nsec = REMOVE_PAUSE_NS }, NULL);
	}
	errnum = errno;
	if (errnum == EBUSY) {
		set_busy_error(root, path, err);
		return -1;
	}
	ft_error_set(err, FT_E_IO, -1, "%s/%s: removing: %s (%s)", root->path, path, tracefs_dir_errno(errnum),
		     strerror(errnum));
	errno = errnum;
	return -1;
}
