/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files of perf.data, put byte by byte in both byte orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "parsers/perf/perf_target.h"
#include "parsers/source/sub_buffer.h"
#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "tests/lib/perf_bytes.h"

#define MAX_ROWS	64u

struct row {
	uint64_t	 ts, lost;
	int		 cpu, pid, value;	/* value: of a point; else bytes of the record */
	uint64_t	 first;			/* of its numbers, if it has 8 bytes */
	uint64_t	 addresses[8];		/* of a stack */
	const char	*name;			/* its type's */
};

static struct perf_bytes p;		/* what is opened below */
static struct row rows[MAX_ROWS];
static unsigned int nr_rows;

static void read_rows(const struct source *source, struct event_types *types, unsigned int stream)
{
	struct page_reader *reader = page_reader_new(source, 1 << 20);
	const struct sub_buffer_layout *layout = &source_buffer(source, 0)->layout;

	for (uint64_t page = 0; page < source_stream_pages(source, stream); page++) {
		uint32_t nr, last;
		const uint8_t *bytes = page_reader_get(reader, stream, page, &nr, &last);
		uint64_t lost;
		struct sub_buffer sb;
		struct record rec;

		if (!bytes)
			continue;
		sub_buffer_open(&sb, layout, bytes, last);
		lost = sb.lost ? sb.lost_count : 0;
		while (sub_buffer_next(&sb, &rec) && nr_rows < MAX_ROWS) {
			const struct event_type *type = event_types_find(types,
									 load_u16(rec.data,
										  layout->swap));
			bool is_point = type && !strcmp(type->name, "point");

			rows[nr_rows++] = (struct row){
				.ts = rec.ts, .lost = lost,
				.cpu = source_stream(source, stream)->cpu,
				.pid = (int)load_u32(rec.data + 4, layout->swap),
				.value = is_point ? (int)load_u32(rec.data + 8, layout->swap) :
						    (int)rec.size,
				.first = rec.size < 16 ? 0 :
							 load_u64(rec.data + 8, layout->swap),
				.name = type ? type->name : "",
			};
			for (uint32_t i = 0; i < 8 && 24 + 8 * i <= rec.size; i++)
				rows[nr_rows - 1].addresses[i] = load_u64(rec.data + 16 + 8 * i,
									  layout->swap);
			lost = 0;
		}
		assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
	}
	page_reader_free(reader);
}

static struct event_types *read_all(const struct source *source)
{
	struct event_types *types = event_types_new(source);

	nr_rows = 0;
	for (unsigned int i = 0; i < source_nr_streams(source); i++)
		read_rows(source, types, i);
	return types;
}

static struct source *open_it(void)
{
	struct ft_error err = { 0 };
	struct source *source = fb_open(&p.b, &err);

	if (!source)
		fail_msg("byte %d: %s", (int)err.offset, err.message);
	return source;
}

static bool has_note(const struct source *source, int64_t offset, const char *words)
{
	for (unsigned int i = 0; i < source_nr_warnings(source); i++)
		if (source_warning(source, i).offset == offset &&
		    strstr(source_warning(source, i).message, words))
			return true;
	return false;
}

static void check_row(unsigned int nr, uint64_t ts, int cpu, int pid, int value, const char *name)
{
	assert_in_range(nr, 0, nr_rows - 1);
	assert_int_equal(rows[nr].ts, ts);
	assert_int_equal(rows[nr].cpu, cpu);
	assert_int_equal(rows[nr].pid, pid);
	assert_int_equal(rows[nr].value, value);
	assert_string_equal(rows[nr].name, name);
}

/* Two rounds of two CPUs, whose points are not in order. */
static void put_rounds(void)
{
	struct file_bytes *b = &p.b;

	pb_comm(b, 0, 11, "one");
	pb_point(b, 300, 0, 11, 3);
	pb_point(b, 100, 0, 11, 1);	/* of another buffer than the one before */
	pb_round(b);
	pb_point(b, 200, 0, 11, 2);
	pb_point(b, 250, 1, 12, 9);
	pb_lost(b, 400, 0, 7);
	pb_clock(b, 500, 0, 11);
	pb_end(b, pb_begin(b, 30, 0));	/* a type that no perf has yet */
	pb_round(b);
	pb_point(b, 600, 0, 11, 4);
}

/* --- tests ---------------------------------------------------------------------------------- */

static void check_rounds(void)
{
	struct source *source = open_it();
	struct event_types *types = read_all(source);
	uint64_t size;

	assert_int_equal(source_nr_warnings(source), 0);
	assert_string_equal(source_info(source)->form, "perf.data");
	assert_string_equal(source_buffer(source, 0)->clock, "perf");
	assert_int_equal(source_info(source)->big_endian, p.b.big_endian);
	assert_int_equal(source_nr_streams(source), 2);
	assert_int_equal(nr_rows, 8);
	check_row(0, 100, 0, 11, 1, "point");
	check_row(1, 200, 0, 11, 2, "point");
	check_row(2, 300, 0, 11, 3, "point");
	check_row(3, 500, 0, 11, 24 + 4, "cpu_clock");	/* with the number of its stacks */
	check_row(4, 500, 0, 11, 16 + 2 * 8, "kernel_stack");
	check_row(5, 500, 0, 11, 16 + 8 * 8, "user_stack");
	check_row(6, 600, 0, 11, 4, "point");
	check_row(7, 250, 1, 12, 9, "point");
	assert_int_equal(rows[3].lost, 7);
	assert_string_equal(source_text(source, TRACE_TEXT_CMDLINES, &size), "11 one\n");
	assert_non_null(strstr(source_text(source, TRACE_TEXT_TGIDS, &size), "11 10\n"));
	event_types_free(types);
	source_close(source);
}

static void test_rounds(void **state)
{
	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		pb_head(&p, big_endian);
		put_rounds();
		pb_tail(&p);
		check_rounds();
	}
}

/* What perf record -o - writes: the same records, and the header in others. */
static void test_pipe(void **state)
{
	struct file_bytes *b = &p.b;
	static const uint64_t types[] = { PB_POINT_TYPE, PB_CLOCK_TYPE };
	size_t at, from;

	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		*b = (struct file_bytes){ .big_endian = big_endian };
		fb_text(b, big_endian ? "2ELIFREP" : "PERFILE2");
		fb_u64(b, 16);
		for (uint64_t i = 0; i < 2; i++) {
			at = pb_begin(b, 64, 0);	/* HEADER_ATTR */
			pb_attr(b, i ? 1 : 2, i ? 0 : PB_POINT, types[i]);
			fb_u64(b, i + 1);		/* its id */
			pb_end(b, at);
		}
		at = pb_begin(b, 66, 0);		/* TRACING_DATA */
		from = fb_u32(b, 0);
		pb_end(b, at);
		at = b->len;
		pb_formats(b);
		fb_patch(b, from, b->len - at, 4);
		fb_align(b, 8);
		put_rounds();
		check_rounds();
	}
}

static void check_simpleperf(bool is_of_all)
{
	struct source *source = open_it();
	const struct source_info *info = source_info(source);

	assert_string_equal(info->writer, "perf ?: /bin/simpleperf record");
	assert_string_equal(info->event_names[0].name, "test:point");
	assert_string_equal(info->event_names[1].name, "cpu-clock");
	assert_int_equal(!*info->cuts, is_of_all);
	source_close(source);
}

/*
 * What Android's simpleperf writes: its own records may be longer than 64 KiB, and need not end at
 * a multiple of 8; formats are in their record, of either type; unknown types have their size.
 */
static void test_simpleperf(void **state)
{
	struct file_bytes *b = &p.b;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		size_t at, from;

		pb_head(&p, i & 1);
		pb_simpleperf(b, 32769, 12);
		pb_simpleperf(b, 32780, 70001);
		at = fb_u32(b, i & 2 ? 66 : 32777);
		fb_u32(b, 0);
		from = fb_u32(b, 0);
		pb_formats(b);
		fb_patch(b, from, b->len - from - 4, 4);
		fb_patch(b, at + 6, b->len - at, 2);
		pb_end(b, pb_begin(b, 100, 0));
		put_rounds();
		pb_simpleperf_tail(&p, i & 2);
		check_rounds();
		check_simpleperf(i & 2);
	}
}

/* A late record is neither lost nor moved: its page says that it goes back. */
static void test_late(void **state)
{
	struct event_types *types;
	struct source *source;

	(void)state;
	pb_head(&p, false);
	pb_point(&p.b, 100, 0, 11, 1);
	pb_point(&p.b, 200, 0, 11, 2);
	pb_round(&p.b);
	pb_round(&p.b);
	pb_point(&p.b, 150, 0, 11, 3);	/* later than a round allows */
	pb_point(&p.b, 300, 0, 11, 4);
	pb_tail(&p);
	source = open_it();
	types = read_all(source);
	assert_int_equal(nr_rows, 4);
	for (int value = 1; value <= 4; value++) {
		unsigned int i = 0;

		while (i < nr_rows && rows[i].value != value)
			i++;
		assert_int_not_equal(i, nr_rows);
		assert_int_equal(rows[i].ts, ((int[]){ 100, 200, 150, 300 })[value - 1]);
	}
	event_types_free(types);
	source_close(source);
}

/* Damage costs what is damaged. */
static void test_damage(void **state)
{
	struct event_types *types;
	struct source *source;
	size_t at;

	(void)state;
	pb_head(&p, false);
	pb_point(&p.b, 100, 0, 11, 1);
	at = pb_point(&p.b, 200, 0, 11, 2);
	for (int i = 3; i < 8; i++)
		pb_point(&p.b, 100 * (uint64_t)i, 0, 11, i);
	memset(p.b.data + at, 0, 24);
	pb_tail(&p);
	source = open_it();
	types = read_all(source);
	assert_int_equal(nr_rows, 6);
	check_row(0, 100, 0, 11, 1, "point");
	check_row(1, 300, 0, 11, 3, "point");
	check_row(5, 700, 0, 11, 7, "point");
	assert_true(has_note(source, (int64_t)at, "no record of perf is here"));
	event_types_free(types);
	source_close(source);
}

/* A perf that was killed leaves no size of the records, and no features. */
static void test_unfinished(void **state)
{
	struct event_types *types;
	struct source *source;

	(void)state;
	pb_head(&p, false);
	put_rounds();
	source = open_it();
	types = read_all(source);
	assert_int_equal(nr_rows, 8);
	assert_string_equal(rows[0].name, "tracepoint_300");
	assert_true(has_note(source, -1, "did not finish"));
	event_types_free(types);
	source_close(source);
}

/* A file that is cut anywhere is refused, or shows whole records only. */
static void test_cut(void **state)
{
	size_t whole;

	(void)state;
	pb_head(&p, false);
	put_rounds();
	pb_tail(&p);
	whole = p.b.len;
	for (size_t len = 0; len < whole; len++) {
		struct ft_error err = { 0 };
		struct source *source = fb_open_bytes(p.b.data, len, &err);

		if (!source) {
			assert_in_range(err.offset, 0, len < 40 ? 40 : len);
			continue;
		}
		assert_true(len >= 280);
		assert_int_not_equal(source_nr_warnings(source), 0);
		event_types_free(read_all(source));
		assert_in_range(nr_rows, 0, 8);
		source_close(source);
	}
}

static void refused(size_t at, uint64_t value, int64_t offset, const char *words)
{
	struct ft_error err = { 0 };

	pb_head(&p, false);
	put_rounds();
	pb_tail(&p);
	fb_patch(&p.b, at, value, 8);
	assert_null(fb_open(&p.b, &err));
	assert_int_equal(err.offset, offset);
	if (!strstr(err.message, words))
		fail_msg("\"%s\" is not in \"%s\"", words, err.message);
}

static void test_refused(void **state)
{
	(void)state;
	refused(8, 100, 8, "a header of 100 bytes; perf.data has at least 104");
	refused(16, 8, 16, "attributes of 8 bytes; they have 16 to 65535");
	refused(40, 1 << 30, 40, "records from byte 1073741824 on");
}

/* All parts that a sample can have, in the order of perf_event_open(2). */
static void test_parts(void **state)
{
	const uint64_t all = (1ull << PERF_NR_PARTS) - 1;
	struct perf_attr attr = { 0 };
	struct perf_record record = { .type = PERF_RECORD_SAMPLE };
	struct perf_sample sample;
	struct file_bytes *b = &p.b;

	(void)state;
	*b = (struct file_bytes){ .big_endian = HOST_BIG_ENDIAN };
	pb_attr(b, 2, 0, all);
	assert_true(perf_attr_read(&attr, b->data, (uint32_t)b->len, HOST_BIG_ENDIAN));
	assert_false(perf_attr_read(&attr, b->data, 63, HOST_BIG_ENDIAN));
	attr.read_format = 1 | 2 | 4 | 8 | 16;	/* times, ids, groups, lost */
	attr.regs_user = attr.regs_intr = 0x5;
	b->len = 0;
	pb_begin(b, PERF_RECORD_SAMPLE, 2);
	for (uint64_t i = 1; i <= 9; i++) /* identifier, ip, tid, time, addr, id, stream, cpu,
						 * period */
		fb_u64(b, i);
	fb_u64(b, 2);			/* read: members, enabled, running */
	for (int i = 0; i < 2 + 2 * 3; i++)
		fb_u64(b, 77);
	fb_u64(b, 1);			/* chain */
	fb_u64(b, 0xabc);
	fb_u32(b, 4);			/* raw */
	fb_u32(b, 0x12345678);
	fb_u64(b, 1);			/* branches */
	for (int i = 0; i < 3; i++)
		fb_u64(b, 77);
	fb_u64(b, 2);			/* registers of user space: abi, two of them */
	fb_u64(b, 77);
	fb_u64(b, 77);
	fb_u64(b, 8);			/* stack: bytes, its bytes, how many are set */
	fb_u64(b, 77);
	fb_u64(b, 8);
	fb_u64(b, 20);			/* weight */
	fb_u64(b, 2ull << 32 | 21);	/* weight struct */
	fb_u64(b, 22);			/* data_src */
	fb_u64(b, 23);			/* transaction */
	fb_u64(b, 0);			/* registers of the interrupt: none */
	for (uint64_t i = 24; i < 28; i++)	/* phys_addr, cgroup, page sizes */
		fb_u64(b, i);
	fb_u64(b, 0);			/* aux */
	record.data = b->data;
	record.size = (uint16_t)b->len;
	assert_true(perf_sample_read(&attr, &record, false, &sample));
	assert_int_equal(sample.values[PERF_IP], 2);
	assert_int_equal(sample.values[PERF_ADDR], 5);
	assert_int_equal(sample.values[PERF_PERIOD], 9);
	assert_int_equal(sample.nr_chain, 1);
	assert_int_equal(load_u64(sample.chain, false), 0xabc);
	assert_int_equal(sample.raw_bytes, 4);
	assert_int_equal(load_u32(sample.raw, false), 0x12345678);
	assert_int_equal(sample.values[PERF_WEIGHT] * 10 + sample.values[PERF_WEIGHT_STRUCT], 212);
	assert_int_equal(sample.values[PERF_DATA_SRC], 22);
	assert_int_equal(sample.values[PERF_TRANSACTION], 23);
	assert_int_equal(sample.values[PERF_PHYS_ADDR], 24);
	assert_int_equal(sample.values[PERF_CGROUP], 25);
	assert_int_equal(sample.values[PERF_CODE_PAGE_SIZE], 27);
	for (record.size = 8; record.size < b->len; record.size++)
		assert_false(perf_sample_read(&attr, &record, false, &sample));
}

static void expect_count(unsigned int row, uint64_t ts, const char *name, uint64_t period)
{
	assert_int_equal(rows[row].ts, ts);
	assert_string_equal(rows[row].name, name);
	assert_int_equal(rows[row].first, period);
}

/* A sample is a row of each event that has counted on; each task has counts of its own. */
static void test_counts(void **state)
{
	(void)state;
	for (int variant = 0; variant < 4; variant++) {
		bool is_group = variant & 1;
		struct source *source;
		struct event_types *types;
		unsigned int row = 0;

		pb_head(&p, variant & 2);
		pb_with_counts(&p, PERF_READ_ID | (is_group ? PERF_READ_GROUP : 0));
		pb_counted(&p.b, 100, 0, 11, 1000, is_group ? 3 : -1);
		pb_counted(&p.b, 200, 0, 11, 1500, is_group ? 3 : -1);
		pb_counted(&p.b, 300, 0, 12, 40, is_group ? 0 : -1);
		pb_counted(&p.b, 400, 0, 11, 1500, is_group ? 3 : -1);
		pb_counted(&p.b, 500, 0, 11, 1507, is_group ? 5 : -1);
		pb_tail(&p);
		source = open_it();
		types = read_all(source);
		assert_int_equal(nr_rows, is_group ? 6 : 4);
		expect_count(row++, 100, "cpu_clock", 1000);
		if (is_group)
			expect_count(row++, 100, "type_2_12c", 3);
		expect_count(row++, 200, "cpu_clock", 500);
		expect_count(row++, 300, "cpu_clock", 40);
		expect_count(row++, 500, "cpu_clock", 7);
		if (is_group)
			expect_count(row++, 500, "type_2_12c", 2);
		assert_string_equal(source_info(source)->left_out, "");
		event_types_free(types);
		source_close(source);
	}
}

/* Records that are events of their own, and what is counted as left out. */
static void test_records(void **state)
{
	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct source *source;
		struct event_types *types;

		pb_head(&p, big_endian);
		pb_point(&p.b, 100, 0, 11, 1);
		pb_bare(&p.b, PERF_RECORD_THROTTLE, 0, 200, 0, 11);
		pb_bare(&p.b, PERF_RECORD_SWITCH, 1 << 13, 300, 0, 11);
		pb_bare(&p.b, PERF_RECORD_NAMESPACES, 0, 350, 0, 11);
		pb_tail(&p);
		source = open_it();
		types = read_all(source);
		assert_int_equal(nr_rows, 3);
		assert_string_equal(rows[1].name, "throttle");
		assert_int_equal(rows[1].ts, 200);
		assert_int_equal(rows[1].value, 8);
		assert_string_equal(rows[2].name, "switch");
		assert_int_equal(rows[2].pid, 11);
		assert_int_equal(rows[2].value, 16);
		assert_string_equal(source_info(source)->left_out, "namespaces of tasks: 1");
		event_types_free(types);
		source_close(source);
	}
}

/* Stacks of user space that are copies are not unwound: a note says so. */
static void test_stack_copies(void **state)
{
	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct source *source;
		size_t at;

		pb_head(&p, big_endian);
		fb_patch(&p.b, 224, PB_CLOCK_TYPE | 1 << PERF_STACK_USER, 8);
		at = p.b.len;
		pb_clock(&p.b, 500, 0, 11);
		fb_u64(&p.b, 0);		/* bytes of the stack */
		fb_patch(&p.b, at + 6, p.b.len - at, 2);
		pb_tail(&p);
		source = open_it();
		assert_true(has_note(source, -1, "--call-graph dwarf"));
		assert_false(source_is_damaged(source));
		source_close(source);
	}
}

static void check_stack(unsigned int row, const char *name, uint64_t from, unsigned int nr)
{
	assert_in_range(row, 0, nr_rows - 1);
	assert_string_equal(rows[row].name, name);
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(rows[row].addresses[i], i < nr ? from + i : 0);
}

/*
 * The chain of user space that has the sample's cookie, and is of its task: the first one, as one
 * comes for each event.  A sample that waits in vain has that of the kernel, and a note says so.
 */
static void test_deferred(void **state)
{
	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct source *source;
		struct event_types *types;

		pb_head(&p, big_endian);
		pb_deferring(&p.b, 100, 0, 11, 77);
		pb_deferring(&p.b, 200, 1, 11, 77);	/* the task has moved on */
		pb_deferring(&p.b, 250, 0, 12, 77);	/* of another task */
		pb_round(&p.b);
		pb_deferred(&p.b, 300, 1, 11, 77, 0x21, 3);
		pb_deferred(&p.b, 300, 1, 11, 77, 0x91, 2);
		pb_deferring(&p.b, 400, 1, 11, 78);
		pb_deferred(&p.b, 500, 1, 11, 78, 0x31, 0);	/* nothing was found */
		pb_deferring(&p.b, 600, 1, 11, 79);
		pb_deferred(&p.b, 700, 1, 11, 79, 0x41, 1);
		pb_clock(&p.b, 800, 1, 11);
		pb_tail(&p);
		source = open_it();
		types = read_all(source);
		assert_int_equal(nr_rows, 16);
		/* CPU 0 */
		check_stack(1, "kernel_stack", 0x11, 2);
		check_stack(2, "user_stack", 0x21, 3);
		assert_int_equal(rows[2].value, 16 + 64);
		assert_int_equal(rows[3].ts, 250);
		check_stack(4, "kernel_stack", 0x11, 2);
		/* CPU 1 */
		assert_int_equal(rows[5].ts, 200);
		check_stack(7, "user_stack", 0x21, 3);
		assert_int_equal(rows[8].ts, 400);
		check_stack(9, "kernel_stack", 0x11, 2);
		assert_int_equal(rows[10].ts, 600);
		check_stack(12, "user_stack", 0x41, 1);
		check_stack(15, "user_stack", 0x21, 1);
		assert_true(has_note(source, -1, "that are not in the file: 1;"));
		assert_false(source_is_damaged(source));
		event_types_free(types);
		source_close(source);
	}
}

/* Numbers that the record does not have are no reason to read beyond it. */
static void test_deferred_hostile(void **state)
{
	static const uint64_t numbers[] = { 4, 513, UINT64_MAX, UINT64_MAX / 8 + 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct source *source;
		struct event_types *types;
		size_t at;

		pb_head(&p, false);
		pb_deferring(&p.b, 100, 0, 11, 77);
		at = p.b.len;
		pb_deferred(&p.b, 300, 0, 11, 77, 0x21, 3);
		fb_patch(&p.b, at + 16, numbers[i], 8);
		pb_tail(&p);
		source = open_it();
		types = read_all(source);
		assert_int_equal(nr_rows, 2);
		assert_true(has_note(source, -1, "that are not in the file: 1;"));
		event_types_free(types);
		source_close(source);
	}
}

static void put_map(uint64_t ts, uint64_t from, uint64_t bytes, const char *path)
{
	size_t at = pb_begin(&p.b, PERF_RECORD_MMAP, 2);

	fb_u32(&p.b, 10);		/* pid, tid */
	fb_u32(&p.b, 11);
	fb_u64(&p.b, from);
	fb_u64(&p.b, bytes);
	fb_u64(&p.b, 0x10000);		/* in the file */
	fb_string(&p.b, path);
	fb_align(&p.b, 8);
	pb_trailer(&p.b, 11, ts, 0);
	pb_end(&p.b, at);
}

/*
 * A mapping in the middle of another one leaves what is before it and behind it.  One without a
 * file has code that was made at run time: it is named as perf names it.
 */
static void test_maps(void **state)
{
	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct source *source;
		uint64_t size;

		pb_head(&p, big_endian);
		put_map(100, 0x1000, 0x2000, "/bin/a");
		put_map(200, 0x1800, 0x800, "//anon");
		pb_tail(&p);
		source = open_it();
		assert_string_equal(source_text(source, TRACE_TEXT_USER_SYMBOLS, &size),
				    "file - offset /bin/a\n"
				    "file - offset /tmp/perf-10.map\n"
				    "map 10 1000-3000 10000 100 199 0\n"
				    "map 10 1000-1800 10000 200 18446744073709551615 0\n"
				    "map 10 2000-3000 11000 200 18446744073709551615 0\n"
				    "map 10 1800-2000 1800 200 18446744073709551615 1\n");
		source_close(source);
	}
}

/* perf_record_header_build_id; @nr: bytes of the id; an old perf does not tell that. */
static void put_build_id(uint8_t nr, bool has_length, const char *path)
{
	size_t at = pb_begin(&p.b, 67, has_length ? 0x8002 : 2);

	fb_u32(&p.b, UINT32_MAX);	/* pid */
	for (uint8_t i = 0; i < 20; i++)
		fb_u8(&p.b, i < nr ? 0xa0 + i : 0);
	fb_u8(&p.b, has_length ? nr : 0);
	for (int i = 0; i < 3; i++)
		fb_u8(&p.b, 0);
	fb_string(&p.b, path);
	pb_end(&p.b, at);
}

/* Mappings have the build IDs that the header tells of their files. */
static void test_build_ids(void **state)
{
	static const char *const paths[] = { "/bin/a", "/bin/b", "/bin/c", "/bin/d", "/bin/e" };
	static const char expected[] =
		"file a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3 offset /bin/a\n"
		"file a0a1a2a3a4a5a6a7 offset /bin/b\n"
		"file a0a1a2a3a4a5a6a7 offset /bin/c\n"
		"file a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3 offset /bin/d\n"
		"file - offset /bin/e\n";

	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct source *source;
		uint64_t size;
		size_t at;

		pb_head(&p, big_endian);
		at = pb_begin(&p.b, PERF_RECORD_HEADER_FEATURE, 0);
		fb_u64(&p.b, 2);
		put_build_id(20, false, "/bin/a");
		put_build_id(8, true, "/bin/b");
		put_build_id(8, false, "/bin/c");
		put_build_id(255, true, "/bin/d");
		pb_end(&p.b, at);
		for (unsigned int i = 0; i < 5; i++)
			put_map(100, 0x1000 * (i + 1), 0x1000, paths[i]);
		pb_tail(&p);
		source = open_it();
		assert_memory_equal(source_text(source, TRACE_TEXT_USER_SYMBOLS, &size), expected,
				    sizeof(expected) - 1);
		source_close(source);
	}
}

/* Of which tasks events are: by event, or by the map of tasks. */
static void check_targets(int big_endian, const char *cuts)
{
	struct source *source;

	pb_point(&p.b, 100, 0, 11, 1);
	pb_tail(&p);
	source = open_it();
	assert_string_equal(source_info(source)->cuts, cuts);
	source_close(source);
	pb_head(&p, big_endian);
}

static void test_targets(void **state)
{
	static const char tasks[] = SOURCE_CUT_OF_TASKS " (perf record without -a)\n";

	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		pb_head(&p, big_endian);
		check_targets(big_endian, "");
		pb_thread_map(&p.b, 11);
		check_targets(big_endian, tasks);
		pb_thread_map(&p.b, (uint64_t)-1);
		check_targets(big_endian, "");
		pb_thread_map(&p.b, 11);
		pb_id_index(&p.b, 1, (uint64_t)-1);	/* the tracepoint is of all tasks */
		pb_id_index(&p.b, 2, 11);
		check_targets(big_endian, "");
		pb_id_index(&p.b, 1, 11);
		check_targets(big_endian, tasks);
	}
}

/* Without these records, by the command line; -G is in none of them. */
static void test_command_lines(void **state)
{
	static const struct {
		const char *line;
		enum perf_target map;
		bool is_tasks;
	} lines[] = {
		{ "/usr/bin/perf record -a -e sched:* make -p all", PERF_OF_UNKNOWN, false },
		{ "/usr/bin/perf record -e sched:* -p 11", PERF_OF_UNKNOWN, true },
		{ "/usr/bin/perf record -e sched:* --tid=11", PERF_OF_UNKNOWN, true },
		{ "/usr/bin/perf record -e sched:* --tid=11", PERF_OF_ALL, false },
		{ "/usr/bin/perf record -a -e sched:* -G web", PERF_OF_ALL, true },
		{ "/usr/bin/perf record -qa cmake -G Ninja", PERF_OF_ALL, false },
		{ "/usr/bin/perf record -F 99 -a -- cmake -G Ninja", PERF_OF_ALL, false },
		{ NULL, PERF_OF_UNKNOWN, false },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct perf_attr attr = { .type = PERF_TYPE_TRACEPOINT };
		struct perf_file file = { .attrs = &attr, .nr_attrs = 1, .target = lines[i].map,
					  .cmdline = (char *)lines[i].line };

		assert_int_equal(perf_target_is_tasks(&file), lines[i].is_tasks);
	}
}

/* perf record -C 1,3 of four CPUs is a part of the machine; of all of them it is not. */
static void test_chosen_cpus(void **state)
{
	struct perf_file file = { .nr_online = 4 };
	struct text cuts = { 0 };
	bool is_new;

	(void)state;
	perf_target_cut(&file, &cuts);
	assert_string_equal(text_str(&cuts), "");
	number_set_add(&file.cpus, 1, &is_new);
	number_set_add(&file.cpus, 3, &is_new);
	perf_target_cut(&file, &cuts);
	assert_string_equal(text_str(&cuts), "--cpu=1,3\n");
	text_clear(&cuts);
	file.nr_online = 2;
	perf_target_cut(&file, &cuts);
	assert_string_equal(text_str(&cuts), "");
	text_fini(&cuts);
	number_set_fini(&file.cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_simpleperf),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_unfinished),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_stack_copies),
		cmocka_unit_test(test_deferred), cmocka_unit_test(test_deferred_hostile),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_command_lines),
		cmocka_unit_test(test_chosen_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
