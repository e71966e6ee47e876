/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_compile - shared by the compilers of both styles. */
#include <stdlib.h>
#include <string.h>

#include "parsers/print/print_program.h"
#include "parsers/types/field.h"

bool print_compile_fail(struct print_compiler *c)
{
	c->failed = true;
	return false;
}

struct print_insn *print_emit(struct print_compiler *c, enum print_insn_op op, int stack)
{
	struct print_insn *insn;

	mem_grow(&c->insns, c->nr, &c->cap);
	insn = &c->insns[c->nr++];
	memset(insn, 0, sizeof(*insn));
	insn->op = (uint8_t)op;
	c->depth = (unsigned int)((int)c->depth + stack);
	if (c->depth > PRINT_STACK)
		print_compile_fail(c);
	return insn;
}

void print_emit_push(struct print_compiler *c, uint64_t v)
{
	print_emit(c, I_PUSH, 1)->imm = v;
}

unsigned int print_emit_jump(struct print_compiler *c, enum print_insn_op op)
{
	print_emit(c, op, op == I_JUMP_IF_ZERO ? -1 : 0);
	return c->nr - 1;
}

void print_land(struct print_compiler *c, unsigned int jump)
{
	c->insns[jump].size = c->nr;
}

void print_emit_text(struct print_compiler *c, const char *s, size_t len)
{
	struct print_insn *insn;

	if (!len)
		return;
	insn = print_emit(c, I_TEXT, 0);
	insn->ptr = s;
	insn->size = (uint32_t)len;
}

const struct print_spec *print_make_spec(struct print_compiler *c, const struct print_segment *seg)
{
	static const uint8_t bytes[] = {
		[LENGTH_INT] = 4, [LENGTH_CHAR] = 1, [LENGTH_SHORT] = 2, [LENGTH_LONG_LONG] = 8
	};
	struct print_spec *spec = arena_alloc(c->arena, sizeof(*spec));
	uint8_t long_size = c->kernel ? (uint8_t)c->context->long_size : 8;

	spec->conversion = seg->conversion;
	spec->flags = seg->flags;
	spec->bytes = seg->length == LENGTH_LONG ? long_size : bytes[seg->length];
	spec->kernel = c->kernel;
	spec->width = seg->width;
	spec->precision = seg->precision;
	return spec;
}

struct print_insn *print_emit_source(struct print_compiler *c, enum print_insn_op op, int stack,
				     const struct event_field *f)
{
	struct print_insn *insn = print_emit(c, op, stack);

	insn->offset = f->offset;
	insn->size = f->size;
	insn->dynamic = f->is_dynamic;
	insn->relative = f->is_relative;
	return insn;
}

bool print_emit_load(struct print_compiler *c, const struct event_field *f, bool is_signed)
{
	struct print_insn *insn;

	if (!field_is_number(f->size))
		return false;
	insn = print_emit(c, I_LOAD, 1);
	insn->offset = f->offset;
	insn->width = (uint8_t)f->size;
	insn->is_signed = is_signed;
	return true;
}

/* An array element with a constant index becomes a number at a fixed offset of the record. */
static bool join_element(const struct print_insn *index, const struct print_insn *element,
			 struct print_insn *joined)
{
	uint64_t offset;

	if (index->op != I_PUSH || element->op != I_ELEMENT || element->dynamic || !element->size ||
	    index->imm > UINT16_MAX)
		return false;
	offset = element->offset + index->imm * element->size;
	if (offset > INT32_MAX)
		return false;
	*joined = *element;
	joined->op = I_LOAD;
	joined->offset = (uint32_t)offset;
	return true;
}

/*
 * A number straight from a field to the text, without a width or as %08lx, %03d: by far the most
 * frequent case.
 */
static bool join_load(const struct print_insn *load, const struct print_insn *number,
		      struct print_insn *joined)
{
	const struct print_spec *spec = number->spec;
	bool zeros;

	if (load->op != I_LOAD || number->op != I_NUMBER || !spec || spec->precision >= 0)
		return false;
	zeros = spec->flags == FLAG_ZERO && spec->width <= 16;
	if (!zeros && (spec->flags || spec->width >= 0))
		return false;
	*joined = *load;
	joined->sub = spec->bytes;
	joined->size = spec->width > 1 ? (uint32_t)spec->width : 1;
	joined->spec = spec;
	switch (spec->conversion) {
	case 'd':
	case 'i':
		joined->op = I_FIELD_SIGNED;
		return true;
	case 'u':
		joined->op = I_FIELD_DECIMAL;
		return true;
	case 'x':
		joined->op = I_FIELD_HEX;
		return true;
	default:
		return false;
	}
}

static bool is_jump(const struct print_insn *insn)
{
	return insn->op == I_JUMP || insn->op == I_JUMP_IF_ZERO;
}

/* Join neighbouring instructions, unless a jump leads between them. */
static unsigned int join_insns(struct print_compiler *c)
{
	uint32_t *moved = mem_array(c->nr + 1, sizeof(*moved));
	unsigned int nr = 0;

	for (unsigned int i = 0; i < c->nr; i++)
		if (is_jump(&c->insns[i]))
			moved[c->insns[i].size] = 1;
	for (unsigned int i = 0; i < c->nr; i++) {
		bool is_target = moved[i];
		struct print_insn joined;

		moved[i] = nr;
		if (nr && !is_target &&
		    (join_element(&c->insns[nr - 1], &c->insns[i], &joined) ||
		     join_load(&c->insns[nr - 1], &c->insns[i], &joined)))
			c->insns[nr - 1] = joined;
		else
			c->insns[nr++] = c->insns[i];
	}
	moved[c->nr] = nr;
	for (unsigned int i = 0; i < nr; i++)
		if (is_jump(&c->insns[i]))
			c->insns[i].size = moved[c->insns[i].size];
	free(moved);
	return nr;
}

/*
 * Literals are copied 16 bytes at a time, so each gets a buffer rounded up to that.  Return: the
 * most bytes that the literals and fixed-width numbers of the program can take.
 */
static uint32_t round_literals(struct print_compiler *c, struct print_insn *insns, unsigned int nr)
{
	uint32_t room = 0;

	for (unsigned int i = 0; i < nr; i++) {
		uint32_t size = (insns[i].size + 15) / 16 * 16;
		char *copy;

		if (insns[i].op == I_FIELD_DECIMAL || insns[i].op == I_FIELD_SIGNED ||
		    insns[i].op == I_FIELD_HEX)
			room += PRINT_DIGITS;
		if (insns[i].op != I_TEXT)
			continue;
		copy = arena_alloc(c->arena, size);
		memcpy(copy, insns[i].ptr, insns[i].size);
		insns[i].ptr = copy;
		room += size;
	}
	return room;
}

const struct text_function *text_function_find(const struct text_function *functions,
					       const char *name)
{
	for (const struct text_function *f = functions; f && f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const struct print_program *print_compiler_finish(struct print_compiler *c)
{
	struct print_program *program = NULL;
	struct print_insn *insns;

	if (!c->failed) {
		program = arena_alloc(c->arena, sizeof(*program));
		program->nr = join_insns(c);
		insns = arena_copy(c->arena, c->insns, program->nr * sizeof(*insns));
		program->room = round_literals(c, insns, program->nr);
		program->insns = insns;
		program->kernel = c->kernel;
		program->may_cut = c->may_cut;
		program->era = c->context->options->era;
		for (unsigned int i = 0; i < program->nr; i++)
			program->remembers |=
				insns[i].op == I_RAW_FIELD &&
				((const struct print_raw_field *)insns[i].ptr)->tep.is_string;
		for (unsigned int i = 0; !c->kernel && i < c->type->nr_fields; i++)
			if (!c->type->fields[i].size &&
			    c->type->fields[i].offset > program->min_size)
				program->min_size = c->type->fields[i].offset;
	}
	free(c->insns);
	return program;
}
