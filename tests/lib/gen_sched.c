/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/gen_sched.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/text.h"

#define MAX_TASKS	4096u
#define MAX_CPUS	4096

/* --- formats of some kernels --------------------------------------------------------- */

struct letter {
	uint32_t	bit;
	char		letter;
};

static const struct era {
	const char	*print;		/* of prev_state */
	struct letter	letters[12];	/* ended by bit 0 */
	uint32_t	preempted;	/* 0: not told */
	const char	*cpu;		/* name of the field target_cpu */
	bool		success;	/* wake-ups have this field */
	bool		dynamic;	/* sched_migrate_task has a __data_loc comm */
} eras[] = {
	[GEN_SCHED_2_6] = {
		.print = "REC->prev_state ? __print_flags(REC->prev_state, \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, "
			 "{ 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"W\" }) : \"R\", \"\"",
		.letters = { { 1, 'S' }, { 2, 'D' }, { 4, 'T' }, { 8, 't' }, { 16, 'Z' }, { 32,
			'X' }, { 64, 'x' }, { 128, 'W' } },
		.cpu = "cpu", .success = true,
	},
	[GEN_SCHED_3] = {
		.print = "REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, "
			 "{ 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { 256, \"W\" }, "
			 "{ 512, \"P\" }) : \"R\", REC->prev_state & 1024 ? \"+\" : \"\"",
		.letters = { { 1, 'S' }, { 2, 'D' }, { 4, 'T' }, { 8, 't' }, { 16, 'Z' }, { 32,
			'X' }, { 64, 'x' }, { 128, 'K' },
			     { 256, 'W' }, { 512, 'P' } },
		.preempted = 1024, .cpu = "target_cpu", .success = true,
	},
	[GEN_SCHED_4_14] = {
		.print = "(REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1)) "
			 "? __print_flags(REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) "
			 "+ 1) << 1) - 1), \"|\", { 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, \"T\" }, { 0x0008, \"t\" }, "
			 "{ 0x0010, \"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }) : \"R\", REC->prev_state & (((0x0000 "
			 "| 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) ? \"+\" : \"\"",
		.letters = { { 1, 'S' }, { 2, 'D' }, { 4, 'T' }, { 8, 't' }, { 16, 'X' }, { 32,
			'Z' }, { 64, 'P' }, { 128, 'I' } },
		.preempted = 256, .cpu = "target_cpu",
	},
};

static const struct era *era_of(const struct gen_sched *s)
{
	return &eras[s->options.era == GEN_SCHED_7 ? GEN_SCHED_4_14 : s->options.era];
}

static const char *const names[] = {
	[GEN_SCHED_SWITCH] = "sched_switch", [GEN_SCHED_WAKING] = "sched_waking",
	[GEN_SCHED_WAKEUP] = "sched_wakeup",
	[GEN_SCHED_WAKEUP_NEW] = "sched_wakeup_new", [GEN_SCHED_MIGRATE] = "sched_migrate_task",
	[GEN_SCHED_STAT] = "sched_stat_runtime", [GEN_SCHED_SOFTIRQ_ENTRY] = "softirq_entry",
	[GEN_SCHED_SOFTIRQ_EXIT] = "softirq_exit", [GEN_SCHED_IRQ_ENTRY] = "irq_handler_entry",
	[GEN_SCHED_IRQ_EXIT] = "irq_handler_exit", [GEN_SCHED_TICK] = "tick",
};

/* --- the play ------------------------------------------------------------------------- */

enum play { ASLEEP, RUNNABLE, RUNNING, DEAD };

struct player {
	int32_t		pid;
	enum play	state;
	int		cpu;		/* where it runs, or is to run */
	unsigned int	life;
};

struct stage {
	struct gen_sched *s;
	struct gen_random random;
	struct player	tasks[MAX_TASKS];
	int		running[MAX_CPUS];	/* task, or -1: idle */
	int64_t		now;
	struct gen_sched_event *events;		/* before anything is lost */
	uint32_t	nr, cap;
};

static uint32_t below(struct stage *g, uint32_t n)
{
	return gen_random_below(&g->random, n);
}

static bool happens(struct stage *g, unsigned int permille)
{
	return below(g, 1000) < permille;
}

static int number_of(const struct gen_sched *s, int cpu)
{
	return cpu * (s->options.cpu_step ? s->options.cpu_step : 1);
}

static void name_task(const struct stage *g, int task, char *comm, int cpu)
{
	if (task < 0)
		snprintf(comm, 16, "swapper/%d", cpu % 100);
	else
		snprintf(comm, 16, "t%d.%u", g->tasks[task].pid % 10000, g->tasks[task].life % 100);
}

static struct gen_sched_event *emit(struct stage *g, int cpu, uint16_t type)
{
	int running = g->running[cpu];
	struct gen_sched_event *e;

	g->now += below(g, g->s->options.max_delta ? g->s->options.max_delta : 20000);
	if (g->s->options.pauses && happens(g, g->s->options.pauses))
		g->now += 2000000001 + 2 * (int64_t)below(g, 2000000000);
	if (g->s->options.ties)
		g->now -= g->now % 1000;
	mem_grow(&g->events, g->nr, &g->cap);
	e = &g->events[g->nr++];
	*e = (struct gen_sched_event){ .ts = g->now, .cpu = cpu, .type = type,
				       .flags = happens(g, 300) ? 0x09 : 0x01,
				       .common_pid = running < 0 ? 0 : g->tasks[running].pid,
				       .prio = 120, .prio2 = 120 };
	return e;
}

/* A few are real-time and deadline tasks. */
static int prio_of(int task)
{
	return task < 0 ? 120 : task % 8 == 3 ? 50 : task % 8 == 5 ? -1 : 100 + task % 40;
}

static void about(struct stage *g, struct gen_sched_event *e, int task)
{
	e->pid = g->tasks[task].pid;
	e->prio = prio_of(task);
	e->target = g->tasks[task].cpu;
	name_task(g, task, e->comm, e->cpu);
}

/* Records that a kernel configured so would not write. */
static bool is_recorded(const struct gen_sched_options *o, const struct gen_sched_event *e)
{
	switch (e->type) {
	case GEN_SCHED_SWITCH:
		return !o->no_switch && !(e->cpu + 1 == o->mute_cpu && !e->pid);
	case GEN_SCHED_WAKING:
		return !o->no_waking;
	case GEN_SCHED_WAKEUP:
	case GEN_SCHED_WAKEUP_NEW:
		return !o->no_wakeup;
	case GEN_SCHED_MIGRATE:
		return !o->no_migrate;
	}
	return true;
}

static int some_task(struct stage *g, enum play state)
{
	uint32_t nr = g->s->options.nr_tasks, from = below(g, nr);

	for (uint32_t i = 0; i < nr; i++)
		if (g->tasks[(from + i) % nr].state == state)
			return (int)((from + i) % nr);
	return -1;
}

static bool is_quiet(const struct gen_sched_options *o, int cpu)
{
	return (o->idle_node && cpu / o->node_cpus == o->idle_node - 1) || cpu + 1 == o->hot_cpu;
}

static int some_cpu(struct stage *g)
{
	int cpu;

	do
		cpu = (int)below(g, (uint32_t)g->s->options.nr_cpus);
	while (is_quiet(&g->s->options, cpu));
	return cpu;
}

/* The CPU where something happens next: of many, often one where a task runs, or is to run. */
static int next_cpu(struct stage *g)
{
	int task = g->s->options.node_cpus && happens(g, 900) ?
			   some_task(g, happens(g, 400) ? RUNNABLE : RUNNING) :
			   -1;

	return task < 0 || is_quiet(&g->s->options, g->tasks[task].cpu) ? some_cpu(g) :
									  g->tasks[task].cpu;
}

static void play_wake(struct stage *g, int cpu)
{
	int task = some_task(g, happens(g, 850) ? ASLEEP : happens(g, 500) ? RUNNING : RUNNABLE);

	if (task < 0)
		return;
	about(g, emit(g, cpu, GEN_SCHED_WAKING), task);
	if (g->tasks[task].state == ASLEEP && happens(g, 300)) {
		g->tasks[task].cpu = some_cpu(g);
		about(g, emit(g, cpu, GEN_SCHED_MIGRATE), task);
	}
	/* By an interprocessor interrupt, or here. */
	about(g, emit(g, happens(g, 300) ? g->tasks[task].cpu : cpu, GEN_SCHED_WAKEUP), task);
	if (g->tasks[task].state == ASLEEP)
		g->tasks[task].state = RUNNABLE;
}

static void play_new(struct stage *g, int cpu)
{
	int task = some_task(g, DEAD);

	if (task < 0)
		return;
	g->tasks[task].life++;
	g->tasks[task].cpu = some_cpu(g);
	g->tasks[task].state = RUNNABLE;
	about(g, emit(g, cpu, GEN_SCHED_WAKEUP_NEW), task);
}

static void play_migrate(struct stage *g, int cpu)
{
	int task = some_task(g, RUNNABLE);

	if (task < 0)
		return;
	g->tasks[task].cpu = some_cpu(g);
	about(g, emit(g, cpu, GEN_SCHED_MIGRATE), task);
}

/* How a task leaves its CPU. */
static uint32_t leave(struct stage *g, int task)
{
	const struct era *era = era_of(g->s);
	uint32_t kind = below(g, 100);

	g->tasks[task].state = ASLEEP;
	if (kind < 25) {
		g->tasks[task].state = RUNNABLE;
		return 0;
	}
	if (kind < 35) {
		g->tasks[task].state = RUNNABLE;
		/* on its way to sleep */
		return era->preempted | (era->preempted && happens(g, 200));
	}
	if (kind < 75)
		return 1;
	if (kind < 85)
		return happens(g, 200) ? 2 | 128 : 2;
	if (kind < 90)
		return 4u << below(g, 2);
	if (kind < 95)
		return happens(g, 500) ? 64 : 128;
	g->tasks[task].state = DEAD;
	return happens(g, 500) ? 16 : 32;
}

static void play_switch(struct stage *g, int cpu)
{
	int prev = g->running[cpu], next = -1;
	struct gen_sched_event *e;
	uint32_t state = 0;

	for (uint32_t i = 0, from = below(g, g->s->options.nr_tasks);
	     i < g->s->options.nr_tasks && next < 0; i++) {
		int task = (int)((from + i) % g->s->options.nr_tasks);

		if (g->tasks[task].state == RUNNABLE &&
		    (g->tasks[task].cpu == cpu || happens(g, 30)))
			next = task;
	}
	if (next < 0 && (prev < 0 || happens(g, 300)))
		return;
	if (prev >= 0)
		state = leave(g, prev);
	e = emit(g, cpu, GEN_SCHED_SWITCH);
	e->pid = prev < 0 ? 0 : g->tasks[prev].pid;
	e->pid2 = next < 0 ? 0 : g->tasks[next].pid;
	e->prio = prio_of(prev);
	e->prio2 = prio_of(next);
	e->state = state;
	name_task(g, prev, e->comm, cpu);
	name_task(g, next, e->comm2, cpu);
	if (next >= 0) {
		g->tasks[next].state = RUNNING;
		g->tasks[next].cpu = cpu;
	}
	g->running[cpu] = next;
}

static void play_interrupt(struct stage *g, int cpu)
{
	bool irq = happens(g, 500);

	emit(g, cpu, irq ? GEN_SCHED_IRQ_ENTRY : GEN_SCHED_SOFTIRQ_ENTRY)->state = below(g, 10);
	if (happens(g, 200))
		play_wake(g, cpu);
	if (irq && happens(g, 100)) {		/* nested: a soft interrupt is interrupted */
		emit(g, cpu, GEN_SCHED_SOFTIRQ_ENTRY)->state = 1;
		emit(g, cpu, GEN_SCHED_SOFTIRQ_EXIT)->state = 1;
	}
	emit(g, cpu, irq ? GEN_SCHED_IRQ_EXIT : GEN_SCHED_SOFTIRQ_EXIT)->state = below(g, 10);
}

/* A record of anything about anyone. */
static void play_chaos(struct stage *g, int cpu)
{
	struct gen_sched_event *e = emit(g, cpu, (uint16_t)(GEN_SCHED_SWITCH + below(g, 5)));
	const struct era *era = era_of(g->s);
	uint32_t nr = g->s->options.nr_tasks;

	e->pid = happens(g, 150) ? 0 : g->tasks[below(g, nr)].pid;
	e->pid2 = happens(g, 150) ? 0 : g->tasks[below(g, nr)].pid;
	e->common_pid = happens(g, 300) ? (int32_t)(1000 + below(g, 4)) :
					  g->tasks[below(g, nr)].pid;
	e->state = below(g, 3)     ? era->letters[below(g, 8)].bit :
		   happens(g, 500) ? 0 :
				     era->preempted;
	e->target = (int32_t)below(g, (uint32_t)g->s->options.nr_cpus + 2);
	snprintf(e->comm, sizeof(e->comm), "c%u", below(g, 5));
	snprintf(e->comm2, sizeof(e->comm2), "d%u", below(g, 5));
}

/* The only switch of a CPU: to idle, or from there to the first task. */
static void play_quiet(struct stage *g, int cpu)
{
	bool is_hot = cpu + 1 == g->s->options.hot_cpu;
	struct gen_sched_event *e;

	g->running[cpu] = -1;
	e = emit(g, cpu, GEN_SCHED_SWITCH);
	e->pid = is_hot ? 0 : 50000 + cpu;
	e->pid2 = is_hot ? g->tasks[0].pid : 0;
	e->state = !is_hot;
	snprintf(e->comm, sizeof(e->comm), is_hot ? "swapper" : "init");
	snprintf(e->comm2, sizeof(e->comm2), is_hot ? "hot" : "swapper");
	if (!is_hot)
		return;
	g->tasks[0] = (struct player){ .pid = g->tasks[0].pid, .state = RUNNING, .cpu = cpu };
	g->running[cpu] = 0;
}

static void play(struct stage *g)
{
	const struct gen_sched_options *o = &g->s->options;

	for (uint32_t i = 0; i < o->nr_tasks; i++)
		g->tasks[i] = (struct player){ .pid = (int32_t)(100 + i * 7),
					       .state = below(g, 4) ? ASLEEP : DEAD,
					       .cpu = (int)below(g, (uint32_t)o->nr_cpus) };
	for (int i = 0; i < o->nr_cpus; i++) {
		g->running[i] = happens(g, 500) ? some_task(g, ASLEEP) : -1;
		if (g->running[i] >= 0)
			g->tasks[g->running[i]] = (struct player){
				.pid = g->tasks[g->running[i]].pid, .state = RUNNING, .cpu = i
			};
	}
	g->now = 5000000000;
	for (int i = 0; o->node_cpus && i < o->nr_cpus; i++)
		if (is_quiet(o, i))
			play_quiet(g, i);
	for (uint32_t i = 0; i < o->steps; i++) {
		int cpu = next_cpu(g);
		uint32_t what = below(g, 100);

		if (happens(g, o->chaos))
			play_chaos(g, cpu);
		else if (what < 35)
			play_wake(g, cpu);
		else if (what < 75)
			play_switch(g, cpu);
		else if (what < 80)
			play_migrate(g, cpu);
		else if (what < 85)
			play_new(g, cpu);
		else if (what < 92 && o->interrupts)
			play_interrupt(g, cpu);
		else
			emit(g, cpu, happens(g, 500) ? GEN_SCHED_TICK : GEN_SCHED_STAT);
	}
}

/* --- records ---------------------------------------------------------------------------- */

struct bytes {
	const struct gen_layout *layout;
	uint8_t		data[128];
	uint32_t	len;
};

static void put(struct bytes *b, uint64_t v, uint32_t size)
{
	while (b->len % size)
		b->data[b->len++] = 0;
	for (uint32_t i = 0; i < size; i++)
		b->data[b->len + (b->layout->big_endian ? size - 1 - i : i)] = (uint8_t)(v >>
											 8 * i);
	b->len += size;
}

static void put_comm(struct bytes *b, const char *comm)
{
	size_t len = strnlen(comm, 16);

	memset(b->data + b->len, 0, 16);
	memcpy(b->data + b->len, comm, len);
	if (len < 14)			/* what a kernel leaves behind the NUL */
		memcpy(b->data + b->len + len + 1, "~", 1);
	b->len += 16;
}

static void put_task(struct bytes *b, const struct gen_sched *s, const struct gen_sched_event *e)
{
	put_comm(b, e->comm);
	put(b, (uint32_t)e->pid, 4);
	put(b, (uint32_t)e->prio, 4);
	if (era_of(s)->success && e->type != GEN_SCHED_MIGRATE)
		put(b, 1, 4);
	if (e->type == GEN_SCHED_MIGRATE)
		put(b, 0, 4);
	put(b, (uint32_t)number_of(s, e->target), 4);
}

static void put_dynamic(struct bytes *b, const struct gen_sched *s, const struct gen_sched_event *e)
{
	uint32_t len = (uint32_t)strlen(e->comm) + 1;

	put(b, len << 16 | 28, 4);
	put(b, (uint32_t)e->pid, 4);
	put(b, (uint32_t)e->prio, 4);
	put(b, 0, 4);
	put(b, (uint32_t)number_of(s, e->target), 4);
	memset(b->data + b->len, 0, 16);
	memcpy(b->data + b->len, e->comm, len);
	b->len += (len + 3) & ~3u;
}

static void put_event(struct bytes *b, const struct gen_sched *s, const struct gen_sched_event *e)
{
	put(b, e->type, 2);
	put(b, e->flags, 1);
	put(b, 0, 1);
	put(b, (uint32_t)e->common_pid, 4);
	switch (e->type) {
	case GEN_SCHED_SWITCH:
		put_comm(b, e->comm);
		put(b, (uint32_t)e->pid, 4);
		put(b, (uint32_t)e->prio, 4);
		put(b, e->state, (uint32_t)s->options.layout.long_size);
		put_comm(b, e->comm2);
		put(b, (uint32_t)e->pid2, 4);
		put(b, (uint32_t)e->prio2, 4);
		break;
	case GEN_SCHED_MIGRATE:
		if (s->options.era == GEN_SCHED_7) {
			put_dynamic(b, s, e);
			break;
		}
		/* fall through */
	case GEN_SCHED_WAKING:
	case GEN_SCHED_WAKEUP:
	case GEN_SCHED_WAKEUP_NEW:
		put_task(b, s, e);
		break;
	default:
		put(b, e->state, 4);
		put(b, 0, 4);
		break;
	}
	while (b->len % 4)
		b->data[b->len++] = 0;
}

/* --- sub-buffers -------------------------------------------------------------------------- */

static uint8_t *new_page(struct gen_sched *s, int cpu)
{
	mem_grow(&s->pages, s->nr_pages, &s->cap_pages);
	s->pages[s->nr_pages].cpu = number_of(s, cpu);
	s->pages[s->nr_pages].bytes = mem_alloc(s->options.layout.page_size);
	return s->pages[s->nr_pages++].bytes;
}

/* A sub-buffer without a record; its mark counts for the next one. */
static void add_empty_page(struct stage *g, int cpu, int64_t ts, bool lost)
{
	struct gen_page page;

	gen_page_begin(&page, &g->s->options.layout, new_page(g->s, cpu), (uint64_t)ts);
	gen_page_end(&page, lost ? GEN_LOST_UNKNOWN : GEN_LOST_NONE, 0);
}

static void keep_event(struct gen_sched *s, const struct gen_sched_event *e, int64_t *key,
		       bool lost)
{
	*key = e->ts > *key ? e->ts : *key;
	mem_grow(&s->events, s->nr, &s->cap);
	s->events[s->nr] = *e;
	s->events[s->nr].cpu = number_of(s, e->cpu);
	s->events[s->nr].key = *key;
	s->events[s->nr++].lost = lost;
}

static bool put_record(struct gen_page *page, struct gen_sched *s, const struct gen_sched_event *e)
{
	struct bytes b = { .layout = &s->options.layout };
	int64_t delta = e->ts - (int64_t)page->ts;

	put_event(&b, s, e);
	if (gen_page_room(page) < b.len + 32)
		return false;
	if (delta >= 1 << 27) {
		gen_page_extend(page, (uint64_t)delta);
		delta = 0;
	}
	return gen_page_record(page, (uint32_t)delta, b.data, b.len, false);
}

static void record_cpu(struct stage *g, int cpu)
{
	const struct gen_sched_options *o = &g->s->options;
	uint32_t i = 0, left;
	int64_t key = INT64_MIN, back = 0, last = INT64_MIN;
	bool pending = false;

	while (i < g->nr) {
		bool lost = happens(g, o->loss), any = false;
		struct gen_page page = { 0 };

		if (lost)
			for (left = below(g, 30); i < g->nr && left; i++)
				left -= g->events[i].cpu == cpu;
		if (lost && happens(g, 200)) {
			add_empty_page(g, cpu, last == INT64_MIN ? 5000000000 : last, true);
			pending = true;
			lost = happens(g, 500);
		}
		/* A clock that went back stays there for the sub-buffer. */
		back = happens(g, o->backwards) ? (int64_t)below(g, 100000) : 0;
		for (left = 1 + below(g, 12); i < g->nr && left; i++) {
			struct gen_sched_event e = g->events[i];

			if (e.cpu != cpu || !is_recorded(o, &e) || happens(g, o->missing))
				continue;
			e.ts -= back;
			if (!any)
				gen_page_begin(&page, &o->layout, new_page(g->s, cpu),
					       (uint64_t)e.ts);
			if (!put_record(&page, g->s, &e))
				break;
			keep_event(g->s, &e, &key, !any && (lost || pending));
			if (!any)
				pending = false;
			any = true;
			last = e.ts;
			left--;
		}
		if (any)
			gen_page_end(&page,
				     lost ? (happens(g, 500) ? GEN_LOST_COUNTED :
							       GEN_LOST_UNKNOWN) :
					    GEN_LOST_NONE,
				     17);
		else
			pending |= lost;
	}
}

/* By key, CPU, position: what was kept of a CPU is in its order. */
static void merge(struct gen_sched *s)
{
	struct gen_sched_event *sorted = mem_array(s->nr + 1, sizeof(*sorted));
	uint32_t heads[MAX_CPUS], ends[MAX_CPUS], nr = 0;

	for (uint32_t i = 0; i < s->nr; i++) {
		if (!i || s->events[i].cpu != s->events[i - 1].cpu)
			heads[nr++] = i;
		ends[nr - 1] = i + 1;
	}
	for (uint32_t k = 0; k < s->nr; k++) {
		uint32_t best = UINT32_MAX;

		for (uint32_t c = 0; c < nr; c++)
			if (heads[c] < ends[c] &&
			    (best == UINT32_MAX ||
			     s->events[heads[c]].key < s->events[heads[best]].key))
				best = c;
		sorted[k] = s->events[heads[best]++];
	}
	free(s->events);
	s->events = sorted;
}

struct gen_sched *gen_sched_new(const struct gen_sched_options *options)
{
	struct stage *g = mem_alloc(sizeof(*g));
	struct gen_sched *s = mem_alloc(sizeof(*s));

	s->options = *options;
	g->s = s;
	gen_random_init(&g->random, options->seed);
	play(g);
	for (int cpu = 0; cpu < options->nr_cpus; cpu++)
		record_cpu(g, cpu);
	merge(s);
	free(g->events);
	free(g);
	return s;
}

void gen_sched_free(struct gen_sched *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->nr_pages; i++)
		free(s->pages[i].bytes);
	free(s->pages);
	free(s->events);
	free(s);
}

struct gen_sched_options gen_sched_sample(uint64_t seed, uint32_t steps)
{
	struct gen_sched_options o = { .seed = seed, .steps = steps, .nr_cpus = 1 + (int)(seed % 5),
				       .nr_tasks = 4 + seed % 13,
				       .era = (enum gen_sched_era)(seed % GEN_SCHED_ERAS),
				       .layout = { seed % 3 ? 4096 : 1024, seed % 7 == 3 ? 4 : 8,
						   seed % 7 == 5 } };

	if (seed % 6 == 5)
		o.cpu_step = 3;
	if (seed % 4 == 1)
		o.missing = 20;
	if (seed % 4 >= 2)
		o.loss = 60;
	if (seed % 5 == 4)
		o.chaos = 100;
	if (seed % 8 == 7)
		o.backwards = 200;
	o.ties = seed % 3 == 1;
	o.no_waking = seed % 11 == 3;
	o.no_wakeup = seed % 11 == 5;
	o.no_migrate = seed % 11 == 7;
	o.no_switch = seed % 23 == 22;
	o.interrupts = seed % 2;
	o.mute_cpu = seed % 13 == 6;
	o.second_buffer = seed % 9 == 8;
	if (seed % 10 == 9)
		o.max_delta = 400000000;	/* time extends */
	o.pauses = seed % 10 == 4 ? 5 : 0;
	return o;
}

/* --- our section ---------------------------------------------------------------------------- */

static void add_block(struct text *section, const char *name, const char *lines)
{
	text_printf(section, "%s %zu\n%s", name, strlen(lines), lines);
}

static void add_section(struct trace_writer *w, const struct gen_sched_options *o)
{
	struct text cpus = { 0 }, all = { 0 };

	text_add(&all, TRACE_PRIVATE_MAGIC);
	add_block(&all, "saved_tgids", "");
	for (int cpu = 0; o->node_cpus && cpu < o->nr_cpus; cpu++)
		text_printf(&cpus, "cpu %d %d -1 -1 %d %d %d %d 1024 400000 2000000\n", cpu,
			    cpu & ~1, cpu / o->node_cpus, cpu / o->node_cpus, cpu & ~1, cpu & ~15);
	if (o->node_cpus)
		add_block(&all, "machine", text_str(&cpus));
	if (o->tasks)
		add_block(&all, "tasks", o->tasks);
	trace_writer_text(w, TRACE_TEXT_PRIVATE, all.data, all.len);
	text_fini(&all);
	text_fini(&cpus);
}

/* --- the file ------------------------------------------------------------------------------- */

static void add_field(struct text *t, const char *type, const char *name, const char *array,
		      uint32_t *at, uint32_t size)
{
	uint32_t align = *array ? 1 : size;

	*at = (*at + align - 1) / align * align;
	text_printf(t, "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:1;\n", type, name, array,
		    *at, size);
	*at += size;
}

static void add_format(struct trace_writer *w, const struct gen_sched *s, uint16_t type)
{
	const struct era *era = era_of(s);
	struct text t = { 0 };
	uint32_t at = 8, size = (uint32_t)s->options.layout.long_size;
	bool irq = type >= GEN_SCHED_SOFTIRQ_ENTRY && type <= GEN_SCHED_IRQ_EXIT;

	text_printf(
		&t,
		"name: %s\nID: %d\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		names[type], type);
	switch (type) {
	case GEN_SCHED_SWITCH:
		add_field(&t, "char", "prev_comm", "[16]", &at, 16);
		add_field(&t, "pid_t", "prev_pid", "", &at, 4);
		add_field(&t, "int", "prev_prio", "", &at, 4);
		add_field(&t, "long", "prev_state", "", &at, size);
		add_field(&t, "char", "next_comm", "[16]", &at, 16);
		add_field(&t, "pid_t", "next_pid", "", &at, 4);
		add_field(&t, "int", "next_prio", "", &at, 4);
		text_printf(
			&t,
			"\nprint fmt: \"prev_comm=%%s prev_pid=%%d prev_prio=%%d prev_state=%%s%%s ==> next_comm=%%s "
			"next_pid=%%d next_prio=%%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, %s, REC->next_comm, "
			"REC->next_pid, REC->next_prio\n",
			era->print);
		break;
	case GEN_SCHED_WAKING:
	case GEN_SCHED_WAKEUP:
	case GEN_SCHED_WAKEUP_NEW:
	case GEN_SCHED_MIGRATE:
		if (type == GEN_SCHED_MIGRATE && s->options.era == GEN_SCHED_7)
			add_field(&t, "__data_loc char[]", "comm", "", &at, 4);
		else
			add_field(&t, "char", "comm", "[16]", &at, 16);
		add_field(&t, "pid_t", "pid", "", &at, 4);
		add_field(&t, "int", "prio", "", &at, 4);
		if (type == GEN_SCHED_MIGRATE)
			add_field(&t, "int", "orig_cpu", "", &at, 4);
		else if (era->success)
			add_field(&t, "int", "success", "", &at, 4);
		add_field(&t, "int",
			  type == GEN_SCHED_MIGRATE ? "dest_cpu" :
			  type == GEN_SCHED_WAKING  ? "target_cpu" :
						      era->cpu,
			  "", &at, 4);
		text_add(&t, "\nprint fmt: \"pid=%d\", REC->pid\n");
		break;
	default:
		add_field(&t, "int", irq ? type >= GEN_SCHED_IRQ_ENTRY ? "irq" : "vec" : "value",
			  "", &at, 4);
		add_field(&t, "int", "unused", "", &at, 4);
		text_add(&t, "\nprint fmt: \"\"\n");
		break;
	}
	trace_writer_format(w, irq ? "irq" : "sched", t.data, t.len);
	text_fini(&t);
}

/* The top buffer, where the tasks are in another one. */
static int write_ticks(struct trace_writer *w, const struct gen_sched *s, struct ft_error *err)
{
	const struct gen_layout *layout = &s->options.layout;
	uint8_t *bytes = mem_alloc(layout->page_size), payload[64];
	uint32_t numbers[2] = { 0 }, size;
	struct gen_page page;
	int ret;

	gen_page_begin(&page, layout, bytes, 4000000000);
	size = gen_payload(layout, payload, GEN_SCHED_TICK, 1, numbers, sizeof(numbers));
	gen_page_record(&page, 0, payload, size, false);
	gen_page_end(&page, GEN_LOST_NONE, 0);
	ret = trace_writer_pages(w, trace_writer_buffer(w, "", NULL, 0), 0, bytes,
				 layout->page_size, err);
	free(bytes);
	return ret;
}

int gen_sched_write(const struct gen_sched *s, const char *path, struct ft_error *err)
{
	const struct gen_layout *layout = &s->options.layout;
	const struct trace_writer_options options = { .version = 7,
						      .big_endian = layout->big_endian,
						      .long_size = layout->long_size,
						      .page_size = layout->page_size };
	struct trace_writer *w = trace_writer_new(path, &options, err);
	static const char saved[] = "1001 saved\n100 never\n";
	int buffer, ret = 0;

	if (!w)
		return -1;
	gen_write_metadata(w, layout);
	for (uint16_t type = GEN_SCHED_SWITCH; type <= GEN_SCHED_IRQ_EXIT; type++)
		add_format(w, s, type);
	trace_writer_text(w, TRACE_TEXT_CMDLINES, saved, sizeof(saved) - 1);
	if (s->options.node_cpus || s->options.tasks)
		add_section(w, &s->options);
	trace_writer_cpu_count(w, (uint32_t)number_of(s, s->options.nr_cpus - 1) + 1);
	if (s->options.second_buffer)
		ret = write_ticks(w, s, err);
	buffer = trace_writer_buffer(w, s->options.second_buffer ? "tasks" : "", NULL, 0);
	for (uint32_t i = 0; i < s->nr_pages && !ret; i++)
		ret = trace_writer_pages(w, buffer, s->pages[i].cpu, s->pages[i].bytes,
					 layout->page_size, err);
	if (!ret)
		return trace_writer_finish(w, err);
	trace_writer_abort(w);
	return -1;
}

void gen_sched_list(const struct gen_sched *s, FILE *out)
{
	for (uint32_t i = 0; i < s->nr; i++) {
		const struct gen_sched_event *e = &s->events[i];

		fprintf(out, "%d %" PRId64 " %d %s %d %d %d %s %d %d %s %d %u %d\n", e->cpu, e->ts,
			e->lost, names[e->type], e->common_pid, e->flags, e->pid,
			*e->comm ? e->comm : "-", e->prio, e->pid2, *e->comm2 ? e->comm2 : "-",
			e->prio2, e->state, number_of(s, e->target));
	}
}

void gen_sched_states(const struct gen_sched *s, FILE *out)
{
	const struct era *era = era_of(s);

	for (unsigned int i = 0; era->letters[i].bit; i++)
		fprintf(out, "%u %c\n", era->letters[i].bit, era->letters[i].letter);
	fprintf(out, "%u +\n", era->preempted);
}
