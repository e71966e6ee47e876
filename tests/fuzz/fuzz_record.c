/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_record - prints the bytes as a record of a recorded trace, or of those that have the events
 * of all plugins and of tracers with arguments, in all styles and field by field.  The first byte
 * chooses the trace, the next two the event type.
 */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/source/source.h"
#include "parsers/printer/printer.h"
#include "parsers/source/record_bound.h"
#include "parsers/text/kernel_text.h"
#include "parsers/text/record_text.h"
#include "parsers/writer/trace_writer.h"
#include "src/base/memory.h"
#include "src/trace/trace.h"
#include "tests/lib/made_btf.h"

#define MAX_TRACES	64u
#define CHOICE_BYTES	3u
#define MAX_ROWS	50000u	/* of a trace, to find a record of each type */

const char fuzz_name[] = "fuzz_record";

static struct trace *traces[MAX_TRACES];
static struct printer *later[MAX_TRACES];	/* which print as trace-cmd 3.4 */
static struct kernel_text *kernel[MAX_TRACES][2];	/* without options; with all and with BTF */
static struct btf *btf;			/* of made_btf.h: it has f() */
static unsigned int nr_traces;

static void open_kernel_texts(struct trace *trace, const struct source *file,
			      struct printer *printer)
{
	const struct kernel_text_options all = {
		.sym_offset = true,  .sym_addr = true,	  .no_print_parent = true, .verbose = true,
		.bitmask_list = true, .blk_classic = true, .counts = true,	   .btf = btf,
	};

	for (int i = 0; i < 2; i++)
		kernel[nr_traces][i] = kernel_text_new(file, trace_event_types(trace, 0),
						       printer_kallsyms(printer), i ? &all : NULL);
}

static void open_trace(const char *path)
{
	const struct trace_options options = { .nr_workers = 1, .hold_permille = -1 };
	const struct printer_options as_later = { .era_34 = true };
	struct trace *trace = trace_open(&path, 1, true, &options, NULL);
	const struct source *file = trace ? trace_file_of(trace, 0) : NULL;

	if (!trace || !source_nr_formats(file) || nr_traces == MAX_TRACES) {
		trace_close(trace);
		return;
	}
	later[nr_traces] = printer_new(file, trace_event_types(trace, 0), &as_later);
	open_kernel_texts(trace, file, later[nr_traces]);
	traces[nr_traces++] = trace;
}

/* What a plugin's twin, or the kernel's code, asks for is there, a number of 8 bytes each. */
static void add_format(struct trace_writer *w, const struct text_handler_def *def, int id)
{
	const char *system = def->system ? def->system : "fuzz";
	struct text t = { 0 };

	text_printf(&t, "name: %s\nID: %d\nformat:\n", def->name, id);
	text_add(&t, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n");
	for (int i = 0; i < TEXT_HANDLER_FIELDS && def->fields[i]; i++)
		text_printf(&t, "\tfield:unsigned long %s;\toffset:%d;\tsize:8;\tsigned:0;\n",
			    def->fields[i], 8 + 8 * i);
	text_add(&t, "\nprint fmt: \"x\"\n");
	trace_writer_format(w, system, text_str(&t), t.len);
	text_fini(&t);
}

/* Of tracers; the last field of a record may hold arguments up to its end. */
static const struct text_handler_def tracers[] = {
	{ .system = "ftrace", .name = "function", .fields = { "ip", "parent_ip", "args" } },
	{ .system = "ftrace", .name = "funcgraph_entry",
	  .fields = { "func", "depth", "retaddr", "args" } },
	{ .system = "ftrace", .name = "funcgraph_exit",
	  .fields = { "func", "depth", "calltime", "rettime", "retval" } },
	{ .system = "ftrace", .name = "blktrace",
	  .fields = { "sector", "bytes", "action", "device", "error", "pdu_len" } },
	{ .name = NULL },
};

static void make_trace(const char *path, const struct text_handler_def *defs)
{
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	static const char symbols[] = "0 T f\nf000 T f.part.0\nffffffff81000000 T _stext\n";
	const struct trace_writer_options options = { .version = 7, .long_size = 8,
						      .page_size = 4096 };
	struct trace_writer *w = trace_writer_new(path, &options, NULL);
	static struct made_btf types;	/* borrowed by btf */

	assert(w);
	made_btf_make(&types);
	/* the second f() would hide the first one from libtraceevent */
	types.bytes[types.len - sizeof(MADE_BTF_STRINGS) - 12] = S_E;
	if (!btf)
		btf = btf_new((const char *)types.bytes, types.len);
	trace_writer_text(w, TRACE_TEXT_HEADER_PAGE, page, sizeof(page) - 1);
	for (int i = 0; defs[i].name; i++)
		add_format(w, &defs[i], i + 1);
	trace_writer_text(w, TRACE_TEXT_KALLSYMS, symbols, sizeof(symbols) - 1);
	trace_writer_text(w, TRACE_TEXT_BTF, (const char *)types.bytes, types.len);
	trace_writer_buffer(w, "", "local", 0);
	trace_writer_finish(w, NULL);
}

static void open_traces(void)
{
	char pattern[4200];
	glob_t found;

	make_trace(fuzz_path("plugins"), plugin_handlers);
	open_trace(fuzz_path("plugins"));
	make_trace(fuzz_path("plugins"), tracers);
	open_trace(fuzz_path("plugins"));
	unlink(fuzz_path("plugins"));
	snprintf(pattern, sizeof(pattern), "%s/*/trace.dat", fuzz_recorded());
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		open_trace(found.gl_pathv[i]);
	globfree(&found);
}

static void end_text(struct text *out)
{
	assert(out->len <= RECORD_TEXT_BYTES + strlen("…"));
	text_clear(out);
}

static void print_record(struct printer *printer, const struct print_record *rec,
			 const struct print_record *next)
{
	struct text out = { 0 };
	bool merged;

	for (enum print_style style = PRINT_TRACE_CMD; style <= PRINT_KERNEL; style++) {
		printer_text(printer, style, rec, NULL, NULL, &out);
		end_text(&out);
		printer_text(printer, style, rec, next, &merged, &out);
		end_text(&out);
	}
	printer_screen(printer, rec, NULL, 10, &out);
	end_text(&out);
	printer_screen(printer, rec, next, 200, &out);
	end_text(&out);
	for (unsigned int i = 0; i < rec->type->nr_fields; i++) {
		printer_field(printer, rec, &rec->type->fields[i], false, &out);
		printer_field(printer, rec, &rec->type->fields[i], true, &out);
	}
	text_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct print_record rec = { 0 }, next;
	struct trace *trace;
	struct text out = { 0 };
	unsigned int nr;
	uint8_t *bytes;

	if (!nr_traces)
		open_traces();
	if (size < CHOICE_BYTES + 2 || !nr_traces)
		return 0;
	trace = traces[data[0] % nr_traces];
	nr = (unsigned int)(data[1] | data[2] << 8) % source_nr_formats(trace_file_of(trace, 0));
	rec.type = event_types_find(trace_event_types(trace, 0),
				    source_format(trace_file_of(trace, 0), nr)->id);
	if (!rec.type)
		return 0;
	rec.size = (uint32_t)(size - CHOICE_BYTES);
	bytes = malloc(rec.size);
	assert(bytes);
	memcpy(bytes, data + CHOICE_BYTES, rec.size);
	rec.data = bytes;
	/* an entry's exit has the same function and depth */
	next = rec;
	if (!strcmp(rec.type->name, "funcgraph_entry"))
		next.type = event_types_by_name(trace_event_types(trace, 0), "ftrace",
						"funcgraph_exit");
	if (!next.type)
		next.type = rec.type;
	print_record(trace_printer(trace, 0), &rec, &next);
	print_record(later[data[0] % nr_traces], &rec, &next);
	for (int i = 0; i < 2; i++)
		kernel_text_add(kernel[data[0] % nr_traces][i], &rec, &out);
	text_fini(&out);
	free(bytes);
	return 0;
}

/* A record of each type as it was recorded, once. */
static void add_recorded(unsigned int t, bool *done, unsigned int nr,
			 void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	struct trace_cursor *cursor = trace_cursor_new(traces[t]);
	const struct source *file = trace_file_of(traces[t], 0);
	struct trace_event event;
	struct text seed = { 0 };

	trace_cursor_seek(cursor, trace_first(traces[t]));
	for (unsigned int row = 0; row < MAX_ROWS && trace_cursor_next(cursor, &event); row++) {
		unsigned int i = 0;

		while (i < nr && source_format(file, i)->id != event.type_id)
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

/* Calls of functions with known and with unknown arguments, few and many of them. */
static void add_calls(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	static const uint64_t functions[] = { 1, 0xf001, 0xffffffff81000001 };

	for (unsigned int i = 0; i < 3 * 2 * 2; i++) {
		uint8_t seed[CHOICE_BYTES + 120] = { 1, i & 1 }, *rec = seed + CHOICE_BYTES;

		for (uint32_t at = 8; at < 120; at += 8)
			rec[at] = (uint8_t)at;
		memcpy(rec + 8, &functions[i / 4], 8);
		add(arg, seed, CHOICE_BYTES + (i & 2 ? 120 : 48));
	}
}

/* Records of the blk tracer, in both of its layouts: with each action, with bytes behind them. */
static void add_blk(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	/* its high half: nothing, all but a discarding one, discarding, a command, a message */
	static const uint16_t categories[] = { 0, 0x980e, 0x2000, 0x0200, 0x0400 };

	for (unsigned int i = 0; i < 2 * 17 * 5; i++) {
		const bool second = i % 2;
		uint32_t size = second ? 64 : 48;
		uint32_t action = i / 2 % 17 | (uint32_t)categories[i / 34] << 16;
		uint8_t seed[CHOICE_BYTES + 80] = { 1, 3 }, *rec = seed + CHOICE_BYTES;

		rec[25] = i % 3 ? 2 : 0;				/* bytes: 512 */
		for (int k = 0; k < 4; k++)
			rec[(second ? 32 : 28) + k] = (uint8_t)(action >> 8 * k);
		rec[second ? 50 : 46] = 16;
		for (uint32_t at = size; at < size + 16; at++)
			rec[at] = (uint8_t)(at % 5 ? at : 0);
		add(arg, seed, CHOICE_BYTES + size + 16);
	}
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	if (!nr_traces)
		open_traces();
	add_calls(add, arg);
	add_blk(add, arg);
	for (unsigned int t = 0; t < nr_traces; t++) {
		unsigned int nr = source_nr_formats(trace_file_of(traces[t], 0));
		bool *done = mem_array(nr, sizeof(*done));

		add_recorded(t, done, nr, add, arg);
		add_made(t, done, nr, add, arg);
		free(done);
	}
}
