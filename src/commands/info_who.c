/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/info_who.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/json_out.h"
#include "src/base/memory.h"

/* --- tasks ------------------------------------------------------------------------ */

struct counting {
	struct info_who	 who;
	int		 pid;		/* the last process counted */
	const char	**cgroups;	/* owned, [who.cgroups]: each once */
	uint32_t	 cap;
	struct index_map map;
};

static void count_cgroup(struct counting *c, const char *cgroup)
{
	uint32_t hash = index_map_hash((uintptr_t)cgroup);	/* equal names are one string */

	index_map_each (&c->map, hash, i)
		if (c->cgroups[i] == cgroup)
			return;
	mem_grow(&c->cgroups, (uint32_t)c->who.cgroups, &c->cap);
	index_map_add(&c->map, hash, (uint32_t)c->who.cgroups);
	c->cgroups[c->who.cgroups++] = cgroup;
}

static void count_span(void *arg, int pid, int64_t from, int64_t to, const struct who *who)
{
	struct counting *c = arg;

	(void)from;
	(void)to;
	if (who->tgid == pid && pid != c->pid && (who->exe || who->uid >= 0 || who->cgroup)) {
		c->who.processes++;
		c->pid = pid;
	}
	if (who->cgroup)
		count_cgroup(c, who->cgroup);
}

struct info_who info_who_count(struct trace *trace)
{
	struct counting c = { .pid = 0 };

	trace_who_each(trace, 0, count_span, &c);
	free(c.cgroups);
	index_map_fini(&c.map);
	return c.who;
}

/* --- the machine ------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* How many different numbers a member has: they are counted from 0, but for nodes. */
static unsigned int distinct(const struct machine *m, size_t member)
{
	int *numbers = mem_array((size_t)m->nr + 1, sizeof(*numbers));
	unsigned int nr = 0;

	for (unsigned int i = 0; i < m->nr; i++)
		numbers[i] = *(const int *)((const char *)&m->cpus[i] + member);
	qsort(numbers, m->nr, sizeof(*numbers), compare_numbers);
	for (unsigned int i = 0; i < m->nr; i++)
		nr += numbers[i] >= 0 && (!i || numbers[i] != numbers[i - 1]);
	free(numbers);
	return nr;
}

static const struct {
	const char	*noun, *key;
	size_t		 member;
} counted[] = {
	{ "core", "cores", offsetof(struct machine_cpu, core) },
	{ "socket", "sockets", offsetof(struct machine_cpu, package) },
	{ "node", "nodes", offsetof(struct machine_cpu, node) },
};

void info_who_machine(const struct machine *m, struct text *out)
{
	size_t start = out->len;

	if (m->nr)
		text_counted(out, m->nr, "CPU");
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		unsigned int nr = distinct(m, counted[i].member);

		if (!nr)
			continue;
		text_add(out, ", ");
		text_counted(out, nr, counted[i].noun);
	}
	if (m->memory >= 0)
		text_printf(out, "%s%.1f GB of memory", out->len > start ? ", " : "",
			    (double)m->memory / 1e9);
	if (!*m->virt)
		return;
	if (!strcmp(m->virt, "none")) {
		text_printf(out, "%sno virtual machine", out->len > start ? ", " : "");
		return;
	}
	text_printf(out, "%svirtual machine (", out->len > start ? ", " : "");
	text_printable(out, m->virt, strlen(m->virt));
	text_char(out, ')');
}

static void put_known(struct text *out, const char *key, int64_t value)
{
	if (value >= 0)
		json_out_i64(out, key, value);
	else
		json_out_null(out, key);
}

static void json_cpu(const struct machine_cpu *cpu, struct text *out)
{
	json_out_object(out, NULL);
	json_out_i64(out, "cpu", cpu->cpu);
	put_known(out, "core", cpu->core);
	put_known(out, "cluster", cpu->cluster);
	put_known(out, "die", cpu->die);
	put_known(out, "socket", cpu->package);
	put_known(out, "node", cpu->node);
	put_known(out, "l2", cpu->l2);
	put_known(out, "l3", cpu->l3);
	put_known(out, "capacity", cpu->capacity);
	put_known(out, "min_khz", cpu->min_khz);
	put_known(out, "max_khz", cpu->max_khz);
	json_out_end(out, '}');
}

static void put_time(struct text *out, const char *key, int64_t ts)
{
	if (ts != INT64_MIN)
		json_out_i64(out, key, ts);
	else
		json_out_null(out, key);
}

/* What was stolen of each CPU, and when. */
static void json_steal(const struct machine *m, struct text *out)
{
	if (!m->steal_hz) {
		json_out_null(out, "steal");
		return;
	}
	json_out_object(out, "steal");
	json_out_u64(out, "tick_ns", machine_ticks_ns(m, 1));
	put_time(out, "from_ns", m->steal_from);
	put_time(out, "to_ns", m->steal_to);
	json_out_u64(out, "stolen_ns", machine_ticks_ns(m, machine_stolen(m, -1)));
	json_out_array(out, "growth");
	for (unsigned int i = 0; i < m->nr_steals; i++) {
		json_out_object(out, NULL);
		json_out_i64(out, "cpu", m->steals[i].cpu);
		put_time(out, "from_ns", m->steals[i].since);
		put_time(out, "to_ns", m->steals[i].ts);
		json_out_u64(out, "stolen_ns", machine_ticks_ns(m, m->steals[i].ticks));
		json_out_end(out, '}');
	}
	json_out_end(out, ']');
	json_out_end(out, '}');
}

static void json_machine(const struct machine *m, struct text *out)
{
	if (!m->nr && m->memory < 0 && !*m->virt && !m->steal_hz) {
		json_out_null(out, "machine");
		return;
	}
	json_out_object(out, "machine");
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		json_out_u64(out, counted[i].key, distinct(m, counted[i].member));
	put_known(out, "memory_bytes", m->memory);
	if (*m->virt)
		json_out_string(out, "virtualization", m->virt);
	else
		json_out_null(out, "virtualization");
	json_steal(m, out);
	json_out_array(out, "topology");
	for (unsigned int i = 0; i < m->nr; i++)
		json_cpu(&m->cpus[i], out);
	json_out_end(out, ']');
	json_out_end(out, '}');
}

void info_who_throttled(const struct who_cgroup *c, struct text *out)
{
	int64_t times = who_cgroup_growth(c, c->first.throttled, c->last.throttled),
		us = who_cgroup_growth(c, c->first.throttled_us, c->last.throttled_us);

	if (times <= 0)
		return;
	text_printable(out, c->path, strlen(c->path));
	text_add(out, ": ");
	text_counted(out, (uint64_t)times, "time");
	text_printf(out, ", %.3f ms of %.3f s", (double)us / 1e3,
		    (double)(c->last.ts - c->first.ts) / 1e9);
}

static void json_cgroup(void *arg, const struct who_cgroup *c)
{
	struct text *out = arg;

	json_out_object(out, NULL);
	json_out_string(out, "cgroup", c->path);
	put_known(out, "quota_us", c->last.quota_us);
	put_known(out, "period_us", c->last.period_us);
	put_known(out, "weight", c->last.weight);
	json_out_i64(out, "from_ns", c->first.ts);
	json_out_i64(out, "to_ns", c->last.ts);
	put_known(out, "usage_us", who_cgroup_growth(c, c->first.usage_us, c->last.usage_us));
	put_known(out, "periods", who_cgroup_growth(c, c->first.periods, c->last.periods));
	put_known(out, "throttled", who_cgroup_growth(c, c->first.throttled, c->last.throttled));
	put_known(out, "throttled_us",
		  who_cgroup_growth(c, c->first.throttled_us, c->last.throttled_us));
	json_out_end(out, '}');
}

void info_who_json(struct trace *trace, struct text *out)
{
	json_machine(trace_machine(trace, 0), out);
	json_out_array(out, "cgroup_stats");
	trace_cgroups(trace, 0, json_cgroup, out);
	json_out_end(out, ']');
}
