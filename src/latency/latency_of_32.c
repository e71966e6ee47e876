/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_of_32 - which tasks are of 32-bit programs, by raw_syscalls: its numbers are other calls
 * there, and nothing in a record tells.
 */
#include <string.h>

#include "src/base/index_map.h"
#include "src/latency/latency_private.h"

bool latency_rule_is_numbered(const struct latency_rule *rule)
{
	return rule->ends[0].system && !strcmp(rule->ends[0].system, "raw_syscalls");
}

/* Its entry, or where it would be; NULL: there is no room. */
static struct task_of_32 *find(const struct latency *l, uint32_t pid)
{
	uint32_t at = index_map_hash(pid);

	for (uint32_t i = 0; i < LATENCY_OF_32; i++) {
		struct task_of_32 *task = &l->of_32[(at + i) % LATENCY_OF_32];
		uint32_t known = atomic_load(&task->pid);

		if (!known || known == pid)
			return task;
	}
	return NULL;
}

void latency_see_32(struct latency *l, uint32_t pid, uint64_t number, int64_t ts)
{
	struct task_of_32 *task;

	if (!l->of_32 || number < l->from_32 || number > l->to_32 || !pid)
		return;
	task = find(l, pid);
	if (!task)
		return;
	if (!atomic_load(&task->pid)) {
		atomic_store(&task->first, ts);
		atomic_fetch_add(&l->nr_of_32, 1);
	}
	atomic_store(&task->last, ts);
	atomic_store(&task->pid, pid);
}

const struct task_of_32 *latency_task_of_32(const struct latency *l, uint32_t pid)
{
	const struct task_of_32 *task = l->of_32 ? find(l, pid) : NULL;

	return task && atomic_load(&task->pid) ? task : NULL;
}

unsigned int latency_nr_of_32(const struct latency *l)
{
	return atomic_load(&l->nr_of_32);
}
