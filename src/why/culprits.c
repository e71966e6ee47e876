/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/why/culprits.h"

#include <stdlib.h>

#include "src/base/time_math.h"

/* --- columns ---------------------------------------------------------------------------------- */

#define CULPRIT(member) TABLE_MEMBER_OF(struct culprit_row, culprit, member)

static void add_what(const void *row, struct text *out)
{
	const struct culprit_row *r = row;

	cpu_part_text(r->sched, &r->culprit->part, out);
}

static const struct table_column columns[] = {
	{ "what", "culprit", .cells = 14, .text = add_what,
	  .help = "what the CPU did on which the waiting task then ran" },
	{ "clock", TABLE_MEMBER(struct culprit_row, clock), .only = FORMAT_JSON,
	  .absent = TABLE_OMIT },
	{ "count", "count", .kind = TABLE_COUNT, CULPRIT(count), .width = 7, .cells = 9,
	  .help = "how often it did that" },
	{ "total_ns", "total", .kind = TABLE_TIME, CULPRIT(total), .width = 13, .cells = 10,
	  .help = "how long, in all" },
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

void culprits_add(struct culprits *c, const struct cpu_part *part)
{
	uint32_t hash = index_map_hash_pair(part->kind, part->arg), at = c->nr;
	int64_t length = time_between(part->from, part->to);

	index_map_each (&c->map, hash, i)
		if (culprits_same(&c->list[i].part, part)) {
			at = i;
			break;
		}
	if (at == c->nr) {
		mem_grow(&c->list, c->nr, &c->cap);
		c->list[c->nr] = (struct culprit){ .part = *part };
		index_map_add(&c->map, hash, c->nr++);
	}
	c->list[at].count++;
	c->list[at].total = time_after(c->list[at].total, length);
	c->total = time_after(c->total, length);
	if (length > c->list[at].max) {
		c->list[at].max = length;
		c->list[at].part = *part;
	}
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
	const struct culprit *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->part.kind != y->part.kind)
		return x->part.kind < y->part.kind ? -1 : 1;
	return x->part.arg < y->part.arg ? -1 : 1;
}

void culprits_sort(struct culprits *c)
{
	if (c->nr)
		qsort(c->list, c->nr, sizeof(*c->list), by_total);
}
