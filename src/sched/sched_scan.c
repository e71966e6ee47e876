/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/time_math.h"
#include "src/trace/lock_wait.h"
#include "src/trace/trace_marker.h"
#include "src/trace/stream_walk.h"
#include "src/trace/trace_streams.h"

#define SLOTS		512u		/* cached names; a power of two */
#define COMM_BYTES	16u
#define NO_STRETCH	UINT32_MAX
#define NO_CONTEXT	UINT32_MAX

struct scan_slot {			/* a task's name and its number; name 0 = unused */
	uint64_t	comm[2];	/* as in the record */
	uint32_t	pid, name;
};

struct sched_scan {
	struct sched_scan_options options;
	struct sched_filter	*filter;	/* owned; NULL = everything counts */
	struct pair_filter {
		struct filter_run *run;		/* owned; NULL = none */
		bool		never;		/* nothing in the stream can match */
	}			*runs;		/* owned, [pairs->nr] */
	struct scan_slot	 slots[SLOTS];
	struct stream_walk	 walk;		/* the scanned stream's, like all below */
	unsigned int		 stream;
	struct sched_chunk	*chunk;
	uint32_t		 open;		/* index of a STRETCH whose first switch is still
						 * to come, or NO_STRETCH */
	bool			 cut;		/* events were lost since the last record */
	int64_t			 begins_at;	/* a record before that begins no stretch, unless
						 * behind a cut */
	uint32_t		 seen;		/* common_pid of the last record, or
						 * UINT32_MAX */
	int64_t			 seen_ts;	/* its ts */
	struct sched_runner	 on;		/* who runs, for missing switches */
	uint32_t		 runner;	/* next_pid of the last switch; 0 = none */
	uint32_t		 call;		/* 1 + index of the runner's last CALL; 0 = none */
	uint32_t		 begun;		/* 1 + index of the runner's last PAIR that
						 * joins, if it is a start; 0 = none */
	bool			 has_interrupts;	/* some are recorded; common_flags: */
	uint8_t			 inside;	/* of ENTERs that may be open: in what they are */
	uint8_t			 alone;		/* context of the first one, if no other has
						 * that; 0: unknown */
	bool			 silences;	/* ends of pairs ask for them */
	bool			 after_silence;	/* only interrupts recorded since */
	int64_t			 silent_from;	/* the record before it; SCHED_NO_END: it is in the
						 * piece before */
	uint8_t			 held;		/* SCHED_HELD_*, of starts that may be open, */
	uint32_t		 context;	/* all of them in records with this one: see
						 * context_of(); or NO_CONTEXT */
	uint32_t		 joined;	/* 1 + index of its last PAIR that tells start and
						 * end; 0 = none, or an end came later */
};

void sched_chunk_fini(struct sched_chunk *chunk)
{
	free(chunk->recs);
	free(chunk->durations);
	*chunk = (struct sched_chunk){ 0 };
}

struct sched_scan *sched_scan_new(const struct sched_scan_options *o)
{
	struct sched_scan *s = mem_alloc(sizeof(*s));

	s->options = *o;
	s->filter = sched_filter_new(o->trace, o->filters, o->nr_filters);
	s->silences = o->pairs && o->pairs->has_silent;
	for (unsigned int i = 0; i < o->types->nr_shapes; i++)
		s->has_interrupts |= o->types->shapes[i].op == SCHED_ENTER;
	if (o->pairs)
		s->runs = mem_array(o->pairs->nr + 1, sizeof(*s->runs));
	for (unsigned int i = 0; o->pairs && i < o->pairs->nr; i++)
		if (o->pairs->ends[i].filter)
			s->runs[i].run = filter_run_new(o->pairs->ends[i].filter);
	return s;
}

void sched_scan_free(struct sched_scan *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; s->runs && i < s->options.pairs->nr; i++)
		filter_run_free(s->runs[i].run);
	free(s->runs);
	stream_walk_end(&s->walk);
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
	struct scan_slot *slot = &s->slots[pid & (SLOTS - 1)];
	uint64_t a = load_u64(comm, false), b = load_u64(comm + 8, false);

	if (__builtin_expect(!slot->name || slot->pid != pid || slot->comm[0] != a ||
				     slot->comm[1] != b,
			     0))
		*slot = (struct scan_slot){ { a, b },
				       pid,
				       name_table_add(s->options.names, (const char *)comm,
						       COMM_BYTES) };
	return slot->name;
}

static uint32_t name_any(struct sched_scan *s, const struct event_field *field,
			 const struct record *rec)
{
	struct field_span span = { 0 };

	if (field)
		span = field_bytes(field, rec->data, rec->size, s->walk.sb.swap);
	return span.data ? name_table_add(s->options.names, (const char *)span.data, span.len) : 0;
}

static uint64_t number(const struct sched_scan *s, const struct event_field *field,
		       const struct record *rec)
{
	return field ? field_u64(field, rec->data, rec->size, s->walk.sb.swap) : 0;
}

/* Clamp a CPU's number to 16 bits. */
static uint16_t cpu_number(uint64_t cpu)
{
	return cpu < SCHED_NO_CPU ? (uint16_t)cpu : SCHED_NO_CPU;
}

/* --- missing switches ----------------------------------------------------------------- */

/*
 * The CUT and the STRETCH of a switch to @pid that is missing: between @before, which is
 * SCHED_NO_END for the first record of a chunk, and @ts.
 */
static uint32_t add_missing(struct sched_scan *s, uint32_t pid, int64_t before, int64_t ts)
{
	struct sched_chunk *chunk = s->chunk;
	struct sched_rec *rec;

	if (before != SCHED_NO_END && (ts < chunk->max_ts || before < chunk->max_ts))
		add_rec(chunk, SCHED_KEY, chunk->max_ts);
	rec = add_rec(chunk, SCHED_CUT, before);
	rec->missing = true;
	rec->end = ts;
	rec = add_rec(chunk, SCHED_STRETCH, ts);
	rec->missing = true;
	rec->detail = SCHED_FIRST_TASK;
	rec->pid = pid;
	rec->end = before;
	s->runner = s->begun = s->joined = s->call = 0;
	return chunk->nr - 2;
}

bool sched_chunk_clear_missing(struct sched_chunk *chunk, uint32_t from)
{
	for (uint32_t i = from; i < chunk->nr; i++) {
		const struct sched_rec *rec = &chunk->recs[i];

		if (rec->op == SCHED_SWITCH || (rec->op == SCHED_STRETCH && !rec->missing))
			return true;
		if (rec->op == SCHED_STRETCH)
			sched_chunk_set_missing(chunk, i - 1, SCHED_SEEN_SWITCH);
	}
	return false;
}

/*
 * The open stretch gets its first switch, or has none: then nothing is known of who ran.  The feed
 * decides so for the first stretch of a chunk, which may have begun before.
 */
static __attribute__((noinline)) void end_open(struct sched_scan *s, enum sched_first first,
					       uint32_t pid)
{
	struct sched_chunk *chunk = s->chunk;
	struct sched_rec *rec = &chunk->recs[s->open];

	for (uint32_t i = s->open + 1; first == SCHED_FIRST_TASK && i < chunk->nr; i++)
		if (chunk->recs[i].op == SCHED_STRETCH)
			first = SCHED_FIRST_OTHERS;
	rec->pid = pid;
	rec->detail = (uint8_t)first;
	if (!sched_first_is_proved(first) && s->open != 1)
		sched_chunk_clear_missing(chunk, s->open + 1);
	s->open = NO_STRETCH;
}

/* Add a missing switch.  In the head of a chunk, add a placeholder: the feed decides. */
static void place_missing(struct sched_scan *s, uint32_t pid, bool is_switch,
			  enum sched_unseen unseen, int64_t before, int64_t ts)
{
	struct sched_chunk *chunk = s->chunk;
	uint32_t at;

	if (!unseen && chunk->head)
		return;
	at = add_missing(s, pid, before, ts);
	sched_chunk_set_missing(chunk, at, unseen);
	if (chunk->head)
		return;
	chunk->head = at;
	chunk->head_of = pid;
	chunk->head_switch = is_switch;
}

enum sched_unseen sched_runner_see(struct sched_runner *runner, struct trace *trace,
				   unsigned int stream, uint32_t pid, bool is_switch,
				   int64_t before, int64_t ts)
{
	uint32_t on = runner->on;
	bool offline = !pid && before != SCHED_NO_END && sched_runner_is_off(runner, before, ts),
	     lost = runner->lost;

	if (pid > INT32_MAX || on > INT32_MAX || (pid == runner->left && !is_switch && !offline))
		return SCHED_SEEN_SWITCH;
	*runner = (struct sched_runner){ pid, SCHED_NOBODY, pid == on && runner->stopper,
					 runner->since, pid == on && lost };
	if (pid == on)
		return SCHED_SEEN_SWITCH;
	if (offline)
		return SCHED_CPU_OFFLINE;
	return lost || trace_leaves_out(trace, trace_stream_at(trace, stream)->source, (int)on,
					(int)pid) ?
		       SCHED_SWITCH_LEFT_OUT :
		       SCHED_SWITCH_MISSING;
}

/* A record of a task, or its switch, that does not simply go on. */
static __attribute__((noinline)) void see_other(struct sched_scan *s, uint32_t pid, bool is_switch,
						bool is_sched, int64_t before, int64_t ts)
{
	if (pid > INT32_MAX || s->on.on == SCHED_BLIND)
		return;
	if (s->on.on != SCHED_NOBODY || is_switch) {
		place_missing(s, pid, is_switch,
			      sched_runner_see(&s->on, s->options.trace, s->stream, pid, is_switch,
					       before, ts),
			      before, ts);
		return;
	}
	s->on.on = pid;
	s->on.lost |= !is_sched;
	if (s->chunk->head)
		return;
	s->chunk->head_pid = pid;
	s->chunk->head_lost = s->on.lost;
}

/* A thread executes a program: it has the pid of its process from now on. */
static __attribute__((noinline)) bool takes_over(struct sched_scan *s,
						 const struct sched_shape *shape,
						 const struct record *rec, uint32_t pid)
{
	if (!shape->pid2 || (uint32_t)number(s, shape->pid2, rec) != s->on.on)
		return false;
	if (!s->chunk->head)
		s->chunk->head = SCHED_NOBODY;	/* it ends here */
	s->on = (struct sched_runner){ pid, SCHED_NOBODY };
	s->runner = pid;
	s->begun = 0;	/* of the thread, which is gone: models cannot pair it either */
	return true;
}

/* The switch was recorded by another task than its prev_pid: pids cannot be compared. */
static __attribute__((noinline)) void become_blind(struct sched_scan *s, int64_t before, int64_t ts)
{
	s->on.on = SCHED_BLIND;
	place_missing(s, SCHED_BLIND, true, SCHED_SEEN_SWITCH, before, ts);
}

/* @before: ts of the record before.  See sched_runner. */
static inline __attribute__((always_inline)) void
see_runner(struct sched_scan *s, const struct sched_shape *shape, const struct record *rec,
	   int64_t before, int64_t ts, bool native)
{
	uint32_t pid = (uint32_t)stream_walk_pid(&s->walk, rec, native), own = pid;
	bool is_switch = shape->op == SCHED_SWITCH;

	if (is_switch)
		pid = __builtin_expect(shape->plain && rec->size >= shape->bytes, 1) ?
			      load_u32(rec->data + shape->pid_at, !native && s->walk.sb.swap) :
			      (uint32_t)number(s, shape->pid, rec);
	if (__builtin_expect(is_switch && own != pid && own <= INT32_MAX, 0)) {
		become_blind(s, before, ts);
	} else if (__builtin_expect(pid != s->on.on || (is_switch && !s->chunk->head), 0)) {
		if (shape->op != SCHED_EXEC || !takes_over(s, shape, rec, pid))
			see_other(s, pid, is_switch, shape->is_sched, before, ts);
	} else {
		s->on.left = SCHED_NOBODY;
	}
}

/* Is who comes the task that stops the CPU?  Its priority is 0, as that of few others. */
static __attribute__((noinline)) bool
is_stopper(const struct sched_scan *s, const struct sched_shape *shape, const struct record *rec)
{
	struct field_span span = { 0 };
	char name[COMM_BYTES + 1];
	int len = snprintf(name, sizeof(name), "migration/%d", s->walk.stream->cpu);

	if (shape->comm2)
		span = field_bytes(shape->comm2, rec->data, rec->size, s->walk.sb.swap);
	return span.data && span.len >= (uint32_t)len && !memcmp(span.data, name, (size_t)len) &&
	       (span.len == (uint32_t)len || !span.data[len]);
}

static inline __attribute__((always_inline)) void take_switch(struct sched_scan *s,
							      const struct sched_shape *shape,
							      const struct record *rec, bool native,
							      struct sched_rec *out)
{
	bool swap = !native && s->walk.sb.swap, is_blind;
	unsigned int class;
	uint64_t state;

	if (__builtin_expect(shape->plain && rec->size >= shape->bytes, 1)) {
		out->pid = load_u32(rec->data + shape->pid_at, swap);
		out->pid2 = load_u32(rec->data + shape->pid2_at, swap);
		if (!s->options.nameless) {
			out->comm = name_plain(s, out->pid, rec->data + shape->comm_at);
			out->comm2 = name_plain(s, out->pid2, rec->data + shape->comm2_at);
		}
		out->prio = (int16_t)load_u32(rec->data + shape->prio_at, swap);
		out->prio2 = (int16_t)load_u32(rec->data + shape->prio2_at, swap);
		state = load_u64(rec->data + shape->state_at, swap);
	} else {
		out->pid = (uint32_t)number(s, shape->pid, rec);
		out->pid2 = (uint32_t)number(s, shape->pid2, rec);
		out->comm = name_any(s, shape->comm, rec);
		out->comm2 = name_any(s, shape->comm2, rec);
		out->prio = (int16_t)number(s, shape->prio, rec);
		out->prio2 = (int16_t)number(s, shape->prio2, rec);
		state = number(s, shape->state, rec);
	}
	s->runner = out->pid2;
	s->inside = s->alone = 0;
	is_blind = s->on.on == SCHED_BLIND &&
		   (uint32_t)stream_walk_pid(&s->walk, rec, native) != out->pid;
	if (!is_blind)
		s->on = (struct sched_runner){ out->pid2, out->pid,
					       __builtin_expect(!out->prio2, 0) &&
						       is_stopper(s, shape, rec),
					       out->ts };
	s->begun = s->joined = s->call = 0;
	out->cpu = (uint16_t)state;
	class = sched_types_class(s->options.types, state);
	out->detail = class & SCHED_CLASS_MASK;
	s->chunk->classes |= class;	/* for TELLS_* */
	if (__builtin_expect(s->open != NO_STRETCH, 0))
		end_open(s, is_blind ? SCHED_FIRST_BLIND : SCHED_FIRST_TASK, out->pid);
}

static __attribute__((noinline)) void ask_success(const struct sched_scan *s,
						  const struct sched_shape *shape,
						  const struct record *rec, struct sched_rec *out)
{
	if (!number(s, shape->success, rec))
		out->op = SCHED_TOLD;
}

/* Take a wakeup, a migration, or another record about a single task. */
static inline __attribute__((always_inline)) void take_task(struct sched_scan *s,
							    const struct sched_shape *shape,
							    const struct record *rec, bool native,
							    struct sched_rec *out)
{
	bool swap = !native && s->walk.sb.swap;

	out->pid2 = (uint32_t)stream_walk_pid(&s->walk, rec, native);
	out->detail = stream_walk_flags(&s->walk, rec, native);
	if (__builtin_expect(shape->success != NULL, 0))
		ask_success(s, shape, rec, out);
	if (__builtin_expect(shape->plain && rec->size >= shape->bytes, 1)) {
		out->pid = load_u32(rec->data + shape->pid_at, swap);
		if (!s->options.nameless)
			out->comm = name_plain(s, out->pid, rec->data + shape->comm_at);
		out->prio = (int16_t)load_u32(rec->data + shape->prio_at, swap);
		out->cpu = cpu_number(load_u32(rec->data + shape->cpu_at, swap));
		return;
	}
	out->pid = shape->pid ? (uint32_t)number(s, shape->pid, rec) : out->pid2;
	out->comm = name_any(s, shape->comm, rec);
	out->prio = (int16_t)number(s, shape->prio, rec);
	out->cpu = shape->cpu ? cpu_number((uint32_t)number(s, shape->cpu, rec)) : SCHED_NO_CPU;
	if (shape->op == SCHED_EXEC)
		out->comm2 = (uint32_t)number(s, shape->pid2, rec);
}

/* The number of a short string, from this worker's cache if possible. */
static uint32_t name_short(struct sched_scan *s, struct field_span span)
{
	uint8_t padded[COMM_BYTES] = { 0 };
	uint32_t place = span.len;

	if (!span.data || span.len > COMM_BYTES)
		return name_table_add(s->options.names, span.data ? (const char *)span.data : "",
				      span.len);
	memcpy(padded, span.data, span.len);
	for (uint32_t i = 0; i < span.len; i++)
		place = place * 31 + padded[i];
	return name_plain(s, ~(place & (SLOTS - 1)), padded);
}

/* The name of a hard interrupt, or of a cgroup; 0: it has none. */
static uint32_t name_in(struct sched_scan *s, const struct event_field *field,
			const struct record *rec)
{
	struct field_span span = field_bytes(field, rec->data, rec->size, s->walk.sb.swap);

	span.len = span.data ? (uint32_t)strnlen((const char *)span.data, span.len) : 0;
	return span.len ? name_short(s, span) : 0;
}

/* An ENTER or a LEAVE: until another record tells, its interrupt may be open. */
static void see_interrupt(struct sched_scan *s, const struct record *rec, struct sched_rec *out)
{
	if (out->op == SCHED_ENTER) {
		out->cpu = stream_walk_flags(&s->walk, rec, s->walk.native) & SCHED_IN_INTERRUPT;
		s->alone = !s->inside ? out->detail : out->detail != s->alone ? s->alone : 0;
		s->inside |= (uint8_t)out->cpu;
	} else if (out->op == SCHED_LEAVE && s->alone == out->detail) {
		s->inside = s->alone = 0; /* those above it end with it */
	}
}

/* A record was not made in all of the interrupts that began before it: the others have ended. */
static __attribute__((noinline)) void leave(struct sched_scan *s, unsigned int flags,
					    int64_t before, int64_t ts, int64_t max_ts)
{
	struct sched_rec *rec;

	if (ts < max_ts)
		add_rec(s->chunk, SCHED_KEY, max_ts);
	rec = add_rec(s->chunk, SCHED_LEAVE, ts);
	rec->end = before;
	rec->detail = SCHED_CONTEXT_TASK;
	rec->cpu = flags & SCHED_IN_INTERRUPT;
	rec->uncounted = s->filter ? (1u << SCHED_NOT_BITS) - 1 : 0;
	s->inside &= (uint8_t)flags;
	s->alone = 0;
}

static void take_context(struct sched_scan *s, const struct sched_shape *shape,
			 const struct record *rec, struct sched_rec *out)
{
	out->detail = (uint8_t)shape->context;
	see_interrupt(s, rec, out);
	if (shape->context == SCHED_CONTEXT_TIMER) {
		out->pid = (uint32_t)shape->type_id;
		out->end = (int64_t)number(s, shape->state, rec);
		if (shape->pid2)
			out->common_pid = index_map_hash(number(s, shape->pid2, rec));
		return;
	}
	out->pid = (uint32_t)number(s, shape->state, rec);
	out->pid2 = (uint32_t)shape->type_id;
	/* a softirq of PREEMPT_RT runs in a task: its records are not flagged as in a softirq */
	out->prio = shape->is_ipi ||
		    (shape->may_pause &&
		     !(stream_walk_flags(&s->walk, rec, s->walk.native) & SCHED_IN_INTERRUPT));
	out->comm2 = (uint32_t)stream_walk_pid(&s->walk, rec, s->walk.native);
	if (shape->comm)
		out->comm = name_in(s, shape->comm, rec);
}

/* A RETURN was added: it is left out if the CALL can tell it. */
static void join_call(struct sched_scan *s, const struct sched_rec *rec)
{
	struct sched_chunk *chunk = s->chunk;
	struct sched_rec *call = &chunk->recs[s->call - 1];
	uint64_t took = (uint64_t)rec->ts - (uint64_t)call->ts;

	if (rec->pid2 == s->runner && rec->pid == call->pid && rec->detail == call->detail &&
	    rec->ts >= chunk->max_ts && took < UINT32_MAX) {
		call->comm2 = (uint32_t)took + 1;
		chunk->nr--;
	}
	s->call = 0;
}

/* Is it the number of a call that returns from a signal, or of its end? */
static inline bool returns_from_signal(const struct sched_scan *s, int number, bool is_end)
{
	return is_end ? number == -1 : syscall_names_ends(&s->options.types->returns, number, -1);
}

static void take_call(struct sched_scan *s, const struct sched_shape *shape,
		      const struct record *rec, struct sched_rec *out)
{
	out->pid = (uint32_t)number(s, shape->state, rec);
	out->pid2 = (uint32_t)stream_walk_pid(&s->walk, rec, s->walk.native);
	out->detail = shape->is_raw;
	if (shape->is_raw && returns_from_signal(s, (int)out->pid, out->op == SCHED_RETURN))
		out->pid = UINT32_MAX;
	out->prio = shape->yields && !shape->lacks_end &&
		    (!shape->is_raw || (int)out->pid == s->options.types->yield);
	if (s->filter || out->op == SCHED_YIELD || out->op == SCHED_YIELDED)
		return;
	if (out->op == SCHED_CALL)
		s->call = out->pid2 && out->pid2 == s->runner ? s->chunk->nr : 0;
	else if (s->call)
		join_call(s, out);
}

static __attribute__((noinline)) void ask_filter(struct sched_scan *s,
						 const struct sched_shape *shape,
						 const struct record *rec, struct sched_rec *out)
{
	uint32_t other = shape->op == SCHED_SWITCH ? out->pid2 : out->pid;
	unsigned int not = sched_filter_record(s->filter, shape, other, out->ref, rec->data,
					       rec->size, stream_walk_room(&s->walk, rec),
					       stream_walk_ts(&s->walk, rec));

	out->uncounted = (uint8_t)(not &((1u << SCHED_NOT_BITS) - 1));
}

static void take_lock(struct sched_scan *s, const struct sched_shape *shape,
		      const struct record *rec, struct sched_rec *out)
{
	struct lock_futex futex;

	out->pid = (uint32_t)stream_walk_pid(&s->walk, rec, s->walk.native);
	out->end = (int64_t)number(s, shape->state, rec);
	out->detail = shape->is_futex ? SCHED_OF_FUTEX : SCHED_OF_KERNEL;
	if (!shape->is_futex || shape->op == SCHED_LOCKED)
		return;
	futex = (struct lock_futex){
		.op = (uint32_t)out->end, .val = (uint32_t)number(s, shape->pid, rec),
		.word = (uint32_t)number(s, shape->pid2, rec),
		.users = (uint32_t)number(s, shape->prio, rec),
		.kind = (uint32_t)number(s, shape->prio2, rec),
	};
	if (!lock_futex_waits(&futex))
		out->detail = SCHED_OF_NOTHING;
	else if (lock_futex_type(&futex) == LOCK_FUTEX)
		out->detail = SCHED_OF_NO_LOCK;
}

static __attribute__((noinline)) uint64_t
any_value(struct sched_scan *s, const struct event_field *field, const struct record *rec)
{
	if (event_field_is_number(field))
		return number(s, field, rec);
	return name_short(s, field_bytes(field, rec->data, rec->size, s->walk.sb.swap));
}

static inline uint64_t pair_value(struct sched_scan *s, const struct event_field *field,
				  const struct record *rec)
{
	if (__builtin_expect(field->size == 8 && event_field_is_number(field) &&
				     field->offset + 8u <= rec->size && !s->walk.sb.swap,
			     1))
		return load_u64(rec->data + field->offset, false);
	return any_value(s, field, rec);
}

/* Of raw_syscalls, where only sched_yield is asked for; a RAISE of another softirq. */
static bool is_other(struct sched_scan *s, const struct sched_shape *shape,
		     const struct record *rec)
{
	uint64_t n = shape->state ? pair_value(s, shape->state, rec) : 0;

	return shape->op == SCHED_RAISE ? n != SCHED_NET_TX && n != SCHED_NET_RX :
	       shape->op == SCHED_YIELD || shape->op == SCHED_YIELDED ?
					  (int)n != s->options.types->yield :
					  false;
}

static inline __attribute__((always_inline)) void take(struct sched_scan *s,
						       const struct sched_shape *shape,
						       const struct record *rec, trace_ref ref,
						       int64_t ts, bool native)
{
	struct sched_chunk *chunk = s->chunk;
	struct sched_rec *out;

	if (__builtin_expect(shape->is_selected, 0) && is_other(s, shape, rec))
		return;
	chunk->sched_records += shape->is_sched;
	if (__builtin_expect(ts < chunk->max_ts, 0))
		add_rec(chunk, SCHED_KEY, chunk->max_ts);
	out = add_rec(chunk, shape->op, ts);
	out->ref = ref;
	switch (shape->op) {
	case SCHED_SWITCH:
		chunk->switches++;
		take_switch(s, shape, rec, native, out);
		break;
	case SCHED_MIGRATE:
		chunk->migrations++;
		take_task(s, shape, rec, native, out);
		if (shape->from)
			out->comm2 = 1u + cpu_number(number(s, shape->from, rec));
		break;
	case SCHED_WAKING:
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		chunk->wakings += shape->op == SCHED_WAKING;
		chunk->wakes++;
		take_task(s, shape, rec, native, out);
		break;
	case SCHED_FORK:
	case SCHED_EXIT:
	case SCHED_EXEC:
	case SCHED_TOLD:
		take_task(s, shape, rec, native, out);
		break;
	case SCHED_ENTER:
	case SCHED_LEAVE:
	case SCHED_EXPIRED:
	case SCHED_POWER:
		take_context(s, shape, rec, out);
		break;
	case SCHED_RAISE:
		out->pid = (uint32_t)number(s, shape->state, rec);
		out->pid2 = (uint32_t)stream_walk_pid(&s->walk, rec, native);
		out->detail = (uint8_t)stream_walk_flags(&s->walk, rec, native);
		break;
	case SCHED_CALL:
	case SCHED_RETURN:
	case SCHED_YIELD:
	case SCHED_YIELDED:
		take_call(s, shape, rec, out);
		break;
	case SCHED_FREQUENCY:
		out->pid = (uint32_t)number(s, shape->state, rec);
		out->cpu = cpu_number(number(s, shape->cpu, rec));
		break;
	case SCHED_LOCK:
	case SCHED_LOCKED:
		take_lock(s, shape, rec, out);
		break;
	case SCHED_FREEZE:
		out->detail = (uint8_t)shape->limit;
		out->pid2 = (uint32_t)stream_walk_pid(&s->walk, rec, native);
		if (shape->comm)
			out->comm = name_in(s, shape->comm, rec);
		break;
	case SCHED_LIMIT:
		out->pid = (uint32_t)stream_walk_pid(&s->walk, rec, native);
		out->end = (int64_t)number(s, shape->state, rec);
		out->cpu = cpu_number(number(s, shape->cpu, rec));
		out->detail = (uint8_t)shape->limit;
		break;
	case SCHED_REASON:
		out->pid = (uint32_t)number(s, shape->pid, rec);
		out->end = (int64_t)number(s, shape->state, rec);
		out->detail = number(s, shape->cpu, rec) != 0;
		break;
	case SCHED_NONE:
	case SCHED_SYSTEM:
	case SCHED_PAIR:
	case SCHED_CUT:
	case SCHED_STRETCH:
	case SCHED_KEY:
	case SCHED_SEEN:
	case SCHED_ABSENT:
		break;
	}
	if (__builtin_expect(s->filter != NULL, 0))
		ask_filter(s, shape, rec, out);
}

/* --- pairs ------------------------------------------------------------------------------- */

/* The value of some keys, or all of them mixed. */
static inline uint64_t mix_keys(struct sched_scan *s, const struct event_field *const *keys,
				unsigned int nr, uint64_t star, const struct record *rec)
{
	uint64_t key = star;

	for (unsigned int i = 0; i < nr; i++) {
		uint64_t value = pair_value(s, keys[i], rec);

		if (value == UINT64_MAX && keys[i]->size == 8)
			value = 0;
		key = i || star ? index_map_mix(key, value) : value;
	}
	return key;
}

static inline uint64_t pair_key(struct sched_scan *s, const struct sched_pair_end *end,
				const struct record *rec)
{
	uint64_t number;

	if (!end->of_calls)
		return mix_keys(s, end->keys, end->nr_keys, end->star, rec);
	number = pair_value(s, end->keys[0], rec);
	if (returns_from_signal(s, (int)number, end->number & 1))
		return SCHED_RETURNS;
	return end->keys[0]->size == 8 && number == UINT64_MAX ? 0 : number;
}

static uint64_t at_most(uint64_t value, unsigned int bits)
{
	return value < (1ull << bits) - 1 ? value : (1ull << bits) - 1;
}

/* See sched_range_of(). */
static void set_range(struct sched_scan *s, const struct sched_pair_end *end,
		      const struct record *rec, struct sched_rec *out)
{
	uint32_t scope = (uint32_t)mix_keys(s, end->keys, end->nr_keys - 1u, end->star, rec);
	uint64_t length = end->length ? number(s, end->length, rec) & UINT32_MAX : 1, label;

	out->key = mix_keys(s, &end->keys[end->nr_keys - 1], 1, 0, rec);
	if (end->label) {
		label = pair_value(s, end->label, rec);
		label = label >> (16 + 32 - SCHED_RANGE_LENGTH_BITS) ? 0 : label;
		out->key = at_most(out->key, SCHED_RANGE_KEY_BITS) | label << SCHED_RANGE_KEY_BITS;
		length = at_most(length, SCHED_RANGE_LENGTH_BITS) |
			 label >> 16 << SCHED_RANGE_LENGTH_BITS;
	}
	out->label = length << 32 | scope;
}

static __attribute__((noinline)) bool pair_matches(struct sched_scan *s, unsigned int end, int type,
						   const struct record *rec, trace_ref ref,
						   int64_t ts)
{
	return !s->runs[end].never &&
	       filter_run_match(s->runs[end].run, ref, type, rec->data, rec->size,
				stream_walk_room(&s->walk, rec), ts);
}

bool sched_pair_marker(struct trace *trace, unsigned int file, char letter,
		       struct sched_pair_end *end)
{
	const struct event_type *type = event_types_by_name(trace_event_types(trace, file),
							    "ftrace", "print");

	if (!type)
		return false;
	end->type = (uint16_t)type->id;
	end->keys[0] = event_type_field(type, "buf");
	end->marker = letter;
	return true;
}

/* The key and the label of an end that is a marker. */
static __attribute__((noinline)) bool read_marker(struct sched_scan *s,
						  const struct sched_pair_end *end,
						  const struct record *rec, uint64_t *key,
						  uint64_t *label)
{
	struct trace_marker m;

	if (!trace_marker_read(end->keys[0], rec->data, rec->size, &m) || m.kind != end->marker)
		return false;
	*key = m.key;
	if (m.name.s)
		*label = name_short(s, (struct field_span){ (const uint8_t *)m.name.s,
							    (uint32_t)m.name.len });
	return true;
}

/*
 * Follow silences: does this record end one, or come later in the same interrupt?  @before: ts of
 * the CPU's last record; SCHED_NO_END: that is in the piece before.
 */
static inline void see_silence(struct sched_scan *s, const struct record *rec, int64_t before,
			       int64_t ts, bool native)
{
	bool begins = before == SCHED_NO_END || time_between(before, ts) >= SCHED_SILENCE;

	if (__builtin_expect(!begins && !s->after_silence, 1))
		return;
	s->after_silence = stream_walk_flags(&s->walk, rec, native) & TRACE_IN_HARDIRQ;
	if (begins)
		s->silent_from = before;
}

/* The label of a silent end. */
static int64_t silence_before(struct sched_scan *s)
{
	struct sched_chunk *chunk = s->chunk;

	if (!s->after_silence)
		return SCHED_NO_END;
	if (s->silent_from == SCHED_NO_END) {
		if (!chunk->silent_to)
			chunk->silent_from = chunk->nr - 1;
		chunk->silent_to = chunk->nr;
	}
	return s->silent_from;
}

/* Does this end what the same task began here?  Then the record of the start need not tell more. */
static inline bool join(struct sched_scan *s, const struct sched_pair_end *end,
			const struct record *rec, uint32_t pid, int64_t ts)
{
	struct sched_chunk *chunk = s->chunk;
	struct sched_rec *begun = &chunk->recs[s->begun - 1];

	if (!s->begun || pid != s->runner || begun->end_number + 1 != end->number ||
	    begun->key != (end->nr_keys ? pair_key(s, end, rec) : end->star))
		return false;
	mem_grow(&chunk->durations, chunk->nr_durations, &chunk->cap_durations);
	chunk->durations[chunk->nr_durations++] = (struct sched_duration){
		begun->ts, ts > begun->ts ? (uint64_t)ts - (uint64_t)begun->ts : 0,
		begun->end_number
	};
	begun->detail = SCHED_START_ENDED;
	s->joined = s->begun;
	s->begun = 0;
	return true;
}

/* The task's next start drops the same starts: the record of what was joined is not needed. */
static void remove_joined(struct sched_scan *s)
{
	struct sched_chunk *chunk = s->chunk;
	struct sched_rec *joined = &chunk->recs[s->joined - 1];

	memmove(joined, joined + 1, (chunk->nr - s->joined) * sizeof(*joined));
	chunk->nr--;
	s->call -= s->call > s->joined;
	s->joined = 0;
}

/* A PAIR that joins was added: may the record of a start tell its end, too? */
static inline void wait_for_end(struct sched_scan *s, const struct sched_rec *rec)
{
	bool starts = !(rec->end_number & 1) && rec->common_pid && rec->common_pid == s->runner;

	if (!starts)
		s->joined = 0;
	else if (s->joined && s->chunk->recs[s->joined - 1].end_number == rec->end_number)
		remove_joined(s);
	s->begun = starts ? s->chunk->nr : 0;
}

/* common_flags, and common_preempt_count << 8 */
static inline __attribute__((always_inline)) uint32_t
context_of(const struct sched_scan *s, const struct record *rec, bool native)
{
	return stream_walk_flags(&s->walk, rec, native) |
	       (uint32_t)stream_walk_preempt_count(&s->walk, rec, native) << 8;
}

/* SCHED_HELD_*: is it off where the record was made?  In an NMI, interrupts tell nothing. */
static unsigned int held_in(uint32_t context)
{
	return (context & (TRACE_IRQS_OFF | TRACE_IN_NMI) ? SCHED_HELD_IRQS : 0) |
	       (context & 0xf00 ? SCHED_HELD_PREEMPTION : 0);
}

/* An end, or a start, of which the record shows that it holds something. */
static void see_held(struct sched_scan *s, const struct sched_pair_end *end,
		     const struct record *rec, bool native)
{
	s->held &= (uint8_t)~end->held;
	if (!(end->number & 1) && !end->start)
		s->held |= (uint8_t)(end->held & held_in(context_of(s, rec, native)));
	s->context = NO_CONTEXT;
}

/* A record for each end that this one is, from end @i on. */
static inline __attribute__((always_inline)) void take_pairs(struct sched_scan *s, int type,
							     unsigned int i,
							     const struct record *rec,
							     trace_ref ref, int64_t ts, bool native)
{
	static const struct sched_shape shape = { .op = SCHED_PAIR };
	struct sched_chunk *chunk = s->chunk;

	for (;; i++) {
		const struct sched_pair_end *end = &s->options.pairs->ends[i];
		uint64_t key = 0, label = 0;
		struct sched_rec *out;

		if (end->seen) {
			atomic_store_explicit(end->seen, true, memory_order_relaxed);
		} else if ((!end->marker || read_marker(s, end, rec, &key, &label)) &&
			   (!end->idle || !stream_walk_pid(&s->walk, rec, native)) &&
			   (!end->filter || pair_matches(s, i, type, rec, ref, ts)) &&
			   (!end->joins ||
			    !join(s, end, rec, (uint32_t)stream_walk_pid(&s->walk, rec, native),
				  ts))) {
			if (__builtin_expect(ts < chunk->max_ts, 0))
				add_rec(chunk, SCHED_KEY, chunk->max_ts);
			out = add_rec(chunk, SCHED_PAIR, ts);
			out->ref = ref;
			out->end_number = end->number;
			out->common_pid = end->pid ?
						  (uint32_t)number(s, end->pid, rec) :
						  (uint32_t)stream_walk_pid(&s->walk, rec, native);
			out->label = end->label ? pair_value(s, end->label, rec) :
						  end->plain + label;
			if (end->label && end->plain)
				out->label = (uint32_t)out->label | end->plain << 32;
			if (end->silent)
				out->label = (uint64_t)silence_before(s);
			out->key = end->nr_keys ? pair_key(s, end, rec) : end->star + key;
			if (end->is_range)
				set_range(s, end, rec, out);
			if (__builtin_expect(end->start, 0))
				out->detail = end->start;
			if (__builtin_expect(s->filter != NULL, 0))
				ask_filter(s, &shape, rec, out);
			if (end->joins)
				wait_for_end(s, out);
			if (__builtin_expect(end->held, 0))
				see_held(s, end, rec, native);
		}
		if (!end->more)
			return;
	}
}

/* --- stretches ------------------------------------------------------------------------- */

/*
 * Take the first record after a cut, or of the chunk.  @absent: the first one after an absence,
 * which ended at ts.
 */
static __attribute__((noinline)) void begin_stretch(struct sched_scan *s, int64_t ts, bool absent)
{
	struct sched_chunk *chunk = s->chunk;
	int64_t end = chunk->any ? chunk->last_ts : SCHED_NO_END;
	struct sched_rec *rec;

	if (chunk->any || s->cut)
		s->inside = 0;	/* else interrupts of the piece before may be open */
	if (!chunk->any) {
		chunk->any = true;
		chunk->lead_cut = s->cut;
		chunk->max_ts = chunk->last_ts = ts;
	} else if (!chunk->head) {
		chunk->head = SCHED_NOBODY;
	}
	s->alone = 0;
	s->on = (struct sched_runner){ SCHED_NOBODY, SCHED_NOBODY,
				       .lost = !absent && end != SCHED_NO_END };
	if (!s->options.types->has_switch)
		s->on.on = SCHED_BLIND;
	if (s->open != NO_STRETCH)
		end_open(s, SCHED_FIRST_NOBODY, 0);
	if (ts < chunk->max_ts || (end != SCHED_NO_END && end < chunk->max_ts))
		add_rec(chunk, SCHED_KEY, chunk->max_ts);
	if (!absent)
		add_rec(chunk, SCHED_CUT, end)->end = ts;
	s->open = chunk->nr;
	s->cut = chunk->tail_damaged = false;
	s->seen = UINT32_MAX;
	rec = add_rec(chunk, SCHED_STRETCH, ts);
	rec->detail = SCHED_FIRST_LATER;
	rec->end = end;
	s->runner = s->begun = s->joined = s->call = 0;
}

#define SEEN_APART	10000		/* ns: a task's events so far apart are shown apart */

/* Nobody was seen after the last record. */
static void end_seen(struct sched_scan *s)
{
	const int64_t after = time_after(s->seen_ts, 1);

	if (s->seen != UINT32_MAX && s->seen_ts >= s->chunk->max_ts)
		add_rec(s->chunk, SCHED_SEEN, after)->detail = SCHED_SEEN_NOBODY;
	s->seen = UINT32_MAX;
}

/* Without switches: take the record's own task, and where its records pause. */
static void take_seen(struct sched_scan *s, const struct record *rec, int64_t ts)
{
	uint32_t pid = (uint32_t)stream_walk_pid(&s->walk, rec, s->walk.native);
	int64_t before = s->seen_ts;

	if (s->seen != UINT32_MAX && ts > before && time_between(before, ts) >= SEEN_APART)
		end_seen(s);
	s->seen_ts = ts;
	if (pid == s->seen)
		return;
	s->seen = pid;
	if (ts < s->chunk->max_ts)
		add_rec(s->chunk, SCHED_KEY, s->chunk->max_ts);
	add_rec(s->chunk, SCHED_SEEN, ts)->pid = pid;
}

/* The end of the absence that has ended between two records; INT64_MIN: none has. */
static int64_t absent_until(const struct sched_scan *s, int64_t before, int64_t ts)
{
	const struct trace_stream *stream = s->walk.stream;
	uint32_t nr;
	const struct trace_absence *list = trace_absences(s->options.trace, stream->source,
							  stream->buffer, &nr);

	nr = trace_absences_until(list, nr, ts);
	return nr && list[nr - 1].from >= before ? list[nr - 1].to : INT64_MIN;
}

/*
 * A stretch may begin with this record: behind a cut, or an absence that has ended since the last
 * one.  Return: the time of the record before, if there is one in its stretch.
 */
static __attribute__((noinline)) int64_t may_begin(struct sched_scan *s, int64_t ts)
{
	struct sched_chunk *chunk = s->chunk;
	int64_t before = chunk->any ? chunk->last_ts : SCHED_NO_END;
	bool cut = s->cut || !chunk->any,
	     quiet = chunk->any && time_between(chunk->last_ts, ts) >= TRACE_LEAST_ABSENCE;
	int64_t absent_to = quiet ? absent_until(s, chunk->last_ts, ts) : INT64_MIN;

	chunk->quiet |= quiet;
	if (cut || absent_to > INT64_MIN)
		begin_stretch(s, cut ? ts : absent_to, !cut);
	return cut || absent_to == INT64_MIN ? before : ts;
}

/* What is open holds @over no longer: its end is missing. */
static __attribute__((noinline)) void end_held(struct sched_scan *s, unsigned int over, int64_t ts)
{
	const struct sched_pairs *pairs = s->options.pairs;
	struct sched_rec *out;

	s->held &= (uint8_t)~over;
	for (unsigned int i = 0; i < pairs->nr; i++) {
		if (!(pairs->ends[i].held & over) || pairs->ends[i].number & 1)
			continue;
		if (ts < s->chunk->max_ts)
			add_rec(s->chunk, SCHED_KEY, s->chunk->max_ts);
		out = add_rec(s->chunk, SCHED_PAIR, ts);
		out->end_number = pairs->ends[i].number;
		out->detail = SCHED_START_NONE;
	}
}

static inline __attribute__((always_inline)) void
see_not_held(struct sched_scan *s, const struct record *rec, int64_t ts, bool native)
{
	uint32_t context = context_of(s, rec, native);

	if (__builtin_expect(context == s->context, 1))
		return;
	s->context = context;
	if (s->held & ~held_in(context))
		end_held(s, s->held & ~held_in(context), ts);
}

/* @before: ts of the record before; SCHED_NO_END: it is in the piece before. */
static inline __attribute__((always_inline)) void see_outside(struct sched_scan *s,
							      const struct record *rec,
							      int64_t before, int64_t ts,
							      int64_t max_ts, bool native)
{
	unsigned int flags = stream_walk_flags(&s->walk, rec, native);

	if (__builtin_expect(s->inside & ~flags, 0))
		leave(s, flags, before == SCHED_NO_END ? ts : before, ts, max_ts);
}

/* @pairs: take the ends of pairs, too. */
static inline __attribute__((always_inline)) void scan_records(struct sched_scan *s, bool native,
							       bool pairs)
{
	const struct sched_types *types = s->options.types;
	struct sched_chunk *chunk = s->chunk;
	const uint16_t *ends = pairs ? s->options.pairs->first : NULL;
	struct stream_walk walk = s->walk;	/* a local copy stays in registers */
	bool silences = s->silences;
	int64_t max_ts = chunk->max_ts, last_ts = chunk->last_ts;
	int64_t begins_at = s->cut || !chunk->any ? INT64_MIN : s->begins_at;
	struct record rec;

	while (stream_walk_next(&walk, &rec, native)) {
		uint16_t type = stream_walk_type(&walk, &rec, native);
		uint32_t shape = types->shape_of[type];
		int64_t ts = stream_walk_ts(&walk, &rec), before = last_ts;

		if (__builtin_expect(ts >= begins_at, 0)) {
			chunk->max_ts = max_ts;
			chunk->last_ts = last_ts;
			before = may_begin(s, ts);
			begins_at = time_after(ts, TRACE_LEAST_ABSENCE);
			max_ts = chunk->max_ts;
		}
		if (__builtin_expect(ts >= max_ts, 1))
			max_ts = ts;
		else
			chunk->max_ts = max_ts;	/* for a SCHED_KEY */
		last_ts = ts;
		see_runner(s, &types->shapes[shape], &rec, before, ts, native);
		if (__builtin_expect(s->inside != 0, 0))
			see_outside(s, &rec, before, ts, max_ts, native);
		if (__builtin_expect(s->options.last_seen, 0))
			take_seen(s, &rec, ts);
		if (shape == SCHED_SYSTEM)
			chunk->sched_records++;
		else if (shape)
			take(s, &types->shapes[shape], &rec, walk.ref, ts, native);
		if (pairs && silences)
			see_silence(s, &rec, before, ts, native);
		if (pairs && __builtin_expect(s->held, 0))
			see_not_held(s, &rec, ts, native);
		if (pairs && ends[type])
			take_pairs(s, type, ends[type] - 1u, &rec, walk.ref, ts, native);
	}
	chunk->max_ts = max_ts;
	chunk->last_ts = last_ts;
	s->begins_at = begins_at;
	s->walk.sb = walk.sb;
}

/* Damage at the end of a page counts as a loss before the next record. */
static void scan_page(struct sched_scan *s)
{
	s->cut |= s->walk.sb.lost;
	if (s->walk.native && !s->options.pairs)
		scan_records(s, true, false);
	else if (s->walk.native)
		scan_records(s, true, true);
	else
		scan_records(s, false, s->options.pairs != NULL);
	if (__builtin_expect(s->walk.sb.damage != SUB_BUFFER_SOUND, 0)) {
		s->chunk->damaged++;
		s->cut = s->chunk->tail_damaged = true;
	}
}

bool sched_scan_pages(struct sched_scan *s, unsigned int nr_stream, uint64_t first, uint64_t nr,
		      struct sched_chunk *chunk, const atomic_bool *stopped)
{
	*chunk = (struct sched_chunk){ .recs = chunk->recs, .cap = chunk->cap,
				       .durations = chunk->durations,
				       .cap_durations = chunk->cap_durations };
	stream_walk_begin(&s->walk, s->options.trace, nr_stream, first, first + nr);
	s->stream = nr_stream;
	s->chunk = chunk;
	if (s->filter)
		sched_filter_stream(s->filter, nr_stream);
	for (unsigned int i = 0; s->runs && i < s->options.pairs->nr; i++)
		if (s->runs[i].run)
			s->runs[i].never = filter_run_stream(s->runs[i].run, nr_stream) ==
					   FILTER_NEVER;
	s->open = NO_STRETCH;
	s->cut = false;
	s->begins_at = INT64_MIN;
	s->seen = UINT32_MAX;
	s->after_silence = false;
	s->inside = s->has_interrupts ? SCHED_IN_INTERRUPT : 0;
	s->alone = 0;
	s->held = s->options.pairs ? s->options.pairs->held : 0;
	s->context = NO_CONTEXT;
	chunk->head_pid = SCHED_NOBODY;
	while (stream_walk_page(&s->walk)) {
		if (atomic_load_explicit(stopped, memory_order_relaxed))
			return false;
		scan_page(s);
	}
	if (!chunk->any)
		chunk->lead_cut = s->cut;
	chunk->tail_cut = s->cut;
	chunk->runner = s->on;
	if (s->options.last_seen)
		end_seen(s);
	if (s->cut && s->open != NO_STRETCH)
		end_open(s, SCHED_FIRST_NOBODY, 0);
	return true;
}

/* --- ahead -------------------------------------------------------------------------------- */

static const struct sched_shape *shape_of(const struct sched_scan *s, const struct record *rec)
{
	const struct sched_types *types = s->options.types;

	return &types->shapes[types->shape_of[stream_walk_type(&s->walk, rec, s->walk.native)]];
}

/* Find the first task in a page. LATER: it has neither a switch nor a cut. */
static inline __attribute__((always_inline)) enum sched_first
look_at_page(const struct sched_scan *s, bool native, int64_t until, uint32_t *on, uint32_t *pid)
{
	const struct sched_types *types = s->options.types;
	struct stream_walk walk = s->walk;	/* a local copy stays in registers */
	struct record rec;
	uint32_t seen = *on, own;

	if (walk.sb.lost)
		return SCHED_FIRST_NOBODY;
	while (stream_walk_next(&walk, &rec, native)) {
		uint16_t type = stream_walk_type(&walk, &rec, native);
		const struct sched_shape *shape = &types->shapes[types->shape_of[type]];

		if (stream_walk_ts(&walk, &rec) >= until)
			return SCHED_FIRST_NOBODY;
		own = (uint32_t)stream_walk_pid(&walk, &rec, native);
		if (shape->op == SCHED_SWITCH) {
			*pid = (uint32_t)number(s, shape->pid, &rec);
			return own != *pid && own <= INT32_MAX    ? SCHED_FIRST_BLIND :
			       *on != *pid && *on != SCHED_NOBODY ? SCHED_FIRST_OTHERS :
								    SCHED_FIRST_TASK;
		}
		if (own == seen)
			continue;
		seen = own;
		if (own <= INT32_MAX)
			*on = *on == own || *on == SCHED_NOBODY ? own : SCHED_BLIND;
	}
	return walk.sb.damage == SUB_BUFFER_SOUND ? SCHED_FIRST_LATER : SCHED_FIRST_NOBODY;
}

uint64_t sched_scan_settled(struct sched_scan *s, unsigned int nr_stream, int64_t *next)
{
	return stream_walk_settled(&s->walk, s->options.trace, nr_stream, next);
}

/* Who runs after the records before a sub-buffer, by those of the last one that has some. */
static struct sched_runner runner_before(struct sched_scan *s, unsigned int nr_stream,
					 uint64_t page, const atomic_bool *stopped)
{
	const struct page_index *index = &trace_stream_at(s->options.trace, nr_stream)->index;
	struct sched_runner runner = { SCHED_NOBODY, SCHED_NOBODY };
	struct sched_chunk chunk = { 0 };
	uint64_t from = page;

	while (from > page_index_start(index) &&
	       !(page_index_count(index, --from) & PAGE_EVENTS_MASK))
		;
	if (sched_scan_pages(s, nr_stream, from, page - from, &chunk, stopped) && chunk.any &&
	    !chunk.tail_cut)
		runner = chunk.runner;
	sched_chunk_fini(&chunk);
	return runner;
}

bool sched_scan_misses(struct sched_scan *s, unsigned int nr_stream, uint64_t page,
		       const atomic_bool *stopped)
{
	struct sched_runner runner = runner_before(s, nr_stream, page, stopped);
	const struct sched_shape *shape;
	struct record rec;
	uint32_t pid;
	bool is_switch;

	if (runner.on > INT32_MAX)
		return false;
	stream_walk_begin(&s->walk, s->options.trace, nr_stream, page, page + 1);
	if (!stream_walk_page(&s->walk) || s->walk.sb.lost ||
	    !stream_walk_next(&s->walk, &rec, s->walk.native))
		return false;
	shape = shape_of(s, &rec);
	is_switch = shape->op == SCHED_SWITCH;
	pid = (uint32_t)stream_walk_pid(&s->walk, &rec, s->walk.native);
	if (is_switch && pid != (uint32_t)number(s, shape->pid, &rec))
		return false;		/* it tells nothing: see become_blind() */
	return sched_runner_see(&runner, s->options.trace, nr_stream, pid, is_switch, SCHED_NO_END,
				0) == SCHED_SWITCH_MISSING;
}

bool sched_scan_has_waking(struct sched_scan *s, unsigned int nr_stream, uint64_t page,
			   const atomic_bool *stopped)
{
	struct stream_walk *walk = &s->walk;
	struct record rec;

	stream_walk_begin(walk, s->options.trace, nr_stream, page, UINT64_MAX);
	while (!atomic_load_explicit(stopped, memory_order_relaxed) && stream_walk_page(walk))
		while (stream_walk_next(walk, &rec, walk->native))
			if (shape_of(s, &rec)->op == SCHED_WAKING)
				return true;
	return false;
}

enum sched_first sched_scan_ahead(struct sched_scan *s, unsigned int nr_stream, uint64_t page,
				  int64_t until, uint32_t on, uint32_t *pid,
				  const atomic_bool *stopped)
{
	if (!s->options.types->has_switch)
		return SCHED_FIRST_NOBODY;
	stream_walk_begin(&s->walk, s->options.trace, nr_stream, page, UINT64_MAX);
	while (!atomic_load_explicit(stopped, memory_order_relaxed) && stream_walk_page(&s->walk)) {
		enum sched_first first = s->walk.native ? look_at_page(s, true, until, &on, pid) :
							  look_at_page(s, false, until, &on, pid);

		if (first != SCHED_FIRST_LATER)
			return first;
	}
	return SCHED_FIRST_LATER;
}
