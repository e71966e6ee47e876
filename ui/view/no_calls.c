/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/no_calls.h"

#include <stdlib.h>
#include <string.h>

#include "src/trace/system_counts.h"
#include "ui/view/nothing_left.h"

#define NAMED	2u			/* systems shown by name; the others are summed */

static void add_count(struct text *out, uint64_t events, const char *system)
{
	text_count(out, events);
	text_char(out, ' ');
	text_printable(out, system, strlen(system));
}

/*
 * "This trace has 1 783 sched and 12 irq events."  @any: are there any?  Return: do some show which
 * task ran?
 */
static bool add_instead(struct trace *trace, struct text *out, bool *any)
{
	struct system_count *counts;
	unsigned int nr = system_counts_get(trace, &counts), named = nr > NAMED + 1 ? NAMED : nr;
	bool sched = false;
	uint64_t others = 0;

	for (unsigned int i = 0; i < nr; i++) {
		sched = sched || !strcmp(counts[i].system, "sched");
		others += i < named ? 0 : counts[i].events;
	}
	for (unsigned int i = 0; i < named; i++) {
		text_add(out, !i ? "This trace has " : i + 1 == named && !others ? " and " : ", ");
		add_count(out, counts[i].events, *counts[i].system ? counts[i].system : "unknown");
	}
	if (others)
		text_add(out, " and "), add_count(out, others, "other");
	if (nr)
		text_add(out, " events.");
	else
		text_add(out, "This trace has no events.");
	free(counts);
	*any = nr;
	return sched;
}

void no_calls_draw(const struct shared *shared, struct canvas *canvas, int top)
{
	struct text t = { 0 };
	bool any, sched = add_instead(shared->trace, &t, &any);

	canvas_text(canvas, top, 2, canvas->cols - 3, ROLE_TEXT,
		    "No function_graph or function records here.");
	canvas_fit(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
	text_clear(&t);
	if (any)
		text_add(&t, sched ? "Press 3 for Timeline or 6 for Tasks to see who ran.\n" :
				     "Press 1 for Events to see them.\n");
	if (trace_has_event(shared->trace, 0, "print"))
		text_add(&t, "Slices of programs: 2 shows them as a tree, 4 how long they took.\n");
	text_add(&t, "To record calls, press R (the form is filled in) or run\n"
		     "ftop-trace record " NO_CALLS_RECORD " -g FUNC CMD");
	nothing_draw(canvas, top + 2, text_str(&t));
	text_fini(&t);
}
