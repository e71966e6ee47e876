/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks - stacks with which tasks left the CPU or woke others, by how long the waits took. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/commands/sched_command.h"
#include "src/functions/flame.h"
#include "src/stacks/stacks.h"
#include "src/trace/notes.h"

enum { OPT_OFF_CPU = SCHED_OPT_TASK + 1, OPT_WAKER, OPT_BOTH, OPT_EVENTS, OPT_FOLDED };

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
		   "to: stacks of triggers, of the function tracer (func_stack_trace) and of the options\n"
		   "stacktrace and userstacktrace.\n\n"
		   "The stack of an event is the kernel_stack record right behind it, on the same\n"
		   "CPU and of the same task; [no stack] if there is none. A waker in an interrupt\n"
		   "is called hard irq, softirq or NMI. [no wake-up]: the wake-up was not recorded.\n"
		   "A wait counts if both its ends are recorded; waits that are open at the end,\n"
		   "and doubtful ones, during which records are missing, are counted apart.\n\n"
		   "With --from and --to, waits count that began within the window; with --cpu,\n"
		   "those that began on these CPUs; with -F, those whose end matches: the wake-up,\n"
		   "or the switch to the preempted task. --task is the task that waited.\n\n"
		   "The text is a tree, the largest total first. --sort and --format=csv list whole\n"
		   "stacks instead, as --folded does.",
	.examples = "A flame graph of the time off the CPU, with Brendan Gregg's flamegraph.pl:\n"
		    "  ftop-trace stacks --folded | flamegraph.pl --countname=ns > off-cpu.svg",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "off-cpu", .id = OPT_OFF_CPU,
		  .help = "stacks with which tasks left the CPU (default)" },
		{ .name = "waker", .id = OPT_WAKER, .help = "stacks of those that woke them" },
		{ .name = "both", .id = OPT_BOTH, .help = "both, joined" },
		{ .name = "events", .id = OPT_EVENTS, .help = "all recorded stacks, by how often they were" },
		{ .name = "folded", .id = OPT_FOLDED,
		  .help = "print a line for each stack, the outermost frame first, with its time in ns or its count: for flamegraph.pl" },
		SCHED_WINDOW_OPTIONS("count only waits that began",
				     "count only waits that began on"),
		SCHED_TASK_OPTION("only waits of"),
		FILTER_OPTIONS("count only waits whose end matches, see ftop-trace-filter(7); with several -F, any may match", "stacks"),
		TABLE_OPTIONS,
		SCHED_LAST_OPTIONS,
	},
};

struct stacks_command {
	struct sched_command command;
	struct stacks	*stacks;	/* owned */
	enum stacks_of	 of;
	bool		 folded;
	const struct stacks_result *result;	/* borrowed */
	const struct call_paths *paths;	/* borrowed */
	struct flame	*flame, *counts;	/* owned: time and waits below each frame */
	/* the rows */
	bool		 tree;		/* of frames; else of whole stacks */
	uint32_t	*shown;		/* owned, [nr]: paths */
	uint32_t	 nr;
	struct stack_row {
		uint64_t	 total, waits, all;
		const char	*stack;
	}		 row;
	struct text	 text;		/* of the row */
};

/* --- the rows of the text, CSV and JSON --------------------------------------------------- */

enum { OF_WAITS = 1, OF_EVENTS = 2 };	/* table_column.needs */

static const struct table_column columns[] = {
	{ "total_ns", "total", .width = 12, .kind = TABLE_DURATION, .needs = OF_WAITS,
	  TABLE_MEMBER(struct stack_row, total) },
	{ "count", "count", .width = 12, .kind = TABLE_COUNT, .needs = OF_EVENTS,
	  TABLE_MEMBER(struct stack_row, waits) },
	{ .title = "%", .width = 5, .kind = TABLE_PERCENT, TABLE_MEMBER(struct stack_row, total),
	  TABLE_WHOLE(struct stack_row, all) },
	{ "waits", "waits", .width = 8, .kind = TABLE_COUNT, .needs = OF_WAITS,
	  TABLE_MEMBER(struct stack_row, waits) },
	{ "stack", "stack", .width = 1, .align = TABLE_LEFT, .gap = 1,
	  TABLE_MEMBER(struct stack_row, stack) },
};

/* --folded: "bash;do_syscall_64;schedule 12345"; of several files, the file is the outermost. */
static const struct table_column folded_columns[] = {
	{ .title = "stack", .width = 1, .align = TABLE_LEFT,
	  TABLE_MEMBER(struct stack_row, stack) },
	{ .title = "total", .width = 1, .kind = TABLE_COUNT,
	  TABLE_MEMBER(struct stack_row, total) },
};

static uint64_t level_of(const struct call_paths *paths, uint32_t path)
{
	uint64_t level = 0;

	for (; call_paths_at(paths, path)->parent != CALL_PATH_ROOT; level++)
		path = call_paths_at(paths, path)->parent;
	return level;
}

static const void *row_at(void *arg, uint64_t i)
{
	struct stacks_command *s = arg;
	uint32_t number = s->shown[i];
	const struct call_path *path = call_paths_at(s->paths, number);

	text_clear(&s->text);
	s->row.total = s->tree ? flame_value(s->flame, number) : path->self;
	s->row.waits = s->tree ? flame_value(s->counts, number) : path->calls;
	s->row.all = flame_value(s->flame, CALL_PATH_ROOT);
	if (s->tree) {
		text_pad(&s->text, level_of(s->paths, number));
		call_paths_frame(s->command.trace, path, &s->text);
	} else {
		if (s->folded)
			command_file_frame(s->command.file, &s->text);
		call_paths_folded(s->paths, number, call_paths_frame, s->command.trace, &s->text);
	}
	s->row.stack = text_str(&s->text);
	return &s->row;
}

static int by_weight(const void *a, const void *b, void *arg)
{
	const struct call_path *x = call_paths_at(arg, *(const uint32_t *)a),
			       *y = call_paths_at(arg, *(const uint32_t *)b);

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* Whole stacks, the heaviest first; or all frames of the tree, in reading order. */
static void find_paths(struct stacks_command *s)
{
	const struct call_paths *paths = s->paths;
	uint32_t path = CALL_PATH_ROOT;

	s->shown = mem_array(call_paths_nr(paths), sizeof(*s->shown));
	if (s->tree) {
		while ((path = flame_next(s->flame, CALL_PATH_ROOT, path)) != CALL_PATH_ROOT)
			s->shown[s->nr++] = path;
		return;
	}
	for (uint32_t i = 1; i < call_paths_nr(paths); i++)
		if (call_paths_at(paths, i)->calls)
			s->shown[s->nr++] = i;
	qsort_r(s->shown, s->nr, sizeof(*s->shown), by_weight, (void *)paths);
}

static int print(struct stacks_command *s, struct ft_error *err)
{
	const struct table_columns folded = { TABLE_COLUMNS(folded_columns), .gap = 1,
					      .bare = true },
				   table = { TABLE_COLUMNS(columns), .gap = 1, .exact = true,
					     .lacks = s->of == STACKS_EVENTS ? OF_WAITS :
									       OF_EVENTS };

	return sched_command_print(&s->command, s->folded ? &folded : &table, s->nr, row_at, s,
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
		if (id < OPT_OFF_CPU || id > OPT_EVENTS)
			continue;
		if (given && s->of != of)
			return ft_error_set(err, FT_E_USAGE, -1,
					    "only one of --off-cpu, --waker, --both and --events");
		s->of = of;
		given = true;
	}
	if (s->of == STACKS_EVENTS && s->command.nr_tasks)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--task: not with --events; -F 'comm == NAME' selects events");
	return 0;
}

static int count(struct stacks_command *s, struct ft_error *err)
{
	struct sched_command *c = &s->command;
	const struct stacks_options options = { .of_events = s->of == STACKS_EVENTS,
						.what = sched_command_sweep(c),
						.wants = sched_command_wants, .arg = c };

	s->stacks = stacks_new(c->trace, &options);
	stacks_wait(s->stacks);
	s->result = stacks_result(s->stacks);
	c->pass = stacks_pass(s->stacks);
	if (!s->result)
		return sched_command_full(c, err);
	if (c->pass && sched_command_keep(c, err))
		return -1;
	s->paths = s->result->paths[s->of];
	s->flame = flame_new(s->paths, FLAME_SELF);
	s->counts = flame_new(s->paths, FLAME_CALLS);
	s->folded &= c->given.format == FORMAT_TEXT;
	s->tree = !s->folded && c->given.format == FORMAT_TEXT && !c->given.sort;
	find_paths(s);
	return 0;
}

static void tell_events(const struct stacks_command *s)
{
	const struct sched_command *c = &s->command;

	if (sched_command_tell_rows(c, trace_status(c->trace).damaged_pages) || c->has_rows)
		return;
	if (c->has_from || c->has_to || c->given.cpus || c->filter)
		notes_tell("no stack is of an event that the options select");
	else
		notes_tell("no stack was recorded; to record some: "
			   "ftop-trace record -e EVENT -R stacktrace COMMAND");
}

static void tell_waits(const struct stacks_command *s)
{
	const struct stacks_result *r = s->result;
	bool of_waker = s->of == STACKS_WAKER;

	sched_command_tell(&s->command);
	if (r->waits && !(of_waker ? r->waker_stacks : r->off_stacks))
		notes_tell("the trace has no stacks of %s; to record them: "
			   "ftop-trace record --setup waits COMMAND",
			   of_waker ? "sched_waking" : "sched_switch");
	if (r->doubtful)
		notes_tell("%" PRIu64 " waits are doubtful, since records are missing: not counted",
			   r->doubtful);
	if (r->open)
		notes_tell("%" PRIu64 " waits have no recorded end: not counted", r->open);
}

int cmd_stacks(const struct command_file *file, struct ft_error *err)
{
	struct stacks_command s = { 0 };
	bool ok = !sched_command_init(&s.command, file, err) && !parse_mode(&s, file->list, err) &&
		  !sched_command_bind(&s.command, err) && !count(&s, err) && !print(&s, err);

	if (ok && s.of == STACKS_EVENTS)
		tell_events(&s);
	else if (ok)
		tell_waits(&s);
	if (ok && !call_paths_are_whole(s.paths))
		notes_tell("too many different stacks: the rarest ones are truncated");
	flame_free(s.flame);
	flame_free(s.counts);
	free(s.shown);
	text_fini(&s.text);
	stacks_free(s.stacks);
	sched_command_fini(&s.command);
	return ok ? 0 : -1;
}
