/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_SCAN_H
#define FTOP_SRC_SCHED_SCHED_SCAN_H
/*
 * sched_scan - extracts scheduling records from sub-buffers of one CPU: 40 bytes for each relevant
 * record, in the CPU's order.  A scanner belongs to one thread.
 *
 * Records of a CPU form stretches, which are separated by lost events or unreadable damage.  A
 * stretch begins with a SCHED_STRETCH before its first record.  A SCHED_CUT comes first if events
 * were lost there, in the order at the end of the previous stretch: what happens between the two is
 * known to be in a gap.  A CUT without a STRETCH is a CPU's last record if what follows is
 * missing.  sched_feed.h puts the pieces of a CPU together.
 *
 * Behind an absence (trace_absence.h) a stretch begins without a CUT, at the end of the absence:
 * the feed tells of it, for all CPUs, with a SCHED_ABSENT.
 *
 * A record of a task that cannot run there shows that a switch is missing, see sched_runner: a CUT
 * and a STRETCH with that task come before it, too.
 *
 * A record that was not made in an interrupt that is open shows that this has ended, and that its
 * end is missing: a LEAVE of SCHED_CONTEXT_TASK comes before it, with its common_flags as `cpu` and
 * the time of the record before as `end`.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched_filter.h"
#include "src/base/name_table.h"
#include "src/base/time_math.h"
#include "src/sched/sched_types.h"
#include "src/trace/trace.h"
#include "src/trace/trace_absence.h"

/* The task that a stretch begins with: the prev_pid of its first sched_switch. */
enum sched_first {
	SCHED_FIRST_TASK,		/* pid */
	SCHED_FIRST_BLIND,		/* pid; the tasks of records are not those of switches */
	SCHED_FIRST_OTHERS,		/* not known: other tasks have records before that switch */
	SCHED_FIRST_NOBODY,		/* the stretch has no switch */
	SCHED_FIRST_LATER,		/* not in these sub-buffers: search the next ones, if any */
};

/* Do the records before that switch tell who ran, and whether switches are missing? */
static inline bool sched_first_is_proved(enum sched_first first)
{
	return first == SCHED_FIRST_TASK || first == SCHED_FIRST_OTHERS;
}

struct sched_rec {
	int64_t		ts;		/* the file's time; STRETCH: that of its first record;
					   CUT: of the last record before, or SCHED_NO_END;
					   ABSENT: of the last record of any CPU before */
	union {
		struct {
			uint32_t pid;	/* prev_pid; pid; SEEN, LOCK, LOCKED, LIMIT: common_pid;
					   ENTER,
					   LEAVE, CALL, RETURN: number; POWER: state; FREQUENCY:
					   kHz; RAISE: number; of a timer:
					   common_type */
			uint32_t comm;	/* name of pid, see name_table; 0 = not in the record;
					 * FREEZE: the cgroup's path */
		};
		uint64_t label;		/* PAIR: see struct sched_pair_end, as is key */
	};
	union {
		struct {
			uint32_t pid2;	/* next_pid; else common_pid; ENTER, LEAVE: common_type */
			uint32_t comm2;	/* next_comm; ENTER, LEAVE: common_pid; CALL: 1 + how long
					   it took: its RETURN is left out; 0: that follows, or is
					   missing; MIGRATE: 1 + orig_cpu, or 0; EXEC:
					   old_pid */
		};
		int64_t	end;		/* STRETCH: ts of the previous one's end; SCHED_NO_END;
					   CUT: ts of the next STRETCH, or INT64_MAX;
					   ABSENT: ts of the next record;
					   ENTER of a timer: its function; REASON: where; LOCK,
					   LOCKED: the address of a lock of the kernel; LIMIT: the
					   kernel's number of a cgroup */
		uint64_t key;		/* PAIR */
	};
	uint8_t		op : 8 - SCHED_NOT_BITS;	/* enum sched_op */
	uint8_t		uncounted : SCHED_NOT_BITS;	/* SCHED_NOT_*: not in these sums */
	uint8_t		detail;		/* SWITCH: enum sched_class; ENTER, LEAVE: enum
					   sched_context; STRETCH: enum sched_first; CALL,
					   RETURN: of raw_syscalls, or not; PAIR: enum
					   sched_start; REASON: it waited for a disk;
					   SEEN: SCHED_SEEN_NOBODY, a pause begins;
					   LOCK, LOCKED: enum sched_lock_of; LIMIT: enum
					   sched_limit_op;
					   CUT, ABSENT: enum trace_absent,
					   SCHED_INFERRED;
					   else common_flags */
	union {
		uint16_t cpu;		/* WAKING, WAKEUP: target_cpu; MIGRATE: dest_cpu;
					   FREQUENCY: cpu_id; LIMIT: where; ENTER: of
					   common_flags, in what interrupts it is;
					   SWITCH: prev_state, its low bits */
		uint16_t end_number;	/* PAIR */
		uint16_t missing;	/* CUT, STRETCH: enum sched_unseen; no other record is */
	};
	union {
		struct {
			int16_t	prio, prio2;	/* priorities of pid, pid2; CALL, RETURN: prio: it
						 * is a sched_yield; ENTER: prio: another CPU
						 * sent it, or a switch pauses it */
		};
		uint32_t common_pid;	/* PAIR; ENTER of a timer: a number of that timer */
	};
	trace_ref	ref;		/* its row; none for CUT, STRETCH, KEY */
};

_Static_assert(SCHED_ABSENT < 1 << (8 - SCHED_NOT_BITS), "sched_rec.op has room for all");

struct sched_item {			/* a record of a CPU */
	const struct sched_rec *rec;	/* borrowed */
	unsigned int	cpu;		/* its index */
};
#define SCHED_ITEMS	512u		/* taken at a time */

#define SCHED_INFERRED	0x80u

struct sched_duration {			/* a pair whose records are not needed */
	int64_t		start;
	uint64_t	ns;
	uint16_t	end_number;	/* end_number of its start */
};

enum sched_start {			/* of a PAIR that is no end */
	SCHED_START,
	SCHED_START_ENDED,		/* its end is known already */
	SCHED_START_AGAIN,		/* the next start with its key is the same one */
	SCHED_START_NONE,		/* it shows that what is open is no instance */
	SCHED_END_WHOLE,		/* of a range: it ends all that its start began */
};

enum sched_lock_of {
	SCHED_OF_KERNEL,		/* a lock of the kernel */
	SCHED_OF_FUTEX,			/* a futex call */
	SCHED_OF_NO_LOCK,		/* one that waits for what need not be a lock */
	SCHED_OF_NOTHING,		/* one that does not wait */
};

/* In common_flags: the record was made in an interrupt. */
#define SCHED_IN_INTERRUPT	(TRACE_IN_NMI | TRACE_IN_HARDIRQ | TRACE_IN_SOFTIRQ)

#define SCHED_NO_CPU	UINT16_MAX
#define SCHED_NO_END	INT64_MIN
#define SCHED_SEEN_NOBODY 1

#define SCHED_NOBODY	UINT32_MAX	/* not known */
#define SCHED_BLIND	(UINT32_MAX - 1) /* the tasks of records are not those of switches */

/* Who runs on a CPU, by its records so far. */
struct sched_runner {
	uint32_t	on;		/* pid; SCHED_NOBODY: up to a stretch's first switch */
	uint32_t	left;		/* by the last switch: it may record until it has left */
	bool		stopper;	/* the CPU's migration/N: one that is offline does not
					 * leave it */
	int64_t		since;		/* then: the switch to it */
	bool		lost;		/* the switch that it leaves by may come before its first
					 * record, among lost events, or before the recording: one
					 * that is no sched event may be made while it leaves */
};

/*
 * ns: from a switch to the stopper to a record of the idle task, with which a CPU begins: the CPU
 * was offline, or its stopper was at work.  One that goes offline records nothing so late.
 */
#define SCHED_OFFLINE	20000000

/* What a record of a task tells of the switch to it. */
enum sched_unseen {
	SCHED_SEEN_SWITCH,		/* nothing: it was recorded, or there was none */
	SCHED_SWITCH_MISSING,
	SCHED_SWITCH_LEFT_OUT,		/* the recorder does not record those between its own tasks:
					 * only these ran, so nothing is missing of others; or it
					 * may be one of events that are known to be lost */
	SCHED_CPU_OFFLINE,		/* the CPU was, since its last record */
};

/*
 * A record of a task, or its switch, in a stream; @before: the last record there; SCHED_NO_END: not
 * known.
 */
enum sched_unseen sched_runner_see(struct sched_runner *runner, struct trace *trace,
				   unsigned int stream, uint32_t pid, bool is_switch,
				   int64_t before, int64_t ts);

/* Is the CPU silent since its stopper came? */
static inline bool sched_runner_is_off(const struct sched_runner *runner, int64_t last, int64_t ts)
{
	return runner->stopper && time_between(last, ts) >= SCHED_OFFLINE &&
	       time_between(runner->since, last) < SCHED_OFFLINE;
}

/*
 * Result for some sub-buffers.  recs[0] and recs[1] are the CUT and the STRETCH of their first
 * record: the sub-buffers before decide whether one begins there.  A record that is older than an
 * earlier one is preceded by a SCHED_KEY with the latest ts so far.
 */
struct sched_chunk {
	bool		any;		/* there was a record: first, last, max are valid */
	bool		lead_cut;	/* events were lost before the first record, or at all */
	bool		tail_cut;	/* events were lost after the last record */
	bool		tail_damaged;	/* what follows the last record cannot be read */
	bool		quiet;		/* silent for TRACE_LEAST_ABSENCE between two records */
	int64_t		last_ts, max_ts;	/* over all records, of any type */
	uint64_t	sched_records;	/* records of system sched */
	uint64_t	switches;	/* sched_switch */
	uint64_t	wakings, wakes;	/* sched_waking; with sched_wakeup and sched_wakeup_new */
	uint64_t	migrations;	/* sched_migrate_task */
	unsigned int	classes;	/* SCHED_CLASS_TELLS_*, besides enum sched_class */
	uint64_t	damaged;	/* sub-buffers that could not be read completely */
	/*
	 * Its head: the sub-buffers before decide whether switches are missing in it.  Up to its
	 * first switch, or record of another task, all records are of head_pid; recs[head] and
	 * the one behind it are the CUT and the STRETCH then, or SCHED_KEYs, of head_of.  0: the
	 * head is all of it; SCHED_NOBODY: there is none, a stretch begins first.
	 */
	uint32_t	head, head_pid, head_of;
	bool		head_switch;	/* head_of switches */
	bool		head_lost;	/* sched_runner.lost of head_pid, if a stretch begins */
	struct sched_runner runner;	/* after the last record, if it has more than a head */
	/*
	 * PAIRs of silent ends in the interrupt that it begins with: indices from the first to
	 * behind the last one.  The piece before tells whether that ended a silence.
	 */
	uint32_t	silent_from, silent_to;
	uint32_t	nr, cap;
	struct sched_rec *recs;		/* owned, [nr] */
	uint32_t	nr_durations, cap_durations;
	struct sched_duration *durations;	/* owned, [nr_durations] */
};

void sched_chunk_fini(struct sched_chunk *chunk);

#define SCHED_SILENCE	500000		/* ns: less is none */

/* What became of the switch that the CUT and the STRETCH at recs[@at] are for. */
static inline void sched_chunk_set_missing(struct sched_chunk *chunk, uint32_t at,
					   enum sched_unseen unseen)
{
	bool offline = unseen == SCHED_CPU_OFFLINE,
	     cuts = offline || unseen == SCHED_SWITCH_MISSING;

	chunk->recs[at].op = cuts ? SCHED_CUT : SCHED_KEY;
	chunk->recs[at].detail = offline ? TRACE_OFFLINE | SCHED_INFERRED : TRACE_PRESENT;
	chunk->recs[at].missing = !offline;
	chunk->recs[at + 1].op = unseen ? SCHED_STRETCH : SCHED_KEY;
	chunk->recs[at + 1].missing = offline ? 0 : (uint16_t)unseen;
}

/*
 * Pairs: which records begin or end something that is measured, and what a listener of the pass
 * receives of them: a SCHED_PAIR each.  src/latency makes it from its table of kinds, and pairs
 * them.  Immutable once made; any thread.
 */
#define SCHED_PAIR_KEYS	4u

struct sched_pair_end {
	uint16_t	 type;		/* common_type */
	uint16_t	 number;	/* for the listener: sched_rec.end_number; even: a start,
					 * odd: its end */
	bool		 more;		/* the next end is of the same event type */
	/*
	 * Start and end of one task on one CPU, with no switch between them, are one record: see
	 * sched_rec.detail.  If another start of the task follows there, they are a sched_duration.
	 */
	bool		 joins;
	uint8_t		 nr_keys;
	/*
	 * sched_rec.key: the value of one field, or all of them mixed.  A string is its number in
	 * name_table; a sector of 2^64-1 is 0.
	 */
	const struct event_field *keys[SCHED_PAIR_KEYS];	/* marker: keys[0] is its text;
								 * NULL: the record's lines */
	uint64_t	 star;		/* mixed in, too; 0 = nothing */
	bool		 of_calls;	/* keys[0] is the number of a system call: what returns from
					 * a signal, and its end, are SCHED_RETURNS */
#define SCHED_RETURNS	UINT64_MAX
	/*
	 * sched_rec.label is the value of this field, or @plain if it is NULL.  With both, the
	 * value is its low half and @plain its high one.
	 */
	const struct event_field *label;
	uint64_t	 plain;
	/* The last key is where a range begins, the others are its scope: see sched_range_of(). */
	bool		is_range;
	const struct event_field *length;	/* of the range; NULL: 1 */
	uint8_t		start;		/* enum sched_start: AGAIN, NONE, WHOLE */
	/*
	 * SCHED_HELD_*: off on the CPU while it is open.  A record that was made while they were
	 * on shows that the end is missing: a SCHED_START_NONE follows.
	 */
	uint8_t		held;
#define SCHED_HELD_IRQS		1u
#define SCHED_HELD_PREEMPTION	2u
	bool		idle;		/* only records of the idle task */
	const struct event_field *pid;	/* instead of common_pid; NULL = none */
	/*
	 * Not 0: only markers with this letter match (trace_marker.h).  The number of the marker's
	 * name is the label; the marker's own number is the key, except for B and E.
	 */
	char		 marker;
	/*
	 * Label of a record in a hard interrupt that ended a silence of its CPU: the ts of the
	 * record before that; else SCHED_NO_END.
	 */
	bool		 silent;
	atomic_bool	*seen;		/* set by a record, which the listener does not get;
					 * NULL: it does */
	const struct filter *filter;	/* only records that match; ready; borrowed; or NULL */
};

/* What a PAIR of a range says: [first, first + length), in a scope. */
struct sched_range {
	uint64_t	first, length;
	uint32_t	scope;		/* the value of its key, or several mixed */
	uint32_t	label;		/* the number of a name; 0: none, or it has no room */
};

/* With a label, bits of the key are for its first part, and of the length for its second one. */
#define SCHED_RANGE_KEY_BITS	48u
#define SCHED_RANGE_LENGTH_BITS	24u

static inline struct sched_range sched_range_of(const struct sched_rec *rec, bool has_label)
{
	struct sched_range range = { rec->key, rec->label >> 32, (uint32_t)rec->label, 0 };

	if (has_label) {
		range.label = (uint32_t)(rec->key >> SCHED_RANGE_KEY_BITS |
					 range.length >> SCHED_RANGE_LENGTH_BITS << 16);
		range.first &= (1ull << SCHED_RANGE_KEY_BITS) - 1;
		range.length &= (1u << SCHED_RANGE_LENGTH_BITS) - 1;
	}
	return range;
}

struct sched_pairs {
	uint16_t	 first[65536];	/* by common_type: 1 + index of its first end; 0 = none */
	struct sched_pair_end *ends;	/* [nr], ordered by event type */
	unsigned int	 nr;
	bool		 has_silent;	/* one of them is */
	uint8_t		 held;		/* those of all ends */
	/*
	 * Called by the thread that reads the feed, once it has passed the pairs, so that all gaps
	 * before their ends are known.  NULL: no end joins.
	 */
	void		 (*measured)(void *arg, const struct sched_duration *list, uint32_t nr);
	void		 *arg;
};

/*
 * Set type, keys and marker of an end: the markers with this letter.  False: the file has no event
 * ftrace:print.
 */
bool sched_pair_marker(struct trace *trace, unsigned int file, char letter,
		       struct sched_pair_end *end);

struct sched_scan;			/* opaque */

struct sched_scan_options {
	struct trace		*trace;		/* borrowed, like everything below */
	const struct sched_types *types;	/* shared */
	struct name_table	*names;		/* shared */
	const struct sched_pairs *pairs;	/* shared; NULL = none */
	bool			 nameless;	/* names of tasks may be left out */
	bool			 last_seen;	/* without switches: report the tasks seen */
	const struct filter	*const *filters;	/* [nr_filters] ready: see sched_filter.h */
	unsigned int		 nr_filters;
};

struct sched_scan *sched_scan_new(const struct sched_scan_options *options);
void sched_scan_free(struct sched_scan *scan);	/* NULL is allowed */

/* Fill in a chunk from sub-buffers of the model's stream; false: stopped, it is undefined. */
bool sched_scan_pages(struct sched_scan *scan, unsigned int stream, uint64_t first, uint64_t nr,
		      struct sched_chunk *chunk, const atomic_bool *stopped);

/* See stream_walk_settled(). */
uint64_t sched_scan_settled(struct sched_scan *scan, unsigned int stream, int64_t *next);

/* Does the first record of a sub-buffer show that a switch is missing before it? */
bool sched_scan_misses(struct sched_scan *scan, unsigned int stream, uint64_t page,
		       const atomic_bool *stopped);

/* Is there a sched_waking from a sub-buffer on? */
bool sched_scan_has_waking(struct sched_scan *scan, unsigned int stream, uint64_t page,
			   const atomic_bool *stopped);

/*
 * Nothing shows that switches are missing from recs[@from] up to the next switch or stretch.
 * False: there is none.
 */
bool sched_chunk_clear_missing(struct sched_chunk *chunk, uint32_t from);

/*
 * The prev_pid of the first sched_switch from a sub-buffer on, before the next cut and @until.
 * @on: the task of the records before; SCHED_BLIND: of several.
 */
enum sched_first sched_scan_ahead(struct sched_scan *scan, unsigned int stream, uint64_t page,
				  int64_t until, uint32_t on, uint32_t *pid,
				  const atomic_bool *stopped);
#endif
