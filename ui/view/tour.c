/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/tour.h"

#include <stdio.h>
#include <string.h>

#include "ui/view/view.h"

/*
 * tests/demo/README.md tells the story.  A step is reached where all that is set here is so.  With
 * its number, what it says fits on 60 columns.
 */
static const struct step_of_tour {
	const char	*before, *key, *after;	/* the sentence, around its key */
	enum view_id	 view;
	const char	*comm;		/* name of the cursor's task; NULL: any */
	bool		 at_end;	/* the cursor is on the last row */
	bool		 moved;		/* the cursor is before where the step began */
} steps[] = {
	{ "One request took 52 ms. Press ", "G", " to see it", VIEW_EVENTS, .at_end = true },
	{ "Press ", "3", " for the Timeline: the client had been asleep", VIEW_TIMELINE },
	{ "Press ", "w", " to jump to what woke the client: the server", VIEW_TIMELINE, "server" },
	{ "The server was asleep too. Press ", "w", " to see what woke it", VIEW_TIMELINE,
	  "backup" },
	{ "backup held the lock. Press ", "{", " to see what delayed it", VIEW_TIMELINE, "backup",
	  .moved = true },
	{ "It was waiting for a CPU. Press ", "2", " to see in which call", VIEW_GRAPH, "backup" },
};

const char tour_end[] =
	"Why: encoder had the CPU while backup held the lock. :tour restarts the tour";

static const char tour_esc[] = "  (Esc ends the tour)";

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

void tour_begin(struct tour *tour)
{
	*tour = (struct tour){ .on = true };
}

/* The rows of a step are on the screen: those of the Graph take a moment. */
static bool reached(const struct tour *tour, const struct shared *shared, enum view_id view)
{
	const struct step_of_tour *step = &steps[tour->step];
	const struct place *here = &shared->at.here;

	return here->set && shared->at.has_window && view == step->view &&
	       (!step->at_end || here->ref == trace_last(shared->trace)) &&
	       (!step->moved || here->ts < tour->from) &&
	       (!step->comm ||
		!strcmp(trace_comm(shared->trace, here->file, here->pid, here->ts), step->comm));
}

bool tour_follow(struct tour *tour, const struct shared *shared, enum view_id view)
{
	if (!tour->on || !shared->trace || !reached(tour, shared, view))
		return false;
	tour->from = shared->at.here.ts;
	tour->on = ++tour->step < NR_STEPS;
	return true;
}

/* Is the step's key dead in @view?  Digits lead from every view; the others are the view's. */
static bool is_elsewhere(const struct tour *tour, enum view_id view, enum view_id *where)
{
	*where = tour->step ? steps[tour->step - 1].view : VIEW_EVENTS;
	return view != *where && !strchr("123", *steps[tour->step].key);
}

/* "Tour 1/6: One request … Press G to see it  (Esc ends the tour)"; elsewhere, how to come back. */
void tour_draw(const struct tour *tour, struct canvas *canvas, int row, enum view_id view)
{
	struct step_of_tour say;
	enum view_id where;
	char count[40], key[2] = "";
	struct text title = { 0 };
	int col = 1;

	if (!tour->on)
		return;
	say = steps[tour->step];
	if (is_elsewhere(tour, view, &where)) {
		key[0] = view_key(where);
		text_printf(&title, " to go on in %s", view_title(where));
		say = (struct step_of_tour){ "Press ", key, text_str(&title), where };
	}
	snprintf(count, sizeof(count), "%s%u/%zu: ", canvas->cols < 80 ? "" : "Tour ",
		 tour->step + 1, NR_STEPS);
	canvas_fill(canvas, row, 0, canvas->cols, ROLE_TEXT, " ");
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, count);
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, say.before);
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_KEYBAR_KEY, say.key);
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, say.after);
	if (col + (int)strlen(tour_esc) < canvas->cols)
		canvas_text(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, tour_esc);
	text_fini(&title);
}
