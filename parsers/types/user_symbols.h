/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_USER_SYMBOLS_H
#define FTOP_PARSERS_TYPES_USER_SYMBOLS_H
/*
 * user_symbols - functions of user space: which file a process had mapped at an address, and which
 * function is there.
 *
 *   (tgid, time, address) --maps--> (file, place in it) --names--> function
 *
 * Two sources: the block "user_symbols" of our own section of a trace.dat, and trace-cmd's option
 * PROCMAPS, which has no times and no names of functions.  The block is lines of text:
 *
 *   file BUILD-ID UNIT PATH              files have numbers in this order, from 0; BUILD-ID in hex
 *                                        or "-"
 *   map TGID FROM-TO PLACE FIRST LAST FILE   [FROM, TO) of the process shows the file from PLACE
 *                                        on; FILE "-": memory without a file, such as JIT code
 *   name FILE FROM-TO FUNCTION           places in the file
 *
 * Addresses and places are hexadecimal, all other numbers decimal.  UNIT is what places are:
 * "offset", bytes of the file, or "address", bytes behind the lowest address of the image, for
 * PROCMAPS, which does not tell offsets.  FIRST and LAST are when the recorder first and last saw
 * the mapping, in stamps of the trace clock; 0 and 18446744073709551615 if it did not look again.
 *
 * Everything is untrusted: malformed lines are skipped.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/text.h"

#define USER_SYMBOLS_MAX	(1u << 20)	/* maps, names, and files, at most */
#define USER_NO_FILE		UINT32_MAX

struct user_file {
	const char	*path;		/* as in /proc/PID/maps: also "[vdso]" */
	const char	*build_id;	/* hexadecimal; "" = not known */
	bool		 by_address;	/* the unit of places */
};

struct user_map {			/* sorted by tgid, from, first */
	int		 tgid;
	uint32_t	 file;		/* USER_NO_FILE: none */
	uint64_t	 from, to;	/* addresses [from, to) */
	uint64_t	 place;		/* of `from` in the file */
	uint64_t	 first, last;	/* raw stamps, both included */
	uint64_t	 reach;		/* the highest `to` of the process' maps up to this one */
};

struct user_name {			/* sorted by file, from */
	const char	*name;
	uint64_t	 from, to;	/* places [from, to) */
	uint32_t	 file;
};

struct user_place {
	const struct user_file *file;
	uint64_t	 place;
	const char	*function;	/* NULL: not known */
	uint64_t	 offset;	/* bytes into the function */
};

struct user_symbols;			/* opaque */

struct user_symbols *user_symbols_new(void);
void user_symbols_free(struct user_symbols *symbols);	/* NULL is allowed */

/* Add the block's lines; options PROCMAPS, which NULs separate.  Nothing is borrowed. */
void user_symbols_add(struct user_symbols *symbols, const char *text, uint64_t size);
void user_symbols_add_procmaps(struct user_symbols *symbols, const char *text, uint64_t size);
/* To call when all is added, and before the functions below.  Then any thread may call them. */
void user_symbols_sort(struct user_symbols *symbols);

/* Borrowed, [*nr]. */
const struct user_file *user_symbols_files(const struct user_symbols *symbols, uint32_t *nr);
const struct user_map *user_symbols_maps(const struct user_symbols *symbols, uint32_t *nr);
/* The function at a place of a file; NULL: not known. */
const struct user_name *user_symbols_name(const struct user_symbols *symbols, uint32_t file,
					  uint64_t place);
/* Those of one file. */
const struct user_name *user_symbols_names(const struct user_symbols *symbols, uint32_t file,
					   uint32_t *nr);

/* When: in raw stamps.  The process ran one program in [from, to]. */
struct user_time {
	uint64_t	 raw, from, to;
};

/*
 * The mapping of a process that an address belonged to at a time.  Only mappings that were seen
 * while it ran that program count.  They also count before they were first seen and after they were
 * last seen, unless then, as far as was seen, the address may have belonged to another one.
 *
 * Return: borrowed; NULL: none; user_map_unsure: it is not known which.
 */
const struct user_map *user_symbols_map(const struct user_symbols *symbols, int tgid,
					const struct user_time *when, uint64_t address);
extern const struct user_map user_map_unsure;	/* has no file */

/* Do addresses in both belong to the same places of the same file? */
bool user_map_is_same(const struct user_map *a, const struct user_map *b);

/* The place of an address in a mapping.  Return: false: @map is NULL, or it has no file. */
bool user_symbols_place(const struct user_symbols *symbols, const struct user_map *map,
			uint64_t address, struct user_place *place);

/* Append "main+0x1c [prog]", or "prog+0x11b3"; not @exact: "main [prog]", "prog+0x11b3". */
void user_place_text(const struct user_place *place, bool exact, struct text *out);

/* Append the lines of the block. */
void user_file_line(const struct user_file *file, struct text *out);
void user_map_line(const struct user_map *map, struct text *out);
void user_name_line(const struct user_name *name, struct text *out);
#endif
