/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/name_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"

struct name_table {
	pthread_mutex_t	 lock;
	struct arena	 arena;
	const char	**texts;	/* owned, strings in the arena; [0] unused */
	uint32_t	 nr, cap;
	struct index_map map;		/* finds a text's number, except [0] */
};

struct name_table *name_table_new(void)
{
	struct name_table *names = mem_alloc(sizeof(*names));

	pthread_mutex_init(&names->lock, NULL);
	mem_grow(&names->texts, 0, &names->cap);
	names->texts[0] = "";
	names->nr = 1;
	return names;
}

void name_table_free(struct name_table *names)
{
	if (!names)
		return;
	arena_fini(&names->arena);
	free(names->texts);
	index_map_fini(&names->map);
	pthread_mutex_destroy(&names->lock);
	free(names);
}

static uint32_t find_or_add(struct name_table *names, const char *s, size_t len)
{
	uint32_t hash = index_map_hash_bytes(s, len);

	index_map_each (&names->map, hash, i)
		if (!strncmp(names->texts[i], s, len) && !names->texts[i][len])
			return i;
	mem_grow(&names->texts, names->nr, &names->cap);
	names->texts[names->nr] = arena_strndup(&names->arena, s, len);
	index_map_add(&names->map, hash, names->nr);
	return names->nr++;
}

uint32_t name_table_add(struct name_table *names, const char *s, size_t len)
{
	uint32_t name;

	pthread_mutex_lock(&names->lock);
	name = find_or_add(names, s, strnlen(s, len));
	pthread_mutex_unlock(&names->lock);
	return name;
}

const char *name_table_text(struct name_table *names, uint32_t name)
{
	const char *text;

	pthread_mutex_lock(&names->lock);
	text = name < names->nr ? names->texts[name] : "";
	pthread_mutex_unlock(&names->lock);
	return text;
}
