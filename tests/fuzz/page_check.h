/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_FUZZ_PAGE_CHECK_H
#define FTOP_TESTS_FUZZ_PAGE_CHECK_H
/*
 * page_check - walks all pages of a source that makes them: records are whole, what was counted on
 * opening is there, and a page is the same when it is read again.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/pages/page_reader.h"
#include "parsers/source/sub_buffer.h"
#include "parsers/types/event_types.h"
#include "src/base/pid_bits.h"

static inline uint32_t count_of(const struct page_sum *sum, const struct type_count *counts,
				uint16_t id)
{
	for (unsigned int i = 0; i < sum->nr_counts; i++)
		if (counts[i].type == id)
			return counts[i].nr;
	return 0;
}

/* Its records are those that the pass on opening has counted.  @sum: NULL: it has not. */
static inline void check_page(const struct source *file, struct event_types *types,
			      const uint8_t *page, uint32_t len, const struct page_sum *sum,
			      const struct type_count *counts)
{
	const struct sub_buffer_layout *layout = &source_buffer(file, 0)->layout;
	uint64_t last = 0, pids = 0;
	uint32_t nr = 0;
	struct sub_buffer sb;
	struct record rec;

	sub_buffer_open(&sb, layout, page, len);
	while (sub_buffer_next(&sb, &rec)) {
		uint16_t id = load_u16(rec.data, layout->swap);

		assert(rec.size >= 8);
		assert(!sum || rec.ts >= last);
		assert(!sum || nr || rec.ts == sum->first);
		assert(!sum || count_of(sum, counts, id));
		event_types_find(types, id);
		last = rec.ts;
		pids |= pid_bits((int)load_u32(rec.data + 4, layout->swap));
		nr++;
	}
	assert(sb.damage == SUB_BUFFER_SOUND);
	if (!sum)
		return;
	assert(nr == sum->events && (!nr || last == sum->last) && pids == sum->pids);
	assert(sb.lost == sum->is_lost && (!sum->is_lost || sb.lost_count == sum->lost));
}

/* @page_bytes: of a page, at most */
static inline void check_pages(const struct source *file, struct event_types *types,
			       uint32_t page_bytes)
{
	struct page_reader *reader = page_reader_new(file, page_bytes);
	uint8_t *again = malloc(page_bytes);
	uint32_t nr, len, len_again;

	assert(again);
	for (unsigned int i = 0; i < source_nr_streams(file); i++)
		for (uint64_t page = 0; page < source_stream_pages(file, i); page++) {
			const uint8_t *bytes = page_reader_get(reader, i, page, &nr, &len);
			const struct type_count *counts;
			struct page_sum sum;
			bool is_known = page_reader_sum(reader, i, page, &sum, &counts);

			assert(bytes && nr);
			check_page(file, types, bytes, len, is_known ? &sum : NULL, counts);
			assert(page_reader_copy(reader, i, page, 1, again, &len_again) == 1);
			assert(len == len_again && !memcmp(bytes, again, len));
		}
	free(again);
	page_reader_free(reader);
}

/* Reads all pages and texts of a source, and closes it.  @file: NULL: it could not be opened */
static inline void check_opened(struct source *file, uint32_t page_bytes)
{
	struct event_types *types;
	uint64_t len;

	if (!file)
		return;
	types = event_types_new(file);
	check_pages(file, types, page_bytes);
	for (enum trace_text kind = 0; kind < TRACE_NR_TEXTS; kind++) {
		const char *text = source_text(file, kind, &len);

		assert(strlen(text) <= len);
	}
	event_types_free(types);
	source_close(file);
}

/* Opens the bytes as a file, if @is_it says so. */
static inline void check_source(const uint8_t *data, size_t size, uint32_t page_bytes,
				bool (*is_it)(const uint8_t *head, size_t len))
{
	const char *path = size < (1u << 20) && is_it(data, size) ? fuzz_file(data, size) : NULL;
	struct ft_error err = { 0 };

	if (path)
		check_opened(source_open(path, -1, &err), page_bytes);
}
#endif
