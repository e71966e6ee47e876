/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_run_bytes - prints addresses, masks and fields without a format from a record's bytes. */
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/print/print_run.h"

#define FAMILY_IP4	2
#define FAMILY_IP6	10

static bool has_letter(const char *letters, char c)
{
	return strchr(letters, c) != NULL;
}

/* --- addresses ---------------------------------------------------------- */

void print_run_mac(struct print_run *run, const struct print_insn *insn)
{
	const char *letters = insn->ptr;
	char separator = letters[0] == 'm' ? '\0' : letters[1] == 'F' ? '-' : ':';
	uint32_t offset = print_source(run, insn).offset;

	for (uint32_t i = 0; i < 6; i++) {
		if (i && separator)
			text_char(run->out, separator);
		print_hex_byte(run->out, print_byte(run, offset + (letters[1] == 'R' ? 5 - i : i)));
	}
}

static void add_ip4(struct print_run *run, uint32_t offset, bool zeros, bool reverse)
{
	static const struct print_spec three = { 'u', FLAG_ZERO, 4, false, 3, -1 };

	for (uint32_t i = 0; i < 4; i++) {
		uint8_t byte = print_byte(run, offset + (reverse ? 3 - i : i));

		if (i)
			text_char(run->out, '.');
		if (zeros)
			print_number(run->out, &three, byte);
		else
			print_decimal(run->out, byte);
	}
}

void print_run_ip4(struct print_run *run, const struct print_insn *insn)
{
	const char *letters = insn->ptr;
	char order = letters[2];

	add_ip4(run, print_source(run, insn).offset, letters[0] == 'i',
		order == 'l' || (order == 'h' && !run->c->big_endian));
}

/* RFC 5952, with the last 32 bits as IPv4 where the address holds one. */
static void add_ip6_compressed(struct print_run *run, uint32_t offset)
{
	uint16_t words[8];
	unsigned int nr = 8, run_at = 8, run_len = 1;
	bool colon = false;

	for (uint32_t i = 0; i < 8; i++)
		words[i] = (uint16_t)print_load(run, offset + 2 * i, 2, !HOST_BIG_ENDIAN);
	if ((!(words[0] | words[1] | words[2] | words[3] | words[4]) && words[5] == 0xffff) ||
	    ((words[4] | 0x0200) == 0x0200 && words[5] == 0x5efe))
		nr = 6;			/* mapped, or ISATAP */
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int len = 0;

		while (i + len < nr && !words[i + len])
			len++;
		if (len > run_len) {
			run_len = len;
			run_at = i;
		}
	}
	for (unsigned int i = 0; i < nr; i++) {
		if (i == run_at) {
			text_add(run->out, colon || !i ? "::" : ":");
			colon = false;
			i += run_len - 1;
			continue;
		}
		if (colon)
			text_char(run->out, ':');
		print_hex(run->out, words[i]);
		colon = true;
	}
	if (nr == 6) {
		if (colon)
			text_char(run->out, ':');
		add_ip4(run, offset + 12, false, false);
	}
}

static void add_ip6(struct print_run *run, uint32_t offset, bool colons, bool compressed)
{
	if (compressed) {
		add_ip6_compressed(run, offset);
		return;
	}
	for (uint32_t i = 0; i < 16; i++) {
		if (i && i % 2 == 0 && colons)
			text_char(run->out, ':');
		print_hex_byte(run->out, print_byte(run, offset + i));
	}
}

void print_run_ip6(struct print_run *run, const struct print_insn *insn)
{
	const char *letters = insn->ptr;

	add_ip6(run, print_source(run, insn).offset, letters[0] == 'I',
		letters[0] == 'I' && letters[2] == 'c');
}

/* "ISpc": p adds the port, c compresses; libtraceevent requires this order. */
void print_run_sockaddr(struct print_run *run, const struct print_insn *insn)
{
	struct print_bytes b = print_source(run, insn);
	const char *letters = insn->ptr, *rest = letters + 2;
	bool kernel = run->program->kernel, port, compressed, reverse;
	uint64_t family = print_load(run, b.offset, 2, kernel && run->swap);

	port = kernel ? has_letter(rest, 'p') : letters[0] == 'I' && *rest == 'p';
	rest += !kernel && port;
	compressed = kernel ? has_letter(rest, 'c') : letters[0] == 'I' && *rest == 'c';
	rest += !kernel && compressed;
	reverse = kernel ? has_letter(rest, 'l') || (has_letter(rest, 'h') && !run->c->big_endian) :
			   *rest == 'l' || (*rest == 'h' && !run->c->big_endian);
	if (family == FAMILY_IP4) {
		if (b.len < 16) {
			text_add(run->out, "INVALIDIPv4");
			return;
		}
		add_ip4(run, b.offset + 4, letters[0] == 'i', reverse);
		if (port)
			text_char(run->out, ':');
	} else if (family == FAMILY_IP6) {
		if (b.len < 28) {
			text_add(run->out, "INVALIDIPv6");
			return;
		}
		if (port)
			text_char(run->out, '[');
		add_ip6(run, b.offset + 8, letters[0] == 'I', compressed);
		if (port)
			text_add(run->out, "]:");
	} else {
		if (kernel)
			text_add(run->out, "(einval)");
		return;
	}
	if (port)
		print_decimal(run->out, print_load(run, b.offset + 2, 2, !HOST_BIG_ENDIAN));
}

void print_run_uuid(struct print_run *run, const struct print_insn *insn)
{
	static const uint8_t swapped[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
	char order = ((const char *)insn->ptr)[1];
	const char *digits = order == 'L' || order == 'B' ? upper : lower;
	uint32_t offset = print_source(run, insn).offset;

	for (uint32_t i = 0; i < 16; i++) {
		uint8_t byte = print_byte(run,
					  offset + (order == 'L' || order == 'l' ? swapped[i] : i));

		if (i == 4 || i == 6 || i == 8 || i == 10)
			text_char(run->out, '-');
		text_char(run->out, digits[byte >> 4]);
		text_char(run->out, digits[byte & 15]);
	}
}

/* %*ph */
void print_run_bytes(struct print_run *run, const struct print_insn *insn, uint64_t width)
{
	int64_t nr = (int64_t)width;
	struct print_bytes b = print_source(run, insn);
	char separator = insn->sub == 'C' ? ':' :
			 insn->sub == 'D' ? '-' :
			 insn->sub == 'N' ? '\0' :
					    ' ';
	uint32_t len;

	if (run->program->kernel)	/* one without a width; 64 bytes at most */
		len = nr < 0 ? 1 : nr > 64 ? 64 : (uint32_t)nr;
	else
		len = (int32_t)nr >= 0 && (uint32_t)nr < b.len ? (uint32_t)nr : b.len;
	for (uint32_t i = 0; i < len; i++) {
		if (i && separator)
			text_char(run->out, separator);
		print_hex_byte(run->out, print_byte(run, b.offset + i));
	}
}

/* --- masks -------------------------------------------------------------- */

/* Byte i of a mask, lowest bits first; the longs have the trace's byte order. */
static uint8_t mask_byte(const struct print_run *run, struct print_bytes b, uint32_t i)
{
	uint32_t word;

	if (!run->c->big_endian)
		return print_byte(run, b.offset + i);
	if (!run->program->kernel)	/* libtraceevent reverses the whole mask */
		return print_byte(run, b.offset + b.len - 1 - i);
	word = i / (uint32_t)run->c->long_size * (uint32_t)run->c->long_size;
	return print_byte(run, b.offset + word + (uint32_t)run->c->long_size - 1 - (i - word));
}

/* In hex, with a comma after each 32 bits. */
static void add_mask_hex(const struct print_run *run, struct print_bytes b, uint64_t bits,
			 struct text *out)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t nibbles = (bits + 3) / 4;

	while (nibbles--) {
		uint8_t byte = mask_byte(run, b, (uint32_t)(nibbles / 2));
		unsigned int digit = nibbles & 1 ? byte >> 4 : byte & 15;

		if (nibbles == bits / 4 && bits % 4)	/* the highest digit may hold fewer bits */
			digit &= (1u << bits % 4) - 1;
		text_char(out, digits[digit]);
		if (nibbles && nibbles % 8 == 0)
			text_char(out, ',');
	}
}

void print_run_bitmask(struct print_run *run, const struct print_insn *insn, struct text *out)
{
	struct print_bytes b = print_source(run, insn);

	add_mask_hex(run, b, (uint64_t)b.len * 8, out);
}

static void add_range(struct text *out, size_t begin, uint64_t first, uint64_t last)
{
	if (out->len != begin)
		text_char(out, ',');
	print_decimal(out, first);
	if (last != first) {
		text_char(out, '-');
		print_decimal(out, last);
	}
}

/* "0-3,7" */
void print_run_cpumask(struct print_run *run, const struct print_insn *insn, uint64_t bits,
		       struct text *out)
{
	struct print_bytes b = print_source(run, insn);
	size_t begin = out->len;
	uint64_t first = 0, i;
	bool inside = false;

	if (bits > (uint64_t)b.len * 8)
		bits = (uint64_t)b.len * 8;
	for (i = 0; i < bits; i++) {
		uint8_t byte = mask_byte(run, b, (uint32_t)(i / 8));
		bool set = byte >> i % 8 & 1;

		if (i % 8 == 0 && !inside && !byte) {
			i += 7;
			continue;
		}
		if (set && !inside)
			first = i;
		if (!set && inside)
			add_range(out, begin, first, i - 1);
		inside = set;
	}
	if (inside)
		add_range(out, begin, first, bits - 1);
}

/* %*pb and %*pbl: the width is the number of bits. */
void print_run_bits(struct print_run *run, const struct print_insn *insn, uint64_t bits)
{
	struct print_bytes b = print_source(run, insn);

	if ((int32_t)bits < 0)
		bits = 0;
	bits = (uint32_t)bits;
	if (insn->sub == 'l') {
		print_run_cpumask(run, insn, bits, run->out);
		return;
	}
	if (bits > (uint64_t)b.len * 8)
		bits = (uint64_t)b.len * 8;
	add_mask_hex(run, b, bits, run->out);
}

/* --- fields without a format -------------------------------------------- */

static bool is_printable(const struct print_run *run, struct print_bytes b)
{
	for (uint32_t i = 0; i < b.len; i++) {
		uint8_t c = print_byte(run, b.offset + i);

		if (!c)
			break;
		if ((c < ' ' || c > '~') && !(c >= '\t' && c <= '\r'))
			return false;
	}
	return true;
}

static struct print_bytes raw_bytes(const struct print_run *run, const struct print_insn *insn)
{
	return insn->dynamic ? print_source(run, insn) :
			       (struct print_bytes){ insn->offset, insn->size };
}

bool print_run_is_array(const struct print_run *run, const struct print_insn *insn)
{
	return !is_printable(run, raw_bytes(run, insn));
}

static void add_raw_array(struct print_run *run, const struct print_raw_field *raw,
			  const struct print_insn *insn)
{
	struct print_bytes b = raw_bytes(run, insn);
	uint32_t there = b.offset < run->avail ? run->avail - b.offset : 0;
	const char *s = (const char *)run->data + b.offset;

	if (raw->tep.is_string && !(run->rec->note & raw->bit) && is_printable(run, b)) {
		text_bytes(run->out, s, there ? strnlen(s, there) : 0);
		return;
	}
	text_add(run->out, "ARRAY[");
	for (uint32_t i = 0; i < b.len; i++) {
		if (i)
			text_add(run->out, ", ");
		print_hex_byte(run->out, print_byte(run, b.offset + i));
	}
	text_char(run->out, ']');
}

void print_run_raw_field(struct print_run *run, const struct print_insn *insn)
{
	static const struct print_spec two = { 'd', 0, 2, false, 2, -1 };
	const struct print_raw_field *raw = insn->ptr;
	const struct tep_field *f = &raw->tep;
	uint32_t size = raw->field->size;
	uint64_t v;

	if (f->is_array) {
		add_raw_array(run, raw, insn);
		return;
	}
	v = field_is_number(size) ? print_load(run, raw->field->offset, size, run->swap) : 0;
	if (f->is_pointer || (f->is_long && (!f->is_signed || size == 4))) {
		text_add(run->out, "0x");
		print_hex(run->out, v);
	} else if (!f->is_signed) {
		print_decimal(run->out, v);
	} else if (size == 2) {
		print_number(run->out, &two, v);
	} else {
		print_signed(run->out, field_sign(v, size));
	}
}
