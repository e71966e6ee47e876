/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_reason - explains why nothing can match: data that was not recorded, a term that no event
 * matches, two terms that no event matches both.
 */
#include <string.h>

#include "src/filter/filter_offer.h"
#include "src/filter/filter_run.h"

#define MAX_TERMS	8u		/* terms of which pairs are tried */
#define MAX_NAMES	3u		/* names of events shown for a term */

static bool type_occurs(const struct filter *f, unsigned int file, const struct filter_scope *scope)
{
	struct page_kinds *kinds = &trace_source_at(f->trace, file)->kinds;
	uint32_t nr = atomic_load(&kinds->nr);

	for (uint32_t i = 0; i < nr; i++)
		if (kinds->ids[i] < f->files[file].nr_ids &&
		    filter_scope_has(scope, file, kinds->ids[i]))
			return true;
	return false;
}

/* May records of this type match? */
static bool is_alive(const struct filter *f, unsigned int file, uint32_t id)
{
	const struct filter_file *ff = &f->files[file];

	return (id < ff->nr_ids ? ff->entry[id] : ff->unknown) != FILTER_ENTRY_NEVER;
}

static bool alive_in(const struct filter *f, unsigned int file)
{
	struct page_kinds *kinds = &trace_source_at(f->trace, file)->kinds;
	uint32_t nr = atomic_load(&kinds->nr);

	for (uint32_t i = 0; i < nr; i++)
		if (is_alive(f, file, kinds->ids[i]))
			return true;
	return false;
}

static bool any_alive(const struct filter *f)
{
	for (unsigned int file = 0; file < f->nr_files; file++)
		if (alive_in(f, file))
			return true;
	return false;
}

static bool any_stream(const struct filter *f)
{
	struct filter_run *run = filter_run_new(f);
	bool any = false;

	for (unsigned int i = 0; i < trace_nr_streams(f->trace) && !any; i++)
		any = filter_run_stream(run, i) != FILTER_NEVER;
	filter_run_free(run);
	return any;
}

static bool tells_tgids(const struct filter *f)
{
	for (unsigned int file = 0; file < f->nr_files; file++)
		if (!tgid_table_is_empty(trace_source_at(f->trace, file)->tgids))
			return true;
	return false;
}

/* May it match without the data that a name needs? */
static bool has_choice(const struct filter *f)
{
	return f->nr_sources != 1 || !f->trees[0].root || f->trees[0].root->kind == FILTER_NODE_OR;
}

const char *filter_lacks(const struct filter *f,
			 bool (*is_recorded)(const void *arg, const struct event_type *type),
			 const void *arg)
{
	for (unsigned int i = 0; i < f->nr_asked && !has_choice(f); i++) {
		const struct filter_name *name = f->asked[i];
		bool told = name->model->told;	/* no event type tells */

		for (unsigned int file = 0; file < f->nr_files && !told; file++)
			for (uint32_t id = 0; id < f->files[file].nr_ids && !told; id++) {
				const struct event_type *type = f->files[file].types[id];

				told = type && name->model->needs(name->number, type) &&
				       is_recorded(arg, type);
			}
		if (!told)
			return name->needs;
	}
	return NULL;
}

/* A name of the table without data in this trace, or NULL. */
static const struct filter_name *untold_name(const struct filter *f)
{
	for (unsigned int i = 0; i < f->nr_asked; i++) {
		const struct filter_name *name = f->asked[i];
		bool told = false;

		for (unsigned int file = 0; file < f->nr_files && !told; file++) {
			struct page_kinds *kinds = &trace_source_at(f->trace, file)->kinds;
			uint32_t nr = name->model->told ? 0 : atomic_load(&kinds->nr);

			told = name->model->told && name->model->told(f->trace, file, name->number);
			for (uint32_t k = 0; k < nr && !told; k++) {
				const struct event_type *type =
					kinds->ids[k] < f->files[file].nr_ids ?
						f->files[file].types[kinds->ids[k]] :
						NULL;

				told = type && name->model->needs(name->number, type);
			}
		}
		if (!told)
			return name;
	}
	return NULL;
}

/* --- terms ------------------------------------------------------------------------------ */

struct term {
	const struct filter_node *node;
	struct text	 text;			/* owned: as written, or its beginning */
	struct filter	*alone;			/* owned: the term as a filter; NULL = it has no
						 * meaning by itself */
};

struct terms {
	struct term	 list[MAX_TERMS];
	unsigned int	 nr;
};

static void add_terms(const struct filter *f, const struct filter_node *n, struct terms *t)
{
	const char *text = f->sources[0].text;

	if (n->kind == FILTER_NODE_AND) {
		add_terms(f, n->a, t);
		add_terms(f, n->b, t);
	} else if (t->nr < MAX_TERMS) {
		struct term *term = &t->list[t->nr++];

		*term = (struct term){ .node = n, .alone = filter_of_terms(f, &n, 1) };
		text_excerpt(&term->text, text + n->from, n->to - n->from, FILTER_TERM_CELLS);
	}
}

static void free_terms(struct terms *t)
{
	for (unsigned int i = 0; i < t->nr; i++) {
		filter_free(t->list[i].alone);
		text_fini(&t->list[i].text);
	}
}

/*
 * "sched_switch, sched_waking": events that may match and that the trace has (@occur), or could
 * have; omitted if there are too many.
 */
static unsigned int add_events(const struct filter *f, bool occur, struct text *out)
{
	size_t start = out->len;
	unsigned int nr = 0;

	for (unsigned int file = 0; file < f->nr_files; file++)
		for (uint32_t id = 0; id < f->files[file].nr_ids; id++) {
			struct page_kinds *kinds = &trace_source_at(f->trace, file)->kinds;
			bool occurs = false;

			for (uint32_t i = 0; i < atomic_load(&kinds->nr); i++)
				occurs |= kinds->ids[i] == id;
			if (!f->files[file].types[id] || occurs != occur || !is_alive(f, file, id))
				continue;
			if (nr < MAX_NAMES)
				text_printf(out, "%s%s", nr ? ", " : "",
					    f->files[file].types[id]->name);
			nr++;
		}
	if (nr > MAX_NAMES)
		out->len = start;
	return nr;
}

/* A field that only events have which did not occur, but the table has the same: duration, dur. */
static void offer_name(const struct filter *f, const struct filter_node *n,
		       struct filter_offers *offers)
{
	struct filter_error err = { 0 };
	const char *name;

	if (n->op != FILTER_OP_EQ && n->op != FILTER_OP_NE)
		filter_offer_event(n, offers);
	while (n->kind == FILTER_NODE_NOT || n->kind == FILTER_NODE_COMPARE ||
	       n->kind == FILTER_NODE_IN)
		n = n->a;
	name = n->kind == FILTER_NODE_WORD ? filter_name_meant(n->text, f->more_names) : NULL;
	if (!name || offers->nr)
		return;
	filter_offers_add(offers, "%s", name);
	filter_offers_give(offers, f->sources[0].text, n, &err);
	*offers = err.offers;
}

/* A term that no event can match. */
static bool add_dead_term(const struct filter *f, const struct terms *t,
			  struct filter_offers *offers, struct text *out)
{
	struct text events = { 0 };

	for (unsigned int i = 0; i < t->nr; i++) {
		const struct term *term = &t->list[i];
		unsigned int nr;

		if (!term->alone || any_alive(term->alone))
			continue;
		text_printf(out, "no event of the trace can have %s", text_str(&term->text));
		nr = add_events(term->alone, false, &events);
		if (nr > MAX_NAMES)
			text_printf(out,
				    ": it belongs to %u event types, which the trace does not have",
				    nr);
		else if (nr)
			text_printf(out, ": it belongs to %s, which the trace does not have",
				    text_str(&events));
		offer_name(f, term->node, offers);
		filter_offers_text(offers, out);
		text_fini(&events);
		return true;
	}
	return false;
}

/* Is there a type for which both may match? */
static bool share_type(const struct filter *a, const struct filter *b)
{
	for (unsigned int file = 0; file < a->nr_files; file++) {
		struct page_kinds *kinds = &trace_source_at(a->trace, file)->kinds;
		uint32_t nr = atomic_load(&kinds->nr);

		for (uint32_t i = 0; i < nr; i++)
			if (is_alive(a, file, kinds->ids[i]) && is_alive(b, file, kinds->ids[i]))
				return true;
	}
	return false;
}

/* Two terms that no event matches both. */
static bool add_dead_pair(const struct filter *f, const struct term *a, const struct term *b,
			  struct text *out)
{
	const struct filter_node *const both[] = { a->node, b->node };
	struct filter *pair = a->alone && b->alone ? filter_of_terms(f, both, 2) : NULL;
	bool dead = pair && !any_alive(pair);
	struct text events = { 0 };

	if (dead && share_type(a->alone, b->alone)) {
		text_printf(out, "%s and %s exclude each other", text_str(&a->text),
			    text_str(&b->text));
	} else if (dead) {
		const struct term *told = b->node->kind == FILTER_NODE_WORD ||
							  b->node->kind == FILTER_NODE_SCOPE ?
						  a :
						  b;

		text_printf(out, "no event can have both %s and %s", text_str(&a->text),
			    text_str(&b->text));
		if (told->node->kind != FILTER_NODE_WORD &&
		    add_events(told->alone, true, &events) <= MAX_NAMES)
			text_printf(out, ": %s belongs to %s", text_str(&told->text),
				    text_str(&events));
	}
	text_fini(&events);
	filter_free(pair);
	return dead;
}

/* Explain it by the terms joined by `and`. */
static bool add_terms_reason(struct filter *f, struct text *out)
{
	struct terms t = { .nr = 0 };
	bool found;

	if (!filter_only_tree(f))
		return false;
	add_terms(f, filter_only_tree(f), &t);
	found = add_dead_term(f, &t, &f->empty_offers, out);
	for (unsigned int i = 0; i < t.nr && !found; i++)
		for (unsigned int k = i + 1; k < t.nr && !found; k++)
			found = add_dead_pair(f, &t.list[i], &t.list[k], out);
	free_terms(&t);
	return found;
}

/* --- all ---------------------------------------------------------------------------------- */

/*
 * "sched_switch, irq": events in the filter that the trace, or one file, does not have.  Return: 0
 * if it has all.
 */
static unsigned int add_absent(const struct filter *f, int file, struct text *out)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < f->nr_scopes; i++) {
		const struct filter_node *n = f->scopes[i].node;
		bool occurs = false;

		if (file >= 0 && !f->scopes[i].types[file])
			continue;
		for (unsigned int k = 0; k < f->nr_files; k++)
			occurs |= (file < 0 || k == (unsigned int)file) &&
				  type_occurs(f, k, &f->scopes[i]);
		for (const struct filter_node *p = n->kind == FILTER_NODE_SCOPE ? n->list : n;
		     p && !occurs; p = p == n ? NULL : p->next)
			text_printf(out, "%s%s", nr++ ? ", " : "", p->text);
	}
	return nr;
}

/* Are all types that occur known? */
static bool knows_types(const struct filter *f)
{
	bool known = true;

	for (unsigned int i = 0; i < f->nr_files && known; i++)
		known = atomic_load(&trace_source_at(f->trace, i)->kinds.complete);
	return known || trace_status(f->trace).complete;
}

const char *filter_empty_reason(const struct filter *filter)
{
	struct filter *f = (struct filter *)filter;	/* the text is made on first use */
	struct text *out = &f->empty_reason, absent = { 0 };
	bool alive;

	if (f->uses_lost || !knows_types(f) || !trace_nr_streams(f->trace))
		return NULL;
	text_clear(out);
	f->empty_offers.nr = 0;
	alive = any_alive(f);
	if (untold_name(f) && !(alive && has_choice(f)))
		text_printf(out, "the trace has no %s", untold_name(f)->needs);
	else if (alive && !any_stream(f))
		text_add(out, "the trace has no such CPU");
	else if (alive && f->uses_tgid && !tells_tgids(f))
		text_add(out, "the trace has no process ids (tgid)");
	else if (alive)
		return NULL;
	else if (add_absent(f, -1, &absent))
		text_printf(out, "the trace has no %s events", text_str(&absent));
	else if (!add_terms_reason(f, out))
		text_add(out, "no event of the trace can have these values");
	text_fini(&absent);
	return text_str(out);
}

const struct filter_offers *filter_empty_offers(const struct filter *filter)
{
	return &filter->empty_offers;
}

/* The first term that no event of a file can match; false: no single term is the cause. */
static bool add_term_of_file(const struct filter *f, unsigned int file, struct text *out)
{
	struct terms t = { .nr = 0 };
	bool found = false;

	if (!filter_only_tree(f))
		return false;
	add_terms(f, filter_only_tree(f), &t);
	for (unsigned int i = 0; i < t.nr && !found; i++) {
		found = t.list[i].alone && !alive_in(t.list[i].alone, file);
		if (found)
			text_printf(out, "no event of this file can have %s",
				    text_str(&t.list[i].text));
	}
	free_terms(&t);
	return found;
}

bool filter_file_reason(const struct filter *f, unsigned int file, struct text *out)
{
	struct text absent = { 0 };
	bool asks = false;

	for (unsigned int i = 0; i < f->nr_sources; i++)
		asks |= filter_source_asks(&f->sources[i], file);
	if (!asks || f->uses_lost || f->uses_origin || !trace_status(f->trace).complete ||
	    f->nr_files < 2 || alive_in(f, file))
		return false;
	if (add_absent(f, (int)file, &absent))
		text_printf(out, "this file has no %s events", text_str(&absent));
	else if (!add_term_of_file(f, file, out))
		text_add(out, "no event of this file can have these values");
	text_fini(&absent);
	return true;
}
