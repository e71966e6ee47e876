/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_record - lines as records of a sub-buffer. */
#include <stdlib.h>
#include <string.h>

#include "parsers/io/byte_reader.h"
#include "parsers/lines/line_file_private.h"
#include "parsers/lines/line_record.h"
#include "parsers/source/page_maker.h"

#define PLACE_AT	8u	/* 21 bits each: where the lines are, the text in them, its bytes */
#define PLACE_BITS	21
#define PLACE_MASK	((1u << PLACE_BITS) - 1)
#define MAX_FRAMES	256u
#define MARKER		"tracing_mark_write: "	/* a record of print does not have it */
#define MIN_RECORD	64u	/* bytes: less room is not tried */

/* Where a record is made. */
struct record_maker {
	uint8_t		*at;		/* the record */
	uint8_t		*end;		/* end of its variable part so far */
	const uint8_t	*limit;
};

static void put(uint8_t *at, uint64_t v, unsigned int bytes)
{
	if (bytes > sizeof(v))
		bytes = sizeof(v);
	memcpy(at, (const uint8_t *)&v + (HOST_BIG_ENDIAN ? sizeof(v) - bytes : 0), bytes);
}

/* --- fields --------------------------------------------------------------------------------- */

#define PREEMPTED	0x100		/* since linux 4.14 */
#define PARKED		0x40
#define DEAD		0x200		/* x: only before */

/*
 * A task's state as a number, in the bits of kernels since 4.14.  Before, x is 0x40, P 0x200, and
 * K 0x80 is never alone; a task that is preempted has one bit, TASK_STATE_MAX, which is 0x200 until
 * 3.8, then 0x400, 0x800, 0x1000.  The highest number of the text tells which kernels it may be of;
 * else 0x40 is both P and x.  Format: linux include/linux/sched.h, include/trace/events/sched.h.
 */
static int64_t state_number(int64_t state, int64_t highest)
{
	bool is_old = highest > PREEMPTED || (highest > 0x80 && highest < PREEMPTED);

	if (!is_old)
		return state & PARKED && highest < PREEMPTED ? state | DEAD : state;
	if (state >= (highest < 0x400 ? 0x200 : 0x400) && !(state & (state - 1)))
		return PREEMPTED;
	return (state & 0x3f) | (state & 0x40 ? DEAD : 0) | (state & 0x200 ? PARKED : 0);
}

/*
 * Letters as bits of kernels since 4.14.  x is a dead task of kernels before; trace-cmd 3.1 has it
 * for P, too, and W for I.  trace-cmd report -R has the number.
 */
static int64_t state_bits(struct text_slice value, int64_t highest)
{
	static const char letters[] = "SDTtXZPI+x", old[] = "SDTtXZPW+x";
	int64_t bits = 0;
	size_t end;

	if (line_number(value, &bits, &end))
		return state_number(bits, highest);
	for (size_t i = 0; i < value.len; i++) {
		for (unsigned int bit = 0; letters[bit]; bit++)
			if (value.s[i] == letters[bit] || value.s[i] == old[bit])
				bits |= 1 << bit;
	}
	/* kernels before 4.14: TASK_IDLE is D|N, which is I since then */
	if (bits & 0x2 && value.len && memchr(value.s, 'N', value.len))
		bits ^= 0x82;
	return bits;
}

/* 0x may stand before. */
static uint64_t number_in(struct text_slice value, unsigned int base)
{
	return digits_of(slice_from(value, begins_with(value, "0x") ? 2 : 0), base, NULL);
}

/* "f", "f+0x10/0x20", "f [mod]", "f (ffffffff81000000)"; "0xffffffff81000000" is a name, too. */
static uint64_t symbol_address(const struct line_file *file, struct text_slice t)
{
	char buf[LINE_SYMBOL_MAX];
	struct text_slice behind, name = line_symbol_name(t, buf, &behind);
	unsigned int symbol = line_names_find(&file->symbols, name);
	uint64_t number;

	if (symbol == UINT32_MAX)
		return line_symbol_is_number(name, &number) ? number : 0;
	return line_symbol_address(file, symbol) +
	       (begins_with(behind, "+") ? number_in(slice_from(behind, 1), 16) : 0);
}

static void put_string(struct record_maker *m, uint8_t *at, struct text_slice value)
{
	size_t room = (size_t)(m->limit - m->end), len = value.len;

	if (!room || m->end - m->at > UINT16_MAX)
		return;
	if (len >= room)
		len = room - 1;
	if (len > UINT16_MAX - 1)
		len = UINT16_MAX - 1;
	put(at, (uint64_t)(len + 1) << 16 | (uint64_t)(m->end - m->at), 4);
	memcpy(m->end, value.s, len);
	m->end += len;
	*m->end++ = '\0';
}

static int64_t number_of(struct text_slice value)
{
	int64_t v = 0;
	size_t end;

	line_number(value, &v, &end);
	return v;
}

/* "254,16", "254:16" as the kernel's dev_t */
static uint64_t device_number(struct text_slice value)
{
	size_t at = length_until(value, ',', ':', ':');
	struct text_slice minor = slice_from(value, at + (at < value.len));

	return (uint64_t)number_of(slice(value.s, at)) << 20 | (uint64_t)number_of(minor);
}

/* Which of the words it is, from 1; else the number. */
static uint64_t word_number(struct text_slice value, const char *words)
{
	unsigned int nr = slice_listed(value, words);

	return nr ? nr : (uint64_t)number_of(value);
}

static void put_args(uint8_t *at, unsigned int bytes, struct text_slice value)
{
	const char *end = value.s + value.len, *comma;

	for (; bytes >= 8; bytes -= 8, at += 8) {
		put(at, number_in(value, 16), 8);
		comma = memchr(value.s, ',', value.len);
		if (!comma || end - comma < 2)
			return;
		value = slice(comma + 2, (size_t)(end - comma - 2));
	}
}

/* The number that a value is or stands for. */
static uint64_t number_as(const struct line_file *file, const struct line_type *type,
			  enum line_kind kind, struct text_slice value)
{
	int64_t ns = 0;

	switch (kind) {
	case LINE_NUMBER:
	case LINE_INT:
		return (uint64_t)number_of(value);
	case LINE_ADDRESS:
		return number_in(value, 16);
	case LINE_OCTAL:
		return number_in(value, 8);
	case LINE_STATE:
		return (uint64_t)state_bits(value, file->info.highest_state);
	case LINE_SYMBOL:
		return symbol_address(file, value);
	case LINE_CALL_NR:
		return type->call_nr == LINE_NO_SYMBOL ? 0 : type->call_nr;
	case LINE_SECONDS:
		return text_fixed_number(value, 9, &ns) ? (uint64_t)ns : 0;
	case LINE_DEVICE:
		return device_number(value);
	case LINE_ACTION:	/* include/uapi/linux/blktrace_api.h: enum blktrace_act */
		return word_number(value, "Q M F G S R D C P U UT I X B A");
	case LINE_ACCESS:	/* include/linux/mmiotrace.h: enum mm_io_opcode */
		return word_number(value, "R W MAP UNMAP UNKNOWN");
	case LINE_SECTORS:
		return (uint64_t)number_of(value) << 9;
	case LINE_HIT:
		return value.len && (*value.s == 'o' || *value.s == '1');
	case LINE_CHAR:
		return value.len ? (uint8_t)*value.s : 0;
	case LINE_COMM:
	case LINE_STRING:
	case LINE_PRINTED:
	case LINE_ARGS:
	case LINE_CALLER:
		break;
	}
	return 0;
}

/* "0x0" of up to 64 bits; "-5": print_graph_retval() prints errors only without 0x. */
static uint64_t returned(struct text_slice value)
{
	return begins_with(value, "0x") ? number_in(value, 16) : (uint64_t)number_of(value);
}

/* Probes print strings in quotes.  Where more quotes are inside, the text is not one string. */
static struct text_slice unquoted(struct text_slice value)
{
	if (value.len < 2 || *value.s != '"' ||
	    memchr(value.s + 1, '"', value.len - 1) != value.s + value.len - 1)
		return value;
	return slice(value.s + 1, value.len - 2);
}

static void put_field(const struct line_file *file, struct record_maker *m,
		      const struct line_type *type, const struct line_field *f,
		      struct text_slice value)
{
	uint8_t *at = m->at + f->offset;

	if (f->kind == LINE_COMM)
		memcpy(at, value.s, value.len < f->size ? value.len : f->size);
	else if (f->kind == LINE_STRING || f->kind == LINE_PRINTED)
		put_string(m, at, f->is_sure ? value : unquoted(value));
	else if (f->kind == LINE_ARGS)
		put_args(at, f->size, value);
	else
		put(at, number_as(file, type, f->kind, value), f->size);
}

static uint64_t frame_address(const struct line_file *file, const struct text_call *frame)
{
	char buf[LINE_FRAME_MAX];
	uint64_t offset;
	struct text_slice name = line_frame(frame, buf, &offset);

	return line_symbol_address(file, line_names_find(&file->symbols, name)) + offset;
}

/* A stack has an address for each of its lines, and UINT64_MAX behind the last one. */
static void put_stack(const struct line_file *file, struct record_maker *m, struct text_slice all,
		      size_t first, bool is_user)
{
	uint64_t pos = first, v;
	struct text_line line;

	for (unsigned int nr = 0; pos < all.len && nr < MAX_FRAMES;) {
		pos = text_trace_line(all.s, all.len, pos, &line);
		if (line.kind != TEXT_LINE_STACK || !line.text.len)
			continue;
		if (slice_is(line.call.value, "0"))	/* as in a perf.data, it ends there */
			break;
		if (m->limit - m->end < 16)
			break;
		/* a user's is "<00007f0123456789>" */
		v = line.call.value.len ? frame_address(file, &line.call) :
		    is_user             ? number_in(slice_from(line.text, 1), 16) :
					  symbol_address(file, line.text);
		put(m->end, v, 8);
		m->end += 8;
		nr++;
	}
	put(m->end, UINT64_MAX, 8);
	m->end += 8;
}

/* What line_calls found out about a call.  An exit without times has zeros there. */
static void put_call(const struct line_file *file, struct record_maker *m,
		     const struct line_row_call *call, const struct line_type *type)
{
	uint64_t from = call->is_timed ? call->from : 0, to = call->is_timed ? call->to : 0;

	m->end = m->at + type->size;
	memset(m->at, 0, type->size);
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		const struct line_field *f = &type->fields[i];
		uint64_t v = !strcmp(f->name, "func")  ? line_symbol_address(file, call->symbol) :
			     !strcmp(f->name, "depth") ? (uint64_t)call->parts.depth :
			     !strcmp(f->name, "calltime") ? from :
			     !strcmp(f->name, "rettime")  ? to :
			     !strcmp(f->name, "retval")   ? returned(call->parts.value) :
			     !strcmp(f->name, "retaddr") ?
							  symbol_address(file, call->parts.caller) :
							  0;

		if (f->size == 4 || f->size == 8)
			put(m->at + f->offset, v, f->size);
	}
}

/* --- records -------------------------------------------------------------------------------- */

/*
 * @first: bytes of the lines @all before the second one.  Formats of old kernels have a field
 * success: a wake-up whose line does not tell has succeeded.
 */
static void put_fields(const struct line_file *file, struct record_maker *m,
		       const struct line_type *type, struct text_slice body, struct text_slice all,
		       size_t first)
{
	struct line_values values;
	bool is_stack = type->nr_fields == 1 && type->fields[0].kind == LINE_CALLER;

	m->end = m->at + (is_stack ? LINE_FIELDS_AT : type->size);
	memset(m->at, 0, (size_t)(m->end - m->at));
	if (is_stack) {
		put_stack(file, m, all, first, *type->name == 'u');
		return;
	}
	line_type_values(type, body, &values);
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		const struct line_field *f = &type->fields[i];

		if (f->size && (values.v[i].s || f->kind == LINE_CALL_NR))
			put_field(file, m, type, f, values.v[i]);
		else if (f->kind == LINE_NUMBER && !strcmp(f->name, "success"))
			put(m->at + f->offset, 1, f->size);
	}
}

/* The type of a row, the text with its fields, and the text that is shown. */
static struct line_type *type_of(const struct line_reader *r, const struct line_row *row,
				 const struct text_line *line, struct text_slice *body,
				 struct text_slice *text)
{
	char buf[LINE_NAME_MAX];
	struct text_slice name;
	struct line_type *type;

	if (line->seen && line->seen->type) {
		*text = *body = line_event_body(line);
		return line->seen->type;
	}
	name = line_row_name(r->file, line, row, buf, body);
	type = line_types_find(&r->file->types, name);
	*text = name.s == line->event.s ? *body : line->text;
	if (line->seen && name.s == line->event.s) {
		line->seen->is_whole = type && type->is_known;
		line->seen->type = type;
	}
	return type;
}

/* Is the event in a comment between calls? */
static bool is_comment(const struct text_line *line)
{
	return line->text.s - line->line.s >= 3 && !memcmp(line->text.s - 3, "/* ", 3);
}

/* The lines of a row, but for its stacks; or those of one of its stacks. */
static struct text_slice lines_of(const struct line_row *row, unsigned int stack)
{
	size_t from = stack < LINE_STACKS ? row->stacks[stack] : 0, to = row->all.len + 1;

	for (unsigned int i = LINE_STACKS; i-- > 0;)
		if (row->stacks[i] > from)
			to = row->stacks[i];
	return slice(row->all.s + from, to - 1 - from);
}

/* Add the lines.  Return: as make_record(). */
static uint32_t end_record(const struct line_file *file, const struct line_row *row,
			   struct record_maker *m, const struct line_type *type,
			   struct text_slice all, struct text_slice text)
{
	put(m->at, (uint64_t)type->id, 2);
	put(m->at + 4, (uint64_t)line_row_pid(file, row), 4);
	put(m->at + PLACE_AT,
	    (uint64_t)(m->end - m->at) | (uint64_t)(text.s - all.s) << PLACE_BITS |
		    (uint64_t)text.len << 2 * PLACE_BITS,
	    8);
	if ((size_t)(m->limit - m->end) < all.len + 5)
		return 0;
	memcpy(m->end, all.s, all.len);
	m->end += all.len;
	do
		*m->end++ = '\0';
	while ((m->end - m->at) % 4);
	return (uint32_t)(m->end - m->at);
}

static bool has_room(const struct line_type *type, struct text_slice all, const uint8_t *to,
		     const uint8_t *limit)
{
	return (size_t)(limit - to) >= type->size + MAX_FRAMES * 8 + 64 + all.len;
}

/* A stack of a row, as its record of another event. */
static uint32_t make_stack(struct line_reader *r, const struct line_row *row, unsigned int stack,
			   uint8_t *to, const uint8_t *limit)
{
	const struct line_type *type = line_types_find(&r->file->types,
						       slice_of(line_stack_names[stack]));
	struct record_maker m = { .at = to, .end = to + LINE_FIELDS_AT, .limit = limit };
	struct text_slice all = lines_of(row, stack);

	if (!type || !has_room(type, all, to, limit))
		return 0;
	memset(to, 0, LINE_FIELDS_AT);
	put_stack(r->file, &m, all, 0, false);
	return end_record(r->file, row, &m, type, all, all);
}

/*
 * The payload; @is_exit: the second one of a row.  Return: its bytes, a multiple of 4; 0: there is
 * no room.
 */
static uint32_t make_record(struct line_reader *r, const struct text_line *line, bool is_exit,
			    uint8_t *to, const uint8_t *limit)
{
	const struct line_file *file = r->file;
	const struct line_row *row = &r->row;
	struct text_slice all = lines_of(row, LINE_STACKS), body = all, text = all;
	struct record_maker m = { .at = to, .limit = limit };
	const struct line_type *type;
	size_t first = r->next - (size_t)(all.s - r->text.s);

	if (is_exit)
		type = line_types_find(&file->types, line_call_type(true, false));
	else
		type = type_of(r, row, line, &body, &text);
	if (is_exit)
		all.len = 0;
	if (!type || !has_room(type, all, to, limit))
		return 0;
	if (row->call)
		put_call(file, &m, row->call, type);
	else
		put_fields(file, &m, type, body, all, first);
	if (line->flags.len)
		text_line_context(&file->info.header, line, m.at + 2, m.at + 3);
	if (line->kind != TEXT_LINE_GRAPH && !is_comment(line))
		text.len = (size_t)(all.s + all.len - text.s);
	while (line->kind == TEXT_LINE_EVENT && begins_with(text, " "))
		text = slice_from(text, 1);
	return end_record(file, row, &m, type, all, text);
}

static void add_stacks(struct line_reader *r, struct page_maker *maker)
{
	const struct line_row *row = &r->row;

	for (unsigned int stack = 0; stack < LINE_STACKS && row->is_sample; stack++) {
		uint8_t *record = row->stacks[stack] ? page_maker_room(maker, MIN_RECORD) : NULL;
		uint32_t size = record ? make_stack(r, row, stack, record, maker->limit) : 0;

		if (size)
			page_maker_add(maker, row->ts, size);
	}
}

static void add_row(struct line_reader *r, const struct text_line *line, struct page_maker *maker)
{
	const struct line_row *row = &r->row;

	if (row->kind == TEXT_LINE_LOST) {
		page_maker_lost(maker, row->ts, row->lost);
		return;
	}
	for (unsigned int exit = 0; exit <= line_row_has_exit(row); exit++) {
		uint8_t *record = page_maker_room(maker, MIN_RECORD);
		uint32_t size = record ? make_record(r, line, exit, record, maker->limit) : 0;

		if (!size)
			break;
		page_maker_add(maker, line_row_stamp(r->file, row, exit), size);
	}
	add_stacks(r, maker);
}

uint32_t line_reader_page(struct line_reader *r, uint64_t page, int cpu, uint8_t *to)
{
	const struct sub_buffer_layout layout = page_maker_layout(LINE_RECORDS_BYTES,
								  HOST_BIG_ENDIAN);
	struct page_maker maker;
	const struct text_line *line;
	bool failed;

	if (page >= line_file_pages(r->file, cpu))
		return 0;
	page_maker_begin(&maker, &layout, to);
	line_page_begin(r, page, cpu);
	while ((line = line_page_next(r, &failed)))
		add_row(r, line, &maker);
	return failed ? 0 : page_maker_end(&maker);
}

/* --- their text ----------------------------------------------------------------------------- */

struct text_slice line_record_lines(const uint8_t *data, uint32_t size)
{
	uint64_t place = size, from;

	if (size >= LINE_FIELDS_AT)
		memcpy(&place, data + PLACE_AT, 8);
	from = place & PLACE_MASK;
	if (from >= size)
		return nothing;
	for (int i = 0; i < 4 && size > from && !data[size - 1]; i++)
		size--;
	return slice((const char *)data + from, size - from);
}

struct text_slice line_record_text(const uint8_t *data, uint32_t size)
{
	struct text_slice lines = line_record_lines(data, size), text;
	uint64_t place = 0, at, len;

	if (lines.len)
		memcpy(&place, data + PLACE_AT, 8);
	at = place >> PLACE_BITS & PLACE_MASK;
	len = place >> 2 * PLACE_BITS;
	text = slice_from(lines, at < lines.len ? at : lines.len);
	return slice(text.s, len < text.len ? len : text.len);
}

uint32_t line_record_file(const uint8_t *data, uint32_t size, uint8_t *to, uint32_t room)
{
	struct text_slice text = line_record_text(data, size);
	uint64_t place = 0, fields, len = text.len;

	if (size >= LINE_FIELDS_AT)
		memcpy(&place, data + PLACE_AT, 8);
	fields = place & PLACE_MASK;
	if (!fields || fields > size || fields + 4 > room || fields > UINT16_MAX)
		return 0;
	if (begins_with(text, MARKER)) {
		text = slice_from(text, strlen(MARKER));
		len = text.len;
	}
	if (len > room - fields - 4)
		len = room - fields - 4;
	memset(to, 0, fields + len + 4);
	memcpy(to, data, fields);
	memcpy(to + fields, text.s, len);
	put(to + PLACE_AT, (len + 1) << 16 | fields, 4);
	put(to + PLACE_AT + 4, 0, 4);
	return (uint32_t)(fields + len + 4) / 4 * 4;
}
