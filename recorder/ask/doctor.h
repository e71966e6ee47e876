/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_DOCTOR_H
#define FTOP_RECORDER_DOCTOR_H
/*
 * doctor - what can be recorded here, what stands in the way, and what mends it.
 *
 * Everything is tried, in an instance of its own that is removed again: what a
 * kernel lists and what it allows are two things.  What cannot be tried without
 * a lasting effect on others is not tried, and told so.
 */
#include <stdbool.h>
#include "recorder/tracefs/kernel_facts.h"
#include "recorder/tracefs/refusal.h"
#include "recorder/tracefs/tracefs_dir.h"

enum doctor_check {
	DOCTOR_LOCKDOWN, DOCTOR_TRACEFS, DOCTOR_RIGHTS, DOCTOR_INSTANCE, DOCTOR_EVENTS, DOCTOR_PAGES, DOCTOR_NOP,
	DOCTOR_FUNCTION, DOCTOR_GRAPH, DOCTOR_FILTER, DOCTOR_TRACERS, DOCTOR_PROBES, DOCTOR_READER, DOCTOR_SYMBOLS,
	DOCTOR_BUFFERS, DOCTOR_PIDS, DOCTOR_OURS, DOCTOR_OTHERS,
	DOCTOR_NR
};

enum doctor_state {
	DOCTOR_UNTRIED,		/* the text says why */
	DOCTOR_OK,
	DOCTOR_NO,
	DOCTOR_PARTLY,
	DOCTOR_NONE,		/* of what is left over: nothing */
};

struct doctor_row {
	enum doctor_state  state;
	bool		   blocked;	/* untried, as something that stands in another row went before it */
	const char	  *file;	/* below tracefs, that refused; NULL if none did */
	int		   errnum;	/* what it answered, or 0 */
	const char	  *cause;	/* as refusal_cause_name(), or "" */
	struct text	   text;	/* one line */
	struct text	   remedy;	/* a command for the shell, or "" */
};

struct doctor_report {
	struct kernel_facts facts;
	struct doctor_row   rows[DOCTOR_NR];
	struct text	    fixed;	/* what was mended, a line each */
};

struct doctor_options {
	const char	*tracefs;	/* NULL: where it is mounted */
	const char	*run_dir;	/* of journals: RECORD_RUN_DIR */
	const char	*root;		/* put before /proc, /sys and /boot: "" but for tests */
	bool		 fix;		/* first remove what our own dead processes left */
	bool		 expand;	/* first give the top instance its full buffer, so that all can be tried on old kernels */
};

/* Takes below a second.  Ends with doctor_fini(). */
void doctor_run(const struct doctor_options *options, struct doctor_report *report);
void doctor_fini(struct doctor_report *report);

/* Events can be recorded. */
bool doctor_can_record(const struct doctor_report *report);

/* How many rows are NO. */
unsigned int doctor_in_the_way(const struct doctor_report *report);

const char *doctor_check_name(enum doctor_check check);		/* "function_graph", for scripts */
const char *doctor_check_title(enum doctor_check check);	/* "filter by function", for people */
const char *doctor_state_name(enum doctor_state state);		/* "ok", "no"… */
#endif
