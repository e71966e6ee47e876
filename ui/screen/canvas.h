/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_CANVAS_H
#define FTOP_UI_SCREEN_CANVAS_H
/*
 * canvas - a grid of cells that views draw into.  It knows roles but no colours
 * and no terminal; it can print itself as text for tests.
 *
 * Text that reaches a canvas is printable UTF-8: what comes from a trace has passed
 * text_printable().  As a second line of defence the canvas shows '?' for whatever
 * a terminal could obey.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/text.h"
#include "ui/screen/theme.h"

/* a character and what combines with it; more is left out */
#define CANVAS_GLYPH_BYTES 13

struct canvas_cell {
	char	glyph[CANVAS_GLYPH_BYTES];	/* UTF-8, NUL-ended; "" in the
						   right half of a wide one */
	uint8_t	width;			/* 1 or 2; 0: right half of the cell before */
	uint8_t	role;			/* enum role */
	uint8_t	over;			/* enum role laid over it, ROLE_TEXT: none */
	bool	filled;			/* the role's colour is its background's */
};

struct canvas {
	int			 rows, cols;
	bool			 ascii;	/* glyphs are replaced by ASCII ones */
	bool			 plain;		/* no role has a colour */
	bool			 console;	/* glyphs are replaced by the Linux console's */
	struct canvas_cell	*cells;	/* owned, [rows * cols] */
	/* the terminal's cursor; -1: hidden */
	int			 cursor_row, cursor_col;
};

void canvas_init(struct canvas *canvas, int rows, int cols);
void canvas_fini(struct canvas *canvas);
void canvas_resize(struct canvas *canvas, int rows, int cols);	/* contents are cleared */
void canvas_clear(struct canvas *canvas);
const struct canvas_cell *canvas_at(const struct canvas *canvas, int row, int col);

/**
 * canvas_text() - draw text, at most @cells wide, clipped at the right edge
 *
 * Return: cells used.  A wide character that does not fit whole becomes a blank.
 */
int canvas_text(struct canvas *canvas, int row, int col, int cells, enum role role, const char *s);
int canvas_bytes(struct canvas *canvas, int row, int col, int cells, enum role role, const char *s,
		 size_t len);

/* Draws text, with '…' in the last cell if it does not fit. */
int canvas_fit(struct canvas *canvas, int row, int col, int cells, enum role role, const char *s);

/* Draws text right-aligned in the cells; if too long, its end is cut with '…'. */
void canvas_right(struct canvas *canvas, int row, int col, int cells, enum role role,
		  const char *s);

/* Bytes of a sentence that fit on one line, in whole words; a unit stays with its number. */
size_t canvas_line(const char *s, int cells);
int canvas_lines(const char *s, int cells);	/* how many such lines it needs */

/*
 * Draws a sentence in such lines on rows from @row on, before @end; ends in '…' if it does not fit.
 */
void canvas_words(struct canvas *canvas, int row, int end, const char *s);

void canvas_fill(struct canvas *canvas, int row, int col, int cells, enum role role,
		 const char *glyph);
/* Fills a cell with the role's colour: "█" whole, any other character as text in it. */
void canvas_fill_cell(struct canvas *canvas, int row, int col, enum role role, const char *glyph);
/* Draws text in cells that are filled like that.  Return: how many it takes. */
int canvas_fill_text(struct canvas *canvas, int row, int col, int cells, enum role role,
		     const char *s);
/* lays a role over cells */
void canvas_over(struct canvas *canvas, int row, int col, int cells, enum role over);
/* lays a role over cells, and draws the sign of the cursor in the first */
void canvas_cursor(struct canvas *canvas, int row, int col, int cells, enum role over);

/* Cells that text takes. */
int canvas_width(const char *s, size_t len);

/* Bytes of @s that fit into @cells; the cells they take in *used (may be NULL). */
size_t canvas_prefix(const char *s, size_t len, int cells, int *used);

/* The rows as text, without blanks at their ends. */
void canvas_print(const struct canvas *canvas, struct text *out);
#endif
