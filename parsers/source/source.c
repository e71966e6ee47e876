/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/source/source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/io/byte_reader.h"
#include "parsers/source/source_form.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define MAX_WARNINGS	256u

void *source_new(size_t bytes, const struct source_ops *ops, const struct source_start *start)
{
	struct source *source = mem_alloc(bytes);

	source->ops = ops;
	source->fd = start->fd;
	source->path = mem_strdup(start->path);
	source->info.form = ops->form;
	source->info.size = start->size;
	source->info.big_endian = HOST_BIG_ENDIAN;
	source->info.user_long_size = 8;
	source->info.compression = "none";
	source->info.compression_version = source->info.uname = source->info.writer =
		source->info.cuts = source->info.extracted = source->info.hits =
			source->info.missed = source->info.left_out = source->info.clock_text = "";
	source->shared = mem_alloc(sizeof(*source->shared));
	pthread_mutex_init(&source->shared->lock, NULL);
	pthread_mutex_init(&source->shared->warnings_lock, NULL);
	return source;
}

static void free_shared(struct source_shared *shared)
{
	for (unsigned int i = 0; i < TRACE_NR_TEXTS; i++)
		free(shared->texts[i].blob);
	free(shared->formats.blobs[0]);
	free(shared->formats.blobs[1]);
	free(shared->formats.formats);
	free(shared->formats.by_id);
	free(shared->warnings);
	pthread_mutex_destroy(&shared->lock);
	pthread_mutex_destroy(&shared->warnings_lock);
	free(shared);
}

void source_close(struct source *source)
{
	if (!source)
		return;
	if (source->ops->fini)
		source->ops->fini(source);
	free_shared(source->shared);
	free(source->buffers);
	free(source->streams);
	free(source->settled);
	free(source->guests);
	text_fini(&source->more_who);
	free(source->firsts);
	if (source->fd >= 0)
		close(source->fd);
	free(source->path);
	source_close(source->around);
	free(source);
}

struct source_reader *source_reader_new(const struct source *source)
{
	size_t bytes = source->ops->reader_bytes;
	struct source_reader *reader = mem_alloc(bytes ? bytes : sizeof(*reader));

	reader->source = source;
	return reader;
}

void source_reader_free(struct source_reader *reader)
{
	if (reader && reader->source->ops->reader_fini)
		reader->source->ops->reader_fini(reader);
	free(reader);
}

/* --- what was found ------------------------------------------------------- */

const struct source_info *source_info(const struct source *source)
{
	return &source->info;
}

unsigned int source_release(const struct source *source)
{
	unsigned int major, minor;

	if (sscanf(source->info.uname, "%*s %*s %u.%u", &major, &minor) != 2 || major > 0xffff ||
	    minor > 0xffff)
		return 0;
	return major << 16 | minor;
}

unsigned int source_nr_buffers(const struct source *source)
{
	return source->nr_buffers;
}

const struct source_buffer *source_buffer(const struct source *source, unsigned int i)
{
	return i < source->nr_buffers ? &source->buffers[i] : NULL;
}

unsigned int source_nr_streams(const struct source *source)
{
	return source->nr_streams;
}

const struct source_stream *source_stream(const struct source *source, unsigned int i)
{
	return i < source->nr_streams ? &source->streams[i] : NULL;
}

const struct trace_time_shift *source_time_shift(const struct source *source, int cpu,
						 bool *interpolate, uint64_t *peer_trace_id)
{
	if (interpolate)
		*interpolate = source->shift_interpolates;
	if (peer_trace_id)
		*peer_trace_id = source->shift_peer;
	return cpu >= 0 && (unsigned int)cpu < source->nr_shifts ? &source->shifts[cpu] : NULL;
}

const struct source_guest *source_guest(const struct source *source, unsigned int i)
{
	return i < source->nr_guests ? &source->guests[i] : NULL;
}

uint64_t source_stream_bytes(const struct source *source, unsigned int i)
{
	return i < source->nr_streams ? source->ops->stream_bytes(source, i) : 0;
}

uint64_t source_stream_pages(const struct source *source, unsigned int i)
{
	uint64_t bytes = source_stream_bytes(source, i);
	uint32_t page_size;

	if (i >= source->nr_streams)
		return 0;
	page_size = source->buffers[source->streams[i].buffer].layout.page_size;
	return bytes / page_size + (bytes % page_size != 0) + source->streams[i].is_cut;
}

/* --- heads ---------------------------------------------------------------- */

bool source_is_head(const struct source *source)
{
	return source->info.head;
}

int source_read_rest(struct source *source)
{
	source->is_reread = source->ops->read_rest;
	return source->is_reread ? source->ops->read_rest(source) : 0;
}

unsigned int source_permille(const struct source *source)
{
	return source->ops->permille ? source->ops->permille(source) : 1000;
}

/* --- traces that grow ----------------------------------------------------- */

enum source_growth source_growth(const struct source *source)
{
	return source->growth;
}

enum source_growth source_grow(struct source *source)
{
	if (source->growth == SOURCE_GROWS)
		source->growth = source->ops->grow(source);
	return source->growth;
}

uint64_t source_cpu_stat(const struct source *source, int buffer, int cpu, const char *key)
{
	while (source->around)
		source = source->around;
	return source->ops->cpu_stat ? source->ops->cpu_stat(source, buffer, cpu, key) : 0;
}

bool source_has_ended(struct source *source)
{
	if (source->growth == SOURCE_GROWS && source->ops->has_ended(source))
		source->growth = SOURCE_ENDED;
	return source->growth == SOURCE_ENDED;
}

uint64_t source_settled(const struct source *source, unsigned int i)
{
	return source->settled && i < source->nr_streams ? source->settled[i] : 0;
}

const char *source_more_who(const struct source *source, uint64_t *size)
{
	*size = source->more_who.len;
	return text_str(&source->more_who);
}

uint64_t source_first_page(const struct source *source, unsigned int i)
{
	return source->firsts && i < source->nr_streams ?
		       atomic_load_explicit(&source->firsts[i], memory_order_acquire) :
		       0;
}

/* --- parts of a text ------------------------------------------------------ */

uint64_t source_part(const struct source *source, unsigned int stream, uint64_t page)
{
	return source->ops->part(source, stream, page);
}

bool source_part_text(const struct source *source, uint64_t part, struct text *out)
{
	return source->ops->part_text(source, part, out);
}

/* --- histograms ----------------------------------------------------------- */

bool source_histograms(const struct source *source, struct text *out)
{
	return source->ops->histograms && source->ops->histograms(source, out);
}

/* --- texts ---------------------------------------------------------------- */

static const char *const text_names[TRACE_NR_TEXTS] = {
	[TRACE_TEXT_HEADER_PAGE]  = "header_page",
	[TRACE_TEXT_HEADER_EVENT] = "header_event",
	[TRACE_TEXT_KALLSYMS]	  = "kallsyms",
	[TRACE_TEXT_PRINTK]	  = "printk formats",
	[TRACE_TEXT_CMDLINES]	  = "saved command lines",
	[TRACE_TEXT_BTF]	  = "BTF",
	[TRACE_TEXT_MODULES]	  = "modules",
	[TRACE_TEXT_TGIDS]	  = "saved_tgids",
	[TRACE_TEXT_WHO]	  = "tasks",
	[TRACE_TEXT_MACHINE]	  = "machine",
	[TRACE_TEXT_HISTS]	  = "histograms",
	[TRACE_TEXT_NAMES]	  = "names",
	[TRACE_TEXT_USER_SYMBOLS] = "user_symbols",
	[TRACE_TEXT_PROCMAPS]	  = "PROCMAPS",
	[TRACE_TEXT_PRIVATE]	  = "private data",
};

const char *source_text_name(enum trace_text kind)
{
	return text_names[kind];
}

const char *source_slot_text(const struct source *source, struct source_text_slot *slot,
			     unsigned int nr,
			     void (*load)(const struct source *source, unsigned int nr,
					  struct source_text_slot *slot),
			     uint64_t *size)
{
	if (!atomic_load_explicit(&slot->done, memory_order_acquire)) {
		pthread_mutex_lock(&source->shared->lock);
		if (!atomic_load_explicit(&slot->done, memory_order_relaxed)) {
			slot->text = "";
			load(source, nr, slot);
			atomic_store_explicit(&slot->done, true, memory_order_release);
		}
		pthread_mutex_unlock(&source->shared->lock);
	}
	if (size)
		*size = slot->size;
	return slot->text;
}

static void load_text(const struct source *source, unsigned int kind, struct source_text_slot *slot)
{
	if (source->ops->text)
		source->ops->text(source, (enum trace_text)kind, slot);
}

void source_text_take(struct source_text_slot *slot, struct text *text)
{
	if (!text->data)
		return;
	slot->blob = text->data;
	slot->text = slot->blob;
	slot->size = text->len;
	*text = (struct text){ 0 };
}

void source_add_private(const struct source *source, struct text *out)
{
	const char *clock = source->nr_buffers ? source->buffers[0].clock : "";
	struct source_text_slot tgids = { 0 };

	text_add(out, TRACE_PRIVATE_MAGIC);
	if (source->info.has_wall && *clock)
		text_printf(out, "wall %s 0 realtime %" PRId64 " within 0\n", clock,
			    source->info.wall_offset_ns);
	if (*source->info.cuts)
		text_printf(out, "cut %s", source->info.cuts);
	source->ops->text(source, TRACE_TEXT_TGIDS, &tgids);
	text_printf(out, "saved_tgids %" PRIu64 "\n", tgids.size);
	if (tgids.size)
		text_bytes(out, tgids.text, tgids.size);
	free(tgids.blob);
}

const char *source_text(const struct source *source, enum trace_text kind, uint64_t *size)
{
	return source_slot_text(source, &source->shared->texts[kind], kind, load_text, size);
}

const char *source_text_lost(const struct source *source, enum trace_text kind)
{
	uint64_t size;

	source_text(source, kind, &size);
	if (source->shared->texts[kind].lost)
		return source->shared->texts[kind].lost;
	return !size && source_is_damaged(source) ? "parts of the file are damaged or missing" :
						    NULL;
}

/* --- formats -------------------------------------------------------------- */

void source_add_format(struct source_formats *formats, const struct source_format *format)
{
	mem_grow(&formats->formats, formats->nr, &formats->cap);
	formats->formats[formats->nr++] = *format;
}

static void index_formats(struct source_formats *f)
{
	for (unsigned int i = 0; i < f->nr; i++)
		if (f->formats[i].id >= f->nr_ids)
			f->nr_ids = f->formats[i].id + 1;
	f->by_id = mem_array((size_t)f->nr_ids, sizeof(*f->by_id));
	/* backwards, so that the first one wins */
	for (unsigned int i = f->nr; i-- > 0;)
		if (f->formats[i].id >= 0)
			f->by_id[f->formats[i].id] = i + 1;
}

static const struct source_formats *need_formats(const struct source *source)
{
	struct source_shared *shared = source->shared;

	if (atomic_load_explicit(&shared->formats_done, memory_order_acquire))
		return &shared->formats;
	pthread_mutex_lock(&shared->lock);
	if (!atomic_load_explicit(&shared->formats_done, memory_order_relaxed)) {
		source->ops->formats(source, &shared->formats);
		index_formats(&shared->formats);
		atomic_store_explicit(&shared->formats_done, true, memory_order_release);
	}
	pthread_mutex_unlock(&shared->lock);
	return &shared->formats;
}

unsigned int source_nr_formats(const struct source *source)
{
	return need_formats(source)->nr;
}

const struct source_format *source_format(const struct source *source, unsigned int i)
{
	const struct source_formats *f = need_formats(source);

	return i < f->nr ? &f->formats[i] : NULL;
}

const struct source_format *source_format_by_id(const struct source *source, int id)
{
	const struct source_formats *f = need_formats(source);

	if (id < 0 || id >= f->nr_ids || !f->by_id[id])
		return NULL;
	return &f->formats[f->by_id[id] - 1];
}

/* --- warnings ---------------------------------------------------------------- */

/* A text inside another source has no warnings of its own. */
static struct source_shared *warnings_of(const struct source *source)
{
	while (source->around)
		source = source->around;
	return source->shared;
}

unsigned int source_nr_warnings(const struct source *source)
{
	return atomic_load_explicit(&warnings_of(source)->nr_warnings, memory_order_acquire);
}

struct ft_error source_warning(const struct source *source, unsigned int i)
{
	if (i >= source_nr_warnings(source))
		return (struct ft_error){ .offset = -1 };
	/* written before it was counted, and never changed */
	return warnings_of(source)->warnings[i];
}

/* A search through a damaged file can meet the same fault more than once. */
static bool has_warning(const struct source_shared *shared, unsigned int nr,
			const struct ft_error *warning)
{
	for (unsigned int i = 0; i < nr; i++)
		if (shared->warnings[i].offset == warning->offset &&
		    !strcmp(shared->warnings[i].message, warning->message))
			return true;
	return false;
}

static __attribute__((format(printf, 4, 0))) void add_warning(const struct source *source,
							      enum ft_error_code code,
							      int64_t offset, const char *fmt,
							      va_list ap)
{
	struct source_shared *shared = warnings_of(source);
	unsigned int nr;

	pthread_mutex_lock(&shared->warnings_lock);
	nr = atomic_load_explicit(&shared->nr_warnings, memory_order_relaxed);
	if (!shared->warnings)
		shared->warnings = mem_array(MAX_WARNINGS, sizeof(*shared->warnings));
	if (nr < MAX_WARNINGS) {
		struct ft_error *warning = &shared->warnings[nr];

		warning->code = code;
		warning->offset = offset;
		vsnprintf(warning->message, sizeof(warning->message), fmt, ap);
		if (!has_warning(shared, nr, warning))
			atomic_store_explicit(&shared->nr_warnings, nr + 1, memory_order_release);
	}
	pthread_mutex_unlock(&shared->warnings_lock);
}

void source_add_warning(const struct source *source, int64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_warning(source, FT_E_FORMAT, offset, fmt, ap);
	va_end(ap);
}

void source_add_note(const struct source *source, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_warning(source, FT_E_UNSUPPORTED, -1, fmt, ap);
	va_end(ap);
}

bool source_is_damaged(const struct source *source)
{
	unsigned int nr = source_nr_warnings(source);

	for (unsigned int i = 0; i < nr; i++)
		if (warnings_of(source)->warnings[i].code == FT_E_FORMAT)
			return true;
	return false;
}

void source_file_format(const struct source *source, unsigned int i, struct text *out)
{
	const struct source_format *format = source_format(source, i);

	if (source->ops->file_format)
		source->ops->file_format(source, i, out);
	else if (format)
		text_bytes(out, format->text, format->size);
}

uint32_t source_file_record(const struct source *source, const uint8_t *data, uint32_t size,
			    uint8_t *to, uint32_t room)
{
	if (source->ops->file_record)
		return source->ops->file_record(source, data, size, to, room);
	if (size > room)
		return 0;
	memcpy(to, data, size);
	return size;
}
