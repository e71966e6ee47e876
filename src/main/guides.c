/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/main/guides.h"

#include <ctype.h>
#include <string.h>

#include "src/base/man.h"
#include "src/base/text.h"
#include "src/events/verdicts.h"
#include "src/main/guide_texts.h"	/* made from share/, see local.mk */

/* --- Markdown --------------------------------------------------------------------------------- */

/* What is written when its end is known. */
struct guide {
	FILE		*out;
	struct text	 paragraph;	/* lines of text or of commands */
	bool		 commands;
};

static void end_paragraph(struct guide *g)
{
	if (g->paragraph.len)
		man_paragraph(text_str(&g->paragraph), g->out);
	text_clear(&g->paragraph);
}

/* Without `code` and [links](to). */
static void add_plain(const char *s, size_t len, struct text *out)
{
	const char *end = s + len;

	for (; s < end; s++) {
		if (*s == ']' && s + 1 < end && s[1] == '(')
			s += strcspn(s, ")");
		else if (*s == '\\' && s + 1 < end)
			text_char(out, *++s);
		else if (*s != '`' && *s != '[')
			text_char(out, *s);
	}
}

/* "| a | b | c |": a, and below it b: c */
static void add_row(const struct guide *g, const char *line, size_t len)
{
	struct text name = { 0 }, rest = { 0 };
	const char *end = line + len;

	for (const char *cell = line + 1, *stop; cell < end; cell = stop + 1) {
		struct text *of = cell == line + 1 ? &name : &rest;

		cell += *cell == ' ';
		for (stop = cell; stop < end && (*stop != '|' || stop[-1] == '\\'); stop++)
			;
		text_add(of, of->len ? ": " : "");
		add_plain(cell, (size_t)(stop - cell) - (stop > cell && stop[-1] == ' '), of);
	}
	man_pair(text_str(&name), text_str(&rest), g->out);
	text_fini(&name);
	text_fini(&rest);
}

static bool begins_item(const char *line)
{
	return !strncmp(line, "- ", 2) || (isdigit((unsigned char)line[0]) && line[1] == '.');
}

static void add_line(struct guide *g, const char *line, size_t len)
{
	bool commands = !strncmp(line, "    ", 4);

	if (commands != g->commands || begins_item(line))
		end_paragraph(g);
	g->commands = commands;
	if (g->paragraph.len)
		text_char(&g->paragraph, '\n');
	if (commands)
		text_bytes(&g->paragraph, line + 2, len - 2);
	else
		add_plain(line + strspn(line, " "), len - strspn(line, " "), &g->paragraph);
}

static void print(const char *name, const char *text, FILE *out)
{
	struct guide g = { .out = out };
	struct text title = { 0 };
	const char *next;

	for (const char *line = text; *line; line = next) {
		size_t len = strcspn(line, "\n");

		next = line + len + (line[len] == '\n');
		if (line == text || !strncmp(line, "## ", 3)) {
			end_paragraph(&g);
			text_clear(&title);
			text_bytes(&title, line + strspn(line, "# "), len - strspn(line, "# "));
			if (line == text) {
				man_begin(name, "7", text_str(&title), out);
				man_section("DESCRIPTION", out);
			} else {
				man_section(text_str(&title), out);
			}
		} else if (*line == '|' && !strncmp(next, "| ---", 5)) {
			end_paragraph(&g);	/* the heading of a table */
			next += strcspn(next, "\n");
		} else if (*line == '|') {
			add_row(&g, line, len);
		} else if (!len) {
			end_paragraph(&g);
		} else {
			add_line(&g, line, len);
		}
	}
	end_paragraph(&g);
	text_fini(&g.paragraph);
	text_fini(&title);
}

/* --- the guides ------------------------------------------------------------------------------- */

#define GUIDES(GUIDE)                                                                              \
	GUIDE(first_steps, "first-steps")                                                          \
	GUIDE(flight_recorder, "flight-recorder")                                                  \
	GUIDE(from_other_tools, "from-other-tools")                                                \
	GUIDE(guests, "guests")                                                                    \
	GUIDE(install, "install")                                                                  \
	GUIDE(limits, "limits")                                                                    \
	GUIDE(locks, "locks")

#define PRINT_GUIDE(id, name)                                                                      \
	static void print_##id(FILE *out)                                                          \
	{                                                                                          \
		print(name, guide_##id, out);                                                      \
	}
GUIDES(PRINT_GUIDE)

#define NAME_GUIDE(id, name) { name, print_##id },
const struct man_page guides[NR_GUIDES] = {
	GUIDES(NAME_GUIDE)
	{ "verdicts", verdicts_page },
};

const struct man_page *guides_find(const char *name)
{
	for (unsigned int i = 0; i < NR_GUIDES; i++)
		if (!strcmp(guides[i].name, name))
			return &guides[i];
	return NULL;
}
