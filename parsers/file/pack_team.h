/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PACK_TEAM_H
#define FTOP_PARSERS_PACK_TEAM_H
/*
 * pack_team - many chunks packed at once by the workers of a pool, each as
 * packer.h packs it: what comes out does not depend on how many there are.
 */
#include "parsers/file/packer.h"
#include "src/base/workers.h"

struct pack_team;

/* @workers: borrowed, must outlive the team. */
struct pack_team *pack_team_new(enum trace_compression compression, struct workers *workers);
void pack_team_free(struct pack_team *team);	/* NULL is allowed */

/* Pack NR chunks of CHUNK bytes each; waits for them.  The first failure by number is told. */
int pack_team_run(struct pack_team *team, const struct out *out, const char *data, size_t nr, size_t chunk,
		  struct ft_error *err);

/* Chunk I of the last run, as packer_run() appends it; valid until the next one. */
const struct text *pack_team_result(const struct pack_team *team, size_t i);
#endif
