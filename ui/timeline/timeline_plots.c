/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_plots - rows of the Timeline view for the times of an event or for a field. */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/timeline/markers.h"
#include "src/timeline/series.h"
#include "ui/timeline/view_timeline.h"

#define MOST_KEPT	16u		/* plots that come back at the next opening */

/* Update the model now: keys may arrive before the next drawing. */
static void tell_timeline(struct view *v)
{
	v->timeline.plots = v->plots;
	v->timeline.nr_plots = v->nr_plots;
}

/* Move the cursor to the new row, which the next drawing finds. */
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
		/* plots after it get a lower index */
		if (row.kind == TIMELINE_PLOT && row.index != TIMELINE_ALL_EVENTS &&
		    row.index > index)
			row.index--;
		v->pinned[kept++] = row;
	}
	v->nr_pinned = kept;
}

static void remove_plot(struct view *v, unsigned int i)
{
	series_free(v->plots[i]);
	memmove(v->plots + i, v->plots + i + 1, (--v->nr_plots - i) * sizeof(*v->plots));
	tell_timeline(v);
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

static void toggle_slices(struct view *v)
{
	if (v->markers) {
		markers_free(v->markers);
		v->markers = NULL;
	} else {
		sched_lock(v->sched);
		v->markers = markers_new(v->shared->trace, v->file,
					 sched_pass_buffer(sched_pass_of(v->sched)));
		sched_unlock(v->sched);
	}
	v->timeline.markers = v->markers;
}

static struct series *plot_named(const struct view *v, const char *name)
{
	for (unsigned int i = 0; i < v->nr_plots; i++)
		if (!strcmp(series_name(v->plots[i]), name))
			return v->plots[i];
	return NULL;
}

static bool add_plot(struct view *v, const char *what, struct ft_error *err)
{
	struct series *series;
	unsigned int buffer;

	sched_lock(v->sched);
	buffer = sched_pass_buffer(sched_pass_of(v->sched));
	sched_unlock(v->sched);
	series = series_new(v->shared->trace, v->file, buffer, what, 0, err);
	if (!series)
		return false;
	mem_grow(&v->plots, v->nr_plots, &v->cap_plots);
	v->plots[v->nr_plots++] = series;
	tell_timeline(v);
	return true;
}

bool timeline_plot(struct view *v, const char *what)
{
	struct ft_error err = { 0 };

	if (!strcmp(what, "*"))
		return toggle_events(v);
	if (markers_are_meant(v->shared->trace, v->file, what)) {
		toggle_slices(v);
		return true;
	}
	for (unsigned int i = 0; i < v->nr_plots; i++)
		if (!strcmp(series_name(v->plots[i]), what)) {
			remove_plot(v, i);
			return true;
		}
	if (!add_plot(v, what, &err)) {
		host_error(v->host, "%s", err.message);
		return false;
	}
	choose(v, v->nr_plots - 1);
	return true;
}

void timeline_plots_save(const struct view *v, struct text *out)
{
	if (v->shows_events)
		text_add(out, "plot *\n");
	if (v->markers)
		text_add(out, "plot marker\n");
	for (unsigned int i = 0; i < v->nr_plots && i < MOST_KEPT; i++)
		text_printf(out, "plot %s\n", series_name(v->plots[i]));
}

void timeline_plots_restore(struct view *v, const char *what)
{
	if (!strcmp(what, "*"))
		v->shows_events = true;
	else if (markers_are_meant(v->shared->trace, v->file, what) && !v->markers)
		toggle_slices(v);
	else if (v->nr_plots < MOST_KEPT && !plot_named(v, what))
		add_plot(v, what, NULL);
}

void timeline_end_plots(struct view *v)
{
	while (v->nr_plots)
		remove_plot(v, v->nr_plots - 1);
	if (v->markers)
		toggle_slices(v);
	v->shows_events = false;
	unpin(v, TIMELINE_ALL_EVENTS);
}

/* --- what there can be a row of: the popup of columns ----------------------------------------- */

/* Find the types recorded in this file, the most frequent first. */
static void find_types(struct view *v)
{
	unsigned int kept = 0;

	free(v->types);
	v->nr_types = trace_type_counts(v->shared->trace, &v->types);
	for (unsigned int i = 0; i < v->nr_types; i++)
		if (v->types[i].events && v->types[i].type && v->types[i].file == v->file)
			v->types[kept++] = v->types[i];
	v->nr_types = kept;
	if (kept)
		qsort(v->types, kept, sizeof(*v->types), trace_type_counts_order);
}

/* The i-th plot of a field. */
static struct series *field_plot(const struct view *v, unsigned int i)
{
	for (unsigned int k = 0; k < v->nr_plots; k++)
		if (series_has_values(v->plots[k]) && !i--)
			return v->plots[k];
	return NULL;
}

unsigned int timeline_nr_columns(struct view *v)
{
	unsigned int nr = 0;

	find_types(v);
	while (field_plot(v, nr))
		nr++;
	return 1 + v->nr_types + nr;
}

const char *timeline_column(struct view *v, unsigned int i, bool *shown, const char **help)
{
	const struct trace_type_count *count = i && i <= v->nr_types ? &v->types[i - 1] : NULL;

	if (!i) {
		*shown = v->shows_events;
		*help = "number of events of any type";
		return "all events";
	}
	if (!count) {
		*shown = true;
		*help = "field added by :plot";
		return series_name(field_plot(v, i - 1 - v->nr_types));
	}
	*shown = plot_named(v, count->type->name);
	text_clear(&v->column_help);
	text_counted(&v->column_help, count->events, "event");
	*help = text_str(&v->column_help);
	return count->type->name;
}

void timeline_toggle_column(struct view *v, unsigned int i)
{
	struct series *plot = i > v->nr_types ? field_plot(v, i - 1 - v->nr_types) : NULL;
	struct text name = { 0 };

	text_add(&name, !i               ? "*" :
			plot             ? series_name(plot) :
			i <= v->nr_types ? v->types[i - 1].type->name :
					   "");
	if (name.len)
		timeline_plot(v, text_str(&name));
	text_fini(&name);
}
