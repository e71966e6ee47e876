/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_H
#define FTOP_SRC_LATENCY_LATENCY_H
/*
 * latency - how long things took, by kind: calls, wake-ups, sleep, interrupts, system calls, pairs
 * of events (latency_kinds.h).  A worker's pass over a file, with intermediate results.  Of each
 * kind the sums of all instances, and the worst of them one by one.
 *
 * An instance is a start and an end.  It is doubtful if missing records could have ended it
 * earlier: then it is in no sum.  A start without an end is open.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/tgid_table.h"
#include "src/latency/latency_kinds.h"
#include "src/match/event_sweep.h"
#include "src/trace/lock_wait.h"
#include "src/trace/trace.h"

struct latency;				/* opaque */
struct sched_pass;
struct sched_pass_options;
struct call_tree;
struct call_visitor;
struct graph_reader;

enum {					/* latency_instance.flags */
	LATENCY_OPEN	 = 1,		/* it has no end */
	LATENCY_DOUBTFUL = 2,
	LATENCY_MOVED	 = 4,		/* wakeup: it ran on another CPU than before */
	LATENCY_HAS_VALUE = 8,
	LATENCY_EXACT	 = 16,		/* doubtful, but its duration is not: a call */
	LATENCY_LEAF	 = 32,		/* a call without calls below it */
	LATENCY_NO_LEAF	 = 64,		/* a call with some; neither: it is not known */
	LATENCY_EARLY	 = 128,		/* a doubtful call: it began before the trace */
	LATENCY_MAY_HAVE_MOVED = 256,	/* wakeup: records are missing that would tell */
	LATENCY_SHARED	 = 1024,	/* others with its key were open meanwhile: its end may be
					 * theirs.  The sum of all is right, if all have ended */
	LATENCY_AGAIN	 = 2048,	/* it began again: latency_rule.again_word */
	LATENCY_LATE	 = 16384,	/* it began before, and lasted longer.  wakeup: the task was
					 * woken before; DOUBTFUL, too, if sched_waking is recorded.
					 * Others: it began again, and how it did first was not
					 * recorded; DOUBTFUL, too */
	LATENCY_BY_HOST	 = 512,		/* steal: by the host's file; label: state of the vCPU task,
					 * and above the low byte the pid that ran instead */
	LATENCY_CHOSEN	 = 4096,	/* a call that the idle task made */
	LATENCY_IN_INTERRUPT = 8192,	/* a call: of one that hit its task */
};

struct latency_instance {		/* 72 bytes */
	int64_t		start, end;	/* ts; OPEN: the end is T1 */
	trace_ref	from, to;	/* records of start and end, or TRACE_REF_NONE */
	/*
	 * Equal for instances that belong together: the name of an irq, a function; wakeup,
	 * preempted: the pid of the waker, of the next task, or see latency_limit().
	 * Of pairs: a number, if the rule has
	 * `label`; else the number of a name.  Its text is what latency_what() says of one of them.
	 */
	uint64_t	label;
	int64_t		value;		/* the rule's value: ret; wakeup: from waking to wakeup;
					   call: net, its time without recorded interrupts and
					   time off the CPU */
	uint64_t	gap_cut;	/* call, softirq: what its duration leaves out */
	uint32_t	pid;
	uint16_t	cpu;		/* its number; UINT16_MAX = none */
	int16_t		prio;		/* wakeup: of the woken task */
	uint16_t	flags;
	uint8_t		rule;		/* pairs: index in latency_kinds.rules */
	uint32_t	context;	/* wakeup: the interrupt that made it; 0 = the waker did.
					 * Of a lock: pid of the task that woke its own last; 0 =
					 * none did */
};

/* Of a preempted task that was not: 1 + what kept it from running, see sched_limits_text(). */
static inline uint32_t latency_limit(const struct latency_instance *i)
{
	return (uint32_t)(i->label >> 32);
}

static inline uint64_t latency_between(int64_t start, int64_t end)
{
	return end > start ? (uint64_t)end - (uint64_t)start : 0;
}

static inline uint64_t latency_duration(const struct latency_instance *i)
{
	return latency_between(i->start, i->end) - i->gap_cut;
}

/* Is its duration part of the figures?  That of an open or doubtful one is not known. */
static inline bool latency_counts(const struct latency_instance *i)
{
	return !(i->flags & LATENCY_OPEN) &&
	       (!(i->flags & LATENCY_DOUBTFUL) || i->flags & LATENCY_EXACT);
}

/* It is, and not only because it began before. */
static inline bool latency_is_doubtful(const struct latency_instance *i)
{
	return (i->flags & (LATENCY_DOUBTFUL | LATENCY_LATE)) == LATENCY_DOUBTFUL;
}

struct latency_calls {			/* who is told of calls; a worker calls these */
	/* A buffer begins.  Its task(), leave() and late_outer() (call_tree.h) are called. */
	const struct call_visitor *(*begin)(void *arg);
	/* It has ended. */
	void		(*end)(void *arg, const struct call_tree *tree,
			       const struct graph_reader *reader);
	void		*arg;
};

#define LATENCY_BINS	65u		/* 0; then [2^(i-1), 2^i) */

struct latency_sums {			/* sums over a kind, in ns or units of the clock */
	uint64_t	n, open, doubtful;
	uint64_t	early;		/* of `doubtful`: calls that began before the trace */
	uint64_t	shared;		/* of `n`: LATENCY_SHARED */
	uint64_t	chosen;		/* not kept: see latency_options.unchosen */
	uint64_t	unmatched;	/* starts that were neither ended nor may still be */
	uint64_t	replaced;	/* starts whose key another one took before their end */
	uint64_t	total, min, max;
	uint64_t	average, p50, p95, p99, p999;
	uint64_t	histogram[LATENCY_BINS];
	bool		unsettled;	/* of those that share a key not all are in n: total may be
					 * wrong */
	bool		missed;		/* there are more: the kernel's probes missed some */
	bool		late;		/* they lasted longer: see LATENCY_LATE */
	bool		rounded;	/* percentiles are too low, by at most 0.4 % */
};

static inline bool latency_has_any(const struct latency_sums *sums)
{
	return sums->n || sums->open || sums->doubtful;
}

/* How many of a kind have an end. */
static inline uint64_t latency_nr_ended(unsigned int kind, const struct latency_sums *sums)
{
	/* calls that are doubtful are in n, too */
	return sums->n + (kind == LATENCY_CALL ? 0 : sums->doubtful);
}

struct latency_kept {			/* instances, as far as they are kept */
	struct latency_instance *list;	/* owned, [nr] */
	uint32_t	nr, cap;
	bool		left_out;	/* there are others, which come after these */
};

struct latency_kind {
	struct latency_sums sums;
	/* Those with an end, doubtful ones too: the longest first, then by start, CPU, record. */
	struct latency_kept worst;
	struct latency_kept opens;	/* the oldest first */
};

/* The longest one that counts, else the oldest open one.  NULL: none. */
const struct latency_instance *latency_longest(const struct latency_kind *kind);
/* The longest one that counts; or the oldest open one, if that is known to have lasted longer, or
 * if none counts.  @number: of the kind.  NULL: none. */
const struct latency_instance *latency_worst(const struct latency_kind *kind, unsigned int number);

struct latency_result {			/* zero it */
	struct latency_kind *kinds;	/* owned, [nr] by the number of the kind */
	unsigned int	nr;
	int64_t		last_ts;	/* T1: the age of open ones is T1 - start */
	unsigned int	permille;	/* part of the trace */
	bool		done;
	bool		failed;		/* too many tasks: the rest was ignored */
	uint64_t	damaged;	/* sub-buffers */
	uint64_t	missing;	/* switches, at least: see sched_rules_missing() */
	const char	*left_out;	/* sched_pass_left_out() */
	char		*absent;	/* owned: sched_pass_absent(); or NULL */
	uint64_t	unmeasured;	/* timers for which HZ is not known */
	bool		lacks_wakes;	/* there are switches, but no wake-ups */
	bool		lacks_irqs;	/* there are switches, but no interrupts: net has those */
	const char	*lacks;		/* see sched_pass_lacks(); NULL: nothing */
	bool		replaced[LATENCY_MOST_RULES]; /* this rule: its instances do not count */
};

void latency_result_fini(struct latency_result *result);

struct latency_options {
	/*
	 * The file; only instances that start in the range (or end: by_end), and on these CPUs;
	 * filters: pairs whose start or end matches, calls whose entry or exit does; states as
	 * sched_filter.h says.  what.outside and .streams are ignored.
	 */
	struct event_sweep_options what;
	bool		outside;	/* only those that do not start in the range */
	bool		by_end;		/* the range is of their ends, not of their starts */
	const struct latency_kinds *kinds;	/* borrowed */
	int		only;		/* number of a kind; -1 = all */
	/* Only instances of tasks for which this is true; any thread, one at a time; NULL = all. */
	bool		(*wants)(const void *arg, uint32_t pid, const char *comm);
	const void	*wants_arg;
	uint32_t	keep;		/* instances kept of each kind; 0: none */
	/* Of those that a task chose, and of the idle task's own calls, none is kept. */
	bool		unchosen;
	/*
	 * Told of every instance, also of open and doubtful ones and those of replaced rules: skip
	 * these by result.replaced; result.kinds has open and doubtful.  A worker calls it.  Return
	 * true for what counts: it is added up, too, else `replaced` is wrong.  NULL: all count.
	 */
	bool		(*each)(void *arg, struct latency *latency, unsigned int kind,
				const struct latency_instance *i);
	void		*each_arg;
	const struct latency_instance *after;	/* keep only those after it; borrowed;
						 * or NULL */
	/* [kinds->nr_rules] Rules that are not measured; borrowed by latency_new(); or NULL */
	const bool	*without;
	/* Labels are equal to those of this one, which is freed later; or NULL. */
	const struct latency *like;
	/*
	 * The trace with the file of this one's host (src/trace/trace_guests.h), by which `steal`
	 * is known: borrowed until the end.  NULL: it may be among the files of the trace.
	 */
	struct trace	*host;
	/*
	 * Of the first buffer with records of sched, the pass is also this one (sched_pass.h): its
	 * range, CPUs, sums, interrupts, queue, listener and begun() count; its filters are those
	 * above.
	 * Borrowed until the end; NULL: nobody needs that.
	 */
	const struct sched_pass_options *also;
	/* Is told of all calls, too.  Borrowed until the end; NULL: nobody needs that. */
	const struct latency_calls *calls;
};

#define LATENCY_KEEP	32768u		/* a good number to keep: 2 MB of each kind */

/**
 * latency_new() - start measuring
 *
 * Returns at once; the trace's workers measure.  The trace is borrowed.  Main thread.
 *
 * Return: NULL with FT_E_USAGE if a user's pair does not fit the trace.
 */
struct latency *latency_new(struct trace *trace, const struct latency_options *options,
			    struct ft_error *err);
/*
 * As latency_new(), for the next window of a trace that grows: what was before the window is not
 * read again, if @former had the same options but for the range, and has measured all.  That stays
 * the caller's.  @former: NULL for the first window.
 */
struct latency *latency_next(const struct latency *former, struct trace *trace,
			     const struct latency_options *options, struct ft_error *err);
void latency_free(struct latency *latency);	/* stops the workers; NULL is allowed */

/* Replace *result by a newer one; never waits for the worker.  False: there is none. */
bool latency_take(struct latency *latency, struct latency_result *result);
void latency_wait(struct latency *latency);	/* until all is measured */
/* The pass that is also that of options.also, once all is measured.  Borrowed. */
struct sched_pass *latency_pass(const struct latency *latency);
/*
 * Measure, wait, and take the complete result.  NULL as of latency_new().  Without each and calls,
 * rules with `or` are not measured if the counts of a complete directory tell that they do not
 * count; also->begun() may be called again.
 */
struct latency *latency_run(struct trace *trace, const struct latency_options *options,
			    struct latency_result *result, struct ft_error *err);

/* Is `steal` known by the host's file, not inferred?  Once all is measured. */
bool latency_knows_host(const struct latency *latency);
/* So many tasks have shown, by raw_syscalls, that they are of 32-bit programs. */
unsigned int latency_nr_of_32(const struct latency *latency);
/* What else instances of this kind may have been: "inferred: …"; NULL: nothing. */
const char *latency_doubt(const struct latency *latency, unsigned int kind);
/* The name of a task at a time, as far as the records that were read tell; raw; any thread. */
const char *latency_comm(const struct latency *latency, uint32_t pid, int64_t ts);
/*
 * Append "mishap-166", as it was called at that time.  @now: and " (now server)", if its last name
 * is another one, and TRACE_OWN, if it is the recorder's.  Raw.
 */
void latency_task_text(const struct latency *latency, uint32_t pid, int64_t ts, bool now,
		       struct text *out);
/* The life of the task that had the pid at a time; any thread. */
struct tgid_life latency_life(const struct latency *latency, uint32_t pid, int64_t ts);

/*
 * Append the interrupt in which a task was woken, if any: "softirq RCU"; raw.  Main thread.
 */
void latency_context(struct latency *latency, const struct latency_instance *i, struct text *out);
/* What the start of a wait for a lock says.  False: it is none.  Any thread. */
bool latency_lock(const struct latency *latency, const struct latency_instance *i,
		  struct lock_wait *wait);
/* Append the letters of the state that it slept in. */
void latency_state(struct latency *latency, const struct latency_instance *i, struct text *out);
/*
 * Append what an instance is, raw; @more: also what it is not grouped by, such as the value that a
 * system call returned.  Main thread.
 */
void latency_what(struct latency *latency, unsigned int kind, const struct latency_instance *i,
		  bool more, struct text *out);
#endif
