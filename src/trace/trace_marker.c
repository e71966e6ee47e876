/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/trace_marker.h"

#include <string.h>

#include "parsers/lines/line_record.h"
#include "parsers/lines/line_types.h"
#include "parsers/lines/text_slice.h"
#include "src/base/index_map.h"

/* What is before the next |, which is left out. */
static struct text_slice take(struct text_slice *rest)
{
	struct text_slice word = slice(rest->s, length_until(*rest, '|', '|', '|'));

	*rest = slice_from(*rest, word.len + (word.len < rest->len));
	return word;
}

static bool number(struct text_slice word, int64_t *value)
{
	size_t end;

	return line_number(word, value, &end) && end == word.len;
}

/* A counter may have a fraction: it is rounded. */
static bool rounded(struct text_slice word, int64_t *value)
{
	struct text_slice rest;
	size_t end;

	if (!line_number(word, value, &end))
		return false;
	rest = slice_from(word, end);
	if (!rest.len)
		return true;
	if (*rest.s != '.')
		return false;
	digits_of(slice_from(rest, 1), 10, &end);
	if (end + 1 != rest.len)
		return false;
	if (rest.len > 1 && rest.s[1] >= '5')
		*value += begins_with(word, "-") ? -1 : 1;
	return true;
}

/* A text has the function before it, "tracing_mark_write: " or an address. */
static struct text_slice without_function(struct text_slice text)
{
	size_t n = name_length(text, '\0');

	if (!n || !begins_with(slice_from(text, n), ": "))
		return text;
	return without_function(without_blanks(slice_from(text, n + 1)));
}

static bool parse(struct text_slice rest, struct trace_marker *m)
{
	struct text_slice kind = take(&rest), pid = take(&rest), track, word;

	*m = (struct trace_marker){ .kind = kind.len == 1 ? *kind.s : ' ' };
	if (m->kind == 'E')
		return true;
	if (!strchr("BSFGHCIN", m->kind) || !number(pid, &m->pid))
		return false;
	m->name = rest;			/* the name of B may contain a | */
	if (m->kind == 'B' || m->kind == 'I')
		return true;
	track = m->name = take(&rest);
	if (m->kind == 'G' || m->kind == 'N')
		m->name = take(&rest);
	if (m->kind == 'N')
		return m->name.len;
	word = take(&rest);
	if (m->kind == 'H' && rest.len)
		word = take(&rest);
	if (!track.len || !(m->kind == 'C' ? rounded(word, &m->value) : number(word, &m->value)))
		return false;
	m->key = (uint64_t)m->pid;
	for (size_t i = 0; i < track.len; i++)
		m->key = m->key * 31 + (unsigned char)track.s[i];
	m->key = index_map_mix(m->key, (uint64_t)m->value) | 1;
	return true;
}

bool trace_marker_read(const struct event_field *buf, const uint8_t *data, uint32_t size,
		       struct trace_marker *m)
{
	struct text_slice text = nothing;

	if (!buf)
		text = without_function(line_record_text(data, size));
	else if (buf->offset < size)
		text = slice((const char *)data + buf->offset, size - buf->offset);
	if (text.len > 1 && !strchr("|\n", text.s[1]))
		return false;	/* most lines are none: do not read them to their end */
	text.len = length_until(text, '\0', '\n', '\n');
	return parse(text, m);
}
