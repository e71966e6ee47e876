/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/pages/raw_page.h"
#include "parsers/source/sub_buffer.h"
#include "tests/lib/page_bytes.h"

#define SIZE 4096u

static uint8_t page[SIZE];

/* As the kernel prints it, of 64 and of 32 bits, and with sub-buffers of 16 KiB. */
static void test_layout(void **state)
{
	static const char head[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n";
	static const struct { unsigned int offset, size; uint32_t data, all; } cases[] = {
		{ 16, 4080, 16, 4096 }, { 12, 4084, 12, 4096 }, { 16, 16368, 16, 16384 },
		{ 0, 4096, 0, 0 }, { 16, 4000000000u, 0, 0 }, { 16, 100, 0, 0 }, { 4000, 96, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct raw_page_layout layout;
		char text[512];

		snprintf(text, sizeof(text), head, cases[i].offset, cases[i].size);
		layout = raw_page_layout(text);
		assert_int_equal(layout.size, cases[i].all);
		assert_int_equal(layout.data, cases[i].data);
	}
	assert_int_equal(raw_page_layout("").size, 0);
	assert_int_equal(raw_page_layout("\tfield: char data;\toffset:16;").size, 0);
}

/* Records of this machine's kernel at 1000, 1005 and, behind a time extend, 1005 + 2^27 + 7 + 3. */
static struct page_bytes three(uint32_t long_size)
{
	struct page_bytes b;

	page_bytes_begin(&b, page_bytes_layout(SIZE, (int)long_size, HOST_BIG_ENDIAN), page, 900);
	page_bytes_record(&b, 100, 1, 10, 12);
	page_bytes_record(&b, 5, 1, 10, 12);
	page_bytes_extend(&b, (1u << 27) + 7);
	page_bytes_record(&b, 3, 1, 10, 12);
	page_bytes_end(&b, 0, 0);
	return b;
}

static void test_times(void **state)
{
	(void)state;
	for (uint32_t long_size = 4; long_size <= 8; long_size += 4) {
		const struct raw_page_layout layout = { .size = SIZE, .data = 8 + long_size };
		uint64_t first = 0, last = 0;
		struct page_bytes b = three(long_size);

		assert_true(raw_page_times(&layout, page, &first, &last));
		assert_int_equal(first, 1000);
		assert_int_equal(last, 1005 + (1u << 27) + 10);
		/* nothing in it; nonsense in it: no read leaves the page */
		page_bytes_put(&b, 8, 0, (int)long_size);
		assert_false(raw_page_times(&layout, page, &first, &last));
		memset(page, 0xff, SIZE);
		raw_page_times(&layout, page, &first, &last);
	}
}

/*
 * What is kept of the three: their stamps stay what they were, and the rest of the page is empty.
 */
static void expect_kept(uint32_t long_size, uint64_t first, uint64_t last, const uint64_t *stamps,
			unsigned int nr)
{
	const struct raw_page_layout layout = { .size = SIZE, .data = 8 + long_size };
	static uint64_t found[SIZE / 8];

	three(long_size);
	assert_int_equal(raw_page_keep(&layout, page, first, last), nr);
	assert_int_equal(raw_page_stamps(&layout, page, found), nr);
	for (unsigned int i = 0; i < nr; i++)
		assert_int_equal(found[i], stamps[i]);
	/*
	 * records of 12 bytes behind a header word, and the time extend where what it parts is kept
	 */
	for (uint32_t i = layout.data + nr * 16 + (nr >= 2 && stamps[nr - 1] > 1005 ? 8 : 0);
	     i < SIZE; i++)
		assert_int_equal(page[i], 0);
}

static void test_keep(void **state)
{
	static const uint64_t all[] = { 1000, 1005, 1005 + (1u << 27) + 10 };

	(void)state;
	for (uint32_t long_size = 4; long_size <= 8; long_size += 4) {
		expect_kept(long_size, 0, UINT64_MAX, all, 3);
		expect_kept(long_size, 0, all[2] - 1, all, 2);
		expect_kept(long_size, 0, 1004, all, 1);
		expect_kept(long_size, 1001, UINT64_MAX, all + 1, 2);
		expect_kept(long_size, 1005, 1005, all + 1, 1);
		expect_kept(long_size, 1006, all[2], all + 2, 1);
		expect_kept(long_size, 1006, 1007, all, 0);
	}
}

/* Lost events came before the first record: without it nothing is said of them. */
static void test_lost(void **state)
{
	const struct raw_page_layout layout = { .size = SIZE, .data = 16 };

	(void)state;
	for (int cut = 0; cut < 3; cut++) {
		struct page_bytes b = three(8);
		struct sub_buffer sb;

		page_bytes_end(&b, TRACE_COMMIT_LOST | TRACE_COMMIT_LOST_STORED, 77);
		raw_page_keep(&layout, page, cut == 1 ? 1001 : 0, cut == 2 ? 1004 : UINT64_MAX);
		sub_buffer_open(&sb, &b.layout, page, SIZE);
		assert_int_equal(sb.lost, cut != 1);
		assert_int_equal(sb.lost_count, cut ? 0 : 77);
	}
}

/* The three begin at bytes 0, 16 and, behind their time extend, 40 of the data. */
static void test_drop(void **state)
{
	static const struct { uint32_t bytes; unsigned int left; } cases[] = {
		{ 0, 3 }, { 1, 2 }, { 16, 2 }, { 32, 1 }, { 40, 1 }, { 56, 0 }, { 4000, 0 },
	};
	static const uint64_t all[] = { 1000, 1005, 1005 + (1u << 27) + 10 };
	static uint64_t found[SIZE / 8];

	(void)state;
	for (uint32_t long_size = 4; long_size <= 8; long_size += 4) {
		const struct raw_page_layout layout = { .size = SIZE, .data = 8 + long_size };

		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			unsigned int left = cases[i].left;

			three(long_size);
			assert_int_equal(raw_page_drop(&layout, page, cases[i].bytes), left);
			assert_int_equal(raw_page_stamps(&layout, page, found), left);
			for (unsigned int k = 0; k < left; k++)
				assert_int_equal(found[k], all[3 - left + k]);
		}
	}
}

/* The number takes the place of the padding behind the last record, if there is room. */
static void test_set_lost(void **state)
{
	(void)state;
	for (uint32_t long_size = 4; long_size <= 8; long_size += 4) {
		const struct raw_page_layout layout = { .size = SIZE, .data = 8 + long_size };

		for (uint32_t room = 0; room <= 16; room += 4) {
			struct page_bytes b;
			struct sub_buffer sb;
			struct record rec;

			page_bytes_begin(&b,
					 page_bytes_layout(SIZE, (int)long_size, HOST_BIG_ENDIAN),
					 page, 900);
			page_bytes_record(&b, 100, 1, 10, page_bytes_left(&b) - 8 - room);
			if (room)
				page_bytes_word(&b, SUB_BUFFER_TYPE_PADDING, 0);
			b.pos = SIZE;
			page_bytes_end(&b, 0, 0);
			raw_page_set_lost(&layout, page, 77);
			sub_buffer_open(&sb, &b.layout, page, SIZE);
			assert_true(sb.lost);
			assert_int_equal(sb.lost_count, room >= long_size ? 77 : 0);
			assert_int_equal(sb.lost_known, room >= long_size);
			assert_true(sub_buffer_next(&sb, &rec) && rec.ts == 1000);
			assert_false(sub_buffer_next(&sb, &rec));
			assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
		}
		three(long_size);
		raw_page_set_lost(&layout, page, 0);
		assert_int_equal(raw_page_drop(&layout, page, 0), 3);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_set_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
