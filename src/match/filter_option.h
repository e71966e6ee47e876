/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_FILTER_OPTION_H
#define FTOP_SRC_MATCH_FILTER_OPTION_H
/*
 * filter_option - the options that text commands share: which part of the trace (--from --to --cpu
 * --task -F), which lines of the output (--grep --count --head), those of tables and of files.
 */
#include "src/filter/filter.h"
#include "src/filter/filter_pattern.h"
#include "src/base/options.h"
#include "src/base/output.h"
#include "src/base/table_out.h"
#include "src/base/text.h"
#include "src/trace/formats_option.h"
#include "src/trace/offset_option.h"
#include "src/trace/trace.h"

/* Ids of the options below, distinct from the commands' own. */
enum {
	FILTER_OPTION_FROM = 200, FILTER_OPTION_TO, FILTER_OPTION_CPU, FILTER_OPTION_TASK,
	FILTER_OPTION_FILTER, FILTER_OPTION_NEGATE, FILTER_OPTION_COMPAT,
	FILTER_OPTION_GREP, FILTER_OPTION_COUNT, FILTER_OPTION_HEAD,
	FILTER_OPTION_SORT, FILTER_OPTION_MIN, FILTER_OPTION_UNIT, FILTER_OPTION_ASCII,
	FILTER_OPTION_FORMAT,		/* text, CSV, JSON */
	FILTER_OPTION_TABLE_FORMAT,	/* and Parquet */
};

extern const struct option_group filter_part_group, filter_rows_group, filter_table_group,
	filter_files_group;

/* How ftop-trace help options lists them. */
#define FILTER_OPTION_GROUPS \
	&filter_part_group, &filter_rows_group, &filter_table_group, &filter_files_group

/* Which part of the trace.  @what: what these options select in this command, or NULL. */
#define PART_OPTIONS(what) \
	{ .group = &filter_part_group, .help = what }
/* Which lines of the output. */
#define ROWS_OPTIONS	{ .group = &filter_rows_group }
/* For all that print by table_rows_print(). */
#define TABLE_OPTIONS	ROWS_OPTIONS, { .group = &filter_table_group }
/* For all that read traces. */
#define FILE_OPTIONS	{ .group = &filter_files_group }

/* Some of the above, for a command that cannot have the others. */
#define FROM_OPTION \
	{ .name = "from", .arg = "TIME", .id = FILTER_OPTION_FROM, \
	  .help = "only events at this time or later" }
#define TO_OPTION \
	{ .name = "to", .arg = "TIME", .id = FILTER_OPTION_TO, \
	  .help = "only events at this time or earlier" }
#define TASK_OPTION \
	{ .name = "task", .arg = "PID|NAME", .id = FILTER_OPTION_TASK, \
	  .help = "only this task (repeatable); a NAME may contain * and ?" }
#define GREP_OPTION \
	{ .name = "grep", .arg = "REGEX", .id = FILTER_OPTION_GREP, \
	  .help = "print only rows whose line matches a regular expression (pcre2)" }
#define COUNT_OPTION \
	{ .name = "count", .id = FILTER_OPTION_COUNT, .help = "print only the number of rows" }
#define HEAD_OPTION \
	{ .name = "head", .arg = "N", .id = FILTER_OPTION_HEAD, .help = "print only the first N rows" }
#define SORT_OPTION \
	{ .name = "sort", .arg = "COLUMN", .id = FILTER_OPTION_SORT, \
	  .help = "sort by this column: largest first, names from A; prefix - (or :asc) reverses" }
#define MIN_OPTION(what) \
	{ .name = "min", .arg = "TIME", .id = FILTER_OPTION_MIN, .help = what }
#define INPUT_OPTION \
	{ .name = "input", .letter = 'i', .arg = "FILE", .kind = OPTION_OPERAND, \
	  .help = "the same as FILE" }
#define ASCII_OPTION \
	{ .name = "ascii", .id = FILTER_OPTION_ASCII, \
	  .help = "print text in ASCII only, as in a locale that is not UTF-8" }

/* For a command that has no events to select: such an option is an error, with the reason @why. */
#define PART_OPTIONS_REFUSED(why) \
	{ .name = "cpu", .arg = "LIST", .id = OPTION_REFUSED, .help = why }, \
	{ .name = "filter", .letter = 'F', .arg = "EXPR", .id = OPTION_REFUSED, .help = why }, \
	{ .letter = 'v', .id = OPTION_REFUSED, .help = why }, \
	{ .name = "compat-filter", .id = OPTION_REFUSED, .help = why }
#define WINDOW_OPTIONS_REFUSED(why) \
	{ .name = "from", .arg = "TIME", .id = OPTION_REFUSED, .help = why }, \
	{ .name = "to", .arg = "TIME", .id = OPTION_REFUSED, .help = why }, \
	{ .name = "task", .arg = "PID|NAME", .id = OPTION_REFUSED, .help = why }
#define ROWS_OPTIONS_REFUSED(why) \
	{ .name = "grep", .arg = "REGEX", .id = OPTION_REFUSED, .help = why }, \
	{ .name = "count", .id = OPTION_REFUSED, .help = why }, \
	{ .name = "head", .arg = "N", .id = OPTION_REFUSED, .help = why }

#define FILTER_OPTION_CPUS	65536u

struct chosen_task {
	/* as given: PID, NAME, NAME-PID; a NAME may have * and ? */
	const char		*text;
	struct filter_pattern	*name;		/* owned */
};

struct filter_given {
	struct filter_source	*sources;	/* owned, strings borrowed; for all files */
	unsigned int		 nr, cap;
	bool			 negate;	/* -v was given: the next -F is negated */
	bool			 compat;
	bool			 count;
	bool			 several;	/* set by the command: there are several files, and
						 * some may not have what is selected */
	const char		*grep;		/* NULL = not given */
	const char		*from, *to;	/* NULL = not given */
	bool			*cpus;		/* owned, [FILTER_OPTION_CPUS]; NULL = not given */
	struct chosen_task	*tasks;		/* owned, strings borrowed: any of them */
	unsigned int		 nr_tasks, cap_tasks;
	struct filter_scratch	*scratch;	/* owned: for their names */
	struct text		 part;		/* owned: of filter_given_add_part() */
	enum table_format	 format;
	bool			 parquet;	/* format is that of CSV: the same columns */
	const char		*sort;		/* NULL = not given */
	bool			 has_head;
	long long		 head;
	bool			 has_min;
	uint64_t		 min;		/* ns, or units of the clock */
	bool			 has_unit;
	enum table_unit		 unit;
	bool			 ascii;
};

/* Handle one of the options above.  Return: 1 if it was one, 0 if not, -1 with FT_E_USAGE. */
int filter_option(struct filter_given *given, const struct option_value *value,
		  struct ft_error *err);
void filter_given_fini(struct filter_given *given);

/* Is it a task of --task, or was none given?  @comm: its name, or one that it had. */
bool filter_given_wants(const struct filter_given *given, uint32_t pid, const char *comm);

/* Is it the one that the @i-th --task names? */
bool filter_given_names(const struct filter_given *given, unsigned int i, uint32_t pid,
			const char *comm);

/* Append the tasks as an expression: 'pid == 74 || comm ~ "kworker*"'. */
void filter_given_tasks(const struct filter_given *given, struct text *out);

/*
 * For a command whose rows are events: make --task, and with @cpus --cpu, part of the filter.
 * -1 with FT_E_USAGE: not with --compat-filter.
 */
int filter_given_add_part(struct filter_given *given, bool cpus, struct ft_error *err);

/*
 * Is any of the CPUs of --cpu in the trace? @cpus: [FILTER_OPTION_CPUS], NULL: not given.  -1 with
 * FT_E_USAGE: none is.
 */
int filter_option_check_cpus(const bool *cpus, const struct trace *trace, struct ft_error *err);

/* Make a pattern for --grep; call filter_pattern_fini() afterwards.  -1 with FT_E_USAGE. */
int filter_option_grep(struct filter_pattern *m, const char *regex, struct ft_error *err);
/* Return FT_E_LIMIT if matching was abandoned; report on stderr if no line matched. */
int filter_option_given_up(const struct filter_pattern *m, struct ft_error *err);
void filter_option_tell_none(const struct filter_pattern *m);
#define FILTER_OPTION_LIMITED \
	"--grep: the regular expression took too many steps on some lines, which count as not matching"

/* Selects printed rows: those whose line --grep matches, the first ones, or only counts them. */
struct row_picker {
	uint64_t		 most;		/* --head; UINT64_MAX: all */
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

/* Has it as many rows as it may have? */
bool row_picker_is_full(const struct row_picker *picker);

/* Does --grep select a line (without its newline)? Counts it if so. */
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
