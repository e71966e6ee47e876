/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/print_tep_parser.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH	300u		/* recursion of the parser */
#define RANK_NONE	(-1)		/* not a binary operator in libtraceevent */

/*
 * Operands are parsed into an existing node, because an operator found later becomes that node and
 * moves the old contents to its left. False on failure.
 */
static bool read_operand(struct tep_parser *t, struct print_node *node);
static bool read_operator(struct tep_parser *t, struct print_node *node);

bool tep_parser_fails(struct tep_parser *t)
{
	if (t->reading == TEP_READS)
		t->reading = TEP_FAILS;
	return false;
}

bool tep_parser_unsure(struct tep_parser *t)
{
	t->reading = TEP_UNSURE;
	return false;
}

/*
 * Literals end at unprintable bytes in ways that are not worth imitating; arguments on several
 * lines do not occur.
 */
bool tep_parser_odd(const struct print_token *token)
{
	if (token->kind == TOKEN_BAD || token->newline)
		return true;
	for (size_t i = 0; i < token->len; i++)
		if ((token->s[i] < ' ' || token->s[i] > '~') &&
		    !(token->s[i] == '\n' && token->kind == TOKEN_STRING))
			return true;
	return false;
}

bool tep_parser_next(struct tep_parser *t)
{
	print_lexer_next(&t->p.lexer);
	return !tep_parser_odd(current_token(t)) || tep_parser_unsure(t);
}

static bool token_is(const struct tep_parser *t, const char *what)
{
	return print_token_is(current_token(t), what);
}

bool tep_parser_expect(struct tep_parser *t, const char *what)
{
	return token_is(t, what) ? tep_parser_next(t) : tep_parser_fails(t);
}

static bool is_delimiter(const struct print_token *token)
{
	return print_token_is(token, "(") || print_token_is(token, ")") ||
	       print_token_is(token, ",");
}

static bool is_operator(const struct print_token *token)
{
	return token->kind == TOKEN_OP && !is_delimiter(token);
}

static bool is_item(const struct print_token *token)
{
	return token->kind == TOKEN_WORD || token->kind == TOKEN_STRING ||
	       token->kind == TOKEN_CHAR;
}

struct print_node *tep_parser_node(struct tep_parser *t)
{
	struct print_node *node = print_parser_node(&t->p, NODE_NUMBER, NULL, NULL, NULL);

	if (!node)
		t->reading = TEP_UNSURE;
	return node;
}

static bool enter_level(struct tep_parser *t)
{
	return ++t->p.depth <= MAX_DEPTH || tep_parser_unsure(t);
}

/* --- atoms -------------------------------------------------------------- */

/* Adjacent literals are one token to the library. */
bool tep_parser_string(struct tep_parser *t, const char **s)
{
	struct text all = { 0 };
	bool ok = true;

	do {
		text_bytes(&all, current_token(t)->s, current_token(t)->len);
		ok = tep_parser_next(t);
	} while (ok && current_token(t)->kind == TOKEN_STRING);
	*s = arena_strndup(t->p.arena, text_str(&all), all.len);
	text_fini(&all);
	return ok;
}

/* Join all words up to a token that is not a word. */
static bool read_words(struct tep_parser *t, struct print_node *node,
		       const struct print_token *first)
{
	struct text all = { 0 };
	bool ok = true;

	text_bytes(&all, first->s, first->len);
	while (ok && current_token(t)->kind == TOKEN_WORD) {
		text_char(&all, ' ');
		text_bytes(&all, current_token(t)->s, current_token(t)->len);
		ok = tep_parser_next(t);
	}
	tep_atom(node, arena_strndup(t->p.arena, text_str(&all), all.len), false);
	text_fini(&all);
	return ok;
}

static bool read_char(struct tep_parser *t, struct print_node *node)
{
	if (t->era == TEXT_ERA_3_1)
		tep_atom(node,
			 arena_strndup(t->p.arena, current_token(t)->s, current_token(t)->len),
			 true);
	else
		tep_atom(node,
			 arena_printf(t->p.arena, "%d",
				      current_token(t)->len ? current_token(t)->s[0] : 0),
			 false);
	return tep_parser_next(t);
}

/* "->name" after REC. */
static bool read_field(struct tep_parser *t, struct print_node *node)
{
	if (!tep_parser_expect(t, "->"))
		return false;
	if (current_token(t)->kind != TOKEN_WORD)
		return tep_parser_fails(t);
	*node = (struct print_node){ .kind = NODE_FIELD,
				     .field = print_parser_field(&t->p, current_token(t)->s,
								 current_token(t)->len) };
	if (!node->field)
		return tep_parser_unsure(t);
	return tep_parser_next(t);
}

/* --- operators ---------------------------------------------------------- */

static int token_rank(const struct print_token *token)
{
	const struct print_binary *b = print_parser_binary(token);

	return b                                                          ? b->rank :
	       print_token_is(token, "?")                                 ? 16 :
	       print_token_is(token, "!") || print_token_is(token, "~")   ? 4 :
	       print_token_is(token, "++") || print_token_is(token, "--") ? 3 :
									    RANK_NONE;
}

/* The rank from the operator's name, whatever its operands. */
static int node_rank(const struct print_node *node)
{
	if (node->kind == NODE_COND)
		return 16;
	if (node->kind == NODE_INDEX)
		return RANK_NONE;
	if (node->op == OP_NOT || node->op == OP_INVERT)
		return 4;
	return print_parser_rank(node->op);
}

/* Move the node's contents to a new node, which becomes its left operand. */
static struct print_node *move_left(struct tep_parser *t, struct print_node *node,
				    enum print_node_kind kind)
{
	struct print_node *left = tep_parser_node(t);

	if (!left)
		return NULL;
	*left = *node;
	*node = (struct print_node){ .kind = kind, .a = left };
	return left;
}

/* An operator follows: it applies to the node or to its right operand. */
static bool read_further(struct tep_parser *t, struct print_node *node, struct print_node *right)
{
	if (!is_operator(current_token(t)) || token_is(t, ":"))
		return true;
	if (token_rank(current_token(t)) > (int)node->value)
		return read_operator(t, node);
	return right ? read_operator(t, right) : tep_parser_unsure(t);
}

/* A unary sign, which is the current token. */
static bool read_sign(struct tep_parser *t, struct print_node *node)
{
	struct print_node *nothing, *right;
	enum print_op op;

	if (token_is(t, "~"))
		op = OP_INVERT;
	else if (token_is(t, "!"))
		op = OP_NOT;
	else if (token_is(t, "+"))
		op = OP_ADD;
	else if (token_is(t, "-"))
		op = OP_SUB;
	else
		return tep_parser_fails(t);
	nothing = tep_parser_node(t);
	right = tep_parser_node(t);
	if (!nothing || !right)
		return false;
	*node = (struct print_node){ .kind = NODE_UNARY, .op = op, .a = nothing, .b = right };
	return tep_parser_next(t) && read_operand(t, right) && read_further(t, node, right);
}

static bool read_cond(struct tep_parser *t, struct print_node *node)
{
	if (!move_left(t, node, NODE_COND))
		return false;
	node->b = tep_parser_node(t);
	node->c = tep_parser_node(t);
	if (!node->b || !node->c || !tep_parser_next(t) || !read_operand(t, node->b))
		return false;
	while (is_operator(current_token(t)) && !token_is(t, ":"))
		if (!read_operator(t, node->b))
			return false;
	return tep_parser_expect(t, ":") && read_operand(t, node->c) && read_further(t, node, NULL);
}

static bool read_index(struct tep_parser *t, struct print_node *node)
{
	if (!move_left(t, node, NODE_INDEX))
		return false;
	node->b = tep_parser_node(t);
	return node->b && tep_parser_next(t) && read_operand(t, node->b) &&
	       tep_parser_expect(t, "]") && read_further(t, node, NULL);
}

/* (char *) is a type, not a product. */
static bool make_pointer_type(struct tep_parser *t, struct print_node *node)
{
	if (node->a->kind != NODE_STRING)
		return tep_parser_fails(t);
	tep_atom(node, arena_printf(t->p.arena, "%s *", node->a->text), false);
	return true;
}

static bool read_binary(struct tep_parser *t, struct print_node *node, const struct print_binary *b)
{
	struct print_node *right;

	if (!move_left(t, node, NODE_BINARY))
		return false;
	node->op = b->op;
	node->value = (uint64_t)b->rank;
	if (!tep_parser_next(t))
		return false;
	if (b->op == OP_MUL && token_is(t, ")"))
		return make_pointer_type(t, node);
	right = tep_parser_node(t);
	if (!right || !read_operand(t, right))
		return false;
	node->b = right;
	if (tep_is_operator(right) && b->rank < node_rank(right)) {
		struct print_node old;

		node->b = right->a;
		old = *node;
		*node = *right;
		*right = old;
		node->a = right;
	}
	return read_further(t, node, right);
}

static bool read_operator(struct tep_parser *t, struct print_node *node)
{
	const struct print_binary *b = print_parser_binary(current_token(t));
	bool ok = false;

	if (!enter_level(t))
		return false;
	if (token_is(t, "?"))
		ok = read_cond(t, node);
	else if (token_is(t, "["))
		ok = read_index(t, node);
	else if (b)
		ok = read_binary(t, node, b);
	else
		tep_parser_fails(t);
	t->p.depth--;
	return ok;
}

/* --- helpers of print formats ------------------------------------------- */

/* { value, "name" }, …: the token is the comma before the first entry. */
static bool read_entries(struct tep_parser *t, struct print_node *call)
{
	struct value_names *names = arena_alloc(t->p.arena, sizeof(*names));
	struct value_name *all = NULL;
	unsigned int nr = 0, cap = 0;
	bool ok = true;

	while (ok && token_is(t, ",")) {
		struct print_node *value = tep_parser_node(t), *name = tep_parser_node(t);
		const char *text;

		ok = value && name && tep_parser_next(t);
		if (!ok || !token_is(t, "{"))
			break;
		ok = tep_parser_next(t) && read_operand(t, value) &&
		     (!is_operator(current_token(t)) || read_operator(t, value)) &&
		     tep_parser_expect(t, ",") && (text = tep_entry_text(t, value)) &&
		     read_operand(t, name) && (token_is(t, "}") || tep_parser_fails(t));
		if (!ok)
			break;
		mem_grow(&all, nr, &cap);
		all[nr].value = (uint64_t)tep_entry_value(text);
		all[nr].name = tep_entry_text(t, name);
		ok = all[nr++].name && tep_parser_next(t);
	}
	names->flags = call->call == CALL_FLAGS;
	names->nr = nr;
	names->names = arena_copy(t->p.arena, all, nr * sizeof(*all));
	call->names = names;
	free(all);
	return ok;
}

static bool read_table(struct tep_parser *t, struct print_node *node, enum print_call call)
{
	struct print_node *value = tep_parser_node(t);

	if (!value || !read_operand(t, value))
		return false;
	while (is_operator(current_token(t)))
		if (!read_operator(t, value))
			return false;
	*node = (struct print_node){ .kind = NODE_CALL, .call = call, .a = value, .delimiter = "" };
	if (!token_is(t, ","))
		return tep_parser_fails(t);
	if (call == CALL_FLAGS) {
		if (!tep_parser_next(t))
			return false;
		if (current_token(t)->kind == TOKEN_STRING) {
			if (!tep_parser_string(t, &node->delimiter))
				return false;
		} else if (is_item(current_token(t))) {
			node->delimiter = arena_strndup(t->p.arena, current_token(t)->s,
							current_token(t)->len);
			if (!tep_parser_next(t))
				return false;
		}
	}
	return (token_is(t, ",") || tep_parser_fails(t)) && read_entries(t, node) &&
	       tep_parser_expect(t, ")");
}

/* Parse one argument up to this delimiter. */
static bool read_argument(struct tep_parser *t, struct print_node **node, const char *delimiter)
{
	*node = tep_parser_node(t);
	if (!*node || !read_operand(t, *node))
		return false;
	if (is_operator(current_token(t)) && (!read_operator(t, *node) || !tep_fold(t, *node)))
		return false;
	return tep_parser_expect(t, delimiter);
}

static bool read_bytes(struct tep_parser *t, struct print_node *node, enum print_call call)
{
	struct print_node *of, *count, *size = NULL;

	if (!read_argument(t, &of, ",") ||
	    !read_argument(t, &count, call == CALL_ARRAY ? "," : ")") ||
	    (call == CALL_ARRAY && !read_argument(t, &size, ")")))
		return false;
	if (of->kind != NODE_FIELD && !(of->kind == NODE_CALL && of->call == CALL_DYNAMIC_ARRAY))
		return tep_parser_unsure(t);
	*node = (struct print_node){
		.kind = NODE_CALL, .call = call, .a = of, .b = count, .c = size
	};
	return true;
}

static bool read_of_field(struct tep_parser *t, struct print_node *node, enum print_call call)
{
	const struct event_field *f;

	if (current_token(t)->kind != TOKEN_WORD)
		return tep_parser_fails(t);
	f = print_parser_field(&t->p, current_token(t)->s, current_token(t)->len);
	if ((!f || f->is_common) && call != CALL_STR && call != CALL_BITMASK &&
	    call != CALL_CPUMASK)
		return tep_parser_fails(t);
	if (!f && call == CALL_CPUMASK)
		return tep_parser_unsure(t);
	if (f && call == CALL_DYNAMIC_ARRAY_LEN && f->is_relative)
		return tep_parser_unsure(t);
	if (f && !f->is_dynamic)
		return tep_parser_unsure(t);
	*node = (struct print_node){ .kind = NODE_CALL, .call = call, .field = f };
	if (!tep_parser_next(t) || !tep_parser_expect(t, ")"))
		return false;
	/*
	 * brackets after a dynamic array make it fail, unless they hold more than a single operand
	 */
	if (call == CALL_DYNAMIC_ARRAY && token_is(t, "["))
		return tep_parser_fails(t);
	return true;
}

/* __print_dynamic_array(field, bytes of an element): libtraceevent 1.8 and later */
static bool read_print_dynamic_array(struct tep_parser *t, struct print_node *node)
{
	const struct event_field *f;
	struct print_node *size;

	if (current_token(t)->kind != TOKEN_WORD)
		return tep_parser_fails(t);
	f = print_parser_field(&t->p, current_token(t)->s, current_token(t)->len);
	if (!f || !f->is_dynamic)
		return tep_parser_fails(t);
	if (!tep_parser_next(t) || !tep_parser_expect(t, ",") || !read_argument(t, &size, ")"))
		return false;
	*node = (struct print_node){
		.kind = NODE_CALL, .call = CALL_PRINT_DYNAMIC_ARRAY, .field = f, .b = size
	};
	return true;
}

static bool read_sizeof(struct tep_parser *t, struct print_node *node)
{
	static const struct print_word types[] = {	/* 3.1 knows only the first */
		{ "int", 4 }, { "u64", 8 }, { "s64", 8 }, { "__u64", 8 }, { "__s64", 8 },
		{ "u32", 4 }, { "s32", 4 },
		{ "__u32", 4 }, { "__s32", 4 }, { "u16", 2 }, { "s16", 2 }, { "__u16", 2 },
		{ "__s16", 2 }, { "u8", 1 },
		{ "s8", 1 }, { "__u8", 1 }, { NULL, 0 },
	};
	const struct print_word *type = NULL;
	bool is_unsigned = token_is(t, "unsigned");
	uint32_t bytes;

	if (is_unsigned && !tep_parser_next(t))
		return false;
	if (current_token(t)->kind == TOKEN_WORD)
		type = print_word_find(types, current_token(t)->s, current_token(t)->len);
	if (type && (type == types || t->era != TEXT_ERA_3_1)) {
		bytes = (uint32_t)type->value;
		if (!tep_parser_next(t))
			return false;
	} else if (token_is(t, "long")) {
		if (!tep_parser_next(t))
			return false;
		bytes = !token_is(t, "long") && t->p.long_size == 4 ? 4 : 8;
		if (token_is(t, "long") && !tep_parser_next(t))
			return false;
	} else if (!is_unsigned && token_is(t, "REC")) {
		if (!tep_parser_next(t) || !read_field(t, node))
			return false;
		if (strchr(node->field->type, '['))
			return tep_parser_fails(t);
		bytes = node->field->size;
	} else if (is_unsigned && current_token(t)->kind != TOKEN_WORD) {
		bytes = 4;
	} else {
		return tep_parser_fails(t);
	}
	tep_atom(node, arena_printf(t->p.arena, "%u", bytes), false);
	return tep_parser_expect(t, ")");
}

static bool read_expect_call(struct tep_parser *t, struct print_node *node)
{
	if (!read_operand(t, node) || !tep_parser_expect(t, ","))
		return false;
	if (current_token(t)->kind != TOKEN_WORD)
		return tep_parser_fails(t);
	return tep_parser_next(t) && tep_parser_expect(t, ")");
}

/* A plugin's function: it takes a fixed number of arguments, each a single operand. */
static bool read_plugin_call(struct tep_parser *t, struct print_node *node, const char *name)
{
	int nr = t->functions ? t->functions(t->functions_arg, name) : -1;
	struct print_node **tail;

	if (nr < 0)
		return tep_parser_fails(t);
	*node = (struct print_node){ .kind = NODE_CALL, .call = CALL_FUNCTION, .text = name };
	tail = &node->a;
	for (int i = 0; i < nr; i++) {
		*tail = tep_parser_node(t);
		if (!*tail || !read_operand(t, *tail) ||
		    !tep_parser_expect(t, i + 1 < nr ? "," : ")"))
			return false;
		tail = &(*tail)->next;
	}
	return nr > 0 || tep_parser_unsure(t);
}

/* The token is the one after the function's bracket. */
static bool read_call(struct tep_parser *t, struct print_node *node, const struct print_token *name)
{
	enum print_call call = print_parser_call(name);

	if (print_token_is(name, "__builtin_expect"))
		return read_expect_call(t, node);
	if (print_token_is(name, "sizeof"))
		return read_sizeof(t, node);
	/* it does not know newer helpers */
	if (print_token_is(name, "__print_flags_u64") ||
	    print_token_is(name, "__print_symbolic_u64") ||
	    print_token_is(name, "__get_rel_sockaddr"))
		call = CALL_FUNCTION;
	switch (call) {
	case CALL_FLAGS:
	case CALL_SYMBOLIC:
		return read_table(t, node, call);
	case CALL_HEX:
	case CALL_HEX_STR:
	case CALL_ARRAY:
		return read_bytes(t, node, call);
	case CALL_STR:
	case CALL_BITMASK:
	case CALL_CPUMASK:
	case CALL_DYNAMIC_ARRAY:
	case CALL_DYNAMIC_ARRAY_LEN:
		return read_of_field(t, node, call);
	case CALL_SOCKADDR:
		return read_of_field(t, node, CALL_DYNAMIC_ARRAY);
	case CALL_PRINT_DYNAMIC_ARRAY:
		if (t->era != TEXT_ERA_3_1)
			return read_print_dynamic_array(t, node);
		break;
	default:
		break;
	}
	return read_plugin_call(t, node, arena_strndup(t->p.arena, name->s, name->len));
}

/* --- operands ----------------------------------------------------------- */

/* After "(". */
static bool read_bracket(struct tep_parser *t, struct print_node *node)
{
	struct print_node *operand;

	if (token_is(t, "REC")) {		/* (REC)->field, or REC->field … in brackets */
		struct print_lexer begin = t->p.lexer;

		if (!tep_parser_next(t))
			return false;
		if (token_is(t, ")"))
			return tep_parser_next(t) && read_field(t, node);
		t->p.lexer = begin;
	}
	if (!read_operand(t, node) || (is_operator(current_token(t)) && !read_operator(t, node)) ||
	    !tep_parser_expect(t, ")"))
		return false;
	if (!is_item(current_token(t)) && !token_is(t, "("))
		return true;
	/* A type in brackets. */
	if (node->kind != NODE_STRING)
		return tep_parser_fails(t);
	operand = tep_parser_node(t);
	if (!operand)
		return false;
	node->kind = NODE_CAST;
	node->a = operand;
	return read_operand(t, operand);
}

static bool read_operand(struct tep_parser *t, struct print_node *node)
{
	struct print_token first = *current_token(t);
	bool ok = false;

	if (!enter_level(t))
		return false;
	if (first.kind == TOKEN_WORD) {
		ok = tep_parser_next(t);
		if (ok && print_token_is(&first, "REC"))
			ok = read_field(t, node);
		else if (ok && token_is(t, "("))
			ok = tep_parser_next(t) && read_call(t, node, &first);
		else if (ok)
			ok = read_words(t, node, &first);
	} else if (first.kind == TOKEN_STRING) {
		const char *s = "";

		ok = tep_parser_string(t, &s);
		tep_atom(node, s, true);
	} else if (first.kind == TOKEN_CHAR) {
		ok = read_char(t, node);
	} else if (token_is(t, "(")) {
		ok = tep_parser_next(t) && read_bracket(t, node);
	} else if (first.kind == TOKEN_OP) {
		ok = read_sign(t, node);
	} else {
		tep_parser_fails(t);
	}
	t->p.depth--;
	return ok;
}

bool tep_parser_arguments(struct tep_parser *t, struct print_node **list)
{
	unsigned int nr = 0;

	while (current_token(t)->kind != TOKEN_END) {
		struct print_node *node = tep_parser_node(t);

		if (++nr > PRINT_FORMAT_ARGS)
			return tep_parser_unsure(t);
		if (!node || !read_operand(t, node))
			return false;
		*list = node;
		list = &node->next;
		if (is_operator(current_token(t))) {
			if (!read_operator(t, node) || !tep_fold(t, node))
				return false;
			/* skip the next token, comma or not */
			if (current_token(t)->kind != TOKEN_END && !tep_parser_next(t))
				return false;
			continue;
		}
		if (!token_is(t, ","))
			break;
		if (!tep_parser_next(t))
			return false;
	}
	return true;
}
