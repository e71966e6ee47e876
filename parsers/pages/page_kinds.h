/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_PAGE_KINDS_H
#define FTOP_PARSERS_PAGES_PAGE_KINDS_H
/*
 * page_kinds - the event types that occur in a file, numbered in the order of their first
 * appearance ("dense" numbers), how often they occur, and their bits in the sets of the page
 * directory.  Shared by the workers that scan the sub-buffers (page_scan) and the readers of the
 * page directory.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/comm_table.h"
#include "parsers/types/event_types.h"
#include "parsers/pages/page_index.h"
#include "parsers/pages/page_names.h"
#include "parsers/types/who_table.h"

#define PAGE_KINDS_MAX	65536u		/* common_type has 16 bits */
/* a type is frequent if it occurs in one of this many pages */
#define PAGE_KINDS_OFTEN 16u

/* Value of page_kinds.kinds for a type that occurred. */
#define PAGE_KIND_DENSE(kind)	((kind) & 0xffff)
#define PAGE_KIND_SEEN		(1u << 16)
#define PAGE_KIND_UNKNOWN	(1u << 17)	/* the file has no format for it */
/* 1 + number of the rule for task names; 0 = none */
#define PAGE_KIND_RULE_SHIFT	18

struct page_kinds {
	struct event_types	*types;		/* borrowed */
	struct comm_table	*comms;		/* borrowed; NULL: names are not collected */
	struct who_table	*who;		/* borrowed; NULL: tasks are not collected */
	struct common_layout	 common;
	bool			 standard;	/* common_type at 0, common_flags at 2,
						   common_pid at 4, as in every kernel known */
	struct name_rules	 rules;
	pthread_mutex_t		 lock;		/* held while numbers and bits are assigned */
	_Atomic uint32_t	 nr;		/* number of dense numbers assigned */
	atomic_bool		 complete;	/* a pass without a directory met all types */
	uint16_t		*ids;		/* [PAGE_KINDS_MAX] dense number to common_type */
	_Atomic uint32_t	*kinds;		/* [PAGE_KINDS_MAX] by common_type;
						   0 = did not occur yet */
	_Atomic uint64_t	*events;	/* [PAGE_KINDS_MAX] by dense number */
	_Atomic uint64_t	 pages;		/* number of pages counted so far */
	/* Bits of the types that are too frequent for lists (page_index.h). */
	uint8_t			*bits;		/* [PAGE_KINDS_MAX] by dense number: 1 + its
						 * current bit; under the lock */
	_Atomic uint64_t	*sets;		/* [PAGE_KINDS_MAX] by dense number: all bits
						 * that it ever had */
	_Atomic uint32_t	 changes;	/* counts changes of sets */
	uint64_t		 often;		/* bits of frequent types; under the lock, as is: */
	uint64_t		 load[64];	/* per bit: events of its types, plus one for
						 * each type */
};

/* @types, @comms and @who (may be NULL) are borrowed. */
void page_kinds_init(struct page_kinds *kinds, struct event_types *types, struct comm_table *comms,
		     struct who_table *who);
void page_kinds_fini(struct page_kinds *kinds);

/*
 * Add a type when its first record is met, @id below PAGE_KINDS_MAX: its format is parsed here,
 * once.  Return: PAGE_KIND_*.
 */
uint32_t page_kinds_add(struct page_kinds *kinds, uint32_t id);

/*
 * Bits of a type: a page with such records has at least one of them in its set, or has the type in
 * its list.
 */
static inline uint64_t page_kinds_bits(const struct page_kinds *kinds, uint32_t dense)
{
	return atomic_load(&kinds->sets[dense]);
}

/*
 * Assign a bit to a type that is too frequent for lists. Rare types share bits with each other, so
 * that frequent types have their own. @often: treat it as frequent without looking at the counts,
 * because the list shows that it is.
 * Return: the bit it has from now on.
 */
uint64_t page_kinds_give_bit(struct page_kinds *kinds, uint32_t dense, bool often);

/*
 * Call after counts were added: types that turned out to be frequent get a bit to themselves while
 * there are free ones, and leave the shared bits to rare types.
 */
void page_kinds_sort(struct page_kinds *kinds);

#endif
