/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_event_header - reads the bytes as what a record of user_events says of its fields, and as
 * their values: the first byte is how many bytes at the end are values.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/record_bound.h"
#include "parsers/types/event_header.h"
#include "tests/fuzz/structure.h"

const char fuzz_name[] = "fuzz_event_header";

#define HEAD_BYTES	(8 + 8 + 4)	/* common fields, the header, the head of an extension */

static const struct event_field fields[] = {
	{ .name = "common_type", .offset = 0, .size = 2, .is_common = true },
	{ .name = "common_pid", .offset = 4, .size = 4, .is_common = true },
	{ .name = "eventheader_flags", .offset = 8, .size = 1 },
	{ .name = "version", .offset = 9, .size = 1 },
	{ .name = "id", .offset = 10, .size = 2 },
	{ .name = "tag", .offset = 12, .size = 2 },
	{ .name = "opcode", .offset = 14, .size = 1 },
	{ .name = "level", .offset = 15, .size = 1 },
};
static const struct event_type type = { .system = "user_events", .name = "Fuzz_L1K1",
					.nr_fields = 8, .nr_common = 2, .fields = fields };

struct sum {
	size_t	bytes, nr;
};

static void add_up(void *arg, const struct event_header_value *v)
{
	struct sum *sum = arg;

	assert(v->text_len <= RECORD_TEXT_BYTES + strlen("…"));
	sum->bytes += v->is_inner ? 0 : v->text_len;
	sum->nr++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t values = size ? data[0] : 0, len;
	struct text out = { 0 };
	struct sum sum = { 0 };
	uint8_t *record;

	if (size < 1 + values || size > UINT16_MAX)
		return 0;
	len = size - 1 - values;
	record = calloc(1, HEAD_BYTES + size - 1);
	assert(record);
	record[8] = 6;			/* flags: little endian, has extensions */
	record[16] = (uint8_t)len;
	record[17] = (uint8_t)(len >> 8);
	record[18] = 1;			/* the kind: a description */
	memcpy(record + HEAD_BYTES, data + 1, size - 1);
	event_header_read(&type, record, (uint32_t)(HEAD_BYTES + size - 1), add_up, &sum);
	assert(sum.bytes <= RECORD_TEXT_BYTES + strlen("…"));
	assert(sum.nr <= 2 * (size_t)RECORD_TEXT_BYTES + size);
	record_bound_begin(&out);
	event_header_text(&type, record, (uint32_t)(HEAD_BYTES + size - 1), &out);
	record_bound_end(&out, true, NULL, "", "");
	assert(out.len <= RECORD_TEXT_BYTES + strlen("…"));
	text_fini(&out);
	free(record);
	return 0;
}

/* Fields, the numbers of elements and of members. */
size_t fuzz_pieces(const uint8_t *data, size_t size, struct fuzz_piece *pieces)
{
	size_t end = size && size > data[0] ? size - data[0] : 0, at = 1, nr = 0;
	const uint8_t *nul = end > 1 ? memchr(data + 1, '\0', end - 1) : NULL;

	if (nul)
		at = (size_t)(nul - data) + 1;
	while (nul && at < end && nr + 3 < FUZZ_PIECES) {
		size_t begin = at;
		uint8_t encoding, format = 0;

		nul = memchr(data + at, '\0', end - at);
		if (!nul || nul + 5 >= data + end)
			break;
		at = (size_t)(nul - data) + 1;
		encoding = data[at++];
		if (encoding & 0x80) {
			format = data[at++];
			pieces[nr++] = (struct fuzz_piece){ PIECE_COUNT, at - 1, 1 };
		}
		at += format & 0x80 ? 2 : 0;
		if (encoding & 0x20) {
			pieces[nr++] = (struct fuzz_piece){ PIECE_COUNT, at, 2 };
			at += 2;
		}
		if (at <= end)
			pieces[nr++] = (struct fuzz_piece){ PIECE_MEMBER, begin, at - begin };
	}
	return nr;
}

/* Fields of all encodings, arrays, structures in each other, elements without bytes. */
void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	static const char plain[] = "\x14"
				    "E;x=1\0"
				    "a\0\4"
				    "b\0\x83\2"
				    "c\0\7"
				    "d\0\x0a"
				    "e\0\x85\x08"
				    "f\0\x0d"
				    "g\0\x22\3\0"
				    "\1\0\0\0"
				    "\2\0"
				    "hi\0"
				    "\2\0ok"
				    "\0\0\0\0\0\0";
	static const char arrays[] = "\x0c"
				     "E\0"
				     "s\0\xa1\2\2\0"
				     "t\0\x81\1"
				     "v\0\3"
				     "w\0\x82\x0a"
				     "n\0\xc1\1"
				     "p\0\3"
				     "m\0\x44"
				     "\1\2\3\4\5\6\0\0\1\0\7\0";
	static const char empty[] = "\4"
				    "E\0"
				    "a\0\xa1\1\xff\xff"
				    "b\0\xa1\1\xff\xff"
				    "c\0\x81\1"
				    "d\0\xa1\1\4\0"
				    "e\0\2"
				    "\1\2\3\4";

	add(arg, plain, sizeof(plain) - 1);
	add(arg, arrays, sizeof(arrays) - 1);
	add(arg, empty, sizeof(empty) - 1);
}
