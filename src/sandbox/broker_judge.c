/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_judge - which command lines a screen may start, and which files it may write. */
#include <string.h>

#include "src/sandbox/broker_private.h"
#include "src/base/shell_words.h"

/* A recording may only overwrite a trace.  @names: what it writes beside it */
static int check_trace_name(const char *path, const struct output_names *names,
			    struct ft_error *err)
{
	struct file_place place;
	int ret = broker_place_open(&place, path, err);

	/* the recorder opens the file by its name, and a link in /proc can change */
	if (!ret && place.has_links)
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "%s: the browser does not record through symbolic links", path);
	if (!ret && !output_name_replaces(place.folder, place.name, OUTPUT_TRACE_HEAD))
		ret = ft_error_set(
			err, FT_E_USAGE, -1,
			"%s exists and is not a trace: the browser does not overwrite it", path);
	if (!ret)
		ret = output_names_check(place.folder, place.name, names, err);
	file_place_close(&place);
	return ret;
}

/* The option's id; -1 if the command has no option with this name. */
static int id_of(const struct command_def *def, const char *name)
{
	const struct option_def *option = options_find(def, name, strlen(name));

	return option ? option->id : -1;
}

/* The option's last value; @none if it is not given. */
static const char *value_of(const struct command_def *def, const struct option_list *list,
			    const char *name, const char *none)
{
	int id = id_of(def, name);

	for (unsigned int i = list->nr; i-- > 0;)
		if (id >= 0 && list->values[i].id == id)
			return list->values[i].value ? list->values[i].value : "";
	return none;
}

/* "--measure prio=f:99" */
static void add_option(const struct option_def *option, const char *value, struct text *out)
{
	if (option->name)
		text_printf(out, "--%s", option->name);
	else
		text_printf(out, "-%c", option->letter);
	if (value)
		text_printf(out, " %s", value);
}

void broker_add_doubt(struct broker_verdict *verdict, const char *what, const char *given)
{
	text_printf(&verdict->key, "%s: %zu: %s\n", what, strlen(given), given);
	text_printf(&verdict->asks, "%s%s: ", verdict->asks.len ? "\n" : "", what);
	text_printable(&verdict->asks, given, strlen(given));
}

/* What of a recording is not known to be harmless: files of any name, programs, options. */
static void find_doubts(const struct command_def *def, const struct option_list *list,
			struct broker_verdict *verdict)
{
	const char *user = value_of(def, list, "user", NULL);
	const char *output = value_of(def, list, "output", "trace.dat");
	size_t len = strlen(output);
	struct text words = { 0 };

	/* other programs take files of some names for theirs */
	if (len < 4 || strcmp(output + len - 4, ".dat"))
		broker_add_doubt(verdict, "write a file that is not called NAME.dat", output);
	for (unsigned int i = 0; i < list->nr_operands; i++) {
		text_add(&words, i ? " " : "");
		shell_words_quote(&words, list->operands[i]);
	}
	if (words.len && user)
		text_printf(&words, " (as user %s)", user);
	if (words.len)
		broker_add_doubt(verdict, "run a command", text_str(&words));
	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_value *v = &list->values[i];
		const struct option_def *option = options_by_id(def, v->id);

		/* no option: one of `live --text` */
		if (!option || options_risk(option, v->value) == OPTION_RISK_NONE)
			continue;
		text_clear(&words);
		add_option(option, v->value, &words);
		broker_add_doubt(verdict, option->danger ?: "use an option that may do harm",
				 text_str(&words));
	}
	text_fini(&words);
}

void broker_doubts(const struct command_def *record, const struct option_list *list,
		   struct text *out)
{
	struct broker_verdict verdict = { 0 };

	find_doubts(record, list, &verdict);
	text_add(out, text_str(&verdict.key));
	broker_verdict_fini(&verdict);
}

static int judge_record(const struct broker_rules *rules, const struct command_def *def,
			const struct option_list *list, struct broker_verdict *verdict,
			struct ft_error *err)
{
	const char *output = value_of(def, list, "output", "trace.dat");
	const struct output_names names = rules->names ? rules->names(list) :
							 (struct output_names){ 0 };

	if (value_of(def, list, "check", NULL))
		text_clear(&verdict->asks);
	else
		text_add(&verdict->records, output);
	return check_trace_name(output, &names, err);
}

static int judge_recover(const struct command_def *def, const struct option_list *list,
			 struct ft_error *err)
{
	const char *output = value_of(def, list, "output", ""),
		   *part = list->nr_operands == 1 ? list->operands[0] : "";
	struct text name = { 0 };
	bool is_part;

	output_name_add(OUTPUT_PART, output, 0, &name);
	is_part = *output && !strcmp(part, text_str(&name));
	text_fini(&name);
	if (!is_part)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "recover: only for OUTPUT.part, with -o OUTPUT");
	return check_trace_name(output, &(struct output_names){ 0 }, err);
}

/* Options of a shell; it may have given them to `live`, which this browser is part of. */
static int refuse_options(const struct broker_rules *rules, const struct command_def *def,
			  const struct option_list *list, const struct text *key,
			  struct ft_error *err)
{
	if (key->len && rules->confirmed && !strcmp(rules->confirmed, text_str(key)))
		return 0;
	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_def *option = options_by_id(def, list->values[i].id);
		struct text words = { 0 };

		if (options_risk(option, list->values[i].value) != OPTION_RISK_SHELL)
			continue;
		add_option(option, list->values[i].value, &words);
		ft_error_set(err, FT_E_USAGE, -1, "the browser is not allowed to use %s",
			     text_str(&words));
		text_fini(&words);
		return -1;
	}
	return 0;
}

static int judge_command(const struct broker_rules *rules, const struct command_def *def,
			 const char *const *words, struct broker_verdict *verdict,
			 struct ft_error *err)
{
	struct option_list list;
	int nr = 0, result;

	while (words[nr])
		nr++;
	if (options_parse(def, nr, (char **)words, &list, err))
		return -1;
	if (!strcmp(def->name, "record"))
		find_doubts(def, &list, verdict);
	result = refuse_options(rules, def, &list, &verdict->key, err);
	if (!result && !strcmp(def->name, "record"))
		result = judge_record(rules, def, &list, verdict, err);
	if (!result && !strcmp(def->name, "recover"))
		result = judge_recover(def, &list, err);
	options_fini(&list);
	return result;
}

void broker_verdict_fini(struct broker_verdict *verdict)
{
	text_fini(&verdict->asks);
	text_fini(&verdict->key);
	text_fini(&verdict->records);
}

/* The number of words before the program, such as sudo's. */
static int skip_prefix(const char *const *argv)
{
	if (argv[0] && !strcmp(argv[0], "sudo"))
		return argv[1] && !strcmp(argv[1], "-n") ? 2 : 1;
	if (argv[0] && !strcmp(argv[0], "pkexec"))
		return argv[1] && !strcmp(argv[1], "--keep-cwd") ? 2 : 1;
	return 0;
}

int broker_judge(const struct broker_rules *rules, const char *const *argv,
		 struct broker_verdict *verdict, struct ft_error *err)
{
	const char *program = rules->program ? rules->program : "ftop-trace";
	int at = skip_prefix(argv);

	if (at == 1 && !strcmp(argv[0], "sudo") && argv[1] && !strcmp(argv[1], "-v") && !argv[2])
		return 0;	/* only asks for the password, runs nothing */
	if (argv[at] && !strcmp(argv[at], program) && argv[at + 1])
		for (const struct command_def *const *def = rules->commands; *def; def++)
			if (!strcmp((*def)->name, argv[at + 1]) &&
			    (!at || strcmp((*def)->name, "recover")))
				return judge_command(rules, *def, argv + at + 2, verdict, err);
	return ft_error_set(err, FT_E_USAGE, -1, "the browser is not allowed to start %s",
			    argv[0] ? argv[0] : "nothing");
}
