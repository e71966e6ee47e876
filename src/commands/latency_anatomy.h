/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_LATENCY_ANATOMY_H
#define FTOP_SRC_COMMANDS_LATENCY_ANATOMY_H
/*
 * latency_anatomy - what the CPU did on which a waiting task then ran: instances of the kinds
 * wakeup and preempted in parts (--anatomy), or the parts of all of them summed (--culprits).
 */
#include "src/commands/sched_command.h"
#include "src/latency/latency.h"

struct latency_anatomy {
	struct sched_command *command;	/* borrowed */
	uint64_t	nr;		/* instances */
	/* Instance @i; i only grows.  NULL: there is none. */
	const struct latency_instance *(*at)(void *arg, uint64_t i);
	void		*arg;
	bool		culprits;
};

/* Print the rows.  @any: set to whether there was one.  -1 with an error. */
int latency_anatomy_print(const struct latency_anatomy *anatomy, bool *any, struct ft_error *err);
#endif
