/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The container of v6 and v7 from bytes put by hand: what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "parsers/open/open.h"
#include "parsers/file/trace_file.h"
#include "parsers/io/byte_reader.h"
#include "tests/lib/opened_bytes.h"

static void check_metadata(const struct source *file, bool big_endian, int long_size)
{
	const struct source_info *info = source_info(file);
	const struct trace_time_shift *shift;
	const struct source_format *format;
	const struct source_guest *guest;
	bool interpolate;
	uint64_t peer;

	assert_int_equal(info->big_endian, big_endian);
	assert_int_equal(info->user_long_size, long_size);
	assert_int_equal(info->page_size, SMALL_PAGE);
	assert_string_equal(info->compression, "none");
	assert_int_equal(info->size, t.b.len);
	assert_string_equal(info->uname, "Linux host 6.1.0 x86_64");
	assert_string_equal(info->writer, "3.4");
	assert_string_equal(info->clock_text, "local [global]");
	assert_true(info->has_trace_clock && info->has_date && info->has_offset &&
		    info->has_tsc2nsec);
	assert_int_equal(info->date_us, 16);
	assert_int_equal(info->offset_ns, -250);
	assert_int_equal(info->tsc_mult, 1000);
	assert_int_equal(info->tsc_shift, 10);
	assert_int_equal(info->tsc_offset, 7);
	assert_true(info->has_trace_id && info->trace_id == 0x1122334455667788);
	/* 300 200 200 become 200 300; of the two at 200 the first is kept */
	shift = source_time_shift(file, 0, &interpolate, &peer);
	assert_non_null(shift);
	assert_true(interpolate && peer == 99);
	assert_int_equal(shift->nr, 2);
	assert_int_equal(shift->times[0], 200);
	assert_int_equal(shift->offsets[0], -2);
	assert_int_equal(shift->scaling[0], 11);
	assert_int_equal(shift->fraction[0], 21);
	assert_int_equal(shift->times[1], 300);
	assert_int_equal(shift->offsets[1], -1);
	assert_null(source_time_shift(file, 1, NULL, NULL));
	guest = source_guest(file, 0);
	assert_non_null(guest);
	assert_string_equal(guest->name, "vm");
	assert_true(guest->trace_id == 0x8877665544332211);
	assert_int_equal(guest->nr, 2);
	assert_int_equal(guest->vcpus[0].cpu, 1);
	assert_int_equal(guest->vcpus[0].pid, 612);
	assert_int_equal(guest->vcpus[1].pid, 611);
	assert_null(source_guest(file, 1));
	check_text(file, TRACE_TEXT_HEADER_EVENT, "# compressed entry");
	check_text(file, TRACE_TEXT_KALLSYMS, SMALL_KALLSYMS);
	check_text(file, TRACE_TEXT_PRINTK, SMALL_PRINTK);
	check_text(file, TRACE_TEXT_CMDLINES, SMALL_CMDLINES);
	check_text(file, TRACE_TEXT_BTF, "");
	assert_int_equal(source_nr_formats(file), 5);
	format = source_format(file, 2);
	assert_string_equal(format->system, "sched");
	assert_int_equal(format->id, 314);
	assert_memory_equal(format->text, "name: sched_switch\n", 19);
	assert_ptr_equal(source_format_by_id(file, 315), source_format(file, 3));
	/* the first one wins */
	assert_string_equal(source_format_by_id(file, 5)->system, "ftrace");
	assert_null(source_format_by_id(file, 6));
	assert_null(source_format_by_id(file, -1));
	assert_null(source_format(file, 5));
}

static void check_stream(const struct source *file, unsigned int i, int buffer, int cpu,
			 uint64_t offset, uint64_t size)
{
	const struct source_stream *s = source_stream(file, i);
	struct page_reader *reader = page_reader_new(file, 1);
	uint32_t nr, last;

	assert_int_equal(s->buffer, buffer);
	assert_int_equal(s->cpu, cpu);
	assert_int_equal(s->offset, offset);
	assert_int_equal(s->file_size, size);
	assert_false(s->chunked);
	assert_int_equal(source_stream_bytes(file, i), size);
	if (size) {
		const struct sub_buffer_layout *layout = &source_buffer(file, buffer)->layout;
		const uint8_t *page = page_reader_get(reader, i, 0, &nr, &last);

		assert_non_null(page);
		assert_int_equal(nr, 1);
		assert_int_equal(last, layout->page_size);
		assert_int_equal(page[layout->data_offset], 0x10 + cpu);
		assert_int_equal(page_reader_offset(reader, i, 0), offset);
	}
	assert_null(page_reader_get(reader, i, source_stream_pages(file, i), &nr, &last));
	page_reader_free(reader);
}

static void check_layout(const struct source_buffer *buffer, uint32_t page_size, bool big_endian,
			 int long_size)
{
	assert_int_equal(buffer->layout.page_size, page_size);
	assert_int_equal(buffer->layout.data_offset, 8 + long_size);
	assert_int_equal(buffer->layout.commit_offset, 8);
	assert_int_equal(buffer->layout.long_size, long_size);
	assert_int_equal(buffer->layout.big_endian, big_endian);
	assert_int_equal(buffer->layout.swap, big_endian != HOST_BIG_ENDIAN);
}

static void check_v6(bool big_endian, int long_size)
{
	struct source *file;
	const struct source_buffer *buffer;

	small_v6(&t, big_endian, long_size);
	file = open_sound();
	assert_int_equal(source_nr_warnings(file), 0);
	assert_int_equal(source_info(file)->version, 6);
	assert_int_equal(source_info(file)->cpu_count, 3);
	check_metadata(file, big_endian, long_size);
	assert_int_equal(source_nr_buffers(file), 2);
	buffer = source_buffer(file, 0);
	assert_string_equal(buffer->name, "");
	assert_string_equal(buffer->clock, "global");
	assert_int_equal(buffer->nr_cpus, 3);
	assert_int_equal(buffer->nr_streams, 3);
	check_layout(buffer, SMALL_PAGE, big_endian, long_size);
	buffer = source_buffer(file, 1);
	assert_string_equal(buffer->name, "inst");
	assert_string_equal(buffer->clock, "mono");
	assert_int_equal(buffer->first_stream, 3);
	assert_int_equal(buffer->nr_streams, 1);
	check_layout(buffer, SMALL_PAGE, big_endian, long_size);
	assert_int_equal(source_nr_streams(file), 4);
	check_stream(file, 0, 0, 0, t.data[0], 2 * SMALL_PAGE);
	check_stream(file, 1, 0, 1, t.data[1], 0);
	check_stream(file, 2, 0, 2, t.data[1], SMALL_PAGE);
	check_stream(file, 3, 1, 0, t.data[2], SMALL_PAGE);
	assert_null(source_stream(file, 4));
	assert_null(source_buffer(file, 2));
	source_close(file);
}

static void check_v7(bool big_endian, int long_size)
{
	const struct source_buffer *buffer;
	const struct trace_file_option *option = NULL;
	struct source *file;

	small_v7(&t, big_endian, long_size);
	file = open_sound();
	assert_int_equal(source_nr_warnings(file), 0);
	assert_int_equal(source_info(file)->version, 7);
	assert_int_equal(source_info(file)->cpu_count, 6);
	check_metadata(file, big_endian, long_size);
	assert_int_equal(source_nr_buffers(file), 2);
	buffer = source_buffer(file, 0);
	assert_string_equal(buffer->clock, "global");
	assert_int_equal(buffer->nr_cpus, 6);
	check_layout(buffer, SMALL_PAGE, big_endian, long_size);
	buffer = source_buffer(file, 1);
	assert_string_equal(buffer->name, "inst");
	assert_string_equal(buffer->clock, "mono");
	check_layout(buffer, 2 * SMALL_PAGE, big_endian, long_size);
	assert_int_equal(source_nr_streams(file), 3);
	check_stream(file, 0, 0, 0, t.data[0], 2 * SMALL_PAGE);
	check_stream(file, 1, 0, 5, t.data[1], SMALL_PAGE);
	check_stream(file, 2, 1, 1, t.data[2], 2 * SMALL_PAGE);
	for (unsigned int i = 0; i < trace_file_nr_options(file); i++)
		if (trace_file_option(file, i)->id == 1234)
			option = trace_file_option(file, i);
	assert_non_null(option);
	assert_int_equal(option->size, 7);
	assert_memory_equal(option->data, "private", 7);
	assert_memory_equal(t.b.data + option->offset, "private", 7);
	source_close(file);
}

static void test_v6(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		check_v6(i & 1, i & 2 ? 8 : 4);
}

static void test_v7(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		check_v7(i & 1, i & 2 ? 8 : 4);
}

/* The kernel's long is that of header_page, whatever user space had. */
static void test_kernel_long(void **state)
{
	struct source *file;

	(void)state;
	small_v7(&t, false, 8);
	t.b.data[13] = 4;
	file = open_sound();
	assert_int_equal(source_info(file)->user_long_size, 4);
	assert_int_equal(source_buffer(file, 0)->layout.long_size, 8);
	assert_int_equal(source_buffer(file, 0)->layout.data_offset, 16);
	source_close(file);
}

/* A stream that is two holes of the file with a sub-buffer between them has one sub-buffer. */
static void test_holes(void **state)
{
	static const uint64_t hole = 1ull << 40, at = 1 << 20;
	uint8_t page[SMALL_PAGE] = { 0 };
	struct ft_error err = { 0 };
	struct source *file;
	char path[64];
	int fd;

	(void)state;
	small_v6(&t, false, 8);
	fb_patch(&t.b, t.table + 10, at, 8);
	fb_patch(&t.b, t.table + 18, 2 * hole + SMALL_PAGE, 8);
	memset(page, 0x10, sizeof(page));
	fd = fb_memfd(t.b.data, t.b.len);
	assert_int_equal(pwrite(fd, page, sizeof(page), (off_t)(at + hole)), sizeof(page));
	assert_int_equal(ftruncate(fd, (off_t)(at + 2 * hole + SMALL_PAGE)), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = source_open(path, -1, &err);
	assert_non_null(file);
	/* the system knows holes in pages of its own */
	assert_in_range(source_stream(file, 0)->offset, at + hole - 65536, at + hole);
	assert_in_range(source_stream_bytes(file, 0), SMALL_PAGE, 2 * 65536);
	assert_int_equal(source_stream_bytes(file, 2), SMALL_PAGE);
	source_close(file);
	close(fd);
}

static void test_v6_latency(void **state)
{
	static const char text[] = "# tracer: irqsoff\n#\n  cat-1 0d..1. 1us : x\n";
	struct source *file;
	uint64_t size;

	(void)state;
	small_v6(&t, true, 4);
	t.b.len = t.table;
	fb_string(&t.b, "latency  ");
	fb_text(&t.b, text);
	file = open_sound();
	assert_true(source_buffer(file, 0)->is_text);
	assert_int_equal(source_buffer(file, 0)->nr_cpus, 3);
	assert_int_equal(source_nr_streams(file), 1);
	assert_string_equal(trace_file_latency_text(file, 0, &size), text);
	assert_int_equal(size, strlen(text));
	assert_string_equal(trace_file_latency_text(file, 7, &size), "");
	source_close(file);
}

static void test_v7_latency(void **state)
{
	static const char text[] = "# tracer: wakeup\n";
	size_t section, options;
	struct source *file;
	uint64_t size;

	(void)state;
	small_v7(&t, false, 8);
	t.b.len = t.buffer_section;
	section = fb_section(&t.b, TRACE_OPTION_BUFFER_TEXT, 0);
	fb_text(&t.b, text);
	fb_section_end(&t.b, section);
	options = fb_section(&t.b, TRACE_OPTION_DONE, 0);
	fb_patch(&t.b, t.buffer_section - 8, options, 8);	/* DONE of the first options */
	t.buffer_option = fb_option(&t.b, TRACE_OPTION_BUFFER_TEXT);
	fb_u64(&t.b, section);
	fb_string(&t.b, "");
	fb_string(&t.b, "local");
	fb_option_end(&t.b, t.buffer_option);
	small_section_option(&t, TRACE_OPTION_DONE, 0);
	fb_section_end(&t.b, options);
	file = open_sound();
	assert_int_equal(source_nr_warnings(file), 0);
	assert_true(source_buffer(file, 0)->is_text);
	assert_int_equal(source_buffer(file, 0)->nr_cpus, 6);
	assert_string_equal(trace_file_latency_text(file, 0, &size), text);
	source_close(file);
}

/* A file without a top buffer: it is there all the same, empty. */
static void test_v7_named_only(void **state)
{
	struct source *file;

	(void)state;
	small_v7(&t, false, 8);
	fb_patch(&t.b, t.buffer_option, 1235, 2);	/* no BUFFER any more */
	file = open_sound();
	assert_int_equal(source_nr_buffers(file), 2);
	assert_int_equal(source_buffer(file, 0)->nr_streams, 0);
	assert_int_equal(source_buffer(file, 1)->nr_streams, 1);
	assert_int_equal(source_stream(file, 0)->buffer, 1);
	source_close(file);
}

/* Offsets beyond 32 bits, and the largest sub-buffers the kernel has. */
static void test_large_file(void **state)
{
	const uint64_t place = ((uint64_t)5 << 30) + 512, page_size = 512 << 10;
	struct ft_error err = { 0 };
	struct page_reader *reader;
	struct source *file;
	const uint8_t *data;
	uint32_t nr, last;
	char path[64];
	size_t table;
	int fd;

	(void)state;
	small_v7(&t, false, 8);
	table = t.buffer_option + 6 + 8 + 1 + 7;
	fb_patch(&t.b, table, page_size, 4);
	fb_patch(&t.b, table + 28 + 4, place, 8);		/* CPU 0 */
	fb_patch(&t.b, table + 28 + 12, 3 * page_size, 8);
	fd = fb_memfd(t.b.data, t.b.len);
	assert_int_equal(ftruncate(fd, (off_t)(place + 3 * page_size)), 0);
	assert_int_equal(pwrite(fd, "one", 3, (off_t)place), 3);
	assert_int_equal(pwrite(fd, "five", 4, (off_t)(place + 2 * page_size)), 4);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = source_open(path, -1, &err);
	assert_non_null(file);
	assert_int_equal(source_nr_warnings(file), 0);
	assert_true(source_info(file)->size == place + 3 * page_size);
	assert_true(source_stream(file, 0)->offset == place);
	assert_int_equal(source_stream_pages(file, 0), 3);
	reader = page_reader_new(file, 4096);
	data = page_reader_get(reader, 0, 2, &nr, &last);
	assert_non_null(data);
	assert_int_equal(last, page_size);
	assert_memory_equal(data, "five", 5);
	assert_true(page_reader_offset(reader, 0, 2) == place + 2 * page_size);
	page_reader_free(reader);
	source_close(file);
	close(fd);
}

/* Many small claims that add up: all instances have the same table of 65536 CPUs. */
static void test_v6_many_cpus(void **state)
{
	struct ft_error err = { 0 };
	struct source *file;
	char path[64];
	int fd;

	(void)state;
	small_v6(&t, false, 8);
	t.b.len = t.instance_option;
	fb_patch(&t.b, t.cpu_count, 65536, 4);
	for (int i = 0; i < 100; i++) {
		size_t at = fb_option(&t.b, TRACE_OPTION_BUFFER);

		fb_u64(&t.b, 32768);				/* its table */
		fb_string(&t.b, "x");
		fb_option_end(&t.b, at);
	}
	fb_u16(&t.b, TRACE_OPTION_DONE);
	fb_string(&t.b, "flyrecord");
	fb_align(&t.b, 32768);
	fb_string(&t.b, "flyrecord");
	fd = fb_memfd(t.b.data, t.b.len);
	assert_int_equal(ftruncate(fd, 32768 + 10 + 65536 * 16), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = source_open(path, -1, &err);
	assert_non_null(file);
	assert_true(fb_noted(file, "more than 65535 CPUs in all buffers"));
	assert_int_equal(source_nr_streams(file), 65535);
	assert_int_equal(source_nr_buffers(file), 101);
	source_close(file);
	close(fd);
}

#ifdef HAVE_ZLIB
/* Pack the payload of the last section as one block. */
static void pack_section(size_t section)
{
	uint8_t packed[8192];
	uLongf len = sizeof(packed);
	size_t size = t.b.len - section - 16;

	assert_int_equal(compress2(packed, &len, t.b.data + section + 16, size, 6), Z_OK);
	t.b.len = section + 16;
	fb_u32(&t.b, (uint32_t)len);		/* packed bytes */
	fb_u32(&t.b, (uint32_t)size);		/* unpacked bytes */
	fb_bytes(&t.b, packed, len);
	fb_patch(&t.b, section + 2, 1, 2);	/* flags: compressed */
	fb_section_end(&t.b, section);
}

/* Text in chunks of 10 bytes. */
static void put_text_chunks(const char *text)
{
	size_t size = strlen(text);
	uint8_t packed[64];

	fb_u32(&t.b, (uint32_t)((size + 9) / 10));
	for (size_t at = 0; at < size; at += 10) {
		size_t n = size - at < 10 ? size - at : 10;
		uLongf len = sizeof(packed);

		assert_int_equal(compress2(packed, &len, (const Bytef *)text + at, n, 6), Z_OK);
		fb_u32(&t.b, (uint32_t)len);	/* packed bytes */
		fb_u32(&t.b, (uint32_t)n);	/* unpacked bytes */
		fb_bytes(&t.b, packed, len);
	}
}
#endif

/*
 * Metadata, options and latency text, all of them compressed; then with a block and a chunk that
 * are damaged.
 */
static void test_compressed(void **state)
{
#ifdef HAVE_ZLIB
	static const char text[] = "# tracer: wakeup_rt\n#\n   rest of the text\n";
	size_t options, places[4], at;
	struct source *file;
	uint64_t size;

	(void)state;
	for (int big = 0; big < 2; big++) {
		small_initial(&t, "7", big, 8);
		fb_string(&t.b, "zlib");
		fb_string(&t.b, "1.2.13");
		options = fb_u64(&t.b, 0);
		places[0] = fb_section(&t.b, TRACE_OPTION_HEADER_INFO, 0);
		small_header_info(&t);
		pack_section(places[0]);
		places[1] = fb_section(&t.b, TRACE_OPTION_FTRACE_EVENTS, 0);
		small_ftrace(&t);
		pack_section(places[1]);
		places[2] = fb_section(&t.b, TRACE_OPTION_EVENT_FORMATS, 0);
		small_events(&t);
		pack_section(places[2]);
		places[3] = fb_section(&t.b, TRACE_OPTION_BUFFER_TEXT, 1);
		put_text_chunks(text);
		fb_section_end(&t.b, places[3]);
		t.options = fb_section(&t.b, TRACE_OPTION_DONE, 0);
		fb_patch(&t.b, options, t.options, 8);
		for (int i = 0; i < 3; i++)
			small_section_option(&t, (uint16_t)(TRACE_OPTION_HEADER_INFO + i),
					     places[i]);
		small_option_text(&t, TRACE_OPTION_UNAME, "packed");
		at = fb_option(&t.b, TRACE_OPTION_BUFFER_TEXT);
		fb_u64(&t.b, places[3]);
		fb_string(&t.b, "");		/* name */
		fb_string(&t.b, "local");	/* clock */
		fb_option_end(&t.b, at);
		small_section_option(&t, TRACE_OPTION_DONE, 0);
		pack_section(t.options);
		file = open_sound();
		assert_string_equal(trace_file_latency_text(file, 0, &size), text);
		assert_int_equal(size, strlen(text));
		assert_string_equal(source_info(file)->uname, "packed");
		assert_string_equal(source_info(file)->compression, "zlib");
		assert_int_equal(source_nr_formats(file), 1);	/* of the text's lines */
		assert_int_equal(source_nr_warnings(file), 1);	/* its text is no trace */
		source_close(file);

		fb_patch(&t.b, places[3] + 16 + 4 + 8, 0xffff, 2);	/* inside the first chunk */
		file = open_noted((int64_t)places[3] + 16 + 4 + 8, "zlib data of");
		assert_string_equal(trace_file_latency_text(file, 0, &size), "");
		source_close(file);
		/* unpacked bytes of header_page */
		fb_patch(&t.b, places[0] + 16 + 4, 0xfffffff0, 4);
		file = open_noted((int64_t)places[0] + 16 + 4,
				  "unpacks to 4294967280 bytes, more than");
		source_close(file);
	}
#else
	(void)state;
	skip();
#endif
}

static void test_notes(void **state)
{
	struct source *file;

	(void)state;
	small_v7(&t, false, 8);
	file = open_sound();
	for (int i = 0; i < 5000; i++)
		source_add_warning(file, i, "note %d", i);
	for (int i = 0; i < 10; i++)
		source_add_warning(file, 3, "note %d", 3);
	assert_in_range(source_nr_warnings(file), 100, 1000);
	assert_int_equal(source_warning(file, 2).offset, 2);
	assert_string_equal(source_warning(file, 2).message, "note 2");
	assert_int_equal(source_warning(file, 100000).code, FT_E_NONE);
	source_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v6),
		cmocka_unit_test(test_v7),
		cmocka_unit_test(test_kernel_long),
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_v6_latency),
		cmocka_unit_test(test_v7_latency),
		cmocka_unit_test(test_v7_named_only),
		cmocka_unit_test(test_large_file),
		cmocka_unit_test(test_v6_many_cpus),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
