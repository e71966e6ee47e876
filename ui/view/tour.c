/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/tour.h"

#include <stdio.h>

/* Moments of the demo, in ns: on-cpu-1 is being woken, and it runs. */
#define WAKING	7574227913
#define RUNS	7574321342

static bool both_ends(struct tour *tour)
{
	const struct shared *shared = tour->shared;

	if (shared->here.set && shared->here.ref == trace_last(shared->trace))
		tour->seen = true;
	return tour->seen && shared->here.set && shared->here.ref == trace_first(shared->trace);
}

static bool slow_call(struct tour *tour)
{
	const struct shared *shared = tour->shared;
	struct trace_event event;

	return shared->threshold > 0 && shared->here.set &&
	       trace_event_at(shared->trace, shared->here.ref, &event) &&
	       trace_event_duration(&event) >= shared->threshold;
}

static bool lost_events(struct tour *tour)
{
	const struct shared *shared = tour->shared;
	struct trace_event event;

	return shared->here.set && trace_event_at(shared->trace, shared->here.ref, &event) &&
	       event.kind == TRACE_ROW_LOST;
}

static bool at_waking(struct tour *tour)
{
	return tour->shared->here.ts == WAKING;
}

static bool a_at_waking(struct tour *tour)
{
	const struct place *a = places_get(&tour->shared->places, 'a');

	return a && a->ts == WAKING;
}

static bool b_at_run(struct tour *tour)
{
	const struct shared *shared = tour->shared;
	int64_t delta;

	return places_get(&shared->places, 'a') && places_get(&shared->places, 'b') &&
	       places_delta(&shared->places, shared->here.ts, &delta) && delta == RUNS - WAKING;
}

static bool in_fields(struct tour *tour)
{
	return tour->screen->fields;
}

static bool searched(struct tour *tour)
{
	return tour->shared->pattern;
}

static bool in_help(struct tour *tour)
{
	if (tour->screen->help)
		tour->seen = true;
	return tour->seen && !tour->screen->help;
}

static bool saved(struct tour *tour)
{
	if (tour->screen->saving)
		tour->seen = true;
	return tour->seen && !tour->screen->saving;
}

static const struct {
	const char	*keys, *what;
	bool		(*reached)(struct tour *tour);
} steps[] = {
	{ "G g", "go to the end and to the beginning", both_ends },
	{ "]", "go to the next slow call, of 100 ms or more; [ goes back", slow_call },
	{ "!", "go to the next trouble: CPU 0 lost 949 events", lost_events },
	{ ":7.574228 Enter", "go to a time: on-cpu-1 is being woken", at_waking },
	{ "a", "set mark A, to measure from here", a_at_waking },
	{ "j j b", "set mark B where it runs: 93.43 µs from wake-up to run", b_at_run },
	{ "Enter", "choose fields of this row; q leaves them", in_fields },
	{ "/on-cpu-1 Enter", "search; n and N go to the next and previous match", searched },
	{ "?", "list all keys; q closes the help", in_help },
	{ "S t", "save these rows as text, or press Esc", saved },
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

void tour_begin(struct tour *tour)
{
	*tour = (struct tour){ .on = true };
}

bool tour_follow(struct tour *tour, const struct shared *shared, const struct tour_screen *screen)
{
	tour->shared = shared;
	tour->screen = screen;
	if (!tour->on || !shared->trace || !steps[tour->step].reached(tour))
		return false;
	tour->seen = false;
	tour->on = ++tour->step < NR_STEPS;
	return true;
}

void tour_draw(const struct tour *tour, struct canvas *canvas, int row)
{
	char count[24];
	int col = 1;

	if (!tour->on)
		return;
	snprintf(count, sizeof(count), "%u/%zu", tour->step + 1, NR_STEPS);
	canvas_fill(canvas, row, 0, canvas->cols, ROLE_TEXT, " ");
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, count) + 1;
	col += canvas_text(canvas, row, col, canvas->cols - col, ROLE_KEYBAR_KEY,
			   steps[tour->step].keys) +
	       2;
	canvas_fit(canvas, row, col, canvas->cols - col, ROLE_PROMPT_HINT, steps[tour->step].what);
}
