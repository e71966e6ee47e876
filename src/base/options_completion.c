/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_completion - what a shell may complete, from the tables of commands and options. */
#include "src/base/options_private.h"

#include <ctype.h>
#include <string.h>

#include "src/base/text.h"

static void set_argument(struct option_place *place, const struct option_def *def)
{
	place->argument = def->arg;
	place->kind = def->kind;
}

void options_place(const struct command_def *command, int argc, char **argv,
		   struct option_place *place)
{
	bool only_operands = false;

	*place = (struct option_place){ .word = argv[argc - 1], .typed = argv[argc - 1] };
	for (int i = 0; i < argc; i++) {
		bool last = i + 1 == argc;
		bool dash = !only_operands && argv[i][0] == '-' && (argv[i][1] || last);
		const char *value = NULL;
		const struct option_def *def = NULL;

		if (dash)
			def = option_with_argument(command, argv[i], &value);
		if (def && !value && i + 2 == argc) {
			set_argument(place, def);
			break;
		}
		if (last && value) {
			set_argument(place, def);
			place->typed = value;
		} else if (last) {
			place->is_option = dash;
		} else if (def) {
			value = value ? value : argv[++i];
			if (!place->file &&
			    (def->kind == OPTION_READ || def->kind == OPTION_OPERAND))
				place->file = value;
		} else if (!dash) {
			place->file = place->nr_operands++ ? place->file : argv[i];
			only_operands |= command->operand_kind == OPERANDS_COMMAND;
		} else if (!strcmp(argv[i], "--")) {
			only_operands = true;
		}
	}
	/* in a list, only its last member is being typed */
	if (place->argument && strstr(place->argument, ",...") && strchr(place->typed, ','))
		place->typed = strrchr(place->typed, ',') + 1;
}

void options_offer(const struct option_place *place, const char *word, const char *help, FILE *out)
{
	struct text line = { 0 };

	if (strncmp(word, place->typed, strlen(place->typed)) != 0)
		return;
	text_bytes(&line, place->word, place->typed - place->word);
	text_add(&line, word);
	text_char(&line, '\t');
	for (bool more = help && *help; more;) {
		size_t len = strcspn(help, "\n");

		text_printable(&line, help, len);
		more = help[len] && help[len + 1] && help[len + 1] != '\n';
		text_add(&line, more ? " " : "");
		help += len + 1;
	}
	fprintf(out, "%s\n", text_str(&line));
	text_fini(&line);
}

/* "text|csv|FILE": the literal values, in small letters and digits. */
static void offer_values(const struct option_place *place, FILE *out)
{
	for (const char *arg = place->argument; *arg;) {
		size_t len = strcspn(arg, "|");
		char value[64];

		snprintf(value, sizeof(value), "%.*s", (int)len, arg);
		if (!isupper((unsigned char)*arg))
			options_offer(place, value, NULL, out);
		arg += len + (arg[len] == '|');
	}
}

static void offer_options(const struct command_def *command, const struct option_place *place,
			  FILE *out)
{
	struct option_walk walk = { .next = command->options };
	const struct option_def *def;

	while ((def = option_walk(&walk))) {
		char word[64];

		if (!option_is_listed(def))
			continue;
		if (def->name)
			snprintf(word, sizeof(word), "--%s%s", def->name, def->arg ? "=" : "");
		else
			snprintf(word, sizeof(word), "-%c", def->letter);
		options_offer(place, word, def->help, out);
	}
	options_offer(place, "--help", "show this help", out);
	if (!*command->name)
		options_offer(place, "--version", "show the version of this program", out);
}

static void offer_commands(const struct command_def *const *commands, unsigned int nr,
			   const struct option_place *place, FILE *out)
{
	for (unsigned int i = 0; i < nr; i++)
		if (*commands[i]->name)
			options_offer(place, commands[i]->name, commands[i]->summary, out);
}

static void complete_operand(const struct command_def *const *commands, unsigned int nr,
			     const struct command_def *command, const struct option_place *place,
			     FILE *out)
{
	bool first = !*command->name && !place->nr_operands;
	bool help = !*command->name && place->nr_operands && !strcmp(place->file, "help");

	if (first)
		options_offer(place, "help", "describe a command and its options", out);
	if (help)
		options_offer(place, "options", "describe the options that most commands have",
			      out);
	if (first || help)
		offer_commands(commands, nr, place, out);
	if (help || !command->max_operands)
		return;
	if (command->operand_kind == OPERANDS_COMMAND && !place->nr_operands)
		fputs(":commands\n", out);
	else if (command->operand_kind != OPERANDS_WORDS)
		fputs(":files\n", out);
}

void options_complete(const struct command_def *const *commands, unsigned int nr,
		      const struct command_def *command, const struct option_place *place,
		      FILE *out)
{
	fprintf(out, ":word\t%s\n", place->word);
	if (!place->argument && place->is_option) {
		offer_options(command, place, out);
	} else if (!place->argument) {
		complete_operand(commands, nr, command, place, out);
	} else {
		offer_values(place, out);
		if (place->kind != OPTION_WORD)
			fputs(":files\n", out);
	}
}
