/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_container - opens the bytes as a trace.dat, asks for all that it has, reads all sub-buffers
 * and their records.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/types/event_types.h"
#include "parsers/pages/page_reader.h"
#include "parsers/source/sub_buffer.h"
#include "parsers/file/trace_file.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/samples.h"

#define MAX_PAGES_READ	64u		/* of a stream: a small file can unpack to gigabytes */
#define MAX_STREAMS_READ 64u

const char fuzz_name[] = "fuzz_container";

/* Read every byte, so that a sanitizer sees one that is not there. */
static uint64_t sum;

static void touch(const void *data, uint64_t size)
{
	const uint8_t *bytes = data;

	for (uint64_t i = 0; i < size; i++)
		sum += bytes[i];
}

static void touch_string(const char *s)
{
	touch(s, strlen(s));
}

static void check_info(const struct source *file)
{
	const struct source_info *info = source_info(file);

	assert(info->version == 6 || info->version == 7);
	touch_string(info->compression);
	touch_string(info->compression_version);
	touch_string(info->uname);
	touch_string(info->writer);
	touch_string(info->clock_text);
	for (unsigned int i = 0; i < trace_file_nr_options(file); i++) {
		const struct trace_file_option *option = trace_file_option(file, i);

		touch(option->data, option->size);
	}
	for (int cpu = -1; cpu < 5; cpu++) {
		const struct trace_time_shift *shift = source_time_shift(file, cpu, NULL, NULL);

		for (unsigned int i = 0; shift && i < shift->nr; i++)
			sum += shift->times[i] + (uint64_t)shift->offsets[i] + shift->scaling[i] +
			       shift->fraction[i];
	}
}

static void check_texts(const struct source *file)
{
	uint64_t size;

	for (int kind = TRACE_TEXT_HEADER_PAGE; kind <= TRACE_TEXT_PRIVATE; kind++) {
		const char *text = source_text(file, (enum trace_text)kind, &size);

		touch(text, size + 1);
		assert(text[size] == '\0');
	}
	for (unsigned int i = 0; i < source_nr_formats(file); i++) {
		const struct source_format *format = source_format(file, i);

		touch_string(format->system);
		touch(format->text, format->size);
		if (format->id >= 0)
			assert(source_format_by_id(file, format->id));
	}
	for (unsigned int i = 0; i < source_nr_buffers(file); i++) {
		const struct source_buffer *buffer = source_buffer(file, i);
		const char *text = trace_file_latency_text(file, i, &size);

		touch_string(buffer->name);
		touch_string(buffer->clock);
		touch(text, size + 1);
		assert(buffer->first_stream + buffer->nr_streams <= source_nr_streams(file));
	}
}

static void walk(const struct sub_buffer_layout *layout, const uint8_t *page, uint32_t len,
		 struct event_types *types)
{
	struct sub_buffer sb;
	struct record rec;

	sub_buffer_open(&sb, layout, page, len);
	while (sub_buffer_next(&sb, &rec)) {
		const struct event_type *type = NULL;

		assert(rec.data >= page && rec.data <= page + len &&
		       rec.size <= (size_t)(page + len - rec.data));
		touch(rec.data, rec.size);
		if (rec.size >= 2)
			type = event_types_find(types, load_u16(rec.data, layout->swap));
		if (type)
			touch_string(type->name);
	}
	assert(sb.damage_offset <= len);
}

static void read_stream(const struct source *file, unsigned int stream, uint32_t window,
			struct event_types *types)
{
	const struct source_stream *s = source_stream(file, stream);
	const struct sub_buffer_layout *layout =
		&source_buffer(file, (unsigned int)s->buffer)->layout;
	struct page_reader *reader = page_reader_new(file, window);
	uint64_t pages = source_stream_pages(file, stream);
	uint64_t page = 0;

	assert(layout->page_size >= TRACE_MIN_PAGE_SIZE &&
	       layout->page_size <= TRACE_MAX_PAGE_SIZE);
	while (page < pages && page < MAX_PAGES_READ) {
		uint32_t nr, last;
		const uint8_t *data = page_reader_get(reader, stream, page, &nr, &last);

		if (!data) {
			page++;
			continue;
		}
		assert(nr >= 1 && nr <= pages - page && last >= 1 && last <= layout->page_size);
		for (uint32_t i = 0; i < nr; i++)
			walk(layout, data + (size_t)i * layout->page_size,
			     i + 1 < nr ? layout->page_size : last, types);
		page_reader_offset(reader, stream, page);
		page += nr;
	}
	page_reader_free(reader);
}

static void check_file(struct source *file)
{
	struct event_types *types;

	check_info(file);
	check_texts(file);
	types = event_types_new(file);
	for (unsigned int i = 0; i < source_nr_streams(file) && i < MAX_STREAMS_READ; i++)
		read_stream(file, i, i % 2 ? 1 : 16384, types);
	event_types_free(types);
	for (unsigned int i = 0; i < source_nr_warnings(file); i++) {
		struct ft_error note = source_warning(file, i);

		touch_string(note.message);
		assert(note.message[0]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct ft_error err = { 0 };
	struct source *file;

	if (!path)
		return 0;
	file = source_open(path, -1, &err);
	if (!file) {
		assert(err.code != FT_E_NONE && err.message[0]);
		assert(err.code == FT_E_IO || err.code == FT_E_NOMEM ||
		       (err.offset >= 0 && (uint64_t)err.offset <= size));
		return 0;
	}
	check_file(file);
	source_close(file);
	return 0;
}

/* Saved tgids, which have a place of their own in each version. */
static int write_private(int version, const char *path)
{
	static const char text[] = TRACE_PRIVATE_MAGIC
		"wall mono 1 realtime 2 within 3\nsaved_tgids 10\n1 1\n25 24\n";
	const struct gen_options options = {
		.seed = 3, .layout = { 4096, 8, false }, .nr_cpus = 1, .pages = 1, .records = 9
	};
	const struct gen_file file = { .version = version, .private = text };
	struct gen_trace *trace = gen_trace_new(&options);
	const struct gen_trace *all[] = { trace };
	int ret = gen_write(path, &file, all, NULL, 1, NULL);

	gen_trace_free(trace);
	return ret;
}

static int write_seed(unsigned int i, const char *path)
{
	return i < samples_nr() ? sample_write(sample_at(i), path, NULL) :
				  write_private(6 + (int)(i - samples_nr()), path);
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	const char *path = fuzz_path("seed");

	for (unsigned int i = 0; i < samples_nr() + 2; i++)
		if (!write_seed(i, path))
			fuzz_add_file(path, add, arg);
	unlink(path);
}
