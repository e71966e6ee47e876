/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/latency_anatomy.h"

#include "src/base/time_math.h"
#include "src/commands/table_rows.h"
#include "src/why/culprits.h"

struct row {
	const char	*clock;
	int64_t		start, from, to;	/* of a part */
	int64_t		length;
	double		share;
	const char	*what;
};

struct work {
	const struct latency_anatomy *anatomy;
	struct sched	*sched;
	struct culprits	culprits;
	struct culprit_row culprit;
	struct row	row;
	struct text	what;		/* of the row */
	/* The part that is next: */
	uint64_t	nr;		/* instances before it, its own among them */
	const struct latency_instance *instance;	/* NULL: it is the first of one */
	struct cpu_parts parts;
};

/* --- columns ---------------------------------------------------------------------------------- */

static void add_share(const void *row, struct text *out)
{
	text_printf(out, "%.1f", ((const struct row *)row)->share);
}

static const struct table_column of_part[] = {
	{ "start_ns", TABLE_MEMBER(struct row, start), .kind = TABLE_NUMBER },
	{ "clock", TABLE_MEMBER(struct row, clock), .only = FORMAT_JSON, .absent = TABLE_OMIT },
	{ "part_start_ns", "part starts", TABLE_MEMBER(struct row, from), .kind = TABLE_MOMENT,
	  .width = 15, .align = TABLE_LEFT },
	{ "part_end_ns", TABLE_MEMBER(struct row, to), .kind = TABLE_NUMBER },
	{ .title = "length", TABLE_MEMBER(struct row, length), .kind = TABLE_TIME, .width = 12 },
	{ .title = "%", .text = add_share, .width = 5 },
	{ "what", "what", TABLE_MEMBER(struct row, what), .width = 1, .align = TABLE_LEFT },
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

/* The next part of any instance; NULL: there are no more. */
static const void *part_at(void *arg, uint64_t i)
{
	struct work *w = arg;
	struct cpu_part part;

	(void)i;
	while (!w->instance || !cpu_parts_next(&w->parts, &part)) {
		if (w->nr == w->anatomy->nr)
			return NULL;
		w->instance = w->anatomy->at(w->anatomy->arg, w->nr++);
		if (w->instance && !begin(w, w->instance, &w->parts))
			w->instance = NULL;
	}
	w->row.start = w->instance->start;
	w->row.from = part.from;
	w->row.to = part.to;
	w->row.length = time_between(part.from, part.to);
	w->row.share = 100.0 * (double)w->row.length /
		       (double)time_between(w->instance->start, w->instance->end);
	text_clear(&w->what);
	cpu_part_text(w->sched, &part, &w->what);
	w->row.what = text_str(&w->what);
	return &w->row;
}

/* --- culprits --------------------------------------------------------------------------------- */

static const void *culprit_at(void *arg, uint64_t i)
{
	struct work *w = arg;

	w->culprit = (struct culprit_row){ &w->culprits.list[i], w->sched, w->culprits.total,
					   w->row.clock };
	return &w->culprit;
}

static void sum_up(struct work *w)
{
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
}

int latency_anatomy_print(const struct latency_anatomy *anatomy, bool *any, struct ft_error *err)
{
	struct sched_command *c = anatomy->command;
	struct work w = { .anatomy = anatomy, .row.clock = c->clock };
	struct table_rows rows = { .columns = &part_columns, .nr = UINT64_MAX, .at = part_at,
				   .arg = &w, .unitless = c->clock,
.step = trace_resolution(c->trace) };
	int ret;

	if (sched_command_model(c, err))
		return -1;
	w.sched = c->model;
	if (anatomy->culprits) {
		sum_up(&w);
		rows = (struct table_rows){ .columns = &culprit_columns, .nr = w.culprits.nr,
					    .at = culprit_at, .arg = &w, .unitless = c->clock,
.step = trace_resolution(c->trace) };
	}
	ret = table_rows_print(&rows, c->file, &c->given, &c->picker, any, err);
	culprits_fini(&w.culprits);
	text_fini(&w.what);
	return ret;
}
