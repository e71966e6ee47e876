/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/rows.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

/* rows of other CPUs that may stand between an event and its stack */
#define STACK_SEARCH_ROWS	512
#define ABOVE_SEARCH_ROWS	8	/* lost and damage rows skipped to find the event above */

void rows_init(struct rows *rows, struct shared *shared)
{
	memset(rows, 0, sizeof(*rows));
	rows->shared = shared;
	rows->cursor = row_cursor_new(shared);
	rows->plain = trace_cursor_new(shared->trace);
	rows->height = 1;
	rows->room = row_any_room;
	rows->top = trace_first(shared->trace);
}

static void drop_cache(struct rows *rows)
{
	for (unsigned int i = 0; i < rows->nr_cache; i++) {
		row_fini(rows->cache[i]);
		free(rows->cache[i]);
	}
	rows->nr_cache = 0;
	rows->nr_lines = 0;
	rows->valid = rows->filling = false;
}

static void seek(struct rows *rows, trace_ref ref)
{
	rows->filling = false;
	row_cursor_seek(rows->cursor, ref);
}

static bool hides_rows(const struct rows *rows)
{
	return rows->shared->chosen.streams || filters_hiding(&rows->shared->chosen.filters);
}

void rows_fini(struct rows *rows)
{
	drop_cache(rows);
	free(rows->cache);
	free(rows->lines);
	free(rows->toggled);
	row_cursor_free(rows->cursor);
	trace_cursor_free(rows->plain);
	memset(rows, 0, sizeof(*rows));
}

void rows_forget(struct rows *rows)
{
	trace_ref here = rows->at < rows->nr_lines ? rows->lines[rows->at].row->ref : rows->top;
	unsigned int frame = rows->at < rows->nr_lines ? rows->lines[rows->at].frame : 0;

	drop_cache(rows);
	row_cursor_take(rows->cursor);
	if (rows->shared->at.anchored) {
		rows_go_to_line(rows, shared_row_of(rows->shared, &rows->shared->at.anchor),
				rows->shared->at.anchor_line);
		return;
	}
	rows_fill(rows);
	if (!rows->nr_lines && !rows->later) {	/* keep the place until rows are listed again */
		rows->top = here;
		rows->top_frame = frame;
		return;
	}
	/*
	 * The cursor stays on its row if that is still listed; else it goes to the next listed row.
	 */
	for (unsigned int i = 0; i < rows->nr_lines; i++) {
		if (rows->lines[i].row->ref == here && rows->lines[i].frame == frame) {
			rows->at = i;
			return;
		}
	}
	rows_go(rows, here);
}

void rows_set_height(struct rows *rows, unsigned int height)
{
	unsigned int at = rows->at;

	if (!height)
		height = 1;
	if (height == rows->height)
		return;
	rows->height = height;
	rows->valid = false;
	rows_fill(rows);
	if (at >= height) {		/* the cursor's row stays on the screen */
		rows->at = height - 1;
		rows_scroll(rows, (int)(at - height + 1));
		rows->at = rows->at < rows->nr_lines ? rows->at :
			   rows->nr_lines            ? rows->nr_lines - 1 :
						       0;
	}
}

void rows_set_room(struct rows *rows, struct row_room room)
{
	if (room.cells == rows->room.cells && room.named == rows->room.named)
		return;
	rows->room = room;
	rows_forget(rows);
}

/* --- stacks -------------------------------------------------------------- */

bool rows_is_open(const struct rows *rows, trace_ref ref)
{
	for (unsigned int i = 0; i < rows->nr_toggled; i++)
		if (rows->toggled[i] == ref)
			return !rows->all_open;
	return rows->all_open;
}

void rows_open(struct rows *rows, trace_ref ref, bool open)
{
	if (rows_is_open(rows, ref) == open)
		return;
	rows->valid = false;
	for (unsigned int i = 0; i < rows->nr_toggled; i++) {
		if (rows->toggled[i] == ref) {
			rows->toggled[i] = rows->toggled[--rows->nr_toggled];
			rows_fill(rows);
			return;
		}
	}
	mem_grow(&rows->toggled, rows->nr_toggled, &rows->cap_toggled);
	rows->toggled[rows->nr_toggled++] = ref;
	rows_fill(rows);
}

void rows_open_all(struct rows *rows, bool open)
{
	const struct row *here = rows_here(rows);
	trace_ref ref = here ? here->ref : TRACE_REF_NONE;

	rows->all_open = open;
	rows->nr_toggled = 0;
	rows->top_frame = 0;
	rows->valid = false;
	if (ref != TRACE_REF_NONE)
		rows_go(rows, ref);
}

void rows_open_these(struct rows *rows, bool all_open, const trace_ref *toggled, unsigned int nr)
{
	rows->all_open = all_open;
	rows->valid = false;
	rows->nr_toggled = 0;
	for (unsigned int i = 0; i < nr; i++) {
		mem_grow(&rows->toggled, rows->nr_toggled, &rows->cap_toggled);
		rows->toggled[rows->nr_toggled++] = toggled[i];
	}
}

trace_ref rows_stack_of(struct rows *rows, const struct row *row)
{
	struct trace_event event;
	trace_ref ref = row->ref, found = TRACE_REF_NONE;
	unsigned int stream = row->stream, level = 0;

	if (!row->is_event)
		return TRACE_REF_NONE;
	if (row->is_stack)
		return ref;
	trace_cursor_seek(rows->plain, ref);
	if (trace_cursor_next(rows->plain, &event))
		level = trace_context_level(event.flags);
	for (unsigned int i = 0; i < STACK_SEARCH_ROWS && trace_cursor_next(rows->plain, &event);
	     i++) {
		if (event.stream != stream || trace_context_level(event.flags) > level)
			continue;	/* an interrupt may come between */
		if (trace_event_is_stack(&event))
			found = event.ref;
		break;
	}
	return found;
}

/* --- the window ---------------------------------------------------------- */

/* A leaf call is dimmed if the filters keep neither its entry nor its exit. */
static struct row *render(struct rows *rows, const struct trace_event *event)
{
	const struct shared *shared = rows->shared;
	struct row *row = mem_alloc(sizeof(*row));
	struct trace_event exit;
	bool leaf = leaf_calls_exit(shared->leaves, event, &exit);

	row_render(row, shared, event, leaf ? &exit : NULL, &rows->room);
	row->filtered = filters_dims(&shared->chosen.filters, event) &&
			(!leaf || filters_dims(&shared->chosen.filters, &exit));
	return row;
}

static struct row *cached(struct rows *rows, const struct trace_event *event)
{
	for (unsigned int i = 0; i < rows->nr_cache; i++)
		if (rows->cache[i]->ref == event->ref)
			return rows->cache[i];
	mem_grow(&rows->cache, rows->nr_cache, &rows->cap_cache);
	rows->cache[rows->nr_cache] = render(rows, event);
	return rows->cache[rows->nr_cache++];
}

static unsigned int lines_of(const struct rows *rows, const struct row *row)
{
	return row->is_stack && rows_is_open(rows, row->ref) ? 1 + row->nr_frames : 1;
}

/* Frees rows that left the window once there are many of them. */
static void trim_cache(struct rows *rows)
{
	unsigned int kept = 0;

	if (rows->nr_cache < 4 * rows->height + 64)
		return;
	for (unsigned int i = 0; i < rows->nr_cache; i++) {
		struct row *row = rows->cache[i];
		bool used = false;

		for (unsigned int n = 0; n < rows->nr_lines && !used; n++)
			used = rows->lines[n].row == row;
		if (used) {
			rows->cache[kept++] = row;
		} else {
			row_fini(row);
			free(row);
		}
	}
	rows->nr_cache = kept;
}

static bool find_above(struct rows *rows, int64_t *ts)
{
	struct trace_event event;

	seek(rows, rows->top);
	for (int i = 0; i < ABOVE_SEARCH_ROWS && row_cursor_prev(rows->cursor, &event); i++) {
		if (trace_is_event(&event)) {
			*ts = event.ts;
			return true;
		}
	}
	return false;
}

static void add_lines(struct rows *rows, const struct row *row, unsigned int first)
{
	unsigned int nr = lines_of(rows, row);

	for (unsigned int frame = first < nr ? first : nr - 1;
	     frame < nr && rows->nr_lines < rows->height; frame++) {
		mem_grow(&rows->lines, rows->nr_lines, &rows->cap_lines);
		rows->lines[rows->nr_lines++] = (struct row_line_ref){ .row = row, .frame = frame };
	}
}

/* Sets the event above each line; moves the cursor. */
static void fill_above(struct rows *rows)
{
	int64_t above = 0;
	bool has_above = rows->nr_lines && find_above(rows, &above);

	for (unsigned int i = 0; i < rows->nr_lines; i++) {
		struct row_line_ref *line = &rows->lines[i];
		bool last = i + 1 == rows->nr_lines || rows->lines[i + 1].row != line->row;

		line->has_above = has_above;
		line->above_ts = above;
		if (last && line->row->is_event) {
			above = line->row->ts;
			has_above = true;
		}
	}
}

static void fill_gaps(struct rows *rows)
{
	fill_above(rows);
	row_gaps_fill(rows);
}

void rows_set_gaps(struct rows *rows, unsigned int gaps)
{
	if (gaps == rows->gaps)
		return;
	rows->gaps = gaps;
	if (rows->valid && !rows->later)
		fill_gaps(rows);
}

static void fill_on(struct rows *rows)
{
	struct trace_event event;

	while (rows->nr_lines < rows->height && row_cursor_next(rows->cursor, &event)) {
		const struct row *row = cached(rows, &event);

		if (!rows->nr_lines)
			rows->top = row->ref;	/* the next listed row, if the former top is gone */
		add_lines(rows, row, rows->first_frame);
		rows->first_frame = 0;
	}
	rows->later = rows->filling = rows->nr_lines < rows->height &&
				      row_cursor_is_later(rows->cursor);
	if (!rows->later)
		fill_gaps(rows);
}

static void fill_from_top(struct rows *rows)
{
	rows->nr_lines = 0;
	rows->later = false;
	if (rows->top == TRACE_REF_NONE)
		rows->top = trace_first(rows->shared->trace);
	if (rows->top == TRACE_REF_NONE)
		return;
	seek(rows, rows->top);
	rows->first_frame = rows->top_frame;
	fill_on(rows);
}

/* Moves the top up by @lines, or fewer at the start of the trace.  Returns how many. */
static unsigned int top_up(struct rows *rows, unsigned int lines)
{
	struct trace_event event;
	unsigned int moved = 0;

	if (rows->top_frame >= lines) {
		rows->top_frame -= lines;
		return lines;
	}
	moved = rows->top_frame;
	rows->top_frame = 0;
	seek(rows, rows->top);
	while (moved < lines && row_cursor_prev(rows->cursor, &event)) {
		unsigned int nr = lines_of(rows, cached(rows, &event));

		rows->top = event.ref;
		if (moved + nr > lines) {
			rows->top_frame = moved + nr - lines;
			moved = lines;
		} else {
			moved += nr;
		}
	}
	return moved;
}

/* Moves the top up if lines below the last row would stay empty; the cursor stays on its row. */
static void fill_up(struct rows *rows)
{
	bool none = !rows->nr_lines;
	unsigned int moved = top_up(rows, rows->height - rows->nr_lines);
	bool later = moved + rows->nr_lines < rows->height && row_cursor_is_later(rows->cursor);

	if (moved) {
		rows->at = none ? moved - 1 : rows->at + moved;
		fill_from_top(rows);
	}
	rows->later = rows->later || later;
}

void rows_fill(struct rows *rows)
{
	if (rows->valid && !rows->later)
		return;
	if (rows->filling)
		fill_on(rows);
	else
		fill_from_top(rows);
	rows->valid = true;
	if (rows->nr_lines < rows->height && !rows->later && rows->top != TRACE_REF_NONE)
		fill_up(rows);
	if (rows->at >= rows->nr_lines)
		rows->at = rows->nr_lines ? rows->nr_lines - 1 : 0;
	trim_cache(rows);
}

/* Moves the top down by at most @lines, so that the window stays full. */
static unsigned int top_down(struct rows *rows, unsigned int lines)
{
	struct trace_event event;
	trace_ref old = rows->top;
	unsigned int old_frame = rows->top_frame, moved = 0, skip = rows->top_frame;

	seek(rows, rows->top);
	while (row_cursor_next(rows->cursor, &event)) {
		unsigned int nr = lines_of(rows, cached(rows, &event)) - skip;

		if (moved + nr > lines) {
			rows->top = event.ref;
			rows->top_frame = skip + lines - moved;
			moved = lines;
			break;
		}
		moved += nr;
		skip = 0;
		rows->top = event.ref;
	}
	fill_from_top(rows);
	/* past the end: show the last full window */
	if (rows->nr_lines < rows->height && !rows->later) {
		unsigned int missing = rows->height - rows->nr_lines, back = top_up(rows, missing);

		moved = moved > back ? moved - back : 0;
		fill_from_top(rows);
	}
	if (trace_compare(rows->shared->trace, rows->top, old) < 0 ||
	    (rows->top == old && rows->top_frame < old_frame)) {
		rows->top = old;
		rows->top_frame = old_frame;
		fill_from_top(rows);
		moved = 0;
	}
	return moved;
}

bool rows_scroll(struct rows *rows, int lines)
{
	unsigned int moved;

	if (rows->top == TRACE_REF_NONE || !lines)
		return false;
	if (lines < 0) {
		moved = top_up(rows, -lines);
		fill_from_top(rows);
	} else {
		moved = top_down(rows, lines);
	}
	rows->valid = true;
	trim_cache(rows);
	return moved;
}

bool rows_move(struct rows *rows, int lines)
{
	int at, last;

	rows_fill(rows);
	if (!rows->nr_lines)
		return false;
	at = (int)rows->at + lines;
	last = (int)rows->nr_lines - 1;
	if (at >= 0 && at <= last) {
		rows->at = at;
		return true;
	}
	if (at < 0) {
		bool moved = rows_scroll(rows, at);
		bool stood = rows->at == 0;

		rows->at = 0;
		return moved || !stood;
	}
	/* Past the last line: scroll; if that is impossible, the cursor goes to the last line. */
	bool moved = rows_scroll(rows, at - last);
	bool stood = (int)rows->at == (int)rows->nr_lines - 1;

	rows->at = rows->nr_lines - 1;
	return moved || !stood;
}

static bool find_line(struct rows *rows, trace_ref ref)
{
	for (unsigned int i = 0; i < rows->nr_lines; i++) {
		if (rows->lines[i].row->ref == ref && rows->lines[i].frame == 0) {
			rows->at = i;
			return true;
		}
	}
	return false;
}

/*
 * The row if it is listed, else the next listed row, else the last; the row itself while that is
 * unknown.
 */
static trace_ref listed(struct rows *rows, trace_ref ref)
{
	struct trace_event event;
	trace_ref entry = TRACE_REF_NONE;

	if (trace_event_at(rows->shared->trace, ref, &event))
		entry = row_cursor_leaf(rows->shared, &event);
	if (entry != TRACE_REF_NONE)
		ref = entry;
	if (!hides_rows(rows))
		return ref;
	seek(rows, ref);
	if (row_cursor_next(rows->cursor, &event))
		return event.ref;
	if (row_cursor_is_later(rows->cursor))
		return ref;
	seek(rows, TRACE_REF_NONE);
	if (row_cursor_prev(rows->cursor, &event))
		return event.ref;
	return row_cursor_is_later(rows->cursor) ? ref : TRACE_REF_NONE;
}

void rows_go_to_line(struct rows *rows, trace_ref ref, unsigned int line)
{
	if (ref != TRACE_REF_NONE)
		ref = listed(rows, ref);
	if (ref == TRACE_REF_NONE) {
		rows_fill(rows);
		return;
	}
	rows->top = ref;
	rows->top_frame = 0;
	rows->at = top_up(rows, line < rows->height ? line : rows->height - 1);
	rows->valid = false;
	rows_fill(rows);
	find_line(rows, ref);
}

void rows_go(struct rows *rows, trace_ref ref)
{
	if (ref != TRACE_REF_NONE)
		ref = listed(rows, ref);
	if (ref == TRACE_REF_NONE)
		return;
	if (rows->valid && !rows->later && find_line(rows, ref))
		return;
	rows_go_to_line(rows, ref, rows->height / 3);
}

void rows_choose(struct rows *rows, unsigned int line)
{
	if (line < rows->nr_lines)
		rows->at = line;
}

const struct row *rows_here(struct rows *rows)
{
	rows_fill(rows);
	return rows->at < rows->nr_lines ? rows->lines[rows->at].row : NULL;
}
