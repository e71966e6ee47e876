/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_SYSCALL_NAMES_H
#define FTOP_SRC_TRACE_SYSCALL_NAMES_H
/*
 * syscall_names - raw_syscalls has numbers of system calls; their names depend on the computer.
 *
 * The numbers of 32-bit programs on a 64-bit kernel are other ones, and records do not tell these
 * programs apart: they get the names of 64-bit calls, as in perf trace, but where a task shows what
 * it is, by calls that 64-bit programs lack.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/text/record_text.h"
#include "src/base/memory.h"

/* Of "Linux host 6.1.0 x86_64".  In the arena, by number; NULL: this computer is not known. */
const struct value_names *syscall_names_find(struct arena *arena, const char *uname);
/* The number of a call there; -1: it is not known. */
int syscall_names_number(const char *uname, const char *name);
/*
 * The numbers that 32-bit programs there use, and 64-bit ones never: both included.  False: there
 * are none.
 */
bool syscall_names_of_32(const char *uname, uint64_t *first, uint64_t *last);
/* The name of a call of a 32-bit program; the caller frees it.  NULL: it is not known. */
char *syscall_names_name_of_32(const char *uname, int nr);

/*
 * Calls that return from a signal, also of 32-bit programs: they restore all registers, so that the
 * kernel does not know their number at their end, which has -1.
 */
struct syscall_returns {
	int		numbers[4];	/* INT_MIN: none */
};
/* Of an unknown computer: of x86_64. */
struct syscall_returns syscall_names_returns(const char *uname);
/* Does an end with this number belong to a call? */
static inline bool syscall_names_ends(const struct syscall_returns *returns, int64_t call,
				      int64_t end)
{
	const int *numbers = returns->numbers;

	return call == end || (end == -1 && (call == numbers[0] || call == numbers[1] ||
					     call == numbers[2] || call == numbers[3]));
}
#endif
