/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/shell_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

void shell_words_add(struct shell_words *words, const char *word)
{
	/* one more for the NULL at the end */
	mem_grow(&words->words, words->nr + 1, &words->cap);
	words->words[words->nr++] = mem_strdup(word);
	words->words[words->nr] = NULL;
}

void shell_words_addf(struct shell_words *words, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	shell_words_add(words, s ? s : "");
	free(s);
}

void shell_words_fini(struct shell_words *words)
{
	for (unsigned int i = 0; i < words->nr; i++)
		free(words->words[i]);
	free(words->words);
	*words = (struct shell_words){ 0 };
}

/* Parse a quoted part.  Return: the byte after its end, or NULL. */
static const char *take_quoted(const char *p, struct text *word)
{
	char quote = *p++;

	for (; *p && *p != quote; p++) {
		if (quote == '"' && *p == '\\' && p[1] && strchr("\"\\$`", p[1]))
			p++;
		text_char(word, *p);
	}
	return *p ? p + 1 : NULL;
}

static int take_word(const char **at, const char *line, struct text *word, struct ft_error *err)
{
	const char *p = *at;

	while (*p && *p != ' ' && *p != '\t' && *p != '\n') {
		if (*p == '\'' || *p == '"') {
			const char *end = take_quoted(p, word);

			if (!end)
				return ft_error_set(err, FT_E_USAGE, p - line,
						    "this quote is not closed");
			p = end;
		} else if (*p == '\\' && p[1]) {
			text_char(word, p[1]);
			p += 2;
		} else if (strchr("|<>;&$`()", *p)) {
			return ft_error_set(err, FT_E_USAGE, p - line,
					    "%c needs a shell: use sh -c '...', or quote it", *p);
		} else {
			text_char(word, *p++);
		}
	}
	*at = p;
	return 0;
}

int shell_words_split(struct shell_words *words, const char *line, struct ft_error *err)
{
	struct text word = { 0 };
	const char *p = line;
	int ret = 0;

	while (!ret && *(p += strspn(p, " \t\n"))) {
		text_clear(&word);
		ret = take_word(&p, line, &word, err);
		if (!ret)
			shell_words_add(words, text_str(&word));
	}
	text_fini(&word);
	return ret;
}

/* Return: -1 if the line with this end cannot be split; then nothing is added. */
static int split_with_end(struct shell_words *words, const char *line, const char *end,
			  struct ft_error *err)
{
	struct shell_words found = { 0 };
	struct text whole = { 0 };
	int ret;

	text_printf(&whole, "%s%s", line, end);
	ret = shell_words_split(&found, text_str(&whole), err);
	for (unsigned int i = 0; i < found.nr && !ret; i++)
		shell_words_add(words, found.words[i]);
	shell_words_fini(&found);
	text_fini(&whole);
	return ret;
}

int shell_words_split_typed(struct shell_words *words, const char *line, struct ft_error *err)
{
	static const char *const ends[] = { "", "'", "\"" };
	size_t len = strlen(line);
	int ret = -1;

	for (unsigned int i = 0; i < sizeof(ends) / sizeof(ends[0]) && ret; i++) {
		ret = split_with_end(words, line, ends[i], err);
		if (!ret && !i && len && strchr(" \t\n", line[len - 1]) &&
		    (len < 2 || line[len - 2] != '\\'))
			shell_words_add(words, "");
	}
	return ret;
}

void shell_words_quote(struct text *out, const char *word)
{
	if (*word && !word[strcspn(word, " '\"\\$`*?[]{}()<>|&;!#~\n\t")]) {
		text_add(out, word);
		return;
	}
	text_char(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			text_add(out, "'\\''");
		else
			text_char(out, *word);
	}
	text_char(out, '\'');
}

void shell_words_join(const struct shell_words *words, struct text *out)
{
	for (unsigned int i = 0; i < words->nr; i++) {
		if (i)
			text_char(out, ' ');
		shell_words_quote(out, words->words[i]);
	}
}
