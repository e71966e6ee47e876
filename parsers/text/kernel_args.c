/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/text/kernel_args.h"

#include <inttypes.h>

#include "parsers/text/kernel_text_private.h"

#define ENUM_NAMES_SINCE (7u << 16)	/* releases from this one on name the values of enums */

struct kernel_args {
	const struct kernel_text *kt;
	const uint8_t		*regs;
	uint32_t		 size;
	struct text		*out;
};

static uint64_t reg_at(const struct kernel_args *a, unsigned int i)
{
	uint32_t size = (uint32_t)a->kt->long_size;

	return field_load(a->regs, a->size, i * size, size, a->kt->swap);
}

/* A struct passed by value takes several registers. */
static unsigned int add_compound(const struct kernel_args *a, const struct btf_argument *arg,
				 unsigned int reg)
{
	uint32_t size = (uint32_t)a->kt->long_size;

	text_printf(a->out, "(%s)[0x%" PRIx64, arg->what, reg_at(a, reg));
	for (uint32_t done = size; done < arg->size; done += size) {
		text_char(a->out, ':');
		if (++reg == KERNEL_ARGS_MAX) {
			text_add(a->out, "...");
			break;
		}
		text_printf(a->out, "0x%" PRIx64, reg_at(a, reg));
	}
	text_char(a->out, ']');
	return reg;
}

static void add_signed(const struct kernel_args *a, uint64_t value)
{
	text_printf(a->out, "%" PRId64, a->kt->long_size == 4 ? (int32_t)value : (int64_t)value);
}

static void add_enum(const struct kernel_args *a, const struct btf_argument *arg, uint64_t value)
{
	const char *name = a->kt->release >= ENUM_NAMES_SINCE ?
				   btf_enum_name(a->kt->options.btf, arg, (int64_t)value) :
				   NULL;

	add_signed(a, value);
	if (name)
		text_printf(a->out, " [%s]", name);
}

/* Return: the last register used. */
static unsigned int add_one(const struct kernel_args *a, const struct btf_argument *arg,
			    unsigned int reg)
{
	uint64_t value = reg_at(a, reg);

	text_printf(a->out, "%s=", arg->name);
	switch (arg->kind) {
	case BTF_UNKNOWN:
		text_printf(a->out, "?0x%" PRIx64, value);
		break;
	case BTF_POINTER:
	case BTF_UNSIGNED:
		text_printf(a->out, "0x%" PRIx64, value);
		break;
	case BTF_SIGNED:
		add_signed(a, value);
		break;
	case BTF_ENUM:
		add_enum(a, arg, value);
		break;
	case BTF_COMPOUND:
		return add_compound(a, arg, reg);
	}
	return reg;
}

static void add_named(const struct kernel_args *a, const char *function)
{
	struct btf_argument list[KERNEL_ARGS_MAX];
	int nr = btf_arguments(a->kt->options.btf, function, BTF_FIRST, list, KERNEL_ARGS_MAX);
	unsigned int reg = 0;

	for (int i = 0; i < nr; i++, reg++) {
		if (i)
			text_add(a->out, ", ");
		if (reg >= KERNEL_ARGS_MAX || i >= KERNEL_ARGS_MAX) {
			text_add(a->out, "...");
			break;
		}
		reg = add_one(a, &list[i], reg);
		if (reg >= KERNEL_ARGS_MAX)
			break;
	}
}

void kernel_args_add(const struct kernel_text *kt, uint64_t function, const uint8_t *regs,
		     uint32_t size, struct text *out)
{
	struct kernel_args a = { .kt = kt, .regs = regs, .size = size, .out = out };
	struct kallsyms_symbol s;

	text_char(out, '(');
	if (!kt->options.btf)
		for (unsigned int i = 0; i < KERNEL_ARGS_MAX; i++)
			text_printf(out, i ? ", 0x%" PRIx64 : "0x%" PRIx64, reg_at(&a, i));
	else if (kallsyms_find(kt->syms, function, &s))
		add_named(&a, s.name);
	text_char(out, ')');
}
