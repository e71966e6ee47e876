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
#include "src/kernel/kernel_options.h"
#include "src/match/filter_option.h"
#include "src/report/report.h"
#include "src/trace/formats_option.h"
#include "src/trace/offset_option.h"
#include "src/trace/trace_user.h"

enum {
	OPT_INPUT, OPT_LATENCY, OPT_NANOSECONDS, OPT_RAW, OPT_NO_PLUGINS, OPT_NO_SYSTEM_PLUGINS,
	OPT_NO_IRQS,
	OPT_NO_SOFTIRQS, OPT_PLUGIN, OPT_TS_DIFF, OPT_RAW_TS, OPT_TAIL, OPT_EXACT,
	OPT_COMPAT, OPT_STYLE,
};

const struct command_def cmd_report_def = {
	.name = "report",
	.operands = "[FILE...]",
	.summary = "the trace as text, as trace-cmd report prints it",
	.is_main = true,
	.details = "The text equals that of trace-cmd byte for byte, except for function_graph\n"
		   "traces of several CPUs. There, report prints a leaf call as one line if its\n"
		   "entry and its exit are consecutive records of one CPU, and keeps lines in the\n"
		   "order of time. trace-cmd looks at the next record of any CPU, so it prints some\n"
		   "leaf calls as two lines or with the exit of another CPU. It also uses a record\n"
		   "after freeing it, which puts some of its lines out of order.\n\n"
		   "--from, --to, --head and --tail print those lines of the full report whose\n"
		   "first record is in the window. --head and --tail count events; a leaf call is\n"
		   "two events, but one line.\n\n"
		   "For the idle state I of kernel threads such as rcu_preempt, trace-cmd prints W,\n"
		   "which is wrong, and report does the same. With --style=kernel, report prints the\n"
		   "kernel's letter, as the browser does.\n\n"
		   "A TIME is in the trace's clock, as report prints it (7.554321), or it has a\n"
		   "unit (7554ms), or it counts from the first event (+1.5ms). For a clock that\n"
		   "does not measure time, a TIME is a raw count. For the clock boot, whose times\n"
		   "trace-cmd prints in nanoseconds, a TIME is in seconds or has a unit\n"
		   "(11450837401ns). In the text of a latency tracer, times count from its\n"
		   "start (15us); a window keeps the heading, and the entries with their stacks. If\n"
		   "the clock of a CPU goes backwards, only --exact finds every event of a window.\n\n"
		   "Damage is reported on stderr at the end. The exit status is 1 if no event of\n"
		   "a damaged trace could be read, and 0 if some could.\n\n"
		   "-F takes an expression such as 'sched_switch: prev_state == R && next_prio\n"
		   "< 100', 'comm == bash', 'func =~ /^vfs_/' or 'ret < 0'.\n"
		   "ftop-trace-filter(7) describes the language. With -F, --count, --head and\n"
		   "--tail count matching events.",
	.word_means = "--grep=%s",
	.examples = "The events of one task that failed:\n"
		    "  ftop-trace report --task=bash -F 'ret < 0'\n"
		    "A tenth of a second, as the kernel prints it:\n"
		    "  ftop-trace report --style=kernel --from=7.5 --to=7.6",
	.max_operands = 65535,
	.options = (const struct option_def[]){
		{ .name = "input", .letter = 'i', .arg = "FILE", .id = OPT_INPUT,
		  .kind = OPTION_READ,
		  .help = "read this file; several files share one time line" },
		{ .letter = 'l', .id = OPT_LATENCY,
		  .help = "latency format: print the flags column; ????? if the trace has none" },
		{ .letter = 't', .id = OPT_NANOSECONDS, .help = "print times with nanoseconds" },
		{ .letter = 'R', .id = OPT_RAW,
		  .help = "print raw fields instead of the event's text" },
		{ .letter = 'N', .id = OPT_NO_PLUGINS,
		  .help = "load no plugins: use only the kernel's print formats" },
		{ .letter = 'L', .id = OPT_NO_SYSTEM_PLUGINS,
		  .help = "load only the user's own plugins" },
		{ .letter = 'I', .id = OPT_NO_IRQS, .help = "leave out events in hard interrupts" },
		{ .letter = 'S', .id = OPT_NO_SOFTIRQS,
		  .help = "leave out events in soft interrupts" },
		{ .letter = 'O', .arg = "PLUGIN:OPTION[=VALUE]", .id = OPT_PLUGIN,
		  .help = "set an option of a plugin, such as ftrace:parent=1 or fgraph:tailprint=1" },
		{ .name = "ts-diff", .id = OPT_TS_DIFF,
		  .help = "print the time since the previous line" },
		{ .name = "raw-ts", .id = OPT_RAW_TS,
		  .help = "print time stamps as recorded, without offsets and conversion" },
		{ .name = "tail", .arg = "N", .id = OPT_TAIL, .help = "only the last N events" },
		{ .name = "exact", .id = OPT_EXACT,
		  .help = "with --from or --to, still read the whole file, so that task names and\n"
			  "indentation are those of the full report" },
		{ .name = "compat", .arg = "3.1|3.4", .id = OPT_COMPAT,
		  .help = "version of trace-cmd whose text is printed: 3.1 (default) or 3.4; for 3.3 use 3.4,\n"
			  "which only adds arguments and callers of functions" },
		{ .name = "format", .arg = "text|csv|json", .id = FILTER_OPTION_FORMAT,
		  .help = "csv: one row per record; json: one object per line" },
		{ .name = "style", .arg = "trace-cmd|kernel|perf|babeltrace", .id = OPT_STYLE,
		  .help = "kernel: print the text of the kernel's trace file; -O then sets a trace option of the\n"
			  "kernel (latency-format, nosym-offset...), and -O list lists them. perf: print what\n"
			  "perf script prints; -t as its --ns. babeltrace: print what babeltrace2 prints" },
		PART_OPTIONS("with several -i, -F is for the file before it"),
		ROWS_OPTIONS,
		OFFSET_OPTION,
		FORMATS_OPTION,
		SYSROOT_OPTION,
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

struct report_parsed {
	struct report_options	options;
	struct words		inputs, plugins;
	struct filter_given	given;
};

/* Where an option without an argument is noted; NULL: it is another one. */
static bool *switch_of(struct report_options *o, int id)
{
	switch (id) {
	case OPT_LATENCY: return &o->latency;
	case OPT_NANOSECONDS: return &o->nanoseconds;
	case OPT_RAW: return &o->raw;
	case OPT_NO_PLUGINS: return &o->no_plugins;
	case OPT_NO_SYSTEM_PLUGINS: return &o->no_system_plugins;
	case OPT_NO_IRQS: return &o->no_irqs;
	case OPT_NO_SOFTIRQS: return &o->no_softirqs;
	case OPT_TS_DIFF: return &o->ts_diff;
	case OPT_RAW_TS: return &o->raw_ts;
	case OPT_EXACT: return &o->exact;
	}
	return NULL;
}

static int set_option(struct report_parsed *p, const struct option_value *v, struct ft_error *err)
{
	int style;
	struct report_options *o = &p->options;
	bool *flag = switch_of(o, v->id);
	int taken = filter_option(&p->given, v, err);
	long long number;

	/* A filter belongs to the -i before it; before any -i, to the first one. */
	if (taken > 0 && v->id == FILTER_OPTION_FILTER)
		p->given.sources[p->given.nr - 1].file = p->inputs.nr ? (int)p->inputs.nr - 1 : 0;
	if (taken)
		return taken < 0 ? -1 : 0;
	if (flag)
		*flag = true;
	switch (v->id) {
	case OPT_INPUT:
		add_word(&p->inputs, v->value);
		break;
	case OPT_PLUGIN:
		add_word(&p->plugins, v->value);
		break;
	case OPT_TAIL:
		if (options_number("--tail", v->value, 0, INT64_MAX, &number, err))
			return -1;
		o->tail = number;
		break;
	case OPT_COMPAT:
		o->compat = v->value;
		break;
	case OPT_STYLE:
		style = options_choice("--style", v->value, report_style_names, REPORT_STYLES, err);
		if (style < 0)
			return -1;
		o->text_style = (enum report_text_style)style;
		break;
	}
	return 0;
}

void report_options_filter(struct report_options *options, const struct filter_given *given)
{
	options->given = given;
	options->filters = given->sources;
	options->filter_names = derived_names;
	options->nr_filters = given->nr;
	options->compat_filter = given->compat;
	options->grep = given->grep;
	options->count = given->count;
	options->from = given->from;
	options->to = given->to;
	options->cpus = given->cpus;
	options->nr_cpus = FILTER_OPTION_CPUS;
	options->format = given->format;
	options->head = given->has_head ? given->head : -1;
}

/* -O list */
static bool lists_options(const struct report_parsed *p)
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
	struct report_parsed p = { .options = REPORT_OPTIONS_INIT };
	struct trace_offset *offsets = NULL;
	int ret = 0;

	for (unsigned int i = 0; i < list->nr && !ret; i++)
		ret = set_option(&p, &list->values[i], err);
	for (unsigned int i = 0; i < list->nr_operands; i++)
		add_word(&p.inputs, list->operands[i]);
	/* Operands have no position among the options: the filters apply to all of them. */
	for (unsigned int i = 0; i < p.given.nr && (list->nr_operands || p.inputs.nr < 2); i++)
		p.given.sources[i].file = -1;
	if (!ret)
		ret = filter_given_add_part(&p.given, false, err);
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
	p.options.terminal = isatty(STDOUT_FILENO);
	if (!ret && lists_options(&p))
		report_list_options();
	else if (!ret)
		ret = report_run(&p.options, STDOUT_FILENO, err);
	free(p.inputs.list);
	free(p.plugins.list);
	filter_given_fini(&p.given);
	free(offsets);
	return ret;
}
