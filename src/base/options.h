/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_OPTIONS_H
#define FTOP_SRC_OPTIONS_H
/*
 * options - commands and their options as tables; usage text, man page and
 * completion are made from them, and nothing about an option stands elsewhere.
 */
#include <stdbool.h>
#include <stdio.h>
#include "src/base/error.h"

struct option_def {
	const char	*name;		/* long name without dashes; NULL = a letter only */
	char		 letter;	/* 0 = none */
	const char	*arg;		/* what the usage calls its argument, "FILE" or "text|csv|json"; NULL = takes none */
	int		 id;		/* the command's own number for it */
	const char	*help;		/* one line; NULL = works, but is not listed (tests) */
};

struct command_def {
	const char	*name;		/* "report"; "" = browsing, without a word for it */
	const char	*operands;	/* "[FILE...]" */
	const char	*summary;	/* one line */
	const char	*details;	/* more lines for its --help and the man page; may be NULL */
	const char	*manual;	/* more for the man page alone; may be NULL */
	unsigned int	 min_operands, max_operands;
	bool		 command_operands;	/* operands are a command line: its first word ends our options */
	const struct option_def *options;	/* ended by an entry with neither name nor letter */
};

struct option_value {
	int		 id;
	const char	*value;		/* NULL where the option takes none; borrowed from argv */
};

struct option_list {			/* what was given, in its order */
	struct option_value	*values;	/* owned */
	unsigned int		 nr;
	const char		**operands;	/* owned array, strings borrowed from argv */
	unsigned int		 nr_operands;
	bool			 help;		/* --help or -h was given */
};

/* As id: an option that a later version has.  It is refused by that name, whatever follows. */
#define OPTION_LATER	(-1)

/* As id: an option of other commands that this one has no sense for.  It is refused, and not listed; help says why. */
#define OPTION_REFUSED	(-2)

#define OPTION_END { .name = NULL, .letter = 0 }

/**
 * options_parse() - sort the words of a command line
 * @argv: [argc], the words behind the command's name; options and operands may be mixed, "--" ends options
 *
 * Return: 0 (end with options_fini()), or -1 with FT_E_USAGE; unknown long options name the nearest known one.
 */
int options_parse(const struct command_def *command, int argc, char **argv, struct option_list *list, struct ft_error *err);
void options_fini(struct option_list *list);

/* An argument that must be a whole number in min..max; names the option in the error. */
int options_number(const char *option, const char *value, long long min, long long max, long long *out, struct ft_error *err);

/* An argument out of a set of words; gives its index, or -1 with FT_E_USAGE listing them. */
int options_choice(const char *option, const char *value, const char *const *words, unsigned int nr, struct ft_error *err);

/* A list of CPUs as trace-cmd takes it: "0,2-4".  Sets cpus[n]; numbers above nr-1 are an error. */
int options_cpus(const char *option, const char *value, bool *cpus, unsigned int nr, struct ft_error *err);

void options_usage(const struct command_def *command, FILE *out);		/* of one command */
void options_overview(const struct command_def *const *commands, unsigned int nr, FILE *out);
void options_man(const struct command_def *const *commands, unsigned int nr, FILE *out);	/* ftop-trace(1) in man(7) */
void options_completion(const struct command_def *const *commands, unsigned int nr, FILE *out);	/* for bash */

/* The nearest of some words to one that is not among them, or NULL if none is near. */
const char *options_nearest(const char *word, const char *const *words, unsigned int nr);
#endif
