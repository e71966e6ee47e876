/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/page_index.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/io/trace_format.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"

#define MIN_SLAB_PAGES	16u	/* for large sub-buffers */
/* entries of a slab's list of rare types; one more for so many bytes of the file */
#define RARE_MIN	16u
#define RARE_BYTES	(32u << 10)

_Static_assert(PAGE_RANGE_BYTES / TRACE_MIN_PAGE_SIZE <= 1u << 16,
	       "a list of rare types has 16 bits for a page");

void page_index_init(struct page_index *index, uint32_t page_size)
{
	uint32_t pages = MIN_SLAB_PAGES;

	while ((uint64_t)pages * page_size < PAGE_RANGE_BYTES)
		pages *= 2;
	memset(index, 0, sizeof(*index));
	index->page_size = page_size;
	index->slab_pages = pages;
	pthread_mutex_init(&index->totals_lock, NULL);
}

void page_index_fini(struct page_index *index)
{
	struct page_slab **slabs = atomic_load(&index->slabs);

	while (index->finished) {
		struct page_range *range = index->finished;

		index->finished = range->next;
		page_range_free(range);
	}
	for (uint64_t i = 0; i < index->slab_cap; i++)
		free(slabs[i]);
	free(slabs);
	for (unsigned int i = 0; i < index->nr_retired; i++)
		free(index->retired[i]);
	free(index->retired);
	free(index->losses);
	pthread_mutex_destroy(&index->totals_lock);
}

struct page_totals page_index_totals(struct page_index *index)
{
	struct page_totals totals;

	pthread_mutex_lock(&index->totals_lock);
	totals = index->totals;
	pthread_mutex_unlock(&index->totals_lock);
	totals.rows -= index->dropped.rows;
	totals.events -= index->dropped.events;
	totals.lost_events -= index->dropped.lost_events;
	totals.lost_unknown -= index->dropped.lost_unknown;
	totals.damaged_pages -= index->dropped.damaged_pages;
	return totals;
}

/* --- reading ---------------------------------------------------------------- */

/*
 * With the dropped pages.  The prefix sums count up to the start of a block; this adds the rest.
 */
static uint64_t count_before(const struct page_index *index, uint64_t page, enum page_unit unit)
{
	uint64_t last = page ? page - 1 : 0;	/* a published page, so its slab exists */
	bool rows = unit == PAGE_ROWS;
	const struct page_slab *slab;
	uint32_t i, end, sum;

	if (!page)
		return 0;
	slab = page_index_slab(index, last);
	end = last % index->slab_pages + 1;
	i = (end - 1) / PAGE_BLOCK;
	sum = rows ? slab->rows[i] : slab->events[i];
	for (i *= PAGE_BLOCK; i < end; i++)
		sum += rows ? page_rows(slab->count[i]) : slab->count[i] & PAGE_EVENTS_MASK;
	return (rows ? slab->rows0 : slab->events0) + sum;
}

uint64_t page_index_before(const struct page_index *index, uint64_t page, enum page_unit unit)
{
	if (page <= page_index_start(index))
		return 0;
	return count_before(index, page, unit) -
	       (unit == PAGE_ROWS ? index->dropped.rows : index->dropped.events);
}

uint64_t page_index_below(const struct page_index *index, uint64_t nr, uint64_t key)
{
	uint64_t start = page_index_start(index), skip = start / index->slab_pages;
	uint64_t slabs = nr > start ? (nr - 1) / index->slab_pages + 1 - skip : 0;
	uint64_t below = bisect(slabs, i,
				page_index_slab(index, (skip + i) * index->slab_pages)->first[0] <
					key);
	const struct page_slab *slab;
	uint64_t base, end;

	if (!below)
		return start;
	if (below == slabs && page_index_first(index, nr - 1) < key)	/* often the whole trace */
		return nr;
	base = (skip + below - 1) * index->slab_pages;
	slab = page_index_slab(index, base);
	end = nr - base < index->slab_pages ? nr - base : index->slab_pages;
	base += bisect(end, i, slab->first[i] < key);
	return base > start ? base : start;
}

uint64_t page_index_find(const struct page_index *index, uint64_t wanted, enum page_unit unit)
{
	uint64_t start = page_index_start(index);
	uint64_t pages = bisect(page_index_pages(index) - start, i,
				page_index_before(index, start + i, unit) <= wanted);

	return start + (pages ? pages - 1 : 0);
}

/* Find the entries of the slab's list that belong to the page. */
static void find_rare(const struct page_slab *slab, uint32_t page, struct page_sets *sets)
{
	uint32_t nr = atomic_load_explicit(&slab->nr_rare, memory_order_acquire);
	uint32_t first = bisect(nr, i, slab->rare[i] >> 16 < page);

	sets->rare = &slab->rare[first];
	while (first + sets->nr_rare < nr && slab->rare[first + sets->nr_rare] >> 16 == page)
		sets->nr_rare++;
}

struct page_sets page_index_sets(const struct page_index *index, uint64_t page)
{
	const struct page_slab *slab = page_index_slab(index, page);
	uint32_t i = page % index->slab_pages;
	struct page_sets sets = { .types = slab->types[i], .pids = slab->pids[i] };

	if (slab->count[i] & PAGE_RARE)
		find_rare(slab, i, &sets);
	return sets;
}

/* --- building --------------------------------------------------------------- */

static void retire(struct page_index *index, void *p)
{
	if (!p)
		return;
	mem_grow(&index->retired, index->nr_retired, &index->retired_cap);
	index->retired[index->nr_retired++] = p;
}

/* Number of entries allowed in the list of a slab's first @pages. */
static uint32_t rare_room(const struct page_index *index, uint32_t pages)
{
	return RARE_MIN + (uint32_t)((uint64_t)pages * index->page_size / RARE_BYTES);
}

static struct page_slab *slab_new(const struct page_index *index, uint32_t cap)
{
	uint32_t blocks = cap / PAGE_BLOCK + 1;
	size_t bytes = sizeof(struct page_slab) +
		       (size_t)cap * (3 * sizeof(uint64_t) + 2 * sizeof(uint32_t)) +
		       ((size_t)blocks * 2 + rare_room(index, cap)) * sizeof(uint32_t);
	struct page_slab *slab = mem_array(1, bytes);

	slab->cap = cap;
	slab->first = (uint64_t *)(slab + 1);
	slab->types = slab->first + cap;
	slab->pids = slab->types + cap;
	slab->span = (uint32_t *)(slab->pids + cap);
	slab->count = slab->span + cap;
	slab->rows = slab->count + cap;
	slab->events = slab->rows + blocks;
	slab->rare = slab->events + blocks;
	return slab;
}

/* A full-size copy of a slab, with the same @nr pages in it. */
static struct page_slab *slab_grown(const struct page_index *index, const struct page_slab *old,
				    uint32_t nr)
{
	struct page_slab *slab = slab_new(index, index->slab_pages);
	uint32_t blocks = nr ? (nr - 1) / PAGE_BLOCK + 1 : 0;

	slab->rows0 = old->rows0;
	slab->events0 = old->events0;
	memcpy(slab->first, old->first, nr * sizeof(*slab->first));
	memcpy(slab->types, old->types, nr * sizeof(*slab->types));
	memcpy(slab->pids, old->pids, nr * sizeof(*slab->pids));
	memcpy(slab->span, old->span, nr * sizeof(*slab->span));
	memcpy(slab->count, old->count, nr * sizeof(*slab->count));
	memcpy(slab->rows, old->rows, blocks * sizeof(*slab->rows));
	memcpy(slab->events, old->events, blocks * sizeof(*slab->events));
	slab->nr_rare = old->nr_rare;
	memcpy(slab->rare, old->rare, old->nr_rare * sizeof(*slab->rare));
	return slab;
}

/*
 * Make room for a slab's number in the table.  Readers may use the old table, so it is kept until
 * the end.
 */
static struct page_slab **grow_table(struct page_index *index, uint64_t slabs)
{
	struct page_slab **table = atomic_load_explicit(&index->slabs, memory_order_relaxed);

	if (slabs > index->slab_cap) {
		uint64_t cap = index->slab_cap * 2 > slabs ? index->slab_cap * 2 : slabs;
		struct page_slab **grown = mem_array(cap, sizeof(*grown));

		if (table)
			memcpy(grown, table, index->slab_cap * sizeof(*grown));
		retire(index, table);
		index->slab_cap = cap;
		atomic_store_explicit(&index->slabs, grown, memory_order_release);
		table = grown;
	}
	return table;
}

/* The slab of the next page to claim, with room up to @to. */
static struct page_slab *prepare_slab(struct page_index *index, uint64_t from, uint64_t to,
				      uint64_t pages)
{
	uint64_t total = (pages + index->slab_pages - 1) / index->slab_pages;
	uint64_t nr = from / index->slab_pages;
	uint32_t used = from % index->slab_pages, wanted = to - nr * index->slab_pages;
	struct page_slab **table = grow_table(index, total);
	struct page_slab *slab = table[nr];

	if (slab && wanted <= slab->cap)
		return slab;
	if (slab) {		/* it has grown once, so it may grow again */
		struct page_slab *grown = slab_grown(index, slab, used);

		retire(index, slab);
		slab = grown;
	} else {
		slab = slab_new(index, wanted);
	}
	/* some of its pages are already published: one store publishes the table's entry */
	__atomic_store_n(&table[nr], slab, __ATOMIC_RELEASE);
	return slab;
}

struct page_range *page_index_claim(struct page_index *index, uint64_t pages)
{
	uint64_t from = index->claimed, to = from - from % index->slab_pages + index->slab_pages;
	struct page_range *range;

	if (pages > PAGE_MAX_PAGES)
		pages = PAGE_MAX_PAGES;
	if (from >= pages)
		return NULL;
	if (from % index->slab_pages && from != page_index_pages(index))
		return NULL;
	if (to > pages)
		to = pages;
	range = mem_alloc(sizeof(*range));
	range->from = from;
	range->to = to;
	range->slab_pages = index->slab_pages;
	range->last = mem_array(to - from, sizeof(*range->last));
	range->slab = prepare_slab(index, from, to, pages);
	range->nr_rare = range->slab->nr_rare;
	range->lists_losses = index->may_drop;
	range->max_rare = rare_room(index, (uint32_t)((to - 1) % index->slab_pages) + 1);
	index->claimed = to;
	return range;
}

void page_range_free(struct page_range *range)
{
	if (!range)
		return;
	free(range->last);
	free(range->losses);
	free(range);
}

/*
 * A range was scanned as if nothing preceded it.  Raise its keys to the running maximum before it,
 * up to the first page with a key that is not below that maximum.
 */
static void raise_keys(const struct page_index *index, struct page_range *range)
{
	struct page_slab *slab = range->slab;
	uint64_t run = index->totals.last_key;
	uint32_t base = range->from % index->slab_pages;

	for (uint64_t p = 0; p < range->to - range->from; p++) {
		uint32_t i = base + p;
		uint64_t last = range->last[p];

		if (!(slab->count[i] & PAGE_EVENTS_MASK)) {
			/*
			 * only a row without a record needs a time of its own, and only if no row
			 * precedes it
			 */
			if (!run && page_rows(slab->count[i]))
				run = slab->first[i];
			slab->first[i] = range->last[p] = run;
			slab->span[i] = 0;
			continue;
		}
		/* from here on the scan's own maximum was right */
		if (slab->first[i] >= run)
			return;
		slab->first[i] = run;
		slab->count[i] |= PAGE_BACKWARDS;
		if (last < run)
			last = run;
		range->last[p] = run = last;
		slab->span[i] = last - slab->first[i] > UINT32_MAX ? UINT32_MAX :
								     last - slab->first[i];
		if (last - slab->first[i] <= UINT32_MAX)
			slab->count[i] &= ~PAGE_WIDE;
	}
}

/* Compute the prefix sums of the blocks that begin in the range. */
static void count_blocks(struct page_index *index, struct page_range *range,
			 struct page_totals *totals)
{
	struct page_slab *slab = range->slab;
	uint32_t i = range->from % index->slab_pages, end = i + (range->to - range->from);

	if (i == 0) {
		slab->rows0 = totals->rows;
		slab->events0 = totals->events;
	}
	for (; i < end; i++) {
		if (i % PAGE_BLOCK == 0) {
			slab->rows[i / PAGE_BLOCK] = totals->rows - slab->rows0;
			slab->events[i / PAGE_BLOCK] = totals->events - slab->events0;
		}
		totals->rows += page_rows(slab->count[i]);
		totals->events += slab->count[i] & PAGE_EVENTS_MASK;
	}
}

static void publish(struct page_index *index, struct page_range *range)
{
	struct page_totals totals = index->totals;

	for (unsigned int i = 0; i < range->nr_losses; i++) {
		mem_grow(&index->losses, index->nr_losses, &index->cap_losses);
		index->losses[index->nr_losses++] = range->losses[i];
	}
	raise_keys(index, range);
	count_blocks(index, range, &totals);
	totals.pages = range->to;
	totals.lost_events += range->lost_events;
	totals.lost_unknown += range->lost_unknown;
	totals.damaged_pages += range->damaged_pages;
	totals.last_key = range->last[range->to - range->from - 1];
	atomic_store_explicit(&range->slab->nr_rare, range->nr_rare, memory_order_release);
	pthread_mutex_lock(&index->totals_lock);
	index->totals = totals;
	pthread_mutex_unlock(&index->totals_lock);
	atomic_store_explicit(&index->published, range->to, memory_order_release);
	page_range_free(range);
}

void page_index_commit(struct page_index *index, struct page_range *range)
{
	struct page_range **at = &index->finished;

	while (*at && (*at)->from < range->from)
		at = &(*at)->next;
	range->next = *at;
	*at = range;
	while (index->finished && index->finished->from == page_index_pages(index)) {
		range = index->finished;
		index->finished = range->next;
		publish(index, range);
	}
}

/* --- dropping --------------------------------------------------------------- */

static void drop_losses(struct page_index *index, uint64_t start)
{
	unsigned int nr = bisect(index->nr_losses, i, index->losses[i].page < start);

	for (unsigned int i = 0; i < nr; i++) {
		index->dropped.lost_events += index->losses[i].nr;
		index->dropped.lost_unknown += !index->losses[i].nr;
	}
	index->nr_losses -= nr;
	memmove(index->losses, index->losses + nr, index->nr_losses * sizeof(*index->losses));
}

void page_index_drop(struct page_index *index, uint64_t start)
{
	struct page_slab **slabs = atomic_load_explicit(&index->slabs, memory_order_relaxed);
	uint64_t from = page_index_start(index), pages = page_index_pages(index);

	start = start < pages ? start : pages;
	if (start <= from)
		return;
	for (uint64_t page = from; page < start; page++)
		index->dropped.damaged_pages += !!(page_index_count(index, page) & PAGE_DAMAGED);
	index->dropped.rows = count_before(index, start, PAGE_ROWS);
	index->dropped.events = count_before(index, start, PAGE_EVENTS);
	if (index->nr_losses)
		drop_losses(index, start);
	for (uint64_t i = from / index->slab_pages; i < start / index->slab_pages; i++) {
		free(slabs[i]);
		slabs[i] = NULL;
	}
	while (index->nr_retired)
		free(index->retired[--index->nr_retired]);
	atomic_store_explicit(&index->start, start, memory_order_relaxed);
}
