/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_record - prints the bytes as a record of a recorded trace, in all styles and field by field.
 * The first byte chooses the trace, the next two the event type.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file.h"
#include "parsers/printer/printer.h"
#include "src/base/memory.h"
#include "src/trace/trace.h"

#define MAX_TRACES	64u
#define CHOICE_BYTES	3u
#define MAX_ROWS	50000u	/* of a trace, to find a record of each type */

const char fuzz_name[] = "fuzz_record";

static struct trace *traces[MAX_TRACES];
static unsigned int nr_traces;

static void open_traces(void)
{
	const struct trace_options options = { .nr_workers = 1, .hold_permille = -1 };
	char pattern[4200];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/*/trace.dat", fuzz_recorded());
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc && nr_traces < MAX_TRACES; i++) {
		const char *path = found.gl_pathv[i];
		struct trace *trace = trace_open(&path, 1, true, &options, NULL);

		if (trace && trace_file_nr_formats(trace_file_of(trace, 0)))
			traces[nr_traces++] = trace;
		else
			trace_close(trace);
	}
	globfree(&found);
}

static void print_record(struct trace *trace, const struct print_record *rec,
			 const struct print_record *next)
{
	struct printer *printer = trace_printer(trace, 0);
	struct text out = { 0 };
	bool merged;

	for (enum print_style style = PRINT_TRACE_CMD; style <= PRINT_KERNEL; style++) {
		printer_text(printer, style, rec, NULL, NULL, &out);
		printer_text(printer, style, rec, next, &merged, &out);
	}
	printer_screen(printer, rec, NULL, 10, &out);
	printer_screen(printer, rec, next, 200, &out);
	for (unsigned int i = 0; i < rec->type->nr_fields; i++) {
		printer_field(printer, rec, &rec->type->fields[i], false, &out);
		printer_field(printer, rec, &rec->type->fields[i], true, &out);
	}
	text_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct print_record rec = { 0 };
	struct trace *trace;
	unsigned int nr;
	uint8_t *bytes;

	if (!nr_traces)
		open_traces();
	if (size < CHOICE_BYTES + 2 || !nr_traces)
		return 0;
	trace = traces[data[0] % nr_traces];
	nr = (unsigned int)(data[1] | data[2] << 8) %
	     trace_file_nr_formats(trace_file_of(trace, 0));
	rec.type = event_types_find(trace_event_types(trace, 0),
				    trace_file_format(trace_file_of(trace, 0), nr)->id);
	if (!rec.type)
		return 0;
	rec.size = (uint32_t)(size - CHOICE_BYTES);
	bytes = malloc(rec.size);
	assert(bytes);
	memcpy(bytes, data + CHOICE_BYTES, rec.size);
	rec.data = bytes;
	print_record(trace, &rec, &rec);
	free(bytes);
	return 0;
}

/* A record of each type as it was recorded, once. */
static void add_recorded(unsigned int t, bool *done, unsigned int nr,
			 void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	struct trace_cursor *cursor = trace_cursor_new(traces[t]);
	const struct trace_file *file = trace_file_of(traces[t], 0);
	struct trace_event event;
	struct text seed = { 0 };

	trace_cursor_seek(cursor, trace_first(traces[t]));
	for (unsigned int row = 0; row < MAX_ROWS && trace_cursor_next(cursor, &event); row++) {
		unsigned int i = 0;

		while (i < nr && trace_file_format(file, i)->id != event.type_id)
			i++;
		if (event.kind != TRACE_ROW_EVENT || i == nr || done[i])
			continue;
		done[i] = true;
		text_clear(&seed);
		text_char(&seed, (char)t);
		text_char(&seed, (char)i);
		text_char(&seed, (char)(i >> 8));
		text_bytes(&seed, (const char *)event.data, event.size);
		add(arg, text_str(&seed), seed.len);
	}
	trace_cursor_free(cursor);
	text_fini(&seed);
}

/* The rest of its types: bytes that differ from each other. */
static void add_made(unsigned int t, const bool *done, unsigned int nr,
		     void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	uint8_t seed[CHOICE_BYTES + 200];

	for (unsigned int i = 0; i < nr; i++) {
		for (unsigned int at = CHOICE_BYTES; at < sizeof(seed); at++)
			seed[at] = at % 4 == 3 ? (uint8_t)(at / 3 + i) : 0;
		seed[0] = (uint8_t)t;
		seed[1] = (uint8_t)i;
		seed[2] = (uint8_t)(i >> 8);
		if (!done[i])
			add(arg, seed, sizeof(seed));
	}
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	if (!nr_traces)
		open_traces();
	for (unsigned int t = 0; t < nr_traces; t++) {
		unsigned int nr = trace_file_nr_formats(trace_file_of(traces[t], 0));
		bool *done = mem_array(nr, sizeof(*done));

		add_recorded(t, done, nr, add, arg);
		add_made(t, done, nr, add, arg);
		free(done);
	}
}
