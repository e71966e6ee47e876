/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_writer_v6 - files of version 6: a fixed sequence. */
#include <string.h>

#include "parsers/writer/trace_writer_private.h"

static void out_options_v6(struct trace_writer *w)
{
	struct text t = { 0 }, data = { 0 };

	out_bytes(&w->out, "options  ", 10);
	writer_put_own_options(w, &t);
	for (int i = 1; i < w->nr_buffers; i++) {
		text_clear(&data);
		out_put_u64(&w->out, &data, 0);		/* means unfinished, until it is patched */
		out_put_string(&data, w->buffers[i].name);
		w->buffers[i].option = w->out.pos + t.len + OPTION_HEADER_BYTES;
		writer_put_option(w, &t, TRACE_OPTION_BUFFER, data.data, data.len);
	}
	out_put_u16(&w->out, &t, TRACE_OPTION_DONE);	/* it has no size in this version */
	out_text(&w->out, &t);
	text_fini(&t);
	text_fini(&data);
}

/*
 * Write a buffer: tag, table of all CPUs, clock, data.  The table holds the sizes, so a truncated
 * file is recognised.
 */
static int out_buffer_v6(struct trace_writer *w, struct writer_buffer *buffer, uint32_t nr_cpus,
			 struct ft_error *err)
{
	uint64_t table, offset, size;

	if (buffer->option)
		out_patch_u64(&w->out, buffer->option, w->out.pos);
	out_bytes(&w->out, "flyrecord", 10);
	table = w->out.pos;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		out_u64(&w->out, 0);
		out_u64(&w->out, 0);
	}
	if (w->has_clock) {
		out_u64(&w->out, strlen(buffer->clock) + 2);
		out_bytes(&w->out, "[", 1);
		out_bytes(&w->out, buffer->clock, strlen(buffer->clock));
		out_bytes(&w->out, "]", 1);
	}
	/* the table names an offset even for trailing CPUs without data */
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		if (writer_out_stream(w, buffer, (int)cpu, &offset, &size, err))
			return -1;
		out_patch_u64(&w->out, table + 16ull * cpu, offset);
		out_patch_u64(&w->out, table + 16ull * cpu + 8, size);
	}
	out_align(&w->out, writer_buffer_align(buffer));
	return 0;
}

/*
 * Written after everything that readers of this version look at; its last 8 bytes are the offset
 * where it begins.
 */
static void out_private_v6(struct trace_writer *w)
{
	uint64_t at = w->out.pos;

	if (!w->texts[TRACE_TEXT_PRIVATE].len)
		return;
	writer_out_section_header(w, TRACE_SECTION_PRIVATE, false, NO_DESCRIPTION,
				  w->texts[TRACE_TEXT_PRIVATE].len + 8);
	out_text(&w->out, &w->texts[TRACE_TEXT_PRIVATE]);
	out_u64(&w->out, at);
}

int writer_write_v6(struct trace_writer *w, struct ft_error *err)
{
	uint32_t nr_cpus = writer_nr_cpus(w);
	struct text payload = { 0 };
	uint64_t untold;

	/* with this option readers would take the first bytes of the text for the clock */
	if (w->buffers[0].is_text)
		w->has_clock = false;
	for (int i = 0; i < w->nr_buffers; i++)
		if (w->buffers[i].is_text && w->nr_buffers > 1)
			return ft_error_set(
				err, FT_E_UNSUPPORTED, -1,
				"a file of version 6 holds latency text or buffers, not both");
		else if (w->buffers[i].nr_cpus && w->buffers[i].page_size != w->options.page_size)
			return ft_error_set(
				err, FT_E_UNSUPPORTED, -1,
				"a file of version 6 cannot hold sub-buffers of several sizes");
	writer_out_header(w);
	for (size_t i = 0; i < WRITER_NR_METADATA_V6; i++) {
		writer_metadata(w, i, &payload);
		out_text(&w->out, &payload);
	}
	text_fini(&payload);
	out_u32(&w->out, nr_cpus);
	out_options_v6(w);
	if (w->buffers[0].is_text) {
		out_bytes(&w->out, "latency  ", 10);
		return writer_out_stream(w, &w->buffers[0], 0, &untold, &untold, err);
	}
	for (int i = 0; i < w->nr_buffers; i++)
		if (out_buffer_v6(w, &w->buffers[i], nr_cpus, err))
			return -1;
	out_private_v6(w);
	return 0;
}
