/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_writer_v7 - files of version 7: sections, and options with their offsets. */
#include "parsers/writer/trace_writer_private.h"

static uint32_t add_description(struct trace_writer *w, const char *what, const char *name)
{
	uint32_t at = (uint32_t)w->strings.len;

	text_add(&w->strings, what);
	if (name[0]) {
		text_char(&w->strings, ' ');
		text_add(&w->strings, name);
	}
	text_bytes(&w->strings, "", 1);
	return at;
}

/* Write a whole section, packed if the file is. */
static int out_section(struct trace_writer *w, uint16_t id, const char *description,
		       const struct text *payload, struct ft_error *err)
{
	const struct text *bytes = payload;

	if (w->team) {
		if (pack_team_run(w->team, &w->out, payload->data, 1, payload->len, err))
			return -1;
		bytes = pack_team_result(w->team, 0);
	}
	writer_out_section_header(w, id, w->team, add_description(w, description, ""), bytes->len);
	out_text(&w->out, bytes);
	return 0;
}

static void put_offset(const struct trace_writer *w, struct text *t, uint16_t id, uint64_t offset)
{
	out_put_u16(&w->out, t, id);
	out_put_u32(&w->out, t, sizeof(offset));
	out_put_u64(&w->out, t, offset);
}

/* Write the metadata.  @options: receives those with the offsets of the sections. */
static int out_metadata_v7(struct trace_writer *w, struct text *options, struct ft_error *err)
{
	const struct text *private = &w->texts[TRACE_TEXT_PRIVATE];
	struct text payload = { 0 };
	int ret = 0;

	for (size_t i = 0; i < WRITER_NR_METADATA && !ret; i++) {
		struct writer_metadata section = writer_metadata(w, i, &payload);

		if (!payload.len)
			continue;
		put_offset(w, options, section.id, w->out.pos);
		ret = out_section(w, section.id, section.description, &payload, err);
	}
	if (!ret && private->len)
		ret = out_section(w, TRACE_SECTION_PRIVATE, "private", private, err);
	text_fini(&payload);
	return ret;
}

/*
 * Write an options section and free @t.  Its last 8 bytes, of DONE, are for the next one's offset.
 */
static void out_options_section(struct trace_writer *w, struct text *t)
{
	put_offset(w, t, TRACE_OPTION_DONE, 0);
	writer_out_section_header(w, TRACE_OPTION_DONE, false, add_description(w, "options", ""),
				  t->len);
	out_text(&w->out, t);
	text_fini(t);
}

/* @t: the options of the metadata; it is freed */
static void out_options_v7(struct trace_writer *w, struct text *t)
{
	writer_put_own_options(w, t);
	out_put_u16(&w->out, t, TRACE_OPTION_CPUCOUNT);
	out_put_u32(&w->out, t, sizeof(uint32_t));
	out_put_u32(&w->out, t, writer_nr_cpus(w));
	out_options_section(w, t);
}

static int out_buffer_v7(struct trace_writer *w, struct writer_buffer *buffer, struct ft_error *err)
{
	uint16_t id = buffer->is_text ? TRACE_OPTION_BUFFER_TEXT : TRACE_OPTION_BUFFER;

	buffer->section = writer_out_section_header(w, id, w->options.compression != TRACE_PLAIN,
						    buffer->description, 0);
	for (int cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		uint64_t offset, size;

		if (writer_out_stream(w, buffer, cpu, &offset, &size, err))
			return -1;
		if (!size || buffer->is_text)
			continue;
		out_put_u32(&w->out, &buffer->table, (uint32_t)cpu);
		out_put_u64(&w->out, &buffer->table, offset);
		out_put_u64(&w->out, &buffer->table, size);
		buffer->nr_listed++;
	}
	out_patch_u64(&w->out, buffer->section + 8,
		      w->out.pos - buffer->section - TRACE_SECTION_HEADER_BYTES);
	return 0;
}

/* Write the buffers with sub-buffers, or those with text. */
static int out_buffers_v7(struct trace_writer *w, bool text, struct ft_error *err)
{
	for (int i = 0; i < w->nr_buffers; i++)
		if (w->buffers[i].is_text == text && out_buffer_v7(w, &w->buffers[i], err))
			return -1;
	return 0;
}

static void describe_buffers(struct trace_writer *w)
{
	for (int i = 0; i < w->nr_buffers; i++)
		w->buffers[i].description = add_description(w,
							    w->buffers[i].is_text ?
								    "buffer latency" :
								    "buffer flyrecord",
							    w->buffers[i].name);
}

static void out_buffer_options(struct trace_writer *w)
{
	const uint64_t payload = w->out.pos + TRACE_SECTION_HEADER_BYTES;
	struct text t = { 0 }, data = { 0 };

	for (int i = 0; i < w->nr_buffers; i++) {
		struct writer_buffer *buffer = &w->buffers[i];

		buffer->option = payload + t.len + OPTION_HEADER_BYTES;
		text_clear(&data);
		out_put_u64(&w->out, &data, buffer->section);
		out_put_string(&data, buffer->name);
		out_put_string(&data, buffer->clock);
		if (!buffer->is_text) {
			out_put_u32(&w->out, &data, buffer->page_size);
			out_put_u32(&w->out, &data, buffer->nr_listed);
			text_bytes(&data, text_str(&buffer->table), buffer->table.len);
		}
		writer_put_option(w, &t,
				  buffer->is_text ? TRACE_OPTION_BUFFER_TEXT : TRACE_OPTION_BUFFER,
				  data.data, data.len);
	}
	out_options_section(w, &t);
	text_fini(&data);
}

int writer_write_v7(struct trace_writer *w, struct ft_error *err)
{
	uint64_t header_patch, options, done_patch, next;
	struct text sections = { 0 };

	writer_out_header(w);
	out_string(&w->out, packer_codec(w->options.compression));
	out_string(&w->out, packer_version(w->options.compression));
	header_patch = w->out.pos;
	out_u64(&w->out, 0);				/* means unfinished, until it is patched */
	if (out_metadata_v7(w, &sections, err)) {
		text_fini(&sections);
		return -1;
	}
	options = w->out.pos;
	out_options_v7(w, &sections);
	done_patch = w->out.pos - 8;
	describe_buffers(w);
	if (out_buffers_v7(w, false, err))
		return -1;
	next = w->out.pos;
	out_buffer_options(w);
	add_description(w, "strings", "");
	writer_out_section_header(w, TRACE_OPTION_STRINGS, false, NO_DESCRIPTION, w->strings.len);
	out_text(&w->out, &w->strings);
	/* trace-cmd reads a text to the end of the file, so it must come last */
	if (out_buffers_v7(w, true, err))
		return -1;
	for (int i = 0; i < w->nr_buffers; i++)
		out_patch_u64(&w->out, w->buffers[i].option, w->buffers[i].section);
	out_patch_u64(&w->out, done_patch, next);
	writer_sync(w);
	out_patch_u64(&w->out, header_patch, options);
	return 0;
}
