/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIME_OPTION_H
#define FTOP_SRC_TIME_OPTION_H
/* time_option - times as the text commands take them: --from, --to. */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/trace/trace.h"

/**
 * time_option_parse() - words to model time
 * @option: name without dashes, for the error
 * @s: "7.554" or "7554ms" on the trace's own clock, "+1ms" from its first event on; a plain count for a clock that counts
 *
 * Return: 0, or -1 with FT_E_USAGE.
 */
int time_option_parse(struct trace *trace, const char *option, const char *s, int64_t *out, struct ft_error *err);

/* --from and --to, each may be NULL and leaves its number alone then; one that has no time in it is FT_E_USAGE. */
int time_option_range(struct trace *trace, const char *from, const char *to, int64_t *from_ts, int64_t *to_ts,
		      struct ft_error *err);

/* A window that lies wholly before or behind the trace: say so on stderr, and where the trace is.  False: it does not. */
bool time_option_tell_outside(const struct trace *trace, bool has_from, int64_t from, bool has_to, int64_t to);
#endif
