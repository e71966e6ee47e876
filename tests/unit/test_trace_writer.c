/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "tests/lib/gen_trace.h"

static char dir[64];

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static uint8_t *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	struct stat st;
	uint8_t *data;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	data = mem_alloc((size_t)st.st_size + 1);
	*size = fread(data, 1, (size_t)st.st_size, file);
	assert_int_equal(*size, st.st_size);
	fclose(file);
	return data;
}

/* --- bytes ------------------------------------------------------------------- */

/* A version 7 file of a big endian machine with one sub-buffer, byte by byte. */
static const uint8_t small_v7[] = {
	0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g', '7', 0,
	1, 4, 0, 0, 0x10, 0,				/* big endian, long of 4, page size 4096 */
	'n', 'o', 'n', 'e', 0, 0,			/* no compression, no version of it */
	0, 0, 0, 0, 0, 0, 0, 219,			/* the first options section */
	/* 32: headers */
	0, 16, 0, 0, 0, 0, 0, 0,			/* id, flags, description 0 */
	0, 0, 0, 0, 0, 0, 0, 44,			/* size */
	'h', 'e', 'a', 'd', 'e', 'r', '_', 'p', 'a', 'g', 'e', 0,
	0, 0, 0, 0, 0, 0, 0, 2, 'H', 'P',
	'h', 'e', 'a', 'd', 'e', 'r', '_', 'e', 'v', 'e', 'n', 't', 0,
	0, 0, 0, 0, 0, 0, 0, 1, 'E',
	/* 92: formats of ftrace: none */
	0, 17, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 4,
	0, 0, 0, 0,
	/* 112: event formats: one system with one event */
	0, 18, 0, 0, 0, 0, 0, 22, 0, 0, 0, 0, 0, 0, 0, 21,
	0, 0, 0, 1, 's', 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3, 'F', 'M', 'T',
	/* 149: kallsyms */
	0, 19, 0, 0, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0, 6,
	0, 0, 0, 2, 'k', 's',
	/* 171: printk_formats: none */
	0, 20, 0, 0, 0, 0, 0, 45, 0, 0, 0, 0, 0, 0, 0, 4,
	0, 0, 0, 0,
	/* 191: saved_cmdlines */
	0, 21, 0, 0, 0, 0, 0, 52, 0, 0, 0, 0, 0, 0, 0, 12,
	0, 0, 0, 0, 0, 0, 0, 4, '1', ' ', 'a', '\n',
	/* 219: options */
	0, 0, 0, 0, 0, 0, 0, 66, 0, 0, 0, 0, 0, 0, 0, 130,
	0, 16, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 32,	/* where the sections are */
	0, 17, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 92,
	0, 18, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 112,
	0, 19, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 149,
	0, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 171,
	0, 21, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 191,
	0, 4, 0, 0, 0, 8, '[', 'm', 'o', 'n', 'o', ']', '\n', 0,
	0, 5, 0, 0, 0, 2, 'u', 0,			/* an option that was given */
	0, 8, 0, 0, 0, 4, 0, 0, 0, 4,			/* CPUCOUNT: highest CPU + 1 */
	0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0x20, 0,	/* DONE: the next options section */
	/* 365: CPU data */
	0, 3, 0, 0, 0, 0, 0, 74, 0, 0, 0, 0, 0, 0, 0x1e, 0x83, /* up to 0x2000 */
};

static const uint8_t small_v7_end[] = {
	/* 0x2000: options */
	0, 0, 0, 0, 0, 0, 0, 91, 0, 0, 0, 0, 0, 0, 0, 62,
	0, 3, 0, 0, 0, 42,				/* BUFFER */
	0, 0, 0, 0, 0, 0, 1, 0x6d, 0, 'm', 'o', 'n', 'o', 0,
	0, 0, 0x10, 0, 0, 0, 0, 1,			/* page size, number of CPUs */
	0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, /* CPU 3: offset, size */
	0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0,	/* DONE: the last one */
	/* strings */
	0, 15, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 107,
};

static void test_bytes_of_version_7(void **state)
{
	const struct trace_writer_options options = {
		.version = 7, .big_endian = true, .long_size = 4, .page_size = 4096 };
	struct trace_writer *w = trace_writer_new(path_of("small"), &options, NULL);
	uint8_t page[4096];
	uint8_t *data;
	size_t size;

	(void)state;
	assert_non_null(w);
	memset(page, 0x77, sizeof(page));
	trace_writer_text(w, TRACE_TEXT_HEADER_PAGE, "HP", 2);
	trace_writer_text(w, TRACE_TEXT_HEADER_EVENT, "E", 1);
	trace_writer_format(w, "s", "FMT", 3);
	trace_writer_text(w, TRACE_TEXT_KALLSYMS, "ks", 2);
	trace_writer_text(w, TRACE_TEXT_CMDLINES, "1 a\n", 4);
	trace_writer_clock(w, "[mono]\n");
	trace_writer_option(w, TRACE_OPTION_UNAME, "u", 2);
	/* those of another file, which say where things lie there, are dropped */
	trace_writer_option(w, TRACE_OPTION_CPUCOUNT, "four", 4);
	trace_writer_option(w, TRACE_OPTION_KALLSYMS, "an offse", 8);
	trace_writer_option(w, 99, "an offse", 8);
	assert_int_equal(trace_writer_buffer(w, "", NULL, 0), 0);
	assert_int_equal(trace_writer_pages(w, 0, 3, page, sizeof(page), NULL), 0);
	assert_int_equal(trace_writer_finish(w, NULL), 0);

	data = slurp(path_of("small"), &size);
	assert_true(size > 0x2000 + sizeof(small_v7_end));
	assert_memory_equal(data, small_v7, sizeof(small_v7));
	for (size_t i = sizeof(small_v7); i < 0x1000; i++)
		assert_int_equal(data[i], 0);
	assert_memory_equal(data + 0x1000, page, sizeof(page));
	assert_memory_equal(data + 0x2000, small_v7_end, sizeof(small_v7_end));
	/* the chain of sections ends at the end of the file */
	assert_int_equal(size, 0x2000 + sizeof(small_v7_end) + 107);
	assert_string_equal((const char *)data + 0x2000 + sizeof(small_v7_end) + 74,
			    "buffer flyrecord");
	free(data);
}

static const uint8_t small_v6[] = {
	0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g', '6', 0,
	0, 8, 0, 2, 0, 0,				/* little endian, long of
							   8, page size 512 */
	'h', 'e', 'a', 'd', 'e', 'r', '_', 'p', 'a', 'g', 'e', 0,
	2, 0, 0, 0, 0, 0, 0, 0, 'H', 'P',
	'h', 'e', 'a', 'd', 'e', 'r', '_', 'e', 'v', 'e', 'n', 't', 0,
	1, 0, 0, 0, 0, 0, 0, 0, 'E',
	1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 'F',	/* one format of ftrace */
	0, 0, 0, 0,					/* no system */
	0, 0, 0, 0,					/* kallsyms */
	3, 0, 0, 0, 'p', 'r', 'k',			/* printk_formats */
	0, 0, 0, 0, 0, 0, 0, 0,				/* saved_cmdlines */
	2, 0, 0, 0,					/* CPUs */
	'o', 'p', 't', 'i', 'o', 'n', 's', ' ', ' ', 0,
	4, 0, 8, 0, 0, 0, '[', 't', 'a', 'i', ']', ' ', 'x', 0,
	3, 0, 11, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 'i', 'n', 0, /* BUFFER: offset 0x2000, "in" */
	0, 0,						/* DONE, without a size */
	'f', 'l', 'y', 'r', 'e', 'c', 'o', 'r', 'd', 0,
	0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	/* CPU 0 at 0x1000: nothing */
	0, 0x10, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0,	/* CPU 1 at 0x1000: 512 bytes */
	5, 0, 0, 0, 0, 0, 0, 0, '[', 't', 'a', 'i', ']',
};

static const uint8_t small_v6_instance[] = {
	'f', 'l', 'y', 'r', 'e', 'c', 'o', 'r', 'd', 0,
	0, 0x30, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0,	/* CPU 0 at 0x3000: 1024 bytes */
	0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	/* CPU 1 */
	6, 0, 0, 0, 0, 0, 0, 0, '[', 'b', 'o', 'o', 't', ']',
};

static void test_bytes_of_version_6(void **state)
{
	const struct trace_writer_options options = { .version = 6,
						      .long_size = 8,
						      .page_size = 512 };
	struct trace_writer *w = trace_writer_new(path_of("small6"), &options, NULL);
	uint8_t page[1024];
	uint8_t *data;
	size_t size;

	(void)state;
	assert_non_null(w);
	memset(page, 0x77, sizeof(page));
	trace_writer_text(w, TRACE_TEXT_HEADER_PAGE, "HP", 2);
	trace_writer_text(w, TRACE_TEXT_HEADER_EVENT, "E", 1);
	trace_writer_format(w, "ftrace", "F", 1);
	trace_writer_text(w, TRACE_TEXT_PRINTK, "prk", 3);
	trace_writer_clock(w, "[tai] x");
	assert_int_equal(trace_writer_buffer(w, "", NULL, 0), 0);
	assert_int_equal(trace_writer_buffer(w, "in", "boot", 0), 1);
	assert_int_equal(trace_writer_pages(w, 1, 0, page, sizeof(page), NULL), 0);
	assert_int_equal(trace_writer_pages(w, 0, 1, page, 512, NULL), 0);
	assert_int_equal(trace_writer_finish(w, NULL), 0);

	data = slurp(path_of("small6"), &size);
	assert_int_equal(size, 0x4000);
	assert_memory_equal(data, small_v6, sizeof(small_v6));
	assert_memory_equal(data + 0x1000, page, 512);
	assert_memory_equal(data + 0x2000, small_v6_instance, sizeof(small_v6_instance));
	assert_memory_equal(data + 0x3000, page, 1024);
	assert_int_equal(data[0x3400], 0);
	free(data);
}

/* A buffer with a name cannot come first: readers would take offset 0 for the top one. */
static void test_top_buffer_is_always_there(void **state)
{
	const struct trace_writer_options options = { .version = 7,
						      .long_size = 8,
						      .page_size = 4096 };
	struct trace_writer *w = trace_writer_new(path_of("named"), &options, NULL);

	(void)state;
	assert_int_equal(trace_writer_buffer(w, "foo", NULL, 0), 1);
	assert_int_equal(trace_writer_finish(w, NULL), 0);
}

/* --- interleaved CPUs ------------------------------------------------------------- */

/* Every sub-buffer tells its CPU and number, so one at a wrong place is seen. */
static void test_cpus_are_kept_apart(void **state)
{
	const struct trace_writer_options options = { .version = 6,
						      .long_size = 8,
						      .page_size = 4096 };
	struct trace_writer *w = trace_writer_new(path_of("apart"), &options, NULL);
	enum { CPUS = 3, PAGES = 500 };
	uint32_t page[1024];
	const uint8_t *table;
	uint8_t *data;
	size_t size;

	(void)state;
	trace_writer_buffer(w, "", NULL, 0);
	for (uint32_t i = 0; i < PAGES; i++)
		for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
			for (uint32_t k = 0; k < 1024; k++)
				page[k] = cpu << 24 | i << 10 | k;
			if (i <= PAGES / (cpu + 1))
				assert_int_equal(trace_writer_pages(w, 0, (int)cpu, page, 4096,
								    NULL),
						 0);
		}
	assert_int_equal(trace_writer_finish(w, NULL), 0);

	data = slurp(path_of("apart"), &size);
	table = memmem(data, size, "flyrecord", 10);
	assert_non_null(table);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		uint64_t offset = load_u64(table + 10 + cpu * 16, HOST_BIG_ENDIAN);
		uint64_t bytes = load_u64(table + 18 + cpu * 16, HOST_BIG_ENDIAN);
		uint32_t pages = cpu ? PAGES / (cpu + 1) + 1 : PAGES;

		assert_int_equal(offset % 4096, 0);
		assert_int_equal(bytes, pages * 4096ull);
		for (uint32_t k = 0; k < pages * 1024; k++)
			assert_int_equal(load_u32(data + offset + k * 4, false), (cpu << 24 | k));
	}
	free(data);
}

/* --- packed by many --------------------------------------------------------------------- */

/* Calls of all lengths, so that chunks begin and end anywhere in them. */
static void write_packed(const char *path, enum trace_compression compression,
			 struct workers *workers)
{
	const struct trace_writer_options options = {
		.version = 7, .long_size = 8, .page_size = 4096, .compression = compression,
		.workers = workers };
	static const unsigned int calls[] = { 1, 10, 9, 11, 3, 57, 1, 200, 20, 2 };
	struct trace_writer *w = trace_writer_new(path, &options, NULL);
	uint32_t *pages = mem_alloc(200 * 4096), x = 1;

	assert_non_null(w);
	trace_writer_buffer(w, "", "mono", 0);
	for (int cpu = 0; cpu < 3; cpu++)
		for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
			for (size_t k = 0; k < calls[i] * 1024; k++)
				pages[k] = k % 7 ? x >> 24 : (x = x * 1664525u + 1013904223u);
			assert_int_equal(trace_writer_pages(w, 0, cpu, pages, calls[i] * 4096,
							    NULL),
					 0);
		}
	assert_int_equal(trace_writer_finish(w, NULL), 0);
	free(pages);
}

static void test_workers_change_nothing(void **state)
{
	static const enum trace_compression compressions[] = { TRACE_ZSTD, TRACE_ZLIB,
							       TRACE_PLAIN };
	uint8_t *one, *many;
	size_t one_size, many_size;

	(void)state;
	for (size_t i = 0; i < sizeof(compressions) / sizeof(compressions[0]); i++) {
		const struct trace_writer_options options = {
			.version = 7, .long_size = 8, .page_size = 4096,
			.compression = compressions[i] };
		struct trace_writer *probe = trace_writer_new(path_of("probe"), &options, NULL);

		/* a codec may not be built in */
		if (!probe)
			continue;
		trace_writer_abort(probe);
		write_packed(path_of("one"), compressions[i], NULL);
		one = slurp(path_of("one"), &one_size);
		for (unsigned int nr = 1; nr <= 5; nr += 2) {
			struct workers *workers = workers_new(nr);

			write_packed(path_of("many"), compressions[i], workers);
			workers_free(workers);
			many = slurp(path_of("many"), &many_size);
			assert_int_equal(many_size, one_size);
			assert_memory_equal(many, one, one_size);
			free(many);
		}
		free(one);
	}
	unlink(path_of("one"));
	unlink(path_of("many"));
}

/* --- refused ------------------------------------------------------------------------ */

static void test_sizes_of_sub_buffers_are_checked(void **state)
{
	static const uint32_t bad[][2] = { { 16, 0 }, { 2u << 20, 0 }, { 4096, 511 } };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct trace_writer_options options = { .version = 7,
							      .long_size = 8,
							      .page_size = bad[i][0] };
		struct trace_writer *w = trace_writer_new(path_of("bad"), &options, NULL);
		struct ft_error err = { 0 };

		trace_writer_buffer(w, "", NULL, 0);
		trace_writer_buffer(w, "second", NULL, bad[i][1]);
		assert_int_equal(trace_writer_finish(w, &err), -1);
		assert_int_equal(err.code, FT_E_LIMIT);
	}
}

static void test_version_6_holds_text_or_buffers(void **state)
{
	const struct trace_writer_options options = { .version = 6,
						      .long_size = 8,
						      .page_size = 4096 };
	struct trace_writer *w = trace_writer_new(path_of("calls"), &options, NULL);
	struct ft_error err = { 0 };

	(void)state;
	trace_writer_buffer(w, "", NULL, 0);
	assert_int_equal(trace_writer_latency_text(w, 0, "x", 1, &err), 0);
	trace_writer_buffer(w, "second", NULL, 0);
	assert_int_equal(trace_writer_finish(w, &err), -1);
	assert_int_equal(err.code, FT_E_UNSUPPORTED);
}

/* trace-cmd writes no such file: of its buffers, the text is read. */
static void test_text_beside_events(void **state)
{
	const struct trace_writer_options options = { .version = 7,
						      .long_size = 8,
						      .page_size = 4096 };
	static const char text[] = "# tracer: irqsoff\n#\n  cat-1       3d..1.    1us : f <-g\n";
	struct trace_writer *w = trace_writer_new(path_of("both"), &options, NULL);
	static const char page[4096];
	struct source *file;
	unsigned int nr = 0;

	(void)state;
	trace_writer_buffer(w, "", NULL, 0);
	trace_writer_buffer(w, "second", NULL, 0);
	assert_int_equal(trace_writer_latency_text(w, 0, text, strlen(text), NULL), 0);
	assert_int_equal(trace_writer_pages(w, 1, 0, page, 4096, NULL), 0);
	assert_int_equal(trace_writer_finish(w, NULL), 0);
	file = source_open(path_of("both"), -1, NULL);
	assert_non_null(file);
	assert_int_equal(source_nr_buffers(file), 2);
	assert_int_equal(source_nr_streams(file), 1);
	assert_int_equal(source_stream(file, 0)->cpu, 3);
	assert_int_equal(source_buffer(file, 1)->nr_streams, 0);
	while (nr < source_nr_warnings(file) &&
	       !strstr(source_warning(file, nr).message, "which are not shown"))
		nr++;
	assert_true(nr < source_nr_warnings(file));
	source_close(file);
	unlink(path_of("both"));
}

/* A file that may not grow: the error has errno's words and the place. */
static void test_full_disk_is_told(void **state)
{
	const struct trace_writer_options options = { .version = 7,
						      .long_size = 8,
						      .page_size = 4096 };
	struct rlimit old, small;
	static char pages[40 * 4096];

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	for (rlim_t limit = 16; limit < 300000; limit = limit * 5 / 2) {
		struct trace_writer *w;
		struct ft_error err = { 0 };
		int ret = 0;

		small = old;
		small.rlim_cur = limit;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		w = trace_writer_new(path_of("full"), &options, &err);
		assert_non_null(w);
		trace_writer_buffer(w, "", NULL, 0);
		for (int i = 0; i < 2 && !ret; i++)
			ret = trace_writer_pages(w, 0, 0, pages, sizeof(pages), &err);
		if (ret)
			trace_writer_abort(w);
		else
			ret = trace_writer_finish(w, &err);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(ret, -1);
		assert_int_equal(err.code, FT_E_IO);
		assert_non_null(strstr(err.message, strerror(EFBIG)));
	}
}

static void test_full_device_is_told(void **state)
{
	const struct trace_writer_options options = { .version = 7,
						      .long_size = 8,
						      .page_size = 4096 };
	struct trace_writer *w;
	struct ft_error err = { 0 };

	(void)state;
	w = trace_writer_new("/dev/full", &options, &err);
	if (!w) {
		print_message("skipped: no /dev/full here\n");
		skip();
	}
	assert_int_equal(trace_writer_finish(w, &err), -1);
	assert_int_equal(err.code, FT_E_IO);
	assert_non_null(strstr(err.message, "/dev/full: cannot write at byte 0: "));
	assert_non_null(strstr(err.message, strerror(ENOSPC)));
	trace_writer_abort(NULL);
}

/* --- read by trace-cmd -------------------------------------------------------------- */

static bool has_trace_cmd(void)
{
	return !system("command -v trace-cmd >/dev/null");
}

static void expected_text(const struct gen_event *event, const struct gen_layout *layout, char *buf,
			  size_t size)
{
	bool swap = layout->big_endian != HOST_BIG_ENDIAN;

	switch (event->type) {
	case GEN_TYPE_TICK:
		snprintf(buf, size, "tick: seq=%u value=%u", load_u32(event->payload + 8, swap),
			 load_u32(event->payload + 12, swap));
		break;
	case GEN_TYPE_TEXT:
		snprintf(buf, size, "text: text=%s", (const char *)event->payload + 12);
		break;
	case GEN_TYPE_BARE:
		snprintf(buf, size, "bare: bare");
		break;
	default:
		fail();
	}
}

/*
 * "  task-25-25  [002]  1000.000003004: tick:     seq=1 value=2" against one event of the list;
 * since 3.3 with flags.
 */
static void compare_line(char *line, const struct gen_trace *trace, const struct gen_event *event)
{
	char want[128], got[128];
	int cpu, pid, at = 0;
	unsigned long long sec, nsec;
	char *bracket = strstr(line, " [");
	char *dash, *colon;

	assert_non_null(bracket);
	if (sscanf(bracket, " [%d] %llu.%llu: %n", &cpu, &sec, &nsec, &at) != 3)
		assert_int_equal(sscanf(bracket, " [%d] %*s %llu.%llu: %n", &cpu, &sec, &nsec, &at),
				 3);
	*bracket = '\0';
	dash = strrchr(line, '-');
	assert_non_null(dash);
	pid = atoi(dash + 1);
	assert_int_equal(cpu, trace->streams[event->stream].cpu);
	assert_int_equal(sec * 1000000000 + nsec, event->ts);
	assert_int_equal(pid, event->pid);
	colon = strchr(bracket + at, ':');
	assert_non_null(colon);
	*colon++ = '\0';
	colon[strcspn(colon, "\n")] = '\0';
	snprintf(got, sizeof(got), "%s: %s", bracket + at, colon + strspn(colon, " "));
	expected_text(event, &trace->options.layout, want, sizeof(want));
	assert_string_equal(got, want);
}

static void compare_with_trace_cmd(const struct gen_options *options, const struct gen_file *file)
{
	struct gen_trace *trace = gen_trace_new(options);
	const struct gen_event **sorted = gen_trace_sorted(trace);
	const struct gen_trace *traces[] = { trace };
	char command[256], line[512];
	struct ft_error err = { 0 };
	uint64_t n = 0;
	FILE *report;

	if (gen_write(path_of("report.dat"), file, traces, NULL, 1, &err))
		fail_msg("%s", err.message);
	snprintf(command, sizeof(command), "trace-cmd report -t %s 2>&1", path_of("report.dat"));
	report = popen(command, "r");
	assert_non_null(report);
	assert_non_null(fgets(line, sizeof(line), report));
	assert_int_equal(strncmp(line, "cpus=", 5), 0);
	while (fgets(line, sizeof(line), report)) {
		if (!strncmp(line, "CPU", 3))		/* lost events; "CPU 3 is empty" */
			continue;
		assert_true(n < trace->nr_events);
		compare_line(line, trace, sorted[n++]);
	}
	pclose(report);
	assert_int_equal(n, trace->nr_events);
	free(sorted);
	gen_trace_free(trace);
}

/*
 * What trace-cmd reads the same way as we do: not unknown ids, tiny records and stamps that wrap.
 */
#define FEATURES_OF_TRACE_CMD (GEN_ALL & ~(GEN_TINY | GEN_UNKNOWN_TYPES))

/* Saved tgids in a section that trace-cmd does not know. */
static const char private[] = TRACE_PRIVATE_MAGIC
	"wall mono 5000 realtime 1700000000000006000 within 321\n"
	"wall mono 6000 realtime 1700000000000009999 within 1\nsaved_tgids 10\n1 1\n25 24\n"
	"later 4\na b\n"
	"tasks 19\n\nmachine 3\nabc\nx 1\n"
	"machine 9\nmemory 5\n";

static const struct gen_file forms[] = {
	{ .version = 6, .private = private },
	{ .version = 7, .private = private },
#ifdef HAVE_ZSTD
	{ .version = 7, .private = private, .compression = TRACE_ZSTD },
	{ .version = 7, .private = private, .compression = TRACE_ZSTD, .chunk_pages = 3 },
#endif
};
static const struct gen_layout layouts[] = {
	{ 4096, 8, false }, { 4096, 4, false }, { 4096, 8, true }, { 4096, 4, true },
	{ 16384, 8, false },
};

#define NR_FORMS	(sizeof(forms) / sizeof(forms[0]))
#define NR_LAYOUTS	(sizeof(layouts) / sizeof(layouts[0]))

static void test_trace_cmd_reads_all_forms(void **state)
{
	(void)state;
	if (!has_trace_cmd()) {
		print_message("skipped: no trace-cmd here\n");
		skip();
	}
	for (size_t i = 0; i < NR_FORMS; i++)
		for (size_t k = 0; k < NR_LAYOUTS; k++) {
			struct gen_options options = {
				.seed = i * 100 + k, .layout = layouts[k],
				.features = FEATURES_OF_TRACE_CMD,
				.nr_cpus = 1 + (int)k * 2,
				.cpu_step = forms[i].version == 7 ? 1 + (int)(k % 2) : 1,
				.pages = 24,
			};

			compare_with_trace_cmd(&options, &forms[i]);
		}
}

static void expect_block(const char *path, enum trace_text kind, const char *expected,
			 unsigned int notes)
{
	struct source *file = source_open(path, -1, NULL);
	const char *text;
	uint64_t size;

	assert_non_null(file);
	text = source_text(file, kind, &size);
	assert_int_equal(size, strlen(expected));
	assert_memory_equal(text, expected, size);
	assert_int_equal(source_nr_warnings(file), notes);
	source_close(file);
}

static void expect_tgids(const char *path, const char *expected, unsigned int notes)
{
	expect_block(path, TRACE_TEXT_TGIDS, expected, notes);
}

static void expect_wall(const char *path, bool has, int64_t offset_ns, uint64_t within_ns)
{
	struct source *file = source_open(path, -1, NULL);
	const struct source_info *info = source_info(file);

	assert_int_equal(info->has_wall, has);
	assert_int_equal(info->wall_offset_ns, offset_ns);
	assert_int_equal(info->wall_within_ns, within_ns);
	source_close(file);
}

static void write_with_private(const struct gen_file *file, const struct gen_layout *layout)
{
	const struct gen_options options = {
		.seed = 3, .layout = *layout, .nr_cpus = 2, .pages = 3
	};
	struct gen_trace *trace = gen_trace_new(&options);
	const struct gen_trace *all[] = { trace };

	assert_int_equal(gen_write(path_of("private.dat"), file, all, NULL, 1, NULL), 0);
	gen_trace_free(trace);
}

static void test_saved_tgids_are_found(void **state)
{
	struct gen_file file;

	(void)state;
	for (size_t i = 0; i < NR_FORMS; i++)
		for (size_t k = 0; k < NR_LAYOUTS; k++) {
			file = forms[i];
			write_with_private(&file, &layouts[k]);
			expect_tgids(path_of("private.dat"), "1 1\n25 24\n", 0);
			/* a block may hold what looks like another one */
			expect_block(path_of("private.dat"), TRACE_TEXT_WHO,
				     "\nmachine 3\nabc\nx 1\n", 0);
			expect_block(path_of("private.dat"), TRACE_TEXT_MACHINE, "memory 5\n", 0);
			file.private = NULL;
			write_with_private(&file, &layouts[k]);
			expect_tgids(path_of("private.dat"), "", 0);
			/* sizes that lie */
			file.private = TRACE_PRIVATE_MAGIC "saved_tgids 11\n1 1\n25 24\n";
			write_with_private(&file, &layouts[k]);
			expect_tgids(path_of("private.dat"), "", 1);
			file.private = TRACE_PRIVATE_MAGIC
				"saved_tgids 0\ntasks 3\nab\nmachine 4\nabc";
			write_with_private(&file, &layouts[k]);
			expect_block(path_of("private.dat"), TRACE_TEXT_WHO, "ab\n", 0);
			expect_block(path_of("private.dat"), TRACE_TEXT_MACHINE, "", 1);
			file.private = TRACE_PRIVATE_MAGIC
				"saved_tgids 99999999999999999999999999999\n1 1\n";
			write_with_private(&file, &layouts[k]);
			expect_tgids(path_of("private.dat"), "", 1);
			file.private = TRACE_PRIVATE_MAGIC "saved_tgids 0\n";
			write_with_private(&file, &layouts[k]);
			expect_tgids(path_of("private.dat"), "", 0);
		}
}

/* The reading at the beginning; one that is cut or no number is none. */
static void test_wall_time_is_found(void **state)
{
	static const char *const none[] = {
		NULL, TRACE_PRIVATE_MAGIC "saved_tgids 0\n",
		TRACE_PRIVATE_MAGIC "wall mono 1 realtime 2 within\nsaved_tgids 0\n",
		TRACE_PRIVATE_MAGIC "wall mono x realtime 2 within 3\n",
		TRACE_PRIVATE_MAGIC "wall mono",
		TRACE_PRIVATE_MAGIC "wall mono 9223372036854775808 realtime 2 within 3\n",
		TRACE_PRIVATE_MAGIC "clock mono 1 realtime 2\nsaved_tgids 0\n",
	};

	(void)state;
	for (size_t i = 0; i < NR_FORMS; i++)
		for (size_t k = 0; k < NR_LAYOUTS; k++) {
			struct gen_file file = forms[i];

			write_with_private(&file, &layouts[k]);
			/* 2 999 apart in the end, and that to 1 */
			expect_wall(path_of("private.dat"), true, 1700000000000001000, 3000);
			for (size_t n = 0; n < sizeof(none) / sizeof(none[0]); n++) {
				file.private = none[n];
				write_with_private(&file, &layouts[k]);
				expect_wall(path_of("private.dat"), false, 0, 0);
			}
		}
}

/* What probes missed is no damage. */
static void test_misses_are_noted(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_FORMS; i++)
		for (size_t k = 0; k < NR_LAYOUTS; k++) {
			struct gen_file file = forms[i];
			struct source *source;

			file.private = TRACE_PRIVATE_MAGIC
				"missed 7 kprobes:done\nmissed x a:b\nmissed 1 gen:text\n"
				"missed 1 gen:bar\nsaved_tgids 20\n\nmissed 9 gen:tick\n";
			write_with_private(&file, &layouts[k]);
			source = source_open(path_of("private.dat"), -1, NULL);
			assert_non_null(source);
			assert_int_equal(source_nr_warnings(source), 3);
			assert_non_null(strstr(source_warning(source, 0).message,
					       "kprobes:done: the kernel's probe missed 7 hits:"));
			assert_non_null(strstr(source_warning(source, 1).message,
					       "gen:text: the kernel's probe missed 1 hit:"));
			for (unsigned int id = 0; id <= GEN_TYPE_BARE; id++)
				if (source_format_by_id(source, (int)id))
					assert_int_equal(source_format_by_id(source, (int)id)
								 ->lacks,
							 id == GEN_TYPE_TEXT ? FORMAT_LACKS_HITS :
									       0);
			assert_non_null(source_format_by_id(source, GEN_TYPE_TEXT));
			assert_false(source_is_damaged(source));
			source_close(source);
		}
}

/* Histograms are a block, which a source hands out; what they dropped is no damage. */
static void test_histograms_are_found(void **state)
{
	static const char kept[] = "# of a:b\n# event histogram\n";
	struct text text = { 0 };

	(void)state;
	for (size_t i = 0; i < NR_FORMS; i++)
		for (size_t k = 0; k < NR_LAYOUTS; k++) {
			struct gen_file file = forms[i];
			struct source *source;

			file.private = TRACE_PRIVATE_MAGIC
				"dropped 7 a:b\nsaved_tgids 0\n"
				"hists 27\n# of a:b\n# event histogram\ntasks 2\nx\n";
			write_with_private(&file, &layouts[k]);
			source = source_open(path_of("private.dat"), -1, NULL);
			assert_non_null(source);
			assert_true(source_histograms(source, NULL));
			text_clear(&text);
			assert_true(source_histograms(source, &text));
			assert_string_equal(text_str(&text), kept);
			assert_int_equal(source_nr_warnings(source), 1);
			assert_non_null(strstr(source_warning(source, 0).message,
					       "a:b: the kernel's histogram was full: 7 hits are"));
			assert_false(source_is_damaged(source));
			source_close(source);
			file.private = TRACE_PRIVATE_MAGIC "saved_tgids 0\n";
			write_with_private(&file, &layouts[k]);
			source = source_open(path_of("private.dat"), -1, NULL);
			assert_false(source_histograms(source, &text));
			source_close(source);
		}
	text_fini(&text);
}

/* As gpuvis' trace-cmd writes them. */
static void test_saved_tgids_of_an_option(void **state)
{
	(void)state;
	for (int version = 6; version <= 7; version++) {
		const struct trace_writer_options options = { .version = version,
							      .long_size = 8,
							      .page_size = 4096 };
		struct trace_writer *w = trace_writer_new(path_of("option.dat"), &options, NULL);

		assert_non_null(w);
		gen_write_metadata(w, &layouts[0]);
		trace_writer_option(w, 32, "7 6\n", 5);
		trace_writer_buffer(w, "", "local", 0);
		assert_int_equal(trace_writer_finish(w, NULL), 0);
		expect_tgids(path_of("option.dat"), "7 6\n", 0);
	}
}

static void test_trace_cmd_reads_a_long_file(void **state)
{
	const struct gen_options options = {
		.seed = 5, .layout = { 4096, 8, false }, .features = FEATURES_OF_TRACE_CMD,
		.nr_cpus = 2, .pages = 200,
		.records = 40,
	};
	const struct gen_file file = { .version = 7 };

	(void)state;
	if (!has_trace_cmd()) {
		print_message("skipped: no trace-cmd here\n");
		skip();
	}
	compare_with_trace_cmd(&options, &file);
}

/*
 * It reads to the end of the file, in pieces of BUFSIZ, and prints of each what comes before a NUL:
 * nothing is to lie behind the text.
 */
static void test_trace_cmd_reads_latency_text(void **state)
{
	static char text[2 * BUFSIZ + 1], got[3 * BUFSIZ];
	static const struct gen_file files[] = {
		{ .version = 6, .latency_text = text },
		{ .version = 7, .latency_text = text },
#ifdef HAVE_ZSTD
		{ .version = 7, .latency_text = text, .compression = TRACE_ZSTD },
#endif
	};
	const struct gen_options options = { .layout = { 4096, 8, false },
					     .nr_cpus = 1,
					     .pages = 0 };
	struct gen_trace *trace = gen_trace_new(&options);
	const struct gen_trace *traces[] = { trace };

	(void)state;
	/* of these lengths one has a piece begin in any word that might lie behind */
	for (size_t k = 0; k < 50 * sizeof(files) / sizeof(files[0]) && has_trace_cmd(); k++) {
		size_t i = k / 50, len = k % 50 ? 2 * BUFSIZ + 1 - 7 * (k % 50) : 60;
		char command[256];
		FILE *report;

		for (size_t at = 0; at < len; at++)
			text[at] = at % 60 == 59 || at + 1 == len ? '\n' : (char)('a' + at % 23);
		text[len] = '\0';
		assert_int_equal(gen_write(path_of("latency.dat"), &files[i], traces, NULL, 1,
					   NULL),
				 0);
		snprintf(command, sizeof(command), "trace-cmd report %s 2>/dev/null",
			 path_of("latency.dat"));
		report = popen(command, "r");
		assert_non_null(report);
		got[fread(got, 1, sizeof(got) - 1, report)] = '\0';
		pclose(report);
		/* behind a line of its own, "cpus=1" */
		assert_non_null(strchr(got, '\n'));
		if (strncmp(strchr(got, '\n') + 1, text, len) != 0 ||
		    strcmp(strchr(got, '\n') + 1 + len, "\n") != 0)
			fail_msg(
				"file %zu, text of %zu bytes: %zu bytes printed, which end with '%.40s'",
				i, len, strlen(got), got + strlen(got) - 40);
	}
	gen_trace_free(trace);
}

/* --- the generator ---------------------------------------------------------------------- */

static void test_generator_repeats_itself(void **state)
{
	const struct gen_options options = {
		.seed = 9, .layout = { 8192, 4, true }, .features = GEN_ALL, .nr_cpus = 5,
		.pages = 30 };
	struct gen_trace *a = gen_trace_new(&options);
	struct gen_trace *b = gen_trace_new(&options);

	(void)state;
	assert_true(a->nr_events > 1000);
	assert_int_equal(a->nr_events, b->nr_events);
	for (uint32_t i = 0; i < a->nr_streams; i++) {
		assert_int_equal(a->streams[i].nr_pages, b->streams[i].nr_pages);
		if (a->streams[i].nr_pages)
			assert_memory_equal(a->streams[i].pages, b->streams[i].pages,
					    a->streams[i].nr_pages * 8192ull);
	}
	gen_trace_free(a);
	gen_trace_free(b);
}

/* One record of each kind, against bytes written out by hand. */
static void test_generated_records(void **state)
{
	static const uint8_t little[] = {
		0x15, 0xcd, 0x5b, 0x07, 0, 0, 0, 0,		/* stamp 123456789 */
		/* commit 44, lost, counted; sign-extended */
		0x2c, 0, 0, 0xc0, 0xff, 0xff, 0xff, 0xff,
		0x61, 0, 0, 0, 1, 2, 3, 4,			/* type_len 1, delta 3 */
		/* type_len 0, delta 4, length 8 with itself */
		0x80, 0, 0, 0, 8, 0, 0, 0, 5, 6, 7, 8,
		0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0,		/* extend by 2^28 - 1 */
		0x1f, 0, 0, 0, 2, 0, 0, 0,			/* absolute 2^28 */
		0xbd, 0, 0, 0, 4, 0, 0, 0,			/* discarded, delta 5, length 4 */
		9, 0, 0, 0, 0, 0, 0, 0,				/* lost count */
	};
	static const uint8_t big_headers[] = {
		0, 0, 0, 0, 0x07, 0x5b, 0xcd, 0x15, 0, 0, 0, 16,
		0x08, 0, 0, 3, 1, 2, 3, 4,
		0xe8, 0, 0, 5, 0, 0, 0, 4,
	};
	const struct gen_layout layout = { 512, 8, false }, big = { 512, 4, true };
	static const uint8_t payload[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint8_t bytes[512];
	struct gen_page p;

	(void)state;
	gen_page_begin(&p, &layout, bytes, 123456789);
	assert_int_equal(gen_page_record(&p, 3, payload, 4, false), 16);
	assert_int_equal(gen_page_record(&p, 4, payload + 4, 4, true), 24);
	assert_int_equal(gen_page_extend(&p, (1u << 28) - 1), 36);
	assert_int_equal(p.ts, 123456789 + 7 + (1u << 28) - 1);
	assert_int_equal(gen_page_absolute(&p, 1u << 28), 44);
	assert_int_equal(p.ts, 1u << 28);
	assert_int_equal(gen_page_discarded(&p, 5, 4), 52);
	assert_int_equal(p.ts, (1u << 28) + 5);
	assert_int_equal(gen_page_end(&p, GEN_LOST_COUNTED, 9), GEN_LOST_COUNTED);
	assert_memory_equal(bytes, little, sizeof(little));

	gen_page_begin(&p, &big, bytes, 123456789);
	gen_page_record(&p, 3, payload, 4, false);
	gen_page_discarded(&p, 5, 4);
	gen_page_end(&p, GEN_LOST_NONE, 0);
	assert_memory_equal(bytes, big_headers, sizeof(big_headers));
}

/* 59 bits wrap: 2^60 - 1 plus two, with the top bits set. */
static void test_generated_absolute_stamp_wraps(void **state)
{
	const struct gen_layout layout = { 512, 8, false };
	uint8_t bytes[512];
	struct gen_page p;

	(void)state;
	gen_page_begin(&p, &layout, bytes, (1ull << 60) - 1);
	gen_page_absolute(&p, (1ull << 60) + 1);
	assert_int_equal(p.ts, (1ull << 60) + 1);
}

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/ftop-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	static const char *const names[] = { "small",       "small6",     "named",
					     "apart",       "report.dat", "latency.dat",
					     "private.dat", "option.dat", "bad",        "calls",
					     "full",        "probe" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	return rmdir(dir);		/* fails if a writer left something behind */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_of_version_7),
		cmocka_unit_test(test_bytes_of_version_6),
		cmocka_unit_test(test_top_buffer_is_always_there),
		cmocka_unit_test(test_cpus_are_kept_apart),
		cmocka_unit_test(test_workers_change_nothing),
		cmocka_unit_test(test_sizes_of_sub_buffers_are_checked),
		cmocka_unit_test(test_version_6_holds_text_or_buffers),
		cmocka_unit_test(test_text_beside_events),
		cmocka_unit_test(test_full_disk_is_told),
		cmocka_unit_test(test_full_device_is_told),
		cmocka_unit_test(test_trace_cmd_reads_all_forms),
		cmocka_unit_test(test_wall_time_is_found),
		cmocka_unit_test(test_misses_are_noted),
		cmocka_unit_test(test_histograms_are_found),
		cmocka_unit_test(test_saved_tgids_are_found),
		cmocka_unit_test(test_saved_tgids_of_an_option),
		cmocka_unit_test(test_trace_cmd_reads_a_long_file),
		cmocka_unit_test(test_trace_cmd_reads_latency_text),
		cmocka_unit_test(test_generator_repeats_itself),
		cmocka_unit_test(test_generated_records),
		cmocka_unit_test(test_generated_absolute_stamp_wraps),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
