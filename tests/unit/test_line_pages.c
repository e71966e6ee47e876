/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of a text of many CPUs: how many there are, and what is in them, in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/lines/line_file.h"
#include "parsers/lines/line_record.h"
#include "parsers/source/page_maker.h"
#include "parsers/source/sub_buffer.h"
#include "src/base/text.h"

#define CPUS	500u
#define LINES	40000u
#define MOST_PARTS	6u		/* of 2.8 MB; with parts of 64 KiB there are 43 */

static unsigned int cpu_of(unsigned int line)
{
	return line * 2654435761u >> 8 & 3 ? line * 2654435761u >> 10 & 3 : line * 40503u % CPUS;
}

/* Most lines are of a few CPUs.  Some have others below, and some the same time. */
static struct text made_text(void)
{
	struct text t = { 0 };

	text_add(&t, "# tracer: nop\n#\n");
	for (unsigned int i = 0; i < LINES; i++) {
		text_printf(&t, "          task-%u     [%03u] d..2. %u.%06u: tick: nr=%u\n",
			    1000 + i % 50, cpu_of(i), 10 + i / 100000, i / 3, i);
		if (i % 100 == 7)
			text_add(&t, " => some_function\n => another\n");
	}
	return t;
}

static struct line_file *opened(const struct text *t)
{
	struct line_file *file = line_file_begin(-1, t->data, t->len, NULL);
	uint64_t done = 0;

	assert_int_equal(line_file_step(file, t->len, &done, NULL), 0);
	assert_int_equal(line_file_info(file)->nr_cpus, CPUS);
	return file;
}

/* The number at the end of the first line of a record. */
static unsigned int number_of(const struct record *rec)
{
	struct text_slice lines = line_record_lines(rec->data, rec->size);
	const char *nr = memmem(lines.s, lines.len, "nr=", 3);

	assert_non_null(nr);
	return (unsigned int)strtoul(nr + 3, NULL, 10);
}

/* Check that a page's records are the CPU's, from line *next on.  *next: the one behind them. */
static void check_page(struct line_reader *reader, uint64_t page, int cpu, uint8_t *bytes,
		       unsigned int *next)
{
	const struct sub_buffer_layout layout = page_maker_layout(LINE_RECORDS_BYTES,
								  __BYTE_ORDER__ ==
									  __ORDER_BIG_ENDIAN__);
	uint32_t len = line_reader_page(reader, page, cpu, bytes);
	struct sub_buffer sb;
	struct record rec;

	assert_true(len);
	sub_buffer_open(&sb, &layout, bytes, len);
	while (sub_buffer_next(&sb, &rec)) {
		while (*next < LINES && cpu_of(*next) != (unsigned int)cpu)
			++*next;
		assert_int_equal(number_of(&rec), *next);
		/* equal times are told apart, in the order of the text */
		assert_int_equal(rec.ts, 10000000000ull + *next / 3 * 1000 + *next % 3);
		++*next;
	}
}

static void pages_grow_with_the_text(void **state)
{
	struct text t = made_text();
	struct line_file *file = opened(&t);
	uint64_t nr = 0;

	(void)state;
	for (int cpu = 0; cpu < (int)CPUS; cpu++)
		nr += line_file_pages(file, cpu);
	assert_true(nr <= CPUS * MOST_PARTS);
	line_file_free(file);
	text_fini(&t);
}

static void pages_in_any_order(void **state)
{
	struct text t = made_text();
	struct line_file *file = opened(&t);
	struct line_reader *reader = line_reader_new(file);
	uint8_t *bytes = malloc(LINE_RECORDS_BYTES);
	unsigned int next[CPUS] = { 0 }, again = 0;
	uint64_t most = 0;

	(void)state;
	for (int cpu = CPUS - 1; cpu >= 0; cpu--)
		most = line_file_pages(file, cpu) > most ? line_file_pages(file, cpu) : most;
	assert_true(most > 1);
	for (uint64_t page = 0; page < most; page++)
		for (int cpu = CPUS - 1; cpu >= 0; cpu--)
			if (page < line_file_pages(file, cpu))
				check_page(reader, page, cpu, bytes, &next[cpu]);
	for (unsigned int i = 0; i < LINES; i++)
		assert_true(next[cpu_of(i)] > i);
	for (uint64_t page = 0; page < line_file_pages(file, 1); page++)
		check_page(reader, page, 1, bytes, &again);
	assert_int_equal(again, next[1]);
	line_reader_free(reader);
	line_file_free(file);
	free(bytes);
	text_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_grow_with_the_text),
		cmocka_unit_test(pages_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
