/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_REQUEST_H
#define FTOP_UI_REQUEST_H
/*
 * request - everything a key can ask for, in one table: name, keys, group, help.
 * Dispatch, the help view, the key bar and the letters of a pending key come from it.
 */
#include <stdbool.h>

enum request {
	REQ_NONE,
	REQ_BACK,
	REQ_QUIT,
	REQ_CANCEL,
	REQ_INTERRUPT,
	REQ_HELP,
	REQ_VIEW_EVENTS,		/* and the others, in the order of enum view_id */
	REQ_VIEW_GRAPH,
	REQ_VIEW_TIMELINE,
	REQ_VIEW_LATENCY,
	REQ_VIEW_FUNCTIONS,
	REQ_VIEW_TASKS,
	REQ_NEXT_LIST,
	REQ_PREV_LIST,
	REQ_CHOOSE_LIST,
	REQ_ENTER,
	REQ_GO,
	REQ_PLACE_BACK,
	REQ_PLACE_FORWARD,
	REQ_DOWN,
	REQ_UP,
	REQ_RIGHT,
	REQ_LEFT,
	REQ_PAGE_DOWN,
	REQ_PAGE_UP,
	REQ_HALF_DOWN,
	REQ_HALF_UP,
	REQ_FIRST,
	REQ_LAST,
	REQ_SIDE_RIGHT,
	REQ_SIDE_LEFT,
	REQ_RESET,
	REQ_MORE,
	REQ_LESS,
	REQ_SEARCH,
	REQ_MATCH_NEXT,
	REQ_MATCH_PREV,
	REQ_SLOW_NEXT,
	REQ_SLOW_PREV,
	REQ_THRESHOLD,
	REQ_FILTER,
	REQ_FILTER_ADD,
	REQ_FILTER_TOGGLE,
	REQ_FILTER_DIM,
	REQ_ONLY,
	REQ_WITHOUT,
	REQ_PICK_TASK,
	REQ_TRACK_NEXT,
	REQ_TRACK_PREV,
	REQ_SAME_NEXT,
	REQ_SAME_PREV,
	REQ_TROUBLE_NEXT,
	REQ_RANGE,
	REQ_MARK_A,
	REQ_MARK_B,
	REQ_MARK,
	REQ_MARK_GO,
	REQ_NOTE,
	REQ_MARK_LIST,
	REQ_COMPARE,
	REQ_WAKER,
	REQ_WAKEE,
	REQ_FOLD_OPEN,
	REQ_FOLD_CLOSE,
	REQ_OPEN_ALL,
	REQ_CLOSE_ALL,
	REQ_PARENT,
	REQ_HEAVIEST,
	REQ_HOT_PATH,
	REQ_KERNEL_TEXT,
	REQ_PIN,
	REQ_SORT,
	REQ_SORT_INVERT,
	REQ_DETAIL,
	REQ_COLUMNS,
	REQ_TIME_FORMAT,
	REQ_OPTIONS,
	REQ_SAVE,
	REQ_COPY,
	REQ_RECORD,
	REQ_RELOAD,
	REQ_REDRAW,
	REQ_SUSPEND,
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
	const char		*views;		/* digits of those it is for; NULL: all */
	const char		*bar;		/* word of the key bar, NULL: not in it */
	const char		*letters;	/* it waits for a letter: what the bottom line says then */
	const char		*any_letter;	/* the range of letters, as in "az"; NULL: those of choices */
	const char		*choices;	/* letters that are taken */
	const char		*help;
};

const struct request_info *request_info(enum request request);	/* NULL for REQ_NONE and past the end */
const char *request_group_title(enum request_group group);
bool request_is_for(enum request request, char digit);	/* it acts in this view */
bool request_takes_letter(enum request request);
bool request_accepts(enum request request, char letter);	/* of one that waits for a letter */

/**
 * request_rows() - by how many rows a key leads down
 * @height:  rows that are shown; a page leaves one of them in sight
 * @scrolls: receives whether what is shown moves along: by pages and half pages; NULL is allowed
 *
 * Return: less than 0: up; 0: it is not one that moves by rows.
 */
int request_rows(enum request request, int height, bool *scrolls);
#endif
