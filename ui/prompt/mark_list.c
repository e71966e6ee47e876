/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/prompt/mark_list.h"

#include "ui/desk/desk.h"
#include "ui/desk/narrow.h"
#include "ui/desk/views.h"

static void add_mark(struct app *app, const struct place *place, const char *label,
		     const char *note, int value)
{
	struct text line = { 0 };
	struct trace_event event;

	text_printf(&line, "%s  ", label);
	if (trace_event_at(app->shared.trace, place->ref, &event))
		views_event_line(app, &event, &line);
	else
		shared_time(&app->shared, place->ts,
			    shared_decimals(&app->shared, app->canvas.cols), &line);
	if (note) {
		text_clear(&line);
		text_printf(&line, "%s  ", label);
		shared_time(&app->shared, place->ts,
			    shared_decimals(&app->shared, app->canvas.cols), &line);
		text_printf(&line, "  %s", note);
	}
	popup_add(&app->popup, value, false, line.data);
	text_fini(&line);
}

/* @value: a letter, or 1000 and the number of a note */
static void go_to_mark(struct app *app, int value)
{
	const struct places *places = &app->shared.at.places;

	views_jump_to_place(app, value >= 1000 ? &places->notes[value - 1000].place :
						 places_get(places, (char)value));
}

static const struct picker mark_picker = {
	.keys = "↑ ↓ Choose  Enter Go there  Esc Back",
	.label = "mark: ",
	.take = go_to_mark,
};

void mark_list_open(struct app *app)
{
	const struct places *places = &app->shared.at.places;

	popup_open(&app->popup, &mark_picker, "Marks and notes");
	for (char letter = 'a'; letter <= 'z'; letter++) {
		const struct place *place = places_get(places, letter);
		char label[2] = { letter <= 'b' ? letter - 'a' + 'A' : letter, '\0' };

		if (place)
			add_mark(app, place, label, NULL, letter);
	}
	for (unsigned int i = 0; i < places->nr_notes; i++)
		add_mark(app, &places->notes[i].place, "\"", places->notes[i].text, 1000 + (int)i);
	if (!app->popup.nr) {
		popup_close(&app->popup);
		app_message(app, "no marks or notes yet; a b m and \" set them");
		return;
	}
	narrow_open(app);
}
