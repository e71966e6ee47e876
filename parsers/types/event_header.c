/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/event_header.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {				/* of flags */
	LITTLE_ENDIAN_VALUES = 2, HAS_EXTENSION = 4,
};

enum {				/* of the kind of an extension */
	KIND_METADATA = 1, KIND_ACTIVITY = 2, KIND_MASK = 0x7fff, MORE_EXTENSIONS = 0x8000,
};

enum encoding {
	ENCODING_STRUCT = 1, ENCODING_VALUE8, ENCODING_VALUE16, ENCODING_VALUE32, ENCODING_VALUE64,
	ENCODING_VALUE128, ENCODING_ZSTRING8, ENCODING_ZSTRING16, ENCODING_ZSTRING32,
	ENCODING_STRING8, ENCODING_STRING16, ENCODING_STRING32, ENCODING_END,
	ENCODING_MASK = 0x1f, ENCODING_FIXED = 0x20, ENCODING_COUNTED = 0x40, ENCODING_CHAIN = 0x80,
};

enum format {
	FORMAT_DEFAULT, FORMAT_UNSIGNED, FORMAT_SIGNED, FORMAT_HEX, FORMAT_ERRNO, FORMAT_PID,
	FORMAT_TIME, FORMAT_BOOLEAN, FORMAT_FLOAT, FORMAT_BYTES, FORMAT_STRING8, FORMAT_STRING,
	FORMAT_STRING_BOM, FORMAT_XML, FORMAT_JSON_TEXT, FORMAT_UUID, FORMAT_PORT, FORMAT_IPV4,
	FORMAT_IPV6,
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

/* @unit: bytes of a unit */
static void add_string(const uint8_t *bytes, size_t len, size_t unit, bool big, bool latin1,
		       struct text *out)
{
	if (unit == 1 && !latin1) {
		text_bytes(out, (const char *)bytes, len);
		return;
	}
	for (size_t i = 0; i + unit <= len; i += unit) {
		uint32_t c = (uint32_t)number(bytes + i, unit, big), low;

		if (unit == 2 && c >= 0xd800 && c < 0xdc00 && i + 4 <= len) {
			low = (uint32_t)number(bytes + i + 2, 2, big);
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

static void add_float(uint64_t v, size_t len, struct text *out)
{
	uint32_t half = (uint32_t)v;
	float single;
	double all;

	memcpy(&single, &half, sizeof(single));
	memcpy(&all, &v, sizeof(all));
	if (len == sizeof(single))
		text_printf(out, "%.9g", (double)single);
	else
		text_printf(out, "%.17g", all);
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

/* Formats that do not fit the size are ignored, as the format's authors say. */
static void add_value(const uint8_t *b, size_t len, bool big, unsigned int format, struct text *out)
{
	uint64_t v = len <= 8 ? number(b, len, big) : 0;
	int64_t sign = len < 8 ? (int64_t)(v << (64 - 8 * len)) >> (64 - 8 * len) : (int64_t)v;

	if (format == FORMAT_UUID && len == 16)
		add_uuid(b, out);
	else if (format == FORMAT_IPV6 && len == 16)
		add_address(AF_INET6, b, out);
	else if (len == 16 || format == FORMAT_BYTES)
		add_bytes(b, len, out);
	else if (format == FORMAT_IPV4 && len == 4)
		add_address(AF_INET, b, out);
	else if (format == FORMAT_PORT && len == 2)
		text_u64(out, number(b, len, true));
	else if (format == FORMAT_FLOAT && len >= 4)
		add_float(v, len, out);
	else if (format == FORMAT_TIME && len >= 4)
		add_time(sign, out);
	else if (format == FORMAT_BOOLEAN && v <= 1 && len <= 4)
		text_add(out, v ? "true" : "false");
	else if ((format == FORMAT_STRING8 && len == 1) ||
		 (format == FORMAT_STRING && (len == 2 || len == 4)))
		add_char((uint32_t)v, out);
	else if (format == FORMAT_HEX)
		text_printf(out, "0x%" PRIx64, v);
	else if (format == FORMAT_SIGNED ||
		 ((format == FORMAT_ERRNO || format == FORMAT_PID) && len == 4) ||
		 (format == FORMAT_BOOLEAN && len <= 4))
		text_printf(out, "%" PRId64, sign);
	else
		text_u64(out, v);
}

/* A string without its NUL is as long as the data. */
static size_t zstring_bytes(const struct header_reader *r, size_t unit)
{
	size_t room = (size_t)(r->data.end - r->data.at), len = 0;

	while (len + unit <= room && number(r->data.at + len, unit, r->big))
		len += unit;
	return len;
}

static void add_text(struct header_reader *r, const struct header_field *d, struct text *out)
{
	bool counted = d->encoding >= ENCODING_STRING8;
	unsigned int first = counted ? ENCODING_STRING8 : ENCODING_ZSTRING8;
	size_t unit = (size_t)1 << (d->encoding - first), len;
	const uint8_t *bytes;

	len = counted ? unit * take_number(r, &r->data, 2) : zstring_bytes(r, unit);
	bytes = take_bytes(r, &r->data, len);
	if (!counted && bytes && (size_t)(r->data.end - r->data.at) >= unit)
		r->data.at += unit;
	if (bytes && d->format == FORMAT_BYTES)
		add_bytes(bytes, len, out);
	else if (bytes)
		add_string(bytes, len, unit, r->big, d->format == FORMAT_STRING8, out);
}

static void add_field(struct header_reader *r, const struct header_field *d, struct text *out);

/* The fields of a structure, whose definitions are next; @show: else they are passed over. */
static void add_members(struct header_reader *r, unsigned int nr, bool show, struct text *out)
{
	if (++r->depth > MOST_DEPTH)
		r->bad = true;
	text_add(out, show ? "{" : "");
	for (unsigned int i = 0; i < nr && !r->bad; i++) {
		struct header_field d = take_definition(r);

		if (!show) {
			if (d.encoding == ENCODING_STRUCT && !r->bad)
				add_members(r, d.format, false, out);
			continue;
		}
		text_add(out, i ? " " : "");
		text_bytes(out, d.name, d.len);
		text_char(out, '=');
		add_field(r, &d, out);
	}
	text_add(out, show ? "}" : "");
	r->depth--;
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
			add_value(bytes, len, r->big, d->format, out);
	} else {
		add_text(r, d, out);
	}
}

static void add_field(struct header_reader *r, const struct header_field *d, struct text *out)
{
	uint64_t nr = d->flags == ENCODING_COUNTED ? take_number(r, &r->data, 2) : d->elements;
	const uint8_t *members = r->meta.at;

	if (r->bad)
		return;
	if (!d->flags) {
		add_element(r, d, out);
		return;
	}
	text_char(out, '[');
	for (uint64_t i = 0; i < nr && !r->bad; i++) {
		r->meta.at = members;	/* those of each element */
		text_add(out, i ? " " : "");
		r->bad |= r->data.at == r->data.end;
		add_element(r, d, out);
	}
	if (!nr && d->encoding == ENCODING_STRUCT)
		add_members(r, d->format, false, out);
	text_char(out, ']');
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

static const char *type_word(const struct header_field *d)
{
	static const char *const numbers[] = { "u8", "u16", "u32", "u64", "u128" };

	return d->flags                        ? "array" :
	       d->encoding == ENCODING_STRUCT  ? "struct" :
	       d->encoding > ENCODING_VALUE128 ? "string" :
						 numbers[d->encoding - ENCODING_VALUE8];
}

static bool is_number(const struct header_field *d, const struct text *value)
{
	const char *s = text_str(value);

	s += *s == '-';
	return d->encoding >= ENCODING_VALUE8 && d->encoding <= ENCODING_VALUE64 && !d->flags &&
	       d->format != FORMAT_STRING8 && d->format != FORMAT_STRING &&
	       d->format != FORMAT_BYTES && *s && !s[strspn(s, "0123456789")];
}

static void give(event_header_take take, void *arg, const char *name, size_t len, const char *type,
		 const struct text *value, bool number)
{
	const struct event_header_value v = { .name = name, .len = len, .type = type,
					      .text = text_str(value), .text_len = value->len,
					      .is_number = number };

	take(arg, &v);
}

static void give_activity(const uint8_t *bytes, size_t len, event_header_take take, void *arg)
{
	static const char *const names[] = { "activity_id", "related_activity_id" };
	struct text value = { 0 };

	for (size_t i = 0; i < 2 && 16 * (i + 1) <= len; i++) {
		text_clear(&value);
		add_uuid(bytes + 16 * i, &value);
		give(take, arg, names[i], strlen(names[i]), "uuid", &value, false);
	}
	text_fini(&value);
}

static void give_fields(struct header_reader *r, event_header_take take, void *arg)
{
	struct text value = { 0 };

	while (!r->bad && r->meta.at < r->meta.end) {
		struct header_field d = take_definition(r);

		text_clear(&value);
		if (!r->bad)
			add_field(r, &d, &value);
		if (!r->bad)
			give(take, arg, d.name, d.len, type_word(&d), &value,
			     is_number(&d, &value));
	}
	text_fini(&value);
}

int event_header_read(const struct event_type *type, const uint8_t *data, uint32_t size,
		      event_header_take take, void *arg)
{
	const uint32_t at = event_header_is(type) ? type->fields[type->nr_common].offset : size;
	struct header_reader r = { 0 };
	const uint8_t *activity = NULL, *bytes;
	size_t activity_len = 0, len;
	struct text name = { 0 };
	const char *s;
	uint64_t kind = MORE_EXTENSIONS;

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
	s = take_name(&r, &len);
	text_bytes(&name, s, len);
	if (!r.bad)
		give(take, arg, "event_name", strlen("event_name"), "string", &name, false);
	text_fini(&name);
	if (activity)
		give_activity(activity, activity_len, take, arg);
	give_fields(&r, take, arg);
	return r.bad ? -1 : 1;
}

struct header_line {
	struct text	*out;
	size_t		 nr;
};

static void add_to_line(void *arg, const struct event_header_value *v)
{
	struct header_line *line = arg;

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
