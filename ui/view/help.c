/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/help.h"

#include <stdio.h>

#define KEY_CELLS	17
#define ELSEWHERE_CELLS	23

static void add_request(struct popup *popup, int cols, const struct view_ops *ops,
			enum request request)
{
	popup_add_entry(popup, cols, request, KEY_CELLS, request_info(request)->keys,
			view_help(ops, request));
}

/* Terms of other tools, and what they are called here. */
static const struct { const char *what, *here; } elsewhere[] = {
	{ "less: d u f b", "here ^D ^U ^F ^B; for ?text type /text, then N" },
	{ "vim: m ' n N * # ( )", "work as in vim; g and G work as in less" },
	{ "trace-cmd report", "shows the same rows; for -t, O sets 9 decimals; for --ts-diff and "
		"-l, v shows the columns delta and flags" },
	{ "KernelShark", "for Shift-click and Ctrl-click press a and b, or drag with the mouse" },
	{ "mouse", "click selects, wheel scrolls, drag sets A and B, a click in the overview goes "
		"there; with Shift the terminal gets the mouse" },
};

static void add_heading(struct popup *popup, const char *title)
{
	popup_add(popup, 0, false, "");
	popup_add(popup, 0, true, title);
}

/* The most used keys, on one screen: at most 13, 20, 15 and 24 cells. */
static const struct { const char *keys, *what; } basics[] = {
	{ "j k g G Space", "move" }, { "1 to 9    V", "views; the list of all" },
	{ ":12.5  :50%", "time; half the rows" }, { "|  `", "two views; the other one" },
	{ "/  n N", "search" }, { "Enter  q", "into the row, and back" },
	{ "] [  T", "slow ones; how slow" }, { "( )", "places back, forward" },
	{ "} {  * #", "same task; name" }, { "w W", "its waker; whom it woke" },
	{ "f & F z", "filter" }, { "i x, then t e c", "keep these; hide" },
	{ "p", "pick a task" }, { "a b  r", "measure; tables' range" },
	{ "!", "lost events, damage" }, { "\"  m '  M", "notes, marks, list" },
	{ "Tab  o", "lists of this view" }, { "d v s t O", "panes, columns, options" },
	{ "S t  y", "save rows; copy" }, { "R  :e  Q", "record, open, quit" },
};

#define BASICS_COLS	80		/* from here on they stand in two columns */

static void add_basics(struct popup *popup, int cols)
{
	struct text line = { 0 };

	popup_add(popup, 0, true, "the most used keys");
	for (size_t i = 0; i < sizeof(basics) / sizeof(basics[0]); i++) {
		if (cols >= BASICS_COLS && i % 2 == 0) {
			text_printf(&line, "%-13s  %-20s ", basics[i].keys, basics[i].what);
			continue;
		}
		text_printf(&line, "%-15s  %s", basics[i].keys, basics[i].what);
		popup_add(popup, 0, false, text_str(&line));
		text_clear(&line);
	}
	text_fini(&line);
}

static void add_lists(struct popup *popup, int cols, const struct list_tab *list)
{
	char keys[8];

	add_heading(popup, "lists of this view: Tab, S-Tab, or");
	for (; list->letter; list++) {
		snprintf(keys, sizeof(keys), "o %c", list->letter);
		popup_add_entry(popup, cols, 0, KEY_CELLS, keys, list->name);
	}
}

/* Does the request show, or act in, only views that this version lacks? */
static bool is_later(const struct view_ops *const *views, enum request request)
{
	for (int id = 0; id < NR_VIEWS; id++)
		if (views[id] && request_is_for(request, view_key(id)))
			return false;
	return true;
}

/* Does the help list it before the groups, or can it not act in this view? */
static bool is_told(const struct view_ops *ops, bool start, enum request request)
{
	const enum request *here = ops->keys->row;

	while (!start && *here != REQ_NONE && *here != request)
		here++;
	if (!start && *here == request)
		return true;
	if (request == REQ_COLUMNS)
		return !ops->columns && !ops->table;
	return ops->lists &&
	       (request == REQ_NEXT_LIST || request == REQ_PREV_LIST || request == REQ_CHOOSE_LIST);
}

/* "2  show Graph: calls as a tree", for each view with a key. */
static void add_views(struct popup *popup, int cols, const struct view_ops *const *views)
{
	struct text help = { 0 };

	for (int id = 0; id < NR_VIEWS; id++) {
		char key[2] = { view_key(id), '\0' };

		if (!views[id] || !view_has_key(id))
			continue;
		text_clear(&help);
		text_printf(&help, "show %s: %s", view_title(id), view_about(id));
		popup_add_entry(popup, cols, REQ_VIEW, KEY_CELLS, key, text_str(&help));
	}
	text_fini(&help);
}

static void add_group(struct popup *popup, int cols, const struct view_ops *const *views,
		      enum view_id view, bool start, enum request_group group)
{
	add_heading(popup, request_group_title(group));
	for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++) {
		if (request_info(r)->group != group || is_later(views, r) ||
		    !request_is_for(r, view_key(view)) || is_told(views[view], start, r))
			continue;
		if (r == REQ_VIEW)
			add_views(popup, cols, views);
		else
			add_request(popup, cols, views[view], r);
	}
}

static void add_others(struct popup *popup, int cols, const struct view_ops *const *views,
		       enum view_id view)
{
	bool any = false;

	for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++) {
		if (is_later(views, r) || request_is_for(r, view_key(view)))
			continue;
		if (!any)
			add_heading(popup, "in other views");
		any = true;
		popup_add_entry(popup, cols, r, KEY_CELLS, request_info(r)->keys,
				request_info(r)->help);
	}
}

static const struct picker help = { .keys = "/ Find  n N Next  q Back", .is_help = true };

void help_open(struct popup *popup, int cols, const struct view_ops *const *views,
	       enum view_id view)
{
	bool start = view == NR_VIEWS;
	const struct view_ops *ops = views[start ? VIEW_EVENTS : view];
	char title[POPUP_TITLE_BYTES];

	snprintf(title, sizeof(title), "Help: %s      / find   q back      ^X is Ctrl-X",
		 start ? "start" : view_title(view));
	view = start ? VIEW_EVENTS : view;
	popup_open(popup, &help, title);
	add_basics(popup, cols);
	if (!start)
		add_heading(popup, "this row");
	for (const enum request *here = ops->keys->row; !start && *here != REQ_NONE; here++)
		add_request(popup, cols, ops, *here);
	if (ops->lists)
		add_lists(popup, cols, ops->lists->all);
	for (int group = 0; group < NR_REQUEST_GROUPS; group++)
		add_group(popup, cols, views, view, start, (enum request_group)group);
	add_others(popup, cols, views, view);
	add_heading(popup, "coming from another tool");
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		popup_add_entry(popup, cols, 0, ELSEWHERE_CELLS, elsewhere[i].what,
				elsewhere[i].here);
	popup_start(popup);
}
