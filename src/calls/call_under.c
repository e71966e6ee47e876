/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_under.h"

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/trace/row_sweep.h"
#include "src/trace/time_spans.h"
#include "src/trace/trace_streams.h"

#define WAITING		8192u		/* spans */
#define ROWS_PER_STEP	(1u << 17)
#define NR_TYPES	65536u
#define SAMPLES		63u

struct span {
	uint64_t	task;
	int64_t		from, to;
};

struct asked {				/* a requested set */
	struct value_set *set;		/* borrowed */
	uint8_t		*is_one;	/* owned, [cap] by function: 0 = unknown, 1 = no, 2 = yes */
	uint32_t	 cap;
	struct span	*waiting;	/* owned, [WAITING] */
	unsigned int	 nr;
	struct time_spans *spans;	/* owned: spans to compare rows with */
	struct time_spans *late;	/* owned, or NULL */
	struct time_spans_at *at;	/* owned, [lanes] of the sweep */
};

struct call_under {
	struct trace	*trace;
	unsigned int	 file;
	struct value_sets *sets;	/* borrowed */
	const struct call_job *job;	/* borrowed */
	bool		 keep, failed, ends;
	bool		 any;		/* rows up to this time were compared: */
	int64_t		 done;
	struct row_sweep *sweep;	/* owned; NULL: not begun, or at the end */
	bool		 sweeps_late;	/* the sweep uses the late spans */
	struct asked	*asked;		/* owned, [nr] */
	unsigned int	 nr;
	uint8_t		 types[NR_TYPES];	/* 0 = unknown yet, 1 = no format, 2 = has one */
};

struct call_under *call_under_new(struct trace *trace, unsigned int file, struct value_sets *sets,
				  unsigned int what, const struct call_job *job, bool keep)
{
	struct call_under *u = mem_alloc(sizeof(*u));

	*u = (struct call_under){ .trace = trace, .file = file, .sets = sets, .job = job,
				  .keep = keep };
	for (struct value_set *set = sets->first; set; set = set->next) {
		if (!set->building || set->what != what)
			continue;
		u->asked = mem_resize(u->asked, u->nr + 1, sizeof(*u->asked));
		u->asked[u->nr++] = (struct asked){
			.set = set, .waiting = mem_array(WAITING, sizeof(struct span))
		};
	}
	if (u->nr)
		return u;
	free(u);
	return NULL;
}

void call_under_free(struct call_under *u)
{
	if (!u)
		return;
	for (unsigned int i = 0; i < u->nr; i++) {
		free(u->asked[i].is_one);
		free(u->asked[i].waiting);
		free(u->asked[i].at);
		time_spans_free(u->asked[i].spans);
		time_spans_free(u->asked[i].late);
	}
	free(u->asked);
	row_sweep_free(u->sweep);
	free(u);
}

bool call_under_failed(const struct call_under *u)
{
	return u->failed;
}

/* --- rows beside spans ------------------------------------------------------------------ */

static bool has_format(struct call_under *u, uint16_t type)
{
	if (!u->types[type])
		u->types[type] = 1 + (event_types_find(trace_source_at(u->trace, u->file)->types,
						       type) != NULL);
	return u->types[type] == 2;
}

static void see_row(void *arg, const struct swept_row *row)
{
	struct call_under *u = arg;
	uint64_t task = graph_task_key(row->pid, (unsigned int)row->cpu);

	u->failed |= u->any && row->ts <= u->done && !u->sweeps_late;
	for (unsigned int i = 0; i < u->nr; i++) {
		struct asked *a = &u->asked[i];

		if (time_spans_near(a->spans, &a->at[row->lane], task, row->ts) &&
		    has_format(u, row->type))
			value_sets_tell_row(u->sets, a->set, row->ref);
	}
}

static bool is_stopped(const struct call_under *u)
{
	return u->failed || call_job_cancelled(u->job);
}

static void begin_sweep(struct call_under *u)
{
	if (!u->sweep)
		u->sweep = row_sweep_new(u->trace, u->file);
	for (unsigned int i = 0; i < u->nr; i++) {
		struct asked *a = &u->asked[i];

		time_spans_end(a->spans);
		free(a->at);
		a->at = mem_array(row_sweep_nr_lanes(u->sweep) + 1, sizeof(*a->at));
	}
}

/* Compare with all waiting spans from now on. */
static void take_waiting(struct call_under *u)
{
	for (unsigned int i = 0; i < u->nr; i++) {
		struct asked *a = &u->asked[i];

		time_spans_free(a->spans);
		a->spans = time_spans_new();
		for (unsigned int k = 0; k < a->nr; k++)
			time_spans_add(a->spans, a->waiting[k].task, a->waiting[k].from,
				       a->waiting[k].to);
	}
	begin_sweep(u);
}

static int compare_times(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The time at which about half of the waiting spans have ended. */
static int64_t middle_of(const struct asked *a)
{
	int64_t times[SAMPLES];

	for (unsigned int i = 0; i < SAMPLES; i++)
		times[i] = a->waiting[(uint64_t)i * a->nr / SAMPLES].to;
	qsort(times, SAMPLES, sizeof(times[0]), compare_times);
	return times[SAMPLES / 2];
}

/* Compare rows up to a time; spans that end before it no longer wait. */
static void sweep_until(struct call_under *u, int64_t until)
{
	take_waiting(u);
	while (row_sweep_on(u->sweep, until, ROWS_PER_STEP, see_row, u) && !is_stopped(u))
		;
	u->done = until;
	u->any = true;
	for (unsigned int i = 0; i < u->nr; i++) {
		struct asked *a = &u->asked[i];
		unsigned int kept = 0;

		for (unsigned int k = 0; k < a->nr; k++)
			if (a->waiting[k].to > until)
				a->waiting[kept++] = a->waiting[k];
		a->nr = kept;
		time_spans_free(a->spans);
		a->spans = NULL;
	}
}

/* --- calls ---------------------------------------------------------------------------------- */

static bool is_one(struct asked *a, const struct call_tree *tree, uint32_t func)
{
	mem_reach(&a->is_one, &a->cap, func);
	if (!a->is_one[func])
		a->is_one[func] = 1 +
				  filter_set_has(&a->set->numbers, call_tree_function(tree, func));
	return a->is_one[func] == 2;
}

static void add_span(struct call_under *u, struct asked *a, struct span span)
{
	if (u->keep || (u->any && span.from <= u->done)) {
		if (!a->late)
			a->late = time_spans_new();
		time_spans_add(a->late, span.task, span.from, span.to);
		return;
	}
	a->waiting[a->nr++] = span;
	while (a->nr == WAITING && !is_stopped(u))
		sweep_until(u, middle_of(a));
	if (a->nr == WAITING)
		a->nr = 0;		/* stopped: discard the result */
}

void call_under_add(struct call_under *u, const struct call_tree *tree,
		    const struct call_task *task, const struct call *call)
{
	int cpu = trace_stream_at(u->trace, task->stream)->cpu;
	struct span span = { .task = graph_task_key(task->pid, (unsigned int)cpu),
			     .to = INT64_MAX };

	if (call->kind == CALL_ORPHAN)
		span.from = trace_stream_ts(u->trace, call->stream_out, call->exit_ts) -
			    (int64_t)call_duration(call);
	else
		span.from = trace_stream_ts(u->trace, call->stream_in, call->entry_ts);
	if (call->exit_ts != UINT64_MAX)
		span.to = trace_stream_ts(u->trace, call->stream_out, call->exit_ts);
	for (unsigned int i = 0; i < u->nr && span.from <= span.to; i++)
		if (is_one(&u->asked[i], tree, call->func))
			add_span(u, &u->asked[i], span);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Sweep again from the start, with the late spans; false if there are none. */
static bool begin_late(struct call_under *u)
{
	bool any = false;

	row_sweep_free(u->sweep);
	u->sweep = NULL;
	for (unsigned int i = 0; i < u->nr; i++) {
		struct asked *a = &u->asked[i];

		any |= a->late != NULL;
		time_spans_free(a->spans);
		a->spans = a->late ? a->late : time_spans_new();
		a->late = NULL;
	}
	if (!any)
		return false;
	begin_sweep(u);
	u->sweeps_late = true;
	return true;
}

static bool any_waits(const struct call_under *u)
{
	for (unsigned int i = 0; i < u->nr; i++)
		if (u->asked[i].nr)
			return true;
	return false;
}

bool call_under_end(struct call_under *u)
{
	if (!u->ends) {
		u->ends = true;
		if (any_waits(u))
			take_waiting(u);
		else if (!begin_late(u))
			return false;
	}
	if (row_sweep_on(u->sweep, INT64_MAX, ROWS_PER_STEP, see_row, u))
		return !u->failed;
	return !u->failed && !u->sweeps_late && begin_late(u);
}
