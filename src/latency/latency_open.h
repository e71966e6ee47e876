/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_OPEN_H
#define FTOP_SRC_LATENCY_LATENCY_OPEN_H
/*
 * latency_open - the starts of one rule that have no end yet, by key.  A start whose key has a CPU
 * is forgotten when events of that CPU are lost.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/index_map.h"
#include "src/latency/latency_kinds.h"
#include "src/trace/trace.h"

struct latency_start {
	uint64_t	key;
	uint64_t	scope;		/* the CPU and the pid that are parts of the key */
	int64_t		ts;
	trace_ref	ref;
	uint64_t	label;
	uint32_t	pid, comm;
	uint32_t	losses;		/* of its CPU so far */
	uint32_t	below;		/* nested: 1 + index of the start below it */
	uint16_t	cpu;		/* index */
	bool		is_open;
	bool		wanted;		/* a filter keeps it */
};

#define LATENCY_RECENT_BITS	8u

struct latency_open {			/* zero it, but for rule */
	const struct latency_rule *rule;	/* borrowed */
	bool		loose;		/* a start replaces another one of its scope; only an end
					 * with its key ends it */
	struct latency_start *starts;	/* owned, [nr]; one for each key, and those below it */
	uint32_t	nr, cap, nr_open;
	uint32_t	free;		/* 1 + index of a free place below; 0 = none */
	uint64_t	replaced;	/* starts that another start replaced */
	struct index_map map;		/* of starts, by key and scope */
	uint32_t	recent[1u << LATENCY_RECENT_BITS];	/* the last ones found */
	struct latency_start ended;	/* nested: the last one */
	/* within: [nr_sorted] starts that are open, by label and key */
	uint32_t	*sorted, nr_sorted, cap_sorted;
};

void latency_open_fini(struct latency_open *open);

/*
 * A new start, for the caller to fill in, but for label, key, scope, below and is_open.
 * @losses: [] of all CPUs, so far
 *
 * Return: valid until the next call; NULL: this start does not count.
 */
struct latency_start *latency_open_start(struct latency_open *open, uint64_t label, uint64_t key,
					 uint64_t scope, const uint32_t *losses);

static inline bool latency_open_is(const struct latency_open *open, uint32_t i, uint64_t key,
				   uint64_t scope)
{
	const struct latency_start *s = &open->starts[i];

	return s->scope == scope && (open->loose || s->key == key);
}

uint32_t latency_open_find_hashed(const struct latency_open *open, uint64_t key, uint64_t scope);

/* The place of a key's start, which may be open no longer; INDEX_MAP_NONE. */
static inline uint32_t latency_open_find(struct latency_open *open, uint64_t key, uint64_t scope)
{
	uint64_t bits = open->loose ? scope : key ^ scope;
	uint32_t *recent = &open->recent[bits * 0x9e3779b97f4a7c15u >> (64 - LATENCY_RECENT_BITS)];

	if (*recent >= open->nr || !latency_open_is(open, *recent, key, scope))
		*recent = latency_open_find_hashed(open, key, scope);
	return *recent;
}

/* Was it forgotten, because events of its CPU were lost? */
static inline bool latency_open_is_lost(const struct latency_open *open,
					const struct latency_start *start, const uint32_t *losses)
{
	return open->rule->by_cpu && start->losses != losses[start->cpu];
}

/* Nested: take the start from the top of a stack. */
const struct latency_start *latency_open_pop(struct latency_open *open, uint32_t i);

/* The start that a key ends, which is open no longer; valid until the next call; NULL: none. */
static inline const struct latency_start *latency_open_end(struct latency_open *open, uint64_t key,
							   uint64_t scope, const uint32_t *losses)
{
	uint32_t i = latency_open_find(open, key, scope);
	struct latency_start *start = &open->starts[i];

	if (i == INDEX_MAP_NONE || !start->is_open || start->key != key)
		return NULL;
	open->nr_open--;
	start->is_open = false;
	if (latency_open_is_lost(open, start, losses)) {
		if (start->below)
			latency_open_pop(open, i);
		return NULL;
	}
	return start->below ? latency_open_pop(open, i) : start;
}

/* within: the same for the first start with this label and a key in [key, key + nr). */
const struct latency_start *latency_open_within(struct latency_open *open, uint64_t label,
						uint64_t key, uint64_t nr);

/* Call @each for all that are open. */
void latency_open_each(const struct latency_open *open, const uint32_t *losses,
		       void (*each)(void *arg, const struct latency_start *start), void *arg);
#endif
