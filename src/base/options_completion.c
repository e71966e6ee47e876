/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_completion - completion for bash, made from the tables of commands and options. */
#include "src/base/options_private.h"

#include <ctype.h>
#include <string.h>

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
	return def->name && option_is_listed(def) && def->arg && strchr(def->arg, '|');
}

/* Does one of the first @nr commands have this option with its values? */
static bool is_told(const struct command_def *const *commands, unsigned int nr, const char *name)
{
	for (unsigned int i = 0; i < nr; i++)
		for (const struct option_def *def = commands[i]->options; !option_is_end(def);
		     def++)
			if (has_values(def) && !strcmp(def->name, name))
				return true;
	return false;
}

/* Options with a fixed set of values; an option of several commands has the same values in all. */
static void complete_values(const struct command_def *const *commands, unsigned int nr, FILE *out)
{
	for (unsigned int i = 0; i < nr; i++)
		for (const struct option_def *def = commands[i]->options; !option_is_end(def);
		     def++) {
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
	for (const struct option_def *def = command->options; !option_is_end(def); def++)
		if (def->name && option_is_listed(def))
			fprintf(out, " --%s%s", def->name, def->arg ? "=" : "");
}

static void add_names(const struct command_def *const *commands, unsigned int nr, char between,
		      FILE *out)
{
	for (unsigned int i = 0; i < nr; i++)
		if (*commands[i]->name)
			fprintf(out, "%s%c", commands[i]->name, between);
}

/* The command is the first word that is one: options may stand before it. */
static void find_command(const struct command_def *const *commands, unsigned int nr, FILE *out)
{
	fputs("\tlocal command= word\n\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
	      "\t\tcase $word in\n\t\t",
	      out);
	add_names(commands, nr, '|', out);
	fputs("help)\n\t\t\tcommand=$word\n\t\t\tbreak ;;\n\t\tesac\n\tdone\n"
	      "\tcase $command in\n\thelp) words='",
	      out);
	add_names(commands, nr, ' ', out);
	fputs("' ;;\n", out);
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
	      "\t\treturn\n\tfi\n",
	      out);
	find_command(commands, nr, out);
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
	fputs("\tesac\n\tif [[ -z $command && ( $COMP_CWORD -eq 1 || ${COMP_WORDS[1]} == -* ) ]]; then\n"
	      "\t\twords+=' ",
	      out);
	add_names(commands, nr, ' ', out);
	fputs("help'\n\telif [[ $command != help && $cur != -* ]]; then\n\t\twords=\n\tfi\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"; compgen -f -- \"$cur\")\n"
	      "\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n}\ncomplete -o filenames -F _ftop_trace ftop-trace\n",
	      out);
}
