/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_ARCHIVE_DECODER_H
#define FTOP_PARSERS_IO_ARCHIVE_DECODER_H
/* archive_decoder - zstd, zlib and liblzma behind one interface; which of them are there, configure
 * finds out. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum archive_kind {
	ARCHIVE_NONE, ARCHIVE_ZSTD, ARCHIVE_GZIP, ARCHIVE_XZ, ARCHIVE_ATRACE,
	ARCHIVE_ZIP, ARCHIVE_TAR,		/* of files: archive_member.h */
	ARCHIVE_DEFLATE, ARCHIVE_STORED,	/* how these are packed */
};

#define ARCHIVE_HEAD	264		/* bytes that tell the kind of a file */

struct archive_decoder;			/* opaque */

/*
 * By the first ARCHIVE_HEAD bytes of a file.  @start: set to where the archive begins; `atrace -z`
 * writes lines of text before it.
 */
enum archive_kind archive_decoder_kind(const uint8_t *head, size_t *start);
const char *archive_decoder_name(enum archive_kind kind);	/* "zstd": also the program's */

/* The checksum of a zip archive, of some more bytes; 0 at first.  Only with zlib. */
uint32_t archive_decoder_crc(uint32_t crc, const uint8_t *bytes, size_t len);

/* NULL: not built in. */
struct archive_decoder *archive_decoder_new(enum archive_kind kind);
void archive_decoder_free(struct archive_decoder *d);	/* NULL is allowed */

/**
 * archive_decoder_step() - unpack some bytes
 * @taken: [in] bytes at @from, [out] how many of them were used
 * @made:  [in] room at @to, [out] bytes written there
 * @ended: set to whether an archive ends there, and nothing of it is to come
 *
 * Return: NULL, or what is wrong.
 */
const char *archive_decoder_step(struct archive_decoder *d, const uint8_t *from, size_t *taken,
				 uint8_t *to, size_t *made, bool *ended);

/* After an archive has ended: does another one follow, as in `cat a.gz b.gz`?  Begins it. None
 * follows one of atrace. */
bool archive_decoder_again(struct archive_decoder *d, const uint8_t *from, size_t len);
#endif
