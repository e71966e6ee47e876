/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our own section of a trace.dat, cut off at every byte: it is told, what is whole is used, and
 * half a line is not.  And texts, of latency tracers and others, whose last line is half.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "parsers/file/trace_file.h"
#include "parsers/open/open.h"
#include "parsers/source/page_maker.h"
#include "parsers/writer/private_section.h"
#include "parsers/writer/trace_writer.h"
#include "src/base/small_file.h"
#include "tests/lib/file_bytes.h"
#include "tests/lib/temp_path.h"

#define MOST_BYTES	(1u << 20)
#define LOST		"is cut off: "
#define LINES		TRACE_PRIVATE_MAGIC "missed 1234 a:b\nnote as the recorder said\n"
#define TGIDS		"saved_tgids 4\n9 8\n"
#define HISTS		"hists 6\nabcde\n"

struct form {
	int	version;
	bool	big_endian;
	const char *latency;		/* text of a latency tracer; NULL: sub-buffers */
};

static const struct form forms[] = { { 6, false, NULL }, { 6, true, NULL }, { 7, false, NULL },
				     { 7, true, NULL } };
#define NR_FORMS	(sizeof(forms) / sizeof(forms[0]))

/* Write a file.  @private: our own section; "" = none */
static void make_file(const struct form *form, const char *private, struct text *bytes)
{
	const struct trace_writer_options options = {
		.version = form->version, .big_endian = form->big_endian, .long_size = 8,
		.page_size = 4096,
	};
	struct trace_writer *w = trace_writer_new(temp_path, &options, NULL);
	struct text headers[2] = { 0 };
	static char page[4096];
	int buffer;

	assert_non_null(w);
	page_maker_headers(sizeof(page), &headers[0], &headers[1]);
	for (unsigned int i = 0; i < 2; i++) {
		trace_writer_text(w, TRACE_TEXT_HEADER_PAGE + i, text_str(&headers[i]),
				  headers[i].len);
		text_fini(&headers[i]);
	}
	trace_writer_text(w, TRACE_TEXT_PRIVATE, private, strlen(private));
	buffer = trace_writer_buffer(w, "", "local", 0);
	if (form->latency)
		trace_writer_latency_text(w, buffer, form->latency, strlen(form->latency), NULL);
	else
		trace_writer_pages(w, buffer, 0, page, sizeof(page), NULL);
	assert_int_equal(trace_writer_finish(w, NULL), 0);
	text_clear(bytes);
	assert_int_equal(small_file_read(temp_path, MOST_BYTES, bytes, NULL), 0);
}

/* Add a section to the file of make_file(), as `symbols` does. */
static void add_section(const struct form *form, const char *private, struct text *bytes)
{
	struct text section = { 0 };
	int fd = open(temp_path, O_RDWR | O_APPEND);

	text_add(&section, private);
	assert_int_equal(private_section_append(fd, form->big_endian, &section, NULL), 0);
	close(fd);
	text_fini(&section);
	text_clear(bytes);
	assert_int_equal(small_file_read(temp_path, MOST_BYTES, bytes, NULL), 0);
}

static const char *text_of(const struct source *file, enum trace_text kind)
{
	return source_text(file, kind, NULL);
}

/* A text is the whole one, or it is not there and that is said. */
static void expect_whole_or_lost(const struct source *file, enum trace_text kind, const char *whole)
{
	if (strcmp(text_of(file, kind), whole)) {
		assert_string_equal(text_of(file, kind), "");
		assert_non_null(source_text_lost(file, kind));
	}
}

/* A file made of one that was cut off, as `cut` and `symbols` do, tells it, too. */
static void expect_passed_on(const struct form *form, const struct source *cut)
{
	struct text bytes = { 0 };
	struct source *file;

	make_file(form, text_of(cut, TRACE_TEXT_PRIVATE), &bytes);
	file = fb_open_bytes(bytes.data, bytes.len, NULL);
	assert_non_null(file);
	assert_true(fb_noted(file, LOST) && source_is_damaged(file));
	expect_whole_or_lost(file, TRACE_TEXT_HISTS, "abcde\n");
	assert_true(!*source_info(file)->missed || !strcmp(source_info(file)->missed, "1234 a:b"));
	source_close(file);
	text_fini(&bytes);
}

static void expect_whole(const struct text *bytes)
{
	struct source *file = fb_open_bytes(bytes->data, bytes->len, NULL);

	assert_non_null(file);
	for (unsigned int i = 0; i < source_nr_warnings(file); i++)
		print_message("%s\n", source_warning(file, i).message);
	assert_false(source_is_damaged(file));
	assert_string_equal(text_of(file, TRACE_TEXT_TGIDS), "9 8\n");
	assert_string_equal(text_of(file, TRACE_TEXT_HISTS), "abcde\n");
	assert_null(source_text_lost(file, TRACE_TEXT_HISTS));
	assert_string_equal(text_of(file, TRACE_TEXT_MACHINE), "");
	assert_null(source_text_lost(file, TRACE_TEXT_MACHINE));
	source_close(file);
}

/* @from: the first cut */
static void expect_told(const struct form *form, const struct text *bytes, size_t from)
{
	for (size_t len = from; len < bytes->len; len++) {
		struct source *file = fb_open_bytes(bytes->data, len, NULL);

		if (!file)		/* a damaged head */
			continue;
		if (form->version == 6 && !fb_noted(file, LOST))
			fail_msg("version 6, %zu of %zu bytes: nothing is told", len, bytes->len);
		assert_true(!*source_info(file)->missed ||
			    !strcmp(source_info(file)->missed, "1234 a:b"));
		expect_whole_or_lost(file, TRACE_TEXT_TGIDS, "9 8\n");
		expect_whole_or_lost(file, TRACE_TEXT_HISTS, "abcde\n");
		assert_true(source_is_damaged(file) ?
				    !!source_text_lost(file, TRACE_TEXT_MACHINE) :
				    form->version == 7 && *text_of(file, TRACE_TEXT_HISTS));
		if (fb_noted(file, LOST) && len % 7 == 0)
			expect_passed_on(form, file);
		source_close(file);
	}
}

static void test_every_byte(void **state)
{
	struct text bytes = { 0 };

	(void)state;
	for (size_t i = 0; i < NR_FORMS; i++) {
		make_file(&forms[i], LINES TGIDS HISTS, &bytes);
		expect_whole(&bytes);
		expect_told(&forms[i], &bytes,
			    forms[i].version == 6 ? bytes.len - sizeof(LINES TGIDS HISTS) - 24 : 0);
	}
	text_fini(&bytes);
}

/* One that was added: to a file that had none, and to one that had one, which is used instead. */
static void test_added(void **state)
{
	struct text bytes = { 0 };
	struct source *file;

	(void)state;
	for (size_t i = 0; i < 2 * NR_FORMS; i++) {
		const struct form *form = &forms[i / 2];
		size_t before;

		make_file(form, i % 2 ? LINES TGIDS HISTS : "", &bytes);
		before = bytes.len;
		add_section(form, LINES TGIDS HISTS "user_symbols 2\nx\n", &bytes);
		expect_whole(&bytes);
		for (size_t len = before + 1; len < bytes.len; len++) {
			file = fb_open_bytes(bytes.data, len, NULL);
			assert_non_null(file);
			assert_true(fb_noted(file, LOST));
			expect_whole_or_lost(file, TRACE_TEXT_USER_SYMBOLS, "x\n");
			if (i % 2)
				assert_string_equal(text_of(file, TRACE_TEXT_HISTS), "abcde\n");
			else
				expect_whole_or_lost(file, TRACE_TEXT_HISTS, "abcde\n");
			source_close(file);
		}
	}
	text_fini(&bytes);
}

/* A file without the section, and one at whose end others wrote, were not cut off. */
static void test_none(void **state)
{
	static const char *const ends[] = { "", "notes of somebody", "TF\1\1 and more of it" };
	struct text bytes = { 0 };

	(void)state;
	for (size_t i = 0; i < NR_FORMS; i++)
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++) {
			struct source *file;

			make_file(&forms[i], "", &bytes);
			text_add(&bytes, ends[k]);
			file = fb_open_bytes(bytes.data, bytes.len, NULL);
			assert_non_null(file);
			if (fb_noted(file, LOST))
				fail_msg("form %zu, end \"%s\": %s", i, ends[k],
					 source_warning(file, 0).message);
			assert_string_equal(text_of(file, TRACE_TEXT_PRIVATE), "");
			source_close(file);
		}
	text_fini(&bytes);
}

/* Other programs copy our option to files without the section, and shift what is there. */
static void test_rewritten(void **state)
{
	struct text bytes = { 0 };
	struct source *file;
	char *place;

	(void)state;
	make_file(&forms[2], LINES TGIDS HISTS, &bytes);
	place = memmem(bytes.data, bytes.len, TRACE_PRIVATE_MAGIC, sizeof(TRACE_PRIVATE_MAGIC) - 1);
	assert_non_null(place);
	*place = 'F';
	file = fb_open_bytes(bytes.data, bytes.len, NULL);
	assert_true(fb_noted(file, "another program wrote the file anew, without it"));
	assert_string_equal(text_of(file, TRACE_TEXT_HISTS), "");
	source_close(file);
	text_fini(&bytes);
}

#define LATENCY	"# tracer: wakeup\n#\n# wakeup latency trace v1.1.5 on 6.1.0\n"                        \
		"# latency: 20 us, #2/2, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)\n"             \
		"      sh-12      0d...    1us : sched_switch: prev_comm=sh prev_pid=12\n"             \
		"      sh-12      0d...   20us : sched_switch: next_comm=sh next_pid=1234\n"

static void test_latency_text(void **state)
{
	const struct form form = { .version = 6, .latency = LATENCY };
	struct text bytes = { 0 };

	(void)state;
	make_file(&form, "", &bytes);
	for (size_t len = bytes.len - sizeof(LATENCY) + 1; len <= bytes.len; len++) {
		struct source *file = fb_open_bytes(bytes.data, len, NULL);

		assert_non_null(file);
		assert_int_equal(fb_noted(file, LOST), len < bytes.len);
		source_close(file);
	}
	text_fini(&bytes);
}

/* "next_pid=12" may have been 1234. */
static void test_half_line(void **state)
{
	static const char text[] = "a-1 [000] 1.000001: sched_switch: next_pid=1\n"
				   "a-1 [000] 1.000002: sched_switch: next_pid=1234\n";
	const char *first = strchr(text, '\n') + 1;

	(void)state;
	for (const char *end = first; end <= text + strlen(text); end++) {
		bool is_half = end > first && end[-1] != '\n';
		struct source *file = fb_open_bytes(text, (size_t)(end - text), NULL);
		struct page_reader *reader;
		uint32_t nr, last;

		assert_non_null(file);
		assert_int_equal(fb_noted(file, "the text ends within a line"), is_half);
		assert_int_equal(source_is_damaged(file), is_half);
		reader = page_reader_new(file, 4096);
		assert_non_null(page_reader_get(reader, 0, 0, &nr, &last));
		page_reader_free(reader);
		source_close(file);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte), cmocka_unit_test(test_added),
		cmocka_unit_test(test_none),	   cmocka_unit_test(test_rewritten),
		cmocka_unit_test(test_latency_text), cmocka_unit_test(test_half_line),
	};

	return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
