/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/stream_walk.h"

#define WINDOWS_BYTES	(8u << 20)	/* most bytes in windows of streams read in turns */
#define WINDOW_MAX	(256u << 10)	/* fits into a CPU's cache */

/* The pages with settled records; of the last of them, some may not be. */
static uint64_t settled_pages(struct stream_walk *walk, const struct trace *trace,
			      const struct trace_stream *s, uint64_t pages)
{
	int64_t end = walk->unsettled ? INT64_MAX : trace_end(trace);
	uint64_t indexed;
	bool above;

	walk->cut_page = UINT64_MAX;
	if (end == INT64_MAX)
		return pages;
	walk->cut_raw = trace_clock_bound(&s->clock, end, &above);
	if (above)
		return pages;
	indexed = page_index_pages(&s->index);
	indexed = page_index_below(&s->index, indexed < pages ? indexed : pages, walk->cut_raw);
	if (indexed > page_index_start(&s->index))
		walk->cut_page = indexed - 1;
	return indexed;
}

/* End before the first record that is not settled. */
static void cut_page(struct stream_walk *walk)
{
	struct sub_buffer sb = walk->sb;
	const uint8_t *from = sb.pos;
	struct record rec;

	for (; sub_buffer_step(&sb, &rec, walk->sb.swap, walk->sb.big_endian); from = sb.pos)
		if (rec.ts >= walk->cut_raw) {
			walk->sb.end = from;
			walk->was_cut = true;
			return;
		}
}

/* No more than the pages: with many CPUs, pieces of one are smaller than a window. */
static void set_window(struct stream_walk *walk)
{
	const struct page_sequence *pages = &walk->pages;
	uint32_t window = walk->window_bytes ? walk->window_bytes : WINDOW_MAX;
	uint64_t nr = pages->end > pages->page ? pages->end - pages->page : 1;

	page_reader_set_window(pages->reader, nr < window / pages->page_size ?
						      (uint32_t)nr * pages->page_size :
						      window);
}

void stream_walk_begin(struct stream_walk *walk, const struct trace *trace, unsigned int stream,
		       uint64_t from, uint64_t to)
{
	const struct trace_stream *s = trace_stream_at(trace, stream);
	const struct trace_source *source = trace_source_at(trace, s->source);
	uint64_t pages = trace_stream_pages(trace, s), start = page_index_start(&s->index);

	pages = settled_pages(walk, trace, s, pages);
	if (source != walk->source)
		stream_walk_end(walk);
	if (!walk->pages.reader) {
		walk->pages.reader = page_reader_new(source->file, WINDOW_MAX);
		/* reuses the same memory, which stays in the CPU's cache */
		page_reader_keep_chunks(walk->pages.reader, 1);
	}
	walk->stream = s;
	walk->source = source;
	walk->native = source->kinds.standard && !s->layout->swap && !s->layout->big_endian;
	walk->ref = trace_ref_make(stream, 0, 0);
	walk->pages = (struct page_sequence){ .reader = walk->pages.reader,
					      .stream = s->number,
					      .page_size = s->layout->page_size,
					      .page = from > start ? from : start,
					      .end = to < pages ? to : pages };
	set_window(walk);
}

void stream_walk_begin_window(struct stream_walk *walk, struct trace *trace, unsigned int stream,
			      int64_t from, int64_t to)
{
	uint64_t first = 0, end = UINT64_MAX;
	struct cursor cursor;

	trace_init_cursor(trace, stream, &cursor);
	cursor.borrow = true;
	/* more than two sub-buffers may end with stamps of @to */
	if (to < INT64_MAX) {
		trace_seek_stream_near(trace, stream, &cursor, to + 1);
		end = cursor.page + 2;
	}
	if (from > INT64_MIN) {
		trace_seek_stream_near(trace, stream, &cursor, from);
		first = cursor.page;
	}
	stream_walk_begin(walk, trace, stream, first, end);
	cursor_fini(&cursor);
}

void stream_walk_end(struct stream_walk *walk)
{
	page_reader_free(walk->pages.reader);
	walk->pages.reader = NULL;
}

/* Events are lost before a page: the ts of the last record before it. */
static int64_t loss_from(const struct trace_stream *stream, uint64_t page)
{
	const struct page_index *index = &stream->index;

	return page > page_index_start(index) ?
		       trace_clock_ts(&stream->clock, page_index_last(index, page - 1)) :
		       INT64_MIN;
}

uint64_t stream_walk_settled(struct stream_walk *walk, const struct trace *trace,
			     unsigned int stream, int64_t *next)
{
	const struct trace_stream *s = trace_stream_at(trace, stream);
	struct record rec;

	stream_walk_begin(walk, trace, stream, 0, UINT64_MAX);
	*next = trace_end(trace);
	if (walk->cut_page == UINT64_MAX)
		return walk->pages.end;
	walk->pages.page = walk->cut_page;
	walk->was_cut = false;
	if (!stream_walk_page(walk) || !walk->was_cut)
		return walk->cut_page + 1;
	if (page_index_count(&s->index, walk->cut_page) & PAGE_LOST)
		*next = loss_from(s, walk->cut_page);
	else if (stream_walk_next(walk, &rec, walk->native))
		*next = stream_walk_ts(walk, &rec);
	return walk->cut_page;
}

uint32_t stream_walk_window(unsigned int nr)
{
	return nr > WINDOWS_BYTES / WINDOW_MAX ? WINDOWS_BYTES / nr : WINDOW_MAX;
}

bool stream_walk_page(struct stream_walk *walk)
{
	uint64_t page = walk->pages.page;
	const uint8_t *bytes;
	uint32_t len;
	bool any;

	walk->ref = trace_ref_make(trace_ref_stream(walk->ref), page, 0);
	any = page_sequence_next(&walk->pages, &bytes, &len);
	sub_buffer_open(&walk->sb, walk->stream->layout, bytes, len);
	walk->end = bytes + len;
	if (__builtin_expect(page == walk->cut_page, 0) && any)
		cut_page(walk);
	return any;
}
