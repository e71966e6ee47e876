/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/machine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/trace_format.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define NS_PER_S	1000000000u
#define MAX_HZ		1000000		/* ticks in a second; the kernel has 100, or 1024 */
#define MAX_TICKS	UINT32_MAX	/* between two looks */

/* numbers of a line "cpu CPU CORE CLUSTER DIE PACKAGE NODE L2 L3 CAPACITY MIN_KHZ MAX_KHZ" */
enum { CPU, CORE, CLUSTER, DIE, SOCKET, NODE, L2, L3, CAPACITY, MIN_KHZ, MAX_KHZ, NR_NUMBERS };

static bool load_cpu(struct machine *m, const char **p, const char *end)
{
	int64_t v[NR_NUMBERS];

	for (int i = 0; i < NR_NUMBERS; i++)
		if (!text_take_i64(p, end, &v[i]) || v[i] < -1 || (i < MIN_KHZ && v[i] > INT32_MAX))
			return false;
	if (v[CPU] < 0 || v[CPU] >= TRACE_MAX_CPUS || (m->nr && m->cpus[m->nr - 1].cpu >= v[CPU]))
		return false;
	m->cpus[m->nr++] = (struct machine_cpu){
		.cpu = (int)v[CPU], .core = (int)v[CORE], .cluster = (int)v[CLUSTER],
		.die = (int)v[DIE], .package = (int)v[SOCKET], .node = (int)v[NODE],
		.l2 = (int)v[L2], .l3 = (int)v[L3], .capacity = (int)v[CAPACITY],
		.min_khz = v[MIN_KHZ], .max_khz = v[MAX_KHZ],
	};
	return true;
}

static int64_t stamp(int64_t raw)
{
	return raw < 0 ? INT64_MIN : raw;
}

/* "HZ FROM TO" */
static bool load_watch(struct machine *m, const char *p, const char *end)
{
	int64_t hz, from, to;

	if (!text_take_i64(&p, end, &hz) || !text_take_i64(&p, end, &from) ||
	    !text_take_i64(&p, end, &to) || p != end || hz < 1 || hz > MAX_HZ)
		return false;
	m->steal_hz = (unsigned int)hz;
	m->steal_from = stamp(from);
	m->steal_to = stamp(to);
	return true;
}

/* "SINCE TS CPU TICKS" */
static bool load_steal(struct machine *m, const char *p, const char *end, unsigned int *cap)
{
	int64_t since, ts, cpu, ticks;

	if (!text_take_i64(&p, end, &since) || !text_take_i64(&p, end, &ts) ||
	    !text_take_i64(&p, end, &cpu) || !text_take_i64(&p, end, &ticks) || p != end ||
	    !m->steal_hz || cpu < 0 || cpu >= TRACE_MAX_CPUS || ticks < 1 || ticks > MAX_TICKS)
		return false;
	mem_grow(&m->steals, m->nr_steals, cap);
	m->steals[m->nr_steals++] = (struct machine_steal){
		.since = stamp(since), .ts = stamp(ts), .cpu = (int)cpu,
		.ticks = (uint64_t)ticks,
	};
	return true;
}

/* @line: without its end. */
static bool load_line(struct machine *m, const char *line, const char *end, unsigned int *cap)
{
	size_t len = (size_t)(end - line);

	if (len > 4 && !memcmp(line, "cpu ", 4)) {
		line += 3;
		return load_cpu(m, &line, end) && line == end;
	}
	if (len > 7 && !memcmp(line, "memory ", 7)) {
		line += 6;
		return text_take_i64(&line, end, &m->memory) && line == end && m->memory >= 0;
	}
	if (len > 5 && !memcmp(line, "virt ", 5)) {
		if (len - 5 >= sizeof(m->virt))
			return false;
		memcpy(m->virt, line + 5, len - 5);
	}
	if (len > 8 && !memcmp(line, "watched ", 8))
		return load_watch(m, line + 7, end);
	if (len > 6 && !memcmp(line, "steal ", 6))
		return load_steal(m, line + 5, end, cap);
	return true;			/* of a later version */
}

static int compare_ints(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The recorder names what CPUs share by the lowest of them: count them instead. */
static void number(struct machine *m, size_t member)
{
	int *all = mem_array(m->nr + 1, sizeof(*all)), nr = 0;

	for (unsigned int i = 0; i < m->nr; i++)
		all[i] = *(int *)((char *)&m->cpus[i] + member);
	qsort(all, m->nr, sizeof(*all), compare_ints);
	for (unsigned int i = 0; i < m->nr; i++)
		if (all[i] >= 0 && (!nr || all[nr - 1] != all[i]))
			all[nr++] = all[i];
	for (unsigned int i = 0; i < m->nr; i++) {
		int *value = (int *)((char *)&m->cpus[i] + member);

		if (*value >= 0)
			*value = bisect(nr, k, all[k] < *value);
	}
	free(all);
}

int machine_load(struct machine *m, const char *text, uint64_t size, struct ft_error *err)
{
	static const size_t members[] = {
		offsetof(struct machine_cpu, core), offsetof(struct machine_cpu, cluster),
		offsetof(struct machine_cpu, die), offsetof(struct machine_cpu, package),
		offsetof(struct machine_cpu, l2), offsetof(struct machine_cpu, l3),
	};
	const char *end = text + size;
	unsigned int cap = 0, cap_steals = 0;

	*m = (struct machine){ .memory = -1 };
	for (const char *line = text, *stop; line < end; line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line));
		mem_grow(&m->cpus, m->nr, &cap);
		if (!stop || !load_line(m, line, stop, &cap_steals)) {
			machine_fini(m);
			return ft_error_set(
				err, FT_E_FORMAT, line - text,
				"a line about the machine has wrong numbers, or ends early");
		}
	}
	for (unsigned int i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		number(m, members[i]);
	return 0;
}

void machine_fini(struct machine *m)
{
	free(m->cpus);
	free(m->steals);
	*m = (struct machine){ .memory = -1 };
}

uint64_t machine_ticks_ns(const struct machine *m, uint64_t ticks)
{
	return ticks > INT64_MAX / NS_PER_S ? INT64_MAX : ticks * NS_PER_S / m->steal_hz;
}

uint64_t machine_stolen(const struct machine *m, int cpu)
{
	uint64_t ticks = 0;

	for (unsigned int i = 0; i < m->nr_steals; i++)
		ticks += cpu < 0 || m->steals[i].cpu == cpu ? m->steals[i].ticks : 0;
	return ticks;
}

const struct machine_steal *machine_most_stolen(const struct machine *m)
{
	const struct machine_steal *most = NULL;

	for (unsigned int i = 0; i < m->nr_steals; i++)
		if (!most || m->steals[i].ticks > most->ticks)
			most = &m->steals[i];
	return most;
}

int machine_next_stolen(const struct machine *m, int cpu)
{
	int next = -1;

	for (unsigned int i = 0; i < m->nr_steals; i++)
		if (m->steals[i].cpu > cpu && (next < 0 || m->steals[i].cpu < next))
			next = m->steals[i].cpu;
	return next;
}

const struct machine_cpu *machine_cpu(const struct machine *m, int cpu)
{
	unsigned int i = bisect(m->nr, k, m->cpus[k].cpu < cpu);

	return i < m->nr && m->cpus[i].cpu == cpu ? &m->cpus[i] : NULL;
}
