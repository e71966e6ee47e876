/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sub-buffers one after the other, as a reader of the test's own hands them out: in windows, with
 * holes, cut at the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "parsers/pages/page_sequence.h"

#define PAGE	16u
#define PAGES	10u
#define CUT	5u			/* bytes of the last one */

struct page_reader {
	uint32_t	window;		/* pages */
	uint64_t	hole;		/* this page cannot be read */
	unsigned int	nr_reads;
	uint8_t		bytes[PAGES][PAGE];	/* each byte is the page's number */
};

const uint8_t *page_reader_get(struct page_reader *reader, unsigned int stream, uint64_t page,
			       uint32_t *nr, uint32_t *last)
{
	uint64_t left = PAGES - page;

	assert_int_equal(stream, 3);
	assert_true(page < PAGES);
	reader->nr_reads++;
	if (page == reader->hole)
		return NULL;
	if (page < reader->hole && left > reader->hole - page)
		left = reader->hole - page;
	*nr = left < reader->window ? (uint32_t)left : reader->window;
	*last = page + *nr == PAGES ? CUT : PAGE;
	for (uint64_t i = 0; i < PAGES; i++)
		for (unsigned int k = 0; k < PAGE; k++)
			/* of others nothing is left */
			reader->bytes[i][k] = i >= page && i < page + *nr ? (uint8_t)i : 0xff;
	return reader->bytes[page];
}

/* The next one is this. */
static void expect(struct page_sequence *s, uint64_t page)
{
	const uint8_t *bytes;
	uint32_t len;

	assert_true(page_sequence_next(s, &bytes, &len));
	assert_int_equal(s->page, page + 1);
	if (page == s->reader->hole) {
		assert_null(bytes);
		assert_int_equal(len, 0);
		return;
	}
	assert_int_equal(len, page == PAGES - 1 ? CUT : PAGE);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(bytes[i], page);
}

static void expect_end(struct page_sequence *s)
{
	const uint8_t *bytes;
	uint32_t len;

	assert_false(page_sequence_next(s, &bytes, &len));
	assert_null(bytes);
	assert_int_equal(len, 0);
}

/* Any part of a stream, by windows of any size, with a hole at any place or none. */
static void test_in_order(void **state)
{
	struct page_reader *reader = calloc(1, sizeof(*reader));

	(void)state;
	for (reader->window = 1; reader->window <= PAGES + 1; reader->window++)
		for (reader->hole = 0; reader->hole <= PAGES; reader->hole++)
			for (uint64_t from = 0; from < PAGES; from++)
				for (uint64_t end = from; end <= PAGES; end++) {
					struct page_sequence s = { .reader = reader,
								   .stream = 3,
								   .page_size = PAGE,
								   .page = from,
								   .end = end };

					for (uint64_t page = from; page < end; page++)
						expect(&s, page);
					expect_end(&s);
					expect_end(&s);
				}
	free(reader);
}

/*
 * What lies in the window is not read again; what is elsewhere is, and the next one is not thrown
 * away.
 */
static void test_seek(void **state)
{
	struct page_reader reader = { .window = 4, .hole = PAGES };
	struct page_sequence s = {
		.reader = &reader, .stream = 3, .page_size = PAGE, .end = PAGES
	};

	(void)state;
	for (uint64_t page = 0; page < 4; page++)
		expect(&s, page);
	assert_int_equal(reader.nr_reads, 1);
	expect(&s, 4);
	assert_int_equal(reader.nr_reads, 2);
	s.page = 5;
	expect(&s, 5);
	s.page = 7;
	assert_int_equal(page_sequence_left(&s), 1);
	expect(&s, 7);
	assert_int_equal(page_sequence_left(&s), 0);
	s.page = 4;
	assert_int_equal(page_sequence_left(&s), 4);
	expect(&s, 4);
	assert_int_equal(reader.nr_reads, 2);
	s.page = 3;
	assert_int_equal(page_sequence_left(&s), 0);
	s.page = 9;
	expect(&s, 9);
	expect_end(&s);
	s.page = 0;
	expect(&s, 0);
	assert_int_equal(reader.nr_reads, 4);
	s.page = PAGES;
	expect_end(&s);
	/* The stream has grown. */
	s.end = 3;
	s.page = 3;
	expect_end(&s);
	s.end = 5;
	expect(&s, 3);
	expect(&s, 4);
	expect_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_seek),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
