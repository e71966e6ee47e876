/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakeups_lists - wake-ups as a list_source. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/model/list_source.h"
#include "src/sched/sched_interrupts.h"
#include "src/sched/sched_tell.h"
#include "src/trace/groupings.h"
#include "src/trace/warnings.h"
#include "src/wakeups/wakeups.h"

/* --- columns ------------------------------------------------------------------------------ */

enum { OF_LATENCY = 1 };		/* table_column.own */

static bool did_run(const void *row)
{
	return ((const struct wakeup_row *)row)->cpu >= 0;
}

/* A clock that went back has no duration. */
static bool has_latency(const void *row)
{
	return did_run(row) && ((const struct wakeup_row *)row)->latency >= 0;
}

static void add_task(const void *p, struct text *out)
{
	const struct wakeup_row *row = p;

	text_printf(out, "%s-%" PRIu32, row->comm, row->pid);
}

static void add_waker(const void *p, struct text *out)
{
	const struct wakeup_row *row = p;

	sched_interrupts_add_waker(row->context, row->waker_comm, (uint32_t)row->waker_pid, out);
}

#define ROW(member)	TABLE_MEMBER(struct wakeup_row, member)
#define LATE		TABLE_LEAST(struct wakeup_row, late)

/* In the order of the screen, the task first; .place is that of text, CSV and JSON. */
static const struct table_column columns[] = {
	{ .title = "task", .place = 7, .width = 20, .align = TABLE_LEFT, .cells = 14,
	  .text = add_task, .help = "the task that was woken" },
	{ "wake_ts_ns", "woken", .place = 1, ROW(ts), .kind = TABLE_MOMENT, .width = 15,
	  .align = TABLE_LEFT, .cells = 16, .help = "when it was woken" },
	TABLE_CLOCK_AT(2),
	{ "run_ts_ns", .place = 3, ROW(run_ts), .kind = TABLE_NUMBER, .known = did_run },
	{ "latency_ns", .place = 4, ROW(latency), .kind = TABLE_TIME, .known = did_run,
	  TABLE_DOUBT(struct wakeup_row, doubtful), LATE, .bound = TABLE_AT_MOST },
	{ .title = "latency", .place = 4, ROW(latency), .kind = TABLE_DURATION,
	  .known = has_latency, .width = 11, .cells = 12, .marked = true, .own = OF_LATENCY,
	  TABLE_DOUBT(struct wakeup_row, doubtful), LATE,
	  .help = "until it ran; ~: events were lost, so it may have run before; >: without sched_waking, it was woken before" },
	{ "pid", .place = 5, ROW(pid), .kind = TABLE_COUNT },
	{ "comm", .place = 6, ROW(comm) },
	{ "cpu", "CPU", .place = 8, ROW(cpu), .kind = TABLE_NUMBER, .known = did_run, .width = 3,
	  .cells = 5, .help = "where it then ran" },
	{ "waker_pid", .place = 9, ROW(waker_pid), .kind = TABLE_NUMBER,
	  TABLE_IF(struct wakeup_row, waker_comm) },
	{ "waker_comm", .place = 10, ROW(waker_comm) },
	{ .title = "woken by", .place = 11, .width = 1, .align = TABLE_LEFT, .cells = 30,
	  .fills = true, .text = add_waker,
	  .help = "the task that ran there, or the interrupt that interrupted it" },
	{ "doubtful", .place = 12, ROW(doubtful), .kind = TABLE_NUMBER, .known = did_run },
	{ "context", .place = 13, ROW(context) },
};

static const struct table_columns wakeup_columns = { TABLE_COLUMNS(columns), .gap = 2,
						     .clocked = true };

/* --- the model ------------------------------------------------------------------------------- */

struct wakeups_lists {
	struct trace	*trace;		/* borrowed */
	const struct filter_given *given;	/* borrowed; NULL: a view */
	const struct list_speech *speech;	/* borrowed; NULL: the command */
	bool		filtered;
	struct wakeups	*wakeups;	/* owned */
	const struct wakeup_row *rows;	/* [nr], once it is read */
	uint32_t	nr;
};

static bool has_wakeups(struct trace *trace, unsigned int file)
{
	return !trace_is_of_tasks(trace, (int)file) &&
	       (trace_has_event(trace, file, "sched_waking") ||
		trace_has_event(trace, file, "sched_wakeup") ||
		trace_has_event(trace, file, "sched_wakeup_new"));
}

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	*variant = 0;
	return list_find_file(trace, file, next, has_wakeups);
}

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct wakeups_lists *m = mem_alloc(sizeof(*m));

	(void)err;
	m->trace = scope->trace;
	m->given = scope->given;
	m->speech = scope->speech;
	m->filtered = scope->what.nr_filters;
	m->wakeups = wakeups_new(m->trace, &scope->what, scope->given);
	return m;
}

static void end(void *model)
{
	wakeups_free(((struct wakeups_lists *)model)->wakeups);
	free(model);
}

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct wakeups_lists *m = model;

	if (permille)
		*permille = 0;
	if (wait)
		wakeups_wait(m->wakeups);
	if (!wakeups_done(m->wakeups, &m->rows, &m->nr))
		return LIST_LATER;
	if (!wakeups_full(m->wakeups))
		return LIST_DONE;
	sched_tell_full(m->trace, 0, err);
	return LIST_FAILED;
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	const struct wakeups_lists *m = model;

	(void)list;
	(void)by;
	return (struct list_rows){
		.columns = &wakeup_columns, .array = m->rows, .bytes = sizeof(*m->rows),
		.nr = m->nr, .order = table_column_own(&wakeup_columns, OF_LATENCY),
		.figure = table_column_own(&wakeup_columns, OF_LATENCY), .command = "wakeups",
		.damaged = sched_pass_totals(wakeups_pass(m->wakeups)).damaged,
		.is_partial = sched_pass_is_partial(wakeups_pass(m->wakeups)),
	};
}

static uint64_t key(const void *row)
{
	return ((const struct wakeup_row *)row)->ref;
}

static bool place(const void *model, unsigned int list, const void *row, bool end,
		  struct list_place *place)
{
	const struct wakeup_row *r = row;

	(void)model;
	(void)list;
	if (end && r->cpu < 0)
		return false;
	*place = (struct list_place){ .is_moment = true, .ref = end ? TRACE_REF_NONE : r->ref,
				      .ts = end ? r->run_ts : r->ts, .pid = (int)r->pid,
				      .cpu = r->cpu };
	if (!end && r->cpu >= 0)
		place->to = r->run_ts;
	return true;
}

/* The task in Timeline, with A where it was woken, and B where it ran. */
static struct list_step enter(void *model, unsigned int list, const void *row)
{
	struct list_step step = { .to = LIST_TO_TIMELINE, .marks = true };

	place(model, list, row, false, &step.place);
	step.place.ref = TRACE_REF_NONE;	/* that is of the waker */
	step.place.cpu = -1;
	return step;
}

static void say(const void *model, unsigned int list, const void *row, struct text *heading,
		struct text *out)
{
	const struct wakeups_lists *m = model;
	const struct wakeup_row *r = row;

	(void)list;
	text_add(heading, "wake-up");
	add_task(r, out);
	text_add(out, " was woken at ");
	m->speech->time(m->speech->arg, r->ts, out);
	text_add(out, r->waker_comm ? " by " : ", by whom is ");
	add_waker(r, out);
	if (r->cpu < 0) {
		text_add(out, ". The trace does not tell when it then ran. ");
	} else {
		text_add(out, ". It ran ");
		text_add(out, r->late ? "more than " : "");
		m->speech->span(m->speech->arg, r->latency, out);
		text_printf(out, " later, on CPU %d. ", r->cpu);
	}
	if (r->doubtful)
		text_add(out, "That is doubtful: events were lost meanwhile. ");
	text_add(out, "Enter shows it in Timeline.");
}

static void tell(const void *model, unsigned int list, bool any)
{
	const struct wakeups_lists *m = model;

	(void)list;
	sched_tell(wakeups_pass(m->wakeups), m->given, any);
	if (!any && m->filtered && !m->given->nr_tasks && !m->given->cpus && !m->given->from &&
	    !m->given->to)
		warnings_tell("no wake-up matches");
}

/* --- comparing ------------------------------------------------------------------------------ */

/* Rows are the tasks that were woken: "kworker". */
static void compare(void *model, unsigned int list, struct diff *diff, unsigned int side)
{
	const struct wakeups_lists *m = model;
	struct text name = { 0 };

	(void)list;
	diff->is_whole[side] &= sched_pass_totals(wakeups_pass(m->wakeups)).switches > 0;
	for (uint32_t i = 0; i < m->nr; i++) {
		const struct wakeup_row *row = &m->rows[i];
		struct diff_side *of;

		if (!has_latency(row) || row->doubtful)
			continue;
		text_clear(&name);
		task_kind_name(row->comm, &name);
		of = diff_side(diff, text_str(&name), side);
		of->count++;
		of->total += (uint64_t)row->latency;
		duration_set_add(&of->durations, (uint64_t)row->latency);
	}
	text_fini(&name);
}

/* --- the source ------------------------------------------------------------------------------- */

static const struct list_def lists[] = {
	{ "wake-up", .name_least = 16, .name_most = 24, .figure_word = "latency", .key = key },
};

static const struct list_keys keys[] = {
	{ "wakeups", "A wake-up.", .columns = &wakeup_columns },
	{ 0 },
};

const struct list_source wakeups_list_source = {
	.title = "Wakeups",
	.short_title = "Wake",
	.about = "who woke whom, and how long it took until the woken task ran",
	.command = {
		.name = "wakeups",
		.operands = "[FILE...]",
		.summary = "who woke whom, and how long it took until the woken task ran",
		.details = "Wake-ups are listed in the order of time; --sort=latency lists the longest first.\n"
			   "They come from sched_waking if it was recorded, otherwise from sched_wakeup. A\n"
			   "wake-up of a task that already runs or waits is left out, unless a second one\n"
			   "shows that records are missing. The waker is the task that ran on that CPU. If\n"
			   "the wake-up was made in an interrupt, or while the CPU was idle, the innermost\n"
			   "timer, irq, softirq or ipi that was recorded stands before it, and otherwise the\n"
			   "word interrupt (in CSV and JSON: context). Traces of Perfetto and LTTng may not\n"
			   "contain that: context not known. A ~ marks a doubtful latency: events were lost\n"
			   "meanwhile, so the task may have run earlier. Without sched_waking, latencies are\n"
			   "lower bounds (>), and the waker is not known where another CPU may have sent\n"
			   "the wake-up to this one: sched_wakeup is recorded where the task then waits.\n"
			   "A softirq of the network that a task's own call raised (softirq_raise), as on\n"
			   "loopback, does the work of that task: it is the waker.\n"
			   "Events of sched are read from the top buffer, or from the first buffer that has\n"
			   "any. -F keeps wake-ups whose own event matches.",
		.word_means = "--task=%s",
		.examples = "Wake-ups of bash that took longer than 1 ms, the longest first:\n"
			    "  ftop-trace wakeups --task=bash --sort=latency --min=1ms",
		.max_operands = LIST_MOST_FILES,
		.options = (const struct option_def[]){
			PART_OPTIONS("--task is the task that was woken, --cpu the CPU on which it then ran"),
			TABLE_OPTIONS, FILE_OPTIONS, OPTION_END,
		},
	},
	.picks_tasks = true,
	.keys = keys,
	.lists = lists,
	.nr = 1,
	.help = {
		.enter_bar = "Timeline",
		.enter = "show the task in Timeline, with A and B around the wait; q returns",
		.search = "find text or /regex/ in the tasks and what woke them",
	},
	.record = "-e sched_switch -e sched_waking -e sched_wakeup -e sched_wakeup_new",
	.left = "No wake-up is left.",
	.none = "No wake-up was recorded. To record some, press R or run\n"
		"ftop-trace record -e sched_switch -e sched_waking COMMAND",
	.find = find,
	.begin = begin,
	.end = end,
	.take = take,
	.rows = rows,
	.place = place,
	.enter = enter,
	.say = say,
	.tell = tell,
	.compare = compare,
	.compared = "The kind of task that was woken: its name, without numbers at the end.",
	.compares = DIFF_HAS_TOTAL | DIFF_HAS_DURATIONS,
};
