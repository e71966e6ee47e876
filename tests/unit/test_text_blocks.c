/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts whose lines and times are listed while they are written: blocks, walks over them, and their
 * directory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "parsers/pages/text_blocks.h"
#include "src/base/text.h"

#define MAX_LINES	1000u

struct listed {				/* a row: a line, and its stack */
	uint64_t	start, len;
	int64_t		ns;		/* its own time, or that of the last line with one */
};

static struct text written;
static struct listed lines[MAX_LINES];
static unsigned int nr_lines;

static void add_line(const char *s, int64_t ns)
{
	lines[nr_lines++] = (struct listed){ written.len, strlen(s), ns };
	text_add(&written, s);
	text_char(&written, '\n');
}

/* A line of the stack of the row above. */
static void add_frame(const char *s)
{
	text_add(&written, s);
	text_char(&written, '\n');
	lines[nr_lines - 1].len += 1 + strlen(s);
}

/* Comments are no rows. */
static void add_comment(void)
{
	text_add(&written, "#  => started at: read_hpet\n");
}

/* Latency format: in us. */
static void add_timed(int64_t us)
{
	char s[80];

	snprintf(s, sizeof(s), "  <idle>-0         1dn.h5.. %4lldus : f%u", (long long)us,
		 nr_lines);
	add_line(s, us * 1000);
}

static void begin(void)
{
	text_clear(&written);
	nr_lines = 0;
}

static void check_block(const struct text_blocks *blocks, const struct page_index *index,
			uint64_t nr, uint64_t *run)
{
	unsigned int from = (unsigned int)nr * TEXT_BLOCK_LINES, to = from + TEXT_BLOCK_LINES,
		     i = from;
	/* comments before the first row are its block's */
	uint64_t first = 0, start = from ? lines[from - 1].start + lines[from - 1].len + 1 : 0;
	struct sub_buffer walk;
	struct record rec;

	to = to < nr_lines ? to : nr_lines;
	assert_int_equal(blocks->blocks[nr].start, start);
	text_blocks_open(blocks, nr, &walk);
	for (; text_blocks_next(&walk, &rec); i++) {
		uint64_t ts = (uint64_t)lines[i].ns + TEXT_TIME_BIAS;

		assert_true(i < to);
		assert_int_equal(rec.offset, lines[i].start - start);
		assert_int_equal(rec.size, lines[i].len);
		assert_memory_equal(rec.data, text_str(&written) + lines[i].start, lines[i].len);
		assert_int_equal(rec.ts, ts);
		*run = ts > *run ? ts : *run;
		first = i == from ? *run : first;
	}
	assert_int_equal(i, to);
	assert_false(text_blocks_next(&walk, &rec));
	/* The directory has running maxima of the times. */
	assert_int_equal(page_index_count(index, nr) & PAGE_EVENTS_MASK, to - from);
	assert_int_equal(page_rows(page_index_count(index, nr)), to - from);
	assert_int_equal(page_index_first(index, nr), first);
	if (*run - first <= UINT32_MAX)
		assert_int_equal(page_index_last(index, nr), *run);
	else
		assert_in_range(page_index_last(index, nr), first, *run);
	assert_int_equal(!!(page_index_count(index, nr) & PAGE_WIDE), *run - first > UINT32_MAX);
}

/* @size: of the text, without its last newline or with it. */
static void check_size(uint64_t size)
{
	uint64_t nr = (nr_lines + TEXT_BLOCK_LINES - 1) / TEXT_BLOCK_LINES, run = 0;
	struct text_blocks blocks;
	struct page_index index;

	page_index_init(&index, 4096);
	text_blocks_init(&blocks, text_str(&written), size, &index);
	assert_int_equal(blocks.nr, nr);
	assert_int_equal(page_index_pages(&index), nr);
	assert_int_equal(page_index_totals(&index).events, nr_lines);
	assert_int_equal(page_index_totals(&index).rows, nr_lines);
	for (uint64_t i = 0; i < nr; i++)
		check_block(&blocks, &index, i, &run);
	text_blocks_fini(&blocks);
	page_index_fini(&index);
}

static void check(void)
{
	check_size(written.len);
	if (nr_lines && lines[nr_lines - 1].len &&
	    lines[nr_lines - 1].start + lines[nr_lines - 1].len + 1 == written.len)
		check_size(written.len - 1);
}

/* Around the borders of blocks. */
static void test_sizes(void **state)
{
	static const unsigned int sizes[] = {
		0, 1, 2, 127, 128, 129, 255, 256, 257, 640, MAX_LINES
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		begin();
		while (nr_lines < sizes[i])
			add_timed(10 * nr_lines);
		check();
	}
}

/*
 * A line without a time has that of the one before it; at the top, that of the first line with one.
 */
static void test_without_time(void **state)
{
	(void)state;
	begin();
	while (nr_lines < 200)	/* the first block has none at all */
		add_line(nr_lines % 3 ? "tracer: irqsoff" : "", 77000);
	add_timed(77);
	while (nr_lines < 400)
		add_line("   start_kernel", 77000);
	add_timed(78);
	check();
	/* Where none has one, it is 0. */
	begin();
	while (nr_lines < 130)
		add_line("nothing", 0);
	check();
}

/* Around the borders of blocks, too: a stack stays with its line. */
static void test_stacks_and_comments(void **state)
{
	(void)state;
	begin();
	add_comment();
	check();
	add_line(" => of_no_event", 1000);
	add_frame(" => main");
	add_comment();
	while (nr_lines < 513) {
		add_timed(nr_lines);
		if (nr_lines % 64 < 2)
			add_frame(" => do_syscall_64");
		if (nr_lines % 64 == 1)
			add_frame("   => entry_SYSCALL_64_after_hwframe");
		if (nr_lines % 128 < 3)
			add_comment();
	}
	check();
	add_timed(1000);
	add_frame(" => last");
	check();
}

/* Below 0, and back: what is behind a block's last line goes on with the highest so far. */
static void test_order_of_times(void **state)
{
	(void)state;
	begin();
	for (int us = -31; us < 100; us++)
		add_timed(us);
	while (nr_lines < 300)
		add_timed(50 - (int)nr_lines % 7);
	add_timed(1000);
	add_timed(-1000);
	check();
}

/* More than 32 bits of ns within a block. */
static void test_wide(void **state)
{
	(void)state;
	begin();
	add_timed(0);
	while (nr_lines < 128)
		add_timed(4294967);	/* 2^32 ns are 4294967.296 us: not yet */
	add_timed(5000000);
	while (nr_lines < 256)
		add_timed(5000000 + 4294968);
	while (nr_lines < 300)
		add_timed(20000000);
	check();
}

static int forget(void **state)
{
	(void)state;
	text_fini(&written);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_without_time),
		cmocka_unit_test(test_stacks_and_comments),
		cmocka_unit_test(test_order_of_times),
		cmocka_unit_test(test_wide),
	};

	return cmocka_run_group_tests(tests, NULL, forget);
}
