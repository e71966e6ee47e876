/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main - the entry point: finds the command, opens what it needs, shows errors.  Wires all folders
 * together; ARCHITECTURE.md lists them.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/io/input.h"
#include "recorder/commands/record_commands.h"
#include "src/base/man.h"
#include "src/base/man_search.h"
#include "src/base/memory.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/commands/command_open.h"
#include "src/commands/commands.h"
#include "src/events/known_events.h"
#include "src/filter/filter_help.h"
#include "src/lists/sources.h"
#include "src/main/cmd_browse.h"
#include "src/main/cmd_live.h"
#include "src/main/guides.h"
#include "src/main/set_up.h"
#include "src/sandbox/broker.h"
#include "src/sandbox/confine.h"
#include "src/sandbox/spawner.h"
#include "src/trace/formats_option.h"
#include "src/trace/warnings.h"
#include "ui/app/man_pages.h"

enum { EXIT_WORK = 1, EXIT_USAGE = 2 };

struct main_command {
	const struct command_def *def;
	int (*run)(const struct option_list *list, struct ft_error *err);
	int (*each)(const struct command_file *file, struct ft_error *err);	/* instead */
	bool reads;	/* only reads files, so it is confined */
	bool writes;	/* and writes: another process creates the files that its options name */
	/* opens what it changes, with the user's rights and before it is confined; NULL: nothing */
	int (*opens)(const struct option_list *list, struct ft_error *err);
};

/* --- the commands ------------------------------------------------------------- */

#define LIST_COMMAND(name, ...) \
	{ .def = &name##_list_source.command, .each = list_command, .reads = true },

/* Help and manual page list them in this order. */
static const struct main_command commands[] = {
	{ .def = &cmd_browse_def, .run = cmd_browse },
	{ .def = &cmd_demo_def, .run = cmd_demo },
	{ .def = &cmd_record_def, .run = cmd_record },
	{ .def = &cmd_live_def, .run = cmd_live },
	{ .def = &cmd_report_def, .run = cmd_report, .reads = true },
	LIST_COMMAND(tasks)
	LIST_COMMAND(cpus)
	LIST_COMMAND(latency)
	LIST_SOURCES_WITH_COMMAND(LIST_COMMAND)
	{ .def = &cmd_diff_def, .run = cmd_diff, .reads = true },
	{ .def = &cmd_check_def, .run = cmd_check, .reads = true },
	LIST_COMMAND(functions)
	{ .def = &cmd_graph_def, .each = cmd_graph, .reads = true },
	{ .def = &cmd_timeline_def, .each = cmd_timeline, .reads = true },
	{ .def = &cmd_export_def, .run = cmd_export, .reads = true, .writes = true },
	{ .def = &cmd_summary_def, .each = cmd_summary, .reads = true },
	{ .def = &cmd_info_def, .each = cmd_info, .reads = true },
	{ .def = &cmd_fields_def, .each = cmd_fields, .reads = true },
	{ .def = &cmd_cut_def, .run = cmd_cut, .reads = true, .writes = true },
	{ .def = &cmd_symbols_def, .run = cmd_symbols, .reads = true, .writes = true,
	  .opens = cmd_symbols_open },
	{ .def = &cmd_hist_def, .run = cmd_hist, .reads = true },
	{ .def = &cmd_list_def, .run = cmd_list },
	{ .def = &cmd_doctor_def, .run = cmd_doctor },
	{ .def = &cmd_extract_def, .run = cmd_extract },
	{ .def = &cmd_recover_def, .run = cmd_recover },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command_def *defs[NR_COMMANDS];

static const struct option_group *const groups[] = { FILTER_OPTION_GROUPS };

#define NR_GROUPS (sizeof(groups) / sizeof(groups[0]))

static int show_error(const struct ft_error *err)
{
	char message[1024];
	struct text shown = { 0 };

	/* The message may quote bytes of a file. */
	ft_error_text(err, NULL, message, sizeof(message));
	for (const char *line = message; *line; line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		text_add(&shown, line > message ? "\n" : "");
		text_printable(&shown, line, len);
		line += len;
	}
	fprintf(stderr, "ftop-trace: %s\n", text_str(&shown));
	text_fini(&shown);
	return err->code == FT_E_USAGE ? EXIT_USAGE : EXIT_WORK;
}

/* Buffered output is written here: report a full disk. */
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

/* What a command writes is created by another process, which reads no trace. */
static struct broker *output_broker;

/* @paths: what it reads */
static int begin_output(const struct option_list *list, const char *const *paths, unsigned int nr,
			struct ft_error *err)
{
	static const struct command_def *const none[] = { NULL };
	struct broker_rules rules = { .commands = none, .files = paths, .nr_files = nr };

	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_value *v = &list->values[i];

		if (v->kind == OPTION_NEW || v->kind == OPTION_REPLACED)
			rules.output = v->value;
		else if (v->kind == OPTION_FOLDER)
			rules.folder = v->value;
		rules.streams_output |= v->kind == OPTION_REPLACED;
		rules.replaces_output |= v->kind == OPTION_REPLACED || v->id == COMMAND_FORCE;
	}
	if (!rules.output && !rules.folder)
		return 0;
	output_broker = broker_new(&rules, err);
	command_set_broker(output_broker);
	return output_broker ? 0 : -1;
}

/* The files of a text command: its operands, and those of options such as -i FILE. */
static int shut_in(const struct main_command *command, struct option_list *list,
		   struct ft_error *err)
{
	const char **paths = mem_array(1 + list->nr_operands + list->nr, sizeof(*paths));
	const char *formats;
	struct ft_error mistake = { 0 };
	unsigned int nr = 0;
	int ret = set_up_formats(list, &formats, err);

	paths[nr++] = command_file(list);
	for (unsigned int i = 1; i < list->nr_operands; i++)
		paths[nr++] = list->operands[i];
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->values[i].kind == OPTION_READ)
			paths[nr++] = list->values[i].value;
	if (formats)
		paths[nr++] = formats;
	if (!ret && command->def == &cmd_hist_def)
		ret = cmd_hist_read_kernel(list, err);
	if (!ret)
		ret = set_up_rights(paths, nr, false, err);
	if (!ret) {
		set_up_helpers();
		set_up_names(list);
		if (command->writes)
			ret = begin_output(list, paths, nr, err);
		if (command->opens && !ret)
			ret = command->opens(list, err);
	}
	free(paths);
	if (ret)
		return ret;
	set_up_tell_missing(confine_to_reading());
	if (!set_up_events(&mistake))
		warnings_tell("%s", mistake.message);
	return formats ? formats_option_read(formats, err) : 0;
}

/* "latency wakeup x.dat": a word that is no file may have been meant for an option. */
static int check_operands(const struct option_list *list, struct ft_error *err)
{
	const char *means = list->command->word_means, *at = means ? strstr(means, "%s") : NULL;

	for (unsigned int i = 0; at && i < list->nr_operands; i++) {
		const char *word = list->operands[i];

		if (strpbrk(word, "./") || !strcmp(word, INPUT_PATH) || !access(word, F_OK) ||
		    errno != ENOENT)
			continue;
		return ft_error_set(err, FT_E_USAGE, -1, "%s: no such file; did you mean %.*s%s%s?",
				    word, (int)(at - means), means, word, at + strlen("%s"));
	}
	return 0;
}

/* Would this command read a trace.dat, and is there none? */
static bool lacks_default(const struct main_command *command, const struct option_list *list)
{
	const char *operands = command->def->operands;
	bool given = list->nr_operands || !command->reads || command->def == &cmd_hist_def ||
		     !operands || !strstr(operands, "[FILE");

	for (unsigned int i = 0; i < list->nr; i++)
		given |= list->values[i].kind == OPTION_READ;
	return !given && access(command_file(list), F_OK) && errno == ENOENT;
}

static int run_command(const struct main_command *command, int argc, char **argv)
{
	struct ft_error err = { .offset = -1 };
	struct option_list list;
	bool lacks_file;
	int status;

	if (options_parse(command->def, argc, argv, &list, &err))
		return show_error(&err);
	if (list.help) {
		options_usage(command->def, stdout);
		options_fini(&list);
		return close_stdout();
	}
	lacks_file = lacks_default(command, &list);
	if (check_operands(&list, &err) || (command->reads && shut_in(command, &list, &err))) {
		options_fini(&list);
		return show_error(&err);
	}
	status = command->each ? command_each(&list, command->each, &err) :
				 command->run(&list, &err);
	if (status < 0 && lacks_file && err.code == FT_E_IO)
		ft_error_set(
			&err, FT_E_IO, -1,
			"there is no trace.dat in this folder; name the trace: ftop-trace %s FILE",
			command->def->name);
	if (status < 0)
		status = show_error(&err);
	options_fini(&list);
	formats_option_fini();
	known_events_fini();
	spawner_end();
	broker_free(output_broker);
	return status ? status : close_stdout();
}

static const struct main_command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].def->name, name))
			return &commands[i];
	return NULL;
}

static const char *nearest_command(const char *word)
{
	const char *words[NR_COMMANDS];

	for (size_t i = 0; i < NR_COMMANDS; i++)
		words[i] = commands[i].def->name;
	return options_nearest(word, words + 1, NR_COMMANDS - 1);
}

/*
 * A first word that is no command is a file.  One that is not there either, and looks like no path,
 * was meant as a command.
 */
static int check_word(const char *word, struct ft_error *err)
{
	const char *near;

	if (!*word || access(word, F_OK) == 0)
		return 0;
	if (strpbrk(word, "./"))
		return 0;
	near = nearest_command(word);
	return ft_error_set(err, FT_E_USAGE, -1, "no such file or command: %s%s%s%s", word,
			    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/*
 * The command's word: the first one, or one after options that are all this command's own.
 * Return: its index, or 0 if there is none.
 */
static int find_word(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const struct main_command *command = find_command(argv[i]);

		/* "--view tasks FILE": the browser's alone */
		if (i > 1 && !strcmp(argv[i - 1], "--view"))
			continue;
		if (command && *argv[i] && options_skip(command->def, i - 1, argv + 1) == i - 1)
			return i;
	}
	return 0;
}

/* --- completion ----------------------------------------------------------------- */

#define COMPLETE_SECONDS 3	/* whoever types waits */

static void complete_names(const struct main_command *command, const struct option_place *place)
{
	struct option_list list = { .operands = (const char *[]){ place->file },
				    .nr_operands = !!place->file };
	struct ft_error err = { .offset = -1 };
	const char *path = command_file(&list), *home = getenv("HOME");
	char below[4096];

	if (!strncmp(path, "~/", 2) && home) {
		snprintf(below, sizeof(below), "%s%s", home, path + 1);
		list.operands[0] = path = below;
	}
	kinds_complete(place, stdout);
	if (!command->reads)
		record_complete(place, stdout);
	else if (trace_complete_wants(place, path) && !shut_in(command, &list, &err))
		trace_complete(place, path, stdout);
}

/*
 * --complete LINE, for the files of share/: what may stand at the end of a line that is being
 * typed.  Prints no errors: they would end up in that line.
 */
static void give_up(int signal)
{
	(void)signal;
	_exit(0);
}

static int complete(const char *line)
{
	struct ft_error err = { .offset = -1 };
	const struct main_command *command;
	struct shell_words words = { 0 };
	struct option_place place;
	int at;

	signal(SIGALRM, give_up);
	alarm(COMPLETE_SECONDS);
	if (freopen("/dev/null", "w", stderr) && !shell_words_split_typed(&words, line, &err) &&
	    words.nr > 1) {
		at = find_word(words.nr - 1, words.words);
		command = at ? find_command(words.words[at]) : &commands[0];
		options_place(command->def, words.nr - 1 - at, words.words + 1 + at, &place);
		options_complete(defs, NR_COMMANDS, command->def, &place, stdout);
		if (place.argument)
			complete_names(command, &place);
	}
	shell_words_fini(&words);
	return close_stdout();
}

static void print_main_page(FILE *out)
{
	options_man(defs, NR_COMMANDS, groups, NR_GROUPS, out);
}

static void print_record_page(FILE *out)
{
	options_man_command(&cmd_record_def, out);
}

static void print_filter_page(FILE *out)
{
	man_begin("ftop-trace-filter", "7", "the filter language of ftop-trace", out);
	man_section("DESCRIPTION", out);
	man_text(filter_help, out);
	man_end("ftop-trace-filter", out);
}

/* In the order in which help WORD prints what they have: keys of JSON come last. */
static const struct man_page pages[] = {
	{ "ftop-trace.1", print_main_page },
	{ "ftop-trace-record.1", print_record_page },
	{ "ftop-trace-keys.7", man_pages_keys },
	{ "ftop-trace-filter.7", print_filter_page },
	{ "ftop-trace-config.5", man_pages_config },
	{ "ftop-trace-json.5", json_page },
};

#define NR_PAGES (sizeof(pages) / sizeof(pages[0]))

/* What the build asks for: the manual pages, made from the tables. */
static int print_page(const char *name)
{
	struct ft_error err = { .offset = -1 };

	if (set_up_check_events(&err))
		return show_error(&err);
	for (size_t i = 0; i < NR_PAGES; i++)
		if (!strcmp(pages[i].name, name)) {
			pages[i].print(stdout);
			return close_stdout();
		}
	if (!strcmp(name, "ftop-trace-verdicts.7")) {
		guides_find("verdicts")->print(stdout);
		return close_stdout();
	}
	ft_error_set(&err, FT_E_USAGE, -1, "--print-man: no page is named %s", name);
	return show_error(&err);
}

/* A page, option, key or term; the words are what was typed after "help". */
static int search_pages(int nr, char **words)
{
	struct ft_error err = { .offset = -1 };
	struct text word = { 0 };
	bool found;

	for (int i = 0; i < nr; i++)
		text_printf(&word, "%s%s", i ? " " : "", words[i]);
	if (set_up_check_events(&err)) {
		text_fini(&word);
		return show_error(&err);
	}
	found = man_search(pages, NR_PAGES, guides, NR_GUIDES, text_str(&word), stdout);
	if (!found) {
		const char *near = nearest_command(text_str(&word));

		ft_error_set(&err, FT_E_USAGE, -1, "no manual page or guide has '%s'%s%s%s",
			     text_str(&word), near ? "; did you mean " : "", near ? near : "",
			     near ? "?" : "");
	}
	text_fini(&word);
	return found ? close_stdout() : show_error(&err);
}

/*
 * "help", "help report": the same as "report --help"; "help locks": a guide; "help WORD": where the
 * manual or a guide has it.
 */
static int help(int argc, char **argv)
{
	const char *word = argc > 2 ? argv[2] : "--help";
	const struct main_command *command = argc == 3 ? find_command(word) : NULL;
	const struct man_page *guide = argc == 3 ? guides_find(word) : NULL;
	bool all = !strcmp(word, "all");

	if (!strcmp(word, "options"))
		options_help_groups(groups, NR_GROUPS, stdout);
	else if (all || !strcmp(word, "--help") || !strcmp(word, "-h"))
		options_overview(defs, NR_COMMANDS, all, stdout);
	else if (command && *word)
		options_usage(command->def, stdout);
	else if (guide)
		man_show(guide, stdout);
	else
		return search_pages(argc - 2, argv + 2);
	return close_stdout();
}

/* A trace: the command without a word. */
static int run_browser(int argc, char **argv)
{
	struct ft_error err = { .offset = -1 };
	int first = 1 + options_skip(&cmd_browse_def, argc - 1, argv + 1);

	if (first < argc && strcmp(argv[first], "--") != 0 &&
	    strcmp(argv[first], INPUT_PATH) != 0 && check_word(argv[first], &err))
		return show_error(&err);
	return run_command(&commands[0], argc - 1, argv + 1);
}

/*
 * --help, --version and the texts that the build makes from the tables. False if @word is something
 * else.
 */
static bool answer_about_itself(const char *word)
{
	if (!strcmp(word, "--version"))
		puts(PACKAGE_STRING);
	else if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		options_overview(defs, NR_COMMANDS, false, stdout);
	else
		return false;
	return true;
}

/*
 * A file that is opened as a descriptor of these would be written to by messages.  To write to a
 * standard output that was closed is an error.
 */
static void open_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR);
}

int main(int argc, char **argv)
{
	int at;

	open_standard_descriptors();
	setlocale(LC_ALL, "");
	signal(SIGPIPE, SIG_IGN);
	cmd_record_set_judge(cmd_live_judge);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		defs[i] = commands[i].def;
	at = find_word(argc, argv);
	if (at) {
		const struct main_command *command = find_command(argv[at]);

		memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
		return run_command(command, argc - 2, argv + 2);
	}
	if (argc > 1 && !strcmp(argv[1], "help") && access(argv[1], F_OK) != 0)
		return help(argc, argv);
	if (argc > 2 && !strcmp(argv[1], "--print-man"))
		return print_page(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "--complete"))
		return complete(argv[2]);
	if (argc > 1 && answer_about_itself(argv[1]))
		return close_stdout();
	return run_browser(argc, argv);
}
