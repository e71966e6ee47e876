/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks_lists - whole stacks, and trees of frames, as a list_source. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/functions/flame.h"
#include "src/functions/function_table.h"
#include "src/model/list_source.h"
#include "src/sched/sched_tell.h"
#include "src/stacks/stacks.h"
#include "src/trace/groupings.h"
#include "src/trace/warnings.h"

#define STACK_ARROW	" → "		/* between the frames of a chain */
#define CHAIN_CELLS	50		/* a line with its figures then has at most 80 */

struct stack_row {
	uint64_t	total, count, all;	/* waits: in ns; events: as in stacks_result */
	const struct stack_names *names;	/* borrowed */
	uint32_t	path;
	uint32_t	first, level;	/* in a tree: the line's outermost frame; lines above it */
};

struct stack_names {			/* what names the frames */
	const struct call_paths *paths;
	struct trace	*trace;
	const char	*outermost;	/* "a.dat;": above all frames; NULL: nothing */
	bool		tree;		/* rows are frames below their callers, chains of them */
	bool		of_events;	/* a row's share is that of its event */
	bool		folded;
};

/* --- rows ------------------------------------------------------------------------------------- */

enum { OF_WAITS = 1, OF_EVENTS = 2 };	/* table_column.needs */
enum { OPT_FOLDED = LIST_OWN, OPT_BY };

/* "kthread → worker_thread → schedule", from the row's first frame to this one */
static void add_chain(const struct stack_row *row, uint32_t path, struct text *out)
{
	const struct stack_names *names = row->names;
	const struct call_path *frame = call_paths_at(names->paths, path);

	if (path != row->first) {
		add_chain(row, frame->parent, out);
		text_add(out, STACK_ARROW);
	}
	call_paths_frame(names->trace, frame, out);
}

static void add_stack(const void *arg, struct text *out)
{
	const struct stack_row *row = arg;
	const struct stack_names *names = row->names;

	if (names->outermost)
		text_add(out, names->outermost);
	if (names->tree) {
		text_pad(out, out->len + row->level);
		add_chain(row, row->path, out);
	} else {
		call_paths_folded(names->paths, row->path, call_paths_frame, names->trace, out);
	}
}

static const struct table_column columns[] = {
	{ .title = "stack", .cells = 20, .fills = true, .text = add_stack,
	  .help = "the outermost frame first" },
	{ "total_ns", "total", .width = 12, .cells = 12, .kind = TABLE_DURATION, .needs = OF_WAITS,
	  TABLE_MEMBER(struct stack_row, total), .bound = TABLE_AT_LEAST,
	  .help = "how long the waits took" },
	{ "count", "count", .width = 12, .cells = 11, .kind = TABLE_COUNT, .needs = OF_EVENTS,
	  TABLE_MEMBER(struct stack_row, count), .bound = TABLE_AT_LEAST,
	  .help = "events with this stack" },
	{ .title = "%", .width = 5, .cells = 7, .kind = TABLE_PERCENT,
	  TABLE_MEMBER(struct stack_row, total), TABLE_WHOLE(struct stack_row, all),
	  .help = "share of the time of all waits; of its event, samples by their periods" },
	{ "waits", "waits", .width = 8, .cells = 9, .kind = TABLE_COUNT, .needs = OF_WAITS,
	  TABLE_MEMBER(struct stack_row, count), .bound = TABLE_AT_LEAST,
	  .help = "how many waits there were" },
	{ "stack", "stack", .width = 1, .align = TABLE_LEFT, .gap = 1, .text = add_stack },
};

/* --folded: "bash;do_syscall_64;schedule 12345"; of several files, the file is the outermost. */
static const struct table_column folded_columns[] = {
	{ .title = "stack", .width = 1, .align = TABLE_LEFT, .text = add_stack },
	{ .title = "total", .width = 1, .kind = TABLE_COUNT,
	  TABLE_MEMBER(struct stack_row, total) },
};

/* Without those of waits or those of events. */
static struct table_columns columns_of(bool of_events)
{
	return (struct table_columns){ TABLE_COLUMNS(columns), .gap = 1, .exact = true,
				       .lacks = of_events ? OF_WAITS : OF_EVENTS };
}

static int by_weight(const void *a, const void *b)
{
	const struct stack_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->path < y->path ? -1 : 1;
}

/* What shares of a path are of. */
static uint64_t whole_of(const struct stack_names *names, uint32_t path)
{
	uint32_t parent;

	if (!names->of_events)
		path = CALL_PATH_ROOT;
	while (path != CALL_PATH_ROOT &&
	       (parent = call_paths_at(names->paths, path)->parent) != CALL_PATH_ROOT)
		path = parent;
	return call_paths_at(names->paths, path)->total;
}

/* Whole stacks, the heaviest first. */
static uint32_t stack_rows(const struct stack_names *names, struct stack_row **rows)
{
	uint32_t nr = 0, most = call_paths_nr(names->paths);
	bool counts = names->folded && names->of_events;

	*rows = mem_array(most, sizeof(**rows));
	for (uint32_t i = 1; i < most; i++) {
		const struct call_path *path = call_paths_at(names->paths, i);

		if (path->calls)
			(*rows)[nr++] = (struct stack_row){
				.total = counts ? path->calls : path->self, .count = path->calls,
				.all = whole_of(names, i), .names = names, .path = i
			};
	}
	if (nr)
		qsort(*rows, nr, sizeof(**rows), by_weight);
	return nr;
}

struct tree {
	const struct stack_names *names;
	struct flame	*flame, *counts;	/* time and waits below each frame */
};

/*
 * Does a frame stand behind its caller, in the same line?  It does if it is all that the caller
 * has; but the outermost frames, names of tasks and events, have a line each.
 */
static bool is_chained(const struct tree *t, uint32_t caller, uint32_t path)
{
	return caller != CALL_PATH_ROOT &&
	       call_paths_at(t->names->paths, caller)->parent != CALL_PATH_ROOT &&
	       flame_value(t->flame, path) == flame_value(t->flame, caller) &&
	       flame_value(t->counts, path) == flame_value(t->counts, caller);
}

/* All frames of the tree, in reading order; chains of them as rows that fit on a screen. */
static uint32_t tree_rows(const struct stack_names *names, struct stack_row **rows)
{
	struct tree tree = { names, flame_new(names->paths, FLAME_SELF),
			     flame_new(names->paths, FLAME_CALLS) }, *t = &tree;
	uint32_t path = CALL_PATH_ROOT, nr = 0, most = call_paths_nr(names->paths);
	uint32_t *row_of = mem_array(most, sizeof(*row_of));	/* [most] each frame's row */
	struct text name = { 0 };
	int room = 0;

	*rows = mem_array(most, sizeof(**rows));
	while ((path = flame_next(t->flame, CALL_PATH_ROOT, path)) != CALL_PATH_ROOT) {
		uint32_t caller = call_paths_at(t->names->paths, path)->parent;
		struct stack_row *row = &(*rows)[nr];

		text_clear(&name);
		call_paths_frame(t->names->trace, call_paths_at(t->names->paths, path), &name);
		room -= text_cells(STACK_ARROW, sizeof(STACK_ARROW) - 1) +
			text_cells(text_str(&name), name.len);
		if (room >= 0 && is_chained(t, caller, path)) {
			row[-1].path = path;
			row_of[path] = nr - 1;
			continue;
		}
		*row = (struct stack_row){
			.total = flame_value(t->flame, path), .count = flame_value(t->counts, path),
			.all = whole_of(names, path), .names = names,
			.path = path, .first = path,
			.level = caller == CALL_PATH_ROOT ? 0 : (*rows)[row_of[caller]].level + 1,
		};
		room = CHAIN_CELLS - (int)row->level - text_cells(text_str(&name), name.len);
		row_of[path] = nr++;
	}
	text_fini(&name);
	free(row_of);
	flame_free(tree.flame);
	flame_free(tree.counts);
	return nr;
}

/* --- comparing ------------------------------------------------------------------------------ */

enum stacks_of_what { OF_WHAT_WAITS, OF_WHAT_CALLS, OF_WHAT_EVENTS };

struct frames {				/* what names them */
	struct trace	*trace;
	bool		of_tasks;	/* the outermost one is a task's name */
};

static void add_frame(const void *arg, const struct call_path *path, struct text *out)
{
	const struct frames *frames = arg;
	struct text frame = { 0 };

	call_paths_frame(frames->trace, path, &frame);
	if (frames->of_tasks && path->parent == CALL_PATH_ROOT)
		task_kind_name(text_str(&frame), out);
	else
		text_add(out, text_str(&frame));
	text_fini(&frame);
}

/* Rows are stacks: "nginx-*;do_syscall_64;schedule". */
static void add_paths(struct diff *diff, unsigned int side, const struct call_paths *paths,
		      const struct frames *frames, bool timed)
{
	struct text name = { 0 };

	for (uint32_t i = 1; i < call_paths_nr(paths); i++) {
		const struct call_path *path = call_paths_at(paths, i);
		struct diff_side *of;

		if (!path->calls)
			continue;
		text_clear(&name);
		call_paths_folded(paths, i, add_frame, frames, &name);
		of = diff_side(diff, text_str(&name), side);
		of->count += path->calls;
		of->total += timed ? path->self : 0;
		of->lacks = timed ? 0 : DIFF_HAS_TOTAL;
	}
	text_fini(&name);
}

static void add_calls(struct diff *diff, unsigned int side, struct trace *trace)
{
	struct function_table *table = function_table_new(trace, 0, NULL, true, NULL);

	if (table->paths)
		add_paths(diff, side, table->paths, &(struct frames){ .trace = trace },
			  !table->inferred);
	function_table_free(table);
}

/* --- the model ------------------------------------------------------------------------------- */

struct stacks_lists {
	struct trace	*trace;		/* borrowed */
	const struct filter_given *given;	/* borrowed; NULL: no command, else: */
	bool		limited;	/* by a range, CPUs or filters */
	unsigned int	list;		/* what it prints */
	bool		folded, tree;
	const char	*outermost;	/* borrowed; NULL: none */
	struct stacks	*waits, *events;	/* owned; NULL: none, or not asked for */
	struct stack_names names[STACKS_NR];
	struct stack_row *rows[STACKS_NR];	/* owned, [nr] */
	uint32_t	nr[STACKS_NR];
	struct table_columns columns;	/* columns of the list shown */
	struct text	heading;
};

static bool has_waits(struct trace *trace, unsigned int file)
{
	return trace_has_event(trace, file, "kernel_stack") && trace_has_switches(trace, file) &&
	       !trace_is_of_tasks(trace, (int)file);
}

/* Were only stacks of events recorded, and none of waits? */
static bool are_of_events(struct trace *trace, unsigned int file)
{
	bool is_perf = source_info(trace_file_of(trace, file))->nr_event_names;

	return (stacks_has_events(trace, file) || is_perf) && !has_waits(trace, file);
}

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	*variant = 0;
	return list_find_file(trace, file, next, stacks_has_events);
}

static void end(void *model)
{
	struct stacks_lists *m = model;

	stacks_free(m->waits);
	stacks_free(m->events);
	for (unsigned int i = 0; i < STACKS_NR; i++)
		free(m->rows[i]);
	text_fini(&m->heading);
	free(m);
}

static bool wants(const void *given, uint32_t pid, const char *comm)
{
	return filter_given_wants(given, pid, comm);
}

/* What the command prints. */
static int read_options(struct stacks_lists *m, const struct list_scope *scope,
			struct stacks_options *options, struct ft_error *err)
{
	const struct option_list *list = scope->options;
	bool chosen = false;

	for (unsigned int i = 0; i < list->nr; i++) {
		unsigned int of = (unsigned int)(list->values[i].id - LIST_OPTION(0));

		m->folded |= list->values[i].id == OPT_FOLDED;
		if (list->values[i].id == OPT_BY)
			options->by = grouping_find(list->values[i].value, err);
		if (list->values[i].id == OPT_BY && !options->by)
			return -1;
		if (of >= STACKS_NR)
			continue;
		m->list = of;
		chosen = true;
	}
	if (!chosen && are_of_events(m->trace, scope->what.file))
		m->list = STACKS_EVENTS;
	if (options->by && m->list >= STACKS_EVENTS)
		return ft_error_set(err, FT_E_USAGE, -1, "--by: not with stacks of events");
	if (m->list >= STACKS_EVENTS && m->given->nr_tasks)
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"--task: not with stacks of events; -F 'comm == NAME' selects events");
	m->folded &= m->given->format == FORMAT_TEXT;
	m->tree = !m->folded && m->given->format == FORMAT_TEXT && !m->given->sort;
	if (m->folded && scope->frame)
		m->outermost = scope->frame;
	return 0;
}

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct stacks_options options = { .what = scope->what };
	const struct stacks_lists *former = scope->former;
	struct stacks_lists *m = mem_alloc(sizeof(*m));

	m->trace = scope->trace;
	m->given = scope->given;
	m->limited = scope->what.range.set || scope->what.nr_filters;
	if (m->given && read_options(m, scope, &options, err)) {
		free(m);
		return NULL;
	}
	if (m->given) {
		m->limited |= m->given->cpus != NULL;
		options.wants = wants;
		options.arg = m->given;
	}
	if (m->given ? m->list < STACKS_EVENTS : has_waits(m->trace, scope->what.file))
		m->waits = stacks_next(former ? former->waits : NULL, m->trace, &options);
	options.of_events = true;
	if (!m->given || m->list >= STACKS_EVENTS)
		m->events = stacks_new(m->trace, &options);
	return m;
}

static void make_rows(struct stacks_lists *m, const struct stacks_result *result)
{
	for (unsigned int i = 0; i < STACKS_NR; i++) {
		if (m->rows[i] || !result->paths[i])
			continue;
		m->names[i] = (struct stack_names){ .paths = result->paths[i], .trace = m->trace,
						    .tree = m->tree, .outermost = m->outermost,
						    .of_events = i >= STACKS_EVENTS,
						    .folded = m->folded };
		m->nr[i] = m->tree ? tree_rows(&m->names[i], &m->rows[i]) :
				     stack_rows(&m->names[i], &m->rows[i]);
	}
}

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct stacks_lists *m = model;

	if (wait && m->waits)
		stacks_wait(m->waits);
	if (wait && m->events)
		stacks_wait(m->events);
	if (permille)
		*permille = 0;
	if (m->waits && !stacks_result(m->waits))
		return wait ? sched_tell_full(m->trace, 0, err), LIST_FAILED : LIST_LATER;
	if (m->events && !stacks_result(m->events))
		return LIST_LATER;
	if (m->waits)
		make_rows(m, stacks_result(m->waits));
	if (m->events)
		make_rows(m, stacks_result(m->events));
	return LIST_DONE;
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	struct stacks_lists *m = model;
	static const char *const commands[STACKS_NR] = { "stacks", "stacks --waker",
							 "stacks --both", "stacks --events",
							 "stacks --functions" };
	const struct stacks_result *waits = m->waits ? stacks_result(m->waits) : NULL;
	bool of_events;

	(void)by;
	list = m->given ? m->list : list;
	of_events = list >= STACKS_EVENTS;
	m->columns = m->folded ? (struct table_columns){ TABLE_COLUMNS(folded_columns), .gap = 1,
							 .bare = true } :
				 columns_of(of_events);
	text_clear(&m->heading);
	if (!of_events && waits && waits->doubtful) {
		text_add(&m->heading, "without ~");
		text_count(&m->heading, waits->doubtful);
	}
	if (!of_events && waits && waits->open) {
		text_add(&m->heading, m->heading.len ? "  open: " : "open: ");
		text_count(&m->heading, waits->open);
	}
	return (struct list_rows){
		.columns = &m->columns,
		.array = m->rows[list],
		.bytes = sizeof(struct stack_row),
		.nr = m->nr[list],
		.lacks = m->columns.lacks,
		.order = of_events ? 2 : 1,
		.figure = LIST_BY_ORDER,
		.heading = m->heading.len ? text_str(&m->heading) : NULL,
		.command = commands[list],
		.damaged = m->given && waits ? sched_pass_totals(stacks_pass(m->waits)).damaged :
					       trace_status(m->trace).damaged_pages,
		.nothing =
			!of_events && !waits ?
				"The trace has no stacks of tasks that stop running (of sched_switch).\n"
				"To record some, press R or run\n"
				"ftop-trace record --setup waits COMMAND" :
				NULL,
	};
}

/* Its frames: paths are numbered anew while the trace grows. */
static uint64_t key(const void *of)
{
	const struct stack_row *row = of;
	uint64_t hash = row->level;

	for (uint32_t path = row->path; path != CALL_PATH_ROOT;) {
		const struct call_path *frame = call_paths_at(row->names->paths, path);

		hash = index_map_mix(hash, frame->address);
		path = frame->parent;
	}
	return hash;
}

static void say(const void *model, unsigned int list, const void *row, struct text *heading,
		struct text *out)
{
	(void)model;
	struct text stack = { 0 };

	text_add(heading, list == STACKS_EVENTS    ? "stack of events" :
			  list == STACKS_FUNCTIONS ? "function" :
						     "stack of waits");
	add_stack(row, &stack);
	/* with blanks, so that lines do not end within a name */
	for (size_t i = 0; i < stack.len; i++)
		if (stack.data[i] == ';')
			text_add(out, STACK_ARROW);
		else
			text_char(out, stack.data[i]);
	text_fini(&stack);
}

/* Two traces are compared by waits, else by calls, else by events; B by the same as A. */
static void compare_best(struct stacks_lists *m, struct diff *diff, unsigned int side)
{
	const struct stacks_result *waits = m->waits ? stacks_result(m->waits) : NULL;
	const struct frames of_tasks = { m->trace, true }, of_events = { m->trace, false };
	int last = side ? diff->stacks : OF_WHAT_EVENTS;

	for (int of = side ? last : OF_WHAT_WAITS; of <= last && !diff->any[side]; of++) {
		if (of == OF_WHAT_WAITS && waits && waits->off_stacks)
			add_paths(diff, side, waits->paths[STACKS_OFF_CPU], &of_tasks, true);
		else if (of == OF_WHAT_CALLS)
			add_calls(diff, side, m->trace);
		else if (of == OF_WHAT_EVENTS)
			add_paths(diff, side, stacks_result(m->events)->paths[STACKS_EVENTS],
				  &of_events, false);
		diff->stacks = of;
	}
}

static void compare(void *model, unsigned int list, struct diff *diff, unsigned int side)
{
	struct stacks_lists *m = model;
	bool of_events = list >= STACKS_EVENTS;

	if (list == LIST_ANY)
		compare_best(m, diff, side);
	else if (m->rows[list])
		add_paths(diff, side, m->names[list].paths,
			  &(struct frames){ m->trace, !of_events && list != STACKS_WAKER },
			  !of_events);
	diff->is_whole[side] &= diff->any[side];
}

/* --- the command ----------------------------------------------------------------------------- */

static void tell_events(const struct stacks_lists *m, bool any)
{
	const struct stacks_result *r = stacks_result(m->events);
	uint64_t nr = m->limited ? 0 : r->orphans;

	if (r->unsure)
		warnings_tell("the text has no flags: a stack behind events of an interrupt may be "
			      "of an event before them");
	if (nr)
		warnings_tell("%" PRIu64 " stack%s behind lost events: not counted, as %s may be "
			      "of one of those",
			      nr, PLURAL(nr), nr == 1 ? "it" : "they");
	if (any || nr)
		return;
	if (m->limited)
		warnings_tell("no stack is of an event that the options select");
	else if (source_info(trace_file_of(m->trace, 0))->nr_event_names)
		warnings_tell("perf recorded no call chains; to record some: perf record -g");
	else
		warnings_tell("no stack was recorded; to record some: "
			      "ftop-trace record -e EVENT -R stacktrace COMMAND");
}

static void tell_waits(const struct stacks_lists *m, bool any)
{
	const struct stacks_result *r = stacks_result(m->waits);
	bool of_waker = m->list == STACKS_WAKER;

	sched_tell(stacks_pass(m->waits), m->given, any);
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

static void tell(const void *model, unsigned int list, bool any)
{
	const struct stacks_lists *m = model;

	(void)list;
	if (m->waits)
		tell_waits(m, any);
	else
		tell_events(m, any);
	if (!call_paths_are_whole(m->names[m->list].paths))
		warnings_tell("too many different stacks: the rarest ones are truncated");
}

static const struct list_def lists[STACKS_NR] = {
	[0 ... STACKS_EVENTS] = { "stack", .name_least = 30, .name_most = 400, .key = key },
	[STACKS_FUNCTIONS] = { "function", .name_least = 30, .name_most = 70, .key = key },
};

static const struct list_keys keys[] = {
	{ "stacks", "A stack, the outermost frame first, with a semicolon between two.",
	  "total_ns, waits, stack" },
	{ "stacks --events", "The same, of events.", "count, stack" },
	{ "stacks --functions", "The event and the innermost frame of its stacks.", "count, stack" },
	{ 0 },
};

const struct list_tab stacks_list_tabs[] = {
	{ 'o', "off-CPU" }, { 'w', "waker" }, { 'b', "both" }, { 'e', "events" },
	{ 'f', "functions" },
	{ 'n', "next file" }, { 0, NULL },
};

const struct list_source stacks_list_source = {
	.title = "Stacks",
	.short_title = "Stack",
	.key = 'B',
	.about = "stacks of tasks that left the CPU, of wakers, of events",
	.command = {
		.name = "stacks",
		.operands = "[FILE...]",
		.summary = "stacks of waits and events: where tasks left the CPU, and who woke them",
		.details = "The kernel's stacks, weighted by the time that tasks waited: asleep or blocked\n"
			   "until the wake-up, or preempted until they ran again. To record them:\n"
			   "  ftop-trace record --setup waits\n"
			   "which sets the trigger stacktrace on sched_switch and sched_waking.\n\n"
			   "--off-cpu shows the stack with which the task left the CPU, below its name.\n"
			   "--waker shows the stack of the task that woke it, below the waker's name;\n"
			   "preemptions have no waker. --both shows the off-CPU stack, the word -- and the\n"
			   "waker's stack from the inside out, with the waker's name at the end.\n\n"
			   "--events counts how often each stack was recorded, below its event: stacks of\n"
			   "triggers, of the function tracer (func_stack_trace), of the options stacktrace\n"
			   "and userstacktrace, and of perf record -g. A sample of perf without a call chain\n"
			   "is a stack of one frame; its share follows the periods, as in perf report.\n"
			   "--functions counts the innermost functions alone, as perf report --no-children\n"
			   "does.\n\n"
			   "Stacks of user space come before those of the kernel. Their functions have names\n"
			   "if the trace contains them, as recordings of ftop-trace do; see ftop-trace\n"
			   "symbols. For a perf.data, the names come from the files that it lists, if their\n"
			   "build IDs are the same, or from ~/.debug, where perf keeps copies. --sysroot\n"
			   "points to the files of another machine.\n\n"
			   "The stack of an event is the kernel_stack record that follows it on the same CPU\n"
			   "and in the same task; [no stack] means that there is none. A waker in an\n"
			   "interrupt is called hard irq, softirq or NMI. [no wake-up] means that the wake-up\n"
			   "was not recorded. A wait counts if both its ends are recorded. Waits that are open\n"
			   "at the end, and doubtful waits, in which records are missing, are counted\n"
			   "separately.\n\n"
			   "With --from and --to, waits count that began within the window; with --cpu,\n"
			   "those that began on these CPUs; with -F, those whose end matches: the wake-up, or\n"
			   "the switch to the preempted task. --task selects the task that waited.\n\n"
			   "The functions that record the event, such as __traceiter_sched_switch, are left\n"
			   "out. The text is a tree, the largest total first; A → B is a chain of callers\n"
			   "with one callee each. --sort, --format=csv and --folded list whole stacks\n"
			   "instead.",
		.examples = "A flame graph of the time off the CPU, with Brendan Gregg's flamegraph.pl:\n"
			    "  ftop-trace stacks --folded | flamegraph.pl --countname=ns > off-cpu.svg",
		.word_means = "--task=%s",
		.max_operands = LIST_MOST_FILES,
		.options = (const struct option_def[]){
			{ .name = "off-cpu", .id = LIST_OPTION(STACKS_OFF_CPU),
			  .help = "stacks of tasks that left the CPU (default, if there are any)" },
			{ .name = "waker", .id = LIST_OPTION(STACKS_WAKER), .help = "stacks of the tasks that woke them" },
			{ .name = "both", .id = LIST_OPTION(STACKS_BOTH), .help = "both stacks, joined" },
			{ .name = "events", .id = LIST_OPTION(STACKS_EVENTS), .help = "all recorded stacks, by number of occurrences; samples of perf record" },
			{ .name = "functions", .id = LIST_OPTION(STACKS_FUNCTIONS), .help = "only the innermost function of each stack: where time goes, for samples of perf record" },
			{ .name = "folded", .id = OPT_FOLDED,
			  .help = "print a line for each stack, the outermost frame first, with its time in ns or its count: for flamegraph.pl" },
			{ .name = "by", .arg = GROUPINGS_OPTION, .id = OPT_BY,
			  .help = "put the stacks below the groups of their tasks" },
			PART_OPTIONS("only waits that began there, and whose end matches"),
			TABLE_OPTIONS,
			FILE_OPTIONS,
			OPTION_END,
		},
	},
	.picks_tasks = true,
	.keys = keys,
	.lists = lists,
	.tabs = stacks_list_tabs,
	.nr = STACKS_NR,
	.help = {
		.search = "find text or /regex/ in the frames",
		.next = "show the next list: off-CPU stacks, wakers' stacks, both joined, events, functions",
		.choose = "choose a list: o off-CPU, w wakers, b both, e events, f functions",
	},
	.record = "--setup waits",
	.next_word = "next file",
	.left = "No stack is left.",
	.none = "No stack was recorded. To record some, press R or run\n"
		"ftop-trace record --setup waits COMMAND",
	.find = find,
	.begin = begin,
	.end = end,
	.take = take,
	.rows = rows,
	.say = say,
	.tell = tell,
	.compare = compare,
	.compared = "A stack.",
	.compares = DIFF_HAS_TOTAL,
};
