/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/summary/lacks.h"

#include <stddef.h>
#include <string.h>

static const struct lack lacks[] = {
	{ "sched_switch", "who ran, waited and slept",
	  "-e sched_switch -e sched_waking -e sched_wakeup", { "sched_switch" }, NULL },
	{ "sched_waking", "how long tasks waited for a CPU, and who woke them",
	  "-e sched_switch -e sched_waking -e sched_wakeup", { "sched_waking", "sched_wakeup" },
	  "sched_switch" },
	{ "irq, softirq", "what interrupted tasks, and for how long", "-e irq -e irq_vectors",
	  { "irq_handler_entry", "softirq_entry", "local_timer_entry" }, NULL },
	{ "system calls", "which of them took long", "-e raw_syscalls",
	  { "sys_enter", "sys_exit", "sys_enter_read" }, NULL },
	{ "calls", "which functions of the kernel took long", "-p function_graph -g FUNC",
	  { "funcgraph_entry", "funcgraph_exit", "function" }, NULL },
	{ "stacks", "where in the kernel tasks stopped to run", "--setup waits",
	  { "kernel_stack" }, "sched_switch" },
};

static bool has_event(struct trace *trace, unsigned int file, const char *name)
{
	return strcmp(name, "sched_switch") ? trace_has_event(trace, file, name) :
					      trace_has_switches(trace, file);
}

static bool is_missing(struct trace *trace, unsigned int file, const struct lack *lack)
{
	if (lack->only_with && !has_event(trace, file, lack->only_with))
		return false;
	for (unsigned int i = 0; i < 4 && lack->has[i]; i++)
		if (has_event(trace, file, lack->has[i]))
			return false;
	return true;
}

const struct lack *lacks_next(struct trace *trace, unsigned int file, unsigned int *at)
{
	while (*at < sizeof(lacks) / sizeof(lacks[0])) {
		const struct lack *lack = &lacks[(*at)++];

		if (is_missing(trace, file, lack))
			return lack;
	}
	return NULL;
}
