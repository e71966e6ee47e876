/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_unpack - records that perf record -z compressed, as a file without compression.  The records
 * of COMPRESSED are one stream of zstd; what one of them holds may end within a record.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/io/archive_decoder.h"
#include "parsers/io/byte_reader.h"
#include "parsers/io/read_at.h"
#include "parsers/perf/perf_stream.h"
#include "src/base/error.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define STEP_BYTES	(64u << 10)
#define MOST_PARTIAL	(1u << 20)	/* bytes that are no whole record: more are damage */

struct record_unpacker {
	struct archive_decoder *decoder;	/* owned */
	struct text	 records;		/* unpacked, not written */
	int		 to;
	uint64_t	 room, written;
	bool		 swap;
};

static bool is_packed(const struct perf_record *record)
{
	return record->type == PERF_RECORD_COMPRESSED || record->type == PERF_RECORD_COMPRESSED2;
}

static int put(struct record_unpacker *u, const void *bytes, uint64_t len, struct ft_error *err)
{
	const uint8_t *at = bytes;

	if (len > u->room - u->written)
		return ft_error_set(err, FT_E_IO, -1,
				    "cannot unpack: there is no room for more than %" PRIu64
				    " bytes of temporary files (TMPDIR)",
				    u->room);
	for (ssize_t got; len; len -= (uint64_t)got, at += got, u->written += (uint64_t)got) {
		got = write(u->to, at, len);
		if (got < 0 && errno == EINTR)
			got = 0;
		if (got < 0)
			return ft_error_errno(err, errno, -1, "cannot unpack");
	}
	return 0;
}

/* Write the whole records. */
static int put_records(struct record_unpacker *u, struct ft_error *err)
{
	const uint8_t *bytes = (const uint8_t *)text_str(&u->records);
	struct perf_record record;
	uint64_t done = 0;

	while (perf_stream_record(bytes + done, u->records.len - done, 0, u->swap, &record))
		done += record.size;
	if (put(u, bytes, done, err))
		return -1;
	u->records.len -= done;
	memmove(u->records.data, u->records.data + done, u->records.len);
	if (u->records.len > MOST_PARTIAL)
		return ft_error_set(err, FT_E_FORMAT, -1, "unpacked bytes are no records");
	return 0;
}

static int unpack(struct record_unpacker *u, const struct perf_record *record, struct ft_error *err)
{
	size_t len = record->size - PERF_HEADER_BYTES, taken, made;
	const uint8_t *from = record->data + PERF_HEADER_BYTES;
	bool ended;

	if (record->type == PERF_RECORD_COMPRESSED2) {		/* its size, then padding */
		uint64_t size = len < 8 ? 0 : load_u64(from, u->swap);

		from += 8;
		len = size > len - 8 ? 0 : size;
	}
	/* when all is taken, there may be more to come than there was room for */
	for (made = 0; len || made == STEP_BYTES; len -= taken, from += taken) {
		const char *wrong;

		taken = len;
		made = STEP_BYTES;
		text_reserve(&u->records, made);
		wrong = archive_decoder_step(u->decoder, from, &taken,
					     (uint8_t *)u->records.data + u->records.len, &made,
					     &ended);
		if (wrong)
			return ft_error_set(err, FT_E_FORMAT, (int64_t)record->offset,
					    "compressed records: %s", wrong);
		u->records.len += made;
		if (put_records(u, err))
			return -1;
		if (len && !taken && !made)
			return ft_error_set(err, FT_E_FORMAT, (int64_t)record->offset,
					    "compressed records: they end early");
	}
	return 0;
}

/* What follows a record, up to the next one. */
static int put_behind(struct record_unpacker *u, struct perf_stream *stream, uint64_t from,
		      struct ft_error *err)
{
	uint8_t *bytes = mem_array(1, STEP_BYTES);
	int ret = 0;

	while (!ret && from < stream->pos) {
		uint64_t left = stream->pos - from;
		int64_t got = read_at(stream->fd, bytes, left < STEP_BYTES ? left : STEP_BYTES,
				      from);

		if (got <= 0)
			break;
		ret = put(u, bytes, (uint64_t)got, err);
		from += (uint64_t)got;
	}
	free(bytes);
	return ret;
}

bool perf_stream_is_packed(struct perf_stream *stream)
{
	struct perf_record record;

	while (perf_stream_next(stream, &record) && record.type != PERF_RECORD_SAMPLE)
		if (is_packed(&record))
			return true;
	return false;
}

int perf_stream_unpack(struct perf_stream *stream, int to, uint64_t room, uint64_t *bytes,
		       struct ft_error *err)
{
	struct record_unpacker u = { .to = to, .room = room, .swap = stream->swap,
			       .decoder = archive_decoder_new(ARCHIVE_ZSTD) };
	struct perf_record record;
	bool fails = false;
	int ret = 0;

	if (!u.decoder)
		return ft_error_set(err, FT_E_UNSUPPORTED, -1,
				    "its records are compressed with zstd, which is not built in");
	while (!ret && perf_stream_next(stream, &record)) {
		if (!is_packed(&record))
			ret = put(&u, record.data, record.size, err) ||
			      put_behind(&u, stream, record.offset + record.size, err);
		else if (!fails)
			fails = unpack(&u, &record, err);
	}
	*bytes = u.written;
	archive_decoder_free(u.decoder);
	text_fini(&u.records);
	return ret || fails ? -1 : 0;
}
