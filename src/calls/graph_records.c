/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/graph_records_private.h"

#include <stdlib.h>
#include <string.h>

#include "src/calls/call_guess.h"
#include "src/filter/filter.h"
#include "src/base/memory.h"
#include "src/base/merge.h"
#include "src/trace/stream_walk.h"
#include "src/trace/trace_absence.h"
#include "src/trace/trace_marker.h"

#define LANE_RECORDS	256u		/* decoded ahead, per stream */
#define PER_RECORD	6u		/* graph records from one record of the file, at most */

struct graph_lane {			/* a stream */
	unsigned int	 stream;
	struct stream_walk walk;
	bool		 open;		/* the page has more records */
	uint64_t	 run;		/* running maximum of stamps */
	uint64_t	 before;	/* running maximum before the page */
	bool		 cut;		/* records are missing since the last one */
	bool		 damaged;	/* because they cannot be read */
	uint64_t	 last;		/* running maximum up to the last record; 0: none yet */
	uint64_t	 quiet_to;	/* an absence may have ended before a record from here on */
	unsigned int	 nr, pos;	/* number of decoded records; the next one */
	struct graph_record records[LANE_RECORDS];
	uint64_t	*stacks;	/* owned, [nr_stacks]: a number of addresses, then these;
					 * and so on */
	uint32_t	 nr_stacks, cap_stacks;
	bool		 holds;		/* back a function's record, its stack may follow: */
	struct graph_record held;
	uint64_t	 start;		/* the first page when the reader began */
	uint64_t	 counted;	/* damage was counted before this page */
	bool		 resumed;	/* goes on where a reader parked: */
	bool		 behind;	/* there were no more records */
};

struct graph_reader {
	struct trace	*trace;
	const struct graph_types *types;
	struct graph_reader_options options;
	uint8_t		 kinds[GRAPH_NR_TYPES];	/* the types' kinds, without those not needed */
	struct filter_runs filters;		/* the scope's filters */
	bool		 scoped;		/* only some calls are requested */
	bool		 local;			/* graph_clock_is_local() */
	bool		 lone;			/* graph_lacks_entries() */
	unsigned int	 irq_flags;		/* a record with one of these is a GRAPH_IRQ, too */
	unsigned int	 nr_lanes;
	struct graph_lane *lanes;		/* owned */
	struct merge	 merge;			/* merges the lanes by key */
	bool		 begun;
	int64_t		 from, to;		/* keys before and behind are skipped */
	int64_t		 until;			/* parked: keys are below this */
	int64_t		 end;			/* parked: trace_end() then */
	bool		 stale;			/* parked: a gap begins before it */
	uint64_t	 bytes, damaged;
	uint64_t	 pid_bits;
	struct call_guess *guess;	/* owned; NULL until the first `function` record */
};

/* --- opening ------------------------------------------------------------------------ */

static bool wants_stream(const struct graph_reader *r, const struct trace_stream *s,
			 unsigned int file, unsigned int buffer)
{
	const struct graph_reader_options *o = &r->options;

	return s->source == file && s->buffer == buffer &&
	       (!o->by_pid || o->pid || s->cpu == o->cpu);
}

static inline bool is_irq(enum graph_read_kind kind)
{
	return kind >= READ_IN_SOFTIRQ && kind <= READ_IRQ_EXIT;
}

static void set_kinds(struct graph_reader *r)
{
	memcpy(r->kinds, r->types->kinds, sizeof(r->kinds));
	for (unsigned int i = 0; i < GRAPH_NR_TYPES; i++) {
		if (((r->kinds[i] == READ_SWITCH || is_irq(r->kinds[i])) && !r->options.switches) ||
		    (r->kinds[i] == READ_MARKER && !r->options.slices) ||
		    (r->kinds[i] == READ_WAKEUP && !r->options.wakeups))
			r->kinds[i] = READ_NOTHING;
		if (r->kinds[i] == READ_NOTHING && r->options.events)
			r->kinds[i] = READ_EVENT;
	}
}

static void set_scope(struct graph_reader *r)
{
	const struct graph_scope *scope = r->options.scope;

	if (!scope)
		return;
	r->scoped = scope->has_from || scope->has_to || scope->cpus || scope->outside ||
		    scope->nr_filters;
	filter_runs_init(&r->filters, scope->filters, scope->nr_filters);
}

struct graph_reader *graph_reader_new(struct trace *trace, const struct graph_types *types,
				      unsigned int file, unsigned int buffer,
				      const struct graph_reader_options *options)
{
	struct graph_reader *r = mem_alloc(sizeof(*r));
	unsigned int nr = 0;

	r->trace = trace;
	r->types = types;
	r->options = *options;
	r->local = graph_clock_is_local(trace, file, buffer);
	r->lone = graph_lacks_entries(trace, file, buffer);
	r->irq_flags = options->switches ? TRACE_IN_NMI | TRACE_IN_HARDIRQ | TRACE_IN_SOFTIRQ : 0;
	set_kinds(r);
	set_scope(r);
	r->pid_bits = options->by_pid ? pid_bits(options->pid) : 0;
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++)
		nr += wants_stream(r, trace_stream_at(trace, i), file, buffer);
	r->lanes = mem_array(nr + 1, sizeof(*r->lanes));
	merge_init(&r->merge, nr);
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		struct graph_lane *lane = &r->lanes[r->nr_lanes];

		if (!wants_stream(r, trace_stream_at(trace, i), file, buffer))
			continue;
		lane->stream = i;
		lane->walk.window_bytes = stream_walk_window(nr);
		stream_walk_begin(&lane->walk, trace, i, 0, UINT64_MAX);
		lane->start = lane->walk.pages.page;
		r->nr_lanes++;
	}
	r->from = r->until = r->end = INT64_MIN;
	r->to = INT64_MAX;
	return r;
}

void graph_reader_free(struct graph_reader *r)
{
	if (!r)
		return;
	for (unsigned int i = 0; i < r->nr_lanes; i++) {
		stream_walk_end(&r->lanes[i].walk);
		free(r->lanes[i].stacks);
	}
	call_guess_free(r->guess);
	filter_runs_fini(&r->filters);
	free(r->lanes);
	merge_fini(&r->merge);
	free(r);
}

/* --- records of a sub-buffer ----------------------------------------------------------- */

static inline uint64_t load_place(const struct graph_field *place, const struct record *rec,
				  bool swap)
{
	return field_load(rec->data, rec->size, place->offset, place->size, swap);
}

static inline int32_t load_signed(const struct graph_field *place, const struct record *rec,
				  bool swap)
{
	uint64_t v = load_place(place, rec, swap);
	int64_t s = place->is_signed ? field_sign(v, place->size) :
		    v > INT32_MAX    ? INT32_MAX :
				       (int64_t)v;

	return s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : (int32_t)s;
}

/* The level of a call: entry functions of interrupts run before the flags say so. */
static inline uint8_t level_in(const struct graph_types *types, uint8_t level, uint64_t func)
{
	if (level < GRAPH_HARDIRQ && func - types->irq_start < types->irq_bytes)
		return GRAPH_HARDIRQ;
	if (level < GRAPH_SOFTIRQ && func - types->softirq_start < types->softirq_bytes)
		return GRAPH_SOFTIRQ;
	return level;
}

static bool is_in_scope(const struct graph_scope *scope, int64_t ts, int cpu)
{
	if (((scope->has_from && ts < scope->from) || (scope->has_to && ts > scope->to)) !=
	    scope->outside)
		return false;
	return !scope->cpus || (cpu >= 0 && (unsigned int)cpu < scope->nr_cpus && scope->cpus[cpu]);
}

/* Is the call of this record in the scope? */
static bool is_wanted(struct graph_reader *r, const struct graph_lane *lane, trace_ref ref,
		      const struct record *rec, uint32_t id)
{
	const struct graph_scope *scope = r->options.scope;
	int64_t ts = stream_walk_ts(&lane->walk, rec);

	return is_in_scope(scope, ts, lane->walk.stream->cpu) &&
	       filter_runs_stream(&r->filters, lane->stream) &&
	       filter_runs_match(&r->filters, ref, (int)id, rec->data, rec->size,
				 stream_walk_room(&lane->walk, rec), ts);
}

static inline bool is_of_task(const struct graph_reader *r, int32_t pid)
{
	return !r->options.by_pid || pid == r->options.pid;
}

/* What a record says of the task whose pid is in a field. */
static void add_task(const struct graph_reader *r, struct graph_lane *lane,
		     const struct record *rec, struct graph_record of, enum graph_kind kind,
		     const struct graph_field *pid)
{
	of.kind = (uint8_t)kind;
	of.pid = load_signed(pid, rec, lane->walk.sb.swap);
	if (is_of_task(r, of.pid))
		lane->records[lane->nr++] = of;
}

/* A switch or a wake-up: an event of its own task, and about other tasks. */
static void add_sched(const struct graph_reader *r, struct graph_lane *lane,
		      const struct record *rec, enum graph_read_kind kind)
{
	struct graph_record of = lane->records[lane->nr];

	if (r->options.events && is_of_task(r, of.pid))
		lane->nr++;
	if (kind == READ_WAKEUP) {
		add_task(r, lane, rec, of, GRAPH_WOKEN, &r->types->woken_pid);
		return;
	}
	/* for a switch from the task to itself, the time away ends before another begins */
	add_task(r, lane, rec, of, GRAPH_BACK, &r->types->next_pid);
	add_task(r, lane, rec, of, GRAPH_AWAY, &r->types->prev_pid);
}

static inline __attribute__((always_inline)) void add_call(struct graph_reader *r,
							   struct graph_lane *lane,
							   const struct record *rec, uint32_t id,
							   enum graph_read_kind kind, bool swap)
{
	struct graph_record *out = &lane->records[lane->nr++];
	const struct graph_types *types = r->types;
	const struct graph_call_fields *places = kind == READ_EXIT  ? &types->exit :
						 kind == READ_ENTRY ? &types->entry :
								      &types->retaddr_entry;

	out->kind = kind == READ_EXIT ? GRAPH_EXIT : GRAPH_ENTRY;
	out->func = load_place(&places->func, rec, swap);
	out->depth = load_signed(&places->depth, rec, swap);
	if (kind == READ_EXIT) {
		out->call = load_place(&places->call, rec, swap);
		out->ret = load_place(&places->ret, rec, swap);
		out->lone = r->lone;
	}
	out->level = level_in(types, out->level, out->func);
	out->wanted = !r->scoped || is_wanted(r, lane, out->ref, rec, id);
}

/* A gap begins where the last record was, or before all others, and ends with this one. */
static __attribute__((noinline, cold)) void add_lost(struct graph_lane *lane, trace_ref ref,
						     uint64_t ts, uint64_t run)
{
	const struct trace_clock *clock = &lane->walk.stream->clock;
	struct graph_record lost = { .kind = GRAPH_LOST, .key = trace_clock_key(clock, run),
				     .ts = ts, .call = lane->before, .ret = ts, .ref = ref,
				     .stream = (uint16_t)lane->stream, .pid = -1 };
	struct graph_record gap = lost;

	gap.kind = GRAPH_GAP;
	gap.ts = lane->before;
	gap.key = lane->before ? trace_clock_key(clock, lane->before) : INT64_MIN;
	lane->records[lane->nr++] = gap;
	lane->records[lane->nr++] = lost;
	lane->cut = lane->damaged = false;
}

/* A function's record: until infer() the depth is the place of its stack in the lane, from 1. */
static void add_function(struct graph_reader *r, struct graph_lane *lane, const struct record *rec,
			 uint32_t id, bool repeats)
{
	struct graph_record *out = &lane->records[lane->nr++];
	const struct graph_types *types = r->types;
	bool swap = lane->walk.sb.swap;

	out->kind = GRAPH_ENTRY;
	out->inferred = true;
	out->func = load_place(repeats ? &types->repeated_ip : &types->ip, rec, swap);
	out->caller = load_place(repeats ? &types->repeated_parent_ip : &types->parent_ip, rec,
				 swap);
	out->calls = repeats ? load_place(&types->repeats, rec, swap) : 1;
	out->level = level_in(types, out->level, out->func);
	out->wanted = !r->scoped || is_wanted(r, lane, out->ref, rec, id);
}

/* Does a record directly follow another one on its CPU? */
static bool is_behind(trace_ref ref, trace_ref before)
{
	return ref == before + 1 ||
	       (trace_ref_item(ref) == 1 && trace_ref_page(ref) == trace_ref_page(before) + 1);
}

/* A stack trace belongs to the function before it, or is an event.  ~0 or the record ends it. */
static void add_stack(const struct graph_reader *r, struct graph_lane *lane,
		      const struct record *rec)
{
	struct graph_record *of = lane->nr ? &lane->records[lane->nr - 1] : NULL;
	unsigned int size = r->types->frames.size;
	uint32_t count = lane->nr_stacks;

	if (!of || !of->inferred || of->depth || !is_behind(lane->records[lane->nr].ref, of->ref)) {
		lane->nr += r->options.events;
		return;
	}
	mem_grow(&lane->stacks, lane->nr_stacks, &lane->cap_stacks);
	lane->stacks[lane->nr_stacks++] = 0;
	for (uint32_t at = r->types->frames.offset; at + size <= rec->size; at += size) {
		uint64_t address = field_load(rec->data, rec->size, at, size, lane->walk.sb.swap);

		if (address == (size == 8 ? UINT64_MAX : UINT32_MAX))
			break;
		mem_grow(&lane->stacks, lane->nr_stacks, &lane->cap_stacks);
		lane->stacks[lane->nr_stacks++] = address;
		lane->stacks[count]++;
	}
	of->depth = (int32_t)count + 1;
}

/* The begin or end of a slice; other markers are events. */
static void add_marker(struct graph_reader *r, struct graph_lane *lane, const struct record *rec,
		       uint32_t id)
{
	struct graph_record *out = &lane->records[lane->nr];
	const struct trace_stream *stream = lane->walk.stream;
	struct trace_marker marker;

	if (!trace_marker_read(r->types->marker, rec->data, rec->size, &marker) ||
	    (marker.kind != 'B' && marker.kind != 'E')) {
		lane->nr += r->options.events;
		return;
	}
	out->kind = marker.kind == 'B' ? GRAPH_SLICE : GRAPH_SLICE_END;
	if (out->kind == GRAPH_SLICE)
		out->func = trace_slice_address(r->trace, stream->source, marker.name.s,
						marker.name.len);
	out->call = r->local ? rec->ts : (uint64_t)stream_walk_ts(&lane->walk, rec);
	out->wanted = !r->scoped || is_wanted(r, lane, out->ref, rec, id);
	out->event = r->options.events;
	lane->nr++;
}

/* An event begins or ends an interrupt, or was made in one: it is two records. */
static void add_irq(const struct graph_reader *r, struct graph_lane *lane,
		    enum graph_read_kind kind)
{
	struct graph_record irq = lane->records[lane->nr];

	irq.kind = kind == READ_IN_IRQ || kind == READ_IN_SOFTIRQ       ? GRAPH_IRQ :
		   kind == READ_IRQ_ENTRY || kind == READ_SOFTIRQ_ENTRY ? GRAPH_IRQ_BEGIN :
									  GRAPH_IRQ_END;
	irq.level = kind >= READ_IN_IRQ ? GRAPH_HARDIRQ : GRAPH_SOFTIRQ;
	lane->nr += r->options.events;
	lane->records[lane->nr++] = irq;
}

/* An event that was recorded in an interrupt; a stack stays next to what it belongs to. */
static __attribute__((noinline)) void add_in_irq(struct graph_lane *lane, enum graph_read_kind kind)
{
	struct graph_record *event = &lane->records[lane->nr];

	if (is_irq(kind) || kind == READ_STACK || kind == READ_FUNCTION || kind == READ_REPEATS)
		return;
	event[1] = event[0];
	event->kind = GRAPH_IRQ;
	lane->nr++;
}

/* Handle the types that are rare in a trace of calls. */
static __attribute__((noinline)) void add_other(struct graph_reader *r, struct graph_lane *lane,
						const struct record *rec, uint32_t id,
						enum graph_read_kind kind)
{
	if (kind == READ_SWITCH || kind == READ_WAKEUP)
		add_sched(r, lane, rec, kind);
	else if (kind == READ_FUNCTION || kind == READ_REPEATS)
		add_function(r, lane, rec, id, kind == READ_REPEATS);
	else if (kind == READ_STACK)
		add_stack(r, lane, rec);
	else if (kind == READ_MARKER)
		add_marker(r, lane, rec, id);
	else if (is_irq(kind))
		add_irq(r, lane, kind);
	else
		lane->nr++;
}

/* A lane was silent for a while: an absence since its last record is a gap, too. */
static __attribute__((noinline, cold)) void
look_for_absence(const struct graph_reader *r, struct graph_lane *lane, uint64_t last, uint64_t ts)
{
	const struct trace_stream *stream = lane->walk.stream;
	int64_t from = trace_clock_key(&stream->clock, last),
		to = trace_clock_key(&stream->clock, ts);
	bool above;

	lane->quiet_to = trace_clock_bound(&stream->clock, time_after(to, TRACE_LEAST_ABSENCE),
					   &above);
	if (above)
		lane->quiet_to = UINT64_MAX;
	if (last && !lane->cut &&
	    trace_absent(r->trace, stream->source, stream->buffer, from, to) > 0) {
		lane->cut = true;
		lane->before = last;
	}
}

/* Decode records until the buffer is full; false if the sub-buffer ended first. */
static inline __attribute__((always_inline)) bool walk_records(struct graph_reader *r,
							       struct graph_lane *lane, bool native)
{
	struct stream_walk walk = lane->walk;	/* a local copy stays in registers */
	uint64_t run = lane->run, last = lane->last;
	struct record rec;
	bool more = false;

	while (lane->nr + PER_RECORD <= LANE_RECORDS &&
	       (more = stream_walk_next(&walk, &rec, native))) {
		uint32_t id = stream_walk_type(&walk, &rec, native),
			 flags = stream_walk_flags(&walk, &rec, native);
		int32_t pid = stream_walk_pid(&walk, &rec, native);
		enum graph_read_kind kind = r->kinds[id];

		if (__builtin_expect(rec.ts >= lane->quiet_to, 0))
			look_for_absence(r, lane, last, rec.ts);
		run = rec.ts > run ? rec.ts : run;
		last = run;
		if (__builtin_expect(lane->cut, 0))
			add_lost(lane, walk.ref - 1, rec.ts, run);
		if ((kind == READ_NOTHING && __builtin_expect(!(flags & r->irq_flags), 1)) ||
		    (kind != READ_SWITCH && kind != READ_WAKEUP && !is_of_task(r, pid)))
			continue;
		lane->records[lane->nr] = (struct graph_record){
			.kind = GRAPH_EVENT, .key = trace_clock_key(&walk.stream->clock, run),
			.ts = rec.ts, .ref = walk.ref,
			.stream = (uint16_t)lane->stream, .pid = pid,
			.level = (uint8_t)graph_level_of(flags) };
		if (kind == READ_ENTRY || kind == READ_EXIT || kind == READ_RETADDR_ENTRY) {
			add_call(r, lane, &rec, id, kind, !native && walk.sb.swap);
			continue;
		}
		lane->records[lane->nr].wanted = !r->options.events || !r->scoped ||
						 is_wanted(r, lane, walk.ref, &rec, id);
		if (__builtin_expect(flags & r->irq_flags, 0) && is_of_task(r, pid))
			add_in_irq(lane, kind);
		if (kind != READ_NOTHING)
			add_other(r, lane, &rec, id, kind);
	}
	lane->walk = walk;
	lane->run = run;
	lane->last = last;
	return more;
}

/* --- sub-buffers ------------------------------------------------------------------------ */

/* Has a ring (-m) dropped what was before this page? */
static bool follows_dropped(const struct graph_lane *lane, uint64_t page)
{
	return lane->start && page == lane->start;
}

/*
 * By the directory, may the page have records of the task?  A switch to it is recorded by the
 * previous task: what follows on that CPU is the task's own, in the same page or in the next page
 * with records.
 */
static bool page_may_tell(const struct graph_reader *r, const struct graph_lane *lane,
			  uint64_t page)
{
	const struct page_index *index = &lane->walk.stream->index;
	uint64_t known = page_index_pages(index);

	if (follows_dropped(lane, page))
		return true;
	for (unsigned int events = 0; page < known; page++) {
		const struct page_slab *slab = page_index_slab(index, page);
		uint32_t i = page % index->slab_pages;

		if ((slab->pids[i] & r->pid_bits) == r->pid_bits ||
		    slab->count[i] & (PAGE_LOST | PAGE_DAMAGED))
			return true;
		if (slab->count[i] & PAGE_EVENTS_MASK && ++events == 2)
			return false;
	}
	return known < lane->walk.pages.end;
}

/* Begin with the next page; false if there is none. */
static bool open_page(struct graph_reader *r, struct graph_lane *lane)
{
	const struct trace_stream *stream = lane->walk.stream;
	struct page_sequence *pages = &lane->walk.pages;
	uint64_t first;

	while (r->options.by_pid && pages->page < pages->end &&
	       !page_may_tell(r, lane, pages->page))
		pages->page++;
	first = pages->page < page_index_pages(&stream->index) ?
			page_index_first(&stream->index, pages->page) :
			0;
	if (!stream_walk_page(&lane->walk))
		return false;
	lane->before = lane->run;
	lane->cut |= lane->walk.sb.lost || follows_dropped(lane, trace_ref_page(lane->walk.ref));
	lane->run = first > lane->run ? first : lane->run;
	r->bytes += stream->layout->page_size;
	return true;
}

/* Hold back the last record if a stack trace may follow. */
static bool hold_last(struct graph_lane *lane)
{
	struct graph_record *last = &lane->records[lane->nr - 1];

	if (last->inferred && !last->depth) {
		lane->holds = true;
		lane->held = *last;
		lane->nr--;
	}
	return true;
}

/* Nothing follows: what cannot be read after the last record is a gap without an end. */
static bool add_tail(struct graph_reader *r, struct graph_lane *lane)
{
	r->stale |= lane->damaged;
	if (lane->damaged)
		lane->records[lane->nr++] = (struct graph_record){
			.kind = GRAPH_GAP,
			.key = trace_clock_key(&lane->walk.stream->clock, lane->run),
			.ts = lane->run, .call = lane->run, .ret = UINT64_MAX,
			.stream = (uint16_t)lane->stream, .pid = -1
		};
	lane->damaged = false;
	return lane->nr > 0;
}

static bool decode(struct graph_reader *r, struct graph_lane *lane)
{
	lane->nr = lane->pos = 0;
	lane->nr_stacks = 0;
	if (lane->holds)
		lane->records[lane->nr++] = lane->held;
	lane->holds = false;
	for (;;) {
		if (!lane->open && !open_page(r, lane))
			return add_tail(r, lane);
		lane->open = lane->walk.native ? walk_records(r, lane, true) :
						 walk_records(r, lane, false);
		if (lane->open)
			return hold_last(lane);
		if (lane->walk.sb.damage != SUB_BUFFER_SOUND) {
			lane->cut = lane->damaged = true;
			r->damaged += lane->walk.pages.page > lane->counted;
			lane->counted = lane->walk.pages.page;
		}
		if (lane->nr + PER_RECORD > LANE_RECORDS)
			return hold_last(lane);
	}
}

/* Decode further records of a lane; false if there are none. */
static bool refill(struct graph_reader *r, struct graph_lane *lane)
{
	bool more = decode(r, lane);

	while (lane->nr && lane->records[lane->nr - 1].key > r->to)
		lane->nr--;
	return more && lane->nr;
}

/* --- the order ------------------------------------------------------------------------- */

/* Advance to the first requested record; false if there is none. */
static bool begin_lane(struct graph_reader *r, struct graph_lane *lane)
{
	while (refill(r, lane)) {
		while (lane->pos < lane->nr && lane->records[lane->pos].key < r->from)
			lane->pos++;
		if (lane->pos == lane->nr)
			continue;
		/* the gap before it follows what was read */
		r->stale |= lane->behind && lane->records[lane->pos].kind == GRAPH_LOST;
		/* a gap that began earlier is known from the beginning; one who parked has it */
		lane->pos -= lane->records[lane->pos].kind == GRAPH_LOST && lane->pos &&
			     !lane->resumed;
		return true;
	}
	return false;
}

static inline void set_head(struct graph_reader *r, const struct graph_lane *lane)
{
	uint32_t i = (uint32_t)(lane - r->lanes);

	merge_set(&r->merge, i, lane->records[lane->pos].key, i);
}

static void begin(struct graph_reader *r)
{
	for (unsigned int i = 0; i < r->nr_lanes; i++) {
		if (begin_lane(r, &r->lanes[i]))
			set_head(r, &r->lanes[i]);
		else
			merge_end(&r->merge, i);
	}
	merge_begin(&r->merge);
	r->begun = true;
}

void graph_reader_seek(struct graph_reader *r, int64_t ts)
{
	graph_reader_window(r, ts, INT64_MAX);
}

void graph_reader_window(struct graph_reader *r, int64_t from, int64_t to)
{
	for (unsigned int i = 0; i < r->nr_lanes; i++) {
		struct graph_lane *lane = &r->lanes[i];

		stream_walk_begin_window(&lane->walk, r->trace, lane->stream, from, to);
		lane->open = lane->holds = lane->resumed = false;
		lane->run = lane->last = lane->quiet_to = 0;
	}
	call_guess_free(r->guess);
	r->guess = NULL;
	r->begun = false;
	r->from = from;
	r->to = to;
}

/* --- parking --------------------------------------------------------------------------- */

/*
 * Where a lane is, its pages are read again, from so many before that the last record before it is
 * among them, and whether something is missing after that.
 */
static void resume_lane(struct graph_reader *r, struct graph_lane *lane,
			const struct graph_lane *from)
{
	const struct page_index *index = &from->walk.stream->index;
	uint64_t page = page_index_pages(index);

	lane->resumed = true;
	lane->behind = from->pos == from->nr;
	if (!lane->behind)
		page = trace_ref_page(from->records[from->pos].ref);
	else if (page > from->walk.pages.end)
		page = from->walk.pages.end;
	for (unsigned int events = 0; page > from->start && events < 2;)
		events += (page_index_count(index, --page) & PAGE_EVENTS_MASK) != 0;
	lane->start = from->start;
	lane->counted = from->counted;
	stream_walk_begin(&lane->walk, r->trace, lane->stream, page, UINT64_MAX);
	lane->open = lane->holds = lane->cut = lane->damaged = false;
	lane->run = lane->last = lane->quiet_to = 0;
}

bool graph_reader_serves(const struct graph_reader *r, int64_t until)
{
	bool serves = !r->stale && r->until <= until;

	for (unsigned int i = 0; i < r->nr_lanes; i++)
		serves &= page_index_start(&r->lanes[i].walk.stream->index) == r->lanes[i].start;
	return serves;
}

bool graph_reader_go_on(struct graph_reader *r, int64_t until)
{
	int64_t end = trace_end(r->trace);

	/* what was appended may tell of an earlier gap */
	if (r->until > until || (r->until == until && r->end == end))
		return false;
	r->end = end;
	for (unsigned int i = 0; i < r->nr_lanes && r->begun; i++)
		resume_lane(r, &r->lanes[i], &r->lanes[i]);
	r->begun = false;
	r->from = r->until;
	r->until = until;
	return true;
}

void graph_reader_follow(struct graph_reader *r, const struct graph_reader *parked)
{
	for (unsigned int i = 0; i < r->nr_lanes; i++)
		resume_lane(r, &r->lanes[i], &parked->lanes[i]);
	r->damaged = parked->damaged;
	r->guess = parked->guess ? call_guess_copy(parked->guess) : NULL;
	r->from = parked->until;
}

/* Use the depths known by now: set that of a function's record, or note a loss. */
static __attribute__((noinline, cold)) void
infer(struct graph_reader *r, const struct graph_lane *lane, struct graph_record *record)
{
	const uint64_t *stack = record->depth ? lane->stacks + record->depth - 1 : NULL;

	if (record->kind == GRAPH_LOST) {
		if (r->guess)
			call_guess_lost(r->guess, record->stream);
		return;
	}
	if (!r->guess)
		r->guess = call_guess_new(r->types->symbols);
	record->depth = call_guess_depth(r->guess, record, record->caller, stack ? stack + 1 : NULL,
					 stack ? (uint32_t)*stack : 0);
}

static inline bool has_next(const struct graph_reader *r)
{
	const struct graph_lane *lane = &r->lanes[merge_first(&r->merge)];

	return merge_any(&r->merge) &&
	       (!r->options.parks || lane->records[lane->pos].key < r->until);
}

unsigned int graph_reader_read(struct graph_reader *r, struct graph_record *records,
			       unsigned int max)
{
	unsigned int nr = 0;

	if (!r->begun)
		begin(r);
	while (nr < max && has_next(r)) {
		struct merge_head stop = merge_second(&r->merge),
				  head = { .order = merge_first(&r->merge) };
		struct graph_lane *lane = &r->lanes[head.order];
		bool more = true;

		if (r->options.parks && stop.key >= r->until)
			stop = (struct merge_head){ r->until, 0 };
		do {
			records[nr] = lane->records[lane->pos++];
			if (__builtin_expect(records[nr].inferred || records[nr].kind == GRAPH_LOST,
					     0))
				infer(r, lane, &records[nr]);
			nr++;
			more = __builtin_expect(lane->pos < lane->nr, 1) || refill(r, lane);
			if (!more)
				break;
			head.key = lane->records[lane->pos].key;
		} while (nr < max && merge_less(&head, &stop));
		if (more)
			merge_set(&r->merge, head.order, head.key, head.order);
		else
			merge_end(&r->merge, head.order);
		merge_replay(&r->merge);
	}
	return nr;
}

uint64_t graph_reader_bytes(const struct graph_reader *r)
{
	return r->bytes;
}

uint64_t graph_reader_all_bytes(const struct graph_reader *r)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < r->nr_lanes; i++)
		bytes += r->lanes[i].walk.pages.end * r->lanes[i].walk.stream->layout->page_size;
	return bytes;
}

uint64_t graph_reader_damaged(const struct graph_reader *r)
{
	return r->damaged;
}
