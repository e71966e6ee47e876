/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_bind_origin - names of files and instances. */
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/file_names.h"
#include "src/filter/filter_bind.h"
#include "src/trace/trace_streams.h"

static bool fits(struct filter_binder *b, const struct filter_pattern *m, const char *name,
		 size_t len)
{
	return filter_pattern_test(m, b->f->lookup, name, len);
}

static char **names_of_files(const struct filter_binder *b)
{
	const char **paths = mem_array(b->f->nr_files + 1, sizeof(*paths));
	char **names;

	for (unsigned int i = 0; i < b->f->nr_files; i++)
		paths[i] = trace_path(b->f->trace, i);
	names = file_names_new(paths, b->f->nr_files);
	free(paths);
	return names;
}

/* A file by its name on the screen, its path, or the end of its path; .dat may be omitted. */
static bool is_file(struct filter_binder *b, const struct filter_pattern *m, const char *shown)
{
	const char *path = trace_path(b->f->trace, b->file), *end = path;
	size_t len = strlen(path);
	bool dat = len > 4 && !strcmp(path + len - 4, ".dat");

	if (fits(b, m, shown, strlen(shown)))
		return true;
	for (; end; end = strchr(end, '/') ? strchr(end, '/') + 1 : NULL) {
		len = strlen(end);
		if (fits(b, m, end, len) || (dat && len > 4 && fits(b, m, end, len - 4)))
			return true;
	}
	return false;
}

static const struct filter_bound *
bind_file(struct filter_binder *b, const struct filter_node *right, const struct filter_pattern *m)
{
	char **names = names_of_files(b);
	bool is = is_file(b, m, names[b->file]);
	struct text list = { 0 };

	for (unsigned int i = 0; i < b->f->nr_files; i++)
		text_printf(&list, "%s%s", i ? ", " : "", names[i]);
	if (is)
		filter_right(b, right);
	else
		filter_wrong(b, right, "no file has this name; there %s %s",
			     b->f->nr_files > 1 ? "are" : "is", text_str(&list));
	text_fini(&list);
	file_names_free(names, b->f->nr_files);
	return is ? &filter_bound_true : &filter_bound_false;
}

/* Instances that the files have; the top buffer has no name. */
static const struct filter_bound *bind_instance(struct filter_binder *b,
						const struct filter_node *right,
						const struct filter_pattern *m)
{
	const struct source *file = trace_source_at(b->f->trace, b->file)->file;
	struct filter_value buffer = { .kind = FILTER_VALUE_LOAD,
				       .node = right,
				       .load = { .from = FILTER_FROM_BUFFER } };
	struct filter_set *set = mem_alloc(sizeof(*set));
	struct text list = { 0 };
	bool any = false;
	uint32_t index;

	for (unsigned int i = 0; i < source_nr_buffers(file); i++) {
		const char *name = source_buffer(file, i)->name;

		if (fits(b, m, name, strlen(name)) || (!*name && fits(b, m, "top", 3))) {
			filter_set_add(set, i, i);
			any = true;
		}
		text_printf(&list, "%s%s", i ? ", " : "", *name ? name : "top");
	}
	index = filter_add_set(b->f, set);
	if (any)
		filter_right(b, right);
	else
		filter_wrong(b, right, "no instance has this name; there %s %s",
			     source_nr_buffers(file) > 1 ? "are" : "is", text_str(&list));
	text_fini(&list);
	return any ? filter_bind_number_set(b, &buffer, index, false) : &filter_bound_false;
}

const struct filter_bound *filter_bind_origin(struct filter_binder *b, const struct filter_node *n,
					      enum filter_op op, const struct filter_value *left,
					      const struct filter_node *right)
{
	const struct filter_bound *bound;
	const struct filter_pattern *m;
	uint32_t index;

	m = filter_text_pattern(b, op, right, &index);
	if (!m)
		return &filter_bound_false;
	filter_right(b, n);
	b->f->uses_origin = true;
	bound = left->kind == FILTER_VALUE_FILE ? bind_file(b, right, m) :
						  bind_instance(b, right, m);
	return op == FILTER_OP_NE || op == FILTER_OP_NOT_MATCH ?
		       filter_bound_not(&b->f->arena, bound) :
		       bound;
}
