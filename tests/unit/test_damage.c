/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damaged traces: cut anywhere, and with wrong bytes where the file says what lies
 * where.  Nothing may crash or hang, every refusal tells a place in the file, and
 * what the damage did not touch is still shown.
 *
 * Quick: all samples, and some recorded traces with wide steps.  FTOP_TEST_LONG:
 * every byte of the samples and every recorded trace, cut at each 4096th byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/pages/page_reader.h"
#include "parsers/source/sub_buffer.h"
#include "parsers/file/trace_file.h"
#include "parsers/lines/line_source.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "src/base/memory.h"
#include "tests/lib/limits.h"
#include "tests/lib/samples.h"

#define CUT_STEP	4096u
#define HANG_SECONDS	60	/* of CPU */
/* of one stream that are read; chunks that lie can promise more */
#define MAX_PAGES	4096u

/* A trace in memory, as a file that can be damaged and repaired. */
struct victim {
	char		 name[300];
	char		 path[64];	/* /proc/self/fd/N */
	int		 fd;
	uint8_t		*data;		/* sound */
	size_t		 size;
};

struct cpu_count {
	char		 buffer[64];
	int		 cpu;
	uint64_t	 start, end;	/* file offsets: its data, and behind it */
	uint64_t	 events;
};

struct counts {
	struct cpu_count *cpus;
	unsigned int	 nr, cap;
	uint64_t	 events;
};

static bool is_long(void)
{
	return getenv("FTOP_TEST_LONG") != NULL;
}

static void victim_write(const struct victim *v)
{
	assert_int_equal(ftruncate(v->fd, 0), 0);
	assert_int_equal(pwrite(v->fd, v->data, v->size, 0), v->size);
}

static void victim_create(struct victim *v, const char *name)
{
	snprintf(v->name, sizeof(v->name), "%s", name);
	v->fd = memfd_create("trace.dat", MFD_CLOEXEC);
	assert_true(v->fd >= 0);
	snprintf(v->path, sizeof(v->path), "/proc/self/fd/%d", v->fd);
}

/* False: the sample's codec is not built in. */
static bool victim_of_sample(struct victim *v, const struct sample *sample)
{
	struct ft_error err = { 0 };

	victim_create(v, sample->name);
	if (sample_write(sample, v->path, &err)) {
		assert_int_equal(err.code, FT_E_UNSUPPORTED);
		close(v->fd);
		return false;
	}
	v->size = (size_t)lseek(v->fd, 0, SEEK_END);
	v->data = mem_alloc(v->size);
	assert_int_equal(pread(v->fd, v->data, v->size, 0), v->size);
	return true;
}

static bool victim_of_file(struct victim *v, const char *path, const char *name)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	victim_create(v, name);
	assert_int_equal(fstat(fd, &st), 0);
	v->size = (size_t)st.st_size;
	v->data = mem_alloc(v->size);
	assert_int_equal(read(fd, v->data, v->size), v->size);
	close(fd);
	victim_write(v);
	return true;
}

static void victim_free(struct victim *v)
{
	close(v->fd);
	free(v->data);
}

/* --- reading all that there is --------------------------------------------------------- */

static uint64_t count_page(const struct sub_buffer_layout *layout, const uint8_t *page,
			   uint32_t len)
{
	struct sub_buffer sb;
	struct record rec;
	uint64_t nr = 0;

	sub_buffer_open(&sb, layout, page, len);
	while (sub_buffer_next(&sb, &rec))
		nr++;
	return nr;
}

static uint64_t count_stream(const struct source *file, unsigned int stream)
{
	const struct source_stream *s = source_stream(file, stream);
	const struct sub_buffer_layout *layout =
		&source_buffer(file, (unsigned int)s->buffer)->layout;
	struct page_reader *reader = page_reader_new(file, 65536);
	uint64_t pages = source_stream_pages(file, stream);
	uint64_t nr_events = 0;

	for (uint64_t page = 0; page < pages && page < MAX_PAGES;) {
		uint32_t nr, last;
		const uint8_t *data = page_reader_get(reader, stream, page, &nr, &last);

		if (!data) {
			page++;
			continue;
		}
		for (uint32_t i = 0; i < nr; i++)
			nr_events += count_page(layout, data + (size_t)i * layout->page_size,
						i + 1 < nr ? layout->page_size : last);
		page += nr;
	}
	page_reader_free(reader);
	return nr_events;
}

static void count_all(const struct source *file, struct counts *counts)
{
	*counts = (struct counts){ 0 };
	for (unsigned int i = 0; i < source_nr_streams(file); i++) {
		const struct source_stream *s = source_stream(file, i);
		struct cpu_count *c;

		if (line_source_file(file))	/* made of the text */
			continue;
		mem_grow(&counts->cpus, counts->nr, &counts->cap);
		c = &counts->cpus[counts->nr++];
		snprintf(c->buffer, sizeof(c->buffer), "%s",
			 source_buffer(file, (unsigned int)s->buffer)->name);
		c->cpu = s->cpu;
		c->start = s->offset;
		c->end = s->offset + s->file_size;
		c->events = count_stream(file, i);
		counts->events += c->events;
	}
}

static void read_texts(const struct source *file)
{
	uint64_t size;

	for (int kind = TRACE_TEXT_HEADER_PAGE; kind <= TRACE_TEXT_PRIVATE; kind++) {
		const char *text = source_text(file, (enum trace_text)kind, &size);

		assert_int_equal(text[size], '\0');
	}
	for (unsigned int i = 0; i < source_nr_formats(file); i++)
		assert_non_null(source_format(file, i)->text);
	for (unsigned int i = 0; i < source_nr_buffers(file); i++)
		assert_non_null(trace_file_latency_text(file, i, &size));
}

/*
 * Open, read everything, and count the events.  False: refused, with a message and a place in the
 * file.
 */
static bool examine(const struct victim *v, uint64_t size, struct counts *counts,
		    unsigned int *nr_notes)
{
	struct ft_error err = { .offset = -1 };
	struct source *file;

	*counts = (struct counts){ 0 };
	*nr_notes = 0;
	limit_cpu(HANG_SECONDS);
	file = source_open(v->path, -1, &err);
	if (!file) {
		if (err.code == FT_E_NONE || !err.message[0] || err.offset < 0 ||
		    (uint64_t)err.offset > size)
			fail_msg("%s: code %d, offset %lld, message \"%s\"", v->name, (int)err.code,
				 (long long)err.offset, err.message);
		return false;
	}
	read_texts(file);
	count_all(file, counts);
	*nr_notes = source_nr_warnings(file);
	for (unsigned int i = 0; i < *nr_notes; i++) {
		struct ft_error note = source_warning(file, i);

		/* what is not there has no place: -1 */
		if (!note.message[0] || note.offset < -1)
			fail_msg("%s: note \"%s\" at %lld", v->name, note.message,
				 (long long)note.offset);
	}
	source_close(file);
	return true;
}

/* --- cut ----------------------------------------------------------------------------------- */

/* Events of the CPUs whose data lies before the cut. */
static uint64_t intact_events(const struct counts *whole, uint64_t cut)
{
	uint64_t nr = 0;

	for (unsigned int i = 0; i < whole->nr; i++)
		if (whole->cpus[i].end <= cut)
			nr += whole->cpus[i].events;
	return nr;
}

/*
 * Where the file still says which CPU is which (version 6: in front of the data), each must be
 * complete.
 */
static void check_cpus(const struct victim *v, const struct counts *whole, const struct counts *got,
		       uint64_t cut)
{
	for (unsigned int i = 0; i < whole->nr; i++) {
		const struct cpu_count *want = &whole->cpus[i];
		bool found = false;

		if (want->end > cut || !want->events)
			continue;
		for (unsigned int k = 0; k < got->nr && !found; k++)
			found = got->cpus[k].cpu == want->cpu &&
				!strcmp(got->cpus[k].buffer, want->buffer) &&
				got->cpus[k].events == want->events;
		if (!found)
			fail_msg("%s cut at %llu: not all %llu events of CPU %d are there", v->name,
				 (unsigned long long)cut, (unsigned long long)want->events,
				 want->cpu);
	}
}

static void check_cut(const struct victim *v, const struct counts *whole, uint64_t cut)
{
	bool is_v6 = v->data[10] == '6';
	uint64_t want = intact_events(whole, cut);
	struct counts got;
	unsigned int nr_notes;

	assert_int_equal(ftruncate(v->fd, (off_t)cut), 0);
	if (!examine(v, cut, &got, &nr_notes)) {
		if (want)
			fail_msg("%s cut at %llu is refused, although %llu events are intact",
				 v->name, (unsigned long long)cut, (unsigned long long)want);
		return;
	}
	if (got.events < want || got.events > whole->events)
		fail_msg("%s cut at %llu: %llu events instead of %llu to %llu", v->name,
			 (unsigned long long)cut, (unsigned long long)got.events,
			 (unsigned long long)want, (unsigned long long)whole->events);
	if (got.events < whole->events && !nr_notes)
		fail_msg("%s cut at %llu: events are missing, and nothing is said", v->name,
			 (unsigned long long)cut);
	if (is_v6)
		check_cpus(v, whole, &got, cut);
	free(got.cpus);
}

/* From the end to the start, so that the file need not be written anew. */
static void cut_everywhere(const struct victim *v, uint64_t step, uint64_t phase)
{
	struct counts whole;
	unsigned int nr_notes;

	assert_true(examine(v, v->size, &whole, &nr_notes));
	assert_int_equal(nr_notes, 0);
	phase %= v->size;		/* of a small file */
	for (uint64_t i = (v->size - 1 - phase) / step + 1; i-- > 0;)
		check_cut(v, &whole, i * step + phase);
	free(whole.cpus);
	victim_write(v);
}

/* --- wrong bytes ------------------------------------------------------------------------------ */

static void check_flip(const struct victim *v, uint64_t at, uint8_t mask)
{
	uint8_t byte = v->data[at] ^ mask;
	struct counts got;
	unsigned int nr_notes;

	assert_int_equal(pwrite(v->fd, &byte, 1, (off_t)at), 1);
	if (examine(v, v->size, &got, &nr_notes))
		free(got.cpus);
	assert_int_equal(pwrite(v->fd, &v->data[at], 1, (off_t)at), 1);
}

static void flip_range(const struct victim *v, uint64_t from, uint64_t to, uint64_t step,
		       uint8_t mask)
{
	for (uint64_t at = from; at < to && at < v->size; at += step)
		check_flip(v, at, mask);
}

/* Whatever stands at the head of one CPU's data: the others are read as before. */
static void check_stream_flip(const struct victim *v, const struct counts *whole,
			      unsigned int stream, uint64_t at, uint8_t mask)
{
	uint8_t byte = v->data[at] ^ mask;
	struct counts got;
	unsigned int nr_notes;

	assert_int_equal(pwrite(v->fd, &byte, 1, (off_t)at), 1);
	if (!examine(v, v->size, &got, &nr_notes))
		fail_msg("%s is refused for byte %llu of a CPU's data", v->name,
			 (unsigned long long)at);
	assert_int_equal(got.nr, whole->nr);
	for (unsigned int i = 0; i < got.nr; i++)
		if (i != stream && got.cpus[i].events != whole->cpus[i].events)
			fail_msg("%s, byte %llu of CPU %d: CPU %d has %llu events instead of %llu",
				 v->name, (unsigned long long)at, whole->cpus[stream].cpu,
				 whole->cpus[i].cpu, (unsigned long long)got.cpus[i].events,
				 (unsigned long long)whole->cpus[i].events);
	free(got.cpus);
	assert_int_equal(pwrite(v->fd, &v->data[at], 1, (off_t)at), 1);
}

/* The first bytes of the CPU data: headers of sub-buffers, or of chunks. */
static void flip_streams(const struct victim *v, uint64_t step, uint8_t mask)
{
	struct counts whole;
	unsigned int nr_notes;

	assert_true(examine(v, v->size, &whole, &nr_notes));
	for (unsigned int i = 0; i < whole.nr; i++)
		for (uint64_t at = whole.cpus[i].start;
		     at < whole.cpus[i].end && at < whole.cpus[i].start + 24; at += step)
			check_stream_flip(v, &whole, i, at, mask);
	free(whole.cpus);
}

static uint64_t load(const struct victim *v, uint64_t at, int size)
{
	uint64_t value = 0;

	for (int i = 0; i < size && at + (uint64_t)i < v->size; i++)
		value |= (uint64_t)v->data[at + (uint64_t)i]
			 << 8 * (v->data[12] ? size - 1 - i : i);
	return value;
}

/* Ids, sizes and the first two numbers of what options say; the rest is mostly text. */
static void flip_options(const struct victim *v, uint64_t from, uint64_t to, uint64_t step,
			 uint8_t mask)
{
	for (uint64_t at = from; at < to;) {
		uint64_t size = 6 + load(v, at + 2, 4);

		flip_range(v, at, at + (size < 22 ? size : 22), step, mask);
		at += size;
	}
}

/* Version 7: the initial header, each section's header, the options. */
static void flip_sections(const struct victim *v, uint64_t step, uint8_t mask)
{
	uint64_t at = 18;

	at += strlen((const char *)v->data + at) + 1;		/* name of the codec */
	/* its version, offset of the options */
	at += strlen((const char *)v->data + at) + 1 + 8;
	flip_range(v, 0, at, step, mask);
	while (at + 16 < v->size) {
		uint64_t size = load(v, at + 8, 8);

		flip_range(v, at, at + 24, step, mask);
		if (load(v, at, 2) == TRACE_OPTION_DONE)
			flip_options(v, at + 16, at + 16 + size, step, mask);
		at += 16 + size;
	}
}

/* Version 6: the initial header, options and table of CPUs. */
static void flip_sequence(const struct victim *v, uint64_t step, uint8_t mask)
{
	const uint8_t *options = memmem(v->data, v->size, "options  ", 10);
	const uint8_t *table = memmem(v->data, v->size, "flyrecord", 10);
	uint64_t from;

	flip_range(v, 0, 38, step, mask);		/* up to the size of header_page's text */
	if (!table)
		table = memmem(v->data, v->size, "latency  ", 10);
	from = (uint64_t)((options ? options : table) - v->data) - 4;
	flip_range(v, from, (uint64_t)(table - v->data) + 10 + 16 * load(v, from, 4) + 16, step,
		   mask);
}

static void flip_headers(const struct victim *v, uint64_t step, uint8_t mask)
{
	if (v->data[10] == '6')
		flip_sequence(v, step, mask);
	else
		flip_sections(v, step, mask);
	flip_streams(v, step, mask);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void test_samples_cut(void **state)
{
	unsigned int nr = 0;

	(void)state;
	for (unsigned int i = 0; i < samples_nr(); i++) {
		struct victim v;

		if (!victim_of_sample(&v, sample_at(i)))
			continue;
		cut_everywhere(&v, v.size > 65536 ? 4001 : is_long() ? 1 : 61, 0);
		victim_free(&v);
		nr++;
	}
	assert_in_range(nr, samples_nr() / 2, samples_nr());
}

static void test_samples_flipped(void **state)
{
	unsigned int nr = 0, nr_notes;
	struct counts whole;

	(void)state;
	for (unsigned int i = 0; i < samples_nr(); i++) {
		struct victim v;

		if (!victim_of_sample(&v, sample_at(i)))
			continue;
		if (v.size <= 65536) {
			flip_range(&v, 0, v.size, is_long() ? 1 : 37, 0xff);
			flip_headers(&v, is_long() ? 1 : 3, 0xff);
			flip_headers(&v, is_long() ? 1 : 5, 0x01);
			flip_headers(&v, is_long() ? 1 : 7, 0x80);
			nr++;
		}
		/* and each byte was put back: it reads as a whole file again */
		assert_true(examine(&v, v.size, &whole, &nr_notes));
		assert_int_equal(nr_notes, 0);
		free(whole.cpus);
		victim_free(&v);
	}
	assert_true(nr > 0);
}

/* In a quick run: one of each kind. */
static const char *const quick[] = {
	"v6", "v7-zlib", "instances", "irqsoff", "subbuf", "lost", "cpu4", "tc34-sched",
};

static bool is_quick(const char *name)
{
	for (size_t i = 0; i < sizeof(quick) / sizeof(quick[0]); i++)
		if (!strcmp(name, quick[i]))
			return true;
	return false;
}

static void damage_file(const char *path, const char *name)
{
	struct victim v;

	if (!victim_of_file(&v, path, name))
		fail_msg("%s cannot be read", path);
	cut_everywhere(&v, is_long() ? CUT_STEP : 16 * CUT_STEP, is_long() ? 0 : CUT_STEP);
	flip_headers(&v, is_long() ? 1 : 29, 0xff);
	victim_free(&v);
}

/* DIR/NAME/trace.dat, or DIR/NAME.dat.  Returns how many there are, -1 without the directory. */
static int damage_directory(const char *dir, bool all)
{
	struct dirent *entry;
	char path[8192];
	struct stat st;
	int nr = 0;
	DIR *d = opendir(dir);

	if (!d)
		return -1;
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.' || (!all && !is_quick(entry->d_name)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (!stat(path, &st) && S_ISDIR(st.st_mode))
			snprintf(path, sizeof(path), "%s/%s/trace.dat", dir, entry->d_name);
		if (strlen(path) < 4 || strcmp(path + strlen(path) - 4, ".dat") || stat(path, &st))
			continue;
		damage_file(path, entry->d_name);
		nr++;
	}
	closedir(d);
	return nr;
}

static void test_good_files(void **state)
{
	const char *data = getenv("FTOP_TEST_DATA");
	char dir[4096];
	int nr;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/good", data ? data : "tests/data");
	nr = damage_directory(dir, true);
	if (nr < 0) {
		print_message("skipped: there is no %s\n", dir);
		skip();
	}
	assert_true(nr > 0);
}

static void test_fixtures(void **state)
{
	const char *shared = getenv("FTOP_SHARED");
	char dir[4096];
	int nr;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/fixtures", shared && *shared ? shared : "../shared");
	nr = damage_directory(dir, is_long());
	if (nr < 0) {
		print_message("skipped: there is no %s\n", dir);
		skip();
	}
	assert_true(nr >= (int)(sizeof(quick) / sizeof(quick[0])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_cut),
		cmocka_unit_test(test_samples_flipped),
		cmocka_unit_test(test_good_files),
		cmocka_unit_test(test_fixtures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
