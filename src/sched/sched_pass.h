/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_PASS_H
#define FTOP_SRC_SCHED_PASS_H
/*
 * sched_pass - one pass over a buffer's records of tasks: feed, rules and names put
 * together, a piece at a time, so that it can be stopped and looked at in between.
 *
 * One thread at a time; it may be a worker, but for the end.
 */
#include <stdatomic.h>
#include "src/sched/sched_feed.h"
#include "src/sched/sched_rules.h"

struct sched_pass;			/* opaque */

struct sched_pass_options {
	unsigned int	 file;
	bool		 has_window;	/* sums of [from, to] */
	int64_t		 from, to;
	const bool	*only;		/* [nr_only] by number: sums of what happens on these CPUs (sched_rules.h); borrowed; NULL: all */
	unsigned int	 nr_only;
	const struct filter *const *filters;	/* [nr_filters] sums of what they all keep (sched_filter.h); ready; borrowed */
	unsigned int	 nr_filters;
	bool		 keep_wakes;
	bool		 pictures;	/* with interrupts and forks, for the listener */
	bool		 calls;		/* with system calls, for the listener */
	const struct sched_listener *listener;	/* borrowed, or NULL; not told anything before begun() */
	void		 (*begun)(void *arg, const struct sched_pass *pass);	/* of the listener: a buffer is begun, once more perhaps */
	struct workers	*workers;	/* helpers; NULL: none */
	const atomic_bool *stopped;	/* borrowed */
};

/*
 * The buffer is the top one, or, if that holds no record of system sched, the first that does.  With pictures, if there is no
 * switch in it, who was seen on a CPU stands for who ran.
 */
struct sched_pass *sched_pass_new(struct trace *trace, const struct sched_pass_options *options);
void sched_pass_free(struct sched_pass *pass);	/* NULL is allowed; not by a worker */

enum sched_pass_state { SCHED_PASS_MORE, SCHED_PASS_DONE, SCHED_PASS_STOPPED, SCHED_PASS_FULL };

/* Take about so many records of tasks more. */
enum sched_pass_state sched_pass_step(struct sched_pass *pass, uint64_t records);

/* Once it is done: let go of what reading took.  False: helpers are still there, ask again. */
bool sched_pass_rest(struct sched_pass *pass);

/* Records with a key below this were all taken. */
int64_t sched_pass_key(const struct sched_pass *pass);
/* sched_rules_add() and sched_rules_cpu() of its rules: also while it tells the listener. */
uint32_t sched_pass_task(struct sched_pass *pass, uint32_t pid);
int32_t sched_pass_cpu_index(const struct sched_pass *pass, uint32_t number);
const struct sched_rules *sched_pass_rules(const struct sched_pass *pass);
const struct sched_types *sched_pass_types(const struct sched_pass *pass);
struct sched_feed_totals sched_pass_totals(const struct sched_pass *pass);
unsigned int sched_pass_buffer(const struct sched_pass *pass);
bool sched_pass_is_seen(const struct sched_pass *pass);	/* there are no switches: who was seen */
unsigned int sched_pass_nr_cpus(const struct sched_pass *pass);
int sched_pass_cpu(const struct sched_pass *pass, unsigned int i);	/* number of a CPU by its index */
unsigned int sched_pass_stream(const struct sched_pass *pass, unsigned int i);

/*
 * Name of a task by its last record (SCHED_IDLE_TASK: "<idle>"), the saved one, "<...>".  It lives as long as the pass; bytes of
 * the trace.
 */
const char *sched_pass_comm(const struct sched_pass *pass, uint32_t task);
/* By a name's number where it is not 0; else the first name seen, and so on. */
const char *sched_pass_comm_at(const struct sched_pass *pass, uint32_t task, uint32_t comm);
#endif
