/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_TERM_H
#define FTOP_UI_TERM_H
/*
 * term - the terminal: keys and mouse in, a canvas out, and everything put back at
 * the end, however it comes.  The only file that knows curses.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"
#include "ui/screen/canvas.h"
#include "ui/screen/key.h"
#include "ui/screen/theme.h"

struct ui_term;				/* opaque; there is one at a time */

struct term_options {
	int	depth;			/* enum theme_depth at most; -1: what the terminal can do */
	bool	ascii;			/* also where the locale could do more */
	bool	no_mouse;
};

/**
 * term_open() - take the terminal over
 *
 * Return: NULL with FT_E_UNSUPPORTED where it cannot be used (not a terminal, TERM=dumb), naming what can be.
 */
struct ui_term *term_open(const struct term_options *options, struct ft_error *err);
void term_close(struct ui_term *term);	/* NULL is allowed */

enum theme_depth term_depth(const struct ui_term *term);	/* of colours, as far as terminal and options go */
bool term_ascii(const struct ui_term *term);		/* the locale or the options have no other characters */
void term_set_theme(struct ui_term *term, const struct theme *theme);	/* borrowed; draws all anew */
void term_size(const struct ui_term *term, int *rows, int *cols);	/* in cells, as last asked */
bool term_resized(struct ui_term *term);		/* after SIGWINCH: asks the terminal; true if it changed */
void term_set_mouse(struct ui_term *term, bool on);	/* nothing happens where the terminal has none */

int term_fd(const struct ui_term *term);		/* readable: there are keys */
ui_key term_key(struct ui_term *term, struct ui_mouse *mouse);	/* UI_KEY_NONE: no more for now */

void term_draw(struct ui_term *term, const struct canvas *canvas);	/* sends the cells that are others than before */
void term_redraw(struct ui_term *term);		/* trust nothing of what it shows: at the next term_draw() all is sent */
void term_suspend(struct ui_term *term);		/* stops the process as Ctrl-Z does; returns when it goes on */

/* The terminal is the shell's for a while, so that another program can ask there; @words are said first. */
void term_leave(struct ui_term *term, const char *words);
void term_return(struct ui_term *term);

/* To the clipboard by OSC 52.  False: too long for terminals (about 74 kB). */
bool term_copy(struct ui_term *term, const char *s, size_t len);
#endif
