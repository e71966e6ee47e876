/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_USER_MAPS_H
#define FTOP_RECORDER_TRACEFS_USER_MAPS_H
/*
 * user_maps - which files processes had mapped to be executed, seen by looking into /proc again and
 * again: what a trace needs to name addresses of user space.
 *
 * Only what is mapped at a look is seen.  A process is read again when the size of its memory has
 * changed, or where its program lies.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/text.h"

struct user_maps;			/* opaque */

/* @proc: where /proc is; borrowed */
struct user_maps *user_maps_new(const char *proc);
void user_maps_free(struct user_maps *maps);	/* NULL is allowed */

/*
 * Look at all processes, or at those that were not there a second ago; or at one.  @now: ns of any
 * clock, never 0, that does not go back.
 */
void user_maps_look(struct user_maps *maps, bool only_young, uint64_t now);
void user_maps_look_at(struct user_maps *maps, int pid, uint64_t now);

/*
 * Append what was seen, as lines of the block "user_symbols" (parsers/types/user_symbols.h).
 * @shift: is added to the times of looks to make them stamps of the trace clock.  @has_stamps: if
 * not, mappings count at all times.
 */
void user_maps_text(const struct user_maps *maps, bool has_stamps, int64_t shift, struct text *out);
#endif
