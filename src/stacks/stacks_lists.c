/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/stacks/stacks_lists.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/functions/function_table.h"
#include "src/model/list_source.h"
#include "src/trace/groupings.h"
#include "src/stacks/stacks.h"

/* --- rows ------------------------------------------------------------------------------------- */

enum { OF_WAITS = 1, OF_EVENTS = 2 };	/* table_column.needs */

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
	  .help = "share of the time of all waits, or of all events" },
	{ "waits", "waits", .width = 8, .cells = 9, .kind = TABLE_COUNT, .needs = OF_WAITS,
	  TABLE_MEMBER(struct stack_row, count), .bound = TABLE_AT_LEAST,
	  .help = "how many waits there were" },
	{ "stack", "stack", .width = 1, .align = TABLE_LEFT, .gap = 1, .text = add_stack },
};

struct table_columns stack_columns(bool of_events)
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

uint32_t stack_rows(const struct stack_names *names, struct stack_row **rows)
{
	uint32_t nr = 0, most = call_paths_nr(names->paths);
	uint64_t all = 0;

	*rows = mem_array(most, sizeof(**rows));
	for (uint32_t i = 1; i < most; i++) {
		const struct call_path *path = call_paths_at(names->paths, i);

		if (__builtin_add_overflow(all, path->self, &all))
			all = UINT64_MAX;
		if (path->calls)
			(*rows)[nr++] = (struct stack_row){ .total = path->self,
							    .count = path->calls,
							    .names = names, .path = i };
	}
	for (uint32_t i = 0; i < nr; i++)
		(*rows)[i].all = all;
	if (nr)
		qsort(*rows, nr, sizeof(**rows), by_weight);
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
	struct stacks	*waits, *events;	/* owned; NULL: the file has none */
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

static bool has_stacks(struct trace *trace, unsigned int file)
{
	return trace_has_event(trace, file, "kernel_stack") ||
	       trace_has_event(trace, file, "user_stack");
}

bool stacks_are_of_events(struct trace *trace, unsigned int file)
{
	bool is_perf = source_info(trace_file_of(trace, file))->nr_event_names;

	return (has_stacks(trace, file) || is_perf) && !has_waits(trace, file);
}

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	*variant = 0;
	return list_find_file(trace, file, next, has_stacks);
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

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct stacks_options options = { .what = scope->what };
	const struct stacks_lists *former = scope->former;
	struct stacks_lists *m = mem_alloc(sizeof(*m));

	(void)err;
	m->trace = scope->trace;
	if (has_waits(m->trace, scope->what.file))
		m->waits = stacks_next(former ? former->waits : NULL, m->trace, &options);
	options.of_events = true;
	m->events = stacks_new(m->trace, &options);
	return m;
}

static void make_rows(struct stacks_lists *m, const struct stacks_result *result)
{
	for (unsigned int i = 0; i < STACKS_NR; i++) {
		if (m->rows[i] || !result->paths[i])
			continue;
		m->names[i] = (struct stack_names){ .paths = result->paths[i], .trace = m->trace };
		m->nr[i] = stack_rows(&m->names[i], &m->rows[i]);
	}
}

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct stacks_lists *m = model;

	if (wait && m->waits)
		stacks_wait(m->waits);
	if (wait)
		stacks_wait(m->events);
	if (permille)
		*permille = 0;
	if (m->waits && !stacks_result(m->waits)) {
		if (!wait)
			return LIST_LATER;
		ft_error_set(err, FT_E_LIMIT, -1, "too many tasks");
		return LIST_FAILED;
	}
	if (!stacks_result(m->events))
		return LIST_LATER;
	if (m->waits)
		make_rows(m, stacks_result(m->waits));
	make_rows(m, stacks_result(m->events));
	return LIST_DONE;
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	struct stacks_lists *m = model;
	static const char *const commands[STACKS_NR] = { "stacks", "stacks --waker",
							 "stacks --both", "stacks --events" };
	const struct stacks_result *waits = m->waits ? stacks_result(m->waits) : NULL;
	bool of_events = list == STACKS_EVENTS;

	(void)by;
	m->columns = stack_columns(of_events);
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
		.columns = &m->columns, .array = m->rows[list], .bytes = sizeof(struct stack_row),
		.nr = m->nr[list], .lacks = m->columns.lacks,
		.order = of_events ? 2 : 1, .figure = LIST_BY_ORDER,
		.heading = m->heading.len ? text_str(&m->heading) : NULL,
		.command = commands[list], .damaged = trace_status(m->trace).damaged_pages,
		.nothing = !of_events && !waits ?
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
	text_add(heading, list == STACKS_EVENTS ? "stack of events" : "stack of waits");
	add_stack(row, out);
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
	bool of_events = list == STACKS_EVENTS;

	if (list == LIST_ANY)
		compare_best(m, diff, side);
	else if (m->rows[list])
		add_paths(diff, side, m->names[list].paths,
			  &(struct frames){ m->trace, !of_events && list != STACKS_WAKER },
			  !of_events);
}

static const struct list_def lists[STACKS_NR] = {
	[0 ... STACKS_NR - 1] = { "stack", .name_least = 30, .name_most = 400, .key = key },
};

const struct list_tab stacks_list_tabs[] = {
	{ 'o', "off-CPU" }, { 'w', "waker" }, { 'b', "both" }, { 'e', "events" },
	{ 'n', "next file" }, { 0, NULL },
};

const struct list_source stacks_list_source = {
	.title = "Stacks",
	.short_title = "Stack",
	.key = 'B',
	.about = "stacks of tasks that left the CPU, of wakers, of events",
	.command.name = "stacks",	/* src/commands/cmd_stacks.c */
	.lists = lists,
	.tabs = stacks_list_tabs,
	.nr = STACKS_NR,
	.help = {
		.search = "find text or /regex/ in the frames",
		.next = "show the next list: off-CPU stacks, wakers' stacks, both joined, events",
		.choose = "choose a list: o off-CPU, w wakers, b both, e events",
		.hint = "Tip: Tab the other stacks; Functions draws them as a flame graph: 5, o",
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
	.compare = compare,
	.compared = "A stack.",
	.compares = DIFF_HAS_TOTAL,
};
