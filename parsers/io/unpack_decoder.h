/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_UNPACK_DECODER_H
#define FTOP_PARSERS_IO_UNPACK_DECODER_H
/* unpack_decoder - zstd, zlib and liblzma behind one interface; which of them are there, configure
 * finds out. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unpack_kind { UNPACK_NONE, UNPACK_ZSTD, UNPACK_GZIP, UNPACK_XZ, UNPACK_ATRACE };

#define UNPACK_HEAD	40		/* bytes that tell the kind of a file */

struct unpack_decoder;			/* opaque */

/*
 * By the first UNPACK_HEAD bytes of a file.  @start: set to where the archive begins; `atrace -z`
 * writes lines of text before it.
 */
enum unpack_kind unpack_decoder_kind(const uint8_t *head, size_t *start);
const char *unpack_decoder_name(enum unpack_kind kind);		/* "zstd": also the program's */

/* NULL: not built in. */
struct unpack_decoder *unpack_decoder_new(enum unpack_kind kind);
void unpack_decoder_free(struct unpack_decoder *d);	/* NULL is allowed */

/**
 * unpack_decoder_step() - unpack some bytes
 * @taken: [in] bytes at @from, [out] how many of them were used
 * @made:  [in] room at @to, [out] bytes written there
 * @ended: set to whether an archive ends there, and nothing of it is to come
 *
 * Return: NULL, or what is wrong.
 */
const char *unpack_decoder_step(struct unpack_decoder *d, const uint8_t *from, size_t *taken,
				uint8_t *to, size_t *made, bool *ended);

/* After an archive has ended: does another one follow, as in `cat a.gz b.gz`?  Begins it. None
 * follows one of atrace. */
bool unpack_decoder_again(struct unpack_decoder *d, const uint8_t *from, size_t len);
#endif
