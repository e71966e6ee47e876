/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/cursor_private.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define BLOCK_RECORDS	256u	/* decoded at a time when going backwards */

/* State of the walk before record BLOCK_RECORDS * i + 1. */
struct cursor_mark {
	uint32_t	pos;		/* offset in the page */
	uint64_t	ts;		/* running time stamp */
	uint64_t	run;		/* running maximum */
};

void cursor_init(struct cursor *c, const struct cursor_source *source, unsigned int stream,
		 struct page_index *index)
{
	memset(c, 0, sizeof(*c));
	c->source = source;
	c->index = index;
	c->stream = stream;
	c->layout =
		&source_buffer(source->file, source_stream(source->file, stream)->buffer)->layout;
	c->last_loaded = UINT64_MAX - 1;
	c->block_nr = UINT32_MAX;
}

void cursor_fini(struct cursor *c)
{
	free(c->window);
	free(c->marks);
	free(c->block);
}

uint64_t cursor_pages(const struct cursor *c)
{
	uint64_t pages = source_stream_pages(c->source->file, c->stream);

	return pages < PAGE_MAX_PAGES ? pages : PAGE_MAX_PAGES;
}

/* --- pages ------------------------------------------------------------------- */

/*
 * Get a window for other pages.  The bytes in the old one are no longer needed, unless a keeper
 * wants them.
 */
static void renew_window(struct cursor *c, uint64_t bytes)
{
	bool given = c->window_given;

	c->window_nr = 0;
	c->window_given = false;
	if (c->keeper && (given || bytes > c->window_cap)) {
		c->window = c->keeper->renew(c->keeper->arg, c->window, c->window_cap, bytes);
	} else if (bytes > c->window_cap) {
		free(c->window);
		c->window = mem_resize(NULL, 1, bytes);
	} else {
		return;
	}
	c->window_cap = (uint32_t)bytes;
}

static void use_window(struct cursor *c, uint64_t page)
{
	uint64_t i = page - c->window_first;

	c->bytes = c->window + i * c->layout->page_size;
	c->len = i + 1 == c->window_nr ? c->window_last : c->layout->page_size;
}

/* Pages in sequence: read a window from @first on that holds @page. */
static bool fill_window(struct cursor *c, uint64_t first, uint64_t page)
{
	uint32_t page_size = c->layout->page_size, last = 0;
	uint64_t left = cursor_pages(c) - first;
	uint32_t wanted = c->source->window_bytes / page_size;

	/* many CPUs may have few pages each */
	wanted = wanted > left ? (uint32_t)left : wanted;
	if (!wanted)
		wanted = 1;
	renew_window(c, (uint64_t)wanted * page_size);
	c->window_first = first;
	c->window_nr = page_reader_copy(c->source->reader, c->stream, first, wanted, c->window,
					&last);
	c->window_last = last;
	if (first + c->window_nr <= page) {
		c->window_nr = 0;
		return false;
	}
	use_window(c, page);
	return true;
}

/* Get the bytes of a page: from the window, by a sequential read, or as a single page. */
static void fetch_page(struct cursor *c, uint64_t page)
{
	uint64_t behind = c->source->window_bytes / c->layout->page_size;
	uint64_t start = page_index_start(c->index);
	const uint8_t *bytes;
	uint32_t len;

	if (page - c->window_first < c->window_nr) {
		use_window(c, page);
		return;
	}
	if (c->source->reader && !c->borrow) {
		if (page == c->last_loaded + 1 && fill_window(c, page, page))
			return;
		if (page + 1 == c->last_loaded && behind &&
		    fill_window(c, page - start >= behind ? page - behind + 1 : start, page))
			return;
	}
	bytes = page_cache_get(c->source->cache, c->stream, page, &len);
	if (!c->borrow && bytes) {
		renew_window(c, c->layout->page_size);
		memcpy(c->window, bytes, len);
		bytes = c->window;
		c->window_first = page;
		c->window_nr = 1;
		c->window_last = len;
	}
	c->bytes = bytes;
	c->len = bytes ? len : 0;
}

/* Put c->start at the first record of the page. */
static void open_page(struct cursor *c)
{
	fetch_page(c, c->page);
	sub_buffer_open(&c->start, c->layout, c->bytes, c->len);
}

/*
 * Is the record's header the first in its page?  report shows lost events only before such records.
 */
static bool is_first(const struct cursor *c, uint32_t offset)
{
	return offset == c->layout->data_offset;
}

void cursor_rewind(struct cursor *c)
{
	c->walk = c->start;
	c->walk_item = 1;
	c->run = c->run_in;
}

/*
 * The running maximum before a page that has rows but no record with a time, past the end of the
 * directory: that of the records of the page before.
 */
static uint64_t maximum_before(struct cursor *c)
{
	uint64_t last = c->page > MAX_ZERO_PROBES ? c->page - MAX_ZERO_PROBES : 0, run = 0;

	if (last < page_index_start(c->index))
		last = page_index_start(c->index);
	for (uint64_t page = c->page; !run && page-- > last;) {
		struct sub_buffer walk;
		struct record rec;
		uint32_t len;
		const uint8_t *bytes = page_cache_get(c->source->cache, c->stream, page, &len);

		sub_buffer_open(&walk, c->layout, bytes, len);
		while (sub_buffer_next(&walk, &rec))
			run = rec.ts > run ? rec.ts : run;
	}
	return run;
}

static bool has_record(const struct cursor *c)
{
	struct sub_buffer walk = c->start;
	struct record rec;

	return sub_buffer_next(&walk, &rec);
}

/*
 * Take the running maximum before the page from the directory.  If that does not reach the page,
 * take its last one.  The directory may grow meanwhile, so its length and its last key are read
 * together.
 */
static void take_maximum(struct cursor *c)
{
	struct page_totals totals;

	c->run_is_final = c->page < page_index_pages(c->index);
	if (!c->run_is_final) {
		if (c->carried)
			return;
		totals = page_index_totals(c->index);
		c->run_is_final = c->page < totals.pages;
		c->run_in = totals.last_key;
	}
	if (c->run_is_final)
		c->run_in = page_index_first(c->index, c->page);
}

static void go_to_page(struct cursor *c, uint64_t page, uint32_t item)
{
	c->page = page;
	c->item = item;
	c->loaded = false;
	c->carried = false;
}

bool cursor_release(struct cursor *c)
{
	if (c->keeper || !c->loaded || !c->run_is_final)
		return false;
	cursor_fini(c);
	c->window = NULL;
	c->marks = NULL;
	c->block = NULL;
	c->window_cap = c->window_nr = c->marks_cap = 0;
	c->window_given = false;
	c->block_nr = UINT32_MAX;
	go_to_page(c, c->page, c->item);
	return true;
}

bool cursor_rest(struct cursor *c, const struct cursor_row *row, bool forward)
{
	if (c->page != row->page || !cursor_release(c))
		return false;
	c->item = forward ? row->item : row->item == CURSOR_DAMAGE ? CURSOR_END : row->item + 1;
	return true;
}

/* Load the cursor's page; false past the last one. */
bool cursor_load_page(struct cursor *c)
{
	if (c->page < page_index_start(c->index))
		go_to_page(c, page_index_start(c->index), CURSOR_LOST);
	if (c->page >= cursor_pages(c))
		return false;
	open_page(c);
	c->last_loaded = c->page;
	take_maximum(c);
	if (!c->run_is_final && !c->carried && !has_record(c)) {
		uint64_t run = maximum_before(c);

		if (run > c->run_in)
			c->run_in = run;
		if (c->borrow)		/* the cache may have dropped it meanwhile */
			open_page(c);
	}
	cursor_rewind(c);
	c->counted = false;
	c->block_nr = UINT32_MAX;
	c->loaded = true;
	return true;
}

/* Key of a row in a page without records. */
static uint64_t bare_key(const struct cursor *c)
{
	return c->run_in ? c->run_in : c->start.ts;
}

/* The walk has reached the end of the page. */
void cursor_note_end(struct cursor *c)
{
	bool rows;

	c->counted = true;
	c->nr = c->walk_item - 1;
	c->damage = c->walk.damage;
	c->damage_offset = c->walk.damage_offset;
	rows = c->start.lost || c->damage != SUB_BUFFER_SOUND;
	c->last_key = c->nr ? c->run : rows ? bare_key(c) : c->run_in;
	c->last_ts = c->nr ? c->walk.ts : c->start.ts ? c->start.ts : c->last_key;
}

static bool walk_next(struct cursor *c, struct record *rec)
{
	if (!sub_buffer_next(&c->walk, rec)) {
		cursor_note_end(c);
		return false;
	}
	if (rec->ts > c->run)
		c->run = rec->ts;
	c->walk_item++;
	return true;
}

/* Walk the page to its end, unless that was done already. */
static void count_page(struct cursor *c)
{
	struct record rec;

	while (!c->counted)
		walk_next(c, &rec);
}

/* --- going backwards: marks and blocks ------------------------------------------ */

/* Walk the whole page and store a mark for each block of records. */
static void mark_page(struct cursor *c)
{
	struct record rec;

	cursor_rewind(c);
	c->counted = false;
	do {
		if ((c->walk_item - 1) % BLOCK_RECORDS == 0) {
			mem_grow(&c->marks, (c->walk_item - 1) / BLOCK_RECORDS, &c->marks_cap);
			c->marks[(c->walk_item - 1) / BLOCK_RECORDS] = (struct cursor_mark){
				.pos = c->walk.pos - c->walk.page, .ts = c->walk.ts,
				.run = c->run };
		}
	} while (walk_next(c, &rec));
}

/* Decode the records of a block.  mark_page() must have run since the page was loaded. */
static void decode_block(struct cursor *c, uint32_t nr)
{
	const struct cursor_mark *mark = &c->marks[nr];
	struct sub_buffer walk = c->start;
	uint64_t run = mark->run;
	struct record rec;

	if (!c->block)
		c->block = mem_resize(NULL, BLOCK_RECORDS, sizeof(*c->block));
	if (walk.page)
		walk.pos = walk.page + mark->pos;
	walk.ts = mark->ts;
	for (uint32_t i = 0; i < BLOCK_RECORDS && sub_buffer_next(&walk, &rec); i++) {
		if (rec.ts > run)
			run = rec.ts;
		c->block[i] = (struct cursor_record){ .offset = rec.offset,
						      .data = rec.data - walk.page,
						      .size = rec.size,
						      .item = nr * BLOCK_RECORDS + i + 1,
						      .ts = rec.ts, .key = run };
	}
	c->block_nr = nr;
}

/* --- rows ------------------------------------------------------------------------ */

void cursor_lost_row(struct cursor *c, struct cursor_row *row)
{
	struct sub_buffer walk = c->start;
	struct record rec;

	*row = (struct cursor_row){ .page = c->page, .item = CURSOR_LOST,
				    .lost_known = c->start.lost_known,
				    .lost_count = c->start.lost_count };
	if (sub_buffer_next(&walk, &rec)) {
		row->ts = rec.ts;
		row->key = rec.ts > c->run_in ? rec.ts : c->run_in;
		row->first_in_page = is_first(c, rec.offset);
	} else {
		row->ts = c->start.ts;
		row->key = bare_key(c);
	}
}

static void damage_row(const struct cursor *c, struct cursor_row *row)
{
	*row = (struct cursor_row){ .page = c->page, .item = CURSOR_DAMAGE, .ts = c->last_ts,
				    .key = c->last_key,
				    .damage_offset = c->damage_offset };
}

/* Move the walk to the cursor's record, or to the end if there are fewer records. */
static void walk_to_place(struct cursor *c)
{
	struct record rec;

	if (c->walk_item > c->item)
		cursor_rewind(c);
	while (c->walk_item < c->item)
		if (!walk_next(c, &rec))
			break;
	c->item = c->walk_item;
}

static bool next_record(struct cursor *c, struct cursor_row *row)
{
	struct record rec;

	if (c->walk_item != c->item)
		walk_to_place(c);
	if (!walk_next(c, &rec)) {
		c->item = c->damage != SUB_BUFFER_SOUND ? CURSOR_DAMAGE : CURSOR_END;
		return false;
	}
	c->window_given = true;
	row->page = c->page;
	row->item = c->item++;
	row->size = rec.size;
	row->key = c->run;
	row->ts = rec.ts;
	row->data = rec.data;
	row->room = c->bytes + c->len - rec.data;
	row->in_page = rec.data - c->bytes;
	row->first_in_page = is_first(c, rec.offset);
	return true;
}

bool cursor_next(struct cursor *c, struct cursor_row *row)
{
	while (cursor_load(c)) {
		if (c->item == CURSOR_LOST) {
			c->item = 1;
			if (c->start.lost) {
				cursor_lost_row(c, row);
				return true;
			}
		} else if (c->item < CURSOR_DAMAGE) {
			if (next_record(c, row))
				return true;
		} else if (c->item == CURSOR_DAMAGE) {
			count_page(c);
			c->item = CURSOR_END;
			if (c->damage != SUB_BUFFER_SOUND) {
				damage_row(c, row);
				return true;
			}
		} else {
			uint64_t run;

			count_page(c);
			run = c->last_key;
			go_to_page(c, c->page + 1, CURSOR_LOST);
			c->run_in = run;
			c->carried = true;
		}
	}
	return false;
}

/* Steps to the next records; a copy for each byte order, since @swap is constant. */
static inline __attribute__((always_inline)) unsigned int
decode_records(struct cursor *c, struct cursor_record *records, unsigned int max, bool swap,
	       bool big_endian)
{
	struct sub_buffer walk = c->walk;
	uint64_t run = c->run;
	struct record rec;
	unsigned int nr = 0;

	while (nr < max && sub_buffer_step(&walk, &rec, swap, big_endian)) {
		run = rec.ts > run ? rec.ts : run;
		records[nr] = (struct cursor_record){ .offset = rec.offset,
						      .data = rec.data - walk.page,
						      .size = rec.size,
						      .item = c->item + nr, .ts = rec.ts,
						      .key = run };
		nr++;
	}
	c->walk = walk;
	c->run = run;
	return nr;
}

unsigned int cursor_next_records(struct cursor *c, struct cursor_record *records, unsigned int max)
{
	unsigned int nr;

	if (!c->loaded || c->item == CURSOR_LOST || c->item >= CURSOR_DAMAGE)
		return 0;
	if (c->walk_item != c->item)
		walk_to_place(c);
	if (!c->walk.swap && !c->walk.big_endian)
		nr = decode_records(c, records, max, false, false);
	else
		nr = decode_records(c, records, max, c->walk.swap, c->walk.big_endian);
	c->walk_item += nr;
	c->item = c->walk_item;
	c->window_given |= nr != 0;
	return nr;
}

static void prev_record(struct cursor *c, struct cursor_row *row)
{
	const struct cursor_record *rec;
	uint32_t i = --c->item - 1;

	if (i / BLOCK_RECORDS != c->block_nr)
		decode_block(c, i / BLOCK_RECORDS);
	rec = &c->block[i % BLOCK_RECORDS];
	c->window_given = true;
	*row = (struct cursor_row){ .page = c->page, .item = c->item, .size = rec->size,
				    .key = rec->key, .ts = rec->ts,
				    .data = c->bytes + rec->data, .room = c->len - rec->data,
				    .in_page = rec->data,
				    .first_in_page = is_first(c, rec->offset) };
}

bool cursor_prev(struct cursor *c, struct cursor_row *row)
{
	for (;;) {
		if (c->item == CURSOR_LOST || c->page < page_index_start(c->index)) {
			if (c->page <= page_index_start(c->index))
				return false;
			go_to_page(c, c->page - 1, CURSOR_END);
		}
		if (!cursor_load(c)) {			/* past the last page */
			go_to_page(c, cursor_pages(c), CURSOR_LOST);
			continue;
		}
		if (c->block_nr == UINT32_MAX) {
			mark_page(c);
			decode_block(c, c->nr ? (c->nr - 1) / BLOCK_RECORDS : 0);
		}
		if (c->item == CURSOR_END) {
			c->item = CURSOR_DAMAGE;
			if (c->damage != SUB_BUFFER_SOUND) {
				damage_row(c, row);
				return true;
			}
		}
		if (c->item > c->nr + 1)
			c->item = c->nr + 1;
		if (c->item > 1) {
			prev_record(c, row);
			return true;
		}
		c->item = CURSOR_LOST;
		if (c->start.lost) {
			cursor_lost_row(c, row);
			return true;
		}
	}
}

/* --- placing ---------------------------------------------------------------------- */

void cursor_seek(struct cursor *c, uint64_t page, uint32_t item)
{
	if (page < page_index_start(c->index)) {
		page = page_index_start(c->index);
		item = CURSOR_LOST;
	}
	if (page != c->page || !c->loaded ||
	    (!c->run_is_final && page < page_index_pages(c->index)))
		go_to_page(c, page, item);
	c->item = item;
}

void cursor_seek_end(struct cursor *c)
{
	cursor_seek(c, cursor_pages(c), CURSOR_LOST);
}

/* --- counting --------------------------------------------------------------------- */

uint32_t cursor_events_in_page(struct cursor *c)
{
	if (c->item <= 1 || !cursor_load(c))
		return 0;
	if (c->item < CURSOR_DAMAGE)
		return c->item - 1;
	count_page(c);
	return c->nr;
}

uint32_t cursor_rows_in_page(struct cursor *c)
{
	uint32_t rows;

	if (c->item == CURSOR_LOST || !cursor_load(c))
		return 0;
	rows = c->start.lost + cursor_events_in_page(c);
	if (c->item == CURSOR_END)
		rows += c->damage != SUB_BUFFER_SOUND;
	return rows;
}

uint32_t cursor_page_count(struct cursor *c)
{
	if (!cursor_load(c))
		return 0;
	count_page(c);
	return c->nr | (c->start.lost ? PAGE_LOST : 0) |
	       (c->damage != SUB_BUFFER_SOUND ? PAGE_DAMAGED : 0);
}

uint32_t cursor_item_of_row(struct cursor *c, uint64_t page, uint32_t row)
{
	uint32_t count;

	cursor_seek(c, page, CURSOR_LOST);
	count = cursor_page_count(c);
	if (count & PAGE_LOST && !row--)
		return CURSOR_LOST;
	return row < (count & PAGE_EVENTS_MASK) ? row + 1 : CURSOR_DAMAGE;
}
