/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_settings - the bytes as files of the user: configuration, theme, named filters, set-ups,
 * what is said of events; as a command line; and as what a terminal says of its colours.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/lines/line_types.h"
#include "recorder/commands/record_commands.h"
#include "src/base/config_file.h"
#include "src/base/shell_words.h"
#include "src/commands/derived_names.h"
#include "src/events/known_events.h"
#include "src/filter/filter_named.h"
#include "src/latency/latency_kinds.h"
#include "ui/record/record_setup.h"
#include "ui/screen/background.h"
#include "ui/screen/theme.h"

const char fuzz_name[] = "fuzz_settings";

/* A value that is changed is there afterwards, once. */
static void try_config(const char *s)
{
	struct config_line line = { 0 };
	struct text changed = { 0 };
	unsigned int found = 0;

	for (bool more = config_file_next(s, &line); more; more = config_file_next(NULL, &line))
		assert(line.nr && (line.wrong ? line.wrong_column : line.name_column));
	config_file_change(s, "theme", "dark", &changed);
	line.rest = text_str(&changed);
	while (config_file_next(NULL, &line)) {
		if (line.wrong || strcmp(line.name, "theme"))
			continue;
		assert(!strcmp(line.value, "dark"));
		found++;
	}
	assert(found == 1);
	text_fini(&changed);
}

static void try_theme(const char *s, size_t size)
{
	static struct theme theme;
	struct ft_error err = { 0 };

	if (theme_parse(&theme, "fuzz", s, size, &err)) {
		assert(err.message[0]);
		return;
	}
	for (int role = 0; role < NR_ROLES; role++) {
		theme_style(&theme, THEME_256, (enum role)role, ROLE_TEXT);
		theme_fill_style(&theme, THEME_16, (enum role)role, false);
	}
}

/* Words that are split and joined stay the same words. */
static void try_words(const char *s)
{
	struct shell_words words = { 0 }, again = { 0 };
	struct ft_error err = { 0 };
	struct text joined = { 0 };

	if (!shell_words_split(&words, s, &err)) {
		shell_words_join(&words, &joined);
		assert(!shell_words_split(&again, text_str(&joined), &err));
		assert(again.nr == words.nr);
		for (unsigned int i = 0; i < words.nr; i++)
			assert(!strcmp(words.words[i], again.words[i]));
	}
	shell_words_fini(&words);
	shell_words_fini(&again);
	text_fini(&joined);
}

/* A line that can be read can be read again. */
static void try_setups(const char *path)
{
	struct named_setups setups = { 0 };

	named_setups_read(&setups, path);
	for (unsigned int i = 0; i < setups.nr; i++) {
		struct record_setup setup = { 0 };
		struct shell_words words = { 0 };
		struct text line = { 0 };

		if (!setups.all[i].question &&
		    !record_setup_read(&setup, &cmd_record_def, setups.all[i].line, NULL)) {
			record_setup_settle(&setup, &cmd_record_def);
			if (!record_setup_words(&setup, &words, NULL)) {
				shell_words_join(&words, &line);
				record_setup_read(&setup, &cmd_record_def, text_str(&line), NULL);
			}
		}
		record_setup_fini(&setup);
		shell_words_fini(&words);
		text_fini(&line);
	}
	named_setups_fini(&setups);
}

static int check_colour(const char *text, struct ft_error *err)
{
	return theme_role(text) == NR_ROLES ? ft_error_set(err, FT_E_FORMAT, -1, "no role") : 0;
}

/* The lines of the user are about their first event; @s is also what a trace says. */
static void try_events(const char *s)
{
	const struct known_checks checks = { check_colour, latency_kinds_check };
	struct text_slice body = { s, strcspn(s, "\n") };
	const struct known_line *line;
	struct line_types types = { 0 };
	struct latency_kinds kinds;
	struct line_values values;
	struct ft_error err = { 0 };

	if (known_events_add(s, "fuzz", &checks, &err))
		assert(err.message[0]);
	for (unsigned int at = 0; (line = known_events_next(KNOWN_PATTERN, &at)) && line->is_own;) {
		struct text_slice name = { line->names, strcspn(line->names, " \t") };
		const struct line_type *type = line_types_learn(&types, name, body);

		assert(*line->text);
		if (type)
			line_type_values(type, body, &values);
	}
	line_types_place(&types);
	line_types_fini(&types);
	latency_kinds_init(&kinds);
	latency_kinds_fini(&kinds);
	known_events_fini();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	struct filter_named named = { 0 };
	struct ft_error err = { 0 };
	struct text out = { 0 };
	char *s = malloc(size + 1);

	assert(s);
	memcpy(s, data, size);
	s[size] = '\0';
	try_config(s);
	try_theme(s, size);
	try_words(s);
	try_events(s);
	background_of_answer(s);
	background_of_variable(s);
	filter_named_change(s, "mine", "cpu == 1", &out);
	if (path) {
		filter_named_read(&named, path, derived_names, &err);
		filter_named_fini(&named);
		try_setups(path);
	}
	text_fini(&out);
	free(s);
	return 0;
}

static const char *const seeds[] = {
	"# settings\ntheme = light\t# by day\n\nfilter = sched_switch && cpu == 1\n mouse=off\n",
	"selected = on #264f78 bold\n256 = on 24\n16 = white on blue\nmono = reverse\n"
	"text = default on default\ntitle = bright-red dim underline\n",
	"mine = sched_switch && cpu == 1\n\t a_1 =  comm == \"a = b\" \t\r\nerrors = ret == -2\n1 = x",
	"# set-ups\nmine: -p function_graph -g 'vfs read' -e sched -e 'irq:*' -f \"irq == 1\" -b 4096\n"
	"other: -e sched -R stacktrace -B foo -e irq -F -c sleep 1\n",
	"system mine\n names my_*\n colour event.irq\nevent my_a my_*\n sentence {TASK} {a:us}{b:error} {{\n"
	"short {s:state} {a:no|yes|}\npattern a={a:int} {} {b}\nkind mine\nmeasures x\n"
	"instance {what}\npair mine my_a [cpu == 1] -> my_b by pid,a=b what \"{f} {>g}\"\n",
	"record -e sched \"a \\\"b\\\" $x\" 'c d' e\\ f\n",
	"11;rgb:ffff/0000/8080", "11;#102030", "11;rgba:ff/ff/ff/ff", "0;default;15",
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
