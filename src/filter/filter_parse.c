/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_parse - a filter's text to its tree, by recursive descent.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_lex.h"
#include "src/filter/filter_tree.h"

#define MAX_DEPTH	64u		/* nesting of brackets, nots and macros */
#define MAX_NODES	20000u

struct parser {
	struct filter_tree	*tree;
	const char		*text;
	const struct filter_syntax *syntax;
	struct filter_error	*err;
	struct filter_token	 token;		/* the current token */
	size_t			 last;		/* end of the previous token */
	unsigned int		 depth;
	bool			 in_list;	/* inside the brackets of `in` */
	/* Inside a macro: the place of its name, where its errors are shown. */
	bool			 in_macro;
	size_t			 macro_from, macro_to;
	const char		*macro_name;
};

/* --- helpers -------------------------------------------------------------------- */

static struct filter_node *node(struct parser *p, enum filter_node_kind kind, size_t from,
				size_t to)
{
	struct filter_node *n = arena_alloc(&p->tree->arena, sizeof(*n));

	n->kind = kind;
	n->id = p->tree->nr_nodes++;
	n->from = p->in_macro ? p->macro_from : from;
	n->to = p->in_macro ? p->macro_to : to;
	return n;
}

/* Report an error at a place; inside a macro, at the macro's name. */
static struct filter_node *fail(struct parser *p, size_t from, size_t to, const char *message)
{
	if (p->in_macro)
		filter_fail(p->err, p->macro_from, p->macro_to, "in the filter %s: %s",
			    p->macro_name, message);
	else
		filter_fail(p->err, from, to, "%s", message);
	return NULL;
}

static bool next(struct parser *p)
{
	struct filter_error err = { 0 };

	p->last = p->token.to;
	p->token = filter_lex(p->text, p->token.to, &p->tree->arena, &err);
	if (p->token.kind == TOKEN_WRONG) {
		fail(p, err.from, err.to, text_str(&err.message));
		if (!p->in_macro)
			p->err->offers = err.offers;
	}
	text_fini(&err.message);
	return p->token.kind != TOKEN_WRONG;
}

/* A guess at what was meant. */
static const char *hint(const struct parser *p)
{
	bool adjoins = p->last && p->token.from == p->last;
	unsigned char before = p->last > 1 ? (unsigned char)p->text[p->last - 1] : ' ';

	if (p->token.kind == TOKEN_COLON && adjoins && (isalnum(before) || before == '_'))
		return "; put a name with a colon in quotes";
	if (p->token.kind == TOKEN_PATTERN)
		return "; put a pattern in quotes";
	if (p->token.kind == TOKEN_COMMA && isspace((unsigned char)p->text[p->token.to]))
		return "; put a list with blanks in brackets";
	if (before == '+' && isalpha((unsigned char)p->text[p->last - 2]))
		return "; put a name with a + in quotes";
	return "";
}

static struct filter_node *unexpected(struct parser *p, const char *expected)
{
	char message[200];

	if (p->token.kind == TOKEN_WRONG)
		return NULL;
	snprintf(message, sizeof(message), "%s is %s here%s", expected,
		 p->token.kind == TOKEN_END ? "missing" : "expected", hint(p));
	return fail(p, p->token.from, p->token.to, message);
}

/* "cpu 1": the condition @n ends, and what follows joins it by nothing. */
static struct filter_node *not_joined(struct parser *p, const struct filter_node *n,
				      const char *expected)
{
	char message[200];

	while (n->kind == FILTER_NODE_AND || n->kind == FILTER_NODE_OR ||
	       n->kind == FILTER_NODE_NOT || n->kind == FILTER_NODE_SCOPE) {
		const struct filter_node *last = n->kind == FILTER_NODE_AND ||
								 n->kind == FILTER_NODE_OR ?
							 n->b :
							 n->a;

		if (!last)
			break;
		n = last;
	}
	if (p->in_macro || n->kind != FILTER_NODE_WORD || n->to != p->last ||
	    (p->token.kind != TOKEN_NUMBER && p->token.kind != TOKEN_STRING &&
	     p->token.kind != TOKEN_WORD) ||
	    !p->syntax || !p->syntax->is_value || !p->syntax->is_value(p->syntax->arg, n->text))
		return unexpected(p, expected);
	snprintf(message, sizeof(message), "== is missing here: %s == %.*s", n->text,
		 (int)(p->token.to - p->token.from > 80 ? 80 : p->token.to - p->token.from),
		 p->text + p->token.from);
	fail(p, p->token.from, p->token.to, message);
	p->err->offers = (struct filter_offers){ .from = p->token.from, .to = p->token.from,
						 .nr = 1, .texts = { "== " } };
	return NULL;
}

static struct filter_node *binary(struct parser *p, enum filter_node_kind kind, enum filter_op op,
				  struct filter_node *a, struct filter_node *b)
{
	struct filter_node *n = node(p, kind, a->from, b->to);

	n->op = op;
	n->a = a;
	n->b = b;
	return n;
}

/* The node reaches up to there; in a macro it keeps the place of the macro's name. */
static struct filter_node *reaching(const struct parser *p, struct filter_node *n, size_t to)
{
	if (!p->in_macro)
		n->to = to;
	return n;
}

static struct filter_node *text_node(struct parser *p, enum filter_node_kind kind,
				     const struct filter_token *token)
{
	struct filter_node *n = node(p, kind, token->from, token->to);

	n->text = token->text;
	n->len = token->len;
	return n;
}

static bool is_value(const struct filter_node *n)
{
	return n->kind >= FILTER_NODE_WORD;
}

static struct filter_node *want_value(struct parser *p, struct filter_node *n)
{
	if (n && !is_value(n))
		return fail(p, n->from, n->to, "a value is expected here, not a condition");
	return n;
}

static bool deeper(struct parser *p)
{
	if (++p->depth <= MAX_DEPTH && p->tree->nr_nodes < MAX_NODES)
		return true;
	fail(p, p->token.from, p->token.to,
	     p->depth > MAX_DEPTH ? "brackets are nested too deep" : "the expression is too long");
	return false;
}

static struct filter_node *parse_or(struct parser *p);
static struct filter_node *parse_value(struct parser *p);

/* --- values ---------------------------------------------------------------------- */

/* After a pattern that is a value, arithmetic cannot follow. */
static bool ends_value(const char *text, size_t pos)
{
	pos = filter_lex_blanks(text, pos);
	return !text[pos] || strchr("),:]", text[pos]) || !strncmp(text + pos, "&&", 2) ||
	       !strncmp(text + pos, "||", 2) || !strncmp(text + pos, "and ", 4) ||
	       !strncmp(text + pos, "or ", 3);
}

static struct filter_node *number_node(struct parser *p)
{
	struct filter_node *n = node(p, FILTER_NODE_NUMBER, p->token.from, p->token.to);

	n->value = p->token.number.value;
	n->nano = p->token.number.nano;
	n->unit = p->token.number.unit;
	n->has_fraction = p->token.number.has_fraction;
	return next(p) ? n : NULL;
}

/* "3" or "0-3": a range without blanks, a difference with blanks. */
static struct filter_node *number_or_range(struct parser *p)
{
	struct filter_node *a = number_node(p), *b;
	const char *s = p->text;

	if (!a || p->token.kind != TOKEN_MINUS || p->token.from != p->last ||
	    s[p->token.to] < '0' || s[p->token.to] > '9')
		return a;
	if (!next(p))
		return NULL;
	b = number_node(p);
	if (!b)
		return NULL;
	if (b->value < a->value || (b->value == a->value && b->nano < a->nano))
		return fail(p, a->from, b->to,
			    "the range is empty; to subtract, put blanks around the -");
	return binary(p, FILTER_NODE_RANGE, FILTER_OP_NONE, a, b);
}

/* 0-3,7 */
static bool number_list(struct parser *p, struct filter_node *parent)
{
	struct filter_node **end = &parent->list;

	for (;;) {
		struct filter_node *n;

		if (p->token.kind != TOKEN_NUMBER)
			return unexpected(p, "a number") != NULL;
		n = number_or_range(p);
		if (!n)
			return false;
		*end = n;
		end = &n->next;
		if (p->token.kind != TOKEN_COMMA || p->text[p->token.to] < '0' ||
		    p->text[p->token.to] > '9')
			return true;
		if (!next(p))
			return false;
	}
}

/* CPUS{0-3,7}, as in the kernel's filters. */
static struct filter_node *cpus(struct parser *p, size_t from)
{
	struct filter_node *n = node(p, FILTER_NODE_CPUS, from, p->token.to);

	if (!next(p) || !number_list(p, n))
		return NULL;
	if (p->token.kind != TOKEN_BRACE_END)
		return unexpected(p, "the closing }");
	reaching(p, n, p->token.to);
	return next(p) ? n : NULL;
}

static struct filter_node *index_of(struct parser *p, struct filter_node *array)
{
	struct filter_node *n = binary(p, FILTER_NODE_INDEX, FILTER_OP_NONE, array, array);

	n->b = NULL;
	if (p->token.kind == TOKEN_STAR ||
	    (p->token.kind == TOKEN_WORD && !strcmp(p->token.text, "any"))) {
		if (!next(p))
			return NULL;
	} else if (p->token.kind == TOKEN_NUMBER) {
		n->b = number_node(p);
		if (!n->b)
			return NULL;
	} else {
		return unexpected(p, "a number, or any,");
	}
	if (p->token.kind != TOKEN_BRACKET_END)
		return unexpected(p, "the closing ]");
	reaching(p, n, p->token.to);
	return next(p) ? n : NULL;
}

static const struct filter_macro *find_macro(const struct parser *p, const char *name)
{
	for (unsigned int i = 0; p->syntax && i < p->syntax->nr_macros; i++)
		if (!strcmp(p->syntax->macros[i].name, name))
			return &p->syntax->macros[i];
	return NULL;
}

/* The name of another expression: parse that in its place, in brackets. */
static struct filter_node *expand(struct parser *p, const struct filter_macro *macro,
				  const struct filter_token *name)
{
	struct parser inner = *p;
	struct filter_node *n;

	inner.text = macro->text;
	inner.token = (struct filter_token){ .kind = TOKEN_END };
	if (!p->in_macro) {
		inner.in_macro = true;
		inner.macro_from = name->from;
		inner.macro_to = name->to;
		inner.macro_name = macro->name;
	}
	if (!deeper(&inner) || !next(&inner))
		return NULL;
	n = parse_or(&inner);
	if (n && inner.token.kind != TOKEN_END)
		n = unexpected(&inner, "the end");
	return n;
}

static struct filter_node *word(struct parser *p)
{
	struct filter_token token = p->token;
	const struct filter_macro *macro = find_macro(p, token.text);
	struct filter_node *n;

	if (!next(p))
		return NULL;
	if (macro)
		return expand(p, macro, &token);
	if (!strcmp(token.text, "CPUS") && p->token.kind == TOKEN_BRACE)
		return cpus(p, token.from);
	n = text_node(p, FILTER_NODE_WORD, &token);
	while (n && p->token.kind == TOKEN_BRACKET)
		n = next(p) ? index_of(p, n) : NULL;
	return n;
}

static struct filter_node *brackets(struct parser *p)
{
	size_t from = p->token.from;
	struct filter_node *n;

	if (!deeper(p) || !next(p))
		return NULL;
	n = parse_or(p);
	if (!n)
		return NULL;
	if (p->token.kind != TOKEN_CLOSE)
		return not_joined(p, n, "a closing bracket");
	if (!p->in_macro) {
		n->from = from;
		n->to = p->token.to;
	}
	p->depth--;
	return next(p) ? n : NULL;
}

static bool regex(struct parser *p, struct filter_token *token, bool *fold)
{
	struct filter_error err = { 0 };
	bool ok = filter_lex_regex(p->text, p->token.from, &p->tree->arena, token, fold, &err);

	if (!ok)
		fail(p, err.from, err.to, text_str(&err.message));
	text_fini(&err.message);
	return ok;
}

/* @n: the path; NULL: what follows is wrong.  False: there is no path. */
static bool path(struct parser *p, struct filter_node **n)
{
	struct filter_token token = p->token;
	bool special;
	size_t len = filter_lex_path(p->text, token.from, p->in_list, &special);

	if (!len)
		return false;
	token.text = arena_strndup(&p->tree->arena, p->text + token.from, len);
	token.len = len;
	p->token.to = token.to = token.from + len;
	*n = next(p) ? text_node(p, special ? FILTER_NODE_GLOB : FILTER_NODE_STRING, &token) : NULL;
	return true;
}

static struct filter_node *primary(struct parser *p)
{
	struct filter_token token = p->token;
	struct filter_node *n;
	bool special, fold;
	size_t len;

	switch (token.kind) {
	case TOKEN_NUMBER:
		return number_or_range(p);
	case TOKEN_STRING:
	case TOKEN_CHAR:
		return next(p) ? text_node(p,
					   token.kind == TOKEN_STRING ? FILTER_NODE_STRING :
									FILTER_NODE_CHAR,
					   &token) :
				 NULL;
	case TOKEN_SLASH:
		if (path(p, &n))
			return n;
		if (!regex(p, &token, &fold))
			return NULL;
		p->token.to = token.to;
		n = text_node(p, FILTER_NODE_REGEX, &token);
		n->value = fold;
		return next(p) ? n : NULL;
	case TOKEN_STAR:
		if (path(p, &n))
			return n;
		/* fall through */
	case TOKEN_WORD:
		len = filter_lex_pattern(p->text, token.from, false, &special);
		if (len && special && !(p->text[token.to] == '[' && token.kind == TOKEN_WORD) &&
		    ends_value(p->text, token.from + len)) {
			token.text = arena_strndup(&p->tree->arena, p->text + token.from, len);
			token.len = len;
			p->token.to = token.to = token.from + len;
			return next(p) ? text_node(p, FILTER_NODE_GLOB, &token) : NULL;
		}
		if (token.kind == TOKEN_WORD)
			return word(p);
		return unexpected(p, "a value");
	case TOKEN_OPEN:
		return brackets(p);
	default:
		return unexpected(p, "a value");
	}
}

static struct filter_node *unary(struct parser *p)
{
	struct filter_token token = p->token;
	struct filter_node *n, *a;

	if (token.kind != TOKEN_MINUS && token.kind != TOKEN_TILDE && token.kind != TOKEN_PLUS)
		return primary(p);
	if (!deeper(p) || !next(p))
		return NULL;
	a = want_value(p, unary(p));
	if (!a)
		return NULL;
	p->depth--;
	if (token.kind == TOKEN_PLUS) {
		if (a->kind != FILTER_NODE_NUMBER)
			return fail(
				p, token.from, a->to,
				"+ is only allowed in times, which then count from the first event: +1ms");
		a->relative = true;
		return a;
	}
	n = node(p, FILTER_NODE_UNARY, token.from, a->to);
	n->op = token.kind == TOKEN_MINUS ? FILTER_OP_NEG : FILTER_OP_INVERT;
	n->a = a;
	return n;
}

static const struct {
	enum filter_token_kind	token;
	enum filter_op		op;
	unsigned int		level;
} value_operators[] = {
	{ TOKEN_OR, FILTER_OP_OR, 0 },	 { TOKEN_XOR, FILTER_OP_XOR, 1 },
	{ TOKEN_AND, FILTER_OP_AND, 2 },
	{ TOKEN_SHL, FILTER_OP_SHL, 3 }, { TOKEN_SHR, FILTER_OP_SHR, 3 },
	{ TOKEN_PLUS, FILTER_OP_ADD, 4 },
	{ TOKEN_MINUS, FILTER_OP_SUB, 4 }, { TOKEN_STAR, FILTER_OP_MUL, 5 },
	{ TOKEN_SLASH, FILTER_OP_DIV, 5 },
	{ TOKEN_PERCENT, FILTER_OP_MOD, 5 },
};
#define VALUE_LEVELS 6u

static enum filter_op value_operator(enum filter_token_kind token, unsigned int level)
{
	for (size_t i = 0; i < sizeof(value_operators) / sizeof(value_operators[0]); i++)
		if (value_operators[i].token == token && value_operators[i].level == level)
			return value_operators[i].op;
	return FILTER_OP_NONE;
}

static struct filter_node *value_level(struct parser *p, unsigned int level)
{
	struct filter_node *a = level < VALUE_LEVELS ? value_level(p, level + 1) : unary(p), *b;
	enum filter_op op;

	while (a && level < VALUE_LEVELS &&
	       (op = value_operator(p->token.kind, level)) != FILTER_OP_NONE) {
		if (!want_value(p, a) || !next(p))
			return NULL;
		if (p->tree->nr_nodes >= MAX_NODES)
			return fail(p, p->token.from, p->token.to, "the expression is too long");
		b = want_value(p, value_level(p, level + 1));
		if (!b)
			return NULL;
		a = binary(p, FILTER_NODE_BINARY, op, a, b);
	}
	return a;
}

static struct filter_node *parse_value(struct parser *p)
{
	return value_level(p, 0);
}

/* --- comparisons ------------------------------------------------------------------- */

/* (1, 2, 5-9), or a list of numbers without brackets: 0-3,7 */
static bool set(struct parser *p, struct filter_node *parent)
{
	struct filter_node **end = &parent->list;

	if (p->token.kind == TOKEN_NUMBER)
		return number_list(p, parent);
	if (p->token.kind == TOKEN_WORD && !strcmp(p->token.text, "CPUS")) {
		*end = want_value(p, primary(p));
		return *end != NULL;
	}
	if (p->token.kind != TOKEN_OPEN)
		return unexpected(p, "a list like (1, 5-9) or 0-3,7") != NULL;
	do {
		struct filter_node *n;

		if (!next(p))
			return false;
		p->in_list = true;
		n = want_value(p, parse_value(p));
		p->in_list = false;
		if (!n)
			return false;
		*end = n;
		end = &n->next;
		if (p->tree->nr_nodes >= MAX_NODES)
			return fail(p, p->token.from, p->token.to, "the list is too long") != NULL;
	} while (p->token.kind == TOKEN_COMMA);
	if (p->token.kind != TOKEN_CLOSE)
		return unexpected(p, "a comma or the closing bracket") != NULL;
	return next(p);
}

static struct filter_node *in_set(struct parser *p, struct filter_node *a, enum filter_op op)
{
	struct filter_node *n = binary(p, FILTER_NODE_IN, op, a, a);

	n->b = NULL;
	if (!next(p) || !set(p, n))
		return NULL;
	return reaching(p, n, p->last);
}

static enum filter_op comparison(enum filter_token_kind kind)
{
	switch (kind) {
	case TOKEN_EQ: return FILTER_OP_EQ;
	case TOKEN_NE: return FILTER_OP_NE;
	case TOKEN_LT: return FILTER_OP_LT;
	case TOKEN_LE: return FILTER_OP_LE;
	case TOKEN_GT: return FILTER_OP_GT;
	case TOKEN_GE: return FILTER_OP_GE;
	case TOKEN_MATCH: return FILTER_OP_MATCH;
	case TOKEN_NOT_MATCH: return FILTER_OP_NOT_MATCH;
	case TOKEN_TILDE: return FILTER_OP_GLOB;
	case TOKEN_CONTAINS: return FILTER_OP_CONTAINS;
	default: return FILTER_OP_NONE;
	}
}

/* The right side of a comparison; for bitmasks it may be a list of numbers. */
static struct filter_node *right_side(struct parser *p)
{
	struct filter_node *b = want_value(p, parse_value(p)), *list;

	if (!b || (b->kind != FILTER_NODE_NUMBER && b->kind != FILTER_NODE_RANGE) ||
	    p->token.kind != TOKEN_COMMA || p->text[p->token.to] < '0' ||
	    p->text[p->token.to] > '9')
		return b;
	list = node(p, FILTER_NODE_CPUS, b->from, b->to);
	if (!next(p) || !number_list(p, list))
		return NULL;
	b->next = list->list;
	list->list = b;
	return reaching(p, list, p->last);
}

static struct filter_node *between(struct parser *p)
{
	struct filter_node *n = node(p, FILTER_NODE_BETWEEN, p->token.from, p->token.to);

	if (!next(p))
		return NULL;
	n->a = want_value(p, unary(p));
	if (n->a && p->token.kind == TOKEN_COMMA && !next(p))
		return NULL;
	if (n->a && p->token.kind == TOKEN_ANDAND && !next(p))
		return NULL;
	n->b = n->a ? want_value(p, unary(p)) : NULL;
	if (!n->b)
		return NULL;
	return reaching(p, n, p->last);
}

/* "under vfs_read" */
static struct filter_node *prefix(struct parser *p)
{
	struct filter_node *n = text_node(p, FILTER_NODE_PREFIX, &p->token);

	if (!next(p))
		return NULL;
	n->a = want_value(p, primary(p));
	if (!n->a)
		return NULL;
	return reaching(p, n, p->last);
}

/* --- events ---------------------------------------------------------------------- */

/* "sample-trace": a system whose name contains a dash, not a difference of two words. */
static bool is_dashed_system(const struct parser *p, const char *name)
{
	return strchr(name, '-') && p->syntax && p->syntax->is_system &&
	       p->syntax->is_system(p->syntax->arg, name);
}

/*
 * "sched_switch, sched/sched_w*:" before an expression, to which it applies up to the end; or only
 * patterns, if they can mean nothing else. If there is none, *found is false and nothing is
 * consumed.
 */
static struct filter_node *scope(struct parser *p, bool *found)
{
	struct filter_node *n = node(p, FILTER_NODE_SCOPE, p->token.from, p->token.to),
			   **end = &n->list;
	size_t pos = p->token.from;
	bool special, any_special = false, colon;
	unsigned int nr = 0;

	*found = false;
	for (;;) {
		size_t len = filter_lex_pattern(p->text, pos, true, &special);
		struct filter_token token = { .from = pos, .to = pos + len, .len = len };

		if (!len)
			return NULL;
		any_special |= special;
		token.text = arena_strndup(&p->tree->arena, p->text + pos, len);
		*end = text_node(p, special ? FILTER_NODE_GLOB : FILTER_NODE_WORD, &token);
		end = &(*end)->next;
		nr++;
		pos = filter_lex_blanks(p->text, pos + len);
		if (p->text[pos] != ',')
			break;
		pos = filter_lex_blanks(p->text, pos + 1);
	}
	colon = p->text[pos] == ':';
	if (!colon && ((!any_special && nr == 1 && !is_dashed_system(p, n->list->text)) ||
		       !ends_value(p->text, pos)))
		return NULL;
	/* array[3] by itself is a value */
	if (!colon && nr == 1 && strchr(n->list->text, '[') && !strpbrk(n->list->text, "*?/"))
		return NULL;
	*found = true;
	p->token.to = colon ? pos + 1 : pos;
	if (!next(p))
		return NULL;
	reaching(p, n, pos);
	if (!colon)
		return n;
	if (p->token.kind == TOKEN_END || p->token.kind == TOKEN_CLOSE)
		return unexpected(p, "an expression after the colon");
	if (!deeper(p))
		return NULL;
	n->a = parse_or(p);
	p->depth--;
	if (!n->a)
		return NULL;
	return reaching(p, n, p->last);
}

static struct filter_node *parse_comparison(struct parser *p)
{
	struct filter_node *a, *b;
	enum filter_op op;
	bool found;

	a = scope(p, &found);
	if (found)
		return a;
	if (p->token.kind == TOKEN_BETWEEN)
		return between(p);
	if (p->token.kind == TOKEN_WORD && p->syntax && p->syntax->is_prefix &&
	    p->syntax->is_prefix(p->syntax->arg, p->token.text))
		return prefix(p);
	a = parse_value(p);
	if (!a)
		return NULL;
	op = comparison(p->token.kind);
	if (op != FILTER_OP_NONE) {
		if (!want_value(p, a) || !next(p))
			return NULL;
		b = right_side(p);
		if (!b)
			return NULL;
		if (comparison(p->token.kind) != FILTER_OP_NONE || p->token.kind == TOKEN_IN)
			return fail(p, p->token.from, p->token.to,
				    "comparisons cannot be chained: join two with &&");
		return binary(p, FILTER_NODE_COMPARE, op, a, b);
	}
	if (p->token.kind == TOKEN_IN)
		return want_value(p, a) ? in_set(p, a, FILTER_OP_IN) : NULL;
	if (p->token.kind == TOKEN_NOT && is_value(a)) {
		if (!next(p))
			return NULL;
		if (p->token.kind != TOKEN_IN)
			return unexpected(p, "in");
		return in_set(p, a, FILTER_OP_NOT_IN);
	}
	return a;
}

/* --- and, or, not ------------------------------------------------------------------ */

static struct filter_node *parse_not(struct parser *p)
{
	struct filter_token token = p->token;
	struct filter_node *n, *a;

	if (token.kind != TOKEN_NOT)
		return parse_comparison(p);
	if (!deeper(p) || !next(p))
		return NULL;
	a = parse_not(p);
	if (!a)
		return NULL;
	p->depth--;
	n = node(p, FILTER_NODE_NOT, token.from, a->to);
	n->a = a;
	return n;
}

/* Parts joined by a token, from left to right. */
static struct filter_node *joined(struct parser *p, enum filter_token_kind by,
				  enum filter_node_kind kind,
				  struct filter_node *(*part)(struct parser *p))
{
	struct filter_node *a = part(p), *b;

	while (a && p->token.kind == by) {
		if (!next(p))
			return NULL;
		if (p->tree->nr_nodes >= MAX_NODES)
			return fail(p, p->token.from, p->token.to, "the expression is too long");
		b = part(p);
		a = b ? binary(p, kind, FILTER_OP_NONE, a, b) : NULL;
	}
	return a;
}

static struct filter_node *parse_and(struct parser *p)
{
	return joined(p, TOKEN_ANDAND, FILTER_NODE_AND, parse_not);
}

static struct filter_node *parse_or(struct parser *p)
{
	return joined(p, TOKEN_OROR, FILTER_NODE_OR, parse_and);
}

bool filter_tree_parse(struct filter_tree *tree, const char *text,
		       const struct filter_syntax *syntax, struct filter_error *err)
{
	struct filter_error own = { 0 };
	struct parser p = { .tree = tree, .text = text, .syntax = syntax, .err = err ? err : &own,
			    .token = { .kind = TOKEN_END } };

	memset(tree, 0, sizeof(*tree));
	if (next(&p) && p.token.kind != TOKEN_END) {
		tree->root = parse_or(&p);
		if (tree->root && p.token.kind == TOKEN_CLOSE)
			tree->root = unexpected(&p, "no closing bracket");
		else if (tree->root && p.token.kind != TOKEN_END)
			tree->root = not_joined(&p, tree->root, "&&, || or the end");
		if (!tree->root)
			filter_fail(p.err, 0, 0, "invalid expression");
	}
	if (p.token.kind == TOKEN_WRONG)
		tree->root = NULL;
	text_fini(&own.message);
	return tree->root || (p.token.kind == TOKEN_END && !p.err->message.len);
}
