/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/recording/ready_setups.h"

#include <stddef.h>

#define WAKE_EVENTS	"-e sched:sched_wakeup -e sched:sched_wakeup_new"

static const struct ready_setup ready[] = {
	{ "scheduling", "-e sched" },
	{ "latency", "-e sched:sched_switch -e sched:sched_waking " WAKE_EVENTS
		     " -e irq -e irq_vectors -e timer -i" },
	/* stacks of the two events that ftop-trace stacks and the flame graph show */
	{ "waits", "-e sched:sched_switch -R stacktrace -e sched:sched_waking -R stacktrace "
		   WAKE_EVENTS },
	{ "kernel calls of a process", "-p function_graph -F -c" },
	{ "interrupts", "-e irq -e irq_vectors -e ipi -i" },
	{ "block I/O", "-e block" },
	{ "system calls", "-e syscalls" },
	/* with the events that tell where a latency, or the noise, comes from, and their clock */
	{ "timerlat", "-p timerlat -e osnoise -C local" },
	{ "osnoise", "-p osnoise -e osnoise -C local" },
};

const struct ready_setup *ready_setup(unsigned int i)
{
	return i < sizeof(ready) / sizeof(ready[0]) ? &ready[i] : NULL;
}
