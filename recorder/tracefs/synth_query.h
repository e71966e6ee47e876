/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_SYNTH_QUERY_H
#define FTOP_RECORDER_TRACEFS_SYNTH_QUERY_H
/*
 * synth_query - an SQL query about two events as the synthetic event and the triggers that answer
 * it.  libtracefs makes them (tracefs_sql(3), sqlhist(1)); nothing is written to tracefs.
 */
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct synth_query {
	struct text	definition;		/* "s:lat u64 lat; pid_t pid;" */
	struct synth_query_trigger {
		struct text	event;		/* "sched:sched_waking" */
		struct text	trigger;	/* "hist:keys=pid:..." */
	}		triggers[2];		/* of the event after FROM, and after JOIN; in the
						 * order in which they must be set */
};

/**
 * synth_query_make() - translate a query
 * @root: tracefs: the events' formats are read there
 * @name: name of the synthetic event
 * @sql:  one line
 * @why:  on failure, receives libtracefs's text: the query, a caret below the mistake, and what it
 *        is; lines without a final newline
 *
 * Call synth_query_fini() even after a failure.  Return: 0, or -1 with FT_E_USAGE.
 */
int synth_query_make(struct synth_query *query, const struct tracefs_dir *root, const char *name,
		     const char *sql, struct text *why, struct ft_error *err);
void synth_query_fini(struct synth_query *query);
#endif
