/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_compile - what the compilers of both styles share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/print_program.h"

bool print_compile_fail(struct print_compiler *c, const char *what, const char *name)
{
	char buf[160];
	int len;

	if (c->why)
		return false;
	len = snprintf(buf, sizeof(buf), "%s%s%.80s", what, name ? ": " : "", name ? name : "");
	c->why = arena_strndup(c->arena, buf, len < (int)sizeof(buf) ? (size_t)len : sizeof(buf) - 1);
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
		print_compile_fail(c, "too deep", NULL);
	return insn;
}

void print_emit_push(struct print_compiler *c, uint64_t v)
{
	print_emit(c, I_PUSH, 1)->imm = v;
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

const struct print_spec *print_make_spec(struct print_compiler *c, const struct print_segment *seg, unsigned int long_size)
{
	static const uint8_t bytes[] = { [LENGTH_INT] = 4, [LENGTH_CHAR] = 1, [LENGTH_SHORT] = 2, [LENGTH_LONG_LONG] = 8 };
	struct print_spec *spec = arena_alloc(c->arena, sizeof(*spec));

	spec->conversion = seg->conversion;
	spec->flags = seg->flags;
	spec->bytes = seg->length == LENGTH_LONG ? (uint8_t)long_size : bytes[seg->length];
	spec->kernel = c->kernel;
	spec->width = seg->width;
	spec->precision = seg->precision;
	return spec;
}

const struct print_table *print_make_table(struct print_compiler *c, const struct print_node *node)
{
	struct print_table *table = arena_alloc(c->arena, sizeof(*table));

	table->names = node->names;
	table->delimiter = node->delimiter;
	return table;
}

void print_set_source(struct print_insn *insn, const struct event_field *f)
{
	insn->offset = f->offset;
	insn->size = f->size;
	insn->dynamic = f->is_dynamic;
	insn->relative = f->is_relative;
}

/* A number from a field straight to the text, without a width or as %08lx: by far the most frequent piece. */
static bool join_load(const struct print_insn *load, const struct print_insn *number, struct print_insn *joined)
{
	const struct print_spec *spec = number->spec;

	if (load->op != I_LOAD || number->op != I_NUMBER || !spec || spec->precision >= 0)
		return false;
	*joined = *load;
	joined->sub = spec->bytes;
	if (spec->conversion == 'x' && spec->flags == FLAG_ZERO && spec->width <= 16) {
		joined->op = I_FIELD_HEX;
		joined->size = spec->width > 1 ? (uint32_t)spec->width : 1;
		return true;
	}
	if (spec->flags || spec->width >= 0)
		return false;
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
		joined->size = 1;
		return true;
	default:
		return false;
	}
}

static bool is_jump(const struct print_insn *insn)
{
	return insn->op == I_JUMP || insn->op == I_JUMP_IF_ZERO;
}

/* Joins neighbours, but where somebody jumps between them. */
static unsigned int join(struct print_compiler *c)
{
	uint32_t *moved = mem_array(c->nr + 1, sizeof(*moved));
	unsigned int nr = 0;

	for (unsigned int i = 0; i < c->nr; i++)
		if (is_jump(&c->insns[i]))
			moved[c->insns[i].size] = 1;
	for (unsigned int i = 0; i < c->nr; i++) {
		struct print_insn joined;
		bool join = i + 1 < c->nr && !moved[i + 1] && join_load(&c->insns[i], &c->insns[i + 1], &joined);

		moved[i] = nr;
		c->insns[nr++] = join ? joined : c->insns[i];
		i += join;
	}
	moved[c->nr] = nr;
	for (unsigned int i = 0; i < nr; i++)
		if (is_jump(&c->insns[i]))
			c->insns[i].size = moved[c->insns[i].size];
	free(moved);
	return nr;
}

/* Literals are copied 16 bytes at a time: each gets a place that is as long. */
static void round_literals(struct print_compiler *c, struct print_insn *insns, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		char *copy;

		if (insns[i].op != I_TEXT)
			continue;
		copy = arena_alloc(c->arena, (insns[i].size + 15) / 16 * 16);
		memcpy(copy, insns[i].ptr, insns[i].size);
		insns[i].ptr = copy;
	}
}

const struct print_program *print_compiler_finish(struct print_compiler *c, enum text_era era)
{
	struct print_program *program = NULL;
	struct print_insn *insns;

	if (!c->why) {
		program = arena_alloc(c->arena, sizeof(*program));
		program->nr = join(c);
		insns = arena_alloc(c->arena, (program->nr + 1) * sizeof(*insns));
		if (program->nr)
			memcpy(insns, c->insns, program->nr * sizeof(*insns));
		round_literals(c, insns, program->nr);
		program->insns = insns;
		program->kernel = c->kernel;
		program->may_cut = c->may_cut;
		program->era = era;
		for (unsigned int i = 0; i < program->nr; i++)
			program->remembers |= insns[i].op == I_RAW_FIELD &&
					      ((const struct print_raw_field *)insns[i].ptr)->tep.is_string;
		for (unsigned int i = 0; !c->kernel && i < c->type->nr_fields; i++)
			if (!c->type->fields[i].size && c->type->fields[i].offset > program->min_size)
				program->min_size = c->type->fields[i].offset;
	}
	free(c->insns);
	return program;
}
