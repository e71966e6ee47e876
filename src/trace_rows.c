/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_rows - row numbers and times, without a merge: the rows before a place in
 * time are the sum of those of each stream, and each stream is searched by halving.
 */
#include "parsers/trace_file.h"
#include "src/trace_private.h"

#define MAX_GUESSES	24	/* steps of a search whose counts are estimates anyway */
#define NEAR_ROWS	200	/* an estimate need not be better */

/* How many rows, or events. */
struct tally {
	uint64_t	nr;
	bool		exact;		/* not estimated */
};

/* Rows (events) of a stream before a cursor's place; by the average of a page where the directory does not reach. */
static struct tally tally_place(const struct trace_stream *stream, struct cursor *cursor, bool events)
{
	uint64_t published = page_index_pages(&stream->index);
	double average;
	uint64_t base;

	if (cursor->page <= published) {
		base = events ? page_index_events_before(&stream->index, cursor->page) :
				page_index_rows_before(&stream->index, cursor->page);
		return (struct tally){ base + (events ? cursor_events_in_page(cursor) : cursor_rows_in_page(cursor)), true };
	}
	base = events ? page_index_events_before(&stream->index, published) :
			page_index_rows_before(&stream->index, published);
	average = published ? (double)base / (double)published : events ? stream->sample_events : stream->sample_rows;
	base += (uint64_t)(average * (double)(cursor->page - published));
	return (struct tally){ base + (events ? cursor_events_in_page(cursor) : cursor_rows_in_page(cursor)), false };
}

static struct tally tally_stream(struct trace *trace, unsigned int nr, int64_t ts, bool behind, bool events)
{
	struct cursor *probe = trace_probe(trace, nr);

	trace_seek_stream(trace, nr, probe, ts, behind);
	return tally_place(&trace->streams[nr], probe, events);
}

/* Rows of all streams with a key below ts; @near: only as near as pages tell, which reads next to nothing. */
static struct tally tally_below(struct trace *trace, int64_t ts, bool near, bool events)
{
	struct tally sum = { 0, true };

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct tally t;

		if (near) {
			struct cursor *probe = trace_probe(trace, i);

			trace_seek_stream_near(trace, i, probe, ts);
			t = tally_place(&trace->streams[i], probe, events);
		} else {
			t = tally_stream(trace, i, ts, false, events);
		}

		sum.nr += t.nr;
		sum.exact &= t.exact;
	}
	return sum;
}

/* The row a ref is of, through the probe; false: there is none. */
static bool find_row(struct trace *trace, trace_ref ref, struct cursor_row *row)
{
	unsigned int nr = trace_ref_stream(ref);
	struct cursor *probe;

	if (ref == TRACE_REF_NONE || nr >= trace->nr_streams)
		return false;
	probe = trace_probe(trace, nr);
	cursor_seek(probe, trace_ref_page(ref), trace_ref_item(ref));
	return cursor_next(probe, row);
}

static int64_t key_of(const struct trace *trace, unsigned int stream, const struct cursor_row *row)
{
	return trace_clock_key(&trace->streams[stream].clock, row->key);
}

static uint64_t rank(struct trace *trace, trace_ref ref, bool *exact, bool events)
{
	unsigned int own = trace_ref_stream(ref);
	struct tally sum = { 0, true };
	struct cursor_row row;
	int64_t key;

	if (!find_row(trace, ref, &row)) {
		if (exact)
			*exact = false;
		return 0;
	}
	key = key_of(trace, own, &row);
	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct tally t;

		if (i == own) {
			struct cursor *probe = trace_probe(trace, i);

			cursor_seek(probe, trace_ref_page(ref), trace_ref_item(ref));
			t = tally_place(&trace->streams[i], probe, events);
		} else {
			t = tally_stream(trace, i, key, i < own, events);
		}
		sum.nr += t.nr;
		sum.exact &= t.exact;
	}
	if (exact)
		*exact = sum.exact;
	return sum.nr;
}

uint64_t trace_rank(struct trace *trace, trace_ref ref, bool *exact)
{
	return rank(trace, ref, exact, false);
}

uint64_t trace_rank_events(struct trace *trace, trace_ref ref, bool *exact)
{
	return rank(trace, ref, exact, true);
}

/* --- select ---------------------------------------------------------------------------- */

/* Where the search for row nr is: below(lo) <= nr < below(hi). */
struct bracket {
	int64_t		lo, hi;
	struct tally	below_lo, below_hi;
	bool		near;		/* counts are estimates, to the page */
};

/* A key between the two: by proportion and by halving in turn. */
static int64_t split(const struct bracket *b, uint64_t nr, bool guess)
{
	uint64_t width = (uint64_t)b->hi - (uint64_t)b->lo;
	uint64_t rows = b->below_hi.nr - b->below_lo.nr;
	uint64_t step = width / 2;

	if (guess && rows)
		step = (uint64_t)((double)width * ((double)(nr - b->below_lo.nr) + 0.5) / (double)rows);
	if (step < 1)
		step = 1;
	if (step > width - 1)
		step = width - 1;
	return (int64_t)((uint64_t)b->lo + step);
}

static void narrow(struct trace *trace, struct bracket *b, int64_t key, uint64_t nr, bool events)
{
	struct tally t;

	if (key <= b->lo || key >= b->hi)
		return;
	t = tally_below(trace, key, b->near, events);
	if (t.nr <= nr) {
		b->lo = key;
		b->below_lo = t;
	} else {
		b->hi = key;
		b->below_hi = t;
	}
}

/*
 * Narrow by the directory alone, as far as it tells on which side of a key the row lies: a key's page in a stream may
 * hold rows on both sides, the pages before and behind it may not.  Reads nothing; a damaged stamp far from all others
 * makes the way long.
 */
static void narrow_by_pages(struct trace *trace, struct bracket *b, uint64_t nr, bool events)
{
	for (bool guess = true; (uint64_t)b->hi - (uint64_t)b->lo > 1; guess = !guess) {
		int64_t key = split(b, nr, guess);
		uint64_t least = 0, most = 0;

		for (unsigned int i = 0; i < trace->nr_streams; i++) {
			const struct page_index *index = &trace->streams[i].index;
			uint64_t pages = page_index_pages(index), below;
			bool above;
			uint64_t raw = trace_clock_bound(&trace->streams[i].clock, key, &above);

			below = above ? pages : page_index_below(index, pages, raw);
			most += events ? page_index_events_before(index, below) : page_index_rows_before(index, below);
			below -= below && !above;
			least += events ? page_index_events_before(index, below) : page_index_rows_before(index, below);
		}
		if (most <= nr) {
			b->lo = key;
			b->below_lo.nr = most;
		} else if (least > nr) {
			b->hi = key;
			b->below_hi.nr = least;
		} else {
			return;
		}
	}
}

/* The row-th row (event) of a stream, which the directory knows. */
static trace_ref stream_select(struct trace *trace, unsigned int nr, uint64_t row, bool events)
{
	const struct page_index *index = &trace->streams[nr].index;
	uint64_t published = page_index_pages(index), page;

	if (events) {
		page = page_index_find_event(index, published, row);
		return trace_ref_make(nr, page, row - page_index_events_before(index, page) + 1);
	}
	page = page_index_find_row(index, published, row);
	return trace_ref_make(nr, page, cursor_item_of_row(trace_probe(trace, nr), page,
							   row - page_index_rows_before(index, page)));
}

/* Of the rows with this key, the one that is nr-th of all. */
static trace_ref select_among_equals(struct trace *trace, int64_t key, uint64_t nr, bool events)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct tally below = tally_stream(trace, i, key, false, events);
		struct tally upto = tally_stream(trace, i, key, true, events);

		if (nr < upto.nr - below.nr)
			return upto.exact ? stream_select(trace, i, below.nr + nr, events) : trace_seek_time(trace, key, -1);
		nr -= upto.nr - below.nr;
	}
	return trace_last(trace);
}

/* First row at or behind ref that is an event. */
static trace_ref skip_to_event(struct trace *trace, trace_ref ref, bool events)
{
	struct trace_event event;
	struct trace_cursor *cursor;

	if (!events || ref == TRACE_REF_NONE ||
	    (trace_ref_item(ref) != CURSOR_LOST && trace_ref_item(ref) != CURSOR_DAMAGE))
		return ref;
	cursor = trace_cursor_new(trace);
	trace_cursor_seek(cursor, ref);
	ref = TRACE_REF_NONE;
	while (ref == TRACE_REF_NONE && trace_cursor_next(cursor, &event))
		if (event.kind == TRACE_ROW_EVENT || event.kind == TRACE_ROW_TEXT)
			ref = event.ref;
	trace_cursor_free(cursor);
	return ref;
}

static trace_ref select_nr(struct trace *trace, uint64_t nr, bool events)
{
	struct bracket b = { .lo = INT64_MIN, .hi = INT64_MAX, .below_lo = { 0, true }, .below_hi = { 0, true } };
	int64_t first, last;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct cursor *probe = trace_probe(trace, i);
		struct tally t;

		cursor_seek_end(probe);
		t = tally_place(&trace->streams[i], probe, events);
		b.below_hi.nr += t.nr;
		b.below_hi.exact &= t.exact;
	}
	if (nr >= b.below_hi.nr)
		return trace_last(trace);
	b.near = !b.below_hi.exact;
	if (b.near) {
		if (trace_span(trace, &first, &last)) {
			narrow(trace, &b, first, nr, events);
			narrow(trace, &b, last, nr, events);
		}
	} else {
		/* A damaged stamp may be beyond all times: such rows share the last one. */
		b.below_hi = tally_below(trace, INT64_MAX, false, events);
		if (nr >= b.below_hi.nr)
			return select_among_equals(trace, INT64_MAX, nr - b.below_hi.nr, events);
		narrow_by_pages(trace, &b, nr, events);
		b.below_lo = tally_below(trace, b.lo, false, events);
		b.below_hi = tally_below(trace, b.hi, false, events);
	}
	for (int i = 0; (uint64_t)b.hi - (uint64_t)b.lo > 1; i++) {
		if (b.near && (i >= MAX_GUESSES || b.below_hi.nr - b.below_lo.nr <= NEAR_ROWS))
			return skip_to_event(trace, trace_seek_time(trace, b.lo, -1), events);
		narrow(trace, &b, split(&b, nr, i % 3 != 2), nr, events);
	}
	return select_among_equals(trace, b.lo, nr - b.below_lo.nr, events);
}

trace_ref trace_select(struct trace *trace, uint64_t row)
{
	return select_nr(trace, row, false);
}

trace_ref trace_select_event(struct trace *trace, uint64_t nr)
{
	return select_nr(trace, nr, true);
}

/* --- times and ends --------------------------------------------------------------------- */

trace_ref trace_seek_time(struct trace *trace, int64_t ts, int cpu)
{
	trace_ref best = TRACE_REF_NONE;
	int64_t best_key = 0;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct cursor_row row;
		struct cursor *probe;

		if (cpu >= 0 && trace->streams[i].cpu != cpu)
			continue;
		probe = trace_probe(trace, i);
		trace_seek_stream(trace, i, probe, ts, false);
		if (!cursor_next(probe, &row))
			continue;
		if (best == TRACE_REF_NONE || key_of(trace, i, &row) < best_key) {
			best = trace_ref_make(i, row.page, row.item);
			best_key = key_of(trace, i, &row);
		}
	}
	return best;
}

trace_ref trace_first(struct trace *trace)
{
	return trace_seek_time(trace, INT64_MIN, -1);
}

trace_ref trace_last(struct trace *trace)
{
	trace_ref best = TRACE_REF_NONE;
	int64_t best_key = 0;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct cursor *probe = trace_probe(trace, i);
		struct cursor_row row;

		cursor_seek_end(probe);
		if (!cursor_prev(probe, &row))
			continue;
		if (best == TRACE_REF_NONE || key_of(trace, i, &row) >= best_key) {
			best = trace_ref_make(i, row.page, row.item);
			best_key = key_of(trace, i, &row);
		}
	}
	return best;
}

int trace_compare(struct trace *trace, trace_ref a, trace_ref b)
{
	unsigned int sa = trace_ref_stream(a), sb = trace_ref_stream(b);
	struct cursor_row row;
	int64_t ka, kb;

	/* Within a stream, refs are in its order. */
	if (sa == sb || a == TRACE_REF_NONE || b == TRACE_REF_NONE)
		return a < b ? -1 : a > b;
	ka = find_row(trace, a, &row) ? key_of(trace, sa, &row) : INT64_MAX;
	kb = find_row(trace, b, &row) ? key_of(trace, sb, &row) : INT64_MAX;
	if (ka != kb)
		return ka < kb ? -1 : 1;
	return sa < sb ? -1 : 1;
}

/* --- trouble ------------------------------------------------------------------------------ */

#define TROUBLE	(PAGE_LOST | PAGE_DAMAGED | PAGE_BACKWARDS | PAGE_UNKNOWN)

static bool is_trouble(const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_ROW_LOST:
	case TRACE_ROW_DAMAGE:
		return true;
	case TRACE_ROW_EVENT:
		return !event->type || event->ts < event->key;
	case TRACE_ROW_TEXT:
		return false;
	}
	return false;
}

/* First troubled row of a page from an item on; false: none. */
static bool trouble_in_page(struct trace *trace, unsigned int nr, uint64_t page, uint32_t item, trace_ref *ref, int64_t *key)
{
	struct trace_event event;

	for (trace_ref at = trace_ref_make(nr, page, item);;) {
		struct cursor_row row;

		if (!find_row(trace, at, &row) || row.page != page)
			return false;
		trace_fill_event(trace, nr, &row, &event);
		if (is_trouble(&event)) {
			*ref = event.ref;
			*key = event.key;
			return true;
		}
		if (row.item == CURSOR_DAMAGE)
			return false;
		at = trace_ref_make(nr, page, row.item + 1);
	}
}

/* First troubled row of a stream from a place on, if its key is below *key. */
static void trouble_in_stream(struct trace *trace, unsigned int nr, uint64_t page, uint32_t item, trace_ref *ref, int64_t *key)
{
	const struct trace_stream *stream = &trace->streams[nr];
	uint64_t published = page_index_pages(&stream->index);

	for (; page < published; page++, item = CURSOR_LOST) {
		trace_ref found;
		int64_t found_key;

		if (!(page_index_count(&stream->index, page) & TROUBLE))
			continue;
		if (*ref != TRACE_REF_NONE && trace_clock_key(&stream->clock, page_index_first(&stream->index, page)) >= *key)
			return;
		if (!trouble_in_page(trace, nr, page, item, &found, &found_key))
			continue;
		if (*ref == TRACE_REF_NONE || found_key < *key) {
			*ref = found;
			*key = found_key;
		}
		return;
	}
}

trace_ref trace_next_trouble(struct trace *trace, trace_ref ref, bool *wrapped)
{
	unsigned int own = trace_ref_stream(ref);
	trace_ref found = TRACE_REF_NONE;
	int64_t key = 0, found_key = 0;
	struct cursor_row row;

	*wrapped = !find_row(trace, ref, &row);
	if (!*wrapped)
		key = key_of(trace, own, &row);
	for (unsigned int i = 0; i < trace->nr_streams && !*wrapped; i++) {
		struct cursor *probe = trace_probe(trace, i);

		if (i == own)
			cursor_seek(probe, trace_ref_page(ref), trace_ref_item(ref) + 1);
		else
			trace_seek_stream(trace, i, probe, key, i < own);
		trouble_in_stream(trace, i, probe->page, probe->item, &found, &found_key);
	}
	if (found != TRACE_REF_NONE)
		return found;
	*wrapped = true;
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		trouble_in_stream(trace, i, 0, CURSOR_LOST, &found, &found_key);
	return found;
}
