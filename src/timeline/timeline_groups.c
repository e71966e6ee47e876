/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/timeline/timeline_groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"

#define WAITS	(1u << SCHED_WAITS | 1u << SCHED_PREEMPTED)

static void clear(struct timeline_groups *g)
{
	for (uint32_t i = 0; i < g->nr; i++) {
		free(g->list[i].name);
		free(g->list[i].tasks);
	}
	g->nr = 0;
	index_map_fini(&g->map);
}

void timeline_groups_fini(struct timeline_groups *g)
{
	clear(g);
	free(g->list);
	*g = (struct timeline_groups){ 0 };
}

static struct timeline_group *find_group(struct timeline_groups *g, const struct text *name)
{
	uint32_t hash = index_map_hash_bytes(text_str(name), name->len);

	index_map_each (&g->map, hash, i)
		if (!strcmp(g->list[i].name, text_str(name)))
			return &g->list[i];
	mem_grow(&g->list, g->nr, &g->cap);
	g->list[g->nr] = (struct timeline_group){ .name = mem_strndup(text_str(name), name->len) };
	index_map_add(&g->map, hash, g->nr);
	return &g->list[g->nr++];
}

/* How long a task ran in the window. */
static uint64_t ran_of(const struct timeline *t, uint32_t task)
{
	const int64_t edges[] = { t->from, timeline_to(t) };
	struct pyramid_sum sum;

	pyramid_columns(sched_task(t->sched, task), sched_end(t->sched), edges, 1, &sum);
	return sum.ns[SCHED_RUNS];
}

void timeline_groups_make(struct timeline_groups *g, struct timeline *t, enum grouping by,
			  uint32_t least, const uint32_t *tasks, uint32_t nr)
{
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(t->sched));
	struct text name = { 0 };

	if (g->by != by)
		clear(g);
	g->by = by;
	g->least = least;
	t->groups = g;
	for (uint32_t i = 0; i < g->nr; i++)
		g->list[i].nr = g->list[i].ran = 0;
	for (uint32_t i = 0; i < nr; i++) {
		const struct sched_task *task = sched_rules_task(rules, tasks[i]);
		const struct grouped_task of = { .file = sched_file(t->sched),
						 .pid = (int)task->pid,
						 .ts = sched_task_time(task, timeline_to(t) - 1),
						 .prio = task->prio };
		struct timeline_group *group;

		text_clear(&name);
		if (!grouping_name(sched_trace(t->sched), by, &of, &name)) {
			if (least >= GROUPING_MANY)	/* that is none */
				continue;
			text_clear(&name);
			text_add(&name, GROUPING_NOT_KNOWN);
		}
		group = find_group(g, &name);
		mem_grow(&group->tasks, group->nr, &group->cap);
		group->tasks[group->nr++] = tasks[i];
		group->ran += ran_of(t, tasks[i]);
	}
	text_fini(&name);
}

static int most_first(const void *a, const void *b, void *groups)
{
	const struct timeline_group *list = groups;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (list[x].ran != list[y].ran)
		return list[x].ran < list[y].ran ? 1 : -1;
	return (x > y) - (x < y);
}

uint32_t *timeline_groups_order(const struct timeline_groups *g, uint32_t *nr)
{
	uint32_t *order = mem_array(g->nr + 1, sizeof(*order));

	*nr = 0;
	for (uint32_t i = 0; i < g->nr; i++)
		if (g->list[i].nr && g->list[i].nr >= g->least)
			order[(*nr)++] = i;
	if (*nr)
		qsort_r(order, *nr, sizeof(*order), most_first, g->list);
	return order;
}

uint32_t *timeline_groups_of(const struct timeline_groups *g, const uint32_t *tasks, uint32_t nr)
{
	uint32_t most = 0, *of = mem_array(nr + 1, sizeof(*of)), *group_of;

	for (uint32_t i = 0; i < nr; i++)
		most = tasks[i] > most ? tasks[i] : most;
	group_of = mem_array((size_t)most + 1, sizeof(*group_of));
	memset(group_of, 0xff, ((size_t)most + 1) * sizeof(*group_of));
	for (uint32_t i = 0; i < g->nr; i++)
		for (uint32_t k = 0; g->list[i].nr >= g->least && k < g->list[i].nr; k++)
			group_of[g->list[i].tasks[k]] = i;
	for (uint32_t i = 0; i < nr; i++)
		of[i] = group_of[tasks[i]];
	free(group_of);
	return of;
}

/* --- cells ----------------------------------------------------------------------------------- */

struct group_column {
	uint64_t	ran, waited;	/* of all tasks */
	bool		asleep, lost;
};

/* The columns over which one task waited longest, as far as columns tell: the first of them. */
static unsigned int find_worst(const struct timeline *t, uint64_t *longest, unsigned int worst)
{
	uint64_t waited = 0;
	unsigned int first = 0;

	for (unsigned int i = 0; i < t->columns; i++) {
		const struct pyramid_sum *s = &t->sums[i];

		if (!(s->carried && WAITS >> s->carried_kind & 1)) {
			waited = 0;
			first = i;
		}
		waited += s->ns[SCHED_WAITS] + s->ns[SCHED_PREEMPTED];
		if (waited > *longest) {
			*longest = waited;
			worst = first;
		}
		if (!(s->goes_on && WAITS >> s->last_kind & 1))
			waited = 0;
	}
	return worst;
}

static void add_task(struct timeline *t, uint32_t task, struct group_column *columns)
{
	pyramid_columns(sched_task(t->sched, task), sched_end(t->sched), t->edges, t->columns,
			t->sums);
	for (unsigned int i = 0; i < t->columns; i++) {
		const struct pyramid_sum *s = &t->sums[i];

		columns[i].ran += s->ns[SCHED_RUNS];
		columns[i].waited += s->ns[SCHED_WAITS] + s->ns[SCHED_PREEMPTED];
		columns[i].asleep |= s->ns[SCHED_SLEEPS] || s->ns[SCHED_BLOCKED];
		columns[i].lost |= s->touched >> SCHED_TASK_LOST & 1;
	}
}

static void draw_column(const struct timeline *t, const struct group_column *c, uint64_t width,
			struct timeline_cell *cell)
{
	double full = (double)width * sched_nr_cpus(t->sched);

	if (c->ran || c->waited)
		timeline_put_bar(t, cell, (double)c->ran / full,
				 c->waited > c->ran ? TIMELINE_WAIT : TIMELINE_RUN);
	else if (c->lost)
		timeline_put(cell, t->ascii ? "?" : "░", TIMELINE_LOST, SCHED_NO_TASK);
	else if (c->asleep)
		timeline_put(cell, t->ascii ? "_" : "┈", TIMELINE_SLEEP, SCHED_NO_TASK);
	else
		timeline_put(cell, " ", TIMELINE_TEXT, SCHED_NO_TASK);
	if (c->ran && c->waited && c->waited <= c->ran)
		cell->held = TIMELINE_WAIT;
}

void timeline_groups_draw(struct timeline *t, const struct timeline_group *group,
			  struct timeline_cell *cells)
{
	struct group_column *columns = mem_array(t->columns + 1, sizeof(*columns));
	unsigned int worst = 0;
	uint64_t longest = 0;

	for (uint32_t i = 0; i < group->nr; i++) {
		add_task(t, group->tasks[i], columns);
		worst = find_worst(t, &longest, worst);
	}
	for (unsigned int i = 0; i < t->columns; i++)
		draw_column(t, &columns[i], (uint64_t)(t->edges[i + 1] - t->edges[i]), &cells[i]);
	if (longest)
		timeline_put(&cells[worst], "!", TIMELINE_WAIT, SCHED_NO_TASK);
	free(columns);
}

/* --- words ----------------------------------------------------------------------------------- */

void timeline_groups_story(const struct timeline *t, const struct timeline_group *group, int64_t ts,
			   struct text *out)
{
	static const struct {
		unsigned int kinds;
		const char *words;
	} said[] = {
		{ 1u << SCHED_RUNS, " ran" }, { WAITS, " waited for a CPU" },
		{ 1u << SCHED_BLOCKED, " blocked" }, { 1u << SCHED_SLEEPS, " asleep" },
	};
	uint32_t nr[PYRAMID_KINDS] = { 0 };
	const char *comma = "";

	for (uint32_t i = 0; i < group->nr; i++) {
		struct pyramid_state state;

		if (pyramid_at(sched_task(t->sched, group->tasks[i]), sched_end(t->sched), ts,
			       &state) &&
		    state.kind < PYRAMID_KINDS)
			nr[state.kind]++;
	}
	text_counted(out, group->nr, "task");
	text_add(out, " of the window in this group. Then ");
	for (unsigned int i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		uint32_t all = 0;

		for (unsigned int kind = 0; kind < PYRAMID_KINDS; kind++)
			all += said[i].kinds >> kind & 1 ? nr[kind] : 0;
		if (!all)
			continue;
		text_printf(out, "%s%" PRIu32 "%s", comma, all, said[i].words);
		comma = ", ";
	}
	text_add(out, *comma ? "." : "nothing is known of them.");
}
