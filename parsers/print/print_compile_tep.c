/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print_compile_tep - programs that print like libtraceevent. */
#include <stdlib.h>
#include <string.h>

#include "parsers/print/print_lexer.h"
#include "parsers/print/print_program.h"

static bool compile_number(struct print_compiler *c, const struct print_node *node);
static bool compile_string(struct print_compiler *c, const struct print_node *node,
			   const struct print_spec *spec);

/* --- numbers ------------------------------------------------------------ */

/* Any word may be a number; if it is not one, or is 0, it may be a kernel symbol. */
static uint64_t atom_value(const struct print_compiler *c, const struct print_node *node)
{
	uint64_t v = strtoull(node->text, NULL, 0);

	if (!v && !node->value && c->context->syms &&
	    print_word_is_symbol(node->text, strlen(node->text)))
		kallsyms_address(c->context->syms, node->text, &v);
	return v;
}

static bool compile_operator(struct print_compiler *c, const struct print_node *node)
{
	bool one = node->kind == NODE_UNARY && (node->op == OP_NOT || node->op == OP_INVERT);

	if (node->op == OP_XOR) {	/* libtraceevent parses ^ but does not evaluate it */
		print_emit_push(c, 0);
		return true;
	}
	if (!one && !compile_number(c, node->a))
		return false;
	if (!compile_number(c, node->b))
		return false;
	if (node->op == OP_SHL || node->op == OP_SHR)	/* shift counts wrap, as on the processor */
		print_emit(c, I_MASK, 0)->imm = 63;
	print_emit(c, one ? I_UNARY : I_BINARY, one ? 0 : -1)->sub = (uint8_t)node->op;
	return true;
}

/* a ? b : c; @spec: NULL for numbers, else the conversion of a string. */
static bool compile_cond(struct print_compiler *c, const struct print_node *node,
			 const struct print_spec *spec)
{
	unsigned int no, end;

	if (!compile_number(c, node->a))
		return false;
	no = print_emit_jump(c, I_JUMP_IF_ZERO);
	if (spec ? !compile_string(c, node->b, spec) : !compile_number(c, node->b))
		return false;
	end = print_emit_jump(c, I_JUMP);
	print_land(c, no);
	if (!spec)
		c->depth--;
	if (spec ? !compile_string(c, node->c, spec) : !compile_number(c, node->c))
		return false;
	print_land(c, end);
	return true;
}

static bool compile_element(struct print_compiler *c, const struct print_node *node)
{
	const struct print_node *of = node->a, *type = NULL;
	const struct event_field *f;
	struct print_insn *insn;
	struct tep_field tep;
	uint64_t mask;
	bool dynamic;

	for (; of->kind == NODE_CAST; of = of->a)
		if (!type)
			type = of;
	dynamic = of->kind == NODE_CALL && of->call == CALL_DYNAMIC_ARRAY;
	if (!dynamic && of->kind != NODE_FIELD) {
		print_emit_push(c, 0);
		return true;
	}
	f = of->field;
	tep = tep_field_of(c->type, f, c->context->user_long_size);
	if (!compile_number(c, node->b))
		return false;
	insn = print_emit_source(c, I_ELEMENT, 0, f);
	insn->dynamic = dynamic;
	insn->width = (uint8_t)(tep.element_size <= 8 ? tep.element_size : 0);
	if (dynamic && !tep.element_size)
		insn->width = (uint8_t)c->context->user_long_size;
	/* an index into a dynamic array counts bytes */
	insn->size = dynamic ? 1 : tep.element_size;
	mask = type ? tep_cast(type->text, UINT64_MAX, true) : UINT64_MAX;
	if (mask != UINT64_MAX)
		print_emit(c, I_MASK, 0)->imm = mask;
	return true;
}

/*
 * The arguments of a plugin's function, as many as it takes.  Return: the function; NULL if it
 * failed.
 */
static const struct text_function *compile_arguments(struct print_compiler *c,
						     const struct print_node *node)
{
	const struct text_function *f = text_function_find(c->context->functions, node->text);

	if (!f || !f->call) {
		print_compile_fail(c);
		return NULL;
	}
	for (const struct print_node *arg = node->a; arg; arg = arg->next)
		if (!compile_number(c, arg))
			return NULL;
	return f;
}

static bool compile_call_number(struct print_compiler *c, const struct print_node *node)
{
	const struct text_function *f;

	switch (node->call) {
	case CALL_DYNAMIC_ARRAY_LEN:
	case CALL_DYNAMIC_ARRAY:
		print_emit_source(c, node->call == CALL_DYNAMIC_ARRAY ? I_ADDRESS : I_DYNAMIC_LEN,
				  1, node->field);
		return true;
	case CALL_FUNCTION:
		f = compile_arguments(c, node);
		if (f)
			print_emit(c, I_CALL, 1 - (int)f->nr_args)->ptr = f;
		return f;
	default:
		print_emit_push(c, 0);
		return true;
	}
}

static bool compile_number(struct print_compiler *c, const struct print_node *node)
{
	uint64_t mask;

	if (c->failed)
		return false;
	switch (node->kind) {
	case NODE_NUMBER:
		print_emit_push(c, 0);
		return true;
	case NODE_STRING:
		print_emit_push(c, atom_value(c, node));
		return true;
	case NODE_FIELD:
		if (!print_emit_load(c, node->field, false))
			print_emit_push(c, 0);
		return true;
	case NODE_CAST:
		if (!compile_number(c, node->a))
			return false;
		mask = tep_cast(node->text, UINT64_MAX, false);
		if (mask != UINT64_MAX)
			print_emit(c, I_MASK, 0)->imm = mask;
		return true;
	case NODE_UNARY:
	case NODE_BINARY:
		return compile_operator(c, node);
	case NODE_COND:
		return compile_cond(c, node, NULL);
	case NODE_INDEX:
		return compile_element(c, node);
	case NODE_CALL:
		return compile_call_number(c, node);
	default:
		return print_compile_fail(c);
	}
}

/* --- strings ------------------------------------------------------------ */

/* Let an instruction print through the conversion, or take that from the stack. */
static struct print_insn *print_through(const struct print_compiler *c, struct print_insn *insn,
					const struct print_spec *spec)
{
	insn->spec = c->star ? NULL : spec;
	return insn;
}

static void compile_atom(struct print_compiler *c, const struct print_node *node,
			 const struct print_spec *spec)
{
	struct print_insn *insn;

	if (!c->star && spec->width < 0 && spec->precision < 0) {
		print_emit_text(c, node->text, strlen(node->text));
		return;
	}
	insn = print_through(c, print_emit(c, I_STRING_CONST, 0), spec);
	insn->ptr = node->text;
	insn->size = (uint32_t)strlen(node->text);
}

static void compile_field_string(struct print_compiler *c, const struct event_field *f,
				 const struct print_spec *spec)
{
	struct tep_field tep = tep_field_of(c->type, f, c->context->user_long_size);
	bool pointer = !tep.is_array && f->size == c->context->user_long_size;
	struct print_insn *insn = print_emit_source(c, pointer ? I_STRING_POINTER : I_STRING, 0, f);

	print_through(c, insn, spec);
	insn->dynamic = false;		/* print a location word, not what it points to */
	insn->width = (uint8_t)(pointer ? f->size : 0);
}

static bool compile_table(struct print_compiler *c, const struct print_node *node,
			  const struct print_spec *spec)
{
	struct print_insn *insn;

	if (!compile_number(c, node->a))
		return false;
	insn = print_emit(c, node->call == CALL_FLAGS ? I_FLAGS : I_SYMBOLIC, -1);
	print_through(c, insn, spec)->ptr = node;	/* the conversion applies to each name */
	return true;
}

static bool compile_bytes(struct print_compiler *c, const struct print_node *node)
{
	struct print_insn *insn;

	if (!compile_number(c, node->b) || (node->c && !compile_number(c, node->c)))
		return false;
	insn = print_emit_source(c, node->call == CALL_ARRAY ? I_ARRAY : I_HEX, node->c ? -2 : -1,
				 node->a->field);
	insn->dynamic = node->a->kind == NODE_CALL;
	insn->sub = node->call == CALL_HEX_STR;
	return true;
}

/* A plugin's function called for the text it prints. */
static bool compile_print_call(struct print_compiler *c, const struct print_node *node)
{
	const struct text_function *f = compile_arguments(c, node);

	if (f)
		print_emit(c, I_PRINT_CALL, -(int)f->nr_args)->ptr = f;
	return f;
}

static bool compile_call_string(struct print_compiler *c, const struct print_node *node,
				const struct print_spec *spec)
{
	enum print_insn_op op;

	switch (node->call) {
	case CALL_FLAGS:
	case CALL_SYMBOLIC:
		return compile_table(c, node, spec);
	case CALL_HEX:
	case CALL_HEX_STR:
	case CALL_ARRAY:
		return compile_bytes(c, node);
	case CALL_STR:
	case CALL_BITMASK:
	case CALL_CPUMASK:
		op = node->call == CALL_STR     ? I_STRING :
		     node->call == CALL_BITMASK ? I_BITMASK :
						  I_CPUMASK;
		if (node->field)
			print_through(c, print_emit_source(c, op, 0, node->field), spec);
		return true;
	case CALL_FUNCTION:
		return compile_print_call(c, node);
	case CALL_PRINT_DYNAMIC_ARRAY:
		if (!compile_number(c, node->b))
			return false;
		print_emit_source(c, I_PRINT_DYNAMIC_ARRAY, -1, node->field);
		return true;
	default:			/* nothing is printed */
		return true;
	}
}

static bool compile_string(struct print_compiler *c, const struct print_node *node,
			   const struct print_spec *spec)
{
	if (c->failed)
		return false;
	if (node->kind == NODE_STRING)
		compile_atom(c, node, spec);
	else if (node->kind == NODE_FIELD)
		compile_field_string(c, node->field, spec);
	else if (node->kind == NODE_CALL)
		return compile_call_string(c, node, spec);
	else if (node->kind == NODE_COND)
		return compile_cond(c, node, spec);
	return true;			/* others print nothing */
}

/* --- pointers ----------------------------------------------------------- */

/* The name of an argument's kind in the library's messages. */
static unsigned int argument_kind(const struct print_node *node)
{
	static const uint8_t calls[] = {
		[CALL_FLAGS] = 3, [CALL_SYMBOLIC] = 4, [CALL_HEX] = 5, [CALL_ARRAY] = 6,
		[CALL_STR] = 8,
		[CALL_DYNAMIC_ARRAY] = 10, [CALL_FUNCTION] = 12, [CALL_BITMASK] = 13,
		[CALL_DYNAMIC_ARRAY_LEN] = 14,
		[CALL_HEX_STR] = 15, [CALL_CPUMASK] = 16,
	};

	switch (node->kind) {
	case NODE_STRING:
		return 1;
	case NODE_FIELD:
		return 2;
	case NODE_CAST:
		return 7;
	case NODE_CALL:
		return node->call < sizeof(calls) ? calls[node->call] : 0;
	case NODE_UNARY:
	case NODE_BINARY:
	case NODE_COND:
	case NODE_INDEX:
		return 11;
	default:
		return 0;
	}
}

static void emit_message(struct print_compiler *c, const char *what, const struct print_node *node)
{
	const char *s = node ? arena_printf(c->arena, "%s%u", what, argument_kind(node)) : what;

	print_emit_text(c, s, strlen(s));
}

static bool compile_sockaddr(struct print_compiler *c, const struct print_node *arg,
			     const char *letters)
{
	bool dynamic = arg->kind == NODE_CALL && arg->call == CALL_DYNAMIC_ARRAY;
	struct print_insn *insn;

	if (arg->kind != NODE_FIELD && !dynamic) {
		emit_message(c, "ARG NOT FIELD NOR DYNAMIC ARRAY BUT TYPE ", arg);
		return true;
	}
	insn = print_emit_source(c, I_SOCKADDR, 0, arg->field);
	insn->dynamic = dynamic;
	insn->ptr = letters;
	return true;
}

/* %pM %pI4 %pI6 %pU: a field of exactly this size. */
static bool compile_address(struct print_compiler *c, const struct print_segment *seg)
{
	static const struct {
		const char		*letters;
		enum print_insn_op	op;
		unsigned int		size;
		const char		*wrong;
	} kinds[] = { { "M", I_MAC, 6, "INVALIDMAC" },	 { "m", I_MAC, 6, "INVALIDMAC" },
		      { "I4", I_IP4, 4, "INVALIDIPv4" }, { "i4", I_IP4, 4, "INVALIDIPv4" },
		      { "I6", I_IP6, 16, "INVALIDIPv6" }, { "i6", I_IP6, 16, "INVALIDIPv6" },
		      { "U", I_UUID, 16, "INVALIDUUID" } };
	const char *letters = arena_strndup(c->arena, seg->extension, strlen(seg->extension));
	const struct print_node *arg = seg->arg;
	struct print_insn *insn;

	if (letters[0] != 'M' && letters[0] != 'm' && letters[0] != 'U' && letters[1] != '4' &&
	    letters[1] != '6' && letters[1] != 'S')
		return true;		/* %pi without a version prints nothing */
	if (arg->kind == NODE_CALL && arg->call == CALL_FUNCTION)
		return compile_print_call(c, arg);
	while (arg->kind == NODE_CAST)
		arg = arg->a;
	if (letters[1] == 'S')
		return compile_sockaddr(c, arg, letters);
	if (arg->kind != NODE_FIELD) {
		emit_message(c, "ARG TYPE NOT FIELD BUT ", arg);
		return true;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strncmp(letters, kinds[i].letters, strlen(kinds[i].letters)) != 0)
			continue;
		if (arg->field->size != kinds[i].size) {
			emit_message(c, kinds[i].wrong, NULL);
			return true;
		}
		insn = print_emit_source(c, kinds[i].op, 0, arg->field);
		insn->dynamic = false;
		insn->ptr = letters;
		return true;
	}
	return print_compile_fail(c);
}

/* %*ph */
static bool compile_raw_bytes(struct print_compiler *c, const struct print_segment *seg)
{
	const struct print_node *arg = seg->arg;

	if (arg->kind == NODE_CALL && arg->call == CALL_FUNCTION)
		return compile_print_call(c, arg);
	if (arg->kind != NODE_CALL || arg->call != CALL_DYNAMIC_ARRAY) {
		emit_message(c, "ARG TYPE NOT FIELD BUT ", arg);
		return true;
	}
	if (!seg->width_arg)
		print_emit_push(c, 1);
	else if (!compile_number(c, seg->width_arg))
		return false;
	print_emit_source(c, I_BYTES, -1, arg->field)->sub = (uint8_t)seg->extension[1];
	return true;
}

static bool compile_pointer(struct print_compiler *c, const struct print_segment *seg)
{
	struct print_insn *insn;

	switch (seg->extension[0]) {
	case 'F':
	case 'f':
	case 'S':
	case 's':
		if (!compile_number(c, seg->arg))
			return false;
		insn = print_emit(c, I_FUNCTION, -1);
		insn->sub = (uint8_t)seg->extension[0];
		insn->width = c->addresses;
		return true;
	case 'M':
	case 'm':
	case 'I':
	case 'i':
	case 'U':
		return compile_address(c, seg);
	case 'h':
		return compile_raw_bytes(c, seg);
	default:
		if (!compile_number(c, seg->arg))
			return false;
		print_emit(c, I_POINTER, -1);
		return true;
	}
}

/* --- pieces ------------------------------------------------------------- */

/* The width from an argument, else the precision: libtraceevent cannot store both. */
static bool compile_star(struct print_compiler *c, const struct print_segment *seg,
			 const struct print_spec *spec)
{
	struct print_insn *insn;

	c->star = seg->width_arg || seg->precision_arg;
	if (!c->star)
		return true;
	if (!compile_number(c, seg->width_arg ? seg->width_arg : seg->precision_arg))
		return false;
	insn = print_emit(c, I_STAR, -1);
	insn->spec = spec;
	insn->sub = seg->width_arg ? 1 : 2;
	return true;
}

/* Compile one piece; false if it failed. */
static bool compile_segment(struct print_compiler *c, const struct print_segment *seg)
{
	const struct print_spec *spec;

	if (!seg->is_value) {
		print_emit_text(c, seg->text, seg->len);
		return !c->failed;
	}
	if (seg->conversion == 'p')
		return compile_pointer(c, seg) && !c->failed;
	spec = print_make_spec(c, seg);
	if (!compile_star(c, seg, spec))
		return false;
	if (seg->conversion == 's')
		return compile_string(c, seg->arg, spec) && !c->failed;
	if (seg->conversion == 'c')
		c->may_cut = true;
	if (!compile_number(c, seg->arg))
		return false;
	print_through(c, print_emit(c, I_NUMBER, -1), spec);
	return !c->failed;
}

static void emit_raw_field(struct print_compiler *c, const struct event_field *f)
{
	struct print_raw_field *raw = arena_alloc(c->arena, sizeof(*raw));

	raw->field = f;
	raw->tep = tep_field_of(c->type, f, c->context->user_long_size);
	if (raw->tep.is_string && f - c->type->fields >= 64)
		print_compile_fail(c);
	else
		raw->bit = 1ull << (f - c->type->fields) % 64;
	print_emit_source(c, I_RAW_FIELD, 0, f)->ptr = raw;
}

static void emit_field_name(struct print_compiler *c, const struct event_field *f)
{
	print_emit_text(c, " ", 1);
	print_emit_text(c, f->name, strlen(f->name));
	print_emit_text(c, "=", 1);
}

static const struct print_program *failed_program(struct print_compiler *c,
						  const struct tep_format *format)
{
	print_emit_text(c, "[FAILED TO PARSE]", 17);
	for (unsigned int i = c->type->nr_common; i < format->nr_fields; i++) {
		emit_field_name(c, &c->type->fields[i]);
		emit_raw_field(c, &c->type->fields[i]);
	}
	return print_compiler_finish(c);
}

const struct print_program *print_program_tep(struct arena *arena,
					      const struct text_context *context,
					      const struct event_type *type,
					      const struct tep_format *format)
{
	struct print_compiler c = { .arena = arena, .context = context, .type = type };

	if (format->reading == TEP_FAILS)
		return failed_program(&c, format);
	if (format->reading == TEP_UNSURE)
		return NULL;
	for (unsigned int i = 0; i < format->format.nr && !c.failed; i++)
		compile_segment(&c, &format->format.segments[i]);
	return print_compiler_finish(&c);
}

/* --- single fields ------------------------------------------------------ */

/*
 * Print a number as the format shows it: the search for its conversion continues, cyclically, after
 * the last one found.
 * Return: true if it was found; *from is then after it.
 */
static bool compile_as_format(struct print_compiler *c, const struct tep_format *format,
			      const struct event_field *f, unsigned int *from)
{
	const struct print_format *p = &format->format;
	bool after_0x = false;

	/* after the last piece there is nothing to search from */
	if (format->reading != TEP_READS || *from >= p->nr || strchr(f->type, '['))
		return false;
	for (unsigned int n = 0, i = *from; n < p->nr; n++, i = i + 1 < p->nr ? i + 1 : 0) {
		const struct print_segment *seg = &p->segments[i];
		const struct print_node *arg = seg->arg;

		if (!seg->is_value) {
			after_0x = seg->len > 1 && !memcmp(seg->text + seg->len - 2, "0x", 2);
			continue;
		}
		while (arg && arg->kind == NODE_CAST)
			arg = arg->a;
		if (!arg || arg->kind != NODE_FIELD || arg->field != f) {
			after_0x = false;
			continue;
		}
		if (after_0x)
			print_emit_text(c, "0x", 2);
		compile_segment(c, seg);
		*from = i + 1;
		return true;
	}
	return false;
}

const struct print_program *print_program_tep_raw(struct arena *arena,
						  const struct text_context *context,
						  const struct event_type *type,
						  const struct tep_format *format)
{
	struct print_compiler c = { .arena = arena, .context = context, .type = type };
	unsigned int from = 0;

	c.addresses = context->options->era != TEXT_ERA_3_1;
	if (format->reading == TEP_UNSURE)
		return NULL;
	for (unsigned int i = type->nr_common; i < format->nr_fields && !c.failed; i++) {
		emit_field_name(&c, &type->fields[i]);
		if (!compile_as_format(&c, format, &type->fields[i], &from))
			emit_raw_field(&c, &type->fields[i]);
	}
	return print_compiler_finish(&c);
}

const struct print_program *print_program_tep_field(struct arena *arena,
						    const struct text_context *context,
						    const struct event_type *type,
						    const struct tep_format *format,
						    const struct event_field *field)
{
	struct print_compiler c = { .arena = arena, .context = context, .type = type };
	unsigned int from = 0;

	if (!compile_as_format(&c, format, field, &from))
		emit_raw_field(&c, field);
	return print_compiler_finish(&c);
}
