/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PROGRAM_H
#define FTOP_PARSERS_PRINT_PROGRAM_H
/*
 * print_program - a print format compiled for one event type: a flat list of
 * instructions on raw fields, immutable, run by any thread without a lock or an
 * allocation but that of the text.
 *
 *   print_format (C's reading)           print_compile_kernel.c --.
 *   print_format_tep (libtraceevent's)   print_compile_tep.c -----+--> print_program --> print_run.c
 */
#include "parsers/print/print_format.h"
#include "parsers/print/print_format_tep.h"
#include "parsers/print/print_number.h"
#include "parsers/text/record_text_private.h"

enum print_insn_op {
	/* to the stack */
	I_PUSH,				/* imm */
	I_LOAD,				/* a number: offset, width, is_signed */
	I_ELEMENT,			/* index -> number i of a source: width, is_signed, size = bytes between elements */
	I_DYNAMIC_LEN,			/* bytes of a dynamic source */
	I_ADDRESS,			/* of the bytes in this machine's memory: libtraceevent's %p of an array */
	I_MASK,				/* & imm */
	I_FIT,				/* to width, is_signed */
	I_BINARY,			/* operator .sub, is_signed: b, a -> */
	I_UNARY,
	I_CALL,				/* a plugin's function for its value: ptr */
	I_JUMP, I_JUMP_IF_ZERO,		/* to instruction .size; the second takes its condition */
	/* to the text */
	I_TEXT,				/* ptr, size bytes */
	I_STAR,				/* takes precision and width for the spec of those that have none of their own */
	I_NUMBER,			/* spec */
	I_FIELD_DECIMAL, I_FIELD_SIGNED, I_FIELD_HEX, /* I_LOAD and I_NUMBER without anything special but: size digits at least */
	I_POINTER,			/* %p */
	I_FUNCTION,			/* %pS: .sub is its letter; .width 1: the address follows in brackets */
	I_STRING,			/* of a source up to its NUL: spec */
	I_QUOTED,			/* the same in quotes, of a probe: "(fault)" where there was none */
	I_STRING_CONST,			/* ptr, size: spec */
	I_STRING_POINTER,		/* an address that printk_formats may know */
	I_FLAGS, I_SYMBOLIC,		/* ptr: struct print_table */
	I_HEX, I_ARRAY,			/* of a source: count (and size) from the stack; .sub: without blanks */
	I_PRINT_DYNAMIC_ARRAY,		/* size from the stack */
	I_BITMASK, I_CPUMASK,		/* of a source */
	I_BITS,				/* %*pb, %*pbl: bits from the stack */
	I_MAC, I_IP4, I_IP6, I_SOCKADDR, I_UUID, /* ptr: letters behind the %p */
	I_BYTES,			/* %*ph: count from the stack */
	I_PRINT_CALL,			/* a plugin's function for what it prints */
	I_MARK, I_PAD,			/* what was added since the mark is one string: spec */
	I_RAW_FIELD,			/* ptr: struct print_raw_field */
};

struct print_insn {
	uint8_t			op;		/* enum print_insn_op */
	uint8_t			sub;
	uint8_t			width;
	bool			is_signed;
	bool			dynamic, relative; /* of a source: offset is that of its location word */
	uint32_t		offset;		/* bytes from the start of the record */
	uint32_t		size;		/* bytes of a source, 0 = to the record's end; see above */
	union {
		const void	*ptr;
		uint64_t	imm;
	};
	union {
		const struct print_spec *spec;	/* NULL: the one from the stack */
		const char	*text;
	};
};

struct print_table {			/* of __print_flags(), __print_symbolic() */
	const struct value_names *names;
	const char		*delimiter;	/* or NULL */
};

struct print_raw_field {		/* as libtraceevent prints a field without a format */
	const struct event_field *field;
	struct tep_field	tep;
	uint64_t		bit;		/* in record_text_state_arrays(), of a string */
};

#define PRINT_STACK	64
#define PRINT_COUNT	65535u		/* elements: a record with more is not for us */

struct print_program {
	bool			kernel;		/* style */
	bool			may_cut;	/* text may hold a NUL, and ends there */
	bool			remembers;	/* it has raw strings: print_program_remember() */
	enum text_era		era;
	uint32_t		room;		/* bytes that its literals and I_FIELD_… may take, all together */
	uint32_t		min_size;	/* libtraceevent takes a record for as long at least: where a field to its end begins */
	unsigned int		nr;
	const struct print_insn	*insns;		/* [nr] */
};

/* What both compilers build. */
struct print_compiler {
	struct arena		*arena;
	const struct text_context *context;
	const struct event_type	*type;
	bool			kernel;
	struct print_insn	*insns;
	unsigned int		nr, cap;
	unsigned int		depth;		/* of the stack */
	const char		*why;
	bool			may_cut;
	bool			star;		/* the segment's spec comes from the stack */
	bool			addresses;	/* functions come with their addresses */
};

struct print_insn *print_emit(struct print_compiler *c, enum print_insn_op op, int stack);	/* @stack: what it adds */
bool print_compile_fail(struct print_compiler *c, const char *what, const char *name);
void print_emit_push(struct print_compiler *c, uint64_t v);
/* A jump whose target is known later is remembered by its number, as instructions may move; it goes to what comes next. */
unsigned int print_emit_jump(struct print_compiler *c, enum print_insn_op op);
void print_land(struct print_compiler *c, unsigned int jump);
void print_emit_text(struct print_compiler *c, const char *s, size_t len);
const struct print_spec *print_make_spec(struct print_compiler *c, const struct print_segment *seg, unsigned int long_size);
void print_set_source(struct print_insn *insn, const struct event_field *f);
const struct print_table *print_make_table(struct print_compiler *c, const struct print_node *node);
const struct print_program *print_compiler_finish(struct print_compiler *c, enum text_era era); /* NULL where .why is set */

/* The code of one piece; false where .why is set. */
bool print_compile_kernel(struct print_compiler *c, const struct print_segment *seg);
bool print_compile_tep(struct print_compiler *c, const struct print_segment *seg);

/*
 * Programs of a whole format.  NULL and *why where there is none.  All live in @arena.
 */
const struct print_program *print_program_kernel(struct arena *arena, const struct text_context *context,
						 const struct event_type *type, const struct print_format *format,
						 const char **why);
const struct print_program *print_program_tep(struct arena *arena, const struct text_context *context,
					      const struct event_type *type, const struct tep_format *format,
					      const char **why);

/* report -R: all fields by name. */
const struct print_program *print_program_tep_raw(struct arena *arena, const struct text_context *context,
						  const struct event_type *type, const struct tep_format *format,
						  const char **why);

/* One field as the format shows it; libtraceevent's style falls back to the raw value. */
const struct print_program *print_program_tep_field(struct arena *arena, const struct text_context *context,
						    const struct event_type *type, const struct tep_format *format,
						    const struct event_field *field);
const struct print_program *print_program_kernel_field(struct arena *arena, const struct text_context *context,
						       const struct event_type *type, const struct print_format *format,
						       const struct event_field *field);

/* Append; false, with nothing appended, where a count in the record is out of reason. */
bool print_program_run(const struct print_program *program, const struct text_context *context,
		       const struct print_record *rec, struct text *out);

/* Append what its texts look like. */
void print_program_pattern(const struct print_program *program, struct text_pattern *pattern);

/* Note in *arrays which raw strings of the record are none; see record_text_remember(). */
void print_program_remember(const struct print_program *program, const struct text_context *context,
			    const struct print_record *rec, uint64_t *arrays);
#endif
