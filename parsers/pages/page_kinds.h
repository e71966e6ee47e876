/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGE_KINDS_H
#define FTOP_PARSERS_PAGE_KINDS_H
/*
 * page_kinds - which event types occurred in a file, numbered in the order of their appearance ("dense"), and how
 * often; and which bits they have in the sets of the page directory.  Shared by the workers that go over its sub-buffers (page_scan) and by those who read the page directory.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/comm_table.h"
#include "parsers/types/event_types.h"
#include "parsers/pages/page_index.h"
#include "parsers/pages/page_names.h"
#include "parsers/types/tgid_table.h"

#define PAGE_KINDS_MAX	65536u		/* common_type has 16 bits */
#define PAGE_KINDS_OFTEN 16u		/* a type is frequent that has an event in one of so many pages */

/* What page_kinds.kinds holds for a type that occurred. */
#define PAGE_KIND_DENSE(kind)	((kind) & 0xffff)
#define PAGE_KIND_SEEN		(1u << 16)
#define PAGE_KIND_UNKNOWN	(1u << 17)	/* the file has no format for it */
#define PAGE_KIND_RULE_SHIFT	18		/* 1 + number of the rule for task names; 0 = none */

struct page_kinds {
	struct event_types	*types;		/* borrowed */
	struct comm_table	*comms;		/* borrowed; NULL: names are not collected */
	struct tgid_table	*tgids;		/* borrowed; NULL: processes are not collected */
	struct common_layout	 common;
	bool			 standard;	/* common_type at 0 and common_pid at 4, as in every kernel known */
	struct name_rules	 rules;
	pthread_mutex_t		 lock;		/* numbers and bits are given out */
	_Atomic uint32_t	 nr;		/* dense numbers given out */
	uint16_t		*ids;		/* [PAGE_KINDS_MAX] dense number to common_type */
	_Atomic uint32_t	*kinds;		/* [PAGE_KINDS_MAX] by common_type; 0 = did not occur yet */
	_Atomic uint64_t	*events;	/* [PAGE_KINDS_MAX] by dense number */
	_Atomic uint64_t	 pages;		/* that these were counted in */
	/* Bits of those that are too frequent for lists (page_index.h). */
	uint8_t			*bits;		/* [PAGE_KINDS_MAX] by dense number: 1 + the bit it has now; under the lock */
	_Atomic uint64_t	*sets;		/* [PAGE_KINDS_MAX] by dense number: bits that it ever had */
	_Atomic uint32_t	 changes;	/* of sets */
	uint64_t		 often;		/* bits of frequent types; under the lock, as is: */
	uint64_t		 load[64];	/* events of the types that have the bit, and one for each type */
};

/* @types, @comms and @tgids (may be NULL) are borrowed. */
void page_kinds_init(struct page_kinds *kinds, struct event_types *types, struct comm_table *comms, struct tgid_table *tgids);
void page_kinds_fini(struct page_kinds *kinds);

/* The first record of a type, @id below PAGE_KINDS_MAX: its format is parsed here, once.  Return: PAGE_KIND_*. */
uint32_t page_kinds_add(struct page_kinds *kinds, uint32_t id);

/* Dense number of an event type; -1 if it did not occur yet. */
int page_kinds_find(const struct page_kinds *kinds, int type_id);

/* Bits of a type in the sets of pages that hold it: at least one of them is there, or the type is in the page's list. */
static inline uint64_t page_kinds_bits(const struct page_kinds *kinds, uint32_t dense)
{
	return atomic_load(&kinds->sets[dense]);
}

/*
 * The type is too frequent for lists: return the bit it is to have from now on.  What is rare shares some of the bits
 * with others that are rare, so that it is not lost among the frequent ones.  @often: it is one of these, the list says;
 * the counts are not asked.
 */
uint64_t page_kinds_give_bit(struct page_kinds *kinds, uint32_t dense, bool often);

/*
 * After counts were added: types that turned out to be frequent get a bit of their own, as long as there are any, and
 * leave the others to those that are rare.
 */
void page_kinds_sort(struct page_kinds *kinds);

/* May a published page hold records of the type? */
bool page_kinds_may_hold(const struct page_kinds *kinds, const struct page_sets *sets, int type_id);
#endif
