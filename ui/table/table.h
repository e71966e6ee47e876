/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_TABLE_TABLE_H
#define FTOP_UI_TABLE_TABLE_H
/*
 * table - a list of rows on the screen: cursor, scrolling, sorting by a column, columns that fit,
 * search in names, copies, mouse, the range beside the rest of the trace.  table.c has the rows and
 * keys, table_cells.c the values, table_draw.c what is drawn.
 *
 * The owner fills in a struct table, sets its columns (src/base/table_out.h), and describes rows by
 * table_ops.  Rows are numbered from 0 in the owner's order.  Lines are what the screen shows:
 * sorted rows and, if the owner has them, lines below an open row.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/table_out.h"
#include "src/match/search.h"
#include "ui/rows/shared.h"
#include "ui/screen/canvas.h"
#include "ui/screen/key.h"
#include "ui/screen/list_window.h"
#include "ui/screen/request.h"
#include "ui/view/host.h"

#define TABLE_MADE_BYTES	1280u

struct table_made {			/* how a row is wanted, and room to put it together */
	bool		rest;		/* the row as it is in the rest of the trace */
	/* Files and columns of words: where words of the row may be made.  NULL: not needed. */
	struct text	*words;
	uint64_t	room[TABLE_MADE_BYTES / sizeof(uint64_t)];
};

/* @owner is the owner of the table.  Functions may be NULL only where noted. */
struct table_ops {
	uint32_t	(*nr_rows)(const void *owner);		/* NULL: table.array_nr */
	bool		(*is_shown)(const void *owner, uint32_t row);	/* NULL: all are */
	/* identifies the row: the cursor stays on it.  NULL: its number */
	uint64_t	(*key)(const void *owner, uint32_t row);
	/* the row of the tree that it is in; UINT32_MAX: none.  NULL: rows are no tree */
	uint32_t	(*parent)(const void *owner, uint32_t row);
	/* adds what stands before the name in its cell; may be NULL */
	void		(*lead)(const void *owner, uint32_t row, struct text *out);
	/* printable.  NULL: the cell of the first column */
	void		(*name)(const void *owner, uint32_t row, struct text *out);

	/*
	 * The row as its columns read it, or put together in made->room.  NULL: there is none.
	 * The function may be NULL: it is the row of table.array.
	 */
	const void	*(*row)(const void *owner, uint32_t row, struct table_made *made);
	/* NULL: all that have cells, and nothing that the table lacks */
	bool		(*has_column)(const void *owner, const struct table_column *column);
	/* heading of the name or a column.  NULL, or NULL returned: the column's own */
	const char	*(*title)(const void *owner, const struct table_column *column);
	/* adds to a cell what belongs on the screen only, in @cells; may be NULL */
	void		(*add_to_cell)(const void *owner, uint32_t row,
				       const struct table_column *column, int cells,
				       struct text *out);
	/* NULL: by its mark */
	enum role	(*role)(const void *owner, uint32_t row, const struct table_column *column);
	/* *is_task: the name is comm-pid, else that of a function, say.  NULL: ROLE_TEXT */
	enum role	(*name_role)(const void *owner, uint32_t row, bool *is_task);
	bool		(*is_dim)(const void *owner, uint32_t row);	/* NULL: none is */
	/* behind all others, whatever its figures are, unless names are sorted.  NULL: none is */
	bool		(*is_last)(const void *owner, uint32_t row);

	/* Lines below an open row: all NULL, or none. */
	/* how many, and below which row */
	uint32_t	(*nr_below)(const void *owner, uint32_t *row);
	/* the i-th, printable */
	void		(*below)(const void *owner, uint32_t i, struct text *out, enum role *role);
	/* identifies it: the cursor stays on it.  NULL: its number */
	uint64_t	(*below_key)(const void *owner, uint32_t i);

	/* Enter, or a double click, on the cursor's line */
	void		(*enter)(void *owner);
	/*
	 * for messages of copies: "row" (NULL: "the row"), "the name"; and of searches: "function"
	 * (NULL: "row")
	 */
	const char	*row_word, *figure_word, *found_word;
};

#define TABLE_WIDE	120		/* cells of the screen */

/* What the user chose for a list of columns. */
struct table_order {
	unsigned int	 column;	/* index in the list; 0: by name */
	bool		 inverted;
	uint64_t	 hidden;	/* bit i: column i is not shown */
};

struct table_heading {			/* a heading on the screen */
	unsigned int	 column;
	int		 end;		/* the cell after it */
};

struct table {				/* zero it and set these: */
	const struct table_ops *ops;
	void		*owner;
	const struct view_host *host;	/* borrowed */
	const struct shared *shared;	/* borrowed */
	/* borrowed; the first column is the name.  [1]: the comparison's; NULL: there is none */
	const struct table_columns *lists[2];
	struct table_order *orders;	/* borrowed, [2] as lists are */
	const void	*array;		/* borrowed: [array_nr] rows of array_bytes each, if
					   they are in an array */
	uint32_t	 array_nr;
	size_t		 array_bytes;
	bool		 comparing;	/* the range is compared with the rest of the trace */
	unsigned int	 lacks;		/* bits of table_column.needs: such columns are not shown */
	int64_t		 span[2];	/* ns of the range and of the rest, for rates and
					   TABLE_SHARE; 0: not known */
	unsigned int	 file;		/* the file that the rows are from */
	uint64_t	 whole[2];	/* TABLE_PART is a part of this; 0: not known */
	int		 name_least, name_most;	/* cells of the name; from TABLE_WIDE cells on,
						   the longest one has room before columns */
	int		 margin;	/* free cells on the right */
	const char	*row_name;	/* "sample": for the header, if the view has none */
	unsigned int	 figure;	/* column of lists[0] that y v copies; 0: the name */
	unsigned int	 name_pad;	/* cells of the name in a row as text */
	bool		 ties_stay;	/* rows with equal numbers stay in the owner's
					   order when the order is inverted */

	/* table_update() sets the rest */
	const struct table_columns *columns;	/* lists[0], or compared */
	struct table_columns compared;	/* lists[1], titled by what is compared */
	char		 side_names[2][64];	/* titles of A and B */
	enum table_side	 own;		/* in a comparison: the side that the rows are from */
	struct table_order *order;
	uint32_t	 nr;		/* rows that are shown */
	struct list_window window;	/* its lines on the screen */
	unsigned int	 side;		/* columns after the name scrolled out to the left */
	bool		 has_here;	/* the cursor was moved: it stays on its row */
	uint64_t	 here;		/* key of the row that the cursor stays on */
	bool		 is_below;	/* it stays on the line below that row with this key: */
	uint64_t	 below_here;
	uint32_t	*rows;		/* owned, [nr]: the rows in their order */
	uint32_t	 nr_lines;	/* when the cursor's row was last found */
	int		 longest;	/* cells of the longest name, up to name_most */
	uint32_t	 largest[TABLE_MOST_COLUMNS];	/* row with the largest
							   number of each column */
	struct table_heading headings[TABLE_MOST_COLUMNS];	/* as drawn last, from the left */
	unsigned int	 nr_headings;
	bool		 is_cut;	/* columns on the right had no room */
};

void table_fini(struct table *table);
void table_home(struct table *table);		/* moves the cursor to the first line */

/*
 * Call when rows, columns or the order changed: filters and sorts rows again, and finds the
 * cursor's row.
 */
void table_update(struct table *table);

uint32_t table_nr_lines(const struct table *table);
/* The same; lines below an open row may come and go: the cursor stays on its row. */
uint32_t table_count_lines(struct table *table);
/* row of a line, or the row it is below */
uint32_t table_row(const struct table *table, uint32_t line);
/* true: the line is the i-th below a row */
bool table_is_below(const struct table *table, uint32_t line, uint32_t *i);
/* the line of the row at a place in the order */
uint32_t table_line(const struct table *table, uint32_t place);
/* Append "sample 3 of 236", with row_name; nothing if there are no rows. */
void table_header(const struct table *table, struct text *out);
/* place in the order of a line's row */
uint32_t table_place(const struct table *table, uint32_t line);

void table_select(struct table *table, int64_t line);		/* this line, or the nearest */
bool table_select_key(struct table *table, uint64_t key);	/* false: no such row is shown */
/*
 * The rows are complete again, of a trace that has grown.  Tell that the cursor's row is not among
 * them any more, and go to the first one: no other takes its place unnoticed.
 */
void table_leave_gone(struct table *table);
/* false: not a request for tables */
bool table_request(struct table *table, enum request request, char letter);
void table_mouse(struct table *table, const struct ui_mouse *mouse);
/* Searches names and words; wraps around; says which match of how many it is. */
bool table_find(struct table *table, const struct find *find);

/*
 * Begins or ends the comparison, until the next table_update().  False: there is nothing to
 * compare, and it has said why.
 */
bool table_compare(struct table *table);

/* does the owner have the column?  The user may have hidden it */
bool table_offers(const struct table *table, unsigned int column);
/* does the table have a column, and show it where there is room? */
bool table_has_column(const struct table *table, unsigned int column);
/* the chosen column, if the table has it */
unsigned int table_sorted_by(const struct table *table);
/* Rows can be sorted by name, by columns with numbers, and by those with words. */
bool table_can_sort(const struct table *table, unsigned int column);
/* Sorts by the column, the largest first, and shows it; the cursor goes to the first row. */
void table_sort(struct table *table, unsigned int column);
void table_toggle_column(struct table *table, unsigned int column);	/* shows or hides it */
/*
 * The order as lines of a key and a column ("sort max_wakeup_ns", "hide migrations"), for struct
 * view_kept.
 */
void table_save(const struct table *table, struct text *out);
void table_restore(struct table *table, const char *key, const char *value);

/* table_cells.c */
void table_name(const struct table *table, uint32_t row, struct text *out);
uint64_t table_key(const struct table *table, uint32_t row);
/* the number to sort by; NaN: none */
double table_number(const struct table *table, uint32_t row, const struct table_column *column);
void table_cell(const struct table *table, uint32_t row, const struct table_column *column,
		struct text *out);
enum role table_role(const struct table *table, uint32_t row, const struct table_column *column);
/* "<0.1", in percent; – of nothing */
void table_share(double part, double whole, struct text *out);
/* ">12.3", in percent, rounded down: a lower bound stays one */
void table_share_least(double part, double whole, struct text *out);
bool table_has_words(const struct table_column *column);	/* neither a number nor a picture */
/* table.figure of the row */
void table_figure(const struct table *table, uint32_t row, struct text *out);
/* all columns but pictures, for copies and files */
void table_row_text(const struct table *table, uint32_t row, struct text *out);
/*
 * Begins a file of the rows, in their order: as text, or as a command prints them.  Return: false
 * if the columns are for the screen alone.  @out: for table_file_row(), and then for
 * table_out_fini().
 */
bool table_file_begin(const struct table *table, enum table_format format, struct table_out *out,
		      struct text *text);
/* Adds the i-th row; false: there are no more. */
bool table_file_row(const struct table *table, uint64_t i, struct table_out *out,
		    struct text *text);
/* A number that changes when the table gets other rows or another order. */
uint64_t table_state(const struct table *table);

/* Draws headings and lines on @rows rows of the canvas, from @top on. */
void table_draw(struct table *table, struct canvas *canvas, int top, int rows);
#endif
