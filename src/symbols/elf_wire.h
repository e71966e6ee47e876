/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SYMBOLS_ELF_WIRE_H
#define FTOP_SRC_SYMBOLS_ELF_WIRE_H
/*
 * elf_wire - one question and its answer, between elf_names.c and elf_helper.c.
 *
 *   struct elf_ask, with the descriptors of the file and, if there is one, of its debug file; then
 *   its places, 64 bits each; without places, all functions are asked for
 *
 *   struct elf_answer, maybe some of ELF_AT_WORK before it; then lines of a block
 *   (parsers/types/user_symbols.h): one "file", with the build ID of the file and, as its path, the
 *   name of the debug file that it asks for (.gnu_debuglink); and a "name" for each function that
 *   one of the places is in.  Of several names of a place, it is that of perf
 */
#include <stdint.h>

#define ELF_MAX_PLACES	(1u << 20)
#define ELF_MAX_ANSWER	(256u << 20)	/* bytes */
#define ELF_SECONDS	60		/* of processor time, and until the answer has come */
#define ELF_PATIENCE	10		/* seconds without a word */
#define ELF_AT_WORK	UINT32_MAX	/* bytes of an answer: it is still to come */

struct elf_ask {
	uint32_t	nr;		/* places, at most ELF_MAX_PLACES */
	uint32_t	by_address;	/* struct user_file: the unit of places */
};

struct elf_answer {
	uint32_t	bytes;		/* of the lines, at most ELF_MAX_ANSWER */
	uint32_t	is_stripped;	/* a debug file may have more functions */
};
#endif
