/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_NAME_TABLE_H
#define FTOP_SRC_BASE_NAME_TABLE_H
/*
 * name_table - numbers for names: equal names have equal numbers, so that a name takes
 * four bytes in millions of records.  For any thread.
 */
#include <stddef.h>
#include <stdint.h>

struct name_table;			/* opaque */

struct name_table *name_table_new(void);
void name_table_free(struct name_table *names);	/* NULL is allowed */

/* The number of a name, from 1.  @s: any bytes, up to a NUL, at most @len; may be empty. */
uint32_t name_table_add(struct name_table *names, const char *s, size_t len);

/* The name for a number from name_table_add(); valid until @names is freed. */
const char *name_table_text(struct name_table *names, uint32_t name);
#endif
