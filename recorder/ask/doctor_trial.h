/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_DOCTOR_TRIAL_H
#define FTOP_RECORDER_DOCTOR_TRIAL_H
/*
 * doctor_trial - the part of the doctor that tries things out: in an instance
 * of its own, with tracing switched off but for the moment an event needs.
 * Known to doctor.c alone.
 */
#include "recorder/ask/doctor.h"

/*
 * Fills the rows INSTANCE, EVENTS, PAGES, NOP, FUNCTION, GRAPH, FILTER, BUFFERS.  Signals that would end the process wait
 * until the instance is gone.
 */
void doctor_trial(struct doctor_report *report, const struct tracefs_dir *dir);

/* Shared with doctor.c: one line of the report. */
void doctor_say(struct doctor_report *report, enum doctor_check check, enum doctor_state state, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void doctor_blocked(struct doctor_report *report, enum doctor_check check, const char *why);
void doctor_cause(struct doctor_report *report, enum doctor_check check, enum refusal_cause cause);
void doctor_remedy(struct doctor_report *report, enum doctor_check check, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* State NO, with what refusal_explain() says of FILE. */
void doctor_refused(struct doctor_report *report, enum doctor_check check, const struct tracefs_dir *dir, const char *file,
		    int errnum, const char *config);
#endif
