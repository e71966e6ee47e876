/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/wait_parts.h"

#include "src/base/time_math.h"
#include "src/events/verdicts.h"
#include "src/sched/limits/limits_untold.h"

/* Go to the next time after this one at which it left a queue. */
static void find_left(struct wait_parts *p, int64_t ts)
{
	while (p->has_left && p->left.from <= ts) {
		p->since = p->left.from;
		p->has_left = pyramid_iter_next(&p->queues, &p->left);
	}
	p->has_left &= p->left.from <= p->end;
}

void wait_parts_begin(struct wait_parts *p, const struct sched *sched, uint32_t task, uint32_t cpu,
		      int64_t from, int64_t to, int64_t end)
{
	const struct pyramid *queues = sched_queues(sched, task);

	const struct pyramid *limits = sched_limits(sched, task);

	*p = (struct wait_parts){ .sched = sched, .task = task, .cpu = cpu, .at = from, .to = to,
				  .end = end, .since = INT64_MIN,
				  .has_limits = limits->nr_chunks };
	if (p->has_limits) {
		pyramid_iter_init(&p->limits, limits, sched_end(sched), from);
		p->limited.to = INT64_MIN;
	}
	if (queues->nr_chunks && queues->last <= from)
		p->since = queues->last;
	if (!queues->nr_chunks || queues->first > end || queues->last <= from)
		return;
	pyramid_iter_init(&p->queues, queues, sched_end(sched), from);
	p->has_left = pyramid_iter_next(&p->queues, &p->left);
	find_left(p, from);
}

/* Is it inferred that it was so, or until when? */
static bool is_inferred(const struct wait_parts *p)
{
	struct pyramid_iter next = p->limits;
	struct pyramid_state end;

	return !pyramid_iter_next(&next, &end) || !end.arg;
}

/* The limit of a group holds in the queue of a CPU: no record names that. */
static bool is_astray(const struct wait_parts *p)
{
	return p->limited.arg >= SCHED_LIMIT_GROUP && p->has_left &&
	       p->left.kind == SCHED_QUEUE_ASTRAY;
}

/* A limit keeps it from running now; false: none does up to part->to. */
static bool be_throttled(struct wait_parts *p, struct wait_part *part)
{
	while (p->has_limits && p->limited.to <= part->from)
		p->has_limits = pyramid_iter_next(&p->limits, &p->limited);
	if (!p->has_limits)
		return false;
	if (p->limited.from > part->from || !p->limited.kind || p->limited.kind == SCHED_FROZEN) {
		int64_t next = p->limited.from > part->from ? p->limited.from : p->limited.to;

		part->to = next < part->to ? next : part->to;
		if (p->limited.from <= part->from && p->limited.from > p->since)
			p->since = p->limited.from;
		return false;
	}
	find_left(p, part->from);
	*part = (struct wait_part){ .from = part->from, .reason = WAIT_THROTTLED,
				    .doubtful = is_inferred(p) || is_astray(p),
				    .to = p->limited.to < part->to ? p->limited.to : part->to,
				    .limit = p->limited.arg };
	return true;
}

/* The last reason of all: it stands in a queue up to where it leaves that, or runs. */
static void be_queued(struct wait_parts *p, struct wait_part *part)
{
	find_left(p, part->from);
	part->cpu = p->cpu;
	if (!p->has_left)
		return;
	if (p->left.from < part->to)
		part->to = p->left.from;
	part->doubtful = p->left.kind == SCHED_QUEUE_ASTRAY;
	if (p->left.kind == SCHED_QUEUE_LEFT)
		part->cpu = p->left.arg;
	if (part->doubtful ? p->left.arg : part->cpu >= sched_nr_cpus(p->sched))
		part->reason = WAIT_ASTRAY;
}

/* Its group was throttled, and no record tells when. */
static bool may_be_throttled(const struct wait_parts *p, const struct wait_part *part)
{
	const struct sched_pass *pass = sched_pass_of(p->sched);

	return sched_pass_untold(pass) &&
	       limits_untold_hold(sched_pass_untold(pass),
				  (int)sched_rules_task(sched_pass_rules(pass), p->task)->pid,
				  part->from, part->to, true);
}

bool wait_parts_next(struct wait_parts *p, struct wait_part *part)
{
	*part = (struct wait_part){ .from = p->at, .to = p->end, .reason = WAIT_QUEUED };
	if (p->at >= p->to)
		return false;
	if (!be_throttled(p, part))
		be_queued(p, part);
	part->since = p->since;
	part->until = part->to;
	part->to = part->to < p->to ? part->to : p->to;
	if (part->reason == WAIT_QUEUED)
		part->doubtful |= may_be_throttled(p, part);
	p->at = part->to;
	return true;
}

/* --- idle CPUs -------------------------------------------------------------------------------- */

/*
 * It idled once; the task came to an idle CPU, or its wake-up was still on the way when the CPU
 * became idle, and the task ran directly after that.
 */
bool wait_idle_is_exit(const struct trace *trace, const struct wait_idle *idle)
{
	int64_t from = idle->from > idle->since ? idle->from : idle->since,
		to = idle->to < idle->until ? idle->to : idle->until;
	bool was_idle = idle->from < idle->since + idle->is_woken,
	     is_next = idle->is_woken && idle->runs && idle->to >= idle->until;

	return idle->times <= 1 && (was_idle || is_next) &&
	       (trace_unit(trace) == TRACE_UNIT_COUNT ||
		time_between(from, to) <= WAIT_IDLE_EXIT_NS);
}

bool wait_parts_is_idle_exit(const struct wait_parts *p, const struct wait_part *part)
{
	static const struct pyramid_find idles = { .kinds = 1u << SCHED_CPU_IDLE };
	const struct pyramid *cpu = sched_cpu(p->sched, part->cpu);
	int64_t end = sched_end(p->sched);
	struct wait_idle idle = { .since = part->since, .until = part->until,
				  .runs = part->until == p->end && part->cpu == p->cpu };
	struct pyramid_state wait, state;
	bool found;

	if (!pyramid_at(sched_task(p->sched, p->task), end, part->from, &wait))
		return true;
	idle.is_woken = wait.kind == SCHED_WAITS;
	idle.since = wait.from > idle.since ? wait.from : idle.since;
	found = pyramid_at(cpu, end, idle.since, &state) && state.kind == SCHED_CPU_IDLE;
	if (!found)
		found = pyramid_find_next(cpu, end, idle.since, &idles, &state);
	if (!found || state.from >= idle.until)
		return true;
	idle.times = 1;
	idle.from = state.from;
	idle.to = state.to;
	if (pyramid_find_next(cpu, end, state.from, &idles, &state) && state.from < idle.until)
		idle.times = 2;
	return wait_idle_is_exit(sched_trace(p->sched), &idle);
}

static void see_group(void *arg, const struct who_cgroup *c)
{
	(void)c;
	*(bool *)arg = true;
}

void wait_unexplained_text(struct trace *trace, unsigned int file, struct text *out)
{
	bool knows_limits = false;

	trace_cgroups(trace, file, see_group, &knows_limits);
	verdict_add(out, knows_limits ? VERDICT_NOTHING_EXPLAINS : VERDICT_NOT_RECORDED_WHY);
}
