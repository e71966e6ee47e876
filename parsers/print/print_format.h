/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_FORMAT_H
#define FTOP_PARSERS_PRINT_FORMAT_H
/*
 * print_format - an event's "print fmt" as a tree: the pieces of its format string,
 * and for each conversion the C expression of its argument.
 *
 * There are two readings of the same text.  C's own is the kernel's (print_format.c,
 * print_expression.c).  libtraceevent's takes words and operators its own way, knows
 * no types and refuses more (print_format_tep.c).  Both give trees of the same nodes;
 * what these mean for a record is print_program's.
 *
 * Formats come from files: depth and size of a tree are bounded.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "parsers/types/event_types.h"
#include "src/base/memory.h"

#define PRINT_FORMAT_TEXT	(256u << 10)	/* bytes of a text */
#define PRINT_FORMAT_DEPTH	100u		/* of brackets and operators in each other */
#define PRINT_FORMAT_NODES	60000u
#define PRINT_FORMAT_ARGS	200u		/* conversions of a format */

struct value_names;			/* record_text.h */

enum print_node_kind {
	NODE_NUMBER,
	NODE_STRING,			/* "text"; libtraceevent: any word, number or literal */
	NODE_NAME,			/* a kernel symbol, or a constant whose value the format does not tell */
	NODE_FIELD,			/* REC->name */
	NODE_UNARY,
	NODE_BINARY,
	NODE_COND,			/* a ? b : c */
	NODE_INDEX,			/* a[b] */
	NODE_DEREF,			/* *a */
	NODE_ADDRESS,			/* &a */
	NODE_CAST,
	NODE_CALL,
};

enum print_op {
	OP_NONE,
	OP_MUL, OP_DIV, OP_MOD, OP_ADD, OP_SUB, OP_SHL, OP_SHR, OP_LT, OP_GT, OP_LE, OP_GE, OP_EQ, OP_NE,
	OP_AND, OP_XOR, OP_OR, OP_LAND, OP_LOR,
	OP_NEG, OP_NOT, OP_INVERT, OP_PLUS,	/* of one operand */
};

enum print_call {
	CALL_FUNCTION,			/* another: node.text is its name */
	CALL_FLAGS,			/* a: value; names, delimiter */
	CALL_SYMBOLIC,			/* a: value; names */
	CALL_HEX, CALL_HEX_STR,		/* a: bytes, b: length */
	CALL_ARRAY,			/* a: elements, b: count, c: bytes of one */
	CALL_PRINT_DYNAMIC_ARRAY,	/* field, b: bytes of one */
	CALL_HEX_DUMP,			/* its arguments in a list from a on */
	CALL_STR, CALL_DYNAMIC_ARRAY, CALL_DYNAMIC_ARRAY_LEN, CALL_BITMASK, CALL_CPUMASK, CALL_SOCKADDR, /* field */
	CALL_NS_TO_SECS, CALL_NS_WITHOUT_SECS, /* a */
};

struct print_type {			/* of a C expression */
	uint8_t		bytes;		/* of a number or what a pointer takes; 0 = not a number */
	bool		is_signed;
	bool		is_pointer;
	bool		is_text;	/* char * or char[] */
	uint8_t		to_bytes;	/* of what is pointed to; 0 = unknown */
	bool		to_signed;
};

struct print_node {
	enum print_node_kind	kind;
	enum print_op		op;
	enum print_call		call;
	struct print_type	type;
	unsigned int		height;		/* of the tree below, at least 1 */
	unsigned int		size;		/* nodes of it; what stands at two places counts twice */
	uint64_t		value;		/* NODE_NUMBER; CALL_STR: which string of the field's */
	const char		*text;		/* of strings, names, functions; a cast's type; NUL-ended */
	const struct event_field *field;
	const struct value_names *names;
	const char		*delimiter;	/* of flags */
	struct print_node	*a, *b, *c;
	struct print_node	*next;		/* in lists of arguments */
};

enum print_length { LENGTH_INT, LENGTH_CHAR, LENGTH_SHORT, LENGTH_LONG, LENGTH_LONG_LONG };

#define FLAG_LEFT	1u
#define FLAG_PLUS	2u
#define FLAG_SPACE	4u
#define FLAG_ALTERNATE	8u
#define FLAG_ZERO	16u

struct print_segment {
	bool			is_value;	/* else text */
	const char		*text;		/* literal text with its escapes done, or the conversion as it is written */
	uint32_t		len;
	char			conversion;	/* d i u x X o c s p */
	char			extension[8];	/* behind %p: "S", "I6c"; "" = none */
	enum print_length	length;
	uint8_t			flags;
	int			width, precision; /* -1 = none */
	struct print_node	*width_arg, *precision_arg; /* of "*", or NULL */
	struct print_node	*arg;
};

struct print_format {
	const char		*why;		/* what could not be read (borrowed from the arena), or NULL */
	unsigned int		nr;
	const struct print_segment *segments;	/* [nr] */
};

/* Parse type->print_fmt as C.  All lives in @arena.  A format that cannot be read has .why set and no segments. */
struct print_format *print_format_parse(struct arena *arena, const struct event_type *type, int long_size);

/* A value of these bytes: cut off and extended as its type says. */
static inline uint64_t print_fit(uint64_t v, unsigned int bytes, bool is_signed)
{
	switch (bytes) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2:
		return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4:
		return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	default:
		return v;
	}
}

/* One operator on 64 bits; OP_NEG and its kin take @b.  Division by zero and too far shifts give 0. */
uint64_t print_apply(enum print_op op, bool is_signed, uint64_t a, uint64_t b);

/* In which type an operator computes: C's usual conversions.  Shifts take that of their left side. */
struct print_type print_type_common(struct print_type a, struct print_type b);

/* The value of an expression of numbers alone. */
bool print_constant(const struct print_node *node, uint64_t *value);
#endif
