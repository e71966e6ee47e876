/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_open.h"

#include <stdlib.h>

#include "src/base/memory.h"

#define MOST_OPEN	(1u << 20)	/* 80 MB; further starts are not kept */
#define MOST_WITHIN	(1u << 16)	/* of a rule with ranges: an end may have to look at all */
#define FIRST_CHAINS	64u

void latency_open_init(struct latency_open *open, const struct latency_rule *rule)
{
	const char *event = rule->ends[0].name;

	*open = (struct latency_open){ .rule = rule, .nr_chains = FIRST_CHAINS };
	open->loose = event && strchr(event, '*') && !rule->by_star && !rule->nr_keys;
	open->chains = mem_array(FIRST_CHAINS, sizeof(*open->chains));
	open->starts = mem_array(FIRST_CHAINS, sizeof(*open->starts));
}

void latency_open_fini(struct latency_open *open)
{
	free(open->starts);
	free(open->chains);
}

/* Twice as many chains: each becomes two, with the same order. */
static __attribute__((noinline)) void grow(struct latency_open *open)
{
	uint32_t *old = open->chains, nr = open->nr_chains;

	if (nr >= (open->rule->within ? MOST_WITHIN : MOST_OPEN))
		return;
	open->nr_chains = nr * 2;
	open->chains = mem_array(open->nr_chains, sizeof(*open->chains));
	open->starts = mem_resize(open->starts, open->nr_chains, sizeof(*open->starts));
	for (uint32_t k = 0; k < nr; k++) {
		uint32_t *ends[2] = { &open->chains[k], &open->chains[k + nr] };

		for (uint32_t i = old[k], next; i; i = next) {
			struct latency_start *s = &open->starts[i - 1];
			bool second = latency_open_hash(open, s->key, s->scope) & nr;

			next = s->next;
			s->next = 0;
			*ends[second] = i;
			ends[second] = &s->next;
		}
	}
	free(old);
}

/* A new place before those of the same key. */
static inline struct latency_start *add(struct latency_open *open, uint32_t *link)
{
	uint32_t place = open->free ? open->free : open->nr + 1;
	struct latency_start *start = &open->starts[place - 1];

	if (open->nr_open == open->nr_chains)
		return NULL;
	if (open->free)
		open->free = start->next;
	else
		open->nr++;
	open->nr_open++;
	start->next = *link;
	*link = place;
	return start;
}

struct latency_start *latency_open_start(struct latency_open *open, uint64_t key, uint64_t scope,
					 const uint32_t *losses)
{
	struct latency_start *start;
	uint32_t *link;

	if (__builtin_expect(open->nr_open == open->nr_chains, 0))
		grow(open);
	link = latency_open_find(open, key, scope);
	start = *link ? &open->starts[*link - 1] : NULL;
	if (start && !latency_open_is_lost(open, start, losses)) {
		if (open->rule->first)
			return NULL;
		if (open->rule->nested)
			start = NULL;
		else
			open->replaced++;
	}
	if (!start)
		start = add(open, link);
	if (!start)
		return NULL;
	start->key = key;
	start->scope = scope;
	return start;
}

static int by_ts(const void *a, const void *b)
{
	const struct latency_start *x = *(const struct latency_start *const *)a,
				   *y = *(const struct latency_start *const *)b;

	return x->ts != y->ts ? (x->ts < y->ts ? -1 : 1) : (x->key > y->key) - (x->key < y->key);
}

const struct latency_start **latency_open_within(struct latency_open *open, uint64_t key,
						 uint64_t nr, uint64_t scope,
						 const uint32_t *losses, uint32_t *nr_ended)
{
	/* look for each key of the range, or at each start: whichever are fewer */
	bool by_key = nr <= open->nr;
	const struct latency_start *start, **ended = NULL;
	uint32_t cap = 0;

	*nr_ended = 0;
	for (uint64_t i = 0; i < (by_key ? nr : open->nr); i++) {
		start = &open->starts[i];
		if (!by_key && (start->scope != scope || start->key - key >= nr))
			continue;
		start = latency_open_end(open, by_key ? key + i : start->key, scope, losses);
		if (!start)
			continue;
		mem_grow(&ended, *nr_ended, &cap);
		ended[(*nr_ended)++] = start;
	}
	if (*nr_ended)		/* the order of keys is not that of time */
		qsort(ended, *nr_ended, sizeof(*ended), by_ts);
	return ended;
}
