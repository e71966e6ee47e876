/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_REQUEST_H
#define FTOP_UI_SCREEN_REQUEST_H
/*
 * request - everything that keys can do, in one table: name, keys, group, help.
 * Dispatch, the help view, the key bar and the letters of a pending key come from it.
 * The table is request_list.h.
 */
#include <stdbool.h>

enum request {
	REQ_NONE,
#define REQUEST(request, ...) request,
#include "ui/screen/request_list.h"
#undef REQUEST
	NR_REQUESTS
};

enum request_group {
	GROUP_GENERAL,
	GROUP_MOVE,
	GROUP_JUMP,
	GROUP_FIND,
	GROUP_FILTER,
	GROUP_MARK,
	GROUP_SHOW,
	GROUP_KEEP,
	NR_REQUEST_GROUPS
};

struct request_info {
	const char		*name;		/* "page-down" */
	const char		*keys;		/* separated by blanks, as key_parse() reads them */
	enum request_group	 group;
	const char		*views;		/* digits of the views it is for; NULL: all */
	const char		*bar;		/* word of the key bar, NULL: not in it */
	const char		*letters;	/* it waits for a letter: what
						   the bottom line says then */
	const char		*any_letter;	/* the range of letters, as in
						   "az"; NULL: those of choices */
	const char		*choices;	/* letters it accepts */
	const char		*aliased;	/* digits of the views in which another request does
						   the same: the help has that one only */
	const char		*help;
};

/* NULL for REQ_NONE and past the end */
const struct request_info *request_info(enum request request);
const char *request_group_title(enum request_group group);
bool request_is_for(enum request request, char digit);	/* does it act in this view? */
bool request_is_alias(enum request request, char digit);
bool request_takes_letter(enum request request);
bool request_accepts(enum request request, char letter);	/* does it take this letter? */

/**
 * request_rows() - how many rows a request moves down
 * @height:  rows shown; a page keeps one of them visible
 * @scrolls: receives true if the window moves too (pages and half pages); may be NULL
 *
 * Return: rows, < 0: up; 0: the request does not move by rows.
 */
int request_rows(enum request request, int height, bool *scrolls);
#endif
