/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/build_id.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define MOST_HEADERS	64u		/* of the program, that are looked at */
#define NOTE_BYTES	4096u		/* of one segment of notes */
#define MOST_ID		64u		/* bytes; usual are 20 */

#ifdef __BYTE_ORDER__
#define OUR_DATA (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB)
#endif

struct headers {			/* of the program */
	uint64_t	offset;
	unsigned int	nr, size;
	bool		is_64;
};

static bool read_head(int fd, struct headers *h)
{
	union {
		unsigned char	ident[EI_NIDENT];
		Elf32_Ehdr	narrow;
		Elf64_Ehdr	wide;
	} head;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.ident, ELFMAG, SELFMAG) != 0 || head.ident[EI_DATA] != OUR_DATA)
		return false;
	h->is_64 = head.ident[EI_CLASS] == ELFCLASS64;
	h->offset = h->is_64 ? head.wide.e_phoff : head.narrow.e_phoff;
	h->nr = h->is_64 ? head.wide.e_phnum : head.narrow.e_phnum;
	h->size = h->is_64 ? head.wide.e_phentsize : head.narrow.e_phentsize;
	if (h->nr > MOST_HEADERS)
		h->nr = MOST_HEADERS;
	return h->offset <= INT64_MAX / 2 &&
	       h->size == (h->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
}

/* Header @i is that of notes. */
static bool read_notes(int fd, const struct headers *h, unsigned int i, uint64_t *offset,
		       uint64_t *size)
{
	union {
		Elf32_Phdr	narrow;
		Elf64_Phdr	wide;
	} head;

	if (pread(fd, &head, h->size, (off_t)(h->offset + (uint64_t)i * h->size)) !=
	    (ssize_t)h->size)
		return false;
	*offset = h->is_64 ? head.wide.p_offset : head.narrow.p_offset;
	*size = h->is_64 ? head.wide.p_filesz : head.narrow.p_filesz;
	return (h->is_64 ? head.wide.p_type : head.narrow.p_type) == PT_NOTE &&
	       *offset <= INT64_MAX;
}

/* Both kinds of ELF files have notes of three 32-bit words, a name and bytes, in whole words. */
static bool find_id(const uint8_t *notes, size_t len, struct text *out)
{
	Elf64_Nhdr note;

	for (size_t at = 0; len - at >= sizeof(note);) {
		size_t name, bytes;

		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		if (note.n_namesz > len - at)
			return false;
		name = at;
		bytes = at + ((size_t)note.n_namesz + 3) / 4 * 4;
		if (bytes > len || note.n_descsz > len - bytes)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) &&
		    note.n_descsz <= MOST_ID) {
			for (size_t i = 0; i < note.n_descsz; i++)
				text_printf(out, "%02x", notes[bytes + i]);
			return true;
		}
		at = bytes + ((size_t)note.n_descsz + 3) / 4 * 4;
		if (at > len)
			return false;
	}
	return false;
}

void build_id_read(int fd, struct text *out)
{
	uint8_t notes[NOTE_BYTES];
	struct headers h;
	bool found = false;

	if (!read_head(fd, &h))
		return;
	for (unsigned int i = 0; i < h.nr && !found; i++) {
		uint64_t offset, size;
		ssize_t got;

		if (!read_notes(fd, &h, i, &offset, &size))
			continue;
		got = pread(fd, notes, size < sizeof(notes) ? size : sizeof(notes), (off_t)offset);
		found = got > 0 && find_id(notes, (size_t)got, out);
	}
}
