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

#include "parsers/file/trace_file_private.h"

static void note_error(const struct trace_file *file, const char *what, const struct ft_error *err)
{
	trace_file_add_note(file, err->offset, "%s: %s", what, err->message);
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
	case TRACE_TEXT_PRIVATE:
		break;
	}
	return NULL;
}

static const struct {
	enum metadata_kind	meta;
	const char		*name;
} text_places[] = {
	[TRACE_TEXT_HEADER_PAGE]  = { META_HEADER_INFO, "header_page" },
	[TRACE_TEXT_HEADER_EVENT] = { META_HEADER_INFO, "header_event" },
	[TRACE_TEXT_KALLSYMS]	  = { META_KALLSYMS, "kallsyms" },
	[TRACE_TEXT_PRINTK]	  = { META_PRINTK, "printk formats" },
	[TRACE_TEXT_CMDLINES]	  = { META_CMDLINES, "saved command lines" },
	[TRACE_TEXT_BTF]	  = { META_BTF, "BTF" },
	[TRACE_TEXT_MODULES]	  = { META_MODULES, "modules" },
	[TRACE_TEXT_PRIVATE]	  = { 0, "private data" },
};

const char *trace_file_text_name(enum trace_text kind)
{
	return text_places[kind].name;
}

typedef void load_slot(const struct trace_file *file, unsigned int nr, struct text_slot *slot);

/* Return the text of a slot, which @load fills on first use. */
static const char *slot_text(const struct trace_file *file, struct text_slot *slot, unsigned int nr,
			     load_slot *load, uint64_t *size)
{
	struct trace_file_lazy *lazy = file->lazy;

	if (!atomic_load_explicit(&slot->done, memory_order_acquire)) {
		pthread_mutex_lock(&lazy->lock);
		if (!atomic_load_explicit(&slot->done, memory_order_relaxed)) {
			slot->text = "";
			load(file, nr, slot);
			atomic_store_explicit(&slot->done, true, memory_order_release);
		}
		pthread_mutex_unlock(&lazy->lock);
	}
	if (size)
		*size = slot->size;
	return slot->text;
}

static void load_text(const struct trace_file *file, unsigned int kind, struct text_slot *slot)
{
	const struct metadata *meta = kind < TRACE_TEXT_TGIDS ?
					      &file->metadata[text_places[kind].meta] :
					      NULL;
	struct ft_error err = { 0 };
	struct byte_reader r;
	const char *text;
	uint64_t size;

	if (file->lines && (kind == TRACE_TEXT_KALLSYMS || !file->info.version)) {
		trace_lines_text(file, kind, slot);
		return;
	}
	if (kind >= TRACE_TEXT_TGIDS) {
		text = kind == TRACE_TEXT_TGIDS ?
			       trace_file_find_tgids(file, &slot->blob, &slot->size) :
			       trace_file_find_private(file, &slot->blob, &slot->size);
		slot->text = text ? text : "";
		return;
	}
	if (!meta->present)
		return;
	slot->blob = (char *)trace_file_load_metadata(file, meta, &size, &err);
	if (!slot->blob) {
		note_error(file, text_places[kind].name, &err);
		return;
	}
	byte_reader_init(&r, slot->blob, size, meta->offset, file->swap);
	text = find_text(&r, kind, &size);
	if (!text) {
		trace_file_add_note(file, (int64_t)meta->offset,
				    "%s: the text does not fit into its %zu bytes",
				    text_places[kind].name, r.len);
		return;
	}
	slot->blob[(text - slot->blob) + size] = '\0';	/* the last byte of blob is spare */
	slot->text = text;
	slot->size = size;
}

const char *trace_file_section_text(const struct trace_file *file, enum trace_text kind,
				    uint64_t *size)
{
	return slot_text(file, &file->lazy->texts[kind], kind, load_text, size);
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

	if (chunk_directory_read(&dir, file->fd, meta->offset, 0, meta->offset + meta->size,
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

static void load_latency(const struct trace_file *file, unsigned int buffer, struct text_slot *slot)
{
	struct metadata part = file->texts[buffer];
	struct ft_error err = { 0 };
	uint64_t size = 0;

	if (!part.present)
		return;
	if (!part.compressed && part.size > TRACE_MAX_BLOB) {
		trace_file_add_note(file, (int64_t)part.offset,
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

const char *trace_file_latency_text(const struct trace_file *file, unsigned int buffer,
				    uint64_t *size)
{
	if (size)
		*size = 0;
	if (buffer >= file->nr_buffers)
		return "";
	return slot_text(file, &file->lazy->latency[buffer], buffer, load_latency, size);
}

/* --- formats -------------------------------------------------------------- */

/* The number in the "ID:" line, the second line of a format file; -1 if there is none. */
static int format_id(const char *text, uint32_t size)
{
	const char *end = text + size, *line = text;

	for (int i = 0; i < 4 && line < end; i++) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		if (end - line > 3 && !memcmp(line, "ID:", 3)) {
			const char *p = line + 3;
			int id = 0;

			while (p < end && *p == ' ')
				p++;
			if (p == end || *p < '0' || *p > '9')
				return -1;
			for (; p < end && *p >= '0' && *p <= '9' && id < 65536; p++)
				id = id * 10 + (*p - '0');
			return id < 65536 ? id : -1;
		}
		if (!newline)
			return -1;
		line = newline + 1;
	}
	return -1;
}

/* count x (u64 size, text) */
static bool split_formats(struct trace_file_lazy *lazy, struct byte_reader *r, const char *system)
{
	uint32_t nr = byte_reader_u32(r);

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t size = byte_reader_u64(r);
		const char *text = (const char *)byte_reader_bytes(r, size);
		struct trace_file_format *format;

		if (!text || size > UINT32_MAX || lazy->nr_formats >= 2 * TRACE_MAX_FORMATS)
			return false;
		mem_grow(&lazy->formats, lazy->nr_formats, &lazy->cap_formats);
		format = &lazy->formats[lazy->nr_formats++];
		format->system = system;
		format->text = text;
		format->size = (uint32_t)size;
		format->id = format_id(text, format->size);
	}
	return !r->failed;
}

static bool split_systems(struct trace_file_lazy *lazy, struct byte_reader *r)
{
	uint32_t systems = byte_reader_u32(r);

	for (uint32_t i = 0; i < systems; i++) {
		const char *name = byte_reader_string(r);

		if (!name || !split_formats(lazy, r, name))
			return false;
	}
	return !r->failed;
}

static void load_formats(const struct trace_file *file, enum metadata_kind kind)
{
	const struct metadata *meta = &file->metadata[kind];
	struct trace_file_lazy *lazy = file->lazy;
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
	lazy->format_blobs[ftrace ? 0 : 1] = blob;
	byte_reader_init(&r, blob, size, meta->offset, file->swap);
	ok = ftrace ? split_formats(lazy, &r, "ftrace") : split_systems(lazy, &r);
	if (!ok)
		trace_file_add_note(file,
				    (int64_t)(meta->compressed ? meta->offset :
								 byte_reader_offset(&r)),
				    "event formats: the list ends early, after %u formats",
				    lazy->nr_formats);
}

static void index_formats(struct trace_file_lazy *lazy)
{
	for (unsigned int i = 0; i < lazy->nr_formats; i++)
		if (lazy->formats[i].id >= lazy->nr_ids)
			lazy->nr_ids = lazy->formats[i].id + 1;
	lazy->format_by_id = mem_array((size_t)lazy->nr_ids, sizeof(*lazy->format_by_id));
	/* backwards, so that the first one wins */
	for (unsigned int i = lazy->nr_formats; i-- > 0;)
		if (lazy->formats[i].id >= 0)
			lazy->format_by_id[lazy->formats[i].id] = i + 1;
}

static struct trace_file_lazy *need_formats(const struct trace_file *file)
{
	struct trace_file_lazy *lazy = file->lazy;

	if (atomic_load_explicit(&lazy->formats_done, memory_order_acquire))
		return lazy;
	pthread_mutex_lock(&lazy->lock);
	if (!atomic_load_explicit(&lazy->formats_done, memory_order_relaxed)) {
		if (file->lines) {
			trace_lines_formats(file);
		} else {
			load_formats(file, META_FTRACE);
			load_formats(file, META_EVENTS);
		}
		index_formats(lazy);
		atomic_store_explicit(&lazy->formats_done, true, memory_order_release);
	}
	pthread_mutex_unlock(&lazy->lock);
	return lazy;
}

unsigned int trace_file_nr_formats(const struct trace_file *file)
{
	return need_formats(file)->nr_formats;
}

const struct trace_file_format *trace_file_format(const struct trace_file *file, unsigned int i)
{
	const struct trace_file_lazy *lazy = need_formats(file);

	return i < lazy->nr_formats ? &lazy->formats[i] : NULL;
}

const struct trace_file_format *trace_file_format_by_id(const struct trace_file *file, int id)
{
	const struct trace_file_lazy *lazy = need_formats(file);

	if (id < 0 || id >= lazy->nr_ids || !lazy->format_by_id[id])
		return NULL;
	return &lazy->formats[lazy->format_by_id[id] - 1];
}

void trace_texts_fini(struct trace_file *file)
{
	struct trace_file_lazy *lazy = file->lazy;

	for (unsigned int i = 0; i < sizeof(lazy->texts) / sizeof(lazy->texts[0]); i++)
		free(lazy->texts[i].blob);
	for (unsigned int i = 0; lazy->latency && i < file->nr_buffers; i++)
		free(lazy->latency[i].blob);
	free(lazy->latency);
	free(lazy->format_blobs[0]);
	free(lazy->format_blobs[1]);
	free(lazy->formats);
	free(lazy->format_by_id);
}
