/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_scan.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/pages/page_sequence.h"
#include "parsers/file/trace_file.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define WINDOW_BYTES	(256u << 10)	/* read at once; fits into a CPU's cache */
#define SLOTS		512u		/* cached names; a power of two */
#define COMM_BYTES	16u
#define NO_STRETCH	UINT32_MAX

struct slot {				/* a task's name and its number; name 0 = unused */
	uint64_t	comm[2];	/* as in the record */
	uint32_t	pid, name;
};

struct sched_scan {
	struct trace		*trace;		/* borrowed */
	const struct trace_source *source;
	const struct sched_types *types;	/* borrowed */
	struct sched_names	*names;		/* borrowed */
	bool			 last_seen;
	struct sched_filter	*filter;	/* owned; NULL = everything counts */
	struct page_reader	*reader;	/* owned */
	struct slot		 slots[SLOTS];
	/* Of the stream being scanned: */
	const struct trace_clock *clock;
	struct sched_chunk	*chunk;
	uint32_t		 open;		/* index of a STRETCH whose first switch is still
						 * to come, or NO_STRETCH */
	bool			 cut;		/* events were lost between the last record and
						 * the next one */
	uint32_t		 seen;		/* common_pid of the last record */
	const uint8_t		*end;		/* end of the sub-buffer's bytes */
};

void sched_chunk_fini(struct sched_chunk *chunk)
{
	free(chunk->recs);
	*chunk = (struct sched_chunk){ 0 };
}

struct sched_scan *sched_scan_new(const struct sched_scan_options *o)
{
	struct sched_scan *s = mem_alloc(sizeof(*s));

	s->trace = o->trace;
	s->source = trace_source_at(o->trace, o->file);
	s->types = o->types;
	s->names = o->names;
	s->last_seen = o->last_seen;
	s->filter = sched_filter_new(o->trace, o->filters, o->nr_filters);
	s->reader = page_reader_new(s->source->file, WINDOW_BYTES);
	return s;
}

void sched_scan_free(struct sched_scan *s)
{
	if (!s)
		return;
	page_reader_free(s->reader);
	sched_filter_free(s->filter);
	free(s);
}

/* --- records to 40 bytes ------------------------------------------------------------- */

static inline struct sched_rec *add_rec(struct sched_chunk *chunk, enum sched_op op, int64_t ts)
{
	struct sched_rec *rec;

	mem_grow(&chunk->recs, chunk->nr, &chunk->cap);
	rec = &chunk->recs[chunk->nr++];
	*rec = (struct sched_rec){ .ts = ts, .op = op };
	return rec;
}

/* The number of a name of 16 bytes, from this worker's cache if possible. */
static inline uint32_t name_plain(struct sched_scan *s, uint32_t pid, const uint8_t *comm)
{
	struct slot *slot = &s->slots[pid & (SLOTS - 1)];
	uint64_t a = load_u64(comm, false), b = load_u64(comm + 8, false);

	if (__builtin_expect(!slot->name || slot->pid != pid || slot->comm[0] != a || slot->comm[1] != b, 0))
		*slot = (struct slot){ { a, b }, pid, sched_names_add(s->names, (const char *)comm, COMM_BYTES) };
	return slot->name;
}

static uint32_t name_any(struct sched_scan *s, const struct event_field *field, const struct record *rec, bool swap)
{
	struct field_span span = { 0 };

	if (field)
		span = field_bytes(field, rec->data, rec->size, swap);
	return span.data ? sched_names_add(s->names, (const char *)span.data, span.len) : 0;
}

static uint64_t number(const struct event_field *field, const struct record *rec, bool swap)
{
	return field ? field_u64(field, rec->data, rec->size, swap) : 0;
}

/* Clamp a CPU's number to 16 bits. */
static uint16_t cpu_number(uint64_t cpu)
{
	return cpu < SCHED_NO_CPU ? (uint16_t)cpu : SCHED_NO_CPU;
}

static inline __attribute__((always_inline)) void take_switch(struct sched_scan *s, const struct sched_shape *shape,
							      const struct record *rec, bool swap, struct sched_rec *out)
{
	uint64_t state;

	if (__builtin_expect(shape->plain && rec->size >= shape->bytes, 1)) {
		out->pid = load_u32(rec->data + shape->pid_at, swap);
		out->pid2 = load_u32(rec->data + shape->pid2_at, swap);
		out->comm = name_plain(s, out->pid, rec->data + shape->comm_at);
		out->comm2 = name_plain(s, out->pid2, rec->data + shape->comm2_at);
		out->prio = (int16_t)load_u32(rec->data + shape->prio_at, swap);
		out->prio2 = (int16_t)load_u32(rec->data + shape->prio2_at, swap);
		state = load_u64(rec->data + shape->state_at, swap);
	} else {
		out->pid = (uint32_t)number(shape->pid, rec, swap);
		out->pid2 = (uint32_t)number(shape->pid2, rec, swap);
		out->comm = name_any(s, shape->comm, rec, swap);
		out->comm2 = name_any(s, shape->comm2, rec, swap);
		out->prio = (int16_t)number(shape->prio, rec, swap);
		out->prio2 = (int16_t)number(shape->prio2, rec, swap);
		state = number(shape->state, rec, swap);
	}
	out->cpu = (uint16_t)state;
	out->detail = (uint8_t)sched_types_class(s->types, state);
	if (__builtin_expect(s->open != NO_STRETCH, 0)) {
		s->chunk->recs[s->open].pid = out->pid;
		s->chunk->recs[s->open].detail = SCHED_FIRST_TASK;
		s->open = NO_STRETCH;
	}
}

/* Take a wakeup, a migration, or another record about a single task. */
static inline __attribute__((always_inline)) void take_task(struct sched_scan *s, const struct sched_shape *shape,
							    const struct record *rec, bool swap, struct sched_rec *out)
{
	const struct common_layout *common = &s->types->common;

	if (__builtin_expect(s->types->standard && rec->size >= 8, 1)) {
		out->pid2 = load_u32(rec->data + 4, swap);
		out->detail = rec->data[2];
	} else {
		out->pid2 = (uint32_t)field_load(rec->data, rec->size, common->pid_offset, common->pid_size, swap);
		out->detail = (uint8_t)field_load(rec->data, rec->size, common->flags_offset, common->flags_size, swap);
	}
	if (__builtin_expect(shape->plain && shape->cpu && shape->prio && rec->size >= shape->bytes, 1)) {
		out->pid = load_u32(rec->data + shape->pid_at, swap);
		out->comm = name_plain(s, out->pid, rec->data + shape->comm_at);
		out->prio = (int16_t)load_u32(rec->data + shape->prio_at, swap);
		out->cpu = cpu_number(load_u32(rec->data + shape->cpu_at, swap));
		return;
	}
	out->pid = shape->pid ? (uint32_t)number(shape->pid, rec, swap) : out->pid2;
	out->comm = name_any(s, shape->comm, rec, swap);
	out->prio = (int16_t)number(shape->prio, rec, swap);
	out->cpu = shape->cpu ? cpu_number((uint32_t)number(shape->cpu, rec, swap)) : SCHED_NO_CPU;
}

static uint32_t common_pid(const struct sched_scan *s, const struct record *rec, bool swap)
{
	const struct common_layout *common = &s->types->common;

	return (uint32_t)field_load(rec->data, rec->size, common->pid_offset, common->pid_size, swap);
}

static void take_context(struct sched_scan *s, const struct sched_shape *shape, const struct record *rec, bool swap,
			 struct sched_rec *out)
{
	out->pid = (uint32_t)number(shape->state, rec, swap);
	out->pid2 = (uint32_t)shape->type_id;
	out->comm2 = common_pid(s, rec, swap);
	out->detail = (uint8_t)shape->context;
}

static void take_call(struct sched_scan *s, const struct sched_shape *shape, const struct record *rec, bool swap,
		      struct sched_rec *out)
{
	out->pid = (uint32_t)number(shape->state, rec, swap);
	out->pid2 = common_pid(s, rec, swap);
	out->detail = shape->is_raw;
}

static __attribute__((noinline)) void ask_filter(struct sched_scan *s, const struct sched_shape *shape, const struct record *rec,
						  struct sched_rec *out)
{
	uint32_t other = shape->op == SCHED_SWITCH ? out->pid2 : out->pid;
	unsigned int not = sched_filter_record(s->filter, shape, other, out->ref, rec->data, rec->size,
					       (uint32_t)(s->end - rec->data), trace_clock_ts(s->clock, rec->ts));

	out->uncounted = (uint8_t)(not & ((1u << SCHED_NOT_BITS) - 1));
}

static inline __attribute__((always_inline)) void take(struct sched_scan *s, const struct sched_shape *shape,
						       const struct record *rec, trace_ref ref, int64_t ts, bool swap)
{
	struct sched_chunk *chunk = s->chunk;
	struct sched_rec *out;

	chunk->sched_records += shape->is_sched;
	chunk->switches += shape->op == SCHED_SWITCH;
	if (shape->op == SCHED_SYSTEM)
		return;
	if (__builtin_expect(ts < chunk->max_ts, 0))
		add_rec(chunk, SCHED_KEY, chunk->max_ts);
	out = add_rec(chunk, shape->op, ts);
	out->ref = ref;
	switch (shape->op) {
	case SCHED_SWITCH:
		take_switch(s, shape, rec, swap, out);
		break;
	case SCHED_MIGRATE:
		chunk->migrations++;
		take_task(s, shape, rec, swap, out);
		break;
	case SCHED_WAKING:
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
	case SCHED_FORK:
	case SCHED_EXEC:
	case SCHED_EXIT:
	case SCHED_RENAME:
		take_task(s, shape, rec, swap, out);
		break;
	case SCHED_ENTER:
	case SCHED_LEAVE:
	case SCHED_POWER:
		take_context(s, shape, rec, swap, out);
		break;
	case SCHED_CALL:
	case SCHED_RETURN:
		take_call(s, shape, rec, swap, out);
		break;
	case SCHED_NONE:
	case SCHED_SYSTEM:
	case SCHED_STRETCH:
	case SCHED_KEY:
	case SCHED_SEEN:
		break;
	}
	if (__builtin_expect(s->filter != NULL, 0))
		ask_filter(s, shape, rec, out);
}

/* --- stretches ------------------------------------------------------------------------- */

/* Take the first record after a cut, or of the chunk. */
static __attribute__((noinline)) void begin_stretch(struct sched_scan *s, int64_t ts)
{
	struct sched_chunk *chunk = s->chunk;
	struct sched_rec *rec;

	if (!chunk->any) {
		chunk->any = true;
		chunk->lead_cut = s->cut;
		chunk->max_ts = chunk->last_ts = ts;
	}
	if (s->open != NO_STRETCH)
		chunk->recs[s->open].detail = SCHED_FIRST_NOBODY;
	if (ts < chunk->max_ts)
		add_rec(chunk, SCHED_KEY, chunk->max_ts);
	s->open = chunk->nr;
	s->cut = false;
	s->seen = UINT32_MAX;
	rec = add_rec(chunk, SCHED_STRETCH, ts);
	rec->detail = SCHED_FIRST_LATER;
	rec->end = chunk->last_ts;
}

/* Without switches: take the record's own task. */
static void take_seen(struct sched_scan *s, const struct record *rec, int64_t ts, bool swap)
{
	uint32_t pid = common_pid(s, rec, swap);

	if (pid == s->seen)
		return;
	s->seen = pid;
	if (ts < s->chunk->max_ts)
		add_rec(s->chunk, SCHED_KEY, s->chunk->max_ts);
	add_rec(s->chunk, SCHED_SEEN, ts)->pid = pid;
}

static inline __attribute__((always_inline)) void walk(struct sched_scan *s, struct sub_buffer *sb, trace_ref ref, bool swap,
						       bool big_endian, bool plain)
{
	const struct common_layout *common = &s->types->common;
	const uint8_t *shape_of = s->types->shape_of;
	struct sched_chunk *chunk = s->chunk;
	struct sub_buffer walk = *sb;		/* a local copy stays in registers */
	bool fresh = s->cut || !chunk->any;
	struct record rec;
	int64_t ts;

	while (sub_buffer_step(&walk, &rec, swap, big_endian)) {
		uint32_t id, shape;

		ref++;
		ts = plain ? trace_clock_add(rec.ts, s->clock->offset) : trace_clock_slow_ts(s->clock, rec.ts);
		if (plain && __builtin_expect(rec.size >= 4, 1))
			id = load_u16(rec.data, swap);
		else
			id = (uint16_t)field_load(rec.data, rec.size, common->type_offset, common->type_size, swap);
		if (__builtin_expect(fresh, 0)) {
			begin_stretch(s, ts);
			fresh = false;
		}
		chunk->max_ts = ts > chunk->max_ts ? ts : chunk->max_ts;
		chunk->last_ts = ts;
		if (__builtin_expect(s->last_seen, 0))
			take_seen(s, &rec, ts, swap);
		shape = shape_of[id];
		if (shape)
			take(s, &s->types->shapes[shape], &rec, ref, ts, swap);
	}
	*sb = walk;
}

/* Damage at the end of a page counts as a loss before the next record. */
static void scan_page(struct sched_scan *s, const struct trace_stream *stream, trace_ref page, const uint8_t *bytes, uint32_t len)
{
	const struct sub_buffer_layout *layout = stream->layout;
	struct sub_buffer sb;

	sub_buffer_open(&sb, layout, bytes, len);
	s->end = bytes + len;
	s->cut |= sb.lost;
	if (stream->clock.plain && s->types->standard && !layout->swap && !layout->big_endian)
		walk(s, &sb, page, false, false, true);
	else
		walk(s, &sb, page, layout->swap, layout->big_endian, false);
	if (__builtin_expect(sb.damage != SUB_BUFFER_SOUND, 0)) {
		s->chunk->damaged++;
		s->cut = true;
	}
}

bool sched_scan_pages(struct sched_scan *s, unsigned int nr_stream, uint64_t first, uint64_t nr, struct sched_chunk *chunk,
		      const atomic_bool *stopped)
{
	const struct trace_stream *stream = trace_stream_at(s->trace, nr_stream);
	struct page_sequence pages = { .reader = s->reader, .stream = stream->number, .page_size = stream->layout->page_size,
				       .page = first, .end = first + nr };
	struct sched_rec *recs = chunk->recs;
	uint32_t cap = chunk->cap, len;
	const uint8_t *bytes;

	*chunk = (struct sched_chunk){ .recs = recs, .cap = cap };
	s->clock = &stream->clock;
	s->chunk = chunk;
	if (s->filter)
		sched_filter_stream(s->filter, nr_stream);
	s->open = NO_STRETCH;
	s->cut = false;
	while (page_sequence_next(&pages, &bytes, &len)) {
		if (atomic_load_explicit(stopped, memory_order_relaxed))
			return false;
		scan_page(s, stream, trace_ref_make(nr_stream, pages.page - 1, 0), bytes, len);
	}
	if (!chunk->any)
		chunk->lead_cut = s->cut;
	chunk->tail_cut = s->cut;
	if (s->cut && s->open != NO_STRETCH)
		chunk->recs[s->open].detail = SCHED_FIRST_NOBODY;
	return true;
}

/* --- ahead -------------------------------------------------------------------------------- */

/* LATER: the page contains neither a switch nor a cut. */
static enum sched_first look_at_page(struct sched_scan *s, const struct trace_stream *stream, const uint8_t *bytes,
				     uint32_t len, uint32_t *pid)
{
	const struct common_layout *common = &s->types->common;
	bool swap = stream->layout->swap;
	struct sub_buffer sb;
	struct record rec;

	sub_buffer_open(&sb, stream->layout, bytes, len);
	if (sb.lost)
		return SCHED_FIRST_NOBODY;
	while (sub_buffer_next(&sb, &rec)) {
		uint32_t id = (uint16_t)field_load(rec.data, rec.size, common->type_offset, common->type_size, swap);
		const struct sched_shape *shape = &s->types->shapes[s->types->shape_of[id]];

		if (shape->op != SCHED_SWITCH)
			continue;
		*pid = (uint32_t)number(shape->pid, &rec, swap);
		return SCHED_FIRST_TASK;
	}
	return sb.damage == SUB_BUFFER_SOUND ? SCHED_FIRST_LATER : SCHED_FIRST_NOBODY;
}

enum sched_first sched_scan_ahead(struct sched_scan *s, unsigned int nr_stream, uint64_t page, uint32_t *pid,
				  const atomic_bool *stopped)
{
	const struct trace_stream *stream = trace_stream_at(s->trace, nr_stream);
	struct page_sequence pages = { .reader = s->reader, .stream = stream->number, .page_size = stream->layout->page_size,
				       .page = page, .end = trace_stream_pages(s->trace, stream) };
	const uint8_t *bytes;
	uint32_t len;

	while (!atomic_load_explicit(stopped, memory_order_relaxed) && page_sequence_next(&pages, &bytes, &len)) {
		enum sched_first first = look_at_page(s, stream, bytes, len, pid);

		if (first != SCHED_FIRST_LATER)
			return first;
	}
	return SCHED_FIRST_NOBODY;
}
