/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/table_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/commands/table_rows.h"
#include "src/match/given_filter.h"
#include "src/sched/sched_tell.h"
#include "src/trace/warnings.h"
#include "src/trace/time_option.h"

static bool wants(const struct table_command *c, uint32_t pid, const char *comm)
{
	return filter_given_wants(&c->given, pid, comm);
}

int table_command_check_tasks(struct table_command *c, struct ft_error *err)
{
	uint32_t nr = c->pass ? sched_rules_nr_tasks(sched_pass_rules(c->pass)) : 0;

	if (c->file->nr > 1 || c->file->taker)
		return 0;		/* another one may have it */
	for (uint32_t i = 0; i < nr; i++)
		if (wants(c, sched_rules_task(sched_pass_rules(c->pass), i)->pid,
			  sched_pass_comm(c->pass, i)))
			return 0;
	return given_filter_check_tasks(c->trace, &c->given, err);
}

int table_command_init(struct table_command *c, const struct command_file *file,
		       struct ft_error *err)
{
	*c = (struct table_command){ .file = file };
	for (unsigned int i = 0; i < file->list->nr; i++)
		if (filter_option(&c->given, &file->list->values[i], err) < 0)
			return -1;
	if (row_picker_init(&c->picker, &c->given, err))
		return -1;
	c->trace = command_open(file, true, err);
	if (!c->trace)
		return -1;
	c->clock = trace_unit(c->trace) == TRACE_UNIT_COUNT ? trace_clock(c->trace) : NULL;
	c->has_from = c->given.from;
	c->has_to = c->given.to;
	if (time_option_range(c->trace, c->given.from, c->given.to, &c->from_ts, &c->to_ts, err))
		return -1;
	if (command_file_is_part(file))
		return 0;		/* some may not have what the options select */
	return filter_option_check_cpus(c->given.cpus, c->trace, err) ||
			       time_option_check(c->trace, c->has_from, c->from_ts, c->has_to,
						 c->to_ts, err) ?
		       -1 :
		       0;
}

int table_command_bind(struct table_command *c, struct ft_error *err)
{
	if (!c->given.nr)
		return 0;
	c->filter = given_filter_bind(c->trace, c->given.sources, c->given.nr, c->given.compat,
				      err);
	return c->filter ? 0 : -1;
}

void table_command_wait(struct table_command *c)
{
	trace_wait_all(c->trace);
}

int table_command_model(struct table_command *c, struct ft_error *err)
{
	c->model = sched_new(c->trace, 0, 0);
	sched_wait(c->model);
	table_command_wait(c);
	sched_lock(c->model);
	c->pass = sched_pass_of(c->model);
	return sched_progress(c->model).failed ? sched_tell_full(c->trace, 0, err) : 0;
}

void table_command_keep(struct table_command *c)
{
	if (!c->filter)
		return;
	kept_tasks_begin(&c->kept, c->trace, 0, sched_pass_buffer(c->pass), &c->filter, 1);
	kept_tasks_take(&c->kept, true);
}

bool table_command_keeps(const struct table_command *c, enum event_counts_by by, int key)
{
	return !c->filter || kept_tasks_has(&c->kept, by, key);
}

int table_command_check_filter(const struct table_command *c, struct ft_error *err)
{
	return c->filter ? filter_check(c->filter, err) : 0;
}

/* The times given by --from and --to. */
static struct time_range range_of(const struct table_command *c)
{
	return (struct time_range){ c->has_from || c->has_to, c->has_from ? c->from_ts : INT64_MIN,
				    c->has_to ? c->to_ts : INT64_MAX };
}

struct event_sweep_options table_command_sweep(const struct table_command *c)
{
	return (struct event_sweep_options){
		.range = range_of(c),
		.only = c->given.cpus,
		.nr_only = FILTER_OPTION_CPUS,
		.filters = &c->filter,
		.nr_filters = c->filter != NULL,
	};
}

int table_command_row(struct table_command *c, struct table_out *table, const void *row,
		      struct output *out, struct ft_error *err)
{
	size_t start = out->block.len;

	c->has_rows = true;
	table_out_row(table, row, &out->block);
	if (!row_picker_row(&c->picker, &out->block, start))
		return 0;
	return output_more(out, err);
}

bool table_command_tell_rows(const struct table_command *c, uint64_t damaged)
{
	row_picker_tell(&c->picker);
	warnings_show(c->trace, damaged);
	if (c->filter && filter_trouble(c->filter))
		warnings_tell("%s", filter_trouble(c->filter));
	return time_option_tell_outside(c->trace, c->has_from, c->from_ts, c->has_to, c->to_ts);
}

void table_command_tell_kept(struct table_command *c)
{
	if (!c->kept.counts)
		table_command_keep(c);
	if (c->filter && !kept_tasks_any(&c->kept) &&
	    !given_filter_tell_empty(c->trace, c->filter, false))
		warnings_tell("nothing matches");
}

void table_command_tell(struct table_command *c)
{
	table_command_tell_rows(c, sched_pass_totals(c->pass).damaged);
	if (!c->has_rows)		/* a row may also count events of other tasks */
		table_command_tell_kept(c);
	sched_tell(c->pass, &c->given, c->has_rows);
}

void table_command_fini(struct table_command *c)
{
	kept_tasks_fini(&c->kept);
	if (c->model)
		sched_unlock(c->model);
	sched_free(c->model);
	filter_free((struct filter *)c->filter);
	command_close(c->file, c->trace);
	filter_given_fini(&c->given);
	row_picker_fini(&c->picker);
}
