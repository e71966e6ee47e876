/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_kernel.h"

#include <inttypes.h>
#include <string.h>

#include "src/filter/filter_bind.h"
#include "src/filter/filter_tree.h"

struct writer {
	struct text		*out;
	struct filter_error	*err;
};

static bool expression(struct writer *w, const struct filter_node *n);

static bool cannot(struct writer *w, const struct filter_node *n, const char *what)
{
	return filter_fail(w->err, n->from, n->to, "filters of the kernel do not support %s", what);
}

static bool quoted(struct writer *w, const struct filter_node *n, const char *around)
{
	if (memchr(n->text, '"', n->len) || memchr(n->text, '\0', n->len))
		return cannot(w, n, "text that contains a quote");
	text_printf(w->out, "\"%s", around);
	text_bytes(w->out, n->text, n->len);
	text_printf(w->out, "%s\"", around);
	return true;
}

static bool number(struct writer *w, const struct filter_node *n, bool negative)
{
	if (n->relative || (n->has_fraction && n->nano))
		return cannot(w, n, "this kind of number");
	text_printf(w->out, "%s%" PRIu64, negative ? "-" : "", n->value);
	return true;
}

/* The value that a field is compared with. */
static bool value(struct writer *w, const struct filter_node *n)
{
	bool negative = n->kind == FILTER_NODE_UNARY && n->op == FILTER_OP_NEG;
	const struct filter_node *of = negative ? n->a : n;
	int error;

	if (of->kind == FILTER_NODE_NUMBER)
		return number(w, of, negative);
	if (of->kind == FILTER_NODE_WORD && filter_errno(of->text, &error)) {
		text_printf(w->out, "%s%d", negative ? "-" : "", error);
		return true;
	}
	if (negative)
		return cannot(w, n, "this kind of value");
	if (n->kind == FILTER_NODE_WORD || n->kind == FILTER_NODE_STRING ||
	    n->kind == FILTER_NODE_GLOB)
		return quoted(w, n, "");
	return cannot(w, n,
		      n->kind == FILTER_NODE_REGEX ? "regular expressions" : "this kind of value");
}

static bool field(struct writer *w, const struct filter_node *n)
{
	if (n->kind != FILTER_NODE_WORD)
		return cannot(w, n, "arithmetic or elements of arrays");
	text_bytes(w->out, n->text, n->len);
	return true;
}

static bool compared(struct writer *w, const struct filter_node *a, const char *op,
		     const struct filter_node *b)
{
	if (!field(w, a))
		return false;
	text_printf(w->out, " %s ", op);
	return value(w, b);
}

/* "flags & 4" */
static bool bits(struct writer *w, const struct filter_node *n)
{
	if (n->op != FILTER_OP_AND || n->b->kind != FILTER_NODE_NUMBER)
		return cannot(w, n, "arithmetic");
	return compared(w, n->a, "&", n->b);
}

/* "(flags & 4) != 0", and "== 0" */
static bool bits_compared(struct writer *w, const struct filter_node *n)
{
	bool zero = n->b->kind == FILTER_NODE_NUMBER && !n->b->value;

	if (!zero || (n->op != FILTER_OP_EQ && n->op != FILTER_OP_NE))
		return cannot(w, n, "arithmetic");
	text_add(w->out, n->op == FILTER_OP_EQ ? "!(" : "");
	if (!bits(w, n->a))
		return false;
	text_add(w->out, n->op == FILTER_OP_EQ ? ")" : "");
	return true;
}

static bool compare(struct writer *w, const struct filter_node *n)
{
	const char *op = filter_op_text(n->op);

	if (n->a->kind == FILTER_NODE_BINARY)
		return bits_compared(w, n);
	if (n->op == FILTER_OP_MATCH || n->op == FILTER_OP_NOT_MATCH)
		return cannot(w, n, "regular expressions");
	if (n->op == FILTER_OP_CONTAINS && n->b->kind != FILTER_NODE_STRING &&
	    n->b->kind != FILTER_NODE_WORD)
		return cannot(w, n, "this kind of value");
	if (!field(w, n->a))
		return false;
	if (n->op == FILTER_OP_CONTAINS) {
		text_add(w->out, " ~ ");
		return quoted(w, n->b, "*");
	}
	if (n->b->kind == FILTER_NODE_GLOB && n->op != FILTER_OP_GLOB)
		return cannot(w, n, "globs, except after ~");
	text_printf(w->out, " %s ", op);
	return value(w, n->b);
}

/* "(a == 1 || (a >= 5 && a <= 9))" */
static bool in(struct writer *w, const struct filter_node *n)
{
	text_add(w->out, n->op == FILTER_OP_NOT_IN ? "!(" : "(");
	for (const struct filter_node *one = n->list; one; one = one->next) {
		bool range = one->kind == FILTER_NODE_RANGE;

		if (one->kind == FILTER_NODE_CPUS)
			return cannot(w, one, "this list of CPUs");
		text_add(w->out, one == n->list ? "" : " || ");
		text_add(w->out, range ? "(" : "");
		if (!compared(w, n->a, range ? ">=" : "==", range ? one->a : one))
			return false;
		if (!range)
			continue;
		text_add(w->out, " && ");
		if (!compared(w, n->a, "<=", one->b))
			return false;
		text_char(w->out, ')');
	}
	text_char(w->out, ')');
	return true;
}

static bool joined(struct writer *w, const struct filter_node *n, const struct filter_node *part)
{
	bool brackets = (part->kind == FILTER_NODE_AND || part->kind == FILTER_NODE_OR) &&
			part->kind != n->kind;

	text_add(w->out, brackets ? "(" : "");
	if (!expression(w, part))
		return false;
	text_add(w->out, brackets ? ")" : "");
	return true;
}

static bool expression(struct writer *w, const struct filter_node *n)
{
	switch (n->kind) {
	case FILTER_NODE_AND:
	case FILTER_NODE_OR:
		if (!joined(w, n, n->a))
			return false;
		text_add(w->out, n->kind == FILTER_NODE_AND ? " && " : " || ");
		return joined(w, n, n->b);
	case FILTER_NODE_NOT:
		text_add(w->out, "!(");
		if (!expression(w, n->a))
			return false;
		text_char(w->out, ')');
		return true;
	case FILTER_NODE_COMPARE:
		return compare(w, n);
	case FILTER_NODE_IN:
		return in(w, n);
	case FILTER_NODE_BINARY:
		return bits(w, n);
	case FILTER_NODE_STRING:
	case FILTER_NODE_REGEX:
		return cannot(w, n, "a search in the text of events");
	case FILTER_NODE_SCOPE:
	case FILTER_NODE_GLOB:
		return cannot(w, n, "names of events: each event has its own filter");
	default:
		return cannot(w, n, "this term; compare a field with a value");
	}
}

bool filter_kernel_text(const char *text, struct text *out, struct filter_error *err)
{
	struct filter_tree tree = { 0 };
	struct writer w = { out, err };
	size_t begin = out->len;
	bool ok = filter_tree_parse(&tree, text, NULL, err) &&
		  (!tree.root || expression(&w, tree.root));

	if (!ok && out->data) {
		out->len = begin;
		out->data[begin] = '\0';
	}
	filter_tree_fini(&tree);
	return ok;
}
