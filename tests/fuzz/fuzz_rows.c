/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_rows - opens the bytes as a trace, makes its directory, and reads its rows forwards and
 * backwards, with their texts and fields.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>

#include "parsers/source/source.h"
#include "parsers/printer/printer.h"
#include "src/trace/trace.h"

#define MAX_ROWS	400u
#define MAX_BINS	20u

const char fuzz_name[] = "fuzz_rows";

static void print_row(struct trace *trace, const struct trace_event *event, struct text *out)
{
	const struct print_record rec = { .type = event->type, .data = event->data,
					  .size = event->size, .room = event->room,
					  .cpu = event->cpu };
	struct trace_field_value *fields;
	struct text *lines;
	unsigned int nr;

	text_clear(out);
	trace_event_text(trace, event, NULL, 60, out);
	trace_event_text(trace, event, NULL, TRACE_TEXT_KERNEL, out);
	trace_latency_flags(event, out);
	trace_time_text(trace, event->ts, 9, out);
	text_add(out, trace_comm(trace, event->file, event->pid, event->ts));
	if (event->kind != TRACE_ROW_EVENT)
		return;
	nr = trace_event_fields(trace, event, &fields);
	trace_fields_free(fields, nr);
	if (trace_event_is_stack(event)) {
		nr = trace_event_stack(trace, event, &lines);
		trace_stack_free(lines, nr);
	}
	if (event->type)
		printer_text(trace_printer(trace, event->file), PRINT_TRACE_CMD, &rec, NULL, NULL,
			     out);
}

/* Between samples of a guest's clock, times are rounded, and those out of the ordinary a lot. */
static bool may_be_rounded(const struct trace *trace)
{
	bool interpolate = false;

	source_time_shift(trace_file_of(trace, 0), 0, &interpolate, NULL);
	return interpolate;
}

/* Going back finds the same rows as going on. */
static void read_rows(struct trace *trace)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	static trace_ref refs[MAX_ROWS];
	struct trace_event event;
	struct text out = { 0 };
	int64_t key = INT64_MIN;
	unsigned int nr = 0;

	trace_cursor_seek(cursor, trace_first(trace));
	while (nr < MAX_ROWS && trace_cursor_next(cursor, &event)) {
		assert(event.key >= key || may_be_rounded(trace));
		key = event.key;
		refs[nr++] = event.ref;
		print_row(trace, &event, &out);
	}
	while (nr) {
		assert(trace_cursor_prev(cursor, &event));
		assert(event.ref == refs[--nr]);
	}
	assert(!trace_cursor_prev(cursor, &event));
	trace_cursor_seek_time(cursor, key);
	if (trace_cursor_next(cursor, &event))
		assert(event.key >= key || may_be_rounded(trace));
	trace_cursor_free(cursor);
	text_fini(&out);
}

/* Numbers of rows and their addresses agree. */
static void count_rows(struct trace *trace)
{
	uint64_t rows = trace_status(trace).rows;
	struct trace_bin bins[MAX_BINS];
	int64_t first, last;
	bool exact, wrapped;

	for (uint64_t row = 0; row < rows; row += 1 + rows / MAX_BINS) {
		trace_ref ref = trace_select(trace, row);

		assert(trace_rank(trace, ref, &exact) == row && exact);
		trace_next_trouble(trace, ref, &wrapped);
	}
	if (trace_span(trace, &first, &last))
		trace_density(trace, first, last, MAX_BINS, bins);
}

/* Before the directory is made: by the times of sub-buffers, which may be anything. */
static void seek_early(struct trace *trace)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	int64_t first, last;

	if (trace_span(trace, &first, &last)) {
		int64_t ts = first / 2 + last / 2;

		trace_cursor_seek_time(cursor, ts);
		trace_cursor_next(cursor, &event);
		trace_seek_time(trace, ts, 0);
		trace_select(trace, 100);
	}
	trace_cursor_free(cursor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct trace_options options = { .nr_workers = 1, .hold_permille = 100 };
	const char *path = fuzz_file(data, size);
	struct ft_error err = { 0 };
	struct trace *trace = path ? trace_open(&path, 1, true, &options, &err) : NULL;

	if (!trace)
		return 0;
	seek_early(trace);
	trace_hold(trace, -1);
	trace_wait(trace);
	for (unsigned int file = 0; file < trace_nr_files(trace); file++)
		trace_printer(trace, file);
	read_rows(trace);
	count_rows(trace);
	trace_close(trace);
	return 0;
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	fuzz_add_traces(add, arg);
}
