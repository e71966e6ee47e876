/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/tour.h"

#include <stdio.h>
#include <string.h>

/* tests/demo/README.md tells the story.  A step is reached where all that is set here is so. */
static const struct step_of_tour {
	const char	*key, *what;
	enum view_id	 view;
	const char	*comm;		/* name of the cursor's task; NULL: any */
	bool		 at_end;	/* the cursor is on the last row */
	bool		 moved;		/* the cursor is before where the step began */
} steps[] = {
	{ "G", "a request took 52 ms; see why in six keys", VIEW_EVENTS, .at_end = true },
	{ "3", "on the Timeline: the client had slept", VIEW_TIMELINE },
	{ "w", "what woke the client? The server", VIEW_TIMELINE, "server" },
	{ "w", "the server slept too. Who woke it?", VIEW_TIMELINE, "backup" },
	{ "{", "backup held its lock. What delayed it?", VIEW_TIMELINE, "backup", .moved = true },
	{ "2", "it waited for a CPU; see in which call", VIEW_GRAPH, "backup" },
};

const char tour_end[] = "Why: encoder had the CPU while backup held the lock. :tour tells it again";

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

void tour_begin(struct tour *tour)
{
	*tour = (struct tour){ .on = true };
}

static bool reached(const struct tour *tour, const struct shared *shared, enum view_id view)
{
	const struct step_of_tour *step = &steps[tour->step];
	const struct place *here = &shared->here;

	return here->set && view == step->view &&
	       (!step->at_end || here->ref == trace_last(shared->trace)) &&
	       (!step->moved || here->ts < tour->from) &&
	       (!step->comm ||
		!strcmp(trace_comm(shared->trace, here->file, here->pid, here->ts), step->comm));
}

bool tour_follow(struct tour *tour, const struct shared *shared, enum view_id view)
{
	if (!tour->on || !shared->trace || !reached(tour, shared, view))
		return false;
	tour->from = shared->here.ts;
	tour->on = ++tour->step < NR_STEPS;
	return true;
}

/* "Tour 1/6: press G, a request … (Esc: no tour)" */
void tour_draw(const struct tour *tour, struct canvas *canvas, int row)
{
	const struct step_of_tour *step = &steps[tour->step];
	char count[40];
	int col = 1;

	if (!tour->on)
		return;
	snprintf(count, sizeof(count), "Tour %u/%zu: press ", tour->step + 1, NR_STEPS);
	canvas_fill(canvas, row, 0, canvas->cols, ROLE_TEXT, " ");
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, count);
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_KEYBAR_KEY, step->key);
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, ", ");
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, step->what);
	canvas_fit(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, "  (Esc: no tour)");
}
