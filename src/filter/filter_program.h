/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_PROGRAM_H
#define FTOP_SRC_FILTER_FILTER_PROGRAM_H
/*
 * filter_program - the tests of a filter for one event type: on a record's raw bytes, joined by
 * jumps.
 *
 *   tree --filter_bind--> struct filter_bound, one per event type --filter_program--> instructions
 *
 * A comparison of a field with constants is one instruction: load, subtract, compare.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/filter/filter_pattern.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"

struct filter_name;			/* filter_names.h */
struct derived_value;			/* derived_values.h */

/* Source of a number. */
enum filter_from {
	FILTER_FROM_FIELD,		/* the record's bytes */
	FILTER_FROM_ELEMENT,		/* arg-th element of an array field */
	FILTER_FROM_CPU,
	FILTER_FROM_BUFFER,		/* index of the instance in the file, 0 = top */
	FILTER_FROM_TIME,		/* model time */
	FILTER_FROM_TGID,		/* tgid of the task at that time; may be unknown */
	FILTER_FROM_NAME,		/* a model (filter_names.h) */
};

#define FILTER_SIGNED	0x01u		/* sign-extended from its width */
#define FILTER_SWAP	0x02u		/* bytes are in the other order */

struct filter_load {
	uint8_t		 from;		/* enum filter_from */
	uint8_t		 width;		/* FIELD: bytes */
	uint8_t		 flags;
	uint16_t	 offset;	/* FIELD */
	uint32_t	 arg;		/* ELEMENT: its index */
	const struct filter_name *name;	/* NAME */
	const struct derived_value *derived;	/* NAME: the values that a pass makes; NULL: the
						 * model has a value() */
	const struct event_field *field;	/* ELEMENT */
};

enum filter_step_op {
	FILTER_PUSH_LOAD, FILTER_PUSH_CONST,
	FILTER_STEP_ADD, FILTER_STEP_SUB, FILTER_STEP_MUL, FILTER_STEP_DIV, FILTER_STEP_DIV_SIGNED,
	FILTER_STEP_MOD,
	FILTER_STEP_MOD_SIGNED, FILTER_STEP_AND, FILTER_STEP_OR, FILTER_STEP_XOR, FILTER_STEP_SHL,
	FILTER_STEP_SHR,
	FILTER_STEP_SHR_SIGNED, FILTER_STEP_NEG, FILTER_STEP_INVERT,
};
#define FILTER_MAX_STACK	96u

/* One step of an expression; works on a stack of 64-bit numbers. */
struct filter_step {
	uint8_t			op;	/* enum filter_step_op */
	struct filter_load	load;
	uint64_t		value;
};

bool filter_load_same(const struct filter_load *a, const struct filter_load *b);
bool filter_steps_same(const struct filter_step *a, const struct filter_step *b, uint32_t nr);

/* How to compare two numbers. */
enum filter_sign {
	FILTER_BOTH_SIGNED,
	FILTER_BOTH_UNSIGNED,
	FILTER_LEFT_SIGNED,
	FILTER_RIGHT_SIGNED
};

enum filter_mask_op { FILTER_MASK_ANY, FILTER_MASK_ALL, FILTER_MASK_EQUAL, FILTER_MASK_INSIDE };

struct filter_lines;			/* filter.h */

enum filter_test_kind {
	FILTER_TEST_RANGE,		/* load - lo <= span */
	FILTER_TEST_BITS,		/* load & lo */
	FILTER_TEST_SET,		/* load in a set */
	FILTER_TEST_COMPARE,		/* two expressions */
	FILTER_TEST_STRING,		/* a string field and a pattern */
	FILTER_TEST_STRINGS,		/* two string fields are equal */
	FILTER_TEST_COMM,		/* the task's name and a pattern */
	FILTER_TEST_SAVED_COMM,		/* the name in saved_cmdlines */
	FILTER_TEST_WHO,		/* a word about the task's process and a pattern: .lo
					 * is an enum filter_who; FILTER_WHO_KNOWN as .index:
					 * is it known? */
	FILTER_TEST_COMM_FIELD,		/* the task's name and a string field are equal */
	FILTER_TEST_TEXT,		/* the rendered line and a pattern */
	FILTER_TEST_BYTES,		/* the record's bytes and a pattern:
					   may a string in them match? */
	FILTER_TEST_ARRAY,		/* any element is in a set */
	FILTER_TEST_MASK,		/* a bitmask field and a set of numbers */
	FILTER_TEST_HEX,		/* a number as text, "0x1f", and a pattern */
	FILTER_TEST_SHOWN,		/* a field as its print format shows it,
					   "GFP_KERNEL|__GFP_ZERO", and a pattern */
	FILTER_TEST_WITHIN,		/* the record is within a call of some functions:
					 * load.derived */
	FILTER_TEST_STACK,		/* any address of a stack record is in a set */
	FILTER_TEST_DESCRIBED,		/* a value that the record describes: its text and a
					 * pattern, or, if .index is FILTER_NO_PATTERN, its number
					 * and .number */
	/* Not for records: only for pages, streams and other rows */
	FILTER_TEST_PART,		/* the lines of the page, of a text, and a pattern */
	FILTER_TEST_TYPES,		/* the event's type is one of a scope's */
	FILTER_TEST_LOST,
	FILTER_TEST_UNKNOWN,
};

#define FILTER_WHO_KNOWN	UINT32_MAX
#define FILTER_NO_PATTERN	UINT32_MAX

enum filter_part_known { FILTER_PART_UNKNOWN, FILTER_PART_HAS_NOT, FILTER_PART_HAS };

struct filter_test {
	enum filter_test_kind	 kind;
	struct filter_load	 load;
	uint64_t		 lo, span;
	uint32_t		 index;		/* SET, ARRAY, MASK, STACK: of a set; STRING…: of
						 * a pattern; TYPES: of a scope */
	const struct event_field *field, *other;	/* STRING, STRINGS, SHOWN,
							   ARRAY, MASK, STACK */
	const struct event_type	*type;			/* SHOWN, DESCRIBED */
	const char		*described;		/* DESCRIBED: the name */
	long double		 number;
	/* COMPARE: steps of both sides, one after the other, owned by the arena */
	enum filter_op		 op;
	enum filter_sign	 sign;
	enum filter_mask_op	 mask_op;
	const struct filter_step *steps;
	uint32_t		 nr_steps;
	bool			 swap;
	bool			 negate;	/* SET, RANGE, DESCRIBED: invert the result if
						 * the number, or the text, exists */
	const struct filter_lines *lines;		/* TEXT: lines other than the kernel's,
							 * or NULL */
	uint8_t			 long_size;	/* MASK */
	atomic_uchar		*parts;		/* PART: what is known of each part of the file's
						 * text, enum filter_part_known; owned by the arena,
						 * for all threads */
};

enum filter_bound_kind {
	FILTER_BOUND_FALSE,
	FILTER_BOUND_TRUE,
	FILTER_BOUND_AND,
	FILTER_BOUND_OR,
	FILTER_BOUND_NOT,
	FILTER_BOUND_TEST
};

/* An expression bound to one event type; FALSE and TRUE only at the top. */
struct filter_bound {
	enum filter_bound_kind	 kind;
	const struct filter_bound *a, *b;
	struct filter_test	 test;
};

extern const struct filter_bound filter_bound_false, filter_bound_true;
const struct filter_bound *filter_bound_and(struct arena *arena, const struct filter_bound *a,
					    const struct filter_bound *b);
const struct filter_bound *filter_bound_or(struct arena *arena, const struct filter_bound *a,
					   const struct filter_bound *b);
const struct filter_bound *filter_bound_not(struct arena *arena, const struct filter_bound *a);
const struct filter_bound *filter_bound_test(struct arena *arena, const struct filter_test *test);

/* --- instructions ------------------------------------------------------------- */

#define FILTER_YES	0xffffffffu	/* jump target: the record matches */
#define FILTER_NO	0xfffffffeu
#define FILTER_MAX_INSNS 0x1000000u	/* for all event types of a file */

enum filter_insn_op {
	/* fields in host order, by width */
	FILTER_INSN_RANGE1, FILTER_INSN_RANGE2, FILTER_INSN_RANGE4, FILTER_INSN_RANGE8,
	/* and sign-extended */
	FILTER_INSN_RANGE1S, FILTER_INSN_RANGE2S, FILTER_INSN_RANGE4S,
	FILTER_INSN_BITS1, FILTER_INSN_BITS2, FILTER_INSN_BITS4, FILTER_INSN_BITS8,
	FILTER_INSN_TIME,
	/* anything else: *test */
	FILTER_INSN_TEST,
};

struct filter_insn {
	uint8_t		 op;		/* enum filter_insn_op */
	uint16_t	 offset;
	uint32_t	 yes, no;	/* next instruction */
	uint64_t	 lo, span;
	const struct filter_test *test;
};

/* Programs of all event types of a file, in one array. */
struct filter_code {
	struct filter_insn	*insns;		/* owned */
	unsigned int		 nr, cap;
};

#define FILTER_ENTRY_ALWAYS	FILTER_YES
#define FILTER_ENTRY_NEVER	FILTER_NO

/*
 * Append the program of a tree; its tests are borrowed from the arena.  Return: its first
 * instruction, NEVER or ALWAYS; *full: there are too many.
 */
uint32_t filter_code_add(struct filter_code *code, const struct filter_bound *bound, bool *full);
void filter_code_fini(struct filter_code *code);

/* --- ranges ------------------------------------------------------------------- */

/*
 * The whole test of a record, for callers that look at every record of a file: filter_run_match()
 * without a call.
 */
struct filter_range {
	uint64_t	lo, span;	/* from lo to lo + span, modulo 2^64 */
	uint16_t	offset;		/* where the number is in the payload */
	uint8_t		width;		/* bytes, in this machine's order: 1, 2, 4, 8 */
	bool		is_signed;	/* sign-extended */
};

static inline bool filter_range_has(const struct filter_range *range, const uint8_t *data,
				    uint32_t size)
{
	uint64_t v = field_load(data, size, range->offset, range->width, false);

	if (range->is_signed)
		v = (uint64_t)field_sign(v, range->width);
	return v - range->lo <= range->span;
}

/* --- sets ------------------------------------------------------------------------ */

struct filter_set {			/* ranges, ascending, not touching; unsigned */
	struct filter_part {
		uint64_t	lo, hi;	/* both included */
	}		*parts;		/* owned, [nr] */
	unsigned int	 nr, cap;
};

void filter_set_add(struct filter_set *set, uint64_t lo, uint64_t hi);
void filter_set_sort(struct filter_set *set);	/* call it after all are added */
void filter_set_copy(struct filter_set *to, const struct filter_set *set);	/* @to: zeroed */
bool filter_set_same(const struct filter_set *a, const struct filter_set *b);
void filter_set_fini(struct filter_set *set);

static inline bool filter_set_has(const struct filter_set *set, uint64_t v)
{
	unsigned int first = bisect(set->nr, i, set->parts[i].hi < v);

	return first < set->nr && set->parts[first].lo <= v;
}
#endif
