/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/system_counts.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/base/memory.h"

static int most_first(const void *a, const void *b)
{
	const struct system_count *x = a, *y = b;

	if (x->events != y->events)
		return x->events > y->events ? -1 : 1;
	return strcmp(x->system, y->system);
}

unsigned int system_counts_get(struct trace *trace, struct system_count **list)
{
	struct trace_type_count *types;
	unsigned int nr_types = trace_type_counts(trace, &types), nr = 0, cap = 0;

	*list = NULL;
	for (unsigned int i = 0; i < nr_types; i++) {
		const char *system = types[i].type ? types[i].type->system : "";
		unsigned int at = 0;

		while (at < nr && strcmp((*list)[at].system, system))
			at++;
		if (at == nr) {
			mem_grow(list, nr, &cap);
			(*list)[nr++] = (struct system_count){ .system = system };
		}
		(*list)[at].events += types[i].events;
	}
	free(types);
	if (nr)
		qsort(*list, nr, sizeof(**list), most_first);
	return nr;
}
