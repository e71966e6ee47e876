/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/binary_printf.h"

#include <ctype.h>
#include <string.h>

#include "parsers/print/print_number.h"
#include "parsers/types/field.h"

#define MAX_WIDTH 1024

struct packed {
	const struct binary_printf *b;
	uint32_t	pos;
};

/* Read a number.  It is aligned to its size; one of 8 bytes, to 4. */
static uint64_t take_number(struct packed *p, unsigned int size)
{
	uint32_t align = size < 4 ? size : 4, at = (p->pos + align - 1) & ~(align - 1);

	p->pos = size > p->b->size || at > p->b->size - size ? p->b->size : at + size;
	return field_load(p->b->data, p->b->size, at, size, p->b->swap);
}

static const char *take_string(struct packed *p, size_t *len)
{
	const char *s = (const char *)p->b->data + p->pos;
	size_t left = p->b->size - p->pos;

	*len = left ? strnlen(s, left) : 0;
	p->pos += (uint32_t)(*len < left ? *len + 1 : left);
	return s;
}

static int take_width(struct packed *p, const char **f)
{
	long v = 0;

	if (**f == '*') {
		(*f)++;
		v = (int32_t)take_number(p, 4);
	} else {
		for (; isdigit((unsigned char)**f); (*f)++)
			v = v > MAX_WIDTH ? v : v * 10 + (**f - '0');
	}
	return v > MAX_WIDTH ? MAX_WIDTH : v < -MAX_WIDTH ? -MAX_WIDTH : (int)v;
}

static uint8_t take_size(const struct packed *p, const char **f)
{
	uint8_t long_size = p->b->long_size == 4 ? 4 : 8;

	switch (*(*f)++) {
	case 'h':
		if (**f != 'h')
			return 2;
		(*f)++;
		return 1;
	case 'l':
		if (**f != 'l')
			return long_size;
		(*f)++;
		return 8;
	case 'L':
		return 8;
	case 'z':
	case 'Z':
	case 't':
		return long_size;
	}
	(*f)--;
	return 4;
}

/* Parse what follows a '%'.  The conversion is '\0' at the end of the format. */
static struct print_spec take_spec(struct packed *p, const char **f)
{
	static const char flags[] = "-+ #0";
	struct print_spec spec = { .kernel = true, .width = -1, .precision = -1 };
	const char *flag;

	for (; **f && (flag = strchr(flags, **f)); (*f)++)
		spec.flags |= (uint8_t)(1u << (flag - flags));
	if (**f == '*' || isdigit((unsigned char)**f)) {
		spec.width = take_width(p, f);
		if (spec.width < 0) {
			spec.flags |= FLAG_LEFT;
			spec.width = -spec.width;
		}
	}
	if (**f == '.') {
		(*f)++;
		spec.precision = take_width(p, f);
		if (spec.precision < 0)
			spec.precision = 0;
	}
	spec.bytes = take_size(p, f);
	spec.conversion = **f;
	if (spec.conversion)
		(*f)++;
	return spec;
}

static void add_pointer(struct packed *p, const struct print_spec *spec, const char **f,
			struct text *out)
{
	char extension = **f;
	uint64_t address;
	struct text t = { 0 };

	while (isalnum((unsigned char)**f))
		(*f)++;
	if (isalnum((unsigned char)extension) && !strchr("SsxKe", extension)) {
		size_t len;
		const char *s = take_string(p, &len);

		text_bytes(out, s, len);
		return;
	}
	address = take_number(p, p->b->long_size == 4 ? 4 : 8);
	if (extension == 'S' || extension == 's')
		p->b->symbol(p->b->arg, address, extension == 'S', &t);
	else if (extension == 'x')
		text_printf(&t, "%llx", (unsigned long long)address);
	else
		text_printf(&t, "%0*llx", p->b->long_size * 2, (unsigned long long)address);
	print_string(out, spec, text_str(&t), t.len);
	text_fini(&t);
}

void binary_printf(const struct binary_printf *b, const char *format, struct text *out)
{
	struct packed p = { .b = b };
	const char *f = format;

	while (*f && !text_is_full(out)) {
		const char *percent = strchrnul(f, '%'), *s;
		struct print_spec spec;
		size_t len;

		text_bytes(out, f, (size_t)(percent - f));
		if (!*percent)
			break;
		f = percent + 1;
		spec = take_spec(&p, &f);
		switch (spec.conversion) {
		case 'd':
		case 'i':
		case 'u':
		case 'o':
		case 'x':
		case 'X':
			print_number(out, &spec, take_number(&p, spec.bytes));
			break;
		case 'c':
			print_number(out, &spec, take_number(&p, 1));
			break;
		case 's':
			s = take_string(&p, &len);
			print_string(out, &spec, s, len);
			break;
		case 'p':
			add_pointer(&p, &spec, &f, out);
			break;
		case '%':
			text_char(out, '%');
			break;
		default:		/* the kernel prints the rest literally */
			text_add(out, percent);
			return;
		}
	}
}
