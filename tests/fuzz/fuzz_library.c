/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_library - takes the bytes as what a helper says that a hostile trace has taken over, and has
 * a printer ask it for all that there is to ask.
 */
#include "parsers/open/open.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "parsers/printer/printer.h"
#include "parsers/printer/printer_wire.h"
#include "parsers/writer/trace_writer.h"

#define MAX_HELPERS	16u
#define MAX_SAID	(128u << 10)	/* of one helper: it must fit into a socket */

const char fuzz_name[] = "fuzz_library";

static const char format[] =
	"name: funcgraph_entry\nID: 11\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%ps %d %pS\", (void *)REC->func, REC->depth, (void *)_stext\n";
static const char symbols[] = "ffffffff81000000 T _stext\nffffffff81001000 T f\n";

static struct source *file;
static struct event_types *types;
static int listening[MAX_HELPERS];	/* other ends of the sockets; nobody reads there */
static unsigned int nr_listening;
static const uint8_t *said;
static size_t said_size;

/* A trace with one event type. */
static void make_file(void)
{
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	const struct trace_writer_options options = { .version = 6, .long_size = 8,
						      .page_size = 4096 };
	char path[] = "/tmp/ftop-fuzz-XXXXXX";
	struct ft_error err = { 0 };
	int fd = mkstemp(path);
	struct trace_writer *w = fd < 0 ? NULL : trace_writer_new(path, &options, &err);

	assert(w);
	close(fd);
	trace_writer_text(w, TRACE_TEXT_HEADER_PAGE, page, sizeof(page) - 1);
	trace_writer_format(w, "ftrace", format, sizeof(format) - 1);
	trace_writer_text(w, TRACE_TEXT_KALLSYMS, symbols, sizeof(symbols) - 1);
	trace_writer_text(w, TRACE_TEXT_CMDLINES, "71 bash\n", 8);
	trace_writer_buffer(w, "", "local", 0);
	trace_writer_finish(w, &err);
	file = source_open(path, -1, &err);
	unlink(path);
	assert(file);
	types = event_types_new(file);
}

/* A helper that says all at once, and then nothing. */
static int start(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	if (send(ends[1], said, said_size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		said_size = 0;
	shutdown(ends[1], SHUT_WR);
	listening[nr_listening++ % MAX_HELPERS] = ends[1];
	return ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct printer_options options = { .library_only = true, .sequential = size & 1 };
	uint8_t bytes[24] = { 11, 0, 0, 0, 71, 0, 0, 0, 0, 0x10, 0, 0x81, 0xff, 0xff, 0xff, 0xff };
	struct print_record rec = { .data = bytes, .size = sizeof(bytes) };
	struct text out = { 0 };
	struct printer *printer;

	if (!file)
		make_file();
	said = data;
	said_size = size < MAX_SAID ? size : MAX_SAID;
	printer_set_helper(start, NULL);
	printer = printer_new(file, types, &options);
	rec.type = event_types_find(types, 11);
	for (enum print_style style = PRINT_TRACE_CMD; style <= PRINT_KERNEL; style++)
		printer_text(printer, style, &rec, &rec, NULL, &out);
	printer_field(printer, &rec, event_type_field(rec.type, "func"), false, &out);
	assert(strlen(printer_comm(printer, 71)) < WIRE_MAX_ANSWER);
	assert(out.len);
	printer_plugins(printer, NULL);
	printer_free(printer);
	text_fini(&out);
	assert(nr_listening <= MAX_HELPERS);
	while (nr_listening)
		close(listening[--nr_listening]);
	return 0;
}

/* What a helper says that keeps to the rules: answers, and questions for symbols before some. */
static void add_answers(void (*add)(void *arg, const void *data, size_t size), void *arg,
			uint32_t flags, bool asks)
{
	struct text said_well = { 0 };

	for (int i = 0; i < 9; i++) {
		struct wire wire = { .what = asks && i % 2 ? WIRE_SYMBOL : WIRE_ANSWER,
				     .bytes = 5, .flags = flags,
				     .number = 0xffffffff81000000 };

		text_bytes(&said_well, (const char *)&wire, sizeof(wire));
		text_bytes(&said_well, "text\n", 5);
	}
	add(arg, text_str(&said_well), said_well.len);
	text_fini(&said_well);
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (int asks = 0; asks < 2; asks++) {
		add_answers(add, arg, 0, asks);
		add_answers(add, arg, WIRE_KNOWN, asks);
		add_answers(add, arg, WIRE_KNOWN | WIRE_IS_USERS, asks);
		add_answers(add, arg, WIRE_KNOWN | WIRE_IS_OWN | WIRE_DEPTH, asks);
	}
}
