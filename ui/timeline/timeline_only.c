/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_only - i and x in the Timeline view: filters by what is under the cursor. */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/timeline/series.h"
#include "src/timeline/timeline_plot.h"
#include "ui/timeline/view_timeline.h"

/* The subject of a row, as a letter of i and x. */
static char subject_of(const struct timeline_row *row)
{
	switch (row->kind) {
	case TIMELINE_CPU:
		return 'c';
	case TIMELINE_IRQS:
	case TIMELINE_SOFTIRQS:
		return 'h';
	case TIMELINE_PLOT:
		return 'e';
	case TIMELINE_OF_TASK:
	case TIMELINE_IDLE_CPUS:
	case TIMELINE_PARTS:
	case TIMELINE_SLICES:
	case TIMELINE_GROUP:
	case TIMELINE_CPUS:
	case TIMELINE_VCPU:
		break;
	}
	return 't';
}

static void filter_by_event(struct view *v, const struct timeline_row *row, bool without)
{
	struct series *series = row && row->kind == TIMELINE_PLOT ?
					timeline_plot_series(&v->timeline, row) :
					NULL;
	char *name;

	if (!series) {
		host_message(v->host,
			     "this row has no event type; i t takes its task, i c its CPU");
		return;
	}
	name = mem_strndup(series_name(series), strcspn(series_name(series), "."));
	/* a filter writes system/event */
	if (strchr(name, ':'))
		*strchr(name, ':') = '/';
	host_filter_by(v->host, NULL, name, without);
	free(name);
}

void timeline_filter_from_here(struct view *v, char letter, bool without)
{
	const struct timeline_row *row = timeline_here(v);
	struct place place = timeline_place(v, v->cursor);
	uint32_t task = timeline_task_here(v);

	place.pid = -1;
	if (task < SCHED_IDLE_TASK)
		place.pid = timeline_pid(v, task);
	if (row && (letter == 'i' || letter == 'x'))
		letter = subject_of(row);
	sched_unlock(v->sched);		/* the screen may take time */
	if (letter == 'e')
		filter_by_event(v, row, without);
	else if (letter == 'f' || letter == 'v')
		host_message(v->host, "functions and values are in Events: Enter goes there");
	else if (letter == 'c' && place.cpu < 0)
		host_message(v->host, "this row belongs to no single CPU");
	else if (letter != 'c' && letter != 'h' && place.pid <= 0)
		host_message(v->host, "there is no task under the cursor");
	else
		host_filter_from(v->host, &place, letter, without);
	sched_lock(v->sched);
}
