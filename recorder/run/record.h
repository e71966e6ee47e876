/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_RECORD_H
#define FTOP_RECORDER_RUN_RECORD_H
/*
 * record - a recording from start to end: set up, start, drain, stop, restore.  Whatever happens in
 * between, tracefs is left as it was found.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "recorder/plan/record_plan.h"
#include "recorder/run/status_stream.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct record_result {
	uint64_t	bytes, events, lost;
	uint64_t	needs_kb;		/* the -b that would have held what was lost; 0 =
						 * nothing was lost */
	uint64_t	duration_ns;
	int		command_status;		/* as in a shell */
	bool		command_runs;		/* the command still runs: it has no status yet */
	char		stopped_by[128];	/* signal, limit…; "" = the command ended */
	struct text	summary;		/* lines for the user after success */
	struct text	losses;			/* lines about lost events, "" if none */
	struct text	notes;			/* lines about problems */
	bool		partial;		/* the file has only some of the events: the
						 * newest (-m), or those before a failure */
	bool		has_user_addresses;	/* of which ftop-trace symbols finds functions */
	bool		written;		/* the file has its final name, even if something
						 * failed */
	bool		interrupted;		/* a signal came after the recording had stopped:
						 * the user does not want to wait */
	bool		judge_is_late;	/* the process that judges --until does not answer */
	int		told_to_end;		/* the signal that ended it, if it was not the
						 * user's Ctrl-C; 0 = none */
};

struct record_places {
	const sigset_t	*mask;		/* signal mask for the command: the one before
					 * record_hold_signals() */
	const char	*tracefs;	/* where it is mounted */
	const char	*run_dir;	/* folder of journals: leftover_run_dir() */
	struct status_stream *status;	/* receives the progress; or NULL */
	int		judge;		/* socket to the process that judges --until (judge_link.h);
					 * -1 = none */
	pid_t		judge_pid;
};

/*
 * Block signals that end a program, until record_run() takes them at suitable moments: work under
 * way is finished, and tracefs is restored.  @old: receives the previous mask, for programs to
 * execute.
 */
void record_hold_signals(sigset_t *old);

/*
 * Wait for the end of a child, for as long as it takes.  A held signal, but for SIGCHLD, ends it:
 * it has nothing to restore.
 */
void record_wait_for(pid_t child);

/*
 * All is restored, and the file has its name: drop signals that came meanwhile; later ones end us
 * as they end any program.  @old: the mask
 */
void record_release_signals(const sigset_t *old);

/*
 * Undo what dead recorders left.  Call it before the plan is checked, because their names are free
 * then.  @notes: receives a line for each.
 */
void record_clean(const struct record_places *places, struct text *notes);

/**
 * record_run() - run a plan that has been checked
 *
 * Blocks until the command or all tasks of -P have ended, a limit is reached or a signal comes.
 * Return: 0, or -1 with the reason; if result->written, the file still has everything recorded
 * until then.
 */
int record_run(const struct record_plan *plan, const struct record_places *places,
	       struct record_result *result, struct ft_error *err);
void record_result_fini(struct record_result *result);

/* Write the last line of a status stream, even if nothing was recorded.  @status may be NULL. */
void record_tell_end(struct status_stream *status, const struct record_plan *plan,
		     const struct record_result *result, bool ok, const char *error);
#endif
