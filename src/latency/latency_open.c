/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_open.h"

#include <stdlib.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"

#define MOST_OPEN	(1u << 20)	/* 100 MB; further starts are not kept */
#define MOST_WITHIN	(1u << 16)	/* starts of a rule with ranges: an end may look at all */
#define CHAINS		(1u << 14)

void latency_open_fini(struct latency_open *open)
{
	free(open->starts);
	free(open->chains);
	*open = (struct latency_open){ .rule = open->rule };
}

void latency_open_copy(struct latency_open *to, const struct latency_open *from)
{
	*to = *from;
	to->starts = mem_copy(from->starts, from->cap, sizeof(*to->starts));
	to->chains = mem_copy(from->chains, from->chains ? CHAINS : 0, sizeof(*to->chains));
}

/* What refers to the start that this key replaces or ends: 0 there if there is none. */
static inline uint32_t *find(struct latency_open *open, uint64_t key, uint64_t scope)
{
	bool alone = open->rule->alone;
	uint32_t *link;

	if (!open->chains)
		open->chains = mem_array(CHAINS, sizeof(*open->chains));
	link = &open->chains[index_map_mix(alone ? 0 : key, scope) % CHAINS];
	while (*link) {
		struct latency_start *s = &open->starts[*link - 1];

		if (s->scope == scope && (alone || s->key == key))
			break;
		link = &s->next;
	}
	return link;
}

struct latency_start *latency_open_start(struct latency_open *open, uint64_t key, uint64_t scope)
{
	struct latency_start *start;
	uint32_t *link, place;

	mem_grow(&open->starts, open->nr, &open->cap);
	link = find(open, key, scope);
	if (*link && open->rule->first)
		return NULL;
	if (*link && !open->rule->nested) {
		start = &open->starts[*link - 1];
		start->key = key;
		open->replaced++;
		return start;
	}
	place = open->free ? open->free : open->nr + 1;
	if (place > (open->rule->within ? MOST_WITHIN : MOST_OPEN))
		return NULL;
	start = &open->starts[place - 1];
	if (open->free)
		open->free = start->next;
	else
		open->nr++;
	start->key = key;
	start->scope = scope;
	start->next = *link;
	start->is_open = true;
	*link = place;
	return start;
}

/* Take a start out of its chain. */
static const struct latency_start *take(struct latency_open *open, uint32_t *link)
{
	uint32_t place = *link;
	struct latency_start *start = &open->starts[place - 1];

	*link = start->next;
	start->next = open->free;
	start->is_open = false;
	open->free = place;
	return start;
}

const struct latency_start *latency_open_end(struct latency_open *open, uint64_t key, uint64_t nr,
					     uint64_t scope, uint64_t *i)
{
	/* look for each key, or at each start: whichever are fewer */
	bool by_key = nr <= open->nr;
	const struct latency_start *start;

	while (*i < (by_key ? nr : open->nr)) {
		const struct latency_start *s = &open->starts[*i];
		uint64_t wanted = by_key ? key + *i : s->key;
		uint32_t *link;

		(*i)++;
		if (!by_key && (!s->is_open || s->scope != scope || s->key - key >= nr))
			continue;
		link = find(open, wanted, scope);
		if (!*link)
			continue;
		start = take(open, link);
		if (start->key == wanted)
			return start;
	}
	return NULL;
}

void latency_open_drop(struct latency_open *open, uint64_t key, uint64_t scope)
{
	uint32_t *link = find(open, key, scope);

	if (*link)
		take(open, link);
}
