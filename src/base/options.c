/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/options_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

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
		/* if two words are equally near, prefer one that begins with the typed word */
		bool begun = best && !strncmp(words[i], word, len) && strncmp(best, word, len) != 0;

		if (d < best_distance || (d == best_distance && (!best || begun))) {
			best = words[i];
			best_distance = d;
		}
	}
	return best;
}

const struct option_def *option_walk(struct option_walk *walk)
{
	while (!option_is_end(walk->next)) {
		const struct option_def *def = walk->next;

		if (def->group)
			def = walk->in_group ? walk->in_group : def->group->options;
		if (option_is_end(def)) {
			walk->in_group = NULL;
			walk->next++;
			continue;
		}
		if (walk->next->group)
			walk->in_group = def + 1;
		else
			walk->next++;
		return def;
	}
	return NULL;
}

static const struct option_def *by_letter(const struct command_def *command, char letter)
{
	struct option_walk walk = { .next = command->options };
	const struct option_def *def;

	while ((def = option_walk(&walk)) && def->letter != letter)
		;
	return def;
}

const struct option_def *options_by_id(const struct command_def *command, int id)
{
	struct option_walk walk = { .next = command->options };
	const struct option_def *def;

	while ((def = option_walk(&walk)) && def->id != id)
		;
	return def;
}

const struct option_def *options_find(const struct command_def *command, const char *name,
				      size_t len)
{
	struct option_walk walk = { .next = command->options };
	const struct option_def *def;

	while ((def = option_walk(&walk)))
		if (def->name && strlen(def->name) == len && !memcmp(def->name, name, len))
			return def;
	return NULL;
}

static int unknown_option(const struct command_def *command, const char *name, struct ft_error *err)
{
	const char *names[256];
	unsigned int nr = 0;
	struct option_walk walk = { .next = command->options };
	const struct option_def *def;
	const char *near;

	while ((def = option_walk(&walk)) && nr < 256)
		if (def->name && option_is_listed(def))
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
	if (def->kind == OPTION_OPERAND) {
		list->operands[list->nr_operands++] = value;
		return;
	}
	list->values = mem_resize(list->values, list->nr + 1, sizeof(*list->values));
	list->values[list->nr++] = (struct option_value){ .id = def->id,
							  .kind = def->kind,
							  .value = value };
}

/* Parse "--name", "--name=value", "--name value".  Return: the number of words taken, or -1. */
static int parse_long(const struct command_def *command, int left, char **argv,
		      struct option_list *list, struct ft_error *err)
{
	const char *word = argv[0] + 2;
	const char *equal = strchr(word, '=');
	size_t len = equal ? (size_t)(equal - word) : strlen(word);
	const struct option_def *def = options_find(command, word, len);

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
	*list = (struct option_list){ .command = command };
	list->operands = mem_array(argc + 1, sizeof(*list->operands));
	for (int i = 0, taken; i < argc; i += taken) {
		taken = 1;
		bool word = argv[i][0] != '-' || !argv[i][1];

		if (!strcmp(argv[i], "--") || (word && command->operand_kind == OPERANDS_COMMAND)) {
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

const struct option_def *option_with_argument(const struct command_def *command, const char *word,
					      const char **value)
{
	const struct option_def *def;

	*value = NULL;
	if (word[1] == '-') {
		size_t len = strcspn(word += 2, "=");

		def = options_find(command, word, len);
		if (!def || !def->arg)
			return NULL;
		*value = word[len] ? word + len + 1 : NULL;
		return def;
	}
	while (*++word) {
		def = by_letter(command, *word);
		if (!def || !def->arg)
			continue;
		*value = word[1] ? word + 1 : NULL;
		return def;
	}
	return NULL;
}

/* Words of one option with its argument; @left + 1 if the argument is missing. */
static int option_length(const struct command_def *command, int left, char **argv)
{
	const char *value;

	if (!option_with_argument(command, argv[0], &value) || value)
		return 1;
	return left < 2 ? left + 1 : 2;
}

enum option_risk options_risk(const struct option_def *option, const char *value)
{
	enum option_risk risk = option->risk_of ? option->risk_of(value) : option->risk;

	return risk ? risk : OPTION_RISK_ASK;
}

int options_skip(const struct command_def *command, int argc, char **argv)
{
	int i = 0;

	while (i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0)
		i += option_length(command, argc - i, argv + i);
	return i;
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
