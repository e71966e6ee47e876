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
/* triggers that use each other's variables can only be removed one after the other */
#define CLEAR_TRIES	3

/*
 * Remove all triggers of an event.  A histogram that another trigger uses can only be removed after
 * that one.
 */
static void clear_triggers(const struct tracefs_dir *instance, const char *system,
			   const char *event)
{
	struct name_list lines;
	const char *file = TRACEFS_TEXT("events/%s/%s/trigger", system, event);
	struct text t = { 0 };

	tracefs_dir_read_lines(instance, file, &lines, NULL);
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

		tracefs_dir_folders(instance, TRACEFS_TEXT("events/%s", systems.names[i]), &events,
				    NULL);
		for (size_t k = 0; k < events.nr; k++)
			clear_triggers(instance, systems.names[i], events.names[k]);
		name_list_fini(&events);
	}
	name_list_fini(&systems);
}

static int set_busy_error(const struct tracefs_dir *root, const char *path, struct ft_error *err)
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
	return -1;
}

int removal_of_instance(const struct tracefs_dir *root, const char *name, enum removal_proof proof,
			struct ft_error *err)
{
	const char *path = TRACEFS_TEXT("instances/%s", name);

	for (int i = 0; i < REMOVE_TRIES; i++) {
		struct tracefs_dir instance;

		if (!tracefs_dir_remove_instance(root, name))
			return 0;
		if (errno != EBUSY)
			break;
		if (proof == REMOVAL_OURS && i < CLEAR_TRIES &&
		    !tracefs_dir_open_below(&instance, root, path, NULL)) {
			clear_all_triggers(&instance);
			tracefs_dir_close(&instance);
		}
		nanosleep(&(struct timespec){ .tv_nsec = REMOVE_PAUSE_NS }, NULL);
	}
	if (errno == EBUSY)
		return set_busy_error(root, path, err);
	return tracefs_dir_refused(err, errno, "%s/%s: removing", root->path, path);
}
