/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/file/format_list.h"

#include <string.h>

#include "parsers/io/trace_format.h"
#include "parsers/source/source_form.h"

/* The number in the "ID:" line, the second line of a format file; -1 if there is none. */
static int format_id(const char *text, uint32_t size)
{
	const char *end = text + size, *line = text;

	for (int i = 0; i < 4 && line < end; i++) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		if (end - line > 3 && !memcmp(line, "ID:", 3)) {
			const char *p = line + 3;
			int id = 0;

			while (p < end && *p == ' ')
				p++;
			if (p == end || *p < '0' || *p > '9')
				return -1;
			for (; p < end && *p >= '0' && *p <= '9' && id < 65536; p++)
				id = id * 10 + (*p - '0');
			return id < 65536 ? id : -1;
		}
		if (!newline)
			return -1;
		line = newline + 1;
	}
	return -1;
}

/* count x (u64 size, text) */
bool format_list_system(struct source_formats *formats, struct byte_reader *r, const char *system)
{
	uint32_t nr = byte_reader_u32(r);

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t size = byte_reader_u64(r);
		const char *text = (const char *)byte_reader_bytes(r, size);

		if (!text || size > UINT32_MAX || formats->nr >= 2 * TRACE_MAX_FORMATS)
			return false;
		source_add_format(formats, &(struct source_format){
			.system = system, .text = text, .size = (uint32_t)size,
			.id = format_id(text, (uint32_t)size) });
	}
	return !r->failed;
}

bool format_list_all(struct source_formats *formats, struct byte_reader *r)
{
	uint32_t systems = byte_reader_u32(r);

	for (uint32_t i = 0; i < systems; i++) {
		const char *name = byte_reader_string(r);

		if (!name || !format_list_system(formats, r, name))
			return false;
	}
	return !r->failed;
}
