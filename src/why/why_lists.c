/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why_lists - where a task's time went, and what held all tasks up, as a list_source. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/time_math.h"
#include "src/base/workers.h"
#include "src/events/verdicts.h"
#include "src/model/list_source.h"
#include "src/sched/kept_tasks.h"
#include "src/sched/sched_tell.h"
#include "src/trace/groupings.h"
#include "src/trace/warnings.h"
#include "src/why/why.h"
#include "src/why/why_rule.h"

#define LEAST_SHARE	100		/* only parts of at least 1/100 of the time get a rule */
#define SLICE_NS	20000000	/* of work between two looks at the keyboard */

enum { OF_TREE, OF_SUMS, OF_HELD, NR_LISTS };
enum { NEEDS_HELD = 1 };		/* table_column.needs: rows of OF_HELD */
enum { OWN_HELD = 1, OWN_TOTAL };	/* table_column.own */

/* A part of the task's time, or a node: parts that are alike. */
struct why_row {
	const struct why_lists *of;
	const struct why_part *part;	/* NULL: */
	const struct why_node *node;
	int64_t		duration, all;	/* the part's duration; the node's total is 100 % */
	uint32_t	depth, pid;
	const char	*comm;		/* NULL: of no single task */
	const char	*held;
	int		held_as;	/* enum why_held */
};

struct why_lists {
	struct trace	*trace;		/* borrowed */
	struct event_sweep_options what;
	const struct filter_given *given;	/* borrowed; NULL: a view or a comparison */
	const struct list_speech *speech;	/* borrowed; NULL: no view */
	const struct list_states *lender;	/* borrowed; NULL: the model is our own */
	unsigned int	list;
	struct sched	*sched;		/* owned, or lent */
	struct kept_tasks kept;		/* of the filters, if there are any */
	struct why	*why;		/* owned */
	uint32_t	*tasks;		/* owned, [nr_tasks]: those asked about; NULL: all */
	uint32_t	nr_tasks;
	uint32_t	next, nr_all;	/* the task that is added next, of these or of all */
	uint64_t	memory;		/* of the model, after the last slice */
	struct time_range spans[2];	/* [nr_spans]: what is asked about */
	unsigned int	nr_spans;
	struct why_node	*nodes;		/* owned */
	int64_t		lived;		/* 100 % */
	struct text	several;	/* told of the other tasks with the name asked for */
	struct why_row	*rows;		/* owned, [nr], once it is done */
	uint32_t	nr;
};

static bool is_of_one(const struct why_lists *m)
{
	return m->tasks && m->nr_tasks == 1;
}

/* --- columns ------------------------------------------------------------------------------ */

static void add_what(const void *p, struct text *out)
{
	const struct why_row *row = p;
	struct sched *sched = row->of->sched;

	sched_lock(sched);
	if (row->part)
		why_text(row->of->why, (enum why_kind)row->part->kind, row->part->arg,
			 row->part->from, out);
	else
		why_sum_text(row->of->why, row->node, out);
	sched_unlock(sched);
}

/* " (the longest: both are nice 0 and ~share the CPU)" */
static void add_rule(const struct why_lists *m, const struct why_node *node, uint64_t count,
		     struct text *out)
{
	if (node->kind == WHY_BEHIND && node->max >= m->lived / LEAST_SHARE)
		why_rule_text(m->sched, node->task, node->arg, node->max_from,
			      time_after(node->max_from, node->max), count, out);
}

/* The tree's first line: whose time it is, from when to when. */
static void add_root(const struct why_lists *m, const struct why_node *node, struct text *out)
{
	int64_t from = m->spans[0].from, to = m->spans[0].to;

	if (m->list == OF_HELD && is_of_one(m))
		sched_task_text(m->sched, m->tasks[0], to, SCHED_LAST, out);
	else if (m->nr_tasks > 1)
		text_printf(out, "%u tasks called %s", m->nr_tasks, m->given->tasks[0].text);
	else
		why_node_text(m->why, node, to, out);
	add_rule(m, node, node->count, out);
	text_add(out, " from ");
	trace_time_text(m->trace, from, 9, out);
	text_add(out, " to ");
	trace_time_text(m->trace, to, 9, out);
	if (m->list == OF_HELD)
		text_add(out, is_of_one(m) ? ", from its first record on" :
					     ", each from its first record on");
}

/*
 * "behind kworker-12", "until timer hrtimer_wakeup woke it".  @kind: tasks without their numbers,
 * which another trace does not have.
 */
static void add_reason(const struct why_row *row, bool kind, struct text *out)
{
	const struct why_lists *m = row->of;
	const struct why_node *node = row->node;
	bool is_woken = node->kind == WHY_TASK || node->kind == WHY_UNTIL;
	uint32_t task = node->kind == WHY_HOLDER ? why_holder(m->why, node->arg) :
			node->kind == WHY_TASK || node->kind == WHY_BEHIND ? node->arg :
									     SCHED_NO_TASK;

	if (is_woken)
		text_add(out, "until ");
	else if (node->kind == WHY_BEHIND || node->kind == WHY_INTERRUPT)
		text_add(out, "behind ");
	sched_lock(m->sched);
	if (node->kind == WHY_IDLE)
		text_add(out, "CPU idle");
	else if (node->kind == WHY_UNTIL || node->kind == WHY_INTERRUPT)
		why_sum_text(m->why, node, out);
	else if (node->kind == WHY_HOLDER)
		text_add(out, "for a lock held by ");
	else if (node->kind != WHY_TASK && node->kind != WHY_BEHIND)
		why_node_text(m->why, node, node->max_from, out);
	if (task == SCHED_NO_TASK)
		;
	else if (kind)
		task_kind_name(sched_pass_comm(sched_pass_of(m->sched), task), out);
	else
		sched_task_text(m->sched, task, node->max_from, SCHED_LAST, out);
	sched_unlock(m->sched);
	if (is_woken)
		text_add(out, " woke it");
}

/* On the screen the reason; in text a line of the tree: "  asleep until ls-12 woke it"; of sums,
 * after the task that it is about. */
static void add_words(const void *p, struct text *out)
{
	const struct why_row *row = p;
	const struct why_lists *m = row->of;
	const struct why_node *node = row->node;

	if (m->list != OF_SUMS && !m->given) {
		add_reason(row, false, out);
		return;
	}
	sched_lock(m->sched);
	text_pad(out, (size_t)node->depth * 2);
	if (m->list == OF_SUMS)
		text_printf(out, "%s-%" PRIu32 ": ", row->comm, row->pid);
	if (node->depth || m->list == OF_SUMS) {
		why_node_text(m->why, node, node->max_from, out);
		add_rule(m, node, node->count, out);
	} else {
		add_root(m, node, out);
	}
	sched_unlock(m->sched);
}

static int64_t held_as(const void *row)
{
	return ((const struct why_row *)row)->held_as;
}

static void add_held(const void *row, struct text *out)
{
	static const char *const words[WHY_NR_HELD] = {
		[WHY_HELD_WAITS] = "runnable", [WHY_HELD_BLOCKED] = "blocked",
		[WHY_HELD_SLEEPS] = "asleep",
	};

	text_add(out, words[held_as(row)]);
}

static bool is_lived(const void *row)
{
	return why_is_lived(((const struct why_row *)row)->node);
}

/* For which CPU a task waited is a guess. */
static bool is_guess(const void *row)
{
	return ((const struct why_row *)row)->node->doubtful;
}

#define ROW(member)	TABLE_MEMBER(struct why_row, member)
#define PART(member)	TABLE_MEMBER_OF(struct why_row, part, member)
#define NODE(member)	TABLE_MEMBER_OF(struct why_row, node, member)

static const struct table_column of_part[] = {
	{ "start_ns", PART(from), .kind = TABLE_NUMBER },
	{ "end_ns", PART(to), .kind = TABLE_NUMBER },
	{ "duration_ns", ROW(duration), .kind = TABLE_NUMBER },
	TABLE_CLOCK_AT(0),
	{ "depth", ROW(depth), .kind = TABLE_COUNT },
	{ "pid", ROW(pid), .kind = TABLE_COUNT },
	{ "comm", ROW(comm) },
	{ "what", .text = add_what },
	{ "doubtful", PART(doubtful), .kind = TABLE_COUNT },
};

/* What was lost is a row of its own. */
#define LEAST	.bound = TABLE_AT_LEAST, .doubtful = is_guess
#define LATE	LEAST, .least = TABLE_THROUGH(struct why_row, node, late)

/* In the order of the screen, what it was first; .place is that of text, CSV and JSON. */
static const struct table_column of_sum[] = {
	{ .title = "what", .place = 12, .width = 1, .align = TABLE_LEFT, .cells = 30,
	  .text = add_words, .help = "what held tasks up" },
	{ "what", .place = 1, .text = add_what },
	{ "pid", .place = 2, ROW(pid), .kind = TABLE_COUNT, TABLE_IF(struct why_row, comm) },
	{ "comm", .place = 3, ROW(comm), .absent = TABLE_NULL },
	TABLE_CLOCK_AT(4),
	{ .title = "held up", .kind = TABLE_NUMBER, .number = held_as, .text = add_held,
	  .align = TABLE_LEFT, .cells = 11, .own = OWN_HELD,
	  .help = "runnable: waiting for a CPU; blocked (D): by disks, the kernel's locks, or a child of vfork; asleep, often by its own will" },
	{ "count", .place = 5, NODE(count), .kind = TABLE_COUNT, LEAST },
	{ "total_ns", "total", .place = 6, NODE(total), .kind = TABLE_TIME, .width = 14, LATE },
	{ .title = "total", .place = 6, NODE(total), .kind = TABLE_DURATION, .cells = 11, LATE,
	  .own = OWN_TOTAL, .help = "how long it held tasks up, all of them together" },
	{ .title = "%", .place = 7, .kind = TABLE_PERCENT, NODE(total),
	  TABLE_WHOLE(struct why_row, all), .known = is_lived, .width = 5, .cells = 7,
	  .help = "of the time since the first record of each task" },
	{ .title = "count", .place = 8, NODE(count), .kind = TABLE_COUNT, .width = 7, LEAST,
	  .cells = 9, .help = "how many times" },
	{ "max_ns", "max", .place = 9, NODE(max), .kind = TABLE_TIME, .width = 13, LATE },
	{ .title = "max", .place = 9, NODE(max), .kind = TABLE_DURATION, .cells = 11, LATE,
	  .marked = true, .help = "the longest time" },
	{ "max_start_ns", .place = 10, NODE(max_from), .kind = TABLE_NUMBER },
	{ "held", .place = 11, ROW(held), .needs = NEEDS_HELD },
	{ "doubtful", .place = 13, NODE(doubtful), .kind = TABLE_COUNT },
};

static const struct table_columns part_columns = { TABLE_COLUMNS(of_part) },
				  held_columns = { TABLE_COLUMNS(of_sum), .gap = 1,
						   .clocked = true },
				  sum_columns = { TABLE_COLUMNS(of_sum), .gap = 1,
						  .clocked = true, .lacks = NEEDS_HELD };

/* --- the tasks asked about -------------------------------------------------------------------- */

static const struct sched_rules *rules_of(const struct why_lists *m)
{
	return sched_pass_rules(sched_pass_of(m->sched));
}

#define MOST_TOLD	8u		/* tasks in a message */

struct wanted {
	struct why_lists *m;		/* its tasks */
	bool		*found;		/* owned, [sched_nr_tasks()] */
	struct text	 pids;		/* of the first tasks found, for the message; and: */
	struct text	 births;	/* when they were born */
	bool		 one_pid;	/* of all */
};

/* A name of a task. */
static void see_task(struct wanted *w, uint32_t task, const char *name)
{
	struct why_lists *m = w->m;
	const struct sched_task *t = sched_rules_task(rules_of(m), task);

	if (!sched_task(m->sched, task)->nr_chunks || w->found[task] ||
	    sched_task_time(t, m->spans[0].from) > m->spans[0].to ||
	    sched_task_time(t, m->spans[0].to) < m->spans[0].from ||
	    !filter_given_wants(m->given, t->pid, name))
		return;
	w->one_pid = !m->nr_tasks || (w->one_pid && t->former == m->tasks[m->nr_tasks - 1]);
	w->found[task] = true;
	m->tasks[m->nr_tasks] = task;
	if (m->nr_tasks++ >= MOST_TOLD)
		return;
	text_printf(&w->pids, " %" PRIu32, t->pid);
	text_char(&w->births, ' ');
	trace_time_text(m->trace, t->born, 9, &w->births);
}

/* A name that a task had at some time; which one, where several had the pid, is not told. */
static void see_name(void *arg, int pid, const char *name)
{
	struct wanted *w = arg;
	uint32_t task = sched_rules_find(rules_of(w->m), (uint32_t)pid, INT64_MAX);

	if (task < sched_nr_tasks(w->m->sched) &&
	    sched_rules_task(rules_of(w->m), task)->former == SCHED_NO_TASK)
		see_task(w, task, name);
}

/* For how long a task could not run that was to. */
static uint64_t waited(const struct why_lists *m, uint32_t task)
{
	const int64_t edges[2] = { m->spans[0].from, m->spans[0].to };
	struct pyramid_sum sum = { 0 };

	pyramid_columns(sched_task(m->sched, task), sched_end(m->sched), edges, 1, &sum);
	return sum.ns[SCHED_WAITS] + sum.ns[SCHED_PREEMPTED] + sum.ns[SCHED_BLOCKED];
}

/* A tree is of one task: of several, that which waited longest. */
static void choose_one(struct wanted *w)
{
	struct why_lists *m = w->m;
	uint64_t longest = 0;
	uint32_t chosen = 0;

	for (uint32_t i = 0; i < m->nr_tasks; i++) {
		uint64_t time = waited(m, m->tasks[i]);

		if (time > longest) {
			longest = time;
			chosen = i;
		}
	}
	m->tasks[0] = m->tasks[chosen];
	text_clear(&m->several);
	text_printf(&m->several,
		    w->one_pid ? "%" PRIu32 " tasks had this pid, since%s%s: why is of the one "
				 "that waited longest; --from and --to choose another one" :
				 "%" PRIu32 " tasks had this name:%s%s; why is of the one that "
				 "waited longest; --task=PID chooses another one",
		    m->nr_tasks, text_str(w->one_pid ? &w->births : &w->pids),
		    m->nr_tasks > MOST_TOLD ? " …" : "");
	text_add(&m->several, ", --sums adds up all of them");
	m->nr_tasks = 1;
}

/* Those of --task. */
static int find_given(struct why_lists *m, struct ft_error *err)
{
	const struct sched_pass *pass = sched_pass_of(m->sched);
	uint32_t nr_tasks = sched_nr_tasks(m->sched);
	struct wanted w = { .m = m, .found = mem_array(nr_tasks + 1, sizeof(*w.found)) };
	int ret = 0;

	m->tasks = mem_array(nr_tasks + 1, sizeof(*m->tasks));
	for (uint32_t i = 0; i < nr_tasks; i++)
		see_task(&w, i, sched_pass_comm(pass, i));
	trace_comms(m->trace, 0, see_name, &w);
	if (!m->nr_tasks)
		ret = ft_error_set(err, FT_E_USAGE, -1, "--task %s: %s", m->given->tasks[0].text,
				   trace_is_of_tasks(m->trace, 0) ?
					   TRACE_OF_TASKS :
					   "no state of this task is known");
	else if (m->list == OF_TREE && m->nr_tasks > 1)
		choose_one(&w);
	free(w.found);
	text_fini(&w.pids);
	text_fini(&w.births);
	return ret;
}

/* Those with an event that the filters keep. */
static void find_matching(struct why_lists *m)
{
	uint32_t nr = sched_nr_tasks(m->sched);

	m->tasks = mem_array(nr + 1, sizeof(*m->tasks));
	for (uint32_t i = 0; i < nr; i++)
		if (kept_tasks_has(&m->kept, EVENT_COUNTS_TASK,
				   (int)sched_rules_task(rules_of(m), i)->pid))
			m->tasks[m->nr_tasks++] = i;
}

/* --- the model -------------------------------------------------------------------------------- */

/* Without --from and --to, from the first to the last moment known. */
static void find_spans(struct why_lists *m)
{
	const struct time_range *range = &m->what.range;
	int64_t first = 0, last = 0, from, to;

	sched_span(m->sched, &first, &last);
	from = range->set && range->from != INT64_MIN ? range->from : first;
	to = range->set && range->to != INT64_MAX ? range->to : last;
	to = to > from ? to : from;
	m->spans[0] = (struct time_range){ true, from, to };
	m->nr_spans = 1;
	if (!m->what.outside)
		return;
	m->spans[0] = (struct time_range){ true, first, from };
	m->spans[1] = (struct time_range){ true, to, last };
	m->nr_spans = 2;
}

static int start(struct why_lists *m, struct ft_error *err)
{
	find_spans(m);
	free(m->tasks);
	m->tasks = NULL;
	m->nr_tasks = 0;
	m->next = 0;
	if (m->what.nr_filters)
		find_matching(m);
	else if (m->given && m->given->nr_tasks && find_given(m, err))
		return -1;
	m->why = m->list == OF_HELD ?
			 why_blocked_by(m->sched) :
			 why_new(m->sched, m->tasks[0], m->spans[0].from, m->spans[0].to);
	return 0;
}

static void add_task(struct why_lists *m, uint32_t task)
{
	for (unsigned int i = 0; i < m->nr_spans && m->list == OF_HELD; i++)
		if (m->spans[i].from < m->spans[i].to || m->nr_spans == 1)
			why_blocked_add(m->why, task, m->spans[i].from, m->spans[i].to);
	if (m->list != OF_HELD && m->next)	/* why_new() has the first one */
		why_add(m->why, task, m->spans[0].from, m->spans[0].to);
	why_work(m->why, INT64_MAX);
}

/* True: all tasks are added. */
static bool work(struct why_lists *m, int64_t until)
{
	m->nr_all = m->tasks ? m->nr_tasks : sched_nr_tasks(m->sched);
	while (m->next < m->nr_all) {
		add_task(m, m->tasks ? m->tasks[m->next] : m->next);
		m->next++;
		if (workers_now_ns() >= until)
			break;
	}
	return m->next >= m->nr_all;
}

static void set_task(struct why_row *row, uint32_t task)
{
	const struct why_lists *m = row->of;

	if (task == SCHED_NO_TASK)
		return;
	row->pid = sched_rules_task(rules_of(m), task)->pid;
	row->comm = row->part ? sched_comm(m->sched, task, row->part->from) :
				sched_pass_comm(sched_pass_of(m->sched), task);
}

static void make_parts(struct why_lists *m)
{
	const struct why_part *parts = why_parts(m->why, &m->nr);

	m->rows = mem_array(m->nr + 1, sizeof(*m->rows));
	for (uint32_t i = 0; i < m->nr; i++) {
		m->rows[i] = (struct why_row){
			.of = m, .part = &parts[i], .depth = parts[i].depth,
			.duration = time_between(parts[i].from, parts[i].to),
		};
		set_task(&m->rows[i], parts[i].task);
	}
}

/* Text without --sort also has a line for all, and one for each way of being held up. */
static bool is_listed(const struct why_lists *m, const struct why_node *node)
{
	int held = m->list == OF_HELD ? why_held_of(m->why, node) : 0;

	if (m->list != OF_HELD)
		return true;
	return m->given && m->given->format == FORMAT_TEXT && !m->given->sort ?
		       held >= 0 || !node->depth :
		       held >= 0 && node->kind != WHY_HELD;
}

static void make_nodes(struct why_lists *m)
{
	uint32_t nr;

	m->nodes = m->list == OF_SUMS ? why_sums(m->why, &nr) : why_tree(m->why, &nr);
	m->lived = m->list == OF_SUMS ? 0 : m->nodes[0].total;
	for (uint32_t i = 0; m->list == OF_SUMS && i < nr; i++)
		if (why_is_lived(&m->nodes[i]))
			m->lived = time_after(m->lived, m->nodes[i].total);
	m->rows = mem_array(nr + 1, sizeof(*m->rows));
	for (uint32_t i = 0; i < nr; i++) {
		const struct why_node *node = &m->nodes[i];
		struct why_row *row = &m->rows[m->nr];

		if (!is_listed(m, node))
			continue;
		*row = (struct why_row){ .of = m, .node = node, .all = m->lived };
		if (m->list == OF_HELD && node->depth) {
			row->held_as = why_held_of(m->why, node);
			row->held = why_held_name((enum why_held)row->held_as);
		}
		set_task(row, m->list != OF_HELD ? node->task :
			      is_of_one(m)       ? m->tasks[0] :
						   SCHED_NO_TASK);
		m->nr++;
	}
}

static bool has_states(struct trace *trace, unsigned int file)
{
	return !trace_is_of_tasks(trace, (int)file) && trace_has_switches(trace, file);
}

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	*variant = 0;
	return list_find_file(trace, file, next, has_states);
}

static int check(const struct why_lists *m, struct ft_error *err)
{
	if (m->list != OF_HELD && m->given->nr_tasks != 1)
		return ft_error_set(err, FT_E_USAGE, -1, "why: give --task=NAME or --blocked-by");
	if (m->list == OF_TREE && m->given->sort && m->given->format == FORMAT_TEXT)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--sort: the tree has an order of its own; see --sums");
	return 0;
}

static unsigned int list_of(const struct option_list *options)
{
	unsigned int list = OF_TREE;

	for (unsigned int i = 0; i < options->nr; i++) {
		if (options->values[i].id == LIST_OPTION(OF_SUMS))
			list = OF_SUMS;
		else if (options->values[i].id == LIST_OPTION(OF_HELD))
			list = OF_HELD;
	}
	return list;
}

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct why_lists *m = mem_alloc(sizeof(*m));

	m->trace = scope->trace;
	m->what = scope->what;
	m->given = scope->given;
	m->speech = scope->speech;
	m->lender = scope->states;
	m->list = scope->options ? list_of(scope->options) : OF_HELD;
	if (check(m, err)) {
		free(m);
		return NULL;
	}
	m->sched = m->lender ? m->lender->take(m->lender->arg, m->what.file) :
			       sched_new(m->trace, m->what.file, 0);
	return m;
}

static void end(void *model)
{
	struct why_lists *m = model;

	kept_tasks_fini(&m->kept);
	why_free(m->why);
	free(m->nodes);
	free(m->rows);
	free(m->tasks);
	text_fini(&m->several);
	if (m->lender)
		m->lender->give(m->lender->arg, m->sched);
	else
		sched_free(m->sched);
	free(m);
}

/* Reading the trace is 900 ‰ of the work, adding the tasks is the rest. */
static unsigned int progress(const struct why_lists *m, unsigned int read)
{
	return m->why && m->nr_all ? 900 + 100 * m->next / m->nr_all : 9 * read / 10;
}

/* Is it known which tasks the filters keep?  The model, which is locked, has chosen a buffer. */
static bool are_kept_known(struct why_lists *m, bool wait)
{
	if (!m->what.nr_filters)
		return true;
	if (!m->kept.counts)
		kept_tasks_begin(&m->kept, m->trace, m->what.file,
				 sched_pass_buffer(sched_pass_of(m->sched)), m->what.filters,
				 m->what.nr_filters);
	kept_tasks_take(&m->kept, wait);
	return kept_tasks_done(&m->kept);
}

/* A slice of work, or all.  The model is locked. */
static enum list_state take_slice(struct why_lists *m, bool wait, struct ft_error *err)
{
	/* the trace grew, so a worker has added to the model since the last slice */
	if (m->why && m->memory != sched_progress(m->sched).memory) {
		why_free(m->why);
		m->why = NULL;
	}
	if (!m->why && start(m, err))
		return LIST_FAILED;
	if (!work(m, wait ? INT64_MAX : workers_now_ns() + SLICE_NS)) {
		m->memory = sched_progress(m->sched).memory;
		return LIST_LATER;
	}
	if (m->list == OF_TREE && m->given->format != FORMAT_TEXT)
		make_parts(m);
	else
		make_nodes(m);
	return LIST_DONE;
}

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct why_lists *m = model;
	struct sched_progress states;
	enum list_state state = LIST_LATER;

	if (m->rows)
		return LIST_DONE;
	if (wait)
		sched_wait(m->sched);
	states = sched_progress(m->sched);
	if (states.failed) {
		sched_tell_full(m->trace, m->what.file, err);
		return LIST_FAILED;
	}
	if (states.done) {
		sched_lock(m->sched);
		if (are_kept_known(m, wait))
			state = take_slice(m, wait, err);
		sched_unlock(m->sched);
	}
	if (permille)
		*permille = progress(m, states.permille);
	return state;
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	const struct why_lists *m = model;

	(void)by;
	if (list != m->list)		/* the view has one of them */
		return (struct list_rows){ .columns = &sum_columns };
	return (struct list_rows){
		.columns = m->nr && m->rows[0].part ? &part_columns :
			   m->list == OF_HELD	    ? &held_columns :
						      &sum_columns,
		.array = m->rows, .bytes = sizeof(*m->rows), .nr = m->nr,
		.order = table_column_own(&held_columns, OWN_HELD), .ascending = true,
		.figure = table_column_own(&held_columns, OWN_TOTAL),
		.command = "why --blocked-by",
		.damaged = sched_pass_totals(sched_pass_of(m->sched)).damaged,
	};
}

/* --- rows of the view ------------------------------------------------------------------------- */

static uint64_t key(const void *row)
{
	struct text words = { 0 };
	uint64_t key;

	add_what(row, &words);
	key = index_map_hash_pair(index_map_hash_bytes(text_str(&words), words.len),
				  (uint64_t)held_as(row));
	text_fini(&words);
	return key;
}

/* Sleep is often voluntary. */
static bool is_dim(const void *row)
{
	return held_as(row) == WHY_HELD_SLEEPS;
}

/* Of its longest part. */
static bool place(const void *model, unsigned int list, const void *row, bool end,
		  struct list_place *place)
{
	const struct why_lists *m = model;
	const struct why_row *r = row;
	int64_t from = r->part ? r->part->from : r->node->max_from,
		to = r->part ? r->part->to : time_after(from, r->node->max);
	uint32_t task = r->part ? r->part->task : r->node->task;

	(void)list;
	*place = (struct list_place){ .is_moment = true, .ref = TRACE_REF_NONE,
				      .ts = end ? to : from, .to = end ? 0 : to,
				      .pid = -1, .cpu = -1 };
	sched_lock(m->sched);
	if (task < sched_nr_tasks(m->sched))
		place->pid = (int)sched_rules_task(rules_of(m), task)->pid;
	sched_unlock(m->sched);
	return true;
}

static struct list_step enter(void *model, unsigned int list, const void *row)
{
	struct list_step step = { .to = LIST_TO_TIMELINE, .marks = true };

	place(model, list, row, false, &step.place);
	return step;
}

static void say(const void *model, unsigned int list, const void *row, struct text *heading,
		struct text *out)
{
	const struct why_lists *m = model;
	const struct why_row *r = row;
	const struct why_node *node = r->node;
	struct text rule = { 0 };

	(void)list;
	text_add(heading, "what held tasks up");
	add_words(r, out);
	text_printf(out, ": %" PRIu64 " time%s, ", node->count, PLURAL(node->count));
	m->speech->span(m->speech->arg, node->total, out);
	text_add(out, " in all. It held up ");
	sched_lock(m->sched);
	sched_task_text(m->sched, node->task, node->max_from, SCHED_THEN, out);
	add_rule(m, node, 1, &rule);
	sched_unlock(m->sched);
	text_add(out, " longest: ");
	m->speech->span(m->speech->arg, node->max, out);
	text_add(out, " from ");
	m->speech->time(m->speech->arg, node->max_from, out);
	text_printf(out, "%s. Enter shows that in Timeline, where Y tells why.", text_str(&rule));
	text_fini(&rule);
}

static unsigned int kind_of(const struct why_row *row)
{
	return row->part ? row->part->kind : row->node->kind;
}

/* A softirq woke tasks that may have been raised by the task in whose place it ran. */
static bool is_of_network(const struct why_lists *m, const struct why_row *row)
{
	const struct sched_source *s = sched_source_of(m->sched,
						       row->part ? row->part->arg : row->node->arg);

	return kind_of(row) == WHY_UNTIL && s->context == SCHED_CONTEXT_SOFTIRQ &&
	       (s->number == SCHED_NET_TX || s->number == SCHED_NET_RX) &&
	       !trace_has_event(sched_trace(m->sched), sched_file(m->sched), "softirq_raise");
}

static void tell(const void *model, unsigned int list, bool any)
{
	const struct why_lists *m = model;

	(void)list;
	if (m->several.len)
		warnings_tell("--task %s: %s", m->given->tasks[0].text, text_str(&m->several));
	sched_tell(sched_pass_of(m->sched), m->given, any);
	if (any)
		sched_tell_queues(sched_pass_of(m->sched));
	if (any)
		sched_tell_limits(sched_pass_of(m->sched), m->what.file);
	for (uint32_t i = 0; i < m->nr; i++)
		if (kind_of(&m->rows[i]) == WHY_UNEXPLAINED) {
			sched_tell_unexplained(sched_pass_of(m->sched), m->what.file);
			break;
		}
	for (uint32_t i = 0; i < m->nr; i++)
		if (is_of_network(m, &m->rows[i])) {
			warnings_tell("%s; to record that: -e irq:softirq_raise",
				      verdict_words(VERDICT_SOFTIRQ, false));
			break;
		}
	if (any && !sched_has_contexts(m->sched))
		warnings_tell(
			"interrupts have no names here; to record them: -e irq -e irq_vectors -e timer");
}

/* Rows: "runnable behind kworker", "asleep (S)". */
static void compare(void *model, unsigned int list, struct diff *diff, unsigned int side)
{
	const struct why_lists *m = model;
	struct text name = { 0 };

	(void)list;
	for (uint32_t i = 0; i < m->nr && diff->is_whole[side]; i++) {
		struct diff_side *of;

		text_clear(&name);
		if (m->rows[i].node->kind != WHY_ASLEEP) {
			add_held(&m->rows[i], &name);
			text_char(&name, ' ');
		}
		add_reason(&m->rows[i], true, &name);
		of = diff_side(diff, text_str(&name), side);
		of->count += m->rows[i].node->count;
		of->total += (uint64_t)m->rows[i].node->total;
		of->lacks = m->rows[i].held_as == WHY_HELD_SLEEPS ? DIFF_IS_COST : 0;
	}
	text_fini(&name);
}

/* --- the source ------------------------------------------------------------------------------- */

static const struct list_def lists[NR_LISTS] = {
	[OF_TREE] = { "part", .entered = true },
	[OF_SUMS] = { "sum", .entered = true },
	[OF_HELD] = { "reason", .name_least = 20, .name_most = 48, .figure_word = "total",
		      .key = key, .is_dim = is_dim },
};

const struct list_tab why_list_tabs[] = {
	{ 'p', "parts" }, { 's', "sums" }, { 'h', "held up" }, { 'n', "next file" }, { 0 }
};

static const struct list_keys keys[] = {
	{ "why --task=rcu_preempt",
	  "A part of the task's time. what is idle while a CPU is on its way out of idle; \"idle (not explained)\"\n"
	  "if it idled for longer, or again: what kept the task from running was not recorded.",
	  .columns = &part_columns },
	{ "why --task=rcu_preempt --sums", "The parts that are alike.",
	  .columns = &sum_columns },
	{ "why --blocked-by",
	  "What held up all tasks, or that of --task; held is wait, blocked or sleep.",
	  .columns = &held_columns },
	{ 0 },
};

const struct list_source why_list_source = {
	.title = "Why",
	.about = "what held all tasks up: who had the CPU, what they slept for",
	.command = {
		.name = "why",
		.operands = "[FILE...]",
		.summary = "where a task's time went, and why it waited",
		.is_main = true,
		.details = "With --task, prints a tree of what the time of the task was spent on. Percentages\n"
			   "refer to its lifetime. ftop-trace help verdicts says when each reason is true, and\n"
			   "which events it needs. Below \"asleep until TASK woke it\" is what TASK did\n"
			   "meanwhile; below a wait for a lock, what its holder did.\n\n"
			   "A task waits for the CPU that it left, or to which its sched_wakeup or a later\n"
			   "sched_migrate_task sends it. ~ marks times for which neither is recorded: then it\n"
			   "is taken for the CPU on which it ran.\n\n"
			   "Brackets behind a wait for a CPU give the reason: the priorities of both tasks,\n"
			   "whether another CPU was idle, and if it could not run there, on which CPUs it\n"
			   "may run, as record saw it; ~: only before or afterwards. Locks need\n"
			   "record --setup=locks; interrupts need events of irq and irq_vectors. Net times in\n"
			   "Graph also leave out interrupts that were recorded as functions only.\n\n"
			   "CSV and JSON have a row for each part, in the order of time and without gaps;\n"
			   "there CPU taken is behind, not recorded is unknown, and not explained is idle (not\n"
			   "explained).",
		.word_means = "--task=%s",
		.examples = "Why bash waited, and why all tasks waited:\n"
			    "  ftop-trace why --task=bash\n"
			    "  ftop-trace why --blocked-by --head=10",
		.max_operands = LIST_MOST_FILES,
		.options = (const struct option_def[]){
			{ .name = "task", .arg = "PID|NAME", .id = FILTER_OPTION_TASK,
			  .help = "the task, by pid or any name it had; if several tasks had that name, the one that waited longest" },
			{ .name = "from", .arg = "TIME", .id = FILTER_OPTION_FROM,
			  .help = "start of the interval (default: the trace's)" },
			{ .name = "to", .arg = "TIME", .id = FILTER_OPTION_TO,
			  .help = "end of the interval (default: the trace's)" },
			PART_OPTIONS_REFUSED("it follows a task over all CPUs, through all of --from to --to"),
			{ .name = "blocked-by", .id = LIST_OPTION(OF_HELD),
			  .help = "add up the direct reasons of waits: for a CPU, blocked (D), and asleep, often by choice. Without --task: of all tasks. Percentages refer to the time since each task's first record. Counts and max are of parts: where the reason changed, a wait has several, but interrupts do not divide what one task did; latency --kind=wakeup and --kind=preempted have whole waits" },
			{ .name = "sums", .id = LIST_OPTION(OF_SUMS),
			  .help = "add up parts of the same kind and task, in all levels of the tree" },
			TABLE_OPTIONS,
			FILE_OPTIONS,
			OPTION_END,
		},
	},
	.picks_tasks = true,
	.keys = keys,
	.lists = lists,
	.tabs = why_list_tabs,
	.nr = NR_LISTS,
	.help = {
		.enter_bar = "Timeline",
		.enter = "show the longest in Timeline, with A and B around it; q returns",
		.search = "find text or /regex/ in the reasons",
	},
	.record = "-e sched_switch -e sched_waking -e sched_wakeup -e sched_wakeup_new",
	.left = "No task is left.",
	.none = "No switch was recorded. To record some, press R or run\n"
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
	.compared = "What held tasks up, and how; tasks without the numbers at the end of names.",
	.compares = DIFF_HAS_TOTAL,
};
