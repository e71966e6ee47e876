/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/raw_page.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/sub_buffer.h"

struct raw_page_layout raw_page_layout(const char *header_page)
{
	const char *data = strstr(header_page, " data;");
	const char *offset = data ? strstr(data, "offset:") : NULL;
	const char *size = data ? strstr(data, "size:") : NULL;
	struct raw_page_layout layout = { 0 };
	unsigned long before, bytes;

	if (!offset || !size)
		return layout;
	before = strtoul(offset + 7, NULL, 10);
	bytes = strtoul(size + 5, NULL, 10);
	if ((before != 12 && before != 16) || bytes > TRACE_MAX_PAGE_SIZE - before || before + bytes < TRACE_MIN_PAGE_SIZE)
		return layout;
	layout.data = (uint32_t)before;
	layout.size = (uint32_t)(before + bytes);
	return layout;
}

static void open_page(const struct raw_page_layout *layout, const void *page, struct sub_buffer *sb)
{
	const struct sub_buffer_layout native = {
		.page_size = layout->size, .data_offset = layout->data, .commit_offset = 8,
		.long_size = (uint8_t)(layout->data - 8), .big_endian = HOST_BIG_ENDIAN,
	};

	sub_buffer_open(sb, &native, page, layout->size);
}

bool raw_page_times(const struct raw_page_layout *layout, const void *page, uint64_t *first, uint64_t *last)
{
	struct sub_buffer sb;
	struct record rec;
	bool any = false;

	open_page(layout, page, &sb);
	while (sub_buffer_next(&sb, &rec)) {
		if (!any)
			*first = rec.ts;
		*last = rec.ts;
		any = true;
	}
	return any;
}
