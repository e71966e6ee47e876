/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/timeline/timeline_guests.h"

#include "src/timeline/sched_story.h"
#include "src/timeline/timeline_labels.h"
#include "src/timeline/timeline_private.h"

/* The guest's CPU with this host task, as the guest numbers it; -1: none. */
static int number_of(const struct source_guest *guest, int pid)
{
	for (unsigned int i = 0; i < guest->nr; i++)
		if (guest->vcpus[i].pid == pid && guest->vcpus[i].cpu <= INT32_MAX)
			return (int)guest->vcpus[i].cpu;
	return -1;
}

const struct timeline_guest *timeline_guests_find(const struct timeline *t, uint32_t task,
						  unsigned int *cpu)
{
	int pid = t->guests && t->guests->nr ? (int)timeline_task_pid(t, task) : 0;

	for (unsigned int i = 0; pid > 0 && i < t->guests->nr; i++) {
		const struct timeline_guest *g = &t->guests->list[i];
		int number = number_of(g->guest, pid), index;

		if (number < 0 || sched_progress(g->sched).known == INT64_MIN)
			continue;
		sched_lock(g->sched);
		index = sched_cpu_index(g->sched, number);
		sched_unlock(g->sched);
		if (index >= 0) {
			*cpu = (unsigned int)index;
			return g;
		}
	}
	return NULL;
}

/* A row of the guest's model, in the same window. */
struct guest_row {
	const struct timeline_guest *guest;
	struct timeline	 timeline;
	struct timeline_row row;
};

/* The guest's model is locked.  False: the task ran no CPU of a guest. */
static bool begin(const struct timeline *t, const struct timeline_row *row, struct guest_row *of)
{
	unsigned int cpu = 0;

	of->guest = timeline_guests_find(t, row->index, &cpu);
	if (!of->guest)
		return false;
	of->timeline = *t;
	of->timeline.host = t->sched;
	of->timeline.sched = of->guest->sched;
	of->row = (struct timeline_row){ TIMELINE_CPU, cpu };
	sched_lock(of->guest->sched);
	return true;
}

void timeline_guests_draw(struct timeline *t, const struct timeline_row *row,
			  struct timeline_cell *cells)
{
	struct guest_row of;

	if (!begin(t, row, &of)) {
		for (unsigned int i = 0; i < t->columns; i++)
			timeline_put(&cells[i], " ", TIMELINE_TEXT, SCHED_NO_TASK);
		return;
	}
	timeline_draw(&of.timeline, &of.row, cells);
	sched_unlock(of.guest->sched);
	t->drawn |= of.timeline.drawn;
	/* its tasks are not those of the host's model */
	for (unsigned int i = 0; i < t->columns; i++) {
		cells[i].role = cells[i].role == TIMELINE_TASK ? TIMELINE_RUN : cells[i].role;
		cells[i].task = SCHED_NO_TASK;
	}
}

void timeline_guests_name(const struct timeline *t, const struct timeline_row *row,
			  struct text *out)
{
	struct guest_row of;

	if (!begin(t, row, &of))
		return;
	timeline_name(&of.timeline, &of.row, 0, out);
	sched_unlock(of.guest->sched);
	text_printf(out, " of %s", *of.guest->guest->name ? of.guest->guest->name : "guest");
}

void timeline_guests_load(const struct timeline *t, const struct timeline_row *row,
			  struct text *out)
{
	struct guest_row of;

	if (!begin(t, row, &of))
		return;
	timeline_load(&of.timeline, &of.row, out);
	sched_unlock(of.guest->sched);
}

/* Does it run a task while its own task is off the host's CPUs? */
static bool is_stolen(const struct timeline *t, uint32_t task, const struct timeline_guest *g,
		      unsigned int cpu, int64_t ts)
{
	struct pyramid_state host, guest;

	return pyramid_at(sched_task(t->sched, task), sched_end(t->sched), ts, &host) &&
	       host.kind >= SCHED_WAITS && host.kind <= SCHED_BLOCKED &&
	       pyramid_at(sched_cpu(g->sched, cpu), sched_end(g->sched), ts, &guest) &&
	       guest.kind == SCHED_CPU_RUNS;
}

void timeline_guests_story(const struct timeline *t, const struct timeline_row *row, int64_t ts,
			   struct text *out)
{
	struct guest_row of;

	if (!begin(t, row, &of))
		return;
	text_add(out, "In the guest: ");
	sched_story_row(of.guest->sched, &of.row, ts, out);
	if (is_stolen(t, row->index, of.guest, of.row.index, ts))
		text_printf(out,
			    " This time is stolen: %s-%u, which runs the CPU, is off the "
			    "CPUs of the host.",
			    timeline_task_comm(t, row->index, ts),
			    timeline_task_pid(t, row->index));
	sched_unlock(of.guest->sched);
}
