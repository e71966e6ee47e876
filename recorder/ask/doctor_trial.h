/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_ASK_DOCTOR_TRIAL_H
#define FTOP_RECORDER_ASK_DOCTOR_TRIAL_H
/*
 * doctor_trial - runs the doctor's tests in a temporary instance, with tracing on only while an
 * event is recorded. Private to doctor.c.
 */
#include "recorder/ask/doctor.h"

/*
 * Fills the rows INSTANCE, EVENTS, PAGES, NOP, FUNCTION, GRAPH, FILTER, BUFFERS.  Blocks signals
 * that would end the process until the instance is removed.
 */
void doctor_trial(struct doctor_report *report, const struct tracefs_dir *dir);

/* Set a row of the report. */
void doctor_say(struct doctor_report *report, enum doctor_check check, enum doctor_state state,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void doctor_blocked(struct doctor_report *report, enum doctor_check check, const char *why);
void doctor_cause(struct doctor_report *report, enum doctor_check check, enum refusal_cause cause);
void doctor_remedy(struct doctor_report *report, enum doctor_check check, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Set a row to NO, with the text of refusal_explain() for @file. */
void doctor_refused(struct doctor_report *report, enum doctor_check check,
		    const struct tracefs_dir *dir, const char *file, int errnum,
		    const char *config);
#endif
