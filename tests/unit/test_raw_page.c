/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/raw_page.h"
#include "parsers/sub_buffer.h"
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
