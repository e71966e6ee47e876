/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/popup.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

void popup_open(struct popup *popup, const struct picker *picker, const char *title)
{
	unsigned int at = popup->picker == picker && picker->change ? popup->window.at : 0;
	bool has_chosen = at < popup->nr && popup->picker == picker && picker->change;
	int chosen = has_chosen ? popup->lines[at].value : 0;

	popup_close(popup);
	popup->picker = picker;
	popup->window.at = at;
	popup->has_chosen = has_chosen;
	popup->chosen = chosen;
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

/* All lines are in the list again. */
static void widen(struct popup *popup)
{
	if (!popup->all)
		return;
	free(popup->lines);
	popup->lines = popup->all;
	popup->nr = popup->cap = popup->nr_all;
	popup->all = NULL;
}

void popup_close(struct popup *popup)
{
	widen(popup);
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

void popup_add_entry(struct popup *popup, int cols, int value, int indent, const char *head,
		     const char *s)
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

/* The line after the last one of the entry that begins at @from. */
static unsigned int entry_end(const struct popup *popup, unsigned int from)
{
	do
		from++;
	while (from < popup->nr && (popup->lines[from].goes_on || popup->lines[from].heading));
	return from;
}

static bool entry_has(const struct popup *popup, unsigned int from, unsigned int to,
		      const char *text)
{
	while (from < to && !strcasestr(popup->lines[from].text + popup->lines[from].name, text) &&
	       !(popup->lines[from].words && strcasestr(popup->lines[from].words, text)))
		from++;
	return from < to;
}

/* The line under the cursor, by its value, unless one is remembered already. */
static void remember_chosen(struct popup *popup)
{
	if (popup->has_chosen || popup->window.at >= popup->nr)
		return;
	popup->has_chosen = true;
	popup->chosen = popup->lines[popup->window.at].value;
}

void popup_narrow(struct popup *popup, const char *text)
{
	struct popup_line *left;
	unsigned int at = 0, nr = 0;
	bool has;

	remember_chosen(popup);
	has = popup->has_chosen;
	popup->has_chosen = false;
	widen(popup);
	text_clear(&popup->found);
	text_add(&popup->found, text);
	left = mem_array(popup->nr + 1, sizeof(*left));
	for (unsigned int i = 0, next; i < popup->nr; i = next) {
		next = entry_end(popup, i);
		if (!entry_has(popup, i, next, text))
			continue;
		if (has && popup->lines[i].value == popup->chosen)
			at = nr;
		for (; i < next; i++)
			left[nr++] = popup->lines[i];
	}
	popup->all = popup->lines;
	popup->nr_all = popup->nr;
	popup->lines = left;
	popup->nr = nr;
	popup->window.at = at;
}

/* Lays entries out again for a new screen width; keeps the chosen entry, or the first one shown. */
static void lay_out_all(struct popup *popup, int cols)
{
	struct popup_line *old = popup->lines;
	unsigned int nr = popup->nr, cursor = popup->window.at, top = popup->window.top, first = 0;

	popup->lines = NULL;
	popup->nr = popup->cap = 0;
	for (unsigned int i = 0; i < nr; i++) {
		if (!old[i].goes_on) {
			first = popup->nr;
			if (old[i].words)
				popup_add_entry(popup, cols, old[i].value, old[i].indent,
						old[i].head, old[i].words);
			else
				popup_add(popup, old[i].value, old[i].heading, old[i].text);
		}
		if (i == cursor)
			popup->window.at = first;
		if (i == top)
			popup->window.top = first;
	}
	free_lines(old, nr);
}

static void lay_out(struct popup *popup, int cols)
{
	struct text typed = { 0 };

	if (!popup->all) {
		lay_out_all(popup, cols);
		return;
	}
	text_add(&typed, text_str(&popup->found));
	remember_chosen(popup);
	widen(popup);
	lay_out_all(popup, cols);
	popup_narrow(popup, text_str(&typed));
	text_fini(&typed);
}

/* Does a word of its name begin with what narrows the list? */
static bool begins(const struct popup *popup, const struct popup_line *line)
{
	const char *name = line->head ?: line->text + line->name, *at = name;
	const char *found = text_str(&popup->found);

	if (!*found || line->heading || line->goes_on)
		return false;
	while ((at = strcasestr(at, found)) && at > name && isalnum((unsigned char)at[-1]))
		at++;
	return at;
}

void popup_start(struct popup *popup)
{
	struct list_window *w = &popup->window;

	w->at = w->top = 0;
	while (popup_chooses(popup) && w->at + 1 < popup->nr && popup->lines[w->at].heading)
		w->at++;
	for (unsigned int i = w->at; popup_chooses(popup) && i < popup->nr; i++)
		if (begins(popup, &popup->lines[i])) {
			w->at = i;
			return;
		}
}

/* In a popup without choices, the cursor is the first line shown. */
static bool scroll(struct popup *popup, enum request request)
{
	struct list_window *w = &popup->window, tops = { .at = w->top, .height = w->height };

	if (!list_window_request(&tops, request,
				 popup->nr > w->height ? popup->nr - w->height + 1 : 1))
		return false;
	w->at = w->top = tops.at;
	return true;
}

static bool move(struct popup *popup, enum request request)
{
	struct list_window *w = &popup->window;
	unsigned int former = w->at;

	if (!popup_chooses(popup))
		return scroll(popup, request);
	if (!list_window_request(w, request, popup->nr))
		return false;
	while (w->at < popup->nr && popup->lines[w->at].heading)
		w->at += w->at < former ? -1u : 1;
	if (w->at >= popup->nr)
		w->at = former;
	return true;
}

enum popup_result popup_key(struct popup *popup, ui_key key, enum request request)
{
	if (key == UI_KEY_ESC) {
		if (popup->found.len) {
			text_clear(&popup->found);
			return POPUP_STAYS;
		}
		return POPUP_CLOSED;
	}
	if (popup_chooses(popup) && key == ' ')
		return POPUP_TOGGLED;
	if (request == REQ_FIRST)
		return popup_start(popup), POPUP_STAYS;
	if (move(popup, request))
		return POPUP_STAYS;
	switch ((int)request) {
	case REQ_BACK:
	case REQ_INTERRUPT:
		return POPUP_CLOSED;
	case REQ_HELP:
		return popup->picker->help == POPUP_SHORT_HELP ? POPUP_MORE :
		       popup->picker->help                     ? POPUP_CLOSED :
								 POPUP_UNKNOWN;
	case REQ_ENTER:
		return popup_chooses(popup) && popup->nr ? POPUP_CHOSEN : POPUP_CLOSED;
	case REQ_LEFT:
	case REQ_RIGHT:
		return popup_chooses(popup) ? POPUP_TOGGLED : POPUP_STAYS;
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

void popup_choose(struct popup *popup, struct app *app, bool toggled)
{
	const struct picker *picker = popup->picker;
	int value = popup->nr ? popup->lines[popup->window.at].value : 0;

	if (picker->change) {
		picker->change(app, value);
	} else if (picker->take && !toggled) {
		popup_close(popup);
		picker->take(app, value);
	}
}

bool popup_find(struct popup *popup, const char *text, bool forward)
{
	unsigned int from = popup->window.at;

	if (text) {
		text_clear(&popup->found);
		text_add(&popup->found, text);
	}
	if (!popup->found.len)
		return false;
	for (unsigned int i = 1; i <= popup->nr; i++) {
		unsigned int at = (from + (forward ? i : popup->nr - i)) % popup->nr;

		if (popup->lines[at].heading && popup_chooses(popup))
			continue;
		if (!strcasestr(popup->lines[at].text, popup->found.data))
			continue;
		popup->window.at = at;
		if (!popup_chooses(popup))
			popup->window.top = at;
		return true;
	}
	return false;
}

static void draw_line(const struct popup *popup, struct canvas *canvas, int row, unsigned int i)
{
	const struct popup_line *line = &popup->lines[i];
	const char *hit;

	canvas_fit(canvas, row, 2, canvas->cols - 3, line->heading ? ROLE_HEADING : ROLE_TEXT,
		   line->text);
	if (popup->found.len && (hit = strcasestr(line->text, popup->found.data)) != NULL)
		canvas_over(canvas, row, 2 + canvas_width(line->text, hit - line->text),
			    canvas_width(popup->found.data, popup->found.len),
			    i == popup->window.at ? ROLE_MATCH_CURRENT : ROLE_MATCH);
	if (popup_chooses(popup) && i == popup->window.at)
		canvas_cursor(canvas, row, 0, canvas->cols, ROLE_SELECTED);
}

#define HEADING_ROWS	2		/* title and divider */
#define LEAST_ROWS	24		/* of a screen whose halves are large enough */

int popup_top(const struct popup *popup, int rows)
{
	int needs = HEADING_ROWS + (int)popup->nr + 1 + popup->foot;

	if (!popup->picker->lower || rows < LEAST_ROWS)
		return 0;
	return needs < rows / 2 ? rows - needs : rows - rows / 2;
}

void popup_draw(struct popup *popup, struct canvas *canvas)
{
	struct list_window *w = &popup->window;
	int top = popup_top(popup, canvas->rows);
	unsigned int behind;

	if (popup->cols && popup->cols != canvas->cols)
		lay_out(popup, canvas->cols);
	for (int row = top; row < canvas->rows; row++)
		canvas_fill(canvas, row, 0, canvas->cols, ROLE_TEXT, " ");
	list_window_show(w, top + HEADING_ROWS, canvas->rows - top - HEADING_ROWS - 1 - popup->foot,
			 popup->nr);
	/* The heading above the first line that can be chosen stays visible. */
	if (popup_chooses(popup) && w->top == 1 && popup->lines[0].heading && w->at < w->height)
		w->top = 0;
	canvas_fit(canvas, top, 1, canvas->cols - 2, ROLE_HEADER, popup->title);
	canvas_fill(canvas, top + 1, 0, canvas->cols, ROLE_DIVIDER, "─");
	behind = w->top + w->height < popup->nr ? w->top + w->height : popup->nr;
	for (unsigned int i = w->top; i < behind; i++)
		draw_line(popup, canvas, w->row + (int)(i - w->top), i);
	if (popup->nr > w->height) {
		char where[32];

		snprintf(where, sizeof(where), " %u–%u of %u ", w->top + 1, behind, popup->nr);
		canvas_right(canvas, top + 1, canvas->cols - 26, 24, ROLE_DIM, where);
	}
}
