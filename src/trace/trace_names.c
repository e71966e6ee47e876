/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_names - names of tasks that a cut has beside its records.
 *
 * A record before the window may be the one that tells a task's name in it.  The format is in
 * parsers/file/trace_extra.c.
 */
#include <inttypes.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/trace/trace_private.h"

#define MAX_NAME	4096	/* bytes, as of a saved name */

struct name_writer {
	struct trace_clock	 clock;
	struct text		*out;	/* borrowed */
};

static void write_name(void *arg, int64_t ts, int pid, const char *name)
{
	const struct name_writer *w = arg;
	bool above;
	uint64_t raw = trace_clock_bound(&w->clock, ts, &above);
	size_t len = strlen(name);

	if (raw > INT64_MAX)
		return;
	text_printf(w->out, "%" PRIu64 " %d %zu\n", raw, pid, len);
	text_bytes(w->out, name, len);
	text_char(w->out, '\n');
}

void trace_write_names(struct trace *trace, unsigned int file, const struct time_range *range,
		       struct text *out)
{
	struct trace_source *source = &trace->sources[file];
	struct name_writer w = { .out = out };

	trace_clock_init(&w.clock, source->file, -1, source->offset);
	comm_table_between(source->comms, range->set ? range->from : INT64_MIN,
			   range->set ? range->to : INT64_MAX, write_name, &w);
	trace_clock_fini(&w.clock);
}

void trace_names_open(struct trace_source *source)
{
	uint64_t size;
	const char *p = source_text(source->file, TRACE_TEXT_NAMES, &size), *end = p + size;
	struct trace_clock clock;
	int64_t raw;
	int pid, len;

	trace_clock_init(&clock, source->file, -1, source->offset);
	while (text_take_i64(&p, end, &raw) && raw >= 0 && text_take_number(&p, end, &pid) &&
	       text_take_number(&p, end, &len) && p < end && *p == '\n' && len < end - p - 1 &&
	       len <= MAX_NAME) {
		comm_table_seen(source->comms, pid, trace_clock_ts(&clock, (uint64_t)raw), p + 1,
				(unsigned int)strnlen(p + 1, (size_t)len));
		p += len + 2;
	}
	if (p < end)
		source_add_warning(source->file, -1, "%s: the block ends in what is no name",
				   source_text_name(TRACE_TEXT_NAMES));
	trace_clock_fini(&clock);
}
