/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/ctf/ctf_types.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/ctf/ctf_names.h"
#include "parsers/ctf/ctf_quote.h"
#include "parsers/ctf/ctf_types_private.h"
#include "parsers/source/source.h"
#include "src/base/memory.h"

#define MAX_ID		UINT16_MAX
#define FIELDS_AT	8u		/* behind the common fields */
#define MOST_FIELDS	512u		/* of a type; the rest is left out */
#define MOST_BYTES	8192u		/* of its fixed fields */
#define MOST_LABELS	256u		/* of an enumeration */

static const char common[] =
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/* A type while it is made. */
struct maker {
	struct ctf_type	*type;
	const char	*event;		/* its name */
	bool		 of_kernel, of_perf;
	bool		 is_plain;	/* numbers are the kernel's: before Linux 4.3, when it had
					 * the field success, LTTng did so with a wake-up */
	bool		 in_context;
	size_t		 prefix;	/* bytes before the context's name of it */
	struct text	 name;		/* of the field, in LTTng's form */
	struct text	 fields, print, args;
};

/* --- roles ----------------------------------------------------------------------------------- */

#define OF_CONTEXT	NULL
#define OF_PERF		""		/* any of its events */

static const struct {
	enum ctf_role	 role;
	const char	*event;
	const char	*field;
	bool		 is_name;
} roles[] = {
	{ CTF_PREV_TID, "sched_switch", "prev_tid", false },
	{ CTF_NEXT_TID, "sched_switch", "next_tid", false },
	{ CTF_PREV_COMM, "sched_switch", "prev_comm", true },
	{ CTF_NEXT_COMM, "sched_switch", "next_comm", true },
	{ CTF_PREV_TID, "sched:sched_switch", "prev_pid", false },
	{ CTF_NEXT_TID, "sched:sched_switch", "next_pid", false },
	{ CTF_PREV_COMM, "sched:sched_switch", "prev_comm", true },
	{ CTF_NEXT_COMM, "sched:sched_switch", "next_comm", true },
	{ CTF_DUMP_TID, "lttng_statedump_process_state", "tid", false },
	{ CTF_DUMP_PID, "lttng_statedump_process_state", "pid", false },
	{ CTF_DUMP_NAME, "lttng_statedump_process_state", "name", true },
	{ CTF_DUMP_TID, "perf_comm", "tid", false },
	{ CTF_DUMP_PID, "perf_comm", "pid", false },
	{ CTF_DUMP_NAME, "perf_comm", "comm", true },
	{ CTF_PERF_TID, "perf_comm", "tid", false },
	{ CTF_PERF_TID, "perf_exit", "tid", false },
	{ CTF_PERF_TID, "perf_fork", "ptid", false },
	{ CTF_PERF_TID, "perf_mmap", "tid", false },
	{ CTF_PERF_TID, "perf_mmap2", "tid", false },
	{ CTF_TID, OF_CONTEXT, "tid", false },
	{ CTF_VTID, OF_CONTEXT, "vtid", false },
	{ CTF_PID, OF_CONTEXT, "pid", false },
	{ CTF_VPID, OF_CONTEXT, "vpid", false },
	{ CTF_PROCNAME, OF_CONTEXT, "procname", true },
	{ CTF_PERF_CPU, OF_PERF, "perf_cpu", false },
	{ CTF_PERF_TID, OF_PERF, "perf_tid", false },
	{ CTF_PERF_PID, OF_PERF, "perf_pid", false },
	{ CTF_PROCNAME, OF_PERF, "perf_comm", true },
	{ CTF_COMMON_PID, OF_PERF, "payload_common_pid", false },
	{ CTF_COMMON_FLAGS, OF_PERF, "payload_common_flags", false },
	{ CTF_COMMON_PREEMPT, OF_PERF, "payload_common_preempt_count", false },
};

static bool is_of_role(const struct maker *m, const char *event)
{
	if (!event)
		return m->in_context;
	/* perf's may be in a context, too */
	return *event ? m->of_kernel && !m->in_context && !strcmp(event, m->event) : m->of_perf;
}

static void find_role(struct maker *m, const struct ctf_slot *slot)
{
	const char *name = text_str(&m->name) + m->prefix;

	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (is_of_role(m, roles[i].event) && !strcmp(roles[i].field, name) &&
		    (roles[i].is_name ? slot->kind == SLOT_STRING || slot->kind == SLOT_COMM :
					slot->kind == SLOT_NUMBER && slot->size == 4)) {
			m->type->at[roles[i].role] = slot->at;
			if (slot->kind == SLOT_COMM)
				m->type->comms |= 1u << roles[i].role;
		}
}

/* --- fields ---------------------------------------------------------------------------------- */

static void begin_print(struct maker *m, const char *label)
{
	size_t len = m->print.len;

	if (!m->in_context)
		text_printf(&m->print, "%s%s = ", len && m->print.data[len - 1] != ' ' ? ", " : "",
			    label);
}

/* A number of @size bytes, aligned; false: the type is full. */
static bool place(struct maker *m, struct ctf_slot *slot, uint32_t size, uint32_t align)
{
	uint32_t at = (m->type->size + align - 1) & ~(align - 1);

	if (m->type->nr_slots >= MOST_FIELDS || at + size > MOST_BYTES)
		slot->kind = SLOT_NOT;
	else
		m->type->size = at + size;
	slot->at = (uint16_t)at;
	mem_grow(&m->type->slots, m->type->nr_slots, &m->type->cap_slots);
	m->type->slots[m->type->nr_slots++] = *slot;
	return slot->kind != SLOT_NOT;
}

static void field_line(struct maker *m, const char *c_type, const char *name, const char *array,
		       const struct ctf_slot *slot, uint32_t size, bool is_signed)
{
	text_printf(&m->fields, "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", c_type,
		    name, array, slot->at, size, is_signed);
}

/*
 * The field's lines: under LTTng's name, and under the kernel's if that is another.  @name: what
 * the print format calls it.
 */
static void add_lines(struct maker *m, const char *c_type, const char *array,
		      const struct ctf_slot *slot, uint32_t size, bool is_signed, struct text *name)
{
	struct ctf_alias alias = { 0 };

	text_clear(name);
	text_add(name, text_str(&m->name));
	if (m->of_kernel && !m->in_context)
		alias = ctf_names_field(m->event, text_str(&m->name));
	/* LTTng 2.1 has the kernel's own names in some events: then it is that field */
	alias.is_taken &= alias.len > 0;
	if (alias.is_taken) {
		text_clear(name);
		text_bytes(name, alias.kernel, alias.len);
	}
	field_line(m, c_type, text_str(name), array, slot, size, is_signed);
	if (alias.len && !alias.is_taken) {
		struct text kernel = { 0 };

		text_bytes(&kernel, alias.kernel, alias.len);
		field_line(m, c_type, text_str(&kernel), array, slot, size, is_signed);
		text_fini(&kernel);
	}
	find_role(m, slot);
}

static void add_quoted(struct text *out, const char *s)
{
	for (; *s; s++)
		if (*s == '\\' || *s == '"')
			text_printf(out, "\\%c", *s);
		else
			text_char(out, iscntrl((unsigned char)*s) ? '?' : *s);
}

/* The values of an enumeration's label, a range of them. */
struct labelled {
	const char	*label;
	uint64_t	 nr_ranges;
	int64_t		 from, to;
};

static void read_unsigned(const bt_field_class *class, uint64_t i, uint64_t range,
			  struct labelled *l)
{
	const bt_field_class_enumeration_unsigned_mapping *mapping =
		bt_field_class_enumeration_unsigned_borrow_mapping_by_index_const(class, i);
	const bt_integer_range_set_unsigned *set =
		bt_field_class_enumeration_unsigned_mapping_borrow_ranges_const(mapping);
	const bt_integer_range_unsigned *r =
		bt_integer_range_set_unsigned_borrow_range_by_index_const(set, range);

	l->label = bt_field_class_enumeration_mapping_get_label(
		bt_field_class_enumeration_unsigned_mapping_as_mapping_const(mapping));
	l->nr_ranges = bt_integer_range_set_get_range_count(
		bt_integer_range_set_unsigned_as_range_set_const(set));
	l->from = (int64_t)bt_integer_range_unsigned_get_lower(r);
	l->to = (int64_t)bt_integer_range_unsigned_get_upper(r);
}

static void read_signed(const bt_field_class *class, uint64_t i, uint64_t range, struct labelled *l)
{
	const bt_field_class_enumeration_signed_mapping *mapping =
		bt_field_class_enumeration_signed_borrow_mapping_by_index_const(class, i);
	const bt_integer_range_set_signed *set =
		bt_field_class_enumeration_signed_mapping_borrow_ranges_const(mapping);
	const bt_integer_range_signed *r =
		bt_integer_range_set_signed_borrow_range_by_index_const(set, range);

	l->label = bt_field_class_enumeration_mapping_get_label(
		bt_field_class_enumeration_signed_mapping_as_mapping_const(mapping));
	l->nr_ranges = bt_integer_range_set_get_range_count(
		bt_integer_range_set_signed_as_range_set_const(set));
	l->from = bt_integer_range_signed_get_lower(r);
	l->to = bt_integer_range_signed_get_upper(r);
}

/*
 * Append ", { 1, "LABEL" }" for each value that has one.  Return: false: these are too many for a
 * format.
 */
static bool add_labels(struct text *out, const bt_field_class *class, bool is_signed)
{
	uint64_t nr = bt_field_class_enumeration_get_mapping_count(class);
	unsigned int done = 0;
	struct labelled l = { .nr_ranges = 1 };

	for (uint64_t i = 0; i < nr; i++, l.nr_ranges = 1)
		for (uint64_t range = 0; range < l.nr_ranges; range++) {
			uint64_t value, left;

			(is_signed ? read_signed : read_unsigned)(class, i, range, &l);
			value = (uint64_t)l.from;
			left = (uint64_t)l.to - value;
			if (left >= MOST_LABELS - done)
				return false;
			done += left + 1;
			for (uint64_t n = left + 1; n; n--) {
				text_printf(out, ", { %" PRId64 ", \"", (int64_t)value++);
				add_quoted(out, l.label);
				text_add(out, "\" }");
			}
		}
	return true;
}

static const char *number_type(uint32_t size, bool is_signed)
{
	static const char *const types[2][4] = { { "u8", "u16", "u32", "u64" },
						 { "s8", "s16", "s32", "s64" } };

	return types[is_signed][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}

/*
 * A number in digits of @digit bits each: "0x%X".  babeltrace2 shows all bits of the first digit,
 * so that -1 with 8 bits is 0777.
 */
static void print_digits(struct maker *m, char conversion, unsigned int digit, uint64_t bits,
			 bool is_signed, const char *name)
{
	bits = (bits + digit - 1) / digit * digit;
	text_printf(&m->print, "%%%s%c", bits > 32 ? "ll" : "", conversion);
	text_printf(&m->args, ", REC->%s", name);
	if (is_signed && bits < 64)
		text_printf(&m->args, " & 0x%" PRIx64, ((uint64_t)1 << bits) - 1);
}

/* Has a context this number as an address?  It has no print format that says so. */
static bool is_address(const struct maker *m, const bt_field_class *class, uint64_t bits)
{
	return m->in_context && bits == 64 &&
	       bt_field_class_integer_get_preferred_display_base(class) ==
		       BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL;
}

/* Of other numbers of a context there is the text that babeltrace2 prints. */
static bool is_plain_number(const struct maker *m, const bt_field_class *class)
{
	return !bt_field_class_type_is(bt_field_class_get_type(class),
				       BT_FIELD_CLASS_TYPE_ENUMERATION) &&
	       (is_address(m, class, bt_field_class_integer_get_field_value_range(class)) ||
		bt_field_class_integer_get_preferred_display_base(class) ==
			BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_DECIMAL);
}

/* The conversion for a number, and the argument without what was added to it. */
static void print_number(struct maker *m, const bt_field_class *class, const struct ctf_slot *slot,
			 bool is_signed, const char *name)
{
	uint64_t bits = bt_field_class_integer_get_field_value_range(class);

	switch (bt_field_class_integer_get_preferred_display_base(class)) {
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL:
		text_add(&m->print, "0x");
		print_digits(m, 'X', 4, bits, is_signed, name);
		break;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_OCTAL:
		text_char(&m->print, '0');
		print_digits(m, 'o', 3, bits, is_signed, name);
		break;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_BINARY:
		text_add(&m->print, "0b");
		while (bits--) {
			text_add(&m->print, "%u");
			text_printf(&m->args, ", REC->%s >> %" PRIu64 " & 1", name, bits);
		}
		break;
	case BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_DECIMAL:
		text_printf(&m->print, "%%%s%c", slot->size == 8 ? "ll" : "",
			    is_signed ? 'd' : 'u');
		text_printf(&m->args, ", REC->%s", name);
		if (slot->more)
			text_printf(&m->args, " - %d", slot->more);
		break;
	}
}

/* @labels: of an enumeration; or empty. */
static void add_number(struct maker *m, const bt_field_class *class, const char *label,
		       const struct text *labels)
{
	bt_field_class_type type = bt_field_class_get_type(class);
	bool is_signed = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
	uint64_t bits = bt_field_class_integer_get_field_value_range(class);
	struct ctf_slot slot = { .kind = SLOT_NUMBER };
	struct text name = { 0 };

	slot.size = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
	if (m->of_kernel && !m->in_context)
		slot.more = (int16_t)(m->is_plain ?
					      0 :
					      ctf_names_field(m->event, text_str(&m->name)).more);
	if (!place(m, &slot, slot.size, slot.size))
		return;
	add_lines(m, is_address(m, class, bits) ? "void *" : number_type(slot.size, is_signed), "",
		  &slot, slot.size, is_signed, &name);
	begin_print(m, label);
	if (!m->in_context && bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ENUMERATION)) {
		text_printf(&m->args, ", __print_symbolic(REC->%s%s)", text_str(&name),
			    text_str(labels));
		text_add(&m->print, "( \\\"%s\\\" : container = ");
		print_number(m, class, &slot, is_signed, text_str(&name));
		text_add(&m->print, " )");
	} else if (!m->in_context) {
		print_number(m, class, &slot, is_signed, text_str(&name));
	}
	text_fini(&name);
}

/* Is it the name of a task?  The kernel's have 16 bytes. */
static bool is_comm(const struct maker *m)
{
	size_t len = m->name.len;

	return m->of_kernel && !m->in_context && len >= 4 &&
	       !strcmp(m->name.data + len - 4, "comm") &&
	       (len == 4 || m->name.data[len - 5] == '_');
}

static void add_text(struct maker *m, bool is_string, const char *label)
{
	struct ctf_slot slot = { .kind = !is_string ? SLOT_TEXT :
				 is_comm(m) ? SLOT_COMM : SLOT_STRING };
	uint32_t size = slot.kind == SLOT_COMM ? CTF_COMM_BYTES : 4;
	struct text name = { 0 };

	if (!place(m, &slot, size, 4))
		return;
	if (slot.kind == SLOT_COMM)
		add_lines(m, "char", "[16]", &slot, size, false, &name);
	else	/* CTF_TEXT: what is printed as it is */
		add_lines(m, is_string ? "__data_loc char[]" : "__data_loc " CTF_TEXT, "", &slot,
			  size, false, &name);
	begin_print(m, label);
	if (!m->in_context) {
		text_add(&m->print, is_string ? "\\\"%s\\\"" : "%s");
		text_printf(&m->args, slot.kind == SLOT_COMM ? ", REC->%s" : ", __get_str(%s)",
			    text_str(&name));
	}
	text_fini(&name);
}

static void add_member(struct maker *m, const char *label, const bt_field_class *class);

static void add_members(struct maker *m, const bt_field_class *class)
{
	uint64_t nr = bt_field_class_structure_get_member_count(class);

	for (uint64_t i = 0; i < nr; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(class, i);

		add_member(m, bt_field_class_structure_member_get_name(member),
			   bt_field_class_structure_member_borrow_field_class_const(member));
	}
}

/* Append a member's name to that of its structure. */
static void name_member(struct text *name, const char *label)
{
	if (name->len && name->data[name->len - 1] != '_')
		text_char(name, '_');
	for (; *label; label++)
		text_char(name, isalnum((unsigned char)*label) ? *label : '_');
}

static void add_member(struct maker *m, const char *label, const bt_field_class *class)
{
	bt_field_class_type type = bt_field_class_get_type(class);
	bool is_signed = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
	size_t outer = m->name.len;
	struct text labels = { 0 };

	if (!outer && !strncmp(label, "common_", strlen("common_")))
		text_add(&m->name, "payload_");
	name_member(&m->name, label);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER) &&
	    (m->in_context ? is_plain_number(m, class) :
			     !bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ENUMERATION) ||
				     add_labels(&labels, class, is_signed))) {
		add_number(m, class, label, &labels);
	} else if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
		begin_print(m, label);
		text_add(&m->print, m->in_context ? "" : "{ ");
		add_members(m, class);
		if (!m->in_context)
			text_add(&m->print, m->print.data[m->print.len - 1] == ' ' ? "}" : " }");
	} else {
		add_text(m, type == BT_FIELD_CLASS_TYPE_STRING, label);
	}
	text_fini(&labels);
	m->name.len = outer;
	if (m->name.data)
		m->name.data[outer] = '\0';
}

/* --- types ----------------------------------------------------------------------------------- */

static void add_context(struct maker *m, const bt_field_class *class, const char *prefix)
{
	m->in_context = true;
	m->prefix = strlen(prefix);
	text_clear(&m->name);
	text_add(&m->name, prefix);
	if (class)
		add_members(m, class);
}

/* A packet's context that has only the CPU, which is that of the record. */
static bool has_only_cpu(const bt_field_class *context)
{
	const bt_field_class_structure_member *member =
		context && bt_field_class_structure_get_member_count(context) == 1 ?
			bt_field_class_structure_borrow_member_by_index_const(context, 0) :
			NULL;

	return member && !strcmp(bt_field_class_structure_member_get_name(member), "cpu_id") &&
	       bt_field_class_get_type(bt_field_class_structure_member_borrow_field_class_const(
		       member)) == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER;
}

static void add_contexts(struct maker *m, const bt_event_class *class,
			 const bt_stream_class *stream)
{
	const bt_field_class
		*packet = bt_stream_class_borrow_packet_context_field_class_const(stream),
		*shared = bt_stream_class_borrow_event_common_context_field_class_const(stream),
		*own = bt_event_class_borrow_specific_context_field_class_const(class);

	m->type->has_packet = packet && !has_only_cpu(packet);
	add_context(m, m->type->has_packet ? packet : NULL, "packet_");
	add_context(m, shared, "context_");
	add_context(m, own, shared ? "event_context_" : "context_");
}

/* A trace of one process: babeltrace2 prints the process before each event's name. */
static void add_environment(struct maker *m, const bt_trace *trace)
{
	const bt_value *comm = ctf_environment(trace, "procname"),
		       *pid = ctf_environment(trace, "vpid");
	struct ctf_slot slot = { .kind = SLOT_PROCNAME };

	if (comm && bt_value_is_string(comm) && place(m, &slot, 4, 4))
		field_line(m, "__data_loc char[]", "env_procname", "", &slot, 4, false);
	slot = (struct ctf_slot){ .kind = SLOT_VPID };
	if (pid && bt_value_is_signed_integer(pid) && place(m, &slot, 4, 4))
		field_line(m, "s32", "env_vpid", "", &slot, 4, true);
}

/* What its records do not have. */
static uint8_t lacks(const struct maker *m, const bt_stream_class *stream, bool has_fields)
{
	const uint16_t *at = m->type->at;
	bool has_time = bt_stream_class_borrow_default_clock_class_const(stream),
	     has_cpu = has_only_cpu(
		     bt_stream_class_borrow_packet_context_field_class_const(stream));

	return (uint8_t)((at[CTF_COMMON_FLAGS] == CTF_NOWHERE ? FORMAT_LACKS_FLAGS : 0) |
			 (has_time ? 0 : FORMAT_LACKS_TIME) | (has_cpu ? 0 : FORMAT_LACKS_CPU) |
			 (has_fields ? 0 : FORMAT_LACKS_FIELDS));
}

/* "PROVIDER:EVENT" of user space has its provider as its system, as perf's "SYSTEM:EVENT" has. */
static void tell(struct ctf_types *types, struct maker *m, const char *full, uint8_t lacks)
{
	struct text format = { 0 }, key = { 0 };
	const char *colon = strchr(full, ':');
	uint32_t id;

	if (colon)
		text_bytes(&key, full, (size_t)(colon - full));
	else
		text_add(&key, m->of_perf ? "perf" : m->of_kernel ? ctf_names_system(full) : "ust");
	text_char(&key, '\n');
	for (const char *s = full; *s; s++)
		text_char(&key, *s == '\n' ? ' ' : *s);
	text_add(&key, "\nname: ");
	for (const char *s = colon ? colon + 1 : full; *s; s++)
		text_char(&key, isalnum((unsigned char)*s) ? *s : '_');
	id = key.len;
	text_printf(&key, "\nformat:\n%s%s\nprint fmt: \"%s\"%s\n", common, text_str(&m->fields),
		    text_str(&m->print), text_str(&m->args));
	text_bytes(&format, key.data, id);
	text_add(&format, "\nID: ");
	text_char(&key, (char)('0' + lacks));
	m->type->id = (int)name_table_add(types->formats, key.data, key.len);
	key.data[--key.len] = '\0';
	if (m->type->id > MAX_ID) {
		m->type->id = 0;
	} else if ((uint32_t)m->type->id > types->nr_formats) {
		types->nr_formats = (uint32_t)m->type->id;
		text_printf(&format, "%d%s", m->type->id, key.data + id);
		types->tell(types->arg, m->type->id, lacks, &format);
	}
	text_fini(&format);
	text_fini(&key);
}

/* Does the environment say this? */
static bool is_of(const bt_event *event, const char *name, const char *value)
{
	const bt_value *v = ctf_environment(ctf_trace_of(event), name);

	return v && bt_value_is_string(v) && !strcmp(bt_value_string_get(v), value);
}

/* perf's records of tasks, which `perf data convert --all` has as events. */
static bool tells_task(const struct maker *m)
{
	return m->of_perf && !strncmp(m->event, "perf_", strlen("perf_"));
}

static struct ctf_type *make(struct ctf_types *types, const bt_event *event)
{
	const bt_event_class *class = bt_event_borrow_class_const(event);
	const bt_stream_class *stream = bt_event_class_borrow_stream_class_const(class);
	const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(class);
	struct ctf_type *type = mem_alloc(sizeof(*type));
	struct maker m = { .type = type, .event = bt_event_class_get_name(class) ?: "event" };

	m.of_kernel = is_of(event, "domain", "kernel");
	m.of_perf = is_of(event, "tracer_name", "perf");
	m.is_plain = payload &&
		     bt_field_class_structure_borrow_member_by_name_const(payload, "success");
	type->class = class;
	type->size = FIELDS_AT;
	memset(type->at, 0xff, sizeof(type->at));
	type->tells_task = tells_task(&m);
	if (payload)
		add_members(&m, payload);
	add_contexts(&m, class, stream);
	add_environment(&m, ctf_trace_of(event));
	type->size = (type->size + 3) & ~3u;
	tell(types, &m, bt_event_class_get_name(class) ?: "<unknown>", lacks(&m, stream, payload));
	text_fini(&m.name);
	text_fini(&m.fields);
	text_fini(&m.print);
	text_fini(&m.args);
	return type;
}

const struct ctf_type *ctf_types_of(struct ctf_types *types, const bt_event *event)
{
	const bt_event_class *class = bt_event_borrow_class_const(event);
	uint32_t hash = index_map_hash((uintptr_t) class);

	index_map_each (&types->by_class, hash, i)
		if (types->types[i]->class == class)
			return types->types[i];
	if (!types->formats)
		types->formats = name_table_new();
	mem_grow(&types->types, types->nr, &types->cap);
	types->types[types->nr] = make(types, event);
	index_map_add(&types->by_class, hash, types->nr);
	return types->types[types->nr++];
}

void ctf_types_fini(struct ctf_types *types)
{
	for (unsigned int i = 0; i < types->nr; i++) {
		free(types->types[i]->slots);
		free(types->types[i]);
	}
	free(types->types);
	index_map_fini(&types->by_class);
	name_table_free(types->formats);
}
