/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_ASK_DOCTOR_H
#define FTOP_RECORDER_ASK_DOCTOR_H
/*
 * doctor - finds out what can be recorded here, what prevents the rest, and how to fix that.
 *
 * Tests run in a temporary instance, because a kernel does not allow everything that it lists.
 * Tests that would affect others permanently are not run, and the report says so.
 */
#include <stdbool.h>
#include "recorder/tracefs/kernel_facts.h"
#include "recorder/tracefs/refusal.h"
#include "recorder/tracefs/tracefs_dir.h"

enum doctor_check {
	DOCTOR_LOCKDOWN, DOCTOR_TRACEFS, DOCTOR_RIGHTS, DOCTOR_INSTANCE, DOCTOR_EVENTS,
	DOCTOR_PAGES, DOCTOR_NOP,
	DOCTOR_FUNCTION, DOCTOR_GRAPH, DOCTOR_FILTER, DOCTOR_TRACERS, DOCTOR_PROBES, DOCTOR_LOCKS,
	DOCTOR_MEASURE, DOCTOR_MONITORS, DOCTOR_LAST_BOOT, DOCTOR_NEWEST, DOCTOR_READER,
	DOCTOR_SYMBOLS,
	DOCTOR_BUFFERS, DOCTOR_PIDS, DOCTOR_LANDLOCK, DOCTOR_SECCOMP, DOCTOR_OURS, DOCTOR_OTHERS,
	DOCTOR_NR
};

enum doctor_state {
	DOCTOR_UNTRIED,		/* the text says why */
	DOCTOR_OK,
	DOCTOR_NO,
	DOCTOR_PARTLY,
	DOCTOR_NONE,		/* nothing is left over, or the kernel does not need it */
};

struct doctor_row {
	enum doctor_state  state;
	bool		   blocked;	/* untried because of the problem in an earlier row */
	const char	  *file;	/* file below tracefs that refused; or NULL */
	int		   errnum;	/* its errno, or 0 */
	const char	  *cause;	/* refusal_cause_name(), or "" */
	struct text	   text;	/* one line */
	struct text	   remedy;	/* a shell command, or "" */
};

struct doctor_report {
	struct kernel_facts facts;
	struct doctor_row   rows[DOCTOR_NR];
	struct text	    fixed;	/* what was fixed, one per line */
};

struct doctor_options {
	const char	*tracefs;	/* NULL: where it is mounted */
	const char	*run_dir;	/* folder of journals: RECORD_RUN_DIR */
	const char	*root;		/* prefix of /proc, /sys and /boot: "" except in tests */
	bool		 fix;		/* first remove what our own dead processes left */
	bool		 landlock;	/* does this kernel have it? confines readers of traces */
	bool		 seccomp;
	bool		 expand;	/* first expand the top instance's buffer, so that
					 * everything can be tried on old kernels */
};

/* Takes less than a second.  Call doctor_fini() afterwards. */
void doctor_run(const struct doctor_options *options, struct doctor_report *report);
void doctor_fini(struct doctor_report *report);

/* Can events be recorded? */
bool doctor_can_record(const struct doctor_report *report);

const char *doctor_check_name(enum doctor_check check);		/* "function_graph", for scripts */
/* "filter by function", for people */
const char *doctor_check_title(enum doctor_check check);
const char *doctor_state_name(enum doctor_state state);		/* "ok", "no"… */
#endif
