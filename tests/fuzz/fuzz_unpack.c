/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_unpack - the bytes as a compressed file, as a packed chunk, as a list of chunks; and packs
 * them.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/file/chunks.h"
#include "parsers/file/packer.h"
#include "parsers/io/archive.h"

#define MAX_PACKED	600u		/* a few bytes can be packed gigabytes */
#define ROOM		(64u << 10)
#define TAR_BYTES	2048u

const char fuzz_name[] = "fuzz_unpack";

static const enum trace_compression codecs[] = { TRACE_ZLIB, TRACE_ZSTD };

static void tell(void *arg, const char *path, uint64_t done, uint64_t size)
{
	assert(!arg && *path && done <= size);
}

static void try_file(const char *path)
{
	const struct open_progress progress = { tell, NULL };
	static bool prepared;
	struct ft_error err = { 0 };
	int fd = -1;

	if (!prepared) {	/* as before rights are given up */
		archive_open_ahead(path);
		prepared = true;
	}
	archive_is_at(path);
	if (archive_open(path, &fd, &progress, &err))
		assert(fd < 0 && err.message[0]);
	else
		close(fd);
}

static void try_list(const char *path, size_t size)
{
	struct chunk_directory dir = { 0 };
	struct ft_error err = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	chunk_directory_read(&dir, fd, 0, size, size, size & 1, &err);
	for (uint32_t i = 0; i < dir.nr; i++) {
		assert(dir.chunks[i].offset + dir.chunks[i].csize <= size);
		assert(chunk_directory_find(&dir, dir.chunks[i].stream_offset) <= i);
	}
	chunk_directory_fini(&dir);
	close(fd);
}

/* What is packed is unpacked as it was. */
static void try_codec(enum trace_compression codec, const uint8_t *data, size_t size)
{
	struct unpacker *unpacker = unpacker_new(codec);
	struct packer packer = { .compression = codec };
	static uint8_t room[ROOM];
	const struct out out = { 0 };
	struct ft_error err = { 0 };
	uint32_t csize, usize, sizes[2];
	struct text packed = { 0 };

	if (unpacker_probe(unpacker, data, (uint32_t)size, room, ROOM, &csize, &usize))
		assert(csize <= size && usize <= ROOM);
	unpacker_run(unpacker, data, (uint32_t)size, room, ROOM, 0, &err);
	if (!packer_run(&packer, &out, &packed, (const char *)data, size, &err)) {
		memcpy(sizes, packed.data, sizeof(sizes));
		assert(sizes[0] == packed.len - sizeof(sizes) && sizes[1] == size);
		assert(!unpacker_run(unpacker, packed.data + sizeof(sizes), sizes[0], room,
				     sizes[1], 0, &err));
		assert(!memcmp(room, data, size));
	}
	packer_fini(&packer);
	unpacker_free(unpacker);
	text_fini(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path;

	if (!size || (size > MAX_PACKED && (size > TAR_BYTES || memcmp(data + 257, "ustar", 5))))
		return 0;
	path = fuzz_file(data, size);
	if (!path)
		return 0;
	archive_foreign(data, size);
	try_file(path);
	try_list(path, size);
	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		try_codec(codecs[i], data, size);
	return 0;
}

static const char trace[] = TRACE_MAGIC "6\0"
					"abcabcabcabcabcabcabcabcabcabcabcabc";
static const char gzip[] =
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x13\xe7p))JL\xce\xccK7c`\xe0`\x10``HLJ\xc6\x8a"
	"\x00yN\xd2`*\x00\x00";
static const char xz[] =
	"\xfd\x37zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00!\x01\x16\x00\x00\x00t/\xe5\xa3\xe0\x00)"
	"\x00\x1b]\x00\x0b\x82&\x16\xdc\x8a\x18\x84\xf1V\xb8\xfd\xf2K\xb8\xccP\x13i\x0fpS\xea\xb8"
	"\x04\xa0\x00\x00\x00Z\xa0\xa6wUP\x82\x06\x00\x01\x37*\xc9\xdc:k\x1f\xb6\xf3}\x01\x00\x00"
	"\x00\x00\x04YZ";

static const char zip[] =
	"PK\x03\x04\x14\0\0\0\0\0\0\0!\0\xc7\xa7\x8b;\x04\0\0\0\x04\0\0\0\x01\0\0\0atextPK\x03"
	"\x04\x14\0\0\0\x08\0\0\0!\0\x12\xda\xbc\xeb\x13\0\0\0\x31\0\0\0\x05\0\0\0t.dat\x13\xe7p)"
	")JL\xce\xccK7cHLJ&\x88\x18\0PK\x01\x02\x14\x03\x14\0\0\0\0\0\0\0!\0\xc7\xa7\x8b;\x04\0\0"
	"\0\x04\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0\0\0aPK\x01\x02\x14\x03\x14\0\0\0\x08"
	"\0\0\0!\0\x12\xda\xbc\xeb\x13\0\0\0\x31\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\x80\x01#\0\0\0t."
	"datPK\x05\x06\0\0\0\0\x02\0\x02\0b\0\0\0Y\0\0\0\0\0";

/* A file that is no trace, and a trace. */
static void add_tar(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	static char tar[TAR_BYTES] = "a";

	for (size_t at = 0; at <= 1024; at += 1024) {
		memcpy(tar + at + 124, at ? "00000000060" : "00000000004", 12);
		tar[at + 156] = '0';
		memcpy(tar + at + 257, "ustar", 6);
	}
	memcpy(tar + 512, "text", 4);
	tar[1024] = 't';
	memcpy(tar + 1536, trace, sizeof(trace));
	add(arg, tar, sizeof(tar));
}

/* A chunk; its bytes, which are a compressed file as well; and a list of two such chunks. */
static void add_packed(enum trace_compression codec,
		       void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	struct packer packer = { .compression = codec };
	struct text packed = { 0 }, list = { 0 };
	const struct out out = { 0 };

	if (!packer_run(&packer, &out, &packed, trace, sizeof(trace), NULL)) {
		add(arg, packed.data + CHUNK_HEADER_BYTES, packed.len - CHUNK_HEADER_BYTES);
		text_bytes(&list, "\2\0\0", 4);
		text_bytes(&list, packed.data, packed.len);
		text_bytes(&list, packed.data, packed.len);
		if (list.len & 1)
			text_char(&list, '\0');
		add(arg, list.data, list.len);
	}
	packer_fini(&packer);
	text_fini(&packed);
	text_fini(&list);
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	add(arg, "# tracer: nop", 13);
	add(arg, trace, sizeof(trace));
	add(arg, gzip, sizeof(gzip));
	add(arg, xz, sizeof(xz) - 1);
	add(arg, zip, sizeof(zip) - 1);
	add_tar(add, arg);
	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		add_packed(codecs[i], add, arg);
}
