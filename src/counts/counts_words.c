/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counts_words - what to count, in the user's words. */
#include <string.h>

#include "src/counts/counts.h"

static bool is_named(const char *const *list, const char *name, size_t len)
{
	for (unsigned int i = 0; i < COUNTS_FIELDS && list[i]; i++)
		if (!strncmp(list[i], name, len) && !list[i][len])
			return true;
	return false;
}

int counts_add_names(struct counts_options *o, bool sums, const char *what, const char *names,
		     size_t len, struct arena *arena, struct ft_error *err)
{
	const char **list = sums ? o->sums : o->keys, *end = names + len;
	unsigned int nr = 0;
	size_t cells;

	while (nr < COUNTS_FIELDS && list[nr])
		nr++;
	for (; names < end; names += cells + 1) {
		cells = strcspn(names, ", ");
		if (cells > (size_t)(end - names))
			cells = (size_t)(end - names);
		if (!cells)
			continue;
		if (nr == COUNTS_FIELDS)
			return ft_error_set(err, FT_E_USAGE, -1, "%s: at most %u fields", what,
					    COUNTS_FIELDS);
		if (is_named(o->keys, names, cells) || is_named(o->sums, names, cells))
			return ft_error_set(err, FT_E_USAGE, -1, "%.*s is named twice", (int)cells,
					    names);
		list[nr++] = arena_strndup(arena, names, cells);
	}
	return nr ? 0 : ft_error_set(err, FT_E_USAGE, -1, "%s: no field is named", what);
}

int counts_parse(const char *words, struct arena *arena, struct counts_options *options,
		 struct ft_error *err)
{
	const char *what = NULL;
	bool is_sum = false;
	size_t len;

	*options = (struct counts_options){ 0 };
	for (words += strspn(words, " "); *words; words += len, words += strspn(words, " ")) {
		bool is_by;

		len = strcspn(words, " ");
		is_by = len == 2 && !strncmp(words, "by", len);
		if (is_by || (len == 3 && !strncmp(words, "sum", len))) {
			is_sum = !is_by;
			what = is_by ? "by" : "sum";
			if (!words[len + strspn(words + len, " ")])
				return ft_error_set(err, FT_E_USAGE, -1, "%s: no field is named",
						    what);
		} else if (what) {
			if (counts_add_names(options, is_sum, what, words, len, arena, err))
				return -1;
		} else if (options->event) {
			return ft_error_set(
				err, FT_E_USAGE, -1,
				"only one event is allowed: [EVENT] [by FIELD,…] [sum FIELD,…]");
		} else {
			options->event = arena_strndup(arena, words, len);
		}
	}
	options->keys[0] = options->keys[0] ?: "event";
	return 0;
}
