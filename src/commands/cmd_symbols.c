/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbols - names for addresses of user space, kept in the trace. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/file/trace_file.h"
#include "parsers/io/archive.h"
#include "parsers/io/read_at.h"
#include "parsers/writer/private_section.h"
#include "src/base/memory.h"
#include "src/base/file_place.h"
#include "src/base/workers.h"
#include "src/commands/command_open.h"
#include "src/symbols/elf_helper.h"
#include "src/symbols/symbols.h"
#include "src/trace/trace_streams.h"
#include "src/trace/warnings.h"

enum { OPT_OUTPUT = 1, OPT_SYSROOT };

#define COPY_BYTES	(1u << 20)	/* of one read */
#define MOST_NOTES	10u		/* files without names that are told */

const struct command_def cmd_symbols_def = {
	.name = "symbols",
	.operands = "[FILE]",
	.summary = "add names of functions to the addresses of user space in a trace",
	.details = "This adds to FILE the names of the functions to which the addresses in stacks of\n"
		   "user space and in events of uprobes belong. It finds them in the programs and\n"
		   "libraries that the traced processes had mapped. The browser, ftop-trace stacks and\n"
		   "the flame graphs then show the names. The text of report stays the same, and\n"
		   "trace-cmd reads the file as before.\n\n"
		   "FILE must say what was mapped. A recording of ftop-trace record with stacks of\n"
		   "user space or uprobes does; one of trace-cmd record --proc-map does, with fewer\n"
		   "details.\n\n"
		   "The command opens files whose names are in FILE. It uses a file only if its build\n"
		   "ID is that of the mapped file, as far as FILE contains it. It looks for debug files\n"
		   "in /usr/lib/debug, by build ID and by name.",
	.examples = "Where tasks of a program wait, in its own code:\n"
		    "  ftop-trace record -e sched_switch -O userstacktrace ./prog\n"
		    "  ftop-trace symbols\n"
		    "  ftop-trace stacks --off-cpu\n"
		    "The trace of another machine, whose files are below ./image:\n"
		    "  ftop-trace symbols --sysroot=image trace.dat",
	.max_operands = 1,
	.options = (const struct option_def[]){
		{ .name = "sysroot", .arg = "DIR", .id = OPT_SYSROOT,
		  .help = "look for all files below this folder", .kind = OPTION_PATH },
		{ .name = "output", .letter = 'o', .arg = "NEW", .id = OPT_OUTPUT,
		  .help = "write this file, which must not exist, and leave FILE as it is",
		  .kind = OPTION_NEW },
		{ .name = "force", .id = COMMAND_FORCE, .help = "replace NEW if it exists" },
		OPTION_END,
	},
};

struct symbols_command {
	const char	*path, *output, *sysroot;	/* output: NULL: the file itself */
	struct trace	*trace;
	struct symbols_result result;
};

/* Open for appending before this process was confined; -1: -o was given. */
static int appended = -1;

int cmd_symbols_open(const struct option_list *list, struct ft_error *err)
{
	const char *path = command_file(list);
	struct stat st;

	for (unsigned int i = 0; i < list->nr; i++)
		if (list->values[i].id == OPT_OUTPUT)
			return 0;
	appended = file_place_open_file(path, O_RDWR | O_APPEND | O_NONBLOCK | O_NOCTTY, err);
	if (appended < 0)
		return ft_error_prefix(err, "cannot add names%s",
				       access(path, F_OK) ? "" : " (-o NEW writes another file)");
	if (fstat(appended, &st) || !S_ISREG(st.st_mode))
		return ft_error_set(err, FT_E_FORMAT, -1, "%s: not a regular file", path);
	return 0;
}

/* What is added to a compressed file, or to one that is no trace.dat, nobody would find. */
static int check_form(const struct symbols_command *c, struct ft_error *err)
{
	const struct source *file = trace_file_of(c->trace, 0);

	if (source_info(file)->names_files)
		return ft_error_set(err, FT_E_FORMAT, -1,
				    "%s: names of a perf.data are found when it is shown: "
				    "ftop-trace stacks --sysroot DIR FILE",
				    c->path);
	if (source_growth(file) != SOURCE_WHOLE)
		return ft_error_set(err, FT_E_FORMAT, -1, "%s: it is still being recorded",
				    c->path);
	if (!source_info(file)->version)
		return ft_error_set(err, FT_E_FORMAT, -1,
				    "%s: not a trace.dat, and nothing else has room for names",
				    c->path);
	if (archive_is_at(c->path))
		return ft_error_set(
			err, FT_E_FORMAT, -1,
			"%s: names cannot be added to a compressed file; unpack it first", c->path);
	return 0;
}

static int copy_file(const char *path, int to, struct ft_error *err)
{
	char *bytes = mem_alloc(COPY_BYTES);
	uint64_t at = 0;
	int64_t got = -1;
	int from, ret = archive_open(path, &from, NULL, err);

	while (!ret && from >= 0 && (got = read_at(from, bytes, COPY_BYTES, at)) > 0) {
		at += (uint64_t)got;
		for (ssize_t done = 0, put; got > 0 && done < got; done += put) {
			put = write(to, bytes + done, (size_t)(got - done));
			if (put <= 0)
				got = -1;
		}
		if (got < 0)
			break;
	}
	if (!ret && got < 0)
		ret = ft_error_errno(err, errno, -1, "%s: cannot copy", path);
	free(bytes);
	if (from >= 0)
		close(from);
	return ret;
}

static int write_file(const struct symbols_command *c, const struct text *block,
		      struct ft_error *err)
{
	const struct source *file = trace_file_of(c->trace, 0);
	int fd = c->output ? command_begin_file(c->output, err) : appended, ret;
	struct text section = { 0 };

	if (fd < 0)
		return -1;
	trace_file_with_block(file, TRACE_TEXT_USER_SYMBOLS, block, &section);
	ret = c->output ? copy_file(c->path, fd, err) : 0;
	if (!ret && private_section_append(fd, source_info(file)->big_endian, &section, err))
		ret = ft_error_prefix(err, "%s", c->output ? c->output : c->path);
	text_fini(&section);
	if (c->output && command_end_files(!ret, ret ? NULL : err))
		ret = -1;
	return ret;
}

static void tell(const struct symbols_command *c)
{
	const struct symbols_result *r = &c->result;
	const char *line = text_str(&r->notes);
	unsigned int nr = 0;

	warnings_tell(
		"%s: %llu addresses of user space, %llu of them in files; %llu of %llu places "
		"there are in functions with names",
		c->output ? c->output : c->path, (unsigned long long)r->addresses,
		(unsigned long long)r->mapped, (unsigned long long)r->named,
		(unsigned long long)r->places);
	for (; *line && nr < MOST_NOTES; nr++) {
		size_t len = strcspn(line, "\n");
		struct text shown = { 0 };

		text_printable(&shown, line, len);
		warnings_tell("%s", text_str(&shown));
		text_fini(&shown);
		line += len + 1;
	}
	if (*line)
		warnings_tell("… and other files without names");
}

static int find(struct symbols_command *c, struct ft_error *err)
{
	const char *lost = source_text_lost(trace_file_of(c->trace, 0), TRACE_TEXT_USER_SYMBOLS);
	struct text block = { 0 };
	int ret = 0;

	trace_wait(c->trace);
	symbols_find(c->trace, c->sysroot, &block, &c->result);
	if (!c->result.addresses)
		warnings_tell("%s: no addresses of user space; nothing was written", c->path);
	else if (!c->result.maps && lost)
		ret = ft_error_set(err, FT_E_FORMAT, -1,
				   "%s: which files its processes had mapped is lost: %s", c->path,
				   lost);
	else if (!c->result.maps)
		ret = ft_error_set(
			err, FT_E_FORMAT, -1,
			"%s: it does not say which files its processes had mapped; ftop-trace record "
			"keeps that, and trace-cmd record --proc-map",
			c->path);
	else if (!(ret = write_file(c, &block, err)))
		tell(c);
	text_fini(&block);
	return ret;
}

int cmd_symbols(const struct option_list *list, struct ft_error *err)
{
	struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1,
					 .progress.tell = warnings_opening };
	struct symbols_command c = { .path = command_file(list), .sysroot = "" };
	int ret = -1;

	for (unsigned int i = 0; i < list->nr; i++) {
		if (list->values[i].id == OPT_OUTPUT)
			c.output = list->values[i].value;
		if (list->values[i].id == OPT_SYSROOT)
			c.sysroot = list->values[i].value;
	}
	if (!elf_helper_is_built())
		return ft_error_set(err, FT_E_UNSUPPORTED, -1,
				    "this ftop-trace was built without libdw, which reads symbols");
	c.trace = trace_open(&c.path, 1, true, &options, err);
	if (c.trace && !check_form(&c, err))
		ret = find(&c, err);
	if (!ret)
		warnings_show(c.trace, trace_status(c.trace).damaged_pages);
	trace_close(c.trace);
	symbols_result_fini(&c.result);
	return ret;
}
