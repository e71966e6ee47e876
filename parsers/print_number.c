/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print_number.h"

#include <string.h>

#define DIGITS	24			/* of 64 bits in octal, and some */
#define MAX_PAD	65536			/* a width may come from a record */

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
			    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
			    "9899";

/* Digits up to @end; returns where they begin. */
static char *decimal_digits(char *end, uint64_t v)
{
	while (v >= 100) {
		unsigned int pair = (unsigned int)(v % 100) * 2;

		v /= 100;
		*--end = pairs[pair + 1];
		*--end = pairs[pair];
	}
	if (v >= 10) {
		*--end = pairs[v * 2 + 1];
		*--end = pairs[v * 2];
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

static char *power_digits(char *end, uint64_t v, unsigned int bits, const char *digits)
{
	do {
		*--end = digits[v & ((1u << bits) - 1)];
		v >>= bits;
	} while (v);
	return end;
}

void print_decimal(struct text *out, uint64_t value)
{
	char buf[DIGITS], *p = decimal_digits(buf + DIGITS, value);

	text_bytes(out, p, (size_t)(buf + DIGITS - p));
}

void print_signed(struct text *out, int64_t value)
{
	char buf[DIGITS], *p = decimal_digits(buf + DIGITS, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);

	if (value < 0)
		*--p = '-';
	text_bytes(out, p, (size_t)(buf + DIGITS - p));
}

void print_hex(struct text *out, uint64_t value)
{
	char buf[DIGITS], *p = power_digits(buf + DIGITS, value, 4, "0123456789abcdef");

	text_bytes(out, p, (size_t)(buf + DIGITS - p));
}

void print_hex_byte(struct text *out, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	char buf[2] = { digits[byte >> 4], digits[byte & 15] };

	text_bytes(out, buf, 2);
}

static void add_many(struct text *out, char c, int nr)
{
	if (nr <= 0)
		return;
	if (nr > MAX_PAD)
		nr = MAX_PAD;
	text_reserve(out, (size_t)nr);
	memset(out->data + out->len, c, (size_t)nr);
	out->len += (size_t)nr;
	out->data[out->len] = '\0';
}

static void print_char(struct text *out, const struct print_spec *spec, uint64_t value)
{
	if (!(spec->flags & FLAG_LEFT))
		add_many(out, ' ', spec->width - 1);
	text_char(out, (char)value);
	if (spec->flags & FLAG_LEFT)
		add_many(out, ' ', spec->width - 1);
}

/* What stands in front of the digits. */
struct lead {
	char	text[3];
	int	len;
};

static void add_lead(struct lead *lead, char c)
{
	lead->text[lead->len++] = c;
}

static struct lead make_lead(const struct print_spec *spec, uint64_t value, bool negative)
{
	struct lead lead = { .len = 0 };
	bool is_decimal = spec->conversion == 'd' || spec->conversion == 'i';
	bool alternate = spec->flags & FLAG_ALTERNATE;

	if (negative)
		add_lead(&lead, '-');
	else if (is_decimal && (spec->flags & FLAG_PLUS))
		add_lead(&lead, '+');
	else if (is_decimal && (spec->flags & FLAG_SPACE))
		add_lead(&lead, ' ');
	if (alternate && (spec->conversion == 'x' || spec->conversion == 'X') && (value || spec->kernel)) {
		add_lead(&lead, '0');
		add_lead(&lead, spec->conversion);
	} else if (alternate && spec->kernel && spec->conversion == 'o' && value) {
		add_lead(&lead, '0');
	}
	return lead;
}

void print_number(struct text *out, const struct print_spec *spec, uint64_t value)
{
	char buf[DIGITS], *end = buf + DIGITS, *p;
	bool is_signed = spec->conversion == 'd' || spec->conversion == 'i', negative, zeros;
	int digits, more, pad;
	struct lead lead;

	if (spec->conversion == 'c') {
		print_char(out, spec, value);
		return;
	}
	value = print_fit(value, spec->bytes, is_signed);
	negative = is_signed && (int64_t)value < 0;
	if (negative)
		value = 0 - value;
	p = spec->conversion == 'x' ? power_digits(end, value, 4, "0123456789abcdef") :
	    spec->conversion == 'X' ? power_digits(end, value, 4, "0123456789ABCDEF") :
	    spec->conversion == 'o' ? power_digits(end, value, 3, "01234567") :
				      decimal_digits(end, value);
	lead = make_lead(spec, value, negative);
	digits = (int)(end - p);
	if (!spec->kernel && spec->precision == 0 && !value)
		digits = 0;
	more = spec->precision > digits ? spec->precision - digits : 0;
	if (!spec->kernel && spec->conversion == 'o' && (spec->flags & FLAG_ALTERNATE) && !more && (value || !digits))
		more = 1;
	pad = spec->width - lead.len - digits - more;
	/* zeros fill the width, but in C not where a precision is given */
	zeros = (spec->flags & FLAG_ZERO) && !(spec->flags & FLAG_LEFT) && (spec->kernel || spec->precision < 0);
	if (!(spec->flags & FLAG_LEFT) && !zeros)
		add_many(out, ' ', pad);
	text_bytes(out, lead.text, (size_t)lead.len);
	add_many(out, '0', zeros && pad > 0 ? more + pad : more);
	text_bytes(out, end - digits, (size_t)digits);
	if (spec->flags & FLAG_LEFT)
		add_many(out, ' ', pad);
}

void print_string(struct text *out, const struct print_spec *spec, const char *s, size_t len)
{
	int pad;

	if (spec->precision >= 0 && len > (size_t)spec->precision)
		len = (size_t)spec->precision;
	pad = len < (size_t)MAX_PAD ? spec->width - (int)len : 0;
	if (!(spec->flags & FLAG_LEFT))
		add_many(out, ' ', pad);
	text_bytes(out, s, len);
	if (spec->flags & FLAG_LEFT)
		add_many(out, ' ', pad);
}
