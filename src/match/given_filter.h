/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_GIVEN_FILTER_H
#define FTOP_SRC_MATCH_GIVEN_FILTER_H
/* given_filter - binds the filters of a command's options, and says why they keep nothing. */
#include "src/match/filter_option.h"
#include "src/match/matches.h"

/*
 * Bind the expressions of -F, with named filters; afterwards everything that the filter needs from
 * the whole trace is known.
 * Return: NULL with FT_E_USAGE; the message shows the position of the error.
 */
struct filter *given_filter_bind(struct trace *trace, const struct filter_source *sources,
				 unsigned int nr, bool compat, struct ft_error *err);

/* Bind --task.  @filter: NULL if there is none.  -1 with FT_E_USAGE. */
int given_filter_bind_tasks(struct trace *trace, const struct filter_given *given,
			    const struct filter **filter, struct ft_error *err);

/*
 * Nothing was kept: report on stderr why, if a single term or something missing in the trace is
 * the cause.  Waits for the directory.  @none: it is known that no event matches.
 */
bool given_filter_tell_empty(struct trace *trace, const struct filter *filter, bool none);

/* Number of events in the whole trace that match a text; false if it is not certain. */
bool given_filter_count(struct trace *trace, const char *text, size_t len, enum matches_mode mode,
			uint64_t *events);

/*
 * For a command that found nothing: does the trace have a task that --task names?  It is not known
 * where a trace has no names.  Waits for the directory, and may read all events.  -1 with
 * FT_E_USAGE: it has none; the message has the nearest names.
 */
int given_filter_check_tasks(struct trace *trace, const struct filter_given *given,
			     struct ft_error *err);
#endif
