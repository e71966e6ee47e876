/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_NUMBER_H
#define FTOP_PARSERS_PRINT_NUMBER_H
/*
 * print_number - numbers and strings as printf() writes them, by hand: no locale, no
 * parsing of a format, no allocation but the text's growth.  The kernel's printf
 * differs from the C library's in a few corners; .kernel chooses.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/print/print_format.h"
#include "src/base/text.h"

struct print_spec {
	char			conversion;	/* d i u x X o c s p */
	uint8_t			flags;		/* FLAG_* */
	uint8_t			bytes;		/* of the number: 1, 2, 4, 8 */
	bool			kernel;
	int			width, precision; /* -1 = none */
};

/* A number as the conversion asks for it, cut to .bytes. */
void print_number(struct text *out, const struct print_spec *spec, uint64_t value);

/* A string of these bytes, NUL not included. */
void print_string(struct text *out, const struct print_spec *spec, const char *s, size_t len);

void print_decimal(struct text *out, uint64_t value);
void print_hex(struct text *out, uint64_t value);
void print_signed(struct text *out, int64_t value);
void print_hex_byte(struct text *out, uint8_t byte);	/* two digits */

/*
 * The same into memory of the caller's, which has room for PRINT_DIGITS more bytes, all of which may be written.  They return
 * behind what they put there; nothing ends it.
 */
#define PRINT_DIGITS	32
char *print_put_decimal(char *to, uint64_t value, unsigned int digits);	/* at least so many, at most 16 */
char *print_put_hex(char *to, uint64_t value, unsigned int digits);

extern const char print_pairs[];	/* "000102…99" */

/* As many digits, zeros in front; returns behind them. */
static inline char *print_digits(char *to, uint32_t v, unsigned int nr)
{
	for (unsigned int i = nr; i >= 2; i -= 2, v /= 100)
		memcpy(to + i - 2, print_pairs + v % 100 * 2, 2);
	if (nr & 1)
		*to = (char)('0' + v);
	return to + nr;
}
#endif
