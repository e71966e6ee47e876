/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SOURCE_RECORD_BOUND_H
#define FTOP_PARSERS_SOURCE_RECORD_BOUND_H
/*
 * record_bound - the text of one record has a limit.
 *
 * A description of a few bytes (counts of elements without bytes, widths, long names) could make
 * gigabytes of text of a record.  All that makes the text of records writes it between begin and
 * end; loops end when text_is_full().
 */
#include "src/base/text.h"

struct source;

#define RECORD_TEXT_BYTES	(64u << 10)	/* what is longer is cut, and ends in … */

/* False: the text is part of a record's that is bounded already. */
static inline bool record_bound_begin(struct text *out)
{
	return text_bound(out, RECORD_TEXT_BYTES);
}

void record_bound_tell(const struct source *source, const char *system, const char *name);

/*
 * @begun: what record_bound_begin() returned.  The source, if there is one, gets a note of a text
 * that is cut.  Return: was it?
 */
static inline bool record_bound_end(struct text *out, bool begun, const struct source *source,
				    const char *system, const char *name)
{
	bool cut = begun && text_unbound(out);

	if (__builtin_expect(cut && source, 0))
		record_bound_tell(source, system, name);
	return cut;
}
#endif
