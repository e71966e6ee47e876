/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/perf_name.h"
#include "parsers/source/source_form.h"
#include "src/base/memory.h"

#define MAX_ID		UINT16_MAX
#define FIELDS_AT	8u		/* behind the common fields */

struct made_format {
	const char	*system;
	int		 id;
	size_t		 from;		/* in the text */
};

const enum perf_part perf_fields[PERF_NR_FIELDS] = {
	PERF_PERIOD, PERF_IP, PERF_ADDR, PERF_WEIGHT, PERF_DATA_SRC, PERF_TRANSACTION,
	PERF_PHYS_ADDR, PERF_CGROUP, PERF_DATA_PAGE_SIZE, PERF_CODE_PAGE_SIZE, PERF_WEIGHT_STRUCT,
};

static const struct {
	const char *type, *name, *print, *cast;
} fields[PERF_NR_PARTS] = {
	[PERF_PERIOD]	      = { "u64", "period", "%llu", "" },
	[PERF_IP]	      = { "unsigned long", "ip", "%pS", "(void *)" },
	[PERF_ADDR]	      = { "void *", "addr", "0x%llx", "(u64)" },
	[PERF_WEIGHT]	      = { "u64", "weight", "%llu", "" },
	[PERF_DATA_SRC]	      = { "u64", "data_src", "0x%llx", "" },
	[PERF_TRANSACTION]    = { "u64", "transaction", "0x%llx", "" },
	[PERF_PHYS_ADDR]      = { "void *", "phys_addr", "0x%llx", "(u64)" },
	[PERF_CGROUP]	      = { "u64", "cgroup", "%llu", "" },
	[PERF_DATA_PAGE_SIZE] = { "u64", "data_page_size", "%llu", "" },
	[PERF_WEIGHT_STRUCT]  = { "u64", "ins_lat", "%llu", "" },
	[PERF_CODE_PAGE_SIZE] = { "u64", "code_page_size", "%llu", "" },
};

static const char common[] =
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

static const char print_stack[] =
	"\nprint fmt: \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> "
	"%ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void *)REC->caller[1], "
	"(void *)REC->caller[2], (void *)REC->caller[3], (void *)REC->caller[4], "
	"(void *)REC->caller[5], (void *)REC->caller[6], (void *)REC->caller[7]\n";

static const char caller[] = "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n";

/* Names of events that the file does not tell: those of perf. */
static const char *const hardware[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
	"bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy",
	"bpf-output", "cgroup-switches",
};

/* --- formats -------------------------------------------------------------------------------- */

static void begin_format(struct perf_types *types, const char *system, const char *name, int id)
{
	mem_grow(&types->formats, types->nr_formats, &types->cap_formats);
	types->formats[types->nr_formats++] =
		(struct made_format){ .system = system, .id = id, .from = types->text.len };
	text_printf(&types->text, "name: %s\nID: %d\nformat:\n%s", name, id, common);
}

/* A number that no event of the file has. */
static int new_id(struct perf_types *types, const struct source_formats *known)
{
	for (bool taken = true; taken && types->next_id <= MAX_ID; types->next_id += taken) {
		taken = false;
		for (unsigned int i = 0; i < known->nr; i++)
			taken |= known->formats[i].id == types->next_id;
	}
	return types->next_id <= MAX_ID ? types->next_id++ : 0;
}

/* --- names ---------------------------------------------------------------------------------- */

/* As perf has it; NULL: unknown. */
static const char *full_name(const struct perf_attr *attr)
{
	if (attr->name)
		return attr->name;
	if (attr->type == PERF_TYPE_HARDWARE &&
	    attr->config < sizeof(hardware) / sizeof(hardware[0]))
		return hardware[attr->config];
	if (attr->type == PERF_TYPE_SOFTWARE &&
	    attr->config < sizeof(software) / sizeof(software[0]))
		return software[attr->config];
	return NULL;
}

static void name_of(const struct perf_attr *attr, char out[PERF_NAME_BYTES])
{
	char unknown[PERF_NAME_BYTES];
	const char *name = full_name(attr);

	snprintf(unknown, sizeof(unknown), "type_%u_%llx", attr->type,
		 (unsigned long long)attr->config);
	name = name ? name : unknown;
	perf_name_clean(name, strlen(name), out);
	if (!*out)
		snprintf(out, PERF_NAME_BYTES, "%s", unknown);
}

/* --- types ---------------------------------------------------------------------------------- */

static void add_fields(struct perf_types *types, struct perf_type *type)
{
	struct text print = { 0 }, args = { 0 };

	type->size = FIELDS_AT;
	for (unsigned int i = 0; i < PERF_NR_FIELDS; i++) {
		enum perf_part part = perf_fields[i];

		if (!(type->parts >> part & 1))
			continue;
		text_printf(&types->text, "\tfield:%s %s;\toffset:%u;\tsize:8;\tsigned:0;\n",
			    fields[part].type, fields[part].name, type->size);
		text_printf(&print, "%s%s=%s", print.len ? " " : "", fields[part].name,
			    fields[part].print);
		text_printf(&args, ", %sREC->%s", fields[part].cast, fields[part].name);
		type->size += 8;
	}
	if (type->raw_at) {
		type->raw_at = type->size;
		type->size += 4;
		text_printf(&types->text,
			    "\tfield:__data_loc u8[] raw;\toffset:%u;\tsize:4;\tsigned:0;\n",
			    type->raw_at);
	}
	text_printf(&types->text, "\nprint fmt: \"%s\"%s\n", text_str(&print), text_str(&args));
	text_fini(&print);
	text_fini(&args);
}

/* An attribute before this one with the same name and parts; or NULL. */
static const struct perf_type *same_type(const struct perf_types *types,
					 const struct perf_file *file, unsigned int nr,
					 const char *name)
{
	char other[PERF_NAME_BYTES];

	for (unsigned int i = 0; i < nr; i++) {
		if (!types->of_attrs[i].id ||
		    types->of_attrs[i].parts != types->of_attrs[nr].parts ||
		    !types->of_attrs[i].raw_at != !types->of_attrs[nr].raw_at)
			continue;
		name_of(&file->attrs[i], other);
		if (!strcmp(other, name))
			return &types->of_attrs[i];
	}
	return NULL;
}

static void add_type(struct perf_types *types, const struct perf_file *file, unsigned int nr,
		     bool is_counted, const struct source_formats *known)
{
	const struct perf_attr *attr = &file->attrs[nr];
	struct perf_type *type = &types->of_attrs[nr];
	const struct perf_type *same;
	char name[PERF_NAME_BYTES];

	name_of(attr, name);
	for (unsigned int i = 0; i < PERF_NR_FIELDS; i++)
		type->parts |= (uint32_t)(attr->sample_type & 1u << perf_fields[i]);
	if (attr->sample_type >> PERF_WEIGHT_STRUCT & 1)
		type->parts |= 1u << PERF_WEIGHT;
	if (perf_attr_has_counts(attr))
		type->parts |= 1u << PERF_PERIOD;
	/* the raw data of another event's sample is that event's */
	type->raw_at = attr->sample_type >> PERF_RAW & 1 && !is_counted;
	same = same_type(types, file, nr, name);
	if (same) {
		*type = *same;
		return;
	}
	type->id = new_id(types, known);
	begin_format(types, "perf", name, type->id);
	add_fields(types, type);
}

/* A tracepoint without a format: of a file that perf did not finish. */
static void add_unknown(struct perf_types *types, const struct perf_attr *attr,
			struct source_formats *known)
{
	const struct source_format format = { .id = (int)attr->config };
	char name[PERF_NAME_BYTES];

	for (unsigned int i = 0; i < known->nr; i++)
		if (known->formats[i].id == format.id)
			return;
	if (attr->config > MAX_ID)
		return;
	source_add_format(known, &format);
	if (attr->name)
		perf_name_clean(attr->name, strlen(attr->name), name);
	else
		snprintf(name, sizeof(name), "tracepoint_%d", format.id);
	begin_format(types, "perf", name, format.id);
	text_add(&types->text, "\nprint fmt: \"\"\n");
}

static void add_switch(struct perf_types *types, const struct source_formats *known)
{
	for (unsigned int i = 0; i < known->nr; i++)
		if (known->formats[i].size > 19 &&
		    !memcmp(known->formats[i].text, "name: sched_switch\n", 19))
			return;
	types->sched_switch = new_id(types, known);
	begin_format(types, "sched", "sched_switch", types->sched_switch);
	text_add(&types->text,
		 "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		 "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		 "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
		 "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
		 "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
		 "\nprint fmt: \"prev_comm=%s prev_pid=%d prev_state=%s ==> next_comm=%s "
		 "next_pid=%d\", REC->prev_comm, REC->prev_pid, REC->prev_state ? \"S\" : \"R\", "
		 "REC->next_comm, REC->next_pid\n");
}

static void add_records(struct perf_types *types, const struct perf_index *index,
			const struct source_formats *known)
{
	static const char *const names[PERF_NR_OWN] = {
		[PERF_OWN_SWITCH] = "switch",
		[PERF_OWN_THROTTLE] = "throttle",
		[PERF_OWN_UNTHROTTLE] = "unthrottle",
	};

	for (unsigned int i = 0; i < PERF_NR_OWN; i++) {
		if (!(index->has_own >> i & 1))
			continue;
		types->own[i] = new_id(types, known);
		begin_format(types, "perf", names[i], types->own[i]);
		text_add(&types->text,
			 i != PERF_OWN_SWITCH ?
				 "\nprint fmt: \"\"\n" :
				 "\tfield:int out;\toffset:8;\tsize:4;\tsigned:1;\n"
				 "\tfield:int preempt;\toffset:12;\tsize:4;\tsigned:1;\n"
				 "\nprint fmt: \"%s%s\", REC->out ? \"OUT\" : \"IN\", "
				 "REC->preempt ? \" preempt\" : \"\"\n");
	}
}

/* The last type is user_stack: trace-cmd takes the number behind it for blktrace. */
static void add_stacks(struct perf_types *types, const struct source_formats *known)
{
	types->kernel_stack = new_id(types, known);
	begin_format(types, "ftrace", "kernel_stack", types->kernel_stack);
	text_printf(&types->text, "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n%s%s", caller,
		    print_stack);
	types->user_stack = new_id(types, known);
	begin_format(types, "ftrace", "user_stack", types->user_stack);
	text_printf(&types->text, "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n%s%s",
		    caller, print_stack);
}

static void add_names(struct perf_types *types, const struct perf_file *file)
{
	types->names = mem_array(file->nr_attrs + 1, sizeof(*types->names));
	for (unsigned int i = 0; i < file->nr_attrs; i++) {
		const struct perf_attr *attr = &file->attrs[i];

		types->names[i] = (struct source_event_name){
			.type = !types->of_attrs[i].id && perf_attr_is_raw(attr) &&
						attr->config <= MAX_ID ?
					(int)attr->config :
					types->of_attrs[i].id,
			.name = full_name(attr), .period = attr->period,
			.is_tracepoint = attr->type == PERF_TYPE_TRACEPOINT,
			.has_chains = attr->sample_type >> PERF_CALLCHAIN & 1,
			.has_ip = types->of_attrs[i].parts >> PERF_IP & 1,
			.has_cpu = attr->in_sample.cpu, .is_raw_pmu = attr->type == PERF_TYPE_RAW,
		};
	}
}

void perf_types_init(struct perf_types *types, const struct perf_file *file,
		     const struct perf_index *index)
{
	struct source_formats known = { 0 };
	struct perf_tracing texts;
	bool has_chains = false;

	*types = (struct perf_types){ .nr_attrs = file->nr_attrs, .next_id = 1 };
	types->of_attrs = mem_array(file->nr_attrs + 1, sizeof(*types->of_attrs));
	perf_tracing_read(file, &known, &texts);
	for (unsigned int i = 0; i < file->nr_attrs; i++)
		if (perf_attr_is_raw(&file->attrs[i]))
			add_unknown(types, &file->attrs[i], &known);
	for (unsigned int i = 0; i < file->nr_attrs && i < index->nr_seen; i++) {
		if (!index->seen[i].has_samples)
			continue;
		has_chains |= file->attrs[i].sample_type >> PERF_CALLCHAIN & 1;
		if (!perf_attr_is_raw(&file->attrs[i]) || index->seen[i].is_counted)
			add_type(types, file, i, index->seen[i].is_counted, &known);
	}
	if (index->has_switches)
		add_switch(types, &known);
	add_records(types, index, &known);
	if (has_chains)
		add_stacks(types, &known);
	add_names(types, file);
	free(known.formats);
}

void perf_types_fini(struct perf_types *types)
{
	free(types->names);
	free(types->of_attrs);
	free(types->formats);
	text_fini(&types->text);
}

static void add_formats(const struct perf_types *types, bool of_ftrace,
			struct source_formats *formats)
{
	for (unsigned int i = 0; i < types->nr_formats; i++) {
		const struct made_format *f = &types->formats[i];
		size_t to = i + 1 < types->nr_formats ? f[1].from : types->text.len;

		if (!strcmp(f->system, "ftrace") == of_ftrace)
			source_add_format(formats, &(struct source_format){
				.system = f->system, .text = types->text.data + f->from,
				.size = (uint32_t)(to - f->from), .id = f->id });
	}
}

void perf_types_formats(const struct perf_types *types, const struct perf_file *file,
			struct source_formats *formats)
{
	struct perf_tracing texts;

	add_formats(types, true, formats);
	perf_tracing_read(file, formats, &texts);
	add_formats(types, false, formats);
}
