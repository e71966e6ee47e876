/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/places.h"

#include <stdlib.h>
#include <string.h>

#include "src/memory.h"

void places_init(struct places *places)
{
	memset(places, 0, sizeof(*places));
	for (int i = 0; i < 26; i++)
		places->marks[i].ref = TRACE_REF_NONE;
	places->previous.ref = TRACE_REF_NONE;
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

	if (mark->ref == place.ref) {
		mark->ref = TRACE_REF_NONE;
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
	return place->ref == TRACE_REF_NONE ? NULL : place;
}

char places_letter(const struct places *places, trace_ref ref)
{
	for (int i = 0; i < 26; i++)
		if (places->marks[i].ref == ref)
			return i < 2 ? 'A' + i : 'a' + i;
	return 0;
}

static struct note *find_note(const struct places *places, trace_ref ref)
{
	for (unsigned int i = 0; i < places->nr_notes; i++)
		if (places->notes[i].place.ref == ref)
			return &places->notes[i];
	return NULL;
}

void places_note(struct places *places, struct place place, const char *text)
{
	struct note *note = find_note(places, place.ref);

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

const char *places_note_at(const struct places *places, trace_ref ref)
{
	const struct note *note = find_note(places, ref);

	return note ? note->text : NULL;
}

static void push(struct places *places, struct place place)
{
	if (places->at == PLACE_HISTORY) {
		memmove(places->history, places->history + 1, sizeof(places->history[0]) * (PLACE_HISTORY - 1));
		places->at--;
	}
	places->history[places->at++] = place;
}

void places_leave(struct places *places, struct place here)
{
	if (here.ref == TRACE_REF_NONE)
		return;
	places->previous = here;
	if (places->at && places->history[places->at - 1].ref == here.ref) {
		places->nr_history = places->at;	/* a new way forward begins */
		return;
	}
	push(places, here);
	places->nr_history = places->at;
}

struct place places_back(struct places *places, struct place here)
{
	struct place none = { .ref = TRACE_REF_NONE };
	struct place to;

	if (!places->at)
		return none;
	to = places->history[--places->at];
	/* Where we stand takes the place of where we go: so forward finds it. */
	places->history[places->at] = here;
	places->previous = here;
	return to;
}

struct place places_forward(struct places *places, struct place here)
{
	struct place none = { .ref = TRACE_REF_NONE };
	struct place to;

	if (places->at >= places->nr_history)
		return none;
	to = places->history[places->at];
	places->history[places->at++] = here;
	places->previous = here;
	return to;
}

bool places_delta(const struct places *places, int64_t here_ts, int64_t *delta)
{
	const struct place *a = places_get(places, 'a'), *b = places_get(places, 'b');

	if (a && b)
		*delta = time_between(a->ts, b->ts);
	else if (a || b)
		*delta = time_between(a ? a->ts : b->ts, here_ts);
	else
		return false;
	return true;
}
