/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_values.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/filter/derived_values.h"
#include "src/base/time_math.h"
#include "src/sched/sched_job.h"
#include "src/sched/limits/sched_limits.h"
#include "src/sched/sched_pass.h"
#include "src/sched/sched_rules.h"
#include "src/trace/trace_streams.h"

#define RECORDS_PER_JOB	(1u << 17)	/* then other jobs get their turn */
#define NO_PRIO		INT16_MIN

enum sched_value {
	SCHED_VALUE_RAN,
	SCHED_VALUE_WAIT,
	SCHED_VALUE_WAKELAT,
	SCHED_VALUE_STATE,
	SCHED_VALUE_THROTTLED,
	SCHED_VALUE_PRIO
};

struct prio {
	int64_t		ts;
	uint32_t	order;		/* order among those with the same time */
	int16_t		prio;
};

struct valued_task {
	struct prio	*prios;		/* owned, by ts */
	uint32_t	 nr, cap;
	bool		 unsorted;
};

struct throttled {			/* in the wait that goes on: */
	int64_t		since, time;	/* all times but the one that goes on since then */
};

struct sched_values {
	struct trace		*trace;		/* borrowed */
	unsigned int		 file;
	struct sched_listener	 listener;
	struct sched_pass	*pass;		/* owned; belongs to the worker until it is ready */
	struct sched_pass	*kept;		/* owned: the pass that made the priorities, kept
						 * for its tasks; may be the same one */
	struct sched_job	 job;
	atomic_bool		 ready, has_prios;
	bool			 wants_prios;
	bool			 makes_prios;	/* does the current pass make priorities? */
	bool			 full;
	uint64_t		 memory, limit;	/* bytes */
	struct derived_values	 values;	/* by enum sched_value */
	trace_ref		*wakes;		/* owned, by index of the task: during the pass,
						 * its last wakeup */
	uint32_t		 nr_wakes;
	struct throttled	*throttled;	/* owned, [nr_throttled] by index of the task */
	uint32_t		 nr_throttled;
	struct valued_task	*tasks;		/* owned, by place_of() */
	uint32_t		 nr_tasks;
};

/* --- changes from the pass ----------------------------------------------------------------- */

/* Where a task's priorities are; the idle task is the first. */
static uint32_t place_of(uint32_t task)
{
	return task == SCHED_IDLE_TASK ? 0 : task + 1;
}

/* @task: its index, or SCHED_IDLE_TASK. */
static void see_prio(struct sched_values *s, uint32_t task, int64_t ts, int16_t prio)
{
	const struct prio *last;
	struct valued_task *t;

	if (!s->makes_prios)
		return;
	mem_reach(&s->tasks, &s->nr_tasks, place_of(task));
	t = &s->tasks[place_of(task)];
	last = t->nr ? &t->prios[t->nr - 1] : NULL;
	s->full |= s->memory >= s->limit;
	if ((last && last->prio == prio && last->ts <= ts) || s->full)
		return;
	t->unsorted |= last && last->ts > ts;
	mem_grow(&t->prios, t->nr, &t->cap);
	t->prios[t->nr] = (struct prio){ ts, t->nr, prio };
	t->nr++;
	s->memory += sizeof(*t->prios);
}

static void add(struct sched_values *s, enum sched_value value, trace_ref ref, int64_t number)
{
	derived_values_add(&s->values, value, ref, number);
}

static void take_wake(struct sched_values *s, uint32_t task, const struct sched_change *c)
{
	mem_reach(&s->wakes, &s->nr_wakes, task);
	s->wakes[task] = c->rec->ref;
	if (!c->dropped && !c->doubtful && c->was != SCHED_UNKNOWN)
		add(s, SCHED_VALUE_STATE, c->rec->ref, c->was);
}

/* Process the next task of a switch. */
static void take_run(struct sched_values *s, uint32_t task, const struct sched_change *c)
{
	const struct sched_limits *limits = sched_pass_limits(s->pass);
	int64_t span, throttled;

	see_prio(s, task, c->ts, c->rec->prio2);
	if ((c->was != SCHED_WAITS && c->was != SCHED_PREEMPTED) || c->doubtful)
		return;
	span = time_between(c->since, c->ts);
	add(s, SCHED_VALUE_WAIT, c->rec->ref, span);
	throttled = task < s->nr_throttled ? s->throttled[task].time : 0;
	if (limits ? c->ts < sched_limits_decided(limits) : throttled > 0)
		add(s, SCHED_VALUE_THROTTLED, c->rec->ref, throttled);
	if (c->was == SCHED_PREEMPTED)
		return;
	add(s, SCHED_VALUE_WAKELAT, c->rec->ref, span);
	add(s, SCHED_VALUE_WAKELAT, s->wakes[task], span);
}

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct sched_values *s = arg;

	if (c->rec && c->state == SCHED_RUNS)
		take_run(s, task, c);
	if (task < s->nr_throttled)	/* a wait has ended, or begins */
		s->throttled[task].time = 0;
	if (!c->rec)
		return;
	switch (c->state) {
	case SCHED_WAITS:
		take_wake(s, task, c);
		break;
	case SCHED_RUNS:
		break;
	case SCHED_PREEMPTED:
	case SCHED_SLEEPS:
	case SCHED_BLOCKED:
	case SCHED_GONE:
		see_prio(s, task, c->ts, c->rec->prio);
		add(s, SCHED_VALUE_STATE, c->rec->ref, c->state);
		if (c->was == SCHED_RUNS && !c->dropped && !c->was_cut)
			add(s, SCHED_VALUE_RAN, c->rec->ref, time_between(c->since, c->ts));
		break;
	case SCHED_UNKNOWN:
		break;
	}
}

static void on_limited(void *arg, uint32_t task, uint32_t limit, int64_t ts, bool doubtful)
{
	struct sched_values *s = arg;
	struct throttled *t;

	(void)doubtful;
	mem_reach(&s->throttled, &s->nr_throttled, task);
	t = &s->throttled[task];
	if (limit != SCHED_NO_LIMIT)
		t->since = sched_limit_is_none(limit) ? INT64_MAX : ts;
	else if (ts > t->since)
		t->time = time_after(t->time, time_between(t->since, ts));
}

static void on_cpu(void *arg, unsigned int cpu, const struct sched_change *c)
{
	struct sched_values *s = arg;

	(void)cpu;
	if (!c->rec)
		return;
	if (!c->rec->pid)
		see_prio(s, SCHED_IDLE_TASK, c->ts, c->rec->prio);
	if (!c->rec->pid2)
		see_prio(s, SCHED_IDLE_TASK, c->ts, c->rec->prio2);
}

static void forget_prios(struct sched_values *s)
{
	for (uint32_t i = 0; i < s->nr_tasks; i++)
		free(s->tasks[i].prios);
	free(s->tasks);
	s->tasks = NULL;
	s->nr_tasks = 0;
	s->memory = 0;
	s->full = false;
}

static void forget_wakes(struct sched_values *s)
{
	free(s->wakes);
	s->wakes = NULL;
	s->nr_wakes = 0;
	free(s->throttled);
	s->throttled = NULL;
	s->nr_throttled = 0;
}

/* Keep results that other threads may be using. */
static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct sched_values *s = arg;

	(void)pass;
	forget_wakes(s);
	derived_values_restart(&s->values);
	if (s->makes_prios)
		forget_prios(s);
}

/* --- building ------------------------------------------------------------------------------ */

static int by_prio_ts(const void *a, const void *b)
{
	const struct prio *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort_prios(struct sched_values *s)
{
	for (uint32_t i = 0; i < s->nr_tasks; i++)
		if (s->tasks[i].unsorted)
			qsort(s->tasks[i].prios, s->tasks[i].nr, sizeof(struct prio), by_prio_ts);
}

static void begin_pass(struct sched_values *s)
{
	struct sched_pass_options options = {
		.file = s->file,
		.begun = on_begun,
		.workers = trace_workers(s->trace),
		.listener = &s->listener,
		.limits = s->values.columns[SCHED_VALUE_THROTTLED],
		/* timers tell when some limits end */
		.interrupts = s->values.columns[SCHED_VALUE_THROTTLED],
		.stopped = &s->job.stopped
	};

	s->pass = sched_pass_new(s->trace, &options);
}

static void finish(struct sched_values *s)
{
	forget_wakes(s);
	derived_values_end(&s->values);
	if (s->makes_prios) {
		sort_prios(s);
		s->kept = s->pass;
		atomic_store(&s->has_prios, true);
	}
	mem_trim();
	atomic_store(&s->ready, true);
	trace_news(s->trace);
}

static bool build(void *arg)
{
	struct sched_values *s = arg;
	enum sched_pass_state state = sched_pass_step(s->pass, RECORDS_PER_JOB);

	if (state == SCHED_PASS_MORE)
		return true;
	if (state != SCHED_PASS_STOPPED)
		finish(s);
	return false;
}

/* --- its life -------------------------------------------------------------------------------- */

/* Discard what the worker has not finished. */
static void stop(void *kept)
{
	struct sched_values *s = kept;

	sched_job_stop(&s->job);
	atomic_store(&s->job.stopped, false);	/* the next pass begins before the job does */
	if (s->pass != s->kept)
		sched_pass_free(s->pass);
	s->pass = NULL;
	derived_values_stop(&s->values);
	forget_wakes(s);
}

static void values_free(void *kept)
{
	struct sched_values *s = kept;

	stop(s);
	sched_pass_free(s->kept);
	derived_values_fini(&s->values);
	forget_prios(s);
	free(s);
}

static const struct trace_keeper keeper = { stop, values_free };
static const char kept_key;

static struct sched_values *values_of(const struct trace *trace, unsigned int file)
{
	return trace_kept(trace, file, &kept_key);
}

static struct sched_values *keep(struct trace *trace, unsigned int file)
{
	struct sched_values *s = values_of(trace, file);

	if (s)
		return s;
	s = mem_alloc(sizeof(*s));
	s->trace = trace;
	s->file = file;
	s->limit = mem_installed() / 4;
	s->listener = (struct sched_listener){ .task = on_task, .cpu = on_cpu,
					       .limited = on_limited, .arg = s };
	derived_values_init(&s->values, trace);
	atomic_store(&s->ready, true);
	trace_keep(trace, file, &kept_key, s, &keeper);
	return s;
}

static struct derived_value *want(struct trace *trace, unsigned int file, unsigned int number,
				  const struct filter_set *functions)
{
	struct sched_values *s = keep(trace, file);

	if (number != SCHED_VALUE_PRIO)
		return derived_values_want(&s->values, number, functions);
	s->wants_prios = true;
	return NULL;
}

/* Is anything requested that is neither known nor being made? */
static bool is_missing(const struct sched_values *s)
{
	return derived_values_missing(&s->values) ||
	       (s->wants_prios && !s->makes_prios && !atomic_load(&s->has_prios));
}

void sched_values_begin(struct trace *trace, unsigned int file)
{
	struct sched_values *s = keep(trace, file);

	if (!is_missing(s))
		return;
	stop(s);
	s->makes_prios = s->wants_prios && !atomic_load(&s->has_prios);
	if (!derived_values_begin(&s->values) && !s->makes_prios)
		return;
	begin_pass(s);
	atomic_store(&s->ready, false);
	sched_job_start(&s->job, trace_workers(trace), build, s);
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
		sched_job_wait(&s->job);
}

static bool has_prios(struct trace *trace, unsigned int file)
{
	struct sched_values *s = values_of(trace, file);

	return s && atomic_load_explicit(&s->has_prios, memory_order_acquire);
}

bool sched_values_full(struct trace *trace, unsigned int file)
{
	return has_prios(trace, file) && values_of(trace, file)->full;
}

/* --- of a record ------------------------------------------------------------------------------ */

static const struct sched_values *of_record(const struct filter_record *rec)
{
	return values_of(rec->trace, trace_stream_at(rec->trace, rec->stream)->source);
}

static uint32_t number(const struct event_field *field, const struct filter_record *rec)
{
	return field ? (uint32_t)field_u64(field, rec->data, rec->size, rec->swap) : 0;
}

static int16_t prio_at(const struct sched_values *s, uint32_t task, int64_t ts)
{
	const struct valued_task *t = task != SCHED_NO_TASK && place_of(task) < s->nr_tasks ?
					      &s->tasks[place_of(task)] :
					      NULL;
	uint32_t nr;

	if (!t || !t->nr)
		return NO_PRIO;
	nr = bisect(t->nr, i, t->prios[i].ts <= ts);
	return t->prios[nr ? nr - 1 : 0].prio;
}

/* At a switch, it is the next task's, like wait and latency. */
static bool prio_of(unsigned int name, const struct filter_record *rec, int64_t *value)
{
	const struct sched_values *s = of_record(rec);
	const struct common_layout *common;
	const struct event_field *next;
	uint32_t pid, task;

	(void)name;
	if (!s || !atomic_load_explicit(&s->has_prios, memory_order_acquire))
		return false;
	next = sched_values_is_switch(rec->type) ? event_type_field(rec->type, "next_prio") : NULL;
	if (next) {
		*value = (int32_t)number(next, rec);
		return true;
	}
	common = event_types_common(trace_source_at(rec->trace, s->file)->types);
	pid = (uint32_t)field_load(rec->data, rec->size, common->pid_offset, common->pid_size,
				   rec->swap);
	task = pid ? sched_rules_find(sched_pass_rules(s->kept), pid, rec->ts) : SCHED_IDLE_TASK;
	*value = prio_at(s, task, rec->ts);
	return *value != NO_PRIO;
}

/* The task that wait, wakelat and prio are about. */
static bool task_of(unsigned int name, const struct filter_record *rec, int64_t *value)
{
	const struct event_field *pid = rec->type ? sched_values_other_pid(rec->type) : NULL;

	(void)name;
	if (!pid && rec->type)
		pid = event_type_field(rec->type, "common_pid");
	if (!pid)
		return false;
	*value = (int32_t)number(pid, rec);
	return true;
}

/* --- types ------------------------------------------------------------------------------------ */

static bool is_sched(const struct event_type *type)
{
	return type && !strcmp(type->system, "sched");
}

bool sched_values_is_switch(const struct event_type *type)
{
	return is_sched(type) && !strcmp(type->name, "sched_switch") &&
	       event_type_tells_switch(type);
}

/* A switch, or a wake-up. */
static bool is_change(const struct event_type *type)
{
	return sched_values_is_switch(type) ||
	       (is_sched(type) &&
		(!strcmp(type->name, "sched_waking") || !strcmp(type->name, "sched_wakeup") ||
		 !strcmp(type->name, "sched_wakeup_new")));
}

const struct event_field *sched_values_other_pid(const struct event_type *type)
{
	return sched_values_is_switch(type) ? event_type_field(type, "next_pid") :
	       is_change(type)              ? event_type_field(type, "pid") :
					      NULL;
}

/* --- names of filters ------------------------------------------------------------------------- */

static bool applies(unsigned int number, const struct event_type *type)
{
	switch ((enum sched_value)number) {
	case SCHED_VALUE_RAN:
	case SCHED_VALUE_WAIT:
	case SCHED_VALUE_THROTTLED:
		return sched_values_is_switch(type);
	case SCHED_VALUE_WAKELAT:
	case SCHED_VALUE_STATE:
		return is_change(type);
	case SCHED_VALUE_PRIO:
		break;
	}
	return true;
}

static const char *trouble(struct trace *trace, unsigned int file)
{
	return sched_values_full(trace, file) ?
		       "too many changes of priority to keep in memory: later ones are unknown" :
		       NULL;
}

static bool told(const struct trace *trace, unsigned int file, unsigned int number)
{
	(void)number;
	return sched_limits_are_told((struct trace *)trace, file);
}

static const struct filter_model model = {
	.told = told,
	.applies = applies,
	.value = prio_of,
	.want = want,
	.begin = sched_values_begin,
	.wait = sched_values_wait,
	.ready = has_prios,
	.trouble = trouble,
};

static const struct filter_model task_model = { .value = task_of };

static const struct filter_name_word states[] = {
	{ "preempted", SCHED_PREEMPTED }, { "sleep", SCHED_SLEEPS }, { "blocked", SCHED_BLOCKED },
	{ "gone", SCHED_GONE },
	{ "R", SCHED_PREEMPTED }, { "S", SCHED_SLEEPS }, { "D", SCHED_BLOCKED },
	{ "X", SCHED_GONE }, { NULL, 0 },
};

const struct filter_name sched_value_names[] = {
	{ .name = "wait", .kind = FILTER_NAME_DERIVED, .model = &model, .number = SCHED_VALUE_WAIT,
	  .is_duration = true,
	  .help = "at a switch: how long the next task was runnable before it ran, unless that is doubtful: wait > 1ms",
	  .task = FILTER_TASK_OTHER },
	{ .name = "wakelat", .kind = FILTER_NAME_DERIVED, .model = &model,
	  .number = SCHED_VALUE_WAKELAT, .is_duration = true,
	  .help = "at a wake-up and at the switch to the woken task: the time between them, unless it is doubtful",
	  .task = FILTER_TASK_OTHER },
	{ .name = "throttled", .kind = FILTER_NAME_DERIVED, .model = &model,
	  .number = SCHED_VALUE_THROTTLED, .is_duration = true,
	  .needs = "limits that cgroups used up: ftop-trace record -e sched keeps them",
	  .help = "at a switch: for how long of that the limit of a cgroup kept the next task from running, as far as records tell",
	  .task = FILTER_TASK_OTHER },
	{ .name = "ran", .kind = FILTER_NAME_DERIVED, .model = &model, .number = SCHED_VALUE_RAN,
	  .is_duration = true,
	  .help = "at a switch: how long the previous task ran", .task = FILTER_TASK_LEAVING },
	{ .name = "state", .kind = FILTER_NAME_DERIVED, .model = &model,
	  .number = SCHED_VALUE_STATE, .words = states,
	  .help = "at a switch: new state of the previous task (preempted, sleep, blocked, gone); at a wake-up: state until then",
	  .task = FILTER_TASK_LEAVING },
	{ .name = "prio", .kind = FILTER_NAME_VALUE, .model = &model, .number = SCHED_VALUE_PRIO,
	  .help = "priority of the task; at a switch, of the next task: prio < 100" },
	{ .name = "task", .kind = FILTER_NAME_VALUE, .model = &task_model,
	  .help = "pid of the task that wait, wakelat and prio are about: at a switch the next one, at a wake-up the woken one, else the event's own: task == 130 && wakelat > 1ms",
	  .task = FILTER_TASK_OTHER },
	{ .name = NULL },
};
