/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rewrite_trace - writes a trace.dat again as another version or with another compression.  For tests. */
#include <stdio.h>
#include <string.h>

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
	struct trace_file *file;
	size_t form = 0;
	int ret;

	while (argc == 4 && form < NR_FORMS && strcmp(argv[3], forms[form].name))
		form++;
	if (argc != 4 || form == NR_FORMS) {
		fprintf(stderr, "usage: rewrite_trace IN OUT v6|v7|zlib|zstd\n");
		return 2;
	}
	file = trace_file_open(argv[1], &err);
	if (!file)
		return show(&err, argv[1]);
	ret = rewrite_trace(file, argv[2], &forms[form].form, &err);
	for (unsigned int i = 0; i < trace_file_nr_notes(file); i++) {
		struct ft_error note = trace_file_note(file, i);

		show(&note, argv[1]);
	}
	trace_file_close(file);
	return ret ? show(&err, argv[2]) : 0;
}
