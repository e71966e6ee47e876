/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/file_names.h"
#include "src/base/memory.h"
#include "src/trace/formats_option.h"
#include "src/report/report_babeltrace.h"
#include "src/report/report_kernel.h"
#include "src/report/report_perf.h"
#include "src/report/report_private.h"
#include "src/report/report_search.h"
#include "src/trace/warnings.h"
#include "src/match/given_filter.h"
#include "src/base/workers.h"

const char *const report_style_names[] = { [REPORT_TRACE_CMD] = "trace-cmd",
					   [REPORT_KERNEL] = "kernel",
					   [REPORT_PERF] = "perf",
					   [REPORT_BABELTRACE] = "babeltrace" };

static const struct report_line_style *const line_styles[REPORT_STYLES] = {
	[REPORT_PERF] = &report_perf,
	[REPORT_BABELTRACE] = &report_babeltrace
};

/* --- handles ------------------------------------------------------------- */

static void add_handle(struct report *r, unsigned int file, unsigned int buffer, const char *name)
{
	unsigned int nr_streams = trace_nr_streams(r->trace), cap = r->nr_lanes;
	struct report_handle *h;

	r->handles = mem_resize(r->handles, r->nr_handles + 1, sizeof(*r->handles));
	h = &r->handles[r->nr_handles];
	*h = (struct report_handle){ .file = file, .buffer = buffer, .name = name };
	for (unsigned int i = 0; i < nr_streams; i++) {
		struct trace_stream_info info = trace_stream_info(r->trace, i);

		if (info.file != file || info.buffer != buffer)
			continue;
		if (r->nr_lanes >= cap) {
			cap = cap ? cap * 2 : 16;
			r->lanes = mem_resize(r->lanes, cap, sizeof(*r->lanes));
		}
		r->lane_of[i] = (int)r->nr_lanes;
		r->lanes[r->nr_lanes++] = (struct report_lane){ .stream = i,
								.handle = r->nr_handles };
	}
	r->nr_handles++;
	if (name && strlen(name) > r->name_width)
		r->name_width = strlen(name);
}

/* "  name: "; for a buffer without a name, blanks of the same width and two more. */
static void add_prefix(const struct report *r, const char *name, struct text *out)
{
	size_t len = name ? strlen(name) : 0;

	if (len < r->name_width)
		text_pad(out, r->name_width - len);
	text_bytes(out, name ? name : "", len);
	text_add(out, len ? ": " : "  ");
}

/*
 * Handles in trace-cmd's order: the files, then the instances of each.  The line cpus=N is printed
 * when a file's turn comes; it has a name only with several inputs, in the width of the names known
 * so far.
 */
static void add_handles(struct report *r)
{
	unsigned int nr_streams = trace_nr_streams(r->trace);

	r->lane_of = mem_array(nr_streams, sizeof(*r->lane_of));
	for (unsigned int i = 0; i < nr_streams; i++)
		r->lane_of[i] = -1;
	for (unsigned int f = 0; f < r->nr_files; f++)
		add_handle(r, f, 0, r->multi ? file_names_base(trace_path(r->trace, f)) : NULL);
	for (unsigned int f = 0; f < r->nr_files; f++) {
		const struct source *file = trace_file_of(r->trace, f);
		const struct source_buffer *top = source_buffer(file, 0);

		if (r->options->text_style == REPORT_TRACE_CMD &&
		    r->options->format == FORMAT_TEXT && !r->options->count &&
		    source_info(file)->version) {
			if (r->multi)
				add_prefix(r, r->handles[f].name, &r->out->block);
			text_printf(&r->out->block, "cpus=%d\n", top ? top->nr_cpus : 0);
		}
		for (unsigned int b = 1; b < source_nr_buffers(file); b++) {
			add_handle(r, f, b, file_names_base(source_buffer(file, b)->name));
			r->any_instance = true;
		}
	}
	if ((!r->multi && !r->any_instance) || (r->form.style && r->form.style->has_buffers))
		return;
	for (unsigned int i = 0; i < r->nr_handles; i++)
		add_prefix(r, r->handles[i].name, &r->handles[i].prefix);
}

/*
 * trace-cmd numbers the CPUs of all handles consecutively, with as many numbers for each handle as
 * its file has CPUs, and --cpu means these numbers: in an instance they are not the CPUs' own.  Its
 * style copies that; other styles, JSON and CSV use the real numbers.
 */
static void number_lanes(struct report *r)
{
	bool consecutive = r->options->format == FORMAT_TEXT && !r->form.style;
	unsigned int lane = 0;
	int base = 0;			/* real numbers: the highest number of CPUs of a file */

	r->shown_cpu = mem_array(r->nr_lanes, sizeof(*r->shown_cpu));
	for (unsigned int i = 0; i < r->nr_handles; i++) {
		const struct source *file = trace_file_of(r->trace, r->handles[i].file);
		int nr = source_nr_buffers(file) ? source_buffer(file, 0)->nr_cpus : 0;

		for (; lane < r->nr_lanes && r->lanes[lane].handle == i; lane++) {
			int cpu = trace_stream_info(r->trace, r->lanes[lane].stream).cpu;

			r->shown_cpu[lane] = consecutive ? base + cpu : cpu;
			nr = cpu < nr ? nr : cpu + 1;
		}
		base = consecutive ? base + nr : base < nr ? nr : base;
	}
	r->nr_cpus = (unsigned int)base;
}

/* Report CPUs in --cpu that do not exist.  -1 with FT_E_USAGE: none does. */
static int check_cpus(const struct report *r, struct ft_error *err)
{
	const struct report_options *o = r->options;
	struct text list = { 0 };
	bool any = !o->cpus;
	int ret = 0;

	for (unsigned int cpu = 0; cpu < r->nr_cpus && o->cpus && cpu < o->nr_cpus; cpu++)
		any |= o->cpus[cpu];

	for (unsigned int cpu = r->nr_cpus; o->cpus && cpu < o->nr_cpus; cpu++) {
		unsigned int first = cpu;

		if (!o->cpus[cpu])
			continue;
		while (cpu + 1 < o->nr_cpus && o->cpus[cpu + 1])
			cpu++;
		text_printf(&list, cpu > first ? "%s%u-%u" : "%s%u", list.len ? "," : "", first,
			    cpu);
	}
	if (!any)
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "--cpu: the trace has no CPU %s; it has %u CPUs",
				   text_str(&list), r->nr_cpus);
	else if (list.len)
		fprintf(stderr, "ftop-trace: --cpu: the trace has no CPU %s; it has %u CPUs\n",
			text_str(&list), r->nr_cpus);
	text_fini(&list);
	return ret;
}

static int open_files(struct report *r, struct ft_error *err)
{
	r->files = mem_array(r->nr_files, sizeof(*r->files));
	for (unsigned int f = 0; f < r->nr_files; f++) {
		struct printer *printer = NULL;

		if (r->options->format != FORMAT_JSON) {
			printer = trace_printer(r->trace, f);
			if (!printer)
				return ft_error_set(err, FT_E_NOMEM, -1,
						    "no memory for libtraceevent");
		}
		report_file_init(&r->files[f], f, trace_file_of(r->trace, f), printer,
				 trace_event_types(r->trace, f), &r->lines.style);
		if (printer)
			printer_set_time(printer, r->files[f].time);
	}
	return 0;
}

/* Prepare what lines and rows show for each CPU. */
static void make_cpus(struct report *r)
{
	r->cpus = mem_array(r->nr_lanes, sizeof(*r->cpus));
	for (unsigned int i = 0; i < r->nr_lanes; i++) {
		const struct report_handle *h = &r->handles[r->lanes[i].handle];
		struct report_cpu *cpu = &r->cpus[i];

		report_cpu_init(cpu, &r->files[h->file], &r->lines.style,
				trace_stream_info(r->trace, r->lanes[i].stream).cpu);
		cpu->prefix = &h->prefix;
		cpu->buffer = h->buffer;
		cpu->stream = r->lanes[i].stream;
		cpu->path = r->multi ? trace_path(r->trace, h->file) : NULL;
		cpu->instance =
			h->buffer ?
				source_buffer(trace_file_of(r->trace, h->file), h->buffer)->name :
				NULL;
	}
}

/* --- the command --------------------------------------------------------- */

/* Other styles have none of trace-cmd's options. */
static int check_style(const struct report_options *o, struct ft_error *err)
{
	bool kernel = o->text_style == REPORT_KERNEL;
	const char *option = o->format != FORMAT_TEXT ? "--format" :
			     o->latency               ? "-l" :
			     o->nanoseconds && kernel ? "-t" :
			     o->raw                   ? "-R" :
			     o->ts_diff               ? "--ts-diff" :
			     o->raw_ts                ? "--raw-ts" :
			     o->compat                ? "--compat" :
							NULL;

	if (o->text_style == REPORT_TRACE_CMD || !option)
		return 0;
	return ft_error_set(err, FT_E_USAGE, -1, "--style=%s cannot be combined with %s",
			    report_style_names[o->text_style], option);
}

/* Some options of the text do not apply to rows. */
static int check_format(const struct report_options *o, struct ft_error *err)
{
	bool json = o->format == FORMAT_JSON;
	const char *option = o->latency     ? "-l" :
			     o->ts_diff     ? "--ts-diff" :
			     o->raw_ts      ? "--raw-ts" :
			     json && o->raw ? "-R" :
					      NULL;

	if (o->format == FORMAT_TEXT || !option)
		return 0;
	return ft_error_set(err, FT_E_USAGE, -1, "--format=%s cannot be combined with %s",
			    json ? "json" : "csv", option);
}

/* Is it the text of trace-cmd 3.3 and 3.4? */
static bool is_34(const struct report_options *o)
{
	return o->compat && !strcmp(o->compat, "3.4");
}

static int check_options(const struct report_options *o, struct ft_error *err)
{
	if (o->compat && strcmp(o->compat, "3.1") != 0 && !is_34(o))
		return ft_error_set(err, FT_E_USAGE, -1, "--compat %s: not 3.1 or 3.4", o->compat);
	if (!o->nr_inputs)
		return ft_error_set(err, FT_E_USAGE, -1, "no file to read");
	if (check_style(o, err))
		return -1;
	return check_format(o, err);
}

static int make_filter(struct report *r, struct ft_error *err)
{
	const struct report_options *o = r->options;
	struct report_filter_options options = { .sources = o->filters, .nr_sources = o->nr_filters,
						 .compat = o->compat_filter,
						 .grep = o->grep };

	r->filter = report_filter_new(r->trace, &options, err);
	return r->filter ? 0 : -1;
}

/*
 * With a filter and without a window, let workers find the matching records.  Return: whether there
 * is nothing else to do.
 */
static bool look_ahead(struct report *r)
{
	const struct report_options *o = r->options;
	bool part = o->head >= 0 || o->tail >= 0 || o->from || o->to;
	struct matches *m = r->filter && !part ?
				    report_filter_look_ahead(r->filter, r->leaves, is_34(o)) :
				    NULL;

	for (unsigned int i = 0; m && i < r->nr_lanes; i++)
		r->lanes[i].matches = m;
	r->matches = m;
	if (!m || !o->count || o->grep || o->cpus || o->no_irqs || o->no_softirqs)
		return false;
	matches_wait(m);
	r->counted = (int64_t)matches_status(m).events;
	r->damaged = matches_damaged(m);
	return true;
}

static bool is_own_text(const struct report *r)
{
	return r->options->text_style == REPORT_TRACE_CMD && r->options->format == FORMAT_TEXT &&
	       r->nr_files == 1 && source_info(trace_file_of(r->trace, 0))->is_text;
}

static int run(struct report *r, struct ft_error *err)
{
	const struct report_options *o = r->options;
	int ret;
	const struct report_line_style *style = o->format == FORMAT_TEXT ?
							line_styles[o->text_style] :
							NULL;

	if (open_files(r, err) || report_window_init(&r->window, r->trace, o, err))
		return -1;
	if (r->nr_files == 1 && filter_option_check_cpus(o->cpus, r->trace, err))
		return -1;
	if ((o->nr_filters || o->grep) && make_filter(r, err))
		return -1;
	if (o->text_style == REPORT_KERNEL)
		return report_kernel(r->trace, o, &r->window, r->filter, r->out, &r->counted, err);
	if (is_own_text(r)) {
		ret = report_lines(r->trace, o, &r->window, r->filter, r->out, &r->counted, err);
		r->needs_all = !ret;
		return ret < 0 ? -1 : 0;
	}
	r->needs_all = trace_is_head(r->trace);
	if (r->needs_all)
		return 0;
	r->form.style = style;
	add_handles(r);
	r->form.sources = (struct report_csv_sources){ .buffer = r->any_instance,
						       .file = r->multi };
	if (o->format == FORMAT_CSV && !o->count)
		report_row_csv_header(trace_unit(r->trace) == TRACE_UNIT_COUNT, r->form.sources,
				      &r->out->block);
	/*
	 * Names for a time need the whole trace; so does the order of a CPU whose clock went
	 * backwards.
	 */
	if (o->format != FORMAT_TEXT || o->exact || style)
		trace_wait(r->trace);
	if (style && style->prepare)
		r->form.prepared = style->prepare(r->trace, o);
	r->leaves = o->format == FORMAT_TEXT && !style && (!o->count || o->grep) && !o->raw &&
		    !o->no_plugins && !o->no_system_plugins;
	number_lanes(r);
	make_cpus(r);
	if (check_cpus(r, err)) {
		r->out->block.len = 0;
		return -1;
	}
	report_place_lanes(r);
	r->picks = o->cpus || o->no_irqs || o->no_softirqs || r->window.has_from ||
		   r->window.has_to || r->tail_start;
	r->has_lines = (o->format == FORMAT_TEXT && (o->latency || o->ts_diff || is_34(o))) ||
		       (style && style->chained);
	if (look_ahead(r))
		return 0;
	report_find_merged_exits(r);
	return report_records(r, err);
}

/*
 * An incomplete report must not be taken for the whole trace, nor an unreadable trace for an empty
 * one.
 */
static int tell_damage(const struct report *r, struct ft_error *err)
{
	int64_t first, last;

	if (!warnings_show(r->trace, r->damaged) || trace_span(r->trace, &first, &last))
		return 0;
	return ft_error_set(err, FT_E_FORMAT, -1, "%s: no event could be read",
			    trace_path(r->trace, 0));
}

static int check_found(const struct report *r, struct ft_error *err)
{
	const struct filter_given *given = r->options->given;

	if (r->filter && report_filter_check(r->filter, err))
		return -1;
	if (!given || r->counted || r->nr_files > 1)
		return 0;
	return given_filter_check_tasks(r->trace, given, err);
}

static int tell(const struct report *r, struct ft_error *err)
{
	if (r->filter)
		report_filter_tell(r->filter, r->counted > 0, r->options->count);
	return tell_damage(r, err);
}

static void report_fini(struct report *r)
{
	if (r->form.style && r->form.style->release)
		r->form.style->release(r->form.prepared);
	report_filter_free(r->filter);
	for (unsigned int f = 0; f < r->nr_files && r->files; f++)
		report_file_fini(&r->files[f]);
	for (unsigned int i = 0; i < r->nr_handles; i++)
		text_fini(&r->handles[i].prefix);
	free(r->files);
	free(r->cpus);
	free(r->handles);
	free(r->lanes);
	free(r->lane_of);
	free(r->tail_start);
	free(r->merged_exit);
	free(r->shown_cpu);
	text_fini(&r->scratch);
}

static struct printer_options printer_options_of(const struct report_options *o)
{
	return (struct printer_options){
		.no_plugins = o->no_plugins || o->text_style != REPORT_TRACE_CMD,
		.era_34 = is_34(o),
		.no_system_plugins = o->no_system_plugins,
		.plugin_options = o->plugin_options,
		.nr_plugin_options =
			o->text_style == REPORT_KERNEL ? 0 : o->nr_plugin_options
	};
}

/* @printer must outlive the trace. */
static struct trace *open_trace(const struct report_options *o,
				const struct printer_options *printer, uint64_t head_bytes,
				struct ft_error *err)
{
	bool plain = o->text_style != REPORT_TRACE_CMD;
	struct trace_options options = {
		.nr_workers = o->nr_threads ? o->nr_threads : workers_cpus(),
		.hold_permille = -1,
		.no_index = o->format == FORMAT_TEXT && !plain && !o->exact,
		.sequential_printer = true,
		.printer = printer,
		.filter_names = o->filter_names,
		.progress.tell = warnings_opening,
		.formats = formats_option_get(),
		.offsets = o->offsets,
		.head_bytes = head_bytes
	};

	return trace_open(o->inputs, o->nr_inputs, o->format == FORMAT_TEXT, &options, err);
}

/* Only the first @head_bytes of a long text are opened; 0: all of it.  Return: 1: try again. */
static int report_head(const struct report_options *o, uint64_t head_bytes, int fd,
		       struct ft_error *err)
{
	struct report r = { .options = o, .nr_files = o->nr_inputs, .multi = o->nr_inputs > 1 };
	struct printer_options printer = printer_options_of(o);
	struct output out;
	int ret;

	r.trace = open_trace(o, &printer, head_bytes, err);
	if (!r.trace)
		return -1;
	r.lines.style = (struct report_style){ .latency = o->latency,
					       .nanoseconds = o->nanoseconds,
					       .raw = o->raw,
					       .raw_ts = o->raw_ts,
					       .ts_diff = o->ts_diff,
					       .era_34 = is_34(o) };
	output_init(&out, fd);
	r.out = &out;
	ret = run(&r, err);
	if (r.needs_all)
		out.block.len = 0;
	else if (!ret)
		ret = check_found(&r, err);
	if (!ret && o->count && !r.needs_all)
		text_printf(&out.block, "%" PRId64 "\n", r.counted);
	if (output_end(&out, ret ? NULL : err))
		ret = -1;
	if (!ret && !r.needs_all)
		ret = tell(&r, err);
	report_fini(&r);
	trace_close(r.trace);
	return ret ? -1 : r.needs_all;
}

int report_run(const struct report_options *o, int fd, struct ft_error *err)
{
	int ret;

	if (check_options(o, err))
		return -1;
	ret = report_head(o, report_search_head(o), fd, err);
	return ret > 0 ? report_head(o, 0, fd, err) : ret;
}
