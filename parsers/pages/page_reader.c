/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/page_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file_private.h"
#include "parsers/lines/line_file.h"

/* Default number of unpacked chunks that a reader keeps: the current one, and a neighbour. */
#define DEFAULT_CHUNKS 2u
#define ALIGNMENT	((size_t)4096)
/* packed bytes read at once: they stay in the CPU's cache while they are unpacked */
#define MAX_PACKED	(64u << 10)

struct slot {
	uint8_t		*data;		/* owned */
	uint32_t	 cap;		/* bytes of data */
	unsigned int	 stream;
	uint32_t	 chunk;
	bool		 valid;
	uint64_t	 used;		/* last use, by reader->clock */
};

struct page_reader {
	const struct trace_file	*file;		/* borrowed */
	uint32_t	 window_bytes;
	uint8_t		*window;		/* owned; plain: bytes of the stream, chunked: a
						 * page that spans two chunks */
	uint32_t	 window_cap;
	unsigned int	 stream;		/* the window's stream */
	uint64_t	 start;			/* stream offset of window[0] */
	uint32_t	 len;			/* valid bytes; 0 = none */
	uint8_t		*packed;		/* owned, packed_cap bytes: chunks as in the file */
	uint32_t	 packed_cap, packed_len;
	uint64_t	 packed_at;		/* file offset of packed[0] */
	const struct unpacker *unpacker;	/* the one used last; borrowed, may be freed */
	struct slot	*slots;			/* owned, [nr_slots] */
	unsigned int	 nr_slots;
	uint64_t	 clock;
	struct line_reader *lines;		/* owned: of a text trace */
};

struct page_reader *page_reader_new(const struct trace_file *file, uint32_t window_bytes)
{
	struct page_reader *reader = mem_alloc(sizeof(*reader));

	reader->file = file;
	reader->window_bytes = window_bytes;
	page_reader_keep_chunks(reader, DEFAULT_CHUNKS);
	return reader;
}

void page_reader_set_window(struct page_reader *reader, uint32_t window_bytes)
{
	reader->window_bytes = window_bytes;
}

void page_reader_keep_chunks(struct page_reader *reader, unsigned int nr)
{
	for (unsigned int i = 0; i < reader->nr_slots; i++)
		free(reader->slots[i].data);
	free(reader->slots);
	reader->nr_slots = nr ? nr : 1;
	reader->slots = mem_array(reader->nr_slots, sizeof(*reader->slots));
}

void page_reader_free(struct page_reader *reader)
{
	if (!reader)
		return;
	for (unsigned int i = 0; i < reader->nr_slots; i++)
		free(reader->slots[i].data);
	free(reader->slots);
	line_reader_free(reader->lines);
	free(reader->packed);
	free(reader->window);
	free(reader);
}

/*
 * Make room for n bytes; the old contents are lost.  Page-aligned, because the kernel then copies a
 * tenth faster.  False: no memory.
 */
static bool need_bytes(uint8_t **data, uint32_t *cap, uint32_t n)
{
	if (n <= *cap)
		return true;
	free(*data);
	*data = aligned_alloc(ALIGNMENT, ((size_t)n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
	*cap = *data ? n : 0;
	return *data;
}

/* Text commands and the screen tell it. */
static void note_failure(const struct page_reader *reader, uint64_t offset)
{
	trace_file_add_note(reader->file, (int64_t)offset, "cannot read: %s", strerror(errno));
}

/* --- chunked -------------------------------------------------------------- */

/*
 * The packed bytes of a chunk.  In a sequential read, fills the whole window, so that the next
 * chunks are already there.
 */
static const uint8_t *get_packed(struct page_reader *reader, const struct chunk_directory *dir,
				 const struct chunk *chunk)
{
	const struct chunk *end = &dir->chunks[dir->nr - 1];
	/* huge if the chunk is before packed_at */
	uint64_t skip = chunk->offset - reader->packed_at;
	uint32_t want = chunk->csize;
	int64_t got;

	if (skip < reader->packed_len && chunk->csize <= reader->packed_len - skip)
		return reader->packed + skip;
	if (reader->packed_len && skip <= reader->packed_len + CHUNK_HEADER_BYTES) {
		uint64_t left = end->offset + end->csize - chunk->offset;
		uint32_t ahead = reader->window_bytes < MAX_PACKED ? reader->window_bytes :
								     MAX_PACKED;

		ahead = left < ahead ? (uint32_t)left : ahead;
		want = ahead > want ? ahead : want;
	}
	reader->packed_len = 0;
	if (!need_bytes(&reader->packed, &reader->packed_cap, want))
		return NULL;
	got = read_at(reader->file->fd, reader->packed, want, chunk->offset);
	if (got < 0)
		note_failure(reader, chunk->offset);
	if (got < chunk->csize)
		return NULL;
	reader->packed_at = chunk->offset;
	reader->packed_len = (uint32_t)got;
	return reader->packed;
}

/* The unpacked bytes of a chunk, from a slot if it has been unpacked before. */
static const uint8_t *get_chunk(struct page_reader *reader, unsigned int stream,
				const struct chunk_directory *dir, uint32_t nr)
{
	const struct chunk *chunk = &dir->chunks[nr];
	struct slot *slot = &reader->slots[0];
	struct unpacker *unpacker;
	const uint8_t *packed;

	for (unsigned int i = 0; i < reader->nr_slots; i++) {
		struct slot *s = &reader->slots[i];

		if (s->valid && s->stream == stream && s->chunk == nr) {
			s->used = ++reader->clock;
			return s->data;
		}
		if (s->used < slot->used)
			slot = s;
	}
	slot->valid = false;
	packed = get_packed(reader, dir, chunk);
	if (!packed || !need_bytes(&slot->data, &slot->cap, chunk->usize))
		return NULL;
	unpacker = trace_file_unpacker_get(reader->file, reader->unpacker);
	reader->unpacker = unpacker;
	slot->valid = !unpacker_run(unpacker, packed, chunk->csize, slot->data, chunk->usize,
				    chunk->offset, NULL);
	trace_file_unpacker_put(reader->file, unpacker);
	if (!slot->valid)
		return NULL;
	slot->stream = stream;
	slot->chunk = nr;
	slot->used = ++reader->clock;
	return slot->data;
}

/* Assemble a page that spans several chunks in the window. */
static const uint8_t *assemble(struct page_reader *reader, unsigned int stream,
			       const struct chunk_directory *dir, uint64_t start, uint32_t len)
{
	uint32_t done = 0;

	reader->len = 0;
	if (!need_bytes(&reader->window, &reader->window_cap, len))
		return NULL;
	for (uint32_t nr = chunk_directory_find(dir, start); done < len; nr++) {
		const uint8_t *data = get_chunk(reader, stream, dir, nr);
		uint64_t skip = start + done - dir->chunks[nr].stream_offset;
		uint32_t n = dir->chunks[nr].usize - (uint32_t)skip;

		if (!data)
			return NULL;
		n = n < len - done ? n : len - done;
		memcpy(reader->window + done, data + skip, n);
		done += n;
	}
	return reader->window;
}

static const uint8_t *get_chunked(struct page_reader *reader, unsigned int stream,
				  const struct chunk_directory *dir, uint32_t page_size,
				  uint64_t start, uint32_t *nr, uint32_t *last)
{
	uint32_t first = chunk_directory_find(dir, start);
	const struct chunk *chunk = &dir->chunks[first];
	uint64_t skip = start - chunk->stream_offset, left = chunk->usize - skip;
	bool at_end = chunk->stream_offset + chunk->usize == dir->bytes;
	const uint8_t *data;

	if (left < page_size && !at_end) {
		uint64_t rest = dir->bytes - start;

		*nr = 1;
		*last = rest < page_size ? (uint32_t)rest : page_size;
		return assemble(reader, stream, dir, start, *last);
	}
	*nr = (uint32_t)(left / page_size);
	*last = page_size;
	if (at_end && left % page_size) {
		++*nr;
		*last = (uint32_t)(left % page_size);
	}
	data = get_chunk(reader, stream, dir, first);
	return data ? data + skip : NULL;
}

/* --- text ----------------------------------------------------------------- */

static const uint8_t *get_lines(struct page_reader *reader, unsigned int stream, uint64_t page,
				uint8_t *to, uint32_t *len)
{
	if (!reader->lines)
		reader->lines = line_reader_new(reader->file->lines);
	*len = line_reader_page(reader->lines, page, reader->file->streams[stream].cpu, to);
	if (!*len)
		note_failure(reader, line_file_offset(reader->file->lines, page));
	return *len ? to : NULL;
}

bool page_reader_sum(const struct page_reader *reader, unsigned int stream, uint64_t page,
		     struct line_sum *sum, const struct line_count **counts)
{
	if (!reader->file->lines)
		return false;
	*sum = line_file_sum(reader->file->lines, page, reader->file->streams[stream].cpu, counts);
	return true;
}

/* --- plain ---------------------------------------------------------------- */

/* Read as many of @want bytes as the file has, in whole pages if it has become shorter. */
static uint32_t read_pages(const struct page_reader *reader, unsigned int stream,
			   uint32_t page_size, uint64_t start, uint8_t *to, uint32_t want)
{
	uint64_t offset = reader->file->streams[stream].offset + start;
	int64_t got = read_at(reader->file->fd, to, want, offset);

	if (got < 0) {
		note_failure(reader, offset);
		return 0;
	}
	return (uint32_t)(got < want ? got / page_size * page_size : got);
}

static bool fill_window(struct page_reader *reader, unsigned int stream, uint32_t page_size,
			uint64_t start, uint64_t bytes)
{
	uint32_t want = reader->window_bytes / page_size * page_size;

	if (want < page_size)
		want = page_size;
	if (!need_bytes(&reader->window, &reader->window_cap, want))
		return false;
	if (want > bytes - start)
		want = (uint32_t)(bytes - start);
	reader->len = read_pages(reader, stream, page_size, start, reader->window, want);
	reader->stream = stream;
	reader->start = start;
	return reader->len;
}

static void count_pages(uint32_t bytes, uint32_t page_size, uint32_t *nr, uint32_t *last)
{
	*nr = (bytes + page_size - 1) / page_size;
	*last = bytes % page_size ? bytes % page_size : page_size;
}

static const uint8_t *get_plain(struct page_reader *reader, unsigned int stream, uint32_t page_size,
				uint64_t start, uint64_t bytes, uint32_t *nr, uint32_t *last)
{
	uint32_t left, need = bytes - start < page_size ? (uint32_t)(bytes - start) : page_size;

	if (!reader->len || reader->stream != stream || start < reader->start ||
	    start - reader->start > reader->len || need > reader->len - (start - reader->start)) {
		if (!fill_window(reader, stream, page_size, start, bytes))
			return NULL;
	}
	left = reader->len - (uint32_t)(start - reader->start);
	count_pages(left, page_size, nr, last);
	return reader->window + (start - reader->start);
}

/* Bytes of a stream that are whole sub-buffers, and their size; 0 if the page does not exist. */
static uint64_t stream_bytes(const struct page_reader *reader, unsigned int stream, uint64_t page,
			     uint32_t *page_size)
{
	const struct trace_file *file = reader->file;
	uint64_t bytes, pages = trace_file_stream_pages(file, stream);

	if (page >= pages)
		return 0;
	bytes = trace_file_stream_bytes(file, stream);
	*page_size = file->buffers[file->streams[stream].buffer].layout.page_size;
	return bytes > pages * *page_size ? pages * *page_size : bytes; /* drop a page that is
									 * still being written */
}

const uint8_t *page_reader_get(struct page_reader *reader, unsigned int stream, uint64_t page,
			       uint32_t *nr, uint32_t *last)
{
	const struct chunk_directory *dir;
	uint32_t page_size;
	uint64_t bytes = stream_bytes(reader, stream, page, &page_size);

	if (!bytes)
		return NULL;
	if (reader->file->lines) {
		*nr = 1;
		return need_bytes(&reader->window, &reader->window_cap, page_size) ?
			       get_lines(reader, stream, page, reader->window, last) :
			       NULL;
	}
	dir = trace_file_directory(reader->file, stream);
	return dir ? get_chunked(reader, stream, dir, page_size, page * page_size, nr, last) :
		     get_plain(reader, stream, page_size, page * page_size, bytes, nr, last);
}

uint32_t page_reader_copy(struct page_reader *reader, unsigned int stream, uint64_t page,
			  uint32_t max, uint8_t *to, uint32_t *last)
{
	const struct chunk_directory *dir;
	const uint8_t *data;
	uint32_t page_size, nr;
	uint64_t bytes = stream_bytes(reader, stream, page, &page_size), left;

	if (!bytes)
		return 0;
	if (reader->file->lines)
		return get_lines(reader, stream, page, to, last) ? 1 : 0;
	dir = trace_file_directory(reader->file, stream);
	if (!dir) {
		left = bytes - page * page_size;
		if (left > (uint64_t)max * page_size)
			left = (uint64_t)max * page_size;
		left = read_pages(reader, stream, page_size, page * page_size, to, (uint32_t)left);
		count_pages((uint32_t)left, page_size, &nr, last);
		return nr;
	}
	data = get_chunked(reader, stream, dir, page_size, page * page_size, &nr, last);
	if (!data)
		return 0;
	if (nr > max) {
		nr = max;
		*last = page_size;
	}
	memcpy(to, data, (size_t)(nr - 1) * page_size + *last);
	return nr;
}

uint64_t page_reader_offset(const struct page_reader *reader, unsigned int stream, uint64_t page)
{
	const struct trace_file *file = reader->file;
	const struct chunk_directory *dir;
	uint64_t start;

	if (stream >= file->nr_streams)
		return 0;
	if (file->lines)
		return line_file_offset(file->lines, page);
	start = page * file->buffers[file->streams[stream].buffer].layout.page_size;
	dir = trace_file_directory(file, stream);
	if (!dir)
		return file->streams[stream].offset + start;
	return dir->nr ? dir->chunks[chunk_directory_find(dir, start)].offset :
			 file->streams[stream].offset;
}
