/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/base/options.h"

enum { OPT_LATENCY, OPT_TIMES, OPT_CPU, OPT_FILTER, OPT_HIDDEN, OPT_GREP };

static const struct option_group shared = {
	"Rows",
	(const struct option_def[]){
		{ "grep", 'g', "REGEX", OPT_GREP, "print only what matches" },
		{ "input", 'i', "FILE", 0, "the same as FILE", OPTION_OPERAND },
		OPTION_END,
	},
};

static const struct command_def command = {
	.name = "sample",
	.operands = "[FILE]",
	.summary = "for the test",
	.details = "The one.\n\nThe other.",
	.max_operands = 1,
	.options = (const struct option_def[]){
		{ "latency", 'l', NULL, OPT_LATENCY, "latency columns" },
		{ NULL, 't', NULL, OPT_TIMES, "nanoseconds" },
		{ "cpu", 0, "LIST", OPT_CPU, "only these CPUs\n\nAs a list." },
		{ "filter", 'F', "EXPR", OPT_FILTER, "only what matches" },
		{ "hold", 0, "N", OPT_HIDDEN, NULL },
		{ "refused", 'R', NULL, OPTION_REFUSED, "it is not for this" },
		{ .group = &shared, .help = "rows that match" },
		OPTION_END,
	},
};

static int parse(struct option_list *list, struct ft_error *err, const char *words)
{
	static char copy[256];
	static char *argv[32];
	int argc = 0;

	strcpy(copy, words);
	for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
		argv[argc++] = p;
	return options_parse(&command, argc, argv, list, err);
}

static void test_order_and_values(void **state)
{
	struct option_list list;
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(parse(&list, &err, "-lt --cpu 0,2 a.dat -Fx==1 --filter=y --latency -F z"),
			 0);
	assert_int_equal(list.nr, 7);
	assert_int_equal(list.values[0].id, OPT_LATENCY);
	assert_int_equal(list.values[1].id, OPT_TIMES);
	assert_int_equal(list.values[2].id, OPT_CPU);
	assert_string_equal(list.values[2].value, "0,2");
	assert_string_equal(list.values[3].value, "x==1");
	assert_string_equal(list.values[4].value, "y");
	assert_int_equal(list.values[5].id, OPT_LATENCY);
	assert_string_equal(list.values[6].value, "z");
	assert_int_equal(list.nr_operands, 1);
	assert_string_equal(list.operands[0], "a.dat");
	options_fini(&list);
}

static char *text_of(void (*print)(FILE *out));
static void print_usage(FILE *out);
static void print_man(FILE *out);

/* Options of a group are the command's, wherever they stand; -i FILE is an operand. */
static void test_groups(void **state)
{
	struct option_list list;
	struct ft_error err = { 0 };
	char *text;

	(void)state;
	assert_int_equal(parse(&list, &err, "-lgx -i a.dat --grep=y"), 0);
	assert_int_equal(list.nr, 3);
	assert_int_equal(list.values[1].id, OPT_GREP);
	assert_string_equal(list.values[2].value, "y");
	assert_int_equal(list.nr_operands, 1);
	assert_string_equal(list.operands[0], "a.dat");
	options_fini(&list);
	assert_int_equal(parse(&list, &err, "--input=a b"), -1);
	assert_string_equal(err.message, "too many arguments: b; usage: ftop-trace sample [FILE]");
	assert_int_equal(parse(&list, &err, "--gre=a"), -1);
	assert_non_null(strstr(err.message, "did you mean --grep?"));
	assert_string_equal(options_by_id(&command, OPT_GREP)->name, "grep");
	assert_null(options_by_id(&command, 99));
	text = text_of(print_usage);
	assert_non_null(strstr(text, "\n  Rows    -g -i: rows that match\n"));
	assert_null(strstr(text, "print only what matches"));
	free(text);
	text = text_of(print_man);
	assert_non_null(strstr(text, ".SH \"COMMON OPTIONS\"\n.TP\n.B \\-g, \\-\\-grep=REGEX\n"));
	assert_non_null(strstr(text, ".B \\-g, \\-i\nrows that match\n"));
	free(text);
}

static void test_two_dashes_end_options(void **state)
{
	struct option_list list;
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(parse(&list, &err, "-l -- -t"), 0);
	assert_int_equal(list.nr, 1);
	assert_string_equal(list.operands[0], "-t");
	options_fini(&list);
}

/* How many words of a command line are options and their arguments. */
static void test_options_at_the_beginning(void **state)
{
	static const struct {
		const char	*words;
		int		 nr;
	} cases[] = {
		{ "-l -t a -t", 2 },	  { "--cpu 0 a", 2 },	 { "--cpu=0 a", 1 },
		{ "-ltF x a", 2 },	  { "-Fx a", 1 },	 { "--frob -x a", 2 },
		{ "-l -- -t", 1 },	  { "-l - -t", 1 },	 { "-l --cpu", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char copy[64], *argv[8];
		int argc = 0;

		strcpy(copy, cases[i].words);
		for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
			argv[argc++] = p;
		assert_int_equal(options_skip(&command, argc, argv), cases[i].nr);
	}
}

static void test_errors_name_the_word(void **state)
{
	static const struct {
		const char *words, *message;
	} cases[] = {
		{ "--latncy",
		  "unknown option --latncy; did you mean --latency?; ftop-trace sample --help lists the options" },
		{ "--zzzzzzzz",
		  "unknown option --zzzzzzzz; ftop-trace sample --help lists the options" },
		{ "-x", "unknown option -x; ftop-trace sample --help lists the options" },
		{ "--cpu", "--cpu requires an argument: LIST" },
		{ "-F", "-F requires an argument: EXPR" },
		{ "--latency=3", "--latency takes no argument" },
		{ "--refused=3", "sample has no option --refused: it is not for this" },
		{ "-lRx", "sample has no option -R: it is not for this" },
		{ "a b", "too many arguments: b; usage: ftop-trace sample [FILE]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct option_list list;
		struct ft_error err = { 0 };

		assert_int_equal(parse(&list, &err, cases[i].words), -1);
		assert_int_equal(err.code, FT_E_USAGE);
		assert_string_equal(err.message, cases[i].message);
	}
}

static void test_numbers_and_choices(void **state)
{
	static const char *const words[] = { "text", "csv" };
	struct ft_error err = { 0 };
	long long n;

	(void)state;
	assert_int_equal(options_number("--head", "12", 0, 100, &n, &err), 0);
	assert_int_equal(n, 12);
	assert_int_equal(options_number("--head", "101", 0, 100, &n, &err), -1);
	assert_int_equal(options_number("--head", "1x", 0, 100, &n, &err), -1);
	assert_int_equal(options_number("--head", "", 0, 100, &n, &err), -1);
	assert_string_equal(err.message, "--head: '' is not a whole number from 0 to 100");
	assert_int_equal(options_choice("--format", "csv", words, 2, &err), 1);
	assert_int_equal(options_choice("--format", "xml", words, 2, &err), -1);
	assert_string_equal(err.message, "--format: 'xml' is not one of 'text', 'csv'");
}

static void test_cpu_lists(void **state)
{
	static const char *const bad[] = { "", "a", "1-", "3-1", "1,,2", "0,", "99999" };
	struct ft_error err = { 0 };
	bool cpus[8] = { false };

	(void)state;
	assert_int_equal(options_cpus("--cpu", "0,2-3,7-60000", cpus, 8, &err), 0);
	for (int i = 0; i < 8; i++)
		assert_int_equal(cpus[i], i == 0 || i == 2 || i == 3 || i == 7);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(options_cpus("--cpu", bad[i], cpus, 8, &err), -1);
	}
}

static const struct command_def plain = {
	.name = "plain", .operands = "", .summary = "without operands",
	.options = (const struct option_def[]){ OPTION_END },
};
static const struct command_def browser = {
	.name = "", .operands = "[FILE…]", .summary = "the browser", .max_operands = 1024,
	.options = (const struct option_def[]){
		{ "theme", 0, "dark|light|FILE", 0, "colours", OPTION_PATH },
		{ "formats", 'f', "FILE|running", 1, "formats", OPTION_READ },
		{ "title", 0, "FILE", 2, "no file at all" },
		OPTION_END,
	},
};
static const struct command_def lister = {
	.name = "list", .operands = "[FILE...]", .summary = "names that are no files",
	.max_operands = 2, .operand_kind = OPERANDS_WORDS,
	.options = (const struct option_def[]){ OPTION_END },
};
static const struct command_def starter = {
	.name = "start", .operands = "[COMMAND...]", .summary = "starts a command",
	.max_operands = 9, .operand_kind = OPERANDS_COMMAND,
	.options = (const struct option_def[]){ OPTION_END },
};

static void print_usage(FILE *out)
{
	options_usage(&command, out);
}

static void print_plain_usage(FILE *out)
{
	options_usage(&plain, out);
}

static const struct command_def *const all[] = { &browser, &command, &plain };

static void print_overview(FILE *out)
{
	options_overview(all, 3, true, out);
}

static void print_man(FILE *out)
{
	static const struct option_group *const groups[] = { &shared };

	options_man(all, 3, groups, 1, out);
}

static char *text_of(void (*print)(FILE *out))
{
	char *buf = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&buf, &size);

	assert_non_null(out);
	print(out);
	fclose(out);
	return buf;
}

static void test_usage_lists_what_has_help(void **state)
{
	char *text = text_of(print_usage);

	(void)state;
	assert_non_null(strstr(text, "Usage: ftop-trace sample [OPTIONS] [FILE]\n"));
	assert_non_null(strstr(text, "  -l, --latency             latency columns\n"));
	assert_non_null(strstr(text, "      --cpu=LIST            only these CPUs\n"));
	assert_non_null(strstr(text, "  -t                        nanoseconds\n"));
	assert_null(strstr(text, "hold"));
	assert_null(strstr(text, "As a list"));
	free(text);
	text = text_of(print_man);
	assert_non_null(strstr(text, ".B \\-\\-cpu=LIST\nonly these CPUs\n.IP\nAs a list.\n"));
	free(text);
}

static const struct command_def wide = {
	.name = "wide", .operands = "", .summary = "one two three four five six seven eight nine ten",
	.details = "one two\nthree four\nfive six\n  name   one two three four five six seven eight\n\nlast",
	.options = (const struct option_def[]){
		{ "long", 0, NULL, 0, "eleven twelve thirteen\nfourteen" }, OPTION_END },
};

/* Folded to COLUMNS, between 40 and 100; an indented line keeps its second column. */
static void test_help_is_folded(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	setenv("COLUMNS", "1", 1);
	options_usage(&wide, out);
	fclose(out);
	unsetenv("COLUMNS");
	assert_string_equal(
		text,
		"Usage: ftop-trace wide [OPTIONS]\n\n"
		"one two three four five six seven eight\nnine ten\n\n"
		"one two three four five six\n"
		"  name   one two three four five six\n         seven eight\n\nlast\n\nOptions:\n"
		"      --long                eleven\n"
		"                            twelve\n"
		"                            thirteen\n"
		"                            fourteen\n"
		"  -h, --help                show this\n"
		"                            help\n");
	free(text);
}

static void test_texts(void **state)
{
	char *text = text_of(print_overview);

	(void)state;
	assert_non_null(strstr(text, "\n  sample      for the test\n"));
	assert_non_null(
		strstr(text,
		       "      --theme=dark|light|FILE\n                            colours\n"));
	assert_non_null(strstr(text, "--version"));
	assert_null(strstr(text, " \n"));
	free(text);
	text = text_of(print_plain_usage);
	assert_non_null(strstr(text, "Usage: ftop-trace plain\n"));
	free(text);
	text = text_of(print_man);
	assert_null(strstr(text, " \n"));
	assert_non_null(strstr(text, ".SH ENVIRONMENT\n"));
	assert_non_null(strstr(text, "\n.B NO_COLOR\n"));
	assert_non_null(strstr(text, ".PP\nThe one.\n.PP\nThe other.\n"));
	free(text);
}

/* @words: behind the command's, separated by blanks; a blank at the end begins an empty one. */
static void completes(const struct command_def *of, const char *words, const char *wanted)
{
	char *copy = strdup(words), *argv[8], *text = NULL, *rest = copy;
	struct option_place place;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int argc = 0;

	while (argc < 8 && rest)
		argv[argc++] = strsep(&rest, " ");
	options_place(of, argc, argv, &place);
	options_complete(all, 3, of, &place, out);
	fclose(out);
	assert_string_equal(strchr(text, '\n') + 1, wanted);
	free(text);
	free(copy);
}

/* What an argument is, its option's definition says, and not what the usage calls it. */
static void test_kinds_of_arguments(void **state)
{
	char *words[] = { "--theme=a", "-f", "b", "--title", "c", "--title", "" };
	struct option_list list;
	struct option_place place;
	struct ft_error err = { 0 };

	(void)state;
	assert_int_equal(options_parse(&browser, 6, words, &list, &err), -1);
	assert_int_equal(options_parse(&browser, 5, words, &list, &err), 0);
	assert_int_equal(list.nr, 3);
	assert_int_equal(list.values[0].kind, OPTION_PATH);
	assert_int_equal(list.values[1].kind, OPTION_READ);
	assert_int_equal(list.values[2].kind, OPTION_WORD);
	options_fini(&list);
	options_place(&browser, 7, words, &place);
	assert_string_equal(place.file, "b");
	completes(&browser, "--title ", "");
	completes(&browser, "--formats=", "--formats=running\t\n:files\n");
	completes(&lister, "x", "");
	completes(&starter, "x", ":commands\n");
	completes(&starter, "ls -l", ":files\n");
}

static void test_completion(void **state)
{
	(void)state;
	completes(&browser, "sa", "sample\tfor the test\n:files\n");
	completes(&browser, "help sa", "sample\tfor the test\n");
	completes(&browser, "--theme=d", "--theme=dark\t\n:files\n");
	completes(&browser, "--theme ", "dark\t\nlight\t\n:files\n");
	completes(&command, "--l", "--latency\tlatency columns\n");
	completes(&command, "-",
		  "--latency\tlatency columns\n-t\tnanoseconds\n--cpu=\tonly these CPUs\n"
		  "--filter=\tonly what matches\n--grep=\tprint only what matches\n"
		  "--input=\tthe same as FILE\n--help\tshow this help\n");
	completes(&command, "--cpu ", "");
	completes(&command, "-- --l", ":files\n");
	completes(&plain, "x", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_values),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_two_dashes_end_options),
		cmocka_unit_test(test_options_at_the_beginning),
		cmocka_unit_test(test_errors_name_the_word),
		cmocka_unit_test(test_numbers_and_choices),
		cmocka_unit_test(test_cpu_lists),
		cmocka_unit_test(test_usage_lists_what_has_help),
		cmocka_unit_test(test_help_is_folded),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_completion),
		cmocka_unit_test(test_kinds_of_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
