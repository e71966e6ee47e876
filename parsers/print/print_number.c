/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/print_number.h"

#include <string.h>

#include "parsers/io/byte_reader.h"

#define MAX_PAD	65536			/* a width may come from a record */

const char print_pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
	"49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
	"9899";

/*
 * Digits are counted first and then written at their final place: writing single bytes and reading
 * them back at once is slow.
 */
static inline unsigned int count_decimal(uint64_t v)
{
	static const uint64_t powers[] = {
		0, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull,
		10000000ull, 100000000ull, 1000000000ull, 10000000000ull, 100000000000ull,
		1000000000000ull, 10000000000000ull, 100000000000000ull, 1000000000000000ull,
		10000000000000000ull, 100000000000000000ull, 1000000000000000000ull,
		10000000000000000000ull,
	};
	unsigned int n = (64u - (unsigned int)__builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= powers[n] || !n);
}

static inline void put_decimal(char *to, uint64_t v, unsigned int nr)
{
	to += nr;
	while (v >= 100) {
		unsigned int pair = (unsigned int)(v % 100) * 2;

		v /= 100;
		to -= 2;
		memcpy(to, print_pairs + pair, 2);
	}
	if (v >= 10)
		memcpy(to - 2, print_pairs + v * 2, 2);
	else
		to[-1] = (char)('0' + v);
}

static inline unsigned int count_bits(uint64_t v, unsigned int bits)
{
	return v ? (63u - (unsigned int)__builtin_clzll(v)) / bits + 1 : 1;
}

static void put_octal(char *to, uint64_t v, unsigned int nr)
{
	for (; nr; v >>= 3)
		to[--nr] = (char)('0' + (v & 7));
}

/* Eight hex digits at once, one per byte of the result; the highest digit is in the lowest byte. */
static inline uint64_t eight_hex_digits(uint32_t v, bool upper)
{
	uint64_t x = __builtin_bswap32(v), letters;

	x = (x | x << 16) & 0x0000ffff0000ffffull;
	x = (x | x << 8) & 0x00ff00ff00ff00ffull;
	x = (x >> 4 & 0x000f000f000f000full) | (x & 0x000f000f000f000full) << 8;
	letters = (x + 0x0606060606060606ull) >> 4 & 0x0101010101010101ull;
	return x + 0x3030303030303030ull + letters * (upper ? 'A' - '9' - 1 : 'a' - '9' - 1);
}

static inline void put_eight(char *to, uint64_t digits)
{
	if (HOST_BIG_ENDIAN)
		digits = __builtin_bswap64(digits);
	memcpy(to, &digits, 8);
}

/* Write @nr digits, 1 to 16; always touches 16 bytes. */
static inline __attribute__((always_inline)) void put_hex(char *to, uint64_t v, unsigned int nr,
							  bool upper)
{
	uint64_t low = eight_hex_digits((uint32_t)v, upper);

	if (nr <= 8) {
		put_eight(to, low >> 8 * (8 - nr));
		return;
	}
	put_eight(to, eight_hex_digits((uint32_t)(v >> 32), upper) >> 8 * (16 - nr));
	put_eight(to + nr - 8, low);
}

char *print_put_decimal(char *to, uint64_t value, unsigned int digits)
{
	unsigned int nr = count_decimal(value);

	for (; nr < digits; digits--)
		*to++ = '0';
	put_decimal(to, value, nr);
	return to + nr;
}

char *print_put_hex(char *to, uint64_t value, unsigned int digits)
{
	unsigned int nr = count_bits(value, 4);

	if (nr < digits)
		nr = digits;
	put_hex(to, value, nr, false);
	return to + nr;
}

static inline void end_digits(struct text *out, const char *end)
{
	out->len = (size_t)(end - out->data);
	out->data[out->len] = '\0';
}

void print_decimal(struct text *out, uint64_t value)
{
	if (text_has_room(out, PRINT_DIGITS))
		end_digits(out, print_put_decimal(out->data + out->len, value, 1));
}

void print_signed(struct text *out, int64_t value)
{
	if (value < 0)
		text_char(out, '-');
	print_decimal(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void print_hex(struct text *out, uint64_t value)
{
	if (text_has_room(out, PRINT_DIGITS))
		end_digits(out, print_put_hex(out->data + out->len, value, 1));
}

void print_hex_byte(struct text *out, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	char buf[2] = { digits[byte >> 4], digits[byte & 15] };

	text_bytes(out, buf, 2);
}

static void add_many(struct text *out, char c, int nr)
{
	if (nr > MAX_PAD)
		nr = MAX_PAD;
	if (nr <= 0 || !text_has_room(out, (size_t)nr))
		return;
	memset(out->data + out->len, c, (size_t)nr);
	out->len += (size_t)nr;
	out->data[out->len] = '\0';
}

static void print_padded(struct text *out, const struct print_spec *spec, const char *s, size_t len)
{
	int pad = len < (size_t)MAX_PAD ? spec->width - (int)len : 0;

	if (!(spec->flags & FLAG_LEFT))
		add_many(out, ' ', pad);
	text_bytes(out, s, len);
	if (spec->flags & FLAG_LEFT)
		add_many(out, ' ', pad);
}

/* The characters before the digits. */
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
	if (alternate && (spec->conversion == 'x' || spec->conversion == 'X') &&
	    (value || spec->kernel)) {
		add_lead(&lead, '0');
		add_lead(&lead, spec->conversion);
	} else if (alternate && spec->kernel && spec->conversion == 'o' && value) {
		add_lead(&lead, '0');
	}
	return lead;
}

static char *fill_with(char *to, char c, int nr)
{
	while (nr-- > 0)
		*to++ = c;
	return to;
}

void print_number(struct text *out, const struct print_spec *spec, uint64_t value)
{
	bool is_signed = spec->conversion == 'd' || spec->conversion == 'i', negative, zeros;
	bool is_hex = spec->conversion == 'x' || spec->conversion == 'X';
	int digits, more, pad;
	char *to;
	struct lead lead;

	if (spec->conversion == 'c') {
		print_padded(out, spec, (const char[]){ (char)value }, 1);
		return;
	}
	value = print_fit(value, spec->bytes, is_signed);
	negative = is_signed && (int64_t)value < 0;
	if (negative)
		value = 0 - value;
	digits = (int)(is_hex                  ? count_bits(value, 4) :
		       spec->conversion == 'o' ? count_bits(value, 3) :
						 count_decimal(value));
	lead = make_lead(spec, value, negative);
	if (!spec->kernel && spec->precision == 0 && !value)
		digits = 0;
	more = spec->precision > digits ? spec->precision - digits : 0;
	if (!spec->kernel && spec->conversion == 'o' && (spec->flags & FLAG_ALTERNATE) && !more &&
	    (value || !digits))
		more = 1;
	if (more > MAX_PAD)
		more = MAX_PAD;
	pad = spec->width < MAX_PAD ? spec->width - lead.len - digits - more : MAX_PAD;
	/* FLAG_ZERO pads with zeros; in C, not if a precision is given */
	zeros = (spec->flags & FLAG_ZERO) && !(spec->flags & FLAG_LEFT) &&
		(spec->kernel || spec->precision < 0);
	if (!text_has_room(out,
			   (size_t)(more + (pad > 0 ? pad : 0)) + sizeof(lead.text) + PRINT_DIGITS))
		return;
	to = out->data + out->len;
	if (!(spec->flags & FLAG_LEFT) && !zeros)
		to = fill_with(to, ' ', pad);
	for (int i = 0; i < lead.len; i++)
		*to++ = lead.text[i];
	to = fill_with(to, '0', zeros && pad > 0 ? more + pad : more);
	if (digits && is_hex)
		put_hex(to, value, (unsigned int)digits, spec->conversion == 'X');
	else if (digits && spec->conversion == 'o')
		put_octal(to, value, (unsigned int)digits);
	else if (digits)
		put_decimal(to, value, (unsigned int)digits);
	to += digits;
	if (spec->flags & FLAG_LEFT)
		to = fill_with(to, ' ', pad);
	*to = '\0';
	out->len = (size_t)(to - out->data);
}

void print_string(struct text *out, const struct print_spec *spec, const char *s, size_t len)
{
	if (spec->precision >= 0 && len > (size_t)spec->precision)
		len = (size_t)spec->precision;
	print_padded(out, spec, s, len);
}
