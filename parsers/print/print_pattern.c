/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_pattern - the pattern of a program's texts (text_pattern.h). */
#include <stdlib.h>
#include <string.h>

#include "parsers/print/print_program.h"
#include "parsers/print/text_pattern.h"
#include "src/base/memory.h"
#include "src/base/text.h"

static bool has_pad(const struct print_spec *spec)
{
	return !spec || spec->width >= 0;
}

static void add_pad(struct text_pattern *p, const struct print_spec *spec)
{
	if (has_pad(spec))
		text_pattern_chars(p, " ");
}

static void add_number(struct text_pattern *p, const struct print_spec *spec)
{
	switch (spec ? spec->conversion : 'd') {
	case 'd':
	case 'i':
	case 'u':
		text_pattern_chars(p, spec && spec->conversion == 'u' ? "0123456789 " :
									"0123456789-+ ");
		break;
	case 'o':
		text_pattern_chars(p, "01234567 ");
		break;
	case 'x':
		text_pattern_chars(p, TEXT_PATTERN_HEX " ");
		break;
	case 'X':
		text_pattern_chars(p, "0123456789ABCDEFX ");
		break;
	default:
		text_pattern_any(p);
		break;
	}
}

/* A run of the characters that occur in the names and the delimiter. */
static void add_names(struct text_pattern *p, const struct print_insn *insn)
{
	const struct print_node *table = insn->ptr;
	struct text chars = { 0 };

	text_add(&chars, TEXT_PATTERN_HEX);
	text_add(&chars, table->delimiter);
	text_add(&chars, has_pad(insn->spec) ? " " : "");
	for (unsigned int i = 0; i < table->names->nr; i++)
		text_add(&chars, table->names->names[i].name);
	text_pattern_chars(p, text_str(&chars));
	text_fini(&chars);
}

static void add_string(struct text_pattern *p, const struct print_insn *insn)
{
	add_pad(p, insn->spec);
	if (insn->op == I_STRING)
		text_pattern_hole(p, TEXT_PATTERN_STRING);
	else if (insn->spec && insn->spec->precision >= 0)
		text_pattern_any(p);
	else
		text_pattern_literal(p, insn->ptr, insn->size);
	add_pad(p, insn->spec);
}

/* Does the instruction add nothing to the text? */
static bool is_silent(const struct print_insn *insn)
{
	switch ((enum print_insn_op)insn->op) {
	case I_PUSH:
	case I_LOAD:
	case I_ELEMENT:
	case I_DYNAMIC_LEN:
	case I_ADDRESS:
	case I_MASK:
	case I_FIT:
	case I_BINARY:
	case I_UNARY:
	case I_CALL:
	case I_STAR:
	case I_MARK:
		return true;
	default:
		return false;
	}
}

static void add_insn(struct text_pattern *p, const struct print_program *program,
		     const struct print_insn *insn)
{
	switch ((enum print_insn_op)insn->op) {
	case I_TEXT:
		text_pattern_literal(p, insn->ptr, insn->size);
		break;
	case I_NUMBER:
		add_number(p, insn->spec);
		break;
	case I_FIELD_DECIMAL:
	case I_FIELD_SIGNED:
		text_pattern_chars(p, TEXT_PATTERN_NUMBER);
		break;
	case I_FIELD_HEX:
		text_pattern_chars(p, "0123456789abcdef");
		break;
	case I_POINTER:
		text_pattern_chars(p, TEXT_PATTERN_HEX "(nil)");
		break;
	case I_FUNCTION:
		text_pattern_hole(p, TEXT_PATTERN_SYMBOL);
		text_pattern_chars(p, insn->width ? TEXT_PATTERN_HEX "+ ()" : TEXT_PATTERN_HEX "+");
		if (program->kernel)	/* "[module]" may follow */
			text_pattern_any(p);
		break;
	case I_STRING:
	case I_STRING_CONST:
		add_string(p, insn);
		break;
	case I_FLAGS:
	case I_SYMBOLIC:
		add_names(p, insn);
		break;
	default:
		if (!is_silent(insn))
			text_pattern_any(p);
		break;
	}
}

/*
 * Can a pattern be made? Not if texts may be cut anywhere, if numbers of the record say how (%.*s),
 * or if a jump goes back.
 */
static bool is_simple(const struct print_program *program)
{
	for (unsigned int i = 0; i < program->nr; i++) {
		const struct print_insn *insn = &program->insns[i];
		bool jump = insn->op == I_JUMP || insn->op == I_JUMP_IF_ZERO;

		if (insn->op == I_PAD || insn->op == I_STAR || (jump && insn->size <= i))
			return false;
	}
	return true;
}

void print_program_pattern(const struct print_program *program, struct text_pattern *p)
{
	unsigned int *begins;		/* [nr] first piece of each instruction */

	if (!is_simple(program)) {
		text_pattern_any(p);
		return;
	}
	begins = mem_array(program->nr + 1, sizeof(*begins));
	for (unsigned int i = 0; i < program->nr; i++) {
		const struct print_insn *insn = &program->insns[i];

		begins[i] = text_pattern_nr(p);
		if (insn->op == I_JUMP || insn->op == I_JUMP_IF_ZERO)
			text_pattern_branch(p, insn->op == I_JUMP);
		else
			add_insn(p, program, insn);
	}
	begins[program->nr] = text_pattern_nr(p);
	for (unsigned int i = 0; i < program->nr; i++)
		if (program->insns[i].op == I_JUMP || program->insns[i].op == I_JUMP_IF_ZERO)
			text_pattern_set_target(p, begins[i], begins[program->insns[i].size]);
	free(begins);
}
