/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every recorded trace at hand opens, and says the same of itself as trace-cmd does and as its own
 * header bytes do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "parsers/io/byte_reader.h"
#include "parsers/file/chunks.h"
#include "parsers/pages/page_reader.h"
#include "parsers/file/trace_file.h"
#include "parsers/lines/line_source.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "tests/lib/file_bytes.h"
#include "tests/lib/recorded.h"

/* The number behind "cpus=" at the start of trace-cmd's report; -1 if there is no such report. */
static int report_cpus(const char *path)
{
	char line[64] = "", command[8300];
	size_t len = strlen(path);
	int cpus = -1;
	FILE *f;

	snprintf(command, sizeof(command), "gzip -dc '%s' 2>/dev/null", path);
	f = len > 3 && !strcmp(path + len - 3, ".gz") ? popen(command, "r") : fopen(path, "r");
	if (!f)
		return -1;
	if (fgets(line, sizeof(line), f))
		sscanf(line, "cpus=%d", &cpus);
	if (len > 3 && !strcmp(path + len - 3, ".gz"))
		pclose(f);
	else
		fclose(f);
	return cpus;
}

/* Read all of a stream in windows, and check what every sub-buffer's header must be. */
static uint64_t read_stream(const struct source *file, unsigned int stream, uint32_t window)
{
	struct page_reader *reader = page_reader_new(file, window);
	const struct source_stream *s = source_stream(file, stream);
	const struct sub_buffer_layout *layout = &source_buffer(file, s->buffer)->layout;
	uint64_t pages = source_stream_pages(file, stream), sum = 0;
	uint32_t nr, last;

	for (uint64_t page = 0; page < pages; page += nr) {
		const uint8_t *data = page_reader_get(reader, stream, page, &nr, &last);

		assert_non_null(data);
		assert_true(nr >= 1 && nr <= pages - page);
		assert_int_equal(last, layout->page_size);
		for (uint32_t i = 0; i < nr; i++) {
			const uint8_t *p = data + (size_t)i * layout->page_size;

			assert_true((load_u32(p + layout->commit_offset, layout->swap) &
				     TRACE_COMMIT_MASK) <= layout->page_size - layout->data_offset);
			for (uint32_t b = 0; b < layout->page_size; b += 8)
				sum = sum * 31 + load_u64(p + b, false);
		}
	}
	page_reader_free(reader);
	return sum;
}

static void check_texts(const struct source *file)
{
	uint64_t size;
	const char *text = source_text(file, TRACE_TEXT_HEADER_PAGE, &size);

	assert_non_null(strstr(text, "local_t commit;"));
	assert_int_equal(strlen(text), size);
	assert_non_null(strstr(source_text(file, TRACE_TEXT_HEADER_EVENT, &size), "type_len"));
	text = source_text(file, TRACE_TEXT_KALLSYMS, &size);
	assert_int_equal(strlen(text), size);
	/* small files of a latency tracer's text have no formats */
	assert_true(source_nr_formats(file) > 0 || source_buffer(file, 0)->is_text);
	for (unsigned int i = 0; i < source_nr_formats(file); i++) {
		const struct source_format *format = source_format(file, i);
		char line[64];

		assert_true(format->size > 16 && !memcmp(format->text, "name: ", 6));
		assert_true(format->id > 0);
		snprintf(line, sizeof(line), "\nID: %d\n", format->id);
		assert_non_null(memmem(format->text, format->size, line, strlen(line)));
		assert_non_null(source_format_by_id(file, format->id));
	}
}

static void check_trace(const char *path, int cpus)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);
	const struct source_info *info;
	uint8_t head[18];
	FILE *raw = fopen(path, "rb");

	assert_non_null(raw);
	assert_int_equal(fread(head, 1, sizeof(head), raw), sizeof(head));
	fclose(raw);
	if (!file && err.code == FT_E_UNSUPPORTED) {
		print_message("skipped: %s: %s\n", path, err.message);
		return;
	}
	if (!file)
		fail_msg("%s: %s", path, err.message);
	info = source_info(file);
	assert_int_equal(info->version, head[10] - '0');
	/* the records of a text are made here */
	assert_int_equal(info->big_endian, line_source_file(file) ? HOST_BIG_ENDIAN : head[12]);
	assert_int_equal(info->user_long_size, head[13]);
	assert_int_equal(info->page_size, load_u32(head + 14, HOST_BIG_ENDIAN));
	if (cpus >= 0 && source_buffer(file, 0)->nr_cpus != cpus)
		fail_msg("%s: %d CPUs, not %d", path, source_buffer(file, 0)->nr_cpus, cpus);
	check_texts(file);
	for (unsigned int i = 0; i < source_nr_streams(file) && !line_source_file(file); i++) {
		uint64_t all = read_stream(file, i, 256 << 10);

		assert_true(read_stream(file, i, 1) == all);
	}
	for (unsigned int i = 0; i < source_nr_buffers(file); i++) {
		uint64_t size;
		const char *text = trace_file_latency_text(file, i, &size);

		assert_int_equal(strlen(text), size);
		if (source_buffer(file, i)->is_text)
			assert_memory_equal(text, "# tracer: ", 10);
	}
	if (source_nr_warnings(file))
		fail_msg("%s: %s", path, source_warning(file, 0).message);
	source_close(file);
}

static uint64_t hash_page(const uint8_t *p, uint32_t len)
{
	uint64_t h = 1469598103934665603u;

	for (uint32_t i = 0; i < len; i += 8)
		h = (h ^ load_u64(p + i, false)) * 1099511628211u;
	return h;
}

/* Complete sub-buffers of a file: their number, and the sum of their hashes. */
struct contents {
	uint64_t	pages, sum;
};

/* Those of the whole file whose bytes, or whose chunk, end at or before a cut. */
static struct contents contents_before(const struct source *file, const char *path, uint64_t cut)
{
	struct page_reader *reader = page_reader_new(file, 1);
	struct contents c = { 0 };

	for (unsigned int i = 0; i < source_nr_streams(file); i++) {
		const struct source_stream *s = source_stream(file, i);
		const struct sub_buffer_layout *layout = &source_buffer(file, s->buffer)->layout;
		uint32_t page_size = layout->page_size;

		for (uint64_t page = 0; page < source_stream_pages(file, i); page++) {
			uint64_t end = page_reader_offset(reader, i, page) + page_size;
			const uint8_t *data;
			uint32_t nr, last;

			if (s->chunked) {	/* the size of its chunk stands in front of it */
				uint8_t size[4];
				FILE *raw = fopen(path, "rb");

				assert_int_equal(fseek(raw, (long)(end - page_size - 8), SEEK_SET),
						 0);
				assert_int_equal(fread(size, 1, 4, raw), 4);
				fclose(raw);
				end = end - page_size + load_u32(size, layout->swap);
			}
			if (end > cut)
				continue;
			data = page_reader_get(reader, i, page, &nr, &last);
			if (!data || last < page_size)
				continue;
			c.pages++;
			c.sum += hash_page(data, page_size);
		}
	}
	page_reader_free(reader);
	return c;
}

/* Cut at a byte: every sub-buffer in front of it is still there, and no other. */
static void check_cut(const struct source *whole, const char *path, const uint8_t *data,
		      uint64_t cut)
{
	struct contents want = contents_before(whole, path, cut), got;
	struct ft_error err = { 0 };
	struct source *file = fb_open_bytes(data, cut, &err);

	if (!file) {
		assert_in_range(err.offset, 0, cut);
		if (want.pages)
			fail_msg("%s cut at %" PRIu64 ": %s", path, cut, err.message);
		return;
	}
	fb_use(file);
	if (want.pages < contents_before(whole, path, UINT64_MAX).pages)
		if (!source_nr_warnings(file))
			fail_msg("%s cut at %" PRIu64 ": nothing is said of it", path, cut);
	source_close(file);
	/* its own path is gone with the memory: read it from a file that stays */
	{
		int fd = fb_memfd(data, cut);
		char copy[64];

		snprintf(copy, sizeof(copy), "/proc/self/fd/%d", fd);
		file = source_open(copy, -1, &err);
		assert_non_null(file);
		got = contents_before(file, copy, cut);
		if (got.pages != want.pages || got.sum != want.sum)
			fail_msg("%s cut at %" PRIu64 ": %" PRIu64 " sub-buffers, not %" PRIu64,
				 path, cut, got.pages, want.pages);
		source_close(file);
		close(fd);
	}
}

static const char *shared(void)
{
	const char *dir = getenv("FTOP_SHARED");

	return dir && *dir ? dir : "../shared";
}

static void test_fixtures(void **state)
{
	char dir[4096], path[8192], report[8192];
	struct dirent *entry;
	unsigned int nr = 0;
	DIR *d;

	(void)state;
	assert_true(recorded_dir(dir, sizeof(dir)));
	d = opendir(dir);
	assert_non_null(d);
	while ((entry = readdir(d))) {
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s/trace.dat", dir, entry->d_name);
		if (entry->d_name[0] == '.' || stat(path, &st))
			continue;
		snprintf(report, sizeof(report), "%s/%s/report.txt", dir, entry->d_name);
		if (stat(report, &st))
			snprintf(report, sizeof(report), "%s/%s/report.txt.gz", dir, entry->d_name);
		check_trace(path, report_cpus(report));
		nr++;
	}
	closedir(d);
	assert_true(nr > 0);
}

static uint8_t *read_whole(const char *path, uint64_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*size = (uint64_t)ftell(f);
	rewind(f);
	data = malloc(*size);
	assert_int_equal(fread(data, 1, *size, f), *size);
	fclose(f);
	return data;
}

/* Cuts all over it, and each byte of its header changed. */
static void check_damage(const char *path, uint64_t step)
{
	struct source *whole = source_open(path, -1, NULL);
	uint64_t size = 0;
	uint8_t *data = read_whole(path, &size);

	if (!whole) {			/* a codec that is not built in */
		free(data);
		return;
	}
	assert_non_null(data);
	for (uint64_t cut = 0; cut < size; cut += step ? step : size / 23)
		check_cut(whole, path, data, cut);
	for (uint64_t cut = size - 40; cut > size - 40000 && cut < size; cut -= 1777)
		check_cut(whole, path, data, cut);
	for (int at = 0; at < 64; at++) {
		struct ft_error err = { 0 };
		struct source *file;

		data[at] ^= 0xff;
		file = fb_open_bytes(data, size, &err);
		data[at] ^= 0xff;
		if (file)
			fb_use(file);
		else
			assert_in_range(err.offset, 0, size);
		source_close(file);
	}
	source_close(whole);
	free(data);
}

/*
 * Plain, chunked, v6, instances, large sub-buffers, latency text; with FTOP_TEST_LONG all fixtures.
 */
static void test_damaged_fixtures(void **state)
{
	static const char *const names[] = { "v6",     "v7-none", "v7-zstd",  "instances",
					     "subbuf", "irqsoff", "empty-cpu" };
	const char *all = getenv("FTOP_TEST_LONG");
	char dir[4096], path[8192];
	unsigned int nr = 0;
	DIR *d;

	(void)state;
	assert_true(recorded_dir(dir, sizeof(dir)));
	d = opendir(dir);
	assert_non_null(d);
	for (struct dirent *entry; all && *all && (entry = readdir(d));)
		if (entry->d_name[0] != '.' &&
		    recorded_path(entry->d_name, "trace.dat", path, sizeof(path)))
			check_damage(path, 4096);
	closedir(d);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!recorded_path(names[i], "trace.dat", path, sizeof(path)))
			continue;
		check_damage(path, 0);
		nr++;
	}
	assert_true(nr > 2);
}

static void test_corpus(void **state)
{
	char dir[4096], path[8192], report[8192];
	struct dirent *entry;
	unsigned int nr = 0;
	DIR *d;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/corpus", shared());
	d = opendir(dir);
	if (!d) {
		print_message("skipped: no corpus in %s\n", dir);
		skip();
		return;
	}
	while ((entry = readdir(d))) {
		size_t len = strlen(entry->d_name);

		if (len < 4 || strcmp(entry->d_name + len - 4, ".dat"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		snprintf(report, sizeof(report), "%s/%.*s.report.txt", dir, (int)len - 4,
			 entry->d_name);
		check_trace(path, report_cpus(report));
		nr++;
	}
	closedir(d);
	assert_true(nr > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures),
		cmocka_unit_test(test_corpus),
		cmocka_unit_test(test_damaged_fixtures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
