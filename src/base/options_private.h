/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_OPTIONS_PRIVATE_H
#define FTOP_SRC_BASE_OPTIONS_PRIVATE_H
/* options_private - what the parser of options and the texts made from their tables share. */
#include "src/base/options.h"
#include "src/base/text.h"

static inline bool option_is_end(const struct option_def *def)
{
	return !def->name && !def->letter && !def->group;
}

/* The options of a command one after the other, those of a group in its place. */
struct option_walk {
	const struct option_def *next;		/* begins with command_def.options */
	const struct option_def *in_group;	/* the next one of its group; NULL: not begun */
};

/* NULL: there are no more. */
const struct option_def *option_walk(struct option_walk *walk);

static inline bool option_is_listed(const struct option_def *def)
{
	return def->help && def->id != OPTION_REFUSED;
}

/*
 * The option in a word that takes an argument, or NULL.  @value: receives its argument in the same
 * word, or NULL: then the next word is it.
 */
const struct option_def *option_with_argument(const struct command_def *command, const char *word,
					      const char **value);

/* The next option of a heading; NULL: there are no more.  *@words: begins with heading->options */
const struct option_def *option_next_of(const struct option_def *options, const char **words);

/* "-F, --filter=EXPR"; an option without a letter begins with blanks. */
int options_words(const struct option_def *def, char *buf, size_t size);

/* Append "--from --to -F", the options of a group, with @between them. */
void options_group_words(const struct option_group *group, const char *between, struct text *out);

/* "ftop-trace report [FILE...]", with "[OPTIONS]" if @options. */
const char *options_usage_words(const struct command_def *command, bool options, char *buf,
				size_t size);
#endif
