/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why - what an interval of a task was spent on, and what held tasks up. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/base/time_math.h"
#include "src/commands/table_command.h"
#include "src/trace/warnings.h"
#include "src/why/why.h"
#include "src/why/why_rule.h"

#define LEAST_SHARE	100		/* a rule is told of parts as long as this share of all */

enum { OPT_BLOCKED_BY = 1, OPT_SUMS };
enum { NEEDS_HELD = 1 };		/* table_column.needs: rows of --blocked-by */

const struct command_def cmd_why_def = {
	.name = "why",
	.operands = "[FILE...]",
	.summary = "where a task's time went, and why it waited",
	.details = "Splits a task's time into parts and prints the totals as a tree. While the task\n"
		   "waits for a CPU, a part is what the CPU does where it then runs: taken by a task\n"
		   "or an interrupt (csv: behind), idle (it has not switched to the task yet). If\n"
		   "the task was moved to that CPU during a wait, brackets say until when and for\n"
		   "which CPU it waited before. If the longest part in which a task had the CPU is\n"
		   "1 % of the total or more, brackets give the reason: the priorities of both\n"
		   "tasks, and whether another CPU was idle. While it sleeps until another task\n"
		   "wakes it, the parts are what that task does meanwhile, one level deeper, and so\n"
		   "on. If it is woken in an interrupt, the part is the timer, irq, softirq or ipi\n"
		   "(of irq_vectors) of that moment, as far as it was recorded.\n\n"
		   "Other parts: runs; asleep, with the state, if no wake-up is recorded (for the\n"
		   "first 100 of these with the function, if stacks or calls tell it); waits, if\n"
		   "it does not run again; with TASK, if two tasks woke each other; gone; not yet\n"
		   "created, before the fork; not recorded (csv: unknown), also where events were\n"
		   "lost. Percentages are of the time that the task lived. CSV and JSON have one\n"
		   "row for each part, in the order of time and without gaps.\n\n"
		   "Events of irq and irq_vectors cut interrupts out of runs. Graph's net leaves\n"
		   "out functions of interrupts, so it is less where an interrupt has functions but\n"
		   "no such event, as a timer's without irq_vectors.\n\n"
		   "--blocked-by has three sums: runnable, waiting for a CPU; blocked (D); asleep,\n"
		   "often voluntarily. The reasons are listed below each. Percentages are of the\n"
		   "time since the first record of each task. Counts and max are of parts: a wait\n"
		   "has several if who held it up changed, or was interrupted. latency\n"
		   "--kind=preempted and --kind=wakeup have whole waits.",
	.word_means = "--task=%s",
	.examples = "What bash waited for, and what held all tasks up:\n"
		    "  ftop-trace why --task=bash\n"
		    "  ftop-trace why --blocked-by --head=10",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "task", .arg = "PID|NAME", .id = FILTER_OPTION_TASK,
		  .help = "the task, by pid or any name it had; a name shared by several tasks needs --sums or --blocked-by" },
		{ .name = "from", .arg = "TIME", .id = FILTER_OPTION_FROM,
		  .help = "start of the interval (default: the trace's)" },
		{ .name = "to", .arg = "TIME", .id = FILTER_OPTION_TO,
		  .help = "end of the interval (default: the trace's)" },
		PART_OPTIONS_REFUSED("it follows a task over all CPUs, through all of --from to --to"),
		{ .name = "blocked-by", .id = OPT_BLOCKED_BY,
		  .help = "sum what held the task up directly; without --task: all tasks, each from its first record" },
		{ .name = "sums", .id = OPT_SUMS,
		  .help = "add up parts that are alike: of the same kind and task" },
		TABLE_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct why_row {
	const struct why_part *part;
	const struct why_node *node;
	int64_t		duration, all;	/* the part's duration; the node's total is 100 % */
	uint32_t	depth, pid;
	const char	*comm;		/* NULL: of no single task */
	const char	*what, *words;	/* words: as the tree has it */
	const char	*held;
};

struct command {
	struct table_command common;
	bool		 blocked_by, sums;
	struct why	*why;
	uint32_t	 *tasks;	/* owned, [nr_tasks]: those asked about; NULL: all */
	uint32_t	 nr_tasks;
	int64_t		 from, to;
	const struct why_part *parts;	/* borrowed */
	struct why_node	*nodes;		/* owned */
	int64_t		 lived;		/* 100 % */
	struct why_row	 row;
	struct text	 what, words;	/* texts that the row points to */
};

/* --- rows ----------------------------------------------------------------------------------- */

#define PART(member)	TABLE_MEMBER_OF(struct why_row, part, member)
#define NODE(member)	TABLE_MEMBER_OF(struct why_row, node, member)

static const struct table_column of_part[] = {
	{ "start_ns", PART(from), .kind = TABLE_NUMBER },
	{ "end_ns", PART(to), .kind = TABLE_NUMBER },
	{ "duration_ns", TABLE_MEMBER(struct why_row, duration), .kind = TABLE_NUMBER },
	TABLE_CLOCK_AT(0),
	{ "depth", TABLE_MEMBER(struct why_row, depth), .kind = TABLE_COUNT },
	{ "pid", TABLE_MEMBER(struct why_row, pid), .kind = TABLE_COUNT },
	{ "comm", TABLE_MEMBER(struct why_row, comm) },
	{ "what", TABLE_MEMBER(struct why_row, what) },
};

static bool is_lived(const void *row)
{
	return why_is_lived(((const struct why_row *)row)->node);
}

static const struct table_column of_sum[] = {
	{ "what", TABLE_MEMBER(struct why_row, what) },
	{ "pid", TABLE_MEMBER(struct why_row, pid), .kind = TABLE_COUNT,
	  TABLE_IF(struct why_row, comm) },
	{ "comm", TABLE_MEMBER(struct why_row, comm), .absent = TABLE_NULL },
	TABLE_CLOCK_AT(0),
	{ "count", NODE(count), .kind = TABLE_COUNT },
	{ "total_ns", "total", NODE(total), .kind = TABLE_TIME, .width = 14 },
	{ .title = "%",
	  .kind = TABLE_PERCENT,
	  NODE(total),
	  TABLE_WHOLE(struct why_row, all),
	  .known = is_lived,
	  .width = 5 },
	{ .title = "count", NODE(count), .kind = TABLE_COUNT, .width = 7 },
	{ "max_ns", "max", NODE(max), .kind = TABLE_TIME, .width = 13 },
	{ "max_start_ns", NODE(max_from), .kind = TABLE_NUMBER },
	{ "held", TABLE_MEMBER(struct why_row, held), .needs = NEEDS_HELD },
	{ .title = "what", TABLE_MEMBER(struct why_row, words), .width = 1, .align = TABLE_LEFT },
};

static const struct table_columns part_columns = { TABLE_COLUMNS(of_part) },
				  held_columns = { TABLE_COLUMNS(of_sum), .gap = 1 },
				  sum_columns = { TABLE_COLUMNS(of_sum), .gap = 1,
						  .lacks = NEEDS_HELD };

static void set_task(struct why_row *row, const struct command *c, uint32_t task, int64_t ts)
{
	row->comm = NULL;
	if (task == SCHED_NO_TASK)
		return;
	row->pid = sched_rules_task(sched_pass_rules(sched_pass_of(c->common.model)), task)->pid;
	row->comm = sched_comm(c->common.model, task, ts);
}

static const void *part_at(void *arg, uint64_t i)
{
	struct command *c = arg;
	const struct why_part *part = &c->parts[i];
	struct why_row *row = &c->row;

	row->part = part;
	row->duration = time_between(part->from, part->to);
	row->depth = part->depth;
	set_task(row, c, part->task, part->from);
	text_clear(&c->what);
	why_text(c->why, (enum why_kind)part->kind, part->arg, part->from, &c->what);
	row->what = text_str(&c->what);
	return row;
}

/* " (both are nice 0: they share the CPU)", of its longest part. */
static void add_rule(const struct command *c, const struct why_node *node, struct text *out)
{
	struct text rule = { 0 };

	if ((node->kind != WHY_BEHIND && node->kind != WHY_INTERRUPT && node->kind != WHY_IDLE) ||
	    node->max < c->lived / LEAST_SHARE)
		return;
	why_rule_queue(c->common.model, node->task, node->max_from, &rule);
	if (node->kind == WHY_BEHIND)
		why_rule_text(c->common.model, node->task, node->arg, node->max_from,
			      time_after(node->max_from, node->max), &rule);
	if (rule.len)
		text_printf(out, " (%s)", text_str(&rule));
	text_fini(&rule);
}

/* "  asleep until timer hrtimer_wakeup woke it" */
static void add_node(const struct command *c, const struct why_node *node, struct text *out)
{
	text_pad(out, (size_t)node->depth * 2);
	if (!node->depth && c->blocked_by && c->nr_tasks == 1)
		sched_task_text(c->common.model, c->tasks[0], c->to, false, out);
	else if (!node->depth && c->nr_tasks > 1)
		text_printf(out, "%u tasks called %s", c->nr_tasks, c->common.given.tasks[0].text);
	else
		why_node_text(c->why, node, node->depth ? node->max_from : c->to, out);
	add_rule(c, node, out);
	if (node->depth)
		return;
	text_add(out, " from ");
	trace_time_text(c->common.trace, c->from, 9, out);
	text_add(out, " to ");
	trace_time_text(c->common.trace, c->to, 9, out);
	if (c->blocked_by)
		text_add(out, c->nr_tasks == 1 ? ", from its first record on" :
						 ", each from its first record on");
}

/* In text, reasons stand below what they are reasons of; sorted, and in CSV and JSON, alone. */
static bool is_listed(const struct command *c, const struct why_node *node)
{
	int held = c->blocked_by ? why_held_of(c->why, node) : 0;

	if (!c->blocked_by)
		return true;
	return c->common.given.format == FORMAT_TEXT && !c->common.given.sort ?
		       held >= 0 || !node->depth :
		       held >= 0 && node->kind != WHY_HELD;
}

static const void *node_at(void *arg, uint64_t i)
{
	struct command *c = arg;
	const struct why_node *node = &c->nodes[i];
	struct why_row *row = &c->row;
	uint32_t task = c->blocked_by && c->nr_tasks != 1 ? SCHED_NO_TASK :
			c->blocked_by                     ? c->tasks[0] :
							    node->task;

	if (!is_listed(c, node))
		return NULL;
	row->node = node;
	row->all = c->lived;
	row->held = c->blocked_by && node->depth ?
			    why_held_name((enum why_held)why_held_of(c->why, node)) :
			    NULL;
	set_task(row, c, task, node->max_from);
	text_clear(&c->what);
	text_clear(&c->words);
	why_text(c->why, (enum why_kind)node->kind, node->arg, node->max_from, &c->what);
	if (c->sums)
		text_printf(&c->words, "%s (%s-%" PRIu32 ")", text_str(&c->what), row->comm,
			    row->pid);
	else
		add_node(c, node, &c->words);
	row->what = text_str(&c->what);
	row->words = text_str(&c->words);
	return row;
}

static int print(struct command *c, struct ft_error *err)
{
	uint32_t nr;

	if (!c->blocked_by && !c->sums && c->common.given.format != FORMAT_TEXT) {
		c->parts = why_parts(c->why, &nr);
		return table_command_print(&c->common, &part_columns, nr, part_at, c, err);
	}
	c->nodes = c->sums ? why_sums(c->why, &nr) : why_tree(c->why, &nr);
	c->lived = c->sums ? 0 : c->nodes[0].total;
	for (uint32_t i = 0; c->sums && i < nr; i++)
		if (why_is_lived(&c->nodes[i]))
			c->lived = time_after(c->lived, c->nodes[i].total);
	return table_command_print(&c->common, c->blocked_by ? &held_columns : &sum_columns, nr,
				   node_at, c, err);
}

/* --- the task --------------------------------------------------------------------------------- */

#define MOST_TOLD	8u		/* tasks in a message */

struct wanted {
	struct command	*c;		/* its tasks */
	bool		*found;		/* owned, [sched_nr_tasks()] */
	struct text	 pids;		/* of the first tasks found, for the message; and: */
	struct text	 births;	/* when they were born */
	bool		 one_pid;	/* of all */
};

/* A name of a task. */
static void see_task(struct wanted *w, uint32_t task, const char *name)
{
	struct command *c = w->c;
	const struct sched *sched = c->common.model;
	const struct sched_task *t = sched_rules_task(sched_pass_rules(sched_pass_of(sched)), task);

	if (!sched_task(sched, task)->nr_chunks || w->found[task] ||
	    sched_task_time(t, c->from) > c->to || sched_task_time(t, c->to) < c->from ||
	    !table_command_wants(&c->common, t->pid, name))
		return;
	w->one_pid = !c->nr_tasks || (w->one_pid && t->former == c->tasks[c->nr_tasks - 1]);
	w->found[task] = true;
	c->tasks[c->nr_tasks] = task;
	if (c->nr_tasks++ >= MOST_TOLD)
		return;
	text_printf(&w->pids, " %" PRIu32, t->pid);
	text_char(&w->births, ' ');
	trace_time_text(c->common.trace, t->born, 9, &w->births);
}

/* A name that a task had at some time; which one, where several had the pid, is not told. */
static void see_name(void *arg, int pid, const char *name)
{
	struct wanted *w = arg;
	const struct sched *sched = w->c->common.model;
	const struct sched_rules *rules = sched_pass_rules(sched_pass_of(sched));
	uint32_t task = sched_rules_find(rules, (uint32_t)pid, INT64_MAX);

	if (task < sched_nr_tasks(sched) && sched_rules_task(rules, task)->former == SCHED_NO_TASK)
		see_task(w, task, name);
}

static int say_several(struct wanted *w, struct ft_error *err)
{
	const char *word = w->c->common.given.tasks[0].text,
		   *more = w->c->nr_tasks > MOST_TOLD ? " …" : "";

	if (w->one_pid)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--task %s: several tasks had this pid, since%s%s; choose one "
				    "by --from and --to, or add --sums or --blocked-by for all of "
				    "them",
				    word, text_str(&w->births), more);
	return ft_error_set(err, FT_E_USAGE, -1,
			    "--task %s: several tasks had this name:%s%s; choose one by its pid, "
			    "or add --sums or --blocked-by for all of them",
			    word, text_str(&w->pids), more);
}

static int find_tasks(struct command *c, struct ft_error *err)
{
	const struct sched_pass *pass = sched_pass_of(c->common.model);
	uint32_t nr_tasks = sched_nr_tasks(c->common.model);
	struct wanted w = { .c = c, .found = mem_array(nr_tasks + 1, sizeof(*w.found)) };
	bool one = !c->blocked_by && !c->sums;
	int ret = -1;

	c->tasks = mem_array(nr_tasks + 1, sizeof(*c->tasks));
	for (uint32_t i = 0; i < nr_tasks; i++)
		see_task(&w, i, sched_pass_comm(pass, i));
	trace_comms(c->common.trace, 0, see_name, &w);
	if (!c->nr_tasks)
		ret = table_command_check_tasks(&c->common, err) ?
			      -1 :
			      ft_error_set(err, FT_E_USAGE, -1, "--task %s: %s",
					   c->common.given.tasks[0].text,
					   trace_is_of_tasks(c->common.trace, 0) ?
						   TRACE_OF_TASKS :
						   "no state of this task is known");
	else if (one && c->nr_tasks > 1)
		say_several(&w, err);
	else
		ret = 0;
	free(w.found);
	text_fini(&w.pids);
	text_fini(&w.births);
	return ret;
}

static void find_out(struct command *c)
{
	struct sched *sched = c->common.model;
	uint32_t nr = c->tasks ? c->nr_tasks : sched_nr_tasks(sched);

	c->why = c->blocked_by ? why_blocked_by(sched) :
				 why_new(sched, c->tasks[0], c->from, c->to);
	why_work(c->why, INT64_MAX);
	for (uint32_t i = !c->blocked_by; i < nr; i++) {
		uint32_t task = c->tasks ? c->tasks[i] : i;

		if (c->blocked_by)
			why_blocked_add(c->why, task, c->from, c->to);
		else
			why_add(c->why, task, c->from, c->to);
		why_work(c->why, INT64_MAX);
	}
}

static int ask(struct command *c, struct ft_error *err)
{
	int64_t first = 0, last = 0;

	if (table_command_model(&c->common, err))
		return -1;
	sched_span(c->common.model, &first, &last);
	c->from = c->common.has_from ? c->common.from_ts : first;
	c->to = c->common.has_to ? c->common.to_ts : last;
	c->to = c->to > c->from ? c->to : c->from;
	if (c->common.given.nr_tasks && find_tasks(c, err))
		return -1;
	find_out(c);
	if (print(c, err))
		return -1;
	table_command_tell(&c->common);
	if (c->common.has_rows && !sched_has_contexts(c->common.model))
		warnings_tell(
			"interrupts have no names here; to record them: -e irq -e irq_vectors -e timer");
	return 0;
}

/* --- all of it -------------------------------------------------------------------------------- */

static int check(const struct command *c, struct ft_error *err)
{
	if (c->blocked_by && c->sums)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--sums and --blocked-by exclude each other");
	if (!c->blocked_by && c->common.given.nr_tasks != 1)
		return ft_error_set(err, FT_E_USAGE, -1, "why: give --task=NAME or --blocked-by");
	if (c->common.given.sort && !c->blocked_by && !c->sums &&
	    c->common.given.format == FORMAT_TEXT)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--sort: the tree has an order of its own; see --sums");
	return 0;
}

int cmd_why(const struct command_file *file, struct ft_error *err)
{
	struct command c = { 0 };
	int ret = table_command_init(&c.common, file, err);

	for (unsigned int i = 0; i < file->list->nr; i++) {
		c.blocked_by |= file->list->values[i].id == OPT_BLOCKED_BY;
		c.sums |= file->list->values[i].id == OPT_SUMS;
	}
	ret = ret || check(&c, err) || ask(&c, err) ? -1 : 0;
	free(c.nodes);
	free(c.tasks);
	text_fini(&c.what);
	text_fini(&c.words);
	why_free(c.why);
	table_command_fini(&c.common);
	return ret;
}
