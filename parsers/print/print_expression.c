/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_expression - the argument of a conversion as C reads it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/print/print_parser.h"
#include "parsers/print/text_context.h"

static struct print_node *parse_unary(struct print_parser *p);

static struct print_node *number_node(struct print_parser *p, uint64_t value, unsigned int bytes,
				      bool is_signed)
{
	struct print_node *node = print_parser_node(p, NODE_NUMBER, NULL, NULL, NULL);

	if (!node)
		return NULL;
	node->value = print_fit(value, bytes, is_signed);
	node->type = (struct print_type){ .bytes = (uint8_t)bytes, .is_signed = is_signed };
	return node;
}

/* 10, 0x1fUL: the type is the first in C's list that can hold the value. */
static struct print_node *parse_number(struct print_parser *p)
{
	struct print_token t = p->lexer.token;
	char buf[40], *end;
	bool is_signed = true, is_decimal;
	unsigned int bytes = 4, longs = 0;
	uint64_t v;

	if (t.len >= sizeof(buf))
		return print_parser_fail(p);
	memcpy(buf, t.s, t.len);
	buf[t.len] = '\0';
	is_decimal = buf[0] != '0';
	v = strtoull(buf, &end, 0);
	for (; *end; end++) {
		if (*end == 'u' || *end == 'U')
			is_signed = false;
		else if (*end == 'l' || *end == 'L')
			longs++;
		else
			return print_parser_fail(p);
	}
	if (longs)
		bytes = longs > 1 ? 8 : (unsigned int)p->long_size;
	if (bytes == 4 && v > (is_signed ? INT32_MAX : UINT32_MAX)) {
		if (is_signed && !is_decimal && v <= UINT32_MAX)
			is_signed = false;
		else
			bytes = 8;
	}
	if (bytes == 8 && is_signed && v > INT64_MAX)
		is_signed = false;
	print_lexer_next(&p->lexer);
	return number_node(p, v, bytes, is_signed);
}

static struct print_node *parse_char(struct print_parser *p)
{
	struct text text = { 0 };
	char c;

	print_unescape(&text, p->lexer.token.s, p->lexer.token.len);
	c = text.len ? text.data[0] : '\0';
	text_fini(&text);
	print_lexer_next(&p->lexer);
	return number_node(p, (uint64_t)(int64_t)c, 4, true);
}

static struct print_variable *find_variable(const struct print_parser *p,
					    const struct print_token *name)
{
	struct print_variable *v = p->variables;

	while (v && (v->len != name->len || memcmp(v->name, name->s, v->len)))
		v = v->next;
	return v;
}

/* Set the meaning of a variable in the statements; *value is NULL before it is assigned. */
static bool set_variable(struct print_parser *p, const struct print_token *name,
			 struct print_node *value)
{
	struct print_variable *v = find_variable(p, name);

	if (!v) {
		v = arena_alloc(p->arena, sizeof(*v));
		v->name = name->s;
		v->len = name->len;
		v->next = p->variables;
		p->variables = v;
	}
	v->value = value;
	return !p->failed;
}

static struct print_node *parse_string(struct print_parser *p)
{
	struct print_node *node = print_parser_node(p, NODE_STRING, NULL, NULL, NULL);
	size_t len;

	if (!node)
		return NULL;
	node->text = print_parser_strings(p, &len);
	node->type = (struct print_type){ .bytes = (uint8_t)p->long_size, .is_pointer = true,
					  .is_text = true,
					  .to_bytes = 1, .to_signed = true };
	return node;
}

/* Enumerators whose names kernels leave in their formats. */
static const struct print_word known_names[] = {
	{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 },
	{ "NET_RX_SOFTIRQ", 3 },
	{ "BLOCK_SOFTIRQ", 4 }, { "IRQ_POLL_SOFTIRQ", 5 }, { "BLOCK_IOPOLL_SOFTIRQ", 5 },
	{ "TASKLET_SOFTIRQ", 6 },
	{ "SCHED_SOFTIRQ", 7 }, { "HRTIMER_SOFTIRQ", 8 }, { "RCU_SOFTIRQ", 9 },
	{ "HRTIMER_NORESTART", 0 },
	{ "HRTIMER_RESTART", 1 }, { "true", 1 }, { "false", 0 }, { "NULL", 0 }, { NULL, 0 },
};

/* A field by its name; ent.pid is the kernel's name for common_pid. */
static const struct event_field *take_field(struct print_parser *p)
{
	struct print_token t = p->lexer.token;
	const struct event_field *f = t.kind == TOKEN_WORD ? print_parser_field(p, t.s, t.len) :
							     NULL;
	char name[40] = "common_";

	print_lexer_next(&p->lexer);
	if (!f && print_token_is(&t, "ent") && print_parser_accept(p, ".") &&
	    p->lexer.token.len < 30) {
		t = p->lexer.token;
		memcpy(name + 7, t.s, t.len);
		f = print_parser_field(p, name, t.len + 7);
		print_lexer_next(&p->lexer);
	}
	return f ? f : print_parser_fail(p);
}

static struct print_node *field_node(struct print_parser *p)
{
	const struct event_field *f = take_field(p);
	struct print_node *node;

	if (!f)
		return NULL;
	node = print_parser_node(p, NODE_FIELD, NULL, NULL, NULL);
	if (!node)
		return NULL;
	node->field = f;
	node->type = print_type_of_field(f, p->long_size);
	if (print_token_is(&p->lexer.token, ".") || print_token_is(&p->lexer.token, "->"))
		return print_parser_fail(p);
	return node;
}

/* sizeof(type), sizeof(REC->field), sizeof(expression) */
static struct print_node *parse_sizeof(struct print_parser *p)
{
	struct print_type type = { 0 };
	struct print_node *node;
	uint64_t bytes;

	if (!print_parser_expect(p, "("))
		return NULL;
	if (!print_parser_type(p, &type)) {
		node = print_parser_expression(p);
		if (!node)
			return NULL;
		type = node->type;
		bytes = node->kind == NODE_FIELD && !node->field->is_dynamic ? node->field->size :
									       type.bytes;
	} else {
		bytes = type.bytes;
	}
	if (!bytes)
		return print_parser_fail(p);
	return print_parser_expect(p, ")") ?
		       number_node(p, bytes, (unsigned int)p->long_size, false) :
		       NULL;
}

/*
 * __builtin_constant_p(x) is 0, __builtin_expect(x, y) is x; comparisons of types are not
 * evaluated.
 */
static struct print_node *parse_builtin(struct print_parser *p, const struct print_token *name)
{
	struct print_node *node;

	if (!print_parser_expect(p, "("))
		return NULL;
	node = print_parser_expression(p);
	if (print_token_is(name, "__builtin_expect")) {
		if (!node || !print_parser_expect(p, ",") || !print_parser_expression(p))
			return NULL;
	} else if (node) {
		node = number_node(p, 0, 4, true);
	}
	return node && print_parser_expect(p, ")") ? node : NULL;
}

/* { value, "name" }, … up to the closing bracket; names without a known value are left out. */
static bool parse_names(struct print_parser *p, struct print_node *call)
{
	struct value_names *names = arena_alloc(p->arena, sizeof(*names));
	struct value_name *all = NULL;
	unsigned int nr = 0, cap = 0;

	names->flags = call->call == CALL_FLAGS;
	while (!p->failed && print_parser_accept(p, ",") && !print_token_is(&p->lexer.token, ")")) {
		struct print_node *value, *name;
		uint64_t v, zero;

		if (!print_parser_expect(p, "{") || !(value = print_parser_expression(p)) ||
		    !print_parser_expect(p, ","))
			break;
		name = print_parser_expression(p);
		print_parser_accept(p, ",");
		if (!name || !print_parser_expect(p, "}"))
			break;
		if (name->kind == NODE_STRING) {
			mem_grow(&all, nr, &cap);
			all[nr].name = name->text;
			if (print_constant(value, &v))
				all[nr++].value = p->long_size == 4 ? (uint32_t)v : v;
		} else if (!print_constant(name, &zero) || zero) {
			/* some tables end with a NULL name */
			print_parser_fail(p);
		}
	}
	names->nr = nr;
	names->names = arena_copy(p->arena, all, nr * sizeof(*all));
	call->names = names;
	free(all);
	return !p->failed;
}

static struct print_node *parse_table(struct print_parser *p, enum print_call call)
{
	struct print_node *value = print_parser_expression(p), *node;
	size_t len;

	if (!value || !(node = print_parser_node(p, NODE_CALL, value, NULL, NULL)))
		return NULL;
	node->call = call;
	node->delimiter = "";
	if (call == CALL_FLAGS) {
		if (!print_parser_expect(p, ","))
			return NULL;
		if (p->lexer.token.kind == TOKEN_STRING)
			node->delimiter = print_parser_strings(p, &len);
		else if (!print_parser_accept(p, "NULL") && !print_parser_accept(p, "0"))
			return print_parser_fail(p);
	}
	return parse_names(p, node) ? node : NULL;
}

/* "__get_str(name[1])": one element of a probe's array of strings. */
static bool parse_which_string(struct print_parser *p, struct print_node *node)
{
	struct print_node *index;

	print_lexer_next(&p->lexer);
	index = print_parser_expression(p);
	if (!index || !print_parser_expect(p, "]"))
		return false;
	if (index->kind != NODE_NUMBER || index->value >= node->field->size / 4)
		return print_parser_fail(p);
	node->value = index->value;
	return true;
}

/* The helper's first argument names a field. */
static struct print_node *parse_of_field(struct print_parser *p, enum print_call call)
{
	struct print_token t = p->lexer.token;
	const struct event_field *f = t.kind == TOKEN_WORD ? print_parser_field(p, t.s, t.len) :
							     NULL;
	struct print_node *node;

	if (!f)
		return print_parser_fail(p);
	print_lexer_next(&p->lexer);
	node = print_parser_node(p, NODE_CALL, NULL, NULL, NULL);
	if (!node)
		return NULL;
	node->call = call;
	node->field = f;
	if (call == CALL_STR && print_token_is(&p->lexer.token, "[") &&
	    !parse_which_string(p, node))
		return NULL;
	if (call == CALL_DYNAMIC_ARRAY_LEN)
		node->type = (struct print_type){ .bytes = 4, .is_signed = true };
	else
		node->type = (struct print_type){ .bytes = (uint8_t)p->long_size,
						  .is_pointer = true,
						  .is_text = call == CALL_STR,
						  .to_bytes = (uint8_t)f->element_size,
						  .to_signed = f->is_signed };
	if (call == CALL_PRINT_DYNAMIC_ARRAY &&
	    (!print_parser_expect(p, ",") || !(node->b = print_parser_expression(p))))
		return NULL;
	return node;
}

/* Arguments up to the closing bracket, as a list. */
static bool parse_arguments(struct print_parser *p, struct print_node **list, unsigned int *nr)
{
	for (*nr = 0; !print_token_is(&p->lexer.token, ")");) {
		if (*nr && !print_parser_expect(p, ","))
			return false;
		if (++*nr > PRINT_FORMAT_ARGS || !(*list = print_parser_expression(p)))
			return false;
		list = &(*list)->next;
	}
	return true;
}

static struct print_node *parse_with_arguments(struct print_parser *p, enum print_call call,
					       const struct print_token *name)
{
	static const uint8_t wanted[] = { [CALL_HEX] = 2, [CALL_HEX_STR] = 2, [CALL_ARRAY] = 3,
					  [CALL_HEX_DUMP] = 7,
					  [CALL_NS_TO_SECS] = 1, [CALL_NS_WITHOUT_SECS] = 1 };
	struct print_node *list = NULL, *node;
	unsigned int nr;

	if (!parse_arguments(p, &list, &nr))
		return NULL;
	if (call < sizeof(wanted) && wanted[call] && nr < wanted[call])
		return print_parser_fail(p);
	node = print_parser_node(p, NODE_CALL, list, list ? list->next : NULL,
				 nr > 2 ? list->next->next : NULL);
	if (!node)
		return NULL;
	node->call = call;
	node->text = arena_strndup(p->arena, name->s, name->len);
	if (call == CALL_NS_TO_SECS || call == CALL_NS_WITHOUT_SECS)
		node->type = (struct print_type){ .bytes = 8 };
	else
		node->type = (struct print_type){ .bytes = (uint8_t)p->long_size,
						  .is_pointer = call != CALL_FUNCTION,
						  .is_text = call != CALL_FUNCTION };
	return node;
}

static struct print_node *parse_call(struct print_parser *p, const struct print_token *name)
{
	enum print_call call = print_parser_call(name);
	struct print_node *node = NULL;

	if (!print_parser_expect(p, "("))
		return NULL;
	switch (call) {
	case CALL_FLAGS:
	case CALL_SYMBOLIC:
		node = parse_table(p, call);
		break;
	case CALL_PRINT_DYNAMIC_ARRAY:
	case CALL_STR:
	case CALL_DYNAMIC_ARRAY:
	case CALL_DYNAMIC_ARRAY_LEN:
	case CALL_BITMASK:
	case CALL_CPUMASK:
	case CALL_SOCKADDR:
		node = parse_of_field(p, call);
		break;
	default:
		node = parse_with_arguments(p, call, name);
		break;
	}
	return node && print_parser_expect(p, ")") ? node : NULL;
}

static struct print_node *parse_word(struct print_parser *p)
{
	struct print_token t = p->lexer.token;
	const struct print_variable *variable;
	const struct print_word *known;
	struct print_node *node;

	print_lexer_next(&p->lexer);
	if (print_token_is(&t, "REC"))
		return print_parser_expect(p, "->") ? field_node(p) : NULL;
	if (print_token_is(&t, "sizeof"))
		return parse_sizeof(p);
	if (print_token_is(&t, "__builtin_expect") || print_token_is(&t, "__builtin_constant_p"))
		return parse_builtin(p, &t);
	if (print_token_is(&p->lexer.token, "("))
		return parse_call(p, &t);
	variable = find_variable(p, &t);
	if (variable && variable->value)
		return variable->value;
	known = print_word_find(known_names, t.s, t.len);
	if (known)
		return number_node(p, known->value, 4, true);
	node = print_parser_node(p, NODE_NAME, NULL, NULL, NULL);
	if (!node)
		return NULL;
	node->text = arena_strndup(p->arena, t.s, t.len);
	node->type = (struct print_type){ .bytes = (uint8_t)p->long_size };
	return node;
}

static bool begins_operand(const struct print_token *t)
{
	return t->kind == TOKEN_WORD || t->kind == TOKEN_STRING || t->kind == TOKEN_CHAR ||
	       print_token_is(t, "(");
}

/* --- statements in an expression ---------------------------------------- */

static void skip_statement(struct print_parser *p)
{
	unsigned int depth = 0;

	while (p->lexer.token.kind != TOKEN_END &&
	       (depth || !print_token_is(&p->lexer.token, ";"))) {
		depth += print_token_is(&p->lexer.token, "{");
		depth -= depth && print_token_is(&p->lexer.token, "}");
		print_lexer_next(&p->lexer);
	}
}

/*
 * "int x = expression" and "x = expression"; other declarations are skipped, and the value is that
 * of the last other expression.
 */
static struct print_node *parse_statement(struct print_parser *p, struct print_node *last)
{
	struct print_token name = p->lexer.token;
	struct print_type type = { 0 };
	bool declares;

	if (print_parser_accept(p, "static") || print_parser_accept(p, "union")) {
		skip_statement(p);
		return last;
	}
	if (print_parser_accept(p, "switch"))
		return print_parser_fail(p);
	declares = print_parser_type(p, &type);
	if (declares)
		name = p->lexer.token;
	if (declares || p->lexer.pos[0] == ' ' || p->lexer.pos[0] == '=') {
		struct print_lexer begin = p->lexer;
		struct print_node *value = NULL;

		print_lexer_next(&p->lexer);
		if (print_parser_accept(p, "=")) {
			value = print_parser_expression(p);
			if (!value)
				return NULL;
		}
		if (value || declares)
			return set_variable(p, &name, value) ? value : NULL;
		p->lexer = begin;
	}
	return print_parser_expression(p);
}

/* ({ int x = (REC->a); int y = 5; x < y ? x : y; }): the lexer is after the first brace. */
static struct print_node *parse_statements(struct print_parser *p)
{
	struct print_node *last = NULL;

	while (!p->failed && !print_parser_accept(p, "}")) {
		last = parse_statement(p, last);
		print_parser_expect(p, ";");
	}
	if (!p->failed && !last)
		print_parser_fail(p);
	return print_parser_expect(p, ")") ? last : NULL;
}

/* (ktime_t){ .tv64 = expression }: the lexer is after the first brace. */
static struct print_node *parse_compound(struct print_parser *p)
{
	struct print_node *value, *node;

	if (!print_parser_expect(p, "."))
		return NULL;
	print_lexer_next(&p->lexer);
	if (!print_parser_expect(p, "=") || !(value = print_parser_expression(p)) ||
	    !print_parser_expect(p, "}"))
		return NULL;
	node = print_parser_node(p, NODE_CAST, value, NULL, NULL);
	if (node) {
		node->text = "{";
		node->type = value->type;
	}
	return node;
}

/* After "(": a cast, (REC)->field, or an expression in brackets. */
static struct print_node *parse_bracket(struct print_parser *p)
{
	struct print_token inner = p->lexer.token;
	struct print_node *node;
	struct print_type type;

	if (print_parser_accept(p, "{"))
		return parse_statements(p);
	if (print_parser_accept(p, "REC")) {
		if (print_parser_accept(p, ")"))
			return print_parser_expect(p, "->") ? field_node(p) : NULL;
		p->lexer.pos = inner.s;
		print_lexer_next(&p->lexer);
	}
	if (print_parser_type(p, &type)) {
		struct print_node *operand;

		if (!print_parser_expect(p, ")"))
			return NULL;
		if (print_parser_accept(p, "{"))
			return parse_compound(p);
		operand = parse_unary(p);
		if (!operand)
			return NULL;
		node = print_parser_node(p, NODE_CAST, operand, NULL, NULL);
		if (node) {
			node->text = arena_strndup(p->arena, inner.s, inner.len);
			node->type = type;
		}
		return node;
	}
	node = print_parser_expression(p);
	if (!node || !print_parser_expect(p, ")"))
		return NULL;
	/* a type that we do not know */
	if (node->kind == NODE_NAME && begins_operand(&p->lexer.token)) {
		struct print_node *operand = parse_unary(p);

		node = operand ? print_parser_node(p, NODE_CAST, operand, NULL, NULL) : NULL;
		if (node)
			node->type = operand->type;
	}
	return node;
}

static struct print_node *parse_primary(struct print_parser *p)
{
	const struct print_token *t = &p->lexer.token;
	struct print_node *node = NULL;

	if (t->kind == TOKEN_WORD)
		node = t->s[0] >= '0' && t->s[0] <= '9' ? parse_number(p) : parse_word(p);
	else if (t->kind == TOKEN_STRING)
		node = parse_string(p);
	else if (t->kind == TOKEN_CHAR)
		node = parse_char(p);
	else if (print_parser_accept(p, "("))
		node = parse_bracket(p);
	else
		print_parser_fail(p);
	if (node && node->kind == NODE_CAST && node->text && node->text[0] == '{' &&
	    print_parser_accept(p, "."))
		print_lexer_next(&p->lexer);
	while (node && print_token_is(t, "[")) {
		struct print_node *index;
		struct print_type of = node->type;

		print_lexer_next(&p->lexer);
		index = print_parser_expression(p);
		if (!index || !print_parser_expect(p, "]"))
			return NULL;
		node = print_parser_node(p, NODE_INDEX, node, index, NULL);
		if (node)
			node->type = (struct print_type){ .bytes = of.to_bytes,
							  .is_signed = of.to_signed };
	}
	return node;
}

static struct print_node *unary_node(struct print_parser *p, enum print_op op,
				     struct print_node *operand)
{
	struct print_node *node = operand ? print_parser_node(p, NODE_UNARY, NULL, operand, NULL) :
					    NULL;

	if (!node)
		return NULL;
	node->op = op;
	node->type = (struct print_type){ .bytes = 4, .is_signed = true };
	if (op != OP_NOT)
		node->type = print_type_common(operand->type, operand->type);
	return node;
}

static struct print_node *reference_node(struct print_parser *p, enum print_node_kind kind,
					 struct print_node *operand)
{
	struct print_node *node = operand ? print_parser_node(p, kind, operand, NULL, NULL) : NULL;
	struct print_type of;

	if (!node)
		return NULL;
	of = operand->type;
	if (kind == NODE_DEREF)
		node->type = (struct print_type){ .bytes = of.to_bytes, .is_signed = of.to_signed };
	else if (operand->kind == NODE_FIELD && of.is_pointer && !strchr(operand->field->type, '*'))
		node->type = of;		/* &array is the array's address */
	else
		node->type = (struct print_type){ .bytes = (uint8_t)p->long_size,
						  .is_pointer = true,
						  .to_bytes = of.bytes, .to_signed = of.is_signed };
	return node;
}

static struct print_node *parse_unary(struct print_parser *p)
{
	struct print_node *node = NULL;

	if (print_parser_enter(p)) {
		if (print_parser_accept(p, "-"))
			node = unary_node(p, OP_NEG, parse_unary(p));
		else if (print_parser_accept(p, "!"))
			node = unary_node(p, OP_NOT, parse_unary(p));
		else if (print_parser_accept(p, "~"))
			node = unary_node(p, OP_INVERT, parse_unary(p));
		else if (print_parser_accept(p, "+"))
			node = unary_node(p, OP_PLUS, parse_unary(p));
		else if (print_parser_accept(p, "*"))
			node = reference_node(p, NODE_DEREF, parse_unary(p));
		else if (print_parser_accept(p, "&"))
			node = reference_node(p, NODE_ADDRESS, parse_unary(p));
		else
			node = parse_primary(p);
	}
	p->depth--;
	return node;
}

static struct print_node *binary_node(struct print_parser *p, enum print_op op,
				      struct print_node *a, struct print_node *b)
{
	struct print_node *node = print_parser_node(p, NODE_BINARY, a, b, NULL);

	if (!node)
		return NULL;
	node->op = op;
	if (print_op_compares(op))
		node->type = (struct print_type){ .bytes = 4, .is_signed = true };
	else if (op == OP_SHL || op == OP_SHR)
		node->type = print_type_common(a->type, a->type);
	else
		node->type = print_type_common(a->type, b->type);
	return node;
}

/* @rank: operators that bind less tightly, or as tightly, do not belong to it. */
static struct print_node *parse_binary(struct print_parser *p, int rank)
{
	struct print_node *left = print_parser_enter(p) ? parse_unary(p) : NULL, *right;
	const struct print_binary *b;

	while (left && (b = print_parser_binary(&p->lexer.token)) && b->rank < rank) {
		print_lexer_next(&p->lexer);
		right = parse_binary(p, b->rank);
		left = right ? binary_node(p, b->op, left, right) : NULL;
	}
	p->depth--;
	return left;
}

struct print_node *print_parser_expression(struct print_parser *p)
{
	struct print_node *a = print_parser_enter(p) ? parse_binary(p, INT_MAX) : NULL, *b, *c,
			  *node = a;

	if (a && print_parser_accept(p, "?")) {
		node = NULL;
		b = print_parser_expression(p);
		c = b && print_parser_expect(p, ":") ? print_parser_expression(p) : NULL;
		if (c)
			node = print_parser_node(p, NODE_COND, a, b, c);
		if (node)
			node->type = b->type.is_pointer ? b->type :
				     c->type.is_pointer ? c->type :
							  print_type_common(b->type, c->type);
	}
	p->depth--;
	return node;
}
