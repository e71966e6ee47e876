/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/man_search.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/fold.h"
#include "src/base/text.h"

#define TEXT_COLUMN	6	/* of what is said about a name */
#define MOST_SENTENCES	12

enum block { BLOCK_NONE, BLOCK_TITLE, BLOCK_TEXT, BLOCK_LINE, BLOCK_NAME };

struct man_search {
	const char	*word;		/* NULL: the whole page is printed */
	enum block	 last;		/* of it, what was printed last */
	struct fold	 out;
	bool		 in_texts;	/* sentences are searched, not names */
	unsigned int	 nr;		/* found so far */

	/* where in a page */
	struct text	 page, section, subsection, name;
	struct text	 paragraph;	/* the lines so far */
	bool		 is_named;	/* a name comes next */
	bool		 is_new;	/* a name or heading matched; its text comes next */
	bool		 stay;		/* lines stay lines */
	bool		 shows;		/* lines are printed: up to the next name; of a section,
					 * its first paragraph */
	struct text	 place;		/* of what was printed last */
};

/* --- does it match? --------------------------------------------------------------------------- */

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

/* Is the word one of these?  A single letter is a key or an option, where case matters. */
static bool names_it(const struct man_search *s, const char *names)
{
	const char *word = s->word + (s->word[1] ? strspn(s->word, "-:") : 0);
	size_t len = strlen(word);

	while (*names) {
		size_t token, dashes;

		names += strspn(names, " ");
		token = strcspn(names, " ");
		dashes = token > 1 ? strspn(names, "-:") : 0;
		if (dashes < token && (word == s->word || names[0] == s->word[0])) {
			size_t end = dashes + strcspn(names + dashes, " ,=[");

			end = token > end && end > dashes ? end : token;
			if (end - dashes == len &&
			    (len > 1 ? !strncasecmp(names + dashes, word, len) :
				       names[dashes] == *word))
				return true;
		}
		names += token;
	}
	return false;
}

/* Where a text has the word, as a whole; NULL: nowhere. */
static const char *find_in(const struct man_search *s, const char *text)
{
	size_t len = strlen(s->word);

	for (const char *at = text; (at = strcasestr(at, s->word)); at++)
		if ((at == text || !is_word_byte(at[-1]) || !is_word_byte(*s->word)) &&
		    (!is_word_byte(at[len]) || !is_word_byte(at[len - 1])))
			return at;
	return NULL;
}

/* --- what is printed -------------------------------------------------------------------------- */

/* Of a whole page: an empty line before each but the next line, and the next name of a list. */
static void begin_block(struct man_search *s, enum block block)
{
	bool goes_on = block >= BLOCK_LINE && block == s->last;

	if (s->last != BLOCK_NONE && s->last != BLOCK_TITLE && !goes_on)
		fold_end_line(&s->out);
	s->last = block;
}

static void print_title(struct man_search *s, const char *title)
{
	begin_block(s, BLOCK_TITLE);
	fold_words(&s->out, title, strlen(title), 0);
}

static void print_name(struct man_search *s, const char *name)
{
	begin_block(s, BLOCK_NAME);
	fold_words(&s->out, name, strlen(name), 2);
}

static void print_paragraph(struct man_search *s)
{
	if (!s->name.len)
		begin_block(s, s->stay ? BLOCK_LINE : BLOCK_TEXT);
	if (s->stay)
		fprintf(s->out.out, "  %s\n", text_str(&s->paragraph));
	else
		fold_words(&s->out, text_str(&s->paragraph), s->paragraph.len,
			   s->name.len ? TEXT_COLUMN : 2);
}

/* "ftop-trace-record(1), OPTIONS, Limits" */
static void print_place(struct man_search *s)
{
	struct text place = { 0 };

	text_add(&place, text_str(&s->page));
	if (s->section.len)
		text_printf(&place, ", %s", text_str(&s->section));
	if (s->subsection.len)
		text_printf(&place, ", %s", text_str(&s->subsection));
	if (!s->nr++ || strcmp(text_str(&place), text_str(&s->place)) != 0) {
		if (s->place.len)
			fold_end_line(&s->out);
		fold_words(&s->out, text_str(&place), place.len, 0);
	}
	text_fini(&s->place);
	s->place = place;
}

static void print_sentence(struct man_search *s, const char *sentence, size_t len)
{
	if (s->nr >= MOST_SENTENCES) {
		s->nr++;
		return;
	}
	print_place(s);
	if (s->name.len)
		fold_words(&s->out, text_str(&s->name), s->name.len, 2);
	if (s->stay) {
		fprintf(s->out.out, "%*s%.*s\n", TEXT_COLUMN - 2, "", (int)len, sentence);
		return;
	}
	fold_words(&s->out, sentence, len, TEXT_COLUMN);
}

static void search_paragraph(struct man_search *s)
{
	struct text sentence = { 0 };

	for (const char *at = text_str(&s->paragraph), *end; *at; at = end) {
		const char *stop = at;

		while ((stop = strchr(stop, '.')) &&
		       (stop[1] != ' ' || islower((unsigned char)stop[2])))
			stop++;
		end = stop && !s->stay ? stop + 1 : at + strlen(at);
		text_clear(&sentence);
		text_bytes(&sentence, at, (size_t)(end - at));
		if (find_in(s, text_str(&sentence)))
			print_sentence(s, text_str(&sentence), sentence.len);
	}
	text_fini(&sentence);
}

/* In the part of a command, common options only say where they are described. */
static void begin_found(struct man_search *s)
{
	s->is_new = false;
	if (!strcmp(text_str(&s->paragraph), "see COMMON OPTIONS"))
		return;
	print_place(s);
	if (s->name.len)
		fold_words(&s->out, text_str(&s->name), s->name.len, 2);
	s->shows = true;
}

static void end_paragraph(struct man_search *s)
{
	if (s->paragraph.len && !s->word)
		print_paragraph(s);
	if (s->paragraph.len && s->is_new)
		begin_found(s);
	if (s->paragraph.len && s->shows && !s->in_texts) {
		if (s->stay)
			fprintf(s->out.out, "%*s%s\n", TEXT_COLUMN - 2, "",
				text_str(&s->paragraph));
		else
			fold_words(&s->out, text_str(&s->paragraph), s->paragraph.len, TEXT_COLUMN);
	} else if (s->paragraph.len && s->in_texts) {
		search_paragraph(s);
	}
	text_clear(&s->paragraph);
}

/* --- the parts of a page ---------------------------------------------------------------------- */

static void begin_section(struct man_search *s, const char *title, struct text *place)
{
	text_clear(&s->name);
	text_clear(&s->subsection);
	if (place == &s->section)
		text_clear(&s->section);
	text_add(place, title);
	s->shows = false;
	if (!s->word) {
		if (strcmp(title, "NAME") != 0 && strcmp(title, "DESCRIPTION") != 0)
			print_title(s, title);
		return;
	}
	/* the parts of commands are found by ftop-trace help COMMAND */
	s->is_new = !s->in_texts && strncmp(title, "ftop-trace", strlen("ftop-trace")) != 0 &&
		    strcmp(title, "NAME") != 0 && names_it(s, title);
}

static void begin_name(struct man_search *s, const char *name)
{
	text_clear(&s->name);
	text_add(&s->name, name);
	s->is_named = false;
	s->shows = false;
	if (!s->word)
		print_name(s, name);
	s->is_new = s->word && !s->in_texts && names_it(s, name);
}

/* "ftop-trace-keys \- views, keys and commands": the word may be the name of the page. */
static void end_summary(struct man_search *s)
{
	const char *summary = text_str(&s->paragraph), *end = strstr(summary, " - ");
	size_t len = end ? (size_t)(end - summary) : 0, word = s->word ? strlen(s->word) : 0;

	if (!s->word && end) {
		print_title(s, end + 3);
		fold_end_line(&s->out);
	} else if (s->word && !s->in_texts && word <= len &&
		   !strncasecmp(end - word, s->word, word) &&
		   (word == len || (end[-word - 1] == '-' && word > 1))) {
		text_clear(&s->section);
		print_place(s);
		fold_words(&s->out, end + 3, strlen(end + 3), TEXT_COLUMN);
	}
	text_clear(&s->paragraph);
}

/* A line of man(7) without its escapes. */
static void add_plain(struct text *out, const char *line)
{
	for (; *line; line++) {
		if (*line != '\\') {
			text_char(out, *line);
		} else if (!strncmp(line, "\\(dq", 4)) {
			text_char(out, '"');
			line += 3;
		} else {
			line++;
			if (*line == 'e')
				text_char(out, '\\');
			else if (*line != '&')
				text_char(out, *line);
		}
	}
}

static void add_text_line(struct man_search *s, const char *line)
{
	if (s->stay)
		end_paragraph(s);
	else if (s->paragraph.len)
		text_char(&s->paragraph, ' ');
	add_plain(&s->paragraph, line);
	if (!strcmp(text_str(&s->section), "NAME"))
		end_summary(s);
}

static void add_macro(struct man_search *s, const char *line)
{
	const char *rest = line + strcspn(line, " ");
	struct text plain = { 0 };

	end_paragraph(s);
	s->shows &= s->name.len || strncmp(line, ".PP", 3) != 0;
	if (!s->word && !strncmp(line, ".PP", 3))
		text_clear(&s->name);
	rest += strspn(rest, " \"");
	add_plain(&plain, rest);
	if (plain.len && plain.data[plain.len - 1] == '"' && line[1] == 'S')
		plain.data[--plain.len] = '\0';
	if (!strncmp(line, ".SH", 3))
		begin_section(s, text_str(&plain), &s->section);
	else if (!strncmp(line, ".SS", 3))
		begin_section(s, text_str(&plain), &s->subsection);
	else if (!strncmp(line, ".TP", 3))
		s->is_named = true;
	else if (!strncmp(line, ".B ", 3) && s->is_named)
		begin_name(s, text_str(&plain));
	s->stay = strncmp(line, ".nf", 3) == 0;
	text_fini(&plain);
}

static void search_page(struct man_search *s, const struct man_page *page)
{
	size_t size = 0, len = strcspn(page->name, ".");
	bool is_guide = !page->name[len];
	char *text = NULL, *rest;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return;
	page->print(memory);
	fclose(memory);
	text_clear(&s->page);
	if (is_guide)
		text_printf(&s->page, "ftop-trace help %s", page->name);
	else
		text_printf(&s->page, "%.*s(%s)", (int)len, page->name, page->name + len + 1);
	rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		if (*line == '.')
			add_macro(s, line);
		else
			add_text_line(s, line);
	}
	end_paragraph(s);
	free(text);
}

static void search_pages(struct man_search *s, const struct man_page *pages, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		search_page(s, &pages[i]);
}

static void fini(struct man_search *s)
{
	text_fini(&s->place);
	text_fini(&s->page);
	text_fini(&s->section);
	text_fini(&s->subsection);
	text_fini(&s->name);
	text_fini(&s->paragraph);
}

bool man_search(const struct man_page *pages, unsigned int nr, const struct man_page *guides,
		unsigned int nr_guides, const char *word, FILE *out)
{
	struct man_search s = { .word = word, .out = fold_begin(out) };

	for (int pass = 0; *word && pass < 2 && !s.nr; pass++) {
		s.in_texts = pass == 1;
		search_pages(&s, pages, nr);
		if (!s.nr)
			search_pages(&s, guides, nr_guides);
	}
	if (s.in_texts && s.nr > MOST_SENTENCES)
		fprintf(out, "\n%u more lines have it; man ftop-trace has all pages\n",
			s.nr - MOST_SENTENCES);
	fini(&s);
	return s.nr > 0;
}

void man_show(const struct man_page *page, FILE *out)
{
	struct man_search s = { .out = fold_begin(out) };

	search_page(&s, page);
	fini(&s);
}
