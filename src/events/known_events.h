/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EVENTS_KNOWN_EVENTS_H
#define FTOP_SRC_EVENTS_KNOWN_EVENTS_H
/*
 * known_events - what is said of events: sentences, short texts, colours, patterns of texts, and
 * the kinds of latency between them.  All of it is in text files known/SYSTEM.events, which the
 * build makes a part of the program, and in files of the user with the same lines.  README.md says
 * what lines there are.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/error.h"
#include "src/base/text.h"

#define KNOWN_FILE_BYTES	(64u << 10)	/* most bytes of a user's file */
#define KNOWN_FILES		64u		/* most files of a user */

enum known_word {			/* the first word of a line */
	KNOWN_NAMES,			/* names of a system's events, as texts name no systems */
	KNOWN_SENTENCE, KNOWN_SHORT, KNOWN_COLOUR, KNOWN_PATTERN,	/* said of an event */
	KNOWN_ALSO, KNOWN_FIELDS,	/* what it and its fields are called elsewhere */
	KNOWN_MEASURES, KNOWN_INSTANCE, KNOWN_CHOSEN, KNOWN_FINAL,	/* said of latencies */
	KNOWN_PAIR,
	KNOWN_WORDS
};

struct known_line {			/* immutable, lives as long as the program */
	const char	*of;		/* the system of the events; the kind; "": neither */
	const char	*names;		/* events' names, with blanks between them; NULL: all */
	const char	*text;
	const char	*file;		/* that has it: "kvm.events", or the path of a user's */
	bool		 is_own;	/* the line is from a user's file */
};

/* What the * of a name stands for in the name of an event; empty if there is no *. */
struct known_star {
	const char	*s;		/* borrowed */
	size_t		 len;
};

/*
 * The next line with this word, those of the user first.  *at: 0 at first.  NULL: no more.  Any
 * thread, like all functions below, when known_events_read() is done.
 */
const struct known_line *known_events_next(enum known_word word, unsigned int *at);

/* Is a name one of a list "tasklet_*entry softirq_raise"?  @star: NULL, or receives its *. */
bool known_events_lists(const char *names, const char *name, size_t len, struct known_star *star);

/* The system whose events have such a name, in texts and with other tools; NULL: not known. */
const char *known_events_system(const char *name, size_t len);

#define KNOWN_NAME_BYTES	128u

/*
 * What another tool calls an event of the kernel; the kernel's name of an event of another tool.
 * @to: [KNOWN_NAME_BYTES].  Return: @to, or NULL: there is no other name.
 */
const char *known_events_theirs(const char *system, const char *name, char *to);
const char *known_events_kernels(const char *system, const char *name, char *to);

/*
 * What is said of an event: the first line for its name counts, then one for the kernel's name of
 * it, then one for its whole system.  NULL: nothing.  @star: may be NULL.
 */
const char *known_events_text(enum known_word word, const char *system, const char *name,
			      struct known_star *star);
/* What is said of a kind of latency; NULL: nothing. */
const char *known_events_kind(enum known_word word, const char *kind);

/* Who else knows whether a line is right: -1 with a message if it is not. */
struct known_checks {
	int	(*colour)(const char *text, struct ft_error *err);
	int	(*pair)(const char *text, struct ft_error *err);
};

/**
 * known_events_read() - read the files *.events of a folder, by name; once, before any thread
 * @folder: need not exist; NULL: there is none
 *
 * A mistake costs its line only.  Return: 0, or -1 with the first one: "FILE:LINE: …".
 */
int known_events_read(const char *folder, const struct known_checks *checks, struct ft_error *err);

/* Read the contents of such a file.  @name: for messages. */
int known_events_add(const char *contents, const char *name, const struct known_checks *checks,
		     struct ft_error *err);

void known_events_fini(void);		/* forgets the user's lines */

/* Are the lines right that are part of the program?  The build asks. */
int known_events_check(const struct known_checks *checks, struct ft_error *err);
#endif
