/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/io/archive_decoder.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#define XZ_MEMORY	((uint64_t)256 << 20)	/* bytes that liblzma may use */

struct archive_decoder {
	enum archive_kind kind;
#ifdef HAVE_ZSTD
	ZSTD_DStream	*zstd;
#endif
#ifdef HAVE_ZLIB
	z_stream	 zlib;
#endif
#ifdef HAVE_LZMA
	lzma_stream	 lzma;
#endif
};

static const struct {
	const char	*name, *magic;
	size_t		 len;
} kinds[] = {
	[ARCHIVE_NONE] = { "", "", 0 },
	[ARCHIVE_ZSTD] = { "zstd", "\x28\xb5\x2f\xfd", 4 },
	[ARCHIVE_GZIP] = { "gzip", "\x1f\x8b\x08", 3 },
	[ARCHIVE_XZ] = { "xz", "\xfd" "7zXZ", 6 },	/* with its NUL */
	[ARCHIVE_ATRACE] = { "zlib", "", 0 },
	[ARCHIVE_ZIP] = { "zip", "PK\3\4", 4 },
	[ARCHIVE_TAR] = { "tar", "", 0 },
	[ARCHIVE_DEFLATE] = { "deflate", "", 0 },
	[ARCHIVE_STORED] = { "", "", 0 },
};

/* `atrace -z` writes "capturing trace... done" if it has no -o, this line, and zlib's bytes. */
#define ATRACE_LINE	"TRACE:\n"
#define ZLIB_BEGINS	"\x78"		/* deflate, with a window of 32 KiB */
#define ATRACE_HEAD	40u		/* the line begins in these bytes */

#define TAR_MAGIC	"ustar"
#define TAR_MAGIC_AT	257u

enum archive_kind archive_decoder_kind(const uint8_t *head, size_t *start)
{
	const uint8_t *line;

	*start = 0;
	for (enum archive_kind kind = ARCHIVE_ZSTD; kind <= ARCHIVE_ZIP; kind++)
		if (kinds[kind].len && !memcmp(head, kinds[kind].magic, kinds[kind].len))
			return kind;
	if (!memcmp(head + TAR_MAGIC_AT, TAR_MAGIC, strlen(TAR_MAGIC)))
		return ARCHIVE_TAR;
	line = memmem(head, ATRACE_HEAD, ATRACE_LINE ZLIB_BEGINS, strlen(ATRACE_LINE ZLIB_BEGINS));
	if (!line)
		return ARCHIVE_NONE;
	*start = (size_t)(line - head) + strlen(ATRACE_LINE);
	return ARCHIVE_ATRACE;
}

uint32_t archive_decoder_crc(uint32_t crc, const uint8_t *bytes, size_t len)
{
#ifdef HAVE_ZLIB
	return (uint32_t)crc32(crc, bytes, (unsigned int)len);
#else
	(void)crc;
	(void)bytes;
	(void)len;
	return 0;
#endif
}

const char *archive_decoder_name(enum archive_kind kind)
{
	return kinds[kind].name;
}

#ifdef HAVE_ZLIB
static bool is_zlib(const struct archive_decoder *d)
{
	return d->kind == ARCHIVE_GZIP || d->kind == ARCHIVE_ATRACE || d->kind == ARCHIVE_DEFLATE;
}
#endif

static bool begin(struct archive_decoder *d)
{
#ifdef HAVE_ZSTD
	if (d->kind == ARCHIVE_ZSTD)
		return (d->zstd = ZSTD_createDStream()) != NULL;
#endif
#ifdef HAVE_ZLIB
	if (d->kind == ARCHIVE_GZIP)
		return inflateInit2(&d->zlib, 15 + 16) == Z_OK;
	if (d->kind == ARCHIVE_ATRACE)
		return inflateInit(&d->zlib) == Z_OK;
	if (d->kind == ARCHIVE_DEFLATE)
		return inflateInit2(&d->zlib, -15) == Z_OK;
#endif
#ifdef HAVE_LZMA
	if (d->kind == ARCHIVE_XZ)
		return lzma_stream_decoder(&d->lzma, XZ_MEMORY, 0) == LZMA_OK;
#endif
	return d->kind == ARCHIVE_STORED;
}

struct archive_decoder *archive_decoder_new(enum archive_kind kind)
{
	struct archive_decoder *d = mem_alloc(sizeof(*d));

	d->kind = kind;
	if (begin(d))
		return d;
	free(d);
	return NULL;
}

static void end(struct archive_decoder *d)
{
#ifdef HAVE_ZSTD
	ZSTD_freeDStream(d->zstd);
#endif
#ifdef HAVE_ZLIB
	if (is_zlib(d))
		inflateEnd(&d->zlib);
#endif
#ifdef HAVE_LZMA
	if (d->kind == ARCHIVE_XZ)
		lzma_end(&d->lzma);
#endif
	(void)d;
}

void archive_decoder_free(struct archive_decoder *d)
{
	if (!d)
		return;
	end(d);
	free(d);
}

#ifdef HAVE_ZSTD
static const char *step_zstd(struct archive_decoder *d, const uint8_t *from, size_t *taken,
			     uint8_t *to, size_t *made, bool *ended)
{
	ZSTD_inBuffer in = { from, *taken, 0 };
	ZSTD_outBuffer out = { to, *made, 0 };
	size_t ret = ZSTD_decompressStream(d->zstd, &out, &in);

	*taken = in.pos;
	*made = out.pos;
	if (ZSTD_isError(ret))
		return ZSTD_getErrorName(ret);
	/* 0: a frame ended.  Without input and output, it only waits for the next one. */
	if (in.pos || out.pos)
		*ended = !ret;
	return NULL;
}
#endif

#ifdef HAVE_ZLIB
static const char *step_zlib(struct archive_decoder *d, const uint8_t *from, size_t *taken,
			     uint8_t *to, size_t *made, bool *ended)
{
	int ret;

	d->zlib.next_in = (uint8_t *)from;
	d->zlib.avail_in = (unsigned int)*taken;
	d->zlib.next_out = to;
	d->zlib.avail_out = (unsigned int)*made;
	ret = inflate(&d->zlib, Z_NO_FLUSH);
	*taken -= d->zlib.avail_in;
	*made -= d->zlib.avail_out;
	if (ret != Z_OK && ret != Z_STREAM_END && ret != Z_BUF_ERROR)
		return d->zlib.msg ? d->zlib.msg : "invalid data";
	*ended = ret == Z_STREAM_END;
	return NULL;
}
#endif

#ifdef HAVE_LZMA
static const char *step_lzma(struct archive_decoder *d, const uint8_t *from, size_t *taken,
			     uint8_t *to, size_t *made, bool *ended)
{
	lzma_ret ret;

	d->lzma.next_in = from;
	d->lzma.avail_in = *taken;
	d->lzma.next_out = to;
	d->lzma.avail_out = *made;
	ret = lzma_code(&d->lzma, LZMA_RUN);
	*taken -= d->lzma.avail_in;
	*made -= d->lzma.avail_out;
	*ended = ret == LZMA_STREAM_END;
	return ret == LZMA_OK || ret == LZMA_STREAM_END || ret == LZMA_BUF_ERROR ? NULL :
	       ret == LZMA_MEMLIMIT_ERROR ? "it needs more than 256 MB of memory" :
	       ret == LZMA_OPTIONS_ERROR  ? "unknown options" :
					    "invalid data";
}
#endif

const char *archive_decoder_step(struct archive_decoder *d, const uint8_t *from, size_t *taken,
				 uint8_t *to, size_t *made, bool *ended)
{
#ifdef HAVE_ZSTD
	if (d->kind == ARCHIVE_ZSTD)
		return step_zstd(d, from, taken, to, made, ended);
#endif
#ifdef HAVE_ZLIB
	if (is_zlib(d))
		return step_zlib(d, from, taken, to, made, ended);
#endif
#ifdef HAVE_LZMA
	if (d->kind == ARCHIVE_XZ)
		return step_lzma(d, from, taken, to, made, ended);
#endif
	if (d->kind != ARCHIVE_STORED)
		return "not built in";
	*made = *taken = *taken < *made ? *taken : *made;
	memcpy(to, from, *made);
	*ended = true;
	return NULL;
}

bool archive_decoder_again(struct archive_decoder *d, const uint8_t *from, size_t len)
{
	if (d->kind == ARCHIVE_STORED)
		return true;
	if (!kinds[d->kind].len || len < kinds[d->kind].len ||
	    memcmp(from, kinds[d->kind].magic, kinds[d->kind].len))
		return false;
	/* zstd goes on by itself */
	if (d->kind == ARCHIVE_ZSTD)
		return true;
	end(d);
#ifdef HAVE_ZLIB
	d->zlib = (z_stream){ 0 };
#endif
#ifdef HAVE_LZMA
	d->lzma = (lzma_stream)LZMA_STREAM_INIT;
#endif
	return begin(d);
}
