/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_STREAM_WALK_H
#define FTOP_SRC_TRACE_STREAM_WALK_H
/*
 * stream_walk - reads the records of a stream, sub-buffer by sub-buffer, and their common fields.
 *
 *	struct stream_walk walk = { 0 };
 *	struct record rec;
 *
 *	stream_walk_begin(&walk, trace, stream, 0, UINT64_MAX);
 *	while (stream_walk_page(&walk))
 *		while (stream_walk_next(&walk, &rec, walk.native))
 *			...
 *	stream_walk_end(&walk);
 *
 * One thread.  Needs no directory.  A sub-buffer that cannot be read is damaged and has no records.
 * In a file that grows, it ends at the settled time (trace_end()) of when it began.
 *
 * @native in the calls below: the records have the host's byte order, and their common fields are
 * where every kernel known has them. A pass over whole files has its loop in a function that is
 * always inlined, calls it with the constants true and false, and walks with a local copy of the
 * walk, whose address goes nowhere: its state then stays in registers.
 */
#include "parsers/pages/page_sequence.h"
#include "parsers/types/field.h"
#include "src/trace/trace_streams.h"

struct stream_walk {
	const struct trace_stream *stream;	/* borrowed */
	const struct trace_source *source;	/* borrowed */
	uint32_t	 window_bytes;	/* read at once; 0 = what fits into a CPU's cache */
	bool		 unsettled;	/* all records that are there, also behind that time */
	bool		 native;
	uint64_t	 cut_page, cut_raw;	/* of this page, only records with lower stamps */
	bool		 was_cut;	/* that page had others, too */
	struct page_sequence pages;	/* its reader is owned */
	struct sub_buffer sb;		/* the page being read: the one before pages.page */
	const uint8_t	*end;		/* end of that page's bytes, at or behind its last record */
	trace_ref	 ref;		/* the last record returned; item 0 = none of this page */
};

/*
 * Begin with sub-buffer @from of a stream, or with the first one that is not dropped; @to: past the
 * last one, at most to the end of the stream.
 * @walk was used before, or is 0 except for window_bytes and unsettled.
 */
void stream_walk_begin(struct stream_walk *walk, const struct trace *trace, unsigned int stream,
		       uint64_t from, uint64_t to);
/*
 * Begin with the first sub-buffer that may have records from @from to @to, and end after the last.
 * Both are in ts: INT64_MIN and INT64_MAX are the ends of the stream.
 */
void stream_walk_begin_window(struct stream_walk *walk, struct trace *trace, unsigned int stream,
			      int64_t from, int64_t to);
void stream_walk_end(struct stream_walk *walk);

/*
 * How many sub-buffers of a stream are settled whole.  @next: no record behind these has a lower
 * ts, and none is known to be lost before it; INT64_MAX: nothing grows.  Not during a walk.
 */
uint64_t stream_walk_settled(struct stream_walk *walk, const struct trace *trace,
			     unsigned int stream, int64_t *next);

/* The window of one of @nr streams that are read in turns. */
uint32_t stream_walk_window(unsigned int nr);

/* Go to the next sub-buffer, walk->pages.page, which may be changed.  False: there is none. */
bool stream_walk_page(struct stream_walk *walk);

/* The next record; false at the end of the sub-buffer. */
static inline __attribute__((always_inline)) bool stream_walk_next(struct stream_walk *walk,
								   struct record *rec, bool native)
{
	if (!sub_buffer_step(&walk->sb, rec, !native && walk->sb.swap,
			     !native && walk->sb.big_endian))
		return false;
	walk->ref++;
	return true;
}

/* Time to show. */
static inline int64_t stream_walk_ts(const struct stream_walk *walk, const struct record *rec)
{
	return trace_clock_ts(&walk->stream->clock, rec->ts);
}

/* Readable bytes from the start of a record. */
static inline uint32_t stream_walk_room(const struct stream_walk *walk, const struct record *rec)
{
	return (uint32_t)(walk->end - rec->data);
}

/* Read a record with the common fields in their usual places. */
static inline __attribute__((always_inline)) bool stream_walk_is_plain(const struct record *rec,
								       bool native)
{
	return native && __builtin_expect(rec->size >= 8, 1);
}

/* common_type */
static inline __attribute__((always_inline)) uint16_t
stream_walk_type(const struct stream_walk *walk, const struct record *rec, bool native)
{
	return stream_walk_is_plain(rec, native) ?
		       load_u16(rec->data, false) :
		       (uint16_t)field_type_id(&walk->source->kinds.common, rec->data, rec->size,
					       walk->sb.swap);
}

/* common_flags */
static inline __attribute__((always_inline)) uint8_t
stream_walk_flags(const struct stream_walk *walk, const struct record *rec, bool native)
{
	const struct common_layout *common = &walk->source->kinds.common;

	return stream_walk_is_plain(rec, native) ?
		       rec->data[2] :
		       (uint8_t)field_load(rec->data, rec->size, common->flags_offset,
					   common->flags_size, walk->sb.swap);
}

/* common_preempt_count */
static inline __attribute__((always_inline)) uint8_t
stream_walk_preempt_count(const struct stream_walk *walk, const struct record *rec, bool native)
{
	const struct common_layout *common = &walk->source->kinds.common;

	return stream_walk_is_plain(rec, native) ?
		       rec->data[3] :
		       (uint8_t)field_load(rec->data, rec->size, common->preempt_offset,
					   common->preempt_size, walk->sb.swap);
}

/* common_pid */
static inline __attribute__((always_inline)) int32_t
stream_walk_pid(const struct stream_walk *walk, const struct record *rec, bool native)
{
	return stream_walk_is_plain(rec, native) ?
		       (int32_t)load_u32(rec->data + 4, false) :
		       field_pid(&walk->source->kinds.common, rec->data, rec->size, walk->sb.swap);
}
#endif
