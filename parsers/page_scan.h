/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGE_SCAN_H
#define FTOP_PARSERS_PAGE_SCAN_H
/*
 * page_scan - the one pass over all records: fills in the page directory, counts
 * events by type, and collects the names of tasks and the processes they belong to.
 *
 * page_kinds is what the workers of one file share: which event types occurred,
 * numbered in the order of their appearance ("dense").  page_scan belongs to one
 * worker; it goes over two sub-buffers at a time, see page_scan.c.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/comm_table.h"
#include "parsers/event_types.h"
#include "parsers/page_index.h"
#include "parsers/page_names.h"
#include "parsers/page_reader.h"
#include "parsers/sub_buffer.h"
#include "parsers/tgid_table.h"

#define PAGE_KINDS_MAX	65536u		/* common_type has 16 bits */

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

/* Bit of an event type in a page's set of types; 0 if it did not occur yet. */
uint64_t page_kinds_bit(const struct page_kinds *kinds, int type_id);

struct page_scan;

struct page_scan *page_scan_new(struct page_kinds *kinds);
void page_scan_free(struct page_scan *scan);	/* NULL is allowed */

/**
 * page_scan_range() - fill in a range of a stream's directory
 * @reader:    a reader of this worker for the file
 * @cancelled: looked at once per read; may be NULL
 *
 * Return: false if it was cancelled: the range is then to be freed.  What cannot be read becomes damaged pages.
 */
bool page_scan_range(struct page_scan *scan, struct page_reader *reader, unsigned int stream,
		     const struct sub_buffer_layout *layout, const struct page_clock *clock, struct page_range *range,
		     bool (*cancelled)(void *arg), void *arg);
#endif
