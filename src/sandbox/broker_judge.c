/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_judge - which command lines a screen may start, and which files it may write. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/sandbox/broker_private.h"
#include "src/base/shell_words.h"

static const char trace_magic[] = "\x17\x08\x44tracing";	/* trace-cmd.dat.v6(5) */

bool broker_is_hidden(const char *path)
{
	for (const char *p = path; *p; p += strcspn(p, "/"), p += strspn(p, "/")) {
		size_t len = strcspn(p, "/");

		if (*p == '.' && len != 1 && !(len == 2 && p[1] == '.'))
			return true;
	}
	return false;
}

/* A recording may only overwrite a trace. */
static int check_trace_name(const char *path, struct ft_error *err)
{
	char head[sizeof(trace_magic) - 1];
	struct stat st;
	bool is_trace;
	int fd;

	if (broker_is_hidden(path))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "%s: the browser does not write hidden files", path);
	if (lstat(path, &st))
		return 0;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	is_trace = fd >= 0 && S_ISREG(st.st_mode) &&
		   (st.st_size == 0 || (read(fd, head, sizeof(head)) == sizeof(head) &&
					!memcmp(head, trace_magic, sizeof(head))));
	if (fd >= 0)
		close(fd);
	return is_trace ? 0 :
			  ft_error_set(
				  err, FT_E_USAGE, -1,
				  "%s exists and is not a trace: the browser does not overwrite it",
				  path);
}

/* The option's id; -1 if the command has no option with this name. */
static int id_of(const struct command_def *def, const char *name)
{
	for (const struct option_def *option = def->options; option->name || option->letter;
	     option++)
		if (option->name && !strcmp(option->name, name))
			return option->id;
	return -1;
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

void broker_program(const struct command_def *record, const struct option_list *list,
		    struct text *out)
{
	const char *user = value_of(record, list, "user", NULL);

	for (unsigned int i = 0; i < list->nr_operands; i++) {
		text_add(out, i ? " " : "");
		shell_words_quote(out, list->operands[i]);
	}
	if (list->nr_operands && user)
		text_printf(out, " (as user %s)", user);
}

static int judge_record(const struct broker_rules *rules, const struct option_list *list,
			struct text *runs, struct ft_error *err)
{
	const struct command_def *def = rules->record;
	struct text second = { 0 };
	int ret;

	if (!value_of(def, list, "check", NULL))
		broker_program(def, list, runs);
	ret = check_trace_name(value_of(def, list, "output", "trace.dat"), err);
	if (!ret && rules->second_file && rules->second_file(list, &second))
		ret = check_trace_name(text_str(&second), err);
	text_fini(&second);
	return ret;
}

static int judge_recover(const struct command_def *def, const struct option_list *list,
			 struct ft_error *err)
{
	const char *output = value_of(def, list, "output", ""),
		   *part = list->nr_operands == 1 ? list->operands[0] : "";
	size_t len = strlen(output);

	if (!len || strncmp(part, output, len) || strcmp(part + len, ".part"))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "recover: only for OUTPUT.part, with -o OUTPUT");
	return check_trace_name(output, err);
}

static int parse_and_judge(const struct broker_rules *rules, const char *const *words, bool records,
			   struct text *runs, struct ft_error *err)
{
	const struct command_def *def = records ? rules->record : rules->recover;
	struct option_list list;
	int nr = 0, result;

	while (words[nr])
		nr++;
	if (options_parse(def, nr, (char **)words, &list, err))
		return -1;
	result = records ? judge_record(rules, &list, runs, err) : judge_recover(def, &list, err);
	options_fini(&list);
	return result;
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

int broker_judge(const struct broker_rules *rules, const char *const *argv, struct text *runs,
		 struct ft_error *err)
{
	const char *program = rules->program ? rules->program : "ftop-trace";
	int at = skip_prefix(argv);

	if (at == 1 && !strcmp(argv[0], "sudo") && argv[1] && !strcmp(argv[1], "-v") && !argv[2])
		return 0;	/* only asks for the password, runs nothing */
	if (argv[at] && !strcmp(argv[at], program) && argv[at + 1]) {
		const char *command = argv[at + 1];

		if (!strcmp(command, "doctor") || !strcmp(command, "list"))
			return 0;
		if (rules->record && !strcmp(command, "record"))
			return parse_and_judge(rules, argv + at + 2, true, runs, err);
		if (rules->recover && !strcmp(command, "recover") && !at)
			return parse_and_judge(rules, argv + at + 2, false, runs, err);
	}
	return ft_error_set(err, FT_E_USAGE, -1, "the browser is not allowed to start %s",
			    argv[0] ? argv[0] : "nothing");
}
