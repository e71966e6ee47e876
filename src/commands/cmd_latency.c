/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency - how long things took: calls, wake-ups, interrupts, system calls, pairs of events. */

#include <string.h>

#include "src/base/paths.h"
#include "src/base/time_math.h"
#include "src/commands/table_command.h"
#include "src/latency/latency_columns.h"
#include "src/latency/latency_groups.h"
#include "src/trace/trace_latency.h"
#include "src/trace/warnings.h"
#include "src/why/cpu_parts.h"
#include "src/why/why_rule.h"

enum { OPT_KIND = 1, OPT_PAIR, OPT_HOOK, OPT_OPEN, OPT_HISTOGRAM, OPT_ANATOMY, OPT_CULPRITS,
       OPT_BY };

#define KEEP_TO_SORT	(1u << 20)	/* instances in memory for --sort: 64 MB */
#define LEAST_SHARE	10		/* only parts of at least 1/10 of the wait get a rule */
#define MOST_RULES	1000u		/* at most: each of them reads records */
#define KEEP_TO_CHECK	(1u << 18)	/* instances of a kind that bounds are found from: 16 MB */
#define KEEP_TO_PRINT	(1u << 19)	/* instances that one pass keeps, if there are many */

const struct command_def cmd_latency_def = {
	.name = "latency",
	.operands = "[FILE...]",
	.summary = "how long things took: calls, wake-ups, sleep, interrupts, system calls, pairs of events",
	.details = "Without --kind, a line for each kind that the trace has:\n"
		   "  call                  from the entry of a function to its return\n"
		   "  wakeup                until the woken task runs\n"
		   "  preempted             until the task runs again\n"
		   "  blocked, sleep        until the wake-up; blocked is state D\n"
		   "  irq, softirq, vector  the handler\n"
		   "  softirq_raise         from the raise to the handler\n"
		   "  timer, timer_late     its function; how late it expired\n"
		   "  work, work_delay      its function; the wait in the queue\n"
		   "  syscall               entry to return; from raw_syscalls where syscalls\n"
		   "                        has less than half as many\n"
		   "  lock                  the wait for a contended lock\n"
		   "  irqsoff, preemptoff   how long interrupts or preemption were off\n"
		   "  block, block_queue    until the request ends: from its issue to\n"
		   "                        the device, or from the queue\n"
		   "  marker                slices that programs wrote to trace_marker as\n"
		   "                        Android's do: B|PID|NAME to E, S|PID|NAME|COOKIE\n"
		   "                        to F, G to H\n"
		   "and the pairs. With --kind, the instances of that kind, the longest first.\n\n"
		   "~ marks a doubtful instance: records are missing, so it may have been\n"
		   "shorter. It is listed, but no count, average, percentile or maximum has it.\n"
		   "An open instance has a start, but no end in the trace.\n\n"
		   "-F keeps instances whose first or last event matches. For wakeup, preempted,\n"
		   "blocked and sleep, the last event has to match; its pid, comm and tgid are\n"
		   "then those of the task that waited.\n\n"
		   "A pair is NAME START [FILTER] END [FILTER] by KEY: two events, each with a\n"
		   "filter in brackets if need be, and what joins them: pid, cpu, none, a field\n"
		   "of both, FIELD=FIELD if it has two names, or several of these with commas.\n"
		   "The last start before an end counts, or, with the word first, the first one;\n"
		   "with nested, starts form a stack. The file pairs has more of them, see\n"
		   "ftop-trace-config(5).\n\n"
		   "In csv and json, wakeup_ns is the time from sched_waking to sched_wakeup;\n"
		   "moved tells that the task ran on another CPU than before. For calls, leaf\n"
		   "tells that it called no traced function, net_ns is its time without\n"
		   "interrupts and time off the CPU, and mark is the kernel's mark of its\n"
		   "duration: + over 10 us, ! 100 us, # 1 ms, * 10 ms, @ 100 ms, $ 1 s. The\n"
		   "duration of a doubtful call is exact and counts; it has no net_ns. No call\n"
		   "has one where sched_switch was not recorded with the clock local.",
	.word_means = "--kind=%s",
	.examples = "The ten longest wake-up latencies, and what the CPU did meanwhile:\n"
		    "  ftop-trace latency --kind=wakeup --head=10\n"
		    "  ftop-trace latency --kind=wakeup --culprits\n"
		    "System calls by name, those of one task:\n"
		    "  ftop-trace latency --kind=syscall --by=what --task=bash",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "kind", .arg = "KIND", .id = OPT_KIND,
		  .help = "the instances of this kind, the longest first" },
		{ .name = "pair", .arg = "PAIR", .id = OPT_PAIR,
		  .help = "also measure a pair of events (repeatable): \"io block_bio_queue block_bio_complete by sector\"" },
		{ .letter = 'H', .arg = "HOOK", .id = OPT_HOOK,
		  .help = "the same as trace-cmd record -H has it: START,FIELD[,PID]/END,FIELD[,FLAGS]" },
		{ .name = "open", .id = OPT_OPEN,
		  .help = "with --kind: also those without an end, the oldest first" },
		{ .name = "histogram", .id = OPT_HISTOGRAM,
		  .help = "with --kind: how many took how long, by powers of two" },
		{ .name = "anatomy", .id = OPT_ANATOMY,
		  .help = "with --kind=wakeup or preempted: what the CPU did meanwhile on which the task then ran, and in text on which one it waited before; --head=N: in the longest N instances" },
		{ .name = "culprits", .id = OPT_CULPRITS,
		  .help = "the same, summed over all instances that are not doubtful" },
		{ .name = "by", .arg = LATENCY_BY_OPTION, .id = OPT_BY,
		  .help = "with --kind: sums of the instances that have this in common; prio and moved are of wakeup; mark, net and leaf of call" },
		PART_OPTIONS("only instances that start there and have a matching event"),
		TABLE_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct part_row {			/* a part of an instance, for --anatomy */
	const char	*what, *words;	/* words: with the rule by which the task waited */
	int64_t		from, to, length;
	int64_t		start, all, doubtful;	/* start and length of the instance; is it
						 * doubtful? */
};

struct latency_command {
	struct table_command base;
	struct latency_kinds kinds;
	int		kind;		/* -1 = all */
	int		shown;		/* what to show of it: OPT_OPEN, …; 0: instances */
	struct latency	*latency;	/* owned */
	struct latency_result result;
	/* rows */
	unsigned int	kind_at;	/* the kind of the row that was made last */
	uint64_t	first;		/* instances before result's */
	struct text	what, words;
	union {
		struct latency_kind_row kind;
		struct latency_row instance;
		struct part_row part;
		struct culprit_row culprit;
	}		row;
	struct latency_bin_row bins[LATENCY_BINS];
	/* --anatomy: the part that is next; --culprits */
	uint64_t	nr;		/* instances before it, its own among them */
	uint64_t	most;		/* instances wanted: --head counts them, not their parts */
	const struct latency_instance *instance;	/* NULL: it is the first of one */
	struct cpu_parts parts;
	struct culprits	culprits_found;
	unsigned int	nr_rules;
	struct latency_groups groups;	/* --by */
};

/* --- options ---------------------------------------------------------------------------------- */

/* --pair, or -H. */
static int add_pair(struct latency_command *c, const struct option_value *v, struct ft_error *err)
{
	bool hook = v->id == OPT_HOOK;
	struct text line = { 0 };
	struct ft_error e = { 0 };
	int ret = 0;

	if (!hook)
		text_add(&line, v->value);
	else if (latency_kinds_hook(v->value, &line, err))
		ret = -1;
	if (!ret && latency_kinds_add(&c->kinds, text_str(&line), true, &e))
		ret = ft_error_set(err, e.code, -1, "%s %s: %s", hook ? "-H" : "--pair",
				   text_str(&line), e.message);
	text_fini(&line);
	return ret;
}

/* What CPUs did while tasks waited. */
static bool is_of_cpus(const struct latency_command *c)
{
	return c->shown == OPT_ANATOMY || c->shown == OPT_CULPRITS;
}

static int choose_by(struct latency_command *c, const char *option, struct ft_error *err)
{
	int by = latency_groups_find(option, &c->kinds, (unsigned int)c->kind, err);

	if (by >= 0)
		c->groups.by = (enum latency_by)by;
	return by < 0 ? -1 : 0;
}

static int read_options(struct latency_command *c, const struct option_list *list,
			struct ft_error *err)
{
	struct ft_error wrong = { 0 };
	struct text pairs = { 0 };
	const char *kind = NULL, *by = NULL;
	char path[4096];

	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_value *v = &list->values[i];

		if (v->id >= OPT_OPEN && v->id <= OPT_BY) {
			if (c->shown && c->shown != v->id)
				return ft_error_set(err, FT_E_USAGE, -1,
						    "only one of --open, --histogram, "
						    "--anatomy, --culprits, --by can be given");
			c->shown = v->id;
		}
		if (v->id == OPT_KIND && kind && strcmp(kind, v->value) != 0)
			return ft_error_set(err, FT_E_USAGE, -1,
					    "only one --kind: without it, all kinds are listed");
		if (v->id == OPT_KIND)
			kind = v->value;
		if (v->id == OPT_BY)
			by = v->value;
		if ((v->id == OPT_PAIR || v->id == OPT_HOOK) && add_pair(c, v, err))
			return -1;
	}
	latency_kinds_hooks(&c->kinds, c->base.trace, 0);
	if (latency_kinds_read(&c->kinds, paths_config("pairs", path, sizeof(path)), &pairs,
			       &wrong))
		warnings_tell("%s", wrong.message);
	text_fini(&pairs);
	c->kind = kind ? latency_kinds_find(&c->kinds, kind, err) : -1;
	if (kind && c->kind < 0)
		return -1;
	if (is_of_cpus(c) && c->kind != LATENCY_WAKEUP && c->kind != LATENCY_PREEMPTED)
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"--anatomy and --culprits need --kind=wakeup or --kind=preempted");
	if (c->shown == OPT_ANATOMY && c->base.given.sort)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--sort: parts stay in the order of instances and time");
	c->most = c->base.picker.most;
	if (c->shown == OPT_ANATOMY)
		c->base.picker.most = UINT64_MAX;
	if (c->shown && !kind)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--open, --histogram and --by need --kind");
	return by ? choose_by(c, by, err) : 0;
}

/* --- measuring -------------------------------------------------------------------------------- */

static uint32_t how_many(const struct latency_command *c)
{
	if (c->kind < 0 && c->base.file->taker)
		return KEEP_TO_CHECK;
	if (c->kind < 0 || c->shown == OPT_HISTOGRAM || c->shown >= OPT_CULPRITS)
		return 0;
	if (c->base.given.sort)
		return KEEP_TO_SORT;
	return c->base.given.has_head ? LATENCY_KEEP : KEEP_TO_PRINT;
}

/* Doubtful ones are in no sum. */
static bool add_culprits(void *arg, struct latency *latency, unsigned int kind,
			 const struct latency_instance *i)
{
	struct latency_command *c = arg;

	(void)latency;
	(void)kind;
	if (!(i->flags & LATENCY_DOUBTFUL))
		culprits_add_all(&c->culprits_found, c->base.model, i->to, i->start, i->end);
	return false;
}

static int measure(struct latency_command *c, uint32_t keep, const struct latency_instance *after,
		   struct ft_error *err)
{
	struct table_command *b = &c->base;
	struct latency_options options = {
		.what = table_command_sweep(b),
		.kinds = &c->kinds,
		.only = c->kind,
		.wants = b->given.nr_tasks ? table_command_wants : NULL,
		.wants_arg = b,
		.keep = keep,
		.after = after,
		.each = c->shown == OPT_CULPRITS ? add_culprits :
			c->groups.replaced ? latency_groups_see : NULL,
		.each_arg = c->groups.replaced ? (void *)&c->groups : c,
	};
	struct latency *latency = latency_run(b->trace, &options, &c->result, err);

	if (!latency)
		return -1;
	latency_free(c->latency);
	c->latency = latency;
	return c->result.failed ? table_command_full(b, err) : 0;
}

/* Once more, as the rules that others replace are known now. */
static int group(struct latency_command *c, struct ft_error *err)
{
	if (c->shown != OPT_BY)
		return 0;
	c->groups.replaced = c->result.replaced;
	if (latency_groups_by[c->groups.by].grouping)
		table_command_wait(&c->base);
	if (measure(c, 0, NULL, err))
		return -1;
	latency_groups_end(&c->groups);
	return 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

static const void *group_at(void *arg, uint64_t i)
{
	struct latency_command *c = arg;
	const struct latency_group *of = &c->groups.list[i];

	if (!latency_has_any(&of->sums))
		return NULL;
	text_clear(&c->what);
	latency_groups_name(c->latency, (unsigned int)c->kind, c->groups.by, &of->first, &c->what);
	c->row.kind = (struct latency_kind_row){ text_str(&c->what), of->sums };
	return &c->row.kind;
}

static const void *kind_at(void *arg, uint64_t i)
{
	struct latency_command *c = arg;
	const struct latency_sums *sums = &c->result.kinds[i].sums;

	if (!latency_has_any(sums))
		return NULL;
	c->row.kind = (struct latency_kind_row){ c->kinds.names[i], *sums };
	c->kind_at = (unsigned int)i;
	return &c->row.kind;
}

/* Of a kind: the longest instance, or one without an end that has lasted longer. */
static bool find_place(void *arg, const struct table_column *column, const void *row,
		       struct list_place *place)
{
	struct latency_command *c = arg;
	const struct latency_instance *worst = latency_worst(&c->result.kinds[c->kind_at],
							     c->kind_at);

	(void)row;
	if (!worst || column->bound == TABLE_AT_MOST)
		return false;
	*place = (struct list_place){ .is_moment = true, .ref = worst->from, .ts = worst->start,
				      .to = worst->end, .pid = (int)worst->pid,
				      .cpu = worst->cpu == UINT16_MAX ? -1 : worst->cpu };
	return true;
}

static bool find_bounds(void *arg, const struct table_column *column, const void *row,
			double *least, double *most)
{
	struct latency_command *c = arg;

	(void)row;
	return latency_bounds(&c->result.kinds[c->kind_at], c->kind_at, column, least, most);
}

static const void *bin_at(void *arg, uint64_t i)
{
	return &((struct latency_command *)arg)->bins[i];
}

/* The instances are in memory up to the one wanted, or the next ones are measured once more. */
static const struct latency_instance *instance_at(struct latency_command *c, uint64_t i)
{
	struct latency_kind *kind = &c->result.kinds[c->kind];
	struct latency_kept *worst = &kind->worst;
	struct ft_error err = { 0 };

	if (i >= c->first + worst->nr && worst->left_out && worst->nr) {
		struct latency_instance last = worst->list[worst->nr - 1];

		c->first += worst->nr;
		if (measure(c, how_many(c), &last, &err))
			return NULL;
		kind = &c->result.kinds[c->kind];
		worst = &kind->worst;
	}
	if (i < c->first + worst->nr)
		return i >= c->first ? &worst->list[i - c->first] : NULL;
	i -= c->first + worst->nr;
	return i < kind->opens.nr ? &kind->opens.list[i] : NULL;
}

static const void *row_at(void *arg, uint64_t i)
{
	struct latency_command *c = arg;
	const struct latency_instance *instance = instance_at(c, i);

	if (!instance)
		return NULL;
	text_clear(&c->what);
	c->row.instance = latency_row(c->latency, &c->kinds, (unsigned int)c->kind, instance,
				      &c->what);
	return &c->row.instance;
}

/* --- what CPUs did meanwhile ------------------------------------------------------------------ */

#define PART(member)	TABLE_MEMBER(struct part_row, member)

static const struct table_column of_part[] = {
	{ "start_ns", PART(start), .kind = TABLE_NUMBER },
	TABLE_CLOCK_AT(0),
	{ "part_start_ns", "part starts", PART(from), .kind = TABLE_MOMENT, .width = 15,
	  .align = TABLE_LEFT },
	{ "part_end_ns", PART(to), .kind = TABLE_NUMBER },
	{ .title = "length", PART(length), .kind = TABLE_TIME, .width = 12,
	  TABLE_DOUBT(struct part_row, doubtful) },
	{ .title = "%", .kind = TABLE_PERCENT, PART(length), TABLE_WHOLE(struct part_row, all),
	  .width = 5 },
	{ "what", PART(what) },
	{ .title = "what", PART(words), .width = 1, .align = TABLE_LEFT },
};

static const struct table_columns part_columns = { TABLE_COLUMNS(of_part), .gap = 1 };

static uint64_t nr_ended(const struct latency_command *c)
{
	return latency_nr_ended((unsigned int)c->kind, &c->result.kinds[c->kind].sums);
}

/*
 * " (both are nice 0: they share the CPU)", of parts that are long enough to matter; of the first
 * one also on which CPU the task waited before.
 */
static void add_rule(struct latency_command *c, const struct cpu_part *part)
{
	const struct latency_instance *i = c->instance;
	uint32_t task = sched_rules_find(sched_pass_rules(sched_pass_of(c->base.model)), i->pid,
					 i->start);
	struct text rule = { 0 };

	if (part->from == i->start)
		why_rule_queue(c->base.model, task, i->start, &rule);
	if (part->kind == CPU_PART_TASK && c->nr_rules < MOST_RULES &&
	    part->to - part->from >= (int64_t)latency_duration(i) / LEAST_SHARE)
		why_rule_text(c->base.model, task, part->arg, part->from, part->to, &rule);
	c->nr_rules += rule.len != 0;
	if (rule.len)
		text_printf(&c->words, " (%s)", text_str(&rule));
	text_fini(&rule);
}

/* The next part of any instance; NULL: there are no more. */
static const void *part_at(void *arg, uint64_t i)
{
	struct latency_command *c = arg;
	struct cpu_part part;

	(void)i;
	while (!c->instance || !cpu_parts_next(&c->parts, &part)) {
		if (c->nr == nr_ended(c) || c->nr == c->most)
			return NULL;
		c->instance = instance_at(c, c->nr++);
		if (c->instance && !cpu_parts_begin_at(&c->parts, c->base.model, c->instance->to,
						       c->instance->start, c->instance->end))
			c->instance = NULL;
	}
	text_clear(&c->what);
	cpu_part_text(c->base.model, &part, &c->what);
	text_clear(&c->words);
	text_add(&c->words, text_str(&c->what));
	if (c->base.given.format == FORMAT_TEXT)
		add_rule(c, &part);
	c->row.part = (struct part_row){
		.what = text_str(&c->what),
		.words = text_str(&c->words),
		.start = c->instance->start,
		.from = part.from,
		.to = part.to,
		.length = time_between(part.from, part.to),
		.all = (int64_t)latency_duration(c->instance),
		.doubtful = !!(c->instance->flags & LATENCY_DOUBTFUL),
	};
	return &c->row.part;
}

static const void *culprit_at(void *arg, uint64_t i)
{
	struct latency_command *c = arg;

	c->row.culprit = (struct culprit_row){ &c->culprits_found.list[i], c->base.model,
					       c->culprits_found.total };
	return &c->row.culprit;
}

/* --- printing --------------------------------------------------------------------------------- */

static int print(struct latency_command *c, struct ft_error *err)
{
	struct table_command *b = &c->base;
	const struct latency_kind *kind = &c->result.kinds[c->kind < 0 ? 0 : c->kind];
	struct table_columns columns = latency_columns;

	b->missing = c->result.missing;
	if (c->shown == OPT_ANATOMY)
		return table_command_print(b, &part_columns, UINT64_MAX, part_at, c, err);
	if (c->shown == OPT_CULPRITS) {
		culprits_sort(&c->culprits_found);
		return table_command_print(b, &culprit_columns, c->culprits_found.nr, culprit_at, c,
					   err);
	}
	if (c->shown == OPT_BY)
		return table_command_print(b, &latency_group_columns, c->groups.nr, group_at, c,
					   err);
	if (c->shown == OPT_HISTOGRAM)
		return table_command_print(b, &latency_bin_columns,
					   latency_bins(&kind->sums, LATENCY_BINS, c->bins), bin_at,
					   c, err);
	if (c->kind < 0) {
		b->place = find_place;
		b->bounds = find_bounds;
		return table_command_print(b, &latency_kind_columns, c->kinds.nr, kind_at, c, err);
	}
	if (b->given.format == FORMAT_TEXT && c->kind != LATENCY_CALL)
		columns.lacks = LATENCY_OF_CALLS;
	return table_command_print(b, &columns,
				   (kind->worst.left_out && !b->given.sort ? nr_ended(c) :
									     kind->worst.nr) +
					   (c->shown == OPT_OPEN ? kind->opens.nr : 0),
				   row_at, c, err);
}

/* --- words ------------------------------------------------------------------------------------ */

static void tell_kind(const struct latency_command *c, unsigned int i)
{
	const struct latency_sums *sums = &c->result.kinds[i].sums;
	const char *name = c->kinds.names[i];

	if (sums->rounded)
		warnings_tell(
			"%s: percentiles are too low, by at most 0.4 %%: there are too many different durations",
			name);
	if (sums->unmatched && !strcmp(name, "block_queue"))
		warnings_tell(
			"block_queue: requests that were split, or whose end was not recorded: %llu",
			(unsigned long long)sums->unmatched);
}

static void tell(const struct latency_command *c)
{
	const struct table_command *b = &c->base;

	if (table_command_tell_rows(b, c->result.damaged))
		return;
	if (c->kind < LATENCY_OWN_KINDS && c->kind != LATENCY_CALL)
		table_command_tell_missing(b);
	if (!b->has_rows && b->given.nr_tasks + (b->given.cpus != NULL) + (b->filter != NULL))
		warnings_tell("nothing that was measured is selected");
	else if (!b->has_rows && trace_text_header(b->trace))
		warnings_tell("the trace is the text of a latency tracer; ftop-trace info tells "
			      "what that measured");
	else if (!b->has_rows && trace_is_untimed(b->trace, -1))
		warnings_tell("the text has no times: only calls have durations");
	else if (trace_is_of_tasks(b->trace, 0) && c->kind < LATENCY_OWN_KINDS &&
		 c->kind != LATENCY_CALL)
		warnings_tell(TRACE_OF_TASKS);
	else if (!b->has_rows)
		warnings_tell("the trace has no %s events",
			      c->kind >= 0 ? c->kinds.names[c->kind] : "such");
	for (unsigned int i = 0; i < c->kinds.nr; i++)
		if (c->kind < 0 || c->kind == (int)i)
			tell_kind(c, i);
	if (c->result.lacks_wakes && (c->kind < 0 || c->kind == LATENCY_SLEEP ||
				      c->kind == LATENCY_BLOCKED || c->kind == LATENCY_WAKEUP))
		warnings_tell(SCHED_LACKS_WAKES "; to record them: -e sched_waking");
	if (c->result.unmeasured)
		warnings_tell(
			"timer_late: %llu timers are left out: the trace is too short to tell how long a jiffy is",
			(unsigned long long)c->result.unmeasured);
	if (c->kind >= 0 && b->given.sort && c->result.kinds[c->kind].worst.left_out &&
	    c->shown != OPT_HISTOGRAM)
		warnings_tell("--sort: only the longest %u are sorted", KEEP_TO_SORT);
}

/* Nothing was measured: is there a task that --task names? */
static int check(struct latency_command *c, struct ft_error *err)
{
	for (unsigned int i = 0; i < c->result.nr; i++)
		if (latency_has_any(&c->result.kinds[i].sums))
			return 0;
	return table_command_check_tasks(&c->base, err);
}

int cmd_latency(const struct command_file *file, struct ft_error *err)
{
	struct latency_command c = { .kind = -1 };
	bool ok;

	latency_kinds_init(&c.kinds);
	ok = !table_command_init(&c.base, file, err) && !read_options(&c, file->list, err) &&
	     !table_command_bind(&c.base, err) &&
	     !(is_of_cpus(&c) && table_command_model(&c.base, err)) &&
	     !measure(&c, how_many(&c), NULL, err) && !table_command_check_filter(&c.base, err) &&
	     !group(&c, err) && !check(&c, err) && !print(&c, err);
	if (ok)
		tell(&c);
	text_fini(&c.what);
	text_fini(&c.words);
	culprits_fini(&c.culprits_found);
	latency_groups_fini(&c.groups);
	latency_result_fini(&c.result);
	latency_free(c.latency);
	latency_kinds_fini(&c.kinds);
	table_command_fini(&c.base);
	return ok ? 0 : -1;
}
