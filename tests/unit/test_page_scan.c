/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page_scan against made-up traces whose records are known: what a page holds, how often each type
 * occurs, and the names of tasks at every time, where tasks push each other out of what a worker
 * remembers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/open/open.h"
#include "parsers/pages/page_scan.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/may_hold.h"
#include "tests/lib/temp_path.h"

static int64_t same_time(const void *arg, uint64_t raw)
{
	(void)arg;
	return (int64_t)raw;
}

struct scanned {		/* a file and the directories of its streams */
	struct source	*file;
	struct event_types	*types;
	struct comm_table	*comms;
	struct page_kinds	 kinds;
	struct page_index	*indexes;
};

static void scan_file(struct scanned *s)
{
	static const struct page_clock clock = { same_time, NULL };
	struct ft_error err = { 0 };
	struct page_reader *reader;
	struct page_scan *scan;

	s->file = source_open(temp_path, -1, &err);
	if (!s->file)
		fail_msg("%s", err.message);
	s->types = event_types_new(s->file);
	s->comms = comm_table_new();
	page_kinds_init(&s->kinds, s->types, s->comms, NULL);
	s->indexes = calloc(source_nr_streams(s->file), sizeof(*s->indexes));
	scan = page_scan_new(&s->kinds);
	reader = page_reader_new(s->file, 64 << 10);
	for (unsigned int i = 0; i < source_nr_streams(s->file); i++) {
		const struct source_stream *stream = source_stream(s->file, i);
		const struct sub_buffer_layout *layout =
			&source_buffer(s->file, stream->buffer)->layout;
		struct page_range *range;

		page_index_init(&s->indexes[i], layout->page_size);
		while ((range = page_index_claim(&s->indexes[i],
						 source_stream_pages(s->file, i)))) {
			assert_true(page_scan_range(scan, reader, i, layout, &clock, range, NULL,
						    NULL));
			page_index_commit(&s->indexes[i], range);
		}
	}
	page_reader_free(reader);
	page_scan_free(scan);
}

static void scanned_fini(struct scanned *s)
{
	for (unsigned int i = 0; i < source_nr_streams(s->file); i++)
		page_index_fini(&s->indexes[i]);
	free(s->indexes);
	page_kinds_fini(&s->kinds);
	comm_table_free(s->comms);
	event_types_free(s->types);
	source_close(s->file);
}

/* --- what a page holds ---------------------------------------------------------- */

static void check_stream(const struct scanned *s, struct page_index *index,
			 const struct gen_stream *stream)
{
	for (uint32_t page = 0; page < stream->nr_pages; page++) {
		const struct gen_page_info *info = &stream->info[page];
		const struct page_slab *slab = page_index_slab(index, page);
		uint32_t at = page % index->slab_pages, back = 0;
		struct page_sets sets = page_index_sets(index, page);
		bool holds[PAGE_KINDS_MAX] = { false };
		uint64_t pids = 0;

		for (uint32_t i = info->first; i < info->first + info->nr; i++) {
			const struct gen_event *event = &stream->events[i];

			holds[event->type] = true;
			pids |= pid_bits(event->pid);
			back |= event->ts < event->key;
		}
		assert_int_equal(slab->count[at] & PAGE_EVENTS_MASK, info->nr);
		assert_int_equal(!!(slab->count[at] & PAGE_LOST), info->lost != GEN_LOST_NONE);
		assert_int_equal(!!(slab->count[at] & PAGE_DAMAGED), 0);
		/* So few types have a bit each, or a list. */
		for (uint32_t i = 0; i < s->kinds.nr; i++)
			assert_int_equal(may_hold(&s->kinds, &sets, s->kinds.ids[i]),
					 holds[s->kinds.ids[i]]);
		assert_true(slab->pids[at] == pids);
		if (!info->nr)
			continue;
		assert_int_equal(!!(slab->count[at] & PAGE_BACKWARDS), back);
		assert_true(slab->first[at] == stream->events[info->first].key);
		if (!(slab->count[at] & PAGE_WIDE))
			assert_true(slab->first[at] + slab->span[at] ==
				    stream->events[info->first + info->nr - 1].key);
	}
}

static void check_counts(const struct scanned *s, const struct gen_trace *gen)
{
	static uint64_t counts[PAGE_KINDS_MAX];
	uint64_t sum = 0;

	memset(counts, 0, sizeof(counts));
	for (uint32_t i = 0; i < gen->nr_streams; i++)
		for (uint32_t k = 0; k < gen->streams[i].nr_events; k++)
			counts[gen->streams[i].events[k].type]++;
	for (uint32_t i = 0; i < s->kinds.nr; i++) {
		assert_int_equal(s->kinds.events[i], counts[s->kinds.ids[i]]);
		sum += s->kinds.events[i];
	}
	assert_int_equal(sum, gen->nr_events);
}

static void test_pages(void **state)
{
	static const struct gen_layout layouts[] = {
		{ 4096, 8, false }, { 4096, 4, false }, { 1024, 8, false }, { 16384, 8, false },
		{ 32768, 8, false },
		{ 4096, 8, true },
	};

	(void)state;
	for (unsigned int i = 0; i < 36; i++) {
		struct gen_options options = {
			.seed = 500 + i, .layout = layouts[i % 6], .nr_cpus = 3,
			.pages = 1 + i * 5 % 43,
			.features = i % 4 == 0 ? GEN_PLAIN : i % 4 == 1 ? GEN_TINY | GEN_LONG_FORM |
			GEN_PARTIAL_BASE :
				    i % 4 == 2 ? GEN_ALL : GEN_ALL | GEN_WRAP,
			.base_ts = i % 4 == 3 ? (1ull << 63) + (1ull << 59) - 1000000 : 0,
			.records = i % 3 == 2 ? 5 : 0,
		};
		struct gen_file file = { .version = 7 };
		struct gen_trace *gen = gen_trace_new(&options);
		struct ft_error err = { 0 };
		struct scanned s;
		uint32_t stream = 0;

		if (gen_write(temp_path, &file, (const struct gen_trace *const *)&gen, NULL, 1,
			      &err))
			fail_msg("%s", err.message);
		scan_file(&s);
		check_counts(&s, gen);
		for (uint32_t k = 0; k < gen->nr_streams; k++)
			if (gen->streams[k].nr_pages)
				check_stream(&s, &s.indexes[stream++], &gen->streams[k]);
		assert_int_equal(stream, source_nr_streams(s.file));
		scanned_fini(&s);
		gen_trace_free(gen);
	}
}

/* --- names ------------------------------------------------------------------------- */

#define COMMON	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

enum { SWITCH = 310, WAKING, RUNTIME, FORK, NEWTASK, RENAME, WAIT };

static const struct {
	const char *system, *text;
} formats[] = {
	{ "sched", "name: sched_switch\nID: 310\n" COMMON
	  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	  "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	  "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	  "\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_waking\nID: 311\n" COMMON
	  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	  "\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_stat_runtime\nID: 312\n" COMMON
	  "\tfield:__data_loc char[] comm;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	  "\tfield:u64 runtime;\toffset:16;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_process_fork\nID: 313\n" COMMON
	  "\tfield:__data_loc char[] parent_comm;\toffset:8;\tsize:4;\tsigned:0;\n"
	  "\tfield:pid_t parent_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	  "\tfield:__data_loc char[] child_comm;\toffset:16;\tsize:4;\tsigned:0;\n"
	  "\tfield:pid_t child_pid;\toffset:20;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n" },
	{ "task", "name: task_newtask\nID: 314\n" COMMON
	  "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	  "\nprint fmt: \"\"\n" },
	{ "task", "name: task_rename\nID: 315\n" COMMON
	  "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:char oldcomm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	  "\tfield:char newcomm[16];\toffset:28;\tsize:16;\tsigned:0;\n\nprint fmt: \"\"\n" },
	{ "sched", "name: sched_process_wait\nID: 316\n" COMMON
	  "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	  "\nprint fmt: \"\"\n" },
};

/* Some are the same in all bits that a worker's memory is addressed by. */
static const int32_t pids[] = {
	1, 1 + (int)NAME_SLOTS, 1 + 2 * (int)NAME_SLOTS, 77, 78, 79, 4000, 32768, 32769, 4194303
};
#define NR_PIDS	(sizeof(pids) / sizeof(pids[0]))

static const char *const pool[] = { "sh",  "kworker/0:1", "fifteen-bytes-o", "a",
				    "cat", "cat2",        "kworker/0:2" };

struct told {			/* a name in a record */
	uint64_t	ts;
	unsigned int	task;
	const char	*name;
};

struct names {			/* makes records; all that they tell */
	struct gen_random random;
	struct gen_layout layout;
	struct gen_page	 page;
	const char	*now[NR_PIDS];
	struct told	*told;
	size_t		 nr, cap;
	unsigned int	 calm;		/* one in so many records is behind a new name */
	unsigned int	 first;		/* of pids */
	uint32_t	 blip;		/* from the middle of this page to
					   its end, all have another name */
};

static void put(const struct names *n, uint8_t *p, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> 8 * (n->layout.big_endian ? 3 - i : i));
}

/* Bytes behind the NUL are rubbish now and then, as kernels of old leave them. */
static void put_comm(struct names *n, uint8_t *p, const char *name)
{
	memset(p, 0, 16);
	memcpy(p, name, strnlen(name, 16));
	if (strlen(name) < 14 && gen_random_one_in(&n->random, 50))
		memset(p + strlen(name) + 1, 'x', 15 - strlen(name));
}

/* A dynamic string at @at, its location word at @word: the next free place. */
static uint32_t put_dynamic(const struct names *n, uint8_t *p, uint32_t word, uint32_t at,
			    const char *name)
{
	char text[17] = { 0 };
	uint32_t len;

	memcpy(text, name, strnlen(name, 15));
	len = (uint32_t)strlen(text) + 1;
	put(n, p + word, len << 16 | (at + 8));
	memcpy(p + at, text, len);
	return (at + len + 3) & ~3u;
}

static unsigned int any_task(struct names *n)
{
	unsigned int nr = gen_random_one_in(&n->random, 3) ? NR_PIDS : 5;
	unsigned int task = n->first + gen_random_below(&n->random, nr - n->first);

	if (!n->now[task] || gen_random_one_in(&n->random, n->calm))
		n->now[task] = pool[gen_random_below(&n->random, sizeof(pool) / sizeof(pool[0]))];
	return task;
}

static void tell(struct names *n, unsigned int task, uint64_t ts)
{
	if (n->nr == n->cap) {
		n->cap = n->cap ? 2 * n->cap : 1024;
		n->told = realloc(n->told, n->cap * sizeof(*n->told));
	}
	n->told[n->nr++] = (struct told){ ts, task, n->now[task] };
}

/* One record of any of the types; false if the page is full. */
static bool add_record(struct names *n)
{
	static const uint16_t types[] = { SWITCH, SWITCH, WAKING, WAKING, RUNTIME, RUNTIME,
					  GEN_TYPE_TICK, GEN_TYPE_TICK,
					  GEN_TYPE_TICK, GEN_TYPE_BARE, FORK, NEWTASK, RENAME,
					  WAIT };
	uint16_t type =
		types[gen_random_below(&n->random, gen_random_one_in(&n->random, 4) ? 14 : 9)];
	unsigned int a = any_task(n), b = any_task(n), nr = 1;
	uint8_t body[112] = { 0 }, payload[128];
	uint32_t size = 0, delta = 1 + gen_random_below(&n->random, 3000);

	if (type == SWITCH) {
		put_comm(n, body, n->now[a]);
		put(n, body + 16, (uint32_t)pids[a]);
		put_comm(n, body + 32, n->now[b]);
		put(n, body + 48, (uint32_t)pids[b]);
		size = 56, nr = a == b ? 1 : 2;
	} else if (type == WAKING) {
		put_comm(n, body, n->now[a]);
		put(n, body + 16, (uint32_t)pids[a]);
		size = 28;
	} else if (type == RUNTIME) {
		put(n, body + 4, (uint32_t)pids[a]);
		size = put_dynamic(n, body, 0, 16, n->now[a]);
	} else if (type == FORK) {
		put(n, body + 4, (uint32_t)pids[a]);
		put(n, body + 12, (uint32_t)pids[b]);
		size = put_dynamic(n, body, 0, 16, n->now[a]);
		size = put_dynamic(n, body, 8, size, n->now[b]);
		nr = a == b ? 1 : 2;
	} else if (type == NEWTASK || type == RENAME) {
		put(n, body, (uint32_t)pids[a]);
		memcpy(body + 4, "old name", 9);
		put_comm(n, body + (type == RENAME ? 20 : 4), n->now[a]);
		size = 40;
	} else if (type == WAIT) { /* the kernel tells the name of the one that
					   waits, the pid of the one waited for */
		put_comm(n, body, n->now[b]);
		put(n, body + 16, (uint32_t)pids[a]);
		a = b;
		size = 28;
	} else {
		size = 8, nr = 0;
	}
	if (gen_random_one_in(&n->random, 200))
		gen_page_extend(&n->page, 1ull << 28);
	size = gen_payload(&n->layout, payload, type, pids[b], body, size);
	if (!gen_page_record(&n->page, delta, payload, size, gen_random_one_in(&n->random, 40)))
		return false;
	if (nr)
		tell(n, a, n->page.ts);
	if (nr > 1)
		tell(n, b, n->page.ts);
	return true;
}

static void rename_all(struct names *n, const char *name)
{
	for (unsigned int i = 0; i < NR_PIDS; i++)
		n->now[i] = name;
}

static void fill_page(struct names *n, bool blip)
{
	for (unsigned int i = 0; add_record(n); i++)
		if (blip && i == 40)
			rename_all(n, "elsewhere");
	if (blip)
		rename_all(n, "home");
}

static void write_names(struct names *n, uint32_t pages)
{
	struct trace_writer_options options = { .version = 7, .big_endian = n->layout.big_endian,
						.long_size = n->layout.long_size,
						.page_size = n->layout.page_size };
	uint8_t *bytes = malloc(n->layout.page_size);
	struct ft_error err = { 0 };
	struct trace_writer *w = trace_writer_new(temp_path, &options, &err);
	uint64_t ts = 1000000;
	int buffer;

	assert_non_null(w);
	gen_write_metadata(w, &n->layout);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		trace_writer_format(w, formats[i].system, formats[i].text, strlen(formats[i].text));
	buffer = trace_writer_buffer(w, "", NULL, 0);
	for (uint32_t i = 0; i < pages; i++) {
		gen_page_begin(&n->page, &n->layout, bytes, ts);
		fill_page(n, n->blip && i == n->blip);
		gen_page_end(&n->page, GEN_LOST_NONE, 0);
		ts = n->page.ts + 1;
		assert_int_equal(trace_writer_pages(w, buffer, 0, bytes, n->layout.page_size, &err),
				 0);
	}
	assert_int_equal(trace_writer_finish(w, &err), 0);
	free(bytes);
}

/* The name that was last told at or before a time, else the first one told. */
static void check_names(const struct names *n, struct comm_table *comms)
{
	char now[NR_PIDS][17] = { { 0 } };

	for (size_t i = n->nr; i--;)
		snprintf(now[n->told[i].task], 17, "%.16s", n->told[i].name);
	for (size_t i = 0; i < n->nr; i++) {
		const struct told *told = &n->told[i];
		bool first = !i || told[-1].ts < told->ts;	/* of its record */

		/* A moment before it, all is as it was: also for the others. */
		for (unsigned int task = 0; task < NR_PIDS; task++)
			if (*now[task] && ((first && i % 16 == 0) || task == told->task))
				assert_string_equal(comm_table_at(comms, pids[task],
								  (int64_t)told->ts - 1),
						    now[task]);
		snprintf(now[told->task], 17, "%.16s", told->name);
		assert_string_equal(comm_table_at(comms, pids[told->task], (int64_t)told->ts),
				    now[told->task]);
	}
}

static void test_names(void **state)
{
	static const struct gen_layout layouts[] = {
		{ 4096, 8, false }, { 4096, 8, true }, { 16384, 8, false }, { 65536, 8, false },
		{ 1024, 8, false },
	};

	static const unsigned int calm[] = { 3, 40, 400, 3000 };

	(void)state;
	for (unsigned int i = 0; i < 40; i++) {	/* the latter half: no two tasks at one place */
		struct names n = { .layout = layouts[i % 5],
				   .calm = calm[i % 4],
				   .first = i < 20 ? 0 : 2 };
		struct scanned s;

		gen_random_init(&n.random, 4321 + i);
		write_names(&n, i % 5 == 3 ? 20 : 61 + 4 * i);
		assert_true(n.nr > 500);
		scan_file(&s);
		check_names(&n, s.comms);
		scanned_fini(&s);
		free(n.told);
	}
}

/* A name that comes back in the sub-buffer behind, beside which it changed. */
static void test_there_and_back(void **state)
{
	(void)state;
	for (uint32_t blip = 20; blip < 26; blip++) {
		struct names n = {
			.layout = { 4096, 8, false }, .calm = 1u << 30, .first = 2, .blip = blip
		};
		struct scanned s;

		gen_random_init(&n.random, 99);
		rename_all(&n, "home");
		write_names(&n, 40);
		scan_file(&s);
		check_names(&n, s.comms);
		scanned_fini(&s);
		free(n.told);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_there_and_back),
	};

	return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
