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

int counts_parse(struct trace *trace, const char *words, struct arena *arena,
		 struct counts_options *options, struct ft_error *err)
{
	const char **list = NULL;
	unsigned int most = 0;
	const char *what = "";
	size_t len;

	*options = (struct counts_options){ 0 };
	for (words += strspn(words, " "); *words; words += len, words += strspn(words, " ")) {
		len = strcspn(words, " ");
		if (len == 2 && !strncmp(words, "by", len)) {
			list = options->keys;
			most = COUNTS_MOST_KEYS;
			what = "by";
		} else if (len == 3 && !strncmp(words, "sum", len)) {
			list = options->sums;
			most = COUNTS_MOST_SUMS;
			what = "sum";
		} else if (list) {
			if (counts_add_names(what, words, len, arena, list, most, err))
				return -1;
		} else if (options->event) {
			return ft_error_set(err, FT_E_USAGE, -1,
					    "one event: [EVENT] [by FIELD,…] [sum FIELD,…]");
		} else {
			options->event = arena_strndup(arena, words, len);
		}
	}
	if (!options->event && !options->keys[0] && !options->sums[0])
		*options = counts_of_tracer(trace);
	else if (!options->keys[0])
		options->keys[0] = "event";
	return 0;
}
