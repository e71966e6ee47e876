/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_recover - recovers an interrupted recording.  Its file is sparse and large, so the bytes are
 * pieces of it: where each lies (8 bytes), its length (4), what is there.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "recorder/output/output_layout.h"
#include "tests/lib/gen_trace.h"

#define PAGE		4096u
#define PIECE_HEAD	12u
#define MAX_OFFSET	(1ull << 29)	/* the regions of the seeds lie below it */

const char fuzz_name[] = "fuzz_recover";

static void write_pieces(int fd, const uint8_t *data, size_t size)
{
	uint64_t at;
	uint32_t len;

	while (size >= PIECE_HEAD) {
		memcpy(&at, data, sizeof(at));
		memcpy(&len, data + sizeof(at), sizeof(len));
		data += PIECE_HEAD;
		size -= PIECE_HEAD;
		len = len < size ? len : (uint32_t)size;
		if (pwrite(fd, data, len, (off_t)(at % MAX_OFFSET)) != (ssize_t)len)
			return;
		data += len;
		size -= len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *part = fuzz_path("in.part"), *path = fuzz_path("in");
	int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct ft_error err = { 0 };
	struct output_recovered done;

	assert(fd >= 0);
	write_pieces(fd, data, size);
	close(fd);
	if (output_recover(part, &done, &err) ||
	    output_recover_name(part, path, done.spooled, &err))
		assert(err.code != FT_E_NONE && err.message[0]);
	else
		source_close(source_open(path, -1, NULL));
	unlink(part);
	unlink(path);
	return 0;
}

/* --- seeds ------------------------------------------------------------------------------------ */

/* The blocks of a file that are not zero. */
static void read_pieces(const char *path, struct text *out)
{
	static const char zeros[PAGE];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char block[PAGE];
	ssize_t got;
	off_t at = 0;

	while (fd >= 0 && (at = lseek(fd, at, SEEK_DATA)) >= 0 &&
	       (got = pread(fd, block, sizeof(block), at)) > 0) {
		uint64_t offset = (uint64_t)at;
		uint32_t len = (uint32_t)got;

		at += got;
		if (!memcmp(block, zeros, len))
			continue;
		text_bytes(out, (const char *)&offset, sizeof(offset));
		text_bytes(out, (const char *)&len, sizeof(len));
		text_bytes(out, block, len);
	}
	if (fd >= 0)
		close(fd);
}

static void text_of(struct text *t, const char *s)
{
	text_clear(t);
	text_add(t, s);
}

static void write_pages(struct output_stream *s, unsigned int nr)
{
	const struct gen_layout layout = { .page_size = PAGE, .long_size = 8 };
	uint8_t bytes[PAGE], payload[8] = { 7 };
	struct gen_page page;

	for (unsigned int i = 0; i < nr; i++) {
		memset(bytes, 0, sizeof(bytes));
		gen_page_begin(&page, &layout, bytes, 1000000ull * (i + 1));
		gen_page_record(&page, 10, payload, sizeof(payload), false);
		gen_page_end(&page, GEN_LOST_NONE, 0);
		assert(pwrite(s->fd, bytes, PAGE, (off_t)(s->base + (uint64_t)i * PAGE)) == PAGE);
	}
	s->size = (uint64_t)(nr - 1) * PAGE;	/* the last came after the file was told */
}

static struct output_file *begin(struct invoker *self)
{
	struct output_file *o = output_new(fuzz_path("seed"), self, NULL);
	struct text t = { 0 };

	assert(o);
	text_of(&t, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	output_text(o, TRACE_TEXT_HEADER_PAGE, &t);
	text_of(&t, "name: mark\nID: 7\nformat:\n"
		    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		    "print fmt: \"x\"\n");
	output_event_format(o, "test", &t);
	output_clock(o, "[mono] local");
	text_fini(&t);
	return o;
}

/* Interrupted while it was recorded; or, with @late, when the last metadata was written. */
static void add_part(bool late, void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	struct invoker self = { 0 };
	struct output_file *o = begin(&self);
	struct ft_error err = { 0 };
	struct output_stream *s[2];
	struct text pieces = { 0 };

	output_buffer(o, "", "mono", PAGE);
	s[0] = output_stream(o, 0, 0);
	output_buffer(o, "other", "mono", PAGE);
	s[1] = output_stream(o, 1, 1);
	assert(!output_begin(o, 1 << 20, &err));
	write_pages(s[0], 3);
	write_pages(s[1], 2);
	assert(!output_update(o, &err));
	if (late)
		assert(!output_write_final_head(o, &err));
	read_pieces(output_part_name(o), &pieces);
	add(arg, text_str(&pieces), pieces.len);
	unlink(output_part_name(o));
	output_free(o);
	text_fini(&pieces);
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	add_part(false, add, arg);
	add_part(true, add, arg);
}
