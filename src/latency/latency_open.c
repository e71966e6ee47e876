/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_open.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/latency/latency_ranges.h"

#define MOST_OPEN	(1u << 20)	/* 100 MB; further starts are not kept */

void latency_open_fini(struct latency_open *open)
{
	free(open->starts);
	free(open->chains);
	free(open->pieces);
	*open = (struct latency_open){ .rule = open->rule, .names = open->names };
}

void latency_open_copy(struct latency_open *to, const struct latency_open *from)
{
	*to = *from;
	to->starts = mem_copy(from->starts, from->cap, sizeof(*to->starts));
	to->chains = mem_copy(from->chains, from->chains ? LATENCY_CHAINS : 0, sizeof(*to->chains));
	to->pieces = mem_copy(from->pieces, from->cap_pieces, sizeof(*to->pieces));
}

/* What refers to the start that this key replaces or ends: 0 there if there is none. */
static inline uint32_t *find(struct latency_open *open, uint64_t key, uint64_t scope)
{
	bool alone = open->rule->alone;
	uint32_t *link = latency_open_chain(open, alone ? 0 : key, scope);

	while (*link) {
		struct latency_start *s = &open->starts[*link - 1];

		if (s->scope == scope && (alone || s->key == key))
			break;
		link = &s->next;
	}
	return link;
}

uint32_t latency_open_add(struct latency_open *open, const struct latency_at *at)
{
	uint32_t place = open->free ? open->free : open->nr + 1;
	struct latency_start *start;

	if (place > MOST_OPEN) {
		open->replaced++;
		return 0;
	}
	if (open->free) {
		open->free = open->starts[place - 1].next;
	} else {
		mem_grow(&open->starts, open->nr, &open->cap);
		open->nr++;
	}
	start = &open->starts[place - 1];
	memset(start, 0, offsetof(struct latency_start, begun));
	start->key = at->key;
	start->scope = at->scope;
	start->length = start->left = at->length;
	start->ts = at->ts;
	start->label = at->label;
	start->is_open = true;
	return place;
}

void latency_open_give_back(struct latency_open *open, uint32_t place)
{
	struct latency_start *start = &open->starts[place - 1];

	start->next = open->free;
	start->is_open = false;
	open->free = place;
}

struct latency_start *latency_open_start(struct latency_open *open, const struct latency_at *at)
{
	struct latency_start *start;
	uint32_t *link, place;

	if (open->rule->queue)
		return latency_ranges_start(open, at);
	link = find(open, at->key, at->scope);
	if (*link && open->rule->first) {
		if (open->rule->label) /* of locks that are not known, one may be within another */
			open->starts[*link - 1].is_mixed |=
				latency_rule_hides(open->rule->label, strlen(open->rule->label),
						   at->key);
		return NULL;
	}
	if (*link && !open->rule->nested) {
		start = &open->starts[*link - 1];
		start->key = at->key;
		start->switched = false;
		open->replaced++;
		return start;
	}
	place = latency_open_add(open, at);
	if (!place)
		return NULL;
	start = &open->starts[place - 1];
	start->next = *link;
	*link = place;
	return start;
}

/* Take a start out of its chain. */
static const struct latency_start *take(struct latency_open *open, uint32_t *link)
{
	uint32_t place = *link;

	*link = open->starts[place - 1].next;
	latency_open_give_back(open, place);
	return &open->starts[place - 1];
}

void latency_open_end(struct latency_open *open, const struct latency_at *at,
		      void (*ended)(void *arg, const struct latency_start *start), void *arg)
{
	const struct latency_start *start;
	uint32_t *link;

	if (open->rule->queue) {
		latency_ranges_end(open, at, ended, arg);
		return;
	}
	link = find(open, at->key, at->scope);
	if (!*link)
		return;
	start = take(open, link);
	if (start->key == at->key)
		ended(arg, start);
}

void latency_open_drop(struct latency_open *open, const struct latency_at *at)
{
	uint32_t *link;

	if (open->rule->queue) {
		latency_ranges_drop(open, at);
		return;
	}
	link = find(open, at->key, at->scope);
	if (*link)
		take(open, link);
}

void latency_open_switch(struct latency_open *open, const struct latency_at *at)
{
	uint32_t *link = open->nr ? find(open, at->key, at->scope) : NULL;

	if (!link || !*link)
		return;
	if (open->starts[*link - 1].switched)
		take(open, link);
	else
		open->starts[*link - 1].switched = true;
}

void latency_open_again(struct latency_open *open, const struct latency_at *at)
{
	latency_ranges_again(open, at);
}
