/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_file_v7 - the sections of version 7 and the chain of its options.
 *
 *   header -> options section -DONE-> options section … -DONE-> 0
 *             | each option may name the offset of a section: formats, CPU data …
 *
 * Format: trace-cmd.dat.v7(5).
 */
#include <errno.h>
#include <inttypes.h>

#include "parsers/file/trace_file_private.h"

/* Jumps back in the chain of options: each is compared with all sections seen. */
#define MAX_BACK_JUMPS	64u

int trace_file_section(struct trace_file *file, uint64_t offset, struct section *section,
		       struct ft_error *err)
{
	uint8_t head[TRACE_SECTION_HEADER_BYTES];
	uint64_t left, size;
	int64_t got;

	if (offset < file->header_bytes || offset > file->base.info.size ||
	    file->base.info.size - offset < TRACE_SECTION_HEADER_BYTES)
		/* an offset of 2^63 or more does not fit the error's offset */
		return ft_error_set(err, FT_E_FORMAT,
				    (int64_t)(offset <= INT64_MAX ? offset : file->base.info.size),
				    "a section should be at %" PRIu64 ", outside %" PRIu64
				    "..%" PRIu64,
				    offset, file->header_bytes, file->base.info.size);
	got = read_at(file->base.fd, head, sizeof(head), offset);
	if (got < 0)
		return ft_error_errno(err, errno, (int64_t)offset, "cannot read a section header");
	if (got < (int64_t)sizeof(head))
		return ft_error_set(err, FT_E_IO, (int64_t)offset,
				    "the file ends in a section header");
	section->offset = offset;
	section->id = load_u16(head, file->swap);
	section->flags = load_u16(head + 2, file->swap);
	size = load_u64(head + 8, file->swap);
	left = file->base.info.size - offset - TRACE_SECTION_HEADER_BYTES;
	if (size > left)
		source_add_warning(&file->base, (int64_t)offset,
				   "section %u of %" PRIu64 " bytes, but the file has %" PRIu64
				   " more",
				   section->id, size, left);
	section->is_cut = size > left;
	section->size = size < left ? size : left;
	return 0;
}

enum metadata_kind trace_file_metadata_kind(unsigned int option_id)
{
	switch (option_id) {
	case TRACE_OPTION_HEADER_INFO:
		return META_HEADER_INFO;
	case TRACE_OPTION_FTRACE_EVENTS:
		return META_FTRACE;
	case TRACE_OPTION_EVENT_FORMATS:
		return META_EVENTS;
	case TRACE_OPTION_KALLSYMS:
		return META_KALLSYMS;
	case TRACE_OPTION_PRINTK:
		return META_PRINTK;
	case TRACE_OPTION_CMDLINES:
		return META_CMDLINES;
	case TRACE_OPTION_BTF_FILE:
		return META_BTF;
	case TRACE_OPTION_MODULES_FILE:
		return META_MODULES;
	default:
		return NR_METADATA;
	}
}

void trace_file_set_metadata(struct trace_file *file, enum metadata_kind kind,
			     const struct section *section)
{
	file->metadata[kind] = (struct metadata){
		.offset = section->offset + TRACE_SECTION_HEADER_BYTES, .size = section->size,
		.present = true,
		.compressed = section->flags & TRACE_SECTION_COMPRESSED,
	};
}

/*
 * One options section.  A writer that was stopped may have left its size 0, which means: up to the
 * end of the file.
 */
int trace_file_read_options(struct trace_file *file, uint64_t offset, uint64_t *next,
			    struct ft_error *err)
{
	struct option_source source = { .offset = offset };
	struct metadata meta = { .offset = offset + TRACE_SECTION_HEADER_BYTES };
	struct section section;
	struct byte_reader r;
	uint64_t size;
	uint8_t *data;

	*next = 0;
	mem_grow(&file->seen_sections, file->nr_seen, &file->cap_seen);
	file->seen_sections[file->nr_seen++] = offset;
	if (trace_file_section(file, offset, &section, err))
		return -1;
	if (section.id != TRACE_OPTION_DONE)
		return ft_error_set(err, FT_E_FORMAT, (int64_t)offset,
				    "options (section 0) should be here, but section %u is",
				    section.id);
	source.compressed = meta.compressed = section.flags & TRACE_SECTION_COMPRESSED;
	meta.size = section.size ? section.size : file->base.info.size - meta.offset;
	if (meta.size > TRACE_MAX_OPTION_BYTES - file->option_bytes) {
		source_add_warning(&file->base, (int64_t)offset,
				   "%" PRIu64 " bytes of options, but not more than %u are read",
				   meta.size, TRACE_MAX_OPTION_BYTES);
		meta.size = TRACE_MAX_OPTION_BYTES - file->option_bytes;
	}
	data = trace_file_load_metadata(file, &meta, &size, err);
	if (!data)
		return -1;
	/* limit of the unpacked size */
	if (size > TRACE_MAX_OPTION_BYTES - file->option_bytes)
		size = TRACE_MAX_OPTION_BYTES - file->option_bytes;
	file->option_bytes += size;
	trace_file_keep_blob(file, data);
	byte_reader_init(&r, data, size, meta.offset, file->swap);
	trace_options_parse(file, &r, &source);
	if (!source.done)
		source_add_warning(&file->base, (int64_t)offset,
				   "the options from here on have no end");
	*next = source.next;
	return 0;
}

bool trace_file_options_seen(const struct trace_file *file, uint64_t offset)
{
	for (unsigned int i = 0; i < file->nr_seen; i++)
		if (file->seen_sections[i] == offset)
			return true;
	return false;
}

/* Follow the chain.  Damage ends it with a warning; options read so far stay. */
static void read_option_chain(struct trace_file *file)
{
	uint64_t offset = file->options_offset, highest = 0;
	struct ft_error err = { 0 };
	unsigned int back = 0;

	while (offset) {
		if (offset <= highest &&
		    (back++ >= MAX_BACK_JUMPS || trace_file_options_seen(file, offset))) {
			source_add_warning(&file->base, (int64_t)offset,
					   "the options go round in a circle");
			file->damaged = true;
			break;
		}
		if (file->nr_seen >= TRACE_MAX_OPTION_SECTIONS) {
			source_add_warning(&file->base, (int64_t)offset,
					   "more than %u sections of options",
					   TRACE_MAX_OPTION_SECTIONS);
			break;
		}
		highest = offset > highest ? offset : highest;
		if (trace_file_read_options(file, offset, &offset, &err)) {
			source_add_warning(&file->base, err.offset, "%s", err.message);
			file->damaged = true;
			break;
		}
	}
}

bool trace_file_is_packed(const struct trace_file *file, uint64_t offset)
{
	uint8_t bytes[4];

	return read_at(file->base.fd, bytes, sizeof(bytes), offset) == sizeof(bytes) &&
	       codec_begins(file->codec, bytes);
}

/* Where no section says it: in a file with a codec, data may be plain. */
static bool looks_packed(const struct trace_file *file, const struct draft_buffer *draft)
{
	bool packed = file->codec != TRACE_PLAIN && !draft->nr;

	for (unsigned int i = 0; i < draft->nr && !packed; i++)
		packed = trace_file_is_packed(file, draft->cpus[i].offset + sizeof(uint32_t) +
							    CHUNK_HEADER_BYTES);
	return packed;
}

/* Read the section of a buffer: whether its data is compressed, and where its text lies. */
void trace_file_buffer_section(struct trace_file *file, struct draft_buffer *draft)
{
	unsigned int want = draft->is_text ? TRACE_OPTION_BUFFER_TEXT : TRACE_OPTION_BUFFER;
	struct ft_error err = { 0 };
	struct section section;

	if (trace_file_section(file, draft->section, &section, &err)) {
		source_add_warning(&file->base, err.offset, "buffer \"%.64s\": %s", draft->name,
				   err.message);
		draft->compressed = looks_packed(file, draft);
		return;
	}
	if (section.id != want) {
		source_add_warning(&file->base, (int64_t)draft->section,
				   "buffer \"%.64s\": section %u should be here, but %u is",
				   draft->name, want, section.id);
		draft->compressed = looks_packed(file, draft);
		return;
	}
	draft->compressed = section.flags & TRACE_SECTION_COMPRESSED;
	draft->text_offset = section.offset + TRACE_SECTION_HEADER_BYTES;
	draft->text_size = section.size;
}

static bool has_buffer(const struct trace_file *file)
{
	return file->drafts[0].present || file->nr_drafts > 1;
}

int trace_file_open_v7(struct trace_file *file, struct ft_error *err)
{
	uint64_t lost = 0;

	trace_file_draft(file, "")->present = false;
	if (file->options_offset) {
		read_option_chain(file);
	} else {
		source_add_warning(
			&file->base, (int64_t)file->header_bytes - 8,
			"the file was not finished: it does not say where its options are");
		file->damaged = true;
	}
	for (unsigned int i = 0; i < file->nr_drafts; i++)
		if (file->drafts[i].present)
			trace_file_buffer_section(file, &file->drafts[i]);
	if (file->damaged || !has_buffer(file) || !file->metadata[META_HEADER_INFO].present)
		lost = trace_recover_sections(file);
	if (!has_buffer(file) && lost)
		return ft_error_set(
			err, FT_E_FORMAT, (int64_t)lost,
			"the file is damaged here, and nothing after the damage says where trace data lies");
	if (!has_buffer(file))
		return ft_error_set(
			err, FT_E_FORMAT, (int64_t)file->base.info.size,
			"the file ends, or is damaged, before it says where trace data lies");
	trace_file_read_layout(file);
	return 0;
}
