/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went into streams in turns comes out of each as one piece, in both byte orders; the first
 * failure to write stays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/io/spool.h"
#include "tests/lib/gen_trace.h"

#define STREAMS	5

static int make_file(char *path, size_t size)
{
	int fd;

	snprintf(path, size, "/tmp/test_spool.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	return fd;
}

static void check_bytes(int fd, uint64_t at, const struct text *expected)
{
	uint8_t *bytes = malloc(expected->len + 1);

	assert_int_equal(pread(fd, bytes, expected->len, (off_t)at), expected->len);
	assert_memory_equal(bytes, text_str(expected), expected->len);
	free(bytes);
}

/*
 * Pieces of all sizes, some MiB together, so that much of them lies in the unnamed file; one stream
 * gets nothing.
 */
static void streams_come_out_whole(void **state)
{
	struct spool_stream streams[STREAMS] = { 0 };
	struct text expected[STREAMS] = { 0 };
	struct gen_random random;
	struct ft_error err = { 0 };
	struct spool spool;
	struct out out = { 0 };
	char path[64], piece[70000];
	struct stat st;
	uint64_t at = 0;

	(void)state;
	gen_random_init(&random, 17);
	out.fd = make_file(path, sizeof(path));
	spool_init(&spool, path);
	for (unsigned int n = 0; n < 400; n++) {
		unsigned int i = gen_random_below(&random, STREAMS - 1);
		size_t len = gen_random_below(&random,
					      gen_random_one_in(&random, 4) ? sizeof(piece) : 100);

		for (size_t k = 0; k < len; k++)
			piece[k] = (char)gen_random_u64(&random);
		text_bytes(&expected[i], piece, len);
		assert_int_equal(spool_append(&spool, &streams[i], piece, len, &err), 0);
	}
	assert_true(spool.fd >= 0);
	for (unsigned int i = 0; i < STREAMS; i++) {
		assert_int_equal(streams[i].bytes, expected[i].len);
		assert_int_equal(spool_copy(&spool, &streams[i], &out, &err), 0);
	}
	out_flush(&out);
	assert_int_equal(out.errnum, 0);
	for (unsigned int i = 0; i < STREAMS; i++) {
		check_bytes(out.fd, at, &expected[i]);
		at += expected[i].len;
		text_fini(&expected[i]);
		spool_stream_fini(&streams[i]);
	}
	assert_int_equal(out.pos, at);
	assert_int_equal(fstat(out.fd, &st), 0);
	assert_int_equal(st.st_size, at);
	spool_fini(&spool);
	close(out.fd);
	out_fini(&out);
	unlink(path);
}

static void numbers_have_the_order_of_the_file(void **state)
{
	static const uint8_t big[] = { 0x12, 0x34, 0x12, 0x34, 0x56, 0x78, 1, 2, 3, 4,
				       5,    6,    7,    8,    'a',  'b',  0, 0, 0, 0 };
	static const uint8_t little[] = { 0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 8, 7, 6, 5,
					  4,    3,    2,    1,    'a',  'b',  0, 0, 0, 0 };
	const uint16_t one = 1;
	bool host_is_little = *(const uint8_t *)&one == 1;
	char path[64];

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct text expected = { 0 };
		struct out out = { .swap = swap };

		out.fd = make_file(path, sizeof(path));
		out_u16(&out, 0x1234);
		out_u32(&out, 0x12345678);
		out_u64(&out, 0);
		out_string(&out, "ab");
		out_align(&out, 20);
		out_patch_u64(&out, 6, 0x0102030405060708);
		/* what follows goes behind all the same */
		out_u16(&out, 0);
		out_flush(&out);
		assert_int_equal(out.pos, 22);
		text_bytes(&expected, (const char *)(host_is_little != swap ? little : big),
			   sizeof(big));
		text_bytes(&expected, "\0\0", 2);
		check_bytes(out.fd, 0, &expected);
		text_fini(&expected);
		close(out.fd);
		out_fini(&out);
		unlink(path);
	}
}

/* A full disk: where it was is kept, and nothing is written behind it. */
static void the_first_failure_stays(void **state)
{
	struct out out = { .fd = open("/dev/full", O_WRONLY | O_CLOEXEC) };

	(void)state;
	if (out.fd < 0) {
		print_message("skipped: no /dev/full here\n");
		skip();
	}
	out_u64(&out, 1);
	assert_int_equal(out.errnum, 0);	/* it is pending */
	out_flush(&out);
	assert_int_equal(out.errnum, ENOSPC);
	assert_int_equal(out.err_pos, 0);
	out_u64(&out, 1);
	out_flush(&out);
	assert_int_equal(out.errnum, ENOSPC);
	assert_int_equal(out.err_pos, 0);
	close(out.fd);
	out_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_come_out_whole),
		cmocka_unit_test(numbers_have_the_order_of_the_file),
		cmocka_unit_test(the_first_failure_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
