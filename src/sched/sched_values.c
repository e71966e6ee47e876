/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_values.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parsers/types/field.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/filter/value_sets.h"
#include "src/base/time_math.h"
#include "src/sched/sched_pass.h"
#include "src/sched/sched_rules.h"
#include "src/trace/trace_streams.h"

#define RECORDS_PER_JOB	(1u << 17)	/* then other jobs get their turn */
#define NAP_NS		1000000
#define NO_PRIO		INT16_MIN

enum sched_value {
	SCHED_VALUE_RAN,
	SCHED_VALUE_WAIT,
	SCHED_VALUE_WAKELAT,
	SCHED_VALUE_STATE,
	SCHED_VALUE_PRIO
};

struct prio {
	int64_t		ts;
	uint32_t	order;		/* order among those with the same time */
	int16_t		prio;
};

/* A task's last wakeup, during the pass. */
struct waking {
	trace_ref	 ref;
	uint8_t		 was;		/* enum sched_state: the task's previous state */
	bool		 waits;		/* it was not answered yet, some values are unknown */
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
	struct sched_pass	*pass;		/* owned; belongs to the worker until it is ready */
	struct sched_pass	*kept;		/* owned: the pass that made the priorities, kept
						 * for its tasks; may be the same one */
	struct worker_group	 group;
	atomic_bool		 stopped, ready, has_prios;
	bool			 wants_prios;
	bool			 makes_prios;	/* does the current pass make priorities? */
	bool			 notes_prios;	/* for the worker: it stores priorities */
	bool			 prios_first;	/* it only makes priorities: the next pass needs
						 * them for expressions */
	bool			 begun;		/* it was continued */
	bool			 full;
	uint64_t		 memory, limit;	/* bytes */
	struct value_sets	 sets;		/* by enum sched_value */
	struct filter_told	 open;		/* of the current switch, by enum sched_value */
	struct waking		*wakings;	/* owned, by index of the task */
	uint32_t		 nr_wakings;
	struct task		*tasks;		/* owned, by place_of() */
	uint32_t		 nr_tasks;
};

/* --- changes from the pass ----------------------------------------------------------------- */

/* Where a task's priorities are; the idle task is the first. */
static uint32_t place_of(uint32_t task)
{
	return task == SCHED_IDLE_TASK ? 0 : task + 1;
}

static struct waking *waking_at(struct sched_values *s, uint32_t task)
{
	mem_reach(&s->wakings, &s->nr_wakings, task);
	return &s->wakings[task];
}

/* @task: its index, or SCHED_IDLE_TASK. */
static void see_prio(struct sched_values *s, uint32_t task, int64_t ts, int16_t prio)
{
	const struct prio *last;
	struct task *t;

	if (!s->notes_prios)
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

/* Report all values of a wakeup; if it was answered, with the time that took. */
static void tell_wake(struct sched_values *s, struct waking *w, struct filter_told told)
{
	if (!w->waits)
		return;
	w->waits = false;
	if (w->was != SCHED_UNKNOWN)
		filter_told_set(&told, SCHED_VALUE_STATE, w->was);
	value_sets_tell_all(&s->sets, w->ref, &told);
}

static void take_wake(struct sched_values *s, uint32_t task, const struct sched_change *c)
{
	struct waking *w = waking_at(s, task);

	tell_wake(s, w, (struct filter_told){ .known = 0 });
	*w = (struct waking){ .ref = c->rec->ref, .was = (uint8_t)c->was, .waits = true };
	if (c->dropped || c->doubtful)
		w->was = SCHED_UNKNOWN;
	if (w->was != SCHED_UNKNOWN)
		value_sets_tell(&s->sets, SCHED_VALUE_STATE, w->ref, w->was);
}

/* Process the next task of a switch. */
static void take_run(struct sched_values *s, uint32_t task, const struct sched_change *c)
{
	struct filter_told of_wake = { .known = 0 };
	struct waking *w = waking_at(s, task);
	int64_t span;

	see_prio(s, task, c->ts, c->rec->prio2);
	if ((c->was != SCHED_WAITS && c->was != SCHED_PREEMPTED) || c->doubtful)
		return;
	span = time_between(c->since, c->ts);
	filter_told_set(&s->open, SCHED_VALUE_WAIT, span);
	if (c->was == SCHED_PREEMPTED)
		return;
	filter_told_set(&s->open, SCHED_VALUE_WAKELAT, span);
	filter_told_set(&of_wake, SCHED_VALUE_WAKELAT, span);
	tell_wake(s, w, of_wake);
	value_sets_tell(&s->sets, SCHED_VALUE_WAKELAT, w->ref, span);
}

/* Report a switch; all its values are known. */
static void tell_switch(struct sched_values *s, trace_ref ref)
{
	for (unsigned int value = 0; value < FILTER_TOLD_MAX; value++)
		if (filter_told_has(&s->open, value))
			value_sets_tell(&s->sets, value, ref, s->open.values[value]);
	value_sets_tell_all(&s->sets, ref, &s->open);
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
		filter_told_set(&s->open, SCHED_VALUE_STATE, c->state);
		if (c->was == SCHED_RUNS && !c->dropped && !c->was_cut)
			filter_told_set(&s->open, SCHED_VALUE_RAN, time_between(c->since, c->ts));
		break;
	case SCHED_UNKNOWN:
		break;
	}
}

/* The last change of a switch. */
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
	tell_switch(s, c->rec->ref);
	s->open.known = 0;
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

static void forget_wakings(struct sched_values *s)
{
	free(s->wakings);
	s->wakings = NULL;
	s->nr_wakings = 0;
}

/* Keep results that other threads may be using. */
static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct sched_values *s = arg;

	(void)pass;
	s->open.known = 0;
	forget_wakings(s);
	value_sets_restart(&s->sets);
	if (s->notes_prios)
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
	struct sched_pass_options options = { .file = s->file, .begun = on_begun,
					      .workers = trace_workers(s->trace),
					      .listener = &s->listener, .stopped = &s->stopped };

	s->begun = false;
	s->pass = sched_pass_new(s->trace, &options);
}

/* False: another pass follows. */
static bool finish(struct sched_values *s)
{
	for (uint32_t i = 0; i < s->nr_wakings; i++)
		tell_wake(s, &s->wakings[i], (struct filter_told){ .known = 0 });
	forget_wakings(s);
	if (s->notes_prios) {
		sort_prios(s);
		s->kept = s->pass;
		atomic_store(&s->has_prios, true);
	}
	if (s->prios_first) { /* the same records again, for values
					   that need the priorities */
		s->notes_prios = s->prios_first = false;
		begin_pass(s);
		return false;
	}
	value_sets_end(&s->sets);
	mem_trim();
	atomic_store(&s->ready, true);
	trace_news(s->trace);
	return true;
}

/* May the pass begin, or must others finish first? */
static bool may_begin(struct sched_values *s)
{
	s->begun |= s->prios_first || value_sets_ready(&s->sets);
	return s->begun;
}

static void build(void *arg, unsigned int worker, bool cancelled)
{
	struct sched_values *s = arg;
	enum sched_pass_state state;

	(void)worker;
	if (cancelled)
		return;
	if (!may_begin(s)) {
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
		workers_add(trace_workers(s->trace), &s->group, WORKER_BACKGROUND, build, s);
		return;
	}
	state = sched_pass_step(s->pass, RECORDS_PER_JOB);
	if (state == SCHED_PASS_STOPPED)
		return;
	if (state == SCHED_PASS_MORE || !finish(s))
		workers_add(trace_workers(s->trace), &s->group, WORKER_REQUESTED, build, s);
}

/* --- its life -------------------------------------------------------------------------------- */

/* Discard what the worker has not finished. */
static void stop(void *kept)
{
	struct sched_values *s = kept;

	atomic_store(&s->stopped, true);
	workers_cancel(&s->group);
	workers_wait(trace_workers(s->trace), &s->group);
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
	s->listener = (struct sched_listener){ .task = on_task, .cpu = on_cpu, .arg = s };
	s->sets.trace = trace;
	s->sets.file = file;
	s->sets.nr_streams = trace_nr_streams(trace);
	atomic_store(&s->ready, true);
	trace_keep(trace, file, &kept_key, s, &keeper);
	return s;
}

static struct value_set *want(struct trace *trace, unsigned int file,
			      const struct filter_question *question)
{
	struct sched_values *s = keep(trace, file);

	if (question->numbers || question->asks)
		return value_sets_want(&s->sets, question);
	s->wants_prios = true;
	return NULL;
}

/* Is anything requested that is neither known nor being made? */
static bool is_missing(const struct sched_values *s)
{
	return value_sets_missing(&s->sets) ||
	       (s->wants_prios && !s->makes_prios && !atomic_load(&s->has_prios));
}

void sched_values_begin(struct trace *trace, unsigned int file)
{
	struct sched_values *s = keep(trace, file);

	if (!is_missing(s))
		return;
	stop(s);
	s->makes_prios = s->notes_prios = s->wants_prios && !atomic_load(&s->has_prios);
	if (!value_sets_begin(&s->sets) && !s->makes_prios)
		return;
	s->prios_first = s->makes_prios && !value_sets_ready(&s->sets);
	begin_pass(s);
	atomic_store(&s->ready, false);
	workers_add(trace_workers(trace), &s->group, WORKER_REQUESTED, build, s);
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
		workers_wait(trace_workers(trace), &s->group);
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
	const struct task *t = task != SCHED_NO_TASK && place_of(task) < s->nr_tasks ?
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
	task = pid ? sched_rules_find(sched_pass_rules(s->kept), pid) : SCHED_IDLE_TASK;
	*value = prio_at(s, task, rec->ts);
	return *value != NO_PRIO;
}

/* --- types ------------------------------------------------------------------------------------ */

static bool is_sched(const struct event_type *type)
{
	return type && !strcmp(type->system, "sched");
}

bool sched_values_is_switch(const struct event_type *type)
{
	return is_sched(type) && !strcmp(type->name, "sched_switch");
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

static const struct filter_model model = {
	.applies = applies, .value = prio_of, .want = want, .begin = sched_values_begin,
	.wait = sched_values_wait,
	.ready = has_prios, .trouble = trouble,
};

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
	{ .name = "ran", .kind = FILTER_NAME_DERIVED, .model = &model, .number = SCHED_VALUE_RAN,
	  .is_duration = true,
	  .help = "at a switch: how long the previous task ran", .task = FILTER_TASK_LEAVING },
	{ .name = "state", .kind = FILTER_NAME_DERIVED, .model = &model,
	  .number = SCHED_VALUE_STATE, .words = states,
	  .help = "at a switch: new state of the previous task (preempted, sleep, blocked, gone); at a wake-up: state until then",
	  .task = FILTER_TASK_LEAVING },
	{ .name = "prio", .kind = FILTER_NAME_VALUE, .model = &model, .number = SCHED_VALUE_PRIO,
	  .help = "priority of the task; at a switch, of the next task: prio < 100" },
	{ .name = NULL },
};
