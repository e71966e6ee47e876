/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/raw_page.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/source/sub_buffer.h"

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
	if ((before != 12 && before != 16) || bytes > TRACE_MAX_PAGE_SIZE - before ||
	    before + bytes < TRACE_MIN_PAGE_SIZE)
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

bool raw_page_times(const struct raw_page_layout *layout, const void *page, uint64_t *first,
		    uint64_t *last)
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

unsigned int raw_page_stamps(const struct raw_page_layout *layout, const void *page,
			     uint64_t *stamps)
{
	unsigned int nr = 0, most = layout->size / 8;
	struct sub_buffer sb;
	struct record rec;

	open_page(layout, page, &sb);
	while (nr < most && sub_buffer_next(&sb, &rec))
		stamps[nr++] = rec.ts;
	return nr;
}

/* Make the page begin with the record at @offset, whose stamp becomes the page's. */
static void begin_with(const struct raw_page_layout *layout, uint8_t *page, uint32_t offset,
		       uint32_t end, uint64_t ts)
{
	uint32_t word;

	memmove(page + layout->data, page + offset, end - offset);
	memcpy(page, &ts, sizeof(ts));
	memcpy(&word, page + layout->data, sizeof(word));
	word &= HOST_BIG_ENDIAN ? ~((1u << SUB_BUFFER_TS_SHIFT) - 1) : 31;
	memcpy(page + layout->data, &word, sizeof(word));
}

/* The length and the flags of lost events are in the low half of the commit word. */
static uint32_t low_offset(const struct raw_page_layout *layout)
{
	return 8 + (HOST_BIG_ENDIAN && layout->data == 16 ? 4 : 0);
}

static uint32_t commit_of(const struct raw_page_layout *layout, const uint8_t *page)
{
	uint32_t commit;

	memcpy(&commit, page + low_offset(layout), sizeof(commit));
	return commit;
}

static void set_length(const struct raw_page_layout *layout, uint8_t *page, uint32_t length,
		       bool same_first)
{
	uint32_t commit = (same_first ? commit_of(layout, page) & TRACE_COMMIT_LOST : 0) | length;

	memset(page + 8, 0, layout->data - 8);
	memcpy(page + low_offset(layout), &commit, sizeof(commit));
	memset(page + layout->data + length, 0, layout->size - layout->data - length);
}

unsigned int raw_page_keep(const struct raw_page_layout *layout, void *page, uint64_t first,
			   uint64_t last)
{
	uint32_t from = 0, end = layout->data;
	bool left_out = false, other_first = false;
	unsigned int nr = 0;
	uint64_t ts = 0;
	struct sub_buffer sb;
	struct record rec;

	open_page(layout, page, &sb);
	while (sub_buffer_next(&sb, &rec)) {
		if (rec.ts < first || rec.ts > last) {
			left_out = true;
			continue;
		}
		if (!nr++) {
			from = rec.offset;
			ts = rec.ts;
			other_first = left_out;
		}
		end = (uint32_t)(sb.pos - (uint8_t *)page);
	}
	if (!left_out)
		return nr;
	if (!nr) {
		set_length(layout, page, 0, false);
	} else if (!other_first) {
		set_length(layout, page, end - layout->data, true);
	} else {
		begin_with(layout, page, from, end, ts);
		set_length(layout, page, end - from, false);
	}
	return nr;
}

unsigned int raw_page_drop(const struct raw_page_layout *layout, void *page, uint32_t bytes)
{
	uint32_t from = 0, end = 0;
	unsigned int nr = 0;
	struct sub_buffer sb;
	struct record rec;
	uint64_t ts = 0;

	open_page(layout, page, &sb);
	while (sub_buffer_next(&sb, &rec)) {
		if (rec.offset - layout->data < bytes)
			continue;
		if (!nr++) {
			from = rec.offset;
			ts = rec.ts;
		}
		end = (uint32_t)(sb.pos - (uint8_t *)page);
	}
	if (!bytes)
		return nr;
	if (nr)
		begin_with(layout, page, from, end, ts);
	set_length(layout, page, end - from, false);
	return nr;
}

void raw_page_set_lost(const struct raw_page_layout *layout, void *page, uint64_t count)
{
	uint32_t end = layout->data, size = layout->data - 8, narrow = (uint32_t)count, commit;
	struct sub_buffer sb;
	struct record rec;

	/* as the kernel does: the padding behind the last record makes room for the number */
	open_page(layout, page, &sb);
	while (sub_buffer_next(&sb, &rec))
		end = (uint32_t)(sb.pos - (uint8_t *)page);
	set_length(layout, page, end - layout->data, false);
	commit = commit_of(layout, page) | TRACE_COMMIT_LOST;
	if (count && end <= layout->size - size) {
		commit |= TRACE_COMMIT_LOST_STORED;
		memcpy((uint8_t *)page + end, size == 8 ? (void *)&count : &narrow, size);
	}
	memcpy((uint8_t *)page + low_offset(layout), &commit, sizeof(commit));
}
