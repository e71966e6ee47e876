/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/syscall_names.h"

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
