/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "parsers/open/open.h"
#include "parsers/printer/printer.h"
#include "parsers/printer/printer_library_format.h"
#include "parsers/printer/printer_wire.h"
#include "parsers/text/record_text.h"
#include "parsers/writer/trace_writer.h"
#include "tests/lib/start_helper.h"

/*
 * A trace without records, made here: formats, symbols, names.  Records are bytes below; the
 * expected texts are what trace-cmd's and the plugins' sources say, and were seen in `trace-cmd
 * report`.
 */
#define COMMON                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(decl, offset, size, sign) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

static const struct {
	const char *system, *text;
} formats[] = {
	{ "ftrace", "name: function\nID: 1\n" COMMON FIELD("unsigned long ip", 8, 8, 0)
		    FIELD("unsigned long parent_ip", 16, 8, 0)
		    "\nprint fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n" },
	{ "ftrace", "name: kernel_stack\nID: 4\n" COMMON FIELD("int size", 8, 4, 1)
		    FIELD("unsigned long caller[8]", 16, 64, 0) "\nprint fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n" },
	{ "ftrace",
	  "name: print\nID: 5\n" COMMON FIELD("unsigned long ip", 8, 8, 0) FIELD("char buf[]", 16, 0, 0)
		    "\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n" },
	{ "ftrace",
	  "name: bprint\nID: 6\n" COMMON FIELD("unsigned long ip", 8, 8, 0) FIELD("const char * fmt", 16, 8, 0)
		    FIELD("u32 buf[]", 24, 0, 0) "\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n" },
	{ "ftrace", "name: funcgraph_entry\nID: 11\n" COMMON FIELD("unsigned long func", 8, 8, 0)
		    FIELD("int depth", 16, 4, 1) "\nprint fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n" },
	{ "ftrace", "name: funcgraph_exit\nID: 10\n" COMMON FIELD("unsigned long func", 8, 8, 0)
		    FIELD("int depth", 16, 4, 1) FIELD("unsigned int overrun", 20, 4, 0)
		    FIELD("unsigned long long calltime", 24, 8, 0) FIELD("unsigned long long rettime", 32, 8, 0)
		    "\nprint fmt: \"<-- %ps (%d)\", (void *)REC->func, REC->depth\n" },
	{ "sched", "name: sched_switch\nID: 300\n" COMMON FIELD("char prev_comm[16]", 8, 16, 0)
		   FIELD("pid_t prev_pid", 24, 4, 1) FIELD("int prev_prio", 28, 4, 1) FIELD("long prev_state", 32, 8, 1)
		   FIELD("char next_comm[16]", 40, 16, 0) FIELD("pid_t next_pid", 56, 4, 1)
		   FIELD("int next_prio", 60, 4, 1)
		   "\nprint fmt: \"prev_comm=%s prev_state=%ld\", REC->prev_comm, REC->prev_state\n" },
	{ "odd", "name: offs\nID: 400\n" COMMON FIELD("s32 offs", 8, 4, 1)
		 "\nprint fmt: \"at=%pS\", (void *)((unsigned long)(_stext) + REC->offs)\n" },
	{ "odd",
	  "name: hexed\nID: 402\n" COMMON FIELD("u32 len", 8, 4, 0) FIELD("u8 bytes[4]", 12, 4, 0)
		 "\nprint fmt: \"%s\", __print_hex(REC->bytes, REC->len)\n" },
	{ "writeback", "name: dirty\nID: 403\n" COMMON FIELD("unsigned long state", 8, 8, 0)
		       "\nprint fmt: \"state=%s\", __print_flags(REC->state, \"|\", {I_DIRTY_SYNC, \"I_DIRTY_SYNC\"}, "
		       "{I_DIRTY_PAGES, \"I_DIRTY_PAGES\"})\n" },
	{ "odd",
	  "name: fields\nID: 405\n" COMMON FIELD("unsigned int vec", 8, 4, 0) FIELD("unsigned int dev", 12, 4, 0)
		 FIELD("s16 small", 16, 2, 1)
		 "\nprint fmt: \"vec=%u [action=%s] dev %d,%d small=%d\", REC->vec, __print_symbolic(REC->vec, { 9, \"RCU\" }), "
		 "((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & 0xfffff)), REC->small\n" },
	{ "raw_syscalls", "name: sys_exit\nID: 406\n" COMMON FIELD("long id", 8, 8, 1)
			  FIELD("long ret", 16, 8, 1)
			  "\nprint fmt: \"NR %ld = %ld\", REC->id, REC->ret\n" },
	{ "block", "name: block_rq_complete\nID: 407\n" COMMON FIELD("dev_t dev", 8, 4, 0)
		   FIELD("int error", 12, 4, 1)
		   "\nprint fmt: \"%d,%d -5 [%d]\", ((unsigned int) ((REC->dev) >> 20)), "
		   "((unsigned int) ((REC->dev) & ((1U << 20) - 1))), REC->error\n" },
	{ "syscalls", "name: sys_exit_openat\nID: 408\n" COMMON FIELD("int __syscall_nr", 8, 4, 1)
		      FIELD("long ret", 16, 8, 1) "\nprint fmt: \"0x%lx\", REC->ret\n" },
	{ "sched", "name: sched_waking\nID: 409\n" COMMON FIELD("char comm[16]", 8, 16, 0)
		   FIELD("pid_t pid", 24, 4, 1) FIELD("int prio", 28, 4, 1) FIELD("int target_cpu", 32, 4, 1)
		   "\nprint fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, "
		   "REC->target_cpu\n" },
	{ "ftrace", "name: timerlat\nID: 411\n" COMMON FIELD("unsigned int seqnum", 8, 4, 0)
		    FIELD("int context", 12, 4, 1) FIELD("u64 timer_latency", 16, 8, 0)
		    "\nprint fmt: \"seq:%u\\tcontext:%d\\ttimer_latency:%llu\\n\", "
		    "REC->seqnum, REC->context, REC->timer_latency\n" },
	{ "odd", "name: longs\nID: 412\n" COMMON FIELD("unsigned long pages", 8, 8, 0)
		 FIELD("unsigned long start", 16, 8, 0) FIELD("unsigned long site", 24, 8, 0)
		 "\nprint fmt: \"pages=%ld start=0x%lx site=%pS\", (long)REC->pages, REC->start, (void *)REC->site\n" },
	{ "uprobes", "name: opened\nID: 404\n" COMMON FIELD("unsigned long __probe_ip", 8, 8, 0)
		     FIELD("__data_loc char[] path", 16, 4, 1) FIELD("__data_loc char[] mode", 20, 4, 1)
		     "\nprint fmt: \"(%lx) path=\\\"%s\\\" mode=\\\"%s\\\"\", REC->__probe_ip, __get_str(path), "
		     "__get_str(mode)\n" },
};

static const char symbols[] = "ffffffff81000000 T _stext\n"
			      "ffffffff81001000 T schedule\n"
			      "ffffffff81002000 t do_work\n"
			      "ffffffff81003000 T end\n";

struct fixture {
	char			path[64];
	struct source	*file;
	struct event_types	*types;
};

static int make(void **state)
{
	static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	static const char printk[] = "0xffffffff82000000 : \"count %d of %s\\n\"\n";
	const struct trace_writer_options options = { .version = 6,
						      .big_endian = HOST_BIG_ENDIAN,
						      .long_size = 8,
						      .page_size = 4096 };
	struct fixture *f = calloc(1, sizeof(*f));
	struct ft_error err = { 0 };
	struct trace_writer *w;
	int fd;

	strcpy(f->path, "/tmp/ftop-printer-XXXXXX");
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	close(fd);
	w = trace_writer_new(f->path, &options, &err);
	assert_non_null(w);
	trace_writer_text(w, TRACE_TEXT_HEADER_PAGE, page, sizeof(page) - 1);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		trace_writer_format(w, formats[i].system, formats[i].text, strlen(formats[i].text));
	trace_writer_text(w, TRACE_TEXT_KALLSYMS, symbols, sizeof(symbols) - 1);
	trace_writer_text(w, TRACE_TEXT_PRINTK, printk, sizeof(printk) - 1);
	trace_writer_text(w, TRACE_TEXT_CMDLINES, "71 bash\n", 8);
	trace_writer_buffer(w, "", "local", 0);
	if (trace_writer_finish(w, &err))
		fail_msg("%s", err.message);
	f->file = source_open(f->path, -1, &err);
	if (!f->file)
		fail_msg("%s", err.message);
	f->types = event_types_new(f->file);
	*state = f;
	return 0;
}

static int clean(void **state)
{
	struct fixture *f = *state;

	event_types_free(f->types);
	source_close(f->file);
	unlink(f->path);
	free(f);
	return 0;
}

static struct printer *open_printer(const struct fixture *f, const struct printer_options *options)
{
	return printer_new(f->file, f->types, options);
}

struct bytes {				/* a record under construction, in the machine's order */
	uint8_t		data[256];
	uint32_t	size;
};

static struct bytes record(int type, int pid, uint32_t size)
{
	struct bytes b = { .size = size };
	uint16_t t = (uint16_t)type;

	memcpy(b.data, &t, 2);
	memcpy(b.data + 4, &pid, 4);
	return b;
}

static void put64(struct bytes *b, int offset, uint64_t v)
{
	memcpy(b->data + offset, &v, 8);
}

static void put32(struct bytes *b, int offset, uint32_t v)
{
	memcpy(b->data + offset, &v, 4);
}

/* Four bytes that are no number, the lowest one first. */
static void put_four(struct bytes *b, int offset, uint32_t v)
{
	store_u32(b->data + offset, v, HOST_BIG_ENDIAN);
}

static struct print_record as_record(const struct fixture *f, const struct bytes *b, int cpu)
{
	uint16_t id;

	memcpy(&id, b->data, 2);
	return (struct print_record){
		.type = event_types_find(f->types, id), .data = b->data, .size = b->size, .cpu = cpu
	};
}

static void check_next(const struct fixture *f, struct printer *p, enum print_style style,
		       const struct bytes *b, const struct bytes *next, const char *expected,
		       bool expected_merged)
{
	struct print_record rec = as_record(f, b, 0), following;
	struct text t = { 0 };
	bool merged = !expected_merged;

	if (next)
		following = as_record(f, next, 0);
	text_add(&t, "x");
	printer_text(p, style, &rec, next ? &following : NULL, &merged, &t);
	assert_string_equal(text_str(&t) + 1, expected);
	assert_int_equal(merged, expected_merged);
	text_fini(&t);
}

static void check(const struct fixture *f, struct printer *p, enum print_style style,
		  const struct bytes *b, const char *expected)
{
	check_next(f, p, style, b, NULL, expected, false);
}

static void check_screen(const struct fixture *f, struct printer *p, const struct bytes *b,
			 const struct bytes *exit, int cells, const char *expected)
{
	struct print_record rec = as_record(f, b, 0), end;
	struct text t = { 0 };

	if (exit)
		end = as_record(f, exit, 0);
	text_add(&t, "-10 ");
	printer_screen(p, &rec, exit ? &end : NULL, cells, &t);
	assert_string_equal(text_str(&t) + 4, expected);
	text_fini(&t);
}

static struct bytes entry(uint64_t func, uint32_t depth, int pid)
{
	struct bytes b = record(11, pid, 24);

	put64(&b, 8, func);
	put32(&b, 16, depth);
	return b;
}

static struct bytes leave(uint64_t func, uint32_t depth, int pid, uint64_t ns)
{
	struct bytes b = record(10, pid, 40);

	put64(&b, 8, func);
	put32(&b, 16, depth);
	put64(&b, 24, 1000);
	put64(&b, 32, 1000 + ns);
	return b;
}

#define SCHEDULE 0xffffffff81001000
#define DO_WORK	 0xffffffff81002000

static void test_graph(void **state)
{
	struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	struct bytes e = entry(SCHEDULE, 2, 71), x = leave(SCHEDULE, 2, 71, 245),
		     other = leave(SCHEDULE, 2, 72, 245);

	check_next(f, p, PRINT_TRACE_CMD, &e, &x, "  0.245 us   |      schedule();", true);
	check_next(f, p, PRINT_TRACE_CMD, &e, &other, "             |      schedule() {", false);
	check_next(f, p, PRINT_TRACE_CMD, &e, NULL, "             |      schedule() {", false);
	check_next(f, p, PRINT_TRACE_CMD, &e, &e, "             |      schedule() {", false);
	check(f, p, PRINT_TRACE_CMD, &x, "  0.245 us   |      }");
	/*
	 * marks: strictly above 10 us, 100 us, 1 ms, 1 s; three decimals until there are 7 digits
	 */
	x = leave(SCHEDULE, 0, 71, 10000);
	check(f, p, PRINT_TRACE_CMD, &x, "  10.000 us  |  }");
	x = leave(SCHEDULE, 0, 71, 10001);
	check(f, p, PRINT_TRACE_CMD, &x, "+ 10.001 us  |  }");
	x = leave(SCHEDULE, 0, 71, 100000);
	check(f, p, PRINT_TRACE_CMD, &x, "+ 100.000 us |  }");
	x = leave(SCHEDULE, 0, 71, 100001);
	check(f, p, PRINT_TRACE_CMD, &x, "! 100.001 us |  }");
	x = leave(SCHEDULE, 0, 71, 20238337);
	check(f, p, PRINT_TRACE_CMD, &x, "# 20238.337 us |  }");
	x = leave(SCHEDULE, 0, 71, 1643576000);
	check(f, p, PRINT_TRACE_CMD, &x, "$ 1643576 us |  }");
	/* no symbol; a depth that is rubbish does not fill the memory */
	e = entry(0x1234, 1, 71);
	check(f, p, PRINT_TRACE_CMD, &e, "             |    1234() {");
	e = entry(0x1234, 0xffffffff, 71);
	check(f, p, PRINT_TRACE_CMD, &e, "             |  1234() {");
	printer_free(p);
}

static void test_short_style(void **state)
{
	struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	struct bytes e = entry(SCHEDULE, 2, 71), x = leave(SCHEDULE, 2, 71, 1322),
		     fn = record(1, 71, 24);

	check_screen(f, p, &e, &x, 99, "schedule();  1.322 µs");
	check_screen(f, p, &e, NULL, 99, "schedule() {");
	check_screen(f, p, &x, NULL, 99, "} /* schedule 1.322 µs */");
	x = leave(SCHEDULE, 2, 71, 10940);
	check_screen(f, p, &e, &x, 99, "schedule(); +10.94 µs");
	x = leave(DO_WORK, 2, 71, 20238315000);
	check_screen(f, p, &x, NULL, 99, "} /* do_work 20.24 s */");
	put64(&fn, 8, DO_WORK);
	put64(&fn, 16, SCHEDULE + 0x10);
	check_screen(f, p, &fn, NULL, 99, "do_work <-schedule");
	printer_free(p);
}

/* The short form takes over where the kernel's text does not fit. */
static void test_short_forms(void **state)
{
	static const char whole[] = "comm=sh pid=80 prio=120 target_cpu=003";
	const int fits = (int)sizeof(whole) - 1;
	struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	struct bytes b = record(409, 71, 36);

	strcpy((char *)b.data + 8, "sh");
	put32(&b, 24, 80);
	put32(&b, 28, 120);
	put32(&b, 32, 3);
	check_screen(f, p, &b, NULL, fits, whole);
	check_screen(f, p, &b, NULL, fits - 1, "sh-80 [120] → CPU 3");
	check_screen(f, p, &b, NULL, 0, "sh-80 [120] → CPU 3");
	b = record(411, 71, 24);
	put32(&b, 8, 109);
	put32(&b, 12, 1);
	put64(&b, 16, 7418000);
	check_screen(f, p, &b, NULL, 0, "#109 thread 7.418 ms");
	put32(&b, 12, 7);
	check_screen(f, p, &b, NULL, 0, "#109 7 7.418 ms");
	printer_free(p);
}

/* Errors have names on the screen, and only there; a number that is not the error stays. */
static void test_names_of_errors(void **state)
{
	struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	struct bytes b = record(406, 71, 24), c = record(407, 71, 16), d = record(408, 71, 24);

	put64(&b, 8, 61);
	put64(&b, 16, (uint64_t)-10);
	check(f, p, PRINT_KERNEL, &b, "NR 61 = -10");
	put32(&c, 8, 254 << 20 | 16);
	put32(&c, 12, (uint32_t)-5);
	put32(&d, 8, 257);
	put64(&d, 16, (uint64_t)-2);
	check(f, p, PRINT_KERNEL, &d, "sys_openat -> 0xfffffffffffffffe");
#ifdef HAVE_STRERRORNAME_NP
	check_screen(f, p, &b, NULL, 0, "NR 61 = ECHILD");
	check_screen(f, p, &c, NULL, 0, "254,16 -5 [EIO]");
	check_screen(f, p, &d, NULL, 0, "sys_openat -> ENOENT");
#endif
	put64(&d, 16, 3);
	check_screen(f, p, &d, NULL, 0, "sys_openat -> 0x3");
	put64(&d, 16, (uint64_t)-8192);
	check_screen(f, p, &d, NULL, 0, "sys_openat -> 0xffffffffffffe000");
	printer_free(p);
}

static void test_graph_options(void **state)
{
	static const char *const given[] = { "fgraph:tailprint=1", "fgraph:depth=1" };
	const struct printer_options options = { .plugin_options = given, .nr_plugin_options = 2 };
	struct fixture *f = *state;
	struct printer *p = open_printer(f, &options);
	struct bytes e = entry(SCHEDULE, 2, 71), x = leave(SCHEDULE, 2, 71, 1322);

	check(f, p, PRINT_TRACE_CMD, &e, "             |      schedule() { (2)");
	check(f, p, PRINT_TRACE_CMD, &x, "  1.322 us   |      } /* schedule */ (2)");
	printer_free(p);
}

static void test_no_plugins_and_raw(void **state)
{
	const struct printer_options options = { .no_plugins = true };
	struct fixture *f = *state;
	struct printer *p = open_printer(f, &options);
	struct bytes e = entry(SCHEDULE, 2, 71), x = leave(SCHEDULE, 2, 71, 1322);
	const char *why;

	check_next(f, p, PRINT_TRACE_CMD, &e, &x, "--> schedule (2)", false);
	check_next(f, p, PRINT_TRACE_CMD_RAW, &e, &x, " func=schedule depth=2", false);
	assert_null(printer_plugins(p, &why));
	assert_string_equal(why, "switched off");
	printer_free(p);
}

static void test_function_indent(void **state)
{
	const struct printer_options options = { .sequential = true };
	struct fixture *f = *state;
	struct printer *p = open_printer(f, &options);
	struct bytes a = record(1, 71, 24), b = record(1, 71, 24);

	put64(&a, 8, SCHEDULE);
	put64(&a, 16, DO_WORK);
	put64(&b, 8, SCHEDULE + 0x1000);	/* do_work, called by schedule */
	put64(&b, 16, SCHEDULE);
	if (printer_plugins(p, NULL)) {
		check(f, p, PRINT_TRACE_CMD, &a, "schedule");
		check(f, p, PRINT_TRACE_CMD, &b, "   do_work");
	} else {
		check(f, p, PRINT_TRACE_CMD, &a, "schedule <-- do_work");
	}
	printer_free(p);
	/* out of order: no indent by chance */
	p = open_printer(f, NULL);
	if (printer_plugins(p, NULL)) {
		check(f, p, PRINT_TRACE_CMD, &a, "schedule");
		check(f, p, PRINT_TRACE_CMD, &b, "do_work");
	} else {
		check(f, p, PRINT_TRACE_CMD, &b, "do_work <-- schedule");
	}
	printer_free(p);
}

static void test_names_learnt_from_sched_events(void **state)
{
	const struct printer_options options = { .sequential = true };
	struct fixture *f = *state;
	struct printer *p = open_printer(f, &options);
	struct bytes sw = record(300, 71, 64);

	strcpy((char *)sw.data + 8, "prev");
	put32(&sw, 24, 90);
	put32(&sw, 28, 120);
	put64(&sw, 32, 0x80);
	strcpy((char *)sw.data + 40, "sixteen bytes...");
	put32(&sw, 56, 71);
	put32(&sw, 60, 99);
	assert_string_equal(printer_comm(p, 0), "<idle>");
	assert_string_equal(printer_comm(p, 71), "bash");
	assert_string_equal(printer_comm(p, 90), "<...>");
	if (printer_plugins(p, NULL)) {
		check(f, p, PRINT_TRACE_CMD, &sw, "prev:90 [120] W ==> sixteen bytes...:71 [99]");
		assert_string_equal(printer_comm(p, 90), "prev");
		assert_string_equal(printer_comm(p, 71), "bash");
	}
	/* the state's true letter, from Linux 4.14 on */
	check_screen(f, p, &sw, NULL, 0, "I → sixteen bytes...-71 [99]");
	printer_free(p);
}

static void test_texts_of_the_library(void **state)
{
	struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	struct bytes b = record(6, 71, 40);

	put64(&b, 8, DO_WORK);
	put64(&b, 16, 0xffffffff82000000);
	put32(&b, 24, 7);
	strcpy((char *)b.data + 28, "nine");
	check(f, p, PRINT_TRACE_CMD, &b, "do_work: count 7 of nine");
	b = record(5, 71, 32);
	put64(&b, 8, DO_WORK + 4);
	strcpy((char *)b.data + 16, "two\nlines\n");
	check(f, p, PRINT_TRACE_CMD, &b, "do_work: two\nlines");
	b = record(400, 71, 12);
	put32(&b, 8, 0x1005);
	check(f, p, PRINT_TRACE_CMD, &b, "at=schedule+0x5");
	b = record(402, 71, 16);
	put32(&b, 8, 3);
	put_four(&b, 12, 0x04030201);
	check(f, p, PRINT_TRACE_CMD, &b, "01 02 03");
	put32(&b, 8, 0x7fffffff);	/* far outside of the record: the fields as they are */
	check(f, p, PRINT_TRACE_CMD, &b, "[FAILED TO PARSE] len=2147483647 bytes=01 02 03 04");
	b = record(999, 71, 12);
	check(f, p, PRINT_TRACE_CMD, &b, "[UNKNOWN EVENT]");
	assert_null(printer_event_name(p, 999));
	assert_string_equal(printer_event_name(p, 300), "sched_switch");
	if (printer_plugins(p, NULL)) {
		b = record(4, 71, 40);
		put64(&b, 16, SCHEDULE + 0x30);
		put64(&b, 24, 0x10);
		put64(&b, 32, UINT64_MAX);
		check(f, p, PRINT_TRACE_CMD, &b,
		      "<stack trace >\n=> schedule (ffffffff81001030)\n=> 10");
	}
	printer_free(p);
}

/* What the kernel's trace file says where the format alone would not tell: seen on 6.18. */
static void check_kernel(const struct fixture *f, struct record_text *rt, const struct bytes *b,
			 const char *expected)
{
	struct print_record rec = as_record(f, b, 0);
	struct text t = { 0 };

	assert_true(record_text_add(rt, TEXT_KERNEL, &rec, NULL, NULL, &t));
	assert_string_equal(text_str(&t), expected);
	text_fini(&t);
}

static void check_field(const struct fixture *f, struct record_text *rt, const struct bytes *b,
			const char *name, const char *expected)
{
	struct print_record rec = as_record(f, b, 0);
	struct text t = { 0 };

	assert_int_equal(record_text_field(rt, TEXT_KERNEL, &rec, event_type_field(rec.type, name),
					   &t),
			 expected != NULL);
	assert_string_equal(text_str(&t), expected ? expected : "");
	text_fini(&t);
}

static void check_address(const struct fixture *f, struct record_text *rt, int id, const char *name,
			  bool expected)
{
	const struct event_type *type = event_types_find(f->types, id);

	assert_int_equal(record_text_is_address(rt, type, event_type_field(type, name)), expected);
}

/* A field is shown by its name where it has one, and by nothing that is worked out of it. */
static void test_fields_of_the_kernel(void **state)
{
	const struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	struct record_text *rt = record_text_new(f->file, f->types, printer_kallsyms(p), NULL);
	struct bytes b = record(405, 71, 20);

	put32(&b, 8, 9);
	put32(&b, 12, 254 << 20);
	store_u16(b.data + 16, 0xffbd, false);
	check_field(f, rt, &b, "vec", "RCU");
	check_field(f, rt, &b, "dev", NULL);
	check_field(f, rt, &b, "small", "-67");
	check_address(f, rt, 405, "vec", false);
	check_address(f, rt, 412, "pages", false);	/* though -1 is as large as an address */
	check_address(f, rt, 412, "start", true);
	check_address(f, rt, 412, "site", true);
	check_address(f, rt, 4, "caller", true);
	check_address(f, rt, 404, "__probe_ip", true);
	record_text_free(rt);
	printer_free(p);
}

static void test_texts_of_the_kernel(void **state)
{
	const struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	struct record_text *rt = record_text_new(f->file, f->types, printer_kallsyms(p), NULL);
	struct bytes b = record(403, 71, 16), probe = record(404, 71, 32);

	put64(&b, 8, 0x50);		/* names of an enum that the format does not tell */
	check_kernel(f, rt, &b, "state=I_DIRTY_SYNC|I_DIRTY_PAGES");
	put64(&probe, 8, 0x401234);
	put32(&probe, 16, 4 << 16 | 24);
	memcpy(probe.data + 24, "a\"b", 4);
	put32(&probe, 20, 1 << 16 | 27);
	check_kernel(f, rt, &probe, "(0x401234) path=\"a\"b\" mode=\"\"");
	put32(&probe, 16, 24);		/* could not be read */
	check_kernel(f, rt, &probe, "(0x401234) path=(fault) mode=\"\"");
	put32(&probe, 20, 27);
	check_kernel(f, rt, &probe, "(0x401234) path=(fault) mode=(fault)");
	check(f, p, PRINT_TRACE_CMD, &probe, "(401234) path=\"\" mode=\"\"");
	record_text_free(rt);
	printer_free(p);
}

static void test_fields(void **state)
{
	struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	struct bytes e = entry(SCHEDULE, 2, 71);
	struct print_record rec = as_record(f, &e, 0);
	struct text t = { 0 };

	printer_field(p, &rec, event_type_field(rec.type, "func"), true, &t);
	assert_string_equal(text_str(&t), "0xffffffff81001000");
	text_clear(&t);
	printer_field(p, &rec, event_type_field(rec.type, "func"), false, &t);
	assert_string_equal(text_str(&t), "schedule");
	text_clear(&t);
	printer_field(p, &rec, event_type_field(rec.type, "depth"), true, &t);
	assert_string_equal(text_str(&t), "2");
	text_fini(&t);
	printer_free(p);
}

/* The text of a record with other bytes behind it; @fill: of those bytes. */
static void wild_text(struct printer *p, enum print_style style, const struct print_record *rec,
		      uint8_t fill, struct text *out)
{
	struct print_record copy = *rec;
	uint8_t *bytes = malloc(rec->size + 64);

	memset(bytes, fill, rec->size + 64);
	memcpy(bytes, rec->data, rec->size);
	copy.data = bytes;
	text_clear(out);
	printer_text(p, style, &copy, &copy, NULL, out);
	free(bytes);
}

/*
 * Records cut anywhere and filled with anything: some text, the same whatever stands behind them in
 * memory.
 */
static void test_short_and_wild_records(void **state)
{
	static const int ids[] = { 1, 4, 5, 6, 10, 11, 300, 400, 402 };
	struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	struct text t = { 0 }, other = { 0 };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		for (uint32_t size = 2; size < 80; size += 3)
			for (int fill = 0; fill < 256; fill += 51) {
				struct bytes b = record(ids[i], 71, size);
				uint8_t *exact = malloc(size);
				struct print_record rec;

				memset(b.data + 4, fill, sizeof(b.data) - 4);
				rec = as_record(f, &b, 0);
				memcpy(exact, b.data, size);
				rec.data = exact;	/* the sanitizer sees each read behind it */
				for (enum print_style style = PRINT_TRACE_CMD;
				     style <= PRINT_KERNEL; style++) {
					text_clear(&t);
					printer_text(p, style, &rec, &rec, NULL, &t);
					assert_true(t.len < 65536);
					wild_text(p, style, &rec, 0x41, &other);
					assert_string_equal(text_str(&t), text_str(&other));
					wild_text(p, style, &rec, 0xff, &other);
					assert_string_equal(text_str(&t), text_str(&other));
				}
				free(exact);
			}
	text_fini(&t);
	text_fini(&other);
	printer_free(p);
}

/* --- print formats that the library must not see -------------------------- */

static void test_bounded_formats(void **state)
{
	static const struct {
		const char *print_fmt;
		bool bounded;
	} cases[] = {
		{ "\"%d\", REC->a / 2 % 10", true },
		{ "\"1 / 0 %d\", 10 / 0x10", true },
		{ "\"%d\", 1 / 0", false },
		{ "\"%d\", 1 %  (0x0)", false },
		{ "\"%s\", __print_array(REC->a, REC->n / 2, 8)", true },
		{ "\"%s\", __print_array(__get_dynamic_array(a), __get_dynamic_array_len(a), 1)",
		  true },
		{ "\"%s\", __print_array(REC->a, 2000000000, 8)", false },
		{ "\"%s\", __print_array(REC->a + 100000000, 10, 8)", false },
		{ "\"%s\", __print_hex(REC->a, 65535), 100000 * REC->n", true },
		{ "\"%s\", __print_hex(REC->a, 65536)", false },
		{ "\"%s\", __print_hex_str(REC->a, REC->n * 1000)", false },
		{ "\"%s\", __print_symbolic(REC->n, { 65536 * 2, \"b\" }, { -1, \"c\" })", true },
	};
	struct text deep = { 0 };
	struct event_type type = { .fields = NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		type.print_fmt = cases[i].print_fmt;
		if (printer_library_format_is_bounded(&type) != cases[i].bounded)
			fail_msg("%s", type.print_fmt);
	}
	for (const char *c = "!~(-"; *c; c++) {
		text_clear(&deep);
		text_add(&deep, "\"%d\", ");
		for (int i = 0; i < 600; i++)
			text_char(&deep, *c);
		type.print_fmt = text_str(&deep);
		assert_false(printer_library_format_is_bounded(&type));
	}
	text_clear(&deep);
	text_char(&deep, '"');
	for (int i = 0; i < 65536; i++)
		text_char(&deep, 'a');
	text_add(&deep, "\"");
	type.print_fmt = text_str(&deep);
	assert_false(printer_library_format_is_bounded(&type));
	type.print_fmt += 2;
	assert_true(printer_library_format_is_bounded(&type));
	text_fini(&deep);
}

/* --- a helper that dies --------------------------------------------------- */

static int deadly, helpers;
static bool hates_single;	/* dies when asked for one text */

/* Be the helper, through another one, until question number @deadly. */
static void serve_for_a_while(int fd)
{
	int helper = start_helper(), nr = 0;
	struct text bytes = { 0 };
	struct wire wire;

	while (!wire_receive(fd, &wire, &bytes, WIRE_MAX_QUESTION, FRAMING_NO_LIMIT)) {
		if (wire.what != WIRE_ANSWER && ++nr == deadly)
			break;
		if (wire.what == WIRE_TEXT && hates_single)
			break;
		if (wire_send(helper, &wire, text_str(&bytes), FRAMING_NO_LIMIT) ||
		    wire_receive(helper, &wire, &bytes, WIRE_MAX_ANSWER, FRAMING_NO_LIMIT) ||
		    wire_send(fd, &wire, text_str(&bytes), FRAMING_NO_LIMIT))
			break;
	}
	_exit(0);
}

static int start_mortal(void)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	helpers++;
	if (!fork()) {
		close(ends[0]);
		serve_for_a_while(ends[1]);
	}
	close(ends[1]);
	return ends[0];
}

static void check_either(const struct fixture *f, struct printer *p, const struct bytes *b,
			 const char *text, const char *fields)
{
	struct print_record rec = as_record(f, b, 0);
	struct text t = { 0 };

	printer_text(p, PRINT_TRACE_CMD, &rec, NULL, NULL, &t);
	if (strcmp(text_str(&t), text) != 0)
		assert_string_equal(text_str(&t), fields);
	text_fini(&t);
}

static bool is_noted(const struct fixture *f, const char *what)
{
	for (unsigned int i = 0; i < source_nr_warnings(f->file); i++) {
		struct ft_error note = source_warning(f->file, i);

		if (!strcmp(note.message, what))
			return true;
	}
	return false;
}

/* One that asks for symbols without an end, and then says nothing: it is not waited for long. */
static int start_slow(void)
{
	const struct wire ask = { .what = WIRE_SYMBOL, .number = SCHEDULE };
	struct text bytes = { 0 };
	struct wire wire;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	helpers++;
	if (!fork()) {
		close(ends[0]);
		wire_receive(ends[1], &wire, &bytes, WIRE_MAX_QUESTION, FRAMING_NO_LIMIT);
		for (int64_t until = framing_now() + 1000; framing_now() < until;)
			if (wire_send(ends[1], &ask, NULL, FRAMING_NO_LIMIT) ||
			    wire_receive(ends[1], &wire, &bytes, WIRE_MAX_ANSWER, FRAMING_NO_LIMIT))
				_exit(1);
		wire_receive(ends[1], &wire, &bytes, WIRE_MAX_ANSWER, FRAMING_NO_LIMIT);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

static void test_helper_is_slow(void **state)
{
	struct fixture *f = *state;
	struct printer *p = open_printer(f, NULL);
	int64_t begin = framing_now();

	printer_set_helper(start_slow, NULL);
	helpers = 0;
	assert_null(printer_plugins(p, NULL));
	assert_in_range(framing_now() - begin, 4000, 30000);
	assert_int_equal(helpers, 1);
	printer_free(p);
	printer_set_helper(start_helper, NULL);
}

/* Whenever it dies, an event has its text or its fields, and later ones have their texts. */
static void test_helper_dies(void **state)
{
	const struct printer_options options = { .library_only = true };
	struct fixture *f = *state;
	struct bytes offs = record(400, 71, 12), hexed = record(402, 71, 16);
	struct printer *p;

	put32(&offs, 8, 0x1005);
	put32(&hexed, 8, 3);
	put_four(&hexed, 12, 0x04030201);
	printer_set_helper(start_mortal, NULL);
	for (deadly = 2; deadly < 12; deadly++) {
		p = open_printer(f, &options);
		helpers = 0;
		for (int i = 0; i < 3; i++) {
			check_either(f, p, &offs, "at=schedule+0x5", "[FAILED TO PARSE] offs=4101");
			check_either(f, p, &hexed, "01 02 03",
				     "[FAILED TO PARSE] len=3 bytes=01 02 03 04");
		}
		assert_in_range(helpers, 1, 10);
		printer_free(p);
	}
	assert_true(is_noted(f, "libtraceevent fails on the event odd:offs: its fields are shown"));
	assert_true(
		is_noted(f, "libtraceevent fails on the event odd:hexed: its fields are shown"));
	assert_false(is_noted(f, "libtraceevent could not be started"));
	deadly = 1;			/* while it loads the plugins */
	helpers = 0;
	p = open_printer(f, &options);
	for (int i = 0; i < 3; i++)
		check(f, p, PRINT_TRACE_CMD, &offs, "[FAILED TO PARSE] offs=4101");
	assert_int_equal(helpers, 1);
	assert_null(printer_plugins(p, NULL));
	printer_free(p);
	printer_set_helper(start_helper, NULL);
}

/* --- many texts in one question -------------------------------------------- */

struct many {
	struct text	out;
	uint64_t	notes[600];
	unsigned int	nr;
};

static void print_later(const struct fixture *f, struct printer *p, const struct bytes *b,
			struct many *many)
{
	struct print_record rec = as_record(f, b, 0);

	printer_text_later(p, PRINT_TRACE_CMD, &rec, &many->out, &many->notes[many->nr++]);
}

static bool has_text(const struct many *many, unsigned int i, const char *text)
{
	size_t at = many->notes[i] >> 32, len = (uint32_t)many->notes[i];

	assert_in_range(at + len, len, many->out.len);
	return len == strlen(text) && !memcmp(text_str(&many->out) + at, text, len);
}

/* Two types, one of which needs symbols, and one that libtraceevent does not know. */
static void print_many(const struct fixture *f, struct printer *p, struct many *many)
{
	struct bytes offs = record(400, 71, 12), hexed = record(402, 71, 16);
	struct bytes unknown = record(999, 71, 12);

	*many = (struct many){ .nr = 0 };
	put32(&hexed, 8, 3);
	for (int i = 0; i < 200; i++) {
		put32(&offs, 8, 0x1000 + i);
		put_four(&hexed, 12, 0x04030000 + i);
		print_later(f, p, &offs, many);
		print_later(f, p, &hexed, many);
		print_later(f, p, &unknown, many);
	}
	printer_finish_texts(p);
}

/* Return: how many have their fields instead of their texts. */
static int check_many(const struct many *many)
{
	int fields = 0;

	for (int i = 0; i < 200; i++) {
		char offs[40], hexed[40], offs_fields[60], hexed_fields[60];

		snprintf(offs, sizeof(offs), "at=schedule+0x%x", i);
		snprintf(hexed, sizeof(hexed), "%02x 00 03", i);
		snprintf(offs_fields, sizeof(offs_fields), "[FAILED TO PARSE] offs=%d", 0x1000 + i);
		snprintf(hexed_fields, sizeof(hexed_fields),
			 "[FAILED TO PARSE] len=3 bytes=%02x 00 03 04", i);
		fields += has_text(many, 3 * i, offs_fields) +
			  has_text(many, 3 * i + 1, hexed_fields);
		assert_true(has_text(many, 3 * i, offs) || has_text(many, 3 * i, offs_fields));
		assert_true(has_text(many, 3 * i + 1, hexed) ||
			    has_text(many, 3 * i + 1, hexed_fields));
		assert_true(has_text(many, 3 * i + 2, "[UNKNOWN EVENT]"));
	}
	return fields;
}

static void test_many_texts(void **state)
{
	const struct printer_options options = { .library_only = true };
	struct fixture *f = *state;
	struct bytes offs = record(400, 71, 12);
	struct printer *p = open_printer(f, &options);
	struct many many;

	deadly = 0;
	helpers = 0;
	hates_single = true;
	printer_set_helper(start_mortal, NULL);
	print_many(f, p, &many);
	assert_int_equal(check_many(&many), 0);
	assert_int_equal(helpers, 1);
	hates_single = false;
	text_fini(&many.out);
	printer_free(p);
	p = open_printer(f, &options);
	print_many(f, p, &many);
	/* what is asked alone comes after those that wait */
	put32(&offs, 8, 0x1005);
	many.nr = 0;
	text_clear(&many.out);
	print_later(f, p, &offs, &many);
	many.notes[0] = 0;
	check(f, p, PRINT_TRACE_CMD, &offs, "at=schedule+0x5");
	assert_true(has_text(&many, 0, "at=schedule+0x5"));
	text_fini(&many.out);
	printer_free(p);
	printer_set_helper(start_helper, NULL);
}

/* All have their texts, but those of a type of which a helper died alone have their fields. */
static void test_helper_dies_of_many(void **state)
{
	const struct printer_options options = { .library_only = true };
	struct fixture *f = *state;
	struct many many;
	struct printer *p;

	printer_set_helper(start_mortal, NULL);
	for (deadly = 4; deadly < 12; deadly++) {
		p = open_printer(f, &options);
		helpers = 0;
		print_many(f, p, &many);
		check_many(&many);
		assert_in_range(helpers, 1, 10);
		text_fini(&many.out);
		printer_free(p);
	}
	printer_set_helper(start_helper, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_short_style),
		cmocka_unit_test(test_short_forms),
		cmocka_unit_test(test_names_of_errors),
		cmocka_unit_test(test_no_plugins_and_raw),
		cmocka_unit_test(test_function_indent),
		cmocka_unit_test(test_names_learnt_from_sched_events),
		cmocka_unit_test(test_texts_of_the_library),
		cmocka_unit_test(test_texts_of_the_kernel),
		cmocka_unit_test(test_fields_of_the_kernel),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_short_and_wild_records),
		cmocka_unit_test(test_graph_options),
		cmocka_unit_test(test_bounded_formats),
		cmocka_unit_test(test_helper_dies),
		cmocka_unit_test(test_helper_is_slow),
		cmocka_unit_test(test_many_texts),
		cmocka_unit_test(test_helper_dies_of_many),
	};

	printer_set_helper(start_helper, NULL);
	return cmocka_run_group_tests(tests, make, clean);
}
