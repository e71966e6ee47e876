/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/host_vcpus.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/sched/sched_pass.h"

struct collecting {
	struct host_vcpus *vcpus;
	const struct sched_pass *pass;
};

static struct host_vcpu *find_task(struct host_vcpus *v, uint32_t pid)
{
	for (unsigned int i = 0; i < v->nr; i++)
		if (v->vcpus[i].pid == pid)
			return &v->vcpus[i];
	return NULL;
}

static struct host_vcpu *find_cpu(const struct host_vcpus *v, int cpu)
{
	for (unsigned int i = 0; i < v->nr; i++)
		if (v->vcpus[i].cpu == cpu)
			return &v->vcpus[i];
	return NULL;
}

static bool is_off(enum sched_state state)
{
	return state == SCHED_WAITS || state == SCHED_PREEMPTED || state == SCHED_SLEEPS ||
	       state == SCHED_BLOCKED;
}

static struct host_stay *add_stay(struct host_vcpu *v, int64_t from, int64_t to,
				  enum sched_state state)
{
	mem_grow(&v->stays, v->nr, &v->cap);
	v->stays[v->nr] = (struct host_stay){ .from = from, .to = to, .state = (uint8_t)state };
	return &v->stays[v->nr++];
}

/* The last stay, if it goes on. */
static struct host_stay *open_stay(const struct host_vcpu *v)
{
	struct host_stay *last = v->nr ? &v->stays[v->nr - 1] : NULL;

	return last && last->to == INT64_MAX ? last : NULL;
}

/* What the task did up to here is not known if records contradict each other. */
static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct collecting *of = arg;
	const struct sched_task *t = sched_rules_task(sched_pass_rules(of->pass), task);
	struct host_vcpu *v = find_task(of->vcpus, (uint32_t)t->pid);
	struct host_stay *last = v ? open_stay(v) : NULL;

	if (!v)
		return;
	if (!last && c->dropped)
		last = add_stay(v, c->since, c->ts, SCHED_UNKNOWN);
	if (last) {
		last->to = c->ts;
		last->doubtful = c->doubtful;
		if (c->dropped)
			last->state = SCHED_UNKNOWN;
		if (last->from >= c->ts)
			v->nr--;
	}
	if (c->state == SCHED_RUNS)
		return;
	last = add_stay(v, c->ts, INT64_MAX, is_off(c->state) ? c->state : SCHED_UNKNOWN);
	if (c->state == SCHED_PREEMPTED && c->rec && !c->limit)
		last->by = c->rec->pid2;
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct collecting *of = arg;

	of->pass = pass;
	for (unsigned int i = 0; i < of->vcpus->nr; i++) {
		of->vcpus->vcpus[i].nr = 0;
		add_stay(&of->vcpus->vcpus[i], INT64_MIN, INT64_MAX, SCHED_UNKNOWN);
	}
}

/* What is open at the end of the host's records ends there; what comes then is not known. */
static void end_stays(struct host_vcpus *v, const struct sched_rules *rules, int64_t last_ts)
{
	for (unsigned int i = 0; i < v->nr; i++) {
		struct host_vcpu *vcpu = &v->vcpus[i];
		struct host_stay *last = open_stay(vcpu);
		uint32_t task;

		if (last && last->state == SCHED_UNKNOWN)
			continue;
		if (last) {
			task = sched_rules_find(rules, vcpu->pid, last_ts);
			last->to = last_ts;
			last->doubtful = task == SCHED_NO_TASK ||
					 sched_rules_doubts(rules, task, last_ts);
		}
		add_stay(vcpu, last_ts, INT64_MAX, SCHED_UNKNOWN);
	}
}

static struct host_vcpus *make_vcpus(const struct trace_host *host)
{
	const struct source_guest *guest = host->guest;
	struct host_vcpus *v = mem_alloc(sizeof(*v));

	v->host = host->trace;
	v->file = host->file;
	v->vcpus = mem_array(guest->nr + 1, sizeof(*v->vcpus));
	for (unsigned int i = 0; i < guest->nr; i++)
		if (guest->vcpus[i].pid > 0 && guest->vcpus[i].cpu <= INT32_MAX)
			v->vcpus[v->nr++] = (struct host_vcpu){
				.cpu = (int)guest->vcpus[i].cpu,
				.pid = (uint32_t)guest->vcpus[i].pid,
			};
	return v;
}

/*
 * Without wake-ups, only when a sleep became a wait is not known: the task was off the CPUs for all
 * of it, unless records of a run may be lost.
 */
static void trust_sleeps(struct host_vcpus *v, const struct sched_rules *rules)
{
	for (unsigned int i = 0; i < v->nr; i++)
		for (uint32_t k = 0; k < v->vcpus[i].nr; k++) {
			struct host_stay *stay = &v->vcpus[i].stays[k];

			if (stay->state == SCHED_SLEEPS || stay->state == SCHED_BLOCKED)
				stay->doubtful = sched_rules_gap(rules, stay->from, stay->to);
		}
}

struct host_vcpus *host_vcpus_new(const struct trace_host *host, const atomic_bool *stopped)
{
	struct collecting of = { .vcpus = make_vcpus(host) };
	const struct sched_listener listener = { .task = on_task, .arg = &of };
	const struct sched_pass_options options = {
		.file = host->file, .no_sums = true, .listener = &listener, .begun = on_begun,
		.stopped = stopped,
	};
	struct sched_pass *pass = sched_pass_new(host->trace, &options);
	struct sched_feed_totals totals;
	bool is_whole = !sched_pass_run(pass, NULL);

	totals = sched_pass_totals(pass);
	end_stays(of.vcpus, sched_pass_rules(pass), totals.last_ts);
	if (!totals.wakes && !trace_is_cut_by(host->trace, (int)host->file, "--cpu="))
		trust_sleeps(of.vcpus, sched_pass_rules(pass));
	sched_pass_free(pass);
	if (is_whole && totals.switches && !(stopped && atomic_load(stopped)))
		return of.vcpus;
	host_vcpus_free(of.vcpus);
	return NULL;
}

void host_vcpus_free(struct host_vcpus *v)
{
	for (unsigned int i = 0; v && i < v->nr; i++)
		free(v->vcpus[i].stays);
	if (v)
		free(v->vcpus);
	free(v);
}

const struct host_stay *host_vcpus_next(const struct host_vcpus *v, int cpu, int64_t from,
					int64_t to, uint32_t *i)
{
	static const struct host_stay unknown = { INT64_MIN, INT64_MAX, SCHED_UNKNOWN, false, 0 };
	const struct host_vcpu *vcpu = find_cpu(v, cpu);
	uint32_t at;

	if (from >= to)
		return NULL;
	if (!vcpu)
		return (*i)++ ? NULL : &unknown;
	at = *i ? *i : bisect(vcpu->nr, k, vcpu->stays[k].to <= from);
	*i = at + 1;
	return at < vcpu->nr && vcpu->stays[at].from < to ? &vcpu->stays[at] : NULL;
}

void host_stay_text(const struct host_vcpus *v, int cpu, enum sched_state state, uint32_t by,
		    int64_t ts, struct text *out)
{
	static const char *const words[SCHED_STATES_NR] = {
		[SCHED_WAITS] = "waited for a CPU of the host",
		[SCHED_PREEMPTED] = "preempted",
		[SCHED_SLEEPS] = "slept",
		[SCHED_BLOCKED] = "blocked (D)",
	};
	const struct host_vcpu *vcpu = find_cpu(v, cpu);

	if (!vcpu)
		return;
	text_printf(out, "%s-%" PRIu32 " %s", trace_comm(v->host, v->file, (int)vcpu->pid, ts),
		    vcpu->pid, words[state]);
	if (by)
		text_printf(out, " by %s-%" PRIu32, trace_comm(v->host, v->file, (int)by, ts), by);
}
