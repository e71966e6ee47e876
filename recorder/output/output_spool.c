/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_spool - recording on a file system without holes: each stream has a file of its own, which
 * is appended to the head at the end.
 *
 *   NAME.part        header | layout | headers, formats … | options | (later data is appended)
 *   NAME.part.cpu0   sub-buffers of CPU 0; NAME.part.1.cpu0 for the second buffer
 *
 * The layout records each stream that was copied, and its file is then emptied: so the copy needs
 * only as much additional room as the largest stream.
 */
#include "recorder/output/output_layout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/output_names.h"

#define PROBE_BYTES	(2u << 20)
#define COPY_BYTES	(4u << 20)
#define SPOOL_ROOM	(64ull << 30)

/* --- files ------------------------------------------------------------------------------------ */

bool output_takes_holes(struct output_file *o)
{
	struct stat before, after;
	bool holes;

	if (fstat(o->fd, &before) || ftruncate(o->fd, before.st_size + PROBE_BYTES))
		return false;
	/* vfat writes zeros, and allocates blocks for them */
	holes = !fstat(o->fd, &after) &&
		(after.st_blocks - before.st_blocks) * 512ll < PROBE_BYTES / 2;
	return !ftruncate(o->fd, before.st_size) && holes;
}

static void spool_name(const struct output_file *o, const struct output_stream *s,
		       struct text *name)
{
	struct text buffer = { 0 };

	text_clear(name);
	text_add(&buffer, o->part);
	if (s->buffer)
		text_printf(&buffer, ".%d", s->buffer);
	output_name_add(OUTPUT_CPU, text_str(&buffer), (unsigned int)s->cpu, name);
	text_fini(&buffer);
}

static int open_spools(struct output_file *o, int flags, struct ft_error *err)
{
	struct text name = { 0 };
	struct stat st;
	int ret = 0;

	if (o->who && invoker_enter(o->who, err))
		return -1;
	for (size_t i = 0; i < o->nr_streams && !ret; i++) {
		struct output_stream *s = o->streams[i];

		spool_name(o, s, &name);
		s->fd = output_open(o, text_str(&name), flags | O_RDWR,
				    output_name_mode(o->place.folder, file_names_base(o->path),
						     TRACE_FILE_MODE));
		if (s->fd < 0)
			ret = ft_error_errno(err, errno, -1, "%s: cannot open", text_str(&name));
		else if (fstat(s->fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink > 1)
			ret = ft_error_set(err, FT_E_FORMAT, -1,
					   "%s is no file of a recorder: it has another name, too",
					   text_str(&name));
	}
	if (o->who)
		invoker_leave(o->who);
	text_fini(&name);
	return ret;
}

int output_spool_begin(struct output_file *o, struct ft_error *err)
{
	o->layout.spooled = 1;
	o->head_end = 0;
	/* the options refer to sections of the buffers while these are still empty */
	for (size_t b = 0; b < o->nr_buffers; b++)
		if (output_section(o, TRACE_OPTION_BUFFER, "", 0, &o->buffers[b].section, err))
			return -1;
	for (size_t i = 0; i < o->nr_streams; i++) {
		o->streams[i]->base = 0;
		o->streams[i]->room = SPOOL_ROOM;
	}
	return open_spools(o, O_CREAT | O_EXCL, err);
}

/* Opened without O_CREAT, so that the error names a missing file. */
int output_spool_open(struct output_file *o, struct ft_error *err)
{
	/* all were copied, so they may be gone already */
	if (o->layout.phase == LAYOUT_DONE) {
		for (size_t i = 0; i < o->nr_streams; i++)
			o->streams[i]->fd = -1;
		return 0;
	}
	return open_spools(o, 0, err);
}

void output_spool_unlink(struct output_file *o)
{
	struct text name = { 0 };

	for (size_t i = 0; i < o->nr_streams && o->layout.spooled; i++) {
		spool_name(o, o->streams[i], &name);
		output_unlink(o, text_str(&name));
	}
	text_fini(&name);
}

/* spool_name() without the part's: [.BUFFER].cpuN */
static bool is_spool(const char *ending)
{
	size_t digits = *ending == '.' ? strspn(ending + 1, "0123456789") : 0;

	if (digits && ending[1 + digits] == '.')
		ending += 1 + digits;
	if (strncmp(ending, ".cpu", 4) != 0)
		return false;
	digits = strspn(ending + 4, "0123456789");
	return digits && !ending[4 + digits];
}

void output_spool_each(int folder, const char *part,
		       void (*each)(void *arg, int folder, const char *name), void *arg)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = fd < 0 ? NULL : fdopendir(fd);

	for (const struct dirent *d = files ? readdir(files) : NULL; d; d = readdir(files))
		if (!strncmp(d->d_name, part, strlen(part)) && is_spool(d->d_name + strlen(part)))
			each(arg, folder, d->d_name);
	if (files)
		closedir(files);
}

/* --- the end ---------------------------------------------------------------------------------- */

static int copy_range(struct output_file *o, const struct output_range *r, char *buffer,
		      struct ft_error *err)
{
	uint64_t size = r->to - r->from;

	for (uint64_t at = 0; at < size;) {
		size_t want = size - at < COPY_BYTES ? (size_t)(size - at) : COPY_BYTES;
		ssize_t got = pread(r->fd, buffer, want, (off_t)(r->from + at));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ft_error_errno(err, errno, -1, "%s: cannot read what a CPU recorded",
					      o->part);
		/* only alignment follows */
		if (!got)
			break;
		if (output_write_at(o, buffer, (size_t)got, r->final + at, err))
			return -1;
		at += (uint64_t)got;
	}
	return 0;
}

/* The room needed depends on how the data is spread over the CPUs. */
static int no_room(struct output_file *o, const struct output_range *ranges, size_t nr,
		   struct ft_error *err)
{
	uint64_t most = 0;

	for (size_t i = o->layout.moved_range; i < nr; i++)
		if (ranges[i].fd != o->fd && ranges[i].to - ranges[i].from > most)
			most = ranges[i].to - ranges[i].from;
	return ft_error_set(err, FT_E_IO, -1,
			    "%s: no space left to join the files of the CPUs: free %llu KiB, "
			    "then run ftop-trace recover %s",
			    o->part, (unsigned long long)(most >> 10), o->part);
}

static int copy_all(struct output_file *o, const struct output_range *ranges, size_t nr,
		    char *buffer, struct ft_error *err)
{
	if (!o->layout.moved_range)
		o->layout.moved_range = 1;
	for (size_t i = o->layout.moved_range; i < nr; i++) {
		/* a buffer's header page is written separately */
		if (ranges[i].fd != o->fd && copy_range(o, &ranges[i], buffer, err))
			return errno == ENOSPC ? no_room(o, ranges, nr, err) : -1;
		o->layout.moved_range = i + 1;
		if (output_write_layout(o, true, err))
			return -1;
		if (ranges[i].fd != o->fd && ftruncate(ranges[i].fd, 0))
			errno = 0;	/* the room is freed later */
	}
	return 0;
}

int output_spool_close(struct output_file *o, struct ft_error *err)
{
	size_t nr;
	struct output_range *ranges = output_ranges(o, &nr);
	uint64_t end = ranges[nr - 1].final + (ranges[nr - 1].to - ranges[nr - 1].from);
	char *buffer = mem_try_alloc(COPY_BYTES, err);
	int ret = buffer ? copy_all(o, ranges, nr, buffer, err) : -1;

	free(buffer);
	free(ranges);
	for (size_t b = 1; b < o->nr_buffers && !ret; b++)
		ret = output_final_buffer_header(o, b, err);
	if (!ret && ftruncate(o->fd, (off_t)end))
		ret = ft_error_errno(err, errno, -1, "%s: cannot set its size", o->part);
	return ret;
}
