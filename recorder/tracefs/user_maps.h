/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_USER_MAPS_H
#define FTOP_RECORDER_TRACEFS_USER_MAPS_H
/*
 * user_maps - which files processes had mapped, to be executed or for their data, seen by looking
 * into /proc again and again: what a trace needs to name addresses of user space.
 *
 * Only what is mapped at a look is seen.  A process is read again when the size of its memory has
 * changed, or where its program lies.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/text.h"

struct user_maps;			/* opaque */

/*
 * @proc: where /proc is; borrowed
 * @data: also those with data, where locks are; else only those to be executed
 * @now: about ns of any clock, never 0, that does not go back; is called with @arg
 */
struct user_maps *user_maps_new(const char *proc, bool data, uint64_t (*now)(void *arg), void *arg);
void user_maps_free(struct user_maps *maps);	/* NULL is allowed */

/* Look at all processes, or at those that were not there a second ago; or at one. */
void user_maps_look(struct user_maps *maps, bool only_young);
void user_maps_look_at(struct user_maps *maps, int pid);

/*
 * Append what was seen, as lines of the block "user_symbols" (parsers/types/user_symbols.h).
 * @stamp: makes a stamp of the trace clock of a time of a look; NULL: mappings count at all times.
 */
void user_maps_text(const struct user_maps *maps, uint64_t (*stamp)(const void *arg, uint64_t now),
		    const void *arg, struct text *out);
#endif
