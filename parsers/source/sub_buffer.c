/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/source/sub_buffer.h"

/*
 * The commit word's low 32 bits: the lost flags are sign-extended into the high ones on 64-bit
 * kernels.
 */
static uint32_t load_commit(const struct sub_buffer_layout *layout, const uint8_t *page)
{
	const uint8_t *p = page + layout->commit_offset;

	return layout->long_size == 8 ? (uint32_t)load_u64(p, layout->swap) :
					load_u32(p, layout->swap);
}

static bool header_fits(const struct sub_buffer_layout *layout, uint32_t len)
{
	return len >= 8 && layout->data_offset <= len && layout->commit_offset <= len &&
	       layout->long_size <= len - layout->commit_offset;
}

/* The number of lost events follows the data if there was room for it. */
static void open_lost(struct sub_buffer *sb, const struct sub_buffer_layout *layout,
		      uint32_t commit, uint32_t len)
{
	uint32_t size = commit & TRACE_COMMIT_MASK;
	const uint8_t *p = sb->page + layout->data_offset + size;

	if (!(commit & TRACE_COMMIT_LOST))
		return;
	sb->lost = true;
	if (!(commit & TRACE_COMMIT_LOST_STORED) || size > len - layout->data_offset ||
	    len - layout->data_offset - size < layout->long_size)
		return;
	sb->lost_known = true;
	sb->lost_count = layout->long_size == 8 ? load_u64(p, layout->swap) :
						  load_u32(p, layout->swap);
	sb->lost = sb->lost_count != 0;
}

void sub_buffer_open(struct sub_buffer *sb, const struct sub_buffer_layout *layout,
		     const uint8_t *page, uint32_t len)
{
	uint32_t commit, size;

	*sb = (struct sub_buffer){ .page = page, .pos = page, .end = page, .swap = layout->swap,
				   .big_endian = layout->big_endian };
	if (!page || !header_fits(layout, len)) {
		sb->damage = SUB_BUFFER_SHORT;
		return;
	}
	sb->ts = load_u64(page, layout->swap);
	commit = load_commit(layout, page);
	size = commit & TRACE_COMMIT_MASK;
	sb->pos = page + layout->data_offset;
	if (size > len - layout->data_offset) {
		/* walk what is there; the damage is at its end */
		sb->damage = size > layout->page_size - layout->data_offset ? SUB_BUFFER_COMMIT :
									      SUB_BUFFER_SHORT;
		sb->damage_offset = len;
		size = len - layout->data_offset;
	}
	sb->end = sb->pos + size;
	open_lost(sb, layout, commit, len);
}

bool sub_buffer_ts(const struct sub_buffer_layout *layout, const uint8_t *page, uint32_t len,
		   uint64_t *ts)
{
	if (!page || !header_fits(layout, len))
		return false;
	*ts = load_u64(page, layout->swap);
	return true;
}

bool sub_buffer_next(struct sub_buffer *sb, struct record *rec)
{
	/* separate code for the two common cases */
	if (!sb->swap && !sb->big_endian)
		return sub_buffer_step(sb, rec, false, false);
	return sub_buffer_step(sb, rec, sb->swap, sb->big_endian);
}

void sub_buffer_discarded(const struct sub_buffer_layout *layout, const uint8_t *page,
			  uint32_t data, uint32_t *pos, uint64_t *lag)
{
	uint32_t p = *pos ? *pos : layout->data_offset;

	while (p + 8 < data) {
		uint32_t word = load_u32(page + p, layout->swap);
		uint32_t type = layout->big_endian ? word >> 27 : word & 31;
		uint32_t delta = layout->big_endian ? word & ((1u << SUB_BUFFER_TS_SHIFT) - 1) :
						      word >> 5;
		uint32_t length;

		if (type == SUB_BUFFER_TYPE_TIME_EXTEND || type == SUB_BUFFER_TYPE_TIME_STAMP) {
			if (type == SUB_BUFFER_TYPE_TIME_STAMP)
				*lag = 0;
			p += 8;
			continue;
		}
		if (type && type <= SUB_BUFFER_TYPE_DATA_MAX) {
			p += 4 + 4 * type;
			continue;
		}
		length = load_u32(page + p + 4, layout->swap);
		if (length < 4 || length > SUB_BUFFER_MAX_LENGTH)
			break;
		if (type == SUB_BUFFER_TYPE_PADDING)
			*lag += delta;
		p += 4 + ((length + 3) & ~3u);
	}
	*pos = p;
}
