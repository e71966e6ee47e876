/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_CALL_TEAM_H
#define FTOP_SRC_FUNCTIONS_CALL_TEAM_H
/*
 * call_team - passes all records of a reader through several call trees.  Each tree handles some of
 * the tasks, in its own thread.
 */
#include <stdbool.h>
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"

#define CALL_TEAM_MAX	16u		/* trees */

struct call_team_watch {
	bool	(*go_on)(void *arg, uint64_t bytes);	/* in the calling thread; false: stop */
	void	*arg;
};

/* A useful number of trees for this many CPUs. */
unsigned int call_team_size(unsigned int cpus);

/**
 * call_team_run() - read to the end, and end the trees
 * @trees: [nr] 1..CALL_TEAM_MAX; their visitors are called in other threads, one per tree
 * @watch: may be NULL
 *
 * Return: false if it was stopped; the trees have ended in any case.
 */
bool call_team_run(struct graph_reader *reader, struct call_tree *const *trees, unsigned int nr,
		   const struct call_team_watch *watch);
#endif
