/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTK_FORMATS_H
#define FTOP_PARSERS_PRINTK_FORMATS_H
/*
 * printk_formats - the formats and strings of trace_printk() by their address, from
 * the text of tracefs' printk_formats:
 *
 *	0xffffffff82a1b2c3 : "state %d\n"
 *
 * Immutable after printk_formats_new(); any thread may look up.
 */
#include <stdint.h>

struct printk_formats;

/* A text that is damaged gives the lines that are sound.  @text is copied. */
struct printk_formats *printk_formats_new(const char *text, uint64_t size);
void printk_formats_free(struct printk_formats *formats);	/* NULL is allowed */

/* The string at an address, its escapes resolved; NULL: none is listed there. */
const char *printk_formats_find(const struct printk_formats *formats, uint64_t address);

/* The same as libtraceevent keeps it: escapes as they are written, without that of a newline at the end. */
const char *printk_formats_find_short(const struct printk_formats *formats, uint64_t address);
unsigned int printk_formats_nr(const struct printk_formats *formats);
#endif
