/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/formats_option.h"

#include <string.h>

#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "parsers/io/archive.h"
#include "parsers/print/format_pattern.h"

/* One command line, one set of formats, which all traces of the program share. */
static struct line_formats *given;

const char *formats_option_value(const struct option_list *list)
{
	const char *value = NULL;

	for (unsigned int i = 0; i < list->nr; i++)
		if (list->values[i].id == FORMATS_OPTION_ID)
			value = list->values[i].value;
	return value;
}

static void add(const struct source_format *format, int long_size)
{
	if (!given)
		given = line_formats_new();
	format_pattern_read(given, format, long_size);
}

void formats_option_add(const char *system, const char *text, size_t len)
{
	add(&(struct source_format){ .system = system, .text = text, .size = (uint32_t)len },
	    sizeof(long));
}

static int read_formats(const struct source *file, struct ft_error *err)
{
	const struct source_buffer *top = source_buffer(file, 0);
	unsigned int nr = source_info(file)->is_text ? 0 : source_nr_formats(file);

	if (!nr)
		return ft_error_set(err, FT_E_FORMAT, -1,
				    "it has no event formats: name a trace.dat with events");
	for (unsigned int i = 0; i < nr; i++)
		add(source_format(file, i), top && top->layout.long_size == 4 ? 4 : 8);
	return 0;
}

int formats_option_read(const char *path, struct ft_error *err)
{
	struct source *file = NULL;
	char line[sizeof(err->message)];
	int fd, ret;

	if (!archive_open(path, &fd, NULL, err))
		file = source_open(path, fd, err);
	ret = file ? read_formats(file, err) : -1;
	source_close(file);
	if (ret)
		ft_error_set(err, err->code, -1, "--formats %s",
			     ft_error_text(err, path, line, sizeof(line)));
	return ret;
}

const struct line_formats *formats_option_get(void)
{
	return given;
}

void formats_option_fini(void)
{
	line_formats_free(given);
	given = NULL;
}
