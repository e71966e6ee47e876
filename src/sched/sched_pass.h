/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_PASS_H
#define FTOP_SRC_SCHED_SCHED_PASS_H
/*
 * sched_pass - one pass over a buffer's scheduling records: connects feed, rules and names.  It
 * works in pieces, so that it can be stopped and inspected in between.
 *
 * One thread at a time, which may be a worker, except for freeing it.
 */
#include <stdatomic.h>
#include "src/sched/sched_feed.h"
#include "src/sched/sched_rules.h"

struct sched_pass;			/* opaque */
struct sched_limits;

bool sched_lacks_wakes(struct trace *trace, unsigned int file);	/* as far as counted */

struct sched_pass_options {
	unsigned int	 file;
	struct time_range range;	/* only sums inside it */
	const bool	*only;		/* [nr_only] by number: only sums for these CPUs
					 * (sched_rules.h); borrowed; NULL = all */
	unsigned int	 nr_only;
	const struct filter *const *filters;	/* [nr_filters] only sums of what all of them
						 * keep (sched_filter.h); ready; borrowed */
	unsigned int	 nr_filters;
	bool		 no_sums;	/* none are needed */
	bool		 goes_on;	/* of a recording that goes on: states last until its
					 * settled time, and no run is cut off there */
	const struct sched_split *splits;	/* [nr_splits], ascending; borrowed */
	uint32_t	 nr_splits;
	bool		 pictures;	/* pass interrupts and forks to the listener, too */
	bool		 interrupts;	/* pass interrupts to the listener, too */
	bool		 calls;		/* pass system calls to the listener, too */
	const struct sched_pairs *pairs;	/* and the ends of pairs; borrowed; NULL = none */
	bool		 limits;	/* tell when tasks are throttled, as far as that is known; a
					 * pass that parks does so up to where it is decided */
	bool		 nameless;	/* the listener needs no names of tasks */
	struct name_table *names;	/* shared with other passes; borrowed; NULL: its own */
	bool		 parks;		/* up to where sched_pass_go_on() says: see sched_feed.h;
					 * without filters and pairs that join */
	bool		 one_buffer;	/* read only this one: */
	unsigned int	 buffer;
	struct run_queue *queue;	/* follows the pass; borrowed, or NULL */
	const struct sched_listener *listener;	/* borrowed, or NULL; called only after begun() */
	/* for the listener: called when a buffer begins, possibly again */
	void		 (*begun)(void *arg, const struct sched_pass *pass);
	struct workers	*workers;	/* helpers; NULL = none */
	const atomic_bool *stopped;	/* borrowed; NULL: it is not stopped */
};

/*
 * Reads the top buffer, or, if that has no record of system sched, the first buffer that has; or
 * one_buffer.  With
 * pictures and no switches, the tasks seen on a CPU take the place of those that ran.
 */
struct sched_pass *sched_pass_new(struct trace *trace, const struct sched_pass_options *options);
void sched_pass_free(struct sched_pass *pass);	/* NULL is allowed; with workers: not for them */

enum sched_pass_state {
	SCHED_PASS_MORE,
	SCHED_PASS_DONE,
	SCHED_PASS_STOPPED,
	SCHED_PASS_FULL,
	SCHED_PASS_PARKED,		/* until it may go on */
};

/* Process about this many more records. */
enum sched_pass_state sched_pass_step(struct sched_pass *pass, uint64_t records);
/* Process all of them.  -1 with FT_E_LIMIT: too many tasks. */
int sched_pass_run(struct sched_pass *pass, struct ft_error *err);

/*
 * Switches that are missing in all of the trace; with too many tasks fewer than there are.
 * @absent: what sched_pass_absent() adds.
 */
uint64_t sched_count_missing(struct trace *trace, struct text *absent);

/* Of a pass that parks: process records before @until, with what was appended. */
void sched_pass_go_on(struct sched_pass *pass, int64_t until);
int64_t sched_pass_until(const struct sched_pass *pass);	/* as far as it may now */
/* Once a ring has dropped records: see sched_feed_outlive() */
bool sched_pass_outlive(struct sched_pass *pass);
/* Can it be read from @until on?  False: it is behind that, or was wrong; a new one is not. */
bool sched_pass_serves(const struct sched_pass *pass, int64_t until);
/*
 * As sched_pass_serves(), also after a ring has dropped what the pass began with: it knows more
 * than a new one.  When nothing is left of what was there then, a new one serves better: it has no
 * tasks that ended long ago.
 */
bool sched_pass_follows(const struct sched_pass *pass, int64_t until);
/*
 * Of one that follows: process about this many records of what is before @until.  MORE: there are
 * more; PARKED: a fork goes on at @until; else that must be read without this one.
 */
enum sched_pass_state sched_pass_reach(struct sched_pass *pass, int64_t until, uint64_t records);
/*
 * Begin the next slice of a parked pass.  The sums so far become those of the last of @slices
 * (borrowed).  The next sums are of @range.
 */
void sched_pass_turn(struct sched_pass *pass, const struct time_slices *slices,
		     const struct time_range *range);
void sched_pass_forget(struct sched_pass *pass, uint32_t nr);	/* the first slices */
/*
 * A pass from where another one, without workers, is parked, to the end; that one lives longer.  It
 * begins with the sums of all slices there.  The listener must have the states from before: begun()
 * is called only if a pass begins again.
 */
struct sched_pass *sched_pass_fork(const struct sched_pass *parked,
				   const struct sched_pass_options *options);

struct trace *sched_pass_trace(const struct sched_pass *pass);
/* Records with a key below this were all processed. */
int64_t sched_pass_key(const struct sched_pass *pass);
/* sched_rules_add() and sched_rules_cpu() of its rules; the listener may call them, too. */
uint32_t sched_pass_task(struct sched_pass *pass, uint32_t pid);
int32_t sched_pass_cpu_index(const struct sched_pass *pass, uint32_t number);
struct sched_task *sched_pass_give_tasks(struct sched_pass *pass);	/* see sched_rules.h */
const struct sched_rules *sched_pass_rules(const struct sched_pass *pass);
const struct sched_types *sched_pass_types(const struct sched_pass *pass);
const char *sched_pass_lacks(const struct sched_pass *pass);	/* one of these; NULL: nothing */
struct sched_feed_totals sched_pass_totals(const struct sched_pass *pass);
/* When tasks are throttled, options.limits; NULL: it is not known. */
const struct sched_limits *sched_pass_limits(const struct sched_pass *pass);
/* When some may have been, once it is done; for limits_untold.h. */
const struct limits_untold *sched_pass_untold(const struct sched_pass *pass);
/* What lost or missing events do to the sums, in words, or NULL: none are in their range so far. */
const char *sched_pass_lost(const struct sched_pass *pass);
/*
 * Append the names of the other buffers, if these have switches or wake-ups.  False: they have
 * none.
 * Waits until the trace is indexed.
 */
bool sched_pass_other_buffers(const struct sched_pass *pass, struct text *out);
bool sched_pass_has_only(const struct sched_pass *pass);	/* see trace_has_only() */
bool sched_pass_lacks_cpus(const struct sched_pass *pass);	/* see trace_lacks_cpus() */
const char *sched_pass_left_out(const struct sched_pass *pass);	/* in words; NULL: nothing */
/* Are figures bounds, though no loss is marked: switches are missing, or tasks or CPUs are? */
bool sched_pass_is_partial(const struct sched_pass *pass);
/*
 * Add what is no loss, but times in which nothing could be recorded: "~tracing off for 5.011 s, CPU
 * 1 offline for 0.203 s".  False: there are none in the range so far.
 */
#define SCHED_ABSENT_WORDS	"nothing was recorded then, and that time counts nowhere"
bool sched_pass_absent(const struct sched_pass *pass, struct text *out);
unsigned int sched_pass_buffer(const struct sched_pass *pass);
bool sched_pass_is_seen(const struct sched_pass *pass);	/* no switches: shows tasks seen */
unsigned int sched_pass_nr_cpus(const struct sched_pass *pass);
int sched_pass_cpu(const struct sched_pass *pass, unsigned int i);	/* its number */
unsigned int sched_pass_stream(const struct sched_pass *pass, unsigned int i);

/*
 * Name of a task in its last record (SCHED_IDLE_TASK: "<idle>"), else the saved one, else "<...>".
 * Raw bytes of the trace; lives as long as the pass.
 */
const char *sched_pass_comm(const struct sched_pass *pass, uint32_t task);
/* The name with a number of sched_rec. */
const char *sched_pass_name(const struct sched_pass *pass, uint32_t name);
/* The name with a number if that is not 0; else the task's first name, and so on. */
const char *sched_pass_comm_at(const struct sched_pass *pass, uint32_t task, uint32_t comm);
/* The same of a task, or of a copy of it. */
const char *sched_pass_comm_of(const struct sched_pass *pass, const struct sched_task *task,
			       uint32_t comm);
#endif
