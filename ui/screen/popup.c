/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/popup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/screen/keymap.h"

void popup_open(struct popup *popup, enum popup_kind kind, const char *title, const char *keys, bool choose)
{
	popup_close(popup);
	popup->kind = kind;
	popup->keys = keys;
	popup->choose = choose;
	snprintf(popup->title, sizeof(popup->title), "%s", title);
}

static void free_lines(struct popup_line *lines, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		free(lines[i].text);
		free(lines[i].head);
		free(lines[i].words);
	}
	free(lines);
}

void popup_close(struct popup *popup)
{
	free_lines(popup->lines, popup->nr);
	text_fini(&popup->found);
	memset(popup, 0, sizeof(*popup));
}

static struct popup_line *add_line(struct popup *popup, int value, const char *text)
{
	mem_grow(&popup->lines, popup->nr, &popup->cap);
	popup->lines[popup->nr] = (struct popup_line){ .text = mem_strdup(text), .value = value };
	return &popup->lines[popup->nr++];
}

void popup_add(struct popup *popup, int value, bool heading, const char *text)
{
	add_line(popup, value, text)->heading = heading;
}

void popup_add_entry(struct popup *popup, int cols, int value, int indent, const char *head, const char *s)
{
	int room = cols - 4 - indent < 20 ? 20 : cols - 4 - indent;
	const char *rest = s, *label = head;

	popup->cols = cols;
	do {
		size_t take = canvas_line(rest, room);
		struct popup_line *added;
		struct text line = { 0 };

		text_add(&line, label);
		text_pad(&line, (size_t)(indent - canvas_width(label, strlen(label))));
		text_bytes(&line, rest, take);
		added = add_line(popup, value, text_str(&line));
		text_fini(&line);
		added->indent = indent;
		added->goes_on = rest != s;
		if (rest == s) {
			added->head = mem_strdup(head);
			added->words = mem_strdup(s);
		}
		label = "";
		rest += take + strspn(rest + take, " ");
	} while (*rest);
}

/* Lays entries out again for a new screen width; keeps the chosen entry, or the first one shown. */
static void lay_out(struct popup *popup, int cols)
{
	struct popup_line *old = popup->lines;
	unsigned int nr = popup->nr, cursor = popup->cursor, top = popup->top, first = 0;

	popup->lines = NULL;
	popup->nr = popup->cap = 0;
	for (unsigned int i = 0; i < nr; i++) {
		if (!old[i].goes_on) {
			first = popup->nr;
			if (old[i].words)
				popup_add_entry(popup, cols, old[i].value, old[i].indent, old[i].head, old[i].words);
			else
				popup_add(popup, old[i].value, old[i].heading, old[i].text);
		}
		if (i == cursor)
			popup->cursor = first;
		if (i == top)
			popup->top = first;
	}
	free_lines(old, nr);
}

void popup_start(struct popup *popup)
{
	popup->cursor = popup->top = 0;
	while (popup->choose && popup->cursor + 1 < popup->nr && popup->lines[popup->cursor].heading)
		popup->cursor++;
}

static void move_to(struct popup *popup, long to)
{
	long last = (long)popup->nr - (popup->choose ? 1 : (long)popup->height);
	long step = to < (long)popup->cursor ? -1 : 1;

	if (last < 0)
		last = 0;
	if (to > last)
		to = last;
	if (to < 0)
		to = 0;
	if (!popup->choose) {
		popup->top = popup->cursor = to;
		return;
	}
	while (to >= 0 && to < (long)popup->nr && popup->lines[to].heading)
		to += step;
	if (to >= 0 && to < (long)popup->nr)
		popup->cursor = to;
}

enum popup_result popup_key(struct popup *popup, ui_key key)
{
	long at = popup->choose ? popup->cursor : popup->top;
	long page = popup->height ? popup->height : 1;
	enum request request = keymap_find(key);

	if (key == UI_KEY_ESC) {
		if (popup->found.len) {
			text_clear(&popup->found);
			return POPUP_STAYS;
		}
		return POPUP_CLOSED;
	}
	if (popup->choose && key == ' ')
		return POPUP_TOGGLED;
	switch ((int)request) {
	case REQ_BACK:
	case REQ_INTERRUPT:
		return POPUP_CLOSED;
	case REQ_HELP:
		return popup->kind == POPUP_HELP ? POPUP_CLOSED : POPUP_UNKNOWN;
	case REQ_DOWN:
		move_to(popup, at + 1);
		return POPUP_STAYS;
	case REQ_UP:
		move_to(popup, at - 1);
		return POPUP_STAYS;
	case REQ_PAGE_DOWN:
		move_to(popup, at + page);
		return POPUP_STAYS;
	case REQ_PAGE_UP:
		move_to(popup, at - page);
		return POPUP_STAYS;
	case REQ_HALF_DOWN:
		move_to(popup, at + page / 2);
		return POPUP_STAYS;
	case REQ_HALF_UP:
		move_to(popup, at - page / 2);
		return POPUP_STAYS;
	case REQ_FIRST:
		popup_start(popup);
		return POPUP_STAYS;
	case REQ_LAST:
		move_to(popup, popup->nr);
		return POPUP_STAYS;
	case REQ_ENTER:
		return popup->choose && popup->nr ? POPUP_CHOSEN : POPUP_CLOSED;
	case REQ_LEFT:
	case REQ_RIGHT:
		return popup->choose ? POPUP_TOGGLED : POPUP_STAYS;
	case REQ_SEARCH:
		return POPUP_SEARCH;
	case REQ_MATCH_NEXT:
	case REQ_MATCH_PREV:
		if (popup->found.len)
			popup_find(popup, NULL, request == REQ_MATCH_NEXT);
		return POPUP_STAYS;
	default:
		return POPUP_UNKNOWN;
	}
}

bool popup_find(struct popup *popup, const char *text, bool forward)
{
	unsigned int from = popup->cursor;

	if (text) {
		text_clear(&popup->found);
		text_add(&popup->found, text);
	}
	if (!popup->found.len)
		return false;
	for (unsigned int i = 1; i <= popup->nr; i++) {
		unsigned int at = (from + (forward ? i : popup->nr - i)) % popup->nr;

		if (popup->lines[at].heading && popup->choose)
			continue;
		if (!strcasestr(popup->lines[at].text, popup->found.data))
			continue;
		popup->cursor = at;
		if (!popup->choose)
			popup->top = at;
		return true;
	}
	return false;
}

static void draw_line(const struct popup *popup, struct canvas *canvas, int row, unsigned int i)
{
	const struct popup_line *line = &popup->lines[i];
	const char *hit;

	canvas_fit(canvas, row, 2, canvas->cols - 3, line->heading ? ROLE_HEADING : ROLE_TEXT, line->text);
	if (popup->found.len && (hit = strcasestr(line->text, popup->found.data)) != NULL)
		canvas_over(canvas, row, 2 + canvas_width(line->text, hit - line->text),
			    canvas_width(popup->found.data, popup->found.len),
			    i == popup->cursor ? ROLE_MATCH_CURRENT : ROLE_MATCH);
	if (popup->choose && i == popup->cursor) {
		canvas_text(canvas, row, 0, 1, ROLE_TEXT, ">");
		canvas_over(canvas, row, 0, canvas->cols, ROLE_SELECTED);
	}
}

void popup_draw(struct popup *popup, struct canvas *canvas)
{
	int rows = canvas->rows - 3 - popup->foot;

	if (popup->cols && popup->cols != canvas->cols)
		lay_out(popup, canvas->cols);
	canvas_clear(canvas);
	popup->height = rows > 0 ? rows : 1;
	if (popup->choose) {
		if (popup->cursor < popup->top)
			popup->top = popup->cursor;
		if (popup->cursor >= popup->top + popup->height)
			popup->top = popup->cursor - popup->height + 1;
		/* The heading above the first line that can be chosen stays in sight. */
		if (popup->top == 1 && popup->lines[0].heading && popup->cursor < popup->height)
			popup->top = 0;
	} else if (popup->nr > popup->height && popup->top > popup->nr - popup->height) {
		popup->top = popup->nr - popup->height;
	} else if (popup->nr <= popup->height) {
		popup->top = 0;
	}
	canvas_fit(canvas, 0, 1, canvas->cols - 2, ROLE_HEADER, popup->title);
	canvas_fill(canvas, 1, 0, canvas->cols, ROLE_DIVIDER, "─");
	for (unsigned int i = 0; i < popup->height && popup->top + i < popup->nr; i++)
		draw_line(popup, canvas, 2 + (int)i, popup->top + i);
	if (popup->nr > popup->height) {
		char where[32];

		snprintf(where, sizeof(where), " %u–%u of %u ", popup->top + 1,
			 popup->top + popup->height < popup->nr ? popup->top + popup->height : popup->nr, popup->nr);
		canvas_right(canvas, 1, canvas->cols - 26, 24, ROLE_DIM, where);
	}
}
