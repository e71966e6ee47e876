/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PRINT_FORMAT_H
#define FTOP_PARSERS_PRINT_PRINT_FORMAT_H
/*
 * print_format - parses an event's "print fmt" into a tree: the pieces of its format string, and
 * for each conversion the C expression of its argument.
 *
 * The text can be read in two ways.  The kernel's is C (print_format.c, print_expression.c).
 * libtraceevent has its own rules for words and operators, knows no types and rejects more
 * (print_format_tep.c).  Both produce trees of the same nodes; print_program gives them a meaning
 * for a record.
 *
 * Formats come from files: depth and size of a tree are bounded.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "parsers/types/event_types.h"
#include "src/base/memory.h"

#define PRINT_FORMAT_TEXT	(256u << 10)	/* bytes of a print format */
#define PRINT_FORMAT_DEPTH	100u		/* nesting of brackets and operators */
#define PRINT_FORMAT_NODES	60000u
#define PRINT_FORMAT_ARGS	200u		/* conversions in a format */

struct value_names;			/* record_text.h */

enum print_node_kind {
	NODE_NUMBER,
	NODE_STRING,			/* "text"; libtraceevent: any word, number or literal */
	NODE_NAME,			/* a kernel symbol, or a constant whose value is not in
					 * the format */
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
	OP_MUL, OP_DIV, OP_MOD, OP_ADD, OP_SUB, OP_SHL, OP_SHR, OP_LT, OP_GT, OP_LE, OP_GE, OP_EQ,
	OP_NE,
	OP_AND, OP_XOR, OP_OR, OP_LAND, OP_LOR,
	OP_NEG, OP_NOT, OP_INVERT, OP_PLUS,	/* with one operand */
};

enum print_call {
	CALL_FUNCTION,			/* any other function; its name is node.text */
	CALL_FLAGS,			/* a: value; names, delimiter */
	CALL_SYMBOLIC,			/* a: value; names */
	CALL_HEX, CALL_HEX_STR,		/* a: bytes, b: length */
	CALL_ARRAY,			/* a: elements, b: count, c: bytes of one */
	CALL_PRINT_DYNAMIC_ARRAY,	/* field, b: bytes of one */
	CALL_HEX_DUMP,			/* a: list of its arguments */
	/* field */
	CALL_STR, CALL_DYNAMIC_ARRAY, CALL_DYNAMIC_ARRAY_LEN, CALL_BITMASK, CALL_CPUMASK,
	CALL_SOCKADDR,
	CALL_NS_TO_SECS, CALL_NS_WITHOUT_SECS, /* a */
};

struct print_type {			/* type of a C expression */
	uint8_t		bytes;		/* bytes of the number or pointer; 0 = not a number */
	bool		is_signed;
	bool		is_pointer;
	bool		is_text;	/* char * or char[] */
	uint8_t		to_bytes;	/* size of the pointer's target; 0 = unknown */
	bool		to_signed;
};

struct print_node {
	enum print_node_kind	kind;
	enum print_op		op;
	enum print_call		call;
	struct print_type	type;
	unsigned int		height;		/* levels of this tree, at least 1 */
	unsigned int		size;		/* nodes of this tree; a shared node counts each
						 * time */
	uint64_t		value;		/* NODE_NUMBER; CALL_STR: index of the string in
						 * the field */
	const char		*text;		/* string, name, function; type of a cast;
						 * NUL-ended */
	const struct event_field *field;
	const struct value_names *names;
	const char		*delimiter;	/* between flags; "" = none */
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
	bool			is_value;	/* false: literal text */
	const char		*text;		/* literal text with escapes resolved, or the
						 * conversion as written */
	uint32_t		len;
	char			conversion;	/* d i u x X o c s p */
	char			extension[8];	/* after %p: "S", "I6c"; "" = none */
	enum print_length	length;
	uint8_t			flags;
	int			width, precision; /* -1 = none */
	struct print_node	*width_arg, *precision_arg; /* arguments for "*", or NULL */
	struct print_node	*arg;
};

struct print_format {
	bool			failed;		/* it cannot be parsed: no segments */
	unsigned int		nr;
	const struct print_segment *segments;	/* [nr] */
};

/* Parse type->print_fmt as C.  The result is in @arena. */
struct print_format *print_format_parse(struct arena *arena, const struct event_type *type,
					int long_size);

/* Truncate a value to this many bytes, and extend its sign if the type is signed. */
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

/*
 * Apply an operator to 64-bit numbers; unary operators such as OP_NEG take @b.  Division by zero
 * and excessive shifts give 0.
 */
uint64_t print_apply(enum print_op op, bool is_signed, uint64_t a, uint64_t b);

/*
 * The type in which an operator computes: C's usual conversions.  A shift has the type of its left
 * operand.
 */
struct print_type print_type_common(struct print_type a, struct print_type b);

/* Evaluate an expression of numbers.  False if it contains anything else. */
bool print_constant(const struct print_node *node, uint64_t *value);
#endif
