/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * record_fields - options of `record` that only set a field of the plan, one entry each.
 * record_plan.h makes the fields of it; cmd_record.c makes the options, with their usage and
 * their lines in the man page, and reads their values.
 *
 * RECORD_FLAG(id, field, name, help)			bool: the option was given
 * RECORD_NUMBER(id, field, name, arg, min, max, help)	long long; 0: not given
 * RECORD_TIME(id, field, name, help)			uint64_t, in ns; 0: not given
 */
RECORD_TIME(LINGER, linger_ns, "linger", "go on for this time after the command has ended")
RECORD_FLAG(EXIT_STATUS, exit_status, "exit-status",
	"end with the command's exit status (128 + N where signal N killed it), and do not browse")
RECORD_FLAG(TOP, top, "top",
	"record in the top instance, whose trace_marker programs write to; it is put back afterwards")
RECORD_FLAG(FORCE, force, "force",
	"use the top instance though others do; take any amount of memory; wait for any module")
RECORD_FLAG(DATE, date, "date", "keep wall time: reports then show it")
RECORD_NUMBER(CMDLINES, cmdlines_size, "cmdlines-size", "N", 1, 1 << 22,
	"names of tasks that the kernel keeps")

#undef RECORD_FLAG
#undef RECORD_NUMBER
#undef RECORD_TIME
