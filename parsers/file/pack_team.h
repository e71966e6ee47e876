/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_FILE_PACK_TEAM_H
#define FTOP_PARSERS_FILE_PACK_TEAM_H
/*
 * pack_team - packs many chunks at once with the workers of a pool, each chunk as packer.h does.
 * The result does not depend on the number of workers.
 */
#include "parsers/file/packer.h"
#include "src/base/workers.h"

struct pack_team;

/* @workers: borrowed, must outlive the team; NULL: chunks are packed one by one. */
struct pack_team *pack_team_new(enum trace_compression compression, struct workers *workers);
void pack_team_free(struct pack_team *team);	/* NULL is allowed */

/*
 * Pack @nr chunks of @chunk bytes each, and wait for them.  If several fail, the failure with the
 * lowest number is returned.
 */
int pack_team_run(struct pack_team *team, const struct out *out, const char *data, size_t nr,
		  size_t chunk, struct ft_error *err);

/* Chunk @i of the last run, in the format of packer_run(); valid until the next run. */
const struct text *pack_team_result(const struct pack_team *team, size_t i);
#endif
