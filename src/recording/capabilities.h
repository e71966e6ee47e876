/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CAPABILITIES_H
#define FTOP_SRC_CAPABILITIES_H
/*
 * capabilities - what this kernel offers to record, and what stands in the way, as the screen knows it.
 *
 * It is filled line by line from what `ftop-trace list` and `ftop-trace doctor` print with --format=json: these run as
 * programs of their own, so that the screen never waits for tracefs, and needs no rights there.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/text.h"

#define CAPABILITIES_MAX	1000000		/* of a kind; more are not taken */

enum capability_kind {
	CAPABILITY_TRACER, CAPABILITY_EVENT, CAPABILITY_FUNCTION, CAPABILITY_CLOCK, CAPABILITY_OPTION,
	NR_CAPABILITIES
};

struct capability {
	char		*name;		/* owned, without blanks: "sched:sched_switch", "function_graph" */
	unsigned int	 system_len;	/* of an event: bytes before the colon */
	bool		 set;		/* in use now: of a clock, the one others have chosen */
	char		*note;		/* owned, printable: module of a function, print format of an event; NULL: none */
	char		*fields;	/* owned, printable: of an event, "char[16] comm, pid_t pid"; NULL: not known yet */
};

struct capability_list {
	struct capability	*items;	/* owned; events sorted system by system */
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
	unsigned int		 next_event;	/* that is likely to be described next */
};

/* Takes one line; what it does not understand it passes over.  Events and functions that are there already get their notes. */
void capabilities_line(struct capabilities *caps, const char *line, size_t len);

/* What @from knows takes the place of what @to knew; @from knows nothing of it afterwards. */
void capabilities_take(struct capabilities *to, struct capabilities *from, enum capability_kind kind);
void capabilities_take_checks(struct capabilities *to, struct capabilities *from);
void capabilities_fini(struct capabilities *caps);

bool capabilities_has(const struct capabilities *caps, enum capability_kind kind, const char *name);

/* The check that keeps events from being recorded, by the doctor's order of causes; NULL: none does, or it was not asked. */
const struct capability_check *capabilities_obstacle(const struct capabilities *caps);

/* The obstacle is the rights of who records: root would have no other one.  False as well where there is no obstacle. */
bool capabilities_wants_root(const struct capabilities *caps);

/* Checks that say no. */
unsigned int capabilities_in_the_way(const struct capabilities *caps);

/* The row of a check by its name, "rights", or NULL. */
const struct capability_check *capabilities_check(const struct capabilities *caps, const char *name);
#endif
