/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/functions/function_job.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "src/calls/call_job.h"
#include "src/functions/function_groups.h"
#include "src/functions/function_table_private.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define FIRST_NS	200000000	/* time until the first preliminary table is made */
#define SHARE		20		/* making them takes at most 1/SHARE of the time */

struct function_job {
	struct trace	*trace;
	unsigned int	 file;
	struct call_job	*pass;		/* owned */
	/* Owned by the worker from the first slice on */
	struct graph_types *types;	/* owned */
	struct function_counter counter;	/* for the buffer being read */
	bool		 counting;	/* it is initialised */
	struct function_table *all;	/* owned: of the buffers already read */
	int64_t		 next_table;	/* time for the next preliminary table */
	_Atomic(struct function_table *) ready;	/* owned; NULL = already taken */
};

/* --- the worker ------------------------------------------------------------------------- */

static void offer(struct function_job *job, struct function_table *table)
{
	function_table_free(atomic_exchange(&job->ready, table));
}

/* Make a table of the counts so far. */
static void offer_part(struct function_job *job)
{
	struct function_table *table = function_table_empty(true);
	int64_t began = workers_now_ns();

	call_totals_copy(job->all->totals, NULL, table->totals);
	call_totals_copy(job->counter.totals, job->counter.tree, table->totals);
	call_paths_merge(table->paths, job->all->paths);
	call_paths_copy(job->counter.paths, job->counter.tree, table->paths);
	table->has_away = job->all->has_away || call_tree_has_away(job->counter.tree);
	table->whole = false;
	function_table_make_rows(table, job->trace, job->file);
	offer(job, table);
	job->next_table = workers_now_ns() + FIRST_NS + SHARE * (workers_now_ns() - began);
}

static struct call_tree *begin_buffer(void *arg, unsigned int buffer)
{
	struct function_job *job = arg;

	function_counter_init(&job->counter, graph_knows_away(job->trace, job->file, buffer),
			      job->all->paths, job->all->groups, 1);
	job->counting = true;
	return job->counter.tree;
}

static void end_buffer(void *arg, const struct graph_reader *reader)
{
	struct function_job *job = arg;

	function_counter_fini(&job->counter, job->all);
	job->counting = false;
	job->all->damaged += graph_reader_damaged(reader);
}

static void pause_buffer(void *arg)
{
	struct function_job *job = arg;

	if (!job->all->groups && workers_now_ns() > job->next_table)
		offer_part(job);
}

static void finish(void *arg)
{
	struct function_job *job = arg;

	function_table_make_rows(job->all, job->trace, job->file);
	offer(job, job->all);
	job->all = NULL;
}

static const struct call_job_ops ops = {
	.begin = begin_buffer, .end = end_buffer, .pause = pause_buffer, .finish = finish,
};

/* --- the main thread --------------------------------------------------------------------- */

struct function_job *function_job_new(struct trace *trace, unsigned int file,
				      const struct graph_scope *scope, enum grouping by,
				      struct call_past *past, struct workers *workers)
{
	struct function_job *job = mem_alloc(sizeof(*job));

	*job = (struct function_job){ .trace = trace, .file = file };
	trace_printer(trace, file);	/* the worker needs it for names */
	job->types = graph_types_new(trace, file);
	job->all = function_table_empty(!by);
	job->all->groups = by ? function_groups_new(trace, file, by) : NULL;
	job->next_table = workers_now_ns() + FIRST_NS;
	job->pass = call_job_new(workers, &ops, job);
	call_job_add_file(job->pass, trace, job->types, file, scope);
	if (past)
		call_job_follow(job->pass, past, scope->from);
	call_job_start(job->pass);
	return job;
}

void function_job_free(struct function_job *job)
{
	if (!job)
		return;
	call_job_free(job->pass);
	if (job->counting)
		function_counter_fini(&job->counter, NULL);
	graph_types_free(job->types);
	function_table_free(job->all);
	function_table_free(job->ready);
	free(job);
}

void function_job_hold(struct function_job *job, bool hold)
{
	call_job_hold(job->pass, hold);
}

struct function_table *function_job_take(struct function_job *job)
{
	return atomic_exchange(&job->ready, NULL);
}

unsigned int function_job_permille(const struct function_job *job)
{
	return call_job_permille(job->pass);
}
