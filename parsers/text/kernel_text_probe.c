/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_text_probe - kprobes, uprobes, fprobes, probes on tracepoints, synthetic events: events
 * defined by users, recognised by their fields or their system.
 */
#include <inttypes.h>
#include <string.h>

#include "parsers/text/kernel_text_private.h"

/*
 * Kernel addresses have the highest bit set; the address of a probe in a program is shown as a
 * number.
 */
static bool is_kernel_address(const struct kernel_text *kt, uint64_t address)
{
	return kt->long_size == 4 ? address >= 0x80000000u : address >> 63;
}

static void add_place(const struct kernel_call *c, uint64_t address, bool offset)
{
	if (is_kernel_address(c->kt, address) || !address)
		kernel_add_ip(c, address, offset);
	else
		text_printf(c->out, "0x%" PRIx64, address);
}

static void print_probe(const struct kernel_call *c)
{
	text_char(c->out, '(');
	add_place(c, kernel_field(c, 0), true);
	text_char(c->out, ')');
}

static void print_return(const struct kernel_call *c)
{
	text_char(c->out, '(');
	add_place(c, kernel_field(c, 1), true);
	text_add(c->out, " <- ");
	add_place(c, kernel_field(c, 0), false);
	text_char(c->out, ')');
}

/* --- synthetic ----------------------------------------------------------- */

static void add_flags(const struct kernel_call *c, const struct event_field *f, uint64_t value)
{
	const char *type = f->type;

	if (!strcmp(type, "gfp_t"))
		text_printf(c->out, "%" PRIx64, value);
	else if (f->kind == FIELD_SINT)
		text_printf(c->out, "%" PRId64, (int64_t)value);
	else
		text_u64(c->out, value);
}

/* The first word may be the number of addresses, which the kernel does not show. */
static void add_stack(const struct kernel_call *c, struct field_span span)
{
	uint32_t size = (uint32_t)c->kt->long_size, nr = 0, from;

	while (nr < span.len / size &&
	       field_load(span.data, span.len, nr * size, size, c->kt->swap))
		nr++;
	from = nr && field_load(span.data, span.len, 0, size, c->kt->swap) == nr - 1;
	text_add(c->out, "STACK:\n");
	for (uint32_t i = from; i < nr && !text_is_full(c->out); i++) {
		text_add(c->out, "=> ");
		kernel_text_symbol(c->kt,
				   field_load(span.data, span.len, i * size, size, c->kt->swap),
				   true, c->out);
		text_char(c->out, '\n');
	}
}

/*
 * "%llu ": the kernel takes it from the field's type, and stores it after the field's name in the
 * print format: "lat=%llu pid=%d".
 */
static void add_conversion(const struct kernel_call *c, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = c->event->type->print_fmt; *p; p += strcspn(p, " \"")) {
		p += strspn(p, " \"");
		if (strncmp(p, name, len) || p[len] != '=')
			continue;
		p += len + 1;
		text_bytes(c->out, p, strcspn(p, " \""));
		text_char(c->out, ' ');
		return;
	}
}

static void print_synthetic(const struct kernel_call *c)
{
	const struct event_type *type = c->event->type;

	text_printf(c->out, "%s: ", type->name);
	for (unsigned int i = type->nr_common; i < type->nr_fields; i++) {
		const struct event_field *f = &type->fields[i];
		const char *behind = i + 1 < type->nr_fields ? " " : "";
		struct field_span span;

		if (c->kt->options.verbose)
			add_conversion(c, f->name);
		text_printf(c->out, "%s=", f->name);
		switch (f->kind) {
		case FIELD_UINT:
		case FIELD_SINT:
		case FIELD_POINTER:
			add_flags(c, f, field_u64(f, c->rec->data, c->rec->size, c->kt->swap));
			text_add(c->out, behind);
			break;
		case FIELD_STRING:
		case FIELD_DYNAMIC_STRING:
			span = field_bytes(f, c->rec->data, c->rec->size, c->kt->swap);
			if (span.data)
				text_bytes(c->out, (const char *)span.data, span.len);
			text_add(c->out, behind);
			break;
		default:
			add_stack(c, field_bytes(f, c->rec->data, c->rec->size, c->kt->swap));
			break;
		}
	}
	text_char(c->out, '\n');
}

const struct kernel_kind kernel_probe_kinds[] = {
	{ .name = "*", .way = KERNEL_TEXT_PROBE, .print = print_return, .fields = { "__probe_func",
		"__probe_ret_ip" } },
	{ .name = "*", .way = KERNEL_TEXT_PROBE, .print = print_probe, .fields = { "__probe_ip" } },
	{ .system = "synthetic", .name = "*", .way = KERNEL_TEXT_WHOLE, .print = print_synthetic },
	{ 0 }
};
