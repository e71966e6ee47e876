/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/function_job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "src/calls/call_slice.h"
#include "src/calls/function_table_private.h"
#include "src/base/memory.h"
#include "src/trace/trace_private.h"

#define FIRST_NS	200000000	/* when the first table of what there is so far is made */
#define SHARE		20		/* such tables take one part in so many of the time */

struct function_job {
	struct trace	*trace;
	unsigned int	 file;
	const struct graph_scope *scope;
	struct workers	*workers;
	struct worker_group group;
	/* the worker's, from the first slice on */
	struct graph_types *types;	/* owned */
	struct graph_reader **readers;	/* owned, [nr_buffers] */
	unsigned int	 nr_buffers, buffer;
	struct function_counter counter;	/* of the buffer that is read */
	bool		 counting;	/* there is one */
	struct graph_record *records;	/* owned, [CALL_SLICE_RECORDS] */
	struct function_table *all;	/* owned: of the buffers that were read */
	uint64_t	 bytes, all_bytes;	/* of those before */
	int64_t		 next_table;	/* when the next one is made */
	atomic_uint	 permille;
	/* below the lock */
	pthread_mutex_t	 lock;
	struct function_table *ready;	/* owned; NULL: it was taken */
	bool		 held, queued;
};

/* --- the worker ------------------------------------------------------------------------- */

static void offer(struct function_job *job, struct function_table *table)
{
	struct function_table *former;

	pthread_mutex_lock(&job->lock);
	former = job->ready;
	job->ready = table;
	pthread_mutex_unlock(&job->lock);
	function_table_free(former);
}

/* Of what is counted so far. */
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

static void begin_buffer(struct function_job *job)
{
	function_counter_init(&job->counter, function_knows_away(job->trace, job->file, job->buffer), true, 1);
	job->counting = true;
}

static void end_buffer(struct function_job *job)
{
	struct graph_reader *reader = job->readers[job->buffer];

	call_tree_end(job->counter.tree);
	function_counter_fini(&job->counter, job->all);
	job->counting = false;
	job->all->damaged += graph_reader_damaged(reader);
	job->bytes += graph_reader_all_bytes(reader);
	graph_reader_free(reader);
	job->readers[job->buffer++] = NULL;
}

static void finish(struct function_job *job)
{
	function_table_make_rows(job->all, job->trace, job->file);
	offer(job, job->all);
	job->all = NULL;
	atomic_store(&job->permille, 1000);
}

static void tell_progress(struct function_job *job)
{
	uint64_t bytes = job->bytes + graph_reader_bytes(job->readers[job->buffer]);

	if (job->all_bytes && bytes < job->all_bytes)
		atomic_store(&job->permille, (unsigned int)((double)bytes * 999 / (double)job->all_bytes));
}

static void run(void *arg, unsigned int worker, bool cancelled);

/* Another slice, behind the jobs of others; not while it is held. */
static void queue(struct function_job *job)
{
	pthread_mutex_lock(&job->lock);
	job->queued = !job->held;
	if (job->queued)
		workers_add(job->workers, &job->group, WORKER_REQUESTED, run, job);
	pthread_mutex_unlock(&job->lock);
}

static void run(void *arg, unsigned int worker, bool cancelled)
{
	struct function_job *job = arg;
	enum call_slice_end end;

	(void)worker;
	if (cancelled || workers_cancelled(&job->group, 0))
		return;
	if (job->buffer == job->nr_buffers) {
		finish(job);
		return;
	}
	if (!job->counting)
		begin_buffer(job);
	end = call_slice_run(job->readers[job->buffer], job->counter.tree, job->records, &job->group, 0);
	if (end == CALL_SLICE_CANCELLED)
		return;
	tell_progress(job);
	if (end == CALL_SLICE_DONE)
		end_buffer(job);
	else if (workers_now_ns() > job->next_table)
		offer_part(job);
	queue(job);
}

/* --- the main thread --------------------------------------------------------------------- */

struct function_job *function_job_new(struct trace *trace, unsigned int file, const struct graph_scope *scope,
				      struct workers *workers)
{
	struct function_job *job = mem_alloc(sizeof(*job));

	*job = (struct function_job){ .trace = trace, .file = file, .scope = scope, .workers = workers };
	pthread_mutex_init(&job->lock, NULL);
	trace_printer(trace, file);	/* names are asked for by the worker */
	job->types = graph_types_new(trace, file);
	job->nr_buffers = job->types ? trace_file_nr_buffers(trace_file_of(trace, file)) : 0;
	job->readers = mem_array(job->nr_buffers + 1, sizeof(job->readers[0]));
	for (unsigned int i = 0; i < job->nr_buffers; i++) {
		struct graph_reader_options options = { .scope = scope, .switches = function_knows_away(trace, file, i) };

		job->readers[i] = graph_reader_new(trace, job->types, file, i, &options);
		job->all_bytes += graph_reader_all_bytes(job->readers[i]);
	}
	job->records = mem_array(CALL_SLICE_RECORDS, sizeof(*job->records));
	job->all = function_table_empty(true);
	job->next_table = workers_now_ns() + FIRST_NS;
	queue(job);
	return job;
}

void function_job_free(struct function_job *job)
{
	if (!job)
		return;
	workers_cancel(&job->group);
	workers_wait(job->workers, &job->group);
	if (job->counting)
		function_counter_fini(&job->counter, NULL);
	for (unsigned int i = 0; i < job->nr_buffers; i++)
		graph_reader_free(job->readers[i]);
	free(job->readers);
	graph_types_free(job->types);
	free(job->records);
	function_table_free(job->all);
	function_table_free(job->ready);
	pthread_mutex_destroy(&job->lock);
	free(job);
}

void function_job_hold(struct function_job *job, bool hold)
{
	bool idle;

	pthread_mutex_lock(&job->lock);
	job->held = hold;
	idle = !job->queued;
	pthread_mutex_unlock(&job->lock);
	if (!hold && idle && atomic_load(&job->permille) < 1000)
		queue(job);
}

struct function_table *function_job_take(struct function_job *job)
{
	struct function_table *table;

	pthread_mutex_lock(&job->lock);
	table = job->ready;
	job->ready = NULL;
	pthread_mutex_unlock(&job->lock);
	return table;
}

unsigned int function_job_permille(const struct function_job *job)
{
	return atomic_load(&job->permille);
}
