/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perfetto/perfetto_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/io/input.h"
#include "parsers/perfetto/perfetto_numbers.h"
#include "parsers/perfetto/perfetto_pass.h"

#define STEP_BYTES	(4u << 20)	/* read before other work gets its turn */
#define TAIL_BYTES	(1u << 20)	/* at the end of a long file: the last time is in them */
#define MOST_LOOKS	8192u		/* at packets after the head */
#define LONG_FILE	4u		/* times the bytes of the head: it is read first */

struct perfetto_source {
	struct spool_source base;
	struct perfetto_file file;
	struct perfetto_pass pass;
	struct text	 uname;
	/* of a head */
	struct perfetto_source *all;	/* owned: all of the file, which is being read */
	atomic_uint_least64_t looked_at;	/* bytes of it */
	struct ft_error	 err;		/* why it cannot be read */
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

static void note(const struct source *source, uint64_t nr, const char *what)
{
	if (nr)
		source_add_note(source, "%s: %" PRIu64, what, nr);
}

static void note_others(const struct source *source, const struct perfetto_pass *pass)
{
	struct text list = { 0 };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (pass->kinds[others[i].number])
			text_printf(&list, "%s%s %" PRIu64, list.len ? ", " : "", others[i].name,
				    pass->kinds[others[i].number]);
	if (list.len)
		source_add_note(source, "packets that are not shown: %s", text_str(&list));
	text_fini(&list);
}

static void add_warnings(const struct source *source, const struct perfetto_pass *pass)
{
	uint64_t lost = pass->lost[1] > pass->lost[0] ? pass->lost[1] - pass->lost[0] : 0;

	if (pass->damaged)
		source_add_warning(source, (int64_t)pass->damaged_at,
				   "damaged packets, the first one here: %" PRIu64
				   "; what could be read of them is shown",
				   pass->damaged);
	if (pass->newer_events)
		source_add_note(source,
				"left out: %" PRIu64 " event%s of kinds newer than this program",
				pass->newer_events, PLURAL(pass->newer_events));
	note(source, pass->undescribed_events,
	     "events left out, whose kinds the trace does not describe");
	note(source, lost, "lost events, by the kernel's count for all CPUs");
	note(source, pass->switches,
	     "compact switches that do not name the previous task (pid -1)");
	if (pass->packed)
		source_add_warning(source, -1,
				   "compressed packets that cannot be unpacked: %" PRIu64,
				   pass->packed);
	note(source, pass->without_clock, "times of clocks that no snapshot has");
	note(source, pass->without_name, "track events whose names the trace does not tell");
	note(source, pass->without_track, "tracks with events that the trace does not tell of");
	note(source, pass->unsupported, "track events left out, which are of other types");
	note_others(source, pass);
}

static struct perfetto_source *begin(const struct source_start *start, struct ft_error *err)
{
	struct perfetto_source *s = source_new(sizeof(*s), &perfetto_ops, start);

	s->base.make = make_page;
	perfetto_file_init(&s->file, start->fd, start->size);
	perfetto_pass_begin(&s->pass, &s->base);
	if (!spool_begin(&s->base, SPOOL_MEMORY, err))
		return s;
	source_close(&s->base.base);
	return NULL;
}

/* All packets are read that are to be. */
static void end(struct perfetto_source *s)
{
	struct source *base = &s->base.base;

	perfetto_file_fini(&s->file);
	perfetto_tracks_end(&s->pass);
	add_info(s);
	add_buffers(base, &s->pass);
	spool_end(&s->base);
	perfetto_types_place(&s->pass.types, source_release(base));
	if (!s->all)			/* the progress of a head is that of the whole file */
		add_warnings(base, &s->pass);
}

static int read_all(struct perfetto_source *s, const struct open_progress *progress,
		    struct ft_error *err)
{
	int ret;

	while ((ret = perfetto_pass_step(&s->pass, &s->file, STEP_BYTES, err)) == 1)
		open_progress_tell(progress, s->base.base.path, s->file.pos, s->file.end);
	if (!ret && s->file.end > STEP_BYTES)
		open_progress_tell(progress, s->base.base.path, s->file.end, s->file.end);
	return ret;
}

/* Another source of the same file. */
static struct perfetto_source *begin_again(const struct source_start *start, struct ft_error *err)
{
	struct source_start again = *start;

	again.fd = fcntl(start->fd, F_DUPFD_CLOEXEC, 0);
	if (again.fd >= 0)
		return begin(&again, err);
	ft_error_errno(err, errno, -1, "cannot open");
	return NULL;
}

/* The highest stamp at the end of the file; 0: there is none. */
static uint64_t find_tail(const struct perfetto_source *head, const struct source_start *start)
{
	struct ft_error err = { 0 };
	struct perfetto_source *s = begin_again(start, &err);
	const struct type_count *counts;
	struct page_sum sum;
	uint64_t tail = 0;

	if (!s)
		return 0;
	s->pass.primary = head->pass.primary;
	memcpy(s->pass.offsets, head->pass.offsets, sizeof(s->pass.offsets));
	memcpy(s->pass.has_offset, head->pass.has_offset, sizeof(s->pass.has_offset));
	perfetto_file_seek(&s->file, start->size - TAIL_BYTES);
	read_all(s, NULL, &err);
	end(s);
	for (unsigned int i = 0; i < source_nr_streams(&s->base.base); i++)
		if (spool_sum(&s->base.base, i, source_stream_pages(&s->base.base, i) - 1, &sum,
			      &counts) &&
		    sum.last > tail)
			tail = sum.last;
	source_close(&s->base.base);
	return tail;
}

/* The CPU of a bundle whose packet begins so; UINT64_MAX: it is none. */
static uint64_t cpu_of(struct proto_reader r)
{
	uint64_t tag, value;

	while (proto_take(&r, &tag) && proto_take(&r, &value))
		if (tag == (PACKET_FTRACE_EVENTS << 3 | PROTO_BYTES)) {
			bool has_cpu = r.at < r.end && *r.at++ == BUNDLE_CPU << 3;

			return has_cpu && proto_take(&r, &value) ? value : 0;
		} else if ((tag & 7) != PROTO_VARINT) {
			if ((tag & 7) != PROTO_BYTES || value > (uint64_t)(r.end - r.at))
				break;
			r.at += value;
		}
	return UINT64_MAX;
}

/* A file may have all of one CPU before the next one: take the first bundle of each. */
static int read_other_cpus(struct perfetto_source *s, struct ft_error *err)
{
	struct perfetto_pass *pass = &s->pass;
	uint8_t bytes[PERFETTO_LOOK];
	struct proto_reader packet;
	uint64_t end, cpu;

	for (unsigned int i = 0; i < MOST_LOOKS; i++) {
		if (!perfetto_file_look(&s->file, bytes, &packet, &end))
			break;
		cpu = cpu_of(packet);
		if (cpu < SPOOL_MAX_CPUS && (cpu >= pass->nr_has_rows || !pass->has_rows[cpu]) &&
		    perfetto_pass_step(pass, &s->file, 1, err) < 0)
			return -1;
		perfetto_file_go(&s->file, end);
	}
	return 0;
}

/* Only the first packets, and what reads all of them later. */
static struct perfetto_source *open_head(const struct source_start *start, struct ft_error *err)
{
	struct perfetto_source *all = begin_again(start, err), *s = all ? begin(start, err) : NULL;

	if (!s) {
		source_close(all ? &all->base.base : NULL);
		return NULL;
	}
	s->all = all;
	if (perfetto_pass_step(&s->pass, &s->file, start->head_bytes, err) < 0 ||
	    read_other_cpus(s, err)) {
		source_close(&s->base.base);
		return NULL;
	}
	s->base.base.info.head = start->head_bytes;
	s->base.base.info.tail_ts = find_tail(s, start);
	return s;
}

struct source *perfetto_source_open(const struct source_start *start, struct ft_error *err)
{
	bool is_head = start->head_bytes && start->size / LONG_FILE >= start->head_bytes &&
		       start->size > TAIL_BYTES;
	struct perfetto_source *s = is_head ? open_head(start, err) : begin(start, err);

	if (!s)
		return NULL;
	if (!is_head && read_all(s, start->progress, err)) {
		source_close(&s->base.base);
		return NULL;
	}
	end(s);
	return &s->base.base;
}

/* --- the rest of a long file ---------------------------------------------------------------- */

static int read_rest(struct source *source)
{
	struct perfetto_source *s = (struct perfetto_source *)source, *all = s->all;
	int ret;

	if (!all)			/* a pipe that began like a text */
		return 0;
	ret = perfetto_pass_step(&all->pass, &all->file, STEP_BYTES, &s->err);
	atomic_store(&s->looked_at, all->file.pos);
	if (!ret)
		end(all);
	return ret;
}

static unsigned int permille(const struct source *source)
{
	const struct perfetto_source *s = const_perfetto(source);
	uint64_t done = atomic_load(&s->looked_at), size = source->info.size;

	done = done > source->info.head ? done : source->info.head;
	return (unsigned int)((done < size ? done : size) * 1000 / (size + 1));
}

static struct source *open_again(struct source *former, struct ft_error *err)
{
	struct perfetto_source *s = (struct perfetto_source *)former, *all = s->all;
	struct source_start whole = { .path = former->path, .fd = former->fd };

	if (s->err.code) {
		*err = s->err;
		return NULL;
	}
	if (all) {
		s->all = NULL;
		return &all->base.base;
	}
	whole.size = input_size(former->path, former->info.size, NULL);
	all = begin_again(&whole, err);
	if (!all || read_all(all, NULL, err)) {
		source_close(all ? &all->base.base : NULL);
		return NULL;
	}
	end(all);
	return &all->base.base;
}

/* --- pages ---------------------------------------------------------------------------------- */

static bool make_page(struct source_reader *reader, uint32_t place, struct page_maker *page)
{
	const struct perfetto_pass *pass = &const_perfetto(reader->source)->pass;

	return perfetto_page_make((struct perfetto_reader *)reader, &pass->types,
				  &pass->places[place], page);
}

static void fini(struct source *source)
{
	struct perfetto_source *s = (struct perfetto_source *)source;

	if (s->all)
		source_close(&s->all->base.base);
	perfetto_file_fini(&s->file);
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

static void add_private(const struct perfetto_source *s, struct text *out)
{
	const struct text *who = &s->pass.tasks.who;

	source_add_private(&s->base.base, out);
	if (who->len) {
		text_printf(out, "tasks %zu\n", who->len);
		text_bytes(out, who->data, who->len);
	}
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
	else if (kind == TRACE_TEXT_WHO)
		text_bytes(&t, text_str(&s->pass.tasks.who), s->pass.tasks.who.len);
	else if (kind == TRACE_TEXT_PRIVATE)
		add_private(s, &t);
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
	.read_rest = read_rest,
	.permille = permille,
	.open_again = open_again,
	.fini = fini,
};
