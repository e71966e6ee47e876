/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records written by hand, by the comments of eventheader.h of microsoft/LinuxTracepoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/source/record_bound.h"
#include "parsers/types/event_header.h"
#include "src/base/memory.h"

#define COMMON	"\x2a\0\0\0\0\0\0\0"	/* common fields: 8 bytes */

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

static const struct event_type type = { .name = "Prov_L4K1", .nr_fields = 8, .nr_common = 2,
					.fields = fields };

static void take(void *arg, const struct event_header_value *v)
{
	text_printf(arg, "%s%.*s(%s%s)=%.*s", v->is_inner ? "  " : "", (int)v->len, v->name,
		    v->type, v->is_decimal ? "," : "", (int)v->text_len, v->text);
	if (v->has_number && !v->is_decimal)
		text_printf(arg, " %Lg", v->number);
	text_char(arg, '\n');
}

/* @bytes: of the record; exactly as long, so that a sanitizer sees each byte too many */
static int read_record(const char *bytes, size_t len, struct text *out)
{
	uint8_t *copy = mem_array(len, 1);
	int ret;

	memcpy(copy, bytes, len);
	text_clear(out);
	ret = event_header_read(&type, copy, (uint32_t)len, take, out);
	free(copy);
	return ret;
}

static void reads_as(const char *record, size_t len, const char *text)
{
	struct text out = { 0 };

	assert_int_equal(read_record(record, len, &out), 1);
	assert_string_equal(text_str(&out), text);
	text_fini(&out);
}

#define META	"Done;level=4\0"					\
		"count\0" "\4"			/* value32 */		\
		"delta\0" "\x83\2"		/* value16, signed */	\
		"mask\0" "\x85\3"		/* value64, hex */	\
		"ok\0" "\x82\7"			/* value8, boolean */	\
		"ratio\0" "\x85\x88\x34\x12"	/* value64, float, with a tag */ \
		"text;a=b;;c\0" "\7"		/* zstring_char8 */	\
		"wide\0" "\x0b"			/* string_length16_char16 */ \
		"where\0" "\x81\2"		/* struct of 2 fields */ \
		"x\0" "\2"			/* value8 */		\
		"ip\0" "\x84\x11"		/* value32, ipv4 */	\
		"list\0" "\x43"			/* value16, variable array */ \
		"pair\0" "\x24\2\0"		/* value32, array of 2 */ \
		"none\0" "\xc1\1"		/* struct of 1, variable array */ \
		"in\0" "\2"						\
		"port\0" "\x83\x10"		/* value16, port */

static const char meta[] = META;
#define META_BYTES	(sizeof(meta) - 1)

static const char values[] = "\x40\x42\x0f\0"           /* count 1000000 */
			     "\xfe\xff"                 /* delta -2 */
			     "\xef\xbe\xad\xde\0\0\0\0" /* mask */
			     "\1"                       /* ok */
			     "\0\0\0\0\0\0\xf8\x3f"     /* ratio 1.5 */
			     "hello\0"
			     "\2\0"
			     "\xe4\0"
			     "\xac\x20" /* wide: ä, € */
			     "\7"
			     "\x7f\0\0\1" /* where */
			     "\3\0"
			     "\1\0\2\0\3\0"     /* list */
			     "\4\0\0\0\5\0\0\0" /* pair */
			     "\0\0"             /* none: no elements */
			     "\x1f\x90";        /* port 8080, network order */

static size_t make(char *record)
{
	static const char head[] = COMMON "\7\1\2\0\3\0\1\4" /* little endian, extensions */
					  "\x20\0\2\x80"     /* activity, more follow */
					  "\x01\x02\x03\x04\x05\x06\x07\x08"
					  "\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
					  "\x11\x12\x13\x14\x15\x16\x17\x18"
					  "\x19\x1a\x1b\x1c\x1d\x1e\x1f\x20";
	const char extension[] = { (char)META_BYTES, 0, 1, 0 };
	size_t len = sizeof(head) - 1;

	memcpy(record, head, len);
	memcpy(record + len, extension, sizeof(extension));
	len += sizeof(extension);
	memcpy(record + len, meta, META_BYTES);
	len += META_BYTES;
	memcpy(record + len, values, sizeof(values) - 1);
	return len + sizeof(values) - 1;
}

static void test_fields(void **state)
{
	struct text out = { 0 };
	char record[512];
	size_t len = make(record);

	(void)state;
	assert_true(META_BYTES < 256);
	assert_true(event_header_is(&type));
	assert_int_equal(read_record(record, len, &out), 1);
	assert_string_equal(text_str(&out),
			    "event_name(string)=Done\n"
			    "activity_id(uuid)=01020304-0506-0708-090a-0b0c0d0e0f10\n"
			    "related_activity_id(uuid)=11121314-1516-1718-191a-1b1c1d1e1f20\n"
			    "count(u32,)=1000000\n"
			    "delta(u16,)=-2\n"
			    "mask(u64)=0xdeadbeef 3.73593e+09\n"
			    "ok(u8)=true 1\n"
			    "ratio(u64)=1.5 1.5\n"
			    "text(string)=hello\n"
			    "wide(string)=ä€\n"
			    "  where.x(u8,)=7\n"
			    "  where.ip(u32)=127.0.0.1\n"
			    "where(struct)={x=7 ip=127.0.0.1}\n"
			    "  list(u16,)=1\n"
			    "  list(u16,)=2\n"
			    "  list(u16,)=3\n"
			    "list(array)=[1 2 3]\n"
			    "  pair(u32,)=4\n"
			    "  pair(u32,)=5\n"
			    "pair(array)=[4 5]\n"
			    "none(array)=[]\n"
			    "port(u16,)=8080\n");
	text_clear(&out);
	assert_true(event_header_text(&type, (uint8_t *)record, (uint32_t)len, &out));
	assert_non_null(strstr(text_str(&out), "Done: activity_id="));
	assert_non_null(strstr(text_str(&out), " count=1000000 delta=-2 mask=0xdeadbeef ok=true"));
	assert_null(strstr(text_str(&out), "…"));
	text_fini(&out);
}

/* A record that ends anywhere gives the fields before that, and says that the rest is missing. */
static void test_cut(void **state)
{
	struct text whole = { 0 }, out = { 0 };
	char record[512];
	size_t len = make(record);

	(void)state;
	read_record(record, len, &whole);
	for (size_t cut = 1; cut < len; cut++) {
		int ret = read_record(record, cut, &out);
		size_t same = 0;

		assert_int_equal(ret, cut < 16 ? 0 : -1);
		while (same < out.len && out.data[same] == whole.data[same])
			same++;
		/* a string that ends without a NUL is what is there of it: "hell" */
		assert_true(same == out.len ||
			    strstr(out.data, "\ntext(string)=") + 14 <= out.data + same);
		assert_true(same + 1 >= out.len);
		assert_true(out.len < whole.len);
	}
	text_clear(&out);
	assert_true(event_header_text(&type, (uint8_t *)record, (uint32_t)len - 1, &out));
	assert_string_equal(out.data + out.len - 4, " …");
	text_fini(&whole);
	text_fini(&out);
}

/* Big endian, an array of structures in each other, and control characters. */
static void test_big_endian(void **state)
{
	static const char record[] = COMMON "\4\0\0\1\0\0\0\5"
					    "\0\x1e\0\1"
					    "E\0"
					    "s\0"
					    "\xa1\2\0\2" /* struct of 2, array of 2 */
					    "t\0"
					    "\x81\1"
					    "v\0"
					    "\3"
					    "w\0"
					    "\x82\x0a"
					    "esc\0"
					    "\x8a\x0b"
					    "uni\0"
					    "\x08"
					    "\x12\x34"
					    "A"
					    "\x56\x78"
					    "\xe9"
					    "\0\3"
					    "\33[m"
					    "\0a\xd8\x3d\xde\0\0\0";
	struct text out = { 0 };

	(void)state;
	reads_as(record, sizeof(record) - 1,
		 "event_name(string)=E\n"
		 "  s.t.v(u16,)=4660\n"
		 "  s.t(struct)={v=4660}\n"
		 "  s.w(u8)=A\n"
		 "  s(struct)={t={v=4660} w=A}\n"
		 "  s.t.v(u16,)=22136\n"
		 "  s.t(struct)={v=22136}\n"
		 "  s.w(u8)=é\n"
		 "  s(struct)={t={v=22136} w=é}\n"
		 "s(array)=[{t={v=4660} w=A} {t={v=22136} w=é}]\n"
		 "esc(string)=\33[m\n"
		 "uni(string)=a😀\n");
	assert_true(event_header_text(&type, (const uint8_t *)record, sizeof(record) - 1, &out));
	assert_null(strchr(text_str(&out), '\33'));
	text_fini(&out);
}

/* What is no such record, or describes nothing. */
static void test_others(void **state)
{
	struct event_field other[8];
	struct event_type no = type;
	struct text out = { 0 };

	(void)state;
	assert_int_equal(read_record(COMMON "\3\0\1\0\0\0\0\4abc", 19, &out), 0);
	/* an activity alone */
	assert_int_equal(read_record(COMMON "\7\0\1\0\0\0\0\4\0\0\2\0", 20, &out), 0);
	/* encodings that there are not */
	assert_int_equal(read_record(COMMON "\7\0\0\0\0\0\0\4\5\0\1\0E\0f\0\x0d", 25, &out), -1);
	assert_string_equal(text_str(&out), "event_name(string)=E\n");
	memcpy(other, fields, sizeof(fields));
	other[4].size = 4;
	no.fields = other;
	assert_false(event_header_is(&no));
	no.fields = fields;
	no.nr_fields = 7;
	assert_false(event_header_is(&no));
	text_fini(&out);
}

/* Byte order marks; bytes that are a number, and none of them; a structure that is cut short. */
static void test_forms(void **state)
{
	static const char record[] = COMMON "\6\0\0\0\0\0\0\5"
					    "\x3f\0\1\0"
					    "F\0"
					    "swapped\0"
					    "\x8b\x0c" /* string_length16_char16, utf with a mark */
					    "marked\0"
					    "\x8a\x0d" /* string_length16_char8, xml */
					    "none\0"
					    "\x8d\2" /* binary_length16_char8, signed */
					    "two\0"
					    "\x8d\2"
					    "three\0"
					    "\x8d\2"
					    "word\0"
					    "\x8a\2"
					    "half\0"
					    "\x84\x08" /* value32, float */
					    "s\0"
					    "\x81\x14" /* structure of 20 */
					    "u\0"
					    "\2"
					    "\2\0\xfe\xff\0h"
					    "\4\0\xef\xbb\xbfj"
					    "\0\0"
					    "\2\0\xfe\xff"
					    "\3\0\1\2\3"
					    "\3\0abc"
					    "\xc3\xf5\x48\x40"
					    "\7";

	(void)state;
	reads_as(record, sizeof(record) - 1,
		 "event_name(string)=F\n"
		 "swapped(string)=h\n"
		 "marked(string)=j\n"
		 "none(bytes)=null\n"
		 "two(bytes,)=-2\n"
		 "three(bytes)=01 02 03\n"
		 "word(string)=abc\n"
		 "half(u32)=3.14 3.14\n"
		 "  s.u(u8,)=7\n"
		 "s(struct)={u=7}\n");
}

/* A record of the fields @described; @nr of its values are bytes of @value. */
static size_t make_of(char *record, const char *described, size_t len, char value, size_t nr)
{
	static const char head[] = COMMON "\7\1\2\0\3\0\1\4";
	const char extension[] = { (char)len, (char)(len >> 8), 1, 0 };
	size_t at = sizeof(head) - 1;

	memcpy(record, head, at);
	memcpy(record + at, extension, sizeof(extension));
	memcpy(record + at + sizeof(extension), described, len);
	memset(record + at + sizeof(extension) + len, value, nr);
	return at + sizeof(extension) + len + nr;
}

/* Arrays of structures without members, in each other: 65535^8 elements. */
static void test_empty_elements(void **state)
{
	static const char bomb[] = "E\0a\0\xa1\1\xff\xff"
				   "b\0\xa1\1\xff\xff"
				   "c\0\xa1\1\xff\xff"
				   "d\0\xa1\1\xff\xff"
				   "e\0\xa1\1\xff\xff"
				   "f\0\xa1\1\xff\xff"
				   "g\0\xa1\1\xff\xff"
				   "h\0\xa1\1\xff\xff";
	char record[200];
	struct text out = { 0 };
	size_t len = make_of(record, bomb, sizeof(bomb) - 1, 'x', 1);

	(void)state;
	event_header_read(&type, (uint8_t *)record, (uint32_t)len, take, &out);
	assert_in_range(out.len, 1, 2000);
	text_clear(&out);
	assert_true(event_header_text(&type, (uint8_t *)record, (uint32_t)len, &out));
	assert_string_equal(text_str(&out),
			    "E: a=[{b=[{c=[{d=[{e=[{f=[{g=[{h=[{} …]} …]} …]} …]} …]} …]} …]} …]");
	text_fini(&out);
}

struct sum {
	size_t	bytes, nr;
	bool	last_is_cut;
};

static void add_up(void *arg, const struct event_header_value *v)
{
	struct sum *sum = arg;

	sum->bytes += v->is_inner ? 0 : v->text_len;
	sum->nr++;
	sum->last_is_cut = v->text_len > 3 && !strcmp(v->text + v->text_len - strlen("…"), "…");
}

/* The texts of a record's fields are as long as that of a record may be, all together. */
static void test_limit(void **state)
{
	const size_t most = 70000;
	struct text described = { 0 }, out = { 0 };
	char *record = mem_array(most, 1);
	struct sum sum = { 0 };
	size_t len;

	(void)state;
	text_bytes(&described, "E", 2);
	for (int i = 0; i < 9000; i++)	/* arrays of 3 bytes */
		text_bytes(&described, "f\0\x22\3\0", 5);
	len = make_of(record, text_str(&described), described.len, '\xff', 24000);
	assert_int_equal(event_header_read(&type, (uint8_t *)record, (uint32_t)len, add_up, &sum),
			 -1);
	assert_in_range(sum.bytes, RECORD_TEXT_BYTES, RECORD_TEXT_BYTES + strlen("…"));
	assert_true(sum.last_is_cut);
	record_bound_begin(&out);
	assert_true(event_header_text(&type, (uint8_t *)record, (uint32_t)len, &out));
	assert_true(record_bound_end(&out, true, NULL, "", ""));
	assert_in_range(out.len, RECORD_TEXT_BYTES / 2, RECORD_TEXT_BYTES + strlen("…"));
	free(record);
	text_fini(&described);
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_big_endian),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_empty_elements),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
