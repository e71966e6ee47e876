/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_writer_metadata - common to both versions: headers and the payloads of the metadata. */
#include "parsers/writer/trace_writer_private.h"

#define MIN_ALIGN	4096u		/* of CPU data: trace-cmd maps it */

void writer_put_option(const struct trace_writer *w, struct text *t, uint16_t id, const void *data,
		       size_t size)
{
	out_put_u16(&w->out, t, id);
	out_put_u32(&w->out, t, (uint32_t)size);
	text_bytes(t, data, size);
}

void writer_put_own_options(const struct trace_writer *w, struct text *t)
{
	if (w->has_clock)
		writer_put_option(w, t, TRACE_OPTION_TRACECLOCK, text_str(&w->clock),
				  w->clock.len + 1);
	text_bytes(t, text_str(&w->own_options), w->own_options.len);
}

/* @length: bytes of its length, which stands before it; 0: none does */
static void put_text(const struct trace_writer *w, struct text *t, const struct text *text,
		     unsigned int length)
{
	if (length == sizeof(uint32_t))
		out_put_u32(&w->out, t, (uint32_t)text->len);
	if (length == sizeof(uint64_t))
		out_put_u64(&w->out, t, text->len);
	text_bytes(t, text_str(text), text->len);
}

static void put_headers(const struct trace_writer *w, struct text *t)
{
	out_put_string(t, "header_page");
	put_text(w, t, &w->texts[TRACE_TEXT_HEADER_PAGE], sizeof(uint64_t));
	out_put_string(t, "header_event");
	put_text(w, t, &w->texts[TRACE_TEXT_HEADER_EVENT], sizeof(uint64_t));
}

static void put_system_formats(const struct trace_writer *w, struct text *t, size_t system)
{
	out_put_u32(&w->out, t, w->systems[system].nr);
	put_text(w, t, &w->systems[system].formats, 0);
}

static void put_ftrace_formats(const struct trace_writer *w, struct text *t)
{
	put_system_formats(w, t, 0);
}

static void put_event_formats(const struct trace_writer *w, struct text *t)
{
	out_put_u32(&w->out, t, (uint32_t)w->nr_systems - 1);
	for (size_t i = 1; i < w->nr_systems; i++) {
		out_put_string(t, w->systems[i].name);
		put_system_formats(w, t, i);
	}
}

static const struct {
	struct writer_metadata is;
	void		(*put)(const struct trace_writer *w, struct text *t);	/* or: */
	enum trace_text	text;
	unsigned int	length;		/* bytes of its length */
} sections[] = {
	{ { TRACE_OPTION_HEADER_INFO, "headers" }, put_headers },
	{ { TRACE_OPTION_FTRACE_EVENTS, "ftrace events" }, put_ftrace_formats },
	{ { TRACE_OPTION_EVENT_FORMATS, "events format" }, put_event_formats },
	{ { TRACE_OPTION_KALLSYMS, "kallsyms" }, NULL, TRACE_TEXT_KALLSYMS, sizeof(uint32_t) },
	{ { TRACE_OPTION_PRINTK, "printk" }, NULL, TRACE_TEXT_PRINTK, sizeof(uint32_t) },
	{ { TRACE_OPTION_CMDLINES, "command lines" }, NULL, TRACE_TEXT_CMDLINES, sizeof(uint64_t) },
	{ { TRACE_OPTION_BTF_FILE, "btf" }, NULL, TRACE_TEXT_BTF, 0 },
	{ { TRACE_OPTION_MODULES_FILE, "modules" }, NULL, TRACE_TEXT_MODULES, 0 },
};

struct writer_metadata writer_metadata(const struct trace_writer *w, size_t i, struct text *t)
{
	text_clear(t);
	if (sections[i].put)
		sections[i].put(w, t);
	else
		put_text(w, t, &w->texts[sections[i].text], sections[i].length);
	return sections[i].is;
}

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

uint64_t writer_out_section_header(struct trace_writer *w, uint16_t id, bool packed,
				   uint32_t description, uint64_t size)
{
	uint64_t at = w->out.pos;

	out_u16(&w->out, id);
	out_u16(&w->out, packed ? TRACE_SECTION_COMPRESSED : 0);
	out_u32(&w->out, description);
	out_u64(&w->out, size);
	return at;
}
