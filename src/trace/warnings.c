/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parsers/source/source.h"

#define MAX_SHOWN	5u	/* per file; info shows all of them */

/* A command's lines come from many places, and it prints one file at a time. */
static const char *current;
static bool ended;
static struct text *taken;		/* borrowed: lines go there; NULL: to stderr */

void warnings_take(struct text *lines)
{
	taken = lines;
}

void warnings_end(void)
{
	ended = true;
}

void warnings_begin(const char *path)
{
	current = path;
}

static void put(const struct text *line)
{
	if (taken)
		text_printf(taken, "%s\n", text_str(line));
	else
		fprintf(stderr, "ftop-trace: %s\n", text_str(line));
}

/* Paths and messages may contain bytes that are not safe for a terminal. */
static void show_line(const char *line)
{
	struct text shown = { 0 };

	if (ended)
		return;
	text_printable(&shown, line, strlen(line));
	put(&shown);
	text_fini(&shown);
}

void warnings_tell(const char *fmt, ...)
{
	struct text line = { 0 };
	va_list ap;
	char said[1024];

	if (ended)
		return;
	va_start(ap, fmt);
	vsnprintf(said, sizeof(said), fmt, ap);
	va_end(ap);
	if (current) {
		text_printable(&line, current, strlen(current));
		text_add(&line, ": ");
	}
	text_printable(&line, said, strlen(said));
	put(&line);
	text_fini(&line);
}

static unsigned int show_file(const struct trace *trace, unsigned int nr)
{
	const struct source *file = trace_file_of(trace, nr);
	unsigned int warnings = source_nr_warnings(file);
	char line[1024];

	for (unsigned int i = 0; i < warnings && i < MAX_SHOWN; i++) {
		struct ft_error warning = source_warning(file, i);

		show_line(ft_error_text(&warning, trace_path(trace, nr), line, sizeof(line)));
	}
	if (warnings > MAX_SHOWN) {
		snprintf(line, sizeof(line), "%u more: ftop-trace info %s", warnings - MAX_SHOWN,
			 trace_path(trace, nr));
		show_line(line);
	}
	return warnings;
}

bool warnings_show(const struct trace *trace, uint64_t damaged)
{
	bool any = damaged > 0;

	for (unsigned int i = 0; i < trace_nr_files(trace); i++)
		any |= show_file(trace, i) > 0;
	if (damaged)
		warnings_tell(
			"%s%llu sub-buffer%s damaged; events that could be read from %s are shown",
			trace_nr_files(trace) == 1 ? "" : "in all files: ",
			(unsigned long long)damaged, damaged == 1 ? " is" : "s are",
			damaged == 1 ? "it" : "them");
	return any;
}

void warnings_opening(void *arg, const char *path, uint64_t done, uint64_t size)
{
	struct text shown = { 0 };

	(void)arg;
	if (!isatty(STDERR_FILENO) || !size)
		return;
	text_printable(&shown, path, strlen(path));
	if (done < size)
		fprintf(stderr, "\rftop-trace: opening %s: %3llu %%", text_str(&shown),
			(unsigned long long)(done * 100 / size));
	else
		fputs("\r\033[K", stderr);	/* it is done: the line is for others */
	fflush(stderr);
	text_fini(&shown);
}
