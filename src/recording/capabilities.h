/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_RECORDING_CAPABILITIES_H
#define FTOP_SRC_RECORDING_CAPABILITIES_H
/*
 * capabilities - what this kernel can record, and what prevents it, for the screen.
 *
 * Filled in line by line from the output of `ftop-trace list` and `ftop-trace doctor` with
 * --format=json.  These run as separate programs, so that the screen never waits for tracefs and
 * needs no privileges there.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/text.h"

#define CAPABILITIES_MAX	1000000		/* items of a kind; further ones are dropped */

enum capability_kind {
	CAPABILITY_TRACER, CAPABILITY_EVENT, CAPABILITY_FUNCTION, CAPABILITY_CLOCK,
	CAPABILITY_OPTION,
	NR_CAPABILITIES
};

struct capability {
	char		*name;		/* owned, without blanks:
					   "sched:sched_switch", "function_graph" */
	unsigned int	 system_len;	/* event: bytes before the colon */
	bool		 set;		/* in use now; for a clock: set by someone else */
	char		*note;		/* owned, printable: module of a function, print format
					 * of an event; NULL = none */
	char		*fields;	/* owned, printable: fields of an event, "char[16] comm,
					 * pid_t pid"; NULL = not known yet */
};

struct capability_list {
	struct capability	*items;	/* owned; events are sorted by system */
	unsigned int		 nr, cap;
};

struct capability_check {		/* a row of the doctor's table, printable */
	char	*name, *state, *cause, *text, *remedy;	/* owned */
};

struct capabilities {
	struct capability_list	 lists[NR_CAPABILITIES];
	struct capability_check	*checks;	/* owned */
	unsigned int		 nr_checks, cap_checks;
	struct text		 kernel;	/* its release, printable */
	unsigned int		 next_event;	/* index of the event that is probably described
						 * next */
};

/*
 * Take one line; unknown lines are skipped.  Events and functions that are already there get their
 * notes.
 */
void capabilities_line(struct capabilities *caps, const char *line, size_t len);

/* Replace the items of @kind in @to by those of @from, which is left without any. */
void capabilities_take(struct capabilities *to, struct capabilities *from,
		       enum capability_kind kind);
void capabilities_take_checks(struct capabilities *to, struct capabilities *from);
void capabilities_fini(struct capabilities *caps);

bool capabilities_has(const struct capabilities *caps, enum capability_kind kind, const char *name);

/*
 * The check that prevents recording events: the first in the doctor's order of causes.  NULL if
 * there is none, or no check was made.
 */
const struct capability_check *capabilities_obstacle(const struct capabilities *caps);

/*
 * Are the user's privileges the obstacle, so that root would have none?  False if there is no
 * obstacle.
 */
bool capabilities_wants_root(const struct capabilities *caps);

/* The number of checks whose state is "no"; is the check of this name ("function") one of them? */
unsigned int capabilities_nr_refused(const struct capabilities *caps);
bool capabilities_refused(const struct capabilities *caps, const char *name);

#endif
