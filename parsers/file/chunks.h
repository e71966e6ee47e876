/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CHUNKS_H
#define FTOP_PARSERS_CHUNKS_H
/*
 * chunks - compressed pieces of a v7 file: unpacking them, and the directory of
 * those that make up a stream.
 *
 *   u32 count | u32 csize, u32 usize, csize bytes | u32 csize, u32 usize, csize bytes | …
 *
 * A stream is its chunks' contents one behind the other.  A sub-buffer may lie
 * across two chunks (trace-cmd never does that, other writers may).
 * Format: trace-cmd.dat.v7(5).
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"

#define CHUNK_HEADER_BYTES 8u

enum codec { CODEC_NONE, CODEC_ZLIB, CODEC_ZSTD };

/* The codec a file names.  Fails with FT_E_UNSUPPORTED (unknown, or not built in) and this offset. */
int codec_find(const char *name, uint64_t offset, enum codec *codec, struct ft_error *err);

/* State for unpacking; one belongs to one thread at a time. */
struct unpacker;
struct unpacker *unpacker_new(enum codec codec);
void unpacker_free(struct unpacker *unpacker);	/* NULL is allowed */

/**
 * unpacker_run() - unpack one piece
 * @usize:  bytes that must come out, the room at @out
 * @offset: of the piece in the file, for the error
 */
int unpacker_run(struct unpacker *unpacker, const void *in, uint32_t csize, void *out, uint32_t usize,
		 uint64_t offset, struct ft_error *err);

/**
 * unpacker_probe() - unpack what begins here, whatever its sizes
 * @avail: bytes at @in, at least those of the piece
 * @room:  bytes at @out
 * @csize: bytes the piece takes of @in
 * @usize: bytes that came out
 *
 * For places where the sizes told are wrong.  Return: false, where no whole piece that fits begins here.
 */
bool unpacker_probe(struct unpacker *unpacker, const void *in, uint32_t avail, void *out, uint32_t room,
		    uint32_t *csize, uint32_t *usize);

/* May a piece of this codec begin with these 4 bytes?  Most other bytes may not. */
bool codec_begins(enum codec codec, const uint8_t bytes[4]);
enum codec unpacker_codec(const struct unpacker *unpacker);

struct chunk {
	uint64_t	offset;		/* of the packed bytes in the file */
	uint64_t	stream_offset;	/* of the first unpacked byte in the stream */
	uint32_t	csize, usize;	/* bytes packed and unpacked */
};

struct chunk_directory {
	struct chunk	*chunks;	/* owned, [nr], by stream_offset */
	uint32_t	 nr;
	uint64_t	 bytes;		/* of the stream, unpacked */
};

/**
 * chunk_directory_read() - find the chunks of a stream
 * @offset: of the number of chunks in the file
 * @size:   bytes they take, as the file tells it; 0 = it does not.  trace-cmd before 3.3 counts in 32 bits, and
 *          leaves out the number of chunks
 * @limit:  where the stream must end: that of the file, or the start of what lies behind it
 *
 * Reads 8 bytes of each chunk.
 * Return: 0, or -1 with @dir holding the chunks in front of the damage, and @err saying where that is.
 */
int chunk_directory_read(struct chunk_directory *dir, int fd, uint64_t offset, uint64_t size, uint64_t limit,
			 bool swap, struct ft_error *err);
/* A chunk's header: sizes that may be.  Fails as chunk_directory_read(). */
int chunk_header_read(struct chunk *chunk, int fd, uint64_t offset, uint64_t limit, bool swap, struct ft_error *err);
void chunk_directory_fini(struct chunk_directory *dir);

/* The chunk that holds a byte of the stream (offset < dir->bytes). */
uint32_t chunk_directory_find(const struct chunk_directory *dir, uint64_t stream_offset);
#endif
