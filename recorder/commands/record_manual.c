/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/commands/record_manual.h"

#include <stddef.h>

const char record_about[] =
	"ftop-trace record records events (-e) or the output of a tracer (-p) on all CPUs while COMMAND\n"
	"runs, or until Ctrl-C if there is no COMMAND. It writes trace.dat, or the file that -o names, and\n"
	"opens it in the browser when the recording ends. It takes the options of trace-cmd record and some\n"
	"more. Recording needs root; under sudo, COMMAND, the file and the browser belong to the user who\n"
	"called sudo. The recording uses a tracefs instance of its own where the kernel allows it, and\n"
	"restores every other setting that it changes. ftop-trace doctor shows what this kernel can record\n"
	"and what prevents the rest. In the browser, R opens a form for all of this.";

const char record_examples[] =
	"Recording needs root: put sudo before record and extract. The lines below a recording ask its\n"
	"question in the shell; the browser answers it with Enter and Y.\n"
	"\n"
	"A slow request. Record switches and wake-ups with their stacks while one request runs, then see\n"
	"where the time of the server went:\n"
	"  ftop-trace record --setup waits curl -s http://localhost/slow\n"
	"  ftop-trace why --task=nginx\n"
	"\n"
	"Wake-up latency. Measure how long tasks wait for a CPU after they are woken, and what the CPU does\n"
	"meanwhile:\n"
	"  ftop-trace record -e sched_switch -e sched_waking --duration 10s\n"
	"  ftop-trace latency --kind=wakeup --culprits\n"
	"\n"
	"Who wakes whom. Count the wake-ups of a build by task and waker:\n"
	"  ftop-trace record -e sched_switch -e sched_waking -e irq make -j2\n"
	"  ftop-trace tasks --woken\n"
	"\n"
	"A kernel function and what it calls. Trace it in one command only:\n"
	"  ftop-trace record -p function_graph -g vfs_read -F cat /etc/passwd\n"
	"  ftop-trace graph\n"
	"\n"
	"An audio underrun at night. Record until the audio thread has waited for a CPU for more than 3 ms;\n"
	"the file keeps the ten seconds before that:\n"
	"  ftop-trace record --setup latency -o underrun.dat \\\n"
	"    --until 'wakeup > 3ms && comm ~ \"data-loop*\"'\n"
	"  ftop-trace latency --kind=wakeup --head=1 --anatomy underrun.dat\n"
	"\n"
	"An interrupt storm. Count the interrupts of ten seconds, and measure their handlers:\n"
	"  ftop-trace record --setup interrupts --duration 10s\n"
	"  ftop-trace latency --kind=irq --by=what\n"
	"\n"
	"Block I/O. Find the ten requests that took longest:\n"
	"  ftop-trace record -e block --duration 30s\n"
	"  ftop-trace latency --kind=block --head=10\n"
	"\n"
	"A container. Record all tasks, because those outside may take its CPUs, and select the container\n"
	"afterwards:\n"
	"  ftop-trace record -e sched -e irq --duration 10s\n"
	"  ftop-trace tasks --by=cgroup\n"
	"  ftop-trace latency --kind=wakeup --by=process \\\n"
	"    -F 'cgroup == */docker-3f*'\n"
	"\n"
	"Boot. The first command prints kernel parameters. Boot with them, then save the buffer:\n"
	"  ftop-trace record --boot -e sched -e irq\n"
	"  ftop-trace extract -o boot.dat\n"
	"\n"
	"A crash. Do the same with memory that keeps its contents over a reboot, and save it after the\n"
	"crash:\n"
	"  ftop-trace record --boot --persistent -e sched\n"
	"  ftop-trace extract --last-boot -o crash.dat";

const struct option_heading record_headings[] = {
	{ "What to record", "event filter trigger except ignore-missing tracer setup measure probe synth monitor locks" },
	{ "Functions", "function graph-function notrace graph-notrace max-graph-depth func-stack" },
	{ "Tasks and CPUs", "only-command pid children cpu cpumask" },
	{ "Details of each event", "stack option syscall-bytes clock date no-who cmdlines-size" },
	{ "When to stop", "duration size linger stop-tracing stop-tracing-total" },
	{ "Until something happens", "until hits split on-hit" },
	{ "The file", "output keep compression file-version" },
	{ "Buffers", "buffer-size subbuf-size buffer top realtime sleep force" },
	{ "Boot and crash", "boot persistent save" },
	{ "The command, and what is printed",
	  "user exit-status no-browse quiet check stack-trace-max status-fd control-fd" },
	{ NULL, NULL },
};

static const char until_text[] =
	"--until is for what happens once a night: it ends the recording when something has happened, and\n"
	"keeps what came before. CONDITION takes one of four forms:\n"
	"  wakeup > 500us              a latency above a limit\n"
	"  vfs_read > 10ms             a call of a function above a limit\n"
	"                              (-p function_graph)\n"
	"  sched_process_exit && comm == payload\n"
	"                              an event that matches a filter\n"
	"  lost > 0                    the kernel has dropped events\n"
	"A latency is a kind of ftop-trace latency: wakeup, blocked, irq, syscall, block and others, or\n"
	"pair:NAME for a pair of events that you have defined. Record the events that it is made of. A\n"
	"filter can narrow a limit: syscall > 10ms && name == fsync. ftop-trace-filter(7) describes filters.\n"
	"With several --until, any condition that becomes true counts.\n"
	"record --check says whether a condition would be accepted.\n"
	"\n"
	"The moment when a condition becomes true is a hit. The file holds the ten seconds before the hit,\n"
	"unless -m or --size says otherwise, and the time after it that --linger gives (100 ms). The trace\n"
	"opens with the marks A and B around the hit, and ftop-trace info prints it.\n"
	"\n"
	"--hits=3 ends the recording at the third hit. With --split, each hit gets a file of its own, and\n"
	"FILE holds what was kept at the end. Hits within the time of --linger are one: they share a file,\n"
	"which says how many they are. --on-hit runs a command for each hit:\n"
	"  ftop-trace record --until 'wakeup > 3ms' --hits=10 --split \\\n"
	"    --on-hit='logger -t late' -e sched_switch -e sched_waking\n"
	"\n"
	"A process without privileges reads the file while it grows, and finds what ftop-trace latency and\n"
	"ftop-trace report -F would find. If it cannot keep up, the status line shows how far it is behind.\n"
	"A call that is still running is a hit as soon as it exceeds the limit; so is a wait or a sleep, if\n"
	"the condition has no filter. A latency that may look long only because records are missing is no\n"
	"hit. If nothing else happened, record says at the end how many of these there were.\n"
	"A filter that asks for what several events tell, as wait > 1ms or throttled > 50ms do, is judged\n"
	"every two seconds. So -m must be at least 5 s, and what happens in the last seconds may be no hit.\n"
	"A filter knows a task by the name that it had when the recording began, or that an event of sched\n"
	"contains.";

static const char measure_text[] =
	"--measure sets how the tracers timerlat, osnoise and hwlat measure. The kernel keeps these settings in\n"
	"files that all its instances share; record restores them at the end. Those that are not given stay as\n"
	"they are. A TIME is 100us, 1ms or 1s; a number alone is in us. The option of rtla that does the\n"
	"same is in parentheses. ftop-trace list --measures prints the keys that this kernel has, and what is\n"
	"set now.\n"
	"  period=TIME       timerlat: the timer of each CPU expires after\n"
	"                    each period, 100us to 1s (rtla timerlat -p);\n"
	"                    osnoise: length of a period (rtla osnoise -p)\n"
	"  runtime=TIME      osnoise: time of each period in which it\n"
	"                    measures (rtla osnoise -r)\n"
	"  cpus=LIST         measure only on these CPUs (rtla -c)\n"
	"  prio=f:PRIO       give the threads that measure SCHED_FIFO with\n"
	"                    this priority, 1 to 99 (rtla -P); r:PRIO:\n"
	"                    SCHED_RR; o:NICE: SCHED_OTHER;\n"
	"                    d:RUNTIME:PERIOD: SCHED_DEADLINE, as d:50us:1ms.\n"
	"                    timerlat has f:95 without it, osnoise o:0\n"
	"  user              timerlat: wake processes of the recorder,\n"
	"                    timerlatu/N, instead of threads of the kernel,\n"
	"                    and measure the return to user space, too (rtla\n"
	"                    timerlat -u); they have f:95 or prio; Linux 6.5\n"
	"  kernel            timerlat: wake threads of the kernel (rtla\n"
	"                    timerlat -k): the default\n"
	"  dma-latency=TIME  timerlat: CPUs may take this long to leave an\n"
	"                    idle state, 0 keeps them out of most (rtla\n"
	"                    timerlat --dma-latency)\n"
	"  stop=TIME         as --stop-tracing (rtla timerlat -i, rtla\n"
	"                    osnoise -s)\n"
	"  stop-total=TIME   as --stop-tracing-total (rtla timerlat -T, rtla\n"
	"                    osnoise -S)\n"
	"  stack=TIME        timerlat: record the stack that the interrupt\n"
	"                    of the timer finds, if the thread is then later\n"
	"                    than this (rtla timerlat -s); the two stop\n"
	"                    values set it, too\n"
	"  align=TIME        timerlat: time from the first expiry of one CPU\n"
	"                    to that of the next (rtla timerlat -A); Linux 7.1\n"
	"  option=NAME       timerlat, osnoise: an option of the file\n"
	"                    osnoise/options, NO_NAME clears it; can be given\n"
	"                    several times; Linux 6.2\n"
	"  threshold=TIME    osnoise: the shortest noise that is counted\n"
	"                    (rtla osnoise -T); hwlat: the shortest latency;\n"
	"                    function_graph: the shortest call\n"
	"  window=TIME       hwlat: length of a period\n"
	"  width=TIME        hwlat: time of each period in which it stops a\n"
	"                    CPU and measures\n"
	"  mode=none|round-robin|per-cpu\n"
	"                    hwlat: measure where the scheduler puts the\n"
	"                    thread, on one CPU after the other, or on all\n"
	"                    at the same time; Linux 5.14\n"
	"\n"
	"The threshold is the file tracing_thresh. With it, function_graph records only the ends of calls\n"
	"that took at least this long: each is shown as a call whose entry was lost, and the calls above it\n"
	"are not known. Without a threshold, hwlat uses the one that it had last; the first one is 10us. The\n"
	"kernel remembers it until it is booted again, even after record has restored tracing_thresh.\n"
	"\n"
	"Measure 10,000 timers per second on CPUs 0 and 1, until one is 50 us late:\n"
	"  ftop-trace record \\\n"
	"    --setup=timerlat,period=100us,cpus=0-1,stop-total=50us\n"
	"Record the calls that take more than 10 ms:\n"
	"  ftop-trace record -p function_graph --measure=threshold=10ms";

static const char contents_text[] =
	"Beside the events, the file holds what is needed to read them on another machine: the formats of\n"
	"the events, the symbols of the kernel, its CPUs, and who the tasks are (see --no-who). If it is a\n"
	"virtual machine, the file also says how much of each CPU's time the hypervisor gave to others in each\n"
	"second (steal of /proc/stat): ftop-trace info and summary show it. Because the file\n"
	"holds addresses of the kernel and command lines, other users cannot read it (mode 0640). Command\n"
	"lines may contain secrets; --no-who leaves them out.\n"
	"\n"
	"While the recording runs, the file is FILE.part. With -m it has holes: du shows the space that it\n"
	"takes, ls a much larger size.";

static const char end_text[] =
	"A recording ends with COMMAND, at a limit (--duration, --size, --until), when all tasks of -P have\n"
	"ended, or at a signal. If a limit ends it first, COMMAND goes on, and the browser does not open,\n"
	"because COMMAND still uses the terminal.\n"
	"\n"
	"The first Ctrl-C (SIGINT) interrupts COMMAND, the second one ends the recording; the exit status is\n"
	"0. SIGTERM, SIGHUP and SIGQUIT end both; the exit status is 1, as it is when the disk is full. In\n"
	"all these cases the file is complete. With --exit-status, the exit status is that of COMMAND. After\n"
	"wrong options it is 2, and nothing was recorded.\n"
	"\n"
	"If record itself is killed (SIGKILL), a second process saves what is left in the buffers and\n"
	"restores tracefs. FILE.part then remains; ftop-trace recover makes a trace of it.";

const struct command_section record_sections[] = {
	{ "RECORDING UNTIL SOMETHING HAPPENS", until_text },
	{ "HOW TRACERS MEASURE", measure_text },
	{ "CONTENTS OF THE FILE", contents_text },
	{ "END OF THE RECORDING", end_text },
	{ NULL, NULL },
};
