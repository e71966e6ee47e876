/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/commands/record_options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/commands/record_commands.h"
#include "recorder/commands/record_manual.h"
#include "recorder/commands/record_risk.h"
#include "recorder/commands/record_until.h"
#include "recorder/output/output.h"
#include "recorder/plan/plan_cpus.h"
#include "recorder/plan/plan_measure.h"
#include "recorder/plan/plan_monitors.h"
#include "recorder/plan/plan_pids.h"
#include "recorder/plan/plan_probes.h"
#include "recorder/plan/plan_queries.h"
#include "recorder/tracefs/command.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/memory.h"
#include "src/base/output_names.h"
#include "src/base/file_place.h"
#include "src/commands/live_text.h"
#include "src/recording/ready_setups.h"

enum record_option {
	OPT_TRACER, OPT_EVENT, OPT_FILTER, OPT_TRIGGER, OPT_NEGATE, OPT_ONLY, OPT_PID, OPT_CHILDREN,
	OPT_OUTPUT, OPT_BUFFER_SIZE,
	OPT_CLOCK, OPT_FUNCTION, OPT_GRAPH, OPT_NOTRACE, OPT_OPTION, OPT_STACK, OPT_CPUMASK,
	OPT_CPU, OPT_BUFFER, OPT_IGNORE,
	OPT_QUIET, OPT_KEEP, OPT_RT, OPT_INTERVAL, OPT_DEPTH, OPT_FUNC_STACK, OPT_COMPRESSION,
	OPT_VERSION, OPT_SUBBUF, OPT_SYSCALL_BYTES,
	OPT_DURATION, OPT_SIZE, OPT_NO_BROWSE, OPT_PROBE,
	OPT_SYNTH, OPT_MONITOR, OPT_SETUP, OPT_MEASURE, OPT_UNTIL,
	OPT_GRAPH_NOTRACE, OPT_STATUS_FD, OPT_CONTROL_FD, OPT_CHECK, OPT_STACK_MAX,
	OPT_TRACEFS,
#define RECORD_FLAG(id, ...)	OPT_##id,
#define RECORD_NUMBER(id, ...)	OPT_##id,
#define RECORD_TIME(id, ...)	OPT_##id,
#define RECORD_TEXT(id, ...)	OPT_##id,
#include "recorder/plan/record_fields.h"
	OPT_REFUSED,		/* OPT_REFUSED + i stands for refused[i], an option of trace-cmd */
};

/* Options of trace-cmd record that we do not have, and their replacements. */
static const struct refused {
	const char *name, *hint;
} refused[] = {
	{ "-a", "leave it out: all CPUs are recorded anyway, and formats of all events are stored" },
	{ "-A", "agents of virtual machines are not supported" },
	{ "-d", "use -O nofunction-trace" },
	{ "-D", "use sysctl kernel.ftrace_enabled=0" },
	{ "-H", "hooks are not supported; ftop-trace finds pairs of events when browsing" },
	{ "-k", "tracefs is always restored after a recording" },
	{ "-N", "recording over the network is not supported; record there, and copy the file" },
	{ "-S", "the profile of trace-cmd is not supported; record events, and browse" },
	{ "-t", "recording over the network is not supported" },
	{ "-V", "recording over a vsocket is not supported" },
	{ "-w", "it belongs to --profile of trace-cmd" },
	{ "-j", "tracefs is always restored after a recording" },
	{ "-G", "it belongs to --profile of trace-cmd" },
	{ "--profile", "the profile of trace-cmd is not supported; record events, and browse" },
	{ "--by-comm", "it belongs to --profile of trace-cmd" },
	{ "--poll", "readers sleep until the kernel wakes them; -s sets an interval" },
	{ "--nosplice", "readers use read(2) by themselves if splice(2) is refused" },
	{ "--no-filter", "what the recorder does is recorded, too" },
	{ "--module", "use -e ':mod:NAME' for its events, -l ':mod:NAME' for its functions" },
	{ "--ts-offset", "time stamps are stored as the kernel writes them" },
	{ "--tsc2nsec", "use -C mono for nanoseconds" },
	{ "--proc-map", "memory maps of processes are not stored" },
	{ "--stderr", "redirect it: sh -c 'COMMAND >&2'" },
	{ "--verbose", "there is no more verbose output; -q prints less" },
	{ "--nofifos", "agents of virtual machines are not supported" },
	{ "--name", "agents of virtual machines are not supported" },
	{ "-K", "tracefs is always restored after a recording" },
	{ "--proxy", "agents of virtual machines are not supported" },
	{ "--tsync-interval", "agents of virtual machines are not supported" },
	{ "--notimeout", "agents of virtual machines are not supported" },
	{ "--temp", "there are no temporary files: FILE.part is written, and renamed at the end" },
	{ "--daemonize", "use setsid -f ftop-trace record ..." },
	{ "--fork", "it belongs to trace-cmd start" },
	{ "--debug", "there is no more verbose output; -q prints less" },
};

#define OF_FUNCTIONS OPTION_JUDGED(record_risk_functions, "have functions do more than be recorded")

static const struct option_def record_options[] = {
	{ "event", 'e', "EVENT", OPT_EVENT,
	  "record these events: SYSTEM, SYSTEM:EVENT, EVENT, a glob, or all\n\n"
	  "-e can be given several times. ftop-trace list -e prints all events of this kernel, and\n"
	  "ftop-trace list -F their fields.\n\n"
	  "':mod:NAME' is the events of a module, 'SYSTEM:EVENT:mod:NAME' one of them. If the module is not\n"
	  "loaded yet, they are recorded once it is; a module that goes within a second may not be decoded.\n"
	  "This needs Linux 6.14. -f and -R do not apply to these events.\n\n"
	  "Of user_events, those that programs register while the recording runs are recorded, too, from a\n"
	  "quarter of a second after they were registered.",
	  OPTION_HARMLESS },
	{ "filter", 'f', "FILTER", OPT_FILTER,
	  "record an event of the -e before it only if it matches: 'prev_prio < 100'\n\n"
	  "The kernel evaluates the filter. With several -f, an event must match all of them. Record large\n"
	  "requests to disks:\n"
	  "  ftop-trace record -e block -f 'nr_sector > 256' sleep 5",
	  OPTION_HARMLESS },
	{ "trigger", 'R', "TRIGGER", OPT_TRIGGER,
	  "set a trigger on the events of the -e before it: 'traceoff if next_pid == 1'\n\n"
	  "The kernel runs a trigger when the event happens: stacktrace records a stack, traceoff stops the\n"
	  "ring buffer. After -v, the trigger is set and the event is not recorded. Stop when a task is\n"
	  "preempted, and keep what came before:\n"
	  "  ftop-trace record -m 4096 -e sched_switch \\\n"
	  "    -R 'traceoff if prev_state == 0' sleep 60\n\n"
	  "hist: counts in a table, which FILE keeps as it is at the end: ftop-trace hist FILE prints it.\n"
	  "  ftop-trace record -e sched_switch -R hist:keys=next_comm sleep 5",
	  OPTION_JUDGED(record_risk_trigger, "set a trigger, which may do more than record") },
	{ "except", 'v', NULL, OPT_NEGATE,
	  "leave out the events of each -e after this: -e sched -v -e sched_stat_runtime",
	  OPTION_HARMLESS },
	{ "tracer", 'p', "TRACER", OPT_TRACER,
	  "use a tracer: function, function_graph, irqsoff, timerlat, ...\n\n"
	  "ftop-trace list -t prints the tracers of this kernel. function_graph records the entry and the\n"
	  "exit of each function, function only the entry.\n\n"
	  "A latency tracer (irqsoff, preemptoff, wakeup, wakeup_rt, ...) keeps only the longest latency that\n"
	  "it has seen. FILE then contains the kernel's text about it, as with trace-cmd; its records are in\n"
	  "a second trace, t.max.dat for t.dat. The kernel releases these records only at a new maximum, so\n"
	  "record causes a few more latencies at the end.",
	  OPTION_JUDGED(record_risk_tracer,
			"use a tracer that may slow down or stop the machine") },
	{ "only-command", 'F', NULL, OPT_ONLY, "record only the task of the command",
	  OPTION_HARMLESS },
	{ "pid", 'P', "PID,...", OPT_PID,
	  "record only these tasks\n\n"
	  "The pid of a process is its main thread; its other threads need their own pids, which ls\n"
	  "/proc/PID/task prints. The recording ends when all these tasks have ended.",
	  OPTION_HARMLESS },
	{ "children", 'c', NULL, OPT_CHILDREN,
	  "with -F or -P: also record the tasks that these start", OPTION_HARMLESS },
	{ "output", 'o', "FILE", OPT_OUTPUT,
	  "write this file (default: trace.dat); an existing file or symbolic link is replaced",
	  OPTION_PATH, OPTION_HARMLESS },
	{ "buffer-size", 'b', "KB", OPT_BUFFER_SIZE,
	  "size of the ring buffer of each CPU, in KiB or as 4M, 1G (default: 4M)\n\n"
	  "A larger buffer helps when events are lost. The summary says how many were.",
	  OPTION_HARMLESS },
	{ "clock", 'C', "CLOCK", OPT_CLOCK,
	  "clock of the time stamps (default: mono; local for function_graph and branch)\n\n"
	  "ftop-trace list -C prints the clocks of this kernel.",
	  OPTION_HARMLESS },
	{ "function", 'l', "FUNC", OPT_FUNCTION,
	  "trace only these functions: a name, a glob, a regular expression, ':mod:NAME', 'FUNC:traceoff'\n\n"
	  "ftop-trace list -f prints the functions that this kernel can trace.",
	  OF_FUNCTIONS },
	{ "graph-function", 'g', "FUNC", OPT_GRAPH,
	  "with function_graph: trace only these functions and what they call", OF_FUNCTIONS },
	{ "notrace", 'n', "FUNC", OPT_NOTRACE, "do not trace these functions", OF_FUNCTIONS },
	{ "graph-notrace", 0, "FUNC", OPT_GRAPH_NOTRACE,
	  "with function_graph: do not trace these functions and what they call", OF_FUNCTIONS },
	{ "option", 'O', "OPTION", OPT_OPTION,
	  "set a trace option of the kernel; noOPTION clears it\n\n"
	  "ftop-trace list -o prints the options. Two of them change the file:\n\n"
	  "userstacktrace records the stack of user space with each event. The file then also gets the names\n"
	  "of the functions, as it does with uprobes (--probe). To find the names, record reads what each\n"
	  "process has mapped, and runs ftop-trace symbols at the end, with the rights of the user. A process\n"
	  "that lives for less than about 100 ms gets no names, unless it is COMMAND.\n\n"
	  "func-args and funcgraph-args record the arguments of functions. Their names come from the BTF of\n"
	  "the kernel, which then takes some megabytes of the file. A file of version 6 cannot store it.",
	  OPTION_JUDGED(record_risk_option, "set an option that others may notice") },
	{ "stack", 'T', NULL, OPT_STACK, "record the kernel's stack with each event",
	  OPTION_HARMLESS },
	{ "func-stack", 0, NULL, OPT_FUNC_STACK,
	  "record a stack with each function; use it with -l, or the machine becomes slow",
	  OPTION_ASKED("record so many stacks that the machine becomes slow") },
	{ "stack-trace-max", 0, NULL, OPT_STACK_MAX,
	  "measure the kernel's use of its stacks, and print the deepest stack",
	  OPTION_ASKED("measure all stacks of the kernel, which others may notice") },
	{ "max-graph-depth", 0, "N", OPT_DEPTH, "with function_graph: trace only N levels of calls",
	  OPTION_HARMLESS },
	{ "cpumask", 'M', "HEX", OPT_CPUMASK, "record only the CPUs of this mask; -1: all",
	  OPTION_HARMLESS },
	{ "cpu", 0, "LIST", OPT_CPU, "record only these CPUs: 2,4-7", OPTION_HARMLESS },
	{ "buffer", 'B', "NAME", OPT_BUFFER,
	  "add a buffer: an instance with this name\n\n"
	  "-e -p -C -b -M --cpu -l -n -O -T apply to the buffer of the last -B before them, and before the\n"
	  "first -B to the buffer without a name. All other options apply to all buffers.",
	  OPTION_HARMLESS },
	{ "probe", 0, "DEF", OPT_PROBE,
	  "define an event and record it: 'p:name func $arg1', 'r:...', 'f:...', 'e:name sched/sched_switch', 'p:name /bin/sh:0x10'\n\n"
	  "p and r are kprobes and kretprobes, or uprobes if a path follows; f is a function probe, e an event\n"
	  "probe, w:name w@jiffies:8 a watch probe, of accesses to an address, if the kernel has them. The syntax is that of the file dynamic_events in tracefs. A kretprobe follows a\n"
	  "limited number of calls at a time and misses the others: 'r100:name ...' follows 100. The kernel counts\n"
	  "what kprobes and kretprobes miss; record says how many hits that were, and keeps the number in the file.",
	  OPTION_ASKED("define a probe, which can read any memory") },
	{ "synth", 0, "DEF", OPT_SYNTH,
	  "define a synthetic event and record it: 'name u64 lat; pid_t pid', or 'name SELECT ...'\n\n"
	  "With fields, -R hist:... says when the event happens. A query in SQL says both; libtracefs makes the\n"
	  "event and the triggers of it, as sqlhist(1) does. The query takes fields from two events; the new event\n"
	  "happens together with the second one. The two are only recorded if -e names them. TIMESTAMP_USECS is\n"
	  "the time. How long tasks wait for a CPU:\n"
	  "  ftop-trace record --synth 'late SELECT end.next_comm AS comm, \\\n"
	  "    (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat \\\n"
	  "    FROM sched_waking AS start JOIN sched_switch AS end \\\n"
	  "    ON start.pid = end.next_pid' sleep 10",
	  OPTION_ASKED("define an event, which others may notice") },
	{ "monitor", 0, "MONITOR,...", OPT_MONITOR,
	  "enable monitors of runtime verification and record their events: wwnr, rtapp:sleep, sched (all in it)\n\n"
	  "A monitor compares what the kernel does with a model. ftop-trace list --monitors prints those of\n"
	  "this kernel (CONFIG_RV). The events of a monitor NAME are rv:event_NAME, each step in the model,\n"
	  "and rv:error_NAME and rv:error_env_NAME, its violations. They are recorded in the buffer without a\n"
	  "name; -v -e EVENT leaves one of them out, so this records violations alone:\n"
	  "  ftop-trace record --monitor=wwnr -v -e 'rv:event_*'\n"
	  "Then ask whether there were any, and how long the monitors were in which state:\n"
	  "  ftop-trace check -e 'events rv:error_* == 0'\n"
	  "  ftop-trace latency --kind=rv --by=what\n\n"
	  "At the end, the monitors that were off are off again; those that were on stay on. Reactors stay as\n"
	  "they are: a monitor whose reactor is panic stops the machine at a violation. If monitoring as a whole\n"
	  "is switched off (rv/monitoring_on is 0), record refuses; --force switches it on, and off again at\n"
	  "the end. Monitors look at all tasks; with -P and -F, only events that happen in these are recorded.",
	  OPTION_ASKED("enable monitors, whose reactor may stop the machine") },
	{ "setup", 0, "SETUP", OPT_SETUP,
	  "record what a preset of the record screen records: scheduling, latency, waits, timerlat, ...\n\n"
	  "  scheduling      who ran, who waited, who woke whom\n"
	  "  latency         how late tasks ran, and which interrupts came\n"
	  "                  between\n"
	  "  waits           why tasks waited, with their stacks\n"
	  "  locks           who held the lock that a task waited for\n"
	  "  'kernel calls of a process'\n"
	  "                  the kernel functions that COMMAND called\n"
	  "  interrupts      which interrupts came, and how long each took\n"
	  "  'block I/O'     which requests disks got, and how long each took\n"
	  "  'system calls'  which system calls, and how long each took\n"
	  "  timerlat        how late timers wake a task, and what delays them\n"
	  "  osnoise         what takes CPU time from a task that never sleeps\n"
	  "  hwlat           how long hardware and firmware stop a CPU\n\n"
	  "More options can follow; -f and -R do not apply to the events of a preset. Keys of --measure can\n"
	  "follow the name: --setup=timerlat,period=100us,cpus=0,2-3.",
	  OPTION_JUDGED(record_risk_setup,
			"measure in a way that may slow down or stop the machine") },
	{ "measure", 0, "KEY=VALUE,...", OPT_MEASURE,
	  "how timerlat, osnoise and hwlat measure: period=100us,cpus=2-3, ...; what function_graph records: threshold=1ms\n\n"
	  "See HOW TRACERS MEASURE below.",
	  OPTION_JUDGED(record_risk_measure,
			"measure in a way that may slow down or stop the machine") },
	{ "ignore-missing", 'i', NULL, OPT_IGNORE,
	  "leave out events that this kernel does not have, and say which", OPTION_HARMLESS },
	{ "keep", 'm', "KB|TIME", OPT_KEEP,
	  "keep only the newest KB of each CPU, or the last TIME: 30s\n\n"
	  "A tenth is dropped at a time: -m 30s keeps 30 to 34 seconds, -m 100000 keeps 90,000 to 100,000\n"
	  "kB of each CPU. The disk space becomes free some seconds later.",
	  OPTION_HARMLESS },
	{ "realtime", 'r', "PRIO", OPT_RT,
	  "SCHED_FIFO priority of the threads that read the buffers (default: 1; 0: none)",
	  OPTION_JUDGED(record_risk_priority,
			"read with a priority that may keep others from running") },
	{ "sleep", 's', "USECS", OPT_INTERVAL,
	  "read the buffers at this interval, instead of when a quarter of one is full",
	  OPTION_HARMLESS },
	{ "compression", 0, "none|zstd|zlib", OPT_COMPRESSION,
	  "compress the events at the end (default: none); formats and symbols always are",
	  OPTION_HARMLESS },
	{ "file-version", 0, "N", OPT_VERSION,
	  "7 (default), or 6 for programs before trace-cmd 3.0", OPTION_HARMLESS },
	{ "subbuf-size", 0, "KB", OPT_SUBBUF, "size of a sub-buffer of the ring buffer, in KiB",
	  OPTION_HARMLESS },
	{ "syscall-bytes", 0, "N", OPT_SYSCALL_BYTES,
	  "bytes of a string or buffer that an argument of a system call points to; 0: none\n\n"
	  "Since Linux 6.19, events of some system calls contain them, 63 bytes unless the kernel is configured\n"
	  "otherwise, and at most 165. They are fields with names as __filename_val, also for filters:\n"
	  "  ftop-trace record --syscall-bytes=165 -e sys_enter_openat \\\n"
	  "    -f '__filename_val ~ \"/etc/*\"'",
	  OPTION_ASKED("record what programs read and write") },
	{ "duration", 0, "TIME", OPT_DURATION, "stop after this time: 10, 500ms, 2m",
	  OPTION_HARMLESS },
	{ "size", 0, "BYTES", OPT_SIZE, "stop when this much is recorded: 500M; what the ring buffer still holds comes on top",
	  OPTION_HARMLESS },
	{ "until", 0, "CONDITION", OPT_UNTIL,
	  "stop when this has happened: 'wakeup > 500us', 'irq > 1ms && name == ahci', 'vfs_read > 10ms', a filter, 'lost > 0'; repeatable: any of them\n\n"
	  "See RECORDING UNTIL SOMETHING HAPPENS below.",
	  OPTION_HARMLESS },
	{ "no-browse", 0, NULL, OPT_NO_BROWSE, "do not open the trace at the end",
	  OPTION_HARMLESS },
#define RECORD_FLAG(id, field, name, risk, help)	{ name, 0, NULL, OPT_##id, help, risk },
#define RECORD_NUMBER(id, field, name, arg, min, max, risk, help) \
	{ name, 0, arg, OPT_##id, help, risk },
#define RECORD_TIME(id, field, name, risk, help)	{ name, 0, "TIME", OPT_##id, help, risk },
#define RECORD_TEXT(id, field, name, arg, risk, help)	{ name, 0, arg, OPT_##id, help, risk },
#include "recorder/plan/record_fields.h"
	{ "status-fd", 0, "N", OPT_STATUS_FD,
	  "report progress to descriptor N, one JSON object per line; do not browse\n\n"
	  "The objects have the types begin, status (every second), note, stopped, packing and end. The\n"
	  "recording ends if the reader goes away. If N is a socket, the reader can write stop to it.",
	  OPTION_HARMLESS },
	{ "control-fd", 0, "N", OPT_CONTROL_FD,
	  "with --status-fd: read 'stop' or 'keep' from N; keep: go on if the reader goes away",
	  OPTION_HARMLESS },
	{ "check", 0, NULL, OPT_CHECK, "check the options against this kernel, say what they would record, and record nothing\n\n"
	  "What the start would refuse, --check refuses, too. It changes nothing in the kernel. With --until it\n"
	  "writes FILE.part for a moment, which the process that judges conditions reads.",
	  OPTION_HARMLESS },
	/* tests: the tracefs for --check */
	{ "tracefs", 0, "DIR", OPT_TRACEFS, NULL, OPTION_PATH, OPTION_OF_SHELL },
	{ "quiet", 'q', NULL, OPT_QUIET,
	  "print no status line, and of the summary only lost events; do not browse",
	  OPTION_HARMLESS },
	{ NULL, 'a', NULL, OPT_REFUSED + 0, NULL },
	{ NULL, 'A', "X", OPT_REFUSED + 1, NULL },
	{ NULL, 'd', NULL, OPT_REFUSED + 2, NULL },
	{ NULL, 'D', NULL, OPT_REFUSED + 3, NULL },
	{ NULL, 'H', "X", OPT_REFUSED + 4, NULL },
	{ NULL, 'k', NULL, OPT_REFUSED + 5, NULL },
	{ NULL, 'N', "X", OPT_REFUSED + 6, NULL },
	{ NULL, 'S', NULL, OPT_REFUSED + 7, NULL },
	{ NULL, 't', NULL, OPT_REFUSED + 8, NULL },
	{ NULL, 'V', "X", OPT_REFUSED + 9, NULL },
	{ NULL, 'w', "X", OPT_REFUSED + 10, NULL },
	{ NULL, 'j', NULL, OPT_REFUSED + 11, NULL },
	{ NULL, 'G', NULL, OPT_REFUSED + 12, NULL },
	{ "profile", 0, NULL, OPT_REFUSED + 13, NULL },
	{ "by-comm", 0, NULL, OPT_REFUSED + 14, NULL },
	{ "poll", 0, NULL, OPT_REFUSED + 15, NULL },
	{ "nosplice", 0, NULL, OPT_REFUSED + 16, NULL },
	{ "no-filter", 0, NULL, OPT_REFUSED + 17, NULL },
	{ "module", 0, "X", OPT_REFUSED + 18, NULL },
	{ "ts-offset", 0, "X", OPT_REFUSED + 19, NULL },
	{ "tsc2nsec", 0, NULL, OPT_REFUSED + 20, NULL },
	{ "proc-map", 0, NULL, OPT_REFUSED + 21, NULL },
	{ "stderr", 0, NULL, OPT_REFUSED + 22, NULL },
	{ "verbose", 0, NULL, OPT_REFUSED + 23, NULL },
	{ "nofifos", 0, NULL, OPT_REFUSED + 24, NULL },
	{ "name", 0, "X", OPT_REFUSED + 25, NULL },
	{ NULL, 'K', NULL, OPT_REFUSED + 26, NULL },
	{ "proxy", 0, "X", OPT_REFUSED + 27, NULL },
	{ "tsync-interval", 0, "X", OPT_REFUSED + 28, NULL },
	{ "notimeout", 0, NULL, OPT_REFUSED + 29, NULL },
	{ "temp", 0, "X", OPT_REFUSED + 30, NULL },
	{ "daemonize", 0, NULL, OPT_REFUSED + 31, NULL },
	{ "fork", 0, NULL, OPT_REFUSED + 32, NULL },
	{ "debug", 0, NULL, OPT_REFUSED + 33, NULL },
	OPTION_END,
};

static const struct option_group record_group = { "Record", record_options,
						  .page = "ftop-trace-record",
						  .headings = record_headings };

#define LIVE_INTERVAL_US	"200000"	/* of -s */
#define LIVE_KEEP		"60s"		/* of -m, if the user chooses nothing */

const struct command_def cmd_live_def = {
	.name = "live",
	.operands = "[COMMAND [ARG...]]",
	.summary = "record, and browse the trace while it grows, or print tables",
	.is_main = true,
	.details = "live records as ftop-trace record does, with its options, and shows the trace while it grows: new rows\n"
		   "appear five times a second, and figures are counted again once a second. Without an option that selects\n"
		   "events, it records those of sched and irq and keeps the last minute, as with -m 60s. The recording ends\n"
		   "with the command, or when Ctrl-C stops it, and the screen then shows the file. q asks whether to stop and\n"
		   "save the recording, to discard it, or to leave it running. ftop-trace FILE.part shows the recording of\n"
		   "another recorder.\n\n"
		   "The first view is Now: a bar for each CPU, and the tasks of the last 10 s; the task that waited longest\n"
		   "for a CPU comes first. The line above the list says what held tasks up most: which task waited for a CPU or\n"
		   "was blocked for the largest part of the time, and which CPU was busy with interrupts. The lines below the\n"
		   "list say how long the task under the cursor waited, when, and which task had the CPU meanwhile. + and -\n"
		   "change the 10 s. Enter shows that wait in the view Timeline, between the marks A and B, while the\n"
		   "recording goes on; q comes back. o b adds up the tasks of one name.\n"
		   "4, 5 and 8 show the latencies, functions and counts of the same time; there, r shows those since the\n"
		   "beginning. ? lists the keys of each view.\n\n"
		   "If the terminal goes away or the screen is killed, command and recording end, and the file is complete. If\n"
		   "the recorder is killed or the disk is full, the screen says so and shows what was recorded until then.\n\n"
		   "With -m (--keep), only the last seconds or kB of each CPU are kept and shown, for hours if need be. The\n"
		   "first line of the screen says how much that is. A tenth of it is dropped at a time. If the row of the cursor\n"
		   "is dropped, the cursor moves to the first row that is left; a mark keeps its time. Events marks the first\n"
		   "row that is left of each CPU; in Timeline, the time before it is not known.\n\n"
		   LIVE_TEXT_DETAILS,
	.examples = "Watch this machine, until q:\n"
		    "  ftop-trace live\n"
		    "\n"
		    "The scheduler while a program runs:\n"
		    "  ftop-trace live -e sched make -j2\n"
		    "\n"
		    "The last half minute of function calls, until something goes wrong:\n"
		    "  ftop-trace live -p function_graph -m 30s\n"
		    "\n"
		    "The ten tasks that ran longest, each second; and latencies, five times:\n"
		    "  ftop-trace live --text --head=10\n"
		    "  ftop-trace live --text --by=latency --count=5 -e sched",
	.max_operands = 65535,
	.operand_kind = OPERANDS_COMMAND,
	.options = (const struct option_def[]){
		LIVE_TEXT_OPTIONS,
		{ .group = &record_group },
		OPTION_END,
	},
};

const struct command_def cmd_record_def = {
	.name = "record",
	.operands = "[--] [COMMAND...]",
	.summary = "record what the kernel does, then browse it",
	.is_main = true,
	.details = record_about,
	.page = "ftop-trace-record",
	.examples = record_examples,
	.sections = record_sections,
	.headings = record_headings,
	.max_operands = 65535,
	.operand_kind = OPERANDS_COMMAND,
	.options = record_options,
};

/* --- options to plan -------------------------------------------------------------------------- */

struct reading {
	struct record_plan	*plan;
	struct plan_event	*event;		/* the last -e, to which -f and -R apply */
	bool			 negative;
	bool			 rt_given;
};

static long long parse_number(struct record_plan *plan, const char *option, const char *value,
			      long long min, long long max)
{
	struct ft_error err;
	long long n = min;

	if (options_number(option, value, min, max, &n, &err)) {
		record_plan_mistake(plan, "%s", err.message);
		return min;
	}
	return n;
}

static uint64_t size_option(struct record_plan *plan, const char *option, const char *value,
			    uint64_t unit)
{
	uint64_t bytes = 0;

	if (!record_plan_size(value, unit, &bytes))
		record_plan_mistake(plan, "%s: '%s' is not a size, as 4096, 4M or 1G", option,
				    value);
	else if (!bytes)
		record_plan_mistake(plan, "%s: '%s' is too small to hold anything", option, value);
	return bytes;
}

static uint64_t time_option(struct record_plan *plan, const char *option, const char *value)
{
	uint64_t ns = 0;

	if (!record_plan_time(value, &ns))
		record_plan_mistake(plan, "%s: '%s' is not a time, as 10, 500ms or 2m", option,
				    value);
	return ns;
}

/* "2m" is a size, as it was before there were times. */
static void read_keep(struct record_plan *plan, const char *value)
{
	uint64_t bytes;

	plan->keep_kb = plan->keep_ns = 0;
	if (record_plan_size(value, 1024, &bytes) || !record_plan_time(value, &plan->keep_ns))
		plan->keep_kb = (size_option(plan, "-m", value, 1024) + 1023) / 1024;
	else if (!plan->keep_ns)
		record_plan_mistake(plan, "-m: '%s' is too short to hold anything", value);
}

static unsigned int interval_option(struct record_plan *plan, const char *value)
{
	if (strcmp(value, "0"))
		return (unsigned int)parse_number(plan, "-s", value, 1, 3600000000ll);
	record_plan_mistake(
		plan,
		"-s 0: readers that never wait fill the trace with themselves; without -s they read when a quarter "
		"of a buffer is full, with -s 1000 every ms");
	return 1;
}

/* 128 pages in all kernels, limited by what a file can store. */
static long long max_subbuf_kb(void)
{
	long kb = 128 * sysconf(_SC_PAGESIZE) / 1024;

	return kb < 1024 ? kb : 1024;
}

static int fd_option(struct record_plan *plan, const char *option, const char *value)
{
	unsigned int mistakes = plan->nr_mistakes;
	int fd = (int)parse_number(plan, option, value, 0, 1 << 20);

	return plan->nr_mistakes == mistakes ? fd : -1;
}

static void replace_string(char **to, const char *value)
{
	free(*to);
	*to = mem_strdup(value);
}

/* As in trace-cmd: several -f of an event must all match. */
static void add_filter(char **filter, const char *value)
{
	struct text both = { 0 };

	if (!*filter) {
		*filter = mem_strdup(value);
		return;
	}
	text_printf(&both, "(%s)&&(%s)", *filter, value);
	free(*filter);
	*filter = both.data;
}

/* Options that apply to a buffer or to the event before them. */
static bool read_buffer_option(struct reading *in, enum record_option id, const char *value)
{
	struct record_plan *plan = in->plan;
	struct plan_buffer *b = record_plan_buffer(plan);

	switch ((int)id) {
	case OPT_EVENT:
		in->event = record_plan_add_event(plan, value, in->negative);
		break;
	case OPT_FILTER:
	case OPT_TRIGGER:
		if (!in->event)
			record_plan_mistake(plan, "-%c '%s': there is no -e before it",
					    id == OPT_FILTER ? 'f' : 'R', value);
		else if (id == OPT_FILTER)
			add_filter(&in->event->filter, value);
		else
			name_list_add(&in->event->triggers, value);
		break;
	case OPT_NEGATE:	in->negative = true; break;
	case OPT_BUFFER:
		record_plan_add_buffer(plan, value);
		in->event = NULL;
		in->negative = false;
		break;
	case OPT_TRACER:
		if (b->tracer)
			record_plan_mistake(
				plan,
				"-p %s: a buffer can only have one tracer, and -p %s was already given",
				value, b->tracer);
		/* trace-cmd's short name for it */
		replace_string(&b->tracer, strcmp(value, "graph") ? value : "function_graph");
		break;
	case OPT_CLOCK:		replace_string(&b->clock, value); break;
	case OPT_FUNCTION:	name_list_add(&b->functions, value); break;
	case OPT_NOTRACE:	name_list_add(&b->notrace, value); break;
	case OPT_OPTION:	name_list_add(&b->options, value); break;
	case OPT_STACK:		name_list_add(&b->options, "stacktrace"); break;
	case OPT_BUFFER_SIZE:
		b->size_kb = (size_option(plan, "-b", value, 1024) + 1023) / 1024;
		break;
	case OPT_CPU:		plan_cpus_list(plan, value); break;
	case OPT_CPUMASK:	plan_cpus_mask(plan, value); break;
	default:
		return false;
	}
	return true;
}

static void read_compression(struct record_plan *plan, const char *value)
{
	static const char *const names[] = { "none", "zlib", "zstd" };
	struct ft_error err;
	int choice = options_choice("--compression", value, names, 3, &err);

	if (choice < 0)
		record_plan_mistake(plan, "%s", err.message);
	else
		plan->compression = (enum trace_compression[]){ TRACE_PLAIN, TRACE_ZLIB,
								TRACE_ZSTD }[choice];
}

static const struct option_def *def_of(int id)
{
	return options_by_id(&cmd_record_def, id);
}

/* -P "$(pidof x)" is empty if there is no x: ignoring it would mean to record everything. */
static bool is_empty(struct record_plan *plan, enum record_option id, const char *value)
{
	const struct option_def *def = def_of((int)id);

	if (!value || *value)
		return false;
	if (def->letter)
		record_plan_mistake(plan, "-%c: its value is empty; it takes %s", def->letter,
				    def->arg);
	else
		record_plan_mistake(plan, "--%s: its value is empty; it takes %s", def->name,
				    def->arg);
	return true;
}

static void read_option(struct reading *in, enum record_option id, const char *value);

/*
 * The options of a preset take its place.  -f and -R after it apply to none of its events.
 * @value: its name; keys of --measure may follow
 */
static void read_setup(struct reading *in, const char *value)
{
	char *name = mem_strndup(value, strcspn(value, ","));
	struct shell_words words = { 0 };
	struct name_list known = { 0 };
	const struct ready_setup *setup = NULL;
	struct text names = { 0 };
	struct ft_error err = { 0 };
	struct option_list list;

	for (unsigned int i = 0; ready_setup(i) && !setup; i++) {
		name_list_add(&known, ready_setup(i)->name);
		text_printf(&names, "%s%s", i ? ", " : "", ready_setup(i)->name);
		setup = strcmp(ready_setup(i)->name, name) ? NULL : ready_setup(i);
	}
	if (!setup) {
		record_plan_unknown(in->plan, name_list_nearest(&known, name), "",
				    "--setup '%s': no such preset; there are: %s", name,
				    text_str(&names));
	} else if (!shell_words_split(&words, setup->line, &err) &&
		   !options_parse(&cmd_record_def, (int)words.nr, words.words, &list, &err)) {
		for (unsigned int i = 0; i < list.nr; i++)
			read_option(in, (enum record_option)list.values[i].id,
				    list.values[i].value);
		options_fini(&list);
		plan_measure_add(in->plan, value + strlen(name) + (value[strlen(name)] == ','));
	}
	in->event = NULL;
	free(name);
	name_list_fini(&known);
	text_fini(&names);
	shell_words_fini(&words);
}

static void read_option(struct reading *in, enum record_option id, const char *value)
{
	struct record_plan *plan = in->plan;

	if (is_empty(plan, id, value) || read_buffer_option(in, id, value))
		return;
	switch ((int)id) {
	case OPT_ONLY:		plan->only_command = true; break;
	case OPT_PID:		plan_pids_add(plan, value); break;
	case OPT_CHILDREN:	plan->children = true; break;
	case OPT_OUTPUT:
		plan->output = value;
		plan->named = true;
		break;
	case OPT_GRAPH:		name_list_add(&plan->graph, value); break;
	case OPT_GRAPH_NOTRACE:	name_list_add(&plan->graph_notrace, value); break;
	case OPT_FUNC_STACK:	plan->func_stack = true; break;
	case OPT_DEPTH:
		plan->max_graph_depth = parse_number(plan, "--max-graph-depth", value, 1, 65535);
		break;
	case OPT_PROBE:		record_plan_add_probe(plan, value, false); break;
	case OPT_SYNTH:
		if (!plan_queries_add(plan, value))
			record_plan_add_probe(plan, value, true);
		break;
	case OPT_MONITOR:	plan_monitors_list(plan, value); break;
	case OPT_SETUP:		read_setup(in, value); break;
	case OPT_MEASURE:	plan_measure_add(plan, value); break;
	case OPT_UNTIL:		name_list_add(&plan->until, value); break;
	case OPT_IGNORE:	plan->ignore_missing = true; break;
	case OPT_KEEP:		read_keep(plan, value); break;
	case OPT_RT:
		plan->rt_priority = (int)parse_number(plan, "-r", value, 0, 99);
		break;
	case OPT_INTERVAL:	plan->interval_us = interval_option(plan, value); break;
	case OPT_COMPRESSION:	read_compression(plan, value); break;
	case OPT_VERSION:
		plan->file_version = (int)parse_number(plan, "--file-version", value, 6, 7);
		break;
	case OPT_SUBBUF:
		plan->subbuf_kb = parse_number(plan, "--subbuf-size", value, 1, max_subbuf_kb());
		break;
	case OPT_SYSCALL_BYTES:
		plan->syscall_bytes = parse_number(plan, "--syscall-bytes", value, 0, 65535);
		break;
	case OPT_DURATION:
		plan->duration_ns = time_option(plan, "--duration", value);
		if (!plan->duration_ns && record_plan_time(value, &(uint64_t){ 0 }))
			record_plan_mistake(plan,
					    "--duration: '%s' is too short to record anything",
					    value);
		break;
	case OPT_SIZE:		plan->max_bytes = size_option(plan, "--size", value, 1); break;
	case OPT_NO_BROWSE:	plan->browse = false; break;
	case OPT_STATUS_FD:	plan->status_fd = fd_option(plan, "--status-fd", value); break;
	case OPT_CONTROL_FD:	plan->control_fd = fd_option(plan, "--control-fd", value); break;
	case OPT_STACK_MAX:	plan->stack_max = true; break;
	case OPT_CHECK:		plan->check_only = true; break;
	case OPT_TRACEFS:	plan->tracefs = value; break;
	case OPT_QUIET:		plan->quiet = true; break;
#define RECORD_FLAG(id, field, ...)	case OPT_##id: plan->field = true; break;
#define RECORD_NUMBER(id, field, name, arg, min, max, ...) \
	case OPT_##id: plan->field = parse_number(plan, "--" name, value, min, max); break;
#define RECORD_TIME(id, field, name, ...) \
	case OPT_##id: plan->field = time_option(plan, "--" name, value); break;
#define RECORD_TEXT(id, field, ...)	case OPT_##id: plan->field = value; break;
#include "recorder/plan/record_fields.h"
	default:
		record_plan_mistake(plan, "%s is not an option of ftop-trace record: %s",
				    refused[id - OPT_REFUSED].name, refused[id - OPT_REFUSED].hint);
	}
}

struct output_names cmd_record_names(const struct option_list *list)
{
	struct output_names names = { 0 };
	unsigned int hits = 1;
	bool split = false;

	for (unsigned int i = 0; i < list->nr; i++) {
		const char *value = list->values[i].value;
		int id = list->values[i].id;

		names.has_max |= id == OPT_TRACER && record_plan_is_latency_tracer(value);
		split |= id == OPT_SPLIT;
		if (id == OPT_HITS)
			hits = (unsigned int)strtoul(value, NULL, 10);
	}
	if (hits > RECORD_MOST_HITS)	/* the recorder refuses that */
		hits = RECORD_MOST_HITS;
	names.numbers = split ? hits : 0;
	return names;
}

/* The names that the program makes of the output's: as the user, whose folder it may be. */
static void check_derived(struct record_plan *plan)
{
	const struct output_names names = {
		.has_max = record_plan_is_latency_tracer(plan->buffers[0].tracer),
		.numbers = !plan->split ? 0 : plan->hits ? (unsigned int)plan->hits : 1,
	};
	struct invoker who = { 0 };
	struct ft_error err = { 0 };
	struct file_place place;

	if (!invoker_find(&who, NULL, &err) && !invoker_enter(&who, &err)) {
		if (!file_place_open(&place, plan->output, 0, &err)) {
			if (!plan->named &&
			    !output_name_replaces(place.folder, place.name, OUTPUT_TRACE_HEAD))
				ft_error_set(
					&err, FT_E_USAGE, -1,
					"%s is not a trace: -o %s replaces it, or name another file",
					plan->output, plan->output);
			else
				output_names_check(place.folder, place.name, &names, &err);
			file_place_close(&place);
		}
		invoker_leave(&who);
	}
	if (err.code != FT_E_NONE)
		record_plan_mistake(plan, "%s", err.message);
	invoker_fini(&who);
}

/* The output's name must be free, or that of a plain file. */
static void check_output(struct record_plan *plan)
{
	const char *name = plan->output, *slash = strrchr(name, '/'),
		   *base = slash ? slash + 1 : name;
	char *folder = slash ? mem_strndup(name, slash == name ? 1 : slash - name) :
			       mem_strdup(".");
	struct stat st;

	if (!*base)
		record_plan_mistake(plan, "-o '%s': not a file name", name);
	else if (strlen(base) + strlen(".part") > NAME_MAX)
		record_plan_mistake(
			plan,
			"-o %.20s...: the name has %zu bytes; the limit is %zu, because .part is appended while recording",
			base, strlen(base), NAME_MAX - strlen(".part"));
	else if (!stat(name, &st) && !S_ISREG(st.st_mode))
		record_plan_mistake(plan, "-o %s exists and is %s", name,
				    S_ISDIR(st.st_mode) ? "a folder" : "not a regular file");
	else if (stat(folder, &st))
		record_plan_mistake(plan, "-o %s: %s: %s", name, folder, strerror(errno));
	else
		check_derived(plan);
	free(folder);
}

static void check_together(struct record_plan *plan)
{
	struct invoker who = { 0 };
	struct ft_error err;

	check_output(plan);
	if (plan->user && invoker_find(&who, plan->user, &err))
		record_plan_mistake(plan, "%s", err.message);
	invoker_fini(&who);
	if (plan->file_version == 6 && plan->compression != TRACE_PLAIN)
		record_plan_mistake(plan, "--file-version 6 cannot be compressed");
	if (plan->command && command_check(plan->command[0], &err))
		record_plan_mistake(plan, "%s", err.message);
	if (plan->exit_status && !plan->command)
		record_plan_mistake(plan, "--exit-status requires a command");
	if (plan->user && !plan->command)
		record_plan_mistake(plan, "--user requires a command");
	if (plan->linger_ns && !plan->command && !plan->until.nr)
		record_plan_mistake(plan, "--linger requires a command, or --until");
	record_until_check(plan);
}

void record_options_read(const struct option_list *list, struct record_plan *plan)
{
	struct reading in = { .plan = plan };

	for (unsigned int i = 0; i < list->nr; i++)
		read_option(&in, (enum record_option)list->values[i].id, list->values[i].value);
	plan->check_only |= plan->boot;
	check_together(plan);
}

/* --- options to words ----------------------------------------------------------------------- */

/* Options about output and reporting, not about what is recorded. */
static bool is_of_this_run(int id)
{
	switch (id) {
	case OPT_OUTPUT:
	case OPT_NO_BROWSE:
	case OPT_EXIT_STATUS:
	case OPT_QUIET:
	case OPT_STATUS_FD:
	case OPT_CONTROL_FD:
		return true;
	}
	return false;
}

void record_options_words(const struct option_list *list, bool output, struct shell_words *words)
{
	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_def *def = def_of(list->values[i].id);

		if (!def)		/* one of `live --text` */
			continue;
		if (is_of_this_run(def->id) && !(output && def->id == OPT_OUTPUT))
			continue;
		if (def->letter)
			shell_words_addf(words, "-%c", def->letter);
		else
			shell_words_addf(words, "--%s", def->name);
		if (list->values[i].value)
			shell_words_add(words, list->values[i].value);
	}
	shell_words_add(words, "--");
	for (unsigned int i = 0; i < list->nr_operands; i++)
		shell_words_add(words, list->operands[i]);
}

static bool has_option(const struct option_list *list, int id)
{
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->values[i].id == id)
			return true;
	return false;
}

/* Does an option choose what is recorded? */
static bool chooses(const struct option_list *list)
{
	for (unsigned int i = 0; i < list->nr; i++)
		switch (list->values[i].id) {
		case OPT_EVENT:
		case OPT_TRACER:
		case OPT_SETUP:
		case OPT_PROBE:
		case OPT_SYNTH:
		case OPT_MONITOR:
		case OPT_STACK_MAX:
			return true;
		}
	return false;
}

void record_live_words(const struct option_list *list, struct shell_words *words)
{
	if (!has_option(list, OPT_INTERVAL)) {
		shell_words_add(words, "-s");
		shell_words_add(words, LIVE_INTERVAL_US);
	}
	if (!chooses(list)) {
		shell_words_add(words, "-e");
		shell_words_add(words, "sched");
		shell_words_add(words, "-e");
		shell_words_add(words, "irq");
		/* a clock may only count, and what has a size is to become a file */
		if (!has_option(list, OPT_KEEP) && !has_option(list, OPT_SIZE) &&
		    !has_option(list, OPT_CLOCK)) {
			shell_words_add(words, "-m");
			shell_words_add(words, LIVE_KEEP);
		}
	}
	record_options_words(list, true, words);
}
