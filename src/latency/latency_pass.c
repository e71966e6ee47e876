/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_pass - pairs of events, and states of tasks: what the records of a sched_pass begin and
 * end.
 */
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/events/known_events.h"
#include "src/latency/latency_private.h"
#include "src/trace/syscall_names.h"

#define JIFFIES_SURE	24u		/* so many jiffies tell HZ */
#define MOST_WAITING	(1u << 16)

/* --- counting --------------------------------------------------------------------------------- */

static void on_named(void *arg, uint32_t pid, uint32_t comm, int64_t ts)
{
	struct latency *l = arg;
	const char *name = name_table_text(l->names, comm);

	/* most of a window's names were seen in the last one */
	if (!l->before || strcmp(comm_table_at(l->comms, (int)pid, ts), name) != 0)
		comm_table_seen(l->comms, (int)pid, ts, name, (unsigned int)strlen(name));
}

static inline bool is_named(const struct latency *l, const struct named_labels *named,
			    const struct latency_instance *i)
{
	if (!(named->masks[i->label / 64 % 8] >> i->label % 64 & 1))
		return false;
	for (unsigned int k = 0; k < named->nr; k++)
		if (named->labels[k] == i->label &&
		    (named->values[k] == INT64_MIN || named->values[k] == i->value))
			return !l->rules[i->rule].is_numbered || !latency_task_of_32(l, i->pid);
	return false;
}

static void add_instance(struct latency *l, struct latency_list *list,
			 const struct latency_instance *i)
{
	const struct latency_options *o = &l->options;
	bool left_out = o->unchosen &&
			(i->flags & LATENCY_CHOSEN || is_named(l, &l->rules[i->rule].chosen, i));

	list->sums.chosen += left_out;
	latency_list_add(list, i, left_out ? 0 : o->keep, o->after);
}

void latency_count(struct latency *l, struct latency_list *list, const struct latency_instance *i)
{
	const struct latency_options *o = &l->options;

	if (time_range_has(&o->what.range, o->by_end ? i->end : i->start) == o->outside ||
	    (o->what.only && (i->cpu >= o->what.nr_only || !o->what.only[i->cpu])) ||
	    (o->wants && !o->wants(o->wants_arg, i->pid, latency_comm(l, i->pid, i->start)))) {
		list->left_out += !(i->flags & LATENCY_OPEN) && list->left_out < UINT32_MAX;
		list->sums.unsettled |= !!(i->flags & LATENCY_SHARED);
		return;
	}
	if ((i->flags & LATENCY_OPEN) && o->kinds->rules[i->rule].unmatched)
		list->sums.unmatched++;
	else if (!o->each || o->each(o->each_arg, l, list->kind, i))
		add_instance(l, list, i);
}

/* A gap of a CPU ends all that is open there; it makes doubtful what is open elsewhere. */
static inline bool is_doubtful(const struct latency *l, const struct rule_state *r, int64_t from,
			       int64_t to)
{
	return r->is_mistaken ||
	       (!r->open.rule->by_cpu && sched_rules_lost(sched_pass_rules(l->pass), from, to));
}

/* Count a duration, if nothing else is needed. */
static inline void count_duration(struct latency *l, const struct rule_state *r, int64_t start,
				  uint64_t ns)
{
	if (is_doubtful(l, r, start, time_after(start, (int64_t)ns)))
		r->list->sums.doubtful++;
	else
		latency_list_count(r->list, ns);
}

/* --- late ends ------------------------------------------------------------------------------- */

static const unsigned int known_hz[LATENCY_HZ] = { 100, 250, 300, 1000 };

/* LATENCY_HZ: none is near. */
static unsigned int nearest_hz(uint64_t jiffies, int64_t ns)
{
	double hz = ns > 0 ? (double)jiffies * 1e9 / (double)ns : 0;
	unsigned int i = 0;

	while (i < LATENCY_HZ && !(hz > known_hz[i] * 0.92 && hz < known_hz[i] * 1.08))
		i++;
	return i;
}

/* The value is how late the end is, in ns or in jiffies: these wait until HZ is known. */
static void count_late(struct latency *l, const struct rule_state *r, struct latency_instance *i)
{
	struct jiffies *j = &l->jiffies;
	int64_t ns = r->open.rule->jiffies ? 1000000000 : 1, hz = ns > 1 ? j->hz : 1;
	int64_t most = INT64_MAX / ns;

	if (hz) {
		i->start = time_after(i->end, -((i->value < most ? i->value : most) * ns / hz));
		i->value = 0;
		latency_count(l, r->list, i);
	} else if (j->nr < MOST_WAITING) {
		mem_grow(&j->waiting, j->nr, &j->cap);
		j->waiting[j->nr++] = *i;
	}
}

/* A timer expires at @now jiffies: so many of them tell HZ, and then what waited for it counts. */
static void see_jiffies(struct latency *l, const struct rule_state *r, uint64_t now, int64_t ts)
{
	struct jiffies *j = &l->jiffies;
	unsigned int nearest;

	if (!j->begun) {
		j->begun = true;
		j->first = now;
		j->first_ts = ts;
	}
	if (j->hz || now - j->first < JIFFIES_SURE)
		return;
	nearest = nearest_hz(now - j->first, time_between(j->first_ts, ts));
	if (nearest == LATENCY_HZ) {
		j->begun = false;
		return;
	}
	j->hz = known_hz[nearest];
	for (uint32_t i = 0; i < j->nr; i++)
		count_late(l, r, &j->waiting[i]);
	j->nr = 0;
}

/* --- silences --------------------------------------------------------------------------------- */

/* From one tick of a busy CPU to the next, in ns; 0: not known yet. */
static int64_t tick_ns(const struct rule_state *r)
{
	for (unsigned int i = 0; i < LATENCY_HZ; i++)
		if (r->ticks[i] >= JIFFIES_SURE && r->ticks[i] >= r->nr_ticks / 10)
			return 1000000000 / known_hz[i];
	return 0;
}

/*
 * A tick at @i->end, the next one of its CPU after that at @i->start, ended a silence since @last.
 * False: nothing follows from that.  See latency_kinds.h.
 */
static bool find_silence(struct rule_state *r, struct latency_instance *i, int64_t last)
{
	int64_t between = time_between(i->start, i->end), ns = tick_ns(r);
	int64_t due = time_after(i->start, ns);
	unsigned int nearest = nearest_hz(1, between);

	r->nr_ticks += r->nr_ticks < UINT32_MAX;
	if (nearest < LATENCY_HZ && r->ticks[nearest] < UINT32_MAX)
		r->ticks[nearest]++;
	i->start = due;
	return ns && last != SCHED_NO_END && last <= due && between >= 2 * ns;
}

/* A CPU does not run a task, or that is not known: no tick is due. */
static void drop_ticks(struct latency *l, unsigned int cpu)
{
	uint64_t at = (uint64_t)l->stretches[cpu] << 32 | UINT32_MAX;

	for (unsigned int i = 0; i < l->nr_silents; i++)
		if (l->rules[l->silents[i]].open.nr)
			latency_open_drop(&l->rules[l->silents[i]].open,
					  &(struct latency_at){ .scope = at });
}

/* --- stolen time, by the host ----------------------------------------------------------------- */

void latency_pass_find_host(struct latency *l)
{
	const struct latency_kinds *kinds = l->options.kinds;

	while (l->steal < kinds->nr_rules && !kinds->rules[l->steal].silent)
		l->steal++;
	if (l->steal < kinds->nr_rules &&
	    (l->options.only < 0 || (unsigned int)l->options.only == kinds->rules[l->steal].kind))
		l->host = trace_host_of(l->trace, l->options.what.file, l->options.host);
}

/* The CPU ran a task until @ts: when was the CPU's own task off the CPUs of the host? */
static void end_busy(struct latency *l, unsigned int cpu, int64_t ts, trace_ref to)
{
	const struct busy_cpu *b = &l->busy[cpu];
	int number = sched_pass_cpu(l->pass, cpu);
	const struct host_stay *stay;

	for (uint32_t i = 0;
	     b->runs && (stay = host_vcpus_next(l->vcpus, number, b->since, ts, &i));) {
		struct latency_instance one = {
			.start = stay->from > b->since ? stay->from : b->since,
			.end = stay->to < ts ? stay->to : ts, .from = b->from, .to = to,
			.label = stay->state | (uint64_t)stay->by << 8, .pid = b->pid,
			.cpu = (uint16_t)number, .rule = (uint8_t)l->steal,
			.flags = LATENCY_BY_HOST | (stay->doubtful ? LATENCY_DOUBTFUL : 0),
		};

		if (stay->state != SCHED_UNKNOWN)
			latency_count(l, l->rules[l->steal].list, &one);
	}
}

static void on_busy(struct latency *l, unsigned int cpu, const struct sched_change *c)
{
	const struct sched_rules *rules = sched_pass_rules(l->pass);
	bool runs = c->task != SCHED_IDLE_TASK && c->task != SCHED_NO_TASK,
	     counts = !c->dropped && (!l->options.what.nr_filters ||
				      (c->rec && !(c->rec->uncounted & SCHED_NOT_CPU)));

	if (l->vcpus && !l->has_sched && counts)
		end_busy(l, cpu, c->ts, c->rec ? c->rec->ref : TRACE_REF_NONE);
	l->busy[cpu] = (struct busy_cpu){
		.runs = runs, .pid = runs ? sched_rules_task(rules, c->task)->pid : 0,
		.since = c->ts, .from = c->rec ? c->rec->ref : TRACE_REF_NONE,
	};
	if (!runs)
		drop_ticks(l, cpu);
}

/* --- pairs ------------------------------------------------------------------------------------ */

/*
 * pid 0 is a task of its own on each CPU.  An end of a key with a CPU is of the same stretch of
 * records as its start.
 */
static inline struct latency_at place_of(const struct latency *l, const struct latency_rule *rule,
					 unsigned int cpu, const struct sched_rec *rec)
{
	uint32_t pid = rule->by_pid ? rec->common_pid : UINT32_MAX;
	uint64_t scope = rule->by_cpu ? l->stretches[cpu] : !pid ? cpu + 1 : 0;
	struct sched_range range;

	if (!rule->within)
		return (struct latency_at){ rec->key, scope << 32 | pid, 1, 0, false, rec->ts };
	range = sched_range_of(rec, rule->label);
	return (struct latency_at){ range.first, scope << 32 | range.scope, range.length,
				    range.label, rec->detail == SCHED_END_WHOLE, rec->ts };
}

/* Who woke the task while it waited for a lock: who released that, if it is a task. */
static uint32_t releaser(struct latency *l, const struct sched_rec *rec, int64_t from)
{
	uint32_t task = sched_rules_find(sched_pass_rules(l->pass), rec->common_pid, rec->ts);

	return task < l->nr_tasks && l->tasks[task].woken >= from ? l->tasks[task].waker : 0;
}

#define OTHER_TASK	((int64_t)1 << 50)	/* 13 days: a softirq began in another task */

/* Another task comes to a CPU: that of a softirq leaves, or comes back (PREEMPT_RT). */
static void on_pause(struct latency *l, unsigned int cpu, const struct sched_change *c)
{
	for (unsigned int i = 0; c->rec && l->pausing >> i; i++) {
		struct paused_cpu *p = &l->paused[cpu][i];

		if (c->rec->pid2 != p->pid) {
			p->since = p->since ?: c->ts;
		} else if (p->since) {
			p->all = time_after(p->all, time_between(p->since, c->ts));
			p->since = 0;
		}
	}
}

/* @i: begun, and ended.  False: for how long it was paused is not known. */
static bool take_pause(const struct paused_cpu *p, const struct sched_rec *end,
		       struct latency_instance *i)
{
	if (p->all - i->value >= OTHER_TASK)
		return false;
	i->gap_cut = end->common_pid == i->pid ? (uint64_t)(p->all - i->value) : 0;
	return true;
}

static void finish_instance(struct latency *l, struct rule_state *r, unsigned int cpu,
			    const struct sched_rec *rec, const struct latency_start *start,
			    bool doubtful)
{
	const struct latency_rule *rule = r->open.rule;
	struct latency_instance i = start->begun;

	i.end = rec->ts;
	i.to = rec->ref;
	i.flags = (doubtful       ? LATENCY_DOUBTFUL :
		   start->is_late ? LATENCY_DOUBTFUL | LATENCY_LATE :
				    0) |
		  (start->is_shared ? LATENCY_SHARED : 0) |
		  (start->begins_again || start->began_again ? LATENCY_AGAIN : 0);
	if (r->paused >= 0 && !take_pause(&l->paused[cpu][r->paused], rec, &i))
		i.flags |= LATENCY_DOUBTFUL;
	if (rule->silent && !find_silence(r, &i, (int64_t)rec->label))
		return;
	if (rule->value) {
		i.value = (int64_t)rec->label;
		i.flags |= LATENCY_HAS_VALUE;
	}
	if (rule->locks)
		i.context = releaser(l, rec, i.start);
	if (!rule->late[0]) {
		latency_count(l, r->list, &i);
		return;
	}
	i.value = (int64_t)(rec->label - i.label);
	if (i.value < 0)
		i.value = 0;	/* it was allowed to be early */
	i.label = rec->key;
	i.cpu = (uint16_t)sched_pass_cpu(l->pass, cpu);
	i.pid = rec->common_pid;
	count_late(l, r, &i);
}

static inline bool is_kept(const struct sched_rec *rec)
{
	return !(rec->uncounted & SCHED_NOT_CPU);
}

struct pair_end {
	struct latency	*l;
	struct rule_state *r;
	unsigned int	cpu;
	const struct sched_rec *rec;
};

static void finish_pair(void *arg, const struct latency_start *start)
{
	const struct pair_end *end = arg;
	const struct sched_rec *rec = end->rec;
	struct rule_state *r = end->r;
	int64_t ts = start->begun.start;
	bool doubtful = start->is_mixed || is_doubtful(end->l, r, ts, rec->ts);

	if (!start->wanted && !is_kept(rec)) {
		r->list->sums.unsettled |= start->is_shared;
		return;
	}
	if (!end->l->sums_only || r->open.rule->late[0] || r->open.rule->silent || doubtful ||
	    start->is_shared || start->is_late ||
	    (r->paused >= 0 && end->l->paused[end->cpu][r->paused].all != start->begun.value))
		finish_instance(end->l, r, end->cpu, rec, start, doubtful);
	else
		latency_list_count(r->list, latency_between(ts, rec->ts));
}

static void end_pair(struct latency *l, struct rule_state *r, unsigned int cpu,
		     const struct sched_rec *rec)
{
	struct latency_at at = place_of(l, r->open.rule, cpu, rec);

	if (r->open.rule->jiffies)
		see_jiffies(l, r, rec->label, rec->ts);
	latency_open_end(&r->open, &at, finish_pair, &(struct pair_end){ l, r, cpu, rec });
}

static inline void take_pair(struct latency *l, unsigned int cpu, const struct sched_rec *rec)
{
	struct rule_state *r = &l->rules[rec->end_number / 2];
	struct latency_start *start;
	struct paused_cpu *paused;
	struct latency_at at;

	if (rec->end_number & 1) {
		r->has_ends = true;
		end_pair(l, r, cpu, rec);
		return;
	}
	at = place_of(l, r->open.rule, cpu, rec);
	if (r->is_numbered)
		latency_see_32(l, rec->common_pid, rec->key, rec->ts);
	if (rec->detail) {
		r->has_ends |= rec->detail == SCHED_START_ENDED;
		(rec->detail == SCHED_START_AGAIN ? latency_open_again :
						    latency_open_drop)(&r->open, &at);
		return;
	}
	if (r->open.rule->silent && (!l->busy[cpu].runs || l->vcpus))
		return;
	start = latency_open_start(&r->open, &at);
	if (!start)
		return;
	start->cpu = (uint16_t)cpu;
	start->wanted = is_kept(rec);
	start->begun = (struct latency_instance){
		.start = rec->ts, .from = rec->ref, .to = TRACE_REF_NONE,
		.label = r->open.rule->within ? at.label : rec->label, .pid = rec->common_pid,
		.cpu = (uint16_t)sched_pass_cpu(l->pass, cpu),
		.rule = (uint8_t)(r - l->rules),
	};
	if (r->paused < 0)
		return;
	paused = &l->paused[cpu][r->paused];
	if (paused->pid != rec->common_pid)
		paused->all = time_after(paused->all, OTHER_TASK);
	l->pausing |= 1u << r->paused;
	paused->pid = rec->common_pid;
	paused->since = 0;
	start->begun.value = paused->all;
}

static void on_durations(void *arg, const struct sched_duration *durations, uint32_t nr)
{
	struct latency *l = arg;

	for (uint32_t i = 0; i < nr; i++)
		count_duration(l, &l->rules[durations[i].end_number / 2], durations[i].start,
			       durations[i].ns);
}

/* What the scan of a CPU can do by itself, where only durations are needed. */
static void simplify_ends(struct latency *l)
{
	l->ends->pairs.measured = on_durations;
	l->ends->pairs.arg = l;
	for (unsigned int i = 0; i < l->ends->pairs.nr; i++) {
		struct sched_pair_end *end = &l->ends->pairs.ends[i];
		const struct latency_rule *rule = &l->options.kinds->rules[end->number / 2];

		end->joins = rule->by_pid && !rule->by_cpu && !rule->by_star &&
			     (rule->alone || !rule->nr_keys) && !rule->nested && !rule->first &&
			     !rule->queue && !rule->unmatched && !rule->late[0] && !end->marker &&
			     !rule->unless && !rule->ends[0].filter && !rule->ends[1].filter;
		if (!rule->late[0] && !rule->within)
			end->label = NULL;
	}
}

/* --- states of tasks -------------------------------------------------------------------------- */

static inline struct task_state *task_at(struct latency *l, uint32_t task)
{
	mem_reach(&l->tasks, &l->nr_tasks, task);
	return &l->tasks[task];
}

/* NULL: the state is not measured. */
static inline struct latency_list *list_of(struct latency *l, enum sched_state state)
{
	static const uint8_t kinds[SCHED_STATES_NR] = {
		[SCHED_WAITS] = LATENCY_WAKEUP, [SCHED_PREEMPTED] = LATENCY_PREEMPTED,
		[SCHED_SLEEPS] = LATENCY_SLEEP, [SCHED_BLOCKED] = LATENCY_BLOCKED,
	};
	unsigned int kind = kinds[state];

	return kind && (l->options.only < 0 || l->options.only == (int)kind) ? &l->lists[kind] :
									       NULL;
}

static void begin_state(struct latency *l, uint32_t task, struct task_state *s,
			const struct sched_change *c)
{
	const struct sched_task *t = sched_rules_task(sched_pass_rules(l->pass), task);

	s->begun = (struct latency_instance){
		.start = c->ts, .from = c->rec->ref, .to = TRACE_REF_NONE,
		.label = c->limit                      ? (uint64_t)c->limit << 32 :
			 c->state == SCHED_WAITS     ? sched_change_waker_pid(c) :
			 c->state <= SCHED_PREEMPTED ? c->rec->pid2 :
						       c->prev_state,
		.pid = t->pid,
		.prio = c->state == SCHED_WAITS ? c->rec->prio : 0,
		.cpu = c->state == SCHED_WAITS || c->cpu < 0 ?
			       UINT16_MAX :
			       (uint16_t)sched_pass_cpu(l->pass, (unsigned int)c->cpu),
	};
	if (c->state == SCHED_WAITS)
		s->begun.context = sched_interrupts_waker(&l->interrupts, c);
	s->begun.flags = c->late ? LATENCY_LATE : 0;
}

/* Where the state counts that a change ends; NULL: nowhere. */
static inline struct latency_list *list_of_end(struct latency *l, const struct sched_change *c)
{
	bool ends = c->rec && !c->dropped &&
		    (c->state == SCHED_RUNS ||
		     (c->state == SCHED_WAITS && c->was >= SCHED_PREEMPTED));

	return ends && !(c->rec->uncounted & SCHED_NOT_OTHER) ? list_of(l, c->was) : NULL;
}

static void end_state(struct latency *l, struct latency_list *list, uint32_t task,
		      const struct task_state *s, const struct sched_change *c)
{
	const struct sched_task *t = sched_rules_task(sched_pass_rules(l->pass), task);
	struct latency_instance i = s->begun;

	i.end = c->ts;
	if (c->was != SCHED_PREEMPTED || c->state == SCHED_RUNS)	/* else no wait for a CPU */
		i.to = c->rec->ref;
	if (c->doubtful)
		i.flags = LATENCY_DOUBTFUL;
	else if (i.flags & LATENCY_LATE && t->lacks_waking)
		i.flags |= LATENCY_DOUBTFUL;
	if (c->was == SCHED_WAITS) {
		i.cpu = (uint16_t)sched_pass_cpu(l->pass, (unsigned int)c->cpu);
		i.flags |= c->moved == SCHED_MOVED          ? LATENCY_MOVED :
			   c->moved == SCHED_MAY_HAVE_MOVED ? LATENCY_MAY_HAVE_MOVED :
							      0;
		if (t->woken_ts != INT64_MIN) {
			i.value = time_between(i.start, t->woken_ts);
			i.flags |= LATENCY_HAS_VALUE;
		}
	}
	latency_count(l, list, &i);
}

static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct latency *l = arg;
	struct latency_list *list;
	struct task_state *s;

	if (l->has_sched)
		return;
	list = list_of_end(l, c);
	s = task_at(l, task);
	if (list)
		end_state(l, list, task, s, c);
	if (c->state == SCHED_WAITS && c->rec) {
		s->woken = c->ts;
		s->waker = sched_change_by_task(c) && c->waker != SCHED_NO_TASK ? c->rec->pid2 : 0;
	}
	if (list_of(l, c->state))
		begin_state(l, task, s, c);
}

/* Counts a state that has ended, where only durations are needed. */
static void on_ended(void *arg, enum sched_state was, int64_t since, int64_t ts, bool doubtful)
{
	struct latency *l = arg;
	struct latency_list *list = l->has_sched ? NULL : list_of(l, was);

	if (list && !doubtful)
		latency_list_count(list, latency_between(since, ts));
	else if (list)
		list->sums.doubtful++;
}

static void on_cut(void *arg, unsigned int cpu, int64_t ts)
{
	struct latency *l = arg;

	(void)ts;
	l->stretches[cpu] = l->nr_stretches++;
}

static void on_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	struct latency *l = arg;

	if (rec->op == SCHED_PAIR)
		take_pair(l, cpu, rec);
}

/* Interrupts and preemption are off as a task leaves its CPU, but not up to the next one. */
static void on_switch(struct latency *l, unsigned int cpu)
{
	uint64_t at = (uint64_t)l->stretches[cpu] << 32 | UINT32_MAX;

	for (unsigned int i = 0; i < l->nr_helds; i++)
		latency_open_switch(&l->rules[l->helds[i]].open,
				    &(struct latency_at){ .scope = at });
}

static void on_cpu(void *arg, unsigned int cpu, const struct sched_change *change)
{
	struct latency *l = arg;

	if (l->asks_pauses)
		on_pause(l, cpu, change);
	if (l->vcpus || l->ends->pairs.has_silent)
		on_busy(l, cpu, change);
	if (l->ends->pairs.held && change->rec)
		on_switch(l, cpu);
}

/* --- buffers ---------------------------------------------------------------------------------- */

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct latency *l = arg;

	free(l->stretches);
	free(l->busy);
	free(l->paused);
	free(l->tasks);
	l->tasks = NULL;
	l->nr_tasks = 0;
	if (l->listener.next)
		l->options.also->begun(l->listener.next->arg, pass);
	l->nr_stretches = sched_pass_nr_cpus(pass);
	l->interrupts.names = l->names;
	sched_interrupts_begin(&l->interrupts, pass);
	l->stretches = mem_array(l->nr_stretches, sizeof(*l->stretches));
	l->busy = mem_array(l->nr_stretches, sizeof(*l->busy));
	l->paused = mem_array(l->nr_stretches, sizeof(*l->paused));
	for (uint32_t i = 0; i < l->nr_stretches; i++)
		l->stretches[i] = i;
}

/* NAME,NAME=VALUE: the texts of a *, or system calls. */
static void find_named(struct latency *l, const struct latency_rule *rule, enum known_word word,
		       struct named_labels *named)
{
	const char *uname = source_info(trace_file_of(l->trace, l->options.what.file))->uname;
	const char *names = known_events_kind(word, l->options.kinds->names[rule->kind]);
	char *copy = mem_strdup(names ?: ""), *rest = copy, *name, *value;

	while ((name = strsep(&rest, ",")) && *name && named->nr < LATENCY_NAMED) {
		int label;

		value = strchr(name, '=');
		if (value)
			*value = '\0';
		label = rule->label ? syscall_names_number(uname, name) :
				      (int)name_table_add(l->names, name, strlen(name));
		if (label < 0)
			continue;
		named->labels[named->nr] = (uint64_t)label;
		named->masks[label / 64 % 8] |= 1ull << label % 64;
		named->values[named->nr++] = value ? strtoll(value + 1, NULL, 10) : INT64_MIN;
	}
	free(copy);
}

/* Which begins a softirq, or what softirqs alone do; -1: it does not. */
static int8_t find_paused(const char *begin)
{
	static const char *const names[] = { "softirq_entry", "tasklet_entry",
					     "timer_expire_entry" };

	for (int8_t i = 0; begin && i < 3; i++)
		if (!strcmp(begin, names[i]))
			return i;
	return -1;
}

void latency_pass_init(struct latency *l)
{
	const struct latency_kinds *kinds = l->options.kinds;
	const struct latency_options *o = &l->options;

	l->sums_only = !o->what.range.set && !o->what.only && !o->wants && !o->keep && !o->each;
	l->asks_wakers = !l->sums_only && (o->only < 0 || o->only == LATENCY_WAKEUP);
	for (unsigned int i = 0; i < kinds->nr_rules; i++) {
		const struct latency_rule *rule = &kinds->rules[i];

		l->rules[i].paused = rule->by_cpu ? find_paused(rule->ends[0].name) : -1;
		l->asks_pauses |= l->rules[i].paused >= 0 &&
				  (o->only < 0 || o->only == (int)rule->kind);
	}
	l->listener = (struct sched_listener){
		.task = l->sums_only ? NULL : on_task,
		.cpu = l->asks_pauses || l->host.guest || l->ends->pairs.has_silent ||
				       l->ends->pairs.held ?
			       on_cpu :
			       NULL,
		.ended = l->sums_only ? on_ended : NULL,
		.cut = on_cut,
		.other = on_other,
		.named = l->sums_only ? NULL : on_named,
		.arg = l
	};
	for (unsigned int i = 0; i < kinds->nr_rules; i++) {
		const struct latency_rule *rule = &kinds->rules[i];
		const bool *missed = l->ends->missed[i];
		unsigned int list = 0;

		while (list < i && (rule->otherwise || kinds->rules[list].kind != rule->kind))
			list++;
		l->rules[i].open.rule = rule;
		l->rules[i].open.names = rule->label ? l->names : NULL;
		l->rules[i].is_mistaken = rule->nested || rule->first ? missed[0] || missed[1] :
									missed[0] && missed[1];
		l->rules[i].is_numbered = l->of_32 && !l->sums_only &&
					  latency_rule_is_numbered(rule);
		find_named(l, rule, KNOWN_FINAL, &l->rules[i].finals);
		find_named(l, rule, KNOWN_CHOSEN, &l->rules[i].chosen);
		if (rule->silent)
			l->silents[l->nr_silents++] = (uint8_t)i;
		if (rule->irqs_off || rule->preempt_off)
			l->helds[l->nr_helds++] = (uint8_t)i;
		l->rules[i].list = &l->lists[list];
		l->lists[list].kind = rule->kind;
		l->lists[list].sums.missed |= latency_has_missed(l, i);
	}
	if (l->sums_only && !o->what.nr_filters)
		simplify_ends(l);
}

static struct sched_pass_options pass_options(struct latency *l)
{
	return (struct sched_pass_options){
		.file = l->options.what.file, .no_sums = true, .filters = l->options.what.filters,
		.nr_filters = l->options.what.nr_filters, .pairs = &l->ends->pairs,
		.names = l->names, .one_buffer = true, .buffer = l->buffer,
		.listener = &l->listener, .begun = on_begun,
		.workers = l->parks ? NULL : trace_workers(l->trace), .stopped = &l->job.stopped,
		.interrupts = l->asks_wakers, .parks = l->parks, .limits = true,
	};
}

void latency_pass_begin(struct latency *l)
{
	const struct sched_pass_options *also = l->has_sched ? NULL : l->options.also;
	struct sched_pass_options options = pass_options(l);

	l->listener.next = NULL;
	if (also) {
		l->listener.next = also->listener;
		options.range = also->range;
		options.only = also->only;
		options.nr_only = also->nr_only;
		options.no_sums = also->no_sums;
		options.queue = also->queue;
		options.interrupts |= also->interrupts;
	}
	l->pass = l->passes[l->buffer] = sched_pass_new(l->trace, &options);
}

/* Begin with what is open where the other one is parked. */
void latency_pass_follow(struct latency *l)
{
	struct sched_pass_options options = pass_options(l);
	const struct latency *before = l->before;

	l->pass = l->passes[0] = sched_pass_fork(before->pass, &options);
	if (l->nr_stretches)	/* it has begun again */
		return;
	for (unsigned int i = 0; i < l->options.kinds->nr_rules; i++) {
		latency_open_copy(&l->rules[i].open, &before->rules[i].open);
		memcpy(l->rules[i].ticks, before->rules[i].ticks, sizeof(l->rules[i].ticks));
		l->rules[i].nr_ticks = before->rules[i].nr_ticks;
		l->rules[i].has_ends = before->rules[i].has_ends;
		l->lists[i].left_out = before->lists[i].left_out;
		l->lists[i].sums.unsettled = before->lists[i].sums.unsettled;
	}
	if (l->of_32)
		memcpy(l->of_32, before->of_32, LATENCY_OF_32 * sizeof(*l->of_32));
	l->nr_stretches = before->nr_stretches;
	l->stretches = mem_copy(before->stretches, sched_pass_nr_cpus(before->pass),
				sizeof(*l->stretches));
	l->busy = mem_copy(before->busy, sched_pass_nr_cpus(before->pass), sizeof(*l->busy));
	l->paused = mem_copy(before->paused, sched_pass_nr_cpus(before->pass), sizeof(*l->paused));
	l->pausing = before->pausing;
	l->tasks = mem_copy(before->tasks, before->nr_tasks, sizeof(*l->tasks));
	l->nr_tasks = before->nr_tasks;
	l->jiffies = before->jiffies;
	l->jiffies.waiting = mem_copy(l->jiffies.waiting, l->jiffies.cap,
				      sizeof(*l->jiffies.waiting));
	sched_interrupts_copy(&l->interrupts, &before->interrupts);
}

/* May its end come?  Not after the exit of its task; after a final call only if that lives. */
static bool may_end(const struct latency *l, const struct rule_state *r,
		    const struct latency_instance *i)
{
	uint32_t task;

	if (!r->open.rule->by_pid)
		return i->pid || !r->open.rule->unless;	/* the idle task idles there */
	if (latency_has_exited(l->pass, i->pid, i->start))
		return false;
	if (!is_named(l, &r->finals, i))
		return true;
	task = sched_rules_find(sched_pass_rules(l->pass), i->pid, i->start);
	return task != SCHED_NO_TASK &&
	       sched_rules_task(sched_pass_rules(l->pass), task)->state != SCHED_UNKNOWN;
}

bool latency_has_exited(const struct sched_pass *pass, uint32_t pid, int64_t start)
{
	const struct sched_rules *rules = sched_pass_rules(pass);
	uint32_t task = sched_rules_find(rules, pid, start);
	const struct sched_task *t;

	if (task == SCHED_NO_TASK)
		return false;
	t = sched_rules_task(rules, task);
	return t->state == SCHED_GONE || (t->ended && t->state == SCHED_UNKNOWN);
}

static void end_open(struct latency *l, struct rule_state *r, const struct latency_start *start,
		     int64_t last_ts)
{
	struct latency_instance i = start->begun;

	if (l->sums_only && r->finals.nr && r->open.rule->label)
		i.label = start->key;	/* a number, too: see simplify_ends() */
	r->list->sums.unsettled |= start->is_open && start->is_shared;
	if (!start->is_open || !start->wanted || r->open.rule->silent ||
	    (r->open.rule->by_cpu && start->scope >> 32 != l->stretches[start->cpu]) ||
	    !may_end(l, r, &i))
		return;
	i.end = last_ts;
	i.flags = LATENCY_OPEN | (start->is_shared ? LATENCY_SHARED : 0) |
		  (start->is_late ? LATENCY_LATE : 0);
	if (start->is_mixed || is_doubtful(l, r, i.start, i.end))
		i.flags |= LATENCY_DOUBTFUL;
	latency_count(l, r->list, &i);
}

/*
 * What keeps a CPU busy, such as a timer's function, ends before much else happens there.  If none
 * of it ever ends, ends are not recorded: limits need the beginnings alone (plan_limits.h).
 */
static bool lacks_ends(const struct latency *l, const struct rule_state *r)
{
	return r->open.rule->by_cpu && r->open.rule->kind < l->options.kinds->nr_known &&
	       !r->has_ends;
}

static void end_rule(struct latency *l, struct rule_state *r, int64_t last_ts)
{
	struct latency_open *open = &r->open;

	for (uint32_t i = 0; i < open->nr && !lacks_ends(l, r); i++)
		end_open(l, r, &open->starts[i], last_ts);
	if (open->rule->unmatched)
		r->list->sums.unmatched += open->replaced;
	else if (!open->rule->silent)
		r->list->sums.replaced += open->replaced;
	if (open->rule->jiffies)
		l->jiffies.begun = false;
	latency_open_fini(open);
	r->has_ends = false;
}

static void end_tasks(struct latency *l, int64_t last_ts)
{
	const struct sched_rules *rules = sched_pass_rules(l->pass);

	for (uint32_t i = 0; i < sched_rules_nr_tasks(rules); i++) {
		const struct sched_task *t = sched_rules_task(rules, i);
		struct latency_list *list = list_of(l, (enum sched_state)t->state);
		struct latency_instance open;

		if (!list || (t->state == SCHED_WAITS && !t->is_open) || l->options.what.nr_filters)
			continue;
		open = task_at(l, i)->begun;
		open.end = last_ts;
		open.flags |= LATENCY_OPEN;
		if (sched_rules_doubts(rules, i, last_ts))
			open.flags |= LATENCY_DOUBTFUL;
		latency_count(l, list, &open);
	}
}

void latency_pass_end(struct latency *l)
{
	struct sched_feed_totals totals = sched_pass_totals(l->pass);

	if (totals.any && (!l->last_ts || totals.last_ts > l->last_ts))
		l->last_ts = totals.last_ts;
	l->damaged += totals.damaged;
	l->missing += sched_rules_missing(sched_pass_rules(l->pass));
	l->left_out = l->left_out ?: sched_pass_left_out(l->pass);
	text_clear(&l->absent);
	sched_pass_absent(l->pass, &l->absent);
	/* without switches, what has not ended was not recorded */
	if (!l->has_sched && totals.any &&
	    (totals.switches || trace_has_switches(l->trace, l->options.what.file)))
		end_tasks(l, totals.last_ts);
	for (unsigned int i = 0; l->vcpus && !l->has_sched && i < sched_pass_nr_cpus(l->pass); i++)
		end_busy(l, i, totals.last_ts, TRACE_REF_NONE);
	for (unsigned int i = 0; i < l->options.kinds->nr_rules; i++)
		end_rule(l, &l->rules[i], totals.last_ts);
	if (!l->has_sched) {
		l->lacks_wakes = totals.switches && !totals.wakes;
		l->lacks = sched_pass_lacks(l->pass);
		l->lists[LATENCY_WAKEUP].sums.late = l->lacks && !l->lacks_wakes;
		l->sched = l->pass;
	}
	l->has_sched |= totals.sched_records != 0;
}
