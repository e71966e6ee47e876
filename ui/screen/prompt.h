/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_PROMPT_H
#define FTOP_UI_SCREEN_PROMPT_H
/*
 * prompt - the bottom line while the user types, with a history of lines.  Its error or
 * hint is in the row above.
 */
#include <stdbool.h>
#include "src/base/text.h"
#include "ui/screen/canvas.h"
#include "ui/screen/key.h"

#define PROMPT_HISTORY	50
#define PROMPT_MAX_BYTES 4096

struct prompt_history {
	char		*lines[PROMPT_HISTORY];	/* owned, oldest first */
	unsigned int	 nr;
};

struct prompt {
	const char		*label;		/* ":" "/" "note: " */
	struct text		 text;
	size_t			 cursor;	/* byte in the text */
	struct prompt_history	*history;	/* borrowed; may be NULL */
	unsigned int		 at;		/* line of the history shown; nr: the typed line */
	struct text		 typed;		/* kept while a line of the history is shown */
	struct text		 hint;		/* the meaning of the text, or its error */
	bool			 wrong;		/* the hint is an error */
	bool			 is_sentence;	/* shown whole on several rows; else
						   cut at the end of its row */
	int			 wrong_at;	/* first wrong byte of the text; -1: none */
	int			 wrong_to;	/* end of the wrong bytes; <= wrong_at: not known */
	bool			 full;		/* the last input was dropped: the
						   line has its largest length */
	struct text		 note;		/* text at the right end */
};

enum prompt_result { PROMPT_SAME, PROMPT_CHANGED, PROMPT_ACCEPTED, PROMPT_CANCELLED };

/*
 * Opens or restarts with @text, cursor at its end.  Borrows @label and @history (or NULL) while
 * open.
 */
void prompt_open(struct prompt *prompt, const char *label, const char *text,
		 struct prompt_history *history);
void prompt_fini(struct prompt *prompt);
/* accepted lines go into the history */
enum prompt_result prompt_key(struct prompt *prompt, ui_key key);
/* Replaces the text between byte @from and the cursor. */
void prompt_replace(struct prompt *prompt, size_t from, const char *s);
/* draws the last row, and the rows of the hint above it */
void prompt_draw(const struct prompt *prompt, struct canvas *canvas);

/*
 * Adds a copy of the line unless it is empty or equals the newest; drops the oldest of
 * PROMPT_HISTORY lines.
 */
void prompt_history_add(struct prompt_history *history, const char *line);
void prompt_history_fini(struct prompt_history *history);
#endif
