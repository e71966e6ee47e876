/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_perf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/printer/printer.h"
#include "parsers/source/source.h"
#include "parsers/text/record_text.h"
#include "parsers/types/field.h"
#include "parsers/types/user_symbols.h"
#include "src/base/bisect.h"
#include "src/base/memory.h"
#include "src/report/report_access.h"
#include "src/trace/trace_user.h"

#define MAX_TYPES	(UINT16_MAX + 1u)
#define LEAST_RAW	8u		/* bytes of the raw data of a tracepoint */
#define TOLD_STACKS	0xffu		/* of a sample of a perf.data: perf_types.h */
#define TOLD_KERNEL	0x100u
#define STACK_AT	16u		/* addresses of a stack of a perf.data: perf_types.h */

struct perf_lines {
	struct trace	*trace;		/* borrowed */
	bool		 nanoseconds, counts;
	int		 width;		/* of the longest name of an event */
	const struct source_event_name ***names;	/* owned, [files][MAX_TYPES]; of a file
							 * that has none: NULL */
	struct perf_tasks_told *tasks;	/* owned, [files]: of those that have names */
};

/* What perf was told of tasks' names, by task, then time. */
struct perf_tasks_told {
	struct source_name *names;	/* owned, [nr] */
	unsigned int	 nr;
};

/* --- names of events -------------------------------------------------------------------------- */

static int width_of(const struct event_type *type)
{
	return type ? (int)(strlen(type->system) + 1 + strlen(type->name)) : 0;
}

static int longer(int width, int other)
{
	return other > width ? other : width;
}

/* For qsort(). */
static int by_task(const void *a, const void *b)
{
	const struct source_name *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static void add_told(struct perf_lines *perf, unsigned int file, const struct source_info *info)
{
	struct event_types *types = trace_event_types(perf->trace, file);

	perf->names[file] = mem_array(MAX_TYPES, sizeof(*perf->names[file]));
	for (unsigned int i = 0; i < info->nr_event_names; i++) {
		const struct source_event_name *name = &info->event_names[i];

		perf->width = longer(perf->width,
				     name->name ? (int)strlen(name->name) :
						  width_of(event_types_find(types, name->type)));
		if (name->type > 0 && name->type < (int)MAX_TYPES)
			perf->names[file][name->type] = name;
	}
	if (!info->nr_names)
		return;
	perf->tasks[file].names = mem_array(info->nr_names, sizeof(*info->names));
	perf->tasks[file].nr = info->nr_names;
	memcpy(perf->tasks[file].names, info->names, info->nr_names * sizeof(*info->names));
	qsort(perf->tasks[file].names, info->nr_names, sizeof(*info->names), by_task);
}

static void *prepare(struct trace *trace, const struct report_options *options)
{
	struct perf_lines *perf = mem_alloc(sizeof(*perf));
	unsigned int nr = trace_nr_files(trace), nr_counts;
	struct trace_type_count *counts;

	*perf = (struct perf_lines){ .trace = trace, .nanoseconds = options->nanoseconds,
				     .counts = trace_unit(trace) == TRACE_UNIT_COUNT };
	perf->names = mem_array(nr, sizeof(*perf->names));
	perf->tasks = mem_array(nr, sizeof(*perf->tasks));
	for (unsigned int i = 0; i < nr; i++) {
		const struct source_info *info = source_info(trace_file_of(trace, i));

		if (info->nr_event_names)
			add_told(perf, i, info);
	}
	nr_counts = trace_type_counts(trace, &counts);
	for (unsigned int i = 0; i < nr_counts; i++)
		if (counts[i].events && !perf->names[counts[i].file])
			perf->width = longer(perf->width, width_of(counts[i].type));
	free(counts);
	return perf;
}

static void release(void *prepared)
{
	struct perf_lines *perf = prepared;

	if (!perf)
		return;
	for (unsigned int i = 0; i < trace_nr_files(perf->trace); i++) {
		free(perf->names[i]);
		free(perf->tasks[i].names);
	}
	free(perf->names);
	free(perf->tasks);
	free(perf);
}

/* --- addresses -------------------------------------------------------------------------------- */

static void add_kernel_place(const struct perf_lines *perf, const struct trace_event *e,
			     uint64_t address, struct text *out)
{
	struct printer *printer = trace_printer(perf->trace, e->file);
	struct kallsyms_symbol symbol;

	if (printer && kallsyms_find(printer_kallsyms(printer), address, &symbol))
		text_printf(out, " %s+0x%" PRIx64 " ([%s])", symbol.name, address - symbol.start,
			    symbol.module ? symbol.module : "kernel.kallsyms");
	else if (address >> 32 && (int64_t)address >= 0)	/* it is of no kernel */
		text_add(out, " [unknown] ([unknown])");
	else
		text_add(out, " [unknown] ([kernel.kallsyms])");
}

/* "ffffffff81000010 _stext+0x10 ([kernel.kallsyms])"; of a file, a frame has the place there. */
static void add_address(const struct perf_lines *perf, const struct trace_event *e,
			uint64_t address, bool is_frame, bool is_user, struct text *out)
{
	struct user_place place;
	bool is_known = is_user && trace_user_place(perf->trace, e, address, &place);

	text_printf(out, "%16" PRIx64, is_known && is_frame ? place.place : address);
	if (!is_user)
		add_kernel_place(perf, e, address, out);
	else if (!is_known)
		text_add(out, " [unknown] ([unknown])");
	else if (place.function)
		text_printf(out, " %s+0x%" PRIx64 " (%s)", place.function, place.offset,
			    place.file->path);
	else
		text_printf(out, " [unknown] (%s)", place.file->path);
}

static void add_frame(const struct perf_lines *perf, const struct trace_event *e, uint64_t address,
		      bool is_user, struct text *out)
{
	text_char(out, '\t');
	add_address(perf, e, address, true, is_user, out);
	text_char(out, '\n');
}

/*
 * A line for each address, and a blank one if it is the sample's last stack.  In a perf.data, the
 * number of addresses stands before them, and some may be 0.
 */
static void add_stack(const struct perf_lines *perf, const struct trace_event *e, struct text *out)
{
	bool is_user = !strcmp(e->type->name, "user_stack"),
	     is_perf = perf->names[e->file] && e->size >= STACK_AT;
	uint32_t told = is_perf ? load_u32(e->data + STACK_AT - 4, e->swap) : 0;
	uint64_t *addresses;
	unsigned int nr;

	if (is_perf && is_user) {
		for (uint32_t i = 0; i < told && i < (e->size - STACK_AT) / 8; i++)
			add_frame(perf, e, load_u64(e->data + STACK_AT + 8 * i, e->swap), true,
				  out);
		return;
	}
	addresses = mem_array(TRACE_MAX_STACK, sizeof(*addresses));
	nr = trace_event_addresses(perf->trace, e, addresses, TRACE_MAX_STACK);
	for (unsigned int i = 0; i < nr; i++)
		add_frame(perf, e, addresses[i], is_user, out);
	free(addresses);
	out->len -= told && nr;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void add_time(const struct perf_lines *perf, uint64_t ts, struct text *out)
{
	struct text time = { 0 };

	if (perf->counts)
		text_printf(&time, "%" PRIu64, ts);
	else if (perf->nanoseconds)
		text_printf(&time, "%5" PRIu64 ".%09" PRIu64, ts / 1000000000, ts % 1000000000);
	else
		text_printf(&time, "%" PRIu64 ".%06" PRIu64, ts / 1000000000,
			    ts % 1000000000 / 1000);
	text_printf(out, "%12s: ", text_str(&time));
	text_fini(&time);
}

static uint64_t number(const struct trace_event *e, const char *name, uint64_t otherwise)
{
	const struct event_field *field = event_type_field(e->type, name);

	return field ? field_u64(field, e->data, e->size, e->swap) : otherwise;
}

/*
 * Append the name of the event's task that COMM and FORK gave; events of the scheduler may have
 * another one.  If perf did not write the file, append @comm.
 */
static void add_task(const struct perf_lines *perf, const struct trace_event *e, const char *comm,
		     struct text *out)
{
	const struct perf_tasks_told *told = &perf->tasks[e->file];
	const struct source_name *name;
	unsigned int nr;

	if (!e->pid || (!told->nr && !strcmp(comm, "<idle>"))) {
		text_add(out, "swapper");
	} else if (!told->nr && strcmp(comm, "<...>") != 0) {
		text_add(out, comm);
	} else {
		nr = bisect(told->nr, i,
			    told->names[i].pid < e->pid || (told->names[i].pid == e->pid &&
							    told->names[i].ts <= e->raw_ts));
		name = nr ? &told->names[nr - 1] : NULL;
		if (name && name->pid == e->pid)
			text_bytes(out, name->name, name->len);
		else
			text_printf(out, ":%d", e->pid);
	}
}

/* The text of a group's leader, whose raw data stand behind the fields of another tracepoint. */
static void add_leader(const struct perf_lines *perf, const struct trace_event *e, struct text *out)
{
	struct event_types *types = trace_event_types(perf->trace, e->file);
	struct print_record rec = { .data = e->data + e->type->size,
				    .size = e->size - e->type->size,
				    .ts = e->raw_ts, .cpu = e->cpu };
	const struct record_text_type *how;

	rec.type = event_types_find(types, field_type_id(event_types_common(types), rec.data,
							 rec.size, e->swap));
	how = printer_type(trace_printer(perf->trace, e->file), PRINT_TRACE_CMD, rec.type);
	if (how)
		record_text_print(how, &rec, NULL, out);
}

/* What a sample tells of an access to memory: address, source, weight. */
static void add_access(const struct trace_event *e, struct text *out)
{
	uint64_t data_src = number(e, "data_src", 0);

	if (event_type_field(e->type, "addr"))
		text_printf(out, "%16" PRIx64, number(e, "addr", 0));
	if (event_type_field(e->type, "data_src")) {
		text_printf(out, "%16" PRIx64 " ", data_src);
		report_access(data_src, out);
	}
	if (event_type_field(e->type, "weight"))
		text_printf(out, "%16" PRIu64, number(e, "weight", 0));
	if (event_type_field(e->type, "ins_lat"))
		text_printf(out, "%16" PRIu64, number(e, "ins_lat", 0));
}

/* Where the sample was; with stacks, they tell.  If none follows, it is a stack of one address. */
static void add_ip(const struct perf_lines *perf, const struct trace_event *e, bool has_chains,
		   struct text *out)
{
	uint64_t ip = number(e, "ip", 0);
	bool tells = !event_type_field(e->type, "raw") && e->size >= e->type->size + 4u,
	     is_kernel = (int64_t)ip < 0;
	uint32_t told = tells ? load_u32(e->data + e->type->size, e->swap) : 0;

	if (tells)
		is_kernel = told & TOLD_KERNEL;

	if (!has_chains) {
		text_char(out, ' ');
		add_address(perf, e, ip, false, !is_kernel, out);
	} else if (tells && !(told & TOLD_STACKS)) {
		text_char(out, '\n');
		add_frame(perf, e, ip, !is_kernel, out);
	}
}

static bool add_head(const struct report_form *form, const struct report_lines *lines,
		     const struct trace_event *e, const char *comm, struct text *out)
{
	const struct perf_lines *perf = form->prepared;
	const struct source_event_name *told = perf->names[e->file] && e->type_id >= 0 &&
							       e->type_id < (int)MAX_TYPES ?
						       perf->names[e->file][e->type_id] :
						       NULL;
	/* also of a tracepoint that was counted in samples of another event */
	bool is_sample = told && e->type && !strcmp(e->type->system, "perf") && told->name,
	     has_period = is_sample && !told->is_tracepoint, has_chains = told && told->has_chains;
	struct text name = { 0 };

	(void)lines;
	if (trace_event_is_stack(e)) {
		add_stack(perf, e, out);
		return true;
	}
	/* perf script is silent about switches and throttling, which are no samples */
	if (perf->names[e->file] && !told)
		return true;
	add_task(perf, e, comm, &name);
	text_printf(out, has_chains ? "%s %5d " : "%16s %5d ", text_str(&name), e->pid);
	if (!told || told->has_cpu)
		text_printf(out, "[%03d] ", e->cpu);
	add_time(perf, (uint64_t)e->ts, out);
	text_clear(&name);
	if (told && told->name)
		text_add(&name, told->name);
	else if (e->type)
		text_printf(&name, "%s:%s", e->type->system, e->type->name);
	if (has_period)
		text_printf(out, "%10" PRIu64 " ", number(e, "period", told->period));
	text_printf(out, "%*s: ", perf->width, name.len ? text_str(&name) : "[unknown]");
	text_fini(&name);
	if (has_period && told->is_raw_pmu)
		add_access(e, out);
	if (has_period && event_type_field(e->type, "ip"))
		add_ip(perf, e, has_chains, out);
	if (is_sample && !has_period && e->size >= e->type->size + LEAST_RAW)
		add_leader(perf, e, out);
	return is_sample;
}

const struct report_line_style report_perf = { .prepare = prepare,
					       .release = release,
					       .head = add_head };
