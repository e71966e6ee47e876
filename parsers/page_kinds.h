/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGE_KINDS_H
#define FTOP_PARSERS_PAGE_KINDS_H
/*
 * page_kinds - which event types occurred in a file, numbered in the order of their appearance ("dense"), and how
 * often.  Shared by the workers that go over its sub-buffers (page_scan) and by those who read the page directory.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/comm_table.h"
#include "parsers/event_types.h"
#include "parsers/page_names.h"
#include "parsers/tgid_table.h"

#define PAGE_KINDS_MAX	65536u		/* common_type has 16 bits */

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
	pthread_mutex_t		 lock;		/* numbering of new types */
	_Atomic uint32_t	 nr;		/* dense numbers given out */
	uint16_t		*ids;		/* [PAGE_KINDS_MAX] dense number to common_type */
	_Atomic uint32_t	*kinds;		/* [PAGE_KINDS_MAX] by common_type; 0 = did not occur yet */
	_Atomic uint64_t	*events;	/* [PAGE_KINDS_MAX] by dense number */
};

/* @types, @comms and @tgids (may be NULL) are borrowed. */
void page_kinds_init(struct page_kinds *kinds, struct event_types *types, struct comm_table *comms, struct tgid_table *tgids);
void page_kinds_fini(struct page_kinds *kinds);

/* The first record of a type, @id below PAGE_KINDS_MAX: its format is parsed here, once.  Return: PAGE_KIND_*. */
uint32_t page_kinds_add(struct page_kinds *kinds, uint32_t id);

/* Bit of an event type in a page's set of types; 0 if it did not occur yet. */
uint64_t page_kinds_bit(const struct page_kinds *kinds, int type_id);
#endif
