/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Format: linux kernel/trace/ring_buffer.c. */
#include "parsers/source/page_maker.h"

#include <string.h>

#include "parsers/io/byte_reader.h"
#include "src/base/text.h"

#define TYPE_EXTENDED	0u
#define TYPE_STAMP	31u
#define SHORT_BYTES	112u		/* longest record whose type is its length, in words */
#define DELTA_BITS	27
#define RECORD_HEADER	16u		/* two words of a stamp, two of the record */
#define SHORT_HEADER	4u
#define PAGE_HEADER	16u		/* time stamp, commit */
#define COUNT_BYTES	8u		/* bytes of the count of lost events, behind the records */
#define MISSED_EVENTS	(1u << 31)	/* RB_MISSED_EVENTS */
#define MISSED_STORED	(1u << 30)

static void put_header(const struct page_maker *maker, uint8_t *at, uint32_t type, uint32_t delta)
{
	bool big_endian = maker->swap != HOST_BIG_ENDIAN;

	store_u32(at, big_endian ? type << DELTA_BITS | delta : type | delta << 5, maker->swap);
}

struct sub_buffer_layout page_maker_layout(uint32_t page_size, bool big_endian)
{
	return (struct sub_buffer_layout){ .page_size = page_size, .data_offset = PAGE_HEADER,
					   .commit_offset = 8, .long_size = 8,
					   .big_endian = big_endian,
					   .swap = big_endian != HOST_BIG_ENDIAN };
}

void page_maker_headers(uint32_t page_size, struct text *header_page, struct text *header_event)
{
	text_printf(header_page,
		    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		    "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		    PAGE_HEADER, page_size - PAGE_HEADER);
	text_add(header_event, "# compressed entry header\n"
			       "\ttype_len    :    5 bits\n"
			       "\ttime_delta  :   27 bits\n"
			       "\tarray       :   32 bits\n"
			       "\n"
			       "\tpadding     : type == 29\n"
			       "\ttime_extend : type == 30\n"
			       "\ttime_stamp : type == 31\n"
			       "\tdata max type_len  == 28\n");
}

void page_maker_begin(struct page_maker *maker, const struct sub_buffer_layout *layout, uint8_t *to)
{
	*maker = (struct page_maker){ .page = to, .at = to + PAGE_HEADER, .swap = layout->swap,
				      .limit = to + layout->page_size - COUNT_BYTES };
}

void page_maker_lost(struct page_maker *maker, uint64_t ts, uint64_t lost)
{
	if (maker->is_lost)		/* what follows at once is the same gap */
		return;
	maker->is_lost = true;
	maker->lost = lost;
	maker->first = ts;
}

uint8_t *page_maker_room(const struct page_maker *maker, uint32_t size)
{
	uint64_t left = (uint64_t)(maker->limit - maker->at);

	return left >= RECORD_HEADER && size <= left - RECORD_HEADER ? maker->at + RECORD_HEADER :
								       NULL;
}

void page_maker_add(struct page_maker *maker, uint64_t ts, uint32_t size)
{
	if (maker->at == maker->page + PAGE_HEADER)
		maker->first = ts;
	put_header(maker, maker->at, TYPE_STAMP, ts & ((1u << DELTA_BITS) - 1));
	store_u32(maker->at + 4, (uint32_t)(ts >> DELTA_BITS), maker->swap);
	put_header(maker, maker->at + 8, TYPE_EXTENDED, 0);
	store_u32(maker->at + 12, size + 4, maker->swap);
	maker->at += RECORD_HEADER + size;
	maker->last = ts;
}

bool page_maker_put(struct page_maker *maker, uint64_t ts, const void *record, uint32_t bytes)
{
	uint32_t size = (bytes + 3) & ~3u;
	uint8_t *to = page_maker_room(maker, size);
	uint64_t delta = ts - maker->last;

	if (!to)
		return false;
	if (maker->at == maker->page + PAGE_HEADER) {
		maker->first = ts;
		delta = 0;
	}
	if (size && size <= SHORT_BYTES && !(delta >> DELTA_BITS)) {
		put_header(maker, maker->at, size / 4, (uint32_t)delta);
		to = maker->at + SHORT_HEADER;
		maker->at = to + size;
		maker->last = ts;
	} else {
		page_maker_add(maker, ts, size);
	}
	memcpy(to, record, bytes);
	memset(to + bytes, 0, size - bytes);
	return true;
}

uint32_t page_maker_end(const struct page_maker *maker)
{
	uint64_t commit = (uint64_t)(maker->at - maker->page - PAGE_HEADER);
	uint8_t *end = maker->at;

	if (maker->is_lost)
		commit |= MISSED_EVENTS | (maker->lost ? MISSED_STORED : 0);
	store_u64(maker->page, maker->first, maker->swap);
	store_u64(maker->page + 8, commit, maker->swap);
	if (maker->lost) {
		store_u64(end, maker->lost, maker->swap);
		end += COUNT_BYTES;
	}
	return (uint32_t)(end - maker->page);
}
