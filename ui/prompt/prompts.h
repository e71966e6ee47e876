/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_PROMPTS_H
#define FTOP_UI_PROMPT_PROMPTS_H
/* prompts - what is typed and picked: lines with their histories, and lists. */
#include "src/base/table_out.h"
#include "src/filter/filter.h"
#include "ui/desk/desk.h"

struct filter_line {			/* filter_line.c */
	unsigned int	 at;		/* index in the stack of the filter being edited */
	char		*former;	/* owned: the former text, for Esc */
	bool		 was_off;
	bool		 stale;		/* the typed text is not applied yet */
	bool		 wrong;		/* the typed text has an error and cannot take effect */
	struct filter_word *words;	/* owned, [nr_words]: completions that Tab found */
	unsigned int	 nr_words;
	int		 word;		/* index of the word inserted in the text; -1: none yet */
	size_t		 word_from;	/* byte offset in the text where the word begins */
	struct text	 last_time;	/* filters of last time that a new one replaces; for Esc */
	struct filter_offers offers;	/* what Tab puts in the place of an error */
};

struct search_line {			/* search_line.c */
	char		*former;	/* owned: the former pattern, for Esc; NULL: none */
	struct step	 before;	/* where the search began */
	struct place	 anchor;	/* the row under the cursor then, and its line */
	unsigned int	 anchor_line;
	bool		 stale;		/* the typed text is not searched yet */
	bool		 searched;	/* the view follows while one types */
	struct text	 message;	/* what was found */
	bool		 is_error;
};

struct task_picker;			/* task_picker.c */

struct app_prompts {
	struct prompt_history	 go_history, search_history, other_history, filter_history;
	struct filter_line	 filter_line;
	struct search_line	 search_line;
	struct step		 before_filter;	/* the state when the filter line was opened */
	struct {			/* why_list.c */
		struct place	*places;	/* owned, [nr]: where its lines lead */
		unsigned int	 nr, cap;
		struct view_why	 asked;		/* what the job asks */
		unsigned int	 permille;	/* progress of the answer; while it waits,
						 * of reading the trace */
		bool		 waits;
	}			 why;
	struct task_picker	*picker;	/* owned; NULL until first used */
	enum table_format	 save_format;	/* format of the file to be named */
	struct list_choice	*choices;	/* owned: entries of the list that o opens */
};

void prompts_free(struct app *app);
#endif
