/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output_recover - finishes an interrupted recording: reads the layout and the options of a .part,
 * adds sub-buffers that were written after the last update of the sizes, and closes the file.  We
 * wrote the layout, but the file may have been damaged since, so every number is checked.
 */
#include "recorder/output/output_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/base/output_names.h"

#define MAX_LAYOUT	(64u << 20)
#define MAX_SECTION	(512u << 20)
#define LOCK_WAIT_MS	3000
#define LOCK_LOOK_MS	20
#define NOT_BEGUN	"the recording had not begun: it is empty"
#define INTERRUPTED	"the recording was interrupted: the trace lacks what is read at the end, such as " \
			"the kernel's histograms and the counts of missed probe hits"

struct interrupted_part {
	struct output_file	*o;
	uint64_t	 size;		/* bytes in the file */
};

static int set_damaged(const struct interrupted_part *p, uint64_t at, const char *what,
		       struct ft_error *err)
{
	if (!at)	/* an empty range means the whole file */
		return ft_error_set(err, FT_E_FORMAT, -1, "%s: %s", p->o->part, what);
	return ft_error_set(err, FT_E_FORMAT, -1, "%s: byte %" PRIu64 " (0x%" PRIx64 "): %s",
			    p->o->part, at, at, what);
}

static int read_at(const struct interrupted_part *p, void *to, size_t len, uint64_t at,
		   struct ft_error *err)
{
	ssize_t got = pread(p->o->fd, to, len, (off_t)at);

	if (got < 0)
		return ft_error_errno(err, errno, (int64_t)at, "%s: cannot read", p->o->part);
	return got == (ssize_t)len ? 0 : set_damaged(p, at, "the file ends early", err);
}

static int read_section(const struct interrupted_part *p, uint16_t id, uint64_t at, uint64_t limit,
			struct text *payload, struct ft_error *err)
{
	struct {
		uint16_t id, flags;
		uint32_t description;
		uint64_t size;
	} header;

	if (at < HEADER_BYTES || read_at(p, &header, sizeof(header), at, err))
		return set_damaged(p, at, "a section is not where it should be", err);
	if (header.id != id || header.flags || header.size > limit || header.size > p->size)
		return set_damaged(p, at, "a section is not what it should be", err);
	text_clear(payload);
	text_reserve(payload, header.size);
	payload->len = header.size;
	payload->data[header.size] = '\0';
	return read_at(p, payload->data, header.size, at + sizeof(header), err);
}

static int read_layout_buffer(struct interrupted_part *p, const char *at, struct ft_error *err)
{
	struct output_file *o = p->o;
	struct layout_buffer buffer;
	int nr;

	memcpy(&buffer, at, sizeof(buffer));
	if (buffer.page_size < TRACE_MIN_PAGE_SIZE || buffer.page_size > o->align ||
	    buffer.section < HEADER_BYTES)
		return set_damaged(p, HEADER_BYTES, "the layout of a buffer is damaged", err);
	nr = output_buffer(o, "", "", buffer.page_size);
	o->buffers[nr].section = buffer.section;
	return 0;
}

static int read_layout_stream(struct interrupted_part *p, const char *at, struct ft_error *err)
{
	struct output_file *o = p->o;
	struct layout_stream stream;
	struct output_stream *s;

	memcpy(&stream, at, sizeof(stream));
	if (stream.buffer >= o->layout.nr_buffers || stream.size > stream.room ||
	    stream.start > stream.size || stream.cpu >= TRACE_MAX_CPUS || stream.base % o->align ||
	    stream.room > INT64_MAX / 2 || stream.base > INT64_MAX / 2 ||
	    stream.start % o->buffers[stream.buffer].page_size ||
	    stream.size % o->buffers[stream.buffer].page_size)
		return set_damaged(p, HEADER_BYTES, "the layout of a CPU is damaged", err);
	s = output_stream(o, (int)stream.buffer, (int)stream.cpu);
	s->base = stream.base;
	s->room = stream.room;
	s->start = stream.start;
	s->size = stream.size;
	return 0;
}

/* What stands at the front of the layout is right, and its length is what that says. */
static int check_layout(const struct interrupted_part *p, size_t len, struct ft_error *err)
{
	const struct output_file *o = p->o;
	size_t need = sizeof(o->layout) +
		      (size_t)o->layout.nr_buffers * sizeof(struct layout_buffer) +
		      (size_t)o->layout.nr_streams * sizeof(struct layout_stream),
	       timed = need + o->layout.nr_streams * sizeof(uint64_t);

	/* the times up to which all was read may stand behind it, and lines about tasks */
	if ((len != need && len != timed && len != timed + sizeof(o->tasks)) || !o->align ||
	    o->align & (o->align - 1) || o->align > TRACE_MAX_PAGE_SIZE || !o->layout.nr_buffers ||
	    o->layout.nr_buffers > TRACE_MAX_BUFFERS || o->layout.nr_streams > TRACE_MAX_STREAMS ||
	    o->layout.phase > LAYOUT_DONE || o->layout.spooled > 1)
		return set_damaged(p, HEADER_BYTES, o->align ? "the layout is damaged" : NOT_BEGUN,
				   err);
	return 0;
}

static int read_layout(struct interrupted_part *p, struct ft_error *err)
{
	struct output_file *o = p->o;
	struct text t = { 0 };
	const char *at = NULL;
	int ret;

	ret = read_section(p, TRACE_SECTION_PRIVATE, HEADER_BYTES, MAX_LAYOUT, &t, err);
	if (!ret && (t.len < sizeof(o->layout) || memcmp(t.data, LAYOUT_MAGIC, 8)))
		ret = set_damaged(p, HEADER_BYTES, "not an interrupted recording", err);
	if (!ret) {
		memcpy(&o->layout, t.data, sizeof(o->layout));
		o->align = o->layout.align;
		at = t.data + sizeof(o->layout);
		ret = check_layout(p, t.len, err);
	}
	for (uint32_t i = 0; !ret && i < o->layout.nr_buffers;
	     i++, at += sizeof(struct layout_buffer))
		ret = read_layout_buffer(p, at, err);
	for (uint32_t i = 0; !ret && i < o->layout.nr_streams;
	     i++, at += sizeof(struct layout_stream))
		ret = read_layout_stream(p, at, err);
	if (!ret) {
		at += o->layout.nr_streams * sizeof(uint64_t);
		if (t.data + t.len == at + sizeof(o->tasks))
			memcpy(&o->tasks, at, sizeof(o->tasks));
	}
	text_fini(&t);
	return ret;
}

/*
 * What the end of a recording puts into our section: a note that the rest of it is missing, and who
 * the tasks were, as far as the recorder had told it.
 */
static void add_private(struct interrupted_part *p)
{
	struct output_file *o = p->o;
	struct text *private = &o->texts[TRACE_TEXT_PRIVATE];
	struct ft_error ignored;
	uint64_t size = o->tasks.size;
	size_t len;

	/* only packing failed: the section is there, and an option says where */
	for (size_t i = 0; i < o->nr_options; i++)
		if (o->options[i].id == TRACE_SECTION_PRIVATE)
			return;
	text_add(private, TRACE_PRIVATE_MAGIC "note " INTERRUPTED "\nsaved_tgids 0\n");
	if (!o->tasks.at || !size || size > LAYOUT_TASKS_BYTES || o->tasks.at > p->size ||
	    size > p->size - o->tasks.at)
		return;
	len = private->len;
	text_printf(private, "tasks %" PRIu64 "\n", size);
	text_reserve(private, size);
	if (read_at(p, private->data + private->len, size, o->tasks.at, &ignored))
	private->len = len;
	else private->len += size;
}

/* A BUFFER option's name and clock: u64 section, then two strings. */
static bool take_buffer_names(struct output_buffer *buffer, const char *data, uint32_t size)
{
	const char *name = data + 8, *end = data + size;
	const char *clock = size > 8 ? memchr(name, 0, end - name) : NULL;

	if (!clock || !memchr(clock + 1, 0, end - clock - 1))
		return false;
	free(buffer->name);
	free(buffer->clock);
	buffer->name = mem_strdup(name);
	buffer->clock = mem_strdup(clock + 1);
	return true;
}

static int read_options(struct interrupted_part *p, struct ft_error *err)
{
	struct output_file *o = p->o;
	struct text t = { 0 };
	size_t buffer = 0;
	int ret;

	if (!o->layout.recording_options)	/* they are written after the first layout */
		return set_damaged(p, HEADER_BYTES, NOT_BEGUN, err);
	ret = read_section(p, TRACE_OPTION_DONE, o->layout.recording_options, MAX_SECTION, &t, err);
	o->pos = o->layout.recording_options + TRACE_SECTION_HEADER_BYTES + t.len;
	for (size_t at = 0; !ret && at + 6 <= t.len;) {
		uint16_t id;
		uint32_t size;

		memcpy(&id, t.data + at, 2);
		memcpy(&size, t.data + at + 2, 4);
		at += 6;
		if (size > t.len - at ||
		    (id == TRACE_OPTION_BUFFER &&
		     (buffer >= o->nr_buffers ||
		      !take_buffer_names(&o->buffers[buffer++], t.data + at, size)))) {
			ret = set_damaged(p, o->layout.recording_options + at,
					  "an option is damaged", err);
			break;
		}
		if (id == TRACE_OPTION_DONE)
			break;
		if (id != TRACE_OPTION_BUFFER)
			output_option(o, id, t.data + at, size);
		at += size;
	}
	text_fini(&t);
	return ret;
}

/* --- sub-buffers after the recorded size ------------------------------------------------------ */

/*
 * Check a sub-buffer's header: u64 time, then the word with the bytes in use.  A hole reads as
 * zeros.
 */
static bool is_sub_buffer(const struct output_stream *s, uint64_t at, uint64_t *last)
{
	struct {
		uint64_t      ts;
		unsigned long commit;
	} header;
	unsigned long used;

	if (pread(s->fd, &header, sizeof(header), (off_t)(s->base + at)) != (ssize_t)sizeof(header))
		return false;
	used = header.commit & TRACE_COMMIT_MASK;
	if (!header.ts || header.ts < *last || !used || used > s->page_size - 8)
		return false;
	*last = header.ts;
	return true;
}

/*
 * The bytes from @at to the end of its extent if the file system can tell; else to the region's
 * end.
 */
static uint64_t written_bytes(const struct output_stream *s, uint64_t at)
{
	off_t hole = lseek(s->fd, (off_t)(s->base + at), SEEK_HOLE);

	if (hole < 0 || (uint64_t)hole > s->base + s->room)
		return hole < 0 ? s->size : s->room;
	return (uint64_t)hole - s->base;
}

/* Holes, and data that never reached the disk, read as zeros; no sub-buffer begins with zeros. */
static bool is_there(const struct output_stream *s, uint64_t at)
{
	struct {
		uint64_t ts, commit;
	} header;

	return pread(s->fd, &header, sizeof(header), (off_t)(s->base + at)) ==
		       (ssize_t)sizeof(header) &&
	       (header.ts || header.commit);
}

/*
 * A size that exceeds the data: it is damaged, or the machine crashed before the data reached the
 * disk.
 */
static void leave_out_what_is_not_there(struct output_stream *s, uint64_t file_bytes)
{
	uint64_t end = file_bytes > s->base ? file_bytes - s->base : 0;

	if (s->size <= s->start || (s->size <= end && is_there(s, s->size - s->page_size)))
		return;
	if (s->start < end) {
		uint64_t written = written_bytes(s, s->start);

		end = written < end ? written : end;
	}
	end -= end % s->page_size;
	s->size = end < s->size ? end : s->size;
	while (s->size > s->start && !is_there(s, s->size - s->page_size))
		s->size -= s->page_size;
	if (s->size < s->start)
		s->size = s->start = 0;
}

static void take_in_the_rest(struct output_stream *s)
{
	uint64_t end, last = 0;
	struct stat st;

	if (fstat(s->fd, &st))
		return;
	leave_out_what_is_not_there(s, (uint64_t)st.st_size);
	if (s->base + s->size >= (uint64_t)st.st_size)
		return;
	if (s->size > s->start && !is_sub_buffer(s, s->size - s->page_size, &last))
		return;
	for (end = written_bytes(s, s->size);
	     s->size + s->page_size <= end && is_sub_buffer(s, s->size, &last);)
		s->size += s->page_size;
}

/*
 * Do not disturb a recorder that still writes it.  When one has died, its watcher has the lock
 * until it has appended what was in the ring buffers.
 */
static bool lock_part(int fd)
{
	for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += LOCK_LOOK_MS) {
		if (errno != EWOULDBLOCK || waited >= LOCK_WAIT_MS)
			return false;
		poll(NULL, 0, LOCK_LOOK_MS);
	}
	return true;
}

/* Take over @fd, which is @part's; or, if it is -1, open it. */
static int open_part(struct interrupted_part *p, const char *part, int fd, struct invoker *who,
		     struct ft_error *err)
{
	struct output_file *o = p->o = output_alloc();
	char magic[TRACE_MAGIC_LEN + 2];
	struct stat st;
	int ret;

	o->part = mem_strdup(part);
	o->path = mem_strdup(part);
	o->fd = fd;
	o->who = who;
	if (who && invoker_enter(who, err))
		return -1;
	ret = file_place_open(&o->place, part, 0, err);
	if (!ret && fd < 0)
		o->fd = output_open(o, part, O_RDWR, 0);
	if (who)
		invoker_leave(who);
	if (ret)
		return -1;
	if (o->fd < 0 || fstat(o->fd, &st))
		return ft_error_errno(err, errno, -1, "%s: cannot open", part);
	p->size = (uint64_t)st.st_size;
	if (!S_ISREG(st.st_mode) || read_at(p, magic, sizeof(magic), 0, err) ||
	    memcmp(magic, TRACE_MAGIC "7", sizeof(magic)))
		return set_damaged(p, 0, "not an interrupted recording", err);
	if (!lock_part(o->fd))
		return ft_error_set(err, FT_E_IO, -1, "%s: a recorder is still writing it", part);
	return 0;
}

/* --- sub-buffers that are still in the kernel ------------------------------------------------- */

#define SALVAGE_BYTES	(4ull << 30)	/* for all CPUs; one may be filled as fast as it is read */

static int salvage_stream(struct output_file *o, struct output_stream *s, int raw, uint64_t *bytes,
			  struct ft_error *err)
{
	struct {
		uint64_t      ts;
		unsigned long commit;
	} *header = mem_array(s->page_size, 1);
	bool first = true;
	int ret = 0;

	while (!ret && s->size < s->room && *bytes < SALVAGE_BYTES) {
		ssize_t got = read(raw, header, s->page_size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < (ssize_t)sizeof(*header))
			break;
		memset((char *)header + got, 0, s->page_size - (size_t)got);
		header->commit |= first ? TRACE_COMMIT_LOST : 0;
		first = false;
		ret = output_stream_append(o, s, header, s->page_size, err);
		*bytes += ret ? 0 : s->page_size;
	}
	free(header);
	return ret;
}

int output_salvage(const char *part, int fd, struct invoker *who,
		   int (*open_raw)(void *arg, const char *buffer, int cpu), void *arg,
		   uint64_t *bytes, struct ft_error *err)
{
	struct interrupted_part p = { 0 };
	int ret = open_part(&p, part, fd, who, err);

	if (!ret)
		ret = read_layout(&p, err) || read_options(&p, err) ||
		      (p.o->layout.spooled && output_spool_open(p.o, err));
	for (size_t i = 0; !ret && p.o->layout.phase == LAYOUT_RECORDING && i < p.o->nr_streams;
	     i++) {
		struct output_stream *s = p.o->streams[i];
		int raw = open_raw(arg, p.o->buffers[s->buffer].name, s->cpu);

		if (raw < 0)
			continue;
		take_in_the_rest(s);
		ret = salvage_stream(p.o, s, raw, bytes, err);
		close(raw);
	}
	output_free(p.o);
	return ret ? -1 : 0;
}

/* --- the whole -------------------------------------------------------------------------------- */

static int finish_part(struct interrupted_part *p, struct ft_error *err)
{
	struct output_file *o = p->o;

	if (read_layout(p, err) || read_options(p, err) ||
	    (o->layout.spooled && output_spool_open(o, err)))
		return -1;
	if (o->layout.phase == LAYOUT_RECORDING) {
		for (size_t i = 0; i < o->nr_streams; i++)
			take_in_the_rest(o->streams[i]);
		add_private(p);
		if (!o->layout.spooled)
			o->head_end = o->buffers[0].section + TRACE_SECTION_HEADER_BYTES - o->align;
		if (output_mark_dropped(o, err) || output_write_final_head(o, err))
			return -1;
	}
	return o->layout.phase == LAYOUT_CLOSING ? output_close_file(o, err) : 0;
}

int output_recover(const char *part, struct output_recovered *done, struct ft_error *err)
{
	struct interrupted_part p = { 0 };
	int ret = open_part(&p, part, -1, NULL, err);

	if (!ret)
		ret = finish_part(&p, err);
	if (!ret)
		*done = (struct output_recovered){ .bytes = output_bytes(p.o),
						   .spooled = p.o->layout.spooled };
	output_free(p.o);
	return ret;
}

/* What was copied from a CPU's file was cut off there. */
static void remove_emptied(void *arg, int folder, const char *name)
{
	struct stat st;

	(void)arg;
	if (!fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && !st.st_size)
		unlinkat(folder, name, 0);
}

int output_recover_name(const char *part, const char *path, bool spooled, struct ft_error *err)
{
	struct file_place from, to;
	struct text packing = { 0 };
	int ret;

	if (file_place_open(&from, part, 0, err))
		return -1;
	if (file_place_open(&to, path, 0, err)) {
		file_place_close(&from);
		return -1;
	}
	/*
	 * a recorder that was killed while packing leaves half of a second file, which holds
	 * nothing new
	 */
	output_name_add(OUTPUT_PACKING, from.name, 0, &packing);
	output_name_remove(from.folder, text_str(&packing), OUTPUT_TRACE_HEAD);
	text_fini(&packing);
	ret = output_name_give(from.folder, from.name, to.folder, to.name, NULL, err);
	if (!ret && spooled)
		output_spool_each(from.folder, from.name, remove_emptied, NULL);
	file_place_close(&from);
	file_place_close(&to);
	return ret;
}
