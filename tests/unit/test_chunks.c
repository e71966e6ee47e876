/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packed data and its directory: what fits, what lies, and codecs that are not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "parsers/io/byte_reader.h"
#include "parsers/file/chunks.h"
#include "tests/lib/file_bytes.h"

static void test_codec_names(void **state)
{
	struct ft_error err = { 0 };
	enum trace_compression codec = TRACE_ZSTD;

	(void)state;
	assert_int_equal(codec_find("none", 18, &codec, &err), 0);
	assert_int_equal(codec, TRACE_PLAIN);
	assert_int_equal(codec_find("brotli", 18, &codec, &err), -1);
	assert_int_equal(err.code, FT_E_UNSUPPORTED);
	assert_int_equal(err.offset, 18);
	assert_non_null(strstr(err.message, "brotli"));
#ifdef HAVE_ZLIB
	assert_int_equal(codec_find("zlib", 18, &codec, &err), 0);
	assert_int_equal(codec, TRACE_ZLIB);
#else
	assert_int_equal(codec_find("zlib", 18, &codec, &err), -1);
	assert_non_null(
		strstr(err.message, "compressed with zlib, which is not built into this program"));
#endif
#ifdef HAVE_ZSTD
	assert_int_equal(codec_find("zstd", 18, &codec, &err), 0);
	assert_int_equal(codec, TRACE_ZSTD);
#else
	assert_int_equal(codec_find("zstd", 18, &codec, &err), -1);
	assert_non_null(
		strstr(err.message, "compressed with zstd, which is not built into this program"));
#endif
}

/* Unpack what was packed; too much, too little and rubbish are errors at the piece. */
static void check_unpacker(enum trace_compression codec, const uint8_t *packed, uint32_t csize,
			   const char *text, uint32_t usize)
{
	struct unpacker *u = unpacker_new(codec);
	struct ft_error err = { 0 };
	uint8_t out[300];

	for (int again = 0; again < 2; again++) {
		memset(out, 0xee, sizeof(out));
		assert_int_equal(unpacker_run(u, packed, csize, out, usize, 77, &err), 0);
		assert_memory_equal(out, text, usize);
		assert_int_equal(out[usize], 0xee);
	}
	assert_int_equal(unpacker_run(u, packed, csize, out, usize + 1, 77, &err), -1);
	assert_int_equal(err.offset, 77);
	assert_int_equal(unpacker_run(u, packed, csize, out, usize - 1, 77, &err), -1);
	for (uint32_t cut = 0; cut < csize; cut++)
		assert_int_equal(unpacker_run(u, packed, cut, out, usize, 77, &err), -1);
	assert_int_equal(unpacker_run(u, (const uint8_t *)text, usize, out, usize, 78, &err), -1);
	assert_int_equal(err.offset, 78);
	assert_int_equal(err.code, FT_E_FORMAT);
	unpacker_free(u);
}

static void test_archive(void **state)
{
	static const char text[] =
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabcdefghi";
	struct unpacker *u = unpacker_new(TRACE_PLAIN);
	struct ft_error err = { 0 };
	uint8_t packed[300];

	(void)state;
	assert_int_equal(unpacker_run(u, text, 3, packed, 3, 5, &err), -1);
	assert_non_null(strstr(err.message, "names no compression"));
	unpacker_free(u);
	unpacker_free(NULL);
	(void)check_unpacker;
#ifdef HAVE_ZLIB
	{
		uLongf len = sizeof(packed);

		assert_int_equal(compress2(packed, &len, (const Bytef *)text, sizeof(text), 9),
				 Z_OK);
		check_unpacker(TRACE_ZLIB, packed, (uint32_t)len, text, sizeof(text));
	}
#endif
#ifdef HAVE_ZSTD
	{
		size_t len = ZSTD_compress(packed, sizeof(packed), text, sizeof(text), 3);

		assert_false(ZSTD_isError(len));
		check_unpacker(TRACE_ZSTD, packed, (uint32_t)len, text, sizeof(text));
	}
#endif
}

/* Three chunks of 10, 20 and 30 bytes behind 7 bytes of something else. */
static void put_chunks(struct file_bytes *b, bool big_endian)
{
	static const uint32_t sizes[][2] = { { 3, 10 }, { 5, 20 }, { 1, 30 } };

	b->len = 0;
	b->big_endian = big_endian;
	fb_text(b, "1234567");
	fb_u32(b, 3);				/* number of chunks */
	for (int i = 0; i < 3; i++) {
		fb_u32(b, sizes[i][0]);		/* packed bytes */
		fb_u32(b, sizes[i][1]);		/* unpacked bytes */
		fb_bytes(b, "xxxxx", sizes[i][0]);
	}
}

static int read_directory(struct chunk_directory *dir, const struct file_bytes *b, uint64_t size,
			  uint64_t limit, struct ft_error *err)
{
	int fd = fb_memfd(b->data, b->len);
	int ret = chunk_directory_read(dir, fd, 7, size, limit, b->big_endian != HOST_BIG_ENDIAN,
				       err);

	close(fd);
	return ret;
}

static struct file_bytes b;

static void test_directory(void **state)
{
	struct chunk_directory dir;
	struct ft_error err = { 0 };

	(void)state;
	for (int big = 0; big < 2; big++) {
		put_chunks(&b, big);
		assert_int_equal(read_directory(&dir, &b, b.len - 7, b.len, &err), 0);
		assert_int_equal(dir.nr, 3);
		assert_int_equal(dir.bytes, 60);
		assert_int_equal(dir.chunks[0].offset, 7 + 4 + 8);
		assert_int_equal(dir.chunks[1].offset, 7 + 4 + 8 + 3 + 8);
		assert_int_equal(dir.chunks[2].stream_offset, 30);
		for (uint64_t at = 0; at < 60; at++)
			assert_int_equal(chunk_directory_find(&dir, at), at < 10 ? 0 :
									 at < 30 ? 1 :
										   2);
		chunk_directory_fini(&dir);
		/* trace-cmd 3.1 leaves out the number of chunks; a size may be unknown */
		assert_int_equal(read_directory(&dir, &b, b.len - 7 - 4, b.len, &err), 0);
		chunk_directory_fini(&dir);
		assert_int_equal(read_directory(&dir, &b, 0, b.len, &err), 0);
		chunk_directory_fini(&dir);
	}
}

static void test_directory_lies(void **state)
{
	struct chunk_directory dir;
	struct ft_error err = { 0 };

	(void)state;
	put_chunks(&b, true);
	/* more chunks told than there are: those that are there stay */
	fb_patch(&b, 7, 0xffffffff, 4);
	assert_int_equal(read_directory(&dir, &b, b.len - 7, b.len, &err), -1);
	assert_int_equal(err.offset, b.len);
	assert_non_null(strstr(err.message, "chunk 3 of 4294967295"));
	assert_int_equal(dir.bytes, 60);
	chunk_directory_fini(&dir);
	/* fewer */
	fb_patch(&b, 7, 1, 4);
	assert_int_equal(read_directory(&dir, &b, b.len - 7, b.len, &err), -1);
	assert_non_null(strstr(err.message, "1 chunks take 15 bytes, but 37 are recorded"));
	assert_int_equal(dir.bytes, 10);
	chunk_directory_fini(&dir);
	/* a size beyond the end, and one beyond any use */
	put_chunks(&b, true);
	fb_patch(&b, 7 + 4 + 8 + 3, 1000, 4);
	assert_int_equal(read_directory(&dir, &b, b.len - 7, b.len, &err), -1);
	assert_int_equal(err.offset, 7 + 4 + 8 + 3);
	assert_int_equal(err.code, FT_E_FORMAT);
	assert_int_equal(dir.nr, 1);
	chunk_directory_fini(&dir);
	put_chunks(&b, true);
	fb_patch(&b, 7 + 4 + 4, (64 << 20) + 1, 4);
	assert_int_equal(read_directory(&dir, &b, b.len - 7, b.len, &err), -1);
	assert_int_equal(err.offset, 7 + 4);
	assert_int_equal(err.code, FT_E_LIMIT);
	assert_int_equal(dir.nr, 0);
	chunk_directory_fini(&dir);
	/* cut anywhere */
	put_chunks(&b, false);
	for (size_t len = b.len; len-- > 7;) {
		b.len = len;
		assert_int_equal(read_directory(&dir, &b, 37, len, &err), -1);
		assert_in_range(err.offset, 7, len);
		chunk_directory_fini(&dir);
	}
	assert_int_equal(read_directory(&dir, &b, 37, 3, &err), -1);
	chunk_directory_fini(&dir);
	/* zeros are no chunks, however many are told */
	put_chunks(&b, false);
	memset(b.data + 7 + 4, 0, b.len - 7 - 4);
	fb_patch(&b, 7, 0xffffffff, 4);
	assert_int_equal(read_directory(&dir, &b, 37, b.len, &err), -1);
	assert_int_equal(err.offset, 7 + 4);
	assert_non_null(strstr(err.message, "chunk 0 of 4294967295: empty chunk"));
	chunk_directory_fini(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codec_names),
		cmocka_unit_test(test_archive),
		cmocka_unit_test(test_directory),
		cmocka_unit_test(test_directory_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
