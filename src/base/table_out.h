/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_TABLE_OUT_H
#define FTOP_SRC_BASE_TABLE_OUT_H
/*
 * table_out - columns of a model's rows, and printing the rows as text, CSV and JSON.
 *
 * Each model has one list of columns (task_columns.c, function_columns.c, …).  Commands print it
 * with table_out; the screen takes titles, widths and values from the same list.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/base/time_math.h"

#define TABLE_MOST_COLUMNS	64u
#define TABLE_NONE		"–"	/* shown in text and on the screen if there is no value */

enum table_format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };
/* Parse the value of option --format; -1 with FT_E_USAGE. */
int table_format_parse(const char *value, enum table_format *format, struct ft_error *err);

enum table_kind {
	TABLE_STRING,			/* untrusted bytes */
	TABLE_RAW,			/* JSON, printed unchanged */
	TABLE_NUMBER,			/* signed; plain digits */
	TABLE_COUNT,			/* unsigned; in groups of three on the screen */
	TABLE_TIME,			/* signed, in ns or in units of the clock; in text, 0
					 * means no value */
	TABLE_DURATION,			/* unsigned, in ns */
	TABLE_BOOL,
	TABLE_SHARE,			/* screen only: a time, as a percentage of the span */
	TABLE_PART,			/* screen only: a count, as a percentage of all */
	TABLE_RATE,			/* screen only: a count per second */
	TABLE_TIMES,			/* screen only: B divided by A */
	TABLE_PERCENT,			/* per cent of the member .whole; in text and on the
					 * screen */
	TABLE_DELTA,			/* signed, a change of a time, with its sign; in text and on
					 * the screen, 0 means no value */
	TABLE_RATIO,			/* in millionths; ×0.6 in text and on the screen, 0.6 in CSV
					 * and JSON */
	TABLE_MOMENT,			/* a ts: as TABLE_NUMBER; in text in s, unless it is in
					 * units of the clock; on the screen as a time */
	TABLE_CLOCK,			/* table_out.clock, the same in each row; left out if that
					 * is NULL */
};

enum table_align { TABLE_RIGHT, TABLE_LEFT };

/*
 * On the screen, where there is room, the column that rows are sorted by has bars, if it has
 * counts, durations or shares, or TABLE_BAR_TOO.  Else the last with TABLE_BAR_TOO has them.
 */
enum table_bar { TABLE_BAR, TABLE_BAR_TOO, TABLE_NO_BAR };

/*
 * In a comparison: the side that the column shows, or that it divides B by A.  A and B are two
 * files, or the rest of the trace and the range.
 */
enum table_side { TABLE_OF_ROW, TABLE_A, TABLE_B, TABLE_B_BY_A, TABLE_SIDES };

/* What the true figure is, if records of it are missing: events were lost, it is marked with ~. */
enum table_bound {
	TABLE_EITHER,			/* not known; the figure is that of what was recorded */
	TABLE_AT_LEAST,			/* this, or more */
	TABLE_AT_MOST,			/* this, or less */
};

/* How JSON shows that there is no value.  CSV has an empty field, text "–". */
enum table_absent { TABLE_NULL, TABLE_OMIT };	/* null; the member is left out */

struct table_member {			/* a member of the row, or of a struct it points to */
	unsigned int	 through;	/* 1 + offset of that pointer; 0 = a member of the row */
	unsigned int	 offset, size;	/* bytes; 0 = there is none */
};

struct table_column {
	const char	*name;		/* in CSV and JSON, part of the interface: "run_ns"; NULL
					 * = in neither */
	const char	*title;		/* in text and on the screen */
	const char	*group;		/* on the screen, and in text if the list is grouped: what
					 * the title is of ("wait" before "p99"); NULL = nothing */
	enum table_side	 side;		/* table_columns.sides[side] is the title, if set */
	int		 width;		/* minimum width in text, in cells; 0 = not in text */
	int		 cells;		/* as width, on the screen, with the blanks before it; all
					 * without .goes_first should take at most 79 */
	bool		 marked;	/* on the screen: a duration with its mark and colour */
	bool		 fills;		/* on the screen: it gets the room that is left */
	bool		 no_zero;	/* on the screen: 0 is shown as – */
	enum table_bar	 bar;
	bool		 goes_first;	/* the first to be dropped if the screen is too narrow */
	enum table_kind	 kind;
	enum table_align align;		/* in text; of words also on the screen */
	enum table_absent absent;
	int		 gap;		/* blanks before it in text, in addition to the list's
					 * gap; may be negative */
	unsigned int	 place;		/* position in text, CSV and JSON, from 1, if it differs
					 * from the screen's; 0 = as listed */
	enum table_format only;		/* FORMAT_CSV, FORMAT_JSON: only in that format; 0 = in
					 * both */
	/* The value: a member (TABLE_MEMBER), or the result of one of these. */
	struct table_member value;	/* a string is a const char *, NULL = no value */
	struct table_member whole;	/* TABLE_WHOLE */
	int64_t		(*number)(const void *row);	/* for unsigned kinds: the same bits */
	void		(*text)(const void *row, struct text *out);	/* appends the value; for
									 * a number: its form in
									 * text */
	/* Does the row have a value?  A member (TABLE_IF), or a function; neither = it has one. */
	struct table_member has;
	bool		(*known)(const void *row);
	/* Do text and the screen put a ~ before it?  A member (TABLE_DOUBT), or a function, if it
	 * may be more or less whatever the bound. */
	struct table_member doubt;
	bool		(*doubtful)(const void *row);
	struct table_member least;	/* or a >, TABLE_LEAST: it may be more */
	enum table_bound bound;
	bool		 apart;		/* counts what the other figures of the row lack: those
					 * are bounds, too, if it is not 0 */
	int		 own;		/* defined by the model */
	unsigned int	 needs;		/* bits defined by the model: data that must have been
					 * recorded for the screen to show it */
	const char	*lacking;	/* its title if they were not; NULL: it is left out then */
	const char	*help;		/* NULL = the title is sufficient */
};

struct table_columns {
	const struct table_column *list;	/* [nr] */
	unsigned int	 nr;		/* at most TABLE_MOST_COLUMNS */
	int		 gap;		/* blanks between columns in text */
	unsigned int	 lacks;		/* bits of .needs: what was not recorded */
	bool		 grouped;	/* text has a line of groups above the titles */
	const char	*sides[TABLE_SIDES];	/* borrowed: titles by column.side; NULL: the
						 * column's own */
	bool		 bare;		/* text has no titles, nor names of files */
	bool		 clocked;	/* durations have the unit of the clock, as times do */
	bool		 in_ns;		/* no time is of the clock: all are in ns, to the last
					 * digit */
	bool		 exact;		/* in JSON, numbers that a double cannot represent are
					 * strings, unless they are times */
};

#define TABLE_AT(type, member) \
	{ .offset = offsetof(type, member), .size = sizeof(((type *)0)->member) }
#define TABLE_THROUGH(type, pointer, member) \
	{ .through = 1 + offsetof(type, pointer), \
	  .offset = offsetof(__typeof__(*((type *)0)->pointer), member), \
	  .size = sizeof(((type *)0)->pointer->member) }
#define TABLE_MEMBER(type, member) .value = TABLE_AT(type, member)
#define TABLE_WHOLE(type, member) .whole = TABLE_AT(type, member)
/* JSON alone needs the name of a clock without a unit. */
#define TABLE_CLOCK_AT(at) \
	{ .name = "clock", .kind = TABLE_CLOCK, .only = FORMAT_JSON, .place = (at) }
/* A figure of A and of B; the member or function and kind follow. */
#define TABLE_COMPARED(word, meaning, width, ...) \
	{ .title = "A", .group = word, .side = TABLE_A, .cells = (width), .help = meaning, \
	  __VA_ARGS__ }, \
	{ .title = "B", .group = word, .side = TABLE_B, .cells = (width), .help = meaning, \
	  __VA_ARGS__ }
#define TABLE_COMPARED_TIMES(word, ...) \
	{ .title = "B/A", .group = word, .side = TABLE_B_BY_A, .cells = 8, .kind = TABLE_TIMES, \
	  .help = "B divided by A, or the range by the rest", __VA_ARGS__ }
/* There is a value, or it is doubtful, if this member is not 0. */
#define TABLE_IF(type, member) .has = TABLE_AT(type, member)
#define TABLE_DOUBT(type, member) .doubt = TABLE_AT(type, member)
#define TABLE_LEAST(type, member) .least = TABLE_AT(type, member)
/* Use a member of a struct that the row's member @pointer points to. */
#define TABLE_MEMBER_OF(type, pointer, member) .value = TABLE_THROUGH(type, pointer, member)
#define TABLE_IF_OF(type, pointer, member) .has = TABLE_THROUGH(type, pointer, member)
#define TABLE_DOUBT_OF(type, pointer, member) .doubt = TABLE_THROUGH(type, pointer, member)
#define TABLE_COLUMNS(array) .list = (array), .nr = sizeof(array) / sizeof((array)[0])

/* Units of times in text.  They are exact to the ns, so that sort(1) sorts them. */
/* TABLE_BY_SIZE: each time has its own, as on the screen. */
enum table_unit { TABLE_US, TABLE_NS, TABLE_MS, TABLE_S, TABLE_BY_SIZE };
/* Parse the value of option --unit; -1 with FT_E_USAGE. */
int table_unit_parse(const char *value, enum table_unit *unit, struct ft_error *err);

struct table_out {			/* opaque, but for unit, file, window, clock, is_coarse */
	enum table_unit	 unit;
	const char	*file;		/* borrowed: in CSV and JSON a first column has this name,
					 * if not NULL */
	const struct time_range *window;	/* borrowed: in CSV, the first columns are its
						 * from_ns and to_ns, if not NULL */
	const char	*clock;		/* borrowed: TABLE_CLOCK */
	const struct table_columns *columns;
	/* [nr], in the order of the output */
	const struct table_column *shown[TABLE_MOST_COLUMNS];
	unsigned int	 nr;
	enum table_format format;
	bool		 unitless;	/* times are in units of a clock, not ns */
	bool		 is_coarse;	/* whole µs have no digits below */
	struct text	 cell;
};

/* The columns are borrowed.  @unitless: times are in units of a clock, and printed as numbers. */
void table_out_init(struct table_out *t, const struct table_columns *columns,
		    enum table_format format, bool unitless);
void table_out_fini(struct table_out *t);

/* the line of titles or names; nothing for JSON */
void table_out_heading(const struct table_out *t, struct text *out);
void table_out_row(struct table_out *t, const void *row, struct text *out);	/* a line */

/*
 * The column with a name of CSV, with or without its unit, or with a title of text ("max wake" or
 * "max_wake"); NULL with FT_E_USAGE, which lists the columns.  Those that are printed are found
 * first, and listed: a name can be that of one column in text, and of another one in CSV.
 */
const struct table_column *table_out_find(const struct table_columns *columns,
					  enum table_format format, const char *option,
					  const char *name, struct ft_error *err);

/*
 * That of --sort=@sort: "latency", "-latency", "latency:asc"; NULL as above.  @sign: set to 1 if
 * the smallest comes first, else -1
 */
const struct table_column *table_out_sorted_by(const struct table_columns *columns,
					       enum table_format format, const char *sort,
					       int8_t *sign, struct ft_error *err);

/* Index of the column with .own; it must have one. */
unsigned int table_column_own(const struct table_columns *columns, int own);

/* false: the row has no value in this column */
bool table_out_known(const struct table_column *column, const void *row);

/* What stands before the value in text and on the screen: ~ (doubtful), > (may be more) or 0. */
char table_out_mark(const struct table_column *column, const void *row);

bool table_column_is_string(const struct table_column *column);

/* Is it left out, because of what was not recorded? */
bool table_column_is_out(const struct table_column *column, unsigned int lacks);
/* Its title, which may tell of what was not recorded, or name a side of a comparison. */
const char *table_column_heading(const struct table_columns *columns,
				 const struct table_column *column, unsigned int lacks);
/* Append the title with its group: "wait p99". */
void table_column_title(const struct table_columns *columns, const struct table_column *column,
			struct text *out);

/* Append a string. */
void table_out_string(const struct table_column *column, const void *row, struct text *out);

/* not for strings */
int64_t table_out_number(const struct table_column *column, const void *row);
/* The value of a TABLE_PERCENT column, in per cent; 0 of nothing is 0 %. */
double table_out_percent(const struct table_column *column, const void *row);

/*
 * The value as CSV has it, also that of a text that is a number (available_percent).  False: it has
 * none, or is a string.
 */
bool table_out_figure(const struct table_column *column, const void *row, double *figure);
/*
 * Between which numbers the true figure is, by what the table tells of missing records.  Without a
 * figure: between 0 and infinity.  @lost: events of the trace were lost.
 */
void table_out_bounds(const struct table_columns *columns, const struct table_column *column,
		      const void *row, bool lost, double *least, double *most);

/*
 * Append a value as in text; nothing for kinds that need more than the row.  @groups: group the
 * digits of counts.
 */
void table_out_value(const struct table_column *column, const void *row, bool unitless, bool groups,
		     struct text *out);

/* "×0.60" */
void table_out_ratio(double ratio, struct text *out);
/* "0.6", of millionths: TABLE_RATIO in CSV and JSON */
void table_out_decimal(int64_t millionths, struct text *out);
#endif
