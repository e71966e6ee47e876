/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of the container of v6 and v7 when bytes of it are lost or wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "parsers/open/open.h"
#include "parsers/io/byte_reader.h"
#include "tests/lib/opened_bytes.h"

typedef void (*make_fn)(struct small_trace *t, bool big_endian, int long_size);

/* Cut anywhere: an error at or before the cut, or what is in front of the cut. */
static void cut_everywhere(make_fn make, bool big_endian)
{
	unsigned int opened = 0;

	make(&t, big_endian, 8);
	for (size_t len = 0; len < t.b.len; len++) {
		struct ft_error err = { .offset = -2 };
		struct source *file = fb_open_bytes(t.b.data, len, &err);

		if (!file) {
			assert_in_range(err.offset, 0, len);
			assert_true(err.message[0] && err.code != FT_E_NONE);
			continue;
		}
		opened++;
		/* a description that is cut loses nothing */
		if (source_info(file)->version == 6 || len < t.instance_table)
			assert_true(source_nr_warnings(file) > 0);
		assert_true(fb_use(file) <= len);
		source_close(file);
	}
	assert_true(opened > SMALL_PAGE);
}

static void test_cut_v6(void **state)
{
	(void)state;
	cut_everywhere(small_v6, false);
	cut_everywhere(small_v6, true);
}

static void test_cut_v7(void **state)
{
	(void)state;
	cut_everywhere(small_v7, false);
	cut_everywhere(small_v7, true);
}

/* Every byte in front of the last data changed: no crash, and what opens can be read. */
static void test_changed_bytes(void **state)
{
	static const uint8_t changes[] = { 0x01, 0xff };
	static const make_fn makes[] = { small_v6, small_v7 };

	(void)state;
	for (size_t m = 0; m < 2; m++) {
		makes[m](&t, false, 8);
		for (size_t at = 0; at < t.b.len; at++)
			/* not payload */
			for (size_t c = 0; c < sizeof(changes) && t.b.data[at] != 0x5a; c++) {
				struct ft_error err = { 0 };
				struct source *file;

				t.b.data[at] ^= changes[c];
				file = fb_open(&t.b, &err);
				t.b.data[at] ^= changes[c];
				if (!file)
					assert_in_range(err.offset, 0, t.b.len);
				else
					fb_use(file);
				source_close(file);
			}
	}
}

/* A v7 file cut inside its data still shows every complete sub-buffer in front of the cut. */
static void test_cut_keeps_data(void **state)
{
	struct source *file;

	(void)state;
	small_v7(&t, false, 8);
	t.b.len = t.data[1] + SMALL_PAGE / 2;
	file = open_sound();
	assert_true(fb_noted(file, "without their numbers"));
	/* a third CPU is missing: the file counts more than are found */
	assert_int_equal(source_nr_streams(file), 3);
	assert_int_equal(source_stream_bytes(file, 2), 0);
	assert_int_equal(source_stream_pages(file, 2), 1);
	assert_int_equal(source_stream(file, 0)->offset, t.data[0]);
	assert_int_equal(source_stream_bytes(file, 0), 2 * SMALL_PAGE);
	/* its time goes back */
	assert_int_equal(source_stream(file, 1)->offset, t.data[1]);
	assert_int_equal(source_stream_bytes(file, 1), SMALL_PAGE / 2);
	/* all records of the half are there; one that cannot be read stands for what follows */
	assert_int_equal(source_stream_pages(file, 1), 2);
	assert_string_equal(source_info(file)->uname, "Linux host 6.1.0 x86_64");
	source_close(file);

	small_v6(&t, true, 4);
	t.b.len = t.data[0] + SMALL_PAGE + 3;
	file = open_noted((int64_t)t.table + 10, "509 bytes are missing");
	assert_int_equal(source_stream_bytes(file, 0), SMALL_PAGE + 3);
	assert_int_equal(source_stream_pages(file, 0), 2);
	assert_int_equal(source_stream_bytes(file, 2), 0);
	assert_int_equal(source_stream_pages(file, 2), 1);
	source_close(file);
}

static void test_header_errors(void **state)
{
	(void)state;
	small_v7(&t, false, 8);
	open_fails(0, FT_E_FORMAT, 0, "empty");
	t.b.data[3] = 'T';
	open_fails(t.b.len, FT_E_FORMAT, 0, "not a trace.dat");
	small_v7(&t, false, 8);
	t.b.data[10] = '8';
	open_fails(t.b.len, FT_E_VERSION, 10, "\"8\"");
	small_v7(&t, false, 8);
	memcpy(t.b.data + 18, "lz77", 4);
	open_fails(t.b.len, FT_E_UNSUPPORTED, 18, "lz77");
	/* no header_page to go by, no page size in the header */
	small_v6(&t, false, 8);
	fb_patch(&t.b, 14, 12, 4);
	memcpy(strstr((char *)t.b.data + t.header_page_tag + 12 + 8, "char data"), "char dada", 9);
	open_fails(t.b.len, FT_E_LIMIT, 14, "page size 12 is outside 512..1048576");
	small_v6(&t, false, 8);
	fb_patch(&t.b, t.cpu_count, 70000, 4);
	memcpy(t.b.data + t.options, "Options", 7);
	memcpy(t.b.data + t.table, "Flyrecord", 9);
	memcpy(t.b.data + t.instance_table, "Flyrecord", 9);
	open_fails(t.b.len, FT_E_LIMIT, (int64_t)t.cpu_count,
		   "70000 CPUs: at most 65536 are supported");
	assert_null(source_open("/nonexistent/trace.dat", -1, NULL));
	assert_null(source_open("/", -1, NULL));
}

/* What can be told in another way is not an error. */
static void test_header_recovered(void **state)
{
	struct source *file;

	(void)state;
	small_v6(&t, false, 8);
	fb_patch(&t.b, 14, SMALL_PAGE + 1, 4);
	file = open_noted(14, "page size 513 here, but 512 in header_page");
	assert_int_equal(source_buffer(file, 0)->layout.page_size, SMALL_PAGE);
	source_close(file);

	small_v6(&t, false, 8);
	t.b.data[12] = 1;		/* byte order */
	file = open_noted(12, "little endian is assumed");
	assert_false(source_info(file)->big_endian);
	assert_int_equal(source_stream_bytes(file, 0), 2 * SMALL_PAGE);
	source_close(file);

	small_v7(&t, false, 4);
	t.b.data[13] = 4;
	memcpy(t.b.data + t.header_page_tag, "Header", 6);
	file = open_noted((int64_t)t.header_page_tag, "a long of 4 bytes is assumed");
	assert_int_equal(source_buffer(file, 0)->layout.data_offset, 12);
	source_close(file);
}

/* A wrong length in v6: the tables are found by their tags. */
static void test_v6_lengths(void **state)
{
	struct source *file;

	(void)state;
	small_v6(&t, false, 8);
	fb_patch(&t.b, t.kallsyms, 0x7fffffff, 4);
	file = open_noted((int64_t)t.kallsyms + 4, "trace data was found at");
	assert_int_equal(source_nr_streams(file), 4);
	assert_int_equal(source_nr_formats(file), 5);
	assert_string_equal(source_info(file)->writer, "3.4");
	source_close(file);

	small_v6(&t, false, 8);
	fb_patch(&t.b, t.instance_option + 2, 0x01000000, 4);
	file = open_noted((int64_t)t.instance_option + 6,
			  "the options do not end where trace data begins");
	assert_int_equal(source_stream_bytes(file, 0), 2 * SMALL_PAGE);
	source_close(file);
}

static void test_v6_unfinished(void **state)
{
	struct source *file;

	(void)state;
	small_v6(&t, false, 8);
	memset(t.b.data + t.table + 10, 0, 48);		/* the table of CPUs */
	t.b.len = t.instance_table;
	fb_patch(&t.b, t.instance_option + 6, 0, 8);	/* the place of the instance */
	file = open_noted((int64_t)t.table, "was not finished: its table of CPUs is empty");
	assert_true(fb_noted(file, "\"inst\" was not finished: it has no place"));
	assert_int_equal(source_nr_streams(file), 2);
	assert_int_equal(source_stream(file, 0)->offset, t.data[0]);
	assert_int_equal(source_stream_bytes(file, 0), 2 * SMALL_PAGE);
	assert_int_equal(source_stream(file, 1)->offset, t.data[1]);
	assert_int_equal(source_stream_bytes(file, 1), SMALL_PAGE);
	source_close(file);

	small_v6(&t, false, 8);
	fb_patch(&t.b, t.clock, 14 << 20, 8);		/* length of the clock */
	file = open_noted((int64_t)t.clock, "local is assumed");
	assert_string_equal(source_info(file)->clock_text, "[local]");
	source_close(file);
}

static void test_v7_unfinished(void **state)
{
	struct source *file;

	(void)state;
	small_v7(&t, false, 8);
	fb_patch(&t.b, 24, 0, 8);		/* the header's place of the options */
	file = open_noted(24, "the file was not finished");
	/* the options were found all the same */
	assert_int_equal(source_nr_streams(file), 3);
	assert_string_equal(source_buffer(file, 1)->name, "inst");
	check_text(file, TRACE_TEXT_CMDLINES, SMALL_CMDLINES);
	source_close(file);

	/* stopped while the first buffer was written: its size is 0, nothing tells of it */
	small_v7(&t, true, 4);
	fb_patch(&t.b, 24, 0, 8);
	fb_patch(&t.b, t.buffer_section + 8, 0, 8);
	t.b.len = t.data[1] + SMALL_PAGE;
	file = open_noted(24, "the file was not finished");
	assert_int_equal(source_nr_streams(file), 2);
	assert_int_equal(source_stream_bytes(file, 0), 2 * SMALL_PAGE);
	assert_int_equal(source_stream_bytes(file, 1), SMALL_PAGE);
	source_close(file);

	/* no data at all */
	small_v7(&t, false, 8);
	fb_patch(&t.b, 24, 0, 8);
	open_fails(t.buffer_section, FT_E_FORMAT, (int64_t)t.buffer_section,
		   "before it says where trace data lies");
}

/*
 * Bytes of any value over some sections: what lies behind them is found, by the next list of
 * options or as data.
 */
static void test_v7_damaged(void **state)
{
	struct source *file;

	(void)state;
	for (int big = 0; big < 2; big++) {
		small_v7(&t, big, 8);
		memset(t.b.data + t.kallsyms, 0xa5, t.data[0] - t.kallsyms);
		file = open_noted((int64_t)t.kallsyms, "damaged: no section begins here");
		assert_int_equal(source_nr_streams(file), 3);
		assert_int_equal(source_stream(file, 0)->offset, t.data[0]);
		assert_string_equal(source_buffer(file, 1)->name, "inst");
		source_close(file);
	}

	/* no options behind it: the data itself */
	t.b.len = t.data[1] + SMALL_PAGE;
	file = open_noted((int64_t)t.kallsyms, "no section here");
	assert_int_equal(source_nr_streams(file), 2);
	assert_int_equal(source_stream(file, 0)->offset, t.data[0]);
	assert_int_equal(source_stream(file, 1)->offset, t.data[1]);
	source_close(file);

	open_fails(t.data[0], FT_E_FORMAT, (int64_t)t.kallsyms, "the file is damaged here");
}

static void test_v7_circle(void **state)
{
	struct source *file;

	(void)state;
	small_v7(&t, false, 8);
	fb_patch(&t.b, t.instance_table - 8, t.options, 8);	/* the last DONE */
	file = open_noted((int64_t)t.options, "go round in a circle");
	assert_int_equal(source_nr_streams(file), 3);
	source_close(file);
	fb_patch(&t.b, t.instance_table - 8, t.options2, 8);	/* to itself */
	file = open_noted((int64_t)t.options2, "go round in a circle");
	assert_int_equal(source_nr_streams(file), 3);
	source_close(file);
}

/* Sections that are not where an option says. */
static void test_v7_places(void **state)
{
	struct source *file;

	(void)state;
	small_v7(&t, false, 8);
	fb_patch(&t.b, t.options + 16 + 3 * 14 + 6, t.kallsyms + 1, 8);
	file = open_noted((int64_t)t.kallsyms + 1, "section 19 should be here");
	check_text(file, TRACE_TEXT_KALLSYMS, SMALL_KALLSYMS);	/* found by walking the sections */
	source_close(file);

	small_v7(&t, false, 8);
	fb_patch(&t.b, t.options + 16 + 3 * 14 + 6, 1 << 30, 8);
	file = open_noted(1 << 30, "outside");
	check_text(file, TRACE_TEXT_KALLSYMS, SMALL_KALLSYMS);
	source_close(file);

	small_v7(&t, false, 8);
	fb_patch(&t.b, t.kallsyms + 16, 1 << 30, 4);		/* length of the text */
	file = open_noted((int64_t)t.kallsyms + 16, "kallsyms: the text does not fit");
	check_text(file, TRACE_TEXT_KALLSYMS, "");
	source_close(file);

	small_v7(&t, false, 8);
	fb_patch(&t.b, t.formats, 1000, 4);			/* event systems */
	file = open_noted((int64_t)t.kallsyms,
			  "event formats: the list ends early, after 5 formats");
	assert_int_equal(source_nr_formats(file), 5);
	source_close(file);
}

/* Tables that claim what cannot be. */
static void test_v7_tables(void **state)
{
	size_t table = 0;
	struct source *file;

	(void)state;
	for (int fault = 0; fault < 8; fault++) {
		small_v7(&t, fault & 1, 8);
		table = t.buffer_option + 6 + 8 + 1 + 7;	/* page size, count, CPUs */
		switch (fault) {
		case 0:
			fb_patch(&t.b, table, 100, 4);
			file = open_noted((int64_t)t.buffer_option + 6,
					  "page size 100 is outside 512..1048576");
			assert_int_equal(source_buffer(file, 0)->layout.page_size, SMALL_PAGE);
			break;
		case 1:
			fb_patch(&t.b, table + 4, 0xffffffff, 4);
			file = open_noted((int64_t)t.buffer_option + 6,
					  "4294967295 CPUs are recorded, but 2 are listed");
			assert_int_equal(source_nr_streams(file), 3);
			break;
		case 2:
			fb_patch(&t.b, table + 8, 65536, 4);
			file = open_noted((int64_t)table + 8, "CPU 65536 is not below 65536");
			assert_int_equal(source_nr_streams(file), 2);
			break;
		case 3:
			fb_patch(&t.b, table + 8, 0, 4);
			file = open_noted((int64_t)table + 28, "CPU 0 is listed twice");
			assert_int_equal(source_stream(file, 0)->offset, t.data[1]);
			break;
		case 4:
			fb_patch(&t.b, table + 12, UINT64_MAX - 5, 8);
			file = open_noted((int64_t)table + 8,
					  "data of CPU 5 at 18446744073709551610 is outside");
			assert_int_equal(source_stream_bytes(file, 1), 0);
			break;
		case 5:
			fb_patch(&t.b, table + 20, UINT64_MAX, 8);
			file = open_noted((int64_t)table + 8, "bytes are missing");
			assert_int_equal(source_stream_bytes(file, 1), t.data[2] - t.data[1]);
			assert_true(fb_noted(file, "reaches into that of CPU 1"));
			break;
		case 6:
			fb_patch(&t.b, table + 12, t.data[0] + SMALL_PAGE, 8);
			file = open_noted((int64_t)t.data[0], "reaches into that of CPU 5");
			assert_int_equal(source_stream_bytes(file, 0), SMALL_PAGE);
			break;
		default:
			fb_patch(&t.b, table + 12, t.data[0], 8);
			file = open_noted((int64_t)t.data[0],
					  "data of CPU 5 of buffer 0 is also that of CPU 0");
			assert_int_equal(source_stream_bytes(file, 0), 2 * SMALL_PAGE);
			assert_int_equal(source_stream_bytes(file, 1), 0);
			break;
		}
		source_close(file);
	}
}

/*
 * A recording that was not finished keeps its CPUs far apart in a sparse file; their times need not
 * go back.
 */
static void test_unfinished_sparse(void **state)
{
	const uint64_t far = (uint64_t)64 << 30;
	struct ft_error err = { 0 };
	struct source *file;
	char path[64];
	int fd;

	(void)state;
	small_v7(&t, false, 8);
	/* the header's place of the options */
	fb_patch(&t.b, 24, 0, 8);
	fb_patch(&t.b, t.buffer_section + 8, 0, 8);		/* size of the data */
	/* CPU 5 begins when CPU 0 has ended */
	fb_patch(&t.b, t.data[1], 9000, 8);
	fd = fb_memfd(t.b.data, t.data[1]);
	assert_int_equal(pwrite(fd, t.b.data + t.data[1], SMALL_PAGE, (off_t)far), SMALL_PAGE);
	assert_int_equal(ftruncate(fd, (off_t)(2 * far)), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = source_open(path, -1, &err);
	assert_non_null(file);
	assert_int_equal(source_nr_streams(file), 2);
	assert_int_equal(source_stream_bytes(file, 0), 2 * SMALL_PAGE);
	assert_true(source_stream(file, 1)->offset == far);
	assert_int_equal(source_stream_bytes(file, 1), SMALL_PAGE);
	source_close(file);
	close(fd);
}

/* Gigabytes of zeros where sections should be are not searched through. */
static void test_zeros(void **state)
{
	struct ft_error err = { 0 };
	char path[64];
	int fd;

	(void)state;
	small_v7(&t, false, 8);
	fd = fb_memfd(t.b.data, t.sections);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_null(source_open(path, -1, &err));
	assert_int_equal(err.code, FT_E_FORMAT);
	assert_non_null(strstr(err.message, "before it says where trace data lies"));
	close(fd);
	/* the same for v6: zeros are empty texts and no CPUs */
	small_v6(&t, false, 8);
	fd = fb_memfd(t.b.data, t.formats);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_null(source_open(path, -1, &err));
	assert_non_null(strstr(err.message, "neither \"options\""));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_v6),
		cmocka_unit_test(test_cut_v7),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_cut_keeps_data),
		cmocka_unit_test(test_header_errors),
		cmocka_unit_test(test_header_recovered),
		cmocka_unit_test(test_v6_lengths),
		cmocka_unit_test(test_v6_unfinished),
		cmocka_unit_test(test_v7_unfinished),
		cmocka_unit_test(test_v7_damaged),
		cmocka_unit_test(test_v7_circle),
		cmocka_unit_test(test_v7_places),
		cmocka_unit_test(test_v7_tables),
		cmocka_unit_test(test_unfinished_sparse),
		cmocka_unit_test(test_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
