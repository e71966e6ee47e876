/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_WAKEUPS_WAKEUPS_H
#define FTOP_SRC_WAKEUPS_WAKEUPS_H
/*
 * wakeups - all wake-ups of a buffer that count (rule 3 of src/sched), in the order of time: who
 * woke whom, from where, and when the task then ran.
 */
#include "src/match/event_sweep.h"
#include "src/match/filter_option.h"
#include "src/sched/sched_pass.h"

struct wakeup_row {
	int64_t		ts, run_ts, latency;	/* run_ts, latency: if it ran */
	trace_ref	ref;		/* of the record */
	/* Raw bytes of the trace.  Until all is read the union has the numbers instead. */
	union {
		const char	*comm;
		struct {
			uint32_t	task, name;
		}		woken;
	};
	union {
		const char	*waker_comm;	/* NULL: not known */
		struct {
			uint32_t	task, name;
		}		waker;
	};
	union {
		const char	*context;	/* what woke it in an interrupt; NULL: the waker */
		uint64_t	context_id;
	};
	uint32_t	pid;
	int32_t		waker_pid;
	int32_t		cpu;		/* number of the one where it ran; -1: it did not */
	bool		doubtful;	/* the latency is: events were lost meanwhile */
	bool		late;		/* it was woken before, so the latency is longer */
};

/* @what: by when and where it was woken and ran; filters: those of its own record. */
struct wakeups *wakeups_new(struct trace *trace, const struct event_sweep_options *what,
			    const struct filter_given *given);
void wakeups_free(struct wakeups *wakeups);	/* stops the worker; NULL is allowed */
void wakeups_wait(struct wakeups *wakeups);
/* Is all of it read?  The rows are the model's, and are those that are wanted. */
bool wakeups_done(struct wakeups *wakeups, const struct wakeup_row **rows, uint32_t *nr);
bool wakeups_full(const struct wakeups *wakeups);	/* there are too many tasks */
/* The pass that has read it. */
const struct sched_pass *wakeups_pass(const struct wakeups *wakeups);
#endif
