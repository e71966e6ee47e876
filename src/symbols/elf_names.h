/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SYMBOLS_ELF_NAMES_H
#define FTOP_SRC_SYMBOLS_ELF_NAMES_H
/*
 * elf_names - functions at places of an ELF file: opens the file, and the debug file that belongs
 * to it, and has a helper (elf_helper.h) read them.
 *
 * Debug files are looked for by build ID in /usr/lib/debug/.build-id, and by name beside the file,
 * in .debug, and in /usr/lib/debug.  One is used only if it has the file's build ID.  A file that
 * is gone, another one now, or stripped, may be in ~/.debug, where perf keeps files by build ID.
 * The file /tmp/perf-PID.map is text, in which a program has told perf of the code that it made at
 * run time.
 */
#include "parsers/types/user_symbols.h"

#define ELF_HOW_BYTES	128

enum elf_result {
	ELF_FOUND,
	ELF_NOT_THERE,			/* it cannot be opened, or is no regular file */
	ELF_IS_ANOTHER,			/* it has another build ID */
	ELF_NOT_READ,			/* it is no ELF file, or the helper has ended */
};

/**
 * elf_names_of() - the functions of a file at some places
 * @sysroot: a folder in which the paths are; "": none
 * @file: its path has to begin with a slash
 * @places: [nr]; nr 0: all functions
 * @names: receives, for ELF_FOUND, symbols with this one file, with its build ID, and names of
 *         functions; the caller frees them
 *
 * @how: [ELF_HOW_BYTES], receives how the helper failed, "libdw crashed (Segmentation fault)"; "":
 *       it answered
 *
 * Waits for the helper while it says that it is at work, a minute at most.
 */
enum elf_result elf_names_of(const char *sysroot, const struct user_file *file,
			     const uint64_t *places, uint32_t nr, struct user_symbols **names,
			     char how[ELF_HOW_BYTES]);
#endif
