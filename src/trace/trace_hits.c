/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/trace_hits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/text.h"

/* "123 " */
static bool take_time(const char **s, int64_t *ts)
{
	char *end;

	if (!strchr("-0123456789", **s) || !**s)
		return false;
	errno = 0;
	*ts = strtoll(*s, &end, 10);
	if (errno || *end != ' ')
		return false;
	*s = end + 1;
	return true;
}

bool trace_hit_next(const struct trace *trace, unsigned int file, const char **at,
		    struct trace_hit *hit)
{
	const char *s = *at ?: source_info(trace_file_of(trace, file))->hits;
	int64_t by = trace_offset(trace, file).by;
	size_t len, condition;

	if (!s || !*s || !take_time(&s, &hit->from) || !take_time(&s, &hit->to))
		return false;
	hit->from = time_after(hit->from, by);
	hit->to = time_after(hit->to, by);
	len = strcspn(s, "\n");
	condition = strcspn(s, "\t\n");
	hit->condition = s;
	hit->condition_len = (unsigned int)condition;
	hit->words = s + condition + (s[condition] == '\t');
	hit->words_len = (unsigned int)strcspn(hit->words, "\t\n");
	hit->waits = hit->words[hit->words_len] == '\t' ?
			     (uint32_t)strtoul(hit->words + hit->words_len + 1, NULL, 10) :
			     0;
	*at = s + len + (s[len] == '\n');
	return hit->from <= hit->to;
}

void trace_hit_line(const struct trace *trace, const struct trace_hit *hit, struct text *out)
{
	int64_t by = trace_offset(trace, 0).by;

	text_printf(out, "%" PRId64 " %" PRId64 " ", time_between(by, hit->from),
		    time_between(by, hit->to));
	text_printable(out, hit->condition, hit->condition_len);
	text_char(out, '\t');
	text_printable(out, hit->words, hit->words_len);
	if (hit->waits)
		text_printf(out, "\t%" PRIu32, hit->waits);
	text_char(out, '\n');
}
