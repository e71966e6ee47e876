/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph - the calls of a function_graph trace as a tree, by task or by CPU; or as the
 * kernel's trace file shows them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/output.h"
#include "src/calls/call_tell.h"
#include "src/commands/command_open.h"
#include "src/commands/commands.h"
#include "src/commands/graph_print.h"
#include "src/commands/scope.h"
#include "src/match/filter_option.h"
#include "src/report/report.h"
#include "src/trace/offset_option.h"
#include "src/trace/warnings.h"
#include "src/trace/trace.h"

enum { OPT_DEPTH, OPT_BY, OPT_EVENTS, OPT_STYLE, OPT_KERNEL, OPT_MAX_CALLS };

const struct command_def cmd_graph_def = {
	.name = "graph",
	.operands = "[FILE...]",
	.summary = "calls as a tree, with duration, self and net time if the trace has them",
	.details = "The output is one tree for each task, across CPUs. Interrupts are nested in the\n"
		   "call that they interrupted, and time off the CPU is a row. Selected calls are\n"
		   "shown with the calls above them in the tree. duration, self (without the calls in\n"
		   "it and time off the CPU) and net (without recorded interrupts and time off the\n"
		   "CPU) are in us with three decimals. Interrupts count for net if their functions\n"
		   "were recorded, or events such as irq_handler_entry; net is unknown if another\n"
		   "event shows that one ran that was not. If the time off the CPU is not known (no\n"
		   "sched_switch, or a clock other than local), there is no net, and self contains\n"
		   "that time: its heading is " GRAPH_SELF_AND_AWAY ". Times are exact only for leaf calls; others\n"
		   "include the overhead of the tracer. Marks are the kernel's: + above 10 us, ! 100\n"
		   "us, # 1 ms, * 10 ms, @ 100 ms, $ 1 s. A ~ marks a doubtful call: records are\n"
		   "missing, so self and net are unknown; its duration is exact.\n\n"
		   "The tracer function records no returns, so its tree has no times. It is inferred\n"
		   "from callers and stack traces (func_stack_trace); <-NAME is a caller that was not\n"
		   "traced.\n\n"
		   "Slices that tasks wrote to trace_marker, as Android's do (B|PID|NAME to E), are\n"
		   "rows with a name, without parentheses, and with the context slice. A call is in a\n"
		   "slice if it lies completely within it. A slice that is open at the end, or where\n"
		   "events were lost, has no end. With -F, its begin or its end must match. Slices\n"
		   "that may overlap (S to F, G to H) are only in ftop-trace latency --kind=marker.\n\n"
		   "--style=kernel prints the text of the kernel's trace file, CPU by CPU, with the\n"
		   "trace options that -O sets.",
	.word_means = "-F 'func == %s'",
	.examples = "The slow calls of a task, with their callers:\n"
		    "  ftop-trace graph --min=1ms --task=bash",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ "depth", 0, "N", OPT_DEPTH, "print only the N outermost levels of the tree" },
		MIN_OPTION("only calls that take at least this long: 100us, 1.5ms"),
		{ "by", 0, "task|cpu", OPT_BY,
		  "cpu: group outermost calls by the CPU they began on" },
		{ "events", 0, NULL, OPT_EVENTS,
		  "print other events too, inside the call in which they occurred" },
		{ "format", 0, "text|csv|json", FILTER_OPTION_FORMAT,
		  "a row or an object for each row of the tree; a call precedes the calls in it; csv has start_ns, cpu, pid, comm, level, kind, function, context, duration_ns, self_ns, net_ns, calls, doubtful, instance, text, return" },
		{ "style", 0, "tree|kernel", OPT_STYLE,
		  "kernel: print the text of the kernel's trace file" },
		{ NULL, 'O', "OPTION", OPT_KERNEL,
		  "with --style=kernel: set a trace option of the kernel (funcgraph-tail...); -O list lists them" },
		{ "max-calls", 0, "N", OPT_MAX_CALLS, NULL },	/* tests: number of calls held at a
								 * time */
		ASCII_OPTION,
		PART_OPTIONS("a call counts if its exit is there and matches (its entry, if it has no exit)"),
		ROWS_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct graph_parsed {
	struct filter_given	given;
	struct graph_print_options options;
	bool			kernel, lists;		/* -O list */
	const char		**kernel_options;	/* owned array */
	unsigned int		nr_kernel_options, cap_kernel_options;
};

static int set_option(struct graph_parsed *p, const struct option_value *value,
		      struct ft_error *err)
{
	static const char *const by[] = { "task", "cpu" }, *const styles[] = { "tree", "kernel" };
	long long n;
	int choice;

	switch (value->id) {
	case OPT_DEPTH:
		if (options_number("--depth", value->value, 0, INT32_MAX, &n, err))
			return -1;
		p->options.depth = n;
		return 0;
	case OPT_BY:
		choice = options_choice("--by", value->value, by, 2, err);
		p->options.by_cpu = choice == 1;
		return choice < 0 ? -1 : 0;
	case OPT_STYLE:
		choice = options_choice("--style", value->value, styles, 2, err);
		p->kernel = choice == 1;
		return choice < 0 ? -1 : 0;
	case OPT_EVENTS:
		p->options.events = true;
		return 0;
	case OPT_KERNEL:
		p->lists = p->lists || !strcmp(value->value, "list");
		mem_grow(&p->kernel_options, p->nr_kernel_options, &p->cap_kernel_options);
		p->kernel_options[p->nr_kernel_options++] = value->value;
		return 0;
	case OPT_MAX_CALLS:
		if (options_number("--max-calls", value->value, 100, INT32_MAX, &n, err))
			return -1;
		p->options.max_calls = (uint32_t)n;
		return 0;
	}
	return 0;
}

static int parse_options(const struct option_list *list, struct graph_parsed *p,
			 struct ft_error *err)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		int taken = filter_option(&p->given, &list->values[i], err);

		if (taken < 0 || (!taken && set_option(p, &list->values[i], err)))
			return -1;
	}
	if (p->lists)
		return 0;
	if (p->nr_kernel_options && !p->kernel)
		return ft_error_set(err, FT_E_USAGE, -1, "-O %s requires --style=kernel",
				    p->kernel_options[0]);
	if (p->kernel && (p->options.depth >= 0 || p->given.has_min || p->options.by_cpu ||
			  p->given.format != FORMAT_TEXT))
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"--style=kernel cannot be combined with --depth, --min, --by or --format");
	p->options.min_ns = p->given.min;
	return p->kernel ? filter_given_add_part(&p->given, false, err) : 0;
}

/* --- the tree ------------------------------------------------------------------------ */

/* If only one task is given, by pid, other tasks need not be read. */
static int32_t only_pid(const struct filter_given *given)
{
	const char *task = given->nr_tasks == 1 ? given->tasks[0].text : "";

	if (!*task || strlen(task) > 9 || strspn(task, "0123456789") != strlen(task))
		return -1;
	return (int32_t)strtol(task, NULL, 10);
}

static int print_tree(struct trace *trace, const struct command_file *file, struct graph_parsed *p,
		      struct row_picker *picker, struct ft_error *err)
{
	struct graph_print_result result;
	struct graph_scope scope;
	struct output out;
	bool all;
	int ret;

	if (scope_init(&scope, &all, trace, &p->given, err))
		return -1;
	trace_wait(trace);		/* names of tasks */
	p->options.scope = all ? NULL : &scope;
	p->options.pid = only_pid(&p->given);
	p->options.picker = picker;
	p->options.format = p->given.format;
	p->options.name = command_file_name(file);
	output_init(&out, STDOUT_FILENO);
	command_file_begin(file, &p->given, NULL, &out);
	if (p->options.format == FORMAT_CSV && !picker->count &&
	    command_file_heads(file, FORMAT_CSV))
		graph_print_titles(&p->options, trace, &out.block);
	ret = graph_print(trace, 0, &p->options, &out, &result, err);
	if (!ret)
		ret = scope_check(&scope, trace, &p->given, result.calls, err);
	ret = row_picker_end(picker, &out, ret, err);
	if (!ret) {
		row_picker_tell(picker);
		call_tell(trace, all && !p->options.min_ns ? NULL : &scope,
			  (struct call_told){ .any = result.calls, .inferred = result.inferred,
					      .has_away = result.has_away,
					      .has_irqs = result.has_irqs,
					      .gap_cut = result.gap_cut });
		warnings_show(trace, result.damaged);
	}
	scope_fini(&scope);
	return ret;
}

static int run_tree(const struct command_file *file, struct graph_parsed *p, struct ft_error *err)
{
	struct row_picker picker;
	struct trace *trace = NULL;
	int ret = row_picker_init(&picker, &p->given, err);

	if (!ret) {
		trace = command_open(file, false, err);
		ret = trace ? print_tree(trace, file, p, &picker, err) : -1;
	}
	trace_close(trace);
	row_picker_fini(&picker);
	return ret;
}

/* --- the kernel's text ------------------------------------------------------------------ */

static int run_kernel(const struct command_file *file, struct graph_parsed *p, struct ft_error *err)
{
	struct report_options options = REPORT_OPTIONS_INIT;
	struct trace_offset offset = { 0 };
	int ret;

	if (command_offset(file, &offset, err) || command_file_name_line(file, &p->given, err))
		return -1;
	report_options_filter(&options, &p->given);
	options.inputs = (const char **)&file->path;
	options.nr_inputs = 1;
	options.offsets = &offset;
	options.text_style = REPORT_KERNEL;
	options.plugin_options = p->kernel_options;
	options.nr_plugin_options = p->nr_kernel_options;
	ret = report_run(&options, STDOUT_FILENO, err);
	return ret;
}

int cmd_graph(const struct command_file *file, struct ft_error *err)
{
	struct graph_parsed p = { .options = { .depth = -1 }, .given.several = file->nr > 1 };
	int ret = parse_options(file->list, &p, err);

	if (!ret && p.lists && !file->index)
		report_list_options();
	else if (!ret && !p.lists)
		ret = p.kernel ? run_kernel(file, &p, err) : run_tree(file, &p, err);
	filter_given_fini(&p.given);
	free(p.kernel_options);
	return ret;
}
