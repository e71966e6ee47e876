/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counts_words - what to count, in the user's words. */
#include <string.h>

#include "src/counts/counts.h"

int counts_add_names(const char *what, const char *names, size_t len, struct arena *arena,
		     const char **list, unsigned int most, struct ft_error *err)
{
	const char *end = names + len;
	unsigned int nr = 0;
	size_t cells;

	while (nr < most && list[nr])
		nr++;
	for (; names < end; names += cells + 1) {
		cells = strcspn(names, ", ");
		if (cells > (size_t)(end - names))
			cells = (size_t)(end - names);
		if (!cells)
			continue;
		if (nr == most)
			return ft_error_set(err, FT_E_USAGE, -1, "%s: at most %u fields", what,
					    most);
		list[nr++] = arena_strndup(arena, names, cells);
	}
	return nr ? 0 : ft_error_set(err, FT_E_USAGE, -1, "%s: no field is named", what);
}

int counts_complete(struct counts_options *o, struct ft_error *err)
{
	const char *names[COUNTS_MOST_KEYS + COUNTS_MOST_SUMS];
	unsigned int nr = 0;

	if (!o->keys[0])
		o->keys[0] = "event";
	for (unsigned int i = 0; i < COUNTS_MOST_KEYS && o->keys[i]; i++)
		names[nr++] = o->keys[i];
	for (unsigned int i = 0; i < COUNTS_MOST_SUMS && o->sums[i]; i++)
		names[nr++] = o->sums[i];
	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int k = 0; k < i; k++)
			if (!strcmp(names[i], names[k]))
				return ft_error_set(err, FT_E_USAGE, -1, "%s is named twice",
						    names[i]);
	return 0;
}

int counts_parse(const char *words, struct arena *arena, struct counts_options *options,
		 struct ft_error *err)
{
	const char **list = NULL, *what = "";
	unsigned int most = 0;
	size_t len;

	*options = (struct counts_options){ 0 };
	for (words += strspn(words, " "); *words; words += len, words += strspn(words, " ")) {
		bool is_by, is_sum;

		len = strcspn(words, " ");
		is_by = len == 2 && !strncmp(words, "by", len);
		is_sum = len == 3 && !strncmp(words, "sum", len);
		if (is_by || is_sum) {
			list = is_by ? options->keys : options->sums;
			most = is_by ? COUNTS_MOST_KEYS : COUNTS_MOST_SUMS;
			what = is_by ? "by" : "sum";
			if (!words[len + strspn(words + len, " ")])
				return ft_error_set(err, FT_E_USAGE, -1, "%s: no field is named",
						    what);
		} else if (list) {
			if (counts_add_names(what, words, len, arena, list, most, err))
				return -1;
		} else if (options->event) {
			return ft_error_set(
				err, FT_E_USAGE, -1,
				"only one event is allowed: [EVENT] [by FIELD,…] [sum FIELD,…]");
		} else {
			options->event = arena_strndup(arena, words, len);
		}
	}
	return counts_complete(options, err);
}
