/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/fold.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/output.h"
#include "src/base/text.h"

#define MIN_COLUMNS	40
#define MAX_COLUMNS	100	/* longer lines are hard to read */
#define DEFAULT_COLUMNS	80

struct fold fold_begin(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	int width = output_cells(fileno(out));

	if (!width && columns)
		width = atoi(columns);
	if (!width)
		width = DEFAULT_COLUMNS;
	width = width < MIN_COLUMNS ? MIN_COLUMNS : width > MAX_COLUMNS ? MAX_COLUMNS : width;
	return (struct fold){ .out = out, .width = width };
}

void fold_end_line(struct fold *fold)
{
	fputc('\n', fold->out);
	fold->at = 0;
}

static void go_to(struct fold *fold, int column)
{
	if (fold->at < column) {
		fprintf(fold->out, "%*s", column - fold->at, "");
		fold->at = column;
	}
}

void fold_words(struct fold *fold, const char *s, size_t len, int indent)
{
	bool is_first = true;

	go_to(fold, indent);
	for (size_t i = 0; i < len;) {
		size_t blanks = strspn(s + i, " \n"), word = strcspn(s + i + blanks, " \n");
		int cells;

		i += blanks;
		if (i >= len || !word)
			break;
		cells = text_cells(s + i, word);
		if (!is_first && fold->at + 1 + cells > fold->width) {
			fold_end_line(fold);
			go_to(fold, indent);
		} else if (!is_first) {
			go_to(fold, fold->at + 1);
		}
		fwrite(s + i, 1, word, fold->out);
		fold->at += cells;
		is_first = false;
		i += word;
	}
	fold_end_line(fold);
}

/*
 * A line that begins with blanks keeps them, and the blanks between its name and what is said of
 * it; if it is folded, the rest begins where that does.
 */
static void add_listed(struct fold *fold, const char *s, size_t len)
{
	size_t start = strspn(s, " "), name = start;

	while (name + 1 < len && (s[name] != ' ' || s[name + 1] != ' '))
		name++;
	if (name + 1 >= len) {
		fold_words(fold, s, len, (int)start);
		return;
	}
	fwrite(s, 1, name, fold->out);
	fold->at = text_cells(s, name);
	start = name + strspn(s + name, " ");
	fold_words(fold, s + start, len - start, fold->at + (int)(start - name));
}

void fold_paragraphs(struct fold *fold, const char *s)
{
	while (*s) {
		size_t len = strcspn(s, "\n");

		if (!len) {
			fold_end_line(fold);
		} else if (!strncmp(s, "  ", 2)) {
			add_listed(fold, s, len);
		} else {
			while (s[len] == '\n' && s[len + 1] && s[len + 1] != '\n' &&
			       strncmp(s + len + 1, "  ", 2))
				len += 1 + strcspn(s + len + 1, "\n");
			fold_words(fold, s, len, 0);
		}
		s += len + (s[len] == '\n');
	}
}
