/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small traces of Perfetto, packet by packet, and what is damaged of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "parsers/io/byte_reader.h"
#include "parsers/perfetto/proto_reader.h"
#include "parsers/source/sub_buffer.h"
#include "parsers/types/event_types.h"
#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "tests/lib/file_bytes.h"
#include "tests/lib/perfetto_bytes.h"

#define MAX_ROWS	4096u

struct row {
	uint64_t	 ts;
	bool		 is_lost;	/* events were, before it */
	int		 cpu, pid, buffer;
	char		 text[200];	/* "NAME FIELD=VALUE …" */
};

static struct perfetto_bytes b;
static struct row rows[MAX_ROWS];
static unsigned int nr_rows;

/* The fields of a record by its format, numbers as they are. */
static void describe(const struct event_type *type, const struct record *rec, struct row *row)
{
	struct text t = { 0 };

	text_add(&t, type->name);
	for (unsigned int i = type->nr_common; i < type->nr_fields; i++) {
		const struct event_field *f = &type->fields[i];
		struct field_span s = field_bytes(f, rec->data, rec->size, false);

		text_printf(&t, " %s=", f->name);
		if (f->kind == FIELD_STRING || f->kind == FIELD_DYNAMIC_STRING)
			text_printf(&t, "%.*s", (int)s.len, (const char *)s.data);
		else if (event_field_is_number(f))
			text_i64(&t, (int64_t)field_u64(f, rec->data, rec->size, false));
		else
			for (uint32_t k = 0; k < s.len / f->element_size; k++)
				text_printf(&t, "%llu,",
					    (unsigned long long)field_element(f, s, k, false));
	}
	snprintf(row->text, sizeof(row->text), "%s", text_str(&t));
	text_fini(&t);
}

static void read_rows(const struct source *source, struct event_types *types, unsigned int stream)
{
	struct page_reader *reader = page_reader_new(source, 1 << 20);
	const struct source_stream *s = source_stream(source, stream);

	for (uint64_t page = 0; page < source_stream_pages(source, stream); page++) {
		uint32_t nr, last;
		const uint8_t *bytes = page_reader_get(reader, stream, page, &nr, &last);
		struct sub_buffer sb;
		struct record rec;
		bool lost;

		assert_non_null(bytes);
		sub_buffer_open(&sb, &source_buffer(source, 0)->layout, bytes, last);
		lost = sb.lost;
		while (sub_buffer_next(&sb, &rec) && nr_rows < MAX_ROWS) {
			const struct event_type *type = event_types_find(types,
									 load_u16(rec.data, false));

			assert_non_null(type);
			rows[nr_rows] = (struct row){ .ts = rec.ts, .is_lost = lost, .cpu = s->cpu,
						      .pid = (int)load_u32(rec.data + 4, false),
						      .buffer = s->buffer };
			describe(type, &rec, &rows[nr_rows++]);
			lost = false;
		}
		assert_int_equal(sb.damage, SUB_BUFFER_SOUND);
	}
	page_reader_free(reader);
}

static struct source *open_bytes(const void *data, size_t len)
{
	struct file_bytes file = { .len = len };
	struct ft_error err = { 0 };
	struct source *source;
	struct event_types *types;

	assert_true(len <= sizeof(file.data));
	memcpy(file.data, data, len);
	source = fb_open(&file, &err);
	nr_rows = 0;
	if (!source)
		return NULL;
	types = event_types_new(source);
	for (unsigned int i = 0; i < source_nr_streams(source); i++)
		read_rows(source, types, i);
	event_types_free(types);
	return source;
}

static struct source *open_it(void)
{
	struct source *source = open_bytes(text_str(&b.t), b.t.len);

	assert_non_null(source);
	text_clear(&b.t);
	return source;
}

static void check_row(unsigned int i, uint64_t ts, int cpu, int pid, const char *text)
{
	assert_true(i < nr_rows);
	assert_string_equal(rows[i].text, text);
	assert_int_equal(rows[i].ts, ts);
	assert_int_equal(rows[i].cpu, cpu);
	assert_int_equal(rows[i].pid, pid);
}

#define SWITCH(from, to)                                                                           \
	"sched_switch prev_comm=from prev_pid=" #from " prev_prio=120 prev_state=1 next_comm=to "  \
	"next_pid=" #to " next_prio=120"

/* --- events --------------------------------------------------------------------------------- */

static void test_bytes(void **state)
{
	/* the smallest trace, byte by byte */
	static const uint8_t bytes[] = {
		0x0a, 19,		/* packet, 19 bytes */
		0x50, 1,		/* trusted_packet_sequence_id = 1 */
		0x0a, 15,		/* ftrace_events */
		0x08, 2,		/* cpu = 2 */
		0x12, 11,		/* event */
		0x08, 0xe8, 0x07,	/* timestamp = 1000 */
		0x10, 7,		/* pid = 7 */
		0xc2, 0x01, 3,		/* softirq_entry (24), 3 bytes */
		0x08, 0x89, 0x00,	/* vec = 9, in two bytes */
	};
	struct source *source = open_bytes(bytes, sizeof(bytes));

	(void)state;
	assert_non_null(source);
	assert_int_equal(nr_rows, 1);
	check_row(0, 1000, 2, 7, "softirq_entry vec=9");
	assert_string_equal(source_info(source)->form, "Perfetto");
	assert_string_equal(source_buffer(source, 0)->clock, "boot");
	assert_int_equal(source_info(source)->cpu_count, 3);
	assert_int_equal(source_nr_warnings(source), 0);
	source_close(source);
}

/* The one event of all probes, which has the probe's name, by bytes. */
static void test_kprobe(void **state)
{
	static const uint8_t bytes[] = {
		0x0a, 23, 0x50, 1,	/* packet; trusted_packet_sequence_id = 1 */
		0x0a, 19, 0x08, 2,	/* ftrace_events; cpu = 2 */
		0x12, 15,		/* event */
		0x08, 0xe8, 0x07,	/* timestamp = 1000 */
		0x10, 7,		/* pid = 7 */
		0xf2, 0x21, 7,		/* kprobe_event (542), 7 bytes */
		0x0a, 3, 'm', 'y', 'k',	/* name */
		0x10, 2,		/* type: the function's end */
	};
	struct source *source = open_bytes(bytes, sizeof(bytes));

	(void)state;
	assert_non_null(source);
	assert_int_equal(nr_rows, 1);
	check_row(0, 1000, 2, 7, "kprobe_event name=myk type=2");
	assert_int_equal(source_nr_warnings(source), 0);
	source_close(source);
}

static void test_bundles(void **state)
{
	struct source *source;

	(void)state;
	xb_snapshot(&b, 5000, 4000, 1000005000);
	xb_bundle(&b, 1, false);
	xb_switch(&b, 300, 7, 8);
	xb_switch(&b, 200, 8, 7);		/* not in order */
	xb_end_all(&b);
	xb_bundle(&b, 1, true);
	xb_switch(&b, 400, 7, 9);
	xb_event(&b, 500, 9, 329);		/* sys_enter, with args as they come, and packed */
	proto_number(&b.t, 1, 3);
	proto_number(&b.t, 2, 77);
	proto_bytes(&b.t, 2, "\x01\x80\x01", 3);
	xb_end_event(&b);
	xb_end_all(&b);
	source = open_it();
	assert_int_equal(nr_rows, 4);
	check_row(0, 200, 1, 8, SWITCH(8, 7));
	check_row(1, 300, 1, 7, SWITCH(7, 8));
	check_row(2, 400, 1, 7, SWITCH(7, 9));
	assert_true(rows[2].is_lost);
	assert_false(rows[1].is_lost || rows[3].is_lost);
	check_row(3, 500, 1, 9, "sys_enter id=3 args=77,1,128,0,0,0,");
	assert_true(source_info(source)->has_wall);
	assert_int_equal(source_info(source)->wall_offset_ns, 1000000000);
	source_close(source);
}

static void put_process(int pid, int parent, int uid, const char *first, const char *second)
{
	xb_begin(&b, 1);			/* processes */
	proto_number(&b.t, 1, (uint64_t)pid);
	proto_number(&b.t, 2, (uint64_t)parent);
	proto_string(&b.t, 3, first);		/* cmdline */
	if (second)
		proto_string(&b.t, 3, second);
	proto_number(&b.t, 5, (uint64_t)uid);
	xb_end(&b);
}

/* What /proc said of processes, when the packet was written. */
static void test_processes(void **state)
{
	static const char wanted[] = "task 700 700 2 0 -1 0 0 0 0 1\n"
				     "task 700 700 9 2 -1 0 0 0 0 1\n"
				     "string 9\n/bin/a\0b\0\n"
				     "task 700 700 77 1 -1 1000 0 1 0 0\n";
	struct source *source;
	const char *text;
	uint64_t size;

	(void)state;
	xb_bundle(&b, 1, false);
	xb_switch(&b, 600, 9, 77);
	xb_end_all(&b);
	xb_packet(&b, 1);
	proto_number(&b.t, 8, 700);		/* timestamp */
	xb_begin(&b, 2);			/* process_tree */
	put_process(2, 0, 0, "kthreadd", NULL);
	put_process(9, 2, 0, "kworker/0:1", NULL);
	put_process(77, 1, 1000, "/bin/a", "b");
	xb_end_all(&b);
	source = open_it();
	text = source_text(source, TRACE_TEXT_WHO, &size);
	assert_int_equal(size, sizeof(wanted) - 1);
	assert_memory_equal(text, wanted, size);
	text = source_text(source, TRACE_TEXT_CMDLINES, &size);
	assert_string_equal(text, "2 kthreadd\n9 kworker/0:1\n77 a\n");
	source_close(source);
}

/* Compact events are columns; times are differences.  What ran first is not known. */
static void test_compact(void **state)
{
	struct source *source;

	(void)state;
	xb_bundle(&b, 0, false);
	xb_begin(&b, 4);			/* compact_sched */
	proto_string(&b.t, 5, "idle");		/* intern_table */
	proto_string(&b.t, 5, "work");
	XB_COLUMN(&b, 1, 1000, 50, 50);		/* switch_timestamp */
	XB_COLUMN(&b, 2, 1, 2, 0);		/* switch_prev_state */
	XB_COLUMN(&b, 3, 11, 0, 11);		/* switch_next_pid */
	XB_COLUMN(&b, 4, 120, 0, 110);		/* switch_next_prio */
	XB_COLUMN(&b, 6, 1, 0, 1);		/* switch_next_comm_index */
	XB_COLUMN(&b, 7, 1020, 40);		/* waking_timestamp */
	XB_COLUMN(&b, 8, 12, 11);		/* waking_pid */
	XB_COLUMN(&b, 9, 3, 0);			/* waking_target_cpu */
	XB_COLUMN(&b, 10, 99, 110);		/* waking_prio */
	XB_COLUMN(&b, 11, 1, 1);		/* waking_comm_index */
	xb_end_all(&b);
	source = open_it();
	assert_int_equal(nr_rows, 5);
	check_row(0, 1000, 0, -1,
		  "sched_switch prev_comm=<...> prev_pid=-1 prev_prio=0 prev_state=1 "
		  "next_comm=work next_pid=11 next_prio=120");
	check_row(1, 1020, 0, 11, "sched_waking comm=work pid=12 prio=99 target_cpu=3");
	check_row(2, 1050, 0, 11,
		  "sched_switch prev_comm=work prev_pid=11 prev_prio=120 "
		  "prev_state=2 next_comm=idle next_pid=0 next_prio=0");
	check_row(3, 1060, 0, 0, "sched_waking comm=work pid=11 prio=110 target_cpu=0");
	check_row(4, 1100, 0, 0,
		  "sched_switch prev_comm=idle prev_pid=0 prev_prio=0 prev_state=0 "
		  "next_comm=work next_pid=11 next_prio=110");
	assert_int_equal(source_nr_warnings(source), 1);
	assert_false(source_is_damaged(source));
	assert_string_equal(source_warning(source, 0).message,
			    "compact switches that do not name the previous task (pid -1): 1");
	source_close(source);
}

static void describe_field(const char *name, unsigned int number, unsigned int type,
			   unsigned int label)
{
	xb_begin(&b, 2);			/* field */
	proto_string(&b.t, 1, name);
	proto_number(&b.t, 3, number);
	proto_number(&b.t, 4, label);
	proto_number(&b.t, 5, type);
	xb_end(&b);
}

static void generic_event(uint64_t ts, const char *field, const char *s, uint64_t number)
{
	xb_event(&b, ts, 5, 327);		/* generic */
	proto_string(&b.t, 1, "my event");
	xb_begin(&b, 2);			/* field */
	proto_string(&b.t, 1, field);
	if (s)
		proto_string(&b.t, 3, s);
	else
		proto_number(&b.t, 4, number);
	xb_end(&b);
	xb_end_event(&b);
}

/* Types that the trace describes, behind their events, too; and events that do it themselves. */
static void test_described(void **state)
{
	struct source *source;

	(void)state;
	xb_bundle(&b, 0, false);
	xb_event(&b, 10, 5, 65600);
	proto_number(&b.t, 1, (uint64_t)-2);
	proto_string(&b.t, 2, "text");
	proto_number(&b.t, 3, 4);
	proto_number(&b.t, 3, 5);
	xb_end_event(&b);
	xb_event(&b, 11, 5, 65601);		/* the trace does not describe it */
	xb_end_event(&b);
	xb_event(&b, 11, 5, 65535);		/* nobody knows it yet */
	xb_end_event(&b);
	generic_event(12, "a", NULL, 3);
	generic_event(13, "b", "x", 0);
	xb_begin(&b, 11);			/* generic_event_descriptors */
	proto_number(&b.t, 1, 65600);
	proto_string(&b.t, 3, "mine");
	xb_begin(&b, 2);			/* event_descriptor */
	proto_string(&b.t, 1, "made");
	describe_field("number", 1, 3, 1);	/* int64 */
	describe_field("words", 2, 9, 1);	/* string */
	describe_field("list", 3, 4, 3);	/* repeated uint64 */
	xb_end_all(&b);
	source = open_it();
	assert_int_equal(nr_rows, 3);
	check_row(0, 10, 0, 5, "made number=-2 words=text list=4,5,");
	check_row(1, 12, 0, 5, "my_event a=3");
	check_row(2, 13, 0, 5, "my_event b=x");
	assert_int_equal(source_nr_warnings(source), 2);
	assert_string_equal(source_warning(source, 0).message,
			    "left out: 1 event of kinds newer than this program");
	assert_string_equal(source_warning(source, 1).message,
			    "events left out, whose kinds the trace does not describe: 1");
	source_close(source);
}

/* What encoders leave out is 0; wake-ups have no `success` here, as kernels since 4.3 have none. */
static void test_zeros(void **state)
{
	struct source *source;

	(void)state;
	xb_bundle(&b, 0, false);
	xb_event(&b, 10, 5, 17);		/* sched_wakeup */
	proto_string(&b.t, 1, "work");
	proto_number(&b.t, 2, 7);
	xb_end_event(&b);
	xb_event(&b, 11, 5, 4);			/* sched_switch to the idle task */
	proto_string(&b.t, 1, "main");
	proto_number(&b.t, 2, 5);
	proto_string(&b.t, 5, "swapper/0");
	xb_end_event(&b);
	xb_end_all(&b);
	source = open_it();
	assert_int_equal(nr_rows, 2);
	check_row(0, 10, 0, 5, "sched_wakeup comm=work pid=7 prio=0 target_cpu=0");
	check_row(1, 11, 0, 5,
		  "sched_switch prev_comm=main prev_pid=5 prev_prio=0 prev_state=0 "
		  "next_comm=swapper/0 next_pid=0 next_prio=0");
	source_close(source);
}

/* A function is the number of its name. */
static void test_symbols(void **state)
{
	struct source *source;
	const char *kallsyms;
	char line[64];
	uint64_t size;

	(void)state;
	xb_packet(&b, 1);
	xb_begin(&b, 12);			/* interned_data */
	xb_begin(&b, 26);			/* kernel_symbols */
	proto_number(&b.t, 1, 3);
	proto_string(&b.t, 2, "do_work");
	xb_end_all(&b);
	xb_bundle(&b, 0, false);
	xb_event(&b, 10, 5, 58);		/* workqueue_execute_start */
	proto_number(&b.t, 1, 4096);
	proto_number(&b.t, 2, 3);
	xb_end_event(&b);
	xb_end_all(&b);
	source = open_it();
	kallsyms = source_text(source, TRACE_TEXT_KALLSYMS, &size);
	assert_int_equal(nr_rows, 1);
	assert_int_equal(sscanf(strstr(rows[0].text, "function="), "function=%63s", line), 1);
	snprintf(line + 32, 32, "%llx T do_work\n", (unsigned long long)strtoll(line, NULL, 10));
	assert_string_equal(kallsyms, line + 32);
	source_close(source);
}

/* --- pages that are made when they are read ------------------------------------------------- */

struct put {
	uint64_t	 ts;
	int		 pid;
};

static struct put told[256];
static unsigned int nr_told;

static int by_time(const void *left, const void *right)
{
	const struct put *x = left, *y = right;

	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

/* Events of CPU 1, @step ns after one another; every @back-th one is late; 0: none */
static void put_bundle(uint64_t ts, unsigned int nr, unsigned int step, unsigned int back)
{
	xb_bundle(&b, 1, false);
	for (unsigned int i = 0; i < nr; i++) {
		struct put *put = &told[nr_told++];

		*put = (struct put){ ts + step * i, (int)nr_told };
		if (back && i % back == back - 1)
			put->ts -= 3 * step - 1;
		xb_event(&b, put->ts, put->pid, 24);	/* softirq_entry */
		proto_number(&b.t, 1, 9);
		xb_end_event(&b);
	}
	xb_end_all(&b);
}

/* Bundles become pages; what is late, in a bundle or as a whole, is in its place. */
static void test_pages(void **state)
{
	struct source *source;

	(void)state;
	nr_told = 0;
	put_bundle(10000, 40, 10, 0);
	put_bundle(20000, 40, 10, 0);
	put_bundle(20205, 40, 10, 0);		/* in the middle of the one before */
	put_bundle(30000, 40, 10, 5);
	put_bundle(15000, 3, 10, 0);
	put_bundle(12000, 40, 10, 0);
	source = open_it();
	assert_int_equal(nr_rows, nr_told);
	qsort(told, nr_told, sizeof(*told), by_time);
	for (unsigned int i = 0; i < nr_told; i++)
		check_row(i, told[i].ts, 1, told[i].pid, "softirq_entry vec=9");
	assert_int_equal(source_nr_warnings(source), 0);
	source_close(source);
}

/* Columns of several pages, with other events between them. */
static void test_compact_pages(void **state)
{
	enum { NR = 2000, STEP = 10 };
	static uint64_t times[NR], states[NR], pids[NR], names[NR];
	unsigned int switches = 0, others = 0;
	struct source *source;

	(void)state;
	xb_bundle(&b, 0, false);
	for (unsigned int i = 0; i < 50; i++) {
		xb_event(&b, 5005 + 400 * i, 7, 24);
		proto_number(&b.t, 1, 9);
		xb_end_event(&b);
	}
	xb_begin(&b, 4);			/* compact_sched */
	proto_string(&b.t, 5, "even");
	proto_string(&b.t, 5, "odd");
	for (unsigned int i = 0; i < NR; i++) {
		times[i] = i ? STEP : 1000;
		states[i] = i % 3;
		pids[i] = 1000 + i;
		names[i] = i % 2;
	}
	xb_column(&b, 1, NR, times);
	xb_column(&b, 2, NR, states);
	xb_column(&b, 3, NR, pids);
	xb_column(&b, 4, NR, states);
	xb_column(&b, 6, NR, names);
	xb_end_all(&b);
	source = open_it();
	assert_int_equal(nr_rows, NR + 50);
	assert_int_equal(rows[0].pid, -1);
	assert_true(source_stream_pages(source, 0) > 2);
	for (unsigned int i = 1; i < nr_rows; i++) {
		char text[200];

		if (rows[i].ts % STEP) {
			check_row(i, 5005 + 400 * others++, 0, 7, "softirq_entry vec=9");
			continue;
		}
		switches++;
		snprintf(text, sizeof(text),
			 "sched_switch prev_comm=%s prev_pid=%u prev_prio=%u prev_state=%u "
			 "next_comm=%s next_pid=%u next_prio=%u",
			 switches % 2 ? "even" : "odd", 999 + switches, (switches - 1) % 3,
			 switches % 3, switches % 2 ? "odd" : "even", 1000 + switches,
			 switches % 3);
		check_row(i, 1000 + STEP * switches, 0, 999 + (int)switches, text);
	}
	source_close(source);
}

/* A page has the names and the types that were known when its bundle came. */
static void test_known_then(void **state)
{
	static const char *const names[] = { "first", "second" };
	struct source *source;
	char function[64];

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		xb_packet(&b, 1);
		proto_number(&b.t, 13, 1);	/* sequence_flags: the state is cleared */
		xb_begin(&b, 12);
		xb_begin(&b, 26);
		proto_number(&b.t, 1, 3);
		proto_string(&b.t, 2, names[i]);
		xb_end_all(&b);
		xb_bundle(&b, 0, false);
		for (unsigned int k = 0; k < 40; k++) {
			xb_event(&b, 1000 * (i + 1) + k, 5, k % 2 ? 65600 : 58);
			if (k % 2 == 0)
				proto_number(&b.t, 2, 3);	/* of workqueue_execute_start */
			xb_end_event(&b);
		}
		if (i) {
			xb_begin(&b, 11);		/* describes 65600 */
			proto_number(&b.t, 1, 65600);
			xb_begin(&b, 2);
			proto_string(&b.t, 1, "made");
			xb_end(&b);
			xb_end(&b);
		}
		xb_end_all(&b);
	}
	source = open_it();
	assert_int_equal(nr_rows, 20 + 40);
	snprintf(function, sizeof(function), "%s", strstr(rows[0].text, "function="));
	assert_string_equal(rows[19].text, rows[0].text);
	assert_null(strstr(rows[20].text, function));
	assert_string_equal(rows[21].text, "made");
	source_close(source);
}

/* --- tracks --------------------------------------------------------------------------------- */

static void test_tracks(void **state)
{
	struct source *source;
	uint64_t size;

	(void)state;
	xb_track(&b, 1, 0, NULL, 70, 71);
	xb_track(&b, 2, 0, NULL, 70, 0);
	xb_track(&b, 3, 2, "queue", 0, 0);
	xb_slice(&b, 100, 1, 1, "outer|one");
	xb_slice(&b, 110, 1, 3, "waits");
	xb_slice(&b, 120, 3, 1, "now");
	xb_slice(&b, 130, 2, 3, NULL);
	xb_slice(&b, 140, 2, 1, NULL);
	xb_slice(&b, 150, 1, 99, "lost");	/* a track that is not told */
	source = open_it();
	assert_int_equal(nr_rows, 6);
	assert_string_equal(source_buffer(source, 1)->name, "track_event");
	for (unsigned int i = 0; i < nr_rows; i++) {
		char *text = strstr(rows[i].text, " buf=");

		assert_int_equal(rows[i].buffer, 1);
		memmove(rows[i].text, text, strlen(text) + 1);
	}
	check_row(0, 100, 0, 71, " buf=B|70|outer/one");
	check_row(1, 110, 0, 70, " buf=G|70|queue|waits|2049");
	check_row(2, 120, 0, 71, " buf=I|70|now");
	check_row(3, 130, 0, 70, " buf=H|70|queue|2049");
	check_row(4, 140, 0, 71, " buf=E|70");
	check_row(5, 150, 0, 0, " buf=G|0|track|lost|3073");
	assert_string_equal(source_text(source, TRACE_TEXT_CMDLINES, &size), "71 worker\n");
	assert_string_equal(source_text(source, TRACE_TEXT_TGIDS, &size), "71 70\n70 70\n");
	assert_string_equal(source_warning(source, 0).message,
			    "tracks with events that the trace does not tell of: 1");
	source_close(source);
}

/* Tracks may be told after their events, and those around them later still. */
static void test_late_tracks(void **state)
{
	static const char *const texts[] = { "I|70|starts", "B|70|one", "G|80|queue|waits|1025",
					     "H|80|queue|1025", "E|70" };
	static const int pids[] = { 71, 71, 80, 80, 71 };
	struct source *source;

	(void)state;
	xb_slice(&b, 100, 3, 1, "starts");
	xb_slice(&b, 110, 1, 1, "one");
	xb_slice(&b, 120, 1, 3, "waits");
	xb_track(&b, 1, 0, NULL, 70, 71);
	xb_track(&b, 3, 2, "queue", 0, 0);
	xb_slice(&b, 130, 2, 3, NULL);
	xb_track(&b, 2, 0, NULL, 80, 0);
	xb_slice(&b, 140, 2, 1, NULL);
	source = open_it();
	assert_int_equal(nr_rows, 5);
	for (unsigned int i = 0; i < nr_rows; i++) {
		assert_int_equal(rows[i].ts, 100 + 10 * i);
		assert_int_equal(rows[i].pid, pids[i]);
		assert_string_equal(strstr(rows[i].text, " buf=") + 5, texts[i]);
	}
	assert_int_equal(source_nr_warnings(source), 0);
	source_close(source);
}

static void counter(uint64_t ts, uint64_t uuid, double value)
{
	char bytes[8];
	uint64_t bits;

	xb_packet(&b, 2);
	proto_number(&b.t, 8, ts);		/* timestamp */
	xb_begin(&b, 11);			/* track_event */
	proto_number(&b.t, 9, 4);
	proto_number(&b.t, 11, uuid);
	proto_varint(&b.t, PROTO_TAG(44, PROTO_FIXED64));	/* double_counter_value */
	memcpy(&bits, &value, sizeof(bits));
	store_u64(bytes, bits, HOST_BIG_ENDIAN);
	text_bytes(&b.t, bytes, sizeof(bytes));
	xb_end_all(&b);
}

static void test_fractions(void **state)
{
	static const double values[] = { 1, 1.25, -0.5, -1e-12, 1e300, 1234567.000001 };
	static const char *const texts[] = { "1", "1.25", "-0.5", "0", "0", "1234567.000001" };
	struct source *source;
	char text[40];

	(void)state;
	xb_track(&b, 1, 0, "load", 0, 0);
	for (unsigned int i = 0; i < 6; i++)
		counter(100 + i, 1, values[i]);
	source = open_it();
	assert_int_equal(nr_rows, 6);
	for (unsigned int i = 0; i < 6; i++) {
		snprintf(text, sizeof(text), " buf=C|0|load|%s", texts[i]);
		assert_string_equal(strstr(rows[i].text, " buf="), text);
	}
	source_close(source);
}

/* A clock of the sequence counts differences, in units of its own. */
static void test_clocks(void **state)
{
	struct source *source;

	(void)state;
	xb_track(&b, 4, 0, "level", 0, 0);
	b.nr_open = 0;
	xb_packet(&b, 2);
	xb_begin(&b, 6);			/* clock_snapshot */
	xb_clock(&b, 6, 90000);
	xb_begin(&b, 1);
	proto_number(&b.t, 1, 64);		/* clock_id */
	proto_number(&b.t, 2, 20);		/* timestamp */
	proto_number(&b.t, 3, 1);		/* is_incremental */
	proto_number(&b.t, 4, 1000);		/* unit_multiplier_ns */
	xb_end_all(&b);
	xb_packet(&b, 2);
	xb_begin(&b, 59);			/* trace_packet_defaults */
	proto_number(&b.t, 58, 64);		/* timestamp_clock_id */
	xb_begin(&b, 11);			/* track_event_defaults */
	proto_number(&b.t, 11, 4);		/* track_uuid */
	xb_end_all(&b);
	for (unsigned int i = 0; i < 2; i++) {
		xb_packet(&b, 2);
		proto_number(&b.t, 8, 1 + i);	/* timestamp: so many µs later */
		xb_begin(&b, 11);
		proto_number(&b.t, 9, 4);	/* a counter */
		proto_number(&b.t, 30, 10 + i);
		xb_end_all(&b);
	}
	source = open_it();
	assert_int_equal(nr_rows, 2);
	assert_int_equal(rows[0].ts, 91000);
	assert_int_equal(rows[1].ts, 93000);
	assert_non_null(strstr(rows[1].text, "buf=C|0|level|11"));
	source_close(source);
}

/* --- damage --------------------------------------------------------------------------------- */

static void put_three(void)
{
	for (unsigned int i = 0; i < 6; i++) {
		xb_bundle(&b, 0, false);
		xb_switch(&b, 100 + i, 7, 8);
		xb_end_all(&b);
	}
}

/* Cut at any byte, whole packets are there; what is cut off is told. */
static void test_cut(void **state)
{
	size_t len, packet;

	(void)state;
	put_three();
	len = b.t.len;
	packet = len / 6;
	for (size_t cut = packet; cut < len; cut++) {
		struct source *source = open_bytes(text_str(&b.t), cut);

		assert_non_null(source);
		assert_int_equal(nr_rows, cut / packet);
		assert_int_equal(source_nr_warnings(source), cut % packet != 0);
		source_close(source);
	}
	text_clear(&b.t);
}

/* A packet with a wild length, or in which nothing is as it was, costs that packet. */
static void test_damage(void **state)
{
	size_t len, packet;

	(void)state;
	put_three();
	len = b.t.len;
	packet = len / 6;
	for (unsigned int what = 0; what < 3; what++) {
		uint8_t *copy = mem_copy(text_str(&b.t), len, 1);
		struct source *source;

		if (what == 0)
			memset(copy + packet + 1, 0xff, 9);	/* the length */
		else if (what == 1)
			memset(copy + packet, 0, packet);
		else
			copy[packet + 5] = 0x7f;		/* of the bundle in it */
		source = open_bytes(copy, len);
		assert_non_null(source);
		assert_int_equal(nr_rows, 5);
		assert_int_equal(source_nr_warnings(source), 1);
		assert_true(source_is_damaged(source));
		assert_int_equal(source_warning(source, 0).offset, packet);
		source_close(source);
		free(copy);
	}
	text_clear(&b.t);
}

/* Numbers of each length, cut at every byte, with and without bytes behind them. */
static void test_numbers(void **state)
{
	uint8_t bytes[20];
	uint64_t v;

	(void)state;
	for (unsigned int shift = 0; shift < 64; shift++)
		for (unsigned int more = 0; more < 9; more += 8) {
			uint64_t number = 0x9d5c3b71a6e4f28bull >> shift, left = number;
			unsigned int len = 0;
			struct proto_reader r;

			memset(bytes, 0xff, sizeof(bytes));
			for (; left > 0x7f; left >>= 7)
				bytes[len++] = (uint8_t)(left | 0x80);
			bytes[len++] = (uint8_t)left;
			for (unsigned int cut = 0; cut < len; cut++) {
				r = proto_reader(bytes, cut);
				assert_false(proto_take(&r, &v));
			}
			r = proto_reader(bytes, len + more);
			assert_true(proto_take(&r, &v));
			assert_true(v == number);
			assert_ptr_equal(r.at, bytes + len);
		}
	memset(bytes, 0xff, sizeof(bytes));	/* too long */
	assert_false(proto_take(&(struct proto_reader){ .at = bytes, .end = bytes + 20 }, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),         cmocka_unit_test(test_kprobe),
		cmocka_unit_test(test_bundles),       cmocka_unit_test(test_processes),
		cmocka_unit_test(test_compact),       cmocka_unit_test(test_described),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_symbols),       cmocka_unit_test(test_pages),
		cmocka_unit_test(test_compact_pages), cmocka_unit_test(test_known_then),
		cmocka_unit_test(test_tracks),        cmocka_unit_test(test_late_tracks),
		cmocka_unit_test(test_fractions),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_cut),           cmocka_unit_test(test_damage),
		cmocka_unit_test(test_numbers),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	text_fini(&b.t);
	return failed;
}
