/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/lines/line_search.h"

#include <stdlib.h>

#include "parsers/lines/line_file_private.h"
#include "src/base/memory.h"

#define BUFFER_BYTES (512u << 10) /* rows of at most LINE_ROW_BYTES are whole in it */
#define NOWHERE UINT64_MAX

struct search_word {
	struct line_word word;
	size_t rare; /* index of its character that is rarest in the text */
	uint64_t at; /* where it is next; NOWHERE: not before the end */
};

struct line_search {
	const struct line_file *file;
	struct search_word *words; /* owned, [nr_words] */
	unsigned int nr_words;
	struct text_memory memory;
	struct text_line *ahead; /* in memory: the line at pos; NULL: not parsed */
	uint64_t ahead_end;
	char *text;    /* owned: begins with a row */
	uint64_t from; /* bytes of the file before it */
	uint64_t len;  /* bytes read */
	uint64_t end;  /* of its whole rows */
	uint64_t pos;  /* rows before it are found, or have no word */
	bool is_unsure;
};

/* --- words ---------------------------------------------------------------------------------- */

static void choose_rare(struct search_word *word, const uint32_t counts[256])
{
	const unsigned char *s = (const unsigned char *)word->word.s;

	for (size_t i = 1; i < word->word.len; i++)
		if (counts[s[i]] < counts[s[word->rare]])
			word->rare = i;
}

static uint64_t find_word(const struct line_search *search, const struct search_word *word)
{
	const char *s = search->text + search->pos + word->rare;
	const char *end = search->text + search->end, *at;

	for (; s < end && (at = memchr(s, word->word.s[word->rare], (size_t)(end - s)));
	     s = at + 1) {
		const char *from = at - word->rare;

		if ((size_t)(end - from) >= word->word.len &&
		    !memcmp(from, word->word.s, word->word.len))
			return (uint64_t)(from - search->text);
	}
	return NOWHERE;
}

/* Where the next word is; without words, where the next row begins. */
static uint64_t next_word(struct line_search *search)
{
	uint64_t first = search->nr_words ? NOWHERE : search->pos;

	for (unsigned int i = 0; i < search->nr_words; i++) {
		struct search_word *word = &search->words[i];

		if (word->at != NOWHERE && word->at < search->pos)
			word->at = find_word(search, word);
		if (word->at < first)
			first = word->at;
	}
	return first < search->end ? first : NOWHERE;
}

/* --- rows ----------------------------------------------------------------------------------- */

static bool begins_row(const struct text_line *line)
{
	return line->kind == TEXT_LINE_EVENT || line->kind == TEXT_LINE_GRAPH ||
	       line->kind == TEXT_LINE_LOST;
}

static struct text_line *line_at(struct line_search *search, uint64_t at, uint64_t *next)
{
	struct text_line *line = text_trace_next(&search->memory, search->text, search->len, at,
						 next);

	line_adapt(search->file, line);
	search->ahead = NULL;
	return line;
}

/* Where the row begins that has the byte @at, which is one of its lines; 0 if none does. */
static uint64_t row_start(struct line_search *search, uint64_t at)
{
	for (;;) {
		const char *before = memrchr(search->text, '\n', at);
		uint64_t start = before ? (uint64_t)(before + 1 - search->text) : 0,
			 found = NOWHERE;

		for (uint64_t pos = start, next; pos <= at; pos = next)
			if (begins_row(line_at(search, pos, &next)))
				found = pos;
		if (found != NOWHERE)
			return found;
		if (!start)
			return 0;
		at = start - 1;
	}
}

/* Take the row at @start.  False: it has no event.  search->pos: behind it. */
static bool take_row(struct line_search *search, uint64_t start, struct line_found *row)
{
	struct text_line *line = search->ahead;
	uint64_t next = search->ahead_end;
	bool is_event;

	if (!line || start != search->pos)
		line = line_at(search, start, &next);
	search->pos = next;
	is_event = begins_row(line) && line->kind != TEXT_LINE_LOST;
	*row = (struct line_found){ .all = line->line, .cpu = line->cpu };
	if (line->time_kind != TEXT_TIME_NONE)
		row->ts = line_stamp(&search->file->info, line, 0);
	for (; search->pos < search->end; search->pos = next) {
		line = line_at(search, search->pos, &next);
		if (begins_row(line)) {
			search->ahead = line;
			search->ahead_end = next;
			break;
		}
		row->all.len = (size_t)(line->line.s + line->line.len - row->all.s);
	}
	search->is_unsure |= row->all.len > LINE_ROW_BYTES;
	return is_event;
}

/* --- the text ------------------------------------------------------------------------------- */

/* Read on: the rows that were whole are done. */
static bool fill(struct line_search *search)
{
	const struct line_file *file = search->file;
	int64_t got;

	search->len -= search->end;
	search->from += search->end;
	memmove(search->text, search->text + search->end, search->len);
	got = line_file_read(file, search->text + search->len, BUFFER_BYTES - search->len,
			     search->from + search->len);
	if (got <= 0) /* a row fills it, or the file has shrunk */
		return false;
	search->len += (uint64_t)got;
	search->pos = 0;
	search->ahead = NULL;
	search->end = search->len;
	if (search->from + search->len < file->size)
		search->end = row_start(search, search->len - 1);
	for (unsigned int i = 0; i < search->nr_words; i++)
		search->words[i].at = find_word(search, &search->words[i]);
	return search->end > 0;
}

struct line_search *line_search_new(const struct line_file *file, const struct line_word *words,
				    unsigned int nr)
{
	struct line_search *search = mem_alloc(sizeof(*search));
	uint32_t counts[256] = { 0 };
	int64_t got;

	search->file = file;
	search->from = file->start;
	search->text = mem_array(1, BUFFER_BYTES);
	search->nr_words = nr;
	search->words = mem_array(nr, sizeof(*search->words));
	got = line_file_read(file, search->text, LINE_PAGE_BYTES, file->start);
	for (int64_t i = 0; i < got; i++)
		counts[(unsigned char)search->text[i]]++;
	for (unsigned int i = 0; i < nr; i++) {
		search->words[i].word = words[i];
		choose_rare(&search->words[i], counts);
		if (words[i].len == 1 && counts[(unsigned char)*words[i].s] > counts['\n'] / 2)
			search->nr_words = 0; /* most lines have it */
	}
	return search;
}

void line_search_free(struct line_search *search)
{
	if (!search)
		return;
	free(search->words);
	free(search->text);
	free(search);
}

bool line_search_next(struct line_search *search, struct line_found *row, enum line_search_end *end)
{
	bool is_read = true;

	while (is_read && !search->is_unsure) {
		uint64_t at = next_word(search);

		if (at == NOWHERE) {
			is_read = search->from + search->end < search->file->size && fill(search);
			search->is_unsure |= !is_read &&
					     search->from + search->end < search->file->size;
		} else if (take_row(search, search->nr_words ? row_start(search, at) : at, row)) {
			return !search->is_unsure;
		}
	}
	*end = search->is_unsure ? LINE_SEARCH_UNSURE : LINE_SEARCH_ALL;
	return false;
}
