/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/file/packer.h"

#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "parsers/io/byte_reader.h"

/* No chunk has as many.  Symbols are packed once: 80 ms, and they are a sixth smaller. */
#define SYMBOLS_BYTES	(1u << 20)
#define SYMBOLS_LEVEL	6

const char *packer_codec(enum trace_compression compression)
{
	switch (compression) {
	case TRACE_PLAIN:
		return "none";
	case TRACE_ZLIB:
		return "zlib";
	case TRACE_ZSTD:
		return "zstd";
	}
	return NULL;
}

const char *packer_version(enum trace_compression compression)
{
	switch (compression) {
	case TRACE_PLAIN:
		return "";
	case TRACE_ZLIB:
#ifdef HAVE_ZLIB
		return zlibVersion();
#else
		return NULL;
#endif
	case TRACE_ZSTD:
#ifdef HAVE_ZSTD
		return ZSTD_versionString();
#else
		return NULL;
#endif
	}
	return NULL;
}

#ifdef HAVE_ZLIB
static int pack_zlib(struct text *to, const char *data, size_t len, struct ft_error *err)
{
	uLongf size = compressBound((uLong)len);

	text_reserve(to, size);
	if (compress2((Bytef *)to->data + to->len, &size, (const Bytef *)data, (uLong)len,
		      Z_DEFAULT_COMPRESSION))
		return ft_error_set(err, FT_E_NOMEM, -1, "zlib cannot compress %zu bytes", len);
	to->len += size;
	to->data[to->len] = '\0';
	return 0;
}
#else
static int pack_zlib(struct text *to, const char *data, size_t len, struct ft_error *err)
{
	(void)to, (void)data, (void)len;
	return ft_error_set(err, FT_E_UNSUPPORTED, -1, "this program is built without zlib");
}
#endif

#ifdef HAVE_ZSTD
static int pack_zstd(struct packer *packer, struct text *to, const char *data, size_t len,
		     struct ft_error *err)
{
	size_t size = ZSTD_compressBound(len);

	if (!packer->zstd) {
		packer->zstd = ZSTD_createCCtx();
		if (!packer->zstd)
			return ft_error_set(err, FT_E_NOMEM, -1, "no memory for zstd");
		/*
		 * trace-cmd does not store the content size either: readers take it from the
		 * chunk's header
		 */
		ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_contentSizeFlag, 0);
	}
	ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel,
			       len > SYMBOLS_BYTES ? SYMBOLS_LEVEL : ZSTD_CLEVEL_DEFAULT);
	text_reserve(to, size);
	size = ZSTD_compress2(packer->zstd, to->data + to->len, size, data, len);
	if (ZSTD_isError(size))
		return ft_error_set(err, FT_E_NOMEM, -1, "zstd: %s", ZSTD_getErrorName(size));
	to->len += size;
	to->data[to->len] = '\0';
	return 0;
}
#else
static int pack_zstd(struct packer *packer, struct text *to, const char *data, size_t len,
		     struct ft_error *err)
{
	(void)packer, (void)to, (void)data, (void)len;
	return ft_error_set(err, FT_E_UNSUPPORTED, -1, "this program is built without zstd");
}
#endif

int packer_run(struct packer *packer, const struct out *out, struct text *to, const char *data,
	       size_t len, struct ft_error *err)
{
	size_t at = to->len;
	uint32_t packed;
	int ret = -1;

	out_put_u32(out, to, 0);
	out_put_u32(out, to, (uint32_t)len);
	switch (packer->compression) {
	case TRACE_PLAIN:
		ret = ft_error_set(err, FT_E_UNSUPPORTED, -1, "nothing to compress with");
		break;
	case TRACE_ZLIB:
		ret = pack_zlib(to, data, len, err);
		break;
	case TRACE_ZSTD:
		ret = pack_zstd(packer, to, data, len, err);
		break;
	}
	if (ret)
		return ret;
	packed = (uint32_t)(to->len - at - 8);
	packed = load_u32(&packed, out->swap);
	memcpy(to->data + at, &packed, sizeof(packed));
	return 0;
}

void packer_fini(struct packer *packer)
{
#ifdef HAVE_ZSTD
	ZSTD_freeCCtx(packer->zstd);
#endif
	packer->zstd = NULL;
}
