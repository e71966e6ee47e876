/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCAN_H
#define FTOP_SRC_SCHED_SCAN_H
/*
 * sched_scan - what runs where, out of some sub-buffers of one CPU: 40 bytes for each
 * record that matters, in the order of the CPU.  A scanner belongs to one thread.
 *
 * Records of a CPU form stretches: they are cut where events were lost between two of them, or damage makes them
 * unreadable.  Where one begins there is a SCHED_STRETCH before its first record; the pieces of a CPU are put together by
 * sched_feed.h.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched_filter.h"
#include "src/sched/sched_names.h"
#include "src/sched/sched_types.h"
#include "src/trace/trace.h"

/* The task that a stretch begins with: the prev_pid of its first sched_switch. */
enum sched_first {
	SCHED_FIRST_TASK,		/* pid */
	SCHED_FIRST_NOBODY,		/* there is no switch in it */
	SCHED_FIRST_LATER,		/* not among these sub-buffers: to be looked for behind them */
};

struct sched_rec {
	int64_t		ts;		/* in the trace's time, as the file has it; STRETCH: of its first record */
	uint32_t	pid;		/* prev_pid; pid; SEEN: common_pid; ENTER, LEAVE, CALL, RETURN: number; POWER: state */
	uint32_t	comm;		/* of pid: a number of sched_names; 0: the record tells none */
	union {
		struct {
			uint32_t pid2;	/* next_pid; else common_pid; ENTER, LEAVE: common_type */
			uint32_t comm2;	/* next_comm; ENTER, LEAVE: common_pid */
		};
		int64_t	end;		/* STRETCH: ts of the last record of the one before; SCHED_NO_END: there is none */
	};
	uint8_t		op : 8 - SCHED_NOT_BITS;	/* enum sched_op */
	uint8_t		uncounted : SCHED_NOT_BITS;	/* SCHED_NOT_*: filters leave it out of these sums */
	uint8_t		detail;		/* SWITCH: enum sched_class; ENTER, LEAVE: enum sched_context; STRETCH: enum sched_first;
					 * CALL, RETURN: of raw_syscalls, or not;
					 * else common_flags */
	uint16_t	cpu;		/* target_cpu, dest_cpu; SWITCH: prev_state, its low bits */
	int16_t		prio, prio2;	/* of pid, pid2 */
	trace_ref	ref;		/* its row; STRETCH, KEY: none */
};

#define SCHED_NO_CPU	UINT16_MAX
#define SCHED_NO_END	INT64_MIN

/*
 * What some sub-buffers hold.  recs[0] is the STRETCH of their first record: whether one begins there depends on what lay
 * before.  A record that is older than one before it has a SCHED_KEY with the latest ts so far before it.
 */
struct sched_chunk {
	bool		any;		/* any record at all: first, last, max are known */
	bool		lead_cut;	/* lost events are marked before the first record; without a record: anywhere */
	bool		tail_cut;	/* behind the last one */
	int64_t		last_ts, max_ts;	/* of all records, of any type */
	uint64_t	sched_records;	/* of system sched */
	uint64_t	switches;	/* sched_switch */
	uint64_t	migrations;	/* sched_migrate_task */
	uint64_t	damaged;	/* sub-buffers that could not be read to their ends */
	uint32_t	nr, cap;
	struct sched_rec *recs;		/* owned */
};

void sched_chunk_fini(struct sched_chunk *chunk);

struct sched_scan;			/* opaque */

struct sched_scan_options {
	struct trace		*trace;		/* borrowed, as all below */
	unsigned int		 file;
	const struct sched_types *types;	/* shared */
	struct sched_names	*names;		/* shared */
	bool			 last_seen;	/* there are no switches; tell who was seen on the CPU instead */
	const struct filter	*const *filters;	/* [nr_filters] of sched_filter.h: what records are not counted for; ready */
	unsigned int		 nr_filters;
};

struct sched_scan *sched_scan_new(const struct sched_scan_options *options);
void sched_scan_free(struct sched_scan *scan);	/* NULL is allowed */

/* Fill in a chunk from sub-buffers of a stream of the model; false: stopped, and the chunk holds rubbish. */
bool sched_scan_pages(struct sched_scan *scan, unsigned int stream, uint64_t first, uint64_t nr, struct sched_chunk *chunk,
		      const atomic_bool *stopped);

/* The prev_pid of the first sched_switch from a sub-buffer on, before the next cut. */
enum sched_first sched_scan_ahead(struct sched_scan *scan, unsigned int stream, uint64_t page, uint32_t *pid,
				  const atomic_bool *stopped);
#endif
