/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk - how fast this machine goes over every event header of a trace: reads
 * 256 KiB pieces into one buffer and follows the headers, in one thread, and does
 * nothing with them but count and add.  What an index is measured against.
 *
 *   walk FILE
 *
 * Trusts the file; little-endian, plain, 8-byte longs (what make_trace makes here).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/source/source.h"
#include "parsers/open/open.h"

#define PIECE_BYTES	(256 << 10)

struct totals {
	uint64_t	events;
	uint64_t	sum;		/* keeps the compiler from leaving the work out */
};

static inline uint32_t u32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static void walk_page(const uint8_t *page, struct totals *totals)
{
	const uint8_t *pos = page + 16;
	const uint8_t *end = pos + (u32(page + 8) & TRACE_COMMIT_MASK);
	uint64_t ts, events = 0, sum = 0;

	memcpy(&ts, page, sizeof(ts));
	while (pos < end) {
		uint32_t word = u32(pos), type = word & 31, delta = word >> 5;

		if (type && type <= 28) {
			ts += delta;
			sum += ts + u32(pos + 4);
			events++;
			pos += 4 + 4 * type;
		} else if (type == 0) {
			ts += delta;
			sum += ts + u32(pos + 8);
			events++;
			pos += 4 + ((u32(pos + 4) + 3) & ~3u);
		} else if (type == 29) {
			if (!delta)
				break;
			pos += 4 + ((u32(pos + 4) + 3) & ~3u);
		} else {
			uint64_t time = ((uint64_t)u32(pos + 4) << 27) + delta;

			ts = type == 30 ? ts + time : time;
			pos += 8;
		}
	}
	totals->events += events;
	totals->sum += sum;
}

int main(int argc, char **argv)
{
	struct ft_error err = { 0 };
	struct totals totals = { 0 };
	struct source *file = argc == 2 ? source_open(argv[1], -1, &err) : NULL;
	uint8_t *piece = aligned_alloc(4096, PIECE_BYTES);
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (!file || fd < 0 || !piece) {
		fprintf(stderr, "walk: %s\n", argc == 2 ? err.message : "usage: walk FILE");
		return 1;
	}
	for (unsigned int i = 0; i < source_nr_streams(file); i++) {
		const struct source_stream *stream = source_stream(file, i);
		uint32_t page_size = source_buffer(file, stream->buffer)->layout.page_size;

		for (uint64_t done = 0; done < stream->file_size;) {
			uint64_t left = stream->file_size - done;
			ssize_t got = pread(fd, piece, left < PIECE_BYTES ? left : PIECE_BYTES,
					    stream->offset + done);

			if (got <= 0)
				break;
			for (ssize_t at = 0; at + page_size <= got; at += page_size)
				walk_page(piece + at, &totals);
			done += got;
		}
	}
	printf("events %llu sum %llx\n", (unsigned long long)totals.events,
	       (unsigned long long)totals.sum);
	return 0;
}
