/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/timeline/timeline_text.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/timeline/sched_story.h"
#include "src/timeline/timeline_guests.h"
#include "src/timeline/timeline_labels.h"
#include "src/timeline/timeline_plot.h"

#define LOAD_CELLS	4

static void trim(struct text *out, size_t start)
{
	while (out->len > start && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

static void add_label(struct timeline *t, const struct timeline_text *p,
		      const struct timeline_row *row, struct text *out)
{
	struct text raw = { 0 }, name = { 0 }, load = { 0 };
	bool is_task = row->kind == TIMELINE_OF_TASK;
	bool indent = !is_task && row->kind != TIMELINE_CPU;

	timeline_name(t, row, TIMELINE_LAST_NAME, &raw);
	text_printable(&name, text_str(&raw), raw.len);
	text_add(out, indent ? "  " : " ");
	timeline_fit_name(text_str(&name), is_task, p->label - LOAD_CELLS - 3 - indent, out);
	timeline_load(t, row, &load);
	text_printf(out, " %*s ", LOAD_CELLS, text_str(&load));
	text_fini(&raw);
	text_fini(&name);
	text_fini(&load);
}

static void add_row(struct timeline *t, const struct timeline_text *p,
		    const struct timeline_row *row, struct timeline_cell *cells, struct text *out)
{
	size_t start = out->len;

	if (row->kind == TIMELINE_IDLE_CPUS) {
		text_char(out, ' ');
		timeline_name(t, row, TIMELINE_LAST_NAME, out);
		text_char(out, '\n');
		return;
	}
	add_label(t, p, row, out);
	timeline_draw(t, row, cells);
	for (unsigned int i = 0; i < t->columns; i++)
		text_add(out, cells[i].glyph);
	trim(out, start);
	text_char(out, '\n');
}

static void add_headings(const struct timeline *t, const struct timeline_text *p, struct text *out)
{
	struct text step = { 0 };
	size_t start;

	timeline_scale(t, &step);
	text_printf(out, " %s in the window%*s%s a column\n",
		    sched_pass_is_seen(sched_pass_of(t->sched)) ? "seen" : "busy", 19, "",
		    text_str(&step));
	text_fini(&step);
	start = out->len;
	text_pad(out, (size_t)p->label);
	timeline_ruler(t, false, out);
	trim(out, start);
	text_char(out, '\n');
}

/* The moment below its column. */
static void add_moment(const struct timeline *t, const struct timeline_text *p, struct text *out)
{
	int64_t column = p->at_ts < t->from ? -1 : (p->at_ts - t->from) / t->step;
	struct text time = { 0 };

	if (column < 0 || column >= (int64_t)t->columns)
		return;
	timeline_time(t, p->at_ts, 9, &time);
	if (column + 3 + (int64_t)time.len > (int64_t)t->columns) {
		size_t before = (size_t)(p->label + column), words = time.len + 1;

		text_pad(out, before > words ? before - words : 0);
		text_printf(out, "%s %s\n", text_str(&time), t->ascii ? "^" : "▲");
	} else {
		text_pad(out, (size_t)(p->label + column));
		text_printf(out, "%s %s\n", t->ascii ? "^" : "▲", text_str(&time));
	}
	text_fini(&time);
}

/* Lines of words, as wide as the picture. */
static void add_words(const char *s, int width, struct text *out)
{
	int used = 1;

	text_char(out, ' ');
	while (*s) {
		size_t len = strcspn(s, " ");
		int cells = text_cells(s, len);

		if (used > 1 && used + 1 + cells > width) {
			text_add(out, "\n ");
			used = 1;
		} else if (used > 1) {
			text_char(out, ' ');
			used++;
		}
		text_bytes(out, s, len);
		used += cells;
		s += len + strspn(s + len, " ");
	}
	text_char(out, '\n');
}

/* Adds the lines below the rows: the moment, the legend, what row @at did then. */
static void add_below(struct timeline *t, const struct timeline_text *p,
		      const struct timeline_row *at, struct text *out)
{
	int width = p->label + (int)t->columns;
	struct text story = { 0 };
	size_t start = out->len;

	if (p->has_at)
		add_moment(t, p, out);
	text_char(out, ' ');
	timeline_legend(t, width - 2, out);
	text_char(out, '\n');
	if (p->has_at && at) {
		if (at->kind == TIMELINE_PLOT)
			timeline_plot_story(t, at, p->at_ts, &story);
		else if (at->kind == TIMELINE_VCPU)
			timeline_guests_story(t, at, p->at_ts, &story);
		else
			sched_story_row(t->sched, at, p->at_ts, &story);
		add_words(text_str(&story), width, out);
	}
	if (t->ascii)
		text_to_ascii(out, start);
	text_fini(&story);
}

void timeline_text_picture(struct timeline *t, const struct timeline_text *p, struct text *out)
{
	struct timeline_cell *cells = mem_array(t->columns, sizeof(*cells));
	const struct timeline_row *at = NULL;
	uint32_t drawn = 0;

	t->drawn = 0;
	if (!p->picker || !p->picker->count) {
		size_t start = out->len;

		add_headings(t, p, out);
		if (t->ascii)
			text_to_ascii(out, start);
	}
	for (uint32_t i = 0; i < p->nr_rows; i++) {
		size_t start = out->len;

		add_row(t, p, &p->rows[i], cells, out);
		if (t->ascii)
			text_to_ascii(out, start);
		if ((!p->picker || row_picker_row(p->picker, out, start)) && drawn++ == p->at)
			at = &p->rows[i];
	}
	if (!p->picker || !p->picker->count)
		add_below(t, p, at, out);
	free(cells);
}
