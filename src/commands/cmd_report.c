/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_report - the options of `report`; the work is report.c's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/commands/commands.h"
#include "src/filter/filter_help.h"
#include "src/match/filter_option.h"
#include "src/kernel/kernel_options.h"
#include "src/base/memory.h"
#include "src/report/report.h"

enum {
	OPT_INPUT, OPT_LATENCY, OPT_NANOSECONDS, OPT_RAW, OPT_NO_PLUGINS, OPT_NO_SYSTEM_PLUGINS, OPT_NO_IRQS,
	OPT_NO_SOFTIRQS, OPT_PLUGIN, OPT_CPU, OPT_TS_DIFF, OPT_RAW_TS, OPT_FROM, OPT_TO, OPT_HEAD, OPT_TAIL, OPT_EXACT,
	OPT_COMPAT, OPT_FORMAT, OPT_STYLE,
};

const struct command_def cmd_report_def = {
	.name = "report",
	.operands = "[FILE...]",
	.summary = "the trace as text, byte for byte as trace-cmd report prints it",
	.details = "--from, --to, --head and --tail print the lines of the full report whose first record lies in the\n"
		   "window; --head and --tail count events, so there may be fewer lines. A TIME is one of the trace's\n"
		   "clock as report shows it (7.554321), with a unit (7554ms), or counts from the first event (+1.5ms);\n"
		   "for a clock that is not time it is a raw count. The clock boot, whose nanoseconds trace-cmd prints bare,\n"
		   "takes seconds too, or the number with its unit (11450837401ns). Of a latency tracer's text, whose times\n"
		   "count from its own start (15us), a window holds the entries with their stacks, below the whole of its\n"
		   "heading. Where the clock of a CPU goes back, only --exact is sure to find every event of a window.\n"
		   "What is wrong with a file is told on stderr at the end. The exit status is 0 where something of it\n"
		   "could be shown, 1 where nothing could.\n"
		   "-F takes an expression such as 'sched_switch: prev_state == R && next_prio < 100', 'comm == bash',\n"
		   "'func =~ /^vfs_/' or 'ret < 0'; the man page tells the language. With --count, --head and --tail, events\n"
		   "that match are counted.",
	.manual = filter_help,
	.max_operands = 65535,
	.options = (const struct option_def[]){
		{ .name = "input", .letter = 'i', .arg = "FILE", .id = OPT_INPUT,
		  .help = "a file to report on; more than one go on one time line" },
		{ .letter = 'l', .id = OPT_LATENCY, .help = "latency format: with the flags column" },
		{ .letter = 't', .id = OPT_NANOSECONDS, .help = "times with nanoseconds" },
		{ .letter = 'R', .id = OPT_RAW, .help = "fields as raw values instead of the event's text" },
		{ .letter = 'N', .id = OPT_NO_PLUGINS, .help = "without plugins: the print format of the kernel alone" },
		{ .letter = 'L', .id = OPT_NO_SYSTEM_PLUGINS, .help = "with the user's own plugins alone" },
		{ .letter = 'I', .id = OPT_NO_IRQS, .help = "leave out what ran in hard interrupts" },
		{ .letter = 'S', .id = OPT_NO_SOFTIRQS, .help = "leave out what ran in soft interrupts" },
		{ .letter = 'O', .arg = "PLUGIN:OPTION[=VALUE]", .id = OPT_PLUGIN,
		  .help = "an option of a plugin, such as ftrace:parent=1 or fgraph:tailprint=1" },
		{ .name = "cpu", .arg = "LIST", .id = OPT_CPU, .help = "these CPUs only: 0,2-4" },
		{ .name = "ts-diff", .id = OPT_TS_DIFF, .help = "with the time since the line before" },
		{ .name = "raw-ts", .id = OPT_RAW_TS, .help = "time stamps as recorded, without offsets and conversion" },
		{ .name = "from", .arg = "TIME", .id = OPT_FROM, .help = "begin with the events of this time" },
		{ .name = "to", .arg = "TIME", .id = OPT_TO, .help = "end with the events of this time" },
		{ .name = "head", .arg = "N", .id = OPT_HEAD, .help = "the first N events" },
		{ .name = "tail", .arg = "N", .id = OPT_TAIL, .help = "the last N events" },
		{ .name = "exact", .id = OPT_EXACT,
		  .help = "in a window too, names and indentation as in the full report: reads the whole file" },
		{ .name = "compat", .arg = "3.1|3.4", .id = OPT_COMPAT,
		  .help = "version of trace-cmd whose text is copied: 3.1 (at first), or 3.4;\n"
			  "that of 3.3 is the same, but for arguments and callers of functions, which it does not know" },
		{ .name = "format", .arg = "text|csv|json", .id = OPT_FORMAT, .help = "csv: a row a record; json: an object a line" },
		{ .name = "style", .arg = "trace-cmd|kernel", .id = OPT_STYLE,
		  .help = "kernel: as the kernel's own trace file shows it; then -O takes the names of its options\n"
			  "(latency-format, nosym-offset...), and -O list shows them" },
		FILTER_OPTIONS("events that match; of several any may. With several -i: of the file before it", "events"),
		OPTION_END },
};

struct words {
	const char	**list;		/* owned, strings borrowed */
	unsigned int	nr, cap;
};

static void add_word(struct words *words, const char *word)
{
	mem_grow(&words->list, words->nr, &words->cap);
	words->list[words->nr++] = word;
}

#define MAX_CPUS 65536u

struct parsed {
	struct report_options	options;
	struct words		inputs, plugins;
	struct filter_given	given;
	bool			*cpus;		/* owned, [MAX_CPUS] */
};

static int set_format(struct report_options *o, const char *value, struct ft_error *err)
{
	int format = command_format(value, err);

	if (format < 0)
		return -1;
	o->format = format == FORMAT_JSON ? REPORT_JSON : format == FORMAT_CSV ? REPORT_CSV : REPORT_TEXT;
	return 0;
}

static int set_number(const char *option, const char *value, int64_t *out, struct ft_error *err)
{
	long long number;

	if (options_number(option, value, 0, INT64_MAX, &number, err))
		return -1;
	*out = number;
	return 0;
}

static int set_option(struct parsed *p, const struct option_value *v, struct ft_error *err)
{
	struct report_options *o = &p->options;
	int taken = filter_option(&p->given, v, err);

	/* It is about the -i before it; the first one, if it stands before them all. */
	if (taken > 0 && v->id == FILTER_OPTION_FILTER)
		p->given.sources[p->given.nr - 1].file = p->inputs.nr ? (int)p->inputs.nr - 1 : 0;
	if (taken)
		return taken < 0 ? -1 : 0;
	switch (v->id) {
	case OPT_INPUT:
		add_word(&p->inputs, v->value);
		break;
	case OPT_LATENCY:
		o->latency = true;
		break;
	case OPT_NANOSECONDS:
		o->nanoseconds = true;
		break;
	case OPT_RAW:
		o->raw = true;
		break;
	case OPT_NO_PLUGINS:
		o->no_plugins = true;
		break;
	case OPT_NO_SYSTEM_PLUGINS:
		o->no_system_plugins = true;
		break;
	case OPT_NO_IRQS:
		o->no_irqs = true;
		break;
	case OPT_NO_SOFTIRQS:
		o->no_softirqs = true;
		break;
	case OPT_PLUGIN:
		add_word(&p->plugins, v->value);
		break;
	case OPT_CPU:
		if (!p->cpus)
			p->cpus = mem_array(MAX_CPUS, sizeof(*p->cpus));
		return options_cpus("--cpu", v->value, p->cpus, MAX_CPUS, err);
	case OPT_TS_DIFF:
		o->ts_diff = true;
		break;
	case OPT_RAW_TS:
		o->raw_ts = true;
		break;
	case OPT_FROM:
		o->from = v->value;
		break;
	case OPT_TO:
		o->to = v->value;
		break;
	case OPT_HEAD:
		return set_number("--head", v->value, &o->head, err);
	case OPT_TAIL:
		return set_number("--tail", v->value, &o->tail, err);
	case OPT_EXACT:
		o->exact = true;
		break;
	case OPT_COMPAT:
		o->compat = v->value;
		break;
	case OPT_FORMAT:
		return set_format(o, v->value, err);
	case OPT_STYLE:
		if (strcmp(v->value, "kernel") != 0 && strcmp(v->value, "trace-cmd") != 0)
			return ft_error_set(err, FT_E_USAGE, -1, "--style %s: not trace-cmd or kernel", v->value);
		o->text_style = strcmp(v->value, "kernel") ? REPORT_TRACE_CMD : REPORT_KERNEL;
		break;
	}
	return 0;
}

void report_options_filter(struct report_options *options, const struct filter_given *given)
{
	options->filters = given->sources;
	options->nr_filters = given->nr;
	options->compat_filter = given->compat;
	options->grep = given->grep;
	options->count = given->count;
}

/* -O list */
static bool lists_options(const struct parsed *p)
{
	if (p->options.text_style != REPORT_KERNEL)
		return false;
	for (unsigned int i = 0; i < p->plugins.nr; i++)
		if (!strcmp(p->plugins.list[i], "list"))
			return true;
	return false;
}

void report_list_options(void)
{
	unsigned int nr;
	const struct kernel_option *options = kernel_option_list(&nr);

	for (unsigned int i = 0; i < nr; i++)
		printf("%-16s %s\n", options[i].name, options[i].help);
}

int cmd_report(const struct option_list *list, struct ft_error *err)
{
	struct parsed p = { .options = REPORT_OPTIONS_INIT };
	int ret = 0;

	for (unsigned int i = 0; i < list->nr && !ret; i++)
		ret = set_option(&p, &list->values[i], err);
	for (unsigned int i = 0; i < list->nr_operands; i++)
		add_word(&p.inputs, list->operands[i]);
	/* Operands have no place among the options: what is asked is asked of all. */
	for (unsigned int i = 0; i < p.given.nr && (list->nr_operands || p.inputs.nr < 2); i++)
		p.given.sources[i].file = -1;
	if (!p.inputs.nr)
		add_word(&p.inputs, command_file(list));
	report_options_filter(&p.options, &p.given);
	p.options.inputs = p.inputs.list;
	p.options.nr_inputs = p.inputs.nr;
	p.options.plugin_options = p.plugins.list;
	p.options.nr_plugin_options = p.plugins.nr;
	p.options.cpus = p.cpus;
	p.options.nr_cpus = MAX_CPUS;
	p.options.terminal = isatty(STDOUT_FILENO);
	if (!ret && lists_options(&p))
		report_list_options();
	else if (!ret)
		ret = report_run(&p.options, STDOUT_FILENO, err);
	free(p.inputs.list);
	free(p.plugins.list);
	filter_given_fini(&p.given);
	free(p.cpus);
	return ret;
}
