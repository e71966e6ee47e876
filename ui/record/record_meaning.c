/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_meaning - explains the kernel's names of tracers and clocks. */
#include <string.h>

#include "ui/record/record_private.h"

static const struct { enum setup_field field; const char *name, *words; } meanings[] = {
	{ SETUP_TRACER, "blk", "block I/O of one disk, like blktrace" },
	{ SETUP_TRACER, "branch", "whether each likely() and unlikely() was right" },
	{ SETUP_TRACER, "function", "each call of a kernel function" },
	{ SETUP_TRACER, "function_graph", "calls of kernel functions as a tree, with times" },
	{ SETUP_TRACER, "hwlat", "latency caused by hardware or firmware" },
	{ SETUP_TRACER, "irqsoff", "the longest time with interrupts off" },
	{ SETUP_TRACER, "mmiotrace", "accesses to memory-mapped I/O" },
	{ SETUP_TRACER, "osnoise", "interruptions of a busy thread, per CPU" },
	{ SETUP_TRACER, "preemptirqsoff", "the longest time with interrupts or preemption off" },
	{ SETUP_TRACER, "preemptoff", "the longest time with preemption off" },
	{ SETUP_TRACER, "timerlat", "latency of a timer interrupt and its thread" },
	{ SETUP_TRACER, "wakeup", "the longest time from a wake-up to the run" },
	{ SETUP_TRACER, "wakeup_dl", "the same, for deadline tasks only" },
	{ SETUP_TRACER, "wakeup_rt", "the same, for real-time tasks only" },
	{ SETUP_CLOCK, "boot", "like mono, but counts while suspended" },
	{ SETUP_CLOCK, "counter", "no time: it numbers the events" },
	{ SETUP_CLOCK, "global", "the same on all CPUs; slower" },
	{ SETUP_CLOCK, "local", "one per CPU: fast; CPUs may differ a little" },
	{ SETUP_CLOCK, "mono", "CLOCK_MONOTONIC" },
	{ SETUP_CLOCK, "mono_raw", "like mono, but never adjusted by NTP" },
	{ SETUP_CLOCK, "perf", "the clock of perf's events" },
	{ SETUP_CLOCK, "tai", "wall time without leap seconds" },
	{ SETUP_CLOCK, "uptime", "jiffies since boot; coarse" },
	{ SETUP_CLOCK, "x86-tsc", "cycles of the time stamp counter" },
};

const char *record_meaning(enum setup_field field, const char *name)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].field == field && !strcmp(meanings[i].name, name))
			return meanings[i].words;
	return "";
}
