/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/io/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/io/archive_decoder.h"
#include "parsers/io/archive_member.h"
#include "parsers/io/input.h"
#include "parsers/io/read_at.h"
#include "parsers/io/temporary.h"
#include "parsers/io/trace_format.h"
#include "src/base/inside.h"
#include "src/base/memory.h"

#define BLOCK		((size_t)1 << 20)
#define STEP		((size_t)16 << 10)	/* bytes of the archive between two offsets */
#define TELL_BYTES	((uint64_t)16 << 20)	/* unpacked between two reports of progress */
#define HEAD_BYTES	16u		/* that tell whether it is a trace */

/* --- what a file is --------------------------------------------------------------------------- */

static const struct {
	const char	*bytes;
	unsigned int	 len;
	const char	*what;
} foreign[] = {
	{ "\177ELF", 4, "a program" },
	{ "PK\3\4", 4, "a zip archive" },
	{ "BZh", 3, "compressed with bzip2; bunzip2 it first" },
	{ "\x28\xb5\x2f\xfd", 4, "compressed with zstd" },
	{ "\x1f\x8b", 2, "compressed with gzip" },
	{ "\xfd" "7zXZ", 6, "compressed with xz" },
};

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* "  ffffffff81399b09 try_to_wake_up", "[unknown]": an address and a name, behind a blank */
static bool has_address(const char *line)
{
	for (const char *at = line; (at = strpbrk(at, " \t\n")) && *at != '\n';) {
		size_t digits = strspn(++at, "0123456789abcdef");

		if (digits >= 12 && at[digits] == ' ' && strspn(at + digits + 1, "_[" LETTERS))
			return true;
	}
	return false;
}

/*
 * "swapper     0 [001]     5.000010: sched:sched_switch: …", "… cpu/mem-loads/pp:"; or a count and
 * an event; or an address, as perf script -F chooses the columns
 */
static bool is_perf_script(const uint8_t *bytes, uint64_t len)
{
	char head[512] = "", name[13];

	memcpy(head, bytes, len < sizeof(head) ? len : sizeof(head) - 1);
	for (const char *at = head; (at = strchr(at, '.')); at++)
		if (sscanf(at, ".%*u: %*[a-z0-9_]:%1[a-z]", name) == 1 ||
		    sscanf(at, ".%*u: %*[a-z0-9_]%1[/]", name) == 1 ||
		    sscanf(at, ".%*u: %*u %1[a-z]", name) == 1 ||
		    (sscanf(at, ".%*u: %12[0-9a-f]", name) == 1 && strlen(name) == 12))
			return true;
	return has_address(head);
}

const char *archive_foreign(const uint8_t *bytes, uint64_t len)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (len >= foreign[i].len && !memcmp(bytes, foreign[i].bytes, foreign[i].len))
			return foreign[i].what;
	return is_perf_script(bytes, len) ? "the text of perf script: open the perf.data itself" :
					    NULL;
}

/* @start: set to where the archive begins */
static enum archive_kind kind_of(int fd, size_t *start)
{
	uint8_t head[ARCHIVE_HEAD] = { 0 };
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || read_at(fd, head, sizeof(head), 0) < 8)
		return ARCHIVE_NONE;
	return archive_decoder_kind(head, start);
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? inside_open(path) : fd;
}

/* Files that were opened with privileges that this process has given up. */
static struct {
	char	*path;		/* owned */
	dev_t	 dev;
	ino_t	 ino;
	int	 fd;
} *ahead;
static size_t nr_ahead, cap_ahead;

int archive_open_ahead(const char *path)
{
	int fd = open_file(path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return fd;
	mem_grow(&ahead, nr_ahead, &cap_ahead);
	ahead[nr_ahead].path = mem_strdup(path);
	ahead[nr_ahead].dev = st.st_dev;
	ahead[nr_ahead].ino = st.st_ino;
	ahead[nr_ahead++].fd = fd;
	return fd;
}

/*
 * A file may be opened several times; meanwhile, another one may have got its name.  In a folder
 * that is closed to this process, the name must do.
 */
static int take_opened(const char *path)
{
	struct stat st;
	bool is_closed;
	size_t i = 0;

	if (!strcmp(path, INPUT_PATH))
		return input_open();
	is_closed = stat(path, &st) != 0;
	if (is_closed && errno != EACCES)
		return open_file(path);
	while (i < nr_ahead && (is_closed ? strcmp(ahead[i].path, path) != 0 :
					    ahead[i].dev != st.st_dev || ahead[i].ino != st.st_ino))
		i++;
	return i < nr_ahead ? fcntl(ahead[i].fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) :
			      open_file(path);
}

bool archive_is_at(const char *path)
{
	int fd = take_opened(path);
	size_t start;
	bool is_needed = fd >= 0 && kind_of(fd, &start) != ARCHIVE_NONE;

	if (fd >= 0)
		close(fd);
	return is_needed;
}

/* --- unpacking -------------------------------------------------------------------------------- */

struct unpacking {
	const char	*path;
	const struct open_progress *progress;
	int		 in;
	struct temporary out;
	struct archive_decoder *decoder;
	const struct archive_member *member;
	enum archive_kind kind;		/* the member's */
	const char	*name;		/* of the archive's kind */
	uint64_t	 size;		/* bytes of the archive, up to where it is unpacked */
	uint64_t	 read, written, told, room;
	uint32_t	 crc;		/* of what was written */
	uint8_t		*from, *to;	/* owned, BLOCK each */
	uint8_t		 head[ARCHIVE_HEAD];	/* [nr_head], the first bytes of the contents */
	size_t		 nr_head;
	bool		 is_checked;	/* these are a trace's, a text's or a tar archive's */
};

static int too_large(const struct unpacking *u, struct ft_error *err)
{
	return ft_error_set(err, FT_E_LIMIT, (int64_t)u->read,
			    "it unpacks to more than the %.1f MB that may be used in %s; "
			    "TMPDIR can name another folder",
			    (double)u->room / 1e6, temporary_folder(&u->out));
}

static int write_out(struct unpacking *u, size_t len, struct ft_error *err)
{
	size_t done = 0;

	if (len > u->room - u->written)
		return too_large(u, err);
	while (done < len) {
		ssize_t n = write(u->out.fd, u->to + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ft_error_set(err, FT_E_IO, (int64_t)u->read,
					    "unpacking it to %s, after %" PRIu64
					    " MB: %s; TMPDIR can name another folder",
					    temporary_folder(&u->out), u->written / 1000000,
					    strerror(errno));
		done += (size_t)n;
	}
	if (u->member->has_crc)
		u->crc = archive_decoder_crc(u->crc, u->to, len);
	u->written += len;
	return 0;
}

bool archive_is_text(const uint8_t *bytes, size_t len)
{
	while (len && ((bytes[len - 1] >= ' ' && bytes[len - 1] != 0x7f) ||
		       bytes[len - 1] == '\t' || bytes[len - 1] == '\n'))
		len--;
	return !len;
}

#define PERFETTO_PACKET	0x0a		/* a trace of Perfetto has only packets, which begin so */

bool archive_has_magic(const uint8_t *bytes, size_t len)
{
	size_t of_perf = len < PERF_MAGIC_LEN ? len : PERF_MAGIC_LEN;

	return !memcmp(bytes, TRACE_MAGIC, len < TRACE_MAGIC_LEN ? len : TRACE_MAGIC_LEN) ||
	       !memcmp(bytes, PERF_MAGIC, of_perf) || !memcmp(bytes, PERF_MAGIC_OLD, of_perf) ||
	       !memcmp(bytes, PERF_MAGIC_SWAPPED, of_perf);
}

bool archive_is_trace(const uint8_t *bytes, size_t len)
{
	return archive_has_magic(bytes, len) || (len && *bytes == PERFETTO_PACKET);
}

/*
 * Nothing but a trace, a text or a tar archive is unpacked.  The first bytes may come one by one.
 * @ended: there are no more
 */
static int check_head(struct unpacking *u, size_t len, bool ended, struct ft_error *err)
{
	size_t start, nr;
	const char *what;

	if (u->is_checked)
		return 0;
	if (len > sizeof(u->head) - u->nr_head)
		len = sizeof(u->head) - u->nr_head;
	memcpy(u->head + u->nr_head, u->to, len);
	u->nr_head += len;
	nr = u->nr_head < HEAD_BYTES ? u->nr_head : HEAD_BYTES;
	what = archive_foreign(u->head, nr);
	u->is_checked = (nr >= TRACE_MAGIC_LEN || ended) &&
			(archive_is_trace(u->head, nr) || (!what && archive_is_text(u->head, nr)));
	if (u->nr_head == sizeof(u->head))
		u->is_checked |= archive_decoder_kind(u->head, &start) == ARCHIVE_TAR;
	if (u->is_checked || (!what && !ended && u->nr_head < sizeof(u->head)))
		return 0;
	return ft_error_set(err, FT_E_FORMAT, -1,
			    "packed with %s, but what is in it is no trace%s%s", u->name,
			    what ? ": it is " : "", what ? what : "");
}

static void tell(struct unpacking *u)
{
	if (u->written - u->told < TELL_BYTES)
		return;
	u->told = u->written;
	open_progress_tell(u->progress, u->path, u->read, u->size);
}

/* Decode a block of the archive.  The next block begins after the bytes that were used. */
static int decode_block(struct unpacking *u, size_t len, bool *ended, struct ft_error *err)
{
	bool is_last = u->read + len >= u->size;
	size_t at = 0, made = 0;

	while (at < len || made == BLOCK) {
		size_t taken = len - at < STEP ? len - at : STEP;
		const char *wrong;

		if (*ended && taken && taken < HEAD_BYTES && !is_last)
			break;		/* too little to see whether another one follows */
		if (*ended && taken && !archive_decoder_again(u->decoder, u->from + at, taken)) {
			at = len;	/* what follows is no archive: ignored, as gzip does */
			break;
		}
		made = BLOCK;
		wrong = archive_decoder_step(u->decoder, u->from + at, &taken, u->to, &made, ended);
		at += taken;
		if (!wrong && !taken && !made && at < len)
			wrong = "invalid data";
		if (wrong)
			return ft_error_set(err, FT_E_FORMAT, (int64_t)(u->read + at),
					    "the %s archive is damaged: %s", u->name, wrong);
		if (made && (check_head(u, made, false, err) || write_out(u, made, err)))
			return -1;
		tell(u);
	}
	u->read += at;
	return 0;
}

static int archive_all(struct unpacking *u, struct ft_error *err)
{
	bool ended = false;

	for (;;) {
		uint64_t left = u->size - u->read;
		int64_t got = read_at(u->in, u->from, left < BLOCK ? left : BLOCK, u->read);

		if (got < 0)
			return ft_error_errno(err, errno, (int64_t)u->read, "cannot read");
		if (!got)
			break;
		if (decode_block(u, (size_t)got, &ended, err))
			return -1;
	}
	if (!ended && u->kind >= ARCHIVE_ATRACE)
		return ft_error_set(err, FT_E_FORMAT, (int64_t)u->read,
				    "the %s archive is damaged: it ends early", u->name);
	if (!ended)
		return ft_error_set(err, FT_E_FORMAT, (int64_t)u->read,
				    "the %s archive is damaged: it ends early; what %s -dc still "
				    "writes can be opened",
				    archive_decoder_name(u->kind), archive_decoder_name(u->kind));
	if (!u->written)
		return ft_error_set(err, FT_E_FORMAT, -1, "compressed with %s, and empty", u->name);
	return check_head(u, 0, true, err);
}

static int unpack(struct unpacking *u, struct ft_error *err)
{
	int ret;

	u->decoder = archive_decoder_new(u->kind);
	if (!u->decoder)
		return ft_error_set(
			err, FT_E_UNSUPPORTED, -1,
			"packed with %s, which this build cannot unpack: unpack it first", u->name);
	u->out = temporary_take();
	if (u->out.fd < 0) {
		ret = ft_error_errno(err, errno, -1, "no temporary file to unpack it to");
	} else {
		u->room = temporary_room(&u->out);
		u->from = mem_array(1, BLOCK);
		u->to = mem_array(1, BLOCK);
		ret = archive_all(u, err);
		if (!ret && u->member->has_crc && u->crc != u->member->crc)
			ret = ft_error_set(err, FT_E_FORMAT, (int64_t)u->read,
					   "the %s archive is damaged: the checksum is another one",
					   u->name);
	}
	if (u->told)
		open_progress_tell(u->progress, u->path, u->size, u->size);
	archive_decoder_free(u->decoder);
	free(u->from);
	free(u->to);
	return ret;
}

/* Unpack a file that is open, if it is packed.  *fd: as that of archive_open() */
static int unwrap(const char *path, int *fd, const struct open_progress *progress,
		  struct ft_error *err)
{
	struct unpacking u = { .path = path, .progress = progress, .out = { .fd = -1 } };
	struct archive_member member = { 0 };
	struct stat st;
	size_t start;
	int ret = 0;

	u.in = *fd;
	member.kind = kind_of(u.in, &start);
	if (member.kind == ARCHIVE_NONE)
		return 0;
	u.name = archive_decoder_name(member.kind);
	member.from = start;
	member.to = fstat(u.in, &st) ? 0 : (uint64_t)st.st_size;
	if (member.kind == ARCHIVE_ZIP || member.kind == ARCHIVE_TAR)
		ret = archive_member_find(u.in, member.kind, member.to, &member, err);
	u.member = &member;
	u.kind = member.kind;
	u.read = member.from;
	u.size = member.to;
	if (!ret)
		ret = unpack(&u, err);
	close(*fd);
	if (ret && u.out.fd >= 0)
		close(u.out.fd);
	*fd = ret ? -1 : u.out.fd;
	return ret;
}

int archive_open(const char *path, int *fd, const struct open_progress *progress,
		 struct ft_error *err)
{
	size_t start;
	int ret;

	*fd = take_opened(path);
	if (*fd < 0)
		return 0;
	ret = unwrap(path, fd, progress, err);
	/* x.tar.gz */
	if (!ret && kind_of(*fd, &start) == ARCHIVE_TAR)
		ret = unwrap(path, fd, progress, err);
	return ret;
}
