/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_PAGE_INDEX_H
#define FTOP_PARSERS_PAGES_PAGE_INDEX_H
/*
 * page_index - the directory of one stream: for every sub-buffer its time span, the number of its
 * rows, and which event types and tasks may be in it.
 *
 *   slab    slab_pages pages in arrays of their own: first key, span, count, types, pids; a list of
 *           rare types
 *   block   64 pages of a slab, with the number of rows before them
 *   range   pages that one worker scans at a time; never across slabs
 *
 * A key is the running maximum of the time stamps of a stream, so keys never decrease and can be
 * found by bisection.  Stamps are raw: untransformed.
 *
 * Most event types of a trace are rare, and selective filters test for these. So the 64 bits of a
 * page are for the frequent types (page_kinds), and a list for each slab records exactly where the
 * others occur, while it has room.
 *
 * Workers fill in ranges in any order; ranges are published in the order of the stream and never
 * change afterwards.  Readers need no lock.  Memory: 32 1/8 bytes for each page, and for the lists
 * one byte for 8 KiB of the file.
 *
 * The first pages of a stream may be dropped.  The others keep their numbers.  Rows and events are
 * counted from the first page that is left.  Of slabs of dropped pages, 8 bytes stay.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/base/pid_bits.h"

#define PAGE_EVENTS_MASK	((1u << 20) - 1)	/* page_slab.count: events in the page */
enum page_flag {
	PAGE_LOST	= 1u << 20,	/* events were lost before the page: a row of its own */
	PAGE_DAMAGED	= 1u << 21,	/* it cannot be read to its end: a row of its own */
	PAGE_BACKWARDS	= 1u << 22,	/* a stamp in it is below its key: the clock went
					 * backwards */
	PAGE_WIDE	= 1u << 23,	/* the span does not fit its 32 bits */
	PAGE_UNKNOWN	= 1u << 24,	/* it contains a record of an unknown event type */
	PAGE_RARE	= 1u << 25,	/* the slab's list has entries for it */
};

#define PAGE_BLOCK		64u	/* pages between two stored prefix counts */
#define PAGE_RANGE_BYTES	(4u << 20)	/* what a worker scans at a time */
#define PAGE_MAX_PAGES		(1ull << 28)	/* per stream; further pages are not indexed */

struct page_slab {
	uint32_t	 cap;		/* capacity in pages */
	uint64_t	 rows0;		/* rows and events of the stream before the slab */
	uint64_t	 events0;
	uint64_t	*first;		/* [cap] key of the first row; of the previous row if it
					 * has none */
	uint64_t	*types;		/* [cap] event types, page_kinds_bits() */
	uint64_t	*pids;		/* [cap] Bloom filter of common_pid, pid_bits() */
	uint32_t	*span;		/* [cap] last key - first; saturated */
	uint32_t	*count;		/* [cap] events, and flags */
	uint32_t	*rows;		/* [cap / PAGE_BLOCK + 1] rows of the slab before each
					 * block */
	uint32_t	*events;	/* [cap / PAGE_BLOCK + 1] events before each block */
	uint32_t	*rare;		/* event types: page of the slab << 16 | dense number;
					 * sorted by page */
	_Atomic uint32_t nr_rare;	/* entries of `rare` for published pages */
};

/* Which event types and tasks may be in a page. */
struct page_sets {
	uint64_t	 types;		/* page_kinds_bits() of those that have a bit */
	uint64_t	 pids;		/* pid_bits() */
	const uint32_t	*rare;		/* [nr_rare] other types, page_rare_kind(); borrowed from
					 * the directory */
	uint32_t	 nr_rare;
};

static inline uint32_t page_rare_kind(uint32_t entry)
{
	return entry & 0xffff;		/* the type's dense number */
}

/* Sums over the published pages, without dropped ones. */
struct page_totals {
	uint64_t	pages;		/* with those */
	uint64_t	rows;
	uint64_t	events;
	uint64_t	lost_events;	/* known counts */
	uint64_t	lost_unknown;	/* gaps without a count */
	uint64_t	damaged_pages;
	uint64_t	last_key;	/* running maximum at the end */
};

struct page_loss {			/* events lost before a page */
	uint64_t	page;
	uint64_t	nr;		/* 0 = unknown */
};

/* Pages that one worker scans; filled in by page_scan.h. */
struct page_range {
	struct page_range	*next;		/* in the list of finished ranges that are not
						 * yet published */
	struct page_slab	*slab;
	uint32_t		 slab_pages;
	uint64_t		 from, to;	/* pages of the stream */
	uint64_t		*last;		/* owned, [to - from]: last keys */
	uint64_t		 lost_events, lost_unknown, damaged_pages;
	uint32_t		 nr_rare;	/* entries in the slab's list, including this
						 * range's */
	uint32_t		 max_rare;	/* limit of nr_rare */
	bool			 lists_losses;
	struct page_loss	*losses;	/* owned, [nr_losses], if they are listed */
	unsigned int		 nr_losses, cap_losses;
};

struct page_index {
	uint32_t		 page_size;
	uint32_t		 slab_pages;	/* a power of two */
	_Atomic uint64_t	 published;	/* number of pages that readers may use */
	_Atomic(struct page_slab **) slabs;	/* [pages / slab_pages], only the claimed ones */
	_Atomic uint64_t	 start;		/* pages before it are dropped */
	struct page_totals	 dropped;	/* sums of those */
	bool			 may_drop;	/* set before the first claim: page_index_drop() */
	/*
	 * The rest is protected by the lock of claiming and publishing, except totals, which has
	 * its own.
	 */
	uint64_t		 claimed;	/* pages given out in ranges */
	uint64_t		 slab_cap;	/* length of slabs */
	struct page_range	*finished;
	struct page_totals	 totals;
	pthread_mutex_t		 totals_lock;
	void			**retired;	/* owned: old tables and slabs that readers may
						 * still use */
	unsigned int		 nr_retired, retired_cap;
	struct page_loss	*losses;	/* owned, [nr_losses]: with may_drop */
	unsigned int		 nr_losses, cap_losses;
};

/* @page_size: bytes of a sub-buffer; determines the size of ranges and lists. */
void page_index_init(struct page_index *index, uint32_t page_size);
void page_index_fini(struct page_index *index);

/* --- reading, from any thread ---------------------------------------------- */
static inline uint64_t page_index_pages(const struct page_index *index)
{
	return atomic_load_explicit(&index->published, memory_order_acquire);
}
/* The first page that is not dropped. */
static inline uint64_t page_index_start(const struct page_index *index)
{
	return atomic_load_explicit(&index->start, memory_order_relaxed);
}
struct page_totals page_index_totals(struct page_index *index);

static inline const struct page_slab *page_index_slab(const struct page_index *index, uint64_t page)
{
	struct page_slab **slabs = atomic_load_explicit(&index->slabs, memory_order_acquire);

	return __atomic_load_n(&slabs[page / index->slab_pages], __ATOMIC_ACQUIRE);
}
/* For published pages only, that are not dropped: */
static inline uint64_t page_index_first(const struct page_index *index, uint64_t page)
{
	return page_index_slab(index, page)->first[page % index->slab_pages];
}
static inline uint32_t page_index_count(const struct page_index *index, uint64_t page)
{
	return page_index_slab(index, page)->count[page % index->slab_pages];
}
/* Last key; if the page is PAGE_WIDE, a key between its first and its last. */
static inline uint64_t page_index_last(const struct page_index *index, uint64_t page)
{
	const struct page_slab *slab = page_index_slab(index, page);
	uint32_t i = page % index->slab_pages;

	return slab->first[i] + slab->span[i];
}
struct page_sets page_index_sets(const struct page_index *index, uint64_t page);

static inline uint32_t page_rows(uint32_t count)
{
	return (count & PAGE_EVENTS_MASK) + !!(count & PAGE_LOST) + !!(count & PAGE_DAMAGED);
}

enum page_unit { PAGE_ROWS, PAGE_EVENTS };

/* Number of rows (or events) of the stream before a page; @page: up to the number published. */
uint64_t page_index_before(const struct page_index *index, uint64_t page, enum page_unit unit);

/*
 * Among the first @nr published pages: past the last one whose first key is below @key; without
 * one, page_index_start().
 */
uint64_t page_index_below(const struct page_index *index, uint64_t nr, uint64_t key);

/* The page that contains a row (or event) of the stream: @wanted is below the number published. */
uint64_t page_index_find(const struct page_index *index, uint64_t wanted, enum page_unit unit);

/* --- building: calls of one index one at a time (the caller's lock) ---------- */

/**
 * page_index_claim() - the next pages to scan
 * @pages: sub-buffers the stream has now
 *
 * Return: a range for page_index_commit() or page_range_free(); NULL if everything is claimed, or
 * the slab's previous range is still being scanned.
 */
struct page_range *page_index_claim(struct page_index *index, uint64_t pages);

/* Publish a range that is filled in, and others that waited for it.  Takes the range. */
void page_index_commit(struct page_index *index, struct page_range *range);
void page_range_free(struct page_range *range);

/*
 * Drop the pages before this one, as far as they are published.  No other thread may use the
 * directory meanwhile.
 */
void page_index_drop(struct page_index *index, uint64_t start);
#endif
