/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool filter_fail(struct filter_error *err, size_t from, size_t to, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	if (!err || err->message.len)
		return false;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	err->from = from;
	err->to = to;
	text_add(&err->message, buf);
	return false;
}

void filter_tree_fini(struct filter_tree *tree)
{
	arena_fini(&tree->arena);
	memset(tree, 0, sizeof(*tree));
}

bool filter_node_equal(const struct filter_node *a, const struct filter_node *b)
{
	const struct filter_node *x, *y;

	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->op != b->op || a->len != b->len || a->value != b->value ||
	    a->nano != b->nano || a->unit != b->unit || a->relative != b->relative ||
	    a->has_fraction != b->has_fraction)
		return false;
	if (a->len && memcmp(a->text, b->text, a->len))
		return false;
	if (!filter_node_equal(a->a, b->a) || !filter_node_equal(a->b, b->b))
		return false;
	for (x = a->list, y = b->list; x && y; x = x->next, y = y->next)
		if (!filter_node_equal(x, y))
			return false;
	return !x && !y;
}

bool filter_node_has_text(const struct filter_node *n)
{
	return n->kind == FILTER_NODE_WORD || n->kind == FILTER_NODE_GLOB ||
	       n->kind == FILTER_NODE_STRING || n->kind == FILTER_NODE_CHAR ||
	       n->kind == FILTER_NODE_REGEX;
}

const char *filter_op_text(enum filter_op op)
{
	static const char *const texts[] = {
		[FILTER_OP_NONE] = "", [FILTER_OP_EQ] = "==", [FILTER_OP_NE] = "!=",
		[FILTER_OP_LT] = "<",
		[FILTER_OP_LE] = "<=", [FILTER_OP_GT] = ">", [FILTER_OP_GE] = ">=",
		[FILTER_OP_MATCH] = "=~",
		[FILTER_OP_NOT_MATCH] = "!~", [FILTER_OP_GLOB] = "~",
		[FILTER_OP_CONTAINS] = "contains",
		[FILTER_OP_IN] = "in", [FILTER_OP_NOT_IN] = "not in", [FILTER_OP_OR] = "|",
		[FILTER_OP_XOR] = "^",
		[FILTER_OP_AND] = "&", [FILTER_OP_SHL] = "<<", [FILTER_OP_SHR] = ">>",
		[FILTER_OP_ADD] = "+",
		[FILTER_OP_SUB] = "-", [FILTER_OP_MUL] = "*", [FILTER_OP_DIV] = "/",
		[FILTER_OP_MOD] = "%",
		[FILTER_OP_NEG] = "-", [FILTER_OP_INVERT] = "~",
	};

	return texts[op];
}
