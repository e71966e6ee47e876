/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/offset_option.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/file_names.h"
#include "src/base/memory.h"
#include "src/base/text.h"
#include "src/trace/time_option.h"

static bool is_name(const char *name, size_t len, const char *of)
{
	return strlen(of) == len && !strncmp(name, of, len);
}

static int refuse(const char *word, size_t len, char **names, unsigned int nr, bool several,
		  struct ft_error *err)
{
	struct text list = { 0 };

	for (unsigned int i = 0; i < nr; i++)
		text_printf(&list, "%s%s", i ? ", " : "", names[i]);
	ft_error_set(err, FT_E_USAGE, -1,
		     several ? "offset %s: %.*s is the name of several files: %s" :
			       "offset %s: no file is named %.*s; the files are: %s",
		     word, (int)len, word, text_str(&list));
	text_fini(&list);
	return -1;
}

/* Find a file by its path, its name on the screen, or its base name.  -1: not exactly one. */
static int find_file(const char *word, size_t len, const char *const *paths, unsigned int nr,
		     struct ft_error *err)
{
	char **names = file_names_new(paths, nr);
	int found = -1, nr_found = 0;

	for (unsigned int i = 0; i < nr; i++)
		if (is_name(word, len, paths[i]) || is_name(word, len, names[i])) {
			found = (int)i;
			nr_found = 1;
			break;
		} else if (is_name(word, len, file_names_base(paths[i]))) {
			found = (int)i;
			nr_found++;
		}
	if (nr_found != 1)
		found = refuse(word, len, names, nr, nr_found > 1, err);
	file_names_free(names, nr);
	return found;
}

int offset_option_set(const char *word, const char *const *paths, unsigned int nr,
		      struct trace_offset *offsets, struct ft_error *err)
{
	const char *equals = strrchr(word, '=');
	int file = 0;

	if (!equals && nr != 1)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "offset %s: there are several files: name one with FILE=%s",
				    word, word);
	if (equals)
		file = find_file(word, (size_t)(equals - word), paths, nr, err);
	return file < 0 ? -1 : time_option_offset(equals ? equals + 1 : word, &offsets[file], err);
}

int offset_option_find(const struct option_list *list, const char *const *paths, unsigned int nr,
		       struct trace_offset **offsets, struct ft_error *err)
{
	*offsets = NULL;
	for (unsigned int i = 0; i < list->nr; i++) {
		if (list->values[i].id != OFFSET_OPTION_ID)
			continue;
		if (!*offsets)
			*offsets = mem_array(nr, sizeof(**offsets));
		if (offset_option_set(list->values[i].value, paths, nr, *offsets, err)) {
			free(*offsets);
			*offsets = NULL;
			return -1;
		}
	}
	return 0;
}
