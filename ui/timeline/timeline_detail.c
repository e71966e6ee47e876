/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_detail - describes what is under the cursor of the Timeline view. */
#include <string.h>

#include "src/sched/sched_cause.h"
#include "src/base/time_math.h"
#include "src/timeline/markers.h"
#include "src/timeline/timeline_labels.h"
#include "src/timeline/timeline_plot.h"
#include "ui/timeline/view_timeline.h"

static void add_state_of_things(struct view *v, struct text *out)
{
	struct sched_progress p = sched_progress(v->sched);

	if (trace_is_untimed(v->shared->trace, -1))
		text_add(out,
			 " This text has no times of its own: events are placed by durations.");
	else if (sched_pass_is_seen(sched_pass_of(v->sched)))
		text_printf(out, " %s: ticks show where events are.",
			    trace_lacks_switches(v->shared->trace, -1));
	if (!p.done)
		text_printf(out, " ~ %u %% read.", p.permille / 10);
	if (p.full)
		text_add(out, " Memory is full: later changes are not shown.");
}

#define LINKS	6u

/* "sh-80 waited 5.377 ms (preempted 5.120 ms) ← " */
static void add_link(struct view *v, const struct sched_link *link, const char *waited,
		     struct text *out)
{
	sched_story_task(v->sched, link->task, link->wake_ts, out);
	text_add(out, waited);
	timeline_span(&v->timeline, link->waited, out);
	if (link->preempted) {
		text_add(out, " (preempted ");
		timeline_span(&v->timeline, link->preempted, out);
		text_char(out, ')');
	}
	text_add(out, " ← ");
}

/*
 * " Chain: sh-80 waited 5.377 ms ← sh-78 120.0 µs ← wl-74, 5.497 ms in all.";
 * needs two wake-ups.  Waits that are doubtful are no cause: it ends before them.
 */
static void add_chain(struct view *v, struct text *out)
{
	struct sched_link links[LINKS];
	uint32_t task = timeline_task_here(v);
	unsigned int nr = task < SCHED_IDLE_TASK ?
				  sched_cause_chain(v->sched, task, v->cursor, links, LINKS) :
				  0;
	bool doubtful = nr && links[nr - 1].doubtful;
	int64_t all = 0;

	nr -= doubtful;
	if (nr < 2)
		return;
	text_add(out, " Chain: ");
	for (unsigned int i = 0; i < nr; i++) {
		add_link(v, &links[i], i ? " " : " waited ", out);
		all += links[i].waited;
	}
	if (links[nr - 1].source && links[nr - 1].source->context == SCHED_CONTEXT_TASK)
		text_add(out, "an interrupt");
	else if (links[nr - 1].source)
		sched_source_text(v->shared->trace, sched_pass_of(v->sched), v->file,
				  links[nr - 1].source, out);
	else if (nr == LINKS)
		text_add(out, "…");
	else
		sched_story_task(v->sched, links[nr - 1].waker, links[nr - 1].wake_ts, out);
	text_add(out, doubtful ? ", whose wait is doubtful, " : ", ");
	timeline_span(&v->timeline, all, out);
	text_add(out, " in all.");
}

/* " 1 event here: sched_wakeup." */
static void add_events(struct view *v, unsigned int cpu, struct text *out)
{
	const char *name;
	unsigned int nr = sched_cause_events(v->sched, cpu, v->cursor, &name);

	if (nr > 1)
		text_printf(out, " %u events here.", nr);
	else if (nr)
		text_add(out, " 1 event here");
	if (nr == 1 && name) {
		text_add(out, ": ");
		text_printable(out, name, strlen(name));
	}
	text_add(out, nr == 1 ? "." : "");
}

static const char *lost_words(const struct view *v)
{
	return trace_lost_words(v->shared->trace, (int)v->file);
}

/* Add the CPU's lost events; complete only when counting has finished. */
static void add_losses(struct view *v, unsigned int cpu, struct text *out)
{
	struct trace_stream_info info = trace_stream_info(v->shared->trace,
							  sched_pass_stream(sched_pass_of(v->sched),
									    cpu));

	if (!trace_status(v->shared->trace).complete || (!info.lost_events && !info.lost_unknown))
		return;
	text_char(out, ' ');
	if (info.lost_events)
		text_count(out, info.lost_events);
	text_add(out, info.lost_events == 1 ? " event" :
		      info.lost_events      ? " events" :
					      "Events were");
	text_printf(out, info.lost_events ? " %s on CPU %d in all." : " %s on CPU %d.",
		    info.lost_unknown ? lost_words(v) : "lost", info.cpu);
}

/* Add the events on the row's CPU, or on the task's current or last CPU. */
static void add_records(struct view *v, const struct timeline_row *row, struct text *out)
{
	int cpu = row->kind == TIMELINE_PLOT || row->kind == TIMELINE_VCPU ?
			  -1 :
			  timeline_place(v, v->cursor).cpu;
	int index = cpu < 0 ? -1 : sched_cpu_index(v->sched, cpu);

	if (index < 0)
		return;
	add_events(v, (unsigned int)index, out);
	add_losses(v, (unsigned int)index, out);
}

/* The slice under the cursor. */
static void tell_slice(struct view *v, struct text *out)
{
	struct pyramid_state state;
	const char *name;

	if (!timeline_state(v, &state) || state.kind != MARKERS_SLICE) {
		text_add(out, "The task is in no slice that it wrote to trace_marker.");
		return;
	}
	name = markers_name(v->markers, state.arg);
	text_printable(out, name, strlen(name));
	text_add(out, " is the innermost slice for ");
	shared_span(v->shared, time_between(state.from, state.to), out);
	if (state.doubtful)
		text_printf(out, ", or less: events are %s", lost_words(v));
	text_char(out, '.');
	text_add(out, " In Latency, o g lists the slices.");
}

static void tell(struct view *v)
{
	const struct timeline_row *row = timeline_here(v);

	text_clear(&v->story);
	if (row && row->kind == TIMELINE_PLOT)
		timeline_plot_story(&v->timeline, row, v->cursor, &v->story);
	else if (row && row->kind == TIMELINE_IDLE_CPUS)
		text_printf(&v->story, "They are idle in the whole window, as far as the "
				       "records show. e or Right shows them, c or Left hides "
				       "them.");
	else if (row && row->kind == TIMELINE_GROUP)
		timeline_groups_story(&v->timeline, &v->groups.list[row->index], v->cursor,
				      &v->story);
	else if (row && row->kind == TIMELINE_CPUS)
		timeline_cpus_story(&v->timeline, row->index, v->cursor, &v->story);
	else if (row && row->kind == TIMELINE_PARTS)
		timeline_why_story(v, &v->story);
	else if (row && row->kind == TIMELINE_SLICES)
		tell_slice(v, &v->story);
	else if (row && row->kind == TIMELINE_VCPU)
		timeline_guests_story(&v->timeline, row, v->cursor, &v->story);
	else if (row)
		sched_story_row(v->sched, row, v->cursor, &v->story);
	add_state_of_things(v, &v->story);
	add_chain(v, &v->story);
	if (row)
		add_records(v, row, &v->story);
}

static const char *story_of(const struct view *v)
{
	return text_str(&v->story) + strspn(text_str(&v->story), " ");
}

int timeline_detail_lines(struct view *v, int cells)
{
	tell(v);
	return canvas_lines(story_of(v), cells);
}

/* "tasks by process" */
static const char *grouping_title(const struct view *v)
{
	static const char *const titles[GROUPINGS_NR] = {
		[GROUPING_PROCESS] = "tasks by process", [GROUPING_CGROUP] = "tasks by cgroup",
		[GROUPING_NAME] = "tasks by name", [GROUPING_USER] = "tasks by user",
		[GROUPING_CLASS] = "tasks by class",
	};

	return titles[timeline_grouping(v->list)];
}

/* The list, or what filters leave of it. */
static const char *list_words(const struct view *v)
{
	if (matching_is_active(&v->matching))
		return !filters_hiding(&v->shared->chosen.filters) ? "others are dim" :
		       !matching_is_done(&v->matching)             ? "rows with a match ~" :
								     "rows with a match";
	return v->list == 'm' ? "CPUs and their tasks" :
	       v->list == 'c' ? "CPUs" :
	       v->list == 'i' ? "CPUs, interrupts" :
	       v->list == 'p' ? "tasks of a process" :
	       v->list == 't' ? "tasks, by time" :
				grouping_title(v);
}

/* Its sentences were made for the number of its rows, when that was asked for. */
void timeline_draw_detail(struct view *v, const struct view_area *area, int max_rows)
{
	int cols = area->canvas->cols, used = 2;
	struct text label = { 0 };

	(void)max_rows;
	canvas_fill(area->canvas, area->top, 0, cols, ROLE_DIVIDER, "─");
	if (!timeline_is_known(v) || !v->has_window)
		return;
	sched_lock(v->sched);
	if (timeline_here(v)) {
		timeline_label(v, timeline_here(v), &label);
		used += canvas_text(area->canvas, area->top, 2, cols - 4, ROLE_HEADING,
				    text_str(&label));
	}
	sched_unlock(v->sched);
	text_clear(&label);
	text_add(&label, list_words(v));
	if (trace_nr_files(v->shared->trace) > 1) {
		text_add(&label, " of ");
		shared_file_name(v->shared, v->file, &label);
	}
	if (used + canvas_width(text_str(&label), label.len) + 4 < cols)
		canvas_right(area->canvas, area->top, used + 2, cols - used - 4, ROLE_HEADING,
			     text_str(&label));
	canvas_words(area->canvas, area->top + 1, area->top + area->rows, story_of(v));
	text_fini(&label);
}
