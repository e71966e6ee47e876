/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perfetto/perfetto_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/read_at.h"
#include "parsers/perfetto/perfetto_numbers.h"
#include "src/base/memory.h"

#define BUFFER_BYTES	(256u << 10)
#define HEADER_BYTES	11u		/* a tag and the longest length */
#define CHAIN		3u		/* packets that follow one another tell where they begin */
#define MAX_NUMBER	1024u		/* room for packets of later versions */
#define TAG		(TRACE_PACKET << 3 | PROTO_BYTES)

/* --- what a packet looks like --------------------------------------------------------------- */

/* Where the packet is that begins at @bytes.  False: none begins there. */
static bool read_header(const uint8_t *bytes, uint64_t len, uint64_t *header, uint64_t *size)
{
	struct proto_reader r = proto_reader(bytes + 1, len - 1);

	if (!len || *bytes != TAG || !proto_take(&r, size) || *size > PERFETTO_MAX_PACKET)
		return false;
	*header = (uint64_t)(r.at - bytes);
	return true;
}

/* What is a number in a packet; all else is a message or text. */
static bool is_number(uint32_t number)
{
	static const uint8_t numbers[] = { 3,
					   PACKET_TIMESTAMP,
					   PACKET_SEQUENCE,
					   PACKET_FLAGS,
					   PACKET_CLEARED,
					   PACKET_DROPPED,
					   PACKET_CLOCK,
					   79,
					   87,
					   98 };

	return number <= UINT8_MAX && memchr(numbers, (int)number, sizeof(numbers));
}

/* Has a packet what packets have?  @len: bytes of it that are there. */
static bool is_packet(const uint8_t *bytes, uint64_t len, uint64_t size)
{
	struct proto_reader r = proto_reader(bytes, len);
	struct proto_field f;
	uint64_t tag;

	while (proto_next(&r, &f))
		if (f.number > MAX_NUMBER ||
		    f.kind != (is_number(f.number) ? PROTO_VARINT : PROTO_BYTES))
			return false;
	if (len == size)
		return size && !r.failed;
	/* its last field is not there as a whole */
	return (size_t)(r.end - r.at) < HEADER_BYTES ||
	       (proto_take(&r, &tag) && tag >> 3 <= MAX_NUMBER && (tag & 7) == PROTO_BYTES &&
		!is_number((uint32_t)(tag >> 3)));
}

/* Do so many packets follow one another, up to the end of what is there?  @is_end: of the file. */
static bool is_chain(const uint8_t *bytes, uint64_t left, unsigned int nr, bool is_end)
{
	uint64_t header, size;

	for (unsigned int i = 0; i < nr; i++) {
		if (!left)
			return i;
		if (!read_header(bytes, left, &header, &size))
			return i && !is_end && left < HEADER_BYTES;
		if (size > left - header)
			return !is_end && is_packet(bytes + header, left - header, size);
		if (!is_packet(bytes + header, size, size))
			return false;
		bytes += header + size;
		left -= header + size;
	}
	return true;
}

bool perfetto_file_is_it(const uint8_t *head, size_t len)
{
	return len > 2 && is_chain(head, len, 1, false);
}

/* --- reading -------------------------------------------------------------------------------- */

void perfetto_file_init(struct perfetto_file *file, int fd, uint64_t size)
{
	*file = (struct perfetto_file){ .fd = fd, .end = size, .cap = BUFFER_BYTES,
					.damaged_at = UINT64_MAX,
					.buffer = mem_array(1, BUFFER_BYTES) };
}

void perfetto_file_fini(struct perfetto_file *file)
{
	free(file->buffer);
	file->buffer = NULL;
}

/* Bytes at pos that are in the buffer, at least @wanted unless the file ends. */
static uint64_t load(struct perfetto_file *file, uint64_t wanted)
{
	uint64_t left = file->loaded + file->len - file->pos, more = file->end - file->pos - left;
	int64_t got;

	if (left >= wanted || !more)
		return left;
	memmove(file->buffer, file->buffer + file->len - left, left);
	file->loaded = file->pos;
	file->len = left;
	while (file->cap < wanted)
		file->cap *= 2;
	file->buffer = mem_resize(file->buffer, file->cap, 1);
	if (more > file->cap - left)
		more = file->cap - left;
	got = read_at(file->fd, file->buffer + left, more, file->pos + left);
	if (got < 0)
		file->errnum = errno;
	else
		file->len += (uint64_t)got;
	if (got < (int64_t)more)		/* it has become shorter */
		file->end = file->pos + file->len;
	return file->len;
}

static const uint8_t *at_pos(const struct perfetto_file *file)
{
	return file->buffer + (file->pos - file->loaded);
}

/* Go on where packets follow one another. */
static bool resync(struct perfetto_file *file)
{
	if (file->damaged_at == UINT64_MAX)
		file->damaged_at = file->pos;
	for (file->pos++; file->pos < file->end; file->pos++) {
		uint64_t left = load(file, BUFFER_BYTES / 2);
		const uint8_t *at = at_pos(file), *next = left ? memchr(at, TAG, left) : NULL;

		if (!next) {
			file->pos += left ? left - 1 : 0;
			continue;
		}
		file->pos += (uint64_t)(next - at);
		left -= (uint64_t)(next - at);
		if (is_chain(next, left, CHAIN, file->pos + left == file->end))
			return true;
	}
	return false;
}

void perfetto_file_go(struct perfetto_file *file, uint64_t pos)
{
	file->pos = file->loaded = pos;
	file->len = 0;
}

bool perfetto_file_look(const struct perfetto_file *file, uint8_t *bytes,
			struct proto_reader *packet, uint64_t *end)
{
	int64_t got = file->pos < file->end ? read_at(file->fd, bytes, PERFETTO_LOOK, file->pos) :
					      0;
	uint64_t header, size, left;

	if (got <= 0 || !read_header(bytes, (uint64_t)got, &header, &size) ||
	    header + size > file->end - file->pos)
		return false;
	left = (uint64_t)got - header;
	*packet = proto_reader(bytes + header, size < left ? size : left);
	*end = file->pos + header + size;
	return true;
}

void perfetto_file_seek(struct perfetto_file *file, uint64_t pos)
{
	perfetto_file_go(file, pos);
	file->pos--;			/* resync() begins after it */
	resync(file);
	file->damaged_at = UINT64_MAX;
}

bool perfetto_file_next(struct perfetto_file *file, struct proto_reader *packet, uint64_t *offset)
{
	uint64_t header, size;

	while (file->pos < file->end) {
		uint64_t left = load(file, HEADER_BYTES);

		if (read_header(at_pos(file), left, &header, &size) &&
		    size <= file->end - file->pos - header &&
		    load(file, header + size) >= header + size) {
			*packet = proto_reader(at_pos(file) + header, size);
			*offset = file->pos;
			file->pos += header + size;
			return true;
		}
		if (!resync(file))
			break;
	}
	return false;
}
