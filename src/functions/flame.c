/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/functions/flame.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

struct flame {
	const struct call_paths *paths;
	uint32_t	 nr;		/* paths */
	uint64_t	*values;	/* owned, [nr] */
	uint64_t	*covered;	/* owned, [nr]: part covered by callees */
	uint32_t	*callees;	/* owned, [nr]: callees of all paths, grouped by path */
	uint32_t	*first;		/* owned, [nr + 1]: where each path's callees begin */
	uint32_t	*place;		/* owned, [nr]: index of a path in callees */
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* --- widths ---------------------------------------------------------------------------- */

static uint64_t own_figure(const struct call_path *path, enum flame_measure measure)
{
	switch (measure) {
	case FLAME_TOTAL:
		return path->total;
	case FLAME_SELF:
		return path->self;
	case FLAME_NET:
		return path->net_within;
	case FLAME_CALLS:
	case NR_FLAME_MEASURES:
		break;
	}
	return path->calls;
}

/* A path follows its caller: going backwards, callees are known first. */
static void add_up(struct flame *f, enum flame_measure measure)
{
	bool sums = measure == FLAME_SELF || measure == FLAME_CALLS;

	for (uint32_t i = f->nr; i-- > 0;) {
		const struct call_path *path = call_paths_at(f->paths, i);
		uint64_t own = own_figure(path, measure);

		f->values[i] = sums                ? add(own, f->covered[i]) :
			       own > f->covered[i] ? own :
						     f->covered[i];
		if (i)
			f->covered[path->parent] = add(f->covered[path->parent], f->values[i]);
	}
}

static int in_order(const void *a, const void *b, void *arg)
{
	const struct flame *f = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct call_path *x = call_paths_at(f->paths, i), *y = call_paths_at(f->paths, j);

	if (f->values[i] != f->values[j])
		return f->values[i] < f->values[j] ? 1 : -1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return i < j ? -1 : i > j;
}

static void sort_callees(struct flame *f)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < f->nr; i++) {
		f->first[i] = at;
		for (uint32_t n = call_paths_at(f->paths, i)->last; n;
		     n = call_paths_at(f->paths, n)->before)
			f->callees[at++] = n;
		if (at > f->first[i] + 1)
			qsort_r(f->callees + f->first[i], at - f->first[i], sizeof(*f->callees),
				in_order, f);
	}
	f->first[f->nr] = at;
	for (uint32_t i = 0; i < at; i++)
		f->place[f->callees[i]] = i;
}

struct flame *flame_new(const struct call_paths *paths, enum flame_measure measure)
{
	struct flame *f = mem_alloc(sizeof(*f));

	f->paths = paths;
	f->nr = call_paths_nr(paths);
	f->values = mem_array(f->nr, sizeof(*f->values));
	f->covered = mem_array(f->nr, sizeof(*f->covered));
	f->callees = mem_array(f->nr, sizeof(*f->callees));
	f->place = mem_array(f->nr, sizeof(*f->place));
	f->first = mem_array(f->nr + 1ul, sizeof(*f->first));
	add_up(f, measure);
	sort_callees(f);
	return f;
}

void flame_free(struct flame *f)
{
	if (!f)
		return;
	free(f->values);
	free(f->covered);
	free(f->callees);
	free(f->place);
	free(f->first);
	free(f);
}

uint64_t flame_value(const struct flame *f, uint32_t path)
{
	return f->values[path];
}

uint64_t flame_own(const struct flame *f, uint32_t path)
{
	return f->values[path] - f->covered[path];
}

const uint32_t *flame_callees(const struct flame *f, uint32_t path, uint32_t *nr)
{
	*nr = f->first[path + 1] - f->first[path];
	return f->callees + f->first[path];
}

/* --- from frame to frame ----------------------------------------------------------------- */

uint32_t flame_beside(const struct flame *f, uint32_t path, bool right)
{
	uint32_t parent = call_paths_at(f->paths, path)->parent, at = f->place[path];

	if (path == CALL_PATH_ROOT)
		return path;
	if (right)
		return at + 1 < f->first[parent + 1] ? f->callees[at + 1] : path;
	return at > f->first[parent] ? f->callees[at - 1] : path;
}

uint32_t flame_next(const struct flame *f, uint32_t top, uint32_t path)
{
	if (f->first[path] < f->first[path + 1])
		return f->callees[f->first[path]];
	for (; path != top; path = call_paths_at(f->paths, path)->parent) {
		uint32_t beside = flame_beside(f, path, true);

		if (beside != path)
			return beside;
	}
	return CALL_PATH_ROOT;
}

uint32_t flame_last(const struct flame *f, uint32_t path)
{
	while (f->first[path] < f->first[path + 1])
		path = f->callees[f->first[path + 1] - 1];
	return path;
}

uint32_t flame_before(const struct flame *f, uint32_t top, uint32_t path)
{
	uint32_t beside;

	if (path == top)
		return top;
	beside = flame_beside(f, path, false);
	return beside == path ? call_paths_at(f->paths, path)->parent : flame_last(f, beside);
}

/* --- boxes ------------------------------------------------------------------------------- */

/* The columns of a part of a frame. */
static uint32_t columns_of(uint64_t part, uint64_t whole, uint32_t columns)
{
	return whole ? (uint32_t)((unsigned __int128)part * columns / whole) : 0;
}

static void add_box(struct flame_layout *layout, const struct flame_box *box)
{
	if (!box->width)
		return;
	mem_grow(&layout->boxes, layout->nr, &layout->cap);
	layout->boxes[layout->nr++] = *box;
	layout->boxes[box->parent].nr_boxes++;
}

/* Make boxes for the callees of a box's frame. */
static void add_callees(const struct flame *f, uint32_t number, struct flame_layout *layout)
{
	struct flame_box above = layout->boxes[number];
	uint64_t whole = f->values[above.path], before = 0;
	uint32_t nr;
	const uint32_t *callees = flame_callees(f, above.path, &nr);

	layout->boxes[number].first = layout->nr;
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t value = f->values[callees[i]];
		struct flame_box box = {
			.path = callees[i], .nr = 1, .parent = number, .row = above.row + 1
		};
		uint32_t left = columns_of(before, whole, above.width);

		/* the following ones are not wider */
		if (!columns_of(value, whole, above.width)) {
			box.nr = nr - i;
			value = f->covered[above.path] - before;
		}
		before = add(before, value);
		box.left = above.left + left;
		box.width = columns_of(before, whole, above.width) - left;
		add_box(layout, &box);
		if (box.nr > 1)
			break;
	}
}

void flame_lay_out(const struct flame *f, uint32_t top, uint32_t columns, uint32_t rows,
		   struct flame_layout *layout)
{
	layout->nr = 0;
	layout->cut = false;
	mem_grow(&layout->boxes, layout->nr, &layout->cap);
	layout->boxes[layout->nr++] = (struct flame_box){ .path = top, .nr = 1, .width = columns };
	for (uint32_t i = 0; i < layout->nr; i++) {
		const struct flame_box *box = &layout->boxes[i];

		if (box->nr > 1 || f->first[box->path] == f->first[box->path + 1])
			continue;
		if (box->row + 1 < rows)
			add_callees(f, i, layout);
		else
			layout->cut = true;
	}
}

void flame_layout_fini(struct flame_layout *layout)
{
	free(layout->boxes);
	*layout = (struct flame_layout){ 0 };
}

/* The box of a callee below a box; 0 if it has none. */
static uint32_t box_below(const struct flame_layout *layout, const struct flame_box *above,
			  uint32_t path)
{
	for (uint32_t i = above->first; i < above->first + above->nr_boxes; i++)
		if (layout->boxes[i].path == path)
			return i;
	/* it is in the last box, together with others */
	if (above->nr_boxes && layout->boxes[above->first + above->nr_boxes - 1].nr > 1)
		return above->first + above->nr_boxes - 1;
	return 0;
}

uint32_t flame_box_of(const struct flame *f, const struct flame_layout *layout, uint32_t path)
{
	uint32_t top = layout->boxes[0].path, box = 0, nr = 0, cap = 0, *way = NULL;

	for (uint32_t n = path; n != top && n != CALL_PATH_ROOT;
	     n = call_paths_at(f->paths, n)->parent) {
		mem_grow(&way, nr, &cap);
		way[nr++] = n;
	}
	while (nr && layout->boxes[box].nr == 1) {
		uint32_t below = box_below(layout, &layout->boxes[box], way[--nr]);

		if (!below)
			break;
		box = below;
	}
	free(way);
	return box;
}
