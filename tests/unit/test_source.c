/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source of ten records in memory: all that a form of traces needs, and what its readers see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "parsers/pages/page_reader.h"
#include "parsers/source/sub_buffer.h"
#include "parsers/source/page_maker.h"
#include "parsers/source/source_form.h"
#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/base/memory.h"

#define PAGE		256u
#define RECORD		16u		/* common fields, and one number */
#define RECORDS		10u
#define PER_PAGE	4u		/* the rest is on a third page */
#define LOST_BEFORE	1u		/* page */

/* --- the form --------------------------------------------------------------- */

static const char format[] =
	"name: tick\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 nr;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"nr=%llu\", REC->nr\n";

static uint64_t stamp_of(uint32_t nr)	/* steps that no delta of 27 bits can hold */
{
	return 1000 + (uint64_t)nr * (1ull << 40) + nr;
}

static uint64_t stream_bytes(const struct source *source, unsigned int stream)
{
	(void)source;
	(void)stream;
	return (RECORDS + PER_PAGE - 1) / PER_PAGE * PAGE;
}

static uint32_t read_page(struct source_reader *reader, unsigned int stream, uint64_t page,
			  uint32_t max, uint8_t *to, uint32_t *last)
{
	const struct sub_buffer_layout layout = page_maker_layout(PAGE, HOST_BIG_ENDIAN);
	struct page_maker maker;

	(void)reader;
	(void)stream;
	(void)max;
	page_maker_begin(&maker, &layout, to);
	if (page == LOST_BEFORE)
		page_maker_lost(&maker, stamp_of(PER_PAGE), 3);
	for (uint32_t nr = (uint32_t)page * PER_PAGE; nr < RECORDS; nr++) {
		uint8_t *to_record = page_maker_room(&maker, RECORD);
		const uint16_t type = 7;
		const int32_t pid = 100 + (int32_t)nr;
		const uint64_t value = nr * 11;

		if (nr == (page + 1) * PER_PAGE)
			break;
		assert_non_null(to_record);
		memset(to_record, 0, RECORD);
		memcpy(to_record, &type, sizeof(type));
		memcpy(to_record + 4, &pid, sizeof(pid));
		memcpy(to_record + 8, &value, sizeof(value));
		page_maker_add(&maker, stamp_of(nr), RECORD);
	}
	*last = page_maker_end(&maker);
	return 1;
}

static void formats(const struct source *source, struct source_formats *out)
{
	(void)source;
	source_add_format(out, &(struct source_format){ .system = "memory", .text = format,
							.size = sizeof(format) - 1, .id = 7 });
}

static const struct source_ops ops = {
	.form = "memory",
	.stream_bytes = stream_bytes, .read = read_page, .formats = formats,
};

static struct source *ten_records(void)
{
	const struct source_start start = { .path = "memory", .fd = -1 };
	struct source *source = source_new(sizeof(*source), &ops, &start);

	source->buffers = mem_array(1, sizeof(*source->buffers));
	source->nr_buffers = 1;
	source->buffers[0] = (struct source_buffer){ .name = "",
						     .clock = "local",
						     .nr_cpus = 1,
						     .nr_streams = 1,
						     .layout = page_maker_layout(PAGE,
										 HOST_BIG_ENDIAN) };
	source->streams = mem_array(1, sizeof(*source->streams));
	source->nr_streams = 1;
	return source;
}

/* --- what readers see ------------------------------------------------------- */

static void test_records(void **state)
{
	struct source *source = ten_records();
	struct page_reader *reader = page_reader_new(source, 4 * PAGE);
	struct event_types *types = event_types_new(source);
	const struct event_type *tick = event_types_find(types, 7);
	const struct event_field *field = tick ? event_type_field(tick, "nr") : NULL;
	uint32_t seen = 0;

	(void)state;
	assert_non_null(field);
	assert_string_equal(source_info(source)->form, "memory");
	assert_string_equal(tick->system, "memory");
	assert_int_equal(source_stream_pages(source, 0), 3);
	for (uint64_t page = 0; page < 3; page++) {
		struct sub_buffer sb;
		struct record rec;
		uint32_t nr, last;
		const uint8_t *bytes = page_reader_get(reader, 0, page, &nr, &last);

		assert_non_null(bytes);
		assert_int_equal(nr, 1);
		sub_buffer_open(&sb, &source_buffer(source, 0)->layout, bytes, last);
		assert_int_equal(sb.lost, page == LOST_BEFORE);
		assert_int_equal(sb.lost_count, page == LOST_BEFORE ? 3 : 0);
		for (; sub_buffer_next(&sb, &rec); seen++) {
			assert_int_equal(rec.ts, stamp_of(seen));
			assert_int_equal(rec.size, RECORD);
			assert_int_equal(field_u64(field, rec.data, rec.size, false), seen * 11);
		}
		assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
	}
	assert_int_equal(seen, RECORDS);
	event_types_free(types);
	page_reader_free(reader);
	source_close(source);
}

static void test_nothing_else(void **state)
{
	struct source *source = ten_records();
	struct page_reader *reader = page_reader_new(source, PAGE);
	uint64_t size = 1;
	uint32_t nr, last;
	uint8_t to[PAGE];

	(void)state;
	assert_null(page_reader_get(reader, 0, 3, &nr, &last));
	assert_null(page_reader_get(reader, 1, 0, &nr, &last));
	assert_int_equal(page_reader_copy(reader, 0, 3, 1, to, &last), 0);
	assert_int_equal(page_reader_copy(reader, 0, 2, 1, to, &last), 1);
	assert_false(page_reader_sum(reader, 0, 0, NULL, NULL));
	assert_int_equal(page_reader_offset(reader, 0, 2), 0);
	assert_string_equal(source_text(source, TRACE_TEXT_KALLSYMS, &size), "");
	assert_int_equal(size, 0);
	assert_non_null(source_format_by_id(source, 7));
	assert_null(source_format_by_id(source, 8));
	assert_false(source_is_head(source));
	assert_int_equal(source_read_rest(source), 0);
	assert_int_equal(source_nr_warnings(source), 0);
	page_reader_free(reader);
	source_close(source);
}

/* A page that is full takes no more; an empty one is valid. */
static void test_full(void **state)
{
	const struct sub_buffer_layout layout = page_maker_layout(PAGE, HOST_BIG_ENDIAN);
	uint8_t page[PAGE];
	struct page_maker maker;
	struct sub_buffer sb;
	struct record rec;
	uint8_t *to;
	unsigned int added = 0, read = 0;

	(void)state;
	page_maker_begin(&maker, &layout, page);
	sub_buffer_open(&sb, &layout, page, page_maker_end(&maker));
	assert_false(sub_buffer_next(&sb, &rec));
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);

	page_maker_lost(&maker, 5, 9);
	while ((to = page_maker_room(&maker, RECORD))) {
		memset(to, 0, RECORD);
		page_maker_add(&maker, PAGE_MAKER_MAX_TS - 100 + added++, RECORD);
	}
	assert_int_equal(added, (PAGE - 16 - 8) / (16 + RECORD));	/* headers, count of lost */
	sub_buffer_open(&sb, &layout, page, page_maker_end(&maker));
	for (; sub_buffer_next(&sb, &rec); read++)
		assert_int_equal(rec.ts, PAGE_MAKER_MAX_TS - 100 + read);
	assert_int_equal(read, added);
	assert_int_equal(sb.lost_count, 9);
}

/* Whole records: with short headers where stamps are near and records short, else with stamps. */
static void test_put(void **state)
{
	static const struct {
		uint64_t	 ts;
		uint32_t	 bytes, stored, header;
	} rows[] = {
		{ 1ull << 58 | 7, 8, 8, 4 },
		{ 1ull << 58 | 7, 9, 12, 4 },
		{ (1ull << 58 | 7) + (1 << 27) - 1, 112, 112, 4 },
		{ (1ull << 58 | 7) + (1 << 28) - 1, 11, 12, 16 },	/* a delta has 27 bits */
		{ (1ull << 58 | 7) + (1 << 28), 113, 116, 16 },		/* its length is a word */
		{ 1ull << 58, 8, 8, 16 },				/* time goes back */
		{ 1ull << 58 | 9, 8, 8, 4 },
	};
	const struct sub_buffer_layout layout = page_maker_layout(1024, HOST_BIG_ENDIAN);
	uint8_t page[1024], record[116];
	uint32_t at = 16;
	struct page_maker maker;
	struct sub_buffer sb;
	struct record rec;

	(void)state;
	page_maker_begin(&maker, &layout, page);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(record, (int)i + 1, sizeof(record));
		assert_true(page_maker_put(&maker, rows[i].ts, record, rows[i].bytes));
	}
	sub_buffer_open(&sb, &layout, page, page_maker_end(&maker));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(sub_buffer_next(&sb, &rec));
		assert_int_equal(rec.ts, rows[i].ts);
		assert_int_equal(rec.size, rows[i].stored);
		assert_ptr_equal(rec.data, page + at + rows[i].header);
		for (uint32_t k = 0; k < rec.size; k++)
			assert_int_equal(rec.data[k], k < rows[i].bytes ? i + 1 : 0);
		at += rows[i].header + rows[i].stored;
	}
	assert_false(sub_buffer_next(&sb, &rec));
	assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
	assert_false(page_maker_put(&maker, 1ull << 58 | 9, record, 1024));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_nothing_else),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_put),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
