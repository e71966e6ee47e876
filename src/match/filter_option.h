/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_OPTION_H
#define FTOP_SRC_FILTER_OPTION_H
/*
 * filter_option - -F, -v, --compat-filter, --grep and --count, which all text commands about events take and
 * understand alike: -F says which events are asked for, --grep which of the lines made of them are printed,
 * --count that only their number is.
 */
#include "src/filter/filter.h"
#include "src/filter/filter_match.h"
#include "src/base/options.h"
#include "src/base/output.h"
#include "src/base/text.h"

/* Ids of the options below: the command's own are others. */
enum { FILTER_OPTION_FILTER = 200, FILTER_OPTION_NEGATE, FILTER_OPTION_COMPAT, FILTER_OPTION_GREP, FILTER_OPTION_COUNT };

/* @what -F chooses; @rows: what a line is about, "tasks". */
#define FILTER_OPTIONS(what, rows) \
	{ .name = "filter", .letter = 'F', .arg = "EXPR", .id = FILTER_OPTION_FILTER, .help = what }, \
	{ .letter = 'v', .id = FILTER_OPTION_NEGATE, .help = "the -F behind it leave out what matches" }, \
	{ .name = "compat-filter", .id = FILTER_OPTION_COMPAT, \
	  .help = "-F by trace-cmd's own rules: no precedence, regular expressions as names of events" }, \
	{ .name = "grep", .arg = "REGEX", .id = FILTER_OPTION_GREP, \
	  .help = rows " whose line matches a regular expression (pcre2), as it would be printed" }, \
	{ .name = "count", .id = FILTER_OPTION_COUNT, .help = "print how many " rows " there are, and nothing else" }

/* The same of a command that has no events to choose from: refused, and @why. */
#define FILTER_OPTIONS_REFUSED(why) \
	{ .name = "filter", .letter = 'F', .arg = "EXPR", .id = OPTION_REFUSED, .help = why }, \
	{ .letter = 'v', .id = OPTION_REFUSED, .help = why }, \
	{ .name = "compat-filter", .id = OPTION_REFUSED, .help = why }, \
	{ .name = "grep", .arg = "REGEX", .id = OPTION_REFUSED, .help = why }, \
	{ .name = "count", .id = OPTION_REFUSED, .help = why }

struct filter_given {
	struct filter_source	*sources;	/* owned, strings borrowed; of all files */
	unsigned int		 nr, cap;
	bool			 negate;	/* -v was given: what follows it is negated */
	bool			 compat;
	bool			 count;
	const char		*grep;		/* NULL = not given */
};

/* One of the options above: 1 if it was one, 0 if not, -1 with FT_E_USAGE. */
int filter_option(struct filter_given *given, const struct option_value *value, struct ft_error *err);
void filter_given_fini(struct filter_given *given);

/* --grep as a matcher, to be ended by filter_matcher_fini(); -1 with FT_E_USAGE. */
int filter_option_grep(struct filter_matcher *m, const char *regex, struct ft_error *err);
/* It was given up, which fails with FT_E_LIMIT; and: no line matched, on stderr. */
int filter_option_given_up(const struct filter_matcher *m, struct ft_error *err);
void filter_option_tell_none(const struct filter_matcher *m);
#define FILTER_OPTION_LIMITED \
	"--grep: the regular expression took too many steps for some lines; they count as not matching"

/* Rows as they are printed: those whose line --grep matches, or only their number. */
struct row_picker {
	bool			 count;		/* nothing is printed but the number */
	bool			 greps;
	struct filter_matcher	 grep;
	struct filter_scratch	*scratch;	/* owned */
	uint64_t		 seen, picked;	/* rows so far */
};

/* To be ended by row_picker_fini(), also where it fails.  -1 with FT_E_USAGE. */
int row_picker_init(struct row_picker *picker, const struct filter_given *given, struct ft_error *err);
void row_picker_fini(struct row_picker *picker);

/* Is a line wanted?  Its newline is no part of it.  Counts it then. */
bool row_picker_wants(struct row_picker *picker, const char *line, size_t len);

/* A row stands in @out from @start on: take it away where it is not wanted, or only counted.  Return: whether it stands. */
bool row_picker_row(struct row_picker *picker, struct text *out, size_t start);

/*
 * Behind the last row, or where it failed (@ret: -1, and @err says why): the number, where it is asked for, and the end of the
 * output.  Return: 0, or -1 with FT_E_LIMIT (the regular expression was given up) or FT_E_IO.
 */
int row_picker_end(const struct row_picker *picker, struct output *out, int ret, struct ft_error *err);

/* When all is printed: say on stderr that it matched no row, or was cut off. */
void row_picker_tell(const struct row_picker *picker);
#endif
