/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_MACHINE_H
#define FTOP_PARSERS_TYPES_MACHINE_H
/*
 * machine - the computer that was recorded: which CPUs share a core, a cache, a node; its memory.
 *
 * The recorder keeps it in a block of our own section (parsers/file/trace_extra.c).  -1 in a field:
 * not known.
 */
#include <stdint.h>
#include "src/base/error.h"

struct machine_cpu {
	int		cpu;		/* its number */
	/*
	 * CPUs with equal numbers share it.  Each kind is numbered from 0 in the order of the
	 * CPUs, whatever numbers the kernel has for them, except nodes, which have the kernel's.
	 */
	int		core, cluster, die, package, node, l2, l3;
	int		capacity;	/* of 1024 */
	int64_t		min_khz, max_khz; /* the hardware's limits */
};

struct machine {
	unsigned int	nr;
	struct machine_cpu *cpus;	/* owned, [nr], by number; 0 where nothing is known */
	int64_t		memory;		/* bytes */
	char		virt[32];	/* "kvm", "none": no virtual machine; "" = not known */
};

/**
 * machine_load() - parse the recorder's lines into a zeroed machine
 *
 * Return: -1 at the first line that is wrong (offset in @text): nothing is known then.
 */
int machine_load(struct machine *machine, const char *text, uint64_t size, struct ft_error *err);
void machine_fini(struct machine *machine);

/* The CPU with this number, or NULL.  Costs a search. */
const struct machine_cpu *machine_cpu(const struct machine *machine, int cpu);
#endif
