/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_INSTANCE_H
#define FTOP_RECORDER_RUN_INSTANCE_H
/*
 * instance - a ring buffer of our own, or the top one if the kernel requires it, set up as planned.
 * Writes to the top one, and to files that all instances share, go through the journal.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/journal/journal.h"
#include "recorder/plan/record_plan.h"
#include "src/base/error.h"

struct instance {
	const struct tracefs_dir *root;	/* borrowed */
	struct journal	*journal;	/* borrowed; NULL: do not touch anything shared */
	char		*name;		/* folder below instances/; "" = top; NULL = not used */
	char		*top_size;	/* buffer_size_kb of the top one before this one was made;
					 * NULL: this is the top one */
	struct tracefs_dir dir;
	bool		 top;
	int		 tracing_on;	/* kept open, to stop at once at any time */
	int		 free_fd;	/* kept open: the kernel stops and shrinks the instance
					 * if we are killed */
};

#define INSTANCE_UNUSED { .dir = { .fd = -1 }, .tracing_on = -1, .free_fd = -1 }

struct instance_stats {			/* one CPU's counters, from per_cpu/cpuN/stats */
	uint64_t	entries;	/* events in the buffer now */
	uint64_t	lost;		/* overrun, commit overrun and dropped */
	uint64_t	bytes;		/* bytes in the buffer now */
	uint64_t	read;		/* events read */
};

/* Make instances/NAME, with tracing off.  Call instance_end() even after a failure. */
int instance_make(struct instance *inst, const struct tracefs_dir *root, const char *name,
		  struct ft_error *err);

/* Use the top instance; fails if someone records there, unless @force. */
int instance_take_top(struct instance *inst, const struct tracefs_dir *root,
		      struct journal *journal, bool force, struct ft_error *err);

/* Does the instance offer a tracer? */
bool instance_has_tracer(const struct instance *inst, const char *tracer);
/* The clock that a buffer gets. */
const char *instance_clock(const struct plan_buffer *b);

/**
 * instance_apply() - set up the instance as planned; tracing stays off
 * @pids: tasks to record, "" = all
 * @notes: receives lines about values that were rounded or left out, and the kernel's error text if
 *        it refuses a filter
 */
int instance_apply(struct instance *inst, const struct record_plan *plan,
		   const struct plan_buffer *buffer, const char *pids, struct text *notes,
		   struct ft_error *err);

/*
 * Set what all function_graph buffers share: the functions to follow, and how deep.  Call it before
 * instance_apply().
 */
int instance_apply_graph(struct journal *journal, const struct tracefs_dir *root,
			 const struct record_plan *plan, struct ft_error *err);
/* Enable the plan's monitors of runtime verification; their reactors stay as they are. */
int instance_apply_monitors(struct journal *journal, const struct tracefs_dir *root,
			    const struct record_plan *plan, struct ft_error *err);

/*
 * Set triggers; call it after tracing is on: triggers fire even while it is off, and one with a
 * count would be used up.
 */
int instance_apply_triggers(struct instance *inst, const struct record_plan *plan,
			    const struct plan_buffer *buffer, struct text *notes,
			    struct ft_error *err);

/*
 * Add an event that exists since the set-up: the buffer's filter and triggers for it, then enable
 * it.
 */
int instance_add_event(struct instance *inst, const struct plan_buffer *buffer,
		       const struct plan_catalog_event *event, struct text *notes,
		       struct ft_error *err);

/* Define the probes and synthetic events of the plan. */
int instance_define_probes(struct journal *journal, const struct tracefs_dir *root,
			   const struct record_plan *plan, struct text *notes,
			   struct ft_error *err);

/* Define the probes of limits, if the plan enables them; else they are left out of it. */
void instance_define_limits(struct journal *journal, const struct tracefs_dir *root,
			    const struct record_plan *plan);

/*
 * Our own tasks call more functions to read a page of the buffer than the page has records.  So
 * their functions are hidden where all functions are traced.  The kernel then hides the functions
 * of interrupts that hit these tasks, too, so we hide nothing else.
 */
bool instance_hides_functions(const struct record_plan *plan, const struct plan_buffer *b);
void instance_hide_functions(struct instance *inst, const int *tids, unsigned int nr);

/* Write to a file of the instance; files of the top one are restored at the end. */
int instance_set(struct instance *inst, const char *file, const char *value, struct ft_error *err);

int instance_start(struct instance *inst, struct ft_error *err);
void instance_stop(struct instance *inst);	/* safe at any time */
bool instance_is_on(const struct instance *inst);

void instance_read_stats(const struct instance *inst, int cpu, struct instance_stats *stats);
/* per CPU; the kernel may round */
int instance_resize(struct instance *inst, uint64_t kb, struct ft_error *err);
uint64_t instance_size_kb(const struct instance *inst);		/* per CPU */

/* Remove the instance if it is ours, and close its files.  The journal restores the top one. */
int instance_end(struct instance *inst, struct ft_error *err);

/* The last entry of error_log, with its caret, as lines; "" if there is none. */
void instance_error_log(const struct tracefs_dir *dir, struct text *out);
#endif
