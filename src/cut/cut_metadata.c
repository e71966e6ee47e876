/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cut_metadata - the metadata of the cut: all of the first file, and what others add.  They must be
 * of the same kernel: a file has room for one set of formats and symbols, and one shift of times.
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/cut/cut_private.h"

#define LAST_LINE	"\nsaved_tgids "	/* of our own section, before other bytes */

static int not_joined(const struct cut *cut, unsigned int file, const char *why,
		      struct ft_error *err)
{
	return ft_error_set(err, FT_E_UNSUPPORTED, -1, "%s cannot be joined with %s: %s",
			    trace_path(cut->trace, file), trace_path(cut->trace, 0), why);
}

static int check_joint(const struct cut *cut, unsigned int file, struct ft_error *err)
{
	const struct trace_file *a = trace_file_of(cut->trace, 0),
				*b = trace_file_of(cut->trace, file);
	const struct trace_file_info *x = trace_file_info(a), *y = trace_file_info(b);
	const struct sub_buffer_layout *p = &trace_file_buffer(a, 0)->layout,
				       *q = &trace_file_buffer(b, 0)->layout;

	if (p->big_endian != q->big_endian || p->long_size != q->long_size ||
	    p->data_offset != q->data_offset || p->commit_offset != q->commit_offset)
		return not_joined(cut, file, "its byte order or size of long is another", err);
	if (x->date_us != y->date_us || x->offset_ns != y->offset_ns ||
	    x->tsc_mult != y->tsc_mult || x->tsc_shift != y->tsc_shift ||
	    x->has_trace_clock != y->has_trace_clock || trace_file_time_shift(a, 0, NULL, NULL) ||
	    trace_file_time_shift(b, 0, NULL, NULL))
		return not_joined(cut, file, "its times are converted in another way", err);
	return 0;
}

/* --- formats and texts ------------------------------------------------------------------ */

/* Is the format new?  -1: an earlier file has another one with its number. */
static int is_new_format(const struct cut *cut, unsigned int file,
			 const struct trace_file_format *format, struct ft_error *err)
{
	for (unsigned int f = 0; f < file; f++) {
		const struct trace_file_format *other =
			trace_file_format_by_id(trace_file_of(cut->trace, f), format->id);

		if (!other)
			continue;
		if (other->size == format->size && !memcmp(other->text, format->text, format->size))
			return 0;
		return not_joined(cut, file, "its kernel has other event types", err);
	}
	return 1;
}

/* The text of a latency tracer has formats that this program made up. */
static int put_formats(const struct cut *cut, unsigned int file, struct ft_error *err)
{
	const struct trace_file *from = trace_file_of(cut->trace, file);
	unsigned int nr = trace_file_lines(from) ? 0 : trace_file_nr_formats(from);

	for (unsigned int i = 0; i < nr; i++) {
		const struct trace_file_format *f = trace_file_format(from, i);
		int is_new = is_new_format(cut, file, f, err);

		if (is_new < 0)
			return -1;
		if (is_new)
			trace_writer_format(cut->writer, f->system, f->text, f->size);
	}
	return 0;
}

/* The lines of the kernel itself come first, then those of modules: "ADDRESS t NAME\t[MODULE]". */
static size_t core_of(const char *symbols, size_t size)
{
	const char *module = memmem(symbols, size, "\t[", 2);

	while (module && module > symbols && module[-1] != '\n')
		module--;
	return module ? (size_t)(module - symbols) : size;
}

/* @lines: of each file, unless they are those of the first; else of the first that has any. */
static int put_text(const struct cut *cut, enum trace_text kind, bool lines, struct ft_error *err)
{
	struct text all = { 0 };
	int ret = 0;

	for (unsigned int f = 0; f < trace_nr_files(cut->trace) && !ret; f++) {
		const struct trace_file *file = trace_file_of(cut->trace, f);
		uint64_t size;
		const char *t = trace_file_section_text(file, kind, &size);
		size_t core;

		if (kind == TRACE_TEXT_KALLSYMS && trace_file_lines(file))
			continue;
		if (all.len && (!lines || (all.len == size && !memcmp(all.data, t, size))))
			continue;
		core = kind == TRACE_TEXT_KALLSYMS && all.len ? core_of(t, size) : 0;
		if (core && (core != core_of(all.data, all.len) || memcmp(t, all.data, core)))
			ret = not_joined(
				cut, f,
				"its kernel is another one or was started another time, as functions have other addresses",
				err);
		text_bytes(&all, t + core, size - core);
	}
	trace_writer_text(cut->writer, kind, text_str(&all), all.len);
	text_fini(&all);
	return ret;
}

static int put_texts(const struct cut *cut, struct ft_error *err)
{
	static const struct {
		enum trace_text	kind;
		bool		lines;
	} texts[] = {
		{ TRACE_TEXT_HEADER_PAGE, false }, { TRACE_TEXT_HEADER_EVENT, false },
		{ TRACE_TEXT_KALLSYMS, true },	   { TRACE_TEXT_PRINTK, true },
		{ TRACE_TEXT_CMDLINES, true },	   { TRACE_TEXT_BTF, false },
		{ TRACE_TEXT_MODULES, true },
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && !ret; i++)
		ret = put_text(cut, texts[i].kind, texts[i].lines, err);
	return ret;
}

/* --- options -------------------------------------------------------------------------- */

/* Options that say where things lie are the writer's own; so are unknown ones that may do so. */
static bool is_content(const struct trace_file_option *option)
{
	switch (option->id) {
	case TRACE_OPTION_DONE:
	case TRACE_OPTION_BUFFER:
	case TRACE_OPTION_TRACECLOCK:
	case TRACE_OPTION_CPUCOUNT:
	case TRACE_OPTION_BTF_FILE:
	case TRACE_OPTION_MODULES_FILE:
		return false;
	}
	return option->id < TRACE_OPTION_STRINGS ||
	       (option->id > TRACE_OPTION_BUFFER_TEXT &&
		(option->id < TRACE_OPTION_MODULES_FILE || option->size != sizeof(uint64_t)));
}

static void put_options(const struct cut *cut, unsigned int file)
{
	const struct trace_file *from = trace_file_of(cut->trace, file);

	for (unsigned int i = 0; i < trace_file_nr_options(from); i++) {
		const struct trace_file_option *option = trace_file_option(from, i);

		if (file ? option->id == TRACE_OPTION_PROCMAPS : is_content(option))
			trace_writer_option(cut->writer, option->id, option->data, option->size);
	}
}

/* Our own section, with a line that says what was chosen. */
static void put_private(const struct cut *cut, const char *words)
{
	struct text t = { 0 };
	uint64_t size;
	const char *text = trace_file_section_text(trace_file_of(cut->trace, 0), TRACE_TEXT_PRIVATE,
						   &size);
	const char *end = memmem(text, size, LAST_LINE, sizeof(LAST_LINE) - 1);
	size_t head = end ? (size_t)(end - text) + 1 : size;

	text_bytes(&t, text, head);
	if (*words) {
		text_add(&t, size ? "cut " : TRACE_PRIVATE_MAGIC "cut ");
		text_printable(&t, words, strlen(words));
		text_char(&t, '\n');
	}
	text_bytes(&t, text + head, size - head);
	trace_writer_text(cut->writer, TRACE_TEXT_PRIVATE, text_str(&t), t.len);
	text_fini(&t);
}

int cut_write_metadata(const struct cut *cut, const char *words, struct ft_error *err)
{
	const struct trace_file_info *info = trace_file_info(trace_file_of(cut->trace, 0));
	int nr_cpus = 0;

	for (unsigned int f = 0; f < trace_nr_files(cut->trace); f++) {
		int nr = trace_file_info(trace_file_of(cut->trace, f))->cpu_count;

		nr_cpus = nr > nr_cpus ? nr : nr_cpus;
		if ((f && check_joint(cut, f, err)) || put_formats(cut, f, err))
			return -1;
		put_options(cut, f);
	}
	if (info->has_trace_clock)
		trace_writer_clock(cut->writer, info->clock_text);
	trace_writer_cpu_count(cut->writer, (uint32_t)nr_cpus);
	put_private(cut, words);
	return put_texts(cut, err);
}
