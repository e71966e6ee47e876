/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PRINT_PROGRAM_H
#define FTOP_PARSERS_PRINT_PRINT_PROGRAM_H
/*
 * print_program - a print format compiled for one event type: a flat list of instructions on raw
 * fields.  Immutable; any thread may run it, without locks, and without allocations except for the
 * text.
 *
 *   print_format (C's reading)          print_compile_kernel.c --.
 *   print_format_tep (libtraceevent's)  print_compile_tep.c -----+-> print_program -> print_run.c
 */
#include "parsers/print/print_format.h"
#include "parsers/print/print_format_tep.h"
#include "parsers/print/print_number.h"
#include "parsers/print/text_context.h"
#include "parsers/print/text_pattern.h"

enum print_insn_op {
	/* Push on the stack */
	I_PUSH,				/* imm */
	I_LOAD,				/* a number: offset, width, is_signed */
	I_ELEMENT,			/* index -> element i of a source: width, is_signed, size
					 * = bytes between elements */
	I_DYNAMIC_LEN,			/* bytes of a dynamic source */
	I_ADDRESS,			/* where a source's bytes are in our memory: libtraceevent's
					 * %p of an array */
	I_MASK,				/* & imm */
	I_FIT,				/* truncate to width, is_signed */
	I_BINARY,			/* operator .sub, is_signed; takes b and a */
	I_UNARY,
	I_CALL,				/* value of a plugin's function: ptr */
	I_JUMP, I_JUMP_IF_ZERO,		/* to instruction .size; the second pops its condition */
	/* Append to the text */
	I_TEXT,				/* ptr, size bytes */
	I_STAR,				/* pops precision and width for instructions without a
					 * spec */
	I_NUMBER,			/* spec */
	I_FIELD_DECIMAL, I_FIELD_SIGNED, I_FIELD_HEX, /* I_LOAD and I_NUMBER in one; size:
						       * minimum of digits */
	I_POINTER,			/* %p */
	I_FUNCTION,			/* %pS: .sub is its letter; .width 1: append the address
					 * in brackets */
	I_STRING,			/* a source up to its NUL: spec */
	I_QUOTED,			/* a probe's string in quotes; "(fault)" if there is none */
	I_STRING_CONST,			/* ptr, size: spec */
	I_STRING_POINTER,		/* an address: printk_formats may have the string */
	I_FLAGS, I_SYMBOLIC,		/* ptr: the call's struct print_node, for its names */
	I_HEX, I_ARRAY,			/* bytes from a source; their count (and size) from
					 * the stack; .sub: printed without blanks */
	I_PRINT_DYNAMIC_ARRAY,		/* size from the stack */
	I_BITMASK, I_CPUMASK,		/* a source */
	I_BITS,				/* %*pb, %*pbl: bits from the stack */
	I_MAC, I_IP4, I_IP6, I_SOCKADDR, I_UUID, /* ptr: letters after the %p */
	I_BYTES,			/* %*ph: count from the stack */
	I_PRINT_CALL,			/* the text that a plugin's function prints */
	I_MARK, I_PAD,			/* format the text since the mark as one string: spec */
	I_RAW_FIELD,			/* ptr: struct print_raw_field */
};

struct print_insn {
	uint8_t			op;		/* enum print_insn_op */
	uint8_t			sub;
	uint8_t			width;
	bool			is_signed;
	bool			dynamic, relative; /* source: offset is the location word's */
	uint32_t		offset;		/* bytes from the start of the record */
	uint32_t		size;		/* bytes of a source, 0 = up to the record's end;
						 * see above */
	union {
		const void	*ptr;
		uint64_t	imm;
	};
	const struct print_spec	*spec;		/* NULL: take it from the stack */
};

struct print_raw_field {		/* a field without a format, as libtraceevent prints it */
	const struct event_field *field;
	struct tep_field	tep;
	uint64_t		bit;		/* in record_text_state_arrays(), of a string */
};

#define PRINT_STACK	64
/* elements at most; a record with more is left to the library */
#define PRINT_COUNT	65535u

struct print_program {
	bool			kernel;		/* style */
	bool			may_cut;	/* the text may contain a NUL, and ends there */
	bool			remembers;	/* contains raw strings: call
						 * print_program_remember() */
	enum text_era		era;
	uint32_t		room;		/* bytes that its literals and I_FIELD_… can take
						 * in total */
	uint32_t		min_size;	/* libtraceevent's minimum record size: the
						 * offset of a field that reaches to the end */
	unsigned int		nr;
	const struct print_insn	*insns;		/* [nr] */
};

/* State of both compilers. */
struct print_compiler {
	struct arena		*arena;
	const struct text_context *context;
	const struct event_type	*type;
	bool			kernel;
	struct print_insn	*insns;
	unsigned int		nr, cap;
	unsigned int		depth;		/* values on the stack */
	bool			failed;
	bool			may_cut;
	bool			star;		/* the segment's spec is on the stack */
	bool			addresses;	/* show functions with their addresses */
};

/* @stack: change of its depth */
struct print_insn *print_emit(struct print_compiler *c, enum print_insn_op op, int stack);
bool print_compile_fail(struct print_compiler *c);	/* sets .failed.  Returns false */
void print_emit_push(struct print_compiler *c, uint64_t v);
/*
 * Emit a jump whose target is not known yet.  Return: its number, because instructions may move.
 * print_land() makes it lead to the next instruction.
 */
unsigned int print_emit_jump(struct print_compiler *c, enum print_insn_op op);
void print_land(struct print_compiler *c, unsigned int jump);
void print_emit_text(struct print_compiler *c, const char *s, size_t len);
const struct print_spec *print_make_spec(struct print_compiler *c, const struct print_segment *seg);
/* Emit an instruction whose source is the field. */
struct print_insn *print_emit_source(struct print_compiler *c, enum print_insn_op op, int stack,
				     const struct event_field *f);
/* Emit a load of the field's number; false, with nothing emitted, if it is none. */
bool print_emit_load(struct print_compiler *c, const struct event_field *f, bool is_signed);
const struct print_program *print_compiler_finish(struct print_compiler *c); /* NULL if it failed */

/* Compile a whole format.  NULL if that is not possible.  The result is in @arena. */
const struct print_program *print_program_kernel(struct arena *arena,
						 const struct text_context *context,
						 const struct event_type *type,
						 const struct print_format *format);
const struct print_program *print_program_tep(struct arena *arena,
					      const struct text_context *context,
					      const struct event_type *type,
					      const struct tep_format *format);

/* report -R: all fields by name. */
const struct print_program *print_program_tep_raw(struct arena *arena,
						  const struct text_context *context,
						  const struct event_type *type,
						  const struct tep_format *format);

/* Compile one field as the format shows it; libtraceevent's style falls back to the raw value. */
const struct print_program *print_program_tep_field(struct arena *arena,
						    const struct text_context *context,
						    const struct event_type *type,
						    const struct tep_format *format,
						    const struct event_field *field);
const struct print_program *print_program_kernel_field(struct arena *arena,
						       const struct text_context *context,
						       const struct event_type *type,
						       const struct print_format *format,
						       const struct event_field *field);

/* Append the text; false, with nothing appended, if a count in the record is unreasonable. */
bool print_program_run(const struct print_program *program, const struct text_context *context,
		       const struct print_record *rec, struct text *out);

/* Append the pattern of the program's texts. */
void print_program_pattern(const struct print_program *program, struct text_pattern *pattern);

/* Record in *arrays which raw strings of the record are not text; see record_text_remember(). */
void print_program_remember(const struct print_program *program, const struct text_context *context,
			    const struct print_record *rec, uint64_t *arrays);
#endif
