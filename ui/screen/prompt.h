/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_H
#define FTOP_UI_PROMPT_H
/*
 * prompt - the bottom line while something is typed into it, with earlier lines.
 * Its error or hint stands in the row above.
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
	unsigned int		 at;		/* line of the history shown; nr: what is typed */
	struct text		 typed;		/* kept while the history is looked through */
	struct text		 hint;		/* what it means, or what is wrong */
	bool			 wrong;		/* the hint is an error */
	bool			 is_sentence;	/* or something else to be read to its end; else it is cut where the row ends */
	int			 wrong_at;	/* byte of the text it is about; -1: none */
	int			 wrong_to;	/* and the one behind the last that is wrong; none where it is not larger */
	bool			 full;		/* what was typed last is left out: the line is as long as it may be */
	struct text		 note;		/* at the right end */
};

enum prompt_result { PROMPT_SAME, PROMPT_CHANGED, PROMPT_ACCEPTED, PROMPT_CANCELLED };

/* Begin (again) with @text, the cursor behind it.  @label: borrowed while it is open; @history: too, NULL: none. */
void prompt_open(struct prompt *prompt, const char *label, const char *text, struct prompt_history *history);
void prompt_fini(struct prompt *prompt);
enum prompt_result prompt_key(struct prompt *prompt, ui_key key);	/* accepted lines go into the history */
/* Other text in place of what stands from a byte up to the cursor. */
void prompt_replace(struct prompt *prompt, size_t from, const char *s);
void prompt_draw(const struct prompt *prompt, struct canvas *canvas);	/* last row, and those above that the hint takes */

/* A copy of the line is the newest, unless it is empty or is that already; the oldest goes where there are PROMPT_HISTORY. */
void prompt_history_add(struct prompt_history *history, const char *line);
void prompt_history_fini(struct prompt_history *history);
#endif
