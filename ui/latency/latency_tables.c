/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_tables - the cells of the Latency view's tables: kinds, groups, instances.
 * src/latency/latency_columns has the columns; the tables have copies of those for the screen, with
 * titles and widths that fit what is shown.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "src/base/shorten.h"
#include "src/timeline/timeline.h"
#include "ui/latency/view_latency.h"
#include "ui/rows/row.h"

#define NAME_LEAST	14
#define NAME_WIDE	24		/* from TABLE_WIDE cells on */
#define WHAT_LEAST	12

static bool is_unitless(const struct view *v)
{
	return trace_unit(v->shared->trace) == TRACE_UNIT_COUNT;
}

static void add_duration(const struct view *v, uint64_t duration, bool marked, struct text *out)
{
	char mark = is_unitless(v) ? ' ' : text_duration_mark(duration);

	if (marked && mark != ' ')
		text_char(out, mark);
	shared_span(v->shared, (int64_t)duration, out);
}

static void draw_fitted(const struct view *v, struct canvas *canvas, int y, int cells,
			enum role role, const char *name)
{
	size_t start, end;

	canvas_text(canvas, y, 1, cells, role, name);
	if (v->shared->pattern &&
	    search_pattern_find(v->shared->pattern, name, strlen(name), 0, &start, &end))
		canvas_over(canvas, y, 1 + canvas_width(name, start),
			    canvas_width(name + start, end - start), ROLE_MATCH);
}

/* --- kinds and groups ---------------------------------------------------------------------- */

static const struct latency_sums *sums_of(const struct view *v, uint32_t row)
{
	return v->kind < 0 ? &v->result.kinds[row].sums : &v->groups[row].sums;
}

static uint32_t nr_sums(const void *owner)
{
	const struct view *v = owner;

	return v->kind < 0 ? v->result.nr : v->nr_groups;
}

static bool has_sums(const void *owner, uint32_t row)
{
	return latency_has_any(sums_of(owner, row));
}

static uint64_t sums_key(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->kind < 0 ? row : v->groups[row].key;
}

static void add_sums_name(const void *owner, uint32_t row, struct text *out)
{
	const struct view *v = owner;

	if (v->kind < 0)
		text_add(out, v->kinds.names[row]);
	else
		latency_group_name(v, &v->groups[row].first, v->by, out);
}

static bool has_sums_column(const void *owner, const struct table_column *column)
{
	const struct latency_kind *kind = latency_kind_shown(owner);

	if (column->text && is_unitless(owner))		/* the histogram's title is in µs */
		return false;
	/* Of the worst ones alone nothing is known but what is longest. */
	return !kind || kind->all || column->own == LATENCY_MAX ||
	       (column->kind == TABLE_COUNT || column->kind == TABLE_STRING);
}

static double sums_number(const void *owner, uint32_t row, const struct table_column *column)
{
	struct latency_kind_row of = { "", *sums_of(owner, row) };

	if (column->kind == TABLE_STRING || !table_out_known(column, &of))
		return NAN;
	return (double)(uint64_t)table_out_number(column, &of);
}

static void add_sums_cell(const void *owner, uint32_t row, const struct table_column *column,
			  struct text *out)
{
	const struct view *v = owner;
	struct latency_kind_row of = { "", *sums_of(v, row) };

	if (column->kind == TABLE_DURATION && table_out_known(column, &of))
		add_duration(v, (uint64_t)table_out_number(column, &of), column->own == LATENCY_MAX,
			     out);
	else if (column->kind == TABLE_COUNT && !table_out_number(column, &of))
		text_add(out, TABLE_NONE);
	else
		table_out_value(column, &of, is_unitless(v), true, out);
}

static enum role sums_role(const void *owner, uint32_t row, const struct table_column *column)
{
	const struct view *v = owner;

	return column && column->own == LATENCY_MAX && !is_unitless(v) ?
		       row_slow_role((int64_t)sums_of(v, row)->max, ROLE_TEXT) :
		       ROLE_TEXT;
}

static void draw_sums_name(const void *owner, struct canvas *canvas, int y, uint32_t row, int cells)
{
	const struct view *v = owner;
	struct text name = { 0 }, fitted = { 0 };

	add_sums_name(v, row, &name);
	if (v->kind >= 0 && v->by == LATENCY_BY_TASK)
		timeline_fit_name(text_str(&name), true, cells, &fitted);
	else
		shorten_function(text_str(&name), cells, &fitted);
	draw_fitted(v, canvas, y, cells, ROLE_TEXT, text_str(&fitted));
	text_fini(&name);
	text_fini(&fitted);
}

static void add_sums_figure(const void *owner, uint32_t row, struct text *out)
{
	text_u64(out, sums_of(owner, row)->max);
}

static const struct table_ops sums_ops = {
	.nr_rows = nr_sums,
	.is_shown = has_sums,
	.key = sums_key,
	.name = add_sums_name,
	.has_column = has_sums_column,
	.number = sums_number,
	.cell = add_sums_cell,
	.role = sums_role,
	.draw_name = draw_sums_name,
	.enter = latency_enter,
	.figure = add_sums_figure,
	.row_word = "the row",
	.figure_word = "the longest duration",
};

/* --- instances ----------------------------------------------------------------------------- */

static uint32_t nr_instances(const void *owner)
{
	const struct view *v = owner;
	const struct latency_kind *kind = latency_kind_shown(v);

	return !kind ? 0 : v->by == LATENCY_OPENS ? kind->nr_opens : kind->nr_worst;
}

const struct latency_instance *latency_instance_at(const struct view *v, uint32_t row)
{
	const struct latency_kind *kind = latency_kind_shown(v);

	return v->by == LATENCY_OPENS ? &kind->opens[row] : &kind->worst[row];
}

const struct latency_instance *latency_here(struct view *v)
{
	const struct table *table = latency_table(v);

	return latency_shown(v) == LATENCY_TABLE_INSTANCES && table->nr ?
		       latency_instance_at(v, table_row(table, table->window.at)) :
		       NULL;
}

static bool is_in_group(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return !v->in_group || latency_group_key(latency_instance_at(v, row), v->by) == v->group;
}

static uint64_t instance_key(const void *owner, uint32_t row)
{
	const struct latency_instance *i = latency_instance_at(owner, row);

	return (((uint64_t)i->start * 31 + i->from) * 31 + i->to) * 31 + i->cpu;
}

void latency_add_task(const struct view *v, const struct latency_instance *i, struct text *out)
{
	const char *comm = latency_comm(v->latency, i->comm);

	text_printable(out, comm, strlen(comm));
	if (i->pid)
		text_printf(out, "-%" PRIu32, i->pid);
}

void latency_add_what(const struct view *v, const struct latency_instance *i, bool more,
		      struct text *out)
{
	struct text what = { 0 };

	latency_what(v->latency, (unsigned int)v->kind, i, more, &what);
	text_printable(out, text_str(&what), what.len);
	text_fini(&what);
}

/* For searches and copies. */
static void add_instance_name(const void *owner, uint32_t row, struct text *out)
{
	const struct latency_instance *i = latency_instance_at(owner, row);

	latency_add_task(owner, i, out);
	text_add(out, "  ");
	latency_add_what(owner, i, true, out);
}

static bool has_instance_column(const void *owner, const struct table_column *column)
{
	const struct view *v = owner;

	return v->kind == LATENCY_WAKEUP || column->own < LATENCY_MOVED_COLUMN;
}

static struct latency_row row_of(const struct view *v, uint32_t row)
{
	return (struct latency_row){ .kind = "", .comm = "", .what = "",
				     .i = *latency_instance_at(v, row),
				     .is_wakeup = v->kind == LATENCY_WAKEUP };
}

static double instance_number(const void *owner, uint32_t row, const struct table_column *column)
{
	struct latency_row of = row_of(owner, row);

	if (column->own == LATENCY_DURATION)
		return (double)latency_duration(&of.i);
	if (column->own == LATENCY_START)
		return -(double)of.i.start;	/* the first one first */
	if (column->kind == TABLE_STRING || !table_out_known(column, &of))
		return NAN;
	return (double)table_out_number(column, &of);
}

static void add_instance_cell(const void *owner, uint32_t row, const struct table_column *column,
			      struct text *out)
{
	const struct view *v = owner;
	struct latency_row of = row_of(v, row);

	switch ((enum latency_column)column->own) {
	case LATENCY_DURATION:
		if (of.i.flags & LATENCY_DOUBTFUL)
			text_char(out, '~');
		add_duration(v, latency_duration(&of.i), true, out);
		break;
	case LATENCY_START:
		shared_time(v->shared, of.i.start, 6, out);
		break;
	case LATENCY_WHAT:
		latency_add_what(v, &of.i, true, out);
		break;
	case LATENCY_MOVED_COLUMN:
		text_add(out, of.i.flags & LATENCY_MOVED ? "moved" : "");
		break;
	default:
		table_out_value(column, &of, is_unitless(v), true, out);
		break;
	}
}

static enum role instance_role(const void *owner, uint32_t row, const struct table_column *column)
{
	const struct view *v = owner;

	return column && column->own == LATENCY_DURATION && !is_unitless(v) ?
		       row_slow_role((int64_t)latency_duration(latency_instance_at(v, row)),
				     ROLE_TEXT) :
		       ROLE_TEXT;
}

static void draw_instance_name(const void *owner, struct canvas *canvas, int y, uint32_t row,
			       int cells)
{
	const struct view *v = owner;
	const struct latency_instance *i = latency_instance_at(v, row);
	struct text name = { 0 }, fitted = { 0 };

	latency_add_task(v, i, &name);
	timeline_fit_name(text_str(&name), i->pid, cells, &fitted);
	draw_fitted(v, canvas, y, cells, row_hash_role(latency_comm(v->latency, i->comm)),
		    text_str(&fitted));
	text_fini(&name);
	text_fini(&fitted);
}

static void add_instance_figure(const void *owner, uint32_t row, struct text *out)
{
	text_u64(out, latency_duration(latency_instance_at(owner, row)));
}

static const struct table_ops instance_ops = {
	.nr_rows = nr_instances,
	.is_shown = is_in_group,
	.key = instance_key,
	.name = add_instance_name,
	.has_column = has_instance_column,
	.number = instance_number,
	.cell = add_instance_cell,
	.role = instance_role,
	.draw_name = draw_instance_name,
	.enter = latency_enter,
	.figure = add_instance_figure,
	.row_word = "the row",
	.figure_word = "the duration",
};

/* --- their columns ------------------------------------------------------------------------- */

/* Those of the command that have a place on the screen, in the order of the screen. */
static unsigned int take_instance_columns(struct table_column *columns)
{
	unsigned int nr = 0;

	for (int own = LATENCY_TASK; own < LATENCY_NR_COLUMNS; own++)
		for (unsigned int i = 0; i < latency_columns.nr; i++)
			if (latency_columns.list[i].own == own)
				columns[nr++] = latency_columns.list[i];
	return nr;
}

void latency_tables_init(struct view *v)
{
	for (unsigned int i = 0; i < LATENCY_TABLES; i++) {
		bool is_sums = i != LATENCY_TABLE_INSTANCES;
		struct table_column *columns = v->columns[i];
		unsigned int nr = latency_kind_columns.nr;

		if (is_sums)
			memcpy(columns, latency_kind_columns.list, nr * sizeof(*columns));
		else
			nr = take_instance_columns(columns);
		v->column_lists[i] = (struct table_columns){ .list = columns, .nr = nr };
		for (unsigned int k = 0; k < nr; k++)
			if (columns[k].own == (is_sums ? LATENCY_MAX : LATENCY_DURATION))
				v->orders[i].column = k;
		v->tables[i] = (struct table){ .ops = is_sums ? &sums_ops : &instance_ops,
					       .owner = v, .host = v->host, .margin = !is_sums,
					       .columns = &v->column_lists[i],
					       .order = &v->orders[i], .ties_stay = true,
					       .name_least = NAME_LEAST, .name_most = NAME_LEAST };
	}
}

/* What an instance was gets the room that is left; groups have the title of what they share. */
void latency_fit_columns(struct view *v, int cols)
{
	static const char *const titles[LATENCY_NR_BY] = { [LATENCY_BY_WHAT] = "what",
							   [LATENCY_BY_TASK] = "task",
							   [LATENCY_BY_CPU] = "CPU",
							   [LATENCY_BY_PRIO] = "priority",
							   [LATENCY_BY_MOVED] = "moved" };
	struct table *table = &v->tables[LATENCY_TABLE_INSTANCES];
	struct table_column *columns = v->columns[LATENCY_TABLE_INSTANCES], *what = columns;
	int name = cols >= TABLE_WIDE ? NAME_WIDE : NAME_LEAST, used = 2 + name;

	for (unsigned int i = 0; i < LATENCY_TABLES; i++)
		v->tables[i].name_least = v->tables[i].name_most = name;
	if (titles[v->by])
		v->columns[LATENCY_TABLE_GROUPS][0].title = titles[v->by];
	for (unsigned int i = 1; i < table->columns->nr; i++) {
		if (columns[i].own == LATENCY_WHAT)
			what = &columns[i];
		else if (table_has_column(table, i))
			used += columns[i].cells;
	}
	what->title = v->kind == LATENCY_WAKEUP    ? "woken by" :
		      v->kind == LATENCY_PREEMPTED ? "preempted by" :
						     "what";
	what->cells = cols - used > WHAT_LEAST ? cols - used : WHAT_LEAST;
}
