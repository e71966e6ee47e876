/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph_compare - compares the call under the cursor with the one at A, child by child. Each has
 * its own window, so both stay when the tree moves.
 */
#include <stdlib.h>
#include <string.h>

#include "src/calls/call_compare.h"
#include "src/base/memory.h"
#include "ui/screen/list_window.h"
#include "ui/graph/view_graph.h"

#define DEPTH		64u		/* nested calls that Enter can open */
#define BUILD_NS	500000000	/* limit for building a window; most take a few ms */
/* rows above the parts: names, titles, totals, a blank one */
#define FIGURES		4
#define CELLS		12		/* width of a column of times */

struct graph_compare {
	struct call_window *windows[2];	/* owned: around the call at A, around the other */
	struct { uint32_t call[2]; } stack[DEPTH];	/* the compared pairs, the innermost last */
	unsigned int	 nr_stack;
	struct call_part *parts;	/* owned, [nr]: parts of the innermost pair */
	unsigned int	 nr;
	struct list_window window;	/* the parts on the screen */
};

void graph_compare_end(struct view *view)
{
	struct graph_compare *c = view->compare;

	if (!c)
		return;
	for (unsigned int i = 0; i < 2; i++)
		call_window_free(c->windows[i]);
	free(c->parts);
	free(c);
	view->compare = NULL;
}

static const struct call *call_of(const struct graph_compare *c, unsigned int side)
{
	return call_tree_call(call_window_tree(c->windows[side]),
			      c->stack[c->nr_stack - 1].call[side]);
}

static const char *name_of(struct view *view, unsigned int side)
{
	const struct call_tree *tree = call_window_tree(view->compare->windows[side]);

	return call_text_function(view->text,
				  call_tree_function(tree, call_of(view->compare, side)->func));
}

/* --- beginning ----------------------------------------------------------------------- */

/* The timed call at a place, in a new window around it; CALL_NONE if there is none. */
static uint32_t open_call(struct view *view, const struct place *place, struct call_window **window)
{
	const struct call_window_options options = {
		.trace = view->shared->trace, .types = view->types, .file = view->file,
		.buffer = view->buffer,
		.by_pid = true, .pid = place->pid, .cpu = place->cpu,
	};
	const struct call_tree *tree;

	*window = call_window_new(&options);
	call_window_seek(*window, place->ts);
	call_window_work(*window, BUILD_NS);
	if (!call_window_is_ready(*window))
		return CALL_NONE;
	tree = call_window_tree(*window);
	for (uint32_t n = 1; n < call_tree_limit(tree); n++) {
		const struct call *call = call_tree_call(tree, n);

		if (call_is_timed(call) && (call->entry == place->ref || call->exit == place->ref))
			return n;
	}
	return CALL_NONE;
}

static void make_parts(struct graph_compare *c)
{
	struct call_of_tree calls[2];

	for (unsigned int i = 0; i < 2; i++)
		calls[i] = (struct call_of_tree){ call_window_tree(c->windows[i]),
						  c->stack[c->nr_stack - 1].call[i] };
	free(c->parts);
	c->nr = call_compare(calls, &c->parts);
	c->window = (struct list_window){ .height = c->window.height };
}

/* The call of a row: the longest of siblings; for a row that is not a call, the call around it. */
static const struct call *call_of_row(const struct view *view, const struct graph_row *row)
{
	const struct call_tree *tree = call_window_tree(view->window);
	const struct call *call = graph_call(view, row);

	if (row->kind == GRAPH_ROW_GROUP)
		call = call_tree_call(tree, view->rows.members[row->members]);
	if (!call_is_call(call) && call->parent)
		call = call_tree_call(tree, call->parent);
	return call;
}

void graph_compare_begin(struct view *view, const struct graph_row *row)
{
	const struct place *a = places_get(&view->shared->at.places, 'a');
	const struct call *here = row ? call_of_row(view, row) : NULL;
	struct place places[2];
	struct graph_compare *c;

	if (!a) {
		host_message(view->host,
			     "there is no mark A; a marks a call, = compares another one with it");
		return;
	}
	if (!here || !call_is_timed(here)) {
		host_message(view->host,
			     "this is not a call with an end: there are no times to compare");
		return;
	}
	places[0] = *a;
	places[1] = graph_place(view, row, false);
	places[1].ref = call_key(here);
	places[1].ts = call_text_start(view->text, here);
	graph_compare_end(view);
	c = view->compare = mem_alloc(sizeof(*c));
	c->nr_stack = 1;
	for (unsigned int i = 0; i < 2; i++) {
		if (places[i].pid >= 0 && places[i].file == view->file &&
		    places[i].ref != TRACE_REF_NONE)
			c->stack[0].call[i] = open_call(view, &places[i], &c->windows[i]);
		if (c->stack[0].call[i] != CALL_NONE)
			continue;
		host_message(view->host, i ? "this call cannot be found again" :
					     "A is not on a call with an end; press a on one");
		graph_compare_end(view);
		return;
	}
	make_parts(c);
}

/* --- requests -------------------------------------------------------------------------- */

/* Compare the longest calls of this function. */
static void enter(struct view *view)
{
	struct graph_compare *c = view->compare;
	const struct call_part *part = &c->parts[c->window.at];

	if (part->kind != CALL_PART_CALLS) {
		host_message(view->host, "there is nothing below it");
	} else if (!part->longest[0] || !part->longest[1]) {
		host_message(view->host, part->longest[0] ? "only the call at A did that" :
					 part->longest[1] ? "only this call did that" :
							    "its ends are not known");
	} else if (c->nr_stack < DEPTH) {
		memcpy(c->stack[c->nr_stack++].call, part->longest, sizeof(part->longest));
		make_parts(c);
	}
}

static void leave(struct view *view)
{
	struct graph_compare *c = view->compare;

	if (c->nr_stack == 1) {
		graph_compare_end(view);
		return;
	}
	c->nr_stack--;
	make_parts(c);
}

bool graph_compare_request(struct view *view, enum request request)
{
	struct graph_compare *c = view->compare;

	if (list_window_request(&c->window, request, c->nr))
		return true;
	switch ((int)request) {
	case REQ_ENTER:
	case REQ_RIGHT:
	case REQ_FOLD_OPEN:
		return enter(view), true;
	case REQ_LEFT:
	case REQ_FOLD_CLOSE:
	case REQ_PARENT:
		return leave(view), true;
	case REQ_COMPARE:
	case REQ_BACK:
	case REQ_CANCEL:
		return graph_compare_end(view), true;
	}
	return false;
}

/* --- on the screen ------------------------------------------------------------------------ */

static void draw_figures(struct canvas *canvas, int y, const uint64_t ns[2], const bool unknown[2])
{
	struct text t = { 0 };

	for (unsigned int i = 0; i < 2; i++) {
		text_clear(&t);
		if (unknown[i])
			text_add(&t, "–");
		else
			graph_add_us(&t, ns[i]);
		canvas_right(canvas, y, 1 + (int)i * (CELLS + 1), CELLS, ROLE_TEXT, text_str(&t));
	}
	if (unknown[0] || unknown[1]) {
		text_fini(&t);
		return;
	}
	text_clear(&t);
	text_add(&t, ns[1] > ns[0] ? "+" : ns[1] < ns[0] ? "−" : " ");
	graph_add_us(&t, ns[1] > ns[0] ? ns[1] - ns[0] : ns[0] - ns[1]);
	canvas_right(canvas, y, 1 + 2 * (CELLS + 1), CELLS,
		     ns[1] > ns[0] ? ROLE_SLOW_1MS : ROLE_TEXT, text_str(&t));
	text_fini(&t);
}

static void add_part_name(struct view *view, const struct call_part *part, struct text *out)
{
	const char *name;

	if (part->kind == CALL_PART_SELF) {
		text_add(out, "self");
	} else if (part->kind == CALL_PART_AWAY) {
		text_add(out, "⟫ off the CPU");
	} else {
		name = call_text_function(view->text, part->func);
		text_printable(out, name, strlen(name));
		text_add(out, "()");
	}
	if (part->kind == CALL_PART_SELF)
		return;
	if (part->nr[0] != part->nr[1] && part->nr[0] && part->nr[1])
		text_printf(out, " ×%u, here ×%u", part->nr[0], part->nr[1]);
	else if (part->nr[0] > 1 || part->nr[1] > 1)
		text_printf(out, " ×%u", part->nr[0] ? part->nr[0] : part->nr[1]);
	if (!part->nr[0] || !part->nr[1])
		text_add(out, part->nr[0] ? "  only at A" : "  only here");
}

static void draw_part(struct view *view, struct canvas *canvas, int y, unsigned int i)
{
	const struct call_part *part = &view->compare->parts[i];
	int left = 1 + 3 * (CELLS + 1) + 1;
	struct text t = { 0 };

	draw_figures(canvas, y, part->ns, part->unknown);
	add_part_name(view, part, &t);
	canvas_fit(canvas, y, left, canvas->cols - left,
		   part->kind == CALL_PART_AWAY ? ROLE_OFFCPU : ROLE_EVENT_FUNCTION, text_str(&t));
	text_fini(&t);
	if (i == view->compare->window.at)
		canvas_cursor(canvas, y, 0, canvas->cols, ROLE_SELECTED);
}

static void add_who(struct view *view, unsigned int side, struct text *out)
{
	const struct call *call = call_of(view->compare, side);
	const struct call_tree *tree = call_window_tree(view->compare->windows[side]);
	int32_t pid = call_tree_nr_tasks(tree) ? call_tree_task(tree, 0)->pid : 0;

	shared_time(view->shared, call_text_start(view->text, call), 6, out);
	text_char(out, ' ');
	graph_task_name(view, pid, call_text_cpu(view->text, call, false), out);
}

static void draw_heading(struct view *view, struct canvas *canvas, int y)
{
	const struct graph_compare *c = view->compare;
	const uint64_t whole[2] = { call_duration(call_of(c, 0)), call_duration(call_of(c, 1)) };
	static const char *const titles[3] = { "at A", "here", "difference" };
	int left = 1 + 3 * (CELLS + 1) + 1;
	struct text t = { 0 };

	text_add(&t, "A ");
	add_who(view, 0, &t);
	text_add(&t, "   here ");
	add_who(view, 1, &t);
	canvas_fit(canvas, y, 1, canvas->cols - 1, ROLE_HEADING, text_str(&t));
	for (int i = 0; i < 3; i++)
		canvas_right(canvas, y + 1, 1 + i * (CELLS + 1), CELLS, ROLE_HEADING, titles[i]);
	canvas_fit(canvas, y + 1, left, canvas->cols - left, ROLE_HEADING,
		   "Enter below  u above  = q back");
	text_clear(&t);
	draw_figures(canvas, y + 2, whole, (const bool[2]){ false, false });
	text_add(&t, name_of(view, 0));
	text_add(&t, "()");
	if (strcmp(name_of(view, 0), name_of(view, 1)))
		text_printf(&t, " : %s()", name_of(view, 1));
	canvas_fit(canvas, y + 2, left, canvas->cols - left, ROLE_HEADING, text_str(&t));
	text_fini(&t);
}

void graph_compare_draw(struct view *view, const struct view_area *area)
{
	struct graph_compare *c = view->compare;
	struct list_window *w = &c->window;

	draw_heading(view, area->canvas, area->top);
	list_window_show(w, area->top + FIGURES, area->rows - FIGURES, c->nr);
	for (unsigned int i = 0; i < w->height && w->top + i < c->nr; i++)
		draw_part(view, area->canvas, w->row + (int)i, w->top + i);
}
