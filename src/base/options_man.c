/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_man - ftop-trace(1) and the pages of single commands, made from the tables of options. */
#include "src/base/options_private.h"

#include <string.h>

#include "src/base/man.h"

/* "--grep, --count, --head": what is special about them */
static void add_group(const struct option_def *def, FILE *out)
{
	struct text words = { 0 };

	if (def->group->page) {
		text_printf(&words, "See %s(1).", def->group->page);
		man_paragraph(text_str(&words), out);
		text_fini(&words);
		return;
	}
	options_group_words(def->group, ", ", &words);
	man_pair(text_str(&words), def->help ? def->help : "see COMMON OPTIONS", out);
	text_fini(&words);
}

#define MOST_ARG	64		/* cells of an argument that fit into a line */

/* An argument of many words: they are in the text below it. */
static void add_long(const struct option_def *def, FILE *out)
{
	struct text name = { 0 }, help = { 0 };

	text_printf(&name, "--%s=WORD", def->name);
	text_printf(&help, "%s; WORD: ", def->help);
	for (const char *s = def->arg; *s; s++)
		if (*s == '|')
			text_add(&help, ", ");
		else
			text_char(&help, *s);
	man_pair(text_str(&name), text_str(&help), out);
	text_fini(&name);
	text_fini(&help);
}

static void add_option(const struct option_def *def, FILE *out)
{
	char words[128];

	if (def->arg && strlen(def->arg) > MOST_ARG) {
		add_long(def, out);
		return;
	}
	options_words(def, words, sizeof(words));
	man_pair(words + strspn(words, " "), def->help, out);
}

static void add_options(const struct option_def *options, FILE *out)
{
	for (const struct option_def *def = options; !option_is_end(def); def++) {
		if (def->group)
			add_group(def, out);
		if (!def->group && option_is_listed(def))
			add_option(def, out);
	}
}

static void add_headings(const struct command_def *command, FILE *out)
{
	for (const struct option_heading *h = command->headings; h->title; h++) {
		const char *words = h->options;
		const struct option_def *def;

		man_subsection(h->title, out);
		while ((def = option_next_of(command->options, &words)))
			add_option(def, out);
	}
}

static void add_summary(const struct command_def *command, FILE *out)
{
	char sentence[256];

	snprintf(sentence, sizeof(sentence), "%s.", command->summary);
	man_text(sentence, out);
}

static void add_command(const struct command_def *command, FILE *out)
{
	char words[128];

	man_subsection(options_usage_words(command, false, words, sizeof(words)), out);
	add_summary(command, out);
	if (command->page) {
		snprintf(words, sizeof(words), "See %s(1).", command->page);
		man_paragraph(words, out);
		return;
	}
	man_paragraph(command->details, out);
	man_paragraph(command->examples, out);
	add_options(command->options, out);
}

static const struct {
	const char	*name, *text;
} man_environment[] = {
	{ "FTOP_DATADIR", "folder of the sample trace (default: where it was installed)" },
	{ "NO_COLOR", "if set and not empty: no colours" },
	{ "COLORFGBG", "dark or light background, for a terminal that does not answer when it is asked" },
	{ "TERM, COLORTERM", "the abilities of the terminal; COLORTERM=truecolor: all colours" },
	{ "TMPDIR", "folder in which compressed traces are unpacked (default: /var/tmp)" },
	{ "TRACEEVENT_PLUGIN_DIR",
	  "a folder of libtraceevent plugins; ignored for root, or if others may write to the folder" },
	{ "XDG_CONFIG_HOME",
	  "folder of settings, themes, named filters, pairs and presets of recordings\n"
	  "(default: ~/.config)" },
	{ "XDG_RUNTIME_DIR", "replaces /run/ftop-trace (see FILES) if record runs without root" },
	{ "XDG_STATE_HOME", "folder of marks, notes, filters and the preset of the last recording\n"
			    "(default: ~/.local/state)" },
}, man_files[] = {
	{ "trace.dat", "the default FILE; record writes it" },
	{ "FILE.part",
	  "a file that record, cut or export is writing; ftop-trace recover repairs a recording "
	  "that was interrupted" },
	{ "t.max.dat", "the records of a latency tracer's maximum, whose text is in t.dat" },
	{ "$XDG_CONFIG_HOME/ftop-trace/config", "settings, see ftop-trace-config(5)" },
	{ "$XDG_CONFIG_HOME/ftop-trace/filters", "named filters, one per line: NAME = EXPRESSION" },
	{ "$XDG_CONFIG_HOME/ftop-trace/events/*.events",
	  "how events are described: sentences, colours, patterns, kinds of latency; see "
	  "ftop-trace-config(5)" },
	{ "$XDG_CONFIG_HOME/ftop-trace/pairs",
	  "pairs of events that latency measures, one per line: pair NAME START END by KEY" },
	{ "$XDG_CONFIG_HOME/ftop-trace/record-setups", "named presets of the record screen" },
	{ "$XDG_CONFIG_HOME/ftop-trace/themes/NAME.theme", "the theme of --theme=NAME" },
	{ "$XDG_STATE_HOME/ftop-trace/marks/",
	  "marks, notes and filters: one file for each of the last 200 traces" },
	{ "$XDG_STATE_HOME/ftop-trace/record-last", "the settings of the last recording, for R R" },
	{ "/run/ftop-trace/",
	  "the changes of running recordings in tracefs, so that they can be undone after a crash" },
	{ "~/.local/lib/traceevent/plugins/",
	  "the user's libtraceevent plugins; ignored for root, or if others may write to the folder" },
};

static const char man_security[] =
	"Only record and extract need privileges. Under sudo, browsing, reading, recover, the recorded command and\n"
	"the output file have the privileges of the user who called sudo. Traces are opened before root's\n"
	"privileges are dropped. Where there is no such user, a reader keeps only the capability to read.\n"
	"\n"
	"The browser and the commands that print a trace confine themselves with landlock and seccomp,\n"
	"if the kernel has these; doctor and info show it. They can then not start programs, use the\n"
	"network, write files or change modes and owners of files. The browser can still write to its\n"
	"own folders (see FILES).\n"
	"\n"
	"For the browser, a second process starts the recorder and writes other files. It checks each\n"
	"request. The user must confirm once, with yes on the terminal, a command that a recording runs,\n"
	"--probe, --top and --force. A recording may only replace a trace. Text is only saved to new\n"
	"files, marks only beside files that the program was started with or has recorded. Files and\n"
	"folders whose names begin with a dot are refused, also behind symbolic links, except in the\n"
	"folder in which the program was started. Recordings are not written through symbolic links.";

static const char man_stability[] =
	"Versions are numbered by Semantic Versioning: MAJOR.MINOR.PATCH. Only a new MAJOR\n"
	"version removes or changes what is stable:\n"
	"\n"
	"Commands and options, their values and defaults, environment variables, and the exit\n"
	"status.\n"
	"\n"
	"Columns of CSV and Parquet, and keys of JSON: their names, units and order. New ones are\n"
	"added at the end.\n"
	"\n"
	"The filter language, the rules of check and its TAP, and the user's files: settings,\n"
	"named filters, pairs, events, themes, presets and marks. A newer version reads those of\n"
	"an older one.\n"
	"\n"
	"trace.dat files: a newer version reads those that an older one wrote, and so does a\n"
	"trace-cmd that knows their file version (6 or 7).\n"
	"\n"
	"Not stable: text for people, which is tables as text, messages and help; the layout of\n"
	"the screen and its keys; files in /run/ftop-trace. report is the exception: its text is\n"
	"that of trace-cmd report.";

static const struct {
	const char	*name, *text;
} man_terms[] = {
	{ "blocked", "a task sleeps in state D, usually until an I/O request ends or a lock is free" },
	{ "doubtful, ~",
	  "events were lost during a wait, a call or another span, so it may have been shorter than it\n"
	  "looks" },
	{ "hit", "the moment at which a condition of record --until became true" },
	{ "instance", "a ring buffer with a name, and its settings in tracefs; the top instance has no name.\n"
		      "Also a single wake-up, interrupt or call among those of a kind of latency" },
	{ "kind", "a kind of latency that ftop-trace latency measures: wakeup, irq, syscall, block ..." },
	{ "lost events", "events that the kernel dropped because the ring buffer was full" },
	{ "net time", "the time of a call without time off the CPU and without interrupts, as far as these\n"
		    "were recorded: their functions, or irq_handler_entry, softirq_entry, irq_vectors.\n"
		    "Unknown if an event in the call shows that another interrupt ran" },
	{ "open", "it has begun, and its end is not in the trace" },
	{ "orphan", "the exit of a function whose entry is not in the trace, though others are" },
	{ "preempted", "a task left the CPU although it could have run on, and waits for a CPU again" },
	{ "range", "the time between the marks A and B, or between --from and --to, which tables cover" },
	{ "self time", "the time of a call without the calls in it and without time off the CPU" },
	{ "settled time", "in a trace that is still recorded: up to this time the events of all CPUs are there" },
	{ "sleep", "a task waits for something other than a CPU, until it is woken" },
	{ "sub-buffer", "a unit of the kernel's ring buffer: some kB of events of one CPU" },
	{ "threshold", "how long a call, a run or a wait must be for the keys ] and [ to stop at it; T sets it" },
	{ "total time", "the time of a call from its entry to its exit" },
	{ "wait", "a task could run, and has no CPU: after it was woken, or after it was preempted" },
	{ "wake-up latency", "the time from the wake-up of a task until it runs" },
}, man_examples[] = {
	{ "ftop-trace demo", "browse the sample trace, with a tour of the keys" },
	{ "ftop-trace trace.dat.zst", "browse a compressed trace" },
	{ "ftop-trace host.dat guest.dat", "browse two traces on one time line" },
	{ "ftop-trace report -F 'comm == bash && ret < 0'", "print the events that match a filter" },
	{ "ftop-trace wakeups --sort=latency --head=10",
	  "the ten longest waits for a CPU after a wake-up" },
	{ "ftop-trace functions --sort=net --unit=ms", "functions by the time that they worked" },
	{ "ftop-trace graph --min=1ms --task=bash", "the slow calls of a task, with their callers" },
	{ "ftop-trace tasks --format=csv before.dat after.dat", "two traces, for a spreadsheet" },
	{ "ftop-trace functions --folded | flamegraph.pl >flame.svg", "a flame graph as a picture" },
	{ "ftop-trace timeline --from 7.5 --to 7.6 --width 120", "a picture of who ran, as text" },
};

static void add_pairs(FILE *out)
{
	man_section("EXIT STATUS", out);
	man_text(
		"0: success, also if a damaged file could be read in part; the damage is reported on standard\n"
		"error. 1: failure; a message says where and why. 2: wrong usage. record --exit-status exits\n"
		"with the status of the command.",
		out);
	man_section("TERMS", out);
	for (size_t i = 0; i < sizeof(man_terms) / sizeof(man_terms[0]); i++)
		man_pair(man_terms[i].name, man_terms[i].text, out);
	man_section("ENVIRONMENT", out);
	for (size_t i = 0; i < sizeof(man_environment) / sizeof(man_environment[0]); i++)
		man_pair(man_environment[i].name, man_environment[i].text, out);
	man_section("FILES", out);
	for (size_t i = 0; i < sizeof(man_files) / sizeof(man_files[0]); i++)
		man_pair(man_files[i].name, man_files[i].text, out);
	man_section("SECURITY", out);
	man_text(man_security, out);
	man_section("STABILITY", out);
	man_text(man_stability, out);
	man_section("EXAMPLES", out);
	for (size_t i = 0; i < sizeof(man_examples) / sizeof(man_examples[0]); i++)
		man_pair(man_examples[i].name, man_examples[i].text, out);
}

void options_man(const struct command_def *const *commands, unsigned int nr,
		 const struct option_group *const *groups, unsigned int nr_groups, FILE *out)
{
	char words[128];

	man_begin("ftop-trace", "1", "browse kernel traces in the terminal", out);
	man_section("SYNOPSIS", out);
	for (unsigned int i = 0; i < nr; i++)
		man_line(options_usage_words(commands[i], true, words, sizeof(words)), !i, out);
	man_section("DESCRIPTION", out);
	man_text(
		"ftop-trace shows a trace.dat of trace-cmd (version 6 or 7) in an interactive terminal\n"
		"browser, or prints it as text. The default FILE is ./trace.dat. In the browser, ? lists the\n"
		"keys; ftop-trace-keys(7) describes them. ftop-trace help WORD finds an option, a key or a\n"
		"term in these pages, and prints a guide: first-steps, from-other-tools, guests, locks,\n"
		"install.\n\n"
		"A FILE may also be text: the kernel's file trace, trace_pipe, the output of trace-cmd\n"
		"report, or a kernel log with the trace that ftrace_dump_on_oops printed, if that begins\n"
		"in the first 64 KiB. Its times have whole microseconds. A line that is not understood stays\n"
		"with the event above it; commands report on stderr how many such lines there are, and\n"
		"print the first. report prints the lines of a text as they are.\n\n"
		"Without the option funcgraph-abstime, text of the function_graph tracer has no times. Calls\n"
		"then have durations only, rows are placed as if nothing else took time, and views that need\n"
		"times are empty. Text of the option nocontext-info has no times, tasks and CPUs.\n\n"
		"A FILE may also be a perf.data that perf record wrote to a file or a pipe. Its tracepoints\n"
		"become events. Other events have the system perf and the numbers of their samples; a\n"
		"sample of a group, as of -e '{a,b}:S', becomes one event for each member that has counted\n"
		"on, with its period. Call chains are kernel_stack and user_stack. Functions of the kernel\n"
		"have names if the kernel that was recorded still runs. Samples of a recording without -a,\n"
		"-C or --sample-cpu have no CPU, and are shown on CPU 0. The text of perf script can be read\n"
		"if it has the task (-F tid), the time and the event; its call chains keep their names.\n\n"
		"A FILE that is compressed with zstd, gzip or xz, under any name, or made by atrace -z, is\n"
		"unpacked into a temporary file without a name, in $TMPDIR, /var/tmp or /tmp. So is the\n"
		"trace in a zip or tar archive, if it contains only one. The FILE - is standard input.\n\n"
		"Options may stand before or after the command and the files; -- ends them. With several\n"
		"files, commands print one file after the other: in text, a line names each file; in CSV\n"
		"and JSON, a column file does, or trace_file if there is a field file. report and the\n"
		"browser put all files on one time line.\n\n"
		"In tables, each column of times has one unit and all digits, so that sort(1) works. On a\n"
		"terminal, each time has the unit that fits, unless --unit is given. In a locale that is not\n"
		"UTF-8, text is ASCII.",
		out);
	man_section("OPTIONS", out);
	man_pair("-h, --help", "list the commands; after a command: list its options", out);
	man_pair("--version", "show the version of this program", out);
	man_section("COMMON OPTIONS", out);
	for (unsigned int i = 0; i < nr_groups; i++)
		add_options(groups[i]->options, out);
	man_section("COMMANDS", out);
	for (unsigned int i = 0; i < nr; i++)
		add_command(commands[i], out);
	add_pairs(out);
	man_end("ftop-trace", out);
}

void options_man_command(const struct command_def *command, FILE *out)
{
	char words[128];

	man_begin(command->page, "1", command->summary, out);
	man_section("SYNOPSIS", out);
	man_line(options_usage_words(command, true, words, sizeof(words)), true, out);
	man_section("DESCRIPTION", out);
	man_text(command->details, out);
	if (command->examples) {
		man_section("EXAMPLES", out);
		man_text(command->examples, out);
	}
	man_section("OPTIONS", out);
	add_headings(command, out);
	for (const struct command_section *s = command->sections; s && s->title; s++) {
		man_section(s->title, out);
		man_text(s->text, out);
	}
	man_end(command->page, out);
}
