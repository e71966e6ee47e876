/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_INSTANCE_H
#define FTOP_RECORDER_INSTANCE_H
/*
 * instance - a ring buffer of our own, or the top one where the kernel wants it so,
 * set up as planned.  What is written to the top one and to files that all
 * instances share goes through the journal.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/journal/journal.h"
#include "recorder/plan/record_plan.h"
#include "src/base/error.h"

struct instance {
	const struct tracefs_dir *root;	/* borrowed */
	struct journal	*journal;	/* borrowed; NULL: nothing shared is touched */
	char		*name;		/* folder below instances/; "" = top; NULL: not used */
	struct tracefs_dir dir;
	bool		 top;
	int		 tracing_on;	/* opened: to stop at once, whatever happens */
	int		 free_fd;	/* held open: the kernel stops and shrinks the instance when we are killed */
};

#define INSTANCE_UNUSED { .dir = { .fd = -1 }, .tracing_on = -1, .free_fd = -1 }

struct instance_stats {			/* of one CPU: per_cpu/cpuN/stats */
	uint64_t	entries;	/* in the buffer now */
	uint64_t	lost;		/* overrun, commit overrun and dropped */
	uint64_t	bytes;		/* in the buffer now */
	uint64_t	read;		/* events */
};

/* Make instances/NAME, with tracing off.  On failure too it is to be ended. */
int instance_make(struct instance *inst, const struct tracefs_dir *root, const char *name, struct ft_error *err);

/* Use the top instance; fails when somebody records there, unless @force. */
int instance_take_top(struct instance *inst, const struct tracefs_dir *root, struct journal *journal, bool force, struct ft_error *err);

/* Whether it lists a tracer. */
bool instance_has_tracer(const struct instance *inst, const char *tracer);

/**
 * instance_apply() - set it up as planned, with tracing still off
 * @pids: to be filtered for, "" = all tasks
 * @notes: receives lines about what was rounded or left out; the kernel's own error text when it refuses a filter
 */
int instance_apply(struct instance *inst, const struct record_plan *plan, const struct plan_buffer *buffer, const char *pids,
		   struct text *notes, struct ft_error *err);

/* What all buffers of function_graph share: which functions it follows, and how deep.  Before instance_apply(). */
int instance_apply_graph(struct journal *journal, const struct tracefs_dir *root, const struct record_plan *plan, struct ft_error *err);

/* Once tracing is on: a trigger fires whether or not it is, and one that counts would have done so before. */
int instance_apply_triggers(struct instance *inst, const struct record_plan *plan, const struct plan_buffer *buffer,
			    struct text *notes, struct ft_error *err);

/* Define the probes and synthetic events of the plan. */
int instance_define_probes(struct journal *journal, const struct tracefs_dir *root, const struct record_plan *plan, struct text *notes,
			   struct ft_error *err);

/* Leave these threads out of what is recorded into @b: their events, and where functions are recorded, these. */
void instance_exclude(struct instance *inst, const struct plan_buffer *b, const int *tids, unsigned int nr);

/* Write to one of its files; of the top one it is put back in the end. */
int instance_set(struct instance *inst, const char *file, const char *value, struct ft_error *err);

int instance_start(struct instance *inst, struct ft_error *err);
void instance_stop(struct instance *inst);	/* safe at any time */
bool instance_is_on(const struct instance *inst);

void instance_read_stats(const struct instance *inst, int cpu, struct instance_stats *stats);
int instance_resize(struct instance *inst, uint64_t kb, struct ft_error *err);	/* of each CPU; the kernel may round */
uint64_t instance_size_kb(const struct instance *inst);		/* of each CPU */

/* Remove it if it is ours, close its files.  The top one is put back by the journal. */
int instance_end(struct instance *inst, struct ft_error *err);

/* The last entry of error_log, with its caret, as lines; "" where there is none. */
void instance_error_log(const struct tracefs_dir *dir, struct text *out);
#endif
