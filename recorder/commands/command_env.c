/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/commands/command_env.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder/tracefs/tracefs_dir.h"

int command_env_tracefs(const char *command, struct text *path, struct ft_error *err)
{
	struct ft_error mount;
	int ret = tracefs_dir_find(NULL, path, &mount);

	/*
	 * mount options of tracefs may allow a group to use it, so check access to the files and
	 * not the user
	 */
	if (geteuid() && (ret || access(text_str(path), R_OK | W_OK | X_OK)))
		return ft_error_set(err, FT_E_IO, -1, "%s needs root: sudo ftop-trace %s ...",
				    strcmp(command, "record") ? command : "recording", command);
	if (ret)
		*err = mount;
	return ret;
}

/* They may contain names from others: make them printable for the terminal. */
void command_env_tell(struct status_stream *status, const struct text *lines)
{
	for (const char *p = text_str(lines); *p;
	     p += strcspn(p, "\n") + (p[strcspn(p, "\n")] != '\0')) {
		struct text shown = { 0 };

		text_printable(&shown, p, strcspn(p, "\n"));
		fprintf(stderr, "ftop-trace: %s\n", text_str(&shown));
		status_stream_say(status, "note", "text", text_str(&shown));
		text_fini(&shown);
	}
}
