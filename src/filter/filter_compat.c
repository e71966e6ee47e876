/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_compat - a filter's text by trace-cmd's own rules (report --compat-filter).
 *
 *   event[,event…][: expr]	events are regular expressions on the event's or the system's name,
 *                              letters in either case
 *   expr := term ((&& | ||) term)*	from left to right: neither binds closer
 *   term := ! term | ( expr ) | FIELD == != < <= > >= NUMBER or STRING | FIELD =~ !~ STRING | VALUE
 *   + - * / % & | ^ << >> VALUE
 *
 * Source of the rules: libtraceevent's tep_filter_add_filter_str().
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_tree.h"

#define MAX_DEPTH	64u
#define MAX_NODES	20000u

struct compat {
	struct filter_tree	*tree;
	const char		*text;
	size_t			 pos;
	unsigned int		 depth;
	struct filter_error	*err;
};

static struct filter_node *node(struct compat *c, enum filter_node_kind kind, size_t from,
				size_t to)
{
	struct filter_node *n = arena_alloc(&c->tree->arena, sizeof(*n));

	n->kind = kind;
	n->id = c->tree->nr_nodes++;
	n->from = from;
	n->to = to;
	return n;
}

static struct filter_node *fail(struct compat *c, size_t from, size_t to, const char *message)
{
	filter_fail(c->err, from, to, "%s", message);
	return NULL;
}

static void skip_blanks(struct compat *c)
{
	while (isspace((unsigned char)c->text[c->pos]))
		c->pos++;
}

static bool accept(struct compat *c, const char *op)
{
	size_t len = strlen(op);

	skip_blanks(c);
	if (strncmp(c->text + c->pos, op, len))
		return false;
	c->pos += len;
	return true;
}

static struct filter_node *quoted(struct compat *c)
{
	size_t from = c->pos, len = 0;
	char quote = c->text[c->pos++],
	     *text = arena_alloc(&c->tree->arena, strlen(c->text + from) + 1);
	struct filter_node *n;

	while (c->text[c->pos] && c->text[c->pos] != quote) {
		if (c->text[c->pos] == '\\' && c->text[c->pos + 1])
			text[len++] = c->text[c->pos++];
		text[len++] = c->text[c->pos++];
	}
	if (!c->text[c->pos])
		return fail(c, from, c->pos, "the string has no end");
	c->pos++;
	n = node(c, quote == '"' ? FILTER_NODE_STRING : FILTER_NODE_CHAR, from, c->pos);
	n->text = text;
	n->len = len;
	return n;
}

/* A field, a number (anything after its digits is ignored), or a string. */
static struct filter_node *item(struct compat *c)
{
	struct filter_node *n;
	size_t from;

	skip_blanks(c);
	from = c->pos;
	if (c->text[from] == '"' || c->text[from] == '\'')
		return quoted(c);
	while (isalnum((unsigned char)c->text[c->pos]) || c->text[c->pos] == '_')
		c->pos++;
	if (c->pos == from)
		return fail(c, from, c->text[from] ? from + 1 : from,
			    "a field or a value is expected here");
	if (isdigit((unsigned char)c->text[from])) {
		n = node(c, FILTER_NODE_NUMBER, from, c->pos);
		n->value = strtoull(c->text + from, NULL, 0);
		return n;
	}
	n = node(c, FILTER_NODE_WORD, from, c->pos);
	n->len = c->pos - from;
	n->text = arena_strndup(&c->tree->arena, c->text + from, n->len);
	return n;
}

static enum filter_op read_op(struct compat *c, bool *compares)
{
	static const struct {
		const char	*text;
		enum filter_op	 op;
		bool		 compares;
	} ops[] = {
		{ "==", FILTER_OP_EQ, true }, { "!=", FILTER_OP_NE, true },
		{ "=~", FILTER_OP_MATCH, true },
		{ "!~", FILTER_OP_NOT_MATCH, true }, { "<<", FILTER_OP_SHL, false },
		{ ">>", FILTER_OP_SHR, false },
		{ "<=", FILTER_OP_LE, true }, { ">=", FILTER_OP_GE, true },
		{ "<", FILTER_OP_LT, true },
		{ ">", FILTER_OP_GT, true }, { "+", FILTER_OP_ADD, false },
		{ "-", FILTER_OP_SUB, false },
		{ "*", FILTER_OP_MUL, false }, { "/", FILTER_OP_DIV, false },
		{ "%", FILTER_OP_MOD, false },
		{ "&", FILTER_OP_AND, false }, { "|", FILTER_OP_OR, false },
		{ "^", FILTER_OP_XOR, false },
	};

	skip_blanks(c);
	if (!strncmp(c->text + c->pos, "&&", 2) || !strncmp(c->text + c->pos, "||", 2))
		return FILTER_OP_NONE;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (accept(c, ops[i].text)) {
			*compares = ops[i].compares;
			return ops[i].op;
		}
	return FILTER_OP_NONE;
}

static struct filter_node *expr(struct compat *c);

static bool is_string(const struct filter_node *n)
{
	return n->kind == FILTER_NODE_STRING || (n->kind == FILTER_NODE_CHAR && n->len != 1);
}

static struct filter_node *comparison(struct compat *c)
{
	struct filter_node *a = item(c), *b, *n;
	bool compares = false;
	enum filter_op op;

	if (!a)
		return NULL;
	op = read_op(c, &compares);
	if (op == FILTER_OP_NONE)
		return fail(c, c->pos, c->text[c->pos] ? c->pos + 1 : c->pos,
			    "an operator is expected here");
	b = item(c);
	if (!b)
		return NULL;
	if (compares && a->kind != FILTER_NODE_WORD)
		return fail(c, a->from, a->to, "a field is expected on the left");
	if (compares && b->kind == FILTER_NODE_WORD)
		return fail(c, b->from, b->to,
			    "trace-cmd compares fields with numbers and strings only");
	if (is_string(b) && (!compares || (op >= FILTER_OP_LT && op <= FILTER_OP_GE)))
		return fail(c, a->from, b->to, "strings are compared with ==, !=, =~ and !~");
	if ((op == FILTER_OP_MATCH || op == FILTER_OP_NOT_MATCH) && b->kind == FILTER_NODE_NUMBER)
		return fail(c, b->from, b->to, "a string is expected here");
	n = node(c, compares ? FILTER_NODE_COMPARE : FILTER_NODE_BINARY, a->from, b->to);
	n->op = op;
	n->a = a;
	n->b = b;
	return n;
}

static struct filter_node *term(struct compat *c)
{
	struct filter_node *n, *a;
	size_t from;

	skip_blanks(c);
	from = c->pos;
	if (++c->depth > MAX_DEPTH || c->tree->nr_nodes > MAX_NODES)
		return fail(c, from, from, "the expression is too long");
	if (c->text[from] == '!' && c->text[from + 1] != '=' && c->text[from + 1] != '~') {
		c->pos++;
		a = term(c);
		n = a ? node(c, FILTER_NODE_NOT, from, c->pos) : NULL;
		if (n)
			n->a = a;
	} else if (accept(c, "(")) {
		n = expr(c);
		if (n && !accept(c, ")"))
			n = fail(c, c->pos, c->text[c->pos] ? c->pos + 1 : c->pos,
				 "a closing bracket is expected here");
	} else {
		n = comparison(c);
	}
	c->depth--;
	return n;
}

static struct filter_node *expr(struct compat *c)
{
	struct filter_node *a = term(c), *b, *n;

	while (a) {
		enum filter_node_kind kind;

		if (accept(c, "&&"))
			kind = FILTER_NODE_AND;
		else if (accept(c, "||"))
			kind = FILTER_NODE_OR;
		else
			return a;
		b = term(c);
		if (!b)
			return NULL;
		n = node(c, kind, a->from, b->to);
		n->a = a;
		n->b = b;
		a = n;
	}
	return NULL;
}

/*
 * "system/event", or one name for either: nodes with regular expressions; the system's is a child
 * of the event's.
 */
static struct filter_node *pattern(struct compat *c, size_t from, size_t to)
{
	struct filter_node *n = NULL, *system = NULL;

	for (size_t pos = from; pos < to;) {
		size_t start, end;

		while (pos < to && c->text[pos] == '/')
			pos++;
		for (start = pos; pos < to && c->text[pos] != '/'; pos++)
			;
		end = pos;
		while (start < end && isspace((unsigned char)c->text[start]))
			start++;
		while (start < end && isspace((unsigned char)c->text[end - 1]))
			end--;
		if (start == end)
			continue;
		system = n;
		n = node(c, FILTER_NODE_REGEX, start, end);
		n->len = end - start;
		n->text = arena_strndup(&c->tree->arena, c->text + start, n->len);
		if (system) {
			n->a = system;
			break;
		}
	}
	return n ? n : fail(c, from, to, "an event's name is expected here");
}

static struct filter_node *events(struct compat *c, size_t end)
{
	struct filter_node *scope = node(c, FILTER_NODE_SCOPE, 0, end), **last = &scope->list;

	for (size_t from = 0, to; from <= end; from = to + 1) {
		for (to = from; to < end && c->text[to] != ','; to++)
			;
		*last = pattern(c, from, to);
		if (!*last)
			return NULL;
		last = &(*last)->next;
	}
	return scope;
}

bool filter_tree_parse_compat(struct filter_tree *tree, const char *text, struct filter_error *err)
{
	struct filter_error own = { 0 };
	struct compat c = { .tree = tree, .text = text, .err = err ? err : &own };
	const char *colon = strchr(text, ':');
	struct filter_node *scope;

	memset(tree, 0, sizeof(*tree));
	skip_blanks(&c);
	if (!text[c.pos])
		return true;
	scope = events(&c, colon ? (size_t)(colon - text) : strlen(text));
	if (scope && colon) {
		c.pos = (size_t)(colon - text) + 1;
		scope->a = expr(&c);
		skip_blanks(&c);
		if (scope->a && text[c.pos])
			scope->a = fail(&c, c.pos, c.pos + 1, "&&, || or the end is expected here");
		if (!scope->a)
			scope = NULL;
	}
	tree->root = scope;
	text_fini(&own.message);
	return scope != NULL;
}
