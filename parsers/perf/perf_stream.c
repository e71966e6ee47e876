/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/byte_reader.h"
#include "parsers/io/read_at.h"
#include "src/base/memory.h"

#define BUFFER_BYTES	(128u << 10)	/* holds more than one record, and stays in a cache */
#define CHAIN		3u		/* records that follow one another tell where they begin */

void perf_stream_init(struct perf_stream *stream, int fd, bool swap)
{
	*stream = (struct perf_stream){ .fd = fd, .swap = swap, .damaged_at = UINT64_MAX,
					.buffer = mem_array(1, BUFFER_BYTES) };
}

void perf_stream_fini(struct perf_stream *stream)
{
	free(stream->buffer);
}

void perf_stream_begin(struct perf_stream *stream, uint64_t from, uint64_t end)
{
	stream->pos = from;
	stream->end = end;
	stream->damaged_at = UINT64_MAX;
	if (from < stream->loaded || from > stream->loaded + stream->len) {
		stream->loaded = from;
		stream->len = 0;
	}
}

/* Bytes at pos that are in the buffer; reads more if less than @least. */
static uint64_t load(struct perf_stream *stream, uint64_t least)
{
	uint64_t left = stream->loaded + stream->len - stream->pos, more;
	int64_t got;

	if (left >= least || stream->pos + left >= stream->end)
		return left < stream->end - stream->pos ? left : stream->end - stream->pos;
	memmove(stream->buffer, stream->buffer + stream->len - left, left);
	stream->loaded = stream->pos;
	stream->len = left;
	more = stream->end - stream->pos - left;
	if (more > BUFFER_BYTES - left)
		more = BUFFER_BYTES - left;
	got = read_at(stream->fd, stream->buffer + left, more, stream->pos + left);
	if (got < 0)
		stream->errnum = errno;
	else
		stream->len += (uint64_t)got;
	return stream->len;
}

#define TRACING_HEAD	(PERF_HEADER_BYTES + 4)	/* u32 bytes of formats */

/* Bytes that follow the record, which its size does not count. */
static uint64_t bytes_behind(const struct perf_record *record, bool swap)
{
	const uint8_t *at = record->data + PERF_HEADER_BYTES;

	if (record->type >= PERF_RECORD_SIMPLEPERF)
		return perf_stream_simpleperf_bytes(record, swap) - PERF_HEADER_BYTES;
	if (record->type == PERF_RECORD_TRACING_DATA && record->size >= TRACING_HEAD &&
	    load_u32(at, swap) > record->size - TRACING_HEAD)
		return (load_u32(at, swap) + 7ull) & ~7ull;
	if (record->type == PERF_RECORD_AUXTRACE && record->size >= PERF_HEADER_BYTES + 8)
		return load_u64(at, swap);
	return 0;
}

uint64_t perf_stream_step(const struct perf_record *record, bool swap)
{
	uint64_t behind = bytes_behind(record, swap);

	return behind < UINT64_MAX / 2 ? record->size + behind : UINT64_MAX / 2;
}

uint64_t perf_stream_tracing(const struct perf_record *record, bool swap, uint64_t *bytes)
{
	uint64_t behind = bytes_behind(record, swap);

	if (record->type >= PERF_RECORD_SIMPLEPERF)
		*bytes = behind > 4 ? behind - 4 : 0;
	else
		*bytes = record->size < TRACING_HEAD ?
				 0 :
				 load_u32(record->data + PERF_HEADER_BYTES, swap);
	return record->offset +
	       (record->type == PERF_RECORD_TRACING_DATA && behind ? record->size : TRACING_HEAD);
}

/* Do records follow one another from here on, or up to the end? */
static bool is_chain(const uint8_t *bytes, uint64_t left, bool is_end, bool swap)
{
	struct perf_record record;

	for (unsigned int i = 0; i < CHAIN; i++) {
		if (is_end && i && !left)
			return true;
		if (!perf_stream_record(bytes, left, 0, swap, &record) || record.size % 8 ||
		    record.type >= PERF_RECORD_SIMPLEPERF)
			return false;
		bytes += record.size;
		left -= record.size;
	}
	return true;
}

/* Records begin at multiples of 8 from one another. */
static bool resync(struct perf_stream *stream)
{
	uint64_t left;

	if (stream->damaged_at == UINT64_MAX)
		stream->damaged_at = stream->pos;
	while (stream->end - stream->pos > 8) {
		stream->pos += 8;
		left = load(stream, UINT16_MAX);
		if (left < PERF_HEADER_BYTES)
			break;
		if (is_chain(stream->buffer + (stream->pos - stream->loaded), left,
			     stream->pos + left == stream->end, stream->swap))
			return true;
	}
	stream->pos = stream->end;
	return false;
}

/* Of the record at pos, whose header is in the buffer. */
static uint16_t size_at(const struct perf_stream *stream)
{
	return load_u16(stream->buffer + (stream->pos - stream->loaded) + 6, stream->swap);
}

bool perf_stream_next(struct perf_stream *stream, struct perf_record *record)
{
	uint64_t left, behind;

	while (stream->pos < stream->end) {
		left = load(stream, PERF_HEADER_BYTES);
		if (left >= PERF_HEADER_BYTES)
			left = load(stream, size_at(stream));
		if (perf_stream_record(stream->buffer + (stream->pos - stream->loaded), left,
				       stream->pos, stream->swap, record)) {
			stream->pos += record->size;
			behind = bytes_behind(record, stream->swap);
			if (behind)
				perf_stream_begin(stream,
						  behind < stream->end - stream->pos ?
							  stream->pos + behind :
							  stream->end,
						  stream->end);
			return true;
		}
		if (!resync(stream))
			break;
	}
	return false;
}
