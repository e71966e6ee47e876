/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions - the calls of a function_graph trace by function: total and self time.
 */
#include <inttypes.h>

#include "src/base/text.h"
#include "src/calls/call_tell.h"
#include "src/functions/function_columns.h"
#include "src/functions/function_table.h"
#include "src/commands/command_open.h"
#include "src/commands/commands.h"
#include "src/commands/scope.h"
#include "src/commands/table_rows.h"
#include "src/trace/warnings.h"
#include "src/trace/trace.h"

enum { OPT_FOLDED, OPT_BY };

/* Calls do not tell the scheduling class. */
#define GROUPINGS_OF_CALLS	"process|cgroup|name|user"

const struct command_def cmd_functions_def = {
	.name = "functions",
	.operands = "[FILE...]",
	.summary = "calls of a trace by function: number, total, self and net time",
	.details = "One row for each function, the largest total first (--sort). Times are in us\n"
		   "(--unit). A call counts if its exit (the entry, if it has no exit) is\n"
		   "selected. Calls are always paired over the whole trace.\n"
		   "  total    time of calls that are not within a call of the same function\n"
		   "  self     time without the calls in them and without time off the CPU\n"
		   "  net      total without interrupts and without time off the CPU\n"
		   "  open     entries without exit: lost, or still running at the end\n"
		   "  orphan   exits without entry; they count as calls, and their durations\n"
		   "           are exact\n"
		   "  doubtful calls with missing records, and orphans: their durations\n"
		   "           count, but they have no self and no net\n"
		   "Time off the CPU is known only if sched_switch was recorded too, with the\n"
		   "clock local. Otherwise there is no net, and self contains time off the CPU:\n"
		   "it is headed " GRAPH_SELF_AND_AWAY ". A trace of the tracer function has no times, only numbers of\n"
		   "calls and inferred stacks (see ftop-trace graph).\n\n"
		   "--by prints a row for each function and group of tasks: those of a process,\n"
		   "a cgroup, a name without its numbers, or a user, as it was when the call\n"
		   "ended. The rows of a function add up to its row without --by. What the trace\n"
		   "does not tell is the group \"not known\".",
	.word_means = "-F 'func == %s'",
	.examples = "Functions by the time that they worked, in ms:\n"
		    "  ftop-trace functions --sort=net --unit=ms --head=20",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ "folded", 0, NULL, OPT_FOLDED,
		  "print stacks with self times in ns, for flamegraph.pl; numbers of calls for the tracer function" },
		{ "by", 0, GROUPINGS_OF_CALLS, OPT_BY,
		  "count the calls of each group of tasks apart" },
		PART_OPTIONS("of a call, its exit has to be there and to match (the entry, if there is no exit)"),
		TABLE_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

/* --- stacks ------------------------------------------------------------------------------- */

struct folded {
	const struct function_table *table;
	const struct command_file *file;	/* its name is the outermost frame; or NULL */
	struct trace	*trace;
	struct function_stack_row {
		const char	*stack;
		uint64_t	 value;		/* self time, or calls if there are no times */
	}		 row;
	struct text	 stack;		/* the row's stack */
};

/* "do_syscall_64;ksys_read;vfs_read 12345" */
static const struct table_column folded_columns[] = {
	{ "stack", "stack", .width = 1, .align = TABLE_LEFT,
	  TABLE_MEMBER(struct function_stack_row, stack) },
	{ "value", "value", .width = 1, .kind = TABLE_COUNT,
	  TABLE_MEMBER(struct function_stack_row, value) },
};

static const struct table_columns folded = { TABLE_COLUMNS(folded_columns), .gap = 1,
					     .bare = true };

static const void *folded_at(void *arg, uint64_t i)
{
	struct folded *f = arg;
	const struct call_paths *paths = f->table->paths;
	const struct call_path *path = call_paths_at(paths, (uint32_t)i + 1);

	f->row.value = f->table->inferred ? path->calls : path->self;
	if (!f->row.value)
		return NULL;
	text_clear(&f->stack);
	if (f->file)
		command_file_frame(f->file, &f->stack);
	call_paths_folded(paths, (uint32_t)i + 1, call_paths_frame, f->trace, &f->stack);
	f->row.stack = text_str(&f->stack);
	return &f->row;
}

static int print_folded(struct trace *trace, const struct function_table *table,
			const struct command_file *file, const struct filter_given *given,
			struct row_picker *picker, struct ft_error *err)
{
	struct folded f = { .table = table, .trace = trace,
			    .file = given->format == FORMAT_TEXT ? file : NULL };
	const struct table_rows rows = { .columns = &folded, .nr = call_paths_nr(table->paths) - 1,
					 .at = folded_at, .arg = &f };
	int ret = table_rows_print(&rows, file, given, picker, NULL, err);

	text_fini(&f.stack);
	return ret;
}

/* Notes on stderr what the figures do not show. */
static void tell(struct trace *trace, const struct function_table *table,
		 const struct graph_scope *scope)
{
	call_tell(trace, scope,
		  (struct call_told){ .any = table->nr, .inferred = table->inferred,
				      .has_away = table->has_away });
	if (table->left_out)
		warnings_tell("the trace has function_graph records too, so %" PRIu64
			      " records of the tracer function are not counted",
			      table->left_out);
	if (table->paths && !call_paths_are_whole(table->paths))
		warnings_tell("too many different stacks: the rarest ones are truncated");
	else if (table->paths && call_paths_too_deep(table->paths))
		warnings_tell("stacks of more than %u calls are truncated", CALL_PATH_LEVELS);
	else if (!table->exact)
		warnings_tell("too many durations: percentiles are rounded to about 3 digits");
	warnings_show(trace, table->damaged);
}

struct parsed {
	struct filter_given	given;
	bool			folded;
	enum grouping		by;
};

static int parse_by(struct parsed *p, const char *option, struct ft_error *err)
{
	p->by = grouping_find(option, err);
	if (p->by == GROUPING_CLASS)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--by=class: calls do not tell it; one of %s",
				    GROUPINGS_OF_CALLS);
	return p->by ? 0 : -1;
}

static int parse_options(const struct option_list *list, struct parsed *p, struct ft_error *err)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		int taken = filter_option(&p->given, &list->values[i], err);

		if (taken < 0)
			return -1;
		if (taken)
			continue;
		p->folded |= list->values[i].id == OPT_FOLDED;
		if (list->values[i].id == OPT_BY && parse_by(p, list->values[i].value, err))
			return -1;
	}
	if (p->folded && p->by)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--by prints a table: it cannot be given with --folded");
	return 0;
}

static bool find_place(void *arg, const struct table_column *column, const void *row,
		       struct list_place *place)
{
	const struct function_row *function = row;
	struct trace_event event;

	*place = (struct list_place){ .is_moment = true };
	if (column->bound == TABLE_AT_MOST ||
	    !function_longest(arg, 0, function->total, &event, &place->ts))
		return false;
	place->to = event.ts;
	place->pid = event.pid;
	place->cpu = event.cpu;
	return true;
}

static int print_table(struct trace *trace, struct function_table *table,
		       const struct command_file *file, const struct parsed *p,
		       struct row_picker *picker, struct ft_error *err)
{
	struct table_columns columns = p->by ? function_group_columns(p->by) : function_columns;
	const struct table_rows rows = { .columns = &columns, .nr = table->nr,
					 .array = table->rows, .bytes = sizeof(*table->rows),
					 .arg = trace, .place = find_place };

	if (!table->has_away && !table->inferred)
		columns.lacks = FUNCTION_NEEDS_AWAY;
	return table_rows_print(&rows, file, &p->given, picker, NULL, err);
}

static int run_trace(struct trace *trace, const struct command_file *file, const struct parsed *p,
		     struct row_picker *picker, struct ft_error *err)
{
	struct function_table *table;
	struct graph_scope scope;
	bool all;
	int ret;

	if (scope_init(&scope, &all, trace, &p->given, err))
		return -1;
	table = p->by ? function_table_grouped(trace, 0, all ? NULL : &scope, p->by) :
			function_table_new(trace, 0, all ? NULL : &scope, p->folded, NULL);
	ret = scope_check(&scope, trace, &p->given, table->nr, err);
	if (!ret)
		ret = p->folded ? print_folded(trace, table, file, &p->given, picker, err) :
				  print_table(trace, table, file, p, picker, err);
	if (!ret) {
		row_picker_tell(picker);
		tell(trace, table, all ? NULL : &scope);
	}
	function_table_free(table);
	scope_fini(&scope);
	return ret;
}

int cmd_functions(const struct command_file *file, struct ft_error *err)
{
	struct parsed p = { 0 };
	struct row_picker picker = { 0 };
	struct trace *trace;
	int ret = -1;

	p.given.several = command_file_is_part(file);
	if (!parse_options(file->list, &p, err) && !row_picker_init(&picker, &p.given, err)) {
		trace = command_open(file, !p.by && !scope_needs_names(&p.given), err);
		if (trace)
			ret = run_trace(trace, file, &p, &picker, err);
		command_close(file, trace);
	}
	row_picker_fini(&picker);
	filter_given_fini(&p.given);
	return ret;
}
