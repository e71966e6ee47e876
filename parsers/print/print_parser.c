/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/print_parser.h"

#include <string.h>

void *print_parser_fail(struct print_parser *p)
{
	p->failed = true;
	return NULL;
}

struct print_node *print_parser_node(struct print_parser *p, enum print_node_kind kind,
				     struct print_node *a, struct print_node *b,
				     struct print_node *c)
{
	const struct print_node *below[] = { a, b, c };
	struct print_node *node;
	unsigned int height = 0, size = 1;

	for (int i = 0; i < 3; i++) {
		if (!below[i])
			continue;
		size += below[i]->size;
		if (below[i]->height > height)
			height = below[i]->height;
	}
	if (++p->nodes > PRINT_FORMAT_NODES || size > PRINT_FORMAT_NODES ||
	    height >= PRINT_FORMAT_DEPTH)
		return print_parser_fail(p);
	node = arena_alloc(p->arena, sizeof(*node));
	node->kind = kind;
	node->height = height + 1;
	node->size = size;
	node->a = a;
	node->b = b;
	node->c = c;
	return node;
}

bool print_parser_accept(struct print_parser *p, const char *what)
{
	if (!print_token_is(&p->lexer.token, what))
		return false;
	print_lexer_next(&p->lexer);
	return true;
}

bool print_parser_expect(struct print_parser *p, const char *what)
{
	return print_parser_accept(p, what) || print_parser_fail(p);
}

bool print_parser_enter(struct print_parser *p)
{
	if (++p->depth <= PRINT_FORMAT_DEPTH)
		return !p->failed;
	print_parser_fail(p);
	return false;
}

const struct event_field *print_parser_field(struct print_parser *p, const char *name, size_t len)
{
	for (unsigned int i = 0; i < p->type->nr_fields; i++)
		if (strlen(p->type->fields[i].name) == len &&
		    !memcmp(p->type->fields[i].name, name, len))
			return &p->type->fields[i];
	return NULL;
}

enum print_call print_parser_call(const struct print_token *name)
{
	static const struct print_word calls[] = {
		{ "__print_flags", CALL_FLAGS },
		{ "__print_flags_u64", CALL_FLAGS },
		{ "__print_symbolic", CALL_SYMBOLIC },
		{ "__print_symbolic_u64", CALL_SYMBOLIC },
		{ "__print_hex", CALL_HEX },
		{ "__print_hex_str", CALL_HEX_STR },
		{ "__print_array", CALL_ARRAY },
		{ "__print_dynamic_array", CALL_PRINT_DYNAMIC_ARRAY },
		{ "__print_hex_dump", CALL_HEX_DUMP },
		{ "__get_str", CALL_STR },
		{ "__get_rel_str", CALL_STR },
		{ "__get_dynamic_array", CALL_DYNAMIC_ARRAY },
		{ "__get_rel_dynamic_array", CALL_DYNAMIC_ARRAY },
		{ "__get_dynamic_array_len", CALL_DYNAMIC_ARRAY_LEN },
		{ "__get_rel_dynamic_array_len", CALL_DYNAMIC_ARRAY_LEN },
		{ "__get_bitmask", CALL_BITMASK },
		{ "__get_rel_bitmask", CALL_BITMASK },
		{ "__get_cpumask", CALL_CPUMASK },
		{ "__get_rel_cpumask", CALL_CPUMASK },
		{ "__get_sockaddr", CALL_SOCKADDR },
		{ "__get_rel_sockaddr", CALL_SOCKADDR },
		{ "__get_sockaddr_rel", CALL_SOCKADDR },
		{ "__print_ns_to_secs", CALL_NS_TO_SECS },
		{ "__print_ns_without_secs", CALL_NS_WITHOUT_SECS },
		{ NULL, 0 },
	};
	const struct print_word *call = print_word_find(calls, name->s, name->len);

	return call ? (enum print_call)call->value : CALL_FUNCTION;
}

static const struct print_binary binaries[] = {
	{ "*", OP_MUL, 6 }, { "/", OP_DIV, 6 }, { "%", OP_MOD, 6 }, { "+", OP_ADD, 7 },
	{ "-", OP_SUB, 7 },
	{ "<<", OP_SHL, 8 }, { ">>", OP_SHR, 8 }, { "<", OP_LT, 9 }, { ">", OP_GT, 9 },
	{ "<=", OP_LE, 9 },
	{ ">=", OP_GE, 9 }, { "==", OP_EQ, 10 }, { "!=", OP_NE, 10 }, { "&", OP_AND, 11 },
	{ "^", OP_XOR, 12 },
	{ "|", OP_OR, 13 }, { "&&", OP_LAND, 14 }, { "||", OP_LOR, 15 },
};

const struct print_binary *print_parser_binary(const struct print_token *token)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++)
		if (print_token_is(token, binaries[i].name))
			return &binaries[i];
	return NULL;
}

int print_parser_rank(enum print_op op)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++)
		if (binaries[i].op == op)
			return binaries[i].rank;
	return -1;
}

const char *print_parser_macro(const struct print_token *t)
{
	return print_token_is(t, "LOCAL_PR_FMT") ? "%s" :
	       print_token_is(t, "STA_PR_FMT")   ? " sta:%pM" :
	       print_token_is(t, "VIF_PR_FMT")   ? " vif:%p(%d)" :
						   NULL;
}

/* Parse up to @max digits of this base after a backslash. */
static size_t escape_number(const char *s, size_t len, unsigned int base, size_t max,
			    unsigned int *v)
{
	size_t n = 0;

	for (*v = 0; n < len && n < max; n++) {
		unsigned int digit = s[n] >= '0' && s[n] <= '9' ? (unsigned int)(s[n] - '0') :
				     s[n] >= 'a' && s[n] <= 'f' ? (unsigned int)(s[n] - 'a') + 10 :
				     s[n] >= 'A' && s[n] <= 'F' ? (unsigned int)(s[n] - 'A') + 10 :
								  99;

		if (digit >= base)
			break;
		*v = *v * base + digit;
	}
	return n;
}

void print_unescape(struct text *out, const char *s, size_t len)
{
	static const char letters[] = "ntrabfve", meanings[] = "\n\t\r\a\b\f\v\033";

	for (size_t i = 0; i < len; i++) {
		unsigned int v;
		const char *letter;
		size_t n;

		if (s[i] != '\\' || i + 1 == len) {
			text_char(out, s[i]);
			continue;
		}
		i++;
		letter = strchr(letters, s[i]);
		n = s[i] == 'x' ? escape_number(s + i + 1, len - i - 1, 16, 2, &v) :
				  escape_number(s + i, len - i, 8, 3, &v);
		if (letter && *letter) {
			text_char(out, meanings[letter - letters]);
		} else if (n) {
			text_char(out, (char)v);
			i += s[i] == 'x' ? n : n - 1;
		} else {
			text_char(out, s[i]);
		}
	}
}

const char *print_parser_strings(struct print_parser *p, size_t *len)
{
	struct text all = { 0 };
	const char *macro, *s;

	while (p->lexer.token.kind == TOKEN_STRING ||
	       (macro = print_parser_macro(&p->lexer.token))) {
		if (p->lexer.token.kind == TOKEN_STRING)
			print_unescape(&all, p->lexer.token.s, p->lexer.token.len);
		else
			text_add(&all, macro);
		print_lexer_next(&p->lexer);
	}
	s = arena_strndup(p->arena, text_str(&all), all.len);
	*len = all.len;
	text_fini(&all);
	return s;
}

static int spec_number(const char **s, const char *end)
{
	int v = 0;

	while (*s < end && **s >= '0' && **s <= '9') {
		v = v < 10000 ? v * 10 + (**s - '0') : v;
		(*s)++;
	}
	return v;
}

static bool spec_star(const char **s, const char *end, struct print_node **args,
		      struct print_node **arg)
{
	if (*s == end || **s != '*' || !*args)
		return false;
	*arg = *args;
	*args = (*args)->next;
	(*s)++;
	return true;
}

static void spec_length(struct print_segment *seg, const char **s, const char *end)
{
	for (; *s < end && strchr("hlLzZtjq", **s); (*s)++) {
		if (**s == 'h')
			seg->length = seg->length == LENGTH_SHORT ? LENGTH_CHAR : LENGTH_SHORT;
		else if (**s == 'l')
			seg->length = seg->length == LENGTH_LONG ? LENGTH_LONG_LONG : LENGTH_LONG;
		else
			seg->length = strchr("Lqj", **s) ? LENGTH_LONG_LONG : LENGTH_LONG;
	}
}

bool print_parser_spec(struct print_segment *seg, const char **s, const char *end,
		       struct print_node **args)
{
	static const char flags[] = "-+ #0";
	const char *flag;

	seg->is_value = true;
	seg->width = seg->precision = -1;
	while (*s < end && (flag = strchr(flags, **s)) && *flag) {
		seg->flags |= (uint8_t)(1u << (flag - flags));
		(*s)++;
	}
	if (*s < end && **s == '*') {
		if (!spec_star(s, end, args, &seg->width_arg))
			return false;
	} else if (*s < end && **s >= '1' && **s <= '9') {
		seg->width = spec_number(s, end);
	}
	if (*s < end && **s == '.') {
		(*s)++;
		if (*s < end && **s == '*') {
			if (!spec_star(s, end, args, &seg->precision_arg))
				return false;
		} else {
			seg->precision = spec_number(s, end);
		}
	}
	spec_length(seg, s, end);
	return *s < end;
}

struct print_segment *print_segments_add(struct print_segments *segments)
{
	struct print_segment *seg;

	mem_grow(&segments->all, segments->nr, &segments->cap);
	seg = &segments->all[segments->nr++];
	memset(seg, 0, sizeof(*seg));
	seg->width = seg->precision = -1;
	return seg;
}
