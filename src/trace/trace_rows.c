/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_rows - row numbers and times without a merge: the number of rows before a time is the sum
 * over the streams, and each stream is searched by bisection.
 */
#include "parsers/source/source.h"
#include "src/trace/trace_private.h"

#define MAX_GUESSES	24	/* steps of a search with estimated counts */
#define NEAR_ROWS	200	/* accuracy needed of an estimate */

/* A number of rows, or events. */
struct tally {
	uint64_t	nr;
	bool		exact;		/* not estimated */
};

/* --- measures ------------------------------------------------------------------------ */

/* Those of the directory: arg is an enum page_unit. */

static uint64_t before_page(const struct trace *trace, const void *arg, unsigned int nr,
			    uint64_t page, bool *exact)
{
	const enum page_unit *unit = arg;

	(void)exact;
	return page_index_before(&trace->streams[nr].index, page, *unit);
}

static uint32_t in_page(const struct trace *trace, const void *arg, unsigned int nr,
			struct cursor *place)
{
	const enum page_unit *unit = arg;

	(void)trace;
	(void)nr;
	return *unit == PAGE_EVENTS ? cursor_events_in_page(place) : cursor_rows_in_page(place);
}

static trace_ref select_in_stream(struct trace *trace, const void *arg, unsigned int stream,
				  uint64_t nr)
{
	const struct page_index *index = &trace->streams[stream].index;
	const enum page_unit *unit = arg;
	uint64_t page = page_index_find(index, nr, *unit);
	uint64_t rest = nr - page_index_before(index, page, *unit);

	if (*unit == PAGE_EVENTS)
		return trace_ref_make(stream, page, rest + 1);
	return trace_ref_make(stream, page,
			      cursor_item_of_row(trace_probe(trace, stream), page, rest));
}

static const enum page_unit unit_rows = PAGE_ROWS, unit_events = PAGE_EVENTS;
static const struct trace_measure measure_rows = { before_page, in_page, select_in_stream,
						   false,       true,    &unit_rows };
static const struct trace_measure measure_events = { before_page, in_page, select_in_stream,
						     true,        true,    &unit_events };

/* Count a stream up to a cursor; uses the average page where the directory does not reach. */
static struct tally tally_place(const struct trace *trace, unsigned int nr, struct cursor *cursor,
				const struct trace_measure *measure)
{
	const struct trace_stream *stream = &trace->streams[nr];
	uint64_t published = page_index_pages(&stream->index),
		 start = page_index_start(&stream->index);
	struct tally tally = { 0, true };
	double average;

	if (cursor->page <= published) {
		tally.nr = measure->before_page(trace, measure->arg, nr, cursor->page,
						&tally.exact);
		tally.nr += measure->in_page(trace, measure->arg, nr, cursor);
		return tally;
	}
	tally.nr = measure->before_page(trace, measure->arg, nr, published, &tally.exact);
	tally.exact = false;
	if (!measure->estimates)
		return tally;
	average = measure->events ? stream->sample_events : stream->sample_rows;
	if (published > start)
		average = (double)tally.nr / (double)(published - start);
	tally.nr += (uint64_t)(average * (double)(cursor->page - published));
	tally.nr += measure->in_page(trace, measure->arg, nr, cursor);
	return tally;
}

/* --- rank -------------------------------------------------------------------------------- */

static struct tally tally_stream(struct trace *trace, unsigned int nr, int64_t ts, bool behind,
				 const struct trace_measure *measure)
{
	struct cursor *probe = trace_probe(trace, nr);

	trace_seek_stream(trace, nr, probe, ts, behind);
	return tally_place(trace, nr, probe, measure);
}

/*
 * Count the rows of all streams up to a key; @near: only to within a page, which is much cheaper.
 */
static struct tally tally_below(struct trace *trace, int64_t ts, bool near,
				const struct trace_measure *measure)
{
	struct tally sum = { 0, true };

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct tally t;

		if (near) {
			struct cursor *probe = trace_probe(trace, i);

			trace_seek_stream_near(trace, i, probe, ts);
			t = tally_place(trace, i, probe, measure);
		} else {
			t = tally_stream(trace, i, ts, false, measure);
		}

		sum.nr += t.nr;
		sum.exact &= t.exact;
	}
	return sum;
}

/* Find the row of a ref with the probe; false if there is none. */
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

uint64_t trace_rank_by(struct trace *trace, trace_ref ref, const struct trace_measure *measure,
		       bool *exact)
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
			t = tally_place(trace, i, probe, measure);
		} else {
			t = tally_stream(trace, i, key, i < own, measure);
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
	return trace_rank_by(trace, ref, &measure_rows, exact);
}

uint64_t trace_rank_events(struct trace *trace, trace_ref ref, bool *exact)
{
	return trace_rank_by(trace, ref, &measure_events, exact);
}

/* --- select ---------------------------------------------------------------------------- */

/* Bounds in the search for row nr: below(lo) <= nr < below(hi). */
struct bracket {
	int64_t		lo, hi;
	struct tally	below_lo, below_hi;
	bool		near;		/* counts are estimates, to within a page */
};

/* A key between the bounds: interpolation and bisection alternate. */
static int64_t split_bracket(const struct bracket *b, uint64_t nr, bool guess)
{
	uint64_t width = (uint64_t)b->hi - (uint64_t)b->lo;
	uint64_t rows = b->below_hi.nr - b->below_lo.nr;
	uint64_t step = width / 2;

	if (guess && rows)
		step = (uint64_t)((double)width * ((double)(nr - b->below_lo.nr) + 0.5) /
				  (double)rows);
	if (step < 1)
		step = 1;
	if (step > width - 1)
		step = width - 1;
	return (int64_t)((uint64_t)b->lo + step);
}

static void narrow(struct trace *trace, struct bracket *b, int64_t key, uint64_t nr,
		   const struct trace_measure *measure)
{
	struct tally t;

	if (key <= b->lo || key >= b->hi)
		return;
	t = tally_below(trace, key, b->near, measure);
	if (t.nr <= nr) {
		b->lo = key;
		b->below_lo = t;
	} else {
		b->hi = key;
		b->below_hi = t;
	}
}

/*
 * Narrow the bounds by the directory only, as far as possible: in each stream, the page with a key
 * may have rows on both sides of it, other pages do not.  Reads nothing; a damaged stamp far from
 * all others can make it take long.
 */
static void narrow_by_pages(struct trace *trace, struct bracket *b, uint64_t nr,
			    const struct trace_measure *measure)
{
	for (bool guess = true; (uint64_t)b->hi - (uint64_t)b->lo > 1; guess = !guess) {
		int64_t key = split_bracket(b, nr, guess);
		uint64_t least = 0, most = 0;
		bool exact;

		for (unsigned int i = 0; i < trace->nr_streams; i++) {
			const struct page_index *index = &trace->streams[i].index;
			uint64_t pages = page_index_pages(index), below;
			bool above;
			uint64_t raw = trace_clock_bound(&trace->streams[i].clock, key, &above);

			below = above ? pages : page_index_below(index, pages, raw);
			most += measure->before_page(trace, measure->arg, i, below, &exact);
			below -= below > page_index_start(index) && !above;
			least += measure->before_page(trace, measure->arg, i, below, &exact);
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

/* Among the rows with this key, find the one that is nr-th of all. */
static trace_ref select_among_equals(struct trace *trace, int64_t key, uint64_t nr,
				     const struct trace_measure *measure)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct tally below = tally_stream(trace, i, key, false, measure);
		struct tally upto = tally_stream(trace, i, key, true, measure);

		if (nr < upto.nr - below.nr)
			return upto.exact || !measure->estimates ?
				       measure->select(trace, measure->arg, i, below.nr + nr) :
				       trace_seek_time(trace, key, -1);
		nr -= upto.nr - below.nr;
	}
	return trace_last(trace);
}

/* First event at or after ref. */
static trace_ref skip_to_event(struct trace *trace, trace_ref ref,
			       const struct trace_measure *measure)
{
	struct trace_event event;
	struct trace_cursor *cursor;

	if (!measure->events || ref == TRACE_REF_NONE ||
	    (trace_ref_item(ref) != CURSOR_LOST && trace_ref_item(ref) != CURSOR_DAMAGE))
		return ref;
	cursor = trace_cursor_new(trace);
	trace_cursor_seek(cursor, ref);
	ref = TRACE_REF_NONE;
	while (ref == TRACE_REF_NONE && trace_cursor_next(cursor, &event))
		if (event.kind == TRACE_ROW_EVENT)
			ref = event.ref;
	trace_cursor_free(cursor);
	return ref;
}

static trace_ref select_by(struct trace *trace, uint64_t nr, const struct trace_measure *measure)
{
	struct bracket b = {
		.lo = INT64_MIN, .hi = INT64_MAX, .below_lo = { 0, true }, .below_hi = { 0, true }
	};
	int64_t first, last;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct cursor *probe = trace_probe(trace, i);
		struct tally t;

		trace_seek_stream(trace, i, probe, INT64_MAX, true);
		t = tally_place(trace, i, probe, measure);
		b.below_hi.nr += t.nr;
		b.below_hi.exact &= t.exact;
	}
	if (nr >= b.below_hi.nr)
		return trace_last(trace);
	/* with estimates, more accuracy is useless; rows not known yet are not counted */
	b.near = !b.below_hi.exact;
	if (b.near) {
		if (trace_span(trace, &first, &last)) {
			narrow(trace, &b, first, nr, measure);
			narrow(trace, &b, last, nr, measure);
		}
	} else {
		/* a damaged stamp may be beyond all times: such rows share the last key */
		b.below_hi = tally_below(trace, INT64_MAX, false, measure);
		if (nr >= b.below_hi.nr)
			return select_among_equals(trace, INT64_MAX, nr - b.below_hi.nr, measure);
		narrow_by_pages(trace, &b, nr, measure);
		b.below_lo = tally_below(trace, b.lo, false, measure);
		b.below_hi = tally_below(trace, b.hi, false, measure);
	}
	for (int i = 0; (uint64_t)b.hi - (uint64_t)b.lo > 1; i++) {
		if (b.near && (i >= MAX_GUESSES || b.below_hi.nr - b.below_lo.nr <= NEAR_ROWS))
			return skip_to_event(trace, trace_seek_time(trace, b.lo, -1), measure);
		narrow(trace, &b, split_bracket(&b, nr, i % 3 != 2), nr, measure);
	}
	return select_among_equals(trace, b.lo, nr - b.below_lo.nr, measure);
}

trace_ref trace_select(struct trace *trace, uint64_t row)
{
	return select_by(trace, row, &measure_rows);
}

trace_ref trace_select_event(struct trace *trace, uint64_t nr)
{
	return select_by(trace, nr, &measure_events);
}

/* --- times and ends --------------------------------------------------------------------- */

/* The first row at or after a time; @last: the last row of all. */
static trace_ref find_by_time(struct trace *trace, int64_t ts, int cpu, bool last)
{
	trace_ref best = TRACE_REF_NONE;
	int64_t best_key = 0, key, end = trace_end(trace);

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		struct cursor *probe;
		struct cursor_row row;
		uint64_t bound;

		if (cpu >= 0 && trace->streams[i].cpu != cpu)
			continue;
		probe = trace_probe(trace, i);
		if (last)
			trace_seek_stream(trace, i, probe, INT64_MAX, true);
		else
			trace_seek_stream(trace, i, probe, ts, false);
		if (!last && best != TRACE_REF_NONE && trace_next_bound(trace, i, probe, &bound) &&
		    trace_clock_key(&trace->streams[i].clock, bound) >= best_key)
			continue;
		if (!(last ? cursor_prev(probe, &row) : cursor_next(probe, &row)))
			continue;
		key = key_of(trace, i, &row);
		if (end != INT64_MAX && key >= end)
			continue;
		if (best == TRACE_REF_NONE || (last ? key >= best_key : key < best_key)) {
			best = trace_ref_make(i, row.page, row.item);
			best_key = key;
		}
	}
	return best;
}

trace_ref trace_seek_time(struct trace *trace, int64_t ts, int cpu)
{
	return find_by_time(trace, ts, cpu, false);
}

trace_ref trace_first(struct trace *trace)
{
	return find_by_time(trace, INT64_MIN, -1, false);
}

trace_ref trace_last(struct trace *trace)
{
	return find_by_time(trace, 0, -1, true);
}

uint64_t trace_count_by(struct trace *trace, int64_t ts, const struct trace_measure *measure)
{
	return tally_below(trace, ts, false, measure).nr;
}

uint64_t trace_count_below(struct trace *trace, int64_t ts, bool events)
{
	return trace_count_by(trace, ts, events ? &measure_events : &measure_rows);
}

bool trace_last_key(struct trace *trace, unsigned int nr, int64_t *key)
{
	struct cursor *probe = trace_probe(trace, nr);
	struct cursor_row row;

	trace_seek_stream(trace, nr, probe, INT64_MAX, true);
	while (cursor_prev(probe, &row)) {
		*key = key_of(trace, nr, &row);
		if (row.item != CURSOR_LOST && row.item != CURSOR_DAMAGE)
			return true;
	}
	return false;
}

int trace_compare(struct trace *trace, trace_ref a, trace_ref b)
{
	unsigned int sa = trace_ref_stream(a), sb = trace_ref_stream(b);
	struct cursor_row row;
	int64_t ka, kb;

	/* within a stream, refs are in order */
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

static bool is_trouble(const struct trace *trace, const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_ROW_LOST:
	case TRACE_ROW_DAMAGE:
		return true;
	case TRACE_ROW_EVENT:
		return !event->type ||
		       time_between(event->ts, event->key) >= trace_resolution(trace);
	}
	return false;
}

/* First row with trouble in a page, from an item on; false: none. */
static bool trouble_in_page(struct trace *trace, unsigned int nr, uint64_t page, uint32_t item,
			    trace_ref *ref, int64_t *key)
{
	struct cursor *probe = trace_probe(trace, nr);
	struct trace_event event;
	struct cursor_row row;

	cursor_seek(probe, page, item);
	while (cursor_next(probe, &row) && row.page == page) {
		trace_fill_event(trace, nr, &row, &event);
		if (is_trouble(trace, &event)) {
			*ref = event.ref;
			*key = event.key;
			return true;
		}
		if (row.item == CURSOR_DAMAGE)
			break;
	}
	return false;
}

/* First row with trouble in a stream, from a place on, if its key is below *key. */
static void trouble_in_stream(struct trace *trace, unsigned int nr, uint64_t page, uint32_t item,
			      trace_ref *ref, int64_t *key)
{
	const struct trace_stream *stream = &trace->streams[nr];
	uint64_t published = page_index_pages(&stream->index);

	for (; page < published; page++, item = CURSOR_LOST) {
		trace_ref found;
		int64_t found_key;

		if (!(page_index_count(&stream->index, page) & TROUBLE))
			continue;
		if (*ref != TRACE_REF_NONE &&
		    trace_clock_key(&stream->clock, page_index_first(&stream->index, page)) >= *key)
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
		trouble_in_stream(trace, i, page_index_start(&trace->streams[i].index), CURSOR_LOST,
				  &found, &found_key);
	return found;
}
