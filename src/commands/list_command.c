/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_command - the command of each list_source: its lists as text, CSV and JSON. */
#include <string.h>
#include <unistd.h>

#include "src/commands/table_command.h"
#include "src/commands/table_rows.h"
#include "src/lists/sources.h"
#include "src/model/list_run.h"
#include "src/match/given_filter.h"
#include "src/sched/limits/sched_limits.h"
#include "src/trace/warnings.h"

struct list_command {
	struct table_command base;
	const struct list_source *source;
	unsigned int	list;
	struct list_run	 run;		/* owned */
	struct list_rows rows;		/* once it is read */
	struct text	 frame;		/* list_scope.frame */
};

static const struct list_source *source_of(const struct option_list *list)
{
	unsigned int i = 0;

	while (&list_sources[i]->command != list->command)
		i++;
	return list_sources[i];
}

/* "only one of --samples, --histogram and --analysis": the first list may have no option. */
static int too_many(const struct list_source *source, struct ft_error *err)
{
	bool has_first = options_by_id(&source->command, LIST_OPTION(0));
	struct text words = { 0 };
	int ret;

	for (unsigned int i = !has_first; i < source->nr; i++)
		text_printf(&words, "%s--%s",
			    !words.len          ? "" :
			    i + 1 == source->nr ? " and " :
						  ", ",
			    options_by_id(&source->command, LIST_OPTION(i))->name);
	ret = ft_error_set(err, FT_E_USAGE, -1, "only one of %s", text_str(&words));
	text_fini(&words);
	return ret;
}

static int choose_list(struct list_command *c, const struct option_list *list, struct ft_error *err)
{
	bool any = false;

	for (unsigned int i = 0; i < list->nr; i++) {
		int chosen = list->values[i].id - LIST_OPTION(0);

		if (chosen < 0 || chosen >= (int)c->source->nr)
			continue;
		if (any && c->list != (unsigned int)chosen)
			return too_many(c->source, err);
		c->list = (unsigned int)chosen;
		any = true;
	}
	return 0;
}

/* The row's own place, or that of what Enter on it shows. */
static bool find_place(void *arg, const struct table_column *column, const void *row,
		       struct list_place *place)
{
	const struct list_command *c = arg;
	const struct list_source *source = c->source;
	struct list_step step;

	if (source->origin)
		return source->origin(c->run.model, c->list, row, column, place);
	if (source->place && source->place(c->run.model, c->list, row, false, place) &&
	    place->is_moment)
		return true;
	if (!source->enter)
		return false;
	step = source->enter(c->run.model, c->list, row);
	*place = step.place;
	if (step.to == LIST_TO_LIST && step.has_key) {
		struct list_rows of = source->rows(c->run.model, step.list, 0);
		const char *at = of.array;
		uint32_t i = 0;

		while (i < of.nr && source->lists[step.list].key(at + i * of.bytes) != step.key)
			i++;
		return i < of.nr &&
		       source->place(c->run.model, step.list, at + i * of.bytes, false, place);
	}
	return step.to == LIST_TO_EVENTS;
}

static bool find_bounds(void *arg, const struct table_column *column, const void *row,
			double *least, double *most)
{
	const struct list_command *c = arg;

	return c->source->bounds &&
	       c->source->bounds(c->run.model, c->list, row, column, least, most);
}

static const void *row_at(void *arg, uint64_t i)
{
	const struct list_command *c = arg;

	return c->rows.at(c->run.model, i);
}

static int print(struct list_command *c, bool *any, struct ft_error *err)
{
	struct table_command *b = &c->base;
	const struct list_rows *of = &c->rows;
	struct table_columns columns = *of->columns;
	const struct table_rows rows = { .columns = &columns, .array = of->array,
					 .bytes = of->bytes, .at = row_at, .nr = of->nr, .arg = c,
					 .place = find_place, .bounds = find_bounds,
					 .clock = columns.in_ns ? NULL : b->clock,
					 .step = columns.in_ns ? 1 : trace_resolution(b->trace),
					 .lacks = of->is_partial };
	struct output out;
	int printed = 0;

	if (c->source->print && !b->file->taker) {
		output_init(&out, STDOUT_FILENO);
		printed = c->source->print(c->run.model, c->list, &out.block, err);
		if (printed)
			*any = true;
		if (printed > 0)
			return row_picker_end(&b->picker, &out, 0, err);
		text_fini(&out.block);
	}
	if (printed < 0)
		return -1;
	if (b->given.format == FORMAT_TEXT)	/* only what was recorded */
		columns.lacks |= of->lacks;
	if (of->is_head)
		b->picker.most = UINT64_MAX;
	return table_rows_print(&rows, b->file, &b->given, &b->picker, any, err);
}

static int run(struct list_command *c, struct ft_error *err)
{
	const struct list_source *source = c->source;
	struct table_command *b = &c->base;
	struct list_scope scope = {
		.trace = b->trace,
		.what = table_command_sweep(b),
		.options = b->file->list,
		.frame = c->frame.len ? text_str(&c->frame) : NULL,
		.given = &b->given,
		.words = "",
		.list = c->list,
		.is_checked = b->file->taker != NULL,
		.all_columns = b->given.format != FORMAT_TEXT || b->file->taker,
		.same_columns = (b->file->nr > 1 || b->file->taker) &&
				b->given.format == FORMAT_CSV,
	};
	const struct list_rows *rows = &c->rows;
	bool any = false;
	int8_t sign;

	scope.what.only_range = b->file->window;
	/* the names of tasks, which events there are, and who was in which cgroup */
	if (!source->unindexed || sched_limits_are_told(b->trace, scope.what.file))
		table_command_wait(b);
	if (list_run_all(&c->run, source, &scope, err)) {
		if (c->run.model)	/* without such a task, that is why */
			table_command_check_tasks(b, err);
		return -1;
	}
	if (table_command_check_filter(b, err))
		return -1;
	c->rows = source->rows(c->run.model, c->list, 0);
	if (!rows->nr && table_command_check_tasks(b, err))
		return -1;
	if (b->given.sort &&
	    !table_out_sorted_by(rows->columns, b->given.format, b->given.sort, &sign, err))
		return -1;
	if (!rows->nr && !rows->is_unrecorded)
		table_command_wait(b);
	/* what was not recorded has no titles */
	if (rows->nr || rows->columns->bare || b->given.format != FORMAT_TEXT || b->picker.count ||
			    (!rows->is_unrecorded &&
			     source->find(b->trace, &scope.what.file, &scope.variant, false)) ?
		    print(c, &any, err) :
		    command_file_name_line(b->file, &b->given, err))
		return -1;
	if (!table_command_tell_rows(b, rows->damaged))
		source->tell(c->run.model, c->list,
			     any || (!rows->nr && b->filter &&
				     given_filter_tell_empty(b->trace, b->filter, false)));
	return 0;
}

int list_command(const struct command_file *file, struct ft_error *err)
{
	struct list_command c = { .source = source_of(file->list) };
	int ret = table_command_init(&c.base, file, err);

	if (!ret)
		ret = choose_list(&c, file->list, err);
	if (!ret && !c.source->picks_tasks)
		ret = filter_given_add_part(&c.base.given, false, err);
	if (!ret)
		ret = table_command_bind(&c.base, err);
	command_file_frame(file, &c.frame);
	if (!ret)
		ret = run(&c, err);
	list_run_end(&c.run);
	text_fini(&c.frame);
	table_command_fini(&c.base);
	return ret;
}
