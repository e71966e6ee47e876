/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_FILE_BYTES_H
#define FTOP_TESTS_FILE_BYTES_H
/*
 * file_bytes - puts the bytes of a trace.dat one field after the other, in either
 * byte order, and opens them as a file in memory.  For tests.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "parsers/pages/page_reader.h"
#include "parsers/file/trace_file.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"

struct file_bytes {
	uint8_t		 data[1 << 17];
	size_t		 len;
	bool		 big_endian;
};

/* Overwrite a number at a place that was put before. */
static inline void fb_patch(struct file_bytes *b, size_t at, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		b->data[at + i] = (uint8_t)(value >> 8 * (b->big_endian ? width - 1 - i : i));
}

/* Append a number; returns where it stands. */
static inline size_t fb_put(struct file_bytes *b, uint64_t value, int width)
{
	size_t at = b->len;

	assert(b->len + (size_t)width <= sizeof(b->data));
	b->len += (size_t)width;
	fb_patch(b, at, value, width);
	return at;
}

static inline size_t fb_u8(struct file_bytes *b, uint8_t v)
{
	return fb_put(b, v, 1);
}
static inline size_t fb_u16(struct file_bytes *b, uint16_t v)
{
	return fb_put(b, v, 2);
}
static inline size_t fb_u32(struct file_bytes *b, uint32_t v)
{
	return fb_put(b, v, 4);
}
static inline size_t fb_u64(struct file_bytes *b, uint64_t v)
{
	return fb_put(b, v, 8);
}

static inline size_t fb_bytes(struct file_bytes *b, const void *bytes, size_t n)
{
	size_t at = b->len;

	assert(b->len + n <= sizeof(b->data));
	memcpy(b->data + b->len, bytes, n);
	b->len += n;
	return at;
}

static inline size_t fb_text(struct file_bytes *b, const char *s)	/* without its NUL */
{
	return fb_bytes(b, s, strlen(s));
}

static inline size_t fb_string(struct file_bytes *b, const char *s)	/* with its NUL */
{
	return fb_bytes(b, s, strlen(s) + 1);
}

static inline void fb_align(struct file_bytes *b, size_t to)
{
	while (b->len % to)
		fb_u8(b, 0);
}

/* A v7 section header; its size is put by fb_section_end(). */
static inline size_t fb_section(struct file_bytes *b, uint16_t id, uint16_t flags)
{
	size_t at = fb_u16(b, id);	/* id */

	fb_u16(b, flags);		/* flags */
	fb_u32(b, UINT32_MAX);		/* description: none */
	fb_u64(b, 0);			/* size */
	return at;
}

static inline void fb_section_end(struct file_bytes *b, size_t at)
{
	fb_patch(b, at + 8, b->len - at - 16, 8);
}

/* Option header; the size is put by fb_option_end(). */
static inline size_t fb_option(struct file_bytes *b, uint16_t id)
{
	size_t at = fb_u16(b, id);	/* id */

	fb_u32(b, 0);			/* size */
	return at;
}

static inline void fb_option_end(struct file_bytes *b, size_t at)
{
	fb_patch(b, at + 2, b->len - at - 6, 4);
}

static inline int fb_memfd(const void *data, size_t len)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	assert(fd >= 0);
	if (write(fd, data, len) != (ssize_t)len)
		abort();
	return fd;
}

static inline struct source *fb_open_bytes(const void *data, size_t len, struct ft_error *err)
{
	int fd = fb_memfd(data, len);
	struct source *file;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = source_open(path, -1, err);
	close(fd);
	return file;
}

static inline struct source *fb_open(const struct file_bytes *b, struct ft_error *err)
{
	return fb_open_bytes(b->data, b->len, err);
}

/*
 * Ask for all that a file has to tell: nothing may crash, whatever its bytes are.  Returns the
 * bytes of trace data read.
 */
static inline uint64_t fb_use(const struct source *file)
{
	struct page_reader *reader = page_reader_new(file, 4096);
	uint64_t size, sum = 0;

	for (int kind = TRACE_TEXT_HEADER_PAGE; kind <= TRACE_TEXT_PRIVATE; kind++) {
		const char *text = source_text(file, kind, &size);

		if (text[size] != '\0')
			abort();
	}
	for (unsigned int i = 0; i < source_nr_formats(file); i++) {
		const struct source_format *format = source_format(file, i);

		if (format->size && format->text[format->size - 1] == 1)
			sum++;
	}
	for (unsigned int i = 0; i < source_nr_buffers(file); i++)
		if (trace_file_latency_text(file, i, &size)[size] != '\0')
			abort();
	for (unsigned int i = 0; i < source_nr_streams(file); i++) {
		uint64_t pages = source_stream_pages(file, i);
		uint32_t nr, last;

		for (uint64_t page = 0; page < pages; page += nr) {
			const uint8_t *data = page_reader_get(reader, i, page, &nr, &last);
			uint32_t page_size = source_buffer(file, source_stream(file, i)->buffer)
						     ->layout.page_size;

			if (!data)
				break;
			if (!nr || nr > pages - page || !last || last > page_size)
				abort();
			for (size_t n = 0; n < (size_t)(nr - 1) * page_size + last; n++)
				sum += data[n] ? 1 : 1;		/* touch each byte */
		}
	}
	page_reader_free(reader);
	return sum;
}

/* True if a note holds these words. */
static inline bool fb_noted(const struct source *file, const char *words)
{
	for (unsigned int i = 0; i < source_nr_warnings(file); i++) {
		struct ft_error note = source_warning(file, i);

		if (strstr(note.message, words))
			return true;
	}
	return false;
}
#endif
