/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_marker.h"

#include <string.h>

#include "parsers/lines/line_file.h"
#include "src/base/index_map.h"

struct rest {
	const char	*s;
	size_t		 len;
};

/* What is before the next |. */
static struct rest take(struct rest *rest)
{
	const char *bar = memchr(rest->s, '|', rest->len);
	struct rest word = { rest->s, bar ? (size_t)(bar - rest->s) : rest->len };

	rest->s += word.len + (bar != NULL);
	rest->len -= word.len + (bar != NULL);
	return word;
}

static bool number(struct rest word, int64_t *value)
{
	bool negative = word.len && *word.s == '-';
	uint64_t n = 0;

	for (size_t i = negative; i < word.len; i++) {
		if (word.s[i] < '0' || word.s[i] > '9' || word.len > 20)
			return false;
		n = n * 10 + (uint64_t)(word.s[i] - '0');
	}
	*value = (int64_t)(negative ? 0 - n : n);
	return word.len > negative;
}

/* A text has the function before it, "tracing_mark_write: " or an address. */
static struct rest without_function(struct rest rest)
{
	const char *colon = memchr(rest.s, ':', rest.len < 48 ? rest.len : 48);
	size_t n = colon ? (size_t)(colon - rest.s) : 0;

	if (!n || memchr(rest.s, '|', n) || memchr(rest.s, ' ', n))
		return rest;
	for (n++; n < rest.len && rest.s[n] == ' '; n++)
		;
	return without_function((struct rest){ rest.s + n, rest.len - n });
}

static void set_name(struct sched_marker *m, struct rest name)
{
	m->name = name.s;
	m->name_len = name.len;
}

/* The fields behind the pid, as the letter says. */
static bool parse_fields(struct sched_marker *m, struct rest rest)
{
	struct rest track, word;

	if (m->kind == 'B' || m->kind == 'I') {
		set_name(m, rest);	/* a | may be in it */
		return true;
	}
	track = take(&rest);
	m->track = track.s;
	m->track_len = track.len;
	set_name(m, strchr("GN", m->kind) ? take(&rest) : track);
	if (m->kind == 'N')
		return track.len;
	word = take(&rest);
	if (m->kind == 'H' && rest.len)
		word = take(&rest);
	return track.len && number(word, &m->value);
}

static bool parse(const char *text, size_t len, struct sched_marker *m)
{
	struct rest rest = { text, strnlen(text, len) };
	const char *newline = memchr(text, '\n', rest.len);
	int64_t pid = 0;
	bool has_pid;

	if (newline)
		rest.len = (size_t)(newline - text);
	rest = without_function(rest);
	*m = (struct sched_marker){ .kind = rest.len ? *rest.s : ' ' };
	if (!strchr("BESFGHCIN", m->kind) || take(&rest).len != 1)
		return false;
	has_pid = number(take(&rest), &pid);
	m->pid = (uint32_t)pid;
	return m->kind == 'E' || (has_pid && parse_fields(m, rest));
}

bool sched_marker_read(const struct event_field *buf, const uint8_t *data, uint32_t size,
		       struct sched_marker *m)
{
	struct text_slice text;

	if (buf)
		return buf->offset < size &&
		       parse((const char *)data + buf->offset, size - buf->offset, m);
	text = line_record_text(data, size);
	return parse(text.s, text.len, m);
}

uint64_t sched_marker_key(const struct sched_marker *m)
{
	uint64_t key = m->pid;

	for (size_t i = 0; i < m->track_len; i++)
		key = key * 31 + (unsigned char)m->track[i];
	return index_map_mix(key, (uint64_t)m->value);
}
