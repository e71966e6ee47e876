/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_words - texts about a filter: its errors, its terms, and whether it implies another one.
 */
#include <string.h>

#include "src/filter/filter_run.h"

#define EXCERPT		76u	/* bytes of an expression in a message, */
#define BEFORE_MARK	50u	/* those before the wrong place */
#define MOST_MESSAGE	200	/* so that struct ft_error holds both */

/* Not the first byte of a character? */
static bool is_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

int filter_error_tell(const struct filter_source *sources, unsigned int nr,
		      const struct filter_error *e, struct ft_error *err)
{
	const char *text = e->source < nr ? sources[e->source].text : "";
	size_t len = strlen(text), from = e->from < len ? e->from : len,
	       to = e->to < len ? e->to : len, first = from > BEFORE_MARK ? from - BEFORE_MARK : 0,
	       last = len - first > EXCERPT ? first + EXCERPT : len;
	struct text lines = { 0 };

	while (first && is_inside(text[first]))
		first--;
	while (last < len && is_inside(text[last]))
		last--;
	to = to > last ? last : to;
	text_add(&lines, "  ");
	for (size_t i = first; i < last; i++)
		text_char(&lines, text[i] == '\n' || text[i] == '\t' ? ' ' : text[i]);
	text_add(&lines, "\n  ");
	text_pad(&lines, text_cells(text + first, from - first));
	for (size_t i = from; i < to || i == from; i++)
		if (i == from || !is_inside(text[i]))
			text_char(&lines, '^');
	ft_error_set(err, FT_E_USAGE, -1, "-F: %.*s\n%s", MOST_MESSAGE, text_str(&e->message),
		     text_str(&lines));
	text_fini(&lines);
	return -1;
}

static unsigned int add_joined(const struct filter_node *n, size_t *from, size_t *to,
			       unsigned int nr)
{
	if (n->kind == FILTER_NODE_AND)
		return add_joined(n->b, from, to, add_joined(n->a, from, to, nr));
	/* the terms of a named filter are at the place of its name */
	if (nr == FILTER_JOINED_MAX || (nr && from[nr - 1] == n->from))
		return nr;
	from[nr] = n->from;
	to[nr] = n->to;
	return nr + 1;
}

unsigned int filter_joined(const struct filter *f, size_t from[FILTER_JOINED_MAX],
			   size_t to[FILTER_JOINED_MAX])
{
	const struct filter_node *root = filter_only_tree(f);

	return root && !f->uses_text && !f->uses_lost ? add_joined(root, from, to, 0) : 0;
}

/* --- less than another ------------------------------------------------------------------ */

/* "abc" contains "ab": every line with the first one has the second. */
static bool text_implies(const struct filter_node *narrow, const struct filter_node *wide)
{
	const struct filter_pattern m = { .kind = FILTER_PATTERN_CONTAINS,
					  .text = (char *)wide->text,
					  .len = wide->len,
					  .fold = !text_has_capital(wide->text, wide->len) };

	return filter_pattern_test(&m, NULL, narrow->text, narrow->len);
}

static bool number_implies(const struct filter_node *narrow, const struct filter_node *wide)
{
	const struct filter_node *a = narrow->b, *b = wide->b;

	if (a->kind != FILTER_NODE_NUMBER || b->kind != FILTER_NODE_NUMBER || a->nano || b->nano ||
	    a->relative || b->relative || a->unit != b->unit || a->value > INT32_MAX ||
	    b->value > INT32_MAX)
		return false;
	if (wide->op == FILTER_OP_GT)
		return (narrow->op == FILTER_OP_GT && a->value >= b->value) ||
		       (narrow->op == FILTER_OP_GE && a->value > b->value);
	if (wide->op == FILTER_OP_GE)
		return (narrow->op == FILTER_OP_GT || narrow->op == FILTER_OP_GE) &&
		       a->value >= b->value;
	return false;
}

static bool leaf_implies(const struct filter_node *narrow, const struct filter_node *wide)
{
	if (filter_node_equal(narrow, wide))
		return true;
	if (narrow->kind == FILTER_NODE_STRING && wide->kind == FILTER_NODE_STRING)
		return text_implies(narrow, wide);
	if (narrow->kind == FILTER_NODE_SCOPE && wide->kind == FILTER_NODE_SCOPE) {
		struct filter_node a = *narrow, b = *wide;

		a.a = b.a = NULL;
		return filter_node_equal(&a, &b) && !wide->a;
	}
	if (narrow->kind != FILTER_NODE_COMPARE || wide->kind != FILTER_NODE_COMPARE ||
	    !filter_node_equal(narrow->a, wide->a))
		return false;
	if (narrow->op == FILTER_OP_CONTAINS && wide->op == FILTER_OP_CONTAINS &&
	    narrow->b->kind == FILTER_NODE_STRING && wide->b->kind == FILTER_NODE_STRING)
		return memmem(narrow->b->text, narrow->b->len, wide->b->text, wide->b->len) != NULL;
	return number_implies(narrow, wide);
}

static bool implies(const struct filter_node *narrow, const struct filter_node *wide)
{
	if (narrow->kind == FILTER_NODE_OR)
		return implies(narrow->a, wide) && implies(narrow->b, wide);
	if (wide->kind == FILTER_NODE_AND)
		return implies(narrow, wide->a) && implies(narrow, wide->b);
	if (leaf_implies(narrow, wide))
		return true;
	if (narrow->kind == FILTER_NODE_AND &&
	    (implies(narrow->a, wide) || implies(narrow->b, wide)))
		return true;
	return wide->kind == FILTER_NODE_OR &&
	       (implies(narrow, wide->a) || implies(narrow, wide->b));
}

/* Are the events of the wide filter's source a subset of a source of the narrow filter? */
static bool source_implies(const struct filter *narrow, unsigned int i, const struct filter *wide)
{
	for (unsigned int k = 0; k < wide->nr_sources; k++) {
		if (wide->sources[k].file != narrow->sources[i].file)
			continue;
		if (!wide->trees[k].root ||
		    (narrow->trees[i].root && implies(narrow->trees[i].root, wide->trees[k].root)))
			return true;
	}
	return false;
}

bool filter_implies(const struct filter *narrow, const struct filter *wide)
{
	bool any = false;

	if (narrow->trace != wide->trace || narrow->compat || wide->compat)
		return false;
	for (unsigned int i = 0; i < 2; i++)		/* a moved mark: another time */
		if (narrow->uses_mark[i] && wide->uses_mark[i] && narrow->mark[i] != wide->mark[i])
			return false;
	for (unsigned int i = 0; i < wide->nr_sources; i++)
		if (wide->sources[i].lines || wide->sources[i].negate)
			return false;
	for (unsigned int i = 0; i < narrow->nr_sources; i++) {
		if (narrow->sources[i].negate)
			continue;
		any = true;
		if (!source_implies(narrow, i, wide))
			return wide->nr_sources == 0;
	}
	return any || !wide->nr_sources;
}
