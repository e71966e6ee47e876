/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_KALLSYMS_H
#define FTOP_PARSERS_TYPES_KALLSYMS_H
/*
 * kallsyms - maps addresses to function names, from the text of /proc/kallsyms.  The text is parsed
 * on the first look-up, because most reports need none.  For any thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/text.h"

struct kallsyms;

struct kallsyms_symbol {
	uint64_t	 start;		/* address of the symbol */
	uint64_t	 end;		/* next higher address listed, or start for the last
					 * symbol */
	const char	*name;		/* borrowed until kallsyms_free() */
	const char	*module;	/* "ext4" for "[ext4]", or NULL */
};

/*
 * @text is borrowed and must outlive the result; if all its addresses are zero (kptr_restrict)
 *        there are no symbols.
 */
struct kallsyms *kallsyms_new(const char *text, uint64_t size);

/*
 * Make symbols from a text that is fetched once, on the first look-up, by any thread.  The callback
 * returns NULL if there is none.
 */
typedef const char *kallsyms_text(const void *arg, uint64_t *size);
struct kallsyms *kallsyms_new_lazy(kallsyms_text *get_text, const void *arg);
void kallsyms_free(struct kallsyms *syms);	/* NULL is allowed */

/*
 * The first symbol listed at the highest address <= @address, as the kernel's %ps shows it.  False
 * below the first symbol, and 1 MiB above the kernel's own last one.
 */
bool kallsyms_find(const struct kallsyms *syms, uint64_t address, struct kallsyms_symbol *out);

/* Append the name of that symbol: "ext4_map_blocks [ext4]"; or "0xffffffff81000000". */
void kallsyms_name(const struct kallsyms *syms, uint64_t address, struct text *out);

/*
 * The lowest address of a symbol with this name.  Reads the whole text: a millisecond.  Return:
 * false if there is none.
 */
bool kallsyms_address(const struct kallsyms *syms, const char *name, uint64_t *address);

/*
 * Call @found for each symbol whose name @match accepts, with its first and last address (up to the
 * next one listed).  Names are not NUL-ended; that of a module, if it has a length, is behind the
 * symbol's and "\t[".  Looks at all symbols: some milliseconds.
 */
void kallsyms_match(const struct kallsyms *syms,
		    bool (*match)(void *arg, const char *name, uint32_t len, uint32_t module_len),
		    void (*found)(void *arg, uint64_t first, uint64_t last), void *arg);

/*
 * The symbol that libtraceevent finds for the address, for trace-cmd's text.  It may be another one
 * of several aliases.
 */
bool kallsyms_find_as_tep(const struct kallsyms *syms, uint64_t address,
			  struct kallsyms_symbol *out);
#endif
