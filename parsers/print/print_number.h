/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PRINT_NUMBER_H
#define FTOP_PARSERS_PRINT_PRINT_NUMBER_H
/*
 * print_number - formats numbers and strings like printf(), but without a locale, a format to
 * parse, or an allocation except for the growth of the text.  The kernel's printf differs from the
 * C library's in a few corners; .kernel chooses.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/print/print_format.h"
#include "src/base/text.h"

struct print_spec {
	char			conversion;	/* d i u x X o c s p */
	uint8_t			flags;		/* FLAG_* */
	uint8_t			bytes;		/* bytes of the number: 1, 2, 4, 8 */
	bool			kernel;
	int			width, precision; /* -1 = none */
};

/* Append a number in this conversion, truncated to .bytes. */
void print_number(struct text *out, const struct print_spec *spec, uint64_t value);

/* Append a string of @len bytes, without the NUL. */
void print_string(struct text *out, const struct print_spec *spec, const char *s, size_t len);

void print_decimal(struct text *out, uint64_t value);
void print_hex(struct text *out, uint64_t value);
void print_signed(struct text *out, int64_t value);
void print_hex_byte(struct text *out, uint8_t byte);	/* two digits */

/*
 * Write digits into the caller's memory, which must have room for PRINT_DIGITS more bytes; all of
 * them may be overwritten.  Return: the end of what was written; no NUL is added.
 */
#define PRINT_DIGITS	32
char *print_put_decimal(char *to, uint64_t value, unsigned int digits); /* at least @digits
									 * digits, at most 16 */
char *print_put_hex(char *to, uint64_t value, unsigned int digits);

extern const char print_pairs[];	/* "000102…99" */

/* Write exactly @nr digits, with leading zeros.  Return: their end. */
static inline char *print_digits(char *to, uint32_t v, unsigned int nr)
{
	for (unsigned int i = nr; i >= 2; i -= 2, v /= 100)
		memcpy(to + i - 2, print_pairs + v % 100 * 2, 2);
	if (nr & 1)
		*to = (char)('0' + v);
	return to + nr;
}
#endif
