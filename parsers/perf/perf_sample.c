/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_sample.h"

#include <string.h>

#define ATTR_BYTES_V0		64u
#define BRANCH_BYTES		24u
#define BRANCH_HW_INDEX		(1ull << 17)	/* of branch_sample_type */
#define BRANCH_COUNTERS		(1ull << 19)
#define READ_LOST		16u
/* parts of 8 bytes that stand before raw data */
#define BEFORE_RAW                                                                                 \
	(1u << PERF_IDENTIFIER | 1u << PERF_IP | 1u << PERF_TID | 1u << PERF_TIME |                \
	 1u << PERF_ADDR | 1u << PERF_ID | 1u << PERF_STREAM_ID | 1u << PERF_CPU |                 \
	 1u << PERF_PERIOD)
#define CONTEXT_MAX		((uint64_t)-4095)

static bool has(uint64_t sample_type, enum perf_part part)
{
	return sample_type >> part & 1;
}

/* --- attributes ----------------------------------------------------------------------------- */

/* Where parts are, which are 8 bytes each, in this order. */
static struct perf_places find_places(uint64_t sample_type, const enum perf_part *order,
				      unsigned int nr, unsigned int at)
{
	struct perf_places places = { 0 };

	for (unsigned int i = 0; i < nr; i++) {
		if (!has(sample_type, order[i]))
			continue;
		if (order[i] == PERF_TIME)
			places.time = (uint16_t)at;
		else if (order[i] == PERF_TID)
			places.tid = (uint16_t)at;
		else if (order[i] == PERF_CPU)
			places.cpu = (uint16_t)at;
		at += 8;
		if (order[i] == PERF_TIME || order[i] == PERF_TID || order[i] == PERF_CPU)
			places.least = (uint16_t)at;
	}
	return places;
}

/* A bit of the flags, which are bit fields of C: their order is that of the bytes. */
static bool flag(const uint8_t *flags, unsigned int bit, bool big_endian)
{
	return flags[bit / 8] >> (big_endian ? 7 - bit % 8 : bit % 8) & 1;
}

bool perf_attr_read(struct perf_attr *attr, const uint8_t *bytes, uint32_t len, bool big_endian)
{
	static const enum perf_part first[] = { PERF_IDENTIFIER, PERF_IP, PERF_TID, PERF_TIME,
						PERF_ADDR, PERF_ID, PERF_STREAM_ID, PERF_CPU };
	static const enum perf_part last[] = { PERF_IDENTIFIER, PERF_CPU, PERF_STREAM_ID, PERF_ID,
					       PERF_TIME, PERF_TID };
	static const uint8_t order[] = {
		PERF_IDENTIFIER, PERF_IP, PERF_TID, PERF_TIME, PERF_ADDR, PERF_ID, PERF_STREAM_ID,
		PERF_CPU, PERF_PERIOD, PERF_READ, PERF_CALLCHAIN, PERF_RAW, PERF_BRANCH_STACK,
		PERF_REGS_USER, PERF_STACK_USER, PERF_WEIGHT, PERF_WEIGHT_STRUCT, PERF_DATA_SRC,
		PERF_TRANSACTION, PERF_REGS_INTR, PERF_PHYS_ADDR, PERF_CGROUP, PERF_DATA_PAGE_SIZE,
		PERF_CODE_PAGE_SIZE, PERF_AUX,
	};
	bool swap = big_endian != HOST_BIG_ENDIAN;
	uint8_t a[PERF_ATTR_BYTES] = { 0 };

	if (len < ATTR_BYTES_V0)
		return false;
	memcpy(a, bytes, len < sizeof(a) ? len : sizeof(a));
	attr->type = load_u32(a, swap);
	attr->config = load_u64(a + 8, swap);
	attr->period = load_u64(a + 16, swap);
	attr->sample_type = load_u64(a + 24, swap);
	attr->read_format = load_u64(a + 32, swap);
	attr->inherit = flag(a + 40, 1, big_endian);
	attr->enable_on_exec = flag(a + 40, 12, big_endian);
	attr->sample_id_all = flag(a + 40, 18, big_endian);
	attr->use_clockid = flag(a + 40, 25, big_endian);
	attr->branch_type = load_u64(a + 72, swap);
	attr->regs_user = load_u64(a + 80, swap);
	attr->clockid = (int32_t)load_u32(a + 92, swap);
	attr->regs_intr = load_u64(a + 96, swap);
	attr->in_sample = find_places(attr->sample_type, first, sizeof(first) / sizeof(first[0]),
				      PERF_HEADER_BYTES);
	if (has(attr->sample_type, PERF_RAW) && !has(attr->sample_type, PERF_READ) &&
	    !has(attr->sample_type, PERF_CALLCHAIN))
		attr->in_sample.raw = (uint16_t)(PERF_HEADER_BYTES +
						 8 * __builtin_popcountll(attr->sample_type &
									  BEFORE_RAW));
	for (unsigned int i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (has(attr->sample_type, order[i]))
			attr->parts[attr->nr_parts++] = order[i];
	if (attr->sample_id_all)
		attr->in_others = find_places(attr->sample_type, last,
					      sizeof(last) / sizeof(last[0]), 8);
	return true;
}

/* --- records -------------------------------------------------------------------------------- */

static void take_read(struct byte_reader *r, uint64_t format, struct perf_sample *s)
{
	unsigned int times = 8 * ((format & 1) + (format >> 1 & 1));
	bool is_group = format & PERF_READ_GROUP;
	uint64_t nr = is_group ? byte_reader_u64(r) : 1;

	if (nr > UINT16_MAX / 8)
		nr = UINT16_MAX;	/* more than a record has: fails */
	if (is_group)
		byte_reader_bytes(r, times);
	s->id_at = 8 + (is_group ? 0 : times);
	s->count_bytes = s->id_at + 8 * (!!(format & PERF_READ_ID) + !!(format & READ_LOST));
	s->counts = byte_reader_bytes(r, nr * s->count_bytes);
	if (s->counts && format & PERF_READ_ID)
		s->nr_counts = (uint32_t)nr;
}

static void take_regs(struct byte_reader *r, uint64_t mask)
{
	if (byte_reader_u64(r))
		byte_reader_bytes(r, 8u * (unsigned int)__builtin_popcountll(mask));
}

static void take_branches(struct byte_reader *r, uint64_t type)
{
	uint64_t nr = byte_reader_u64(r);

	if (nr > UINT16_MAX / BRANCH_BYTES)
		nr = UINT16_MAX;
	byte_reader_bytes(r, (type & BRANCH_HW_INDEX ? 8 : 0) +
				     nr * (BRANCH_BYTES + (type & BRANCH_COUNTERS ? 8 : 0)));
}

static void take_part(const struct perf_attr *attr, enum perf_part part, struct byte_reader *r,
		      struct perf_sample *s)
{
	uint64_t nr;

	switch (part) {
	case PERF_READ:
		take_read(r, attr->read_format, s);
		break;
	case PERF_CALLCHAIN:
		nr = byte_reader_u64(r);
		s->chain = nr <= UINT16_MAX / 8 ? byte_reader_bytes(r, 8 * nr) : NULL;
		s->nr_chain = s->chain ? nr : 0;
		r->failed |= !s->chain;
		break;
	case PERF_RAW:
		s->raw_bytes = byte_reader_u32(r);
		s->raw = byte_reader_bytes(r, s->raw_bytes);
		break;
	case PERF_BRANCH_STACK:
		take_branches(r, attr->branch_type);
		break;
	case PERF_REGS_USER:
	case PERF_REGS_INTR:
		take_regs(r, part == PERF_REGS_USER ? attr->regs_user : attr->regs_intr);
		break;
	case PERF_STACK_USER:
		nr = byte_reader_u64(r);
		byte_reader_bytes(r, nr ? nr + 8 : 0);
		break;
	case PERF_AUX:
		byte_reader_bytes(r, byte_reader_u64(r));
		break;
	default:
		s->values[part] = byte_reader_u64(r);
	}
}

bool perf_sample_read(const struct perf_attr *attr, const struct perf_record *record, bool swap,
		      struct perf_sample *sample)
{
	struct byte_reader r;

	sample->chain = sample->raw = NULL;
	sample->nr_chain = 0;
	sample->raw_bytes = 0;
	sample->nr_counts = 0;
	byte_reader_init(&r, record->data + PERF_HEADER_BYTES, record->size - PERF_HEADER_BYTES,
			 record->offset + PERF_HEADER_BYTES, swap);
	for (unsigned int i = 0; i < attr->nr_parts; i++)
		take_part(attr, attr->parts[i], &r, sample);
	if (has(attr->sample_type, PERF_WEIGHT_STRUCT)) {	/* u32 weight, u16 latency, u16 */
		sample->values[PERF_WEIGHT] = (uint32_t)sample->values[PERF_WEIGHT_STRUCT];
		sample->values[PERF_WEIGHT_STRUCT] =
			(uint16_t)(sample->values[PERF_WEIGHT_STRUCT] >> 32);
	}
	return !r.failed;
}

uint64_t perf_sample_count(const struct perf_sample *sample, unsigned int i, bool swap,
			   uint64_t *id)
{
	const uint8_t *at = sample->counts + (size_t)i * sample->count_bytes;

	*id = load_u64(at + sample->id_at, swap);
	return load_u64(at, swap);
}

const uint8_t *perf_sample_raw(const struct perf_attr *attr, const struct perf_record *record,
			       bool swap, uint32_t *bytes)
{
	uint16_t at = attr->in_sample.raw;

	if (!at || at + 4 > record->size)
		return NULL;
	*bytes = load_u32(record->data + at, swap);
	return *bytes <= record->size - at - 4u ? record->data + at + 4 : NULL;
}

/* --- where ---------------------------------------------------------------------------------- */

bool perf_chain_context(uint64_t entry, enum perf_space *space)
{
	if (entry < CONTEXT_MAX)
		return false;
	*space = entry == (uint64_t)-128 ? PERF_SPACE_KERNEL :
		 entry == (uint64_t)-512 ? PERF_SPACE_USER :
					   PERF_SPACE_OTHER;
	return true;
}

enum perf_space perf_record_space(const struct perf_record *record)
{
	static const enum perf_space spaces[8] = { PERF_SPACE_OTHER, PERF_SPACE_KERNEL,
						   PERF_SPACE_USER, PERF_SPACE_OTHER,
						   PERF_SPACE_OTHER, PERF_SPACE_OTHER,
						   PERF_SPACE_OTHER, PERF_SPACE_OTHER };

	return spaces[record->misc & 7];
}

uint32_t perf_sample_spaces(const struct perf_sample *sample, const struct perf_record *record,
			    bool swap)
{
	enum perf_space here = perf_record_space(record);
	uint32_t spaces = 0;

	for (uint64_t i = 0; i < sample->nr_chain; i++)
		if (!perf_chain_context(load_u64(sample->chain + 8 * i, swap), &here))
			spaces |= 1u << here;
	return spaces;
}
