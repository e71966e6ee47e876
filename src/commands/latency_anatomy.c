/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/latency_anatomy.h"

#include <inttypes.h>
#include <unistd.h>

#include "src/base/time_math.h"
#include "src/commands/table_rows.h"
#include "src/why/culprits.h"

struct row {
	const char	*clock;
	int64_t		start, from, to;	/* of a part */
	int64_t		length;
	double		share;
	struct text	what;
};

struct work {
	const struct latency_anatomy *anatomy;
	struct sched	*sched;
	struct culprits	culprits;
	struct culprit_row culprit;
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

static const struct table_columns part_columns = { TABLE_COLUMNS(of_part), .gap = 1 };

/* --- parts ------------------------------------------------------------------------------------ */

static bool begin(const struct work *w, const struct latency_instance *i, struct cpu_parts *parts)
{
	int cpu = i->flags & LATENCY_OPEN ? -1 : cpu_parts_cpu(w->sched, i->to);

	if (cpu >= 0)
		cpu_parts_begin(parts, w->sched, (unsigned int)cpu, i->start, i->end);
	return cpu >= 0;
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
		w->row.share = 100.0 * (double)w->row.length /
			       (double)time_between(i->start, i->end);
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

static const void *culprit_at(void *arg, uint64_t i)
{
	struct work *w = arg;

	w->culprit = (struct culprit_row){ &w->culprits.list[i], w->sched, w->culprits.total,
					   w->row.clock };
	return &w->culprit;
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
			culprits_add(&w->culprits, &part);
	}
	culprits_sort(&w->culprits);
	rows.nr = w->culprits.nr;
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
	culprits_fini(&w.culprits);
	text_fini(&w.row.what);
	return ret;
}
