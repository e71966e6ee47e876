/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_man - the manual pages, made from the tables of commands and options. */
#include "src/base/options_private.h"

#include <string.h>

/*
 * Escape text for man(7): no line begins with a dot, backslashes and dashes are kept, indented
 * lines stay separate lines.
 */
static void man_text(const char *s, FILE *out)
{
	bool start = true, lines = false;

	for (; *s; s++) {
		if (start && lines != (s[0] == ' ' && s[1] == ' ')) {
			lines = !lines;
			fputs(lines ? ".nf\n" : ".fi\n", out);
		}
		if (start && *s == '\n') {		/* an empty line separates paragraphs */
			fputs(".PP\n", out);
			continue;
		}
		if (start && (*s == '.' || *s == '\''))
			fputs("\\&", out);
		if (*s == '\\')
			fputs("\\e", out);
		else if (*s == '-')
			fputs("\\-", out);
		else
			fputc(*s, out);
		start = *s == '\n';
	}
}

static void man_pair(const char *name, const char *text, FILE *out)
{
	fputs(".TP\n.B ", out);
	man_text(name, out);
	fputs("\n", out);
	man_text(text, out);
	fputs("\n", out);
}

static void man_paragraph(const char *text, FILE *out)
{
	if (!text)
		return;
	fputs(".PP\n", out);
	man_text(text, out);
	fputs("\n", out);
}

static void man_command(const struct command_def *command, FILE *out)
{
	char words[128];

	fputs(".SS \"", out);
	man_text(options_usage_words(command, false, words, sizeof(words)), out);
	fputs("\"\n", out);
	man_text(command->summary, out);
	fputs(".\n", out);
	man_paragraph(command->details, out);
	for (const struct option_def *def = command->options; !option_is_end(def); def++) {
		if (!option_is_listed(def))
			continue;
		options_words(def, words, sizeof(words));
		man_pair(words + strspn(words, " "), def->help, out);
	}
	man_paragraph(command->manual, out);
}

static const struct {
	const char	*name, *text;
} man_environment[] = {
	{ "FTOP_DATADIR", "folder of the sample trace (default: where it was installed)" },
	{ "NO_COLOR", "if set and not empty: no colours" },
	{ "TERM, COLORTERM", "what the terminal can do; COLORTERM=truecolor: all colours" },
	{ "TRACEEVENT_PLUGIN_DIR", "a folder of libtraceevent plugins; ignored for root" },
	{ "XDG_CONFIG_HOME",
	  "folder of themes, named filters and set-ups of recordings (default: ~/.config)" },
	{ "XDG_RUNTIME_DIR", "replaces /run/ftop-trace (see FILES) if record runs without root" },
	{ "XDG_STATE_HOME", "folder of marks, notes, filters and the set-up of the last recording\n"
			    "(default: ~/.local/state)" },
}, man_files[] = {
	{ "trace.dat", "the default FILE; record writes it" },
	{ "FILE.part",
	  "an unfinished recording; ftop-trace recover repairs one that was interrupted" },
	{ "t.max.dat", "the records of a latency tracer's maximum, whose text is in t.dat" },
	{ "$XDG_CONFIG_HOME/ftop-trace/filters", "named filters, one per line: NAME = EXPRESSION" },
	{ "$XDG_CONFIG_HOME/ftop-trace/record-setups", "named set-ups of the record screen" },
	{ "$XDG_CONFIG_HOME/ftop-trace/themes/NAME.theme", "the theme of --theme=NAME" },
	{ "$XDG_STATE_HOME/ftop-trace/marks/",
	  "marks, notes and filters: one file for each of the last 200 traces" },
	{ "$XDG_STATE_HOME/ftop-trace/record-last", "the set-up of the last recording, for R R" },
	{ "/run/ftop-trace/",
	  "what running recordings changed in tracefs, so that it can be restored if they crash" },
	{ "~/.local/lib/traceevent/plugins/",
	  "the user's libtraceevent plugins; ignored for root" },
};

static const char man_security[] =
	"Only recording needs privileges. Under sudo, browsing, reading, the recorded command and the\n"
	"output file have the privileges of the user who called sudo. The browser opens its files before\n"
	"it drops root's privileges. A command that prints a trace keeps them if that user may not read\n"
	"the file.\n"
	"\n"
	"The browser and the commands that print a trace confine themselves with landlock and seccomp,\n"
	"if the kernel has these. They can then not start programs, use the network or write files. The\n"
	"browser can still write to its own folders (see FILES).\n"
	"\n"
	"For the browser, a second process starts the recorder and writes other files. It checks each\n"
	"request. If a recording is to run a command, the user must confirm it once with yes on the\n"
	"terminal. A recording may only replace a trace. Text is only saved to new files. Paths with a\n"
	"name that begins with a dot are refused, except for marks saved beside a trace.";

void options_man(const struct command_def *const *commands, unsigned int nr, FILE *out)
{
	fputs(".TH FTOP\\-TRACE 1\n.SH NAME\nftop\\-trace \\- browse kernel traces in the terminal\n.SH SYNOPSIS\n",
	      out);
	for (unsigned int i = 0; i < nr; i++) {
		char words[128];

		fputs(".B ", out);
		man_text(options_usage_words(commands[i], true, words, sizeof(words)), out);
		fputs("\n.br\n", out);
	}
	fputs(".SH DESCRIPTION\nReads trace.dat files of trace\\-cmd (versions 6 and 7) and shows them in an interactive\n"
	      "terminal browser, or as text. The default FILE is ./trace.dat. In the browser, ? lists the keys.\n"
	      ".SH OPTIONS\n",
	      out);
	man_pair("-h, --help", "list the commands; after a command: list its options", out);
	man_pair("--version", "show the version of this program", out);
	fputs(".SH COMMANDS\n", out);
	for (unsigned int i = 0; i < nr; i++)
		man_command(commands[i], out);
	fputs(".SH EXIT STATUS\n"
	      "0: success. A damaged file that could be read in part is a success too: the damage is reported\n"
	      "on standard error. 1: failure; a message says where and why. 2: wrong usage.\n"
	      "record \\-\\-exit\\-status exits with the status of the command.\n.SH ENVIRONMENT\n",
	      out);
	for (size_t i = 0; i < sizeof(man_environment) / sizeof(man_environment[0]); i++)
		man_pair(man_environment[i].name, man_environment[i].text, out);
	fputs(".SH FILES\n", out);
	for (size_t i = 0; i < sizeof(man_files) / sizeof(man_files[0]); i++)
		man_pair(man_files[i].name, man_files[i].text, out);
	fputs(".SH SECURITY\n", out);
	man_text(man_security, out);
	fputs("\n.SH SEE ALSO\n.BR trace\\-cmd (1),\n.BR trace\\-cmd.dat (5)\n", out);
}
