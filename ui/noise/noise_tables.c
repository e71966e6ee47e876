/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise_tables - the rows of the Noise view's lists. */
#include <inttypes.h>
#include <string.h>

#include "ui/noise/view_noise.h"

bool noise_has(const struct view *v, enum noise_tracer tracer)
{
	for (unsigned int i = 0; v->result && i < v->result->nr; i++)
		if (v->result->cpus[i].samples[tracer])
			return true;
	return false;
}

const struct noise_sample *noise_here(const struct view *v)
{
	if (v->list == NOISE_ANALYSIS)
		return &v->sample;
	if (v->list != NOISE_SAMPLES || !noise_has_rows(v))
		return NULL;
	return &v->result->samples[v->tracer][table_row(&v->table, v->table.window.at)];
}

static uint32_t nr_rows(const void *owner)
{
	const struct view *v = owner;

	if (!v->result)
		return 0;
	return v->list == NOISE_CPUS      ? v->result->nr :
	       v->list == NOISE_SAMPLES   ? v->result->nr_samples[v->tracer] :
	       v->list == NOISE_HISTOGRAM ? NOISE_BINS :
					    v->nr_parts;
}

static bool is_shown(const void *owner, uint32_t row)
{
	const struct view *v = owner;
	struct noise_bin_row bin;

	if (v->list == NOISE_CPUS)
		return v->result->cpus[row].samples[v->tracer];
	if (v->list != NOISE_HISTOGRAM)
		return true;
	bin = noise_bin(v->result, v->tracer, row);
	return bin.count[0] || bin.count[1] || bin.count[2];
}

static uint64_t key_of(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	if (v->list == NOISE_CPUS)
		return (uint64_t)v->result->cpus[row].cpu;
	return v->list == NOISE_SAMPLES ? v->result->samples[v->tracer][row].ref : row;
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
		text_printf(out, "CPU %d", v->result->cpus[row].cpu);
	} else if (v->list == NOISE_HISTOGRAM) {
		shared_span(v->shared, row ? (int64_t)(1ull << (row - 1)) : 0, out);
	} else if (v->list == NOISE_ANALYSIS) {
		add_part_name(&v->parts[row], out);
	} else {
		s = &v->result->samples[v->tracer][row];
		if (v->tracer == NOISE_OSNOISE)
			shared_time(v->shared, s->ts, 6, out);
		else
			text_printf(out, "#%" PRIu32, s->seq);
	}
}

static const void *row_of(const void *owner, uint32_t row, bool rest, struct table_made *made)
{
	const struct view *v = owner;
	struct noise_bin_row bin;

	(void)rest;
	if (v->list == NOISE_CPUS)
		return &v->result->cpus[row];
	if (v->list == NOISE_SAMPLES)
		return &v->result->samples[v->tracer][row];
	if (v->list == NOISE_ANALYSIS)
		return &v->parts[row];
	bin = noise_bin(v->result, v->tracer, row);
	memcpy(made, &bin, sizeof(bin));
	return made;
}

static bool has_column(const void *owner, const struct table_column *column)
{
	const struct view *v = owner;

	return v->result && (!(column->needs & NOISE_NEEDS_SOURCES) || v->result->has_sources) &&
	       (!(column->needs & NOISE_NEEDS_USER) || v->result->has_user);
}

static bool is_dim(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->list == NOISE_ANALYSIS && !noise_part_adds(v->parts[row].part);
}

static void add_figure(const void *owner, uint32_t row, struct text *out)
{
	const struct view *v = owner;

	if (v->list == NOISE_SAMPLES)
		text_u64(out, noise_worst(v->tracer, &v->result->samples[v->tracer][row]));
	else
		add_name(owner, row, out);
}

static const struct table_ops ops = {
	.nr_rows = nr_rows,
	.is_shown = is_shown,
	.key = key_of,
	.name = add_name,
	.row = row_of,
	.has_column = has_column,
	.is_dim = is_dim,
	.enter = noise_enter,
	.figure = add_figure,
	.row_word = "the row",
	.figure_word = "the figure",
	.found_word = "row",
};

static const struct table_columns *columns_of(enum noise_tracer tracer, enum noise_list list)
{
	return list == NOISE_CPUS      ? &noise_cpu_columns[tracer] :
	       list == NOISE_SAMPLES   ? &noise_sample_columns[tracer] :
	       list == NOISE_HISTOGRAM ? &noise_bin_columns[tracer] :
					 &noise_part_columns;
}

void noise_tables_choose(struct view *v)
{
	v->table.lists[0] = columns_of(v->tracer, v->list);
	v->table.orders = &v->order[v->tracer][v->list];
	v->table.name_least = v->list == NOISE_ANALYSIS ? 24 : 8;
	v->table.name_most = v->list == NOISE_ANALYSIS ? 34 : 14;
	shared_spans(v->shared, v->file, v->table.span);
	table_update(&v->table);
}

void noise_tables_init(struct view *v)
{
	for (unsigned int t = 0; t < NOISE_TRACERS; t++) {
		const struct table_columns *columns = &noise_sample_columns[t];

		for (unsigned int i = 0; i < columns->nr; i++)
			if (columns->list[i].own == NOISE_WORST)
				v->order[t][NOISE_SAMPLES].column = i;
	}
	v->table = (struct table){ .ops = &ops, .owner = v, .host = v->host, .shared = v->shared,
				   .orders = v->order[0], .lists = { &noise_cpu_columns[0] },
				   .ties_stay = true };
}
