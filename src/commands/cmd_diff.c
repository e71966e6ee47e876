/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff - what changed between two traces: functions, tasks, latencies, stacks, events. */
#include <unistd.h>

#include "parsers/source/source.h"
#include "src/calls/graph_records.h"
#include "src/commands/command_open.h"
#include "src/commands/scope.h"
#include "src/commands/table_rows.h"
#include "src/lists/comparison.h"
#include "src/match/given_filter.h"
#include "src/trace/warnings.h"

enum { OPT_BY = 1, OPT_KIND, OPT_PER };

#define HELP_LINE(name, word, nr, help) "  " help "\n"
#define A_LOT	1.5		/* times as long: what sums are of matters */

const struct command_def cmd_diff_def = {
	.name = "diff",
	.operands = "A B",
	.summary = "what changed from trace A to trace B: functions, tasks, latencies, stacks, events",
	.is_main = true,
	.details = "Rows of A and B are matched by name. Each figure has a column for A, one for B,\n"
		   "and one for B divided by A. The row whose total changed most comes first;\n"
		   "--sort=self_ratio finds the functions that changed by themselves. Rows without\n"
		   "any change are left out.\n\n"
		   "With --per=trace, sums and counts are those of whole traces: use it for traces of\n"
		   "the same work. With --per=second, they are per second of CPU time that was\n"
		   "recorded, that is, the time of each CPU from its first record to the end of its\n"
		   "buffer, without the gaps of lost events, all CPUs together. With a clock without\n"
		   "a unit, they are per 10^9 units. Use it for traces of different lengths. The\n"
		   "default is trace if A and B are whole recordings of a command that ended\n"
		   "(ftop-trace record COMMAND), nothing is missing in them, and no window is given,\n"
		   "otherwise second. p50, p99 and\n"
		   "max are those of one call, run or instance. In csv and json, a_total_ns and\n"
		   "others are always sums of the trace; total_ratio and others follow --per.\n"
		   "delta_total_ns_per_s and others, B minus A, exist with --per=second.\n\n"
		   "Without --by, it compares functions if A has calls, tasks if it has\n"
		   "sched_switch, and events otherwise.\n"
		   "  functions  calls; total, self and net time as in ftop-trace functions\n"
		   "  tasks      runs by name; total is the time they ran. A number at the\n"
		   "             end of a name, or after one of /-:_.#, is shown as *; all\n"
		   "             kworkers are one row. In text, the scheduler comes first\n"
		   "  latency    each kind of ftop-trace latency; with --kind, one of them:\n"
		   "             wakeup, preempted, blocked and sleep by the name of the\n"
		   "             task, others by interrupt, system call or function\n"
		   "  events     event types\n"
		   "  scheduler  wake-up latency of tasks that stayed on their CPU, or\n"
		   "             migrated, or did either, where records are missing; waits of\n"
		   "             preempted tasks; slices: runs from switch to switch;\n"
		   "             switches; migrations; run queue: the waiting times of all\n"
		   "             tasks, so its total is the change of the mean length; and\n"
		   "             how long CPUs idled while two or more tasks waited for\n"
		   "             another CPU\n"
		   LIST_SOURCES_WITH_COMMAND(HELP_LINE)
		   "\n"
		   "In a part of the traces, a duration counts if it began there; functions count as\n"
		   "in ftop-trace functions; sums of tasks and of CPU time count only the time within\n"
		   "the part. With --task or -F, scheduler has no rows of CPUs: run queue and idle.\n\n"
		   "The verdict says how B compares with A: 1.8 times as long (worse), 0.5 times as\n"
		   "long (better). It is about p50, or about p99 if p50 is the same, or about the\n"
		   "total if there are no durations. For a task it is first about its waits for a\n"
		   "CPU: waits 140 times as long (worse). If some figures are worse and others\n"
		   "better, it is about the worse ones. Runs, sleep and counts are neither: 1.8 times\n"
		   "as many. A row that only B or only A has is new or gone. How a row compares is not\n"
		   "known if a trace may not have recorded its events, or if a damaged trace has less\n"
		   "of it. In csv and json, the verdict is differs, noise, or not known.\n\n"
		   "A row is noise if A and B have fewer than 8 instances each, or if both the\n"
		   "durations and the counts are alike. Durations are alike if the rank test of Mann\n"
		   "and Whitney (with ties) finds |z| < 2.58. Where there are no durations, the totals\n"
		   "may differ by a tenth. Counts are alike if they differ by less than 2.58 standard\n"
		   "deviations of independent events, or by at most a tenth. A task is noise if both\n"
		   "its runs and its waits for a CPU are alike; z is that of the runs.\n\n"
		   "The exit status is 0 whether there are differences or not; scripts read the\n"
		   "verdict in csv and json.",
	.examples = "Functions that take more time in the second trace, and those that take less:\n"
		    "  ftop-trace diff --by=functions before.dat after.dat\n"
		    "Which wake-up latencies differ, as CSV:\n"
		    "  ftop-trace diff --by=latency --kind=wakeup --format=csv old.dat new.dat\n"
		    "Without the first second, in which the program starts:\n"
		    "  ftop-trace diff --from=+1s before.dat after.dat",
	.min_operands = 2,
	.max_operands = 2,
	.options = (const struct option_def[]){
		{ .name = "by", .arg = COMPARISON_WORDS, .id = OPT_BY, .help = "compare this" },
		{ .name = "kind", .arg = "KIND", .id = OPT_KIND,
		  .help = "with --by=latency: compare the rows within this kind, not the kinds" },
		{ .name = "per", .arg = "trace|second", .id = OPT_PER,
		  .help = "compare sums of the whole traces, or per second of CPU time" },
		PART_OPTIONS("limit both traces; +1s is a second after the first event of each"),
		TABLE_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct diff_command {
	const struct option_list *list;
	struct filter_given given;
	int		by;		/* what to compare, see comparison.h; -1: not given */
	const char	*kind;		/* --kind, or NULL */
	int		per;		/* index in per_words; -1: not given */
	const struct table_taker *taker;	/* of the rows; NULL: they are printed */
	struct text	names[2];	/* titles of the columns of A and B */
	struct trace	*traces[2];	/* owned */
	struct graph_scope scopes[2];	/* owned: the part of each, see scope.h */
};

enum { PER_TRACE, PER_SECOND };
static const char *const per_words[] = { "trace", "second" };

static int read_options(struct diff_command *c, struct ft_error *err)
{
	const char *words[COMPARISON_NR];

	for (unsigned int i = 0; i < COMPARISON_NR; i++)
		words[i] = comparison_word(i);
	c->by = c->per = -1;
	for (unsigned int i = 0; i < c->list->nr; i++) {
		const struct option_value *v = &c->list->values[i];
		int taken = filter_option(&c->given, v, err);

		if (!taken && v->id == OPT_BY)
			taken = c->by = options_choice("--by", v->value, words, COMPARISON_NR, err);
		if (!taken && v->id == OPT_PER)
			taken = c->per = options_choice("--per", v->value, per_words, 2, err);
		if (!taken && v->id == OPT_KIND)
			c->kind = v->value;
		if (taken < 0)
			return -1;
	}
	if (c->kind && c->by != COMPARE_LATENCY)
		return ft_error_set(err, FT_E_USAGE, -1, "--kind needs --by=latency");
	return 0;
}

static int open_traces(struct diff_command *c, struct ft_error *err)
{
	bool all;

	for (unsigned int i = 0; i < 2; i++) {
		const struct command_file file = { c->list, c->list->operands[i], i, 2 };

		c->traces[i] = command_open(&file, false, err);
		if (!c->traces[i])
			return -1;
		trace_wait(c->traces[i]);
		if (scope_init(&c->scopes[i], &all, c->traces[i], &c->given, err))
			return ft_error_prefix(err, "%s", file.path);
	}
	if (trace_unit(c->traces[0]) != trace_unit(c->traces[1]))
		return ft_error_set(err, FT_E_UNSUPPORTED, -1,
				    "%s and %s: the clock of only one of them (%s and %s) has ns",
				    c->list->operands[0], c->list->operands[1],
				    trace_clock(c->traces[0]), trace_clock(c->traces[1]));
	return 0;
}

/* Has any of them a task of --task? */
static int check_tasks(struct diff_command *c, struct ft_error *err)
{
	struct ft_error wrong = { 0 };

	return given_filter_check_tasks(c->traces[0], &c->given, &wrong) ?
		       given_filter_check_tasks(c->traces[1], &c->given, err) :
		       0;
}

static bool has_window(const struct diff_command *c)
{
	return c->scopes[0].has_from || c->scopes[0].has_to;
}

/* Is it the whole recording of a command? */
static bool is_whole_work(const struct diff_command *c, unsigned int side)
{
	struct trace_status status = trace_status(c->traces[side]);

	return !status.lost_events && !status.lost_unknown && !status.damaged_pages &&
	       !trace_nr_warnings(c->traces[side], 0) &&
	       source_info(trace_file_of(c->traces[side], 0))->has_command && !has_window(c);
}

/* --- output ---------------------------------------------------------------------------------- */

static void add_side(const struct diff_command *c, const struct diff *diff, unsigned int side,
		     struct text *out)
{
	const char *kernel = trace_kernel(c->traces[side]), *path = c->list->operands[side];

	text_printf(out, "%c  ", "AB"[side]);
	text_printable(out, path, strlen(path));
	text_add(out, ": ");
	trace_time_text(c->traces[side], diff->cpu_time[side], 9, out);
	text_printf(out, "%s of %u CPU%s",
		    trace_unit(c->traces[side]) == TRACE_UNIT_NS ? " s" : " units",
		    diff->nr_cpus[side], PLURAL(diff->nr_cpus[side]));
	if (*kernel) {
		text_add(out, ", kernel ");
		text_printable(out, kernel, strlen(kernel));
	}
	text_char(out, '\n');
}

static int print_rows(struct diff_command *c, unsigned int by, struct diff *diff,
		      struct ft_error *err)
{
	const struct command_file file = { c->list, c->list->operands[1], 0, 1, c->taker };
	const char *const names[2] = { text_str(&c->names[0]), text_str(&c->names[1]) };
	const struct table_columns columns =
		diff_columns(comparison_figures(by) | diff->knows |
				     (diff->per_trace ? 0 : DIFF_PER_SECOND),
			     names);
	const struct table_rows rows = {
		.columns = &columns, .nr = c->taker ? diff->nr : diff->nr_changed,
		.array = diff->rows, .bytes = sizeof(*diff->rows),
		.clock = by != COMPARE_FUNCTIONS && trace_unit(c->traces[0]) == TRACE_UNIT_COUNT ?
				 trace_clock(c->traces[0]) :
				 NULL,
	};
	struct row_picker picker;
	int ret = row_picker_init(&picker, &c->given, err);

	if (!ret)
		ret = table_rows_print(&rows, &file, &c->given, &picker, NULL, err);
	row_picker_fini(&picker);
	return ret;
}

/* @head: both files; then the title of the rows. */
static int print(struct diff_command *c, unsigned int by, struct diff *diff, bool head,
		 struct ft_error *err)
{
	struct text out = { 0 };

	if (c->given.format != FORMAT_TEXT || c->taker)
		return print_rows(c, by, diff, err);
	for (unsigned int side = 0; head && side < 2; side++)
		add_side(c, diff, side, &out);
	text_printf(&out, "\nChange from A to B: %s%s%s, %s:\n", comparison_word(by),
		    diff->kind ? " of " : "", diff->kind ?: "",
		    !diff->per_trace ? "per second of CPU time" :
		    has_window(c)    ? "sums of these parts" :
				       "sums of the whole traces");
	if (!diff->nr_changed)
		text_add(&out, diff->any[0] || diff->any[1] ? "no differences\n" :
							      "nothing to compare\n");
	if (c->given.ascii || output_locale_is_ascii())
		text_to_ascii(&out, 0);
	if (output_whole(STDOUT_FILENO, &out, err))
		return -1;
	return diff->nr_changed ? print_rows(c, by, diff, err) : 0;
}

static void tell_lengths(const struct diff_command *c, const struct diff *diff)
{
	double a = (double)diff->cpu_time[0], b = (double)diff->cpu_time[1];
	const char *longer = c->list->operands[b > a];
	double times = b > a ? b / a : a / b;

	if (a <= 0 || b <= 0 || times <= A_LOT)
		return;
	if (diff->per_trace)
		warnings_tell(
			"%s has %.1f times the recorded CPU time of the other; unless both did "
			"the same work, compare by --per=second",
			longer, times);
	else
		warnings_tell(
			"%s has %.1f times the recorded CPU time of the other; if both did the "
			"same work, compare by --per=trace",
			longer, times);
}

static void tell_selves(const struct diff_command *c, const struct diff *diff)
{
	unsigned int without = diff->has_net[0];

	if (diff->any[0] && diff->any[1] && diff->has_net[0] != diff->has_net[1])
		warnings_tell("%s: %s; its self contains time off the CPU, so self is not compared",
			      c->list->operands[without], graph_net_needs(c->traces[without], 0));
}

static void tell_unknown(const struct diff_command *c, const struct diff *diff)
{
	for (unsigned int side = 0; side < 2; side++) {
		unsigned int nr = 0;

		for (uint32_t i = 0; i < diff->nr_changed; i++)
			nr += !!(diff->rows[i].of[side].lacks & DIFF_IS_RECORDED);
		if (nr)
			warnings_tell(
				"%s: %u row%s of what it does not count, or may not have recorded",
				c->list->operands[side], nr, nr == 1 ? " is" : "s are");
	}
}

static int compare(struct diff_command *c, unsigned int by, bool head, struct ft_error *err)
{
	struct diff diff = { .kind = c->kind, .per_trace = c->per == PER_TRACE };
	int ret = 0;

	for (unsigned int side = 0; side < 2 && !ret; side++) {
		const struct comparison_scope scope = {
			.what = scope_sweep(&c->scopes[side], &c->given, true),
			.nr_for_states = c->given.nr != 0,
			.given = &c->given,
		};

		ret = comparison_collect(&diff, by, side, c->traces[side], &scope, err) ||
				      scope_check(&c->scopes[side], c->traces[side], &c->given,
						  true, err) ?
			      -1 :
			      0;
	}
	if (!ret) {
		comparison_end(&diff, c->traces, (const unsigned int[2]){ 0 });
		if (head)
			tell_lengths(c, &diff);
		tell_selves(c, &diff);
		tell_unknown(c, &diff);
		ret = print(c, by, &diff, head, err);
	}
	for (unsigned int side = 0; side < 2 && !ret; side++)
		if (!diff.any[side])
			warnings_tell("%s has nothing to compare by %s%s%s",
				      c->list->operands[side], comparison_word(by),
				      diff.kind ? " of " : "", diff.kind ?: "");
	diff_fini(&diff);
	return ret;
}

static int run(struct diff_command *c, struct ft_error *err)
{
	unsigned int by;
	bool both;
	int ret = 0;

	if (read_options(c, err) || open_traces(c, err) || check_tasks(c, err))
		return -1;
	if (c->per < 0)
		c->per = is_whole_work(c, 0) && is_whole_work(c, 1) ? PER_TRACE : PER_SECOND;
	diff_names(c->list->operands, c->names);
	by = c->by < 0 ? comparison_default(c->traces[0]) : (unsigned int)c->by;
	both = by == COMPARE_TASKS && c->given.format == FORMAT_TEXT && !c->given.sort && !c->taker;
	if (both)
		ret = compare(c, COMPARE_SCHEDULER, true, err);
	if (!ret)
		ret = compare(c, by, !both, err);
	for (unsigned int side = 0; side < 2 && !ret; side++) {
		warnings_begin(c->list->operands[side]);
		warnings_show(c->traces[side], trace_status(c->traces[side]).damaged_pages);
	}
	return ret;
}

int cmd_diff(const struct option_list *list, struct ft_error *err)
{
	return diff_files(list, NULL, err);
}

int diff_files(const struct option_list *list, const struct table_taker *taker,
	       struct ft_error *err)
{
	struct diff_command c = { .list = list, .taker = taker };
	int ret = run(&c, err);

	for (unsigned int side = 0; side < 2; side++) {
		scope_fini(&c.scopes[side]);
		trace_close(c.traces[side]);
		text_fini(&c.names[side]);
	}
	filter_given_fini(&c.given);
	return ret;
}
