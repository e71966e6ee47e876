/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cursor_seek - finds a time in a stream: by the page directory up to where it reaches, after that
 * by the times in page headers, and finally record by record in one page.
 */
#include "parsers/pages/cursor_private.h"

/* Time of a page from its header; false if it has none (unreadable, or all zero). */
static bool header_time(struct cursor *c, uint64_t page, uint64_t *ts)
{
	struct cursor_time *known = NULL;
	const uint8_t *bytes;
	uint32_t len;

	if (c->source->times) {
		known = &c->source->times[(page * 0x9e3779b97f4a7c15ull +
					   c->stream * 0xc2b2ae3d27d4eb4full) >>
						  40 &
					  (CURSOR_TIMES - 1)];
		if (known->page == page + 1 && known->stream == c->stream) {
			*ts = known->ts;
			return *ts != 0;
		}
	}
	bytes = page_cache_get(c->source->cache, c->stream, page, &len);
	if (!sub_buffer_ts(c->layout, bytes, len, ts))
		*ts = 0;
	if (known && len == c->layout->page_size)
		*known = (struct cursor_time){ .page = page + 1, .stream = c->stream, .ts = *ts };
	return *ts != 0;
}

/* Time of the first page in [*page, end) that has one; *page is set to that page. */
static bool page_time(struct cursor *c, uint64_t *page, uint64_t end, uint64_t *ts)
{
	if (end - *page > MAX_ZERO_PROBES)
		end = *page + MAX_ZERO_PROBES;
	for (; *page < end; ++*page)
		if (header_time(c, *page, ts))
			return true;
	return false;
}

/*
 * State of a search by page headers: pages with a time below lo are before the key, pages from hi
 * on are not.
 */
struct header_search {
	uint64_t	lo, hi;
	uint64_t	lo_ts, hi_ts;	/* 0: not known */
};

static void probe_header(struct cursor *c, struct header_search *s, uint64_t page, uint64_t key)
{
	uint64_t at = page, ts;

	if (!page_time(c, &at, s->hi, &ts)) {
		s->hi = page;
	} else if (ts < key) {
		s->lo = at + 1;
		s->lo_ts = ts;
	} else {
		s->hi = page;
		s->hi_ts = ts;
	}
}

/*
 * The first page of [lo, hi) whose time is at least key, by page headers.  The pages of one CPU are
 * spread nearly evenly in time, so interpolation alternates with bisection.
 */
static uint64_t search_headers(struct cursor *c, uint64_t lo, uint64_t hi, uint64_t key)
{
	struct header_search s = { .lo = lo, .hi = hi };

	if (s.lo < s.hi)
		probe_header(c, &s, s.lo, key);
	if (s.lo < s.hi)
		probe_header(c, &s, s.hi - 1, key);
	for (bool guess = true; s.lo < s.hi; guess = !guess) {
		uint64_t mid = s.lo + (s.hi - s.lo) / 2;

		if (guess && s.lo_ts && s.lo_ts < key && key < s.hi_ts)
			mid = s.lo +
			      (uint64_t)((double)(key - s.lo_ts) / (double)(s.hi_ts - s.lo_ts) *
					 (double)(s.hi - 1 - s.lo));
		probe_header(c, &s, mid, key);
	}
	return s.lo;
}

/*
 * In the current page: stop before the first row with a key of at least @key; false if all keys are
 * lower.
 */
static bool seek_in_page(struct cursor *c, uint64_t key)
{
	struct cursor_row lost;

	if (!cursor_load(c))
		return true;
	if (c->start.lost) {
		cursor_lost_row(c, &lost);
		if (lost.key >= key)
			return true;
	}
	cursor_rewind(c);
	for (;;) {
		struct sub_buffer before = c->walk;
		uint64_t run = c->run;
		struct record rec;

		if (!sub_buffer_next(&c->walk, &rec))
			break;
		if (rec.ts > c->run)
			c->run = rec.ts;
		if (c->run >= key) {
			c->walk = before;
			c->run = run;
			c->item = c->walk_item;
			return true;
		}
		c->walk_item++;
	}
	cursor_note_end(c);
	c->item = CURSOR_DAMAGE;
	return c->damage != SUB_BUFFER_SOUND && c->last_key >= key;
}

/*
 * Move before the first row with a key of at least @key in a published page, or to its end; false
 * if all keys are lower.
 */
static bool seek_in_published(struct cursor *c, uint64_t page, uint64_t key)
{
	if (!(page_index_count(c->index, page) & PAGE_WIDE) &&
	    page_index_last(c->index, page) < key)
		return false;
	cursor_seek(c, page, CURSOR_LOST);
	return seek_in_page(c, key);
}

void cursor_seek_key(struct cursor *c, uint64_t key)
{
	uint64_t pages = cursor_pages(c), published = page_index_pages(c->index), below;

	if (published > pages)
		published = pages;
	below = page_index_below(c->index, published, key);
	if (below > page_index_start(c->index) && seek_in_published(c, below - 1, key))
		return;
	if (below == published && published < pages) {
		below = search_headers(c, published, pages, key);
		if (below > published) {
			cursor_seek(c, below - 1, CURSOR_LOST);
			if (seek_in_page(c, key))
				return;
		}
	}
	cursor_seek(c, below, CURSOR_LOST);
}

void cursor_seek_near(struct cursor *c, uint64_t key)
{
	uint64_t pages = cursor_pages(c), published = page_index_pages(c->index), below;

	if (published > pages)
		published = pages;
	below = page_index_below(c->index, published, key);
	if (below == published && published < pages)
		below = search_headers(c, published, pages, key);
	/* before the first page that is not dropped, this goes to that */
	cursor_seek(c, below ? below - 1 : 0, CURSOR_LOST);
}
