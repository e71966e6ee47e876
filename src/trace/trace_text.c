/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_text - a row as text: names, the event's text, its flags, fields, stack. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/print/text_pattern.h"
#include "parsers/types/event_header.h"
#include "parsers/types/field.h"
#include "parsers/text/record_text.h"
#include "parsers/text/sched_text.h"
#include "parsers/lines/line_record.h"
#include "parsers/source/record_bound.h"
#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/base/name_table.h"
#include "src/trace/syscall_names.h"
#include "src/trace/trace_private.h"
#include "src/trace/trace_user.h"

struct printer *trace_printer(struct trace *trace, unsigned int file)
{
	struct trace_source *source = &trace->sources[file];

	if (!source->printer) {
		struct printer_options options = { 0 };

		if (trace->options.printer)
			options = *trace->options.printer;
		options.sequential |= trace->options.sequential_printer;
		source->printer = printer_new(source->file, source->types, &options);
	}
	return source->printer;
}

struct record_text *trace_record_text(struct trace *trace, unsigned int file)
{
	struct trace_source *source = &trace->sources[file];
	struct printer *printer = source->texts ? NULL : trace_printer(trace, file);
	struct record_text_options options = { .era = TEXT_ERA_3_1,
					       .syscalls = syscall_names_find };

	if (printer)
		source->texts = record_text_new(source->file, source->types,
						printer_kallsyms(printer), &options);
	return source->texts;
}

/* The third word of "Linux host 6.1.0 x86_64". */
void trace_source_release(struct trace_source *source)
{
	const char *s = source_info(source->file)->uname;
	int major = 0, minor = 0;
	size_t len;

	for (int word = 0; word < 2; word++) {
		s += strcspn(s, " ");
		s += strspn(s, " ");
	}
	len = strcspn(s, " \n");
	if (len >= sizeof(source->own->release))
		len = sizeof(source->own->release) - 1;
	memcpy(source->own->release, s, len);
	for (s = source->own->release; *s >= '0' && *s <= '9' && major < 1000; s++)
		major = major * 10 + *s - '0';
	for (s += *s == '.'; *s >= '0' && *s <= '9' && minor < 1000; s++)
		minor = minor * 10 + *s - '0';
	source->lazy_resched = major > 6 || (major == 6 && minor >= 14);
}

const char *trace_comm(struct trace *trace, unsigned int file, int pid, int64_t ts)
{
	return comm_table_at(trace->sources[file].comms, pid, ts);
}

const char *trace_comm_span(struct trace *trace, unsigned int file, int pid, int64_t ts,
			    int64_t *from, int64_t *to)
{
	return comm_table_span(trace->sources[file].comms, pid, ts, from, to);
}

void trace_comms(struct trace *trace, unsigned int file,
		 void (*each)(void *arg, int pid, const char *name), void *arg)
{
	comm_table_each(trace->sources[file].comms, each, arg);
}

const char *trace_event_system(const struct trace_event *event)
{
	return event->kind == TRACE_ROW_EVENT && event->type ? event->type->system : "";
}

const char *trace_event_name(const struct trace_event *event)
{
	switch (event->kind) {
	case TRACE_ROW_EVENT:
		return event->type ? event->type->name : "?";
	case TRACE_ROW_LOST:
	case TRACE_ROW_DAMAGE:
		return "";
	}
	return "";
}

struct print_record trace_print_record(const struct trace_event *event)
{
	return (struct print_record){ .type = event->type, .data = event->data, .size = event->size,
				      .room = event->room,
				      .ts = (uint64_t)event->ts, .cpu = event->cpu };
}

void trace_time_text(const struct trace *trace, int64_t ts, int decimals, struct text *out)
{
	if (trace->unit == TRACE_UNIT_NS)
		text_seconds(out, ts, decimals > 6 && trace_resolution(trace) > 1 ? 6 : decimals);
	else
		text_printf(out, "%lld", (long long)ts);
}

void trace_duration_text(const struct trace *trace, uint64_t ns, struct text *out)
{
	uint64_t step = (uint64_t)trace_resolution(trace);

	if (step > 1 && ns < 1000 * step && ns % step == 0)
		text_printf(out, "%5llu µs", (unsigned long long)(ns / 1000));
	else
		text_duration(out, ns);
}

static void lost_text(const struct trace *trace, const struct trace_event *event, struct text *out)
{
	bool is_thinned = !event->lost_known && trace_is_thinned(trace, (int)event->file);

	text_printf(out, is_thinned ? "CPU %d: events cut out or lost" : "CPU %d lost ",
		    event->cpu);
	if (event->lost_known) {
		text_counted(out, event->lost_count, "event");
	} else if (!is_thinned) {
		text_add(out, "events");
	}
	if (event->gap_from < event->gap_to) {
		text_add(out, " between ");
		trace_time_text(trace, event->gap_from, 6, out);
		text_add(out, event->gap_is_start ? " (its beginning) and " : " and ");
		trace_time_text(trace, event->gap_to, 6, out);
	} else {
		text_add(out, " before ");
		trace_time_text(trace, event->gap_to, 6, out);
	}
	if (event->lost_known) {
		text_add(out, "; ");
		text_count(out, event->lost_count);
		text_add(out, " is the kernel's count");
	} else {
		text_add(out, "; how many is unknown");
	}
}

struct text_line trace_event_line(const struct trace_event *event)
{
	struct text_slice lines = line_record_lines(event->data, event->size);
	struct text_line line;

	text_trace_line(lines.s, lines.len, 0, &line);
	return line;
}

/* The name of the system call in a record of raw_syscalls; NULL: another event, or unknown. */
static const char *syscall_name(struct trace *trace, const struct trace_event *event,
				const struct event_field *field)
{
	bool is_id = field && !strcmp(event->type->system, "raw_syscalls") &&
		     !strcmp(field->name, "id") && event_field_is_number(field);
	struct record_text *texts = is_id ? trace_record_text(trace, event->file) : NULL;
	const struct value_names *names = texts ? record_text_names(texts, event->type, field) :
						  NULL;
	uint64_t nr = names ? field_u64(field, event->data, event->size, event->swap) : 0;

	for (unsigned int i = 0; names && i < names->nr; i++)
		if (names->names[i].value == nr)
			return names->names[i].name;
	return NULL;
}

/* A row says "openat (…" where the kernel says "NR 257 (…". */
static void name_syscall(struct trace *trace, const struct trace_event *event, size_t begin,
			 struct text *out)
{
	static const char nr[] = "NR ";
	size_t end = begin + sizeof(nr) - 1;
	const char *name = syscall_name(trace, event, event_type_field(event->type, "id"));
	struct text rest = { 0 };

	if (!name || out->len <= end || memcmp(out->data + begin, nr, sizeof(nr) - 1) != 0)
		return;
	text_add(&rest, out->data + end + strcspn(out->data + end, " "));
	out->len = begin;
	text_add(out, name);
	text_add(out, text_str(&rest));
	text_fini(&rest);
}

static void add_text(struct trace *trace, const struct trace_event *event,
		     const struct trace_event *exit, int cells, struct text *out)
{
	struct printer *printer = trace_printer(trace, event->file);
	struct print_record rec = trace_print_record(event), exit_rec;
	size_t begin = out->len;

	if (exit)
		exit_rec = trace_print_record(exit);
	if (cells != TRACE_TEXT_KERNEL && event->type &&
	    event_header_text(event->type, event->data, event->size, out))
		return;
	if (printer && cells == TRACE_TEXT_KERNEL)
		printer_text(printer, PRINT_KERNEL, &rec, NULL, NULL, out);
	else if (printer)
		printer_screen(printer, &rec, exit ? &exit_rec : NULL, cells, out);
	if (cells != TRACE_TEXT_KERNEL && event->type)
		name_syscall(trace, event, begin, out);
}

static void record_text(struct trace *trace, const struct trace_event *event,
			const struct trace_event *exit, int cells, struct text *out)
{
	bool begun = record_bound_begin(out);

	add_text(trace, event, exit, cells, out);
	record_bound_end(out, begun, trace_file_of(trace, event->file), trace_event_system(event),
			 trace_event_name(event));
}

void trace_event_text(struct trace *trace, const struct trace_event *event,
		      const struct trace_event *exit, int cells, struct text *out)
{
	switch (event->kind) {
	case TRACE_ROW_EVENT:
		record_text(trace, event, exit, cells, out);
		break;
	case TRACE_ROW_LOST:
		lost_text(trace, event, out);
		break;
	case TRACE_ROW_DAMAGE:
		text_printf(
			out,
			"CPU %d: damaged at byte %llu (0x%llx) of the file, the rest of this sub-buffer cannot be read",
			event->cpu, (unsigned long long)event->damage_offset,
			(unsigned long long)event->damage_offset);
		break;
	}
}

/* --- flags -------------------------------------------------------------------------- */

enum {
	FLAG_IRQS_OFF		= 0x01,
	FLAG_LAZY_OR_NO_IRQS	= 0x02,	/* need-resched-lazy since 6.14, else irqs unknown */
	FLAG_NEED_RESCHED	= 0x04,
	FLAG_PREEMPT_RESCHED	= 0x20,
	FLAG_BH_OFF		= 0x80,
};

static char irqs_letter(const struct trace_event *event)
{
	bool off = event->flags & FLAG_IRQS_OFF, bh_off = event->flags & FLAG_BH_OFF;

	if (off)
		return bh_off ? 'D' : 'd';
	if (bh_off)
		return 'b';
	return event->flags & FLAG_LAZY_OR_NO_IRQS && !event->lazy_resched ? 'X' : '.';
}

static char resched_letter(const struct trace_event *event, bool own_lazy_column)
{
	/* Index: need_resched (1), lazy (2), preempt (4). */
	static const char letters[8] = { '.', 'n', 'l', 'b', 'p', 'N', 'L', 'B' };
	bool lazy = event->lazy_resched && event->flags & FLAG_LAZY_OR_NO_IRQS;
	bool preempt = !own_lazy_column && event->flags & FLAG_PREEMPT_RESCHED;

	return letters[(event->flags & FLAG_NEED_RESCHED ? 1 : 0) | lazy << 1 | preempt << 2];
}

static char context_letter(unsigned int flags)
{
	if (flags & TRACE_IN_NMI)
		return flags & TRACE_IN_HARDIRQ ? 'Z' : 'z';
	if (flags & TRACE_IN_HARDIRQ)
		return flags & TRACE_IN_SOFTIRQ ? 'H' : 'h';
	return flags & TRACE_IN_SOFTIRQ ? 's' : '.';
}

static void add_depth(struct text *out, unsigned int depth)
{
	if (depth)
		text_printf(out, "%x", depth);
	else
		text_char(out, '.');
}

/*
 * Like trace_print_lat_fmt() in linux kernel/trace/trace_output.c; kernels with the PREEMPT_RT
 * patches up to 6.6 have two more columns, and a common field that shows it.  Other forms of traces
 * may not tell them.
 */
void trace_latency_flags(const struct trace_event *event, struct text *out)
{
	const struct event_field *lazy = event->type ?
						 event_type_field(event->type,
								  "common_preempt_lazy_count") :
						 NULL;

	if (event->is_line) {
		struct text_line line = trace_event_line(event);

		text_bytes(out, line.flags.s, line.flags.len);
		return;
	}
	if (event->kind != TRACE_ROW_EVENT)
		return;
	if (event_type_lacks(event->type, FORMAT_LACKS_FLAGS)) {
		text_add(out, "?????");
		return;
	}
	text_char(out, irqs_letter(event));
	text_char(out, resched_letter(event, lazy));
	if (lazy)
		text_char(out, event->flags & FLAG_PREEMPT_RESCHED ? 'L' : '.');
	text_char(out, context_letter(event->flags));
	add_depth(out, event->preempt_count & 0xf);
	if (lazy)
		add_depth(out, field_load(event->data, event->size, lazy->offset, 1, false));
	add_depth(out, event->preempt_count >> 4);
}

/* --- fields --------------------------------------------------------------------------- */

struct described {		/* fields that a record describes */
	struct trace_field_value **fields;
	unsigned int	nr, cap;
};

static void add_described(void *arg, const struct event_header_value *v)
{
	struct described *d = arg;
	struct trace_field_value *value;
	struct text name = { 0 };

	if (v->is_inner)
		return;
	text_add(&name, EVENT_HEADER_PREFIX);
	text_bytes(&name, v->name, v->len);
	mem_grow(d->fields, d->nr, &d->cap);
	value = &(*d->fields)[d->nr++];
	*value = (struct trace_field_value){ .own_name = mem_strndup(text_str(&name), name.len),
					     .type = v->type };
	text_fini(&name);
	value->name = value->own_name;
	text_bytes(&value->raw, v->text, v->text_len);
}

/* The texts of a record's fields have one limit together: each takes a part of what is left. */
static void end_part(struct trace *trace, const struct trace_event *event, struct text *part,
		     size_t *left)
{
	record_bound_end(part, true, trace_file_of(trace, event->file), event->type->system,
			 event->type->name);
	*left = part->len < *left ? *left - part->len : 1;
}

static void add_field(struct trace *trace, const struct trace_event *event,
		      const struct event_field *field, struct trace_field_value *value,
		      size_t *left)
{
	struct record_text *texts = trace_record_text(trace, event->file);
	struct printer *printer = trace_printer(trace, event->file);
	struct print_record rec = trace_print_record(event);

	value->name = field->name;
	value->type = field->type;
	value->is_address = texts && record_text_is_address(texts, event->type, field);
	text_bound(&value->raw, *left);
	printer_field(printer, &rec, field, true, &value->raw);
	end_part(trace, event, &value->raw, left);
	if (!event_field_is_number(field))
		return;
	/*
	 * Like the kernel: trace-cmd's text may lack a number's sign, and names if the format has a
	 * condition.
	 */
	text_add(&value->printed, syscall_name(trace, event, field) ?: "");
	if (value->printed.len)
		return;
	text_bound(&value->printed, *left);
	if (!texts || !record_text_field(texts, TEXT_KERNEL, &rec, field, &value->printed))
		printer_field(printer, &rec, field, false, &value->printed);
	end_part(trace, event, &value->printed, left);
	if (!strcmp(text_str(&value->raw), text_str(&value->printed)))
		text_clear(&value->printed);
}

unsigned int trace_event_fields(struct trace *trace, const struct trace_event *event,
				struct trace_field_value **fields)
{
	struct described described = { .fields = fields };
	size_t left = RECORD_TEXT_BYTES;

	*fields = NULL;
	if (event->kind != TRACE_ROW_EVENT || !event->type || !trace_printer(trace, event->file))
		return 0;
	*fields = mem_array(event->type->nr_fields, sizeof(**fields));
	for (unsigned int i = 0; i < event->type->nr_fields; i++)
		add_field(trace, event, &event->type->fields[i], &(*fields)[i], &left);
	described.nr = described.cap = event->type->nr_fields;
	event_header_read(event->type, event->data, event->size, add_described, &described);
	return described.nr;
}

void trace_fields_free(struct trace_field_value *fields, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		text_fini(&fields[i].raw);
		text_fini(&fields[i].printed);
		free(fields[i].own_name);
	}
	free(fields);
}

/* --- stacks and symbols ---------------------------------------------------------------- */

#define LARGEST_SYMBOL	(16ull << 20)	/* bytes */

const char *trace_symbol(struct trace *trace, unsigned int file, uint64_t address, uint64_t *offset)
{
	struct printer *printer = trace_printer(trace, file);
	struct kallsyms_symbol symbol;

	if (!printer || !kallsyms_find(printer_kallsyms(printer), address, &symbol) ||
	    address - symbol.start > LARGEST_SYMBOL) /* past the last one, or -1 */
		return NULL;
	if (offset)
		*offset = address - symbol.start;
	return symbol.name;
}

/* The kernel marks the trampolines of its own tracers with it, since 6.12. */
#define FTRACE_TRAMPOLINE ((uint64_t)INT32_MAX)

/* Addresses that no machine has. */
#define SLICES	(1ull << 62)

uint64_t trace_slice_address(const struct trace *trace, unsigned int file, const char *name,
			     size_t len)
{
	return SLICES | name_table_add(trace->sources[file].own->slices, name, len);
}

void trace_function_name(struct trace *trace, unsigned int file, uint64_t address, struct text *out)
{
	struct printer *printer = trace_printer(trace, file);
	const char *slice = address >> 32 == SLICES >> 32 ?
				    name_table_text(trace->sources[file].own->slices,
						    (uint32_t)address) :
				    NULL;

	if (slice)
		text_add(out, *slice ? slice : "(no name)");
	else if (address == FTRACE_TRAMPOLINE)
		text_add(out, "[FTRACE TRAMPOLINE]");
	else if (printer)
		kallsyms_name(printer_kallsyms(printer), address, out);
	else
		text_printf(out, "0x%llx", (unsigned long long)address);
}

void trace_task_states(const struct trace *trace, unsigned int file, const struct event_type *type,
		       struct sched_states *states)
{
	const struct trace_source_own *own = trace->sources[file].own;
	unsigned int seen = atomic_load_explicit(&own->task_states, memory_order_relaxed);

	sched_states_parse(states, type && type->print_fmt ? type->print_fmt : "");
	sched_states_doubt(states, own->release);
	if (states->encoding == SCHED_STATES_ARE_UNSURE && seen)
		states->encoding = (enum sched_encoding)(seen - 1);
}

void trace_see_task_states(struct trace *trace, unsigned int file, unsigned int encoding)
{
	atomic_store_explicit(&trace->sources[file].own->task_states, 1 + encoding,
			      memory_order_relaxed);
}

void trace_event_task_state(const struct trace *trace, const struct trace_event *event,
			    uint64_t state, struct text *out)
{
	struct sched_states states;

	trace_task_states(trace, event->file, event->type, &states);
	sched_states_text(&states, state, out);
}

#define MOST_BETWEEN	4096u	/* rows of interrupts between an event and its stack */

static bool is_stack(const struct event_type *type)
{
	return !strcmp(type->system, "ftrace") &&
	       (!strcmp(type->name, "kernel_stack") || !strcmp(type->name, "user_stack"));
}

bool trace_event_is_stack(const struct trace_event *event)
{
	return event->kind == TRACE_ROW_EVENT && event->type && is_stack(event->type);
}

bool trace_next_stack(struct trace_cursor *cursor, int pid, unsigned int level,
		      struct trace_event *stack)
{
	for (unsigned int i = 0; i < MOST_BETWEEN && trace_cursor_next(cursor, stack); i++) {
		unsigned int of = trace_context_level(stack->flags);

		if (stack->kind != TRACE_ROW_EVENT || of <= level)
			return of == level && trace_event_is_stack(stack) && stack->pid == pid;
	}
	return false;
}

static void stack_line(struct trace *trace, const struct trace_event *event, uint64_t address,
		       bool is_return, struct text *line)
{
	bool kernel = !strcmp(event->type->name, "kernel_stack");
	struct printer *printer = kernel ? trace_printer(trace, event->file) : NULL;
	struct kallsyms_symbol symbol;

	if (printer && kallsyms_find(printer_kallsyms(printer), address, &symbol)) {
		text_add(line, symbol.name);
		if (address > symbol.start ||
		    !source_info(trace->sources[event->file].file)->is_text)
			text_printf(line, "+0x%llx", (unsigned long long)(address - symbol.start));
		if (symbol.module)
			text_printf(line, " [%s]", symbol.module);
	} else if (kernel || !trace_user_name(trace, event, address, is_return, true, line)) {
		text_printf(line, "0x%llx", (unsigned long long)address);
	}
}

unsigned int trace_event_addresses(const struct trace *trace, const struct trace_event *event,
				   uint64_t *addresses, unsigned int max)
{
	const struct trace_stream *stream = &trace->streams[event->stream];
	const struct event_field *caller;
	unsigned int nr = 0, width = stream->layout->long_size;
	struct field_span span;

	if (event->kind != TRACE_ROW_EVENT || !trace_event_is_stack(event))
		return 0;
	caller = event_type_field(event->type, "caller");
	if (!caller)
		return 0;
	/* The format's array has a fixed length; the record has as many as were recorded. */
	span = field_bytes(caller, event->data, event->size, stream->layout->swap);
	if (caller->kind != FIELD_DYNAMIC_ARRAY && caller->offset <= event->size) {
		span.data = event->data + caller->offset;
		span.len = event->size - caller->offset;
	}
	if (caller->element_size == 4 || caller->element_size == 8)
		width = caller->element_size;
	for (uint32_t at = 0; span.data && span.len - at >= width && nr < max; at += width) {
		uint64_t address = field_load(span.data, span.len, at, width, stream->layout->swap);

		if (address == (width == 8 ? UINT64_MAX : UINT32_MAX))
			break;
		if (!address && strcmp(event->type->name, "kernel_stack"))
			break;		/* user stacks end with zeros */
		addresses[nr++] = address;
	}
	return nr;
}

unsigned int trace_event_stack(struct trace *trace, const struct trace_event *event,
			       struct text **lines)
{
	uint64_t *addresses;
	unsigned int nr;

	*lines = NULL;
	addresses = mem_array(TRACE_MAX_STACK, sizeof(*addresses));
	nr = trace_event_addresses(trace, event, addresses, TRACE_MAX_STACK);
	*lines = nr ? mem_array(nr, sizeof(**lines)) : NULL;
	for (unsigned int i = 0; i < nr; i++)
		stack_line(trace, event, addresses[i], i > 0, &(*lines)[i]);
	free(addresses);
	return nr;
}

void trace_row_pattern(struct trace *trace, unsigned int file, const struct event_type *type,
		       struct text_pattern *p)
{
	const struct event_field *id = event_type_field(type, "id");
	const struct value_names *names = NULL;

	if (event_header_is(type))		/* each record has words of its own */
		text_pattern_any(p);
	if (is_stack(type)) {
		text_pattern_hole(p, TEXT_PATTERN_SYMBOL);
		text_pattern_str(p, "+0x");
		text_pattern_chars(p, TEXT_PATTERN_HEX);
		text_pattern_str(p, " [");
		text_pattern_hole(p, TEXT_PATTERN_SYMBOL);
		text_pattern_str(p, "] 0x");
		text_pattern_chars(p, TEXT_PATTERN_HEX);
		if (*type->name == 'u')		/* files of processes have the names */
			text_pattern_any(p);
		return;
	}
	if (id && !strcmp(type->system, "raw_syscalls"))
		names = record_text_names(trace_record_text(trace, file), type, id);
	for (unsigned int i = 0; names && i < names->nr; i++) {
		text_pattern_str(p, names->names[i].name);
		text_pattern_str(p, " ");
	}
	printer_screen_pattern(trace_printer(trace, file), type, p);
}

void trace_stack_free(struct text *lines, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		text_fini(&lines[i]);
	free(lines);
}

int64_t trace_event_duration(const struct trace_event *event)
{
	if (event->kind != TRACE_ROW_EVENT || !event->type ||
	    strcmp(event->type->name, "funcgraph_exit"))
		return -1;
	return trace_exit_duration(event->type, event->data, event->size, event->swap);
}

int trace_event_depth(const struct trace_event *event)
{
	const struct event_field *field;
	int64_t depth;

	if (event->kind != TRACE_ROW_EVENT || !event->type ||
	    strcmp(event->type->system, "ftrace") || !strstr(event->type->name, "graph"))
		return -1;
	field = event_type_field(event->type, "depth");
	if (!field)
		return -1;
	depth = (int64_t)field_u64(field, event->data, event->size, event->swap);
	return depth >= 0 && depth <= INT_MAX ? (int)depth : -1;
}

int64_t trace_exit_duration(const struct event_type *type, const uint8_t *data, uint32_t size,
			    bool swap)
{
	const struct event_field *call = event_type_field(type, "calltime"),
				 *ret = event_type_field(type, "rettime");
	uint64_t from, to;

	if (!call || !ret)
		return -1;
	from = field_u64(call, data, size, swap);
	to = field_u64(ret, data, size, swap);
	return to && to >= from && to - from <= INT64_MAX ? (int64_t)(to - from) : -1;
}
