/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/file_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/text.h"

#define MAX_LEVELS	32		/* folders above a file that are considered */

const char *file_names_tail(const char *path, unsigned int level)
{
	const char *at = path + strlen(path);

	for (;;) {
		while (at > path && at[-1] != '/')
			at--;
		if (!level--)
			return at;
		while (at > path && at[-1] == '/')
			at--;
		if (at == path)
			return NULL;
	}
}

/*
 * Append one component, or with @whole the path from there on.  A path with too few components has
 * its base name, or the whole path.
 */
static void add_name(struct text *out, const char *path, unsigned int level, bool whole)
{
	const char *from = file_names_tail(path, level);

	if (!from)
		from = whole ? path : file_names_tail(path, 0);
	text_clear(out);
	text_printable(out, from, whole ? strlen(from) : strcspn(from, "/"));
}

static bool all_differ(char **names, unsigned int nr)
{
	for (unsigned int i = 1; i < nr; i++)
		for (unsigned int j = 0; j < i; j++)
			if (!strcmp(names[i], names[j]))
				return false;
	return true;
}

char **file_names_new(const char *const *paths, unsigned int nr)
{
	char **names = mem_array(nr ? nr : 1, sizeof(*names));
	struct text t = { 0 };

	for (unsigned int attempt = 0; attempt < 2 * MAX_LEVELS; attempt++) {
		for (unsigned int i = 0; i < nr; i++) {
			free(names[i]);
			add_name(&t, paths[i], attempt % MAX_LEVELS, attempt >= MAX_LEVELS);
			names[i] = mem_strdup(text_str(&t));
		}
		if (all_differ(names, nr))
			break;
	}
	text_fini(&t);
	return names;
}

void file_names_free(char **names, unsigned int nr)
{
	for (unsigned int i = 0; names && i < nr; i++)
		free(names[i]);
	free(names);
}
