/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_PERFETTO_PRIVATE_H
#define FTOP_SRC_EXPORT_PERFETTO_PRIVATE_H
/*
 * perfetto_private - what writes one trace.  All packets are of one sequence, so that names and
 * tracks are told once.
 */
#include "parsers/perfetto/perfetto_numbers.h"
#include "parsers/perfetto/perfetto_types.h"
#include "src/base/number_set.h"
#include "src/calls/call_job.h"
#include "src/calls/call_text.h"
#include "src/export/perfetto.h"
#include "src/sched/sched_job.h"
#include "src/sched/sched_pass.h"

struct ftrace_plan {			/* for the events of a type */
	const struct event_type *type;
	/* Writes an event; NULL: they are parts of calls. */
	void		(*add)(struct perfetto *p, struct ftrace_plan *plan,
			       const struct trace_event *event);
	unsigned int	 number;	/* field number of its message in FtraceEvent */
	bool		 is_described;	/* in the file, or known to Perfetto */
	struct ftrace_step *steps;	/* owned, [nr]: how fields are written */
	unsigned int	 nr;
};

struct perfetto_gap {			/* events of a stream were lost */
	unsigned int	 stream;
	int64_t		 from;		/* time of the last event before; INT64_MIN: none */
	uint64_t	 lost;		/* events; 0: unknown */
};

/* What functions are named for: events, values of an event, fields of ftrace events. */
enum packet_names { NAMES_OF_EVENTS, NAMES_OF_CALLERS, NAMES_OF_SYMBOLS, NR_PACKET_NAMES };

struct perfetto {
	struct trace	*trace;		/* borrowed */
	struct event_sweep_options what;
	struct output	out;
	struct event_sweep *sweep;	/* owned */
	struct call_job	*job;		/* owned; NULL: not yet, or there are no calls */
	struct graph_types *types;	/* owned */
	struct graph_scope scope;	/* which calls are written */
	bool		 calls_begun;
	struct perfetto_gaps {
		struct sched_pass *pass;	/* owned; NULL: not yet, or of a range */
		struct sched_job job;
		atomic_bool	 done;
	}		 absent;
	bool		 chrome;	/* JSON is written: chrome.c */
	bool		 raw_syscalls;	/* the file has events of raw_syscalls */
	int64_t		 last;		/* time of the last event: open calls end there */
	/* The workers': */
	bool		 failed;
	struct ft_error	 err;
	struct perfetto_totals totals;
	struct number_set	 names[NR_PACKET_NAMES];	/* addresses; iid: index + 1 */
	struct number_set	 tracks;	/* uuid: index + 1 */
	size_t		 open[4];	/* messages of a packet that have begun: places in `out` */
	unsigned int	 nr_open;
	struct ftrace_plan *plans;	/* owned, [UINT16_MAX + 1] by id of the event type */
	unsigned int	 nr_described;
	struct perfetto_types known;	/* events that Perfetto has numbers for */
	struct text	 bundle;	/* events of a CPU, not written yet */
	struct text	 descriptions;	/* descriptions of types that are new in this bundle */
	int		 cpu;		/* CPU whose events are in the bundle */
	bool		 lost;		/* events were lost before it */
	struct text	 name;
	struct perfetto_gap *gaps;	/* owned, [nr_gaps]: by stream, then by time */
	size_t		 nr_gaps, cap_gaps;
	bool		 chrome_begun;	/* its list of events */
	/* perfetto_calls.c: of the buffer being read */
	unsigned int	 buffer;
	struct call_visitor visitor;
	struct call_text *text;		/* owned */
	struct call_tree *tree;		/* borrowed */
	uint64_t	 track;		/* track of the task being written */
	struct call_slice *slices;	/* owned, [nr_slices] that have begun, outermost first */
	uint32_t	 nr_slices, cap_slices;
	int64_t		 low;		/* time of the last begin or end: later ones follow */
};

/* --- ftrace_event.c --------------------------------------------------------------------------- */

/* @number: in FtraceEvent, if Perfetto does not know the type */
void ftrace_plan_init(struct perfetto *p, struct ftrace_plan *plan, const struct event_type *type,
		      unsigned int number);

/* Append an event to the bundle, and the description of its type if the file has none yet. */
void ftrace_plan_event(struct perfetto *p, struct ftrace_plan *plan,
		       const struct trace_event *event);

/* --- perfetto_packets.c ----------------------------------------------------------------------- */

void packet_block(struct perfetto *p);		/* write what is in p->out.block, if that is much */
void packet_bundle(struct perfetto *p);		/* write the bundle; it is empty then */

/* The iid of a function's name; 0: it is none. */
uint64_t packet_symbol(struct perfetto *p, uint64_t address);

/* The track of a task, or of its calls in an instance (@buffer: 0: none); of a stream's gaps. */
uint64_t packet_thread(struct perfetto *p, int32_t pid, int cpu, unsigned int buffer);
uint64_t packet_stream(struct perfetto *p, unsigned int stream);
int32_t packet_pid(const struct perfetto *p, uint64_t track);	/* 0: not of a task, or idle */
int packet_process(const struct perfetto *p, int32_t pid);

/*
 * @type: SLICE_BEGIN, SLICE_END, INSTANT; of a @function, for an INSTANT called from @caller; a
 * name of its own
 */
void packet_slice(struct perfetto *p, unsigned int type, int64_t ts, uint64_t track,
		  uint64_t function, uint64_t caller);
void packet_named(struct perfetto *p, unsigned int type, int64_t ts, uint64_t track,
		  const char *name, size_t len);

void packets_first(struct perfetto *p);		/* clocks, kernel, names of tasks */
void packets_last(struct perfetto *p);		/* how many events were lost */

/* --- chrome.c: what perfetto_packets.c does, in JSON --- */

void chrome_track(struct perfetto *p, uint64_t track, const char *name);
void chrome_event(struct perfetto *p, unsigned int type, int64_t ts, uint64_t track,
		  const char *name, size_t len);
void chrome_last(struct perfetto *p);

/* --- perfetto_calls.c ------------------------------------------------------------------------- */

void perfetto_calls_start(struct perfetto *p);

/* --- perfetto_gaps.c -------------------------------------------------------------------------- */

bool perfetto_gaps_step(struct perfetto *p);	/* is there more to do? */
void perfetto_gaps_end(struct perfetto *p);	/* write them */
#endif
