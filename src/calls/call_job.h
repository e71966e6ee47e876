/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_JOB_H
#define FTOP_SRC_CALLS_CALL_JOB_H
/*
 * call_job - reads the calls of several buffers in a worker, in slices, so that other jobs can run
 * in between.  The owner makes a call_tree for each buffer; its visitor (call_tree.h) gets the
 * calls.
 */
#include "src/calls/call_past.h"
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"
#include "src/base/workers.h"

struct call_job;			/* opaque */

/* The worker calls these, one at a time, with the owner's @arg. */
struct call_job_ops {
	/* The nr-th buffer begins.  Return: a new tree for it, which the job frees after end(). */
	struct call_tree *(*begin)(void *arg, unsigned int nr);
	/* The buffer has ended; or NULL. */
	void	(*end)(void *arg, const struct graph_reader *reader);
	void	(*pause)(void *arg);	/* between two slices of a buffer; or NULL */
	void	(*finish)(void *arg);	/* after all buffers, or NULL; call_job_permille()
					   is 1000 from then on */
};

struct call_job *call_job_new(struct workers *workers, const struct call_job_ops *ops, void *arg);

/* Before the start: add a buffer to read; takes over the reader. */
void call_job_add(struct call_job *job, struct graph_reader *reader);
/* Before the start: add all buffers of a file. */
void call_job_add_file(struct call_job *job, struct trace *trace, const struct graph_types *types,
		       unsigned int file, const struct graph_scope *scope);

/* Before the start: what is before @from of the one buffer is that of @past; borrowed. */
void call_job_follow(struct call_job *job, struct call_past *past, int64_t from);

void call_job_start(struct call_job *job);
void call_job_hold(struct call_job *job, bool hold);	/* pauses between slices */
unsigned int call_job_permille(const struct call_job *job);
void call_job_wait(struct call_job *job);	/* until it has finished; NULL is allowed */

/* Stops the job first: afterwards no callback is called.  NULL is allowed. */
void call_job_free(struct call_job *job);
#endif
