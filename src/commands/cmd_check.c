/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check - does a trace fulfil rules?  Each is about a column of a table that a command prints. */
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file.h"
#include "src/base/small_file.h"
#include "src/commands/check_baseline.h"
#include "src/commands/check_look.h"
#include "src/lists/comparison.h"
#include "src/trace/time_option.h"
#include "src/trace/warnings.h"

enum { OPT_RULE = 1, OPT_BASELINE, OPT_BY, OPT_KIND, OPT_PER };

#define MOST_RULES	(1u << 20)	/* bytes of a file of rules */
#define MOST_GAPS	65536u		/* gaps that are looked at for the largest one */

static const char *const by_options[] = { "by", "kind", "per" };	/* from OPT_BY on */

const struct command_def cmd_check_def = {
	.name = "check",
	.operands = "[RULES] [FILE...]",
	.summary = "does a trace fulfil rules? As TAP, for scripts and continuous integration",
	.is_main = true,
	.details = "RULES is a file with one rule per line; -e gives a rule instead. A rule is\n"
		   "  TABLE [--OPTION...] [ROW] [COLUMN] < LIMIT [if FILTER]\n"
		   "with < <= == != >= or >. Blank lines, and lines that begin with #, are ignored.\n\n"
		   "TABLE is the table of a command: tasks, functions, latency, count, wakeups,\n"
		   "stacks, why, noise; cpus is tasks --queues, events is count --by=event. It takes\n"
		   "options of that command, as in latency --kind=syscall --by=what fsync p99 < 10ms.\n"
		   "COLUMN has its name in csv, with or without _ns, or its name in text; a percent\n"
		   "sign after a column of times makes it a share of the length of the trace:\n"
		   "wait% < 5. Without COLUMN, the rule is about the first column of counts, which\n"
		   "can also be called n. ROW is a value of the first column, and may contain * and\n"
		   "?; without it, all rows have to keep to the limit. A LIMIT on a time has a unit:\n"
		   "ns, us, ms or s. FILTER is a filter as after -F: in if comm == bash, it selects\n"
		   "the task that ran; in if sched_migrate_task: comm == \"bash\", the task that the\n"
		   "event is about. ROW of events may have the system, as in events rv:error_* == 0:\n"
		   "no violation of the monitors that record --monitor recorded. That no such event is\n"
		   "in the trace only counts if they were recorded.\n\n"
		   "Without TABLE, COLUMN is a figure of the whole trace: lost, overwritten, damaged,\n"
		   "duration.\n\n"
		   "A rule about a figure that is not known neither holds nor is broken: the test\n"
		   "is not ok, and says what was not recorded. Counts, sums and maxima are lower\n"
		   "bounds if events were lost or switches of tasks are missing, and a minimum is an\n"
		   "upper bound. Doubtful instances (~) may have been shorter; open ones have lasted\n"
		   "at least until the end of the trace. If the known part is enough to decide, the\n"
		   "rule holds or is broken all the same. Percentiles and means are those of the\n"
		   "recorded part.\n\n"
		   "--baseline makes a rule of each row that ftop-trace diff has for OLD and FILE: it\n"
		   "must not be worse than in OLD. A row is worse if it took longer, or if there was\n"
		   "more of it, by more than diff calls noise. Rows that only one of them has are\n"
		   "skipped. Runs of the same program differ from each other, most on a busy\n"
		   "machine, and one baseline does not show by how much. With several, a row breaks\n"
		   "its rule if it is worse than in all of them. With N runs as baseline, a row that\n"
		   "did not change still fails once in N + 1 checks by chance: three runs leave 1 in\n"
		   "4, and 19 runs 1 in 20.\n\n"
		   "The output is KTAP, version 1, which prove and the kernel selftests read. For a\n"
		   "rule that does not hold, lines say which row is the worst, where that was, and\n"
		   "which command shows it. The exit status is 0 if all rules hold, 1 if one is broken\n"
		   "or not known, 2 after an error.",
	.examples = "The wake-up latencies of an audio server:\n"
		    "  ftop-trace check -e 'latency wakeup p99 < 100us if comm == audio*'\n"
		    "No violation of the kernel's monitors of runtime verification:\n"
		    "  ftop-trace check -e 'events rv:error_* == 0'\n"
		    "All traces of a folder, by a file of rules:\n"
		    "  prove -e 'ftop-trace check rules.txt' *.dat\n"
		    "Find everything that became slower since the last version:\n"
		    "  ftop-trace check --baseline=old.dat --by=latency new.dat\n"
		    "The same, worse than in each of three runs:\n"
		    "  ftop-trace check --baseline={old1,old2,old3}.dat --by=latency new.dat",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "rule", .letter = 'e', .arg = "RULE", .id = OPT_RULE,
		  .help = "check this rule, and read no RULES (repeatable)" },
		{ .name = "baseline", .arg = "OLD", .id = OPT_BASELINE, .kind = OPTION_READ,
		  .help = "check that FILE is no worse than this trace, and read no RULES (repeatable)" },
		{ .name = "by", .arg = COMPARISON_WORDS, .id = OPT_BY,
		  .help = "with --baseline: compare this, as in ftop-trace diff" },
		{ .name = "kind", .arg = "KIND", .id = OPT_KIND,
		  .help = "with --baseline --by=latency: compare the rows within this kind" },
		{ .name = "per", .arg = "trace|second", .id = OPT_PER,
		  .help = "with --baseline: compare sums of the whole traces, or per second of CPU time" },
		FROM_OPTION,
		TO_OPTION,
		{ .name = "cpu", .arg = "LIST", .id = FILTER_OPTION_CPU, .help = "only on these CPUs: 0,2-4" },
		TASK_OPTION,
		{ .name = "filter", .letter = 'F', .arg = "EXPR", .id = OPTION_REFUSED,
		  .help = "each rule has its own: RULE if EXPR" },
		{ .name = "format", .arg = "text|csv|json", .id = FILTER_OPTION_FORMAT,
		  .help = "text: KTAP; csv: a header line and rows; json: one object per line" },
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct check_command {
	const struct option_list *list;
	struct option_list files;	/* the same; operands are the traces alone; borrowed */
	struct filter_given given;
	struct shell_words part;	/* see struct check_trace */
	struct check_rules rules;
	const char	*tables[COMMAND_TABLES];
	const char	**old;		/* owned, [nr_old]: --baseline */
	unsigned int	nr_old, cap_old;
	struct check_report report;
	/* Of the file at hand: */
	struct check_trace of;
	struct check_line *lines;	/* owned, [rules.nr] */
	bool		*done;		/* owned, [rules.nr] */
	/* Rules that take the table at hand: those that are like this one. */
	unsigned int	first;
	const struct command_table *table;
	bool		is_placed;	/* an error tells where in the rule it is */
};

/* --- the trace as a whole --------------------------------------------------------------------- */

struct trace_facts {
	uint64_t	lost, overwritten, damaged;
	int64_t		span;
	bool		has_span, is_least, is_part, has_stats;
};

#define FACT(id, word, member, ...) \
	{ id, word, .width = 1, .kind = TABLE_COUNT, TABLE_MEMBER(struct trace_facts, member), \
	  __VA_ARGS__ }

static const struct table_column of_trace[] = {
	FACT("lost_events", "lost", lost, .bound = TABLE_AT_LEAST,
	     TABLE_DOUBT(struct trace_facts, is_least)),
	FACT("overwritten", "overwritten", overwritten, TABLE_IF(struct trace_facts, has_stats)),
	FACT("damaged_pages", "damaged", damaged),
	{ "span_ns", "duration", .width = 1, .kind = TABLE_TIME,
	  TABLE_MEMBER(struct trace_facts, span), TABLE_IF(struct trace_facts, has_span),
	  .bound = TABLE_AT_LEAST, TABLE_DOUBT(struct trace_facts, is_part) },
};

static const struct table_columns trace_columns = { TABLE_COLUMNS(of_trace) };

/* Of losses: the largest one. */
static bool find_loss(void *arg, const struct table_column *column, const void *row,
		      struct list_place *place)
{
	struct trace *trace = arg;
	struct trace_event event;
	bool wrapped = false, found = false;
	uint64_t most = 0;
	trace_ref ref = trace_first(trace);

	(void)row;
	if (column != of_trace)
		return false;
	for (unsigned int i = 0; i < MOST_GAPS && ref != TRACE_REF_NONE && !wrapped; i++) {
		if (trace_event_at(trace, ref, &event) && event.kind == TRACE_ROW_LOST &&
		    (!found || event.lost_count > most)) {
			found = true;
			most = event.lost_count;
			*place = (struct list_place){ .is_moment = true, .ts = event.ts, .pid = -1,
						      .cpu = event.cpu };
		}
		ref = trace_next_trouble(trace, ref, &wrapped);
	}
	return found;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Are they of one table, with the same options and filter? */
static bool are_alike(const struct check_rule *a, const struct check_rule *b)
{
	bool alike = is_same(a->table.s, b->table.s) && is_same(a->filter.s, b->filter.s) &&
		     a->nr_options == b->nr_options;

	for (unsigned int i = 0; alike && i < a->nr_options; i++)
		alike = !strcmp(a->options[i], b->options[i]);
	return alike;
}

static int take(void *arg, const struct table_rows *rows, struct ft_error *err)
{
	struct check_command *c = arg;
	int ret = 0;

	for (unsigned int i = c->first; i < c->rules.nr && ret >= 0; i++) {
		if (!are_alike(&c->rules.list[i], &c->rules.list[c->first]))
			continue;
		ret = check_look(&c->of, &c->rules.list[i], c->table, rows, &c->lines[i], err);
		c->done[i] = true;
	}
	c->is_placed = ret < 0;
	return ret;
}

static int take_trace(struct check_command *c, struct ft_error *err)
{
	struct trace *trace = c->of.trace;
	const struct trace_status s = trace_status(trace);
	struct trace_facts facts = {
		.damaged = s.damaged_pages,
		/* a gap of unknown size is of one event at least */
		.lost = s.lost_events ?: s.lost_unknown && !trace_is_thinned(trace, 0),
		.is_least = !trace_knows_lost(trace),
		.is_part = source_is_damaged(trace_file_of(trace, 0)) || s.damaged_pages,
		.overwritten = trace_file_cpu_stat(trace_file_of(trace, 0), -1, -1, "\noverrun:"),
		.has_stats = !*source_info(trace_file_of(trace, 0))->cuts,
	};
	const struct table_rows rows = {
		.columns = &trace_columns, .array = &facts, .bytes = sizeof(facts), .nr = 1,
		.arg = trace, .place = find_loss,
		.clock = trace_unit(trace) == TRACE_UNIT_COUNT ? trace_clock(trace) : NULL,
	};
	int64_t first, last;

	facts.has_span = trace_span(trace, &first, &last) && !trace_is_untimed(trace, -1);
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++)
		facts.is_part |= trace_stream_info(trace, i).lacks_end;
	facts.span = facts.has_span ? time_between(first, last) : 0;
	return take(c, &rows, err) < 0 ? -1 : 0;
}

/* What the command noted is a part of why a rule does not hold. */
static void add_notes(struct check_command *c, const struct text *notes)
{
	for (unsigned int i = c->first; i < c->rules.nr && notes->len; i++)
		if (c->lines[i].verdict != CHECK_HOLDS &&
		    are_alike(&c->rules.list[i], &c->rules.list[c->first]))
			c->lines[i].why = arena_printf(&c->rules.arena, "%s\n%s", c->lines[i].why,
						       text_str(notes));
}

/* Run the table's command once for all rules that are like this one. */
static int look_at_table(struct check_command *c, unsigned int first, struct ft_error *err)
{
	const struct check_rule *rule = &c->rules.list[first];
	const struct table_taker taker = { take, c };
	struct command_file file = { .path = trace_path(c->of.trace, 0), .nr = 1,
				     .trace = c->of.trace, .taker = &taker };
	struct shell_words words = { 0 };
	struct text notes = { 0 };
	unsigned int i = 0;
	int ret;

	c->first = first;
	c->table = NULL;
	if (!rule->table.s)
		return take_trace(c, err);
	while (strcmp(c->tables[i], rule->table.s) != 0)
		i++;
	c->table = &command_tables[i];
	check_words(&c->of, rule, &words);
	shell_words_add(&words, "--format=csv");
	warnings_take(&notes);
	ret = command_table_run(c->table, &words, &file, err);
	warnings_take(NULL);
	if (ret && !c->is_placed)
		ft_error_prefix(err, "%s",
				check_rule_place(&c->rules, rule,
						 rule->filter.s ? &rule->filter : &rule->table));
	if (!ret)
		add_notes(c, &notes);
	shell_words_fini(&words);
	text_fini(&notes);
	return ret;
}

/* --- files ------------------------------------------------------------------------------------ */

static int find_span(struct check_command *c, struct ft_error *err)
{
	struct time_range range = { c->given.from || c->given.to, INT64_MIN, INT64_MAX };
	int64_t first, last;

	if (time_option_range(c->of.trace, c->given.from, c->given.to, &range.from, &range.to, err))
		return -1;
	if (trace_span(c->of.trace, &first, &last))
		c->of.span = (double)(range.set ? time_range_part(&range, first, last) :
						  time_between(first, last));
	return 0;
}

static int check_rules(struct check_command *c, const char *file, struct ft_error *err)
{
	unsigned int nr = c->rules.nr;
	int ret = find_span(c, err);

	c->lines = mem_array(nr + 1ul, sizeof(*c->lines));
	c->done = mem_array(nr + 1ul, sizeof(*c->done));
	for (unsigned int i = 0; i < nr && !ret; i++) {
		c->lines[i].file = file;
		c->lines[i].rule = c->rules.list[i].text;
	}
	for (unsigned int i = 0; i < nr && !ret; i++)
		ret = c->done[i] ? 0 : look_at_table(c, i, err);
	for (unsigned int i = 0; i < nr && !ret; i++)
		check_report_add(&c->report, &c->lines[i], c->of.trace);
	free(c->lines);
	free(c->done);
	return ret;
}

static int compare(struct check_command *c, bool several, struct ft_error *err)
{
	struct shell_words words = { 0 };
	int ret;

	for (unsigned int i = 0; i < c->part.nr; i++)
		shell_words_add(&words, c->part.words[i]);
	for (unsigned int i = 0; i < c->list->nr; i++)
		if (c->list->values[i].id >= OPT_BY && c->list->values[i].id <= OPT_PER)
			shell_words_addf(&words, "--%s=%s",
					 by_options[c->list->values[i].id - OPT_BY],
					 c->list->values[i].value);
	ret = check_baseline(c->old, c->nr_old, c->of.trace, several, &words, &c->rules.arena,
			     &c->report, err);
	shell_words_fini(&words);
	return ret;
}

static int check_file(struct check_command *c, unsigned int index, struct ft_error *err)
{
	const unsigned int nr = c->files.nr_operands;
	const struct command_file file = { &c->files, c->files.operands[index], index, nr };
	struct trace *trace = command_open(&file, false, err);
	struct trace_status status;
	int ret;

	if (!trace)
		return -1;
	trace_wait(trace);
	status = trace_status(trace);
	c->of = (struct check_trace){
		.trace = trace, .part = &c->part, .rules = &c->rules,
		.is_lossy = status.lost_events || status.lost_unknown || status.damaged_pages ||
			    trace_has_missed(trace, -1) || !trace_knows_lost(trace) ||
			    status.lacks_begin,
	};
	ret = check_rules(c, nr > 1 ? file.path : NULL, err);
	if (!ret && c->nr_old)
		ret = compare(c, nr > 1, err);
	trace_close(trace);
	return ret;
}

/* --- options ---------------------------------------------------------------------------------- */

static int read_rules(struct check_command *c, struct ft_error *err)
{
	const char *path = c->list->nr_operands ? c->list->operands[0] : NULL;
	struct text text = { 0 };
	int ret;

	if (!path)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "no rules: give a file of RULES, -e RULE, or --baseline=OLD");
	ret = small_file_read(path, MOST_RULES, &text, err);
	if (!ret)
		ret = check_rules_add(&c->rules, path, text_str(&text), c->tables, COMMAND_TABLES,
				      err);
	if (!ret && !c->rules.nr)
		ret = ft_error_set(err, FT_E_USAGE, -1, "%s: no rules are in it", path);
	text_fini(&text);
	c->files.operands++;
	c->files.nr_operands--;
	return ret;
}

static int read_options(struct check_command *c, struct ft_error *err)
{
	bool compares = false, has_rules = false;

	for (unsigned int i = 0; i < c->list->nr; i++) {
		const struct option_value *v = &c->list->values[i];

		if (filter_option(&c->given, v, err) < 0 ||
		    (v->id == OPT_RULE &&
		     check_rules_add(&c->rules, NULL, v->value, c->tables, COMMAND_TABLES, err)))
			return -1;
		if (v->id == OPT_BASELINE) {
			mem_grow(&c->old, c->nr_old, &c->cap_old);
			c->old[c->nr_old++] = v->value;
		}
		has_rules |= v->id == OPT_RULE;
		if (v->id >= FILTER_OPTION_FROM && v->id <= FILTER_OPTION_TASK)
			shell_words_addf(&c->part, "--%s=%s",
					 options_by_id(c->list->command, v->id)->name, v->value);
		compares |= v->id >= OPT_BY && v->id <= OPT_PER;
	}
	c->report.format = c->given.format;
	if (compares && !c->nr_old)
		return ft_error_set(err, FT_E_USAGE, -1, "--by, --kind and --per need --baseline");
	if (has_rules && !c->rules.nr)
		return ft_error_set(err, FT_E_USAGE, -1, "-e: no rule is in it");
	return has_rules || c->nr_old ? 0 : read_rules(c, err);
}

int cmd_check(const struct option_list *list, struct ft_error *err)
{
	static const char *here[] = { "trace.dat" };
	struct check_command c = { .list = list, .files = *list };
	int ret;

	command_tables_words(c.tables);
	ret = read_options(&c, err);
	if (!c.files.nr_operands) {
		c.files.operands = here;
		c.files.nr_operands = 1;
	}
	for (unsigned int i = 0; i < c.files.nr_operands && !ret; i++)
		ret = check_file(&c, i, err);
	if (!ret)
		ret = check_report_end(&c.report, err);
	if (ret < 0)
		err->code = FT_E_USAGE;		/* each error has the exit status 2 */
	free(c.old);
	text_fini(&c.report.out);
	shell_words_fini(&c.part);
	check_rules_fini(&c.rules);
	filter_given_fini(&c.given);
	return ret;
}
