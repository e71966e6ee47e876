/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * record_fields - options of `record` that only set a field of the plan, one entry each.
 * record_plan.h makes the fields of it; record_options.c makes the options, with their usage and
 * their lines in the man page, and reads their values.
 *
 * RECORD_FLAG(id, field, name, help)			bool: the option was given
 * RECORD_NUMBER(id, field, name, arg, min, max, help)	long long; 0: not given
 * RECORD_TIME(id, field, name, help)			uint64_t, in ns; 0: not given
 * RECORD_TEXT(id, field, name, arg, help)		const char *, borrowed; NULL: not given
 */
RECORD_TEXT(USER, user, "user", "USER", "run the command as this user (default: the one who called sudo)")
RECORD_TIME(LINGER, linger_ns, "linger",
	"continue for this time after the command has ended, or after the hit of --until (default: 100ms)")
RECORD_NUMBER(HITS, hits, "hits", "N", 1, RECORD_MOST_HITS, "with --until: stop at the Nth hit (default: 1)")
RECORD_FLAG(SPLIT, split, "split",
	"with --until: at each hit write what is kept then as a file of its own, t.1.dat of t.dat")
RECORD_TEXT(ON_HIT, on_hit, "on-hit", "COMMAND",
	"with --until: for each hit run this shell command as the user, with the name of the file as its last argument and the hit as JSON on its input")
RECORD_FLAG(EXIT_STATUS, exit_status, "exit-status",
	"exit with the command's status (128 + N if signal N killed it); do not browse")
RECORD_FLAG(TOP, top, "top",
	"record in the top instance, where programs write to trace_marker; restore it afterwards")
RECORD_FLAG(FORCE, force, "force",
	"allow: a top instance in use, more buffer memory than is safe, unknown modules")
RECORD_FLAG(DATE, date, "date", "store the wall time, so that reports print it")
RECORD_FLAG(NO_WHO, no_who, "no-who",
	"do not record the identity of tasks (program, command line, user, cgroup), facts about the machine, or events about them")
RECORD_NUMBER(CMDLINES, cmdlines_size, "cmdlines-size", "N", 1, 1 << 22,
	"number of task names that the kernel keeps")
RECORD_NUMBER(STOP_TRACING, stop_tracing_us, "stop-tracing", "US", 1, 100000000,
	"-p timerlat: stop when an interrupt's latency is longer than this; -p osnoise: a single noise")
RECORD_NUMBER(STOP_TRACING_TOTAL, stop_tracing_total_us, "stop-tracing-total", "US", 1, 100000000,
	"-p timerlat: stop when a thread's latency is longer than this; -p osnoise: the noise of a period")

RECORD_FLAG(BOOT, boot, "boot",
	"record nothing: print the kernel parameters that record this from boot, and how to get it then")
RECORD_FLAG(PERSISTENT, persistent, "persistent",
	"with --boot: into memory that outlasts a crash, for extract --last-boot")

#undef RECORD_FLAG
#undef RECORD_NUMBER
#undef RECORD_TIME
#undef RECORD_TEXT
