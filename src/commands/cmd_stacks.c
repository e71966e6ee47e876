/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks - stacks with which tasks left the CPU or woke others, by how long the waits took. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/commands/table_command.h"
#include "src/functions/flame.h"
#include "src/stacks/stacks_lists.h"
#include "src/trace/warnings.h"

enum { OPT_OFF_CPU = 1, OPT_WAKER, OPT_BOTH, OPT_EVENTS, OPT_FOLDED, OPT_BY };

#define CHAIN_CELLS	50		/* a line with its figures then has at most 80 */

const struct command_def cmd_stacks_def = {
	.name = "stacks",
	.operands = "[FILE...]",
	.summary = "stacks of waits and events: where tasks left the CPU, and who woke them",
	.details = "The kernel's stacks, weighted by the time that tasks waited: asleep or blocked\n"
		   "until the wake-up, preempted until they ran again. Record them with\n"
		   "  ftop-trace record --setup waits\n"
		   "which sets the trigger stacktrace on sched_switch and sched_waking.\n\n"
		   "--off-cpu shows the stack with which the task left the CPU, below its name.\n"
		   "--waker shows the stack of the task that woke it, below the waker's name;\n"
		   "preemptions have no waker. --both shows the off-CPU stack, the word -- and the\n"
		   "waker's stack from the inside out, with the waker's name at the end.\n\n"
		   "--events counts how often each stack was recorded, below the event that it belongs\n"
		   "to: stacks of triggers, of the function tracer (func_stack_trace), of the options\n"
		   "stacktrace and userstacktrace, and of perf record -g.\n\n"
		   "Stacks of user space come before the kernel's. Their functions have names if the trace\n"
		   "keeps them, as recordings of ftop-trace do: see ftop-trace symbols.\n\n"
		   "The stack of an event is the kernel_stack record right behind it, on the same\n"
		   "CPU and of the same task; [no stack] if there is none. A waker in an interrupt\n"
		   "is called hard irq, softirq or NMI. [no wake-up]: the wake-up was not recorded.\n"
		   "A wait counts if both its ends are recorded; waits that are open at the end,\n"
		   "and doubtful ones, during which records are missing, are counted apart.\n\n"
		   "With --from and --to, waits count that began within the window; with --cpu,\n"
		   "those that began on these CPUs; with -F, those whose end matches: the wake-up,\n"
		   "or the switch to the preempted task. --task is the task that waited.\n\n"
		   "Functions that record the event, such as __traceiter_sched_switch, are left\n"
		   "out. The text is a tree, the largest total first; A → B is a chain of callers\n"
		   "with one callee each. --sort and --format=csv list whole stacks instead, as\n"
		   "--folded does.",
	.examples = "A flame graph of the time off the CPU, with Brendan Gregg's flamegraph.pl:\n"
		    "  ftop-trace stacks --folded | flamegraph.pl --countname=ns > off-cpu.svg",
	.word_means = "--task=%s",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "off-cpu", .id = OPT_OFF_CPU,
		  .help = "stacks of tasks that left the CPU (default, if there are any)" },
		{ .name = "waker", .id = OPT_WAKER, .help = "stacks of those that woke them" },
		{ .name = "both", .id = OPT_BOTH, .help = "both, joined" },
		{ .name = "events", .id = OPT_EVENTS, .help = "all recorded stacks, by number of occurrences; samples of perf record" },
		{ .name = "folded", .id = OPT_FOLDED,
		  .help = "print a line for each stack, the outermost frame first, with its time in ns or its count: for flamegraph.pl" },
		{ .name = "by", .arg = GROUPINGS_OPTION, .id = OPT_BY,
		  .help = "put the stacks below the groups of their tasks" },
		PART_OPTIONS("only waits that began there, and whose end matches"),
		TABLE_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct stacks_command {
	struct table_command command;
	struct stacks	*stacks;	/* owned */
	enum stacks_of	 of;
	enum grouping	 by;
	bool		 folded;
	const struct stacks_result *result;	/* borrowed */
	const struct call_paths *paths;	/* borrowed */
	struct flame	*flame, *counts;	/* owned: time and waits below each frame */
	bool		 tree;		/* print a tree of frames; else whole stacks */
	struct stack_names names;
	struct stack_row *rows;		/* owned, [nr] */
	uint32_t	 nr;
	struct text	 outermost;	/* the file's name, if there are several files */
};

/* --- the rows ------------------------------------------------------------------------------ */

/* --folded: "bash;do_syscall_64;schedule 12345"; of several files, the file is the outermost. */
static void add_folded(const void *row, struct text *out)
{
	stack_columns(false).list->text(row, out);
}

static const struct table_column folded_columns[] = {
	{ .title = "stack", .width = 1, .align = TABLE_LEFT, .text = add_folded },
	{ .title = "total", .width = 1, .kind = TABLE_COUNT,
	  TABLE_MEMBER(struct stack_row, total) },
};

/*
 * Does a frame stand behind its caller, in the same line?  It does if it is all that the caller
 * has; but the outermost frames, names of tasks and events, have a line each.
 */
static bool is_chained(const struct stacks_command *s, uint32_t caller, uint32_t path)
{
	return caller != CALL_PATH_ROOT &&
	       call_paths_at(s->paths, caller)->parent != CALL_PATH_ROOT &&
	       flame_value(s->flame, path) == flame_value(s->flame, caller) &&
	       flame_value(s->counts, path) == flame_value(s->counts, caller);
}

/* All frames of the tree, in reading order; chains of them as rows that fit on a screen. */
static void find_frames(struct stacks_command *s)
{
	uint32_t path = CALL_PATH_ROOT, nr = call_paths_nr(s->paths);
	uint32_t *row_of = mem_array(nr, sizeof(*row_of));	/* [nr] each frame's row */
	struct text name = { 0 };
	int room = 0;

	s->rows = mem_array(nr, sizeof(*s->rows));
	while ((path = flame_next(s->flame, CALL_PATH_ROOT, path)) != CALL_PATH_ROOT) {
		uint32_t caller = call_paths_at(s->paths, path)->parent;
		struct stack_row *row = &s->rows[s->nr];

		text_clear(&name);
		call_paths_frame(s->command.trace, call_paths_at(s->paths, path), &name);
		room -= text_cells(STACK_ARROW, sizeof(STACK_ARROW) - 1) +
			text_cells(text_str(&name), name.len);
		if (room >= 0 && is_chained(s, caller, path)) {
			row[-1].path = path;
			row_of[path] = s->nr - 1;
			continue;
		}
		*row = (struct stack_row){
			.total = flame_value(s->flame, path), .count = flame_value(s->counts, path),
			.all = flame_value(s->flame, CALL_PATH_ROOT), .names = &s->names,
			.path = path, .first = path,
			.level = caller == CALL_PATH_ROOT ? 0 : s->rows[row_of[caller]].level + 1,
		};
		room = CHAIN_CELLS - (int)row->level - text_cells(text_str(&name), name.len);
		row_of[path] = s->nr++;
	}
	text_fini(&name);
	free(row_of);
}

static const void *row_at(void *arg, uint64_t i)
{
	return &((struct stacks_command *)arg)->rows[i];
}

static int print(struct stacks_command *s, struct ft_error *err)
{
	const struct table_columns folded = { TABLE_COLUMNS(folded_columns), .gap = 1,
					      .bare = true },
				   table = stack_columns(s->of == STACKS_EVENTS);

	return table_command_print(&s->command, s->folded ? &folded : &table, s->nr, row_at, s,
				   err);
}

/* --- the command -------------------------------------------------------------------------- */

static int parse_mode(struct stacks_command *s, const struct option_list *list,
		      struct ft_error *err)
{
	bool given = false;

	for (unsigned int i = 0; i < list->nr; i++) {
		int id = list->values[i].id;
		enum stacks_of of = (enum stacks_of)(id - OPT_OFF_CPU);

		s->folded |= id == OPT_FOLDED;
		if (id == OPT_BY)
			s->by = grouping_find(list->values[i].value, err);
		if (id == OPT_BY && !s->by)
			return -1;
		if (id < OPT_OFF_CPU || id > OPT_EVENTS)
			continue;
		if (given && s->of != of)
			return ft_error_set(err, FT_E_USAGE, -1,
					    "only one of --off-cpu, --waker, --both and --events");
		s->of = of;
		given = true;
	}
	if (!given) {
		table_command_wait(&s->command);	/* what was recorded is known then */
		if (stacks_are_of_events(s->command.trace, 0))
			s->of = STACKS_EVENTS;
	}
	if (s->by && s->of == STACKS_EVENTS)
		return ft_error_set(err, FT_E_USAGE, -1, "--by: not with --events");
	if (s->of == STACKS_EVENTS && s->command.given.nr_tasks)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--task: not with --events; -F 'comm == NAME' selects events");
	return 0;
}

static int count(struct stacks_command *s, struct ft_error *err)
{
	struct table_command *c = &s->command;
	const struct stacks_options options = { .of_events = s->of == STACKS_EVENTS,
						.what = table_command_sweep(c),
						.wants = table_command_wants, .arg = c,
						.by = s->by };

	if (s->by)	/* who the tasks are is known then */
		table_command_wait(c);
	s->stacks = stacks_new(c->trace, &options);
	stacks_wait(s->stacks);
	s->result = stacks_result(s->stacks);
	c->pass = stacks_pass(s->stacks);
	if (!s->result)
		return table_command_full(c, err);
	if (table_command_check_filter(c, err))
		return -1;
	s->paths = s->result->paths[s->of];
	s->flame = flame_new(s->paths, FLAME_SELF);
	s->counts = flame_new(s->paths, FLAME_CALLS);
	s->folded &= c->given.format == FORMAT_TEXT;
	s->tree = !s->folded && c->given.format == FORMAT_TEXT && !c->given.sort;
	s->names = (struct stack_names){ .paths = s->paths, .trace = c->trace, .tree = s->tree };
	if (s->folded) {
		command_file_frame(c->file, &s->outermost);
		s->names.outermost = text_str(&s->outermost);
	}
	if (s->tree)
		find_frames(s);
	else
		s->nr = stack_rows(&s->names, &s->rows);
	return 0;
}

static void tell_events(const struct stacks_command *s)
{
	const struct table_command *c = &s->command;

	if (table_command_tell_rows(c, trace_status(c->trace).damaged_pages) || c->has_rows)
		return;
	if (c->has_from || c->has_to || c->given.cpus || c->filter)
		warnings_tell("no stack is of an event that the options select");
	else if (source_info(trace_file_of(c->trace, 0))->nr_event_names)
		warnings_tell("perf recorded no call chains; to record some: perf record -g");
	else
		warnings_tell("no stack was recorded; to record some: "
			      "ftop-trace record -e EVENT -R stacktrace COMMAND");
}

static void tell_waits(struct stacks_command *s)
{
	const struct stacks_result *r = s->result;
	bool of_waker = s->of == STACKS_WAKER;

	table_command_tell(&s->command);
	if (r->waits && !(of_waker ? r->waker_stacks : r->off_stacks))
		warnings_tell("the trace has no stacks of %s; to record them: "
			      "ftop-trace record --setup waits COMMAND",
			      of_waker ? "sched_waking" : "sched_switch");
	if (r->doubtful)
		warnings_tell("%" PRIu64 " doubtful wait%s (missing records): not counted",
			      r->doubtful, PLURAL(r->doubtful));
	if (r->open)
		warnings_tell("%" PRIu64 " unfinished wait%s (no end in the trace): not counted",
			      r->open, PLURAL(r->open));
}

int cmd_stacks(const struct command_file *file, struct ft_error *err)
{
	struct stacks_command s = { 0 };
	bool ok = !table_command_init(&s.command, file, err) && !parse_mode(&s, file->list, err) &&
		  !table_command_bind(&s.command, err) && !count(&s, err) &&
		  !(!s.nr && table_command_check_tasks(&s.command, err)) && !print(&s, err);

	if (ok && s.of == STACKS_EVENTS)
		tell_events(&s);
	else if (ok)
		tell_waits(&s);
	if (ok && !call_paths_are_whole(s.paths))
		warnings_tell("too many different stacks: the rarest ones are truncated");
	flame_free(s.flame);
	flame_free(s.counts);
	free(s.rows);
	text_fini(&s.outermost);
	stacks_free(s.stacks);
	table_command_fini(&s.command);
	return ok ? 0 : -1;
}
