/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counts_words - what to count, in the user's words. */
#include <string.h>

#include "src/counts/counts.h"

static bool is_named(const char *const *list, const char *name)
{
	for (unsigned int i = 0; i < COUNTS_FIELDS && list[i]; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

int counts_add_names(struct counts_options *o, bool sums, const char *what, const char *names,
		     struct arena *arena, struct ft_error *err)
{
	char *rest = arena_strndup(arena, names, strlen(names)), *name;
	const char **list = sums ? o->sums : o->keys;
	unsigned int nr = 0;

	while (nr < COUNTS_FIELDS && list[nr])
		nr++;
	while ((name = strsep(&rest, ", "))) {
		if (!*name)
			continue;
		if (nr == COUNTS_FIELDS)
			return ft_error_set(err, FT_E_USAGE, -1, "%s: at most %u fields", what,
					    COUNTS_FIELDS);
		if (is_named(o->keys, name) || is_named(o->sums, name))
			return ft_error_set(err, FT_E_USAGE, -1, "%s is named twice", name);
		list[nr++] = name;
	}
	return nr ? 0 : ft_error_set(err, FT_E_USAGE, -1, "%s: no field is named", what);
}

int counts_parse(const char *words, struct arena *arena, struct counts_options *options,
		 struct ft_error *err)
{
	char *rest = arena_strndup(arena, words, strlen(words)), *word;
	const char *what = NULL, *empty = NULL;

	*options = (struct counts_options){ 0 };
	while ((word = strsep(&rest, " "))) {
		if (!strcmp(word, "by") || !strcmp(word, "sum")) {
			what = empty = word;
		} else if (*word && what) {
			if (counts_add_names(options, *what == 's', what, word, arena, err))
				return -1;
			empty = NULL;
		} else if (*word && options->event) {
			return ft_error_set(
				err, FT_E_USAGE, -1,
				"only one event is allowed: [EVENT] [by FIELD,…] [sum FIELD,…]");
		} else if (*word) {
			options->event = word;
		}
	}
	if (empty)
		return ft_error_set(err, FT_E_USAGE, -1, "%s: no field is named", empty);
	options->keys[0] = options->keys[0] ?: "event";
	return 0;
}
