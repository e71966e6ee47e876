/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_resync - finds the next options of a v7 file after damaged bytes.  Sections begin at any
 * byte, but a list of options can be checked as a whole, from the size in its header to the DONE at
 * its end.
 */
#include <stdlib.h>

#include "parsers/file/trace_file_private.h"

#define SEARCH_BYTES	((uint64_t)256 << 20)	/* searched after the damage */
#define STEP_BYTES	(256u << 10)
#define MAX_TRIES	4096u		/* lists that are parsed */
#define MAX_LIST_BYTES	(1u << 20)
#define DONE_BYTES	14u		/* u16 id, u32 size, u64 next section */
#define MAX_OPTION_ID	64u

/* A header of an uncompressed options section; no writer compresses options. */
static bool is_header(const struct trace_file *file, const uint8_t *p, uint64_t left)
{
	uint64_t size;

	if (p[0] || p[1] || p[2] || p[3])	/* id and flags */
		return false;
	size = load_u64(p + 8, file->swap);
	return size >= DONE_BYTES && size <= MAX_LIST_BYTES &&
	       size <= left - TRACE_SECTION_HEADER_BYTES;
}

/* Is this a list of options with DONE as the last one? */
static bool is_list(const struct trace_file *file, const uint8_t *data, uint64_t size)
{
	uint64_t pos = 0;

	while (size - pos >= DONE_BYTES) {
		uint16_t id = load_u16(data + pos, file->swap);
		uint32_t len = load_u32(data + pos + 2, file->swap);

		if (id == TRACE_OPTION_DONE)
			return len == 8 && pos + DONE_BYTES == size &&
			       load_u64(data + pos + 6, file->swap) < file->base.info.size;
		if (id >= MAX_OPTION_ID || len > size - pos - 6)
			return false;
		pos += 6 + len;
	}
	return false;
}

static bool is_options(const struct trace_file *file, uint64_t offset, uint64_t size)
{
	uint8_t *data = trace_file_load(file, offset + TRACE_SECTION_HEADER_BYTES, size, NULL);
	bool found = data && is_list(file, data, size);

	free(data);
	return found;
}

uint64_t trace_find_options(const struct trace_file *file, uint64_t from)
{
	uint64_t end = file->base.info.size, pos = from;
	uint8_t *data = mem_alloc(STEP_BYTES);
	uint64_t found = 0;
	unsigned int tries = 0;

	if (end > from && end - from > SEARCH_BYTES)
		end = from + SEARCH_BYTES;
	while (!found && pos < end && end - pos >= TRACE_SECTION_HEADER_BYTES &&
	       tries < MAX_TRIES) {
		int64_t got = read_at(file->base.fd, data,
				      end - pos < STEP_BYTES ? end - pos : STEP_BYTES, pos);
		int64_t last = got - (int64_t)TRACE_SECTION_HEADER_BYTES;

		if (last < 0)
			break;
		for (int64_t i = 0; i <= last && !found && tries < MAX_TRIES; i++) {
			if (!is_header(file, data + i, file->base.info.size - pos - (uint64_t)i))
				continue;
			tries++;
			if (is_options(file, pos + (uint64_t)i, load_u64(data + i + 8, file->swap)))
				found = pos + (uint64_t)i;
		}
		pos += (uint64_t)last + 1;
	}
	free(data);
	return found;
}
