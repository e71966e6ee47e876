/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_meaning - explains the kernel's names of tracers and clocks. */
#include <string.h>

#include "ui/record/record_private.h"

static const struct { enum setup_field field; const char *name, *words; } meanings[] = {
	{ SETUP_TRACER, "blk", "block I/O of one disk, as blktrace has it" },
	{ SETUP_TRACER, "branch", "likely() and unlikely(), and what came true" },
	{ SETUP_TRACER, "function", "each call of a kernel function" },
	{ SETUP_TRACER, "function_graph", "calls of kernel functions as a tree, with times" },
	{ SETUP_TRACER, "hwlat", "time that the hardware takes away unseen" },
	{ SETUP_TRACER, "irqsoff", "the longest time with interrupts off" },
	{ SETUP_TRACER, "mmiotrace", "reads and writes of devices' memory" },
	{ SETUP_TRACER, "osnoise", "what takes time from a task that is always busy" },
	{ SETUP_TRACER, "preemptirqsoff", "the longest time with interrupts or preemption off" },
	{ SETUP_TRACER, "preemptoff", "the longest time with preemption off" },
	{ SETUP_TRACER, "timerlat", "how late a timer and its task come" },
	{ SETUP_TRACER, "wakeup", "the longest wait of a woken task for its CPU" },
	{ SETUP_TRACER, "wakeup_dl", "the same, of deadline tasks alone" },
	{ SETUP_TRACER, "wakeup_rt", "the same, of real-time tasks alone" },
	{ SETUP_CLOCK, "boot", "as mono, and counts while suspended" },
	{ SETUP_CLOCK, "counter", "no time: a number for each event" },
	{ SETUP_CLOCK, "global", "the same on all CPUs, slower" },
	{ SETUP_CLOCK, "local", "of each CPU: fast, CPUs may differ a little" },
	{ SETUP_CLOCK, "mono", "CLOCK_MONOTONIC" },
	{ SETUP_CLOCK, "mono_raw", "as mono, never slewed by NTP" },
	{ SETUP_CLOCK, "perf", "that of perf's events" },
	{ SETUP_CLOCK, "tai", "wall time without leap seconds" },
	{ SETUP_CLOCK, "uptime", "jiffies since the boot, coarse" },
	{ SETUP_CLOCK, "x86-tsc", "cycles of the CPU" },
};

const char *record_meaning(enum setup_field field, const char *name)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].field == field && !strcmp(meanings[i].name, name))
			return meanings[i].words;
	return "";
}
