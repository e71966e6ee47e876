/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_FILE_CHUNKS_H
#define FTOP_PARSERS_FILE_CHUNKS_H
/*
 * chunks - unpacks the compressed pieces of a v7 file, and lists those that make up a stream.
 *
 *   u32 count | u32 csize, u32 usize, csize bytes | u32 csize, u32 usize, csize bytes | …
 *
 * A stream is the unpacked contents of its chunks, concatenated.  A sub-buffer may lie across two
 * chunks (trace-cmd never does that, other writers may). Format: trace-cmd.dat.v7(5).
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/io/trace_format.h"
#include "src/base/error.h"

#define CHUNK_HEADER_BYTES 8u

/*
 * The codec with this name.  Fails with FT_E_UNSUPPORTED (unknown, or not built in) and @offset,
 * where the file names it.
 */
int codec_find(const char *name, uint64_t offset, enum trace_compression *codec,
	       struct ft_error *err);

/* State for unpacking; one belongs to one thread at a time. */
struct unpacker;
struct unpacker *unpacker_new(enum trace_compression codec);
void unpacker_free(struct unpacker *unpacker);	/* NULL is allowed */

/**
 * unpacker_run() - unpack one piece
 * @usize:  exact unpacked size in bytes; @out has room for it
 * @offset: file offset of the piece, for the error
 */
int unpacker_run(struct unpacker *unpacker, const void *in, uint32_t csize, void *out,
		 uint32_t usize, uint64_t offset, struct ft_error *err);

/**
 * unpacker_probe() - unpack a piece whose sizes are not known
 * @avail: bytes at @in, at least those of the piece
 * @room:  bytes at @out
 * @csize: receives the packed bytes of the piece
 * @usize: receives its unpacked bytes
 *
 * For places where the recorded sizes are wrong.  Return: false if no complete piece that fits
 * begins at @in.
 */
bool unpacker_probe(struct unpacker *unpacker, const void *in, uint32_t avail, void *out,
		    uint32_t room, uint32_t *csize, uint32_t *usize);

/* May a piece of this codec begin with these 4 bytes?  Rules out most other data. */
bool codec_begins(enum trace_compression codec, const uint8_t bytes[4]);
enum trace_compression unpacker_codec(const struct unpacker *unpacker);

struct chunk {
	uint64_t	offset;		/* bytes from the start of the file to the packed bytes */
	uint64_t	stream_offset;	/* bytes of the stream before the chunk, unpacked */
	uint32_t	csize, usize;	/* bytes, packed and unpacked */
};

struct chunk_directory {
	struct chunk	*chunks;	/* owned, [nr], by stream_offset */
	uint32_t	 nr;
	uint64_t	 bytes;		/* bytes of the whole stream, unpacked */
};

/**
 * chunk_directory_read() - find the chunks of a stream
 * @offset: file offset of the number of chunks
 * @size:   bytes of the list according to the file; 0 = not recorded.  trace-cmd before 3.3 counts
 *        in 32 bits, and
 *          does not include the number of chunks
 * @limit:  file offset where the stream must end: the end of the file, or the start of what follows
 *        the stream
 *
 * Reads 8 bytes per chunk.
 * Return: 0, or -1 with the chunks before the damage in @dir and the offset of the damage in @err.
 */
int chunk_directory_read(struct chunk_directory *dir, int fd, uint64_t offset, uint64_t size,
			 uint64_t limit, bool swap, struct ft_error *err);
/* Read and check a chunk's header.  Fails like chunk_directory_read(). */
int chunk_header_read(struct chunk *chunk, int fd, uint64_t offset, uint64_t limit, bool swap,
		      struct ft_error *err);
void chunk_directory_fini(struct chunk_directory *dir);

/* The chunk that holds a byte of the stream (offset < dir->bytes). */
uint32_t chunk_directory_find(const struct chunk_directory *dir, uint64_t stream_offset);
#endif
