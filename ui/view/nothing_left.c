/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/nothing_left.h"

#include <string.h>

#include "src/base/shorten.h"

/* Draw on several lines if needed. Return: the line after it. */
static int draw_sentence(struct canvas *canvas, int line, int end, enum role role, const char *s)
{
	int room = canvas->cols - 3;

	for (; line < end && *s; line++) {
		size_t len = canvas_line(s, room);

		canvas_bytes(canvas, line, 2, room, role, s, len);
		s += len;
		s += strspn(s, " ");
	}
	return line;
}

void nothing_draw(struct canvas *canvas, int line, const char *words)
{
	size_t len = strcspn(words, "\n");
	enum role role = ROLE_TEXT;
	struct text t = { 0 };

	for (;;) {
		text_clear(&t);
		text_bytes(&t, words, len);
		line = draw_sentence(canvas, line, canvas->rows, role, text_str(&t));
		if (!words[len])
			break;
		line += role == ROLE_TEXT;	/* a free line below what is missing */
		role = ROLE_DIM;
		words += len + 1;
		len = strcspn(words, "\n");
	}
	text_fini(&t);
}

/* Draws the reasons known so far.  Return: the line after them. */
static int draw_why(struct shared *shared, struct canvas *canvas, int line, int end)
{
	struct text t = { 0 }, fits = { 0 };

	if (line < end && filters_blame(&shared->chosen.filters, &shared->at.places, &t)) {
		/* Cut in the middle: the number at the end matters most. */
		shorten_middle(text_str(&t), canvas->cols - 3, &fits);
		canvas_fit(canvas, line++, 2, canvas->cols - 3, ROLE_TEXT, text_str(&fits));
	}
	text_fini(&fits);
	text_clear(&t);
	if (line < end && filters_reason(&shared->chosen.filters, &shared->at.places, &t))
		line = draw_sentence(canvas, line, end, ROLE_TEXT, text_str(&t));
	text_fini(&t);
	return line;
}

/* Keys that let a table count more. */
static const char *keys_of_table(const struct shared *shared)
{
	if (!filters_active(&shared->chosen.filters))
		return "r the whole trace";
	return shared->at.places.range.set ? "F all filters off   f edit   r the whole trace" :
					     "F all filters off   f edit";
}

void nothing_left_draw(struct shared *shared, struct canvas *canvas, int line, int end,
		       const char *sentence, const char *keys)
{
	int behind;

	if (line >= end)
		return;
	canvas_fit(canvas, line, 2, canvas->cols - 3, ROLE_TEXT, sentence);
	behind = draw_why(shared, canvas, line + 1, end);
	/* Reserve a line for the reason, which takes a moment to find. */
	if (behind < line + 2)
		behind = line + 2;
	if (behind + 1 < end)
		canvas_text(canvas, behind + 1, 2, canvas->cols - 3, ROLE_DIM,
			    keys ? keys : keys_of_table(shared));
}
