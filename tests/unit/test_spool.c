/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is added to a spool in any order is read in the order of time. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "parsers/pages/page_reader.h"
#include "parsers/source/sub_buffer.h"
#include "parsers/spool/spool.h"
#include "src/base/memory.h"
#include "src/base/pid_bits.h"

#define MANY		20000u
#define TYPES		3u
#define LITTLE		(16u << 10)	/* bytes of memory: most of what comes late is merged */

struct added {
	uint64_t	 ts;
	uint32_t	 cpu, nr;	/* nr: its place among those that were added */
};

static const struct source_ops ops = {
	.form = "spooled",
	.stream_bytes = spool_stream_bytes, .read = spool_read, .sum = spool_sum,
	.fini = (void (*)(struct source *))spool_fini,
};

static struct spool_source *begin(uint32_t memory, unsigned int nr_buffers)
{
	const struct source_start start = { .path = "memory", .fd = -1 };
	struct spool_source *s = source_new(sizeof(*s), &ops, &start);
	struct ft_error err = { 0 };

	s->base.buffers = mem_array(nr_buffers, sizeof(*s->base.buffers));
	s->base.nr_buffers = nr_buffers;
	assert_int_equal(spool_begin(s, memory, &err), 0);
	return s;
}

static void add(struct spool_source *s, unsigned int lane, uint64_t ts, uint32_t nr, uint32_t bytes)
{
	static uint8_t record[SPOOL_RECORD_BYTES + 4];

	memset(record, (int)nr & 0xff, sizeof(record));
	store_u16(record, (uint16_t)(1 + nr % TYPES), false);
	store_u16(record + 2, 0, false);
	store_u32(record + 4, nr, false);	/* the task: also tells which record it is */
	spool_add(s, lane, ts, record, bytes);
}

/* Is what was counted while a page was written what the page has? */
static void check_sum(const struct source *source, unsigned int stream, uint64_t page,
		      const struct sub_buffer_layout *layout, const uint8_t *bytes, uint32_t len)
{
	const struct type_count *counts;
	uint32_t of_types[TYPES + 1] = { 0 }, nr = 0;
	uint64_t pids = 0, first = 0, last = 0;
	struct sub_buffer sb;
	struct record rec;
	struct page_sum sum;

	assert_true(spool_sum(source, stream, page, &sum, &counts));
	sub_buffer_open(&sb, layout, bytes, len);
	for (; sub_buffer_next(&sb, &rec); nr++) {
		first = nr ? first : rec.ts;
		last = rec.ts;
		pids |= pid_bits((int)load_u32(rec.data + 4, false));
		of_types[load_u16(rec.data, false)]++;
	}
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
	assert_int_equal(sum.events, nr);
	assert_int_equal(sum.is_lost, sb.lost);
	assert_int_equal(sum.lost, sb.lost_count);
	assert_int_equal(sum.cpu, source->streams[stream].cpu);
	if (nr) {
		assert_int_equal(sum.first, first);
		assert_int_equal(sum.last, last);
		assert_int_equal(sum.pids, pids);
	}
	for (unsigned int i = 0; i < sum.nr_counts; i++) {
		assert_int_equal(counts[i].nr, of_types[counts[i].type]);
		nr -= counts[i].nr;
	}
	assert_int_equal(nr, 0);
}

/* All records of a stream; @lost: [max], the events lost before each, may be NULL. */
static unsigned int read_stream(const struct source *source, unsigned int stream,
				struct added *rows, uint64_t *lost, unsigned int max)
{
	struct page_reader *reader = page_reader_new(source, 1 << 18);
	const struct source_stream *s = source_stream(source, stream);
	const struct sub_buffer_layout *layout =
		&source_buffer(source, (unsigned)s->buffer)->layout;
	unsigned int nr = 0;

	for (uint64_t page = 0; page < source_stream_pages(source, stream); page++) {
		uint32_t pages, last;
		const uint8_t *bytes = page_reader_get(reader, stream, page, &pages, &last);
		struct sub_buffer sb;
		struct record rec;

		assert_non_null(bytes);
		check_sum(source, stream, page, layout, bytes, last);
		sub_buffer_open(&sb, layout, bytes, last);
		if (lost && nr < max)
			lost[nr] += sb.lost_count;
		for (; sub_buffer_next(&sb, &rec); nr++) {
			assert_true(nr < max);
			rows[nr] = (struct added){ rec.ts, (uint32_t)s->cpu,
						   load_u32(rec.data + 4, false) };
			if (rec.size > 8)
				assert_int_equal(rec.data[8], rows[nr].nr & 0xff);
		}
	}
	page_reader_free(reader);
	return nr;
}

/* --- any order ------------------------------------------------------------------------------ */

static int by_cpu_and_time(const void *a, const void *b)
{
	const struct added *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->nr < y->nr ? -1 : 1;
}

/* Stamps of MANY records, by how far they are from the order in which they are added. */
static uint64_t stamp(unsigned int order, uint32_t nr)
{
	switch (order) {
	case 0:			/* sorted */
		return nr;
	case 1:			/* backwards */
		return MANY - nr;
	case 2:			/* anywhere; many are equal */
		return (uint64_t)(rand() % 5000);
	case 3:			/* nearly sorted */
		return nr + (uint64_t)(rand() % 100);
	case 4:			/* some are very late: all else can stay */
		return nr % 1000 ? nr : nr / 2;
	case 5:			/* all equal */
		return 7;
	default:		/* the bits that a stamp of a record does not have */
		return (uint64_t)rand() << 35 ^ (uint64_t)rand() << 8;
	}
}

static void check_order(unsigned int order, uint32_t memory, unsigned int nr_cpus)
{
	struct added *rows = mem_array(MANY, sizeof(*rows)),
		     *found = mem_array(MANY, sizeof(*rows));
	struct spool_source *s = begin(memory, 1);
	unsigned int nr = 0;

	for (uint32_t i = 0; i < MANY; i++) {
		rows[i] = (struct added){ stamp(order, i), (uint32_t)rand() % nr_cpus, i };
		add(s, spool_lane(s, 0, rows[i].cpu), rows[i].ts, i, 8 + (uint32_t)rand() % 100);
	}
	spool_end(s);
	qsort(rows, MANY, sizeof(*rows), by_cpu_and_time);
	assert_int_equal(source_nr_streams(&s->base), nr_cpus);
	assert_int_equal(source_info(&s->base)->cpu_count, nr_cpus);
	for (unsigned int i = 0; i < nr_cpus; i++)
		nr += read_stream(&s->base, i, found + nr, NULL, MANY - nr);
	assert_int_equal(nr, MANY);
	assert_memory_equal(found, rows, MANY * sizeof(*rows));
	assert_int_equal(source_nr_warnings(&s->base), 0);
	source_close(&s->base);
	free(rows);
	free(found);
}

static void test_any_order(void **state)
{
	(void)state;
	srand(1);
	for (unsigned int order = 0; order < 7; order++) {
		check_order(order, SPOOL_MEMORY, 1);
		check_order(order, LITTLE, 1);
		check_order(order, LITTLE, 7);
		check_order(order, 8 * LITTLE, 300);
	}
}

/* --- pages that are made when they are read ------------------------------------------------- */

/* A place is a page of so many records, 10 ns apart. */
#define OF_PAGE		20u

static bool make(struct source_reader *reader, uint32_t place, struct page_maker *page)
{
	uint8_t record[12] = { 0 };

	(void)reader;
	store_u16(record, 1, false);
	for (uint32_t i = 0; i < OF_PAGE; i++) {
		store_u32(record + 4, OF_PAGE * place + i, false);
		memset(record + 8, (int)(OF_PAGE * place + i) & 0xff, 4);
		assert_true(page_maker_put(page, 1000 * place + 10 * i, record, sizeof(record)));
	}
	return place < 9;
}

static void add_made(struct spool_source *s, unsigned int lane, uint32_t place, bool is_lost)
{
	const struct type_count count = { .type = 1, .nr = OF_PAGE };
	struct page_sum sum = { .first = 1000 * place, .last = 1000 * place + 10 * (OF_PAGE - 1),
				.events = OF_PAGE, .nr_counts = 1, .is_lost = is_lost };

	for (uint32_t i = 0; i < OF_PAGE; i++)
		sum.pids |= pid_bits((int)(OF_PAGE * place + i));
	spool_add_page(s, lane, &sum, &count, place);
}

/* In any order, and with records before, in and after them. */
static void test_made(void **state)
{
	static const uint32_t places[] = { 1, 2, 5, 4, 7 };
	struct added rows[256], *row = rows;
	uint64_t lost[256] = { 0 };
	struct spool_source *s = begin(SPOOL_MEMORY, 1);
	unsigned int lane = spool_lane(s, 0, 2);

	(void)state;
	s->make = make;
	add(s, lane, 900, 900, 12);
	for (unsigned int i = 0; i < 5; i++)
		add_made(s, lane, places[i], i == 2);
	add(s, lane, 2105, 901, 12);		/* in the page of place 2 */
	add(s, lane, 9000, 902, 12);
	spool_end(s);
	assert_int_equal(read_stream(&s->base, 0, rows, lost, 256), 5 * OF_PAGE + 3);
	assert_int_equal(row++->nr, 900);
	for (uint32_t place = 1; place < 8; place++)
		for (uint32_t i = 0; i < OF_PAGE && place != 3 && place != 6; i++) {
			assert_int_equal(row->ts, 1000 * place + 10 * i);
			assert_int_equal(row++->nr, OF_PAGE * place + i);
			if (row[-1].ts == 2100)
				assert_int_equal(row++->nr, 901);
		}
	assert_int_equal(row->nr, 902);
	source_close(&s->base);
}

/* --- borders -------------------------------------------------------------------------------- */

static void test_page_border(void **state)
{
	/* a header of 16 bytes for the page and for each record, 8 bytes for a count */
	const uint32_t half = (SPOOL_PAGE_BYTES - 16 - 8) / 2 - 16;
	struct added rows[8];
	struct spool_source *s = begin(SPOOL_MEMORY, 1);
	unsigned int lane = spool_lane(s, 0, 0);

	(void)state;
	add(s, lane, 1, 0, half);		/* these two are a page */
	add(s, lane, 2, 1, half);
	add(s, lane, 3, 2, half);		/* this one is, since the next does not fit */
	add(s, lane, 4, 3, half + 4);
	add(s, lane, 5, 4, SPOOL_RECORD_BYTES);
	add(s, lane, 6, 5, SPOOL_RECORD_BYTES + 1);
	add(s, lane, 7, 6, SPOOL_RECORD_BYTES - 1);	/* filled up with a zero */
	spool_end(s);
	assert_int_equal(source_stream_pages(&s->base, 0), 5);
	assert_int_equal(read_stream(&s->base, 0, rows, NULL, 8), 6);
	assert_int_equal(rows[5].nr, 6);
	assert_int_equal(source_nr_warnings(&s->base), 1);
	assert_string_equal(source_warning(&s->base, 0).message,
			    "events left out, of more than 65496 bytes: 1");
	source_close(&s->base);
}

static void test_lost(void **state)
{
	struct added rows[8];
	uint64_t lost[8] = { 0 };

	(void)state;
	for (unsigned int late = 0; late < 2; late++) {
		struct spool_source *s = begin(late ? 1 : SPOOL_MEMORY, 1);
		unsigned int lane = spool_lane(s, 0, 3);

		memset(lost, 0, sizeof(lost));
		add(s, lane, 10, 0, 8);
		spool_lost(s, lane, 20, 4);
		spool_lost(s, lane, 20, 5);		/* one gap */
		add(s, lane, 20, 1, 8);
		add(s, lane, 40, 2, 8);
		spool_lost(s, lane, 50, 0);		/* nobody knows how many */
		add(s, lane, 30, 3, 8);
		spool_lost(s, lane, 35, 6);		/* at 40 follows what was added before */
		spool_end(s);
		assert_int_equal(read_stream(&s->base, 0, rows, lost, 8), 4);
		assert_int_equal(rows[1].nr, 1);
		assert_int_equal(rows[2].nr, 3);
		assert_int_equal(rows[3].nr, 2);
		assert_int_equal(lost[0], 0);
		assert_int_equal(lost[1], 9);
		assert_int_equal(lost[2], 0);
		assert_int_equal(lost[3], 6);
		source_close(&s->base);
	}
}

static void test_streams(void **state)
{
	struct added row;
	struct spool_source *s = begin(SPOOL_MEMORY, 3);

	(void)state;
	spool_lane(s, 0, 9);			/* nothing comes */
	add(s, spool_lane(s, 2, 5), 1, 1, 8);
	add(s, spool_lane(s, 0, SPOOL_MAX_CPUS - 1), 2, 2, 8);
	add(s, spool_lane(s, 0, 2), 3, 3, 8);
	assert_int_equal(spool_lane(s, 0, SPOOL_MAX_CPUS), SPOOL_NO_LANE);
	assert_int_equal(spool_lane(s, SPOOL_MAX_BUFFERS, 0), SPOOL_NO_LANE);
	add(s, SPOOL_NO_LANE, 4, 4, 8);
	spool_lost(s, SPOOL_NO_LANE, 4, 4);
	spool_end(s);
	assert_int_equal(source_nr_streams(&s->base), 3);
	assert_int_equal(source_stream(&s->base, 0)->cpu, 2);
	assert_int_equal(source_stream(&s->base, 1)->cpu, SPOOL_MAX_CPUS - 1);
	assert_int_equal(source_stream(&s->base, 2)->buffer, 2);
	assert_int_equal(source_stream(&s->base, 2)->cpu, 5);
	assert_int_equal(source_buffer(&s->base, 1)->nr_streams, 0);
	assert_int_equal(source_buffer(&s->base, 2)->first_stream, 2);
	assert_int_equal(source_buffer(&s->base, 2)->nr_cpus, 6);
	assert_int_equal(read_stream(&s->base, 2, &row, NULL, 1), 1);
	assert_int_equal(row.nr, 1);
	assert_string_equal(source_warning(&s->base, 0).message,
			    "events left out, of a CPU above 16383 or a buffer beyond the first "
			    "256: 1");
	source_close(&s->base);
}

static void test_nothing(void **state)
{
	struct spool_source *s = begin(SPOOL_MEMORY, 1);

	(void)state;
	spool_end(s);
	assert_int_equal(source_nr_streams(&s->base), 0);
	assert_int_equal(source_nr_warnings(&s->base), 0);
	source_close(&s->base);
}

/* The file may have two pages: what is in them can be read, and the rest is counted. */
static void test_no_room(void **state)
{
	struct rlimit limit, little;
	struct added *rows = mem_array(MANY, sizeof(*rows));
	struct spool_source *s = begin(LITTLE, 1);
	unsigned int nr;
	unsigned long left_out;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_IGN);
	little = (struct rlimit){ 2 * SPOOL_PAGE_BYTES, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	for (uint32_t i = 0; i < MANY; i++)
		add(s, spool_lane(s, 0, 0), i, i, 100);
	spool_end(s);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	nr = read_stream(&s->base, 0, rows, NULL, MANY);
	assert_true(nr > 0);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(rows[i].nr, i);
	assert_int_equal(source_nr_warnings(&s->base), 1);
	assert_int_equal(sscanf(source_warning(&s->base, 0).message,
				"events left out: %lu; cannot write a temporary file", &left_out),
			 1);
	assert_int_equal(left_out, MANY - nr);
	source_close(&s->base);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order),   cmocka_unit_test(test_made),
		cmocka_unit_test(test_page_border), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_streams),     cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
