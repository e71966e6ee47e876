/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/kernel/kernel_fields.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "parsers/types/field.h"

struct fields {
	const struct kernel_text *kt;
	const struct kallsyms	*syms;
	const struct print_record *rec;
	bool			 swap, long_64;
	struct text		*out;
};

/* As the kernel's filters sort types: filter_assign_type(). */
enum field_words { KIND_STATIC, KIND_DYNAMIC, KIND_POINTER, KIND_MASK, KIND_OTHER };

static enum field_words kind_of(const struct event_field *f)
{
	bool has_char = strstr(f->type, "char");

	if (f->is_dynamic && strstr(f->type, "cpumask_t"))
		return KIND_MASK;
	if (f->is_dynamic)
		return has_char ? KIND_DYNAMIC : KIND_OTHER;
	if (has_char && strchr(f->type, '['))
		return KIND_STATIC;
	return !strcmp(f->type, "char *") || !strcmp(f->type, "const char *") ? KIND_POINTER :
										KIND_OTHER;
}

/* The bytes of a dynamic field.  NULL: they are not in the record; then the text says so. */
static const uint8_t *dynamic(const struct fields *p, const struct event_field *f, uint32_t *len)
{
	uint32_t word = (uint32_t)field_u64(f, p->rec->data, p->rec->size, p->swap);
	uint32_t at = word & 0xffff;

	*len = word >> 16;
	if (f->is_relative)
		at += f->offset + 4u;
	if (at + *len <= p->rec->size)
		return p->rec->data + at;
	text_add(p->out, "<OVERFLOW>");
	return NULL;
}

static bool is_shown(uint8_t c)
{
	return c >= ' ' && c < 0x7f;
}

/* Bytes that cannot be printed are dots, and all follow in hexadecimal. */
static void add_dynamic(const struct fields *p, const struct event_field *f)
{
	uint32_t len, bad = 0;
	const uint8_t *s = dynamic(p, f, &len);

	for (uint32_t i = 0; s && i < len; i++)
		bad += s[i] && !is_shown(s[i]);
	if (s && !bad)
		text_bytes(p->out, (const char *)s, strnlen((const char *)s, len));
	if (!s || !bad)
		return;
	for (uint32_t i = 0; i < len; i++)
		text_char(p->out, is_shown(s[i]) ? (char)s[i] : '.');
	text_add(p->out, " (");
	/* %02x of a char: of those above 127, all bits */
	for (uint32_t i = 0; i < len; i++)
		text_printf(p->out, "%s%02x", i ? ":" : "", (unsigned int)(int8_t)s[i]);
	text_char(p->out, ')');
}

static void add_array(const struct fields *p, const struct event_field *f)
{
	uint32_t len;
	const uint8_t *s = dynamic(p, f, &len);

	for (uint32_t i = 0; s && i < len; i++)
		text_printf(p->out, "%s%02x", i ? "," : "", s[i]);
}

/* Some events have offsets from the beginning of the kernel's code. */
static void add_offset(const struct fields *p, const struct event_field *f, uint64_t v)
{
	uint64_t text;

	if ((strcmp(f->name, "caller_offs") && strcmp(f->name, "parent_offs")) ||
	    !kallsyms_address(p->syms, "_stext", &text))
		return;
	kernel_text_symbol(p->kt, text + v, true, p->out);
	text_char(p->out, ' ');
}

static void add_number(const struct fields *p, const struct event_field *f)
{
	uint64_t v = field_u64(f, p->rec->data, p->rec->size, p->swap);

	switch (f->size) {
	case 1:
		v &= 0xff;
		if (is_shown((uint8_t)v))
			text_printf(p->out, "'%c'", (int)v);
		text_printf(p->out, "(%d)", (int)v);
		break;
	case 2:
		v &= 0xffff;
		text_printf(p->out, "0x%x (%d)", (unsigned int)v, (int)v);
		break;
	case 4:
		v &= 0xffffffff;
		add_offset(p, f, v);
		if (p->long_64)
			text_printf(p->out, "0x%x", (unsigned int)v);
		else
			kernel_text_symbol(p->kt, v, true, p->out);
		text_printf(p->out, " (%d)", (int)(uint32_t)v);
		break;
	case 8:
		if (p->long_64)
			kernel_text_symbol(p->kt, v, true, p->out);
		else
			text_printf(p->out, "0x%" PRIx64, v);
		text_printf(p->out, " (%" PRId64 ")", (int64_t)v);
		break;
	default:
		text_add(p->out, "<INVALID-SIZE>");
	}
}

static void add_field(const struct fields *p, const struct event_field *f)
{
	const char *s = (const char *)p->rec->data + f->offset;

	text_printf(p->out, " %s=", f->name);
	if ((uint32_t)f->offset + f->size > p->rec->size) {
		text_add(p->out, "<OVERFLOW>");
		return;
	}
	switch (kind_of(f)) {
	case KIND_STATIC:
		text_bytes(p->out, s, strnlen(s, f->size));
		break;
	case KIND_DYNAMIC:
		add_dynamic(p, f);
		break;
	case KIND_POINTER:
		text_add(p->out, "(?)");
		break;
	case KIND_MASK:
		text_add(p->out, "<INVALID-TYPE>");
		break;
	case KIND_OTHER:
		if (f->is_dynamic)
			add_array(p, f);
		else
			add_number(p, f);
		break;
	}
}

void kernel_fields_add(const struct kernel_text *kt, const struct kallsyms *syms, bool swap,
		       int long_size, const struct print_record *rec, struct text *out)
{
	const struct fields p = { .kt = kt, .syms = syms, .rec = rec, .swap = swap,
				  .long_64 = long_size == 8, .out = out };
	const struct event_type *type = rec->type;

	/* the kernel does not find its own types here: they are in another list */
	if (!strcmp(type->system, "ftrace")) {
		text_printf(out, "UNKNOWN TYPE %d\n", type->id);
		return;
	}
	text_printf(out, "%s:", type->name);
	for (unsigned int i = type->nr_common; i < type->nr_fields && !text_is_full(out); i++)
		add_field(&p, &type->fields[i]);
	text_add(out, type->nr_fields > type->nr_common ? "\n" : "No fields found\n");
}
