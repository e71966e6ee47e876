/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perfetto/perfetto_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/perfetto/perfetto_numbers.h"
#include "parsers/perfetto/perfetto_pass.h"

struct perfetto_source {
	struct spool_source base;
	struct perfetto_pass pass;
	struct text	 uname;
};

static const struct source_ops perfetto_ops;
static bool make_page(struct source_reader *reader, uint32_t place, struct page_maker *page);

/* Packets that have what could be shown, and is not. */
static const struct {
	unsigned int	 number;	/* of the packet's field */
	const char	*name;
} others[] = {
	{ 0, "of later versions" }, { 5, "of Chrome's old tracing" }, { 7, "sys_stats" },
	{ PACKET_PROCESS_STATS, "process_stats (memory)" }, { 37, "heap profiles" },
	{ 38, "battery" }, { 39, "android_log" }, { 40, "power_rails" }, { 52, "gpu_counter_event" },
	{ 53, "gpu_render_stage_event" }, { 54, "profiles" }, { 56, "heap graphs" },
	{ 57, "graphics_frame_event" }, { 66, "perf_sample" }, { 71, "gpu_mem_total_event" },
	{ 76, "frame_timeline_event" }, { 84, "statsd_atom" }, { 95, "etw_events" },
	{ 117, "generic_kernel_task_state_event" }, { 132, "journald_event" },
	{ 135, "stack_sample" },
};

bool perfetto_source_is_it(const uint8_t *head, size_t len)
{
	return perfetto_file_is_it(head, len);
}

static const struct perfetto_source *const_perfetto(const struct source *source)
{
	return (const struct perfetto_source *)source;
}

/* --- what is in it -------------------------------------------------------------------------- */

/* The names that ftrace has for these clocks. */
static const char *clock_name(const struct perfetto_pass *pass)
{
	static const char *const names[] = { [CLOCK_IS_REALTIME] = "realtime",
					     [CLOCK_IS_MONOTONIC] = "mono",
					     [CLOCK_IS_RAW] = "mono_raw",
					     [CLOCK_IS_BOOTTIME] = "boot" };

	return pass->primary < sizeof(names) / sizeof(names[0]) && names[pass->primary] ?
		       names[pass->primary] :
		       "";
}

static void add_info(struct perfetto_source *s)
{
	struct source_info *info = &s->base.base.info;
	struct perfetto_pass *pass = &s->pass;

	if (pass->release.len) {
		text_printf(&s->uname, "%s ? %s %s",
			    pass->sysname.len ? text_str(&pass->sysname) : "Linux",
			    text_str(&pass->release), text_str(&pass->machine));
		info->uname = text_str(&s->uname);
	}
	info->cpu_count = (int)pass->nr_cpus;
	if (pass->has_offset[CLOCK_IS_REALTIME]) {
		info->has_wall = true;
		info->wall_offset_ns = -pass->offsets[CLOCK_IS_REALTIME];
	}
}

static void add_buffers(struct source *base, const struct perfetto_pass *pass)
{
	static const char *const names[PERFETTO_BUFFERS] = { [PERFETTO_FTRACE] = "",
							     [PERFETTO_TRACKS] = "track_event" };

	base->buffers = mem_array(PERFETTO_BUFFERS, sizeof(*base->buffers));
	base->nr_buffers = pass->nr_tracks ? PERFETTO_BUFFERS : 1;
	for (unsigned int i = 0; i < base->nr_buffers; i++)
		base->buffers[i] = (struct source_buffer){ .name = names[i],
							   .clock = clock_name(pass) };
}

static void tell(const struct source *source, uint64_t nr, const char *what)
{
	if (nr)
		source_add_warning(source, -1, "%" PRIu64 " %s", nr, what);
}

static void tell_others(const struct source *source, const struct perfetto_pass *pass)
{
	struct text list = { 0 };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (pass->kinds[others[i].number])
			text_printf(&list, "%s%" PRIu64 " %s", list.len ? ", " : "",
				    pass->kinds[others[i].number], others[i].name);
	if (list.len)
		source_add_warning(source, -1, "packets that are not shown: %s", text_str(&list));
	text_fini(&list);
}

static void add_warnings(const struct source *source, const struct perfetto_pass *pass)
{
	uint64_t lost = pass->lost[1] > pass->lost[0] ? pass->lost[1] - pass->lost[0] : 0;

	if (pass->damaged)
		source_add_warning(source, (int64_t)pass->damaged_at,
				   "%" PRIu64 " packets are damaged, the first one here: what "
				   "could be read of them is shown",
				   pass->damaged);
	if (pass->unknown_events)
		source_add_warning(source, -1,
				   "%" PRIu64 " events are of kinds that are not described, such "
				   "as number %u: they are left out",
				   pass->unknown_events, pass->unknown_number);
	tell(source, lost, "events were lost, by the kernel's count for all CPUs");
	tell(source, pass->switches,
	     "compact switches are left out: what ran before them is not in the trace");
	tell(source, pass->packed, "compressed packets cannot be unpacked");
	tell(source, pass->without_clock, "times are of clocks that no snapshot has");
	tell(source, pass->without_name, "track events have names that the trace does not tell");
	tell(source, pass->without_track, "tracks have events before the trace tells of them");
	tell(source, pass->unsupported, "track events are left out: they are of other types");
	tell_others(source, pass);
}

struct source *perfetto_source_open(const struct source_start *start, struct ft_error *err)
{
	struct perfetto_source *s = source_new(sizeof(*s), &perfetto_ops, start);
	struct source *base = &s->base.base;
	struct perfetto_file file;
	int ret;

	s->base.make = make_page;
	s->pass.spool = &s->base;
	perfetto_file_init(&file, start->fd, start->size);
	ret = spool_begin(&s->base, SPOOL_MEMORY, err) ||
	      perfetto_pass_run(&s->pass, &file, start->progress, err);
	perfetto_file_fini(&file);
	if (ret) {
		source_close(base);
		return NULL;
	}
	add_info(s);
	add_buffers(base, &s->pass);
	spool_end(&s->base);
	perfetto_types_place(&s->pass.types, source_release(base));
	add_warnings(base, &s->pass);
	return base;
}

static bool make_page(struct source_reader *reader, uint32_t place, struct page_maker *page)
{
	const struct perfetto_pass *pass = &const_perfetto(reader->source)->pass;

	return perfetto_page_make((struct perfetto_reader *)reader, &pass->types,
				  &pass->places[place], page);
}

static void fini(struct source *source)
{
	struct perfetto_source *s = (struct perfetto_source *)source;

	spool_fini(&s->base);
	perfetto_pass_fini(&s->pass);
	text_fini(&s->uname);
}

/* --- texts ---------------------------------------------------------------------------------- */

static void add_kallsyms(const struct perfetto_names *functions, struct text *out)
{
	for (uint32_t i = 0; i < functions->nr; i++)
		text_printf(out, "%" PRIx64 " T %s\n", functions->names[i].iid,
			    functions->names[i].s);
}

static void find_text(const struct source *source, enum trace_text kind,
		      struct source_text_slot *slot)
{
	const struct perfetto_source *s = const_perfetto(source);
	struct text t = { 0 };

	if (kind == TRACE_TEXT_KALLSYMS)
		add_kallsyms(&s->pass.functions, &t);
	else if (kind == TRACE_TEXT_CMDLINES)
		perfetto_tasks_comms(&s->pass.tasks, &t);
	else if (kind == TRACE_TEXT_TGIDS)
		perfetto_tasks_tgids(&s->pass.tasks, &t);
	else if (kind == TRACE_TEXT_PRIVATE)
		source_add_private(source, &t);
	source_text_take(slot, &t);
}

static void add_formats(const struct source *source, struct source_formats *formats)
{
	perfetto_types_formats(&const_perfetto(source)->pass.types, formats);
}

static const struct source_ops perfetto_ops = {
	.form = "Perfetto",
	.stream_bytes = spool_stream_bytes,
	.read = spool_read,
	.formats = add_formats,
	.text = find_text,
	.sum = spool_sum,
	.reader_bytes = sizeof(struct perfetto_reader),
	.reader_fini = perfetto_reader_fini,
	.fini = fini,
};
