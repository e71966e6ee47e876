/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/print_run.h"

#include <string.h>

#include "parsers/types/field.h"

/* --- the record --------------------------------------------------------- */

uint64_t print_load(const struct print_run *run, uint32_t offset, uint32_t width, bool swap)
{
	uint8_t bytes[8] = { 0 };

	if (offset <= run->avail && width <= run->avail - offset)
		return field_load(run->data, run->avail, offset, width, swap);
	for (uint32_t i = 0; i < width && i < 8 && offset < UINT32_MAX - 8; i++)
		bytes[i] = print_byte(run, offset + i);
	return field_load(bytes, sizeof(bytes), 0, width, swap);
}

/* Load a number inside the record; 0 if it is not completely inside. */
static inline uint64_t load_inside(const struct print_run *run, uint64_t offset, uint32_t width)
{
	if (offset > run->size)
		return 0;
	if (run->size <= run->avail)
		return field_load(run->data, run->size, (uint32_t)offset, width, run->swap);
	return width > run->size - offset ? 0 : print_load(run, (uint32_t)offset, width, run->swap);
}

/*
 * libtraceevent: an offset past the record's end means its beginning, and a length past the end
 * means an empty source.
 */
static struct print_bytes tep_dynamic(const struct print_run *run, const struct print_insn *insn)
{
	uint32_t word, offset, len;

	if (run->size < 4 || insn->offset > run->size - 4)
		return (struct print_bytes){ 0, 0 };
	word = (uint32_t)print_load(run, insn->offset, 4, run->swap);
	offset = word & 0xffff;
	len = word >> 16;
	if (offset + len > run->size)
		len = 0;
	if (offset > run->size)
		offset = 0;
	return (struct print_bytes){ offset + (insn->relative ? insn->offset + 4 : 0), len };
}

static struct print_bytes kernel_dynamic(const struct print_run *run, const struct print_insn *insn)
{
	uint32_t word = (uint32_t)load_inside(run, insn->offset, 4), offset, len;

	offset = (word & 0xffff) + (insn->relative ? insn->offset + 4 : 0);
	len = word >> 16;
	if (offset > run->size)
		return (struct print_bytes){ run->size, 0 };
	return (struct print_bytes){ offset, len < run->size - offset ? len : run->size - offset };
}

struct print_bytes print_source(const struct print_run *run, const struct print_insn *insn)
{
	if (insn->dynamic)
		return run->program->kernel ? kernel_dynamic(run, insn) : tep_dynamic(run, insn);
	if (insn->offset > run->size)
		return (struct print_bytes){ run->size, 0 };
	if (!insn->size || (run->program->kernel && insn->size > run->size - insn->offset))
		return (struct print_bytes){ insn->offset, run->size - insn->offset };
	return (struct print_bytes){ insn->offset, insn->size };
}

/* --- pieces of text ----------------------------------------------------- */

static const struct print_spec *spec_of(const struct print_run *run, const struct print_insn *insn)
{
	return insn->spec ? insn->spec : &run->star;
}

static inline void add_through(struct print_run *run, const struct print_spec *spec, const char *s,
			       size_t len)
{
	if (spec && (spec->width >= 0 || spec->precision >= 0))
		print_string(run->out, spec, s, len);
	else
		text_bytes(run->out, s, len);
}

static void run_string(struct print_run *run, const struct print_insn *insn)
{
	struct print_bytes b = print_source(run, insn);
	uint32_t there = b.offset < run->avail ? run->avail - b.offset : 0;

	/* libtraceevent drops the width, too */
	if (!b.len && !run->program->kernel && insn->dynamic)
		return;
	if (!insn->dynamic && there > b.len)
		there = b.len;
	there = there ? (uint32_t)strnlen((const char *)run->data + b.offset, there) : 0;
	add_through(run, spec_of(run, insn), (const char *)run->data + (there ? b.offset : 0),
		    there);
}

static void run_quoted(struct print_run *run, const struct print_insn *insn)
{
	if (!print_source(run, insn).len) {
		text_add(run->out, "(fault)");
		return;
	}
	text_char(run->out, '"');
	run_string(run, insn);
	text_char(run->out, '"');
}

static void run_string_pointer(struct print_run *run, const struct print_insn *insn)
{
	bool kernel = run->program->kernel;
	/* libtraceevent ignores the byte order here */
	uint64_t address = print_load(run, insn->offset, insn->width, kernel && run->swap);
	const char *s = kernel ? printk_formats_find(run->c->printk, address) :
				 printk_formats_find_short(run->c->printk, address);

	if (s && kernel)
		add_through(run, spec_of(run, insn), s, strlen(s));
	else if (s)
		text_add(run->out, s);
	else {
		if (kernel)
			text_bytes(run->out, "0x", 2);
		print_hex(run->out, address);
	}
}

/* Append the bits without a name. */
static void add_nameless(struct print_run *run, const struct print_node *table, uint64_t bits,
			 bool behind_others)
{
	if (!bits)
		return;
	if (behind_others)
		text_add(run->out, table->delimiter);
	text_bytes(run->out, "0x", 2);
	print_hex(run->out, bits);
}

static void tep_flags(struct print_run *run, const struct print_insn *insn, uint64_t value)
{
	const struct print_node *table = insn->ptr;
	bool any = false;

	for (unsigned int i = 0; i < table->names->nr; i++) {
		const struct value_name *n = &table->names->names[i];
		bool none = (int64_t)n->value < 0 && !value;

		if (!none && ((int64_t)n->value <= 0 || (value & n->value) != n->value))
			continue;
		if (any && !none)
			text_add(run->out, table->delimiter);
		add_through(run, spec_of(run, insn), n->name, strlen(n->name));
		if (none)
			break;
		any = true;
		value &= ~n->value;
	}
	add_nameless(run, table, value, any);
}

static void kernel_flags(struct print_run *run, const struct print_insn *insn, uint64_t value)
{
	const struct print_node *table = insn->ptr;
	bool any = false;

	for (unsigned int i = 0; i < table->names->nr && value; i++) {
		const struct value_name *n = &table->names->names[i];

		if ((value & n->value) != n->value)
			continue;
		if (any)
			text_add(run->out, table->delimiter);
		text_add(run->out, n->name);
		any = true;
		value &= ~n->value;
	}
	add_nameless(run, table, value, any);
}

static void run_flags(struct print_run *run, const struct print_insn *insn, uint64_t value)
{
	if (run->program->kernel)
		kernel_flags(run, insn, value);
	else
		tep_flags(run, insn, value);
}

static void run_symbolic(struct print_run *run, const struct print_insn *insn, uint64_t value)
{
	const struct value_names *names = ((const struct print_node *)insn->ptr)->names;

	for (unsigned int i = 0; i < names->nr; i++)
		if (names->names[i].value == value) {
			const char *name = names->names[i].name;

			/* the kernel treats an empty name as not found */
			if (run->program->kernel && !*name)
				break;
			add_through(run, run->program->kernel ? NULL : spec_of(run, insn), name,
				    strlen(name));
			return;
		}
	text_bytes(run->out, "0x", 2);
	print_hex(run->out, value);
}

/* Append the function at an address and the offset in it; false if none is known. */
static bool add_function(struct print_run *run, const struct print_insn *insn, uint64_t address)
{
	bool offset = insn->sub == 'F' || insn->sub == 'S' || insn->sub == 'B',
	     kernel = run->program->kernel;
	struct kallsyms_symbol s;

	if (!run->c->syms ||
	    !(kernel ? kallsyms_find(run->c->syms, insn->sub == 'B' ? address - 1 : address, &s) :
		       kallsyms_find_as_tep(run->c->syms, address, &s)))
		return false;
	text_add(run->out, s.name);
	if (offset) {
		text_bytes(run->out, "+0x", 3);
		print_hex(run->out, address - s.start);
	}
	if (offset && kernel) {
		text_bytes(run->out, "/0x", 3);
		print_hex(run->out, s.end - s.start);
	}
	if (kernel && s.module) {
		text_add(run->out, " [");
		text_add(run->out, s.module);
		text_char(run->out, ']');
	}
	return true;
}

static void run_function(struct print_run *run, const struct print_insn *insn, uint64_t address)
{
	bool found = add_function(run, insn, address);

	if (insn->width)
		text_bytes(run->out, " (", 2);
	if (insn->width || !found) {
		text_bytes(run->out, "0x", 2);
		print_hex(run->out, address);
	}
	if (insn->width)
		text_char(run->out, ')');
}

/* Like the C library's %p; or like the kernel's without hashing: with all digits. */
static void run_pointer(struct print_run *run, const struct print_insn *insn, uint64_t value)
{
	static const struct print_spec digits64 = { 'x', FLAG_ZERO, 8, true, 16, -1 };
	static const struct print_spec digits32 = { 'x', FLAG_ZERO, 4, true, 8, -1 };

	(void)insn;
	if (run->program->kernel) {
		print_number(run->out, run->c->long_size == 4 ? &digits32 : &digits64, value);
	} else if (!value) {
		text_add(run->out, "(nil)");
	} else {
		text_bytes(run->out, "0x", 2);
		print_hex(run->out, (uintptr_t)value);
	}
}

/* --- arrays ------------------------------------------------------------- */

/* Is it too many elements to print?  Then another printer must print the record. */
static bool is_too_many(struct print_run *run, uint64_t nr)
{
	run->too_many |= nr > PRINT_COUNT;
	return nr > PRINT_COUNT;
}

static void run_hex(struct print_run *run, const struct print_insn *insn, uint64_t nr)
{
	struct print_bytes b = print_source(run, insn);

	if (!run->program->kernel)
		nr = (uint32_t)nr;
	if (is_too_many(run, nr))
		return;
	for (uint32_t i = 0; i < nr; i++) {
		if (i && !insn->sub)
			text_char(run->out, ' ');
		print_hex_byte(run->out, print_byte(run, b.offset + i));
	}
}

/*
 * Elements as "1 2", or "{0x1,0x2}".  If the element size is unknown: one byte and a complaint,
 * then bytes.
 */
static void add_elements(struct print_run *run, uint32_t offset, uint64_t nr, uint64_t width,
			 bool braces, bool swap)
{
	if (is_too_many(run, nr))
		return;
	if (braces)
		text_char(run->out, '{');
	for (uint64_t i = 0; i < nr; i++, offset += (uint32_t)width) {
		bool bad = width > 8 || !field_is_number((uint32_t)width);
		uint64_t v = bad ? print_byte(run, offset) :
				   print_load(run, offset, (uint32_t)width, swap);

		if (i)
			text_char(run->out, braces ? ',' : ' ');
		if (bad) {
			text_add(run->out, "BAD SIZE:");
			print_signed(run->out, (int32_t)width);
			text_char(run->out, ' ');
			width = 1;
		}
		if (bad || braces)
			text_bytes(run->out, "0x", 2);
		if (bad || braces)
			print_hex(run->out, v);
		else
			print_decimal(run->out, v);
	}
	if (braces)
		text_char(run->out, '}');
}

static void run_array(struct print_run *run, const struct print_insn *insn, uint64_t nr,
		      uint64_t width)
{
	struct print_bytes b = print_source(run, insn);
	bool kernel = run->program->kernel;

	if (kernel)
		add_elements(run, b.offset, nr, width, true, run->swap);
	else				/* in this machine's byte order, whatever the trace's */
		add_elements(run, b.offset, (uint32_t)nr, (uint32_t)width,
			     run->program->era != TEXT_ERA_3_1, false);
}

static void run_print_dynamic_array(struct print_run *run, const struct print_insn *insn,
				    uint64_t width)
{
	struct print_bytes b = print_source(run, insn);

	add_elements(run, b.offset, width ? b.len / width : 0, width, true, run->swap);
}

/* Apply a width or precision to the text since the mark. */
static void run_pad(struct print_run *run, const struct print_insn *insn)
{
	struct text copy = { 0 };

	text_bytes(&copy, run->out->data + run->mark, run->out->len - run->mark);
	run->out->len = run->mark;
	add_through(run, spec_of(run, insn), text_str(&copy), copy.len);
	text_fini(&copy);
}

static void run_mask(struct print_run *run, const struct print_insn *insn)
{
	const struct print_spec *spec = spec_of(run, insn);
	bool through = spec->width >= 0 || spec->precision >= 0;
	struct text list = { 0 }, *out = through ? &list : run->out;

	if (insn->op == I_BITMASK)
		print_run_bitmask(run, insn, out);
	else
		print_run_cpumask(run, insn, UINT64_MAX, out);
	if (through)
		print_string(run->out, spec, text_str(&list), list.len);
	text_fini(&list);
}

/* --- running ------------------------------------------------------------ */

static void take_star(struct print_run *run, const struct print_insn *insn, int value)
{
	if (!(insn->sub & 4))		/* this is the second of two: it only adds to the first */
		run->star = *insn->spec;
	if (insn->sub & 2) {
		run->star.precision = value < 0 ? -1 : value;
		return;
	}
	run->star.width = value < 0 ? -(value + 1) + 1 : value;
	if (value < 0)
		run->star.flags |= FLAG_LEFT;
}

static uint64_t load_element(const struct print_run *run, const struct print_insn *insn,
			     uint64_t index)
{
	struct print_bytes b;
	struct print_insn base = *insn;

	base.size = 0;
	b = print_source(run, &base);
	if (index > run->size)
		return 0;
	return print_fit(load_inside(run, b.offset + index * insn->size, insn->width), insn->width,
			 insn->is_signed);
}

static void run_number(struct print_run *run, const struct print_insn *insn, uint64_t value)
{
	print_number(run->out, spec_of(run, insn), value);
}

static void run_string_const(struct print_run *run, const struct print_insn *insn)
{
	print_string(run->out, spec_of(run, insn), insn->ptr, insn->size);
}

static void run_mark(struct print_run *run, const struct print_insn *insn)
{
	(void)insn;
	run->mark = run->out->len;
}

/* Instructions that pop the top of the stack and append to the text. */
static void (*const from_top[I_RAW_FIELD + 1])(struct print_run *run, const struct print_insn *insn,
					       uint64_t top) = {
	[I_NUMBER] = run_number,
	[I_POINTER] = run_pointer,
	[I_FUNCTION] = run_function,
	[I_FLAGS] = run_flags,
	[I_SYMBOLIC] = run_symbolic,
	[I_HEX] = run_hex,
	[I_PRINT_DYNAMIC_ARRAY] = run_print_dynamic_array,
	[I_BITS] = print_run_bits,
	[I_BYTES] = print_run_bytes,
};

/* Instructions that append to the text and do not use the stack. */
static void (*const plain[I_RAW_FIELD + 1])(struct print_run *run,
					    const struct print_insn *insn) = {
	[I_STRING] = run_string,
	[I_QUOTED] = run_quoted,
	[I_STRING_CONST] = run_string_const,
	[I_STRING_POINTER] = run_string_pointer,
	[I_BITMASK] = run_mask,
	[I_CPUMASK] = run_mask,
	[I_MAC] = print_run_mac,
	[I_IP4] = print_run_ip4,
	[I_IP6] = print_run_ip6,
	[I_SOCKADDR] = print_run_sockaddr,
	[I_UUID] = print_run_uuid,
	[I_MARK] = run_mark,
	[I_PAD] = run_pad,
	[I_RAW_FIELD] = print_run_raw_field,
};

static uint64_t call_function(const struct print_run *run, const struct print_insn *insn,
			      const uint64_t *args, struct text *out)
{
	const struct text_function *f = insn->ptr;

	return f->call(run->c, run->rec, args, out);
}

/* --- what nearly all texts are made of: straight to their place -------------- */

/* Literals have buffers of a multiple of 16 bytes (print_compile.c). */
static inline char *put_literal(char *to, const struct print_insn *insn)
{
	const char *s = insn->ptr;

	for (uint32_t i = 0; i < insn->size; i += 16)
		memcpy(to + i, s + i, 16);
	return to + insn->size;
}

/* Load the field's number in the conversion's type. */
static inline __attribute__((always_inline)) uint64_t
load_field(const struct print_run *run, const struct print_insn *insn, bool is_signed)
{
	uint64_t v = load_inside(run, insn->offset, insn->width);

	return print_fit(print_fit(v, insn->width, insn->is_signed), insn->sub, is_signed);
}

static inline char *put_signed(char *to, const struct print_insn *insn, int64_t v)
{
	if (v >= 0)
		return print_put_decimal(to, (uint64_t)v, insn->size);
	*to++ = '-';			/* the width includes it */
	return print_put_decimal(to, 0 - (uint64_t)v, insn->size - 1);
}

/*
 * Run the fixed-size instructions from *insn on.  The text has room for all of them.  Return: the
 * end of the text; *insn is the first instruction of another kind.
 */
static inline char *put_fixed(const struct print_run *run, const struct print_insn **insn,
			      const struct print_insn *end, char *to)
{
	for (; *insn < end; ++*insn) {
		switch ((*insn)->op) {
		case I_TEXT:
			to = put_literal(to, *insn);
			break;
		case I_FIELD_DECIMAL:
			to = print_put_decimal(to, load_field(run, *insn, false), (*insn)->size);
			break;
		case I_FIELD_SIGNED:
			to = put_signed(to, *insn, (int64_t)load_field(run, *insn, true));
			break;
		case I_FIELD_HEX:
			to = print_put_hex(to, load_field(run, *insn, false), (*insn)->size);
			break;
		default:
			return to;
		}
	}
	return to;
}

static bool run_insns(struct print_run *run)
{
	const struct print_insn *insn = run->program->insns, *begin = insn,
				*end = insn + run->program->nr;
	uint64_t stack[PRINT_STACK + 1], *top = stack;
	struct text *out = run->out;
	uint64_t v;

	for (; insn < end && !text_is_full(out); insn++) {
		switch ((enum print_insn_op)insn->op) {
		case I_TEXT:
		case I_FIELD_DECIMAL:
		case I_FIELD_SIGNED:
		case I_FIELD_HEX:
			if (!text_has_room(out, run->program->room))
				break;
			out->len = (size_t)(put_fixed(run, &insn, end, out->data + out->len) -
					    out->data);
			insn--;
			break;
		case I_PUSH:
			*++top = insn->imm;
			break;
		case I_LOAD:
			v = load_inside(run, insn->offset, insn->width);
			*++top = print_fit(v, insn->width, insn->is_signed);
			break;
		case I_ELEMENT:
			*top = load_element(run, insn, *top);
			break;
		case I_DYNAMIC_LEN:
			*++top = print_source(run, insn).len;
			break;
		case I_ADDRESS:
			*++top = (uintptr_t)run->data + print_source(run, insn).offset;
			break;
		case I_MASK:
			*top &= insn->imm;
			break;
		case I_FIT:
			*top = print_fit(*top, insn->width, insn->is_signed);
			break;
		case I_BINARY:
			top--;
			*top = print_apply(insn->sub, insn->is_signed, top[0], top[1]);
			break;
		case I_UNARY:
			*top = print_apply(insn->sub, insn->is_signed, 0, *top);
			break;
		case I_CALL:
			top -= ((const struct text_function *)insn->ptr)->nr_args - 1;
			*top = call_function(run, insn, top, NULL);
			break;
		case I_JUMP_IF_ZERO:
			if (*top-- != 0)
				break;
			insn = begin + insn->size - 1;
			break;
		case I_JUMP:
			insn = begin + insn->size - 1;
			break;
		case I_STAR:
			take_star(run, insn, (int)*top--);
			break;
		case I_ARRAY:
			top -= 2;
			run_array(run, insn, top[1], top[2]);
			break;
		case I_PRINT_CALL:
			top -= ((const struct text_function *)insn->ptr)->nr_args;
			call_function(run, insn, top + 1, out);
			break;
		default:
			if (from_top[insn->op])
				from_top[insn->op](run, insn, *top--);
			else
				plain[insn->op](run, insn);
			break;
		}
	}
	return !run->too_many;
}

/*
 * trace-cmd drops one newline at the end of a text, and everything after a NUL (which a %c of 0
 * adds).
 */
static void end_text(const struct print_run *run, size_t begin)
{
	struct text *out = run->out;

	out->data[out->len] = '\0';
	if (run->program->kernel || out->len == begin)
		return;
	if (out->data[out->len - 1] == '\n')
		out->len--;
	if (run->program->may_cut)
		out->len = begin + strnlen(out->data + begin, out->len - begin);
	out->data[out->len] = '\0';
}

/* Set up the record as the program sees it. */
static inline void begin_run(struct print_run *run, const struct print_program *program,
			     const struct text_context *context, const struct print_record *rec,
			     struct text *out)
{
	run->program = program;
	run->c = context;
	run->rec = rec;
	run->data = rec->data;
	run->size = run->avail = rec->size;
	run->too_many = false;
	run->swap = context->swap;
	run->out = out;
	if (program->kernel)
		return;
	if (run->size > PRINT_RECORD_MAX)
		run->size = PRINT_RECORD_MAX;
	run->avail = print_record_readable(rec, run->size);
	if (program->min_size > run->size)
		run->size = program->min_size;
}

void print_program_remember(const struct print_program *program, const struct text_context *context,
			    const struct print_record *rec, uint64_t *arrays)
{
	struct print_run run;

	begin_run(&run, program, context, rec, NULL);
	for (unsigned int i = 0; i < program->nr; i++) {
		const struct print_insn *insn = &program->insns[i];
		const struct print_raw_field *raw = insn->ptr;

		if (insn->op == I_RAW_FIELD && raw->tep.is_string && !(*arrays & raw->bit) &&
		    print_run_is_array(&run, insn))
			*arrays |= raw->bit;
	}
}

bool print_program_run(const struct print_program *program, const struct text_context *context,
		       const struct print_record *rec, struct text *out)
{
	size_t begin = out->len;
	struct print_run run;

	begin_run(&run, program, context, rec, out);
	run.mark = begin;
	text_reserve(out, 0);
	if (run_insns(&run)) {
		end_text(&run, begin);
		return true;
	}
	text_cut(out, begin);
	return false;
}
