/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/limits/sched_limits.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/events/verdicts.h"
#include "src/sched/limits/sched_limits_private.h"

#define LIMITS_MAX	65536u		/* groups */
#define LANES_MAX	(1u << 22)	/* groups x CPUs */

/* --- which limits a task has ---------------------------------------------------------------- */

bool sched_limits_hold(const char *group, const char *path)
{
	size_t len = strlen(group);

	return !strncmp(path, group, len) && (!path[len] || path[len] == '/');
}

static uint32_t chain_of(struct sched_limits *l, const char *path)
{
	for (uint32_t i = 0; i < l->nr_chains; i++)
		if (l->chains[i].path == path)
			return i;
	mem_grow(&l->chains, l->nr_chains, &l->cap_chains);
	l->chains[l->nr_chains] = (struct limit_chain){ .path = path, .first = l->nr_chained };
	for (uint32_t i = 0; path && i < l->nr_limits; i++) {
		if (!sched_limits_hold(l->limits[i].path, path))
			continue;
		mem_grow(&l->chained, l->nr_chained, &l->cap_chained);
		l->chained[l->nr_chained++] = i;
	}
	l->chains[l->nr_chains].nr = l->nr_chained - l->chains[l->nr_chains].first;
	return l->nr_chains++;
}

static struct limit_task *task_at(struct sched_limits *l, uint32_t task)
{
	if (task >= l->nr_tasks) {
		uint32_t nr = l->nr_tasks;

		mem_reach(&l->tasks, &l->nr_tasks, task);
		for (; nr < l->nr_tasks; nr++)
			l->tasks[nr] = (struct limit_task){ .cpu = -1, .from = 1, .to = 0 };
	}
	return &l->tasks[task];
}

static void find_chain(struct sched_limits *l, struct limit_task *t, uint32_t pid, int64_t ts)
{
	struct who who;

	if (t->from <= ts && ts <= t->to)
		return;
	if (!trace_who(l->trace, l->file, (int)pid, ts, &who, &t->from, &t->to)) {
		who.cgroup = NULL;
		t->from = t->to = ts;
	}
	t->chain = chain_of(l, who.cgroup);
}

static struct limit_lane *lane_of(const struct sched_limits *l, const struct limit_task *t,
				  uint32_t i)
{
	uint32_t limit = l->chained[l->chains[t->chain].first + i];

	return &l->lanes[limit * l->nr_cpus + (uint32_t)t->cpu];
}

/* --- what probes tell -------------------------------------------------------------------- */

static int64_t stretch_begin(const struct limit_lane *lane, const struct waiter *w)
{
	return w->since > lane->throttled ? w->since : lane->throttled;
}

static void keep_stretch(struct sched_limits *l, const struct limit_lane *lane,
			 const struct waiter *w, int64_t to, bool doubtful)
{
	struct limit_stretch stretch = { .pid = w->pid, .limit = lane->limit, .to = to,
					 .from = stretch_begin(lane, w),
					 .doubtful = doubtful || lane->is_assumed };

	if (!lane->depth || stretch.from >= to || (l->by_task && !l->tasks[w->task].is_taken))
		return;
	mem_grow(&l->stretches, l->nr_stretches, &l->cap_stretches);
	l->stretches[l->nr_stretches++] = stretch;
}

/* Is a limit above it used up, where it is? */
static bool is_throttled(const struct sched_limits *l, const struct limit_task *t)
{
	for (uint32_t i = 0; t->cpu >= 0 && i < l->chains[t->chain].nr; i++)
		if (lane_of(l, t, i)->depth)
			return true;
	return false;
}

static void end_throttled(struct sched_limits *l, struct limit_lane *lane, int64_t ts,
			  bool doubtful)
{
	for (uint32_t i = 0; i < lane->nr; i++)
		keep_stretch(l, lane, &lane->waiters[i], ts, doubtful);
	lane->depth = 0;
	lane->is_assumed = false;
	for (uint32_t i = 0; i < lane->nr; i++) {
		struct limit_task *t = &l->tasks[lane->waiters[i].task];

		t->is_taken &= is_throttled(l, t);
	}
}

/* --- gaps ------------------------------------------------------------------------------------- */

static void see_gap(const struct sched_limits *l, struct limit_lane *lane, int64_t ts)
{
	if (l->is_exact || lane->runs || !lane->nr)
		lane->gap = SCHED_NO_END;
	else if (lane->gap == SCHED_NO_END)
		lane->gap = ts;
}

/* It runs no more, or waits no more.  @doubtful: if it was throttled, that ended before. */
static void leave(struct sched_limits *l, uint32_t task, struct limit_task *t, int64_t ts,
		  bool doubtful)
{
	for (uint32_t i = 0; t->cpu >= 0 && i < l->chains[t->chain].nr; i++) {
		struct limit_lane *lane = lane_of(l, t, i);
		uint32_t k = 0;

		if (t->runs)
			lane->runs = false;
		while (k < lane->nr && lane->waiters[k].task != task)
			k++;
		if (k < lane->nr) {
			keep_stretch(l, lane, &lane->waiters[k], ts, doubtful);
			lane->waiters[k] = lane->waiters[--lane->nr];
		}
		see_gap(l, lane, ts);
	}
	t->cpu = -1;
	t->runs = false;
}

static void enter(struct sched_limits *l, uint32_t task, struct limit_task *t, int32_t cpu,
		  bool runs, int64_t ts)
{
	const struct sched_task *known = sched_rules_task(sched_pass_rules(l->pass), task);

	if (cpu < 0 || (unsigned int)cpu >= l->nr_cpus ||
	    (l->is_exact && known->prio < SCHED_FIRST_FAIR))
		return;
	find_chain(l, t, known->pid, ts);
	t->cpu = cpu;
	t->runs = runs;
	for (uint32_t i = 0; i < l->chains[t->chain].nr; i++) {
		struct limit_lane *lane = lane_of(l, t, i);

		if (runs) {
			/*
			 * So its limits are not used up: it was not recorded when that ended, as
			 * happens while the recorder itself has the CPU.
			 */
			if (t->is_taken || !l->by_task) {
				end_throttled(l, lane, ts, true);
				lane->is_known = true;
			}
			limit_periods_close_gap(l, lane, ts);
			lane->runs = true;
		} else {
			mem_grow(&lane->waiters, lane->nr, &lane->cap);
			lane->waiters[lane->nr++] = (struct waiter){ task, known->pid, ts };
		}
		see_gap(l, lane, ts);
	}
}

/*
 * A task leaves its CPU for a limit.  If none is known to be used up, that was not recorded: as
 * most often it is that of the highest group, which is only sure if no other has one.
 */
static void take_task(struct sched_limits *l, uint32_t task, unsigned int cpu, int64_t ts)
{
	struct limit_task *t = task < l->nr_tasks ? &l->tasks[task] : NULL;

	if (!t || t->cpu != (int32_t)cpu || !t->runs)
		return;
	if (!is_throttled(l, t) && l->chains[t->chain].nr) {
		struct limit_lane *lane = lane_of(l, t, 0);

		lane->depth = 1;
		lane->throttled = ts;
		lane->is_assumed = l->chains[t->chain].nr > 1;
	}
	t->leaves = is_throttled(l, t);
}

static void take_limit_record(struct sched_limits *l, unsigned int on, const struct sched_rec *rec)
{
	int32_t cpu = sched_pass_cpu_index(l->pass, rec->cpu);

	if (rec->detail == SCHED_LIMIT_TAKES) {
		take_task(l, sched_rules_find(sched_pass_rules(l->pass), rec->pid, rec->ts), on,
			  rec->ts);
		return;
	}
	for (uint32_t i = 0; cpu >= 0 && (unsigned int)cpu < l->nr_cpus && i < l->nr_limits; i++) {
		struct limit_lane *lane = &l->lanes[i * l->nr_cpus + (uint32_t)cpu];

		if (l->limits[i].id != (uint64_t)rec->end)
			continue;
		if (rec->detail == SCHED_LIMIT_BEGINS) {
			lane->is_known = true;
			if (!lane->depth)
				lane->throttled = rec->ts;
			if (lane->depth < l->limits[i].most_depth)
				lane->depth++;
		} else if (lane->depth > 1) {
			lane->depth--;
		} else {
			/* it was when the recording began; by limits above it, too, as may be */
			if (!lane->depth && !lane->is_known) {
				lane->depth = 1;
				lane->throttled = INT64_MIN;
			}
			end_throttled(l, lane, rec->ts, false);
		}
	}
}

/* --- what becomes of tasks ---------------------------------------------------------------- */

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct sched_limits *l = arg;
	const struct sched_task *known = sched_rules_task(sched_pass_rules(l->pass), task);
	struct limit_task *t = task_at(l, task);
	bool runs = c->state == SCHED_RUNS, leaves = t->leaves && c->state == SCHED_PREEMPTED;

	/* its own wait ends, too */
	if (runs && t->cpu == c->cpu && !t->runs && !c->dropped)
		for (uint32_t i = 0; i < l->chains[t->chain].nr; i++)
			limit_periods_close_gap(l, lane_of(l, t, i), c->ts);
	leave(l, task, t, c->ts, runs || c->dropped);
	if (runs || c->state == SCHED_PREEMPTED)
		enter(l, task, t, c->cpu, runs, c->ts);
	else if (c->state == SCHED_WAITS)
		enter(l, task, t, known->last_cpu, false, c->ts);
	t->leaves = false;
	t->is_taken = leaves && is_throttled(l, t);
}

static void on_moved(void *arg, uint32_t task, int32_t cpu, int64_t ts)
{
	struct sched_limits *l = arg;
	struct limit_task *t = task_at(l, task);

	leave(l, task, t, ts, false);
	enter(l, task, t, cpu, false, ts);
	t->is_taken &= is_throttled(l, t);
}

static void on_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	struct sched_limits *l = arg;

	if (rec->op == SCHED_LIMIT && l->is_exact)
		take_limit_record(l, cpu, rec);
	limit_periods_take(l, rec);
}

/* --- at the end ------------------------------------------------------------------------------- */

/* Is it throttled, or may it turn out that it was since before the recording? */
static bool is_open(const struct sched_limits *l, const struct limit_lane *lane)
{
	return lane->depth || (l->is_exact && !lane->is_known);
}

/*
 * Up to when, before @ts, nothing changes any more that is told.  What is under way began then: a
 * task is throttled, or a group's tasks wait, or they waited since the recorder told its counters
 * last.
 */
static int64_t find_decided(const struct sched_limits *l, int64_t ts)
{
	int64_t last = sched_pass_totals(l->pass).last_ts, late;

	for (uint32_t i = 0; i < l->nr_limits * l->nr_cpus; i++) {
		const struct limit_lane *lane = &l->lanes[i];

		ts = lane->gap != SCHED_NO_END && lane->gap < ts ? lane->gap : ts;
		for (uint32_t k = 0; is_open(l, lane) && k < lane->nr; k++) {
			int64_t since = stretch_begin(lane, &lane->waiters[k]);

			if (since < ts && (!l->by_task || l->tasks[lane->waiters[k].task].is_taken))
				ts = since;
		}
	}
	for (uint32_t i = 0; i < l->nr_gaps; i++)
		if (l->gaps[i].from < ts && l->gaps[i].to > l->limits[l->gaps[i].limit].looked)
			ts = l->gaps[i].from;
	late = time_after(last < ts ? last : ts, -LIMIT_LOOK);
	ts = ts > late ? ts : late;
	return ts > l->decided ? ts : l->decided;
}

static void forget_stretches(struct sched_limits *l)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->nr_stretches; i++)
		if (l->stretches[i].to >= l->from)
			l->stretches[kept++] = l->stretches[i];
	l->nr_stretches = kept;
}

static void find_edges(struct sched_limits *l)
{
	if (!l->is_exact)
		limit_periods_find(l);
	free(l->edges);
	l->edges = limit_stretches_edges(l->stretches, l->nr_stretches, &l->nr_edges);
}

/* --- its life --------------------------------------------------------------------------------- */

/* Which groups have a limit that tasks may have used up? */
struct limit_search {
	bool	is_exact;	/* the kernel's probes tell when; else its counters must, */
	bool	grows;		/* unless these go on */
	uint32_t nr;		/* found */
};

static bool is_told(const struct who_cgroup *c, const struct limit_search *search)
{
	bool is_limited = false;

	for (uint32_t i = 0; i < c->nr; i++)
		is_limited |= c->states[i].quota_us > 0;
	return is_limited && (search->is_exact || search->grows ||
			      who_cgroup_growth(c, c->first.throttled, c->last.throttled) > 0);
}

static void see_limit(void *arg, const struct who_cgroup *c)
{
	struct limit_search *search = arg;

	search->nr += search->nr < LIMITS_MAX && is_told(c, search);
}

/* Of the events that the file describes: its records need not be read. */
static bool has_probe(struct trace *trace, unsigned int file, const char *name)
{
	return event_types_by_name(trace_event_types(trace, file), "limits", name);
}

static bool has_group_probe(struct trace *trace, unsigned int file)
{
	return has_probe(trace, file, "throttle_group") ||
	       has_probe(trace, file, "unthrottle_group");
}

/* Both count: a group may be throttled since before the recording, or up to its end. */
static bool has_group_records(struct trace *trace, unsigned int file)
{
	return trace_has_event(trace, file, "throttle_group") ||
	       trace_has_event(trace, file, "unthrottle_group");
}

bool sched_limits_are_told(struct trace *trace, unsigned int file)
{
	struct limit_search search = { .is_exact = has_group_probe(trace, file) };

	trace_cgroups(trace, file, see_limit, &search);
	return search.nr;
}

static void search(struct trace *trace, unsigned int file, struct limit_search *search)
{
	bool all = trace_status(trace).complete, has_exact = has_group_records(trace, file);

	*search = (struct limit_search){ .grows = trace_grows(trace),
					 .is_exact = has_group_probe(trace, file) &&
						     (!all || has_exact) };
	if (!all || (trace_has_switches(trace, file) &&
		     (has_exact || trace_has_event(trace, file, "hrtimer_expire_entry"))))
		trace_cgroups(trace, file, see_limit, search);
}

static double rate_between(const struct who_cgroup_state *from, const struct who_cgroup_state *to)
{
	double periods = (double)to->periods - (double)from->periods;

	return from->periods >= 0 && periods > 0 && from->throttled >= 0 && to->throttled >= 0 ?
		       ((double)to->throttled - (double)from->throttled) / periods :
		       0;
}

/* What the recorder has told of it since. */
static void take_looks(struct limit *limit, const struct who_cgroup *c)
{
	uint32_t told = !limit->nr_states ? 0 : bisect(c->nr, n, c->states[n].ts <= limit->looked);

	for (uint32_t i = told; i < c->nr; i++) {
		mem_grow(&limit->states, limit->nr_states, &limit->cap_states);
		limit->states[limit->nr_states++] = c->states[i];
		limit->rate = i ? rate_between(&c->states[i - 1], &c->states[i]) : 0;
	}
	limit->looked = c->states[c->nr - 1].ts;
}

static void take_limit(void *arg, const struct who_cgroup *c)
{
	struct sched_limits *l = arg;
	const struct limit_search search = { .is_exact = l->is_exact, .grows = l->grows };
	struct limit *limit;

	if (!is_told(c, &search) || l->nr_limits == LIMITS_MAX)
		return;
	mem_grow(&l->limits, l->nr_limits, &l->cap_limits);
	limit = &l->limits[l->nr_limits++];
	*limit = (struct limit){ .path = c->path, .id = c->id, .timer = SCHED_NO_LIMIT,
				 .first_us = c->states[0].throttled_us };
	take_looks(limit, c);
}

static void take_more(void *arg, const struct who_cgroup *c)
{
	struct sched_limits *l = arg;

	for (uint32_t i = 0; i < l->nr_limits; i++)
		if (l->limits[i].path == c->path)
			take_looks(&l->limits[i], c);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct limit *)a)->path, ((const struct limit *)b)->path);
}

static void free_lanes(struct sched_limits *l)
{
	for (uint32_t i = 0; l->lanes && i < l->nr_limits * l->nr_cpus; i++)
		free(l->lanes[i].waiters);
	free(l->lanes);
	free(l->tasks);
	l->lanes = NULL;
	l->tasks = NULL;
	l->nr_tasks = 0;
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct sched_limits *l = arg;

	free_lanes(l);
	l->nr_cpus = sched_pass_nr_cpus(pass);
	if (l->nr_cpus > LANES_MAX / l->nr_limits)
		l->nr_cpus = LANES_MAX / l->nr_limits;
	l->lanes = mem_array(l->nr_limits * l->nr_cpus + 1, sizeof(*l->lanes));
	for (uint32_t i = 0; i < l->nr_limits * l->nr_cpus; i++)
		l->lanes[i] = (struct limit_lane){ .limit = i / l->nr_cpus, .gap = SCHED_NO_END };
}

static struct sched_pass_options options_for(struct sched_limits *l,
					     const struct sched_pass_options *of)
{
	l->listener = (struct sched_listener){ .task = on_task, .moved = on_moved,
					       .other = on_other, .arg = l };
	return (struct sched_pass_options){ .file = of->file, .one_buffer = of->one_buffer,
					    .buffer = of->buffer, .no_sums = true,
					    .nameless = true, .interrupts = true,
					    .parks = of->parks, .workers = of->workers,
					    .stopped = of->stopped,
					    .listener = &l->listener, .begun = on_begun };
}

struct sched_limits *sched_limits_new(struct trace *trace, const struct sched_pass_options *options)
{
	struct sched_pass_options o;
	struct limit_search found;
	struct sched_limits *l;

	search(trace, options->file, &found);
	if (!found.nr)
		return NULL;
	l = mem_alloc(sizeof(*l));
	l->trace = trace;
	l->file = options->file;
	l->is_exact = found.is_exact;
	l->grows = found.grows;
	l->from = l->decided = INT64_MIN;
	l->by_task = has_probe(trace, l->file, "throttle_task");
	trace_cgroups(trace, options->file, take_limit, l);
	qsort(l->limits, l->nr_limits, sizeof(*l->limits), by_path);
	chain_of(l, NULL);
	for (uint32_t i = 0; i < l->nr_limits; i++)
		l->limits[i].most_depth = l->chains[chain_of(l, l->limits[i].path)].nr;
	o = options_for(l, options);
	l->pass = sched_pass_new(trace, &o);
	return l;
}

struct sched_limits *sched_limits_fork(const struct sched_limits *parked,
				       const struct sched_pass_options *options)
{
	struct sched_limits *l = mem_copy(parked, 1, sizeof(*l));
	struct sched_pass_options o = options_for(l, options);

	l->limits = mem_copy(l->limits, l->cap_limits, sizeof(*l->limits));
	for (uint32_t i = 0; i < l->nr_limits; i++)
		l->limits[i].states = mem_copy(l->limits[i].states, l->limits[i].cap_states,
					       sizeof(*l->limits[i].states));
	l->chains = mem_copy(l->chains, l->cap_chains, sizeof(*l->chains));
	l->chained = mem_copy(l->chained, l->cap_chained, sizeof(*l->chained));
	l->lanes = mem_copy(l->lanes, l->nr_limits * l->nr_cpus + 1, sizeof(*l->lanes));
	for (uint32_t i = 0; i < l->nr_limits * l->nr_cpus; i++)
		l->lanes[i].waiters = mem_copy(l->lanes[i].waiters, l->lanes[i].cap,
					       sizeof(*l->lanes[i].waiters));
	l->tasks = mem_copy(l->tasks, l->nr_tasks, sizeof(*l->tasks));
	l->timers = mem_copy(l->timers, l->cap_timers, sizeof(*l->timers));
	for (uint32_t i = 0; i < l->nr_timers; i++)
		l->timers[i].ts = mem_copy(l->timers[i].ts, l->timers[i].cap,
					   sizeof(*l->timers[i].ts));
	l->votes = mem_copy(l->votes, l->cap_votes, sizeof(*l->votes));
	l->gaps = mem_copy(l->gaps, l->cap_gaps, sizeof(*l->gaps));
	l->stretches = mem_copy(l->stretches, l->cap_stretches, sizeof(*l->stretches));
	l->edges = NULL;
	l->pass = sched_pass_fork(parked->pass, &o);
	return l;
}

void sched_limits_free(struct sched_limits *l)
{
	if (!l)
		return;
	sched_pass_free(l->pass);
	free_lanes(l);
	for (uint32_t i = 0; i < l->nr_limits; i++)
		free(l->limits[i].states);
	for (uint32_t i = 0; i < l->nr_timers; i++)
		free(l->timers[i].ts);
	free(l->limits);
	free(l->timers);
	free(l->chains);
	free(l->chained);
	free(l->votes);
	free(l->gaps);
	free(l->stretches);
	free(l->edges);
	free(l);
}

enum sched_pass_state sched_limits_step(struct sched_limits *l, uint64_t records)
{
	enum sched_pass_state state = sched_pass_step(l->pass, records);

	if (state == SCHED_PASS_DONE && !l->done) {
		l->decided = l->grows ? find_decided(l, trace_end(l->trace)) : INT64_MAX;
		/* the recording ends before they do */
		for (uint32_t i = 0; i < l->nr_limits * l->nr_cpus; i++)
			end_throttled(l, &l->lanes[i], sched_pass_totals(l->pass).last_ts, false);
		find_edges(l);
		l->done = true;
	} else if (state == SCHED_PASS_PARKED) {
		l->decided = find_decided(l, sched_pass_until(l->pass));
		find_edges(l);
		limit_periods_forget(l);
		forget_stretches(l);
	}
	return state;
}

void sched_limits_go_on(struct sched_limits *l, int64_t from)
{
	l->from = from;
	trace_cgroups(l->trace, l->file, take_more, l);
	/* who a task is may be known better */
	for (uint32_t i = 0; i < l->nr_tasks; i++)
		l->tasks[i].to = time_after(l->tasks[i].from, -1);
	sched_pass_go_on(l->pass, INT64_MAX);
}

int64_t sched_limits_decided(const struct sched_limits *l)
{
	return l->decided;
}

bool sched_limits_outlive(struct sched_limits *l)
{
	return sched_pass_outlive(l->pass);
}

bool sched_limits_serve(const struct sched_limits *l, struct trace *trace, unsigned int file)
{
	struct limit_search found;

	search(trace, file, &found);
	return l ? found.nr == l->nr_limits && found.is_exact == l->is_exact &&
			       sched_pass_follows(l->pass, INT64_MAX) :
		   !found.nr;
}

const struct sched_limit_edge *sched_limits_edges(const struct sched_limits *l, uint32_t *nr)
{
	*nr = l->nr_edges;
	return l->edges;
}

bool sched_limits_places(const struct sched_limits *l, const char *path)
{
	for (uint32_t i = 0; i < l->nr_limits; i++)
		if (l->limits[i].path == path)
			return l->is_exact ? l->limits[i].id != 0 :
					     l->limits[i].timer != SCHED_NO_LIMIT &&
						     l->limits[i].error > -MOST_ERROR;
	return false;
}

bool sched_limits_are_exact(const struct sched_limits *l)
{
	return l->is_exact;
}

uint32_t sched_limits_nr(const struct sched_limits *l)
{
	return SCHED_LIMIT_GROUP + (l ? l->nr_limits : 0);
}

uint32_t sched_limits_of_timer(struct trace *trace, unsigned int file, uint64_t function)
{
	uint64_t offset;
	const char *name = trace_symbol(trace, file, function, &offset);

	return !name                                  ? SCHED_NO_LIMIT :
	       !strcmp(name, "dl_task_timer")         ? SCHED_LIMIT_BUDGET :
	       !strcmp(name, "sched_rt_period_timer") ? SCHED_LIMIT_REALTIME :
							SCHED_NO_LIMIT;
}

void sched_limits_text(const struct sched_limits *l, uint32_t limit, struct text *out)
{
	static const enum verdict words[] = {
		[SCHED_LIMIT_BUDGET] = VERDICT_BUDGET,
		[SCHED_LIMIT_REALTIME] = VERDICT_REALTIME,
		[SCHED_LIMIT_SERVER] = VERDICT_SERVER,
		[SCHED_LIMIT_YIELD] = VERDICT_YIELD,
	};
	const struct who_cgroup_state *last;
	struct text path = { 0 };
	const struct limit *of;
	bool is_one = true;

	if (limit < SCHED_LIMIT_GROUP) {
		verdict_add(out, words[limit]);
		return;
	}
	of = &l->limits[limit - SCHED_LIMIT_GROUP];
	last = &of->states[of->nr_states - 1];
	text_printable(&path, of->path, strlen(of->path));
	verdict_add(out, VERDICT_THROTTLED, text_str(&path));
	text_fini(&path);
	/* of several, it is not known which one held then */
	for (uint32_t i = 0; i < of->nr_states; i++)
		is_one &= of->states[i].quota_us == last->quota_us &&
			  of->states[i].period_us == last->period_us;
	if (is_one && last->quota_us > 0 && last->period_us > 0)
		text_printf(out, " (%g ms of %g ms)", (double)last->quota_us / 1e3,
			    (double)last->period_us / 1e3);
}
