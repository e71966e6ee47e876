/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_MACHINE_H
#define FTOP_PARSERS_TYPES_MACHINE_H
/*
 * machine - the computer that was recorded: which CPUs share a core, a cache, a node; its memory;
 * the time that the hypervisor of a virtual machine took from its CPUs.
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

/*
 * Between two looks at /proc/stat, the hypervisor ran something else while this CPU had work:
 * `steal` there, which counts in ticks.
 */
struct machine_steal {
	int64_t		since, ts;	/* stamps of the looks; INT64_MIN: not known */
	int		cpu;
	uint64_t	ticks;		/* stolen in between */
};

struct machine {
	unsigned int	nr;
	struct machine_cpu *cpus;	/* owned, [nr], by number; 0 where nothing is known */
	int64_t		memory;		/* bytes */
	char		virt[32];	/* "kvm", "none": no virtual machine; "" = not known */
	unsigned int	steal_hz;	/* ticks in a second; 0: nobody looked at steal */
	int64_t		steal_from, steal_to;	/* stamps of the first and last look, as above */
	unsigned int	nr_steals;
	struct machine_steal *steals;	/* owned, [nr_steals] in the order of the looks */
};

/**
 * machine_load() - parse the recorder's lines into a zeroed machine
 *
 * Return: -1 at the first line that is wrong (offset in @text): nothing is known then.
 */
int machine_load(struct machine *machine, const char *text, uint64_t size, struct ft_error *err);
void machine_fini(struct machine *machine);

/* Ticks that were stolen from a CPU while the recorder looked; -1: from all.  Costs a search. */
uint64_t machine_stolen(const struct machine *machine, int cpu);
/* The next CPU after this one that lost time to the hypervisor; -1: there is none. */
int machine_next_stolen(const struct machine *machine, int cpu);
/* Where most was stolen at once; NULL: nothing was. */
const struct machine_steal *machine_most_stolen(const struct machine *machine);
/* Ticks of steal in ns; steal_hz is not 0. */
uint64_t machine_ticks_ns(const struct machine *machine, uint64_t ticks);

/* The CPU with this number, or NULL.  Costs a search. */
const struct machine_cpu *machine_cpu(const struct machine *machine, int cpu);
#endif
