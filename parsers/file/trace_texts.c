/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_texts - the texts and event formats of a file, read and unpacked by the first thread that
 * needs them.
 *
 * The payloads of v7 sections 16 to 21 are byte for byte the parts of v6, so one reader serves both
 * versions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/format_list.h"
#include "parsers/file/trace_file_private.h"

static void note_error(const struct trace_file *file, const char *what, const struct ft_error *err)
{
	source_add_warning(&file->base, err->offset, "%s: %s", what, err->message);
}

/* u64 size, text */
static const char *sized_text(struct byte_reader *r, uint64_t *size)
{
	*size = byte_reader_u64(r);
	return (const char *)byte_reader_bytes(r, *size);
}

/* "header_page" NUL, u64 size, text, "header_event" NUL, u64 size, text */
static const char *header_text(struct byte_reader *r, bool event, uint64_t *size)
{
	const char *page = byte_reader_expect(r, "header_page", 12) ? sized_text(r, size) : NULL;

	if (!page || !event)
		return page;
	return byte_reader_expect(r, "header_event", 13) ? sized_text(r, size) : NULL;
}

/* The text inside a payload; NULL if its length does not fit. */
static const char *find_text(struct byte_reader *r, enum trace_text kind, uint64_t *size)
{
	switch (kind) {
	case TRACE_TEXT_HEADER_PAGE:
		return header_text(r, false, size);
	case TRACE_TEXT_HEADER_EVENT:
		return header_text(r, true, size);
	case TRACE_TEXT_KALLSYMS:
	case TRACE_TEXT_PRINTK:
		*size = byte_reader_u32(r);
		return (const char *)byte_reader_bytes(r, *size);
	case TRACE_TEXT_CMDLINES:
		return sized_text(r, size);
	case TRACE_TEXT_BTF:
	case TRACE_TEXT_MODULES:
		*size = r->len;
		return (const char *)r->data;
	case TRACE_TEXT_TGIDS:
	case TRACE_TEXT_WHO:
	case TRACE_TEXT_MACHINE:
	case TRACE_TEXT_HISTS:
	case TRACE_TEXT_NAMES:
	case TRACE_TEXT_USER_SYMBOLS:
	case TRACE_TEXT_PROCMAPS:
	case TRACE_TEXT_PRIVATE:
		break;
	}
	return NULL;
}

static const enum metadata_kind text_places[] = {
	[TRACE_TEXT_HEADER_PAGE]  = META_HEADER_INFO,
	[TRACE_TEXT_HEADER_EVENT] = META_HEADER_INFO,
	[TRACE_TEXT_KALLSYMS]	  = META_KALLSYMS,
	[TRACE_TEXT_PRINTK]	  = META_PRINTK,
	[TRACE_TEXT_CMDLINES]	  = META_CMDLINES,
	[TRACE_TEXT_BTF]	  = META_BTF,
	[TRACE_TEXT_MODULES]	  = META_MODULES,
};

void trace_file_text(const struct source *source, enum trace_text kind,
		     struct source_text_slot *slot)
{
	const struct trace_file *file = (const struct trace_file *)source;
	const struct metadata *meta = kind < TRACE_TEXT_TGIDS ? &file->metadata[text_places[kind]] :
								NULL;
	struct ft_error err = { 0 };
	struct byte_reader r;
	const char *text;
	uint64_t size;

	if (kind >= TRACE_TEXT_TGIDS) {
		trace_file_find_private(file, kind, slot);
		return;
	}
	if (!meta->present)
		return;
	slot->blob = (char *)trace_file_load_metadata(file, meta, &size, &err);
	if (!slot->blob) {
		note_error(file, source_text_name(kind), &err);
		return;
	}
	byte_reader_init(&r, slot->blob, size, meta->offset, file->swap);
	text = find_text(&r, kind, &size);
	if (!text) {
		source_add_warning(&file->base, (int64_t)meta->offset,
				   "%s: the text does not fit into its %zu bytes",
				   source_text_name(kind), r.len);
		return;
	}
	slot->blob[(text - slot->blob) + size] = '\0';	/* the last byte of blob is spare */
	slot->text = text;
	slot->size = size;
}

/* --- latency text --------------------------------------------------------- */

/* Unpack all chunks of a directory that fit into @out. */
static uint64_t unpack_chunks(const struct trace_file *file, const struct chunk_directory *dir,
			      uint8_t *out, struct ft_error *err)
{
	struct unpacker *unpacker = trace_file_unpacker_get(file, NULL);
	uint64_t done = 0;

	for (uint32_t i = 0; i < dir->nr; i++) {
		const struct chunk *chunk = &dir->chunks[i];
		uint8_t *packed = trace_file_load(file, chunk->offset, chunk->csize, err);
		int ret = packed ? unpacker_run(unpacker, packed, chunk->csize, out + done,
						chunk->usize, chunk->offset, err) :
				   -1;

		free(packed);
		if (ret)
			break;
		done += chunk->usize;
	}
	trace_file_unpacker_put(file, unpacker);
	return done;
}

static char *load_chunked_text(const struct trace_file *file, const struct metadata *meta,
			       uint64_t *size, struct ft_error *err)
{
	struct chunk_directory dir;
	uint8_t *out = NULL;

	if (chunk_directory_read(&dir, file->base.fd, meta->offset, 0, meta->offset + meta->size,
				 file->swap, err))
		note_error(file, "latency text", err);
	if (dir.bytes > TRACE_MAX_BLOB)
		ft_error_set(err, FT_E_LIMIT, (int64_t)meta->offset,
			     "%" PRIu64 " bytes of text are more than %u", dir.bytes,
			     TRACE_MAX_BLOB);
	else
		out = mem_try_alloc(dir.bytes + 1, err);
	if (out) {
		struct ft_error damage = { 0 };

		*size = unpack_chunks(file, &dir, out, &damage);
		if (*size < dir.bytes)
			note_error(file, "latency text", &damage);
		out[*size] = '\0';
	}
	chunk_directory_fini(&dir);
	return (char *)out;
}

static void load_latency(const struct source *source, unsigned int buffer,
			 struct source_text_slot *slot)
{
	const struct trace_file *file = (const struct trace_file *)source;
	struct metadata part = file->texts[buffer];
	struct ft_error err = { 0 };
	uint64_t size = 0;

	if (!part.present)
		return;
	if (!part.compressed && part.size > TRACE_MAX_BLOB) {
		source_add_warning(&file->base, (int64_t)part.offset,
				   "of %" PRIu64 " bytes of text only %u are read", part.size,
				   TRACE_MAX_BLOB);
		part.size = TRACE_MAX_BLOB;
	}
	slot->blob = part.compressed ? load_chunked_text(file, &part, &size, &err) :
				       (char *)trace_file_load_metadata(file, &part, &size, &err);
	if (!slot->blob) {
		note_error(file, "latency text", &err);
		return;
	}
	slot->text = slot->blob;
	slot->size = size;
}

const char *trace_file_latency_text(const struct source *source, unsigned int buffer,
				    uint64_t *size)
{
	const struct trace_file *file = trace_file_from(source);

	if (size)
		*size = 0;
	if (!file || buffer >= file->base.nr_buffers)
		return "";
	return source_slot_text(&file->base, &file->latency[buffer], buffer, load_latency, size);
}

/* --- formats -------------------------------------------------------------- */

static void load_formats(const struct trace_file *file, enum metadata_kind kind,
			 struct source_formats *formats)
{
	const struct metadata *meta = &file->metadata[kind];
	bool ftrace = kind == META_FTRACE, ok;
	struct ft_error err = { 0 };
	struct byte_reader r;
	uint64_t size;
	char *blob;

	if (!meta->present)
		return;
	blob = (char *)trace_file_load_metadata(file, meta, &size, &err);
	if (!blob) {
		note_error(file, "event formats", &err);
		return;
	}
	formats->blobs[ftrace ? 0 : 1] = blob;
	byte_reader_init(&r, blob, size, meta->offset, file->swap);
	ok = ftrace ? format_list_system(formats, &r, "ftrace") : format_list_all(formats, &r);
	if (!ok)
		source_add_warning(&file->base,
				   (int64_t)(meta->compressed ? meta->offset :
								byte_reader_offset(&r)),
				   "event formats: the list ends early, after %u formats",
				   formats->nr);
}

void trace_file_formats(const struct source *source, struct source_formats *formats)
{
	const struct trace_file *file = (const struct trace_file *)source;

	load_formats(file, META_FTRACE, formats);
	load_formats(file, META_EVENTS, formats);
	trace_file_mark_missed(file, formats);
}
