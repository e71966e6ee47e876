/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/text/value_names.h"

#include <stdlib.h>
#include <string.h>

struct found {
	const struct event_field *field;
	struct arena		*arena;
	struct value_name	*names;
	unsigned int		nr, cap;
	bool			tables, flags, symbolic;
};

/* Is it the field, possibly with a cast? */
static bool is_field(const struct print_node *node, const struct event_field *field)
{
	while (node->kind == NODE_CAST)
		node = node->a;
	return node->kind == NODE_FIELD && node->field == field;
}

/* Is it the field, or some of its bits: field & mask? */
static bool is_field_bits(const struct print_node *node, const struct event_field *field,
			  uint64_t *mask)
{
	while (node->kind == NODE_CAST)
		node = node->a;
	*mask = UINT64_MAX;
	if (is_field(node, field))
		return true;
	return node->kind == NODE_BINARY && node->op == OP_AND &&
	       ((is_field(node->a, field) && print_constant(node->b, mask)) ||
		(is_field(node->b, field) && print_constant(node->a, mask)));
}

static void add_name(struct found *found, const char *name, uint64_t value)
{
	size_t len;

	while (*name == ' ')
		name++;
	len = strlen(name);
	while (len && name[len - 1] == ' ')
		len--;
	if (!len)
		return;
	for (unsigned int i = 0; i < found->nr; i++)
		if (found->names[i].value == value && strlen(found->names[i].name) == len &&
		    !memcmp(found->names[i].name, name, len))
			return;
	mem_grow(&found->names, found->nr, &found->cap);
	found->names[found->nr].name = arena_strndup(found->arena, name, len);
	found->names[found->nr++].value = value;
}

static void search_names(struct found *found, const struct print_node *node)
{
	uint64_t mask;

	if (!node)
		return;
	if (node->kind == NODE_CALL && node->names && is_field_bits(node->a, found->field, &mask) &&
	    (node->call == CALL_FLAGS || mask == UINT64_MAX)) {
		found->tables = true;
		found->flags |= node->call == CALL_FLAGS;
		found->symbolic |= node->call != CALL_FLAGS;
		for (unsigned int i = 0; i < node->names->nr; i++)
			add_name(found, node->names->names[i].name, node->names->names[i].value);
	}
	/*
	 * Text shown for 0 instead of a table, and marks for single bits: state & 0x100 ? "+" : ""
	 */
	if (node->kind == NODE_COND && is_field_bits(node->a, found->field, &mask)) {
		if (node->b->kind == NODE_CALL && node->b->names && node->c->kind == NODE_STRING)
			add_name(found, node->c->text, 0);
		else if (node->b->kind == NODE_STRING && mask != UINT64_MAX && mask &&
			 !(mask & (mask - 1)))
			add_name(found, node->b->text, mask);
	}
	search_names(found, node->a);
	search_names(found, node->b);
	search_names(found, node->c);
}

const struct value_names *value_names_find(struct arena *arena, const struct print_format *format,
					   const struct event_field *field)
{
	struct found found = { .field = field, .arena = arena };
	struct value_names *names = NULL;

	for (unsigned int i = 0; i < format->nr; i++)
		search_names(&found, format->segments[i].arg);
	if (found.tables && found.nr) {
		names = arena_alloc(arena, sizeof(*names));
		names->flags = found.flags;
		names->both = found.flags && found.symbolic;
		names->nr = found.nr;
		names->names = arena_copy(arena, found.names, found.nr * sizeof(*found.names));
	}
	free(found.names);
	return names;
}
