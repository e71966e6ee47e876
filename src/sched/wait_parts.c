/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/wait_parts.h"

/* Go to the next time after this one at which it left a queue. */
static void find_left(struct wait_parts *p, int64_t ts)
{
	while (p->has_left && p->left.from <= ts)
		p->has_left = pyramid_iter_next(&p->queues, &p->left);
	p->has_left &= p->left.from <= p->end;
}

void wait_parts_begin(struct wait_parts *p, const struct sched *sched, uint32_t task, uint32_t cpu,
		      int64_t from, int64_t to, int64_t end)
{
	const struct pyramid *queues = sched_queues(sched, task);

	const struct pyramid *limits = sched_limits(sched, task);

	*p = (struct wait_parts){ .sched = sched, .cpu = cpu, .at = from, .to = to, .end = end,
				  .has_limits = limits->nr_chunks };
	if (p->has_limits) {
		pyramid_iter_init(&p->limits, limits, sched_end(sched), from);
		p->limited.to = INT64_MIN;
	}
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
		return false;
	}
	*part = (struct wait_part){ .from = part->from, .reason = WAIT_THROTTLED,
				    .doubtful = is_inferred(p),
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

bool wait_parts_next(struct wait_parts *p, struct wait_part *part)
{
	*part = (struct wait_part){ .from = p->at, .to = p->to, .reason = WAIT_QUEUED };
	if (p->at >= p->to)
		return false;
	if (!be_throttled(p, part))
		be_queued(p, part);
	p->at = part->to;
	return true;
}
