/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_MAN_H
#define FTOP_SRC_BASE_MAN_H
/*
 * man - writes manual pages in man(7) format, from plain text.
 *
 * In a text, an empty line separates paragraphs, and lines that begin with two blanks stay lines.
 */
#include <stdbool.h>
#include <stdio.h>

/* "ftop-trace-filter", "7", "the filter language of ftop-trace" */
void man_begin(const char *page, const char *section, const char *summary, FILE *out);
void man_section(const char *title, FILE *out);
void man_subsection(const char *title, FILE *out);
void man_text(const char *text, FILE *out);		/* ends with a newline */
void man_paragraph(const char *text, FILE *out);	/* NULL: nothing */

/* A name in bold, and what it means below it. */
void man_pair(const char *name, const char *text, FILE *out);

/* A line of its own: a command.  @is_first: of its section */
void man_line(const char *line, bool is_first, FILE *out);

/* SEE ALSO: our pages but @page, then those of others. */
void man_end(const char *page, FILE *out);
#endif
