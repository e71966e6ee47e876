/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/io/archive_member.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/archive.h"
#include "parsers/io/byte_reader.h"
#include "parsers/io/read_at.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define MOST_NAMED	3u		/* traces that an error names */
#define PEEK_BYTES	1024u		/* of a member, packed */
#define ZIP_END_BYTES	22u		/* of the record at the end, without its comment */
#define ZIP_ENTRY_BYTES	46u		/* of an entry of the directory, without its name */
#define ZIP_LOCAL_BYTES	30u		/* of what stands before a member, without its name */
#define ZIP_MAX_LIST	(16u << 20)	/* bytes of the directory */
#define TAR_BLOCK	512u

#ifdef HAVE_ZLIB
#define HAS_CRC		true
#else
#define HAS_CRC		false
#endif

struct member_search {
	int		 fd;
	uint64_t	 size;		/* of the archive */
	enum archive_kind kind;
	struct archive_member *found;
	unsigned int	 nr_traces, nr_files;
	unsigned int	 nr_others;	/* files that cannot be unpacked here */
	struct text	 names;		/* of traces */
};

static int damaged(const struct member_search *s, uint64_t at, const char *what,
		   struct ft_error *err)
{
	return ft_error_set(err, FT_E_FORMAT, (int64_t)at, "the %s archive is damaged: %s",
			    archive_decoder_name(s->kind), what);
}

/* --- files ------------------------------------------------------------------------------------ */

/* The first bytes of a file, unpacked.  Return: how many; 0: they cannot be unpacked. */
static size_t peek(const struct member_search *s, const struct archive_member *member,
		   uint8_t *head, size_t room)
{
	uint64_t bytes = member->to - member->from;
	struct archive_decoder *decoder = archive_decoder_new(member->kind);
	size_t taken = bytes < PEEK_BYTES ? (size_t)bytes : PEEK_BYTES;
	uint8_t packed[PEEK_BYTES];
	bool ended;

	if (!decoder || read_at(s->fd, packed, taken, member->from) != (int64_t)taken ||
	    archive_decoder_step(decoder, packed, &taken, head, &room, &ended))
		room = 0;
	archive_decoder_free(decoder);
	return room;
}

/* Many files begin as a trace of Perfetto does, which has no magic. */
static bool is_trace(const uint8_t *head, size_t len, const char *name)
{
	static const char ending[] = "trace";
	size_t nr = strlen(name), ends = sizeof(ending) - 1;

	return len && archive_is_trace(head, len) &&
	       (archive_has_magic(head, len) || (nr >= ends && !strcmp(name + nr - ends, ending)));
}

static void see_file(struct member_search *s, const struct archive_member *member, const char *name)
{
	uint8_t head[16];
	bool found = is_trace(head, peek(s, member, head, sizeof(head)), name);

	if (found && s->nr_traces++ < MOST_NAMED)
		text_printf(&s->names, "%s%s", s->nr_traces > 1 ? ", " : "", name);
	if (found || (!s->nr_traces && !s->nr_files))
		*s->found = *member;
	s->nr_files++;
}

static int choose(const struct member_search *s, struct ft_error *err)
{
	const char *name = archive_decoder_name(s->kind);

	if (s->nr_traces > 1)
		return ft_error_set(err, FT_E_FORMAT, -1,
				    "a %s archive with %u traces: unpack it, and open one or more "
				    "of them (%s%s)",
				    name, s->nr_traces, text_str(&s->names),
				    s->nr_traces > MOST_NAMED ? ", …" : "");
	if (!s->nr_traces && s->nr_others)
		return ft_error_set(err, FT_E_UNSUPPORTED, -1,
				    "a %s archive with files that are encrypted, packed in a rare "
				    "way or too large: unpack it first",
				    name);
	if (!s->nr_traces && s->nr_files != 1)
		return ft_error_set(err, FT_E_FORMAT, -1,
				    "a %s archive of %u files, none of them a trace", name,
				    s->nr_files);
	return 0;
}

/* --- zip -------------------------------------------------------------------------------------- */

/* The record at the end: where the directory is.  -1: there is none. */
static int find_list(const struct member_search *s, struct byte_reader *list, uint8_t **bytes,
		     struct ft_error *err)
{
	uint64_t nr = s->size < UINT16_MAX + ZIP_END_BYTES ? s->size : UINT16_MAX + ZIP_END_BYTES;
	uint8_t *tail = mem_array(1, nr), *end = NULL;
	uint32_t size = 0, from = 0;

	if (nr >= ZIP_END_BYTES && read_at(s->fd, tail, nr, s->size - nr) == (int64_t)nr)
		for (uint64_t at = nr - ZIP_END_BYTES + 1; at-- && !end;)
			if (!memcmp(tail + at, "PK\5\6", 4))
				end = tail + at;
	if (end) {
		size = load_u32(end + 12, HOST_BIG_ENDIAN);
		from = load_u32(end + 16, HOST_BIG_ENDIAN);
	}
	free(tail);
	if (!end)
		return damaged(s, s->size, "its end, which lists the files, is missing", err);
	if (size > ZIP_MAX_LIST || (uint64_t)from + size > s->size)
		return ft_error_set(err, FT_E_LIMIT, from,
				    "a zip archive with a list of %u bytes from byte %u on, which "
				    "cannot be read; unzip it first",
				    size, from);
	*bytes = mem_array(1, size + 1);
	if (read_at(s->fd, *bytes, size, from) != size)
		return ft_error_errno(err, errno, from, "cannot read");
	byte_reader_init(list, *bytes, size, from, HOST_BIG_ENDIAN);
	return 0;
}

/* False: it cannot be unpacked. */
static bool find_contents(const struct member_search *s, unsigned int flags, unsigned int method,
			  uint32_t bytes, uint32_t at, struct archive_member *member)
{
	uint8_t local[ZIP_LOCAL_BYTES];

	if (flags & 1 || (method != 0 && method != 8) ||
	    read_at(s->fd, local, sizeof(local), at) != sizeof(local))
		return false;
	member->kind = method ? ARCHIVE_DEFLATE : ARCHIVE_STORED;
	member->from = (uint64_t)at + sizeof(local) + load_u16(local + 26, HOST_BIG_ENDIAN) +
		       load_u16(local + 28, HOST_BIG_ENDIAN);
	member->to = member->from + bytes;
	return member->to <= s->size;
}

static int search_zip(struct member_search *s, struct ft_error *err)
{
	struct byte_reader r;
	uint8_t *list = NULL;
	int ret = find_list(s, &r, &list, err);

	while (!ret && byte_reader_left(&r) >= ZIP_ENTRY_BYTES) {
		const uint8_t *e = byte_reader_bytes(&r, ZIP_ENTRY_BYTES), *name;
		unsigned int nr = load_u16(e + 28, HOST_BIG_ENDIAN);
		struct archive_member member = { .has_crc = HAS_CRC,
						 .crc = load_u32(e + 16, HOST_BIG_ENDIAN) };
		uint32_t bytes = load_u32(e + 20, HOST_BIG_ENDIAN);
		char *copy;

		name = byte_reader_bytes(&r, nr);
		byte_reader_bytes(&r, load_u16(e + 30, HOST_BIG_ENDIAN) +
					      (uint64_t)load_u16(e + 32, HOST_BIG_ENDIAN));
		if (memcmp(e, "PK\1\2", 4) != 0 || r.failed) {
			ret = damaged(s, byte_reader_offset(&r), "its list of files ends early",
				      err);
			break;
		}
		copy = mem_strndup((const char *)name, nr);
		if (find_contents(s, load_u16(e + 8, HOST_BIG_ENDIAN),
				  load_u16(e + 10, HOST_BIG_ENDIAN), bytes,
				  load_u32(e + 42, HOST_BIG_ENDIAN), &member)) {
			if (bytes)
				see_file(s, &member, copy);
		} else {
			s->nr_others++;
		}
		free(copy);
	}
	free(list);
	return ret;
}

/* --- tar -------------------------------------------------------------------------------------- */

/* Octal digits; from 8 GiB on a number, whose first bit is set. */
static uint64_t tar_size(const uint8_t *block)
{
	char digits[13] = "";

	if (block[124] & 0x80)
		return load_u64(block + 128, !HOST_BIG_ENDIAN);
	memcpy(digits, block + 124, 12);
	return strtoull(digits, NULL, 8);
}

static int search_tar(struct member_search *s, struct ft_error *err)
{
	uint8_t block[TAR_BLOCK];
	uint64_t at = 0, bytes;

	for (; read_at(s->fd, block, TAR_BLOCK, at) == TAR_BLOCK && *block;
	     at += (bytes + TAR_BLOCK - 1) & ~(uint64_t)(TAR_BLOCK - 1)) {
		struct archive_member member = { .kind = ARCHIVE_STORED, .from = at + TAR_BLOCK };
		char name[101] = "";

		bytes = tar_size(block);
		at += TAR_BLOCK;
		if (memcmp(block + 257, "ustar", 5) != 0 || bytes > s->size - at)
			return damaged(s, at - TAR_BLOCK, "it ends early", err);
		memcpy(name, block, 100);
		member.to = at + bytes;
		if ((block[156] == '0' || !block[156]) && bytes)
			see_file(s, &member, name);
	}
	return 0;
}

int archive_member_find(int fd, enum archive_kind kind, uint64_t size, struct archive_member *found,
			struct ft_error *err)
{
	struct member_search s = { .fd = fd, .size = size, .kind = kind, .found = found };
	int ret = kind == ARCHIVE_ZIP ? search_zip(&s, err) : search_tar(&s, err);

	if (!ret)
		ret = choose(&s, err);
	text_fini(&s.names);
	return ret;
}
