/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_BINARY_PRINTF_H
#define FTOP_PARSERS_PRINT_BINARY_PRINTF_H
/*
 * binary_printf - the text of a trace_printk() whose format stayed in the kernel and whose
 * arguments are packed in the record, like the kernel's bstr_printf().
 *
 * Numbers are aligned to their size (at most 4), strings are stored with their NUL, pointers as
 * unsigned long; %p with an extension other than S, s, x, K and e was already converted to text
 * when it was recorded.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/text.h"

struct binary_printf {
	const uint8_t	*data;		/* borrowed: the packed arguments */
	uint32_t	 size;		/* bytes */
	int		 long_size;	/* bytes of the kernel's long: 4 or 8 */
	bool		 swap;
	/* Append the symbol of an address, with or without its offset. */
	void		(*symbol)(void *arg, uint64_t address, bool offset, struct text *out);
	void		*arg;
};

/* Append the text.  Missing arguments read as 0 and "". */
void binary_printf(const struct binary_printf *b, const char *format, struct text *out);
#endif
