/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_PERFETTO_BYTES_H
#define FTOP_TESTS_PERFETTO_BYTES_H
/*
 * perfetto_bytes - puts the bytes of a small trace of Perfetto.  For tests.  Numbers of fields are
 * written out here, from Perfetto's published files: they do not come from the reader.
 */
#include "src/export/proto.h"

/* Messages in one another; xb_end() ends the innermost one. */
struct perfetto_bytes {
	struct text	 t;
	size_t		 open[8];
	unsigned int	 nr_open;
};

static inline void xb_begin(struct perfetto_bytes *b, unsigned int field)
{
	b->open[b->nr_open++] = proto_begin(&b->t, field);
}

static inline void xb_end(struct perfetto_bytes *b)
{
	proto_end(&b->t, b->open[--b->nr_open]);
}

static inline void xb_end_all(struct perfetto_bytes *b)
{
	while (b->nr_open)
		xb_end(b);
}

/* A TracePacket of a sequence. */
static inline void xb_packet(struct perfetto_bytes *b, unsigned int sequence)
{
	xb_begin(b, 1);
	proto_number(&b->t, 10, sequence);	/* trusted_packet_sequence_id */
}

/* A clock of a snapshot. */
static inline void xb_clock(struct perfetto_bytes *b, unsigned int clock, uint64_t time)
{
	xb_begin(b, 1);				/* clocks */
	proto_number(&b->t, 1, clock);		/* clock_id */
	proto_number(&b->t, 2, time);		/* timestamp */
	xb_end(b);
}

/* Of boot, mono and realtime, read together. */
static inline void xb_snapshot(struct perfetto_bytes *b, uint64_t boot, uint64_t mono,
			       uint64_t wall)
{
	xb_packet(b, 1);
	xb_begin(b, 6);				/* clock_snapshot */
	xb_clock(b, 6, boot);
	xb_clock(b, 3, mono);
	xb_clock(b, 1, wall);
	proto_number(&b->t, 2, 6);		/* primary_trace_clock */
	xb_end_all(b);
}

static inline void xb_bundle(struct perfetto_bytes *b, unsigned int cpu, bool is_lost)
{
	xb_packet(b, 1);
	xb_begin(b, 1);				/* ftrace_events */
	proto_number(&b->t, 1, cpu);
	if (is_lost)
		proto_number(&b->t, 3, 1);	/* lost_events */
}

/* An event of the bundle: its message @field is open. */
static inline void xb_event(struct perfetto_bytes *b, uint64_t ts, int pid, unsigned int field)
{
	xb_begin(b, 2);				/* event */
	proto_number(&b->t, 1, ts);
	proto_number(&b->t, 2, (uint64_t)pid);
	xb_begin(b, field);
}

static inline void xb_end_event(struct perfetto_bytes *b)
{
	xb_end(b);
	xb_end(b);
}

/* sched_switch: FtraceEvent.sched_switch = 4 */
static inline void xb_switch(struct perfetto_bytes *b, uint64_t ts, int from, int to)
{
	xb_event(b, ts, from, 4);
	proto_string(&b->t, 1, "from");		/* prev_comm */
	proto_number(&b->t, 2, (uint64_t)from);
	proto_number(&b->t, 3, 120);
	proto_number(&b->t, 4, 1);		/* prev_state */
	proto_string(&b->t, 5, "to");
	proto_number(&b->t, 6, (uint64_t)to);
	proto_number(&b->t, 7, 120);
	xb_end_event(b);
}

/* A column of compact events. */
static inline void xb_column(struct perfetto_bytes *b, unsigned int field, unsigned int nr,
			     const uint64_t *numbers)
{
	xb_begin(b, field);
	for (unsigned int i = 0; i < nr; i++)
		proto_varint(&b->t, numbers[i]);
	xb_end(b);
}
#define XB_COLUMN(b, field, ...)                                                                   \
	xb_column(b, field, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

/* A track: of a thread, if @tid is not 0. */
static inline void xb_track(struct perfetto_bytes *b, uint64_t uuid, uint64_t parent,
			    const char *name, int pid, int tid)
{
	xb_packet(b, 2);
	xb_begin(b, 60);			/* track_descriptor */
	proto_number(&b->t, 1, uuid);
	if (parent)
		proto_number(&b->t, 5, parent);
	if (name)
		proto_string(&b->t, 2, name);
	if (tid) {
		xb_begin(b, 4);			/* thread */
		proto_number(&b->t, 1, (uint64_t)pid);
		proto_number(&b->t, 2, (uint64_t)tid);
		proto_string(&b->t, 5, "worker");
		xb_end(b);
	} else if (pid) {
		xb_begin(b, 3);			/* process */
		proto_number(&b->t, 1, (uint64_t)pid);
		xb_end(b);
	}
	xb_end_all(b);
}

/* A TrackEvent: 1 begins, 2 ends, 3 is an instant.  @name: NULL: none */
static inline void xb_slice(struct perfetto_bytes *b, uint64_t ts, unsigned int type, uint64_t uuid,
			    const char *name)
{
	xb_packet(b, 2);
	proto_number(&b->t, 8, ts);		/* timestamp */
	xb_begin(b, 11);			/* track_event */
	proto_number(&b->t, 9, type);
	proto_number(&b->t, 11, uuid);
	if (name)
		proto_string(&b->t, 23, name);
	xb_end_all(b);
}
#endif
