/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SUB_BUFFER_H
#define FTOP_PARSERS_SUB_BUFFER_H
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
#include "parsers/byte_reader.h"
#include "parsers/trace_file.h"

struct record {
	const uint8_t	*data;		/* payload (common_type first); borrowed from the page */
	uint32_t	 size;		/* bytes of payload, rounded up to 4 as the ring buffer stores it */
	uint32_t	 offset;	/* of the record's header in the sub-buffer */
	uint64_t	 ts;		/* in the trace clock's unit, untransformed */
};

enum sub_buffer_damage {
	SUB_BUFFER_SOUND = 0,
	SUB_BUFFER_SHORT,		/* fewer bytes than a sub-buffer header, or than its commit says */
	SUB_BUFFER_COMMIT,		/* commit is larger than the sub-buffer */
	SUB_BUFFER_RECORD,		/* a record does not fit or has an impossible header */
};

struct sub_buffer {
	const uint8_t	*page;
	const uint8_t	*pos;		/* next record header */
	const uint8_t	*end;		/* behind the last byte of data */
	uint64_t	 ts;		/* of the record just returned, or of the page */
	bool		 swap;
	bool		 big_endian;
	bool		 lost;		/* events were lost before the first record */
	bool		 lost_known;	/* lost_count is the kernel's count */
	uint64_t	 lost_count;
	enum sub_buffer_damage damage;
	uint32_t	 damage_offset;	/* bytes from the start of the page */
};

/* Start at the first record.  @len: bytes at @page, normally layout->page_size.  An all-zero page is sound and empty. */
void sub_buffer_open(struct sub_buffer *sb, const struct sub_buffer_layout *layout, const uint8_t *page, uint32_t len);

/**
 * sub_buffer_next() - the next data record
 *
 * Padding (discarded records), time extends and absolute stamps are followed but not returned.
 * Return: false at the end or at damage (sb->damage, sb->damage_offset say which).
 */
bool sub_buffer_next(struct sub_buffer *sb, struct record *rec);

/* Fields common to all events; from a format file (event_types.h).  Offsets beyond a record read as 0. */
struct common_layout {
	uint16_t	type_offset, type_size;		/* common_type: 0, 2 */
	uint16_t	flags_offset, flags_size;	/* common_flags: 2, 1 */
	uint16_t	preempt_offset, preempt_size;	/* common_preempt_count: 3, 1 */
	uint16_t	pid_offset, pid_size;		/* common_pid: 4, 4 */
	uint16_t	migrate_offset, migrate_size;	/* common_migrate_disable; size 0 = no such field */
	uint16_t	lock_offset, lock_size;		/* common_lock_depth; size 0 = no such field */
};
#endif
