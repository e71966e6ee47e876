/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/value_sets.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/filter/filter.h"
#include "src/filter/filter_computed.h"
#include "src/base/memory.h"
#include "src/filter/told_rows.h"
#include "src/trace/trace_streams.h"

static void free_items(struct value_set *set, unsigned int nr_streams)
{
	for (unsigned int i = 0; i < nr_streams && set->items; i++) {
		for (uint64_t k = 0; k < set->nr_items[i]; k++)
			match_item_unref(set->items[i][k]);
		free(set->items[i]);
	}
	free(set->items);
	free(set->nr_items);
	set->items = NULL;
	set->nr_items = NULL;
}

static void free_set(struct value_set *set, unsigned int nr_streams)
{
	free_items(set, nr_streams);
	filter_run_free(set->run);
	filter_free(set->asks);
	filter_set_fini(&set->numbers);
	row_set_free(set->rows);
	free(set);
}

static void free_chain(struct value_set *set, unsigned int nr_streams)
{
	struct value_set *next;

	for (; set; set = next) {
		next = set->next;
		free_set(set, nr_streams);
	}
}

void value_sets_fini(struct value_sets *sets)
{
	free_chain(sets->first, sets->nr_streams);
	free_chain(sets->fresh, sets->nr_streams);
	sets->first = sets->fresh = NULL;
	told_rows_free(sets->told);
	sets->told = NULL;
}

static bool same_question(const struct value_set *set, const struct filter_question *q,
			  const struct filter_set *numbers)
{
	return set->what == q->number && set->negate == q->negate &&
	       filter_set_same(&set->numbers, numbers) &&
	       (set->asks ? q->asks && filter_asks_same(set->asks, q->asks) : !q->asks);
}

static struct value_set *find(struct value_set *set, const struct filter_question *q,
			      const struct filter_set *numbers)
{
	while (set && !same_question(set, q, numbers))
		set = set->next;
	return set;
}

struct value_set *value_sets_want(struct value_sets *sets, const struct filter_question *q)
{
	const struct filter_set none = { .nr = 0 }, *numbers = q->numbers ? q->numbers : &none;
	struct value_set *set = find(sets->first, q, numbers);

	if (!set)
		set = find(sets->fresh, q, numbers);
	if (set) {
		filter_free(q->asks);
	} else {
		set = mem_alloc(sizeof(*set));
		set->trace = sets->trace;
		set->what = q->number;
		set->negate = q->negate;
		set->asks = q->asks;
		filter_set_copy(&set->numbers, numbers);
		set->next = sets->fresh;
		sets->fresh = set;
	}
	atomic_fetch_add(&set->refs, 1);
	return set;
}

void value_set_drop(struct value_set *set)
{
	atomic_fetch_sub(&set->refs, 1);
}

/* --- a pass ------------------------------------------------------------------------------ */

bool value_sets_missing(const struct value_sets *sets)
{
	for (const struct value_set *set = sets->fresh; set; set = set->next)
		if (atomic_load(&set->refs))
			return true;
	for (const struct value_set *set = sets->first; set; set = set->next)
		if (atomic_load(&set->refs) && !set->building && !atomic_load(&set->done))
			return true;
	return false;
}

/* Merge newly requested sets with the others, and free those without references. */
static void sort_sets(struct value_sets *sets)
{
	struct value_set **at, *set;

	for (at = &sets->first; *at;)
		at = &(*at)->next;
	*at = sets->fresh;
	sets->fresh = NULL;
	for (at = &sets->first; (set = *at);) {
		if (atomic_load(&set->refs)) {
			at = &set->next;
			continue;
		}
		*at = set->next;
		free_set(set, sets->nr_streams);
	}
}

bool value_sets_begin(struct value_sets *sets)
{
	bool any = false;

	sort_sets(sets);
	sets->computes = false;
	for (struct value_set *set = sets->first; set; set = set->next) {
		set->building = !atomic_load(&set->done);
		if (!set->building)
			continue;
		any = true;
		set->rows = row_set_new(sets->nr_streams);
		if (!set->asks)
			continue;
		set->run = filter_run_new(set->asks);
		sets->computes = true;
	}
	if (sets->computes)
		sets->told = told_rows_new(sets->trace);
	return any;
}

bool value_sets_ready(const struct value_sets *sets)
{
	for (const struct value_set *set = sets->first; set; set = set->next)
		if (set->building && set->asks && !filter_asks_ready(set->asks))
			return false;
	return true;
}

/* If a row is reported for a single set, the value is that set. */
static bool is_told(const struct value_set *set, const struct filter_told *told)
{
	return !set->numbers.nr || (filter_told_has(told, set->what) &&
				    told->values[set->what] == (int64_t)(intptr_t)set);
}

/* A record with values: test it against the sets for its type. */
static void see_row(void *arg, trace_ref ref, const struct filter_told *told,
		    const struct record *rec, uint32_t room)
{
	const struct value_sets *sets = arg;
	const struct trace_stream *stream = trace_stream_at(sets->trace, trace_ref_stream(ref));
	const struct common_layout *common =
		&trace_source_at(sets->trace, stream->source)->kinds.common;
	int type = field_type_id(common, rec->data, rec->size, stream->layout->swap);

	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->run || !is_told(set, told))
			continue;
		filter_run_stream(set->run, trace_ref_stream(ref));
		if (filter_run_told(set->run, told, ref, type, rec->data, rec->size, room,
				    trace_clock_ts(&stream->clock, rec->ts)))
			row_set_add(set->rows, ref);
	}
}

static void end_computing(struct value_sets *sets)
{
	if (!sets->computes)
		return;
	told_rows_read(sets->told, see_row, sets);
	told_rows_free(sets->told);
	sets->told = NULL;
	sets->computes = false;
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->run)
			continue;
		set->cut_off = filter_run_trouble(set->run) != NULL;
		filter_run_free(set->run);
		set->run = NULL;
	}
}

/* --- rows become items --- */

struct making {				/* items of a page being made */
	uint32_t	 count;
	uint64_t	*words;		/* owned, [cap] */
	uint32_t	 cap;
	bool		 any;
};

static void set_row(void *arg, uint32_t item)
{
	struct making *m = arg;
	uint32_t row = match_row_of_item(m->count, item);

	if (row >= page_rows(m->count))
		return;
	m->words[row / 64] |= 1ull << row % 64;
	m->any = true;
}

static void make_page(struct match_builder *builder, struct making *m, const struct value_set *set,
		      unsigned int stream, uint64_t page)
{
	uint32_t words = page_rows(m->count) / 64 + 1;

	if (words > m->cap) {
		m->words = mem_resize(m->words, words, sizeof(*m->words));
		m->cap = words;
	}
	memset(m->words, 0, words * sizeof(*m->words));
	m->any = false;
	row_set_page(set->rows, stream, page, set_row, m);
	if (m->any)
		match_builder_page(builder, m->count, m->words);
	else
		match_builder_none(builder, m->count);
}

static void make_items(struct value_set *set, const struct page_index *index, unsigned int stream,
		       struct match_builder *builder, struct making *m)
{
	uint64_t pages = page_index_pages(index), slab = index->slab_pages;

	set->nr_items[stream] = (pages + slab - 1) / slab;
	set->items[stream] = mem_array(set->nr_items[stream] + 1, sizeof(*set->items[stream]));
	for (uint64_t nr = 0; nr < set->nr_items[stream]; nr++) {
		match_builder_begin(builder, false, NULL);
		for (uint64_t page = nr * slab; page < pages && page < (nr + 1) * slab; page++) {
			m->count = page_index_count(index, page);
			make_page(builder, m, set, stream, page);
		}
		set->items[stream][nr] = match_builder_end(builder);
		row_set_forget(set->rows, stream, (nr + 1) * slab);
	}
}

/* Does the directory know the rows of all sub-buffers of the file? */
static bool has_directory(const struct value_sets *sets)
{
	for (unsigned int i = 0; i < sets->nr_streams; i++) {
		const struct trace_stream *stream = trace_stream_at(sets->trace, i);

		if (stream->source == sets->file &&
		    page_index_pages(&stream->index) < trace_stream_pages(sets->trace, stream))
			return false;
	}
	return true;
}

static void make_matches(struct value_sets *sets, struct value_set *set)
{
	struct match_builder builder = { .nr_pages = 0 };
	struct making m = { .words = NULL };

	set->items = mem_array(sets->nr_streams + 1, sizeof(*set->items));
	set->nr_items = mem_array(sets->nr_streams + 1, sizeof(*set->nr_items));
	for (unsigned int i = 0; i < sets->nr_streams; i++) {
		const struct trace_stream *stream = trace_stream_at(sets->trace, i);

		if (stream->source == sets->file)
			make_items(set, &stream->index, i, &builder, &m);
	}
	match_builder_fini(&builder);
	free(m.words);
	row_set_free(set->rows);
	set->rows = NULL;
}

void value_sets_end(struct value_sets *sets)
{
	bool directory = has_directory(sets);

	end_computing(sets);
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->building)
			continue;
		row_set_end(set->rows);
		if (directory)
			make_matches(sets, set);
		atomic_store_explicit(&set->done, true, memory_order_release);
	}
}

static void forget(struct value_set *set)
{
	row_set_free(set->rows);
	filter_run_free(set->run);
	set->rows = NULL;
	set->run = NULL;
}

void value_sets_stop(struct value_sets *sets)
{
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (set->building && !atomic_load(&set->done))
			forget(set);
		set->building = false;
	}
	told_rows_free(sets->told);
	sets->told = NULL;
	sets->computes = false;
}

void value_sets_restart(struct value_sets *sets)
{
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->building || atomic_load(&set->done))
			continue;
		forget(set);
		set->rows = row_set_new(sets->nr_streams);
		set->run = set->asks ? filter_run_new(set->asks) : NULL;
	}
	told_rows_free(sets->told);
	sets->told = sets->computes ? told_rows_new(sets->trace) : NULL;
}

static inline bool holds(const struct value_set *set, int64_t value)
{
	return filter_set_has(&set->numbers, (uint64_t)value) != set->negate;
}

void value_sets_tell(struct value_sets *sets, unsigned int what, trace_ref ref, int64_t value)
{
	for (struct value_set *set = sets->first; set; set = set->next)
		if (set->building && !set->asks && set->what == what && holds(set, value))
			row_set_add(set->rows, ref);
}

void value_sets_tell_all(struct value_sets *sets, trace_ref ref, const struct filter_told *told)
{
	if (sets->computes && told->known && told_rows_add(sets->told, ref, told))
		told_rows_read(sets->told, see_row, sets);
}

void value_sets_tell_row(struct value_sets *sets, struct value_set *set, trace_ref ref)
{
	struct filter_told told = { .known = 0 };

	if (!set->asks) {
		row_set_add(set->rows, ref);
		return;
	}
	filter_told_set(&told, set->what, (int64_t)(intptr_t)set);
	value_sets_tell_all(sets, ref, &told);
}

/* --- asking -------------------------------------------------------------------------------- */

bool value_set_done(const struct value_set *set)
{
	return atomic_load_explicit(&set->done, memory_order_acquire);
}

/* Items shared with matches are counted there. */
uint64_t value_set_bytes(const struct value_set *set)
{
	uint64_t bytes = sizeof(*set);

	for (unsigned int i = 0; i < trace_nr_streams(set->trace) && set->items; i++) {
		bytes += set->nr_items[i] * sizeof(*set->items[i]);
		for (uint64_t k = 0; k < set->nr_items[i]; k++)
			if (atomic_load_explicit(&set->items[i][k]->refs, memory_order_relaxed) ==
			    1)
				bytes += set->items[i][k]->bytes;
	}
	if (set->rows)
		bytes += row_set_bytes(set->rows);
	return bytes;
}

/* --- of items --- */

static const struct page_index *index_of(const struct value_set *set, unsigned int stream)
{
	return &trace_stream_at(set->trace, stream)->index;
}

struct match_item *value_set_item(const struct value_set *set, unsigned int stream, uint64_t page,
				  uint32_t nr_pages)
{
	uint64_t nr;

	if (!value_set_done(set) || !set->items || !set->items[stream])
		return NULL;
	nr = page / index_of(set, stream)->slab_pages;
	if (nr >= set->nr_items[stream] || page % index_of(set, stream)->slab_pages ||
	    set->items[stream][nr]->nr_pages != nr_pages)
		return NULL;
	return match_item_ref(set->items[stream][nr]);
}

static void look_at(const struct value_set *set, trace_ref page, struct value_seen *seen)
{
	unsigned int stream = trace_ref_stream(page);
	uint64_t number = trace_ref_page(page), slab = index_of(set, stream)->slab_pages,
		 nr = number / slab;

	*seen = (struct value_seen){ .set = set, .page = page };
	if (!set->items[stream] || nr >= set->nr_items[stream] ||
	    number % slab >= set->items[stream][nr]->nr_pages)
		return;
	seen->item = set->items[stream][nr];
	seen->of = match_page_of(&(struct match_place){ seen->item, index_of(set, stream),
							nr * slab },
				 (uint32_t)(number % slab));
}

static bool has_item(const struct value_set *set, trace_ref ref, struct value_seen *all)
{
	/* pages are scanned in pairs (match_scan.c), which must not evict each other */
	struct value_seen *seen =
		&all[((uintptr_t)set / sizeof(*set) * 2 + trace_ref_page(ref) % 2) % VALUE_SEEN];
	trace_ref page = trace_ref_make(trace_ref_stream(ref), trace_ref_page(ref), 0);
	uint32_t row;

	if (seen->set != set || seen->page != page)
		look_at(set, page, seen);
	if (!seen->item || seen->of.state == MATCH_NONE)
		return false;
	row = match_row_of_item(seen->of.count, trace_ref_item(ref));
	return row < seen->of.rows &&
	       (seen->of.state == MATCH_ALL || (match_bits(seen->item, seen->of.bit + row) & 1));
}

bool value_set_has(const struct value_set *set, trace_ref ref, struct value_seen *seen)
{
	if (!value_set_done(set))
		return false;
	return set->items ? has_item(set, ref, seen) : row_set_has(set->rows, ref);
}

bool value_set_cut_off(const struct value_set *set)
{
	return value_set_done(set) && set->cut_off;
}

const struct filter *value_set_asks(const struct value_set *set)
{
	return set->asks;
}
