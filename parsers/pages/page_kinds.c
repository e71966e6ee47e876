/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/page_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

/* Bits that belong to one frequent type each, at most.  The others of the 64 are shared. */
#define OFTEN_BITS	48
#define SPARE_BITS	16	/* kept for types that become frequent later */
#define MIN_PAGES	64u	/* before this many pages are counted, frequencies are not known */

void page_kinds_init(struct page_kinds *kinds, struct event_types *types, struct comm_table *comms,
		     struct who_table *who)
{
	memset(kinds, 0, sizeof(*kinds));
	kinds->types = types;
	kinds->comms = comms;
	kinds->who = who;
	kinds->common = *event_types_common(types);
	kinds->standard = kinds->common.type_offset == 0 && kinds->common.type_size == 2 &&
			  kinds->common.flags_offset == 2 && kinds->common.flags_size == 1 &&
			  kinds->common.pid_offset == 4 && kinds->common.pid_size == 4;
	pthread_mutex_init(&kinds->lock, NULL);
	kinds->ids = mem_array(PAGE_KINDS_MAX, sizeof(*kinds->ids));
	kinds->kinds = mem_array(PAGE_KINDS_MAX, sizeof(*kinds->kinds));
	kinds->events = mem_array(PAGE_KINDS_MAX, sizeof(*kinds->events));
	kinds->bits = mem_array(PAGE_KINDS_MAX, sizeof(*kinds->bits));
	kinds->sets = mem_array(PAGE_KINDS_MAX, sizeof(*kinds->sets));
}

void page_kinds_fini(struct page_kinds *kinds)
{
	free(kinds->ids);
	free(kinds->kinds);
	free(kinds->events);
	free(kinds->bits);
	free(kinds->sets);
	pthread_mutex_destroy(&kinds->lock);
}

uint32_t page_kinds_add(struct page_kinds *kinds, uint32_t id)
{
	uint32_t kind;

	pthread_mutex_lock(&kinds->lock);
	kind = atomic_load(&kinds->kinds[id]);
	if (!kind) {
		uint32_t dense = atomic_load(&kinds->nr);

		if (kinds->comms && kinds->types)
			name_rules_find(&kinds->rules, kinds->types, &kinds->common);
		kind = PAGE_KIND_SEEN | dense;
		if (kinds->types && !event_types_find(kinds->types, id))
			kind |= PAGE_KIND_UNKNOWN;
		kind |= name_rules_of(&kinds->rules, (int)id) << PAGE_KIND_RULE_SHIFT;
		kinds->ids[dense] = id;
		atomic_store(&kinds->kinds[id], kind);
		atomic_store(&kinds->nr, dense + 1);
	}
	pthread_mutex_unlock(&kinds->lock);
	return kind;
}

/* --- bits ------------------------------------------------------------------------- */

/* Does it occur in at least one of every @pages pages?  Always false before MIN_PAGES. */
static bool is_often(const struct page_kinds *kinds, uint32_t dense, uint64_t pages)
{
	uint64_t all = atomic_load_explicit(&kinds->pages, memory_order_relaxed);

	return all >= MIN_PAGES &&
	       atomic_load_explicit(&kinds->events[dense], memory_order_relaxed) >= all / pages;
}

/*
 * A bit for a frequent type: a free one; else that of the most frequent types, where it excludes
 * next to nothing anyway.
 */
static int often_bit(struct page_kinds *kinds, uint32_t dense)
{
	int best = 0;

	for (int bit = 0; bit < OFTEN_BITS; bit++) {
		if (!kinds->load[bit]) {
			kinds->often |= 1ull << bit;
			return bit;
		}
		if (kinds->often >> bit & 1 && kinds->load[bit] > kinds->load[best])
			best = bit;
	}
	return kinds->often & 1 && is_often(kinds, dense, 4) ? best : -1;
}

/* A bit for a rare type: the one with the fewest events; some are kept free for frequent types. */
static int rare_bit(const struct page_kinds *kinds)
{
	int from = __builtin_popcountll(kinds->often) + SPARE_BITS, best = 63;

	for (int bit = 62; bit >= (from < OFTEN_BITS ? from : OFTEN_BITS); bit--)
		if (!(kinds->often >> bit & 1) && kinds->load[bit] < kinds->load[best])
			best = bit;
	return best;
}

static void set_bit(struct page_kinds *kinds, uint32_t dense, int bit)
{
	uint64_t weight = atomic_load_explicit(&kinds->events[dense], memory_order_relaxed) + 1;

	kinds->bits[dense] = (uint8_t)(1 + bit);
	kinds->load[bit] += weight;
	if (atomic_fetch_or(&kinds->sets[dense], 1ull << bit) >> bit & 1)
		return;
	atomic_fetch_add(&kinds->changes, 1);
}

uint64_t page_kinds_give_bit(struct page_kinds *kinds, uint32_t dense, bool often)
{
	unsigned int bit;

	pthread_mutex_lock(&kinds->lock);
	if (!kinds->bits[dense]) {
		int best = often || is_often(kinds, dense, PAGE_KINDS_OFTEN) ?
				   often_bit(kinds, dense) :
				   -1;

		set_bit(kinds, dense, best >= 0 ? best : rare_bit(kinds));
	}
	bit = kinds->bits[dense] - 1u;
	pthread_mutex_unlock(&kinds->lock);
	return 1ull << bit;
}

void page_kinds_sort(struct page_kinds *kinds)
{
	uint32_t nr = atomic_load(&kinds->nr);

	pthread_mutex_lock(&kinds->lock);
	memset(kinds->load, 0, sizeof(kinds->load));
	for (uint32_t i = 0; i < nr; i++)
		if (kinds->bits[i])
			kinds->load[kinds->bits[i] - 1] +=
				atomic_load_explicit(&kinds->events[i], memory_order_relaxed) + 1;
	for (uint32_t i = 0; i < nr; i++) {
		int bit = -1;

		if (kinds->bits[i] && !(kinds->often >> (kinds->bits[i] - 1) & 1) &&
		    is_often(kinds, i, PAGE_KINDS_OFTEN))
			bit = often_bit(kinds, i);
		if (bit >= 0)
			set_bit(kinds, i, bit);
	}
	pthread_mutex_unlock(&kinds->lock);
}
