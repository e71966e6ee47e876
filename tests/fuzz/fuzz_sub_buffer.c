/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_sub_buffer - walks the bytes as one sub-buffer; the first two bytes choose its layout. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/sub_buffer.h"
#include "src/base/memory.h"
#include "tests/lib/gen_trace.h"

const char fuzz_name[] = "fuzz_sub_buffer";

#define CHOICE_BYTES 2u

/* Byte 0: bit 0 a long of 4, bit 1 big endian, bit 2 data further back; byte 1: page size. */
static struct sub_buffer_layout choose(const uint8_t *data, size_t size)
{
	struct sub_buffer_layout layout = { 0 };

	layout.long_size = data[0] & 1 ? 4 : 8;
	layout.big_endian = data[0] & 2;
	layout.swap = layout.big_endian != HOST_BIG_ENDIAN;
	layout.commit_offset = 8;
	layout.data_offset = 8u + layout.long_size + (data[0] & 4 ? 8 : 0);
	layout.page_size = data[1] & 1 ? 65536 : (uint32_t)size;
	if (layout.page_size < TRACE_MIN_PAGE_SIZE)
		layout.page_size = TRACE_MIN_PAGE_SIZE;
	return layout;
}

static void walk(const struct sub_buffer_layout *layout, const uint8_t *page, uint32_t len)
{
	struct sub_buffer sb;
	struct record rec;
	uint32_t last = 0, nr = 0;
	uint64_t sum = 0;

	sub_buffer_open(&sb, layout, page, len);
	while (sub_buffer_next(&sb, &rec)) {
		assert(rec.offset >= layout->data_offset && (!nr || rec.offset > last));
		assert(rec.data >= page + rec.offset + 4 && rec.data <= page + len);
		assert(rec.size <= (size_t)(page + len - rec.data));
		assert(rec.ts == sb.ts);
		for (uint32_t i = 0; i < rec.size; i++)
			sum += rec.data[i];
		last = rec.offset;
		nr++;
		assert(nr <= len / 4);
	}
	assert(sb.damage_offset <= len);
	assert(!sub_buffer_next(&sb, &rec));	/* the end stays the end */
	(void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sub_buffer_layout layout;
	uint8_t *page;

	if (size < CHOICE_BYTES || size > 65536 + CHOICE_BYTES)
		return 0;
	layout = choose(data, size - CHOICE_BYTES);
	size -= CHOICE_BYTES;
	if (size > layout.page_size)
		size = layout.page_size;
	/* memory of exactly this size, so that one byte too many is seen */
	page = malloc(size ? size : 1);
	assert(page);
	memcpy(page, data + CHOICE_BYTES, size);
	walk(&layout, page, (uint32_t)size);
	free(page);
	return 0;
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (uint32_t i = 0; i < 32; i++) {
		struct gen_options options = {
			.seed = i, .features = i & 16 ? GEN_ALL | GEN_WRAP : GEN_ALL, .nr_cpus = 1,
			.pages = 8,
			.layout = { i & 8 ? 4096 : 512, i & 1 ? 4 : 8, i & 2 },
		};
		struct gen_trace *trace = gen_trace_new(&options);
		uint32_t page_size = options.layout.page_size;
		uint8_t *seed = mem_alloc(page_size + CHOICE_BYTES);

		seed[0] = (uint8_t)(i & 3);
		for (uint32_t page = 0; page < 8; page++) {
			memcpy(seed + CHOICE_BYTES,
			       trace->streams[0].pages + (size_t)page * page_size, page_size);
			add(arg, seed, page_size + CHOICE_BYTES);
		}
		free(seed);
		gen_trace_free(trace);
	}
}
