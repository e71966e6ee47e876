/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd_report - the options of `report`; the work is report.c's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/commands/commands.h"
#include "src/commands/derived_names.h"
#include "src/filter/filter_help.h"
#include "src/kernel/kernel_options.h"
#include "src/match/filter_option.h"
#include "src/report/report.h"
#include "src/trace/offset_option.h"

enum {
	OPT_INPUT, OPT_LATENCY, OPT_NANOSECONDS, OPT_RAW, OPT_NO_PLUGINS, OPT_NO_SYSTEM_PLUGINS, OPT_NO_IRQS,
	OPT_NO_SOFTIRQS, OPT_PLUGIN, OPT_CPU, OPT_TS_DIFF, OPT_RAW_TS, OPT_FROM, OPT_TO, OPT_HEAD, OPT_TAIL, OPT_EXACT,
	OPT_COMPAT, OPT_FORMAT, OPT_STYLE,
};

const struct command_def cmd_report_def = {
	.name = "report",
	.operands = "[FILE...]",
	.summary = "the trace as text, as trace-cmd report prints it",
	.details = "The text equals trace-cmd's byte for byte, except for function_graph\n"
		   "traces of several CPUs. There a leaf's line is joined if the next record\n"
		   "of the same CPU is its exit, and time never goes back. trace-cmd takes the\n"
		   "next record of all CPUs, so it leaves leaves unjoined or joins them with\n"
		   "the exit of another CPU; and it continues with a record that it has freed,\n"
		   "so some of its lines are out of order.\n"
		   "--from, --to, --head and --tail print the lines of the full report whose\n"
		   "first record lies in the window; --head and --tail count events, so there\n"
		   "may be fewer lines. A TIME is in the trace's clock, as report shows it\n"
		   "(7.554321), has a unit (7554ms), or counts from the first event (+1.5ms);\n"
		   "for a clock that is not time it is a raw count. With the clock boot, whose\n"
		   "nanoseconds trace-cmd prints bare, a TIME may be in seconds, or a number\n"
		   "with its unit (11450837401ns). In a latency tracer's text times count from\n"
		   "its own start (15us); a window keeps the entries with their stacks, below\n"
		   "the whole heading. If the clock of a CPU goes back, only --exact is sure\n"
		   "to find every event of a window.\n"
		   "Problems with a file are reported on stderr at the end. The exit status is 0 if\n"
		   "some of the file could be shown, else 1.\n"
		   "-F takes an expression such as 'sched_switch: prev_state == R && next_prio\n"
		   "< 100', 'comm == bash', 'func =~ /^vfs_/' or 'ret < 0'; the man page\n"
		   "describes the language. --count, --head and --tail count matching events.",
	.manual = filter_help,
	.max_operands = 65535,
	.options = (const struct option_def[]){
		{ .name = "input", .letter = 'i', .arg = "FILE", .id = OPT_INPUT,
		  .help = "a file to report on; several files share one time line" },
		{ .letter = 'l', .id = OPT_LATENCY, .help = "latency format: with the flags column" },
		{ .letter = 't', .id = OPT_NANOSECONDS, .help = "times with nanoseconds" },
		{ .letter = 'R', .id = OPT_RAW, .help = "fields as raw values instead of the event's text" },
		{ .letter = 'N', .id = OPT_NO_PLUGINS, .help = "without plugins: only the kernel's print formats" },
		{ .letter = 'L', .id = OPT_NO_SYSTEM_PLUGINS, .help = "with only the user's own plugins" },
		{ .letter = 'I', .id = OPT_NO_IRQS, .help = "leave out events in hard interrupts" },
		{ .letter = 'S', .id = OPT_NO_SOFTIRQS, .help = "leave out events in soft interrupts" },
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
		  .help = "in a window, keep names and indentation of the full report: reads the whole file" },
		{ .name = "compat", .arg = "3.1|3.4", .id = OPT_COMPAT,
		  .help = "version of trace-cmd whose text is copied: 3.1 (default), or 3.4;\n"
			  "that of 3.3 is the same, but for arguments and callers of functions, which it does not know" },
		{ .name = "format", .arg = "text|csv|json", .id = OPT_FORMAT, .help = "csv: one row per record; json: one object per line" },
		{ .name = "style", .arg = "trace-cmd|kernel", .id = OPT_STYLE,
		  .help = "kernel: as the kernel's own trace file shows it; then -O takes the names of its options\n"
			  "(latency-format, nosym-offset...), and -O list shows them" },
		FILTER_OPTIONS("events that match; repeatable: any may match; with several -i: for the file before it", "events"),
		OFFSET_OPTION,
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
	enum table_format format;

	if (table_format_parse(value, &format, err))
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

	/* A filter belongs to the -i before it; before any -i, to the first one. */
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
	options->filter_names = derived_names;
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
	struct trace_offset *offsets = NULL;
	int ret = 0;

	for (unsigned int i = 0; i < list->nr && !ret; i++)
		ret = set_option(&p, &list->values[i], err);
	for (unsigned int i = 0; i < list->nr_operands; i++)
		add_word(&p.inputs, list->operands[i]);
	/* Operands have no position among the options: the filters apply to all of them. */
	for (unsigned int i = 0; i < p.given.nr && (list->nr_operands || p.inputs.nr < 2); i++)
		p.given.sources[i].file = -1;
	if (!p.inputs.nr)
		add_word(&p.inputs, command_file(list));
	report_options_filter(&p.options, &p.given);
	p.options.inputs = p.inputs.list;
	p.options.nr_inputs = p.inputs.nr;
	if (!ret)
		ret = offset_option_find(list, p.inputs.list, p.inputs.nr, &offsets, err);
	p.options.offsets = offsets;
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
	free(offsets);
	return ret;
}
