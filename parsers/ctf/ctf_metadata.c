/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/ctf/ctf_metadata.h"

#include <babeltrace2/babeltrace.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parsers/io/byte_reader.h"

#define MAGIC		0x75d11d57u
#define HEAD_BYTES	37u		/* of a packet, before its text */

/* The header of a packet; its sizes are in bits. */
enum { CONTENT_AT = 24, PACKET_AT = 28, VERSION_AT = 35 };

#define RECORD_SEPARATOR	0x1e	/* before each part of CTF 2, which is JSON */

/* Return: as ctf_metadata_check(). */
static bool check_packets(int fd, uint64_t size, const char *name, struct text *damage)
{
	uint8_t head[HEAD_BYTES] = { 0 };
	bool swap = false;

	for (uint64_t at = 0; at < size;) {
		ssize_t got = pread(fd, head, sizeof(head), (off_t)at);
		uint32_t content, packet;

		if (!at && load_u32(head, swap) != MAGIC)
			swap = true;
		if (!at && load_u32(head, swap) != MAGIC)
			return true;
		if (got < (ssize_t)HEAD_BYTES) {	/* which is the end of it, then */
			text_printf(damage,
				    "%s is cut at byte %" PRIu64 ", in the header of a packet",
				    name, size);
			return at > 0;
		}
		content = load_u32(head + CONTENT_AT, swap);
		packet = load_u32(head + PACKET_AT, swap);
		if (content / 8 < HEAD_BYTES || packet < content) {
			text_printf(damage,
				    "%s: byte %" PRIu64 ": a packet of %u bytes holds %u, "
				    "at least %u are allowed",
				    name, at, packet / 8, content / 8, HEAD_BYTES);
			return false;
		}
		if (packet / 8 > size - at)
			text_printf(damage,
				    "%s is cut at byte %" PRIu64 ": the packet at byte %" PRIu64
				    " ends at byte %" PRIu64,
				    name, size, at, at + packet / 8);
		if (content / 8 > size - at)
			return false;
		at += content / 8 + (packet - content) / 8;	/* as libbabeltrace2 rounds */
	}
	return true;
}

/* CTF 2 that the library at hand does not know yet: CTF2-SPEC-2.0, 5. */
static bool is_too_new(int fd)
{
	uint8_t head[HEAD_BYTES] = { 0 };
	bool is_packet;

	if (pread(fd, head, sizeof(head), 0) <= 0)
		return false;
	is_packet = load_u32(head, false) == MAGIC || load_u32(head, true) == MAGIC;
	return (is_packet ? head[VERSION_AT] == 2 : *head == RECORD_SEPARATOR) &&
	       bt_version_get_major() == 2 && bt_version_get_minor() < 1;
}

bool ctf_metadata_check(const char *folder, struct text *damage)
{
	struct text name = { 0 };
	bool is_good = true;
	struct stat st;
	int fd;

	text_printf(&name, "%s/metadata", folder);
	fd = open(text_str(&name), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && is_too_new(fd)) {
		text_printf(damage,
			    "%s is of CTF 2, which libbabeltrace2 reads since version 2.1; "
			    "here it is version %u.%u.%u",
			    text_str(&name) + strlen("./"), bt_version_get_major(),
			    bt_version_get_minor(), bt_version_get_patch());
		is_good = false;
	} else if (fd >= 0 && !fstat(fd, &st)) {
		is_good = check_packets(fd, (uint64_t)st.st_size, text_str(&name) + strlen("./"),
					damage);
	}
	if (fd >= 0)
		close(fd);
	text_fini(&name);
	return is_good;
}
