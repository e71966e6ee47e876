/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main - the entry point: finds the command, opens what it needs, shows errors.
 *
 * Where things are:
 *   src/options     tables of options, usage texts       src/cmd_*     one text command each
 *   src/trace*      the model: rows, times, tasks         src/workers   threads
 *   parsers/        bytes of trace.dat to records         ui/           the screen
 *
 * Only this file knows all layers: it wires them together.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/commands.h"
#include "src/text.h"

enum { EXIT_WORK = 1, EXIT_USAGE = 2 };

struct command {
	const struct command_def *def;
	int (*run)(const struct option_list *list, struct ft_error *err);
};

static const struct command commands[] = {
	{ &cmd_report_def, cmd_report },
	{ &cmd_info_def, cmd_info },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command_def *defs[NR_COMMANDS];

static int show_error(const struct ft_error *err)
{
	char line[1024];
	struct text shown = { 0 };

	/* The message may quote bytes of a file. */
	ft_error_text(err, NULL, line, sizeof(line));
	text_printable(&shown, line, strlen(line));
	fprintf(stderr, "ftop-trace: %s\n", text_str(&shown));
	text_fini(&shown);
	return err->code == FT_E_USAGE ? EXIT_USAGE : EXIT_WORK;
}

/* What was written may fail as late as now: a full disk must not pass for success. */
static int close_stdout(void)
{
	bool failed = ferror(stdout);

	if (fflush(stdout) == 0 && !failed)
		return 0;
	if (errno == EPIPE)
		return 0;
	fprintf(stderr, "ftop-trace: cannot write the output: %s\n", strerror(errno));
	return EXIT_WORK;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct ft_error err = { .offset = -1 };
	struct option_list list;
	int status;

	if (options_parse(command->def, argc, argv, &list, &err))
		return show_error(&err);
	if (list.help) {
		options_usage(command->def, stdout);
		options_fini(&list);
		return close_stdout();
	}
	status = command->run(&list, &err) ? show_error(&err) : 0;
	options_fini(&list);
	return status ? status : close_stdout();
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].def->name, name))
			return &commands[i];
	return NULL;
}

/* --help, --version and the texts that the build makes from the tables.  False: something else was asked. */
static bool answer_about_itself(const char *word)
{
	if (!strcmp(word, "--version"))
		puts(PACKAGE_STRING);
	else if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		options_overview(defs, NR_COMMANDS, stdout);
	else if (!strcmp(word, "--print-man"))
		options_man(defs, NR_COMMANDS, stdout);
	else if (!strcmp(word, "--print-completion"))
		options_completion(defs, NR_COMMANDS, stdout);
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	const struct command *command;

	setlocale(LC_ALL, "");
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		defs[i] = commands[i].def;
	if (argc > 1 && answer_about_itself(argv[1]))
		return close_stdout();
	command = argc > 1 ? find_command(argv[1]) : NULL;
	if (command)
		return run_command(command, argc - 2, argv + 2);
	options_overview(defs, NR_COMMANDS, stderr);
	return EXIT_USAGE;
}
