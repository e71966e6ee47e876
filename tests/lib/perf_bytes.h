/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_PERF_BYTES_H
#define FTOP_TESTS_PERF_BYTES_H
/* perf_bytes - puts the bytes of a small perf.data, in either byte order.  For tests. */
#include "tests/lib/file_bytes.h"

#define PB_POINT	300		/* id of a tracepoint, and of its format */
#define PB_POINT_TYPE	0x107c7ull	/* IP TID TIME ID CPU PERIOD STREAM_ID RAW IDENTIFIER */
#define PB_CLOCK_TYPE	0x101a7ull	/* IP TID TIME CALLCHAIN CPU PERIOD IDENTIFIER */

struct perf_bytes {
	struct file_bytes b;
	size_t		 data;		/* where the records begin */
};

static const char pb_format[] =
	"name: point\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int value;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"value=%d\", REC->value\n";

/* struct perf_event_attr of 64 bytes: the first version. */
static inline void pb_attr(struct file_bytes *b, uint32_t type, uint64_t config, uint64_t sample)
{
	fb_u32(b, type);
	fb_u32(b, 64);			/* size */
	fb_u64(b, config);
	fb_u64(b, 1);			/* period */
	fb_u64(b, sample);		/* sample_type */
	fb_u64(b, 0);			/* read_format */
	/* sample_id_all is bit 18 of a bit field */
	for (int i = 0; i < 8; i++)
		fb_u8(b, i == 2 ? (b->big_endian ? 0x20 : 0x04) : 0);
	fb_u64(b, 0);			/* wakeup_events, bp_type */
	fb_u64(b, 0);			/* bp_addr */
}

static inline size_t pb_begin(struct file_bytes *b, uint32_t type, uint16_t misc)
{
	size_t at = fb_u32(b, type);

	fb_u16(b, misc);
	fb_u16(b, 0);			/* size */
	return at;
}

static inline void pb_end(struct file_bytes *b, size_t at)
{
	fb_align(b, 8);
	fb_patch(b, at + 6, b->len - at, 2);
}

/* What other records than samples end with: tid, time, id, stream, cpu, identifier. */
static inline void pb_trailer(struct file_bytes *b, int tid, uint64_t ts, uint32_t cpu)
{
	fb_u32(b, 10);			/* pid */
	fb_u32(b, (uint32_t)tid);
	fb_u64(b, ts);
	fb_u64(b, 1);			/* id */
	fb_u64(b, 0);			/* stream */
	fb_u64(b, b->big_endian ? (uint64_t)cpu << 32 : cpu);
	fb_u64(b, 1);			/* identifier */
}

/* A sample of the tracepoint.  Return: where it begins. */
static inline size_t pb_point(struct file_bytes *b, uint64_t ts, uint32_t cpu, int tid, int value)
{
	size_t at = pb_begin(b, 9, 1);

	fb_u64(b, 1);			/* identifier */
	fb_u64(b, 0xffffffff81000010);	/* ip */
	fb_u32(b, 10);			/* pid */
	fb_u32(b, (uint32_t)tid);
	fb_u64(b, ts);
	fb_u64(b, 1);			/* id */
	fb_u64(b, 0);			/* stream */
	fb_u32(b, cpu);
	fb_u32(b, 0);
	fb_u64(b, 1);			/* period */
	fb_u32(b, 12);			/* bytes of raw data */
	fb_u16(b, PB_POINT);
	fb_u16(b, 0);
	fb_u32(b, (uint32_t)tid);
	fb_u32(b, (uint32_t)value);
	pb_end(b, at);
	return at;
}

/* A sample of the clock, with a call chain: kernel 0x11 0x12, user 0x21. */
static inline size_t pb_clock(struct file_bytes *b, uint64_t ts, uint32_t cpu, int tid)
{
	size_t at = pb_begin(b, 9, 1);

	fb_u64(b, 2);			/* identifier */
	fb_u64(b, 0x11);		/* ip */
	fb_u32(b, 10);			/* pid */
	fb_u32(b, (uint32_t)tid);
	fb_u64(b, ts);
	fb_u32(b, cpu);
	fb_u32(b, 0);
	fb_u64(b, 250000);		/* period */
	fb_u64(b, 5);			/* entries of the chain */
	fb_u64(b, (uint64_t)-128);	/* PERF_CONTEXT_KERNEL */
	fb_u64(b, 0x11);
	fb_u64(b, 0x12);
	fb_u64(b, (uint64_t)-512);	/* PERF_CONTEXT_USER */
	fb_u64(b, 0x21);
	pb_end(b, at);
	return at;
}

/* A sample whose chain of user space comes later: kernel 0x11 0x12, cookie. */
static inline void pb_deferring(struct file_bytes *b, uint64_t ts, uint32_t cpu, int tid,
				uint64_t cookie)
{
	pb_clock(b, ts, cpu, tid);
	fb_patch(b, b->len - 16, (uint64_t)-640, 8);	/* PERF_CONTEXT_USER_DEFERRED */
	fb_patch(b, b->len - 8, cookie, 8);
}

/* That chain: @nr addresses from @from on. */
static inline void pb_deferred(struct file_bytes *b, uint64_t ts, uint32_t cpu, int tid,
			       uint64_t cookie, uint64_t from, unsigned int nr)
{
	size_t at = pb_begin(b, 22, 2);

	fb_u64(b, cookie);
	fb_u64(b, nr);
	for (unsigned int i = 0; i < nr; i++)
		fb_u64(b, from + i);
	pb_trailer(b, tid, ts, cpu);
	pb_end(b, at);
}

/* Samples of the clock get counts: right after pb_head().  @format: read_format */
static inline void pb_with_counts(struct perf_bytes *p, uint64_t format)
{
	fb_patch(&p->b, 224, PB_CLOCK_TYPE | 1 << 4, 8);
	fb_patch(&p->b, 232, format, 8);
	p->b.data[240] |= p->b.big_endian ? 0x40 : 0x02;	/* inherit: bit 1 of a bit field */
}

/* Such a sample, without a chain.  @points: -1: the clock is in no group */
static inline void pb_counted(struct file_bytes *b, uint64_t ts, uint32_t cpu, int tid,
			      uint64_t clock, int points)
{
	size_t at = pb_begin(b, 9, 1);

	fb_u64(b, 2);			/* identifier */
	fb_u64(b, 0x11);		/* ip */
	fb_u32(b, 10);			/* pid */
	fb_u32(b, (uint32_t)tid);
	fb_u64(b, ts);
	fb_u32(b, cpu);
	fb_u32(b, 0);
	fb_u64(b, 250000);		/* period */
	if (points >= 0)
		fb_u64(b, 2);		/* events of the group */
	fb_u64(b, clock);
	fb_u64(b, 2);			/* id */
	if (points >= 0) {
		fb_u64(b, (uint64_t)points);
		fb_u64(b, 1);
	}
	fb_u64(b, 0);			/* entries of the chain */
	pb_end(b, at);
}

static inline void pb_comm(struct file_bytes *b, uint64_t ts, int tid, const char *name)
{
	size_t at = pb_begin(b, 3, 0);

	fb_u32(b, 10);			/* pid */
	fb_u32(b, (uint32_t)tid);
	fb_string(b, name);
	fb_align(b, 8);
	pb_trailer(b, tid, ts, 0);
	pb_end(b, at);
}

static inline void pb_lost(struct file_bytes *b, uint64_t ts, uint32_t cpu, uint64_t lost)
{
	size_t at = pb_begin(b, 2, 0);

	fb_u64(b, 1);			/* id */
	fb_u64(b, lost);
	pb_trailer(b, 0, ts, cpu);
	pb_end(b, at);
}

/* A record that has only what all end with: THROTTLE, SWITCH. */
static inline void pb_bare(struct file_bytes *b, uint32_t type, uint16_t misc, uint64_t ts,
			   uint32_t cpu, int tid)
{
	size_t at = pb_begin(b, type, misc);

	for (int i = 0; type == 5 && i < 3; i++)	/* time, id, stream */
		fb_u64(b, i ? 1 : ts);
	pb_trailer(b, tid, ts, cpu);
	pb_end(b, at);
}

static inline void pb_round(struct file_bytes *b)
{
	pb_end(b, pb_begin(b, 68, 0));	/* FINISHED_ROUND */
}

/* Of which task an event is; u64 -1: of all. */
static inline void pb_id_index(struct file_bytes *b, uint64_t id, uint64_t tid)
{
	size_t at = pb_begin(b, 69, 0);

	fb_u64(b, 1);			/* entries */
	fb_u64(b, id);
	fb_u64(b, 0);			/* index */
	fb_u64(b, 0);			/* CPU */
	fb_u64(b, tid);
	pb_end(b, at);
}

static inline void pb_thread_map(struct file_bytes *b, uint64_t tid)
{
	size_t at = pb_begin(b, 73, 0);

	fb_u64(b, 1);			/* entries */
	fb_u64(b, tid);
	fb_u64(b, 0);			/* comm[16] */
	fb_u64(b, 0);
	pb_end(b, at);
}

/* Records of simpleperf: @bytes with the header, the upper ones in misc. */
static inline void pb_simpleperf(struct file_bytes *b, uint32_t type, uint32_t bytes)
{
	fb_u32(b, type);
	fb_u16(b, (uint16_t)(bytes >> 16));
	fb_u16(b, (uint16_t)bytes);
	for (uint32_t i = 8; i < bytes; i++)
		fb_u8(b, 0xee);
}

/* The formats, as trace-cmd.dat.v6(5) has them. */
static inline void pb_formats(struct file_bytes *b)
{
	fb_bytes(b, "\x17\x08\x44tracing", 10);
	fb_string(b, "0.6");
	fb_u8(b, b->big_endian);
	fb_u8(b, 8);			/* bytes of a long */
	fb_u32(b, 4096);		/* page size */
	fb_string(b, "header_page");
	fb_u64(b, 0);
	fb_string(b, "header_event");
	fb_u64(b, 0);
	fb_u32(b, 0);			/* formats of ftrace */
	fb_u32(b, 1);			/* systems */
	fb_string(b, "test");
	fb_u32(b, 1);			/* formats */
	fb_u64(b, strlen(pb_format));
	fb_text(b, pb_format);
	fb_u32(b, 0);			/* kallsyms */
	fb_u32(b, 0);			/* printk */
	fb_u64(b, 0);			/* cmdlines */
}

/* The header, with two events, up to the records. */
static inline void pb_head(struct perf_bytes *p, bool big_endian)
{
	struct file_bytes *b = &p->b;

	*b = (struct file_bytes){ .big_endian = big_endian };
	fb_text(b, big_endian ? "2ELIFREP" : "PERFILE2");
	fb_u64(b, 104);			/* bytes of the header */
	fb_u64(b, 80);			/* of an attribute, with its section */
	fb_u64(b, 120);			/* attributes: from */
	fb_u64(b, 160);			/* bytes */
	fb_u64(b, 280);			/* records: from */
	fb_u64(b, 0);			/* bytes: pb_tail() */
	fb_u64(b, 0);			/* event types */
	fb_u64(b, 0);
	fb_u64(b, 1 << 1 | 1 << 3);	/* features: TRACING_DATA, HOSTNAME */
	for (int i = 0; i < 3; i++)
		fb_u64(b, 0);
	fb_u64(b, 1);			/* ids, at 104 */
	fb_u64(b, 2);
	pb_attr(b, 2, PB_POINT, PB_POINT_TYPE);
	fb_u64(b, 104);			/* its ids: from, bytes */
	fb_u64(b, 8);
	pb_attr(b, 1, 0, PB_CLOCK_TYPE);
	fb_u64(b, 112);
	fb_u64(b, 8);
	p->data = b->len;
	assert(p->data == 280);
}

/* The features, behind the records. */
static inline void pb_tail(struct perf_bytes *p)
{
	struct file_bytes *b = &p->b;
	size_t list = b->len, at;

	fb_patch(b, 48, b->len - p->data, 8);
	for (int i = 0; i < 4; i++)
		fb_u64(b, 0);
	at = b->len;
	pb_formats(b);
	fb_patch(b, list, at, 8);
	fb_patch(b, list + 8, b->len - at, 8);
	at = b->len;
	fb_u32(b, 8);
	fb_bytes(b, "machine", 8);
	fb_patch(b, list + 16, at, 8);
	fb_patch(b, list + 24, b->len - at, 8);
}

/* What simpleperf has behind the records: the command line and META_INFO. */
static inline void pb_simpleperf_tail(struct perf_bytes *p, bool is_of_all)
{
	struct file_bytes *b = &p->b;
	size_t list = b->len, at;

	fb_patch(b, 48, b->len - p->data, 8);
	fb_patch(b, 72, 1 << 11, 8);
	fb_patch(b, 88, 1 << 1, 8);	/* 129 */
	for (int i = 0; i < 4; i++)
		fb_u64(b, 0);
	at = b->len;
	fb_u32(b, 2);
	for (int i = 0; i < 2; i++) {
		fb_u32(b, 16);
		fb_bytes(b, i ? "record\0\0\0\0\0\0\0\0\0" : "/bin/simpleperf", 16);
	}
	fb_patch(b, list, at, 8);
	fb_patch(b, list + 8, b->len - at, 8);
	at = b->len;
	fb_string(b, "event_type_info");
	fb_string(b, "test:point,2,300\ncpu-clock,1,0");
	fb_string(b, "system_wide_collection");
	fb_string(b, is_of_all ? "true" : "false");
	fb_patch(b, list + 16, at, 8);
	fb_patch(b, list + 24, b->len - at, 8);
}
#endif
