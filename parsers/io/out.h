/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_OUT_H
#define FTOP_PARSERS_IO_OUT_H
/*
 * out - writes a file from front to back in a given byte order; a few places are patched later.
 * The counterpart of byte_reader: after the first failure nothing more is written, and the failure
 * is kept, so one check at the end is enough.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/text.h"

struct out {
	int		fd;
	bool		swap;		/* the file is not in this machine's byte order */
	uint64_t	pos;		/* bytes written so far, including pending ones */
	struct text	pending;	/* not yet written */
	int		errnum;		/* errno of the first failure, 0 = none */
	uint64_t	err_pos;	/* file offset of the first failure */
};

void out_fini(struct out *out);		/* frees pending data; the caller closes the descriptor */
void out_flush(struct out *out);	/* writes pending data */
void out_sync(struct out *out);		/* flush, then fsync */

/* Append; numbers in the file's byte order. */
void out_bytes(struct out *out, const void *data, size_t len);
void out_text(struct out *out, const struct text *t);	/* without a NUL */
void out_string(struct out *out, const char *s);	/* with its NUL */
void out_u16(struct out *out, uint16_t v);
void out_u32(struct out *out, uint32_t v);
void out_u64(struct out *out, uint64_t v);
void out_align(struct out *out, uint64_t align);	/* zeros up to a multiple of align */

/* Overwrite bytes that were already written; pos does not change. */
void out_patch_u32(struct out *out, uint64_t pos, uint32_t v);
void out_patch_u64(struct out *out, uint64_t pos, uint64_t v);

/* Append the same numbers to @t instead of the file. */
void out_put_u16(const struct out *out, struct text *t, uint16_t v);
void out_put_u32(const struct out *out, struct text *t, uint32_t v);
void out_put_u64(const struct out *out, struct text *t, uint64_t v);
void out_put_string(struct text *t, const char *s);	/* with its NUL */
#endif
