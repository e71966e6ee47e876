/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_help - the texts of --help, folded to the width of the terminal. */
#include "src/base/options_private.h"

#include <string.h>

#include "src/base/fold.h"
#include "src/base/text.h"

#define OPTION_COLUMN	28	/* column of an option's help */
#define SUMMARY_COLUMN	14	/* column of a command's summary in the list of commands */
#define GROUP_COLUMN	10	/* column of the options of a group */

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

/*
 * Words, and from a column on what they mean, up to an empty line; on the next line if the words
 * are too long.
 */
static void add_pair(struct fold *page, const char *words, const char *help, int column)
{
	const char *rest = strstr(help, "\n\n");

	fprintf(page->out, "  %s", words);
	page->at = 2 + text_cells(words, strlen(words));
	if (page->at + 2 > column)
		fold_end_line(page);
	fold_words(page, help, rest ? (size_t)(rest - help) : strlen(help), column);
}

/* --- the texts -------------------------------------------------------------------------------- */

static void add_option(struct fold *page, const struct option_def *def)
{
	char words[128];

	options_words(def, words, sizeof(words));
	add_pair(page, words, def->help, OPTION_COLUMN);
}

/* Those of groups are left out, unless they are only described with another command. */
static void add_options(struct fold *page, const struct option_def *options,
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
static void add_groups(struct fold *page, const struct command_def *command)
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
	struct fold page = fold_begin(out);
	char words[128];

	fprintf(out, "Usage: %s\n\n", options_usage_words(command, true, words, sizeof(words)));
	fold_paragraphs(&page, command->summary);
	if (command->examples) {
		fputs("\nExamples:\n", out);
		fold_paragraphs(&page, command->examples);
	}
	if (command->details) {
		fold_end_line(&page);
		fold_paragraphs(&page, command->details);
	}
	if (option_is_end(command->options))
		return;
	fputs("\nOptions:\n", out);
	add_options(&page, command->options, command->headings);
	add_pair(&page, "-h, --help", "show this help", OPTION_COLUMN);
	add_groups(&page, command);
	if (!command->page)
		return;
	fold_end_line(&page);
	fold_paragraphs(&page,
			"The manual page says more. ftop-trace help WORD finds an option or a "
			"section of it: ftop-trace help until");
}

void options_help_groups(const struct option_group *const *groups, unsigned int nr, FILE *out)
{
	struct fold page = fold_begin(out);

	for (unsigned int i = 0; i < nr; i++) {
		fprintf(out, "%s%s:\n", i ? "\n" : "", groups[i]->title);
		add_options(&page, groups[i]->options, NULL);
	}
}

void options_overview(const struct command_def *const *commands, unsigned int nr, bool all,
		      FILE *out)
{
	struct fold page = fold_begin(out);

	fputs("ftop-trace: browse kernel traces (trace.dat) in the terminal\n\n"
	      "Usage: ftop-trace [OPTIONS] [FILE...]\n"
	      "       ftop-trace COMMAND [OPTIONS] [FILE...]\n\nCommands:\n",
	      out);
	for (unsigned int i = 0; i < nr; i++)
		if (*commands[i]->name && (all || commands[i]->is_main))
			add_pair(&page, commands[i]->name, commands[i]->summary, SUMMARY_COLUMN);
	if (!all) {
		fputs("\n", out);
		fold_paragraphs(
			&page,
			"ftop-trace help all lists all commands, and the options of the browser.\n"
			"ftop-trace COMMAND --help describes a command, and ftop-trace help WORD finds an "
			"option, a key or a term. ftop-trace help first-steps is a guide, and so are "
			"from-other-tools, guests, locks and install. The default FILE is ./trace.dat.");
		return;
	}
	fputs("\nOptions of the browser:\n", out);
	for (unsigned int i = 0; i < nr; i++)
		if (!*commands[i]->name)
			add_options(&page, commands[i]->options, NULL);
	add_pair(&page, "-h, --help", "show this help", OPTION_COLUMN);
	add_pair(&page, "    --version", "show the version of this program", OPTION_COLUMN);
	fold_end_line(&page);
	fold_paragraphs(
		&page,
		"ftop-trace COMMAND --help describes a command and its options, and ftop-trace help options "
		"those that most commands have. ftop-trace help WORD finds an option, a key or a term in the "
		"manual and in the guides, and prints a guide: first-steps, from-other-tools, guests, locks, install. "
		"The default FILE is ./trace.dat.");
}
