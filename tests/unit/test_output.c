/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "parsers/source/source.h"
#include "parsers/file/trace_file.h"
#include "parsers/open/open.h"
#include "recorder/output/output_layout.h"
#include "src/base/memory.h"
#include "tests/lib/gen_trace.h"

#define PAGE 4096u

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char format[] =
	"name: mark\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"x\"\n";

static char dir[64];
static bool spooled;		/* streams in files of their own */
static struct invoker self;

static int make_dir(const char *parent)
{
	snprintf(dir, sizeof(dir), "%s/ftop-output-XXXXXX", parent);
	return mkdtemp(dir) ? 0 : -1;
}

/* On a file system that can cut holes out, perhaps, and on one that cannot. */
static int set_up(void **state)
{
	const char *parent = *state;

	spooled = !strcmp(parent, "spooled");
	return make_dir(spooled ? "/tmp" : parent);
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static const char *path_of(const char *name)
{
	static char path[2][128];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

/* --- recording -------------------------------------------------------------------------------- */

struct recording {
	struct output_file		*o;
	struct output_stream	*s[4];	/* CPUs 0 and 1, 3 stays empty;
					   and CPU 0 of a second buffer */
	unsigned int		 pages[4];
};

static void text_of(struct text *t, const char *s)
{
	text_clear(t);
	text_add(t, s);
}

static void expect(const char *path, const unsigned int *pages, const unsigned int *first,
		   const char *cmdlines);

static void begin(struct recording *r)
{
	struct ft_error err = { 0 };
	struct text t = { 0 };

	*r = (struct recording){ 0 };
	r->o = output_new(path_of("t.dat"), &self, &err);
	if (!r->o)
		fail_msg("%s", err.message);
	text_of(&t, header_page);
	output_text(r->o, TRACE_TEXT_HEADER_PAGE, &t);
	text_of(&t, format);
	output_event_format(r->o, "test", &t);
	output_clock(r->o, "[mono] local");
	text_of(&t, "1 early\n");
	output_text(r->o, TRACE_TEXT_CMDLINES, &t);
	output_buffer(r->o, "", "mono", PAGE);
	r->s[0] = output_stream(r->o, 0, 0);
	r->s[1] = output_stream(r->o, 0, 1);
	r->s[2] = output_stream(r->o, 0, 3);
	output_buffer(r->o, "other", "mono", PAGE);
	r->s[3] = output_stream(r->o, 1, 0);
	if (spooled)
		output_spool(r->o);
	assert_int_equal(output_begin(r->o, 0, &err), 0);
	text_fini(&t);
}

/* What lies in files of their own is not in the .part, which can be read all the same. */
static void expect_part(const unsigned int *pages, const char *cmdlines)
{
	static const unsigned int none[4];

	expect(path_of("t.dat.part"), spooled ? none : pages, NULL, cmdlines);
}

/* No file is left but the one. */
static void expect_alone(const char *name)
{
	char command[256];

	snprintf(command, sizeof(command), "[ \"$(ls %s)\" = %s ]", dir, name);
	assert_int_equal(system(command), 0);
}

/* A sub-buffer that tells which it is by its time. */
static void make_page(uint8_t *bytes, unsigned int stream, unsigned int nr)
{
	struct gen_layout layout = { PAGE, 8, HOST_BIG_ENDIAN };
	uint8_t payload[8] = { 7 };
	struct gen_page page;

	gen_page_begin(&page, &layout, bytes, 1000000ull * (nr + 1) + stream);
	for (int i = 0; i < 20; i++)
		gen_page_record(&page, 10, payload, sizeof(payload), false);
	gen_page_end(&page, GEN_LOST_NONE, 0);
}

/* As a reader does; @noted: the stream's size knows of it. */
static void write_pages(struct recording *r, unsigned int stream, unsigned int nr, bool noted)
{
	uint8_t bytes[PAGE];

	while (nr--) {
		unsigned int n = r->pages[stream]++;

		make_page(bytes, stream, n);
		assert_int_equal(pwrite(r->s[stream]->fd, bytes, PAGE,
					(off_t)(r->s[stream]->base + (uint64_t)n * PAGE)),
				 PAGE);
		if (noted)
			r->s[stream]->size += PAGE;
	}
}

/*
 * What a reader of the file finds: of each stream so many pages, beginning with the first.  That is
 * marked as the kernel marks lost events, if there were others before it.
 */
static void expect(const char *path, const unsigned int *pages, const unsigned int *first,
		   const char *cmdlines)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);
	unsigned int found = 0;

	if (!file)
		fail_msg("%s", err.message);
	assert_int_equal(source_nr_buffers(file), 2);
	assert_string_equal(source_buffer(file, 0)->name, "");
	assert_string_equal(source_buffer(file, 1)->name, "other");
	for (unsigned int i = 0; i < source_nr_streams(file); i++) {
		const struct source_stream *s = source_stream(file, i);
		unsigned int k = s->buffer ? 3 : s->cpu == 3 ? 2 : (unsigned int)s->cpu;
		uint8_t want[PAGE], got[PAGE];
		int fd = open(path, O_RDONLY);

		assert_false(s->chunked);
		assert_int_equal(s->file_size, (uint64_t)pages[k] * PAGE);
		assert_int_equal(s->offset % PAGE, 0);
		for (unsigned int n = 0; n < pages[k]; n++) {
			make_page(want, k, n + (first ? first[k] : 0));
			if (!n && first && first[k])
				want[HOST_BIG_ENDIAN ? 12 : 11] |= 0x80;
			assert_int_equal(pread(fd, got, PAGE,
					       (off_t)(s->offset + (uint64_t)n * PAGE)),
					 PAGE);
			assert_memory_equal(got, want, PAGE);
		}
		found += pages[k] != 0;
		close(fd);
	}
	assert_int_equal(found,
			 (pages[0] != 0) + (pages[1] != 0) + (pages[2] != 0) + (pages[3] != 0));
	if (cmdlines) {
		uint64_t size;
		const void *text = source_text(file, TRACE_TEXT_CMDLINES, &size);

		assert_int_equal(size, strlen(cmdlines));
		assert_memory_equal(text, cmdlines, size);
	}
	source_close(file);
}

static uint64_t size_of_streams(const char *path)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);
	uint64_t bytes = 0;

	if (!file)
		fail_msg("%s", err.message);
	for (unsigned int i = 0; i < source_nr_streams(file); i++)
		bytes += source_stream(file, i)->file_size;
	source_close(file);
	return bytes;
}

static bool has_tgids(const char *path)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);
	uint64_t size = 0;
	const char *text = file ? source_text(file, TRACE_TEXT_TGIDS, &size) : NULL;
	bool same = text && size == 4 && !memcmp(text, "9 8\n", 4);

	source_close(file);
	return same;
}

static bool has_cmdlines(const char *path, const char *cmdlines)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);
	uint64_t size = 0;
	const void *text = file ? source_text(file, TRACE_TEXT_CMDLINES, &size) : NULL;
	bool same = text && size == strlen(cmdlines) && !memcmp(text, cmdlines, size);

	source_close(file);
	return same;
}

static void end(struct recording *r)
{
	struct ft_error err = { 0 };
	struct text t = { 0 };

	text_of(&t, "1 late\n2 later\n");
	output_text(r->o, TRACE_TEXT_CMDLINES, &t);
	text_of(&t, TRACE_PRIVATE_MAGIC "saved_tgids 4\n9 8\n");
	output_text(r->o, TRACE_TEXT_PRIVATE, &t);
	text_fini(&t);
	if (output_finish(r->o, &err))
		fail_msg("%s", err.message);
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

/*
 * Sections laid end to end from the header to the end of the file, as trace-cmd walks them; their
 * number.
 */
static unsigned int walk_sections(const char *path)
{
	uint64_t at = HEADER_BYTES, end = size_of(path);
	struct {
		uint16_t id, flags;
		uint32_t description;
		uint64_t size;
	} header;
	int fd = open(path, O_RDONLY);
	unsigned int nr = 0;

	for (; at < end && nr < 100; nr++) {
		assert_int_equal(pread(fd, &header, sizeof(header), (off_t)at), sizeof(header));
		assert_true(header.id == TRACE_SECTION_PRIVATE ||
			    (header.id >= 16 && header.id <= 21) || header.id == 3 ||
			    header.id == 0);
		assert_true(header.id || header.size);
		at += sizeof(header) + header.size;
	}
	close(fd);
	assert_int_equal(at, end);
	return nr;
}

static void test_readable_at_every_moment(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;

	(void)state;
	begin(&r);
	expect_part((unsigned int[]){ 0, 0, 0, 0 }, "1 early\n");
	write_pages(&r, 0, 3, true);
	write_pages(&r, 3, 2, true);
	assert_int_equal(output_update(r.o, &err), 0);
	expect_part((unsigned int[]){ 3, 0, 0, 2 }, "1 early\n");
	write_pages(&r, 1, 5, true);
	assert_int_equal(output_update(r.o, &err), 0);
	expect_part((unsigned int[]){ 3, 5, 0, 2 }, NULL);
	/* layout, 5 of metadata, options, filler, 2 buffers */
	if (!spooled)
		assert_int_equal(walk_sections(path_of("t.dat.part")), 10);
	end(&r);
	/* and names, private data, options */
	assert_int_equal(walk_sections(path_of("t.dat")), spooled ? 15 : 13);
	expect(path_of("t.dat"), (unsigned int[]){ 3, 5, 0, 2 }, NULL, "1 late\n2 later\n");
	assert_true(size_of(path_of("t.dat")) < 64 * PAGE);
	expect_alone("t.dat");
}

static void test_nothing_recorded(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	end(&r);
	expect(path_of("t.dat"), (unsigned int[]){ 0, 0, 0, 0 }, NULL, "1 late\n2 later\n");
	/* as after a recording: all sections, no holes, no other file */
	assert_true(walk_sections(path_of("t.dat")) > 8);
	assert_true(size_of(path_of("t.dat")) < 64 * PAGE);
	expect_alone("t.dat");
}

/* All of them, in a file that is smaller than they are. */
static void expect_kallsyms(const struct text *symbols)
{
	struct source *file = source_open(path_of("t.dat"), -1, NULL);
	uint64_t size;
	const char *found;

	assert_non_null(file);
	found = source_text(file, TRACE_TEXT_KALLSYMS, &size);
	assert_int_equal(size, symbols->len);
	assert_memory_equal(found, symbols->data, size);
	source_close(file);
#ifdef HAVE_ZSTD
	assert_true(size_of(path_of("t.dat")) < size / 10);
#endif
}

static void test_symbols_while_recording(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;
	struct text t = { 0 };

	(void)state;
	begin(&r);
	write_pages(&r, 1, 1, true);
	for (int i = 0; i < 100000; i++)
		text_add(&t, "ffffffff81000000 T some_symbol\n");
	assert_int_equal(output_kallsyms(r.o, &t, &err), 0);
	assert_int_equal(output_update(r.o, &err), 0);
	expect_part((unsigned int[]){ 0, 1, 0, 0 }, NULL);
	end(&r);
	expect(path_of("t.dat"), (unsigned int[]){ 0, 1, 0, 0 }, NULL, "1 late\n2 later\n");
	expect_kallsyms(&t);
	text_fini(&t);
}

#ifdef HAVE_ZSTD
/* Sections of buffers that are something else. */
static void damage_buffer_sections(const char *path)
{
	struct {
		uint16_t id, flags;
		uint32_t description;
		uint64_t size;
	} header;
	int fd = open(path, O_RDWR);

	for (uint64_t at = HEADER_BYTES, end = size_of(path); at < end;
	     at += sizeof(header) + header.size) {
		assert_int_equal(pread(fd, &header, sizeof(header), (off_t)at), sizeof(header));
		if (header.id != TRACE_OPTION_BUFFER)
			continue;
		header.id = TRACE_SECTION_PRIVATE;
		assert_int_equal(pwrite(fd, &header, sizeof(header), (off_t)at), sizeof(header));
	}
	close(fd);
}

/* The header names a codec, but sub-buffers are plain, also where no section says so. */
static void test_plain_beside_packed(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	write_pages(&r, 1, 3, true);
	end(&r);
	damage_buffer_sections(path_of("t.dat"));
	expect(path_of("t.dat"), (unsigned int[]){ 0, 3, 0, 0 }, NULL, "1 late\n2 later\n");
}
#else
static void test_plain_beside_packed(void **state)
{
	(void)state;
	skip();
}
#endif

static void expect_btf(const char *path, const char *btf, size_t len)
{
	struct source *file = source_open(path, -1, NULL);
	uint64_t size;
	const char *found;

	assert_non_null(file);
	found = source_text(file, TRACE_TEXT_BTF, &size);
	assert_int_equal(size, len);
	assert_memory_equal(found, btf, len);
	source_close(file);
}

/* Bytes of any value, and there are none where none were given. */
static void test_types_while_recording(void **state)
{
	static const char btf[] = "\x9f\xeb\1\0 types\0strings";
	struct ft_error err = { 0 };
	struct recording r;
	struct text t = { 0 };

	(void)state;
	text_bytes(&t, btf, sizeof(btf));
	for (int packed = 0; packed < 2; packed++) {
		begin(&r);
		output_format_as(r.o, 7, packed ? TRACE_ZSTD : TRACE_PLAIN);
		write_pages(&r, 1, 1, true);
		assert_int_equal(output_btf(r.o, &t, &err), 0);
		assert_int_equal(output_update(r.o, &err), 0);
		expect_btf(path_of("t.dat.part"), btf, sizeof(btf));
		end(&r);
		expect_btf(path_of("t.dat"), btf, sizeof(btf));
		assert_int_equal(unlink(path_of("t.dat")), 0);
	}
	begin(&r);
	write_pages(&r, 1, 1, true);
	end(&r);
	expect_btf(path_of("t.dat"), "", 0);
	text_fini(&t);
}

/* "late:first test:mark ...": all formats of a file, but for the kernel's own */
static void expect_formats(const char *path, const char *expected)
{
	struct source *file = source_open(path, -1, NULL);
	struct text names = { 0 };

	assert_non_null(file);
	for (unsigned int i = 0; i < source_nr_formats(file); i++) {
		const struct source_format *f = source_format(file, i);

		text_printf(&names, "%s%s:%.*s", i ? " " : "", f->system,
			    (int)strcspn(f->text + 6, "\n"), f->text + 6);
	}
	assert_string_equal(text_str(&names), expected);
	text_fini(&names);
	source_close(file);
}

/* Of modules that are loaded meanwhile.  What was there before is there once. */
static void test_formats_while_recording(void **state)
{
	static const char *const systems[] = { "late", "test", "test", "late" };
	static const char *const names[] = { "first", "second", "mark", "third" };
	struct ft_error err = { 0 };
	struct recording r;
	struct text t = { 0 };

	(void)state;
	for (int packed = 0; packed < 2; packed++) {
		begin(&r);
		output_format_as(r.o, 7, packed ? TRACE_ZSTD : TRACE_PLAIN);
		write_pages(&r, 1, 1, true);
		assert_int_equal(output_update(r.o, &err), 0);
		expect_formats(path_of("t.dat.part"), "test:mark");
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			text_clear(&t);
			text_printf(&t, "name: %s\nID: %d%s", names[i], i == 2 ? 7 : 20 + (int)i,
				    strstr(format, "\nformat:"));
			output_event_format(r.o, systems[i], &t);
			if (i == 1)
				assert_int_equal(output_late_formats(r.o, &err), 0);
		}
		expect_formats(path_of("t.dat.part"), "test:mark test:second late:first");
		assert_int_equal(output_late_formats(r.o, &err), 0);
		assert_int_equal(output_late_formats(r.o, &err), 0);
		end(&r);
		expect_formats(path_of("t.dat"), "test:mark test:second late:first late:third");
		assert_int_equal(unlink(path_of("t.dat")), 0);
	}
	text_fini(&t);
}

/* -m: what was given up is not in the file, and what is kept is one piece. */
static void test_oldest_given_up(void **state)
{
	struct recording r;

	(void)state;
	begin(&r);
	write_pages(&r, 0, 9, true);
	write_pages(&r, 1, 7, true);
	r.s[0]->start = 5 * PAGE;
	end(&r);
	expect(path_of("t.dat"), (unsigned int[]){ 4, 7, 0, 0 }, (unsigned int[]){ 5, 0, 0, 0 },
	       NULL);
	assert_true(size_of(path_of("t.dat")) < 64 * PAGE);
}

static void test_a_part_is_not_overwritten(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;
	int fd;

	(void)state;
	begin(&r);
	assert_null(output_new(path_of("t.dat"), &self, &err));
	assert_non_null(strstr(err.message, "exists: another recorder is writing this recording"));
	output_abort(r.o, false);
	assert_int_not_equal(access(path_of("t.dat.part"), F_OK), 0);
	fd = open(path_of("t.dat.part"), O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	assert_null(output_new(path_of("t.dat"), &self, &err));
	assert_non_null(strstr(err.message, "exists: an unfinished recording; repair it with"));
	/* a set-up that died leaves an empty one */
	assert_int_equal(ftruncate(fd, 0), 0);
	close(fd);
	r.o = output_new(path_of("t.dat"), &self, &err);
	assert_non_null(r.o);
	output_abort(r.o, false);
	assert_int_equal(symlink(path_of("target"), path_of("t.dat.part")), 0);
	assert_null(output_new(path_of("t.dat"), &self, &err));
	assert_int_not_equal(access(path_of("target"), F_OK), 0);
}

/* --- recovering ------------------------------------------------------------------------------- */

/* As the command does it: NAME.part becomes NAME. */
static int recover(const char *name, uint64_t *bytes, struct ft_error *err)
{
	struct output_recovered done;
	char part[160], path[160];

	snprintf(part, sizeof(part), "%s/%s.part", dir, name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (output_recover(part, &done, err) || output_recover_name(part, path, done.spooled, err))
		return -1;
	*bytes = done.bytes;
	return 0;
}

/* Does the file say that what the end of a recording tells is missing? */
static bool says_interrupted(const char *path)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);
	bool says = false;

	assert_non_null(file);
	for (unsigned int i = 0; i < source_nr_warnings(file); i++)
		says |= strstr(source_warning(file, i).message, "the recording was interrupted") !=
			NULL;
	source_close(file);
	return says;
}

static void recovered(const unsigned int *pages)
{
	struct ft_error err = { 0 };
	uint64_t bytes = 0;

	if (recover("t.dat", &bytes, &err))
		fail_msg("%s", err.message);
	expect(path_of("t.dat"), pages, NULL, NULL);
	assert_int_equal(bytes, (uint64_t)(pages[0] + pages[1] + pages[2] + pages[3]) * PAGE);
	assert_true(size_of(path_of("t.dat")) < 64 * PAGE);
}

/* Killed between two notes of the sizes: what was written since is there too. */
static void test_recover_while_recording(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;

	(void)state;
	begin(&r);
	write_pages(&r, 0, 3, true);
	assert_int_equal(output_update(r.o, &err), 0);
	write_pages(&r, 0, 2, true);
	write_pages(&r, 1, 4, false);
	output_abort(r.o, true);
	recovered((unsigned int[]){ 5, 4, 0, 0 });
	assert_true(says_interrupted(path_of("t.dat")));
}

/* What stands behind the data but is no sub-buffer that follows is left out. */
static void test_recover_stops_at_rubbish(void **state)
{
	struct recording r;
	char rubbish[PAGE];

	(void)state;
	begin(&r);
	write_pages(&r, 1, 2, false);
	memset(rubbish, 0xff, sizeof(rubbish));
	assert_int_equal(pwrite(r.s[1]->fd, rubbish, PAGE, (off_t)(r.s[1]->base + 2 * PAGE)), PAGE);
	output_abort(r.o, true);
	recovered((unsigned int[]){ 0, 2, 0, 0 });
}

static void test_recover_before_the_moves(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;

	(void)state;
	begin(&r);
	write_pages(&r, 0, 3, true);
	write_pages(&r, 3, 4, true);
	assert_int_equal(output_update(r.o, &err), 0);
	assert_int_equal(output_write_final_head(r.o, &err), 0);
	output_abort(r.o, true);
	recovered((unsigned int[]){ 3, 0, 0, 4 });
	assert_false(says_interrupted(path_of("t.dat")));
}

/* Interrupted between two streams: the copied one is no longer needed, the others still are. */
static void test_recover_between_streams(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;
	char path[160];
	int fd;

	(void)state;
	if (!spooled)
		return;
	begin(&r);
	write_pages(&r, 0, 3, true);
	write_pages(&r, 1, 5, true);
	write_pages(&r, 3, 4, true);
	assert_int_equal(output_update(r.o, &err), 0);
	assert_int_equal(output_write_final_head(r.o, &err), 0);
	fd = r.s[1]->fd;
	r.s[1]->fd = open(dir, O_RDONLY);	/* cannot be read */
	assert_int_equal(output_close_file(r.o, &err), -1);
	close(fd);
	output_abort(r.o, true);
	snprintf(path, sizeof(path), "%s/t.dat.part.cpu0", dir);
	assert_int_equal(size_of(path), 0);
	snprintf(path, sizeof(path), "%s/t.dat.part.1.cpu0", dir);
	assert_int_equal(size_of(path), 4 * PAGE);
	recovered((unsigned int[]){ 3, 5, 0, 4 });
	expect_alone("t.dat");
}

/* Killed after the file was made whole, but before it had its name. */
static void test_recover_before_the_name(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;

	(void)state;
	begin(&r);
	write_pages(&r, 1, 3, true);
	assert_int_equal(output_update(r.o, &err), 0);
	assert_int_equal(output_write_final_head(r.o, &err), 0);
	assert_int_equal(output_close_file(r.o, &err), 0);
	output_abort(r.o, true);
	recovered((unsigned int[]){ 0, 3, 0, 0 });
}

static void test_recover_refuses_others(void **state)
{
	struct ft_error err = { 0 };
	uint64_t bytes;
	FILE *f = fopen(path_of("x.part"), "w");

	(void)state;
	fputs("\x17\x08\x44tracing", f);
	fwrite("6\0 and so on", 1, 13, f);
	fclose(f);
	assert_int_equal(recover("x", &bytes, &err), -1);
	assert_int_equal(err.code, FT_E_FORMAT);
	assert_int_equal(recover("none", &bytes, &err), -1);
	assert_int_equal(err.code, FT_E_IO);
}

/*
 * Recover a copy of t.dat.part with one byte changed.  False: refused, and the copy is still there.
 */
static bool recover_damaged(size_t at)
{
	struct ft_error err = { 0 };
	char command[512];
	uint64_t bytes = 0;
	uint8_t byte;
	int fd;

	snprintf(command, sizeof(command),
		 "cd %s && rm -f copy copy.part && cp --sparse=always t.dat.part copy.part", dir);
	assert_int_equal(system(command), 0);
	fd = open(path_of("copy.part"), O_RDWR);
	assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
	byte ^= 0x81;
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
	close(fd);
	if (recover("copy", &bytes, &err)) {
		assert_true(err.code != FT_E_NONE && err.message[0]);
		assert_int_equal(access(path_of("copy.part"), F_OK), 0);
		return false;
	}
	assert_true(bytes <= 8 * PAGE);	/* no holes for a size that lies */
	assert_int_not_equal(access(path_of("copy.part"), F_OK), 0);
	return true;
}

/*
 * Bytes of the layout changed: an error that keeps what is there, or a file; never a crash or an
 * endless file.
 */
static void test_recover_damaged_layout(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;
	size_t size = sizeof(struct layout_head) + 2 * sizeof(struct layout_buffer) +
		      4 * sizeof(struct layout_stream);
	unsigned int refused = 0;

	(void)state;
	begin(&r);
	write_pages(&r, 0, 3, true);
	assert_int_equal(output_update(r.o, &err), 0);
	output_abort(r.o, true);
	for (size_t at = 0; at < TRACE_SECTION_HEADER_BYTES + size; at += 5)
		refused += !recover_damaged(HEADER_BYTES + at);
	assert_true(refused > 0);
	/* and nothing of it was about the file as it is */
	recovered((unsigned int[]){ 3, 0, 0, 0 });
}

/* Killed between the first layout and the options: there can be no events yet. */
static void test_recover_before_the_options(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;
	uint64_t bytes = 0;
	size_t at = HEADER_BYTES + TRACE_SECTION_HEADER_BYTES +
		    offsetof(struct layout_head, recording_options);
	int fd;

	(void)state;
	begin(&r);
	assert_int_equal(output_update(r.o, &err), 0);
	output_abort(r.o, true);
	fd = open(path_of("t.dat.part"), O_WRONLY);
	assert_int_equal(pwrite(fd, (uint64_t[]){ 0 }, 8, (off_t)at), 8);
	close(fd);
	assert_int_equal(recover("t.dat", &bytes, &err), -1);
	assert_non_null(strstr(err.message, "the recording had not begun"));
	assert_int_equal(unlink(path_of("t.dat.part")), 0);
}

/* --- packing ---------------------------------------------------------------------------------- */

/* Pages that do not get smaller by packing. */
static void write_noise(struct recording *r, unsigned int stream, unsigned int nr)
{
	uint32_t bytes[PAGE / 4], x = 1 + stream;

	while (nr--) {
		unsigned int n = r->pages[stream]++;

		for (size_t i = 0; i < PAGE / 4; i++)
			bytes[i] = x = x * 1664525u + 1013904223u;
		assert_int_equal(pwrite(r->s[stream]->fd, bytes, PAGE,
					(off_t)(r->s[stream]->base + (uint64_t)n * PAGE)),
				 PAGE);
		r->s[stream]->size += PAGE;
	}
}

struct told {
	unsigned int	calls;
	uint64_t	done, total;
	uint64_t	give_up_at;	/* 0: never */
	uint64_t	full_at;	/* bytes a file may have from then on; 0: any number */
};

static bool tell(void *arg, uint64_t done, uint64_t total)
{
	struct told *told = arg;

	assert_true(done > told->done && done <= total);
	told->calls++;
	told->done = done;
	told->total = total;
	if (told->full_at) {
		struct rlimit limit;

		assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
		limit.rlim_cur = told->full_at;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	}
	return told->give_up_at && done >= told->give_up_at;
}

static int finish_packed(struct recording *r, struct told *told, struct ft_error *err)
{
	struct text t = { 0 };

	text_of(&t, "1 late\n2 later\n");
	output_text(r->o, TRACE_TEXT_CMDLINES, &t);
	text_of(&t, TRACE_PRIVATE_MAGIC "saved_tgids 4\n9 8\n");
	output_text(r->o, TRACE_TEXT_PRIVATE, &t);
	text_fini(&t);
	output_format_as(r->o, 7, TRACE_ZSTD);
	output_tell_packing(r->o, tell, told);
	return output_finish(r->o, err);
}

/* What the sub-buffers hold is compared through the reader, which unpacks them. */
static uint64_t unpacked_bytes(const char *path)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);
	uint64_t bytes = 0;

	if (!file)
		fail_msg("%s", err.message);
	assert_string_equal(source_info(file)->compression, "zstd");
	for (unsigned int i = 0; i < source_nr_streams(file); i++)
		bytes += source_stream(file, i)->file_size;
	source_close(file);
	return bytes;
}

static void test_packed(void **state)
{
	struct told told = { 0 };
	struct ft_error err = { 0 };
	struct recording r;

	(void)state;
	begin(&r);
	write_pages(&r, 0, 3, true);
	write_pages(&r, 1, 5000, true);	/* more than is packed at once */
	write_pages(&r, 3, 2, true);
	assert_int_equal(finish_packed(&r, &told, &err), 0);
	assert_int_equal(told.done, 5005ull * PAGE);
	assert_int_equal(told.total, told.done);
	assert_in_range(told.calls, 4, 10);
	assert_in_range(unpacked_bytes(path_of("t.dat")), 1, 5005ull * PAGE / 4);
	assert_true(has_tgids(path_of("t.dat")));
	expect_alone("t.dat");
}

/* An option says where our own section is; what is cut off does not pass as whole. */
static void test_cut_off(void **state)
{
	uint64_t place[2] = { 0 }, size;
	struct source *file;
	struct recording r;

	(void)state;
	begin(&r);
	write_pages(&r, 0, 3, true);
	end(&r);
	file = source_open(path_of("t.dat"), -1, NULL);
	assert_non_null(file);
	assert_false(source_is_damaged(file));
	for (unsigned int i = 0; i < trace_file_nr_options(file); i++) {
		const struct trace_file_option *option = trace_file_option(file, i);

		if (option->id != TRACE_SECTION_PRIVATE)
			continue;
		assert_int_equal(option->size, sizeof(place));
		memcpy(place, option->data, sizeof(place));
	}
	source_close(file);
	size = size_of(path_of("t.dat"));
	assert_in_range(place[0], 1, size);
	assert_in_range(place[1], TRACE_SECTION_HEADER_BYTES + 1, size - place[0]);
	for (uint64_t len = size - 1; len > 200; len -= len / 50) {
		assert_int_equal(truncate(path_of("t.dat"), (off_t)len), 0);
		file = source_open(path_of("t.dat"), -1, NULL);
		assert_true(!file || source_is_damaged(file) || has_tgids(path_of("t.dat")));
		assert_true(!file || source_is_damaged(file) ||
			    size_of_streams(path_of("t.dat")) == 3ull * PAGE);
		source_close(file);
	}
}

/* The user does not want to wait: the file is there at once, as it was recorded. */
static void test_packing_given_up(void **state)
{
	struct told told = { .give_up_at = 1 };
	struct ft_error err = { 0 };
	struct recording r;

	(void)state;
	begin(&r);
	write_pages(&r, 0, 3, true);
	write_pages(&r, 1, 20, true);
	if (finish_packed(&r, &told, &err))
		fail_msg("%s", err.message);
	assert_int_equal(told.calls, 1);
	expect(path_of("t.dat"), (unsigned int[]){ 3, 20, 0, 0 }, NULL, "1 late\n2 later\n");
	expect_alone("t.dat");
}

/*
 * No room for the packed file: what was recorded stays, can be read, and is made whole by recover,
 * names and all.
 */
static void test_disk_full_while_packing(void **state)
{
	const unsigned int pages[] = { 3, 100, 0, 0 };
	struct told told = { .full_at = 200000 };
	struct ft_error err = { 0 };
	struct rlimit before;
	struct recording r;
	uint64_t bytes = 0;

	(void)state;
	begin(&r);
	write_pages(&r, 0, 3, true);
	write_noise(&r, 1, 100);
	assert_int_equal(output_update(r.o, &err), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(finish_packed(&r, &told, &err), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(
		strstr(err.message, "t.dat.part is unchanged; ftop-trace recover repairs it: "));
	assert_non_null(strstr(err.message, "File too large"));
	assert_int_not_equal(access(path_of("t.dat"), F_OK), 0);
	assert_int_not_equal(access(path_of("t.dat.part.packing"), F_OK), 0);
	assert_int_equal(size_of_streams(path_of("t.dat.part")), spooled ? 0 : 103ull * PAGE);
	/* layout, 5 of metadata, options, names, private data, options, filler, 2 buffers */
	if (!spooled)
		assert_int_equal(walk_sections(path_of("t.dat.part")), 13);

	if (recover("t.dat", &bytes, &err))
		fail_msg("%s", err.message);
	assert_int_equal(bytes, (uint64_t)(pages[0] + pages[1]) * PAGE);
	assert_int_equal(size_of_streams(path_of("t.dat")), 103ull * PAGE);
	assert_true(has_cmdlines(path_of("t.dat"), "1 late\n2 later\n"));
	assert_true(has_tgids(path_of("t.dat")));
}

/* What recover finds by the name of the file that the recorder packs. */
static void recover_beside(const char *found)
{
	struct ft_error err = { 0 };
	struct recording r;
	FILE *half;

	begin(&r);
	write_pages(&r, 0, 3, true);
	assert_int_equal(output_update(r.o, &err), 0);
	assert_int_equal(output_write_final_head(r.o, &err), 0);
	output_abort(r.o, true);
	half = fopen(path_of("t.dat.part.packing"), "w");
	fputs(found, half);
	fclose(half);
	recovered((unsigned int[]){ 3, 0, 0, 0 });
	unlink(path_of("t.dat"));
}

/* Killed while it packed: half a packed file is thrown away, but nothing else. */
static void test_recover_while_packing(void **state)
{
	(void)state;
	recover_beside(TRACE_MAGIC "7 half");
	assert_int_not_equal(access(path_of("t.dat.part.packing"), F_OK), 0);
	recover_beside("a text of the user");
	assert_int_equal(unlink(path_of("t.dat.part.packing")), 0);
}

/* A recording whose packed file cannot be made: what is recorded is kept as it is. */
static void test_packing_name_is_taken(void **state)
{
	struct ft_error err = { 0 };
	struct recording r;
	struct stat st;

	(void)state;
	assert_int_equal(mkfifo(path_of("t.dat.part.packing"), 0600), 0);
	begin(&r);
	output_format_as(r.o, 6, TRACE_PLAIN);
	write_pages(&r, 0, 3, true);
	assert_int_equal(output_finish(r.o, &err), -1);
	assert_non_null(strstr(err.message, "t.dat.part.packing: cannot create the file"));
	assert_int_equal(stat(path_of("t.dat.part.packing"), &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	recovered((unsigned int[]){ 3, 0, 0, 0 });
}

#define BOTH(test) \
	cmocka_unit_test_prestate_setup_teardown(test, set_up, tear_down, (void *)"/tmp"), \
			cmocka_unit_test_prestate_setup_teardown(test, set_up, tear_down, (void *)"/dev/shm"), \
			cmocka_unit_test_prestate_setup_teardown(test, set_up, tear_down, (void *)"spooled")

static void expect_text(const char *path, const char *text)
{
	struct ft_error err = { 0 };
	struct source *file = source_open(path, -1, &err);
	static char bytes[1 << 16];
	int fd = open(path, O_RDONLY);
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (!file)
		fail_msg("%s", err.message);
	assert_true(source_buffer(file, 0)->is_text);
	assert_true(got > 0 && memmem(bytes, (size_t)got, text, strlen(text)));
	source_close(file);
	close(fd);
}

/*
 * The text of a latency tracer's maximum has the name; its records are a trace of their own, beside
 * it.
 */
static void test_maximum(void **state)
{
	static const unsigned int pages[] = { 3, 0, 0, 0 };
	struct ft_error err = { 0 };
	struct recording r;
	struct text t = { 0 };
	uint8_t page[PAGE];

	(void)state;
	text_of(&t, "# tracer: irqsoff\n");
	begin(&r);
	for (unsigned int n = 0; n < pages[0]; n++) {
		make_page(page, 0, n);
		assert_int_equal(output_stream_append(r.o, r.s[0], page, PAGE, &err), 0);
	}
	output_latency_text(r.o, &t);
	assert_string_equal(output_max_name(r.o), path_of("t.max.dat"));
	end(&r);
	expect_text(path_of("t.dat"), "# tracer: irqsoff\n");
	expect(path_of("t.max.dat"), pages, NULL, "1 late\n2 later\n");
	assert_true(has_tgids(path_of("t.max.dat")));
	assert_int_equal(access(path_of("t.dat.part"), F_OK), -1);

	/* once more, without records: those of before are not these */
	begin(&r);
	output_latency_text(r.o, &t);
	end(&r);
	expect_text(path_of("t.dat"), "# tracer: irqsoff\n");
	expect_alone("t.dat");
	text_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_readable_at_every_moment), BOTH(test_nothing_recorded),
		BOTH(test_symbols_while_recording), BOTH(test_types_while_recording),
		BOTH(test_formats_while_recording),
		BOTH(test_plain_beside_packed),
		BOTH(test_oldest_given_up), BOTH(test_a_part_is_not_overwritten),
		BOTH(test_recover_while_recording),
		BOTH(test_recover_stops_at_rubbish), BOTH(test_recover_before_the_moves),
		BOTH(test_recover_before_the_name), BOTH(test_recover_between_streams),
		BOTH(test_packed), BOTH(test_cut_off),
		BOTH(test_packing_given_up), BOTH(test_disk_full_while_packing),
		BOTH(test_recover_while_packing),
		BOTH(test_packing_name_is_taken),
		BOTH(test_recover_refuses_others), BOTH(test_recover_damaged_layout),
		BOTH(test_recover_before_the_options),
		BOTH(test_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
