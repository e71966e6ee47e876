/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/timeline/markers.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/trace/trace_marker.h"
#include "src/base/name_table.h"
#include "src/sched/sched_job.h"
#include "src/sched/sched_pass.h"

#define RECORDS_PER_JOB	100000u

static const char letters[] = "BESFGH";

struct marker_slice {
	uint64_t	key;		/* trace_marker.h */
	uint32_t	name;
};

struct marked {				/* a task */
	struct marker_slice *open;	/* owned, [nr_open], as they began */
	uint32_t	nr_open, cap_open;
	uint32_t	cpu;		/* CPU of its last marker */
	bool		any, doubtful;
	struct pyramid	row;
};

struct markers {
	struct trace	*trace;		/* borrowed */
	struct name_table *names;	/* owned */
	struct sched_pass *pass;	/* owned */
	struct sched_listener listener;
	struct sched_pairs pairs;
	struct sched_pair_end ends[sizeof(letters) - 1];
	struct marked	*tasks;		/* owned, [nr_tasks], by their numbers in the pass */
	uint32_t	nr_tasks;
	struct sched_job job;
	atomic_bool	done;
};

/* --- slices ----------------------------------------------------------------------------------- */

/* The task is now in the last slice that is open, or in none. */
static void change(struct marked *task, int64_t ts, bool goes_on)
{
	uint32_t nr = task->nr_open;

	pyramid_add(&task->row, ts, nr ? MARKERS_SLICE : MARKERS_NONE,
		    nr ? task->open[nr - 1].name : 0, goes_on,
		    task->doubtful ? PYRAMID_DOUBTFUL : PYRAMID_SURE);
	task->doubtful = false;
	task->any = true;
}

/* End the last slice with a key.  False: none is open. */
static bool end(struct marked *task, uint64_t key)
{
	uint32_t i = task->nr_open;

	while (i && task->open[i - 1].key != key)
		i--;
	if (!i)
		return false;
	task->nr_open--;
	memmove(task->open + i - 1, task->open + i, (task->nr_open + 1 - i) * sizeof(*task->open));
	return true;
}

static void on_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	struct markers *m = arg;
	uint32_t number = rec->op == SCHED_PAIR ? sched_pass_task(m->pass, rec->common_pid) :
						  SCHED_NO_TASK;
	struct marked *task;

	if (number >= SCHED_IDLE_TASK)
		return;
	mem_reach(&m->tasks, &m->nr_tasks, number);
	task = &m->tasks[number];
	task->row.votes = true;
	task->cpu = cpu;
	if (!(rec->end_number % 2)) {
		mem_grow(&task->open, task->nr_open, &task->cap_open);
		task->open[task->nr_open++] = (struct marker_slice){ rec->key,
								     (uint32_t)rec->label };
		change(task, rec->ts, false);
		return;
	}
	/* any task may end one of S or G */
	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		task = rec->key ? &m->tasks[i] : task;
		if (end(task, rec->key))
			change(task, rec->ts, task->nr_open > 0);
		if (!rec->key)
			break;
	}
}

/* A begin or an end of tasks that were on this CPU may be lost. */
static void on_cut(void *arg, unsigned int cpu, int64_t ts)
{
	struct markers *m = arg;

	(void)ts;
	for (uint32_t i = 0; i < m->nr_tasks; i++)
		m->tasks[i].doubtful |= m->tasks[i].any && m->tasks[i].cpu == cpu;
}

/* --- its life --------------------------------------------------------------------------------- */

static bool read_some(void *arg)
{
	struct markers *m = arg;

	if (sched_pass_step(m->pass, RECORDS_PER_JOB) == SCHED_PASS_MORE)
		return true;
	for (uint32_t i = 0; i < m->nr_tasks; i++)
		if (m->tasks[i].doubtful)
			pyramid_doubt_last(&m->tasks[i].row, true);
	atomic_store(&m->done, true);
	return false;
}

bool markers_are_meant(struct trace *trace, unsigned int file, const char *what)
{
	return !strcmp(what, "marker") &&
	       !event_types_by_name(trace_event_types(trace, file), NULL, what);
}

/* All letters are ends of one event type; without it there are none. */
static void find_ends(struct markers *m, unsigned int file)
{
	struct sched_pairs *pairs = &m->pairs;

	pairs->ends = m->ends;
	for (; letters[pairs->nr]; pairs->nr++) {
		struct sched_pair_end *end = &m->ends[pairs->nr];

		if (!sched_pair_marker(m->trace, file, letters[pairs->nr], end))
			return;
		end->number = (uint16_t)pairs->nr;
		end->more = letters[pairs->nr + 1];
		pairs->first[end->type] = 1;
	}
}

struct markers *markers_new(struct trace *trace, unsigned int file, unsigned int buffer)
{
	struct markers *m = mem_alloc(sizeof(*m));
	struct sched_pass_options options = {
		.file = file, .pairs = &m->pairs, .nameless = true, .one_buffer = true,
		.buffer = buffer, .listener = &m->listener,
		.workers = trace_workers(trace), .stopped = &m->job.stopped,
	};

	m->trace = trace;
	m->names = name_table_new();
	options.names = m->names;
	m->listener = (struct sched_listener){ .other = on_other, .cut = on_cut, .arg = m };
	find_ends(m, file);
	m->pass = sched_pass_new(trace, &options);
	sched_job_start(&m->job, trace_workers(trace), read_some, m);
	return m;
}

void markers_free(struct markers *m)
{
	if (!m)
		return;
	sched_job_stop(&m->job);
	sched_pass_free(m->pass);
	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		pyramid_fini(&m->tasks[i].row);
		free(m->tasks[i].open);
	}
	free(m->tasks);
	name_table_free(m->names);
	free(m);
}

void markers_wait(struct markers *m)
{
	sched_job_wait(&m->job);
}

/* --- asking ----------------------------------------------------------------------------------- */

bool markers_done(const struct markers *m)
{
	return m && atomic_load(&((struct markers *)m)->done);
}

const struct pyramid *markers_row(const struct markers *m, const struct sched_task *of)
{
	uint32_t task;

	if (!markers_done(m))
		return NULL;
	task = sched_rules_same(sched_pass_rules(m->pass), of);
	return task < m->nr_tasks && m->tasks[task].any ? &m->tasks[task].row : NULL;
}

const char *markers_name(const struct markers *m, uint32_t name)
{
	return name ? name_table_text(m->names, name) : "";
}
