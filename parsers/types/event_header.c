/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/event_header.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parsers/source/record_bound.h"

enum {				/* of flags */
	LITTLE_ENDIAN_VALUES = 2, HAS_EXTENSION = 4,
};

enum {				/* of the kind of an extension */
	KIND_METADATA = 1, KIND_ACTIVITY = 2, KIND_MASK = 0x7fff, MORE_EXTENSIONS = 0x8000,
};

enum encoding {
	ENCODING_STRUCT = 1, ENCODING_VALUE8, ENCODING_VALUE16, ENCODING_VALUE32, ENCODING_VALUE64,
	ENCODING_VALUE128, ENCODING_ZSTRING8, ENCODING_ZSTRING16, ENCODING_ZSTRING32,
	ENCODING_STRING8, ENCODING_STRING16, ENCODING_STRING32, ENCODING_BINARY8, ENCODING_END,
	ENCODING_MASK = 0x1f, ENCODING_FIXED = 0x20, ENCODING_COUNTED = 0x40, ENCODING_CHAIN = 0x80,
};

enum format {
	FORMAT_DEFAULT, FORMAT_UNSIGNED, FORMAT_SIGNED, FORMAT_HEX, FORMAT_ERRNO, FORMAT_PID,
	FORMAT_TIME, FORMAT_BOOLEAN, FORMAT_FLOAT, FORMAT_BYTES, FORMAT_STRING8, FORMAT_STRING,
	FORMAT_STRING_BOM, FORMAT_XML, FORMAT_JSON_TEXT, FORMAT_UUID, FORMAT_PORT, FORMAT_IP,
	FORMAT_IP_OLD, FORMAT_END,
	FORMAT_MASK = 0x7f, FORMAT_CHAIN = 0x80,
};

#define MOST_DEPTH	8u		/* structures in each other */

struct header_span {
	const uint8_t	*at, *end;
};

struct header_reader {
	struct header_span	 meta, data;
	bool		 big;		/* byte order of numbers */
	bool		 bad;
	unsigned int	 depth;
	struct text	 name;		/* owned: of the value that is read, "place.x" */
	bool		 has_number;	/* the value last read has one */
	long double	 number;
	event_header_take	 take;
	void		*arg;
};

struct header_field {			/* of a field */
	const char	*name;
	size_t		 len;		/* without attributes: "name;attribute=value" */
	unsigned int	 encoding, format;
	unsigned int	 flags;		/* ENCODING_FIXED, ENCODING_COUNTED */
	uint64_t	 elements;	/* of ENCODING_FIXED */
};

/* --- bytes ----------------------------------------------------------------------------------- */

static const uint8_t *take_bytes(struct header_reader *r, struct header_span *from, size_t len)
{
	const uint8_t *at = from->at;

	if (r->bad || len > (size_t)(from->end - at)) {
		r->bad = true;
		return NULL;
	}
	from->at += len;
	return at;
}

static uint64_t number(const uint8_t *bytes, size_t len, bool big)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++)
		v = v << 8 | bytes[big ? i : len - 1 - i];
	return v;
}

static uint64_t take_number(struct header_reader *r, struct header_span *from, size_t len)
{
	const uint8_t *bytes = take_bytes(r, from, len);

	return bytes ? number(bytes, len, r->big) : 0;
}

static const char *take_name(struct header_reader *r, size_t *len)
{
	const uint8_t *at = r->meta.at,
		      *nul = r->bad ? NULL : memchr(at, '\0', (size_t)(r->meta.end - at));

	*len = 0;
	if (!nul) {
		r->bad = true;
		return "";
	}
	r->meta.at = nul + 1;
	*len = strcspn((const char *)at, ";");
	return (const char *)at;
}

static struct header_field take_definition(struct header_reader *r)
{
	struct header_field d = { 0 };
	unsigned int encoding, format = 0;

	d.name = take_name(r, &d.len);
	encoding = (unsigned int)take_number(r, &r->meta, 1);
	if (encoding & ENCODING_CHAIN)
		format = (unsigned int)take_number(r, &r->meta, 1);
	if (format & FORMAT_CHAIN)
		take_number(r, &r->meta, 2);	/* a tag */
	d.flags = encoding & (ENCODING_FIXED | ENCODING_COUNTED);
	if (d.flags & ENCODING_FIXED)
		d.elements = take_number(r, &r->meta, 2);
	d.encoding = encoding & ENCODING_MASK;
	d.format = format & FORMAT_MASK;
	r->bad |= !d.encoding || d.encoding >= ENCODING_END ||
		  d.flags == (ENCODING_FIXED | ENCODING_COUNTED) ||
		  (d.flags == ENCODING_FIXED && !d.elements) ||
		  (d.encoding == ENCODING_STRUCT && !d.format);
	return d;
}

/* --- giving ---------------------------------------------------------------------------------- */

static bool is_decimal(const char *s)
{
	s += *s == '-';
	return *s && !s[strspn(s, "0123456789")];
}

/* Give the value whose text begins at @from. */
static void give(const struct header_reader *r, const char *type, const struct text *out,
		 size_t from, bool is_inner)
{
	const struct event_header_value v = {
		.name = text_str(&r->name), .len = r->name.len, .type = type,
		.text = text_str(out) + from, .text_len = out->len - from,
		.is_inner = is_inner, .has_number = r->has_number, .number = r->number,
		.is_decimal = r->has_number && is_decimal(text_str(out) + from),
	};

	r->take(r->arg, &v);
}

static const char *type_word(const struct header_field *d)
{
	static const char *const numbers[] = { "u8", "u16", "u32", "u64", "u128" };

	return d->flags                        ? "array" :
	       d->encoding == ENCODING_STRUCT  ? "struct" :
	       d->encoding == ENCODING_BINARY8 ? "bytes" :
	       d->encoding > ENCODING_VALUE128 ? "string" :
						 numbers[d->encoding - ENCODING_VALUE8];
}

/* What comes behind a text that is full is not read. */
static bool goes_on(struct header_reader *r, const struct text *out)
{
	r->bad |= text_is_full(out);
	return !r->bad;
}

/* Give a field, an element or a member; not if it is invalid or cut short. */
static void give_read(const struct header_reader *r, const struct header_field *d,
		      const struct text *out, size_t from, bool is_inner)
{
	if (!r->bad)
		give(r, type_word(d), out, from, is_inner);
}

/* --- values ---------------------------------------------------------------------------------- */

static void add_bytes(const uint8_t *bytes, size_t len, struct text *out)
{
	for (size_t i = 0; i < len; i++)
		text_printf(out, "%s%02x", i ? " " : "", bytes[i]);
}

static void add_char(uint32_t c, struct text *out)
{
	if (c < 0x80) {
		text_char(out, (char)c);
		return;
	}
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c >= 0x10000) {
		text_char(out, (char)(0xf0 | c >> 18));
		text_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
	} else if (c >= 0x800) {
		text_char(out, (char)(0xe0 | c >> 12));
	}
	if (c >= 0x800)
		text_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	else
		text_char(out, (char)(0xc0 | c >> 6));
	text_char(out, (char)(0x80 | (c & 0x3f)));
}

struct header_string {
	const uint8_t	*bytes;
	size_t		 len;
	size_t		 unit;		/* bytes of a unit */
	bool		 big;
};

/* A mark at the beginning tells the size and the order of the bytes of units. */
static void take_byte_order_mark(struct header_string *s)
{
	static const struct { uint8_t mark[4]; size_t len, unit; bool big; } marks[] = {
		{ { 0xff, 0xfe, 0, 0 }, 4, 4, false }, { { 0, 0, 0xfe, 0xff }, 4, 4, true },
		{ { 0xff, 0xfe }, 2, 2, false },       { { 0xfe, 0xff }, 2, 2, true },
		{ { 0xef, 0xbb, 0xbf }, 3, 1, false },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (s->len >= marks[i].len && !memcmp(s->bytes, marks[i].mark, marks[i].len)) {
			*s = (struct header_string){ s->bytes + marks[i].len,
						     s->len - marks[i].len, marks[i].unit,
						     marks[i].big };
			return;
		}
}

static void add_string(struct header_string s, unsigned int format, struct text *out)
{
	if (format >= FORMAT_STRING_BOM && format <= FORMAT_JSON_TEXT)
		take_byte_order_mark(&s);
	if (s.unit == 1 && format != FORMAT_STRING8) {
		text_bytes(out, (const char *)s.bytes, s.len);
		return;
	}
	for (size_t i = 0; i + s.unit <= s.len; i += s.unit) {
		uint32_t c = (uint32_t)number(s.bytes + i, s.unit, s.big), low;

		if (s.unit == 2 && c >= 0xd800 && c < 0xdc00 && i + 4 <= s.len) {
			low = (uint32_t)number(s.bytes + i + 2, 2, s.big);
			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		add_char(c, out);
	}
}

static void add_time(int64_t seconds, struct text *out)
{
	time_t t = (time_t)seconds;
	char words[64];
	struct tm tm;

	if (gmtime_r(&t, &tm) && strftime(words, sizeof(words), "%Y-%m-%dT%H:%M:%SZ", &tm))
		text_add(out, words);
	else
		text_printf(out, "%" PRId64, seconds);
}

static double float_of(uint64_t v, size_t len)
{
	uint32_t half = (uint32_t)v;
	float single;
	double all;

	memcpy(&single, &half, sizeof(single));
	memcpy(&all, &v, sizeof(all));
	return len == sizeof(single) ? (double)single : all;
}

/* With the fewest digits that tell the number from others. */
static void add_float(double v, size_t len, struct text *out)
{
	const int most = len == sizeof(float) ? 9 : 17;
	char digits[40];

	for (int nr = most - 3; nr <= most; nr++) {
		snprintf(digits, sizeof(digits), "%.*g", nr, v);
		if ((len == sizeof(float) ? (double)strtof(digits, NULL) : strtod(digits, NULL)) ==
		    v)
			break;
	}
	text_add(out, digits);
}

static void add_uuid(const uint8_t *b, struct text *out)
{
	for (size_t i = 0; i < 16; i++)
		text_printf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
}

static void add_address(int family, const uint8_t *bytes, struct text *out)
{
	char words[INET6_ADDRSTRLEN];

	text_add(out, inet_ntop(family, bytes, words, sizeof(words)) ?: "");
}

/* Of how many bytes a value may be; else its format is ignored, as the format's authors say. */
static bool fits(unsigned int format, size_t len)
{
	static const uint8_t sizes[FORMAT_END] = {
		[FORMAT_UNSIGNED] = 1 | 2 | 4 | 8, [FORMAT_SIGNED] = 1 | 2 | 4 | 8,
		[FORMAT_HEX] = 1 | 2 | 4 | 8, [FORMAT_ERRNO] = 4, [FORMAT_PID] = 4,
		[FORMAT_TIME] = 4 | 8, [FORMAT_BOOLEAN] = 1 | 2 | 4, [FORMAT_FLOAT] = 4 | 8,
		[FORMAT_BYTES] = 1 | 2 | 4 | 8 | 16, [FORMAT_STRING8] = 1,
		[FORMAT_STRING] = 2 | 4, [FORMAT_UUID] = 16, [FORMAT_PORT] = 2,
		[FORMAT_IP] = 4 | 16, [FORMAT_IP_OLD] = 4 | 16,
	};

	return format < FORMAT_END && sizes[format] & len && !(len & (len - 1));
}

static void add_value(struct header_reader *r, const uint8_t *b, size_t len, unsigned int format,
		      struct text *out)
{
	bool big = r->big || format == FORMAT_PORT;
	uint64_t v = len <= 8 ? number(b, len, big) : 0;
	int64_t sign = len < 8 ? (int64_t)(v << (64 - 8 * len)) >> (64 - 8 * len) : (int64_t)v;

	if (!fits(format, len))
		format = len == 16 ? FORMAT_BYTES : FORMAT_UNSIGNED;
	r->has_number = format <= FORMAT_FLOAT || format == FORMAT_PORT;
	r->number = (long double)v;
	switch ((enum format)format) {
	case FORMAT_SIGNED:
	case FORMAT_ERRNO:
	case FORMAT_PID:
		r->number = (long double)sign;
		text_printf(out, "%" PRId64, sign);
		return;
	case FORMAT_TIME:
		r->number = (long double)sign;
		add_time(sign, out);
		return;
	case FORMAT_FLOAT:
		r->number = (long double)float_of(v, len);
		add_float(float_of(v, len), len, out);
		return;
	case FORMAT_BOOLEAN:
		r->number = (long double)(int32_t)v;
		if (v <= 1)
			text_add(out, v ? "true" : "false");
		else
			text_printf(out, "%" PRId32, (int32_t)v);
		return;
	case FORMAT_HEX:
		text_printf(out, "0x%" PRIx64, v);
		return;
	case FORMAT_BYTES:
		add_bytes(b, len, out);
		return;
	case FORMAT_STRING8:
	case FORMAT_STRING:
		add_char((uint32_t)v, out);
		return;
	case FORMAT_UUID:
		add_uuid(b, out);
		return;
	case FORMAT_IP:
	case FORMAT_IP_OLD:
		add_address(len == 4 ? AF_INET : AF_INET6, b, out);
		return;
	default:
		text_u64(out, v);
		return;
	}
}

/* A string without its NUL is as long as the data. */
static size_t zstring_bytes(const struct header_reader *r, size_t unit)
{
	size_t room = (size_t)(r->data.end - r->data.at), len = 0;

	while (len + unit <= room && number(r->data.at + len, unit, r->big))
		len += unit;
	return len;
}

/* A text; or bytes that are a number if their size fits, and null if there are none. */
static void add_text(struct header_reader *r, const struct header_field *d, struct text *out)
{
	bool counted = d->encoding >= ENCODING_STRING8, binary = d->encoding == ENCODING_BINARY8;
	unsigned int first = counted ? ENCODING_STRING8 : ENCODING_ZSTRING8;
	size_t unit = binary ? 1 : (size_t)1 << (d->encoding - first), len;
	bool is_string = d->format >= FORMAT_STRING8 && d->format <= FORMAT_JSON_TEXT;
	bool nullable = counted && d->encoding != ENCODING_STRING16 &&
			d->encoding != ENCODING_STRING32 && d->format && d->format < FORMAT_END &&
			d->format != FORMAT_BYTES && !is_string;
	const uint8_t *bytes;

	r->has_number = false;
	len = counted ? unit * take_number(r, &r->data, 2) : zstring_bytes(r, unit);
	bytes = take_bytes(r, &r->data, len);
	if (!counted && bytes && (size_t)(r->data.end - r->data.at) >= unit)
		r->data.at += unit;
	if (!bytes)
		return;
	if (nullable && !len)
		text_add(out, "null");
	else if (nullable && fits(d->format, len))
		add_value(r, bytes, len, d->format, out);
	else if (d->format == FORMAT_BYTES || (binary && !is_string))
		add_bytes(bytes, len, out);
	else
		add_string((struct header_string){ bytes, len, unit, r->big }, d->format, out);
}

static void add_field(struct header_reader *r, const struct header_field *d, struct text *out);

static void add_member(struct header_reader *r, const struct header_field *d, struct text *out)
{
	size_t name = r->name.len, from;

	text_bytes(out, d->name, d->len);
	text_char(out, '=');
	text_char(&r->name, '.');
	text_bytes(&r->name, d->name, d->len);
	from = out->len;
	add_field(r, d, out);
	give_read(r, d, out, from, true);
	r->name.len = name;
	r->name.data[name] = '\0';
}

/*
 * The fields of a structure, whose definitions are next; there may be fewer than it says.
 * @show: else they are passed over.
 */
static void add_members(struct header_reader *r, unsigned int nr, bool show, struct text *out)
{
	if (++r->depth > MOST_DEPTH)
		r->bad = true;
	text_add(out, show ? "{" : "");
	for (unsigned int i = 0; i < nr && goes_on(r, out) && r->meta.at < r->meta.end; i++) {
		struct header_field d = take_definition(r);

		if (!show && d.encoding == ENCODING_STRUCT && !r->bad)
			add_members(r, d.format, false, out);
		if (show) {
			text_add(out, i ? " " : "");
			add_member(r, &d, out);
		}
	}
	text_add(out, show ? "}" : "");
	r->depth--;
	r->has_number = false;
}

static void add_element(struct header_reader *r, const struct header_field *d, struct text *out)
{
	const uint8_t *bytes;
	size_t len;

	if (d->encoding == ENCODING_STRUCT) {
		add_members(r, d->format, true, out);
	} else if (d->encoding <= ENCODING_VALUE128) {
		len = (size_t)1 << (d->encoding - ENCODING_VALUE8);
		bytes = take_bytes(r, &r->data, len);
		if (bytes)
			add_value(r, bytes, len, d->format, out);
	} else {
		add_text(r, d, out);
	}
}

/* An element without bytes ends the array: all others are as empty. */
static void add_array(struct header_reader *r, const struct header_field *d, uint64_t nr,
		      struct text *out)
{
	const struct header_field one = { .encoding = d->encoding };
	const uint8_t *members = r->meta.at, *bytes = NULL;
	size_t from;

	for (uint64_t i = 0; i < nr && goes_on(r, out); i++) {
		if (r->data.at == bytes) {
			text_add(out, " …");
			break;
		}
		r->meta.at = members;	/* those of each element */
		bytes = r->data.at;
		text_add(out, i ? " " : "");
		r->bad |= r->data.at == r->data.end;
		from = out->len;
		add_element(r, d, out);
		give_read(r, &one, out, from, true);
	}
}

static void add_field(struct header_reader *r, const struct header_field *d, struct text *out)
{
	uint64_t nr = d->flags == ENCODING_COUNTED ? take_number(r, &r->data, 2) : d->elements;

	if (r->bad)
		return;
	if (!d->flags) {
		add_element(r, d, out);
		return;
	}
	text_char(out, '[');
	add_array(r, d, nr, out);
	if (!nr && d->encoding == ENCODING_STRUCT)
		add_members(r, d->format, false, out);
	text_char(out, ']');
	r->has_number = false;
}

/* --- the record ------------------------------------------------------------------------------ */

static const struct {
	const char	*name;
	unsigned int	 at, size;
} header[] = {
	{ "eventheader_flags", 0, 1 }, { "version", 1, 1 }, { "id", 2, 2 },
	{ "tag", 4, 2 },	       { "opcode", 6, 1 },  { "level", 7, 1 },
};

#define NR_HEADER	(sizeof(header) / sizeof(header[0]))
#define HEADER_BYTES	8u

bool event_header_is(const struct event_type *type)
{
	const struct event_field *f = type->fields + type->nr_common;

	if (type->nr_fields - type->nr_common != NR_HEADER ||
	    strcmp(f[0].name, header[0].name) != 0)
		return false;
	for (size_t i = 0; i < NR_HEADER; i++)
		if (strcmp(f[i].name, header[i].name) != 0 || f[i].size != header[i].size ||
		    f[i].offset != f[0].offset + header[i].at)
			return false;
	return true;
}

static void name_is(struct header_reader *r, const char *name, size_t len)
{
	text_clear(&r->name);
	text_bytes(&r->name, name, len);
	r->has_number = false;
}

static void give_activity(struct header_reader *r, const uint8_t *bytes, size_t len,
			  struct text *value)
{
	static const char *const names[] = { "activity_id", "related_activity_id" };

	for (size_t i = 0; i < 2 && 16 * (i + 1) <= len; i++) {
		size_t from = value->len;

		name_is(r, names[i], strlen(names[i]));
		add_uuid(bytes + 16 * i, value);
		give(r, "uuid", value, from, false);
	}
}

/* The texts of a record are one behind the other: together they have one limit. */
static void give_fields(struct header_reader *r, struct text *value)
{
	while (!r->bad && r->meta.at < r->meta.end) {
		struct header_field d = take_definition(r);
		size_t from = value->len;

		name_is(r, d.name, d.len);
		if (!r->bad)
			add_field(r, &d, value);
		if (!text_is_full(value)) {
			give_read(r, &d, value, from, false);
			continue;
		}
		text_unbound(value);
		r->has_number = false;
		give(r, type_word(&d), value, from, false);
		r->bad = true;
	}
}

int event_header_read(const struct event_type *type, const uint8_t *data, uint32_t size,
		      event_header_take take, void *arg)
{
	const uint32_t at = event_header_is(type) ? type->fields[type->nr_common].offset : size;
	struct header_reader r = { .take = take, .arg = arg };
	const uint8_t *activity = NULL, *bytes;
	size_t activity_len = 0, len;
	uint64_t kind = MORE_EXTENSIONS;
	struct text value = { 0 };
	const char *name;

	if (size < HEADER_BYTES || at > size - HEADER_BYTES || !(data[at] & HAS_EXTENSION))
		return 0;
	r.big = !(data[at] & LITTLE_ENDIAN_VALUES);
	r.data = (struct header_span){ data + at + HEADER_BYTES, data + size };
	while (!r.bad && kind & MORE_EXTENSIONS) {
		len = take_number(&r, &r.data, 2);
		kind = take_number(&r, &r.data, 2);
		bytes = take_bytes(&r, &r.data, len);
		if (bytes && (kind & KIND_MASK) == KIND_METADATA && !r.meta.at)
			r.meta = (struct header_span){ bytes, bytes + len };
		if (bytes && (kind & KIND_MASK) == KIND_ACTIVITY) {
			activity = bytes;
			activity_len = len;
		}
	}
	if (r.bad || !r.meta.at)
		return r.bad ? -1 : 0;
	name_is(&r, "event_name", strlen("event_name"));
	name = take_name(&r, &len);
	text_bound(&value, RECORD_TEXT_BYTES);
	text_bytes(&value, name, len);
	if (!r.bad)
		give(&r, "string", &value, 0, false);
	if (activity)
		give_activity(&r, activity, activity_len, &value);
	give_fields(&r, &value);
	text_fini(&value);
	text_fini(&r.name);
	return r.bad ? -1 : 1;
}

struct value_search {
	const char	*name;
	struct text	*out;
	bool		 found, whole;
};

static void take_named(void *arg, const struct event_header_value *v)
{
	struct value_search *search = arg;

	if (search->whole || strcmp(v->name, search->name) != 0)
		return;
	search->found = true;
	search->whole = !v->is_inner;
	text_clear(search->out);
	text_bytes(search->out, v->text, v->text_len);
}

bool event_header_find(const struct event_type *type, const uint8_t *data, uint32_t size,
		       const char *name, struct text *out)
{
	struct value_search search = { .name = name, .out = out };

	event_header_read(type, data, size, take_named, &search);
	return search.found;
}

struct header_line {
	struct text	*out;
	size_t		 nr;
};

static void add_to_line(void *arg, const struct event_header_value *v)
{
	struct header_line *line = arg;

	if (v->is_inner)
		return;
	if (line->nr) {
		text_add(line->out, line->nr == 1 ? ": " : " ");
		text_printable(line->out, v->name, v->len);
		text_char(line->out, '=');
	}
	text_printable(line->out, v->text, v->text_len);
	line->nr++;
}

bool event_header_text(const struct event_type *type, const uint8_t *data, uint32_t size,
		       struct text *out)
{
	struct header_line line = { .out = out };

	if (event_header_read(type, data, size, add_to_line, &line) < 0 && line.nr)
		text_add(out, " …");
	return line.nr;
}
