/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_writer_metadata - common to both versions: headers and the payloads of the metadata. */
#include "parsers/writer/trace_writer_private.h"

#define MIN_ALIGN	4096u		/* of CPU data: trace-cmd maps it */

static void put_headers(const struct trace_writer *w, struct text *t)
{
	out_put_string(t, "header_page");
	out_put_u64(&w->out, t, w->header_page.len);
	text_bytes(t, text_str(&w->header_page), w->header_page.len);
	out_put_string(t, "header_event");
	out_put_u64(&w->out, t, w->header_event.len);
	text_bytes(t, text_str(&w->header_event), w->header_event.len);
}

static void put_system_formats(const struct trace_writer *w, struct text *t, size_t system)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < w->nr_formats; i++)
		nr += w->formats[i].system == system;
	out_put_u32(&w->out, t, nr);
	for (size_t i = 0; i < w->nr_formats; i++) {
		const struct writer_format *format = &w->formats[i];

		if (format->system != system)
			continue;
		out_put_u64(&w->out, t, format->text.len);
		text_bytes(t, text_str(&format->text), format->text.len);
	}
}

static void put_ftrace_formats(const struct trace_writer *w, struct text *t)
{
	put_system_formats(w, t, 0);
}

static void put_event_formats(const struct trace_writer *w, struct text *t)
{
	out_put_u32(&w->out, t, (uint32_t)w->nr_systems - 1);
	for (size_t i = 1; i < w->nr_systems; i++) {
		out_put_string(t, w->systems[i]);
		put_system_formats(w, t, i);
	}
}

static void put_kallsyms(const struct trace_writer *w, struct text *t)
{
	out_put_u32(&w->out, t, (uint32_t)w->kallsyms.len);
	text_bytes(t, text_str(&w->kallsyms), w->kallsyms.len);
}

static void put_printk(const struct trace_writer *w, struct text *t)
{
	out_put_u32(&w->out, t, (uint32_t)w->printk.len);
	text_bytes(t, text_str(&w->printk), w->printk.len);
}

static void put_cmdlines(const struct trace_writer *w, struct text *t)
{
	out_put_u64(&w->out, t, w->cmdlines.len);
	text_bytes(t, text_str(&w->cmdlines), w->cmdlines.len);
}

const struct writer_metadata writer_metadata[WRITER_NR_METADATA] = {
	{ TRACE_OPTION_HEADER_INFO,	"headers",		put_headers },
	{ TRACE_OPTION_FTRACE_EVENTS,	"ftrace events",	put_ftrace_formats },
	{ TRACE_OPTION_EVENT_FORMATS,	"events format",	put_event_formats },
	{ TRACE_OPTION_KALLSYMS,	"kallsyms",		put_kallsyms },
	{ TRACE_OPTION_PRINTK,		"printk",		put_printk },
	{ TRACE_OPTION_CMDLINES,	"command lines",	put_cmdlines },
};

uint32_t writer_nr_cpus(const struct trace_writer *w)
{
	uint32_t nr = w->cpu_count;

	for (int i = 0; i < w->nr_buffers; i++)
		if (!w->buffers[i].is_text && (uint32_t)w->buffers[i].nr_cpus > nr)
			nr = (uint32_t)w->buffers[i].nr_cpus;
	return nr ? nr : 1;
}

uint64_t writer_buffer_align(const struct writer_buffer *buffer)
{
	return buffer->page_size > MIN_ALIGN ? buffer->page_size : MIN_ALIGN;
}

void writer_out_header(struct trace_writer *w)
{
	out_bytes(&w->out, TRACE_MAGIC, TRACE_MAGIC_LEN);
	out_string(&w->out, w->options.version == 6 ? "6" : "7");
	out_bytes(&w->out, w->options.big_endian ? "\1" : "\0", 1);
	out_bytes(&w->out, w->options.long_size == 8 ? "\10" : "\4", 1);
	out_u32(&w->out, w->options.page_size);
}

uint64_t writer_out_section_header(struct trace_writer *w, uint16_t id, bool packed, uint32_t description, uint64_t size)
{
	uint64_t at = w->out.pos;

	out_u16(&w->out, id);
	out_u16(&w->out, packed ? TRACE_SECTION_COMPRESSED : 0);
	out_u32(&w->out, description);
	out_u64(&w->out, size);
	return at;
}
