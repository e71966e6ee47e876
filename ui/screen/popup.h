/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_POPUP_H
#define FTOP_UI_SCREEN_POPUP_H
/*
 * popup - a list of lines over the view: to read (help, messages) or to choose from (marks,
 * columns, options). It has no loop: the caller passes keys.
 */
#include <stdbool.h>
#include "src/base/text.h"
#include "ui/screen/canvas.h"
#include "ui/screen/key.h"
#include "ui/screen/list_window.h"
#include "ui/screen/request.h"

#define POPUP_TITLE_BYTES 96

struct popup_line {
	char	*text;			/* owned, printable */
	int	 value;			/* the owner's */
	bool	 heading;		/* cannot be chosen */
	char	*head, *words;		/* owned: texts of an entry, on its
					   first line; NULL: no entry */
	int	 indent;
	bool	 goes_on;		/* it is a further line of an entry */
};

enum popup_kind { POPUP_NONE, POPUP_HELP, POPUP_MESSAGES, POPUP_MARKS, POPUP_COLUMNS, POPUP_SORT,
		  POPUP_OPTIONS, POPUP_LISTS, POPUP_TASKS, POPUP_FILTERS, POPUP_DOCTOR, POPUP_WHY };

struct popup {
	enum popup_kind		 kind;
	char			 title[POPUP_TITLE_BYTES];
	const char		*keys;		/* its key bar */
	bool			 choose;	/* lines are chosen, with a cursor */
	int			 foot;		/* rows above the bottom line to leave free */
	struct popup_line	*lines;		/* owned, [nr] */
	unsigned int		 nr, cap;
	int			 cols;		/* of the screen that entries are
						   laid out for; 0: no entries */
	struct list_window	 window;	/* its cursor; what is only read
						   has it on its first line */
	struct text		 found;		/* searched for in it; empty: nothing */
};

enum popup_result {
	POPUP_STAYS,
	POPUP_CLOSED,
	POPUP_CHOSEN,			/* Enter on popup->window.at */
	POPUP_TOGGLED,			/* Space, or a step sideways */
	POPUP_SEARCH,			/* needs a prompt for its search */
	POPUP_UNKNOWN,			/* not a key of it */
};

void popup_open(struct popup *popup, enum popup_kind kind, const char *title, const char *keys,
		bool choose);
void popup_close(struct popup *popup);
void popup_add(struct popup *popup, int value, bool heading, const char *text);
/*
 * Adds a word and, from cell @indent on, its explanation, on as many lines as a screen of @cols
 * needs; laid out again when the width changes.
 */
void popup_add_entry(struct popup *popup, int cols, int value, int indent, const char *head,
		     const char *s);
void popup_start(struct popup *popup); /* call after adding lines:
						   cursor to the first choice */
/* @request: of @key */
enum popup_result popup_key(struct popup *popup, ui_key key, enum request request);
bool popup_find(struct popup *popup, const char *text, bool forward);	/* false: not in it */
void popup_draw(struct popup *popup, struct canvas *canvas);
#endif
