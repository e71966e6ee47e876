/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/lines/line_known.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/lines/text_slice.h"
#include "src/base/memory.h"
#include "src/events/known_events.h"

/* Kinds of the fields with these names, whatever their first lines have. */
static const struct {
	enum line_kind	 kind;
	const char	*names;
} named[] = {
	{ LINE_COMM, "*comm" },
	{ LINE_INT, "*pid *prio *_cpu cpu cpu_id vec irq vector" },
	{ LINE_SYMBOL, "function call_site" },
};

/* --- looking it up -------------------------------------------------------------------------- */

struct line_formats {
	struct line_known *known;	/* owned, [nr]; their strings are in the arena */
	unsigned int	 nr, cap;
	struct arena	 arena;
};

struct line_formats *line_formats_new(void)
{
	return mem_alloc(sizeof(struct line_formats));
}

void line_formats_free(struct line_formats *formats)
{
	if (!formats)
		return;
	free(formats->known);
	arena_fini(&formats->arena);
	free(formats);
}

void line_formats_add(struct line_formats *formats, const char *system, const char *name,
		      const char *pattern)
{
	struct arena *arena = &formats->arena;

	mem_grow(&formats->known, formats->nr, &formats->cap);
	formats->known[formats->nr++] = (struct line_known){
		.name = arena_strndup(arena, name, strlen(name)),
		.system = arena_strndup(arena, system, strlen(system)),
		.pattern = arena_strndup(arena, pattern, strlen(pattern)),
	};
}

bool line_known_next(const struct line_formats *formats, struct text_slice name, unsigned int *at,
		     struct line_known *next)
{
	const unsigned int nr = formats ? formats->nr : 0;
	const struct known_line *line;
	unsigned int i;

	while (*at < nr) {
		*next = formats->known[(*at)++];
		if (slice_is(name, next->name))
			return true;
	}
	for (i = *at - nr; (line = known_events_next(KNOWN_PATTERN, &i));)
		if (known_events_lists(line->names, name.s, name.len, NULL)) {
			*at = i + nr;
			*next = (struct line_known){ .pattern = line->text };
			return true;
		}
	return false;
}

bool line_known_kind(struct text_slice name, enum line_kind *kind)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (slice_listed(name, named[i].names)) {
			*kind = named[i].kind;
			return true;
		}
	return false;
}

const char *line_known_system(struct text_slice name)
{
	return known_events_system(name.s, name.len) ?: "text";
}
