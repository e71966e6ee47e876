/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_close - finishes a recorded file: last metadata, cutting out holes, header.
 *
 * The order lets `recover` continue from any point: sizes, then the final metadata (in the hole,
 * where nothing refers to it), then the phase, then the moves, whose progress is visible in the
 * file's size or the layout, and last the header.
 */
#include "recorder/output/output_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/output_names.h"

#define MOVE_BYTES	(4u << 20)	/* bytes moved down in one step */

/* The aligned range of a stream's kept data. */
static void stream_range(const struct output_file *o, const struct output_stream *s, uint64_t *from,
			 uint64_t *to)
{
	uint64_t start = s->start < s->size ? s->start : s->size;

	*from = s->base + start / o->align * o->align;
	*to = s->size > start ? s->base + align_up(s->size, o->align) : *from;
}

struct output_range *output_ranges(const struct output_file *o, size_t *nr)
{
	struct output_range *ranges = mem_array(1 + o->nr_buffers + o->nr_streams, sizeof(*ranges));
	uint64_t pos = o->layout.final_data;
	size_t n = 0;

	/* the head ends with the first buffer's header */
	ranges[n++] = (struct output_range){ .fd = o->fd, .from = 0, .to = pos, .final = 0 };
	for (size_t b = 0; b < o->nr_buffers; b++) {
		uint64_t page = o->buffers[b].section + TRACE_SECTION_HEADER_BYTES - o->align;

		if (b) {
			ranges[n++] = (struct output_range){
				.fd = o->fd, .from = page, .to = page + o->align, .final = pos
			};
			pos += o->align;
		}
		for (size_t i = 0; i < o->nr_streams; i++) {
			struct output_range *r = &ranges[n];

			if (o->streams[i]->buffer != (int)b)
				continue;
			stream_range(o, o->streams[i], &r->from, &r->to);
			r->fd = o->streams[i]->fd;
			r->final = pos;
			o->streams[i]->final = pos + (o->streams[i]->base + o->streams[i]->start -
						      r->from);
			pos += r->to - r->from;
			n += r->to > r->from;
		}
	}
	*nr = n;
	return ranges;
}

static uint64_t final_size(const struct output_range *ranges, size_t nr)
{
	return ranges[nr - 1].final + (ranges[nr - 1].to - ranges[nr - 1].from);
}

/* --- what a ring dropped ---------------------------------------------------------------------- */

/*
 * Each CPU has dropped its own oldest sub-buffers (-m), so they do not begin at one time.  Mark
 * that as the kernel marks what a full ring buffer overwrote.  A number that the kernel told is not
 * that of all.
 */
int output_mark_dropped(struct output_file *o, struct ft_error *err)
{
	for (size_t i = 0; i < o->nr_streams; i++) {
		const struct output_stream *s = o->streams[i];
		off_t at = (off_t)(s->base + s->start + OUTPUT_COMMIT_OFFSET);
		unsigned long commit;

		if (!s->start || s->start >= s->size)
			continue;
		if (pread(s->fd, &commit, sizeof(commit), at) != (ssize_t)sizeof(commit))
			return ft_error_errno(err, errno, -1, "%s: cannot read", o->part);
		commit = (commit & ~(unsigned long)TRACE_COMMIT_LOST_STORED) | TRACE_COMMIT_LOST;
		if (output_write_fully(s->fd, &commit, sizeof(commit), (uint64_t)at))
			return ft_error_errno(err, errno, -1, "%s: cannot write", o->part);
	}
	return 0;
}

/* --- metadata --------------------------------------------------------------------------------- */

/* Offset of buffer B's section in the finished file; past the last buffer: the end. */
static uint64_t final_section(const struct output_file *o, const struct output_range *ranges,
			      size_t nr, size_t b)
{
	if (!b)
		return o->layout.final_data - TRACE_SECTION_HEADER_BYTES;
	for (size_t i = 1; i < nr && b < o->nr_buffers; i++)
		if (ranges[i].fd == o->fd &&
		    ranges[i].to == o->buffers[b].section + TRACE_SECTION_HEADER_BYTES)
			return ranges[i].final + o->align - TRACE_SECTION_HEADER_BYTES;
	return final_size(ranges, nr);
}

int output_final_buffer_header(struct output_file *o, size_t b, struct ft_error *err)
{
	size_t nr;
	struct output_range *ranges = output_ranges(o, &nr);
	uint64_t first = final_section(o, ranges, nr, b),
		 last = final_section(o, ranges, nr, b + 1);
	/*
	 * sections after the first stay at their place until everything is moved; spooled data is
	 * not moved
	 */
	uint64_t at = b && !o->layout.spooled ? o->buffers[b].section : first;

	free(ranges);
	return output_section_header_at(o, TRACE_OPTION_BUFFER, at, at + (last - first), err);
}

/*
 * The final options have the final offsets of the buffers' sections; the moves still need the old
 * ones.
 */
static int final_options(struct output_file *o, struct ft_error *err)
{
	uint64_t *old = mem_array(o->nr_buffers + 1, sizeof(*old));
	size_t nr;
	struct output_range *ranges = output_ranges(o, &nr);
	int ret;

	for (size_t b = 0; b < o->nr_buffers; b++)
		old[b] = o->buffers[b].section;
	for (size_t b = o->nr_buffers; b-- > 0;)
		o->buffers[b].section = final_section(o, ranges, nr, b);
	ret = output_options_section(o, true, &o->layout.final_options, err);
	for (size_t b = 0; b < o->nr_buffers; b++)
		o->buffers[b].section = old[b];
	free(old);
	free(ranges);
	return ret;
}

/*
 * The length of the final options does not depend on the numbers in them, so the data's place can
 * be computed first.
 */
static uint64_t options_bytes(const struct output_file *o)
{
	uint64_t bytes = TRACE_SECTION_HEADER_BYTES + 14;

	for (size_t i = 0; i < o->nr_options; i++)
		bytes += 6 + o->options[i].data.len;
	for (size_t b = 0; b < o->nr_buffers; b++)
		bytes += 6 + 8 + strlen(o->buffers[b].name) + 1 + strlen(o->buffers[b].clock) + 1 +
			 8;
	return bytes + 20ull * o->nr_streams;
}

/* Write the metadata that is only known at the end.  A second call does nothing. */
static int late_sections(struct output_file *o, struct ft_error *err)
{
	if (o->late_written)
		return 0;
	if (o->texts[TRACE_TEXT_CMDLINES].len && output_cmdlines_section(o, err))
		return -1;
	if (o->texts[TRACE_TEXT_PRIVATE].len && output_private_section(o, err))
		return -1;
	o->late_written = true;
	return 0;
}

int output_write_final_head(struct output_file *o, struct ft_error *err)
{
	uint64_t filler;
	int ret;

	if (late_sections(o, err))
		return -1;
	o->layout.final_data = align_up(o->pos + options_bytes(o) + 2 * TRACE_SECTION_HEADER_BYTES,
					o->align);
	if (!o->layout.spooled && o->layout.final_data > o->head_end)
		return ft_error_set(err, FT_E_LIMIT, -1, "%s: the metadata does not fit", o->part);
	ret = final_options(o, err);
	filler = o->pos;
	if (!ret)
		ret = output_section_header_at(o, TRACE_SECTION_PRIVATE, filler,
					       o->layout.final_data - TRACE_SECTION_HEADER_BYTES,
					       err);
	for (size_t b = 0; b < o->nr_buffers && !ret && (!b || !o->layout.spooled); b++)
		ret = output_final_buffer_header(o, b, err);
	if (ret)
		return ret;
	o->layout.phase = LAYOUT_CLOSING;
	o->layout.moved_range = 0;
	o->layout.moved_bytes = 0;
	return output_write_layout(o, false, err);
}

/* --- moving data to its place ----------------------------------------------------------------- */

static int cut_error(struct output_file *o, struct ft_error *err)
{
	return ft_error_errno(err, errno, -1, "%s: cannot remove the holes", o->part);
}

/*
 * Cut out the holes from the last to the first; the file's size shows which ones are done.
 * Return: 1 if the file system cannot do it (nothing was cut then).
 */
static int collapse_holes(struct output_file *o, const struct output_range *ranges, size_t nr,
			  struct ft_error *err)
{
	uint64_t size = ranges[nr - 1].to;
	struct stat st;

	if (fstat(o->fd, &st) || ((uint64_t)st.st_size > size && ftruncate(o->fd, (off_t)size)))
		return cut_error(o, err);
	for (size_t i = nr - 1; i > 0; i--) {
		uint64_t hole = ranges[i].from - ranges[i - 1].to;

		if (!hole)
			continue;
		size -= hole;
		if (fstat(o->fd, &st))
			return cut_error(o, err);
		if ((uint64_t)st.st_size <= size)
			continue;
		if (fallocate(o->fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)ranges[i - 1].to,
			      (off_t)hole))
			return (errno == EOPNOTSUPP || errno == EINVAL) &&
					       (uint64_t)st.st_size == ranges[nr - 1].to ?
				       1 :
				       cut_error(o, err);
	}
	return 0;
}

static int copy_bytes(struct output_file *o, char *buffer, uint64_t from, uint64_t to, size_t len,
		      struct ft_error *err)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(o->fd, buffer + got, len - got, (off_t)(from + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return ft_error_errno(err, n ? errno : EIO, -1,
					      "%s: cannot read at byte %llu", o->part,
					      (unsigned long long)(from + got));
		got += n;
	}
	return output_write_at(o, buffer, len, to, err);
}

/* A step never overwrites what it reads, so it can be repeated after a crash. */
static int move_range(struct output_file *o, const struct output_range *r, char *buffer,
		      struct ft_error *err)
{
	uint64_t gap = r->from - r->final, size = r->to - r->from, most = MOVE_BYTES;

	while (gap && o->layout.moved_bytes < size) {
		uint64_t at = o->layout.moved_bytes;
		uint64_t step = size - at < most ? size - at : most;

		if (step > gap)
			step = gap;
		if (copy_bytes(o, buffer, r->from + at, r->final + at, step, err)) {
			/* on a full disk there is as much room as a small step frees */
			most = step / 2 / o->align * o->align;
			if (errno != ENOSPC || !most)
				return -1;
			continue;
		}
		o->layout.moved_bytes = at + step;
		if (output_write_layout(o, true, err))
			return -1;
		/* frees the space now, so the peak is one step, not a whole copy */
		if (fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			      (off_t)(r->from + at), (off_t)step))
			errno = 0;
	}
	return 0;
}

static int move_down(struct output_file *o, const struct output_range *ranges, size_t nr,
		     struct ft_error *err)
{
	char *buffer = mem_try_alloc(MOVE_BYTES, err);
	int ret = buffer ? 0 : -1;

	if (!o->layout.moved_range)
		o->layout.moved_range = 1;
	for (size_t i = o->layout.moved_range; i < nr && !ret; i++) {
		o->layout.moved_range = i;
		ret = move_range(o, &ranges[i], buffer, err);
		o->layout.moved_bytes = 0;
		o->layout.moved_range = i + 1;
		if (!ret)
			ret = output_write_layout(o, true, err);
	}
	free(buffer);
	if (!ret && ftruncate(o->fd, (off_t)final_size(ranges, nr)))
		ret = cut_error(o, err);
	return ret;
}

static int cut_holes(struct output_file *o, struct ft_error *err)
{
	size_t nr;
	struct output_range *ranges = output_ranges(o, &nr);
	int ret = 1;

	if (!o->layout.moved_range)
		ret = collapse_holes(o, ranges, nr, err);
	if (ret > 0)
		ret = move_down(o, ranges, nr, err);
	free(ranges);
	return ret;
}

int output_close_file(struct output_file *o, struct ft_error *err)
{
	int ret = o->layout.spooled ? output_spool_close(o, err) : cut_holes(o, err);

	if (!ret)
		ret = output_patch_u64(o, HEADER_OPTIONS, o->layout.final_options, err);
	if (ret)
		return ret;
	o->layout.phase = LAYOUT_DONE;
	ret = output_write_layout(o, true, err);
	/* the placeholder sections of the spooled buffers become filler */
	for (size_t b = 0; b < o->nr_buffers && o->layout.spooled && !ret; b++)
		ret = output_section_header_at(o, TRACE_SECTION_PRIVATE, o->buffers[b].section,
					       o->buffers[b].section + TRACE_SECTION_HEADER_BYTES,
					       err);
	return ret;
}

/* --- the end ---------------------------------------------------------------------------------- */

int output_rename(struct output_file *o, const char *from, struct ft_error *err)
{
	int ret;

	if (o->who && invoker_enter(o->who, err))
		return -1;
	ret = output_name_give(o->place.folder, file_names_base(from), o->place.folder,
			       file_names_base(o->path), o->replaces, err);
	if (o->who)
		invoker_leave(o->who);
	return ret;
}

void output_unlink(struct output_file *o, const char *path)
{
	int errnum = errno;

	if (!o->who || !invoker_enter(o->who, NULL)) {
		unlinkat(o->place.folder, file_names_base(path), 0);
		if (o->who)
			invoker_leave(o->who);
	}
	errno = errnum;
}

/* Of a former recording, if there is one: with the user's privileges. */
static void remove_max(struct output_file *o)
{
	int errnum = errno;

	if (!o->who || !invoker_enter(o->who, NULL)) {
		output_name_remove(o->place.folder, file_names_base(output_max_name(o)),
				   OUTPUT_TRACE_HEAD);
		if (o->who)
			invoker_leave(o->who);
	}
	errno = errnum;
}

static int finish_plain(struct output_file *o, struct ft_error *err)
{
	if (output_write_final_head(o, err) || output_close_file(o, err))
		return -1;
	/* a network file system may report a full disk only here */
	if (close(o->fd)) {
		o->fd = -1;
		return ft_error_errno(err, errno, -1, "%s: cannot write", o->part);
	}
	o->fd = -1;
	if (output_rename(o, o->part, err))
		return -1;
	output_spool_unlink(o);
	return 0;
}

/* The text gets the file's name, the streams' data a second name. */
static int finish_text(struct output_file *o, struct ft_error *err)
{
	bool keep = output_bytes(o) > 0;

	if (output_pack(o, keep, err))
		return -1;
	if (keep) {
		const char *max_name = output_max_name(o);

		free(o->path);
		o->path = mem_strdup(max_name);
		o->replaces = OUTPUT_TRACE_HEAD;
	} else {
		/* the second file of an earlier recording does not belong to this one */
		remove_max(o);
	}
	text_fini(&o->latency);
	return 0;
}

static int finish_file(struct output_file *o, struct ft_error *err)
{
	bool plain = o->version == 7 && o->compression == TRACE_PLAIN;
	bool had_text = o->latency.len, data = output_bytes(o) > 0;

	if (output_update(o, err) || output_mark_dropped(o, err) ||
	    (had_text && finish_text(o, err)))
		return -1;
	if (had_text && !data)
		return 0;
	if (plain)
		return finish_plain(o, err);
	/*
	 * the .part holds everything, so nothing is lost if packing fails; its sections can still
	 * be walked one by one
	 */
	if (late_sections(o, err) || output_recording_options(o, err))
		return -1;
	if (!output_pack(o, false, err))
		return 0;
	return err->code == FT_E_CANCELLED ? finish_plain(o, err) : -1;
}

/*
 * Has somebody removed it while it was written, or the folder in which it was?  @is_other: has the
 * name come to another file?
 */
static bool is_gone(struct output_file *o, bool *is_other)
{
	struct stat st, own;
	bool gone = false;

	*is_other = false;
	if (!o->who || !invoker_enter(o->who, NULL)) {
		int ret = fstatat(o->place.folder, file_names_base(o->part), &st,
				  AT_SYMLINK_NOFOLLOW);

		gone = ret && errno == ENOENT;
		*is_other = !ret && o->fd >= 0 && !fstat(o->fd, &own) &&
			    (st.st_dev != own.st_dev || st.st_ino != own.st_ino);
		if (o->who)
			invoker_leave(o->who);
	}
	return gone;
}

int output_finish(struct output_file *o, struct ft_error *err)
{
	struct ft_error why = { 0 };
	bool is_other;
	int ret;

	is_gone(o, &is_other);
	if (is_other) {
		ret = ft_error_set(err, FT_E_IO, -1,
				   "%s is another file now: what was recorded is in the file that "
				   "had this name first; ftop-trace recover repairs that",
				   o->part);
		output_abort(o, true);
		return ret;
	}
	ret = finish_file(o, &why);
	if (ret && is_gone(o, &is_other)) {
		ft_error_set(
			err, FT_E_IO, -1,
			"%s was removed while it was written: nothing of the recording is left",
			o->part);
	} else if (ret) {
		ft_error_prefix(&why, "%s is unchanged; ftop-trace recover repairs it", o->part);
		if (err)
			*err = why;
	}
	output_abort(o, true);
	return ret;
}
