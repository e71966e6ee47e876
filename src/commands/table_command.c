/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/table_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/commands/table_rows.h"
#include "src/filter/filter_pattern.h"
#include "src/report/report_filter.h"
#include "src/trace/warnings.h"
#include "src/trace/time_option.h"

static int add_task(struct table_command *c, const char *text, struct ft_error *err)
{
	struct filter_error wrong = { 0 };
	struct chosen_task *chosen;
	bool ok;

	mem_grow(&c->tasks, c->nr_tasks, &c->cap_tasks);
	chosen = &c->tasks[c->nr_tasks++];
	*chosen = (struct chosen_task){ .text = text, .name = mem_alloc(sizeof(*chosen->name)) };
	ok = filter_pattern_init(chosen->name, FILTER_PATTERN_GLOB, text, strlen(text), false, 0,
				 strlen(text), &wrong);
	if (!ok)
		ft_error_set(err, FT_E_USAGE, -1, "--task %s: %s", text, text_str(&wrong.message));
	text_fini(&wrong.message);
	if (!c->scratch)
		c->scratch = filter_scratch_new();
	return ok ? 0 : -1;
}

bool table_command_names(const struct table_command *c, unsigned int i, uint32_t pid,
			 const char *comm)
{
	const struct chosen_task *chosen = &c->tasks[i];
	const char *dash = strrchr(chosen->text, '-');
	char number[16];

	snprintf(number, sizeof(number), "%" PRIu32, pid);
	if (!strcmp(chosen->text, number) ||
	    filter_pattern_test(chosen->name, c->scratch, comm, strlen(comm)))
		return true;
	return dash && !strcmp(dash + 1, number) && strlen(comm) == (size_t)(dash - chosen->text) &&
	       !strncmp(comm, chosen->text, strlen(comm));
}

bool table_command_wants(const void *command, uint32_t pid, const char *comm)
{
	const struct table_command *c = command;

	for (unsigned int i = 0; i < c->nr_tasks; i++)
		if (table_command_names(c, i, pid, comm))
			return true;
	return !c->nr_tasks;
}

static int set_option(struct table_command *c, const struct option_value *v, struct ft_error *err)
{
	if (filter_option(&c->given, v, err) < 0)
		return -1;
	return v->id == FILTER_OPTION_TASK ? add_task(c, v->value, err) : 0;
}

struct known_task {
	const struct table_command *c;
	bool		any;
};

static void see_name(void *arg, int pid, const char *name)
{
	struct known_task *known = arg;

	known->any |= table_command_wants(known->c, (uint32_t)pid, name);
}

int table_command_check_tasks(struct table_command *c, struct ft_error *err)
{
	uint32_t nr = c->pass ? sched_rules_nr_tasks(sched_pass_rules(c->pass)) : 0;
	struct known_task known = { .c = c, .any = !c->nr_tasks || c->file->nr > 1 };

	for (uint32_t i = 0; i < nr && !known.any; i++)
		see_name(&known, (int)sched_rules_task(sched_pass_rules(c->pass), i)->pid,
			 sched_pass_comm(c->pass, i));
	if (known.any)
		return 0;
	trace_hold(c->trace, -1);
	trace_wait(c->trace);		/* the names */
	trace_comms(c->trace, 0, see_name, &known);
	if (known.any)
		return 0;
	return ft_error_set(err, FT_E_USAGE, -1, "--task %s%s: the trace has no such task",
			    c->tasks[0].text, c->nr_tasks > 1 ? ", …" : "");
}

int table_command_init(struct table_command *c, const struct command_file *file,
		       struct ft_error *err)
{
	*c = (struct table_command){ .file = file };
	for (unsigned int i = 0; i < file->list->nr; i++)
		if (set_option(c, &file->list->values[i], err))
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
	if (file->nr > 1)
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
	c->filter = report_filter_bind(c->trace, c->given.sources, c->given.nr, c->given.compat,
				       err);
	return c->filter ? 0 : -1;
}

struct time_range table_command_range(const struct table_command *c)
{
	return (struct time_range){ c->has_from || c->has_to, c->has_from ? c->from_ts : INT64_MIN,
				    c->has_to ? c->to_ts : INT64_MAX };
}

int table_command_run(struct table_command *c, struct sched_pass_options options,
		      struct ft_error *err)
{
	options.filters = &c->filter;
	options.nr_filters = c->filter != NULL;
	options.range = table_command_range(c);
	options.workers = trace_workers(c->trace);
	c->pass = c->own = sched_pass_new(c->trace, &options);
	return sched_pass_run(c->own, err) || table_command_check_tasks(c, err) ?
		       -1 :
		       table_command_keep(c, err);
}

int table_command_full(const struct table_command *c, struct ft_error *err)
{
	return ft_error_set(err, FT_E_LIMIT, -1, "%s: more than %u tasks, the limit of the kernel",
			    trace_path(c->trace, 0), SCHED_MAX_TASKS);
}

int table_command_model(struct table_command *c, struct ft_error *err)
{
	c->model = sched_new(c->trace, 0, 0);
	sched_wait(c->model);
	trace_hold(c->trace, -1);
	trace_wait(c->trace);
	sched_lock(c->model);
	c->pass = sched_pass_of(c->model);
	return sched_progress(c->model).failed ? table_command_full(c, err) : 0;
}

int table_command_keep(struct table_command *c, struct ft_error *err)
{
	if (!c->given.nr)
		return 0;
	c->keep = sched_keep_new(c->trace, 0, sched_pass_buffer(c->pass), &c->given, err);
	return c->keep ? 0 : -1;
}

struct event_sweep_options table_command_sweep(const struct table_command *c)
{
	return (struct event_sweep_options){
		.range = table_command_range(c),
		.only = c->given.cpus,
		.nr_only = FILTER_OPTION_CPUS,
		.filters = &c->filter,
		.nr_filters = c->filter != NULL,
	};
}

int table_command_print(struct table_command *c, const struct table_columns *columns, uint64_t nr,
			const void *(*at)(void *arg, uint64_t i), void *arg, struct ft_error *err)
{
	const struct table_rows rows = { .columns = columns, .nr = nr, .at = at, .arg = arg,
					 .clock = c->clock, .step = trace_resolution(c->trace) };

	return table_rows_print(&rows, c->file, &c->given, &c->picker, &c->has_rows, err);
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
	return time_option_tell_outside(c->trace, c->has_from, c->from_ts, c->has_to, c->to_ts);
}

void table_command_tell(const struct table_command *c)
{
	struct sched_feed_totals totals = sched_pass_totals(c->pass);

	table_command_tell_rows(c, totals.damaged);
	if (!totals.sched_records)
		warnings_tell(
			"the trace has no sched events%s; to record them: "
			"ftop-trace record -e sched_switch -e sched_waking -e sched_wakeup -e sched_wakeup_new COMMAND",
			sched_pass_is_seen(c->pass) ? ", so CPUs show the task of each event" : "");
	else if (!totals.switches)
		warnings_tell(
			"the trace has no sched_switch events: who ran, and for how long, is unknown%s",
			sched_pass_is_seen(c->pass) ? "; CPUs show the task of each event" : "");
	else if (!totals.wakes)
		warnings_tell(SCHED_LACKS_WAKES "; to record them: -e sched_waking");
	if (c->keep)
		/* where events count for others than they are of, too */
		sched_keep_tell(c->keep, c->filter && c->has_rows);
	if (totals.sched_records && !c->has_rows && (c->nr_tasks || c->given.cpus))
		warnings_tell("%s%s%s: the trace has no sched events of %s",
			      c->nr_tasks ? "--task" : "",
			      c->nr_tasks && c->given.cpus ? " and " : "",
			      c->given.cpus ? "--cpu" : "",
			      c->nr_tasks ? "this task" : "these CPUs");
}

void table_command_fini(struct table_command *c)
{
	sched_keep_free(c->keep);
	sched_pass_free(c->own);
	if (c->model)
		sched_unlock(c->model);
	sched_free(c->model);
	filter_free((struct filter *)c->filter);
	trace_close(c->trace);
	for (unsigned int i = 0; i < c->nr_tasks; i++) {
		filter_pattern_fini(c->tasks[i].name);
		free(c->tasks[i].name);
	}
	filter_scratch_free(c->scratch);
	free(c->tasks);
	filter_given_fini(&c->given);
	row_picker_fini(&c->picker);
}
