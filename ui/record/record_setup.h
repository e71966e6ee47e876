/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_RECORD_RECORD_SETUP_H
#define FTOP_UI_RECORD_RECORD_SETUP_H
/*
 * record_setup - converts the choices of the record screen to words of `ftop-trace record` and
 * back; and named presets: built-in ones, and the user's in a text file with lines of NAME: WORDS
 */
#include <stdbool.h>
#include "src/recording/capabilities.h"
#include "src/base/options.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"

enum setup_field {			/* in the order of the form */
	SETUP_TRACER, SETUP_EVENTS, SETUP_FUNCTIONS, SETUP_DEPTH, SETUP_TASKS, SETUP_COMMAND,
	SETUP_CPUS, SETUP_CLOCK,
	SETUP_BUFFER, SETUP_DURATION, SETUP_SIZE, SETUP_UNTIL, SETUP_FILE, SETUP_MORE,
	NR_SETUP_ROWS,
	SETUP_MEASURE,			/* in the row of SETUP_DEPTH, if the tracer is to have it */
	NR_SETUP_FIELDS
};

struct setup_event {
	char	*pattern;		/* owned: "sched", "sched:sched_switch", "sched_*" */
	char	*filter;		/* owned, NULL: none */
};

struct record_setup {
	struct text		 values[NR_SETUP_FIELDS];	/* as typed; unused with lists */
	struct setup_event	*events;	/* owned */
	unsigned int		 nr_events, cap_events;
	struct shell_words	 functions;	/* -g with the function_graph tracer, else -l */
	struct shell_words	 pids;
	bool			 only_command, children;
};

void record_setup_fini(struct record_setup *setup);

/**
 * record_setup_read() - take a line of words apart
 * @record: the recorder's options
 *
 * Options without a field, or that depend on their order (-R -v -B), are kept as words in
 * SETUP_MORE.
 * Return: 0, or -1 with FT_E_USAGE; then @setup is as it was.
 */
int record_setup_read(struct record_setup *setup, const struct command_def *record,
		      const char *line, struct ft_error *err);

/* Move options from "more" into their fields, so that the fields agree with the command line. */
void record_setup_settle(struct record_setup *setup, const struct command_def *record);

/*
 * The words after "record". -1 with FT_E_USAGE: the command or the further options cannot be split
 * into words.
 */
int record_setup_words(const struct record_setup *setup, struct shell_words *words,
		       struct ft_error *err);

/* --- events --------------------------------------------------------------- */

/* True if the pattern selects the event, by the recorder's rule. */
bool record_setup_matches(const char *pattern, const struct capability *event);
bool record_setup_ticked(const struct record_setup *setup, const struct capability *event);
unsigned int record_setup_nr_ticked(const struct record_setup *setup,
				    const struct capability_list *events);

/*
 * Ticks one event, or with @whole_system all of its system; a complete system becomes one pattern.
 */
void record_setup_tick(struct record_setup *setup, const struct capability_list *events,
		       unsigned int event, bool whole_system, bool on);

/* Sets the filter of this event only, and gives the event its own pattern if it has none. */
void record_setup_filter(struct record_setup *setup, const struct capability_list *events,
			 unsigned int event, const char *filter);
/* "": none */
const char *record_setup_filter_of(const struct record_setup *setup,
				   const struct capability *event);

/* --- names ---------------------------------------------------------------- */

struct named_setup {
	char		*name, *line;	/* owned */
	const char	*question;	/* which it answers; NULL: it is the user's own */
	char		*mistake;	/* owned, printable: why it cannot be recorded here; "": it
					 * can; NULL: not known yet */
};

struct named_setups {
	struct named_setup	*all;	/* owned: built-in ones first */
	unsigned int		 nr, cap;
};

/*
 * Loads the built-in presets and those of a file, which need not exist. Lines that cannot be parsed
 * are kept.  Nothing is known yet of what can be recorded here.
 */
void named_setups_read(struct named_setups *setups, const char *path);
/*
 * Saves a preset under a name, replacing the user's own; NULL @line deletes it. Built-in names:
 * FT_E_USAGE.
 */
int named_setups_put(struct named_setups *setups, const char *path, const char *name,
		     const char *line, struct ft_error *err);
void named_setups_fini(struct named_setups *setups);
#endif
