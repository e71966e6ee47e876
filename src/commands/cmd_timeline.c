/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline - who ran when: the picture of the timeline view as text, or its intervals as rows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/table_out.h"
#include "src/commands/table_command.h"
#include "src/timeline/markers.h"
#include "src/timeline/series.h"
#include "src/timeline/timeline.h"
#include "src/timeline/timeline_groups.h"
#include "src/timeline/timeline_guests.h"
#include "src/timeline/timeline_text.h"
#include "src/trace/cpu_groups.h"
#include "src/trace/time_option.h"
#include "src/trace/warnings.h"

enum { OPT_WIDTH = 1, OPT_IRQS, OPT_AT, OPT_PLOT, OPT_BY };

#define DEFAULT_WIDTH	100
#define MIN_WIDTH	40
#define MAX_WIDTH	100000
#define MANY_CPUS	12u
#define PICTURE_TASKS	40u		/* maximum number of tasks if none were given */

const struct command_def cmd_timeline_def = {
	.name = "timeline",
	.operands = "[FILE...]",
	.summary = "who ran when, as a text chart",
	.details = "The rows are the CPUs, then the tasks that ran in the window (at most 40 in the\n"
		   "picture). With --cpu or --task, the rows are only these CPUs and tasks. With more\n"
		   "than 12 CPUs, those that are idle for the whole window share one row. If more than\n"
		   "32 others remain, the CPUs of a node, a cache or a core share a row, and its\n"
		   "height shows how busy they are. With --by, the tasks of a group share a row in the\n"
		   "same way. The percentage of a row is the share of the window in which the CPU was\n"
		   "busy or the task ran.\n\n"
		   "With the files of a host and its guest (trace-cmd record -A), the picture of the\n"
		   "host has the guest's CPUs below the tasks that ran them. CSV and JSON list these\n"
		   "as CPUs of the guest's file.\n\n"
		   "CSV and JSON have one row for each interval that overlaps the window: run,\n"
		   "idle and lost for CPUs; run, wait, preempted, sleep, blocked, gone and unknown\n"
		   "for tasks; irq and softirq for interrupts; the name of a slice. If no\n"
		   "sched_switch was recorded, the tasks of a CPU are taken from their events. An\n"
		   "interval may begin before the window and end after it. It is doubtful if events\n"
		   "were lost in it, so that it may have ended earlier. A plot has one row for each\n"
		   "event: the state is the name of the event, cpu its CPU, and detail the value of\n"
		   "the field.",
	.word_means = "--task=%s",
	.examples = "A tenth of a second, of two CPUs and one task:\n"
		    "  ftop-trace timeline --from=7.5 --to=7.6 --cpu=0,1 --task=bash",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "width", .arg = "CELLS", .id = OPT_WIDTH,
		  .help = "width of the picture with its labels (default: the terminal's, or 100)" },
		{ .name = "irqs", .id = OPT_IRQS,
		  .help = "add rows for the interrupts and softirqs of each CPU" },
		{ .name = "plot", .arg = "EVENT[.FIELD]", .id = OPT_PLOT,
		  .help = "add a row for an event or one of its fields (repeatable); * is all events, "
			  "marker.NAME a counter that programs write to trace_marker, "
			  "marker.I|NAME an instant, marker the slices of each task" },
		{ .name = "by", .arg = GROUPINGS_OPTION, .id = OPT_BY,
		  .help = "one row for all tasks of a group, in the picture" },
		{ .name = "at", .arg = "TIME", .id = OPT_AT,
		  .help = "mark this moment, and describe what the first row did then" },
		ASCII_OPTION,
		{ .name = "format", .arg = "text|csv|json", .id = FILTER_OPTION_FORMAT,
		  .help = "csv: a header line and rows; json: one object per line" },
		PART_OPTIONS("the window; CPUs and tasks that have rows; rows with a matching event"),
		ROWS_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct timeline_lines {
	struct timeline_row *list;	/* owned */
	uint32_t	nr, cap;
};

struct timeline_command {
	struct table_command common;
	const char	**plot_names;	/* owned: as given */
	unsigned int	nr_names, cap_names;
	struct series	**plots;	/* owned, [nr_plots] */
	unsigned int	nr_plots;
	struct markers	*markers;	/* owned; NULL: slices are not asked for */
	long long	width;
	bool		irqs;
	const char	*at;		/* as given, or NULL */
	int64_t		at_ts;
	struct sched	*sched;		/* borrowed */
	struct timeline	timeline;
	struct cpu_groups cpu_groups;
	enum grouping	by;
	struct timeline_groups groups;
	struct timeline_guests guests;	/* their models are owned, with their traces */
	struct timeline_lines rows;
	int64_t		first, last;	/* times of the buffer's first and last event */
	struct table_out table;		/* table of intervals */
};

static void add_row(struct timeline_command *c, enum timeline_row_kind kind, uint32_t index)
{
	mem_grow(&c->rows.list, c->rows.nr, &c->rows.cap);
	c->rows.list[c->rows.nr++] = (struct timeline_row){ kind, index };
}

static void add_task(struct timeline_command *c, uint32_t task)
{
	unsigned int cpu;

	add_row(c, TIMELINE_OF_TASK, task);
	if (timeline_guests_find(&c->timeline, task, &cpu))
		add_row(c, TIMELINE_VCPU, task);
	if (timeline_slices(&c->timeline, task))
		add_row(c, TIMELINE_SLICES, task);
}

static bool has_begun(const struct pyramid *p, enum sched_context context)
{
	struct pyramid_sum sum;
	const int64_t edges[] = { INT64_MIN, INT64_MAX };

	pyramid_columns(p, INT64_MAX, edges, 1, &sum);
	return sum.kinds >> context & 1;
}

/* A row for all CPUs, unless each has its own. */
static void add_contexts(struct timeline_command *c)
{
	bool irqs = false, softirqs = false;

	for (unsigned int i = 0; i < sched_nr_cpus(c->sched); i++) {
		irqs |= has_begun(sched_contexts(c->sched, i), SCHED_CONTEXT_IRQ);
		softirqs |= has_begun(sched_contexts(c->sched, i), SCHED_CONTEXT_SOFTIRQ);
	}
	if (irqs)
		add_row(c, TIMELINE_IRQS, TIMELINE_ALL_CPUS);
	if (softirqs)
		add_row(c, TIMELINE_SOFTIRQS, TIMELINE_ALL_CPUS);
}

/* Were CPUs not given, or is it one of them?  One without records has no row unless it is. */
static bool is_kept_cpu(const struct timeline_command *c, unsigned int i)
{
	const struct sched_pass *pass = sched_pass_of(c->sched);
	int cpu = sched_pass_cpu(pass, i);

	if (c->common.given.cpus &&
	    (cpu < 0 || (unsigned int)cpu >= FILTER_OPTION_CPUS || !c->common.given.cpus[cpu]))
		return false;
	if (!table_command_keeps(&c->common, EVENT_COUNTS_CPU, cpu))
		return false;
	return sched_cpu(c->sched, i)->nr_chunks || c->common.given.cpus;
}

static void add_cpu(struct timeline_command *c, unsigned int i)
{
	const struct pyramid *contexts = sched_contexts(c->sched, i);

	add_row(c, TIMELINE_CPU, i);
	if (c->irqs && has_begun(contexts, SCHED_CONTEXT_IRQ))
		add_row(c, TIMELINE_IRQS, i);
	if (c->irqs && has_begun(contexts, SCHED_CONTEXT_SOFTIRQ))
		add_row(c, TIMELINE_SOFTIRQS, i);
}

/* The groups of a picture's CPUs, and how deep they are closed. */
static uint32_t find_cpu_groups(struct timeline_command *c, const bool *busy)
{
	uint32_t nr = sched_nr_cpus(c->sched), nr_busy = 0;
	int *cpus = mem_array(nr + 1, sizeof(*cpus));

	for (uint32_t i = 0; i < nr; i++) {
		cpus[i] = sched_pass_cpu(sched_pass_of(c->sched), i);
		nr_busy += busy[i];
	}
	cpu_groups_find(&c->cpu_groups, trace_machine(c->common.trace, 0), cpus, nr);
	c->timeline.cpu_groups = &c->cpu_groups;
	free(cpus);
	return cpu_groups_fold_depth(&c->cpu_groups, nr_busy);
}

/* In the order of nodes, caches and cores; a closed group has one row, if any of its CPUs has. */
static void add_grouped_cpus(struct timeline_command *c, const bool *busy)
{
	uint32_t depth = find_cpu_groups(c, busy), group = 0, closed = 0;
	const struct cpu_groups *groups = &c->cpu_groups;

	for (uint32_t i = 0; i < groups->nr_cpus; i++) {
		for (; group < groups->nr && groups->list[group].first == i; group++) {
			if (i < closed || groups->list[group].depth < depth)
				continue;
			closed = depth < CPU_LEVELS ? i + groups->list[group].nr : closed;
			for (uint32_t k = i; k < closed; k++)
				if (busy[groups->order[k]]) {
					add_row(c, TIMELINE_CPUS, group);
					break;
				}
		}
		if (i >= closed && busy[groups->order[i]])
			add_cpu(c, groups->order[i]);
	}
}

/*
 * With many CPUs, those idle in the whole window share one row of a picture, and many others have
 * rows of groups, unless CPUs were given.
 */
static void add_cpus(struct timeline_command *c)
{
	uint32_t nr = sched_nr_cpus(c->sched), idle = 0;
	bool folds = nr > MANY_CPUS && !c->common.given.cpus &&
		     c->common.given.format == FORMAT_TEXT;
	bool *busy = mem_array(nr + 1, sizeof(*busy));

	for (uint32_t i = 0; i < nr; i++) {
		busy[i] = is_kept_cpu(c, i);
		if (!busy[i] || !folds || !timeline_is_idle_cpu(&c->timeline, i))
			continue;
		busy[i] = false;
		idle++;
	}
	if (folds)
		add_grouped_cpus(c, busy);
	for (uint32_t i = 0; i < nr && !folds; i++)
		if (busy[i])
			add_cpu(c, i);
	if (idle)
		add_row(c, TIMELINE_IDLE_CPUS, idle);
	free(busy);
}

struct timeline_wanted {
	const struct table_command *c;
	unsigned int	option;		/* which --task */
	int		pids[64];	/* of tasks that had the name at some time */
	unsigned int	nr;
};

static void see_name(void *arg, int pid, const char *name)
{
	struct timeline_wanted *w = arg;

	for (unsigned int i = 0; i < w->nr; i++)
		if (w->pids[i] == pid)
			return;
	if (filter_given_names(&w->c->given, w->option, (uint32_t)pid, name) &&
	    w->nr < sizeof(w->pids) / sizeof(w->pids[0]))
		w->pids[w->nr++] = pid;
}

static int by_pid(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Tasks by a pid or a name. */
static bool is_kept(const struct timeline_command *c, uint32_t task)
{
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(c->sched));

	return table_command_keeps(&c->common, EVENT_COUNTS_TASK,
				   (int)sched_rules_task(rules, task)->pid);
}

/* Does the pid have several tasks, and this one not live in the window, or not have the name? */
static bool is_other(const struct timeline_command *c, unsigned int option, uint32_t task)
{
	const struct sched_pass *pass = sched_pass_of(c->sched);
	const struct sched_task *t = sched_rules_task(sched_pass_rules(pass), task);
	int64_t from = c->at ? c->at_ts : c->timeline.from,
		to = c->at ? c->at_ts : timeline_to(&c->timeline) - 1;

	return (t->former != SCHED_NO_TASK || t->to != INT64_MAX) &&
	       (sched_task_time(t, from) > to || sched_task_time(t, to) < from ||
		!filter_given_names(&c->common.given, option, t->pid, sched_pass_comm(pass, task)));
}

/* Tasks that had the pid, up to the last one, the first one first. */
static unsigned int add_lives(struct timeline_command *c, unsigned int option, uint32_t last)
{
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(c->sched));
	unsigned int added = 0;

	if (last >= sched_nr_tasks(c->sched) || !is_kept(c, last))
		return 0;
	if (sched_rules_task(rules, last)->former != SCHED_NO_TASK)
		added = add_lives(c, option, sched_rules_task(rules, last)->former);
	if (is_other(c, option, last))
		return added;
	add_task(c, last);
	return added + 1;
}

/* Those of the @i-th --task. */
static int add_tasks(struct timeline_command *c, unsigned int option, struct ft_error *err)
{
	const char *word = c->common.given.tasks[option].text, *why;
	struct timeline_wanted w = { .c = &c->common, .option = option };
	unsigned int added = 0;
	char *end;
	long pid = strtol(word, &end, 10);

	if (end != word && !*end && pid > 0 && pid <= INT32_MAX)
		w.pids[w.nr++] = (int)pid;
	else
		trace_comms(c->common.trace, 0, see_name, &w);
	qsort(w.pids, w.nr, sizeof(w.pids[0]), by_pid);
	for (unsigned int i = 0; i < w.nr; i++)
		added += add_lives(c, option,
				   sched_rules_find(sched_pass_rules(sched_pass_of(c->sched)),
						    (uint32_t)w.pids[i], INT64_MAX));
	if (added || c->common.filter)
		return 0;
	if (table_command_check_tasks(&c->common, err))
		return -1;
	why = trace_is_of_tasks(c->common.trace, 0) ? TRACE_OF_TASKS :
						      "this buffer has no states of this task";
	if (c->common.file->nr == 1)
		return ft_error_set(err, FT_E_USAGE, -1, "--task %s: %s", word, why);
	warnings_tell("--task %s: %s", word, why);	/* another file may */
	return 0;
}

/* Opens the plots and waits until they are complete. */
static int open_plots(struct timeline_command *c, struct ft_error *err)
{
	unsigned int buffer = sched_pass_buffer(sched_pass_of(c->sched));

	c->plots = mem_array(c->nr_names + 1, sizeof(*c->plots));
	for (unsigned int i = 0; i < c->nr_names; i++) {
		struct series *series;

		/* All events have a picture only, no intervals. */
		if (!strcmp(c->plot_names[i], "*")) {
			if (c->common.given.format == FORMAT_TEXT)
				add_row(c, TIMELINE_PLOT, TIMELINE_ALL_EVENTS);
			continue;
		}
		if (markers_are_meant(c->common.trace, 0, c->plot_names[i])) {
			c->markers = c->markers ?: markers_new(c->common.trace, 0, buffer);
			continue;
		}
		series = series_new(c->common.trace, 0, buffer, c->plot_names[i], 0, err);
		if (!series)
			return -1;
		add_row(c, TIMELINE_PLOT, c->nr_plots);
		c->plots[c->nr_plots++] = series;
	}
	for (unsigned int i = 0; i < c->nr_plots; i++)
		series_wait(c->plots[i]);
	if (c->markers)
		markers_wait(c->markers);
	c->timeline.markers = c->markers;
	c->timeline.plots = c->plots;
	c->timeline.nr_plots = c->nr_plots;
	return 0;
}

/* Rows of groups; the tasks that are in none are left in the list. */
static void add_groups(struct timeline_command *c, uint32_t *tasks, uint32_t *nr)
{
	uint32_t nr_groups, nr_kept = 0, nr_left = 0, *order, *of;

	for (uint32_t i = 0; i < *nr; i++)
		if (is_kept(c, tasks[i]))
			tasks[nr_kept++] = tasks[i];
	timeline_groups_make(&c->groups, &c->timeline, c->by, groupings[c->by].least, tasks,
			     nr_kept);
	order = timeline_groups_order(&c->groups, &nr_groups);
	of = timeline_groups_of(&c->groups, tasks, nr_kept);
	for (uint32_t i = 0; i < nr_groups; i++)
		add_row(c, TIMELINE_GROUP, order[i]);
	for (uint32_t i = 0; i < nr_kept; i++)
		if (of[i] == UINT32_MAX)
			tasks[nr_left++] = tasks[i];
	*nr = nr_left;
	free(order);
	free(of);
}

/* The models of the file's guests that are among the operands. */
static void open_guests(struct timeline_command *c)
{
	const struct source *host = trace_file_of(c->common.trace, 0);
	unsigned int at = 0;
	struct trace *trace;

	while ((trace = trace_guests_open(c->common.file->list, host, TRACE_GUEST, &at))) {
		struct sched *sched = sched_new(trace, 0, 0);

		sched_wait(sched);
		trace_wait_all(trace);
		mem_grow(&c->guests.list, c->guests.nr, &c->guests.cap);
		c->guests.list[c->guests.nr++] = (struct timeline_guest){
			.guest = trace_guest_of(host, trace_file_of(trace, 0)), .sched = sched,
		};
	}
	c->timeline.guests = &c->guests;
}

static void close_guests(struct timeline_command *c)
{
	for (unsigned int i = 0; i < c->guests.nr; i++) {
		struct sched *sched = c->guests.list[i].sched;
		struct trace *trace = sched_trace(sched);

		sched_free(sched);
		trace_close(trace);
	}
	free(c->guests.list);
}

static int find_rows(struct timeline_command *c, struct ft_error *err)
{
	uint32_t *tasks, nr, most = PICTURE_TASKS;

	if (c->common.given.cpus || !c->common.given.nr_tasks)
		add_cpus(c);
	if (open_plots(c, err))
		return -1;
	for (unsigned int i = 0; i < c->common.given.nr_tasks; i++)
		if (add_tasks(c, i, err))
			return -1;
	if (c->common.given.cpus || c->common.given.nr_tasks)
		return 0;
	if (!c->irqs && c->common.given.format == FORMAT_TEXT)
		add_contexts(c);
	nr = timeline_tasks(&c->timeline, c->common.given.format != FORMAT_TEXT, true, &tasks);
	if (c->by && c->common.given.format == FORMAT_TEXT)
		add_groups(c, tasks, &nr);
	for (uint32_t i = 0; i < nr && (most || c->common.given.format != FORMAT_TEXT); i++) {
		if (!is_kept(c, tasks[i]))
			continue;
		add_task(c, tasks[i]);
		most -= most > 0;
	}
	free(tasks);
	return 0;
}

/* --- the picture ---------------------------------------------------------------------- */

static void add_picture(struct timeline_command *c, struct text *out)
{
	const struct timeline_text picture = {
		.rows = c->rows.list, .nr_rows = c->rows.nr, .label = TIMELINE_TEXT_LABEL,
		.has_at = c->at, .at_ts = c->at_ts, .picker = &c->common.picker,
	};

	timeline_text_picture(&c->timeline, &picture, out);
}

/* --- intervals -------------------------------------------------------------------------- */

static const char *const cpu_states[] = { "unknown", "run", "idle", "lost" };
static const char *const task_states[] = { "unknown", "run",     "wait", "preempted",
					   "sleep",   "blocked", "gone", "unknown" };
static const char *const contexts[] = { "", "softirq", "irq", "nmi" };

struct interval {
	const char	*row, *state;
	struct pyramid_state s;
	int		cpu;		/* -1: none */
	uint32_t	task;		/* SCHED_NO_TASK: none */
	uint32_t	pid;		/* its, as what follows */
	const char	*comm;		/* "" where there is no task */
	struct text	detail;
};

/* "woken by 12", "woken by irq eth0 (in 12)" */
static void set_waker(struct timeline_command *c, struct interval *v)
{
	const struct sched_pass *pass = sched_pass_of(c->sched);
	const struct sched_source *source = sched_wake_source(c->sched, v->s.arg);
	uint32_t waker = sched_waker(c->sched, v->s.arg), pid = 0;

	if (waker == SCHED_NO_TASK)
		return;
	if (waker != SCHED_IDLE_TASK)
		pid = sched_rules_task(sched_pass_rules(pass), waker)->pid;
	text_add(&v->detail, "woken by ");
	if (!source) {
		text_printf(&v->detail, "%" PRIu32, pid);
		return;
	}
	sched_source_text(c->common.trace, pass, sched_file(c->sched), source, &v->detail);
	text_printf(&v->detail, " (in %" PRIu32 ")", pid);
}

static void set_task_detail(struct timeline_command *c, struct interval *v)
{
	const struct sched_pass *pass = sched_pass_of(c->sched);

	switch ((enum sched_state)v->s.kind) {
	case SCHED_RUNS:
		v->cpu = sched_pass_cpu(pass, v->s.arg);
		break;
	case SCHED_WAITS:
		set_waker(c, v);
		break;
	case SCHED_PREEMPTED:
	case SCHED_SLEEPS:
	case SCHED_BLOCKED:
	case SCHED_GONE:
		sched_states_text(&sched_pass_types(pass)->states, v->s.arg, &v->detail);
		break;
	case SCHED_UNKNOWN:
		break;
	}
}

static void set_interval(struct timeline_command *c, const struct timeline_row *row,
			 struct interval *v)
{
	const struct sched_pass *pass = sched_pass_of(c->sched);

	v->cpu = -1;
	v->task = SCHED_NO_TASK;
	v->comm = "";
	text_clear(&v->detail);
	switch (row->kind) {
	case TIMELINE_CPU:
		v->row = "cpu";
		v->state = cpu_states[v->s.kind];
		if (v->s.kind == SCHED_CPU_RUNS && sched_pass_is_seen(pass))
			v->state = "seen";
		v->cpu = sched_pass_cpu(pass, row->index);
		if (v->s.kind == SCHED_CPU_RUNS)
			v->task = v->s.arg;
		break;
	case TIMELINE_IRQS:
	case TIMELINE_SOFTIRQS:
		v->row = "irq";
		v->state = contexts[v->s.kind & 3];
		v->cpu = sched_pass_cpu(pass, row->index);
		text_printf(&v->detail, "%" PRIu32, sched_source_of(c->sched, v->s.arg)->number);
		break;
	case TIMELINE_OF_TASK:
		v->row = "task";
		v->state = task_states[v->s.kind];
		v->task = row->index;
		set_task_detail(c, v);
		break;
	case TIMELINE_PLOT:
		v->row = "plot";
		v->state = series_name(c->plots[row->index]);
		break;
	case TIMELINE_SLICES:
		v->row = "slice";
		v->state = markers_name(c->markers, v->s.arg);
		v->task = row->index;
		break;
	case TIMELINE_GROUP:
	case TIMELINE_CPUS:
	case TIMELINE_IDLE_CPUS:
	case TIMELINE_PARTS:
	case TIMELINE_VCPU:
		break;
	}
	if (v->s.again && (row->kind == TIMELINE_CPU || row->kind == TIMELINE_OF_TASK) &&
	    v->s.kind == SCHED_RUNS)
		text_add(&v->detail, "cut");
	if (v->task == SCHED_NO_TASK)
		return;
	v->pid = sched_rules_task(sched_pass_rules(pass), v->task)->pid;
	v->comm = sched_comm(c->sched, v->task, v->s.from);
}

static bool has_cpu(const void *row)
{
	return ((const struct interval *)row)->cpu >= 0;
}

static bool has_task(const void *row)
{
	return ((const struct interval *)row)->task != SCHED_NO_TASK;
}

static bool is_state(const void *row)
{
	const struct interval *v = row;

	return !strcmp(v->row, "task") || !strcmp(v->row, "slice");
}

static int64_t duration(const void *row)
{
	const struct pyramid_state *s = &((const struct interval *)row)->s;

	return s->to - s->from;
}

static void add_detail(const void *row, struct text *out)
{
	text_add(out, text_str(&((const struct interval *)row)->detail));
}

static const struct table_column of_interval[] = {
	{ "row", TABLE_MEMBER(struct interval, row) },
	{ "start_ns", TABLE_MEMBER(struct interval, s.from), .kind = TABLE_NUMBER },
	{ "end_ns", TABLE_MEMBER(struct interval, s.to), .kind = TABLE_NUMBER },
	{ "duration_ns", .kind = TABLE_NUMBER, .number = duration },
	{ "state", TABLE_MEMBER(struct interval, state) },
	TABLE_CLOCK_AT(0),
	{ "cpu", TABLE_MEMBER(struct interval, cpu), .kind = TABLE_NUMBER, .known = has_cpu },
	{ "pid", TABLE_MEMBER(struct interval, pid), .kind = TABLE_COUNT, .known = has_task },
	{ "comm", TABLE_MEMBER(struct interval, comm) },
	{ "detail", .text = add_detail },
	{ "doubtful", .kind = TABLE_NUMBER, TABLE_MEMBER(struct interval, s.doubtful),
	  .known = is_state },
};

static const struct table_columns interval_columns = { TABLE_COLUMNS(of_interval) };

static const struct pyramid *pyramid_of(const struct timeline_command *c,
					const struct timeline_row *row)
{
	return row->kind == TIMELINE_CPU     ? sched_cpu(c->sched, row->index) :
	       row->kind == TIMELINE_OF_TASK ? sched_task(c->sched, row->index) :
	       row->kind == TIMELINE_SLICES  ? timeline_slices(&c->timeline, row->index) :
					       sched_contexts(c->sched, row->index);
}

struct plot_rows {
	struct timeline_command *c;
	const struct timeline_row *row;
	struct output	*out;
	struct ft_error	*err;
	struct interval	 v;
	int		 ret;
};

static bool add_event(void *arg, const struct series_event *event)
{
	struct plot_rows *r = arg;

	r->v.s = (struct pyramid_state){ .from = event->ts, .to = event->ts };
	set_interval(r->c, r->row, &r->v);
	r->v.cpu = event->cpu;
	if (series_has_values(r->c->plots[r->row->index]))
		text_printf(&r->v.detail, "%" PRId64, event->value);
	r->ret = table_command_row(&r->c->common, &r->c->table, &r->v, r->out, r->err);
	return !r->ret && !r->out->closed && !row_picker_is_full(&r->c->common.picker);
}

static int add_events(struct timeline_command *c, const struct timeline_row *row,
		      struct output *out, struct ft_error *err)
{
	struct plot_rows r = { .c = c, .row = row, .out = out, .err = err };

	series_each(c->plots[row->index], c->common.has_from ? c->common.from_ts : INT64_MIN,
		    c->common.has_to ? c->common.to_ts : INT64_MAX, add_event, &r);
	text_fini(&r.v.detail);
	return r.ret;
}

/* A row's intervals that touch the window. */
static int add_intervals(struct timeline_command *c, const struct timeline_row *row,
			 struct output *out, struct ft_error *err)
{
	unsigned int only = row->kind == TIMELINE_IRQS     ? SCHED_CONTEXT_IRQ :
			    row->kind == TIMELINE_SOFTIRQS ? SCHED_CONTEXT_SOFTIRQ :
			    row->kind == TIMELINE_SLICES   ? MARKERS_SLICE :
							     0; /* all kinds */
	struct interval v = { 0 };
	struct pyramid_iter it;
	int ret = 0;

	pyramid_iter_init(&it, pyramid_of(c, row), sched_end(c->sched),
			  c->common.has_from ? c->common.from_ts : INT64_MIN);
	while (!ret && !out->closed && !row_picker_is_full(&c->common.picker) &&
	       pyramid_iter_next(&it, &v.s) && (!c->common.has_to || v.s.from <= c->common.to_ts)) {
		if (only && v.s.kind != only)
			continue;
		set_interval(c, row, &v);
		ret = table_command_row(&c->common, &c->table, &v, out, err);
	}
	text_fini(&v.detail);
	return ret;
}

/* --- all of it ---------------------------------------------------------------------------- */

static int take_options(struct timeline_command *c, const struct option_list *list,
			struct ft_error *err)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_value *v = &list->values[i];

		if (v->id == OPT_WIDTH &&
		    options_number("--width", v->value, MIN_WIDTH, MAX_WIDTH, &c->width, err))
			return -1;
		if (v->id == OPT_PLOT) {
			mem_grow(&c->plot_names, c->nr_names, &c->cap_names);
			c->plot_names[c->nr_names++] = v->value;
		}
		if (v->id == OPT_AT)
			c->at = v->value;
		c->irqs |= v->id == OPT_IRQS;
		if (v->id == OPT_BY && !(c->by = grouping_find(v->value, err)))
			return -1;
	}
	if (!c->width)
		c->width = output_cells(STDOUT_FILENO) ?: DEFAULT_WIDTH;
	if (c->width < MIN_WIDTH)
		c->width = MIN_WIDTH;
	return 0;
}

/* The window, as columns of whole units that cover it. */
static void set_window(struct timeline_command *c)
{
	int64_t from = c->common.has_from ? c->common.from_ts : c->first,
		to = c->common.has_to ? c->common.to_ts : c->last;
	uint64_t columns = (uint64_t)c->width - TIMELINE_TEXT_LABEL, span;

	if (to <= from) {
		from -= from == INT64_MAX;
		to = from + 1;
	}
	span = (uint64_t)to - (uint64_t)from;
	c->timeline.ascii = c->common.given.ascii || output_locale_is_ascii();
	timeline_set(&c->timeline, c->sched, from, (int64_t)((span - 1) / columns + 1),
		     (unsigned int)columns);
}

static int print(struct timeline_command *c, struct ft_error *err)
{
	struct output out;
	int ret = 0;

	output_init(&out, STDOUT_FILENO);
	table_out_init(&c->table, &interval_columns, c->common.given.format, c->common.clock);
	c->table.clock = c->common.clock;
	command_file_begin(c->common.file, &c->common.given, &c->table, &out);
	if (c->common.given.format == FORMAT_CSV && !c->common.picker.count &&
	    command_file_heads(c->common.file, FORMAT_CSV))
		table_out_heading(&c->table, &out.block);
	if (c->common.given.format == FORMAT_TEXT)
		add_picture(c, &out.block);
	for (uint32_t i = 0; i < c->rows.nr && !ret && c->common.given.format != FORMAT_TEXT; i++)
		ret = c->rows.list[i].kind == TIMELINE_PLOT ?
			      add_events(c, &c->rows.list[i], &out, err) :
			      add_intervals(c, &c->rows.list[i], &out, err);
	table_out_fini(&c->table);
	return row_picker_end(&c->common.picker, &out, ret, err);
}

/* Explains why a picture has nothing in it. */
static void tell_nothing(const struct timeline_command *c)
{
	if (!c->rows.nr && c->common.given.cpus && !c->common.filter)
		warnings_tell("--cpu: the trace has none of these CPUs");
}

static int run_trace(struct timeline_command *c, struct ft_error *err)
{
	if (table_command_model(&c->common, err))
		return -1;
	c->sched = c->common.model;
	if (!sched_span(c->sched, &c->first, &c->last))
		c->first = c->last = 0;
	set_window(c);
	if (c->common.given.format == FORMAT_TEXT)
		open_guests(c);
	table_command_keep(&c->common);
	if (table_command_check_filter(&c->common, err) || find_rows(c, err) || print(c, err))
		return -1;
	c->common.has_rows = true;	/* tell_nothing() explains an empty picture */
	tell_nothing(c);
	table_command_tell(&c->common);
	table_command_tell_kept(&c->common);
	return 0;
}

int cmd_timeline(const struct command_file *file, struct ft_error *err)
{
	struct timeline_command c = { 0 };
	int ret = take_options(&c, file->list, err);

	if (!ret)
		ret = table_command_init(&c.common, file, err);
	if (!ret && c.at)
		ret = time_option_parse(c.common.trace, "at", c.at, &c.at_ts, err);
	if (!ret)
		ret = table_command_bind(&c.common, err);
	if (!ret)
		ret = run_trace(&c, err);
	timeline_fini(&c.timeline);
	timeline_groups_fini(&c.groups);
	close_guests(&c);
	cpu_groups_fini(&c.cpu_groups);
	for (unsigned int i = 0; i < c.nr_plots; i++)
		series_free(c.plots[i]);
	free(c.plots);
	markers_free(c.markers);
	free(c.plot_names);
	table_command_fini(&c.common);
	free(c.rows.list);
	return ret;
}
