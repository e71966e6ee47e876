/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RECORD_H
#define FTOP_RECORDER_RECORD_H
/*
 * record - a recording from start to end: set up, start, drain, stop, put back.
 * Whatever happens in between, tracefs is left as it was found.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "recorder/plan/record_plan.h"
#include "recorder/run/status_stream.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct record_result {
	uint64_t	bytes, events, lost;
	uint64_t	needs_kb;		/* the -b that would have held what was lost; 0: nothing was */
	uint64_t	duration_ns;
	int		command_status;		/* as a shell gives it */
	bool		command_runs;		/* still: it has no status */
	char		stopped_by[128];	/* signal, limit…; "" = the command ended */
	struct text	summary;		/* lines for the user, when all went well */
	struct text	losses;			/* the same of lost events, "" where none was */
	struct text	notes;			/* lines about what did not */
	bool		partial;		/* the file holds some of the events alone: the newest (-m), or those before it failed */
	bool		written;		/* the file has its name, even if something failed */
	bool		interrupted;		/* a signal came after the recording had stopped: the user wants no more of it */
	int		told_to_end;		/* by this signal, which is not the user's Ctrl-C; 0: by none */
};

struct record_places {
	const sigset_t	*mask;		/* of the command: that of before record_hold_signals() */
	const char	*tracefs;	/* where it is mounted */
	const char	*run_dir;	/* of journals: leftover_run_dir() */
	struct status_stream *status;	/* who is told how it goes, or NULL */
};

/*
 * Signals that end a program wait from here on, for record_run(), which takes them whenever it can: whatever is under
 * way is finished, and tracefs put back.  @old: receives the mask of before, for programs that are executed.
 */
void record_hold_signals(sigset_t *old);

/*
 * Put back what recorders left that are gone: before the plan is checked, since names that they have are not others'.
 * @notes: receives what was done.
 */
void record_clean(const struct record_places *places, struct text *notes);

/**
 * record_run() - record by a plan that was checked
 *
 * Blocks until the command or all tasks of -P have ended, a limit is reached or a signal comes.  Return: 0, or -1 with the reason; then what
 * was recorded until then is in the file all the same, if result->written.
 */
int record_run(const struct record_plan *plan, const struct record_places *places, struct record_result *result,
	       struct ft_error *err);
void record_result_fini(struct record_result *result);

/* The last line of a status stream, whether or not there was a recording.  NULL streams take it. */
void record_tell_end(struct status_stream *status, const struct record_plan *plan, const struct record_result *result,
		     bool ok, const char *error);
#endif
