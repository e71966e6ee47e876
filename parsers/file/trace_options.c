/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_options - parses the options of a trace.dat.
 *
 * Every option is kept as bytes (trace_file_option()); those needed for reading are parsed here.
 * An option that makes no sense causes a warning. Format: trace-cmd.dat.v6(5) and v7(5), "OPTIONS".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file_private.h"

#define MAX_SHIFT_SAMPLES	(1u << 20)
#define MAX_OPTION_STRING	(64u << 10)	/* most bytes of a string to show, as uname */

/* One option while it is parsed. */
struct option {
	const struct trace_file_option	*raw;
	struct byte_reader		 r;	/* over its data */
};

static void bad_option(struct trace_file *file, const struct option *option, const char *what)
{
	source_add_warning(&file->base, (int64_t)option->raw->offset,
			   "option %u of %" PRIu32 " bytes: %s", option->raw->id, option->raw->size,
			   what);
}

static const char *string_option(struct trace_file *file, const struct option *option)
{
	uint32_t len = option->raw->size < MAX_OPTION_STRING ? option->raw->size :
							       MAX_OPTION_STRING;

	return trace_file_arena_string(file, (const char *)option->raw->data, len);
}

const char *trace_clock_chosen(struct trace_file *file, const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	return close ? arena_strndup(&file->arena, open + 1, (size_t)(close - open - 1)) : "";
}

/* DATE and OFFSET hold a number as text; several of them add up, as in trace-cmd. */
static int64_t number_option(struct trace_file *file, const struct option *option)
{
	const char *text = string_option(file, option);
	char *end;
	int64_t v = strtoll(text, &end, 0);

	if (end == text)
		bad_option(file, option, "no number");
	return v;
}

static void take_v7_cpus(struct trace_file *file, struct option *option, struct draft_buffer *draft)
{
	struct byte_reader *r = &option->r;
	uint32_t nr;

	draft->page_size = byte_reader_u32(r);
	nr = byte_reader_u32(r);
	if (r->failed) {
		bad_option(file, option, "ends before the number of its CPUs");
		return;
	}
	for (uint32_t i = 0; i < nr; i++) {
		struct draft_cpu cpu = { .where = option->raw->offset + r->pos };
		uint32_t id = byte_reader_u32(r);

		cpu.offset = byte_reader_u64(r);
		cpu.size = byte_reader_u64(r);
		if (r->failed) {
			source_add_warning(&file->base, (int64_t)option->raw->offset,
					   "buffer \"%.64s\": %" PRIu32
					   " CPUs are recorded, but %" PRIu32 " are listed",
					   draft->name, nr, i);
			return;
		}
		if (id >= TRACE_MAX_CPUS) {
			source_add_warning(&file->base, (int64_t)cpu.where,
					   "buffer \"%.64s\": CPU %" PRIu32 " is not below %u",
					   draft->name, id, TRACE_MAX_CPUS);
			continue;
		}
		cpu.cpu = (int)id;
		if (!trace_file_draft_cpu(file, draft, &cpu))
			return;
	}
}

static void take_buffer(struct trace_file *file, struct option *option)
{
	bool is_text = option->raw->id == TRACE_OPTION_BUFFER_TEXT;
	struct byte_reader *r = &option->r;
	uint64_t section = byte_reader_u64(r);
	const char *name = byte_reader_string(r);
	const char *clock = file->base.info.version == 7 ? byte_reader_string(r) : "";
	struct draft_buffer *draft;

	if (!name || !clock) {
		bad_option(file, option, "a buffer without a name or clock");
		file->damaged = true;
		return;
	}
	draft = trace_file_draft(file, trace_file_arena_string(file, name, MAX_STRING));
	if (!draft)
		return;
	file->last_draft = (unsigned int)(draft - file->drafts);
	draft->section = section;
	draft->where = option->raw->offset;
	draft->clock = trace_file_arena_string(file, clock, MAX_STRING);
	draft->is_text = is_text;
	if (file->base.info.version == 7 && !is_text)
		take_v7_cpus(file, option, draft);
}

/* One sample, for sorting. */
struct shift_sample {
	uint64_t	v[4];		/* time, offset, scaling, fraction */
	uint32_t	nr;		/* position in the file */
};

static int compare_samples(const void *a, const void *b)
{
	const struct shift_sample *x = a, *y = b;

	if (x->v[0] != y->v[0])
		return x->v[0] < y->v[0] ? -1 : 1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

/* Samples of one CPU, sorted by time; if several have the same time, the first is kept. */
static void sort_samples(struct trace_file *file, struct shift_sample *samples, unsigned int nr,
			 struct trace_time_shift *shift)
{
	uint64_t *columns[4];
	unsigned int kept = 0;

	qsort(samples, nr, sizeof(*samples), compare_samples);
	for (int c = 0; c < 4; c++)
		columns[c] = arena_alloc(&file->arena, nr * sizeof(uint64_t));
	for (unsigned int i = 0; i < nr; i++) {
		if (kept && columns[0][kept - 1] == samples[i].v[0])
			continue;
		for (int c = 0; c < 4; c++)
			columns[c][kept] = samples[i].v[c];
		kept++;
	}
	shift->nr = kept;
	shift->times = columns[0];
	shift->offsets = (const int64_t *)columns[1];
	shift->scaling = columns[2];
	shift->fraction = columns[3];
}

static bool read_samples(struct byte_reader *r, struct shift_sample **samples, unsigned int *nr)
{
	uint32_t n = byte_reader_u32(r);

	if (r->failed || n > byte_reader_left(r) / 24 || n > MAX_SHIFT_SAMPLES)
		return false;
	*samples = mem_array(n, sizeof(**samples));
	*nr = n;
	for (int c = 0; c < 3; c++)
		for (uint32_t i = 0; i < n; i++) {
			(*samples)[i].v[c] = byte_reader_u64(r);
			(*samples)[i].nr = i;
		}
	return true;
}

static void take_time_shift(struct trace_file *file, struct option *option)
{
	struct byte_reader *r = &option->r;
	struct shift_sample **samples;
	unsigned int *counts;
	uint32_t flags, nr, got = 0;

	file->base.shift_peer = byte_reader_u64(r);
	flags = byte_reader_u32(r);
	nr = byte_reader_u32(r);
	if (r->failed || nr > byte_reader_left(r) / 4 || nr > TRACE_MAX_CPUS) {
		bad_option(file, option, "time shift of more CPUs than it has room for");
		return;
	}
	samples = mem_array(nr, sizeof(*samples));
	counts = mem_array(nr, sizeof(*counts));
	while (got < nr && read_samples(r, &samples[got], &counts[got]))
		got++;
	if (got < nr)
		bad_option(file, option, "time shift ends early");
	/* Old files end here: they have no fraction bits, which means zeros. */
	for (uint32_t cpu = 0; got == nr && cpu < nr && byte_reader_left(r); cpu++)
		for (unsigned int i = 0; i < counts[cpu]; i++)
			samples[cpu][i].v[3] = byte_reader_u64(r);
	file->base.shift_interpolates = flags & 1;
	file->base.shifts = arena_alloc(&file->arena, got * sizeof(*file->base.shifts));
	file->base.nr_shifts = got;
	for (uint32_t cpu = 0; cpu < got; cpu++)
		sort_samples(file, samples[cpu], counts[cpu], &file->base.shifts[cpu]);
	for (uint32_t cpu = 0; cpu < got; cpu++)
		free(samples[cpu]);
	free(samples);
	free(counts);
}

static void take_cpu_count(struct trace_file *file, struct option *option)
{
	uint32_t nr = byte_reader_u32(&option->r);
	unsigned int nr_options = file->nr_options;

	if (option->r.failed || nr > TRACE_MAX_CPUS) {
		bad_option(file, option, "number of CPUs is missing or too large");
		return;
	}
	if ((int)nr > file->max_cpus)
		file->max_cpus = (int)nr;
	/* In v6, CPUCOUNT right after a BUFFER option is the count of that buffer. */
	if (file->base.info.version == 6 && nr_options > 1 &&
	    file->options[nr_options - 2].id == TRACE_OPTION_BUFFER) {
		file->drafts[file->last_draft].option_cpus = nr;
		return;
	}
	file->base.info.cpu_count = (int)nr;
}

static void take_tsc2nsec(struct trace_file *file, struct option *option)
{
	struct source_info *info = &file->base.info;

	info->tsc_mult = byte_reader_u32(&option->r);
	info->tsc_shift = byte_reader_u32(&option->r);
	info->tsc_offset = byte_reader_u64(&option->r);
	info->has_tsc2nsec = !option->r.failed && info->tsc_shift < 64;
	if (!info->has_tsc2nsec)
		bad_option(file, option, "no multiplier, shift below 64 and offset");
}

static void take_section(struct trace_file *file, struct option *option)
{
	enum metadata_kind kind = trace_file_metadata_kind(option->raw->id);
	uint64_t offset = byte_reader_u64(&option->r);
	struct ft_error err = { 0 };
	struct section section;

	if (option->r.failed || file->base.info.version != 7) {
		bad_option(file, option, "no offset of a section");
		return;
	}
	if (trace_file_section(file, offset, &section, &err)) {
		source_add_warning(&file->base, err.offset, "%s", err.message);
		file->damaged = true;
	} else if (section.id != option->raw->id) {
		source_add_warning(&file->base, (int64_t)offset,
				   "section %u should be here, but %u is", option->raw->id,
				   section.id);
		file->damaged = true;
	} else {
		trace_file_set_metadata(file, kind, &section);
	}
}

static void take_date(struct trace_file *file, struct option *option)
{
	file->base.info.date_us = (int64_t)((uint64_t)file->base.info.date_us +
					    (uint64_t)number_option(file, option));
	file->base.info.has_date = true;
}

static void take_offset(struct trace_file *file, struct option *option)
{
	file->base.info.offset_ns = (int64_t)((uint64_t)file->base.info.offset_ns +
					      (uint64_t)number_option(file, option));
	file->base.info.has_offset = true;
}

static void take_clock(struct trace_file *file, struct option *option)
{
	file->base.info.clock_text = string_option(file, option);
	file->base.info.has_trace_clock = true;
}

static void take_uname(struct trace_file *file, struct option *option)
{
	file->base.info.uname = string_option(file, option);
}

static void take_version(struct trace_file *file, struct option *option)
{
	file->base.info.writer = string_option(file, option);
}

static void take_trace_id(struct trace_file *file, struct option *option)
{
	file->base.info.trace_id = byte_reader_u64(&option->r);
	file->base.info.has_trace_id = !option->r.failed;
}

static void take_guest(struct trace_file *file, struct option *option)
{
	struct byte_reader *r = &option->r;
	const char *name = byte_reader_string(r);
	uint64_t id = byte_reader_u64(r);
	uint32_t nr = byte_reader_u32(r);
	struct source_vcpu *vcpus;

	if (r->failed || nr > byte_reader_left(r) / 8 || nr > TRACE_MAX_CPUS) {
		bad_option(file, option, "guest with more CPUs than it has room for");
		return;
	}
	vcpus = arena_alloc(&file->arena, nr * sizeof(*vcpus));
	for (uint32_t i = 0; i < nr; i++) {
		vcpus[i].cpu = byte_reader_u32(r);
		vcpus[i].pid = (int)byte_reader_u32(r);
	}
	mem_grow(&file->base.guests, file->base.nr_guests, &file->base.cap_guests);
	file->base.guests[file->base.nr_guests++] = (struct source_guest){
		.name = trace_file_arena_string(file, name, (uint32_t)strlen(name)),
		.trace_id = id, .nr = nr, .vcpus = vcpus,
	};
}

/* options without an entry are kept as bytes only */
static void (*const take[])(struct trace_file *file, struct option *option) = {
	[TRACE_OPTION_DATE]		= take_date,
	[TRACE_OPTION_BUFFER]		= take_buffer,
	[TRACE_OPTION_TRACECLOCK]	= take_clock,
	[TRACE_OPTION_UNAME]		= take_uname,
	[TRACE_OPTION_OFFSET]		= take_offset,
	[TRACE_OPTION_CPUCOUNT]		= take_cpu_count,
	[TRACE_OPTION_VERSION]		= take_version,
	[TRACE_OPTION_TRACEID]		= take_trace_id,
	[TRACE_OPTION_TIME_SHIFT]	= take_time_shift,
	[TRACE_OPTION_GUEST]		= take_guest,
	[TRACE_OPTION_TSC2NSEC]		= take_tsc2nsec,
	[TRACE_OPTION_HEADER_INFO]	= take_section,
	[TRACE_OPTION_FTRACE_EVENTS]	= take_section,
	[TRACE_OPTION_EVENT_FORMATS]	= take_section,
	[TRACE_OPTION_KALLSYMS]		= take_section,
	[TRACE_OPTION_PRINTK]		= take_section,
	[TRACE_OPTION_CMDLINES]		= take_section,
	[TRACE_OPTION_BUFFER_TEXT]	= take_buffer,
	[TRACE_OPTION_BTF_FILE]		= take_section,
	[TRACE_OPTION_MODULES_FILE]	= take_section,
};

static void add_option(struct trace_file *file, uint16_t id, uint32_t size, const uint8_t *data,
		       uint64_t offset)
{
	struct trace_file_option *raw;
	struct option option;

	mem_grow(&file->options, file->nr_options, &file->cap_options);
	raw = &file->options[file->nr_options++];
	raw->id = id;
	raw->size = size;
	raw->offset = offset;
	raw->data = data;
	option.raw = raw;
	byte_reader_init(&option.r, raw->data, size, offset, file->swap);
	if (id < sizeof(take) / sizeof(take[0]) && take[id])
		take[id](file, &option);
}

void trace_options_parse(struct trace_file *file, struct byte_reader *r,
			 struct option_source *source)
{
	while (!source->done && byte_reader_left(r)) {
		uint64_t where = byte_reader_offset(r);
		uint16_t id = byte_reader_u16(r);
		const uint8_t *data;
		uint64_t offset;
		uint32_t size;

		if (id == TRACE_OPTION_DONE && file->base.info.version == 6 && !r->failed) {
			source->done = true;	/* DONE is only a u16 here */
			break;
		}
		size = byte_reader_u32(r);
		offset = source->compressed ? source->offset : byte_reader_offset(r);
		data = byte_reader_bytes(r, size);
		if (!data) {
			source_add_warning(&file->base,
					   (int64_t)(source->compressed ? source->offset : where),
					   "option %u of %" PRIu32
					   " bytes does not fit where %" PRIu64 " are left",
					   id, size, (uint64_t)byte_reader_left(r));
			break;
		}
		if (id == TRACE_OPTION_DONE) {
			source->done = size >= 8;
			source->next = source->done ? load_u64(data, file->swap) : 0;
			break;
		}
		if (file->nr_options >= TRACE_MAX_OPTIONS) {
			source_add_warning(&file->base, (int64_t)offset, "more than %u options",
					   TRACE_MAX_OPTIONS);
			break;
		}
		add_option(file, id, size, data, offset);
	}
	if (!source->done)
		file->damaged = true;
}
