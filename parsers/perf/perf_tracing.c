/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_tracing - TRACING_DATA: formats of the tracepoints that were recorded, and texts, as
 * trace-cmd.dat.v6(5) has them up to its number of CPUs.
 *
 * Format: linux tools/perf/util/trace-event-info.c.
 */
#include <string.h>

#include "parsers/file/format_list.h"
#include "parsers/io/trace_format.h"
#include "parsers/perf/perf_types.h"
#include "parsers/source/source_form.h"

/* Its name with a NUL, u64 size, text */
static bool skip_header(struct byte_reader *r, const char *name)
{
	return byte_reader_expect(r, name, strlen(name) + 1) &&
	       byte_reader_bytes(r, byte_reader_u64(r));
}

static bool read_formats(struct byte_reader *r, struct source_formats *formats)
{
	return format_list_system(formats, r, "ftrace") && format_list_all(formats, r);
}

static const char *text(struct byte_reader *r, uint64_t size, uint64_t *to)
{
	const char *s = (const char *)byte_reader_bytes(r, size);

	*to = s ? size : 0;
	return s;
}

void perf_tracing_read(const struct perf_file *file, struct source_formats *formats,
		       struct perf_tracing *texts)
{
	struct byte_reader r;
	const char *version;
	bool swap;

	memset(texts, 0, sizeof(*texts));
	if (!file->tracing)
		return;
	byte_reader_init(&r, file->tracing, file->nr_tracing, file->tracing_at, file->swap);
	version = byte_reader_expect(&r, TRACE_MAGIC, TRACE_MAGIC_LEN) ? byte_reader_string(&r) :
									 NULL;
	swap = byte_reader_u8(&r) != HOST_BIG_ENDIAN;
	byte_reader_u8(&r);		/* bytes of a long */
	byte_reader_u32(&r);		/* of a page */
	r.swap = swap;
	if (!version || !skip_header(&r, "header_page") || !skip_header(&r, "header_event") ||
	    !read_formats(&r, formats)) {
		source_add_warning(file->source, (int64_t)byte_reader_offset(&r),
				   "the formats of events end early, after %u of them",
				   formats->nr);
		return;
	}
	texts->kallsyms = text(&r, byte_reader_u32(&r), &texts->nr_kallsyms);
	texts->printk = text(&r, byte_reader_u32(&r), &texts->nr_printk);
	if (strcmp(version, "0.6") >= 0)
		texts->cmdlines = text(&r, byte_reader_u64(&r), &texts->nr_cmdlines);
}
