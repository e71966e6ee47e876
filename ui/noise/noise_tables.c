/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise_tables - the rows of the Noise view's lists. */
#include <inttypes.h>
#include <limits.h>

#include "ui/noise/view_noise.h"

const struct noise_sample *noise_here(const struct view *v)
{
	if (v->list == NOISE_ANALYSIS)
		return &v->sample;
	if (v->list != NOISE_SAMPLES || !noise_has_rows(v))
		return NULL;
	return &v->rows.result->samples[v->rows.tracer][table_row(&v->table, v->table.window.at)];
}

static uint64_t key_of(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->list == NOISE_CPUS    ? (uint64_t)noise_cpu_at(v, row)->cpu :
	       v->list == NOISE_SAMPLES ? v->rows.result->samples[v->rows.tracer][row].ref :
					  row;
}

/* What a part is made of stands below it.  Words of the trace are not trusted. */
static void add_part_name(const struct noise_part_row *part, struct text *out)
{
	struct text what = { 0 };

	if (part->item || part->frame) {
		noise_part_what(part, &what);
		text_add(out, "  ");
		text_printable(out, text_str(&what), what.len);
		text_fini(&what);
	} else {
		text_add(out, noise_part_names[part->part]);
	}
}

static void add_name(const void *owner, uint32_t row, struct text *out)
{
	const struct view *v = owner;
	const struct noise_sample *s;

	if (v->list == NOISE_CPUS) {
		text_printf(out, "CPU %d", noise_cpu_at(v, row)->cpu);
	} else if (v->list == NOISE_HISTOGRAM) {
		shared_span(v->shared, (int64_t)v->rows.result->bins[v->rows.tracer][row].from,
			    out);
	} else if (v->list == NOISE_ANALYSIS) {
		add_part_name(&v->rows.parts[row], out);
	} else {
		s = &v->rows.result->samples[v->rows.tracer][row];
		if (v->rows.tracer == NOISE_OSNOISE)
			shared_time(v->shared, s->ts, 6, out);
		else
			text_printf(out, "#%" PRIu32, s->seq);
	}
}

static bool is_dim(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->list == NOISE_ANALYSIS && !noise_part_adds(v->rows.parts[row].part);
}

static const struct table_ops ops = {
	.key = key_of,
	.name = add_name,
	.is_dim = is_dim,
	.enter = noise_enter,
	.figure_word = "the figure",
};

void noise_tables_choose(struct view *v)
{
	static const char *const names[NOISE_LISTS] = { "CPU", "sample", "bin", "part" };
	const struct table_columns *columns = &noise_columns[v->list][v->rows.tracer];

	v->table.lists[0] = columns;
	v->table.row_name = names[v->list];
	v->table.lacks = UINT_MAX;
	v->table.array_nr = 0;
	if (v->rows.result) {
		v->table.lacks = noise_lacks(v->rows.result);
		v->table.array_nr = noise_rows_list(&v->rows, v->list, &v->table.array,
						    &v->table.array_bytes);
	}
	v->table.orders = &v->order[v->rows.tracer][v->list];
	v->table.figure = v->list == NOISE_SAMPLES ? table_column_own(columns, NOISE_WORST) : 0;
	v->table.name_least = v->list == NOISE_ANALYSIS ? 24 : 8;
	v->table.name_most = v->list == NOISE_ANALYSIS ? 34 : 14;
	shared_spans(v->shared, v->file, v->table.span);
	table_update(&v->table);
}

void noise_tables_init(struct view *v)
{
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		v->order[t][NOISE_SAMPLES].column =
			table_column_own(&noise_columns[NOISE_SAMPLES][t], NOISE_WORST);
	v->table = (struct table){ .ops = &ops, .owner = v, .host = v->host, .shared = v->shared,
				   .orders = v->order[0], .lists = { &noise_columns[0][0] },
				   .ties_stay = true };
}
