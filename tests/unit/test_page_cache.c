/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sub-buffers by the cache are those of the file, asked for in any order, once and again, with room
 * for few and for all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/pages/page_cache.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/samples.h"

#define ROUNDS	4000u

static struct source *open_plain(const char *name, int *fd)
{
	char path[] = "/tmp/test_page_cache.XXXXXX";
	struct source *file;

	*fd = mkstemp(path);
	assert_true(*fd >= 0);
	assert_int_equal(sample_write(sample_find(name), path, NULL), 0);
	close(*fd);
	*fd = open(path, O_RDONLY | O_CLOEXEC);		/* it may be another one by now */
	file = source_open(path, -1, NULL);
	unlink(path);
	assert_non_null(file);
	return file;
}

/* What the file itself holds there; a piece at the end of a stream may be shorter. */
static void check_page(struct page_cache *cache, const struct source *file, int fd, unsigned int i,
		       uint64_t page)
{
	const struct source_stream *stream = source_stream(file, i);
	uint64_t size = source_buffer(file, stream->buffer)->layout.page_size, at = page * size;
	uint64_t left = at < stream->file_size ? stream->file_size - at : 0,
		 wanted = left < size ? left : size;
	uint8_t bytes[65536];
	uint32_t len = 12345;
	const uint8_t *got = page_cache_get(cache, i, page, &len);

	assert_false(stream->chunked);
	assert_true(size <= sizeof(bytes));
	assert_int_equal(len, wanted);
	if (!wanted) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_int_equal(pread(fd, bytes, wanted, (off_t)(stream->offset + at)), wanted);
	assert_memory_equal(got, bytes, wanted);
	assert_int_equal(page_cache_offset(cache, i, page), stream->offset + at);
}

static void check_file(const char *name, uint64_t limit)
{
	struct gen_random random;
	struct source *file;
	struct page_cache *cache;
	int fd;

	gen_random_init(&random, limit + 7);
	file = open_plain(name, &fd);
	cache = page_cache_new(file, limit);
	for (unsigned int i = 0; i < source_nr_streams(file); i++)
		for (uint64_t page = 0; page < source_stream_pages(file, i); page++)
			for (int again = 0; again < 2; again++)
				check_page(cache, file, fd, i, page);
	for (unsigned int n = 0; n < ROUNDS; n++) {
		unsigned int i = gen_random_below(&random, source_nr_streams(file));

		/* some behind the last one, too */
		check_page(cache, file, fd, i,
			   gen_random_below(&random, (uint32_t)source_stream_pages(file, i) + 2));
	}
	page_cache_free(cache);
	source_close(file);
	close(fd);
}

static void pages_are_those_of_the_file(void **state)
{
	static const char *const names[] = { "v6", "v7-be32", "v7-buffers", "v7-sparse",
					     "v7-large-pages" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		check_file(names[i], 1);
		check_file(names[i], 20000);
		check_file(names[i], 1u << 30);
	}
	page_cache_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_those_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
