/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/file/chunks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "parsers/file/packer.h"
#include "parsers/io/byte_reader.h"
#include "parsers/io/read_at.h"
#include "parsers/io/trace_format.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"

struct unpacker {
	enum trace_compression codec;
#ifdef HAVE_ZSTD
	ZSTD_DCtx	*zstd;		/* owned */
#endif
};

int codec_find(const char *name, uint64_t offset, enum trace_compression *codec,
	       struct ft_error *err)
{
	const char *known;

	for (*codec = TRACE_PLAIN; (known = packer_codec(*codec)) && strcmp(name, known) != 0;
	     ++*codec)
		;
	if (!known)
		return ft_error_set(err, FT_E_UNSUPPORTED, (int64_t)offset,
				    "compression \"%.20s\" is unknown (known: none, zlib, zstd)",
				    name);
	if (!packer_version(*codec))
		return ft_error_set(err, FT_E_UNSUPPORTED, (int64_t)offset,
				    "compressed with %s, which is not built into this program",
				    name);
	return 0;
}

struct unpacker *unpacker_new(enum trace_compression codec)
{
	struct unpacker *u = mem_alloc(sizeof(*u));

	u->codec = codec;
	return u;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
#ifdef HAVE_ZSTD
	ZSTD_freeDCtx(u->zstd);
#endif
	free(u);
}

#ifdef HAVE_ZLIB
static int run_zlib(const void *in, uint32_t csize, void *out, uint32_t usize, int64_t offset,
		    struct ft_error *err)
{
	uLongf got = usize;
	int ret = uncompress(out, &got, in, csize);

	if (ret == Z_MEM_ERROR)
		return ft_error_set(err, FT_E_NOMEM, offset, "no memory to unpack zlib data");
	if (ret != Z_OK)
		return ft_error_set(err, FT_E_FORMAT, offset,
				    "zlib data of %" PRIu32 " bytes does not unpack: %s", csize,
				    zError(ret));
	if (got != usize)
		return ft_error_set(err, FT_E_FORMAT, offset,
				    "zlib data unpacks to %lu bytes, not to %" PRIu32,
				    (unsigned long)got, usize);
	return 0;
}
#endif

#ifdef HAVE_ZSTD
static int run_zstd(struct unpacker *u, const void *in, uint32_t csize, void *out, uint32_t usize,
		    int64_t offset, struct ft_error *err)
{
	size_t got;

	if (!u->zstd)
		u->zstd = ZSTD_createDCtx();
	if (!u->zstd)
		return ft_error_set(err, FT_E_NOMEM, offset, "no memory to unpack zstd data");
	got = ZSTD_decompressDCtx(u->zstd, out, usize, in, csize);
	if (ZSTD_isError(got))
		return ft_error_set(err, FT_E_FORMAT, offset,
				    "zstd data of %" PRIu32 " bytes does not unpack: %s", csize,
				    ZSTD_getErrorName(got));
	if (got != usize)
		return ft_error_set(err, FT_E_FORMAT, offset,
				    "zstd data unpacks to %zu bytes, not to %" PRIu32, got, usize);
	return 0;
}
#endif

int unpacker_run(struct unpacker *u, const void *in, uint32_t csize, void *out, uint32_t usize,
		 uint64_t offset, struct ft_error *err)
{
	switch (u->codec) {
	case TRACE_PLAIN:
		break;
	case TRACE_ZLIB:
#ifdef HAVE_ZLIB
		return run_zlib(in, csize, out, usize, (int64_t)offset, err);
#endif
		break;
	case TRACE_ZSTD:
#ifdef HAVE_ZSTD
		return run_zstd(u, in, csize, out, usize, (int64_t)offset, err);
#endif
		break;
	}
	(void)in;
	(void)csize;
	(void)out;
	(void)usize;
	return ft_error_set(err, FT_E_FORMAT, (int64_t)offset,
			    "compressed data in a file that names no compression");
}

int chunk_header_read(struct chunk *chunk, int fd, uint64_t offset, uint64_t limit, bool swap,
		      struct ft_error *err)
{
	uint8_t head[CHUNK_HEADER_BYTES];
	int64_t got;

	if (offset > limit || limit - offset < sizeof(head))
		return ft_error_set(err, FT_E_FORMAT, (int64_t)offset,
				    "compressed data ends inside a chunk header");
	got = read_at(fd, head, sizeof(head), offset);
	if (got < 0)
		return ft_error_errno(err, errno, (int64_t)offset, "cannot read a chunk header");
	if (got < (int64_t)sizeof(head))
		return ft_error_set(err, FT_E_IO, (int64_t)offset,
				    "the file ends inside a chunk header");
	chunk->csize = load_u32(head, swap);
	chunk->usize = load_u32(head + 4, swap);
	if (chunk->csize > limit - offset - sizeof(head))
		return ft_error_set(err, FT_E_FORMAT, (int64_t)offset,
				    "chunk of %" PRIu32 " bytes, but %" PRIu64 " are left",
				    chunk->csize, limit - offset - (uint64_t)sizeof(head));
	if (!chunk->csize || !chunk->usize)	/* this is how a stretch of zeros would read */
		return ft_error_set(err, FT_E_FORMAT, (int64_t)offset, "empty chunk");
	if (chunk->usize > TRACE_MAX_CHUNK || chunk->csize > TRACE_MAX_CHUNK)
		return ft_error_set(err, FT_E_LIMIT, (int64_t)offset,
				    "chunk of %" PRIu32 " bytes that unpacks to %" PRIu32
				    " is larger than %u",
				    chunk->csize, chunk->usize, TRACE_MAX_CHUNK);
	chunk->offset = offset + sizeof(head);
	return 0;
}

int chunk_directory_read(struct chunk_directory *dir, int fd, uint64_t offset, uint64_t size,
			 uint64_t limit, bool swap, struct ft_error *err)
{
	uint64_t pos = offset;
	uint32_t count, cap = 0;
	uint8_t head[4];

	*dir = (struct chunk_directory){ 0 };
	if (offset > limit || limit - offset < sizeof(head) ||
	    read_at(fd, head, sizeof(head), pos) < (int64_t)sizeof(head))
		return ft_error_set(err, FT_E_FORMAT, (int64_t)offset,
				    "no room for the number of chunks");
	count = load_u32(head, swap);
	pos += sizeof(head);
	for (uint32_t i = 0; i < count; i++) {
		struct chunk chunk = { .stream_offset = dir->bytes };

		if (chunk_header_read(&chunk, fd, pos, limit, swap, err))
			return ft_error_prefix(err, "chunk %" PRIu32 " of %" PRIu32, i, count);
		if (i >= TRACE_MAX_CHUNKS)
			return ft_error_set(err, FT_E_LIMIT, (int64_t)offset,
					    "%" PRIu32 " chunks are more than %u", count,
					    TRACE_MAX_CHUNKS);
		pos = chunk.offset + chunk.csize;
		mem_grow(&dir->chunks, dir->nr, &cap);
		dir->chunks[dir->nr++] = chunk;
		dir->bytes += chunk.usize;
	}
	if (size && size != pos - offset && size != (uint32_t)(pos - offset - sizeof(head)))
		return ft_error_set(err, FT_E_FORMAT, (int64_t)pos,
				    "%" PRIu32 " chunks take %" PRIu64 " bytes, but %" PRIu64
				    " are recorded",
				    count, pos - offset, size);
	return 0;
}

enum trace_compression unpacker_codec(const struct unpacker *u)
{
	return u->codec;
}

bool codec_begins(enum trace_compression codec, const uint8_t bytes[4])
{
	switch (codec) {
	case TRACE_PLAIN:
		break;
	case TRACE_ZLIB: /* RFC 1950: deflate with a window of at most
				   32 KiB, and a check of these two bytes */
		return (bytes[0] & 0x0f) == 8 && bytes[0] >> 4 <= 7 &&
		       ((unsigned int)bytes[0] << 8 | bytes[1]) % 31 == 0;
	case TRACE_ZSTD:	/* RFC 8878 */
		return !memcmp(bytes, "\x28\xb5\x2f\xfd", 4);
	}
	return false;
}

#ifdef HAVE_ZLIB
static bool probe_zlib(const void *in, uint32_t avail, void *out, uint32_t room, uint32_t *csize,
		       uint32_t *usize)
{
	z_stream z = {
		.next_in = (Bytef *)in, .avail_in = avail, .next_out = out, .avail_out = room
	};
	bool whole;

	if (inflateInit(&z) != Z_OK)
		return false;
	whole = inflate(&z, Z_FINISH) == Z_STREAM_END;
	*csize = avail - z.avail_in;
	*usize = room - z.avail_out;
	inflateEnd(&z);
	return whole;
}
#endif

#ifdef HAVE_ZSTD
static bool probe_zstd(struct unpacker *u, const void *in, uint32_t avail, void *out, uint32_t room,
		       uint32_t *csize, uint32_t *usize)
{
	size_t size = ZSTD_findFrameCompressedSize(in, avail), got;

	if (ZSTD_isError(size) || size > avail)
		return false;
	if (!u->zstd)
		u->zstd = ZSTD_createDCtx();
	if (!u->zstd)
		return false;
	got = ZSTD_decompressDCtx(u->zstd, out, room, in, size);
	if (ZSTD_isError(got))
		return false;
	*csize = (uint32_t)size;
	*usize = (uint32_t)got;
	return true;
}
#endif

bool unpacker_probe(struct unpacker *u, const void *in, uint32_t avail, void *out, uint32_t room,
		    uint32_t *csize, uint32_t *usize)
{
	bool whole = false;

	if (avail < 4 || !codec_begins(u->codec, in))
		return false;
#ifdef HAVE_ZLIB
	if (u->codec == TRACE_ZLIB)
		whole = probe_zlib(in, avail, out, room, csize, usize);
#endif
#ifdef HAVE_ZSTD
	if (u->codec == TRACE_ZSTD)
		whole = probe_zstd(u, in, avail, out, room, csize, usize);
#endif
	return whole && *usize;
}

void chunk_directory_fini(struct chunk_directory *dir)
{
	free(dir->chunks);
	*dir = (struct chunk_directory){ 0 };
}

uint32_t chunk_directory_find(const struct chunk_directory *dir, uint64_t stream_offset)
{
	uint32_t nr = bisect(dir->nr, i, dir->chunks[i].stream_offset <= stream_offset);

	return nr ? nr - 1 : 0;
}
