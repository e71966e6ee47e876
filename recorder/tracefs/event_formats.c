/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/event_formats.h"

#include "recorder/tracefs/tracefs_dir.h"

/* An event may go while its system is read. */
static void read_system(const struct tracefs_dir *dir, const char *system,
			void (*add)(const char *system, const char *text, size_t len))
{
	struct name_list events = { 0 };
	struct text format = { 0 };

	tracefs_dir_folders(dir, TRACEFS_TEXT("events/%s", system), &events, NULL);
	for (size_t i = 0; i < events.nr; i++)
		if (!tracefs_dir_read(dir,
				      TRACEFS_TEXT("events/%s/%s/format", system, events.names[i]),
				      &format, NULL))
			add(system, text_str(&format), format.len);
	name_list_fini(&events);
	text_fini(&format);
}

int event_formats_read(void (*add)(const char *system, const char *text, size_t len),
		       struct ft_error *err)
{
	struct tracefs_dir dir = { 0 };
	struct name_list systems = { 0 };
	int ret = tracefs_dir_open(&dir, NULL, err);

	if (!ret)
		ret = tracefs_dir_folders(&dir, "events", &systems, err);
	for (size_t i = 0; i < systems.nr; i++)
		read_system(&dir, systems.names[i], add);
	name_list_fini(&systems);
	tracefs_dir_close(&dir);
	return ret;
}
