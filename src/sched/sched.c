/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/sched/sched_job.h"
#include "src/sched/limits/sched_limits.h"
#include "src/trace/trace_streams.h"

#define RECORDS_PER_LOCK	8192u	/* about 0.3 ms */
#define LOCKS_PER_JOB		128u	/* then other jobs get their turn */
#define FROZEN_MAX		1024u	/* cgroups at a time */

struct sched_cpu {
	struct pyramid	runs, contexts, idle;
	bool		begun;		/* no switch came since its records began, or began again:
					 * what ends now may have begun before */
	struct {
		uint32_t	pid, path;	/* who thaws a cgroup there, and those in it; path
						 * 0: nobody */
		int64_t		frozen;		/* since when the last one of these was; INT64_MAX:
						 * not known */
	}		thaws;
	uint32_t	seen;		/* without switches: the task since its last change + 1; 0:
					   none.  Each piece of a pass begins with its first one */
};

enum task_pyramid {
	TASK_STATES, TASK_WAKES, TASK_MARKS, TASK_QUEUES, TASK_LOCKS, TASK_LIMITS,
	NR_TASK_ROWS
};

struct state_task {
	uint32_t	rows[NR_TASK_ROWS];	/* 1 + number in sched.rows; 0: nothing */
	uint64_t	lock;			/* of the kernel, for which it waits; 0: none */
};

/*
 * arg of a wait: SCHED_WAKER_FIRST + the waker, twice; or 1 + twice the number of a pair.  With 32
 * bits, SCHED_IDLE_TASK + SCHED_WAKER_FIRST is 0, and SCHED_NO_TASK + SCHED_WAKER_FIRST 1.
 */
#define SCHED_WAKER_FIRST	2u

struct interrupted {			/* a waker, and what interrupted it */
	uint32_t	waker, source;	/* NO_SOURCE: nothing did */
	bool		late;		/* it woke the task before that was recorded */
};

#define NO_SOURCE	UINT32_MAX

struct sched {
	struct trace		*trace;		/* borrowed */
	unsigned int		 file;
	uint64_t		 limit;		/* bytes */
	struct sched_listener	 listener;
	struct sched_pass	*pass;		/* owned */
	struct sched_pass	*former;	/* owned: parked without switches; or NULL */
	struct sched_job	 job;
	pthread_mutex_t		 lock;		/* protects everything below, and the pass */
	pthread_cond_t		 released;
	atomic_uint		 wanted;	/* threads that wait for the lock, or hold it */
	struct sched_cpu	*cpus;		/* owned */
	unsigned int		 nr_cpus;
	struct state_task	*tasks;		/* owned */
	uint32_t		 nr_tasks, cap_tasks;
	struct pyramid		*rows;		/* owned: of the tasks */
	uint32_t		 nr_rows, cap_rows;
	struct sched_sources	 sources;
	struct interrupted	*pairs;		/* owned */
	uint32_t		 nr_pairs, cap_pairs;
	struct index_map	 pair_map;
	struct frozen {
		uint32_t	path;
		int64_t		since;
	}			*frozen;	/* owned: cgroups, now */
	uint32_t		 nr_frozen, cap_frozen;
	bool			 has_contexts;
	bool			 parks;		/* its pass does: the trace grows */
	bool			 goes_on;	/* it has not taken yet what was appended */
	int64_t			 forgets;	/* then: what is before this */
	bool			 begun;		/* `first` is valid */
	int64_t			 first;
	int64_t			 last;		/* end of what was processed so far, finally of
						 * the buffer */
	/* For sched_progress(): */
	atomic_bool		 done, failed, full;
	atomic_bool		 stale;		/* see sched_pass_serves() */
	atomic_bool		 outlived;
	atomic_uint		 permille;
	_Atomic int64_t		 known;
	_Atomic uint64_t	 memory;
};

/* --- changes from the pass ------------------------------------------------------------- */

static void add(struct sched *s, struct pyramid *p, int64_t ts, unsigned int kind, uint32_t arg,
		bool again, enum pyramid_end former)
{
	uint64_t memory;

	if (atomic_load_explicit(&s->full, memory_order_relaxed))
		return;
	memory = atomic_load_explicit(&s->memory, memory_order_relaxed) +
		 pyramid_add(p, ts, kind, arg, again, former);
	atomic_store_explicit(&s->memory, memory, memory_order_relaxed);
	if (memory > s->limit) {
		atomic_store(&s->known, ts);
		atomic_store(&s->full, true);
	}
}

static void see_time(struct sched *s, int64_t ts)
{
	if (!s->begun || ts < s->first)
		s->first = ts;
	if (!s->begun || ts > s->last)
		s->last = ts;
	s->begun = true;
}

static void count_memory(struct sched *s, uint64_t bytes)
{
	atomic_fetch_add_explicit(&s->memory, bytes, memory_order_relaxed);
}

/* For adding to it, before another one is made. */
static struct pyramid *row_of(struct sched *s, uint32_t task, enum task_pyramid kind)
{
	uint32_t *row;

	while (task >= s->nr_tasks) {
		uint32_t cap = s->cap_tasks;

		mem_grow(&s->tasks, s->nr_tasks, &s->cap_tasks);
		s->tasks[s->nr_tasks++] = (struct state_task){ 0 };
		count_memory(s, (s->cap_tasks - cap) * sizeof(*s->tasks));
	}
	row = &s->tasks[task].rows[kind];
	if (!*row) {
		uint32_t cap = s->cap_rows;

		mem_grow(&s->rows, s->nr_rows, &s->cap_rows);
		s->rows[s->nr_rows++] = (struct pyramid){ 0 };
		*row = s->nr_rows;
		count_memory(s, (s->cap_rows - cap) * sizeof(*s->rows));
	}
	return &s->rows[*row - 1];
}

static uint32_t wait_arg(struct sched *s, const struct sched_change *c)
{
	struct interrupted pair = { c->waker, c->by, c->late };
	uint32_t hash;

	if (sched_change_by_task(c) && !c->late)
		return (c->waker + SCHED_WAKER_FIRST) << 1;
	if (sched_change_by_task(c))
		pair.source = NO_SOURCE;
	else if (c->in)
		pair.source = sched_sources_add(&s->sources, c->in);
	hash = index_map_hash_pair((uint64_t)pair.late << 32 | pair.waker, pair.source);
	index_map_each (&s->pair_map, hash, i)
		if (s->pairs[i].waker == pair.waker && s->pairs[i].source == pair.source &&
		    s->pairs[i].late == pair.late)
			return i << 1 | 1;
	mem_grow(&s->pairs, s->nr_pairs, &s->cap_pairs);
	s->pairs[s->nr_pairs] = pair;
	index_map_add(&s->pair_map, hash, s->nr_pairs);
	return s->nr_pairs++ << 1 | 1;
}

/* It ran on another CPU than it waited for, or for none that is known? */
static void mark_astray(struct sched *s, uint32_t task, const struct sched_change *c)
{
	int32_t queue = sched_rules_task(sched_pass_rules(s->pass), task)->queue;

	if (queue != c->cpu && !c->dropped && (c->was == SCHED_WAITS || c->was == SCHED_PREEMPTED))
		add(s, row_of(s, task, TASK_QUEUES), c->ts, SCHED_QUEUE_ASTRAY,
		    queue != SCHED_NO_QUEUE, false, PYRAMID_SURE);
}

/* The cgroup of a task at a time; NULL: not known. */
static const char *group_at(struct sched *s, uint32_t task, int64_t ts)
{
	uint32_t pid = sched_rules_task(sched_pass_rules(s->pass), task)->pid;
	struct who who;
	int64_t from, to;

	return trace_who(s->trace, s->file, (int)pid, ts, &who, &from, &to) ? who.cgroup : NULL;
}

/*
 * Who thaws a cgroup wakes its tasks one after the other, without a switch in between; and others,
 * maybe, behind that.
 */
static void mark_frozen(struct sched *s, uint32_t task, const struct sched_change *c)
{
	const struct sched_cpu *cpu = &s->cpus[c->cpu];
	const char *group;

	if (!cpu->thaws.path || c->rec->pid2 != cpu->thaws.pid || c->was != SCHED_SLEEPS ||
	    c->doubtful || c->since < cpu->thaws.frozen)
		return;
	group = group_at(s, task, c->since);
	if (!group || !sched_limits_hold(sched_pass_name(s->pass, cpu->thaws.path), group))
		return;
	add(s, row_of(s, task, TASK_LIMITS), c->since, SCHED_FROZEN, cpu->thaws.path, false,
	    PYRAMID_SURE);
	add(s, row_of(s, task, TASK_LIMITS), c->ts, SCHED_NOT_LIMITED, true, false, PYRAMID_SURE);
}

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct sched *s = arg;
	unsigned int kind = c->state;
	uint32_t detail = 0;

	if (c->rec && c->rec->op == SCHED_WAKEUP_NEW)
		add(s, row_of(s, task, TASK_MARKS), c->ts, SCHED_MARK_CREATED, 0, false,
		    PYRAMID_SURE);
	switch (c->state) {
	case SCHED_RUNS:
		detail = (uint32_t)c->cpu;
		mark_astray(s, task, c);
		break;
	case SCHED_WAITS:
		detail = wait_arg(s, c);
		mark_frozen(s, task, c);
		break;
	case SCHED_PREEMPTED:
	case SCHED_SLEEPS:
	case SCHED_BLOCKED:
	case SCHED_GONE:
		detail = c->prev_state;
		break;
	case SCHED_UNKNOWN:
		if (c->lost) {
			kind = SCHED_TASK_LOST;
			detail = c->cpu < 0 ? 0 : (uint32_t)c->cpu;	/* -1: of all CPUs */
		}
		break;
	}
	add(s, row_of(s, task, TASK_STATES), c->ts, kind, detail, c->cut,
	    c->dropped  ? PYRAMID_DROPPED :
	    c->doubtful ? PYRAMID_DOUBTFUL :
			  PYRAMID_SURE);
}

/* @begins: the CPU's records begin, or go on after a loss. */
static void end_contexts(struct sched *s, unsigned int nr, int64_t ts, bool begins)
{
	struct sched_cpu *cpu = &s->cpus[nr];

	cpu->begun = begins;
	if (begins || sched_nest_interrupts(sched_rules_nest(sched_pass_rules(s->pass), nr)))
		add(s, &cpu->contexts, ts, SCHED_CONTEXT_TASK, 0, true, PYRAMID_SURE);
}

/* The ring of each CPU begins at a time of its own: up to that, nothing is known of the CPU. */
static bool follows_dropped(const struct sched *s, unsigned int nr)
{
	const struct trace_stream *stream = trace_stream_at(s->trace,
							    sched_pass_stream(s->pass, nr));

	return !s->cpus[nr].runs.nr_chunks && page_index_start(&stream->index);
}

static void on_cpu(void *arg, unsigned int nr, const struct sched_change *c)
{
	struct sched *s = arg;
	struct sched_cpu *cpu = &s->cpus[nr];
	unsigned int kind = SCHED_CPU_RUNS;

	if (c->task == SCHED_IDLE_TASK)
		kind = SCHED_CPU_IDLE;
	else if (c->task == SCHED_NO_TASK)
		kind = c->lost ? SCHED_CPU_LOST : SCHED_CPU_UNKNOWN;
	see_time(s, c->ts);
	cpu->seen = cpu->thaws.path = 0;
	add(s, &cpu->runs, c->ts, kind,
	    kind == SCHED_CPU_RUNS                           ? c->task :
	    c->missing                                       ? SCHED_CPU_MISSING :
	    kind == SCHED_CPU_LOST && follows_dropped(s, nr) ? SCHED_CPU_DROPPED :
							       0,
	    c->cut, c->dropped ? PYRAMID_DROPPED : PYRAMID_SURE);
	end_contexts(s, nr, c->ts, !c->rec && !c->lost);
}

static void on_wake(void *arg, uint32_t waker, uint32_t task, int64_t ts)
{
	struct sched *s = arg;

	if (waker < SCHED_IDLE_TASK)
		add(s, row_of(s, waker, TASK_WAKES), ts, SCHED_MARK_WOKE, task, false,
		    PYRAMID_SURE);
}

static void take_context(struct sched *s, unsigned int cpu_nr, const struct sched_rec *rec)
{
	const struct sched_nest *nest = sched_rules_nest(sched_pass_rules(s->pass), cpu_nr);
	struct sched_cpu *cpu = &s->cpus[cpu_nr];
	bool is_timer = rec->detail == SCHED_CONTEXT_TIMER,
	     is_end = rec->detail == SCHED_CONTEXT_TASK;
	unsigned int nr = sched_nest_interrupts(nest);

	s->has_contexts |= !is_timer && !is_end;
	cpu->begun &= !is_end;
	if (nest->is_astray) {
		/* its entry is missing: it ran up to now, not the task */
		if (cpu->begun && !nest->before && !is_timer)
			add(s, &cpu->contexts, rec->ts, SCHED_CONTEXT_TASK, 0, true,
			    PYRAMID_DOUBTFUL);
		return;
	}
	if ((!is_timer && !is_end) || nr != nest->before)
		add(s, &cpu->contexts, sched_nest_ts(rec), sched_nest_context(nest),
		    nr ? sched_sources_add(&s->sources, &nest->open[nr - 1]) : 0,
		    rec->op == SCHED_LEAVE, PYRAMID_SURE);
}

static void on_resumed(void *arg, unsigned int nr, const struct sched_rec *rec)
{
	struct sched *s = arg;

	add(s, &s->cpus[nr].contexts, rec->ts, rec->detail, sched_sources_add(&s->sources, rec),
	    true, PYRAMID_SURE);
}

static void mark(struct sched *s, uint32_t pid, int64_t ts, enum sched_mark kind, uint32_t arg)
{
	uint32_t task = sched_pass_task(s->pass, pid);

	if (task < SCHED_IDLE_TASK)
		add(s, row_of(s, task, TASK_MARKS), ts, kind, arg, false, PYRAMID_SURE);
}

static void on_moved(void *arg, uint32_t task, int32_t cpu, int64_t ts)
{
	struct sched *s = arg;
	const struct sched_task *t = sched_rules_task(sched_pass_rules(s->pass), task);

	/* it waits for this one from the beginning */
	if (t->queue == SCHED_NO_QUEUE && !sched_task_chose(t, cpu))
		return;
	add(s, row_of(s, task, TASK_QUEUES), ts, SCHED_QUEUE_LEFT,
	    t->queue < 0 ? s->nr_cpus : (uint32_t)t->queue, false, PYRAMID_SURE);
}

static void on_limited(void *arg, uint32_t task, uint32_t limit, int64_t ts, bool doubtful)
{
	struct sched *s = arg;

	add(s, row_of(s, task, TASK_LIMITS), ts,
	    limit == SCHED_NO_LIMIT    ? SCHED_NOT_LIMITED :
	    limit == SCHED_LIMIT_YIELD ? SCHED_YIELDS :
					 SCHED_THROTTLED,
	    limit != SCHED_NO_LIMIT ? limit : !doubtful, false, PYRAMID_SURE);
}

/* A moment in the life of a task. */
static void take_mark(struct sched *s, const struct sched_rec *rec)
{
	uint32_t parent;

	if (rec->op == SCHED_MIGRATE) {
		mark(s, rec->pid, rec->ts, SCHED_MARK_MIGRATED,
		     (uint32_t)(sched_pass_cpu_index(s->pass, rec->cpu) + 1));
	} else if (rec->op == SCHED_EXEC && !rec->comm) {
		mark(s, rec->pid, rec->ts, SCHED_MARK_EXEC, 0);
	} else if (rec->op == SCHED_TOLD && rec->cpu == SCHED_NO_CPU) {
		mark(s, rec->pid, rec->ts, SCHED_MARK_PRIO, (uint32_t)rec->prio);
	} else if (rec->op == SCHED_FORK) {
		mark(s, rec->pid, rec->ts, SCHED_MARK_CREATED, 0);
		parent = sched_pass_task(s->pass, rec->pid);
		if (parent < SCHED_IDLE_TASK)
			mark(s, rec->pid2, rec->ts, SCHED_MARK_FORKED, parent);
	}
}

/*
 * A task begins or ends a wait for a lock.  If several records begin it, the last one counts: it
 * has the newest holder.  A second kernel lock only protects the data of the first one: skip it.
 */
static void take_lock(struct sched *s, unsigned int cpu, const struct sched_rec *rec)
{
	bool begins = rec->op == SCHED_LOCK, is_kernel = rec->detail == SCHED_OF_KERNEL;
	uint32_t task = sched_pass_task(s->pass, rec->pid);
	uint64_t lock = (uint64_t)rec->end;
	struct pyramid *row;
	struct state_task *t;

	if (task >= SCHED_IDLE_TASK || rec->detail == SCHED_OF_NOTHING)
		return;
	row = row_of(s, task, TASK_LOCKS);
	t = &s->tasks[task];
	if (is_kernel && t->lock && t->lock != lock)
		return;
	if (is_kernel)
		t->lock = begins ? lock : 0;
	add(s, row, rec->ts,
	    !begins                         ? SCHED_LOCK_NONE :
	    rec->detail == SCHED_OF_NO_LOCK ? SCHED_LOCK_MAYBE :
					      SCHED_LOCK_WAITS,
	    cpu, false, PYRAMID_SURE);
}

/* Without switches: the task that a CPU has events of, or nobody, where these pause. */
static void see_task(struct sched *s, struct sched_cpu *cpu, const struct sched_rec *rec)
{
	uint32_t task = rec->detail == SCHED_SEEN_NOBODY ? SCHED_NO_TASK :
							   sched_pass_task(s->pass, rec->pid);

	if (cpu->seen == task + 1)
		return;
	cpu->seen = task + 1;
	add(s, &cpu->runs, rec->ts,
	    task == SCHED_IDLE_TASK ? SCHED_CPU_IDLE :
	    task == SCHED_NO_TASK   ? SCHED_CPU_UNKNOWN :
				      SCHED_CPU_RUNS,
	    task < SCHED_IDLE_TASK ? task : 0, false, PYRAMID_SURE);
}

static bool is_in(const struct sched *s, uint32_t path, uint32_t group)
{
	return sched_limits_hold(sched_pass_name(s->pass, group), sched_pass_name(s->pass, path));
}

/* Who freezes or thaws a cgroup goes on with those in it, each with a record of its own. */
static void take_freeze(struct sched *s, struct sched_cpu *cpu, const struct sched_rec *rec)
{
	uint32_t i = 0;

	if (!rec->comm)
		return;
	while (i < s->nr_frozen && s->frozen[i].path != rec->comm)
		i++;
	if (rec->detail == SCHED_LIMIT_BEGINS) {
		if (i == FROZEN_MAX)
			return;
		if (i == s->nr_frozen) {
			mem_grow(&s->frozen, s->nr_frozen, &s->cap_frozen);
			s->nr_frozen++;
		}
		s->frozen[i] = (struct frozen){ rec->comm, rec->ts };
		return;
	}
	cpu->thaws.frozen = i < s->nr_frozen ? s->frozen[i].since : INT64_MAX;
	if (i < s->nr_frozen)
		s->frozen[i] = s->frozen[--s->nr_frozen];
	if (cpu->thaws.pid != rec->pid2 || !cpu->thaws.path ||
	    !is_in(s, rec->comm, cpu->thaws.path))
		cpu->thaws.path = rec->comm;
	cpu->thaws.pid = rec->pid2;
}

/* Who went to sleep in a cgroup that was frozen, sleeps for that: it cannot sleep otherwise. */
static void mark_frozen_to_end(struct sched *s)
{
	for (uint32_t i = 0; s->nr_frozen && i < s->nr_tasks; i++) {
		const struct sched_task *t = sched_rules_task(sched_pass_rules(s->pass), i);
		const char *group = t->state == SCHED_SLEEPS ? group_at(s, i, t->since) : NULL;
		const struct frozen *of = NULL;

		if (!group)
			continue;
		for (uint32_t k = 0; k < s->nr_frozen; k++)
			if (s->frozen[k].since <= t->since &&
			    sched_limits_hold(sched_pass_name(s->pass, s->frozen[k].path), group) &&
			    (!of || is_in(s, of->path, s->frozen[k].path)))
				of = &s->frozen[k];
		if (of)
			add(s, row_of(s, i, TASK_LIMITS), t->since, SCHED_FROZEN, of->path, false,
			    PYRAMID_SURE);
	}
}

static void on_other(void *arg, unsigned int nr, const struct sched_rec *rec)
{
	struct sched *s = arg;
	struct sched_cpu *cpu = &s->cpus[nr];

	if (rec->op == SCHED_ENTER || rec->op == SCHED_LEAVE)
		take_context(s, nr, rec);
	else if (rec->op == SCHED_POWER)
		add(s, &cpu->idle, rec->ts, rec->pid != UINT32_MAX, rec->pid & 0xff, false,
		    PYRAMID_SURE);
	else if (rec->op == SCHED_LOCK || rec->op == SCHED_LOCKED)
		take_lock(s, nr, rec);
	else if (rec->op == SCHED_FREEZE)
		take_freeze(s, cpu, rec);
	else if (rec->op == SCHED_SEEN)
		see_task(s, cpu, rec);
	else
		take_mark(s, rec);
}

static void forget_all(struct sched *s)
{
	for (unsigned int i = 0; i < s->nr_cpus; i++) {
		pyramid_fini(&s->cpus[i].runs);
		pyramid_fini(&s->cpus[i].contexts);
		pyramid_fini(&s->cpus[i].idle);
	}
	for (uint32_t i = 0; i < s->nr_rows; i++)
		pyramid_fini(&s->rows[i]);
	free(s->cpus);
	free(s->pairs);
	s->pairs = NULL;
	s->nr_pairs = s->cap_pairs = 0;
	index_map_fini(&s->pair_map);
	sched_sources_fini(&s->sources);
	s->nr_tasks = s->nr_rows = s->nr_frozen = 0;
	s->begun = false;
}

/* A buffer begins; any earlier one had no relevant records. */
static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct sched *s = arg;

	forget_all(s);
	s->nr_cpus = sched_pass_nr_cpus(pass);
	s->cpus = mem_array(s->nr_cpus, sizeof(*s->cpus));
	for (unsigned int i = 0; i < s->nr_cpus; i++)
		s->cpus[i].runs.votes = true;
}

/* --- building ---------------------------------------------------------------------------- */

/* What tasks do up to the end of the buffer may be doubtful, too. */
static void doubt_last(struct sched *s)
{
	for (uint32_t i = 0; i < s->nr_tasks; i++)
		if (s->tasks[i].rows[TASK_STATES])
			pyramid_doubt_last(row_of(s, i, TASK_STATES),
					   sched_rules_doubts(sched_pass_rules(s->pass), i,
							      s->last));
}

static struct sched_pass *new_pass(struct sched *s)
{
	const struct sched_pass_options options = {
		.file = s->file, .pictures = true, .no_sums = true, .begun = on_begun,
		.parks = s->parks, .limits = true,
		.listener = &s->listener, .workers = trace_workers(s->trace),
		.stopped = &s->job.stopped,
	};

	return sched_pass_new(s->trace, &options);
}

/* The buffer has no switches: another one may, or it shows which tasks there are. */
static void look_elsewhere(struct sched *s)
{
	s->former = s->pass;
	s->parks = false;
	s->pass = new_pass(s);
}

static void forget(struct sched *s)
{
	for (unsigned int i = 0; i < s->nr_cpus; i++) {
		pyramid_forget(&s->cpus[i].runs, s->forgets);
		pyramid_forget(&s->cpus[i].contexts, s->forgets);
		pyramid_forget(&s->cpus[i].idle, s->forgets);
	}
	for (uint32_t i = 0; i < s->nr_rows; i++)
		pyramid_forget(&s->rows[i], s->forgets);
	if (s->begun && s->first < s->forgets)
		s->first = s->forgets;
}

/* It has taken nothing yet of what was appended. */
static void go_on(struct sched *s)
{
	if (!s->goes_on)
		return;
	s->goes_on = false;
	if (atomic_load(&s->outlived))
		forget(s);
	sched_pass_go_on(s->pass, INT64_MAX);
}

/* A slice of work, with the lock held.  Return: whether there is more. */
static bool build_slice(struct sched *s)
{
	struct sched_feed_totals totals;
	enum sched_pass_state state;
	bool is_end;

	pthread_mutex_lock(&s->lock);
	while (atomic_load(&s->wanted))
		pthread_cond_wait(&s->released, &s->lock);
	go_on(s);
	state = sched_pass_step(s->pass, RECORDS_PER_LOCK);
	totals = sched_pass_totals(s->pass);
	if (state == SCHED_PASS_PARKED && !totals.switches) {
		look_elsewhere(s);
		state = SCHED_PASS_MORE;
	}
	is_end = state == SCHED_PASS_DONE || state == SCHED_PASS_PARKED;
	if (is_end && totals.any) {
		s->last = state == SCHED_PASS_DONE ? totals.last_ts :
						     time_after(sched_pass_until(s->pass), -1);
		if (!atomic_load(&s->full))
			doubt_last(s);
		if (state == SCHED_PASS_DONE && !atomic_load(&s->full))
			mark_frozen_to_end(s);
	}
	if (!atomic_load(&s->full) && s->begun)
		atomic_store(&s->known, is_end ? s->last : sched_pass_key(s->pass));
	atomic_store(&s->permille, totals.all_pages ?
					   (unsigned int)(totals.pages * 1000 / totals.all_pages) :
					   1000);
	if (state == SCHED_PASS_FULL)
		atomic_store(&s->failed, true);
	if (s->parks && !sched_pass_serves(s->pass, INT64_MAX))
		atomic_store(&s->stale, true);
	if (state != SCHED_PASS_MORE)
		atomic_store(&s->done, true);
	pthread_mutex_unlock(&s->lock);
	return state == SCHED_PASS_MORE;
}

static bool build(void *arg)
{
	struct sched *s = arg;
	bool more = true;

	for (unsigned int i = 0; more && i < LOCKS_PER_JOB; i++)
		more = build_slice(s);
	return more;
}

struct sched *sched_new(struct trace *trace, unsigned int file, uint64_t memory_bytes)
{
	struct sched *s = mem_alloc(sizeof(*s));

	s->trace = trace;
	s->file = file;
	s->limit = memory_bytes ? memory_bytes : mem_installed() / 4;
	s->listener = (struct sched_listener){ on_task,           on_cpu,  on_wake, on_other,
					       .resumed = on_resumed,
					       .moved = on_moved,
					       .limited = on_limited, .arg = s };
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->released, NULL);
	atomic_store(&s->known, INT64_MIN);
	s->parks = s->goes_on = trace_grows(trace) && trace_has_switches(trace, file);
	s->pass = new_pass(s);
	sched_job_start(&s->job, trace_workers(trace), build, s);
	return s;
}

bool sched_grow(struct sched *s, int64_t from)
{
	int64_t first, last;

	if (!s->parks || !trace_grows(s->trace) || atomic_load(&s->stale) ||
	    atomic_load(&s->failed) || atomic_load(&s->full))
		return false;
	sched_wait(s);
	if (from != SCHED_IN_TRACE && !sched_pass_serves(s->pass, INT64_MAX) &&
	    sched_pass_outlive(s->pass))
		atomic_store(&s->outlived, true);
	if (!sched_pass_serves(s->pass, INT64_MAX) ||
	    (from == SCHED_IN_TRACE && atomic_load(&s->outlived)))
		return false;
	s->forgets = trace_file_span(s->trace, s->file, &first, &last) && first < from ? first :
											 from;
	s->goes_on = true;
	sched_job_start(&s->job, trace_workers(s->trace), build, s);
	return true;
}

void sched_free(struct sched *s)
{
	if (!s)
		return;
	sched_job_stop(&s->job);
	sched_pass_free(s->pass);
	sched_pass_free(s->former);
	forget_all(s);
	free(s->tasks);
	free(s->rows);
	free(s->frozen);
	pthread_cond_destroy(&s->released);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void sched_wait(struct sched *s)
{
	sched_job_wait(&s->job);
}

struct sched_progress sched_progress(const struct sched *s)
{
	struct sched *any = (struct sched *)s;

	return (struct sched_progress){ .done = atomic_load(&any->done),
					.failed = atomic_load(&any->failed),
					.full = atomic_load(&any->full),
					.outlived = atomic_load(&any->outlived),
					.stale = atomic_load(&any->stale),
					.permille = atomic_load(&any->permille),
					.known = atomic_load(&any->known),
					.memory = atomic_load(&any->memory) };
}

void sched_lock(struct sched *s)
{
	atomic_fetch_add(&s->wanted, 1);
	pthread_mutex_lock(&s->lock);
}

void sched_unlock(struct sched *s)
{
	atomic_fetch_sub(&s->wanted, 1);
	pthread_cond_signal(&s->released);
	pthread_mutex_unlock(&s->lock);
}

static const struct pyramid nothing;	/* for tasks without changes */

/* --- what is known ------------------------------------------------------------------------ */

struct trace *sched_trace(const struct sched *s)
{
	return s->trace;
}

unsigned int sched_file(const struct sched *s)
{
	return s->file;
}

const struct sched_pass *sched_pass_of(const struct sched *s)
{
	return s->pass;
}

bool sched_span(const struct sched *s, int64_t *first, int64_t *last)
{
	*first = s->first;
	*last = s->last;
	return s->begun;
}

int64_t sched_end(const struct sched *s)
{
	return atomic_load(&((struct sched *)s)->known);
}

unsigned int sched_nr_cpus(const struct sched *s)
{
	return s->nr_cpus;
}

const struct pyramid *sched_cpu(const struct sched *s, unsigned int cpu)
{
	return &s->cpus[cpu].runs;
}

const struct pyramid *sched_contexts(const struct sched *s, unsigned int cpu)
{
	return &s->cpus[cpu].contexts;
}

const struct pyramid *sched_idle(const struct sched *s, unsigned int cpu)
{
	return &s->cpus[cpu].idle;
}

int sched_cpu_index(const struct sched *s, int cpu)
{
	return cpu < 0 ? -1 : sched_pass_cpu_index(s->pass, (uint32_t)cpu);
}

uint32_t sched_nr_tasks(const struct sched *s)
{
	return s->nr_tasks;
}

static const struct pyramid *find_row(const struct sched *s, uint32_t task, enum task_pyramid kind)
{
	uint32_t row = task < s->nr_tasks ? s->tasks[task].rows[kind] : 0;

	return row ? &s->rows[row - 1] : &nothing;
}

const struct pyramid *sched_task(const struct sched *s, uint32_t task)
{
	return find_row(s, task, TASK_STATES);
}

const struct pyramid *sched_wakes(const struct sched *s, uint32_t task)
{
	return find_row(s, task, TASK_WAKES);
}

const struct pyramid *sched_marks(const struct sched *s, uint32_t task)
{
	return find_row(s, task, TASK_MARKS);
}

const struct pyramid *sched_queues(const struct sched *s, uint32_t task)
{
	return find_row(s, task, TASK_QUEUES);
}

const struct pyramid *sched_locks(const struct sched *s, uint32_t task)
{
	return find_row(s, task, TASK_LOCKS);
}

const struct pyramid *sched_limits(const struct sched *s, uint32_t task)
{
	return find_row(s, task, TASK_LIMITS);
}

const char *sched_frozen(const struct sched *s, uint32_t task, const struct pyramid_state *sleep)
{
	struct pyramid_state limit;

	return pyramid_at(sched_limits(s, task), sched_end(s), sleep->from, &limit) &&
			       limit.kind == SCHED_FROZEN ?
		       sched_pass_name(s->pass, limit.arg) :
		       NULL;
}

const char *sched_comm(const struct sched *s, uint32_t task, int64_t ts)
{
	const struct sched_task *t = sched_rules_task(sched_pass_rules(s->pass), task);

	return trace_comm(s->trace, s->file, (int)t->pid, sched_task_time(t, ts));
}

void sched_task_text(const struct sched *s, uint32_t task, int64_t ts, enum sched_naming naming,
		     struct text *out)
{
	const char *comm = sched_comm(s, task, ts), *last = sched_pass_comm(s->pass, task);
	uint32_t pid = sched_rules_task(sched_pass_rules(s->pass), task)->pid;
	bool is_sum = naming == SCHED_LAST || naming == SCHED_LAST_WAS;

	text_printf(out, "%s-%" PRIu32, is_sum ? last : comm, pid);
	if (naming == SCHED_THEN_NOW && strcmp(comm, last) != 0)
		text_printf(out, " (now %s)", last);
	if (naming == SCHED_LAST_WAS && strcmp(comm, last) != 0)
		text_printf(out, " (was %s)", comm);
	if ((naming == SCHED_THEN_NOW || naming == SCHED_LAST_WAS) &&
	    trace_is_recorder(s->trace, s->file, (int)pid, ts, comm))
		text_add(out, TRACE_OWN);
}

bool sched_created(const struct sched *s, uint32_t task, int64_t *ts)
{
	static const struct pyramid_find created = { .kinds = 1u << SCHED_MARK_CREATED };
	const struct pyramid *states = sched_task(s, task);
	struct pyramid_state mark;

	if (!pyramid_find_next(sched_marks(s, task), sched_end(s), INT64_MIN, &created, &mark) ||
	    (states->nr_chunks && states->first < mark.from))
		return false;
	*ts = mark.from;
	return true;
}

const struct sched_source *sched_source_of(const struct sched *s, uint32_t arg)
{
	return sched_sources_at(&s->sources, arg);
}

uint32_t sched_waker(const struct sched *s, uint32_t arg)
{
	return arg & 1 ? s->pairs[arg >> 1].waker : (arg >> 1) - SCHED_WAKER_FIRST;
}

const struct sched_source *sched_wake_source(const struct sched *s, uint32_t arg)
{
	uint32_t source = arg & 1 ? s->pairs[arg >> 1].source : NO_SOURCE;

	return source == NO_SOURCE ? NULL : sched_source_of(s, source);
}

bool sched_wake_late(const struct sched *s, uint32_t arg)
{
	return arg & 1 && s->pairs[arg >> 1].late;
}

bool sched_has_contexts(const struct sched *s)
{
	return s->has_contexts;
}
