/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions_flame_draw - draws the flame graph, and describes the frame under the cursor. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/shorten.h"
#include "ui/functions/view_functions.h"

#define PERCENT_CELLS	5		/* " 61 %" */
#define LEAST_NAME	3		/* narrower boxes get no name */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* --- names ------------------------------------------------------------------------------------ */

static const struct function_row *row_at(const struct view *view, uint32_t path)
{
	uint32_t row = view->flame.functions ? view->flame.functions[path] : NO_FUNCTION;

	return row == NO_FUNCTION ? NULL : &view->table->rows[row];
}

void functions_flame_name(const struct view *view, uint32_t path, struct text *out)
{
	const struct function_row *row = row_at(view, path);
	struct text name = { 0 };

	if (path == CALL_PATH_ROOT) {
		text_add(out, "all");
		return;
	}
	if (row)
		text_add(&name, row->name);
	else
		trace_function_name(view->shared->trace, view->file,
				    call_paths_at(view->flame.paths, path)->address, &name);
	text_printable(out, text_str(&name), name.len);
	text_fini(&name);
}

bool functions_flame_matches(const struct view *view, uint32_t path)
{
	const struct function_row *row = row_at(view, path);
	struct text name = { 0 };
	size_t start, end;
	bool found;

	if (!view->shared->chosen.pattern || path == CALL_PATH_ROOT)
		return false;
	if (row)
		return search_pattern_find(view->shared->chosen.pattern, row->name,
					   strlen(row->name), 0, &start, &end);
	functions_flame_name(view, path, &name);
	found = search_pattern_find(view->shared->chosen.pattern, text_str(&name), name.len, 0,
				    &start, &end);
	text_fini(&name);
	return found;
}

/* --- boxes --------------------------------------------------------------------------------- */

/* Highlights the search word in the part of the name that is shown. */
static void mark_match(const struct view *view, struct canvas *canvas, int y, int left, int cells,
		       const char *label)
{
	size_t start, end;

	if (!search_pattern_find(view->shared->chosen.pattern, label, strlen(label), 0, &start,
				 &end))
		canvas_over(canvas, y, left, cells, ROLE_MATCH);
	else
		canvas_over(canvas, y, left + canvas_width(label, start),
			    canvas_width(label + start, end - start), ROLE_MATCH);
}

static void draw_label(struct view *view, struct canvas *canvas, int y, int left,
		       const struct flame_box *box, enum role role)
{
	const struct flame_view *f = &view->flame;
	int cells = (int)box->width - 1, used;
	struct text name = { 0 }, cut = { 0 };

	if (cells >= LEAST_NAME)
		functions_flame_name(view, box->path, &name);
	shorten_end(text_str(&name), cells, &cut);
	used = canvas_fill_text(canvas, y, left + 1, cells, role, text_str(&cut));
	if (functions_flame_matches(view, box->path))
		mark_match(view, canvas, y, left + 1, cells, text_str(&cut));
	if (cells - used >= PERCENT_CELLS + 1) {
		double change;

		text_clear(&cut);
		if (!f->others || box->path == CALL_PATH_ROOT)
			text_printf(&cut, " %.0f %%",
				    percent(flame_value(f->flame, box->path),
					    flame_value(f->flame, f->top)));
		else if (functions_flame_change(view, box->path, &change))
			text_printf(&cut, change < 99 ? " %+.0f %%" : " >+99×", 100 * change);
		else
			text_add(&cut, view->lines.own == TABLE_A ? " gone" : " new");
		canvas_fill_text(canvas, y, left + 1 + used, cells - used, role, text_str(&cut));
	}
	text_fini(&name);
	text_fini(&cut);
}

/* Does one of the frames that share a box match? */
static bool shared_matches(const struct view *view, const struct flame_box *box)
{
	const struct flame_view *f = &view->flame;
	uint32_t path = box->path;

	for (uint32_t i = 0; i < box->nr; i++, path = flame_beside(f->flame, path, true))
		if (functions_flame_matches(view, path))
			return true;
	return false;
}

/* From these percentages of what is shown on, a frame's self time has the next hotter colour. */
static const struct { double least; const char *label; } heats[] = {
	{ 0, " 0 " }, { 0.1, " 0.1 " }, { 1, " 1 " }, { 5, " 5 " }, { 20, " 20 % " },
};

static enum role heat(const struct view *view, uint32_t path)
{
	const struct flame_view *f = &view->flame;
	double own = percent(flame_own(f->flame, path), flame_value(f->flame, f->top));
	enum role role = ROLE_FLAME_1;

	for (size_t i = 1; i < sizeof(heats) / sizeof(heats[0]); i++)
		role += own >= heats[i].least;
	return role;
}

/* "self  0  0.1  1  5  20 % ", each in its colour.  Return: its cells. */
static int draw_heats(struct canvas *canvas, int y)
{
	int cells = 5, col;

	for (size_t i = 0; i < sizeof(heats) / sizeof(heats[0]); i++)
		cells += (int)strlen(heats[i].label);
	col = canvas->cols - 1 - cells;
	col += canvas_text(canvas, y, col, 5, ROLE_HEADING, "self ");
	for (size_t i = 0; i < sizeof(heats) / sizeof(heats[0]); i++)
		col += canvas_fill_text(canvas, y, col, canvas->cols, ROLE_FLAME_1 + (enum role)i,
					heats[i].label);
	return cells;
}

static void draw_box(struct view *view, struct canvas *canvas, int y, int left,
		     const struct flame_box *box, bool here)
{
	int cells = (int)box->width;
	enum role role;

	role = box->nr > 1 || box->path == CALL_PATH_ROOT ? ROLE_DIM :
	       view->flame.others                         ? functions_flame_role(view, box->path) :
							    heat(view, box->path);
	for (int i = 0; i < cells && box->nr == 1; i++)
		canvas_fill_cell(canvas, y, left + i, role, i ? " " : "│");
	if (box->nr > 1)
		canvas_fill(canvas, y, left, cells, role, "▓");
	if (box->nr == 1 && cells > 1) {
		draw_label(view, canvas, y, left, box, role);
	} else if (view->shared->chosen.pattern && shared_matches(view, box)) {
		canvas_over(canvas, y, left, cells, ROLE_MATCH);
	}
	if (here)
		canvas_over(canvas, y, left, cells, ROLE_SELECTED);
}

/* --- headings ------------------------------------------------------------------------------ */

/* The value of all frames with matching names; nested ones count once. */
static uint64_t found_value(struct view *view)
{
	struct flame_view *f = &view->flame;
	uint32_t nr = call_paths_nr(f->paths);
	const char *sought = search_pattern_text(view->shared->chosen.pattern);
	uint8_t *in;

	if (f->sought && !strcmp(f->sought, sought))
		return f->found;
	free(f->sought);
	f->sought = mem_strdup(sought);
	f->found = 0;
	in = mem_array(nr, 1);
	for (uint32_t i = 1; i < nr; i++) {	/* callers stand before */
		in[i] = in[call_paths_at(f->paths, i)->parent];
		if (in[i] || !functions_flame_matches(view, i))
			continue;
		in[i] = 1;
		f->found += flame_value(f->flame, i);
	}
	free(in);
	return f->found;
}

/* "all › do_syscall_64 › ksys_read": the path to the top frame; only its end if it is too long. */
static void add_way(const struct view *view, int cells, struct text *out)
{
	const struct flame_view *f = &view->flame;
	uint32_t path = f->top;
	struct text way = { 0 }, name = { 0 };

	while (path != CALL_PATH_ROOT) {
		text_clear(&name);
		functions_flame_name(view, path, &name);
		if (way.len && canvas_width(text_str(&way), way.len) +
					       canvas_width(text_str(&name), name.len) + 6 >
				       cells)
			break;
		if (way.len)
			text_add(&name, " → ");
		text_add(&name, text_str(&way));
		text_clear(&way);
		text_add(&way, text_str(&name));
		path = call_paths_at(view->flame.paths, path)->parent;
	}
	text_add(out, path != CALL_PATH_ROOT ? "… → " : way.len ? "all → " : "all");
	text_add(out, text_str(&way));
	text_fini(&way);
	text_fini(&name);
}

static void draw_heading(struct view *view, struct canvas *canvas, int y)
{
	const struct flame_view *f = &view->flame;
	uint64_t all = flame_value(f->flame, CALL_PATH_ROOT);
	struct text t = { 0 }, right = { 0 };
	int cells;

	text_printf(&t, "by %s %s  ", functions_flame_measure(view), canvas->ascii ? "v" : "▾");
	functions_flame_value(view, flame_value(f->flame, f->top), &t);
	if (f->top != CALL_PATH_ROOT)
		text_printf(&t, " of all %.1f %%", percent(flame_value(f->flame, f->top), all));
	text_add(&t, "  ");
	if (view->shared->chosen.pattern)
		text_printf(&right, "found: %.1f %%", percent(found_value(view), all));
	cells = canvas->cols - 4 - (int)right.len;
	if (!right.len && !f->others && !canvas->plain)
		cells -= draw_heats(canvas, y);
	add_way(view, cells - canvas_width(text_str(&t), t.len), &t);
	canvas_fit(canvas, y, 1, cells, ROLE_HEADING, text_str(&t));
	canvas_text(canvas, y, canvas->cols - 1 - (int)right.len, (int)right.len, ROLE_MATCH,
		    text_str(&right));
	text_fini(&t);
	text_fini(&right);
}

void functions_flame_draw(struct view *view, const struct view_area *area)
{
	const struct flame_view *f = &view->flame;
	uint32_t here = flame_box_of(f->flame, &f->layout, f->at);

	draw_heading(view, area->canvas, area->top + 1);
	for (uint32_t i = 0; i < f->layout.nr; i++) {
		const struct flame_box *box = &f->layout.boxes[i];

		if (box->row >= f->scroll && box->row < f->scroll + f->rows)
			draw_box(view, area->canvas, view->body_top + (int)(box->row - f->scroll),
				 1 + (int)box->left, box, i == here);
	}
	if (f->layout.boxes[f->layout.nr - 1].row >= f->scroll + f->rows)
		canvas_text(area->canvas, view->body_top + (int)f->rows - 1, area->canvas->cols - 1,
			    1, ROLE_DIM, "↓");
}

/* --- the frame under the cursor --------------------------------------------------------------- */

/* Add the time off the CPU, if all is known: total minus self and the callees' time. */
static void add_away(const struct view *view, const struct call_path *path, struct text *out)
{
	uint64_t rest = path->total;

	if (path->doubtful)
		text_printf(out, "  ~%" PRIu64 " doubtful", path->doubtful);
	if (!view->table->has_away || path->doubtful)
		return;
	for (uint32_t n = path->last; n; n = call_paths_at(view->flame.paths, n)->before) {
		uint64_t total = call_paths_at(view->flame.paths, n)->total;

		rest -= total < rest ? total : rest;
	}
	if (rest <= path->self)
		return;
	text_add(out, "  off the CPU ");
	text_duration(out, rest - path->self);
}

static void add_known(uint64_t time, bool is_known, struct text *out)
{
	if (is_known)
		text_duration(out, time);
	else
		text_add(out, TABLE_NONE);
}

static void add_figures(const struct view *view, struct text *out)
{
	const struct flame_view *f = &view->flame;
	const struct call_path *path = call_paths_at(view->flame.paths, f->at);

	if (f->at == CALL_PATH_ROOT) {
		text_printf(
			out,
			"all %s of the range and filter: each below its caller, the widest first",
			functions_is_events(view) ? "stacks" :
			functions_is_stacks(view) ? "waits" :
						    "calls");
		return;
	}
	if (functions_is_events(view)) {
		text_add(out, "in stacks that end here: ");
		text_count(out, path->calls);
		return;
	}
	if (functions_is_stacks(view)) {
		text_add(out, "time waited below it ");
		text_duration(out, path->total);
		text_add(out, "  in stacks that end here ");
		text_duration(out, path->self);
		text_add(out, ", waits: ");
		text_count(out, path->calls);
		return;
	}
	text_counted(out, path->calls, "call");
	if (view->table->inferred) {
		text_add(out, "; who called them is inferred, and there are no times");
		return;
	}
	text_add(out, "  total ");
	text_duration(out, path->total);
	text_add(out, "  self ");
	add_known(path->self, path->doubtful < path->calls, out);
	text_add(out, "  net ");
	add_known(path->net, view->table->has_away && path->no_net < path->calls, out);
	if (path->calls) {
		text_add(out, "  avg ");
		text_duration(out, path->total / path->calls);
	} else
		text_add(out, "  no end of it here: as wide as its callees");
	add_away(view, path, out);
}

static void add_callers(const struct view *view, struct text *out)
{
	uint32_t path = view->flame.at;

	text_add(out, "stack:");
	if (path != CALL_PATH_ROOT)
		path = call_paths_at(view->flame.paths, path)->parent;
	for (bool any = false; path != CALL_PATH_ROOT; any = true) {
		text_add(out, any ? " ‹ " : " ");
		functions_flame_name(view, path, out);
		path = call_paths_at(view->flame.paths, path)->parent;
	}
	if (view->flame.at != CALL_PATH_ROOT &&
	    call_paths_at(view->flame.paths, view->flame.at)->parent == CALL_PATH_ROOT)
		text_add(out, " (outermost)");
}

static void add_title(const struct view *view, struct text *out)
{
	const struct flame_view *f = &view->flame;
	const struct flame_box *box = &f->layout.boxes[flame_box_of(f->flame, &f->layout, f->at)];
	uint64_t value = flame_value(f->flame, f->at);

	functions_flame_name(view, f->at, out);
	text_add(out, "  ");
	functions_flame_value(view, value, out);
	text_printf(out, "  %.1f %% of all", percent(value, flame_value(f->flame, CALL_PATH_ROOT)));
	if (f->at != CALL_PATH_ROOT)
		text_printf(out, ", %.1f %% by itself",
			    percent(flame_own(f->flame, f->at),
				    flame_value(f->flame, CALL_PATH_ROOT)));
	if (box->nr > 1)
		text_printf(out, "  in ▓ with %" PRIu32 " more", box->nr - 1);
}

void functions_flame_draw_detail(struct view *view, const struct view_area *area)
{
	struct text t = { 0 };

	add_title(view, &t);
	functions_detail_line(area, 0, &t);
	add_figures(view, &t);
	functions_detail_line(area, 1, &t);
	if (view->flame.at != CALL_PATH_ROOT)
		add_callers(view, &t);
	functions_detail_line(area, 2, &t);
	text_fini(&t);
}
