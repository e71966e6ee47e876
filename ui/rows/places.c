/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/places.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

bool place_same(const struct place *a, const struct place *b)
{
	if (!a->set || !b->set || a->ref != b->ref)
		return false;
	return a->ref != TRACE_REF_NONE || (a->ts == b->ts && a->pid == b->pid &&
					    a->cpu == b->cpu && (a->pid < 0 || a->file == b->file));
}

void places_init(struct places *places)
{
	memset(places, 0, sizeof(*places));
}

void places_fini(struct places *places)
{
	for (unsigned int i = 0; i < places->nr_notes; i++)
		free(places->notes[i].text);
	free(places->notes);
	places_init(places);
}

bool places_mark(struct places *places, char letter, struct place place)
{
	struct place *mark = &places->marks[letter - 'a'];

	if (place_same(mark, &place)) {
		mark->set = false;
		return false;
	}
	*mark = place;
	return true;
}

const struct place *places_get(const struct places *places, char letter)
{
	const struct place *place;

	if (letter == '\'')
		place = &places->previous;
	else if (letter >= 'a' && letter <= 'z')
		place = &places->marks[letter - 'a'];
	else
		return NULL;
	return place->set ? place : NULL;
}

char places_letter(const struct places *places, trace_ref ref)
{
	for (int i = 0; ref != TRACE_REF_NONE && i < 26; i++)
		if (places->marks[i].set && places->marks[i].ref == ref)
			return i < 2 ? 'A' + i : 'a' + i;
	return 0;
}

static struct note *find_note(const struct places *places, const struct place *place)
{
	for (unsigned int i = 0; i < places->nr_notes; i++)
		if (place_same(&places->notes[i].place, place))
			return &places->notes[i];
	return NULL;
}

void places_note(struct places *places, struct place place, const char *text)
{
	struct note *note = find_note(places, &place);

	if (note && !*text) {
		free(note->text);
		*note = places->notes[--places->nr_notes];
		return;
	}
	if (!*text)
		return;
	if (!note) {
		mem_grow(&places->notes, places->nr_notes, &places->cap_notes);
		note = &places->notes[places->nr_notes++];
		note->text = NULL;
	}
	free(note->text);
	note->place = place;
	note->text = mem_strdup(text);
}

const char *places_note_of(const struct places *places, const struct place *place)
{
	const struct note *note = find_note(places, place);

	return note ? note->text : NULL;
}

const char *places_note_at(const struct places *places, trace_ref ref)
{
	const struct place place = { .set = true, .ref = ref };

	return ref == TRACE_REF_NONE ? NULL : places_note_of(places, &place);
}

bool range_same(const struct range *a, const struct range *b)
{
	return a->set == b->set && (!a->set || (a->from == b->from && a->to == b->to));
}

static bool same_step(const struct step *a, const struct step *b)
{
	return place_same(&a->place, &b->place) && a->view == b->view &&
	       a->window_from == b->window_from && a->window_to == b->window_to &&
	       range_same(&a->range, &b->range) && a->filters == b->filters;
}

static void push(struct places *places, const struct step *step)
{
	if (places->at == PLACE_HISTORY) {
		memmove(places->history, places->history + 1,
			sizeof(places->history[0]) * (PLACE_HISTORY - 1));
		places->at--;
	}
	places->history[places->at++] = *step;
}

void places_leave(struct places *places, const struct step *now)
{
	places->zooming = false;
	if (!now->place.set)
		return;
	places->previous = now->place;
	if (!places->at || !same_step(&places->history[places->at - 1], now))
		push(places, now);
	places->nr_history = places->at;	/* drops the steps forward */
}

void places_leave_zoom(struct places *places, const struct step *now)
{
	if (places->zooming)
		return;
	if (now->place.set) {
		push(places, now);
		places->nr_history = places->at;
	}
	places->zooming = true;
}

bool places_back(struct places *places, const struct step *now, struct step *to)
{
	places->zooming = false;
	if (!places->at)
		return false;
	*to = places->history[--places->at];
	/* The current place replaces the step taken, so that ) returns to it. */
	places->history[places->at] = *now;
	places->previous = now->place;
	return true;
}

bool places_forward(struct places *places, const struct step *now, struct step *to)
{
	places->zooming = false;
	if (places->at >= places->nr_history)
		return false;
	*to = places->history[places->at];
	places->history[places->at++] = *now;
	places->previous = now->place;
	return true;
}

bool places_delta(const struct places *places, int64_t here_ts, int64_t *delta)
{
	const struct place *a = places_get(places, 'a'), *b = places_get(places, 'b'),
			   *only = a ? a : b;

	if (!only || (a && a->is_old) || (b && b->is_old))
		return false;
	*delta = time_between(only->ts, a && b ? b->ts : here_ts);
	return true;
}
