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
	uint64_t	scope;		/* the CPU and the pid that are parts of the key; within:
					 * its other fields */
	int64_t		ts;
	trace_ref	ref;
	uint64_t	label;
	uint32_t	pid, comm;
	uint32_t	losses;		/* of its CPU so far */
	uint32_t	next;		/* 1 + index of the next one in its chain; 0 = none */
	uint16_t	cpu;		/* index */
	bool		wanted;		/* a filter keeps it */
};

struct latency_open {
	const struct latency_rule *rule;	/* borrowed */
	bool		loose;		/* a start replaces another one of its scope, whatever the *
					 * of its event; only an end with its key ends it */
	struct latency_start *starts;	/* owned, [nr_chains]: nr are used, nr_open in chains */
	uint32_t	nr, nr_open;
	uint32_t	free;		/* the chain of the others that are used */
	/*
	 * owned, [nr_chains] a power of two: by the hash of key and scope.  Of starts with the same
	 * key, which only rules with `nested` have, the last one comes first.
	 */
	uint32_t	*chains, nr_chains;
	uint64_t	replaced;	/* starts that another start replaced */
};

void latency_open_init(struct latency_open *open, const struct latency_rule *rule);
void latency_open_fini(struct latency_open *open);

/*
 * A new start, for the caller to fill in, but for key, scope and next.
 * @losses: [] of all CPUs, so far
 *
 * Return: valid until the next call; NULL: this start does not count.
 */
struct latency_start *latency_open_start(struct latency_open *open, uint64_t key, uint64_t scope,
					 const uint32_t *losses);

static inline uint64_t latency_open_hash(const struct latency_open *open, uint64_t key,
					 uint64_t scope)
{
	return index_map_mix(open->loose ? 0 : key, scope);
}

/* What refers to the start that an end with this key can end: 0 there if there is none. */
static inline uint32_t *latency_open_find(struct latency_open *open, uint64_t key, uint64_t scope)
{
	uint64_t hash = latency_open_hash(open, key, scope);
	uint32_t *link = &open->chains[hash & (open->nr_chains - 1)];

	while (*link) {
		struct latency_start *s = &open->starts[*link - 1];

		if (s->scope == scope && (open->loose || s->key == key))
			break;
		link = &s->next;
	}
	return link;
}

/* Was it forgotten, because events of its CPU were lost? */
static inline bool latency_open_is_lost(const struct latency_open *open,
					const struct latency_start *start, const uint32_t *losses)
{
	return open->rule->by_cpu && start->losses != losses[start->cpu];
}

/* Take a start out of its chain; valid until the next start. */
static inline struct latency_start *latency_open_take(struct latency_open *open, uint32_t *link)
{
	uint32_t taken = *link;
	struct latency_start *start = &open->starts[taken - 1];

	*link = start->next;
	start->next = open->free;
	open->free = taken;
	open->nr_open--;
	return start;
}

/* Another start replaces what is open, and has ended already. */
static inline void latency_open_drop(struct latency_open *open, uint64_t key, uint64_t scope)
{
	uint32_t *link = latency_open_find(open, key, scope);

	if (*link)
		latency_open_take(open, link);
}

/* The start that a key ends, which is open no longer; valid until the next start; NULL: none. */
static inline const struct latency_start *latency_open_end(struct latency_open *open, uint64_t key,
							   uint64_t scope, const uint32_t *losses)
{
	uint32_t *link = latency_open_find(open, key, scope);
	const struct latency_start *start;

	if (!*link || open->starts[*link - 1].key != key)
		return NULL;
	start = latency_open_take(open, link);
	return latency_open_is_lost(open, start, losses) ? NULL : start;
}

/*
 * within: the same for all starts with this scope and a key in [key, key + nr), in the order of
 * time; for free().
 */
const struct latency_start **latency_open_within(struct latency_open *open, uint64_t key,
						 uint64_t nr, uint64_t scope,
						 const uint32_t *losses, uint32_t *nr_ended);
#endif
