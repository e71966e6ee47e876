/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_OPTIONS_H
#define FTOP_SRC_BASE_OPTIONS_H
/*
 * options - commands and their options as tables; usage text, man page and completion are generated
 * from them, so an option is described only here.
 */
#include <stdbool.h>
#include <stdio.h>
#include "src/base/error.h"

/*
 * What the argument of an option is.  A command that is confined before it reads a trace may read
 * the files that are named here as read, and another process creates those that are written.
 */
enum option_kind {
	OPTION_WORD,		/* none of the following */
	OPTION_PATH,		/* a file or folder that the command itself opens */
	OPTION_READ,		/* a trace to be read */
	OPTION_NEW,		/* a file to be written, which must not exist */
	OPTION_REPLACED,	/* a file to be written from its beginning to its end,
				 * even if it exists; or a pipe or device */
	OPTION_FOLDER,		/* a folder in which files are written */
	OPTION_OPERAND		/* an operand, wherever it stands */
};

/*
 * What harm an option may do to other users, the kernel or programs, if a process gives it that was
 * taken over (src/sandbox/broker_judge.c).  The user's time and disk space do not count.
 */
enum option_risk {
	OPTION_RISK_UNKNOWN,	/* as OPTION_RISK_ASK; in a table of this program, a test fails */
	OPTION_RISK_NONE,
	OPTION_RISK_ASK,	/* the user is asked before */
	OPTION_RISK_SHELL	/* it is refused: only a shell may give it */
};

/* Options that are listed together. */
struct option_heading {
	const char	*title;		/* "When to stop" */
	const char	*options;	/* "duration size": their names, in this order */
};

/* Options that several commands share. */
struct option_group {
	const char	*title;		/* "Rows" */
	const struct option_def *options;	/* as command_def.options; no groups */
	const char	*page;		/* the manual page of another command, which has these
					 * options, too; NULL: COMMON OPTIONS have them */
	const struct option_heading *headings;	/* as command_def.headings */
};

struct option_def {
	const char	*name;		/* long name without dashes; NULL = only a letter */
	char		 letter;	/* 0 = none */
	const char	*arg;		/* name of its argument in the usage, "FILE" or
					 * "text|csv|json"; NULL = no argument */
	int		 id;		/* the command's own number for it */
	/*
	 * One line; NULL = not listed (for tests).  What comes after an empty line is for the
	 * manual page alone.
	 */
	const char	*help;
	enum option_kind kind;		/* what its argument is */
	/*
	 * Instead of a name and a letter: these options stand here.  The help says what is special
	 * about them in this command, or is NULL.
	 */
	const struct option_group *group;
	enum option_risk risk;		/* of any value; else: */
	enum option_risk (*risk_of)(const char *value);
	const char	*danger;	/* "define a probe": what is asked; NULL: nothing special */
};

/* The end of an option's line. */
#define OPTION_HARMLESS			.risk = OPTION_RISK_NONE
#define OPTION_ASKED(what)		.risk = OPTION_RISK_ASK, .danger = (what)
#define OPTION_OF_SHELL			.risk = OPTION_RISK_SHELL
#define OPTION_JUDGED(judge, what)	.risk_of = (judge), .danger = (what)

/* A section of a command's manual page. */
struct command_section {
	const char	*title;		/* "EXIT STATUS" */
	const char	*text;
};

enum operand_kind {
	OPERANDS_FILES,
	OPERANDS_WORDS,		/* no files */
	OPERANDS_COMMAND	/* a command line: its first word ends our options */
};

struct command_def {
	const char	*name;		/* "report"; "" = browsing, which has no command word */
	const char	*operands;	/* "[FILE...]" */
	const char	*summary;	/* one line */
	bool		 is_main;	/* --help lists it; help all lists all */
	const char	*details;	/* more lines for --help and the man page; may be NULL */
	const char	*page;		/* its manual page, "ftop-trace-record"; NULL: it is
					 * in ftop-trace(1) */
	const char	*word_means;	/* what a word that is no file was probably to be:
					 * "--kind=%s"; NULL: nothing */
	const char	*examples;	/* "What it does:\n  ftop-trace ..."; may be NULL */
	const struct command_section *sections;	/* of its page, below the options; the last one
						 * has no title; NULL: none */
	unsigned int	 min_operands, max_operands;
	enum operand_kind operand_kind;
	const struct option_def *options;	/* the last entry is OPTION_END */
	/* How they are listed: all of them, each once; the last entry has no title.  NULL: in the
	 * order of options. */
	const struct option_heading *headings;
};

struct option_value {
	int		 id;
	enum option_kind kind;
	const char	*value;		/* NULL if the option has no argument; borrowed from argv */
};

struct option_list {			/* the options and operands given, in order */
	const struct command_def *command;	/* borrowed: whose they are */
	struct option_value	*values;	/* owned */
	unsigned int		 nr;
	const char		**operands;	/* owned array, strings borrowed from argv */
	unsigned int		 nr_operands;
	bool			 help;		/* --help or -h was given */
};

/*
 * As id: an option of other commands that makes no sense here.  Using it is an error, and it is not
 * listed; help says why.
 */
#define OPTION_REFUSED	(-1)

#define OPTION_END { .name = NULL, .letter = 0 }

/**
 * options_parse() - parse the words of a command line
 * @argv: [argc], the words after the command's name; options and operands may be mixed, "--" ends
 *        options
 *
 * Return: 0, or -1 with FT_E_USAGE; for an unknown long option the error names the nearest one.
 * Call options_fini() after success.
 */
int options_parse(const struct command_def *command, int argc, char **argv,
		  struct option_list *list, struct ft_error *err);
void options_fini(struct option_list *list);

/* An option by its number; NULL: the command has none. */
const struct option_def *options_by_id(const struct command_def *command, int id);
/* An option by its long name, of @len bytes; NULL: the command has none. */
const struct option_def *options_find(const struct command_def *command, const char *name,
				      size_t len);

enum option_risk options_risk(const struct option_def *option, const char *value);

/*
 * Number of words that options and their arguments take at the beginning of a command line; more
 * than @argc if the argument of the last one is missing.
 */
int options_skip(const struct command_def *command, int argc, char **argv);

/* Parse an argument that must be an integer in min..max; an error names the option. */
int options_number(const char *option, const char *value, long long min, long long max,
		   long long *out, struct ft_error *err);

/*
 * Parse an argument that must be one of some words.  Return: its index, or -1 with FT_E_USAGE
 * listing the words.
 */
int options_choice(const char *option, const char *value, const char *const *words, unsigned int nr,
		   struct ft_error *err);

/*
 * Parse a list of CPUs in trace-cmd's syntax: "0,2-4".  Sets cpus[n]; numbers above nr-1 are an
 * error.
 */
int options_cpus(const char *option, const char *value, bool *cpus, unsigned int nr,
		 struct ft_error *err);

/* --help of one command, and of the program, folded to the width of the terminal */
void options_usage(const struct command_def *command, FILE *out);
void options_overview(const struct command_def *const *commands, unsigned int nr, bool all,
		      FILE *out);
/* The options that several commands share. */
void options_help_groups(const struct option_group *const *groups, unsigned int nr, FILE *out);
/* ftop-trace(1), and the page of a command that has its own, in man(7) format */
void options_man(const struct command_def *const *commands, unsigned int nr,
		 const struct option_group *const *groups, unsigned int nr_groups, FILE *out);
void options_man_command(const struct command_def *command, FILE *out);

/* --- completion ---------------------------------------------------------- */

/* What the last word of a line is, which is being typed. */
struct option_place {
	const char	*word;		/* the whole word, without quotes; borrowed */
	const char	*typed;		/* the part of it to complete: behind "--event=" or "-e", or
					 * the last member of a list */
	const char	*argument;	/* what it is as the usage names it, "EVENT"; NULL: it is
					 * no argument of an option */
	enum option_kind kind;		/* what this argument is */
	bool		 is_option;	/* the beginning of an option */
	const char	*file;		/* the first operand before the word, else the trace that an
					 * option names; NULL: none */
	unsigned int	 nr_operands;	/* operands before the word */
};

/* @argv: [argc], the words behind the command's, at least one; mistakes in them do not matter. */
void options_place(const struct command_def *command, int argc, char **argv,
		   struct option_place *place);

/**
 * options_complete() - print what may stand there, as far as the tables know it
 *
 * The first line is ":word", a tab and the word as typed, without quotes.  Each other one is a
 * whole word that may replace it, a tab, and a few words about it or nothing.  ":files" means that
 * names of files may stand there, too, and ":commands" those of programs.
 */
void options_complete(const struct command_def *const *commands, unsigned int nr,
		      const struct command_def *command, const struct option_place *place,
		      FILE *out);

/* Print such a line if @word begins with what was typed.  @help: any bytes, up to an empty line, or
 * NULL. */
void options_offer(const struct option_place *place, const char *word, const char *help, FILE *out);

/* Levenshtein distance; 64 if a word has more than 64 bytes. */
unsigned int options_distance(const char *a, const char *b);

/* The one of some words that is nearest to a misspelt one; NULL if none is near. */
const char *options_nearest(const char *word, const char *const *words, unsigned int nr);
#endif
