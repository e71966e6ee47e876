/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PACKER_H
#define FTOP_PARSERS_PACKER_H
/*
 * packer - compressed pieces as a v7 file holds them; chunks.h unpacks them.
 */
#include "parsers/io/out.h"
#include "parsers/writer/trace_writer.h"
#include "src/base/error.h"

struct packer {
	enum trace_compression compression;
	void		*zstd;		/* ZSTD_CCtx, made when it is first needed */
};

void packer_fini(struct packer *packer);

const char *packer_codec(enum trace_compression compression);	/* "none", "zlib", "zstd"; NULL = no such one */
/* Version of the codec's library, "" for none; NULL where it is not built in. */
const char *packer_version(enum trace_compression compression);

/* Append LEN bytes to TO: u32 packed size, u32 size, packed data.  FT_E_NOMEM, FT_E_UNSUPPORTED. */
int packer_run(struct packer *packer, const struct out *out, struct text *to, const char *data, size_t len,
	       struct ft_error *err);
#endif
