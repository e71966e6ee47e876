/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file.h"
#include "parsers/pages/page_reader.h"
#include "src/base/memory.h"

#define WINDOW_BYTES (256u << 10)

/* --- writing ---------------------------------------------------------------------- */

static const enum trace_text texts[] = {
	TRACE_TEXT_HEADER_PAGE, TRACE_TEXT_HEADER_EVENT, TRACE_TEXT_KALLSYMS,
	TRACE_TEXT_BTF, TRACE_TEXT_PRINTK, TRACE_TEXT_CMDLINES,
};
#define NR_TEXTS (sizeof(texts) / sizeof(texts[0]))

static void write_metadata(const struct source *from, struct trace_writer *w,
			   const struct rewrite_form *form)
{
	const struct source_info *info = source_info(from);
	char offset[24];
	int len = snprintf(offset, sizeof(offset), "%lld", form->offset_ns);

	for (size_t i = 0; i < NR_TEXTS; i++) {
		uint64_t size;
		const char *text = source_text(from, texts[i], &size);

		trace_writer_text(w, texts[i], text, size);
	}
	for (unsigned int i = 0; i < source_nr_formats(from); i++) {
		const struct source_format *format = source_format(from, i);

		trace_writer_format(w, format->system, format->text, format->size);
	}
	for (unsigned int i = 0; i < trace_file_nr_options(from); i++) {
		const struct trace_file_option *option = trace_file_option(from, i);

		trace_writer_option(w, option->id, option->data, option->size);
	}
	if (form->offset_ns)
		trace_writer_option(w, TRACE_OPTION_OFFSET, offset, (uint32_t)len + 1);
	if (info->has_trace_clock)
		trace_writer_clock(w, info->clock_text);
	trace_writer_cpu_count(w, (uint32_t)info->cpu_count);
}

/* A cut sub-buffer is completed with zeros: files hold whole ones only. */
static int write_cut_page(struct trace_writer *w, int buffer, int cpu, const uint8_t *page,
			  uint32_t bytes, uint32_t page_size, struct ft_error *err)
{
	uint8_t *whole = mem_array(page_size, 1);
	int ret;

	memcpy(whole, page, bytes);
	ret = trace_writer_pages(w, buffer, cpu, whole, page_size, err);
	free(whole);
	return ret;
}

static int write_stream(const struct source *from, unsigned int stream, struct trace_writer *w,
			struct ft_error *err)
{
	const struct source_stream *s = source_stream(from, stream);
	uint32_t page_size = source_buffer(from, (unsigned int)s->buffer)->layout.page_size;
	struct page_reader *reader = page_reader_new(from, WINDOW_BYTES);
	uint64_t pages = source_stream_pages(from, stream);
	uint32_t nr, last;
	int ret = 0;

	for (uint64_t page = 0; page < pages && !ret; page += nr) {
		const uint8_t *data = page_reader_get(reader, stream, page, &nr, &last);
		uint64_t whole = data ? (uint64_t)(last == page_size ? nr : nr - 1) * page_size : 0;

		if (!data) {
			ret = ft_error_set(err, FT_E_IO, -1,
					   "sub-buffer %u of CPU %d cannot be read",
					   (unsigned int)page, s->cpu);
			break;
		}
		ret = trace_writer_pages(w, s->buffer, s->cpu, data, whole, err);
		if (!ret && last != page_size)
			ret = write_cut_page(w, s->buffer, s->cpu, data + whole, last, page_size,
					     err);
	}
	page_reader_free(reader);
	return ret;
}

static int write_buffers(const struct source *from, struct trace_writer *w,
			 const struct rewrite_form *form, struct ft_error *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < source_nr_buffers(from) && !ret; i++) {
		const struct source_buffer *buffer = source_buffer(from, i);
		uint64_t size;
		const char *text = trace_file_latency_text(from, i, &size);

		trace_writer_buffer(w, buffer->name, buffer->clock[0] ? buffer->clock : NULL,
				    buffer->is_text ? source_info(from)->page_size :
						      buffer->layout.page_size);
		if (buffer->is_text)
			ret = trace_writer_latency_text(w, (int)i, text, size, err);
		for (unsigned int k = 0; k < buffer->nr_streams && !buffer->is_text && !ret; k++)
			if (!form->one_cpu ||
			    source_stream(from, buffer->first_stream + k)->cpu == form->cpu)
				ret = write_stream(from, buffer->first_stream + k, w, err);
	}
	return ret;
}

int rewrite_trace(const struct source *from, const char *path, const struct rewrite_form *form,
		  struct ft_error *err)
{
	const struct source_info *info = source_info(from);
	struct trace_writer_options options = {
		.version = form->version, .big_endian = info->big_endian,
		.long_size = info->user_long_size,
		.page_size = info->page_size, .compression = form->compression,
		.chunk_pages = form->chunk_pages,
	};
	struct trace_writer *w = trace_writer_new(path, &options, err);

	if (!w)
		return -1;
	write_metadata(from, w, form);
	if (write_buffers(from, w, form, err)) {
		trace_writer_abort(w);
		return -1;
	}
	return trace_writer_finish(w, err);
}

/* --- comparing ---------------------------------------------------------------------- */

static char difference[256];

static const char *compare_texts(const struct source *a, const struct source *b)
{
	for (size_t i = 0; i < NR_TEXTS; i++) {
		uint64_t size_a, size_b;
		const char *text_a = source_text(a, texts[i], &size_a);
		const char *text_b = source_text(b, texts[i], &size_b);

		/* version 6 has no place for it */
		if (texts[i] == TRACE_TEXT_BTF && source_info(b)->version == 6 && !size_b)
			continue;
		if (size_a != size_b || memcmp(text_a, text_b, size_a)) {
			snprintf(difference, sizeof(difference), "texts of kind %d differ",
				 (int)texts[i]);
			return difference;
		}
	}
	if (source_nr_formats(a) != source_nr_formats(b))
		return "numbers of formats differ";
	for (unsigned int i = 0; i < source_nr_formats(a); i++) {
		const struct source_format *x = source_format(a, i), *y = source_format(b, i);

		if (strcmp(x->system, y->system) || x->size != y->size ||
		    memcmp(x->text, y->text, x->size)) {
			snprintf(difference, sizeof(difference), "formats %u differ", i);
			return difference;
		}
	}
	return NULL;
}

static const char *compare_streams(const struct source *a, unsigned int i, const struct source *b,
				   unsigned int k, uint32_t page_size)
{
	struct page_reader *reader_a = page_reader_new(a, WINDOW_BYTES);
	struct page_reader *reader_b = page_reader_new(b, page_size);
	uint64_t pages = source_stream_pages(a, i);
	const char *found = NULL;

	if (pages != source_stream_pages(b, k))
		found = "numbers of sub-buffers differ";
	for (uint64_t page = 0; page < pages && !found; page++) {
		uint32_t nr, last_a, last_b;
		const uint8_t *data_a = page_reader_get(reader_a, i, page, &nr, &last_a);
		const uint8_t *data_b;

		if (data_a && nr > 1)
			last_a = page_size;
		data_b = page_reader_get(reader_b, k, page, &nr, &last_b);
		if (data_a && data_b && !memcmp(data_a, data_b, last_a))
			continue;
		snprintf(difference, sizeof(difference), "stream %u, sub-buffer %u differ", i,
			 (unsigned int)page);
		found = difference;
	}
	page_reader_free(reader_a);
	page_reader_free(reader_b);
	return found;
}

static const char *compare_buffers(const struct source *a, const struct source *b)
{
	if (source_nr_buffers(a) != source_nr_buffers(b))
		return "numbers of buffers differ";
	for (unsigned int i = 0; i < source_nr_buffers(a); i++) {
		const struct source_buffer *x = source_buffer(a, i), *y = source_buffer(b, i);
		uint64_t size_x, size_y;
		const char *text_x = trace_file_latency_text(a, i, &size_x);
		const char *text_y = trace_file_latency_text(b, i, &size_y);

		if (strcmp(x->name, y->name) || x->is_text != y->is_text ||
		    x->nr_cpus != y->nr_cpus)
			return "buffers differ";
		if (size_x != size_y || memcmp(text_x, text_y, size_x))
			return "latency texts differ";
	}
	return NULL;
}

/* The stream of the same buffer and CPU; empty CPUs have one in some forms only. */
static const char *compare_data(const struct source *a, const struct source *b)
{
	unsigned int nr_b = source_nr_streams(b);
	unsigned int k = 0;
	const char *found;

	for (unsigned int i = 0; i < source_nr_streams(a); i++) {
		const struct source_stream *s = source_stream(a, i);
		const struct source_buffer *buffer = source_buffer(a, (unsigned int)s->buffer);

		if (!source_stream_pages(a, i))
			continue;
		while (k < nr_b && !source_stream_pages(b, k))
			k++;
		if (k == nr_b || source_stream(b, k)->cpu != s->cpu ||
		    source_stream(b, k)->buffer != s->buffer)
			return "streams differ";
		found = compare_streams(a, i, b, k, buffer->layout.page_size);
		if (found)
			return found;
		k++;
	}
	while (k < nr_b && !source_stream_pages(b, k))
		k++;
	return k < nr_b ? "there are more streams" : NULL;
}

const char *rewrite_difference(const struct source *a, const struct source *b)
{
	const char *found = compare_texts(a, b);

	if (!found)
		found = compare_buffers(a, b);
	if (!found)
		found = compare_data(a, b);
	return found;
}
