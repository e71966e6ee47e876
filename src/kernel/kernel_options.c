/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/kernel/kernel_options.h"

#include <string.h>

static const struct kernel_option options[NR_KERNEL_OPTIONS] = {
	[KERNEL_OPT_ANNOTATE]	     = { "annotate", "say where a CPU's events begin, if some were overwritten (on)" },
	[KERNEL_OPT_BITMASK_LIST]   = { "bitmask-list", "masks as lists of numbers, and not in hexadecimal" },
	[KERNEL_OPT_BLK_CLASSIC]    = { "blk_classic", "the blk tracer's events as the program blktrace shows them" },
	[KERNEL_OPT_CONTEXT_INFO]   = { "context-info", "task, CPU, flags and time before each event (on)" },
	[KERNEL_OPT_ABSTIME]	     = { "funcgraph-abstime", "the time of each line of a graph" },
	[KERNEL_OPT_ARGS]	     = { "funcgraph-args", "arguments of calls, where they were recorded" },
	[KERNEL_OPT_CPU]	     = { "funcgraph-cpu", "the column of CPUs (on)" },
	[KERNEL_OPT_DURATION]	     = { "funcgraph-duration", "the column of durations (on)" },
	[KERNEL_OPT_IRQS]	     = { "funcgraph-irqs", "what ran in interrupts (on)" },
	[KERNEL_OPT_OVERHEAD]	     = { "funcgraph-overhead", "marks of long durations (on)" },
	[KERNEL_OPT_OVERRUN]	     = { "funcgraph-overrun", "calls that were too deep to be traced" },
	[KERNEL_OPT_PROC]	     = { "funcgraph-proc", "the task of each line" },
	[KERNEL_OPT_RETADDR]	     = { "funcgraph-retaddr", "where calls came from, where that was recorded" },
	[KERNEL_OPT_RETVAL]	     = { "funcgraph-retval", "return values, where they were recorded" },
	[KERNEL_OPT_RETVAL_HEX]     = { "funcgraph-retval-hex", "errors in hexadecimal, too" },
	[KERNEL_OPT_TAIL]	     = { "funcgraph-tail", "the function's name at its end" },
	[KERNEL_OPT_IRQ_INFO]	     = { "irq-info", "the column of flags (on)" },
	[KERNEL_OPT_LATENCY_FORMAT] = { "latency-format", "times from the first event on, with marks of the delays" },
	[KERNEL_OPT_PRINT_PARENT]   = { "print-parent", "the callers of traced functions (on)" },
	[KERNEL_OPT_PRINTK_MSG_ONLY] = { "printk-msg-only", "of trace_printk() and trace_marker the words alone" },
	[KERNEL_OPT_RECORD_TGID]    = { "record-tgid", "the process of each task, where the recorder kept it" },
	[KERNEL_OPT_SYM_ADDR]	     = { "sym-addr", "addresses behind the symbols" },
	[KERNEL_OPT_SYM_OFFSET]     = { "sym-offset", "offsets in functions" },
	[KERNEL_OPT_VERBOSE]	     = { "verbose", "with latency-format: all in words; types of values of system calls and synthetic events" },
};

const struct kernel_option *kernel_option_list(unsigned int *nr)
{
	*nr = NR_KERNEL_OPTIONS;
	return options;
}

static int find_option(const char *name)
{
	for (int i = 0; i < NR_KERNEL_OPTIONS; i++)
		if (!strcmp(options[i].name, name))
			return i;
	return -1;
}

void kernel_options_init(struct kernel_options *o)
{
	static const int on[] = {
		KERNEL_OPT_ANNOTATE, KERNEL_OPT_CONTEXT_INFO, KERNEL_OPT_IRQ_INFO, KERNEL_OPT_PRINT_PARENT, KERNEL_OPT_CPU,
		KERNEL_OPT_DURATION, KERNEL_OPT_IRQS, KERNEL_OPT_OVERHEAD,
	};

	*o = (struct kernel_options){ 0 };
	for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++)
		o->set[on[i]] = true;
}

int kernel_options_choose(struct kernel_options *o, const char *name, struct ft_error *err)
{
	bool no = !strncmp(name, "no", 2) && find_option(name) < 0;
	int found = find_option(name + (no ? 2 : 0));

	if (found < 0)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "-O %s: the kernel's text has no such option; -O list shows those it has", name);
	o->set[found] = !no;
	return 0;
}
