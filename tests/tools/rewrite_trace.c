/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewrite_trace - writes a trace.dat again as another version, with another compression, of one CPU
 * only, or shifted in time.  For tests.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/open/open.h"
#include "tests/lib/rewrite.h"

static const struct {
	const char	*name;
	struct rewrite_form form;
} forms[] = {
	{ "v6",		{ .version = 6 } },
	{ "v7",		{ .version = 7 } },
	{ "zlib",	{ .version = 7, .compression = TRACE_ZLIB } },
	{ "zstd",	{ .version = 7, .compression = TRACE_ZSTD } },
};
#define NR_FORMS (sizeof(forms) / sizeof(forms[0]))

static int show(const struct ft_error *err, const char *path)
{
	char text[512];

	fprintf(stderr, "rewrite_trace: %s\n", ft_error_text(err, path, text, sizeof(text)));
	return 1;
}

int main(int argc, char **argv)
{
	struct ft_error err = { 0 };
	struct source *file;
	struct rewrite_form form;
	size_t nr = 0;
	int ret;

	while (argc > 3 && nr < NR_FORMS && strcmp(argv[3], forms[nr].name))
		nr++;
	if (argc < 4 || argc > 5 || nr == NR_FORMS) {
		fprintf(stderr, "usage: rewrite_trace IN OUT v6|v7|zlib|zstd [CPU|+NS|-NS]\n");
		return 2;
	}
	form = forms[nr].form;
	if (argc == 5 && (*argv[4] == '+' || *argv[4] == '-'))
		form.offset_ns = atoll(argv[4]);
	else
		form.one_cpu = argc == 5;
	form.cpu = form.one_cpu ? atoi(argv[4]) : 0;
	file = source_open(argv[1], -1, &err);
	if (!file)
		return show(&err, argv[1]);
	ret = rewrite_trace(file, argv[2], &form, &err);
	for (unsigned int i = 0; i < source_nr_warnings(file); i++) {
		struct ft_error note = source_warning(file, i);

		show(&note, argv[1]);
	}
	source_close(file);
	return ret ? show(&err, argv[2]) : 0;
}
