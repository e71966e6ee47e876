/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_SOURCE_H
#define FTOP_SRC_SCHED_SCHED_SOURCE_H
/*
 * sched_source - what interrupts a CPU, told apart: hard interrupts, softirqs, vectors and timers,
 * as small numbers; and which of them are open, nested.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/index_map.h"
#include "src/base/text.h"
#include "src/sched/sched_scan.h"

struct sched_pass;

struct sched_source {
	enum sched_context context;	/* TASK: an interrupt of any kind */
	int		type;		/* id of the event that began it; -1: it has no record */
	uint32_t	number;		/* number of the interrupt, the softirq, the vector */
	uint32_t	name;		/* the interrupt's name; see name_table; 0 = none */
	uint64_t	function;	/* address of the timer's function */
	uint32_t	same;		/* the first source that is called the same */
};

/*
 * The first sources have no records of their own: an interrupt of any kind, and of each context
 * but TIMER, by its number.
 */
#define SCHED_SOURCE_ANY	0u

struct sched_sources {			/* zeroed: empty */
	struct sched_source *list;	/* owned, [nr] */
	uint32_t	nr, cap;
	struct index_map map, names;	/* by all that is known; of the first with a name */
};

/* The number of what an ENTER begins; at most 2^29. */
uint32_t sched_sources_add(struct sched_sources *sources, const struct sched_rec *rec);
/* An interrupt of any kind, if there is no such number. */
const struct sched_source *sched_sources_at(const struct sched_sources *sources, uint32_t number);
void sched_sources_fini(struct sched_sources *sources);
void sched_sources_copy(struct sched_sources *to, const struct sched_sources *from);

/* Append "irq eth0", "softirq TIMER", "ipi reschedule", "timer hrtimer_wakeup", "interrupt". */
void sched_source_text(struct trace *trace, const struct sched_pass *pass, unsigned int file,
		       const struct sched_source *source, struct text *out);

#define SCHED_NEST_MAX	8u		/* nesting depth */
#define SCHED_NOT_RAISED	UINT32_MAX

struct sched_nest {			/* interrupts open on a CPU; zero: none */
	struct sched_rec open[SCHED_NEST_MAX];	/* their ENTERs; the innermost is last */
	unsigned int	nr;
	unsigned int	before;		/* sched_nest_interrupts() before the last record */
	bool		is_astray;	/* nothing was open that the last record ended */
	/*
	 * Of SCHED_NET_TX and SCHED_NET_RX: who has raised it since it began last; 0: nobody,
	 * SCHED_NOT_RAISED: an interrupt, several tasks, or that is not known.
	 */
	uint32_t	raised[2];
	struct sched_rec paused[SCHED_NEST_MAX];	/* ENTERs of softirqs whose task was
							 * switched out (PREEMPT_RT) */
	unsigned int	nr_paused;
};

void sched_nest_take(struct sched_nest *nest, const struct sched_rec *rec);	/* ENTER, LEAVE */
/* A LEAVE of SCHED_CONTEXT_TASK: ends whose records are missing.  False: none is. */
bool sched_nest_end(struct sched_nest *nest, const struct sched_rec *rec);
/* When an ENTER or a LEAVE took place: the latter was shown by a later record, maybe. */
static inline int64_t sched_nest_ts(const struct sched_rec *rec)
{
	return rec->op == SCHED_LEAVE && rec->detail == SCHED_CONTEXT_TASK ? rec->end : rec->ts;
}
/*
 * A switch: what is open ends, but for the softirqs of this task, which wait for it to come back;
 * then they are open again.  Return: how many are.
 */
void sched_nest_leave(struct sched_nest *nest, uint32_t pid);
unsigned int sched_nest_return(struct sched_nest *nest, uint32_t pid);
/*
 * A softirq is to run for a task: in its own call, as NET_RX is for what it sends on loopback, or
 * later.  Records of interrupts would be between the two.
 */
void sched_nest_raise(struct sched_nest *nest, const struct sched_rec *rec);

/* How many are open up to the innermost one that is not a timer's function. */
static inline unsigned int sched_nest_interrupts(const struct sched_nest *nest)
{
	unsigned int nr = nest->nr;

	while (nr && nest->open[nr - 1].detail == SCHED_CONTEXT_TIMER)
		nr--;
	return nr;
}

/* What that one is; TASK: none. */
static inline enum sched_context sched_nest_context(const struct sched_nest *nest)
{
	unsigned int nr = sched_nest_interrupts(nest);

	return nr ? (enum sched_context)nest->open[nr - 1].detail : SCHED_CONTEXT_TASK;
}
#endif
