/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/sched_facts.h"

#include <inttypes.h>
#include <linux/sched/types.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/memory.h"

#define FACTS_MAX	500000u		/* some 40 bytes each in the file */
#define MASK_BYTES	8192		/* of 65,536 CPUs */

struct sched_fact {
	uint64_t	since, until;	/* it was so from before to after; census_clock's time */
	int		pid;
	uint32_t	policy, priority;	/* sched_setattr(2) */
	int32_t		nice;
	uint64_t	runtime_ns, period_ns;	/* of a deadline task */
	uint32_t	allowed;	/* string: a list of CPUs */
};

/* "0-3,7": the file Cpus_allowed_list of /proc/PID/status has the same. */
static void add_list(const uint64_t *mask, long bytes, struct text *out)
{
	long nr = bytes * 8;

	for (long cpu = 0; cpu < nr; cpu++) {
		long first = cpu;

		while (cpu < nr && mask[cpu / 64] >> cpu % 64 & 1)
			cpu++;
		if (cpu == first)
			continue;
		text_printf(out, "%s%ld", out->len ? "," : "", first);
		if (cpu - first > 1)
			text_printf(out, "-%ld", cpu - 1);
	}
}

/* Most tasks may run on the same CPUs as the one before. */
static uint32_t allowed_of(struct sched_facts *facts, struct census_strings *strings, int pid)
{
	uint64_t mask[MASK_BYTES / sizeof(uint64_t)];
	long bytes = syscall(SYS_sched_getaffinity, pid, sizeof(mask), mask);
	struct text list = { 0 };

	if (bytes <= 0)
		return 0;
	if (bytes == facts->mask_bytes && !memcmp(mask, facts->mask, (size_t)bytes))
		return facts->mask_string;
	free(facts->mask);
	facts->mask = mem_copy(mask, 1, (size_t)bytes);
	facts->mask_bytes = bytes;
	add_list(mask, bytes, &list);
	facts->mask_string = census_string(strings, text_str(&list), list.len);
	text_fini(&list);
	return facts->mask_string;
}

static uint32_t *last_of(struct sched_facts *facts, int pid)
{
	index_map_each (&facts->map, index_map_hash((uint32_t)pid), i)
		if (facts->facts[facts->last[i]].pid == pid)
			return &facts->last[i];
	return NULL;
}

static bool is_same(const struct sched_fact *a, const struct sched_fact *b)
{
	return a->policy == b->policy && a->priority == b->priority && a->nice == b->nice &&
	       a->runtime_ns == b->runtime_ns && a->period_ns == b->period_ns &&
	       a->allowed == b->allowed;
}

void sched_facts_see(struct sched_facts *facts, struct census_strings *strings, int pid,
		     bool is_new, const struct census_clock *clock)
{
	struct sched_attr attr = { 0 };
	struct sched_fact fact = { .since = census_clock_now(clock), .pid = pid };
	uint32_t *last = last_of(facts, pid);

	if (syscall(SYS_sched_getattr, pid, &attr, sizeof(attr), 0))
		return;
	fact.policy = attr.sched_policy;
	fact.priority = attr.sched_priority;
	fact.nice = attr.sched_nice;
	fact.runtime_ns = attr.sched_runtime;
	fact.period_ns = attr.sched_period;
	fact.allowed = allowed_of(facts, strings, pid);
	fact.until = census_clock_now(clock);
	if ((last && !is_new && is_same(&facts->facts[*last], &fact)) || facts->nr == FACTS_MAX)
		return;
	if (!last) {
		mem_grow(&facts->last, facts->nr_tasks, &facts->cap_tasks);
		index_map_add(&facts->map, index_map_hash((uint32_t)pid), facts->nr_tasks);
		last = &facts->last[facts->nr_tasks++];
	}
	*last = facts->nr;
	mem_grow(&facts->facts, facts->nr, &facts->cap);
	facts->facts[facts->nr++] = fact;
}

void sched_facts_end(struct sched_facts *facts, struct census_strings *strings,
		     const struct census_clock *clock)
{
	for (uint32_t i = 0; i < facts->nr_tasks; i++)
		sched_facts_see(facts, strings, facts->facts[facts->last[i]].pid, false, clock);
}

void sched_facts_text(const struct sched_facts *facts, uint32_t told,
		      const struct census_clock *clock, struct text *out)
{
	for (uint32_t i = told; i < facts->nr; i++) {
		const struct sched_fact *f = &facts->facts[i];
		int64_t since = census_clock_trace(clock, f->since, false),
			until = census_clock_trace(clock, f->until, true);

		if (since >= 0 && until >= since)
			text_printf(out,
				    "sched %" PRId64 " %" PRId64 " %d %u %u %d %u %" PRIu64
				    " %" PRIu64 "\n",
				    since, until, f->pid, f->policy, f->priority, f->nice,
				    f->allowed, f->runtime_ns, f->period_ns);
	}
}

void sched_facts_fini(struct sched_facts *facts)
{
	free(facts->facts);
	free(facts->last);
	free(facts->mask);
	index_map_fini(&facts->map);
}
