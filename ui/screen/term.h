/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_TERM_H
#define FTOP_UI_SCREEN_TERM_H
/*
 * term - the terminal: reads keys and mouse, draws a canvas, and restores the terminal
 * however the program ends.  Only term.c uses curses.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"
#include "ui/screen/background.h"
#include "ui/screen/canvas.h"
#include "ui/screen/key.h"
#include "ui/screen/theme.h"

struct ui_term;				/* opaque; there is one at a time */

struct term_options {
	int	depth;			/* enum theme_depth at most; -1: what the terminal can do */
	bool	ascii;			/* even if the locale has more */
	bool	no_mouse;
	bool	ask_background;
	const char *instead;		/* the command that prints text */
};

/**
 * term_open() - take over the terminal
 *
 * Return: NULL with FT_E_UNSUPPORTED if it cannot be used (not a terminal, TERM=dumb); the message
 * names alternatives.
 */
struct ui_term *term_open(const struct term_options *options, struct ft_error *err);
void term_close(struct ui_term *term);	/* NULL is allowed */

enum theme_depth term_depth(const struct ui_term *term);	/* how many colours it has */

/*
 * What the terminal answered to options.ask_background, else what COLORFGBG says.  A late answer
 * changes it: look again after term_key().
 */
enum background term_background(const struct ui_term *term);
bool term_ascii(const struct ui_term *term);		/* by locale or options */
bool term_is_console(const struct ui_term *term);	/* Linux's: few glyphs, and mute */
void term_set_theme(struct ui_term *term, const struct theme *theme);	/* borrowed; redraws all */
void term_size(const struct ui_term *term, int *rows, int *cols);	/* cells, last known */
bool term_resized(struct ui_term *term);                                /* call after SIGWINCH;
							   true: size changed */
void term_set_mouse(struct ui_term *term, bool on);	/* no effect without a mouse */

int term_fd(const struct ui_term *term);		/* readable: there are keys */
ui_key term_key(struct ui_term *term, struct ui_mouse *mouse);	/* UI_KEY_NONE: no more for now */

void term_draw(struct ui_term *term, const struct canvas *canvas);	/* sends changed cells */
void term_redraw(struct ui_term *term);		/* the next term_draw() sends all cells */
void term_suspend(struct ui_term *term);        /* as Ctrl-Z in a shell;
							   returns on SIGCONT */

/* ^C is a signal (on), or a key.  False: the terminal is given back.  From any thread. */
bool term_set_interrupts(bool on);

/* From any thread, after term_set_interrupts(): restores the terminal, and ends by a signal. */
void term_abandon(int number);

/* Gives the terminal back for a while, so that another program can prompt; prints @words first. */
void term_leave(struct ui_term *term, const char *words);
void term_return(struct ui_term *term);

/* Copies to the clipboard by OSC 52.  False: too long for terminals (about 74 kB). */
bool term_copy(struct ui_term *term, const char *s, size_t len);
#endif
