/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_STREAM_H
#define FTOP_PARSERS_PERF_PERF_STREAM_H
/*
 * perf_stream - walks the records of a part of a perf.data, in the order of the file.  Behind
 * damage it goes on where records follow one another again.
 */
#include "parsers/perf/perf_sample.h"
#include "src/base/error.h"

#define PERF_MAX_KERNEL_TYPE	63u	/* room for records of later kernels */
#define PERF_FIRST_USER_TYPE	64u
#define PERF_MAX_USER_TYPE	128u

struct perf_stream {
	int		 fd;		/* borrowed */
	bool		 swap;
	uint8_t		*buffer;	/* owned */
	uint64_t	 loaded;	/* file offset of its first byte */
	uint64_t	 len;		/* bytes in it */
	uint64_t	 pos, end;	/* file offsets: of the next record, and behind the last */
	uint64_t	 damaged_at;	/* where a record could not be read, before the last
					 * one that was; UINT64_MAX: nowhere */
	int		 errnum;	/* of a read that failed; or 0 */
};

void perf_stream_init(struct perf_stream *stream, int fd, bool swap);
void perf_stream_fini(struct perf_stream *stream);

/* Begin at a record. */
void perf_stream_begin(struct perf_stream *stream, uint64_t from, uint64_t end);
/*
 * False: there are no more; damaged_at may be set.  record->data is valid until the next call.
 * What follows records of TRACING_DATA and AUXTRACE is skipped, and all behind the header of
 * records of simpleperf.
 */
bool perf_stream_next(struct perf_stream *stream, struct perf_record *record);

/* Bytes of a record of simpleperf: misc are the upper ones.  They need not be a multiple of 8. */
static inline uint32_t perf_stream_simpleperf_bytes(const struct perf_record *record, bool swap)
{
	return (uint32_t)record->misc << 16 | load_u16(record->data + 6, swap);
}

/* The record at @bytes, if all of it is in [@len].  False: it is not, or none can be there. */
static inline bool perf_stream_record(const uint8_t *bytes, uint64_t len, uint64_t offset,
				      bool swap, struct perf_record *record)
{
	if (len < PERF_HEADER_BYTES)
		return false;
	*record = (struct perf_record){ .data = bytes, .offset = offset,
					.type = load_u32(bytes, swap),
					.misc = load_u16(bytes + 4, swap),
					.size = load_u16(bytes + 6, swap) };
	if (record->type >= PERF_RECORD_SIMPLEPERF) {
		record->size = PERF_HEADER_BYTES;
		return perf_stream_simpleperf_bytes(record, swap) >= PERF_HEADER_BYTES;
	}
	return record->size >= PERF_HEADER_BYTES && record->size <= len &&
	       (record->type - 1 < PERF_MAX_KERNEL_TYPE ||
		record->type - PERF_FIRST_USER_TYPE < PERF_MAX_USER_TYPE - PERF_FIRST_USER_TYPE);
}

/* Bytes from a record to the next one: with what follows it, which its size does not count. */
uint64_t perf_stream_step(const struct perf_record *record, bool swap);

/*
 * Where the formats of a record TRACING_DATA are in the file, [*bytes]: perf has them behind the
 * record, simpleperf in it.
 */
uint64_t perf_stream_tracing(const struct perf_record *record, bool swap, uint64_t *bytes);

/* Are records compressed?  All that the kernel wrote are then: looks up to the first sample. */
bool perf_stream_is_packed(struct perf_stream *stream);
/*
 * Write the records to @to, those unpacked that are compressed (perf record -z).  *bytes: what was
 * written.  Return: 0; -1: @err says what is missing, the rest was written.
 */
int perf_stream_unpack(struct perf_stream *stream, int to, uint64_t room, uint64_t *bytes,
		       struct ft_error *err);
#endif
