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
#include <sys/prctl.h>
#include <unistd.h>

#include "parsers/ctf/ctf_helper.h"
#include "parsers/ctf/ctf_source.h"
#include "parsers/io/archive.h"
#include "parsers/io/input.h"
#include "parsers/io/temporary.h"
#include "parsers/open/open.h"
#include "parsers/perf/perf_kernel.h"
#include "parsers/perf/perf_source.h"
#include "parsers/printer/printer.h"
#include "parsers/printer/printer_helper.h"
#include "recorder/commands/record_commands.h"
#include "recorder/tracefs/event_formats.h"
#include "recorder/tracefs/invoker.h"
#include "src/base/man.h"
#include "src/base/memory.h"
#include "src/base/paths.h"
#include "src/base/shell_words.h"
#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/commands/command_open.h"
#include "src/commands/commands.h"
#include "src/commands/derived_names.h"
#include "src/commands/judge.h"
#include "src/commands/live_text.h"
#include "src/events/known_events.h"
#include "src/filter/filter_help.h"
#include "src/latency/latency_kinds.h"
#include "src/lists/sources.h"
#include "src/sandbox/broker.h"
#include "src/sandbox/confine.h"
#include "src/sandbox/spawner.h"
#include "src/symbols/elf_helper.h"
#include "src/trace/formats_option.h"
#include "src/trace/warnings.h"
#include "src/trace/offset_option.h"
#include "src/trace/trace.h"
#include "ui/app/app.h"
#include "ui/app/man_pages.h"
#include "ui/screen/theme.h"

enum { EXIT_WORK = 1, EXIT_USAGE = 2 };

#define HEAD_BYTES	(2u << 20)	/* bytes of a long text to show while the rest is read */
#define OTHER_FILES	4u	/* compressed files that :e may open */

struct main_command {
	const struct command_def *def;
	int (*run)(const struct option_list *list, struct ft_error *err);
	int (*each)(const struct command_file *file, struct ft_error *err);	/* instead */
	bool reads;	/* only reads files, so it is confined */
	bool writes;	/* and writes: another process creates the files that its options name */
	/* opens what it changes, with the user's rights and before it is confined; NULL: nothing */
	int (*opens)(const struct option_list *list, struct ft_error *err);
};

/* --- the user's events -------------------------------------------------------- */

static int check_colour(const char *text, struct ft_error *err)
{
	if (theme_role(text) != NR_ROLES)
		return 0;
	return ft_error_set(err, FT_E_FORMAT, -1, "no role of the themes is called %s", text);
}

static const struct known_checks event_checks = { check_colour, latency_kinds_check };

/* Reads the folder events; false, with a message: there is a mistake in them. */
static bool read_events(struct ft_error *err)
{
	char path[4096];

	return !known_events_read(paths_config("events", path, sizeof(path)), &event_checks, err);
}

/* --- browsing: the command without a word ------------------------------------ */

enum {
	OPT_THEME,
	OPT_COLORS,
	OPT_ASCII,
	OPT_NO_MOUSE,
	OPT_HOLD,
	OPT_SCRIPT,
	OPT_RECORDER,
	OPT_RECORDED,
	OPT_VIEW,
	OPT_AT,
	OPT_FILTER,
	OPT_LIVE
};

static const struct option_def browse_options[] = {
	{ "theme", 0, "dark|light|mono|high-contrast|colour-blind|FILE", OPT_THEME,
	  "name of a theme, or a theme file", OPTION_PATH },
	{ "colors", 0, "mono|16|256|rgb", OPT_COLORS, "use at most this many colours" },
	{ "ascii", 0, NULL, OPT_ASCII, "draw with ASCII characters only" },
	{ "no-mouse", 0, NULL, OPT_NO_MOUSE, "leave the mouse to the terminal" },
	{ "view", 0, "VIEW", OPT_VIEW, "begin with this view: events, graph, timeline, latency..." },
	{ "at", 0, "TIME", OPT_AT,
	  "begin at this time, or place ('7.5 cpu3', '7.5 pid80'); the keys y l copy a command with the "
	  "view, the place and the filter" },
	{ "filter", 'F', "EXPR", OPT_FILTER,
	  "begin with only the events that match, see ftop-trace-filter(7)" },
	{ "live", 0, NULL, OPT_LIVE, "show it as it was recorded: the view Now plays it" },
	/* tests: the page directory stops there */
	{ "hold-index", 0, "PERMILLE", OPT_HOLD, NULL },
	{ "recorder", 0, "PROGRAM", OPT_RECORDER, NULL, OPTION_PATH }, /* tests: another recorder */
	/* record: the program that the user's shell gave it */
	{ "recorded", 0, "COMMAND", OPT_RECORDED, NULL },
	/* tests: keys from a file, screens to stdout */
	{ "script", 0, "FILE", OPT_SCRIPT, NULL, OPTION_PATH },
	OFFSET_OPTION,
	FORMATS_OPTION,
	OPTION_END,
};

static const struct command_def browse_def = {
	.name = "",
	.operands = "[FILE...]",
	.summary = "browse one or several traces",
	.details = "Without a FILE, opens ./trace.dat, or a start screen if it does not exist. Several files share one\n"
		   "time line. In the browser, ? lists the keys, and R opens the record screen.\n\n"
		   "A FILE may be a trace.dat, a perf.data, a trace of Perfetto, the text of a trace, or a copy\n"
		   "of an event's file hist, whose histograms are shown as tables; - reads standard input. A\n"
		   "text from a pipe is shown while it comes: cat trace_pipe | ftop-trace -",
	.max_operands = 1024,
	.options = browse_options,
};

static const struct command_def demo_def = {
	.name = "demo",
	.operands = "",
	.summary = "browse the sample trace that comes with the program",
	.options = browse_options,
};

struct browse_options {
	struct app_options	app;
	struct trace_options	trace;
	const struct option_list *list;		/* --offset is in it */
	const char		*recorded;
	char			demo[4096];
	char			program[4096];
};

static int browse_option(struct browse_options *options, const struct option_value *option,
			 struct ft_error *err)
{
	/* as enum theme_depth */
	static const char *const depths[] = { "mono", "16", "256", "rgb" };
	long long n;

	switch (option->id) {
	case OPT_THEME:
		options->app.theme = option->value;
		break;
	case OPT_COLORS:
		options->app.depth = options_choice("--colors", option->value, depths, 4, err);
		return options->app.depth < 0 ? -1 : 0;
	case OPT_ASCII:
		options->app.ascii = true;
		break;
	case OPT_NO_MOUSE:
		options->app.no_mouse = true;
		break;
	case OPT_HOLD:
		if (options_number("--hold-index", option->value, 0, 1000, &n, err))
			return -1;
		options->trace.hold_permille = n;
		break;
	case OPT_RECORDER:
		options->app.program = option->value;
		break;
	case OPT_RECORDED:
		options->recorded = option->value;
		break;
	case OPT_VIEW:
		options->app.view = option->value;
		break;
	case OPT_AT:
		options->app.at = option->value;
		break;
	case OPT_FILTER:
		options->app.filter = option->value;
		break;
	case OPT_SCRIPT:
		options->app.script = option->value;
		break;
	case OPT_LIVE:
		options->app.plays = true;
		break;
	}
	return 0;
}

static int browse_options_init(struct browse_options *options, const struct option_list *list,
			       struct ft_error *err)
{
	ssize_t len;

	*options = (struct browse_options){ .app.depth = -1, .trace.hold_permille = -1,
					    .trace.histograms = true,
					    .trace.filter_names = derived_names,
					    .list = list };
	options->app.trace_options = &options->trace;
	options->app.demo = paths_demo(options->demo, sizeof(options->demo));
	options->app.record = &cmd_record_def;
	/* a path, because /proc/self would be sudo in a child of sudo */
	len = readlink("/proc/self/exe", options->program, sizeof(options->program) - 1);
	if (len > 0) {
		options->program[len] = '\0';
		options->app.program = options->program;
	}
	for (unsigned int i = 0; i < list->nr; i++)
		if (browse_option(options, &list->values[i], err))
			return -1;
	if (!options->app.script)
		options->trace.head_bytes = HEAD_BYTES;
	return 0;
}

/*
 * Under sudo, open the files as root, then become the user who called sudo.  @follows: a pipe is
 * not read to its end here.
 */
static int become_user(const char *const *paths, unsigned int nr, bool follows,
		       struct ft_error *err)
{
	struct invoker who;
	int ret;

	ret = invoker_find(&who, NULL, err);
	for (unsigned int i = 0; i < nr && !ret; i++)
		if (!strcmp(paths[i], INPUT_PATH))
			ret = input_begin(follows, err);
		else if (who.other)
			archive_open_ahead(paths[i]);
	if (!ret)
		ret = invoker_become(&who, err);
	invoker_fini(&who);
	return ret;
}

/* A pipe or an archive: what is in it is only known when it is read. */
static bool is_wrapped(const char *path)
{
	return !strcmp(path, INPUT_PATH) || archive_is_at(path);
}

static int drop_rights(const char *const *paths, unsigned int nr, bool follows,
		       struct ft_error *err)
{
	confine_close_inherited();
	for (unsigned int i = 0; i < nr; i++)
		if (is_wrapped(paths[i]) || perf_source_is_at(paths[i]))
			perf_kernel_open_ahead();
	return become_user(paths, nr, follows, err);
}

/* The file of --formats, or NULL.  Those of the running kernel are read with root's rights. */
static int find_formats(const struct option_list *list, const char **path, struct ft_error *err)
{
	char line[sizeof(err->message)];

	*path = formats_option_value(list);
	if (!*path || strcmp(*path, FORMATS_RUNNING) != 0)
		return 0;
	*path = NULL;
	if (!event_formats_read(formats_option_add, err))
		return 0;
	snprintf(line, sizeof(line), "%s", err->message);
	return ft_error_set(err, err->code, -1,
			    "--formats running: %s; use sudo, or name a trace.dat of that kernel",
			    line);
}

/* The user's own rights are what any program has; root's are worth a line. */
static void tell_missing(struct confine in_force)
{
	const char *missing = confine_missing(&in_force);

	if (missing && !geteuid())
		fprintf(stderr, "ftop-trace: %s\n", missing);
}

static int start_printer(void)
{
	return spawner_start(SPAWNER_PRINTER);
}

static int start_ctf(void)
{
	return spawner_start(SPAWNER_CTF);
}

/* Libraries work in processes of their own, which a confined process cannot start. */
static void start_helpers(void)
{
	static spawner_serve *const serve[SPAWNER_TASKS] = {
		[SPAWNER_PRINTER] = printer_helper_serve,
		[SPAWNER_ELF] = elf_helper_serve,
		[SPAWNER_CTF] = ctf_helper_serve,
	};

	spawner_begin(serve);
	printer_set_helper(start_printer);
	ctf_set_helper(start_ctf);
}

/*
 * A confined process cannot create the temporary files that traces are unpacked to, or converted.
 * What is in a pipe or an archive is not known yet.
 */
static unsigned int nr_temporary(const char *const *paths, unsigned int nr)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < nr; i++)
		found += !strcmp(paths[i], INPUT_PATH) ? 3 :
			 archive_is_at(paths[i])       ? 2 :
							 source_takes_file(paths[i]);
	return found;
}

/* The browser writes its own files in two folders; the broker creates all others. */
static struct confine confine_browser(bool has_terminal)
{
	char config[4096], state[4096];
	const char *folders[2];
	unsigned int nr = 0;

	if (paths_config("", config, sizeof(config)))
		folders[nr++] = config;
	if (paths_state("", state, sizeof(state)))
		folders[nr++] = state;
	for (unsigned int i = 0; i < nr && has_terminal; i++)
		small_file_folders(folders[i]);		/* later would be too late */
	return confine_to_folders(folders, nr);
}

/* A text from a pipe is opened when its first lines are there, anything else as a whole. */
static struct trace *open_first(const char *const *paths, unsigned int nr,
				const struct trace_options *opening, struct ft_error *err)
{
	struct trace *trace = NULL;

	if (input_follow(err))
		return NULL;
	do {
		bool more = input_wait();

		trace = trace_open(paths, nr, false, opening, err);
		if (!more)
			break;
	} while (!trace && err->code == FT_E_FORMAT);
	return trace;
}

static int browse_shut_in(struct browse_options *options, const char *const *paths, unsigned int nr,
			  const char *formats, struct ft_error *err)
{
	struct trace_options opening;
	struct trace_offset *offsets;
	struct trace *trace = NULL;
	const struct confine in_force = confine_browser(!options->app.script);
	struct ft_error mistake = { 0 };

	options->app.notice = confine_missing(&in_force);
	if (!options->app.script && !read_events(&mistake))
		options->app.mistake = mistake.message;
	if (formats && formats_option_read(formats, err))
		return -1;
	options->trace.formats = formats_option_get();
	opening = options->trace;
	if (offset_option_find(options->list, paths, nr, &offsets, err))
		return -1;
	opening.offsets = offsets;
	opening.follow = true;
	opening.progress.tell = warnings_opening;
	if (nr)
		trace = open_first(paths, nr, &opening, err);
	free(offsets);
	if (nr && !trace)
		return -1;
	return app_run(trace, &options->app, err);
}

/* Keys come from the terminal, if the trace came from a pipe. */
static void take_terminal(void)
{
	int fd = isatty(STDIN_FILENO) ? -1 : open("/dev/tty", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	close(fd);
}

static int browse_files(struct browse_options *options, const char *const *paths, unsigned int nr,
			struct ft_error *err)
{
	static const struct command_def *const asked[] = { &cmd_list_def, &cmd_doctor_def,
							   &cmd_record_def, &cmd_recover_def,
							   NULL };
	const struct broker_rules rules = { .program = options->app.program,
					    .commands = asked,
					    .second_file = cmd_record_second_file,
					    .files = paths,
					    .nr_files = nr,
					    .confirmed = options->recorded };
	unsigned int temporary = nr_temporary(paths, nr) + OTHER_FILES;
	const char *formats;
	int ret = -1;

	if (find_formats(options->list, &formats, err))
		return -1;
	if (formats)
		archive_open_ahead(formats);
	if (!drop_rights(paths, nr, nr == 1 && !options->app.script, err)) {
		take_terminal();
		temporary_reserve(temporary);
		start_helpers();
		options->app.broker = broker_new(&rules, err);
		if (options->app.broker)
			ret = browse_shut_in(options, paths, nr, formats, err);
		broker_free(options->app.broker);
	}
	return ret;
}

static int browse(const struct option_list *list, struct ft_error *err)
{
	static const char *const here[] = { "trace.dat" };
	struct browse_options options;

	if (browse_options_init(&options, list, err))
		return -1;
	if (list->nr_operands)
		return browse_files(&options, list->operands, list->nr_operands, err);
	return browse_files(&options, here, access(here[0], F_OK) == 0 ? 1 : 0, err);
}

static int demo(const struct option_list *list, struct ft_error *err)
{
	struct browse_options options;

	if (browse_options_init(&options, list, err))
		return -1;
	if (!options.app.demo) {
		paths_data("demo.dat", options.demo, sizeof(options.demo));
		return ft_error_set(err, FT_E_IO, -1, "%s: the sample trace is not installed there",
				    options.demo);
	}
	options.app.tour = !options.app.plays;
	return browse_files(&options, &options.app.demo, 1, err);
}

static int live_browse(const struct option_list *list, struct ft_error *err)
{
	static const struct option_list none = { .command = &browse_def };
	struct text line = { 0 }, confirmed = { 0 };
	struct shell_words words = { 0 };
	struct browse_options options;
	int ret = browse_options_init(&options, &none, err);

	if (!ret) {
		record_live_words(list, &words);
		shell_words_join(&words, &line);
		/* the user gave it on the command line */
		broker_doubts(&cmd_record_def, list, &confirmed);
		options.app.live = text_str(&line);
		options.recorded = confirmed.len ? text_str(&confirmed) : NULL;
		ret = browse_files(&options, NULL, 0, err);
	}
	shell_words_fini(&words);
	text_fini(&line);
	text_fini(&confirmed);
	return ret;
}

/* record --until: a process of its own, which reads the trace. */
static void judge(const struct judge_options *options, int fd)
{
	static const struct command_def *const none[] = { NULL };
	const struct broker_rules rules = { .commands = none, .output = options->output,
					    .replaces_output = true,
					    .nr_beside = options->split ? options->hits : 0,
					    .on_hit = options->on_hit };
	struct broker *broker = NULL;
	struct ft_error err = { .offset = -1 };

	prctl(PR_SET_NAME, "ftop-judge");
	child_close_others(fd);
	if (!become_user(NULL, 0, false, &err)) {
		start_helpers();
		broker = broker_new(&rules, &err);
	}
	if (!broker) {
		warnings_tell("%s", err.message);
	} else {
		confine_to_reading();
		if (!read_events(&err))
			warnings_tell("%s", err.message);
		judge_run(options, broker, fd);
	}
	spawner_end();
	broker_free(broker);
}

/* The recorder is started first, with the rights that the rest does not keep. */
static int start_live_text(struct live_text *text, const struct option_list *list,
			   struct ft_error *err)
{
	const char *part = live_text_part(list);
	struct shell_words words = { 0 };
	char program[4096] = "";
	int ret;

	if (part) {
		live_text_follow(text, part);
		return 0;
	}
	/* a path, so that the recorder's task has the program's name */
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		return ft_error_errno(err, errno, -1, "/proc/self/exe");
	shell_words_add(&words, program);
	shell_words_add(&words, "record");
	shell_words_add(&words, "--no-browse");
	shell_words_addf(&words, "--status-fd=%d", CHILD_FD);
	record_live_words(list, &words);
	ret = live_text_record(text, &words, err);
	shell_words_fini(&words);
	return ret;
}

static int live_print(const struct option_list *list, struct ft_error *err)
{
	struct live_text *text = live_text_new(list);
	struct ft_error mistake = { 0 };
	int ret;

	confine_close_inherited();
	ret = start_live_text(text, list, err);
	if (!ret)
		ret = become_user(NULL, 0, false, err);
	if (!ret) {
		start_helpers();
		tell_missing(confine_to_reading());
		if (!read_events(&mistake))
			warnings_tell("%s", mistake.message);
		ret = live_text_run(text, err);
	}
	live_text_free(text);
	return ret;
}

static int live(const struct option_list *list, struct ft_error *err)
{
	int prints = live_text_wanted(list, err);

	return prints < 0 ? -1 : prints ? live_print(list, err) : live_browse(list, err);
}

/* --- the commands ------------------------------------------------------------- */

#define LIST_COMMAND(name, ...) \
	{ .def = &name##_list_source.command, .each = list_command, .reads = true },

/* Help and manual page list them in this order. */
static const struct main_command commands[] = {
	{ .def = &browse_def, .run = browse },
	{ .def = &demo_def, .run = demo },
	{ .def = &cmd_record_def, .run = cmd_record },
	{ .def = &cmd_live_def, .run = live },
	{ .def = &cmd_report_def, .run = cmd_report, .reads = true },
	{ .def = &cmd_tasks_def, .each = cmd_tasks, .reads = true },
	{ .def = &cmd_cpus_def, .each = cmd_cpus, .reads = true },
	{ .def = &cmd_wakeups_def, .each = cmd_wakeups, .reads = true },
	{ .def = &cmd_latency_def, .each = cmd_latency, .reads = true },
	LIST_SOURCES_WITH_COMMAND(LIST_COMMAND)
	{ .def = &cmd_diff_def, .run = cmd_diff, .reads = true },
	{ .def = &cmd_check_def, .run = cmd_check, .reads = true },
	{ .def = &cmd_stacks_def, .each = cmd_stacks, .reads = true },
	{ .def = &cmd_functions_def, .each = cmd_functions, .reads = true },
	{ .def = &cmd_graph_def, .each = cmd_graph, .reads = true },
	{ .def = &cmd_timeline_def, .each = cmd_timeline, .reads = true },
	{ .def = &cmd_why_def, .each = cmd_why, .reads = true },
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
	unsigned int nr = 0, temporary;
	int ret = find_formats(list, &formats, err);

	paths[nr++] = command_file(list);
	for (unsigned int i = 1; i < list->nr_operands; i++)
		paths[nr++] = list->operands[i];
	for (unsigned int i = 0; i < list->nr; i++)
		if (list->values[i].kind == OPTION_READ)
			paths[nr++] = list->values[i].value;
	if (formats)
		paths[nr++] = formats;
	temporary = nr_temporary(paths, nr);
	if (!ret && command->def == &cmd_hist_def)
		ret = cmd_hist_read_kernel(list, err);
	if (!ret)
		ret = drop_rights(paths, nr, false, err);
	if (!ret) {
		temporary_reserve(temporary);
		start_helpers();
		if (command->writes)
			ret = begin_output(list, paths, nr, err);
		if (command->opens && !ret)
			ret = command->opens(list, err);
	}
	free(paths);
	if (ret)
		return ret;
	tell_missing(confine_to_reading());
	if (!read_events(&mistake))
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

static int run_command(const struct main_command *command, int argc, char **argv)
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
	if (check_operands(&list, &err) || (command->reads && shut_in(command, &list, &err))) {
		options_fini(&list);
		return show_error(&err);
	}
	status = command->each ? command_each(&list, command->each, &err) :
				 command->run(&list, &err);
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

static int not_a_command(const char *what, const char *word, struct ft_error *err)
{
	const char *words[NR_COMMANDS];
	const char *near;

	for (size_t i = 0; i < NR_COMMANDS; i++)
		words[i] = commands[i].def->name;
	near = options_nearest(word, words + 1, NR_COMMANDS - 1);
	return ft_error_set(err, FT_E_USAGE, -1, "no such %s: %s%s%s%s", what, word,
			    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/*
 * A first word that is no command is a file.  One that is not there either, and looks like no path,
 * was meant as a command.
 */
static int check_word(const char *word, struct ft_error *err)
{
	if (!*word || access(word, F_OK) == 0)
		return 0;
	if (strpbrk(word, "./"))
		return 0;
	return not_a_command("file or command", word, err);
}

/*
 * The command's word: the first one, or one after options that are all this command's own.
 * Return: its index, or 0 if there is none.
 */
static int find_word(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const struct main_command *command = find_command(argv[i]);

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

static const struct {
	const char	*name;
	void		(*print)(FILE *out);
} pages[] = {
	{ "ftop-trace.1", print_main_page },
	{ "ftop-trace-record.1", print_record_page },
	{ "ftop-trace-config.5", man_pages_config },
	{ "ftop-trace-filter.7", print_filter_page },
	{ "ftop-trace-json.5", json_page },
	{ "ftop-trace-keys.7", man_pages_keys },
};

/* What the build asks for: the manual pages, made from the tables. */
static int print_page(const char *name)
{
	struct ft_error err = { .offset = -1 };

	if (known_events_check(&event_checks, &err))
		return show_error(&err);
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (!strcmp(pages[i].name, name)) {
			pages[i].print(stdout);
			return close_stdout();
		}
	ft_error_set(&err, FT_E_USAGE, -1, "--print-man: no page is named %s", name);
	return show_error(&err);
}

/* Is there a manual page ftop-trace-WORD? */
static bool has_page(const char *word)
{
	size_t len = strlen(word), begin = strlen("ftop-trace-");

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (strlen(pages[i].name) == begin + len + 2 &&
		    !memcmp(pages[i].name + begin, word, len))
			return true;
	return false;
}

/* "help", "help report": the same as "report --help". */
static int help(int argc, char **argv)
{
	struct ft_error err = { .offset = -1 };
	const struct main_command *command = argc > 2 ? find_command(argv[2]) : NULL;

	if (argc > 2 && !strcmp(argv[2], "options")) {
		options_help_groups(groups, NR_GROUPS, stdout);
		return close_stdout();
	}
	if (argc > 2 && argv[2][0] == '-')
		command = NULL;
	else if (argc > 2 && !command) {
		if (has_page(argv[2]))
			ft_error_set(&err, FT_E_USAGE, -1,
				     "'%s' is a manual page: man ftop-trace-%s", argv[2], argv[2]);
		else
			not_a_command("command", argv[2], &err);
		return show_error(&err);
	}
	if (command)
		options_usage(command->def, stdout);
	else
		options_overview(defs, NR_COMMANDS, stdout);
	return close_stdout();
}

/* A trace: the command without a word. */
static int run_browser(int argc, char **argv)
{
	struct ft_error err = { .offset = -1 };
	int first = 1 + options_skip(&browse_def, argc - 1, argv + 1);

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
		options_overview(defs, NR_COMMANDS, stdout);
	else
		return false;
	return true;
}

/* A file that is opened as a descriptor of these would be written to by messages. */
static void open_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	int at;

	open_standard_descriptors();
	setlocale(LC_ALL, "");
	signal(SIGPIPE, SIG_IGN);
	cmd_record_set_judge(judge);
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
