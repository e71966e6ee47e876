/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_FILE_PACKER_H
#define FTOP_PARSERS_FILE_PACKER_H
/* packer - compresses pieces in the format of a v7 file; chunks.h unpacks them. */
#include "parsers/io/out.h"
#include "parsers/io/trace_format.h"
#include "src/base/error.h"

struct packer {
	enum trace_compression compression;
	void		*zstd;		/* ZSTD_CCtx, created when first needed */
};

void packer_fini(struct packer *packer);

/* "none", "zlib", "zstd"; NULL = no such one */
const char *packer_codec(enum trace_compression compression);
/* Version of the codec's library; "" for no compression, NULL if it is not built in. */
const char *packer_version(enum trace_compression compression);

/*
 * Append @len bytes to @to: u32 packed size, u32 size, packed data.  Fails with FT_E_NOMEM or
 * FT_E_UNSUPPORTED.
 */
int packer_run(struct packer *packer, const struct out *out, struct text *to, const char *data,
	       size_t len, struct ft_error *err);
#endif
