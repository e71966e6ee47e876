/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/writer/record_packer.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define DELTA_MAX	((1ull << SUB_BUFFER_TS_SHIFT) - 1)	/* in a record's header */
#define EXTEND_MAX	((1ull << (SUB_BUFFER_TS_SHIFT + 32)) - 1)	/* in a time extend */
#define EXTEND_BYTES	8u

static inline void store(const struct sub_buffer_layout *layout, uint8_t *p, uint64_t v,
			 unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		p[layout->big_endian ? bytes - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static uint64_t load_long(const struct sub_buffer_layout *layout, const uint8_t *p)
{
	return layout->long_size == 8 ? load_u64(p, layout->swap) : load_u32(p, layout->swap);
}

/* The first word of a record's header. */
static void store_head(const struct sub_buffer_layout *layout, uint8_t *p, uint32_t type,
		       uint64_t delta)
{
	store(layout, p, layout->big_endian ? type << 27 | delta : delta << 5 | type, 4);
}

void record_packer_init(struct record_packer *packer, const struct sub_buffer_layout *layout)
{
	*packer = (struct record_packer){ .layout = layout, .used = layout->data_offset };
	packer->page = mem_array(layout->page_size, 1);
}

void record_packer_fini(struct record_packer *packer)
{
	free(packer->page);
}

bool record_packer_is_empty(const struct record_packer *packer)
{
	return packer->used == packer->layout->data_offset;
}

/* Time extends add up, so a few of them reach any stamp, an earlier one by going round. */
static void add_extends(struct record_packer *packer, uint64_t *delta)
{
	while (*delta > DELTA_MAX) {
		uint64_t step = *delta < EXTEND_MAX ? *delta : EXTEND_MAX;

		store_head(packer->layout, packer->page + packer->used, SUB_BUFFER_TYPE_TIME_EXTEND,
			   step & DELTA_MAX);
		store(packer->layout, packer->page + packer->used + 4, step >> SUB_BUFFER_TS_SHIFT,
		      4);
		packer->used += EXTEND_BYTES;
		*delta -= step;
	}
}

bool record_packer_add(struct record_packer *packer, const uint8_t *page, const struct record *rec)
{
	const struct sub_buffer_layout *layout = packer->layout;
	uint32_t len = (uint32_t)(rec->data + rec->size - page) - rec->offset;
	uint32_t word = load_u32(page + rec->offset, layout->swap);
	uint64_t delta = record_packer_is_empty(packer) ? 0 : rec->ts - packer->ts;
	uint64_t need = len, room = layout->page_size - packer->used;

	if (delta > DELTA_MAX)
		need += EXTEND_BYTES * (delta / EXTEND_MAX + 1);
	if (packer->loss.known)
		need += layout->long_size;
	if (need > room) {
		if (!record_packer_is_empty(packer))
			return false;
		packer->loss.known = false;
	}
	if (record_packer_is_empty(packer))
		store(layout, packer->page, rec->ts, 8);
	add_extends(packer, &delta);
	memcpy(packer->page + packer->used, page + rec->offset, len);
	store_head(layout, packer->page + packer->used, layout->big_endian ? word >> 27 : word & 31,
		   delta);
	packer->used += len;
	packer->ts = rec->ts;
	return true;
}

const uint8_t *record_packer_end(struct record_packer *packer)
{
	const struct sub_buffer_layout *layout = packer->layout;

	memset(packer->page + packer->used, 0, layout->page_size - packer->used);
	memset(packer->page + 8, 0, layout->data_offset - 8);
	store(layout, packer->page + layout->commit_offset, packer->used - layout->data_offset,
	      layout->long_size);
	if (packer->loss.lost)
		record_packer_mark(layout, packer->page, &packer->loss);
	packer->used = layout->data_offset;
	packer->loss = (struct record_loss){ .lost = false };
	return packer->page;
}

void record_packer_mark(const struct sub_buffer_layout *layout, uint8_t *page,
			const struct record_loss *loss)
{
	uint8_t *commit = page + layout->commit_offset;
	uint64_t size = load_long(layout, commit) & TRACE_COMMIT_MASK, flags = TRACE_COMMIT_LOST;

	if (loss->known && size + layout->long_size <= layout->page_size - layout->data_offset) {
		store(layout, page + layout->data_offset + size, loss->count, layout->long_size);
		flags |= TRACE_COMMIT_LOST_STORED;
	}
	store(layout, commit, size | flags, layout->long_size);
}
