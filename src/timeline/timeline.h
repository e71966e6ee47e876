/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_TIMELINE_H
#define FTOP_SRC_TIMELINE_TIMELINE_H
/*
 * timeline - turns the model of src/sched into rows of cells, for the Timeline view and `ftop-trace
 * timeline`. It knows glyphs and roles, but no colours.
 *
 *   row of a CPU    █name██   who runs: filled cells, │ between two tasks; ▁ to ▇ the share of a
 *                   column that is busy, in the colour of the task that has most of it; · idle,
 *                   ░ not known; ▀ interrupts, where they take most of a column
 *   row of a task   ▁ to █ the share that it runs, ═ waits ▒ preempted ┈ sleeps D blocked ↑ woken
 *                   ⇄ migrated » renamed ░ not known
 *   row of a CPU's interrupts: how many begin in each column, as bars where that is more than nine;
 *                   ░ lost
 *   row of parts    of a task's time: what took most of each column; wait: for a CPU
 *   row of slices   that a task wrote to trace_marker: █name██, as in rows of CPUs
 *   row of a vCPU   the CPU of a guest that a task of the host ran: as a row of a CPU
 *   any row         ● it woke the task under the cursor, or that one's waker: ui/timeline
 *   row of CPUs     that share a node, a cache …: the share of their time that is busy, as a
 *                   height; ◆ where that is below half, but a CPU stands out: busy without a pause
 *                   for a quarter of the window, as at most one other is
 *   row of a group  of tasks: how many run and wait, see timeline_groups.h
 *   plot            ticks of an event, values of a field: timeline_plot.h
 *
 * Not known is what was where records of a CPU are missing, and what a task did then or before its
 * first record: states that are doubtful, or not known since records contradict each other
 * (sched.h).
 *
 * A tall row has two lines. What the upper one shows continues the bars of the lower one, so that a
 * height has twice the levels.
 *
 * A column is a whole number of ns (or of the clock's unit). Its contents are exact at any width,
 * see pyramid.h.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched.h"
#include "src/base/text.h"

enum timeline_role {
	TIMELINE_TEXT,
	TIMELINE_RUN,
	TIMELINE_WAIT,
	TIMELINE_PREEMPT,
	TIMELINE_SLEEP,
	TIMELINE_BLOCKED,
	TIMELINE_IDLE,
	TIMELINE_IRQ,
	TIMELINE_SOFTIRQ,
	TIMELINE_LOST,
	TIMELINE_WAKE,
	TIMELINE_MIGRATE,
	TIMELINE_TASK,			/* coloured by the task of the cell */
	TIMELINE_VALUE,			/* ticks and plots */
	TIMELINE_HELD,			/* a value from before the window */
};

struct timeline_cell {
	char		glyph[5];	/* one character, UTF-8 */
	uint8_t		role;		/* enum timeline_role */
	uint8_t		held;		/* of a run: WAIT or BLOCKED for a part of the column; else
					 * TEXT */
	bool		filled;		/* the colour is its background's; "█" fills it whole */
	const char	*above;		/* static: in the upper line; NULL: nothing */
	uint32_t	task;		/* TASK: whose colour; else SCHED_NO_TASK */
};

struct cpu_groups;			/* src/trace/cpu_groups.h */
struct markers;				/* src/timeline/markers.h */
struct matches;				/* src/match/matches.h */
struct series;				/* src/timeline/series.h */

enum timeline_row_kind {
	TIMELINE_CPU,
	TIMELINE_IRQS,
	TIMELINE_SOFTIRQS,
	TIMELINE_OF_TASK,
	TIMELINE_PLOT,
	TIMELINE_IDLE_CPUS,
	TIMELINE_PARTS,
	TIMELINE_SLICES,
	TIMELINE_GROUP,
	TIMELINE_CPUS,
	TIMELINE_VCPU
};

/* Kinds of the states of a row of parts. */
enum timeline_part {
	TIMELINE_PART_NONE,
	TIMELINE_PART_RUNS,
	TIMELINE_PART_WAITS,		/* for a CPU */
	TIMELINE_PART_INTERRUPT,
	TIMELINE_PART_SLEEPS,
	TIMELINE_PART_IDLE,
	TIMELINE_PART_LOST
};

struct timeline_row {
	enum timeline_row_kind kind;
	uint32_t	index;		/* which CPU, task or plot; IDLE_CPUS: number of CPUs;
					 * PARTS, SLICES, VCPU: the task; GROUP: timeline_groups.h;
					 * CPUS: in cpu_groups */
};

#define TIMELINE_ALL_CPUS	UINT32_MAX	/* as index of IRQS, SOFTIRQS */
#define TIMELINE_ALL_EVENTS	UINT32_MAX	/* as index of PLOT: events of all types */
#define TIMELINE_LAST_NAME	INT64_MAX	/* as a time: the name that the task had last */

struct timeline {
	struct sched	*sched;		/* borrowed */
	struct sched	*host;		/* borrowed: of a row of its guest, whose model is sched */
	bool		 ascii;
	bool		 tall;		/* rows have two lines */
	struct series	*const *plots;	/* borrowed, [nr_plots]: of the rows PLOT */
	unsigned int	 nr_plots;
	struct matches	*matches;	/* borrowed; if set, the row of all events has only these */
	const struct timeline_groups *groups;	/* borrowed: of the rows GROUP */
	const struct cpu_groups *cpu_groups;	/* borrowed: of the rows CPUS */
	const struct markers *markers;	/* borrowed: of the rows SLICES */
	const struct timeline_guests *guests;	/* borrowed: of the rows VCPU; or NULL */
	const struct pyramid *parts;	/* borrowed: of the row PARTS, enum timeline_part */
	int64_t		 from, step;	/* first column, width of each; in the model's time */
	unsigned int	 columns;
	int64_t		*edges;		/* owned, [columns + 1] */
	struct pyramid_sum *sums;	/* owned, [columns]: sums of the row drawn last */
	unsigned int	 cap;
	uint32_t	 drawn;		/* bit: a kind of glyph, since timeline_set() */
};

/* @step: at least 1.  The model must be locked for all calls but timeline_fini(). */
void timeline_set(struct timeline *timeline, struct sched *sched, int64_t from, int64_t step,
		  unsigned int columns);
void timeline_fini(struct timeline *timeline);

static inline int64_t timeline_to(const struct timeline *timeline)
{
	return timeline->edges[timeline->columns];
}

/* One cell: a character of UTF-8, a role, a task or SCHED_NO_TASK. */
void timeline_put(struct timeline_cell *cell, const char *glyph, enum timeline_role role,
		  uint32_t task);

/* The sign of what woke a task, for a cell of its row. */
void timeline_put_waker(struct timeline *timeline, struct timeline_cell *cell);
/* The sign of who holds the lock that a task waits for. */
void timeline_put_holder(struct timeline *timeline, struct timeline_cell *cell);
/* A bar in a cell; @part: 0 (lowest) to 1 (highest). */
void timeline_put_bar(const struct timeline *timeline, struct timeline_cell *cell, double part,
		      enum timeline_role role);
/* A number: a digit, or a bar if the largest one in the row has two. */
void timeline_put_count(const struct timeline *timeline, struct timeline_cell *cell, uint64_t nr,
			uint64_t most, enum timeline_role role);

/* Cells of a row: [columns]. */
void timeline_draw(struct timeline *timeline, const struct timeline_row *row,
		   struct timeline_cell *cells);

/* The states of a row of slices; NULL: the task has none, or they are not known yet. */
const struct pyramid *timeline_slices(const struct timeline *timeline, uint32_t task);

/* Is the CPU idle in the whole window, without lost events? */
bool timeline_is_idle_cpu(struct timeline *timeline, unsigned int cpu);

/*
 * Tasks that ran, waited or had slices in the window (@all: all tasks known there), by falling run
 * time; @by_cpu: grouped by CPU.  The caller frees the array.  Cost grows with the tasks of the
 * trace.
 */
uint32_t timeline_tasks(struct timeline *timeline, bool all, bool by_cpu, uint32_t **tasks);

/* The ruler: [columns] cells with round times, as dense as labels allow. @minor: ticks between. */
void timeline_ruler(const struct timeline *timeline, bool minor, struct text *out);

/* The width of a column: "500 µs", "1.25 ms". */
void timeline_scale(const struct timeline *timeline, struct text *out);
/* A duration: "500.0 µs", or "1 234 ticks" for a clock without a unit; no leading blanks. */
void timeline_span(const struct timeline *timeline, int64_t ns, struct text *out);
/* A moment: seconds with 9 decimals or what @decimals says, or a plain count. */
void timeline_time(const struct timeline *timeline, int64_t ts, int decimals, struct text *out);

/*
 * Append what the glyphs drawn since timeline_set() mean: as briefly as the cells require, and
 * without those that say most by themselves.
 */
void timeline_legend(const struct timeline *timeline, int cells, struct text *out);
#endif
