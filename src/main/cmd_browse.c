/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/main/cmd_browse.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/io/archive.h"
#include "parsers/io/input.h"
#include "recorder/commands/record_commands.h"
#include "src/base/paths.h"
#include "src/base/file_place.h"
#include "src/base/shell_words.h"
#include "src/base/text.h"
#include "src/commands/commands.h"
#include "src/commands/derived_names.h"
#include "src/main/set_up.h"
#include "src/sandbox/broker.h"
#include "src/sandbox/confine.h"
#include "src/trace/formats_option.h"
#include "src/trace/offset_option.h"
#include "src/trace/trace.h"
#include "src/trace/trace_user.h"
#include "src/trace/warnings.h"
#include "ui/app/app.h"

#define HEAD_BYTES	(2u << 20)	/* bytes of a long file to show while the rest is read */
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
	  "begin at this time or place ('7.5 cpu3', '7.5 pid80'); the keys y l copy a command with the "
	  "view, the place and the filter" },
	{ "filter", 'F', "EXPR", OPT_FILTER,
	  "begin with only the events that match, see ftop-trace-filter(7)" },
	{ "live", 0, NULL, OPT_LIVE, "play the trace in the view Now, as it was recorded" },
	/* tests: the page directory stops there */
	{ "hold-index", 0, "PERMILLE", OPT_HOLD, NULL },
	{ "recorder", 0, "PROGRAM", OPT_RECORDER, NULL, OPTION_PATH }, /* tests: another recorder */
	/* record: the program that the user's shell gave it */
	{ "recorded", 0, "COMMAND", OPT_RECORDED, NULL },
	/* tests: keys from a file, screens to stdout */
	{ "script", 0, "FILE", OPT_SCRIPT, NULL, OPTION_PATH },
	OFFSET_OPTION,
	FORMATS_OPTION,
	SYSROOT_OPTION,
	OPTION_END,
};

const struct command_def cmd_browse_def = {
	.name = "",
	.operands = "[FILE...]",
	.summary = "browse one or several traces",
	.details = "Without a FILE, this opens ./trace.dat, or a start screen if there is none. Several files share one\n"
		   "time line. In the browser, ? lists the keys, and R opens the record screen.\n\n"
		   "A FILE may be a trace.dat, a perf.data, a trace of Perfetto, a folder of LTTng, the text of a trace, or\n"
		   "a copy of an event's file hist, whose histograms become tables. - reads standard input; a text from a\n"
		   "pipe is shown while it comes: cat trace_pipe | ftop-trace -",
	.max_operands = 1024,
	.options = browse_options,
};

const struct command_def cmd_demo_def = {
	.name = "demo",
	.operands = "",
	.summary = "browse the sample trace that comes with the program",
	.is_main = true,
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
					    .trace.names_later = true,
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
	for (unsigned int i = 0; i < nr && has_terminal; i++) {
		/* later would be too late */
		int fd = file_place_folder(folders[i], 0700, NULL);

		if (fd >= 0)
			close(fd);
	}
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
	if (!options->app.script && !set_up_events(&mistake))
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
					    .names = cmd_record_names,
					    .files = paths,
					    .nr_files = nr,
					    .confirmed = options->recorded };
	const char *formats;
	int ret = -1;

	if (set_up_formats(options->list, &formats, err))
		return -1;
	if (formats)
		archive_open_ahead(formats);
	if (!set_up_rights(paths, nr, nr == 1 && !options->app.script, err)) {
		take_terminal();
		set_up_helpers();
		set_up_names(options->list);
		options->app.broker = broker_new(&rules, err);
		if (options->app.broker)
			ret = browse_shut_in(options, paths, nr, formats, err);
		broker_free(options->app.broker);
	}
	return ret;
}

int cmd_browse(const struct option_list *list, struct ft_error *err)
{
	static const char *const here[] = { "trace.dat" };
	struct browse_options options;

	if (browse_options_init(&options, list, err))
		return -1;
	if (list->nr_operands)
		return browse_files(&options, list->operands, list->nr_operands, err);
	return browse_files(&options, here, access(here[0], F_OK) == 0 ? 1 : 0, err);
}

int cmd_demo(const struct option_list *list, struct ft_error *err)
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

int cmd_browse_live(const struct option_list *list, struct ft_error *err)
{
	static const struct option_list none = { .command = &cmd_browse_def };
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
