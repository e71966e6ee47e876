/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats, symbols and types that would make megabytes of text of a small record: each text ends at
 * the limit, in every style, and the file has a note of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "parsers/printer/printer.h"
#include "parsers/source/record_bound.h"
#include "parsers/source/source.h"
#include "parsers/text/kernel_text.h"
#include "parsers/text/record_text.h"
#include "parsers/types/btf.h"
#include "parsers/types/field.h"
#include "parsers/writer/trace_writer.h"
#include "src/base/memory.h"
#include "src/report/report_rows.h"
#include "src/trace/trace.h"
#include "tests/lib/made_btf.h"
#include "tests/lib/start_helper.h"
#include "tests/lib/temp_path.h"

#define RECORD_BYTES	4000u
#define NAME_BYTES	30000u		/* of a function, and of an argument */
#define FUNCTION	0xffffffff81001000ull
#define SHORT		0xffffffff81002000ull	/* f() */
#define COMMON                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* A format with one field; @values conversions of one kind, and as many arguments. */
static const struct {
	const char	*system, *name, *field, *conversion, *argument;
	unsigned int	 values;
} cases[] = {
	{ "fuzz", "wide", "int n;\toffset:8;\tsize:4;\tsigned:1", "%9999d", "REC->n", 40 },
	{ "fuzz", "star", "int n;\toffset:8;\tsize:4;\tsigned:1", "%*d", "REC->n, REC->n", 40 },
	{ "fuzz", "strings", "char s[3900];\toffset:8;\tsize:3900;\tsigned:0", "%s", "REC->s", 40 },
	{ "fuzz", "array", "u8 a[3900];\toffset:8;\tsize:3900;\tsigned:0", "%s",
	  "__print_array(REC->a, 3900, 1)", 40 },
	{ "fuzz", "hex", "u8 a[3900];\toffset:8;\tsize:3900;\tsigned:0", "%s",
	  "__print_hex(REC->a, 3900)", 40 },
	{ "fuzz", "symbols", "unsigned long ip;\toffset:8;\tsize:8;\tsigned:0", "%pS",
	  "(void *)REC->ip", 40 },
	{ "ftrace", "kernel_stack", "unsigned long caller[400];\toffset:8;\tsize:3200;\tsigned:0",
	  "%p", "(void *)REC->caller[0]", 1 },
	{ "ftrace", "bprint",
	  "unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:const char * fmt;\toffset:16;\t"
	  "size:8;\tsigned:0;\n\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0", "%s",
	  "REC->fmt", 1 },
	{ "ftrace", "function",
	  "unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:unsigned long parent_ip;\t"
	  "offset:16;\tsize:8;\tsigned:0;\n\tfield:unsigned long args[];\toffset:24;\tsize:0;\t"
	  "signed:0", "%ps", "(void *)REC->ip", 1 },
};

#define NR_CASES	(sizeof(cases) / sizeof(cases[0]) - 1)	/* without function */
#define CALL		((int)NR_CASES + 1)
#define MANY_FIELDS	((int)NR_CASES + 2)	/* the type whose fields are the same bytes */

static struct trace *trace;

static void add_format(struct trace_writer *w, size_t i)
{
	struct text t = { 0 };

	text_printf(&t, "name: %s\nID: %zu\n" COMMON "\tfield:%s;\n\nprint fmt: \"", cases[i].name,
		    i + 1, cases[i].field);
	for (unsigned int n = 0; n < cases[i].values; n++)
		text_add(&t, cases[i].conversion);
	text_char(&t, '"');
	for (unsigned int n = 0; n < cases[i].values; n++)
		text_printf(&t, ", %s", cases[i].argument);
	text_char(&t, '\n');
	trace_writer_format(w, cases[i].system, text_str(&t), t.len);
	text_fini(&t);
}

static void add_many_fields(struct trace_writer *w)
{
	struct text t = { 0 };

	text_printf(&t, "name: many\nID: %d\n" COMMON, MANY_FIELDS);
	for (int i = 0; i < 1000; i++)
		text_printf(&t, "\tfield:u16 f%d[1900];\toffset:8;\tsize:3800;\tsigned:0;\n", i);
	text_add(&t, "\nprint fmt: \"x\"\n");
	trace_writer_format(w, "fuzz", text_str(&t), t.len);
	text_fini(&t);
}

static void add_texts(struct trace_writer *w)
{
	struct text t = { 0 };

	text_add(&t, "ffffffff81000000 T _stext\nffffffff81001000 T ");
	for (unsigned int i = 0; i < NAME_BYTES; i++)
		text_char(&t, 'f');
	text_add(&t, "\nffffffff81002000 t f\n");
	trace_writer_text(w, TRACE_TEXT_KALLSYMS, text_str(&t), t.len);
	text_clear(&t);
	text_printf(&t, "0x%llx : \"", FUNCTION);
	for (unsigned int i = 0; i < 500; i++)
		text_add(&t, "%1000d");
	text_add(&t, "\"\n");
	trace_writer_text(w, TRACE_TEXT_PRINTK, text_str(&t), t.len);
	text_fini(&t);
}

static int make(void **state)
{
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	const struct trace_writer_options options = { .version = 6, .big_endian = HOST_BIG_ENDIAN,
						      .long_size = 8, .page_size = 4096 };
	const struct trace_options open = { .nr_workers = 1, .hold_permille = -1 };
	const char *path = temp_path;
	struct ft_error err = { 0 };
	struct trace_writer *w;

	if (temp_path_make(state))
		return -1;
	w = trace_writer_new(path, &options, &err);
	assert_non_null(w);
	trace_writer_text(w, TRACE_TEXT_HEADER_PAGE, page, sizeof(page) - 1);
	for (size_t i = 0; i <= NR_CASES; i++)
		add_format(w, i);
	add_many_fields(w);
	add_texts(w);
	trace_writer_buffer(w, "", "local", 0);
	assert_int_equal(trace_writer_finish(w, &err), 0);
	trace = trace_open(&path, 1, true, &open, &err);
	assert_non_null(trace);
	return 0;
}

static int clean(void **state)
{
	trace_close(trace);
	return temp_path_remove(state);
}

/* Its bytes are letters, and, as far as a format has them, numbers and addresses. */
static struct print_record make_record(int id, uint8_t *bytes)
{
	static const uint64_t address = FUNCTION;
	bool letters = id <= (int)NR_CASES && !strcmp(cases[id - 1].name, "strings");

	memset(bytes, 'a', RECORD_BYTES);
	for (uint32_t at = 8; at < RECORD_BYTES && !letters; at += 8)
		memcpy(bytes + at, &address, 8);
	store_u16(bytes, (uint16_t)id, false);
	if (id <= (int)NR_CASES && strstr(cases[id - 1].field, "int n;"))
		store_u32(bytes + 8, 30000, false);
	return (struct print_record){ .type = event_types_find(trace_event_types(trace, 0), id),
				      .data = bytes, .size = RECORD_BYTES };
}

static bool has_note(const char *event)
{
	const struct source *file = trace_file_of(trace, 0);

	for (unsigned int i = 0; i < source_nr_warnings(file); i++)
		if (strstr(source_warning(file, i).message, event))
			return true;
	return false;
}

static void is_cut(struct text *t, size_t from)
{
	assert_in_range(t->len - from, 1000, RECORD_TEXT_BYTES + strlen("…"));
	assert_string_equal(t->data + t->len - strlen("…"), "…");
	text_char(t, '!');		/* the bound has ended with the record */
	assert_int_equal(t->data[t->len - 1], '!');
}

/* @raw: libtraceevent's text of the fields without the print format is short. */
static void check(struct printer *p, const struct print_record *rec, bool raw)
{
	struct text t = { 0 };
	uint64_t note;

	for (enum print_style style = PRINT_TRACE_CMD; style <= PRINT_KERNEL; style++) {
		size_t from = t.len;

		printer_text(p, style, rec, NULL, NULL, &t);
		if (style != PRINT_TRACE_CMD_RAW || raw)
			is_cut(&t, from);
		else
			assert_in_range(t.len - from, 0, RECORD_TEXT_BYTES + strlen("…"));
	}
	text_clear(&t);
	printer_screen(p, rec, NULL, 1 << 20, &t);
	is_cut(&t, 0);
	text_clear(&t);
	printer_text_later(p, PRINT_TRACE_CMD, rec, &t, &note);
	printer_finish_texts(p);
	assert_in_range((uint32_t)note, 0, RECORD_TEXT_BYTES + strlen("…"));
	text_fini(&t);
}

static void test_texts(void **state)
{
	const struct printer_options library = { .library_only = true };
	uint8_t bytes[RECORD_BYTES];

	(void)state;
	for (size_t i = 0; i < NR_CASES; i++) {
		struct print_record rec = make_record((int)i + 1, bytes);
		struct printer *own = printer_new(trace_file_of(trace, 0),
						  trace_event_types(trace, 0), NULL),
			       *other = printer_new(trace_file_of(trace, 0),
						    trace_event_types(trace, 0), &library);
		struct text t = { 0 };

		assert_non_null(rec.type);
		assert_false(has_note(cases[i].name));
		check(own, &rec, false);
		assert_true(has_note(cases[i].name));
		printer_text(other, PRINT_TRACE_CMD, &rec, NULL, NULL, &t);
		assert_in_range(t.len, 1, RECORD_TEXT_BYTES + strlen("…"));
		text_fini(&t);
		printer_free(other);
		printer_free(own);
	}
}

/* Its fields have one limit together; so have those in a line of JSON. */
static void test_fields(void **state)
{
	uint8_t bytes[RECORD_BYTES];
	struct print_record rec = make_record(MANY_FIELDS, bytes);
	struct trace_event event = { .kind = TRACE_ROW_EVENT, .type = rec.type, .data = rec.data,
				     .size = rec.size, .type_id = MANY_FIELDS };
	const struct report_row row = { .event = &event, .comm = "x" };
	struct trace_field_value *values;
	struct text t = { 0 };
	size_t all = 0;
	unsigned int nr;

	(void)state;
	nr = trace_event_fields(trace, &event, &values);
	assert_int_equal(nr, 1004);
	for (unsigned int i = 0; i < nr; i++)
		all += values[i].raw.len + values[i].printed.len;
	assert_in_range(all, RECORD_TEXT_BYTES / 2, RECORD_TEXT_BYTES + nr * (1 + strlen("…")));
	assert_string_equal(text_str(&values[nr - 1].raw) + values[nr - 1].raw.len - strlen("…"),
			    "…");
	trace_fields_free(values, nr);
	assert_true(has_note("fuzz:many"));
	report_row_json(&row, &t);
	assert_in_range(t.len, RECORD_TEXT_BYTES, 2 * RECORD_TEXT_BYTES);
	assert_non_null(strstr(text_str(&t), "\"cut_short\":true"));
	text_fini(&t);
}

/* Types that tell of f(): three of its arguments have long names. */
static struct btf *make_types(struct text *types)
{
	const uint32_t long_name = sizeof(MADE_BTF_STRINGS);
	struct made_btf made;
	uint8_t *bytes;

	made_btf_make(&made);
	/* the second f() would hide the first one */
	made.bytes[made.len - sizeof(MADE_BTF_STRINGS) - 12] = S_E;
	text_bytes(types, (const char *)made.bytes, made.len);
	for (unsigned int i = 0; i < NAME_BYTES; i++)
		text_char(types, 'n');
	text_char(types, '\0');
	bytes = (uint8_t *)types->data;
	store_u32(bytes + 20, long_name + NAME_BYTES + 1, false);	/* bytes of the strings */
	for (uint32_t at = 24; at < made.len - long_name; at += 4)
		if (load_u32(bytes + at, false) == S_U || load_u32(bytes + at, false) == S_P ||
		    load_u32(bytes + at, false) == S_V)
			store_u32(bytes + at, long_name, false);
	return btf_new(types->data, types->len);
}

static void test_arguments(void **state)
{
	const uint64_t function = SHORT;
	uint8_t bytes[RECORD_BYTES];
	struct print_record rec = make_record(CALL, bytes);
	struct text types = { 0 }, out = { 0 };
	struct btf *btf = make_types(&types);
	const struct kernel_text_options kernel = { .btf = btf };
	const struct record_text_options options = { .kernel = &kernel };
	struct printer *printer = trace_printer(trace, 0);
	struct record_text *texts = record_text_new(trace_file_of(trace, 0),
						    trace_event_types(trace, 0),
						    printer_kallsyms(printer), &options);

	(void)state;
	memcpy(bytes + 8, &function, 8);
	assert_true(record_text_add(texts, TEXT_KERNEL, &rec, NULL, NULL, &out));
	assert_memory_equal(out.data, "f(nnn", 5);
	is_cut(&out, 0);
	assert_true(has_note("ftrace:function"));
	record_text_free(texts);
	btf_free(btf);
	text_fini(&types);
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_arguments),
	};

	printer_set_helper(start_helper, NULL);
	return cmocka_run_group_tests(tests, make, clean);
}
