/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_shown - which list of the Functions view is shown, by which measure, and what all of
 * its lists draw and answer alike.
 */
#include <string.h>

#include "ui/functions/view_functions.h"
#include "ui/view/list_tabs.h"

bool functions_is_events(const struct view *view)
{
	return view->list == 'e';
}

bool functions_is_stacks(const struct view *view)
{
	return view->list == 'o' || view->list == 'w' || view->list == 'b' ||
	       functions_is_events(view);
}

bool functions_waits(struct view *view)
{
	return !view->known || (view->has_calls && !view->table);
}

const struct list_tab functions_all_lists[] = {
	{ 't', "table" }, { 'f', "flame graph" }, { 'i', "instances" }, { 'o', "off-CPU" },
	{ 'w', "wakers" }, { 'b', "both" }, { 'e', "stacks of events" }, { 'n', "next file" },
	{ 'r', "by process" }, { 'g', "by cgroup" }, { 'u', "by user" }, { 'm', "by name" },
	{ 0, NULL }
};
_Static_assert(sizeof(functions_all_lists) == sizeof(((struct view *)NULL)->lists),
	       "each has room");

/* A file without calls offers only the lists of stacks, if it has any. */
bool functions_has_list(const struct view *view, char letter)
{
	const struct functions_stacks *stacks = &view->stacks;
	bool calls = view->has_calls || !stacks->any || !functions_is_stacks(view);

	if (letter == 'e')
		return stacks->any;
	if (strchr("owb", letter))
		return stacks->of_waits;
	return calls && (letter != 'n' || shared_other(view->shared, view->file) >= 0);
}

const struct list_tab *functions_lists(struct view *view)
{
	unsigned int nr = 0;

	for (const struct list_tab *list = functions_all_lists; list->letter; list++)
		if (functions_has_list(view, list->letter) &&
		    (!functions_grouping(list->letter) ||
		     functions_grouping(list->letter) == view->groups.by))
			view->lists[nr++] = *list;
	view->lists[nr] = (struct list_tab){ 0, NULL };
	return view->lists;
}

/* --- measures ------------------------------------------------------------------------------- */

static const struct measure {
	const char	*name;
	bool		 is_time;
} measures[NR_FLAME_MEASURES] = {
	[FLAME_TOTAL] = { "total time", true },
	[FLAME_SELF] = { "self time", true },
	[FLAME_NET] = { "net time", true },
	[FLAME_CALLS] = { "calls", false },
};

enum flame_measure functions_flame_by(const struct view *view)
{
	const struct flame_view *f = &view->flame;

	if (!functions_is_stacks(view))
		return f->measure;
	if (functions_is_events(view))
		return functions_stacks_vary(view) ? FLAME_SELF : FLAME_CALLS;
	return f->by_waits ? FLAME_CALLS : FLAME_SELF;
}

const char *functions_flame_measure(const struct view *view)
{
	if (functions_is_events(view))
		return functions_stacks_vary(view) ? "periods" : "stacks";
	if (functions_is_stacks(view))
		return view->flame.by_waits ? "waits" : "time waited";
	return measures[view->flame.measure].name;
}

void functions_flame_value(const struct view *view, uint64_t value, struct text *out)
{
	if (measures[functions_flame_by(view)].is_time && !functions_is_events(view))
		text_duration(out, value);
	else
		text_count(out, value);
}

/* --- drawing and keys ------------------------------------------------------------------------- */

void functions_detail_line(const struct view_area *area, int line, struct text *t)
{
	struct canvas *canvas = area->canvas;

	if (!line) {
		canvas_fill(canvas, area->top, 0, canvas->cols, ROLE_DIVIDER, "─");
		canvas_fit(canvas, area->top, 2, canvas->cols - 4, ROLE_HEADING, text_str(t));
	} else if (line < area->rows) {
		canvas_fit(canvas, area->top + line, 1, canvas->cols - 2, ROLE_TEXT, text_str(t));
	}
	text_clear(t);
}

void functions_filter(struct view *view, const char *name, char letter, bool without)
{
	if (strchr("fixe", letter))
		host_filter_by_function(view->host, name, without);
	else
		host_message(view->host, "here: f the function");
}
