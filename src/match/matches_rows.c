/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * matches_rows - finds matching rows: the next one, the nr-th one, how many before one, and their
 * distribution over time.
 *
 * Where workers have scanned, a stream's next match is found from the bits.  Elsewhere, rows are
 * read and matched on the spot, a little at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/match/matches_private.h"
#include "src/base/memory.h"

#define ROWS_PER_STEP	128u	/* rows matched at once before the next stream */
#define PAGES_PER_STEP	1024u	/* pages excluded by the directory */

void matches_budget(struct matches *m, int64_t ns)
{
	m->deadline = ns < 0 ? INT64_MAX : workers_now_ns() + ns;
}

/*
 * Are the models of the stack's filters complete? Until then no row is known to match. Without a
 * time limit, waits for them.
 */
static bool has_models(struct matches *m)
{
	struct match_set *const *members;
	unsigned int nr;

	members = match_set_members(&m->stack, &nr);
	for (unsigned int i = 0; i < nr; i++) {
		if (m->deadline == INT64_MAX)
			filter_wait(members[i]->filter);
		if (!filter_ready(members[i]->filter))
			return false;
	}
	return true;
}

static bool has_time(void *arg)
{
	struct matches *m = arg;

	if (m->stack && !has_models(m))
		return false;
	return m->deadline == INT64_MAX || workers_now_ns() < m->deadline;
}

/* The main thread's run of a filter. */
static struct filter_run *own_run(struct matches *m, struct match_set *set)
{
	return match_run(set, m->nr_threads - 1);
}

bool matches_test(struct matches *m, const struct trace_event *event)
{
	struct match_set *const *members;
	unsigned int nr;

	if (!m->stack)
		return true;
	members = match_set_members(&m->stack, &nr);
	for (unsigned int i = 0; i < nr; i++)
		if (!filter_run_event(own_run(m, members[i]), event))
			return false;
	return true;
}

/* --- a stream's next match: what is known ----------------------------------------------- */

enum known { KNOWN_ROW, KNOWN_END, KNOWN_NOT };

/* The cached page of the stack; NULL if nothing is known of it. */
static const struct match_here *look_at(struct matches *m, unsigned int stream, uint64_t page)
{
	struct match_here *here = &m->here[stream];
	struct match_place place;

	if (here->version == m->version && here->nr == page)
		return here;
	if (!match_item_at(m, m->stack, stream, page, &place))
		return NULL;
	*here = (struct match_here){ .version = m->version, .nr = page, .first = place.first,
				     .item = place.item,
				     .page = match_page_of(&place, page - place.first) };
	return here;
}

/* The place of a row in a page. */
static void place_at(const struct match_here *here, uint32_t row, uint64_t *page, uint32_t *item)
{
	*page = here->nr;
	*item = match_item_of_row(here->page.count, row);
}

/*
 * The next known match from the place (before an item of a page) on.  KNOWN_NOT: *page and *item
 * are where knowledge ends.  Called with the lock held.
 */
static enum known known_next(struct matches *m, unsigned int stream, uint64_t pages, uint64_t *page,
			     uint32_t *item)
{
	if (*item > TRACE_REF_ITEM_LAST) {
		++*page;
		*item = 0;
	}
	while (*page < pages) {
		const struct match_here *here = look_at(m, stream, *page);
		uint32_t row, next;

		if (!here)
			return KNOWN_NOT;
		row = match_next_row(here->item, &here->page,
				     match_row_of_item(here->page.count, *item));
		if (row != UINT32_MAX) {
			place_at(here, row, page, item);
			return KNOWN_ROW;
		}
		next = match_next_page(here->item, *page - here->first + 1);
		*page = here->first + (next == UINT32_MAX ? here->item->nr_pages : next);
		*item = 0;
	}
	return KNOWN_END;
}

static enum known known_prev(struct matches *m, unsigned int stream, uint64_t *page, uint32_t *item)
{
	uint64_t start = page_index_start(&trace_stream_at(m->trace, stream)->index);

	for (;;) {
		const struct match_here *here;
		uint32_t row, prev;

		if (!*item) {
			if (*page <= start)
				return KNOWN_END;
			--*page;
			*item = TRACE_REF_ITEM_LAST + 1;
		}
		here = look_at(m, stream, *page);
		if (!here)
			return KNOWN_NOT;
		row = match_prev_row(here->item, &here->page,
				     match_row_of_item(here->page.count, *item));
		if (row != UINT32_MAX) {
			place_at(here, row, page, item);
			return KNOWN_ROW;
		}
		prev = match_prev_page(here->item, *page - here->first);
		*page = here->first + (prev == UINT32_MAX ? 0 : prev + 1);
		*item = 0;
	}
}

/* --- a stream's next match: on the spot --------------------------------------------------- */

/* Does any single filter exclude all rows of a page, by the directory? */
static bool is_ruled_out(struct matches *m, unsigned int stream, uint64_t page)
{
	const struct trace_stream *of = trace_stream_at(m->trace, stream);
	struct match_set *const *members;
	struct match_place place;
	unsigned int nr;

	if (page >= page_index_pages(&of->index))
		return false;
	members = match_set_members(&m->stack, &nr);
	for (unsigned int i = 0; i < nr; i++) {
		struct filter_run *run = own_run(m, members[i]);
		bool none;

		pthread_mutex_lock(&m->lock);
		none = match_item_at(m, members[i], stream, page, &place) &&
		       match_page_state(&place, page - place.first, NULL) == MATCH_NONE;
		pthread_mutex_unlock(&m->lock);
		if (none || filter_run_stream(run, stream) == FILTER_NEVER ||
		    !match_page_may(m->trace, stream, run, page))
			return true;
	}
	return false;
}

static int type_of(const struct matches *m, const struct trace_stream *stream,
		   const struct cursor_row *row)
{
	return field_type_id(&trace_source_at(m->trace, stream->source)->kinds.common, row->data,
			     row->size, stream->layout->swap);
}

static bool row_matches(struct matches *m, unsigned int stream, const struct cursor_row *row)
{
	const struct trace_stream *of = trace_stream_at(m->trace, stream);
	struct match_set *const *members;
	struct trace_event event;
	unsigned int nr;
	int type;

	if (row->item == CURSOR_LOST || row->item == CURSOR_DAMAGE) {
		trace_fill_event(m->trace, stream, row, &event);
		return matches_test(m, &event);
	}
	type = type_of(m, of, row);
	members = match_set_members(&m->stack, &nr);
	for (unsigned int i = 0; i < nr; i++) {
		struct filter_run *run = own_run(m, members[i]);
		enum filter_verdict verdict = filter_run_stream(run, stream);

		if (verdict == FILTER_TEST)
			verdict = filter_run_type(run, type);
		if (verdict == FILTER_NEVER ||
		    (verdict == FILTER_TEST &&
		     !filter_run_match(run, trace_ref_make(stream, row->page, row->item), type,
				       row->data, row->size, row->room,
				       trace_clock_ts(&of->clock, row->ts))))
			return false;
	}
	return true;
}

/* A key that is not below any row before this page. */
static uint64_t upper_bound(const struct trace_stream *stream, uint64_t page)
{
	return page < page_index_pages(&stream->index) ? page_index_first(&stream->index, page) :
							 UINT64_MAX;
}

static bool step(struct cursor *cursor, bool forward, struct cursor_row *row)
{
	return forward ? cursor_next(cursor, row) : cursor_prev(cursor, row);
}

/* Read rows of the cursor's page up to a match, some at a time. */
static enum trace_step read_rows(struct matches *m, unsigned int stream, struct cursor *cursor,
				 bool forward, struct cursor_row *row, uint64_t *bound)
{
	uint64_t page = cursor->page;

	for (unsigned int i = 0; i < ROWS_PER_STEP; i++) {
		if (!step(cursor, forward, row))
			return TRACE_STEP_END;
		if (row_matches(m, stream, row))
			return TRACE_STEP_ROW;
		*bound = row->key;
		if (row->page != page)
			break;
	}
	return TRACE_STEP_ON;
}

static enum trace_step read_next(struct matches *m, unsigned int stream, struct cursor *cursor,
				 struct cursor_row *row, uint64_t *bound)
{
	const struct trace_stream *of = trace_stream_at(m->trace, stream);
	uint64_t page = cursor->page, first = page;

	while (page - first < PAGES_PER_STEP && is_ruled_out(m, stream, page))
		page++;
	if (page != first) {
		cursor_seek(cursor, page, CURSOR_LOST);
		*bound = page < page_index_pages(&of->index) ?
				 page_index_first(&of->index, page) :
				 page_index_last(&of->index, page - 1);
		return TRACE_STEP_ON;
	}
	return read_rows(m, stream, cursor, true, row, bound);
}

static enum trace_step read_prev(struct matches *m, unsigned int stream, struct cursor *cursor,
				 struct cursor_row *row, uint64_t *bound)
{
	const struct trace_stream *of = trace_stream_at(m->trace, stream);
	uint64_t page = cursor->page, first = page;

	while (first - page < PAGES_PER_STEP && is_ruled_out(m, stream, page)) {
		*bound = upper_bound(of, page);
		cursor_seek(cursor, page, CURSOR_LOST);
		if (page <= page_index_start(&of->index))
			return TRACE_STEP_END;
		page--;
	}
	return page != first ? TRACE_STEP_ON : read_rows(m, stream, cursor, false, row, bound);
}

/* --- the cursor's sieve ---------------------------------------------------------------------- */

/* Move the cursor to a place if it is elsewhere. */
static void go_to(struct cursor *cursor, uint64_t page, uint32_t item)
{
	if (cursor->page != page || cursor->item != item)
		cursor_seek(cursor, page, item);
}

/* Read a row that is known to match.  If the file has changed, its current contents count. */
static enum trace_step read_known(struct matches *m, unsigned int stream, struct cursor *cursor,
				  bool forward, uint64_t page, uint32_t item,
				  struct cursor_row *row, uint64_t *bound)
{
	go_to(cursor, page, forward ? item : item + 1);
	if (!step(cursor, forward, row))
		return TRACE_STEP_END;
	*bound = row->key;
	return (row->page == page && row->item == item) || row_matches(m, stream, row) ?
		       TRACE_STEP_ROW :
		       TRACE_STEP_ON;
}

static enum trace_step sieve_step(void *arg, unsigned int stream, struct cursor *cursor,
				  bool forward, bool behind, struct cursor_row *row,
				  uint64_t *bound)
{
	struct matches *m = arg;

	(void)behind;
	for (;;) {
		uint64_t page = cursor->page, pages = cursor_pages(cursor);
		uint32_t item = cursor->item;
		enum known known;

		pthread_mutex_lock(&m->lock);
		known = forward ? known_next(m, stream, pages, &page, &item) :
				  known_prev(m, stream, &page, &item);
		pthread_mutex_unlock(&m->lock);
		switch (known) {
		case KNOWN_ROW:
			return read_known(m, stream, cursor, forward, page, item, row, bound);
		case KNOWN_END:
			cursor_seek(cursor, forward ? pages : 0, CURSOR_LOST);
			return TRACE_STEP_END;
		case KNOWN_NOT:
			break;
		}
		if (m->mode == MATCHES_WAIT && page < match_pages(m, stream)) {
			go_to(cursor, page, item);
			match_need(m, stream,
				   page / trace_stream_at(m->trace, stream)->index.slab_pages);
			continue;
		}
		go_to(cursor, page, item);
		if (!has_models(m)) {
			*bound = forward ? 0 : UINT64_MAX;
			return TRACE_STEP_ON;
		}
		return forward ? read_next(m, stream, cursor, row, bound) :
				 read_prev(m, stream, cursor, row, bound);
	}
}

/* Is a record a stack, by its type? */
static bool is_stack(struct matches *m, unsigned int stream, const struct cursor_row *row)
{
	const struct trace_stream *of = trace_stream_at(m->trace, stream);
	const struct match_stacks *stacks = &m->stacks[of->source];
	int type = type_of(m, of, row);

	return type == stacks->kernel || type == stacks->user;
}

/* As sieve_step(), but it also returns stacks behind rows that were returned. */
static enum trace_step sieve_step_with_stacks(void *arg, unsigned int stream, struct cursor *cursor,
					      bool forward, bool behind, struct cursor_row *row,
					      uint64_t *bound)
{
	struct matches *m = arg;
	enum known known = KNOWN_NOT;
	uint64_t page;
	uint32_t item;

	if (!forward || !behind)
		return sieve_step(arg, stream, cursor, forward, behind, row, bound);
	do {
		if (!cursor_next(cursor, row))
			return TRACE_STEP_END;
	} while (row->item == CURSOR_LOST || row->item == CURSOR_DAMAGE);
	if (is_stack(m, stream, row))
		return TRACE_STEP_ROW;
	/* it may be the next match itself, so do not go back */
	page = row->page;
	item = row->item;
	pthread_mutex_lock(&m->lock);
	known = known_next(m, stream, page + 1, &page, &item);
	pthread_mutex_unlock(&m->lock);
	if (known == KNOWN_ROW && page == row->page && item == row->item)
		return TRACE_STEP_ROW;
	if (known == KNOWN_NOT)
		cursor_seek(cursor, row->page, row->item);
	return sieve_step(arg, stream, cursor, forward, false, row, bound);
}

static int stack_type(struct matches *m, unsigned int file, const char *name)
{
	const struct event_type *type = event_types_by_name(trace_source_at(m->trace, file)->types,
							    "ftrace", name);

	return type ? type->id : -1;
}

void trace_cursor_matches_and_stacks(struct trace_cursor *cursor, struct matches *m)
{
	struct trace_sieve sieve = { sieve_step_with_stacks, has_time, m };

	if (!m->stacks) {
		m->stacks = mem_array(trace_nr_files(m->trace), sizeof(*m->stacks));
		for (unsigned int i = 0; i < trace_nr_files(m->trace); i++)
			m->stacks[i] = (struct match_stacks){ stack_type(m, i, "kernel_stack"),
							      stack_type(m, i, "user_stack") };
	}
	trace_cursor_set_sieve(cursor, m->stack ? &sieve : NULL);
}

void trace_cursor_only_matches(struct trace_cursor *cursor, struct matches *m)
{
	struct trace_sieve sieve = { sieve_step, has_time, m };

	trace_cursor_set_sieve(cursor, m && m->stack ? &sieve : NULL);
}

/* --- finding one ------------------------------------------------------------------------------ */

void match_rows_forget(struct matches *m)
{
	trace_cursor_free(m->finder);
	m->finder = NULL;
	m->finder_begun = false;
}

enum matches_found matches_seek_time(struct matches *m, int64_t ts, trace_ref *found)
{
	struct trace_event event;
	bool any;

	*found = TRACE_REF_NONE;
	if (!m->finder) {
		m->finder = trace_cursor_new(m->trace);
		trace_cursor_only_matches(m->finder, m);
	}
	if (!m->finder_begun || m->finder_ts != ts)
		trace_cursor_seek_time(m->finder, ts);
	m->finder_ts = ts;
	any = trace_cursor_next(m->finder, &event);
	m->finder_begun = !any && trace_cursor_is_later(m->finder);
	if (m->finder_begun)
		return MATCHES_LATER;
	if (!any)
		return MATCHES_NONE;
	*found = event.ref;
	return MATCHES_FOUND;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/*
 * Number of matches of the stack in the items before an item of a stream, of those that are left;
 * MATCH_INEXACT is set if some are unknown.
 */
static uint64_t before_item(const struct matches *m, unsigned int nr, uint64_t item)
{
	struct match_stream *stream = &m->stack->streams[nr];
	uint32_t slab = trace_stream_at(m->trace, nr)->index.slab_pages;

	if (!stream->cap)
		return item ? MATCH_INEXACT : 0;
	if (!stream->nr_before) {
		stream->before[0] = 0;
		stream->nr_before = 1;
	}
	for (; stream->nr_before <= item && stream->nr_before <= stream->cap; stream->nr_before++) {
		const struct match_item *known = stream->items[stream->nr_before - 1];
		uint64_t sum = stream->before[stream->nr_before - 1];

		if (stream->nr_before <= stream->start / slab) {	/* it is dropped */
			stream->before[stream->nr_before] = 0;
			continue;
		}
		sum += known ? known->nr_matches : 0;
		if (!known || known->nr_pages < slab)
			sum |= MATCH_INEXACT;
		stream->before[stream->nr_before] = sum;
	}
	return item <= stream->cap ? stream->before[item] :
				     stream->before[stream->cap] | MATCH_INEXACT;
}

static uint64_t matches_before_page(const struct trace *trace, const void *arg, unsigned int nr,
				    uint64_t page, bool *exact)
{
	const struct matches *m = arg;
	uint32_t slab = trace_stream_at(trace, nr)->index.slab_pages;
	uint64_t sum = before_item(m, nr, page / slab);
	const struct match_item *known = page / slab < m->stack->streams[nr].cap ?
						 m->stack->streams[nr].items[page / slab] :
						 NULL;
	struct match_place place = { known, &trace_stream_at(trace, nr)->index,
				     page / slab * slab };

	uint64_t extra, dropped;

	if (page <= m->stack->streams[nr].start)
		return 0;
	dropped = match_dropped(m, m->stack, nr, &extra);
	if (sum & MATCH_INEXACT || (page % slab && (!known || known->nr_pages < page % slab)))
		*exact = false;
	sum &= ~MATCH_INEXACT;
	sum += known ? match_before_page(&place, page % slab) : 0;
	return sum > dropped ? sum - dropped : 0;
}

static uint32_t matches_in_page(const struct trace *trace, const void *arg, unsigned int nr,
				struct cursor *place)
{
	const struct matches *m = arg;
	uint32_t page, row;
	struct match_place at;

	(void)trace;
	if (place->item == CURSOR_LOST || !match_item_at(m, m->stack, nr, place->page, &at) ||
	    !at.item->blocks)
		return 0;
	page = place->page - at.first;
	row = match_row_of_item(match_page_count(&at, page), place->item);
	return match_before_row(&at, page, row) - match_before_page(&at, page);
}

static struct trace_measure measure_matches(const struct matches *m)
{
	return (struct trace_measure){ .before_page = matches_before_page,
				       .in_page = matches_in_page,
				       .arg = m };
}

uint64_t match_rows_settled(struct matches *m)
{
	struct trace_measure measure = measure_matches(m);

	return trace_count_by(m->trace, trace_end(m->trace), &measure);
}

uint64_t matches_rank(struct matches *m, trace_ref ref, bool *exact)
{
	struct trace_measure measure = measure_matches(m);
	uint64_t rank;

	if (!m->stack)
		return trace_rank(m->trace, ref, exact);
	pthread_mutex_lock(&m->lock);
	rank = trace_rank_by(m->trace, ref, &measure, exact);
	pthread_mutex_unlock(&m->lock);
	return rank;
}

/* --- where in time ---------------------------------------------------------------------------- */

struct match_density {
	int64_t		 from;
	double		 per_unit;	/* bins per unit of time */
	unsigned int	 nr;
	uint64_t	*bins;
};

/* Bin of a time; -1 before the range, nr after it. */
static int64_t bin_of(const struct match_density *d, const struct trace_stream *stream,
		      uint64_t raw)
{
	double bin = ((double)trace_clock_key(&stream->clock, raw) - (double)d->from) * d->per_unit;

	return bin < 0 ? -1 : bin >= d->nr ? (int64_t)d->nr : (int64_t)bin;
}

static void add_hits(struct match_density *d, int64_t first, int64_t last, uint64_t hits)
{
	uint64_t bins = last - first + 1;

	for (int64_t bin = first; bin <= last; bin++)
		if (bin >= 0 && bin < d->nr)
			d->bins[bin] += hits / bins + ((uint64_t)(bin - first) < hits % bins);
}

/*
 * Add the pages [page, end) of an item: at once if they are in one bin, else in parts; a page's
 * matches are spread over its span.
 */
static void add_pages(struct match_density *d, const struct trace_stream *stream,
		      const struct match_place *place, uint32_t page, uint32_t end)
{
	uint32_t hits = match_before_page(place, end) - match_before_page(place, page),
		 pages = end - page, part;
	int64_t first, last;

	if (!hits)
		return;
	first = bin_of(d, stream, page_index_first(&stream->index, place->first + page));
	last = bin_of(d, stream, page_index_last(&stream->index, place->first + end - 1));
	/* with only a few bins for a block, more precision would not be visible */
	if (last - first <= (pages > MATCH_BLOCK ? 0 : 1) || pages == 1) {
		add_hits(d, first, last < first ? first : last, hits);
		return;
	}
	part = pages > MATCH_BLOCK ? MATCH_BLOCK : pages > 8 ? 8 : 1;
	for (; page < end; page += part)
		add_pages(d, stream, place, page, end - page < part ? end : page + part);
}

void matches_density(struct matches *m, int64_t from, int64_t to, unsigned int nr, uint64_t *bins)
{
	struct match_density d = { .from = from, .nr = nr, .bins = bins, .per_unit = 1 };

	if (to > from)
		d.per_unit = nr / ((double)to - (double)from);
	memset(bins, 0, nr * sizeof(*bins));
	if (!m->stack || m->mode != MATCHES_BROWSE)
		return;
	pthread_mutex_lock(&m->lock);
	for (unsigned int i = 0; i < trace_nr_streams(m->trace); i++) {
		const struct trace_stream *stream = trace_stream_at(m->trace, i);

		for (uint64_t k = 0; k < m->stack->streams[i].cap; k++) {
			struct match_place place = { m->stack->streams[i].items[k], &stream->index,
						     k * stream->index.slab_pages };

			uint64_t start = m->stack->streams[i].start;
			uint32_t skip = start > place.first ? (uint32_t)(start - place.first) : 0;

			if (place.item && skip < place.item->nr_pages)
				add_pages(&d, stream, &place, skip, place.item->nr_pages);
		}
	}
	pthread_mutex_unlock(&m->lock);
}
