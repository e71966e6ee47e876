/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter - turns texts into programs: parses them, finds the events of each scope, binds the trees
 * for every event type of every file, and reports what was wrong for all types.
 */
#include "src/filter/filter.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/source/source.h"
#include "src/filter/filter_bind.h"
#include "src/trace/trace_streams.h"

#define MAX_TYPE_ID	65535

/* --- scopes ---------------------------------------------------------------------------- */

/* Users of trace-cmd, whose patterns are regular expressions, write ".*" for any name. */
static bool name_matches(const char *pattern, size_t len, const char *name)
{
	char plain[256];
	size_t out = 0;

	for (size_t i = 0; i < len && out < sizeof(plain); i++) {
		if (pattern[i] == '.' && i + 1 < len && pattern[i + 1] == '*')
			continue;
		plain[out++] = pattern[i];
	}
	return filter_glob(plain, out, name, strlen(name), true);
}

/* State of a source's terms while it is bound. */
struct source_binding {
	struct filter		*f;
	const struct filter_source *source;
	struct filter_note	*notes;
	uint32_t		*scope_of;	/* by node: 1 + index of the scope; 0 = none */
	struct filter_error	*err;
};

/* A pattern, prepared once; in compat mode it is a regular expression. */
struct compiled_pattern {
	const struct filter_node *node;
	struct filter_pattern	 event, system;
	bool			 has_system;
};

static bool whole_regex(struct filter_pattern *m, const struct filter_node *n,
			struct filter_error *err)
{
	struct text regex = { 0 };
	bool ok;

	text_add(&regex, "^(?:");
	filter_posix_regex(n->text, n->len, &regex);
	text_add(&regex, ")$");
	ok = filter_pattern_init(m, FILTER_PATTERN_REGEX, text_str(&regex), regex.len, true,
				 n->from, n->to, err);
	text_fini(&regex);
	return ok;
}

static bool pattern_init(struct compiled_pattern *p, const struct filter_node *node,
			 struct filter_error *err)
{
	*p = (struct compiled_pattern){ .node = node,
			       .has_system = node->kind == FILTER_NODE_REGEX && node->a };
	if (node->kind != FILTER_NODE_REGEX)
		return true;
	return whole_regex(&p->event, node, err) &&
	       (!node->a || whole_regex(&p->system, node->a, err));
}

static void pattern_fini(struct compiled_pattern *p)
{
	filter_pattern_fini(&p->event);
	filter_pattern_fini(&p->system);
}

/* An event, system/event, or a system by its plain name. */
static bool pattern_matches(struct filter *f, const struct compiled_pattern *pattern,
			    const struct event_type *type)
{
	const struct filter_node *node = pattern->node;
	const char *slash = memchr(node->text, '/', node->len);
	size_t len = slash ? (size_t)(slash - node->text) : node->len;

	if (node->kind == FILTER_NODE_REGEX) {
		bool system = filter_pattern_test(pattern->has_system ? &pattern->system :
									&pattern->event,
						  f->lookup, type->system, strlen(type->system));
		bool event = filter_pattern_test(&pattern->event, f->lookup, type->name,
						 strlen(type->name));

		return pattern->has_system ? system && event : system || event;
	}
	if (slash)	/* as in trace-cmd, "sched/" means all of the system */
		return name_matches(node->text, len, type->system) &&
		       (!slash[1] || name_matches(slash + 1, node->len - len - 1, type->name));
	if (name_matches(node->text, len, type->name))
		return true;
	return node->kind == FILTER_NODE_WORD && strlen(type->system) == len &&
	       !strncasecmp(type->system, node->text, len);
}

/* Add the types that a pattern matches; false if there are none. */
static bool add_types(const struct source_binding *s, struct filter_scope *scope,
		      const struct compiled_pattern *pattern)
{
	struct filter *f = s->f;
	bool any = false;

	for (unsigned int file = 0; file < f->nr_files; file++) {
		const struct filter_file *ff = &f->files[file];

		if (!filter_source_asks(s->source, file))
			continue;
		if (!scope->types[file])
			scope->types[file] = mem_alloc(ff->nr_ids / 8 + 1);
		for (unsigned int id = 0; id < ff->nr_ids; id++) {
			if (!ff->types[id] || !pattern_matches(f, pattern, ff->types[id]))
				continue;
			scope->types[file][id / 8] |= (uint8_t)(1u << id % 8);
			any = true;
		}
	}
	return any;
}

/*
 * The types of all files that a list of patterns matches; *unmatched: the first pattern without a
 * match.
 */
static const struct filter_scope *add_scope(const struct source_binding *s,
					    const struct filter_node *node,
					    const struct filter_node *list,
					    const struct filter_node **unmatched)
{
	struct filter *f = s->f;
	struct filter_scope scope = { .node = node,
				      .types = mem_array(f->nr_files + 1, sizeof(*scope.types)) };
	bool any = false;

	*unmatched = NULL;
	for (const struct filter_node *p = list; p; p = list == node ? NULL : p->next) {
		struct compiled_pattern pattern;
		bool found = pattern_init(&pattern, p, s->err) && add_types(s, &scope, &pattern);

		pattern_fini(&pattern);
		any |= found;
		if (!found && !*unmatched)
			*unmatched = p;
	}
	if (!any) {
		for (unsigned int file = 0; file < f->nr_files; file++)
			free(scope.types[file]);
		free(scope.types);
		return NULL;
	}
	mem_grow(&f->scopes, f->nr_scopes, &f->cap_scopes);
	f->scopes[f->nr_scopes] = scope;
	return &f->scopes[f->nr_scopes++];
}

static bool no_such_event(const struct source_binding *s, const struct filter_node *p)
{
	struct filter *f = s->f;
	const char *slash = memchr(p->text, '/', p->len);
	struct filter_offers offers = { .nr = 0 };
	struct filter_near near;
	struct text message = { 0 };
	struct trace_type_count *counts;
	unsigned int nr = trace_type_counts(f->trace, &counts);

	filter_near_init(&near, slash ? slash + 1 : p->text);
	/* among equally near names, prefer those that occur in the trace */
	for (unsigned int i = 0; i < nr; i++)
		if (counts[i].type && filter_source_asks(s->source, counts[i].file))
			filter_near_add(&near, counts[i].type->name);
	free(counts);
	for (unsigned int file = 0; file < f->nr_files; file++)
		for (unsigned int id = 0; id < f->files[file].nr_ids; id++)
			if (f->files[file].types[id] && filter_source_asks(s->source, file)) {
				filter_near_add(&near, f->files[file].types[id]->name);
				filter_near_add(&near, f->files[file].types[id]->system);
			}
	if (!filter_offer_task(f->trace, s->source->text, p->from, &offers))
		filter_near_offer(&near, &offers);
	filter_offers_text(&offers, &message);
	filter_fail(s->err, p->from, p->to, "no event %s %s%s",
		    p->kind == FILTER_NODE_WORD ? "is named" : "matches", p->text,
		    text_str(&message));
	filter_offers_give(&offers, s->source->text, p, s->err);
	text_fini(&message);
	return false;
}

/* Find the types of scopes, and of words that may name events. */
static bool find_scopes(struct source_binding *s, const struct filter_node *n)
{
	const struct filter_node *unmatched;
	const struct filter_scope *scope;
	const struct filter_name *name;

	switch (n->kind) {
	case FILTER_NODE_AND:
	case FILTER_NODE_OR:
		return find_scopes(s, n->a) && find_scopes(s, n->b);
	case FILTER_NODE_NOT:
		return find_scopes(s, n->a);
	case FILTER_NODE_SCOPE:
		scope = add_scope(s, n, n->list, &unmatched);
		if (unmatched)
			return no_such_event(s, unmatched);
		s->scope_of[n->id] = (uint32_t)(scope - s->f->scopes) + 1;
		return !n->a || find_scopes(s, n->a);
	case FILTER_NODE_WORD:
	case FILTER_NODE_GLOB:
		name = filter_name_find(n->text, s->f->more_names);
		if (name && (name->kind == FILTER_NAME_FLAG || name->kind == FILTER_NAME_LOST))
			return true;
		scope = add_scope(s, n, n, &unmatched);
		if (scope)
			s->scope_of[n->id] = (uint32_t)(scope - s->f->scopes) + 1;
		return true;
	default:
		return true;
	}
}

/* --- words ------------------------------------------------------------------------------- */

/* Note which words are fields of the type. */
static void note_fields(struct source_binding *s, const struct filter_node *n, unsigned int file,
			const struct event_type *type, bool in_scope)
{
	if (!n)
		return;
	if (n->kind == FILTER_NODE_SCOPE) {
		if (filter_scope_has(&s->f->scopes[s->scope_of[n->id] - 1], file, type->id))
			note_fields(s, n->a, file, type, true);
		return;
	}
	if (n->kind == FILTER_NODE_WORD) {
		const struct event_field *field = event_type_field(type, n->text);
		struct filter_note *note = &s->notes[n->id];

		note->in_scope = in_scope;
		note->is_field |= field != NULL;
		note->is_string |= field && (field->kind == FIELD_STRING ||
					     field->kind == FIELD_DYNAMIC_STRING);
	}
	note_fields(s, n->a, file, type, in_scope);
	note_fields(s, n->b, file, type, in_scope);
	for (const struct filter_node *item = n->list; item; item = item->next)
		note_fields(s, item, file, type, in_scope);
}

/* The first node in the text that was not right for any type. */
static bool find_problem(struct filter *f, const struct filter_note *notes,
			 const struct filter_node *n, struct filter_error *err)
{
	const struct filter_note *note;

	if (!n)
		return true;
	if (!find_problem(f, notes, n->a, err) || !find_problem(f, notes, n->b, err))
		return false;
	for (const struct filter_node *item = n->kind == FILTER_NODE_SCOPE ? NULL : n->list; item;
	     item = item->next)
		if (!find_problem(f, notes, item, err))
			return false;
	note = &notes[n->id];
	if (note->problem && !note->ok && note->is_doubtful) {
		f->is_doubtful = true;
		return true;
	}
	if (!note->problem || (note->ok && (!note->is_misused || note->is_used)))
		return true;
	filter_fail(err, n->from, n->to, "%s", note->problem);
	if (note->offers)
		filter_offers_give(note->offers, f->sources[err->source].text, n, err);
	return false;
}

/* --- binding -------------------------------------------------------------------------------- */

/*
 * The expression for one file: any of the sources for it must match, and none of the negated ones.
 */
struct file_binding {
	struct filter		*f;
	unsigned int		 file;
	struct filter_binder	*binders;	/* [nr_sources] */
};

static const struct filter_bound *bind_all(struct file_binding *fb, const struct event_type *type,
					   bool general)
{
	struct filter *f = fb->f;
	const struct filter_bound *any = &filter_bound_false, *none = &filter_bound_true;
	bool positive = false;

	for (unsigned int i = 0; i < f->nr_sources; i++) {
		const struct filter_source *source = &f->sources[i];
		struct filter_binder *b = &fb->binders[i];
		const struct filter_bound *bound;

		if (!filter_source_asks(source, fb->file))
			continue;
		b->type = type;
		b->general = general;
		bound = f->trees[i].root ? filter_bind_term(b, f->trees[i].root) :
					   &filter_bound_true;
		if (source->negate) {
			none = filter_bound_and(&f->arena, none,
						filter_bound_not(&f->arena, bound));
		} else {
			any = filter_bound_or(&f->arena, any, bound);
			positive = true;
		}
	}
	return filter_bound_and(&f->arena, positive ? any : &filter_bound_true, none);
}

/* As bind_all(), but never for what cannot match. */
static const struct filter_bound *bind_whole(struct file_binding *fb, const struct event_type *type,
					     bool general)
{
	const struct filter_bound *bound = bind_all(fb, type, general);

	return filter_bound_excludes_itself(fb->f, bound) ? &filter_bound_false : bound;
}

static bool bind_types(struct file_binding *fb, const struct filter_bound **bounds,
		       struct filter_error *err)
{
	const struct filter_file *ff = &fb->f->files[fb->file];

	for (unsigned int id = 0; id < ff->nr_ids; id++) {
		bounds[id] = ff->types[id] ? bind_whole(fb, ff->types[id], false) : NULL;
		if (err->message.len)
			return false;
	}
	return true;
}

static bool bind_file(struct file_binding *fb, struct filter_error *err)
{
	struct filter_file *ff = &fb->f->files[fb->file];
	const struct filter_bound **bounds = mem_array(ff->nr_ids + 1, sizeof(*bounds));
	bool full = false;

	if (!bind_types(fb, bounds, err)) {
		free(bounds);
		return false;
	}
	ff->unknown = filter_code_add(&ff->code, bind_whole(fb, NULL, false), &full);
	ff->general = bind_whole(fb, NULL, true);
	for (unsigned int id = 0; id < ff->nr_ids; id++)
		ff->entry[id] = bounds[id] ? filter_code_add(&ff->code, bounds[id], &full) :
					     ff->unknown;
	free(bounds);
	if (full)
		return filter_fail(err, 0, 0, "the expression is too long");
	return !err->message.len;
}

static void init_binder(struct filter *f, struct filter_binder *b, const struct source_binding *s,
			unsigned int source, unsigned int file,
			const struct filter_options *options, struct arena *scratch)
{
	struct trace_source *from = trace_source_at(f->trace, file);
	const struct source_buffer *top = source_buffer(from->file, 0);

	*b = (struct filter_binder){ .f = f, .options = options, .file = file, .source = source,
				     .types = from->types,
				     .common = event_types_common(from->types),
				     .swap = f->files[file].swap,
				     .tells_tgids = filter_tells_tgids(f, file),
				     .long_size = top && top->layout.long_size == 4 ? 4 : 8,
				     .notes = s->notes,
				     .scope_of = s->scope_of, .scratch = scratch, .err = s->err };
}

static bool bind_sources(struct filter *f, const struct filter_options *options,
			 struct filter_error *err)
{
	struct source_binding *s = mem_array(f->nr_sources + 1, sizeof(*s));
	struct filter_binder *binders = mem_array(f->nr_sources + 1, sizeof(*binders));
	struct arena scratch = { 0 };
	bool ok = true;

	for (unsigned int i = 0; i < f->nr_sources && ok; i++) {
		unsigned int nr = f->trees[i].nr_nodes + 1;

		err->source = i;
		s[i] = (struct source_binding){ .f = f, .source = &f->sources[i], .err = err,
						.notes = mem_array(nr, sizeof(*s[i].notes)),
						.scope_of = mem_array(nr, sizeof(*s[i].scope_of)) };
		if (!f->trees[i].root)
			continue;
		ok = find_scopes(&s[i], f->trees[i].root);
		for (unsigned int file = 0; file < f->nr_files && ok; file++)
			for (unsigned int id = 0; id < f->files[file].nr_ids; id++)
				if (f->files[file].types[id] &&
				    filter_source_asks(&f->sources[i], file))
					note_fields(&s[i], f->trees[i].root, file,
						    f->files[file].types[id], false);
	}
	for (unsigned int file = 0; file < f->nr_files && ok; file++) {
		struct file_binding fb = { .f = f, .file = file, .binders = binders };

		for (unsigned int i = 0; i < f->nr_sources; i++) {
			init_binder(f, &binders[i], &s[i], i, file, options, &scratch);
			for (unsigned int k = 0; k < f->trees[i].nr_nodes; k++)
				s[i].notes[k].functions = 0;
		}
		ok = bind_file(&fb, err);
	}
	for (unsigned int i = 0; i < f->nr_sources && ok; i++) {
		err->source = i;
		ok = f->compat || find_problem(f, s[i].notes, f->trees[i].root, err);
	}
	for (unsigned int i = 0; i < f->nr_sources; i++) {
		free(s[i].notes);
		free(s[i].scope_of);
	}
	free(s);
	free(binders);
	arena_fini(&scratch);
	return ok;
}

/* --- making one ------------------------------------------------------------------------------- */

static void load_types(struct filter *f, unsigned int file)
{
	struct trace_source *source = trace_source_at(f->trace, file);
	struct filter_file *ff = &f->files[file];
	unsigned int nr = source_nr_formats(source->file);
	int max = 0;

	for (unsigned int i = 0; i < nr; i++) {
		int id = source_format(source->file, i)->id;

		if (id > max && id <= MAX_TYPE_ID)
			max = id;
	}
	/* one more: records of the blk tracer have the next id, and no format */
	ff->nr_ids = (unsigned int)max + 2;
	ff->types = mem_array(ff->nr_ids, sizeof(*ff->types));
	ff->entry = mem_array(ff->nr_ids, sizeof(*ff->entry));
	for (int id = 0; id < max + 2; id++)
		if (!f->options.only_type || f->options.only_type == id)
			ff->types[id] = event_types_find(source->types, id);
	ff->swap = source_info(source->file)->big_endian != HOST_BIG_ENDIAN;
}

static bool is_prefix(void *arg, const char *word)
{
	const struct filter *f = arg;
	const struct filter_name *name = filter_name_find(word, f->more_names);

	return name && name->kind == FILTER_NAME_WORD;
}

static bool is_system(void *arg, const char *name)
{
	const struct filter *f = arg;

	for (unsigned int file = 0; file < f->nr_files; file++) {
		const struct source *tf = trace_source_at(f->trace, file)->file;

		for (unsigned int i = 0; i < source_nr_formats(tf); i++)
			if (!strcasecmp(source_format(tf, i)->system, name))
				return true;
	}
	return false;
}

static bool is_value(void *arg, const char *word)
{
	const struct filter *f = arg;
	const struct filter_name *name = filter_name_find(word, f->more_names);
	bool found = name && name->kind != FILTER_NAME_FLAG && name->kind != FILTER_NAME_LOST;

	for (unsigned int file = 0; file < f->nr_files && !name; file++) {
		struct event_types *types = trace_source_at(f->trace, file)->types;
		const struct source *tf = trace_source_at(f->trace, file)->file;

		for (unsigned int i = 0; i < source_nr_formats(tf) && !found; i++) {
			const struct event_type *type = event_types_find(types,
									 source_format(tf, i)->id);

			found = type && event_type_field(type, word);
		}
	}
	return found;
}

static bool parse(struct filter *f, const struct filter_options *options, struct filter_error *err)
{
	struct filter_syntax syntax = { .is_prefix = is_prefix, .is_system = is_system,
					.is_value = is_value, .arg = f };

	if (options) {
		syntax.macros = options->macros;
		syntax.nr_macros = options->nr_macros;
	}
	for (unsigned int i = 0; i < f->nr_sources; i++) {
		bool ok = f->compat ?
				  filter_tree_parse_compat(&f->trees[i], f->sources[i].text, err) :
				  filter_tree_parse(&f->trees[i], f->sources[i].text, &syntax, err);

		err->source = i;
		if (!ok)
			return false;
	}
	return true;
}

static struct filter *alloc_filter(struct trace *trace, const struct filter_source *sources,
				   unsigned int nr, const struct filter_options *options)
{
	struct filter *f = mem_alloc(sizeof(*f));

	f->trace = trace;
	if (options)
		f->options = *options;
	f->options.macros = NULL;
	f->options.nr_macros = 0;
	f->compat = f->options.compat;
	f->more_names = trace_filter_names(trace);
	f->nr_sources = nr;
	f->sources = mem_array(nr + 1, sizeof(*f->sources));
	f->trees = mem_array(nr + 1, sizeof(*f->trees));
	f->nr_files = trace_nr_files(trace);
	f->files = mem_array(f->nr_files + 1, sizeof(*f->files));
	f->lookup = filter_scratch_new();
	for (unsigned int i = 0; i < nr; i++) {
		f->sources[i] = sources[i];
		f->sources[i].text = mem_strdup(sources[i].text ? sources[i].text : "");
	}
	return f;
}

/* An error may concern only some files: with several files, name them. */
static void name_files(const struct filter *f, struct filter_error *err)
{
	int file = f->sources[err->source].file;
	struct text message = { 0 };

	if (f->nr_files < 2 || !err->message.len)
		return;
	if (file >= 0)
		text_printf(&message, "%s: %s", trace_path(f->trace, (unsigned int)file),
			    text_str(&err->message));
	else if (f->nr_files == 2)
		text_printf(&message, "%s (in both files)", text_str(&err->message));
	else
		text_printf(&message, "%s (in all %u files)", text_str(&err->message), f->nr_files);
	text_fini(&err->message);
	err->message = message;
}

static bool bind_trees(struct filter *f, const struct filter_options *options,
		       struct filter_error *err)
{
	for (unsigned int i = 0; i < f->nr_files; i++)
		load_types(f, i);
	if (bind_sources(f, options, err))
		return true;
	name_files(f, err);
	return false;
}

struct filter *filter_new(struct trace *trace, const struct filter_source *sources, unsigned int nr,
			  const struct filter_options *options, struct filter_error *err)
{
	struct filter *f = alloc_filter(trace, sources, nr, options);
	struct filter_error own = { 0 };
	struct filter_error *e = err ? err : &own;
	bool ok = parse(f, options, e) && bind_trees(f, options, e);

	for (unsigned int i = 0; i < f->nr_files && ok && f->uses_text; i++)
		trace_printer(trace, i);
	if (ok)
		filter_begin_models(f);
	text_fini(&own.message);
	if (ok)
		return f;
	filter_free(f);
	return NULL;
}

struct filter *filter_of_terms(const struct filter *of, const struct filter_node *const *terms,
			       unsigned int nr)
{
	struct filter *f = alloc_filter(of->trace, of->sources, 1, &of->options);
	struct filter_tree *tree = &f->trees[0];
	struct filter_error err = { 0 };
	bool ok;

	/* the nodes keep their numbers from the other tree */
	tree->nr_nodes = of->trees[0].nr_nodes;
	tree->root = (struct filter_node *)terms[0];
	for (unsigned int i = 1; i < nr; i++) {
		struct filter_node *both = arena_alloc(&tree->arena, sizeof(*both));

		*both = (struct filter_node){ .kind = FILTER_NODE_AND, .a = tree->root,
					      .b = (struct filter_node *)terms[i],
					      .id = tree->nr_nodes++ };
		tree->root = both;
	}
	ok = bind_trees(f, &f->options, &err);
	text_fini(&err.message);
	if (ok)
		return f;
	filter_free(f);
	return NULL;
}

bool filter_given_up(const struct filter *f)
{
	for (unsigned int i = 0; i < f->nr_patterns; i++)
		if (filter_pattern_given_up(f->patterns[i]))
			return true;
	return false;
}

int filter_check(const struct filter *f, struct ft_error *err)
{
	return filter_given_up(f) ? ft_error_set(err, FT_E_LIMIT, -1, "-F: %s", FILTER_GIVEN_UP) :
				    0;
}

const char *filter_trouble(const struct filter *f)
{
	if (filter_given_up(f))
		return FILTER_GIVEN_UP;
	for (unsigned int i = 0; i < f->nr_patterns; i++)
		if (filter_pattern_limited(f->patterns[i]))
			return "a regular expression took too many steps on some text, which "
			       "counts as not matching";
	return filter_model_trouble(f);
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (unsigned int i = 0; i < f->nr_sources; i++) {
		free((char *)f->sources[i].text);
		filter_tree_fini(&f->trees[i]);
	}
	for (unsigned int i = 0; i < f->nr_files; i++) {
		filter_code_fini(&f->files[i].code);
		free(f->files[i].entry);
		free(f->files[i].types);
	}
	for (unsigned int i = 0; i < f->nr_patterns; i++) {
		filter_pattern_fini(f->patterns[i]);
		free(f->patterns[i]);
	}
	filter_fini_models(f);
	for (unsigned int i = 0; i < f->nr_sets; i++) {
		filter_set_fini(f->sets[i]);
		free(f->sets[i]);
	}
	for (unsigned int i = 0; i < f->nr_scopes; i++) {
		for (unsigned int file = 0; file < f->nr_files; file++)
			free(f->scopes[i].types[file]);
		free(f->scopes[i].types);
	}
	filter_scratch_free(f->lookup);
	free(f->sources);
	free(f->trees);
	free(f->files);
	free(f->patterns);
	free(f->sets);
	free(f->scopes);
	arena_fini(&f->arena);
	text_fini(&f->empty_reason);
	free(f);
}

const char *filter_text(const struct filter *filter, unsigned int source)
{
	return source < filter->nr_sources ? filter->sources[source].text : "";
}

struct filter *filter_new_ready(struct trace *trace, const struct filter_source *sources,
				unsigned int nr, const struct filter_options *options,
				struct filter_error *err)
{
	struct filter *filter = filter_new(trace, sources, nr, options, err);

	if (filter && (filter->is_doubtful || filter->uses_comm)) {
		trace_wait_all(trace);
	}
	if (filter && filter->is_doubtful) {	/* now it can be told whether it is an error */
		filter_free(filter);
		filter = filter_new(trace, sources, nr, options, err);
	}
	if (filter)
		filter_wait(filter);
	return filter;
}

bool filter_marks_moved(const struct filter *f, const struct filter_options *o)
{
	return (f->uses_mark[0] && o->has_a && o->a != f->mark[0]) ||
	       (f->uses_mark[1] && o->has_b && o->b != f->mark[1]);
}

bool filter_asks_lost(const struct filter *filter)
{
	return filter->uses_lost;
}

bool filter_needs_names(const struct filter *filter)
{
	return filter->uses_comm;
}
