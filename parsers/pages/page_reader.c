/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/page_reader.h"

#include <stdlib.h>

#include "parsers/source/source_form.h"
#include "src/base/memory.h"

/* Default number of unpacked chunks that a reader keeps: the current one, and a neighbour. */
#define DEFAULT_CHUNKS 2u
#define ALIGNMENT	((size_t)4096)

struct page_reader {
	struct source_reader *form;		/* owned */
	uint8_t		*window;		/* owned: sub-buffers that were read last */
	uint64_t	 window_cap;
	unsigned int	 stream;		/* the window's */
	uint64_t	 page;			/* number of its first one */
	uint32_t	 nr;			/* how many; 0 = none */
	uint32_t	 last;			/* bytes of the last one */
};

struct page_reader *page_reader_new(const struct source *source, uint32_t window_bytes)
{
	struct page_reader *reader = mem_alloc(sizeof(*reader));

	reader->form = source_reader_new(source);
	reader->form->window_bytes = window_bytes;
	reader->form->nr_chunks = DEFAULT_CHUNKS;
	return reader;
}

void page_reader_set_window(struct page_reader *reader, uint32_t window_bytes)
{
	reader->form->window_bytes = window_bytes;
}

void page_reader_keep_chunks(struct page_reader *reader, unsigned int nr)
{
	reader->form->nr_chunks = nr ? nr : 1;
}

void page_reader_free(struct page_reader *reader)
{
	if (!reader)
		return;
	source_reader_free(reader->form);
	free(reader->window);
	free(reader);
}

/* Page-aligned, because the kernel then copies a tenth faster.  False: no memory. */
static bool need_window(struct page_reader *reader, uint64_t bytes)
{
	if (bytes <= reader->window_cap)
		return true;
	free(reader->window);
	reader->nr = 0;
	reader->window = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
	reader->window_cap = reader->window ? bytes : 0;
	return reader->window;
}

static bool fill_window(struct page_reader *reader, unsigned int stream, uint64_t page,
			uint32_t page_size)
{
	const struct source *source = reader->form->source;
	uint32_t max = reader->form->window_bytes / page_size;

	max = max ? max : 1;
	if (!need_window(reader, (uint64_t)max * page_size))
		return false;
	reader->nr = source->ops->read(reader->form, stream, page, max, reader->window,
				       &reader->last);
	reader->stream = stream;
	reader->page = page;
	return reader->nr;
}

/* Does the file have a part of the page? */
static bool has_bytes(const struct source *source, unsigned int stream, uint64_t page)
{
	return stream < source->nr_streams &&
	       page < source_stream_pages(source, stream) - source->streams[stream].is_cut;
}

const uint8_t *page_reader_get(struct page_reader *reader, unsigned int stream, uint64_t page,
			       uint32_t *nr, uint32_t *last)
{
	const struct source *source = reader->form->source;
	const uint8_t *data;
	uint32_t page_size;

	if (!has_bytes(source, stream, page))
		return NULL;
	if (source->ops->borrow) {
		data = source->ops->borrow(reader->form, stream, page, nr, last);
		if (data || *nr)
			return data;
	}
	page_size = source->buffers[source->streams[stream].buffer].layout.page_size;
	if ((!reader->nr || reader->stream != stream || page < reader->page ||
	     page - reader->page >= reader->nr) &&
	    !fill_window(reader, stream, page, page_size))
		return NULL;
	*nr = reader->nr - (uint32_t)(page - reader->page);
	*last = reader->last;
	return reader->window + (page - reader->page) * page_size;
}

uint32_t page_reader_copy(struct page_reader *reader, unsigned int stream, uint64_t page,
			  uint32_t max, uint8_t *to, uint32_t *last)
{
	const struct source *source = reader->form->source;

	if (!has_bytes(source, stream, page))
		return 0;
	return source->ops->read(reader->form, stream, page, max, to, last);
}

bool page_reader_sum(const struct page_reader *reader, unsigned int stream, uint64_t page,
		     struct page_sum *sum, const struct type_count **counts)
{
	const struct source *source = reader->form->source;

	return source->ops->sum && source->ops->sum(source, stream, page, sum, counts);
}

uint64_t page_reader_offset(const struct page_reader *reader, unsigned int stream, uint64_t page)
{
	const struct source *source = reader->form->source;

	if (stream >= source->nr_streams || !source->ops->offset)
		return 0;
	return source->ops->offset(source, stream, page);
}
