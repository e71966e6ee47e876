/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched_values.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/field.h"
#include "src/memory.h"
#include "src/sched_pass.h"
#include "src/trace_private.h"

#define RECORDS_PER_JOB	(1u << 17)	/* then others get their turn */
/* Spans are kept in 48 bits; below 0 they are where a clock goes back. */
#define SPAN_BIAS	(INT64_C(1) << 46)
#define SPAN_MOST	(INT64_C(3) << 46)	/* three days: longer ones are cut */
#define NO_SPAN		UINT64_C(0xffffffffffff)
#define NO_PRIO		INT16_MIN

/* A switch or a wake-up. */
struct value {
	int64_t		ts;		/* of the file */
	uint32_t	ran_low, wait_low;
	uint16_t	ran_high, wait_high;	/* wait: of a wake-up its latency */
	uint32_t	id;		/* of the record among those of its time: its bits above ID_SHIFT; WOKEN; state */
};
#define STATE_MASK	0x7u
#define WOKEN		0x8u		/* its wait began with a wake-up */
#define ID_SHIFT	4u

/* Those of a CPU, by ts. */
struct lane {
	struct value	*values;	/* owned */
	uint64_t	 nr, cap;
	bool		 unsorted;	/* its clock went back */
};

struct prio {
	int64_t		ts;
	uint32_t	order;		/* of those of one time */
	int16_t		prio;
};

/* A task's last wake-up, while the pass goes on. */
struct waking {
	uint32_t	 lane;
	uint64_t	 wake;
	trace_ref	 ref;
};

struct task {
	struct prio	*prios;		/* owned, by ts */
	uint32_t	 nr, cap;
	bool		 unsorted;
};

struct sched_values {
	struct trace		*trace;		/* borrowed */
	unsigned int		 file;
	struct sched_listener	 listener;
	struct sched_types	*types;		/* owned */
	struct sched_pass	*pass;		/* owned; the worker's until it is ready */
	struct sched_pass	*kept;		/* owned: the pass that made the priorities, for its tasks; may be that one */
	struct worker_group	 group;
	atomic_bool		 stopped, ready, has_values, has_prios;
	bool			 wants_values, wants_prios;
	bool			 makes_values, makes_prios;	/* the pass begun last */
	bool			 full;
	uint64_t		 memory, limit;	/* bytes */
	struct value_sets	 sets;		/* by enum sched_value */
	struct value		 open;		/* of the switch that is being told */
	struct waking		*wakings;	/* owned, by index of the task */
	uint32_t		 nr_wakings, cap_wakings;
	struct lane		*lanes;		/* owned, [nr_lanes] by index of the CPU */
	unsigned int		 nr_lanes;
	int			*lane_of;	/* owned, [nr_streams] of the trace, or -1 */
	struct task		*tasks;		/* owned, by index of the task */
	uint32_t		 nr_tasks, cap_tasks;
	struct task		 idle;		/* its priorities */
};

/* --- values ------------------------------------------------------------------------------ */

static uint64_t span_of(int64_t from, int64_t to)
{
	int64_t span;

	if (__builtin_sub_overflow(to, from, &span) || span > SPAN_MOST - SPAN_BIAS)
		span = to < from ? -SPAN_BIAS : SPAN_MOST - SPAN_BIAS;
	return (uint64_t)((span < -SPAN_BIAS ? -SPAN_BIAS : span) + SPAN_BIAS);
}

static void set_ran(struct value *v, uint64_t span)
{
	v->ran_low = (uint32_t)span;
	v->ran_high = (uint16_t)(span >> 32);
}

static void set_wait(struct value *v, uint64_t span)
{
	v->wait_low = (uint32_t)span;
	v->wait_high = (uint16_t)(span >> 32);
}

static bool get_span(uint16_t high, uint32_t low, int64_t *value)
{
	uint64_t span = (uint64_t)high << 32 | low;

	*value = (int64_t)span - SPAN_BIAS;
	return span != NO_SPAN;
}

static void clear(struct value *v)
{
	*v = (struct value){ 0 };
	set_ran(v, NO_SPAN);
	set_wait(v, NO_SPAN);
}

/* Tells apart what happens at one moment on one CPU. */
static uint32_t id_of(enum sched_op op, uint32_t pid, uint32_t pid2)
{
	uint64_t hash = (pid * UINT64_C(0x9e3779b97f4a7c15) ^ pid2) * UINT64_C(0xff51afd7ed558ccd) + op * UINT64_C(0xc4ceb9fe1a85ec53);

	return (uint32_t)(hash >> 32) >> ID_SHIFT << ID_SHIFT;
}

static uint32_t id_of_rec(const struct sched_rec *rec)
{
	return id_of(rec->op, rec->pid, rec->op == SCHED_SWITCH ? rec->pid2 : 0);
}

/* --- what the pass tells ------------------------------------------------------------------- */

static struct task *task_at(struct sched_values *s, uint32_t task)
{
	while (task >= s->nr_tasks) {
		mem_grow(&s->tasks, s->nr_tasks, &s->cap_tasks);
		s->tasks[s->nr_tasks++] = (struct task){ 0 };
	}
	return &s->tasks[task];
}

static struct waking *waking_at(struct sched_values *s, uint32_t task)
{
	while (task >= s->nr_wakings) {
		mem_grow(&s->wakings, s->nr_wakings, &s->cap_wakings);
		s->wakings[s->nr_wakings++] = (struct waking){ 0 };
	}
	return &s->wakings[task];
}

/* @task: its index, or SCHED_IDLE_TASK. */
static void see_prio(struct sched_values *s, uint32_t task, int64_t ts, int16_t prio)
{
	const struct prio *last;
	struct task *t;

	if (!s->makes_prios)
		return;
	t = task == SCHED_IDLE_TASK ? &s->idle : task_at(s, task);
	last = t->nr ? &t->prios[t->nr - 1] : NULL;
	if ((last && last->prio == prio && last->ts <= ts) || s->full)
		return;
	t->unsorted |= last && last->ts > ts;
	mem_grow(&t->prios, t->nr, &t->cap);
	t->prios[t->nr] = (struct prio){ ts, t->nr, prio };
	t->nr++;
	s->memory += sizeof(*t->prios);
}

static uint64_t add_value(struct sched_values *s, uint32_t nr, const struct value *value)
{
	struct lane *lane;

	if (!s->makes_values)
		return UINT64_MAX;
	lane = &s->lanes[nr];
	if (s->memory >= s->limit) {
		s->full = true;
		return UINT64_MAX;
	}
	mem_grow(&lane->values, lane->nr, &lane->cap);
	lane->unsorted |= lane->nr && lane->values[lane->nr - 1].ts > value->ts;
	lane->values[lane->nr] = *value;
	s->memory += sizeof(*value);
	return lane->nr++;
}

static void take_wake(struct sched_values *s, uint32_t task, const struct sched_change *c)
{
	struct waking *w = waking_at(s, task);
	struct value v;

	clear(&v);
	v.ts = c->ts;
	v.id = id_of_rec(c->rec) | c->was;
	w->lane = (uint32_t)c->cpu;
	w->wake = add_value(s, w->lane, &v);
	w->ref = c->rec->ref;
	if (c->was != SCHED_UNKNOWN)
		value_sets_tell(&s->sets, SCHED_VALUE_STATE, w->ref, c->was);
}

/* The task that comes. */
static void take_run(struct sched_values *s, uint32_t task, const struct sched_change *c)
{
	const struct waking *w = waking_at(s, task);
	uint64_t span;

	see_prio(s, task, c->ts, c->rec->prio2);
	if (c->was != SCHED_WAITS && c->was != SCHED_PREEMPTED)
		return;
	span = span_of(c->since, c->ts);
	set_wait(&s->open, span);
	if (c->was == SCHED_PREEMPTED)
		return;
	s->open.id |= WOKEN;
	if (s->makes_values && w->wake != UINT64_MAX)
		set_wait(&s->lanes[w->lane].values[w->wake], span);
	value_sets_tell(&s->sets, SCHED_VALUE_WAKELAT, w->ref, (int64_t)span - SPAN_BIAS);
}

/* A switch, all of which is known. */
static void tell_switch(struct sched_values *s, const struct value *v, trace_ref ref)
{
	int64_t span;

	if (get_span(v->ran_high, v->ran_low, &span))
		value_sets_tell(&s->sets, SCHED_VALUE_RAN, ref, span);
	if (get_span(v->wait_high, v->wait_low, &span)) {
		value_sets_tell(&s->sets, SCHED_VALUE_WAIT, ref, span);
		if (v->id & WOKEN)
			value_sets_tell(&s->sets, SCHED_VALUE_WAKELAT, ref, span);
	}
	if (v->id & STATE_MASK)
		value_sets_tell(&s->sets, SCHED_VALUE_STATE, ref, v->id & STATE_MASK);
}

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct sched_values *s = arg;

	if (!c->rec)
		return;
	switch (c->state) {
	case SCHED_WAITS:
		take_wake(s, task, c);
		break;
	case SCHED_RUNS:
		take_run(s, task, c);
		break;
	case SCHED_PREEMPTED:
	case SCHED_SLEEPS:
	case SCHED_BLOCKED:
	case SCHED_GONE:
		see_prio(s, task, c->ts, c->rec->prio);
		s->open.id |= c->state;
		if (c->was == SCHED_RUNS && !c->dropped && !c->was_cut)
			set_ran(&s->open, span_of(c->since, c->ts));
		break;
	case SCHED_UNKNOWN:
		break;
	}
}

/* Of a switch this comes last. */
static void on_cpu(void *arg, unsigned int cpu, const struct sched_change *c)
{
	struct sched_values *s = arg;

	if (!c->rec)
		return;
	if (!c->rec->pid)
		see_prio(s, SCHED_IDLE_TASK, c->ts, c->rec->prio);
	if (!c->rec->pid2)
		see_prio(s, SCHED_IDLE_TASK, c->ts, c->rec->prio2);
	s->open.ts = c->ts;
	s->open.id |= id_of_rec(c->rec);
	add_value(s, cpu, &s->open);
	tell_switch(s, &s->open, c->rec->ref);
	clear(&s->open);
}

static void on_wake(void *arg, uint32_t waker, uint32_t task, int64_t ts)
{
	(void)arg, (void)waker, (void)task, (void)ts;
}

static void on_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	(void)arg, (void)cpu, (void)rec;
}

static void forget_values(struct sched_values *s)
{
	for (unsigned int i = 0; i < s->nr_lanes; i++)
		free(s->lanes[i].values);
	free(s->lanes);
	s->lanes = NULL;
	s->nr_lanes = 0;
	s->memory = 0;
}

static void forget_prios(struct sched_values *s)
{
	for (uint32_t i = 0; i < s->nr_tasks; i++)
		free(s->tasks[i].prios);
	free(s->idle.prios);
	s->idle = (struct task){ 0 };
	s->nr_tasks = 0;
}

static void forget_wakings(struct sched_values *s)
{
	free(s->wakings);
	s->wakings = NULL;
	s->nr_wakings = s->cap_wakings = 0;
}

/* What other threads may look at, as it is made already, stays. */
static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct sched_values *s = arg;

	clear(&s->open);
	forget_wakings(s);
	value_sets_restart(&s->sets);
	if (s->makes_prios)
		forget_prios(s);
	if (!s->makes_values)
		return;
	forget_values(s);
	s->nr_lanes = sched_pass_nr_cpus(pass);
	s->lanes = mem_array(s->nr_lanes + 1, sizeof(*s->lanes));
	for (unsigned int i = 0; i < s->trace->nr_streams; i++)
		s->lane_of[i] = -1;
	for (unsigned int i = 0; i < s->nr_lanes; i++)
		s->lane_of[sched_pass_stream(pass, i)] = (int)i;
}

/* --- building ------------------------------------------------------------------------------ */

static int by_ts(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static int by_prio_ts(const void *a, const void *b)
{
	const struct prio *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_values(struct sched_values *s)
{
	for (unsigned int i = 0; i < s->nr_lanes; i++)
		if (s->lanes[i].unsorted)
			qsort(s->lanes[i].values, s->lanes[i].nr, sizeof(struct value), by_ts);
}

static void sort_prios(struct sched_values *s)
{
	for (uint32_t i = 0; i < s->nr_tasks; i++)
		if (s->tasks[i].unsorted)
			qsort(s->tasks[i].prios, s->tasks[i].nr, sizeof(struct prio), by_prio_ts);
	if (s->idle.unsorted)
		qsort(s->idle.prios, s->idle.nr, sizeof(struct prio), by_prio_ts);
}

static void finish(struct sched_values *s)
{
	forget_wakings(s);
	value_sets_end(&s->sets);
	if (s->makes_values) {
		sort_values(s);
		atomic_store(&s->has_values, true);
	}
	if (s->makes_prios) {
		sort_prios(s);
		s->kept = s->pass;
		atomic_store(&s->has_prios, true);
	}
	mem_trim();
	atomic_store(&s->ready, true);
	trace_news(s->trace);
}

static void build(void *arg, unsigned int worker, bool cancelled)
{
	struct sched_values *s = arg;
	enum sched_pass_state state;

	(void)worker;
	if (cancelled)
		return;
	state = sched_pass_step(s->pass, RECORDS_PER_JOB);
	if (state == SCHED_PASS_STOPPED)
		return;
	if (state == SCHED_PASS_MORE || !sched_pass_rest(s->pass))
		workers_add(s->trace->workers, &s->group, WORKER_REQUESTED, build, s);
	else
		finish(s);
}

/* --- its life -------------------------------------------------------------------------------- */

static uint64_t quarter_of_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 4 : UINT64_C(1) << 30;
}

/* What the worker has not finished is not kept. */
static void stop(struct sched_values *s)
{
	atomic_store(&s->stopped, true);
	workers_cancel(&s->group);
	workers_wait(s->trace->workers, &s->group);
	atomic_store(&s->stopped, false);
	if (s->pass != s->kept)
		sched_pass_free(s->pass);
	s->pass = NULL;
	value_sets_stop(&s->sets);
	forget_wakings(s);
}

static void values_free(void *kept)
{
	struct sched_values *s = kept;

	stop(s);
	sched_pass_free(s->kept);
	value_sets_fini(&s->sets);
	forget_values(s);
	forget_prios(s);
	free(s->tasks);
	free(s->lane_of);
	free(s->types);
	free(s);
}

static struct sched_values *values_of(const struct trace *trace, unsigned int file)
{
	return trace->sources[file].kept[TRACE_KEPT_SCHED_VALUES].data;
}

static struct sched_values *keep(struct trace *trace, unsigned int file)
{
	struct sched_values *s = values_of(trace, file);

	if (s)
		return s;
	s = mem_alloc(sizeof(*s));
	s->trace = trace;
	s->file = file;
	s->limit = quarter_of_memory();
	s->listener = (struct sched_listener){ on_task, on_cpu, on_wake, on_other, s };
	s->lane_of = mem_array(trace->nr_streams + 1, sizeof(*s->lane_of));
	s->types = sched_types_new(trace, file, false, false);
	s->sets.nr_streams = trace->nr_streams;
	atomic_store(&s->ready, true);
	trace->sources[file].kept[TRACE_KEPT_SCHED_VALUES] = (struct trace_kept){ s, values_free };
	return s;
}

void sched_values_want(struct trace *trace, unsigned int file)
{
	keep(trace, file)->wants_values = true;
}

void sched_values_want_prio(struct trace *trace, unsigned int file)
{
	keep(trace, file)->wants_prios = true;
}

struct value_set *sched_values_want_among(struct trace *trace, unsigned int file, enum sched_value value,
					  const struct filter_set *numbers, bool negate)
{
	return value_sets_want(&keep(trace, file)->sets, value, numbers, negate);
}

/* Is anything asked for that is neither known nor made? */
static bool is_missing(const struct sched_values *s)
{
	return value_sets_missing(&s->sets) || (s->wants_values && !s->makes_values && !atomic_load(&s->has_values)) ||
	       (s->wants_prios && !s->makes_prios && !atomic_load(&s->has_prios));
}

void sched_values_begin(struct trace *trace, unsigned int file)
{
	struct sched_pass_options options = { .file = file, .begun = on_begun, .workers = trace->workers };
	struct sched_values *s = keep(trace, file);

	if (!is_missing(s))
		return;
	stop(s);
	s->makes_values = s->wants_values && !atomic_load(&s->has_values);
	s->makes_prios = s->wants_prios && !atomic_load(&s->has_prios);
	if (s->makes_values)
		s->full = false;
	if (!value_sets_begin(&s->sets) && !s->makes_values && !s->makes_prios)
		return;
	options.listener = &s->listener;
	options.stopped = &s->stopped;
	s->pass = sched_pass_new(trace, &options);
	atomic_store(&s->ready, false);
	workers_add(trace->workers, &s->group, WORKER_REQUESTED, build, s);
}

bool sched_values_ready(struct trace *trace, unsigned int file)
{
	struct sched_values *s = values_of(trace, file);

	return s && atomic_load(&s->ready);
}

void sched_values_wait(struct trace *trace, unsigned int file)
{
	struct sched_values *s = values_of(trace, file);

	if (s)
		workers_wait(trace->workers, &s->group);
}

bool sched_values_full(struct trace *trace, unsigned int file)
{
	return sched_values_ready(trace, file) && values_of(trace, file)->full;
}

/* --- of a record ------------------------------------------------------------------------------- */

static const struct sched_values *of_record(const struct filter_record *rec)
{
	return values_of(rec->trace, rec->trace->streams[rec->stream].source);
}

static uint32_t number(const struct event_field *field, const struct filter_record *rec)
{
	return field ? (uint32_t)field_u64(field, rec->data, rec->size, rec->swap) : 0;
}

static uint32_t id_of_record(const struct sched_values *s, const struct filter_record *rec, enum sched_op *op)
{
	const struct sched_types *types = s->types;
	const struct sched_shape *shape;

	*op = SCHED_NONE;
	if (!rec->type || (unsigned int)rec->type->id >= sizeof(types->shape_of))
		return 0;
	shape = &types->shapes[types->shape_of[rec->type->id]];
	*op = shape->op;
	return id_of(*op, number(shape->pid, rec), *op == SCHED_SWITCH ? number(shape->pid2, rec) : 0);
}

/* The value of a record; NULL: it has none. */
static const struct value *find(const struct filter_record *rec, enum sched_op *op)
{
	const struct sched_values *s = of_record(rec);
	uint64_t low = 0, high;
	const struct lane *lane;
	uint32_t id;
	int64_t ts;

	if (!s || !atomic_load_explicit(&s->has_values, memory_order_acquire) || s->lane_of[rec->stream] < 0)
		return NULL;
	lane = &s->lanes[s->lane_of[rec->stream]];
	ts = (int64_t)((uint64_t)rec->ts - (uint64_t)rec->trace->sources[s->file].user_offset);
	for (high = lane->nr; low < high;) {
		uint64_t mid = (low + high) / 2;

		if (lane->values[mid].ts < ts)
			low = mid + 1;
		else
			high = mid;
	}
	id = id_of_record(s, rec, op);
	for (; low < lane->nr && lane->values[low].ts == ts; low++)
		if (lane->values[low].id >> ID_SHIFT == id >> ID_SHIFT)
			return &lane->values[low];
	return NULL;
}

bool sched_values_ran(const struct filter_record *rec, int64_t *value)
{
	enum sched_op op;
	const struct value *v = find(rec, &op);

	return v && op == SCHED_SWITCH && get_span(v->ran_high, v->ran_low, value);
}

bool sched_values_wait_of(const struct filter_record *rec, int64_t *value)
{
	enum sched_op op;
	const struct value *v = find(rec, &op);

	return v && op == SCHED_SWITCH && get_span(v->wait_high, v->wait_low, value);
}

bool sched_values_wakelat(const struct filter_record *rec, int64_t *value)
{
	enum sched_op op;
	const struct value *v = find(rec, &op);

	return v && (op != SCHED_SWITCH || v->id & WOKEN) && get_span(v->wait_high, v->wait_low, value);
}

bool sched_values_state(const struct filter_record *rec, int64_t *value)
{
	enum sched_op op;
	const struct value *v = find(rec, &op);

	*value = v ? (int64_t)(v->id & STATE_MASK) : SCHED_UNKNOWN;
	return *value != SCHED_UNKNOWN;
}

static int16_t prio_at(const struct task *t, int64_t ts)
{
	uint32_t low = 0, high = t->nr;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (t->prios[mid].ts <= ts)
			low = mid + 1;
		else
			high = mid;
	}
	return !t->nr ? NO_PRIO : t->prios[low ? low - 1 : 0].prio;
}

/* Of a switch it is that of the task that comes, as are its wait and latency. */
bool sched_values_prio(const struct filter_record *rec, int64_t *value)
{
	const struct sched_values *s = of_record(rec);
	const struct common_layout *common;
	const struct event_field *next;
	uint32_t pid, task;
	int64_t ts;

	if (!s || !atomic_load_explicit(&s->has_prios, memory_order_acquire))
		return false;
	next = sched_values_is_switch(rec->type) ? event_type_field(rec->type, "next_prio") : NULL;
	if (next) {
		*value = (int32_t)number(next, rec);
		return true;
	}
	common = event_types_common(rec->trace->sources[s->file].types);
	pid = (uint32_t)field_load(rec->data, rec->size, common->pid_offset, common->pid_size, rec->swap);
	ts = (int64_t)((uint64_t)rec->ts - (uint64_t)rec->trace->sources[s->file].user_offset);
	task = pid ? sched_rules_find(sched_pass_rules(s->kept), pid) : SCHED_IDLE_TASK;
	*value = task == SCHED_IDLE_TASK ? prio_at(&s->idle, ts) : task < s->nr_tasks ? prio_at(&s->tasks[task], ts) : NO_PRIO;
	return *value != NO_PRIO;
}

/* --- types --------------------------------------------------------------------------------------- */

static bool is_sched(const struct event_type *type)
{
	return type && !strcmp(type->system, "sched");
}

bool sched_values_is_switch(const struct event_type *type)
{
	return is_sched(type) && !strcmp(type->name, "sched_switch");
}

bool sched_values_is_change(const struct event_type *type)
{
	return sched_values_is_switch(type) ||
	       (is_sched(type) && (!strcmp(type->name, "sched_waking") || !strcmp(type->name, "sched_wakeup") ||
				   !strcmp(type->name, "sched_wakeup_new")));
}

const struct event_field *sched_values_other_pid(const struct event_type *type)
{
	return sched_values_is_switch(type) ? event_type_field(type, "next_pid") :
	       sched_values_is_change(type) ? event_type_field(type, "pid") : NULL;
}
