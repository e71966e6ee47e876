/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/man.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const struct {
	const char	*page, *section;
	bool		 ours;
} pages[] = {
	{ "ftop-trace", "1", true },		{ "ftop-trace-record", "1", true },
	{ "ftop-trace-config", "5", true },	{ "ftop-trace-filter", "7", true },
	{ "ftop-trace-json", "5", true },	{ "ftop-trace-keys", "7", true },
	{ "ftop-trace-verdicts", "7", true },	{ "trace-cmd", "1", false },
	{ "trace-cmd.dat", "5", false },
};

/* No backslash and no dash is taken for something else. */
static void add_char(char c, FILE *out)
{
	if (c == '\\')
		fputs("\\e", out);
	else if (c == '-')
		fputs("\\-", out);
	else
		fputc(c, out);
}

static void add_words(const char *s, FILE *out)
{
	for (; *s; s++)
		add_char(*s, out);
}

/* No line begins with a dot; indented lines stay separate lines.  @between: paragraphs */
static void add_text(const char *s, const char *between, FILE *out)
{
	bool start = true, lines = false;

	for (; *s; s++) {
		if (start && lines != (s[0] == ' ' && s[1] == ' ')) {
			lines = !lines;
			fputs(lines ? ".nf\n" : ".fi\n", out);
		}
		if (start && *s == '\n') {		/* an empty line separates paragraphs */
			fputs(between, out);
			continue;
		}
		if (start && (*s == '.' || *s == '\''))
			fputs("\\&", out);
		add_char(*s, out);
		start = *s == '\n';
	}
	if (!start)
		fputc('\n', out);
	if (lines)
		fputs(".fi\n", out);
}

void man_text(const char *s, FILE *out)
{
	add_text(s, ".PP\n", out);
}

void man_pair(const char *name, const char *text, FILE *out)
{
	fputs(".TP\n.B ", out);
	if (*name == '"' || *name == '.' || *name == '\'')
		fputs("\\&", out);
	for (; *name; name++)
		if (*name == '"')
			fputs("\\(dq", out);
		else
			add_char(*name, out);
	fputc('\n', out);
	add_text(text, ".IP\n", out);
}

void man_paragraph(const char *text, FILE *out)
{
	if (!text)
		return;
	fputs(".PP\n", out);
	man_text(text, out);
}

void man_line(const char *line, bool is_first, FILE *out)
{
	fputs(is_first ? ".B " : ".br\n.B ", out);
	add_words(line, out);
	fputc('\n', out);
}

void man_section(const char *title, FILE *out)
{
	fprintf(out, strchr(title, ' ') ? ".SH \"%s\"\n" : ".SH %s\n", title);
}

void man_subsection(const char *title, FILE *out)
{
	fputs(".SS \"", out);
	add_words(title, out);
	fputs("\"\n", out);
}

/* How a terminal shows them whose locale is ASCII; mandoc, which has no .fchar, has its own way. */
static const char ascii[] = ".if \\n[.x] .fchar \\[u2588] #\n"
			    ".if \\n[.x] .fchar \\[u2580] \"\"\n"
			    ".if \\n[.x] .fchar \\[u2591] ?\n"
			    ".if \\n[.x] .fchar \\[u2026] ...\n";

void man_begin(const char *page, const char *section, const char *summary, FILE *out)
{
	fputs(".TH ", out);
	for (const char *p = page; *p; p++)
		add_char((char)toupper((unsigned char)*p), out);
	fprintf(out, " %s \"\" \"%s\"\n", section, PACKAGE_STRING);
	fputs(ascii, out);
	man_section("NAME", out);
	add_words(page, out);
	fputs(" \\- ", out);
	add_words(summary, out);
	fputc('\n', out);
}

void man_end(const char *page, FILE *out)
{
	const char *comma = "";

	man_section("SEE ALSO", out);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		if (!strcmp(pages[i].page, page))
			continue;
		if (*comma)
			fputs(" ,\n", out);
		comma = ",";
		fputs(".BR ", out);
		add_words(pages[i].page, out);
		fprintf(out, " (%s)", pages[i].section);
	}
	fputc('\n', out);
}
