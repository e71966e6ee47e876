/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/syscall_names.h"

#include <limits.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS		7000		/* the largest are those of mips, from 6000 on */

static uint32_t find_arch(const char *uname)
{
	const char *machine = uname ? strrchr(uname, ' ') : NULL;

	if (!machine)
		return 0;
	machine++;
	if (machine[0] == 'i' && machine[1] && !strcmp(machine + 2, "86"))
		return SCMP_ARCH_X86;
	if (!strncmp(machine, "armv", 4))
		return SCMP_ARCH_ARM;
	return seccomp_arch_resolve_name(machine);
}

int syscall_names_number(const char *uname, const char *name)
{
	uint32_t arch = find_arch(uname);
	int nr = arch ? seccomp_syscall_resolve_name_arch(arch, name) : -1;

	return nr < 0 ? -1 : nr;
}

struct syscall_returns syscall_names_returns(const char *uname)
{
	static const char *const names[] = { "rt_sigreturn", "sigreturn" };
	uint32_t arch = find_arch(uname) ?: SCMP_ARCH_X86_64;
	const uint32_t archs[] = { arch, arch == SCMP_ARCH_X86_64  ? SCMP_ARCH_X86 :
					 arch == SCMP_ARCH_AARCH64 ? SCMP_ARCH_ARM :
								     arch };
	struct syscall_returns returns;

	for (unsigned int i = 0; i < 4; i++) {
		int nr = seccomp_syscall_resolve_name_arch(archs[i / 2], names[i % 2]);

		returns.numbers[i] = nr >= 0 ? nr : INT_MIN;
	}
	return returns;
}

const struct value_names *syscall_names_find(struct arena *arena, const char *uname)
{
	uint32_t arch = find_arch(uname);
	struct value_name *names = arch ? arena_alloc(arena, NUMBERS * sizeof(*names)) : NULL;
	struct value_names *found = arena_alloc(arena, sizeof(*found));

	for (int nr = 0; names && nr < NUMBERS; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(arch, nr);

		if (name)
			names[found->nr++] = (struct value_name){
				arena_strndup(arena, name, strlen(name)), (uint64_t)nr
			};
		free(name);
	}
	found->names = names;
	return found->nr ? found : NULL;
}

/* Where tables of 64-bit calls end, up to 424, from where on all machines have the same numbers. */
static const struct {
	uint32_t	arch, of_32;
	uint64_t	first;
} with_32[] = {
	{ SCMP_ARCH_X86_64, SCMP_ARCH_X86, 340 },	/* 335 and some more are probes' */
	{ SCMP_ARCH_AARCH64, SCMP_ARCH_ARM, 295 },
};
#define SAME_FROM	424u

bool syscall_names_of_32(const char *uname, uint64_t *first, uint64_t *last)
{
	for (size_t i = 0; i < sizeof(with_32) / sizeof(with_32[0]); i++) {
		if (with_32[i].arch != find_arch(uname))
			continue;
		*first = with_32[i].first;
		*last = SAME_FROM - 1;
		return true;
	}
	return false;
}

char *syscall_names_name_of_32(const char *uname, int nr)
{
	for (size_t i = 0; i < sizeof(with_32) / sizeof(with_32[0]); i++)
		if (with_32[i].arch == find_arch(uname))
			return seccomp_syscall_resolve_num_arch(with_32[i].of_32, nr);
	return NULL;
}
