/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/text.h"

#define OPTION_COLUMN	28	/* column of an option's help */
#define OVERVIEW_COLUMN	36	/* column of a command's summary in the list of commands */
#define MAX_CPU		65535

unsigned int options_distance(const char *a, const char *b)
{
	unsigned int row[65];
	size_t la = strlen(a), lb = strlen(b);

	if (la > 64 || lb > 64)
		return 64;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned int replace = diagonal + (a[i - 1] != b[j - 1]);
			unsigned int best = row[j] + 1;

			diagonal = row[j];
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = replace < best ? replace : best;
		}
	}
	return row[lb];
}

const char *options_nearest(const char *word, const char *const *words, unsigned int nr)
{
	const char *best = NULL;
	size_t len = strlen(word);
	unsigned int best_distance = len / 3 + 1;

	for (unsigned int i = 0; i < nr; i++) {
		unsigned int d = options_distance(word, words[i]);
		/* of two equally near words, prefer one that begins with the typed word */
		bool begun = best && !strncmp(words[i], word, len) && strncmp(best, word, len) != 0;

		if (d < best_distance || (d == best_distance && (!best || begun))) {
			best = words[i];
			best_distance = d;
		}
	}
	return best;
}

static bool is_end(const struct option_def *def)
{
	return !def->name && !def->letter;
}

static bool is_listed(const struct option_def *def)
{
	return def->help && def->id != OPTION_REFUSED;
}

static const struct option_def *by_letter(const struct command_def *command, char letter)
{
	for (const struct option_def *def = command->options; !is_end(def); def++)
		if (def->letter == letter)
			return def;
	return NULL;
}

static const struct option_def *by_name(const struct command_def *command, const char *name,
					size_t len)
{
	for (const struct option_def *def = command->options; !is_end(def); def++)
		if (def->name && strlen(def->name) == len && !memcmp(def->name, name, len))
			return def;
	return NULL;
}

static int unknown_option(const struct command_def *command, const char *name, struct ft_error *err)
{
	const char *names[256];
	unsigned int nr = 0;
	const char *near;

	for (const struct option_def *def = command->options; !is_end(def) && nr < 256; def++)
		if (def->name && is_listed(def))
			names[nr++] = def->name;
	near = options_nearest(name, names, nr);
	return ft_error_set(err, FT_E_USAGE, -1,
			    "unknown option --%s%s%s%s; ftop-trace %s%s--help lists the options",
			    name, near ? "; did you mean --" : "", near ? near : "",
			    near ? "?" : "", command->name, *command->name ? " " : "");
}

/* An option of other commands. */
static int no_option(const struct command_def *command, const struct option_def *def,
		     const char *dashes, const char *name, size_t len, struct ft_error *err)
{
	return ft_error_set(err, FT_E_USAGE, -1, "%s has no option %s%.*s: %s", command->name,
			    dashes, (int)len, name, def->help);
}

static void add_value(struct option_list *list, const struct option_def *def, const char *value)
{
	list->values = mem_resize(list->values, list->nr + 1, sizeof(*list->values));
	list->values[list->nr++] = (struct option_value){ .id = def->id, .value = value };
}

/* Parse "--name", "--name=value", "--name value".  Return: the number of words taken, or -1. */
static int parse_long(const struct command_def *command, int left, char **argv,
		      struct option_list *list, struct ft_error *err)
{
	const char *word = argv[0] + 2;
	const char *equal = strchr(word, '=');
	size_t len = equal ? (size_t)(equal - word) : strlen(word);
	const struct option_def *def = by_name(command, word, len);

	if (!def) {
		char *name = mem_strndup(word, len);

		if (!strcmp(name, "help"))
			list->help = true;
		else
			unknown_option(command, name, err);
		free(name);
		return list->help ? 1 : -1;
	}
	if (def->id == OPTION_REFUSED)
		return no_option(command, def, "--", word, len, err);
	if (!def->arg) {
		if (equal)
			return ft_error_set(err, FT_E_USAGE, -1, "--%s takes no argument",
					    def->name);
		add_value(list, def, NULL);
		return 1;
	}
	if (equal) {
		add_value(list, def, equal + 1);
		return 1;
	}
	if (left < 2)
		return ft_error_set(err, FT_E_USAGE, -1, "--%s requires an argument: %s", def->name,
				    def->arg);
	add_value(list, def, argv[1]);
	return 2;
}

/* Parse "-ltF value", "-Fvalue".  Return: the number of words taken, or -1. */
static int parse_letters(const struct command_def *command, int left, char **argv,
			 struct option_list *list, struct ft_error *err)
{
	for (const char *p = argv[0] + 1; *p; p++) {
		const struct option_def *def = by_letter(command, *p);

		if (!def && *p == 'h') {
			list->help = true;
			continue;
		}
		if (!def)
			return ft_error_set(
				err, FT_E_USAGE, -1,
				"unknown option -%c; ftop-trace %s%s--help lists the options",
				isprint((unsigned char)*p) ? *p : '?', command->name,
				*command->name ? " " : "");
		if (def->id == OPTION_REFUSED)
			return no_option(command, def, "-", p, 1, err);
		if (!def->arg) {
			add_value(list, def, NULL);
			continue;
		}
		if (p[1]) {
			add_value(list, def, p + 1);
			return 1;
		}
		if (left < 2)
			return ft_error_set(err, FT_E_USAGE, -1, "-%c requires an argument: %s", *p,
					    def->arg);
		add_value(list, def, argv[1]);
		return 2;
	}
	return 1;
}

static int check_operands(const struct command_def *command, const struct option_list *list,
			  struct ft_error *err)
{
	if (list->help)
		return 0;
	if (list->nr_operands > command->max_operands)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "too many arguments: %s; usage: ftop-trace %s%s%s",
				    list->operands[command->max_operands], command->name,
				    *command->name ? " " : "", command->operands);
	if (list->nr_operands < command->min_operands)
		return ft_error_set(err, FT_E_USAGE, -1, "usage: ftop-trace %s%s%s", command->name,
				    *command->name ? " " : "", command->operands);
	return 0;
}

int options_parse(const struct command_def *command, int argc, char **argv,
		  struct option_list *list, struct ft_error *err)
{
	*list = (struct option_list){ 0 };
	list->operands = mem_array(argc + 1, sizeof(*list->operands));
	for (int i = 0, taken; i < argc; i += taken) {
		taken = 1;
		bool word = argv[i][0] != '-' || !argv[i][1];

		if (!strcmp(argv[i], "--") || (word && command->command_operands)) {
			i -= word;
			while (++i < argc)
				list->operands[list->nr_operands++] = argv[i];
			break;
		}
		if (word)
			list->operands[list->nr_operands++] = argv[i];
		else if (argv[i][1] == '-')
			taken = parse_long(command, argc - i, argv + i, list, err);
		else
			taken = parse_letters(command, argc - i, argv + i, list, err);
		if (taken < 0)
			goto fail;
	}
	if (!check_operands(command, list, err))
		return 0;
fail:
	options_fini(list);
	return -1;
}

void options_fini(struct option_list *list)
{
	free(list->values);
	free(list->operands);
	*list = (struct option_list){ 0 };
}

int options_number(const char *option, const char *value, long long min, long long max,
		   long long *out, struct ft_error *err)
{
	char *end;

	errno = 0;
	*out = strtoll(value, &end, 10);
	if (errno || end == value || *end || *out < min || *out > max)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "%s: '%s' is not a whole number from %lld to %lld", option,
				    value, min, max);
	return 0;
}

int options_choice(const char *option, const char *value, const char *const *words, unsigned int nr,
		   struct ft_error *err)
{
	char list[256] = "";
	size_t len = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (!strcmp(value, words[i]))
			return i;
		if (len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s'%s'", i ? ", " : "",
					words[i]);
	}
	return ft_error_set(err, FT_E_USAGE, -1, "%s: '%s' is not one of %s", option, value, list);
}

int options_cpus(const char *option, const char *value, bool *cpus, unsigned int nr,
		 struct ft_error *err)
{
	const char *p = value;

	for (;;) {
		unsigned long from, to;
		char *end;

		if (!isdigit((unsigned char)*p))
			goto bad;
		from = to = strtoul(p, &end, 10);
		if (*end == '-') {
			p = end + 1;
			if (!isdigit((unsigned char)*p))
				goto bad;
			to = strtoul(p, &end, 10);
		}
		if (to < from || to > MAX_CPU)
			goto bad;
		for (unsigned long cpu = from; cpu <= to && cpu < nr; cpu++)
			cpus[cpu] = true;
		if (!*end)
			return 0;
		if (*end != ',')
			goto bad;
		p = end + 1;
	}
bad:
	return ft_error_set(err, FT_E_USAGE, -1, "%s: '%s' is not a list of CPUs such as 0,2-4",
			    option, value);
}

/* --- texts made from the tables -------------------------------------------- */

static int option_words(const struct option_def *def, char *buf, size_t size)
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

/* "ftop-trace report [FILE...]", with "[OPTIONS]" if @options. */
static const char *usage_words(const struct command_def *command, bool options, char *buf,
			       size_t size)
{
	snprintf(buf, size, "ftop-trace%s%s%s%s%s", *command->name ? " " : "", command->name,
		 options && !is_end(command->options) ? " [OPTIONS]" : "",
		 *command->operands ? " " : "", command->operands);
	return buf;
}

static int columns(const char *s)
{
	size_t left = strlen(s);
	int width = 0;

	while (left) {
		uint32_t cp;
		size_t n = text_decode(s, left, &cp);

		width += text_width(cp);
		s += n;
		left -= n;
	}
	return width;
}

/*
 * Print words and their help, which begins at a column; on a line of its own if the words are too
 * long.
 */
static void print_pair(const char *words, const char *help, int column, FILE *out)
{
	int width = 2 + columns(words);

	fprintf(out, "  %s", words);
	if (width + 2 > column) {
		fputc('\n', out);
		width = 0;
	}
	fprintf(out, "%*s", column - width, "");
	for (; *help; help++) {
		fputc(*help, out);
		if (*help == '\n')
			fprintf(out, "%*s", column, "");
	}
	fputc('\n', out);
}

static void print_options(const struct command_def *command, FILE *out)
{
	for (const struct option_def *def = command->options; !is_end(def); def++) {
		char words[128];

		if (!is_listed(def))
			continue;
		option_words(def, words, sizeof(words));
		print_pair(words, def->help, OPTION_COLUMN, out);
	}
}

void options_usage(const struct command_def *command, FILE *out)
{
	char words[128];

	fprintf(out, "Usage: %s\n\n%s\n", usage_words(command, true, words, sizeof(words)),
		command->summary);
	if (command->details)
		fprintf(out, "\n%s\n", command->details);
	if (is_end(command->options))
		return;
	fputs("\nOptions:\n", out);
	print_options(command, out);
	print_pair("-h, --help", "show this help", OPTION_COLUMN, out);
}

void options_overview(const struct command_def *const *commands, unsigned int nr, FILE *out)
{
	fputs("ftop-trace: browse kernel traces (trace.dat) in the terminal\n\nUsage:\n", out);
	for (unsigned int i = 0; i < nr; i++) {
		char words[128];

		print_pair(usage_words(commands[i], false, words, sizeof(words)),
			   commands[i]->summary, OVERVIEW_COLUMN, out);
	}
	fputs("\nOptions of the browser:\n", out);
	for (unsigned int i = 0; i < nr; i++)
		if (!*commands[i]->name)
			print_options(commands[i], out);
	print_pair("-h, --help", "show this help", OPTION_COLUMN, out);
	print_pair("    --version", "show the version of this program", OPTION_COLUMN, out);
	fputs("\nftop-trace COMMAND --help lists the options of a command. The default FILE is ./trace.dat.\n",
	      out);
}

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
	man_text(usage_words(command, false, words, sizeof(words)), out);
	fputs("\"\n", out);
	man_text(command->summary, out);
	fputs(".\n", out);
	man_paragraph(command->details, out);
	for (const struct option_def *def = command->options; !is_end(def); def++) {
		if (!is_listed(def))
			continue;
		option_words(def, words, sizeof(words));
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
		man_text(usage_words(commands[i], true, words, sizeof(words)), out);
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

/*
 * "text|csv|FILE": print the literal values, in small letters and digits.  Return: whether there
 * are others.
 */
static bool print_values(const char *arg, FILE *out)
{
	bool others = false;

	while (*arg) {
		size_t len = strcspn(arg, "|");

		if (isupper((unsigned char)*arg))
			others = true;
		else
			fprintf(out, "%.*s ", (int)len, arg);
		arg += len + (arg[len] == '|');
	}
	return others;
}

static bool has_values(const struct option_def *def)
{
	return def->name && is_listed(def) && def->arg && strchr(def->arg, '|');
}

/* Does one of the first @nr commands have this option with its values? */
static bool is_told(const struct command_def *const *commands, unsigned int nr, const char *name)
{
	for (unsigned int i = 0; i < nr; i++)
		for (const struct option_def *def = commands[i]->options; !is_end(def); def++)
			if (has_values(def) && !strcmp(def->name, name))
				return true;
	return false;
}

/* Options with a fixed set of values; an option of several commands has the same values in all. */
static void complete_values(const struct command_def *const *commands, unsigned int nr, FILE *out)
{
	for (unsigned int i = 0; i < nr; i++)
		for (const struct option_def *def = commands[i]->options; !is_end(def); def++) {
			if (!has_values(def) || is_told(commands, i, def->name))
				continue;
			fprintf(out, "\t--%s) values='", def->name);
			if (print_values(def->arg, out))
				fputs("' files=1 ;;\n", out);
			else
				fputs("' ;;\n", out);
		}
}

static void complete_options(const struct command_def *command, FILE *out)
{
	fputs("--help", out);
	for (const struct option_def *def = command->options; !is_end(def); def++)
		if (def->name && is_listed(def))
			fprintf(out, " --%s%s", def->name, def->arg ? "=" : "");
}

void options_completion(const struct command_def *const *commands, unsigned int nr, FILE *out)
{
	/* bash splits --format=csv into three words */
	fputs("# bash completion for ftop-trace\n_ftop_trace()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} option= values= files= words=\n"
	      "\tif [[ $cur == = ]]; then\n\t\toption=$prev cur=\n"
	      "\telif [[ $prev == = ]]; then\n\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\telse\n\t\toption=$prev\n\tfi\n\tcase $option in\n",
	      out);
	complete_values(commands, nr, out);
	fputs("\tesac\n\tif [[ -n $values ]]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$cur\"; [[ -n $files ]] && compgen -f -- \"$cur\")\n"
	      "\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n",
	      out);
	for (unsigned int i = 0; i < nr; i++) {
		if (!*commands[i]->name)
			continue;
		fprintf(out, "\t%s) words='", commands[i]->name);
		complete_options(commands[i], out);
		fputs("' ;;\n", out);
	}
	for (unsigned int i = 0; i < nr; i++) {
		if (*commands[i]->name)
			continue;
		fputs("\t*) words='--version ", out);
		complete_options(commands[i], out);
		fputs("' ;;\n", out);
	}
	fputs("\tesac\n\tif [[ $COMP_CWORD -eq 1 ]]; then\n\t\twords+='", out);
	for (unsigned int i = 0; i < nr; i++)
		if (*commands[i]->name)
			fprintf(out, " %s", commands[i]->name);
	fputs("'\n\telif [[ $cur != -* ]]; then\n\t\twords=\n\tfi\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"; compgen -f -- \"$cur\")\n"
	      "\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n}\ncomplete -o filenames -F _ftop_trace ftop-trace\n",
	      out);
}
