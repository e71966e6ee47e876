/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/why/culprits.h"

#include <stdlib.h>

#include "src/base/time_math.h"

/* --- columns ---------------------------------------------------------------------------------- */

#define CULPRIT(member) TABLE_MEMBER_OF(struct culprit_row, culprit, member)

static void add_what(const void *row, struct text *out)
{
	const struct culprit_row *r = row;
	struct cpu_part part = culprits_longest(r->culprit);

	cpu_part_text(r->sched, &part, out);
}

static const struct table_column columns[] = {
	{ "what", "culprit", .cells = 14, .text = add_what,
	  .help = "what the CPU did on which the waiting task then ran" },
	TABLE_CLOCK_AT(0),
	{ "count", "count", .kind = TABLE_COUNT, CULPRIT(count), .width = 7, .cells = 9,
	  .help = "how often it did that" },
	{ "total_ns", "total", .kind = TABLE_TIME, CULPRIT(total), .width = 13, .cells = 10,
	  .own = CULPRIT_TOTAL, .help = "how long, in all" },
	{ .title = "%", .kind = TABLE_PERCENT, CULPRIT(total),
	  TABLE_WHOLE(struct culprit_row, all), .width = 5, .cells = 7,
	  .help = "share of the time that was waited" },
	{ "max_ns", "max", .kind = TABLE_TIME, CULPRIT(max), .width = 12, .cells = 10,
	  .help = "the longest time without a break" },
	{ .title = "what", .text = add_what, .width = 1, .align = TABLE_LEFT },
};

const struct table_columns culprit_columns = { TABLE_COLUMNS(columns), .gap = 1 };

/* --- sums ------------------------------------------------------------------------------------- */

void culprits_fini(struct culprits *c)
{
	free(c->list);
	index_map_fini(&c->map);
	*c = (struct culprits){ 0 };
}

struct why_node *culprits_node(struct culprits *c, uint32_t parent, unsigned int kind,
			       uint32_t task, uint32_t arg)
{
	uint32_t hash = index_map_hash_pair((uint64_t)parent << 8 | kind, arg);

	index_map_each (&c->map, hash, i)
		if (c->list[i].parent == parent && c->list[i].kind == kind && c->list[i].arg == arg)
			return &c->list[i];
	mem_grow(&c->list, c->nr, &c->cap);
	c->list[c->nr] = (struct why_node){ .index = c->nr, .parent = parent, .task = task,
					    .arg = arg, .kind = (uint8_t)kind };
	index_map_add(&c->map, hash, c->nr);
	return &c->list[c->nr++];
}

void culprits_lengthen(struct why_node *node, int64_t since, int64_t from, int64_t to)
{
	int64_t length = time_between(since, to);

	node->total = time_after(node->total, time_between(from, to));
	if (length > node->max) {
		node->max = length;
		node->max_from = since;
	}
}

void culprits_count(struct why_node *node, int64_t from, int64_t to)
{
	node->count++;
	culprits_lengthen(node, from, from, to);
}

void culprits_add(struct culprits *c, const struct cpu_part *part)
{
	culprits_count(culprits_node(c, 0, part->kind, SCHED_NO_TASK, part->arg), part->from,
		       part->to);
	c->total = time_after(c->total, time_between(part->from, part->to));
}

bool culprits_add_all(struct culprits *c, const struct sched *sched, trace_ref record, int64_t from,
		      int64_t to)
{
	struct cpu_parts parts;
	struct cpu_part part;

	if (!cpu_parts_begin_at(&parts, sched, record, from, to))
		return false;
	while (cpu_parts_next(&parts, &part))
		culprits_add(c, &part);
	return true;
}

static int by_total(const void *a, const void *b)
{
	const struct why_node *x = a, *y = b;

	return x->total > y->total ? -1 : x->total < y->total ? 1 : x->index < y->index ? -1 : 1;
}

void culprits_sort(struct culprits *c)
{
	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), by_total);
	index_map_fini(&c->map);
}
