/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/row_gaps.h"

#include <string.h>

#include "ui/rows/rows.h"

#define ABOVE_ROWS	2048		/* rows looked at above the window */
#define NEXT_ROWS	512		/* rows of other buffers before the next of this one */

static bool wants(const struct rows *rows, enum row_gap_kind kind)
{
	return rows->gaps & (1u << kind);
}

struct owner {				/* the file, CPU and task of a row */
	unsigned int	 file;
	int		 cpu, pid;
};

/* Each CPU has an idle task of its own, all with pid 0. */
static bool is_of(enum row_gap_kind kind, const struct row *row, struct owner other)
{
	bool cpu = row->cpu == other.cpu;

	if (row->file != other.file)
		return false;
	return kind == ROW_GAP_CPU ? cpu : row->pid == other.pid && (row->pid || cpu);
}

/* --- above ------------------------------------------------------------------------------------ */

static bool find_in_window(const struct rows *rows, unsigned int line, enum row_gap_kind kind,
			   struct row_gap *gap)
{
	const struct row *row = rows->lines[line].row;

	while (line--) {
		const struct row *above = rows->lines[line].row;
		struct owner owner = { above->file, above->cpu, above->pid };

		if (above == row || !above->is_event || !is_of(kind, row, owner))
			continue;
		*gap = (struct row_gap){ .has = true, .ts = above->ts };
		return true;
	}
	return false;
}

/* Gives a listed row above the window to the lines that miss it.  Returns how many. */
static unsigned int give(struct rows *rows, const struct trace_event *event)
{
	struct owner owner = { event->file, event->cpu, event->pid };
	unsigned int given = 0;

	for (unsigned int i = 0; i < rows->nr_lines; i++) {
		struct row_line_ref *line = &rows->lines[i];

		for (int kind = ROW_GAP_CPU; kind <= ROW_GAP_TASK; kind++) {
			if (!line->gaps[kind].far || !is_of(kind, line->row, owner))
				continue;
			line->gaps[kind] = (struct row_gap){ .has = true, .ts = event->ts };
			given++;
		}
	}
	return given;
}

static void no_more_above(struct rows *rows)
{
	for (unsigned int i = 0; i < rows->nr_lines; i++)
		rows->lines[i].gaps[ROW_GAP_CPU].far = rows->lines[i].gaps[ROW_GAP_TASK].far =
			false;
}

static void fill_above(struct rows *rows)
{
	unsigned int missing = 0;
	struct trace_event event;

	for (unsigned int i = 0; i < rows->nr_lines; i++) {
		struct row_line_ref *line = &rows->lines[i];

		for (int kind = ROW_GAP_CPU; kind <= ROW_GAP_TASK; kind++) {
			if (!wants(rows, kind) || !line->row->is_event ||
			    find_in_window(rows, i, kind, &line->gaps[kind]))
				continue;
			line->gaps[kind].far = true;
			missing++;
		}
	}
	if (!missing)
		return;
	row_cursor_seek(rows->cursor, rows->top);
	for (int i = 0; i < ABOVE_ROWS && missing; i++) {
		if (!row_cursor_prev(rows->cursor, &event)) {
			if (!row_cursor_is_later(rows->cursor))
				no_more_above(rows);
			return;
		}
		if (trace_is_event(&event))
			missing -= give(rows, &event);
	}
}

/* --- next ------------------------------------------------------------------------------------- */

/*
 * @at: the row that the plain cursor has just passed, which saves a seek.  The exit of a leaf call
 * is no row.
 */
static void find_next(struct rows *rows, const struct row *row, trace_ref *at, struct row_gap *gap)
{
	struct trace_event event;

	if (*at != row->ref) {
		trace_cursor_seek(rows->plain, row->ref);
		trace_cursor_next(rows->plain, &event);
	}
	*gap = (struct row_gap){ 0 };
	*at = TRACE_REF_NONE;
	for (int i = 0; i < NEXT_ROWS; i++) {
		if (!trace_cursor_next(rows->plain, &event))
			return;
		if (!trace_is_event(&event) || event.file != row->file ||
		    event.buffer != row->buffer || event.ref == row->leaf_exit)
			continue;
		*gap = (struct row_gap){ .has = true, .ts = event.ts };
		*at = event.ref;
		return;
	}
	gap->far = true;
}

void row_gaps_fill(struct rows *rows)
{
	trace_ref at = TRACE_REF_NONE;

	for (unsigned int i = 0; i < rows->nr_lines; i++)
		memset(rows->lines[i].gaps, 0, sizeof(rows->lines[i].gaps));
	if (wants(rows, ROW_GAP_CPU) || wants(rows, ROW_GAP_TASK))
		fill_above(rows);
	for (unsigned int i = 0; i < rows->nr_lines && wants(rows, ROW_GAP_NEXT); i++) {
		struct row_line_ref *line = &rows->lines[i];

		if (!line->frame && line->row->is_event)
			find_next(rows, line->row, &at, &line->gaps[ROW_GAP_NEXT]);
	}
}

void row_gaps_of(struct rows *rows, const struct row *row, struct row_gap gaps[NR_ROW_GAPS])
{
	trace_ref at = TRACE_REF_NONE;
	struct trace_event event;

	memset(gaps, 0, NR_ROW_GAPS * sizeof(*gaps));
	if (wants(rows, ROW_GAP_NEXT))
		find_next(rows, row, &at, &gaps[ROW_GAP_NEXT]);
	for (int kind = ROW_GAP_CPU; kind <= ROW_GAP_TASK; kind++) {
		bool any = true;

		if (!wants(rows, kind))
			continue;
		row_cursor_seek(rows->cursor, row->ref);
		for (int i = 0; i < ABOVE_ROWS && any && !gaps[kind].has; i++) {
			any = row_cursor_prev(rows->cursor, &event);
			if (any && trace_is_event(&event) &&
			    is_of(kind, row, (struct owner){ event.file, event.cpu, event.pid }))
				gaps[kind] = (struct row_gap){ .has = true, .ts = event.ts };
		}
		gaps[kind].far = !gaps[kind].has && (any || row_cursor_is_later(rows->cursor));
	}
}
