/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/help.h"

#include <stdio.h>

#define KEY_CELLS	17
#define ELSEWHERE_CELLS	23
#define BASICS_CELLS	13

static void add_request(struct popup *popup, int cols, const struct view_ops *const *views,
			enum view_id id, enum request request)
{
	if (!request_is_alias(request, view_key(id)))
		popup_add_entry(popup, cols, request, KEY_CELLS, request_info(request)->keys,
				view_help(views[id], request));
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

/* What people come with, and the ten keys that answer it: on a screen of 24 rows. */
static const struct { const char *keys, *what; } basics[] = {
	{ "Enter", "go into the row: the worst case of it, the moment, the call" },
	{ "Y", "why it took so long: who had the CPU, what it waited for" },
	{ "q", "back to where Enter was pressed; at the end, quit" },
	{ "3", "Timeline: what each CPU and task did, when" },
	{ "4", "Latency: the longest waits, calls and interrupts, by kind" },
	{ "9", "Tasks in a window of time, the longest wait first" },
	{ "f", "show only what matches, as you type: sched_switch && pid == 80" },
	{ "p", "pick one task: type a part of its name" },
	{ "+ -", "zoom in and out; after 9, a longer or shorter window" },
	{ "R", "record: opens a form, where R starts" },
};

static const struct { const char *keys, *what; } jobs[] = {
	{ "9, Enter, Y", "my task was late: who had the CPU?" },
	{ "6, i t, V", "what did my task sleep for? (V lists the view Why)" },
	{ "5, Enter", "which function takes the time?" },
	{ "1, a, b", "how long is it from here to there? (: goes to a time)" },
	{ "/ text, n", "where does it say so?" },
	{ "!", "was anything lost?" },
	{ "S", "save what is shown" },
	{ "y c", "copy the command of the shell that prints it" },
};

static void add_basics(struct popup *popup, int cols)
{
	for (size_t i = 0; i < sizeof(basics) / sizeof(basics[0]); i++)
		popup_add_entry(popup, cols, 0, BASICS_CELLS, basics[i].keys, basics[i].what);
	add_heading(popup, "questions");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		popup_add_entry(popup, cols, 0, BASICS_CELLS, jobs[i].keys, jobs[i].what);
}

static void add_letters(struct popup *popup, int cols, const struct list_tab *list)
{
	char keys[8];

	for (; list->letter; list++) {
		if (!list_tab_has_key(list))
			continue;
		snprintf(keys, sizeof(keys), "o %c", list->letter);
		popup_add_entry(popup, cols, 0, KEY_CELLS, keys, list->name);
	}
}

static void add_lists(struct popup *popup, int cols, const struct list_tab *list)
{
	add_heading(popup, "lists of this view: Tab, S-Tab, or");
	add_letters(popup, cols, list);
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
			add_request(popup, cols, views, view, r);
	}
}

/* What a key does in this view, if the view says so itself. */
static void add_words(struct popup *popup, int cols, const struct view_ops *const *views,
		      enum view_id id, const struct view_word *word)
{
	for (; word && word->request != REQ_NONE; word++)
		if (word->help)
			add_request(popup, cols, views, id, word->request);
}

/* Keys of the other views, so that a search finds them. */
static void add_others(struct popup *popup, int cols, const struct view_ops *const *views,
		       enum view_id view)
{
	char title[POPUP_TITLE_BYTES];

	for (int id = 0; id < NR_VIEWS; id++) {
		const struct view_ops *ops = views[id];

		if (!ops || id == (int)view)
			continue;
		snprintf(title, sizeof(title), "in %s", view_title(id));
		add_heading(popup, title);
		add_words(popup, cols, views, id, ops->keys->words);
		add_words(popup, cols, views, id, ops->keys->more_words);
		for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++)
			if (request_is_for(r, view_key(id)) && !request_is_for(r, view_key(view)) &&
			    !view_has_word(ops, r))
				add_request(popup, cols, views, id, r);
		if (ops->lists)
			add_letters(popup, cols, ops->lists->all);
	}
}

static const struct picker help = { .keys = "/ Find  n N Next  q Back", .help = POPUP_HELP };
static const struct picker short_help = { .keys = "? All keys, and a search  q Back",
					  .help = POPUP_SHORT_HELP };

void help_open(struct popup *popup, int cols)
{
	popup_open(popup, &short_help, "Help: ten keys      ? all keys   q back");
	add_basics(popup, cols);
	popup_start(popup);
}

void help_open_all(struct popup *popup, int cols, const struct view_ops *const *views,
		   enum view_id view)
{
	bool start = view == NR_VIEWS;
	const struct view_ops *ops = views[start ? VIEW_EVENTS : view];
	char title[POPUP_TITLE_BYTES];

	snprintf(title, sizeof(title), "Help: %s      / find   q back      ^X is Ctrl-X",
		 start ? "start" : view_title(view));
	view = start ? VIEW_EVENTS : view;
	popup_open(popup, &help, title);
	if (!start)
		popup_add(popup, 0, true, "this row");
	for (const enum request *here = ops->keys->row; !start && *here != REQ_NONE; here++)
		add_request(popup, cols, views, view, *here);
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
