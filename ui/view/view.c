/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/view.h"

#include <stddef.h>

static const char *const titles[NR_VIEWS] = {
	[VIEW_EVENTS] = "Events",
	[VIEW_GRAPH] = "Graph",
	[VIEW_TIMELINE] = "Timeline",
	[VIEW_LATENCY] = "Latency",
	[VIEW_FUNCTIONS] = "Functions",
	[VIEW_TASKS] = "Tasks",
	[VIEW_NOISE] = "Noise",
	[VIEW_KERNEL] = "Kernel",
};

const char *view_title(enum view_id id)
{
	return id < NR_VIEWS ? titles[id] : "";
}

static const struct view_word *find_word(const struct view_ops *ops, enum request request)
{
	for (const struct view_word *word = ops->keys->words; word && word->request != REQ_NONE;
	     word++)
		if (word->request == request)
			return word;
	return NULL;
}

const char *view_bar(const struct view_ops *ops, enum request request)
{
	const struct view_word *word = find_word(ops, request);

	return word && word->bar ? word->bar : request_info(request)->bar;
}

const char *view_help(const struct view_ops *ops, enum request request)
{
	const struct view_word *word = find_word(ops, request);

	return word && word->help ? word->help : request_info(request)->help;
}

void view_draw_words(const struct view_area *area, const char *heading, const char *words)
{
	struct canvas *c = area->canvas;

	if (area->rows < 1)
		return;
	canvas_fill(c, area->top, 0, c->cols, ROLE_DIVIDER, "─");
	canvas_fit(c, area->top, 2, c->cols - 4, ROLE_HEADING, heading);
	canvas_words(c, area->top + 1, area->top + area->rows, words);
}
