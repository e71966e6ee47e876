/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_kernel.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "parsers/io/read_at.h"
#include "parsers/io/trace_format.h"
#include "parsers/perf/perf_file.h"
#include "src/base/small_file.h"

#define SYMBOLS		"/proc/kallsyms"
#define NOTES		"/sys/kernel/notes"
#define MAX_NOTES	65536u
#define STEP_BYTES	(64u << 10)

static int opened = -1;			/* there is one kernel */

void perf_kernel_open_ahead(void)
{
	if (opened < 0)
		opened = open(SYMBOLS, O_RDONLY | O_CLOEXEC);
}

static void read_symbols(struct text *to)
{
	int64_t got = 1;

	while (opened >= 0 && got > 0 && to->len < TRACE_MAX_BLOB) {
		text_reserve(to, STEP_BYTES);
		got = read_at(opened, to->data + to->len, STEP_BYTES, to->len);
		to->len += got > 0 ? (size_t)got : 0;
		to->data[to->len] = '\0';
	}
}

static bool has_build_id(const struct perf_file *file)
{
	struct text notes = { 0 };
	bool found = !small_file_read(NOTES, MAX_NOTES, &notes, NULL) &&
		     memmem(notes.data, notes.len, file->kernel_id, sizeof(file->kernel_id));

	text_fini(&notes);
	return found;
}

/* "ffffffff81000000 T _text": zeros if this user may not see addresses. */
static bool has_text_at(const char *symbols, uint64_t address)
{
	const char *line = strstr(symbols, " T _text\n");

	while (line && line > symbols && line[-1] != '\n')
		line--;
	return line && strtoull(line, NULL, 16) == address;
}

void perf_kernel_symbols(const struct perf_file *file, uint64_t text_address, struct text *out)
{
	struct text symbols = { 0 };
	struct utsname name;

	if (!text_address || !file->release || uname(&name) ||
	    strcmp(name.release, file->release) || (file->has_kernel_id && !has_build_id(file)))
		return;
	read_symbols(&symbols);
	if (has_text_at(text_str(&symbols), text_address))
		text_bytes(out, symbols.data, symbols.len);
	text_fini(&symbols);
}
