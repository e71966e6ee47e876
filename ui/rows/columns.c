/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/base/memory.h"
#include "ui/screen/canvas.h"
#include "src/base/shorten.h"
#include "src/trace/trace_latency.h"

#define ABSURD_CELLS	4		/* a last time this much wider than those shown is damage */
#define DELTA_CELLS	9		/* mark, four digits, point, unit */

static bool counts(const struct shared *shared)
{
	return trace_unit(shared->trace) == TRACE_UNIT_COUNT;
}

/* --- cell texts ------------------------------------------------------- */

static void add_wall(const struct shared *shared, int64_t ts, int decimals, struct text *out)
{
	bool known;
	int64_t ns = time_after(ts, trace_wall_offset_ns(shared->trace, &known));
	time_t seconds;
	struct tm tm;

	if (decimals != 9)
		ns = time_after(ns, 500) / 1000 * 1000;	/* as report rounds */
	seconds = ns / 1000000000;
	localtime_r(&seconds, &tm);
	text_printf(out, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (decimals == 9)
		text_printf(out, ".%09" PRId64, ns % 1000000000);
	else
		text_printf(out, ".%06" PRId64, ns % 1000000000 / 1000);
}

static void add_signed(const struct shared *shared, int64_t span, int decimals, struct text *out)
{
	text_add(out, span >= 0 ? "+" : "−");
	shared_time(shared,
		    span >= 0         ? span :
		    span == INT64_MIN ? INT64_MAX :
					-span,
		    decimals, out);
}

static void time_text(const struct column_cell *cell, struct text *out)
{
	int decimals = shared_decimals(cell->shared, cell->cols);
	const struct place *a = places_get(&cell->shared->at.places, 'a');
	int64_t ts = cell->line->row->ts;

	switch (cell->shared->look.time_format) {
	case TIME_ABSOLUTE:
	case NR_TIME_FORMATS:
		break;
	case TIME_RELATIVE:
		shared_time(cell->shared, time_between(cell->shared->at.first, ts), decimals, out);
		return;
	case TIME_DELTA:
		if (cell->line->has_above)
			add_signed(cell->shared, time_between(cell->line->above_ts, ts), decimals,
				   out);
		else
			text_add(out, "–");
		return;
	case TIME_SINCE_A:
		if (!a)
			break;
		add_signed(cell->shared, time_between(a->ts, ts), decimals, out);
		return;
	case TIME_WALL:
		add_wall(cell->shared, ts, decimals, out);
		return;
	}
	shared_time(cell->shared, ts, decimals, out);
}

/* A duration that is too wide loses digits, not its unit. */
static void cut_before_unit(struct text *t, int width)
{
	struct text whole = *t, head = { 0 };
	size_t unit = whole.len;

	if (canvas_width(text_str(t), t->len) <= width)
		return;
	while (unit && whole.data[unit - 1] == ' ')
		unit--;
	while (unit && whole.data[unit - 1] != ' ')
		unit--;
	unit -= unit > 0;
	if (!unit)
		unit = whole.len;		/* a count: it has none */
	text_bytes(&head, whole.data, unit);
	*t = (struct text){ 0 };
	shorten_end(text_str(&head), width - canvas_width(whole.data + unit, whole.len - unit), t);
	text_bytes(t, whole.data + unit, whole.len - unit);
	text_fini(&head);
	text_fini(&whole);
}

/* @mark: if the clock counts time, and the row came later */
static void add_span(const struct column_cell *cell, int64_t span, char mark, struct text *out)
{
	if (!counts(cell->shared))
		text_char(out, span > 0 ? mark : ' ');
	shared_duration(cell->shared, span, out);
	cut_before_unit(out, cell->width);
}

static enum role span_role(const struct column_cell *cell, bool known, int64_t span)
{
	return !known || counts(cell->shared) ? ROLE_DIM : row_slow_role(span, ROLE_DIM);
}

static void delta_text(const struct column_cell *cell, struct text *out)
{
	int64_t delta = time_between(cell->line->above_ts, cell->line->row->ts);

	if (cell->line->has_above)
		add_span(cell, delta, text_duration_mark(delta), out);
	else
		text_add(out, "–");
}

static enum role delta_role(const struct column_cell *cell)
{
	return span_role(cell, cell->line->has_above,
			 time_between(cell->line->above_ts, cell->line->row->ts));
}

static int64_t gap_span(const struct column_cell *cell, enum row_gap_kind kind)
{
	int64_t own = cell->line->row->ts, other = cell->line->gaps[kind].ts;

	return kind == ROW_GAP_NEXT ? time_between(own, other) : time_between(other, own);
}

/* The kernel's text has a mark of its own for each delay, made before times were rounded to µs. */
static char gap_mark(const struct column_cell *cell, enum row_gap_kind kind)
{
	const struct row *row = cell->line->row;
	int64_t span = gap_span(cell, kind);

	if (kind != ROW_GAP_NEXT)
		return text_duration_mark(span);
	return row->mark ? row->mark : text_delay_mark(span);
}

static void gap_text(const struct column_cell *cell, enum row_gap_kind kind, struct text *out)
{
	const struct row_gap *gap = &cell->line->gaps[kind];

	if (gap->has)
		add_span(cell, gap_span(cell, kind), gap_mark(cell, kind), out);
	else
		text_add(out, gap->far ? "…" : "–");
}

static enum role gap_role(const struct column_cell *cell, enum row_gap_kind kind)
{
	if (cell->line->row->mark && kind == ROW_GAP_NEXT)
		return row_mark_role(gap_mark(cell, kind), ROLE_DIM);
	return span_role(cell, cell->line->gaps[kind].has, gap_span(cell, kind));
}

static void delta_cpu_text(const struct column_cell *cell, struct text *out)
{
	gap_text(cell, ROW_GAP_CPU, out);
}

static enum role delta_cpu_role(const struct column_cell *cell)
{
	return gap_role(cell, ROW_GAP_CPU);
}

static void delta_task_text(const struct column_cell *cell, struct text *out)
{
	gap_text(cell, ROW_GAP_TASK, out);
}

static enum role delta_task_role(const struct column_cell *cell)
{
	return gap_role(cell, ROW_GAP_TASK);
}

static void delay_text(const struct column_cell *cell, struct text *out)
{
	gap_text(cell, ROW_GAP_NEXT, out);
}

static enum role delay_role(const struct column_cell *cell)
{
	return gap_role(cell, ROW_GAP_NEXT);
}

static void cpu_text(const struct column_cell *cell, struct text *out)
{
	text_printf(out, "%d", cell->line->row->cpu);
}

static enum role hash_of_cpu(const struct row *row)
{
	return ROLE_HASH_1 + (unsigned int)row->cpu % NR_HASH_ROLES;
}

static enum role cpu_role(const struct column_cell *cell)
{
	return cell->shared->look.colour_by == COLOUR_BY_CPU ? hash_of_cpu(cell->line->row) :
							       ROLE_DIM;
}

static void task_text(const struct column_cell *cell, struct text *out)
{
	shorten_task(text_str(&cell->line->row->comm), cell->line->row->pid, cell->width, out);
}

static enum role task_role(const struct column_cell *cell)
{
	return row_task_role(cell->line->row);
}

/* The leader of the task's thread group, by its name at the time of the row. */
static void process_text(const struct column_cell *cell, struct text *out)
{
	const struct row *row = cell->line->row;
	struct text name = { 0 };
	const char *comm;
	int tgid;

	if (!trace_tgid(cell->shared->trace, row->file, row->pid, row->ts, &tgid))
		return;
	comm = trace_comm(cell->shared->trace, row->file, tgid, row->ts);
	text_printable(&name, comm, strlen(comm));
	shorten_task(text_str(&name), tgid, cell->width, out);
	text_fini(&name);
}

static void flags_text(const struct column_cell *cell, struct text *out)
{
	shorten_end(text_str(&cell->line->row->flags), cell->width, out);
}

static void instance_text(const struct column_cell *cell, struct text *out)
{
	struct trace_stream_info info = trace_stream_info(cell->shared->trace,
							  cell->line->row->stream);
	struct text name = { 0 };

	text_printable(&name, info.buffer_name, strlen(info.buffer_name));
	shorten_middle(*info.buffer_name ? name.data : "top", cell->width, out);
	text_fini(&name);
}

static void file_text(const struct column_cell *cell, struct text *out)
{
	struct text name = { 0 };

	shared_file_name(cell->shared, cell->line->row->file, &name);
	shorten_middle(text_str(&name), cell->width, out);
	text_fini(&name);
}

static void duration_text(const struct column_cell *cell, struct text *out)
{
	const struct row *row = cell->line->row;

	if (row->duration < 0)
		return;
	text_char(out, text_duration_mark(row->duration));
	text_duration(out, row->duration);
}

static enum role duration_role(const struct column_cell *cell)
{
	return row_slow_role(cell->line->row->duration, ROLE_DIM);
}

static void event_text(const struct column_cell *cell, struct text *out)
{
	shorten_middle(cell->line->row->unknown ? "?" : text_str(&cell->line->row->name),
		       cell->width, out);
}

static enum role event_role(const struct column_cell *cell)
{
	switch (cell->shared->look.colour_by) {
	case COLOUR_BY_TASK:
		return row_task_role(cell->line->row);
	case COLOUR_BY_CPU:
		return hash_of_cpu(cell->line->row);
	case COLOUR_BY_EVENT:
	case NR_COLOURS_BY:
		break;
	}
	return row_role(cell->line->row);
}

static const struct column_info infos[NR_COLUMNS] = {
	[COLUMN_TIME] = { "time", "time", .text = time_text,
		.help = "in the format chosen by t" },
	[COLUMN_DELTA] = { "delta", "Δ prev", .right = true, .min_cols = 70, .text = delta_text,
		.role = delta_role,
		.help = "since the row above; + 10 µs ! 100 µs # 1 ms * 10 ms @ 100 ms" },
	[COLUMN_DELTA_CPU] = { "delta-cpu", "Δ CPU", .right = true, .text = delta_cpu_text,
		.role = delta_cpu_role,
		.help = "since the row above of this CPU; …: it is far above" },
	[COLUMN_DELTA_TASK] = { "delta-task", "Δ task", .right = true, .text = delta_task_text,
		.role = delta_task_role,
		.help = "since the row above of this task; …: it is far above" },
	[COLUMN_DELAY] = { "delay", "delay", .right = true, .text = delay_text,
		.role = delay_role,
		.help = "the kernel's: to the next record, also if filters hide it" },
	[COLUMN_CPU] = { "cpu", "CPU", .right = true, .text = cpu_text, .role = cpu_role, .help =
		"CPU that recorded the event" },
	[COLUMN_TASK] = { "task", "task", .text = task_text, .role = task_role,
		.help = "name (at that time) and pid of the task that ran" },
	[COLUMN_PROCESS] = { "process", "process", .text = process_text, .plain = ROLE_DIM,
		.help = "process of the task, if the trace records it" },
	[COLUMN_FLAGS] = { "flags", "flags", .min_cols = 100, .text = flags_text, .plain = ROLE_DIM,
		.help = "irqs off, need-resched, context, depth of preempt-disable" },
	[COLUMN_INSTANCE] = { "instance", "instance", .text = instance_text, .plain = ROLE_DIM,
		.help = "ring buffer instance in the file" },
	[COLUMN_FILE] = { "file", "file", .text = file_text, .plain = ROLE_DIM, .help =
		"file that the event comes from" },
	[COLUMN_DURATION] = { "duration", "duration", .right = true, .text = duration_text,
		.role = duration_role,
		.help = "duration of a call, in the row of its exit" },
	[COLUMN_EVENT] = { "event", "event", .min_cols = 120, .text = event_text,
		.role = event_role,
		.help = "name of the event" },
	[COLUMN_WHAT] = { "what", "what", .text = NULL, .role = event_role,
		.help = "the event's own text" },
};

const struct column_info *column_info(enum column_id id)
{
	return &infos[id];
}

/* --- layout -------------------------------------------------------------- */

static bool several_buffers(const struct shared *shared)
{
	for (unsigned int i = 1; i < trace_nr_streams(shared->trace); i++) {
		struct trace_stream_info a = trace_stream_info(shared->trace, i - 1);
		struct trace_stream_info b = trace_stream_info(shared->trace, i);

		if (a.file == b.file && a.buffer != b.buffer)
			return true;
	}
	return false;
}

/* The columns that a latency tracer's text has: its times are relative, and few. */
static bool wanted_of_text(const struct text_trace_header *header, enum column_id id)
{
	switch ((int)id) {
	case COLUMN_DELAY:
		return !header->has_durations;
	case COLUMN_DURATION:
		return header->has_durations;
	case COLUMN_TIME:
	case COLUMN_CPU:
	case COLUMN_TASK:
	case COLUMN_FLAGS:
		return true;
	}
	return false;
}

static bool wanted(const struct columns *columns, const struct shared *shared, enum column_id id,
		   int cols)
{
	const struct text_trace_header *header = trace_text_header(shared->trace);

	if (id == COLUMN_WHAT)
		return true;
	if (columns->wish[id] != COLUMN_AUTO)
		return columns->wish[id] == COLUMN_ON;
	if (header)
		return wanted_of_text(header, id);
	if (cols < infos[id].min_cols)
		return false;
	switch (id) {
	case COLUMN_CPU:
		return trace_nr_cpus(shared->trace) > 1;
	case COLUMN_INSTANCE:
		return several_buffers(shared) && shared->chosen.list.kind != LIST_INSTANCE;
	case COLUMN_FILE:
		return trace_nr_files(shared->trace) > 1 && shared->chosen.list.kind != LIST_FILE;
	case COLUMN_DELTA_CPU:
	case COLUMN_DELTA_TASK:
	case COLUMN_DELAY:
	case COLUMN_PROCESS:
	case COLUMN_DURATION:
		return false;
	case COLUMN_TIME:
	case COLUMN_DELTA:
	case COLUMN_TASK:
	case COLUMN_FLAGS:
	case COLUMN_EVENT:
	case COLUMN_WHAT:
	case NR_COLUMNS:
		break;
	}
	return true;
}

static int time_width(const struct shared *shared, int cols)
{
	int decimals = shared_decimals(shared, cols), width;
	struct text t = { 0 };

	switch (shared->look.time_format) {
	case TIME_RELATIVE:
		shared_time(shared, time_between(shared->at.first, shared->at.last), decimals, &t);
		break;
	case TIME_SINCE_A:
	case TIME_DELTA:
		add_signed(shared, time_between(shared->at.first, shared->at.last), decimals, &t);
		break;
	case TIME_WALL:
		return decimals == 9 ? 18 : 15;
	case TIME_ABSOLUTE:
	case NR_TIME_FORMATS:
		shared_time(shared, shared->at.last, decimals, &t);
		break;
	}
	width = canvas_width(text_str(&t), t.len);
	text_fini(&t);
	return width < 8 ? 8 : width;
}

/* The column is as wide as the longest file name, at most @most cells. */
static int file_width(const struct shared *shared, int most)
{
	struct text name = { 0 };
	int width = 4;

	for (unsigned int i = 0; i < trace_nr_files(shared->trace) && width < most; i++) {
		int cells;

		text_clear(&name);
		shared_file_name(shared, i, &name);
		cells = canvas_width(text_str(&name), name.len);
		width = cells > width ? cells : width;
	}
	text_fini(&name);
	return width < most ? width : most;
}

/* Kernels with the RT patches up to 6.6 have two more. */
static int flags_width(const struct shared *shared)
{
	const struct text_trace_header *header = trace_text_header(shared->trace);

	return header && header->nr_flags > 5 ? header->nr_flags : 5;
}

static int column_width(const struct shared *shared, enum column_id id, int cols)
{
	switch (id) {
	case COLUMN_TIME:
		return time_width(shared, cols);
	case COLUMN_DELTA:
	case COLUMN_DELTA_CPU:
	case COLUMN_DELTA_TASK:
	case COLUMN_DELAY:
	case COLUMN_DURATION:
		return counts(shared) && id != COLUMN_DURATION ? 12 : DELTA_CELLS;
	case COLUMN_CPU:
		return 3;
	case COLUMN_TASK:
	case COLUMN_PROCESS:
		return cols < 70 ? 14 : cols < 140 ? 16 : 23;
	case COLUMN_FLAGS:
		return flags_width(shared);
	case COLUMN_INSTANCE:
		return cols < 100 ? 8 : 12;
	case COLUMN_FILE:
		return file_width(shared, cols < 100 ? 12 : 20);
	case COLUMN_EVENT:
		return cols < 120 ? 18 : 22;
	case COLUMN_WHAT:
	case NR_COLUMNS:
		break;
	}
	return 0;
}

static int by_size(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void columns_fit_times(struct columns *columns, const struct shared *shared,
		       const struct row_line_ref *lines, unsigned int nr, int cols)
{
	int *widths = mem_array(nr ? nr : 1, sizeof(*widths)), middle;
	unsigned int n = 0;

	columns->time_cells = 0;
	for (unsigned int i = 0; i < nr && shared->look.time_format != TIME_WALL; i++) {
		struct column_cell cell = { .shared = shared, .line = &lines[i], .cols = cols };
		struct text t = { 0 };

		if (lines[i].frame || !lines[i].row->is_event)
			continue;
		time_text(&cell, &t);
		widths[n++] = canvas_width(text_str(&t), t.len);
		text_fini(&t);
	}
	qsort(widths, n, sizeof(*widths), by_size);
	middle = n ? widths[n / 2] : 0;
	/* Times of a long trace also differ in width a little: then the column stays as it is. */
	if (n && time_width(shared, cols) >= middle + ABSURD_CELLS) {
		while (widths[n - 1] > middle + 1)
			n--;
		columns->time_cells = widths[n - 1] < 8 ? 8 : widths[n - 1];
	}
	free(widths);
}

void columns_layout(struct columns *columns, const struct shared *shared, int cols)
{
	int gap = cols >= 120 ? 2 : 1, left = 1;

	columns->cols = cols;
	for (int id = 0; id < NR_COLUMNS; id++) {
		columns->width[id] = 0;
		if (!wanted(columns, shared, id, cols))
			continue;
		columns->left[id] = left;
		columns->width[id] = id == COLUMN_WHAT ? cols - left :
							 column_width(shared, id, cols);
		if (id == COLUMN_TIME && columns->time_cells)
			columns->width[id] = columns->time_cells;
		if (columns->width[id] < 0)
			columns->width[id] = 0;
		left += columns->width[id] + gap;
	}
}

void columns_toggle(struct columns *columns, enum column_id id)
{
	if (id != COLUMN_WHAT)
		columns->wish[id] = columns->width[id] ? COLUMN_OFF : COLUMN_ON;
}

unsigned int columns_gaps(const struct columns *columns)
{
	return (columns->width[COLUMN_DELTA_CPU] ? 1u << ROW_GAP_CPU : 0) |
	       (columns->width[COLUMN_DELTA_TASK] ? 1u << ROW_GAP_TASK : 0) |
	       (columns->width[COLUMN_DELAY] ? 1u << ROW_GAP_NEXT : 0);
}

bool columns_text_has_name(const struct columns *columns)
{
	return !columns->width[COLUMN_EVENT];
}

const char *columns_title(const struct columns *columns, const struct shared *shared,
			  enum column_id id)
{
	static const char *const time_titles[NR_TIME_FORMATS] = {
		[TIME_ABSOLUTE] = "time", [TIME_RELATIVE] = "since start",
		[TIME_DELTA] = "to above",
		[TIME_SINCE_A] = "since A", [TIME_WALL] = "wall clock",
	};

	if (id == COLUMN_TIME)
		return columns->width[id] >= (int)strlen(time_titles[shared->look.time_format]) ?
			       time_titles[shared->look.time_format] :
			       "time";
	if (id == COLUMN_WHAT && columns_text_has_name(columns))
		return "event";
	return infos[id].title;
}

void columns_save(const struct columns *columns, struct text *out)
{
	for (int id = 0; id < NR_COLUMNS; id++)
		if (columns->wish[id] != COLUMN_AUTO)
			text_printf(out, "%s %s\n",
				    columns->wish[id] == COLUMN_ON ? "show" : "hide",
				    infos[id].name);
}

void columns_restore(struct columns *columns, const char *key, const char *name)
{
	bool show = !strcmp(key, "show");

	for (int id = 0; id < NR_COLUMNS && (show || !strcmp(key, "hide")); id++)
		if (id != COLUMN_WHAT && !strcmp(infos[id].name, name))
			columns->wish[id] = show ? COLUMN_ON : COLUMN_OFF;
}
