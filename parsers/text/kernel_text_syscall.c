/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_text_syscall - system calls with their names: "sys_read(fd: 3, buf: 7ffd…)".  Arguments
 * are the fields after __syscall_nr; newer kernels add the contents of the program's strings and
 * buffers as dynamic fields "__NAME_val".
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "parsers/text/kernel_text_private.h"
#include "parsers/print/text_pattern.h"

#define HEX_SINCE (6u << 16 | 16)	/* releases from this one on write 0x before hex numbers */

static void add_name(const struct kernel_call *c, size_t skip)
{
	text_add(c->out, "sys_");
	text_add(c->out, c->event->type->name + skip);
}

/* The field "__NAME_val" of an argument, or NULL. */
static const struct event_field *user_field(const struct event_type *type, const char *name)
{
	size_t len = strlen(name);

	for (unsigned int i = type->nr_common; i < type->nr_fields; i++) {
		const char *s = type->fields[i].name;

		if (type->fields[i].is_dynamic && !strncmp(s, "__", 2) &&
		    !strncmp(s + 2, name, len) && !strcmp(s + 2 + len, "_val"))
			return &type->fields[i];
	}
	return NULL;
}

/* Does the print format show the argument's memory as a string, not as bytes? */
static bool is_string(const struct event_type *type, const struct event_field *user)
{
	const char *p = strstr(type->print_fmt, "__get_str(");

	for (; p; p = strstr(p + 1, "__get_str(")) {
		size_t len = strlen(user->name);

		if (!strncmp(p + 10, user->name, len) && p[10 + len] == ')')
			return true;
	}
	return false;
}

/* The size of the program's buffer, from a later argument that counts it. */
static uint64_t meant_size(const struct kernel_call *c, unsigned int arg)
{
	const struct event_type *type = c->event->type;

	for (unsigned int i = arg + 1; i < type->nr_fields && !type->fields[i].is_dynamic; i++) {
		const char *name = type->fields[i].name;

		if (strstr(name, "len") || strstr(name, "size") || strstr(name, "count") ||
		    strstr(name, "siz"))
			return field_u64(&type->fields[i], c->rec->data, c->rec->size, c->kt->swap);
	}
	return 0;
}

static void add_user_bytes(const struct kernel_call *c, unsigned int arg, struct field_span span)
{
	bool more = span.len < meant_size(c, arg), any = false;

	text_add(c->out, " (");
	for (uint32_t i = 0; i < span.len; i++) {
		text_printf(c->out, i ? ":%02x" : "%02x", span.data[i]);
		any |= isprint(span.data[i]) && span.data[i] < 0x80;
	}
	text_add(c->out, more ? ", ...)" : ")");
	if (!any)
		return;
	text_add(c->out, " \"");
	for (uint32_t i = 0; i < span.len; i++)
		text_char(c->out,
			  isprint(span.data[i]) && span.data[i] < 0x80 ? (char)span.data[i] : '.');
	text_add(c->out, more ? "\"..." : "\"");
}

/* Append the contents of the argument's memory. */
static void add_user(const struct kernel_call *c, unsigned int arg)
{
	const struct event_field *user = user_field(c->event->type,
						    c->event->type->fields[arg].name);
	const uint8_t *data = c->rec->data;
	struct field_span span = { 0 };
	uint32_t word;

	if (!user || user->offset + 4u > c->rec->size)
		return;
	/* Print the bytes even after a NUL: field_bytes() would end a string there. */
	word = load_u32(data + user->offset, c->kt->swap);
	if ((word & 0xffff) <= c->rec->size) {
		span.data = data + (word & 0xffff);
		span.len = word >> 16 < c->rec->size - (word & 0xffff) ?
				   word >> 16 :
				   c->rec->size - (word & 0xffff);
	}
	if (is_string(c->event->type, user)) {
		text_add(c->out, " \"");
		if (span.data)
			text_bytes(c->out, (const char *)span.data,
				   strnlen((const char *)span.data, span.len));
		text_char(c->out, '"');
	} else if (span.data) {
		add_user_bytes(c, arg, span);
	}
}

static bool is_argument(const struct event_field *f)
{
	return !f->is_dynamic && strcmp(f->name, "__syscall_nr") != 0 && strcmp(f->name, "nr") != 0;
}

/* Flags of open, with the kernel's words and order. */
static void add_open_flags(const struct kernel_call *c, uint64_t flags)
{
	static const struct {
		uint32_t	 mask;
		const char	*name;
	} names[] = {
		{ 0x410000, "O_TMPFILE" }, { 0x1, "O_WRONLY" },	   { 0x2, "O_RDWR" },	     { 0x40,
			"O_CREAT" },
		{ 0x80, "O_EXCL" },	   { 0x100, "O_NOCTTY" },  { 0x200, "O_TRUNC" },
		{ 0x400, "O_APPEND" },
		{ 0x800, "O_NONBLOCK" },   { 0x1000, "O_DSYNC" },  { 0x4000, "O_DIRECT" },
		{ 0x8000, "O_LARGEFILE" },
		{ 0x10000, "O_DIRECTORY" }, { 0x20000, "O_NOFOLLOW" }, { 0x40000, "O_NOATIME" },
		{ 0x80000, "O_CLOEXEC" },
	};
	uint32_t bits = (uint32_t)flags;
	bool first = true;

	if (!(bits & 3))
		text_add(c->out, bits ? "O_RDONLY|" : "O_RDONLY");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && bits; i++) {
		if ((bits & names[i].mask) != names[i].mask)
			continue;
		bits &= ~names[i].mask;
		text_printf(c->out, first ? "%s" : "|%s", names[i].name);
		first = false;
	}
	if (bits)
		text_printf(c->out, first ? "0x%x" : "|0x%x", bits);
}

/*
 * openat's flags are words if its print format has them; the mode is only shown if it has an
 * effect.
 */
static void add_openat(const struct kernel_call *c)
{
	const struct event_type *type = c->event->type;
	unsigned int nr = 0;

	for (unsigned int i = type->nr_common; i < type->nr_fields; i++) {
		const struct event_field *f = &type->fields[i];
		uint64_t value = field_u64(f, c->rec->data, c->rec->size, c->kt->swap);

		if (!is_argument(f))
			continue;
		text_printf(c->out, nr ? ", %s: " : "%s: ", f->name);
		if (nr == 2) {
			add_open_flags(c, value);
			if (!(value & (0x40 | 0x410000)))
				return;
		} else if (nr == 3) {
			text_printf(c->out, "0%03o", (unsigned int)value);
		} else {
			text_u64(c->out, value);
			add_user(c, i);
		}
		nr++;
	}
}

static void add_arguments(const struct kernel_call *c)
{
	const struct event_type *type = c->event->type;
	bool hex = c->kt->release >= HEX_SINCE;
	unsigned int nr = 0;

	for (unsigned int i = type->nr_common; i < type->nr_fields; i++) {
		const struct event_field *f = &type->fields[i];
		uint64_t value = field_load(c->rec->data, c->rec->size, f->offset, f->size,
					    c->kt->swap);

		if (!is_argument(f))
			continue;
		if (nr++)
			text_add(c->out, ", ");
		if (c->kt->options.verbose)
			text_printf(c->out, "%s ", f->type);
		if (!hex || value < 10)
			text_printf(c->out, "%s: %" PRIx64, f->name, value);
		else
			text_printf(c->out, "%s: 0x%" PRIx64, f->name, value);
		add_user(c, i);
	}
}

static void print_enter(const struct kernel_call *c)
{
	const struct event_type *type = c->event->type;

	add_name(c, strlen("sys_enter_"));
	text_char(c->out, '(');
	if (!c->kt->options.verbose && !strcmp(type->name, "sys_enter_openat") &&
	    strstr(type->print_fmt, "O_WRONLY"))
		add_openat(c);
	else
		add_arguments(c);
	text_add(c->out, ")\n");
}

static void print_exit(const struct kernel_call *c)
{
	const struct event_field *f = c->event->f[0];

	add_name(c, strlen("sys_exit_"));
	text_printf(c->out, " -> 0x%" PRIx64 "\n",
		    field_load(c->rec->data, c->rec->size, f->offset, f->size, c->kt->swap));
}

static void enter_pattern(const struct kernel_event *event, struct text_pattern *p)
{
	const struct event_type *type = event->type;
	unsigned int nr = 0;

	text_pattern_str(p, "sys_");
	text_pattern_str(p, type->name + strlen("sys_enter_"));
	text_pattern_str(p, "(");
	for (unsigned int i = type->nr_common; i < type->nr_fields; i++) {
		const struct event_field *f = &type->fields[i];

		if (!is_argument(f))
			continue;
		text_pattern_str(p, nr++ ? ", " : "");
		text_pattern_str(p, f->name);
		text_pattern_str(p, ": ");
		text_pattern_chars(p, TEXT_PATTERN_HEX);
		/* contents of memory, words for flags, or no more arguments */
		if (user_field(type, f->name) || strstr(type->print_fmt, "O_WRONLY"))
			text_pattern_any(p);
	}
	text_pattern_str(p, ")");
}

static void exit_pattern(const struct kernel_event *event, struct text_pattern *p)
{
	text_pattern_str(p, "sys_");
	text_pattern_str(p, event->type->name + strlen("sys_exit_"));
	text_pattern_str(p, " -> 0x");
	text_pattern_chars(p, TEXT_PATTERN_HEX);
}

const struct kernel_kind kernel_syscall_kinds[] = {
	{ .system = "syscalls", .name = "sys_enter_*", .way = KERNEL_TEXT_WHOLE,
	  .print = print_enter, .pattern = enter_pattern },
	{ .system = "syscalls", .name = "sys_exit_*", .way = KERNEL_TEXT_WHOLE, .print = print_exit,
	  .pattern = exit_pattern,
	  .fields = { "ret" } },
	{ 0 }
};
