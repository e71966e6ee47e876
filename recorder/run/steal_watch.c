/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/steal_watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define MOST_GROWN	(1u << 16)	/* then the last look of each CPU is extended */

static struct steal_cpu *find_cpu(struct steal_watch *w, unsigned int cpu)
{
	for (unsigned int i = 0; i < w->nr_cpus; i++)
		if (w->cpus[i].cpu == cpu)
			return &w->cpus[i];
	return NULL;
}

static void add_growth(struct steal_watch *w, const struct steal_cpu *c, uint64_t ticks,
		       uint64_t now)
{
	for (unsigned int i = w->nr_grown; w->nr_grown >= MOST_GROWN && i--;)
		if (w->grown[i].cpu == c->cpu) {
			w->grown[i].at = now;
			w->grown[i].ticks += ticks;
			return;
		}
	mem_grow(&w->grown, w->nr_grown, &w->cap_grown);
	w->grown[w->nr_grown++] = (struct steal_growth){ c->at, now, c->cpu, ticks };
}

/* A CPU that was off has no line; what it counts goes on when it is on again. */
static void take_cpu(struct steal_watch *w, unsigned int cpu, uint64_t ticks, uint64_t now)
{
	struct steal_cpu *c = find_cpu(w, cpu);

	if (!c) {
		mem_grow(&w->cpus, w->nr_cpus, &w->cap_cpus);
		c = &w->cpus[w->nr_cpus++];
		*c = (struct steal_cpu){ .cpu = cpu, .ticks = ticks };
	}
	if (ticks > c->ticks)
		add_growth(w, c, ticks - c->ticks, now);
	c->ticks = ticks;
	c->at = now;
}

void steal_watch_look(struct steal_watch *w, const char *stat, uint64_t now)
{
	unsigned int cpu;
	uint64_t ticks;

	for (; !strncmp(stat, "cpu", 3); stat += strcspn(stat, "\n"), stat += *stat == '\n')
		if (stat[3] != ' ' &&
		    sscanf(stat, "cpu%u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &cpu, &ticks) == 2)
			take_cpu(w, cpu, ticks, now);
	if (!w->begun)
		w->from = now;
	w->begun = true;
	w->to = now;
}

/*
 * Has any CPU counted steal since the machine began?  Where none has, its hypervisor may not tell.
 * (A machine of which nothing was stolen yet is not told from that.)
 */
static bool is_counted(const struct steal_watch *w)
{
	for (unsigned int i = 0; i < w->nr_cpus; i++)
		if (w->cpus[i].ticks)
			return true;
	return w->nr_grown;
}

void steal_watch_lines(const struct steal_watch *w, long hz,
		       uint64_t (*stamp)(const void *arg, uint64_t at), const void *arg,
		       struct text *out)
{
	if (hz <= 0 || !is_counted(w))
		return;
	text_printf(out, "watched %ld %" PRId64 " %" PRId64 "\n", hz,
		    stamp ? (int64_t)stamp(arg, w->from) : -1,
		    stamp ? (int64_t)stamp(arg, w->to) : -1);
	for (unsigned int i = 0; i < w->nr_grown; i++)
		text_printf(out, "steal %" PRId64 " %" PRId64 " %u %" PRIu64 "\n",
			    stamp ? (int64_t)stamp(arg, w->grown[i].since) : -1,
			    stamp ? (int64_t)stamp(arg, w->grown[i].at) : -1, w->grown[i].cpu,
			    w->grown[i].ticks);
}

void steal_watch_fini(struct steal_watch *w)
{
	free(w->cpus);
	free(w->grown);
	*w = (struct steal_watch){ 0 };
}
