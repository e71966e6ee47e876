/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_load - bytes of a trace.dat in memory: ranges of the file, compressed sections, the
 * directory of a stream's chunks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/chunk_repair.h"
#include "parsers/file/trace_file_private.h"

const char *trace_file_arena_string(struct trace_file *file, const char *s, size_t len)
{
	return arena_strndup(&file->arena, s, strnlen(s, len));
}

uint8_t *trace_file_load(const struct trace_file *file, uint64_t offset, uint64_t size,
			 struct ft_error *err)
{
	uint8_t *data;
	int64_t got;

	if (size > TRACE_MAX_BLOB) {
		ft_error_set(err, FT_E_LIMIT, (int64_t)offset,
			     "%" PRIu64 " bytes of metadata are more than %u", size,
			     TRACE_MAX_BLOB);
		return NULL;
	}
	if (offset > file->base.info.size || size > file->base.info.size - offset) {
		ft_error_set(err, FT_E_FORMAT, (int64_t)offset,
			     "%" PRIu64 " bytes are wanted here, but the file ends at %" PRIu64,
			     size, file->base.info.size);
		return NULL;
	}
	data = mem_try_alloc(size + 1, err);
	if (!data)
		return NULL;
	got = read_at(file->base.fd, data, size, offset);
	if (got < 0)
		ft_error_errno(err, errno, (int64_t)offset, "cannot read %" PRIu64 " bytes", size);
	else if ((uint64_t)got < size)
		ft_error_set(err, FT_E_IO, (int64_t)offset + got, "the file has become shorter");
	else
		return data;
	free(data);
	return NULL;
}

/* u32 packed size, u32 unpacked size, data. */
static uint8_t *unpack_block(const struct trace_file *file, const uint8_t *packed,
			     const struct metadata *meta, uint64_t *size, struct ft_error *err)
{
	struct byte_reader r;
	struct unpacker *unpacker;
	uint32_t csize, usize;
	const uint8_t *data;
	uint8_t *out;
	int ret;

	byte_reader_init(&r, packed, meta->size, meta->offset, file->swap);
	csize = byte_reader_u32(&r);
	usize = byte_reader_u32(&r);
	data = byte_reader_bytes(&r, csize);
	if (!data) {
		ft_error_set(err, FT_E_FORMAT, (int64_t)meta->offset,
			     "compressed block of %" PRIu32 " bytes in a section of %" PRIu64,
			     csize, meta->size);
		return NULL;
	}
	if (usize > TRACE_MAX_BLOB) {
		ft_error_set(err, FT_E_LIMIT, (int64_t)meta->offset + 4,
			     "compressed block unpacks to %" PRIu32 " bytes, more than %u", usize,
			     TRACE_MAX_BLOB);
		return NULL;
	}
	out = mem_try_alloc((uint64_t)usize + 1, err);
	if (!out)
		return NULL;
	unpacker = trace_file_unpacker_get(file, NULL);
	ret = unpacker_run(unpacker, data, csize, out, usize, meta->offset + 8, err);
	trace_file_unpacker_put(file, unpacker);
	if (ret) {
		free(out);
		return NULL;
	}
	*size = usize;
	return out;
}

uint8_t *trace_file_load_metadata(const struct trace_file *file, const struct metadata *meta,
				  uint64_t *size, struct ft_error *err)
{
	uint8_t *data = trace_file_load(file, meta->offset, meta->size, err), *unpacked;

	*size = meta->size;
	if (!data || !meta->compressed)
		return data;
	unpacked = unpack_block(file, data, meta, size, err);
	free(data);
	return unpacked;
}

struct unpacker *trace_file_unpacker_get(const struct trace_file *file, const struct unpacker *last)
{
	struct unpackers *all = file->unpackers;
	struct unpacker *unpacker = NULL;
	unsigned int i;

	pthread_mutex_lock(&all->lock);
	if (all->nr) {
		for (i = all->nr - 1; i && all->idle[i] != last; i--)
			;
		unpacker = all->idle[i];
		all->idle[i] = all->idle[--all->nr];
	}
	pthread_mutex_unlock(&all->lock);
	return unpacker ? unpacker : unpacker_new(file->codec);
}

void trace_file_unpacker_put(const struct trace_file *file, struct unpacker *unpacker)
{
	struct unpackers *all = file->unpackers;

	pthread_mutex_lock(&all->lock);
	if (all->nr < sizeof(all->idle) / sizeof(all->idle[0])) {
		all->idle[all->nr++] = unpacker;
		unpacker = NULL;
	}
	pthread_mutex_unlock(&all->lock);
	unpacker_free(unpacker);
}

void trace_file_keep_blob(struct trace_file *file, uint8_t *blob)
{
	mem_grow(&file->blobs, file->nr_blobs, &file->cap_blobs);
	file->blobs[file->nr_blobs++] = blob;
}

/* --- streams -------------------------------------------------------------- */

/*
 * Read the chunk directory of a stream, including chunks after a damaged header.  Adds a warning
 * for each fault.
 */
static void read_directory(const struct trace_file *file, const struct source_stream *s,
			   struct stream_state *state)
{
	struct chunk_directory *dir = &state->directory;
	struct unpacker *unpacker = trace_file_unpacker_get(file, NULL);
	struct ft_error err = { 0 };
	uint32_t wrong;

	if (chunk_directory_read(dir, file->base.fd, s->offset, s->file_size, state->limit,
				 file->swap, &err)) {
		bool found = chunk_directory_repair(dir, file->base.fd, s->offset, state->limit,
						    file->swap, unpacker,
						    file->base.buffers[s->buffer].layout.page_size);

		source_add_warning(&file->base, err.offset, "CPU %d: %s%s", s->cpu, err.message,
				   found ? "; what follows it was found" : "");
	}
	wrong = chunk_directory_check_sizes(dir, file->base.fd, unpacker);
	if (wrong)
		source_add_warning(&file->base, (int64_t)s->offset,
				   "CPU %d: %" PRIu32 " of %" PRIu32
				   " chunks unpack to another size than they state",
				   s->cpu, wrong, dir->nr);
	trace_file_unpacker_put(file, unpacker);
}

const struct chunk_directory *trace_file_directory(const struct trace_file *file,
						   unsigned int stream)
{
	const struct source_stream *s = &file->base.streams[stream];
	struct stream_state *state = &file->states[stream];

	if (!s->chunked)
		return NULL;
	if (atomic_load_explicit(&state->known, memory_order_acquire))
		return &state->directory;
	pthread_mutex_lock(&state->lock);
	if (!atomic_load_explicit(&state->known, memory_order_relaxed)) {
		if (s->file_size)
			read_directory(file, s, state);
		atomic_store_explicit(&state->bytes, state->directory.bytes, memory_order_relaxed);
		atomic_store_explicit(&state->known, true, memory_order_release);
	}
	pthread_mutex_unlock(&state->lock);
	return &state->directory;
}
