/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_OPEN_H
#define FTOP_SRC_LATENCY_LATENCY_OPEN_H
/* latency_open - the starts of one rule that have no end yet, by key and scope. */
#include <stdbool.h>
#include <stdint.h>
#include "src/latency/latency.h"

struct latency_start {
	uint64_t	key;
	uint64_t	scope;		/* the CPU and the pid that are parts of the key; within:
					 * its other fields */
	struct latency_instance begun;	/* its end may follow */
	uint32_t	next;		/* 1 + index of the next one in its chain; 0 = none */
	uint16_t	cpu;		/* index */
	bool		wanted;		/* a filter keeps it */
	bool		is_open;	/* else its place is free */
};

struct latency_open {			/* zeroed, with a rule: empty */
	const struct latency_rule *rule;	/* borrowed */
	struct latency_start *starts;	/* owned, [nr] */
	uint32_t	nr, cap;
	uint32_t	free;		/* the chain of free places */
	/*
	 * owned: by the hash of key and scope; NULL: none yet.  Of starts with the same key, which
	 * only rules with `nested` have, the last one comes first.
	 */
	uint32_t	*chains;
	uint64_t	replaced;	/* starts that another start replaced */
};

void latency_open_fini(struct latency_open *open);	/* then it is empty */
/* @to is empty, and gets the same starts. */
void latency_open_copy(struct latency_open *to, const struct latency_open *from);

/* A new start: the caller sets begun, cpu and wanted.  NULL: it is not kept. */
struct latency_start *latency_open_start(struct latency_open *open, uint64_t key, uint64_t scope);

/*
 * The next start with a key in [key, key + nr), which is open no longer; valid until the next
 * start; NULL: there are no more.  *i: 0 at first.
 */
const struct latency_start *latency_open_end(struct latency_open *open, uint64_t key, uint64_t nr,
					     uint64_t scope, uint64_t *i);

/* Another start replaces what is open, and has ended already. */
void latency_open_drop(struct latency_open *open, uint64_t key, uint64_t scope);
#endif
