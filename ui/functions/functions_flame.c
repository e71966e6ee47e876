/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions_flame - the frames of the flame graph, and its keys. */
#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "ui/functions/view_functions.h"
#include "ui/screen/list_window.h"

static const struct call_path *path_at(const struct view *view, uint32_t path)
{
	return call_paths_at(view->flame.paths, path);
}

/* --- made of the table --------------------------------------------------------------------- */

void functions_flame_drop(struct view *view)
{
	struct flame_view *f = &view->flame;

	flame_free(f->flame);
	flame_free(f->other);
	free(f->others);
	free(f->functions);
	free(f->sought);
	f->flame = f->other = NULL;
	f->others = NULL;
	f->functions = NULL;
	f->sought = NULL;
	f->laid_out = false;
	f->saved_path = CALL_PATH_ROOT;
}

void functions_flame_fini(struct view *view)
{
	functions_flame_drop(view);
	flame_layout_fini(&view->flame.layout);
	free(view->flame.way);
}

static uint32_t row_of(const struct function_table *table, const uint32_t *sorted, uint64_t address)
{
	unsigned int first = bisect(table->nr, i, table->rows[sorted[i]].total->address < address);

	return first < table->nr && table->rows[sorted[first]].total->address == address ?
		       sorted[first] :
		       NO_FUNCTION;
}

/* Find the table row of each frame. */
static void find_functions(struct view *view)
{
	const struct function_table *table = view->table;
	uint32_t nr = call_paths_nr(table->paths),
		 *sorted = function_table_sorted(table, function_by_address);

	view->flame.functions = mem_array(nr, sizeof(*view->flame.functions));
	view->flame.functions[CALL_PATH_ROOT] = NO_FUNCTION;
	for (uint32_t i = 1; i < nr; i++)
		view->flame.functions[i] = row_of(table, sorted,
						  call_paths_at(table->paths, i)->address);
	free(sorted);
}

/* --- where one is ---------------------------------------------------------------------------- */

/* Move the cursor to a frame, and note the path to it. */
static void put_cursor(struct view *view, uint32_t path)
{
	struct flame_view *f = &view->flame;

	f->at = path;
	f->nr_way = 0;
	for (uint32_t n = path; n != CALL_PATH_ROOT; n = path_at(view, n)->parent) {
		mem_grow(&f->way, f->nr_way, &f->cap_way);
		f->way[f->nr_way++] = path_at(view, n)->address;
	}
	for (uint32_t i = 0; i < f->nr_way / 2; i++) {
		uint64_t other = f->way[i];

		f->way[i] = f->way[f->nr_way - 1 - i];
		f->way[f->nr_way - 1 - i] = other;
	}
}

static void put_on_top(struct view *view, uint32_t path)
{
	struct flame_view *f = &view->flame;

	f->top = path;
	f->laid_out = false;
	f->top_level = 0;
	for (; path != CALL_PATH_ROOT; path = path_at(view, path)->parent)
		f->top_level++;
}

/* Is a frame @outer or below it? */
static bool is_in(const struct view *view, uint32_t path, uint32_t outer)
{
	while (path != outer && path != CALL_PATH_ROOT)
		path = path_at(view, path)->parent;
	return path == outer;
}

/* The child of @outer on the path down to a frame. */
static uint32_t towards(const struct view *view, uint32_t outer, uint32_t path)
{
	while (path != CALL_PATH_ROOT && path_at(view, path)->parent != outer)
		path = path_at(view, path)->parent;
	return path;
}

/* Put the cursor on the last frame of the noted path that still exists. */
static void find_way(struct view *view)
{
	struct flame_view *f = &view->flame;
	uint32_t at = CALL_PATH_ROOT, top = CALL_PATH_ROOT, level, nr;

	for (level = 0; level < f->nr_way; level++) {
		const uint32_t *callees = flame_callees(f->flame, at, &nr);
		uint32_t i = 0;

		while (i < nr && path_at(view, callees[i])->address != f->way[level])
			i++;
		if (i == nr)
			break;
		at = callees[i];
		if (level < f->top_level)
			top = at;
	}
	if (f->grew && level < f->nr_way)
		host_message(view->host,
			     "the cursor's frame is gone: it is on the one above it now");
	f->grew = false;
	put_cursor(view, at);
	put_on_top(view, top);
}

static const struct flame_box *box_here(const struct view *view)
{
	const struct flame_view *f = &view->flame;

	return &f->layout.boxes[flame_box_of(f->flame, &f->layout, f->at)];
}

/* Scroll until the cursor's row is on the screen. */
static void scroll_to_cursor(struct view *view)
{
	struct flame_view *f = &view->flame;
	uint32_t row = box_here(view)->row, last = f->layout.boxes[f->layout.nr - 1].row;

	f->scroll = list_window_top(f->scroll, row, f->rows, last + 1);
}

static void lay_out(struct view *view)
{
	struct flame_view *f = &view->flame;

	if (!f->laid_out)
		flame_lay_out(f->flame, f->top, f->cols, FLAME_ROWS, &f->layout);
	f->laid_out = true;
	scroll_to_cursor(view);
}

bool functions_flame_refresh(struct view *view)
{
	struct flame_view *f = &view->flame;

	bool stacks = functions_is_stacks(view);
	const struct call_paths *paths = stacks      ? functions_stacks_paths(view) :
					 view->table ? view->table->paths :
						       NULL;

	if (!paths || !f->cols)
		return false;
	if (!f->flame) {
		f->paths = paths;
		f->flame = flame_new(paths, functions_flame_by(view));
		if (!stacks)
			find_functions(view);
		functions_flame_match(view);
		find_way(view);
	}
	lay_out(view);
	return flame_value(f->flame, CALL_PATH_ROOT);
}

void functions_flame_size(struct view *view, uint32_t rows, uint32_t cols)
{
	struct flame_view *f = &view->flame;

	f->laid_out &= cols == f->cols;
	f->rows = rows ? rows : 1;
	f->cols = cols;
}

static void go(struct view *view, uint32_t path)
{
	struct flame_view *f = &view->flame;

	if (!is_in(view, path, f->top))
		put_on_top(view, CALL_PATH_ROOT);
	put_cursor(view, path);
	lay_out(view);
}

/* Zoom in until the frame has its own box. */
static void reveal(struct view *view, uint32_t path)
{
	struct flame_view *f = &view->flame;

	go(view, path);
	while (f->top != path && (box_here(view)->path != path || box_here(view)->nr > 1)) {
		put_on_top(view, towards(view, f->top, path));
		lay_out(view);
	}
}

/* --- keys ------------------------------------------------------------------------------------- */

/* The next or previous box, in reading order. */
static uint32_t box_beside(const struct view *view, uint32_t number, bool forward)
{
	const struct flame_layout *l = &view->flame.layout;
	const struct flame_box *box = &l->boxes[number];

	if (forward) {
		if (box->nr_boxes)
			return box->first;
		for (uint32_t n = number; n; n = l->boxes[n].parent) {
			const struct flame_box *above = &l->boxes[l->boxes[n].parent];

			if (n + 1 < above->first + above->nr_boxes)
				return n + 1;
		}
		return number;
	}
	if (!number || number == l->boxes[box->parent].first)
		return box->parent;
	for (number--; l->boxes[number].nr_boxes;)
		number = l->boxes[number].first + l->boxes[number].nr_boxes - 1;
	return number;
}

static void step(struct view *view, bool forward)
{
	struct flame_view *f = &view->flame;
	uint32_t number = flame_box_of(f->flame, &f->layout, f->at),
		 beside = box_beside(view, number, forward);

	if (beside != number)
		go(view, f->layout.boxes[beside].path);
}

static void to_last(struct view *view)
{
	const struct flame_layout *l = &view->flame.layout;
	uint32_t number = 0;

	while (l->boxes[number].nr_boxes)
		number = l->boxes[number].first + l->boxes[number].nr_boxes - 1;
	go(view, l->boxes[number].path);
}

static void to_caller(struct view *view)
{
	struct flame_view *f = &view->flame;
	uint32_t caller = f->at == CALL_PATH_ROOT ? CALL_PATH_ROOT : path_at(view, f->at)->parent;

	if (f->at == CALL_PATH_ROOT) {
		host_message(view->host, "this frame is all calls: nothing is above it");
		return;
	}
	if (f->at == f->top)
		put_on_top(view, caller);
	go(view, caller);
}

static void to_callee(struct view *view)
{
	struct flame_view *f = &view->flame;
	uint32_t nr;
	const uint32_t *callees = flame_callees(f->flame, f->at, &nr);

	if (!nr || !flame_value(f->flame, callees[0]))
		host_message(view->host, "it called no other function here");
	else
		reveal(view, callees[0]);
}

/* Go down the widest callees, to the first frame whose self part is wider than any callee. */
static void hot_path(struct view *view)
{
	struct flame_view *f = &view->flame;
	uint32_t path = f->at, nr;

	for (;;) {
		const uint32_t *callees = flame_callees(f->flame, path, &nr);

		if (!nr || !flame_value(f->flame, callees[0]) ||
		    flame_value(f->flame, callees[0]) < flame_own(f->flame, path))
			break;
		path = callees[0];
	}
	reveal(view, path);
}

static void pages(struct view *view, int rows)
{
	for (; rows > 0; rows--) {
		const struct flame_box *box = box_here(view);

		if (!box->nr_boxes)
			break;
		go(view, view->flame.layout.boxes[box->first].path);
	}
	for (; rows < 0 && view->flame.at != view->flame.top; rows++)
		go(view, path_at(view, view->flame.at)->parent);
}

static void beside(struct view *view, bool right)
{
	struct flame_view *f = &view->flame;
	uint32_t path = f->at == f->top ? f->at : flame_beside(f->flame, f->at, right);

	if (path == f->at)
		host_message(view->host, "no other callee of the same function on that side");
	else
		go(view, path);
}

/* Go to the next frame with a large self part. */
static void to_wide(struct view *view, bool forward)
{
	struct flame_view *f = &view->flame;
	uint64_t least = flame_value(f->flame, f->top) / FLAME_WIDE;
	uint32_t path = f->at, end = f->top;
	bool round = false;

	do {
		uint32_t beside = forward     ? flame_next(f->flame, f->top, path) :
				  path == end ? CALL_PATH_ROOT :
						flame_before(f->flame, f->top, path);

		round |= beside == CALL_PATH_ROOT;
		path = beside != CALL_PATH_ROOT ? beside :
		       forward                  ? f->top :
						  flame_last(f->flame, f->top);
		if (path && flame_own(f->flame, path) && flame_own(f->flame, path) >= least) {
			reveal(view, path);
			if (round)
				host_wrapped(view->host, forward);
			return;
		}
	} while (path != f->at);
	host_message(view->host, "no frame takes 1/%u of what is shown by itself", FLAME_WIDE);
}

static void zoom(struct view *view, bool in)
{
	struct flame_view *f = &view->flame;

	if (in && f->at == f->top)
		host_message(view->host,
			     "this frame has the full width: l goes to a callee, - zooms out");
	else if (in)
		put_on_top(view, towards(view, f->top, f->at));
	else if (f->top == CALL_PATH_ROOT)
		host_message(view->host, "these are all calls");
	else
		put_on_top(view, path_at(view, f->top)->parent);
	lay_out(view);
}

static void enter(struct view *view)
{
	struct flame_view *f = &view->flame;

	if (f->at == f->top) {
		host_message(view->host, "this frame has the full width: - zooms out, 0 shows all");
		return;
	}
	if (f->nr_came == sizeof(f->came) / sizeof(f->came[0]))
		memmove(f->came, f->came + 1, --f->nr_came * sizeof(f->came[0]));
	f->came[f->nr_came++] = f->top_level;
	put_on_top(view, f->at);
	lay_out(view);
}

/* Undo the last zoom by Enter; false if there is none. */
static bool back(struct view *view)
{
	struct flame_view *f = &view->flame;
	uint32_t path = f->top;

	while (f->nr_came && f->came[f->nr_came - 1] >= f->top_level)
		f->nr_came--;
	if (!f->nr_came)
		return false;
	for (uint32_t level = f->top_level; level > f->came[f->nr_came - 1]; level--)
		path = path_at(view, path)->parent;
	f->nr_came--;
	put_on_top(view, path);
	lay_out(view);
	return true;
}

static bool end_comparison(struct view *view)
{
	if (!view->lines.comparing || functions_is_stacks(view))
		return false;
	functions_compare(view);
	return true;
}

static void measure_by(struct view *view, int step)
{
	struct flame_view *f = &view->flame;

	if (functions_is_events(view))
		host_message(view->host, "these stacks have no times, only counts");
	else if (functions_is_stacks(view))
		f->by_waits = !f->by_waits;
	else
		f->measure = (enum flame_measure)(((int)f->measure + NR_FLAME_MEASURES + step) %
						  NR_FLAME_MEASURES);
	functions_flame_drop(view);
	functions_flame_refresh(view);
}

static void add_stack(const struct view *view, uint32_t path, struct text *out)
{
	uint32_t *way = NULL, nr = 0, cap = 0;

	for (; path != CALL_PATH_ROOT; path = path_at(view, path)->parent) {
		mem_grow(&way, nr, &cap);
		way[nr++] = path;
	}
	while (nr) {
		functions_flame_name(view, way[--nr], out);
		if (nr)
			text_char(out, ';');
	}
	free(way);
}

static bool copy(struct view *view, char letter)
{
	struct flame_view *f = &view->flame;
	const char *what = letter == 'v' ? "width" : letter == 's' ? "stack" : "frame";
	struct text t = { 0 };

	if (!strchr("yvs", letter))
		return false;
	if (letter == 's')
		add_stack(view, f->at, &t);
	if (letter == 'y') {
		functions_flame_name(view, f->at, &t);
		text_printf(&t, "  %s ", functions_flame_measure(view));
		functions_flame_value(view, flame_value(f->flame, f->at), &t);
	}
	if (letter == 'v')
		text_u64(&t, flame_value(f->flame, f->at));
	host_copy(view->host, what, text_str(&t), t.len);
	text_fini(&t);
	return true;
}

static void filter(struct view *view, char letter, bool without)
{
	struct text name = { 0 };

	if (functions_is_stacks(view)) {
		host_message(view->host, "the frames of stacks are no calls to filter by");
		return;
	}
	if (view->flame.at == CALL_PATH_ROOT) {
		host_message(view->host, "this frame is all calls: no function to filter by");
		return;
	}
	functions_flame_name(view, view->flame.at, &name);
	functions_filter(view, text_str(&name), letter, without);
	text_fini(&name);
}

static bool move_request(struct view *view, enum request request)
{
	struct flame_view *f = &view->flame;

	switch ((int)request) {
	case REQ_DOWN:
	case REQ_UP:
		return step(view, request == REQ_DOWN), true;
	case REQ_LEFT:
	case REQ_PARENT:
		return to_caller(view), true;
	case REQ_RIGHT:
	case REQ_HEAVIEST:
		return to_callee(view), true;
	case REQ_HOT_PATH:
		return hot_path(view), true;
	case REQ_TRACK_NEXT:
	case REQ_TRACK_PREV:
		return beside(view, request == REQ_TRACK_NEXT), true;
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:
		return to_wide(view, request == REQ_SLOW_NEXT), true;
	case REQ_PAGE_DOWN:
	case REQ_PAGE_UP:
		return pages(view, request == REQ_PAGE_DOWN ? (int)f->rows : -(int)f->rows), true;
	case REQ_HALF_DOWN:
	case REQ_HALF_UP:
		return pages(view, request == REQ_HALF_DOWN ? (int)(f->rows + 1) / 2 :
							      -(int)(f->rows + 1) / 2),
		       true;
	case REQ_FIRST:
		return go(view, f->top), true;
	case REQ_LAST:
		return to_last(view), true;
	}
	return false;
}

bool functions_flame_request(struct view *view, enum request request, char letter)
{
	bool any = functions_flame_refresh(view);

	if (request == REQ_SORT || request == REQ_SIDE_RIGHT || request == REQ_SIDE_LEFT)
		return measure_by(view, request == REQ_SIDE_LEFT ? -1 : 1), true;
	if (!any)
		return false;
	if (move_request(view, request))
		return true;
	switch ((int)request) {
	case REQ_ENTER:
		return enter(view), true;
	case REQ_BACK:
		return back(view) || end_comparison(view);
	case REQ_MORE:
	case REQ_LESS:
		return zoom(view, request == REQ_MORE), true;
	case REQ_RESET:
		put_on_top(view, CALL_PATH_ROOT);
		return lay_out(view), true;
	case REQ_SORT_INVERT:
		host_message(view->host, "the widest are always first");
		return true;
	case REQ_COMPARE:
		if (functions_is_stacks(view))
			host_message(view->host, "the table and the flame graph of calls compare");
		else
			functions_compare(view);
		return true;
	case REQ_COPY:
		return copy(view, letter);
	case REQ_ONLY:
	case REQ_WITHOUT:
		return filter(view, letter, request == REQ_WITHOUT), true;
	}
	return false;
}

bool functions_flame_find(struct view *view, bool forward)
{
	struct flame_view *f = &view->flame;
	uint32_t path, nr = call_paths_nr(view->flame.paths);

	if (!functions_flame_refresh(view))
		return false;
	path = f->at;
	/* wraps around; the frame itself comes last; the root is not a function */
	for (uint32_t i = 0; i <= nr; i++) {
		if (forward)
			path = flame_next(f->flame, CALL_PATH_ROOT, path);
		else if (path != CALL_PATH_ROOT)
			path = flame_before(f->flame, CALL_PATH_ROOT, path);
		else
			path = flame_last(f->flame, CALL_PATH_ROOT);
		if (path == CALL_PATH_ROOT || !flame_value(f->flame, path) ||
		    !functions_flame_matches(view, path))
			continue;
		reveal(view, path);
		return true;
	}
	host_message(view->host, "no function here matches; 1 Events searches all events");
	return true;
}

void functions_flame_click(struct view *view, int row, int col, bool twice)
{
	struct flame_view *f = &view->flame;

	if (!functions_flame_refresh(view) || row < 0 || col < 0)
		return;
	for (uint32_t i = 0; i < f->layout.nr; i++) {
		const struct flame_box *box = &f->layout.boxes[i];

		if (box->row != f->scroll + (uint32_t)row || (uint32_t)col < box->left ||
		    (uint32_t)col >= box->left + box->width)
			continue;
		go(view, box->path);
		if (twice)
			enter(view);
		return;
	}
}

void functions_flame_function(struct view *view, uint64_t address)
{
	struct flame_view *f = &view->flame;
	uint32_t widest = CALL_PATH_ROOT;

	if (!functions_flame_refresh(view) || (f->at && path_at(view, f->at)->address == address))
		return;
	for (uint32_t i = 1; i < call_paths_nr(view->flame.paths); i++)
		if (path_at(view, i)->address == address &&
		    (!widest || flame_value(f->flame, i) > flame_value(f->flame, widest)))
			widest = i;
	if (widest)
		go(view, widest);
}

/* Write frames with a self part in the format of flamegraph.pl: "a;b;c 123". */
bool functions_flame_save_row(struct view *view, uint64_t i, struct text *out)
{
	struct flame_view *f = &view->flame;
	uint32_t path = f->saved_path;

	if (!functions_flame_refresh(view))
		return false;
	if (!i || !path || i != f->saved_row + 1) {
		path = CALL_PATH_ROOT;
		f->saved_row = UINT64_MAX;
	}
	for (uint64_t at = f->saved_row; at != i; at++) {
		do {
			if (++path == call_paths_nr(view->flame.paths))
				return false;
		} while (!flame_own(f->flame, path));
	}
	f->saved_row = i;
	f->saved_path = path;
	add_stack(view, path, out);
	text_char(out, ' ');
	text_u64(out, flame_own(f->flame, path));
	return true;
}
