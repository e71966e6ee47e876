/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/view.h"

#include <stddef.h>

static const struct {
	const char	*title;
	const char	*tab;		/* its title where there is little room */
	const char	*about;		/* what it shows */
	char		 key;		/* 0: its digit */
} names[NR_VIEWS] = {			/* views of lists: see their list_source */
	[VIEW_EVENTS] = { "Events", "Event", "all rows in the order of time" },
	[VIEW_GRAPH] = { "Graph", "Graph", "calls as a tree" },
	[VIEW_TIMELINE] = { "Timeline", "Time", "what CPUs and tasks did" },
	[VIEW_LATENCY] = { "Latency", "Lat", "what took longest" },
	[VIEW_FUNCTIONS] = { "Functions", "Func", "calls by function: how long they took; flame graph" },
	[VIEW_TASKS] = { "Tasks", "Tasks", "tasks, CPUs and event types, in the range" },
	[VIEW_KERNEL] = { "Kernel", "Kern", "the kernel's own text of a moment", 'K' },
	[VIEW_NOW] = { "Now", "Now", "Tasks in a window of time, which may move; a bar for each CPU", '9' },
};

/* NULL: it is no view of lists. */
static const struct list_source *source_of(enum view_id id)
{
	return id >= VIEW_LISTS && id < VIEW_NOW ? list_sources[id - VIEW_LISTS] : NULL;
}

const char *view_title(enum view_id id)
{
	const struct list_source *source = source_of(id);

	return id >= NR_VIEWS ? "" : source ? source->title : names[id].title;
}

const char *view_tab(enum view_id id)
{
	const struct list_source *source = source_of(id);

	return source ? source->short_title ?: source->title : names[id].tab;
}

const char *view_about(enum view_id id)
{
	const struct list_source *source = source_of(id);

	return source ? source->about : names[id].about;
}

char view_key(enum view_id id)
{
	if (names[id].key)
		return names[id].key;
	if (source_of(id) && source_of(id)->key)
		return source_of(id)->key;
	return (char)(id < 8 ? '1' + id : 'a' + id - 8);
}

void view_label(enum view_id id, const char *name, struct text *out)
{
	if (view_key(id) < 'a')
		text_printf(out, "%c ", view_key(id));
	text_add(out, name);
}

/* How views with a table describe these requests, unless their own words do. */
static const struct view_word table_words[] = {
	{ REQ_SIDE_RIGHT, NULL, "sort by the next column" },
	{ REQ_SIDE_LEFT, NULL, "sort by the previous column" },
	{ REQ_SORT, "Sort", "choose the column to sort by; a click on a heading also sorts" },
	{ REQ_SORT_INVERT, "Invert", "reverse the order, and go to the first row" },
	{ REQ_RIGHT, NULL, "scroll right by a column" },
	{ REQ_LEFT, NULL, "scroll left by a column" },
	{ REQ_RESET, NULL, "scroll to the first column" },
	{ REQ_SLOW_NEXT, NULL, "move a row towards larger values" },
	{ REQ_SLOW_PREV, NULL, "move a row towards smaller values" },
	{ REQ_NONE, NULL, NULL },
};

static const struct view_word *word_in(const struct view_word *word, enum request request)
{
	for (; word && word->request != REQ_NONE; word++)
		if (word->request == request)
			return word;
	return NULL;
}

static const struct view_word *find_word(const struct view_ops *ops, enum request request)
{
	const struct view_word *word = word_in(ops->keys->words, request) ?:
					       word_in(ops->keys->more_words, request);

	return word || !ops->table ? word : word_in(table_words, request);
}

bool view_has_word(const struct view_ops *ops, enum request request)
{
	return word_in(ops->keys->words, request) || word_in(ops->keys->more_words, request);
}

/* What a list_source says of a key. */
static struct view_word source_word(const struct list_help *help, enum request request)
{
	switch ((int)request) {
	case REQ_ENTER:
		return (struct view_word){ request, help->enter_bar, help->enter };
	case REQ_NEXT_LIST:
		return (struct view_word){ request, help->next ? "List" : NULL, help->next };
	case REQ_CHOOSE_LIST:
		return (struct view_word){ request, NULL, help->choose };
	case REQ_MARK_A:
		return (struct view_word){ request, NULL, help->mark_a };
	case REQ_MARK_B:
		return (struct view_word){ request, NULL, help->mark_b };
	case REQ_ONLY:
		return (struct view_word){ request, help->only_bar, help->only };
	case REQ_WITHOUT:
		return (struct view_word){ request, NULL, help->without };
	case REQ_SEARCH:
		return (struct view_word){ request, NULL, help->search };
	}
	return (struct view_word){ request, NULL, NULL };
}

const char *view_bar(const struct view_ops *ops, enum request request)
{
	const struct view_word *word = find_word(ops, request);
	const char *own = ops->source ? source_word(&ops->source->help, request).bar : NULL;

	if (own)
		return own;
	return word && word->bar ? word->bar : request_info(request)->bar;
}

const char *view_help(const struct view_ops *ops, enum request request)
{
	const struct view_word *word = find_word(ops, request);
	const char *own = ops->source ? source_word(&ops->source->help, request).help : NULL;

	if (own)
		return own;
	return word && word->help ? word->help : request_info(request)->help;
}

#define LEAST_SENTENCES	4		/* rows for them, where the pane may have as many */

/*
 * The rows of a pane with these sentences, with its divider: a few, or as many as they need;
 * @normal, @most as in view_detail.rows.
 */
static int sentence_rows(const struct shared *shared, const char *words, int normal, int most)
{
	int least = normal < LEAST_SENTENCES ? normal : LEAST_SENTENCES,
	    rows = canvas_lines(words, shared->look.cols - 1);

	if (!normal || !rows)
		return 0;
	most = most * 2 / 3;		/* the rest is the view's */
	rows = rows < most ? rows : most;
	return 1 + (rows < least ? least : rows);
}

static void say(const struct view_ops *ops, struct view *view, struct text *heading,
		struct text *words)
{
	if (!ops->table || ops->table(view))
		ops->detail->say(view, heading, words);
}

int view_detail_rows(const struct view_ops *ops, struct view *view, const struct shared *shared,
		     int normal, int most)
{
	struct text heading = { 0 }, words = { 0 };
	int rows;

	if (!ops->detail)
		return 0;
	if (ops->detail->rows)
		return ops->detail->rows(view, normal, most);
	say(ops, view, &heading, &words);
	rows = sentence_rows(shared, text_str(&words), normal, most);
	text_fini(&heading);
	text_fini(&words);
	return rows;
}

static void draw_words(const struct view_area *area, const char *heading, const char *words)
{
	struct canvas *c = area->canvas;

	canvas_fill(c, area->top, 0, c->cols, ROLE_DIVIDER, "─");
	canvas_fit(c, area->top, 2, c->cols - 4, ROLE_HEADING, heading);
	canvas_words(c, area->top + 1, area->top + area->rows, words);
}

void view_draw_detail(const struct view_ops *ops, struct view *view, const struct view_area *area)
{
	struct text heading = { 0 }, words = { 0 };

	if (ops->detail->draw)
		ops->detail->draw(view, area, area->canvas->rows / 2);
	else
		say(ops, view, &heading, &words);
	if (words.len)
		draw_words(area, text_str(&heading), text_str(&words));
	text_fini(&heading);
	text_fini(&words);
}
