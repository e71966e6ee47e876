/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_flame_compare - the flame graph of a comparison: which frames take more time in a
 * second in B than those of the same functions in A: the range and the rest, or two files.
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/bisect.h"
#include "src/base/index_map.h"
#include "ui/functions/view_functions.h"

#define A_TENTH		0.1

/* The name of a function of a table, which lists it by its address. */
static const char *name_of(const struct function_table *table, const uint32_t *by_address,
			   uint64_t address)
{
	unsigned int at = bisect(table->nr, i, table->rows[by_address[i]].total->address < address);

	return at < table->nr && table->rows[by_address[at]].total->address == address ?
		       table->rows[by_address[at]].name :
		       "";
}

static uint32_t hash_of(uint32_t parent, const char *name)
{
	return index_map_hash_pair(parent, index_map_hash_bytes(name, strlen(name)));
}

/* A path comes after that of its caller: callers are matched first. */
static void match(struct flame_view *f, const struct function_table *now,
		  const struct function_table *rest)
{
	uint32_t *here = function_table_sorted(now, function_by_address),
		 *there = function_table_sorted(rest, function_by_address);
	uint32_t nr = call_paths_nr(now->paths), all = call_paths_nr(rest->paths);
	struct index_map map = { 0 };

	for (uint32_t i = 1; i < all; i++) {
		const struct call_path *path = call_paths_at(rest->paths, i);

		index_map_add(&map, hash_of(path->parent, name_of(rest, there, path->address)), i);
	}
	f->others = mem_array(nr, sizeof(*f->others));
	for (uint32_t i = 1; i < nr; i++) {
		const struct call_path *path = call_paths_at(now->paths, i);
		const char *name = name_of(now, here, path->address);
		uint32_t parent = path->parent ? f->others[path->parent] : CALL_PATH_ROOT;

		if (path->parent && !parent)
			continue;
		index_map_each (&map, hash_of(parent, name), k) {
			const struct call_path *other = call_paths_at(rest->paths, k);

			if (other->parent == parent &&
			    !strcmp(name_of(rest, there, other->address), name))
				f->others[i] = k;
		}
	}
	index_map_fini(&map);
	free(here);
	free(there);
}

void functions_flame_match(struct view *view)
{
	const struct function_table *rest = view->compare.table;
	struct flame_view *f = &view->flame;

	if (!view->lines.comparing || functions_is_stacks(view) || !rest || !rest->paths)
		return;
	f->other = flame_new(rest->paths, functions_flame_by(view));
	match(f, view->table, rest);
}

bool functions_flame_change(const struct view *view, uint32_t path, double *change)
{
	const struct flame_view *f = &view->flame;
	const int64_t *span = view->lines.span;
	double now, other;

	if (!f->others || !f->others[path] || span[0] <= 0 || span[1] <= 0)
		return false;
	now = (double)flame_value(f->flame, path) / (double)span[0];
	other = (double)flame_value(f->other, f->others[path]) / (double)span[1];
	if (other <= 0 || now <= 0)
		return false;
	*change = view->lines.own == TABLE_A ? other / now - 1 : now / other - 1;
	return true;
}

enum role functions_flame_role(const struct view *view, uint32_t path)
{
	double change;

	if (!functions_flame_change(view, path, &change))
		return view->lines.own == TABLE_A ? ROLE_LESS : ROLE_MORE;	/* only here */
	return change > A_TENTH ? ROLE_MORE : change < -A_TENTH ? ROLE_LESS : ROLE_DIM;
}
