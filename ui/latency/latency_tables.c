/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_tables - the rows of the Latency view's tables: kinds, groups, instances.
 * src/latency/latency_columns has the columns.
 */
#include <inttypes.h>
#include <string.h>

#include "src/diff/diff.h"
#include "ui/latency/view_latency.h"
#include "ui/rows/row.h"

#define NAME_LEAST	14
#define NAME_MOST	24

/* --- kinds and groups ---------------------------------------------------------------------- */

static const struct latency_sums *sums_of(const struct view *v, uint32_t row)
{
	return v->kind < 0 ? &v->now.result.kinds[row].sums : &v->now.groups.list[row].sums;
}

/* Of the rest of the trace; NULL: there are none. */
static const struct latency_sums *rest_of(const struct view *v, uint32_t row)
{
	const struct latency_group *group;

	if (v->kind < 0)
		return row < v->rest.result.nr ? &v->rest.result.kinds[row].sums : NULL;
	group = latency_groups_find(&v->rest.groups, v->now.groups.list[row].key);
	return group ? &group->sums : NULL;
}

static uint32_t nr_sums(const void *owner)
{
	const struct view *v = owner;

	return v->kind < 0 ? v->now.result.nr : v->now.groups.nr;
}

static bool has_sums(const void *owner, uint32_t row)
{
	const struct latency_sums *rest = rest_of(owner, row);

	return latency_has_any(sums_of(owner, row)) || (rest && rest->n);
}

static uint64_t sums_key(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->kind < 0 ? row : v->now.groups.list[row].key;
}

static bool has_sums_column(const void *owner, const struct table_column *column)
{
	const struct latency_kind *kind = latency_kind_shown(owner);
	const struct view *v = owner;

	if (column->text && trace_unit(v->shared->trace) == TRACE_UNIT_COUNT &&
	    !trace_is_untimed(v->shared->trace, -1))
		return false;		/* the histogram's title is in µs */
	/* Of the worst ones alone nothing is known but what is longest. */
	return !kind || kind->all || (column->own == LATENCY_MAX && !column->rest) ||
	       (column->kind == TABLE_COUNT || column->kind == TABLE_STRING);
}

static const void *sums_row(const void *owner, uint32_t row, struct table_made *made)
{
	const struct latency_sums *sums = made->rest ? rest_of(owner, row) : sums_of(owner, row);
	struct latency_kind_row *out = (struct latency_kind_row *)made->room;
	const struct view *v = owner;

	_Static_assert(sizeof(*out) <= sizeof(made->room), "it has room");
	if (!sums)
		return NULL;
	*out = (struct latency_kind_row){ "", *sums };
	if (made->words && v->kind < 0) {
		out->kind = v->kinds.names[row];
	} else if (made->words) {
		latency_group_name(v, &v->now.groups.list[row].first, v->by, made->words);
		out->kind = text_str(made->words);
	}
	return out;
}

static enum role sums_name_role(const void *owner, uint32_t row, bool *is_task)
{
	const struct view *v = owner;

	(void)row;
	*is_task = v->kind >= 0 && v->by == LATENCY_BY_TASK;
	return ROLE_TEXT;
}

static const char *sums_title(const void *owner, const struct table_column *column)
{
	const struct view *v = owner;

	return v->kind >= 0 && (column == latency_group_columns.list ||
				column == latency_compare_columns.list) ?
		       latency_by_words[v->by].title :
		       NULL;
}

static struct diff_side side_of(const struct latency_sums *sums)
{
	return (struct diff_side){ .count = sums->n, .total = sums->total,
				   .histogram = sums->histogram };
}

bool latency_is_noise(const void *view, uint32_t row)
{
	const struct view *v = view;
	const struct table *table = &v->tables[latency_shown(v)];
	const struct latency_sums *rest = table->comparing ? rest_of(v, row) : NULL;
	struct diff diff = { .cpu_time = { table->span[0], table->span[1] } };
	struct diff_row both;

	if (!rest)
		return false;
	both = (struct diff_row){ .of = { side_of(sums_of(v, row)), side_of(rest) } };
	diff_judge(&diff, &both);
	return both.is_noise;
}

static const struct table_ops sums_ops = {
	.nr_rows = nr_sums,
	.is_shown = has_sums,
	.key = sums_key,
	.has_column = has_sums_column,
	.row = sums_row,
	.title = sums_title,
	.name_role = sums_name_role,
	.is_dim = latency_is_noise,
	.enter = latency_enter,
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

	return !v->in_group || v->by == LATENCY_BY_CULPRIT ||
	       latency_group_key(latency_instance_at(v, row), v->by) == v->group;
}

static uint64_t instance_key(const void *owner, uint32_t row)
{
	const struct latency_instance *i = latency_instance_at(owner, row);

	return (((uint64_t)i->start * 31 + i->from) * 31 + i->to) * 31 + i->cpu;
}

void latency_add_task(const struct view *v, const struct latency_instance *i, struct text *out)
{
	const char *comm = latency_comm(v->now.latency, i->comm);

	text_printable(out, comm, strlen(comm));
	if (i->pid)
		text_printf(out, "-%" PRIu32, i->pid);
}

void latency_add_what(const struct view *v, const struct latency_instance *i, bool more,
		      struct text *out)
{
	struct text what = { 0 };

	latency_what(v->now.latency, (unsigned int)v->kind, i, more, &what);
	text_printable(out, text_str(&what), what.len);
	text_fini(&what);
}

static void add_instance_name(const void *owner, uint32_t row, struct text *out)
{
	latency_add_task(owner, latency_instance_at(owner, row), out);
}

static const void *instance_row(const void *owner, uint32_t row, struct table_made *made)
{
	const struct view *v = owner;
	struct latency_row *out = (struct latency_row *)made->room;

	*out = latency_row(v->now.latency, &v->kinds, (unsigned int)v->kind,
			   latency_instance_at(v, row), made->words);
	return out;
}

static const char *instance_title(const void *owner, const struct table_column *column)
{
	const struct view *v = owner;

	if (column->own != LATENCY_WHAT)
		return NULL;
	return v->kind == LATENCY_WAKEUP    ? "woken by" :
	       v->kind == LATENCY_PREEMPTED ? "preempted by" :
					      NULL;
}

static enum role instance_name_role(const void *owner, uint32_t row, bool *is_task)
{
	const struct view *v = owner;
	const struct latency_instance *i = latency_instance_at(v, row);

	*is_task = i->pid;
	return row_hash_role(latency_comm(v->now.latency, i->comm));
}

static const struct table_ops instance_ops = {
	.nr_rows = nr_instances,
	.is_shown = is_in_group,
	.key = instance_key,
	.name = add_instance_name,
	.row = instance_row,
	.title = instance_title,
	.name_role = instance_name_role,
	.enter = latency_enter,
	.figure_word = "the duration",
};

/* --- the tables ---------------------------------------------------------------------------- */

void latency_tables_init(struct view *v)
{
	static const struct {
		const char	*row_name;
		const struct table_ops *ops;
		const struct table_columns *columns;
		int		 own;	/* of the column by which it is sorted first */
	} of[LATENCY_TABLES] = {
		[LATENCY_TABLE_KINDS] = { "kind", &sums_ops, &latency_kind_columns, LATENCY_MAX },
		[LATENCY_TABLE_GROUPS] = { "group", &sums_ops, &latency_group_columns,
					   LATENCY_MAX },
		[LATENCY_TABLE_INSTANCES] = { "instance", &instance_ops, &latency_columns,
					      LATENCY_DURATION },
		[LATENCY_TABLE_CULPRITS] = { "culprit", &latency_culprit_ops, &culprit_columns,
					     CULPRIT_TOTAL },
	};

	for (unsigned int i = 0; i < LATENCY_TABLES; i++) {
		bool is_sums = of[i].ops == &sums_ops;
		unsigned int first = table_column_own(of[i].columns, of[i].own);

		v->orders[i][0].column = first;
		v->orders[i][1].column = table_column_own(&latency_compare_columns, LATENCY_MAX);
		v->tables[i] = (struct table){
			.ops = of[i].ops, .owner = v, .host = v->host, .shared = v->shared,
			.lists = { of[i].columns, is_sums ? &latency_compare_columns : NULL },
			.orders = v->orders[i], .figure = first, .margin = !is_sums,
			.row_name = of[i].row_name, .ties_stay = true,
			.name_least = NAME_LEAST, .name_most = NAME_MOST,
		};
	}
}
