/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_OUT_H
#define FTOP_PARSERS_OUT_H
/*
 * out - a file written from front to back in a given byte order, but for a few
 * patches.  The counterpart of byte_reader: the first failure stays, and nothing
 * is written after it, so it is asked for once at the end.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/text.h"

struct out {
	int		fd;
	bool		swap;		/* the file's byte order is not this machine's */
	uint64_t	pos;		/* bytes so far, pending ones included */
	struct text	pending;	/* not yet written */
	int		errnum;		/* errno of the first failure, 0 = none */
	uint64_t	err_pos;	/* where in the file it was */
};

void out_fini(struct out *out);		/* frees what is pending; the descriptor is the caller's */
void out_flush(struct out *out);	/* writes what is pending */
void out_sync(struct out *out);		/* flush, then fsync */

/* Append; numbers in the file's byte order. */
void out_bytes(struct out *out, const void *data, size_t len);
void out_text(struct out *out, const struct text *t);	/* without a NUL */
void out_string(struct out *out, const char *s);	/* with its NUL */
void out_u16(struct out *out, uint16_t v);
void out_u32(struct out *out, uint32_t v);
void out_u64(struct out *out, uint64_t v);
void out_align(struct out *out, uint64_t align);	/* zeros up to a multiple of align */

/* Over bytes that are there already; pos and what comes next stay. */
void out_write_at(struct out *out, const char *data, size_t len, uint64_t pos);
void out_patch_u64(struct out *out, uint64_t pos, uint64_t v);

/* The same numbers behind a text. */
void out_put_u16(const struct out *out, struct text *t, uint16_t v);
void out_put_u32(const struct out *out, struct text *t, uint32_t v);
void out_put_u64(const struct out *out, struct text *t, uint64_t v);
void out_put_string(struct text *t, const char *s);	/* with its NUL */
#endif
