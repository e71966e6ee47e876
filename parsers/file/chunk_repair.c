/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/file/chunk_repair.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/io/byte_reader.h"
#include "parsers/io/read_at.h"
#include "parsers/io/trace_format.h"
#include "src/base/memory.h"

#define MAGIC_BYTES	4u
#define BLOCK_BYTES	(64u << 10)	/* bytes searched at a time */
#define FIRST_PROBE	(1u << 20)	/* most chunks are smaller than this, in bytes */
/* bytes read at most, so that a crafted file cannot keep us busy */
#define MAX_WORK	(1ull << 30)
#define MAX_ODD		16u		/* chunks of unusual size that are unpacked to check them */

struct repair {
	struct chunk_directory	*dir;
	uint32_t		 cap;		/* capacity of dir->chunks */
	int			 fd;
	uint64_t		 limit, work;
	bool			 swap, mended;
	struct unpacker		*unpacker;	/* borrowed */
	uint8_t			*in, *out;	/* owned, [TRACE_MAX_CHUNK]; only the used part
						 * is touched */
	uint8_t			*block;		/* owned, [BLOCK_BYTES] */
};

static void repair_init(struct repair *r, struct chunk_directory *dir, int fd,
			struct unpacker *unpacker)
{
	*r = (struct repair){
		.dir = dir, .cap = dir->nr, .fd = fd, .limit = UINT64_MAX, .unpacker = unpacker
	};
	r->in = mem_try_alloc(TRACE_MAX_CHUNK, NULL);
	r->out = mem_try_alloc(TRACE_MAX_CHUNK, NULL);
	r->block = mem_try_alloc(BLOCK_BYTES, NULL);
}

static void repair_fini(struct repair *r)
{
	free(r->in);
	free(r->out);
	free(r->block);
}

static bool repair_ready(const struct repair *r)
{
	return r->in && r->out && r->block;
}

/* Try to unpack a chunk of at most @avail packed bytes at this file offset. */
static bool probe_data(struct repair *r, uint64_t offset, uint32_t avail, uint32_t *csize,
		       uint32_t *usize)
{
	int64_t got;

	if (offset >= r->limit || r->work > MAX_WORK)
		return false;
	if (avail > r->limit - offset)
		avail = (uint32_t)(r->limit - offset);
	got = read_at(r->fd, r->in, avail, offset);
	if (got <= 0)
		return false;
	r->work += (uint64_t)got;
	if (!unpacker_probe(r->unpacker, r->in, (uint32_t)got, r->out, TRACE_MAX_CHUNK, csize,
			    usize))
		return false;
	r->work += *usize;
	return true;
}

static bool begins_at(const struct repair *r, uint64_t offset)
{
	uint8_t magic[MAGIC_BYTES];

	return read_at(r->fd, magic, sizeof(magic), offset) == (int64_t)sizeof(magic) &&
	       codec_begins(unpacker_codec(r->unpacker), magic);
}

/* Find the sizes of a chunk from its data; the header is ignored. */
static bool probe_chunk(struct repair *r, uint64_t header, struct chunk *chunk)
{
	*chunk = (struct chunk){ .offset = header + CHUNK_HEADER_BYTES };
	return begins_at(r, chunk->offset) &&
	       (probe_data(r, chunk->offset, FIRST_PROBE, &chunk->csize, &chunk->usize) ||
		probe_data(r, chunk->offset, TRACE_MAX_CHUNK, &chunk->csize, &chunk->usize));
}

static uint64_t chunk_end(const struct chunk *chunk)
{
	return chunk->offset + chunk->csize;
}

static void add_chunk(struct repair *r, struct chunk chunk)
{
	struct chunk_directory *dir = r->dir;

	mem_grow(&dir->chunks, dir->nr, &r->cap);
	chunk.stream_offset = dir->bytes;
	dir->chunks[dir->nr++] = chunk;
	dir->bytes += chunk.usize;
}

static void drop_last(struct repair *r)
{
	r->dir->bytes = r->dir->chunks[--r->dir->nr].stream_offset;
}

/* Add chunks while their headers are valid.  Return: the offset where the next header should be. */
static uint64_t follow_chunks(struct repair *r, uint64_t pos)
{
	struct chunk chunk;

	while (r->dir->nr < TRACE_MAX_CHUNKS &&
	       !chunk_header_read(&chunk, r->fd, pos, r->limit, r->swap, NULL) &&
	       begins_at(r, chunk.offset)) {
		add_chunk(r, chunk);
		pos = chunk_end(&chunk);
	}
	return pos;
}

/*
 * No valid header follows the last chunk: its packed size may be wrong.  Correct it.  Return: where
 * to continue.
 */
static uint64_t correct_last(struct repair *r, uint64_t pos)
{
	struct chunk *last, real;

	while (r->dir->nr && !begins_at(r, r->dir->chunks[r->dir->nr - 1].offset)) {
		pos = r->dir->chunks[r->dir->nr - 1].offset - CHUNK_HEADER_BYTES;
		drop_last(r);
	}
	if (!r->dir->nr)
		return pos;
	last = &r->dir->chunks[r->dir->nr - 1];
	if (!probe_chunk(r, last->offset - CHUNK_HEADER_BYTES, &real)) {
		pos = last->offset - CHUNK_HEADER_BYTES;
		drop_last(r);
	} else if (real.csize != last->csize || real.usize != last->usize) {
		drop_last(r);
		add_chunk(r, real);
		r->mended = true;
		pos = chunk_end(&real);
	}
	return pos;
}

/* Does a chunk with a valid header begin here?  @head points into the block at file offset @pos. */
static bool is_chunk(struct repair *r, const uint8_t *head, uint64_t pos, struct chunk *chunk)
{
	uint32_t csize, usize;

	if (!codec_begins(unpacker_codec(r->unpacker), head + CHUNK_HEADER_BYTES) ||
	    chunk_header_read(chunk, r->fd, pos, r->limit, r->swap, NULL))
		return false;
	return probe_data(r, chunk->offset, chunk->csize, &csize, &usize) &&
	       csize == chunk->csize && usize == chunk->usize;
}

static bool find_next(struct repair *r, uint64_t pos, struct chunk *chunk)
{
	const uint32_t need = CHUNK_HEADER_BYTES + MAGIC_BYTES;

	while (r->work <= MAX_WORK && pos < r->limit) {
		uint64_t left = r->limit - pos;
		int64_t got = read_at(r->fd, r->block, left < BLOCK_BYTES ? left : BLOCK_BYTES,
				      pos);

		if (got < (int64_t)need)
			return false;
		for (uint32_t i = 0; i + need <= (uint32_t)got; i++)
			if (is_chunk(r, r->block + i, pos + i, chunk))
				return true;
		r->work += (uint64_t)got;
		pos += (uint64_t)got - need + 1;
	}
	return false;
}

/*
 * Nothing between two headers unpacks: add a chunk that will fail to unpack, with the size it
 * should have had.
 */
static void add_lost(struct repair *r, uint64_t header, const struct chunk *next,
		     uint32_t page_size)
{
	uint64_t bytes = next->offset - CHUNK_HEADER_BYTES - header;
	struct chunk chunk;

	if (bytes <= CHUNK_HEADER_BYTES)
		return;
	if (chunk_header_read(&chunk, r->fd, header, UINT64_MAX / 2, r->swap, NULL) || !page_size ||
	    chunk.usize % page_size)
		chunk.usize = r->dir->nr ? r->dir->chunks[0].usize : next->usize;
	chunk.offset = header + CHUNK_HEADER_BYTES;
	bytes -= CHUNK_HEADER_BYTES;
	chunk.csize = bytes < TRACE_MAX_CHUNK ? (uint32_t)bytes : TRACE_MAX_CHUNK;
	add_chunk(r, chunk);
}

bool chunk_directory_repair(struct chunk_directory *dir, int fd, uint64_t offset, uint64_t limit,
			    bool swap, struct unpacker *unpacker, uint32_t page_size)
{
	uint64_t pos = dir->nr ? chunk_end(&dir->chunks[dir->nr - 1]) : offset + 4;
	uint32_t before = dir->nr;
	struct chunk chunk;
	struct repair r;

	repair_init(&r, dir, fd, unpacker);
	r.limit = limit;
	r.swap = swap;
	while (repair_ready(&r)) {
		pos = correct_last(&r, follow_chunks(&r, pos));
		if (!probe_chunk(&r, pos, &chunk)) {
			if (!find_next(&r, pos + 1, &chunk))
				break;
			add_lost(&r, pos, &chunk, page_size);
		}
		add_chunk(&r, chunk);
		pos = chunk_end(&chunk);
	}
	repair_fini(&r);
	return r.mended || dir->nr > before;
}

/* The unpacked size that most chunks have, if at least three agree. */
static uint32_t usual_size(const struct chunk_directory *dir)
{
	return dir->nr > 2 && dir->chunks[1].usize == dir->chunks[2].usize ? dir->chunks[1].usize :
									     dir->chunks[0].usize;
}

uint32_t chunk_directory_check_sizes(struct chunk_directory *dir, int fd, struct unpacker *unpacker)
{
	uint32_t wrong = 0, odd = 0, usual;
	struct repair r = { 0 };

	if (!dir->nr)
		return 0;
	usual = usual_size(dir);
	for (uint32_t i = 0; i < dir->nr && odd < MAX_ODD; i++) {
		struct chunk *chunk = &dir->chunks[i];
		uint32_t csize, usize;

		if (chunk->usize == usual || (i == dir->nr - 1 && chunk->usize < usual))
			continue;
		if (!odd++)
			repair_init(&r, dir, fd, unpacker);
		if (!repair_ready(&r))
			break;
		if (probe_data(&r, chunk->offset, chunk->csize, &csize, &usize) &&
		    csize == chunk->csize && usize != chunk->usize) {
			chunk->usize = usize;
			wrong++;
		}
	}
	if (odd)
		repair_fini(&r);
	dir->bytes = 0;
	for (uint32_t i = 0; i < dir->nr; i++) {
		dir->chunks[i].stream_offset = dir->bytes;
		dir->bytes += dir->chunks[i].usize;
	}
	return wrong;
}
