/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_recover - makes a valid trace.dat from an interrupted recording. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/commands/record_commands.h"
#include "recorder/output/output.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/memory.h"
#include "src/base/text.h"
#include "src/sandbox/confine.h"

enum { OPT_OUTPUT };

const struct command_def cmd_recover_def = {
	.name = "recover",
	.operands = "FILE.part",
	.summary = "repair the file of an interrupted recording",
	.details = "Works in place, without a copy. If it is interrupted, run it again.",
	.min_operands = 1,
	.max_operands = 1,
	.options = (const struct option_def[]){
		{ "output", 'o', "FILE", OPT_OUTPUT,
		  "name of the repaired trace (default: without .part)" },
		OPTION_END,
	},
};

/* The layout in the file may be hostile.  To move the file to another folder is allowed, too. */
static int shut_in(const char *part, const char *path, struct ft_error *err)
{
	struct text folders[2] = { 0 };
	const char *names[2];
	struct invoker who;
	int ret;

	confine_close_inherited();
	ret = invoker_find(&who, NULL, err);
	if (!ret)
		ret = invoker_become(&who, err);
	invoker_fini(&who);
	for (int i = 0; i < 2; i++) {
		const char *file = i ? path : part, *slash = strrchr(file, '/');

		if (slash)
			text_bytes(&folders[i], file, (size_t)(slash - file) + 1);
		else
			text_add(&folders[i], ".");
		names[i] = text_str(&folders[i]);
	}
	if (!ret)
		confine_to_folders(names, 2);
	text_fini(&folders[0]);
	text_fini(&folders[1]);
	return ret;
}

int cmd_recover(const struct option_list *list, struct ft_error *err)
{
	const char *part = list->operands[0];
	const char *name = list->nr ? list->values[list->nr - 1].value : NULL;
	size_t len = strlen(part);
	uint64_t bytes = 0;
	char *path;
	int ret = -1;

	if (!name && (len <= 5 || strcmp(part + len - 5, ".part")))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "%s: does not end in .part; name the repaired trace with -o",
				    part);
	path = name ? mem_strdup(name) : mem_strndup(part, len - 5);
	if (shut_in(part, path, err))
		ret = -1;
	else if (access(part, F_OK))
		ft_error_errno(err, errno, -1, "%s", part);
	else if (!access(path, F_OK))
		ft_error_set(err, FT_E_IO, -1, "%s exists already; name another file with -o",
			     path);
	else
		ret = output_recover(part, path, &bytes, err);
	if (!ret)
		printf("%s: recovered, %llu bytes of events\n", path, (unsigned long long)bytes);
	free(path);
	return ret;
}
