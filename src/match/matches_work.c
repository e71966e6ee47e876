/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * matches_work - workers scan the items of wanted sets: the stack first, then sets that are only
 * counted; near the window first, then outward.
 *
 * A job scans one item and queues itself again, so that more urgent jobs get their turn.  Jobs end
 * when nothing is left; growth of the directory, or a new request, starts them again.
 */
#include <stdlib.h>
#include <string.h>

#include "src/match/matches_private.h"
#include "src/base/memory.h"

struct claim {
	struct match_set *set;		/* reference: scanned if it has a filter, else joined */
	struct match_place_of at;
	struct match_task task;		/* .base, .old: references */
	struct match_item **items;	/* owned, of references: of the members */
	unsigned int	 nr_items;
};

uint64_t match_pages(const struct matches *m, unsigned int nr)
{
	const struct trace_stream *stream = trace_stream_at(m->trace, nr);
	uint64_t pages;

	if (m->mode == MATCHES_BROWSE)
		return page_index_pages(&stream->index);
	pages = trace_stream_pages(m->trace, stream);
	return pages < PAGE_MAX_PAGES ? pages : PAGE_MAX_PAGES;
}

static uint32_t slab_pages(const struct matches *m, unsigned int stream)
{
	return trace_stream_at(m->trace, stream)->index.slab_pages;
}

/* The first item that has pages which are not dropped. */
static uint64_t first_item(const struct matches *m, unsigned int stream)
{
	return page_index_start(&trace_stream_at(m->trace, stream)->index) / slab_pages(m, stream);
}

/* Number of an item's pages that can be scanned now. */
static uint32_t item_pages(const struct matches *m, unsigned int stream, uint64_t nr)
{
	uint32_t slab = slab_pages(m, stream);
	uint64_t pages = match_pages(m, stream), first = nr * slab;

	return nr < first_item(m, stream) || pages <= first ? 0 :
	       pages - first < slab                         ? pages - first :
							      slab;
}

static uint64_t nr_items(const struct matches *m, unsigned int stream)
{
	return (match_pages(m, stream) + slab_pages(m, stream) - 1) / slab_pages(m, stream);
}

static struct match_item *item_of(const struct match_set *set, unsigned int stream, uint64_t nr)
{
	return nr < set->streams[stream].cap ? set->streams[stream].items[nr] : NULL;
}

const struct match_item *match_item_at(const struct matches *m, const struct match_set *set,
				       unsigned int stream, uint64_t page,
				       struct match_place *place)
{
	uint32_t slab = slab_pages(m, stream);
	const struct match_item *item = item_of(set, stream, page / slab);

	if (!item || page % slab >= item->nr_pages)
		return NULL;
	*place = (struct match_place){ item, &trace_stream_at(m->trace, stream)->index,
				       page / slab * slab };
	return item;
}

/* --- where to look next ------------------------------------------------------------- */

static void reserve_items(struct match_stream *stream, uint64_t nr)
{
	uint64_t cap = stream->cap ? stream->cap : 4;

	if (nr <= stream->cap)
		return;
	while (cap < nr)
		cap *= 2;
	stream->items = mem_resize(stream->items, cap, sizeof(*stream->items));
	stream->busy = mem_resize(stream->busy, cap, sizeof(*stream->busy));
	stream->before = mem_resize(stream->before, cap + 1, sizeof(*stream->before));
	memset(stream->items + stream->cap, 0, (cap - stream->cap) * sizeof(*stream->items));
	memset(stream->busy + stream->cap, 0, (cap - stream->cap) * sizeof(*stream->busy));
	stream->cap = cap;
}

void match_set_begin(struct matches *m, struct match_set *set)
{
	for (unsigned int i = 0; i < trace_nr_streams(m->trace); i++) {
		struct match_stream *stream = &set->streams[i];

		stream->limit = stream->fresh = nr_items(m, i);
		/* the last item may grow */
		stream->fresh -= stream->fresh > 0;
		stream->origin = m->origins[i] < stream->limit ? m->origins[i] :
				 stream->limit                 ? stream->limit - 1 :
								 0;
		reserve_items(stream, stream->limit);
	}
	set->distance = 0;
	set->turn = 0;
}

/* Number of an item's pages that a set could know now; for joined sets, what all members know. */
static uint32_t pages_within_reach(const struct matches *m, const struct match_set *set,
				   unsigned int stream, uint64_t nr)
{
	uint32_t pages = (set->needs_names && !m->has_names) || !set->is_ready ?
				 0 :
				 item_pages(m, stream, nr);

	for (unsigned int i = 0; i < set->nr_members; i++) {
		const struct match_item *item = item_of(set->members[i], stream, nr);

		if (!item)
			return 0;
		pages = item->nr_pages < pages ? item->nr_pages : pages;
	}
	return pages;
}

/* Does an item need work, and is no worker on it? */
static bool is_open(const struct matches *m, struct match_set *set, unsigned int stream,
		    uint64_t nr)
{
	const struct match_item *item = item_of(set, stream, nr);

	if (nr < set->streams[stream].cap && set->streams[stream].busy[nr])
		return false;
	return pages_within_reach(m, set, stream, nr) > (item ? item->nr_pages : 0);
}

static bool next_todo(struct matches *m, struct match_set *set, struct match_place_of *at)
{
	while (set->nr_todo) {
		*at = set->todo[--set->nr_todo];
		if (is_open(m, set, at->stream, at->nr))
			return true;
	}
	return false;
}

/* The next item outward from the origins, with all streams at the same pace. */
static bool next_outward(struct matches *m, struct match_set *set, struct match_place_of *at)
{
	bool any = true;

	for (; set->distance != UINT64_MAX; set->distance++, set->turn = 0) {
		any = set->turn > 0;
		for (; set->turn < 2 * trace_nr_streams(m->trace); set->turn++) {
			const struct match_stream *stream = &set->streams[set->turn / 2];
			bool back = set->turn % 2;
			uint64_t nr = back ? stream->origin - set->distance :
					     stream->origin + set->distance;

			if (back ? set->distance > stream->origin ||
					    nr < first_item(m, set->turn / 2) :
				   nr >= stream->limit)
				continue;
			any = true;
			if (nr < stream->limit && is_open(m, set, set->turn / 2, nr)) {
				*at = (struct match_place_of){ set->turn / 2, nr };
				return true;
			}
		}
		if (!any)
			break;
	}
	set->distance = UINT64_MAX;
	return false;
}

/* The next item that was added to the directory. */
static bool next_fresh(struct matches *m, struct match_set *set, struct match_place_of *at)
{
	for (unsigned int i = 0; i < trace_nr_streams(m->trace); i++) {
		struct match_stream *stream = &set->streams[i];
		uint64_t end = nr_items(m, i);

		for (uint64_t nr = stream->fresh; nr < end; nr++) {
			const struct match_item *item = item_of(set, i, nr);

			if (item && nr == stream->fresh && item->nr_pages == slab_pages(m, i))
				stream->fresh++;
			else if (is_open(m, set, i, nr)) {
				*at = (struct match_place_of){ i, nr };
				return true;
			}
		}
	}
	return false;
}

static void take_scan(struct matches *m, struct match_set *set, struct claim *claim)
{
	unsigned int stream = claim->at.stream;
	uint64_t nr = claim->at.nr;

	if (set->base && m->mode == MATCHES_BROWSE)
		claim->task.base = match_item_ref(item_of(set->base, stream, nr));
	claim->task.old = match_item_ref(item_of(set, stream, nr));
}

static void take_join(struct match_set *set, struct claim *claim)
{
	claim->items = mem_array(set->nr_members, sizeof(*claim->items));
	for (; claim->nr_items < set->nr_members; claim->nr_items++)
		claim->items[claim->nr_items] = match_item_ref(
			item_of(set->members[claim->nr_items], claim->at.stream, claim->at.nr));
}

/* Claim an item of a set. */
static void claim_item(struct matches *m, struct match_set *set, struct match_place_of at,
		       struct claim *claim)
{
	struct match_stream *stream = &set->streams[at.stream];

	reserve_items(stream, at.nr + 1);
	stream->busy[at.nr] = true;
	*claim = (struct claim){ .set = match_set_ref(set), .at = at };
	claim->task = (struct match_task){
		.stream = at.stream,
		.first = at.nr * slab_pages(m, at.stream),
		.nr_pages = pages_within_reach(m, set, at.stream, at.nr),
		.directory = m->mode == MATCHES_BROWSE,
		.stopped = &set->stopped,
		.watched = m->watched[trace_stream_at(m->trace, at.stream)->source],
	};
	if (set->filter)
		take_scan(m, set, claim);
	else
		take_join(set, claim);
}

static bool claim_of_set(struct matches *m, struct match_set *set, struct claim *claim)
{
	struct match_place_of at;

	if (!set->wanted ||
	    !(next_todo(m, set, &at) || next_outward(m, set, &at) || next_fresh(m, set, &at)))
		return false;
	claim_item(m, set, at, claim);
	return true;
}

/* Claim from the set, then from its members in turn. */
static bool claim_with_members(struct matches *m, struct match_set *set, struct claim *claim)
{
	if (claim_of_set(m, set, claim))
		return true;
	for (unsigned int i = 0; i < set->nr_members; i++)
		if (claim_of_set(m, set->members[m->next_member++ % set->nr_members], claim))
			return true;
	return false;
}

/*
 * Once all names of tasks in the trace are known, start the sets that waited for them.  In a pass
 * without a directory, names are used as they are.
 */
static void look_for_names(struct matches *m)
{
	bool complete = true;

	for (unsigned int i = 0;
	     i < trace_nr_streams(m->trace) && complete && m->mode == MATCHES_BROWSE; i++)
		complete = page_index_pages(&trace_stream_at(m->trace, i)->index) >=
			   trace_stream_pages(m->trace, trace_stream_at(m->trace, i));
	if (complete && !m->has_names)
		for (unsigned int i = 0; i < m->nr_sets; i++)
			if (m->sets[i]->wanted && m->sets[i]->needs_names)
				match_set_begin(m, m->sets[i]);
	m->has_names = complete;
}

/* Start the sets whose models have become ready. */
static void look_for_models(struct matches *m)
{
	for (unsigned int i = 0; i < m->nr_sets; i++) {
		struct match_set *set = m->sets[i];

		if (set->is_ready || !filter_ready(set->filter))
			continue;
		set->is_ready = true;
		if (set->wanted)
			match_set_begin(m, set);
	}
}

static bool claim_any(struct matches *m, struct claim *claim)
{
	if (m->closing)
		return false;
	look_for_names(m);
	look_for_models(m);
	if (m->stack && claim_with_members(m, m->stack, claim))
		return true;
	for (unsigned int i = 0; i < m->nr_asked; i++)
		if (claim_with_members(m, m->asked[i], claim))
			return true;
	return false;
}

/* --- what is dropped ----------------------------------------------------------------- */

uint64_t match_dropped(const struct matches *m, const struct match_set *set, unsigned int stream,
		       uint64_t *extra)
{
	uint64_t start = set->streams[stream].start;
	uint32_t pages = start % slab_pages(m, stream);
	struct match_place place;

	*extra = 0;
	if (!pages || !match_item_at(m, set, stream, start - pages, &place))
		return 0;
	for (uint32_t i = 0; i < pages && place.item->nr_extra && i < place.item->nr_pages; i++) {
		struct match_page page = match_page_of(&place, i);

		if (page.count & PAGE_LOST)
			*extra += match_next_row(place.item, &page, 0) == 0;
		if (page.count & PAGE_DAMAGED)
			*extra += match_next_row(place.item, &page, page.rows - 1) == page.rows - 1;
	}
	return match_before_page(&place, pages);
}

static void unpublish(struct match_set *set, struct match_stream *stream, uint64_t nr)
{
	struct match_item *old = stream->items[nr];

	if (!old)
		return;
	stream->nr_pages -= old->nr_pages;
	stream->nr_matches -= old->nr_matches;
	stream->nr_extra -= old->nr_extra;
	set->bytes -= old->bytes;
	match_item_unref(old);
	stream->items[nr] = NULL;
}

/* The items of dropped pages go. */
static void follow_start(struct matches *m, struct match_set *set, unsigned int nr)
{
	struct match_stream *stream = &set->streams[nr];
	uint64_t start = page_index_start(&trace_stream_at(m->trace, nr)->index),
		 item = stream->start / slab_pages(m, nr);

	if (stream->start == start)
		return;
	stream->start = start;
	stream->nr_before = 0;
	for (; item < first_item(m, nr) && item < stream->cap; item++)
		unpublish(set, stream, item);
	if (stream->fresh < first_item(m, nr))
		stream->fresh = first_item(m, nr);
	m->version++;
}

/* --- doing it ------------------------------------------------------------------------- */

struct filter_run *match_run(struct match_set *set, unsigned int thread)
{
	if (!set->runs[thread])
		set->runs[thread] = filter_run_new(set->filter);
	return set->runs[thread];
}

static void publish(struct matches *m, const struct claim *claim, struct match_item *item)
{
	struct match_stream *stream = &claim->set->streams[claim->at.stream];

	unpublish(claim->set, stream, claim->at.nr);
	stream->items[claim->at.nr] = item;
	stream->nr_pages += item->nr_pages;
	stream->nr_matches += item->nr_matches;
	stream->nr_extra += item->nr_extra;
	claim->set->bytes += item->bytes;
	claim->set->damaged += claim->task.damaged;
	claim->set->saw_watched |= claim->task.saw_watched;
	claim->set->skipped |= claim->task.skipped;
	if (stream->nr_before > claim->at.nr + 1)
		stream->nr_before = claim->at.nr + 1;
	/* joined sets that include this one can go on */
	for (unsigned int i = 0; claim->set->filter && i < m->nr_sets; i++) {
		struct match_set *set = m->sets[i];

		for (unsigned int k = 0; set->wanted && k < set->nr_members; k++) {
			if (set->members[k] != claim->set)
				continue;
			mem_grow(&set->todo, set->nr_todo, &set->cap_todo);
			set->todo[set->nr_todo++] = claim->at;
		}
	}
}

/*
 * While the item was busy, others passed it by: look at it again if there is more to know of it
 * now.  The directory has grown, members have learnt more, or the set is wanted again after its
 * scan was stopped.
 */
static void reopen_item(struct matches *m, const struct claim *claim)
{
	struct match_set *set = claim->set;

	if (!set->wanted || !is_open(m, set, claim->at.stream, claim->at.nr))
		return;
	mem_grow(&set->todo, set->nr_todo, &set->cap_todo);
	set->todo[set->nr_todo++] = claim->at;
}

/* Do the claimed work, and publish the result. */
static void do_claim(struct matches *m, struct claim *claim, unsigned int thread)
{
	struct match_scanner *scanner = m->scanners[thread];
	struct match_item *item;

	if (claim->set->filter) {
		claim->task.run = match_run(claim->set, thread);
		item = match_scan(scanner, &claim->task);
	} else {
		item = match_join(scanner, &claim->task, claim->items, claim->nr_items);
	}
	pthread_mutex_lock(&m->lock);
	claim->set->streams[claim->at.stream].busy[claim->at.nr] = false;
	if (item)
		publish(m, claim, item);
	reopen_item(m, claim);
	match_item_unref(claim->task.base);
	match_item_unref(claim->task.old);
	for (unsigned int i = 0; i < claim->nr_items; i++)
		match_item_unref(claim->items[i]);
	m->version++;
	match_set_unref(claim->set);
	pthread_cond_broadcast(&m->news);
	pthread_mutex_unlock(&m->lock);
	free(claim->items);
}

static void match_job(void *arg, unsigned int worker, bool cancelled)
{
	struct matches *m = arg;
	struct claim claim;
	bool any;

	pthread_mutex_lock(&m->lock);
	any = !cancelled && claim_any(m, &claim);
	if (!any)
		m->jobs--;
	pthread_mutex_unlock(&m->lock);
	if (!any)
		return;
	do_claim(m, &claim, worker);
	workers_add(trace_workers(m->trace), &m->group, WORKER_REQUESTED, match_job, m);
}

void match_kick(struct matches *m)
{
	unsigned int more = 0;

	pthread_mutex_lock(&m->lock);
	for (unsigned int i = 0; i < m->nr_sets; i++)
		for (unsigned int k = 0; k < trace_nr_streams(m->trace); k++)
			follow_start(m, m->sets[i], k);
	if (!m->closing && (m->stack || m->nr_asked)) {
		more = workers_nr(trace_workers(m->trace)) - m->jobs;
		m->jobs += more;
	}
	pthread_mutex_unlock(&m->lock);
	while (more--)
		workers_add(trace_workers(m->trace), &m->group, WORKER_REQUESTED, match_job, m);
}

void match_progress(void *arg)
{
	match_kick(arg);
}

void match_need(struct matches *m, unsigned int stream, uint64_t nr)
{
	struct match_set *set = m->stack;

	pthread_mutex_lock(&m->lock);
	look_for_names(m);
	look_for_models(m);
	for (;;) {
		struct match_set *want = NULL;
		unsigned int nr_members;
		struct match_set *const *members = match_set_members(&set, &nr_members);
		struct claim claim;

		if (is_open(m, set, stream, nr))
			want = set;
		for (unsigned int i = 0; !want && i < nr_members; i++)
			if (is_open(m, members[i], stream, nr))
				want = members[i];
		if (want) {
			claim_item(m, want, (struct match_place_of){ stream, nr }, &claim);
			pthread_mutex_unlock(&m->lock);
			do_claim(m, &claim, m->nr_threads - 1);
			pthread_mutex_lock(&m->lock);
			continue;
		}
		/* it is complete, or someone is working on it */
		if (item_of(set, stream, nr) &&
		    item_of(set, stream, nr)->nr_pages >= item_pages(m, stream, nr))
			break;
		pthread_cond_wait(&m->news, &m->lock);
	}
	pthread_mutex_unlock(&m->lock);
}
