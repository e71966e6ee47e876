/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TRACE_HITS_H
#define FTOP_SRC_TRACE_TRACE_HITS_H
/*
 * trace_hits - why `record --until` stopped: what came true, as lines in the file
 * (source_info.hits).
 */
#include <stdint.h>
#include "src/trace/trace.h"

#define TRACE_HITS_MOST	100u		/* in a file */

struct trace_hit {
	int64_t		 from, to;	/* ts */
	const char	*condition, *words;	/* not NUL-ended; may hold any bytes */
	unsigned int	 condition_len, words_len;
	uint32_t	 waits;		/* pid of the task whose wait or sleep it was; 0: none */
};

/*
 * The next hit of a file.  *at: NULL at first.  False: there are no more, or the rest is no text of
 * hits.
 */
bool trace_hit_next(const struct trace *trace, unsigned int file, const char **at,
		    struct trace_hit *hit);
/* Append the line of a hit, with its newline: "FROM TO CONDITION<tab>WORDS<tab>PID",
 * printable; without <tab>PID if it was no wait. */
void trace_hit_line(const struct trace *trace, const struct trace_hit *hit, struct text *out);
#endif
