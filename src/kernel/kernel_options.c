/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/kernel/kernel_options.h"

#include <string.h>

static const struct kernel_option options[NR_KERNEL_OPTIONS] = {
	[KERNEL_OPT_ANNOTATE]	     = { "annotate",
					 "mark where a CPU's events begin, if some were overwritten (on)" },
	[KERNEL_OPT_BITMASK_LIST]   = { "bitmask-list",
					"print bit masks as lists of numbers, not in hexadecimal" },
	[KERNEL_OPT_BLK_CLASSIC]    = { "blk_classic",
					"print events of the blk tracer like blktrace" },
	[KERNEL_OPT_CONTEXT_INFO]   = { "context-info",
					"print task, CPU, flags and time before each event (on)" },
	[KERNEL_OPT_FIELDS]	     = { "fields",
					 "print each event by its fields and their types" },
	[KERNEL_OPT_ABSTIME]	     = { "funcgraph-abstime",
					 "function_graph: print the time of each line" },
	[KERNEL_OPT_ARGS]	     = { "funcgraph-args",
					 "function_graph: print arguments, if they were recorded" },
	[KERNEL_OPT_CPU]	     = { "funcgraph-cpu",
					 "function_graph: print the CPU column (on)" },
	[KERNEL_OPT_DURATION]	     = { "funcgraph-duration",
					 "function_graph: print the duration column (on)" },
	[KERNEL_OPT_IRQS]	     = { "funcgraph-irqs",
					 "function_graph: print calls made in interrupts (on)" },
	[KERNEL_OPT_OVERHEAD]	     = { "funcgraph-overhead",
					 "function_graph: mark long durations (on)" },
	[KERNEL_OPT_OVERRUN]	     = { "funcgraph-overrun",
					 "function_graph: print how many calls were too deep to be traced" },
	[KERNEL_OPT_PROC]	     = { "funcgraph-proc",
					 "function_graph: print the task of each line" },
	[KERNEL_OPT_RETADDR]	     = { "funcgraph-retaddr",
					 "function_graph: print return addresses, if they were recorded" },
	[KERNEL_OPT_RETVAL]	     = { "funcgraph-retval",
					 "function_graph: print return values, if they were recorded" },
	[KERNEL_OPT_RETVAL_HEX]     = { "funcgraph-retval-hex",
					"function_graph: print error codes in hexadecimal too" },
	[KERNEL_OPT_TAIL]	     = { "funcgraph-tail",
					 "function_graph: print the function's name after the closing brace" },
	[KERNEL_OPT_HEX]	     = { "hex",
					 "like raw, with the values in hexadecimal" },
	[KERNEL_OPT_IRQ_INFO]	     = { "irq-info", "print the flags column (on)" },
	[KERNEL_OPT_LATENCY_FORMAT] = { "latency-format",
		"print times since the first event, and mark delays" },
	[KERNEL_OPT_PRINT_PARENT]   = { "print-parent",
					"function: print the callers of functions (on)" },
	[KERNEL_OPT_PRINTK_MSG_ONLY] = { "printk-msg-only",
		"print only the message of trace_printk() and trace_marker" },
	[KERNEL_OPT_RAW]	     = { "raw",
					 "print tracer events as numbers, other events as type numbers" },
	[KERNEL_OPT_RECORD_TGID]    = { "record-tgid",
					"print the process (tgid) of each task, if it was recorded" },
	[KERNEL_OPT_SYM_ADDR]	     = { "sym-addr", "print addresses after symbols" },
	[KERNEL_OPT_SYM_OFFSET]     = { "sym-offset", "print symbols with offsets" },
	[KERNEL_OPT_SYM_USEROBJ]    = { "sym-userobj",
					"print files for addresses of user stacks, if they were recorded" },
	[KERNEL_OPT_VERBOSE]	     = { "verbose",
					 "with latency-format: print long lines; also print types of values of system calls and synthetic events" },
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
		KERNEL_OPT_ANNOTATE, KERNEL_OPT_CONTEXT_INFO, KERNEL_OPT_IRQ_INFO,
		KERNEL_OPT_PRINT_PARENT, KERNEL_OPT_CPU,
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
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"-O %s: unknown trace option of the kernel; -O list lists the options",
			name);
	o->set[found] = !no;
	return 0;
}
