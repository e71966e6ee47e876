/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "recorder/output/output_layout.h"
#include "src/base/memory.h"
#include "src/base/output_names.h"

/* bytes after the head, for symbols and the last metadata; a hole costs nothing */
#define HEAD_HOLE	(256ull << 20)
/* size requested at most; halved until the file system accepts it */
#define MAX_FILE	(8ull << 40)
#define MAX_REGION	(64ull << 30)
#define MIN_REGION	(16ull << 20)
#define MAX_ALIGN	(1u << 20)

/* --- memory ----------------------------------------------------------------------------------- */

struct output_file *output_alloc(void)
{
	struct output_file *o = mem_alloc(sizeof(*o));

	o->fd = -1;
	o->place = (struct file_place){ .folder = -1, .stream = -1 };
	o->version = 7;
	o->align = MIN_ALIGN;
	memcpy(o->layout.magic, LAYOUT_MAGIC, 8);
	return o;
}

void output_free(struct output_file *o)
{
	for (int kind = 0; kind < TRACE_NR_TEXTS; kind++)
		text_fini(&o->texts[kind]);
	text_fini(&o->latency);
	text_fini(&o->table);
	for (size_t i = 0; i < o->nr_formats; i++) {
		free(o->formats[i].system);
		text_fini(&o->formats[i].text);
	}
	for (size_t i = 0; i < o->nr_options; i++)
		text_fini(&o->options[i].data);
	for (size_t i = 0; i < o->nr_buffers; i++) {
		free(o->buffers[i].name);
		free(o->buffers[i].clock);
	}
	for (size_t i = 0; i < o->nr_streams; i++) {
		if (o->streams[i]->fd >= 0 && o->streams[i]->fd != o->fd)
			close(o->streams[i]->fd);
		free(o->streams[i]);
	}
	if (o->fd >= 0)
		close(o->fd);
	free(o->formats);
	free(o->options);
	free(o->buffers);
	free(o->streams);
	free(o->clock);
	file_place_close(&o->place);
	free(o->path);
	free(o->part);
	free(o->max_path);
	free(o);
}

int output_open(const struct output_file *o, const char *path, int flags, mode_t mode)
{
	return openat(o->place.folder, file_names_base(path), flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

static int open_to_look(const struct output_file *o)
{
	return output_open(o, o->part, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
}

/* Has a process that writes or recovers the file locked it? */
static bool is_written(const struct output_file *o)
{
	int fd = open_to_look(o);
	bool written = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return written;
}

/*
 * A recorder that died during its set-up leaves a file without a layout, and without data.  Return:
 * whether @part was one, and is removed.
 */
static bool remove_unbegun(const struct output_file *o)
{
	struct {
		char			header[HEADER_BYTES];
		char			section[TRACE_SECTION_HEADER_BYTES];
		struct layout_head	layout;
	} __attribute__((packed)) head = { 0 };
	int fd = open_to_look(o);
	struct stat st;
	ssize_t got = fd >= 0 ? pread(fd, &head, sizeof(head), 0) : -1;
	uint16_t id;
	bool unbegun;

	memcpy(&id, head.section, sizeof(id));
	unbegun = !got ||
		  (got >= HEADER_BYTES &&
		   !memcmp(head.header, TRACE_MAGIC "7", TRACE_MAGIC_LEN + 1) &&
		   (id == TRACE_SECTION_PRIVATE || got == HEADER_BYTES) && !head.layout.magic[0]);
	unbegun = got >= 0 && unbegun && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		  !flock(fd, LOCK_EX | LOCK_NB) &&
		  !unlinkat(o->place.folder, file_names_base(o->part), 0);
	if (fd >= 0)
		close(fd);
	errno = EEXIST;
	return unbegun;
}

static int create_part(const struct output_file *o)
{
	return output_open(o, o->part, O_RDWR | O_CREAT | O_EXCL,
			   output_name_mode(o->place.folder, file_names_base(o->path),
					    TRACE_FILE_MODE));
}

static void cannot_create(const char *part, int errnum, bool written, struct ft_error *err)
{
	if (errnum != EEXIST)
		ft_error_errno(err, errnum, -1, "%s: cannot create the file", part);
	else if (written)
		ft_error_set(err, FT_E_IO, -1,
			     "%s exists: another recorder is writing this recording; "
			     "name another file with -o",
			     part);
	else
		ft_error_set(err, FT_E_IO, -1,
			     "%s exists: an unfinished recording; repair it with "
			     "'ftop-trace recover %s', or remove it",
			     part, part);
}

struct output_file *output_new(const char *path, struct invoker *who, struct ft_error *err)
{
	struct output_file *o = output_alloc();
	struct text part = { 0 };
	struct statfs fs;
	struct stat st;
	bool written;
	int errnum, ret;

	output_name_add(OUTPUT_PART, path, 0, &part);
	o->path = mem_strdup(path);
	o->part = part.data;
	o->replaces = "";
	o->who = who;
	if (who && invoker_enter(who, err)) {
		output_free(o);
		return NULL;
	}
	ret = file_place_open(&o->place, path, 0, err);
	if (!ret)
		o->fd = create_part(o);
	if (!ret && o->fd < 0 && errno == EEXIST && remove_unbegun(o))
		o->fd = create_part(o);
	errnum = o->fd < 0 ? errno : 0;
	written = errnum == EEXIST && is_written(o);
	if (who)
		invoker_leave(who);
	if (o->fd < 0) {
		if (!ret)
			cannot_create(o->part, errnum, written, err);
		output_free(o);
		return NULL;
	}
	/*
	 * the lock tells `recover` that the file is in use; if the file system has no locks, go
	 * without
	 */
	if (flock(o->fd, LOCK_EX | LOCK_NB))
		errno = 0;
	if (!fstat(o->fd, &st) && !st.st_nlink) {	/* removed before it was locked */
		cannot_create(o->part, EEXIST, true, err);
		output_free(o);
		return NULL;
	}
	if (!fstatfs(o->fd, &fs) && fs.f_bsize > (long)o->align && fs.f_bsize <= (long)MAX_ALIGN)
		o->align = fs.f_bsize;
	return o;
}

void output_format_as(struct output_file *o, int version, enum trace_compression compression)
{
	o->version = version;
	o->compression = compression;
}

void output_tell_packing(struct output_file *o,
			 bool (*tell)(void *arg, uint64_t done, uint64_t total), void *arg)
{
	o->tell_packing = tell;
	o->tell_arg = arg;
}

void output_abort(struct output_file *o, bool keep)
{
	if (!o)
		return;
	if (!keep) {
		output_unlink(o, o->part);
		output_spool_unlink(o);
	}
	output_free(o);
}

const char *output_max_name(struct output_file *o)
{
	struct text t = { 0 };

	if (!o->max_path) {
		output_name_add(OUTPUT_MAX, o->path, 0, &t);
		o->max_path = t.data;
	}
	return o->max_path;
}

/* --- buffers and streams ---------------------------------------------------------------------- */

int output_buffer(struct output_file *o, const char *name, const char *clock, uint32_t page_size)
{
	mem_grow(&o->buffers, o->nr_buffers, &o->cap_buffers);
	o->buffers[o->nr_buffers] = (struct output_buffer){
		.name = mem_strdup(name), .clock = mem_strdup(clock), .page_size = page_size };
	if (page_size > o->align)
		o->align = page_size;
	return (int)o->nr_buffers++;
}

struct output_stream *output_stream(struct output_file *o, int buffer, int cpu)
{
	struct output_stream *stream = mem_alloc(sizeof(*stream));

	stream->fd = o->fd;
	stream->buffer = buffer;
	stream->cpu = cpu;
	stream->page_size = o->buffers[buffer].page_size;
	mem_grow(&o->streams, o->nr_streams, &o->cap_streams);
	o->streams[o->nr_streams++] = stream;
	return stream;
}

/* The same file by another descriptor; the old one leads nowhere.  -1: that cannot be. */
static int move_fd(int fd, int null)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (moved >= 0)
		dup3(null, fd, O_CLOEXEC);
	return moved;
}

void output_take_back(struct output_file *o)
{
	int before = o->fd, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return;
	o->fd = move_fd(before, null);
	for (size_t i = 0; i < o->nr_streams; i++) {
		struct output_stream *ours = mem_alloc(sizeof(*ours));

		*ours = *o->streams[i];
		ours->fd = ours->fd == before ? o->fd : move_fd(ours->fd, null);
		o->streams[i] = ours;
	}
	close(null);
}

void output_spool(struct output_file *o)
{
	o->layout.spooled = 1;
}

const char *output_part_name(const struct output_file *o)
{
	return o->part;
}

int output_fd(const struct output_file *o)
{
	return o->fd;
}

uint64_t output_bytes(const struct output_file *o)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < o->nr_streams; i++)
		bytes += atomic_load_explicit(&o->streams[i]->size, memory_order_acquire) -
			 atomic_load_explicit(&o->streams[i]->start, memory_order_relaxed);
	return bytes;
}

bool output_gave_up(const struct output_file *o)
{
	for (size_t i = 0; i < o->nr_streams; i++)
		if (atomic_load_explicit(&o->streams[i]->start, memory_order_relaxed))
			return true;
	return false;
}

/* --- writing ---------------------------------------------------------------------------------- */

int output_write_fully(int fd, const void *data, size_t len, uint64_t offset)
{
	for (size_t done = 0; done < len;) {
		ssize_t put = pwrite(fd, (const char *)data + done, len - done,
				     (off_t)(offset + done));

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		done += (size_t)put;
	}
	return 0;
}

/* Keeps errno. */
int output_write_at(struct output_file *o, const void *data, size_t len, uint64_t pos,
		    struct ft_error *err)
{
	int errnum;

	if (!output_write_fully(o->fd, data, len, pos))
		return 0;
	errnum = errno;
	ft_error_errno(err, errnum, -1, "%s: cannot write at byte %llu", o->part,
		       (unsigned long long)pos);
	errno = errnum;
	return -1;
}

int output_patch_u64(struct output_file *o, uint64_t pos, uint64_t value, struct ft_error *err)
{
	return output_write_at(o, &value, sizeof(value), pos, err);
}

/* --- regions ---------------------------------------------------------------------------------- */

/* Assign regions of @room bytes to the streams.  Return: the file's size. */
static uint64_t place_streams(struct output_file *o, uint64_t room)
{
	uint64_t pos = o->head_end;

	for (size_t b = 0; b < o->nr_buffers; b++) {
		pos += o->align;	/* its last bytes hold the section's header */
		o->buffers[b].section = pos - TRACE_SECTION_HEADER_BYTES;
		for (size_t i = 0; i < o->nr_streams; i++) {
			if (o->streams[i]->buffer != (int)b)
				continue;
			o->streams[i]->base = pos;
			o->streams[i]->room = room;
			pos += room;
		}
	}
	return pos;
}

static int make_regions(struct output_file *o, uint64_t max_bytes, struct ft_error *err)
{
	uint64_t nr = o->nr_streams ? o->nr_streams : 1;
	uint64_t limit = max_bytes ? max_bytes : MAX_FILE / nr;
	uint64_t room, least = align_up(MIN_REGION, o->align);
	struct rlimit rl;

	/* a stream may use the whole limit, plus data in flight when the limit is noticed */
	room = align_up(limit + (64u << 20), o->align);
	if (!max_bytes && room > MAX_REGION)
		room = MAX_REGION;
	if (!getrlimit(RLIMIT_FSIZE, &rl) && rl.rlim_cur != RLIM_INFINITY &&
	    room > rl.rlim_cur / nr / 2)
		room = rl.rlim_cur / nr / 2;
	for (;; room /= 2) {
		room = align_up(room, o->align);
		if (!ftruncate(o->fd, (off_t)place_streams(o, room)))
			return 0;
		if (room <= least)
			return ft_error_errno(
				err, errno, -1,
				"%s: this file system does not support a sparse file of %llu MiB",
				o->part, (unsigned long long)(place_streams(o, room) >> 20));
	}
}

/*
 * Write the headers of the sections that contain the regions; each section extends to the next one.
 */
static int write_buffer_headers(struct output_file *o, uint64_t end, struct ft_error *err)
{
	int ret = 0;

	for (size_t b = 0; b < o->nr_buffers && !ret; b++) {
		uint64_t next = b + 1 < o->nr_buffers ? o->buffers[b + 1].section : end;

		ret = output_section_header_at(o, TRACE_OPTION_BUFFER, o->buffers[b].section, next,
					       err);
	}
	return ret;
}

int output_begin(struct output_file *o, uint64_t max_bytes, struct ft_error *err)
{
	uint64_t layout_bytes = sizeof(struct layout_head) +
				o->nr_buffers * sizeof(struct layout_buffer) +
				o->nr_streams * (sizeof(struct layout_stream) + sizeof(uint64_t)) +
				sizeof(struct layout_tasks);
	char *empty_layout = mem_array(layout_bytes, 1);
	struct text t = { 0 };
	struct stat st;
	int ret;

	output_put_file_header(o, &t);
	o->pos = t.len;
	ret = output_write_at(o, t.data, t.len, 0, err);
	if (!ret)
		ret = output_section(o, TRACE_SECTION_PRIVATE, empty_layout, layout_bytes, NULL,
				     err);
	text_fini(&t);
	free(empty_layout);
	if (ret || output_write_metadata(o, err))
		return -1;
	if (!o->layout.spooled && !output_takes_holes(o))
		o->layout.spooled = 1;
	if (o->layout.spooled) {
		ret = output_spool_begin(o, err);
	} else {
		o->head_end = align_up(o->pos + HEAD_HOLE + LAYOUT_TASKS_BYTES, o->align);
		o->tasks.at = o->head_end - LAYOUT_TASKS_BYTES;
		ret = make_regions(o, max_bytes, err);
		if (ret)	/* such as a limit of the file system on file sizes */
			ret = output_spool_begin(o, err);
		else
			ret = fstat(o->fd, &st) ||
			      write_buffer_headers(o, (uint64_t)st.st_size, err);
	}
	if (ret || output_write_layout(o, false, err) || output_recording_options(o, err))
		return -1;
	/* without fallocate() we risk that the disk is full at the end */
	if (fallocate(o->fd, FALLOC_FL_KEEP_SIZE, (off_t)o->pos, TAIL_RESERVE))
		errno = 0;
	return 0;
}

int output_stream_append(struct output_file *o, struct output_stream *s, const void *page,
			 uint32_t size, struct ft_error *err)
{
	uint64_t at = s->size;

	if (size > s->room || at > s->room - size)
		return ft_error_set(err, FT_E_LIMIT, -1, "%s: no space left in the file for CPU %d",
				    o->part, s->cpu);
	if (output_write_fully(s->fd, page, size, s->base + at))
		return ft_error_errno(err, errno, -1, "%s: cannot write", o->part);
	atomic_store_explicit(&s->size, at + size, memory_order_release);
	return 0;
}
