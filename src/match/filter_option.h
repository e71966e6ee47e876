/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_FILTER_OPTION_H
#define FTOP_SRC_MATCH_FILTER_OPTION_H
/*
 * filter_option - -F, -v, --compat-filter, --grep and --count, which work the same in all text
 * commands about events: -F selects events, --grep selects lines of the output, --count prints only
 * their number.  Reads --from, --to, --cpu, --format and the options of tables for those that have
 * them.
 */
#include "src/filter/filter.h"
#include "src/filter/filter_pattern.h"
#include "src/base/options.h"
#include "src/base/output.h"
#include "src/base/table_out.h"
#include "src/base/text.h"
#include "src/trace/formats_option.h"
#include "src/trace/offset_option.h"

/* Ids of the options below, distinct from the commands' own. */
enum {
	FILTER_OPTION_FILTER = 200, FILTER_OPTION_NEGATE, FILTER_OPTION_COMPAT, FILTER_OPTION_GREP,
	FILTER_OPTION_COUNT,
	/* in the command's table, if it has them */
	FILTER_OPTION_FROM, FILTER_OPTION_TO, FILTER_OPTION_CPU, FILTER_OPTION_FORMAT,
	FILTER_OPTION_TABLE_FORMAT,
	FILTER_OPTION_SORT, FILTER_OPTION_HEAD, FILTER_OPTION_UNIT, FILTER_OPTION_ASCII,
};

/* @what: what -F selects */
#define FILTER_EVENT_OPTIONS(what) \
	{ .name = "filter", .letter = 'F', .arg = "EXPR", .id = FILTER_OPTION_FILTER, \
	  .help = what }, \
	{ .letter = 'v', .id = FILTER_OPTION_NEGATE, \
	  .help = "negate each -F after this: leave out what matches" }

/*
 * As FILTER_EVENT_OPTIONS(), with the options that all tables have.  @rows: what a line is about,
 * such as "tasks".
 */
#define FILTER_OPTIONS(what, rows) \
	FILTER_EVENT_OPTIONS(what), \
	{ .name = "compat-filter", .id = FILTER_OPTION_COMPAT, \
	  .help = "read -F by trace-cmd's rules: no precedence, event names are regular expressions" }, \
	{ .name = "grep", .arg = "REGEX", .id = FILTER_OPTION_GREP, \
	  .help = "print only " rows " whose line matches a regular expression (pcre2)" }, \
	{ .name = "count", .id = FILTER_OPTION_COUNT, .help = "print only the number of " rows }

/* For a command that has no events to select: such an option is an error, with the reason @why. */
#define FILTER_OPTIONS_REFUSED(why) \
	{ .name = "filter", .letter = 'F', .arg = "EXPR", .id = OPTION_REFUSED, .help = why }, \
	{ .letter = 'v', .id = OPTION_REFUSED, .help = why }, \
	{ .name = "compat-filter", .id = OPTION_REFUSED, .help = why }, \
	{ .name = "grep", .arg = "REGEX", .id = OPTION_REFUSED, .help = why }, \
	{ .name = "count", .id = OPTION_REFUSED, .help = why }

#define FILTER_OPTION_CPUS	65536u

#define ASCII_OPTION \
	{ .name = "ascii", .id = FILTER_OPTION_ASCII, \
	  .help = "print text in ASCII only, as in a locale that is not UTF-8" }

/* Options of all commands that print a table; the rest are for those with times. */
#define TABLE_ROWS_OPTIONS \
	{ .name = "sort", .arg = "COLUMN", .id = FILTER_OPTION_SORT, \
	  .help = "sort by this column: largest first, names from A; -COLUMN or COLUMN:asc: the other way" }, \
	{ .name = "head", .arg = "N", .id = FILTER_OPTION_HEAD, .help = "print only the first N rows" }

#define TABLE_OPTIONS \
	TABLE_ROWS_OPTIONS, \
	{ .name = "unit", .arg = "ns|us|ms|s", .id = FILTER_OPTION_UNIT, \
	  .help = "unit of times in text (default: us); csv and json are always in ns" }, \
	ASCII_OPTION

/* For all that print by table_rows_print(). */
#define TABLE_FORMAT_OPTION \
	{ .name = "format", .arg = "text|csv|json|parquet", .id = FILTER_OPTION_TABLE_FORMAT, \
	  .help = "csv: a header line and rows; json: one object per line; parquet: a file with the columns of csv" }

/* The end of the table. */
#define LAST_OPTIONS \
	TABLE_FORMAT_OPTION, \
	OFFSET_OPTION, FORMATS_OPTION, OPTION_END

/* @begin: "only events", as in: only events at this time or later; @on: "only", these CPUs */
#define WINDOW_OPTIONS(begin, on) \
	{ .name = "from", .arg = "TIME", .id = FILTER_OPTION_FROM, \
	  .help = begin " at this time or later" }, \
	{ .name = "to", .arg = "TIME", .id = FILTER_OPTION_TO, \
	  .help = begin " at this time or earlier" }, \
	{ .name = "cpu", .arg = "LIST", .id = FILTER_OPTION_CPU, .help = on " these CPUs: 0,2-4" }

struct filter_given {
	struct filter_source	*sources;	/* owned, strings borrowed; for all files */
	unsigned int		 nr, cap;
	bool			 negate;	/* -v was given: the next -F is negated */
	bool			 compat;
	bool			 count;
	const char		*grep;		/* NULL = not given */
	const char		*from, *to;	/* NULL = not given */
	bool			*cpus;		/* owned, [FILTER_OPTION_CPUS]; NULL = not given */
	enum table_format	 format;
	bool			 parquet;	/* format is that of CSV: the same columns */
	const char		*sort;		/* NULL = not given */
	bool			 has_head;
	long long		 head;
	enum table_unit		 unit;
	bool			 ascii;
};

/* Handle one of the options above.  Return: 1 if it was one, 0 if not, -1 with FT_E_USAGE. */
int filter_option(struct filter_given *given, const struct option_value *value,
		  struct ft_error *err);
void filter_given_fini(struct filter_given *given);

/* Make a pattern for --grep; call filter_pattern_fini() afterwards.  -1 with FT_E_USAGE. */
int filter_option_grep(struct filter_pattern *m, const char *regex, struct ft_error *err);
/* Return FT_E_LIMIT if matching was abandoned; report on stderr if no line matched. */
int filter_option_given_up(const struct filter_pattern *m, struct ft_error *err);
void filter_option_tell_none(const struct filter_pattern *m);
#define FILTER_OPTION_LIMITED \
	"--grep: the regular expression took too many steps on some lines, which count as not matching"

/* Selects printed rows: those whose line --grep matches, or only counts them. */
struct row_picker {
	bool			 count;		/* print only the number */
	bool			 greps;
	struct filter_pattern	 grep;
	struct filter_scratch	*scratch;	/* owned */
	uint64_t		 seen, picked;	/* rows so far */
};

/* Call row_picker_fini() even after a failure.  -1 with FT_E_USAGE. */
int row_picker_init(struct row_picker *picker, const struct filter_given *given,
		    struct ft_error *err);
void row_picker_fini(struct row_picker *picker);

/* Is a line (without its newline) selected? Counts it if so. */
bool row_picker_wants(struct row_picker *picker, const char *line, size_t len);

/*
 * A row is in @out from @start on: remove it if it is not selected, or only counted. Return:
 * whether it stays.
 */
bool row_picker_row(struct row_picker *picker, struct text *out, size_t start);

/*
 * Call it after the last row, or after a failure (@ret: -1, with @err set): prints the number if
 * requested, and ends the output.
 * Return: 0, or -1 with FT_E_LIMIT (the regular expression was given up) or FT_E_IO.
 */
int row_picker_end(const struct row_picker *picker, struct output *out, int ret,
		   struct ft_error *err);

/* At the end, report on stderr if no row matched, or if a regular expression was cut off. */
void row_picker_tell(const struct row_picker *picker);
#endif
