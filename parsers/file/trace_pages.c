/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_pages - reads the sub-buffers of a trace.dat, plain or from compressed chunks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file_private.h"

#define ALIGNMENT	((size_t)4096)
/* packed bytes read at once: they stay in the CPU's cache while they are unpacked */
#define MAX_PACKED	(64u << 10)

static const struct trace_file *file_of(const struct trace_reader *reader)
{
	return (const struct trace_file *)reader->base.source;
}

static void free_slots(struct trace_reader *reader)
{
	for (unsigned int i = 0; i < reader->nr_slots; i++)
		free(reader->slots[i].data);
	free(reader->slots);
}

static void need_slots(struct trace_reader *reader)
{
	if (reader->nr_slots == reader->base.nr_chunks)
		return;
	free_slots(reader);
	reader->nr_slots = reader->base.nr_chunks;
	reader->slots = mem_array(reader->nr_slots, sizeof(*reader->slots));
}

void trace_pages_fini(struct source_reader *base)
{
	struct trace_reader *reader = (struct trace_reader *)base;

	free_slots(reader);
	free(reader->packed);
	free(reader->page);
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
static void note_failure(const struct trace_reader *reader, uint64_t offset)
{
	source_add_warning(reader->base.source, (int64_t)offset, "cannot read: %s",
			   strerror(errno));
}

/* --- chunked -------------------------------------------------------------- */

/*
 * The packed bytes of a chunk.  In a sequential read, fills the whole window, so that the next
 * chunks are already there.
 */
static const uint8_t *get_packed(struct trace_reader *reader, const struct chunk_directory *dir,
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
		uint32_t ahead = reader->base.window_bytes < MAX_PACKED ?
					 reader->base.window_bytes :
					 MAX_PACKED;

		ahead = left < ahead ? (uint32_t)left : ahead;
		want = ahead > want ? ahead : want;
	}
	reader->packed_len = 0;
	if (!need_bytes(&reader->packed, &reader->packed_cap, want))
		return NULL;
	got = read_at(reader->base.source->fd, reader->packed, want, chunk->offset);
	if (got < 0)
		note_failure(reader, chunk->offset);
	if (got < chunk->csize)
		return NULL;
	reader->packed_at = chunk->offset;
	reader->packed_len = (uint32_t)got;
	return reader->packed;
}

/* The unpacked bytes of a chunk, from a slot if it has been unpacked before. */
static const uint8_t *get_chunk(struct trace_reader *reader, unsigned int stream,
				const struct chunk_directory *dir, uint32_t nr)
{
	const struct chunk *chunk = &dir->chunks[nr];
	struct chunk_slot *slot;
	struct unpacker *unpacker;
	const uint8_t *packed;

	need_slots(reader);
	slot = &reader->slots[0];
	for (unsigned int i = 0; i < reader->nr_slots; i++) {
		struct chunk_slot *s = &reader->slots[i];

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
	unpacker = trace_file_unpacker_get(file_of(reader), reader->unpacker);
	reader->unpacker = unpacker;
	slot->valid = !unpacker_run(unpacker, packed, chunk->csize, slot->data, chunk->usize,
				    chunk->offset, NULL);
	trace_file_unpacker_put(file_of(reader), unpacker);
	if (!slot->valid)
		return NULL;
	slot->stream = stream;
	slot->chunk = nr;
	slot->used = ++reader->clock;
	return slot->data;
}

/* Assemble a page that spans several chunks in the window. */
static const uint8_t *assemble(struct trace_reader *reader, unsigned int stream,
			       const struct chunk_directory *dir, uint64_t start, uint32_t len)
{
	uint32_t done = 0;

	if (!need_bytes(&reader->page, &reader->page_cap, len))
		return NULL;
	for (uint32_t nr = chunk_directory_find(dir, start); done < len; nr++) {
		const uint8_t *data = get_chunk(reader, stream, dir, nr);
		uint64_t skip = start + done - dir->chunks[nr].stream_offset;
		uint32_t n = dir->chunks[nr].usize - (uint32_t)skip;

		if (!data)
			return NULL;
		n = n < len - done ? n : len - done;
		memcpy(reader->page + done, data + skip, n);
		done += n;
	}
	return reader->page;
}

static const uint8_t *get_chunked(struct trace_reader *reader, unsigned int stream,
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

/* --- pages ---------------------------------------------------------------- */

/* Read as many of @want bytes as the file has, in whole pages if it has become shorter. */
static uint32_t read_pages(const struct trace_reader *reader, unsigned int stream,
			   uint32_t page_size, uint64_t start, uint8_t *to, uint32_t want)
{
	uint64_t offset = reader->base.source->streams[stream].offset + start;
	int64_t got = read_at(reader->base.source->fd, to, want, offset);

	if (got < 0) {
		note_failure(reader, offset);
		return 0;
	}
	return (uint32_t)(got < want ? got / page_size * page_size : got);
}

/* Pages of zeros that the recorder has dropped cannot be read: how many come before the first? */
static uint32_t kept_pages(const struct trace_file *file, unsigned int stream, uint64_t page,
			   const uint8_t *bytes, uint32_t page_size, uint32_t nr)
{
	static const uint8_t none[16];	/* no stamp, no data */

	for (uint32_t i = 0; i < nr; i++)
		if (!memcmp(bytes + (size_t)i * page_size, none, sizeof(none)) &&
		    trace_part_has_dropped(file, stream, page + i)) {
			atomic_store(&file->states[stream].gone,
				     source_first_page(&file->base, stream));
			return i;
		}
	return nr;
}

static void count_pages(uint32_t bytes, uint32_t page_size, uint32_t *nr, uint32_t *last)
{
	*nr = (bytes + page_size - 1) / page_size;
	*last = bytes % page_size ? bytes % page_size : page_size;
}

static uint32_t page_bytes(const struct source *source, unsigned int stream)
{
	return source->buffers[source->streams[stream].buffer].layout.page_size;
}

const uint8_t *trace_pages_borrow(struct source_reader *base, unsigned int stream, uint64_t page,
				  uint32_t *nr, uint32_t *last)
{
	struct trace_reader *reader = (struct trace_reader *)base;
	const struct chunk_directory *dir = trace_file_directory(file_of(reader), stream);
	uint32_t page_size = page_bytes(base->source, stream);

	*nr = 0;
	return dir ? get_chunked(reader, stream, dir, page_size, page * page_size, nr, last) : NULL;
}

static uint32_t read_plain(const struct trace_reader *reader, unsigned int stream, uint64_t page,
			   uint32_t max, uint8_t *to, uint32_t *last)
{
	const struct source *source = reader->base.source;
	uint32_t page_size = page_bytes(source, stream), nr, kept;
	uint64_t left = source_stream_bytes(source, stream) - page * page_size;

	if (page < atomic_load(&file_of(reader)->states[stream].gone))
		return 0;
	if (left > (uint64_t)max * page_size)
		left = (uint64_t)max * page_size;
	left = read_pages(reader, stream, page_size, page * page_size, to, (uint32_t)left);
	count_pages((uint32_t)left, page_size, &nr, last);
	kept = source->firsts ? kept_pages(file_of(reader), stream, page, to, page_size, nr) : nr;
	if (kept < nr)
		*last = page_size;
	return kept;
}

uint32_t trace_pages_read(struct source_reader *base, unsigned int stream, uint64_t page,
			  uint32_t max, uint8_t *to, uint32_t *last)
{
	const struct trace_reader *reader = (const struct trace_reader *)base;
	uint32_t page_size = page_bytes(base->source, stream), nr;
	const uint8_t *data = trace_pages_borrow(base, stream, page, &nr, last);

	if (!nr)
		return read_plain(reader, stream, page, max, to, last);
	if (!data)
		return 0;
	if (nr > max) {
		nr = max;
		*last = page_size;
	}
	memcpy(to, data, (size_t)(nr - 1) * page_size + *last);
	return nr;
}

uint64_t trace_pages_offset(const struct source *source, unsigned int stream, uint64_t page)
{
	const struct chunk_directory *dir = trace_file_directory((const struct trace_file *)source,
								 stream);
	uint64_t start = page * page_bytes(source, stream);

	if (!dir)
		return source->streams[stream].offset + start;
	return dir->nr ? dir->chunks[chunk_directory_find(dir, start)].offset :
			 source->streams[stream].offset;
}
