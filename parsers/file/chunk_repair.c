/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/file/chunk_repair.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/io/byte_reader.h"
#include "parsers/io/read_at.h"
#include "parsers/io/trace_format.h"
#include "src/base/memory.h"

#define MAGIC_BYTES	4u
#define BLOCK_BYTES	(64u << 10)	/* looked through at a time */
#define FIRST_PROBE	(1u << 20)	/* bytes that most chunks are smaller than */
#define MAX_WORK	(1ull << 30)	/* bytes looked at: a file made to be slow ends here */
#define MAX_ODD		16u		/* chunks of an unusual size that are unpacked */

struct repair {
	struct chunk_directory	*dir;
	uint32_t		 cap;		/* of dir->chunks */
	int			 fd;
	uint64_t		 limit, work;
	bool			 swap, mended;
	struct unpacker		*unpacker;	/* borrowed */
	uint8_t			*in, *out;	/* owned, [TRACE_MAX_CHUNK]; touched as far as needed */
	uint8_t			*block;		/* owned, [BLOCK_BYTES] */
};

static void repair_init(struct repair *r, struct chunk_directory *dir, int fd, struct unpacker *unpacker)
{
	*r = (struct repair){ .dir = dir, .cap = dir->nr, .fd = fd, .limit = UINT64_MAX, .unpacker = unpacker };
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

static bool ready(const struct repair *r)
{
	return r->in && r->out && r->block;
}

/* What begins at this offset of the file, in so many bytes at most. */
static bool probe(struct repair *r, uint64_t offset, uint32_t avail, uint32_t *csize, uint32_t *usize)
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
	if (!unpacker_probe(r->unpacker, r->in, (uint32_t)got, r->out, TRACE_MAX_CHUNK, csize, usize))
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

/* A chunk by what its data says, its header aside. */
static bool probe_chunk(struct repair *r, uint64_t header, struct chunk *chunk)
{
	*chunk = (struct chunk){ .offset = header + CHUNK_HEADER_BYTES };
	return begins_at(r, chunk->offset) &&
	       (probe(r, chunk->offset, FIRST_PROBE, &chunk->csize, &chunk->usize) ||
		probe(r, chunk->offset, TRACE_MAX_CHUNK, &chunk->csize, &chunk->usize));
}

static uint64_t end_of(const struct chunk *chunk)
{
	return chunk->offset + chunk->csize;
}

static void add(struct repair *r, struct chunk chunk)
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

/* Take chunks as long as their headers are right.  Return: where the next header should be. */
static uint64_t follow(struct repair *r, uint64_t pos)
{
	struct chunk chunk;

	while (r->dir->nr < TRACE_MAX_CHUNKS && !chunk_header_read(&chunk, r->fd, pos, r->limit, r->swap, NULL) &&
	       begins_at(r, chunk.offset)) {
		add(r, chunk);
		pos = end_of(&chunk);
	}
	return pos;
}

/* What does not go on behind the last chunk may be that one's own fault: its size.  Return: where to go on. */
static uint64_t settle_last(struct repair *r, uint64_t pos)
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
		add(r, real);
		r->mended = true;
		pos = end_of(&real);
	}
	return pos;
}

/* Is there a chunk with a sound header at this place of the block? */
static bool is_chunk(struct repair *r, const uint8_t *head, uint64_t pos, struct chunk *chunk)
{
	uint32_t csize, usize;

	if (!codec_begins(unpacker_codec(r->unpacker), head + CHUNK_HEADER_BYTES) ||
	    chunk_header_read(chunk, r->fd, pos, r->limit, r->swap, NULL))
		return false;
	return probe(r, chunk->offset, chunk->csize, &csize, &usize) && csize == chunk->csize && usize == chunk->usize;
}

static bool find_next(struct repair *r, uint64_t pos, struct chunk *chunk)
{
	const uint32_t need = CHUNK_HEADER_BYTES + MAGIC_BYTES;

	while (r->work <= MAX_WORK && pos < r->limit) {
		uint64_t left = r->limit - pos;
		int64_t got = read_at(r->fd, r->block, left < BLOCK_BYTES ? left : BLOCK_BYTES, pos);

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

/* Nothing of what lies between two headers unpacks: a chunk that will say so, of the size it should have had. */
static void add_lost(struct repair *r, uint64_t header, const struct chunk *next, uint32_t page_size)
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
	add(r, chunk);
}

bool chunk_directory_repair(struct chunk_directory *dir, int fd, uint64_t offset, uint64_t limit, bool swap,
			    struct unpacker *unpacker, uint32_t page_size)
{
	uint64_t pos = dir->nr ? end_of(&dir->chunks[dir->nr - 1]) : offset + 4;
	uint32_t before = dir->nr;
	struct chunk chunk;
	struct repair r;

	repair_init(&r, dir, fd, unpacker);
	r.limit = limit;
	r.swap = swap;
	while (ready(&r)) {
		pos = settle_last(&r, follow(&r, pos));
		if (!probe_chunk(&r, pos, &chunk)) {
			if (!find_next(&r, pos + 1, &chunk))
				break;
			add_lost(&r, pos, &chunk, page_size);
		}
		add(&r, chunk);
		pos = end_of(&chunk);
	}
	repair_fini(&r);
	return r.mended || dir->nr > before;
}

/* The size that most chunks have, as far as three of them tell. */
static uint32_t usual_size(const struct chunk_directory *dir)
{
	return dir->nr > 2 && dir->chunks[1].usize == dir->chunks[2].usize ? dir->chunks[1].usize : dir->chunks[0].usize;
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
		if (!ready(&r))
			break;
		if (probe(&r, chunk->offset, chunk->csize, &csize, &usize) && csize == chunk->csize &&
		    usize != chunk->usize) {
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
