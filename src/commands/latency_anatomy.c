/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/latency_anatomy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/time_math.h"
#include "src/commands/table_rows.h"
#include "src/why/cpu_parts.h"

struct row {
	const char	*clock;
	int64_t		start, from, to;	/* of a part */
	int64_t		length, total, max;
	uint64_t	count;
	double		share;
	struct text	what;
};

struct culprit {
	struct cpu_part	part;		/* the longest */
	int64_t		total, max;
	uint64_t	count;
};

struct work {
	const struct latency_anatomy *anatomy;
	struct sched	*sched;
	struct culprit	*culprits;	/* owned */
	uint32_t	nr_culprits, cap_culprits;
	struct index_map map;
	int64_t		total;
	struct row	row;
};

/* --- columns ---------------------------------------------------------------------------------- */

static void add_what(const void *row, struct text *out)
{
	const struct row *r = row;

	text_bytes(out, text_str(&r->what), r->what.len);
}

static void add_share(const void *row, struct text *out)
{
	text_printf(out, "%.1f", ((const struct row *)row)->share);
}

static void add_start(const void *row, struct text *out)
{
	const struct row *r = row;

	if (r->clock)
		text_printf(out, "%" PRId64, r->from);
	else
		text_seconds(out, r->from, 9);
}

static const struct table_column of_part[] = {
	{ "start_ns", TABLE_MEMBER(struct row, start), .kind = TABLE_NUMBER },
	{ "clock", TABLE_MEMBER(struct row, clock), .only = FORMAT_JSON, .absent = TABLE_OMIT },
	{ "part_start_ns", TABLE_MEMBER(struct row, from), .kind = TABLE_NUMBER },
	{ "part_end_ns", TABLE_MEMBER(struct row, to), .kind = TABLE_NUMBER },
	{ .title = "part starts", .width = 15, .align = TABLE_LEFT, .text = add_start },
	{ .title = "length", TABLE_MEMBER(struct row, length), .kind = TABLE_TIME, .width = 12 },
	{ .title = "%", .text = add_share, .width = 5 },
	{ "what", "what", .text = add_what, .width = 1, .align = TABLE_LEFT },
};

static const struct table_column of_culprit[] = {
	{ "what", .text = add_what },
	{ "clock", TABLE_MEMBER(struct row, clock), .only = FORMAT_JSON, .absent = TABLE_OMIT },
	{ "count", "count", TABLE_MEMBER(struct row, count), .kind = TABLE_COUNT, .width = 7 },
	{ "total_ns", "total", TABLE_MEMBER(struct row, total), .kind = TABLE_TIME, .width = 13 },
	{ .title = "%", .text = add_share, .width = 5 },
	{ "max_ns", "max", TABLE_MEMBER(struct row, max), .kind = TABLE_TIME, .width = 12 },
	{ .title = "what", .text = add_what, .width = 1, .align = TABLE_LEFT },
};

static const struct table_columns part_columns = { TABLE_COLUMNS(of_part), .gap = 1 },
				  culprit_columns = { TABLE_COLUMNS(of_culprit), .gap = 1 };

/* --- parts ------------------------------------------------------------------------------------ */

static bool begin(const struct work *w, const struct latency_instance *i, struct cpu_parts *parts)
{
	int cpu = i->flags & LATENCY_OPEN ? -1 : cpu_parts_cpu(w->sched, i->to);

	if (cpu >= 0)
		cpu_parts_begin(parts, w->sched, (unsigned int)cpu, i->start, i->end);
	return cpu >= 0;
}

static void set_share(struct row *row, int64_t part, int64_t all)
{
	row->share = all > 0 ? 100.0 * (double)part / (double)all : 0;
}

static int print_instance(struct work *w, const struct latency_instance *i, struct table_out *table,
			  struct output *out, struct ft_error *err)
{
	struct sched_command *c = w->anatomy->command;
	struct cpu_parts parts;
	struct cpu_part part;
	int ret = 0;

	if (!begin(w, i, &parts))
		return 0;
	while (!ret && cpu_parts_next(&parts, &part)) {
		if (c->given.has_head && c->picker.picked >= (uint64_t)c->given.head)
			return 0;
		w->row.start = i->start;
		w->row.from = part.from;
		w->row.to = part.to;
		w->row.length = time_between(part.from, part.to);
		set_share(&w->row, w->row.length, time_between(i->start, i->end));
		text_clear(&w->row.what);
		cpu_part_text(w->sched, &part, &w->row.what);
		ret = sched_command_row(c, table, &w->row, out, err);
	}
	return ret;
}

static int print_parts(struct work *w, bool *any, struct ft_error *err)
{
	struct sched_command *c = w->anatomy->command;
	const struct latency_instance *instance;
	struct table_out table;
	struct output out;
	int ret = 0;

	output_init(&out, STDOUT_FILENO);
	table_out_init(&table, &part_columns, c->given.format, c->clock);
	table.unit = c->given.unit;
	command_file_begin(c->file, &c->given, &table, &out);
	if (!c->picker.count && command_file_heads(c->file, c->given.format))
		table_out_heading(&table, &out.block);
	for (uint64_t i = 0; i < w->anatomy->nr && !ret && !out.closed; i++) {
		if (c->given.has_head && c->picker.picked >= (uint64_t)c->given.head)
			break;
		instance = w->anatomy->at(w->anatomy->arg, i);
		ret = instance ? print_instance(w, instance, &table, &out, err) : 0;
	}
	table_out_fini(&table);
	*any = c->has_rows;
	return row_picker_end(&c->picker, &out, ret, err);
}

/* --- culprits --------------------------------------------------------------------------------- */

static void add_culprit(struct work *w, const struct cpu_part *part)
{
	uint32_t hash = index_map_hash_pair(part->kind, part->arg), at = w->nr_culprits;
	int64_t length = time_between(part->from, part->to);

	index_map_each (&w->map, hash, i)
		if (w->culprits[i].part.kind == part->kind &&
		    w->culprits[i].part.arg == part->arg) {
			at = i;
			break;
		}
	if (at == w->nr_culprits) {
		mem_grow(&w->culprits, w->nr_culprits, &w->cap_culprits);
		w->culprits[w->nr_culprits] = (struct culprit){ .part = *part };
		index_map_add(&w->map, hash, w->nr_culprits++);
	}
	w->culprits[at].count++;
	w->culprits[at].total = time_after(w->culprits[at].total, length);
	w->total = time_after(w->total, length);
	if (length > w->culprits[at].max) {
		w->culprits[at].max = length;
		w->culprits[at].part = *part;
	}
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

static const void *culprit_at(void *arg, uint64_t i)
{
	struct work *w = arg;
	const struct culprit *culprit = &w->culprits[i];

	w->row.count = culprit->count;
	w->row.total = culprit->total;
	w->row.max = culprit->max;
	set_share(&w->row, culprit->total, w->total);
	text_clear(&w->row.what);
	cpu_part_text(w->sched, &culprit->part, &w->row.what);
	return &w->row;
}

static int print_culprits(struct work *w, bool *any, struct ft_error *err)
{
	struct sched_command *c = w->anatomy->command;
	struct table_rows rows = { .columns = &culprit_columns, .at = culprit_at, .arg = w,
				   .unitless = c->clock };
	struct cpu_parts parts;
	struct cpu_part part;

	for (uint64_t i = 0; i < w->anatomy->nr; i++) {
		const struct latency_instance *instance = w->anatomy->at(w->anatomy->arg, i);

		/* doubtful ones are in no sum */
		if (!instance || instance->flags & LATENCY_DOUBTFUL || !begin(w, instance, &parts))
			continue;
		while (cpu_parts_next(&parts, &part))
			add_culprit(w, &part);
	}
	if (w->nr_culprits)
		qsort(w->culprits, w->nr_culprits, sizeof(*w->culprits), by_total);
	rows.nr = w->nr_culprits;
	return table_rows_print(&rows, c->file, &c->given, &c->picker, any, err);
}

int latency_anatomy_print(const struct latency_anatomy *anatomy, bool *any, struct ft_error *err)
{
	struct sched_command *c = anatomy->command;
	struct work w = { .anatomy = anatomy, .row.clock = c->clock };
	int ret;

	w.sched = sched_new(c->trace, 0, 0);
	sched_wait(w.sched);
	trace_hold(c->trace, -1);	/* names of the time come from the whole trace */
	trace_wait(c->trace);
	sched_lock(w.sched);
	ret = anatomy->culprits ? print_culprits(&w, any, err) : print_parts(&w, any, err);
	sched_unlock(w.sched);
	sched_free(w.sched);
	free(w.culprits);
	index_map_fini(&w.map);
	text_fini(&w.row.what);
	return ret;
}
