/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_lines - reads the lines of the bytes with and without a memory; opens them as a text trace,
 * walks the records of all its pages, and searches its rows.  Up to a form feed they are an event's
 * format, and what a user says of events, by which the text is read.
 */
#include "parsers/open/open.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/sub_buffer.h"
#include "parsers/lines/line_file.h"
#include "parsers/lines/line_record.h"
#include "parsers/lines/line_search.h"
#include "parsers/lines/line_source.h"
#include "parsers/lines/line_known.h"
#include "parsers/print/format_pattern.h"
#include "parsers/types/event_types.h"
#include "src/base/pid_bits.h"
#include "src/events/known_events.h"

const char fuzz_name[] = "fuzz_lines";

static uint32_t count_of(const struct page_sum *sum, const struct type_count *counts, uint16_t id)
{
	for (unsigned int i = 0; i < sum->nr_counts; i++)
		if (counts[i].type == id)
			return counts[i].nr;
	return 0;
}

/* The records are those that the pass on opening has counted. */
static uint64_t walk(struct event_types *types, const struct source *file, uint8_t *page,
		     uint32_t len, const struct page_sum *sum, const struct type_count *counts)
{
	struct sub_buffer sb;
	struct record rec;
	uint64_t nr = 0, last = 0, pids = 0;
	uint32_t counted = 0;
	bool is_backwards = false;

	sub_buffer_open(&sb, &source_buffer(file, 0)->layout, page, len);
	while (sub_buffer_next(&sb, &rec)) {
		struct text_slice lines = line_record_lines(rec.data, rec.size),
				  text = line_record_text(rec.data, rec.size);
		uint16_t id;
		int32_t pid;

		memcpy(&id, rec.data, sizeof(id));
		memcpy(&pid, rec.data + 4, sizeof(pid));
		assert(event_types_find(types, id));
		assert(count_of(sum, counts, id));
		assert(nr || rec.ts == sum->first);
		is_backwards |= rec.ts < last;
		last = rec.ts > last ? rec.ts : last;
		pids |= pid_bits(pid);
		assert(lines.s >= (const char *)rec.data &&
		       lines.s + lines.len <= (const char *)rec.data + rec.size);
		assert(text.s >= lines.s && text.s + text.len <= lines.s + lines.len);
		nr++;
	}
	assert(sb.damage == SUB_BUFFER_SOUND);
	for (unsigned int i = 0; i < sum->nr_counts; i++)
		counted += counts[i].nr;
	assert(nr == sum->events && counted == nr && pids == sum->pids);
	assert(!nr || sum->is_unsure || (last == sum->last && is_backwards == sum->is_backwards));
	assert(sb.lost == sum->is_lost && (!sum->is_lost || sb.lost_count == sum->lost));
	assert(!sum->is_lost || nr || sb.ts == sum->first);
	return nr;
}

/* Each line is in one record, those about lost events apart. */
static void check(const struct source *file)
{
	const struct line_file *lines = line_source_file(file);
	struct event_types *types = event_types_new(file);
	struct line_reader *reader = line_reader_new(lines);
	uint8_t *page = malloc(LINE_RECORDS_BYTES);
	uint64_t nr = 0;

	assert(page);
	for (unsigned int i = 0; i < source_nr_streams(file); i++) {
		int cpu = source_stream(file, i)->cpu;

		for (uint64_t p = 0; p < line_file_pages(lines, cpu); p++) {
			uint32_t len = line_reader_page(reader, p, cpu, page);
			const struct type_count *counts;
			struct page_sum sum = line_file_sum(lines, p, cpu, &counts);

			assert(len >= 16);
			assert(sum.events || sum.is_lost);
			nr += walk(types, file, page, len, &sum, counts);
		}
	}
	assert(nr >= line_file_info(lines)->events);
	free(page);
	line_reader_free(reader);
	event_types_free(types);
}

/* Of the rows of a text, a search for a word finds those that have it. */
static void check_search(const struct line_file *lines)
{
	static const struct line_word word = { "sched", 5 };
	struct line_search *all = line_search_new(lines, NULL, 0);
	struct line_search *some = line_search_new(lines, &word, 1);
	enum line_search_end end = LINE_SEARCH_ALL;
	struct line_found row, found;

	while (line_search_next(all, &row, &end)) {
		if (!memmem(row.all.s, row.all.len, word.s, word.len))
			continue;
		if (!line_search_next(some, &found, &end)) {
			assert(end == LINE_SEARCH_UNSURE);
			break;
		}
		assert(found.ts == row.ts && found.cpu == row.cpu);
		assert(found.all.len == row.all.len);
		assert(!memcmp(found.all.s, row.all.s, row.all.len));
	}
	assert(end == LINE_SEARCH_UNSURE || !line_search_next(some, &found, &end));
	line_search_free(all);
	line_search_free(some);
}

static void agree(struct text_slice a, struct text_slice b)
{
	assert(a.len == b.len && !memcmp(a.s, b.s, a.len));
}

static void agree_calls(const struct text_call *a, const struct text_call *b)
{
	assert(a->kind == b->kind && a->depth == b->depth);
	agree(a->func, b->func);
	agree(a->caller, b->caller);
	agree(a->value, b->value);
}

/* The function that a memory has for a line is that of its call. */
static void check_func(const struct text_line *line)
{
	if (line->func)
		agree((struct text_slice){ line->func->s, line->func->len }, line->call.func);
}

/* What a line is does not depend on the lines that were read before. */
static void check_memory(const char *text, uint64_t size)
{
	struct text_memory *memory = calloc(1, sizeof(*memory));

	assert(memory);
	for (uint64_t pos = 0, next; pos < size; pos = next) {
		struct text_line want;
		uint64_t end = text_trace_line(text, size, pos, &want);
		const struct text_line *got = text_trace_next(memory, text, size, pos, &next);

		if (text_line_split(&want))
			end = (uint64_t)(want.line.s + want.line.len - text);
		assert(next == end && got->kind == want.kind);
		agree(got->line, want.line);
		agree(got->comm, want.comm);
		agree(got->flags, want.flags);
		agree(got->text, want.text);
		agree(got->event, want.event);
		assert(got->pid == want.pid && got->cpu == want.cpu);
		assert(got->time_kind == want.time_kind && got->time == want.time);
		assert(got->has_ns == want.has_ns && got->mark == want.mark);
		assert(got->duration_ns == want.duration_ns && got->lost == want.lost);
		assert(got->has_duration == want.has_duration);
		if (want.kind == TEXT_LINE_GRAPH) {
			agree_calls(&got->call, &want.call);
			check_func(got);
		}
	}
	free(memory);
}

static int accept_all(const char *text, struct ft_error *err)
{
	(void)text;
	(void)err;
	return 0;
}

static void know(const char *lines, size_t len)
{
	const struct known_checks checks = { accept_all, accept_all };
	struct text contents = { 0 };
	struct ft_error err = { 0 };

	text_bytes(&contents, lines, len);
	known_events_add(text_str(&contents), "fuzz", &checks, &err);
	text_fini(&contents);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *feed = size && size < (1u << 20) ? memchr(data, '\f', size) : NULL;
	struct source_format format = { .system = "x", .text = (const char *)data };
	struct source_options options = { .formats = NULL };
	struct line_formats *formats = NULL;
	struct ft_error err = { 0 };
	struct source *file;
	const char *path;

	if (feed) {
		format.size = (uint32_t)(feed - data);
		options.formats = formats = line_formats_new();
		format_pattern_read(formats, &format, size & 1 ? 4 : 8);
		know(format.text, format.size);
		size -= format.size + 1;
		data = feed + 1;
	}
	check_memory((const char *)data, size);
	path = size < (1u << 20) ? fuzz_file(data, size) : NULL;
	file = path ? source_open_with(path, -1, &options, &err) : NULL;
	if (file && line_source_file(file))
		check(file);
	if (file && line_source_file(file))
		check_search(line_source_file(file));
	source_close(file);
	line_formats_free(formats);
	known_events_fini();
	return 0;
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	static const char *const seeds[] = {
		"# tracer: nop\n#\n              wl-159   [000] d.h1.    20.486036: irq_handler_entry: irq=1 name=x\n"
		"CPU:0 [LOST 5 EVENTS]\n              wl-159   [001] ..... 20.486036: a: b=1 c=x\nno\n",
		"cpus=2\n  a b-1-2   [001]    61.708417: sched_wakeup:         rcu:3:15 [120] CPU:001\n"
		"CPU:1 [EVENTS DROPPED]\n  a-1 (  12) [001] 61.708418: sched_switch: a:1 [120] R+ ==> b:2 [1]\n",
		"cpus=1\n  a-1     [000] 576460752303423488: sched_switch:  prev_comm=a prev_pid=1 prev_prio=1 "
		"prev_state=0x400 next_comm=b next_pid=2 next_prio=1\n  a-1     [000] 9: sched_x: a=1\n",
		"# tracer: function\n a-1 [000] ..... 1.000001: f+0x1/0x2 <-g (repeats: 2, last_ts: 1.0)\n"
		" a-1 [000] ..... 1.000001: <stack trace>\n => f+0x1/0x2 [m]\n => 0x12\n"
		" a-1 [000] ..... 1.000002: <user stack trace>\n =>  <00007f817f3e39c4>\n",
		"# tracer: nop\n#\n# nop latency trace v1.1.5 on 6.1\n a-1 0d..1. -12us+: sys_read(fd: 3)\n"
		" a-1 0d..1. 12us : sys_read -> 0x3\n",
		"    trace-cmd     178   1 9 00000002 00000002 [0227d34d] 87.888ms (+0.015ms): x: y={z}\n",
		"# tracer: function_graph\n#\n 1) ! 335.212 us  |  f();\n 0)               |  g() { /* <-h+0x1/0x2 */\n"
		" ------------------------------------------\n 0)  a-1   =>  b-2  \n ------------------------------------------\n\n"
		" 0)               |    /* sched_waking: comm=x pid=1 */\n 0) + 10.5 us     |  } /* g ret=0x1 */\n 1)   1.000 us    |  }\n",
		"# tracer: function_graph\nf() {\n  g();\n}\n (Overruns: 0)\n 1)  a-1   =>  b-2  \nh();\n",
		"# tracer: function_graph\n   28.877936 |   0)   a-50   |  d..1. |   2.093 us    |  f [m](a=1);\n"
		"    0 us |   0)  <idle>-0    |  dNh5. |               |  f() {\n",
		"perf   123 [000]    18.306869: sched:sched_switch: prev_comm=a prev_pid=123 prev_prio=1 prev_state=R+ ==> "
		"next_comm=b next_pid=1 next_prio=1\n\tffffffff9b810fe8 f+0x1 ([k])\n\t   343ca [unknown] (/bin/busybox)\n\t 0 [unknown] ([unknown])\n\n"
		"a 1/2 18.306870: 250 cycles:u: \n\t   343ca f(int, char) (/a)\n\t   343ca (/a)\n\n :-1 -1 [001] 18.306871: a:b: c\n",
		"[000]\t    1.000001: hyp_enter reason=smc vcpu=7\n[001]\t1.000002: a\nCPU:1 [LOST 5 EVENTS]\n",
		"|f({\n0.5 us|}/* g+\n",	/* no name of a function ends like this */
		"# tracer: mmiotrace\nMARK 1.5 a\nMAP 1.6 1 0xfe 0xff 0x3c 0x0 0\nR 4 1.7 1 0xfe 0x3 0x0 0\n",
		"<4>[   12.345678] Dumping ftrace buffer:\n<4>[   12.345679][    C0]  a-1         0d.h1.  401us : f: x=1\n"
		"[   12.345680]  => f\n",
		"name: f\nID: 7\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:dev_t dev;\toffset:24;\tsize:4;\tsigned:0;\n"
		"\tfield:u8 mode;\toffset:28;\tsize:1;\tsigned:0;\n"
		"\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"{%s} dev %d,%d m=0%o f=%s [%s] %x:%pS%d%%\", REC->comm, "
		"((unsigned int)((REC->dev) >> 20)), ((unsigned int)((REC->dev) & 3)), REC->mode, "
		"__print_flags(REC->mode, \"|\", { 1, \"A\" }), __get_str(name), REC->mode, "
		"(void *)REC->mode, REC->dev + REC->mode\n\f"
		" a-1 [000] 39.818888: f: {x} dev 8,1 m=0755 f=A|B [n m] 1f:g+0x1/0x2\n",
		"system x\nnames f\nevent f\npattern {a:stack} {b:args} {c:comm} {pid:int} {} {d:device}\n"
		"pattern x={a:symbol} {b:string} {c:state}\n\f"
		" a-1 [000] 39.818888: f: g+0x1 1, 2 x 5 7 8,1\n a-1 [000] 39.818889: f: x=g a b R\n",
		"cpus=1\n a-1 [000] 39.818888: funcgraph_entry:        1.332 us   |    f(); (ret=0x0)\n"
		" a-1 [000] 39.818889: fgraph_retaddr_entry: --> g (4) <- f\n a-1 [000] 39.818890: funcgraph_exit:       + 10.235 us  |  }\n",
		"cpus=2\n"
		"  a b-1-2   [001]    684112us+: sys_read(fd:DROPPEDcpus=2\n"
		"  a b-1-2   [001]    61.708417: sched_wakeup:  a b-1-2# tracer: function_graph\n"
		"   28.877936 |   0)   a-50   |  d]\n"
		"  a-1 (  12) [001]. .1.      61 .7084 ",
		"name: f\nID: 7\nformat:\n\tfield:int[ a;\toffset:8;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"%d\", REC->a\n\f a-1 [000] 39.818888: f: 5\n",
	};

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
