/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/binary_printf.h"

#include <ctype.h>
#include <string.h>

#include "parsers/io/byte_reader.h"

#define MAX_WIDTH 1024

struct packed {
	const struct binary_printf *b;
	uint32_t	pos;
};

struct conversion {
	char		flags[8];
	int		width;		/* -1 = none */
	int		precision;	/* -1 = none */
	unsigned int	size;		/* bytes of the argument in the record */
	char		kind;		/* 'd', 's' …; 0 = end of the format */
};

/* Read a number.  It is aligned to its size; one of 8 bytes, to 4. */
static uint64_t take_number(struct packed *p, unsigned int size)
{
	uint32_t align = size < 4 ? size : 4, at = (p->pos + align - 1) & ~(align - 1);
	const uint8_t *data = p->b->data + at;

	if (size > p->b->size || at > p->b->size - size) {
		p->pos = p->b->size;
		return 0;
	}
	p->pos = at + size;
	switch (size) {
	case 1:
		return *data;
	case 2:
		return load_u16(data, p->b->swap);
	case 4:
		return load_u32(data, p->b->swap);
	default:
		return load_u64(data, p->b->swap);
	}
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

static unsigned int take_size(const struct packed *p, const char **f)
{
	unsigned int long_size = p->b->long_size == 4 ? 4 : 8;

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

/* Parse what follows a '%'. */
static struct conversion take_conversion(struct packed *p, const char **f)
{
	struct conversion c = { .width = -1, .precision = -1 };
	size_t nr = 0;

	while (**f && strchr("-+ #0", **f)) {
		if (nr < sizeof(c.flags) - 2 && !strchr(c.flags, **f))
			c.flags[nr++] = **f;
		(*f)++;
	}
	if (**f == '*' || isdigit((unsigned char)**f)) {
		c.width = take_width(p, f);
		if (c.width < 0) {
			if (!strchr(c.flags, '-'))
				c.flags[nr] = '-';
			c.width = -c.width;
		}
	}
	if (**f == '.') {
		(*f)++;
		c.precision = take_width(p, f);
		if (c.precision < 0)
			c.precision = 0;
	}
	c.size = take_size(p, f);
	c.kind = **f;
	if (c.kind)
		(*f)++;
	return c;
}

/* Write the digits of a number, right-aligned, into @digits.  Return: how many. */
static size_t make_digits(char digits[24], uint64_t value, char kind)
{
	const char *set = kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned int base = kind == 'o' ? 8 : kind == 'x' || kind == 'X' ? 16 : 10;
	size_t n = 0;

	do {
		digits[23 - n++] = set[value % base];
		value /= base;
	} while (value);
	return n;
}

static void add_zeros(struct text *out, size_t nr)
{
	while (nr--)
		text_char(out, '0');
}

static void add_number(const struct conversion *c, uint64_t value, struct text *out)
{
	bool is_signed = c->kind == 'd' || c->kind == 'i', left = strchr(c->flags, '-');
	size_t n, zeros = 0, used, width = c->width > 0 ? (size_t)c->width : 0;
	char digits[24];
	const char *sign = "";

	if (is_signed) {
		int64_t v = c->size == 1 ? (int8_t)value : c->size == 2 ? (int16_t)value :
			    c->size == 4 ? (int32_t)value : (int64_t)value;

		sign = v < 0 ? "-" : strchr(c->flags, '+') ? "+" : strchr(c->flags, ' ') ? " " : "";
		value = v < 0 ? -(uint64_t)v : (uint64_t)v;
	} else if (strchr(c->flags, '#')) {
		sign = c->kind == 'x' ? "0x" : c->kind == 'X' ? "0X" : c->kind == 'o' && value ? "0" : "";
	}
	n = make_digits(digits, value, c->kind);
	used = n + strlen(sign);
	if (c->precision > 0 && (size_t)c->precision > n)
		zeros = (size_t)c->precision - n;
	else if (c->precision < 0 && !left && strchr(c->flags, '0') && width > used)
		zeros = width - used;
	used += zeros;
	if (!left && width > used)
		text_pad(out, width - used);
	text_add(out, sign);
	add_zeros(out, zeros);
	text_bytes(out, digits + sizeof(digits) - n, n);
	if (left && width > used)
		text_pad(out, width - used);
}

/* Append a string, with its width and precision. */
static void add_string(const struct conversion *c, const char *s, size_t len, struct text *out)
{
	size_t pad;

	if (c->precision >= 0 && len > (size_t)c->precision)
		len = (size_t)c->precision;
	pad = c->width > 0 && (size_t)c->width > len ? (size_t)c->width - len : 0;
	if (!strchr(c->flags, '-'))
		text_pad(out, pad);
	text_bytes(out, s, len);
	if (strchr(c->flags, '-'))
		text_pad(out, pad);
}

static void add_pointer(struct packed *p, const struct conversion *c, const char **f, struct text *out)
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
	add_string(c, text_str(&t), t.len, out);
	text_fini(&t);
}

void binary_printf(const struct binary_printf *b, const char *format, struct text *out)
{
	struct packed p = { .b = b };
	const char *f = format;

	while (*f) {
		const char *percent = strchrnul(f, '%'), *s;
		struct conversion c;
		char one;
		size_t len;

		text_bytes(out, f, (size_t)(percent - f));
		if (!*percent)
			break;
		f = percent + 1;
		c = take_conversion(&p, &f);
		switch (c.kind) {
		case 'd':
		case 'i':
		case 'u':
		case 'o':
		case 'x':
		case 'X':
			add_number(&c, take_number(&p, c.size), out);
			break;
		case 'c':
			one = (char)take_number(&p, 1);
			add_string(&(struct conversion){ .width = c.width, .precision = -1, .flags = { c.flags[0], c.flags[1] } },
				   &one, 1, out);
			break;
		case 's':
			s = take_string(&p, &len);
			add_string(&c, s, len, out);
			break;
		case 'p':
			add_pointer(&p, &c, &f, out);
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
