/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sub-buffers as they lie in the file: in windows of any size, out of chunks of any size, from
 * several threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "parsers/io/byte_reader.h"
#include "parsers/open/open.h"
#include "tests/lib/file_bytes.h"

#define PAGE	512u
#define PAGES	40u			/* of a stream, and half a one */
#define BYTES	(PAGES * PAGE + PAGE / 2)

static struct file_bytes b;
static size_t data_offset, cpu_table;

/* What lies at a byte of the stream. */
static uint8_t stream_byte(uint64_t at)
{
	return (uint8_t)(at / PAGE * 7 + (at % PAGE < 100 ? at : 3));
}

static uint32_t pack(const char *codec, uint8_t *out, uint32_t room, const uint8_t *in, uint32_t n)
{
	(void)out;
	(void)room;
	(void)in;
	(void)n;
#ifdef HAVE_ZLIB
	if (!strcmp(codec, "zlib")) {
		uLongf len = room;

		assert_int_equal(compress2(out, &len, in, n, 6), Z_OK);
		return (uint32_t)len;
	}
#endif
#ifdef HAVE_ZSTD
	if (!strcmp(codec, "zstd")) {
		size_t len = ZSTD_compress(out, room, in, n, 1);

		assert_false(ZSTD_isError(len));
		return (uint32_t)len;
	}
#endif
	fail_msg("codec %s is not built in", codec);
	return 0;
}

static void put_stream(const char *codec, uint32_t chunk_bytes)
{
	static uint8_t stream[BYTES], packed[BYTES + 1000];

	for (uint64_t i = 0; i < BYTES; i++)
		stream[i] = stream_byte(i);
	if (!strcmp(codec, "none")) {
		fb_bytes(&b, stream, BYTES);
		return;
	}
	fb_u32(&b, (BYTES + chunk_bytes - 1) / chunk_bytes);		/* chunks */
	for (uint32_t at = 0; at < BYTES; at += chunk_bytes) {
		uint32_t n = BYTES - at < chunk_bytes ? BYTES - at : chunk_bytes;
		uint32_t len = pack(codec, packed, sizeof(packed), stream + at, n);

		fb_u32(&b, len);					/* packed bytes */
		fb_u32(&b, n);						/* unpacked bytes */
		fb_bytes(&b, packed, len);
	}
}

/* A v7 file with nothing but one CPU's data, in chunks of this many bytes. */
static void make_file(const char *codec, uint32_t chunk_bytes)
{
	bool packed = strcmp(codec, "none");
	size_t options, section, buffer, option;

	b.len = 0;
	fb_bytes(&b, "\x17\x08\x44tracing", 10);
	fb_string(&b, "7");
	fb_u8(&b, 0);			/* little endian */
	fb_u8(&b, 8);			/* long */
	fb_u32(&b, PAGE);		/* page size */
	fb_string(&b, codec);
	fb_string(&b, "1");		/* its version */
	options = fb_u64(&b, 0);
	section = fb_section(&b, TRACE_OPTION_BUFFER, packed);
	fb_align(&b, PAGE);
	data_offset = b.len;
	put_stream(codec, chunk_bytes);
	fb_section_end(&b, section);
	buffer = fb_section(&b, TRACE_OPTION_DONE, 0);
	fb_patch(&b, options, buffer, 8);
	option = fb_option(&b, TRACE_OPTION_BUFFER);
	fb_u64(&b, section);
	fb_string(&b, "");		/* name */
	fb_string(&b, "local");		/* clock */
	fb_u32(&b, PAGE);
	fb_u32(&b, 1);			/* CPUs */
	cpu_table = fb_u32(&b, 3);	/* CPU */
	fb_u64(&b, data_offset);	/* offset */
	fb_u64(&b, buffer - data_offset); /* size */
	fb_option_end(&b, option);
	option = fb_option(&b, TRACE_OPTION_DONE);
	fb_u64(&b, 0);
	fb_option_end(&b, option);
	fb_section_end(&b, buffer);
}

static struct source *open_made(void)
{
	struct ft_error err = { 0 };
	struct source *file = fb_open(&b, &err);

	if (!file)
		fail_msg("%s", err.message);
	assert_int_equal(source_nr_streams(file), 1);
	return file;
}

static void check_page(struct page_reader *reader, uint64_t page, uint32_t *nr)
{
	uint32_t last;
	const uint8_t *data = page_reader_get(reader, 0, page, nr, &last);

	if (!data)
		fail_msg("page %d cannot be read", (int)page);
	assert_true(*nr >= 1 && *nr <= PAGES + 1 - page);
	assert_int_equal(last, page + *nr == PAGES + 1 ? PAGE / 2 : PAGE);
	for (uint64_t i = 0; i < (uint64_t)(*nr - 1) * PAGE + last; i++)
		if (data[i] != stream_byte(page * PAGE + i))
			fail_msg("page %d: byte %d is wrong", (int)page, (int)i);
}

/* Forward, backward and jumping, in windows from one byte to more than all. */
static void check_reading(const struct source *file)
{
	static const uint32_t windows[] = { 1, PAGE, PAGE + 1, 3 * PAGE, 1 << 20 };
	uint32_t nr;

	assert_int_equal(source_stream_bytes(file, 0), BYTES);
	assert_int_equal(source_stream_pages(file, 0), PAGES + 1);
	for (size_t w = 0; w < sizeof(windows) / sizeof(windows[0]); w++) {
		struct page_reader *reader = page_reader_new(file, windows[w]);

		page_reader_keep_chunks(reader, 1 + w);
		for (uint64_t page = 0; page <= PAGES; page += nr)
			check_page(reader, page, &nr);
		for (uint64_t page = PAGES + 1; page-- > 0;)
			check_page(reader, page, &nr);
		for (uint64_t i = 0; i < 200; i++) {
			page_reader_set_window(reader, i & 1 ? windows[w] : windows[i % 5]);
			check_page(reader, i * 17 % (PAGES + 1), &nr);
		}
		page_reader_free(reader);
	}
	page_reader_free(NULL);
}

static void test_plain(void **state)
{
	struct source *file;
	struct page_reader *reader;
	uint32_t nr;

	(void)state;
	make_file("none", 0);
	file = open_made();
	check_reading(file);
	reader = page_reader_new(file, 3 * PAGE);
	check_page(reader, 5, &nr);
	assert_int_equal(nr, 3);
	check_page(reader, 7, &nr);	/* still in the window */
	assert_int_equal(nr, 1);
	assert_int_equal(page_reader_offset(reader, 0, 7), data_offset + 7 * PAGE);
	page_reader_free(reader);
	source_close(file);
}

static void check_codec(const char *codec)
{
	/*
	 * trace-cmd's ten pages, one page, all in one; and chunks that cut pages once, often and in
	 * the middle
	 */
	static const uint32_t sizes[] = { 10 * PAGE, PAGE,     1 << 20,      3 * PAGE / 2,
					  100,       PAGE + 1, 7 * PAGE - 13 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct source *file;

		make_file(codec, sizes[i]);
		file = open_made();
		check_reading(file);
		assert_true(source_stream(file, 0)->chunked);
		/* no header_page in these files; otherwise nothing to complain of */
		assert_int_equal(source_nr_warnings(file), 1);
		source_close(file);
	}
}

static void test_zlib(void **state)
{
	(void)state;
#ifdef HAVE_ZLIB
	check_codec("zlib");
#else
	(void)check_codec;
	skip();
#endif
}

static void test_zstd(void **state)
{
	(void)state;
#ifdef HAVE_ZSTD
	check_codec("zstd");
#else
	(void)check_codec;
	skip();
#endif
}

static const char *any_codec(void)
{
#if defined(HAVE_ZSTD)
	return "zstd";
#elif defined(HAVE_ZLIB)
	return "zlib";
#else
	return NULL;
#endif
}

/* A chunk that is damaged costs its sub-buffers; the others are read. */
static void test_damaged_chunk(void **state)
{
	struct source *file;
	struct page_reader *reader;
	uint32_t nr, last, csize;

	(void)state;
	if (!any_codec())
		skip();
	make_file(any_codec(), 10 * PAGE);
	csize = load_u32(b.data + data_offset + 4, HOST_BIG_ENDIAN);	/* of chunk 0 */
	memset(b.data + data_offset + 4 + 8 + csize + 8, 0xff, 20);
	file = open_made();
	reader = page_reader_new(file, PAGE);
	check_page(reader, 9, &nr);
	assert_null(page_reader_get(reader, 0, 10, &nr, &last));
	assert_int_equal(page_reader_offset(reader, 0, 10), data_offset + 4 + 8 + csize + 8);
	check_page(reader, 20, &nr);
	page_reader_free(reader);
	source_close(file);
}

/* All pages but those of these chunks. */
static void check_pages_but(const struct source *file, unsigned int lost_from, unsigned int lost_to)
{
	struct page_reader *reader = page_reader_new(file, PAGE);
	uint32_t nr, last;

	assert_int_equal(source_stream_bytes(file, 0), BYTES);
	for (unsigned int page = 0; page < BYTES / PAGE; page++) {
		if (page < lost_from || page >= lost_to)
			check_page(reader, page, &nr);
		else
			assert_null(page_reader_get(reader, 0, page, &nr, &last));
	}
	page_reader_free(reader);
}

/* Headers of chunks that lie: the file says so, and what the data itself tells is read. */
static void test_lying_chunks(void **state)
{
	static const char *const codecs[] = {
#ifdef HAVE_ZLIB
		"zlib",
#endif
#ifdef HAVE_ZSTD
		"zstd",
#endif
		NULL
	};
	static const struct {
		int64_t csize, usize;		/* of chunk 1; -1: as it is */
		int64_t count;
		bool begin;			/* its data has lost its first bytes */
		const char *note;
	} lies[] = {
		{ 1 << 30, -1, -1, false, "chunk 1 of 5: chunk of 1073741824 bytes" },
		{ 7, -1, -1, false, "found" },
		{ 5 * PAGE, -1, -1, false, "found" },
		{ 0, 0, -1, false, "chunk 1 of 5: empty chunk" },
		{ -1, 10 * PAGE + 1, -1, false, "1 of 5 chunks unpack to another size" },
		{ -1, 11 * PAGE, -1, false, "1 of 5 chunks unpack to another size" },
		{ -1, 1 << 30, -1, false, "found" },
		{ -1, -1, 2, false, "found" },
		{ -1, -1, 1000, false, "chunk 5 of 1000" },
		{ 1 << 30, 0, -1, true, "found" },
		{ 7, -1, -1, true, "found" },
	};

	(void)state;
	if (!any_codec()) {
		print_message("skipped: no codec is built in\n");
		skip();
	}
	for (unsigned int c = 0; codecs[c]; c++) {
		for (unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
			struct source *file;
			uint32_t csize;
			size_t head;

			make_file(codecs[c], 10 * PAGE);
			csize = load_u32(b.data + data_offset + 4, HOST_BIG_ENDIAN);
			head = data_offset + 4 + 8 + csize;
			if (lies[i].csize >= 0)
				fb_patch(&b, head, (uint64_t)lies[i].csize, 4);
			if (lies[i].usize >= 0)
				fb_patch(&b, head + 4, (uint64_t)lies[i].usize, 4);
			if (lies[i].count >= 0)
				fb_patch(&b, data_offset, (uint64_t)lies[i].count, 4);
			if (lies[i].begin)
				memset(b.data + head + 8, 0xff, 4);
			file = open_made();
			check_pages_but(file, lies[i].begin ? 10 : 0, lies[i].begin ? 20 : 0);
			if (!fb_noted(file, lies[i].note))
				fail_msg("%s, lie %u: no note of \"%s\"", codecs[c], i,
					 lies[i].note);
			fb_use(file);
			source_close(file);
		}
	}
}

/* The file is cut while it is open: the good part still reads. */
static void test_shrinking_file(void **state)
{
	struct ft_error err = { 0 };
	struct page_reader *reader;
	struct source *file;
	uint32_t nr, last;
	char path[64];
	int fd;

	(void)state;
	make_file("none", 0);
	fd = fb_memfd(b.data, b.len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = source_open(path, -1, &err);
	assert_non_null(file);
	assert_int_equal(ftruncate(fd, (off_t)(data_offset + 10 * PAGE + 17)), 0);
	reader = page_reader_new(file, 8 * PAGE);
	check_page(reader, 4, &nr);
	assert_int_equal(nr, 6);
	assert_null(page_reader_get(reader, 0, 10, &nr, &last));
	assert_null(page_reader_get(reader, 0, 30, &nr, &last));
	assert_null(page_reader_get(reader, 1, 0, &nr, &last));
	page_reader_free(reader);
	source_close(file);
	close(fd);
}

/* The same of packed data: what was read ahead of its end is good, the chunk that is cut is not. */
static void test_shrinking_packed(void **state)
{
	struct ft_error err = { 0 };
	struct page_reader *reader;
	struct source *file;
	uint64_t cut;
	uint32_t nr, last, csize;
	char path[64];
	int fd;

	(void)state;
	if (!any_codec())
		skip();
	make_file(any_codec(), 10 * PAGE);
	cut = data_offset + 4;
	for (unsigned int chunk = 0; chunk < 2; chunk++) {
		csize = load_u32(b.data + cut, HOST_BIG_ENDIAN);
		cut += 8 + csize;
	}
	cut += 8 + 5;			/* into the third one */
	fd = fb_memfd(b.data, b.len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = source_open(path, -1, &err);
	assert_non_null(file);
	reader = page_reader_new(file, 1 << 20);
	check_page(reader, 0, &nr);
	assert_int_equal(ftruncate(fd, (off_t)cut), 0);
	check_page(reader, 10, &nr);
	assert_null(page_reader_get(reader, 0, 20, &nr, &last));
	assert_null(page_reader_get(reader, 0, 30, &nr, &last));
	check_page(reader, 0, &nr);
	page_reader_free(reader);
	source_close(file);
	close(fd);
}

static void *read_all(void *arg)
{
	const struct source *file = arg;

	return (void *)(uintptr_t)fb_use(file);
}

/* Everything that is read at first use, asked for by many threads at once. */
static void test_threads(void **state)
{
	pthread_t threads[8];
	struct source *file;

	(void)state;
	make_file(any_codec() ? any_codec() : "none", 3 * PAGE / 2);
	file = open_made();
	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_all, file), 0);
	for (int i = 0; i < 8; i++) {
		void *ret;

		pthread_join(threads[i], &ret);
		assert_int_equal((uintptr_t)ret, BYTES);
	}
	source_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_zlib),
		cmocka_unit_test(test_zstd),
		cmocka_unit_test(test_damaged_chunk),
		cmocka_unit_test(test_lying_chunks),
		cmocka_unit_test(test_shrinking_file),
		cmocka_unit_test(test_shrinking_packed),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
