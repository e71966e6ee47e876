/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"

#define RECORDS		1024u		/* read at a time */
#define SLICE_NS	10000000	/* makes the overhead small, lets others get their turn */

struct call_job {
	const struct call_job_ops *ops;
	void		*arg;
	struct workers	*workers;
	struct worker_group group;
	/* Owned by the worker from the first slice on */
	struct graph_reader **readers;	/* owned, [nr]; NULL = already read */
	unsigned int	 nr, cap, at;
	struct call_tree *tree;		/* owned: of the buffer being read; NULL = not begun */
	struct call_past *past;		/* borrowed: what is before that; or NULL */
	int64_t		 from;		/* where it ends */
	struct graph_record *records;	/* owned, [RECORDS] */
	uint64_t	 bytes, all_bytes;	/* bytes in buffers already read; in all */
	atomic_uint	 permille;
	pthread_mutex_t	 lock;		/* protects the two below */
	bool		 held, queued;
};

struct call_job *call_job_new(struct workers *workers, const struct call_job_ops *ops, void *arg)
{
	struct call_job *job = mem_alloc(sizeof(*job));

	*job = (struct call_job){ .ops = ops, .arg = arg, .workers = workers };
	job->records = mem_array(RECORDS, sizeof(*job->records));
	pthread_mutex_init(&job->lock, NULL);
	return job;
}

void call_job_add(struct call_job *job, struct graph_reader *reader)
{
	mem_grow(&job->readers, job->nr, &job->cap);
	job->readers[job->nr++] = reader;
	job->all_bytes += graph_reader_all_bytes(reader);
}

void call_job_add_file(struct call_job *job, struct trace *trace, const struct graph_types *types,
		       unsigned int file, const struct graph_scope *scope)
{
	unsigned int nr = types ? source_nr_buffers(trace_file_of(trace, file)) : 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct graph_reader_options options = {
			.scope = scope, .switches = graph_knows_away(trace, file, i)
		};

		call_job_add(job, graph_reader_new(trace, types, file, i, &options));
	}
}

void call_job_follow(struct call_job *job, struct call_past *past, int64_t from)
{
	job->past = past;
	job->from = from;
}

/* --- the worker ---------------------------------------------------------------------------- */

static bool is_cancelled(const struct call_job *job)
{
	return workers_cancelled(&job->group, 0);
}

static void note_progress(struct call_job *job)
{
	uint64_t bytes = job->bytes + graph_reader_bytes(job->readers[job->at]);

	if (job->all_bytes && bytes < job->all_bytes)
		atomic_store(&job->permille,
			     (unsigned int)((double)bytes * 999 / (double)job->all_bytes));
}

static void end_buffer(struct call_job *job)
{
	struct graph_reader *reader = job->readers[job->at];

	if (job->ops->end)
		job->ops->end(job->arg, reader);
	call_tree_free(job->tree);
	job->tree = NULL;
	job->bytes += graph_reader_all_bytes(reader);
	graph_reader_free(reader);
	job->readers[job->at++] = NULL;
}

/* Read records for a slice of time, and end the tree after the last one.  Return: it has ended. */
static bool read_slice(struct call_job *job)
{
	int64_t until = workers_now_ns() + SLICE_NS;
	unsigned int nr;

	do {
		nr = graph_reader_read(job->readers[job->at], job->records, RECORDS);
		for (unsigned int i = 0; i < nr; i++)
			call_tree_add(job->tree, &job->records[i]);
		if (is_cancelled(job))
			return false;
	} while (nr && workers_now_ns() < until);
	if (!nr)
		call_tree_end(job->tree);
	return !nr;
}

/* Begin with a buffer; or read a slice of what is before it.  False: there is more of that. */
static bool begin_buffer(struct call_job *job)
{
	enum call_past_state state = CALL_PAST_UNSURE;

	if (job->past)
		state = call_past_reach(job->past, job->from, workers_now_ns() + SLICE_NS);
	if (state == CALL_PAST_MORE)
		return false;
	job->tree = job->ops->begin(job->arg, job->at);
	if (state == CALL_PAST_PARKED)
		call_past_leave(job->past, job->readers[job->at], job->tree);
	return true;
}

static void run(void *arg, unsigned int worker, bool cancelled);

/* Queue another slice behind other jobs; not while it is held. */
static void queue(struct call_job *job)
{
	bool queued;

	pthread_mutex_lock(&job->lock);
	queued = job->queued = !job->held;
	pthread_mutex_unlock(&job->lock);
	if (queued)			/* without the lock: a pool without threads runs it now */
		workers_add(job->workers, &job->group, WORKER_REQUESTED, run, job);
}

static void run(void *arg, unsigned int worker, bool cancelled)
{
	struct call_job *job = arg;
	bool ended;

	(void)worker;
	if (cancelled || is_cancelled(job))
		return;
	if (job->at == job->nr) {
		if (job->ops->finish)
			job->ops->finish(job->arg);
		atomic_store(&job->permille, 1000);
		return;
	}
	if (!job->tree && !begin_buffer(job)) {
		queue(job);
		return;
	}
	ended = read_slice(job);
	if (is_cancelled(job))
		return;
	note_progress(job);
	if (ended)
		end_buffer(job);
	else if (job->ops->pause)
		job->ops->pause(job->arg);
	queue(job);
}

/* --- the main thread ------------------------------------------------------------------------ */

void call_job_start(struct call_job *job)
{
	queue(job);
}

void call_job_hold(struct call_job *job, bool hold)
{
	bool idle;

	pthread_mutex_lock(&job->lock);
	job->held = hold;
	idle = !job->queued;
	pthread_mutex_unlock(&job->lock);
	if (!hold && idle && call_job_permille(job) < 1000)
		queue(job);
}

unsigned int call_job_permille(const struct call_job *job)
{
	return atomic_load(&job->permille);
}

void call_job_wait(struct call_job *job)
{
	if (job)
		workers_wait(job->workers, &job->group);
}

void call_job_free(struct call_job *job)
{
	if (!job)
		return;
	workers_cancel(&job->group);
	call_job_wait(job);
	for (unsigned int i = 0; i < job->nr; i++)
		graph_reader_free(job->readers[i]);
	call_tree_free(job->tree);
	free(job->readers);
	free(job->records);
	pthread_mutex_destroy(&job->lock);
	free(job);
}
