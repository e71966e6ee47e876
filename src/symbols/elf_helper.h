/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SYMBOLS_ELF_HELPER_H
#define FTOP_SRC_SYMBOLS_ELF_HELPER_H
/*
 * elf_helper - elfutils' libdw in a process of its own: a hostile ELF file may crash it, make it
 * hang or take it over, which costs the names of that file only.
 */
#include <stdbool.h>

/* Was the program built with libdw?  Without, no names are found. */
bool elf_helper_is_built(void);

/**
 * elf_helper_serve() - be the helper: answer one question (elf_wire.h)
 * @fd: this end of the socket pair
 * @shut_in: called when the open files have come, before a byte of them is read: from then on only
 *           memory and open descriptors are needed
 */
void elf_helper_serve(int fd, void (*shut_in)(int folder));
#endif
