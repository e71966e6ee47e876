/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_PRINTK_FORMATS_H
#define FTOP_PARSERS_TYPES_PRINTK_FORMATS_H
/*
 * printk_formats - finds the formats and strings of trace_printk() by address, from the text of
 * tracefs' printk_formats:
 *
 * 	0xffffffff82a1b2c3 : "state %d\n"
 *
 * Immutable after printk_formats_new(); any thread may look up.
 */
#include <stdint.h>

struct printk_formats;

/* In a damaged text, invalid lines are skipped.  @text is copied. */
struct printk_formats *printk_formats_new(const char *text, uint64_t size);
void printk_formats_free(struct printk_formats *formats);	/* NULL is allowed */

/* The string at an address, its escapes resolved; NULL if none is listed there. */
const char *printk_formats_find(const struct printk_formats *formats, uint64_t address);

/*
 * The string as libtraceevent keeps it: escapes as written, without that of a newline at the end.
 */
const char *printk_formats_find_short(const struct printk_formats *formats, uint64_t address);
#endif
