/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With a filter by pid, the kernel records a switch if it is from or to one of the tasks, a wake-up
 * if it is by or of one, and other events if they are of one.  So other events tell whose were
 * recorded; without any, there may be one such task.  If all records agree with that, and switches
 * between other tasks are missing, the trace was filtered.
 */
#include "src/sched/sched_only.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/number_set.h"
#include "src/trace/stream_walk.h"
#include "src/trace/trace_streams.h"

#define MOST_RECORDS	50000u		/* of a stream */
#define MOST_TASKS	4096u
#define LEAST_UNSEEN	3u		/* switches that are missing */

struct only_look {
	struct trace	*trace;
	unsigned int	 file;
	const struct sched_types *types;
	bool		*is_other;	/* owned, [65536] by common_type: filtered by its task */
	struct stream_walk walk;
	struct number_set only;		/* pids */
	uint32_t	 first[2];	/* tasks of the first switch; UINT32_MAX: there is none */
	bool		 contradicted;
	uint64_t	 unseen;	/* switches between other tasks */
	uint32_t	 on, left;	/* see struct sched_runner; UINT32_MAX: not known */
};

static uint32_t number_of(const struct only_look *l, const struct event_field *field,
			  const struct record *rec)
{
	return field ? (uint32_t)field_u64(field, rec->data, rec->size, l->walk.sb.swap) : 0;
}

/* Note whose events were recorded.  Nobody can filter by the idle task: it has no pid. */
static void take_writer(struct only_look *l, const struct sched_shape *shape,
			const struct record *rec, uint16_t type, uint32_t own)
{
	bool is_new;

	if (shape->op == SCHED_SWITCH && l->first[0] == UINT32_MAX) {
		l->first[0] = number_of(l, shape->pid, rec);
		l->first[1] = number_of(l, shape->pid2, rec);
	}
	if (!l->is_other[type])
		return;
	l->contradicted |= !own || own > INT32_MAX || l->only.nr == MOST_TASKS;
	if (!l->contradicted)
		number_set_add(&l->only, own, &is_new);
}

/* Does a record agree with the filter? */
static void take_record(struct only_look *l, const struct sched_shape *shape,
			const struct record *rec, uint32_t own)
{
	uint32_t one = own, other = own;

	if (shape->op == SCHED_SWITCH) {
		one = number_of(l, shape->pid, rec);
		other = number_of(l, shape->pid2, rec);
	} else if (shape->op >= SCHED_WAKING && shape->op <= SCHED_MIGRATE) {
		other = number_of(l, shape->pid, rec);
	}
	if (shape->op != SCHED_NONE && shape->op != SCHED_SYSTEM)
		l->contradicted |= !number_set_has(&l->only, one) &&
				   !number_set_has(&l->only, other);
	if (l->on <= INT32_MAX && own != l->on && (shape->op == SCHED_SWITCH || own != l->left)) {
		l->contradicted |= number_set_has(&l->only, own) || number_set_has(&l->only, l->on);
		l->unseen++;
	}
	if (shape->op == SCHED_SWITCH || own != l->left) {
		l->on = shape->op == SCHED_SWITCH ? other : own;
		l->left = shape->op == SCHED_SWITCH ? one : UINT32_MAX;
	}
}

static void walk_stream(struct only_look *l, unsigned int nr, bool writers)
{
	struct record rec;
	uint64_t left = MOST_RECORDS;

	l->on = l->left = UINT32_MAX;
	stream_walk_begin(&l->walk, l->trace, nr, 0, UINT64_MAX);
	while (left && !l->contradicted && stream_walk_page(&l->walk)) {
		if (l->walk.sb.lost)
			l->on = l->left = UINT32_MAX;
		while (left && !l->contradicted && stream_walk_next(&l->walk, &rec, false)) {
			uint16_t type = stream_walk_type(&l->walk, &rec, false);
			const struct sched_shape *shape =
				&l->types->shapes[l->types->shape_of[type]];
			uint32_t own = (uint32_t)stream_walk_pid(&l->walk, &rec, false);

			left--;
			if (writers)
				take_writer(l, shape, &rec, type, own);
			else
				take_record(l, shape, &rec, own);
		}
	}
}

static void walk(struct only_look *l, bool writers)
{
	l->contradicted = false;
	l->unseen = 0;
	for (unsigned int i = 0; i < trace_nr_streams(l->trace) && !l->contradicted; i++)
		if (trace_stream_at(l->trace, i)->source == l->file)
			walk_stream(l, i, writers);
}

static bool agrees(struct only_look *l)
{
	walk(l, false);
	return !l->contradicted && l->unseen >= LEAST_UNSEEN;
}

/* Does any set of tasks agree with the records? */
static bool find(struct only_look *l)
{
	bool is_new;

	walk(l, true);
	if (l->contradicted)
		return false;
	if (l->only.nr)
		return agrees(l);
	for (unsigned int i = 0; i < 2; i++) {
		number_set_fini(&l->only);
		l->only = (struct number_set){ 0 };
		if (!l->first[i] || l->first[i] > INT32_MAX)
			continue;
		number_set_add(&l->only, l->first[i], &is_new);
		if (agrees(l))
			return true;
	}
	return false;
}

/* Markers and functions of the system ftrace are not filtered with events. */
static void find_others(struct only_look *l)
{
	const struct source *f = trace_file_of(l->trace, l->file);

	for (unsigned int i = 0; i < source_nr_formats(f); i++) {
		const struct source_format *format = source_format(f, i);
		enum sched_op op;

		if (format->id < 0 || format->id > 65535 || !strcmp(format->system, "ftrace"))
			continue;
		op = l->types->shapes[l->types->shape_of[format->id]].op;
		l->is_other[format->id] = op < SCHED_SWITCH || op > SCHED_MIGRATE;
	}
}

static void look(struct trace *trace, unsigned int file, const struct sched_types *types)
{
	struct only_look l = { .trace = trace, .file = file, .types = types,
			     .first = { UINT32_MAX, UINT32_MAX } };

	l.is_other = mem_array(65536, sizeof(*l.is_other));
	find_others(&l);
	if (find(&l))
		for (uint32_t i = 0; i < l.only.nr; i++)
			trace_add_only(trace, file, (int)l.only.numbers[i]);
	stream_walk_end(&l.walk);
	number_set_fini(&l.only);
	free(l.is_other);
}

void sched_only_find(struct trace *trace, unsigned int file, const struct sched_types *types)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	if (trace_grows(trace) || !types->has_switch)
		return;
	pthread_mutex_lock(&lock);
	if (trace_asks_only(trace, file))
		look(trace, file, types);
	pthread_mutex_unlock(&lock);
}
