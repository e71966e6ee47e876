/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * info - the metadata of a trace.dat: the container, its options and buffers, what its CPUs hold,
 * the event types that occur, and what is damaged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/file/trace_file.h"
#include "parsers/source/source.h"
#include "parsers/io/archive.h"
#include "parsers/lines/line_file.h"
#include "parsers/lines/line_source.h"
#include "parsers/printer/printer.h"
#include "parsers/types/event_types.h"
#include "src/base/json_out.h"
#include "src/base/memory.h"
#include "src/base/text.h"
#include "src/commands/command_open.h"
#include "src/commands/commands.h"
#include "src/commands/info_who.h"
#include "src/hist/hist.h"
#include "src/match/filter_option.h"
#include "src/sandbox/confine.h"
#include "src/sched/sched_pass.h"
#include "src/trace/trace.h"
#include "src/trace/trace_hits.h"
#include "src/trace/trace_latency.h"

#define WHOLE_FILE \
	"it describes the whole file; ftop-trace fields -F counts matching events by type, " \
	"report -F --count counts them all"

const struct command_def cmd_info_def = {
	.name = "info",
	.operands = "[FILE...]",
	.summary = "summary of a trace file",
	.details = "The whole trace is read once to count its events. In a text, a leaf call counts\n"
		   "as two events, as in the kernel. Damage is listed with its offset in the file. The\n"
		   "exit status is still 0 if the rest of the file can be read.",
	.examples = "Which traces of a folder lost events:\n"
		    "  ftop-trace info --format=json *.dat | jq 'select(.lost_events!=0).file'",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		WINDOW_OPTIONS_REFUSED(WHOLE_FILE),
		PART_OPTIONS_REFUSED(WHOLE_FILE),
		ROWS_OPTIONS_REFUSED(WHOLE_FILE),
		{ "format", 0, "text|csv|json", FILTER_OPTION_FORMAT, "csv: key,value; json: one object" },
		ASCII_OPTION,
		FILE_OPTIONS,
		OPTION_END,
	},
};

struct info {
	const struct command_file	*of;
	struct trace			*trace;
	const struct source		*file;
	const struct source_info	*head;
	struct trace_status		 status;
	uint64_t			 events;
	uint64_t			 missing_switches;	/* at least */
	struct text			 absent;	/* sched_pass_absent() */
	struct trace_type_count		*types;		/* owned, most frequent first */
	unsigned int			 nr_types;
	struct confine			 sandbox;	/* what this kernel supports */
	bool				 has_span;
	int64_t				 first, last;
	struct trace_latency		 latency;	/* header NULL: none */
	struct info_who			 who;
	struct filter_given		 given;		/* format, ascii */
	struct text			 out;
};

static const char *type_system(const struct trace_type_count *count)
{
	return count->type ? count->type->system : "";
}

static const char *type_name(const struct trace_type_count *count)
{
	return count->type ? count->type->name : "?";
}

/* --- text ------------------------------------------------------------------ */

static void row(struct info *info, const char *key)
{
	text_printf(&info->out, "%-16s", key);
}

static void printable(struct info *info, const char *s)
{
	text_printable(&info->out, s, strlen(s));
}

static void quote(struct info *info, const char *key, const char *text)
{
	row(info, key);
	printable(info, text);
	text_char(&info->out, '\n');
}

static void count(struct info *info, const char *key, uint64_t nr)
{
	row(info, key);
	text_count(&info->out, nr);
}

static void add_buffer_name(struct info *info, const char *name)
{
	printable(info, *name ? name : "(top)");
}

static void add_slice(struct info *info, const char *before, struct text_slice s)
{
	if (!s.len)
		return;
	text_add(&info->out, before);
	text_printable(&info->out, s.s, s.len);
}

static const char *what_is_missing(const struct line_file_info *lines)
{
	if (lines->is_bare)
		return lines->is_untimed ? " events have no task, CPU and time" :
					   " events have no task and CPU";
	if (lines->is_perf)
		return " events have no CPU: 0 is shown";
	return lines->without_task ? " events have no CPU and task: they may be wrong, those of "
				     "the last switch above are shown" :
				     " events have no CPU: it may be wrong, that of the task's "
				     "last switch above is shown";
}

static void add_text_format(struct info *info)
{
	const struct line_file *lines = line_source_file(info->file);
	struct text *out = &info->out;

	text_add(out, info->head->form);
	if (lines && line_file_info(lines)->header.tracer.len)
		add_slice(info, " of the tracer ", line_file_info(lines)->header.tracer);
	if (lines) {
		text_add(out, "; ");
		text_counted(out, line_file_info(lines)->unknown, "line");
		text_add(out, " not understood");
	}
	if (lines && line_file_info(lines)->without_cpu) {
		text_add(out, "; ");
		text_count(out, line_file_info(lines)->without_cpu);
		text_add(out, what_is_missing(line_file_info(lines)));
	}
	text_char(out, '\n');
}

static void add_container_format(struct info *info)
{
	const struct source_info *head = info->head;
	struct text *out = &info->out;

	text_printf(out, "%s version %d, %s endian, long %d bytes", head->form, head->version,
		    head->big_endian ? "big" : "little", head->user_long_size);
	text_add(out, ", compression ");
	printable(info, head->compression);
	if (*head->compression_version) {
		text_char(out, ' ');
		printable(info, head->compression_version);
	}
	text_char(out, '\n');
}

static void add_container(struct info *info)
{
	const struct source_info *head = info->head;
	struct text *out = &info->out;

	row(info, "file");
	printable(info, trace_path(info->trace, 0));
	text_add(out, ", ");
	text_count(out, head->size);
	text_add(out,
		 archive_is_at(trace_path(info->trace, 0)) ? " bytes when unpacked\n" : " bytes\n");
	row(info, "format");
	if (head->version)
		add_container_format(info);
	else
		add_text_format(info);
	if (*head->uname)
		quote(info, "kernel", head->uname);
	if (*head->writer)
		quote(info, "written by", head->writer);
	if (*head->left_out)
		quote(info, "left out", head->left_out);
}

static void add_extracted(struct info *info)
{
	if (!*info->head->extracted)
		return;
	row(info, "extracted");
	printable(info, info->head->extracted);
	text_char(&info->out, '\n');
}

static void add_throttled(void *arg, const struct who_cgroup *cgroup)
{
	struct info *info = arg;
	struct text line = { 0 };

	info_who_throttled(cgroup, &line);
	if (line.len)
		quote(info, "throttled", text_str(&line));
	text_fini(&line);
}

static void add_who(struct info *info)
{
	struct text machine = { 0 };
	bool children;

	info_who_machine(trace_machine(info->trace, 0), &machine);
	if (machine.len)
		quote(info, "machine", text_str(&machine));
	text_clear(&machine);
	if (trace_stolen_text(info->trace, 0, &machine))
		quote(info, "stolen time", text_str(&machine));
	text_fini(&machine);
	if (trace_has_only(info->trace, 0, &children))
		quote(info, "recorded",
		      children ? "some tasks and those that they made" : "some tasks only");
	if (!info->who.processes && !info->who.cgroups)
		return;
	row(info, "known tasks");
	text_count(&info->out, info->who.processes);
	text_add(&info->out, info->who.processes == 1 ? " process" : " processes");
	if (info->who.cgroups) {
		text_add(&info->out, " in ");
		text_counted(&info->out, info->who.cgroups, "cgroup");
	}
	text_char(&info->out, '\n');
	trace_cgroups(info->trace, 0, add_throttled, info);
}

/* What `cut` kept of the recording, a line for each time. */
static void add_cuts(struct info *info)
{
	const char *line = info->head->cuts;

	for (size_t len = strcspn(line, "\n"); len; len = strcspn(line, "\n")) {
		row(info, line == info->head->cuts ? "cut" : "");
		text_add(&info->out, "only ");
		text_printable(&info->out, line, len);
		text_add(&info->out, " is left of the recording\n");
		line += len + (line[len] == '\n');
	}
}

/* Why `record --until` stopped, a line for each hit. */
static void add_hits(struct info *info)
{
	const char *at = NULL;
	struct trace_hit hit;

	for (bool first = true; trace_hit_next(info->trace, 0, &at, &hit); first = false) {
		row(info, first ? "stopped by" : "");
		text_printable(&info->out, hit.condition, hit.condition_len);
		text_add(&info->out, " at ");
		trace_time_text(info->trace, hit.from, 9, &info->out);
		text_add(&info->out, ": ");
		text_printable(&info->out, hit.words, hit.words_len);
		text_char(&info->out, '\n');
	}
}

/* Those that the kernel counted, a line for each table. */
static void add_histograms(struct info *info)
{
	struct hist_list list = { 0 };
	struct text text = { 0 };

	if (trace_histograms(info->trace, 0, &text))
		hist_list_read(&list, &text, 0, 0);
	for (unsigned int i = 0; i < list.nr; i++) {
		row(info, i ? "" : "histograms");
		printable(info, list.list[i].of);
		text_add(&info->out, *list.list[i].of ? ": " : "");
		hist_totals(&list.list[i], &info->out);
		text_add(&info->out, "; ");
		printable(info, list.list[i].trigger);
		text_char(&info->out, '\n');
	}
	hist_list_fini(&list);
	text_fini(&text);
}

static void add_notes(struct info *info)
{
	unsigned int nr = source_nr_warnings(info->file);

	for (unsigned int i = 0; i < nr; i++) {
		struct ft_error note = source_warning(info->file, i);
		char line[512];

		quote(info, i ? "" : "problems", ft_error_text(&note, NULL, line, sizeof(line)));
	}
}

static void add_clock(struct info *info)
{
	const struct source_info *head = info->head;
	struct text *out = &info->out;

	row(info, "clock");
	if (trace_is_untimed(info->trace, -1)) {
		text_add(out, "none: the text has no times; rows are placed by the durations of "
			      "calls, as if nothing else took time\n");
		return;
	}
	printable(info, *trace_clock(info->trace) ? trace_clock(info->trace) : "unknown");
	text_add(out, trace_unit(info->trace) == TRACE_UNIT_NS ? " (ns)" : " (raw counts)");
	if (head->has_date)
		text_printf(out, ", date +%" PRId64 " us", head->date_us);
	if (head->has_wall)
		text_printf(out, ", wall time %+" PRId64 " ns (to %" PRIu64 " ns)",
			    head->wall_offset_ns, head->wall_within_ns);
	if (head->has_offset)
		text_printf(out, ", offset %+" PRId64 " ns", head->offset_ns);
	if (head->has_tsc2nsec)
		text_printf(out, ", tsc2nsec mult %" PRIu32 " shift %" PRIu32, head->tsc_mult,
			    head->tsc_shift);
	if (source_time_shift(info->file, 0, NULL, NULL))
		text_add(out, ", shifted to its host's clock");
	text_char(out, '\n');
	if (head->has_trace_id) {
		row(info, "trace id");
		text_printf(out, "0x%" PRIx64 "\n", head->trace_id);
	}
}

/* Which tasks of this host ran the CPUs of a guest. */
static void add_guests(struct info *info)
{
	const struct source_guest *guest;
	struct text *out = &info->out;

	for (unsigned int i = 0; (guest = source_guest(info->file, i)); i++) {
		row(info, i ? "" : "guests");
		printable(info, guest->name);
		text_printf(out, ", trace id 0x%" PRIx64 ", vCPUs:", guest->trace_id);
		for (unsigned int k = 0; k < guest->nr; k++)
			text_printf(out, "%s %" PRIu32 " is task %d", k ? "," : "",
				    guest->vcpus[k].cpu, guest->vcpus[k].pid);
		text_char(out, '\n');
	}
}

static void add_span(struct info *info)
{
	int decimals = trace_resolution(info->trace) > 1 ? 6 : 9;
	struct text *out = &info->out;

	row(info, "span");
	if (!info->has_span) {
		text_add(out, "no events\n");
		return;
	}
	if (trace_unit(info->trace) != TRACE_UNIT_NS) {
		text_printf(out, "%" PRId64 " to %" PRId64 "\n", info->first, info->last);
		return;
	}
	text_seconds(out, info->first, decimals);
	text_add(out, " to ");
	text_seconds(out, info->last, decimals);
	text_add(out, ", ");
	text_seconds(out, info->last - info->first, decimals);
	text_add(out, " s\n");
}

static void add_counts(struct info *info)
{
	const struct trace_status *status = &info->status;
	struct text *out = &info->out;

	row(info, "CPUs");
	text_printf(out, "%d\n", info->head->cpu_count);
	count(info, "events", info->events);
	text_char(out, '\n');
	count(info, "lost events", status->lost_events);
	if (status->lost_unknown) {
		text_add(out, ", and ");
		text_count(out, status->lost_unknown);
		text_add(out, " gaps of unknown size");
		text_add(out,
			 trace_is_thinned(info->trace, 0) ? ", of events cut out or lost" : "");
	}
	if (status->lost_perhaps)
		text_add(out, " or more: some losses of the recording may lie in this part");
	text_add(out, source_is_damaged(info->file) ? " in the parts that were found\n" : "\n");
	if (info->missing_switches) {
		count(info, "missing", info->missing_switches);
		text_printf(out, " switches or more, %s\n", trace_missing_words(info->trace, 0));
	}
	if (info->absent.len) {
		row(info, "not recorded");
		text_add(out, text_str(&info->absent));
		text_add(out, ": no event is lost there\n");
	}
	count(info, "damaged pages", status->damaged_pages);
	text_add(out, source_is_damaged(info->file) ?
			      " in the parts that were found; see the problems above\n" :
			      "\n");
}

static unsigned int nr_with_data(const struct info *info, unsigned int buffer)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < trace_nr_streams(info->trace); i++) {
		struct trace_stream_info s = trace_stream_info(info->trace, i);

		nr += s.buffer == buffer && s.pages;
	}
	return nr;
}

static void add_buffers(struct info *info)
{
	struct text *out = &info->out;

	for (unsigned int i = 0; i < source_nr_buffers(info->file); i++) {
		const struct source_buffer *buffer = source_buffer(info->file, i);

		row(info, i ? "" : "buffers");
		add_buffer_name(info, buffer->name);
		if (source_info(info->file)->is_text) {
			text_add(out, buffer->is_text ? ": latency text\n" : ": lines\n");
			continue;
		}
		text_printf(out,
			    ": %u CPUs with data, sub-buffers of %" PRIu32
			    " bytes, kernel long %d bytes",
			    nr_with_data(info, i), buffer->layout.page_size,
			    buffer->layout.long_size);
		if (*buffer->clock) {
			text_add(out, ", clock ");
			printable(info, buffer->clock);
		}
		text_char(out, '\n');
	}
}

static void add_latency(struct info *info)
{
	const struct text_trace_header *h = info->latency.header;
	struct text *out = &info->out;

	if (!h)
		return;
	row(info, "latency");
	text_printf(out, "%" PRId64 " us on CPU %" PRId64, h->latency_ns / 1000, h->cpu);
	add_slice(info, ", tracer ", h->tracer);
	text_printf(out, "; %" PRId64 " of %" PRId64 " entries", h->shown, h->written);
	if (!trace_latency_is_whole(&info->latency))
		text_printf(out,
			    ", from %" PRId64 " us after its beginning to %" PRId64
			    " us before its end",
			    info->latency.before_ns / 1000, info->latency.after_ns / 1000);
	add_slice(info, "\n                started at ", h->started_at);
	add_slice(info, ", ended at ", h->ended_at);
	text_char(out, '\n');
	row(info, "task");
	add_slice(info, "", h->comm);
	text_printf(out,
		    "-%d, uid %" PRId64 ", nice %" PRId64 ", policy %s, priority %" PRId64 "\n",
		    h->pid, h->uid, h->nice, trace_latency_policy(h->policy), h->rt_prio);
	row(info, "kernel");
	add_slice(info, "", h->kernel);
	add_slice(info, ", model ", h->preemption);
	text_printf(out, ", %" PRId64 " CPUs online\n", h->nr_cpus);
}

static void add_streams(struct info *info)
{
	bool is_lines = source_info(info->file)->is_text;
	struct text *out = &info->out;

	text_add(out, "\n  CPU         events    lost events          bytes  buffer\n");
	for (unsigned int i = 0; i < trace_nr_streams(info->trace); i++) {
		struct trace_stream_info stream = trace_stream_info(info->trace, i);

		text_printf(out, "%5d %14" PRIu64 " %12" PRIu64 "%c%c %14" PRIu64 "  ", stream.cpu,
			    stream.events, stream.lost_events,
			    stream.lost_unknown || stream.lost_perhaps ? '+' : ' ', ' ',
			    is_lines ? 0 : source_stream_bytes(info->file, i));
		add_buffer_name(info, stream.buffer_name);
		text_char(out, '\n');
	}
}

static void add_types(struct info *info)
{
	struct text *out = &info->out;

	if (info->nr_types)
		text_add(out, "\n         events     id  event type\n");
	for (unsigned int i = 0; i < info->nr_types; i++) {
		const struct trace_type_count *count = &info->types[i];

		text_printf(out, "%15" PRIu64 " %6d  ", count->events, count->id);
		if (!count->type) {
			text_add(out, "unknown: the file has no valid format for this id\n");
			continue;
		}
		printable(info, type_system(count));
		text_char(out, '/');
		printable(info, type_name(count));
		text_char(out, '\n');
	}
}

static const char *option_name(int id)
{
	static const char *const names[] = {
		[TRACE_OPTION_DATE] = "DATE",
		[TRACE_OPTION_CPUSTAT] = "CPUSTAT",
		[TRACE_OPTION_BUFFER] = "BUFFER",
		[TRACE_OPTION_TRACECLOCK] = "TRACECLOCK",
		[TRACE_OPTION_UNAME] = "UNAME",
		[TRACE_OPTION_HOOK] = "HOOK",
		[TRACE_OPTION_OFFSET] = "OFFSET",
		[TRACE_OPTION_CPUCOUNT] = "CPUCOUNT",
		[TRACE_OPTION_VERSION] = "VERSION",
		[TRACE_OPTION_PROCMAPS] = "PROCMAPS",
		[TRACE_OPTION_TRACEID] = "TRACEID",
		[TRACE_OPTION_TIME_SHIFT] = "TIME_SHIFT",
		[TRACE_OPTION_GUEST] = "GUEST",
		[TRACE_OPTION_TSC2NSEC] = "TSC2NSEC",
		[TRACE_OPTION_HEADER_INFO] = "HEADER_INFO",
		[TRACE_OPTION_FTRACE_EVENTS] = "FTRACE_EVENTS",
		[TRACE_OPTION_EVENT_FORMATS] = "EVENT_FORMATS",
		[TRACE_OPTION_KALLSYMS] = "KALLSYMS",
		[TRACE_OPTION_PRINTK] = "PRINTK",
		[TRACE_OPTION_CMDLINES] = "CMDLINES",
		[TRACE_OPTION_BUFFER_TEXT] = "BUFFER_TEXT",
		[TRACE_OPTION_BTF_FILE] = "BTF_FILE",
		[TRACE_OPTION_LAST_BOOT_INFO] = "LAST_BOOT_INFO",
		[TRACE_OPTION_MODULES_FILE] = "MODULES_FILE",
	};

	if (id == TRACE_SECTION_PRIVATE)
		return "PRIVATE";
	return id >= 0 && id < (int)(sizeof(names) / sizeof(names[0])) && names[id] ? names[id] :
										      "unknown";
}

/* Options that are text are shown line by line. */
static bool is_text_option(int id)
{
	return id == TRACE_OPTION_CPUSTAT || id == TRACE_OPTION_TRACECLOCK ||
	       id == TRACE_OPTION_HOOK || id == TRACE_OPTION_DATE || id == TRACE_OPTION_OFFSET ||
	       id == TRACE_OPTION_VERSION || id == TRACE_OPTION_UNAME ||
	       id == TRACE_OPTION_PROCMAPS || id == TRACE_OPTION_LAST_BOOT_INFO;
}

static void add_option_text(struct info *info, const struct trace_file_option *option)
{
	const char *p = (const char *)option->data, *end = p + option->size;

	while (p < end && *p) {
		const char *newline = memchr(p, '\n', end - p);
		const char *nul = memchr(p, '\0', end - p);
		const char *stop = newline && (!nul || newline < nul) ? newline : nul ? nul : end;

		text_pad(&info->out, 24);
		text_printable(&info->out, p, stop - p);
		text_char(&info->out, '\n');
		p = stop < end && *stop == '\n' ? stop + 1 : end;
	}
}

static void add_options(struct info *info)
{
	unsigned int nr = trace_file_nr_options(info->file);

	if (nr)
		text_add(&info->out, "\nOptions of the file (number, bytes)\n");
	for (unsigned int i = 0; i < nr; i++) {
		const struct trace_file_option *option = trace_file_option(info->file, i);

		text_printf(&info->out, "  %-16s%3u %9" PRIu32 "\n", option_name(option->id),
			    option->id, option->size);
		if (is_text_option(option->id))
			add_option_text(info, option);
	}
}

static void add_plugins(struct info *info)
{
	struct printer *printer = trace_printer(info->trace, 0);
	const char *why = "libtraceevent could not be initialized";
	const char *dir = printer ? printer_plugins(printer, &why) : NULL;

	row(info, "plugins");
	if (dir)
		text_printf(&info->out, "%s\n", dir);
	else
		text_printf(&info->out, "none: %s\n", why);
}

static void add_sandbox(struct info *info)
{
	static const char missing[] = "not active: this kernel or machine does not have it";

	quote(info, "landlock", info->sandbox.files ? "active: no file can be written" : missing);
	quote(info, "seccomp", info->sandbox.calls ? "active: no program can be started" : missing);
}

static void info_text(struct info *info)
{
	add_container(info);
	add_who(info);
	add_extracted(info);
	add_cuts(info);
	add_hits(info);
	add_histograms(info);
	add_notes(info);
	add_clock(info);
	add_guests(info);
	add_span(info);
	add_counts(info);
	add_buffers(info);
	add_latency(info);
	add_plugins(info);
	add_sandbox(info);
	add_streams(info);
	add_types(info);
	add_options(info);
}

/* --- JSON and CSV: the names are released, and stay ---------------------------- */

/* A key and its value: in JSON a member, in CSV a line. */
/* The first columns of a line of CSV. */
static void add_key(struct info *info, const char *key)
{
	const char *file = command_file_name(info->of);

	if (file) {
		text_csv(&info->out, file, strlen(file));
		text_char(&info->out, ',');
	}
	text_printf(&info->out, "%s,", key);
}

static void put_string(struct info *info, const char *key, const char *value)
{
	if (info->given.format == FORMAT_JSON) {
		json_out_string(&info->out, key, value);
		return;
	}
	add_key(info, key);
	text_csv(&info->out, value, strlen(value));
	text_char(&info->out, '\n');
}

static void put_number(struct info *info, const char *key, uint64_t value)
{
	if (info->given.format == FORMAT_JSON) {
		json_out_u64(&info->out, key, value);
		return;
	}
	add_key(info, key);
	text_printf(&info->out, "%" PRIu64 "\n", value);
}

/* "first_ts_ns", or "first_ts" of a clock without a unit. */
static void put_time(struct info *info, const char *which, int64_t ts)
{
	char key[16];

	snprintf(key, sizeof(key), "%s_ts%s", which,
		 trace_unit(info->trace) == TRACE_UNIT_NS ? "_ns" : "");
	if (info->given.format == FORMAT_CSV) {
		add_key(info, key);
		text_printf(&info->out, info->has_span ? "%" PRId64 "\n" : "\n", ts);
	} else if (info->has_span) {
		json_out_i64(&info->out, key, ts);
	} else {
		json_out_null(&info->out, key);
	}
}

static void put_scalars(struct info *info)
{
	const struct trace_status *status = &info->status;

	put_number(info, "version", (uint64_t)info->head->version);	/* 0: text */
	if (line_source_file(info->file))
		put_number(info, "unknown_lines",
			   line_file_info(line_source_file(info->file))->unknown);
	put_string(info, "compression", info->head->compression);
	put_string(info, "extracted", info->head->extracted);
	put_string(info, "cut", info->head->cuts);
	put_number(info, "cpus", (uint64_t)info->head->cpu_count);
	put_string(info, "clock", trace_clock(info->trace));
	put_string(info, "kernel", trace_kernel(info->trace));
	put_time(info, "first", info->first);
	put_time(info, "last", info->last);
	put_number(info, "size_bytes", info->head->size);
	put_number(info, "events", info->events);
	if (trace_knows_lost(info->trace) || info->given.format != FORMAT_JSON)
		put_number(info, "lost_events", status->lost_events);
	else
		json_out_null(&info->out, "lost_events");
	put_number(info, "lost_unknown", status->lost_unknown);
	put_number(info, "missing_switches", info->missing_switches);
	put_string(info, "not_recorded", text_str(&info->absent));
	put_number(info, "damaged_pages", status->damaged_pages);
	put_number(info, "processes", info->who.processes);
	put_number(info, "cgroups", info->who.cgroups);
}

static void json_buffers(struct info *info)
{
	struct text *out = &info->out;

	json_out_array(out, "buffers");
	for (unsigned int i = 0; i < source_nr_buffers(info->file); i++) {
		const struct source_buffer *buffer = source_buffer(info->file, i);
		uint64_t events = 0;

		for (unsigned int s = 0; s < trace_nr_streams(info->trace); s++)
			if (trace_stream_info(info->trace, s).buffer == i)
				events += trace_stream_info(info->trace, s).events;
		json_out_object(out, NULL);
		json_out_string(out, "name", buffer->name);
		json_out_string(out, "clock", buffer->clock);
		json_out_i64(out, "cpus", buffer->nr_cpus);
		json_out_u64(out, "sub_buffer_bytes", buffer->layout.page_size);
		json_out_bool(out, "text", buffer->is_text);
		json_out_u64(out, "events", events);
		json_out_end(out, '}');
	}
	json_out_end(out, ']');
}

static void json_slice(struct text *out, const char *key, struct text_slice s)
{
	json_out_bytes(out, key, s.s, s.len);
}

static void json_hits(struct info *info)
{
	struct text *out = &info->out;
	const char *at = NULL;
	struct trace_hit hit;

	json_out_array(out, "hits");
	while (trace_hit_next(info->trace, 0, &at, &hit)) {
		json_out_object(out, NULL);
		json_out_bytes(out, "condition", hit.condition, hit.condition_len);
		json_out_i64(out, "from_ns", hit.from);
		json_out_i64(out, "to_ns", hit.to);
		json_out_bytes(out, "what", hit.words, hit.words_len);
		json_out_end(out, '}');
	}
	json_out_end(out, ']');
}

/* Only of the text of a latency tracer. */
static void json_latency(struct info *info)
{
	const struct text_trace_header *h = info->latency.header;
	struct text *out = &info->out;

	if (!h)
		return;
	json_out_object(out, "latency");
	json_slice(out, "tracer", h->tracer);
	json_out_i64(out, "latency_ns", h->latency_ns);
	json_out_i64(out, "entries", h->shown);
	json_out_i64(out, "entries_written", h->written);
	json_out_i64(out, "cpu", h->cpu);
	json_out_i64(out, "pid", h->pid);
	json_slice(out, "comm", h->comm);
	json_out_i64(out, "uid", h->uid);
	json_out_i64(out, "nice", h->nice);
	json_out_string(out, "policy", trace_latency_policy(h->policy));
	json_out_i64(out, "rt_prio", h->rt_prio);
	json_slice(out, "started_at", h->started_at);
	json_slice(out, "ended_at", h->ended_at);
	json_slice(out, "kernel", h->kernel);
	json_slice(out, "preemption", h->preemption);
	json_out_i64(out, "cpus_online", h->nr_cpus);
	json_out_end(out, '}');
}

static void json_types(struct info *info)
{
	struct text *out = &info->out;

	json_out_array(out, "event_types");
	for (unsigned int i = 0; i < info->nr_types; i++) {
		json_out_object(out, NULL);
		json_out_string(out, "system", type_system(&info->types[i]));
		json_out_string(out, "name", type_name(&info->types[i]));
		json_out_i64(out, "id", info->types[i].id);
		json_out_u64(out, "count", info->types[i].events);
		json_out_end(out, '}');
	}
	json_out_end(out, ']');
}

static void json_cpus(struct info *info)
{
	struct text *out = &info->out;

	json_out_array(out, "cpu_stats");
	for (unsigned int i = 0; i < trace_nr_streams(info->trace); i++) {
		struct trace_stream_info stream = trace_stream_info(info->trace, i);

		json_out_object(out, NULL);
		json_out_i64(out, "cpu", stream.cpu);
		json_out_u64(out, "events", stream.events);
		if (stream.lost_unknown || stream.lost_perhaps || source_is_damaged(info->file))
			json_out_null(out, "lost_events");
		else
			json_out_u64(out, "lost_events", stream.lost_events);
		json_out_u64(out, "lost_unknown", stream.lost_unknown);
		json_out_string(out, "buffer", stream.buffer_name);
		json_out_end(out, '}');
	}
	json_out_end(out, ']');
}

static void json_notes(struct info *info)
{
	struct text *out = &info->out;

	json_out_array(out, "notes");
	for (unsigned int i = 0; i < source_nr_warnings(info->file); i++) {
		struct ft_error note = source_warning(info->file, i);

		json_out_object(out, NULL);
		json_out_i64(out, "offset_bytes", note.offset);
		json_out_string(out, "message", note.message);
		json_out_end(out, '}');
	}
	json_out_end(out, ']');
}

static void info_json(struct info *info)
{
	struct text *out = &info->out;

	json_out_object(out, NULL);
	if (command_file_name(info->of))
		json_out_string(out, "file", command_file_name(info->of));
	put_scalars(info);
	info_who_json(info->trace, &info->out);
	json_hits(info);
	json_buffers(info);
	json_latency(info);
	json_types(info);
	json_cpus(info);
	json_notes(info);
	json_out_object(out, "sandbox");
	json_out_bool(out, "landlock", info->sandbox.files);
	json_out_bool(out, "seccomp", info->sandbox.calls);
	json_out_end(out, '}');
	json_out_end_line(out);
}

static void info_csv(struct info *info)
{
	if (command_file_heads(info->of, FORMAT_CSV))
		text_add(&info->out,
			 command_file_name(info->of) ? "file,key,value\n" : "key,value\n");
	put_scalars(info);
	put_number(info, "notes", source_nr_warnings(info->file));
	put_string(info, "landlock", info->sandbox.files ? "true" : "false");
	put_string(info, "seccomp", info->sandbox.calls ? "true" : "false");
}

static void add_info(struct info *info)
{
	switch (info->given.format) {
	case FORMAT_JSON:
		info_json(info);
		break;
	case FORMAT_CSV:
		info_csv(info);
		break;
	case FORMAT_TEXT:
		if (info->of->index)
			text_char(&info->out, '\n');
		info_text(info);
		if (info->given.ascii || output_locale_is_ascii())
			text_to_ascii(&info->out, 0);
		break;
	}
}

int cmd_info(const struct command_file *file, struct ft_error *err)
{
	struct info info = { .of = file };
	int ret;

	for (unsigned int i = 0; i < file->list->nr; i++)
		if (filter_option(&info.given, &file->list->values[i], err) < 0)
			return -1;
	info.sandbox = confine_try();		/* before there are threads */
	info.trace = command_open(file, false, err);
	if (!info.trace)
		return -1;
	trace_wait(info.trace);
	info.file = trace_file_of(info.trace, 0);
	info.head = source_info(info.file);
	source_text(info.file, TRACE_TEXT_USER_SYMBOLS, NULL);	/* adds what is wrong there */
	info.status = trace_status(info.trace);
	info.who = info_who_count(info.trace);
	info.events = info.status.events;
	info.missing_switches = sched_count_missing(info.trace, &info.absent);
	info.has_span = trace_span(info.trace, &info.first, &info.last);
	if (!trace_latency(info.trace, &info.latency))
		info.latency.header = NULL;
	info.nr_types = trace_type_counts(info.trace, &info.types);
	if (info.nr_types)
		qsort(info.types, info.nr_types, sizeof(*info.types), trace_type_counts_order);
	add_info(&info);
	ret = output_whole(STDOUT_FILENO, &info.out, err);
	free(info.types);
	text_fini(&info.absent);
	trace_close(info.trace);
	return ret;
}
