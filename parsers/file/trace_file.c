/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/file/trace_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file_private.h"
#include "parsers/io/archive.h"

#define HEADER_BYTES	256u		/* longer than any initial header */
#define MAX_VERSION_DIGITS 8u

/* --- opening -------------------------------------------------------------- */

static int parse_version(struct trace_file *file, struct byte_reader *r, struct ft_error *err)
{
	uint64_t where = byte_reader_offset(r);
	const char *text = byte_reader_string(r);
	char *end;

	if (!text && byte_reader_left(r) <= MAX_VERSION_DIGITS)
		return ft_error_set(err, FT_E_FORMAT, (int64_t)file->base.info.size,
				    "the file ends in its version number");
	file->base.info.version = text && strlen(text) <= MAX_VERSION_DIGITS ?
					  (int)strtol(text, &end, 10) :
					  0;
	if (!file->base.info.version || *end || file->base.info.version < 6 ||
	    file->base.info.version > 7)
		return ft_error_set(err, FT_E_VERSION, (int64_t)where,
				    "file version \"%.8s\" is not 6 or 7", text ? text : "?");
	return 0;
}

static int parse_compression(struct trace_file *file, struct byte_reader *r, struct ft_error *err)
{
	uint64_t where = byte_reader_offset(r);
	const char *name = byte_reader_string(r);
	const char *version = byte_reader_string(r);

	file->options_offset = byte_reader_u64(r);
	if (r->failed)
		return ft_error_set(err, FT_E_FORMAT,
				    (int64_t)(file->base.info.size < where ? file->base.info.size :
									     where),
				    "the file header ends early, or its compression has no end");
	file->base.info.compression = trace_file_arena_string(file, name, MAX_STRING);
	file->base.info.compression_version = trace_file_arena_string(file, version, MAX_STRING);
	return codec_find(name, where, &file->codec, err);
}

/*
 * The first u64 after long size and page size.  v6: length of header_page; v7: offset of the
 * options.
 */
static const uint8_t *first_u64(const struct trace_file *file, struct byte_reader r)
{
	byte_reader_bytes(&r, 5);
	if (file->base.info.version == 6) {
		byte_reader_bytes(&r, 12);
	} else {
		byte_reader_string(&r);
		byte_reader_string(&r);
	}
	return byte_reader_bytes(&r, 8);
}

/*
 * The byte order is the one the header names, unless the first length or offset only fits the file
 * in the other order.
 */
static void set_byte_order(struct trace_file *file, struct byte_reader *r, uint8_t order,
			   uint64_t where)
{
	bool big = order == 1, swap = big != HOST_BIG_ENDIAN;
	const uint8_t *probe = first_u64(file, *r);

	if (probe && load_u64(probe, swap) > file->base.info.size &&
	    load_u64(probe, !swap) <= file->base.info.size) {
		source_add_warning(&file->base, (int64_t)where,
				   "byte order %u contradicts what follows: %s endian is assumed",
				   order, big ? "little" : "big");
		big = !big;
		swap = !swap;
	} else if (order > 1) {
		source_add_warning(&file->base, (int64_t)where,
				   "byte order %u is neither 0 (little) nor 1 (big): little "
				   "endian is assumed",
				   order);
	}
	file->base.info.big_endian = big;
	file->swap = r->swap = swap;
}

/* INITIAL FORMAT, the same in v6 and v7.  The byte order comes before any number. */
static int parse_header(struct trace_file *file, struct byte_reader *r, struct ft_error *err)
{
	uint8_t order, long_size;

	if (!byte_reader_expect(r, TRACE_MAGIC, TRACE_MAGIC_LEN)) {
		const char *what = archive_foreign(r->data, r->len);

		return ft_error_set(
			err, FT_E_FORMAT, 0, "%s%s%s",
			r->len ?
				"not a trace.dat, perf.data or Perfetto file, nor the text of a trace" :
				"the file is empty",
			what ? ", but " : "", what ? what : "");
	}
	if (parse_version(file, r, err))
		return -1;
	order = byte_reader_u8(r);
	set_byte_order(file, r, order, byte_reader_offset(r) - 1);
	long_size = byte_reader_u8(r);	/* bytes of user space's long, not the kernel's */
	file->base.info.page_size = byte_reader_u32(r);
	if (r->failed)
		return ft_error_set(err, FT_E_FORMAT, (int64_t)r->len,
				    "the file header ends early");
	file->base.info.user_long_size = long_size;
	if (long_size != 4 && long_size != 8)
		source_add_warning(&file->base, (int64_t)byte_reader_offset(r) - 5,
				   "size %u of a long is neither 4 nor 8", long_size);
	if (file->base.info.version == 7 && parse_compression(file, r, err))
		return -1;
	file->header_bytes = byte_reader_offset(r);
	return 0;
}

/* --- the source ----------------------------------------------------------- */

static uint64_t stream_bytes(const struct source *source, unsigned int stream)
{
	const struct trace_file *file = (const struct trace_file *)source;

	if (source->streams[stream].chunked)
		trace_file_directory(file, stream);
	return atomic_load_explicit(&file->states[stream].bytes, memory_order_acquire);
}

static void free_drafts(struct trace_file *file)
{
	for (unsigned int i = 0; i < file->nr_drafts; i++)
		free(file->drafts[i].cpus);
	free(file->drafts);
	file->drafts = NULL;
	file->nr_drafts = 0;
}

static void fini(struct source *source)
{
	struct trace_file *file = (struct trace_file *)source;

	for (unsigned int i = 0; i < source->nr_buffers; i++)
		free(file->latency[i].blob);
	free(file->latency);
	for (unsigned int i = 0; i < source->nr_streams; i++) {
		chunk_directory_fini(&file->states[i].directory);
		pthread_mutex_destroy(&file->states[i].lock);
	}
	while (file->unpackers->nr)
		unpacker_free(file->unpackers->idle[--file->unpackers->nr]);
	pthread_mutex_destroy(&file->unpackers->lock);
	free(file->unpackers);
	free_drafts(file);
	free(file->texts);
	free(file->states);
	free(file->options);
	for (unsigned int i = 0; i < file->nr_blobs; i++)
		free(file->blobs[i]);
	free(file->blobs);
	free(file->seen_sections);
	arena_fini(&file->arena);
}

/* --- what only a trace.dat has -------------------------------------------- */

static bool histograms(const struct source *source, struct text *out)
{
	uint64_t size;
	const char *text = source_text(source, TRACE_TEXT_HISTS, &size);

	if (out)
		text_bytes(out, text, size);
	return size;
}

static const struct source_ops trace_ops = {
	.form = "trace.dat",
	.stream_bytes = stream_bytes,
	.read = trace_pages_read,
	.borrow = trace_pages_borrow,
	.offset = trace_pages_offset,
	.formats = trace_file_formats,
	.text = trace_file_text,
	.histograms = histograms,
	.reader_bytes = sizeof(struct trace_reader),
	.reader_fini = trace_pages_fini,
	.grow = trace_part_grow,
	.has_ended = trace_part_has_ended,
	.cpu_stat = trace_file_cpu_stat,
	.fini = fini,
};

/* The trace.dat that a source is, or is the text of; or NULL. */
const struct trace_file *trace_file_from(const struct source *source)
{
	while (source->around)
		source = source->around;
	return source->ops == &trace_ops ? (const struct trace_file *)source : NULL;
}

unsigned int trace_file_nr_options(const struct source *source)
{
	const struct trace_file *file = trace_file_from(source);

	return file ? file->nr_options : 0;
}

const struct trace_file_option *trace_file_option(const struct source *source, unsigned int i)
{
	return i < trace_file_nr_options(source) ? &trace_file_from(source)->options[i] : NULL;
}

/* The top buffer's come first, those of another one after an option with "Buffer: NAME". */
uint64_t trace_file_cpu_stat(const struct source *source, int buffer, int cpu, const char *key)
{
	static const char heading[] = "\nBuffer: ";
	const char *name = buffer < 0 ? "" : source_buffer(source, (unsigned int)buffer)->name;
	bool its = buffer <= 0;
	uint64_t sum = 0;
	char first[32];

	snprintf(first, sizeof(first), "CPU: %d\n", cpu);

	for (unsigned int i = 0; i < trace_file_nr_options(source); i++) {
		const struct trace_file_option *o = trace_file_option(source, i);
		const char *at, *line;
		struct text t = { 0 };

		if (o->id != TRACE_OPTION_CPUSTAT)
			continue;
		text_bytes(&t, (const char *)o->data, o->size);
		at = strstr(text_str(&t), key);
		if (buffer >= 0 && !strncmp(text_str(&t), heading, strlen(heading))) {
			line = text_str(&t) + strlen(heading);
			its = strlen(name) == strcspn(line, "\n") &&
			      !memcmp(line, name, strlen(name));
		} else if (its && at && (cpu < 0 || !strncmp(text_str(&t), first, strlen(first)))) {
			sum += strtoull(at + strlen(key), NULL, 10);
		}
		text_fini(&t);
	}
	return sum & INT64_MAX;
}

static int read_all(struct trace_file *file, const struct source_start *start, struct ft_error *err)
{
	struct byte_reader r;

	byte_reader_init(&r, start->head,
			 start->nr_head < HEADER_BYTES ? start->nr_head : HEADER_BYTES, 0, false);
	if (parse_header(file, &r, err))
		return -1;
	if (file->base.info.version == 6 ? trace_file_open_v6(file, err) :
					   trace_file_open_v7(file, err))
		return -1;
	return trace_file_finish_buffers(file, err);
}

struct source *trace_file_open(const struct source_start *start, struct ft_error *err)
{
	struct trace_file *file = source_new(sizeof(*file), &trace_ops, start);

	file->unpackers = mem_alloc(sizeof(*file->unpackers));
	pthread_mutex_init(&file->unpackers->lock, NULL);
	if (read_all(file, start, err)) {
		source_close(&file->base);
		return NULL;
	}
	free_drafts(file);
	trace_part_open(file);
	trace_file_read_extra(file);
	return &file->base;
}
