/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions_lists - the calls of a trace by function, or by stack, as a list_source. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/calls/call_tell.h"
#include "src/functions/function_columns.h"
#include "src/functions/function_table.h"
#include "src/match/given_filter.h"
#include "src/model/list_source.h"
#include "src/trace/warnings.h"

enum { OPT_FOLDED = LIST_OWN, OPT_BY };

/* Calls do not tell the scheduling class. */
#define GROUPINGS_OF_CALLS	"process|cgroup|name|user"

struct functions_lists {
	struct trace	*trace;		/* borrowed */
	unsigned int	 file;
	bool		 folded;	/* rows are stacks */
	enum grouping	 by;
	const char	*outermost;	/* borrowed: "a.dat;" above all frames; NULL: nothing */
	struct graph_scope scope;	/* its filters are borrowed, except for: */
	const struct filter *of_tasks;	/* owned: of --task; NULL: none */
	bool		 all;		/* nothing is selected: all calls count */
	struct function_table *table;	/* owned */
	struct table_columns columns;
	struct function_stack *stacks;	/* owned, [nr_stacks] */
	uint32_t	 nr_stacks;
};

static bool has_calls(struct trace *trace, unsigned int file)
{
	unsigned int buffer;

	return graph_has_calls(trace, file, &buffer);
}

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	*variant = 0;
	return list_find_file(trace, file, next, has_calls);
}

static int read_by(struct functions_lists *m, const char *word, struct ft_error *err)
{
	m->by = grouping_find(word, err);
	if (m->by == GROUPING_CLASS)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--by=class: calls do not tell it; one of %s",
				    GROUPINGS_OF_CALLS);
	return m->by ? 0 : -1;
}

static int read_options(struct functions_lists *m, const struct option_list *list,
			struct ft_error *err)
{
	for (unsigned int i = 0; list && i < list->nr; i++) {
		m->folded |= list->values[i].id == OPT_FOLDED;
		if (list->values[i].id == OPT_BY && read_by(m, list->values[i].value, err))
			return -1;
	}
	if (m->folded && m->by)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--by prints a table: it cannot be given with --folded");
	return 0;
}

/* Which calls count: those whose exit is selected. */
static int select_calls(struct functions_lists *m, const struct list_scope *scope,
			struct ft_error *err)
{
	const struct event_sweep_options *what = &scope->what;
	struct graph_scope *s = &m->scope;

	*s = (struct graph_scope){
		.has_from = what->range.set && what->range.from != INT64_MIN,
		.has_to = what->range.set && what->range.to != INT64_MAX,
		.from = what->range.from,
		.to = what->range.to,
		.cpus = what->only,
		.nr_cpus = what->nr_only,
	};
	for (unsigned int i = 0; i < what->nr_filters; i++)
		s->filters[s->nr_filters++] = what->filters[i];
	if (scope->given && given_filter_bind_tasks(m->trace, scope->given, &m->of_tasks, err))
		return -1;
	if (m->of_tasks)
		s->filters[s->nr_filters++] = m->of_tasks;
	m->all = !s->has_from && !s->has_to && !s->cpus && !s->nr_filters;
	return 0;
}

static void end(void *model)
{
	struct functions_lists *m = model;

	function_table_free(m->table);
	filter_free((struct filter *)m->of_tasks);
	free(m->stacks);
	free(m);
}

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct functions_lists *m = mem_alloc(sizeof(*m));

	m->trace = scope->trace;
	m->file = scope->what.file;
	if (read_options(m, scope->options, err) || select_calls(m, scope, err)) {
		end(m);
		return NULL;
	}
	if (scope->given && scope->given->format == FORMAT_TEXT)
		m->outermost = scope->frame;
	if (m->by || scope->what.nr_filters)
		trace_wait_all(m->trace);
	return m;
}

/* --- stacks ----------------------------------------------------------------------------------- */

struct function_stack {
	const struct functions_lists *of;	/* borrowed */
	uint32_t	path;
	uint64_t	value;		/* self time, or calls if there are no times */
};

static void add_stack(const void *arg, struct text *out)
{
	const struct function_stack *row = arg;

	if (row->of->outermost)
		text_add(out, row->of->outermost);
	call_paths_folded(row->of->table->paths, row->path, call_paths_frame, row->of->trace, out);
}

/* "do_syscall_64;ksys_read;vfs_read 12345" */
static const struct table_column stack_columns[] = {
	{ "stack", "stack", .width = 1, .align = TABLE_LEFT, .text = add_stack },
	{ "value", "value", .width = 1, .kind = TABLE_COUNT,
	  TABLE_MEMBER(struct function_stack, value) },
};

static void make_stacks(struct functions_lists *m)
{
	uint32_t nr = call_paths_nr(m->table->paths);

	m->stacks = mem_array(nr, sizeof(*m->stacks));
	for (uint32_t i = CALL_PATH_ROOT + 1; i < nr; i++) {
		const struct call_path *path = call_paths_at(m->table->paths, i);
		uint64_t value = m->table->inferred ? path->calls : path->self;

		if (value)
			m->stacks[m->nr_stacks++] = (struct function_stack){ m, i, value };
	}
}

/* --- rows ------------------------------------------------------------------------------------- */

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct functions_lists *m = model;
	const struct graph_scope *scope = m->all ? NULL : &m->scope;

	(void)wait;
	(void)err;
	m->table = m->by ? function_table_grouped(m->trace, m->file, scope, m->by) :
			   function_table_new(m->trace, m->file, scope, m->folded, NULL);
	if (m->folded)
		make_stacks(m);
	m->columns = m->folded ? (struct table_columns){ TABLE_COLUMNS(stack_columns), .gap = 1,
							 .bare = true, .in_ns = true } :
		     m->by     ? function_group_columns(m->by) :
				 function_columns;
	if (!m->table->has_away && !m->table->inferred)
		m->columns.lacks = FUNCTION_NEEDS_AWAY;
	if (!m->table->nr && scope)	/* has the trace any? */
		trace_wait_all(m->trace);
	if (permille)
		*permille = 1000;
	return LIST_DONE;
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	const struct functions_lists *m = model;

	(void)list;
	(void)by;
	return (struct list_rows){
		.columns = &m->columns,
		.array = m->folded ? (void *)m->stacks : m->table->rows,
		.bytes = m->folded ? sizeof(*m->stacks) : sizeof(*m->table->rows),
		.nr = m->folded ? m->nr_stacks : m->table->nr,
		.command = "functions",
		.is_unrecorded = m->all && !m->table->nr,
		.damaged = m->table->damaged,
	};
}

/* The longest call. */
static bool origin(const void *model, unsigned int list, const void *row,
		   const struct table_column *column, struct list_place *place)
{
	const struct functions_lists *m = model;
	const struct function_row *function = row;
	struct trace_event event;

	(void)list;
	*place = (struct list_place){ .is_moment = true };
	if (m->folded || column->bound == TABLE_AT_MOST ||
	    !function_longest(m->trace, m->file, function->total, &event, &place->ts))
		return false;
	place->to = event.ts;
	place->pid = event.pid;
	place->cpu = event.cpu;
	return true;
}

static void tell(const void *model, unsigned int list, bool any)
{
	const struct functions_lists *m = model;
	const struct function_table *table = m->table;
	uint64_t self = 0, idle = 0;

	(void)list;
	if (table->nr || !any)
		call_tell(m->trace, m->all ? NULL : &m->scope,
			  (struct call_told){ .any = table->nr, .inferred = table->inferred,
					      .has_away = table->has_away,
					      .has_irqs = table->has_irqs,
					      .gap_cut = function_table_has_gap_cut(
						      table, m->trace, m->file) });
	for (unsigned int i = 0; i < table->nr; i++) {
		self += table->rows[i].total->self;
		idle += table->rows[i].total->idle_self;
	}
	if (idle > self / 10)
		warnings_tell("%" PRIu64 " us of self time are of the idle tasks' own calls, which "
			      "are no work",
			      idle / 1000);
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
}

/* --- comparing -------------------------------------------------------------------------------- */

static void compare(void *model, unsigned int list, struct diff *diff, unsigned int side)
{
	const struct functions_lists *m = model;

	(void)list;
	diff->has_net[side] = m->table->has_away;
	for (unsigned int i = 0; i < m->table->nr; i++)
		function_add_to(diff_side(diff, m->table->rows[i].name, side),
				m->table->rows[i].total);
}

/* --- the source ------------------------------------------------------------------------------- */

static const struct list_def lists[] = {
	{ "function" },
};

static const struct list_keys keys[] = {
	{ "functions", "A function.", .columns = &function_columns },
	{ 0 },
};

const struct list_source functions_list_source = {
	.title = "Functions",
	.command = {
		.name = "functions",
		.operands = "[FILE...]",
		.summary = "calls of a trace by function: number, total, self and net time",
		.is_main = true,
		.details = "Each row is a function, the largest total first (--sort). Times are in us\n"
			   "(--unit). A call counts if its exit is selected, or its entry if it has no exit.\n"
			   "Calls are always paired over the whole trace.\n"
			   "  total    time of calls that are not within a call of the same function\n"
			   "  self     time without the calls in it and without time off the CPU\n"
			   "  net      total without recorded interrupts (their functions, or events\n"
			   "           such as irq_handler_entry) and without time off the CPU\n"
			   "  open     entries without exit: lost, running at the end, or of calls\n"
			   "           that never return, such as do_exit\n"
			   "  orphan   exits without entry; they count as calls, and their durations\n"
			   "           are exact\n"
			   "  doubtful calls with missing records, and orphans: their durations\n"
			   "           count, but they have no self and no net\n"
			   "A call has no net either if an event in it shows an interrupt that was not\n"
			   "recorded: the net of a function is that of its other calls.\n"
			   "With tracing_thresh, no call has an entry. None is lost, so nothing is an orphan.\n"
			   "The time off the CPU is known only if sched_switch was recorded as well, with the\n"
			   "clock local. Otherwise there is no net, and self contains the time off the CPU:\n"
			   "its heading is " GRAPH_SELF_AND_AWAY ". A trace of the tracer function has no times, only numbers\n"
			   "of calls and inferred stacks (see ftop-trace graph).\n\n"
			   "--by prints a row for each function and group of tasks: of a process, of a\n"
			   "cgroup, of a name without its numbers, or of a user, at the time when the call\n"
			   "ended. The rows of a function add up to its row without --by. Tasks whose group\n"
			   "the trace does not show are in the group \"not known\". Interrupts, with the\n"
			   "softirqs that they run, are of no task that they hit: they are the group\n"
			   "\"interrupts\".",
		.word_means = "-F 'func == %s'",
		.examples = "Functions by the time that they worked, in ms:\n"
			    "  ftop-trace functions --sort=net --unit=ms --head=20",
		.max_operands = LIST_MOST_FILES,
		.options = (const struct option_def[]){
			{ .name = "folded", .id = OPT_FOLDED,
			  .help = "print stacks with self times in ns, for flamegraph.pl; numbers of calls for the tracer function" },
			{ .name = "by", .arg = GROUPINGS_OF_CALLS, .id = OPT_BY,
			  .help = "count the calls of each group of tasks separately" },
			PART_OPTIONS("a call counts if its exit is there and matches (its entry, if it has no exit)"),
			TABLE_OPTIONS, FILE_OPTIONS, OPTION_END,
		},
	},
	.picks_tasks = true,
	.unindexed = true,
	.keys = keys,
	.lists = lists,
	.nr = 1,
	.find = find,
	.begin = begin,
	.end = end,
	.take = take,
	.rows = rows,
	.origin = origin,
	.tell = tell,
	.compare = compare,
};
