/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_rows - the rows of the Latency view's lists: kinds, instances, groups of those that have
 * a task, CPU, label… in common, and culprits: what CPUs did while tasks waited.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/base/shorten.h"
#include "src/diff/diff.h"
#include "src/latency/latency_list.h"
#include "ui/latency/view_latency.h"
#include "ui/rows/row.h"

/* --- ways to group ------------------------------------------------------------------------- */

bool latency_offers(const struct view *v, enum latency_by by)
{
	const struct latency_kind *kind = latency_kind_shown(v);

	if (by == LATENCY_OPENS)
		return kind && kind->opens.nr;
	if (by == LATENCY_BY_CULPRIT)
		return latency_has_parts(v->kind);
	if (by >= LATENCY_BY_PROCESS && by <= LATENCY_BY_USER && by != LATENCY_BY_NAME &&
	    !trace_who_changes(v->shared->trace, v->file))
		return false;
	return by == LATENCY_INSTANCES || latency_groups_has(&v->kinds, (unsigned int)v->kind, by);
}

const char *latency_by_heading(const struct view *v)
{
	return v->kind == LATENCY_WAKEUP && v->by == LATENCY_BY_WHAT ?
		       "by waker" :
		       latency_groups_by[v->by].heading;
}

/* --- making groups --------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	const struct latency_group *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Groups of the first @nr instances: of the worst, then the open ones. */
static struct latency_groups group(const struct latency_side *side, unsigned int kind, uint32_t nr,
				   enum latency_by by)
{
	struct latency_groups groups = { .by = by, .replaced = side->result.replaced };
	const struct latency_kind *of = &side->result.kinds[kind];

	for (uint32_t i = 0; i < nr; i++)
		latency_groups_see(&groups, side->latency, kind,
				   i < of->worst.nr ? &of->worst.list[i] :
						      &of->opens.list[i - of->worst.nr]);
	latency_groups_end(&groups, &of->sums);
	return groups;
}

/* Makes the groups of the kind that is shown. */
static void make_groups(const struct view *v, struct latency_side *side)
{
	const struct latency_kind *kind = &side->result.kinds[v->kind];
	struct latency_groups groups = group(side, (unsigned int)v->kind,
					     kind->worst.nr + kind->opens.nr, v->by);

	if (groups.nr)
		qsort(groups.list, groups.nr, sizeof(*groups.list), by_key);
	side->groups = groups.list;
	side->nr_groups = groups.nr;
	groups.list = NULL;
	groups.nr = 0;
	latency_groups_fini(&groups);
}

#define MOST_SAID	3u		/* processes */

/* " By process: nginx-12 98 % of the time, sh-17 1 % of the time." */
static void find_most(struct view *v, unsigned int kind)
{
	const struct latency_kind *of = &v->now.result.kinds[kind];
	struct latency_groups groups = group(&v->now, kind, of->worst.nr, LATENCY_BY_PROCESS);
	struct text name = { 0 };
	double total = 0;
	bool is_told;

	for (uint32_t i = 0; i < groups.nr; i++)
		total += (double)groups.list[i].sums.total;
	/* of processes that are not known, nothing is said */
	is_told = total > 0 && groups.nr > 1 && groups.list[0].key;
	for (uint32_t i = 0; i < groups.nr && i < MOST_SAID && is_told; i++) {
		double share = (double)groups.list[i].sums.total * 100 / total;

		if (share < 1)
			break;
		text_clear(&name);
		latency_groups_name(v->now.latency, kind, groups.by, &groups.list[i].first, &name);
		text_add(&v->most, i                  ? ", " :
				   of->worst.left_out ? " Of the worst, by the task's process: " :
							" By the task's process: ");
		text_printable(&v->most, text_str(&name), name.len);
		text_printf(&v->most, " %.0f %% of the time", share);
	}
	text_add(&v->most, v->most.len ? "." : "");
	text_fini(&name);
	latency_groups_fini(&groups);
}

void latency_say_most(struct view *v, unsigned int kind, struct text *out)
{
	if (kind >= v->now.result.nr || !v->now.result.done ||
	    !latency_offers(v, LATENCY_BY_PROCESS))
		return;
	if (v->most_kind != (int)kind) {
		text_clear(&v->most);
		find_most(v, kind);
		v->most_kind = (int)kind;
	}
	text_add(out, text_str(&v->most));
}

/* Makes the sums that are shown. */
static void make_sums(const struct view *v, struct latency_side *side)
{
	const struct latency_result *result = &side->result;

	free(side->groups);
	side->groups = NULL;
	side->nr_groups = 0;
	if (v->kind < 0) {
		side->groups = mem_array(result->nr + 1ul, sizeof(*side->groups));
		for (; side->nr_groups < result->nr; side->nr_groups++)
			side->groups[side->nr_groups] = (struct latency_group){
				.key = side->nr_groups,
				.sums = result->kinds[side->nr_groups].sums,
			};
	} else if ((unsigned int)v->kind < result->nr &&
		   (side == &v->now || !result->kinds[v->kind].worst.left_out)) {
		make_groups(v, side);
	}
}

/* --- kinds and groups ---------------------------------------------------------------------- */

/* The sums of a row's group in the rest of the trace; NULL: it is not there. */
static const struct latency_sums *rest_of(const struct view *v, uint32_t row)
{
	const struct latency_group *rest = v->rest.groups;
	uint64_t key = v->now.groups[row].key;
	uint32_t i = bisect(v->rest.nr_groups, k, rest[k].key < key);

	return i < v->rest.nr_groups && rest[i].key == key ? &rest[i].sums : NULL;
}

static bool has_sums(const void *owner, uint32_t row)
{
	const struct latency_sums *rest = rest_of(owner, row);

	return latency_has_any(&((const struct view *)owner)->now.groups[row].sums) ||
	       (rest && rest->n);
}

static uint64_t sums_key(const void *owner, uint32_t row)
{
	return ((const struct view *)owner)->now.groups[row].key;
}

static bool has_sums_column(const void *owner, const struct table_column *column)
{
	const struct latency_kind *kind = latency_kind_shown(owner);
	const struct view *v = owner;

	if (column->text && trace_unit(v->shared->trace) == TRACE_UNIT_COUNT &&
	    !trace_is_untimed(v->shared->trace, -1))
		return false;		/* the histogram's title is in µs */
	/* If only the worst instances are kept, the longest is the only duration known. */
	return !kind || !kind->worst.left_out ||
	       (column->own == LATENCY_MAX && (!column->side || column->side == v->table.own)) ||
	       (column->kind == TABLE_COUNT || column->kind == TABLE_STRING);
}

static const void *sums_row(const void *owner, uint32_t row, struct table_made *made)
{
	struct latency_kind_row *out = (struct latency_kind_row *)made->room;
	const struct view *v = owner;
	const struct latency_group *group = &v->now.groups[row];
	const struct latency_sums *sums = made->rest ? rest_of(v, row) : &group->sums;

	_Static_assert(sizeof(*out) <= sizeof(made->room), "it has room");
	if (!sums)
		return NULL;
	*out = v->kind < 0 ? latency_kind_row(&v->kinds, row, sums) :
			     latency_group_row(v->now.latency, (unsigned int)v->kind, v->by, group,
					       sums, made->words);
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
		       latency_groups_by[v->by].title :
		       NULL;
}

static struct diff_side side_of(const struct latency_sums *sums)
{
	return (struct diff_side){ .count = sums->n, .total = sums->total,
				   .histogram = sums->histogram };
}

bool latency_is_by_chance(const void *view, uint32_t row)
{
	const struct view *v = view;
	const struct latency_sums *rest = v->table.comparing ? rest_of(v, row) : NULL;
	struct diff diff = { .cpu_time = { v->table.span[0], v->table.span[1] } };
	struct diff_row both;

	if (!rest)
		return false;
	both = (struct diff_row){ .of = { side_of(&v->now.groups[row].sums), side_of(rest) } };
	diff_judge(&diff, &both);
	return both.is_by_chance;
}

static const struct table_ops sums_ops = {
	.is_shown = has_sums,
	.key = sums_key,
	.has_column = has_sums_column,
	.row = sums_row,
	.title = sums_title,
	.name_role = sums_name_role,
	.is_dim = latency_is_by_chance,
	.enter = latency_enter,
	.figure_word = "longest duration",
};

/* --- instances ----------------------------------------------------------------------------- */

/* The instances that are listed. */
static const struct latency_kept *kept_of(const struct view *v)
{
	const struct latency_kind *kind = latency_kind_shown(v);

	return v->by == LATENCY_OPENS ? &kind->opens : &kind->worst;
}

static const struct latency_instance *instance_at(const struct view *v, uint32_t row)
{
	return &kept_of(v)->list[row];
}

const struct latency_instance *latency_here(const struct view *v)
{
	return latency_shown(v) == LATENCY_OF_INSTANCES && v->table.nr ?
		       instance_at(v, latency_row_here(v)) :
		       NULL;
}

static uint64_t part_key(unsigned int kind, uint32_t arg)
{
	return (uint64_t)kind << 32 | arg;
}

/* Did its CPU do that meanwhile? */
static bool has_part(const struct view *v, const struct latency_instance *i, uint64_t key)
{
	struct cpu_parts parts;
	struct cpu_part part;

	if (latency_is_doubtful(i) || !latency_parts_begin(&parts, v->sched, i))
		return false;
	while (cpu_parts_next(&parts, &part))
		if (part_key(part.kind, part.arg) == key)
			return true;
	return false;
}

/* Is it of all groups that were entered? */
static bool is_chosen(const struct view *v, const struct latency_instance *i)
{
	for (unsigned int k = 0; k < v->nr_levels; k++) {
		const struct latency_level *level = &v->levels[k];

		if (level->chosen &&
		    !(level->by == LATENCY_BY_CULPRIT ?
			      has_part(v, i, level->key) :
			      latency_groups_key(v->now.latency, i, level->by) == level->key))
			return false;
	}
	return true;
}

static bool is_instance_shown(const void *owner, uint32_t row)
{
	return !latency_is_folded(owner, row) && is_chosen(owner, instance_at(owner, row));
}

static uint64_t instance_key(const void *owner, uint32_t row)
{
	const struct latency_instance *i = instance_at(owner, row);

	return (((uint64_t)i->start * 31 + i->from) * 31 + i->to) * 31 + i->cpu;
}

void latency_add_task(const struct view *v, const struct latency_instance *i, bool now,
		      struct text *out)
{
	struct text task = { 0 };

	latency_task_text(v->now.latency, i->pid, i->start, now, &task);
	text_printable(out, text_str(&task), task.len);
	text_fini(&task);
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
	latency_add_task(owner, instance_at(owner, row), false, out);
}

static const void *instance_row(const void *owner, uint32_t row, struct table_made *made)
{
	const struct view *v = owner;
	struct latency_row *out = (struct latency_row *)made->room;

	*out = latency_row(v->now.latency, &v->kinds, (unsigned int)v->kind, instance_at(v, row),
			   made->words);
	return out;
}

/* "sys_read +4 calls in it"; with less room "sys_read +4": the name is cut first */
static void add_inside(const void *owner, uint32_t row, const struct table_column *column,
		       int cells, struct text *out)
{
	uint32_t nr = latency_nr_inside(owner, row);
	struct text name = { 0 }, more = { 0 };
	int room;

	if (!nr || column->own != LATENCY_WHAT)
		return;
	text_printf(&more, " +%" PRIu32, nr);
	room = cells - text_cells(text_str(&more), more.len);
	shorten_function(text_str(out), room, &name);
	if (text_cells(text_str(&name), name.len) + (int)strlen(" calls in it") <= room)
		text_add(&more, nr == 1 ? " call in it" : " calls in it");
	text_clear(out);
	text_printf(out, "%s%s", text_str(&name), text_str(&more));
	text_fini(&name);
	text_fini(&more);
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
	const struct latency_instance *i = instance_at(v, row);

	*is_task = i->pid;
	return row_pid_role(latency_comm(v->now.latency, i->pid, i->start), i->pid);
}

static const struct table_ops instance_ops = {
	.is_shown = is_instance_shown,
	.key = instance_key,
	.name = add_instance_name,
	.row = instance_row,
	.add_to_cell = add_inside,
	.title = instance_title,
	.name_role = instance_name_role,
	.enter = latency_enter,
	.figure_word = "duration",
};

/* --- culprits ------------------------------------------------------------------------------ */

/* Adds what its CPU did during an instance of the list asked about.  Leaves out doubtful ones. */
bool latency_add_culprits(void *view, struct latency *latency, unsigned int kind,
			  const struct latency_instance *i)
{
	struct view *v = view;

	(void)latency;
	(void)kind;
	if (is_chosen(v, i))
		v->nr_summed += latency_parts_add(&v->culprits, v->sched, i);
	return false;
}

static const struct why_node *culprit(const void *owner, uint32_t row)
{
	return &((const struct view *)owner)->culprits.list[row];
}

static uint64_t culprit_key(const void *owner, uint32_t row)
{
	return part_key(culprit(owner, row)->kind, culprit(owner, row)->arg);
}

void latency_add_part(const struct view *v, const struct cpu_part *part, struct text *out)
{
	struct text name = { 0 };

	cpu_part_text(v->sched, part, &name);
	text_printable(out, text_str(&name), name.len);
	text_fini(&name);
}

static const void *culprit_row(const void *owner, uint32_t row, struct table_made *made)
{
	const struct view *v = owner;
	struct culprit_row *out = (struct culprit_row *)made->room;

	*out = culprits_row(&v->culprits, row, v->sched);
	return out;
}

enum role latency_part_role(const struct view *v, const struct cpu_part *part)
{
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(v->sched));
	int pid;

	if (part->kind != CPU_PART_TASK)
		return ROLE_TEXT;
	pid = (int)sched_rules_task(rules, part->arg)->pid;
	return row_pid_role(trace_comm(v->shared->trace, v->file, pid, part->from), pid);
}

static enum role culprit_name_role(const void *owner, uint32_t row, bool *is_task)
{
	struct cpu_part part = culprits_longest(culprit(owner, row));

	*is_task = part.kind == CPU_PART_TASK;
	return latency_part_role(owner, &part);
}

static const struct table_ops culprit_ops = {
	.key = culprit_key,
	.row = culprit_row,
	.name_role = culprit_name_role,
	.enter = latency_enter,
	.figure_word = "time",
	.found_word = "culprit",
};

/* --- the table ----------------------------------------------------------------------------- */

static const struct {
	const char	*row_name;
	const struct table_ops *ops;
	const struct table_columns *columns, *compare;
	int		 own;		/* table_column.own of the column that sorts it first */
} all_rows[LATENCY_NR_ROWS] = {
	[LATENCY_OF_KINDS] = { "kind", &sums_ops, &latency_kind_columns, &latency_compare_columns,
			       LATENCY_MAX },
	[LATENCY_OF_GROUPS] = { "group", &sums_ops, &latency_group_columns,
				&latency_compare_columns, LATENCY_MAX },
	[LATENCY_OF_INSTANCES] = { "instance", &instance_ops, &latency_columns, NULL,
				   LATENCY_DURATION },
	[LATENCY_OF_CULPRITS] = { "culprit", &culprit_ops, &culprit_columns, NULL, CULPRIT_TOTAL },
};

void latency_rows_init(struct view *v)
{
	for (unsigned int i = 0; i < LATENCY_NR_ROWS; i++) {
		v->orders[i][0].column = table_column_own(all_rows[i].columns, all_rows[i].own);
		/* the one of B */
		v->orders[i][1].column = table_column_own(&latency_compare_columns, LATENCY_MAX) +
					 1;
	}
	v->table = (struct table){ .owner = v, .host = v->host, .shared = v->shared,
				   .ties_stay = true, .name_least = 14, .name_most = 24 };
	latency_set_rows(v, LATENCY_OF_KINDS);
}

void latency_set_rows(struct view *v, enum latency_rows rows)
{
	struct table *table = &v->table;

	table->ops = all_rows[rows].ops;
	table->lists[0] = all_rows[rows].columns;
	table->lists[1] = all_rows[rows].compare;
	table->orders = v->orders[rows];
	table->figure = table_column_own(all_rows[rows].columns, all_rows[rows].own);
	table->margin = !all_rows[rows].compare;
	table->row_name = all_rows[rows].row_name;
	table->comparing = v->comparing && all_rows[rows].compare;
}

/*
 * The cursor begins on what made tasks late or took their time, where that took longest: tasks
 * choose to sleep, and other kinds are parts of these.  Without them it begins on the first row.
 */
static void select_first(struct view *v)
{
	for (uint32_t i = 0; i < v->table.nr; i++)
		if (v->table.rows[i] < LATENCY_SLEEP) {
			table_select(&v->table, i);
			break;
		}
	v->table.has_here = false;
}

static uint32_t nr_rows(const struct view *v, enum latency_rows rows)
{
	if (rows == LATENCY_OF_CULPRITS)
		return v->whole.result.done ? v->culprits.nr : 0;
	if (rows != LATENCY_OF_INSTANCES)
		return v->now.nr_groups;
	return latency_kind_shown(v) ? kept_of(v)->nr : 0;
}

void latency_update(struct view *v)
{
	enum latency_rows rows = latency_shown(v);
	struct table *table = &v->table;

	table->file = v->file;
	shared_spans(v->shared, v->file, table->span);
	if (rows == LATENCY_OF_KINDS || rows == LATENCY_OF_GROUPS) {
		make_sums(v, &v->now);
		make_sums(v, &v->rest);
		v->most_kind = -1;
	} else if (v->whole.result.done) {
		culprits_sort(&v->culprits);
	}
	latency_find_nested(v);
	latency_set_rows(v, rows);
	table->array_nr = nr_rows(v, rows);
	if (rows == LATENCY_OF_INSTANCES && table->array_nr && kept_of(v)->left_out)
		table->row_name = v->by == LATENCY_OPENS ? "oldest instance" : "worst instance";
	table->lacks = (v->kind == LATENCY_WAKEUP ? 0 : LATENCY_OF_WAKEUPS) |
		       (v->kind == LATENCY_CALL ? 0 : LATENCY_OF_CALLS) |
		       (latency_kinds_is_of_locks(&v->kinds, v->kind) ? 0 : LATENCY_OF_LOCKS);
	table_update(table);
	if (v->kind < 0 && !table->has_here && !table->order->inverted)
		select_first(v);
}
