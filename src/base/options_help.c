/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_help - the texts of --help, folded to the width of the terminal. */
#include "src/base/options_private.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/output.h"
#include "src/base/text.h"

#define OPTION_COLUMN	28	/* column of an option's help */
#define SUMMARY_COLUMN	14	/* column of a command's summary in the list of commands */
#define GROUP_COLUMN	10	/* column of the options of a group */
#define MIN_COLUMNS	40
#define MAX_COLUMNS	100	/* longer lines are hard to read */
#define DEFAULT_COLUMNS	80

const struct option_def *option_next_of(const struct option_def *options, const char **words)
{
	size_t len = strcspn(*words, " ");
	const struct option_def *def = options;

	if (!len)
		return NULL;
	while (!option_is_end(def) &&
	       (!def->name || strlen(def->name) != len || memcmp(def->name, *words, len) != 0))
		def++;
	*words += len + strspn(*words + len, " ");
	return option_is_end(def) ? NULL : def;
}

int options_words(const struct option_def *def, char *buf, size_t size)
{
	char letter[4] = "", name[64] = "";

	if (def->letter)
		snprintf(letter, sizeof(letter), "-%c", def->letter);
	if (def->name)
		snprintf(name, sizeof(name), "--%s", def->name);
	return snprintf(buf, size, "%s%s%s%s%s", letter,
			*letter && *name ? ", " :
			*letter          ? "" :
					   "    ",
			name, def->arg ? (*name ? "=" : " ") : "", def->arg ? def->arg : "");
}

void options_group_words(const struct option_group *group, const char *between, struct text *out)
{
	for (const struct option_def *def = group->options; !option_is_end(def); def++) {
		text_add(out, def > group->options ? between : "");
		if (def->letter)
			text_printf(out, "-%c", def->letter);
		else
			text_printf(out, "--%s", def->name);
	}
}

const char *options_usage_words(const struct command_def *command, bool options, char *buf,
				size_t size)
{
	snprintf(buf, size, "ftop-trace%s%s%s%s%s", *command->name ? " " : "", command->name,
		 options && !option_is_end(command->options) ? " [OPTIONS]" : "",
		 *command->operands ? " " : "", command->operands);
	return buf;
}

/* --- folded text ------------------------------------------------------------------------------ */

struct page {
	FILE	*out;
	int	 width;		/* a line has at most this many cells */
	int	 at;		/* cells of the current line */
};

/* The terminal's width, else $COLUMNS, else 80. */
static struct page begin_page(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	int width = output_cells(fileno(out));

	if (!width && columns)
		width = atoi(columns);
	if (!width)
		width = DEFAULT_COLUMNS;
	width = width < MIN_COLUMNS ? MIN_COLUMNS : width > MAX_COLUMNS ? MAX_COLUMNS : width;
	return (struct page){ .out = out, .width = width };
}

static void end_line(struct page *page)
{
	fputc('\n', page->out);
	page->at = 0;
}

static void go_to(struct page *page, int column)
{
	if (page->at < column) {
		fprintf(page->out, "%*s", column - page->at, "");
		page->at = column;
	}
}

/* Words from here on, in lines that begin at @indent.  @len: bytes of @s. */
static void add_words(struct page *page, const char *s, size_t len, int indent)
{
	bool is_first = true;

	go_to(page, indent);
	for (size_t i = 0; i < len;) {
		size_t blanks = strspn(s + i, " \n"), word = strcspn(s + i + blanks, " \n");
		int cells;

		i += blanks;
		if (i >= len || !word)
			break;
		cells = text_cells(s + i, word);
		if (!is_first && page->at + 1 + cells > page->width) {
			end_line(page);
			go_to(page, indent);
		} else if (!is_first) {
			go_to(page, page->at + 1);
		}
		fwrite(s + i, 1, word, page->out);
		page->at += cells;
		is_first = false;
		i += word;
	}
	end_line(page);
}

/*
 * A line that begins with blanks keeps them, and the blanks between its name and what is said of
 * it; if it is folded, the rest begins where that does.
 */
static void add_listed(struct page *page, const char *s, size_t len)
{
	size_t start = strspn(s, " "), name = start;

	while (name + 1 < len && (s[name] != ' ' || s[name + 1] != ' '))
		name++;
	if (name + 1 >= len) {
		add_words(page, s, len, (int)start);
		return;
	}
	fwrite(s, 1, name, page->out);
	page->at = text_cells(s, name);
	start = name + strspn(s + name, " ");
	add_words(page, s + start, len - start, page->at + (int)(start - name));
}

/*
 * Fold paragraphs, which have an empty line between them. A line that begins with two blanks stays
 * as it is.
 */
static void add_paragraphs(struct page *page, const char *s)
{
	while (*s) {
		size_t len = strcspn(s, "\n");

		if (!len) {
			end_line(page);
		} else if (!strncmp(s, "  ", 2)) {
			add_listed(page, s, len);
		} else {
			while (s[len] == '\n' && s[len + 1] && s[len + 1] != '\n' &&
			       strncmp(s + len + 1, "  ", 2))
				len += 1 + strcspn(s + len + 1, "\n");
			add_words(page, s, len, 0);
		}
		s += len + (s[len] == '\n');
	}
}

/*
 * Words, and from a column on what they mean, up to an empty line; on the next line if the words
 * are too long.
 */
static void add_pair(struct page *page, const char *words, const char *help, int column)
{
	const char *rest = strstr(help, "\n\n");

	fprintf(page->out, "  %s", words);
	page->at = 2 + text_cells(words, strlen(words));
	if (page->at + 2 > column)
		end_line(page);
	add_words(page, help, rest ? (size_t)(rest - help) : strlen(help), column);
}

/* --- the texts -------------------------------------------------------------------------------- */

static void add_option(struct page *page, const struct option_def *def)
{
	char words[128];

	options_words(def, words, sizeof(words));
	add_pair(page, words, def->help, OPTION_COLUMN);
}

/* Those of groups are left out, unless they are only described with another command. */
static void add_options(struct page *page, const struct option_def *options,
			const struct option_heading *headings)
{
	for (; headings && headings->title; headings++) {
		const char *words = headings->options;
		const struct option_def *def;

		fprintf(page->out, "\n%s:\n", headings->title);
		while ((def = option_next_of(options, &words)))
			add_option(page, def);
	}
	if (headings)
		return;
	for (const struct option_def *def = options; !option_is_end(def); def++) {
		if (def->group && def->group->page)
			add_options(page, def->group->options, def->group->headings);
		if (!def->group && option_is_listed(def))
			add_option(page, def);
	}
}

/* A line for each group: "Rows    --grep --count --head", and what is special about them. */
static void add_groups(struct page *page, const struct command_def *command)
{
	bool any = false;

	for (const struct option_def *def = command->options; !option_is_end(def); def++) {
		struct text words = { 0 };

		if (!def->group || def->group->page)
			continue;
		if (!any)
			fputs("\nCommon options, which ftop-trace help options describes:\n",
			      page->out);
		any = true;
		options_group_words(def->group, " ", &words);
		if (def->help)
			text_printf(&words, ": %s", def->help);
		add_pair(page, def->group->title, text_str(&words), GROUP_COLUMN);
		text_fini(&words);
	}
}

void options_usage(const struct command_def *command, FILE *out)
{
	struct page page = begin_page(out);
	char words[128];

	fprintf(out, "Usage: %s\n\n", options_usage_words(command, true, words, sizeof(words)));
	add_paragraphs(&page, command->summary);
	if (command->examples) {
		fputs("\nExamples:\n", out);
		add_paragraphs(&page, command->examples);
	}
	if (command->details) {
		end_line(&page);
		add_paragraphs(&page, command->details);
	}
	if (option_is_end(command->options))
		return;
	fputs("\nOptions:\n", out);
	add_options(&page, command->options, command->headings);
	add_pair(&page, "-h, --help", "show this help", OPTION_COLUMN);
	add_groups(&page, command);
}

void options_help_groups(const struct option_group *const *groups, unsigned int nr, FILE *out)
{
	struct page page = begin_page(out);

	for (unsigned int i = 0; i < nr; i++) {
		fprintf(out, "%s%s:\n", i ? "\n" : "", groups[i]->title);
		add_options(&page, groups[i]->options, NULL);
	}
}

void options_overview(const struct command_def *const *commands, unsigned int nr, bool all,
		      FILE *out)
{
	struct page page = begin_page(out);

	fputs("ftop-trace: browse kernel traces (trace.dat) in the terminal\n\n"
	      "Usage: ftop-trace [OPTIONS] [FILE...]\n"
	      "       ftop-trace COMMAND [OPTIONS] [FILE...]\n\nCommands:\n",
	      out);
	for (unsigned int i = 0; i < nr; i++)
		if (*commands[i]->name && (all || commands[i]->is_main))
			add_pair(&page, commands[i]->name, commands[i]->summary, SUMMARY_COLUMN);
	if (!all) {
		fputs("\n", out);
		add_paragraphs(
			&page,
			"ftop-trace help all lists all commands, and the options of the browser.\n"
			"ftop-trace COMMAND --help describes a command. The default FILE is "
			"./trace.dat.");
		return;
	}
	fputs("\nOptions of the browser:\n", out);
	for (unsigned int i = 0; i < nr; i++)
		if (!*commands[i]->name)
			add_options(&page, commands[i]->options, NULL);
	add_pair(&page, "-h, --help", "show this help", OPTION_COLUMN);
	add_pair(&page, "    --version", "show the version of this program", OPTION_COLUMN);
	end_line(&page);
	add_paragraphs(
		&page,
		"ftop-trace COMMAND --help describes a command and its options, ftop-trace help options\n"
		"those that most commands have. The default\n"
		"FILE is ./trace.dat.");
}
