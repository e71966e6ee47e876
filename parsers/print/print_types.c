/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_types - C's types in print formats, and its operators on numbers. */
#include <string.h>

#include "parsers/print/kernel_constants.h"
#include "parsers/print/print_parser.h"

/* --- values ------------------------------------------------------------- */

uint64_t print_apply(enum print_op op, bool is_signed, uint64_t a, uint64_t b)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case OP_NONE:
	case OP_PLUS:
		return b;
	case OP_MUL:
		return a * b;
	case OP_DIV:
	case OP_MOD:
		if (!b)
			return 0;
		if (is_signed && b == UINT64_MAX)	/* INT64_MIN / -1 overflows */
			return op == OP_DIV ? 0 - a : 0;
		if (is_signed)
			return (uint64_t)(op == OP_DIV ? (int64_t)a / (int64_t)b :
							 (int64_t)a % (int64_t)b);
		return op == OP_DIV ? a / b : a % b;
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_SHL:
		return b < 64 ? a << b : 0;
	case OP_SHR:
		return b >= 64 ? 0 : is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
	case OP_LT:
		return less;
	case OP_GT:
		return a != b && !less;
	case OP_LE:
		return a == b || less;
	case OP_GE:
		return !less;
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_AND:
		return a & b;
	case OP_XOR:
		return a ^ b;
	case OP_OR:
		return a | b;
	case OP_LAND:
		return a && b;
	case OP_LOR:
		return a || b;
	case OP_NEG:
		return 0 - b;
	case OP_NOT:
		return !b;
	case OP_INVERT:
		return ~b;
	}
	return 0;
}

struct print_type print_type_common(struct print_type a, struct print_type b)
{
	struct print_type t = { .bytes = 4, .is_signed = true };

	if (a.is_pointer || b.is_pointer)
		return a.is_pointer ? a : b;
	if (a.bytes < 4)
		a = t;
	if (b.bytes < 4)
		b = t;
	t.bytes = a.bytes > b.bytes ? a.bytes : b.bytes;
	t.is_signed = a.bytes == b.bytes ? a.is_signed && b.is_signed :
		      a.bytes > b.bytes  ? a.is_signed :
					   b.is_signed;
	return t;
}

bool print_op_compares(enum print_op op)
{
	return (op >= OP_LT && op <= OP_NE) || op == OP_LAND || op == OP_LOR || op == OP_NOT;
}

bool print_constant(const struct print_node *node, uint64_t *value)
{
	uint64_t a = 0, b = 0;
	struct print_type t;

	switch (node->kind) {
	case NODE_NUMBER:
		*value = node->value;
		return true;
	case NODE_CAST:
		if (!print_constant(node->a, &a))
			return false;
		*value = print_fit(a, node->type.bytes, node->type.is_signed);
		return true;
	case NODE_UNARY:
	case NODE_BINARY:
		if ((node->a && !print_constant(node->a, &a)) || !print_constant(node->b, &b))
			return false;
		t = node->a ? print_type_common(node->a->type, node->b->type) : node->type;
		if (node->op == OP_SHL || node->op == OP_SHR)
			t = node->type;
		else if (!print_op_compares(node->op) || (node->op >= OP_LT && node->op <= OP_NE)) {
			a = print_fit(a, t.bytes, t.is_signed);
			b = print_fit(b, t.bytes, t.is_signed);
		}
		*value = print_fit(print_apply(node->op, t.is_signed, a, b), node->type.bytes,
				   node->type.is_signed);
		return true;
	case NODE_COND:
		if (!print_constant(node->a, &a))
			return false;
		return print_constant(a ? node->b : node->c, value);
	case NODE_NAME:
		return kernel_constant(node->text, value);
	default:
		return false;
	}
}

/* --- types -------------------------------------------------------------- */

/* The words of a type so far. */
struct type_words {
	unsigned int	longs;
	bool		any, is_unsigned, is_char, is_short, is_opaque, is_size;
	uint8_t		bytes;		/* bytes of a named type */
	bool		is_signed;
};

static bool named_type(const struct print_token *t, struct type_words *w, int long_size)
{
	static const struct {
		const char	*name;
		uint8_t		bytes;	/* 0 = long */
		bool		is_signed;
	} names[] = {
		{ "int", 4, true },	{ "bool", 1, false },	{ "_Bool", 1, false },	{ "u8", 1,
			false },
		{ "u16", 2, false },	{ "u32", 4, false },	{ "u64", 8, false },	{ "s8", 1,
			true },
		{ "s16", 2, true },	{ "s32", 4, true },	{ "s64", 8, true },	{ "__u8", 1,
			false },
		{ "__u16", 2, false },	{ "__u32", 4, false },	{ "__u64", 8, false },	{ "__s8", 1,
			true },
		{ "__s16", 2, true },	{ "__s32", 4, true },	{ "__s64", 8, true },	{ "__le16",
			2, false },
		{ "__le32", 4, false }, { "__le64", 8, false }, { "__be16", 2, false },
		{ "__be32", 4, false },
		{ "__be64", 8, false }, { "uint8_t", 1, false }, { "uint16_t", 2, false },
		{ "uint32_t", 4, false },
		{ "uint64_t", 8, false }, { "int8_t", 1, true }, { "int16_t", 2, true },
		{ "int32_t", 4, true },
		{ "int64_t", 8, true }, { "size_t", 0, false }, { "ssize_t", 0, true },
		{ "uintptr_t", 0, false },
		{ "loff_t", 8, true },	{ "pid_t", 4, true },	{ "ktime_t", 8, true },
		{ "dev_t", 4, false },
		{ "gfp_t", 4, false },	{ "pgoff_t", 0, false }, { "sector_t", 8, false },
		{ "umode_t", 2, false },
		{ "uid_t", 4, false },	{ "gid_t", 4, false },	{ "ino_t", 0,
			false },	{ "blkcnt_t", 8, false },
		{ "time64_t", 8, true }, { "dma_addr_t", 8, false }, { "phys_addr_t", 8, false },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (print_token_is(t, names[i].name)) {
			if (strcmp(names[i].name, "int") != 0) {
				w->bytes = names[i].bytes ? names[i].bytes : (uint8_t)long_size;
				w->is_signed = names[i].is_signed;
			}
			return true;
		}
	if (t->len > 2 && !memcmp(t->s + t->len - 2, "_t", 2)) {
		w->bytes = 8;
		return true;
	}
	return false;
}

/* Parse one word of a type; struct, union, enum and typeof take more. */
static bool type_word(struct print_parser *p, struct type_words *w)
{
	const struct print_token *t = &p->lexer.token;
	static const char *const qualifiers[] = { "const",   "volatile", "signed", "__user",
						  "__force", "__iomem",  "void" };

	if (t->kind != TOKEN_WORD)
		return false;
	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++)
		if (print_token_is(t, qualifiers[i])) {
			w->any |= i == 2 || i == 6;
			w->is_opaque |= i == 6;
			print_lexer_next(&p->lexer);
			return true;
		}
	if (print_token_is(t, "struct") || print_token_is(t, "union") ||
	    print_token_is(t, "enum")) {
		w->is_opaque = !print_token_is(t, "enum");
		w->any = true;
		print_lexer_next(&p->lexer);
		if (t->kind != TOKEN_WORD)
			return false;
	} else if (print_token_is(t, "unsigned")) {
		w->is_unsigned = true;
	} else if (print_token_is(t, "long")) {
		w->longs++;
	} else if (print_token_is(t, "char")) {
		w->is_char = true;
	} else if (print_token_is(t, "short")) {
		w->is_short = true;
	} else if (!named_type(t, w, p->long_size)) {
		return false;
	}
	w->any = true;
	print_lexer_next(&p->lexer);
	return true;
}

static struct print_type words_type(const struct type_words *w, int long_size)
{
	struct print_type t = { .bytes = 4, .is_signed = !w->is_unsigned };

	if (w->is_opaque)
		t.bytes = 0;
	else if (w->bytes) {
		t.bytes = w->bytes;
		t.is_signed = w->is_signed;
	} else if (w->is_char)
		t.bytes = 1;
	else if (w->is_short)
		t.bytes = 2;
	else if (w->longs)
		t.bytes = w->longs > 1 ? 8 : (uint8_t)long_size;
	t.is_text = w->is_char;
	return t;
}

bool print_parser_type(struct print_parser *p, struct print_type *type)
{
	struct print_lexer begin = p->lexer;
	struct type_words w = { 0 };
	unsigned int stars = 0;

	while (type_word(p, &w))
		;
	if (!w.any) {
		p->lexer = begin;
		return false;
	}
	*type = words_type(&w, p->long_size);
	for (;;) {
		if (print_parser_accept(p, "*"))
			stars++;
		else if (!print_parser_accept(p, "const") && !print_parser_accept(p, "__user") &&
			 !print_parser_accept(p, "__force"))
			break;
	}
	if (stars) {
		struct print_type to = *type;

		*type = (struct print_type){ .bytes = (uint8_t)p->long_size,
					     .is_pointer = true,
					     .is_text = to.is_text && stars == 1,
					     .to_bytes = stars > 1 ? (uint8_t)p->long_size :
								     to.bytes,
					     .to_signed = stars == 1 && to.is_signed };
	} else {
		type->is_text = false;
	}
	return true;
}

struct print_type print_type_of_field(const struct event_field *f, int long_size)
{
	struct print_type t = { .bytes = (uint8_t)f->size, .is_signed = f->is_signed };

	switch (f->kind) {
	case FIELD_UINT:
	case FIELD_SINT:
		break;
	case FIELD_POINTER:
		t.is_pointer = strchr(f->type, '*') != NULL;
		t.is_text = t.is_pointer && strstr(f->type, "char");
		break;
	case FIELD_STRING:
	case FIELD_ARRAY:
		t = (struct print_type){ .bytes = (uint8_t)long_size, .is_pointer = true,
					 .is_text = f->kind == FIELD_STRING,
					 .to_bytes = (uint8_t)f->element_size,
					 .to_signed = f->is_signed };
		break;
	case FIELD_BITMASK:		/* the location word itself */
	case FIELD_DYNAMIC_STRING:
	case FIELD_DYNAMIC_ARRAY:
		t.is_signed = false;
		break;
	case FIELD_OPAQUE:
		t = (struct print_type){ 0 };
		break;
	}
	return t;
}
