/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/recording/ready_setups.h"

#include <stddef.h>

/* with moves: in which queue a task stood */
#define WAKE_EVENTS	"-e sched:sched_wakeup -e sched:sched_wakeup_new -e sched:sched_migrate_task"
#define INTERRUPTS	" -e irq -e irq_vectors -i"

static const struct ready_setup ready[] = {
	{ "scheduling", "-e sched" INTERRUPTS, "Who ran, who waited, and who woke whom?" },
	{ "latency", "-e sched:sched_switch -e sched:sched_waking " WAKE_EVENTS
		     " -e irq -e irq_vectors -e timer -i",
	  "How late did tasks run, and which interrupts came between?" },
	/* stacks of the two events that ftop-trace stacks and the flame graph show */
	{ "waits", "-e sched:sched_switch -R stacktrace -e sched:sched_waking -R stacktrace "
		   WAKE_EVENTS " -O userstacktrace" INTERRUPTS,
	  "Why did tasks wait, and in which code?" },
	{ "locks", "-e sched:sched_switch -e sched:sched_waking " WAKE_EVENTS " --locks" INTERRUPTS,
	  "Who held the lock that a task waited for, and what did the holder do?" },
	{ "kernel calls of a process", "-p function_graph -F -c",
	  "Which kernel functions did a command call, and how long did each take?" },
	{ "interrupts", "-e irq -e irq_vectors -e ipi -i",
	  "Which interrupts came, and how long did each take?" },
	{ "block I/O", "-e block", "Which requests did disks get, and how long did each take?" },
	{ "system calls", "-e syscalls", "Which system calls, and how long did each take?" },
	/* with the events that tell where a latency, or the noise, comes from, and their clock */
	{ "timerlat", "-p timerlat -e osnoise -C local",
	  "How late do timers wake a task, and what delays them?" },
	{ "osnoise", "-p osnoise -e osnoise -C local",
	  "What takes CPU time from a task that never sleeps?" },
	{ "hwlat", "-p hwlat", "How long do hardware and firmware stop a CPU?" },
};

const struct ready_setup *ready_setup(unsigned int i)
{
	return i < sizeof(ready) / sizeof(ready[0]) ? &ready[i] : NULL;
}
