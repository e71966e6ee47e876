/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_names.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

struct sched_names {
	pthread_mutex_t	 lock;
	struct arena	 arena;
	const char	**texts;	/* owned, strings in the arena; [0] unused */
	uint32_t	 nr, cap;
	uint32_t	*slots;		/* owned, [nr_slots]: numbers; 0 = free */
	uint32_t	 nr_slots;	/* a power of two, at least twice nr */
};

struct sched_names *sched_names_new(void)
{
	struct sched_names *names = mem_alloc(sizeof(*names));

	pthread_mutex_init(&names->lock, NULL);
	mem_grow(&names->texts, 0, &names->cap);
	names->texts[0] = "";
	names->nr = 1;
	names->nr_slots = 64;
	names->slots = mem_array(names->nr_slots, sizeof(*names->slots));
	return names;
}

void sched_names_free(struct sched_names *names)
{
	if (!names)
		return;
	arena_fini(&names->arena);
	free(names->texts);
	free(names->slots);
	pthread_mutex_destroy(&names->lock);
	free(names);
}

static uint32_t hash(const char *s, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)s[i]) * 16777619u;
	return h ^ h >> 15;
}

/* The slot of a name, or the free one where it belongs. */
static uint32_t *find(const struct sched_names *names, const char *s, size_t len)
{
	uint32_t i = hash(s, len);

	for (;; i++) {
		uint32_t *slot = &names->slots[i & (names->nr_slots - 1)];
		const char *text = names->texts[*slot];

		if (!*slot || (!strncmp(text, s, len) && !text[len]))
			return slot;
	}
}

static void grow_slots(struct sched_names *names)
{
	free(names->slots);
	names->nr_slots *= 2;
	names->slots = mem_array(names->nr_slots, sizeof(*names->slots));
	for (uint32_t i = 1; i < names->nr; i++)
		*find(names, names->texts[i], strlen(names->texts[i])) = i;
}

uint32_t sched_names_add(struct sched_names *names, const char *s, size_t len)
{
	uint32_t *slot, name;

	len = strnlen(s, len);
	pthread_mutex_lock(&names->lock);
	slot = find(names, s, len);
	name = *slot;
	if (!name) {
		mem_grow(&names->texts, names->nr, &names->cap);
		names->texts[names->nr] = arena_strndup(&names->arena, s, len);
		*slot = name = names->nr++;
		if (names->nr * 2 > names->nr_slots)
			grow_slots(names);
	}
	pthread_mutex_unlock(&names->lock);
	return name;
}

const char *sched_names_text(struct sched_names *names, uint32_t name)
{
	const char *text;

	pthread_mutex_lock(&names->lock);
	text = name < names->nr ? names->texts[name] : "";
	pthread_mutex_unlock(&names->lock);
	return text;
}
