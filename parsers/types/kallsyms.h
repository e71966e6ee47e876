/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_KALLSYMS_H
#define FTOP_PARSERS_KALLSYMS_H
/*
 * kallsyms - address to function name, from the text of /proc/kallsyms.
 * The text is read at the first question: most reports ask none.  Any thread may.
 */
#include <stdbool.h>
#include <stdint.h>

struct kallsyms;

struct kallsyms_symbol {
	uint64_t	 start;		/* address of the symbol */
	uint64_t	 end;		/* next higher address listed, or start when it is the last */
	const char	*name;		/* borrowed until kallsyms_free() */
	const char	*module;	/* "ext4" for "[ext4]", or NULL */
};

/* @text is borrowed and must live longer; a text whose addresses are all zero (kptr_restrict) gives no symbols. */
struct kallsyms *kallsyms_new(const char *text, uint64_t size);

/* The same of a text that is asked for when it is needed, once, by any thread; NULL: there is none. */
typedef const char *kallsyms_text(const void *arg, uint64_t *size);
struct kallsyms *kallsyms_new_lazy(kallsyms_text *get_text, const void *arg);
void kallsyms_free(struct kallsyms *syms);	/* NULL is allowed */

unsigned int kallsyms_nr(const struct kallsyms *syms);

/* The first symbol listed at the highest address <= address, as the kernel's %ps shows it.  False below the first one. */
bool kallsyms_find(const struct kallsyms *syms, uint64_t address, struct kallsyms_symbol *out);

/* The lowest address of a symbol with this name.  Reads the whole text: a millisecond.  False: there is none. */
bool kallsyms_address(const struct kallsyms *syms, const char *name, uint64_t *address);

/*
 * Call @found with the addresses of each symbol whose name @match wants, first and last: up to the next address listed.
 * Names are not NUL-ended.  Looks at all of them: some milliseconds.
 */
void kallsyms_match(const struct kallsyms *syms, bool (*match)(void *arg, const char *name, uint32_t len),
		    void (*found)(void *arg, uint64_t first, uint64_t last), void *arg);

/* The symbol that libtraceevent picks for the address: the same, but another one of several aliases.  For trace-cmd's text. */
bool kallsyms_find_as_tep(const struct kallsyms *syms, uint64_t address, struct kallsyms_symbol *out);
#endif
