/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * record_fields - options of `record` that only set a field of the plan, one entry each.
 * record_plan.h makes the fields of it; record_options.c makes the options, with their usage and
 * their lines in the man page, and reads their values.
 *
 * RECORD_FLAG(id, field, name, risk, help)			bool: the option was given
 * RECORD_NUMBER(id, field, name, arg, min, max, risk, help)	long long; 0: not given
 * RECORD_TIME(id, field, name, risk, help)			uint64_t, in ns; 0: not given
 * RECORD_TEXT(id, field, name, arg, risk, help)		const char *, borrowed, or NULL
 */
RECORD_TEXT(USER, user, "user", "USER", OPTION_HARMLESS,
	"run COMMAND as this user (default: the one who called sudo)")
RECORD_TIME(LINGER, linger_ns, "linger", OPTION_HARMLESS,
	"go on for this time after COMMAND has ended, or after the hit of --until (default: 100ms)")
RECORD_NUMBER(HITS, hits, "hits", "N", 1, RECORD_MOST_HITS, OPTION_HARMLESS,
	"with --until: stop at the Nth hit, 1 to 100 (default: 1)")
RECORD_FLAG(SPLIT, split, "split", OPTION_HARMLESS,
	"with --until: write a file of its own for each hit, t.1.dat, t.2.dat ... for t.dat; hits within the time of --linger are one")
RECORD_TEXT(ON_HIT, on_hit, "on-hit", "COMMAND", OPTION_ASKED("run a command at each hit"),
	"with --until: run this shell command for each hit, as the user\n\n"
	"Its last argument is the name of the file; its standard input is the hit as JSON.")
RECORD_FLAG(EXIT_STATUS, exit_status, "exit-status", OPTION_HARMLESS,
	"exit with the status of COMMAND (128 + N if signal N killed it); do not browse")
RECORD_FLAG(LOCKS, locks, "locks", OPTION_HARMLESS,
	"record who holds the locks that tasks wait for: mutexes of programs, mutexes and rwsems of the kernel\n\n"
	"This defines probes of the events syscalls:sys_enter_futex and lock:contention_begin, in the\n"
	"group locks, for as long as the recording runs. ftop-trace doctor tells which of them this kernel\n"
	"can have. --setup=locks has the events of the scheduler, too, from which ftop-trace why tells\n"
	"what the holder did. Show who held up whom:\n"
	"  ftop-trace record --setup=locks make -j4\n"
	"  ftop-trace latency --kind=futex --by=holder")
RECORD_FLAG(TOP, top, "top", OPTION_ASKED("use the top instance, which others may use"),
	"record in the top instance, where programs write to trace_marker; restore it at the end")
RECORD_FLAG(FORCE, force, "force", OPTION_ASKED("take what others use, and more memory than is safe"),
	"allow: a top instance that is in use, more buffer memory than is safe, unknown modules, monitors while monitoring is off")
RECORD_FLAG(DATE, date, "date", OPTION_HARMLESS,
	"store the wall time, so that reports print it")
RECORD_FLAG(NO_WHO, no_who, "no-who", OPTION_HARMLESS,
	"do not record who the tasks are, nor facts about the machine\n\n"
	"Without this, the file has the program, the command line, the user, the parent and the cgroup of\n"
	"each task that runs when the recording begins, or that later lives for about 100 ms. To know the\n"
	"others, too, a recording of sched_switch without -f also has the events task_newtask,\n"
	"sched_process_exec, sched_process_exit and cgroup_attach_task; -v -e EVENT leaves one of them out.")
RECORD_NUMBER(CMDLINES, cmdlines_size, "cmdlines-size", "N", 1, 1 << 22, OPTION_OF_SHELL,
	"number of names of tasks that the kernel keeps")
RECORD_NUMBER(STOP_TRACING, stop_tracing_us, "stop-tracing", "US", 1, 100000000,
	OPTION_ASKED("stop all measuring, or, with PANIC_ON_STOP, the machine"),
	"with timerlat: stop when the latency of an interrupt is above this; with osnoise: a single noise")
RECORD_NUMBER(STOP_TRACING_TOTAL, stop_tracing_total_us, "stop-tracing-total", "US", 1, 100000000,
	OPTION_ASKED("stop all measuring, or, with PANIC_ON_STOP, the machine"),
	"with timerlat: stop when the latency of a thread is above this; with osnoise: the noise of a period\n\n"
	"Record until a timer is more than 500 us late, and see why:\n"
	"  ftop-trace record --setup timerlat --stop-tracing-total 500\n"
	"  ftop-trace noise --analysis 1")

RECORD_FLAG(BOOT, boot, "boot", OPTION_OF_SHELL,
	"record nothing: print the kernel parameters that record this from boot, and how to read it then")
RECORD_FLAG(PERSISTENT, persistent, "persistent", OPTION_OF_SHELL,
	"with --boot: use memory that keeps its contents over a crash, for extract --last-boot")
RECORD_FLAG(SAVE, save_boot, "save", OPTION_OF_SHELL,
	"with --boot alone: print nothing; keep this boot's formats and symbols in /var/lib/ftop-trace/boots, so that extract --last-boot can decode what it recorded")

#undef RECORD_FLAG
#undef RECORD_NUMBER
#undef RECORD_TIME
#undef RECORD_TEXT
