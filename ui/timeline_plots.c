/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_plots - rows of the Timeline view that show an event's moments, or a field of it over time. */
#include <stdlib.h>
#include <string.h>

#include "src/memory.h"
#include "src/series.h"
#include "ui/view_timeline.h"

/* The row comes, and the cursor with it; the drawing finds it. */
static void choose(struct view *v, uint32_t index)
{
	sched_lock(v->sched);
	timeline_choose_row(v, TIMELINE_PLOT, index);
	sched_unlock(v->sched);
}

static void unpin(struct view *v, uint32_t index)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < v->nr_pinned; i++) {
		struct timeline_row row = v->pinned[i];

		if (row.kind == TIMELINE_PLOT && row.index == index)
			continue;
		/* Those behind it move up. */
		if (row.kind == TIMELINE_PLOT && row.index != TIMELINE_ALL_EVENTS && row.index > index)
			row.index--;
		v->pinned[kept++] = row;
	}
	v->nr_pinned = kept;
}

static void remove_plot(struct view *v, unsigned int i)
{
	series_free(v->plots[i]);
	memmove(v->plots + i, v->plots + i + 1, (--v->nr_plots - i) * sizeof(*v->plots));
	unpin(v, i);
	v->has_here = false;
}

static bool toggle_events(struct view *v)
{
	v->shows_events = !v->shows_events;
	if (v->shows_events) {
		choose(v, TIMELINE_ALL_EVENTS);
	} else {
		unpin(v, TIMELINE_ALL_EVENTS);
		v->has_here = false;
	}
	return true;
}

bool timeline_plot(struct view *v, const char *what)
{
	struct ft_error err = { 0 };
	struct series *series;
	unsigned int buffer;

	if (!v->sched) {
		app_error(v->app, "there are no events to plot here");
		return false;
	}
	if (!strcmp(what, "*"))
		return toggle_events(v);
	for (unsigned int i = 0; i < v->nr_plots; i++)
		if (!strcmp(series_name(v->plots[i]), what)) {
			remove_plot(v, i);
			return true;
		}
	sched_lock(v->sched);
	buffer = sched_pass_buffer(sched_pass_of(v->sched));
	sched_unlock(v->sched);
	series = series_new(v->shared->trace, v->file, buffer, what, 0, &err);
	if (!series) {
		app_error(v->app, "%s", err.message);
		return false;
	}
	mem_grow(&v->plots, v->nr_plots, &v->cap_plots);
	v->plots[v->nr_plots++] = series;
	choose(v, v->nr_plots - 1);
	return true;
}

void timeline_end_plots(struct view *v)
{
	while (v->nr_plots)
		remove_plot(v, v->nr_plots - 1);
	v->shows_events = false;
	unpin(v, TIMELINE_ALL_EVENTS);
}
