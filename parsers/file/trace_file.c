/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/file/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/file/chunk_repair.h"
#include "parsers/file/trace_file_private.h"
#include "parsers/io/unpack.h"
#include "parsers/lines/line_file.h"

#define HEADER_BYTES	256u		/* longer than any initial header */
#define MAX_VERSION_DIGITS 8u

const char *trace_file_arena_string(struct trace_file *file, const char *s, size_t len)
{
	return arena_strndup(&file->arena, s, strnlen(s, len));
}

/* --- bytes ---------------------------------------------------------------- */

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
	if (offset > file->info.size || size > file->info.size - offset) {
		ft_error_set(err, FT_E_FORMAT, (int64_t)offset,
			     "%" PRIu64 " bytes are wanted here, but the file ends at %" PRIu64,
			     size, file->info.size);
		return NULL;
	}
	data = mem_try_alloc(size + 1, err);
	if (!data)
		return NULL;
	got = read_at(file->fd, data, size, offset);
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
	struct trace_file_lazy *lazy = file->lazy;
	struct unpacker *unpacker = NULL;
	unsigned int i;

	pthread_mutex_lock(&lazy->unpackers_lock);
	if (lazy->nr_unpackers) {
		for (i = lazy->nr_unpackers - 1; i && lazy->unpackers[i] != last; i--)
			;
		unpacker = lazy->unpackers[i];
		lazy->unpackers[i] = lazy->unpackers[--lazy->nr_unpackers];
	}
	pthread_mutex_unlock(&lazy->unpackers_lock);
	return unpacker ? unpacker : unpacker_new(file->codec);
}

void trace_file_unpacker_put(const struct trace_file *file, struct unpacker *unpacker)
{
	struct trace_file_lazy *lazy = file->lazy;

	pthread_mutex_lock(&lazy->unpackers_lock);
	if (lazy->nr_unpackers < sizeof(lazy->unpackers) / sizeof(lazy->unpackers[0])) {
		lazy->unpackers[lazy->nr_unpackers++] = unpacker;
		unpacker = NULL;
	}
	pthread_mutex_unlock(&lazy->unpackers_lock);
	unpacker_free(unpacker);
}

void trace_file_keep_blob(struct trace_file *file, uint8_t *blob)
{
	mem_grow(&file->blobs, file->nr_blobs, &file->cap_blobs);
	file->blobs[file->nr_blobs++] = blob;
}

/* --- opening -------------------------------------------------------------- */

static int parse_version(struct trace_file *file, struct byte_reader *r, struct ft_error *err)
{
	uint64_t where = byte_reader_offset(r);
	const char *text = byte_reader_string(r);
	char *end;

	if (!text && byte_reader_left(r) <= MAX_VERSION_DIGITS)
		return ft_error_set(err, FT_E_FORMAT, (int64_t)file->info.size,
				    "the file ends in its version number");
	file->info.version = text && strlen(text) <= MAX_VERSION_DIGITS ?
				     (int)strtol(text, &end, 10) :
				     0;
	if (!file->info.version || *end || file->info.version < 6 || file->info.version > 7)
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
				    (int64_t)(file->info.size < where ? file->info.size : where),
				    "the file header ends early, or its compression has no end");
	file->info.compression = trace_file_arena_string(file, name, MAX_STRING);
	file->info.compression_version = trace_file_arena_string(file, version, MAX_STRING);
	return codec_find(name, where, &file->codec, err);
}

/*
 * The first u64 after long size and page size.  v6: length of header_page; v7: offset of the
 * options.
 */
static const uint8_t *first_u64(const struct trace_file *file, struct byte_reader r)
{
	byte_reader_bytes(&r, 5);
	if (file->info.version == 6) {
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

	if (probe && load_u64(probe, swap) > file->info.size &&
	    load_u64(probe, !swap) <= file->info.size) {
		trace_file_add_note(file, (int64_t)where,
				    "byte order %u contradicts what follows: %s endian is assumed",
				    order, big ? "little" : "big");
		big = !big;
		swap = !swap;
	} else if (order > 1) {
		trace_file_add_note(file, (int64_t)where,
				    "byte order %u is neither 0 (little) nor 1 (big): little "
				    "endian is assumed",
				    order);
	}
	file->info.big_endian = big;
	file->swap = r->swap = swap;
}

/* INITIAL FORMAT, the same in v6 and v7.  The byte order comes before any number. */
static int parse_header(struct trace_file *file, struct byte_reader *r, struct ft_error *err)
{
	uint8_t order, long_size;

	if (!byte_reader_expect(r, TRACE_MAGIC, TRACE_MAGIC_LEN)) {
		const char *what = unpack_foreign(r->data, r->len);

		return ft_error_set(err, FT_E_FORMAT, 0, "%s%s%s",
				    r->len ? "not a trace.dat file, nor the text of a trace" :
					     "the file is empty",
				    what ? ", but " : "", what ? what : "");
	}
	if (parse_version(file, r, err))
		return -1;
	order = byte_reader_u8(r);
	set_byte_order(file, r, order, byte_reader_offset(r) - 1);
	long_size = byte_reader_u8(r);	/* of the target's user space, not its kernel */
	file->info.page_size = byte_reader_u32(r);
	if (r->failed)
		return ft_error_set(err, FT_E_FORMAT, (int64_t)r->len,
				    "the file header ends early");
	file->info.user_long_size = long_size;
	if (long_size != 4 && long_size != 8)
		trace_file_add_note(file, (int64_t)byte_reader_offset(r) - 5,
				    "size %u of a long is neither 4 nor 8", long_size);
	if (file->info.version == 7 && parse_compression(file, r, err))
		return -1;
	file->header_bytes = byte_reader_offset(r);
	return 0;
}

/*
 * Accept only files that can be read at any offset; opening a pipe without a writer must not block.
 */
static int open_path(struct trace_file *file, struct ft_error *err)
{
	struct stat st;
	off_t size;

	if (file->fd < 0)
		file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0)
		return ft_error_errno(err, errno, -1, "cannot open");
	if (fstat(file->fd, &st))
		return ft_error_errno(err, errno, -1, "cannot stat");
	if (S_ISDIR(st.st_mode))
		return ft_error_set(err, FT_E_IO, -1, "is a directory");
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return ft_error_set(err, FT_E_IO, -1,
				    "is a pipe, not a file: save it to a file first");
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return ft_error_set(err, FT_E_IO, -1, "is a device, not a file");
	size = S_ISBLK(st.st_mode) ? lseek(file->fd, 0, SEEK_END) : st.st_size;
	file->info.size = size > 0 ? (uint64_t)size : 0;
	return 0;
}

static int open_file(struct trace_file *file, struct ft_error *err)
{
	uint8_t header[HEADER_BYTES];
	struct byte_reader r;
	bool is_text = false;
	int64_t got;

	if (open_path(file, err))
		return -1;
	got = read_at(file->fd, header, sizeof(header), 0);
	if (got < 0)
		return ft_error_errno(err, errno, 0, "cannot read");
	if (got && memcmp(header, TRACE_MAGIC, 1) &&
	    (trace_file_open_text(file, &is_text, err) || is_text))
		return is_text ? 0 : -1;
	byte_reader_init(&r, header, (size_t)got, 0, false);
	if (parse_header(file, &r, err))
		return -1;
	if (file->info.version == 6 ? trace_file_open_v6(file, err) : trace_file_open_v7(file, err))
		return -1;
	if (trace_file_finish_buffers(file, err))
		return -1;
	trace_file_take_text(file);
	return 0;
}

const struct line_file *trace_file_lines(const struct trace_file *file)
{
	return file->lines;
}

static void free_drafts(struct trace_file *file)
{
	for (unsigned int i = 0; i < file->nr_drafts; i++)
		free(file->drafts[i].cpus);
	free(file->drafts);
	file->drafts = NULL;
	file->nr_drafts = 0;
}

static struct trace_file *open_as(const char *path, int fd,
				  const struct trace_file_options *options, struct line_file *lines,
				  struct ft_error *err)
{
	struct trace_file *file = mem_alloc(sizeof(*file));

	file->fd = fd;
	file->path = mem_strdup(path);
	file->head = options->head;
	file->formats = options->formats;
	file->lines = lines;
	file->lazy = mem_alloc(sizeof(*file->lazy));
	pthread_mutex_init(&file->lazy->lock, NULL);
	pthread_mutex_init(&file->lazy->notes_lock, NULL);
	pthread_mutex_init(&file->lazy->unpackers_lock, NULL);
	file->info.compression = "none";
	file->info.compression_version = file->info.uname = file->info.writer = file->info.cuts =
		file->info.clock_text = "";
	if (open_file(file, err)) {
		trace_file_close(file);
		return NULL;
	}
	free_drafts(file);
	trace_file_read_extra(file);
	return file;
}

struct trace_file *trace_file_open(const char *path, int fd, struct ft_error *err)
{
	return open_as(path, fd, &(struct trace_file_options){ 0 }, NULL, err);
}

struct trace_file *trace_file_open_with(const char *path, int fd,
					const struct trace_file_options *options,
					struct ft_error *err)
{
	return open_as(path, fd, options, NULL, err);
}

struct trace_file *trace_file_open_again(struct trace_file *former, struct ft_error *err)
{
	const struct trace_file_options options = { .formats = former->formats };
	struct line_file *lines = former->all_lines;

	former->all_lines = NULL;
	return open_as(former->path, fcntl(former->fd, F_DUPFD_CLOEXEC, 0), &options, lines, err);
}

void trace_file_close(struct trace_file *file)
{
	if (!file)
		return;
	trace_texts_fini(file);
	line_file_free(file->lines);
	line_file_free(file->all_lines);
	for (unsigned int i = 0; i < file->nr_streams; i++) {
		chunk_directory_fini(&file->states[i].directory);
		pthread_mutex_destroy(&file->states[i].lock);
	}
	while (file->lazy->nr_unpackers)
		unpacker_free(file->lazy->unpackers[--file->lazy->nr_unpackers]);
	pthread_mutex_destroy(&file->lazy->lock);
	pthread_mutex_destroy(&file->lazy->notes_lock);
	pthread_mutex_destroy(&file->lazy->unpackers_lock);
	free(file->lazy->notes);
	free(file->lazy);
	free_drafts(file);
	free(file->buffers);
	free(file->texts);
	free(file->streams);
	free(file->states);
	free(file->options);
	for (unsigned int i = 0; i < file->nr_blobs; i++)
		free(file->blobs[i]);
	free(file->blobs);
	free(file->seen_sections);
	arena_fini(&file->arena);
	if (file->fd >= 0)
		close(file->fd);
	free(file->path);
	free(file);
}

/* --- accessors ------------------------------------------------------------ */

const struct trace_file_info *trace_file_info(const struct trace_file *file)
{
	return &file->info;
}

unsigned int trace_file_release(const struct trace_file *file)
{
	unsigned int major, minor;

	if (sscanf(file->info.uname, "%*s %*s %u.%u", &major, &minor) != 2 || major > 0xffff ||
	    minor > 0xffff)
		return 0;
	return major << 16 | minor;
}

unsigned int trace_file_nr_buffers(const struct trace_file *file)
{
	return file->nr_buffers;
}

const struct trace_file_buffer *trace_file_buffer(const struct trace_file *file, unsigned int i)
{
	return i < file->nr_buffers ? &file->buffers[i] : NULL;
}

unsigned int trace_file_nr_streams(const struct trace_file *file)
{
	return file->nr_streams;
}

const struct trace_file_stream *trace_file_stream(const struct trace_file *file, unsigned int i)
{
	return i < file->nr_streams ? &file->streams[i] : NULL;
}

unsigned int trace_file_nr_options(const struct trace_file *file)
{
	return file->nr_options;
}

const struct trace_file_option *trace_file_option(const struct trace_file *file, unsigned int i)
{
	return i < file->nr_options ? &file->options[i] : NULL;
}

/* The top buffer's come first, those of another one after an option with "Buffer: NAME". */
uint64_t trace_file_cpu_stat(const struct trace_file *file, int buffer, const char *key)
{
	static const char heading[] = "\nBuffer: ";
	const char *name = buffer < 0 ? "" : trace_file_buffer(file, (unsigned int)buffer)->name;
	bool its = buffer <= 0;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < trace_file_nr_options(file); i++) {
		const struct trace_file_option *o = trace_file_option(file, i);
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
		} else if (its && at) {
			sum += strtoull(at + strlen(key), NULL, 10);
		}
		text_fini(&t);
	}
	return sum & INT64_MAX;
}

const struct trace_time_shift *trace_file_time_shift(const struct trace_file *file, int cpu,
						     bool *interpolate, uint64_t *peer_trace_id)
{
	if (interpolate)
		*interpolate = file->shift_interpolates;
	if (peer_trace_id)
		*peer_trace_id = file->shift_peer;
	return cpu >= 0 && (unsigned int)cpu < file->nr_shifts ? &file->shifts[cpu] : NULL;
}

/* --- streams -------------------------------------------------------------- */

/*
 * Read the chunk directory of a stream, including chunks after a damaged header.  Adds a note for
 * each fault.
 */
static void read_directory(const struct trace_file *file, const struct trace_file_stream *s,
			   struct stream_state *state)
{
	struct chunk_directory *dir = &state->directory;
	struct unpacker *unpacker = trace_file_unpacker_get(file, NULL);
	struct ft_error err = { 0 };
	uint32_t wrong;

	if (chunk_directory_read(dir, file->fd, s->offset, s->file_size, state->limit, file->swap,
				 &err)) {
		bool found = chunk_directory_repair(dir, file->fd, s->offset, state->limit,
						    file->swap, unpacker,
						    file->buffers[s->buffer].layout.page_size);

		trace_file_add_note(file, err.offset, "CPU %d: %s%s", s->cpu, err.message,
				    found ? "; what follows it was found" : "");
	}
	wrong = chunk_directory_check_sizes(dir, file->fd, unpacker);
	if (wrong)
		trace_file_add_note(file, (int64_t)s->offset,
				    "CPU %d: %" PRIu32 " of %" PRIu32
				    " chunks unpack to another size than they state",
				    s->cpu, wrong, dir->nr);
	trace_file_unpacker_put(file, unpacker);
}

const struct chunk_directory *trace_file_directory(const struct trace_file *file,
						   unsigned int stream)
{
	const struct trace_file_stream *s = &file->streams[stream];
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

uint64_t trace_file_stream_bytes(const struct trace_file *file, unsigned int i)
{
	if (i >= file->nr_streams)
		return 0;
	if (file->streams[i].chunked)
		trace_file_directory(file, i);
	return atomic_load_explicit(&file->states[i].bytes, memory_order_acquire);
}

uint64_t trace_file_stream_pages(const struct trace_file *file, unsigned int i)
{
	uint64_t bytes = trace_file_stream_bytes(file, i);
	uint32_t page_size;

	if (i >= file->nr_streams)
		return 0;
	page_size = file->buffers[file->streams[i].buffer].layout.page_size;
	return bytes / page_size + (bytes % page_size != 0);
}

/* --- notes ---------------------------------------------------------------- */

unsigned int trace_file_nr_notes(const struct trace_file *file)
{
	return atomic_load_explicit(&file->lazy->nr_notes, memory_order_acquire);
}

struct ft_error trace_file_note(const struct trace_file *file, unsigned int i)
{
	if (i >= trace_file_nr_notes(file))
		return (struct ft_error){ .offset = -1 };
	return file->lazy->notes[i];	/* written before it was counted, and never changed */
}

/* A search through a damaged file can meet the same fault more than once. */
static bool has_note(const struct trace_file_lazy *lazy, unsigned int nr,
		     const struct ft_error *note)
{
	for (unsigned int i = 0; i < nr; i++)
		if (lazy->notes[i].offset == note->offset &&
		    !strcmp(lazy->notes[i].message, note->message))
			return true;
	return false;
}

void trace_file_add_note(const struct trace_file *file, int64_t offset, const char *fmt, ...)
{
	struct trace_file_lazy *lazy = file->lazy;
	unsigned int nr;

	pthread_mutex_lock(&lazy->notes_lock);
	nr = atomic_load_explicit(&lazy->nr_notes, memory_order_relaxed);
	if (!lazy->notes)
		lazy->notes = mem_array(MAX_NOTES, sizeof(*lazy->notes));
	if (nr < MAX_NOTES) {
		struct ft_error *note = &lazy->notes[nr];
		va_list ap;

		note->code = FT_E_FORMAT;
		note->offset = offset;
		va_start(ap, fmt);
		vsnprintf(note->message, sizeof(note->message), fmt, ap);
		va_end(ap);
		if (!has_note(lazy, nr, note))
			atomic_store_explicit(&lazy->nr_notes, nr + 1, memory_order_release);
	}
	pthread_mutex_unlock(&lazy->notes_lock);
}
