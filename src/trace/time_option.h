/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TIME_OPTION_H
#define FTOP_SRC_TRACE_TIME_OPTION_H
/* time_option - times as commands take them: --from, --to, --offset. */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/trace/trace.h"

/**
 * time_option_parse() - parse a time given by the user to model time
 * @option: name without dashes, for the error
 * @s: "7.554" or "7554ms" on the trace's clock, "+1ms" after its first event; a plain number for a
 *        clock that counts
 *
 * Return: 0, or -1 with FT_E_USAGE.
 */
int time_option_parse(struct trace *trace, const char *option, const char *s, int64_t *out,
		      struct ft_error *err);

/*
 * "+1.5ms", "-2s", "0"; a whole number without a unit is a count of the clock.  -1 with FT_E_USAGE.
 */
int time_option_offset(const char *s, struct trace_offset *out, struct ft_error *err);

/* Append an offset as time_option_offset() parses it, exactly. */
void time_option_offset_text(const struct trace_offset *offset, struct text *out);

/* Parse --from and --to.  NULL leaves its number unchanged.  An empty range is FT_E_USAGE. */
int time_option_range(struct trace *trace, const char *from, const char *to, int64_t *from_ts,
		      int64_t *to_ts, struct ft_error *err);

/* Is a window outside the trace? -1 with FT_E_USAGE. */
int time_option_check(const struct trace *trace, bool has_from, int64_t from, bool has_to,
		      int64_t to, struct ft_error *err);
/* For one of several files: report it on stderr. Return: is it? */
bool time_option_tell_outside(const struct trace *trace, bool has_from, int64_t from, bool has_to,
			      int64_t to);
#endif
