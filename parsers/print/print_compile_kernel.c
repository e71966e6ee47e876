/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_compile_kernel - programs that print like the kernel's own trace file: the format read as
 * C.
 */
#include <string.h>

#include "parsers/print/print_lexer.h"
#include "parsers/print/print_program.h"
#include "parsers/types/field.h"

/* Strings: the contents only, without the conversion's width. */
static const struct print_spec plain = { 's', 0, 0, true, -1, -1 };

static bool compile_number(struct print_compiler *c, const struct print_node *node);
static bool compile_string(struct print_compiler *c, const struct print_node *node);

/* --- places ------------------------------------------------------------- */

/* The array or field that an address points to; NULL if it is somewhere in the kernel. */
static const struct event_field *find_place(const struct print_node *node, bool *dynamic)
{
	while (node->kind == NODE_CAST || node->kind == NODE_ADDRESS ||
	       (node->kind == NODE_INDEX && node->b->kind == NODE_NUMBER && !node->b->value))
		node = node->a;
	*dynamic = false;
	if (node->kind == NODE_CALL &&
	    (node->call == CALL_DYNAMIC_ARRAY || node->call == CALL_STR ||
	     node->call == CALL_BITMASK || node->call == CALL_CPUMASK ||
	     node->call == CALL_SOCKADDR)) {
		*dynamic = true;
		return node->field->is_dynamic ? node->field : NULL;
	}
	return node->kind == NODE_FIELD ? node->field : NULL;
}

/*
 * The array or field in the record whose address this is (an array, or &field); NULL if it is not
 * one.
 */
static const struct event_field *address_of(const struct print_node *node, bool *dynamic)
{
	const struct print_node *inner = node;
	const struct event_field *f = find_place(node, dynamic);
	bool address = false;

	for (; inner->kind == NODE_CAST || inner->kind == NODE_ADDRESS || inner->kind == NODE_INDEX;
	     inner = inner->a)
		address |= inner->kind == NODE_ADDRESS;
	if (!f || *dynamic || address)
		return f;
	return f->kind == FIELD_ARRAY || f->kind == FIELD_STRING || f->kind == FIELD_OPAQUE ? f :
											      NULL;
}

static struct print_insn *emit_place(struct print_compiler *c, enum print_insn_op op, int stack,
				     const struct print_node *node)
{
	bool dynamic;
	const struct event_field *f = address_of(node, &dynamic);
	struct print_insn *insn;

	if (!f) {
		print_compile_fail(c);
		return NULL;
	}
	insn = print_emit_source(c, op, stack, f);
	insn->dynamic = dynamic;
	return insn;
}

/* One string of a field that holds the places of several. */
static bool emit_dynamic_string(struct print_compiler *c, enum print_insn_op op,
				const struct print_node *node)
{
	struct print_insn *insn;

	/* a field with several strings is not dynamic by its size */
	if (!node->field->is_dynamic && !strstr(node->field->type, "__data_loc"))
		return print_compile_fail(c);
	insn = print_emit_source(c, op, 0, node->field);
	insn->dynamic = true;
	insn->offset += (uint32_t)node->value * 4;
	insn->size = 4;
	insn->spec = &plain;
	return true;
}

/* --- numbers ------------------------------------------------------------ */

static void emit_fit(struct print_compiler *c, struct print_type type)
{
	struct print_insn *insn;

	if (!type.bytes || type.bytes == 8)
		return;
	insn = print_emit(c, I_FIT, 0);
	insn->width = type.bytes;
	insn->is_signed = type.is_signed;
}

/* An operand, converted to the type in which the operator computes. */
static bool compile_as(struct print_compiler *c, const struct print_node *node,
		       struct print_type type)
{
	if (!compile_number(c, node))
		return false;
	if (type.bytes < 8 &&
	    (node->type.bytes != type.bytes || node->type.is_signed != type.is_signed) &&
	    !(node->type.bytes < type.bytes && (!node->type.is_signed || type.is_signed)))
		emit_fit(c, type);
	return true;
}

static bool compile_operator(struct print_compiler *c, const struct print_node *node)
{
	bool one = node->kind == NODE_UNARY, shift = node->op == OP_SHL || node->op == OP_SHR;
	bool logical = node->op == OP_LAND || node->op == OP_LOR || node->op == OP_NOT;
	struct print_type type = one || shift ? node->type :
						print_type_common(node->a->type, node->b->type);
	struct print_insn *insn;

	if (logical) {
		if ((!one && !compile_number(c, node->a)) || !compile_number(c, node->b))
			return false;
	} else if ((!one && !compile_as(c, node->a, type)) ||
		   !(shift ? compile_number(c, node->b) : compile_as(c, node->b, type))) {
		return false;
	}
	if (shift)			/* shift counts wrap, as on the processor */
		print_emit(c, I_MASK, 0)->imm = node->type.bytes == 8 ? 63 : 31;
	insn = print_emit(c, one ? I_UNARY : I_BINARY, one ? 0 : -1);
	insn->sub = (uint8_t)node->op;
	insn->is_signed = type.is_signed;
	if (node->op == OP_ADD || node->op == OP_SUB || node->op == OP_MUL || node->op == OP_SHL ||
	    node->op == OP_NEG || node->op == OP_INVERT || node->op == OP_DIV)
		emit_fit(c, node->type);
	return true;
}

static bool compile_load(struct print_compiler *c, const struct print_node *node)
{
	return print_emit_load(c, node->field, node->type.is_signed && !node->type.is_pointer) ||
	       print_compile_fail(c);
}

/* a[i], *a, *(a + i): element i of an array in the record. */
static bool compile_element(struct print_compiler *c, const struct print_node *of,
			    const struct print_node *index, struct print_type type)
{
	struct print_insn *insn;

	if (!field_is_number(type.bytes))
		return print_compile_fail(c);
	if (!index)
		print_emit_push(c, 0);
	else if (!compile_number(c, index))
		return false;
	insn = emit_place(c, I_ELEMENT, 0, of);
	if (!insn)
		return false;
	insn->width = type.bytes;
	insn->is_signed = type.is_signed;
	insn->size = type.bytes;
	return true;
}

/* a ? b : c, for numbers or strings. */
static bool compile_cond(struct print_compiler *c, const struct print_node *node, bool strings)
{
	unsigned int no, end;

	if (!compile_number(c, node->a))
		return false;
	no = print_emit_jump(c, I_JUMP_IF_ZERO);
	if (strings ? !compile_string(c, node->b) : !compile_as(c, node->b, node->type))
		return false;
	end = print_emit_jump(c, I_JUMP);
	print_land(c, no);
	if (!strings)
		c->depth--;
	if (strings ? !compile_string(c, node->c) : !compile_as(c, node->c, node->type))
		return false;
	print_land(c, end);
	return true;
}

/* Functions that swap so many bytes: a field in network order is stored in network order. */
static const struct print_word swapping[] = {
	{ "__fswab16", 2 }, { "__fswab32", 4 }, { "__fswab64", 8 }, { "__builtin_bswap16", 2 },
	{ "__builtin_bswap32", 4 },
	{ "__builtin_bswap64", 8 }, { "__swab16", 2 }, { "__swab32", 4 }, { "__swab64", 8 },
	{ NULL, 0 },
};

/* Swap the bytes with shifts and masks. */
static bool compile_swapped(struct print_compiler *c, const struct print_node *node,
			    unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++) {
		if (!compile_number(c, node->a))
			return false;
		print_emit_push(c, 8 * (bytes - 1 - i));
		print_emit(c, I_BINARY, -1)->sub = OP_SHR;
		print_emit(c, I_MASK, 0)->imm = 0xff;
		print_emit_push(c, 8 * i);
		print_emit(c, I_BINARY, -1)->sub = OP_SHL;
		if (i)
			print_emit(c, I_BINARY, -1)->sub = OP_OR;
	}
	return true;
}

static bool compile_call_number(struct print_compiler *c, const struct print_node *node)
{
	const struct print_word *function;

	switch (node->call) {
	case CALL_DYNAMIC_ARRAY_LEN:
		if (!node->field->is_dynamic)
			return print_compile_fail(c);
		print_emit_source(c, I_DYNAMIC_LEN, 1, node->field);
		return true;
	case CALL_NS_TO_SECS:
	case CALL_NS_WITHOUT_SECS:
		if (!compile_number(c, node->a))
			return false;
		print_emit_push(c, 1000000000);
		print_emit(c, I_BINARY, -1)->sub = node->call == CALL_NS_TO_SECS ? OP_DIV : OP_MOD;
		return true;
	case CALL_FUNCTION:
		function = print_word_find(swapping, node->text, strlen(node->text));
		if (function && node->a)
			return compile_swapped(c, node, (unsigned int)function->value);
		return print_compile_fail(c);
	default:
		return print_compile_fail(c);
	}
}

/*
 * A kernel symbol is its address.  The value of a kernel variable is not in the trace: 0 is used.
 */
static bool compile_name(struct print_compiler *c, const char *name)
{
	static const char *const variables[] = { "jiffies", "vmemmap_base", "page_offset_base",
						 "memstart_addr", "mem_map" };
	uint64_t v = 0;
	bool known = false;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		known |= !strcmp(name, variables[i]);
	if (!known && name[0] == '_' && c->context->syms)
		known = kallsyms_address(c->context->syms, name, &v);
	if (!known)
		return print_compile_fail(c);
	print_emit_push(c, v);
	return true;
}

static bool compile_number(struct print_compiler *c, const struct print_node *node)
{
	uint64_t v;

	if (c->failed)
		return false;
	if (print_constant(node, &v)) {
		print_emit_push(c, v);
		return true;
	}
	switch (node->kind) {
	case NODE_NUMBER:
		print_emit_push(c, node->value);
		return true;
	case NODE_NAME:
		return compile_name(c, node->text);
	case NODE_FIELD:
		return compile_load(c, node);
	case NODE_CAST:
		if (!compile_number(c, node->a))
			return false;
		if (!node->type.bytes)
			return print_compile_fail(c);
		if (node->a->type.bytes != node->type.bytes ||
		    node->a->type.is_signed != node->type.is_signed)
			emit_fit(c, node->type);
		return true;
	case NODE_UNARY:
	case NODE_BINARY:
		return compile_operator(c, node);
	case NODE_COND:
		return compile_cond(c, node, false);
	case NODE_INDEX:
		return compile_element(c, node->a, node->b, node->type);
	case NODE_DEREF:
		if (node->a->kind == NODE_BINARY && node->a->op == OP_ADD &&
		    node->a->a->type.is_pointer)
			return compile_element(c, node->a->a, node->a->b, node->type);
		return compile_element(c, node->a, NULL, node->type);
	case NODE_CALL:
		return compile_call_number(c, node);
	default:
		return print_compile_fail(c);
	}
}

/* --- strings ------------------------------------------------------------ */

static bool compile_table(struct print_compiler *c, const struct print_node *node)
{
	if (!compile_number(c, node->a))
		return false;
	if (c->context->long_size == 4 && node->a->type.bytes == 4)
		print_emit(c, I_MASK, 0)->imm = UINT32_MAX;
	print_emit(c, node->call == CALL_FLAGS ? I_FLAGS : I_SYMBOLIC, -1)->ptr = node;
	return true;
}

static bool compile_bytes(struct print_compiler *c, const struct print_node *node)
{
	struct print_insn *insn;

	if (!compile_number(c, node->b) ||
	    (node->call == CALL_ARRAY && !compile_number(c, node->c)))
		return false;
	insn = emit_place(c, node->call == CALL_ARRAY ? I_ARRAY : I_HEX,
			  node->call == CALL_ARRAY ? -2 : -1, node->a);
	if (insn)
		insn->sub = node->call == CALL_HEX_STR;
	return insn;
}

/* Masks are shown in hex, or as lists of numbers with an option of newer kernels. */
static enum print_insn_op mask_op(const struct print_compiler *c)
{
	const struct kernel_text_options *options = c->context->options->kernel;

	return options && options->bitmask_list ? I_CPUMASK : I_BITMASK;
}

static bool compile_call_string(struct print_compiler *c, const struct print_node *node)
{
	switch (node->call) {
	case CALL_FLAGS:
	case CALL_SYMBOLIC:
		return compile_table(c, node);
	case CALL_HEX:
	case CALL_HEX_STR:
	case CALL_ARRAY:
		return compile_bytes(c, node);
	case CALL_PRINT_DYNAMIC_ARRAY:
		if (!compile_number(c, node->b))
			return false;
		print_emit_source(c, I_PRINT_DYNAMIC_ARRAY, -1, node->field);
		return true;
	case CALL_STR:
		return emit_dynamic_string(c, I_STRING, node);
	case CALL_DYNAMIC_ARRAY:
	case CALL_BITMASK:
	case CALL_CPUMASK:		/* a cpumask is printed as any other bitmask */
		if (!node->field->is_dynamic)
			return print_compile_fail(c);
		print_emit_source(c, node->call == CALL_DYNAMIC_ARRAY ? I_STRING : mask_op(c), 0,
				  node->field)
			->spec = &plain;
		return true;
	case CALL_FUNCTION:
		return print_compile_fail(c);
	case CALL_HEX_DUMP:
		return print_compile_fail(c);
	default:
		return print_compile_fail(c);
	}
}

static bool compile_string(struct print_compiler *c, const struct print_node *node)
{
	const struct event_field *f;
	struct print_insn *insn;
	bool dynamic;

	if (c->failed)
		return false;
	while (node->kind == NODE_CAST)
		node = node->a;
	if (node->kind == NODE_STRING) {
		print_emit_text(c, node->text, strlen(node->text));
		return true;
	}
	if (node->kind == NODE_CALL)
		return compile_call_string(c, node);
	if (node->kind == NODE_COND)
		return compile_cond(c, node, true);
	f = address_of(node, &dynamic);
	if (f) {
		insn = print_emit_source(c, I_STRING, 0, f);
		insn->dynamic = dynamic;
		insn->spec = &plain;
		return true;
	}
	if (node->kind == NODE_FIELD && node->field->kind == FIELD_POINTER) {
		insn = print_emit(c, I_STRING_POINTER, 0);
		insn->offset = node->field->offset;
		insn->width = (uint8_t)node->field->size;
		insn->spec = &plain;
		return true;
	}
	return print_compile_fail(c);
}

/* Compile width and precision that are arguments; true if they are pushed. */
static bool compile_stars(struct print_compiler *c, const struct print_segment *seg,
			  const struct print_spec *spec)
{
	const struct print_node *args[] = { seg->width_arg, seg->precision_arg };

	c->star = false;
	for (uint8_t i = 0; i < 2; i++) {
		struct print_insn *insn;

		if (!args[i])
			continue;
		if (!compile_number(c, args[i]))
			return false;
		insn = print_emit(c, I_STAR, -1);
		insn->spec = spec;
		insn->sub = (uint8_t)((i ? 2 : 1) | (c->star ? 4 : 0));
		c->star = true;
	}
	return true;
}

static bool compile_string_value(struct print_compiler *c, const struct print_segment *seg,
				 const struct print_spec *spec)
{
	if (!compile_stars(c, seg, spec))
		return false;
	if (!c->star && spec->width < 0 && spec->precision < 0)
		return compile_string(c, seg->arg);
	print_emit(c, I_MARK, 0);
	if (!compile_string(c, seg->arg))
		return false;
	print_emit(c, I_PAD, 0)->spec = c->star ? NULL : spec;
	return true;
}

/* %*ph, %*pb: the width is the number of bytes or bits. */
static bool compile_counted(struct print_compiler *c, const struct print_segment *seg)
{
	struct print_insn *insn;

	if (seg->width_arg) {
		if (!compile_number(c, seg->width_arg))
			return false;
	} else {
		print_emit_push(c, (uint64_t)(int64_t)seg->width);
	}
	insn = emit_place(c, seg->extension[0] == 'h' ? I_BYTES : I_BITS, -1, seg->arg);
	if (insn)
		insn->sub = (uint8_t)seg->extension[1];
	return insn;
}

static bool compile_address(struct print_compiler *c, const struct print_segment *seg)
{
	const char *letters = arena_strndup(c->arena, seg->extension, strlen(seg->extension));
	enum print_insn_op op = letters[0] == 'U'                      ? I_UUID :
				letters[0] == 'M' || letters[0] == 'm' ? I_MAC :
				letters[1] == '4'                      ? I_IP4 :
				letters[1] == '6'                      ? I_IP6 :
									 I_SOCKADDR;
	struct print_insn *insn = emit_place(c, op, 0, seg->arg);

	if (insn)
		insn->ptr = letters;
	return insn;
}

static bool compile_pointer(struct print_compiler *c, const struct print_segment *seg,
			    const struct print_spec *spec)
{
	bool dynamic;

	switch (seg->extension[0]) {
	case 'S':
	case 's':
	case 'F':
	case 'f':
	case 'B':
		if (!compile_number(c, seg->arg))
			return false;
		if (spec->width >= 0)
			print_emit(c, I_MARK, 0);
		print_emit(c, I_FUNCTION, -1)->sub = (uint8_t)seg->extension[0];
		if (spec->width >= 0)
			print_emit(c, I_PAD, 0)->spec = spec;
		return true;
	case 'M':
	case 'm':
	case 'I':
	case 'i':
	case 'U':
		return compile_address(c, seg);
	case 'h':
	case 'b':
		return compile_counted(c, seg);
	default:
		/* an address in the ring buffer: not known afterwards */
		if (address_of(seg->arg, &dynamic))
			return print_compile_fail(c);
		if (!compile_number(c, seg->arg))
			return false;
		print_emit(c, I_POINTER, -1);
		return true;
	}
}

/* Compile one piece; false if it failed. */
static bool compile_segment(struct print_compiler *c, const struct print_segment *seg)
{
	const struct print_spec *spec;

	if (!seg->is_value) {
		print_emit_text(c, seg->text, seg->len);
		return !c->failed;
	}
	spec = print_make_spec(c, seg);
	if (seg->conversion == 'p')
		return compile_pointer(c, seg, spec) && !c->failed;
	if (seg->conversion == 's')
		return compile_string_value(c, seg, spec) && !c->failed;
	if (!compile_stars(c, seg, spec) || !compile_number(c, seg->arg))
		return false;
	print_emit(c, I_NUMBER, -1)->spec = c->star ? NULL : spec;
	return !c->failed;
}

/*
 * Is this the conversion in \"%s\"?  A probe's string is shown like this if there is one; otherwise
 * the kernel shows "(fault)" without quotes.
 */
static bool is_quoted(const struct print_format *format, unsigned int i)
{
	const struct print_segment *seg = &format->segments[i];

	if (!i || i + 1 >= format->nr || !seg->is_value || seg->conversion != 's' ||
	    seg->width >= 0 || seg->precision >= 0 || seg->width_arg || seg->precision_arg ||
	    seg->arg->kind != NODE_CALL || seg->arg->call != CALL_STR)
		return false;
	return !seg[-1].is_value && seg[-1].len && seg[-1].text[seg[-1].len - 1] == '"' &&
	       !seg[1].is_value && seg[1].len && seg[1].text[0] == '"';
}

const struct print_program *print_program_kernel(struct arena *arena,
						 const struct text_context *context,
						 const struct event_type *type,
						 const struct print_format *format)
{
	struct print_compiler c = {
		.arena = arena, .context = context, .type = type, .kernel = true
	};

	if (format->failed)
		return NULL;
	for (unsigned int i = 0; i < format->nr && !c.failed; i++) {
		const struct print_segment *seg = &format->segments[i];
		unsigned int before = i && is_quoted(format, i - 1),
			     behind = is_quoted(format, i + 1);

		if (is_quoted(format, i))
			emit_dynamic_string(&c, I_QUOTED, seg->arg);
		else if (!seg->is_value && before + behind <= seg->len)
			print_emit_text(&c, seg->text + before, seg->len - before - behind);
		else
			compile_segment(&c, seg);
	}
	return print_compiler_finish(&c);
}

/* --- single fields ------------------------------------------------------ */

/* Does the expression use this field, and no other field?  *asks is set if it uses this one. */
static bool is_about(const struct print_node *node, const struct event_field *field, bool *asks)
{
	if (!node)
		return true;
	if (node->field) {
		if (node->field != field)
			return false;
		*asks = true;
	}
	return is_about(node->a, field, asks) && is_about(node->b, field, asks) &&
	       is_about(node->c, field, asks);
}

static bool shows_names(const struct print_node *node)
{
	return node &&
	       ((node->kind == NODE_CALL &&
		 (node->call == CALL_FLAGS || node->call == CALL_SYMBOLIC)) ||
		(node->kind == NODE_COND && (shows_names(node->b) || shows_names(node->c))) ||
		(node->kind == NODE_CAST && shows_names(node->a)));
}

/* Is the argument the value itself, and not computed from it like MAJOR(dev) or index << 12? */
static bool shows_value(const struct print_segment *seg)
{
	const struct print_node *node = seg->arg;

	while (node->kind == NODE_CAST)
		node = node->a;
	return node->kind == NODE_FIELD || seg->conversion == 's' ||
	       (seg->conversion == 'p' && seg->extension[0]);
}

/*
 * The first conversion that gives the field's value a name ("vec=%u [action=%s]"); if there is
 * none, the first that shows the value.
 */
static unsigned int find_conversion(const struct print_format *format,
				    const struct event_field *field)
{
	unsigned int first = format->nr;

	for (unsigned int i = 0; i < format->nr; i++) {
		const struct print_segment *seg = &format->segments[i];
		bool asks = false;

		if (!seg->is_value || !is_about(seg->arg, field, &asks) || !asks)
			continue;
		if (shows_names(seg->arg))
			return i;
		if (first == format->nr && shows_value(seg))
			first = i;
	}
	return first;
}

/*
 * Compile the conversion that prints a field, and those right after it that print it, too: "%s%s"
 * for a task's state.
 */
const struct print_program *print_program_kernel_field(struct arena *arena,
						       const struct text_context *context,
						       const struct event_type *type,
						       const struct print_format *format,
						       const struct event_field *field)
{
	struct print_compiler c = {
		.arena = arena, .context = context, .type = type, .kernel = true
	};
	unsigned int found = 0;

	for (unsigned int i = find_conversion(format, field); i < format->nr && !c.failed; i++) {
		const struct print_segment *seg = &format->segments[i];
		bool asks = false;

		if (!seg->is_value || !is_about(seg->arg, field, &asks) || !asks)
			break;
		compile_segment(&c, seg);
		found++;
	}
	if (!found)
		print_compile_fail(&c);
	return print_compiler_finish(&c);
}
