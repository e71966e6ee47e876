/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SOURCE_SUB_BUFFER_H
#define FTOP_PARSERS_SOURCE_SUB_BUFFER_H
/*
 * sub_buffer - walks the records of one sub-buffer: payload, time stamp, lost events.
 *
 *   0           commit_offset        data_offset                      data_offset + commit
 *   | time stamp | commit: length,    | header record | header record … | [count of lost events] |
 *   |   u64      | lost flags         |
 *
 * Format: linux kernel/trace/ring_buffer.c, libtraceevent kbuffer-parse.c; trace-cmd.dat.v7(5).
 * Every step is bounded: whatever the bytes are, no read leaves the sub-buffer.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/io/byte_reader.h"
#include "parsers/source/source.h"

struct record {
	const uint8_t	*data;		/* payload (common_type first); borrowed from the page */
	uint32_t	 size;		/* bytes of payload, rounded up to 4
					   as the ring buffer stores it */
	uint32_t	 offset;	/* where the record's header is in the sub-buffer */
	uint64_t	 ts;		/* in the trace clock's unit, untransformed */
};

enum sub_buffer_damage {
	SUB_BUFFER_SOUND = 0,
	SUB_BUFFER_SHORT,		/* fewer bytes than a sub-buffer
					   header, or than its commit says */
	SUB_BUFFER_COMMIT,		/* commit is larger than the sub-buffer */
	SUB_BUFFER_RECORD,		/* a record does not fit or has an impossible header */
};

struct sub_buffer {
	const uint8_t	*page;
	const uint8_t	*pos;		/* next record's header */
	const uint8_t	*end;		/* end of the data */
	uint64_t	 ts;		/* stamp of the record just returned, or of the page */
	bool		 swap;
	bool		 big_endian;
	bool		 lost;		/* events were lost before the first record */
	bool		 lost_known;	/* lost_count is the kernel's count */
	uint64_t	 lost_count;
	enum sub_buffer_damage damage;	/* final once sub_buffer_next() returned false */
	uint32_t	 damage_offset;	/* bytes from the start of the sub-buffer */
};

/*
 * Start at the first record.  @len: bytes at @page, normally layout->page_size.  An all-zero page
 * is valid and empty.
 */
void sub_buffer_open(struct sub_buffer *sb, const struct sub_buffer_layout *layout,
		     const uint8_t *page, uint32_t len);

/* Time stamp of a sub-buffer; false if @len is less than its header. */
bool sub_buffer_ts(const struct sub_buffer_layout *layout, const uint8_t *page, uint32_t len,
		   uint64_t *ts);

/**
 * sub_buffer_next() - the next data record
 *
 * Padding (discarded records), time extends and absolute stamps are followed but not returned.
 * Return: false at the end or at damage (sb->damage, sb->damage_offset say which).
 */
bool sub_buffer_next(struct sub_buffer *sb, struct record *rec);

/**
 * sub_buffer_discarded() - time that the kernel's text output leaves out of a record's stamp
 * @page: the sub-buffer, valid at least up to the record
 * @data: bytes from its start to the record's payload
 * @pos, @lag: state of the walk, for the next record of this page; 0 at first
 *
 * Discarded records stay as padding with a time delta.  The kernel's trace file does not add these
 * deltas until the next absolute stamp or sub-buffer; all other readers do.  *lag receives their
 * sum before the record, in the clock's unit.
 */
void sub_buffer_discarded(const struct sub_buffer_layout *layout, const uint8_t *page,
			  uint32_t data, uint32_t *pos, uint64_t *lag);

/*
 * Fields common to all events; from a format file (event_types.h).  Offsets beyond a record read as
 * 0.
 */
struct common_layout {
	uint16_t	type_offset, type_size;		/* common_type: 0, 2 */
	uint16_t	flags_offset, flags_size;	/* common_flags: 2, 1 */
	uint16_t	preempt_offset, preempt_size;	/* common_preempt_count: 3, 1 */
	uint16_t	pid_offset, pid_size;		/* common_pid: 4, 4 */
	uint16_t	migrate_offset, migrate_size;	/* common_migrate_disable;
							   size 0 = no such field */
	uint16_t	lock_offset, lock_size;		/* common_lock_depth; size
							   0 = no such field */
};

/* --- the walk, inline for scans of whole files ---------------------------- */
enum {
	SUB_BUFFER_TYPE_DATA_MAX	= 28,	/* type_len 1..28: payload of 4 *
						   type_len bytes; 0: length follows */
	SUB_BUFFER_TYPE_PADDING		= 29,
	SUB_BUFFER_TYPE_TIME_EXTEND	= 30,
	SUB_BUFFER_TYPE_TIME_STAMP	= 31,
};
#define SUB_BUFFER_TS_SHIFT	27		/* bits of a time delta in the header word */
#define SUB_BUFFER_TS_MSB	(0xf8ull << 56)	/* an absolute stamp has 59 bits */
#define SUB_BUFFER_MAX_LENGTH	TRACE_MAX_PAGE_SIZE

/* 59 bits of a stamp, the rest from the running one; the kernel's rb_fix_abs_ts(). */
static inline uint64_t sub_buffer_absolute(uint64_t stamp, uint64_t running)
{
	if (running & SUB_BUFFER_TS_MSB) {
		stamp |= running & SUB_BUFFER_TS_MSB;
		if (stamp < running)
			stamp += 1ull << 59;
	}
	return stamp;
}

/* The header of a record whose words are in the host's byte order, from its first word only. */
struct sub_buffer_head {
	uint32_t	delta;		/* since the record before */
	uint32_t	words;		/* payload in words of 4 bytes, if it is plain: 1 to 28 */
};

static inline __attribute__((always_inline)) struct sub_buffer_head
sub_buffer_head(const uint8_t *pos)
{
	uint32_t word = load_u32(pos, false);

	return (struct sub_buffer_head){ word >> 5, word & 31 };
}

static inline __attribute__((always_inline)) bool sub_buffer_is_plain(struct sub_buffer_head head)
{
	return head.words - 1 < SUB_BUFFER_TYPE_DATA_MAX;
}

/* Stop at @pos: the records from there on cannot be separated. */
static inline void sub_buffer_stop(struct sub_buffer *sb, const uint8_t *pos)
{
	if (sb->damage == SUB_BUFFER_SOUND)
		sb->damage = SUB_BUFFER_RECORD;
	sb->damage_offset = pos - sb->page;
	sb->pos = sb->end = pos;
}

/*
 * Handle everything but a record of 4 to 112 bytes: advance *pos and *ts past headers that are not
 * data.  Return: true with the payload of a long record in *data and *size; false otherwise, with
 * *stop set if the walk ends here.
 */
static inline bool sub_buffer_rare(struct sub_buffer *sb, const uint8_t **pos, uint64_t *ts,
				   uint32_t type, uint32_t delta, bool swap, uint32_t *size,
				   bool *stop)
{
	const uint8_t *p = *pos;
	uint64_t left = sb->end - p;
	uint64_t length;

	*stop = true;
	/* the rest of the page is unused; it has no length */
	if (type == SUB_BUFFER_TYPE_PADDING && !delta) {
		sb->pos = sb->end;
		return false;
	}
	if (left < 8) {
		sub_buffer_stop(sb, p);
		return false;
	}
	length = load_u32(p + 4, swap);
	if (type == SUB_BUFFER_TYPE_TIME_EXTEND || type == SUB_BUFFER_TYPE_TIME_STAMP) {
		uint64_t time = (length << SUB_BUFFER_TS_SHIFT) + delta;

		*ts = type == SUB_BUFFER_TYPE_TIME_EXTEND ? *ts + time :
							    sub_buffer_absolute(time, *ts);
		*pos = p + 8;
		*stop = false;
		return false;
	}
	/* The length includes its own word, so it is at least 4. */
	if (length < 4 || length > SUB_BUFFER_MAX_LENGTH) {
		sub_buffer_stop(sb, p);
		return false;
	}
	length = (length + 3) & ~3ull;
	if (type == SUB_BUFFER_TYPE_PADDING) {
		*ts += delta;
		*pos = length > left - 4 ? sb->end : p + 4 + length;
		*stop = false;
		return false;
	}
	if (length > left - 4) {
		sub_buffer_stop(sb, p);
		return false;
	}
	*size = length - 4;
	return true;
}

/*
 * sub_buffer_next() with the byte order known at compile time: the core of every pass over all
 * records of a file.
 *
 * Pass constants (false, false for nearly all files), and keep @sb and @rec local to the function
 * that loops, with no other use of their addresses: then they live in registers, and a step takes
 * 1.9 ns where following the bare headers takes 1.8 (page_scan.c gains another fifth by walking two
 * sub-buffers side by side).  A worker gets its sub-buffers from page_reader_get(), 256 KiB at a
 * time: three quarters of a pass is the kernel's copying.
 */
static inline __attribute__((always_inline)) bool
sub_buffer_step(struct sub_buffer *sb, struct record *rec, bool swap, bool big_endian)
{
	const uint8_t *pos = sb->pos;
	uint64_t ts = sb->ts;

	while (sb->end - pos >= 4) {
		uint32_t word = load_u32(pos, swap);
		uint32_t type = big_endian ? word >> 27 : word & 31;
		uint32_t delta = big_endian ? word & ((1u << SUB_BUFFER_TS_SHIFT) - 1) : word >> 5;
		uint32_t size = 4 * type;
		const uint8_t *data = pos + 4;
		bool stop;

		if (__builtin_expect(type - 1 >= SUB_BUFFER_TYPE_DATA_MAX, 0)) {
			if (!sub_buffer_rare(sb, &pos, &ts, type, delta, swap, &size, &stop)) {
				if (stop)
					return false;
				continue;
			}
			data = pos + 8;
		} else if (__builtin_expect(size > (size_t)(sb->end - data), 0)) {
			break;
		}
		ts += delta;
		sb->ts = ts;
		sb->pos = data + size;
		rec->data = data;
		rec->size = size;
		rec->offset = pos - sb->page;
		rec->ts = ts;
		return true;
	}
	if (pos < sb->end)
		sub_buffer_stop(sb, pos);
	sb->pos = sb->end;
	return false;
}
#endif
