/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_host.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/sched/sched_pass.h"
#include "src/trace/trace_guests.h"

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

/* A stay begins where the last one may have been left open; it ends, or is unknown from here on. */
static void on_task(void *arg, uint32_t task, const struct sched_change *c)
{
	struct collecting *of = arg;
	const struct sched_task *t = sched_rules_task(sched_pass_rules(of->pass), task);
	struct host_vcpu *v = find_task(of->vcpus, (uint32_t)t->pid);
	struct host_stay *last;

	if (!v)
		return;
	last = v->nr ? &v->stays[v->nr - 1] : NULL;
	if (last && last->to == INT64_MAX) {
		last->to = c->ts;
		last->doubtful = c->doubtful;
		if (c->dropped || last->from >= c->ts)
			v->nr--;
	}
	if (!is_off(c->state))
		return;
	mem_grow(&v->stays, v->nr, &v->cap);
	v->stays[v->nr++] = (struct host_stay){
		.from = c->ts, .to = INT64_MAX, .state = (uint8_t)c->state,
		.by = c->state == SCHED_PREEMPTED && c->rec ? c->rec->pid2 : 0,
	};
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct collecting *of = arg;

	of->pass = pass;
	for (unsigned int i = 0; i < of->vcpus->nr; i++)
		of->vcpus->vcpus[i].nr = 0;
}

/* What is open at the end of the host's records ends there. */
static void end_stays(struct host_vcpus *v, const struct sched_rules *rules, int64_t last_ts)
{
	for (unsigned int i = 0; i < v->nr; i++) {
		struct host_vcpu *vcpu = &v->vcpus[i];
		struct host_stay *last = vcpu->nr ? &vcpu->stays[vcpu->nr - 1] : NULL;
		uint32_t task;

		if (!last || last->to != INT64_MAX)
			continue;
		task = sched_rules_find(rules, vcpu->pid, last_ts);
		last->to = last_ts;
		last->doubtful = task == SCHED_NO_TASK || sched_rules_doubts(rules, task, last_ts);
	}
}

static struct host_vcpus *make_vcpus(struct trace *host, unsigned int file,
				     const struct source_guest *guest)
{
	struct host_vcpus *v = mem_alloc(sizeof(*v));

	v->host = host;
	v->file = file;
	v->vcpus = mem_array(guest->nr + 1, sizeof(*v->vcpus));
	for (unsigned int i = 0; i < guest->nr; i++)
		if (guest->vcpus[i].pid > 0 && guest->vcpus[i].cpu <= INT32_MAX)
			v->vcpus[v->nr++] = (struct host_vcpu){
				.cpu = (int)guest->vcpus[i].cpu,
				.pid = (uint32_t)guest->vcpus[i].pid,
			};
	return v;
}

struct host_vcpus *host_vcpus_new(struct trace *host, unsigned int file,
				  const struct source_guest *guest, const atomic_bool *stopped)
{
	struct collecting of = { .vcpus = make_vcpus(host, file, guest) };
	const struct sched_listener listener = { .task = on_task, .arg = &of };
	const struct sched_pass_options options = {
		.file = file, .no_sums = true, .listener = &listener, .begun = on_begun,
		.stopped = stopped,
	};
	struct sched_pass *pass = sched_pass_new(host, &options);
	struct sched_feed_totals totals;
	bool is_whole = !sched_pass_run(pass, NULL);

	totals = sched_pass_totals(pass);
	end_stays(of.vcpus, sched_pass_rules(pass), totals.last_ts);
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

const struct host_stay *host_vcpus_next(struct host_vcpus *v, int cpu, int64_t from, int64_t to,
					uint32_t *i)
{
	struct host_vcpu *vcpu = find_cpu(v, cpu);
	uint32_t at;

	if (!vcpu)
		return NULL;
	while (vcpu->at < vcpu->nr && vcpu->stays[vcpu->at].to <= from)
		vcpu->at++;
	at = vcpu->at + (*i)++;
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
