/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_WHY_CPU_PARTS_H
#define FTOP_SRC_WHY_CPU_PARTS_H
/*
 * cpu_parts - what a CPU did in an interval: parts without gaps between them, in the order of time.
 * Of nested interrupts the innermost counts.  Of a wait: the reasons of wait_parts.h, and where the
 * task stood in a queue, what the CPU of that queue did.
 *
 * 	cpu_parts_begin(&parts, sched, cpu, from, to);	(or cpu_parts_begin_wait())
 * 	while (cpu_parts_next(&parts, &part))
 *
 * Call with the model locked, or complete; parts are valid until it is unlocked, or always.
 *
 * Culprits are sums of parts by what they are; command and screen have the same columns of them.
 */
#include "src/base/index_map.h"
#include "src/base/table_out.h"
#include "src/sched/wait_parts.h"
#include "src/why/why.h"

enum cpu_part_kind {
	CPU_PART_UNKNOWN = SCHED_CPU_UNKNOWN,	/* records are missing */
	CPU_PART_TASK = SCHED_CPU_RUNS,		/* arg: the task */
	CPU_PART_IDLE = SCHED_CPU_IDLE,
	CPU_PART_LOST = SCHED_CPU_LOST,	/* not recorded; arg: sched_absence_name() */
	CPU_PART_INTERRUPT,		/* arg: its source, the first one called so */
	CPU_PART_ASTRAY,		/* WAIT_ASTRAY */
	CPU_PART_THROTTLED,		/* WAIT_THROTTLED; arg: the limit */
	CPU_PART_UNEXPLAINED,		/* of a wait: it idled: wait_parts_is_idle_exit() */
};

struct cpu_part {
	int64_t		from, to;
	enum cpu_part_kind kind;
	uint32_t	arg;
	uint32_t	cpu;		/* its index; of ASTRAY and THROTTLED: none */
	bool		doubtful;	/* a guess which CPU it was, or that it was throttled */
};

struct cpu_parts {			/* private */
	const struct sched *sched;	/* borrowed */
	struct wait_parts wait;		/* of a wait: its next parts; the present one: */
	struct wait_part of;
	enum { IDLE_NOT_ASKED, IDLE_EXIT, IDLE_UNEXPLAINED } idles;	/* in that one */
	struct pyramid_iter runs, contexts;
	struct pyramid_state run, context;
	int64_t		at, to;
	struct cpu_part	next;		/* is read, and not yet returned */
};

/* @cpu: its index */
void cpu_parts_begin(struct cpu_parts *parts, const struct sched *sched, unsigned int cpu,
		     int64_t from, int64_t to);
/* A wait, as in wait_parts_begin(). */
void cpu_parts_begin_wait(struct cpu_parts *parts, const struct sched *sched, uint32_t task,
			  uint32_t cpu, int64_t from, int64_t to, int64_t end);
bool cpu_parts_next(struct cpu_parts *parts, struct cpu_part *part);

/* Append what it is: a task's name, "irq eth0", "softirq TIMER", "idle", … */
void cpu_part_text(const struct sched *sched, const struct cpu_part *part, struct text *out);

struct culprits {			/* zero it */
	struct why_node	*list;		/* owned, [nr] */
	uint32_t	nr, cap;
	struct index_map map;
	int64_t		total;		/* all that the CPUs did */
	struct culprit_hold {		/* the last one: a CPU's task, with interrupts in between */
		uint32_t	node;	/* index in list */
		int64_t		from, to, length;	/* of its parts without the interrupts */
	}		hold;
};

void culprits_fini(struct culprits *culprits);
/* The sum of such parts, made if need be: by parent, kind and arg.  Valid until the next call. */
struct why_node *culprits_node(struct culprits *culprits, uint32_t parent, unsigned int kind,
			       uint32_t task, uint32_t arg);
/* A part that began at @since goes on from @from to @to. */
void culprits_lengthen(struct why_node *node, int64_t since, int64_t from, int64_t to);
void culprits_count(struct why_node *node, int64_t from, int64_t to);
/*
 * As that, for parts in the order of time.  Parts of one @task between which there are only
 * interrupts count once; the longest is the sum of such.
 */
void culprits_hold(struct culprits *culprits, struct why_node *node, int64_t from, int64_t to,
		   bool task, bool interrupt);

void culprits_add(struct culprits *culprits, const struct cpu_part *part);
/* The largest total first; then no more can be added. */
void culprits_sort(struct culprits *culprits);

/* The longest of the parts of a CPU. */
static inline struct cpu_part culprits_longest(const struct why_node *node)
{
	return (struct cpu_part){ .from = node->max_from, .kind = (enum cpu_part_kind)node->kind,
				  .arg = node->arg };
}

struct culprit_row {
	const struct why_node *culprit;
	struct sched	*sched;		/* locked, or complete */
	int64_t		all;		/* 100 % */
};

struct culprit_row culprits_row(const struct culprits *culprits, uint32_t i, struct sched *sched);

enum { CULPRIT_TOTAL = 1 };		/* table_column.own */
extern const struct table_columns culprit_columns;	/* rows: struct culprit_row */
#endif
