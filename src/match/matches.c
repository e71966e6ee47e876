/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/match/matches.h"

#include <stdlib.h>
#include <string.h>

#include "src/match/matches_private.h"
#include "src/base/memory.h"

/* unused sets to keep, so that a filter that comes back has its matches at once */
#define KEPT_SETS	8u
#define KEPT_BYTES	(256ull << 20)	/* memory of all sets; those in use may need more */

/* --- sets ----------------------------------------------------------------------- */

static struct match_set *set_new(struct matches *m)
{
	struct match_set *set = mem_alloc(sizeof(*set));

	set->refs = 1;
	set->streams = mem_array(trace_nr_streams(m->trace), sizeof(*set->streams));
	set->runs = mem_array(m->nr_threads, sizeof(*set->runs));
	set->distance = UINT64_MAX;
	set->is_ready = true;
	mem_grow(&m->sets, m->nr_sets, &m->cap_sets);
	m->sets[m->nr_sets++] = set;
	return set;
}

static void set_forget(struct matches *m, struct match_set *set)
{
	for (unsigned int i = 0; i < trace_nr_streams(m->trace); i++) {
		struct match_stream *stream = &set->streams[i];

		for (uint64_t nr = 0; nr < stream->cap; nr++)
			match_item_unref(stream->items[nr]);
		free(stream->items);
		free(stream->busy);
		free(stream->before);
		*stream = (struct match_stream){ 0 };
	}
	set->bytes = 0;
}

static void set_free(struct matches *m, struct match_set *set)
{
	set_forget(m, set);
	for (unsigned int i = 0; i < m->nr_threads; i++)
		filter_run_free(set->runs[i]);
	filter_free(set->filter);
	free(set->members);
	free(set->todo);
	free(set->streams);
	free(set->runs);
	free(set);
}

struct match_set *match_set_ref(struct match_set *set)
{
	if (set)
		set->refs++;
	return set;
}

void match_set_unref(struct match_set *set)
{
	if (set)
		set->refs--;
}

/*
 * Free the sets without references. Main thread only, so no other thread uses them.
 */
static void free_unused_sets(struct matches *m)
{
	for (unsigned int i = 0; i < m->nr_sets;) {
		struct match_set *set = m->sets[i];

		if (set->refs) {
			i++;
			continue;
		}
		match_set_unref(set->base);
		for (unsigned int k = 0; k < set->nr_members; k++)
			match_set_unref(set->members[k]);
		m->sets[i] = m->sets[--m->nr_sets];
		set_free(m, set);
		i = 0;			/* others may be free now */
	}
}

/* Find or make the set that joins these members. */
static struct match_set *set_of(struct matches *m, struct match_set *const *members,
				unsigned int nr)
{
	struct match_set *set;

	for (unsigned int i = 0; i < m->nr_sets; i++) {
		unsigned int same = 0;

		while (same < nr && nr == m->sets[i]->nr_members &&
		       m->sets[i]->members[same] == members[same])
			same++;
		if (nr == m->sets[i]->nr_members && same == nr && !m->sets[i]->filter)
			return match_set_ref(m->sets[i]);
	}
	set = set_new(m);
	set->members = mem_array(nr, sizeof(*set->members));
	set->nr_members = nr;
	for (unsigned int i = 0; i < nr; i++)
		set->members[i] = match_set_ref(members[i]);
	return set;
}

static int compare_sets(const void *a, const void *b)
{
	const struct match_set *const *x = a, *const *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* A reference to the set of a list of filters, without duplicates; NULL if it is empty. */
static struct match_set *set_of_filters(struct matches *m, struct match_filter *const *filters,
					unsigned int nr)
{
	struct match_set **members = mem_array(nr + 1, sizeof(*members)), *set;
	unsigned int kept = 0;

	for (unsigned int i = 0; i < nr; i++)
		members[i] = filters[i]->set;
	qsort(members, nr, sizeof(*members), compare_sets);
	for (unsigned int i = 0; i < nr; i++)
		if (!i || members[i] != members[i - 1])
			members[kept++] = members[i];
	set = !kept ? NULL : kept == 1 ? match_set_ref(members[0]) : set_of(m, members, kept);
	free(members);
	return set;
}

/* --- what is kept ------------------------------------------------------------------ */

static uint64_t sets_bytes(const struct matches *m)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < m->nr_sets; i++) {
		sum += m->sets[i]->bytes +
		       (m->sets[i]->filter ? filter_memory(m->sets[i]->filter) : 0);
		for (unsigned int k = 0; k < trace_nr_streams(m->trace); k++)
			sum += m->sets[i]->streams[k].cap *
			       (sizeof(struct match_item *) + sizeof(uint64_t) + sizeof(uint8_t));
	}
	return sum;
}

static void keep(struct matches *m, struct match_set *set)
{
	set->used = ++m->clock;
	for (unsigned int i = 0; i < m->nr_kept; i++)
		if (m->kept[i] == set)
			return;
	mem_grow(&m->kept, m->nr_kept, &m->cap_kept);
	m->kept[m->nr_kept++] = match_set_ref(set);
}

/* Drop the sets that were not used for the longest time, unless others need them. */
static void trim_kept(struct matches *m)
{
	while (m->nr_kept > 0) {
		unsigned int oldest = 0;

		if (m->nr_kept <= KEPT_SETS && sets_bytes(m) <= KEPT_BYTES)
			break;
		for (unsigned int i = 1; i < m->nr_kept; i++)
			if (m->kept[i]->used < m->kept[oldest]->used)
				oldest = i;
		match_set_unref(m->kept[oldest]);
		m->kept[oldest] = m->kept[--m->nr_kept];
		free_unused_sets(m);
	}
}

/* --- filters and the stack ------------------------------------------------------------ */

struct match_filter *matches_add(struct matches *m, struct filter *filter)
{
	struct match_filter *handle = mem_alloc(sizeof(*handle));

	handle->filter = filter;
	if (m->mode == MATCHES_WAIT)
		filter_wait(filter);
	pthread_mutex_lock(&m->lock);
	for (unsigned int i = 0; i < m->nr_sets && !handle->set; i++) {
		struct match_set *set = m->sets[i];

		if (set->filter && filter_implies(filter, set->filter) &&
		    filter_implies(set->filter, filter)) {
			handle->set = match_set_ref(set);
			handle->owned = true;
		}
	}
	if (!handle->set) {
		handle->set = set_new(m);
		handle->set->filter = filter;
		handle->set->needs_names = filter_needs_names(filter);
		handle->set->is_ready = filter_ready(filter);
	}
	pthread_mutex_unlock(&m->lock);
	return handle;
}

/* Cancel all work; running jobs stop. */
static void cancel_all(struct matches *m)
{
	for (unsigned int i = 0; i < m->nr_sets; i++) {
		m->sets[i]->wanted = false;
		atomic_store(&m->sets[i]->stopped, true);
		m->sets[i]->nr_todo = 0;
	}
	for (unsigned int i = 0; i < m->nr_asked; i++) {
		keep(m, m->asked[i]);
		match_set_unref(m->asked[i]);
	}
	m->nr_asked = 0;
}

/* A mostly scanned set whose matches include all matches of this one. */
static struct match_set *find_base(struct matches *m, const struct match_set *set)
{
	struct match_set *best = NULL;
	uint64_t best_pages = 0, best_matches = 0;

	for (unsigned int i = 0; i < m->nr_sets; i++) {
		struct match_set *other = m->sets[i];
		uint64_t pages = 0, matches = 0;

		if (other == set || !other->filter || !filter_implies(set->filter, other->filter))
			continue;
		for (unsigned int k = 0; k < trace_nr_streams(m->trace); k++) {
			pages += other->streams[k].nr_pages;
			matches += other->streams[k].nr_matches;
		}
		if (pages > best_pages ||
		    (pages && pages == best_pages && matches < best_matches)) {
			best = other;
			best_pages = pages;
			best_matches = matches;
		}
	}
	return best;
}

static void want(struct matches *m, struct match_set *set)
{
	if (set->wanted)
		return;
	set->wanted = true;
	atomic_store(&set->stopped, false);
	if (set->filter) {
		match_set_unref(set->base);
		set->base = match_set_ref(find_base(m, set));
	}
	match_set_begin(m, set);
}

static void want_with_members(struct matches *m, struct match_set *set)
{
	for (unsigned int i = 0; i < set->nr_members; i++)
		want(m, set->members[i]);
	want(m, set);
}

/* For each stream, the item that contains a time. */
static bool find_origins(struct matches *m, int64_t ts)
{
	bool changed = false;

	for (unsigned int i = 0; i < trace_nr_streams(m->trace); i++) {
		const struct trace_stream *stream = trace_stream_at(m->trace, i);
		uint64_t pages = page_index_pages(&stream->index), below, origin;
		bool above;
		uint64_t raw = trace_clock_bound(&stream->clock, ts, &above);

		below = above ? pages : page_index_below(&stream->index, pages, raw);
		origin = (below > page_index_start(&stream->index) ? below - 1 : below) /
			 stream->index.slab_pages;
		changed |= origin != m->origins[i];
		m->origins[i] = origin;
	}
	return changed;
}

void matches_focus(struct matches *m, int64_t ts)
{
	pthread_mutex_lock(&m->lock);
	if (find_origins(m, ts))
		for (unsigned int i = 0; i < m->nr_sets; i++)
			if (m->sets[i]->wanted)
				match_set_begin(m, m->sets[i]);
	pthread_mutex_unlock(&m->lock);
}

static void set_stack(struct matches *m, struct match_set *set)
{
	cancel_all(m);
	if (m->stack) {
		keep(m, m->stack);
		for (unsigned int i = 0; i < m->stack->nr_members; i++)
			keep(m, m->stack->members[i]);
		match_set_unref(m->stack);
	}
	m->stack = set;
	m->version++;
	if (set) {
		set->used = ++m->clock;
		want_with_members(m, set);
	}
	/* a set that began with it no longer needs it */
	for (unsigned int i = 0; i < m->nr_sets; i++) {
		if (m->sets[i]->wanted)
			continue;
		match_set_unref(m->sets[i]->base);
		m->sets[i]->base = NULL;
	}
	free_unused_sets(m);
	trim_kept(m);
}

void matches_use(struct matches *m, struct match_filter *const *filters, unsigned int nr)
{
	pthread_mutex_lock(&m->lock);
	set_stack(m, set_of_filters(m, filters, nr));
	pthread_mutex_unlock(&m->lock);
	match_rows_forget(m);
	match_kick(m);
}

void matches_drop(struct matches *m, struct match_filter *handle)
{
	if (!handle)
		return;
	pthread_mutex_lock(&m->lock);
	keep(m, handle->set);
	match_set_unref(handle->set);
	free_unused_sets(m);
	trim_kept(m);
	pthread_mutex_unlock(&m->lock);
	if (handle->owned)
		filter_free(handle->filter);
	free(handle);
}

const struct filter *match_filter_of(const struct match_filter *handle)
{
	return handle->filter;
}

/* --- how far it is ------------------------------------------------------------------- */

static uint64_t stream_pages(const struct matches *m, unsigned int stream)
{
	uint64_t pages = trace_stream_pages(m->trace, trace_stream_at(m->trace, stream));

	return pages < PAGE_MAX_PAGES ? pages : PAGE_MAX_PAGES;
}

static struct matches_status status_of(struct matches *m, const struct match_set *set)
{
	struct matches_status status = { .exact = true };
	uint64_t bytes = 0, done = 0;

	if (!set) {
		struct trace_status all = trace_status(m->trace);

		return (struct matches_status){ .rows = all.rows, .events = all.events,
						.permille = all.permille,
						.exact = all.complete };
	}
	for (unsigned int i = 0; i < trace_nr_streams(m->trace); i++) {
		const struct match_stream *stream = &set->streams[i];
		uint64_t pages = stream_pages(m, i), extra;
		uint64_t dropped = match_dropped(m, set, i, &extra);

		/* without the pages of dropped items */
		pages -= stream->start -
			 stream->start % trace_stream_at(m->trace, i)->index.slab_pages;
		status.rows += stream->nr_matches - dropped;
		status.events += stream->nr_matches - stream->nr_extra - (dropped - extra);
		status.exact &= stream->nr_pages >= pages;
		bytes += pages * trace_stream_at(m->trace, i)->layout->page_size;
		done += stream->nr_pages * trace_stream_at(m->trace, i)->layout->page_size;
	}
	status.permille = status.exact ? 1000 : done * 1000 / bytes;
	return status;
}

struct matches_status matches_status(struct matches *m)
{
	struct matches_status status;

	pthread_mutex_lock(&m->lock);
	status = status_of(m, m->stack);
	if (m->stack && trace_end(m->trace) != INT64_MAX) {
		uint64_t settled = match_rows_settled(m), more;

		more = settled < status.rows ? status.rows - settled : 0;
		status.rows -= more;
		status.events -= more < status.events ? more : status.events;
	}
	pthread_mutex_unlock(&m->lock);
	return status;
}

uint64_t matches_stream_events(struct matches *m, unsigned int stream)
{
	uint64_t nr, extra;

	if (!m->stack)
		return trace_stream_info(m->trace, stream).events;
	pthread_mutex_lock(&m->lock);
	nr = m->stack->streams[stream].nr_matches - m->stack->streams[stream].nr_extra;
	nr -= match_dropped(m, m->stack, stream, &extra);
	nr += extra;
	pthread_mutex_unlock(&m->lock);
	return nr;
}

struct matches_status matches_count_of(struct matches *m, struct match_filter *const *filters,
				       unsigned int nr)
{
	struct matches_status status;
	struct match_set *set;
	bool asked = false;

	pthread_mutex_lock(&m->lock);
	set = set_of_filters(m, filters, nr);
	for (unsigned int i = 0; i < m->nr_asked; i++)
		asked |= m->asked[i] == set;
	if (set && set != m->stack && !asked) {
		mem_grow(&m->asked, m->nr_asked, &m->cap_asked);
		m->asked[m->nr_asked++] = match_set_ref(set);
		want_with_members(m, set);
	}
	status = status_of(m, set);
	match_set_unref(set);
	pthread_mutex_unlock(&m->lock);
	if (!status.exact)
		match_kick(m);
	return status;
}

uint64_t matches_damaged(struct matches *m)
{
	uint64_t damaged;

	if (m->mode == MATCHES_BROWSE || !m->stack)
		return trace_status(m->trace).damaged_pages;
	pthread_mutex_lock(&m->lock);
	damaged = m->stack->damaged;
	pthread_mutex_unlock(&m->lock);
	return damaged;
}

void matches_watch(struct matches *m, unsigned int file, int type_id)
{
	m->watched[file] = type_id;
}

bool matches_saw_watched(struct matches *m)
{
	bool saw;

	pthread_mutex_lock(&m->lock);
	saw = m->stack && m->stack->saw_watched;
	pthread_mutex_unlock(&m->lock);
	return saw;
}

bool matches_saw_none(struct matches *m)
{
	struct matches_status status = matches_status(m);
	bool none = m->mode == MATCHES_WAIT && status.exact && !status.rows;

	pthread_mutex_lock(&m->lock);
	none = none && m->stack && m->stack->filter && !m->stack->skipped;
	pthread_mutex_unlock(&m->lock);
	for (unsigned int i = 0; i < trace_nr_files(m->trace) && none; i++)
		atomic_store(&trace_source_at(m->trace, i)->kinds.complete, true);
	return none;
}

uint64_t matches_version(struct matches *m)
{
	uint64_t version;

	pthread_mutex_lock(&m->lock);
	version = m->version;
	pthread_mutex_unlock(&m->lock);
	return version;
}

const char *matches_trouble(struct matches *m)
{
	const char *trouble = NULL;

	pthread_mutex_lock(&m->lock);
	if (m->stack) {
		unsigned int nr;
		struct match_set *const *members = match_set_members(&m->stack, &nr);

		for (unsigned int i = 0; i < nr && !trouble; i++)
			trouble = members[i]->filter ? filter_trouble(members[i]->filter) : NULL;
	}
	pthread_mutex_unlock(&m->lock);
	return trouble;
}

uint64_t matches_memory(struct matches *m)
{
	uint64_t bytes;

	pthread_mutex_lock(&m->lock);
	bytes = sets_bytes(m);
	pthread_mutex_unlock(&m->lock);
	return bytes;
}

void matches_wait(struct matches *m)
{
	/* the directory's last update starts jobs before its own job ends */
	if (m->mode == MATCHES_BROWSE)
		trace_wait(m->trace);
	for (unsigned int i = 0; i < m->nr_sets; i++)
		if (m->sets[i]->wanted && m->sets[i]->filter)
			filter_wait(m->sets[i]->filter);
	match_kick(m);
	workers_wait(trace_workers(m->trace), &m->group);
}

/* --- a life ---------------------------------------------------------------------------- */

struct matches *matches_new(struct trace *trace, enum matches_mode mode)
{
	struct matches *m = mem_alloc(sizeof(*m));

	m->trace = trace;
	m->mode = mode;
	m->nr_threads = workers_nr(trace_workers(trace)) + 1;
	m->scanners = mem_array(m->nr_threads, sizeof(*m->scanners));
	for (unsigned int i = 0; i < m->nr_threads; i++)
		m->scanners[i] = match_scanner_new(trace);
	m->origins = mem_array(trace_nr_streams(trace), sizeof(*m->origins));
	m->here = mem_array(trace_nr_streams(trace), sizeof(*m->here));
	m->version = 1;
	m->watched = mem_array(trace_nr_files(trace), sizeof(*m->watched));
	for (unsigned int i = 0; i < trace_nr_files(trace); i++)
		m->watched[i] = -1;
	m->deadline = INT64_MAX;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->news, NULL);
	trace_listen(trace, mode == MATCHES_BROWSE ? match_progress : NULL, m);
	return m;
}

void matches_free(struct matches *m)
{
	if (!m)
		return;
	trace_listen(m->trace, NULL, m);
	pthread_mutex_lock(&m->lock);
	m->closing = true;
	set_stack(m, NULL);
	pthread_mutex_unlock(&m->lock);
	workers_wait(trace_workers(m->trace), &m->group);
	match_rows_forget(m);
	while (m->nr_sets)
		set_free(m, m->sets[--m->nr_sets]);
	for (unsigned int i = 0; i < m->nr_threads; i++)
		match_scanner_free(m->scanners[i]);
	free(m->scanners);
	free(m->sets);
	free(m->kept);
	free(m->asked);
	free(m->origins);
	free(m->stacks);
	free(m->watched);
	free(m->here);
	pthread_cond_destroy(&m->news);
	pthread_mutex_destroy(&m->lock);
	free(m);
}
