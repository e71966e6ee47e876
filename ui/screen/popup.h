/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_POPUP_H
#define FTOP_UI_SCREEN_POPUP_H
/*
 * popup - a list over the view: lines to read (help, messages) or to choose from (marks, columns,
 * options).  A struct picker says what a list is: its keys, and what Enter does.  It has no loop:
 * the caller passes keys.
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
	size_t	 name;			/* narrowing looks at the text from this byte on */
};

struct app;				/* whose list it is; handed on */

/* A list as its owner defines it, static and const.  With take or change it has a cursor. */
struct picker {
	const char	*keys;		/* its key bar */
	/* of the prompt whose text narrows the list (ui/desk/narrow.h); NULL: letters are keys */
	const char	*label;
	enum {
		POPUP_NO_HELP,
		POPUP_HELP,		/* ? closes it, too */
		POPUP_SHORT_HELP,	/* ? opens the longer one */
	}		 help;
	bool		 lower;		/* it leaves the upper half of the screen to the view */
	/* Enter on a line, whose list is closed by then; NULL: see change */
	void		 (*take)(struct app *app, int value);
	/* Enter or Space on a line; the list stays, unless it closes it.  NULL: see take */
	void		 (*change)(struct app *app, int value);
};

struct popup {
	const struct picker	*picker;	/* NULL: no list is shown */
	char			 title[POPUP_TITLE_BYTES];
	int			 foot;		/* rows above the bottom line to leave free */
	struct popup_line	*lines;		/* owned, [nr]; narrowed: those that are left */
	unsigned int		 nr, cap;
	struct popup_line	*all;		/* owned, [nr_all]; NULL: it is not narrowed */
	unsigned int		 nr_all;
	int			 chosen;	/* value under the cursor before it was */
	bool			 has_chosen;	/* filled again */
	int			 cols;		/* screen width that entries are
						   laid out for; 0: no entries */
	struct list_window	 window;	/* its cursor; what is only read
						   has it on its first line */
	struct text		 found;		/* text searched for in it; empty: none */
};

enum popup_result {
	POPUP_STAYS,
	POPUP_CLOSED,
	POPUP_CHOSEN,			/* Enter on popup->window.at */
	POPUP_TOGGLED,			/* Space, or a step sideways */
	POPUP_SEARCH,			/* needs a prompt for its search */
	POPUP_MORE,			/* needs the longer help */
	POPUP_UNKNOWN,			/* not a key of it */
};

/*
 * Opens an empty list, to which lines are added.  @picker: borrowed.  A list that is changed keeps
 * its cursor when it is opened again.
 */
void popup_open(struct popup *popup, const struct picker *picker, const char *title);
void popup_close(struct popup *popup);
void popup_add(struct popup *popup, int value, bool heading, const char *text);
/*
 * Adds a word and, from cell @indent on, its explanation, on as many lines as a screen of @cols
 * needs; laid out again when the width changes.
 */
void popup_add_entry(struct popup *popup, int cols, int value, int indent, const char *head,
		     const char *s);
/* Leaves only entries that contain the text, in any case; "": all. */
void popup_narrow(struct popup *popup, const char *text);
void popup_start(struct popup *popup); /* call after adding lines:
						   cursor to the first choice */
/* Acts on the line under the cursor, as Enter does; @toggled: as Space does. */
void popup_choose(struct popup *popup, struct app *app, bool toggled);
/* Are its lines chosen, with a cursor? */
static inline bool popup_chooses(const struct popup *popup)
{
	return popup->picker->take || popup->picker->change;
}

/* @request: that of @key */
enum popup_result popup_key(struct popup *popup, ui_key key, enum request request);
bool popup_find(struct popup *popup, const char *text, bool forward);	/* false: not found */
/* The first row of the list, on a screen of @rows; 0: it covers the view. */
int popup_top(const struct popup *popup, int rows);
void popup_draw(struct popup *popup, struct canvas *canvas);
#endif
